//! Flags of the command line from tables of options, and what was given of them.

use std::collections::{BTreeMap, BTreeSet};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Arg, ArgMatches, Command};

use super::{Kind, OptionSpec};

/// Adds a flag for each option; one that several tables share once. A switch may be alone (`--think`) or with its value
/// (`--think=false`).
pub fn add<'a>(command: Command, specs: impl IntoIterator<Item = &'a OptionSpec>, heading: &'static str) -> Command {
    let mut seen = BTreeSet::new();
    let specs = specs.into_iter().filter(|s| seen.insert(s.key));
    command.args(specs.map(|spec| {
        let help = match (spec.default, spec.kind) {
            ("", _) | (_, Kind::Switch) => spec.about.to_owned(),
            (default, _) => format!("{} [default: {default}]", spec.about.trim_end_matches('.')),
        };
        let arg = Arg::new(spec.key).long(spec.key).help(help).help_heading(heading);
        let arg = arg.value_name(spec.kind.placeholder());
        match spec.kind {
            Kind::Switch => arg.num_args(0..=1).require_equals(true).default_missing_value("true"),
            Kind::Choice(words) => {
                let words = words.iter().map(|(word, about)| PossibleValue::new(*word).help(*about));
                arg.value_parser(PossibleValuesParser::new(words))
            }
            Kind::Number { .. } => arg.allow_negative_numbers(true),
            _ => arg,
        }
    }))
}

/// The values given on the command line, by key. Choices are checked by then, other values are not.
pub fn given<'a>(matches: &ArgMatches, specs: impl IntoIterator<Item = &'a OptionSpec>) -> BTreeMap<String, String> {
    let value = |spec: &OptionSpec| matches.try_get_one::<String>(spec.key).ok().flatten().cloned();
    specs.into_iter().filter_map(|spec| Some((spec.key.to_owned(), value(spec)?))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALL: [OptionSpec; 3] = [
        OptionSpec::new("shots", "", Kind::Whole { min: 0, max: 10 }, "Demonstrations.").or("3"),
        OptionSpec::new("think", "", Kind::Switch, "Thoughts.").or("false"),
        OptionSpec::new("rank", "", Kind::Choice(&[("mean", "a token"), ("sum", "the line")]), "Ranks.").or("mean"),
    ];

    fn parse(line: &str) -> Result<BTreeMap<String, String>, clap::Error> {
        let command = add(Command::new("x").no_binary_name(true), ALL.iter().chain(&ALL), "Options");
        Ok(given(&command.try_get_matches_from(line.split_whitespace())?, &ALL))
    }

    #[test]
    fn flags_are_read_and_wrong_words_are_refused() {
        assert!(parse("").unwrap().is_empty());
        let read = parse("--shots 5 --think --rank sum").unwrap();
        let read: Vec<(&str, &str)> = read.iter().map(|(k, v)| (k.as_str(), v.as_str())).collect();
        assert_eq!(read, [("rank", "sum"), ("shots", "5"), ("think", "true")]);
        assert_eq!(parse("--think=false").unwrap().get("think").map(String::as_str), Some("false"));
        let error = parse("--rank most").unwrap_err().to_string();
        assert!(error.contains("most") && error.contains("mean") && error.contains("sum"), "{error}");
    }
}
