//! Plan following, shared by the methods that follow a plan: ProgPrompt, whose plan is written whole, and FF-Replan, whose plan a planner finds.
//!
//! Lines are offered one at a time; the person or the policy decides on each as on any proposal. Which plan is in force, and how far
//! it was carried out, is read from the records (`active_plan`), so that going back, branching and reopening need nothing else.

mod active_plan;

pub use active_plan::{ActivePlan, Taken, active_plan, is_line, judgement};

use super::{Answer, Context, Place, Reading, Section, SectionLine, Step, StepStatus};
use crate::artifacts::ArtifactSpec;
use crate::edited::origin_of_plan_line;
use serde_json::{Value, json};
use std::sync::Arc;
use stepwright_episode::gate::{Conduct, Draft};
use stepwright_episode::showing::Showing;
use stepwright_episode::{Actor, ArtifactId, Ask, AskKind, AskState, Origin, Proposal, Written};
use stepwright_text::words::count;

/// Plans as documents: `{"text": …, "ask": …}`, and `"node": …` where a person wrote it there. Their lines are decided about one by one.
pub static ARTIFACT: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    read: |at, _, text| {
        let (ask, node) = (at.session.next_ask().saturating_sub(1), at.session.cursor());
        Ok((json!({ "text": text, "ask": ask, "node": node }), None))
    },
    ..ArtifactSpec::new(
        "plan",
        Showing {
            patch: |_, patch, by| {
                let lines = patch.pointer("/0/value/text")?.as_str()?.lines().count();
                let whose = if by == Actor::Person { "written by a person" } else { "in force" };
                Some(format!("a plan of {} {whose}", count(lines, "line")))
            },
            ..Showing::new("plan")
        },
    )
};

/// Whose name is recorded with the lines of a plan.
const THE_PLAN: &str = "the plan";

pub struct NextLine {
    /// Its number, from 1.
    pub line: usize,
    pub text: String,
    pub action: String,
    pub why: String,
}

pub enum Upcoming<'a> {
    /// A step of the plan in force, or that its line is done with.
    Step(Box<Step>),
    /// A new plan is wanted, `again` where a person asks for another one. The plan before, if there is one.
    Plan {
        /// Whether a person wants another.
        again: bool,
        before: Option<ActivePlan<'a>>,
    },
}

/// The next step: the plan's next line by `next`, which gives `None` where the plan in force is of no use any more.
/// Lines are offered under `origin`, those that a person changed or added as that person's.
pub fn upcoming<'a>(
    cx: &Context<'a>,
    origin: Origin,
    next: impl FnOnce(&ActivePlan<'_>) -> Option<Result<NextLine, Box<Step>>>,
) -> Upcoming<'a> {
    let Some(round) = cx.round() else {
        return Upcoming::Step(Box::new(Step::Stuck("the episode has not begun".into())));
    };
    let again = cx.samples.is_some();
    if !again && round.has_asked(&AskKind::PLAN_LINE) {
        let found = round.proposals().find(|p| p.action.is_some()).map(|p| p.id);
        let why =
            if found.is_some() { "the plan's next line" } else { "the plan's next line is no action of this world" };
        return Upcoming::Step(Box::new(Step::Recommend { proposal: found, why: why.to_owned() }));
    }
    let force = cx.node().and_then(|here| cx.so_far(Taken::default()).active_plan(here)).filter(|_| !again);
    match force.as_ref().and_then(next) {
        Some(Ok(line)) => {
            let origin = match force.as_ref().is_some_and(|force| force.edited) {
                true => origin_of_plan_line(cx.session, line.line, origin),
                false => origin,
            };
            Upcoming::Step(Box::new(offer(cx, line, origin)))
        }
        Some(Err(step)) => Upcoming::Step(step),
        None => Upcoming::Plan { again, before: force },
    }
}

fn offer(cx: &Context<'_>, next: NextLine, origin: Origin) -> Step {
    let NextLine { line, text, action, why } = next;
    let (line, action) = (Some(line), Some(cx.action(&action)));
    let draft = Draft { line, action, rationale: Some(why), ..Draft::new(text, origin) };
    Step::Offer { ask: cx.own(AskKind::PLAN_LINE, THE_PLAN, 1, Value::Null), drafts: vec![draft], note: None }
}

/// An answer as the plan in force, whether it can be followed or not.
pub fn plan(ask: &Ask, answer: &Answer) -> Reading {
    plan_of(ask, answer, answer.first())
}

/// As [`plan`], where the plan is another text than the answer.
pub fn plan_of(ask: &Ask, answer: &Answer, text: &str) -> Reading {
    let raw = answer.first().to_owned();
    let value = Some(Arc::new(json!({ "text": text, "ask": ask.id })));
    let (artifact, title) = (ArtifactId::PLAN, "a plan".to_owned());
    Reading::Artifact(Box::new(Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem: None }))
}

/// That a plan made in this round has nothing to follow; `problem` says what is wrong with a plan's text. `None` where none was made.
pub fn useless(cx: &Context<'_>, before: Option<&ActivePlan<'_>>, problem: impl Fn(&str) -> String) -> Option<Step> {
    let made = cx.round()?.turn.asks.iter().any(|a| {
        let answered = matches!(a.state, AskState::Answered { .. });
        a.id >= cx.round && a.kind == AskKind::PLAN && answered
    });
    let problem = before.map(|force| problem(force.text)).filter(|p| !p.is_empty());
    made.then(|| Step::Recommend {
        proposal: None,
        why: match problem {
            Some(problem) => problem,
            None => "the new plan has no line to follow".to_owned(),
        },
    })
}

/// The plan in force at a node, with the status of its lines.
pub fn rows(at: &Place<'_>) -> Vec<Section> {
    let path = at.path();
    let Some(plan) = active_plan(&path) else { return Vec::new() };
    let turn = path.last().map(|n| &n.turn);
    let is_line = |p: &&Proposal| turn.is_some_and(|turn| active_plan::is_line(turn, p, plan.ask));
    let next = turn.and_then(|t| t.proposals.iter().rev().map(AsRef::as_ref).find(is_line)).and_then(|p| p.line);
    let lines = (1..).zip(plan.text.lines()).map(|(number, text)| {
        let fate = plan.executed.iter().rev().find(|(done, _)| *done == number).map(|(_, accepted)| *accepted);
        let mark = match fate {
            _ if next == Some(number) => StepStatus::Next,
            Some(true) => StepStatus::Done,
            Some(false) => StepStatus::Refused,
            None => StepStatus::Open,
        };
        SectionLine { text: text.to_owned(), mark }
    });
    let at = next.or(plan.last).unwrap_or(1).saturating_sub(1);
    vec![Section { title: "plan".to_owned(), made_at: plan.made_at, at, lines: lines.collect(), ..Section::default() }]
}
