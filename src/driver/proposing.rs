//! Where proposals come from: completions read as program lines, and the symbolic proposer's ranking.

use super::task::Driver;
use crate::episode::gate::{Draft, Report};
use crate::episode::{Action, AskId, Origin};
use crate::method::reading::{Line, first_line, read_line};
use crate::model::Completion;
use crate::world::World;

/// Reads a completion as the next action.
pub(super) fn read_completion(completion: &Completion, greedy: bool, world: &dyn World) -> Draft {
    let raw = completion.text.clone();
    let (action, problem) = match read_line(first_line(&raw)) {
        Line::Not { reason, message } => (None, Some(format!("{reason}: {message}"))),
        Line::Call(call) => match world.text_of(&call) {
            Some(text) => (Some(Action { text, call: Some(call.to_string()) }), None),
            None => (None, Some(format!("NotAnAction: {call} is no action of this world"))),
        },
    };
    let origin = if greedy { Origin::Greedy } else { Origin::Sample };
    Draft { raw, action, problem, origin, score: None, logprob: completion.mean_logprob(), rationale: None }
}

/// What the symbolic proposer offers.
pub(super) struct Ranking {
    pub(super) ask: AskId,
    drafts: Vec<Draft>,
}

impl Ranking {
    /// As a report to the gate.
    pub(super) fn report(self, _world: &dyn World) -> Report {
        let texts = self.drafts.iter().map(|d| d.raw.clone()).collect();
        Report::Answered { ask: self.ask, texts, usage: None, ms: 0, drafts: self.drafts }
    }
}

/// The work of proposing, on copies of all it reads.
pub(super) fn prepare(ask: AskId, n: u32, driver: &Driver) -> impl FnOnce() -> Ranking + Send + 'static {
    let world = driver.points.world.fork();
    move || {
        let texts = world.admissible().unwrap_or_default();
        let drafts = texts.into_iter().take(n as usize).map(|text| {
            let call = world.call_of(&text).map(|c| c.to_string());
            let raw = call.clone().unwrap_or_else(|| text.clone());
            Draft { origin: Origin::Symbolic, ..Draft::by_person(&raw, Action { text, call }) }
        });
        Ranking { ask, drafts: drafts.collect() }
    }
}
