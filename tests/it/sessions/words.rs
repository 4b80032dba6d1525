//! Records and notices in words, one line each.

use std::collections::BTreeSet;

use serde_json::{Value, json};
use stepwright::driver::{Level, Notice};
use stepwright::episode::{Actor, ArtifactKind, AskId, Check, Choice, Event, Proposal, StepOutcome, Verdict};
use stepwright::precondition::{Candidate, Pool, Validity};

fn one_line(text: &str) -> String {
    let text = text.trim().replace('\n', "⏎").replace('\t', "⇥");
    // The number of a process.
    let Some((before, after)) = text.split_once("I am ") else { return text };
    let rest = after.trim_start_matches(|c: char| c.is_ascii_digit());
    let number = if rest.len() < after.len() { "N" } else { "" };
    format!("{before}I am {number}{}", one_line(rest))
}

/// So much of a text as shows which it is.
fn short(text: &str) -> String {
    let text = one_line(text);
    match text.char_indices().nth(120) {
        Some((at, _)) => format!("{}… ({} characters)", &text[..at], text.chars().count()),
        None => text,
    }
}

pub fn is_brief(line: &str) -> bool {
    ["ask ", "offer ", "step ", "looked at ", "info", "warning", "error", "policy {\"steps\":0"]
        .iter()
        .any(|begins| line.starts_with(begins))
}

/// Proposals that hold, one behind the other, on one line.
pub fn merged<'a>(lines: impl Iterator<Item = &'a String>) -> Vec<String> {
    let mut out: Vec<String> = Vec::new();
    for line in lines {
        let number = line.strip_prefix("proposal ").and_then(|rest| rest.strip_suffix(" holds"));
        match (number, out.last_mut()) {
            (Some(number), Some(last)) if last.starts_with("these hold: ") => last.push_str(&format!(", {number}")),
            (Some(number), _) => out.push(format!("these hold: {number}")),
            (None, _) => out.push(line.clone()),
        }
    }
    out
}

/// A message, with its level.
pub fn of_said(level: Level, text: &str) -> String {
    let level = match level {
        Level::Info => "info",
        Level::Warning => "warning",
        Level::Error => "error",
    };
    format!("{level}: {text}")
}

/// What every session says, what it says only when it is waited for, and answers of no language model, which the proposals repeat, are
/// left out.
pub fn of_notice(notice: &Notice, built_in: &mut BTreeSet<AskId>) -> Option<String> {
    match notice {
        Notice::Recorded(record) => of_event(&record.event, built_in),
        Notice::Say { level, text } => Some(of_said(*level, &one_line(text))),
        Notice::TextChecked { verdict, .. } => Some(match verdict {
            Ok(verdict) => format!("would be: {}{}", of_verdict(verdict), some("; it previews ", &verdict.preview)),
            Err(why) => format!("would be nothing: {}", short(why)),
        }),
        Notice::ProgramChecked { lines, .. } => Some(format!("lines: {lines:?}")),
        Notice::FormChecked { verdict: Ok(verdict), .. } => Some(format!("passes: {}", one_line(verdict))),
        Notice::FormChecked { verdict: Err(wrong), .. } => Some(format!("does not pass: {}", one_line(wrong))),
        Notice::BeliefChecked { reading, .. } => Some(format!("reads: {}", reading.is_ok())),
        Notice::CandidateChecked { inspection, .. } => Some(match inspection {
            Ok(seen) => {
                let in_force = if seen.in_force { ", in force" } else { "" };
                format!("looked at {}{in_force}, excludes {}", of_candidate(&seen.candidate), seen.excluded)
            }
            Err(why) => format!("looked at nothing: {why}"),
        }),
        Notice::SetsCompared { comparison, .. } => {
            let mut out = format!("{} beside {}", comparison.left, comparison.right);
            for action in &comparison.actions {
                let side = |text: &Option<String>| text.clone().unwrap_or_else(|| "nothing".to_owned());
                let rows: Vec<String> =
                    action.rows.iter().map(|row| format!("{} | {}", side(&row.left), side(&row.right))).collect();
                out.push_str(&format!("; {}: {}", action.action, rows.join(", ")));
            }
            Some(out)
        }
        Notice::Blocking { proposal, tree } => {
            let rows: Vec<&str> = tree.nodes.iter().map(|node| node.text.as_str()).collect();
            Some(format!("why {proposal}: {}", short(&rows.join("; "))))
        }
        _ => None,
    }
}

