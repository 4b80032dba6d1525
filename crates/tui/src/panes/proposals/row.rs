//! A row of the list: marks, the action, what became of it and why, where it came from.
//!
//! Where there is no room for all of it the action is the last to be cut but for what became of it: nobody decides about half a call, or
//! about what is decided.

use std::borrow::Cow;

use super::outcome::{Outcome, origins, outcome, surface};
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{self, Row, run};
use crate::widgets::words;
use stepwright_episode::{Mark, Proposal, Turn};
use stepwright_text::Columns;
use stepwright_world::answer::is_refusal;

/// From this width on a row has the scores.
pub(super) const SCORED: usize = 50;

/// From this width on a row says where a proposal came from.
const SOURCED: usize = 36;

/// Most columns of where a proposal came from.
const ORIGIN: usize = 20;

/// Columns of the marks before the action.
const LEAD: usize = 5;

/// A reason that is cut to fewer columns says nothing.
const REASON: usize = 12;

/// A proposal in one line, in two parts: the action, and what stands beside it. An answer to a program says something and calls tools; what
/// it does is its calls.
pub(crate) fn said(proposal: &Proposal) -> (Cow<'_, str>, Cow<'_, str>) {
    let parts = || {
        let action = proposal.action.as_ref()?;
        let call = action.call.as_deref()?;
        Some((action.text.strip_suffix(call)?.strip_suffix('\n')?.trim(), call))
    };
    match parts().filter(|(beside, _)| !beside.is_empty()) {
        Some((beside, call)) => (words::one_line(call), words::one_line(beside)),
        None => (words::one_line(surface(proposal)), Cow::Borrowed("")),
    }
}

/// What became of a proposal in few words, a person's reason, and why it is recommended against its marks, where it is.
fn became(view: &View, turn: &Turn, proposal: &Proposal, outcome: Outcome<'_>) -> (String, String, String) {
    let because = |reason: &str| if reason.is_empty() { String::new() } else { format!(": {reason}") };
    let (state, reason) = match outcome {
        Outcome::Rejected(reason) => (" rejected".to_owned(), because(reason)),
        Outcome::Taken => (" taken".to_owned(), String::new()),
        Outcome::Pruned => (" pruned".to_owned(), String::new()),
        Outcome::Gone => (" no longer in the tree".to_owned(), String::new()),
        Outcome::Replaced => (" of the plan before".to_owned(), String::new()),
        Outcome::Open => match view.refused_before(proposal) {
            Some((step, reason)) => (format!(" refused at step {step}"), because(reason)),
            None => (String::new(), String::new()),
        },
    };
    // A mark for it beside one against it is explained.
    let against = match &turn.recommended {
        Some((Some(_), why))
            if view.is_recommended(proposal.id) && matches!(turn.mark(proposal), Mark::Fails | Mark::Blocked) =>
        {
            format!(" ({why})")
        }
        _ => String::new(),
    };
    (state, reason, against)
}

/// A row's words: the action, what became of it and why, the facts at its end.
#[derive(Debug, Clone, PartialEq, Eq)]
struct Words {
    action: String,
    became: String,
    facts: String,
}

/// What of these has room in so many columns. The reason is left out first, then the facts, of which the second are the shorter ones. An
/// action that leaves no room for what became of it is cut: it leaves a third of the row, or what the state takes, as what was rejected
/// must not look like what is open. Of one that is recommended against its marks what became of it and why it is recommended have what the
/// action leaves.
fn fitting(
    action: &str,
    (state, reason, against): (&str, &str, &str),
    facts: [String; 2],
    columns: usize,
    ellipsis: &str,
) -> Words {
    let (whole, state_width) = (action.width(), state.width());
    let why = format!("{reason}{against}");
    if !against.is_empty() && whole + state_width + why.width() > columns {
        let explains = state.is_empty() || whole + state_width + REASON <= columns;
        let said = format!("{state}{}", if explains { against } else { "" });
        let room = columns.saturating_sub(whole).max(columns / 3).min(said.width());
        let action = sanitize::fit(action, columns.saturating_sub(room), ellipsis).into_owned();
        let became = sanitize::fit(&said, columns.saturating_sub(action.width()), ellipsis).into_owned();
        return Words { action, became, facts: String::new() };
    }
    let [full, short] = facts;
    if whole + state_width > columns {
        let facts = if columns / 3 >= full.width() { full } else { short };
        let left = columns.saturating_sub(facts.width());
        let room = (left / 3).max(state_width.min(left / 2));
        let explains = state.is_empty() || state_width + why.width().min(REASON) <= room;
        let said = format!("{state}{}", if explains { why.as_str() } else { "" });
        let became = sanitize::fit(&said, room, ellipsis).into_owned();
        let action = sanitize::fit(action, left.saturating_sub(became.width()), ellipsis).into_owned();
        return Words { action, became, facts };
    }
    let fits = |facts: &String| whole + state_width + facts.width() <= columns;
    let facts = [full, short].into_iter().find(fits).unwrap_or_default();
    let left = columns.saturating_sub(whole + facts.width());
    let room = left.saturating_sub(state_width);
    let became = match () {
        () if why.width() <= room => format!("{state}{why}"),
        () if room >= REASON => format!("{state}{}", sanitize::fit(&why, room, ellipsis)),
        () => state.to_owned(),
    };
    Words { action: action.to_owned(), became, facts }
}

