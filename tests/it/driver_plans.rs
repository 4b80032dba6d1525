//! Methods that follow a plan, through the driver in a shipped kitchen: FF-Replan to the goal, ProgPrompt's lines one at a time.

use std::sync::Arc;

use crate::support::driver::{Scripted, Watched};
use crate::support::opened::configuration;
use stepwright::driver::{Beginning, Command, NewSession, Notice, Request, Setup, Source, prepare_new};
use stepwright::episode::{ArtifactId, AskKind, AskState, CheckKind, Policy, Proposal};
use stepwright::world::Sources;

fn kitchen(method: &str, task: &str) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let new = NewSession {
        world: "kitchen".into(),
        task: task.into(),
        method: method.into(),
        model: "symbolic".into(),
        ..NewSession::default()
    };
    prepare_new(&new, &configuration(folder.path()), &Sources::default(), Arc::new(|| 1_000)).unwrap()
}

fn offered(w: &Watched) -> Proposal {
    let turn = &w.session.current().unwrap().turn;
    turn.proposal(turn.recommended.as_ref().unwrap().0.unwrap()).unwrap().clone()
}

fn text(proposal: &Proposal) -> &str {
    &proposal.action.as_ref().unwrap().text
}

#[tokio::test]
async fn a_planner_finds_plans_and_plans_again_after_a_refusal() {
    let mut setup = kitchen("ff-replan", "galley/toast");
    setup.headless = true;
    setup.policy = Some(Policy { steps: 100, ..Policy::default() });
    let mut w = Watched::start(setup);
    w.said(stepwright::episode::Level::Info, "the goal is reached").await;
    let path = w.session.path(w.session.cursor());
    let mut refused = false;
    for (i, node) in path.iter().enumerate() {
        refused = node.outcome.error.is_some();
        let planned = node.turn.asks.iter().filter(|a| a.kind == AskKind::PLAN).count();
        if node.outcome.done {
            break;
        }
        assert_eq!(planned > 0, i == 0 || refused, "step {i}: a plan at the beginning and after a refusal");
        assert!(node.turn.asks.iter().all(|a| a.prompt.is_none()), "no language model is asked");
    }
    assert!(!refused && path.iter().any(|n| n.outcome.error.is_some()), "the kitchen refuses something on the way");
}

/// A method without a language model in a world, to the end of a policy; the words it stopped with.
async fn played(world: &str, method: &str, task: &str) -> (Watched, Option<String>) {
    let folder = tempfile::tempdir().unwrap();
    let (world, task, method, model) = (world.into(), task.into(), method.into(), "symbolic".into());
    let new = NewSession { world, task, method, model, ..NewSession::default() };
    let mut setup = prepare_new(&new, &configuration(folder.path()), &Sources::default(), Arc::new(|| 1_000)).unwrap();
    setup.headless = true;
    setup.policy = Some(Policy { steps: 60, ..Policy::default() });
    let mut w = Watched::start(setup);
    let ends = |text: &str| text.contains("the goal is reached") || text.starts_with("stopped");
    w.until("it is over", |n, _| matches!(n, Notice::Say { text, .. } if ends(text))).await;
    let why = w.session.current().unwrap().turn.recommended.clone().map(|(_, why)| why);
    (w, why)
}

#[tokio::test]
async fn plans_in_the_household_search_for_kinds_of_things() {
    let tasks = [("progprompt", "shipped/two-book-2"), ("progprompt", "shipped/cool-pan-4")];
    for (method, task) in tasks.into_iter().chain([("progprompt-flat", "shipped/light-book-4")]) {
        let (w, why) = played("household", method, task).await;
        assert!(w.session.is_done(), "{method} {task}: {why:?}");
    }
}

#[tokio::test]
async fn a_plan_that_begins_with_what_was_refused_is_not_followed() {
    let (w, why) = played("kitchen", "ff-replan", "galley/coffee").await;
    let path = w.session.path(w.session.cursor());
    assert_eq!(path.iter().filter(|n| n.outcome.error.is_some()).count(), 1);
    let why = why.unwrap();
    assert!(why.contains("begins with `scanroom Mug|1`, which was just refused"), "{why}");
}

#[tokio::test]
async fn a_plan_is_an_artifact_that_a_person_may_rewrite_and_take_back() {
    let model = Scripted::lines(&["\tturnleft()\n\tturnright()"]);
    let mut w = written("progprompt", "seen", &model);
    w.recommended().await;
    let node = w.session.current().unwrap();
    assert_eq!(node.document(&ArtifactId::PLAN).unwrap()["text"], "\tturnleft()\n\tturnright()");
    assert_eq!((node.turn.offers.len(), node.turn.changes_of(&ArtifactId::PLAN).count()), (1, 1));
    let correction = Request::correct(ArtifactId::PLAN, "\tlookup()".into());
    for (request, line) in [(correction, "1: lookup()"), (Request::turn(ArtifactId::PLAN, false), "1: turnleft()")] {
        w.send(Command::Gate(request));
        w.recommended().await;
        assert_eq!(offered(&w).numbered(), line);
    }
    assert_eq!(model.asked.lock().unwrap().len(), 1);
    w.quit().await;
}

