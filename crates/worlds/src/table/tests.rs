//! Tests of the world as a whole: shipped episodes played, files of others read, hostile ones refused.

use std::path::Path;

use proptest::prelude::*;

use super::*;
use crate::scripts::play;
use stepwright_episode::StepOutcome;
use stepwright_program::{Role, Specification};
use stepwright_world::World;

fn shipped() -> TableWorld {
    TableWorld::new(Source::shipped().unwrap())
}

/// The answer to a request: the expected moves and words, and `done()`.
fn answer(expected: &Expected) -> String {
    let mut text = String::new();
    for (a, b) in &expected.moves {
        text.push_str(&format!("put_first_on_second(\"{a}\", \"{b}\")\n"));
    }
    for say in &expected.say {
        text.push_str(&format!("say('{say}')\n"));
    }
    text + "done()"
}

#[test]
fn every_shipped_episode_is_won_by_what_it_expects() {
    let source = Source::shipped().unwrap();
    let mut world = shipped();
    for id in source.ids() {
        let episode = source.episode(id).unwrap();
        world.reset(id, 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut state = specification.start().unwrap();
        for (i, asked) in episode.requests.iter().enumerate() {
            let request = world.request().unwrap();
            assert_eq!((request.number, request.of), (i + 1, episode.requests.len()));
            assert_eq!(request.query, asked.query);
            for line in answer(&asked.expected).lines() {
                let outcome = world.act(line).unwrap();
                assert_eq!(outcome.error, None, "{id}: {line}");
                assert_eq!(outcome.action_call, world.call_of(line));
                let last = line == "done()";
                assert_eq!(outcome.reward, if last { 1.0 } else { 0.0 }, "{id}: {line} for {}", asked.query);
                assert_eq!(outcome.won, last && i + 1 == episode.requests.len());
                assert_eq!(outcome.won, outcome.done);
            }
        }
        assert_eq!(world.request(), None);
        assert!(world.act("noop()").unwrap().error.is_some());
        // The program that is written of it runs.
        let reset = world.reset(id, 0).unwrap();
        let mut calls: Vec<_> = reset.calls().cloned().collect();
        for asked in &episode.requests {
            calls.extend(world.act(&answer(&asked.expected)).unwrap().calls().cloned());
        }
        for call in &calls {
            assert!(specification.function(&call.receiver, &call.function).is_some_and(|f| f.role != Role::Query));
            state.call(call).unwrap_or_else(|fault| panic!("{id}: {call}: {fault:?}"));
        }
    }
}

#[test]
fn a_program_with_the_rules_knows_where_things_are() {
    let mut world = shipped();
    world.reset("pick_and_place/shelf", 0).unwrap();
    let specification = Specification::load(&world.specification(), "spec.py").unwrap();
    let text = "put_first_on_second('red block', 'blue block')\nput_first_on_second('green block', 'blue block')\n\
                put_first_on_second('red block', 'tin bowl')\nput_first_on_second('blue block', 'red block')";
    let mut state = specification.start().unwrap();
    for outcome in [world.reset("pick_and_place/shelf", 0).unwrap(), world.act(text).unwrap()] {
        outcome.calls().for_each(|call| state.call(call).unwrap());
    }
    let Scene::Table(table) = world.scene().unwrap() else { panic!("a table") };
    for thing in table.things().iter().filter(|thing| thing.kind == Kind::Block) {
        let (_, place) = state.evaluate(&format!("table.place_of('{}')", thing.name)).unwrap();
        assert_eq!(place, table.place_of(&thing.name).unwrap());
    }
}

#[test]
fn an_episodes_reward_is_the_share_of_its_requests() {
    let source = Source::shipped().unwrap();
    let id = source.ids().next().unwrap();
    let episode = source.episode(id).unwrap();
    let mut world = shipped();
    let mut outcomes = vec![world.reset(id, 0).unwrap()];
    for text in [&answer(&episode.requests[0].expected), "done()", "done()"] {
        outcomes.push(world.act(text).unwrap());
    }
    let outcomes: Vec<StepOutcome> = outcomes.iter().map(StepOutcome::from).collect();
    let of = |count: usize| (KIND.reward)(&outcomes.iter().take(count).collect::<Vec<_>>());
    let share = 1.0 / episode.requests.len() as f64;
    assert_eq!([of(1), of(2), of(4)], [0.0, share, share]);
}

#[test]
fn requests_are_answered_as_they_were() {
    insta::assert_snapshot!("table", play(&mut shipped(), include_str!("tests/table.script")));
}

#[test]
fn a_misspelt_statement_is_taken_from_what_was_meant() {
    let file = r#"[{"id": "weight-90", "domain": "weight", "objects": ["red block", "bule block", "tin bowl", "glass bowl"], "steps": [
        {"query": "the xqzt block is twice the weight of the red block", "kind": "statement", "gold_moves": [],
         "gold_update": "the bule block is twice the weight of the red block"},
        {"query": "Put a block in the tin bowl so that it holds more than the glass bowl", "kind": "goal",
         "goal": {"op": "gt", "left": "tin bowl", "right": "glass bowl", "max_moves": 1},
         "gold_moves": [["red block", "tin bowl"]]}]}]"#;
    let mut world = TableWorld::new(Source::from_text(file, Path::new("mine.json")).unwrap());
    insta::assert_snapshot!("misspelt", play(&mut world, include_str!("tests/misspelt.script")));
}

