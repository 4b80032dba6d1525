//! The second tier: a candidate for which the bounded evaluator has too little time or memory is tried in the sandbox, which has more.
//! Writes the trial and reads its report; who runs it is handed in. Without a report the candidate stays
//! unknown, with the reasons of both tiers.

use std::sync::Arc;

use serde::Deserialize;
use serde_json::Value;

use super::Validity;
use super::demonstrations::Demonstrations;
use super::gaps::not_offered;
use super::instance_set::InstanceSet;
use super::instances::{Evaluation, FALSE, Instances};
use super::validate::failed_there;
use stepwright_program::{Assertion, Literal};
use stepwright_sandbox::{REPORT, Trials};

/// Exceptions that a trial tells apart, those before that are kinds of those behind.
const EXCEPTIONS: [&str; 13] = [
    FALSE, "ZeroDivisionError", "OverflowError", "KeyError", "IndexError", "AttributeError", "UnboundLocalError",
    "NameError", "TypeError", "ValueError", "NotImplementedError", "RuntimeError", "StopIteration",
];

/// Most evaluations that a trial may take: distinct states times lists of arguments.
const MOST: usize = 20_000;
/// Most candidates that are tried for one pool: a trial may take seconds.
pub(super) const MOST_TRIED: usize = 16;

/// The sandbox's judgement of candidates that the bounded evaluator cannot decide.
#[derive(Clone)]
pub struct SecondTier(Arc<RunTrial>);

type RunTrial = dyn Fn(&str, &str) -> Result<Value, String> + Send + Sync;

impl std::fmt::Debug for SecondTier {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("SecondTier")
    }
}

impl SecondTier {
    /// By a function that is given the code of the program's own and the trial's code, and returns what the trial reports or why there is
    /// no report.
    pub fn by(run: impl Fn(&str, &str) -> Result<Value, String> + Send + Sync + 'static) -> Self {
        SecondTier(Arc::new(run))
    }

    /// In workers of the sandbox that ships.
    pub fn in_workers(trials: Trials) -> Self {
        SecondTier::by(move |prelude, code| trials.run(prelude, code))
    }

    /// The fate of a candidate and what it gives at all instances.
    pub(super) fn judge(
        &self,
        demos: &Demonstrations,
        instances: &Instances,
        assertion: &Assertion,
    ) -> Result<(Validity, Evaluation), String> {
        // Checked before the trial: it would say that the candidate fails where it is the sandbox that does.
        if let Some(what) = not_offered(assertion) {
            return Err(format!("it does not offer {what}"));
        }
        let (prelude, code) = trial(demos, instances, assertion)?;
        let report = (self.0)(&prelude, &code)?;
        let report: Report = serde_json::from_value(report).map_err(|error| format!("the report is none: {error}"))?;
        read(demos, instances, &report).ok_or_else(|| "the report does not fit the trial".to_owned())
    }
}

#[derive(Debug, Deserialize)]
struct Report(
    /// By distinct state and list of arguments: 0 where it holds, else the exception's place in the list, from 1.
    Vec<usize>,
    /// By demonstration: the call that fails first and how, where one does.
    Vec<Option<(usize, usize)>>,
);

