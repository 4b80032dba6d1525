//! The occasions of an action: the decisions to take it, each with the state it was taken in. The states are made by calling what was
//! called before, once for an action, and kept for the actions asked about last.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use rustc_hash::FxHashMap;

use super::contents::{Contents, Decision, Episode, Node};
use super::index::Index;
use stepwright_program::{Call, Function, Literal, Role, Specification, State};
use stepwright_world::WorldKind;

/// The actions whose occasions are kept.
const ACTIONS: usize = 4;

/// State kept between questions.
#[derive(Debug, Default)]
pub(crate) struct Kept {
    actions: Vec<(Wanted, Vec<Arc<Occasions>>)>,
    specifications: FxHashMap<String, Option<Specification>>,
}

/// An action of a world, by its function's name and parameters; any of them where they are not said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Wanted {
    pub(crate) world: Option<String>,
    pub(crate) action: String,
    pub(crate) params: Option<Vec<String>>,
    /// Whether the states after them count, and so only what the world accepted.
    pub(crate) after: bool,
}

impl Wanted {
    fn is_of(&self, episode: &Episode) -> bool {
        self.world.as_ref().is_none_or(|world| episode.world.is_empty() || episode.world == *world)
    }

    fn function<'a>(&self, specification: &'a Specification, call: &Call) -> Option<&'a Function> {
        let function = specification.function(&call.receiver, &call.function).filter(|f| f.role == Role::Action)?;
        self.params.as_ref().is_none_or(|params| function.params == *params).then_some(function)
    }
}

/// A decision by its place in a file: episode, decision.
pub(crate) type Place = (usize, usize);

/// The occasions of a file.
#[derive(Debug)]
pub(crate) struct Occasions {
    pub(crate) path: PathBuf,
    pub(crate) contents: Arc<Contents>,
    pub(crate) groups: Vec<Group>,
    /// Those whose state is not known, with why.
    pub(crate) untold: Vec<(Place, &'static str)>,
    pub(crate) episodes: usize,
}

/// The occasions under one specification.
#[derive(Debug)]
pub(crate) struct Group {
    /// The specification's place in the file.
    specification: u32,
    pub(crate) function: Function,
    pub(crate) arguments: Vec<Vec<Literal>>,
    /// Beside each: what the call shows to have been there, once the world accepted it.
    pub(crate) shown: Vec<Vec<Call>>,
    pub(crate) cases: Vec<Case>,
}

#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) state: State,
    /// The place of its arguments; `None` where the action cannot be called with those it has.
    pub(crate) arguments: Option<usize>,
    pub(crate) place: Place,
    /// Whether the world accepted it.
    accepted: bool,
    /// The state that it led to, where that is wanted and known; between calls that were taken at once it is not.
    pub(crate) after: Option<State>,
}

impl Case {
    /// The state with what the world's acceptance shows to have been there; `None` where it shows nothing.
    pub(crate) fn there(&self, group: &Group) -> Option<State> {
        let shown = group.shown.get(self.arguments?).filter(|shown| self.accepted && !shown.is_empty())?;
        let mut there = self.state.clone();
        shown.iter().for_each(|call| drop(there.call_unchecked(call)));
        Some(there)
    }
}

const SILENT: &str = "the log does not say all that was observed before";
const NO_SPECIFICATION: &str = "the specification of the episode does not load";

impl Occasions {
    pub(crate) fn len(&self) -> usize {
        self.untold.len() + self.groups.iter().map(|group| group.cases.len()).sum::<usize>()
    }

    pub(crate) fn decision(&self, place: Place) -> Option<(&Episode, &Decision)> {
        let episode = self.contents.episodes.get(place.0)?;
        Some((episode, episode.decisions.get(place.1)?))
    }
}

impl Kept {
    /// The occasions of an action, file by file; those of files that are as they were are kept.
    pub(crate) fn occasions(&mut self, index: &Index, wanted: &Wanted) -> Vec<Arc<Occasions>> {
        let Kept { actions, specifications } = self;
        let before = actions.iter().position(|(known, _)| known == wanted).map(|at| actions.remove(at).1);
        let mut before = before.unwrap_or_default().into_iter().peekable();
        let mut found = Vec::new();
        for (path, contents) in index.files() {
            // Both are in the order of their paths.
            while before.next_if(|known| known.path.as_path() < path).is_some() {}
            let known = before.next_if(|known| known.path == path);
            match known.filter(|known| Arc::ptr_eq(&known.contents, contents)) {
                Some(known) => found.push(known),
                None => {
                    let file = (path, contents, &*index.worlds);
                    found.extend(gathered(file, wanted, specifications).map(Arc::new));
                }
            }
        }
        if actions.len() >= ACTIONS {
            actions.remove(0);
        }
        actions.push((wanted.clone(), found.clone()));
        found
    }
}

