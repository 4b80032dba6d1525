//! Runs a household task to its end in one setting.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::dialogues::count_asks;
use super::metrics::{Compatibility, permitted};
use super::result::PolicyResult;
use super::setting::{Basis, Setting, Start, Subject};
use crate::in_force::Assertions;
use crate::runner::{Episode, play};
use stepwright_episode::{Action, Session};
use stepwright_method::Methods;
use stepwright_program::{Call, Specification};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{TaskInfo, World};
use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

#[derive(Debug)]
pub struct House {
    pub(super) subject: Subject,
    source: Arc<Source>,
    edition: Option<Edition>,
}

impl House {
    /// The tasks of a source with these demonstrations and assertions in force. The specification's own are the truth. Edition:
    /// each task's own, where none is given.
    pub fn new(
        source: &Arc<Source>,
        edition: Option<Edition>,
        specification: &Specification,
        demonstrations: &[Demonstration],
        setting: (&Setting, &'static Methods),
        in_force: &Assertions,
        truth: &Assertions,
    ) -> Result<Self, String> {
        let subject = Subject::new(setting, specification.clone(), demonstrations, in_force, Some(truth))?;
        Ok(House { subject, source: Arc::clone(source), edition })
    }

    /// Runs a task; false if it was cancelled.
    pub(super) async fn carry_out(
        &self,
        task: &TaskInfo,
        basis: &Basis,
        cancel: &CancellationToken,
        result: &mut PolicyResult,
    ) -> Result<bool, String> {
        let words = |e: stepwright_world::WorldError| e.to_string();
        let own = self.source.edition(&task.id).map_err(words)?;
        let edition = self.edition.or(own).unwrap_or_default();
        // Not from the list of tasks: an official game gives its sentence only when it is read.
        let sentence = self.source.definition(&task.id).map_err(words)?.task;
        let mut world = HouseholdWorld::new(Arc::clone(&self.source), edition);
        world.reset(&task.id, self.subject.setting.seed).map_err(words)?;
        let start = Start {
            world: Box::new(world),
            options: BTreeMap::from([("edition".to_owned(), edition.to_string())]),
            task: &task.id,
            sentence: &sentence,
            specification: &self.subject.in_force,
        };
        let Some(played) = play(basis.setup(&self.subject, start), None, cancel).await else {
            return Ok(false);
        };
        let Episode { session, error, .. } = played;
        let session = session?;
        count_asks(&session, result);
        result.won = Some(session.current().is_some_and(|n| n.outcome.won));
        let compatibility = compatibility(&self.subject, &session)?;
        result.actions = compatibility.predicted;
        result.compatibility = Some(compatibility);
        error.map_or(Ok(true), Err)
    }
}

/// How many of the actions taken their true preconditions permitted, in the program's state before each.
fn compatibility(subject: &Subject, session: &Session) -> Result<Compatibility, String> {
    let mut state = subject.specification.start().map_err(|fault| fault.to_string())?;
    let mut compatibility = Compatibility::default();
    for node in session.path(session.cursor()) {
        if let Some(action) = &node.action {
            let permits = |call: Call| subject.truth.as_ref().is_none_or(|truth| permitted(&state, truth, &call));
            compatibility.add(&[call(action).is_none_or(permits)]);
        }
        for call in node.outcome.calls.iter().filter_map(|text| text.parse::<Call>().ok()) {
            // As the driver does: what the world reports is true whether or not the program can follow.
            let _ = state.call_unchecked(&call);
        }
    }
    Ok(compatibility)
}

fn call(action: &Action) -> Option<Call> {
    action.call.as_deref()?.parse().ok()
}
