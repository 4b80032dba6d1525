//! Settings: the loop, weights, cut-offs and limits of generating a plan, a constant for each published program and its revisions.

use serde::{Deserialize, Serialize};

use crate::score::Form;

/// The loop of a published program: how its prompts end, how a sample is read, which of equals is taken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Loop {
    /// Huang et al.'s notebook: each prompt ends with the step's number, a sample is the step, the first of equals is taken.
    #[default]
    Notebook,
    /// The evaluation code: from the second step on the model writes the number itself, and the last of equals is taken.
    Evaluation,
}

/// The steps that count as tried before.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Seen {
    /// All of them, refused ones too.
    #[default]
    Tried,
    Done,
    /// Those that were done, and the last one that was tried.
    DoneOrLast,
}

/// The next try after a refused step where it is sampled again.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Resampling {
    /// As the program: the samples' own nearest steps by their scores, and the same prompt again when all are refused.
    #[default]
    Program,
    /// As the paper says: the admissible steps next in score, and the end where none can be done.
    Paper,
}

/// Whose words say why a step failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Wording {
    /// The paper's.
    #[default]
    Paper,
    /// Those of the authors' program of 2022, with its slips.
    Code2022,
    /// Those of the program of 2024.
    Code2024,
}

/// How a plan is generated and its steps are scored.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
pub struct Settings {
    #[serde(rename = "loop")]
    pub of: Loop,
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
    pub seen: Seen,
    pub resampling: Resampling,
    pub words: Wording,
    /// Whether punctuation is taken out of a sentence before it is translated.
    pub plain: bool,
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
    /// As the notebook of "Language Models as Zero-Shot Planners" has them: the step before costs 0.5, generation stops below 0.8, or
    /// when the likelier half of the samples is empty.
    pub const NOTEBOOK: Settings = Settings {
        of: Loop::Notebook,
        form: Form::Weighted,
        beta: 0.3,
        cutoff: Some(0.8),
        finished: 0.5,
        repeated: 0.5,
        tried: 0.0,
        seen: Seen::Tried,
        resampling: Resampling::Program,
        words: Wording::Paper,
        plain: false,
        steps: 20,
        tries: 20,
        samples: 10,
        temperature: 0.6,
        frequency_penalty: 0.3,
        presence_penalty: 0.5,
        top_p: 0.9,
        tokens: 10,
    };

    /// As the first command in the README of the same paper's evaluation code has them.
    pub const ZERO_SHOT: Settings = Settings {
        of: Loop::Evaluation,
        repeated: 0.0,
        tried: 100.0,
        steps: 15,
        temperature: 0.3,
        tokens: 8,
        ..Settings::NOTEBOOK
    };

    /// As the program of "Planning with Large Language Models via Corrective Re-prompting" passed them on 12 October 2022: a step that was
    /// tried before is all but excluded, and twice as many steps may be tried as a plan may have.
    pub const CORRECTIVE_2022: Settings = Settings {
        of: Loop::Evaluation,
        cutoff: Some(0.7),
        repeated: 0.0,
        tried: 100.0,
        words: Wording::Code2022,
        plain: true,
        tries: 40,
        temperature: 0.5,
        presence_penalty: 0.3,
        ..Settings::NOTEBOOK
    };

    /// From 30 October 2022 on, with the geometric score: of the steps tried before those that were done alone cost.
    pub const GEOMETRIC_2022: Settings =
        Settings { form: Form::Geometric, seen: Seen::Done, ..Settings::CORRECTIVE_2022 };

    /// From 1 January 2023 on: a lower cut-off.
    pub const GEOMETRIC_2023: Settings = Settings { cutoff: Some(0.5), ..Settings::GEOMETRIC_2022 };

    /// As its last revision has them, of 25 December 2024.
    pub const CORRECTIVE_2024: Settings = Settings {
        cutoff: Some(0.45),
        seen: Seen::DoneOrLast,
        words: Wording::Code2024,
        presence_penalty: 0.5,
        ..Settings::GEOMETRIC_2022
    };
}
