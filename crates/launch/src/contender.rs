//! Sides of a duel as they are written on a command line: what differs from what is in use, several of it joined by `+`.

use std::path::{Path, PathBuf};

use stepwright_driver::MethodResolver;
use stepwright_protocol::{Contender, SetSource};

/// How a side is written.
pub const SYNTAX: &str = "a model, a method, KEY=VALUE of the method, model.ROLE=NAME, a set of assertions (specification, \
                          truth, a file *.preconditions.py) or prompts=FOLDER; several of it joined by +, as in react+shots=2";

/// Reads a side.
pub fn contender(text: &str, methods: &MethodResolver) -> Result<Contender, String> {
    let mut side = Contender { name: text.to_owned(), ..Contender::default() };
    for part in text.split('+').map(str::trim) {
        let is_file = Path::new(part).extension().is_some_and(|ending| ending == "py");
        match part.split_once('=') {
            _ if part.is_empty() => return Err(format!("`{text}` is no side of a duel; write {SYNTAX}")),
            Some(("prompts", folder)) => side.prompts = Some(PathBuf::from(folder)),
            Some((key, value)) => drop(side.options.insert(key.to_owned(), value.to_owned())),
            None if part == "specification" => side.set = Some(SetSource::Specification),
            None if part == "truth" => side.set = Some(SetSource::Truth),
            None if is_file => side.set = Some(SetSource::File(PathBuf::from(part))),
            None if methods.resolve(part).is_ok() => part.clone_into(&mut side.method),
            None => part.clone_into(&mut side.model),
        }
    }
    Ok(side)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_side_says_what_is_other_than_what_is_in_use() {
        let methods = MethodResolver::new(&stepwright_methods::METHODS, |_| None);
        let read = |text: &str| contender(text, &methods).unwrap();
        let named = |name: &str| Contender { name: name.to_owned(), ..Contender::default() };
        assert_eq!(read("gpt"), Contender { model: "gpt".into(), ..named("gpt") });
        let side = read("react+shots=2+symbolic");
        assert_eq!((side.method.as_str(), side.model.as_str()), ("react", "symbolic"));
        assert_eq!(side.options.get("shots").map(String::as_str), Some("2"));
        assert_eq!(read("my.preconditions.py").set, Some(SetSource::File("my.preconditions.py".into())));
        assert_eq!(read("truth").set, Some(SetSource::Truth));
        assert_eq!(read("prompts=terse").prompts, Some("terse".into()));
        assert!(contender("gpt+", &methods).unwrap_err().contains("is no side of a duel"));
    }
}
