//! Methods that follow a plan: asking for one, making one without a language model, and offering its next line.
//!
//! What is in force is read from the session ([`crate::method::following`]); the lines' meaning belongs to the planners. A plan and
//! each line offered are answers to asks like any other, so that the session tells all of it.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use serde::Serialize;

use super::prompting::Form;
use super::setup::Source;
use super::task::Driver;
use super::{SYMBOLIC, proposing};
use crate::episode::AskKind;
use crate::episode::gate::{Advice, AskSpec, Draft, Report};
use crate::episode::{Action, AskId, AskState, Origin, PromptRecord};
use crate::method::Judging;
use crate::method::following::{InForce, Planning, in_force, judgement, offered};
use crate::planner::classical::{Known, Limits, NoPlan, PlanningTask};
use crate::planner::household::belief::Belief;
use crate::planner::progprompt::{self, Going, Kind, Names, Sight};
use crate::program::Call;
use crate::world::Facts;

/// Whose name stands beside plans of the classical planner.
const PLANNER: &str = "planner";
/// Whose name stands beside the lines of a plan in force.
const THE_PLAN: &str = "the plan";

/// The next line of a plan: its number and text, the world's action, and why it is next.
struct NextLine {
    line: usize,
    text: String,
    action: String,
    why: String,
}

/// What comes next in a plan that has not ended.
enum Upcoming {
    /// A line.
    Line(NextLine),
    /// An assertion that the model has to judge: its line's number, and what it asserts.
    Judge(usize, String),
}

/// A plan that was made without a language model.
pub(super) struct Made {
    ask: AskId,
    plan: Result<String, String>,
    ms: u64,
}

impl Made {
    /// As a report to the gate.
    pub(super) fn report(self) -> (AskId, Report) {
        let Made { ask, plan, ms } = self;
        let report = match plan {
            Ok(plan) => Report::Answered { ask, texts: vec![plan], usage: None, ms, drafts: Vec::new() },
            Err(error) => Report::AskFailed { ask, error },
        };
        (ask, report)
    }
}

/// What a prompt for a plan is made of.
#[derive(Serialize)]
struct Context {
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

impl Driver {
    /// What a method that follows a plan wants asked. `anew`: a person wants another plan.
    pub(super) fn follow(&mut self, planning: Planning, round: AskId, anew: bool) -> Advice {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let force = in_force(&path).filter(|_| !anew);
        let usable = match (&force, planning) {
            // A person's own step is part of a written plan's world; a searched plan was made for another.
            (Some(force), Planning::Searched { .. }) if force.refused || force.strayed => None,
            (Some(force), _) => self.upcoming(planning, force),
            (None, _) => None,
        };
        let spec = |kind: AskKind, model: &str, prompt, temperature| {
            Advice::Ask(AskSpec { kind, model: model.into(), prompt, n: 1, temperature })
        };
        match usable {
            Some(Upcoming::Line(_)) => return spec(AskKind::PLAN_LINE, THE_PLAN, None, 0.0),
            Some(Upcoming::Judge(line, assertion)) => {
                return match self.assertion_prompt(assertion) {
                    Ok(prompt) => spec(AskKind::Judgement { line }, &self.source.name(), Some(prompt), 0.0),
                    Err(why) => Advice::Stuck(why),
                };
            }
            None => {}
        }
        let made = session.current().is_some_and(|node| {
            let answered = |s: &AskState| matches!(s, AskState::Answered { .. });
            node.turn.asks.iter().any(|a| a.id >= round && a.kind == AskKind::PLAN && answered(&a.state))
        });
        if made && !anew {
            let why = match force.map(|f| problems(f.text)) {
                Some(first) if !first.is_empty() => format!("the new plan has no line to follow ({first})"),
                _ => "the new plan has no line to follow".to_owned(),
            };
            return Advice::Recommend { proposal: None, why };
        }
        match (&self.source, planning) {
            (_, Planning::Searched { .. }) => spec(AskKind::PLAN, PLANNER, None, 0.0),
            (Source::Symbolic, Planning::Written { .. }) => spec(AskKind::PLAN, SYMBOLIC, None, 0.0),
            (Source::Language { .. }, Planning::Written { .. }) => {
                let temperature = if anew { self.method.temperature() } else { 0.0 };
                match self.plan_prompt() {
                    Ok(prompt) => spec(AskKind::PLAN, &self.source.name(), Some(prompt), temperature),
                    Err(why) => Advice::Stuck(why),
                }
            }
        }
    }

