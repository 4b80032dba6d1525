//! Search problem of a household task, over what the agent knows and hopes.
//!
//! States hold only what matters for the goal: where the agent stands, what it holds, where the wanted things are (or are hoped to
//! be), which places are open, which properties things have. Effects come from the learned model; the assertions in force decide
//! what may be done. A hoped-for thing shows when its place is looked into, at the price of the expected search.

use std::cell::{Cell, OnceCell};
use std::hash::{Hash, Hasher};
use std::rc::Rc;

use super::Belief;
use super::facts::{Facts, Id, property_index};
use super::goal::Goal;
use super::operators::{Operator, Role, operators};
use super::search_cost::{Hope, hopes, is_shut, natural};
use stepwright_episode::Status;
use stepwright_program::{Call, Literal};
use stepwright_world::planner::LocationPrior;
use stepwright_world::planner::effects::{EffectModel, kind_of};
use stepwright_world::planner::search::Problem;
use stepwright_world::program::CheckedProgram;

/// Hopes considered for each kind of thing.
const HOPES: usize = 6;
/// Places of the wanted kind considered.
const TARGETS: usize = 4;
/// Known things of the wanted kind considered.
const THINGS: usize = 5;
/// After so many refusals an action is not planned any more.
const GIVE_UP: usize = 2;

struct Place {
    id: Id,
    target: bool,
    /// Whether things can be given the wanted property here.
    tool: bool,
    shut: bool,
    openable: bool,
    /// Hoped-for things and what hoping for them costs beyond the steps.
    hopes: Vec<(Id, f64)>,
}

pub struct Household<'a> {
    goal: &'a Goal,
    belief: &'a Belief,
    effects: &'a EffectModel,
    start: &'a CheckedProgram,
    names: Vec<String>,
    places: Vec<Place>,
    things: Vec<Id>,
    lamps: Vec<Id>,
    operators: Vec<Operator<'a>>,
    /// Whether actions whose assertions fail are left out.
    pub strict: bool,
    pub with_close: bool,
    /// Whether an assertion blocked any action considered.
    blocked: Cell<bool>,
}

#[derive(Clone)]
pub struct State {
    facts: Facts,
    program: Rc<Program>,
}

impl PartialEq for State {
    fn eq(&self, other: &Self) -> bool {
        self.facts == other.facts
    }
}

impl Eq for State {}

impl Hash for State {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.facts.hash(state);
    }
}

/// The program's variables at a node, computed when first asked for.
struct Program {
    from: Option<(Rc<Program>, Vec<Call>)>,
    value: OnceCell<CheckedProgram>,
}

impl Program {
    fn get(&self) -> Option<&CheckedProgram> {
        if self.value.get().is_none()
            && let Some((parent, calls)) = &self.from
        {
            let mut value = parent.get()?.clone();
            value.apply(calls);
            let _ = self.value.set(value);
        }
        self.value.get()
    }
}

impl<'a> Household<'a> {
    /// Sets the problem up; nothing is searched yet.
    pub fn new(
        goal: &'a Goal,
        belief: &'a Belief,
        effects: &'a EffectModel,
        prior: &LocationPrior,
        start: &'a CheckedProgram,
    ) -> Self {
        let mut problem = Household {
            goal,
            belief,
            effects,
            start,
            names: Vec::new(),
            places: Vec::new(),
            things: Vec::new(),
            lamps: Vec::new(),
            operators: operators(effects),
            strict: true,
            with_close: false,
            blocked: Cell::new(false),
        };
        problem.add_things(prior);
        problem
    }

    fn id(&mut self, name: &str) -> Id {
        let found = self.names.iter().position(|n| n == name);
        let index = found.unwrap_or_else(|| {
            self.names.push(name.to_owned());
            self.names.len() - 1
        });
        Id::try_from(index).unwrap_or(Id::MAX)
    }

    fn name(&self, id: Id) -> &str {
        self.names.get(usize::from(id)).map_or("", String::as_str)
    }

