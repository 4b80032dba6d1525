//! Texts shown to the player, verbatim as ALFWorld's engine prints it in either edition.

use super::Edition;
use super::definition::Property;
use super::game::Game;
use super::rules::Command;
use super::state::{Flag, State};

pub(crate) const NOTHING_HAPPENS: &str = "Nothing happens.";

/// The fixed answer to `help`, which only edition `move` has.
const HELP: &str = "Available commands:
  look:                             look around your current location
  inventory:                        check your current inventory
  go to (receptacle):               move to a receptacle
  open (receptacle):                open a receptacle
  close (receptacle):               close a receptacle
  take (object) from (receptacle):  take an object from a receptacle
  move (object) to (receptacle):  place an object in or on a receptacle
  examine (something):              examine a receptacle or an object
  use (object):                     use an object
  heat (object) with (receptacle):  heat an object using a receptacle
  clean (object) with (receptacle): clean an object using a receptacle
  cool (object) with (receptacle):  cool an object using a receptacle
  slice (object) with (object):     slice an object using a sharp object
";

/// The text of a reset: the welcome, all receptacles, the task.
pub fn reset(game: &Game) -> String {
    format!(
        "-= Welcome to TextWorld, ALFRED! =-\n\nYou are in the middle of a room. Looking quickly around you, you see \
         {}.\n\nYour task is to: {}",
        list(game.receptacles.iter().map(|r| r.name.as_str())),
        game.task
    )
}

/// The observation of a command that was performed; `state` is the state after it.
pub fn observation(game: &Game, state: &State, command: Command, edition: Edition) -> String {
    let r = |receptacle| game.receptacle_name(receptacle);
    let o = |object| game.object_name(object);
    match command {
        Command::Look => look(game, state),
        Command::Inventory => match state.held {
            Some(object) => format!("You are carrying: a {}.", o(object)),
            None => "You are not carrying anything.".to_owned(),
        },
        Command::Help => HELP.to_owned(),
        Command::GoTo { receptacle } => {
            let place = match edition {
                Edition::Put => game.locations.get(state.location).map_or("", String::as_str),
                Edition::Move => r(receptacle),
            };
            format!("You arrive at {place}. {}", view(game, state, receptacle))
        }
        Command::Open { receptacle } => format!("You open the {}. {}", r(receptacle), view(game, state, receptacle)),
        Command::Close { receptacle } => format!("You close the {}.", r(receptacle)),
        Command::Take { object, receptacle } => format!("You pick up the {} from the {}.", o(object), r(receptacle)),
        Command::Put { object, receptacle } => match edition {
            Edition::Put => format!("You put the {} in/on the {}.", o(object), r(receptacle)),
            Edition::Move => format!("You move the {} to the {}.", o(object), r(receptacle)),
        },
        Command::Treat { how, object, receptacle } => {
            format!("You {} the {} using the {}.", how.verb(), o(object), r(receptacle))
        }
        Command::Use { object } => format!("You turn on the {}.", o(object)),
        Command::Slice { object, knife } => format!("You sliced the {} with the {}.", o(object), o(knife)),
        Command::ExamineReceptacle { receptacle } => view(game, state, receptacle),
        Command::ExamineObject { object } => examine(game, state, object),
    }
}

/// A receptacle as the player sees it; a closed one hides what it holds.
fn view(game: &Game, state: &State, receptacle: usize) -> String {
    let name = game.receptacle_name(receptacle);
    let contents = || list(state.contents.ones(receptacle).map(|o| game.object_name(o)));
    match game.receptacles.get(receptacle).is_some_and(|r| r.openable) {
        true if state.is_open(receptacle) => format!("The {name} is open. In it, you see {}.", contents()),
        true => format!("The {name} is closed."),
        false => format!("On the {name}, you see {}.", contents()),
    }
}

fn look(game: &Game, state: &State) -> String {
    let here = game.standing_at(state.location);
    if here.is_empty() {
        return "You are in the middle of a room. Looking quickly around you, you see nothing.".to_owned();
    }
    let facing: Vec<&str> = here.iter().map(|r| game.receptacle_name(*r)).collect();
    // An object is listed once for each receptacle here that it was taken from and not put back into.
    let beside = state
        .at
        .ones(state.location)
        .flat_map(|o| here.iter().filter(move |r| state.left.get(**r, o)).map(move |_| game.object_name(o)));
    format!("You are facing the {}. Next to it, you see {}.", join_names(facing.iter().copied(), ""), list(beside))
}

fn examine(game: &Game, state: &State, object: usize) -> String {
    let name = game.object_name(object);
    if game.is(object, Property::IsReceptacleObject) {
        let inside = game.objects.get(object).map_or(&[][..], |o| &o.inside);
        return format!(
            "This is a normal {name}. In it, you see {}.",
            list(inside.iter().map(|o| game.object_name(*o)))
        );
    }
    let is = |flag| state.is(object, flag);
    let (clean, hot, cool, sliced) = (is(Flag::Clean), is(Flag::Hot), is(Flag::Cool), is(Flag::Sliced));
    let condition = match (clean, hot, cool, sliced) {
        (true, true, _, true) => "hot and clean sliced",
        (true, _, true, true) => "cool and clean sliced",
        (true, _, _, true) => "clean sliced",
        (_, true, _, true) => "hot sliced",
        (_, _, true, true) => "cool sliced",
        (true, true, ..) => "hot and clean",
        (true, _, true, _) => "cool and clean",
        (_, true, ..) => "hot",
        (true, ..) => "clean",
        (_, _, true, _) => "cold",
        _ if game.is(object, Property::Toggleable) && is(Flag::Toggled) => return format!("This {name} is on."),
        _ if game.is(object, Property::Sliceable) && sliced => "sliced",
        _ => return format!("There's nothing special about {name}."),
    };
    format!("This is a {condition} {name}.")
}

/// A list with articles: `nothing`, `a X`, `a X, and a Y`, `a X, a Y, and a Z`. The article is always `a`.
fn list<'a>(names: impl Iterator<Item = &'a str>) -> String {
    join_names(names, "a ")
}

fn join_names<'a>(names: impl Iterator<Item = &'a str>, article: &str) -> String {
    let names: Vec<String> = names.map(|name| format!("{article}{name}")).collect();
    match names.as_slice() {
        [] => "nothing".to_owned(),
        [only] => only.clone(),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
    }
}
