//! Episode of a dialogue being predicted: the recording is the world, and the system's acts are compared with it turn by turn.
//!
//! The agent's acts are never undone by the recording: a wrong act stays in the program. At the end of a turn the recorded
//! acts that were not predicted are supplied, because the user's answer is an answer to them; so the program holds everything
//! the recorded system did, and its state is that of the recording.

use std::sync::Arc;

use super::acts::{SYSTEM, USER};
use super::record::{Dialogue, END_TURN, Speaker, Turn, is_query_status};
use super::schema::Service;
use super::score::Score;
use super::wording;
use stepwright_program::Call;
use stepwright_world::Outcome;

/// Acts after which a turn ends by itself; the longest recorded one has 9.
const LONGEST_TURN: usize = 24;

#[derive(Debug, Clone)]
pub(super) struct Past {
    pub(super) turn: usize,
    pub(super) predicted: Arc<Vec<Call>>,
}

#[derive(Debug, Clone)]
pub struct Episode {
    pub(super) dialogue: Arc<Dialogue>,
    pub(super) service: Arc<Service>,
    /// Every act the schema allows, sorted.
    menu: Arc<Vec<String>>,
    /// The recorded turn the system is at; the number of turns once the dialogue is over.
    pub(super) at: usize,
    /// The calls predicted in this turn, the status of queries aside.
    pub(super) predicted: Vec<Call>,
    pub(super) past: Vec<Past>,
    finished: Score,
}

/// A call as read before it is made.
enum Reading {
    Act(Call),
    EndTurn,
}

impl Episode {
    /// The dialogue at its first turn of the system, and what the user said before it.
    pub(super) fn start(dialogue: Arc<Dialogue>, service: Arc<Service>) -> (Self, Outcome) {
        let menu = Arc::new(menu(&service));
        let mut episode = Episode {
            dialogue,
            service,
            menu,
            at: 0,
            predicted: Vec::new(),
            past: Vec::new(),
            finished: Score::default(),
        };
        let (lines, calls) = episode.listen();
        let outcome = episode.outcome(lines.join("\n"), None, calls, None);
        (episode, outcome)
    }

    pub(super) fn turn(&self) -> Option<&Turn> {
        self.dialogue.turns.get(self.at)
    }

    pub(super) fn is_over(&self) -> bool {
        self.at >= self.dialogue.turns.len()
    }

    /// The score so far: what was not predicted counts once its turn has ended.
    pub(super) fn score(&self) -> Score {
        let now = self.turn().map(|t| Score::of(acts(t), &self.predicted)).unwrap_or_default();
        Score { missed: self.finished.missed, ..self.finished + now }
    }

    /// Whether everything was predicted, and nothing else.
    pub(super) fn is_won(&self) -> bool {
        self.is_over() && self.finished.is_exact()
    }

    /// The actions admissible now, sorted; none once the dialogue is over.
    pub(super) fn acts(&self) -> Vec<String> {
        if self.is_over() { Vec::new() } else { self.menu.to_vec() }
    }

    pub(super) fn predict(&mut self, text: &str) -> Outcome {
        match self.read(text) {
            Err(why) => self.outcome(why.clone(), None, Vec::new(), Some(why)),
            Ok(Reading::EndTurn) => {
                let (lines, calls) = self.end_turn();
                self.outcome(lines.join("\n"), None, calls, None)
            }
            Ok(Reading::Act(call)) => {
                let recorded = self.turn().is_some_and(|t| {
                    let count = |calls: &mut dyn Iterator<Item = &Call>| calls.filter(|c| **c == call).count();
                    count(&mut acts(t)) > count(&mut self.predicted.iter())
                });
                let mut lines = vec![if recorded { "As recorded." } else { "Not in the recording here." }.to_owned()];
                let mut calls = Vec::new();
                if let Some(status) = self.status_of(&call) {
                    lines.push(format!("({}, as recorded)", wording::calls(std::slice::from_ref(&status))));
                    calls.push(status);
                }
                self.predicted.push(call.clone());
                if self.predicted.len() >= LONGEST_TURN {
                    lines.push(format!("The turn ends after {LONGEST_TURN} acts."));
                    let (more, supplied) = self.end_turn();
                    lines.extend(more);
                    calls.extend(supplied);
                }
                self.outcome(lines.join("\n"), Some(call), calls, None)
            }
        }
    }