    /// The next line of the plan in force, as a proposal.
    pub(super) fn offer_line(&self, ask: AskId) -> Report {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let line = match (self.method.planning(), in_force(&path)) {
            (Some(planning), Some(force)) => self.upcoming(planning, &force),
            _ => None,
        };
        let Some(Upcoming::Line(line)) = line else {
            return Report::AskFailed { ask, error: "there is no plan to follow any more; ask again".to_owned() };
        };
        let written = matches!(self.method.planning(), Some(Planning::Written { .. }));
        let by_model = written && matches!(self.source, Source::Language { .. });
        let origin = if by_model { Origin::Greedy } else { Origin::Symbolic };
        let raw = offered(line.line, &line.text);
        let call = self.points.world.call_of(&line.action).map(|c| c.to_string());
        let draft = Draft {
            raw: raw.clone(),
            action: Some(Action { text: line.action, call }),
            problem: None,
            origin,
            score: None,
            logprob: None,
            rationale: Some(line.why),
        };
        Report::Answered { ask, texts: vec![raw], usage: None, ms: 0, drafts: vec![draft] }
    }

    fn upcoming(&self, planning: Planning, force: &InForce<'_>) -> Option<Upcoming> {
        match planning {
            Planning::Searched { .. } => {
                let number = force.last.map_or(1, |l| l + 1);
                let text = force.text.lines().nth(number - 1).filter(|l| !l.starts_with(REMARK))?.to_owned();
                let left = force.text.lines().count() - number;
                let why = match left {
                    0 => "the last step of the plan".to_owned(),
                    1 => "1 step of the plan is left after it".to_owned(),
                    n => format!("{n} steps of the plan are left after it"),
                };
                // A world whose facts are program calls plans in calls.
                let action = text.parse::<Call>().ok().and_then(|call| self.points.world.text_of(&call));
                let action = action.unwrap_or_else(|| text.clone());
                Some(Upcoming::Line(NextLine { line: number, action, text, why }))
            }
            Planning::Written { heed } => self.written_line(heed, force),
        }
    }

    /// The next line of a written plan. An `else` line, if `heed`, waits for its assertion; without, a sub-goal is not cut either.
    fn written_line(&self, heed: bool, force: &InForce<'_>) -> Option<Upcoming> {
        let (names, facts) = (self.names(), self.points.world.facts().unwrap_or_default());
        let plan = progprompt::read(force.text).plan;
        let place = |line: usize| plan.items.iter().position(|item| item.line == line);
        let executed: Vec<usize> = force.executed.iter().filter_map(|(line, _)| place(*line)).collect();
        let cut = if heed { progprompt::used_up(&plan, &executed) } else { None };
        let going = Going { last: force.last.and_then(place), obey: heed, cut };
        let turn = self.gate.session().current().map(|node| &node.turn);
        // What `else` lines do not wait for is not worth an ask.
        let by_model = heed && self.judged_by_model();
        let answer = |at: usize| judgement(turn?, force.ask, plan.items.get(at)?.line);
        let way = progprompt::advance(&plan, going, |at, assertion| match by_model {
            // Only what the model calls true is.
            true => answer(at).map(|text| progprompt::answered(text).unwrap_or_default()),
            false => Some(progprompt::value(assertion, &names, &facts)),
        });
        let asserted = |at: usize| match plan.items.get(at).map(|item| &item.kind) {
            Some(Kind::Assertion(assertion)) => Some(assertion.to_string()),
            _ => None,
        };
        if let Some(open) = way.open {
            return Some(Upcoming::Judge(plan.items.get(open)?.line, asserted(open)?));
        }
        let item = plan.items.get(way.next?)?;
        let command = item.command()?;
        let mut why = format!("sub-goal `{}`", item.subgoal);
        for (at, value) in &way.asserted {
            let Some(assertion) = asserted(*at) else { continue };
            why.push_str(&format!("; {assertion}: {value}"));
            if by_model {
                let unclear = answer(*at).is_some_and(|text| progprompt::answered(text).is_none());
                why.push_str(if unclear { " (the model said neither True nor False)" } else { " (said the model)" });
            }
        }
        if cut.is_some_and(|cut| item.number > cut) {
            why.push_str(&format!("; the sub-goal before it was cut after {} steps", progprompt::SUBGOAL_STEPS));
        }
        let action = progprompt::action(command, &names);
        Some(Upcoming::Line(NextLine { line: item.line, text: command.to_string(), action, why }))
    }

