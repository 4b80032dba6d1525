//! Policy metrics: how predicted acts agree with the recorded ones, and how many of them their true preconditions permit.
//!
//! Acts in, counts out; asks nobody and predicts nothing.

use serde::{Deserialize, Serialize};

use stepwright_precondition::Score;
use stepwright_program::{Call, Role, Rules, Specification, State};
use stepwright_worlds::dialogue::{Dialogue, Speaker};

#[derive(Debug, Clone, PartialEq)]
pub struct SystemTurn {
    /// Index of its first call among the dialogue's calls.
    pub start: usize,
    /// Its actions, in order.
    pub acts: Vec<Call>,
    /// The query's status, and the action that it answers: the one before it.
    pub answer: Option<(Call, Call)>,
}

impl SystemTurn {
    /// The system's turns of a dialogue that hold an action.
    pub fn of(dialogue: &Dialogue, specification: &Specification) -> Vec<SystemTurn> {
        let is_action = |call: &Call| {
            specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action)
        };
        let mut found = Vec::new();
        let mut next = 0;
        for turn in &dialogue.turns {
            let start = next;
            next += turn.calls.len();
            let acts: Vec<Call> = turn.calls.iter().filter(|c| is_action(c)).cloned().collect();
            if turn.speaker == Speaker::System && !acts.is_empty() {
                let answer = turn.calls.windows(2).find_map(|pair| match pair {
                    [act, status] if is_action(act) && !is_action(status) => Some((act.clone(), status.clone())),
                    _ => None,
                });
                found.push(SystemTurn { start, acts, answer });
            }
        }
        found
    }
}

/// True and false positives and false negatives.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Counts {
    pub tp: u64,
    /// Predicted, not recorded.
    pub fp: u64,
    /// Recorded, not predicted.
    #[serde(rename = "fn")]
    pub r#fn: u64,
}

