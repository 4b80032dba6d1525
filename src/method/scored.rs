//! Choice by likelihood: the model writes nothing; each admissible action is scored as the program's next line.
//!
//! Mean log-probability per token ranks the actions (or the sum, [`super::Likelihood`]), and Algorithm 1's verification picks: the likeliest whose assertions hold.
//! Small models that cannot write a line rank actions well; see docs/decisions.md. The world's list of admissible actions is
//! used, so this method knows more than the paper's policies: it is never to be compared with them without saying so.

use super::precondition_aware::recommend_first;
use super::{Method, MethodInfo, Next, Round};
use crate::episode::AskKind;
use crate::episode::Proposal;

/// Choice by likelihood.
#[derive(Debug, Clone, Copy)]
pub struct Scored;

impl Method for Scored {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "scored",
            label: "Choice by likelihood",
            description: "Scores every admissible action as the program's next line; takes the likeliest whose \
                          preconditions hold. For models that tell log-probabilities of given texts; best for small ones.",
        }
    }

    fn next(&self, round: Round<'_>) -> Next {
        let proposals: Vec<&Proposal> = round.proposals().collect();
        if round.has_asked(&AskKind::RANKED) {
            return recommend_first(round.turn, &proposals, "ranked proposal");
        }
        if !round.has_asked(&AskKind::SCORED) && !round.has_asked(&AskKind::SAMPLES) {
            return Next::Score;
        }
        recommend_first(round.turn, &proposals, "scored action")
    }

    fn prompts(&self) -> &'static str {
        "program"
    }
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
    use super::probabilities;

    #[test]
    fn probabilities_add_up_and_keep_the_order() {
        let p = probabilities(&[-1.0, -2.0, -700.0, -1.0]);
        assert!((p.iter().sum::<f64>() - 1.0).abs() < 1e-12);
        assert!(p[0] > p[1] && p[1] > p[2] && (p[0] - p[3]).abs() < 1e-12);
        assert!((p[0] / p[1] - 1f64.exp()).abs() < 1e-9);
        assert_eq!(probabilities(&[f64::NEG_INFINITY, f64::NEG_INFINITY]), [0.5, 0.5]);
        assert!(probabilities(&[]).is_empty());
    }
}
