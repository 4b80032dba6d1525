//! Carrying out a program that was decided about: the sandbox runs it, the world performs the calls it made, in their order;
//! then the request is closed.
//!
//! A program's own fault that stops it early is said, and the calls before it are made; where the sandbox is to blame nothing is
//! executed. Where calls are decided about one by one, the first is made when the program is taken and the others are offered.

use serde_json::{Value, json};

use super::active_program::ActiveProgram;
use super::{PRIMITIVES, closing};
use crate::belief;
use crate::context::{kind_of, source};
use crate::{Carried, Context, Deed, Program, Step};
use stepwright_episode::gate::Draft;
use stepwright_episode::{ArtifactId, AskKind, Decision, Origin};
use stepwright_sandbox::{Call, FaultKind, Run};

/// Whose name is recorded with the calls of a program.
const THE_PROGRAM: &str = "the program";

/// Whether what was decided is a program to be run, and then whether it answers the whole request.
fn program_of(cx: &Context<'_>, decision: &Decision, text: &str) -> Option<bool> {
    let turn = &cx.node()?.turn;
    match kind_of(turn, source(turn, decision)?) {
        Some(&AskKind::PROGRAM) => Some(true),
        Some(_) => None,
        // What a person typed may be calls of the world, or a program.
        None => cx.world.preview(text).is_some_and(|outcome| outcome.error.is_some()).then_some(false),
    }
}

pub(super) fn deed(cx: &Context<'_>, decision: &Decision, text: &str) -> Deed {
    if program_of(cx, decision, text).is_none() {
        return Deed::Act;
    }
    let state = cx.session.belief().map(|belief| belief.as_ref().clone()).unwrap_or_default();
    let objects = state.get(belief::OBJECTS).cloned().unwrap_or_else(|| json!([]));
    let functions = cx.world.requests().map(|requests| requests.functions()).unwrap_or_default();
    let functions = functions.iter().map(|f| (*f).to_owned()).collect();
    Deed::Run(Program { code: text.to_owned(), functions, values: json!({ "state": state, "objects": objects }) })
}

pub(super) fn carried(cx: &Context<'_>, decision: &Decision, run: &Run) -> Result<Carried, String> {
    let its_own = |kind: &FaultKind| !matches!(kind, FaultKind::Worker(_) | FaultKind::Unsupported(_));
    if let Some(fault) = run.fault.as_ref().filter(|fault| !its_own(&fault.kind)) {
        return Err(format!("the program was not carried out: {fault}; edit it, or type its calls"));
    }
    let turn = cx.node().map(|n| &n.turn);
    let proposal = turn.and_then(|t| source(t, decision));
    let whole = turn.zip(proposal).and_then(|(t, p)| kind_of(t, p)) == Some(&AskKind::PROGRAM);
    let ((mut calls, remarks), done) = (lines(cx, run), closing(cx));
    if let Some(end) = calls.iter().position(|line| line == done) {
        calls.truncate(end + 1);
    } else if whole {
        calls.push(done.to_owned());
    }
    let each = whole && cx.options().is(&PRIMITIVES, "each");
    let text = if each { calls.first().cloned().unwrap_or_default() } else { calls.join("\n") };
    let remark = (!remarks.is_empty()).then(|| format!("the program did not go as written: {}", remarks.join("; ")));
    Ok(Carried { action: cx.action(&text), calls, remark })
}

/// The calls of a run as the world reads them, and what went otherwise than written.
fn lines(cx: &Context<'_>, run: &Run) -> (Vec<String>, Vec<String>) {
    let answering = cx.world.requests().map_or("", |requests| requests.answering());
    let (mut lines, mut remarks) = (Vec::new(), Vec::new());
    for (call, number) in &run.calls {
        let line = line_of(call, answering);
        match cx.world.call_of(&line) {
            Some(_) => lines.push(line),
            None => remarks.push(format!("line {number}: `{line}` is no call of this world and was passed over")),
        }
    }
    remarks.extend(run.fault.iter().map(ToString::to_string));
    (lines, remarks)
}

/// Offers the next call of the program in force. A program is never run again for it: its calls are in the records.
pub(super) fn next_call(cx: &Context<'_>, force: &ActiveProgram) -> Step {
    let Some(calls) = calls_of(cx, force) else {
        // Logs of format 1 do not hold what a program called.
        let why = "the log does not hold the calls of this program; refuse the rest and ask for a new one";
        return Step::Stuck(why.to_owned());
    };
    let done = closing(cx);
    let (line, why) = match calls.get(force.made) {
        Some(line) if line != done => {
            (line.as_str(), format!("call {} of {} of the program", force.made + 1, calls.len()))
        }
        _ => (done, "the program has made its calls; this closes the request".to_owned()),
    };
    let origin = if cx.model.language { Origin::Greedy } else { Origin::Reference };
    let (number, action) = (Some(force.made + 1), Some(cx.action(line)));
    let draft = Draft { line: number, action, rationale: Some(why), ..Draft::new(line, origin) };
    Step::Offer { ask: cx.own(AskKind::PROGRAM_CALL, THE_PROGRAM, 1, Value::Null), drafts: vec![draft], note: None }
}

/// The calls of the program in force, as they were recorded when it ran.
fn calls_of(cx: &Context<'_>, force: &ActiveProgram) -> Option<Vec<String>> {
    let ran = cx.node()?.document(&ArtifactId::PROGRAM)?;
    let calls = ran.get("calls").filter(|_| ran.get("decision") == Some(&json!(force.decision)))?;
    serde_json::from_value(calls.clone()).ok()
}

/// A call as the world reads it. An answer may be any value; it is said as Python would print it.
fn line_of(call: &Call, answering: &str) -> String {
    if call.function != answering || call.args.iter().all(Value::is_string) {
        return call.to_string();
    }
    let words = call.args.iter().map(|arg| match arg {
        Value::String(text) => text.clone(),
        other => {
            let printed = Call { function: String::new(), args: vec![other.clone()], keywords: Vec::new() }.to_string();
            printed.trim_start_matches('(').trim_end_matches(')').to_owned()
        }
    });
    let text = words.collect::<Vec<_>>().join(" ");
    Call { function: call.function.clone(), args: vec![Value::String(text)], keywords: Vec::new() }.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_are_said_as_text() {
        let say = |args: Value| {
            line_of(
                &Call { function: "say".into(), args: serde_json::from_value(args).unwrap(), keywords: vec![] },
                "say",
            )
        };
        assert_eq!(say(json!(["yes"])), "say(\"yes\")");
        assert_eq!(say(json!([2])), "say(\"2\")");
        assert_eq!(say(json!([["a", "b"]])), "say(\"[\\\"a\\\", \\\"b\\\"]\")");
        assert_eq!(say(json!([[false, true]])), "say(\"[False, True]\")");
    }
}
