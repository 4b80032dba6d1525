//! Effects of actions, learned from demonstrations.
//!
//! An action's effects are the observation calls that follow it, with arguments lifted to the action's parameters:
//! `take(o, r)` is followed by `agent.add_inventory(o)`. What follows every time is a *certain* effect and can be predicted;
//! what follows sometimes, or with arguments that come from nowhere (the contents of a drawer), is *sensing*. Nothing here
//! knows any world: functions and arguments come from the demonstrations alone.

use std::collections::{BTreeMap, BTreeSet};

use stepwright_program::{Call, Literal};
use stepwright_trajectory::Step;

/// An argument of a lifted call.
#[derive(Debug, Clone, PartialEq)]
pub enum Term {
    Param(usize),
    Const(Literal),
}

/// An observation call with the action's arguments replaced by its parameters.
#[derive(Debug, Clone, PartialEq)]
pub struct Lifted {
    pub receiver: String,
    pub function: String,
    pub args: Vec<Term>,
    /// Whether further arguments follow that vary from call to call (what was seen).
    pub open_ended: bool,
    /// How many demonstrated calls of the action it followed.
    pub seen: usize,
}

impl Lifted {
    /// The call with a given action's arguments in place; `None` where the action has too few.
    pub fn instantiate(&self, action: &Call) -> Option<Call> {
        let args = self.args.iter().map(|term| match term {
            Term::Param(i) => action.args.get(*i).cloned(),
            Term::Const(value) => Some(value.clone()),
        });
        Some(Call {
            receiver: self.receiver.clone(),
            function: self.function.clone(),
            args: args.collect::<Option<Vec<_>>>()?,
            named: Vec::new(),
        })
    }

    fn same_shape(&self, other: &Lifted) -> bool {
        self.receiver == other.receiver
            && self.function == other.function
            && self.args == other.args
            && self.open_ended == other.open_ended
    }
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct ActionModel {
    /// The object it is called on (`agent`).
    pub receiver: String,
    pub arity: usize,
    pub calls: usize,
    /// The calls that followed every call, in order of first appearance.
    pub certain: Vec<Lifted>,
    /// The calls that followed some calls or varied, in order of first appearance.
    pub sensing: Vec<Lifted>,
    /// Kinds of arguments seen at each position: names without their trailing number.
    pub kinds: Vec<BTreeSet<String>>,
}

#[derive(Debug, Clone, PartialEq, Default)]
pub struct EffectModel {
    actions: BTreeMap<String, ActionModel>,
}

impl EffectModel {
    /// Learns from steps, in any order. A step without an action's call, as a refused one of a demonstration, teaches nothing.
    pub fn learn<'a>(steps: impl IntoIterator<Item = &'a Step>) -> Self {
        let steps: Vec<_> = steps.into_iter().collect();
        let variadic = variadic_functions(&steps);
        let mut actions: BTreeMap<String, ActionModel> = BTreeMap::new();
        for step in &steps {
            let Some(action) = &step.call else { continue };
            let model = actions.entry(action.function.clone()).or_default();
            model.receiver.clone_from(&action.receiver);
            model.arity = model.arity.max(action.args.len());
            model.calls += 1;
            for (i, arg) in action.args.iter().enumerate() {
                if model.kinds.len() <= i {
                    model.kinds.push(BTreeSet::new());
                }
                if let Literal::Str(name) = arg {
                    model.kinds[i].insert(kind_of(name).to_owned());
                }
            }
            let mut here: Vec<Lifted> = Vec::new();
            for call in &step.calls {
                let lifted = lift(action, call, &variadic);
                if !here.iter().any(|l| l.same_shape(&lifted)) {
                    here.push(lifted);
                }
            }
            for lifted in here {
                match model.sensing.iter_mut().find(|l| l.same_shape(&lifted)) {
                    Some(known) => known.seen += 1,
                    None => model.sensing.push(lifted),
                }
            }
        }
        for model in actions.values_mut() {
            let all = std::mem::take(&mut model.sensing);
            let calls = model.calls;
            (model.certain, model.sensing) = all.into_iter().partition(|l| l.seen == calls && !l.open_ended);
        }
        EffectModel { actions }
    }

    /// The model of a function; `None` if no demonstration calls it.
    pub fn action(&self, function: &str) -> Option<&ActionModel> {
        self.actions.get(function)
    }

    /// All demonstrated action functions with what was learned of them, by name.
    pub fn actions(&self) -> impl Iterator<Item = (&str, &ActionModel)> {
        self.actions.iter().map(|(name, model)| (name.as_str(), model))
    }

    /// The observation calls that are certain to follow an action; empty for an action never demonstrated.
    pub fn predict(&self, action: &Call) -> Vec<Call> {
        let Some(model) = self.actions.get(&action.function) else { return Vec::new() };
        model.certain.iter().filter_map(|lifted| lifted.instantiate(action)).collect()
    }
}

/// Observation functions that report things: called with differing numbers of arguments.
fn variadic_functions(steps: &[&Step]) -> BTreeSet<String> {
    let mut lengths: BTreeMap<&str, BTreeSet<usize>> = BTreeMap::new();
    for call in steps.iter().flat_map(|s| &s.calls) {
        lengths.entry(&call.function).or_default().insert(call.args.len());
    }
    lengths.into_iter().filter(|(_, lengths)| lengths.len() > 1).map(|(name, _)| name.to_owned()).collect()
}