/// What a row says of a proposal, in so many columns.
fn words_of(
    view: &View,
    (turn, outcome): (&Turn, Outcome<'_>),
    proposal: &Proposal,
    theme: &Theme,
    width: usize,
) -> Words {
    let (state, reason, against) = became(view, turn, proposal, outcome);
    let times = facts(view, proposal, 0, theme);
    // A person's reason is worth more than the proposer's score.
    let facts = match outcome {
        Outcome::Rejected(_) => [times.clone(), times],
        _ => [facts(view, proposal, width, theme), times],
    };
    fitting(&said(proposal).0, (&state, &reason, &against), facts, width.saturating_sub(LEAD), theme.glyphs.ellipsis)
}

/// What the row of a proposal says of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Listed {
    /// The whole action.
    pub(super) action: bool,
    /// Its score.
    pub(super) score: bool,
}

/// What the row of a proposal, so many columns wide, says of it.
pub(super) fn listed(view: &View, turn: &Turn, proposal: &Proposal, theme: &Theme, width: usize) -> Listed {
    let words = words_of(view, (turn, outcome(view, turn, proposal)), proposal, theme, width);
    let action = surface(proposal).trim() == words.action;
    Listed { action, score: width >= SCORED && words.facts == facts(view, proposal, width, theme) }
}

pub(super) fn of(view: &View, turn: &Turn, proposal: &Proposal, theme: &Theme, width: usize) -> Row {
    let outcome = outcome(view, turn, proposal);
    // What assertions and blocking conditions say of it, and what the world's dry run does.
    let (own, world) = match turn.verdict(proposal.id) {
        // It passes nothing, as the title counts it.
        _ if proposal.action.as_ref().is_some_and(is_refusal) => (Mark::NotChecked, Mark::NotChecked),
        Some(verdict) => (verdict.own(), verdict.world()),
        None => (turn.mark(proposal), Mark::NotChecked),
    };
    let marks = match outcome {
        Outcome::Pruned | Outcome::Gone | Outcome::Replaced => [(theme.glyphs.dot, Role::Dim), (" ", Role::Dim)],
        _ if world == Mark::NotChecked => [words::mark(&theme.glyphs, own), (" ", Role::Dim)],
        _ => [words::mark(&theme.glyphs, own), words::mark(&theme.glyphs, world)],
    };
    let [own, world] = marks.map(|(glyph, role)| run(role, glyph));
    let star =
        if view.is_recommended(proposal.id) { run(Role::Accent, theme.glyphs.star) } else { run(Role::Text, " ") };
    let chosen = view.selected == Some(proposal.id);
    let role = match outcome {
        Outcome::Rejected(_) => Role::Removed,
        Outcome::Pruned | Outcome::Gone | Outcome::Replaced => Role::Dim,
        _ if proposal.action.is_none() => Role::Dim,
        _ => Role::Text,
    };
    let mut row = vec![words::here(theme, chosen), star, own, world, run(Role::Text, " ")];
    let Words { action, became, facts } = words_of(view, (turn, outcome), proposal, theme, width);
    let room = width.saturating_sub(LEAD + facts.width());
    let mut main = vec![run(role, action)];
    let beside = said(proposal).1;
    let call = proposal.action.as_ref().and_then(|a| a.call.as_ref());
    if !became.is_empty() {
        main.push(run(Role::Dim, became));
    } else if !beside.is_empty() {
        main.push(run(Role::Dim, format!("  {beside}")));
    } else if let Some(call) = call.filter(|call| width >= 70 && *call != surface(proposal)) {
        main.push(run(Role::Dim, format!("  {call}")));
    }
    let main = fit_row(main, room, theme);
    let pad = room.saturating_sub(draw::width(&main));
    row.extend(main);
    row.push(run(Role::Text, " ".repeat(pad)));
    row.push(run(Role::Dim, facts));
    row
}

