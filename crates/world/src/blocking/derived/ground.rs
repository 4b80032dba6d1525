//! Ground domain of one moment: an action for every call in the trees, a condition for every assertion of it.
//!
//! Resolutions of a condition are looked for only where they are needed: below actions that are blocked, and for the one selected now.

use std::collections::BTreeSet;

use super::{Derived, Offered, TextOf};
use crate::blocking::derive::{Derivation, Means, Resolution, known};
use crate::blocking::domain::{
    Action, Candidate, Condition, Domain, ErrorRule, Formula, Goal, Limits, Literal, Obstacle, Offer, Pattern, Raise,
    Root,
};
use crate::blocking::forest::{Forest, Node};
use crate::literal::{Atom, Facts};
use stepwright_episode::Status;
use stepwright_program::Call;

const SELECTIONS: u32 = 200;

struct Entry {
    call: Call,
    /// Its ancestors in its tree, the root first, itself last.
    path: Vec<Call>,
    /// Whether what resolves its conditions is needed.
    grows: bool,
}

/// The domain for the present trees and an action that is about to be selected or added, and what holds of its literals.
pub(super) fn domain(
    derived: &mut Derived,
    forest: &Forest,
    next: Option<Call>,
    text_of: TextOf<'_>,
) -> (Domain, Facts) {
    let history: Vec<Call> = derived.history.iter().flat_map(stepwright_trajectory::Step::all_calls).cloned().collect();
    let roots = |goal: &str| {
        let of = derived.wanted.iter().filter(|wanted| derived.goal_of(wanted) == goal);
        of.map(|wanted| Root { action: name(&wanted.call), unless: None }).collect()
    };
    let goals = derived.goals().into_iter().map(|goal| Goal {
        form: pattern(&goal.predicate),
        about: "the task, or a part of it".to_owned(),
        roots: roots(&goal.predicate),
    });
    let domain = Domain {
        source: "derived from assertions".to_owned(),
        about: "an agent whose actions need what the assertions of its program say".to_owned(),
        goals: goals.collect(),
        limits: Limits { selections: SELECTIONS, ..Limits::default() },
        refresh: true,
        is_derived: true,
        rootless: derived.rootless(),
        ..Domain::default()
    };
    let entries = entries(derived, forest, next);
    let known = known(&history);
    let mut ground =
        Ground { derived, text_of, history, known, added: BTreeSet::new(), domain, facts: Facts::default() };
    for entry in &entries {
        ground.add(entry);
    }
    // What is offered may be planted next, and needs its text for that.
    let offered: Vec<Call> = ground.derived.offers.values().flatten().map(|offered| offered.call.clone()).collect();
    for call in offered {
        ground.add_action(&call, Vec::new());
    }
    (ground.domain, ground.facts)
}

/// Every call in the trees and about to be, those that grow first.
fn entries(derived: &Derived, forest: &Forest, next: Option<Call>) -> Vec<Entry> {
    let mut entries: Vec<Entry> = Vec::new();
    forest.visit(&mut |node: &Node, above: &[&Node]| {
        let call = |node: &Node| node.action.predicate.parse::<Call>().ok();
        let Some(own) = call(node) else { return };
        let path = above.iter().filter_map(|above| call(above)).chain([own.clone()]).collect();
        let grows = node.blocked.is_some() || next.as_ref() == Some(&own);
        entries.push(Entry { call: own, path, grows });
    });
    let others = derived.wanted.iter().map(|wanted| (wanted.call.clone(), false)).chain(next.map(|call| (call, true)));
    entries.extend(others.map(|(call, grows)| Entry { path: vec![call.clone()], call, grows }));
    entries.sort_by_key(|entry| !entry.grows);
    entries
}

struct Ground<'a> {
    derived: &'a mut Derived,
    text_of: TextOf<'a>,
    history: Vec<Call>,
    known: Vec<String>,
    added: BTreeSet<String>,
    domain: Domain,
    facts: Facts,
}

