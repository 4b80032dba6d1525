//! How well the built-in proposer's preconditions agree with the true ones (Equation 2), on episodes it has not seen.

use std::path::Path;

use crate::support::recordings::recordings;
use conform::sgd::{Recordings, Split};
use serde_json::Value;
use stepwright::precondition::{CandidateStore, Demo, Demonstrations, Instances, Mean, Ranking, Score};
use stepwright::program::{Role, Specification};
use stepwright::world::World as _;
use stepwright::worlds::household::{Edition, HouseholdWorld, Source, shipped};

/// The built-in proposer's suggestion for each of these actions, scored on other episodes; prints a line each.
fn score(demos: &Demonstrations, other: &Demonstrations, truth: &[(String, Vec<String>)]) -> Vec<Score> {
    let mut store = CandidateStore::new(demos.specification(), demos.all.clone()).unwrap();
    let mut scores = Vec::new();
    for (action, truth) in truth {
        store.enumerate(action, |_, _| true).unwrap();
        let predicted = store.suggested(action, Ranking::Evidence);
        let instances = Instances::new(other, other.action(action).unwrap());
        let sets = [&predicted, truth].map(|texts| instances.conjunction(other, texts).unwrap());
        let score = Score::of_sets(&sets[0], &sets[1]);
        let pool = store.pool(action).unwrap();
        eprintln!(
            "  {action}: precision {:.3} recall {:.3} of {} candidates ({} held back): {predicted:?}; true: {truth:?}",
            score.precision,
            score.recall,
            pool.candidates.len(),
            pool.held_back.len(),
        );
        scores.push(score);
    }
    scores
}

fn report(what: &str, scores: &[Score]) -> f64 {
    let mean = Mean::of(scores).unwrap().of_means;
    eprintln!(
        "{what}: precision {:.3} recall {:.3} F1 {:.4} over {} actions",
        mean.precision,
        mean.recall,
        mean.f1,
        scores.len()
    );
    mean.f1
}

/// The expert's recorded episodes other than the demonstrations, played in the world.
fn other_episodes(dir: &Path, demos: &[Demo]) -> Vec<Demo> {
    let source = Source::open(&dir.join("games.jsonl")).unwrap();
    let mut episodes = Vec::new();
    for line in std::fs::read_to_string(dir.join("traces/expert.jsonl")).unwrap().lines() {
        let episode: Value = serde_json::from_str(line).unwrap();
        let id = episode["id"].as_str().unwrap().to_owned();
        if demos.iter().any(|demo| demo.id == id) {
            continue;
        }
        let mut world = HouseholdWorld::new(source.clone(), Edition::Put);
        let mut calls = world.reset(episode["game"].as_str().unwrap(), 0).unwrap().observation_calls;
        for step in episode["steps"].as_array().unwrap() {
            calls.extend(world.act(step["command"].as_str().unwrap()).unwrap().calls().cloned());
        }
        episodes.push(Demo { id, calls });
    }
    episodes
}

#[test]
fn household_preconditions_reach_the_papers_best() {
    let (Some(alfworld), Some(sgd)) = (recordings("alfworld"), recordings("sgd")) else { return };
    let demos = Recordings::open(&sgd).unwrap().household().unwrap();
    let other = Demonstrations::new(demos.specification(), other_episodes(&alfworld, &demos.all)).unwrap();
    let recorded = std::fs::read_to_string(alfworld.join("preconditions.json")).unwrap();
    let recorded: Value = serde_json::from_str(&recorded).unwrap();
    let truth: Vec<(String, Vec<String>)> = recorded["actions"]
        .as_array()
        .unwrap()
        .iter()
        .map(|a| {
            let texts = a["assertions"].as_array().unwrap().iter().map(|t| t["expr"].as_str().unwrap().to_owned());
            (a["action"].as_str().unwrap().to_owned(), texts.collect())
        })
        .collect();
    let f1 = report(&format!("household, {} other episodes", other.all.len()), &score(&demos, &other, &truth));
    assert_eq!(format!("{f1:.4}"), "0.9552");
}

#[test]
fn dialogue_preconditions_reach_the_papers_best() {
    let Some(sgd) = recordings("sgd") else { return };
    let recordings = Recordings::open(&sgd).unwrap();
    let mut scores = Vec::new();
    for name in recordings.services() {
        eprintln!("{name}");
        let [demos, test] = [Split::Demonstrations, Split::Test].map(|split| recordings.service(name, split).unwrap());
        let of_service = score(&demos, &test, &recordings.truth(name).unwrap());
        report(name, &of_service);
        scores.extend(of_service);
    }
    let f1 = report("all services, test dialogues", &scores);
    // The paper's best is 0.84 (Table 2).
    assert_eq!(format!("{f1:.4}"), "0.9233");
}

#[test]
fn the_shipped_demonstrations_suffice() {
    let specification = Specification::load(include_str!("../../worlds/household/spec.py"), "spec.py").unwrap();
    let demos = shipped::demonstrations(Edition::Put).unwrap();
    let demos = Demonstrations::new(&specification, demos.iter().map(Demo::from).collect()).unwrap();
    let actions = specification.functions().iter().filter(|f| f.role == Role::Action);
    let truth: Vec<(String, Vec<String>)> = actions
        .map(|f| (f.name.clone(), f.assertions.iter().map(|a| a.expression.clone()).collect()))
        .filter(|(action, _)| !Instances::new(&demos, demos.action(action).unwrap()).calls.is_empty())
        .collect();
    assert_eq!(truth.len(), 9);
    let f1 = report("household, shipped demonstrations", &score(&demos, &demos, &truth));
    assert_eq!(format!("{f1:.4}"), "0.9679");
}
