//! The library at a thousand sessions: walks of a hundred decisions in the shipped household, made up here. How long the first index takes
//! (bar: 60 s), how long to take it up again, what one new session costs, how long after an editor opened an action's decisions are at hand, what a
//! person waits for an answer after the last key then (bar: 300 ms, of which typing rests 120), and what the assertion itself takes of that
//! (bar: 100 ms over 100,000 states, which 1,060 sessions have). `cargo bench --bench library`; `-- SESSIONS` for another number.
#![allow(clippy::unwrap_used)] // A figure that cannot be taken stops the run.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rand::{Rng as _, SeedableRng as _};
use rand_chacha::ChaCha8Rng;
use stepwright::episode::{
    Action, Actor, Choice, Decision, Event, FORMAT_VERSION, Header, Origin, Proposal, Record, Session, StepOutcome,
    Verdict,
};
use stepwright::library::{Impact, Library};
use stepwright::world::World as _;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source};

const DECISIONS: usize = 100;
/// How long typing rests before anything is asked.
const RESTS: Duration = Duration::from_millis(120);

/// A walk: what can be done is done at random, and now and then what cannot.
fn session(world: &mut HouseholdWorld, task: &str, seed: u64, way: &str) -> (Header, Vec<Record>) {
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    let reset = world.reset(task, seed).unwrap();
    let header = Header {
        stepwright: "session".into(),
        version: FORMAT_VERSION,
        world: "household".into(),
        data: "shipped".into(),
        task: task.into(),
        specification: world.specification().into_owned(),
        ..Header::default()
    };
    let (mut session, mut records) = (Session::new(header.clone()), Vec::new());
    let mut add = |session: &mut Session, event: Event| {
        let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
        session.apply(&record).unwrap();
        records.push(record);
    };
    add(&mut session, Event::Started { outcome: StepOutcome::from(&reset).into() });
    for _ in 0..DECISIONS {
        let offered: Vec<String> = world.admissible().unwrap().into_iter().filter(|a| a.starts_with(way)).collect();
        let text = match random.random_range(0..20) {
            0 => "take mug 1 from shelf 1".to_owned(),
            _ => offered[random.random_range(0..offered.len())].clone(),
        };
        let call = world.call_of(&text).map(|call| call.to_string());
        let (id, number, child) = (session.next_proposal(), session.next_decision(), session.next_node());
        let action = Action::new(text.clone(), call);
        let proposal = Proposal { action: Some(action.clone()), ..Proposal::new(id, text.clone(), Origin::Sample) };
        add(&mut session, Event::Proposed { proposal: proposal.into() });
        add(&mut session, Event::Checked { proposal: id, verdict: Verdict::default().into() });
        let choice = Choice::Approve { proposal: id };
        let decision = Decision { id: number, choice, by: Actor::Person, why: String::new() };
        add(&mut session, Event::Decided { decision: decision.into() });
        let outcome = StepOutcome { done: false, ..StepOutcome::from(&world.act(&text).unwrap()) }.into();
        let changes = serde_json::json!([]).into();
        add(&mut session, Event::Executed { decision: number, child, action: action.into(), outcome, changes });
    }
    (header, records)
}

fn write(path: &Path, (header, records): &(Header, Vec<Record>)) {
    let mut text = Vec::new();
    let lines = std::iter::once(serde_json::to_vec(header)).chain(records.iter().map(serde_json::to_vec));
    for line in lines {
        text.extend(stepwright_files::sum::sealed(line.unwrap()));
        text.push(b'\n');
    }
    std::fs::write(path, text).unwrap();
}

fn library(folder: &Path, places: &[PathBuf]) -> (Library, Duration) {
    let begun = Instant::now();
    let mut library = Library::new(folder.join("cache"), stepwright::worlds::WORLDS.into());
    library.index.refresh(places, &mut |_, _| true);
    (library, begun.elapsed())
}

/// How long it takes to have the decisions of an action at hand, which begins when an editor opens.
fn ready(library: &mut Library, places: &[PathBuf], action: &str) -> Duration {
    let begun = Instant::now();
    library.index.refresh(places, &mut |_, _| true);
    library.ready(Some("household"), action, None);
    begun.elapsed()
}

/// The answers to a question asked several times: the first and the best of the others as a person waits for them (with a look for what is new),
/// and the middle one of what the assertion itself took.
struct Answers {
    first: Duration,
    later: Duration,
    alone: Duration,
    states: usize,
    words: String,
}

fn answers(library: &mut Library, places: &[PathBuf], action: &str, text: &str) -> Answers {
    let (mut times, mut alone) = (Vec::new(), Vec::new());
    let mut found = Impact::default();
    for _ in 0..12 {
        let begun = Instant::now();
        library.index.refresh(places, &mut |_, _| true);
        let asked = Instant::now();
        found = library.impact(Some("household"), action, None, text).unwrap();
        alone.push(asked.elapsed());
        times.push(begun.elapsed());
    }
    alone.sort();
    let (states, words) = (found.decisions, found.in_words());
    Answers {
        first: times[0],
        later: times.into_iter().skip(1).min().unwrap(),
        alone: alone[alone.len() / 2],
        states,
        words,
    }
}

fn main() {
    let sessions = std::env::args().filter_map(|arg| arg.parse().ok()).next().unwrap_or(1000);
    for (what, way) in [("walks", ""), ("ways", "go to ")] {
        let folder = tempfile::tempdir().unwrap();
        let places = [folder.path().join("sessions")];
        std::fs::create_dir_all(&places[0]).unwrap();
        let source = Source::shipped().unwrap();
        let tasks: Vec<String> = source.tasks().into_iter().map(|task| task.id).collect();
        let mut world = HouseholdWorld::new(source, Edition::Put);
        for at in 0..sessions {
            let walk = session(&mut world, &tasks[at % tasks.len()], at as u64, way);
            write(&places[0].join(format!("{at:04}.jsonl")), &walk);
        }
        let decisions = sessions * DECISIONS;
        let (_, first) = library(folder.path(), &places);
        let (mut read, again) = library(folder.path(), &places);
        println!("{what}: {sessions} sessions, {decisions} decisions");
        println!("  first index {:.1} s (bar: 60 s), taken up again {:.2} s", first.as_secs_f64(), again.as_secs_f64());
        for (action, text) in [
            ("goto", "self.is_visible(recep)"),
            ("goto", "recep in self.visible_objects and not self.env.get_property(recep, 'open')"),
            ("take", "self.is_visible(obj) and self.inventory is None"),
        ] {
            let opened = ready(&mut read, &places, action);
            let found = answers(&mut read, &places, action, text);
            println!(
                "  {action}, {text}\n    at hand {:.0} ms after the editor opened; after the last key the first answer {:.0} ms, \
                 later ones {:.0} ms (bar: 300 ms): {}\n    the assertion itself {:.1} ms over {} states (bar: 100 ms over 100,000)",
                opened.as_secs_f64() * 1e3,
                (found.first + RESTS).as_secs_f64() * 1e3,
                (found.later + RESTS).as_secs_f64() * 1e3,
                found.words,
                found.alone.as_secs_f64() * 1e3,
                found.states,
            );
        }
        write(&places[0].join("new.jsonl"), &session(&mut world, &tasks[0], 7, way));
        let new = answers(&mut read, &places, "goto", "self.is_visible(recep)").first;
        println!("  the first answer after a session more: {:.0} ms", (new + RESTS).as_secs_f64() * 1e3);
    }
}
