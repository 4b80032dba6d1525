//! Features that count for or against an action at a moment: each joins a part of the moment with the action's function,
//! or with the whole action. Features are keys; their weights are learned elsewhere.
//!
//! Arguments are compared, never read: an action may have the argument of what the other party just said, ever said, or of what
//! the agent said before. So what is learned of one argument serves another.

use super::moment::{Heard, Moment, NOTHING, functions};

/// Kinds of features, so that equal keys of different kinds stay apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Always = 1,
    Last,
    LastWhole,
    Said,
    LastSaid,
    TurnSaid,
    LastTwo,
    OneSaid,
    SaidWhole,
    Noted,
    NotedLast,
    Before,
    BeforeSaid,
    BeforeEnd,
    Length,
    Ever,
    Latest,
    Pending,
    PendingLast,
    Again,
    Done,
    SameAsSaid,
    SameAsEver,
    SameAsBefore,
    SameAsSaidLast,
    SameAsSaidTurn,
}

impl Kind {
    /// Whether the agent's last action of the turn (or that there is none) belongs to it.
    pub(crate) fn includes_last(self) -> bool {
        use Kind::*;
        matches!(
            self,
            Last | LastWhole
                | LastSaid
                | LastTwo
                | OneSaid
                | SaidWhole
                | NotedLast
                | BeforeSaid
                | BeforeEnd
                | Latest
                | PendingLast
        )
    }
}

/// The beginning of a turn, where there is no last action.
const START: u64 = 0x5354_4152_5400;
/// The key of a turn's end.
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

/// One thing about a moment, the same for all actions, that may speak for some of them.
#[derive(Debug, Clone, Copy)]
pub struct Sign<'a> {
    pub key: u64,
    pub kind: Kind,
    /// The call it is about, where the moment has several.
    pub about: Option<&'a Heard>,
}

impl Sign<'_> {
    /// Its features for an action, or for the end of the turn: with the function, and with the whole action.
    pub fn features(&self, action: Option<&Heard>) -> impl Iterator<Item = u64> + use<> {
        let (function, args) = action.map_or((END, NOTHING), |a| (a.function, a.args));
        let with_function = join(self.key, function);
        std::iter::once(with_function).chain((args != NOTHING).then(|| join(with_function, args)))
    }
}

/// The part of a moment that is the same for all actions.
pub struct Scene<'a> {
    moment: &'a Moment,
    shared: Vec<Sign<'a>>,
    said: u64,
    last: u64,
    turn: u64,
}

impl<'a> Scene<'a> {
    pub fn of(moment: &'a Moment) -> Self {
        let function = |heard: Option<&Heard>| heard.map_or(START, |h| h.function);
        let last_call = moment.turn.last();
        let last = function(last_call);
        let said_functions = moment.said_functions();
        let said = all(&said_functions);
        let turn = all(&functions(&moment.turn));
        let before = all(&functions(&moment.before));
        let mut noted: Vec<u64> = moment.noted.iter().map(|h| join(h.function, h.args)).collect();
        noted.sort_unstable();
        let noted = all(&noted);
        let mut shared = Vec::new();
        let mut add = |kind, about, keys: &[u64]| shared.push(Sign { key: of(kind, keys), kind, about });
        add(Kind::Always, None, &[]);
        add(Kind::Last, None, &[last]);
        add(Kind::LastWhole, None, &[last, last_call.map_or(NOTHING, |h| h.args)]);
        add(Kind::Said, None, &[said]);
        add(Kind::LastSaid, None, &[last, said]);
        add(Kind::TurnSaid, None, &[turn, said]);
        add(Kind::LastTwo, None, &[last, function(moment.turn.iter().rev().nth(1))]);
        add(Kind::Noted, None, &[noted]);
        add(Kind::NotedLast, None, &[noted, last]);
        add(Kind::Before, None, &[before]);
        add(Kind::BeforeSaid, None, &[before, said, last]);
        add(Kind::Length, None, &[moment.turn.len() as u64]);
        if let Some(end) = moment.before.last() {
            add(Kind::BeforeEnd, Some(end), &[end.function, end.args, last]);
        }
        for said in &said_functions {
            add(Kind::OneSaid, moment.said.iter().find(|h| h.function == *said), &[*said, last]);
        }
        let with_arguments = |list: &'a [Heard]| list.iter().filter(|h| h.args != NOTHING);
        for said in with_arguments(&moment.said) {
            add(Kind::SaidWhole, Some(said), &[said.function, said.args, last]);
        }
        for ever in &moment.ever {
            add(Kind::Ever, Some(ever), &[ever.function, ever.args]);
        }
        for latest in &moment.latest {
            add(Kind::Latest, Some(latest), &[latest.function, latest.args, last]);
        }
        let open = all(&functions(&moment.open()));
        add(Kind::Pending, None, &[open]);
        add(Kind::PendingLast, None, &[open, last]);
        Scene { moment, shared, said, last, turn }
    }

    pub fn moment(&self) -> &'a Moment {
        self.moment
    }

    /// The signs that may speak for actions here.
    pub fn signs(&self) -> &[Sign<'a>] {
        &self.shared
    }

    /// The features of an action, or of the end of the turn.
    pub fn features(&self, action: Option<&Heard>, features: &mut Vec<u64>) {
        features.clear();
        let (function, args) = action.map_or((END, NOTHING), |a| (a.function, a.args));
        for sign in &self.shared {
            features.extend(sign.features(action));
        }
        let mut own = |key: u64| {
            features.push(join(key, function));
            features.push(join(join(key, function), self.said));
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
        let said = same(&self.moment.said);
        own(of(Kind::SameAsSaid, &[said]));
        own(of(Kind::SameAsEver, &[same(&self.moment.ever)]));
        own(of(Kind::SameAsBefore, &[same(&self.moment.before)]));
        own(of(Kind::SameAsSaidLast, &[said, self.last]));
        own(of(Kind::SameAsSaidTurn, &[said, self.turn]));
    }
}