    fn add_things(&mut self, prior: &LocationPrior) {
        let belief = self.belief;
        let (object, needed) = match self.goal {
            Goal::Place { object, count, .. } => (object, *count),
            Goal::Light { object, .. } => (object, 1),
        };
        let known = self.known_things(object);
        let found = known.iter().filter(|n| !self.is_given_up(n)).count();
        self.things = known.iter().map(|n| self.id(n)).collect();
        if let Some(held) = &belief.held {
            self.id(held);
        }
        let mut hoped: Vec<(Hope, String)> = Vec::new();
        if found < needed {
            // A task is never done at its start: a place of the wanted kind does not hold a thing that needs nothing more.
            let barred = match self.goal {
                Goal::Place { state: None, count: 1, place, .. } => Some(place.as_str()),
                _ => None,
            };
            hoped.extend(hopes(belief, prior, object, barred, HOPES).into_iter().map(|h| (h, object.clone())));
        }
        let goal = self.goal;
        if let Goal::Light { lamp, .. } = goal {
            let lamps = self.known_things(lamp);
            self.lamps = lamps.iter().map(|n| self.id(n)).collect();
            if lamps.is_empty() {
                hoped.extend(hopes(belief, prior, lamp, None, HOPES).into_iter().map(|h| (h, lamp.clone())));
            }
        }
        for place in self.places_that_matter(&hoped) {
            let mut hopes = Vec::new();
            for (hope, kind) in hoped.iter().filter(|(h, _)| h.place == place) {
                let id = self.id(&format!("{kind} of {place}"));
                match goal {
                    Goal::Light { lamp, .. } if kind == lamp => self.lamps.push(id),
                    _ => self.things.push(id),
                }
                hopes.push((id, (hope.expected - hope.steps).max(0.0)));
            }
            let target = matches!(goal, Goal::Place { place: kind, .. } if kind == kind_of(&place));
            let (tool, shut) = (self.is_tool(&place), is_shut(belief, prior, &place));
            let openable = shut || belief.property(&place, super::OPEN).is_some();
            let id = self.id(&place);
            self.places.push(Place { id, target, tool, shut, openable, hopes });
        }
    }

    /// Things of a kind that were shown somewhere or are held, those nearest first.
    fn known_things(&self, kind: &str) -> Vec<String> {
        let mut known: Vec<(u8, &String)> = Vec::new();
        if let Some(held) = self.belief.held.as_ref().filter(|h| kind_of(h) == kind) {
            known.push((0, held));
        }
        for (place, things) in &self.belief.listed {
            for thing in things.iter().filter(|t| kind_of(t) == kind && self.belief.held.as_ref() != Some(t)) {
                known.push((if self.belief.is_here(place) { 1 } else { 2 }, thing));
            }
        }
        known.sort_by(|a, b| a.0.cmp(&b.0).then_with(|| natural(a.1, b.1)));
        let mut names: Vec<String> = Vec::new();
        for (_, name) in known {
            if names.len() < THINGS && !names.contains(name) {
                names.push(name.clone());
            }
        }
        names
    }

    /// Whether taking a thing was refused too often to count on it.
    fn is_given_up(&self, thing: &str) -> bool {
        let of_thing = |c: &Call| c.text(0) == Some(thing);
        self.belief.held.as_deref() != Some(thing)
            && self.belief.refused.iter().filter(|(c, _)| of_thing(c)).count() >= GIVE_UP
    }

    /// Whether things are given the goal's property at such places.
    fn is_tool(&self, place: &str) -> bool {
        let Goal::Place { state: Some(state), .. } = self.goal else { return false };
        let kind = kind_of(place);
        let shown = self.operators.iter().filter(|o| o.property == Some(state)).filter_map(|o| o.model.kinds.get(1));
        shown.flatten().any(|k| k == kind) || super::TOOLS.iter().any(|(p, k)| p == state && *k == kind)
    }

