//! Carrying out a program that was decided about: it is run in the sandbox; where its calls are decided about one by one, those after
//! the first are offered. What comes of a run is `program_run`'s.

use serde_json::{Value, json};

use stepwright_belief as belief;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, ArtifactId, AskKind, Decision, Origin};
use stepwright_method::context::{kind_of, source};
use stepwright_method::edited::origin_of_line;
use stepwright_method::request_program::ActiveProgram;
use stepwright_method::{Context, Deed, Program, Step};

/// Whose name is recorded with the calls of a program.
const THE_PROGRAM: &str = "the program";

/// Whether what was decided is a program to be run, and then whether it answers the whole request.
fn program_of(cx: &Context<'_>, decision: &Decision, action: &Action) -> Option<bool> {
    let turn = &cx.node()?.turn;
    match kind_of(turn, source(turn, decision)?) {
        Some(&AskKind::PROGRAM) => Some(true),
        Some(_) => None,
        // What a person typed may be calls of the world, or a program.
        None => cx.world.preview_of(action).is_some_and(|outcome| outcome.error.is_some()).then_some(false),
    }
}

pub(super) fn deed(cx: &Context<'_>, decision: &Decision, action: &Action) -> Deed {
    if program_of(cx, decision, action).is_none() {
        return Deed::Act;
    }
    let state = cx.session.belief().map(|belief| belief.as_ref().clone()).unwrap_or_default();
    let objects = state.get(belief::OBJECTS).cloned().unwrap_or_else(|| json!([]));
    let functions = cx.world.requests().map(|requests| requests.functions()).unwrap_or_default();
    let functions = functions.into_iter().map(|f| f.name).collect();
    Deed::Run(Program { code: action.text.clone(), functions, values: json!({ "state": state, "objects": objects }) })
}

/// Offers the next call of the program in force. A program is never run again for it: its calls are in the records.
pub(super) fn next_call(cx: &Context<'_>, force: &ActiveProgram) -> Step {
    let Some(calls) = calls_of(cx, force) else {
        // Logs of format 1 do not hold what a program called.
        let why = "the log does not hold the calls of this program; refuse the rest and ask for a new one";
        return Step::Stuck(why.to_owned());
    };
    let done = cx.closing();
    let (line, why) = match calls.get(force.made) {
        Some(line) if line != done => {
            (line.as_str(), format!("call {} of {} of the program", force.made + 1, calls.len()))
        }
        _ => (done, "the program has made its calls; this closes the request".to_owned()),
    };
    let origin = if cx.model.language { Origin::Greedy } else { Origin::Reference };
    // Of the calls those are a person's that the program has as lines since a person edited it.
    let written = force.answer.as_deref().unwrap_or_default();
    let at = force.code.lines().position(|own| own.trim() == line.trim());
    let origin = at.map_or(origin, |at| origin_of_line(written, &force.code, at + 1, origin));
    let (number, action) = (Some(force.made + 1), Some(cx.answer(line)));
    let draft = Draft { line: number, action, rationale: Some(why), ..Draft::new(line, origin) };
    Step::Offer { ask: cx.own(AskKind::PROGRAM_CALL, THE_PROGRAM, 1, Value::Null), drafts: vec![draft], note: None }
}

/// The calls of the program in force, as they were recorded when it ran.
fn calls_of(cx: &Context<'_>, force: &ActiveProgram) -> Option<Vec<String>> {
    let ran = cx.node()?.document(&ArtifactId::PROGRAM)?;
    let calls = ran.get("calls").filter(|_| ran.get("decision") == Some(&json!(force.decision)))?;
    serde_json::from_value(calls.clone()).ok()
}
