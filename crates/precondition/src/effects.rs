//! Effects as programs: what actions change, read off the states before and after demonstrated calls.
//!
//! A candidate is a line of Python over the state's variables in terms of the action's parameters ([`Effect`]): an assignment, a member
//! added or taken out, or either behind an `if`. Each is executed on the state before every demonstrated call, and the state after must be
//! as it says. Candidates whose states are equal everywhere are one cluster. What an action leaves alone is listed too. Knows no model.

use std::collections::BTreeSet;

use serde::Serialize;
use serde_json::Value;

use super::demonstrations::{Demonstrations, EffectCall};
use super::effect_calls::EffectCalls;
use super::judged_on;
use stepwright_program::{CheckResult, Effect, Effects, Expression, Followed, Function, Literal, Role, State};

/// Objects within objects are followed this far.
const DEPTH: usize = 3;
/// Candidates of an action, at most.
const CANDIDATES: usize = 60;

/// A candidate effect with the verdict of the demonstrated calls.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct EffectCandidate {
    pub text: String,
    /// The demonstrated calls after which the state is as it says.
    pub explains: usize,
    /// Those of them before which it was not so already.
    pub changes: usize,
    /// The demonstrated calls after which it is not so.
    pub exceptions: usize,
    /// Its cluster: candidates that make equal states of all demonstrated calls, numbered from 0 by rank.
    pub cluster: usize,
    /// Whether it represents its cluster.
    pub representative: bool,
}

impl EffectCandidate {
    /// Whether the demonstrations bear it out and nothing better says the same.
    pub fn is_suggested(&self) -> bool {
        self.exceptions == 0 && self.representative
    }

    /// Whether it mostly follows: it explains three calls of four, with exceptions.
    pub fn is_likely(&self) -> bool {
        self.exceptions > 0 && self.representative && self.exceptions * 3 <= self.explains
    }
}

impl ActionEffects {
    /// The demonstrated calls that they were judged on, in words.
    pub fn judged_on(&self) -> String {
        judged_on(self.calls, self.demonstrated)
    }
}

/// What the demonstrations show of an action.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct ActionEffects {
    pub action: String,
    pub params: Vec<String>,
    /// The calls that they were judged on.
    pub calls: usize,
    /// All that the demonstrations make.
    pub demonstrated: usize,
    /// The candidates, those with the fewest exceptions first.
    pub candidates: Vec<EffectCandidate>,
    /// The variables that no call of it changed.
    pub left_alone: Vec<String>,
}

/// A value of a candidate: a parameter, or a constant.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Term {
    Param(usize),
    Const(String),
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Key {
    One(Term),
    Tuple(Vec<Term>),
}

/// A variable of an object, or an item in it.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Place {
    object: String,
    /// How the action's object reaches that object (`self.home`).
    reached: String,
    attribute: String,
    keys: Vec<Key>,
}

#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
enum Change {
    Assign(Place, Term),
    Add(Place, Term),
    Remove(Place, Term),
}

/// A demonstrated call: the states around it, and their variables.
struct Occasion<'a> {
    args: &'a [Literal],
    before: &'a State,
    after: &'a State,
    old: Value,
    new: Value,
}

impl<'a> Occasion<'a> {
    fn of(call: &'a EffectCall) -> Self {
        let EffectCall { args, before, after, .. } = call;
        Occasion { args, before, after, old: before.variables(), new: after.variables() }
    }
}

#[cfg(test)]
thread_local! {
    /// How often effects were found out on this thread.
    pub(super) static INFERRED: std::cell::Cell<usize> = const { std::cell::Cell::new(0) };
}

/// The effects that the demonstrations show, by action function in the order of the specification.
pub(super) fn inferred(demos: &Demonstrations, calls: &EffectCalls) -> Vec<ActionEffects> {
    #[cfg(test)]
    INFERRED.set(INFERRED.get() + 1);
    let functions = demos.specification().functions().iter().filter(|f| f.role == Role::Action);
    let called = functions.filter(|function| calls.by_action.contains_key(&function.name));
    called.map(|function| of_action(function, calls)).collect()
}

