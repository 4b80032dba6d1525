//! Options. Declares what can be set of a world, a method or the program as data: one [`OptionSpec`] an option. Flags
//! ([`flags`]), keys of config.toml (`stepwright_launch::config`), what a session records ([`Values`]), rows of dialogs and tables of the
//! documentation are all made from it, so that an option is declared once.
//!
//! The bottom layer: it knows no world, no method, no terminal.

pub mod flags;
mod kind;
mod values;

pub use kind::{Kind, known_names, nearest};
pub use values::{OptionError, Values};

/// An option of a world or method, declared once: flags, file keys, dialog rows and documents are made from it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct OptionSpec {
    /// One word: the key in files, session headers and messages (`shots`), and the flag (`--shots`).
    pub key: &'static str,
    /// In dialogs (`Demonstrations`).
    pub label: &'static str,
    /// Its effect, in one plain sentence or phrase.
    pub about: &'static str,
    pub kind: Kind,
    /// The value where none is given, as text; empty for none.
    pub default: &'static str,
    /// The value that needs a language model; empty for none.
    pub with_model: &'static str,
}

pub type Table = &'static [OptionSpec];

impl OptionSpec {
    /// An option without a default.
    pub const fn new(key: &'static str, label: &'static str, kind: Kind, about: &'static str) -> Self {
        OptionSpec { key, label, about, kind, default: "", with_model: "" }
    }

    pub const fn or(self, default: &'static str) -> Self {
        OptionSpec { default, ..self }
    }

    /// The same with a value that needs a language model.
    pub const fn asking(self, with_model: &'static str) -> Self {
        OptionSpec { with_model, ..self }
    }

    /// The value after (or before) another one, for a dialog that goes through them; without a default there is a place for
    /// "none" among them. Texts and paths stay as they are.
    pub fn next(&self, value: &str, forward: bool) -> String {
        let mut values = self.kind.values();
        if values.is_empty() {
            return value.to_owned();
        }
        if self.default.is_empty() {
            values.insert(0, String::new());
        }
        let at = values.iter().position(|v| v == value);
        let count = values.len();
        let next = match (at, forward) {
            (Some(at), true) => (at + 1) % count,
            (Some(at), false) => (at + count - 1) % count,
            (None, _) => 0,
        };
        values.swap_remove(next)
    }

    /// A value's meaning: the words of a choice, else the option's effect.
    pub fn note(&self, value: &str) -> &'static str {
        match self.kind {
            Kind::Choice(words) => words.iter().find(|(w, about)| *w == value && !about.is_empty()),
            _ => None,
        }
        .map_or(self.about, |(_, about)| about)
    }
}

/// Declares options, each as `NAME: "key", "Label", "its effect", its kind`, then what it is without a value (`or`) and the value that needs a
/// language model (`asking`). A kind is a list of words with their meanings (`["on" = "…", "off" = "…"]`), `(whole 0 to 9)`,
/// `(number 0.0 to 1.0)`, or any other [`Kind`] in parentheses.
#[macro_export]
macro_rules! option_specs {
    (@ [$($word:tt = $meaning:literal),+]) => { $crate::options::Kind::Choice(&[$(($word, $meaning)),+]) };
    (@ (whole $min:literal to $max:expr)) => { $crate::options::Kind::Whole { min: $min, max: $max } };
    (@ (number $min:literal to $max:expr)) => { $crate::options::Kind::Number { min: $min, max: $max } };
    (@ ($kind:expr)) => { $kind };
    ($($(#[$about:meta])* $vis:vis $name:ident: $key:literal, $label:literal, $effect:literal, $kind:tt
        $(or $default:tt)? $(asking $with_model:tt)?;)+) => {$(
        $(#[$about])*
        $vis const $name: $crate::options::OptionSpec =
            $crate::options::OptionSpec::new($key, $label, $crate::option_specs!(@ $kind), $effect)
                $(.or($default))? $(.asking($with_model))?;
    )+};
}

/// The rows of a table of the documentation: flag, default, what it sets.
pub fn markdown<'a>(specs: impl IntoIterator<Item = &'a OptionSpec>) -> String {
    let mut out = String::from("| option | default | sets |\n|---|---|---|\n");
    for spec in specs {
        let default = if spec.default.is_empty() { "-".to_owned() } else { format!("`{}`", spec.default) };
        let allowed = match spec.kind {
            Kind::Choice(words) => {
                let words: Vec<String> = words.iter().map(|(word, about)| format!("`{word}`: {about}")).collect();
                format!(" ({})", words.join("; "))
            }
            Kind::Whole { .. } | Kind::Number { .. } => format!(" ({})", spec.kind.allowed(false)),
            _ => String::new(),
        };
        out.push_str(&format!("| `--{}` | {default} | {}{allowed} |\n", spec.key, spec.about));
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const COUNT: OptionSpec =
        OptionSpec::new("steps", "Steps", Kind::Whole { min: 0, max: 3 }, "Steps an episode may have.").or("1");
    const WORD: OptionSpec =
        OptionSpec::new("edition", "Edition", Kind::Choice(&[("put", "the old words"), ("move", "")]), "The wording.");

    #[test]
    fn a_dialog_goes_through_all_values_and_back() {
        let mut seen = Vec::new();
        let mut value = COUNT.default.to_owned();
        for _ in 0..5 {
            value = COUNT.next(&value, true);
            seen.push(value.clone());
        }
        assert_eq!(seen, ["2", "3", "0", "1", "2"]);
        assert_eq!(COUNT.next("0", false), "3");
        assert_eq!(
            (WORD.next("", true), WORD.next("put", false), WORD.next("?", true)),
            ("put".into(), "".into(), "".into())
        );
        assert_eq!((WORD.note("put"), WORD.note("move"), COUNT.note("2")), ("the old words", WORD.about, COUNT.about));
    }

    #[test]
    fn the_documentation_has_a_row_an_option() {
        let table = markdown(&[COUNT, WORD]);
        assert!(
            table.contains("| `--steps` | `1` | Steps an episode may have. (a whole number from 0 to 3) |"),
            "{table}"
        );
        assert_eq!(table.lines().count(), 4);
    }
}
