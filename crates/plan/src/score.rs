//! Scores of translated steps: both forms of the score, the ranking of the admissible steps, and the rules that end a plan.

use std::cmp::Ordering;
use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use crate::sample::{Sample, UNREAD};
use crate::settings::{Loop, Settings};
use crate::written::spelled;

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

/// An admissible step with the sentence that leads to it best.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    pub sentence: String,
    pub step: String,
    pub similarity: f64,
    /// The mean log-probability of the sentence, where the model reports it.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logprob: Option<f64>,
    /// The score, what is taken off for repetition taken off.
    pub score: f64,
    #[serde(default, skip_serializing_if = "is_nothing")]
    pub penalty: f64,
    /// Whether the score is what trying a step again costs, in place of what was to be taken off from.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub replaced: bool,
}

#[allow(clippy::trivially_copy_pass_by_ref)] // serde asks for a reference
fn is_nothing(penalty: &f64) -> bool {
    *penalty == 0.0
}

/// The score of a sample without tokens among others that have some: more than any other's.
const UNKNOWN: f64 = 1000.0;

/// The steps so far that cost a score something.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Costly {
    /// The step before.
    pub last: Option<String>,
    /// Those that count as tried.
    pub tried: Vec<String>,
}

/// Ranks the samples' neighbours, the highest score first. `neighbours` are each sample's admissible steps with their similarity, the
/// nearest first. Each step stands once, with the sample that gives it the highest score, unless `each`: then each sample stands with its
/// nearest step.
pub fn ranked(
    samples: &[Sample],
    neighbours: &[Vec<(String, f64)>],
    costly: &Costly,
    settings: &Settings,
    each: bool,
) -> Vec<Candidate> {
    let is = |a: &str, b: &str| spelled(a).eq_ignore_ascii_case(&spelled(b));
    let by_tokens = samples.iter().any(|sample| sample.logprob.is_some());
    let mut all: Vec<Candidate> = Vec::new();
    for (sample, near) in samples.iter().zip(neighbours).filter(|(sample, _)| !sample.is_out) {
        // Its mean is no number: no number is less to the evaluation code, and none more to the notebook.
        let is_unknown = by_tokens && sample.logprob.is_none();
        if is_unknown && settings.of == Loop::Notebook {
            continue;
        }
        // As published, what a sentence repeats is its nearest step.
        let nearest = near.first().map(|(step, _)| step.as_str()).unwrap_or_default();
        let repeated = costly.last.as_ref().filter(|last| is(last, nearest)).map_or(0.0, |_| settings.repeated);
        let tried = if costly.tried.iter().any(|tried| is(tried, nearest)) { settings.tried } else { 0.0 };
        // Of a sample without a score its nearest step wins, and no other.
        for (step, similarity) in near.iter().take(if each || is_unknown { 1 } else { near.len() }) {
            let score = settings.form.score(*similarity, sample.logprob, settings.beta) - repeated;
            // The evaluation code puts the cost in the score's place.
            let replaced = tried > 0.0 && settings.of == Loop::Evaluation;
            all.push(Candidate {
                sentence: sample.sentence.clone(),
                step: step.clone(),
                similarity: *similarity,
                logprob: sample.logprob,
                score: if replaced { -tried } else { (if is_unknown { UNKNOWN } else { score }) - tried },
                penalty: repeated + tried,
                replaced,
            });
        }
    }
    // Both sorts are stable: of equals the one found first stays first, or comes last.
    let by_score = |a: &Candidate, b: &Candidate| a.score.partial_cmp(&b.score).unwrap_or(Ordering::Equal);
    match settings.of {
        Loop::Notebook => all.sort_by(|a, b| by_score(b, a)),
        Loop::Evaluation => {
            all.sort_by(by_score);
            all.reverse();
        }
    }
    let mut known = BTreeSet::new();
    all.retain(|candidate| each || known.insert(candidate.step.clone()));
    all
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Stop {
    /// None of the likeliest samples goes on: the model holds the plan to be finished.
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
            Stop::Finished { of } => write!(f, "the plan is finished: none of the {of} likeliest samples goes on"),
            Stop::Below { score, cutoff } => {
                write!(f, "the best score {score:.3} is below the cut-off {cutoff}")
            }
            Stop::Steps(most) => write!(f, "the plan has {most} steps, as many as it may have"),
            Stop::Tries(most) => write!(f, "{most} steps were tried, as many as may be"),
        }
    }
}

/// Whether the samples say that the plan is finished: of the likeliest share of them none goes on. Samples without a log-probability count
/// as likely as any, but for those among others with one that cannot be read; of equals the later ones do.
#[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // a handful of samples
pub fn finished(samples: &[Sample], share: f64) -> Option<Stop> {
    let mut likely: Vec<&Sample> = samples.iter().collect();
    let by_tokens = samples.iter().any(|sample| sample.logprob.is_some());
    let unknown = |sample: &Sample| if by_tokens && sample.is_out { UNREAD } else { f64::INFINITY };
    let figure = |sample: &Sample| sample.logprob.unwrap_or_else(|| unknown(sample));
    likely.sort_by(|a, b| figure(a).partial_cmp(&figure(b)).unwrap_or(Ordering::Equal));
    // As published, a share that is less than one sample is all of them.
    let of = match (share * likely.len() as f64) as usize {
        0 => likely.len(),
        of => of.min(likely.len()),
    };
    let over = !likely.is_empty() && !likely.iter().rev().take(of).any(|sample| sample.goes_on);
    over.then_some(Stop::Finished { of })
}

