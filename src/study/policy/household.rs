//! Runs a household task to its end in one setting.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::dialogues::count_asks;
use super::metrics::{Compatibility, permitted};
use super::result::PolicyResult;
use super::setting::{Assertions, Basis, Knowledge, Setting, Start};
use crate::episode::{Action, Session};
use crate::method::verify::rules;
use crate::program::{Call, Rules, Specification};
use crate::study::run::{Played, play};
use crate::world::demonstration::Demonstration;
use crate::world::household::{Edition, HouseholdWorld, Source};
use crate::world::{TaskInfo, World};

/// The household in one setting, ready for its tasks.
pub struct House {
    setting: Setting,
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
}

/// Runs a task; `None` if it was cancelled. What goes wrong stands in the result.
pub async fn house(house: Arc<House>, task: TaskInfo, basis: Basis, cancel: CancellationToken) -> Option<PolicyResult> {
    let started = Instant::now();
    let mut result = PolicyResult::new("household", &task.id, &task.kind, &house.setting);
    match episode(&house, &task, &basis, &cancel, &mut result).await {
        Ok(true) => {}
        Ok(false) => return None,
        Err(why) => result.error = Some(why),
    }
    result.seconds = (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0;
    Some(result)
}

async fn episode(
    house: &House,
    task: &TaskInfo,
    basis: &Basis,
    cancel: &CancellationToken,
    result: &mut PolicyResult,
) -> Result<bool, String> {
    let words = |e: crate::world::WorldError| e.to_string();
    let own = house.source.edition(&task.id).map_err(words)?;
    let edition = house.edition.or(own).unwrap_or_default();
    // Not from the list of tasks: an official game tells its sentence only when it is read.
    let sentence = house.source.definition(&task.id).map_err(words)?.task;
    let mut world = HouseholdWorld::new(Arc::clone(&house.source), edition);
    world.reset(&task.id, house.setting.seed).map_err(words)?;
    let setup = basis.setup(
        &house.setting,
        &house.knowledge,
        Start {
            opening: world.header(),
            world: Box::new(world),
            options: BTreeMap::from([("edition".to_owned(), edition.to_string())]),
            task: &task.id,
            sentence: &sentence,
            specification: &house.in_force,
        },
    );
    let Some(played) = play(setup, cancel).await else { return Ok(false) };
    let Played { session, error, .. } = played?;
    count_asks(&session, result);
    result.won = Some(session.current().is_some_and(|n| n.outcome.won));
    let compatibility = compatibility(house, &session)?;
    result.actions = compatibility.predicted;
    result.compatibility = Some(compatibility);
    match error {
        Some(why) => Err(why),
        None => Ok(true),
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