impl Counts {
    /// Of one turn: two multisets of actions.
    pub fn of(predicted: &[Call], recorded: &[Call]) -> Self {
        let mut left: Vec<&Call> = recorded.iter().collect();
        let mut tp = 0;
        for call in predicted {
            if let Some(at) = left.iter().position(|other| *other == call) {
                left.swap_remove(at);
                tp += 1;
            }
        }
        Counts { tp, fp: predicted.len() as u64 - tp, r#fn: recorded.len() as u64 - tp }
    }

    pub fn add(&mut self, other: Counts) {
        self.tp += other.tp;
        self.fp += other.fp;
        self.r#fn += other.r#fn;
    }

    /// Precision, recall and F1 over all that was counted (micro). A share of nothing is 1 if nothing was predicted and nothing
    /// recorded, else 0.
    pub fn score(self) -> Score {
        let (predicted, recorded) = (self.tp + self.fp, self.tp + self.r#fn);
        let share = |of: u64| match of {
            0 if predicted == recorded => 1.0,
            0 => 0.0,
            _ => self.tp as f64 / of as f64,
        };
        Score::new(share(predicted), share(recorded))
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
pub struct Compatibility {
    pub predicted: u64,
    pub compatible: u64,
}

impl Compatibility {
    pub fn add(&mut self, compatible: &[bool]) {
        self.predicted += compatible.len() as u64;
        self.compatible += compatible.iter().filter(|holds| **holds).count() as u64;
    }

    pub fn merge(&mut self, other: Compatibility) {
        self.predicted += other.predicted;
        self.compatible += other.compatible;
    }

    /// The share; `None` where nothing was predicted.
    pub fn share(self) -> Option<f64> {
        (self.predicted > 0).then(|| self.compatible as f64 / self.predicted as f64)
    }
}

/// Whether the assertions of each predicted action hold in the state at the start of the turn. Once the action that the turn's
/// recorded query status answers has been predicted, that status applies.
pub fn compatible(start: &State, truth: &Rules, predicted: &[Call], turn: &SystemTurn) -> Vec<bool> {
    let mut state = start.clone();
    let mut holds = Vec::with_capacity(predicted.len());
    for call in predicted {
        holds.push(permitted(&state, truth, call));
        if let Some((service, status)) = &turn.answer
            && call == service
        {
            // What was recorded ran when the dialogue was read.
            let _ = state.call_unchecked(status);
        }
    }
    holds
}

/// Whether the true preconditions of an action hold in a state, and it can be executed there.
pub fn permitted(state: &State, truth: &Rules, call: &Call) -> bool {
    state.under(truth, call).iter().all(|(_, result)| result.holds()) && state.obstacle(call).is_none()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_method::verify::rules;
    use stepwright_worlds::dialogue::Turn;

    const SPEC: &str = "SETUP = ['user = User()', 'system = System(user)']\nACTIONS = ['system.ASK', 'system.Find', 'system.OFFER']\nOBSERVATIONS = ['user.TELL', 'system.set_query_status']\n\nclass User:\n    def __init__(self):\n        self.told = False\n\n    def TELL(self):\n        self.told = True\n\nclass System:\n    def __init__(self, user):\n        self.user = user\n        self.query_success = None\n\n    def set_query_status(self, status):\n        self.query_success = status\n\n    def ASK(self):\n        pass\n\n    def Find(self):\n        pass\n\n    def OFFER(self):\n        pass\n";

    fn calls(texts: &[&str]) -> Vec<Call> {
        texts.iter().map(|t| t.parse().unwrap()).collect()
    }

    fn dialogue() -> (Specification, Dialogue) {
        let turn = |speaker, texts: &[&str]| Turn { speaker, utterance: String::new(), calls: calls(texts) };
        let turns = vec![
            turn(Speaker::User, &["user.TELL()"]),
            turn(Speaker::System, &["system.ASK()"]),
            turn(Speaker::User, &["user.TELL()"]),
            turn(
                Speaker::System,
                &["system.Find()", "system.set_query_status(True)", "system.OFFER()", "system.OFFER()"],
            ),
            turn(Speaker::User, &[]),
            turn(Speaker::System, &[]),
        ];
        let dialogue = Dialogue { id: "test/1".into(), service: "S".into(), turns };
        (Specification::load(SPEC, "spec.py").unwrap(), dialogue)
    }

    #[test]
    fn turns_are_the_systems() {
        let (spec, dialogue) = dialogue();
        let turns = SystemTurn::of(&dialogue, &spec);
        assert_eq!(turns.iter().map(|t| t.start).collect::<Vec<_>>(), [1, 3]);
        assert_eq!(turns[1].acts, calls(&["system.Find()", "system.OFFER()", "system.OFFER()"]));
        assert_eq!(turns[1].answer.as_ref().unwrap().0.function, "Find");
    }

    #[test]
    fn acts_are_counted_as_multisets() {
        let counts = Counts::of(&calls(&["a.f()", "a.f()", "a.g()"]), &calls(&["a.f()", "a.h()"]));
        assert_eq!(counts, Counts { tp: 1, fp: 2, r#fn: 1 });
        let score = counts.score();
        assert_eq!((score.precision, score.recall), (1.0 / 3.0, 0.5));
        assert_eq!(Counts::default().score().f1, 1.0);
        assert_eq!(Counts { tp: 0, fp: 0, r#fn: 2 }.score().f1, 0.0);
    }

    #[test]
    fn the_status_applies_once_its_call_is_predicted() {
        let (spec, dialogue) = dialogue();
        let turns = SystemTurn::of(&dialogue, &spec);
        let truth = rules([("OFFER", ["self.query_success".to_owned()].as_slice())]).unwrap();
        let state = spec.start().unwrap();
        let holds = |texts: &[&str]| compatible(&state, &truth, &calls(texts), &turns[1]);
        assert_eq!(holds(&["system.OFFER()", "system.Find()", "system.OFFER()"]), [false, true, true]);
        assert_eq!(holds(&["system.ASK()", "system.OFFER()"]), [true, false]);
        // What cannot be executed is not permitted.
        assert_eq!(holds(&["system.ASK('x')", "system.FLY()"]), [false, false]);
        let mut sum = Compatibility::default();
        assert_eq!(sum.share(), None);
        sum.add(&[true, false]);
        assert_eq!(sum.share(), Some(0.5));
    }
}