pub fn below(best: f64, cutoff: Option<f64>) -> Option<Stop> {
    cutoff.filter(|cutoff| best < *cutoff).map(|cutoff| Stop::Below { score: best, cutoff })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(sentence: &str, logprob: f64) -> Sample {
        let goes_on = !sentence.is_empty();
        Sample { sentence: sentence.into(), logprob: Some(logprob), goes_on, is_out: !goes_on }
    }

    fn near(steps: &[(&str, f64)]) -> Vec<(String, f64)> {
        steps.iter().map(|(step, similarity)| ((*step).to_owned(), *similarity)).collect()
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
    fn of_a_sample_without_a_score_the_nearest_step_wins() {
        let samples = [sample("go to tv", -0.1), Sample { logprob: None, ..sample("find bed", 0.0) }];
        let neighbours = [near(&[("walk to television", 0.9)]), near(&[("find bed", 1.0), ("find water", 0.4)])];
        let steps: Vec<String> = ranked(
            &samples,
            &neighbours,
            &Costly::default(),
            &Settings { of: Loop::Evaluation, ..Settings::NOTEBOOK },
            false,
        )
        .into_iter()
        .map(|c| c.step)
        .collect();
        assert_eq!(steps, ["find bed", "walk to television"]);
    }

    #[test]
    fn each_step_counts_with_its_best_sample_and_repetition_costs() {
        let samples = [sample("go to tv", -1.0), sample("walk to the television", -0.1), sample("", -0.01)];
        let neighbours = [
            near(&[("walk to television", 0.8), ("find television", 0.7)]),
            near(&[("walk to television", 0.95)]),
            near(&[]),
        ];
        let ranked = |last: Option<&str>, settings| {
            let costly = Costly { last: last.map(str::to_owned), tried: Vec::new() };
            super::ranked(&samples, &neighbours, &costly, settings, false)
        };
        let fresh = ranked(None, &Settings::NOTEBOOK);
        assert_eq!((fresh.len(), fresh[0].sentence.as_str()), (2, "walk to the television"));
        let again = ranked(Some("Walk to television"), &Settings::NOTEBOOK);
        let scores: Vec<(&str, f64)> = again.iter().map(|c| (c.step.as_str(), c.penalty)).collect();
        assert_eq!(scores, [("walk to television", 0.5), ("find television", 0.5)]);
    }

    #[test]
    fn the_evaluation_code_takes_the_last_of_equals_and_puts_the_cost_of_a_tried_step_in_its_scores_place() {
        let samples = ["sit", "sit down", "go to hall", "stand up"].map(|sentence| sample(sentence, -0.5));
        let neighbours = [
            near(&[("sit on chair", 0.75)]),
            near(&[("sit on couch", 0.75)]),
            near(&[("walk to entrance_hall", 1.0)]),
            near(&[("sit on couch", 0.5)]),
        ];
        let costly = Costly { last: None, tried: vec!["Walk to entrance hall".to_owned()] };
        let order = |settings: &Settings, each| {
            let ranked = ranked(&samples, &neighbours, &costly, settings, each);
            assert!(ranked.iter().all(|c| c.replaced == (c.score < 0.0)), "{ranked:?}");
            ranked.into_iter().map(|c| format!("{} {:.2}", c.sentence, c.score)).collect::<Vec<_>>()
        };
        assert_eq!(order(&Settings::CORRECTIVE_2022, false), ["sit down 0.60", "sit 0.60", "go to hall -100.00"]);
        assert_eq!(order(&Settings::CORRECTIVE_2022, true)[2..], ["stand up 0.35", "go to hall -100.00"]);
        assert_eq!(order(&Settings::NOTEBOOK, false), ["go to hall 0.85", "sit 0.60", "sit down 0.60"]);
        let mut samples = samples.clone();
        samples[3].logprob = None;
        let first = |settings: &Settings| {
            ranked(&samples, &neighbours, &costly, settings, true).into_iter().map(|c| c.sentence).collect::<Vec<_>>()
        };
        assert_eq!(first(&Settings::CORRECTIVE_2022)[0], "stand up", "what is no number is taken");
        assert_eq!(first(&Settings::NOTEBOOK), ["go to hall", "sit", "sit down"], "or never");
    }

    #[test]
    fn a_plan_ends_when_none_of_the_likelier_samples_goes_on() {
        let samples = [sample("", -0.1), sample("walk", -2.0), sample("", -0.2), sample("sit", -1.0)];
        assert_eq!(finished(&samples, 0.5), Some(Stop::Finished { of: 2 }));
        assert_eq!(finished(&samples, 0.75), None);
        assert_eq!(finished(&[], 0.5), None);
        let out = Sample { logprob: None, ..sample("", 0.0) };
        let unknown = Sample { is_out: false, ..out.clone() };
        assert_eq!(finished(&[sample("walk", -2.0), out.clone(), out.clone()], 0.4), None, "unread and without tokens");
        assert_eq!(finished(&[sample("walk", -2.0), unknown.clone(), unknown], 0.4), Some(Stop::Finished { of: 1 }));
        assert_eq!(finished(&[Sample { goes_on: true, ..out.clone() }, out], 0.5), Some(Stop::Finished { of: 1 }));
        assert_eq!((finished(&samples, 0.2), finished(&samples[..1], 0.2)), (None, Some(Stop::Finished { of: 1 })));
        assert_eq!(below(0.5, Some(0.8)), Some(Stop::Below { score: 0.5, cutoff: 0.8 }));
        assert_eq!((below(0.5, None), below(0.9, Some(0.8))), (None, None));
    }
}
