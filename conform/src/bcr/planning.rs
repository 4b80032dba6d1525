//! Recorded planning problems: each is solved, and its plan carried out step by step by the meaning of the domain.

use std::path::Path;

use super::{difference, document};
use crate::Row;
use serde_json::Value;
use stepwright_study::recordings::{files, name_of};
use stepwright_world::planner::classical::{Domain, Limits, Problem, Step, solve, validate};

/// The folder of the problems.
const FOLDER: &str = "pddl";
/// The plans that other planners found.
const RESULTS: &str = "planner_results.json";

/// Solves every problem of the folder; checks the recorded optimal plans the same way, and that none of ours is shorter.
pub fn compare(folder: &Path) -> Vec<Row> {
    let folder = folder.join(FOLDER);
    let (what, unit) = ("pddl/*.pddl solved, every plan carried out", "problems");
    let Ok(domain) = std::fs::read_to_string(folder.join("domain.pddl")) else {
        return vec![Row::missing(what, unit, "no pddl/domain.pddl in this folder")];
    };
    let problems = files(&folder, |name| name.ends_with(".pddl") && name != "domain.pddl");
    let results: Value = document(&folder.join(RESULTS)).unwrap_or_default();
    let mut solved = Row::new(what, unit);
    let mut recorded = Row::new(format!("pddl/{RESULTS}, optimal plans carried out"), "plans");
    for path in &problems {
        let name = name_of(path);
        let text = match std::fs::read_to_string(path) {
            Ok(text) => text,
            Err(e) => {
                solved.differs(difference(name, "a readable file", e));
                continue;
            }
        };
        let steps: Option<Vec<Step>> = results
            .get(name.trim_end_matches(".pddl"))
            .and_then(|r| r.get("optimal_plan")?.as_array())
            .map(|plan| plan.iter().filter_map(Value::as_str).map(step).collect());
        let found = solve(&domain, &text, &Limits::default());
        let wrong = match (&found, &steps) {
            (Err(why), _) => Some(why.to_string()),
            (Ok(plan), Some(optimal)) if plan.len() < optimal.len() => {
                Some(format!("{} steps, fewer than the optimal plan's {}", plan.len(), optimal.len()))
            }
            _ => None,
        };
        solved.count(wrong.map(|got| difference(&name, "a plan that holds", got)));
        if let Some(steps) = steps {
            let checked = check(&domain, &text, &steps);
            recorded.count(checked.err().map(|got| difference(&name, "a plan that holds", got)));
        }
    }
    vec![solved.or_absent("no problems in pddl/"), recorded.or_absent("not in this folder")]
}

fn check(domain: &str, problem: &str, steps: &[Step]) -> Result<(), String> {
    validate(&Domain::read(domain)?, &Problem::read(problem)?, steps).map_err(|e| e.to_string())
}

/// `grab mug_1 countertop_3`.
fn step(text: &str) -> Step {
    let mut words = text.split_whitespace().map(str::to_lowercase);
    Step { action: words.next().unwrap_or_default(), args: words.collect() }
}