    fn places_that_matter(&self, hoped: &[(Hope, String)]) -> Vec<String> {
        let belief = self.belief;
        let mut places: Vec<String> = Vec::new();
        let mut add = |name: &String| {
            if !places.contains(name) {
                places.push(name.clone());
            }
        };
        hoped.iter().for_each(|(hope, _)| add(&hope.place));
        let wanted = |n: &String| self.things.iter().chain(&self.lamps).any(|id| self.name(*id) == n);
        for (place, things) in &belief.listed {
            if things.iter().any(wanted) {
                add(place);
            }
        }
        belief.at.iter().for_each(&mut add);
        if let Goal::Place { place: kind, object, .. } = self.goal {
            let mut targets: Vec<&String> = belief.places.iter().filter(|p| kind_of(p) == kind).collect();
            let holding = |p: &str| belief.contents(p).iter().filter(|t| kind_of(t) == object).count();
            targets.sort_by_key(|p| {
                let shut = belief.property(p, super::OPEN) == Some(false);
                (usize::MAX - holding(p), !belief.is_here(p), shut, !belief.is_seen_into(p))
            });
            targets.into_iter().take(TARGETS).for_each(&mut add);
            belief.places.iter().filter(|p| self.is_tool(p)).take(TARGETS).for_each(&mut add);
        }
        places
    }

    pub fn start(&self) -> State {
        let find = |name: &str| self.names.iter().position(|n| n == name).and_then(|i| Id::try_from(i).ok());
        let mut facts = Facts {
            at: self.belief.at.as_deref().and_then(find),
            held: self.belief.held.as_deref().and_then(find),
            ..Facts::default()
        };
        for (place, things) in &self.belief.listed {
            let Some(place) = find(place) else { continue };
            facts.listed.extend(things.iter().filter_map(|t| find(t)).map(|thing| (place, thing)));
        }
        for ((name, property), value) in &self.belief.properties {
            if let (Some(name), Some(property)) = (find(name), property_index(property)) {
                facts.properties.push((name, property, *value));
            }
        }
        facts.listed.sort_unstable();
        facts.listed.dedup();
        facts.properties.sort_unstable();
        let value = OnceCell::from(self.start.clone());
        State { facts, program: Rc::new(Program { from: None, value }) }
    }

    /// Whether an assertion kept any action out of the searches so far.
    /// The first action of a plan whose assertions fail where the plan takes it, with what it presumes to find; its place in the plan,
    /// and the assertion.
    pub fn first_failing(&self, plan: &[Call]) -> Option<(usize, Call, String)> {
        let (mut state, mut next) = (self.start(), Vec::new());
        for (at, call) in plan.iter().enumerate() {
            let checks = state.program.get()?.check(call);
            if let Some(failing) = checks.into_iter().find(|check| check.status == Status::Fails) {
                return Some((at, call.clone(), failing.condition));
            }
            self.successors(&state, &mut next);
            state = next.drain(..).find(|(action, ..)| action == call)?.2;
        }
        None
    }

    pub(crate) fn was_blocked(&self) -> bool {
        self.blocked.get()
    }

    fn is_here(&self, facts: &Facts, place: Id) -> bool {
        let Some(at) = facts.at else { return false };
        if at == place {
            return true;
        }
        let spots = &self.belief.spots;
        matches!((spots.get(self.name(at)), spots.get(self.name(place))), (Some(a), Some(b)) if a == b)
    }

    fn is_accessible(&self, facts: &Facts, place: &Place) -> bool {
        facts.property(place.id, super::OPEN).unwrap_or(!place.shut)
    }

    /// Whether an action was refused here already, or too often altogether.
    fn is_barred(&self, facts: &Facts, call: &Call) -> bool {
        let mut refusals = self.belief.refused.iter().filter(|(c, _)| c == call).peekable();
        if refusals.peek().is_none() {
            return false;
        }
        let moves = self.belief.moves;
        let just_now = !facts.moved && refusals.clone().any(|(_, stamp)| *stamp == moves);
        just_now || (call.function != super::GOTO && refusals.count() >= GIVE_UP)
    }

