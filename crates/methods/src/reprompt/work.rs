//! The work beside the episode: finding the example of the nearest task, fitting it where no language model writes, and translating
//! sentences to admissible steps by the session's embedder.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_plan::fit::{Example, Examples};
use stepwright_plan::sample::Sample;
use stepwright_plan::score::{Costly, ranked};
use stepwright_plan::settings::Settings;
use stepwright_plan::written::{spelled, translated};

use super::record::{Before, Found, Offered};
use stepwright_method::{Answer, WorkInput};
use stepwright_program::Call;
use stepwright_world::WordedPlan;

#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "do", rename_all = "snake_case")]
pub enum Work {
    /// Find the example whose task is most like this one.
    Retrieve {
        task: String,
        fit: bool,
    },
    Translate {
        samples: Vec<Sample>,
        /// Which of them are actions of the world as they stand, where it has no words for all its steps.
        exact: Vec<bool>,
        costly: Costly,
        /// How many admissible steps are wanted.
        most: usize,
        /// Whether each sample stands for its own nearest step.
        each: bool,
        /// Whether sentences are steps as they were written.
        written: bool,
        /// Whether the steps are words, which have no capitals.
        words: bool,
        settings: Settings,
    },
    Again {
        left: Vec<Offered>,
    },
    /// Have the built-in agent say the next step.
    Agent {
        most: usize,
        refused: Vec<Call>,
    },
    /// Leave the step out that failed.
    Omit {
        step: String,
    },
}

pub fn done(known: &WorkInput, work: &Value) -> Result<Answer, String> {
    match Work::deserialize(work).map_err(|error| error.to_string())? {
        Work::Retrieve { task, fit } => retrieve(known, &task, fit),
        Work::Translate { samples, exact, costly, most, each, written, words, settings } => {
            let sentence = |sample: &Sample| match words {
                // Servers refuse an empty text.
                true if sample.sentence.is_empty() => " ".to_owned(),
                true => translated(&sample.sentence, settings.plain),
                false => sample.sentence.clone(),
            };
            let sentences: Vec<String> = samples.iter().map(sentence).collect();
            let mut neighbours: Vec<Vec<(String, f64)>> = if written || known.steps.is_empty() {
                // Any step can be asked for.
                samples.iter().map(|sample| vec![(sample.sentence.clone(), 1.0)]).collect()
            } else {
                known.translator.nearest(&sentences, &known.steps, most)?
            };
            for ((near, sample), _) in neighbours.iter_mut().zip(&samples).zip(&exact).filter(|(_, exact)| **exact) {
                take_as_it_stands(near, &sample.sentence);
            }
            let candidates = ranked(&samples, &neighbours, &costly, &settings, each);
            let offered = candidates.into_iter().take(most);
            Ok(answer(offered.map(|candidate| Offered { candidate, before: Before::Stays, why: None })))
        }
        Work::Again { left } => Ok(answer(left)),
        Work::Agent { most, refused } => Ok(agent(known, most, &refused)),
        Work::Omit { step } => Ok(Answer::texts([step])),
    }
}

/// Makes a sentence that is a step as it stands the first of its neighbours, however the list of admissible steps spells it.
fn take_as_it_stands(near: &mut Vec<(String, f64)>, sentence: &str) {
    let plain = |step: &str| spelled(step).to_lowercase();
    let asked = plain(sentence);
    near.retain(|(step, _)| plain(step) != asked);
    near.insert(0, (sentence.to_owned(), 1.0));
}

/// The plans shown as examples: the world's own, or its demonstrations.
pub fn examples(known: &WorkInput) -> Arc<[WordedPlan]> {
    if !known.examples.is_empty() {
        return Arc::clone(&known.examples);
    }
    let plan = |demonstration: &stepwright_world::demonstration::Demonstration| WordedPlan {
        task: demonstration.sentence.split_whitespace().collect::<Vec<_>>().join(" "),
        steps: demonstration.steps.iter().map(|s| s.action.clone()).filter(|command| !command.is_empty()).collect(),
    };
    known.knowledge.demonstrations.iter().map(plan).filter(|plan| !plan.steps.is_empty()).collect()
}

/// The example's text as prompts show it, and what was found of it.
fn retrieve(known: &WorkInput, task: &str, fit: bool) -> Result<Answer, String> {
    let plans = examples(known);
    let tasks: Arc<[String]> = plans.iter().map(|plan| plan.task.clone()).collect();
    let likeness = if tasks.is_empty() { Vec::new() } else { known.translator.likeness(task, &tasks)? };
    // The first of equals, as an arg-max over the list of titles picks it.
    let best = likeness.iter().enumerate().fold(None, |best: Option<(usize, f64)>, (at, near)| match best {
        Some((_, known)) if known >= *near => best,
        _ => Some((at, *near)),
    });
    let nearest = best.and_then(|(at, near)| Some((plans.get(at)?, near)));
    let text = nearest.map(|(plan, _)| text(plan)).unwrap_or_default();
    let mut found = Found {
        task: nearest.map(|(plan, _)| plan.task.clone()).unwrap_or_default(),
        likeness: nearest.map_or(0.0, |(_, near)| near),
        ..Found::default()
    };
    if fit {
        let list: Vec<Example> =
            plans.iter().map(|plan| Example { task: plan.task.clone(), steps: plan.steps.clone() }).collect();
        let mut admissible: Vec<String> = known.steps.iter().map(|step| step.replace('_', " ")).collect();
        admissible.sort_unstable();
        if let Some(fitted) = Examples::of(&list).fitted(task, &likeness, &admissible) {
            found.from = list.get(fitted.example).map(|example| example.task.clone()).unwrap_or_default();
            found.fitted = fitted.steps;
            found.changed = fitted.changed;
        }
    }
    let found = serde_json::to_string(&found).map_err(|error| error.to_string())?;
    Ok(Answer::texts([text, found]))
}

fn text(plan: &WordedPlan) -> String {
    let steps = plan.steps.iter().zip(1..).map(|(step, number)| format!("\nStep {number}: {}", spelled(step)));
    format!("Task: {}{}", plan.task, steps.collect::<String>())
}

/// The built-in agent's next steps, as calls.
fn agent(known: &WorkInput, most: usize, refused: &[Call]) -> Answer {
    let refused: Vec<(Call, String)> = refused.iter().map(|call| (call.clone(), String::new())).collect();
    let steps = known.knowledge.proposer.propose(&known.agent(&refused), most);
    let offered =
        steps.into_iter().filter(|ranked| !refused.iter().any(|(call, _)| *call == ranked.call)).map(|ranked| {
            let candidate = stepwright_plan::score::Candidate {
                sentence: ranked.call.to_string(),
                step: ranked.call.to_string(),
                similarity: 1.0,
                logprob: None,
                score: ranked.score,
                penalty: 0.0,
                replaced: false,
            };
            Offered { candidate, before: Before::Stays, why: Some(ranked.rationale) }
        });
    answer(offered)
}

fn answer(offered: impl IntoIterator<Item = Offered>) -> Answer {
    Answer::texts(offered.into_iter().filter_map(|offered| serde_json::to_string(&offered).ok()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_that_is_taken_as_it_stands_is_not_offered_a_second_time_in_the_lists_spelling() {
        let mut near = vec![("walk to home_office".to_owned(), 0.99), ("run to home_office".to_owned(), 0.9)];
        take_as_it_stands(&mut near, "Walk to home office");
        let steps: Vec<&str> = near.iter().map(|(step, _)| step.as_str()).collect();
        assert_eq!(steps, ["Walk to home office", "run to home_office"]);
    }
}
