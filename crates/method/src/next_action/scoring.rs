//! Scoring: ranks every admissible action as the program's next line, by the model's log-probabilities.
//!
//! The candidates are the world's admissible actions that have a call, and the end of the agent's turn where others speak. What has
//! no log-probability is never given one.

use crate::options::LIKELIHOOD;
use crate::prompting::{LEAD, foreign_receivers};
use crate::{Answer, Context, Reading};
use stepwright_episode::gate::Draft;
use stepwright_episode::{Action, Origin};
use stepwright_model::Completion;
use stepwright_program::{Call, Declarations};
use stepwright_world::World;

const MOST: usize = 200;
/// Most proposals made of them, the likeliest.
const KEPT: usize = 64;

#[derive(Debug, Clone, PartialEq)]
pub struct Candidate {
    pub line: String,
    pub action: Action,
}

/// All actions to be scored, and a note on the choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidates {
    pub(super) list: Vec<Candidate>,
    pub(super) note: Option<String>,
}

/// The object whose call means that the agent's turn is over, with the action it is read as.
pub fn turn_end(world: &dyn World, declarations: &Declarations) -> Option<(String, Action)> {
    let foreign = foreign_receivers(declarations);
    foreign.into_iter().find_map(|(receiver, function)| {
        let call = Call { receiver: receiver.clone(), function, ..Call::default() };
        let text = world.text_of(&call)?;
        Some((receiver, Action::new(text, None)))
    })
}

pub(super) fn candidates(cx: &Context<'_>) -> Result<Candidates, String> {
    let world = cx.world;
    let Some(admissible) = world.admissible() else {
        return Err(format!(
            "the world {} lists no admissible actions, so there is nothing to score; choose a method that lets the model write",
            world.name()
        ));
    };
    let mut list: Vec<Candidate> = Vec::new();
    for text in admissible {
        let Some(call) = world.call_of(&text).map(|c| c.to_string()) else { continue };
        // Two wordings of one call are one line of the program.
        if !list.iter().any(|c| c.line == call) {
            list.push(Candidate { line: call.clone(), action: Action::new(text, Some(call)) });
        }
    }
    let all = list.len();
    list.truncate(MOST);
    let note = (all > MOST).then(|| format!("{all} actions are admissible; the first {MOST} of them are scored"));
    if let Some((receiver, action)) = turn_end(world, cx.program.specification().declarations()) {
        list.push(Candidate { line: format!("{receiver}."), action });
    }
    if list.is_empty() {
        return Err("no admissible action has a call to be scored; type an action".to_owned());
    }
    Ok(Candidates { list, note })
}

/// The candidates as the prompt is continued with them.
pub fn continuations(list: &[Candidate]) -> Vec<String> {
    list.iter().map(|c| format!("{LEAD}{}", c.line)).collect()
}

pub(super) fn read(cx: &Context<'_>, answer: &Answer) -> Reading {
    match candidates(cx) {
        Ok(candidates) => ranked(candidates.list, &answer.completions, cx.options().is(&LIKELIHOOD, "sum")),
        Err(why) => Reading::Problem(why),
    }
}

struct Ranked {
    candidate: Candidate,
    probability: f64,
    by: f64,
    mean: f64,
    sum: f64,
    tokens: usize,
}

impl Ranked {
    fn draft(self, by_sum: bool) -> Draft {
        let Ranked { candidate, probability, mean, sum, tokens, .. } = self;
        let tokens = stepwright_text::words::count(tokens, "token");
        Draft {
            action: Some(candidate.action),
            score: Some(probability),
            logprob: Some(mean),
            rationale: Some(match by_sum {
                false => format!("ranked by the mean log-probability of its {tokens}: {mean:.3}"),
                true => format!("ranked by the sum of the log-probabilities of its {tokens}: {sum:.3}"),
            }),
            ..Draft::new(candidate.line, Origin::Scored)
        }
    }
}

