//! Recorded corrections: a plan whose last step was refused, and what a person wrote as its correction. As a model they answer with the
//! plan's steps one after the other, then with the correction.

use serde::Deserialize;

/// A plan with the correction of its last step; of a file of JSON lines each line is one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Correction {
    /// The task in words (`Wash hands`).
    pub task: String,
    /// The steps as they were written, with or without their numbers; the last one was refused. None where no plan was written.
    #[serde(default)]
    pub steps: Vec<String>,
    /// What was written as the correction, or as the next step where the refused one is left out.
    pub correction: String,
    /// The error line behind `Error: `.
    #[serde(default)]
    pub error: String,
    /// Whether the refused step is left out instead (`True`).
    #[serde(default)]
    skip: String,
}

impl Correction {
    /// Whether the refused step is left out instead of corrected.
    pub fn leaves_out(&self) -> bool {
        self.skip.eq_ignore_ascii_case("true")
    }

    /// The step of that number, from 1; empty where the plan is over. Behind a step that is left out what was written goes on in its place.
    pub fn step(&self, number: usize) -> &str {
        let step = number.checked_sub(1).and_then(|at| self.steps.get(at)).map(String::as_str);
        let goes_on = || (self.leaves_out() && number == self.steps.len() + 1).then_some(self.correction.as_str());
        step.or_else(goes_on).unwrap_or_default()
    }

    /// What corrects the step of that number, which only the last one has.
    pub fn corrected(&self, number: usize) -> Option<&str> {
        let answer = if self.leaves_out() { "Skip" } else { &self.correction };
        (number == self.steps.len()).then_some(answer)
    }
}

/// What a task and a task's id (`scene1/wash_hands`) have in common: the words of its title.
pub fn title_of(task: &str) -> String {
    let title = task.rsplit('/').next().unwrap_or_default();
    title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_plan_is_answered_step_by_step_and_its_last_step_is_corrected() {
        let plan = Correction {
            task: "Wash hands".into(),
            steps: vec!["Step 1: Walk to sink".into(), "Step 2: Grab soap".into()],
            correction: "Step 2: Walk to soap".into(),
            error: String::new(),
            skip: "False".into(),
        };
        assert_eq!(
            [plan.step(1), plan.step(2), plan.step(3), plan.step(0)],
            [plan.steps[0].as_str(), &plan.steps[1], "", ""]
        );
        assert_eq!((plan.corrected(1), plan.corrected(2)), (None, Some("Step 2: Walk to soap")));
        let left_out = Correction { skip: "True".into(), ..plan };
        assert_eq!((left_out.corrected(2), left_out.step(3)), (Some("Skip"), "Step 2: Walk to soap"));
        assert_eq!((title_of("scene1/wash_hands"), title_of("Wash hands")), ("wash_hands".into(), "wash_hands".into()));
    }
}
