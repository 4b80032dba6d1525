//! Exchanges: what one party says to make the other say something, and what the other takes up at once. Counts of the demonstrations'
//! turns, each with the one after it.

use std::collections::{BTreeMap, BTreeSet};

use super::moment::{Heard, Moment, NOTHING, Parties};
use stepwright_program::Call;

/// Fewer cases than this show little.
const FEW: usize = 2;
/// The share of questions that are answered, and of answers that were asked for.
const ASKS: f64 = 0.5;
const ASKED: f64 = 0.8;
/// The share of questions that the agent answers in the same turn, where an answer is due.
const DUE: f64 = 0.9;

#[derive(Debug, Clone, Default)]
pub(super) struct Exchanges {
    /// A call's function, that of one in the next turn, and whether that has the same arguments.
    pairs: BTreeMap<(u64, u64, bool), usize>,
    /// Calls with a turn after them, and calls with one before them, by function.
    followed: BTreeMap<u64, usize>,
    preceded: BTreeMap<u64, usize>,
}

impl Exchanges {
    pub fn of(parties: &Parties, demos: &[Vec<Call>]) -> Self {
        let mut exchanges = Exchanges::default();
        for calls in demos {
            let mut turns: Vec<(bool, Vec<Heard>)> = Vec::new();
            for call in calls.iter().filter(|call| parties.is_other(call) || parties.is_action(call)) {
                let (other, heard) = (parties.is_other(call), Heard::from(call));
                match turns.last_mut() {
                    Some((speaker, turn)) if *speaker == other => turn.push(heard),
                    _ => turns.push((other, vec![heard])),
                }
            }
            for (one, next) in turns.iter().zip(turns.iter().skip(1)) {
                exchanges.note(&one.1, &next.1);
            }
        }
        exchanges
    }

    fn note(&mut self, one: &[Heard], next: &[Heard]) {
        for heard in one {
            *self.followed.entry(heard.function).or_default() += 1;
            let after: BTreeSet<(u64, bool)> = next.iter().map(|n| (n.function, is_same(heard, n))).collect();
            for (function, same) in after {
                *self.pairs.entry((heard.function, function, same)).or_default() += 1;
            }
        }
        for heard in next {
            *self.preceded.entry(heard.function).or_default() += 1;
        }
    }

    /// Whether an action of the agent asks for a call of the other party: it has the same arguments and is mostly answered so, or the
    /// call has none, mostly follows such actions, and follows nothing else.
    pub fn asks(&self, action: &Heard, reply: &Heard) -> bool {
        let same = reply.args != NOTHING;
        let times = self.pairs.get(&(action.function, reply.function, same)).copied().unwrap_or_default();
        let share =
            |of: &BTreeMap<u64, usize>, f: u64| times as f64 / of.get(&f).copied().unwrap_or_default().max(1) as f64;
        times >= FEW
            && share(&self.followed, action.function) >= ASKS
            && if same { action.args == reply.args } else { share(&self.preceded, reply.function) >= ASKED }
    }

    /// Whether an action of the agent is mostly answered with its own arguments: it only asks.
    pub fn is_question(&self, action: &Heard) -> bool {
        let answered = |((one, _, same), times): (&(u64, u64, bool), &usize)| {
            let all = self.followed.get(one).copied().unwrap_or_default();
            *one == action.function && *same && *times >= FEW && *times as f64 >= ASKS * all as f64
        };
        self.pairs.iter().any(answered)
    }

    /// The actions that what the other party just said asks for and that are not taken yet.
    pub fn due(&self, moment: &Moment, known: &[Heard]) -> Vec<Call> {
        let mut due: Vec<Call> = Vec::new();
        for said in moment.said.iter().filter(|said| said.args != NOTHING) {
            let all = self.followed.get(&said.function).copied().unwrap_or_default();
            let answers = known.iter().filter(|known| {
                let times = self.pairs.get(&(said.function, known.function, true)).copied().unwrap_or_default();
                times >= FEW && times as f64 >= DUE * all as f64
            });
            for answer in answers {
                let call = Call { args: said.call.args.clone(), ..answer.call.clone() };
                let taken = moment.turn.iter().any(|taken| taken.call == call);
                if !taken && !due.contains(&call) {
                    due.push(call);
                }
            }
        }
        due
    }
}

fn is_same(one: &Heard, next: &Heard) -> bool {
    one.args != NOTHING && one.args == next.args
}