/// The notice that was waited for, if it is not said anyhow.
pub fn of_awaited(notice: &Notice) -> Option<String> {
    match notice {
        Notice::Stream { ask, text, .. } => Some(format!("streams {ask}: {text:?}")),
        Notice::Progress { what, done, total } => Some(format!("progress {done} of {total}: {what}")),
        // Where a pool is still growing beside the asks that feed it, neither comes first.
        Notice::Pool(pool) if pool.running => None,
        Notice::Pool(pool) => Some(of_pool(pool)),
        Notice::World(status) => Some(format!("{status:?}")),
        _ => None,
    }
}

fn some(before: &str, text: &Option<impl AsRef<str>>) -> String {
    text.as_ref().map_or_else(String::new, |text| format!("{before}{}", short(text.as_ref())))
}

fn of_event(event: &Event, built_in: &mut BTreeSet<AskId>) -> Option<String> {
    Some(match event {
        Event::Started { .. } | Event::Exchanged { .. } => return None,
        Event::ArtifactSettled { artifact, by: Actor::Policy, why, .. }
            if artifact.kind == ArtifactKind::Assertions && why.is_empty() =>
        {
            return None;
        }
        Event::Answered { ask, .. } if built_in.contains(ask) => return None,
        Event::Asked { ask, kind, model, prompt, n, temperature } => {
            if prompt.is_none() {
                built_in.insert(*ask);
            }
            if kind.is_line() {
                return None;
            }
            let left_out = prompt.as_ref().and_then(|prompt| prompt.left_out.clone());
            format!("ask {ask} of {model}: {kind}, {n} at {temperature}{}", some("; left out ", &left_out))
        }
        Event::Answered { ask, texts, .. } => {
            let texts: Vec<String> = texts.iter().map(|text| short(text)).collect();
            format!("answer {ask}: {}", texts.join(" | "))
        }
        // Whether text had come of an ask before it was cancelled is a matter of moments.
        Event::AskFailed { cancelled: true, partial, .. } if !partial.is_empty() => return None,
        Event::AskFailed { ask, error, cancelled, .. } => {
            format!("ask {ask} {}: {}", if *cancelled { "was cancelled" } else { "failed" }, short(error))
        }
        Event::Proposed { proposal } => of_proposal(proposal),
        Event::Checked { proposal, verdict } => format!("proposal {proposal} {}", of_verdict(verdict)),
        Event::Recommended { proposal, why } => {
            let what = proposal.map_or_else(|| "nothing".to_owned(), |id| format!("proposal {id}"));
            format!("recommended is {what}: {}", short(why))
        }
        Event::Decided { decision } => {
            let choice = match &decision.choice {
                Choice::Approve { proposal } => format!("takes {proposal}"),
                Choice::Edit { from, proposal } => format!("takes {proposal} in place of {from}"),
                Choice::Manual { proposal } => format!("types {proposal}"),
                Choice::Reject { proposal, reason } => format!("rejects {proposal}: {reason}"),
            };
            format!("{} {choice}{}", by(decision.by), if decision.why.is_empty() { "" } else { "; " }) + &decision.why
        }
        Event::Executed { child, action, outcome, .. } => {
            format!("step {child}: {} => {}", short(&action.text), of_outcome(outcome))
        }
        Event::Moved { to } => format!("now at {to}"),
        Event::PolicySet { policy, why } => format!("policy {}; {}", json!(policy), short(why)),
        Event::ArtifactOffered { offer, written, beside, .. } => {
            let value = written.value.as_ref().filter(|_| written.raw.is_empty()).map(|value| value.to_string());
            let problem = some("; problem: ", &written.problem);
            let repairs =
                if written.repairs.is_empty() { String::new() } else { format!("; {} repairs", written.repairs.len()) };
            let beside = if *beside { " beside" } else { "" };
            let raw = short(value.as_deref().unwrap_or(&written.raw));
            format!(
                "offer {offer}{beside}, {}, \"{}\": {raw}{repairs}{problem}",
                written.artifact,
                short(&written.title)
            )
        }
        Event::ArtifactSettled { artifact, offer, patch, by: actor, edited, why } => {
            let of = offer.map_or_else(String::new, |offer| format!(" of offer {offer}"));
            let edited = if *edited { ", edited" } else { "" };
            let why = if why.is_empty() { String::new() } else { format!("; {}", short(why)) };
            format!("{artifact} by {}{of}{edited}: {}{why}", by(*actor), short(&of_patch(patch)))
        }
        Event::ArtifactRefused { offer, by: actor, why } => format!("offer {offer} refused by {}: {why}", by(*actor)),
        Event::ArtifactReopened { offer } => format!("the refusal of offer {offer} taken back"),
        Event::ArtifactUndone { artifact } => format!("{artifact} taken back"),
        Event::Noted { text } => format!("note: {}", short(text)),
        Event::Failed { error, .. } => format!("failed: {}", short(error)),
        other => short(&json!(other).to_string()),
    })
}

