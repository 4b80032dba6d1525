//! State forms as files: TOML, read with the line of everything, so that what is wrong can be pointed at.

use std::collections::BTreeMap;

use serde::Deserialize;
use toml::Spanned;

use crate::faults::FileFaults;

use super::form::{Says, StateForm, Telling, Term};

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default, rename = "about")]
    _about: String,
    space: Option<char>,
    #[serde(default)]
    single: Vec<Spanned<String>>,
    tells: BTreeMap<Spanned<String>, Spanned<String>>,
}

impl StateForm {
    /// Reads a form; `path` is named in errors.
    pub fn load(text: &str, path: &str) -> Result<Self, FileFaults> {
        let fail = |faults| FileFaults { path: path.to_owned(), faults };
        let line = |at: usize| 1 + text.bytes().take(at).filter(|b| *b == b'\n').count();
        let file: File = toml::from_str(text)
            .map_err(|e| fail(vec![(line(e.span().map_or(0, |s| s.start)), e.message().to_owned())]))?;
        let mut faults = Vec::new();
        let mut tellings: Vec<(usize, Telling)> = Vec::new();
        for (literal, says) in &file.tells {
            let (at, place) = (literal.span().start, line(literal.span().start));
            match telling(literal.get_ref(), says.get_ref()) {
                Err(message) => faults.push((place, message)),
                Ok(telling)
                    if tellings
                        .iter()
                        .any(|(_, known)| known.predicate == telling.predicate && known.params == telling.params) =>
                {
                    faults.push((place, format!("`{}` is given twice; one line a predicate", telling.predicate)));
                }
                Ok(telling) => tellings.push((at, Telling { line: place, ..telling })),
            }
        }
        for literal in &file.single {
            let mut words = literal.get_ref().split_whitespace();
            let (predicate, params) = (words.next().unwrap_or_default(), words.count());
            match tellings.iter_mut().find(|(_, t)| t.predicate == predicate && t.params == params) {
                Some((_, telling)) => telling.single = true,
                None => {
                    faults.push((line(literal.span().start), format!("`{}` is not under [tells]", literal.get_ref())))
                }
            }
        }
        if !faults.is_empty() {
            faults.sort();
            return Err(fail(faults));
        }
        // The file's order is the state's.
        tellings.sort_by_key(|(at, _)| *at);
        Ok(StateForm { space: file.space, tellings: tellings.into_iter().map(|(_, telling)| telling).collect() })
    }
}

/// One line: `"IN x r" = "r.contains x"`.
fn telling(literal: &str, says: &str) -> Result<Telling, String> {
    let mut words = literal.split_whitespace();
    let predicate = words.next().ok_or("a predicate is missing; write such as \"OPEN r\" = \"r.is open\"")?.to_owned();
    let params: Vec<&str> = words.collect();
    if params.iter().enumerate().any(|(i, param)| params.iter().take(i).any(|p| p == param)) {
        return Err(format!("`{literal}` names a variable twice"));
    }
    let term =
        |word: &str| params.iter().position(|p| *p == word).map_or_else(|| Term::Word(word.to_owned()), Term::Param);
    let said: Vec<&str> = says.split_whitespace().collect();
    let (first, rest) = said
        .split_first()
        .ok_or_else(|| format!("`{literal}` says nothing; write such as \"r.is open\" or \"x is on y\""))?;
    let says = match first
        .split_once('.')
        .and_then(|(of, property)| Some((params.iter().position(|p| *p == of)?, property)))
    {
        Some((of, property)) => {
            if property.is_empty() {
                return Err(format!("`{first}` names no property; write such as `{first}is open`"));
            }
            let (is_value, value) = match rest {
                ["=", value @ ..] => (true, value),
                value => (false, value),
            };
            let value = match value {
                [] => return Err(format!("`{says}` has no value; write such as `{first} open` or `{first} = x`")),
                [one] => term(one),
                several => Term::Word(several.join(" ")),
            };
            let property = property.to_owned();
            if is_value { Says::Property { of, property, value } } else { Says::Element { of, property, value } }
        }
        None => Says::Sentence(said.iter().map(|word| term(word)).collect()),
    };
    let named: Vec<usize> = match &says {
        Says::Sentence(terms) => terms.iter().filter_map(place).collect(),
        Says::Element { of, value, .. } | Says::Property { of, value, .. } => {
            place(value).into_iter().chain([*of]).collect()
        }
    };
    match params.iter().enumerate().find(|(i, _)| !named.contains(i)) {
        Some((_, lost)) => {
            Err(format!("what `{literal}` says leaves out `{lost}`, so that it could not be taken back"))
        }
        None => Ok(Telling { predicate, params: params.len(), says, single: false, line: 0 }),
    }
}

fn place(term: &Term) -> Option<usize> {
    match term {
        Term::Param(place) => Some(*place),
        Term::Word(_) => None,
    }
}
