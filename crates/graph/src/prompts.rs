//! What a corrective prompt says of a step that failed where it says why (Cause): in the paper's wording and in that of the authors' two
//! published programs. The words around it are the templates'.

use std::sync::Arc;

use stepwright_plan::settings::Wording;

use crate::action::Action;
use crate::conditions::ScriptFail;
use crate::reason::{Reason, Room};
use crate::script::Line;
use crate::vocabulary::State;

/// The information of Cause on a program that contradicts itself, without the words around it.
pub fn information_of_contradiction(fail: &ScriptFail, wording: Wording) -> String {
    let state = match fail.line.action {
        Action::PlugOut => "plugged out",
        Action::PlugIn => "plugged in",
        Action::SwitchOff => "turned off",
        Action::SwitchOn if wording == Wording::Paper => "turned on",
        Action::SwitchOn => "truned on",
        Action::PutOff => "off",
        Action::Sit => "sitting",
        _ => "standing up",
    };
    // The programs print the line's own name.
    let name = if wording == Wording::Paper { plain(&fail.name, wording) } else { fail.name.to_lowercase() };
    format!("{name} is already {state}")
}

/// A name without brackets and digits, its underscores as spaces; the program of 2022 loses them.
fn plain(name: &str, wording: Wording) -> String {
    let between = if wording == Wording::Code2022 { "" } else { " " };
    let name: String = name.chars().filter(|c| !c.is_ascii_digit() && !"<>()".contains(*c)).collect();
    let name = name.to_lowercase().replace('_', between).trim().to_owned();
    // The programs put the words for the speaker wherever that name stands.
    if wording != Wording::Paper && name == "character" { "I am".to_owned() } else { name }
}

/// The information of Cause, without the words around it; `None` where the authors' program breaks off.
pub fn information(reason: &Reason, line: &Line, wording: Wording) -> Option<String> {
    let name = |class: &Arc<str>| plain(class, wording);
    let room = |room: &Room| room.0.as_ref().map_or_else(String::new, |room| name(&room.class));
    let action = line.action.name().to_lowercase();
    let object = || line.params.first().map_or_else(String::new, |param| name(&param.name));
    let paper = wording == Wording::Paper;
    let lost = wording == Wording::Code2022;
    Some(match reason {
        Reason::Sitting(_) => "I am sitting".to_owned(),
        Reason::NotInState(thing, state) => {
            let (already, printed_2022) = match state {
                State::Closed => ("open", "closed"),
                State::Open => ("closed", "open"),
                State::Off => ("on", "notoff"),
                State::On => ("off", "noton"),
                State::PluggedIn => ("plugged out", "notpluggedin"),
                State::PluggedOut => ("plugged in", "notpluggedout"),
                other => {
                    let state = other.to_string().to_lowercase();
                    return Some(format!("{} is not {state}", name(&thing.class)));
                }
            };
            format!("{} is already {}", name(&thing.class), if lost { printed_2022 } else { already })
        }
        Reason::StillOn(thing) => format!("{} is already on", name(&thing.class)),
        Reason::Unplugged(thing) => format!("{} is already unplugged", name(&thing.class)),
        Reason::NotWorn(..) if lost => return None,
        Reason::NotWorn(thing, _) => format!("{} is already off me", name(&thing.class)),
        Reason::Lying(_) if paper => "I am already lying down".to_owned(),
        Reason::Lying(_) => "I am is already lying down".to_owned(),
        Reason::NotFacing(_, thing) | Reason::NotFacingSitting(_, thing) => {
            let turned = if wording == Wording::Code2024 { "turned to face" } else { "facing" };
            format!("I am not {turned} the {}", name(&thing.class))
        }
        Reason::OtherRoom(_, there) => format!("{} doesn't exist", room(there)),
        Reason::NotHolding(_, thing) | Reason::NotGrabbed(thing) => not_held(&name(&thing.class), wording),
        Reason::NoKnife(_) => not_held("knife", wording),
        Reason::NothingHeld(_) => "I am not holding anything".to_owned(),
        Reason::Enclosed(thing) => format!("the {} is inside something", name(&thing.class)),
        Reason::Unsuited(thing, _) | Reason::NothingEatable(thing) => {
            format!("{action} {} is not allowed", name(&thing.class))
        }
        Reason::NoFreeHand(_) if paper => format!("I cannot {action} {}. My hands are full", object()),
        Reason::NoFreeHand(_) => format!("I cannot {} {action}. My hands are full", object()),
        Reason::NotClose(_, thing) => format!("I am not near the {}", name(&thing.class)),
        Reason::NotSitting(_) => "I am not sitting".to_owned(),
        Reason::NotResting(_) => "I am not lying down or sitting".to_owned(),
        Reason::Full(thing) => format!("The {} is full", name(&thing.class)),
        Reason::NoPath(here, there) => format!("The {} and {} are not connected", room(here), room(there)),
        Reason::DoorsClosed(_, _, there) => format!("The door to {} is closed", room(there)),
        Reason::NotFound(named) if paper => format!("I cannot find {}", name(&named.class)),
        Reason::Unsupported(_) if paper => format!("{action} {} is not allowed", object()),
        Reason::NotFound(_) | Reason::Unsupported(_) => return None,
    })
}

fn not_held(thing: &str, wording: Wording) -> String {
    match wording {
        Wording::Paper => format!("I don't have the {thing}"),
        Wording::Code2022 => format!("I am don't have the {thing}"),
        Wording::Code2024 => format!("I am not holding the {thing}"),
    }
}
