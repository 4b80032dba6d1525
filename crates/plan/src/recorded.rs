//! Recorded corrections: a plan whose last step was refused, and what a person wrote as its correction. As a model they answer with the
//! plan's steps one after the other, then with the correction. Which of a file's plans is played is [`Plans`]' to say.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// A plan with the correction of its last step; of a file of JSON lines each line is one.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct Correction {
    /// The file's id for it, if any: a text or a number.
    #[serde(default)]
    id: Value,
    /// The task in words (`Wash hands`).
    pub task: String,
    /// The steps as they were written, with or without their numbers; the last one was refused. None where no plan was written.
    #[serde(default)]
    pub steps: Vec<String>,
    /// The written correction, or the next step where the refused one is left out.
    pub correction: String,
    /// The error line behind `Error: `.
    #[serde(default)]
    pub error: String,
    /// Whether the refused step is left out instead (`True`).
    #[serde(default)]
    skip: String,
}

impl Correction {
    fn id(&self) -> Option<String> {
        match &self.id {
            Value::String(id) => Some(id.clone()),
            Value::Number(id) => Some(id.to_string()),
            _ => None,
        }
    }

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

    /// The correction of the step of that number, which only the last one has.
    pub fn corrected(&self, number: usize) -> Option<&str> {
        let answer = if self.leaves_out() { "Skip" } else { &self.correction };
        (number == self.steps.len()).then_some(answer)
    }
}

/// The plans of a file, by the words of their task's title.
#[derive(Debug, Clone, Default)]
pub struct Plans(BTreeMap<String, Vec<Correction>>);

impl Plans {
    pub fn add(&mut self, plan: Correction) {
        self.0.entry(title_of(&plan.task)).or_default().push(plan);
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The plan for a task: of several the one of the episode's seed, counted from 0 in the order of the file and from the beginning again
    /// behind the last. So the seeds 0, 1, 2 … play all of them.
    pub fn of(&self, task: &str, seed: u64) -> Option<&Correction> {
        let plans = self.0.get(&title_of(task))?;
        let place = seed.checked_rem(plans.len() as u64)?;
        plans.get(usize::try_from(place).ok()?)
    }

    /// Leaves the one plan that the file calls by this id.
    /// Errors: if no plan or more than one has the id; with the ids that there are.
    pub fn only(self, id: &str) -> Result<Plans, String> {
        let called = |plan: &Correction| plan.id().is_some_and(|own| own == id);
        let all: Vec<Correction> = self.0.into_values().flatten().collect();
        match all.iter().filter(|plan| called(plan)).count() {
            1 => {
                let mut one = Plans::default();
                all.into_iter().filter(called).for_each(|plan| one.add(plan));
                Ok(one)
            }
            0 => {
                let known: Vec<String> = all.iter().filter_map(Correction::id).take(LISTED).collect();
                let known = if known.is_empty() {
                    "no plan has an `id`".to_owned()
                } else {
                    format!("there are {} …", known.join(", "))
                };
                Err(format!("no plan has the id `{id}`; {known}"))
            }
            many => Err(format!("{many} plans have the id `{id}`; give each an id of its own")),
        }
    }

    pub fn task(&self) -> Option<&str> {
        self.0.values().flatten().next().map(|plan| plan.task.as_str())
    }
}

/// Most ids named in an error.
const LISTED: usize = 8;

/// The common part of a task and a task's id (`scene1/wash_hands`): the words of its title.
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
            id: Value::Null,
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
    #[test]
    fn of_several_plans_for_a_task_the_seed_or_the_id_says_which() {
        let mut plans = Plans::default();
        for (id, task, correction) in
            [("1", "Wash hands", "a"), ("\"x\"", "Sleep", "b"), ("3", "Wash hands", "c"), ("3", "Wash Hands", "d")]
        {
            let line = format!("{{\"id\":{id},\"task\":\"{task}\",\"correction\":\"{correction}\"}}");
            plans.add(serde_json::from_str(&line).unwrap());
        }
        let of = |task: &str, seed| plans.of(task, seed).map(|plan| plan.correction.as_str());
        assert_eq!(
            [0, 1, 2, 3].map(|seed| of("scene2/wash_hands", seed)),
            [Some("a"), Some("c"), Some("d"), Some("a")]
        );
        assert_eq!((of("Sleep", u64::MAX), of("Dance", 0)), (Some("b"), None));
        let only = |id: &str| plans.clone().only(id);
        assert_eq!(only("x").unwrap().of("sleep", 7).unwrap().correction, "b");
        assert_eq!(only("1").unwrap().of("wash hands", 1).unwrap().correction, "a");
        assert_eq!(only("9").unwrap_err(), "no plan has the id `9`; there are x, 1, 3, 3 …");
        assert!(only("3").unwrap_err().starts_with("2 plans have the id `3`"));
    }
}