    fn call(&self, operator: &Operator<'_>, args: &[Id]) -> Call {
        let args = args.iter().map(|id| Literal::from(self.name(*id))).collect();
        Call {
            receiver: operator.model.receiver.clone(),
            function: operator.function.to_owned(),
            args,
            ..Call::default()
        }
    }

    /// Adds what an action leads to, unless it was refused or the assertions forbid it.
    fn push(
        &self,
        from: &State,
        operator: &Operator<'_>,
        args: &[Id],
        looked: Option<&Place>,
        out: &mut Vec<(Call, f64, State)>,
    ) {
        let call = self.call(operator, args);
        if self.is_barred(&from.facts, &call) {
            return;
        }
        if self.strict
            && let Some(program) = from.program.get()
            && program.permits(&call) == Status::Fails
        {
            self.blocked.set(true);
            return;
        }
        let mut calls = self.effects.predict(&call);
        let mut facts = from.facts.clone();
        let mut cost = 1.0;
        if operator.role == Role::Goto {
            facts.at = args.first().copied();
            facts.moved = true;
        }
        for predicted in &calls {
            self.hear(&mut facts, args, predicted);
        }
        if let Some(place) = looked {
            let shown: Vec<Id> = place.hopes.iter().map(|(id, _)| *id).filter(|id| !facts.knows(*id)).collect();
            for (thing, surcharge) in place.hopes.iter().filter(|(id, _)| shown.contains(id)) {
                facts.list(place.id, *thing);
                cost += surcharge;
            }
            if !shown.is_empty() {
                let names = std::iter::once(place.id).chain(shown).map(|id| self.name(id));
                calls.push(Call::new(&operator.model.receiver, super::UPDATE_VISIBLE, names));
            }
        }
        let program = Rc::new(Program { from: Some((Rc::clone(&from.program), calls)), value: OnceCell::new() });
        out.push((call, cost, State { facts, program }));
    }

    fn hear(&self, facts: &mut Facts, args: &[Id], call: &Call) {
        let named = |i: usize| call.text(i).and_then(|n| args.iter().copied().find(|id| self.name(*id) == n));
        let Some(thing) = named(0) else { return };
        let other = args.iter().copied().find(|id| *id != thing);
        match call.function.as_str() {
            super::ADD_INVENTORY => {
                facts.held = Some(thing);
                if let Some(place) = other {
                    facts.listed.retain(|entry| *entry != (place, thing));
                }
            }
            super::REMOVE_INVENTORY => {
                facts.held = None;
                if let Some(place) = other {
                    facts.list(place, thing);
                }
            }
            super::SET_PROPERTY => {
                if let (Some(property), Some(Literal::Bool(value))) = (call.text(1), call.args.get(2)) {
                    facts.set(thing, property, *value);
                    if let Some((_, opposite)) = super::OPPOSITES.iter().find(|(p, _)| *value && *p == property) {
                        facts.set(thing, opposite, false);
                    }
                }
            }
            _ => {}
        }
    }

    /// Whether a thing is as the goal wants it, wherever it is.
    fn is_ready(&self, facts: &Facts, thing: Id) -> bool {
        match self.goal {
            Goal::Place { state: Some(state), .. } => facts.property(thing, state) == Some(true),
            _ => true,
        }
    }

    fn delivered(&self, facts: &Facts, place: &Place) -> usize {
        let there = facts.listed.iter().filter(|(p, t)| *p == place.id && self.things.contains(t));
        there.filter(|(_, t)| self.is_ready(facts, *t)).count()
    }

    pub(super) fn is_met(&self, facts: &Facts) -> bool {
        match self.goal {
            Goal::Place { count, .. } => self.places.iter().any(|p| p.target && self.delivered(facts, p) >= *count),
            Goal::Light { .. } => facts.held.is_some_and(|h| self.things.contains(&h)) && self.lit(facts),
        }
    }

