//! Details of a proposal, as rows: spellings, checks, effect, preview; the asks under way; the decisions taken.

use super::row::Listed;
use crate::actions::ActionId;
use crate::panes::offer;
use crate::panes::program::highlight;
use crate::theme::{Role, Theme};
use crate::view::{View, Withdrawal};
use crate::widgets::draw::{Row, run};
use crate::widgets::{words, wrap};
use stepwright_episode::{
    Actor, Check, CheckKind, Choice, Decision, Mark, Origin, Proposal, Session, Status, Turn, Verdict, blind,
};
use stepwright_world::answer::is_refusal;

const EFFECTS: usize = 40;
/// Lines of a stream that are shown: its end is what is new.
const STREAM: usize = 4;

/// `listed`: what its row says of it already.
pub fn rows(view: &View, turn: &Turn, proposal: &Proposal, listed: Listed, theme: &Theme, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    match &proposal.action {
        Some(action) if action.text.contains('\n') => {
            let lines = words::count(action.text.lines().count(), "line");
            let what = if proposal.origin == Origin::Relayed { "answer" } else { "program" };
            rows.push(vec![run(Role::Title, format!("{what}, {lines}"))]);
            let mut pass = highlight::Lines::start();
            for line in action.text.lines() {
                let mut row = vec![run(Role::Text, "  ")];
                row.extend(pass.as_mut().map_or_else(|| vec![run(Role::Text, line)], |pass| pass.next(line)));
                rows.push(row);
            }
        }
        Some(action) => {
            if !listed.action {
                rows.extend(words::labelled("action   ", Role::Title, &action.text, width));
            }
            match &action.call {
                // In dialogues an act is its own call.
                Some(call) if *call == action.text => {}
                Some(call) => rows.extend(words::labelled("call     ", Role::Text, call, width)),
                None => rows.push(vec![run(Role::Dim, "call     none: the action has no program line")]),
            }
            let written = proposal.numbered();
            if written != action.text && Some(written.as_str()) != action.call.as_deref() {
                rows.extend(words::labelled("written  ", Role::Dim, &written, width));
            }
        }
        None => {
            rows.extend(words::labelled("written  ", Role::Text, &proposal.numbered(), width));
            let (label, why) = (format!("{} no action: ", theme.glyphs.no), proposal.why_no_action());
            rows.extend(words::labelled(&label, Role::Bad, why, width));
        }
    }
    let origin = super::outcome::origins(view, proposal);
    let mut facts = format!("origin   {}", crate::sanitize::line(&origin));
    if let Some(score) = proposal.score_in_words() {
        facts.push_str(&format!(", {score}"));
    }
    if let Some(logprob) = proposal.logprob {
        facts.push_str(&format!(", mean log-probability {logprob:.3}"));
    }
    // The model in use stands in the title, and its score in the row.
    if !listed.score || view.session.as_ref().is_none_or(|session| session.model != origin) {
        rows.push(vec![run(Role::Dim, facts)]);
    }
    if let Some(why) = &proposal.rationale {
        rows.extend(words::labelled("because  ", Role::Text, why, width));
    }
    if let Some((Some(_), why)) = &turn.recommended
        && view.is_recommended(proposal.id)
    {
        // The first of several actions, of which everything holds, needs no reason.
        let is_action = |row| view.offered_at(row).is_some_and(|other| other.action.is_some());
        let is_first = view.offered_row(proposal.id) == Some(0) && (1..view.offered_len()).any(is_action);
        let holds = |verdict: &Verdict| {
            verdict.own() == Mark::Holds && matches!(verdict.world(), Mark::Holds | Mark::NotChecked)
        };
        if !is_first || !turn.verdict(proposal.id).is_some_and(holds) {
            let label = format!("{} recommended: ", theme.glyphs.star);
            rows.extend(words::labelled(&label, Role::Accent, why, width));
        }
    }
    if let Some((step, reason)) = view.refused_before(proposal).filter(|_| turn.rejection(proposal.id).is_none()) {
        let why = if reason.is_empty() { "no reason given" } else { reason };
        let again = if view.is_recommended(proposal.id) { "; the method recommends it all the same" } else { "" };
        let label = format!("{} refused at step {step}: ", theme.glyphs.no);
        rows.extend(words::labelled(&label, Role::Warn, &format!("{why}{again}"), width));
    }
    let authors = view.authors(proposal.id);
    let times: usize = authors.iter().map(|(_, times)| times).sum();
    let own = view.session.as_ref().map_or("", |session| session.model.as_str());
    let by = words::authors(&authors);
    let by_others = authors.iter().any(|(model, _)| !model.is_empty() && *model != own);
    let text = match (times, by.as_str()) {
        (..=1, by) => by_others.then(|| format!("by {by}")),
        (_, "") => Some(format!("{times} times; the first is shown")),
        (_, by) => Some(format!("{times} times, by {by}; the first is shown")),
    };
    if let Some(text) = text {
        rows.extend(words::labelled("written  ", Role::Dim, &text, width));
    }
    if let Some(reason) = turn.rejection(proposal.id) {
        let reason = if reason.is_empty() { "no reason given" } else { reason };
        rows.extend(words::labelled(&format!("{} rejected: ", theme.glyphs.no), Role::Bad, reason, width));
    }
    if view.node().is_some_and(|node| node.is_replaced(proposal)) && !view.was_taken(proposal) {
        let label = format!("{} replaced: ", theme.glyphs.dot);
        rows.extend(words::labelled(&label, Role::Warn, super::REPLACED, width));
    }
    let withdrawn = view.withdrawal(proposal).map(|withdrawal| match withdrawal {
        Withdrawal::Pruned => {
            ("pruned", "a person took it out of the candidates; put back in Blocking, it can be taken")
        }
        Withdrawal::Gone => ("gone", "it is no longer in the blocking tree; added there again, it is offered again"),
    });
    if let Some((label, words)) = withdrawn {
        rows.extend(words::labelled(&format!("{} {label}: ", theme.glyphs.dot), Role::Warn, words, width));
    }
    match turn.verdict(proposal.id) {
        _ if proposal.action.as_ref().is_some_and(is_refusal) => {
            let what = "an error in place of an answer: the program is told of it";
            rows.extend(words::labelled(&format!("checks   {} ", theme.glyphs.unchecked), Role::Dim, what, width));
        }
        Some(verdict) => {
            let lines = proposal.action.as_ref().map_or(0, |action| action.text.lines().count());
            rows.extend(verdict_rows(verdict, lines > 1, theme, width));
            if view.hides_future() {
                let key = view.key(ActionId::Blind);
                let text = format!("The preview is hidden until you decide; {key} shows it.");
                rows.extend(words::labelled("", Role::Dim, &text, width));
            }
        }
        None if proposal.action.is_some() => {
            rows.push(vec![run(Role::Dim, format!("checks   {} not checked yet", theme.glyphs.unchecked))]);
        }
        None => {}
    }
    rows
}

