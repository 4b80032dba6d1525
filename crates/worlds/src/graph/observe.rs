//! Observation: what the person sees after a step, in a sentence and as program calls. Only what changed is reported again.

use stepwright_graph::possible::in_sight;
use stepwright_graph::{At, Graph, Relation, States};

use super::names::Things;
use super::program::PERSON;
use stepwright_program::{Call, Literal};

/// The state that programs have been told.
#[derive(Debug, Clone, Default)]
pub(crate) struct Reported {
    at: Option<String>,
    held: Vec<String>,
    near: Vec<String>,
    faced: Vec<String>,
    posture: Option<&'static str>,
    things: std::collections::BTreeMap<String, (States, Option<(Relation, String)>)>,
}

/// Whether the person sits, lies or stands.
fn posture(graph: &Graph) -> &'static str {
    let states = graph.states(graph.character());
    match (states.has(stepwright_graph::State::Sitting), states.has(stepwright_graph::State::Lying)) {
        (true, _) => "sitting",
        (_, true) => "lying",
        _ => "standing",
    }
}

/// Where a thing lies: on something, or in something that is no room.
pub(crate) fn place_of(graph: &Graph, at: At) -> Option<(Relation, At)> {
    let me = graph.character();
    let on = graph.targets(at, Relation::On).find(|place| *place != me).map(|place| (Relation::On, place));
    let inside = || graph.targets(at, Relation::Inside).find(|place| !graph.node(*place).is_room());
    on.or_else(|| inside().map(|place| (Relation::Inside, place)))
}

fn names(things: &Things, of: impl Iterator<Item = At>) -> Vec<String> {
    let mut names: Vec<String> = of.map(|at| things.name(at).to_owned()).collect();
    names.sort();
    names
}

impl Reported {
    /// The calls for what differs from the last report.
    pub fn update(&mut self, graph: &Graph, things: &Things) -> Vec<Call> {
        let me = graph.character();
        let mut calls = Vec::new();
        let seen = in_sight(graph);
        let room = graph.room_of(me).map(|room| things.name(room).to_owned());
        if self.at != room {
            calls.extend(room.as_deref().map(|room| Call::new(PERSON, "be_in", [room])));
            self.at = room;
        }
        for &at in &seen {
            let place = place_of(graph, at).map(|(relation, place)| (relation, things.name(place).to_owned()));
            let states = graph.states(at);
            let name = things.name(at);
            let known = self.things.get(name);
            if known.map(|(states, _)| *states) != Some(states) {
                let words = states.iter().map(|state| Literal::from(state.to_string().to_lowercase()));
                let args: Vec<Literal> = std::iter::once(Literal::from(name)).chain(words).collect();
                calls.push(Call::new("home", "set_states", args));
            }
            let known_place = known.and_then(|(_, place)| place.as_ref());
            if known_place != place.as_ref() {
                let (how, where_) = place.as_ref().map_or(("nowhere", ""), |(relation, place)| {
                    (if *relation == Relation::On { "on" } else { "in" }, place.as_str())
                });
                calls.push(Call::new("home", "set_place", [name, how, where_]));
            }
            self.things.insert(name.to_owned(), (states, place));
        }
        let mut list = |function: &str, known: &mut Vec<String>, now: Vec<String>| {
            if *known != now {
                calls.push(Call::new(PERSON, function, now.iter().map(String::as_str)));
                *known = now;
            }
        };
        list("hold", &mut self.held, names(things, graph.held()));
        list("be_near", &mut self.near, names(things, seen.iter().copied().filter(|at| graph.is_close(*at))));
        list("face", &mut self.faced, names(things, graph.targets(me, Relation::Facing)));
        let now = posture(graph);
        if self.posture != Some(now) {
            calls.push(Call::new(PERSON, "rest", [now]));
            self.posture = Some(now);
        }
        calls
    }
}

/// The household around the person in a few sentences.
pub fn sentence(graph: &Graph, things: &Things) -> String {
    let me = graph.character();
    let room = graph.room_of(me).map(|room| format!("the {}", graph.node(room).class.replace('_', " ")));
    let room = room.unwrap_or_else(|| "no room".to_owned());
    let listed = |of: Vec<String>| if of.is_empty() { "nothing".to_owned() } else { of.join(", ") };
    let noted = |at: At| {
        let states: Vec<String> = notable(graph, at);
        let name = things.name(at);
        if states.is_empty() { name.to_owned() } else { format!("{name} ({})", states.join(", ")) }
    };
    // As the variables have it: whoever stands before a closed cupboard does not see what lies in it.
    let seen = in_sight(graph);
    let near = graph.targets(me, Relation::Close).filter(|at| !graph.node(*at).is_room() && seen.contains(at));
    let near = near.map(noted).collect();
    format!(
        "You are in {room}, {}, and hold {}. Close to you: {}.",
        posture(graph),
        listed(names(things, graph.held())),
        listed(near)
    )
}

/// The states of a thing that are worth saying: not that it is clean or plugged in.
pub(crate) fn notable(graph: &Graph, at: At) -> Vec<String> {
    use stepwright_graph::State;
    let quiet = [State::Clean, State::PluggedIn];
    let states = graph.states(at).iter().filter(|state| !quiet.contains(state));
    states.map(|state| state.to_string().to_lowercase().replace('_', " ")).collect()
}
