//! Comparison: branches or sessions in columns, aligned by step from the beginning.
//!
//! A column is a line of nodes: the path to a node and on as redo would go; a ghost is such a line as a side of the duels on it would have
//! gone, step by step. Of each step: what was done, who decided and why, the
//! verdict it was decided with, the observation, and the changes of the state, those marked that not every column has. Pure; reads
//! sessions, reads and writes no file.

pub mod text;

use serde::Serialize;

use crate::story::{change_lines, decided, outcome};
use stepwright_episode::duel::{Side, is_same};
use stepwright_episode::{Ask, Check, CheckKind, Configuration, InUse, Node, NodeId, Proposal, Session, Tally, Usage};

use stepwright_text::words::one_line;
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
    /// Those that executed something: a blocked selection is none.
    pub steps: u32,
    pub outcome: String,
    /// Whether the goal is reached; `None` where that is not known, as of steps that were not taken.
    pub won: Option<bool>,
    /// Tokens spent at its steps, prompt and completion: by the method in use, of a ghost by its side.
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
    /// As of a column.
    pub won: Option<bool>,
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
    /// The side of the duels on the way whose steps are shown in place of those that were taken.
    pub ghost: Option<&'a str>,
}

/// A step of a column.
#[derive(Clone, Copy)]
enum Step<'a> {
    Taken(&'a Node),
    /// What a side would have done at a node, where that is not what was done.
    Would {
        at: &'a Node,
        side: &'a Side,
        proposal: &'a Proposal,
    },
}

impl<'a> Step<'a> {
    /// What a side would have done at a node, if that is not the action that led on.
    fn of_ghost(at: &'a Node, ghost: &str, next: Option<&Node>) -> Option<Self> {
        let side = at.turn.side(ghost)?;
        let proposal = at.turn.proposal(side.proposal?)?;
        let taken = next.and_then(|node| node.action.as_deref());
        let same = taken.zip(proposal.action.as_ref()).is_some_and(|(a, b)| is_same(a, b));
        (!same).then_some(Step::Would { at, side, proposal })
    }
}

impl<'a> Line<'a> {
    fn steps(&self) -> Vec<Step<'a>> {
        let path = self.session.path(self.tip);
        let Some(ghost) = self.ghost else { return path.into_iter().map(Step::Taken).collect() };
        let first = path.first().map(|node| Step::Taken(node));
        let then = path.windows(2).filter_map(|pair| match pair {
            [at, next] => Some(Step::of_ghost(at, ghost, Some(next)).unwrap_or(Step::Taken(next))),
            _ => None,
        });
        let last = path.last().and_then(|at| Step::of_ghost(at, ghost, None));
        first.into_iter().chain(then).chain(last).collect()
    }
}

/// The names of the sides that would have gone another way at a step of the line to a tip.
pub fn ghosts(session: &Session, tip: NodeId) -> Vec<&str> {
    let path = session.path(tip);
    let mut found: Vec<&str> = Vec::new();
    for (place, node) in path.iter().enumerate() {
        let sides = node.turn.duel.iter().flat_map(|sides| sides.iter().map(|side| side.name.as_str()));
        let next = path.get(place + 1).copied();
        found.extend(sides.filter(|name| Step::of_ghost(node, name, next).is_some()));
    }
    let mut seen = std::collections::BTreeSet::new();
    found.retain(|name| seen.insert(*name));
    found
}

/// What stands over the column of a ghost.
pub fn ghost_label(side: &str) -> String {
    format!("{side} (not taken)")
}

/// The tips of a session's branches: the end of the line that the cursor is on first, then the others by number. Deleted branches are
/// left out.
pub fn tips(session: &Session) -> Vec<NodeId> {
    let first = session.line().last().map(|n| n.id);
    let ends = session.kept().filter(|node| session.next(node).is_none()).map(|n| n.id);
    first.into_iter().chain(ends.filter(|id| Some(*id) != first)).collect()
}

