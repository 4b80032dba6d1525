//! The options of methods that translate free-form steps: the settings of both papers, and what may be set apart from them.

use stepwright_plan::score::Form;
use stepwright_plan::settings::{Loop, Resampling, Seen, Settings, Words};

use crate::options::{BELIEF, BLOCKING, TEMPERATURE};
use crate::publications::SETTINGS;
use stepwright_world::options::{Kind, OptionSpec, Table, Values};

/// The remedy for a step that the world refuses.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OnError {
    /// Nothing: the plan goes on.
    GoOn,
    /// The next best candidate is tried.
    Resample,
    /// A corrective prompt is sent.
    Reprompt,
}

/// The purpose of the asks, as publications name it.
pub(super) const STEP: &str = "step";

pub(crate) const SCORE: OptionSpec = OptionSpec::new(
    "score",
    "Score",
    Kind::Choice(&[("weighted", "S_w = C + β P"), ("geometric", "S_g = (C + 1) / 2 · e^P")]),
    "what makes a score; else the preset",
);

/// The published program whose loop a raw model is led through.
pub(crate) const FORM: OptionSpec = OptionSpec::new(
    "form",
    "Form of the loop",
    Kind::Choice(&[
        ("notebook", "prompts end with the step's number"),
        ("evaluation", "the model writes numbers from step 2 on"),
    ]),
    "whose loop a plan has; else the preset",
);

/// The steps that cost as tried.
pub(crate) const SEEN: OptionSpec = OptionSpec::new(
    "seen",
    "Steps that are tried",
    Kind::Choice(&[
        ("tried", "all, refused ones too"),
        ("done", "those that were done"),
        ("done-or-last", "those done, and the last one tried"),
    ]),
    "steps that cost as tried; else the preset",
);

pub(crate) const RESAMPLING: OptionSpec = OptionSpec::new(
    "resampling",
    "Re-sampling",
    Kind::Choice(&[
        ("program", "each sample's step, then the prompt again"),
        ("paper", "the next admissible steps, then the end"),
    ]),
    "tried after a refused step; else the preset",
);

pub(crate) const WORDS: OptionSpec = OptionSpec::new(
    "words",
    "Causes in words of",
    Kind::Choice(&[
        ("paper", "the paper"),
        ("program-2022", "the program of 2022, slips and all"),
        ("program-2024", "the program of 2024"),
    ]),
    "whose words say why; else the preset",
);

/// Tokens of a raw answer.
pub(crate) const TOKENS: OptionSpec = OptionSpec::new(
    "tokens",
    "Tokens of a step",
    Kind::Whole { min: 1, max: 400 },
    "tokens of a raw answer; else the preset",
);

/// The information in a corrective prompt.
pub(crate) const INFORMATION: OptionSpec = OptionSpec::new(
    "information",
    "Corrective prompt",
    Kind::Choice(&[
        ("notion", "that the step failed"),
        ("inference", "which step failed"),
        ("cause", "why the step failed"),
    ]),
    "what a corrective prompt says of an error",
)
.or("cause");

/// The weight of the log-probability.
pub(crate) const BETA: OptionSpec =
    OptionSpec::new("beta", "β", Kind::Number { min: 0.0, max: 10.0 }, "weight of log-probability; else the preset");

/// The score below which generation stops.
pub(crate) const CUTOFF: OptionSpec = OptionSpec::new(
    "cutoff",
    "Cut-off",
    Kind::Number { min: -100.0, max: 1.0 },
    "stops below this score; else the preset",
);

/// The cost of repeating the step before.
pub(crate) const REPEATED: OptionSpec = OptionSpec::new(
    "repeated",
    "Repeated step costs",
    Kind::Number { min: 0.0, max: 100.0 },
    "off a repeated step's score; else preset",
);

