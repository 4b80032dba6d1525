//! Functions that a model wrote for skills, tried in the sandbox on recorded calls.

use serde_json::Value;
use stepwright_sandbox::{FaultKind, Step, Workers};
use stepwright_skill::code::{self, ACT, Layout, Parts};
use stepwright_skill::function::{Case, Trial};

/// What came of each call, in words where it came to another end than the recorded one. An error says why nothing could be tried.
pub async fn tried(sandbox: &Workers, trial: &Trial) -> Result<Vec<Result<(), String>>, String> {
    let mut results = Vec::new();
    for case in &trial.cases {
        results.push(one(sandbox, trial, case).await?);
    }
    Ok(results)
}

async fn one(sandbox: &Workers, trial: &Trial, case: &Case) -> Result<Result<(), String>, String> {
    let program = format!("{}\n\n{}", trial.code, case.program);
    let layout = Layout::new(&Parts { library: trial.library.clone(), program, ..Parts::default() });
    let functions = code::functions();
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let mut running = sandbox.start(&layout.prelude, &layout.code, &functions, &case.values);
    let (mut course, mut result) = (case.begin(), Value::Null);
    loop {
        let (call, line) = match running.next(result).await {
            Step::Finished => return Ok(course.ended(None)),
            Step::Fault(fault) if matches!(fault.kind, FaultKind::Worker(_)) => return Err(fault.kind.to_string()),
            Step::Fault(fault) => {
                let place = fault.line.map(|line| format!("{}: ", layout.place(line as usize))).unwrap_or_default();
                return Ok(course.ended(Some(format!("{place}{}", fault.kind))));
            }
            Step::Call { call, line, .. } => (call, line as usize),
        };
        // No model is asked for a trial: what one would answer is answered by rule.
        let answer = match (call.function.as_str(), call.args.first()) {
            (ACT, Some(Value::String(action))) => course.act(action),
            (ACT, _) => Err("an action that is no text".to_owned()),
            (function, args) => code::pure(function, &call.args)
                .or_else(|| args.and_then(|_| code::by_rule(function, &call.args)).map(Ok))
                .unwrap_or_else(|| Err(format!("there is no function {function}"))),
        };
        match answer {
            Ok(value) => result = value,
            Err(why) => return Ok(course.ended(Some(format!("{}: {why}", layout.place(line))))),
        }
    }
}
