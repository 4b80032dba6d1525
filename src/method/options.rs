//! The options of methods: one constant an option, tables of them, and [`Options`], their values as methods read them.
//!
//! A session records them among its options; what is absent there has its default.

use std::collections::BTreeMap;

use crate::blocking::NamedDomain;
use crate::options::{Kind, OptionSpec, Table, Values};

/// Most demonstrations of a prompt, as in the paper.
pub const MAX_SHOTS: usize = 10;

/// Demonstrations in a prompt.
pub const SHOTS: OptionSpec = OptionSpec::new(
    "shots",
    "Demonstrations",
    Kind::Whole { min: 0, max: MAX_SHOTS as i64 },
    "demonstrations in a prompt",
)
.or("3");

/// Think comments.
pub const THINK: OptionSpec =
    OptionSpec::new("think", "Think comments", Kind::Switch, "thoughts as comments before actions").or("false");

/// Whether the prompt's specification holds the assertions in force.
pub const ASSERTIONS: OptionSpec = OptionSpec::new(
    "assertions",
    "Assertions",
    Kind::Choice(&[
        ("method", "in prompts as the method has it"),
        ("shown", "in prompts, whatever the method"),
        ("hidden", "never in prompts: all bodies are `pass`"),
    ]),
    "whether prompts show the assertions in force",
)
.or("method");

/// Which figure ranks actions that are scored as given texts.
pub const LIKELIHOOD: OptionSpec = OptionSpec::new(
    "likelihood",
    "Scored actions by",
    Kind::Choice(&[("mean", "the mean log-probability of their tokens"), ("sum", "the sum of the log-probabilities")]),
    "what ranks scored actions",
)
.or("mean");

/// How a language model selects a candidate.
pub const SELECTION: OptionSpec = OptionSpec::new(
    "selection",
    "Selections",
    Kind::Choice(&[("written", "the model writes its choice"), ("scored", "all candidates are scored")]),
    "how a language model selects among candidates",
)
.or("written");

/// What a selection's prompt holds of the selections before it.
pub const CONVERSATION: OptionSpec = OptionSpec::new(
    "conversation",
    "Conversation",
    Kind::Choice(&[("fresh", "each prompt begins anew"), ("running", "prompts go on with those before")]),
    "whether the prompts of selections are one conversation",
)
.or("fresh");

/// Who says whether an assertion of a plan holds.
pub const JUDGING: OptionSpec = OptionSpec::new(
    "judging",
    "Plans' assertions",
    Kind::Choice(&[("seen", "judged by what is seen"), ("model", "put to the language model")]),
    "what judges the assertions of a plan",
)
.or("seen");

/// How the calls of a program are decided about.
pub const PRIMITIVES: OptionSpec = OptionSpec::new(
    "primitives",
    "Calls of programs",
    Kind::Choice(&[("all", "decided about with the program"), ("each", "decided about one by one")]),
    "how the calls of a program are decided about",
)
.or("all");

/// Whether a belief is maintained by methods that need none.
pub const BELIEF: OptionSpec = OptionSpec::new(
    "belief",
    "Belief",
    Kind::Choice(&[("on", "kept alongside, in worlds with a form for it"), ("off", "kept by methods that need one")]),
    "whether a belief is maintained although the method needs none",
)
.or("off");

/// A blocking domain in place of the one that ships. A session has it from its beginning to its end.
pub const DOMAIN: OptionSpec = OptionSpec::new(
    "domain",
    "Blocking domain",
    Kind::PathOr(NamedDomain::DERIVED),
    "a blocking domain's file in place of the one that ships for the world, or \"derived\" from assertions (docs/domains.md)",
);

/// All options of methods, in the order they are listed.
pub const ALL: Table = &[SHOTS, THINK, ASSERTIONS, LIKELIHOOD, SELECTION, CONVERSATION, JUDGING, PRIMITIVES, BELIEF];

/// Whether the prompt's specification holds the assertions in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Shown {
    /// As the method has it.
    #[default]
    ByMethod,
    /// They stand in the prompt.
    Shown,
    /// The bodies of all actions are `pass`.
    Hidden,
}

/// Which figure ranks actions that are scored as given texts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Likelihood {
    /// The mean log-probability of an action's tokens: long actions are not at a disadvantage.
    #[default]
    Mean,
    /// The sum: the probability of the whole line.
    Sum,
}

/// How a language model selects a candidate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Selecting {
    /// It writes one.
    #[default]
    Written,
    /// All are scored by their log-probability.
    Scored,
}

/// What a selection's prompt holds of the selections before it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Conversation {
    /// Nothing but the last actions: each selection begins anew.
    #[default]
    Fresh,
    /// The prompts and answers so far.
    Running,
}