    fn read(&self, text: &str) -> Result<Reading, String> {
        if self.is_over() {
            return Err("The dialogue is over.".to_owned());
        }
        let text = text.trim();
        if text == END_TURN {
            return Ok(Reading::EndTurn);
        }
        let call: Call = text.parse().map_err(|_| {
            format!("`{text}` is no act of the system: name a call such as system.GOODBYE(), or `{END_TURN}`.")
        })?;
        if call.receiver == USER {
            return Ok(Reading::EndTurn);
        }
        if self.menu.binary_search(&call.to_string()).is_err() {
            return Err(format!("{call} is no act that the schema of {} allows.", self.service.name));
        }
        if self.service.intent(&call.function).is_none() {
            return Ok(Reading::Act(call));
        }
        if self.predicted.contains(&call) {
            return Err(format!("{call} was made in this turn already; the recording holds one result."));
        }
        if self.turn().is_some_and(|t| t.calls.contains(&call)) {
            return Ok(Reading::Act(call));
        }
        Err(format!("The recording holds no result for {call} in this turn, so it cannot be made."))
    }

    /// The recorded status that follows a service call in this turn.
    fn status_of(&self, call: &Call) -> Option<Call> {
        self.service.intent(&call.function)?;
        let calls = &self.turn()?.calls;
        let after = calls.iter().position(|c| c == call)? + 1;
        calls.get(after).filter(|c| is_query_status(c)).cloned()
    }

    /// Ends the system's turn: what it really said, what of it was not predicted, and the user's answer.
    fn end_turn(&mut self) -> (Vec<String>, Vec<Call>) {
        let Some(turn) = self.dialogue.turns.get(self.at) else { return Default::default() };
        let missed = missed(turn, &self.predicted);
        self.finished = self.finished + Score::of(acts(turn), &self.predicted);
        let mut lines = vec![turn.line()];
        if !missed.is_empty() {
            let listed: Vec<String> = missed.iter().filter(|c| !is_query_status(c)).map(ToString::to_string).collect();
            lines.push(format!("(not predicted: {})", listed.join(", ")));
        }
        let predicted = Arc::new(std::mem::take(&mut self.predicted));
        self.past.push(Past { turn: self.at, predicted });
        self.at += 1;
        let (heard, calls) = self.listen();
        lines.extend(heard);
        (lines, missed.into_iter().chain(calls).collect())
    }

    /// Takes in what the user says until it is the system's turn; the dialogue is over where it never is again.
    fn listen(&mut self) -> (Vec<String>, Vec<Call>) {
        let mut lines = Vec::new();
        let mut calls = Vec::new();
        while let Some(turn) = self.dialogue.turns.get(self.at).filter(|t| t.speaker == Speaker::User) {
            lines.push(turn.line());
            calls.extend(turn.calls.iter().cloned());
            self.at += 1;
        }
        (lines, calls)
    }

    fn outcome(
        &self,
        observation: String,
        action_call: Option<Call>,
        observation_calls: Vec<Call>,
        error: Option<String>,
    ) -> Outcome {
        Outcome {
            observation,
            action_call,
            observation_calls,
            error,
            reward: self.score().f1(self.is_over()),
            done: self.is_over(),
            won: self.is_won(),
            ..Outcome::default()
        }
    }
}

/// The acts of a recorded turn: its calls without the status of a query, which the world reports.
pub(super) fn acts(turn: &Turn) -> impl Iterator<Item = &Call> {
    turn.calls.iter().filter(|c| !is_query_status(c))
}

/// The calls of a recorded turn that were not predicted, in order; a status goes with its service call.
pub(super) fn missed(turn: &Turn, predicted: &[Call]) -> Vec<Call> {
    let mut left: Vec<&Call> = predicted.iter().collect();
    let mut missed = Vec::new();
    let mut before_missed = true;
    for call in &turn.calls {
        if is_query_status(call) {
            if before_missed {
                missed.push(call.clone());
            }
            continue;
        }
        match left.iter().position(|c| *c == call) {
            Some(at) => {
                left.swap_remove(at);
                before_missed = false;
            }
            None => {
                missed.push(call.clone());
                before_missed = true;
            }
        }
    }
    missed
}

/// Every act that a service's schema allows, and the end of the turn; sorted by code point.
fn menu(service: &Service) -> Vec<String> {
    use super::Argument;
    let mut menu = vec![END_TURN.to_owned()];
    for (act, argument) in super::SYSTEM_ACTS {
        let call = |arg: &str| Call::new(SYSTEM, act, [arg]).to_string();
        match argument {
            Argument::Nothing => menu.push(format!("{SYSTEM}.{act}()")),
            Argument::Slot => menu.extend(service.slots.iter().map(|s| call(&s.name))),
            Argument::Intent => menu.extend(service.intents.iter().map(|i| call(&i.name))),
        }
    }
    menu.extend(service.intents.iter().map(|i| format!("{SYSTEM}.{}()", i.name)));
    menu.sort_unstable();
    menu.dedup();
    menu
}
