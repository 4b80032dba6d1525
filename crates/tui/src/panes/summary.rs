//! Summary of a record on one line, for the log.

use crate::theme::Role;
use crate::widgets::words;
use stepwright_episode::duel::Side;
use stepwright_episode::showing::Listed;
use stepwright_episode::{
    Actor, BranchEdit, Check, Choice, Event, NodeId, Policy, ProposalId, Record, Session, Usage, blind,
};
use stepwright_method::Methods;

/// The record's kind in a word or two, and its role.
pub fn kind(event: &Event, methods: &Methods) -> (&'static str, Role) {
    match event {
        Event::Started { .. } => ("started", Role::Title),
        Event::Asked { .. } => ("asked", Role::Dim),
        Event::Exchanged { .. } => ("exchanged", Role::Dim),
        Event::Answered { .. } => ("answered", Role::Dim),
        Event::AskFailed { .. } => ("ask failed", Role::Bad),
        Event::Proposed { .. } => ("proposed", Role::Text),
        Event::Checked { .. } => ("checked", Role::Text),
        Event::Recommended { .. } => ("recommended", Role::Accent),
        Event::Dueled { .. } => ("duel", Role::Accent),
        Event::Decided { .. } => ("decided", Role::Accent),
        Event::Executed { .. } => ("executed", Role::Title),
        Event::Moved { .. } => ("moved", Role::Warn),
        Event::PolicySet { .. } => ("policy", Role::Warn),
        Event::Configured(_) => ("configured", Role::Warn),
        Event::ArtifactOffered { .. } => ("offered", Role::Text),
        Event::ArtifactSettled { artifact, offer, by, .. } => {
            let (showing, typed) = (methods.showing(&artifact.kind), offer.is_none() && *by == Actor::Person);
            let role = match showing.listed {
                Listed::Learned | Listed::InForce => Role::Good,
                Listed::Changes if typed => Role::Warn,
                Listed::Changes => Role::Accent,
            };
            ((showing.word)(typed), role)
        }
        Event::ArtifactRefused { .. } => ("refused", Role::Warn),
        Event::ArtifactReopened { .. } | Event::ArtifactUndone { .. } => ("undone", Role::Warn),
        Event::BreakpointsSet { .. } => ("breakpoints", Role::Warn),
        Event::BranchEdited { .. } => ("branch", Role::Warn),
        Event::BlindSet { .. } => ("blind", Role::Warn),
        Event::Noted { .. } | Event::NoteEdited { .. } => ("note", Role::Text),
        Event::Failed { .. } => ("failed", Role::Bad),
    }
}

/// A node as a person knows it: by the number of steps that lead there.
pub fn step(node: NodeId, session: Option<&Session>) -> String {
    let number = session.and_then(|s| s.node(node)).map(|node| node.steps);
    number.map_or_else(|| "another step".to_owned(), |number| format!("step {number}"))
}

/// A proposal as a person knows it: by its action.
fn named(record: &Record, id: ProposalId, session: Option<&Session>) -> String {
    let proposal = session.and_then(|s| s.node(record.node)).and_then(|node| node.turn.proposal(id));
    match proposal.map(|p| p.action.as_ref().map_or(p.raw.trim(), |a| a.text.as_str())) {
        Some(text) => format!("`{}`", words::one_line(text)),
        None => "a proposal".to_owned(),
    }
}

/// What an ask spent, behind how it ended.
fn tokens(usage: Option<Usage>) -> String {
    usage.map(|u| format!(", {} + {} tokens", u.prompt, u.completion)).unwrap_or_default()
}

