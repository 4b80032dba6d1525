//! Published runs of Statler and its baselines, played back as a model through the whole program where they are at hand: each
//! request is answered as rightly as was recorded. And the three cups, by a model that knows the answer.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use crate::support::driver::{Scripted, Watched};
use crate::support::recordings::recordings;
use serde_json::Value;
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Beginning, NewSession, Setup, Source, prepare_new};
use stepwright::episode::Policy;
use stepwright::methods::METHODS;
use stepwright::sandbox::{Limits, Workers};
use stepwright::world::Sources;

/// Episodes of each method that are played; all with STEPWRIGHT_TRIALS.
const EPISODES: usize = 4;

fn configuration(folder: &Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    load_with(&overrides, &METHODS, &|_| None).unwrap()
}

fn headless(new: &NewSession, config: &Config, sources: &Sources) -> Setup {
    let mut setup = prepare_new(new, config, sources, Arc::new(|| 1_000)).unwrap();
    setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
    setup.policy = Some(Policy { steps: 100, ..Policy::manual() });
    setup.headless = true;
    setup
}

/// Plays an episode to its end; the reward of each request.
async fn play(setup: Setup) -> (Vec<f64>, Watched) {
    let mut w = Watched::start(setup);
    let mut begun = false;
    w.until("the end", |_, s| {
        begun |= s.policy.is_automatic();
        begun && !s.policy.is_automatic()
    })
    .await;
    let rewards = w.session.nodes().iter().skip(1).map(|n| n.outcome.reward).collect();
    (rewards, w)
}

#[tokio::test(flavor = "multi_thread")]
async fn recorded_runs_are_as_right_as_they_were() {
    let Some(data) = recordings("statler") else { return };
    let file = data.join("recorded_runs.jsonl");
    let text = std::fs::read_to_string(&file).unwrap();
    let all = std::env::var_os("STEPWRIGHT_TRIALS").is_some();
    let folder = tempfile::tempdir().unwrap();
    let (config, sources) = (configuration(folder.path()), stepwright::worlds::sources());
    let mut played: BTreeMap<String, usize> = BTreeMap::new();
    for line in text.lines() {
        let run: Value = serde_json::from_str(line).unwrap();
        let (id, method) = (run["id"].as_str().unwrap(), run["method"].as_str().unwrap());
        let seen = played.entry(method.to_owned()).or_default();
        if *seen >= EPISODES && !all {
            continue;
        }
        *seen += 1;
        let (domain, number) = id.rsplit_once('-').unwrap();
        let new = NewSession {
            world: "table".into(),
            data: Some(data.clone()),
            task: format!("{domain}/{number}"),
            method: method.replace('_', "-"),
            model: format!("recorded:{}", file.display()),
            ..NewSession::default()
        };
        let (rewards, w) = play(headless(&new, &config, &sources)).await;
        let steps = run["steps"].as_array().unwrap();
        let right: Vec<bool> = steps.iter().map(|s| s["correct"].as_bool().unwrap()).take(rewards.len()).collect();
        let got: Vec<bool> = rewards.iter().map(|r| *r > 0.0).collect();
        assert_eq!(
            got,
            right,
            "{id} by {method}: {:?}",
            w.session.nodes().iter().flat_map(|n| &n.turn.notes).collect::<Vec<_>>()
        );
        assert!(
            w.session.is_done(),
            "{id} by {method} ended early: {:?}",
            w.notices.iter().rev().take(4).collect::<Vec<_>>()
        );
        // The last update reached the writer, whose state was recorded.
        let last = steps.last().unwrap();
        let told = last["update"].as_array().is_some_and(|u| !u.is_empty()) && last["next_state_text"].is_string();
        if told && method.starts_with("statler") {
            let offers = &w.session.current().unwrap().turn.offers;
            assert!(offers.last().is_some_and(|o| o.is_settled()), "{id} by {method}: {offers:?}");
        }
        w.quit().await;
    }
    assert_eq!(played.len(), 5, "{played:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_three_cups_are_played_in_each_form() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("three_cups.json");
    let games = r#"{"demonstrations": [], "episodes": [{"initial": [true, false, false], "swaps": [[0, 2], [1, 2]], "states": [[false, false, true], [false, true, false]]}]}"#;
    std::fs::write(&path, games).unwrap();
    let (config, sources) = (configuration(folder.path()), stepwright::worlds::sources());
    let forms: [(&str, [&'static str; 2]); 3] = [
        ("cups-plain", ["False, False, True]\n", "False, True, False]\n"]),
        ("cups-cot", ["False, False, True]\nEND", "False, False, True]\ncups = [False, True, False]\n"]),
        ("cups-state", ["False, False, True]", "False, True, False]"]),
    ];
    for (method, answers) in forms {
        let new = NewSession {
            world: "table".into(),
            data: Some(path.clone()),
            // The forms need a language model, which is put in below.
            method: "statler".into(),
            model: "symbolic".into(),
            ..NewSession::default()
        };
        let model = Scripted::lines(&answers);
        let mut setup = headless(&new, &config, &sources);
        let Beginning::New(header) = &mut setup.beginning else { panic!("a new session") };
        (header.method, header.model) = (method.into(), "scripted".into());
        setup.method = METHODS.named(method).unwrap();
        setup.source = Source::Language { name: "scripted".into(), model: model.clone() };
        let (rewards, w) = play(setup).await;
        assert_eq!(rewards, [1.0, 1.0], "{method}: {:?}", w.session.nodes());
        assert!(w.session.current().unwrap().outcome.won);
        let last = model.asked.lock().unwrap()[1].messages.last().unwrap().text.clone();
        let own = last.split("cups = [True, False, False]").last().unwrap().to_owned();
        let swaps = last.ends_with("Swapping cup 1 with cup 2");
        assert!(swaps || method == "cups-state", "{method}: {last}");
        if method == "cups-state" {
            assert!(
                last.contains("cups = [False, False, True]\nSwapping cup 1 with cup 2"),
                "its own last state: {own}"
            );
            let believed = w.session.belief().unwrap().to_string();
            assert_eq!(
                believed, "{\"cups\":[false,true,false]}",
                "the last state is believed although the episode is over"
            );
        }
        w.quit().await;
    }
}
