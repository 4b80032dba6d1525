//! Programs that a method wrote and somebody decided to take: run in the sandbox beside the driver's task, and what they come to.
//!
//! The world performs the calls a program made, in their order, and then closes the request. What stops a program early and is its own
//! doing is said, the calls before it are made; where the sandbox is to blame nothing is executed.

use std::sync::Arc;

use serde_json::{Value, json};
use tokio_util::sync::CancellationToken;

use super::Notice;
use super::coding::{DONE, is_for_program};
use super::setup::Source;
use super::task::{Driver, Message};
use crate::belief;
use crate::episode::gate::{Draft, Report};
use crate::episode::{Action, ArtifactId, AskId, Choice, DecisionId, Origin};
use crate::method::Primitives;
use crate::method::coding::in_force;
use crate::method::following::offered;
use crate::program::sandbox::{self, Call, Fault, FaultKind, Run};

/// The functions a program may call.
const FUNCTIONS: [&str; 5] = ["put_first_on_second", "say", "noop", "update_wm", "done"];

/// What a run is for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Errand {
    /// Carrying out a decision; `whole`: the program answers the request, which is closed after it.
    Step { decision: DecisionId, whole: bool },
}

/// A run that has ended.
pub(super) struct Ran {
    errand: Errand,
    code: String,
    run: Run,
}

/// Programs under way.
#[derive(Default)]
pub(super) struct Programs {
    stop: Option<CancellationToken>,
}

impl Programs {
    /// Ends the run under way; whether there was one.
    pub(super) fn stop(&mut self) -> bool {
        self.stop.take().map(|stop| stop.cancel()).is_some()
    }
}

impl Driver {
    /// Whether what was decided is a program to be run, and then whether it answers the whole request.
    fn program_of(&self, decision: DecisionId, text: &str) -> Option<bool> {
        self.method.coding()?;
        let turn = &self.gate.session().current()?.turn;
        let decided = turn.decisions.iter().find(|d| d.id == decision)?;
        let from = match decided.choice {
            Choice::Edit { from, .. } => from,
            _ => decided.proposal(),
        };
        let ask = turn.proposal(from)?.ask;
        let kind = ask.and_then(|ask| turn.asks.iter().find(|a| a.id == ask)).map(|a| &a.kind);
        match kind {
            Some(kind) if is_for_program(kind) => Some(true),
            Some(_) => None,
            // What a person typed may be calls of the world, or a program.
            None => {
                self.points.world.preview(text).is_some_and(|(outcome, _)| outcome.error.is_some()).then_some(false)
            }
        }
    }

    /// Has a program run that was decided about; `false` where it is none.
    pub(super) fn run_program(&mut self, decision: DecisionId, text: &str) -> bool {
        let Some(whole) = self.program_of(decision, text) else { return false };
        let belief = self.gate.session().belief().map(Arc::clone);
        self.start_program(Errand::Step { decision, whole }, text.to_owned(), belief);
        true
    }

    /// Offers the next call of the program in force.
    pub(super) fn offer_call(&mut self, ask: AskId) {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let Some(force) = in_force(&path) else {
            let error = "there is no program to go on with any more; ask again".to_owned();
            return self.report(Report::AskFailed { ask, error });
        };
        let decision = force.decision;
        let report = match self.calls_of(decision) {
            Some(calls) => self.next_call(ask, decision, &calls),
            // What a model wrote does not run again; logs of format 1 do not hold what it called.
            None => Report::AskFailed {
                ask,
                error: "the log does not hold the calls of this program; refuse the rest and ask for a new one"
                    .to_owned(),
            },
        };
        self.report(report);
    }

    /// The calls of the program that a decision took, as they were recorded when it ran.
    fn calls_of(&self, decision: DecisionId) -> Option<Vec<String>> {
        let ran = self.gate.session().current()?.document(&ArtifactId::PROGRAM)?;
        let calls = ran.get("calls").filter(|_| ran.get("decision") == Some(&json!(decision)))?;
        serde_json::from_value(calls.clone()).ok()
    }

    fn start_program(&mut self, errand: Errand, code: String, belief: Option<Arc<Value>>) {
        let cancel = CancellationToken::new();
        self.programs.stop = Some(cancel.clone());
        let (sandbox, messages) = (Arc::clone(&self.sandbox), self.messages.clone());
        self.tell(Notice::Progress { what: "running the program".to_owned(), done: 0, total: 1 });
        tokio::spawn(async move {
            let state = belief.as_deref().cloned().unwrap_or_default();
            let objects = state.get(belief::OBJECTS).cloned().unwrap_or_else(|| json!([]));
            let values = json!({ "state": state, "objects": objects });
            let run = tokio::select! {
                run = sandbox::run(sandbox.as_ref(), &code, &FUNCTIONS, &values) => run,
                () = cancel.cancelled() => {
                    let kind = FaultKind::Worker("it was stopped by a person".to_owned());
                    Run { calls: Vec::new(), fault: Some(Fault { line: None, kind }) }
                }
            };
            // A driver that is gone waits for nothing.
            let _ = messages.send(Message::Ran(Ran { errand, code, run }));
        });
    }

