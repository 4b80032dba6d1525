//! Adopted sets as files, `*.preconditions.py`: what a person put in force, readable, comparable and portable.
//!
//! A file is Python: one `def` an action with its parameters, one `assert` a line, `pass` where there is none, and below them the
//! action's effects, one a line. Of an action without such lines it says nothing of effects; of one with no other lines nothing of
//! assertions. Whether the expressions mean anything is the engine's to say; this file only reads and writes the form.

use std::collections::BTreeSet;
use std::path::Path;

use stepwright_episode::{action_of_effects, effects_of};
use stepwright_program::{Assertion, Effect, Function, Role, Specification};
use stepwright_text::words::shortened;

pub const ADOPTED_SUFFIX: &str = ".preconditions.py";

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdoptedAction {
    /// The action's function (`take`), or the name that its effects go by.
    pub action: String,
    /// Its parameters, without `self`.
    pub params: Vec<String>,
    /// Its assertions in order, each as written after `assert `; or its effects.
    pub assertions: Vec<String>,
}

/// The assertions and the effects of all actions, as a file holds them.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct AdoptedSet {
    /// Where they come from, in words: the comment at the head of the file, one entry a line.
    pub notes: Vec<String>,
    /// The world they were in force or inferred in, and one of its tasks (of the service that is meant) or none: the comment's last lines,
    /// `world: household` and `task: place-box-1`.
    pub place: Option<(String, String)>,
    /// The actions, in file order.
    pub actions: Vec<AdoptedAction>,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{source_name}{}: {why}", line.map(|line| format!(":{line}")).unwrap_or_default())]
pub struct AdoptedError {
    pub source_name: String,
    /// The line, from 1; `None` where the file could not be read or written at all.
    pub line: Option<usize>,
    pub why: String,
}

const LARGEST: u64 = 16 << 20;

impl AdoptedSet {
    /// The assertions of an action; none if the set does not name it.
    pub fn of(&self, action: &str) -> &[String] {
        self.actions.iter().find(|a| a.action == action).map_or(&[], |a| &a.assertions)
    }

    /// The functions that it says something of, each with its parameters.
    pub fn named(&self) -> impl Iterator<Item = (&str, &[String])> {
        self.actions.iter().map(|of| (action_of_effects(&of.action).unwrap_or(&of.action), of.params.as_slice()))
    }

    /// Those of its names that are of no action of these specifications: what stands there says nothing here.
    /// Errors: it is of another world, it names no action here, or one has other parameters.
    pub fn idle(
        &self,
        origin: &str,
        world: &str,
        specifications: &[Specification],
    ) -> Result<BTreeSet<String>, String> {
        if let Some((there, _)) = self.place.as_ref().filter(|(there, _)| there != world) {
            return Err(format!("{origin} is of the world {there}, not of {world}; name a file of {world}"));
        }
        let idle: BTreeSet<String> = idle_in(self.named(), origin, specifications)?.into_iter().collect();
        match self.named().all(|(name, _)| idle.contains(name)) {
            true => Err(format!("{origin} names no action of the world {world}")),
            false => Ok(idle),
        }
    }

    /// Reads the text of a file; `source_name` is for messages.
    pub fn parse(text: &str, source_name: &str) -> Result<Self, AdoptedError> {
        AdoptedSet::parse_with(text, source_name, &|_| Ok(()))
    }

