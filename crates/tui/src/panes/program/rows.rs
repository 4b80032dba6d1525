//! The rows of the program pane: which line of the program is on which row. Texts are fetched when drawn.

use crate::theme::Role;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_episode::{Node, NodeId, Session};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Line {
    Fold,
    Specification(usize),
    Opening(usize),
    /// The action that led to a node, where no program line stands for it: refused, or without a call.
    Bare(NodeId),
    /// The `n`-th call of the step that led to a node; the first is the action's own if it has one.
    Call(NodeId, usize),
    /// The fold of what was seen before the first action.
    Seen(NodeId),
}

impl Line {
    pub fn node(self) -> Option<NodeId> {
        match self {
            Line::Bare(node) | Line::Call(node, _) | Line::Seen(node) => Some(node),
            _ => None,
        }
    }
}

/// Whether the first of a node's calls is its action's own.
pub(crate) fn begins_with_action(node: &Node) -> bool {
    let own = node.action.as_ref().and_then(|a| a.call.as_ref());
    node.outcome.error.is_none() && own.is_some() && own == node.outcome.calls.first()
}

/// Whether a line is the one that stands for its node's action.
pub fn is_action(line: Line, session: &Session) -> bool {
    match line {
        Line::Bare(_) => true,
        Line::Call(id, 0) => session.node(id).is_some_and(begins_with_action),
        _ => false,
    }
}

/// How many lines of a step fold into one: those after its action, where they are more than one; none where nothing folds.
pub(crate) fn foldable(node: &Node) -> usize {
    let after = node.outcome.calls.len() - usize::from(begins_with_action(node));
    if after > 1 { after } else { 0 }
}

/// Lines of the whole program that a step has.
pub(crate) fn count(node: &Node) -> usize {
    usize::from(node.action.is_some() && !begins_with_action(node)) + node.outcome.calls.len()
}

/// Adds the rows of a step; what was seen at it only where that is `open`, or a line.
pub(crate) fn push_node(node: &Node, open: bool, rows: &mut Vec<Line>) {
    let own = begins_with_action(node);
    match node.action.is_some() {
        true if own => rows.push(Line::Call(node.id, 0)),
        true => rows.push(Line::Bare(node.id)),
        false if foldable(node) > 0 => rows.push(Line::Seen(node.id)),
        false => {}
    }
    if open || foldable(node) == 0 {
        rows.extend((usize::from(own)..node.outcome.calls.len()).map(|n| Line::Call(node.id, n)));
    }
}

/// What stands for the folded lines of a step.
pub(crate) fn seen(lines: usize, ellipsis: &str) -> String {
    format!("{ellipsis} {} seen", words::count(lines, "line"))
}

/// The lines with which the trajectory opens, as the program has them: lines under a `def` line are indented.
pub fn opening(session: &Session) -> Vec<String> {
    let lines = &session.header.opening;
    let body_is_bare = lines.iter().skip(1).all(|l| !l.starts_with(' '));
    match lines.split_first() {
        Some((def, body)) if def.starts_with("def ") && body_is_bare => {
            std::iter::once(def.clone()).chain(body.iter().map(|l| format!("    {l}"))).collect()
        }
        _ => lines.clone(),
    }
}

/// The program text of a line, without its margin; `None` if there is no such line.
pub fn text(line: Line, session: &Session, specification: &[String], opening: &[String]) -> Option<String> {
    match line {
        Line::Fold => None,
        Line::Specification(i) => specification.get(i).cloned(),
        Line::Opening(i) => opening.get(i).cloned(),
        Line::Bare(id) => {
            let node = session.node(id)?;
            let action = node.action.as_ref()?;
            let word = if node.outcome.error.is_some() { "refused: " } else { "" };
            let why = node.outcome.error.as_ref().map(|e| format!(" ({e})")).unwrap_or_default();
            let text = action.text.lines().map(str::trim).collect::<Vec<_>>().join("; ");
            Some(format!("{}# {word}{text}{why}", margin(opening)))
        }
        Line::Seen(id) => Some(format!("{}{}", margin(opening), seen(foldable(session.node(id)?), "#"))),
        Line::Call(id, n) => {
            let call = session.node(id)?.outcome.calls.get(n)?;
            Some(format!("{}{call}", margin(opening)))
        }
    }
}

pub(crate) fn margin(opening: &[String]) -> &'static str {
    if opening.iter().any(|l| l.starts_with("def ")) { "    " } else { "" }
}

/// The editable text of an action's line: its call, or the world's text where it has none.
pub(crate) fn editable(node: &Node) -> Option<String> {
    let action = node.action.as_ref()?;
    Some(action.call.clone().unwrap_or_else(|| action.text.clone()))
}

/// All calls of the trajectory in order, with an edited action in place, and the index of the edited line among them.
pub(crate) fn edited_program(
    ids: &[NodeId],
    session: &Session,
    edited: NodeId,
    text: &str,
) -> (Vec<String>, Option<usize>) {
    let (mut lines, mut index) = (Vec::new(), None);
    for node in ids.iter().filter_map(|id| session.node(*id)) {
        let calls = &node.outcome.calls;
        if node.id == edited {
            index = Some(lines.len());
            lines.push(text.to_owned());
            lines.extend(calls.iter().skip(usize::from(begins_with_action(node))).cloned());
        } else {
            lines.extend(calls.iter().cloned());
        }
    }
    (lines, index)
}

pub fn plain(text: &str) -> Row {
    let role = if text.trim_start().starts_with('#') { Role::SyntaxComment } else { Role::Text };
    vec![run(role, text)]
}
