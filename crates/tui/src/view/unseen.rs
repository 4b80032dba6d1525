//! Blind sessions in the view: what must not be seen before a decision is kept beside what is shown, and put in its place once the decision
//! is taken. Panes read the view as ever; nothing hidden reaches them.

use std::collections::BTreeSet;
use std::sync::Arc;

use super::View;
use stepwright_episode::{AskId, Event, Node, NodeId, Record, Session, blind};
use stepwright_protocol::{BeliefView, Situation};

impl View {
    /// Whether the future is hidden before decisions.
    pub(crate) fn is_blind(&self) -> bool {
        self.session.as_ref().is_some_and(|s| self.always_blind || s.blind)
    }

    /// Whether it is hidden where the session is: nothing was decided here yet.
    pub fn hides_future(&self) -> bool {
        self.hides_future_at(self.node())
    }

    fn hides_future_at(&self, node: Option<&Node>) -> bool {
        let open = |node: &Node| !node.outcome.done && !node.turn.decisions.iter().any(|d| d.takes());
        self.is_blind() && node.is_some_and(open)
    }

    /// The state at a node as far as it may be seen: the present one, or the one that was looked at last.
    pub(crate) fn situation_at(&self, node: NodeId) -> Option<Arc<Situation>> {
        let is_there = |situation: &&Arc<Situation>| situation.node == node;
        let looked = || {
            let looked = self.looked.as_ref().filter(is_there)?;
            let hidden = self.hides_future_at(self.session.as_ref()?.node(node));
            Some(if hidden { Arc::new(unseen(looked, self.given.1.is_some())) } else { Arc::clone(looked) })
        };
        self.situation.as_ref().filter(is_there).cloned().or_else(looked)
    }

    /// Puts in place of each record what may be seen of it now, and folds the session again where that changed something.
    pub(super) fn show_blind(&mut self) {
        let is_blind = self.is_blind();
        if !is_blind && self.withheld.is_empty() {
            return self.show_given();
        }
        let mut decided: BTreeSet<NodeId> = BTreeSet::new();
        if is_blind {
            decided.extend(self.records.iter().filter(|r| blind::takes(r)).map(|r| r.node));
        }
        let mut changed = false;
        for (at, record) in self.records.iter_mut().enumerate() {
            let hide = is_blind && !decided.contains(&record.node);
            match self.withheld.contains_key(&at) {
                true if !hide => {
                    if let Some(full) = self.withheld.remove(&at) {
                        *record = full;
                        changed = true;
                    }
                }
                false if hide => {
                    let seen = blind::record(record, |ask| is_ranking(self.session.as_ref(), record.node, ask));
                    if let Some(seen) = seen.filter(|seen| *seen != **record) {
                        self.withheld.insert(at, std::mem::replace(record, Arc::new(seen)));
                        changed = true;
                    }
                }
                _ => {}
            }
        }
        if changed && let Some(session) = &mut self.session {
            let mut again = Session::new(session.header.clone());
            // They fitted before; verdicts alone are others now.
            if self.records.iter().all(|record| again.apply(record).is_ok()) {
                *session = again;
            }
        }
        // What was recommended may be seen now.
        let recommended = || self.turn()?.recommended.as_ref()?.0;
        if let Some(id) = recommended().filter(|_| self.selected.is_none()) {
            self.select(id);
        }
        self.show_given();
    }

    /// Shows what the driver sent beside the records as far as it may be seen: before a decision of a blind session neither the world's
    /// truth, nor the picture drawn from it, nor recorded episodes.
    pub(super) fn show_given(&mut self) {
        let hidden = self.hides_future();
        self.logs = self.given.1.clone().filter(|_| !hidden);
        // Where an episode is played back, the recorded action is all that is admissible.
        let played_back = self.given.1.is_some();
        self.situation = self.given.0.as_ref().map(|full| match hidden {
            true => Arc::new(unseen(full, played_back)),
            false => Arc::clone(full),
        });
    }

    /// The part of a record that may be seen; the whole of it is kept.
    pub(super) fn withhold(&mut self, record: Arc<Record>) -> Arc<Record> {
        let withheld = self.is_blind() && !matches!(record.event, Event::BlindSet { .. });
        let ranked = |ask| is_ranking(self.session.as_ref(), record.node, ask);
        let seen = withheld.then(|| blind::record(&record, ranked)).flatten();
        let seen = seen.filter(|_| {
            let node = self.session.as_ref().and_then(|s| s.node(record.node));
            !node.is_some_and(|n| n.turn.decisions.iter().any(|d| d.takes()))
        });
        match seen {
            Some(seen) => {
                self.withheld.insert(self.records.len(), record);
                Arc::new(seen)
            }
            None => record,
        }
    }
}

/// Whether the answers to an ask at a node come in the order of a ranking.
fn is_ranking(session: Option<&Session>, node: NodeId, ask: AskId) -> bool {
    let asks = session.and_then(|s| s.node(node)).map(|n| n.turn.asks.as_slice()).unwrap_or_default();
    asks.iter().any(|one| one.id == ask && blind::ranks(&one.kind))
}

/// A situation without what must not be seen before a decision.
fn unseen(full: &Situation, played_back: bool) -> Situation {
    let mut seen = Situation {
        admissible: full.admissible.clone().filter(|_| !played_back),
        truth: blind::HIDDEN.into(),
        truth_changes: serde_json::Value::Array(Vec::new()),
        map: None,
        ..full.clone()
    };
    if let Some(belief) = &mut seen.belief {
        let state = Arc::clone(&belief.state);
        *belief =
            Arc::new(BeliefView { state, truth: None, differences: Vec::new(), drift: Vec::new(), picture: None });
    }
    seen
}
