//! The parts of a slide: what was offered, what was checked, who chose and why, what happened, as rows.

use crate::strip::Slide;
use crate::theme::{Role, Theme};
use crate::widgets::draw::{Row, run, width};
use crate::widgets::words::{self, labelled};
use stepwright_episode::{Node, Session};
use stepwright_export::{ProposalEntry, Step, step_of};
use stepwright_method::Methods;
use stepwright_text::words::count;

/// From this height on there is an empty row between the parts.
const AIRY: u16 = 20;

pub struct Parts {
    pub offered: Vec<Row>,
    pub checked: Vec<Row>,
    pub chosen: Vec<Row>,
    pub happened: Vec<Row>,
}

fn look(theme: &Theme, word: &str) -> (&'static str, Role) {
    match word {
        "holds" => (theme.glyphs.yes, Role::Good),
        "fails" => (theme.glyphs.no, Role::Bad),
        "unknown" => (theme.glyphs.unknown, Role::Warn),
        "blocked" => (theme.glyphs.candidate, Role::Warn),
        _ => (theme.glyphs.unchecked, Role::Dim),
    }
}

/// The proposals: at most `most` rows, the taken one among them.
fn offered(step: &Step, taken: Option<usize>, theme: &Theme, columns: usize, most: usize) -> Vec<Row> {
    let wanted = |at: &usize| Some(*at) == taken || step.proposals.get(*at).is_some_and(|p| p.recommended);
    let mut shown: Vec<usize> = (0..step.proposals.len()).collect();
    let all = shown.len();
    if all > most {
        shown = shown.iter().copied().filter(wanted).chain(shown.iter().copied().filter(|at| !wanted(at))).collect();
        shown.truncate(most.saturating_sub(1).max(1));
        shown.sort_unstable();
    }
    let mut rows: Vec<Row> = Vec::new();
    for (at, proposal) in shown.iter().filter_map(|at| Some((*at, step.proposals.get(*at)?))) {
        let (glyph, role) = look(theme, proposal.standing);
        let star = if proposal.recommended { theme.glyphs.star } else { " " };
        let mine = Some(at) == taken;
        let fate = match proposal.fate.as_str() {
            _ if mine => "  chosen".to_owned(),
            "" | "taken" => String::new(),
            other => format!("  {other}"),
        };
        let text = words::one_line(&proposal.text).into_owned();
        let mut row = vec![run(Role::Accent, format!("{star} ")), run(role, format!("{glyph} "))];
        row.push(run(if mine { Role::Title } else { Role::Text }, text));
        row.push(run(Role::Accent, fate));
        row.push(run(Role::Dim, format!("  {}", proposal.origin)));
        if width(&row) > columns {
            row.pop();
        }
        rows.push(row);
    }
    if shown.len() < all {
        rows.push(vec![run(Role::Dim, format!("    and {} more", all - shown.len()))]);
    }
    if rows.is_empty() {
        rows.push(vec![run(Role::Dim, "Nothing was offered.")]);
    }
    rows
}

fn checked(step: &Step, proposal: Option<&ProposalEntry>, theme: &Theme, columns: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let each = step.proposals.iter().filter(|proposal| !proposal.checks.is_empty()).count();
    if let Some(proposal) = proposal {
        for (status, condition, detail) in &proposal.checks {
            let (glyph, role) = look(theme, status);
            rows.extend(labelled(&format!("{glyph} "), role, condition, columns));
            if !detail.is_empty() && status != "holds" {
                rows.extend(labelled("    ", Role::Dim, detail, columns));
            }
        }
        if proposal.checks.is_empty() {
            rows.push(vec![run(Role::Dim, proposal.status.clone())]);
        }
        if let Some(why) = &proposal.rationale {
            rows.extend(labelled("because  ", Role::Text, why, columns));
        }
    } else if each > 0 {
        let text = format!("{}, each marked with what came of it; none is chosen yet.", count(each, "proposal"));
        rows.extend(labelled("", Role::Dim, &text, columns));
    } else {
        rows.push(vec![run(Role::Dim, "Nothing was checked.")]);
    }
    rows
}

