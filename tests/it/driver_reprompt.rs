//! Plans of free-form steps through the driver: a written model that meets an error in a shipped flat, a corrective prompt that a person
//! edits, another correction from the same error; and every method without a language model, in the worlds whose refusals say why.

use std::sync::Arc;

use serde_json::Value;

use crate::support::driver::{Scripted, Watched};
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Command, NewSession, Notice, Request, Setup, Source, Sources, prepare_new};
use stepwright::episode::{Event, Level, Offer, Policy, Session};
use stepwright::method::Fate;

fn configuration(folder: &std::path::Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap()
}

fn begin(world: &str, task: &str, method: &str, options: &[(&str, &str)], model: Option<Arc<Scripted>>) -> Setup {
    let folder = tempfile::tempdir().unwrap();
    let options = options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect();
    let (world, task, method) = (world.into(), task.into(), method.into());
    let new = NewSession { world, task, method, options, model: "symbolic".into(), ..NewSession::default() };
    let mut setup = prepare_new(&new, &configuration(folder.path()), &Sources::default(), Arc::new(|| 1_000)).unwrap();
    if let Some(model) = model {
        let stepwright::driver::Beginning::New(header) = &mut setup.beginning else { panic!("a new session") };
        header.model = "scripted".into();
        setup.source = Source::Language { name: "scripted".into(), model };
    }
    setup
}

/// The corrective prompt that waits.
async fn prompt(w: &mut Watched) -> Offer {
    let is =
        |n: &Notice, _: &Session| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactOffered { .. }));
    w.until("a corrective prompt", is).await;
    w.session.pending_offer().unwrap().clone()
}

fn plan(w: &Watched) -> Vec<(String, Fate)> {
    let method = stepwright::method::named(&w.session.method).unwrap();
    let sections = method.rows(&w.session);
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
    let fates: Vec<Fate> = plan(&w).iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [Fate::Done, Fate::Corrected, Fate::Done], "{:?}", plan(&w));

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
    let fates: Vec<Fate> = plan(&w).iter().map(|(_, fate)| *fate).collect();
    assert_eq!(fates, [Fate::Done, Fate::Dropped, Fate::Done], "{:?}", plan(&w));
    w.quit().await;
}

/// A run without a language model; the session at its end and why it ended.
async fn played(world: &str, task: &str, method: &str, options: &[(&str, &str)]) -> (Watched, String) {
    let mut setup = begin(world, task, method, options, None);
    setup.unattended = true;
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
        let course = stepwright::method::course(&w.session).unwrap();
        assert!(!course.attempts.is_empty() && course.corrections == 0, "{method}: {why}");
    }
    let (w, why) = played("graph", "flat/milk_on_table", "reprompt", &[]).await;
    let course = stepwright::method::course(&w.session).unwrap();
    assert!(why.contains("generation has stopped") || why.contains("goal"), "{why}");
    // Whatever was refused was corrected or left out.
    let left: Vec<_> = (0..course.attempts.len()).filter(|at| course.fate(*at) == Fate::Refused).collect();
    assert!(left.len() <= 1, "{:?}: {why}", plan(&w));
    let refused = course.attempts.iter().filter(|a| !a.is_done()).count();
    assert_eq!(course.corrections, refused, "{:?}", plan(&w));
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
}
