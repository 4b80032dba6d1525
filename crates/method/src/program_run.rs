//! Programs of [`super::Deed::Run`] after their run: the world performs the calls that were made, in their order; then the request is
//! closed.
//!
//! What stops a program early and is its own doing is said, and the calls before it are made; where the sandbox is to blame nothing is
//! executed, unless an evaluation goes on from recorded answers, of which it executes none itself. Where calls are decided about one by one, the first is made when the program is taken and the others are offered.

use serde_json::Value;

use super::context::{Context, kind_of, source};
use super::step::Carried;
use crate::request_program::by_lines;
use stepwright_episode::{AskKind, Decision};
use stepwright_sandbox::{Call, FaultKind, Run};
use stepwright_world::{CLOSING, NOTHING, UPDATING};

stepwright_world::option_specs! {
    pub PRIMITIVES: "primitives", "Calls of programs", "how the calls of a program are decided about", [
        "all" = "decided about with the program", "each" = "decided about one by one"
    ] or "all";
}

/// The result of a program that ran.
pub fn carried(cx: &Context<'_>, decision: &Decision, run: &Run) -> Result<Carried, String> {
    let stops = |kind: &FaultKind| match kind {
        FaultKind::Unsupported(_) => !by_lines(cx),
        kind => matches!(kind, FaultKind::Worker(_)),
    };
    if let Some(fault) = run.fault.as_ref().filter(|fault| stops(&fault.kind)) {
        return Err(format!("the program was not carried out: {fault}; edit it, or type its calls"));
    }
    let turn = cx.node().map(|n| &n.turn);
    let proposal = turn.and_then(|t| source(t, decision));
    let whole = turn.zip(proposal).and_then(|(t, p)| kind_of(t, p)) == Some(&AskKind::PROGRAM);
    let ((mut calls, remarks), done) = (lines(cx, run), cx.closing());
    if let Some(end) = calls.iter().position(|line| line == done) {
        calls.truncate(end + 1);
    } else if whole {
        calls.push(done.to_owned());
    }
    let each = whole && cx.options().is(&PRIMITIVES, "each");
    let text = if each { calls.first().cloned().unwrap_or_default() } else { calls.join("\n") };
    let remark = (!remarks.is_empty()).then(|| format!("the program did not go as written: {}", remarks.join("; ")));
    Ok(Carried { action: cx.answer(&text), calls, remark })
}

/// The calls of a run as the world reads them, and what went otherwise than written.
fn lines(cx: &Context<'_>, run: &Run) -> (Vec<String>, Vec<String>) {
    let answering = cx.world.requests().map_or("", |requests| requests.answering());
    let (mut lines, mut remarks) = (Vec::new(), Vec::new());
    for (call, number) in &run.calls {
        let line = line_of(call, answering);
        // What any program may call changes nothing in a world that has no such action.
        let is_of_any = [NOTHING, CLOSING].contains(&line.as_str()) || is_update(call);
        let of_any = cx.world.requests().is_some() && is_of_any;
        match cx.answer(&line).call {
            Some(_) => lines.push(line),
            None if of_any => lines.push(line),
            None => remarks.push(format!("line {number}: `{line}` is no call of this world and was passed over")),
        }
    }
    remarks.extend(run.fault.iter().map(ToString::to_string));
    (lines, remarks)
}

/// Whether a call brings the state up to date by a text.
fn is_update(call: &Call) -> bool {
    call.function == UPDATING && matches!(call.args.as_slice(), [Value::String(_)]) && call.keywords.is_empty()
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
    use serde_json::json;

    #[test]
    fn an_update_is_a_text() {
        let is = |args: Value| {
            is_update(&Call {
                function: UPDATING.into(),
                args: serde_json::from_value(args).unwrap(),
                keywords: vec![],
            })
        };
        assert!(is(json!(["the red block is clean"])));
        assert!([json!([]), json!([1]), json!([null]), json!(["a", "b"])].into_iter().all(|args| !is(args)));
    }

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
