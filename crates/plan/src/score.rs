//! Scores of translated steps: both forms of the score, the ranking of the admissible steps, and the rules that end a plan.

use std::cmp::Ordering;

use serde::{Deserialize, Serialize};

use crate::settings::Settings;

/// The form of the score of a sentence â that was translated to an admissible step a, with the cosine C of their vectors and the mean
/// log-probability P of the sentence's tokens.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Form {
    /// S_w, Equation 1: `C + β P`.
    #[default]
    Weighted,
    /// S_g, Equation 2: `(C + 1) / 2 · e^P`, between 0 and 1.
    Geometric,
}

impl Form {
    /// The score. Without a log-probability the similarity alone counts, as if the sentence were certain.
    pub fn score(self, similarity: f64, logprob: Option<f64>, beta: f64) -> f64 {
        let likely = logprob.unwrap_or(0.0);
        match self {
            Form::Weighted => beta.mul_add(likely, similarity),
            Form::Geometric => f64::midpoint(similarity, 1.0) * likely.exp(),
        }
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Sample {
    /// The sentence; empty where the model wrote none.
    pub sentence: String,
    /// The mean log-probability of its tokens, where the model reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprob: Option<f64>,
}

/// An admissible step with the sentence that leads to it best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub sentence: String,
    pub step: String,
    pub similarity: f64,
    /// The mean log-probability of the sentence, where the model reports it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub logprob: Option<f64>,
    /// The score, what is taken off for repetition taken off.
    pub score: f64,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub penalty: f64,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_nothing(penalty: &f64) -> bool {
    *penalty == 0.0
}

/// Ranks the admissible steps that are neighbours of the samples: each with the sample that gives it the highest score, the highest
/// first. `neighbours` are each sample's admissible steps with their similarity; `before` are the steps so far.
pub fn ranked(
    samples: &[Sample],
    neighbours: &[Vec<(String, f64)>],
    before: &[String],
    settings: &Settings,
) -> Vec<Candidate> {
    let is = |a: &str, b: &str| a.eq_ignore_ascii_case(b);
    let mut best: Vec<Candidate> = Vec::new();
    for (sample, near) in samples.iter().zip(neighbours).filter(|(sample, _)| !sample.sentence.is_empty()) {
        // As published, what a sentence repeats is its nearest step.
        let nearest = near.first().map(|(step, _)| step.as_str()).unwrap_or_default();
        let last = before.last().is_some_and(|last| is(last, nearest));
        let tried = before.iter().any(|tried| is(tried, nearest));
        let penalty = if last { settings.repeated } else { 0.0 } + if tried { settings.tried } else { 0.0 };
        for (step, similarity) in near {
            let score = settings.form.score(*similarity, sample.logprob, settings.beta) - penalty;
            let candidate = Candidate {
                sentence: sample.sentence.clone(),
                step: step.clone(),
                similarity: *similarity,
                logprob: sample.logprob,
                score,
                penalty,
            };
            match best.iter_mut().find(|known| known.step == candidate.step) {
                Some(known) if known.score < score => *known = candidate,
                Some(_) => {}
                None => best.push(candidate),
            }
        }
    }
    // Stable: of equal scores the one found first stays first.
    best.sort_by(|a, b| b.score.partial_cmp(&a.score).unwrap_or(Ordering::Equal));
    best
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// The likeliest samples are all empty: the model holds the plan to be finished.
    Finished {
        of: usize,
    },
    /// The best score is below the cut-off.
    Below {
        score: f64,
        cutoff: f64,
    },
    Steps(u32),
    Tries(u32),
}

impl std::fmt::Display for Stop {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Stop::Finished { of: 1 } => f.write_str("the plan is finished: the sample is empty"),
            Stop::Finished { of } => write!(f, "the plan is finished: the {of} likeliest samples are all empty"),
            Stop::Below { score, cutoff } => {
                write!(f, "the best score {score:.3} is below the cut-off {cutoff}")
            }
            Stop::Steps(most) => write!(f, "the plan has {most} steps, as many as it may have"),
            Stop::Tries(most) => write!(f, "{most} steps were tried, as many as may be"),
        }
    }
}

