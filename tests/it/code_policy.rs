//! Policies as code through the driver: the paper's printed programs act step by step, a person approves, refuses and mends, and the shipped
//! functions play the household and the shop without a language model.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Beginning, NewSession, Setup, Source, prepare_new};
use stepwright::episode::{Header, Policy};
use stepwright::sandbox::{Limits, Workers};
use stepwright::world::Sources;
use stepwright_trajectory::Step;
use stepwright_trajectory::Trajectory;
use stepwright_trajectory::react::Form;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use crate::support::logged::Logged;
use crate::support::recordings::recordings;

fn model(answers: impl IntoIterator<Item = String>) -> Arc<Scripted> {
    let say = |answer: String| Turn::Say(vec![Box::leak(answer.into_boxed_str())], Duration::ZERO);
    Scripted::new(answers.into_iter().map(say))
}

/// A session in a world that answers these actions so.
fn session(method: &str, log: &[(&str, &str)], form: Form, model: Arc<Scripted>) -> Setup {
    let step = |(action, observation): &(&str, &str)| Step {
        action: (*action).to_owned(),
        observation: Some((*observation).to_owned()),
        ..Step::default()
    };
    let log = Trajectory {
        steps: log.iter().map(step).collect(),
        initial_observation: Some("A room.".to_owned()),
        terminated: Some("purchase".to_owned()),
        success: true,
        score: 1.0,
        ..Trajectory::default()
    };
    let begun = Header { method: method.into(), sentence: "do it".to_owned(), ..header() };
    let mut setup = setup(Beginning::New(Box::new(begun)), Counter::default(), model, None);
    setup.method = stepwright::method::named(method).unwrap();
    setup.world = Box::new(Logged::new(log, form));
    setup
}

fn automatic(setup: Setup) -> Setup {
    Setup { policy: Some(Policy { steps: 100, ..Policy::manual() }), headless: true, ..setup }
}

async fn ended(w: &mut Watched) {
    let mut begun = false;
    w.until("the end", |_, s| {
        begun |= s.policy.is_automatic();
        begun && !s.policy.is_automatic()
    })
    .await;
}

fn actions(w: &Watched) -> Vec<String> {
    let path = w.session.path(w.session.cursor());
    path.iter().filter_map(|node| Some(node.action.as_ref()?.text.clone())).collect()
}

/// The printed programs of an environment, joined, and the actions they are to take with what is observed.
fn printed(data: &std::path::Path, env: &str) -> String {
    let text = std::fs::read_to_string(data.join("code_programs.json")).unwrap();
    let all: Value = serde_json::from_str(&text).unwrap();
    let of = all["programs"].as_array().unwrap().iter().filter(|program| program["env"] == env);
    of.map(|program| program["source"].as_str().unwrap()).collect::<Vec<_>>().join("\n")
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_program_of_the_household_acts_step_by_step() {
    let Some(data) = recordings("o3d") else { return };
    let log = [
        ("go to cabinet 6", "The cabinet 6 is closed."),
        ("open cabinet 6", "You open the cabinet 6. In it, you see a plate 1."),
        ("go to cabinet 5", "On the cabinet 5, you see a cup 1, and a bowl 2."),
        ("take bowl 2 from cabinet 5", "You pick up the bowl 2 from the cabinet 5."),
        ("go to sinkbasin 1", "On the sinkbasin 1, you see nothing."),
        ("clean bowl 2 with sinkbasin 1", "You clean the bowl 2 using the sinkbasin 1."),
        ("go to cabinet 1", "The cabinet 1 is closed."),
        ("open cabinet 1", "You open the cabinet 1. In it, you see nothing."),
        ("put bowl 2 in/on cabinet 1", "You put the bowl 2 in/on the cabinet 1."),
    ];
    let model = model([format!("```python\n{}\n```", printed(&data, "alfworld"))]);
    let mut w = Watched::start(automatic(session("demo2code", &log, Form::Prompt, model)));
    ended(&mut w).await;
    assert_eq!(actions(&w), log.map(|(action, _)| action.to_owned()));
    assert!(w.session.current().unwrap().outcome.won);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_printed_program_of_the_shop_asks_the_model_for_its_functions() {
    let Some(data) = recordings("o3d") else { return };
    let page = "[Back to Search]\n[B09GLCXKP6]\nRed ottoman $20.00\n[B0184JRW1I]\nBlue ottoman bench $99.00";
    let log = [
        ("search[blue ottoman bench]", page),
        ("click[B0184JRW1I]", "[Back to Search]\ncolor [blue][red]\n[Buy Now]"),
        ("click[blue]", "You have clicked blue."),
        ("click[Buy Now]", "Your score: 1.0"),
    ];
    let requirements = || "['blue ottoman bench', 'price lower than 410.00 dollars']".to_owned();
    let model = model([
        printed(&data, "webshop"),
        "search[blue ottoman bench]".to_owned(),
        requirements(),
        requirements(),
        "['blue']".to_owned(),
    ]);
    let mut w = Watched::start(automatic(session("demo2code", &log, Form::Action, model)));
    ended(&mut w).await;
    assert_eq!(actions(&w), log.map(|(action, _)| action.to_owned()));
}

fn configuration(folder: &std::path::Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    load_with(&overrides, &|_| None).unwrap()
}

#[tokio::test(flavor = "multi_thread")]
async fn shipped_functions_play_without_a_language_model() {
    let folder = tempfile::tempdir().unwrap();
    let (config, sources) = (configuration(folder.path()), Sources::default());
    // Of the shop's, the bar of its agents: a mean score of 58. Two of the six are bought as asked for.
    for (world, tasks, least, score) in [("household", 6, 6, 1.0), ("shop", 6, 2, 0.58)] {
        let mut ids: VecDeque<String> = sources.tasks(world, None).unwrap().into_iter().map(|task| task.id).collect();
        let (mut won, mut reward) = (0, 0.0);
        for _ in 0..tasks {
            // From all over the list.
            ids.rotate_left(5);
            let new = NewSession {
                world: world.into(),
                task: ids[0].clone(),
                method: "o3d-code".into(),
                model: "symbolic".into(),
                ..NewSession::default()
            };
            let mut setup = prepare_new(&new, &config, &sources, Arc::new(|| 1_000)).unwrap();
            assert!(matches!(setup.source, Source::Symbolic));
            setup.sandbox = Arc::new(Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default()));
            let mut w = Watched::start(automatic(setup));
            ended(&mut w).await;
            let outcome = &w.session.current().unwrap().outcome;
            (won, reward) = (won + usize::from(outcome.won), reward + outcome.reward);
        }
        assert!(won >= least, "{world}: {won} of {tasks}");
        assert!(reward / f64::from(tasks) >= score, "{world}: a score of {reward} in {tasks} tasks");
    }
}