fn gathered(
    (path, contents, worlds): (&Path, &Arc<Contents>, &[&'static WorldKind]),
    wanted: &Wanted,
    specifications: &mut FxHashMap<String, Option<Specification>>,
) -> Option<Occasions> {
    let is_its: Vec<bool> = contents.calls.iter().map(|call| function_of(call) == Some(&wanted.action)).collect();
    let takes = |decision: &Decision| {
        is_its.get(decision.call as usize).copied().unwrap_or_default() && (decision.accepted || !wanted.after)
    };
    let mut calls = None;
    let (groups, untold) = Default::default();
    let mut found = Occasions { path: path.to_owned(), contents: Arc::clone(contents), groups, untold, episodes: 0 };
    let mut numbers: FxHashMap<(usize, u32), usize> = FxHashMap::default();
    for (at, episode) in contents.episodes.iter().enumerate().filter(|(_, episode)| wanted.is_of(episode)) {
        let decisions = episode.decisions.iter().enumerate().filter(|(_, decision)| takes(decision));
        let decisions: Vec<(usize, &Decision)> = decisions.collect();
        let Some(last) = decisions.iter().map(|(_, decision)| decision.node as usize).max() else { continue };
        let calls: &Vec<Option<Call>> = calls.get_or_insert_with(|| contents.read_calls());
        let source = contents.specifications.get(episode.specification as usize)?;
        let specification = match specifications.get(source) {
            Some(known) => known,
            None => specifications.entry(source.clone()).or_insert(Specification::load(source, "spec.py").ok()),
        };
        let start = specification.as_ref().and_then(|specification| specification.start().ok());
        let Some((specification, start)) = specification.as_ref().zip(start) else {
            found.untold.extend(decisions.iter().map(|(number, _)| ((at, *number), NO_SPECIFICATION)));
            found.episodes += 1;
            continue;
        };
        // Where it led to comes after it.
        let last = if wanted.after { episode.nodes.len() } else { last };
        let states = states(start, episode, last, calls);
        let led_to = |decision: &Decision| {
            let is_it = |node: &&Node| node.parent == Some(decision.node) && node.calls.first() == Some(&decision.call);
            let at =
                episode.nodes.iter().position(|node| is_it(&node)).filter(|_| wanted.after && !decision.at_once)?;
            states.get(at)?.clone()
        };
        let kind = worlds.iter().find(|kind| kind.name == episode.world);
        let shown = kind.and_then(|kind| kind.transcript).map(|transcript| transcript.shown);
        let before = found.len();
        for (number, decision) in decisions {
            let place = (at, number);
            let Some(call) = calls.get(decision.call as usize).and_then(Option::as_ref) else { continue };
            let Some(function) = wanted.function(specification, call) else { continue };
            let Some(state) = states.get(decision.node as usize).and_then(Option::as_ref) else {
                found.untold.push((place, SILENT));
                continue;
            };
            let its = |group: &Group| {
                group.specification == episode.specification && group.function.receiver == function.receiver
            };
            let group = found.groups.iter().position(its).unwrap_or_else(|| {
                let (specification, function) = (episode.specification, function.clone());
                let (arguments, shown, cases) = Default::default();
                found.groups.push(Group { specification, function, arguments, shown, cases });
                found.groups.len() - 1
            });
            let mut state = state.clone();
            for call in decision.earlier.iter().filter_map(|call| calls.get(*call as usize)?.as_ref()) {
                let _ = state.call_unchecked(call);
            }
            let Some(own) = found.groups.get_mut(group) else { continue };
            let arguments = numbers.get(&(group, decision.call)).copied().or_else(|| {
                let number = own.arguments.len();
                own.arguments.push(function.arguments(call).ok()?.into_owned());
                own.shown.push(shown.map(|shown| shown(call)).unwrap_or_default());
                numbers.insert((group, decision.call), number);
                Some(number)
            });
            let (accepted, after) = (decision.accepted, led_to(decision));
            own.cases.push(Case { state, arguments, place, accepted, after });
        }
        found.episodes += usize::from(found.len() > before);
    }
    (found.len() > 0).then_some(found)
}

/// The function that a call as it is written is of: `take` of `agent.take('mug 1', 'desk 1')`.
fn function_of(call: &str) -> Option<&str> {
    call.split_once('(')?.0.rsplit('.').next()
}

/// The states of an episode's nodes up to one, where they are known. What the program cannot follow leaves its state as it was, as in a
/// session.
fn states(start: State, episode: &Episode, last: usize, calls: &[Option<Call>]) -> Vec<Option<State>> {
    let mut states: Vec<Option<State>> = Vec::with_capacity(last.min(episode.nodes.len()) + 1);
    for node in episode.nodes.iter().take(last + 1) {
        let before = match node.parent {
            None => Some(start.clone()),
            Some(parent) => states.get(parent as usize).cloned().flatten(),
        };
        states.push(before.filter(|_| !node.silent).map(|mut state| {
            for call in node.calls.iter().filter_map(|call| calls.get(*call as usize)?.as_ref()) {
                let _ = state.call_unchecked(call);
            }
            state
        }));
    }
    states
}

/// The calls before a decision, in order.
pub(crate) fn calls_before(contents: &Contents, episode: &Episode, decision: &Decision) -> Vec<String> {
    let mut way = Vec::new();
    let mut next = Some(decision.node);
    while let Some(node) = next.and_then(|at| episode.nodes.get(at as usize)) {
        way.push(node);
        // Parents come before children, so that this ends whatever a file says.
        next = node.parent.filter(|parent| next.is_some_and(|at| *parent < at));
    }
    let calls = way.iter().rev().flat_map(|node| &node.calls).chain(&decision.earlier);
    calls.filter_map(|call| contents.calls.get(*call as usize).cloned()).collect()
}
