//! The demonstrated calls of actions with the states around them, on which effects are judged: each is executed on the state before, and
//! the state after must be as it says ([`Effect::follows`]).

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::Validity;
use super::demonstrations::{Demonstrations, EffectCall, Step};
use super::instance_set::InstanceSet;
use super::instances::Evaluation;
use super::validate::{malformed, never_tried};
use stepwright_program::{Effect, Followed, Function, Literal, Role, State};

/// Calls of an action that effects are executed on, at most.
const CALLS: usize = 32;

/// The calls of all actions, by function.
#[derive(Debug, Clone, Default)]
pub(super) struct EffectCalls {
    pub(super) by_action: BTreeMap<String, Arc<[EffectCall]>>,
    /// How many there are of each, those that nothing is executed on too.
    pub(super) made: BTreeMap<String, usize>,
    /// The texts that calls of actions name, and those that observations name where actions name things: by a parameter of the same name.
    pub(super) things: BTreeSet<String>,
    /// The texts that calls list where their function takes any number.
    pub(super) listed: BTreeSet<String>,
}

impl EffectCalls {
    pub(super) fn of(demos: &Demonstrations) -> Self {
        let specification = demos.specification();
        let mut found: BTreeMap<String, Vec<EffectCall>> = BTreeMap::new();
        let mut made: BTreeMap<String, usize> = BTreeMap::new();
        let mut steps = demos.steps.iter().copied().peekable();
        for (number, demo) in demos.all.iter().enumerate() {
            let Ok(mut state) = specification.start() else { continue };
            let mut open: Option<(String, Step, Vec<Literal>, State)> = None;
            let mut close = |open: Option<(String, Step, Vec<Literal>, State)>, after: &State| {
                let Some((name, step, args, before)) = open else { return };
                *made.entry(name.clone()).or_default() += 1;
                let of = found.entry(name).or_default();
                if of.len() < CALLS {
                    of.push(EffectCall { step, args, before, after: after.clone() });
                }
            };
            for (at, call) in demo.calls.iter().enumerate() {
                if let Some(step) = steps.next_if(|step| (step.demonstration, step.call) == (number, at)) {
                    close(open.take(), &state);
                    open = Some((call.function.clone(), step, call.args.clone(), state.clone()));
                }
                // Demonstrations run: that was looked at when they were executed.
                let _ = state.call_unchecked(call);
            }
            close(open, &state);
        }
        let of_calls = found.values().flatten().flat_map(|call| &call.args);
        let mut things: BTreeSet<String> = of_calls.filter_map(Literal::text).map(str::to_owned).collect();
        let actions = specification.functions().iter().filter(|function| function.role == Role::Action);
        let of_actions: BTreeSet<&String> = actions.flat_map(|function| &function.params).collect();
        let mut listed: BTreeSet<String> = BTreeSet::new();
        for call in demos.all.iter().flat_map(|demo| &demo.calls) {
            let Some(function) = specification.function(&call.receiver, &call.function) else { continue };
            let star = function.params.iter().position(|param| param.starts_with('*')).unwrap_or(call.args.len());
            let (named, rest) = call.args.split_at(star.min(call.args.len()));
            listed.extend(rest.iter().filter_map(Literal::text).map(str::to_owned));
            let named = function.params.iter().zip(named).filter(|(param, _)| of_actions.contains(param));
            // No text at all is the name of nothing (`nowhere`, in no place).
            let texts = named.filter_map(|(_, arg)| arg.text()).filter(|text| !text.is_empty());
            things.extend(texts.map(str::to_owned));
        }
        let by_action = found.into_iter().map(|(name, calls)| (name, calls.into())).collect();
        EffectCalls { by_action, made, things, listed }
    }

    /// The calls of an action; none where nobody calls it.
    pub(super) fn of_action(&self, function: &Function) -> Arc<[EffectCall]> {
        let calls = self.by_action.get(&function.name).filter(|_| function.role == Role::Action);
        calls.map_or_else(|| Arc::from([]), Arc::clone)
    }
}

/// A judged effect: its fate, the calls after which the state is as it says, and the states that it makes, by their fingerprints.
pub(super) type JudgedEffect = (Validity, Option<Evaluation>, Vec<Option<u64>>);

/// Judges a line as an effect of an action.
pub(super) fn judge_effect(
    demos: &Demonstrations,
    function: &Function,
    calls: &[EffectCall],
    text: &str,
) -> JudgedEffect {
    let effect = match Effect::compile(text, function) {
        Ok(effect) => effect,
        Err(rejection) => return (malformed(&rejection), None, Vec::new()),
    };
    if calls.is_empty() {
        return (never_tried(&function.name), None, Vec::new());
    }
    let mut set = InstanceSet::none(calls.len());
    let mut first = None;
    for (at, call) in calls.iter().enumerate() {
        match effect.follows(&call.before, &call.after, function, &call.args) {
            Followed::NotDue | Followed::So { .. } => set.insert(at),
            Followed::Not(words) => drop(first.get_or_insert((call, words))),
            Followed::Untold(words) => {
                return (Validity::Unknown { reason: "Budget".to_owned(), message: words }, None, Vec::new());
            }
        }
    }
    let made = calls.iter().map(|call| {
        let mut state = call.before.clone();
        effect.change(&mut state, function, &call.args).holds().then(|| state.fingerprint())
    });
    let made = made.collect();
    let fate = match first {
        None => Validity::Valid,
        Some((call, message)) => Validity::Departs {
            demonstration: call.step.demonstration,
            call: call.step.call,
            at: demos.call(&call.step).map(ToString::to_string).unwrap_or_default(),
            message,
            exceptions: calls.len() - set.count(),
            calls: calls.len(),
        },
    };
    (fate, Some(Evaluation::of_effect(set)), made)
}

/// What a call shows of an effect, in words, and whether it is so; `None` where that cannot be told.
pub(super) fn reading(function: &Function, call: &EffectCall, text: &str) -> (Option<bool>, String) {
    let effect = match Effect::compile(text, function) {
        Ok(effect) => effect,
        Err(rejection) => return (None, rejection.message),
    };
    match effect.follows(&call.before, &call.after, function, &call.args) {
        Followed::NotDue => (Some(true), "its condition is not met before the call".to_owned()),
        Followed::So { changed: true } => (Some(true), "follows".to_owned()),
        Followed::So { changed: false } => (Some(true), "is so after the call, as before it".to_owned()),
        Followed::Not(words) => (Some(false), format!("does not follow: {words}")),
        Followed::Untold(words) => (None, words),
    }
}
