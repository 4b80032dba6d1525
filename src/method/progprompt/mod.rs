//! ProgPrompt: the model writes a whole plan with assertions; its lines are proposed one at a time.
//!
//! What the lines mean belongs to [`crate::method::written_plan`]. With `heed` an `else` line runs only when its assertion does not
//! hold, and a sub-goal is cut after ten steps; the kitchen comparison let all lines run.

use serde::Serialize;
use serde_json::Value;

use super::context::Known;
use super::options::{BELIEF, TEMPERATURE};
use super::plan_following::{InForce, NextLine, Upcoming, judgement, rows, upcoming, useless};
use super::written_plan::{self, Going, Kind, Names, Sight};
use super::{Answer, Context, Method, MethodInfo, Needs, Reading, SYMBOLIC, Section, Step, Stop, next_action};
use crate::episode::{Ask, AskKind, Generation, Origin, PromptRecord, Session, Shape};
use crate::options::{self, OptionSpec};
use crate::world::Ability;

/// Tokens a plan may have (ProgPrompt's limit).
const PLAN_TOKENS: u32 = 600;
/// Frequency penalty of a plan where none is configured (ProgPrompt's).
const PLAN_PENALTY: f64 = 0.15;
/// Tokens that say whether an assertion holds (ProgPrompt's limit).
const JUDGE_TOKENS: u32 = 2;
/// Temperature of a plan that is written anew, where none is set.
const AGAIN: f64 = 0.7;

/// Who says whether an assertion of a plan holds.
const JUDGING: OptionSpec = OptionSpec::new(
    "judging",
    "Plans' assertions",
    options::Kind::Choice(&[("seen", "judged by what is seen"), ("model", "put to the language model")]),
    "what judges the assertions of a plan",
)
.or("seen");

/// ProgPrompt.
#[derive(Debug, Clone, Copy)]
pub(super) struct ProgPrompt {
    /// Whether assertions decide about their `else` lines.
    pub(super) heed: bool,
}

/// What a prompt for a plan is made of.
#[derive(Serialize)]
struct Material {
    actions: Vec<String>,
    objects: Vec<String>,
    function: String,
    task: String,
}

/// What a prompt to judge an assertion is made of.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    sight: Sight,
    assertion: String,
}

