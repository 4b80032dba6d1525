//! Replay. Takes the steps that followed a rewritten one again, in a new branch, as far as they go.

use std::collections::VecDeque;

use super::super::decision::{Actor, Choice};
use super::super::event::{Event, NodeId};
use super::super::proposal::{Action, Proposal, Verdict};
use super::super::session::{Node, Session};
use super::{Draft, Effect, Gate, Level, Phase, quoted, still_holds};
use stepwright_text::words::count;

/// A step of the old branch.
#[derive(Debug, Clone, PartialEq)]
struct Past {
    /// Which step of the old branch.
    step: u32,
    /// The action as it was performed, from where its proposal was.
    draft: Draft,
    action: Action,
    /// Whether it held when it was taken: accepted by the world, no check failing.
    held: bool,
    /// Whether it was selected from the blocking tree and blocked: it is selected again, not forced.
    blocked: bool,
    /// Whether a person gave the action, which is performed whatever the blocking tree says.
    given: bool,
}

impl Past {
    fn of(session: &Session, node: &Node) -> Option<Self> {
        let action = node.action.as_ref()?.as_ref().clone();
        let decision = session.decision_at(node.id)?;
        let proposal = session.node(node.parent?)?.turn.proposal(decision.proposal())?;
        // A program's result is performed in its place.
        let as_offered = proposal.action.as_ref() == Some(&action);
        let raw = if as_offered { proposal.raw.clone() } else { action.text.clone() };
        let rationale = proposal.rationale.clone().filter(|_| as_offered);
        Some(Past {
            step: node.depth,
            draft: Draft { action: Some(action.clone()), rationale, ..Draft::new(raw, proposal.origin) },
            action,
            held: node.outcome.error.is_none() && still_holds(session.verdict_at(node.id)),
            blocked: node.outcome.blocked.is_some(),
            given: !matches!(decision.choice, Choice::Approve { .. }),
        })
    }
}

/// The steps still to be replayed.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Replay {
    tail: VecDeque<Past>,
    done: usize,
    total: usize,
}

impl Replay {
    /// The steps after `node`, as redo would go.
    pub(super) fn after(session: &Session, node: NodeId) -> Self {
        let mut tail = VecDeque::new();
        let mut at = session.node(node).and_then(|n| session.next(n));
        while let Some(next) = at.and_then(|id| session.node(id)) {
            tail.extend(Past::of(session, next));
            at = session.next(next);
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
        let proposal = past.draft.clone().numbered(self.session.next_proposal(), None);
        if let Some(replay) = self.replay.as_mut() {
            replay.tail.push_front(past);
        }
        self.out.push(Effect::CheckProposal(proposal.clone()));
        self.phase = Phase::Replaying(proposal);
    }

    /// Takes the replayed step if it holds as it did, else stops and says where and why. It is offered only where it is taken: what a stopped
    /// replay leaves out nobody has proposed there.
    pub(super) fn replay_checked(&mut self, proposal: Proposal, verdict: Verdict) {
        let Some(past) = self.replay.as_mut().and_then(|r| r.tail.pop_front()) else { return };
        if past.held && !still_holds(Some(&verdict)) {
            let why: Vec<String> = verdict
                .failing()
                .map(|c| c.detail.as_ref().map_or_else(|| c.condition.clone(), |d| format!("{} ({d})", c.condition)))
                .collect();
            let (done, total) = self.replay.take().map_or((0, 0), |r| (r.done, r.total));
            self.say(
                Level::Warning,
                format!(
                    "replayed {done} of {}; stopped before {}, which fails {}",
                    count(total, "later step"),
                    quoted(&past.action),
                    why.join(", ")
                ),
            );
            self.settle();
            return;
        }
        if let Some(replay) = self.replay.as_mut() {
            replay.done += 1;
        }
        // What was performed before is performed again, also where a condition blocks it now.
        let forced = !past.blocked && (past.given || verdict.is_blocked());
        let id = proposal.id;
        self.record(Event::Proposed { proposal: proposal.into() });
        self.record(Event::Checked { proposal: id, verdict: verdict.into() });
        let choice = if forced { Choice::Manual { proposal: id } } else { Choice::Approve { proposal: id } };
        self.take(choice, Actor::Person, format!("replayed from step {}", past.step));
    }
}