#[test]
fn files_of_both_formats_and_games_are_read() {
    let read = |text: &str| Source::from_text(text, Path::new("mine.json"));
    let published = r#"[
        {"id": "pick_and_place-03", "domain": "pick_and_place", "objects": [" red block", "tin bowl"],
         "objects_used_but_not_declared": ["blue block"], "init_state_text": "?", "n_steps": 1,
         "steps": [{"step": 1, "query": "put the blue block on it", "kind": "put", "gold_moves": [["x", "y"]],
                    "gold_moves_corrected": [["blue_block", "red block"]], "gold_say": []}]},
        {"id": "other", "domain": "weight", "objects": [], "steps": [{"query": "q", "kind": "put", "gold_moves": []}]}
    ]"#;
    let source = read(published).unwrap();
    assert_eq!(source.ids().collect::<Vec<_>>(), ["pick_and_place/03", "other"]);
    let mut world = TableWorld::new(source);
    world.reset("pick_and_place/03", 0).unwrap();
    let outcome = world.act("put_first_on_second('blue block', 'red block')\ndone()").unwrap();
    assert!(outcome.won, "the corrected moves count");
    let source = read(r#"{"games": [{"initial": [true, false], "swaps": [[0, 1], [1, 0]], "states": 3}]}"#).unwrap();
    let mut world = TableWorld::new(source);
    let reset = world.reset("cups/001", 0).unwrap();
    assert!(reset.observation.ends_with("under cup 0.\n\n1 of 2: Swapping cup 0 with cup 1"), "{}", reset.observation);
    assert_eq!(world.belief_form().unwrap(), serde_json::json!({ "cups": [true, false] }));
    assert_eq!(world.act("say(\"[False, True]\")\ndone()").unwrap().reward, 1.0);
    assert_eq!(world.act("say([True, False])\ndone()").unwrap().reward, 1.0);
}

