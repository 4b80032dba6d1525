//! Validation by execution: each demonstration runs with the candidate as its action's only assertion, effects included.

use std::borrow::Cow;
use std::sync::Arc;

use super::demonstrations::{Demonstrations, Step};
use super::instances::{Evaluation, Instances, NoVerdict};
use super::{NOT_CALLED, Validity};
use stepwright_program::{Assertion, CheckResult, FaultKind, Function, Rejection, State};
use stepwright_text::words::finding;

/// Where a demonstration failed first, with the values found there.
struct Failure {
    demonstration: usize,
    call: usize,
    exception: Cow<'static, str>,
    message: String,
    values: Vec<(String, String)>,
}

/// The fate of a text that is no candidate.
pub fn malformed(rejection: &Rejection) -> Validity {
    match rejection.reason {
        "Budget" => Validity::Unknown { reason: "Budget".to_owned(), message: rejection.message.clone() },
        reason => Validity::Malformed { reason: reason.to_owned(), message: rejection.message.clone() },
    }
}

/// The fate of a candidate: valid if no demonstration raises. What its evaluation changes stays until the end of that
/// demonstration, as in real execution. Never says `Fails` where the engine had no verdict.
pub fn validate(demos: &Demonstrations, instances: &Instances, assertion: &Assertion) -> Validity {
    executed(demos, instances, assertion, false)
}

/// As [`validate`], and a failure is stated with the values found.
pub fn explained(demos: &Demonstrations, instances: &Instances, assertion: &Assertion) -> Validity {
    executed(demos, instances, assertion, true)
}

fn executed(demos: &Demonstrations, instances: &Instances, assertion: &Assertion, explain: bool) -> Validity {
    let function = &instances.function;
    let mut first: Option<Failure> = None;
    let mut failing = 0;
    for steps in instances.calls.chunk_by(|a, b| a.demonstration == b.demonstration) {
        match run(demos, function, assertion, steps, explain && first.is_none()) {
            Ok(()) => {}
            Err(Stop::Failed(failure)) => {
                failing += 1;
                first.get_or_insert(failure);
            }
            Err(Stop::NoVerdict(none)) => {
                return Validity::Unknown { reason: none.reason.to_owned(), message: none.message };
            }
        }
    }
    first.map_or(Validity::Valid, |failure| fails(demos, instances, failure, failing))
}

/// As [`validate`], read off the candidate's values at all instances. `None` where they do not decide: what it changes at a call that
/// goes on could be seen later on, so only execution shows the result.
pub fn settled(demos: &Demonstrations, instances: &Instances, evaluation: &Evaluation) -> Option<Validity> {
    if evaluation.lingers && evaluation.changed.is_none() {
        return None;
    }
    let mut first: Option<Failure> = None;
    let mut failing = 0;
    // The demonstration that has failed already.
    let mut over = None;
    let mut calls = instances.called().peekable();
    while let Some((step, instance)) = calls.next() {
        let instance = instance?;
        if over == Some(step.demonstration) {
            continue;
        }
        if evaluation.set.contains(instance) {
            let evaluated_again = calls.peek().is_some_and(|(next, _)| next.demonstration == step.demonstration);
            let seen = evaluation.outlasts || evaluated_again;
            if seen && evaluation.changed.as_ref().is_some_and(|changed| changed.contains(instance)) {
                return None;
            }
            continue;
        }
        over = Some(step.demonstration);
        failing += 1;
        if first.is_none() {
            let exception = Cow::Borrowed(evaluation.raised(instance)?);
            let (demonstration, call) = (step.demonstration, step.call);
            first = Some(Failure { demonstration, call, exception, message: String::new(), values: Vec::new() });
        }
    }
    Some(first.map_or(Validity::Valid, |failure| fails(demos, instances, failure, failing)))
}

/// The fate of a candidate that fails first at a call with an exception.
pub(super) fn failed_there(
    demos: &Demonstrations,
    instances: &Instances,
    demonstration: usize,
    call: usize,
    exception: &str,
    failing: usize,
) -> Validity {
    let (message, values) = Default::default();
    let failure = Failure { demonstration, call, exception: exception.to_owned().into(), message, values };
    fails(demos, instances, failure, failing)
}