fn happened(step: &Step, columns: usize, most: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let role = if step.error.is_some() { Role::Bad } else { Role::Text };
    for text in step.observation.trim().split('\n').filter(|l| !l.trim().is_empty()) {
        rows.extend(labelled("", role, text, columns));
    }
    if let Some(error) = step.error.as_ref().filter(|e| e.trim() != step.observation.trim()) {
        rows.extend(labelled("refused: ", Role::Bad, error, columns));
    }
    let changes = step.changes.iter().take(most).map(|change| {
        let role = match change.chars().next() {
            Some('+') => Role::Added,
            Some('-') => Role::Removed,
            _ => Role::Changed,
        };
        vec![run(role, change.chars().take(columns * 2).collect::<String>())]
    });
    rows.extend(changes);
    if step.changes.len() > most {
        rows.push(vec![run(Role::Dim, format!("and {}", count(step.changes.len() - most, "more change")))]);
    }
    if step.won {
        rows.push(vec![run(Role::Good, "The goal is reached.")]);
    }
    for note in &step.notes {
        rows.extend(labelled("note  ", Role::Accent, note, columns));
    }
    rows
}

pub fn parts(
    (session, methods): (&Session, &Methods),
    slide: Slide,
    theme: &Theme,
    columns: usize,
    height: usize,
) -> Parts {
    let at = |node| step_of(session, node, &|kind| methods.showing(kind));
    let most = (height / 4).max(3);
    let from = slide.from.and_then(|id| session.node(id)).map(|node: &Node| (node, at(node)));
    let to = slide.to.and_then(|id| session.node(id)).map(|node| (node, at(node)));
    let decided = slide.to.and_then(|to| session.decision_at(to)).map(|d| d.proposal());
    let taken = from.as_ref().zip(decided);
    let taken = taken.and_then(|((_, step), id)| step.proposals.iter().position(|p| p.copies.contains(&id)));
    let recommended = || from.as_ref()?.1.proposals.iter().position(|p| p.recommended);
    let mut parts = Parts { offered: Vec::new(), checked: Vec::new(), chosen: Vec::new(), happened: Vec::new() };
    if let Some((_, step)) = &from {
        parts.offered = offered(step, taken, theme, columns, most);
        let proposal = taken.or_else(recommended).and_then(|at| step.proposals.get(at));
        parts.checked = checked(step, proposal, theme, columns);
        for proposal in step.proposals.iter().filter(|p| p.fate.starts_with("rejected")) {
            let text = format!("{}: {}", words::one_line(&proposal.text), proposal.fate);
            parts.chosen.extend(labelled(&format!("{} ", theme.glyphs.no), Role::Warn, &text, columns));
        }
    }
    match (&to, &from) {
        (Some((_, step)), Some(_)) => {
            let action = words::one_line(&step.action).into_owned();
            parts.chosen.extend(labelled(&format!("{} ", theme.glyphs.arrow), Role::Accent, &action, columns));
            parts.chosen.extend(labelled("  ", Role::Text, &step.decided, columns));
        }
        (None, _) => parts.chosen.push(vec![run(Role::Warn, "Nobody has decided yet.")]),
        (Some(_), None) => parts.chosen.extend(labelled("", Role::Title, &session.header.sentence, columns)),
    }
    if let Some((_, step)) = &to {
        parts.happened = happened(step, columns, most);
    }
    parts
}

/// The rows of parts under their headings, in so many rows; where there is room, with empty rows between the parts and below headings.
pub(crate) fn laid(parts: Vec<(String, Vec<Row>)>, height: u16) -> Vec<Row> {
    let parts: Vec<_> = parts.into_iter().filter(|(_, part)| !part.is_empty()).collect();
    let lines: usize = parts.iter().map(|(_, part)| part.len() + 1).sum();
    let (airy, spread) = (height >= AIRY, lines + 3 * parts.len() <= usize::from(height));
    let mut rows = Vec::new();
    for (title, part) in parts {
        if airy && !rows.is_empty() {
            rows.push(Row::new());
        }
        rows.push(vec![run(Role::Title, title)]);
        if spread {
            rows.push(Row::new());
        }
        for mut row in part {
            row.insert(0, run(Role::Text, "  "));
            rows.push(row);
        }
        if spread {
            rows.push(Row::new());
        }
    }
    rows
}
