//! Predicts the system's turns of a dialogue, each from what was recorded before it.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::metrics::{Compatibility, Counts, SystemTurn, compatible};
use super::result::{PolicyResult, TurnResult};
use super::setting::{Basis, Setting, Start, Subject};
use super::turn_world::TurnWorld;
use crate::in_force::Assertions;
use crate::runner::{Episode, play};
use stepwright_episode::Session;
use stepwright_method::Methods;
use stepwright_program::{Call, Specification};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{TaskInfo, World};
use stepwright_worlds::dialogue::{Dialogue, DialogueWorld, Source};

#[derive(Debug)]
pub struct Service {
    pub name: String,
    pub(super) subject: Subject,
    source: Arc<Source>,
}

impl Service {
    /// A service with its first `setting.shots` demonstrations and these assertions in force; `truth` is what compatibility is
    /// counted by.
    pub fn new(
        source: &Arc<Source>,
        name: &str,
        setting: (&Setting, &'static Methods),
        in_force: &Assertions,
        truth: Option<&Assertions>,
    ) -> Result<Self, String> {
        let fail = |why: String| format!("{name}: {why}");
        let specification = Specification::load(&source.specification(name), name).map_err(|e| fail(e.to_string()))?;
        let demonstrations = source.demonstrations(name, "", setting.0.seed);
        let shown: Vec<Demonstration> =
            demonstrations.into_iter().take(setting.0.shots).map(Demonstration::from).collect();
        let subject = Subject::new(setting, specification, &shown, in_force, truth).map_err(fail)?;
        Ok(Service { name: name.to_owned(), subject, source: Arc::clone(source) })
    }

    /// Predicts every turn of a dialogue; false if it was cancelled.
    pub(super) async fn predict(
        &self,
        task: &TaskInfo,
        basis: &Basis,
        cancel: &CancellationToken,
        result: &mut PolicyResult,
    ) -> Result<bool, String> {
        let dialogue: &Dialogue = self.source.dialogue(&task.id).map_err(|e| e.to_string())?;
        let mut forms = DialogueWorld::new(Arc::clone(&self.source));
        forms.reset(&task.id, 0).map_err(|e| e.to_string())?;
        let calls: Vec<Call> = dialogue.calls().cloned().collect();
        let mut state = self.subject.specification.start().map_err(|fault| fault.to_string())?;
        let mut done = 0;
        let mut counts = Counts::default();
        let mut compatibility = self.subject.truth.as_ref().map(|_| Compatibility::default());
        for turn in SystemTurn::of(dialogue, &self.subject.specification) {
            for call in calls.iter().take(turn.start).skip(done) {
                state.call_unchecked(call).map_err(|fault| format!("{call}: {fault}"))?;
            }
            done = turn.start;
            let world = TurnWorld::new(&forms, task.clone(), &calls, turn.clone());
            let start = Start {
                world: Box::new(world),
                options: std::collections::BTreeMap::new(),
                task: &task.id,
                sentence: &task.sentence,
                specification: &self.subject.in_force,
            };
            let setup = basis.setup(&self.subject, start);
            let Some(played) = play(setup, None, cancel).await else { return Ok(false) };
            let Episode { session, ended, error, .. } = played;
            let session = session?;
            count_asks(&session, result);
            if let Some(why) = error {
                return Err(format!("turn at call {}: {why}", turn.start));
            }
            let predicted = taken(&session);
            let holds = self.subject.truth.as_ref().map(|truth| compatible(&state, truth, &predicted, &turn));
            counts.add(Counts::of(&predicted, &turn.acts));
            if let (Some(sum), Some(holds)) = (&mut compatibility, &holds) {
                sum.add(holds);
            }
            result.actions += predicted.len() as u64;
            let SystemTurn { start, acts: recorded, .. } = turn;
            result.turns.push(TurnResult { start, predicted, recorded, compatible: holds, ended });
        }
        result.counts = Some(counts);
        result.compatibility = compatibility;
        Ok(true)
    }
}

/// The actions on a session's path to its cursor that are calls themselves; the end of a turn is none.
fn taken(session: &Session) -> Vec<Call> {
    let path = session.path(session.cursor());
    let own = path.iter().filter(|node| node.action.is_some());
    own.filter_map(|node| {
        let first: Call = node.outcome.calls.first()?.parse().ok()?;
        let action: Call = node.action.as_ref()?.call.as_deref()?.parse().ok()?;
        (first == action).then_some(action)
    })
    .collect()
}

pub(super) fn count_asks(session: &Session, result: &mut PolicyResult) {
    let path = session.path(session.cursor());
    for prompt in path.iter().flat_map(|node| &node.turn.asks).filter_map(|ask| ask.prompt.as_ref()) {
        result.asks = result.asks.saturating_add(1);
        result.shortened = result.shortened.saturating_add(u32::from(prompt.left_out.is_some()));
    }
    result.prompt_tokens += session.spent.prompt;
    result.completion_tokens += session.spent.completion;
}