/// The first failure in words, and how many demonstrations fail.
fn fails(demos: &Demonstrations, instances: &Instances, failure: Failure, failing: usize) -> Validity {
    let demo = demos.all.get(failure.demonstration);
    let at = match instances.written(failure.demonstration, failure.call) {
        Some(written) => Arc::clone(written),
        None => demo.and_then(|d| d.calls.get(failure.call)).map(ToString::to_string).unwrap_or_default().into(),
    };
    let Failure { demonstration, call, exception, message, values } = failure;
    let words = || {
        let id = demo.map_or("", |demo| demo.id.as_str());
        let words = in_words(&exception, &message, &values);
        format!("demonstration {} ({id}), call {}: {words}", demonstration + 1, call + 1)
    };
    let message = match message.is_empty() && values.is_empty() {
        true => instances.failure(demonstration, call, exception.clone(), words),
        false => words().into(),
    };
    Validity::Fails { demonstration, call, at, exception, message, failing }
}

/// The result of an assertion, with the values found: `false, for self.inventory is 'mug 1'`.
pub(super) fn in_words(exception: &str, message: &str, values: &[(String, String)]) -> String {
    let mut words = match (exception, message) {
        ("AssertionError", "") => "it is false".to_owned(),
        ("AssertionError", message) => format!("it is false ({message})"),
        (exception, "") => format!("it raises {exception}"),
        (exception, message) => format!("it raises {exception}: {message}"),
    };
    for (at, (part, value)) in values.iter().enumerate() {
        words.push_str(if at == 0 { "; " } else { ", " });
        words.push_str(&finding(part, value));
    }
    words
}

/// Why the execution of a demonstration ended early.
enum Stop {
    Failed(Failure),
    NoVerdict(NoVerdict),
}

/// Runs one demonstration up to its first failure. `steps` are its calls of the action.
fn run(
    demos: &Demonstrations,
    function: &Function,
    assertion: &Assertion,
    steps: &[Step],
    explain: bool,
) -> Result<(), Stop> {
    // While the candidate changes nothing, the states are those of the plain execution. From its first change on, the rest
    // of the demonstration is executed again: the state, and the next call to run.
    let mut own: Option<(State, usize)> = None;
    for step in steps {
        let Some(args) = demos.call(step).map(|call| call.args.as_slice()) else { continue };
        let Some(plain) = demos.state(step) else { continue };
        let (mut state, diverged) = match own.take() {
            Some((state, next)) => (forward(demos, state, step.demonstration, next, step.call)?, true),
            None => (plain.clone(), false),
        };
        let (result, changed) = state.check_in_place(assertion, function, args);
        if let Some(none) = NoVerdict::of(&result) {
            return Err(Stop::NoVerdict(none));
        }
        if let CheckResult::Raises { exception, message } = result {
            let (message, values) =
                if explain { (message, state.explain(assertion, function, args)) } else { Default::default() };
            let (demonstration, call) = (step.demonstration, step.call);
            let exception = exception.into();
            return Err(Stop::Failed(Failure { demonstration, call, exception, message, values }));
        }
        if changed || diverged {
            own = Some((state, step.call));
        }
    }
    if let (Some((state, next)), Some(step)) = (own, steps.last()) {
        let end = demos.all.get(step.demonstration).map_or(0, |demo| demo.calls.len());
        forward(demos, state, step.demonstration, next, end)?;
    }
    Ok(())
}

/// Executes a demonstration's calls from `next` up to, not including, `to`, after the candidate has changed the state.
fn forward(
    demos: &Demonstrations,
    mut state: State,
    demonstration: usize,
    next: usize,
    to: usize,
) -> Result<State, Stop> {
    let calls = demos.all.get(demonstration).and_then(|demo| demo.calls.get(next..to)).unwrap_or_default();
    for (at, call) in calls.iter().enumerate() {
        let Err(fault) = state.call_unchecked(call) else { continue };
        return Err(match fault.kind {
            FaultKind::Exception(exception) => Stop::Failed(Failure {
                demonstration,
                call: next + at,
                exception: exception.into(),
                message: format!("{}, after what the candidate changed", fault.message),
                values: Vec::new(),
            }),
            FaultKind::Unsupported(_) => Stop::NoVerdict(NoVerdict { reason: "Unsupported", message: fault.message }),
            FaultKind::Budget(_) => Stop::NoVerdict(NoVerdict { reason: "Budget", message: fault.message }),
        });
    }
    Ok(state)
}

/// The verdict where no demonstration calls the action.
pub(super) fn never_tried(action: &str) -> Validity {
    Validity::Unknown { reason: NOT_CALLED.to_owned(), message: format!("no demonstration calls {action}") }
}