    /// The facts after calls that are taken to be possible regardless of their preconditions; and what looking where something is hoped for shows.
    pub(super) fn facts_after<'c>(&self, calls: impl Iterator<Item = &'c Call>) -> Facts {
        let mut facts = self.start().facts;
        for call in calls {
            let known = |arg: &Literal| arg.text().and_then(|n| self.names.iter().position(|name| name == n));
            let args: Vec<Id> = call.args.iter().filter_map(known).filter_map(|i| Id::try_from(i).ok()).collect();
            if call.function == super::GOTO {
                facts.at = args.first().copied();
            }
            for predicted in self.effects.predict(call) {
                self.hear(&mut facts, &args, &predicted);
            }
            if let [place] = args.as_slice() {
                let looked = self.places.iter().filter(|p| p.id == *place);
                looked.flat_map(|p| &p.hopes).for_each(|(thing, _)| facts.list(*place, *thing));
            }
        }
        facts
    }

    /// Whether an action was refused where the agent stands now, or too often altogether.
    pub(super) fn is_refused_here(&self, call: &Call) -> bool {
        self.is_barred(&self.start().facts, call)
    }

    /// Whether something is hoped for, but was not seen yet.
    pub(super) fn is_hoped_for(&self, name: &str) -> bool {
        self.places.iter().flat_map(|p| &p.hopes).any(|(id, _)| self.name(*id) == name)
    }

    /// Whether an action looks into a place where something is hoped for.
    pub(super) fn is_a_look(&self, call: &Call) -> bool {
        let place = call.text(0);
        let hopes = |p: &Place| !p.hopes.is_empty() && Some(self.name(p.id)) == place;
        call.args.len() == 1 && self.places.iter().any(hopes)
    }

    /// Whether a lamp that is on stands here.
    fn lit(&self, facts: &Facts) -> bool {
        facts.listed.iter().any(|(place, thing)| {
            self.lamps.contains(thing)
                && self.is_here(facts, *place)
                && facts.property(*thing, super::TOGGLE) == Some(true)
        })
    }

    /// Steps to have a thing in hand, hoped-for ones with the price of the search.
    fn fetch_estimate(&self, facts: &Facts, thing: Id) -> f64 {
        if facts.held == Some(thing) {
            return 0.0;
        }
        let surcharge = self.search_price(facts, thing);
        let here = facts.listed.iter().any(|(p, t)| *t == thing && self.is_here(facts, *p));
        surcharge + if here { 1.0 } else { 2.0 }
    }

    fn search_price(&self, facts: &Facts, thing: Id) -> f64 {
        if facts.knows(thing) {
            return 0.0;
        }
        let hope = self.places.iter().flat_map(|p| &p.hopes).find(|(id, _)| *id == thing);
        // Neither listed nor hoped for: it is nowhere to be found.
        hope.map_or(1000.0, |(_, surcharge)| *surcharge)
    }

    fn place_estimate(&self, facts: &Facts, count: usize) -> f64 {
        let mut best = f64::INFINITY;
        for place in self.places.iter().filter(|p| p.target) {
            let need = count.saturating_sub(self.delivered(facts, place));
            let mut costs: Vec<f64> = Vec::new();
            for &thing in &self.things {
                let ready = self.is_ready(facts, thing);
                if ready && facts.listed.contains(&(place.id, thing)) {
                    continue;
                }
                let held = facts.held == Some(thing);
                let tool_here = || self.places.iter().any(|p| p.tool && self.is_here(facts, p.id));
                let treat = match (ready, held && tool_here()) {
                    (true, _) => 0.0,
                    (false, true) => 1.0,
                    (false, false) => 2.0,
                };
                let there = ready && held && self.is_here(facts, place.id);
                let open = if self.is_accessible(facts, place) { 0.0 } else { 1.0 };
                costs.push(self.fetch_estimate(facts, thing) + treat + if there { 1.0 } else { 2.0 } + open);
            }
            costs.sort_by(f64::total_cmp);
            let sum: f64 = costs.iter().take(need).sum();
            best = best.min(if costs.len() < need { f64::INFINITY } else { sum });
        }
        if best.is_finite() { best } else { 1000.0 }
    }
}

