use serde_json::json;

use super::*;
use crate::state_form::shipped;

fn form() -> StateForm {
    StateForm::load(
        "space = \"_\"\nsingle = [\"AT r\"]\n[tells]\n\"AT r\" = \"the agent is at r\"\n\"IN x r\" = \"r.contains x\"\n\
         \"OPEN r\" = \"r.is open\"\n\"KIND x k\" = \"x.kind = k\"\n\"ON x y\" = \"x is on y\"\n",
        "here.toml",
    )
    .unwrap()
}

fn atom(text: &str) -> Atom {
    text.parse().unwrap()
}

fn facts(things: &[&str], atoms: &[&str]) -> Facts {
    Facts { things: things.iter().map(|t| (*t).to_owned()).collect(), atoms: atoms.iter().map(|a| atom(a)).collect() }
}

#[test]
fn facts_become_a_state() {
    let facts = facts(
        &["box_1", "mug_1"],
        &["AT box_1", "IN mug_1 box_1", "OPEN box_1", "KIND mug_1 mug", "ON mug_1 box_1", "SHINY mug_1"],
    );
    assert_eq!(
        form().state(&facts),
        json!({"objects": ["box 1", "mug 1"], "relations": ["the agent is at box 1", "mug 1 is on box 1"],
            "box 1": {"contains": ["mug 1"], "is": ["open"]}, "mug 1": {"kind": "mug"}})
    );
}

#[test]
fn literals_are_added_and_taken_back() {
    let form = form();
    let mut state =
        form.state(&facts(&["box_1", "mug_1"], &["AT box_1", "IN mug_1 box_1", "KIND mug_1 mug", "ON mug_1 box_1"]));
    for (literal, holds) in [
        ("IN mug_1 *", false),
        ("OPEN box_1", true),
        ("AT shelf_2", true),
        ("ON * box_1", false),
        ("KIND mug_1 *", false),
        ("IN cup_1 shelf_2", true),
        ("OPEN *", true),
    ] {
        form.tell(&mut state, &atom(literal), holds);
    }
    assert_eq!(
        state,
        json!({"objects": ["box 1", "mug 1", "shelf 2"], "relations": ["the agent is at shelf 2"],
            "box 1": {"is": ["open"]}, "mug 1": {}, "shelf 2": {"contains": ["cup 1"]}})
    );
    form.tell(&mut state, &atom("OPEN box_1"), false);
    form.tell(&mut state, &atom("UNKNOWN box_1"), true);
    form.tell(&mut state, &atom("OPEN nowhere"), false);
    assert_eq!(state["box 1"], json!({}));
    assert_eq!(state["objects"], json!(["box 1", "mug 1", "shelf 2"]));
}

#[test]
fn a_sentence_is_matched_word_by_word() {
    let words = |text: &str| text.split('|').map(str::to_owned).collect::<Vec<_>>();
    assert!(says("mug 1 is on box 1", &words("*|is|on|box 1")));
    assert!(says("mug 1 is on box 1", &words("*|is|on|*")));
    assert!(!says("mug 1 is on box 12", &words("mug 1|is|on|box 1")));
    assert!(!says("mug 1 is on", &words("mug 1|is|on|*")));
    assert!(!says("mug 1 is on box 1", &words("mug 1|is|*|shelf")));
}

#[test]
fn faults_name_their_lines() {
    let faults = |text: &str| StateForm::load(text, "f.toml").unwrap_err().to_string();
    let several = faults(
        "single = [\"AT r\"]\n[tells]\n\"IN x r\" = \"r.contains\"\n\"OPEN r\" = \"it is open\"\n\"\" = \"x\"\n\"ON x\" = \"x.is on\"\n\"ON y\" = \"y.is on\"\n\"P x x\" = \"x is x\"",
    );
    let lines: Vec<&str> = several.lines().map(|l| l.split(": ").next().unwrap()).collect();
    assert_eq!(lines, ["f.toml:1", "f.toml:3", "f.toml:4", "f.toml:5", "f.toml:7", "f.toml:8"], "{several}");
    assert!(faults("[tells]\nA = 3").starts_with("f.toml:2: "));
    assert!(faults("[tells]\n[more]\n").contains("more"));
}

#[test]
fn what_ships_loads_and_has_nothing_for_other_worlds() {
    for world in [&crate::testing::HOUSEHOLD, &crate::testing::KITCHEN] {
        assert!(shipped(world).unwrap().is_ok(), "{}: {:?}", world.name, shipped(world));
    }
    assert!(shipped(&crate::testing::DIALOGUE).is_none());
}
