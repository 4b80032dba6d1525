//! Worlds × methods: where each method works with the agents that need no language model, from real, short episodes.
//!
//! A cell is an episode of the world's first task that the method fits, with a bounded number of actions and seed 0, so that a
//! table made twice is the same.

use tokio_util::sync::CancellationToken;

use super::runner::Opening;
use stepwright_launch::NewSession;
use stepwright_method::{self as method, MethodInfo, ModelTraits, SYMBOLIC};
use stepwright_text::words::count;
use stepwright_world::options::Values;
use stepwright_world::{TaskInfo, WorldKind};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Works {
        actions: usize,
        refused: usize,
        won: bool,
    },
    /// It does not fit: what is missing.
    Refused(String),
    /// It fits and ran, but took no action: why.
    Idle(String),
    /// It fits, but broke before an action: why.
    Fails(String),
}

impl std::fmt::Display for Cell {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Cell::Works { actions, won: true, .. } => write!(f, "works: goal after {}", count(*actions, "action")),
            Cell::Works { actions, refused: 0, .. } => {
                write!(f, "works: {}, goal not reached", count(*actions, "action"))
            }
            Cell::Works { actions, refused, .. } => {
                write!(f, "works: {}, {refused} of them refused, goal not reached", count(*actions, "action"))
            }
            Cell::Refused(why) => write!(f, "refused because {why}"),
            Cell::Idle(why) => write!(f, "works: no action, because {}", brief(why)),
            Cell::Fails(why) => write!(f, "fails: {}", brief(why)),
        }
    }
}

/// A reason without its particulars, and without that there was nothing to take.
fn brief(why: &str) -> &str {
    let why = why.rsplit_once("no proposal to take: ").map_or(why, |(_, why)| why);
    why.split([';', '(']).next().unwrap_or(why).trim()
}

/// Plays a method in a world, at the first of the tasks that it fits; `None` if it was cancelled.
pub async fn cell(
    opening: &Opening,
    world: &'static WorldKind,
    tasks: &[TaskInfo],
    method: &MethodInfo,
    cancel: &CancellationToken,
) -> Option<Cell> {
    let model = ModelTraits { name: SYMBOLIC.to_owned(), ..ModelTraits::default() };
    let mut missing = None;
    // The reason that no choice of a task mends comes first.
    let of_kind = |task: &&TaskInfo| method.needs.task.is_none_or(|kind| task.kind == kind);
    let fitting = tasks.iter().filter(of_kind).chain(tasks).find(|task| {
        match method::fits(method, &Values::default(), world, Some(&task.kind), &model) {
            Ok(()) => true,
            Err(why) => {
                missing.get_or_insert(why);
                false
            }
        }
    });
    let Some(task) = fitting else {
        return Some(Cell::Refused(missing.map_or_else(|| "it has no tasks".to_owned(), |misfit| misfit.brief)));
    };
    let new = NewSession {
        world: world.name.to_owned(),
        task: task.id.clone(),
        method: method.id.to_owned(),
        model: SYMBOLIC.to_owned(),
        ..NewSession::default()
    };
    let played = opening.run(&new, cancel).await?;
    Some(match &played.session {
        Err(why) => Cell::Fails(why.clone()),
        Ok(session) => {
            let path = session.path(session.cursor());
            let executed = path.iter().skip(1).filter(|node| node.outcome.is_executed());
            match executed.clone().count() {
                0 => played.error.map_or(Cell::Idle(played.ended), Cell::Fails),
                actions => Cell::Works {
                    actions,
                    refused: executed.filter(|node| node.outcome.error.is_some()).count(),
                    won: session.current().is_some_and(|node| node.outcome.won),
                },
            }
        }
    })
}

/// The table as Markdown: a row a method, a column a world.
pub fn markdown(worlds: &[&WorldKind], rows: &[(MethodInfo, Vec<Cell>)]) -> String {
    let names: Vec<&str> = worlds.iter().map(|world| world.name).collect();
    let mut out = format!("| method | {} |\n|---{}|\n", names.join(" | "), "|---".repeat(names.len()));
    for (method, cells) in rows {
        let cells: Vec<String> = cells.iter().map(|cell| cell.to_string().replace('|', "\\|")).collect();
        out.push_str(&format!("| `{}` | {} |\n", method.id, cells.join(" | ")));
    }
    out
}
