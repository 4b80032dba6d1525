//! Planning problem of a kitchen's facts and goals, and plans back as its actions.
//!
//! Only the facts go in. Of goal things that are not seen, a problem says no more than what the goals imply (what is
//! to be put somewhere can be taken, what is to be switched on has a switch) and, where that is [`Unseen::InRoom`], that they are
//! in the room.

use std::collections::BTreeSet;
use std::sync::LazyLock;

use stepwright_world::blocking::Domain;
use stepwright_world::literal::{Atom, Facts};
use stepwright_world::planner::classical::{Names, PlanningTask, Step, Unseen};

/// The domain: preconditions and effects of actions.
static DOMAIN: LazyLock<String> =
    LazyLock::new(|| Domain::pddl(include_str!("../../worlds/kitchen/domain.toml")).unwrap_or_default());

/// A step of a plan as the world's action; `None` for a step that stands for none.
fn action(names: &Names, step: &Step) -> Option<String> {
    let mut text = step.action.clone();
    for name in &step.args {
        text.push(' ');
        text.push_str(names.thing(name)?);
    }
    Some(text)
}

type Claim = Vec<String>;

fn claim(predicate: &str, things: &[&str]) -> Claim {
    std::iter::once(predicate).chain(things.iter().copied()).map(str::to_owned).collect()
}

/// The problem of reaching the goals from what is known.
/// Errors: a goal that the domain has no words for.
pub fn problem(title: &str, facts: &Facts, goals: &[Atom], known: Unseen) -> Result<PlanningTask, String> {
    let mut start: BTreeSet<Claim> = facts.atoms.iter().filter_map(of_atom).collect();
    let dirty = |thing: &str| facts.holds("DIRTY", &[thing]);
    for thing in &facts.things {
        if known != Unseen::Everything || facts.holds("VISIBLE", &[thing]) {
            start.insert(claim("visible", &[thing]));
        }
        start.insert(claim("located", &[thing]));
        if !dirty(thing) {
            start.insert(claim("clean", &[thing]));
        }
    }
    let mut wanted: Vec<String> = Vec::new();
    for goal in goals {
        let (literal, implied) = of_goal(goal)?;
        wanted.push(literal);
        start.extend(implied);
        for thing in goal.args.iter().filter(|a| *a != CHARACTER) {
            if known != Unseen::Nothing {
                start.insert(claim("located", &[thing]));
            }
        }
    }
    let goal_things = goals.iter().flat_map(|g| &g.args).filter(|a| *a != CHARACTER);
    let things: BTreeSet<String> = facts.things.iter().chain(goal_things).cloned().collect();
    // Slices are named after what they are cut from.
    for slice in &things {
        let whole = things.iter().find(|whole| slice.strip_prefix(*whole).is_some_and(|rest| rest.starts_with('|')));
        if let Some(whole) = whole.filter(|_| slice.contains("Sliced_")) {
            start.insert(claim("slice-of", &[slice, whole]));
        }
    }
    let names = Names::of(things);
    let wanted: Vec<String> = wanted.iter().map(|literal| renamed(literal, &names)).collect();
    let goal = format!("(and {})", wanted.join(" "));
    let read = |names: &Names, plan: &[Step]| plan.iter().map_while(|step| action(names, step)).collect();
    Ok(PlanningTask::new(("kitchen", DOMAIN.as_str()), title, names, &start, &goal, read))
}

/// The word that stands for the robot in literals.
const CHARACTER: &str = "character";

fn of_atom(atom: &Atom) -> Option<Claim> {
    let args: Vec<&str> = atom.args.iter().map(String::as_str).collect();
    let predicate = match (atom.predicate.as_str(), args.as_slice()) {
        ("CLOSE", [_]) => "close",
        ("HOLDS", [_]) => "holding",
        ("HANDS_EMPTY", []) => "hand-empty",
        ("IN" | "INSIDE" | "ON_TOP", [_, _]) => "in",
        ("SURFACES" | "CONTAINER", [_]) => "receptacle",
        ("CAN_OPEN", [_]) => "openable",
        ("OPEN", [_]) => "open",
        ("HAS_SWITCH", [_]) => "device",
        ("ON", [_]) => "on",
        ("GRABBABLE", [_]) => "grabbable",
        ("SLICED", [_]) => "sliced",
        ("COOKED", [_]) => "cooked",
        ("HIDDEN_IN", [_, _]) => "hidden-in",
        ("REFUSES", [_, _]) => "refuses",
        ("FULL", [_]) => "full",
        ("LAST_PLACE", [_]) => "last-place",
        ("OBSTRUCTS", [_, _]) => "obstructs",
        _ => return None,
    };
    Some(claim(predicate, &args))
}

/// A goal in the domain's words (with the world's names still), and what it implies of its things.
fn of_goal(goal: &Atom) -> Result<(String, Vec<Claim>), String> {
    let args: Vec<&str> = goal.args.iter().map(String::as_str).filter(|a| *a != CHARACTER).collect();
    let literal = |predicate: &str, args: &[&str]| format!("({predicate} {})", args.join(" "));
    // Something is done to a thing in a receptacle by a device.
    let treated = |predicate: &str, x: &str, how: Claim, receptacle: &str, device: &str| {
        let implied = [how, claim("receptacle", &[receptacle]), claim("device", &[device]), claim("grabbable", &[x])];
        (literal(predicate, &[x]), implied.into())
    };
    Ok(match (goal.predicate.as_str(), args.as_slice()) {
        ("INSIDE" | "ON" | "IN" | "ON_TOP", &[x, r]) => {
            (literal("in", &[x, r]), vec![claim("grabbable", &[x]), claim("receptacle", &[r])])
        }
        ("ON", &[d]) => (literal("on", &[d]), vec![claim("device", &[d])]),
        ("OFF", &[d]) => (format!("(not {})", literal("on", &[d])), vec![claim("device", &[d])]),
        ("OPEN", &[r]) => (literal("open", &[r]), vec![claim("openable", &[r])]),
        ("CLOSED", &[r]) => (format!("(not {})", literal("open", &[r])), vec![claim("openable", &[r])]),
        ("SLICED", &[x]) => (literal("sliced", &[x]), vec![claim("to-slice", &[x])]),
        ("HOLDS", &[x]) => (literal("holding", &[x]), vec![claim("grabbable", &[x])]),
        ("COOKED", &[x, d]) => treated("cooked", x, claim("cooks", &[d, x]), d, d),
        ("COOKED", &[x, d, c]) => treated("cooked", x, claim("cooks", &[c, x]), c, d),
        ("WASHED_SINK", &[x, s, f]) => treated("clean", x, claim("rinses", &[f, s]), s, f),
        ("WASHED", &[x, d]) => treated("clean", x, claim("rinses", &[d, d]), d, d),
        _ => return Err(format!("the planning domain of the kitchen has no words for the goal `{goal}`")),
    })
}

fn renamed(literal: &str, names: &Names) -> String {
    let words = literal.split(' ').map(|word| {
        let bare = word.trim_matches(['(', ')']);
        names.name(bare).map_or_else(|| word.to_owned(), |name| word.replace(bare, name))
    });
    words.collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
#[path = "planning_tests.rs"]
mod tests;
