//! Values of options: what was given, checked against the table, with the defaults behind it.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Kind, OptionSpec, nearest};

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OptionError {
    #[error("{owner} has no option `{key}`; {advice}")]
    Unknown {
        /// Whose options they are (`the world kitchen`).
        owner: String,
        key: String,
        advice: String,
    },
    #[error("{key} = `{value}`: it must be {allowed}")]
    Value { key: &'static str, value: String, allowed: String },
}

impl OptionError {
    /// `owner` has no option `key`; it has those `known`.
    pub fn unknown(owner: &str, key: &str, known: &[&str]) -> Self {
        let advice = match (nearest(key, known.iter().copied()), known.is_empty()) {
            (Some(near), _) => format!("did you mean `{near}`?"),
            (None, true) => "it has no options".to_owned(),
            (None, false) => format!("it has {}", known.join(", ")),
        };
        OptionError::Unknown { owner: owner.to_owned(), key: key.to_owned(), advice }
    }
}

/// Values by key, those that are not the defaults.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Values(BTreeMap<String, String>);

impl Values {
    /// The values of a table's options in a map that may hold others' too (a session's options); an empty text is none.
    /// Errors: [`OptionError::Value`] for a value that the table does not allow.
    pub fn read<'a>(
        specs: impl IntoIterator<Item = &'a OptionSpec>,
        map: &BTreeMap<String, String>,
    ) -> Result<Self, OptionError> {
        let mut values = BTreeMap::new();
        for spec in specs {
            let Some(value) = map.get(spec.key).filter(|v| !v.is_empty() || !spec.default.is_empty()) else { continue };
            if !spec.kind.accepts(value) {
                let (value, allowed) = (value.clone(), spec.kind.allowed(false));
                return Err(OptionError::Value { key: spec.key, value, allowed });
            }
            if value != spec.default {
                values.insert(spec.key.to_owned(), value.clone());
            }
        }
        Ok(Values(values))
    }

    /// The same of a map that holds nothing else; `owner` for messages (`the world kitchen`).
    pub fn exactly(specs: &[OptionSpec], map: &BTreeMap<String, String>, owner: &str) -> Result<Self, OptionError> {
        if let Some(key) = map.keys().find(|key| specs.iter().all(|s| s.key != **key)) {
            let known: Vec<&str> = specs.iter().map(|s| s.key).collect();
            return Err(OptionError::unknown(owner, key, &known));
        }
        Self::read(specs, map)
    }

    /// The value or default of an option; empty for none.
    pub fn text<'a>(&'a self, spec: &OptionSpec) -> &'a str {
        self.0.get(spec.key).map_or(spec.default, String::as_str)
    }

    pub fn is(&self, spec: &OptionSpec, word: &str) -> bool {
        self.text(spec) == word
    }

    pub fn on(&self, spec: &OptionSpec) -> bool {
        debug_assert_eq!(spec.kind, Kind::Switch, "{}", spec.key);
        self.is(spec, "true")
    }

    /// A whole number that is not negative; `None` for none.
    pub fn whole(&self, spec: &OptionSpec) -> Option<u32> {
        self.text(spec).parse().ok()
    }

    pub fn count(&self, spec: &OptionSpec) -> u32 {
        self.whole(spec).unwrap_or_default()
    }

    pub fn number(&self, spec: &OptionSpec) -> Option<f64> {
        self.text(spec).parse().ok()
    }

    /// Sets a value that the table allows; another is passed over.
    pub fn set(&mut self, spec: &OptionSpec, value: &str) {
        if value == spec.default {
            self.0.remove(spec.key);
        } else if spec.kind.accepts(value) {
            self.0.insert(spec.key.to_owned(), value.to_owned());
        }
    }

    /// The same values with another one.
    pub fn with(mut self, spec: &OptionSpec, value: &str) -> Self {
        self.set(spec, value);
        self
    }

    /// As a session records them: what is not the default, and the defaults of `specs` that have one.
    pub fn record<'a>(&self, specs: impl IntoIterator<Item = &'a OptionSpec>) -> BTreeMap<String, String> {
        let defaults = specs.into_iter().filter(|s| !s.default.is_empty());
        let mut map: BTreeMap<String, String> = defaults.map(|s| (s.key.to_owned(), s.default.to_owned())).collect();
        map.extend(self.0.clone());
        map
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SHOTS: OptionSpec =
        OptionSpec::new("shots", "Demonstrations", Kind::Whole { min: 0, max: 10 }, "In a prompt.").or("3");
    const THINK: OptionSpec = OptionSpec::new("think", "Thoughts", Kind::Switch, "Comments.").or("false");
    const WARMTH: OptionSpec = OptionSpec::new("warmth", "Warmth", Kind::Number { min: 0.0, max: 2.0 }, "Of samples.");
    const ALL: [OptionSpec; 3] = [SHOTS, THINK, WARMTH];

    fn map(given: &[(&str, &str)]) -> BTreeMap<String, String> {
        given.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect()
    }

    #[test]
    fn what_is_absent_has_its_default_and_others_keys_are_passed_over() {
        let values = Values::read(&ALL, &map(&[("edition", "put"), ("think", "true"), ("warmth", "")])).unwrap();
        assert_eq!((values.count(&SHOTS), values.on(&THINK), values.number(&WARMTH)), (3, true, None));
        let recorded = values.record(&ALL);
        assert_eq!(recorded, map(&[("shots", "3"), ("think", "true")]));
        assert_eq!(Values::read(&ALL, &recorded).unwrap().record(&ALL), recorded);
        let mut values = values;
        values.set(&WARMTH, "0.5");
        values.set(&SHOTS, "99");
        assert_eq!((values.number(&WARMTH), values.count(&SHOTS)), (Some(0.5), 3));
        values.set(&WARMTH, "");
        assert_eq!(values.number(&WARMTH), None);
    }

    #[test]
    fn wrong_values_name_key_value_and_what_is_allowed() {
        let wrong =
            |given: &[(&str, &str)]| Values::exactly(&ALL, &map(given), "the method x").unwrap_err().to_string();
        assert_eq!(wrong(&[("shots", "11")]), "shots = `11`: it must be a whole number from 0 to 10");
        assert_eq!(wrong(&[("think", "yes")]), "think = `yes`: it must be true or false");
        assert_eq!(wrong(&[("shot", "1")]), "the method x has no option `shot`; did you mean `shots`?");
        let none = Values::exactly(&[], &map(&[("a", "b")]), "the world y").unwrap_err().to_string();
        assert_eq!(none, "the world y has no option `a`; it has no options");
    }
}
