//! Asking for a program that answers the open request, and reading the answer. The program is one proposal.

use serde_json::Value;

use super::run;
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, AskKind, Check, CheckKind, Origin, PromptRecord, Status, Verdict};
use stepwright_method::context::{decided, kind_of, source};
use stepwright_method::program_run::PRIMITIVES;
use stepwright_method::request_program::{
    Answer, AnsweredRequest, Asked, CodePolicy, Form, Memory, NEXT_QUERY, Programs, Refused, is_verbatim, list_of,
    parted, program_prompt, read_list, read_program,
};
use stepwright_method::{Context, REFERENCE, Round, Step};
use stepwright_model::Completion;
use stepwright_program::SyntaxFault;
use stepwright_text::words::stripped;
use stepwright_world::{CUPS, NOTHING, Request, TASK, closes};

pub(super) fn step(cx: &Context<'_>, policy: CodePolicy) -> Step {
    let Some(round) = cx.round() else { return Step::Stuck("the episode has not begun".into()) };
    let world = cx.world.name();
    let Some(request) = cx.world.requests().and_then(|requests| requests.open()) else {
        return Step::Stuck(format!("the world {world} makes no request to answer now; choose another method (M)"));
    };
    if policy.form == Form::Cups && cx.knowledge.kind != CUPS {
        return Step::Stuck("this method plays three cups only; choose another method (M), or a task cups/…".into());
    }
    if cx.samples.is_none() {
        if let Some(step) = recommended(round) {
            return step;
        }
        let done = cx.closing();
        let closed = cx.node().and_then(|n| n.action.as_ref()).is_some_and(|action| closes(&action.text, done));
        let open = cx.so_far(Programs::new(done)).active_program().filter(|_| !closed);
        if let Some(force) = open.filter(|_| cx.options().is(&PRIMITIVES, "each")) {
            return run::next_call(cx, &force);
        }
    }
    if policy.believes() && cx.session.belief().is_none() {
        return Step::Stuck("nothing is believed yet; write down the state first, or choose another method (M)".into());
    }
    if !cx.model.language {
        return reference(cx);
    }
    let temperature = if cx.samples.is_some() { cx.temperature(policy.purpose(), None) } else { 0.0 };
    match prompt(cx, policy, &request) {
        Ok(prompt) => Step::ask(cx.ask(AskKind::PROGRAM, prompt, cx.samples.unwrap_or(1), temperature)),
        Err(why) => Step::Error(why),
    }
}

/// The recommendation among the round's offers, if something was asked for.
fn recommended(round: Round<'_>) -> Option<Step> {
    let calls = round.has_asked(&AskKind::PROGRAM_CALL);
    let found = round.proposals().find(|p| p.action.is_some()).map(|p| p.id);
    let why = match found {
        Some(_) if calls => "the program's next call",
        Some(_) => "the program for the request",
        None if calls => "the program's next call cannot be made",
        None if round.has_asked(&AskKind::PROGRAM) => "the answer holds no program",
        None => return None,
    };
    let problem = round.turn.proposals.iter().rev().find_map(|p| p.problem.clone());
    let problem = problem.filter(|_| found.is_none()).map(|p| format!(": {p}")).unwrap_or_default();
    Some(Step::Recommend { proposal: found, why: format!("{why}{problem}") })
}

/// The reference program of the request, as the task's file gives it.
fn reference(cx: &Context<'_>) -> Step {
    let program = match cx.reference() {
        Some(Ok(program)) => program.to_owned(),
        Some(Err(why)) => return Step::Error(why),
        None => {
            let why = "no answers are written down for the tasks of this world; choose a language model (M)";
            return Step::Stuck(why.to_owned());
        }
    };
    let rationale = Some("the reference program of the task's file; no language model".to_owned());
    let draft = Draft { rationale, ..draft(cx, program.clone(), Ok(program), Origin::Reference) };
    Step::Offer { ask: cx.own(AskKind::PROGRAM, REFERENCE, 1, Value::Null), drafts: vec![draft], note: None }
}

fn prompt(cx: &Context<'_>, policy: CodePolicy, request: &Request) -> Result<PromptRecord, String> {
    let is_task = request.kind == TASK;
    let asked = Asked {
        requests: cx.world.requests().ok_or("the world makes no requests")?,
        query: if is_task { &cx.session.header.sentence } else { &request.query },
        seen: cx.node().filter(|_| is_task).map_or("", |node| node.outcome.observation.as_str()),
        history: exchanges(cx, policy),
        refused: refused(cx),
    };
    program_prompt(cx, policy, &asked)
}

