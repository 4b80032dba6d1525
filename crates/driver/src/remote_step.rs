//! Worlds in other processes: their steps are done beside the driver's task, in a fork, and can be stopped.
//!
//! While a step is under way the gate waits for its report and the driver keeps answering; the world it holds meanwhile is
//! where the step began. Going back costs nothing here: the process follows when the next step is taken.

use std::sync::Arc;

use super::difference::changes;
use super::driver::{Driver, begun_otherwise_words, diverged_words};
use super::jobs::Job;
use super::messages::{Message, StepResult};
use stepwright_episode::gate::Report;
use stepwright_episode::{Action, DecisionId, StepOutcome};
use stepwright_protocol::{Level, Notice, ProcessStatus};
use stepwright_world::{Outcome, World, WorldError};

impl Driver {
    /// Has the status of the world's process reported, if it has one.
    pub(super) fn watch_world(&mut self) {
        let notices = self.outlets.notices.clone();
        if let Some(remote) = self.timeline.world.remote() {
            remote.watch(Arc::new(move |standing| {
                // It comes while no step is under way, whose report would say it.
                if let ProcessStatus::Left(words) = &standing {
                    let _ = notices.send(Notice::Say { level: Level::Warning, text: words.clone() });
                }
                // A watcher that is gone needs no status.
                let _ = notices.send(Notice::World(standing));
            }));
        }
    }

    pub(super) fn close_world(&mut self) {
        self.jobs.stop_deeds();
        if let Some(remote) = self.timeline.world.remote() {
            remote.close();
        }
    }

    /// Takes a step beside, where another process does it; `false` where the world does it itself.
    pub(super) fn step_remote(&mut self, decision: DecisionId, action: &Action) -> bool {
        let taken = action.clone();
        self.send_out(Some((decision, action.clone())), move |world| world.take(&taken))
    }

    pub(super) fn restart_world(&mut self) {
        if self.timeline.world.remote().is_none() {
            return self.say(Level::Info, "this world runs in the program itself; there is nothing to restart");
        }
        if self.jobs.has_world() {
            return self.say(Level::Info, "the world is at work; stop that first");
        }
        self.send_out(None, |world| match world.remote() {
            Some(remote) => remote.restart().map(|()| Outcome::default()),
            None => Ok(Outcome::default()),
        });
    }

    fn send_out(
        &mut self,
        step: Option<(DecisionId, Action)>,
        work: impl FnOnce(&mut dyn World) -> Result<Outcome, WorldError> + Send + 'static,
    ) -> bool {
        if self.timeline.world.remote().is_none() {
            return false;
        }
        let mut world = self.timeline.world.fork();
        let Some(stop) = world.remote().map(|r| r.stopper()) else { return false };
        let (job, at) = (self.jobs.begin(Job::World { step }, stop), self.gate.session().cursor());
        let messages = self.outlets.messages.clone();
        (self.outlets.beside)(Box::new(move || {
            let result = work(world.as_mut());
            // A driver that is gone waits for nothing.
            let _ = messages.send(Message::World(StepResult { job, at, world, result }));
        }));
        true
    }

    pub(super) fn came_back(&mut self, back: StepResult) {
        let StepResult { job, at, mut world, result } = back;
        let Some(Job::World { step }) = self.jobs.end(job) else { return };
        if let Err(WorldError::Differs { step, what }) = &result {
            // The next step finds out anew: what it depends on may be mended meanwhile.
            let node = self.gate.session().path(at).get(*step).map_or(0, |node| node.id);
            self.tell(Notice::Diverged { node, what: what.clone() });
        }
        match (step, result) {
            (Some((decision, action)), result) => {
                let result = result.map(|outcome| {
                    let session = self.gate.session();
                    let depth = session.current().map_or(0, |n| n.depth) + 1;
                    let before = self.timeline.state.clone();
                    self.timeline.arrive(world, &action, &outcome, session.next_node(), depth);
                    let mut outcome = StepOutcome::from(&outcome);
                    self.hold_against_effects(&before, &action, &mut outcome);
                    (outcome, changes(&before, &self.timeline.state))
                });
                self.report(Report::Stepped { decision, result: result.map_err(words) });
                self.carry_out();
            }
            (None, Err(error)) => self.say(Level::Error, words(error)),
            (None, Ok(_)) => {
                let steps = self.gate.session().node(at).map_or(0, |n| n.depth);
                let restored = world.remote().map_or(0, |remote| remote.restored());
                if at == self.gate.session().cursor() {
                    self.timeline.refresh(world, steps);
                    // What only the process knows of this node can be shown now.
                    self.shown.at = None;
                }
                self.say(Level::Info, format!("the world was restarted; {}", brought(restored, steps as usize)));
            }
        }
    }
}

/// Why a step was not done; with what can be done where the world answers otherwise than it did.
fn words(error: WorldError) -> String {
    match error {
        WorldError::Differs { step: 0, what } => begun_otherwise_words(&what),
        WorldError::Differs { what, .. } => diverged_words(&what),
        other => other.to_string(),
    }
}

/// How a restarted world came back to a step: by the snapshot that it had given with one, if not 0, and by replaying those after it.
fn brought(restored: usize, steps: usize) -> String {
    let by_snapshot = (restored > 0).then(|| format!("it was restored to step {restored} by its snapshot"));
    let replayed = match steps.saturating_sub(restored) {
        0 if by_snapshot.is_some() => None,
        0 => Some("it is at the reset, as recorded".to_owned()),
        1 => Some("1 step replayed, as recorded".to_owned()),
        n => Some(format!("{n} steps replayed, all as recorded")),
    };
    by_snapshot.into_iter().chain(replayed).collect::<Vec<_>>().join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn before_the_start_there_is_no_step_to_go_on_from() {
        let said = |step| words(WorldError::Differs { step, what: "another total".into() });
        let differs = "the world does not answer as recorded: another total.";
        let begun = "It begins otherwise than recorded: only a new session goes on from here";
        assert_eq!(said(0), format!("{differs} {begun}"));
        assert!(said(1).starts_with(differs) && said(1).contains("go on from a step before it"), "{}", said(1));
    }

    #[test]
    fn what_a_snapshot_spared_is_not_said_to_be_replayed() {
        for (restored, steps, said) in [
            (0, 0, "it is at the reset, as recorded"),
            (0, 2, "2 steps replayed, all as recorded"),
            (2, 2, "it was restored to step 2 by its snapshot"),
            (2, 3, "it was restored to step 2 by its snapshot, 1 step replayed, as recorded"),
        ] {
            assert_eq!(brought(restored, steps), said);
        }
    }
}
