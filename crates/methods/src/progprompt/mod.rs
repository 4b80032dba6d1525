//! ProgPrompt: the model writes a whole plan with assertions; its lines are proposed one at a time.
//!
//! The meaning of the lines is given by [`stepwright_method::written_plan`]. Where assertions are respected an `else` line runs only when
//! its assertion does not hold, and a sub-goal is cut after ten steps; the kitchen comparison let all lines run.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use stepwright_episode::{Ask, AskKind, Generation, Origin, PromptRecord, Shape};
use stepwright_method::context::WorkInput;
use stepwright_method::options::{BELIEF, BLOCKING, TEMPERATURE};
use stepwright_method::plan_following::{
    ActivePlan, NextLine, Taken, Upcoming, judgement, plan, plan_of, rows, upcoming, useless,
};
use stepwright_method::publications::SETTINGS;
use stepwright_method::skills::TIPS;
use stepwright_method::written_plan::{self, Command, Going, Item, Kind, Names, Sight, Vocabulary, function_name};
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Needs, Place, Reading, SYMBOLIC, Section, Step, Stop, one_line,
};
use stepwright_program::{Call, Role};
use stepwright_text::words::count;
use stepwright_world::Ability;

/// The purpose of the asks for plans.
const PLAN: &str = "plan";
/// Tokens a plan may have (ProgPrompt's limit).
const PLAN_TOKENS: u32 = 600;
/// Frequency penalty of a plan where none is configured (ProgPrompt's).
const PLAN_PENALTY: f64 = 0.15;
stepwright_world::option_specs! {
    FUNCTIONS: "functions", "Example functions", "example functions in a prompt for a plan", (whole 0 to 20) or "7";
}
/// Tokens that say whether an assertion holds (ProgPrompt's limit).
const JUDGE_TOKENS: u32 = 2;
/// Temperature of a plan that is written again, where none is set.
const AGAIN: f64 = 0.7;

stepwright_world::option_specs! {
    JUDGING: "judging", "Plans' assertions", "what judges the assertions of a plan", [
        "seen" = "judged by what is seen", "model" = "put to the language model"
    ] or "seen";
    /// The kitchen comparison's wrapper collected actions by a pattern, and asked on where it found none.
    PLANS: "plans", "Plans in answers", "which actions of a plan that a model wrote are carried out", [
        "lines" = "those that are lines", "published" = "all in its text; one without any is asked for again"
    ] or "lines";
}
/// Plans that are asked for at most where one without an action is asked for again, as published.
const MOST_PLANS: usize = 100;

#[derive(Debug, Clone, Copy)]
pub(super) struct ProgPrompt {
    /// Whether assertions decide about their `else` lines.
    pub(super) respect_assertions: bool,
}

#[derive(Serialize)]
struct Material {
    actions: Vec<String>,
    states: Vec<String>,
    examples: String,
    objects: Vec<String>,
    /// The types of the scene's things, as their ids write them.
    types: BTreeSet<String>,
    function: String,
    /// The task with its ids as a function's name.
    name: String,
    task: String,
}

/// The variables of the prompt to judge an assertion.
#[derive(Serialize)]
struct Judged {
    #[serde(flatten)]
    sight: Sight,
    assertion: String,
}