impl Ground<'_> {
    fn add(&mut self, entry: &Entry) {
        let call = &entry.call;
        if !self.added.insert(call.to_string()) {
            return;
        }
        let mut blocked_by = Vec::new();
        if self.derived.refusals(call) > 0 {
            blocked_by.extend(self.add_waiting(entry));
        }
        let mut waived = Vec::new();
        for (index, check) in self.derived.program.check(call).into_iter().enumerate() {
            let met = format!("{} for {call}", check.condition);
            let unmet = format!("unmet: {met}");
            let words = self.words(&check.condition, call);
            let marked = if self.derived.program.is_inferred() { "unmet, inferred" } else { "unmet" };
            self.domain.words.insert(unmet.clone(), format!("{marked}: {words}"));
            let is_open = check.status == Status::Fails && self.derived.is_open(call, index);
            if is_open {
                waived.push(format!("{marked}, but what was offered for it was just taken: {words}"));
            }
            self.domain.words.insert(met.clone(), waived.last().filter(|_| is_open).cloned().unwrap_or(words));
            let fails = check.status == Status::Fails && !is_open;
            let atom = |text: &str| Atom { predicate: text.to_owned(), args: Vec::new() };
            self.facts.atoms.insert(atom(if fails { &unmet } else { &met }));
            let offered: Vec<Offered> = if fails && entry.grows { self.offers(entry, index) } else { Vec::new() };
            let actions = offered.into_iter().map(|offered| self.offer(&unmet, offered)).collect();
            let when = Formula(vec![Literal { negated: false, pattern: pattern(&unmet) }]);
            self.domain.conditions.push(Condition {
                form: pattern(&unmet),
                about: "an assertion does not hold".to_owned(),
                raise: Raise::When(when),
                resolution: pattern(&met),
                actions,
            });
            blocked_by.push(Obstacle { condition: pattern(&unmet), given: Formula::default() });
        }
        if !waived.is_empty() {
            self.domain.waived.insert(call.to_string(), waived.join("; "));
        }
        self.add_refusal(call);
        self.add_action(call, blocked_by);
    }

    /// An assertion with the values of the parameters it names: `self.inventory == obj (obj = 'mug 1')`.
    fn words(&self, condition: &str, call: &Call) -> String {
        let named = |param: &str| {
            let other = |c: char| !c.is_alphanumeric() && c != '_';
            condition.split(other).any(|word| word == param)
        };
        let function = self.derived.program.state().specification().function(&call.receiver, &call.function);
        let params = function.map(|f| f.params.as_slice()).unwrap_or_default();
        let values = params.iter().zip(&call.args).filter(|(param, _)| named(param));
        let values: Vec<String> = values.map(|(param, value)| format!("{param} = {value}")).collect();
        if values.is_empty() { condition.to_owned() } else { format!("{condition} ({})", values.join(", ")) }
    }

    /// The resolutions of the condition of that number, looked for once a moment.
    fn offers(&mut self, entry: &Entry, index: usize) -> Vec<Offered> {
        let key = (entry.call.to_string(), index);
        if let Some(offers) = self.derived.offers.get(&key) {
            return offers.clone();
        }
        let vain = self.derived.taken_in_vain();
        let derivation = Derivation {
            program: &self.derived.program,
            effects: self.derived.basis.agent.effects(),
            known: &self.known,
            history: &self.history,
            replies: &self.derived.replies,
            asks: &|reply| self.derived.basis.agent.asks_for(&self.derived.history, reply),
            vain: &|call, _, _| Some(call) == vain,
            phrase: &|call| call.to_string(),
        };
        let left = &self.derived.left;
        let best = derivation.best(&entry.call, index, &entry.path, left);
        // What another party says is nothing where no text stands for its turn.
        let speaks = |r: &Resolution| r.means != Means::Reply || (self.text_of)(&r.call).is_some();
        let (mut sight, mut certain): (Vec<_>, Vec<_>) =
            best.into_iter().filter(speaks).partition(|r| r.means == Means::Sight);
        certain.retain(|resolution| !derivation.is_vain(resolution, &entry.call, index));
        if certain.is_empty() && sight.is_empty() {
            let not: Vec<Call> = entry.path.iter().chain(vain).cloned().collect();
            sight = derivation.best(&entry.call, index, &not, left);
        }
        let offered = |Resolution { call, means, .. }: Resolution| Offered {
            call,
            maybe: !matches!(means, Means::Adopted | Means::Effect),
            means,
        };
        let mut offers: Vec<Offered> = certain.into_iter().map(offered).collect();
        if offers.is_empty() {
            let advice = self.derived.advice(&entry.path);
            offers.extend(advice.map(|advice| Offered::maybe(advice.clone(), Means::Advice)));
        }
        if offers.is_empty() {
            offers.extend(sight.into_iter().map(|r| Offered::maybe(r.call, r.means)));
        }
        self.derived.offers.insert(key, offers.clone());
        offers
    }

    /// Adds that a refused call waits until the agent would take it again, and what the agent would do instead; or that it was refused
    /// so often that nothing is known to help.
    fn add_waiting(&mut self, entry: &Entry) -> Option<Obstacle> {
        let (refused, accepted) = self.refusal(&entry.call);
        let waits = self.derived.waits(&entry.call);
        let atom = |pattern: &Pattern| Atom { predicate: pattern.name.clone(), args: Vec::new() };
        let advice = self.derived.advice(&entry.path).filter(|_| waits).cloned();
        let blocks = advice.is_some() || self.derived.is_given_up(&entry.call);
        self.facts.atoms.insert(atom(if blocks { &refused } else { &accepted }));
        if !blocks {
            return None;
        }
        let about = match &advice {
            Some(_) => "the world refused it, and the built-in proposer would do something else first",
            None => "the world refused it again and again, and nothing is known to help",
        };
        let offered = advice.clone().map(|advice| Offered::maybe(advice, Means::Advice));
        let actions = offered.into_iter().map(|offered| self.offer(&refused.name, offered)).collect();
        self.domain.conditions.push(Condition {
            form: refused.clone(),
            about: about.to_owned(),
            raise: Raise::When(Formula(vec![Literal { negated: false, pattern: refused.clone() }])),
            resolution: accepted,
            actions,
        });
        if let Some(advice) = advice {
            self.add_action(&advice, Vec::new());
        }
        Some(Obstacle { condition: refused, given: Formula::default() })
    }

    /// That the world refuses a call, and that it does not, in words.
    fn refusal(&mut self, call: &Call) -> (Pattern, Pattern) {
        let refused = pattern(&format!("refused: {call}"));
        let accepted = pattern(&format!("accepted: {call}"));
        if let Some(text) = (self.text_of)(call) {
            self.domain.words.insert(refused.name.clone(), format!("refused: {text}"));
            self.domain.words.insert(accepted.name.clone(), format!("accepted: {text}"));
        }
        (refused, accepted)
    }

    /// Adds the condition of a call that the world refused although nothing blocks it.
    fn add_refusal(&mut self, call: &Call) {
        let Some(missing) = self.derived.missing(call) else { return };
        let (refused, resolution) = self.refusal(call);
        self.domain.errors.push(ErrorRule {
            message: String::new(),
            of: Some(call.to_string()),
            raises: refused.clone(),
        });
        let offered = self.offer(&refused.name, Offered::maybe(missing.clone(), Means::Before));
        self.domain.conditions.push(Condition {
            form: refused,
            about: "the world refused it, and no assertion says why".to_owned(),
            raise: Raise::Passing,
            resolution,
            actions: vec![offered],
        });
        self.add_action(&missing, Vec::new());
    }

    /// An action as it is offered for a condition, and why.
    fn offer(&mut self, condition: &str, Offered { call, maybe, means }: Offered) -> Offer {
        let action = name(&call);
        self.domain.offered.insert((condition.to_owned(), action.name.clone()), means.words());
        let candidate = Candidate { action, when: Formula::default(), maybe };
        Offer { each: None, given: Formula::default(), choose: vec![candidate] }
    }

    fn add_action(&mut self, call: &Call, blocked_by: Vec<Obstacle>) {
        let form = name(call);
        if let Some(known) = self.domain.actions.iter_mut().find(|action| action.form == form) {
            if !blocked_by.is_empty() {
                known.blocked_by = blocked_by;
            }
            return;
        }
        // A text with braces would be read as one with parameters.
        let text = (self.text_of)(call).filter(|text| !text.contains(['{', '}']));
        self.domain.actions.push(Action {
            form,
            about: String::new(),
            choice: false,
            text,
            blocked_by,
            effects: Vec::new(),
        });
    }
}

fn pattern(name: &str) -> Pattern {
    Pattern { name: name.to_owned(), args: Vec::new() }
}

fn name(call: &Call) -> Pattern {
    pattern(&call.to_string())
}
