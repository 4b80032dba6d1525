//! Plans of free-form steps through the driver: a written model that meets an error in a shipped flat, a corrective prompt that a person
//! edits, another correction from the same error; and every method without a language model, in the worlds whose refusals say why.

use std::sync::Arc;

use serde_json::Value;

use crate::support::driver::{Scripted, Watched};
use crate::support::opened::{before_goals, begun, configuration};
use stepwright::driver::{Command, Notice, Request, Setup};
use stepwright::episode::{Event, Level, Offer, Policy, Session};
use stepwright::method::{Place, StepStatus};

fn begin(world: &str, task: &str, method: &str, options: &[(&str, &str)], model: Option<Arc<Scripted>>) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let script = model.map(|model| ("scripted", model));
    begun((world, task), (method, options), &configuration(folder.path()), Arc::new(|| 1_000), script)
}

async fn prompt(w: &mut Watched) -> Offer {
    let is =
        |n: &Notice, _: &Session| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactOffered { .. }));
    w.until("a corrective prompt", is).await;
    w.session.pending_offer().unwrap().clone()
}

fn figure(w: &Watched, name: &str) -> f64 {
    Place::at_cursor(&w.session).figure(name).unwrap()
}

fn plan(w: &Watched) -> Vec<(String, StepStatus)> {
    let sections = Place::at_cursor(&w.session).sections();
    let plan = sections.iter().find(|section| section.title.starts_with("plan")).unwrap();
    plan.lines.iter().map(|line| (line.text.clone(), line.mark)).collect()
}

#[tokio::test]
async fn an_error_is_corrected_by_an_edited_prompt_and_then_in_another_way() {
    let model = Scripted::lines(&[
        "Step 1: Walk to the fridge",
        "Grab milk",
        "Step 2: Open the fridge",
        "Done",
        "skip",
        "Walk to the table",
        "Done",
    ]);
    let setup = begin("graph", "flat/milk_on_table", "reprompt", &[("completions", "1")], Some(Arc::clone(&model)));
    let mut w = Watched::start(setup);
    assert_eq!(w.recommended().await, "Walk to the fridge");
    w.approve();
    w.executed().await;
    assert_eq!(w.recommended().await, "Grab milk");
    w.approve();
    let offer = prompt(&mut w).await;
    assert!(offer.written.title.contains("enclosed object (type 6)"), "{}", offer.written.title);
    assert_eq!(offer.written.raw, "Error: the milk is inside something. A correct step would be to");
    let text = "Error: the milk is inside the closed fridge. A correct step would be to".to_owned();
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text: text.clone() }));
    assert_eq!(w.recommended().await, "Open the fridge");
    let asked = |at: usize| {
        let asked = model.asked.lock().unwrap();
        asked[at].messages.last().unwrap().text.clone()
    };
    let first = asked(0);
    assert!(first.contains("Task: Set milk on the table\nStep 1:"), "{first}");
    assert!(first.starts_with("Task: ") && first.matches("Task: ").count() == 2, "an example stands first: {first}");
    let corrective = asked(2);
    assert_eq!(
        corrective,
        format!("Task: Set milk on the table\nStep 1: Walk to fridge\nStep 2: Grab milk\n{text}\nStep 2:")
    );
    w.approve();
    w.executed().await;
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    let (none, why) = turn.recommended.clone().unwrap();
    assert!(none.is_none() && why.contains("the plan is finished"), "{why}");
    let after = asked(3);
    assert!(
        after.contains("Step 1: Walk to fridge\nStep 2: Open fridge\nStep 3:") && !after.contains("Error"),
        "{after}"
    );
    let fates: Vec<StepStatus> = plan(&w).iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [StepStatus::Done, StepStatus::Corrected, StepStatus::Done], "{:?}", plan(&w));

    // Back to the error: its prompt is offered again, and the answer leaves the step out.
    w.send(Command::Gate(Request::Goto(2)));
    w.said(Level::Info, "at step 2").await;
    w.send(Command::Gate(Request::Propose));
    let offer = prompt(&mut w).await;
    w.send(Command::Gate(Request::ApproveOffer(offer.id)));
    assert_eq!(w.recommended().await, "Walk to the table");
    assert!(asked(5).contains("Step 1: Walk to fridge\nStep 2:"), "{}", asked(5));
    w.approve();
    w.executed().await;
    assert_eq!(w.session.node(2).unwrap().children.len(), 2, "the first correction stays as a branch");
    let fates: Vec<StepStatus> = plan(&w).iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [StepStatus::Done, StepStatus::Dropped, StepStatus::Done], "{:?}", plan(&w));
    w.quit().await;
}

