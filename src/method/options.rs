//! How a method is carried out, beside its name: how many demonstrations, think comments, whether the assertions are shown, how
//! given actions are ranked.
//!
//! A session records them among its options (`shots`, `think`, `assertions`, `likelihood`, `selection`, `conversation`, `judging`,
//! `primitives`, `belief`); what is absent there has its default.

use std::collections::BTreeMap;

/// Most demonstrations of a prompt, as in the paper.
pub const MAX_SHOTS: usize = 10;

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
        let mut options = Options::default();
        if let Some(text) = map.get("shots") {
            options.shots = text.parse().ok().filter(|n| *n <= MAX_SHOTS).ok_or_else(|| {
                format!("shots = `{text}`: the number of demonstrations is a whole number from 0 to {MAX_SHOTS}")
            })?;
        }
        if let Some(text) = map.get("think") {
            options.think = match text.as_str() {
                "true" => true,
                "false" => false,
                _ => return Err(format!("think = `{text}`: it is true or false")),
            };
        }
        if let Some(text) = map.get("assertions") {
            options.assertions = text.parse()?;
        }
        if let Some(text) = map.get("likelihood") {
            options.likelihood = text.parse()?;
        }
        if let Some(text) = map.get("selection") {
            options.selecting = text.parse()?;
        }
        if let Some(text) = map.get("conversation") {
            options.conversation = text.parse()?;
        }
        if let Some(text) = map.get("judging") {
            options.judging = text.parse()?;
        }
        if let Some(text) = map.get("primitives") {
            options.primitives = text.parse()?;
        }
        if let Some(text) = map.get("belief") {
            options.belief = text.parse()?;
        }
        Ok(options)
    }

    /// As a session records them, all of them.
    pub fn write(self) -> BTreeMap<String, String> {
        [
            ("shots", self.shots.to_string()),
            ("think", self.think.to_string()),
            ("assertions", self.assertions.to_string()),
            ("likelihood", self.likelihood.to_string()),
            ("selection", self.selecting.to_string()),
            ("conversation", self.conversation.to_string()),
            ("judging", self.judging.to_string()),
            ("primitives", self.primitives.to_string()),
            ("belief", self.belief.to_string()),
        ]
        .map(|(key, value)| (key.to_owned(), value))
        .into()
    }

    /// Whether the assertions stand in the prompt of a method that would (`by_method`) show them.
    pub fn shows_assertions(self, by_method: bool) -> bool {
        match self.assertions {
            Shown::ByMethod => by_method,
            Shown::Shown => true,
            Shown::Hidden => false,
        }
    }

    /// In a few words, for people: `3 demonstrations, think comments`.
    pub fn words(self) -> String {
        let mut words = match self.shots {
            0 => "no demonstration".to_owned(),
            1 => "1 demonstration".to_owned(),
            n => format!("{n} demonstrations"),
        };
        if self.think {
            words.push_str(", think comments");
        }
        match self.assertions {
            Shown::ByMethod => {}
            Shown::Shown => words.push_str(", assertions in the prompt"),
            Shown::Hidden => words.push_str(", no assertions in the prompt"),
        }
        if self.likelihood == Likelihood::Sum {
            words.push_str(", ranked by summed log-probabilities");
        }
        if self.selecting == Selecting::Scored {
            words.push_str(", candidates scored");
        }
        if self.conversation == Conversation::Running {
            words.push_str(", one conversation");
        }
        if self.judging == Judging::Model {
            words.push_str(", assertions judged by the model");
        }
        if self.primitives == Primitives::Each {
            words.push_str(", call by call");
        }
        if self.belief == Believing::On {
            words.push_str(", a belief beside");
        }
        words
    }
}

/// A word for each value of an option, both ways.
macro_rules! worded {
    ($option:ty, $key:literal, $known:literal, $($value:path => $word:literal),+) => {
        impl std::fmt::Display for $option {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.write_str(match self { $($value => $word),+ })
            }
        }

        impl std::str::FromStr for $option {
            type Err = String;

            fn from_str(text: &str) -> Result<Self, String> {
                match text {
                    $($word => Ok($value),)+
                    other => Err(format!(concat!($key, " = `{}`: it is ", $known), other)),
                }
            }
        }
    };
}

worded!(Shown, "assertions", "method, shown or hidden", Shown::ByMethod => "method", Shown::Shown => "shown", Shown::Hidden => "hidden");
worded!(Likelihood, "likelihood", "mean or sum", Likelihood::Mean => "mean", Likelihood::Sum => "sum");
worded!(Selecting, "selection", "written or scored", Selecting::Written => "written", Selecting::Scored => "scored");
worded!(Conversation, "conversation", "fresh or running", Conversation::Fresh => "fresh", Conversation::Running => "running");
worded!(Judging, "judging", "seen or model", Judging::Seen => "seen", Judging::Model => "model");
worded!(Primitives, "primitives", "all or each", Primitives::All => "all", Primitives::Each => "each");
worded!(Believing, "belief", "on or off", Believing::On => "on", Believing::Off => "off");

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_survive_their_record() {
        for shots in 0..=MAX_SHOTS {
            for think in [false, true] {
                for assertions in [Shown::ByMethod, Shown::Shown, Shown::Hidden] {
                    let selecting = if think { Selecting::Scored } else { Selecting::Written };
                    let conversation = if shots % 2 == 0 { Conversation::Running } else { Conversation::Fresh };
                    let likelihood = if shots % 3 == 0 { Likelihood::Sum } else { Likelihood::Mean };
                    let judging = if shots % 5 == 0 { Judging::Model } else { Judging::Seen };
                    let primitives = if think { Primitives::Each } else { Primitives::All };
                    let belief = if shots > 5 { Believing::On } else { Believing::Off };
                    let asked = Options { shots, think, assertions, likelihood, ..Options::default() };
                    let options = Options { selecting, conversation, judging, primitives, belief, ..asked };
                    let mut map = options.write();
                    map.insert("edition".into(), "put".into());
                    assert_eq!(Options::read(&map), Ok(options));
                }
            }
        }
        assert_eq!(Options::read(&BTreeMap::new()), Ok(Options::default()));
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