/// Whether the samples say that the plan is finished: the likeliest share of them is empty. Samples without a log-probability count
/// as likely as any.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a handful of samples
pub fn finished(samples: &[Sample], share: f64) -> Option<Stop> {
    let mut likely: Vec<&Sample> = samples.iter().collect();
    let figure = |sample: &Sample| sample.logprob.unwrap_or(0.0);
    likely.sort_by(|a, b| figure(b).partial_cmp(&figure(a)).unwrap_or(Ordering::Equal));
    // As published, a share that is less than one sample is all of them.
    let of = match (share * likely.len() as f64) as usize {
        0 => likely.len(),
        of => of.min(likely.len()),
    };
    let empty = !likely.is_empty() && likely.iter().take(of).all(|sample| sample.sentence.is_empty());
    empty.then_some(Stop::Finished { of })
}

pub fn below(best: f64, cutoff: Option<f64>) -> Option<Stop> {
    cutoff.filter(|cutoff| best < *cutoff).map(|cutoff| Stop::Below { score: best, cutoff })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sentence: &str, logprob: f64) -> Sample {
        Sample { sentence: sentence.into(), logprob: Some(logprob) }
    }

    #[test]
    fn both_forms_are_those_of_the_equations() {
        assert!((Form::Weighted.score(0.9, Some(-1.0), 0.3) - 0.6).abs() < 1e-12);
        assert!((Form::Geometric.score(0.5, Some(-2.0_f64.ln()), 0.3) - 0.375).abs() < 1e-12);
        assert!((Form::Weighted.score(0.9, None, 0.3) - 0.9).abs() < 1e-12);
        // Bounded, whatever the log-probability.
        assert!(
            Form::Geometric.score(1.0, Some(-40.0), 0.0) < 1e-9 && Form::Geometric.score(1.0, Some(0.0), 0.0) <= 1.0
        );
    }

    #[test]
    fn each_step_counts_with_its_best_sample_and_repetition_costs() {
        let samples = [sample("go to tv", -1.0), sample("walk to the television", -0.1), sample("", -0.01)];
        let near = |steps: &[(&str, f64)]| steps.iter().map(|(s, f)| ((*s).to_owned(), *f)).collect::<Vec<_>>();
        let neighbours = [
            near(&[("walk to television", 0.8), ("find television", 0.7)]),
            near(&[("walk to television", 0.95)]),
            near(&[]),
        ];
        let ranked = |before: &[String], settings| super::ranked(&samples, &neighbours, before, settings);
        let fresh = ranked(&[], &Settings::ZERO_SHOT);
        assert_eq!((fresh.len(), fresh[0].sentence.as_str()), (2, "walk to the television"));
        let again = ranked(&["Walk to television".to_owned()], &Settings::ZERO_SHOT);
        let scores: Vec<(&str, f64)> = again.iter().map(|c| (c.step.as_str(), c.penalty)).collect();
        assert_eq!(scores, [("walk to television", 0.5), ("find television", 0.5)]);
    }

    #[test]
    fn a_plan_ends_when_the_likelier_samples_are_empty() {
        let samples = [sample("", -0.1), sample("walk", -2.0), sample("", -0.2), sample("sit", -1.0)];
        assert_eq!(finished(&samples, 0.5), Some(Stop::Finished { of: 2 }));
        assert_eq!(finished(&samples, 0.75), None);
        assert_eq!(finished(&[], 0.5), None);
        assert_eq!((finished(&samples, 0.2), finished(&samples[..1], 0.2)), (None, Some(Stop::Finished { of: 1 })));
        assert_eq!(below(0.5, Some(0.8)), Some(Stop::Below { score: 0.5, cutoff: 0.8 }));
        assert_eq!((below(0.5, None), below(0.9, Some(0.8))), (None, None));
    }
}