/// The cost of a step that was tried before.
pub(crate) const TRIED: OptionSpec = OptionSpec::new(
    "tried",
    "Tried step costs",
    Kind::Number { min: 0.0, max: 100.0 },
    "off a tried step's score; else the preset",
);

/// The share of empty samples that ends a plan.
pub(crate) const FINISHED: OptionSpec = OptionSpec::new(
    "finished",
    "Finished at share",
    Kind::Number { min: 0.0, max: 1.0 },
    "share of empty samples; else the preset",
);

pub(crate) const COMPLETIONS: OptionSpec = OptionSpec::new(
    "completions",
    "Completions a step",
    Kind::Whole { min: 1, max: 64 },
    "sampled for a step; else the preset",
);

/// Steps of a plan.
pub(crate) const LENGTH: OptionSpec = OptionSpec::new(
    "length",
    "Steps of a plan",
    Kind::Whole { min: 1, max: 200 },
    "steps a plan may have; else the preset",
);

pub const TRIES: OptionSpec = OptionSpec::new(
    "tries",
    "Steps tried",
    Kind::Whole { min: 1, max: 400 },
    "tried, refused ones too; else the preset",
);

/// The cost of a token for each time it was written.
pub(crate) const FREQUENCY: OptionSpec = OptionSpec::new(
    "frequency",
    "Frequency penalty",
    Kind::Number { min: -2.0, max: 2.0 },
    "per time a token was written; else preset",
);

/// The cost of a token once it was written.
pub(crate) const PRESENCE: OptionSpec = OptionSpec::new(
    "presence",
    "Presence penalty",
    Kind::Number { min: -2.0, max: 2.0 },
    "once a token was written; else the preset",
);

/// The share of the probability that tokens are sampled from.
pub(crate) const NUCLEUS: OptionSpec = OptionSpec::new(
    "nucleus",
    "Nucleus (top_p)",
    Kind::Number { min: 0.01, max: 1.0 },
    "share of likely tokens; else the preset",
);

pub(crate) const NEIGHBOURS: OptionSpec = OptionSpec::new(
    "neighbours",
    "Neighbours",
    Kind::Whole { min: 1, max: 50 },
    "admissible steps offered, the best of them",
)
.or("5");

/// Whether a sentence becomes the nearest admissible step.
pub(crate) const TRANSLATION: OptionSpec = OptionSpec::new(
    "translation",
    "Translation",
    Kind::Choice(&[
        ("on", "a sentence is its nearest admissible step"),
        ("off", "a sentence is tried as it was written"),
    ]),
    "whether sentences are translated to admissible steps",
)
.or("on");

/// Whether failing assertions count as an error before a step is tried.
pub(crate) const VETO: OptionSpec = OptionSpec::new(
    "veto",
    "Assertions veto",
    Kind::Choice(&[("on", "a step that fails an assertion is not tried"), ("off", "the world alone refuses steps")]),
    "whether a failing assertion is an error before the step is tried",
)
.or("off");

pub const OPEN_LOOP: Table = &[
    SETTINGS,
    FORM,
    SCORE,
    BETA,
    CUTOFF,
    REPEATED,
    TRIED,
    SEEN,
    FINISHED,
    COMPLETIONS,
    TOKENS,
    LENGTH,
    TRIES,
    NEIGHBOURS,
    TRANSLATION,
    TEMPERATURE,
    FREQUENCY,
    PRESENCE,
    NUCLEUS,
    BELIEF,
    BLOCKING,
];

pub const RESAMPLE: Table = &[
    SETTINGS,
    FORM,
    SCORE,
    BETA,
    CUTOFF,
    REPEATED,
    TRIED,
    SEEN,
    FINISHED,
    COMPLETIONS,
    TOKENS,
    LENGTH,
    TRIES,
    NEIGHBOURS,
    TRANSLATION,
    RESAMPLING,
    TEMPERATURE,
    FREQUENCY,
    PRESENCE,
    NUCLEUS,
    BELIEF,
    BLOCKING,
];