/// A run without a language model; the session at its end and why it ended.
async fn played(world: &str, task: &str, method: &str, options: &[(&str, &str)]) -> (Watched, String) {
    let mut setup = begin(world, task, method, options, None);
    setup.headless = true;
    setup.policy = Some(Policy { steps: 40, ..Policy::default() });
    let mut w = Watched::start(setup);
    let ends = |text: &str| text.contains("the goal is reached") || text.starts_with("stopped");
    let over = w.until("it is over", |n, _| matches!(n, Notice::Say { text, .. } if ends(text))).await;
    let Notice::Say { text, .. } = over else { unreachable!() };
    (w, text)
}

#[tokio::test]
async fn without_a_language_model_the_fitted_example_is_the_plan_and_the_world_corrects_it() {
    for (task, method) in [("flat/milk_on_table", "open-loop"), ("flat/milk_on_table", "resample")] {
        let (w, why) = played("graph", task, method, &[]).await;
        assert!(!plan(&w).is_empty() && figure(&w, "corrections") == 0.0, "{method}: {why}");
    }
    let (w, why) = played("graph", "flat/milk_on_table", "reprompt", &[]).await;
    assert!(why.contains("generation has stopped") || why.contains("goal"), "{why}");
    // Whatever was refused was corrected or left out.
    let fates: Vec<StepStatus> = plan(&w).into_iter().map(|(_, fate)| fate).collect();
    assert!(fates.iter().filter(|fate| **fate == StepStatus::Refused).count() <= 1, "{:?}: {why}", plan(&w));
    let refused =
        fates.iter().filter(|fate| !matches!(fate, StepStatus::Done | StepStatus::Next | StepStatus::Open)).count();
    assert_eq!(figure(&w, "corrections"), refused as f64, "{:?}", plan(&w));
}

#[tokio::test]
async fn worlds_without_words_are_served_by_their_agent_and_their_messages() {
    for (world, task) in [("household", "shipped/heat-tomato-3"), ("kitchen", "galley/toast")] {
        let (w, why) = played(world, task, "reprompt", &[]).await;
        assert!(w.session.is_done() && why.contains("the goal is reached"), "{world}: {why}");
    }
}

#[tokio::test]
async fn a_failing_assertion_vetoes_a_step_before_it_is_tried() {
    let model = Scripted::lines(&["take tomato 1 from fridge 1", "look"]);
    let options = [("veto", "on"), ("completions", "1")];
    let setup = begin("household", "shipped/heat-tomato-3", "reprompt", &options, Some(model));
    let mut w = Watched::start(setup);
    let offer = prompt(&mut w).await;
    let value: &Value = offer.written.value.as_ref().unwrap();
    assert_eq!(value["veto"], true, "{value}");
    assert!(offer.written.raw.contains("does not hold"), "{}", offer.written.raw);
    assert_eq!(w.session.cursor(), 0, "nothing was tried");
    w.quit().await;

    // The same with blocking conditions: the tree of the step that was not tried leads to what can be done.
    let model = Scripted::lines(&["take tomato 1 from fridge 1", "look"]);
    let options = [("veto", "on"), ("completions", "1"), ("blocking", "on")];
    let mut w = Watched::start(begin("household", "shipped/heat-tomato-3", "reprompt", &options, Some(model)));
    let offer = prompt(&mut w).await;
    w.send(Command::Gate(Request::ApproveOffer(offer.id)));
    w.recommended().await;
    let tree = grown(&w);
    assert_eq!(tree[0], "take tomato 1 from fridge 1");
    assert!(tree.contains(&"go to fridge 1".to_owned()), "{tree:?}");
    w.quit().await;
}