/// The end of the branch through a node, as redo would continue from it.
pub fn end(session: &Session, node: NodeId) -> NodeId {
    let mut at = node;
    while let Some(next) = session.node(at).and_then(|n| session.next(n)) {
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
    let first = path.get(parts).and_then(|node| Some((node.action.as_ref()?, node.steps)));
    first
        .map_or_else(|| "the episode".to_owned(), |(action, step)| format!("{} at step {step}", one_line(&action.text)))
}

/// The names of files at the head of a column: the file's name, where two of them have the same the whole path. Of a file that was named by
/// the clock (`20261127-201742-shop-mug.jsonl`) what it is of, then when it was begun.
pub fn labels(files: &[&str]) -> Vec<String> {
    let name = |file: &str| {
        let name = file.rsplit('/').next().unwrap_or(file);
        named_by_clock(name).unwrap_or_else(|| name.to_owned())
    };
    let alone = |file: &str| files.iter().filter(|other| **other != file).all(|other| name(other) != name(file));
    files.iter().map(|file| if alone(file) { name(file) } else { (*file).to_owned() }).collect()
}

fn named_by_clock(name: &str) -> Option<String> {
    const MONTHS: [&str; 12] = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
    let (stamp, rest) = (name.get(..16)?, name.get(16..)?);
    let is_stamp = stamp.bytes().enumerate().all(|(at, byte)| match at {
        8 | 15 => byte == b'-',
        _ => byte.is_ascii_digit(),
    });
    let number = |from: usize| stamp.get(from..from + 2)?.parse::<usize>().ok().filter(|_| is_stamp);
    let [month, day, hours, minutes, seconds] = [4, 6, 9, 11, 13].map(number);
    let month = MONTHS.get(month?.checked_sub(1)?)?;
    let of = rest.replacen(".jsonl", "", 1);
    Some(format!("{of}, {} {month} {:02}:{:02}:{:02}", day?, hours?, minutes?, seconds?))
}

/// Puts lines side by side.
pub fn compare(lines: &[Line<'_>]) -> Comparison {
    let paths: Vec<Vec<Step<'_>>> = lines.iter().map(Line::steps).collect();
    let columns = lines.iter().map(column).collect();
    let longest = paths.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = Vec::with_capacity(longest);
    for at in 0..longest {
        let nodes = lines.iter().zip(&paths).map(|(line, path)| Some((line.session, *path.get(at)?)));
        let mut cells: Vec<Option<Cell>> =
            nodes.map(|found| found.map(|(session, step)| cell(session, step))).collect();
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

fn column(line: &Line<'_>) -> Column {
    let session = line.session;
    let path = session.path(line.tip);
    let tip = path.last();
    let side = line.ghost.and_then(|name| path.iter().rev().find_map(|node| node.turn.side(name)));
    let InUse { method, model } = match side.map(|side| side.configuration.clone()) {
        Some(Configuration { method, model, .. }) => InUse { method, model },
        None => session.decided_under(path.iter().copied()),
    };
    let is_own = |ask: &&Ask| line.ghost.map_or(!ask.kind.is_of_side(), |side| ask.kind.is_asked_by(side));
    let asks = path.iter().flat_map(|node| &node.turn.asks).filter(is_own);
    let spent = asks.filter_map(|ask| ask.state.usage()).fold(Usage::default(), |mut all, one| {
        all.add(one);
        all
    });
    Column {
        name: line.name.clone(),
        sentence: session.header.sentence.clone(),
        method,
        model,
        steps: Tally::of(&path).steps,
        outcome: match line.ghost {
            Some(_) => "asked at each step, not taken".to_owned(),
            None => outcome(session, &path),
        },
        won: match (line.ghost, tip) {
            (Some(_), _) => None,
            (None, tip) => tip.map_or(Some(false), |n| n.outcome.reached()),
        },
        tokens: spent.prompt + spent.completion,
    }
}

fn cell(session: &Session, step: Step<'_>) -> Cell {
    let node = match step {
        Step::Taken(node) => node,
        Step::Would { at, side, proposal } => return would(at, side, proposal),
    };
    let reset = node.parent.is_none();
    Cell {
        node: node.id,
        action: node.action.as_ref().map(|a| a.text.clone()).unwrap_or_default(),
        decided: decided(session, node),
        verdict: if reset { "" } else { session.mark_at(node).word() },
        observation: node.outcome.observation.clone(),
        error: node.outcome.error.clone(),
        won: node.outcome.reached(),
        changes: change_lines(&node.changes.value()).into_iter().map(unmarked).collect(),
        notes: node.turn.remarks(),
    }
}

/// A step that was not taken: what the checks and the world's dry run say of it.
fn would(at: &Node, side: &Side, proposal: &Proposal) -> Cell {
    let verdict = at.turn.verdict(proposal.id);
    let effect = verdict.and_then(|v| v.effect.as_ref());
    let refused = verdict.and_then(|v| v.failing().find(|check| check.kind == CheckKind::World));
    Cell {
        node: at.id,
        action: proposal.action.as_ref().map_or(&proposal.raw, |action| &action.text).clone(),
        decided: if side.why.is_empty() { "not taken".to_owned() } else { format!("not taken; {}", side.why) },
        verdict: at.turn.mark(proposal).word(),
        observation: verdict.and_then(|v| v.preview.clone()).unwrap_or_default(),
        error: refused.map(Check::said).map(str::to_owned),
        won: None,
        changes: effect.map(|e| change_lines(&e.value())).unwrap_or_default().into_iter().map(unmarked).collect(),
        notes: Vec::new(),
    }
}

fn unmarked(text: String) -> StateChange {
    StateChange { text, unlike: false }
}

/// Marks the changes that not every column has at this step. A column that has ended has no step to be compared.
fn mark_unlike(cells: &mut [Option<Cell>]) {
    let texts: Vec<Vec<String>> =
        cells.iter().flatten().map(|c| c.changes.iter().map(|change| change.text.clone()).collect()).collect();
    for change in cells.iter_mut().flatten().flat_map(|c| &mut c.changes) {
        change.unlike = texts.iter().any(|other| !other.contains(&change.text));
    }
}
