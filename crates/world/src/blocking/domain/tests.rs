use std::collections::BTreeSet;

use super::*;
use crate::literal::Facts;
use crate::planner::classical;
use crate::{WorldKind, shipped_domain};

fn kitchen() -> Domain {
    Domain::clone(&shipped_domain(&crate::testing::KITCHEN).unwrap().unwrap())
}

fn blocked(domain: &Domain, action: &str, facts: &Facts) -> Option<String> {
    let none = BTreeSet::new();
    domain.blocked(&action.parse().unwrap(), &Knowledge::new(domain, facts, &none)).map(|c| c.to_string())
}

fn resolving(domain: &Domain, condition: &str, facts: &Facts, remembered: &[&str]) -> Vec<String> {
    let remembered = remembered.iter().map(|c| c.parse().unwrap()).collect();
    let known = Knowledge::new(domain, facts, &remembered);
    let found = domain.resolving(&condition.parse().unwrap(), &known);
    found.iter().map(|r| format!("{}{}", if r.maybe { "maybe " } else { "" }, domain.text(&r.action))).collect()
}

#[test]
fn conditions_are_tested_in_the_order_of_the_preconditions() {
    let domain = kitchen();
    let far =
        Facts::of(&["cup", "toaster"], &["HANDS_EMPTY", "FAR cup", "IN cup toaster", "ON toaster", "CLOSE toaster"]);
    assert_eq!(blocked(&domain, "grab cup", &far).as_deref(), Some("too_far cup"));
    assert_eq!(blocked(&domain, "grab fork", &far).as_deref(), Some("not_visible fork"));
    let near =
        Facts::of(&["cup", "toaster"], &["HANDS_EMPTY", "CLOSE cup", "IN cup toaster", "ON toaster", "CLOSE toaster"]);
    assert_eq!(blocked(&domain, "grab cup", &near).as_deref(), Some("active toaster"));
    assert_eq!(blocked(&domain, "switchoff toaster", &near), None);
    let full = Facts::of(&["cup", "fork"], &["HOLDS fork", "CLOSE cup"]);
    assert_eq!(blocked(&domain, "grab cup", &full).as_deref(), Some("hands_full fork"));
    assert_eq!(blocked(&domain, "put cup shelf", &full).as_deref(), Some("not_holding cup"));
    assert_eq!(blocked(&domain, "put fork shelf", &full).as_deref(), Some("not_visible shelf"));
    assert_eq!(blocked(&domain, "no such action", &full), None);
}

#[test]
fn resolution_actions_come_in_the_files_order_and_loops_by_name() {
    let domain = kitchen();
    let mut atoms =
        vec!["HOLDS cup", "ROOM kitchen", "SURFACES b", "SURFACES a", "SURFACES c", "SURFACES d", "CLOSE a"];
    atoms.extend(["FAR b", "CLOSE c", "CAN_OPEN c", "CLOSED c", "CLOSE d", "CAN_OPEN d", "OPEN d"]);
    let seen = Facts::of(&["a", "b", "c", "d", "cup"], &atoms);
    let moves = [
        "turnleft character", "turnright character", "moveforward", "movebackward", "turnaround", "lookup", "lookdown",
    ];
    let moves = moves.map(|m| format!("maybe {m}"));
    let expected = [vec!["put cup a".to_owned(), "maybe walk_to_object b".into(), "put cup d".into()], moves.to_vec()];
    let mut expected = expected.concat();
    expected.push("maybe walk_to_room kitchen".into());
    assert_eq!(resolving(&domain, "hands_full cup", &seen, &[]), expected);
    let kept: Vec<String> = expected.iter().filter(|t| *t != "put cup a").cloned().collect();
    assert_eq!(resolving(&domain, "hands_full cup", &seen, &["no_placement a"]), kept);
    let looking = resolving(&domain, "not_visible fork", &seen, &[]);
    assert_eq!(looking[8..], ["maybe open c", "maybe close d", "maybe scanroom fork"]);
    assert_eq!(resolving(&domain, "active d", &seen, &[]), ["switchoff d"]);
}

#[test]
fn roots_of_a_part_that_holds_are_left_out() {
    let domain = kitchen();
    let goal: Atom = "COOKED bread toaster".parse().unwrap();
    let texts = |judge: &dyn Fn(&Atom) -> bool| -> Vec<String> {
        domain.roots(&goal, judge).iter().map(ToString::to_string).collect()
    };
    assert_eq!(texts(&|_| false), ["putin bread toaster", "switchon toaster"]);
    assert_eq!(texts(&|part| part.predicate == "ON"), ["putin bread toaster"]);
    assert!(domain.roots(&"UNHEARD of".parse().unwrap(), &|_| false).is_empty());
}