impl Method for ProgPrompt {
    fn info(&self) -> MethodInfo {
        let needs = Needs { world: &[Ability::Facts], world_without_model: &[Ability::Plans], ..Needs::NONE };
        if self.respect_assertions {
            MethodInfo {
                id: "progprompt",
                label: "ProgPrompt",
                description: "The model writes a whole plan with assertions; its lines are proposed one at a time, `else` lines \
                              where an assertion does not hold of what is seen. A new plan when one is finished.",
                options: &[SETTINGS, JUDGING, FUNCTIONS, TEMPERATURE, BELIEF, BLOCKING, TIPS],
                needs,
                plans: true,
                ..MethodInfo::BARE
            }
        } else {
            MethodInfo {
                id: "progprompt-flat",
                label: "ProgPrompt, assertions ignored",
                description: "The model writes a whole plan; every action in it is proposed in turn, `else` lines too, as in the \
                              kitchen comparison. A new plan when one is finished.",
                options: &[SETTINGS, PLANS, FUNCTIONS, TEMPERATURE, BELIEF, BLOCKING, TIPS],
                needs,
                plans: true,
                ..MethodInfo::BARE
            }
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        if cx.world.symbols().is_none() && cx.session.is_started() {
            return Step::Stuck(format!(
                "the world {} reports no facts to check assertions against; choose another method",
                cx.world.name()
            ));
        }
        let origin = if cx.model.language { Origin::Greedy } else { Origin::Symbolic };
        let (again, before) = match upcoming(cx, origin, |force| self.next_line(cx, force)) {
            Upcoming::Step(step) => return *step,
            Upcoming::Plan { again, before } => (again, before),
        };
        let asked = cx.path().iter().flat_map(|node| &node.turn.asks).filter(|ask| ask.kind == AskKind::PLAN).count();
        let asks_on = self.collects(cx) && asked < MOST_PLANS;
        if let Some(step) = (!again && !asks_on).then(|| useless(cx, before.as_ref(), problem)).flatten() {
            return step;
        }
        if !cx.model.language {
            return Step::ask(cx.own(AskKind::PLAN, SYMBOLIC, 1, Value::Null));
        }
        // Greedily written again it would come out the same.
        let temperature = if again { cx.options().number(&TEMPERATURE).unwrap_or(AGAIN) } else { 0.0 };
        match plan_prompt(cx) {
            Ok(prompt) => Step::ask(cx.ask(AskKind::PLAN, prompt, 1, temperature)),
            Err(why) => Step::Error(why),
        }
    }

    /// The judgement of an assertion is read again from its record.
    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        match ask.kind {
            AskKind::PLAN if self.collects(cx) => plan_of(ask, answer, &written_plan::one_a_line(answer.first())),
            AskKind::PLAN => titled(plan(ask, answer)),
            _ => Reading::Kept,
        }
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(match kind {
            AskKind::Judgement { .. } => Generation { max_tokens: JUDGE_TOKENS, ..one_line(raw) },
            _ => cx.generation(
                PLAN,
                Generation {
                    max_tokens: PLAN_TOKENS,
                    stop: vec!["\ndef ".to_owned()],
                    frequency_penalty: cx.model.frequency_penalty.unwrap_or(PLAN_PENALTY),
                    ..Generation::default()
                },
            ),
        })
    }

    /// A plan without a language model: parts that ship with the program.
    fn compute(&self, known: &WorkInput, _work: &Value, _stop: &Stop) -> Result<Answer, String> {
        if known.facts.is_none() {
            return Err(format!("the world {} reports no facts to plan on; choose another method", known.world.name));
        }
        Ok(Answer::texts([written_plan::compose(&known.goals, &Vocabulary::shipped(known.world))?]))
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        rows(at)
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Taken::default())
    }
}

impl ProgPrompt {
    /// Whether the actions of a model's plan are collected by the pattern.
    fn collects(self, cx: &Context<'_>) -> bool {
        !self.respect_assertions && cx.model.language && cx.options().is(&PLANS, "published")
    }

