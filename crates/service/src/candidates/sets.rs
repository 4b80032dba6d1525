//! Sets of assertions. Finds whole sets (in force, the specification's, inferred, from a file), compares, saves and adopts them.

use std::path::Path;

use super::state::{CandidateService, PendingRequest};
use super::worker::{Contents, Job, NamedSet};
use stepwright_driver::{SessionContext, SessionView};
use stepwright_episode::gate::Request;
use stepwright_episode::{Assertions, action_of_effects, effects_of};
use stepwright_precondition::{AdoptedAction, AdoptedSet};
use stepwright_protocol::{Level, Notice, SetSource};
use stepwright_text::words::count;

/// The assertions in force for an action, and their origin.
pub(super) fn assertions_of(view: &SessionContext<'_>, action: &str) -> Assertions {
    let found = view.session.assertions().get(action).cloned();
    let (assertions, origin) = found.unwrap_or_default();
    Assertions { action: action.to_owned(), assertions, origin }
}

/// A set in force for every action: what `assertions` gives for each, and its effects where it gives any.
fn set_of(view: &SessionContext<'_>, assertions: impl Fn(&str) -> Vec<String>) -> AdoptedSet {
    let actions = view.program.assertions().into_iter().flat_map(|own| {
        let function = view.program.specification().functions().iter().find(|f| f.name == own.action);
        let params = function.map(|f| f.params.clone()).unwrap_or_default();
        let effects = effects_of(&own.action);
        let of = [(assertions(&own.action), own.action), (assertions(&effects), effects)];
        of.map(|(assertions, action)| AdoptedAction { action, params: params.clone(), assertions })
    });
    let says = |of: &AdoptedAction| action_of_effects(&of.action).is_none() || !of.assertions.is_empty();
    AdoptedSet { actions: actions.filter(says).collect(), ..AdoptedSet::default() }
}

fn set_in_force(view: &SessionContext<'_>) -> AdoptedSet {
    set_of(view, |action| assertions_of(view, action).assertions)
}

fn contents(view: &SessionContext<'_>, source: SetSource) -> Result<NamedSet, String> {
    let name = source.name();
    let set = match source {
        SetSource::InForce => Contents::Set(set_in_force(view)),
        SetSource::Specification => {
            let own = view.program.assertions();
            let of = |action: &str| own.iter().find(|a| a.action == action).map(|a| a.assertions.clone());
            Contents::Set(set_of(view, |action| of(action).unwrap_or_default()))
        }
        SetSource::Truth => {
            let truth = view.world.ground_truth().ok_or_else(|| {
                format!("the world {} gives no ground truth; compare with the specification", view.world.name())
            })?;
            let of = |action: &str| truth.iter().find(|(a, _)| a == action).map(|(_, texts)| texts.clone());
            Contents::Set(set_of(view, |action| of(action).unwrap_or_default()))
        }
        SetSource::Inferred(ranking) => Contents::Suggested(ranking),
        SetSource::Given(_, set) => Contents::Set(set),
        SetSource::File(path) => {
            // An effect is compiled for its function when it is put in force.
            let mut set = AdoptedSet::read_sound(&path).map_err(|e| e.to_string())?;
            let specification = std::slice::from_ref(view.program.specification());
            let file = path.display().to_string();
            let idle = set.idle(&file, &view.session.header.world, specification)?;
            // It is put in force whole or not at all.
            if !idle.is_empty() {
                let names = idle.into_iter().collect::<Vec<_>>().join(", ");
                return Err(format!("{file}: no action here is named {names}; take that out of the file"));
            }
            let missing = set_in_force(view).actions.into_iter();
            let missing: Vec<_> = missing.filter(|a| !set.actions.iter().any(|b| a.action == b.action)).collect();
            set.actions.extend(missing);
            Contents::Set(set)
        }
    };
    Ok((name, set))
}