/// The effects that the demonstrations suggest, and those that mostly follow, compiled.
pub(super) fn suggested(demos: &Demonstrations, shown: &[ActionEffects]) -> Effects {
    let mut effects = Effects::new();
    for action in shown {
        let Some(function) = demos.action(&action.action) else { continue };
        let compiled = |candidate: &EffectCandidate| {
            let effect = Effect::compile(&candidate.text, function).ok()?;
            Some(if candidate.is_likely() { effect.likely() } else { effect })
        };
        let believed = action.candidates.iter().filter(|candidate| candidate.is_suggested() || candidate.is_likely());
        let of: Vec<Effect> = believed.filter_map(compiled).collect();
        if !of.is_empty() {
            effects.insert(action.action.clone(), of);
        }
    }
    effects
}

/// The effects that the demonstrated calls of an action show.
fn of_action(function: &Function, calls: &EffectCalls) -> ActionEffects {
    let all = calls.of_action(function);
    let occasions: Vec<Occasion<'_>> = all.iter().map(Occasion::of).collect();
    let (occasions, things, listed) = (occasions.as_slice(), &calls.things, &calls.listed);
    let reached = reached(function, occasions);
    let mut changes: BTreeSet<Change> = BTreeSet::new();
    let mut left_alone = Vec::new();
    for (object, path) in &reached {
        for attribute in attributes(occasions, object) {
            let mut changed = false;
            for occasion in occasions {
                let (old, new) =
                    (variable(&occasion.old, object, &attribute), variable(&occasion.new, object, &attribute));
                if old != new {
                    changed = true;
                    let (object, reached, attribute) = (object.clone(), path.clone(), attribute.clone());
                    let place = Place { object, reached, attribute, keys: Vec::new() };
                    differences(old, new, &place, occasion.args, &mut changes);
                }
            }
            // What an object holds is said of its own attributes, not of a variable that leads to it.
            let leads = |occasion: &Occasion<'_>| {
                let other = variable(&occasion.new, object, &attribute).and_then(referred);
                other.is_some_and(|other| reached.iter().any(|(known, _)| known == other))
            };
            if !changed && !occasions.iter().any(leads) {
                left_alone.push(format!("{path}.{attribute}"));
            }
        }
    }
    // A thing named by a constant is there by coincidence: another call would be about others.
    changes.retain(|change| function.params.is_empty() || !change.constants().any(|text| things.contains(text)));
    // So is one that observations list among others, where nothing of the call is named.
    changes.retain(|change| change.params() > 0 || !change.constants().any(|text| listed.contains(text)));
    // What follows less often than not is an effect only if it is about the call's own arguments.
    let so = |change: &Change| occasions.iter().filter(|o| change.is_so(&o.new, o.args)).count();
    let mut ranked: Vec<(usize, &Change)> = changes.iter().map(|change| (so(change), change)).collect();
    ranked.retain(|(so, change)| so * 2 >= occasions.len() || change.params() > 0);
    ranked.sort_by_key(|(so, change)| (usize::MAX - change.params().min(1), usize::MAX - so));
    ranked.truncate(CANDIDATES);
    let mut tried: Vec<Tried> = Vec::new();
    for (_, change) in &ranked {
        tried.extend(Tried::of(change, None, function, occasions));
    }
    let guards = guards(ranked.iter().map(|(_, change)| *change));
    let conditional: Vec<Tried> = tried
        .iter()
        .filter(|tried| tried.exceptions > 0 && tried.changes > 1 && tried.change.params() > 0)
        .filter_map(|known| {
            let fits = |guard: &&Guard| known.is_split_by(guard, occasions);
            Tried::of(&known.change, guards.iter().find(fits), function, occasions).filter(|t| t.exceptions == 0)
        })
        .collect();
    tried.extend(conditional);
    tried.retain(|tried| tried.change.params() > 0 || tried.changes * 2 >= occasions.len());
    tried.sort_by_key(|t| (t.exceptions, usize::MAX - t.change.params(), usize::MAX - t.changes, t.text.len()));
    let mut outcomes: Vec<&[Option<u64>]> = Vec::new();
    let mut candidates = Vec::new();
    for tried in &tried {
        let known = outcomes.iter().position(|other| *other == tried.outcomes);
        let cluster = known.unwrap_or_else(|| {
            outcomes.push(&tried.outcomes);
            outcomes.len() - 1
        });
        candidates.push(EffectCandidate {
            text: tried.text.clone(),
            explains: occasions.len() - tried.exceptions,
            changes: tried.changes,
            exceptions: tried.exceptions,
            cluster,
            representative: known.is_none(),
        });
    }
    ActionEffects {
        action: function.name.clone(),
        params: function.params.clone(),
        calls: occasions.len(),
        demonstrated: calls.made.get(&function.name).copied().unwrap_or_default(),
        candidates,
        left_alone,
    }
}