pub const REPROMPT: Table = &[
    SETTINGS,
    FORM,
    SCORE,
    INFORMATION,
    WORDS,
    BETA,
    CUTOFF,
    REPEATED,
    TRIED,
    SEEN,
    FINISHED,
    COMPLETIONS,
    TOKENS,
    LENGTH,
    TRIES,
    NEIGHBOURS,
    TRANSLATION,
    VETO,
    TEMPERATURE,
    FREQUENCY,
    PRESENCE,
    NUCLEUS,
    BELIEF,
    BLOCKING,
];

/// The settings of a name for a method; those published with it where the name says so.
fn published(on_error: OnError, name: &str, geometric: bool) -> Settings {
    let of = match name {
        "zero-shot" => Settings::NOTEBOOK,
        "zero-shot-readme" => Settings::ZERO_SHOT,
        "corrective" | "corrective-2022" if geometric => Settings::GEOMETRIC_2022,
        "corrective" | "corrective-2022" => Settings::CORRECTIVE_2022,
        "corrective-2023" => Settings::GEOMETRIC_2023,
        "corrective-2024" => Settings::CORRECTIVE_2024,
        _ if on_error == OnError::GoOn => Settings::NOTEBOOK,
        _ if geometric => Settings::GEOMETRIC_2022,
        _ => Settings::CORRECTIVE_2022,
    };
    match on_error {
        OnError::Reprompt => of,
        // The programs have the geometric score and the stripping of marks in re-prompting alone.
        OnError::Resample if of.of == Loop::Evaluation => {
            Settings { form: Form::Weighted, plain: false, finished: 1.0, ..of }
        }
        OnError::Resample => of,
        OnError::GoOn => Settings { form: Form::Weighted, plain: false, seen: Seen::Tried, ..of },
    }
}

/// The settings in force of a method.
pub fn settings(on_error: OnError, values: &Values) -> Settings {
    let score = values.text(&SCORE);
    let published = published(on_error, values.text(&SETTINGS), score == "geometric");
    let form = match score {
        "weighted" => Form::Weighted,
        "geometric" => Form::Geometric,
        _ => published.form,
    };
    Settings {
        of: match values.text(&FORM) {
            "notebook" => Loop::Notebook,
            "evaluation" => Loop::Evaluation,
            _ => published.of,
        },
        form,
        beta: values.number(&BETA).unwrap_or(published.beta),
        // A cut-off that was published for one form means nothing to the other.
        cutoff: values.number(&CUTOFF).or(published.cutoff.filter(|_| form == published.form)),
        finished: values.number(&FINISHED).unwrap_or(published.finished),
        repeated: values.number(&REPEATED).unwrap_or(published.repeated),
        tried: values.number(&TRIED).unwrap_or(published.tried),
        seen: match values.text(&SEEN) {
            "tried" => Seen::Tried,
            "done" => Seen::Done,
            "done-or-last" => Seen::DoneOrLast,
            _ => published.seen,
        },
        resampling: match values.text(&RESAMPLING) {
            "program" => Resampling::Program,
            "paper" => Resampling::Paper,
            _ => published.resampling,
        },
        words: match values.text(&WORDS) {
            "paper" => Words::Paper,
            "program-2022" => Words::Program2022,
            "program-2024" => Words::Program2024,
            _ => published.words,
        },
        steps: values.whole(&LENGTH).unwrap_or(published.steps),
        tries: values.whole(&TRIES).unwrap_or(published.tries),
        samples: values.whole(&COMPLETIONS).unwrap_or(published.samples),
        frequency_penalty: values.number(&FREQUENCY).unwrap_or(published.frequency_penalty),
        presence_penalty: values.number(&PRESENCE).unwrap_or(published.presence_penalty),
        top_p: values.number(&NUCLEUS).unwrap_or(published.top_p),
        tokens: values.whole(&TOKENS).unwrap_or(published.tokens),
        ..published
    }
}
