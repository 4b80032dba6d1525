//! Preconditions in force in the episodes of a study or of `run`.

use std::collections::{BTreeMap, BTreeSet};
use std::ffi::OsStr;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};

use super::precondition::{ActionResult, Approach, enumerated};
use super::runner;
use stepwright_driver::{Beginning, Setup};
use stepwright_episode::effects_of;
use stepwright_method::prompting::own_assertions;
use stepwright_precondition::{ADOPTED_SUFFIX, AdoptedSet, Demo};
use stepwright_program::Specification;
use stepwright_world::demonstration::Demonstration;

pub type Assertions = BTreeMap<String, Vec<String>>;

/// The preconditions that a person names, files read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preconditions {
    /// The true ones, where the data or the world's specification holds them.
    True,
    /// Those that the built-in enumerator infers from the demonstrations.
    Inferred,
    None,
    /// A file's set, wherever it is put in force.
    Set(String, AdoptedSet),
    /// The results of a study of preconditions, by subject: a service, or the household; and the model that inferred them.
    Sets(String, BTreeMap<String, Assertions>, String),
}

/// How the error begins that lists what a word may name.
pub const ONE_OF: &str = "it is ";

impl FromStr for Preconditions {
    type Err = String;

    fn from_str(which: &str) -> Result<Self, String> {
        Ok(match which {
            "true" | "ground-truth" => Preconditions::True,
            "inferred" => Preconditions::Inferred,
            "none" => Preconditions::None,
            file if file.ends_with(ADOPTED_SUFFIX) => Preconditions::of_file(Path::new(file))?,
            file if file.ends_with(".jsonl") => {
                let (sets, model) = results(Path::new(file))?;
                Preconditions::Sets(file.to_owned(), sets, model)
            }
            _ => {
                return Err(format!(
                    "{ONE_OF}ground-truth, inferred, none, a file whose name ends in {ADOPTED_SUFFIX}, or results of `study preconditions` (.jsonl)"
                ));
            }
        })
    }
}

/// As results and sessions record it.
impl fmt::Display for Preconditions {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Preconditions::True => "ground-truth",
            Preconditions::Inferred => "inferred",
            Preconditions::None => "none",
            Preconditions::Set(file, _) | Preconditions::Sets(file, ..) => file,
        })
    }
}

impl Preconditions {
    /// Those of a word of the command line: a file's path may be no text.
    pub fn named(which: &OsStr) -> Result<Self, String> {
        match which.to_str() {
            Some(text) => text.parse(),
            None if which.as_encoded_bytes().ends_with(ADOPTED_SUFFIX.as_bytes()) => Self::of_file(Path::new(which)),
            None => Err(format!("a path of results is a text in UTF-8; a file *{ADOPTED_SUFFIX} may have any")),
        }
    }

    /// Those of a file of one's own, all of whose lines must be sound.
    fn of_file(path: &Path) -> Result<Self, String> {
        let set = AdoptedSet::read_sound(path).map_err(|e| e.to_string())?;
        Ok(Preconditions::Set(path.to_string_lossy().into_owned(), set))
    }

    /// Which they are, as experiments record it: of a file its content, not its name.
    pub fn described(&self) -> Value {
        match self {
            Preconditions::Set(_, set) => json!({ "file": runner::digest(&json!(assertions(set))) }),
            Preconditions::Sets(_, sets, _) => json!({ "file": runner::digest(&json!(sets)) }),
            named => json!(named.to_string()),
        }
    }

    /// The names in a file that are of no action of these specifications; of what is no file none.
    /// Errors: all are, the file is of another world, or an action has other parameters there.
    pub fn idle_among(&self, specifications: &[Specification], world: &str) -> Result<BTreeSet<String>, String> {
        match self {
            Preconditions::Set(file, set) => set.idle(file, world, specifications),
            _ => Ok(BTreeSet::new()),
        }
    }

    /// The model whose validated candidates a file of results holds; empty where none or several inferred them, or otherwise.
    pub fn inferred_by(&self) -> &str {
        if let Preconditions::Sets(_, _, model) = self { model } else { "" }
    }

    /// The assertions of a subject, a service or a world; `infer` infers them from its demonstrations.
    pub fn of(
        &self,
        subject: &str,
        truth: Option<&Assertions>,
        infer: impl FnOnce() -> Result<Assertions, String>,
    ) -> Result<Assertions, String> {
        match self {
            Preconditions::True => truth.cloned().ok_or_else(|| {
                format!("nothing is known to be true of {subject}; choose --preconditions inferred, none or a file")
            }),
            Preconditions::Inferred => infer(),
            Preconditions::None => Ok(Assertions::new()),
            Preconditions::Set(_, set) => Ok(assertions(set)),
            Preconditions::Sets(_, sets, _) => sets
                .get(subject)
                .cloned()
                .ok_or_else(|| format!("the results hold no preconditions of {subject}; infer them first")),
        }
    }
}

