//! Sets of assertions. Finds whole sets (in force, the specification's, inferred, from a file), compares, saves and adopts them.

use std::path::{Path, PathBuf};

use super::history::Change;
use super::worker::Job;
use super::{Errand, Surroundings, Workshop};
use crate::{Level, Notice};
use stepwright_episode::gate::Request;
use stepwright_episode::{Assertions, Header};
use stepwright_method::precondition::{ADOPTED_SUFFIX, AdoptedAction, AdoptedSet, Edit, Ranking};
use stepwright_program::Assertion;
use stepwright_text::words::count;

/// Which set is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetSource {
    /// What is in force now.
    InForce,
    /// What the specification itself asserts, as it was written.
    Specification,
    /// What the data gives as true, where it does.
    Truth,
    /// What is suggested of the candidates so far, by one of the two rankings.
    Inferred(Ranking),
    /// A file; actions that it does not name stay as they are in force.
    File(PathBuf),
    /// One that is handed over, with its name.
    Given(String, AdoptedSet),
}

impl SetSource {
    /// Its name, for display.
    pub fn name(&self) -> String {
        match self {
            SetSource::InForce => "in force".to_owned(),
            SetSource::Specification => "specification".to_owned(),
            SetSource::Truth => "ground truth".to_owned(),
            SetSource::Inferred(ranking) => format!("suggested, {}", ranking.name()),
            SetSource::File(path) => path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
            SetSource::Given(name, _) => name.clone(),
        }
    }
}

/// A set as a comparison needs it, with its name.
pub(super) type Known = (String, Contents);

/// What is in a set to be compared.
#[derive(Debug)]
pub(super) enum Contents {
    /// These assertions.
    Set(AdoptedSet),
    /// What the pools suggest by that ranking.
    Suggested(Ranking),
}

/// A name for the file of what is in force in a session: its world's and, where each service has a specification of its own, the
/// service's.
pub fn file_name(header: &Header) -> String {
    let is_plain = !header.service.is_empty() && header.service.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let service = if is_plain { format!("-{}", header.service) } else { String::new() };
    format!("{}{service}{ADOPTED_SUFFIX}", header.world)
}

impl Surroundings<'_> {
    /// A set in force for every action: what `assertions` gives for each.
    fn set_of(&self, assertions: impl Fn(&str) -> Vec<String>) -> AdoptedSet {
        let actions = self.program.assertions().into_iter().map(|own| {
            let function = self.program.specification().functions().iter().find(|f| f.name == own.action);
            AdoptedAction {
                params: function.map(|f| f.params.clone()).unwrap_or_default(),
                assertions: assertions(&own.action),
                action: own.action,
            }
        });
        AdoptedSet { actions: actions.collect(), ..AdoptedSet::default() }
    }

    fn set_in_force(&self) -> AdoptedSet {
        self.set_of(|action| self.in_force(action).assertions)
    }

    fn known(&self, source: SetSource) -> Result<Known, String> {
        let name = source.name();
        let set = match source {
            SetSource::InForce => Contents::Set(self.set_in_force()),
            SetSource::Specification => {
                let own = self.program.assertions();
                let of = |action: &str| own.iter().find(|a| a.action == action).map(|a| a.assertions.clone());
                Contents::Set(self.set_of(|action| of(action).unwrap_or_default()))
            }
            SetSource::Truth => {
                let truth = self.world.ground_truth().ok_or_else(|| {
                    format!("the world {} gives no ground truth; compare with the specification", self.world.name())
                })?;
                let of = |action: &str| truth.iter().find(|(a, _)| a == action).map(|(_, texts)| texts.clone());
                Contents::Set(self.set_of(|action| of(action).unwrap_or_default()))
            }
            SetSource::Inferred(ranking) => Contents::Suggested(ranking),
            SetSource::Given(_, set) => Contents::Set(set),
            SetSource::File(path) => {
                let mut set = AdoptedSet::read(&path).map_err(|e| e.to_string())?;
                for AdoptedAction { action, assertions, .. } in &set.actions {
                    for text in assertions {
                        Assertion::compile(text).map_err(|e| {
                            format!("{}: `{text}` of {action} is no assertion: {e}; nothing was loaded", path.display())
                        })?;
                    }
                }
                let missing = self.set_in_force().actions.into_iter();
                let missing: Vec<_> = missing.filter(|a| !set.actions.iter().any(|b| a.action == b.action)).collect();
                set.actions.extend(missing);
                Contents::Set(set)
            }
        };
        Ok((name, set))
    }
}

