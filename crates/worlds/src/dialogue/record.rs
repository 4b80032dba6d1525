//! Record of a dialogue, turn by turn, each turn with its program calls.

use super::acts::{QUERY_STATUS, SYSTEM};
use super::wording;
use stepwright_program::Call;
use stepwright_trajectory::Step;
use stepwright_world::ProgramHeader;
use stepwright_world::demonstration::Demonstration;

/// The action that ends the system's turn.
pub const END_TURN: &str = "end turn";

#[derive(Debug, Clone, Copy, PartialEq, Eq, strum::Display)]
pub enum Speaker {
    User,
    System,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Turn {
    pub speaker: Speaker,
    /// The words; empty where the data has calls alone.
    pub utterance: String,
    /// Its calls in program order: a service call and its status first, then the acts, duplicates kept.
    pub calls: Vec<Call>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Dialogue {
    /// `split/dialogue_id`; unique within its source.
    pub id: String,
    pub service: String,
    pub turns: Vec<Turn>,
}

impl Turn {
    /// It as a line: who, and what was said, or done where the words are not known.
    pub(super) fn line(&self) -> String {
        let done = || format!("({})", wording::calls(&self.calls));
        format!("{}: {}", self.speaker, if self.utterance.is_empty() { done() } else { self.utterance.clone() })
    }
}

impl Dialogue {
    pub fn calls(&self) -> impl Iterator<Item = &Call> {
        self.turns.iter().flat_map(|t| &t.calls)
    }

    /// The service calls made in it, each once, in the order of the first call.
    pub(crate) fn service_calls(&self) -> Vec<&str> {
        let mut found: Vec<&str> = Vec::new();
        for call in self.calls().filter(|c| c.receiver == SYSTEM) {
            let named = super::acts::argument(&super::acts::SYSTEM_ACTS, &call.function).is_some();
            if !named && call.function != QUERY_STATUS && !found.contains(&call.function.as_str()) {
                found.push(&call.function);
            }
        }
        found
    }

    /// Its beginning in a line: the service, and the user's first words.
    pub fn opening(&self) -> String {
        match self.turns.first() {
            Some(first) if !first.utterance.is_empty() => format!("{}: {}", self.service, first.utterance),
            _ => self.service.clone(),
        }
    }

    /// Its subject in a line, for those who may know how it continues: the service, the calls, and the beginning.
    pub fn sentence(&self) -> String {
        let called = self.service_calls();
        let mut sentence = self.service.clone();
        if !called.is_empty() {
            sentence.push_str(": ");
            sentence.push_str(&called.join(", "));
        }
        match self.turns.first() {
            Some(first) if !first.utterance.is_empty() => format!("{sentence}. {}", first.utterance),
            _ => sentence,
        }
    }
}

/// How every dialogue opens as a program, as in Figure 6 of the precondition paper.
pub(super) fn header() -> ProgramHeader {
    ProgramHeader {
        function: "demonstration".to_owned(),
        comment: String::new(),
        setup: vec!["user = USER()".to_owned(), "system = SYSTEM(user)".to_owned()],
    }
}

/// Whether a call reports how a service call ended.
pub(super) fn is_query_status(call: &Call) -> bool {
    call.receiver == SYSTEM && call.function == QUERY_STATUS
}

impl From<&Dialogue> for Demonstration {
    /// One step an act of the system, with a query's status as what was observed after its service call; the turn's end is a
    /// step without a call, after which the user's calls are observed.
    fn from(dialogue: &Dialogue) -> Demonstration {
        let mut steps = vec![Step::default()];
        for turn in &dialogue.turns {
            match turn.speaker {
                Speaker::User => {
                    if let Some(step) = steps.last_mut() {
                        let said = turn.line();
                        step.observation = Some(match step.observation.take() {
                            Some(before) => format!("{before}\n{said}"),
                            None => said,
                        });
                        step.calls.extend(turn.calls.iter().cloned());
                    }
                }
                Speaker::System => {
                    for call in &turn.calls {
                        match steps.last_mut() {
                            Some(step) if is_query_status(call) => step.calls.push(call.clone()),
                            _ => steps.push(Step {
                                action: call.to_string(),
                                call: Some(call.clone()),
                                ..Step::default()
                            }),
                        }
                    }
                    steps.push(Step { action: END_TURN.to_owned(), ..Step::default() });
                }
            }
        }
        Demonstration {
            id: dialogue.id.clone(),
            task_type: dialogue.service.clone(),
            sentence: dialogue.sentence(),
            header: header(),
            steps,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_turn_whose_words_are_not_known_says_what_was_done() {
        let line = |utterance: &str| {
            let calls = vec!["user.INFORM('city')".parse().unwrap()];
            Turn { speaker: Speaker::User, utterance: utterance.to_owned(), calls }.line()
        };
        assert_eq!((line("In Oslo."), line("")), ("User: In Oslo.".into(), "User: (tells city)".into()));
    }
}