    /// The same of assertions that are taken by `accept`, which says why one is not.
    fn parse_with(
        text: &str,
        source_name: &str,
        accept: &dyn Fn(&str) -> Result<(), String>,
    ) -> Result<Self, AdoptedError> {
        let mut set = AdoptedSet::default();
        // Whether the action's lines say something of its assertions.
        let mut says_more = false;
        for (at, raw) in text.lines().enumerate() {
            let fail = |why: String| AdoptedError { source_name: source_name.to_owned(), line: Some(at + 1), why };
            let line = raw.trim_end();
            let inner = line.trim_start();
            if let Some(note) = inner.strip_prefix('#') {
                if set.actions.is_empty() {
                    set.note(note.strip_prefix(' ').unwrap_or(note));
                }
                continue;
            }
            if inner.is_empty() {
                continue;
            }
            if inner.len() == line.len() {
                let action = definition(line).map_err(fail)?;
                let effects = effects_of(&action.action);
                if set.actions.iter().any(|a| a.action == action.action || a.action == effects) {
                    return Err(fail(format!("`{}` is defined twice; put its assertions together", action.action)));
                }
                set.actions.push(action);
                says_more = false;
                continue;
            }
            let Some(action) = set.actions.last_mut() else {
                return Err(fail("indented before any `def`; start with `def take(self, obj, recep):`".to_owned()));
            };
            let effects = action_of_effects(&action.action).is_some();
            match inner.strip_prefix("assert").filter(|rest| rest.starts_with([' ', '\t', '('])) {
                _ if inner == "pass" && !effects => says_more = true,
                Some(rest) if !rest.trim().is_empty() && !effects => {
                    says_more = true;
                    accept(rest.trim()).map_err(fail)?;
                    action.assertions.push(rest.trim().to_owned());
                }
                None if Effect::is_one(inner) => match (effects, says_more) {
                    (true, _) => action.assertions.push(inner.to_owned()),
                    (false, true) => {
                        let (name, params) = (effects_of(&action.action), action.params.clone());
                        set.actions.push(AdoptedAction { action: name, params, assertions: vec![inner.to_owned()] });
                    }
                    (false, false) => {
                        action.action = effects_of(&action.action);
                        action.assertions.push(inner.to_owned());
                    }
                },
                _ if effects => {
                    let inner = shortened(inner);
                    return Err(fail(format!("`{inner}` is no effect, and nothing else may follow effects")));
                }
                _ => {
                    let inner = shortened(inner);
                    return Err(fail(format!(
                        "`{inner}` is neither `assert …` (on one line) nor an effect nor `pass`; nothing else may stand here"
                    )));
                }
            }
        }
        if set.place.is_none() {
            set.place = set.notes.first().and_then(|first| told(first));
        }
        Ok(set)
    }

    fn note(&mut self, line: &str) {
        let value = |name: &str| Some(line.strip_prefix(name)?.strip_prefix(": ")?.to_owned());
        match (value("world"), value("task"), &mut self.place) {
            (Some(world), _, None) => self.place = Some((world, String::new())),
            (_, Some(task), Some((_, open))) if open.is_empty() => *open = task,
            _ => self.notes.push(line.to_owned()),
        }
    }

    /// Reads a file to look at it: its assertions need not be any.
    pub fn read(path: &Path) -> Result<Self, AdoptedError> {
        AdoptedSet::read_with(path, &|_| Ok(()))
    }

    /// Reads a file to go by it.
    /// Errors: also the first assertion that is none (a syntax error), with its line.
    pub fn read_sound(path: &Path) -> Result<Self, AdoptedError> {
        AdoptedSet::read_with(path, &|text| match Assertion::compile(text) {
            Ok(_) => Ok(()),
            Err(why) => Err(format!("`{text}` cannot be checked: {why}")),
        })
    }

    fn read_with(path: &Path, accept: &dyn Fn(&str) -> Result<(), String>) -> Result<Self, AdoptedError> {
        let name = path.display().to_string();
        match stepwright_files::read_text(path, LARGEST) {
            Ok(text) => AdoptedSet::parse_with(&text, &name, accept),
            Err(e) => Err(AdoptedError { source_name: name, line: None, why: format!("cannot be read: {e}") }),
        }
    }

    /// Writes the file whole or not at all; a previous one is replaced.
    pub fn write(&self, path: &Path) -> Result<(), AdoptedError> {
        stepwright_files::replace(path, self.to_string().as_bytes()).map_err(|e| AdoptedError {
            source_name: path.display().to_string(),
            line: None,
            why: format!("cannot be written: {e}"),
        })
    }
}

impl std::fmt::Display for AdoptedSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for note in &self.notes {
            writeln!(f, "{}", format!("# {note}").trim_end())?;
        }
        if let Some((world, task)) = &self.place {
            writeln!(f, "# world: {world}")?;
            if !task.is_empty() {
                writeln!(f, "# task: {task}")?;
            }
        }
        let mut before: Option<&str> = None;
        for action in &self.actions {
            let effects = action_of_effects(&action.action);
            if effects.is_some() && action.assertions.is_empty() {
                continue;
            }
            let name = effects.unwrap_or(&action.action);
            if effects.is_none() || before != effects {
                if before.is_some() || !self.notes.is_empty() || self.place.is_some() {
                    f.write_str("\n")?;
                }
                let params: String = action.params.iter().map(|p| format!(", {p}")).collect();
                writeln!(f, "def {name}(self{params}):")?;
            }
            before = Some(name);
            if action.assertions.is_empty() {
                f.write_str("    pass\n")?;
            }
            let keyword = if effects.is_some() { "" } else { "assert " };
            for assertion in &action.assertions {
                writeln!(f, "    {keyword}{assertion}")?;
            }
        }
        Ok(())
    }
}