/// Candidates with their log-probabilities as proposals, the likeliest first: by the sum of their tokens' log-probabilities, or by the mean.
pub fn ranked(candidates: Vec<Candidate>, completions: &[Completion], by_sum: bool) -> Reading {
    let means: Vec<f64> = completions.iter().filter_map(Completion::mean_logprob).collect();
    if means.len() != candidates.len() || means.iter().any(|m| m.is_nan()) {
        return Reading::Problem(format!(
            "the model reported log-probabilities of {} of {} actions; nothing is made of them",
            means.len(),
            candidates.len()
        ));
    }
    let sums: Vec<f64> = completions.iter().filter_map(Completion::sum_logprob).collect();
    let ranking = if by_sum { &sums } else { &means };
    let mut ranked: Vec<Ranked> = candidates
        .into_iter()
        .zip(completions)
        .zip(ranking.iter().zip(probabilities(ranking)))
        .zip(means.iter().zip(&sums))
        .map(|(((candidate, completion), (by, probability)), (mean, sum))| {
            let tokens = completion.tokens.len();
            let (mean, sum, by) = (*mean, *sum, *by);
            Ranked { candidate, probability, by, mean, sum, tokens }
        })
        .collect();
    ranked.sort_by(|a, b| b.by.total_cmp(&a.by));
    Reading::drafts(ranked.into_iter().take(KEPT).map(|one| one.draft(by_sum)).collect())
}

/// The probabilities of the candidates if one of them is taken, by their log-probabilities (softmax). They add up to 1.
pub fn probabilities(logprobs: &[f64]) -> Vec<f64> {
    let best = logprobs.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    let weights: Vec<f64> = logprobs.iter().map(|l| if best.is_finite() { (l - best).exp() } else { 1.0 }).collect();
    let sum: f64 = weights.iter().sum();
    weights.into_iter().map(|w| w / sum).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_model::TokenLogprob;

    #[test]
    fn probabilities_add_up_and_keep_the_order() {
        let p = probabilities(&[-1.0, -2.0, -700.0, -1.0]);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(p[0] > p[1] && p[1] > p[2] && (p[0] - p[3]).abs() < 1e-12);
        assert!((p[0] / p[1] - 1f64.exp()).abs() < 1e-9);
        assert_eq!(probabilities(&[f64::NEG_INFINITY, f64::NEG_INFINITY]), [0.5, 0.5]);
        assert!(probabilities(&[]).is_empty());
    }

    fn scored(by_sum: bool) -> Vec<(String, f64, Option<String>)> {
        let line = |line: &str| Candidate { line: line.to_owned(), action: Action::new(line, Some(line.to_owned())) };
        let completion = |tokens: &[f64]| Completion {
            tokens: tokens.iter().map(|l| TokenLogprob::new("", *l)).collect(),
            ..Completion::default()
        };
        // The long one is likelier by the mean, the short one by the sum.
        let completions = vec![completion(&[-1.0, -1.0, -1.0, -1.0]), completion(&[-2.0])];
        match ranked(vec![line("long"), line("short")], &completions, by_sum) {
            Reading::Drafts { drafts, .. } => {
                drafts.into_iter().map(|d| (d.raw, d.score.unwrap_or_default(), d.rationale)).collect()
            }
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn the_mean_or_the_sum_ranks_and_is_noted() {
        let by_mean = scored(false);
        assert_eq!(by_mean[0].0, "long");
        assert!((by_mean[0].1 / by_mean[1].1 - 1f64.exp()).abs() < 1e-9, "{by_mean:?}");
        assert_eq!(by_mean[0].2.as_deref(), Some("ranked by the mean log-probability of its 4 tokens: -1.000"));
        let by_sum = scored(true);
        assert_eq!(by_sum[0].0, "short");
        assert!((by_sum[0].1 / by_sum[1].1 - 2f64.exp()).abs() < 1e-9, "{by_sum:?}");
        assert_eq!(by_sum[1].2.as_deref(), Some("ranked by the sum of the log-probabilities of its 4 tokens: -4.000"));
    }
}