    /// Takes in what a run came to.
    pub(super) fn program_ran(&mut self, ran: Ran) {
        let Ran { errand, code, run } = ran;
        self.programs.stop = None;
        self.tell(Notice::Progress { what: "running the program".to_owned(), done: 1, total: 1 });
        let (lines, remarks) = self.lines(&run);
        let not_its_own =
            run.fault.as_ref().filter(|f| matches!(f.kind, FaultKind::Worker(_) | FaultKind::Unsupported(_)));
        match (errand, not_its_own) {
            (Errand::Step { decision, .. }, Some(fault)) => {
                let why = format!("the program was not carried out: {fault}; edit it, or type its calls");
                self.report(Report::Stepped { decision, result: Err(why) });
            }
            (Errand::Step { decision, whole }, None) => self.carry_out_program(decision, whole, &code, lines, &remarks),
        }
        self.carry_out();
    }

    fn carry_out_program(
        &mut self,
        decision: DecisionId,
        whole: bool,
        source: &str,
        mut lines: Vec<String>,
        remarks: &[String],
    ) {
        if let Some(end) = lines.iter().position(|line| line == DONE) {
            lines.truncate(end + 1);
        } else if whole {
            lines.push(DONE.to_owned());
        }
        let each = whole && self.prompting.options.primitives == Primitives::Each;
        let text = if each { lines.first().cloned().unwrap_or_default() } else { lines.join("\n") };
        let program = json!({ "decision": decision, "source": source, "calls": lines });
        let action = self.program_action(text.clone());
        let remark =
            (!remarks.is_empty()).then(|| format!("the program did not go as written: {}", remarks.join("; ")));
        self.report(Report::Ran { decision, program, action, remark });
        let result = self.step(decision, &text);
        self.report(Report::Stepped { decision, result });
    }

    /// The calls of a run as the world reads them, and what went otherwise than written.
    fn lines(&self, run: &Run) -> (Vec<String>, Vec<String>) {
        let (mut lines, mut remarks) = (Vec::new(), Vec::new());
        for (call, number) in &run.calls {
            let line = line_of(call);
            match self.points.world.call_of(&line) {
                Some(_) => lines.push(line),
                None => remarks.push(format!("line {number}: `{line}` is no call of this world and was passed over")),
            }
        }
        remarks.extend(run.fault.iter().map(ToString::to_string));
        (lines, remarks)
    }

    /// The next call of a program that ran, as a proposal.
    fn next_call(&self, ask: AskId, decision: DecisionId, lines: &[String]) -> Report {
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let made = in_force(&path).filter(|f| f.decision == decision).map_or(0, |f| f.made);
        let (line, why) = match lines.get(made) {
            Some(line) if line != DONE => {
                (line.as_str(), format!("call {} of {} of the program", made + 1, lines.len()))
            }
            _ => (DONE, "the program has made its calls; this closes the request".to_owned()),
        };
        let by_model = matches!(self.source, Source::Language { .. });
        let raw = offered(made + 1, line);
        let draft = Draft {
            raw: raw.clone(),
            action: Some(Action {
                text: line.to_owned(),
                call: self.points.world.call_of(line).map(|c| c.to_string()),
            }),
            problem: None,
            origin: if by_model { Origin::Greedy } else { Origin::Symbolic },
            score: None,
            logprob: None,
            rationale: Some(why),
        };
        Report::Answered { ask, texts: vec![raw], usage: None, ms: 0, drafts: vec![draft] }
    }
}

/// A call as the world reads it. An answer may be any value; it is said as Python would print it.
fn line_of(call: &Call) -> String {
    if call.function != "say" || call.args.iter().all(Value::is_string) {
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
            line_of(&Call { function: "say".into(), args: serde_json::from_value(args).unwrap(), keywords: vec![] })
        };
        assert_eq!(say(json!(["yes"])), "say(\"yes\")");
        assert_eq!(say(json!([2])), "say(\"2\")");
        assert_eq!(say(json!([["a", "b"]])), "say(\"[\\\"a\\\", \\\"b\\\"]\")");
        assert_eq!(say(json!([[false, true]])), "say(\"[False, True]\")");
    }
}