/// Those of the names in a file, each with its parameters, that are of no action of these specifications.
/// Errors: a parameter has another name there than here: what is asserted of it would hold nowhere.
pub fn idle_in<'a>(
    named: impl Iterator<Item = (&'a str, &'a [String])>,
    origin: &str,
    specifications: &[Specification],
) -> Result<Vec<String>, String> {
    let mut idle = Vec::new();
    for (name, params) in named {
        let functions = specifications.iter().flat_map(|specification| specification.functions());
        let own: Vec<Vec<&str>> =
            functions.filter(|f| f.role == Role::Action && f.name == name).map(parameters).collect();
        if let Some(other) = own.iter().find(|other| **other != params) {
            return Err(format!(
                "{origin}: {name} has the parameters ({}), not ({}); name them as the specification does",
                other.join(", "),
                params.join(", ")
            ));
        }
        if own.is_empty() {
            idle.push(name.to_owned());
        }
    }
    Ok(idle)
}

/// As a file can name them: without the star of one that takes the rest.
fn parameters(function: &Function) -> Vec<&str> {
    function.params.iter().map(|name| name.trim_start_matches('*')).collect()
}

/// The world and the task that the first remark of a file of an earlier version tells.
fn told(remark: &str) -> Option<(String, String)> {
    let known = ["Preconditions in force in ", "Preconditions inferred in "];
    let (world, task) = known.iter().find_map(|words| remark.strip_prefix(words))?.split_once(" (")?;
    Some((world.to_owned(), task.strip_suffix(')')?.to_owned()))
}

/// Reads `def take(self, obj, recep):`.
fn definition(line: &str) -> Result<AdoptedAction, String> {
    let wrong = || {
        let line = shortened(line);
        format!("`{line}` is no line of a precondition file; actions open with `def take(self, obj, recep):`")
    };
    // A comment may follow.
    let head = line.split('#').next().unwrap_or(line).trim_end();
    let rest = head.strip_prefix("def ").and_then(|r| r.strip_suffix(':')).ok_or_else(wrong)?;
    let (name, params) = rest.trim().split_once('(').ok_or_else(wrong)?;
    let params = params.trim_end().strip_suffix(')').ok_or_else(wrong)?;
    let mut names = params.split(',').map(str::trim).filter(|p| !p.is_empty());
    if names.next() != Some("self") {
        return Err(format!("the first parameter of `{}` must be self", shortened(name.trim())));
    }
    let params: Vec<String> = names.map(str::to_owned).collect();
    let name = name.trim().to_owned();
    match std::iter::once(&name).chain(&params).find(|n| !is_identifier(n)) {
        Some(bad) => Err(format!("`{}` is no name", shortened(bad))),
        None => Ok(AdoptedAction { action: name, params, assertions: Vec::new() }),
    }
}