#[tokio::test]
async fn blocking_conditions_are_checked_beside_any_method() {
    let mut setup = kitchen("few-shot", "galley/coffee");
    let Beginning::New(header) = &mut setup.beginning else { panic!() };
    header.options.insert("blocking".into(), "on".into());
    let mut w = Watched::start(setup);
    w.recommended().await;
    let verdict = w.session.current().unwrap().turn.verdicts.get(&offered(&w).id).unwrap();
    assert!(verdict.checks.iter().any(|check| check.kind == CheckKind::Blocking), "{verdict:?}");
    w.quit().await;
}

#[tokio::test]
async fn a_limited_planner_says_that_there_is_no_plan() {
    let mut w = Watched::start(kitchen("ff-replan-limited", "galley/coffee"));
    w.recommended().await;
    let (proposal, why) = w.session.current().unwrap().turn.recommended.clone().unwrap();
    assert_eq!(proposal, None);
    assert!(why.contains("no plan reaches the goal"), "{why}");
}

fn written(method: &str, judging: &str, model: &Arc<Scripted>) -> Watched {
    let mut setup = kitchen(method, "galley/toast");
    let Beginning::New(header) = &mut setup.beginning else { panic!() };
    header.model = "scripted".into();
    header.options.insert("judging".into(), judging.into());
    setup.source = Source::Language { name: "scripted".into(), model: model.clone() };
    Watched::start(setup)
}

/// Takes the line that is offered; gives the next one.
async fn take(w: &mut Watched) -> Proposal {
    w.send(Command::Gate(Request::Approve { proposal: offered(w).id }));
    w.recommended().await;
    offered(w)
}

#[tokio::test]
async fn a_model_judges_assertions_where_it_is_set() {
    const PLAN_TEXT: &str = "\tfind('bread')\n\tassert('close' to 'bread')\n\t\telse: walk('bread')\n\
                             \tassert('bread' in 'hands')\n\t\telse: turnaround()\n\tassert('toaster' is 'switchoff')\n\
                             \t\telse: lookup()\n\tturnleft()";
    // The robot is close to the bread and holds nothing: the model errs twice, and answers nothing at last.
    let model = Scripted::lines(&[PLAN_TEXT, " False", "True", "well, no"]);
    let mut w = written("progprompt", "model", &model);
    w.recommended().await;
    assert_eq!(offered(&w).numbered(), "1: find('bread')");
    let line = take(&mut w).await;
    assert_eq!(line.numbered(), "3: walk('bread')");
    assert!(line.rationale.unwrap().contains("'close' to 'bread': false (said the model)"));
    let asked = model.asked.lock().unwrap()[1].clone();
    assert_eq!((asked.max_tokens, asked.temperature, asked.frequency_penalty), (2, 0.0, 0.0));
    let question = asked.messages.last().unwrap().text.clone();
    assert!(question.ends_with("In your hands: nothing.\nassert('close' to 'bread')"), "{question}");
    assert!(question.starts_with("You see: ") && question.contains("bread (in countertop)"), "{question}");
    // Going back and forth asks nothing again; the answers are records.
    w.send(Command::Gate(Request::Undo));
    w.until("the step is taken back", |_, s| s.current().is_some_and(|n| n.depth == 0)).await;
    w.send(Command::Gate(Request::Redo));
    w.until("the step is there again", |_, s| s.current().is_some_and(|n| n.depth == 1)).await;
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    assert_eq!((offered(&w).numbered().as_str(), model.asked.lock().unwrap().len()), ("3: walk('bread')", 2));
    let line = take(&mut w).await;
    assert_eq!(line.numbered(), "7: lookup()");
    let why = line.rationale.unwrap();
    for part in
        ["'bread' in 'hands': true (said the model)", "switchoff': false (the model said neither True nor False)"]
    {
        assert!(why.contains(part), "{part}: {why}");
    }
    let kinds: Vec<_> = w.session.current().unwrap().turn.asks.iter().map(|a| a.kind.clone()).collect();
    let judged = |line| AskKind::Judgement { line };
    assert_eq!(kinds, [judged(4), judged(6), AskKind::PLAN_LINE]);
    w.quit().await;
}

#[tokio::test]
async fn assertions_that_decide_nothing_are_put_to_no_model() {
    let model = Scripted::lines(&["\tassert('close' to 'bread')\n\t\telse: turnleft()\n\tturnright()"]);
    let mut w = written("progprompt-flat", "model", &model);
    w.recommended().await;
    assert_eq!(offered(&w).numbered(), "2: turnleft()");
    assert_eq!(take(&mut w).await.numbered(), "3: turnright()");
    assert_eq!(model.asked.lock().unwrap().len(), 1);
    w.quit().await;
}