fn by(actor: Actor) -> &'static str {
    match actor {
        Actor::Person => "a person",
        Actor::Policy => "the policy",
    }
}

fn of_patch(patch: &Value) -> String {
    let step = |step: &Value| {
        let path = step["path"].as_str().unwrap_or_default();
        let value = step.get("value").map_or_else(|| step["op"].to_string(), Value::to_string);
        format!("{path} {value}").trim_start().to_owned()
    };
    patch.as_array().map(|steps| steps.iter().map(step).collect::<Vec<_>>().join(", ")).unwrap_or_default()
}

fn of_proposal(proposal: &Proposal) -> String {
    let Proposal { id, action, problem, origin, logprob, rationale, .. } = proposal;
    let text = action.as_ref().map(|action| action.text.clone()).filter(|text| *text != proposal.numbered());
    let likely = logprob.map_or_else(String::new, |logprob| format!(", {logprob:.3}"));
    let words = short(&proposal.numbered());
    let (origin, text) = (format!("{origin:?}").to_lowercase(), some(" = ", &text));
    format!("proposal {id} ({origin}{likely}): {words}{text}{}{}", some("; ", rationale), some("; problem: ", problem))
}

fn of_verdict(verdict: &Verdict) -> String {
    let check = |check: &Check| format!("{} ({:?})", check.condition, check.kind).to_lowercase();
    let failing: Vec<String> = verdict.failing().map(check).collect();
    format!("{} {}", verdict.mark().word(), failing.join(", ")).trim().to_owned()
}

fn of_outcome(outcome: &StepOutcome) -> String {
    let StepOutcome { error, blocked, held, ended, departures, .. } = outcome;
    let mut out = short(&outcome.observation);
    for (what, text) in [("error", error), ("blocked", blocked), ("held", held), ("ended", ended)] {
        out.push_str(&some(&format!(" [{what}] "), text));
    }
    departures.iter().for_each(|of| out.push_str(&format!(" [drift] {}", of.effect)));
    if outcome.reward != 0.0 && !outcome.won {
        out.push_str(&format!(" [reward {}]", outcome.reward));
    }
    out + if outcome.won {
        " [won]"
    } else if outcome.done {
        " [done]"
    } else {
        ""
    }
}

fn of_candidate(candidate: &Candidate) -> String {
    let fate = match &candidate.fate {
        Validity::Valid => "valid".to_owned(),
        Validity::Fails { failing, .. } => format!("fails {failing} times"),
        Validity::Departs { message, exceptions, calls, .. } => format!("{exceptions} of {calls} depart: {message}"),
        Validity::Malformed { reason, message } => format!("malformed, {reason}: {message}"),
        Validity::Unknown { reason, .. } => format!("unknown, {reason}"),
    };
    let rejected = if candidate.rejected { ", rejected" } else { "" };
    let likely = candidate.logprob.map_or_else(String::new, |logprob| format!(", {logprob}"));
    let times = if candidate.times > 1 { format!(", {} times", candidate.times) } else { String::new() };
    let origin = format!("{:?}", candidate.origin).to_lowercase();
    format!("{} `{}` ({origin}{times}{likely}, {fate}{rejected})", candidate.id, candidate.text)
}

fn of_pool(pool: &Pool) -> String {
    let head = format!("pool of {}, {} calls", pool.action, pool.calls);
    pool.candidates.iter().map(of_candidate).fold(head, |out, candidate| format!("{out}\n  {candidate}"))
}