/// Puts preconditions in force from the beginning of episodes; what was inferred once is not inferred again.
#[derive(Debug)]
pub struct InForce {
    pub preconditions: Preconditions,
    inferred: Mutex<BTreeMap<Vec<String>, Assertions>>,
    /// The names in a file that are of no action in any episode so far; `None` before the first.
    idle: Mutex<Option<BTreeSet<String>>>,
}

impl InForce {
    pub fn new(preconditions: Preconditions) -> Self {
        InForce { preconditions, inferred: Mutex::default(), idle: Mutex::default() }
    }

    /// Puts them in force in a new session, whose options say so. Of actions that a file does not name the specification's own
    /// stay.
    pub fn begin(&self, setup: &mut Setup) -> Result<(), String> {
        let Beginning::New(header) = &mut setup.beginning else { return Ok(()) };
        let specification = Specification::load(&header.specification, "spec.py").map_err(|e| e.to_string())?;
        let own = own_assertions(&specification);
        let of_data = setup.world.ground_truth().map(|truth| truth.into_iter().collect());
        let truth: Option<Assertions> = of_data.or_else(|| own.values().any(|a| !a.is_empty()).then(|| own.clone()));
        let task = setup.world.tasks().into_iter().find(|t| t.id == header.task);
        // A study's results are by service, or by world where it has no services.
        let subject = match &self.preconditions {
            Preconditions::Sets(_, sets, _) => task.map(|t| t.kind).filter(|kind| sets.contains_key(kind)),
            _ => None,
        };
        let infer = || self.infer(&specification, &setup.knowledge.demonstrations);
        let wanted = self.preconditions.of(&subject.unwrap_or_else(|| header.world.clone()), truth.as_ref(), infer)?;
        let of = |name: &str| wanted.iter().find(|(key, _)| key.rsplit('.').next() == Some(name)).map(|(_, a)| a);
        let is_file = matches!(self.preconditions, Preconditions::Set(..));
        if is_file {
            let unfit = self.preconditions.idle_among(std::slice::from_ref(&specification), &header.world)?;
            let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
            *idle = Some(idle.take().map_or_else(|| unfit.clone(), |before| &before & &unfit));
        }
        let named = own.keys().filter(|action| !is_file || of(action).is_some()).cloned();
        let effects = own.keys().map(|action| effects_of(action)).filter(|name| of(name).is_some());
        setup.adopted = named
            .chain(effects)
            .map(|action| stepwright_episode::Assertions {
                assertions: of(&action).cloned().unwrap_or_default(),
                action,
                origin: self.preconditions.to_string(),
            })
            .collect();
        header.options.insert("preconditions".to_owned(), self.preconditions.to_string());
        Ok(())
    }

    /// That names in a file were of no action in any of the episodes, where some were: what they forbid was never checked.
    pub fn idle(&self) -> Option<String> {
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let names: Vec<&str> = idle.iter().flatten().map(String::as_str).collect();
        (!names.is_empty()).then(|| not_checked(&self.preconditions.to_string(), names))
    }

    fn infer(&self, specification: &Specification, demonstrations: &[Demonstration]) -> Result<Assertions, String> {
        let mut known = self.inferred.lock().unwrap_or_else(PoisonError::into_inner);
        let ids = demonstrations.iter().map(|d| d.id.clone());
        let of = std::iter::once(specification.source().to_owned()).chain(ids).collect();
        if let Some(inferred) = known.get(&of) {
            return Ok(inferred.clone());
        }
        let inferred = enumerated(specification, demonstrations.iter().map(Demo::from).collect())?;
        Ok(known.entry(of).or_insert(inferred).clone())
    }
}

/// That what a file says of these names was not checked, since no action has them.
pub fn not_checked<'a>(file: &str, names: impl IntoIterator<Item = &'a str>) -> String {
    let names = names.into_iter().collect::<Vec<_>>().join(", ");
    format!("{file}: no action here is named {names}; what stands there was not checked")
}

/// The assertions of a file of preconditions, by action function.
fn assertions(set: &AdoptedSet) -> Assertions {
    set.actions.iter().map(|a| (a.action.clone(), a.assertions.clone())).collect()
}