#[test]
fn texts_read_back_as_their_actions() {
    let mut domain = kitchen();
    for text in ["turnleft character", "put Mug|+1.00 Sink|-2|SinkBasin", "walk_to_room kitchen", "lookup"] {
        assert_eq!(domain.text(&domain.read_text(text).unwrap()), text);
    }
    assert!(domain.read_text("put Mug").is_none() && domain.read_text("dance").is_none());
    domain.space = Some('_');
    domain.actions[0].form = Pattern::new("take", ["x", "r"]);
    domain.actions[0].text = Some("take {x} from {r}".to_owned());
    let action = domain.read_text("take mug 1 from shelf 2").unwrap();
    assert_eq!(action.to_string(), "take mug_1 shelf_2");
    assert_eq!(domain.text(&action), "take mug 1 from shelf 2");
}

#[test]
fn descriptions_name_their_things() {
    let mut domain = kitchen();
    let described = |domain: &Domain, condition: &str| {
        let condition: Atom = condition.parse().unwrap();
        let schema = domain.condition(&condition.predicate).unwrap();
        domain.described(&schema.about, &schema.form.args, &condition)
    };
    assert_eq!(described(&domain, "not_holding Mug|1"), "Mug|1 is not in the hand");
    assert_eq!(described(&domain, "open Toaster|1"), "Toaster|1 is open; it has to be closed to be switched on");
    assert_eq!(described(&domain, "failed open Fridge|1"), "the world refused open Fridge|1");
    assert_eq!(domain.in_words(&"not_holding Mug|1".parse().unwrap()), "Mug|1 is not in the hand");
    domain.space = Some('_');
    assert_eq!(domain.in_words(&"out_of_order mug_1 shelf_2".parse().unwrap()), "out of order mug 1 shelf 2");
    let parameters = ["x", "r"].map(str::to_owned);
    let things = "IN mug_1 shelf_2".parse().unwrap();
    assert_eq!(domain.described("(x, not the box) é r.", &parameters, &things), "(mug 1, not the box) é shelf 2.");
    assert_eq!(domain.described("x r", &parameters, &"IN mug_1".parse().unwrap()), "mug 1 r");
}

#[test]
fn errors_raise_what_the_failed_actions_parameters_allow() {
    let domain = kitchen();
    let full = "No valid positions to place object found";
    let raised = |action: &str| domain.raised(&action.parse().unwrap(), full).map(|c| c.to_string());
    assert_eq!(raised("put cup shelf").as_deref(), Some("no_placement shelf"));
    assert_eq!(raised("grab cup"), None);
    assert_eq!(domain.failed(&"open fridge".parse().unwrap()).unwrap().to_string(), "failed open fridge");
}

/// A whole, small domain to break in one place.
const SMALL: &str = include_str!("tests/small.toml");

#[test]
fn what_is_wrong_is_said_with_its_line_and_the_remedy() {
    assert!(Domain::load(SMALL, "small.toml").is_ok());
    let mut said = String::new();
    for line in include_str!("tests/broken.txt").lines() {
        let (from, to) = line.split_once(" => ").unwrap();
        let text = SMALL.replacen(from, &to.replace('⏎', "\n"), 1);
        assert_ne!(text, SMALL, "{from}");
        said += &format!("{line}\n    {}\n", Domain::load(&text, "small.toml").expect_err(to));
    }
    insta::assert_snapshot!(said);
}

#[test]
fn a_domain_built_in_code_is_checked_as_well() {
    let mut domain = Domain::load(SMALL, "small.toml").unwrap();
    assert!(domain.faults().is_empty());
    domain.conditions.clear();
    let faults = domain.faults();
    assert!(faults.iter().any(|f| f.place == "actions/switch d/blocked_by/0"), "{faults:?}");
}

#[test]
fn a_file_that_is_not_there_is_said() {
    let error = Domain::open(std::path::Path::new("/no/such/domain.toml")).unwrap_err().to_string();
    assert!(error.starts_with("/no/such/domain.toml: cannot be read"), "{error}");
}

#[test]
fn what_a_planner_is_told_is_made_of_the_actions_in_the_order_named() {
    let names = |kind: &WorldKind| -> Vec<String> {
        let pddl = Domain::pddl(kind.file("domain.toml").unwrap().text).unwrap();
        classical::Domain::read(&pddl).unwrap().actions.into_iter().map(|action| action.name).collect()
    };
    let household = ["goto", "open", "close", "take", "put", "clean", "heat", "cool", "toggle"];
    assert_eq!(names(&crate::testing::HOUSEHOLD), household);
    let kitchen = ["scanroom", "walk_to_object", "open", "close", "switchon", "switchoff", "slice", "grab", "put"];
    assert_eq!(names(&crate::testing::KITCHEN), kitchen);
    assert_eq!(Domain::pddl(SMALL).unwrap_err(), "the domain says nothing of planning");
    let file = "[planning]\nname = \"d\"\npredicates = \"(at ?p)\"\nactions = [\"go p\"]\n[actions.\"go p\"]\n";
    let error = Domain::load(file, "d.toml").unwrap_err().to_string();
    assert!(error.contains("d.toml:4: `go p` is no action with `planning` of its own"), "{error}");
}
