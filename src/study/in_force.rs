//! Which preconditions are in force in the episodes of a study or of `run`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;

use super::precondition::{ActionResult, Approach};
use super::runner::ResultsFile;
use crate::precondition::{ADOPTED_SUFFIX, AdoptedSet};

/// Assertions by action function.
pub type Assertions = BTreeMap<String, Vec<String>>;

/// What a person names, files read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Preconditions {
    /// The true ones, where the data or the world's specification tells them.
    True,
    /// Those that the built-in enumerator infers from the demonstrations.
    Inferred,
    /// None.
    None,
    /// A file's set, whatever it is put in force in.
    Set(String, Assertions),
    /// The results of a study of preconditions, by subject: a service, or the household.
    Sets(String, BTreeMap<String, Assertions>),
}

impl FromStr for Preconditions {
    type Err = String;

    fn from_str(which: &str) -> Result<Self, String> {
        Ok(match which {
            "true" | "ground-truth" => Preconditions::True,
            "inferred" => Preconditions::Inferred,
            "none" => Preconditions::None,
            file if file.ends_with(ADOPTED_SUFFIX) => {
                let set = AdoptedSet::read(Path::new(file)).map_err(|e| e.to_string())?;
                Preconditions::Set(file.to_owned(), assertions(&set))
            }
            file if file.ends_with(".jsonl") => Preconditions::Sets(file.to_owned(), results(Path::new(file))?),
            _ => {
                return Err(format!(
                    "it is ground-truth, inferred, none, a file *{ADOPTED_SUFFIX}, or results of `study preconditions` (.jsonl)"
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
            Preconditions::Set(file, _) | Preconditions::Sets(file, _) => file,
        })
    }
}

impl Preconditions {
    /// The assertions of a subject, a service or a world; `infer` infers them from its demonstrations.
    ///
    /// # Errors
    /// If there are none such, with what to do.
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
            Preconditions::Set(_, set) => Ok(set.clone()),
            Preconditions::Sets(_, sets) => sets
                .get(subject)
                .cloned()
                .ok_or_else(|| format!("the results hold no preconditions of {subject}; infer them first")),
        }
    }
}

/// The assertions of a file of preconditions, by action function.
fn assertions(set: &AdoptedSet) -> Assertions {
    set.actions.iter().map(|a| (a.action.clone(), a.assertions.clone())).collect()
}

/// The preconditions that a study inferred, by subject. What a model wrote first is left out: validated ones are beside it.
fn results(path: &Path) -> Result<BTreeMap<String, Assertions>, String> {
    if !path.is_file() {
        return Err(format!("{}: no such file", path.display()));
    }
    let file: ResultsFile<ActionResult> = ResultsFile::open(path)?;
    let mut sets: BTreeMap<String, Assertions> = BTreeMap::new();
    let kept = file.earlier.into_iter().filter(|r| r.error.is_none() && r.approach != Approach::Prompted);
    for result in kept {
        sets.entry(result.subject).or_default().insert(result.action, result.assertions);
    }
    Ok(sets)
}
