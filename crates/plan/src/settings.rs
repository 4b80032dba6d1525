//! Settings: the weights, cut-offs and limits of generating a plan, with those of both papers.

use crate::score::Form;

/// How a plan is generated and its steps are scored.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Settings {
    pub form: Form,
    /// The weight of the mean log-probability in the weighted form, β.
    pub beta: f64,
    /// The score below which generation stops; `None` where no score stops it.
    pub cutoff: Option<f64>,
    /// The share of the likeliest samples that must all be empty for the plan to be finished, from 0 to 1.
    pub finished: f64,
    /// The deduction from the score of the step before.
    pub repeated: f64,
    /// The deduction from the score of any step that was tried before.
    pub tried: f64,
    pub steps: u32,
    /// Steps that are tried in all, corrected ones included.
    pub tries: u32,
    pub samples: u32,
    pub temperature: f64,
    /// How much the log-probability of a token falls with each time it was written in a completion.
    pub frequency_penalty: f64,
    /// How much it falls once it was written.
    pub presence_penalty: f64,
    /// Tokens are sampled from the likeliest that have this share of the probability together, from 0 to 1.
    pub top_p: f64,
    pub tokens: u32,
}

impl Settings {
    /// As the program of "Language Models as Zero-Shot Planners" has them: the step before costs 0.5, generation stops below 0.8, or
    /// when the likelier half of the samples is empty.
    pub const ZERO_SHOT: Settings = Settings {
        form: Form::Weighted,
        beta: 0.3,
        cutoff: Some(0.8),
        finished: 0.5,
        repeated: 0.5,
        tried: 0.0,
        steps: 20,
        tries: 20,
        samples: 10,
        temperature: 0.6,
        frequency_penalty: 0.3,
        presence_penalty: 0.5,
        top_p: 0.9,
        tokens: 10,
    };

    /// As the program of "Planning with Large Language Models via Corrective Re-prompting" has them, with the temperature and the
    /// presence penalty that its appendix A.4 found best: a step that was tried before is all but excluded, no score stops generation, and twice as many steps
    /// may be tried as a plan may have.
    pub const CORRECTIVE: Settings = Settings {
        form: Form::Weighted,
        beta: 0.5,
        cutoff: None,
        finished: 0.6,
        repeated: 0.0,
        tried: 100.0,
        steps: 20,
        tries: 40,
        samples: 10,
        temperature: 0.5,
        frequency_penalty: 0.3,
        presence_penalty: 0.3,
        top_p: 0.9,
        tokens: 16,
    };
}
