//! Transcripts of the household as program calls, in either wording: what [`program`](super::program) says of a game, read off what
//! the player read.

use stepwright_trajectory::{Step, Trajectory};

use super::{Edition, program};
use stepwright_program::Call;
use stepwright_world::transcript::Transcript;

pub(crate) static TRANSCRIPT: Transcript = Transcript {
    environments: &["alfworld", "household"],
    specification: include_str!("../../worlds/household/spec.py"),
    read,
    call_of,
    text_of: |call| program::text_of(call, Edition::Put),
    // Of two receptacles at one place the game shows one, and what is in the other can be reached too.
    shown: |call| vec![visible((0..).map_while(|at| call.text(at)).map(str::to_owned).collect())],
    header: program::header,
    tools: None,
};

fn call_of(text: &str) -> Option<Call> {
    program::call_of(text, Edition::Put).or_else(|| program::call_of(text, Edition::Move))
}

fn read(log: &Trajectory) -> Vec<Step> {
    let mut reset = log.reset();
    if !reset.observed().is_empty() {
        reset.calls = vec![visible(listed(reset.observed(), "you see "))];
    }
    let read = |step: &Step| {
        let refused = step.is_refused();
        let call = call_of(&step.action).filter(|_| !refused);
        let calls = if refused { Vec::new() } else { observed(step.observed().trim()) };
        Step { call, calls, refused, ..step.clone() }
    };
    std::iter::once(reset).chain(log.steps.iter().map(read)).collect()
}

fn observed(text: &str) -> Vec<Call> {
    let between = |text: &str, from: &str, to: &str| -> Option<String> {
        Some(text.strip_prefix(from)?.strip_suffix('.')?.split_once(to)?.0.to_owned())
    };
    if let Some(object) = between(text, "You pick up the ", " from the ") {
        return vec![agent("add_inventory", &object)];
    }
    let put = between(text, "You put the ", " in/on the ").or_else(|| between(text, "You move the ", " to the "));
    if let Some(object) = put {
        return vec![agent("remove_inventory", &object)];
    }
    for verb in ["clean", "heat", "cool"] {
        if let Some(object) = between(text, &format!("You {verb} the "), " using the ") {
            return vec![program::property_call(&object, verb, true)];
        }
    }
    let whole = |from: &str| text.strip_prefix(from)?.strip_suffix('.');
    if let Some(object) = whole("You turn on the ") {
        return vec![program::property_call(object, "toggle", true)];
    }
    if let Some(receptacle) = whole("You close the ") {
        return vec![program::property_call(receptacle, "open", false)];
    }
    view(text)
}

/// The calls in a view of a receptacle. It comes after an arrival or an opening, or alone.
fn view(text: &str) -> Vec<Call> {
    let starts = ["On the ", "The "].into_iter().filter_map(|word| {
        if text.starts_with(word) { Some(0) } else { text.rfind(&format!(" {word}")).map(|at| at + 1) }
    });
    let Some(view) = starts.min().and_then(|at| text.get(at..)) else { return Vec::new() };
    let names = |receptacle: &str, rest: &str| {
        let mut names = vec![receptacle.to_owned()];
        names.extend(listed(rest, "you see "));
        names
    };
    if let Some((receptacle, rest)) = view.strip_prefix("On the ").and_then(|view| view.split_once(", ")) {
        return vec![visible(names(receptacle, rest))];
    }
    let Some((receptacle, rest)) = view.strip_prefix("The ").and_then(|view| view.split_once(" is ")) else {
        return Vec::new();
    };
    match rest.trim_end_matches('.') {
        "closed" => vec![program::property_call(receptacle, "open", false)],
        rest if rest.starts_with("open") => {
            let seen = names(receptacle, rest);
            let mut calls = vec![program::property_call(receptacle, "open", true)];
            if seen.len() > 1 {
                calls.push(visible(seen));
            }
            calls
        }
        _ => Vec::new(),
    }
}

/// The things of a list with articles (`a mug 1, and a pen 2`), after some words.
fn listed(text: &str, after: &str) -> Vec<String> {
    let Some((_, list)) = text.split_once(after) else { return Vec::new() };
    let list = list.split(['.', '\n']).next().unwrap_or_default();
    let things = list.split(", ").map(|part| part.trim().trim_start_matches("and ").trim_start());
    things
        .filter_map(|thing| thing.strip_prefix("a ").or_else(|| thing.strip_prefix("an ")))
        .map(str::to_owned)
        .collect()
}

fn visible(names: Vec<String>) -> Call {
    Call::new("agent", "update_visible_objects", names)
}

fn agent(function: &str, name: &str) -> Call {
    Call::new("agent", function, [name])
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use super::*;
    use stepwright_world::OpenSpec;

    /// All that the game reports as calls is read off its texts: every demonstration that ships, with a refused command after each step.
    #[test]
    fn texts_say_what_the_game_tells() {
        let sources = crate::sources();
        for edition in ["put", "move"] {
            let options = BTreeMap::from([("edition".to_owned(), edition.to_owned())]);
            for task in sources.tasks("household", None).unwrap().iter().step_by(7) {
                let spec = OpenSpec { world: "household", data: None, options: &options, task: &task.id };
                let mut opened = sources.open(&spec).unwrap();
                let reset = opened.world.reset(&opened.task, 0).unwrap();
                let mut log =
                    Trajectory { initial_observation: Some(reset.observation.clone()), ..Trajectory::default() };
                let mut expected = vec![(None, reset.observation_calls)];
                for turn in 0..40usize {
                    let admissible = opened.world.admissible().unwrap();
                    let tells = |text: &&String| !["look", "inventory", "help"].contains(&text.as_str());
                    let choices: Vec<&String> = admissible.iter().filter(tells).collect();
                    let text = match turn % 9 {
                        8 => "go to nowhere 1".to_owned(),
                        _ => choices[(turn * 13 + turn / 3) % choices.len()].clone(),
                    };
                    let outcome = opened.world.act(&text).unwrap();
                    log.steps.push(Step { action: text, observation: Some(outcome.observation), ..Step::default() });
                    expected.push((outcome.action_call, outcome.observation_calls));
                    if outcome.done {
                        break;
                    }
                }
                for (at, (found, (action, calls))) in read(&log).into_iter().zip(expected).enumerate() {
                    let step = at.checked_sub(1).and_then(|at| log.steps.get(at));
                    assert_eq!(found.calls, calls, "{edition} {step:?}");
                    assert_eq!(found.call, action, "{edition} {step:?}");
                }
            }
        }
    }
}