fn trial(demos: &Demonstrations, instances: &Instances, assertion: &Assertion) -> Result<(String, String), String> {
    let function = &instances.function;
    if demos.states.len() * instances.bindings.len() > MOST {
        return Err(format!("more than {MOST} evaluations"));
    }
    if function.params.iter().any(|param| param.starts_with('*')) {
        return Err("an action with any number of arguments is not tried".to_owned());
    }
    if assertion.text().contains("trial_") {
        return Err("names that begin with `trial_` are those of the trial".to_owned());
    }
    let empty = demos.specification().unasserted().map_err(|error| error.to_string())?;
    let prelude = format!("{}\n\n", empty.source());
    let params: String = function.params.iter().map(|param| format!(", {param}")).collect();
    let mut code = format!("def trial_check(self{params}):\n    assert {}\n\n", assertion.text());
    code.push_str("def trial_outcome(self, args):\n    try:\n        trial_check(self, *args)\n");
    for (number, exception) in EXCEPTIONS.iter().enumerate() {
        code.push_str(&format!("    except {exception}:\n        return {}\n", number + 1));
    }
    code.push_str("    return 0\n");
    for (number, demo) in demos.all.iter().enumerate() {
        // Up to a call, then one evaluation; or to the end with the evaluation before each call of the action.
        code.push_str(&format!("\ndef trial_demo_{number}(stop, args):\n"));
        for line in &empty.declarations().setup {
            code.push_str(&format!("    {line}\n"));
        }
        let receiver = &function.receiver;
        for (at, call) in demo.calls.iter().enumerate() {
            if demos.steps.iter().any(|step| (step.demonstration, step.call) == (number, at)) {
                code.push_str(&format!("    if stop == {at}:\n        return trial_outcome({receiver}, args)\n"));
            }
            if instances.calls.iter().any(|step| (step.demonstration, step.call) == (number, at)) {
                let args = tuple(&call.args);
                code.push_str(&format!(
                    "    if stop == -1:\n        outcome = trial_outcome({receiver}, {args})\n        if outcome != 0:\n            \
                     return [{at}, outcome]\n"
                ));
            }
            code.push_str(&format!("    {call}\n"));
        }
        code.push_str("    return None\n");
    }
    let demonstrations: Vec<String> = (0..demos.all.len()).map(|number| format!("trial_demo_{number}")).collect();
    let mut first: Vec<Option<String>> = vec![None; demos.states.len()];
    for step in &demos.steps {
        if let Some(place) = first.get_mut(step.state).filter(|place| place.is_none()) {
            *place = Some(format!("({}, {})", step.demonstration, step.call));
        }
    }
    let states: Option<Vec<String>> = first.into_iter().collect();
    let states = states.ok_or("a state that no step has")?;
    let bindings: Vec<String> = instances.bindings.iter().map(|binding| tuple(binding)).collect();
    code.push_str(&format!(
        "\ntrial_demos = [{}]\ntrial_placed = []\nfor trial_place in [{}]:\n    for trial_args in [{}]:\n        \
         trial_placed.append(trial_demos[trial_place[0]](trial_place[1], trial_args))\ntrial_whole = []\n\
         for trial_demo in trial_demos:\n    trial_whole.append(trial_demo(-1, ()))\n{REPORT}([trial_placed, trial_whole])\n",
        demonstrations.join(", "),
        states.join(", "),
        bindings.join(", ")
    ));
    Ok((prelude, code))
}

fn tuple(args: &[Literal]) -> String {
    let args: String = args.iter().map(|arg| format!("{arg}, ")).collect();
    format!("({args})")
}

/// The fate and the sets of a report; `None` if it does not fit.
fn read(demos: &Demonstrations, instances: &Instances, report: &Report) -> Option<(Validity, Evaluation)> {
    let Report(placed, whole) = report;
    let (width, len) = (instances.bindings.len(), instances.len());
    if placed.len() != demos.states.len() * width || whole.len() != demos.all.len() {
        return None;
    }
    let mut sets = vec![InstanceSet::none(len); EXCEPTIONS.len() + 1];
    for (at, step) in demos.steps.iter().enumerate() {
        for binding in 0..width {
            sets.get_mut(*placed.get(step.state * width + binding)?)?.insert(at * width + binding);
        }
    }
    let set = sets.remove(0);
    let raises: Vec<(&'static str, InstanceSet)> =
        EXCEPTIONS.into_iter().zip(sets).filter(|(_, set)| !set.is_empty()).collect();
    // What it changes was carried through the demonstrations; whether that can be seen elsewhere is not known, so it is taken to be.
    let evaluation = Evaluation { set, mutates: false, raises, lingers: true, outlasts: true, changed: None };
    let failing = whole.iter().flatten().count();
    let fate = match whole.iter().enumerate().find_map(|(number, failure)| failure.map(|failure| (number, failure))) {
        None => Validity::Valid,
        Some((demonstration, (call, outcome))) => {
            let exception = EXCEPTIONS.get(outcome.checked_sub(1)?)?;
            failed_there(demos, instances, demonstration, call, exception, failing)
        }
    };
    Some((fate, evaluation))
}