    /// Whether a language model judges a plan's assertions.
    fn judged_by_model(&self) -> bool {
        self.prompting.options.judging == Judging::Model && matches!(self.source, Source::Language { .. })
    }

    fn assertion_prompt(&self, assertion: String) -> Result<PromptRecord, String> {
        let sight = Sight::of(&self.points.world.facts().unwrap_or_default());
        let name = if self.prompting.raw { "progprompt/assertion" } else { "progprompt/assertion_chat" };
        self.prompting.render(name, &Judged { sight, assertion })
    }

    /// The things that a plan's names can stand for.
    fn names(&self) -> Names {
        let world = self.points.world.as_ref();
        let all = world.things().or_else(|| world.facts().map(|f| f.things)).unwrap_or_default();
        Names::new(&self.goals, all)
    }

    fn plan_prompt(&self) -> Result<PromptRecord, String> {
        let world = self.points.world.as_ref();
        let mut objects: Vec<String> = Vec::new();
        for kind in world.things().unwrap_or_default().iter().map(|thing| progprompt::kind_of(thing)) {
            if !objects.contains(&kind) {
                objects.push(kind);
            }
        }
        objects.sort();
        let actions = ACTIONS.map(str::to_owned).to_vec();
        let task = self.gate.session().header.sentence.clone();
        let context = Context { actions, objects, function: function_name(&task), task };
        let form = if self.prompting.raw { Form::Raw } else { Form::Chat };
        let name = if form == Form::Raw { "progprompt/plan" } else { "progprompt/plan_chat" };
        self.prompting.render(name, &context)
    }

    /// The work of making a plan without a language model, on what can be told at the cursor.
    pub(super) fn plan_maker(&self, ask: AskId, go_on: Arc<AtomicBool>) -> impl FnOnce() -> Made + Send + 'static {
        let session = self.gate.session();
        let world = self.points.world.as_ref();
        let (planning, name) = (self.method.planning(), world.name());
        let (task, sentence) = (session.header.task.clone(), session.header.sentence.clone());
        let (facts, goals) = (world.facts(), world.goals().unwrap_or_default());
        let history: Vec<_> = session.path(session.cursor()).into_iter().map(proposing::observed).collect();
        move || {
            let started = Instant::now();
            let told =
                facts.ok_or_else(|| format!("the world {name} tells no facts to plan on; choose another method"));
            let plan = match planning {
                Some(Planning::Written { .. }) => told.and_then(|_| progprompt::compose(&goals)),
                Some(Planning::Searched { limited }) => {
                    let known = if limited { Known::Nothing } else { Known::InRoom };
                    let problem = if name == crate::world::household::KIND.name {
                        PlanningTask::household(&task, &sentence, &Belief::of(&history), known)
                    } else {
                        told.and_then(|facts: Facts| PlanningTask::kitchen(&task, &facts, &goals, known))
                    };
                    problem.and_then(|problem| search(&problem, go_on))
                }
                None => Err("this method follows no plan".to_owned()),
            };
            Made { ask, plan, ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX) }
        }
    }
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

/// A searched plan's text: an action a line, or a remark why there is none.
fn search(problem: &PlanningTask, go_on: Arc<AtomicBool>) -> Result<String, String> {
    let steps = match problem.plan(&Limits { go_on, ..Limits::default() }) {
        Ok(steps) => steps,
        // That there is none is an answer; it stands where a plan would.
        Err(none @ NoPlan::Nothing(_)) => return Ok(format!("{REMARK} {none}")),
        Err(failed) => return Err(failed.to_string()),
    };
    let actions = problem.actions(&steps);
    Ok(match (steps.is_empty(), actions.is_empty()) {
        (true, _) => format!("{REMARK} the goals hold already, as far as can be told"),
        (_, true) => format!("{REMARK} the plan's first step is about a thing that was not seen yet"),
        _ => actions.join("\n"),
    })
}

/// What a searched plan has in place of steps begins with this.
const REMARK: &str = ";";

/// Why a plan has nothing to follow: the planner's remark, or the first thing that could not be read.
fn problems(text: &str) -> String {
    if let Some(remark) = text.strip_prefix(REMARK) {
        return remark.trim().to_owned();
    }
    progprompt::read(text).problems.first().map(ToString::to_string).unwrap_or_default()
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
