//! Context budget: an estimate of tokens, and the order in which parts are left out.
//!
//! Tokens are estimated from characters: [`CHARS_A_TOKEN`] characters make one, until the model's own counts say better (every
//! answer that reports its prompt's tokens corrects the estimate, see [`Meter::learn`]). Demonstrations go first, the least alike
//! before the others; then the trajectory's oldest observations; the specification and the actions never.

/// Characters of a token before anything is known: programs of calls have 2.9 to 3.3 in the vocabularies of SmolLM2 and
/// Qwen2.5; the smaller figure errs on the safe side.
pub const CHARS_A_TOKEN: f64 = 2.9;
/// Tokens kept free beside the completion's: chat frames, special tokens.
const FRAME: usize = 32;

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Meter {
    chars_a_token: f64,
}

impl Default for Meter {
    fn default() -> Self {
        Meter { chars_a_token: CHARS_A_TOKEN }
    }
}

impl Meter {
    pub fn tokens(self, chars: usize) -> usize {
        (chars as f64 / self.chars_a_token).ceil() as usize
    }

    /// Takes in what a prompt of so many characters really had. Short prompts say little, and absurd counts nothing.
    pub fn learn(&mut self, chars: usize, tokens: u64) {
        let seen = chars as f64 / tokens.max(1) as f64;
        if chars >= 500 && (1.0..=8.0).contains(&seen) {
            // A little less than seen: the next prompt is another one.
            self.chars_a_token = seen * 0.98;
        }
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Parts {
    /// All that always stays: the specification, the frame, the trajectory without its observations.
    pub(super) fixed: usize,
    pub(super) demonstrations: Vec<usize>,
    /// The trajectory's observations, the oldest first.
    pub(super) observations: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Fit {
    pub(super) demonstrations: usize,
    pub(super) observations_out: usize,
    /// Whether even so the prompt is longer than the model takes, by the estimate.
    pub(super) too_long: bool,
    pub(super) tokens: usize,
}

/// Fits the parts into `context` tokens, of which `completion` are the answer's.
pub(super) fn fit(parts: &Parts, meter: Meter, context: Option<usize>, completion: usize) -> Fit {
    let sum = |lengths: &[usize]| lengths.iter().sum::<usize>();
    let all = parts.fixed + sum(&parts.observations);
    let wanted = parts.demonstrations.len();
    let Some(context) = context else {
        let tokens = meter.tokens(all + sum(&parts.demonstrations));
        return Fit { demonstrations: wanted, observations_out: 0, too_long: false, tokens };
    };
    let room = context.saturating_sub(completion + FRAME);
    let tokens_with = |n: usize| meter.tokens(all + sum(parts.demonstrations.get(..n).unwrap_or_default()));
    if let Some(n) = (0..=wanted).rev().find(|n| tokens_with(*n) <= room) {
        return Fit { demonstrations: n, observations_out: 0, too_long: false, tokens: tokens_with(n) };
    }
    let mut left = all;
    let mut out = 0;
    for length in &parts.observations {
        if meter.tokens(left) <= room {
            break;
        }
        left = left.saturating_sub(*length);
        out += 1;
    }
    let tokens = meter.tokens(left);
    Fit { demonstrations: 0, observations_out: out, too_long: tokens > room, tokens }
}

/// The parts left out, in words; `None` if nothing was.
pub(super) fn words(fit: &Fit, parts: &Parts, context: Option<usize>) -> Option<String> {
    let context = context?;
    let mut out = Vec::new();
    let wanted = parts.demonstrations.len();
    let missing = wanted.saturating_sub(fit.demonstrations);
    if missing > 0 {
        out.push(format!("{missing} of {wanted} demonstrations"));
    }
    match fit.observations_out {
        0 => {}
        1 => out.push("the oldest observation".to_owned()),
        n => out.push(format!("the {n} oldest observations")),
    }
    let left_out = (!out.is_empty()).then(|| format!("left out of the prompt: {}", out.join(" and ")));
    let size = format!("about {} tokens remain for a model that takes {context}", fit.tokens);
    match (left_out, fit.too_long) {
        (None, false) => None,
        (left_out, true) => Some(format!(
            "{}; {size}: still too many, so it may be refused. Choose a model with a longer context",
            left_out.unwrap_or_else(|| "nothing can be left out of the prompt".to_owned())
        )),
        (Some(left_out), false) => Some(format!("{left_out} ({size})")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parts() -> Parts {
        Parts { fixed: 300, demonstrations: vec![100, 200, 300], observations: vec![50, 50, 50] }
    }

    fn fitted(context: usize) -> (usize, usize, bool) {
        let meter = Meter { chars_a_token: 1.0 };
        let fit = fit(&parts(), meter, Some(context + FRAME + 10), 10);
        assert!(fit.too_long || fit.tokens <= context, "{fit:?}");
        (fit.demonstrations, fit.observations_out, fit.too_long)
    }

    #[test]
    fn the_least_alike_demonstrations_go_first_then_old_observations() {
        assert_eq!(fitted(1050), (3, 0, false));
        assert_eq!(fitted(1049), (2, 0, false));
        assert_eq!(fitted(549), (0, 0, false));
        assert_eq!(fitted(550), (1, 0, false));
        assert_eq!(fitted(449), (0, 1, false));
        assert_eq!(fitted(310), (0, 3, false));
        assert_eq!(fitted(299), (0, 3, true));
    }

    #[test]
    fn without_a_known_context_nothing_is_left_out() {
        let fit = fit(&parts(), Meter::default(), None, 10);
        assert_eq!((fit.demonstrations, fit.observations_out, fit.too_long), (3, 0, false));
        assert_eq!(words(&fit, &parts(), None), None);
    }

    #[test]
    fn what_was_left_out_is_said() {
        let meter = Meter { chars_a_token: 1.0 };
        let said = |context: usize| {
            let fit = fit(&parts(), meter, Some(context + FRAME), 0);
            words(&fit, &parts(), Some(context + FRAME)).unwrap_or_default()
        };
        assert!(said(800).contains("1 of 3 demonstrations") && said(800).contains("750"), "{}", said(800));
        assert!(said(420).contains("3 of 3 demonstrations and the oldest observation"), "{}", said(420));
        assert!(said(100).contains("may be refused"), "{}", said(100));
        assert_eq!(said(5000), "");
    }

    #[test]
    fn counts_of_the_model_correct_the_estimate() {
        let mut meter = Meter::default();
        let before = meter.tokens(4000);
        meter.learn(100, 1);
        meter.learn(4000, 0);
        assert_eq!(meter.tokens(4000), before, "such counts say nothing");
        meter.learn(4000, 1000);
        assert!((1000..1030).contains(&meter.tokens(4000)));
    }
}