/// What was checked of an action, or of a program of several.
fn verdict_rows(verdict: &Verdict, is_program: bool, theme: &Theme, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let mark = verdict.own();
    let (glyph, role) = words::mark(&theme.glyphs, mark);
    let own = || verdict.checks.iter().filter(|check| check.kind != CheckKind::World);
    let summary = match (mark, own().count()) {
        (Mark::NotChecked, _) if is_program => {
            format!("{glyph} not checked as a whole: each call is, when it is made")
        }
        (Mark::NotChecked, _) => format!("{glyph} not checked: no precondition is in force for this action"),
        (Mark::Blocked, _) => {
            format!("{glyph} blocked: choosing it would execute nothing")
        }
        // What is the only one is said at once.
        (Mark::Holds, 1) => own().map(|check| format!("{glyph} {}", check.said())).collect(),
        (Mark::Holds, n) => format!("{glyph} all {n} checks hold"),
        (_, 1) => format!("{glyph} of 1 check: {}", mark.word()),
        (_, n) => {
            let such = |check: &&Check| check.kind != CheckKind::Blocking && Mark::from(check.status) == mark;
            let such = own().filter(such).count();
            let word = if mark == Mark::Fails && such > 1 { "fail" } else { mark.word() };
            format!("{glyph} {such} of {n} checks {word}")
        }
    };
    let mut lines = words::labelled("checks   ", role, &summary, width);
    if let Some(lead) = lines.first_mut().and_then(|line| line.first_mut()) {
        lead.role = role;
    }
    rows.extend(lines);
    let world = verdict.checks.iter().filter(|check| check.kind == CheckKind::World);
    let is_said = mark == Mark::Holds && own().count() == 1;
    for check in own().chain(world) {
        let (glyph, role) = words::mark(&theme.glyphs, check.status.into());
        // What is blocked has something before it, and is not wrong.
        let role = if check.kind == CheckKind::Blocking && role == Role::Bad { Role::Warn } else { role };
        let is_said = is_said && check.kind != CheckKind::World;
        let is_world = check.kind == CheckKind::World;
        let lead = if is_world { format!("world    {glyph} ") } else { format!("  {glyph} ") };
        // That it would accept it needs no words beside what it would say.
        let preview = verdict.preview.as_deref().filter(|_| is_world && check.status == Status::Holds);
        let lines = words::labelled(&lead, Role::Text, preview.unwrap_or(check.said()), width);
        rows.extend(lines.into_iter().enumerate().filter(|_| !is_said).map(|(i, mut line)| {
            if i == 0
                && let Some(lead) = line.first_mut()
            {
                lead.role = role;
            }
            line
        }));
        if let Some(detail) = &check.detail {
            // Where it holds, its value is known: what it was decided on is left.
            let holds = Some(detail.as_str()).filter(|_| check.status == Status::Holds);
            let values = holds.and_then(|detail| detail.strip_prefix(check.said())?.strip_prefix(" = True; "));
            let role = if role == Role::Good { Role::Dim } else { role };
            rows.extend(words::labelled("      ", role, values.unwrap_or(detail), width));
        }
    }
    if let Some(effect) = &verdict.effect {
        let ops = words::patch(&effect.value(), EFFECTS);
        if ops.is_empty() {
            rows.push(vec![run(Role::Dim, "effect   none on the program's variables")]);
        } else {
            rows.push(vec![run(Role::Title, "effect")]);
            rows.extend(ops.into_iter().map(|mut op| {
                op.insert(0, run(Role::Text, "  "));
                op
            }));
        }
    }
    let holds = |check: &Check| check.kind == CheckKind::World && check.status == Status::Holds;
    if let Some(preview) = verdict.preview.as_ref().filter(|_| !verdict.checks.iter().any(holds)) {
        rows.push(vec![run(Role::Title, "preview")]);
        rows.extend(words::labelled("  ", Role::Text, preview, width));
    }
    rows
}

