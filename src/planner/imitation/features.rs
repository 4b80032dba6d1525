//! What may speak for or against an action at a moment: each feature joins something of the moment with the action's function,
//! or with the whole action. Features are keys; their weights are learned elsewhere.
//!
//! Arguments are compared, never read: an action may have the argument of what the other party just said, ever said, or of what
//! the agent said before. So what is learned of one argument serves another.

use super::moment::{Heard, Moment, NOTHING, functions};

/// Kinds of features, so that equal keys of different kinds stay apart.
#[derive(Clone, Copy)]
enum Kind {
    Always = 1,
    Last,
    LastWhole,
    Told,
    LastTold,
    TurnTold,
    LastTwo,
    OneTold,
    ToldWhole,
    Noted,
    NotedLast,
    Before,
    BeforeTold,
    BeforeEnd,
    Length,
    Ever,
    Latest,
    Pending,
    PendingLast,
    Again,
    Done,
    SameAsTold,
    SameAsEver,
    SameAsBefore,
    SameAsToldLast,
    SameAsToldTurn,
}

/// The beginning of a turn, where there is no last action.
const START: u64 = 0x5354_4152_5400;
/// What the end of the turn counts as.
const END: u64 = 0x454e_4400;

/// Joins two keys, order counting.
fn join(a: u64, b: u64) -> u64 {
    let mut x = a.rotate_left(23) ^ b.wrapping_mul(0x9e37_79b9_7f4a_7c15);
    x ^= x >> 29;
    x = x.wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x ^ (x >> 32)
}

fn of(kind: Kind, keys: &[u64]) -> u64 {
    keys.iter().fold(kind as u64, |key, next| join(key, *next))
}

fn all(keys: &[u64]) -> u64 {
    keys.iter().fold(keys.len() as u64, |key, next| join(key, *next))
}

/// What is the same for all actions at a moment.
pub struct Scene<'a> {
    moment: &'a Moment,
    shared: Vec<u64>,
    told: u64,
    last: u64,
    turn: u64,
}

impl<'a> Scene<'a> {
    /// Of a moment.
    pub fn of(moment: &'a Moment) -> Self {
        let function = |heard: Option<&Heard>| heard.map_or(START, |h| h.function);
        let last_call = moment.turn.last();
        let last = function(last_call);
        let told_functions = moment.told_functions();
        let told = all(&told_functions);
        let turn = all(&functions(&moment.turn));
        let before = all(&functions(&moment.before));
        let mut noted: Vec<u64> = moment.noted.iter().map(|h| join(h.function, h.args)).collect();
        noted.sort_unstable();
        let noted = all(&noted);
        let mut shared = vec![
            of(Kind::Always, &[]),
            of(Kind::Last, &[last]),
            of(Kind::LastWhole, &[last, last_call.map_or(NOTHING, |h| h.args)]),
            of(Kind::Told, &[told]),
            of(Kind::LastTold, &[last, told]),
            of(Kind::TurnTold, &[turn, told]),
            of(Kind::LastTwo, &[last, function(moment.turn.iter().rev().nth(1))]),
            of(Kind::Noted, &[noted]),
            of(Kind::NotedLast, &[noted, last]),
            of(Kind::Before, &[before]),
            of(Kind::BeforeTold, &[before, told, last]),
            of(Kind::Length, &[moment.turn.len() as u64]),
        ];
        if let Some(end) = moment.before.last() {
            shared.push(of(Kind::BeforeEnd, &[end.function, end.args, last]));
        }
        shared.extend(told_functions.iter().map(|f| of(Kind::OneTold, &[*f, last])));
        let with_arguments = |list: &'a [Heard]| list.iter().filter(|h| h.args != NOTHING);
        shared.extend(with_arguments(&moment.told).map(|h| of(Kind::ToldWhole, &[h.function, h.args, last])));
        shared.extend(moment.ever.iter().map(|h| of(Kind::Ever, &[h.function, h.args])));
        shared.extend(moment.latest.iter().map(|h| of(Kind::Latest, &[h.function, h.args, last])));
        // What the other party just named and the agent has not taken up in this turn.
        let open = with_arguments(&moment.told).filter(|h| moment.turn.iter().all(|t| t.args != h.args));
        let mut open: Vec<u64> = open.map(|h| h.function).collect();
        open.sort_unstable();
        open.dedup();
        shared.push(of(Kind::Pending, &[all(&open)]));
        shared.push(of(Kind::PendingLast, &[all(&open), last]));
        Scene { moment, shared, told, last, turn }
    }

    /// The features of an action, or of the end of the turn.
    pub fn features(&self, action: Option<&Heard>, features: &mut Vec<u64>) {
        features.clear();
        let (function, args) = action.map_or((END, NOTHING), |a| (a.function, a.args));
        for shared in &self.shared {
            features.push(join(*shared, function));
            if args != NOTHING {
                features.push(join(join(*shared, function), args));
            }
        }
        let mut own = |key: u64| {
            features.push(join(key, function));
            features.push(join(join(key, function), self.told));
            if args != NOTHING {
                features.push(join(join(key, function), args) ^ 1);
            }
        };
        let among = |list: &[Heard]| action.is_some_and(|a| list.contains(a)) as u64;
        own(of(Kind::Again, &[among(&self.moment.turn)]));
        own(of(Kind::Done, &[among(&self.moment.done), among(&self.moment.before)]));
        if args == NOTHING {
            return;
        }
        let same = |list: &[Heard]| -> u64 {
            let same: Vec<Heard> = list.iter().filter(|h| h.args == args).cloned().collect();
            all(&functions(&same))
        };
        let told = same(&self.moment.told);
        own(of(Kind::SameAsTold, &[told]));
        own(of(Kind::SameAsEver, &[same(&self.moment.ever)]));
        own(of(Kind::SameAsBefore, &[same(&self.moment.before)]));
        own(of(Kind::SameAsToldLast, &[told, self.last]));
        own(of(Kind::SameAsToldTurn, &[told, self.turn]));
    }
}