/// Lifts an observation call over an action. Of a reporting function only the leading parameters are kept.
fn lift(action: &Call, call: &Call, variadic: &BTreeSet<String>) -> Lifted {
    let open_ended = variadic.contains(&call.function);
    let param = |arg: &Literal| match arg {
        Literal::Str(_) => action.args.iter().position(|a| a == arg).map(Term::Param),
        _ => None,
    };
    let args = if open_ended {
        call.args.iter().map_while(param).collect()
    } else {
        call.args.iter().map(|arg| param(arg).unwrap_or_else(|| Term::Const(arg.clone()))).collect()
    };
    Lifted { receiver: call.receiver.clone(), function: call.function.clone(), args, open_ended, seen: 1 }
}

/// The kind a name belongs to: the name without its trailing number (`drawer 4` is a `drawer`).
pub fn kind_of(name: &str) -> &str {
    match name.rsplit_once(' ') {
        Some((kind, number)) if !number.is_empty() && number.bytes().all(|b| b.is_ascii_digit()) => kind,
        _ => name,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn calls(texts: &[&str]) -> Vec<Call> {
        texts.iter().map(|t| t.parse().unwrap()).collect()
    }

    fn learn(steps: &[(&str, &[&str])]) -> EffectModel {
        let step = |(action, observed): &(&str, &[&str])| Step {
            call: Some(action.parse().unwrap()),
            calls: calls(observed),
            ..Step::default()
        };
        EffectModel::learn(&steps.iter().map(step).collect::<Vec<_>>())
    }

    fn household() -> EffectModel {
        learn(&[
            ("agent.goto('shelf 1')", &["agent.update_visible_objects('shelf 1', 'mug 1', 'cd 2')"]),
            ("agent.goto('fridge 1')", &["env.set_property('fridge 1', 'open', False)"]),
            ("agent.open('fridge 1')", &["env.set_property('fridge 1', 'open', True)"]),
            (
                "agent.open('drawer 2')",
                &["env.set_property('drawer 2', 'open', True)", "agent.update_visible_objects('drawer 2', 'pen 1')"],
            ),
            ("agent.take('mug 1', 'shelf 1')", &["agent.add_inventory('mug 1')"]),
            ("agent.take('pen 1', 'drawer 2')", &["agent.add_inventory('pen 1')"]),
        ])
    }

    #[test]
    fn what_always_follows_is_predicted_with_the_arguments_in_place() {
        let model = household();
        let predicted = model.predict(&"agent.take('egg 7', 'cart 1')".parse().unwrap());
        assert_eq!(predicted, calls(&["agent.add_inventory('egg 7')"]));
        let opened = model.predict(&"agent.open('safe 1')".parse().unwrap());
        assert_eq!(opened, calls(&["env.set_property('safe 1', 'open', True)"]));
    }

    #[test]
    fn what_varies_is_sensing_and_never_predicted() {
        let model = household();
        assert!(model.predict(&"agent.goto('shelf 1')".parse().unwrap()).is_empty());
        let sensing = |function: &str| !model.action(function).unwrap().sensing.is_empty();
        assert!(sensing("goto") && sensing("open") && !sensing("take"));
        let listing = &model.action("open").unwrap().sensing[0];
        assert!(listing.open_ended);
        assert_eq!((listing.args.clone(), listing.seen), (vec![Term::Param(0)], 1));
    }

    #[test]
    fn an_action_never_demonstrated_predicts_nothing() {
        assert!(household().predict(&"agent.fly('moon 1')".parse().unwrap()).is_empty());
        assert!(EffectModel::default().predict(&"agent.take('mug 1', 'shelf 1')".parse().unwrap()).is_empty());
    }

    #[test]
    fn nothing_in_it_belongs_to_one_world() {
        let model = learn(&[
            ("system.offer('name', 'Blue Door')", &["user.inform('name')", "user.set('name', 'Blue Door', None)"]),
            ("system.offer('street', 'Elm 4')", &["user.inform('street')", "user.set('street', 'Elm 4', None)"]),
        ]);
        let predicted = model.predict(&"system.offer('city', 'Rome')".parse().unwrap());
        assert_eq!(predicted, calls(&["user.inform('city')", "user.set('city', 'Rome', None)"]));
        assert_eq!(model.action("offer").unwrap().kinds.len(), 2);
    }

    #[test]
    fn kinds_are_names_without_their_number() {
        for (name, kind) in [("drawer 4", "drawer"), ("mug", "mug"), ("table lamp 12", "table lamp"), ("a b", "a b")] {
            assert_eq!(kind_of(name), kind);
        }
    }

    proptest::proptest! {
        /// An action that was demonstrated once without reports is predicted for the same call.
        #[test]
        fn a_single_demonstration_predicts_itself(
            args in proptest::collection::vec("[a-z]{1,4} [0-9]", 1..4),
            picks in proptest::collection::vec(0usize..4, 1..4),
        ) {
            let action = Call::new("agent", "act", args.clone());
            let observed = vec![Call::new("env", "note", picks.iter().map(|i| args[i % args.len()].clone()))];
            let step = Step { call: Some(action.clone()), calls: observed.clone(), ..Step::default() };
            let model = EffectModel::learn([&step]);
            proptest::prop_assert_eq!(model.predict(&action), observed);
        }
    }
}
