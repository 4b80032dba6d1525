//! Whole sets of assertions: those in force, the specification's, inferred or loaded ones; saved, compared, put in force; and a
//! person's changes taken back in the order they were made.

use std::path::{Path, PathBuf};

use super::candidates::Job;
use super::task::Driver;
use super::{Level, Notice};
use crate::episode::Header;
use crate::episode::gate::{Answer, Assertions, Request, Ticket};
use crate::precondition::{ADOPTED_SUFFIX, AdoptedAction, AdoptedSet};

/// Which set is meant.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum SetSource {
    /// What is in force now.
    InForce,
    /// What the specification itself asserts, as it was written.
    Specification,
    /// What the data gives as true, where it does.
    Truth,
    /// What Equation (1) suggests of the candidates so far.
    Inferred,
    /// A file; actions that it does not name stay as they are in force.
    File(PathBuf),
    /// One that is handed over, with its name.
    Given(String, AdoptedSet),
}

impl SetSource {
    /// Its name, for people.
    pub fn name(&self) -> String {
        match self {
            SetSource::InForce => "in force".to_owned(),
            SetSource::Specification => "specification".to_owned(),
            SetSource::Truth => "ground truth".to_owned(),
            SetSource::Inferred => "suggested".to_owned(),
            SetSource::File(path) => path.file_name().map_or_else(String::new, |n| n.to_string_lossy().into_owned()),
            SetSource::Given(name, _) => name.clone(),
        }
    }
}

/// A set as a comparison needs it: `None` for what only the pools can tell.
pub(super) type Known = (String, Option<AdoptedSet>);

/// A person's change to the preconditions of an action.
#[derive(Debug, Clone)]
pub(super) enum Change {
    /// To its candidates; which, the workshop knows.
    Pool(String),
    /// To what is in force: before and after.
    Adopted(Assertions, Assertions),
}

impl Change {
    fn action(&self) -> &str {
        match self {
            Change::Pool(action) => action,
            Change::Adopted(before, _) => &before.action,
        }
    }
}

/// What a person changed, oldest first, and what was taken back of it.
#[derive(Debug, Default)]
pub(super) struct Changes {
    past: Vec<Change>,
    future: Vec<Change>,
    /// Changes whose requests are queued.
    queued: Vec<(Ticket, Change)>,
}

impl Changes {
    /// Notes a change; what had been taken back of that action can no longer be done again.
    pub(super) fn add(&mut self, change: Change) {
        self.future.retain(|c| c.action() != change.action());
        self.past.push(change);
    }

    /// Drops the action's last change to its candidates: it came to nothing.
    pub(super) fn forget(&mut self, action: &str) {
        let last = self.past.iter().rposition(|c| matches!(c, Change::Pool(changed) if changed == action));
        last.map(|at| self.past.remove(at));
    }

    /// The action's last change goes over to those taken back (or, forward, the other way round).
    fn turn(&mut self, action: &str, forward: bool) -> Option<Change> {
        let (from, to) = if forward { (&mut self.future, &mut self.past) } else { (&mut self.past, &mut self.future) };
        let at = from.iter().rposition(|c| c.action() == action)?;
        let change = from.remove(at);
        to.push(change.clone());
        Some(change)
    }
}

/// How the first remark of a file of preconditions begins that a session wrote.
const WRITTEN: &str = "Preconditions in force in ";

/// The remark that says where a set was in force.
fn remark_of(world: &str, task: &str) -> String {
    format!("{WRITTEN}{world} ({task})")
}

/// The world and the task that a set was in force in, where its file says so.
pub fn written_in(set: &AdoptedSet) -> Option<(&str, &str)> {
    let (world, task) = set.notes.first()?.strip_prefix(WRITTEN)?.split_once(" (")?;
    Some((world, task.strip_suffix(')')?))
}

/// A name for the file of what is in force in a session: its world's and, where the sentence begins with the name of a service
/// and a colon, the service's.
pub fn file_name(header: &Header) -> String {
    let service = header.sentence.split_once(':').map(|(service, _)| service);
    let plain = |name: &&str| !name.is_empty() && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_');
    let service = service.filter(plain).map_or_else(String::new, |service| format!("-{service}"));
    format!("{}{service}{ADOPTED_SUFFIX}", header.world)
}

impl Driver {
    /// What is in force for an action, and where it comes from.
    fn in_force(&self, action: &str) -> Assertions {
        let found = self.gate.session().assertions().get(action).cloned();
        let (assertions, origin) = found.unwrap_or_default();
        Assertions { action: action.to_owned(), assertions, origin }
    }

    /// The assertions in force for an action.
    pub(super) fn assertions_of(&self, action: &str) -> Vec<String> {
        self.in_force(action).assertions
    }

    /// Puts assertions in force; a change that can be taken back.
    pub(super) fn adopt(&mut self, after: Assertions) {
        let before = self.in_force(&after.action);
        let differs = before != after;
        match self.request(Request::Adopt(after.clone())) {
            Answer::Done { .. } if differs => self.changes.add(Change::Adopted(before, after)),
            Answer::Queued(ticket) => self.changes.queued.push((ticket, Change::Adopted(before, after))),
            _ => {}
        }
    }

    /// Notes what became of queued requests.
    pub(super) fn requests_ended(&mut self) {
        for (ticket, answer) in self.take_ended() {
            let queued = self.changes.queued.iter().position(|(of, _)| *of == ticket);
            let change = queued.map(|at| self.changes.queued.remove(at).1);
            if let (Some(change), Answer::Done { .. }) = (change, answer) {
                self.changes.add(change);
            }
        }
    }