    /// The next line of the plan in force, or an ask whether an assertion holds. An `else` line, if assertions are respected, waits for
    /// its assertion; without, a sub-goal is not cut either.
    fn next_line(&self, cx: &Context<'_>, force: &ActivePlan<'_>) -> Option<Result<NextLine, Box<Step>>> {
        let (names, facts, vocabulary) = (names(cx), cx.world.facts().unwrap_or_default(), vocabulary(cx));
        let reading = written_plan::read(force.text);
        let plan = &reading.plan;
        let place = |line: usize| plan.items.iter().position(|item| item.line == line);
        let mut executed: Vec<usize> = force.executed.iter().filter_map(|(line, _)| place(*line)).collect();
        // A line that searches is carried out step by step.
        executed.dedup();
        let cut = if self.respect_assertions { written_plan::used_up(plan, &executed) } else { None };
        let turn = cx.node().map(|node| &node.turn);
        // What `else` lines do not wait for is not worth an ask.
        let by_model = self.respect_assertions && cx.options().is(&JUDGING, "model") && cx.model.language;
        let answer = |at: usize| judgement(turn?, force.ask, plan.items.get(at)?.line);
        let asserted = |at: usize| match plan.items.get(at).map(|item| &item.kind) {
            Some(Kind::Assertion(assertion)) => Some(assertion.to_string()),
            _ => None,
        };
        let mut last = force.last.and_then(place);
        let mut passed: Vec<(usize, bool)> = Vec::new();
        let (at, action) = match last
            .filter(|_| !force.passed)
            .and_then(|at| Some((at, search(cx, &vocabulary, plan.items.get(at)?)?)))
        {
            // One refused is not tried again.
            Some((at, Some(action))) if cx.node()?.action.as_ref().is_none_or(|a| a.text != action) => (at, action),
            _ => loop {
                let going = Going { last, respect_assertions: self.respect_assertions, cut };
                let way = written_plan::advance(plan, going, |at, assertion| match by_model {
                    // Only what the model calls true is.
                    true => answer(at).map(|text| written_plan::answered(text).unwrap_or_default()),
                    false => Some(written_plan::value(assertion, &names, &vocabulary, &facts)),
                });
                if let Some(open) = way.open {
                    let line = plan.items.get(open)?.line;
                    return Some(Err(Box::new(match assertion_prompt(cx, &vocabulary, asserted(open)?) {
                        Ok(prompt) => Step::ask(cx.ask(AskKind::Judgement { line }, prompt, 1, 0.0)),
                        Err(why) => Step::Error(why),
                    })));
                }
                passed.extend(way.asserted);
                let at = way.next?;
                match search(cx, &vocabulary, plan.items.get(at)?) {
                    Some(Some(action)) => break (at, action),
                    // What it looks for is near.
                    Some(None) => last = Some(at),
                    None => break (at, action(cx, &vocabulary, &names, plan.items.get(at)?.command()?)),
                }
            },
        };
        let item = plan.items.get(at)?;
        let mut why = format!("sub-goal `{}`", item.subgoal);
        for problem in passed_over(&reading, force.last.unwrap_or_default(), at) {
            why.push_str(&format!("; passed over: {problem}"));
        }
        for (at, value) in &passed {
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
        Some(Ok(NextLine { line: item.line, text: item.command()?.to_string(), action, why }))
    }
}

fn vocabulary(cx: &Context<'_>) -> Vocabulary {
    Vocabulary::of(cx.world.kind(), cx.program.specification())
}

/// The next action of a line that searches: `None` for a line that does not, and in it where nothing is left to look for.
fn search(cx: &Context<'_>, vocabulary: &Vocabulary, item: &Item) -> Option<Option<String>> {
    let command = item.command().filter(|command| vocabulary.is_search(&command.action))?;
    Some(cx.world.symbols()?.search(command.args.first()?))
}

/// The action of the world that a command stands for; where no admissible one is meant, what the world will refuse.
fn action(cx: &Context<'_>, vocabulary: &Vocabulary, names: &Names, command: &Command) -> String {
    if vocabulary.binds_scene() {
        return written_plan::action(command, names, vocabulary);
    }
    let function = vocabulary.function(&command.action);
    let found = written_plan::admissible(command, vocabulary, cx.world);
    let of = cx.program.specification().functions().iter().find(|f| f.role == Role::Action && f.name == function);
    let things = || command.args.iter().map(|name| names.bind(name).unwrap_or(name));
    found
        .or_else(|| cx.world.text_of(&Call::new(&of?.receiver, function, things())))
        .unwrap_or_else(|| written_plan::action(command, names, vocabulary))
}

fn assertion_prompt(cx: &Context<'_>, vocabulary: &Vocabulary, assertion: String) -> Result<PromptRecord, String> {
    let sight = Sight::of(&cx.world.facts().unwrap_or_default(), vocabulary);
    let name = if cx.prompting.raw { "progprompt/assertion" } else { "progprompt/assertion_chat" };
    cx.prompting.render(name, &Judged { sight, assertion })
}

/// The things that a plan's names can stand for: those of the scene where they are known beforehand, else those seen.
fn names(cx: &Context<'_>) -> Names {
    let all = cx
        .world
        .symbols()
        .and_then(|symbols| symbols.things())
        .or_else(|| cx.world.facts().map(|f| f.things))
        .unwrap_or_default();
    Names::new(&cx.knowledge.goals, all)
}

fn plan_prompt(cx: &Context<'_>) -> Result<PromptRecord, String> {
    let (names, vocabulary) = (names(cx), vocabulary(cx));
    // Goals may be over kinds of things of which none was seen yet.
    let wanted = names.goal.iter().filter(|name| !vocabulary.is_agent(name));
    let objects: BTreeSet<String> = names.all.iter().chain(wanted).map(|thing| written_plan::kind_of(thing)).collect();
    let is_number = |c: char| c == '_' || c.is_ascii_digit();
    let types =
        names.all.iter().map(|thing| written_plan::type_of(thing).trim_end_matches(is_number).to_owned()).collect();
    let task = cx.session.header.sentence.clone();
    let material = Material {
        examples: vocabulary
            .examples(&cx.knowledge.demonstrations, cx.options().count(&FUNCTIONS) as usize)
            .join("\n\n"),
        states: vocabulary.states.clone(),
        actions: vocabulary.actions,
        objects: objects.into_iter().collect(),
        types,
        function: function_name(&task),
        name: task.replace(' ', "_"),
        task,
    };
    cx.render(PLAN, "progprompt/plan", &material)
}

/// A plan whose title says how many lines cannot be read, and are passed over when it is followed: that mends nothing.
fn titled(reading: Reading) -> Reading {
    match reading {
        Reading::Artifact(mut written) => {
            written.title.push_str(&unread(&written_plan::read(&written.raw).problems));
            Reading::Artifact(written)
        }
        other => other,
    }
}

/// How many lines are passed over, each of which is named beside the action that follows it; empty where there are none.
fn unread(problems: &[written_plan::Problem]) -> String {
    match problems.len() {
        0 => String::new(),
        lines => format!(", {} passed over", count(lines, "line")),
    }
}

/// What cannot be read between the line that was offered before and the item offered next; beside the last that can be offered, what
/// stands behind it too.
fn passed_over(reading: &written_plan::Reading, before: usize, at: usize) -> Vec<&written_plan::Problem> {
    let mut rest = reading.plan.items.iter().skip(at);
    let next = rest.next().map_or(0, |item| item.line);
    let until = if rest.all(|item| item.command().is_none()) { usize::MAX } else { next };
    reading.problems.iter().filter(|problem| (before + 1..until).contains(&problem.line)).collect()
}

/// Why a plan has nothing to follow: the first thing that could not be read.
fn problem(text: &str) -> String {
    let first = written_plan::read(text).problems.into_iter().next();
    first.map(|problem| format!("the new plan has no line to follow ({problem})")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_at_the_end_of_a_plan_are_named_beside_its_last_action() {
        let text = "def a():\n    find('mug')\n    gibberish one\n    grab('mug')\n    gibberish two\n    # rest\n    gibberish three";
        let reading = written_plan::read(text);
        let lines = |before, at| {
            let passed = passed_over(&reading, before, at);
            passed.into_iter().map(|problem| problem.line).collect::<Vec<_>>()
        };
        assert_eq!((lines(0, 0), lines(2, 1)), (vec![], vec![3, 5, 7]));
        assert_eq!(unread(&reading.problems), ", 3 lines passed over");
        assert_eq!(unread(&reading.problems[..1]), ", 1 line passed over");
        assert_eq!(unread(&[]), "");
    }
}