/// Most decisions of a node that are listed, of those that take a step and of those that refuse one.
const DECISIONS: usize = 100;
/// An ask that is under way is among so many newest ones.
const UNDER_WAY: usize = 64;

/// The asks for the next action under way at this node, with the end of what has arrived. What is asked beside the episode
/// belongs to the panes that asked.
pub fn asking(view: &View, turn: &Turn, theme: &Theme, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let newest = turn.asks.get(turn.asks.len().saturating_sub(UNDER_WAY)..).unwrap_or_default();
    for ask in newest.iter().filter(|a| !a.kind.is_background() && a.state == stepwright_episode::AskState::Pending) {
        let streams = view.streams.get(&ask.id);
        let live = streams.is_some() || view.retrying.as_ref().is_some_and(|(id, _)| *id == ask.id);
        rows.push(vec![run(Role::Accent, format!("{} {}: {}", theme.glyphs.arrow, ask.model, ask.purpose()))]);
        if let Some((id, why)) = &view.retrying
            && *id == ask.id
        {
            rows.extend(words::labelled("  retry: ", Role::Warn, why, width));
        }
        if !live {
            rows.push(vec![run(Role::Dim, "  no answer yet")]);
        }
        for text in streams.into_iter().flatten().map(|(_, text)| text) {
            let lines = wrap::wrapped(tail(text), width.saturating_sub(2).max(1));
            let first = lines.len().saturating_sub(STREAM);
            rows.extend(lines.iter().skip(first).map(|l| vec![run(Role::Text, format!("  {l}"))]));
        }
    }
    rows
}

