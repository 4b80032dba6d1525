//! FF-Replan: a classical planner plans on what is seen; a new plan after a refused step, after a step that is not the plan's, or
//! at the plan's end. No language model.

use serde_json::{Value, json};

use stepwright_episode::{Ask, AskKind, AskState, Node, Origin};
use stepwright_method::context::WorkInput;
use stepwright_method::options::{BELIEF, BLOCKING};
use stepwright_method::plan_following::{ActivePlan, NextLine, Taken, Upcoming, plan, rows, upcoming, useless};
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Needs, Place, Reading, Section, Step, Stop,
};
use stepwright_program::Call;
use stepwright_world::Ability;
use stepwright_world::planner::classical::{Limits, NoPlan, PlanningTask};

/// Whose name is recorded with the plans.
const PLANNER: &str = "planner";

/// The beginning of the remark that stands in place of steps where there is no plan.
const REMARK: &str = ";";

/// Beside a plan the planner gives a JSON object: under this name how many ground actions the planner chose among.
const CONSIDERED: &str = "ground_actions";

/// How many actions planners chose among on a path, on average over their plans; `None` where none was asked, or an earlier version did
/// not record it.
fn considered(path: &[&Node]) -> Option<f64> {
    let asks = path.iter().flat_map(|node| &node.turn.asks).filter(|ask| ask.kind == AskKind::PLAN);
    let counts: Vec<f64> = asks
        .filter_map(|ask| match &ask.state {
            AskState::Answered { texts, .. } => serde_json::from_str::<Value>(texts.get(1)?).ok()?[CONSIDERED].as_f64(),
            _ => None,
        })
        .collect();
    (!counts.is_empty()).then(|| counts.iter().sum::<f64>() / counts.len() as f64)
}

#[derive(Debug, Clone, Copy)]
pub(super) struct FfReplan {
    /// Whether nothing is known of things out of sight.
    pub(super) limited: bool,
}

impl Method for FfReplan {
    fn info(&self) -> MethodInfo {
        let needs = Needs { world: &[Ability::Planning], ..Needs::NONE };
        if self.limited {
            MethodInfo {
                id: "ff-replan-limited",
                label: "FF-Replan, limited",
                description: "As FF-Replan, but the planner does not know that things out of sight are in the room. No language model.",
                options: &[BELIEF, BLOCKING],
                needs,
                plans: true,
                ..MethodInfo::BARE
            }
        } else {
            MethodInfo {
                id: "ff-replan",
                label: "FF-Replan",
                description: "A classical planner plans on what is seen, taking for granted that goal things are in the room; a new \
                              plan after a refused step or at the plan's end. No language model.",
                options: &[BELIEF, BLOCKING],
                needs,
                plans: true,
                ..MethodInfo::BARE
            }
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let before = match upcoming(cx, Origin::Symbolic, |force| next_line(cx, force).map(Ok)) {
            Upcoming::Step(step) => return *step,
            Upcoming::Plan { again, before } => before.filter(|_| !again),
        };
        let why = |plan: &str| self.why_not(cx, plan);
        if let Some(step) = cx.samples.is_none().then(|| useless(cx, before.as_ref(), why)).flatten() {
            return step;
        }
        Step::ask(cx.own(AskKind::PLAN, PLANNER, 1, Value::Null))
    }

    fn read(&self, _cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        plan(ask, answer)
    }

    fn compute(&self, known: &WorkInput, _work: &Value, stop: &Stop) -> Result<Answer, String> {
        let problem = if self.limited { &known.limited } else { &known.problem };
        let Some(problem) = problem else {
            return Err(format!("the world {} has no planning domain; choose another method", known.world.name));
        };
        let problem = problem.as_ref().map_err(Clone::clone)?;
        let mut considered = 0;
        let plan = search(problem, stop, &mut considered)?;
        Ok(Answer::texts([plan, json!({ CONSIDERED: considered }).to_string()]))
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        let mut sections = rows(at);
        if let (Some(plan), Some(considered)) = (sections.first_mut(), considered(&at.path())) {
            plan.figures.push((CONSIDERED, considered));
        }
        sections
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Taken::default())
    }
}

/// The next line of the plan in force. A plan is of no use after a step that was refused or not its own: it was made for another
/// world.
fn next_line(cx: &Context<'_>, force: &ActivePlan<'_>) -> Option<NextLine> {
    if force.refused || force.strayed {
        return None;
    }
    let line = force.last.map_or(1, |l| l + 1);
    let text = force.text.lines().nth(line - 1).filter(|l| !l.starts_with(REMARK))?.to_owned();
    let action = action(cx, &text);
    if line == 1 && was_refused(cx, &action) {
        return None;
    }
    let why = match force.text.lines().count() - line {
        0 => "the last step of the plan".to_owned(),
        1 => "1 step of the plan is left after it".to_owned(),
        n => format!("{n} steps of the plan are left after it"),
    };
    Some(NextLine { line, action, text, why })
}

/// A line as the world's action: a world whose facts are program calls plans in calls.
fn action(cx: &Context<'_>, line: &str) -> String {
    line.parse::<Call>().ok().and_then(|call| cx.world.text_of(&call)).unwrap_or_else(|| line.to_owned())
}

/// Whether an action was refused since something last changed. The planner does not learn from a refusal, so it would be so again.
fn was_refused(cx: &Context<'_>, action: &str) -> bool {
    let path = cx.path();
    let unchanged = path.iter().rev().take_while(|node| node.outcome.error.is_some() && node.outcome.calls.is_empty());
    unchanged.into_iter().any(|node| node.action.as_ref().is_some_and(|a| a.text == action))
}

/// A plan's text: an action a line, or a remark why there is none.
fn search(problem: &PlanningTask, stop: &Stop, considered: &mut usize) -> Result<String, String> {
    let limits = Limits { keep_running: stop.keep_running(), ..Limits::default() };
    let steps = match problem.plan_counting(&limits, considered) {
        Ok(steps) => steps,
        // That there is no plan is an answer too, kept in the plan's place.
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

impl FfReplan {
    /// Why a plan that was made is not followed.
    fn why_not(&self, cx: &Context<'_>, plan: &str) -> String {
        let first = plan.lines().next().unwrap_or_default();
        match plan.strip_prefix(REMARK) {
            Some(remark) if self.limited => format!("{}; nothing is known of what is out of sight", remark.trim()),
            Some(remark) => remark.trim().to_owned(),
            None if was_refused(cx, &action(cx, first)) => {
                format!("the new plan begins with `{first}`, which was just refused; nothing has changed since")
            }
            None => String::new(),
        }
    }
}