/// The preconditions that a study inferred, by subject, and by which model where all are one's validated candidates. What a model wrote first is
/// left out: validated ones are beside it.
fn results(path: &Path) -> Result<(BTreeMap<String, Assertions>, String), String> {
    let contents = runner::read(path)?;
    let mut models: BTreeSet<String> = BTreeSet::new();
    let mut sets: BTreeMap<String, Assertions> = BTreeMap::new();
    let mut units: BTreeMap<(String, String), (String, String)> = BTreeMap::new();
    for (unit, entries) in runner::one_each(&contents.entries).0 {
        for entry in entries {
            let wrong = |why: String| format!("{}: no result of `study preconditions`: {why}", path.display());
            let result: ActionResult = entry.line().map_err(wrong)?;
            if result.error.is_some() || !result.approach.stands() {
                continue;
            }
            let (subject, action) = (result.subject.clone(), result.action.clone());
            let source = (entry.experiment.clone(), unit.to_owned());
            if units.insert((subject, action), source.clone()).is_some_and(|known| known != source) {
                return Err(format!(
                    "{}: it holds several results of {} of {}, inferred in different ways; which is meant cannot be known: infer into a \
                     file of its own, or save a set with --save and name that",
                    path.display(),
                    result.action,
                    result.subject
                ));
            }
            let is_validated = result.approach == Approach::Validated;
            models.insert(if is_validated { result.way.model } else { String::new() });
            sets.entry(result.subject).or_default().insert(result.action, result.assertions);
        }
    }
    let one = models.len() == 1;
    Ok((sets, models.into_iter().next().filter(|_| one).unwrap_or_default()))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::runner::{Entry, Experiment};

    /// A file that calls an action's parameters otherwise would hold nowhere; of other actions it may say something as well.
    #[test]
    fn a_file_fits_the_actions_and_their_parameters() {
        let text = "SETUP = ['agent = Agent()']\nACTIONS = ['agent.goto', 'agent.turn']\nOBSERVATIONS = []\n\n\nclass Agent:\n    def goto(self, recep):\n        pass\n\n    def turn(self, *who):\n        pass\n";
        let specification = Specification::load(text, "spec.py").unwrap();
        let idle = |text: &str| {
            let set = AdoptedSet::parse(text, "mine").unwrap();
            let idle =
                Preconditions::Set("mine".to_owned(), set).idle_among(std::slice::from_ref(&specification), "w")?;
            Ok::<_, String>(idle.into_iter().collect::<Vec<_>>().join(" "))
        };
        for (text, expected) in [
            ("def goto(self, recep):\n    assert recep\n\ndef fly(self):\n    assert 1\n", Ok("fly")),
            ("def goto(self, recep):\n    self.at = recep\n", Ok("")),
            ("def turn(self, who):\n    assert who\n", Ok("")),
            (
                "def goto(self, place):\n    assert place\n",
                Err("mine: goto has the parameters (recep), not (place); name them as the specification does"),
            ),
            ("def fly(self):\n    assert 1\n", Err("mine names no action of the world w")),
            ("# world: w\ndef goto(self, recep):\n    pass\n", Ok("")),
            (
                "# world: v\ndef goto(self, recep):\n    pass\n",
                Err("mine is of the world v, not of w; name a file of w"),
            ),
        ] {
            assert_eq!(idle(text), expected.map(str::to_owned).map_err(str::to_owned));
        }
    }

    #[test]
    fn results_that_do_not_say_which_is_meant_are_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("results.jsonl");
        let experiment = Experiment::new("preconditions", json!({}));
        let line = |assertion: &str| {
            json!({"world": "dialogue", "subject": "S", "action": "A", "model": "symbolic", "demonstrations": 1, "samples": 0,
                "seed": 0, "approach": "enumerated", "shown": 1, "episodes": 1, "assertions": [assertion], "truth": null,
                "truth_from": null, "instances": 0, "satisfied": 0, "calls": 0, "held": 0, "agreement": null, "candidates": 0,
                "valid": 0, "asks": 0, "prompt_tokens": 0, "completion_tokens": 0, "seconds": 0.0})
        };
        let write = |units: &[(&str, &str)]| {
            let entry = |(unit, assertion): &(&str, &str)| {
                Entry::of_unit(experiment.hash(), unit, &[line(assertion)]).unwrap()[0].text() + "\n"
            };
            let text: String = units.iter().map(entry).collect();
            std::fs::write(&path, format!("{}\n{text}", experiment.head())).unwrap();
            path.display().to_string().parse::<Preconditions>()
        };
        let Ok(once) = write(&[("u", "x"), ("u", "y")]) else { panic!("a unit done twice is one") };
        assert_eq!(once.of("S", None, || Err(String::new())).unwrap()["A"], ["y"]);
        let same = write(&[("u", "y")]).unwrap();
        assert_eq!(same.described(), once.described(), "what is held counts, not the file");
        assert!(write(&[("u", "x"), ("v", "y")]).unwrap_err().contains("several results of A of S"));
    }
}