#[tokio::test]
async fn a_sub_goal_is_cut_after_ten_steps_where_assertions_count() {
    const LONG: &str = "\t# 0: turn\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\
                        \tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\tturnleft()\n\
                        \t# 1: turn back\n\tturnright()";
    for method in ["progprompt", "progprompt-flat"] {
        let model = Scripted::lines(&[LONG]);
        let mut w = written(method, "seen", &model);
        w.recommended().await;
        // A line that a person passes over is no step.
        w.send(Command::Gate(Request::Reject { proposal: offered(&w).id, reason: String::new() }));
        w.recommended().await;
        for number in 3..12 {
            assert_eq!(offered(&w).numbered(), format!("{number}: turnleft()"), "{method}");
            take(&mut w).await;
        }
        assert_eq!(offered(&w).numbered(), "12: turnleft()", "{method}: nine steps were taken");
        let line = take(&mut w).await;
        if method == "progprompt" {
            assert_eq!(line.numbered(), "15: turnright()");
            assert!(line.rationale.unwrap().contains("cut after 10 steps"));
        } else {
            assert_eq!(line.numbered(), "13: turnleft()");
        }
        w.quit().await;
    }
}

#[tokio::test]
async fn a_written_plan_is_followed_line_by_line() {
    const PLAN_TEXT: &str = "\t# 0: get the bread\n\tfind('bread')\n\tassert('close' to 'bread')\n\t\telse: walk('bread')\n\
                             \tassert('bread' in 'hands')\n\t\telse: grab('bread')\n\tturnleft()\n\tfly\n\t# 1: Done";
    let model = Scripted::lines(&[PLAN_TEXT, "\topen('fridge')"]);
    let mut setup = kitchen("progprompt", "galley/toast");
    let Beginning::New(header) = &mut setup.beginning else { panic!() };
    header.model = "scripted".into();
    setup.source = Source::Language { name: "scripted".into(), model: model.clone() };
    let mut w = Watched::start(setup);
    w.recommended().await;
    let asked = model.asked.lock().unwrap()[0].clone();
    assert_eq!((asked.max_tokens, asked.temperature, asked.stop.as_slice()), (600, 0.0, &["\ndef ".to_owned()][..]));
    assert_eq!(asked.frequency_penalty, 0.15);
    let prompt: String = asked.messages.iter().map(|m| m.text.as_str()).collect();
    for part in ["from actions import find <obj>", "'bread'", "def make_coffee_", "assert('close' to 'mug')"] {
        assert!(prompt.contains(part), "{part}: {prompt}");
    }
    let first = offered(&w);
    assert_eq!((first.numbered().as_str(), text(&first)), ("2: find('bread')", "find bread"));
    w.send(Command::Gate(Request::Approve { proposal: first.id }));
    w.recommended().await;
    // What is close is not walked to; what is not in the hand is grabbed.
    let second = offered(&w);
    assert_eq!(second.numbered(), "6: grab('bread')");
    assert!(text(&second).starts_with("grab Bread|"), "{}", text(&second));
    let why = second.rationale.clone().unwrap();
    for part in ["0: get the bread", "'close' to 'bread': true", "'bread' in 'hands': false"] {
        assert!(why.contains(part), "{part}: {why}");
    }
    // A refused line is passed over, and undo brings it back.
    w.send(Command::Gate(Request::Reject { proposal: second.id, reason: String::new() }));
    w.recommended().await;
    assert_eq!(offered(&w).numbered(), "7: turnleft()");
    w.send(Command::Gate(Request::Manual { text: "turnright".into() }));
    w.recommended().await;
    // A step of one's own does not move the plan; turned away from the bread, the robot is no longer known to be close.
    for line in ["4: walk('bread')", "6: grab('bread')"] {
        let again = offered(&w);
        assert_eq!(again.numbered(), line);
        w.send(Command::Gate(Request::Approve { proposal: again.id }));
        w.recommended().await;
    }
    let last = offered(&w);
    assert_eq!(last.numbered(), "7: turnleft()");
    w.send(Command::Gate(Request::Approve { proposal: last.id }));
    w.recommended().await;
    // The plan is at its end (its last line is none), so another is written.
    assert_eq!(offered(&w).numbered(), "1: open('fridge')");
    let asks = &w.session.current().unwrap().turn.asks;
    assert_eq!(asks.iter().map(|a| a.kind.clone()).collect::<Vec<_>>(), [AskKind::PLAN, AskKind::PLAN_LINE]);
    assert!(matches!(&asks[0].state, AskState::Answered { texts, .. } if texts[0] == "\topen('fridge')"));
    w.quit().await;
}