impl Problem for Household<'_> {
    type State = State;
    type Action = Call;

    fn successors(&self, state: &State, out: &mut Vec<(Call, f64, State)>) {
        let facts = &state.facts;
        for operator in &self.operators {
            match operator.role {
                Role::Goto => {
                    for place in self.places.iter().filter(|p| !self.is_here(facts, p.id)) {
                        let shows = self.is_accessible(facts, place).then_some(place);
                        self.push(state, operator, &[place.id], shows, out);
                    }
                }
                Role::Open | Role::Close if operator.role == Role::Open || self.with_close => {
                    let is_open = operator.role == Role::Close;
                    for place in self.places.iter().filter(|p| p.openable && self.is_here(facts, p.id)) {
                        if self.is_accessible(facts, place) == is_open {
                            self.push(state, operator, &[place.id], (!is_open).then_some(place), out);
                        }
                    }
                }
                Role::Take if facts.held.is_none() => {
                    for &(place, thing) in &facts.listed {
                        let reachable = self
                            .places
                            .iter()
                            .find(|p| p.id == place)
                            .is_some_and(|p| self.is_here(facts, place) && self.is_accessible(facts, p));
                        if reachable && self.things.contains(&thing) {
                            self.push(state, operator, &[thing, place], None, out);
                        }
                    }
                }
                Role::Put => {
                    let Some(held) = facts.held else { continue };
                    for place in self.places.iter().filter(|p| self.is_here(facts, p.id)) {
                        if self.is_accessible(facts, place) {
                            self.push(state, operator, &[held, place.id], None, out);
                        }
                    }
                }
                Role::Give => self.give(state, operator, out),
                Role::Close | Role::Open | Role::Take => {}
            }
        }
    }

    fn is_goal(&self, state: &State) -> bool {
        self.is_met(&state.facts)
    }

    fn estimate(&self, state: &State) -> f64 {
        let facts = &state.facts;
        match self.goal {
            Goal::Place { count, .. } => {
                let in_the_way = facts.held.is_some_and(|h| !self.things.contains(&h));
                self.place_estimate(facts, *count) + if in_the_way { 1.0 } else { 0.0 }
            }
            Goal::Light { .. } => {
                let things = self.things.iter().map(|t| self.fetch_estimate(facts, *t));
                let fetch = things.fold(1000.0, f64::min);
                let lamps = self.lamps.iter().map(|lamp| {
                    let on = facts.property(*lamp, super::TOGGLE) == Some(true);
                    let here = facts.listed.iter().any(|(p, t)| t == lamp && self.is_here(facts, *p));
                    self.search_price(facts, *lamp) + if on { 0.0 } else { 1.0 } + if here { 0.0 } else { 1.0 }
                });
                let light = if self.lit(facts) { 0.0 } else { lamps.fold(1000.0, f64::min) };
                fetch + light
            }
        }
    }
}

impl Household<'_> {
    /// Actions that give a thing the property the goal wants: of a thing held at a tool's place, or of a lamp here.
    fn give(&self, state: &State, operator: &Operator<'_>, out: &mut Vec<(Call, f64, State)>) {
        let facts = &state.facts;
        match (self.goal, operator.model.arity) {
            (Goal::Place { state: Some(wanted), .. }, 2) if operator.property == Some(wanted) => {
                let Some(held) = facts.held.filter(|h| self.things.contains(h)) else { return };
                for place in self.places.iter().filter(|p| p.tool && self.is_here(facts, p.id)) {
                    self.push(state, operator, &[held, place.id], None, out);
                }
            }
            // Turned on with the thing in hand or before: the order does not matter.
            (Goal::Light { .. }, 1) if operator.property == Some(super::TOGGLE) => {
                for &(place, thing) in &facts.listed {
                    if self.lamps.contains(&thing) && self.is_here(facts, place) {
                        self.push(state, operator, &[thing], None, out);
                    }
                }
            }
            _ => {}
        }
    }
}
