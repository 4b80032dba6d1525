//! Comparison: branches or sessions in columns, aligned by step from the beginning.
//!
//! A column is a line of nodes: the path to a node and on as redo would go. Of each step: what was done, who decided and why, the
//! verdict it was decided with, the observation, and the changes of the state, those marked that not every column has. Pure; reads
//! sessions, reads and writes no file.

pub mod text;

use serde::Serialize;

use crate::story::{change_lines, decided, outcome};
use stepwright_episode::{Node, NodeId, Session};

pub use text::render;

/// Columns side by side, and where they part.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Comparison {
    /// One a line of nodes, at least one.
    pub columns: Vec<Column>,
    /// A row a step; the first is the reset.
    pub rows: Vec<Row>,
    /// The first row whose columns differ; `None` if they agree to the last.
    pub first_difference: Option<usize>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Column {
    pub name: String,
    pub sentence: String,
    pub method: String,
    pub model: String,
    pub steps: u32,
    pub outcome: String,
    pub won: bool,
    /// Tokens spent in the whole session, prompt and completion.
    pub tokens: u64,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Row {
    pub depth: u32,
    /// One a column; `None` where it ended before.
    pub cells: Vec<Option<Cell>>,
    /// Whether the columns differ here in action, observation or changed state.
    pub differs: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Cell {
    pub node: NodeId,
    /// The action; empty at the reset.
    pub action: String,
    /// Who decided and why, in words; empty at the reset.
    pub decided: String,
    /// The verdict it was decided with, in one word; empty at the reset.
    pub verdict: &'static str,
    pub observation: String,
    pub error: Option<String>,
    pub won: bool,
    pub changes: Vec<StateChange>,
    pub notes: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct StateChange {
    /// As in exports: `+ path = value`, `- path`, `~ path = value`.
    pub text: String,
    /// Whether another column lacks it at this step.
    pub unlike: bool,
}

pub struct Line<'a> {
    pub name: String,
    pub session: &'a Session,
    pub tip: NodeId,
}

/// The tips of a session's branches: the end of the line that the cursor is on first, then the others by number. Deleted branches are
/// left out.
pub fn tips(session: &Session) -> Vec<NodeId> {
    let first = session.line().last().map(|n| n.id);
    let ends = session.nodes().iter().filter(|n| n.children.is_empty()).map(|n| n.id);
    let ends = ends.filter(|id| !session.is_deleted(*id));
    first.into_iter().chain(ends.filter(|id| Some(*id) != first)).collect()
}

/// The end of the branch through a node, as redo would continue from it.
pub fn end(session: &Session, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(next) = session.node(at).and_then(|n| n.last_child) {
        at = next;
    }
    at
}

/// A branch at the head of a column: the name it was given, else the action by which it parts from the others and the step of that.
pub fn branch_label(session: &Session, tip: NodeId) -> String {
    let given = session.branch_name(tip);
    if !given.is_empty() {
        return given.to_owned();
    }
    let path = session.path(tip);
    let shared = |other: &NodeId| {
        let other = session.path(*other);
        path.iter().zip(&other).take_while(|(a, b)| a.id == b.id).count()
    };
    let parts = tips(session).iter().filter(|other| **other != tip).map(shared).max().unwrap_or(0);
    let first = path.get(parts).and_then(|node| Some((node.action.as_ref()?, node.depth)));
    first.map_or_else(|| "the episode".to_owned(), |(action, depth)| format!("{} at step {depth}", action.text))
}

/// The names of files at the head of a column: the file's name, where two of them have the same the whole path.
pub fn labels(files: &[&str]) -> Vec<String> {
    let name = |file: &str| file.rsplit('/').next().unwrap_or(file).to_owned();
    let alone = |file: &str| files.iter().filter(|other| **other != file).all(|other| name(other) != name(file));
    files.iter().map(|file| if alone(file) { name(file) } else { (*file).to_owned() }).collect()
}

/// Puts lines side by side.
pub fn compare(lines: &[Line<'_>]) -> Comparison {
    let paths: Vec<Vec<&Node>> = lines.iter().map(|line| line.session.path(line.tip)).collect();
    let columns = lines.iter().zip(&paths).map(|(line, path)| column(line, path)).collect();
    let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = Vec::with_capacity(longest);
    for at in 0..longest {
        let nodes = lines.iter().zip(&paths).map(|(line, path)| Some((line.session, *path.get(at)?)));
        let mut cells: Vec<Option<Cell>> =
            nodes.map(|found| found.map(|(session, node)| cell(session, node))).collect();
        mark_unlike(&mut cells);
        let differs = cells.windows(2).any(|pair| match pair {
            [Some(a), Some(b)] => (&a.action, &a.observation, &a.error) != (&b.action, &b.observation, &b.error),
            [a, b] => a.is_some() != b.is_some(),
            _ => false,
        }) || cells.iter().flatten().any(|c| c.changes.iter().any(|change| change.unlike));
        rows.push(Row { depth: u32::try_from(at).unwrap_or(u32::MAX), cells, differs });
    }
    let first_difference = rows.iter().position(|row| row.differs);
    Comparison { columns, rows, first_difference }
}

fn column(line: &Line<'_>, path: &[&Node]) -> Column {
    let session = line.session;
    let tip = path.last();
    Column {
        name: line.name.clone(),
        sentence: session.header.sentence.clone(),
        method: session.method.clone(),
        model: session.model.clone(),
        steps: tip.map_or(0, |n| n.depth),
        outcome: tip.map_or_else(|| "not started".to_owned(), |n| outcome(n)),
        won: tip.is_some_and(|n| n.outcome.won),
        tokens: session.spent.prompt + session.spent.completion,
    }
}

fn cell(session: &Session, node: &Node) -> Cell {
    let reset = node.parent.is_none();
    Cell {
        node: node.id,
        action: node.action.as_ref().map(|a| a.text.clone()).unwrap_or_default(),
        decided: decided(session, node),
        verdict: if reset { "" } else { session.mark_at(node).word() },
        observation: node.outcome.observation.clone(),
        error: node.outcome.error.clone(),
        won: node.outcome.won,
        changes: change_lines(&node.changes.value())
            .into_iter()
            .map(|text| StateChange { text, unlike: false })
            .collect(),
        notes: node.turn.notes.clone(),
    }
}

/// Marks the changes that not every column has at this step. A column that has ended has no step to be compared.
fn mark_unlike(cells: &mut [Option<Cell>]) {
    let texts: Vec<Vec<String>> =
        cells.iter().flatten().map(|c| c.changes.iter().map(|change| change.text.clone()).collect()).collect();
    for change in cells.iter_mut().flatten().flat_map(|c| &mut c.changes) {
        change.unlike = texts.iter().any(|other| !other.contains(&change.text));
    }
}
