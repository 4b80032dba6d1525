//! A made-up recording of a shipped game agrees with the product; each planted change of it is found.

use std::path::Path;

use serde_json::{Value, json};
use stepwright_trajectory::react::{first, seen};
use stepwright_world::World;
use stepwright_worlds::household::{Edition, HouseholdWorld, Source};

use super::folder::Exception;
use super::react::FOLDERS;
use super::rows;

const HEAD: &str = "Act in a house.\n";
const EXAMPLE: &str = "A made-up example.\n> look\nNothing is here.\n";

/// The recording of a game that is won by its plan, and the game.
fn recorded() -> (Value, String) {
    let source = Source::shipped().unwrap();
    let id = source.tasks()[0].id.clone();
    let game = source.definition(&id).unwrap();
    let mut world = HouseholdWorld::new(source, Edition::Move);
    let reset = world.reset(&id, 0).unwrap();
    let mut transcript = format!("\nHere is the task.\n{}\n>", first(&reset.observation));
    let mut calls = Vec::new();
    for action in &game.plan {
        calls.push(json!({
            "purpose": "act", "api": "completions",
            "params": {
                "model": "m", "temperature": 0, "max_tokens": 100, "top_p": 1, "frequency_penalty": 0.0,
                "presence_penalty": 0.0, "stop": "\n",
            },
            "prompt": [HEAD, {"text": "react_put_1"}, {"text": "react_put_0"}, transcript],
            "answers": [format!(" {action}")],
        }));
        let outcome = world.act(action).unwrap();
        transcript.push_str(&format!(" {action}\n{}\n>", seen(&outcome.observation)));
    }
    let episode = json!({
        "task": {"id": id, "edition": "move", "kind": "put"}, "calls": calls, "outcome": {"returned": true},
    });
    (episode, serde_json::to_string(&game).unwrap())
}

/// Differences of an episode, and what the rows say.
fn compared(episode: &Value, game: &str, exceptions: &[Exception]) -> (u64, String) {
    let data = tempfile::tempdir().unwrap();
    let write = |path: &str, text: &str| {
        let path = data.path().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    };
    write("alfworld/games.jsonl", game);
    let template = format!(
        "{HEAD}{{{{ example_1 }}}}{{{{ example_0 }}}}\nHere is the task.\n{{{{ first }}}}\n>{{% for step in steps %}} {{{{ \
         step.action }}}}\n{{{{ step.observation }}}}\n>{{% endfor %}}"
    );
    write("requests/react_alfworld/templates/act.jinja", &template);
    write("requests/react_alfworld/texts/react_put_1.txt", EXAMPLE);
    write("requests/react_alfworld/texts/react_put_0.txt", EXAMPLE);
    write("requests/react_alfworld/episodes.jsonl", &format!("{episode}\n"));
    let one: Vec<_> = rows(&data.path().join("requests"), &FOLDERS[..1], exceptions);
    let said =
        one.iter().map(|row| format!("{} {:?} {:?} {:?}\n", row.what, row.note, row.first, row.others)).collect();
    (one.iter().map(|row| row.differences).sum(), said)
}

#[test]
fn a_planted_change_is_found() {
    let (episode, game) = recorded();
    let calls = episode["calls"].as_array().unwrap().len();
    let (none, said) = compared(&episode, &game, &[]);
    assert_eq!(none, 0, "{said}");
    assert!(said.contains(&format!("{calls} of {calls} calls and 1 of 1 ends equal")), "{said}");
    let planted = |path: &str, value: Value| {
        let mut changed = episode.clone();
        let (parent, key) = path.rsplit_once('/').unwrap();
        match changed.pointer_mut(parent).unwrap() {
            Value::Array(items) => items[key.parse::<usize>().unwrap()] = value,
            fields => fields[key] = value,
        }
        compared(&changed, &game, &[])
    };
    for (path, value, found) in [
        ("/calls/1/params/temperature", json!(0.1), "call 2, temperature"),
        ("/calls/1/params/stop", json!(null), "call 2, stop"),
        ("/calls/1/params/logprobs", json!(1), "call 2, logprobs"),
        ("/calls/1/params/best_of", json!(3), "call 2, parameter"),
        ("/calls/1/prompt/1", json!(""), "call 2, prompt"),
        ("/calls/1/prompt/0", json!("Act in the house.\n"), "call 2, prompt"),
        ("/outcome/returned", json!(false), "the end, returned"),
    ] {
        let (differences, said) = planted(path, value);
        assert!(differences == 1 && said.contains(found), "{path}: {differences} {said}");
    }
    // One call fewer than the product makes, and one more.
    let mut shorter = episode.clone();
    shorter["calls"].as_array_mut().unwrap().pop();
    assert!(compared(&shorter, &game, &[]).1.contains("that the original does not make"));
    let mut longer = episode.clone();
    let last = longer["calls"][0].clone();
    longer["calls"].as_array_mut().unwrap().push(last);
    assert!(compared(&longer, &game, &[]).1.contains("no call"));
}

/// A recording that ends in calls without an answer is compared to its last one.
#[test]
fn what_is_never_answered_is_compared() {
    let (mut episode, game) = recorded();
    let calls = episode["calls"].as_array_mut().unwrap();
    let all = calls.len() + 1;
    let mut silent = calls.pop().unwrap();
    silent["answers"] = json!([]);
    silent["note"] = json!("raised APITimeoutError");
    calls.extend([silent.clone(), silent]);
    let said = compared(&episode, &game, &[]).1;
    assert!(said.contains(&format!("{all} of {all} calls")), "{said}");
    episode["calls"][all - 1]["prompt"][0] = json!("Act in the house.\n");
    assert!(compared(&episode, &game, &[]).1.contains(&format!("call {all}, prompt")));
}

#[test]
fn an_exception_is_said_and_so_is_one_that_excuses_nothing() {
    let (mut episode, game) = recorded();
    episode["calls"][0]["params"]["temperature"] = json!(0.5);
    let warm = Exception { id: "warm", excuses: |case| case.field == "temperature", reason: "it is made up" };
    let (differences, said) = compared(&episode, &game, &[warm]);
    assert!(differences == 0 && said.contains("warm excuses 1: it is made up"), "{said}");
    let idle = || Exception { id: "idle", excuses: |case| case.field == "n", reason: "never" };
    let (differences, said) = compared(&episode, &game, &[idle()]);
    assert!(differences == 1 && said.contains("excuses nothing"), "{said}");
    assert!(
        rows(Path::new("/nowhere"), FOLDERS, &[idle()]).iter().all(|row| row.compared == 0 && row.differences == 0)
    );
}
