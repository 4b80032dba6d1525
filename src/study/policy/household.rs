//! Runs a household task to its end in one setting.

use std::collections::BTreeMap;
use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::dialogues::count_asks;
use super::metrics::{Compatibility, permitted};
use super::result::PolicyResult;
use super::setting::{Basis, Knowledge, Setting, Start};
use crate::episode::{Action, Session};
use crate::method::verify::rules;
use crate::program::{Call, Rules, Specification};
use crate::study::in_force::Assertions;
use crate::study::runner::{Played, play};
use crate::world::demonstration::Demonstration;
use crate::world::household::{Edition, HouseholdWorld, Source};
use crate::world::{TaskInfo, World};

/// The household in one setting, ready for its tasks.
pub struct House {
    pub(super) setting: Setting,
    source: Arc<Source>,
    edition: Option<Edition>,
    specification: Specification,
    in_force: String,
    truth: Rules,
    knowledge: Knowledge,
}

impl std::fmt::Debug for House {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "household in {:?}", self.setting)
    }
}

impl House {
    /// The tasks of a source with these demonstrations and assertions in force. The specification's own are the truth. Edition:
    /// each task's own, where none is given.
    ///
    /// # Errors
    /// In words: an assertion that is none, a setting that there is not.
    pub fn new(
        source: &Arc<Source>,
        edition: Option<Edition>,
        specification: &Specification,
        demonstrations: &[Demonstration],
        setting: &Setting,
        in_force: &Assertions,
        truth: &Assertions,
    ) -> Result<Self, String> {
        let with = specification.with_assertions(in_force).map_err(|e| e.to_string())?;
        Ok(House {
            setting: setting.clone(),
            source: Arc::clone(source),
            edition,
            specification: specification.clone(),
            in_force: with.source().to_owned(),
            truth: rules(truth.iter().map(|(action, texts)| (action.as_str(), texts.as_slice())))?,
            knowledge: Knowledge::new(setting, demonstrations)?,
        })
    }

    /// The specification's text with the assertions in force in its bodies.
    pub(super) fn in_force(&self) -> &str {
        &self.in_force
    }

    /// Runs a task; false if it was cancelled.
    ///
    /// # Errors
    /// What went wrong, in words; what was done until then is in the result.
    pub(super) async fn carry_out(
        &self,
        task: &TaskInfo,
        basis: &Basis,
        cancel: &CancellationToken,
        result: &mut PolicyResult,
    ) -> Result<bool, String> {
        let words = |e: crate::world::WorldError| e.to_string();
        let own = self.source.edition(&task.id).map_err(words)?;
        let edition = self.edition.or(own).unwrap_or_default();
        // Not from the list of tasks: an official game tells its sentence only when it is read.
        let sentence = self.source.definition(&task.id).map_err(words)?.task;
        let mut world = HouseholdWorld::new(Arc::clone(&self.source), edition);
        world.reset(&task.id, self.setting.seed).map_err(words)?;
        let start = Start {
            opening: world.header(),
            world: Box::new(world),
            options: BTreeMap::from([("edition".to_owned(), edition.to_string())]),
            task: &task.id,
            sentence: &sentence,
            specification: &self.in_force,
        };
        let Some(played) = play(basis.setup(&self.setting, &self.knowledge, start), cancel).await else {
            return Ok(false);
        };
        let Played { session, error, .. } = played?;
        count_asks(&session, result);
        result.won = Some(session.current().is_some_and(|n| n.outcome.won));
        let compatibility = compatibility(self, &session)?;
        result.actions = compatibility.predicted;
        result.compatibility = Some(compatibility);
        error.map_or(Ok(true), Err)
    }
}

/// How many of the actions taken their true preconditions permitted, in the program's state before each.
fn compatibility(house: &House, session: &Session) -> Result<Compatibility, String> {
    let mut state = house.specification.start().map_err(|fault| fault.to_string())?;
    let mut compatibility = Compatibility::default();
    for node in session.path(session.cursor()) {
        if let Some(action) = &node.action {
            compatibility.add(&[call(action).is_none_or(|call| permitted(&state, &house.truth, &call))]);
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
