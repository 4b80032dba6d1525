//! The course of a plan: which steps were tried on the path to the cursor, and the result of each. A fold of the records.

use super::options::OnError;
use super::record::{self, Before, Corrective};
use stepwright_episode::{Choice, Node};
use stepwright_method::context::decided;
use stepwright_method::{History, StepStatus};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Planned,
    Correction,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Attempt {
    pub step: String,
    pub text: String,
    pub role: Role,
    pub by_person: bool,
    pub error: Option<String>,
    pub dropped: bool,
}

impl Attempt {
    pub fn is_done(&self) -> bool {
        self.error.is_none()
    }
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct PlanHistory {
    on_error: OnError,
    /// Whether any answer may leave the failed step out, or a chat model's alone.
    pub skips: bool,
    /// In order.
    pub attempts: Vec<Attempt>,
    /// The line of a fitted plan that is next, from 0.
    pub line: usize,
    /// Corrective prompts that were sent, or steps that were sampled again.
    pub corrections: usize,
    pub errors: usize,
}

impl PlanHistory {
    /// Before any step, by what is done about refused ones, and whether any answer `skips`.
    pub fn new(on_error: OnError, skips: bool) -> Self {
        PlanHistory { on_error, skips, attempts: Vec::new(), line: 0, corrections: 0, errors: 0 }
    }

    /// The same with each step that is no admissible one in the words that are given for its action.
    pub fn worded(mut self, words: impl Fn(&str) -> Option<String>) -> Self {
        for attempt in self.attempts.iter_mut().filter(|attempt| attempt.step == attempt.text) {
            if let Some(step) = words(&attempt.text) {
                attempt.step = step;
            }
        }
        self
    }

    fn read(&mut self, node: &Node) {
        let turn = &node.turn;
        self.corrections += record::taken(turn);
        let mut prompts: Vec<Corrective> = record::prompts(turn).filter_map(Corrective::of).collect();
        // A prompt that is offered anew is of the same error.
        prompts.dedup_by(|again, first| (again.veto, &again.step) == (first.veto, &first.step));
        for prompt in prompts {
            if prompt.veto {
                self.attempts.push(Attempt {
                    step: prompt.step.clone(),
                    text: String::new(),
                    role: Role::Planned,
                    by_person: false,
                    error: Some(prompt.reason.clone()),
                    dropped: false,
                });
            }
            self.errors += 1;
        }
    }

    fn drop_last(&mut self) {
        if let Some(last) = self.attempts.last_mut().filter(|last| !last.is_done() && !last.dropped) {
            last.dropped = true;
            // A correction that is given up takes the step it should correct with it.
            self.line += 1;
        }
    }

    /// Takes up the step again that was given up last.
    pub(crate) fn take_up_again(&mut self) {
        if let Some(last) = self.attempts.last_mut().filter(|last| last.dropped) {
            last.dropped = false;
            self.line = self.line.saturating_sub(1);
        }
    }

    /// Whether the last step failed and was not given up.
    pub fn failed(&self) -> bool {
        self.attempts.last().is_some_and(|last| !last.is_done() && !last.dropped)
    }

    /// Whether what stands first in prompts is a correction: the first step that was done, or the one that failed before any was.
    pub fn begins_with_correction(&self) -> bool {
        let first = self.attempts.iter().find(|attempt| attempt.is_done()).or(self.attempts.last());
        self.on_error == OnError::Reprompt && first.is_some_and(|first| first.role == Role::Correction)
    }

    /// The steps that count: with `all` the refused ones too.
    pub fn steps(&self, all: bool) -> Vec<String> {
        self.attempts.iter().filter(|a| all || a.is_done()).map(|a| a.step.clone()).collect()
    }

    /// How many corrections in a row did not help the last planned step, retries of it included.
    pub(crate) fn in_vain(&self) -> usize {
        let planned = self.attempts.iter().rev().find(|a| a.role == Role::Planned);
        let same = |a: &Attempt| !a.is_done() && planned.is_some_and(|last| last.step == a.step);
        let since = self.attempts.iter().rev().take_while(|a| a.role == Role::Correction || same(a));
        since.filter(|a| a.role == Role::Correction).count()
    }

    pub fn fate(&self, at: usize) -> StepStatus {
        let Some(attempt) = self.attempts.get(at) else { return StepStatus::Open };
        let later = self.attempts.get(at + 1..).unwrap_or_default();
        let corrected = || later.iter().take_while(|a| a.role == Role::Correction).any(Attempt::is_done);
        match attempt {
            _ if attempt.is_done() => StepStatus::Done,
            _ if attempt.dropped => StepStatus::Dropped,
            _ if corrected() => StepStatus::Corrected,
            _ => StepStatus::Refused,
        }
    }
}

impl History for PlanHistory {
    fn step(&mut self, from: &Node, to: &Node) {
        self.read(from);
        let text = to.action.as_ref().map(|action| action.text.as_str()).unwrap_or_default();
        let decision = decided(from, to);
        let proposal = decision.and_then(|decision| from.turn.proposal(decision.proposal()));
        let offered = proposal.and_then(|proposal| record::candidate(&from.turn, proposal));
        let by_person = decision.is_some_and(|d| matches!(d.choice, Choice::Edit { .. } | Choice::Manual { .. }));
        // At a failure a plain next step means that the failed one was left out, whatever was tried from there later.
        let asked = proposal.and_then(|p| from.turn.asks.iter().find(|ask| Some(ask.id) == p.ask)).map(|ask| &ask.kind);
        let dropped = match (&offered, asked) {
            (Some(offered), Some(kind)) => offered.before == Before::Dropped || *kind == record::translation(),
            _ => record::dropped(&from.turn, self.skips),
        };
        if self.failed() && dropped {
            self.drop_last();
        }
        let role = if self.on_error != OnError::GoOn && self.failed() { Role::Correction } else { Role::Planned };
        // The admissible step that was chosen, whatever the world calls what it found; a person's action as it is.
        let chosen = offered.filter(|_| !by_person);
        let step = chosen.map(|offered| stepwright_plan::written::spelled(&offered.candidate.step));
        let error = to.outcome.error.clone();
        // What is sampled again takes the place of what was refused; a correction comes before it.
        let advances = match self.on_error {
            OnError::GoOn => true,
            OnError::Resample => error.is_none(),
            OnError::Reprompt => error.is_none() && role == Role::Planned,
        };
        self.line += usize::from(advances);
        self.corrections += usize::from(self.on_error == OnError::Resample && role == Role::Correction);
        let (step, text) = (step.unwrap_or_else(|| text.to_owned()), text.to_owned());
        self.attempts.push(Attempt { step, text, role, by_person, error, dropped: false });
    }

    fn stay(&mut self, here: &Node) {
        self.read(here);
        if self.failed() && record::dropped(&here.turn, self.skips) {
            self.drop_last();
        }
    }
}