impl Method for ProgPrompt {
    fn info(&self) -> MethodInfo {
        let needs = Needs { world: &[Ability::Facts], world_without_model: &[Ability::Plans], ..Needs::NONE };
        if self.heed {
            MethodInfo {
                id: "progprompt",
                label: "ProgPrompt",
                description: "The model writes a whole plan with assertions; its lines are proposed one at a time, `else` lines \
                              where an assertion does not hold of what is seen. A new plan when one is finished.",
                options: &[JUDGING, TEMPERATURE, BELIEF],
                needs,
            }
        } else {
            MethodInfo {
                id: "progprompt-flat",
                label: "ProgPrompt, assertions ignored",
                description: "The model writes a whole plan; every action in it is proposed in turn, `else` lines too, as in the \
                              kitchen comparison. A new plan when one is finished.",
                options: &[TEMPERATURE, BELIEF],
                needs,
            }
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let origin = if cx.model.language { Origin::Greedy } else { Origin::Symbolic };
        let (anew, before) = match upcoming(cx, origin, |force| self.next_line(cx, force)) {
            Upcoming::Step(step) => return *step,
            Upcoming::Plan { anew, before } => (anew, before),
        };
        if let Some(step) = (!anew).then(|| useless(cx, before.as_ref(), problem)).flatten() {
            return step;
        }
        if !cx.model.language {
            return Step::ask(cx.own(AskKind::PLAN, SYMBOLIC, 1, Value::Null));
        }
        // Greedily written again it would come out the same.
        let temperature = if anew { cx.options().number(&TEMPERATURE).unwrap_or(AGAIN) } else { 0.0 };
        match plan_prompt(cx) {
            Ok(prompt) => Step::ask(cx.ask(AskKind::PLAN, prompt, 1, temperature)),
            Err(why) => Step::Stuck(why),
        }
    }

    /// A plan is no action, nor is what is said of an assertion: both are read again from their records.
    fn read(&self, _cx: &Context<'_>, _ask: &Ask, _answer: &Answer) -> Reading {
        Reading::Kept
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(match kind {
            AskKind::Judgement { .. } => Generation { max_tokens: JUDGE_TOKENS, ..next_action::one_line(raw) },
            _ => Generation {
                max_tokens: PLAN_TOKENS,
                stop: vec!["\ndef ".to_owned()],
                frequency_penalty: cx.model.frequency_penalty.unwrap_or(PLAN_PENALTY),
                ..Generation::default()
            },
        })
    }

    /// A plan without a language model: parts that ship with the program.
    fn compute(&self, known: &Known, _work: &Value, _stop: &Stop) -> Result<Answer, String> {
        if known.facts.is_none() {
            return Err(format!("the world {} tells no facts to plan on; choose another method", known.world.name));
        }
        Ok(Answer::texts([written_plan::compose(&known.goals)?]))
    }

    fn rows(&self, session: &Session) -> Vec<Section> {
        rows(session)
    }

    fn answers(&self, kind: &AskKind) -> bool {
        matches!(*kind, AskKind::PLAN | AskKind::PLAN_LINE | AskKind::Judgement { .. })
    }
}

impl ProgPrompt {
    /// The next line of the plan in force, or an ask whether an assertion holds. An `else` line, if `heed`, waits for its assertion;
    /// without, a sub-goal is not cut either.
    fn next_line(&self, cx: &Context<'_>, force: &InForce<'_>) -> Option<Result<NextLine, Step>> {
        let (names, facts) = (names(cx), cx.world.facts().unwrap_or_default());
        let plan = written_plan::read(force.text).plan;
        let place = |line: usize| plan.items.iter().position(|item| item.line == line);
        let executed: Vec<usize> = force.executed.iter().filter_map(|(line, _)| place(*line)).collect();
        let cut = if self.heed { written_plan::used_up(&plan, &executed) } else { None };
        let going = Going { last: force.last.and_then(place), obey: self.heed, cut };
        let turn = cx.node().map(|node| &node.turn);
        // What `else` lines do not wait for is not worth an ask.
        let by_model = self.heed && cx.options().is(&JUDGING, "model") && cx.model.language;
        let answer = |at: usize| judgement(turn?, force.ask, plan.items.get(at)?.line);
        let way = written_plan::advance(&plan, going, |at, assertion| match by_model {
            // Only what the model calls true is.
            true => answer(at).map(|text| written_plan::answered(text).unwrap_or_default()),
            false => Some(written_plan::value(assertion, &names, &facts)),
        });
        let asserted = |at: usize| match plan.items.get(at).map(|item| &item.kind) {
            Some(Kind::Assertion(assertion)) => Some(assertion.to_string()),
            _ => None,
        };
        if let Some(open) = way.open {
            let line = plan.items.get(open)?.line;
            return Some(Err(match assertion_prompt(cx, asserted(open)?) {
                Ok(prompt) => Step::ask(cx.ask(AskKind::Judgement { line }, prompt, 1, 0.0)),
                Err(why) => Step::Stuck(why),
            }));
        }
        let item = plan.items.get(way.next?)?;
        let command = item.command()?;
        let mut why = format!("sub-goal `{}`", item.subgoal);
        for (at, value) in &way.asserted {
            let Some(assertion) = asserted(*at) else { continue };
            why.push_str(&format!("; {assertion}: {value}"));
            if by_model {
                let unclear = answer(*at).is_some_and(|text| written_plan::answered(text).is_none());
                why.push_str(if unclear { " (the model said neither True nor False)" } else { " (said the model)" });
            }
        }
        if cut.is_some_and(|cut| item.number > cut) {
            why.push_str(&format!("; the sub-goal before it was cut after {} steps", written_plan::SUBGOAL_STEPS));
        }
        let action = written_plan::action(command, &names);
        Some(Ok(NextLine { line: item.line, text: command.to_string(), action, why }))
    }
}

fn assertion_prompt(cx: &Context<'_>, assertion: String) -> Result<PromptRecord, String> {
    let sight = Sight::of(&cx.world.facts().unwrap_or_default());
    let name = if cx.prompting.raw { "progprompt/assertion" } else { "progprompt/assertion_chat" };
    cx.prompting.render(name, &Judged { sight, assertion })
}

/// The things that a plan's names can stand for.
fn names(cx: &Context<'_>) -> Names {
    let all = cx.world.things().or_else(|| cx.world.facts().map(|f| f.things)).unwrap_or_default();
    Names::new(&cx.knowledge.goals, all)
}

fn plan_prompt(cx: &Context<'_>) -> Result<PromptRecord, String> {
    let mut objects: Vec<String> = Vec::new();
    for kind in cx.world.things().unwrap_or_default().iter().map(|thing| written_plan::kind_of(thing)) {
        if !objects.contains(&kind) {
            objects.push(kind);
        }
    }
    objects.sort();
    let actions = ACTIONS.map(str::to_owned).to_vec();
    let task = cx.session.header.sentence.clone();
    let material = Material { actions, objects, function: function_name(&task), task };
    let name = if cx.prompting.raw { "progprompt/plan" } else { "progprompt/plan_chat" };
    cx.prompting.render(name, &material)
}

/// The actions a written plan may name, with their parameters.
const ACTIONS: [&str; 16] = [
    "find <obj>",
    "walk <obj>",
    "grab <obj>",
    "putin <obj> <obj>",
    "open <obj>",
    "close <obj>",
    "switchon <obj>",
    "switchoff <obj>",
    "slice <obj>",
    "turnleft",
    "turnright",
    "turnaround",
    "lookup",
    "lookdown",
    "moveforward",
    "movebackward",
];

/// Why a plan has nothing to follow: the first thing that could not be read.
fn problem(text: &str) -> String {
    written_plan::read(text).problems.first().map(ToString::to_string).unwrap_or_default()
}

/// A sentence as the name of a function; ids are cut to their kinds.
fn function_name(sentence: &str) -> String {
    let words = sentence.split_whitespace().map(|word| {
        let word = word.split('|').next().unwrap_or(word).to_lowercase();
        word.chars().filter(|c| c.is_ascii_alphanumeric()).collect::<String>()
    });
    let words: Vec<String> = words.filter(|w| !w.is_empty()).collect();
    words.join("_")
}
