//! Commands: when each is admissible, how it reads, and what it changes.
//!
//! A command is accepted exactly when its text is in the admissible list, so the list is computed once a step and both
//! shown and matched. `text.rs` has the player's texts.

use super::Edition;
use super::definition::{Condition, Property};
use super::game::Game;
use super::state::{Flag, State};

/// A command with its names resolved; receptacles and objects are indices in display order.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Command {
    Look,
    Inventory,
    Help,
    GoTo { receptacle: usize },
    Open { receptacle: usize },
    Close { receptacle: usize },
    Take { object: usize, receptacle: usize },
    Put { object: usize, receptacle: usize },
    Treat { how: Condition, object: usize, receptacle: usize },
    Use { object: usize },
    Slice { object: usize, knife: usize },
    ExamineReceptacle { receptacle: usize },
    ExamineObject { object: usize },
}

impl Command {
    /// The command's text in an edition.
    pub fn text(self, game: &Game, edition: Edition) -> String {
        let r = |receptacle| game.receptacle_name(receptacle);
        let o = |object| game.object_name(object);
        match self {
            Command::Look => "look".to_owned(),
            Command::Inventory => "inventory".to_owned(),
            Command::Help => "help".to_owned(),
            Command::GoTo { receptacle } => join(["go to ", r(receptacle), "", ""]),
            Command::Open { receptacle } => join(["open ", r(receptacle), "", ""]),
            Command::Close { receptacle } => join(["close ", r(receptacle), "", ""]),
            Command::Take { object, receptacle } => join(["take ", o(object), " from ", r(receptacle)]),
            Command::Put { object, receptacle } => match edition {
                Edition::Put => join(["put ", o(object), " in/on ", r(receptacle)]),
                Edition::Move => join(["move ", o(object), " to ", r(receptacle)]),
            },
            Command::Treat { how, object, receptacle } => {
                format!("{} {} with {}", how.verb(), o(object), r(receptacle))
            }
            Command::Use { object } => join(["use ", o(object), "", ""]),
            Command::Slice { object, knife } => join(["slice ", o(object), " with ", o(knife)]),
            Command::ExamineReceptacle { receptacle } => join(["examine ", r(receptacle), "", ""]),
            Command::ExamineObject { object } => join(["examine ", o(object), "", ""]),
        }
    }
}

fn join(parts: [&str; 4]) -> String {
    parts.concat()
}

/// The admissible commands of a state: texts sorted by code point without duplicates, beside what each does.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Menu {
    entries: Vec<(String, Command)>,
}

impl Menu {
    /// The menu of a state.
    pub fn of(game: &Game, state: &State, edition: Edition) -> Menu {
        let mut entries = Vec::with_capacity(game.receptacles.len() + 24);
        commands(game, state, edition, &mut |command| entries.push((command.text(game, edition), command)));
        // The commands come nearly in order, which the merge sort turns into one pass of comparisons.
        entries.sort_by(|a, b| a.0.cmp(&b.0));
        entries.dedup_by(|b, a| a.0 == b.0);
        Menu { entries }
    }

    /// The texts.
    pub fn texts(&self) -> Vec<String> {
        self.entries.iter().map(|(text, _)| text.clone()).collect()
    }

    /// The command of a text, which must be in the list exactly (the caller trims).
    pub fn find(&self, text: &str) -> Option<Command> {
        let at = self.entries.binary_search_by(|(t, _)| t.as_str().cmp(text)).ok()?;
        self.entries.get(at).map(|(_, command)| *command)
    }
}

/// Gives every admissible command, verbs in alphabetical order.
fn commands(game: &Game, state: &State, edition: Edition, give: &mut dyn FnMut(Command)) {
    let here = game.standing_at(state.location);
    let accessible = |r: usize| game.receptacles.get(r).is_some_and(|x| !x.openable) || state.is_open(r);
    let of_kind = |r: usize, kind: &str| game.receptacles.get(r).is_some_and(|x| x.kind.as_deref() == Some(kind));
    let openable = |r: usize| game.receptacles.get(r).is_some_and(|x| x.openable);

    let treat = |how: Condition, give: &mut dyn FnMut(Command)| {
        let (_, _, tool, ability) = how.terms();
        let Some(object) = state.held.filter(|object| game.is(*object, ability)) else { return };
        let tools = here.iter().filter(|r| of_kind(**r, tool));
        tools.for_each(|r| give(Command::Treat { how, object, receptacle: *r }));
    };
    treat(Condition::Clean, give);
    here.iter().filter(|r| openable(**r) && state.is_open(**r)).for_each(|r| give(Command::Close { receptacle: *r }));
    treat(Condition::Cool, give);
    if let Some(object) = state.held {
        give(Command::ExamineObject { object });
    }
    here.iter().for_each(|r| give(Command::ExamineReceptacle { receptacle: *r }));
    for r in &game.receptacles_by_name {
        if game.receptacles.get(*r).is_some_and(|x| x.location != state.location) {
            give(Command::GoTo { receptacle: *r });
        }
    }
    treat(Condition::Hot, give);
    if edition == Edition::Move {
        give(Command::Help);
    }
    give(Command::Inventory);
    give(Command::Look);
    here.iter().filter(|r| openable(**r) && !state.is_open(**r)).for_each(|r| give(Command::Open { receptacle: *r }));
    if let Some(object) = state.held {
        let fits = |r: &&usize| accessible(**r) && game.accepts.get(**r, object);
        here.iter().filter(fits).for_each(|r| give(Command::Put { object, receptacle: *r }));
        if matches!(game.objects.get(object).and_then(|o| o.kind.as_deref()), Some("knife" | "butterknife")) {
            for other in state.at.ones(state.location).filter(|o| game.is(*o, Property::Sliceable)) {
                give(Command::Slice { object: other, knife: object });
            }
        }
    } else {
        for r in here.iter().filter(|r| accessible(**r)) {
            for o in state.contents.ones(*r).filter(|o| game.is(*o, Property::Pickupable)) {
                give(Command::Take { object: o, receptacle: *r });
            }
        }
    }
    for r in here {
        for o in state.contents.ones(*r).filter(|o| game.is(*o, Property::Toggleable)) {
            give(Command::Use { object: o });
        }
    }
}

/// Performs an admissible command.
pub fn apply(game: &Game, state: &mut State, command: Command) {
    match command {
        Command::GoTo { receptacle } => {
            if let Some(r) = game.receptacles.get(receptacle) {
                state.location = r.location;
            }
        }
        Command::Open { receptacle } => state.opened.set(0, receptacle, true),
        Command::Close { receptacle } => state.opened.set(0, receptacle, false),
        Command::Take { object, receptacle } => {
            state.held = Some(object);
            state.contents.set(receptacle, object, false);
            state.left.set(receptacle, object, true);
            state.at.set(state.location, object, false);
        }
        Command::Put { object, receptacle } => {
            state.held = None;
            state.contents.set(receptacle, object, true);
            state.left.set(receptacle, object, false);
            state.at.set(state.location, object, true);
        }
        Command::Treat { how, object, .. } => how.flag().set(&mut state.flags, object),
        Command::Use { object } => Flag::Toggled.set(&mut state.flags, object),
        Command::Slice { object, .. } => Flag::Sliced.set(&mut state.flags, object),
        Command::Look
        | Command::Inventory
        | Command::Help
        | Command::ExamineReceptacle { .. }
        | Command::ExamineObject { .. } => {}
    }
}
