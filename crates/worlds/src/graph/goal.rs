//! Goals: literals over the household and over what was done (`INSIDE milk_1 fridge_1`, `DID_READ book_1`), and whether they hold.

use stepwright_graph::vocabulary::Flag as _;
use stepwright_graph::{Action, At, Graph, Names, PropertyTable, Relation, State};

use super::names::{self, Things};
use stepwright_world::{Atom, nearest_ids};

/// The predicate of an action that was done begins so.
const DID: &str = "DID_";

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Says {
    /// A thing is in a state (`OPEN fridge_1`).
    Is(State),
    OnTop,
    Inside,
    Holds,
    Wears,
    /// The person is close to a thing.
    Near,
    Faces,
    SitsOn,
    LiesOn,
    At,
    Did(Action),
}

/// The meaning of an atom's predicate, and whom it is said of.
pub fn read(atom: &Atom) -> Result<Says, String> {
    let (says, takes) = match atom.predicate.as_str() {
        "ON_TOP" => (Says::OnTop, 2),
        "INSIDE" => (Says::Inside, 2),
        "HOLDS" => (Says::Holds, 1),
        "WEARS" => (Says::Wears, 1),
        "NEAR" => (Says::Near, 1),
        "FACES" => (Says::Faces, 1),
        "SITS_ON" => (Says::SitsOn, 1),
        "LIES_ON" => (Says::LiesOn, 1),
        "AT" => (Says::At, 1),
        other => match (other.parse::<State>(), other.strip_prefix(DID).map(str::parse::<Action>)) {
            (Ok(state), _) => (Says::Is(state), 1),
            (_, Some(Ok(action))) => (Says::Did(action), action.arity()),
            _ => {
                let states: Vec<&str> = State::ALL.iter().map(|state| state.name()).collect();
                return Err(format!(
                    "`{atom}`: no goal begins with `{other}`; expected {}, ON_TOP, INSIDE, HOLDS, WEARS, NEAR, FACES, SITS_ON, \
                     LIES_ON, AT or DID_ with an action",
                    states.join(", ")
                ));
            }
        },
    };
    if atom.args.len() != takes {
        return Err(format!("`{atom}`: expected {takes} names of things after `{}`", atom.predicate));
    }
    match atom.args.iter().find(|name| names::parts(name).is_none()) {
        Some(name) => Err(format!("`{atom}`: `{name}` is no thing; expected a class and a number, such as `cup_1`")),
        None => Ok(says),
    }
}

/// A household as goals are read in it.
pub struct Household<'a> {
    pub number: i64,
    pub graph: &'a Graph,
    pub things: &'a Things,
    pub names: &'a Names,
    pub general: &'a Names,
    pub properties: &'a PropertyTable,
}

/// Whether a goal is of things that are in the household or, where steps are `prepared` for, that preparing may add there.
/// Errors: it is not, so that it could never hold.
pub fn possible(atom: &Atom, household: &Household<'_>, prepared: bool) -> Result<(), String> {
    let says = read(atom)?;
    let Household { graph, things, .. } = household;
    // What is to be done counts as the step names it, which may be by a name of scripts.
    let did = matches!(says, Says::Did(_));
    for param in atom.args.iter().filter_map(|name| names::parts(name)) {
        let name = format!("{}_{}", param.name, param.number);
        let names = if prepared { household.general } else { household.names };
        let found = if did { things.named(&param, graph, names) } else { things.find(&name) };
        if let Some(at) = found {
            if says == Says::At && !graph.node(at).is_room() {
                return Err(format!("`{atom}`: `{name}` is no room; name one, such as `kitchen_1`"));
            }
            continue;
        }
        let class = if did { household.general.in_scene(&param.name) } else { param.name };
        let may_be_added = graph.first_of(&class).is_some() || household.properties.of(&class).is_some();
        if prepared && may_be_added {
            continue;
        }
        let nearest = nearest_ids(things.all(), &name).join(", ");
        let more = if may_be_added { "; with `--run prepared` it may be added" } else { "" };
        return Err(format!(
            "`{atom}`: `{name}` is no thing of scene {}; name one of its things (nearest: {nearest}){more}",
            household.number
        ));
    }
    Ok(())
}

pub fn did(action: Action, things: &[String]) -> Atom {
    Atom::new(format!("{DID}{}", action.name()), things)
}

/// Whether a goal holds; a goal about a thing there is not does not.
pub fn holds(atom: &Atom, graph: &Graph, things: &Things, done: &[Atom]) -> Option<bool> {
    let says = read(atom).ok()?;
    let found: Vec<At> = atom.args.iter().filter_map(|name| things.find(name)).collect();
    let me = graph.character();
    Some(match (says, found.as_slice()) {
        (Says::Did(_), _) => done.contains(atom),
        (Says::Is(state), [thing]) => graph.is(*thing, state),
        (Says::OnTop, [thing, place]) => graph.holds(*thing, Relation::On, *place),
        (Says::Inside, [thing, place]) => graph.holds(*thing, Relation::Inside, *place),
        (Says::Holds, [thing]) => graph.held().any(|held| held == *thing),
        (Says::Wears, [thing]) => graph.is_worn(*thing),
        (Says::Near, [thing]) => graph.is_close(*thing),
        (Says::Faces, [thing]) => graph.is_faced(*thing),
        (Says::SitsOn, [seat]) => graph.holds(me, Relation::On, *seat) && graph.is(me, State::Sitting),
        (Says::LiesOn, [bed]) => graph.holds(me, Relation::On, *bed) && graph.is(me, State::Lying),
        (Says::At, [room]) => graph.room_of(me) == Some(*room),
        _ => false,
    })
}