#[test]
fn a_reference_program_that_cannot_be_read_is_kept_and_told_of_where_it_is_to_be_played() {
    let file = |gold_say: &str| {
        let step = format!(
            r#"{{"query": "which is it", "kind": "put", "gold_code": "say(\"red)", "gold_moves": []{gold_say}}}"#
        );
        let episode = format!(r#"[{{"id": "a", "domain": "cover", "objects": ["red block"], "steps": [{step}]}}]"#);
        Source::from_text(&episode, Path::new("mine.json"))
    };
    let mut world = TableWorld::new(file(r#", "gold_say": []"#).unwrap());
    world.reset("a", 0).unwrap();
    let why = world.requests().unwrap().reference().unwrap().unwrap_err();
    assert!(why.contains("`say(\"red)` is no call of this world") && why.contains("gold_code"), "{why}");
    assert!(world.act("say('red')\ndone()").unwrap().won, "what is expected counts");
    assert!(file("").unwrap_err().to_string().contains("gold_code: `say"), "what is expected is not written down");
}

#[test]
fn a_folder_is_read_and_known_by_what_lies_in_it() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    assert!(!Source::lies_at(folder.path()));
    assert!(Source::open(folder.path()).unwrap_err().to_string().contains("no episodes of the table world here"));
    let episode = include_str!("../../worlds/table/cover.jsonl").lines().next().unwrap();
    write("notes.json", "{\"domain\": 3}");
    write("gold_traces.jsonl", "{\"id\": \"a\", \"steps\": []}");
    write("mine.jsonl", episode);
    write("three_cups.json", r#"{"episodes": [{"initial": [true, false], "swaps": [[0, 1]]}]}"#);
    assert!(Source::lies_at(folder.path()) && Source::lies_at(&folder.path().join("mine.jsonl")));
    assert!(!Source::lies_at(&folder.path().join("gold_traces.jsonl")));
    let source = Source::open(folder.path()).unwrap();
    assert_eq!(source.ids().collect::<Vec<_>>(), ["cover/01", "cups/001"]);
    assert_eq!(source.resolve("cups").unwrap(), "cups/001");
    // What is wrong in a file that should hold episodes is reported, and the file not passed over.
    write("episodes_x.json", "[]");
    assert!(Source::open(folder.path()).unwrap_err().to_string().contains("episodes_x.json: there is no episode"));
}

#[test]
fn in_a_folder_a_broken_episode_is_refused_with_its_line_and_other_json_is_passed_over() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.path().join(name), text).unwrap();
    let open = || Source::open(folder.path());
    let good = include_str!("../../worlds/table/cover.jsonl").lines().next().unwrap();
    write("a.jsonl", good);
    // As recordings have them: moves of primitives, runs of methods, an empty list.
    write(
        "cases.jsonl",
        r#"{"id": "a", "domain": "cover", "objects": ["red block"], "steps": [{"move": ["a", "b"]}]}"#,
    );
    write("runs.jsonl", r#"{"id": "a", "method": "statler", "steps": [{"query": "q"}]}"#);
    write("issues.json", "[]");
    assert_eq!(open().unwrap().len(), 1);
    let mut other: serde_json::Value = serde_json::from_str(good).unwrap();
    other["id"] = "mine".into();
    let mut of_no_domain = other.clone();
    of_no_domain.as_object_mut().unwrap().remove("domain");
    let mut of_wrong_steps = other.clone();
    of_wrong_steps["steps"][0]["query"] = 3.into();
    let mut of_no_steps = other.clone();
    of_no_steps["steps"] = serde_json::json!([]);
    let cut = good[..good.len() / 2].to_owned();
    for (text, said) in [
        (cut, "no JSON: EOF"),
        (of_no_domain.to_string(), "missing field `domain`"),
        (of_wrong_steps.to_string(), "invalid type: integer `3`"),
        (of_no_steps.to_string(), "it has no steps"),
    ] {
        write("mine.jsonl", &format!("\n{text}\n{other}\n"));
        let error = open().unwrap_err().to_string();
        assert!(error.contains("mine.jsonl:2: ") && error.contains(said), "{error}");
    }
    std::fs::remove_file(folder.path().join("mine.jsonl")).unwrap();
    write("mine.json", "\n[\n{\"id\": \"a\",\n\"domain\" \"cover\"}]");
    let error = open().unwrap_err().to_string();
    assert!(error.contains("mine.json:4: no JSON: expected `:`"), "{error}");
}

/// The error in each line of `tests/wrong.txt`, where `⏎` begins a line and `STEP` is a step: a file, or the second episode of one.
#[test]
fn what_is_wrong_in_a_file_is_reported_with_its_line() {
    let step = r#"{"query": "q", "kind": "put", "gold_moves": []}"#;
    let first = format!(r#"{{"id": "a", "domain": "weight", "objects": ["red block"], "steps": [{step}]}}"#);
    let mut out = String::new();
    for line in include_str!("tests/wrong.txt").lines() {
        let text = line.replace('⏎', "\n").replace("STEP", step);
        let text = text.strip_prefix("second: ").map(|entry| format!("[{first},\n\n  {entry}]")).unwrap_or(text);
        out += &format!("{line}\n    {}\n", Source::from_text(&text, Path::new("mine.json")).unwrap_err());
    }
    insta::assert_snapshot!(out);
}

/// A random call over the things of a shipped episode and some that are not there.
fn line() -> impl Strategy<Value = String> {
    let name = prop::sample::select(vec![
        "red block", "blue_block", "green block", "tin bowl", "disinfector", "table", "ghost",
    ]);
    prop_oneof![
        4 => (name.clone(), name).prop_map(|(a, b)| format!("put_first_on_second('{a}', '{b}')")),
        1 => Just("done()".to_owned()),
        1 => Just("noop()\nsay('two')".to_owned()),
        1 => Just("no call".to_owned()),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, ..ProptestConfig::default() })]

    #[test]
    fn a_snapshot_restores_what_a_replay_rebuilds(
        id in prop::sample::select(vec!["pick_and_place/shelf", "disinfection/sink", "weight/scale"]),
        before in prop::collection::vec(line(), 0..12), after in prop::collection::vec(line(), 0..12),
    ) {
        let mut here = shipped();
        here.reset(id, 0).unwrap();
        for text in &before {
            let seen = here.preview(text).unwrap();
            let outcome = here.act(text).unwrap();
            prop_assert_eq!(&seen, &outcome);
        }
        let (snapshot, truth, form) = (here.snapshot(), here.truth(), here.belief_form().unwrap());
        // The state's form says everything that the rules go by.
        prop_assert_eq!(Table::from_form(&form).unwrap().form(), form);
        for text in &after {
            here.act(text).unwrap();
        }
        here.restore(&snapshot).unwrap();
        prop_assert_eq!(&here.truth(), &truth);
        let mut there = shipped();
        there.reset(id, 0).unwrap();
        for text in &before {
            there.act(text).unwrap();
        }
        prop_assert_eq!(there.truth(), truth);
    }

    #[test]
    fn a_damaged_file_is_an_error_or_plays(at in 0usize..10_000, byte in 0u8..128, cut in any::<bool>(), which in 0usize..3) {
        let files = [
            include_str!("../../worlds/table/pick_and_place.jsonl"),
            include_str!("../../worlds/table/disinfection.jsonl"),
            include_str!("../../worlds/table/weight.jsonl"),
        ];
        let mut text = files[which].lines().next().unwrap().as_bytes().to_vec();
        let at = at % text.len();
        if cut { text.truncate(at) } else { text[at] = byte }
        let text = String::from_utf8_lossy(&text).into_owned();
        match Source::from_text(&text, Path::new("damaged.jsonl")) {
            Err(e) => prop_assert!(e.to_string().starts_with("damaged.jsonl:"), "{}", e),
            Ok(source) => {
                let id = source.ids().next().unwrap().to_owned();
                let mut world = TableWorld::new(source);
                world.reset(&id, 0).unwrap();
                for _ in 0..20 {
                    world.act("put_first_on_second('red block', 'blue block')\ndone()").unwrap();
                }
            }
        }
    }
}
