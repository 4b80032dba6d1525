//! Worlds × methods: where each method works with the agents that need no language model, from real episodes.
//!
//! A cell is an episode of the world's first task that the method fits, or of every such task; with a bounded number of actions and
//! seed 0, so that a table made twice is the same. A method that acts in none of them does not work there.

use tokio_util::sync::CancellationToken;

use super::runner::Opening;
use stepwright_launch::NewSession;
use stepwright_method::{self as method, MethodInfo, ModelTraits, SYMBOLIC};
use stepwright_text::words::count;
use stepwright_world::options::Values;
use stepwright_world::{TaskInfo, WorldKind};
use stepwright_worlds::WORLDS;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Cell {
    Works {
        actions: usize,
        refused: usize,
        won: bool,
    },
    /// Of several tasks: in how many it acted, and how many it won.
    Share {
        played: usize,
        acted: usize,
        won: usize,
    },
    /// The need that is missing where it does not fit, or why it acts nowhere.
    Refused(String),
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
            Cell::Share { played, acted, won } => {
                let percent = (100 * won + played / 2) / played.max(&1);
                write!(f, "works: {won} of {played} won ({percent} %)")?;
                if acted < played { write!(f, ", no action in {}", played - acted) } else { Ok(()) }
            }
            Cell::Refused(why) => write!(f, "refused because {}", brief(why)),
        }
    }
}

/// A reason without its particulars, and without that there was nothing to take.
fn brief(why: &str) -> &str {
    let why = why.rsplit_once("no proposal to take: ").map_or(why, |(_, why)| why);
    why.split([';', '(']).next().unwrap_or(why).trim()
}

/// Plays a method in a world, at the first of the tasks that it fits or at `all` of them; `None` if it was cancelled.
pub async fn cell(
    opening: &Opening,
    world: &'static WorldKind,
    tasks: &[TaskInfo],
    all: bool,
    method: &MethodInfo,
    cancel: &CancellationToken,
) -> Option<Cell> {
    let model = ModelTraits { name: SYMBOLIC.to_owned(), ..ModelTraits::default() };
    let fits = |task: &TaskInfo| method::fits(method, &Values::default(), (world, WORLDS), Some(&task.kind), &model);
    // A task of the kind that the method is for comes first; else the reason that no choice of a task mends.
    let of_kind = |task: &&TaskInfo| method.needs.task.is_none_or(|kind| task.kind == kind);
    let (first, others): (Vec<_>, Vec<_>) = tasks.iter().partition(of_kind);
    let ordered = || first.iter().chain(&others);
    let missing = || ordered().find_map(|task| fits(task).err()).map(|misfit| misfit.brief);
    let fitting = ordered().filter(|task| fits(task).is_ok()).take(if all { usize::MAX } else { 1 });
    let (mut cells, mut idle) = (Vec::new(), None);
    for task in fitting {
        match play(opening, world, task, method, cancel).await? {
            Cell::Refused(why) => {
                idle.get_or_insert(why);
                cells.push(None);
            }
            cell => cells.push(Some(cell)),
        }
    }
    let (played, acted) = (cells.len(), cells.iter().flatten().count());
    let won = cells.iter().flatten().filter(|cell| matches!(cell, Cell::Works { won: true, .. })).count();
    Some(match cells.into_iter().flatten().next() {
        None => Cell::Refused(idle.or_else(missing).unwrap_or_else(|| "it has no tasks".to_owned())),
        Some(_) if all => Cell::Share { played, acted, won },
        Some(cell) => cell,
    })
}

async fn play(
    opening: &Opening,
    world: &'static WorldKind,
    task: &TaskInfo,
    method: &MethodInfo,
    cancel: &CancellationToken,
) -> Option<Cell> {
    let new = NewSession {
        world: world.name.to_owned(),
        task: task.id.clone(),
        method: method.id.to_owned(),
        model: SYMBOLIC.to_owned(),
        ..NewSession::default()
    };
    let played = opening.run(&new, cancel).await?;
    Some(match &played.session {
        Err(why) => Cell::Refused(why.clone()),
        Ok(session) => {
            let path = session.path(session.cursor());
            let executed = path.iter().skip(1).filter(|node| node.outcome.is_executed());
            match executed.clone().count() {
                0 => Cell::Refused(played.error.unwrap_or(played.ended)),
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_acts_nowhere_does_not_work() {
        let idle = Cell::Refused("there is no proposal to take: no action was offered; type one".into());
        assert_eq!(idle.to_string(), "refused because no action was offered");
        assert_eq!(Cell::Share { played: 30, acted: 30, won: 28 }.to_string(), "works: 28 of 30 won (93 %)");
        let some = Cell::Share { played: 3, acted: 1, won: 0 };
        assert_eq!(some.to_string(), "works: 0 of 3 won (0 %), no action in 2");
    }
}
