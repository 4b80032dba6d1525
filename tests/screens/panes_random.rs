//! Random sessions of every world, by a real driver: what stands beside a proposal never contradicts itself (U3 and U7).

use std::sync::Arc;
use std::time::Duration;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;
use stepwright::config::Config;
use stepwright::driver::{NewSession, Notice, Setup, prepare_new};
use stepwright::sandbox::{Limits, Workers};
use stepwright::tui::pane::{PANES, PaneId};
use stepwright::tui::view::View;

use crate::panes_bars::heard;
use crate::support::driver::Watched;
use crate::support::opened::configuration;
use crate::support::screen::shot;
use crate::tui_keys::Bench;

/// Sessions, unless `STEPWRIGHT_SESSIONS` says others.
const SESSIONS: usize = 12;
/// The first of them: with these a narrow row once had no room for why it is recommended.
const FIRST: usize = 14;
/// Keys pressed in each.
const KEYS: usize = 16;
const WORLDS: [&str; 6] = ["household", "dialogue", "kitchen", "table", "shop", "graph"];
/// A method that does not fit the world is left for the world's own.
const METHODS: [&str; 6] = ["", "few-shot", "blocking", "precondition-aware", "progprompt", "o3d"];
/// What a person does at a step: takes what is recommended or another, refuses, types what may be refused, goes back, adopts what was inferred,
/// and looks elsewhere.
const WAYS: [&str; 16] = [
    "a", "a", "j a", "j j a", "9 a", "x enter", "x 'no' enter", "s", "m 'go_to_nowhere' enter", "m tab enter", "u",
    "U", "P", "alt-3 A enter", "alt-3 j A enter", "b",
];

/// What contradicts itself on the panes of a view.
fn contradictions(view: &View) -> Vec<String> {
    let mut wrong = Vec::new();
    for pane in PANES {
        let text = shot(*pane, view, (58, 30));
        wrong.extend(text.lines().filter(|line| line.contains('✗') && line.contains("accepts")).map(str::to_owned));
    }
    let why = view.turn().and_then(|turn| turn.recommended.as_ref()).map(|(_, why)| why.clone()).unwrap_or_default();
    let said = format!("({}", why.chars().take(5).collect::<String>());
    for width in [40, 58, 96] {
        let text = shot(PaneId::Proposals, view, (width, 24));
        // Where there is little room, that a person refused it goes before why it is recommended again.
        let is_said = |line: &str| line.contains(&said) || width == 40 && line.contains(" refused at");
        let unexplained = |line: &&str| line.contains('★') && line.contains('✗') && !is_said(line);
        wrong.extend(text.lines().filter(unexplained).map(|line| format!("{width} columns, {why:?}: {line}")));
    }
    wrong
}

fn opened(random: &mut ChaCha8Rng, config: &Config, round: usize) -> Setup {
    let world = WORLDS[round % WORLDS.len()];
    let tasks = stepwright::worlds::sources().told(world, None).unwrap();
    let task = tasks[random.random_range(0..tasks.len())].id.clone();
    let method = METHODS[random.random_range(0..METHODS.len())].to_owned();
    let new = NewSession { world: world.into(), task, method, model: "symbolic".into(), ..NewSession::default() };
    let prepared =
        |new: &NewSession| prepare_new(new, config, &stepwright::worlds::sources(), Arc::new(|| 1_795_000_000_000));
    prepared(&new).or_else(|_| prepared(&NewSession { method: String::new(), ..new })).unwrap()
}

#[tokio::test]
async fn no_screen_of_a_random_session_contradicts_itself() {
    let sessions = std::env::var("STEPWRIGHT_SESSIONS").ok().and_then(|n| n.parse().ok()).unwrap_or(SESSIONS);
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let mut looked = 0;
    let mut starred = 0;
    let mut against = 0;
    for round in FIRST..FIRST + sessions {
        let mut random = ChaCha8Rng::seed_from_u64(round as u64);
        let mut setup = opened(&mut random, &config, round);
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        let mut watched = Watched::start(setup);
        watched.until("the first situation", |notice, _| matches!(notice, Notice::Situation(_))).await;
        let mut bench = Bench::over(watched.notices.clone());
        let mut pressed = Vec::new();
        for _ in 0..KEYS {
            heard(&mut bench, &mut watched, Duration::from_millis(20)).await;
            let wrong = contradictions(&bench.app.view);
            assert!(wrong.is_empty(), "session {round}, {pressed:?}:\n{}", wrong.join("\n"));
            looked += 1;
            starred += usize::from(bench.draw(120, 40).contains('★'));
            let offered = shot(PaneId::Proposals, &bench.app.view, (96, 24));
            against += usize::from(offered.lines().any(|line| line.contains('★') && line.contains('✗')));
            if watched.session.is_done() && random.random_bool(0.5) {
                break;
            }
            let way = WAYS[random.random_range(0..WAYS.len())];
            pressed.push(way);
            bench.press("alt-2").press(way);
        }
        watched.quit().await;
    }
    eprintln!("{sessions} sessions, {looked} screens, {starred} with a star, {against} of them against a verdict");
    assert!(starred * 4 > looked, "a star on {starred} of {looked} screens");
}