impl Workshop {
    /// Has two sets compared.
    pub(super) fn compare(&mut self, token: u64, left: SetSource, right: SetSource, around: &Surroundings<'_>) {
        match (around.known(left), around.known(right)) {
            (Ok(left), Ok(right)) => self.work(Job::Compare { token, left, right }, around),
            (Err(why), _) | (_, Err(why)) => self.say(Level::Error, why),
        }
    }

    /// Writes what is in force to a file.
    pub(super) fn save_set(&self, path: &Path, around: &Surroundings<'_>) {
        let header = &around.session.header;
        let mut set = around.set_in_force();
        let demonstrations = count(self.demonstrations.len(), "demonstration");
        set.notes = vec![format!("Preconditions in force; {demonstrations}; stepwright {}", env!("CARGO_PKG_VERSION"))];
        set.place = Some((header.world.clone(), header.task.clone()));
        set.actions.retain(|a| !a.assertions.is_empty() || around.session.assertions().contains_key(&a.action));
        match set.write(path) {
            Ok(()) => {
                let all: usize = set.actions.iter().map(|a| a.assertions.len()).sum();
                self.say(Level::Info, format!("{} in force written to {}", count(all, "assertion"), path.display()));
            }
            Err(error) => self.say(Level::Error, error.to_string()),
        }
    }

    /// Puts a whole set in force: all of it or, if anything in it cannot be, nothing. Actions it does not name stay.
    pub(super) fn adopt_set(&mut self, name: &str, set: AdoptedSet, around: &Surroundings<'_>) {
        let wanted = set.actions.into_iter().map(|a| Assertions {
            action: a.action,
            assertions: a.assertions,
            origin: name.to_owned(),
        });
        let wanted: Vec<Assertions> =
            wanted.filter(|a| around.in_force(&a.action).assertions != a.assertions).collect();
        let mut trial = around.program.clone();
        if let Err(why) = wanted.iter().try_for_each(|assertions| trial.adopt(assertions)) {
            return self.say(Level::Error, format!("{why}; nothing of {name} was put in force"));
        }
        let words = match wanted.len() {
            0 => return self.say(Level::Info, format!("{name} is in force already; nothing changed")),
            n => format!("{name} is in force; the assertions of {} changed", count(n, "action")),
        };
        let last = wanted.len() - 1;
        for (at, assertions) in wanted.into_iter().enumerate() {
            self.adopt(assertions, (at == last).then(|| words.clone()), around);
        }
    }

    /// Asks the gate to put assertions in force; `then` is said when they are.
    pub(super) fn adopt(&mut self, after: Assertions, then: Option<String>, around: &Surroundings<'_>) {
        let before = around.in_force(&after.action);
        let request = Request::adopt(&after);
        self.requests.push_back((Errand::Adopt { before, after, then }, request));
    }

    /// Takes an action's last change back, or makes it again.
    pub(super) fn turn(&mut self, action: String, forward: bool, around: &Surroundings<'_>) {
        match self.changes.turn(&action, forward) {
            Some(Change::Candidates(action)) => {
                self.edit(action, if forward { Edit::Redo } else { Edit::Undo }, around);
            }
            Some(Change::Adopted(before, after)) => {
                let request = Request::adopt(if forward { &after } else { &before });
                self.requests.push_back((Errand::Turn { action, forward }, request));
            }
            None => {
                let what = if forward { "do again" } else { "undo" };
                self.say(Level::Info, format!("no change to the preconditions of {action} is left to {what}"));
            }
        }
    }

    /// Sends what inference has to work from.
    pub(crate) fn tell_inference(&self, around: &Surroundings<'_>) {
        let ground_truth = around.world.ground_truth().is_some();
        self.tell(Notice::Inference { asks: self.settings, ground_truth });
    }
}
