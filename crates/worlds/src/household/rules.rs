//! Commands: when each is admissible, how it reads, and what it changes.
//!
//! A command is accepted exactly when its text is in the admissible list. The list is only made where it is shown: a text is matched
//! against the admissible commands one by one. `text.rs` has the player's texts.

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
    pub fn text(self, game: &Game, edition: Edition) -> String {
        self.parts(game, edition).concat()
    }

    fn is(self, text: &str, game: &Game, edition: Edition) -> bool {
        self.parts(game, edition).iter().try_fold(text, |rest, part| rest.strip_prefix(*part)) == Some("")
    }

    fn parts(self, game: &Game, edition: Edition) -> [&str; 5] {
        let r = |receptacle| game.receptacle_name(receptacle);
        let o = |object| game.object_name(object);
        match self {
            Command::Look => ["look", "", "", "", ""],
            Command::Inventory => ["inventory", "", "", "", ""],
            Command::Help => ["help", "", "", "", ""],
            Command::GoTo { receptacle } => ["go to ", r(receptacle), "", "", ""],
            Command::Open { receptacle } => ["open ", r(receptacle), "", "", ""],
            Command::Close { receptacle } => ["close ", r(receptacle), "", "", ""],
            Command::Take { object, receptacle } => ["take ", o(object), " from ", r(receptacle), ""],
            Command::Put { object, receptacle } => match edition {
                Edition::Put => ["put ", o(object), " in/on ", r(receptacle), ""],
                Edition::Move => ["move ", o(object), " to ", r(receptacle), ""],
            },
            Command::Treat { how, object, receptacle } => [how.verb(), " ", o(object), " with ", r(receptacle)],
            Command::Use { object } => ["use ", o(object), "", "", ""],
            Command::Slice { object, knife } => ["slice ", o(object), " with ", o(knife), ""],
            Command::ExamineReceptacle { receptacle } => ["examine ", r(receptacle), "", "", ""],
            Command::ExamineObject { object } => ["examine ", o(object), "", "", ""],
        }
    }

    /// Whether it only reports: no state changes, so the admissible commands stay.
    pub fn reports(self) -> bool {
        use Command::{ExamineObject, ExamineReceptacle, Help, Inventory, Look};
        matches!(self, Look | Inventory | Help | ExamineObject { .. } | ExamineReceptacle { .. })
    }
}

/// The admissible command of a text, which must be exactly it (the caller trims). Of commands with one text it is the first, which is
/// also the one the menu keeps.
pub fn find(game: &Game, state: &State, edition: Edition, text: &str) -> Option<Command> {
    let mut found = None;
    commands(game, state, edition, &mut |command| {
        if found.is_none() && command.is(text, game, edition) {
            found = Some(command);
        }
    });
    found
}

/// The texts of the admissible commands of a state, sorted by code point without duplicates.
pub fn menu(game: &Game, state: &State, edition: Edition) -> Vec<String> {
    let mut texts = Vec::with_capacity(game.receptacles.len() + 24);
    commands(game, state, edition, &mut |command| texts.push(command.text(game, edition)));
    // The commands come nearly in order, which the merge sort turns into one pass of comparisons.
    texts.sort();
    texts.dedup();
    texts
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

pub fn apply(game: &Game, state: &mut State, command: Command) {
    match command {
        Command::GoTo { receptacle } => {
            if let Some(r) = game.receptacles.get(receptacle) {
                state.location = r.location;
            }
        }
        Command::Open { receptacle } => {
            state.opened.set(0, receptacle, true);
        }
        Command::Close { receptacle } => {
            state.opened.set(0, receptacle, false);
        }
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
        Command::Treat { how, object, .. } => {
            how.flag().set(&mut state.flags, object);
        }
        Command::Use { object } => {
            Flag::Toggled.set(&mut state.flags, object);
        }
        Command::Slice { object, .. } => {
            Flag::Sliced.set(&mut state.flags, object);
        }
        Command::Look
        | Command::Inventory
        | Command::Help
        | Command::ExamineReceptacle { .. }
        | Command::ExamineObject { .. } => {}
    }
}
