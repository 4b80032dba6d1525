//! Rationale of an offered action, as counts: what the demonstrations did where the same signs spoke for
//! the action. Also what the other party answered there.
//!
//! The counts are of what ranks: of the signs of the moment, those that weigh most for the action, as few as make the count agree
//! with its probability.

use super::features::{Kind, Scene, Sign};
use super::fit::Weights;
use super::moment::{Heard, Moment, NOTHING};
use stepwright_program::Call;

/// A decision of the demonstrations, reduced to what is compared in words.
#[derive(Debug, Clone)]
struct Case {
    /// The keys of all its signs, sorted.
    signs: Vec<u64>,
    /// `None` for the end of the turn.
    choice: Option<Choice>,
}

/// An action, with the arguments it repeats.
#[derive(Debug, Clone, PartialEq)]
struct Choice {
    function: String,
    /// The other party's function whose arguments it takes; otherwise its own arguments count.
    same_as: Option<String>,
    whole: Option<String>,
}

#[derive(Debug, Clone, Default)]
pub(crate) struct Habits {
    cases: Vec<Case>,
    /// The agent's last action before the other party spoke, and what it said first.
    replies: Vec<(Option<Heard>, Heard)>,
}

/// Fewer cases than this show little.
const FEW: usize = 2;
const MOST_SIGNS: usize = 3;
/// A sign is named first only if it weighs at least this share of the weightiest.
const WEIGHTY: f32 = 0.5;
/// A count this near to the probability needs no further sign.
const NEAR: f32 = 0.1;
/// A count this far from it does not explain it.
const FAR: f32 = 0.25;

fn path(call: &Call) -> String {
    format!("{}.{}", call.receiver, call.function)
}

/// How often the demonstrations did so, of how many cases.
#[derive(Debug, Clone, Copy)]
struct Count {
    alike: usize,
    all: usize,
}

impl Count {
    fn share(self) -> f32 {
        self.alike as f32 / self.all.max(1) as f32
    }

    /// How badly it explains a probability; a few cases explain nothing well.
    fn distance(self, p: f32) -> f32 {
        (self.share() - p).abs() + if self.all < FEW { 1.0 } else { 0.0 }
    }
}

impl Choice {
    fn of(moment: &Moment, action: &Heard) -> Self {
        let same = |h: &&Heard| h.args == action.args && action.args != NOTHING;
        let same_as = moment.said.iter().find(same).map(|h| path(&h.call));
        let whole = if same_as.is_some() { None } else { Some(action.call.to_string()) };
        Choice { function: path(&action.call), same_as, whole }
    }

    fn in_words(&self) -> String {
        match (&self.same_as, &self.whole) {
            (Some(said), _) => format!("call {} with the argument of {said}", self.function),
            (None, Some(whole)) => format!("call {whole}"),
            (None, None) => format!("call {}", self.function),
        }
    }
}

impl Habits {
    pub fn note(&mut self, scene: &Scene<'_>, choice: Option<Heard>) {
        let choice = choice.map(|action| Choice::of(scene.moment(), &action));
        let mut signs: Vec<u64> = scene.signs().iter().map(|s| s.key).collect();
        signs.sort_unstable();
        self.cases.push(Case { signs, choice });
    }

    /// Takes in the first words of the other party after the agent's turn.
    pub(crate) fn note_reply(&mut self, moment: &Moment, reply: &Call) {
        self.replies.push((moment.turn.last().cloned(), Heard::from(reply)));
    }

    /// How often the demonstrations did so where the signs were that weigh most for it; `p` is its probability.
    pub fn why(&self, scene: &Scene<'_>, weights: &Weights, action: Option<&Heard>, p: f32) -> String {
        let choice = action.map(|action| Choice::of(scene.moment(), action));
        let count = |signs: &[Sign<'_>]| {
            let here = self.cases.iter().filter(|c| signs.iter().all(|s| c.signs.binary_search(&s.key).is_ok()));
            here.fold(Count { alike: 0, all: 0 }, |Count { alike, all }, case| Count {
                alike: alike + usize::from(case.choice == choice),
                all: all + 1,
            })
        };
        let mut named: Vec<Sign<'_>> = Vec::new();
        let mut found = count(&named);
        let mut left = weighty(scene, weights, action);
        let heaviest = left.first().map_or(0.0, |(weight, _)| *weight);
        while named.len() < MOST_SIGNS && (named.is_empty() || found.distance(p) > NEAR) {
            let first = named.is_empty();
            let may = |weight: f32| !first || weight >= heaviest * WEIGHTY;
            let tried = left.iter().enumerate().filter(|(_, (weight, _))| may(*weight)).map(|(at, (_, sign))| {
                let with: Vec<Sign<'_>> = named.iter().chain([sign]).copied().collect();
                (at, count(&with))
            });
            let best = tried.filter(|(_, c)| c.alike > 0).min_by(|a, b| a.1.distance(p).total_cmp(&b.1.distance(p)));
            match best {
                Some((at, better)) if first || better.distance(p) < found.distance(p) => {
                    named.push(left.remove(at).1);
                    found = better;
                }
                _ => break,
            }
        }
        if found.alike == 0 {
            return "the demonstrations never do so in a place like this; it resembles others in parts".to_owned();
        }
        let place = place_in_words(&named, scene.moment());
        let does = choice.as_ref().map_or_else(|| "end the turn".to_owned(), Choice::in_words);
        let Count { alike, all } = found;
        let rest = match found.share() - p {
            less if less < -FAR => "; other likenesses speak for it",
            more if more > FAR => "; other likenesses speak against it",
            _ => "",
        };
        format!("{place} the demonstrations {does} ({alike} of {all}{rest})")
    }

