//! Tests of the reader and the meaning of domains, and of the planner behind its bounds.

use std::sync::atomic::Ordering;

use super::*;

const LIFT: &str = "(define (domain lift) (:requirements :adl :typing) (:types floor - place cage - object)
  (:predicates (at ?c - cage ?f - place) (lit ?f - place) (broken))
  (:action go :parameters (?c - cage ?a ?b - floor)
    :precondition (and (at ?c ?a) (not (= ?a ?b)) (not (broken)) (forall (?f - floor) (or (lit ?f) (not (= ?f ?b)))))
    :effect (and (at ?c ?b) (not (at ?c ?a)) (when (lit ?a) (not (lit ?a)))))
  (:action light :parameters (?c - cage) :precondition (exists (?f - floor) (at ?c ?f))
    :effect (forall (?f - floor) (lit ?f))))";

const RIDE: &str = "(define (problem ride) (:domain lift) (:objects one two three - floor red - cage)
  (:init (at red one) (lit two)) (:goal (and (at red three) (not (lit one)))))";

fn step(text: &str) -> Step {
    let mut words = text.split(' ').map(str::to_owned);
    Step { action: words.next().unwrap(), args: words.collect() }
}

fn check(plan: &[&str]) -> Result<(), Invalid> {
    let steps: Vec<Step> = plan.iter().map(|s| step(s)).collect();
    validate(&Domain::read(LIFT).unwrap(), &Problem::read(RIDE).unwrap(), &steps)
}

#[test]
fn plans_are_carried_out_by_the_meaning_of_the_domain() {
    assert_eq!(check(&["light red", "go red one three"]), Ok(()));
    assert_eq!(check(&["light red"]), Err(Invalid::Goal));
    for (plan, number) in [
        (&["go red one three"][..], 1),
        (&["go red one two", "go red two one"], 2),
        (&["go red one red"], 1),
        (&["fly red"], 1),
        (&["light"], 1),
        (&["light red", "go red one one"], 2),
    ] {
        match check(plan) {
            Err(Invalid::Step { number: at, .. }) => assert_eq!(at, number, "{plan:?}"),
            other => panic!("{plan:?}: {other:?}"),
        }
    }
}

#[test]
fn broken_pddl_is_an_error_with_its_line() {
    for text in ["", "(", ")", "(define (domain d)))", &"(".repeat(10_000), "(define (:what))", "word", "(a) (b)"] {
        assert!(Domain::read(text).is_err(), "{text:.20}");
    }
    let error = Domain::read("(define (domain d)\n(:action a\n:effect (forall (?x))))").unwrap_err();
    assert!(error.contains("line 3"), "{error}");
    assert!(Problem::read("(define (problem p)\n(:init ((a))))").unwrap_err().contains("line 2"));
}

#[test]
fn the_planner_is_bounded_and_can_be_stopped() {
    let plan = solve(LIFT, RIDE, &Limits::default()).unwrap();
    assert_eq!(plan.iter().map(ToString::to_string).collect::<Vec<_>>(), ["light red", "go red one three"]);
    let impossible = RIDE.replace("(not (lit one))", "(broken)");
    assert!(matches!(solve(LIFT, &impossible, &Limits::default()), Err(NoPlan::Nothing(_))));
    let stopped = Limits::default();
    stopped.keep_running.store(false, Ordering::Relaxed);
    assert!(matches!(solve(LIFT, RIDE, &stopped), Err(NoPlan::Stopped(_))));
    assert!(matches!(solve(LIFT, "(define", &Limits::default()), Err(NoPlan::Unreadable(_))));
}