/// The objects that the action's object reaches, with the expressions that do.
fn reached(function: &Function, occasions: &[Occasion<'_>]) -> Vec<(String, String)> {
    let mut reached = vec![(function.receiver.clone(), "self".to_owned())];
    let mut from = 0;
    for _ in 0..DEPTH {
        let to = reached.len();
        for at in from..to {
            let Some((object, path)) = reached.get(at).cloned() else { continue };
            let Some(first) = occasions.first() else { continue };
            for (attribute, value) in first.old.get(&object).and_then(Value::as_object).into_iter().flatten() {
                if let Some(other) = referred(value).filter(|other| first.old.get(*other).is_some())
                    && reached.iter().all(|(known, _)| known != other)
                {
                    reached.push((other.to_owned(), format!("{path}.{attribute}")));
                }
            }
        }
        from = to;
    }
    reached
}

/// The object that a value is, by its name.
fn referred(value: &Value) -> Option<&str> {
    value.as_str()?.strip_prefix('<')?.strip_suffix('>')
}

fn attributes(occasions: &[Occasion<'_>], object: &str) -> BTreeSet<String> {
    let states = occasions.iter().flat_map(|occasion| [&occasion.old, &occasion.new]);
    states.filter_map(|state| state.get(object)?.as_object()).flat_map(|object| object.keys().cloned()).collect()
}

fn variable<'a>(state: &'a Value, object: &str, attribute: &str) -> Option<&'a Value> {
    state.get(object)?.get(attribute)
}

/// The changes that make one value of a place the other, in all terms that fit.
fn differences(old: Option<&Value>, new: Option<&Value>, at: &Place, args: &[Literal], found: &mut BTreeSet<Change>) {
    let none = serde_json::Map::new();
    match (old, new) {
        (Some(Value::Object(old)), Some(Value::Object(new))) => {
            let keys: BTreeSet<&String> = old.keys().chain(new.keys()).collect();
            for key in keys {
                let (old, new) = (old.get(key), new.get(key));
                if old != new {
                    for key in key_terms(key, args) {
                        let mut place = at.clone();
                        place.keys.push(key);
                        differences(old, new, &place, args, found);
                    }
                }
            }
        }
        (None, Some(Value::Object(new))) => {
            differences(Some(&Value::Object(none)), Some(&Value::Object(new.clone())), at, args, found);
        }
        (old, Some(Value::Array(new))) => {
            let old = old.and_then(Value::as_array).map(Vec::as_slice).unwrap_or_default();
            for added in new.iter().filter(|value| !old.contains(value)) {
                found.extend(terms(added, args).into_iter().map(|term| Change::Add(at.clone(), term)));
            }
            for gone in old.iter().filter(|value| !new.contains(value)) {
                found.extend(terms(gone, args).into_iter().map(|term| Change::Remove(at.clone(), term)));
            }
        }
        (_, Some(value)) => found.extend(terms(value, args).into_iter().map(|term| Change::Assign(at.clone(), term))),
        (_, None) => {
            let mut dict = at.clone();
            if let Some(Key::One(term)) = dict.keys.pop() {
                found.insert(Change::Remove(dict, term));
            }
        }
    }
}

fn literal(value: &Value) -> Option<Literal> {
    (!value.is_array() && !value.is_object()).then(|| Literal::from(value))
}

/// The terms that have a value in a call.
fn terms(value: &Value, args: &[Literal]) -> Vec<Term> {
    let Some(literal) = literal(value) else { return Vec::new() };
    let params = args.iter().enumerate().filter(|(_, arg)| **arg == literal).map(|(at, _)| Term::Param(at));
    params.chain([Term::Const(literal.to_string())]).collect()
}

/// The keys that are written so in a call; a tuple of texts is written as in Python.
fn key_terms(key: &str, args: &[Literal]) -> Vec<Key> {
    let Some(inner) = key.strip_prefix('(').and_then(|rest| rest.strip_suffix(')')) else {
        return terms(&Value::String(key.to_owned()), args).into_iter().map(Key::One).collect();
    };
    let parts: Vec<&str> = inner.split(", ").collect();
    let mut keys: Vec<Vec<Term>> = vec![Vec::new()];
    for part in parts {
        let params = args.iter().enumerate().filter(|(_, arg)| arg.to_string() == part).map(|(at, _)| Term::Param(at));
        let choices: Vec<Term> = params.chain([Term::Const(part.to_owned())]).collect();
        let longer =
            keys.iter().flat_map(|key| choices.iter().map(|c| key.iter().cloned().chain([c.clone()]).collect()));
        // Each part may double their number.
        keys = longer.take(CANDIDATES).collect();
    }
    keys.into_iter().map(Key::Tuple).collect()
}

