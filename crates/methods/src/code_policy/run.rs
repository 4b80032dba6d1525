//! Running a program in the sandbox from its beginning up to the first call that has no answer yet.
//!
//! The program is the same and so are the answers, so it comes to the same calls each time: nothing has to be kept alive between two
//! decisions, and going back costs one more run. What it costs is bounded by the sandbox's limits.

use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stepwright_skill::code::{self, ACT, LITERAL, Layout, Next, Parts, Place, VARIABLES};

use super::literal;
use super::run_so_far::RunSoFar;
use stepwright_method::{Context, WorkInput};
use stepwright_sandbox::{Fault, FaultKind, Step, Workers};

#[derive(Clone, Serialize, Deserialize)]
struct Work {
    #[serde(flatten)]
    parts: Parts,
    values: Map<String, Value>,
    answers: Vec<Value>,
    /// The answers to an earlier version of the program, in the order of its calls: as long as this one makes the same
    /// calls it gets the same answers.
    #[serde(default)]
    tape: Vec<Answered>,
    /// Whether a language model answers the functions that one can.
    language: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Answered {
    /// Whether the world accepted it, where it is an action that was taken.
    pub(super) taken: Option<bool>,
    pub(super) function: String,
    pub(super) args: Vec<Value>,
    pub(super) answer: Value,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct RunResult {
    pub(super) next: Next,
    /// The line of each call that was answered from the tape; 0 where it is none of the program's.
    pub(super) replayed: Vec<usize>,
    /// What it leaves to a later program, where it told that: places and the texts of their values.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(super) left: Vec<(String, String)>,
}

impl RunResult {
    /// Reads what a run came to from its record. Earlier records held what comes next alone; `answered`: how many calls were answered
    /// before that run.
    pub(super) fn read(text: &str, answered: usize) -> Option<Self> {
        if let Ok(came) = serde_json::from_str(text) {
            return Some(came);
        }
        let next: Next = serde_json::from_str(text).ok()?;
        let replayed = match next {
            Next::Call { number, .. } => number.saturating_sub(answered),
            _ => 0,
        };
        Some(RunResult { next, replayed: vec![0; replayed], left: Vec::new() })
    }
}

/// The work of finding out what a program does next; `values`: its variables, beside the task and the first observation where it has no
/// code of its own before it.
pub(super) fn work(cx: &Context<'_>, parts: Parts, values: Map<String, Value>, so_far: &RunSoFar) -> Value {
    let first = cx.path().first().map(|reset| reset.outcome.observation.clone()).unwrap_or_default();
    let usual = [("task", json!(cx.session.header.sentence)), ("observation", json!(first))];
    let plain = parts.own.is_empty();
    let work = Work {
        parts,
        values: usual
            .into_iter()
            .filter(|_| plain)
            .map(|(name, value)| (name.to_owned(), value))
            .chain(values)
            .collect(),
        answers: so_far.answered.iter().map(|call| call.answer.clone()).collect(),
        tape: so_far.tape.clone(),
        language: cx.model.language,
    };
    // Texts and values alone: nothing in it has no JSON.
    serde_json::to_value(work).unwrap_or_default()
}

pub(super) fn next(known: &WorkInput, work: &Value) -> Result<String, String> {
    let work = Work::deserialize(work).map_err(|e| format!("there is no program to run: {e}"))?;
    let runtime = tokio::runtime::Handle::try_current().map_err(|e| format!("nothing can be run here: {e}"))?;
    let result = runtime.block_on(run(&known.sandbox, &work));
    serde_json::to_string(&result).map_err(|e| e.to_string())
}

async fn run(sandbox: &Workers, work: &Work) -> RunResult {
    let (mut replayed, mut left) = (Vec::new(), Vec::new());
    let next = match &work.parts.refused {
        Some((line, why)) => Next::Fault {
            why: format!("{}: SyntaxError: {why}", Place::Program(*line)),
            error: unparsed(why, *line),
            variables: None,
        },
        None => called(sandbox, work, &mut replayed, &mut left).await,
    };
    RunResult { next, replayed, left }
}

/// The next call that has no answer, or the end.
async fn called(sandbox: &Workers, work: &Work, replayed: &mut Vec<usize>, left: &mut Vec<(String, String)>) -> Next {
    let layout = Layout::new(&work.parts);
    let functions = code::functions();
    let functions: Vec<&str> = functions.iter().map(String::as_str).collect();
    let values = Value::Object(work.values.clone());
    let mut running = sandbox.start(&layout.prelude, &layout.code, &functions, &values);
    let (mut result, mut answers) = (Value::Null, work.answers.iter());
    let (mut tape, mut number) = (work.tape.iter(), work.answers.len());
    let mut variables = None;
    loop {
        let (call, place) = match running.next(result).await {
            Step::Finished => return Next::Finished,
            Step::Fault(mut fault) => {
                let (begun, tells) = (variables.is_some(), !work.parts.untold.is_empty());
                let error = error(&fault, &layout, begun, tells);
                if !begun {
                    return Next::Fault { why: words(&fault, &layout), error, variables };
                }
                // What tells the variables comes after the line that failed and is named in its place; a run without it names that line.
                fault.line = None;
                let program = work.parts.untold.clone();
                let plain =
                    Work { parts: Parts { program, untold: String::new(), ..work.parts.clone() }, ..work.clone() };
                let why = match Box::pin(run(sandbox, &plain)).await.next {
                    Next::Fault { why, .. } => why,
                    _ => words(&fault, &layout),
                };
                return Next::Fault { why, error, variables };
            }
            Step::Call { call, way, .. } => (call, place(&way, &layout)),
        };
        let function = call.function.as_str();
        let fault = |why: String| {
            let error = of_no_exception(&why);
            Next::Fault { why: format!("{place}: {why}"), error, variables: None }
        };
        let by_rule = (!work.language).then(|| code::by_rule(function, &call.args)).flatten();
        result = match (code::pure(function, &call.args), by_rule) {
            (Some(Ok(value)), _) | (None, Some(value)) => value,
            (Some(Err(why)), _) => return fault(why),
            (None, None) if function == VARIABLES => {
                let told =
                    |at: usize| call.args.get(at).and_then(|told| Vec::deserialize(told).ok()).unwrap_or_default();
                variables = Some(told(0));
                *left = told(1);
                Value::Null
            }
            (None, None) if function == LITERAL => literal::told(call.args.first().unwrap_or(&Value::Null)),
            (None, None) if function != ACT && !code::is_asked(function) => {
                return fault(format!("there is no function {function}"));
            }
            (None, None) => match answers.next() {
                Some(answer) => answer.clone(),
                None => {
                    let known = tape.next().filter(|known| known.function == call.function && known.args == call.args);
                    if let Some(known) = known {
                        number += 1;
                        replayed.push(line_of(place));
                        result = known.answer.clone();
                        continue;
                    }
                    let line = line_of(place);
                    return Next::Call { number, function: call.function, args: call.args, line };
                }
            },
        };
    }
}

/// The place that a call came from: the innermost of the program's own lines that led to it, else the outermost line.
fn place(way: &[u32], layout: &Layout) -> Place {
    let mut places = way.iter().map(|line| layout.place(*line as usize));
    let own = places.clone().rfind(|place| matches!(place, Place::Program(_)));
    own.or_else(|| places.next()).unwrap_or(Place::Prelude)
}

/// The line of the program; 0 where it is none of its own.
fn line_of(place: Place) -> usize {
    match place {
        Place::Program(line) => line,
        _ => 0,
    }
}

/// Why a run ended, with the line in the part it belongs to.
fn words(fault: &Fault, layout: &Layout) -> String {
    let place = fault.line.map(|line| format!("{}: ", layout.place(line as usize))).unwrap_or_default();
    format!("{place}{}", Fault { line: None, kind: fault.kind.clone() })
}

/// The error as Python ends a traceback with it. Of code that fails before the function whose variables it tells is begun, its message
/// alone; of code that does not parse, with the line.
fn error(fault: &Fault, layout: &Layout, begun: bool, tells: bool) -> String {
    let line = fault.line.map_or(0, |line| line_of(layout.place(line as usize)));
    match &fault.kind {
        FaultKind::Raised(kind, message) if !begun && line > 0 && kind == "SyntaxError" => unparsed(message, line),
        FaultKind::Raised(_, message) if !begun && tells => message.clone(),
        kind @ FaultKind::Raised(..) => format!("{kind}\n"),
        kind => of_no_exception(&kind.to_string()),
    }
}

/// The error of code that does not parse.
fn unparsed(message: &str, line: usize) -> String {
    format!("{message} (<string>, line {line})")
}

/// What Python would not have stopped at, as an exception of no kind in particular.
fn of_no_exception(why: &str) -> String {
    format!("RuntimeError: {why}\n")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_failed_definition_is_its_message_alone() {
        let parts = Parts { program: "x = 1".to_owned(), ..Parts::default() };
        let layout = Layout::new(&parts);
        let line = u32::try_from(layout.prelude.lines().count() + 2).unwrap();
        let of = |kind: &str, begun, tells| {
            error(&Fault::at(line, FaultKind::Raised(kind.into(), "why".into())), &layout, begun, tells)
        };
        assert_eq!(of("NameError", false, true), "why");
        assert_eq!(of("SyntaxError", false, true), "why (<string>, line 1)");
        assert_eq!(of("NameError", true, true), "NameError: why\n");
        assert_eq!(of("SyntaxError", true, true), "SyntaxError: why\n", "a text that was no literal");
        assert_eq!(of("NameError", false, false), "NameError: why\n", "of a program that tells no variables");
        let forbidden = Fault::new(FaultKind::Forbidden("`open`".to_owned()));
        assert_eq!(error(&forbidden, &layout, true, true), "RuntimeError: not allowed in the sandbox: `open`\n");
    }
}
