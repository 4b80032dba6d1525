//! Kinds of studies, by the name in their results: how their lines are read again and tabulated.

use super::report::Report;
use super::runner::{Merged, Study, labels, lines_of};
use super::{blocking, decisions, o3d, policy, precondition, reprompt, run, statler};
use stepwright_method::Methods;

/// A study whose lines can be tabulated without carrying it out.
#[derive(Clone, Copy)]
pub struct Kind {
    pub name: &'static str,
    report: fn(&Merged, bool) -> Result<Report, String>,
}

impl std::fmt::Debug for Kind {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.name)
    }
}

pub(crate) const KINDS: [Kind; 8] = [
    Kind::of::<run::Run>(),
    Kind::of::<precondition::Preconditions>(),
    Kind::of::<policy::Policies>(),
    Kind::of::<blocking::Blocking>(),
    Kind::of::<decisions::Decisions>(),
    Kind::of::<statler::live::Requests>(),
    Kind::of::<o3d::O3d>(),
    Kind::of::<reprompt::Reprompt>(),
];

impl Kind {
    const fn of<S: Study>() -> Self {
        Kind {
            name: S::NAME,
            report: |merged, detail| {
                Ok(S::report(&lines_of::<S>(&merged.entries, &merged.experiment, &merged.plan)?, detail))
            },
        }
    }

    pub fn named(name: &str) -> Result<Self, String> {
        let known = || KINDS.map(|kind| kind.name).join(", ");
        let found = KINDS.into_iter().find(|kind| kind.name == name);
        found.ok_or_else(|| format!("there is no study `{name}`; there are {}", known()))
    }

    /// The tables of an experiment, with what it was measured under; `detail` asks for more rows, `methods` are those there are.
    pub fn report(self, merged: &Merged, detail: bool, methods: &'static Methods) -> Result<Report, String> {
        let report = (self.report)(merged, detail).map_err(|why| format!("no result of `{}`: {why}", self.name))?;
        Ok(report.measured_under(labels(&merged.experiment, &merged.plan, methods)))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;
    use crate::runner::{Contents, Entry, Experiment, merge, unit_key};

    /// Results of two actions by a build under these truths, with these seeds, as an earlier version wrote them: the truth in the
    /// condition alone. The assertions of the second truth's units agree less.
    fn file(build: &str, truths: &[&str], seeds: &[u64]) -> String {
        let fields = json!({ "program": build, "model": { "name": "symbolic" }, "data": "shipped", "samples": 0 });
        let experiment = Experiment::new("preconditions", fields);
        let condition = |truth: &str| json!({ "world": "dialogue", "subject": "S_1", "demonstrations": 3, "shown": 3, "episodes": 5, "truth_digest": truth });
        let units =
            truths.iter().map(|truth| json!({ "condition": condition(truth), "tasks": ["A", "B"], "seeds": seeds }));
        let plan =
            json!({ "stepwright": "plan", "experiment": experiment.hash(), "units": units.collect::<Vec<Value>>() });
        let mut text = format!("{}\n{plan}\n", experiment.head());
        for (at, truth) in truths.iter().enumerate() {
            for (action, seed) in ["A", "B"].iter().flat_map(|action| seeds.iter().map(move |seed| (action, seed))) {
                let precision = if at == 0 { 1.0 } else { 0.5 };
                let agreement =
                    json!({ "truth": 4, "both": 4, "precision": precision, "recall": 1.0, "f1": precision });
                let line = json!({ "world": "dialogue", "subject": "S_1", "action": action, "model": "symbolic", "demonstrations": 3,
                    "samples": 0, "seed": seed, "approach": "enumerated", "shown": 3, "episodes": 5, "assertions": ["x"],
                    "truth": ["y"], "truth_from": "the data", "instances": 8, "satisfied": 4, "calls": 2, "held": 2,
                    "agreement": agreement, "candidates": 1, "valid": 1, "asks": 0, "prompt_tokens": 0, "completion_tokens": 0,
                    "seconds": f64::from(*seed as u32) });
                let key = unit_key(&condition(truth), action, *seed);
                text.push_str(&(Entry::of_unit(experiment.hash(), &key, &[line]).unwrap()[0].text() + "\n"));
            }
        }
        text
    }

    #[test]
    fn two_truths_two_seeds_and_two_builds_are_told_apart() {
        let text = file("0.1.0+a", &["12ab", "34cd"], &[0, 1]) + &file("0.1.0+b", &["12ab"], &[0]);
        let merged = merge(&[Contents::read(text.as_bytes()).unwrap()]);
        let shown: Vec<String> = merged
            .iter()
            .map(|of| {
                let report = Kind::named(of.experiment.study()).unwrap().report(of, false, Default::default()).unwrap();
                let program = report.json()["measured_under"]["program"].clone();
                assert!(
                    report.csv("h,").contains(&format!("h,measured under,,program,{}\n", program.as_str().unwrap()))
                );
                let text = report.to_string();
                // The paper's table has its own test.
                format!("{program}\n{}", text.split("\nBeside it").next().unwrap())
            })
            .collect();
        let other = merged.iter().find(|of| of.experiment.fields()["program"] == "0.1.0+b").unwrap();
        let first = merged.iter().find(|of| of.experiment.fields()["program"] == "0.1.0+a").unwrap();
        assert_eq!(other.experiment.differences(&first.experiment), ["program is 0.1.0+b, there 0.1.0+a"]);
        let mut shown = shown;
        shown.sort();
        insta::assert_snapshot!(shown.join("\n=====\n"));
    }
}
