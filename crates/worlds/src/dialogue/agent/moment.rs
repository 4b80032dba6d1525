//! Moments of an episode, from its calls: what the other party just said and ever said, what the agent has done in
//! this turn and in the one before. Counts and compares, judges nothing.

use std::collections::BTreeSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};

use stepwright_program::Call;
use stepwright_world::demonstration::Demonstration;

#[derive(Debug, Clone, Default)]
pub(crate) struct Parties {
    /// The agent's actions, by [`Heard::function`].
    actions: BTreeSet<u64>,
    /// The objects the agent's actions are called on.
    agents: BTreeSet<String>,
}

impl Parties {
    /// Of demonstrations. `None` unless another party takes turns in them: calls on objects that the agent never acts on.
    pub fn of(demonstrations: &[Demonstration]) -> Option<Self> {
        let mut parties = Parties::default();
        for call in demonstrations.iter().flat_map(|d| &d.steps).filter_map(|s| s.call.as_ref()) {
            parties.actions.insert(function_of(call));
            if !parties.agents.contains(&call.receiver) {
                parties.agents.insert(call.receiver.clone());
            }
        }
        let others = demonstrations.iter().flat_map(Demonstration::calls).any(|c| parties.is_other(c));
        (others && !parties.actions.is_empty()).then_some(parties)
    }

    pub(crate) fn is_other(&self, call: &Call) -> bool {
        !self.agents.contains(&call.receiver)
    }

    /// Whether some actions are the same, whatever their arguments.
    pub fn has_actions_of(&self, other: &Parties) -> bool {
        !self.actions.is_disjoint(&other.actions)
    }

    pub fn is_action(&self, call: &Call) -> bool {
        self.actions.contains(&function_of(call))
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Heard {
    pub call: Call,
    /// Stands for its object and function.
    pub function: u64,
    /// Stands for its arguments; [`NOTHING`] where there are none.
    pub args: u64,
}

/// The key of no arguments.
pub const NOTHING: u64 = 0;

impl From<&Call> for Heard {
    fn from(call: &Call) -> Self {
        let args = if call.args.is_empty() {
            NOTHING
        } else {
            let mut hasher = DefaultHasher::new();
            for arg in &call.args {
                arg.to_string().hash(&mut hasher);
            }
            hasher.finish()
        };
        Heard { call: call.clone(), function: function_of(call), args }
    }
}

impl PartialEq for Heard {
    fn eq(&self, other: &Self) -> bool {
        self.function == other.function && self.args == other.args
    }
}

fn function_of(call: &Call) -> u64 {
    let mut hasher = DefaultHasher::new();
    call.receiver.hash(&mut hasher);
    call.function.hash(&mut hasher);
    hasher.finish()
}

#[derive(Debug, Clone, Default)]
pub struct Moment {
    pub turn: Vec<Heard>,
    pub before: Vec<Heard>,
    pub said: Vec<Heard>,
    /// Each different call the other party ever made.
    pub ever: Vec<Heard>,
    /// The other party's last call of each function that takes arguments.
    pub latest: Vec<Heard>,
    /// The last of each observation made on the agent's own objects.
    pub noted: Vec<Heard>,
    /// Each different action the agent ever took.
    pub done: Vec<Heard>,
    listening: bool,
}

impl Moment {
    pub fn hear(&mut self, parties: &Parties, call: &Call) {
        let heard = Heard::from(call);
        if parties.is_other(call) {
            if !self.listening {
                self.before = std::mem::take(&mut self.turn);
                self.said.clear();
                self.listening = true;
            }
            if heard.args != NOTHING {
                replace(&mut self.latest, &heard);
            }
            if !self.ever.contains(&heard) {
                self.ever.push(heard.clone());
            }
            self.said.push(heard);
        } else {
            self.listening = false;
            if parties.is_action(call) {
                if !self.done.contains(&heard) {
                    self.done.push(heard.clone());
                }
                self.turn.push(heard);
            } else {
                replace(&mut self.noted, &heard);
            }
        }
    }

    /// Whether the other party made the last call.
    pub(crate) fn is_listening(&self) -> bool {
        self.listening
    }

    /// The other party's last calls that the agent has not taken up in this turn.
    pub fn open(&self) -> Vec<Heard> {
        let named = self.said.iter().filter(|h| h.args != NOTHING);
        named.filter(|h| self.turn.iter().all(|t| t.args != h.args)).cloned().collect()
    }

    /// The functions of the other party's last calls, each once, sorted.
    pub(crate) fn said_functions(&self) -> Vec<u64> {
        functions(&self.said)
    }
}

/// The functions of calls, each once, sorted.
pub fn functions(calls: &[Heard]) -> Vec<u64> {
    let mut all: Vec<u64> = calls.iter().map(|c| c.function).collect();
    all.sort_unstable();
    all.dedup();
    all
}

fn replace(list: &mut Vec<Heard>, heard: &Heard) {
    match list.iter_mut().find(|h| h.function == heard.function) {
        Some(old) => *old = heard.clone(),
        None => list.push(heard.clone()),
    }
}