/// Who says whether an assertion of a plan holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Judging {
    /// What is seen.
    #[default]
    Seen,
    /// The language model, told what is seen.
    Model,
}

/// How the calls of a program are decided about (methods that answer requests with programs).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Primitives {
    /// With the program: taking it makes all its calls.
    #[default]
    All,
    /// One by one: taking the program makes its first call, each of the others is offered.
    Each,
}

/// Whether a belief is maintained by methods that need none.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Believing {
    /// A writer keeps one beside, where the world has a form for it.
    On,
    /// None.
    #[default]
    Off,
}

/// The options of a method.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Options {
    /// Demonstrations in the prompt, 0 to [`MAX_SHOTS`].
    pub shots: usize,
    /// Demonstrations and completions hold `# think:` comments before actions.
    pub think: bool,
    /// Whether the assertions stand in the prompt.
    pub assertions: Shown,
    /// How actions are ranked that a model scores.
    pub likelihood: Likelihood,
    /// How a language model selects among candidates (method `blocking`).
    pub selecting: Selecting,
    /// Whether selections are one conversation (method `blocking`).
    pub conversation: Conversation,
    /// Who judges a plan's assertions (method `progprompt`).
    pub judging: Judging,
    /// How the calls of a program are decided about.
    pub primitives: Primitives,
    /// Whether a belief is maintained beside a method that needs none.
    pub belief: Believing,
}

impl Default for Options {
    fn default() -> Self {
        Options {
            shots: 3,
            think: false,
            assertions: Shown::ByMethod,
            likelihood: Likelihood::Mean,
            selecting: Selecting::Written,
            conversation: Conversation::Fresh,
            judging: Judging::Seen,
            primitives: Primitives::All,
            belief: Believing::Off,
        }
    }
}

impl Options {
    /// Reads them from a session's options; others' keys are passed over.
    ///
    /// # Errors
    /// A value that is none, in words.
    pub fn read(map: &BTreeMap<String, String>) -> Result<Self, String> {
        let values = Values::read(ALL, map).map_err(|e| e.to_string())?;
        Ok(Options {
            shots: values.count(&SHOTS) as usize,
            think: values.on(&THINK),
            assertions: match values.text(&ASSERTIONS) {
                "shown" => Shown::Shown,
                "hidden" => Shown::Hidden,
                _ => Shown::ByMethod,
            },
            likelihood: if values.is(&LIKELIHOOD, "sum") { Likelihood::Sum } else { Likelihood::Mean },
            selecting: if values.is(&SELECTION, "scored") { Selecting::Scored } else { Selecting::Written },
            conversation: if values.is(&CONVERSATION, "running") { Conversation::Running } else { Conversation::Fresh },
            judging: if values.is(&JUDGING, "model") { Judging::Model } else { Judging::Seen },
            primitives: if values.is(&PRIMITIVES, "each") { Primitives::Each } else { Primitives::All },
            belief: if values.is(&BELIEF, "on") { Believing::On } else { Believing::Off },
        })
    }

    /// Whether the assertions stand in the prompt of a method that would (`by_method`) show them.
    pub fn shows_assertions(self, by_method: bool) -> bool {
        match self.assertions {
            Shown::ByMethod => by_method,
            Shown::Shown => true,
            Shown::Hidden => false,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn defaults_are_values_and_every_value_is_read() {
        assert_eq!(Options::read(&BTreeMap::new()), Ok(Options::default()));
        for spec in ALL {
            assert!(spec.default.is_empty() || spec.kind.accepts(spec.default), "{}", spec.key);
            // What fits behind label and value in the dialog.
            assert!(spec.note(spec.default).len() <= 43, "{}", spec.key);
            let mut value = spec.default.to_owned();
            let mut seen = Vec::new();
            loop {
                let read =
                    Options::read(&[(spec.key.to_owned(), value.clone()), ("edition".into(), "put".into())].into());
                assert!(!seen.contains(&read), "{} = {value} is as another value", spec.key);
                seen.push(read);
                value = spec.next(&value, true);
                if value == spec.default {
                    break;
                }
            }
            assert!(seen.len() > 1, "{}", spec.key);
        }
    }

    #[test]
    fn wrong_values_are_named() {
        for (key, value) in [
            ("shots", "11"),
            ("shots", "-1"),
            ("think", "yes"),
            ("assertions", "on"),
            ("likelihood", "max"),
            ("selection", "no"),
            ("conversation", ""),
            ("judging", "me"),
            ("primitives", "some"),
            ("belief", "true"),
        ] {
            let error = Options::read(&[(key.to_owned(), value.to_owned())].into()).unwrap_err();
            assert!(error.contains(key) && error.contains(value), "{error}");
        }
    }
}
