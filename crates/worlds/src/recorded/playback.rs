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
    /// What the log's texts are read as; `None` where its steps say it themselves.
    read: Option<Arc<Vec<Step>>>,
    /// The step to come, from 0.
    next: usize,
}

impl Playback {
    fn log(&self) -> Option<&Trajectory> {
        self.logs.get(self.at)
    }

    /// The observation after so many steps.
    fn outcome(&self) -> Outcome {
        let log = self.log();
        let step = match (&self.read, self.next.checked_sub(1)) {
            (Some(read), _) => read.get(self.next).cloned(),
            (None, None) => log.map(Trajectory::reset),
            (None, Some(at)) => log.and_then(|log| log.steps.get(at)).cloned(),
        };
        let step = step.unwrap_or_default();
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
        let none = Trajectory::default();
        let log = logs.get(at).unwrap_or(&none);
        let transcript = transcript_of(log, &tasks.kinds);
        let read = transcript.reads_texts().then(|| Arc::new(transcript.read(log)));
        let playback = Playback { read, logs, at, transcript, next: 0 };
        let outcome = playback.outcome();
        Ok((playback, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.log().map(|log| &log.id) == other.log().map(|log| &log.id)
    }

    fn act(&mut self, text: &str) -> Outcome {
        let next = self.log().and_then(|log| log.steps.get(self.next)).map(|step| step.action.as_str());
        match next {
            Some(action) if action.trim() == text.trim() => {
                self.next += 1;
                self.outcome()
            }
            next => {
                let goes_on = next.map_or_else(
                    || "the log ends here".to_owned(),
                    |action| format!("the log goes on with `{action}`"),
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