/// The assertions of a set as they are put in force; of those that are there, and need no inference.
pub(crate) fn assertions(view: &SessionContext<'_>, source: SetSource) -> Result<Vec<Assertions>, String> {
    let (name, contents) = contents(view, source)?;
    let Contents::Set(set) = contents else {
        return Err(format!("{name}: what is suggested is no set yet; adopt it, or write it to a file"));
    };
    let of = |a: AdoptedAction| Assertions { action: a.action, assertions: a.assertions, origin: name.clone() };
    Ok(set.actions.into_iter().map(of).collect())
}

pub(super) fn save(path: &Path, view: &SessionView<'_>) {
    let header = &view.session.header;
    let mut set = set_in_force(view);
    let demonstrations = count(view.knowledge.demonstrations.len(), "demonstration");
    set.notes = vec![format!("Preconditions in force; {demonstrations}; stepwright {}", env!("CARGO_PKG_VERSION"))];
    set.place = Some((header.world.clone(), header.task.clone()));
    set.actions.retain(|a| !a.assertions.is_empty() || view.session.assertions().contains_key(&a.action));
    match set.write(path) {
        Ok(()) => {
            let (mut assertions, mut effects) = (0, 0);
            for of in &set.actions {
                let sum = if action_of_effects(&of.action).is_some() { &mut effects } else { &mut assertions };
                *sum += of.assertions.len();
            }
            let effects = if effects == 0 { String::new() } else { format!(" and {}", count(effects, "effect")) };
            let all = count(assertions, "assertion");
            view.say(Level::Info, format!("{all}{effects} in force written to {}", path.display()));
        }
        Err(error) => view.say(Level::Error, error.to_string()),
    }
}

fn names(sets: &[Assertions]) -> String {
    sets.iter().map(|set| set.action.as_str()).collect::<Vec<_>>().join(", ")
}

impl CandidateService {
    pub(super) fn compare(&mut self, token: u64, left: SetSource, right: SetSource, view: &mut SessionView<'_>) {
        match (contents(view, left), contents(view, right)) {
            (Ok(left), Ok(right)) => self.work(Job::Compare { token, left, right }, view),
            (Err(why), _) | (_, Err(why)) => view.say(Level::Error, why),
        }
    }

    /// Puts a whole set in force: all of it or, if anything in it cannot be, nothing. Actions it does not name stay.
    pub(super) fn adopt_set(&mut self, name: &str, set: AdoptedSet, view: &mut SessionView<'_>) {
        let wanted = set.actions.into_iter().map(|a| Assertions {
            action: a.action,
            assertions: a.assertions,
            origin: name.to_owned(),
        });
        let wanted: Vec<Assertions> =
            wanted.filter(|a| assertions_of(view, &a.action).assertions != a.assertions).collect();
        let mut trial = view.program.clone();
        if let Err(why) = wanted.iter().try_for_each(|assertions| trial.adopt(assertions)) {
            return view.say(Level::Error, format!("{why}; nothing of {name} was put in force"));
        }
        let words = match wanted.len() {
            0 => return view.say(Level::Info, format!("{name} is in force already; nothing changed")),
            n if wanted.iter().all(|of| action_of_effects(&of.action).is_none()) => {
                format!("{name} is in force; the assertions of {} changed", count(n, "action"))
            }
            _ => format!("{name} is in force; what changed: {}", names(&wanted)),
        };
        let last = wanted.len() - 1;
        for (at, assertions) in wanted.into_iter().enumerate() {
            self.adopt(&assertions, (at == last).then(|| words.clone()), view);
        }
    }

    /// Asks the gate to put assertions in force; `then` is said when they are.
    pub(super) fn adopt(&mut self, set: &Assertions, then: Option<String>, view: &mut SessionView<'_>) {
        self.request(PendingRequest::Adopt { then }, Request::adopt(set), view);
    }

    pub(super) fn tell_inference(&self, view: &SessionView<'_>) {
        let ground_truth = view.world.ground_truth().is_some();
        view.tell(Notice::Inference { asks: self.settings, ground_truth });
    }
}