pub fn summary(record: &Record, session: Option<&Session>, methods: &Methods) -> String {
    let of = |id: ProposalId| named(record, id, session);
    match &record.event {
        Event::Started { outcome } => outcome.observation.trim().to_owned(),
        Event::Asked { ask, kind, model, n, temperature, .. } => {
            let how = if *temperature == 0.0 { "greedy".to_owned() } else { format!("at temperature {temperature}") };
            format!("ask {ask} of {model}: {kind}, {} {how}", words::count(*n as usize, "completion"))
        }
        Event::Exchanged { ask, exchange } => {
            let served = if exchange.served.is_empty() { "a model" } else { &exchange.served };
            let ends: Vec<&str> =
                exchange.completions.iter().map(|c| c.finish.as_str()).filter(|f| !f.is_empty()).collect();
            let ends = if ends.is_empty() { String::new() } else { format!(", ended by {}", ends.join(", ")) };
            format!("ask {ask}: {served} at {}{ends}", exchange.endpoint)
        }
        Event::Answered { ask, texts, usage, ms } => {
            let tokens = tokens(*usage);
            let time = words::duration(*ms);
            format!("ask {ask}: {} in {time}{tokens}", words::count(texts.len(), "completion"))
        }
        // Of an answer that came after its ask was cancelled: the ask's own row is above.
        Event::AskFailed { ask, cancelled: true, usage, partial, .. } if usage.is_some() || !partial.is_empty() => {
            let kept = if partial.is_empty() { "what it spent is counted" } else { "what had come of it is kept" };
            format!("ask {ask} was cancelled: {kept}{}", tokens(*usage))
        }
        Event::AskFailed { ask, error, cancelled, usage, .. } => {
            let how = if *cancelled { "cancelled" } else { "failed" };
            format!("ask {ask} {how}{}: {error}", tokens(*usage))
        }
        Event::Proposed { proposal } => {
            let text = proposal.action.as_ref().map_or(proposal.raw.trim(), |a| a.text.as_str());
            let problem = proposal.problem.as_ref().map(|_| format!(" (no action: {})", proposal.why_no_action()));
            let problem = problem.unwrap_or_default();
            format!("{}: {}{problem}", words::origin(proposal, None), words::one_line(text))
        }
        Event::Checked { proposal, verdict } => {
            let failing: Vec<&str> = verdict.failing().map(Check::said).collect();
            let mark = verdict.mark().word();
            match failing.as_slice() {
                [] => format!("{}: {mark}", of(*proposal)),
                _ => format!("{}: {mark}: {}", of(*proposal), failing.join("; ")),
            }
        }
        Event::Recommended { proposal: Some(id), why } => format!("{}: {why}", of(*id)),
        Event::Recommended { proposal: None, why } if why == blind::HIDDEN => why.clone(),
        Event::Recommended { proposal: None, why } => format!("none: {why}"),
        Event::Dueled { sides } => {
            let would = |side: &Side| format!("{} {}", side.name, side.proposal.map_or("nothing".to_owned(), of));
            let sides: Vec<String> = sides.iter().map(would).collect();
            sides.join(", ")
        }
        Event::Decided { decision } => {
            let what = of(decision.proposal());
            let words = match &decision.choice {
                Choice::Approve { .. } => format!("approved {what}"),
                Choice::Edit { from, .. } => format!("edited {} into {what}", of(*from)),
                Choice::Manual { .. } => format!("typed {what}"),
                Choice::Reject { reason, .. } if reason.is_empty() => format!("rejected {what}"),
                Choice::Reject { reason, .. } => format!("rejected {what}: {reason}"),
            };
            let by = words::actor(decision.by);
            let why = if decision.why.is_empty() { String::new() } else { format!(" ({})", decision.why) };
            format!("{by} {words}{why}")
        }
        Event::Executed { child, action, outcome, .. } => {
            let refused = outcome.error.as_ref().map(|e| format!(" refused: {e}")).unwrap_or_default();
            let blocked = outcome.blocked.as_ref().map(|c| format!(" not executed, blocked: {c}")).unwrap_or_default();
            let over = match (outcome.done, outcome.won) {
                (_, true) => ", the goal is reached",
                (true, false) => ", the episode is over",
                _ => "",
            };
            let drift = match outcome.departures.len() {
                0 => String::new(),
                n => format!(", {} did not follow", words::count(n, "adopted effect")),
            };
            format!("{}{refused}{blocked}{drift}, to {}{over}", words::one_line(&action.text), step(*child, session))
        }
        Event::Moved { to } => format!("to {}", step(*to, session)),
        Event::PolicySet { policy, why } => {
            let what = match policy.steps {
                0 => "a person decides every step".to_owned(),
                Policy::TO_THE_END => "to the end without asking".to_owned(),
                steps => format!("up to {} without asking", words::count(steps as usize, "step")),
            };
            if why.is_empty() { what } else { format!("{what} ({why})") }
        }
        Event::Configured(now) => {
            let options = now.options.iter().map(|(key, value)| format!(", {key} {value}"));
            format!("model {}, method {}{}", now.model, now.method, options.collect::<String>())
        }
        Event::ArtifactOffered { offer, written, .. } => {
            let how = match (&written.problem, written.repairs.len()) {
                (Some(problem), _) => format!(" (cannot be read: {problem})"),
                (None, 0) => String::new(),
                (None, n) => format!(" ({} made)", words::count(n, "repair")),
            };
            format!("new {} {offer} after `{}`{how}", written.artifact.kind, written.title.trim())
        }
        Event::ArtifactSettled { artifact, offer, patch, by, edited, why } => {
            (methods.showing(&artifact.kind).patch)(artifact, patch, *by).unwrap_or_else(|| {
                let changes = words::count(patch.as_array().map_or(0, Vec::len), "change");
                let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
                let edited = if *edited { ", edited" } else { "" };
                let (who, kind) = (words::actor(*by), &artifact.kind);
                match offer {
                    Some(offer) if record.event.takes_unasked() => {
                        format!("new {kind} {offer} taken as written, {changes}")
                    }
                    Some(offer) => format!("{who} took new {kind} {offer}{edited}, {changes}{why}"),
                    None => format!("{who}: {changes}{why}"),
                }
            })
        }
        Event::ArtifactRefused { offer, by, why } => {
            let why = if why.is_empty() { String::new() } else { format!(": {why}") };
            format!("{} refused offer {offer}{why}", words::actor(*by))
        }
        Event::ArtifactReopened { offer } => format!("the refusal of offer {offer} taken back"),
        Event::ArtifactUndone { artifact } => format!("the last change of the {artifact} taken back"),
        Event::BreakpointsSet { breakpoints } if breakpoints.is_empty() => "none".to_owned(),
        Event::BreakpointsSet { breakpoints } => {
            breakpoints.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
        }
        Event::BranchEdited { branch, edit } => match edit {
            BranchEdit::Name { name } if name.is_empty() => format!("the branch at node {branch} has no name any more"),
            BranchEdit::Name { name } => format!("the branch at node {branch} is named {name}"),
            BranchEdit::Hide { hidden: true } => format!("the branch at node {branch} is hidden"),
            BranchEdit::Hide { hidden: false } => format!("the branch at node {branch} is shown again"),
            BranchEdit::Delete { deleted: true } => format!("the branch at node {branch} is deleted"),
            BranchEdit::Delete { deleted: false } => format!("the branch at node {branch} is back"),
        },
        Event::BlindSet { blind: true } => "what tells the future is hidden before a decision".to_owned(),
        Event::BlindSet { blind: false } => "what tells the future is shown again".to_owned(),
        Event::NoteEdited { text, .. } if text.is_empty() => "a remark was taken out".to_owned(),
        Event::NoteEdited { text, .. } => format!("changed to: {text}"),
        Event::Noted { text } => text.clone(),
        Event::Failed { error, .. } => error.clone(),
    }
}