fn is_identifier(name: &str) -> bool {
    name.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_alphanumeric() || c == '_')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const FILE: &str = "# Adopted preconditions\n# from 12 demonstrations\n\ndef take(self, obj, recep):\n    assert self.is_visible(obj)\n    assert self.inventory is None, 'Can only hold one object at a time'\n\ndef look(self):\n    pass\n";

    #[test]
    fn a_file_reads_and_writes_as_it_is() {
        let set = AdoptedSet::parse(FILE, "x").unwrap();
        assert_eq!(set.actions[0].params, ["obj", "recep"]);
        assert_eq!(set.of("take")[1], "self.inventory is None, 'Can only hold one object at a time'");
        assert!(set.of("look").is_empty() && set.of("fly").is_empty());
        assert_eq!(set.to_string(), FILE);
    }

    #[test]
    fn effects_stand_below_assertions() {
        let both = "def take(self, obj):\n    assert obj\n    self.held += (obj,)\n    if obj: self.last = obj\n\ndef go(self):\n    pass\n    self.at = None\n\ndef look(self):\n    self.seen = self.seen\n";
        let set = AdoptedSet::parse(both, "x").unwrap();
        let names: Vec<&str> = set.actions.iter().map(|a| a.action.as_str()).collect();
        assert_eq!(names, ["take", "effects of take", "go", "effects of go", "effects of look"]);
        assert_eq!(set.of("effects of take"), ["self.held += (obj,)", "if obj: self.last = obj"]);
        assert_eq!(set.to_string(), both);
        let late = AdoptedSet::parse("def take(self, obj):\n    self.x = obj\n    assert obj\n", "x").unwrap_err();
        assert!(late.line == Some(3) && late.why.contains("no effect"), "{late}");
        assert!(AdoptedSet::parse("def t(self):\n    self.x = 1\ndef t(self):\n    pass\n", "x").is_err());
    }

    #[test]
    fn a_file_tells_where_it_was_in_force() {
        let place = |text: &str| AdoptedSet::parse(text, "x").unwrap().place;
        let of = |world: &str, task: &str| Some((world.to_owned(), task.to_owned()));
        let set =
            AdoptedSet { notes: vec!["in force".into()], place: of("dialogue", "bank (2)/x"), ..Default::default() };
        assert_eq!(AdoptedSet::parse(&set.to_string(), "x").unwrap(), set);
        assert_eq!(place("# world: household\n"), of("household", ""));
        assert_eq!(place("# Preconditions in force in dialogue (bank (2)/x)\n"), of("dialogue", "bank (2)/x"));
        assert_eq!(place("# Preconditions inferred in household ()\n"), of("household", ""));
        assert_eq!((place("# mine\n"), place("")), (None, None));
    }

    #[test]
    fn errors_name_the_line() {
        for (text, line, word) in [
            ("def take(self):\n    return 1\n", 2, "return 1"),
            ("    assert True\n", 1, "def"),
            ("import os\n", 1, "import os"),
            ("def take(obj):\n", 1, "self"),
            ("def take(self):\n    pass\ndef take(self):\n", 3, "twice"),
            ("def take(self):\n    assert\n", 2, "assert"),
            ("def take(self, a b):\n", 1, "a b"),
            ("def take(self\n", 1, "def"),
            ("\n\ndef t(self):\n    assertion = 1\n", 4, "assertion"),
        ] {
            let error = AdoptedSet::parse(text, "my.preconditions.py").unwrap_err();
            assert_eq!(error.line, Some(line), "{error}");
            assert!(
                error.to_string().starts_with(&format!("my.preconditions.py:{line}: ")) && error.why.contains(word),
                "{error}"
            );
        }
        for before in ["", "def f(self):\n    ", "def f(self):\n    self.hot = True\n    "] {
            let long = format!("{before}{}", "x".repeat(4_000));
            let error = AdoptedSet::parse(&long, "my.preconditions.py").unwrap_err();
            assert!(error.why.len() < 200, "{error}");
        }
    }

    #[test]
    fn files_round_trip_and_a_missing_one_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.preconditions.py");
        let set = AdoptedSet::parse(FILE, "x").unwrap();
        set.write(&path).unwrap();
        assert_eq!(AdoptedSet::read(&path).unwrap(), set);
        let none = dir.path().join("none");
        let error = AdoptedSet::read(&none).unwrap_err().to_string();
        assert!(error.starts_with(&format!("{}: cannot be read: ", none.display())), "{error}");
        assert_eq!(set.write(&dir.path().join("no/such/dir")).unwrap_err().line, None);
    }

    #[test]
    fn what_is_to_be_used_is_refused_with_its_line() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("a.preconditions.py");
        std::fs::write(&path, "def take(self, obj):\n    assert obj\n    assert obj ==\n").unwrap();
        assert_eq!(AdoptedSet::read(&path).unwrap().of("take").len(), 2, "to look at it is no use of it");
        let error = AdoptedSet::read_sound(&path).unwrap_err();
        assert!(error.line == Some(3) && error.why.contains("`obj ==`"), "{error}");
        std::fs::write(&path, FILE).unwrap();
        assert_eq!(AdoptedSet::read_sound(&path), AdoptedSet::read(&path));
    }

    proptest! {
        #[test]
        fn any_text_is_read_or_refused(text in "[a-z #:(),=\n\tdefassertpass]{0,200}") {
            if let Ok(set) = AdoptedSet::parse(&text, "x") {
                // What was read once stays as it is.
                prop_assert_eq!(AdoptedSet::parse(&set.to_string(), "x").unwrap().actions, set.actions);
            }
        }
    }
}
