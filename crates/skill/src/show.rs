//! Trajectories as prompts show them: the household's logs with `> action`, a site's with `Action:` and `Observation:`.

use crate::segment::Segment;
use stepwright_trajectory::{Step, Trajectory};

/// Characters of one observation that are shown; a page of a site can be of any length.
const MOST: usize = 1200;

fn clipped(text: &str) -> String {
    let text = text.trim();
    match text.char_indices().nth(MOST) {
        Some((end, _)) => format!("{} …", text.get(..end).unwrap_or(text)),
        None => text.to_owned(),
    }
}

/// Steps, one below the other; `indent` precedes every line.
pub fn steps(steps: &[Step], indent: &str) -> String {
    let is_site = steps.iter().any(|step| step.action.ends_with(']'));
    let mut out = String::new();
    for step in steps {
        let observed = step.observation.as_deref().map(clipped).unwrap_or_default();
        let text = match (is_site, observed.is_empty()) {
            (true, true) => format!("Action: {}", step.action),
            (true, false) => format!("Action: {}\nObservation: {observed}", step.action),
            (false, true) => format!("> {}", step.action),
            (false, false) => format!("> {}\n{observed}", step.action),
        };
        for line in text.lines() {
            out.push_str(indent);
            out.push_str(line);
            out.push('\n');
        }
    }
    out
}

/// The agent's view at the beginning: the first observation, and the goal where that does not say it.
pub fn beginning(trajectory: &Trajectory) -> String {
    let first = trajectory.initial_observation.as_deref().map(clipped).unwrap_or_default();
    if first.contains(trajectory.task.trim()) {
        first
    } else {
        format!("{first}\nYour task is to: {}.", trajectory.task)
    }
}

pub fn whole(trajectory: &Trajectory) -> String {
    format!("{}\n{}", beginning(trajectory).trim_end(), steps(&trajectory.steps, ""))
}

pub fn segmented(trajectory: &Trajectory, segments: &[Segment]) -> String {
    let mut out = format!("{}\n", beginning(trajectory).trim_end());
    for segment in segments {
        let part = trajectory.steps.get(segment.start..=segment.end).unwrap_or_default();
        out.push_str(&format!(">> {}\n{}", segment.call(), steps(part, "")));
    }
    out
}
