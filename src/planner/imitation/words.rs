//! Why an action is offered, in words that can be counted: what the demonstrations did in the same place. Also what the other
//! party answered there.

use super::moment::{Heard, Moment, NOTHING};
use crate::program::Call;

/// A decision of the demonstrations, reduced to what is compared in words.
#[derive(Debug, Clone)]
struct Case {
    place: Place,
    /// `None` for the end of the turn.
    choice: Option<Choice>,
}

/// What the agent had before it.
#[derive(Debug, Clone, PartialEq)]
struct Place {
    /// The functions of the other party's last calls, each once, sorted.
    told: Vec<String>,
    /// The agent's last action of the turn, if it has acted.
    last: Option<String>,
    /// The last observations on the agent's own objects.
    noted: Vec<String>,
}

/// An action, with what its arguments repeat.
#[derive(Debug, Clone, PartialEq)]
struct Choice {
    function: String,
    /// The other party's function whose arguments it takes; otherwise its own arguments count.
    same_as: Option<String>,
    whole: Option<String>,
}

/// What the demonstrations did where.
#[derive(Debug, Clone, Default)]
pub struct Habits {
    cases: Vec<Case>,
    /// The agent's last action before the other party spoke, and what it said first.
    replies: Vec<(Option<Heard>, Heard)>,
}

/// Fewer cases than this in a place make one look at a wider place.
const FEW: usize = 2;

fn path(call: &Call) -> String {
    format!("{}.{}", call.receiver, call.function)
}

impl Place {
    fn of(moment: &Moment) -> Self {
        let mut told: Vec<String> = moment.told.iter().map(|h| path(&h.call)).collect();
        told.sort();
        told.dedup();
        let last = moment.turn.last().map(|h| h.call.to_string());
        Place { told, last, noted: moment.noted.iter().map(|h| h.call.to_string()).collect() }
    }

    fn is_like(&self, other: &Place, view: View<'_>) -> bool {
        match view {
            View::Whole => self == other,
            View::Told => self.told == other.told && self.last == other.last,
            View::One(function) => {
                other.told.iter().any(|t| t == function) && self.last_function() == other.last_function()
            }
            View::Last => self.last_function() == other.last_function(),
        }
    }

    fn last_function(&self) -> Option<&str> {
        self.last.as_deref().map(|call| call.split_once('(').map_or(call, |(function, _)| function))
    }

    fn in_words(&self, view: View<'_>) -> String {
        let mut parts: Vec<&str> = match view {
            View::Whole | View::Told => self.told.iter().map(String::as_str).collect(),
            View::One(function) => vec![function],
            View::Last => Vec::new(),
        };
        match view {
            View::Whole | View::Told => parts.extend(self.last.as_deref()),
            View::One(_) | View::Last => parts.extend(self.last_function()),
        }
        if matches!(view, View::Whole) && self.last.is_some() {
            parts.extend(self.noted.iter().map(String::as_str));
        }
        match parts.split_last() {
            None => "at the beginning of a turn".to_owned(),
            Some((only, [])) => format!("after {only}"),
            Some((end, rest)) => format!("after {} and {end}", rest.join(", ")),
        }
    }
}

/// How much of a place must be equal.
#[derive(Debug, Clone, Copy)]
enum View<'a> {
    Whole,
    /// All but what was noted.
    Told,
    /// One function of the other party, and the function of the agent's last action.
    One(&'a str),
    /// The function of the agent's last action alone.
    Last,
}

impl Choice {
    fn of(moment: &Moment, action: &Heard) -> Self {
        let same = |h: &&Heard| h.args == action.args && action.args != NOTHING;
        let same_as = moment.told.iter().find(same).map(|h| path(&h.call));
        let whole = if same_as.is_some() { None } else { Some(action.call.to_string()) };
        Choice { function: path(&action.call), same_as, whole }
    }

    fn in_words(&self) -> String {
        match (&self.same_as, &self.whole) {
            (Some(told), _) => format!("call {} with the argument of {told}", self.function),
            (None, Some(whole)) => format!("call {whole}"),
            (None, None) => format!("call {}", self.function),
        }
    }
}

impl Habits {
    /// Takes in a decision of the demonstrations.
    pub fn note(&mut self, moment: &Moment, choice: Option<Heard>) {
        let choice = choice.map(|action| Choice::of(moment, &action));
        self.cases.push(Case { place: Place::of(moment), choice });
    }

    /// Takes in what the other party said first after the agent's turn.
    pub fn note_reply(&mut self, moment: &Moment, reply: &Call) {
        self.replies.push((moment.turn.last().cloned(), Heard::from(reply)));
    }

    /// How often the demonstrations did so in the same place, or in the narrowest place that they were in more than once and
    /// did so in.
    pub fn why(&self, moment: &Moment, action: Option<&Heard>) -> String {
        let place = Place::of(moment);
        let choice = action.map(|action| Choice::of(moment, action));
        let seen = |view: View<'_>| {
            let cases = self.cases.iter().filter(|c| place.is_like(&c.place, view));
            cases.fold((0, 0), |(alike, all), case| (alike + usize::from(case.choice == choice), all + 1))
        };
        let does = choice.as_ref().map_or_else(|| "end the turn".to_owned(), Choice::in_words);
        let words = |view: View<'_>, (alike, all): (usize, usize)| {
            format!("{} the demonstrations {does} ({alike} of {all})", place.in_words(view))
        };
        for view in [View::Whole, View::Told] {
            let count = seen(view);
            if count.0 > 0 && count.1 >= FEW {
                return words(view, count);
            }
        }
        // Of what was told, the one after which they did so most regularly.
        let ones = place.told.iter().map(|told| View::One(told)).map(|view| (view, seen(view)));
        let share = |(alike, all): (usize, usize)| alike as f64 / all.max(1) as f64;
        let best = ones.max_by(|a, b| share(a.1).total_cmp(&share(b.1)));
        if let Some((view, count)) = best.filter(|(_, count)| count.0 > 0) {
            return words(view, count);
        }
        match seen(View::Last) {
            (0, _) => "the demonstrations never do so in a place like this; it resembles others in parts".to_owned(),
            count => words(View::Last, count),
        }
    }

    /// What the other party may say next: what it said most often after the agent's last action, else after the same function,
    /// else at all.
    pub fn reply(&self, moment: &Moment) -> Option<Call> {
        let last = moment.turn.last();
        let after = |same: &dyn Fn(&Heard) -> bool| -> Vec<Call> {
            let cases = self.replies.iter().filter_map(|(action, reply)| Some((action.as_ref()?, reply)));
            cases.filter(|(action, _)| same(action)).map(|(action, reply)| lifted(action, reply, last)).collect()
        };
        let whole = after(&|action| last == Some(action));
        let alike = after(&|action| last.is_some_and(|l| l.function == action.function));
        let any: Vec<Call> = self.replies.iter().map(|(_, reply)| reply.call.clone()).collect();
        [whole, alike, any].into_iter().find_map(most_frequent)
    }
}

/// A reply whose arguments repeat the action's repeats those of the present action.
fn lifted(action: &Heard, reply: &Heard, now: Option<&Heard>) -> Call {
    let args = match now {
        Some(now) if reply.args == action.args => now.call.args.clone(),
        _ => reply.call.args.clone(),
    };
    Call { args, ..reply.call.clone() }
}

/// The call that is there most often; the earliest of equals.
fn most_frequent(calls: Vec<Call>) -> Option<Call> {
    let count = |call: &Call| calls.iter().filter(|c| *c == call).count();
    let most = calls.iter().map(count).max()?;
    calls.iter().find(|call| count(call) == most).cloned()
}
