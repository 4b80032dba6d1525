//! Whole games, played by what plays without a language model: which games, and what came of them.

use std::collections::BTreeMap;

use stepwright::blocking::{Growth, Selection};
use stepwright::world::{Outcome, TaskInfo, World};
use stepwright_trajectory::Step;

/// Actions of a game at most, as ALFWorld's own evaluation has it.
pub const ACTIONS: u32 = 50;

/// Whether a game is one of those that ALFWorld keeps unseen.
pub fn is_unseen(id: &str) -> bool {
    id.starts_with("valid_unseen/")
}

/// What came of one game.
#[derive(Debug, Default)]
pub struct Played {
    pub won: bool,
    /// Why it was lost, where that is known.
    pub why: Option<String>,
    pub executed: u32,
    pub selections: u32,
    pub candidates: usize,
    /// Executed though nothing known blocked it, and refused by the world.
    pub refused: u32,
}

impl Played {
    /// A game that ended with this, which tells nothing more.
    pub fn of(end: Result<(), String>) -> Self {
        Played { won: end.is_ok(), why: end.err(), ..Played::default() }
    }
}

/// What came of several.
#[derive(Debug, Default)]
pub struct Figures {
    pub trials: u32,
    pub won: u32,
    /// The tasks whose goal was not reached, each with why.
    pub lost: Vec<String>,
    pub executed: u32,
    pub selections: u32,
    pub candidates: usize,
    pub refused: u32,
}

impl Figures {
    pub fn add(&mut self, task: &TaskInfo, played: &Played) {
        self.trials += 1;
        self.won += u32::from(played.won);
        if !played.won {
            self.lost.push(format!("{}: {} ({})", task.id, task.sentence, played.why.as_deref().unwrap_or("no end")));
        }
        self.executed += played.executed;
        self.selections += played.selections;
        self.candidates += played.candidates;
        self.refused += played.refused;
    }

    fn line(&self, name: &str) -> String {
        let won = format!("{name:34} {:3} of {:3} won", self.won, self.trials);
        if self.selections == 0 {
            return won;
        }
        let mean = |n: u32| f64::from(n) / f64::from(self.trials.max(1));
        format!(
            "{won}, {:5.1} executed, {:5.1} selections, {:5.1} candidates, {} of {} refused",
            mean(self.executed),
            mean(self.selections),
            self.candidates as f64 / f64::from(self.selections),
            self.refused,
            self.executed
        )
    }
}

/// Plays the tasks that are wanted, each once, and prints a line for each kind and for all. `STEPWRIGHT_TASK` names a part of the ids of
/// those that are played alone.
pub fn play_all(
    tasks: Vec<TaskInfo>,
    wanted: impl Fn(&str) -> bool,
    mut play: impl FnMut(&TaskInfo) -> Played,
) -> Figures {
    let (mut kinds, mut all) = (BTreeMap::<String, Figures>::new(), Figures::default());
    let only = std::env::var("STEPWRIGHT_TASK").unwrap_or_default();
    for task in tasks.iter().filter(|task| wanted(&task.id) && task.id.contains(&only)) {
        let played = play(task);
        kinds.entry(task.kind.clone()).or_default().add(task, &played);
        all.add(task, &played);
    }
    kinds.iter().for_each(|(kind, figures)| eprintln!("{}", figures.line(kind)));
    eprintln!("{}", all.line("all"));
    all
}

/// A step as a history has it, with the call that its text is.
pub fn step(world: &dyn World, text: &str, outcome: &Outcome) -> Step {
    Step { call: outcome.action_call.clone().or_else(|| world.call_of(text)), ..outcome.clone().into_step(text) }
}

/// Lets the built-in selector play, until the goal is reached, it is at its end or the actions are used up. `STEPWRIGHT_SHOW` shows each
/// selection.
pub fn select(growth: &mut Growth, world: &mut dyn World, seed: u64, actions: u32) -> Played {
    let mut played = Played { won: !growth.is_derived() && growth.forest().goals().is_empty(), ..Played::default() };
    let helpless = |growth: &Growth| growth.helpless().filter(|_| growth.is_derived());
    while !played.won && growth.spent().is_none() && helpless(growth).is_none() && played.executed < actions {
        let observed = growth.observation(world).unwrap();
        let ranked = growth.rank(&observed.facts, seed);
        played.candidates += ranked.len();
        let Some(first) = ranked.first() else { break };
        let selection = growth.select(&first.text, &observed.facts, world);
        if std::env::var_os("STEPWRIGHT_SHOW").is_some() {
            eprintln!("{:3} {:.1} {} ({}) {selection:.0?}", played.executed, first.value, first.text, first.why);
        }
        if selection == Selection::Execute {
            let outcome = world.act(&first.text).unwrap();
            played.executed += 1;
            played.refused += u32::from(outcome.error.is_some());
            growth.hear(step(world, &first.text, &outcome), (outcome.won, outcome.reward), world);
            growth.executed(&first.text, outcome.error.as_deref(), &observed, world);
            // Where the domain is derived the goal is the world's own.
            played.won = if growth.is_derived() { outcome.won } else { growth.forest().goals().is_empty() };
        }
    }
    played.selections = growth.forest().selections();
    played.why = helpless(growth).filter(|_| !played.won);
    played
}