/// Score, log-probability, origin, who wrote it and how often, as far as the width allows.
fn facts(view: &View, proposal: &Proposal, width: usize, theme: &Theme) -> String {
    let mut facts = String::new();
    if width >= SCORED {
        if let Some(score) = proposal.score_in_words() {
            // The unit stands in the first row.
            let is_first = view.offered_row(proposal.id) == Some(0);
            let score = score.strip_suffix(" steps").filter(|_| !is_first).unwrap_or(&score);
            facts.push_str(&format!("  {score}"));
        }
        if let Some(logprob) = proposal.logprob {
            facts.push_str(&format!("  lp {logprob:.2}"));
        }
    }
    let own = view.session.as_ref().map_or("", |session| session.model.as_str());
    let origin = origins(view, proposal);
    // The model in use is named in the title.
    if width >= SOURCED && origin != own {
        let origin = sanitize::line(&origin);
        facts.push_str(&format!("  {}", sanitize::fit(&origin, ORIGIN, theme.glyphs.ellipsis)));
    }
    let authors = view.authors(proposal.id);
    match authors.as_slice() {
        [] => {}
        [(model, times)] if *model == own || model.is_empty() || width < SOURCED => {
            facts.push_str(&if *times > 1 { format!(" x{times}") } else { String::new() });
        }
        several if width < SOURCED => facts.push_str(&format!(" x{}", several.iter().map(|(_, n)| n).sum::<usize>())),
        several => facts.push_str(&format!(" {}", words::authors(several))),
    }
    facts
}

fn fit_row(row: Row, width: usize, theme: &Theme) -> Row {
    let mut left = width;
    let mut out = Row::new();
    for mut piece in row {
        let fitted = sanitize::fit(&piece.text, left, theme.glyphs.ellipsis).into_owned();
        left = left.saturating_sub(fitted.width());
        piece.text = fitted;
        out.push(piece);
        if left == 0 {
            break;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::{Action, Origin};

    #[test]
    fn the_action_is_the_last_to_be_cut_but_for_what_became_of_it() {
        let reason = " (the model's next action; a check fails)";
        let facts = || ["  greedy x2".to_owned(), " x2".to_owned()];
        let of = |state: &str, why: &str, columns: usize| {
            let Words { action, became, facts } =
                fitting("agent.goto('armchair 1')", (state, why, ""), facts(), columns, "~");
            format!("{action}|{became}|{facts}")
        };
        assert_eq!(of("", reason, 80), format!("agent.goto('armchair 1')|{reason}|  greedy x2"));
        assert_eq!(of("", reason, 50), "agent.goto('armchair 1')| (the model's ~|  greedy x2");
        assert_eq!(of("", reason, 40), "agent.goto('armchair 1')||  greedy x2");
        assert_eq!(of("", reason, 30), "agent.goto('armchair 1')|| x2");
        assert_eq!(of(" taken", "", 34), "agent.goto('armchair 1')| taken| x2");
        assert_eq!(of(" taken", "", 31), "agent.goto('armchair 1')| taken|");
        assert_eq!(of(" taken", "", 24), "agent.goto('ar~| taken| x2");
        assert_eq!(of(" rejected", ": no", 26), "agent.goto('a~| rejected| x2", "what became of it is not cut");
        assert_eq!(of("", reason, 20), "agent.goto(~| (th~| x2");
    }

    #[test]
    fn that_it_was_refused_is_said_before_why_it_was() {
        let of = |columns: usize| {
            let words = (" refused at step 1", ": no", " (the model's next action)");
            fitting("agent.goto('armchair 1')", words, [String::new(), String::new()], columns, "~").became
        };
        assert_eq!(of(80), " refused at step 1: no (the model's next action)");
        assert_eq!(of(70), " refused at step 1 (the model's next action)");
        assert_eq!(of(60), " refused at step 1 (the model's nex~");
        assert_eq!(of(50), " refused at step 1");
    }

    #[test]
    fn of_an_answer_to_a_program_the_calls_come_first() {
        let of = |text: &str, call: Option<&str>| {
            let action = Action::new(text, call.map(str::to_owned));
            let proposal = Proposal { action: Some(action), ..Proposal::new(1, text, Origin::Relayed) };
            let (action, beside) = said(&proposal);
            (action.into_owned(), beside.into_owned())
        };
        let pair = |action: &str, beside: &str| (action.to_owned(), beside.to_owned());
        assert_eq!(of("I look.\nNow.\nls(path='/')", Some("ls(path='/')")), pair("ls(path='/')", "I look.; Now."));
        assert_eq!(of("ls(path='/')", Some("ls(path='/')")), pair("ls(path='/')", ""));
        assert_eq!(of("take mug 1", Some("agent.take('mug 1')")), pair("take mug 1", ""));
        assert_eq!(of("I am done.", None), pair("I am done.", ""));
    }
}