impl Term {
    fn text(&self, function: &Function) -> String {
        match self {
            Term::Param(at) => function.params.get(*at).cloned().unwrap_or_default(),
            Term::Const(text) => text.clone(),
        }
    }

    fn value(&self, args: &[Literal]) -> Option<String> {
        match self {
            Term::Param(at) => args.get(*at).map(ToString::to_string),
            Term::Const(text) => Some(text.clone()),
        }
    }
}

impl Key {
    fn terms(&self) -> &[Term] {
        match self {
            Key::One(term) => std::slice::from_ref(term),
            Key::Tuple(terms) => terms,
        }
    }

    fn text(&self, function: &Function) -> String {
        match self {
            Key::One(term) => term.text(function),
            Key::Tuple(terms) => terms.iter().map(|term| term.text(function)).collect::<Vec<_>>().join(", "),
        }
    }
}

impl Place {
    fn text(&self, function: &Function) -> String {
        let keys: String = self.keys.iter().map(|key| format!("[{}]", key.text(function))).collect();
        format!("{}.{}{keys}", self.reached, self.attribute)
    }

    /// The value there after or before a call.
    fn value<'a>(&self, state: &'a Value, args: &[Literal]) -> Option<&'a Value> {
        let mut value = variable(state, &self.object, &self.attribute)?;
        for key in &self.keys {
            let parts = key.terms().iter().map(|term| term.value(args)).collect::<Option<Vec<String>>>()?;
            value = match key {
                Key::One(_) => item(value, parts.first()?)?,
                Key::Tuple(_) => value.get(format!("({})", parts.join(", ")))?,
            };
        }
        Some(value)
    }
}

/// The item of a dictionary with a key written as in Python.
fn item<'a>(dict: &'a Value, key: &str) -> Option<&'a Value> {
    let mut entries = dict.as_object()?.iter();
    entries
        .find(|(known, _)| *known == key || Literal::Str((*known).clone()).to_string() == key)
        .map(|(_, value)| value)
}

impl Change {
    fn parts(&self) -> (&Place, &Term) {
        match self {
            Change::Assign(place, term) | Change::Add(place, term) | Change::Remove(place, term) => (place, term),
        }
    }

    fn all_terms(&self) -> impl Iterator<Item = &Term> {
        let (place, term) = self.parts();
        place.keys.iter().flat_map(Key::terms).chain([term])
    }

    /// The texts it names as constants.
    fn constants(&self) -> impl Iterator<Item = &str> {
        self.all_terms().filter_map(|term| match term {
            Term::Const(text) => text.strip_prefix('\'')?.strip_suffix('\''),
            Term::Param(_) => None,
        })
    }

    fn params(&self) -> usize {
        self.all_terms().filter(|term| matches!(term, Term::Param(_))).count()
    }

    /// Whether a state of a call is as it says.
    fn is_so(&self, state: &Value, args: &[Literal]) -> bool {
        let (place, term) = self.parts();
        let (value, wanted) = (place.value(state, args), term.value(args));
        let same = |value: &Value| literal(value).map(|literal| literal.to_string()) == wanted;
        let has = || match value {
            Some(Value::Array(items)) => items.iter().any(same),
            Some(dict @ Value::Object(_)) => wanted.as_deref().is_some_and(|key| item(dict, key).is_some()),
            _ => false,
        };
        match self {
            Change::Assign(..) => value.is_some_and(same),
            Change::Add(..) => has(),
            Change::Remove(..) => !has(),
        }
    }

    /// The lines that may make it so, by what the container is.
    fn lines(&self, function: &Function) -> Vec<String> {
        let (place, term) = self.parts();
        let (place, term) = (place.text(function), term.text(function));
        match self {
            Change::Assign(..) => vec![format!("{place} = {term}")],
            Change::Add(..) => {
                vec![format!("{place}.add({term})"), format!("{place}.append({term})"), format!("{place} += ({term},)")]
            }
            Change::Remove(..) => vec![
                format!("{place}.discard({term})"),
                format!("{place} = tuple(x for x in {place} if x != {term})"),
                format!("{place} = [x for x in {place} if x != {term}]"),
                format!("{place}.pop({term}, None)"),
            ],
        }
    }
}

