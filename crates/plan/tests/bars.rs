//! Plans without a language model over the test tasks at hand in the seven scenes: how many are executable, how many corrections they take,
//! and what they have in common with what people wrote. Each step is tried as the paper does: the program so far is prepared in the scene
//! and run again. The tasks are known by their titles; the programs only judge.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]

use std::collections::BTreeMap;
use std::path::PathBuf;

use serde_json::Value;
use stepwright_graph::correct::{Correction, correction};
use stepwright_graph::prepare::{Tables, prepare};
use stepwright_graph::run::Run;
use stepwright_graph::script::Param;
use stepwright_graph::{Graph, Line, Names, PropertyTable, Reason, Scene, language, metrics, script};
use stepwright_plan::fit::{Example, Examples};

/// Steps of a plan, and corrections of one step in a row, as the method has them.
const STEPS: usize = 20;
const IN_VAIN: usize = 6;

fn data() -> Option<PathBuf> {
    let path = PathBuf::from(std::env::var_os("STEPWRIGHT_DATA")?).join("virtualhome");
    path.is_dir().then_some(path)
}

fn read(path: PathBuf) -> String {
    std::fs::read_to_string(path).unwrap()
}

fn lines(text: &str) -> Vec<Value> {
    text.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

struct Trial<'a> {
    scene: &'a Graph,
    tables: Tables<'a>,
    program: Vec<Line>,
    now: Graph,
    corrections: usize,
}

impl Trial<'_> {
    /// Tries the program with one more step; the reason and the step with the ids of its things where the world refuses it.
    fn attempt(&mut self, line: &Line) -> Result<(), Option<(Reason, Line)>> {
        let mut program = self.program.clone();
        program.push(line.clone());
        let prepared = prepare(self.scene, &program, self.tables).map_err(|_| None)?;
        let run = Run::of(&prepared.graph, &prepared.script);
        match run.failed {
            None => {
                self.now = run.end().unwrap().clone();
                self.program = program;
                Ok(())
            }
            Some(step) if step == program.len() => {
                self.now = run.end().unwrap().clone();
                Err(Some((run.reason().unwrap().clone(), prepared.script.last().unwrap().clone())))
            }
            Some(_) => Err(None),
        }
    }

    /// Does a step, corrected where it must be; left out where nothing helps.
    fn step(&mut self, line: &Line) {
        for _ in 0..IN_VAIN {
            let Err(why) = self.attempt(line) else { return };
            self.corrections += 1;
            let Some((reason, refused)) = why else { return };
            let Correction::First(first) = correction(&self.now, &refused, &reason) else { return };
            // In words the step names a class; of a program the first thing of it.
            let params = first.params.iter().map(|param| Param { number: 1, ..param.clone() }).collect();
            let first = Line { params, ..first };
            if self.attempt(&first).is_err() {
                self.corrections += 1;
                return;
            }
        }
    }
}

#[test]
fn plans_without_a_language_model_meet_the_bars() {
    let Some(data) = data() else { return };
    let names = Names::read(&read(data.join("resources/names.json"))).unwrap();
    let (scene_names, general) = (names.get("v1.0").unwrap(), names.get("lp").unwrap());
    let properties: PropertyTable = serde_json::from_str(&read(data.join("resources/properties.json"))).unwrap();
    let tables = Tables { names: scene_names, properties: &properties };
    let mut admissible: Vec<String> = serde_json::from_str(&read(data.join("available_actions.json"))).unwrap();
    admissible.iter_mut().for_each(|step| *step = step.replace('_', " "));
    admissible.sort();
    let plans: Vec<Example> = lines(&read(data.join("examples.jsonl")))
        .iter()
        .map(|e| {
            let steps = e["text"].as_str().unwrap().lines().skip(1);
            let steps = steps.map(|l| l.split_once(':').unwrap().1.trim().to_owned()).collect();
            Example { task: e["title"].as_str().unwrap().to_owned(), steps }
        })
        .collect();
    let scenes: Vec<Graph> =
        (1..=7).map(|n| Scene::read(&read(data.join(format!("scenes/scene{n}.json")))).unwrap().graph).collect();
    let mut truth: BTreeMap<String, Vec<Vec<Line>>> = BTreeMap::new();
    for program in lines(&read(data.join("programs.jsonl"))).iter().filter(|p| p["split"] == "test") {
        let text = program["program"].as_array().unwrap().iter().map(|l| l.as_str().unwrap());
        truth.entry(program["title"].as_str().unwrap().to_owned()).or_default().push(script::parse(text).unwrap());
    }
    let embedder = stepwright_embed::built_in();
    let tasks: Vec<String> = plans.iter().map(|plan| plan.task.to_lowercase()).collect();
    let vectors = embedder.embed(&tasks).unwrap();
    let library = Examples::of(&plans);
    let (mut units, mut executable, mut corrections, mut common, mut steps) = (0.0, 0.0, 0, 0.0, 0);
    for (title, programs) in &truth {
        let vector = embedder.embed(&[title.to_lowercase()]).unwrap().remove(0);
        let near: Vec<f64> =
            vectors.iter().map(|v| v.iter().zip(&vector).map(|(a, b)| f64::from(a * b)).sum()).collect();
        let plan = library.fitted(title, &near, &admissible).unwrap();
        let mut shown = 0.0;
        let mut took = Vec::new();
        for scene in &scenes {
            let now = scene.clone();
            let mut trial = Trial { scene, tables, program: Vec::new(), now, corrections: 0 };
            for step in &plan.steps {
                let Ok(line) = script::parse_line(&language::scripted(step, general).script) else { continue };
                if trial.program.len() < STEPS {
                    trial.step(&line);
                }
            }
            let prepared = prepare(scene, &trial.program, tables);
            let runs = prepared.is_ok_and(|p| Run::of(&p.graph, &p.script).failed.is_none());
            let best = programs.iter().map(|p| metrics::lcs(&trial.program, p, general)).fold(0.0, f64::max);
            units += 1.0;
            executable += f64::from(u8::from(runs && !trial.program.is_empty()));
            corrections += trial.corrections;
            steps += trial.program.len();
            common += best;
            shown += best / 7.0;
            took.push(trial.corrections);
        }
        println!("{shown:.2} {took:?} {title} <- {} {:?}", plans[plan.example].task, plan.changed);
    }
    let (executable, common) = (100.0 * executable / units, 100.0 * common / units);
    let corrections = corrections as f64 / units;
    println!(
        "{units} plans: executable {executable:.2} %, LCS {common:.2}, {corrections:.3} corrections, {:.2} steps",
        steps as f64 / units
    );
    assert!(executable >= 98.86 && corrections <= 0.29 && common >= 24.72);
}