    /// The likely next words of the other party: those most frequent after the agent's last action, else after the same
    /// function, else at all.
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

/// The signs that speak for an action, heaviest first.
fn weighty<'a>(scene: &Scene<'a>, weights: &Weights, action: Option<&Heard>) -> Vec<(f32, Sign<'a>)> {
    let weigh = |sign: &Sign<'a>| {
        let features: Vec<u64> = sign.features(action).collect();
        (weights.score(&features), *sign)
    };
    let mut weighed: Vec<_> = scene.signs().iter().map(weigh).filter(|(weight, _)| *weight > 0.0).collect();
    weighed.sort_by(|a, b| b.0.total_cmp(&a.0));
    weighed
}

/// Where the signs were: what was said and done just before, and what else they are about.
fn place_in_words(signs: &[Sign<'_>], moment: &Moment) -> String {
    let paths = |list: &[Heard]| {
        let mut paths: Vec<String> = list.iter().map(|h| path(&h.call)).collect();
        paths.sort();
        paths.dedup();
        paths
    };
    let last = || moment.turn.last().map(|h| path(&h.call));
    let whole = |heard: Option<&Heard>| heard.map(|h| h.call.to_string());
    let (mut said, mut done, mut rest) = (Vec::new(), Vec::new(), Vec::new());
    for sign in signs {
        let about = whole(sign.about);
        match sign.kind {
            Kind::LastWhole => done.extend(whole(moment.turn.last())),
            Kind::Said | Kind::LastSaid | Kind::BeforeSaid => said.extend(paths(&moment.said)),
            Kind::TurnSaid => {
                said.extend(paths(&moment.said));
                done.extend(paths(&moment.turn));
            }
            Kind::LastTwo => done.extend(moment.turn.iter().rev().take(2).rev().map(|h| path(&h.call))),
            Kind::OneSaid => said.extend(sign.about.map(|h| path(&h.call))),
            Kind::SaidWhole => said.extend(about.clone()),
            Kind::Noted | Kind::NotedLast => rest.extend(moment.noted.iter().map(|h| h.call.to_string())),
            _ => {}
        }
        if sign.kind.includes_last() {
            done.extend(last());
        }
        match sign.kind {
            Kind::Before | Kind::BeforeSaid if moment.before.is_empty() => rest.push("no turn before".to_owned()),
            Kind::Before | Kind::BeforeSaid => {
                rest.push(format!("a turn of {} before", paths(&moment.before).join(", ")))
            }
            Kind::BeforeEnd => rest.extend(about.map(|call| format!("{call} at the end of the turn before"))),
            Kind::Length => rest.push(match moment.turn.len() {
                0 => "nothing done in the turn yet".to_owned(),
                1 => "1 action done in the turn".to_owned(),
                n => format!("{n} actions done in the turn"),
            }),
            Kind::Ever | Kind::Latest => rest.extend(about.map(|call| format!("{call} said before"))),
            Kind::Pending | Kind::PendingLast => rest.push(match paths(&moment.open()) {
                open if open.is_empty() => "nothing left to take up".to_owned(),
                open => format!("{} still to be taken up", open.join(", ")),
            }),
            _ => {}
        }
    }
    let just: Vec<String> = distinct(said).into_iter().chain(distinct(done)).collect();
    let after = match just.split_last() {
        None if moment.turn.is_empty() && signs.iter().any(|s| s.kind.includes_last()) => {
            Some("at the beginning of a turn".to_owned())
        }
        None => None,
        Some((only, [])) => Some(format!("after {only}")),
        Some((end, others)) => Some(format!("after {} and {end}", others.join(", "))),
    };
    let rest = distinct(rest);
    let with = (!rest.is_empty()).then(|| format!("with {}", rest.join(" and ")));
    match (after, with) {
        (None, None) => "anywhere".to_owned(),
        (Some(after), None) => after,
        (after, Some(with)) => {
            after.into_iter().chain([with, String::new()]).collect::<Vec<_>>().join(", ").trim_end().to_owned()
        }
    }
}

/// Each once, in order; a function is not named beside a whole call of it.
fn distinct(words: Vec<String>) -> Vec<String> {
    let mut kept: Vec<String> = Vec::new();
    for word in &words {
        let as_call = format!("{word}(");
        if !kept.contains(word) && !words.iter().any(|other| other.starts_with(&as_call)) {
            kept.push(word.clone());
        }
    }
    kept
}

/// A reply whose arguments repeat the action's repeats those of the present action.
fn lifted(action: &Heard, reply: &Heard, now: Option<&Heard>) -> Call {
    let args = match now {
        Some(now) if reply.args == action.args => now.call.args.clone(),
        _ => reply.call.args.clone(),
    };
    Call { args, ..reply.call.clone() }
}

fn most_frequent(calls: Vec<Call>) -> Option<Call> {
    let count = |call: &Call| calls.iter().filter(|c| *c == call).count();
    let most = calls.iter().map(count).max()?;
    calls.iter().find(|call| count(call) == most).cloned()
}
