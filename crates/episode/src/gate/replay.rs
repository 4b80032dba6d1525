//! Replay. Takes the steps that followed a rewritten one again, in a new branch, as far as they go.

use std::collections::VecDeque;

use super::super::decision::{Actor, Choice};
use super::super::event::NodeId;
use super::super::proposal::{Action, ProposalId, Verdict};
use super::super::session::Session;
use super::{Draft, Gate, Level, Then, still_holds};
use stepwright_text::words::count;

/// A step of the old branch.
#[derive(Debug, Clone, PartialEq)]
struct Past {
    node: NodeId,
    action: Action,
    /// Whether it held when it was taken: accepted by the world, no check failing.
    held: bool,
    /// Whether it was selected from the blocking tree and blocked: it is selected again, not forced.
    blocked: bool,
}

/// The steps still to be replayed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replay {
    tail: VecDeque<Past>,
    done: usize,
    total: usize,
}

impl Replay {
    /// The events after `node` on its most recent path.
    pub(super) fn after(session: &Session, node: NodeId) -> Self {
        let mut tail = VecDeque::new();
        let mut at = session.node(node).and_then(|n| n.last_child);
        while let Some(next) = at.and_then(|id| session.node(id)) {
            if let Some(action) = &next.action {
                let held = next.outcome.error.is_none() && still_holds(session.verdict_at(next.id));
                let blocked = next.outcome.blocked.is_some();
                tail.push_back(Past { node: next.id, action: action.as_ref().clone(), held, blocked });
            }
            at = next.last_child;
        }
        Replay { done: 0, total: tail.len(), tail }
    }
}

impl Gate {
    /// Goes on with the replay after a step; ends it when nothing is left or the episode is over.
    pub(super) fn replay_next(&mut self) {
        let over = self.session.is_done();
        let next = self.replay.as_mut().and_then(|r| if over { None } else { r.tail.pop_front() });
        let Some(past) = next else {
            let Some(replay) = self.replay.take() else { return };
            let Replay { done, total, .. } = replay;
            let how = match (total, over && done < total) {
                (0, _) => "rewritten; no step followed it".to_owned(),
                (_, true) => {
                    format!("rewritten; {done} of {} replayed, then the episode was over", count(total, "later step"))
                }
                (1, _) => "rewritten; the later step replayed".to_owned(),
                _ => format!("rewritten; all {total} later steps replayed"),
            };
            self.say(Level::Info, how);
            self.settle();
            return;
        };
        if let Some(replay) = self.replay.as_mut() {
            replay.tail.push_front(past.clone());
        }
        let text = past.action.text.clone();
        let draft = Draft::by_person(&text, past.action);
        let id = self.propose(draft, None);
        self.check([id].into(), Then::Replay(id));
    }

    /// Takes the replayed step if it holds as it did, else stops and says where and why.
    pub(super) fn replay_checked(&mut self, id: ProposalId) {
        let Some(past) = self.replay.as_mut().and_then(|r| r.tail.pop_front()) else { return };
        let verdict = self.session.current().and_then(|n| n.turn.newest(id));
        if past.held && !still_holds(verdict) {
            let why: Vec<String> = verdict
                .into_iter()
                .flat_map(Verdict::failing)
                .map(|c| c.detail.as_ref().map_or_else(|| c.condition.clone(), |d| format!("{} ({d})", c.condition)))
                .collect();
            let (done, total) = self.replay.take().map_or((0, 0), |r| (r.done, r.total));
            self.say(
                Level::Warning,
                format!(
                    "replayed {done} of {}; stopped before `{}`, which fails {}",
                    count(total, "later step"),
                    past.action.text,
                    why.join(", ")
                ),
            );
            self.settle();
            return;
        }
        if let Some(replay) = self.replay.as_mut() {
            replay.done += 1;
        }
        let choice = if past.blocked { Choice::Approve { proposal: id } } else { Choice::Manual { proposal: id } };
        self.take(choice, Actor::Person, format!("replayed from node {}", past.node));
    }
}