/// The end of a stream, so that wrapping it does not grow with it.
fn tail(text: &str) -> &str {
    const MOST: usize = 2_000;
    let mut from = text.len().saturating_sub(MOST);
    while !text.is_char_boundary(from) {
        from += 1;
    }
    text.get(from..).unwrap_or(text)
}

fn said(turn: &Turn, decision: &Decision) -> String {
    let who = if decision.by == Actor::Person { "a person" } else { "the policy" };
    let what = words::one_line(turn.proposal(decision.proposal()).map_or("?", super::outcome::surface));
    let words = match &decision.choice {
        Choice::Approve { .. } => format!("{who} approved {what}"),
        Choice::Edit { .. } => format!("{who} edited, and took {what}"),
        Choice::Manual { .. } => format!("{who} typed {what}"),
        Choice::Reject { reason, .. } if reason.is_empty() => format!("{who} rejected {what}"),
        Choice::Reject { reason, .. } => format!("{who} rejected {what}: {reason}"),
    };
    let why = if decision.why.is_empty() { String::new() } else { format!(" ({})", decision.why) };
    format!("{words}{why}")
}

/// A row that says how many decisions are left out.
fn more(count: usize, what: &str) -> Option<Row> {
    let left_out =
        || vec![run(Role::Dim, format!("decided  {} before these; all are in the log", words::count(count, what)))];
    (count > 0).then(left_out)
}

/// The decisions that were taken from this node, the one whose branch is followed first: what a reader of a decided turn looks for.
pub fn taken(turn: &Turn, followed: Option<u64>, width: usize) -> Vec<Row> {
    let (last, all) = turn.last_decisions(true, DECISIONS);
    let followed = followed.and_then(|id| turn.decision(id)).or_else(|| last.first().copied());
    let Some(followed) = followed else { return Vec::new() };
    let others = last.into_iter().filter(|d| d.id != followed.id);
    let mut rows = words::labelled("decided  ", Role::Accent, &said(turn, followed), width);
    let mut shown = 1;
    for decision in others {
        let label = if decision.id < followed.id { "before   " } else { "later    " };
        rows.extend(words::labelled(label, Role::Dim, &said(turn, decision), width));
        shown += 1;
    }
    rows.extend(more(all - shown, "step"));
    rows
}

pub fn last(session: &Session, theme: &Theme, width: usize) -> Vec<Row> {
    let Some(node) = session.current() else { return Vec::new() };
    let mut rows = Vec::new();
    let parent = node.parent.and_then(|parent| session.node(parent));
    if let Some((turn, decision)) = parent.map(|p| &p.turn).zip(session.decision_at(node.id)) {
        rows.extend(words::labelled("last     ", Role::Accent, &said(turn, decision), width));
        let proposal = turn.proposal(decision.proposal());
        if let Some(why) = proposal.and_then(|p| p.rationale.as_ref()) {
            rows.extend(words::labelled("because  ", Role::Text, why, width));
        }
        if let Some(verdict) = turn.verdict(decision.proposal()) {
            rows.extend(verdict_rows(verdict, false, theme, width));
        }
    }
    rows.extend(notes(&node.turn, width));
    rows
}

fn notes(turn: &Turn, width: usize) -> Vec<Row> {
    turn.notes.iter().flat_map(|note| words::labelled("note     ", Role::Accent, note, width)).collect()
}

/// The proposals refused at this node, what was decided about documents, and the remarks.
pub fn decisions(turn: &Turn, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let (newest, all) = turn.last_decisions(false, DECISIONS);
    rows.extend(more(all - newest.len(), "refusal"));
    for decision in newest {
        rows.extend(words::labelled("decided  ", Role::Dim, &said(turn, decision), width));
    }
    if let Some((None, why)) = &turn.recommended {
        rows.extend(match why == blind::HIDDEN {
            true => words::labelled("what is recommended: ", Role::Dim, why, width),
            false => words::labelled("nothing is recommended: ", Role::Warn, why, width),
        });
    }
    rows.extend(offer::decided(turn, width));
    rows.extend(notes(turn, width));
    rows
}
