//! Kinds of option values: its words, whether a text is one, and the values a dialog goes through.

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Kind {
    /// `true` or `false`.
    Switch,
    /// One of these words; each with its meaning, which may be empty.
    Choice(&'static [(&'static str, &'static str)]),
    /// A whole number within bounds.
    Whole {
        min: i64,
        max: i64,
    },
    Number {
        min: f64,
        max: f64,
    },
    Text,
    /// A text that is not empty.
    Name,
    Path,
    PathOr(&'static str),
    Texts,
    Table,
    /// A command: a list of texts, or one text that is split as a shell does.
    Command,
}

impl Kind {
    /// The allowed values, for messages; `quoted` as in a TOML file.
    pub fn allowed(&self, quoted: bool) -> String {
        let quotes = if quoted { " in quotes" } else { "" };
        match self {
            Kind::Switch => "true or false".into(),
            Kind::Choice(words) if quoted => {
                let words: Vec<String> = words.iter().map(|(w, _)| format!("\"{w}\"")).collect();
                format!("one of {}", words.join(", "))
            }
            Kind::Choice(words) => {
                let words: Vec<&str> = words.iter().map(|(w, _)| *w).collect();
                match words.split_last() {
                    Some((last, rest)) if !rest.is_empty() => format!("{} or {last}", rest.join(", ")),
                    _ => words.concat(),
                }
            }
            Kind::Whole { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Number { min, max } => format!("a number from {min} to {max}"),
            Kind::Text => format!("a text{quotes}"),
            Kind::Name => format!("a name{quotes}, which is not empty"),
            Kind::Path => format!("a path{quotes}"),
            Kind::PathOr(word) if quoted => format!("a path in quotes, or \"{word}\""),
            Kind::PathOr(word) => format!("a path, or {word}"),
            Kind::Texts => format!("a list of texts{quotes}"),
            Kind::Table => "a table, as { NAME = VALUE }".into(),
            Kind::Command => "a program and its arguments: a list of texts, or one text as you would type it".into(),
        }
    }

    /// Whether a text is such a value. Lists are read where they are written, so any text passes for one here.
    pub fn accepts(&self, text: &str) -> bool {
        match self {
            Kind::Switch => matches!(text, "true" | "false"),
            Kind::Choice(words) => words.iter().any(|(w, _)| *w == text),
            Kind::Whole { min, max } => text.parse().is_ok_and(|n: i64| (*min..=*max).contains(&n)),
            Kind::Number { min, max } => text.parse().is_ok_and(|n: f64| (*min..=*max).contains(&n)),
            Kind::Name | Kind::Path | Kind::PathOr(_) => !text.is_empty(),
            Kind::Text | Kind::Texts | Kind::Table | Kind::Command => true,
        }
    }

    /// The value's name in usage lines.
    pub(crate) fn placeholder(&self) -> &'static str {
        match self {
            Kind::Switch => "BOOL",
            Kind::Choice(_) => "WHICH",
            Kind::Whole { .. } => "N",
            Kind::Number { .. } => "X",
            Kind::Text => "TEXT",
            Kind::Name => "NAME",
            Kind::Path | Kind::PathOr(_) => "PATH",
            Kind::Texts => "LIST",
            Kind::Table => "TABLE",
            Kind::Command => "COMMAND",
        }
    }

    /// The values a dialog goes through, in order; numbers in twenty steps. Empty where they cannot be counted.
    pub(super) fn values(&self) -> Vec<String> {
        const STEPS: u32 = 20;
        match self {
            Kind::Switch => ["false", "true"].map(str::to_owned).into(),
            Kind::Choice(words) => words.iter().map(|(w, _)| (*w).to_owned()).collect(),
            Kind::Whole { min, max } if max.saturating_sub(*min) <= 1000 => {
                (*min..=*max).map(|n| n.to_string()).collect()
            }
            Kind::Number { min, max } => (0..=STEPS)
                .map(|i| min + (max - min) * f64::from(i) / f64::from(STEPS))
                .map(|x| ((x * 1000.0).round() / 1000.0).to_string())
                .collect(),
            Kind::PathOr(word) => vec![(*word).to_owned()],
            _ => Vec::new(),
        }
    }
}

/// The nearest of `known` to a word, if one is near enough to be meant.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let word: String = word.to_lowercase().chars().take(64).collect();
    let (distance, best) = known.map(|k| (strsim::osa_distance(&word, k), k)).min()?;
    (distance <= word.chars().count().max(best.chars().count()) / 2).then_some(best)
}

/// The advice about a name that stands for nothing: the nearest, where one is near enough to be meant, and all there
/// are.
pub fn known_names(word: &str, known: &[&str]) -> String {
    let near = nearest(word, known.iter().copied()).map(|near| format!("did you mean `{near}`? "));
    format!("{}there are {}", near.unwrap_or_default(), known.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_allowed_is_what_is_accepted() {
        let choice = Kind::Choice(&[("mean", ""), ("sum", ""), ("max", "")]);
        assert_eq!(choice.allowed(false), "mean, sum or max");
        assert_eq!(choice.allowed(true), "one of \"mean\", \"sum\", \"max\"");
        for (kind, good, bad) in [
            (Kind::Switch, "true", "yes"),
            (choice, "sum", "Sum"),
            (Kind::Whole { min: 0, max: 10 }, "10", "11"),
            (Kind::Whole { min: 0, max: 10 }, "0", "-1"),
            (Kind::Number { min: 0.0, max: 2.0 }, "0.7", "NaN"),
            (Kind::Number { min: 0.0, max: 2.0 }, "2", "2.1"),
            (Kind::PathOr("shipped"), "a.json", ""),
        ] {
            assert!(kind.accepts(good) && !kind.accepts(bad), "{kind:?}");
            assert!(kind.values().iter().all(|value| kind.accepts(value)), "{kind:?}");
        }
        assert_eq!(Kind::Number { min: 0.0, max: 2.0 }.values().get(7).map(String::as_str), Some("0.7"));
    }

    #[test]
    fn nearest_words() {
        let known = || ["base_url", "temperature", "retries"].into_iter();
        assert_eq!(nearest("base_ulr", known()), Some("base_url"));
        assert_eq!(nearest("Temprature", known()), Some("temperature"));
        assert_eq!(nearest("zzzzzz", known()), None);
        assert_eq!(
            known_names("retres", &["base_url", "retries"]),
            "did you mean `retries`? there are base_url, retries"
        );
        assert_eq!(known_names("zzzzzz", &["base_url", "retries"]), "there are base_url, retries");
    }
}