/// A session in which the second step failed and its correction left it out; with the corrective prompt that was sent.
async fn left_out(lines: &[&'static str]) -> (Watched, Offer) {
    let model = Some(Scripted::lines(lines));
    let mut w = Watched::start(begin("graph", "flat/milk_on_table", "reprompt", &[("completions", "1")], model));
    w.recommended().await;
    w.approve();
    w.executed().await;
    w.recommended().await;
    w.approve();
    let offer = prompt(&mut w).await;
    w.send(Command::Gate(Request::ApproveOffer(offer.id)));
    assert_eq!(w.recommended().await, "Walk to the table");
    (w, offer)
}

#[tokio::test]
async fn what_comes_after_a_step_left_out_may_be_another_step_or_the_error_again() {
    let lines =
        ["Walk to the fridge", "Grab milk", "skip", "Walk to the table", "Walk to the sink", "Open the fridge", "Done"];
    let (mut w, _) = left_out(&lines).await;
    // Who rejects the next step asks for another next step: the refused one stays left out.
    let next = w.session.current().unwrap().turn.recommended.as_ref().unwrap().0.unwrap();
    w.send(Command::Gate(Request::Reject { proposal: next, reason: "not yet".into() }));
    assert_eq!(w.recommended().await, "Walk to the sink");
    assert_eq!(plan(&w).iter().map(|(_, fate)| *fate).collect::<Vec<_>>(), [StepStatus::Done, StepStatus::Dropped]);
    w.quit().await;

    let lines = ["Walk to the fridge", "Grab milk", "skip", "Walk to the table", "Open the fridge", "Done"];
    let (mut w, offer) = left_out(&lines).await;
    // Who asks anew is offered the corrective prompt of the step that was left out.
    w.send(Command::Gate(Request::Propose));
    let again = prompt(&mut w).await;
    assert_eq!((again.written.raw.clone(), again.id != offer.id), (offer.written.raw.clone(), true));
    w.send(Command::Gate(Request::ApproveOffer(again.id)));
    assert_eq!(w.recommended().await, "Open the fridge");
    w.approve();
    w.executed().await;
    let fates: Vec<StepStatus> = plan(&w).iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [StepStatus::Done, StepStatus::Corrected, StepStatus::Done], "{:?}", plan(&w));
    let figures = (figure(&w, "errors"), figure(&w, "corrections"));
    assert_eq!(figures, (1.0, 2.0), "one error, for which two prompts were sent");
    w.quit().await;
}

#[tokio::test]
async fn penalties_and_the_nucleus_are_those_that_were_published_unless_they_are_set() {
    for (method, options, wanted) in [
        ("open-loop", &[][..], (0.3, 0.5, Some(0.9))),
        ("reprompt", &[], (0.3, 0.3, Some(0.9))),
        ("reprompt", &[("frequency", "0"), ("presence", "0.7"), ("nucleus", "1")], (0.0, 0.7, None)),
    ] {
        let model = Scripted::lines(&["Walk to the fridge"]);
        let mut w = Watched::start(begin("graph", "flat/milk_on_table", method, options, Some(Arc::clone(&model))));
        w.recommended().await;
        let asked = model.asked.lock().unwrap()[0].clone();
        assert_eq!((asked.frequency_penalty, asked.presence_penalty, asked.top_p), wanted, "{method} {options:?}");
        w.quit().await;
    }
}

/// The blocking tree that stands before the goals at the cursor, as it was reported last.
fn grown(w: &Watched) -> Vec<String> {
    let situations = w.notices.iter().rev().filter_map(|notice| match notice {
        Notice::Situation(situation) => Some(situation),
        _ => None,
    });
    let here = situations.into_iter().find(|situation| situation.node == w.session.cursor()).unwrap();
    before_goals(&here.goals)
}

#[tokio::test]
async fn a_blocking_tree_grows_from_an_error_and_goes_once_it_is_resolved() {
    let lines = [
        "go to diningtable 1",
        "take tomato 2 from diningtable 1",
        "heat tomato 2 with microwave 1",
        "go to microwave 1",
        "heat tomato 2 with microwave 1",
        "go to fridge 1",
    ];
    let model = Scripted::lines(&lines);
    let options = [("blocking", "on"), ("completions", "1"), ("tried", "0")];
    let mut w = Watched::start(begin("household", "shipped/heat-tomato-3", "reprompt", &options, Some(model)));
    for _ in 0..2 {
        w.recommended().await;
        assert!(grown(&w).is_empty(), "{:?}", grown(&w));
        w.approve();
        w.executed().await;
    }
    w.recommended().await;
    w.approve();
    let offer = prompt(&mut w).await;
    assert_eq!(offer.written.raw, "Error: the agent is not at microwave 1. A correct step would be to");
    w.send(Command::Gate(Request::ApproveOffer(offer.id)));
    assert_eq!(w.recommended().await, "go to microwave 1");
    let tree = grown(&w);
    assert_eq!(tree[0], "heat tomato 2 with microwave 1");
    assert!(tree.contains(&"go to microwave 1".to_owned()), "{tree:?}");
    w.approve();
    w.executed().await;
    assert_eq!(w.recommended().await, "heat tomato 2 with microwave 1");
    assert_eq!(grown(&w), ["heat tomato 2 with microwave 1"], "nothing blocks it any more");
    w.approve();
    w.executed().await;
    w.recommended().await;
    assert!(grown(&w).is_empty(), "{:?}", grown(&w));
    // The tree belongs to the step.
    w.send(Command::Gate(Request::Goto(3)));
    w.until("the situation there", |n, _| matches!(n, Notice::Situation(s) if s.node == 3)).await;
    assert_eq!(grown(&w), tree);
    w.quit().await;
}