/// A condition of the state before a call under which an effect follows.
struct Guard {
    of: Change,
    holds: bool,
}

impl Guard {
    fn is_met(&self, occasion: &Occasion<'_>) -> bool {
        self.of.is_so(&occasion.old, occasion.args) == self.holds
    }

    fn text(&self, function: &Function) -> String {
        let (place, term) = self.of.parts();
        let sign = match (&self.of, self.holds) {
            (Change::Assign(..), true) => "==",
            (Change::Assign(..), false) => "!=",
            (Change::Add(..), true) | (Change::Remove(..), false) => "in",
            (Change::Add(..), false) | (Change::Remove(..), true) => "not in",
        };
        match &self.of {
            Change::Assign(..) => format!("{} {sign} {}", place.text(function), term.text(function)),
            _ => format!("{} {sign} {}", term.text(function), place.text(function)),
        }
    }
}

fn guards<'a>(changes: impl Iterator<Item = &'a Change>) -> Vec<Guard> {
    changes.flat_map(|change| [true, false].map(|holds| Guard { of: change.clone(), holds })).collect()
}

/// A change as a line that runs, with what came of it at each call.
struct Tried {
    change: Change,
    text: String,
    /// The states it makes, by their fingerprints.
    outcomes: Vec<Option<u64>>,
    explained: Vec<bool>,
    exceptions: usize,
    changes: usize,
}

impl Tried {
    /// The first line for a change, behind a guard if there is one, that makes it so; `None` where none does anywhere or it was so
    /// before.
    fn of(change: &Change, guard: Option<&Guard>, function: &Function, occasions: &[Occasion<'_>]) -> Option<Self> {
        let due = |occasion: &Occasion<'_>| guard.is_none_or(|guard| guard.is_met(occasion));
        let so = |occasion: &Occasion<'_>| change.is_so(&occasion.new, occasion.args);
        let changed = |o: &&Occasion<'_>| due(o) && so(o) && !change.is_so(&o.old, o.args);
        let first = occasions.iter().find(changed)?;
        let lines = change.lines(function).into_iter().filter_map(|line| {
            let text = guard.map_or_else(|| line.clone(), |guard| format!("if {}: {line}", guard.text(function)));
            Effect::compile(&text, function).ok()
        });
        // A line for another kind of container may do the same to what is in it: a list does not become a tuple.
        let kind = match change {
            Change::Assign(..) => None,
            Change::Add(place, _) | Change::Remove(place, _) => {
                Expression::compile(&format!("type({}).__name__", place.text(function)), function)
            }
        };
        let kind = |state: &State| kind.as_ref().and_then(|kind| state.value(kind, function, first.args).ok());
        let works = |effect: &Effect| {
            let after = executed(effect, function, first);
            after
                .is_some_and(|after| change.is_so(&after.variables(), first.args) && kind(&after) == kind(first.before))
        };
        let effect = lines.into_iter().find(works)?;
        let mut tried = Tried {
            change: change.clone(),
            text: effect.text().to_owned(),
            outcomes: Vec::new(),
            explained: Vec::new(),
            exceptions: 0,
            changes: 0,
        };
        for occasion in occasions {
            let followed = effect.follows(occasion.before, occasion.after, function, occasion.args);
            let explained = matches!(followed, Followed::So { .. } | Followed::NotDue);
            tried.explained.push(explained);
            tried.exceptions += usize::from(!explained);
            // What was so before is for the program to say: an item that is not there may be read as one that is (`defaultdict`).
            tried.changes += usize::from(followed == Followed::So { changed: true });
            tried.outcomes.push(executed(&effect, function, occasion).map(|after| after.fingerprint()));
        }
        (tried.changes > 0).then_some(tried)
    }

    /// Whether a guard is met at exactly the calls that the change explains.
    fn is_split_by(&self, guard: &Guard, occasions: &[Occasion<'_>]) -> bool {
        occasions.iter().zip(&self.explained).all(|(occasion, explained)| guard.is_met(occasion) == *explained)
    }
}

fn executed(effect: &Effect, function: &Function, occasion: &Occasion<'_>) -> Option<State> {
    let mut state = occasion.before.clone();
    matches!(effect.change(&mut state, function, occasion.args), CheckResult::Holds).then_some(state)
}

#[cfg(test)]
#[path = "effects_tests.rs"]
mod tests;
