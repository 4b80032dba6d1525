//! An episode that is played back: the log's next action is accepted and answered as it was.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::KIND;
use super::source::RecordedLogs;
use crate::{Episode, Simulated};
use stepwright_program::Call;
use stepwright_trajectory::{Step, Trajectory};
use stepwright_world::transcript::{self, Logs, Transcript};
use stepwright_world::{Outcome, ProgramHeader, WorldError, WorldKind, transcript_of};

/// A log and how far it was played.
#[derive(Debug, Clone)]
pub(crate) struct Playback {
    logs: Arc<Vec<Trajectory>>,
    at: usize,
    transcript: Transcript,
    read: Arc<Vec<Step>>,
    /// The step to come, from 0.
    next: usize,
}

impl Playback {
    fn log(&self) -> Option<&Trajectory> {
        self.logs.get(self.at)
    }

    /// The observation after so many steps.
    fn outcome(&self) -> Outcome {
        let step = self.read.get(self.next).cloned().unwrap_or_default();
        let log = self.log();
        let done = log.is_none_or(|log| self.next >= log.steps.len());
        let won = done && log.is_some_and(Trajectory::succeeded);
        Outcome {
            error: step.refused.then(|| step.observed().trim().to_owned()),
            observation: step.heard().into_owned(),
            action_call: step.call,
            observation_calls: step.calls,
            reward: log.filter(|_| done).map_or(0.0, |log| log.score),
            done,
            won,
            untold: done && log.is_some_and(|log| log.success.is_none()),
            ..Outcome::default()
        }
    }
}

impl Episode for Playback {
    type Tasks = RecordedLogs;
    type Options = ();

    fn kind() -> &'static WorldKind {
        &KIND
    }

    fn begin(tasks: &RecordedLogs, _options: (), task: &str) -> Result<(Self, Outcome), WorldError> {
        let at = tasks.place(task);
        let at = at.ok_or_else(|| WorldError::NoSuchTask { id: task.to_owned(), nearest: Vec::new() })?;
        let logs = Arc::clone(&tasks.logs);
        let log = logs.get(at).cloned().unwrap_or_default();
        let transcript = transcript_of(&log, &tasks.kinds);
        let playback = Playback { read: Arc::new(transcript.read(&log)), logs, at, transcript, next: 0 };
        let outcome = playback.outcome();
        Ok((playback, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.log().map(|log| &log.id) == other.log().map(|log| &log.id)
    }

    fn act(&mut self, text: &str) -> Outcome {
        let step = self.log().and_then(|log| log.steps.get(self.next)).cloned();
        match step {
            Some(step) if step.action.trim() == text.trim() => {
                self.next += 1;
                self.outcome()
            }
            step => {
                let goes_on = step.map_or_else(
                    || "the log ends here".to_owned(),
                    |step| format!("the log goes on with `{}`", step.action),
                );
                let why = format!("{goes_on}; what another action would have led to, no log says");
                Outcome { observation: why.clone(), error: Some(why), ..Outcome::default() }
            }
        }
    }

    fn admissible(&self) -> Option<Vec<String>> {
        let next = self.log().and_then(|log| log.steps.get(self.next));
        Some(next.map(|step| step.action.clone()).into_iter().collect())
    }

    fn truth(&self) -> Value {
        let none = Trajectory::default();
        let log = self.log().unwrap_or(&none);
        json!({
            "log": log.id,
            "environment": log.env,
            "of": log.model,
            "step": self.next,
            "steps": log.steps.len(),
            "success": log.success,
            "score": log.score,
            "unobserved": log.unobserved(),
        })
    }

    fn call_of(world: &Simulated<Self>, text: &str) -> Option<Call> {
        world.episode()?.transcript.call_of(text)
    }

    fn text_of(world: &Simulated<Self>, call: &Call) -> Option<String> {
        world.episode()?.transcript.text_of(call)
    }

    fn header(world: &Simulated<Self>) -> ProgramHeader {
        let playback = world.episode();
        let task = playback.and_then(|playback| playback.log()).map(|log| log.task.clone()).unwrap_or_default();
        playback.map_or(transcript::PLAIN, |playback| playback.transcript.clone()).header(&task)
    }

    fn specification(world: &Simulated<Self>) -> Cow<'static, str> {
        world.episode().map_or(transcript::PLAIN, |playback| playback.transcript.clone()).specification()
    }

    fn recorded(world: &Simulated<Self>) -> Option<Logs> {
        let playback = world.episode()?;
        let problems = Arc::clone(&world.task_set().problems);
        Some(Logs { all: Arc::clone(&playback.logs), at: playback.at, problems })
    }
}