    /// Takes an action's last change back, or makes it again.
    pub(super) fn turn_back(&mut self, action: String, forward: bool) {
        match self.changes.turn(&action, forward) {
            Some(Change::Pool(action)) => self.bench(if forward { Job::Redo(action) } else { Job::Undo(action) }),
            Some(Change::Adopted(before, after)) => {
                self.request(Request::Adopt(if forward { after } else { before }));
            }
            None => {
                let what = if forward { "do again" } else { "undo" };
                self.say(Level::Info, format!("no change to the preconditions of {action} is left to {what}"));
            }
        }
    }

    /// A set in force for every action: what `assertions` gives for each.
    fn set_of(&self, assertions: impl Fn(&str) -> Vec<String>) -> AdoptedSet {
        let actions = self.mind.assertions().into_iter().map(|own| {
            let function = self.mind.specification().functions().iter().find(|f| f.name == own.action);
            AdoptedAction {
                params: function.map(|f| f.params.clone()).unwrap_or_default(),
                assertions: assertions(&own.action),
                action: own.action,
            }
        });
        AdoptedSet { notes: Vec::new(), actions: actions.collect() }
    }

    fn set_in_force(&self) -> AdoptedSet {
        self.set_of(|action| self.assertions_of(action))
    }

    fn known(&self, source: SetSource) -> Result<Known, String> {
        let name = source.name();
        let set = match source {
            SetSource::InForce => Some(self.set_in_force()),
            SetSource::Specification => {
                let own = self.mind.assertions();
                let of = |action: &str| own.iter().find(|a| a.action == action).map(|a| a.assertions.clone());
                Some(self.set_of(|action| of(action).unwrap_or_default()))
            }
            SetSource::Truth => {
                let truth = self.points.world.ground_truth().ok_or_else(|| {
                    format!(
                        "the world {} gives no ground truth; compare with the specification",
                        self.points.world.name()
                    )
                })?;
                let of = |action: &str| truth.iter().find(|(a, _)| a == action).map(|(_, texts)| texts.clone());
                Some(self.set_of(|action| of(action).unwrap_or_default()))
            }
            SetSource::Inferred => None,
            SetSource::Given(_, set) => Some(set),
            SetSource::File(path) => {
                let mut set = AdoptedSet::read(&path).map_err(|e| e.to_string())?;
                let missing = self.set_in_force().actions.into_iter();
                let missing: Vec<_> = missing.filter(|a| !set.actions.iter().any(|b| a.action == b.action)).collect();
                set.actions.extend(missing);
                Some(set)
            }
        };
        Ok((name, set))
    }

    /// Has two sets compared.
    pub(super) fn compare(&mut self, token: u64, left: SetSource, right: SetSource) {
        match (self.known(left), self.known(right)) {
            (Ok(left), Ok(right)) => self.bench(Job::Compare { token, left, right }),
            (Err(why), _) | (_, Err(why)) => self.say(Level::Error, why),
        }
    }

    /// Writes what is in force to a file.
    pub(super) fn save_set(&mut self, path: &Path) {
        let header = &self.gate.session().header;
        let mut set = self.set_in_force();
        set.notes = vec![
            remark_of(&header.world, &header.task),
            format!("{} demonstrations; stepwright {}", self.demonstrations.len(), env!("CARGO_PKG_VERSION")),
        ];
        set.actions.retain(|a| !a.assertions.is_empty() || self.gate.session().assertions().contains_key(&a.action));
        match set.write(path) {
            Ok(()) => {
                let count: usize = set.actions.iter().map(|a| a.assertions.len()).sum();
                self.say(Level::Info, format!("{count} assertions in force written to {}", path.display()));
            }
            Err(error) => self.say(Level::Error, error.to_string()),
        }
    }

    /// Puts a whole set in force: all of it or, if anything in it cannot be, nothing. Actions it does not name stay.
    pub(super) fn adopt_set(&mut self, name: &str, set: AdoptedSet) {
        let wanted = set.actions.into_iter().map(|a| Assertions {
            action: a.action,
            assertions: a.assertions,
            origin: name.to_owned(),
        });
        let wanted: Vec<Assertions> = wanted.filter(|a| self.in_force(&a.action).assertions != a.assertions).collect();
        let mut trial = self.mind.clone();
        if let Err(why) = wanted.iter().try_for_each(|assertions| trial.adopt(assertions)) {
            return self.say(Level::Error, format!("{why}; nothing of {name} was put in force"));
        }
        let count = wanted.len();
        wanted.into_iter().for_each(|assertions| self.adopt(assertions));
        let words = match count {
            0 => format!("{name} is in force already; nothing changed"),
            1 => format!("{name} is in force; the assertions of 1 action changed"),
            n => format!("{name} is in force; the assertions of {n} actions changed"),
        };
        self.say(Level::Info, words);
    }

    /// Tells what inference has to go by.
    pub(super) fn tell_inference(&self) {
        let ground_truth = self.points.world.ground_truth().is_some();
        self.tell(Notice::Inference { asks: self.prompting.candidates, ground_truth });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_tells_where_it_was_in_force() {
        let set = |note: String| AdoptedSet { notes: vec![note], actions: Vec::new() };
        assert_eq!(written_in(&set(remark_of("dialogue", "bank (2)/x"))), Some(("dialogue", "bank (2)/x")));
        assert_eq!(written_in(&set("mine".into())), None);
        assert_eq!(written_in(&AdoptedSet::default()), None);
    }
}
