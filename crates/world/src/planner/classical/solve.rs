//! Asks the planner crate for a plan, within bounds, and believes it only after the plan was checked independently.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::pddl::{Domain, Problem};
use super::validate::{Step, validate};

#[derive(Debug, Clone)]
pub struct Limits {
    /// Milliseconds, grounding included.
    pub wall_ms: u64,
    /// States it may evaluate, which bounds its memory.
    pub states: usize,
    /// Turned false from outside to stop it.
    pub keep_running: Arc<AtomicBool>,
}

impl Default for Limits {
    fn default() -> Self {
        Limits { wall_ms: 10_000, states: 200_000, keep_running: Arc::new(AtomicBool::new(true)) }
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum NoPlan {
    /// Nothing reaches the goal, as far as the planner can decide.
    #[error("no plan reaches the goal{}", if .0.is_empty() { String::new() } else { format!(" ({})", .0) })]
    Nothing(String),
    /// The search was cancelled, or ended at its bounds.
    #[error("the search for a plan was stopped: {0}")]
    Stopped(String),
    /// The domain or the problem is not as it should be.
    #[error("the planning problem cannot be read: {0}")]
    Unreadable(String),
    #[error("the planner's plan does not hold: {0}")]
    Unsound(String),
}

/// A plan for a problem given as PDDL. Single-threaded and deterministic but for the time limit.
pub fn solve(domain: &str, problem: &str, limits: &Limits) -> Result<Vec<Step>, NoPlan> {
    solve_counting(domain, problem, limits, &mut 0)
}

/// As [`solve`]; `considered` becomes the number of ground actions that the planner chose among.
pub(crate) fn solve_counting(
    domain: &str,
    problem: &str,
    limits: &Limits,
    considered: &mut usize,
) -> Result<Vec<Step>, NoPlan> {
    let read_domain = Domain::read(domain).map_err(|e| NoPlan::Unreadable(format!("domain, {e}")))?;
    let read_problem = Problem::read(problem).map_err(|e| NoPlan::Unreadable(format!("problem, {e}")))?;
    let options = ferroplan::Options {
        threads: 1,
        max_evaluated: Some(limits.states),
        wall_ms: Some(limits.wall_ms),
        should_continue: Some(Arc::clone(&limits.keep_running)),
        ..ferroplan::Options::default()
    };
    let started = std::time::Instant::now();
    let solution = ferroplan::solve(domain, problem, &options).map_err(|e| NoPlan::Unreadable(e.to_string()))?;
    *considered = solution.statistics.grounded_actions;
    let Some(plan) = solution.plan.filter(|_| solution.solved) else {
        let notes = solution.notes.join("; ");
        if !limits.keep_running.load(Ordering::Relaxed) {
            return Err(NoPlan::Stopped("cancelled".to_owned()));
        }
        let spent = started.elapsed().as_millis() >= u128::from(limits.wall_ms);
        if spent || solution.statistics.evaluated_states >= limits.states {
            return Err(NoPlan::Stopped(format!("{} ms or {} states; {notes}", limits.wall_ms, limits.states)));
        }
        return Err(NoPlan::Nothing(notes));
    };
    let steps: Vec<Step> = plan
        .steps
        .into_iter()
        .map(|s| Step { action: s.action.to_lowercase(), args: s.args.into_iter().map(|a| a.to_lowercase()).collect() })
        .collect();
    validate(&read_domain, &read_problem, &steps).map_err(|e| NoPlan::Unsound(e.to_string()))?;
    Ok(steps)
}