/// The requests closed on the path to the cursor, with what was decided for each and believed after it.
fn exchanges(cx: &Context<'_>, policy: CodePolicy) -> Vec<AnsweredRequest> {
    let path = cx.path();
    let done = cx.closing();
    let (mut all, mut code, mut raw): (Vec<AnsweredRequest>, Vec<&str>, _) = (Vec::new(), Vec::new(), None);
    for pair in path.windows(2) {
        let [from, to] = pair else { continue };
        let Some(action) = &to.action else { continue };
        let offered = decided(from, to).and_then(|d| {
            let kind = kind_of(&from.turn, source(&from.turn, d)?)?;
            let decided = from.turn.proposal(d.proposal())?;
            Some((kind, decided.action.as_ref()?.text.as_str(), stripped(&decided.raw)))
        });
        match offered {
            Some((&AskKind::PROGRAM, text, answer)) => (code, raw) = (vec![text], Some(answer)),
            // It is a part of the program.
            Some((&AskKind::PROGRAM_CALL, ..)) => {}
            _ => code.extend(action.text.lines().filter(|line| line.trim() != done)),
        }
        if closes(&action.text, done)
            && let Some(request) = cx.past.requests.get(&from.id)
        {
            let code = std::mem::take(&mut code).join("\n");
            let mut request = AnsweredRequest::new(&request.query, &code, to.belief().map(AsRef::as_ref));
            request.answer = match raw.take().filter(|_| is_verbatim(cx)) {
                Some(answer) => answer.to_owned(),
                None if policy.believes() => format!("{}\n{}", request.code, request.state),
                None => request.plain.clone(),
            };
            all.push(request);
        }
    }
    all
}

fn refused(cx: &Context<'_>) -> Vec<Refused> {
    let Some(turn) = cx.node().map(|n| &n.turn) else { return Vec::new() };
    let refused = turn.rejected().filter_map(|(proposal, reason)| {
        let code = proposal.action.as_ref()?.text.lines().collect::<Vec<_>>().join("; ");
        Some(Refused { code, reason: reason.to_owned() })
    });
    refused.collect()
}

pub(super) fn read(cx: &Context<'_>, policy: CodePolicy, completion: &Completion, greedy: bool) -> Draft {
    let raw = completion.text.clone();
    let answering = cx.world.requests().map_or("", |requests| requests.answering());
    let (text, thoughts) = match policy.form {
        Form::Program => {
            let Answer { mut code, mut thoughts, .. } = read_program(&raw);
            if is_verbatim(cx) {
                let together = matches!(policy.memory, Memory::Together { .. });
                let whole = if together { parted(&raw).0 } else { stripped(&raw) };
                // What was done for requests that the model made up was not judged, so it is not carried out.
                whole.split(NEXT_QUERY).next().unwrap_or_default().clone_into(&mut code);
            }
            let empty = code.lines().all(|l| l.trim().is_empty() || l.trim_start().starts_with('#'));
            if empty {
                // A program without a line does nothing, and the request is answered by that.
                thoughts.push("the answer holds no line of code: nothing is done".to_owned());
            }
            (Ok(if empty { NOTHING.to_owned() } else { code }), thoughts)
        }
        Form::Cups => {
            let list =
                read_list(&raw).ok_or_else(|| "the answer holds no list such as [False, True, False]".to_owned());
            (list.map(|cups| format!("{answering}(\"{}\")", list_of(&cups))), Vec::new())
        }
    };
    let origin = if greedy { Origin::Greedy } else { Origin::Sample };
    let logprob = completion.mean_logprob();
    let rationale = (!thoughts.is_empty()).then(|| thoughts.join("; "));
    Draft { logprob, rationale, ..draft(cx, raw, text, origin) }
}

fn draft(cx: &Context<'_>, raw: String, text: Result<String, String>, origin: Origin) -> Draft {
    let (action, problem) = match text {
        Ok(text) => (Some(cx.answer(&text)), None),
        Err(problem) => (None, Some(problem)),
    };
    Draft { action, problem, ..Draft::new(raw, origin) }
}

pub(super) fn verdict(cx: &Context<'_>, action: &Action) -> Verdict {
    let check = |kind: CheckKind, condition: &str, status: Status, detail: Option<String>| {
        let condition = condition.to_owned();
        Check { kind, condition, status, detail }
    };
    let Some(outcome) = cx.world.preview_of(action).filter(|outcome| outcome.error.is_none()) else {
        // It may be taken all the same and makes no call then, as recorded evaluations count it.
        let fault = SyntaxFault::of_program(&action.text).map(|fault| fault.to_string());
        let checks = fault.map(|fault| check(CheckKind::Form, "it is a program", Status::Fails, Some(fault)));
        return Verdict { checks: checks.into_iter().collect(), ..Verdict::default() };
    };
    let checks = vec![check(CheckKind::World, "every line is a call of this world", Status::Holds, None)];
    Verdict { checks, preview: Some(outcome.observation), ..Verdict::default() }
}
