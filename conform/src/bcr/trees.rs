//! Replays recorded selections in the kitchen: candidates, result, blocking condition, resolution, children, goals met and robot at
//! every step, and the run's sums.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;

use super::{Scenes, field, unreadable};
use crate::{Found, Row};
use stepwright_study::recordings::name_of;
use stepwright_world::blocking::{Blocked, Domain, Forest, Moment, Selection};
use stepwright_world::{Atom, Facts, World, shipped_domain};
use stepwright_worlds::kitchen::{Find, KitchenWorld, Source};

/// A recorded run.
#[derive(Debug, Deserialize)]
struct Run {
    scene: String,
    task: String,
    #[serde(default)]
    selection: String,
    #[serde(default)]
    initial_trees: Vec<Tree>,
    success: bool,
    selections: u32,
    executed: u32,
    mean_candidates: f64,
    #[serde(default)]
    log_truncated: bool,
    log: Vec<Step>,
}

#[derive(Debug, Deserialize)]
struct Tree {
    action: String,
}

#[derive(Debug, Deserialize)]
struct Step {
    candidates: Vec<String>,
    selected: String,
    result: String,
    message: Option<String>,
    blocking_condition: Option<String>,
    resolution: Option<String>,
    children: Option<Vec<String>>,
    goals_done: Option<Vec<String>>,
    state: State,
}

#[derive(Debug, Deserialize)]
struct State {
    robot: [f64; 4],
    held: Option<String>,
}

/// A run being replayed.
struct Replay<'a> {
    domain: &'a Domain,
    world: KitchenWorld,
    forest: Forest,
    candidates: usize,
    executed: u32,
}

/// Compares one file of runs: a row of steps and one of the runs' sums.
pub fn compare(file: &Path, scenes: &Scenes, source: &Arc<Source>) -> [Row; 2] {
    let mut steps = Row::new(format!("{} from scene files", name_of(file)), "steps");
    let mut sums = Row::new(format!("{} sums", name_of(file)), "runs");
    let domain = match shipped_domain(&stepwright_worlds::kitchen::KIND) {
        Some(Ok(domain)) => domain,
        Some(Err(error)) => {
            steps.differs(unreadable("worlds/kitchen/domain.toml", error));
            return [steps, sums];
        }
        None => return [steps, sums],
    };
    steps.each_record(file, |steps, at, run: Run| {
        if !scenes.contains_key(&run.scene) {
            return steps.lacks(run.log.len(), || format!("their scenes are not there (first: {})", run.scene));
        }
        let at = format!("{at}, {}/{}, {}", run.scene, run.task, run.selection);
        match Replay::begin(&domain, source, &run) {
            Err(error) => steps.differs(unreadable(at, &error)),
            Ok(replay) => replay.run(&run, &at, steps, &mut sums),
        }
    });
    [steps, sums]
}

impl<'a> Replay<'a> {
    fn begin(domain: &'a Domain, source: &Arc<Source>, run: &Run) -> Result<Self, String> {
        let mut world = KitchenWorld::new(Arc::clone(source), Find::default());
        world.reset(&format!("{}/{}", run.scene, run.task), 0).map_err(|e| e.to_string())?;
        let mut replay = Replay { domain, world, forest: Forest::default(), candidates: 0, executed: 0 };
        replay.forest = replay.at_moment(|_, moment| Forest::plant(domain, moment));
        Ok(replay)
    }

    /// The moment, with the forest taken out.
    fn at_moment<T>(&mut self, act: impl FnOnce(&mut Forest, &Moment<'_>) -> T) -> T {
        let facts: Facts = self.world.facts().unwrap_or_default();
        let goals: Vec<Atom> = self.world.goals().unwrap_or_default();
        let world = &self.world;
        let said = |part: &Atom| world.symbols()?.goal_holds(part);
        let judge = |part: &Atom| said(part).unwrap_or_else(|| facts.atoms.contains(part));
        act(&mut self.forest, &Moment { facts: &facts, goals: &goals, judge: &judge })
    }

    fn run(mut self, run: &Run, at: &str, steps: &mut Row, sums: &mut Row) {
        if !run.initial_trees.is_empty() {
            let expected: Vec<&str> = run.initial_trees.iter().map(|t| t.action.as_str()).collect();
            let got: Vec<&str> = self.forest.trees().iter().map(|t| t.text.as_str()).collect();
            steps.fields(|| format!("{at}, start"), [field("initial trees", &expected, &got)]);
        }
        for (i, step) in run.log.iter().enumerate() {
            let found = self.step(step);
            // What follows a difference only repeats it.
            if !steps.fields(|| format!("{at}, step {}, `{}`", i + 1, step.selected), found) {
                return;
            }
        }
        if run.log_truncated {
            return;
        }
        let mean = self.candidates as f64 / f64::from(self.forest.selections().max(1));
        let is_near = (mean - run.mean_candidates).abs() <= 0.000_51;
        let fields = [
            field("success", &run.success, &self.forest.goals().is_empty()),
            field("selections", &run.selections, &self.forest.selections()),
            field("executed", &run.executed, &self.executed),
            field("mean candidates", &run.mean_candidates, &mean).filter(|_| !is_near),
        ];
        sums.fields(|| format!("{at}, end"), fields);
    }

    fn step(&mut self, step: &Step) -> Vec<Found> {
        let candidates: Vec<String> = self.forest.leaves().iter().map(|leaf| leaf.text.clone()).collect();
        self.candidates += candidates.len();
        let candidates = field("candidates", &step.candidates, &candidates);
        if candidates.is_some() {
            return vec![candidates];
        }
        let domain = self.domain;
        let met = self.forest.done().len();
        let (result, message, blocked): (&str, Option<String>, Option<Blocked>) = match self
            .at_moment(|forest, moment| forest.select(domain, &step.selected, moment.facts))
        {
            Selection::NotALeaf => return vec![Some(("selected", step.selected.clone(), "no candidate".to_owned()))],
            Selection::Blocked(blocked) => ("blocked", None, Some(blocked)),
            Selection::Execute => {
                let outcome = match self.world.act(&step.selected) {
                    Ok(outcome) => outcome,
                    Err(error) => return vec![Some(("result", step.result.clone(), error.to_string()))],
                };
                self.executed += 1;
                let raised = self.at_moment(|forest, moment| {
                    forest.executed(domain, &step.selected, outcome.error.as_deref(), moment)
                });
                (if outcome.error.is_some() { "error" } else { "ok" }, outcome.error, raised)
            }
        };
        let (robot, held) = self.world.simulation().map_or(([f64::NAN; 4], None), |s| {
            let at = s.robot();
            ([at.x, at.z, at.yaw, at.horizon], s.held().map(str::to_owned))
        });
        let texts = |atom: Option<&Atom>| atom.map(ToString::to_string);
        let children = blocked.as_ref().map(|b| b.children.iter().map(|c| c.text.clone()).collect::<Vec<_>>());
        let done = self.forest.done();
        let done = (done.len() > met).then(|| done.iter().map(ToString::to_string).collect::<Vec<_>>());
        vec![
            field("result", &step.result.as_str(), &result),
            field("message", &step.message, &message),
            field("blocking condition", &step.blocking_condition, &texts(blocked.as_ref().map(|b| &b.condition))),
            field("resolution", &step.resolution, &texts(blocked.as_ref().map(|b| &b.resolution))),
            field("children", &step.children, &children),
            field("goals done", &step.goals_done, &done),
            field("robot", &step.state.robot, &robot),
            field("held", &step.state.held, &held),
        ]
    }
}
