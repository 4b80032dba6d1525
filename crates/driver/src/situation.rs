//! Situation: the state of world and program at the cursor. Derived, never logged.

use std::sync::Arc;

use super::difference::difference;
use super::driver::Driver;
use stepwright_belief as belief;
use stepwright_episode::{Event, NodeId, Record, Session};
use stepwright_protocol::{BeliefView, Notice, Situation};
use stepwright_world::CLOSING;

impl Driver {
    /// Sends the state of world and program at the cursor, when that changed.
    pub(super) fn show_situation(&mut self) {
        let at = self.gate.session().cursor();
        let vetoed = self.stack.vetoed(&self.context(None));
        let is_shown = self.shown.at.as_ref().is_some_and(|(node, _)| *node == at) && vetoed == self.shown.vetoed;
        if self.diverged.is_some() || is_shown {
            return;
        }
        self.shown.vetoed = vetoed;
        self.follow_episode();
        let situation = situation(self, self.gate.session());
        self.shown.at = Some((at, situation.truth.clone()));
        self.tell(Notice::Situation(Arc::new(situation)));
    }

    /// Sends the state at another node. The session and what is under way stay where they are, and nothing is recorded.
    pub(super) fn look(&mut self, node: NodeId) {
        let mut session = self.gate.session().clone();
        let here = session.cursor();
        let moved = Record { id: session.records() + 1, ts: 0, node: here, event: Event::Moved { to: node } };
        if self.diverged.is_some() || session.apply(&moved).is_err() || self.timeline.go(&session, node).is_err() {
            return;
        }
        self.timeline.catch_up(&session);
        let begun = self.stack.follow(&self.context_in(&session, None));
        let edits = session.current().map(|n| n.tree_edits_here()).unwrap_or_default();
        self.timeline.begin_deriving(begun, &edits);
        let seen = situation(self, &session);
        match self.timeline.go(self.gate.session(), here) {
            Ok(()) => self.tell(Notice::Looked(Arc::new(seen))),
            Err(difference) => {
                self.say_diverged(&difference);
                self.diverged = Some(difference);
            }
        }
    }
}

fn situation(driver: &Driver, session: &Session) -> Situation {
    if driver.headless {
        // Nobody looks at it; of what is derived, studies count what the belief has wrong.
        let belief = believed(driver, session).map(Arc::new);
        return Situation { node: session.cursor(), belief, ..Situation::default() };
    }
    let world = driver.timeline.world.as_ref();
    let truth = world.truth();
    let node = session.cursor();
    // What the last step changed: against the truth last shown where that was the step's beginning, else against the checkpoint.
    let parent = session.current().and_then(|n| n.parent);
    let before = driver.shown.at.as_ref().filter(|(shown, _)| Some(*shown) == parent).map(|(_, truth)| truth.clone());
    let before = before.or_else(|| driver.timeline.truth_at(parent?));
    let truth_changes = before.map_or_else(|| serde_json::Value::Array(Vec::new()), |b| difference(&b, &truth));
    let (goals, live) = driver.stack.goals(&driver.context_in(session, None));
    Situation {
        node,
        admissible: world.admissible(),
        tools: world.tools(),
        truth,
        variables: driver.timeline.state.variables(),
        map: world.picture(),
        truth_changes,
        live,
        request: world.request(),
        closing: if world.requests().is_some() { CLOSING } else { "" },
        belief: believed(driver, session).map(Arc::new),
        goals,
        skills: driver.stack.skills_in_use(&driver.context(None)),
        not_undone: world.not_undone(),
    }
}

/// The belief at the cursor, the truth there, and their difference along the path; `None` where no belief is maintained.
fn believed(driver: &Driver, session: &Session) -> Option<BeliefView> {
    let maintained = driver.stack.keeps_belief();
    let state = session.belief().filter(|_| maintained).map(Arc::clone)?;
    let truth = driver.timeline.belief_truth_at(session.cursor()).map(Arc::clone);
    let differences = truth.as_deref().map(|truth| belief::compare(&state, truth)).unwrap_or_default();
    let path = session.path(session.cursor());
    let drift = path.iter().filter_map(|node| {
        let truth = driver.timeline.belief_truth_at(node.id)?;
        Some((node.id, belief::compare(node.belief()?, truth).len()))
    });
    let picture = if driver.headless { None } else { driver.timeline.world.picture_of(&state) };
    Some(BeliefView { state, truth, differences, drift: drift.collect(), picture })
}
