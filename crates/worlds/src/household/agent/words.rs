//! Rationale of a proposed action, in words.
//!
//! Says what is known and what is hoped; nothing that the proposer did not use.

use super::Belief;
use super::goal::Goal;
use super::search_cost::is_shut;
use stepwright_program::{Call, Literal};
use stepwright_world::planner::LocationPrior;
use stepwright_world::planner::effects::kind_of;

pub struct Grounds<'a> {
    pub goal: &'a Goal,
    pub belief: &'a Belief,
    pub prior: &'a LocationPrior,
}

impl Grounds<'_> {
    pub fn why(&self, plan: &[Call]) -> String {
        let Some(first) = plan.first() else { return "the goal holds already".to_owned() };
        let names: Vec<&str> = first.args.iter().filter_map(Literal::text).collect();
        let place = names.last().copied().unwrap_or_default();
        if first.args.len() == 1 && self.belief.places.iter().any(|p| p == place) {
            return self.why_reach(plan, place);
        }
        self.purpose(first, &plan[1..])
    }

    /// The reason to go to or open a place: the plan's next step there.
    fn why_reach(&self, plan: &[Call], place: &str) -> String {
        let here = |c: &&Call| c.args.len() > 1 || !self.belief.places.iter().any(|p| c.text(0) == Some(p));
        let Some(at) = plan.iter().position(|c| here(&c)) else {
            return match self.goal {
                Goal::Light { object, lamp } => format!("the {lamp} there is on: the {object} is seen in its light"),
                Goal::Place { .. } => format!("to look into {place}"),
            };
        };
        let next = &plan[at];
        let thing = next.text(0).unwrap_or_default();
        let elsewhere = plan[1..at].iter().any(|c| c.function == super::GOTO);
        if elsewhere {
            return format!("first {}, to clear the way for the rest of the plan", self.phrase(&plan[0]));
        }
        if let Some((kind, at)) = thing.split_once(" of ") {
            return self.why_look(kind, at, plan);
        }
        if next.function != plan[0].function && self.holds(place, thing) {
            let purpose = self.purpose(next, &plan[at + 1..]);
            let preposition = if self.belief.property(place, super::OPEN).is_some() { "in" } else { "on" };
            return format!("{thing} was seen {preposition} {place}: {purpose}");
        }
        format!("to {} there: {}", self.phrase(next), self.purpose(next, &plan[at + 1..]))
    }

    fn holds(&self, place: &str, thing: &str) -> bool {
        self.belief.contents(place).iter().any(|t| t == thing)
    }

    fn why_look(&self, kind: &str, place: &str, plan: &[Call]) -> String {
        let target_kind = kind_of(place);
        let seen = self.belief.seen.iter().any(|s| kind_of(s) == kind);
        let missing = match (self.goal, seen) {
            (Goal::Place { count: 2, .. }, true) => format!("another {kind} has not been found"),
            (_, true) => format!("no {kind} that can be used is in sight"),
            (_, false) => format!("no {kind} has been seen yet"),
        };
        let word = self.prior.word(kind, target_kind);
        let state = match (self.belief.visited.contains(place), is_shut(self.belief, self.prior, place)) {
            (true, true) => format!("{place} is closed and unseen inside"),
            (true, false) => format!("{place} has not been looked at"),
            (false, true) => format!("{place} is unvisited, and probably closed"),
            (false, false) => format!("{place} is unvisited"),
        };
        let reach = if plan.first().is_some_and(|c| c.text(0) != Some(place)) {
            format!("; on the way to {place}")
        } else {
            String::new()
        };
        format!("{missing}; {} {word} holds one; {state}{reach}", a(target_kind))
    }

    fn purpose(&self, call: &Call, rest: &[Call]) -> String {
        let thing = call.text(0).unwrap_or_default();
        let wanted = kind_of(thing) == self.goal.object();
        let Some(place) = call.text(1) else {
            return match self.goal {
                Goal::Light { object, .. } => format!("the {object} is to be looked at in its light"),
                Goal::Place { .. } => "the task needs it".to_owned(),
            };
        };
        let is_target = matches!(self.goal, Goal::Place { place: kind, .. } if kind == kind_of(place));
        match call.function.as_str() {
            _ if !wanted => format!("{thing} is in the hand and not what the task asks for; the hand must be free"),
            "take" | "pick" => match rest.iter().find(|c| c.args.len() > 1 && c.text(0) == Some(thing)) {
                Some(next) => format!("the task asks for {}; then {}", a(kind_of(thing)), self.phrase(next)),
                None => format!("the task asks for {}", a(kind_of(thing))),
            },
            "put" if is_target => format!("{} is where the task wants it", a(kind_of(place))),
            "put" => "the hand must be free for the next step".to_owned(),
            _ => match self.goal {
                Goal::Place { state: Some(state), .. } => {
                    format!("the task wants the {} {}", kind_of(thing), adjective(state))
                }
                _ => "the plan needs it".to_owned(),
            },
        }
    }

    fn phrase(&self, call: &Call) -> String {
        let names: Vec<&str> = call.args.iter().filter_map(Literal::text).collect();
        match (call.function.as_str(), names.as_slice()) {
            ("goto", [place]) => format!("go to {place}"),
            ("take", [thing, place]) => format!("take {thing} from {place}"),
            ("put", [thing, place]) => format!("put {thing} in or on {place}"),
            ("toggle", [thing]) => format!("turn on {thing}"),
            (function, [thing, place]) => format!("{function} {thing} with {place}"),
            (function, names) => format!("{function} {}", names.join(" ")),
        }
    }
}

pub fn a(kind: &str) -> String {
    let article = if kind.starts_with(['a', 'e', 'i', 'o', 'u']) { "an" } else { "a" };
    format!("{article} {kind}")
}

pub fn adjective(property: &str) -> &str {
    match property {
        "heat" => "hot",
        "toggle" => "on",
        other => other,
    }
}
