//! The options of methods that translate free-form steps: the settings of both papers, and what may be set apart from them.

use stepwright_plan::score::Form;
use stepwright_plan::settings::{Loop, Resampling, Seen, Settings, Wording};

use stepwright_method::options::{BELIEF, BLOCKING, TEMPERATURE};
use stepwright_method::publications::{OWN, SETTINGS};
use stepwright_world::options::{Table, Values};

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

stepwright_world::option_specs! {
    pub(crate) SCORE: "score", "Score", "what makes a score; else the preset", [
        "weighted" = "S_w = C + β P", "geometric" = "S_g = (C + 1) / 2 · e^P"
    ];
    /// The published program whose loop a raw model is led through.
    pub(crate) FORM: "form", "Form of the loop", "whose loop a plan has; else the preset", [
        "notebook" = "prompts end with the step's number", "evaluation" = "the model writes numbers from step 2 on"
    ];
    pub(crate) SEEN: "seen", "Steps that are tried", "steps that cost as tried; else the preset", [
        "tried" = "all, refused ones too", "done" = "those that were done", "done-or-last" = "those done, and the last one tried"
    ];
    pub(crate) RESAMPLING: "resampling", "Re-sampling", "tried after a refused step; else the preset", [
        "program" = "each sample's step, then the prompt again", "paper" = "the next admissible steps, then the end"
    ];
    pub(crate) WORDS: "words", "Causes in words of", "whose words say why; else the preset", [
        "paper" = "the paper", "program-2022" = "the program of 2022, slips and all", "program-2024" = "the program of 2024"
    ];
    pub(crate) TOKENS: "tokens", "Tokens of a step", "tokens of a raw answer; else the preset", (whole 1 to 400);
    pub(crate) INFORMATION: "information", "Corrective prompt", "what a corrective prompt says of an error", [
        "notion" = "that the step failed", "inference" = "which step failed", "cause" = "why the step failed"
    ] or "cause";
    pub(crate) BETA: "beta", "β", "weight of log-probability; else the preset", (number 0.0 to 10.0);
    /// The score below which generation stops.
    pub(crate) CUTOFF: "cutoff", "Cut-off", "stops below this score; else the preset", (number -100.0 to 1.0);
    pub(crate) REPEATED: "repeated", "Repeated step costs", "off a repeated step's score; else preset", (number 0.0 to 100.0);
    pub(crate) TRIED: "tried", "Tried step costs", "off a tried step's score; else the preset", (number 0.0 to 100.0);
    /// The share of empty samples that ends a plan.
    pub(crate) FINISHED: "finished", "Finished at share", "share of empty samples; else the preset", (number 0.0 to 1.0);
    pub(crate) COMPLETIONS: "completions", "Completions a step", "sampled for a step; else the preset", (whole 1 to 64);
    pub(crate) LENGTH: "length", "Steps of a plan", "steps a plan may have; else the preset", (whole 1 to 200);
    pub TRIES: "tries", "Steps tried", "tried, refused ones too; else the preset", (whole 1 to 400);
    /// The cost of a token for each time it was written.
    pub(crate) FREQUENCY: "frequency", "Frequency penalty", "per time a token was written; else preset", (number -2.0 to 2.0);
    /// The cost of a token once it was written.
    pub(crate) PRESENCE: "presence", "Presence penalty", "once a token was written; else the preset", (number -2.0 to 2.0);
    /// The share of the probability that tokens are sampled from.
    pub(crate) NUCLEUS: "nucleus", "Nucleus (top_p)", "share of likely tokens; else the preset", (number 0.01 to 1.0);
    pub(crate) NEIGHBOURS: "neighbours", "Neighbours", "admissible steps offered, the best of them", (whole 1 to 50) or "5";
    pub(crate) TRANSLATION: "translation", "Translation", "whether sentences are translated to admissible steps", [
        "on" = "a sentence is its nearest admissible step", "off" = "a sentence is tried as it was written"
    ] or "on";
    pub(crate) VETO: "veto", "Assertions veto", "whether a failing assertion is an error before the step is tried", [
        "on" = "a step that fails an assertion is not tried", "off" = "the world alone refuses steps"
    ] or "off";
}

pub const OPEN_LOOP: Table = &[
    SETTINGS, FORM, SCORE, BETA, CUTOFF, REPEATED, TRIED, SEEN, FINISHED, COMPLETIONS, TOKENS, LENGTH, TRIES,
    NEIGHBOURS, TRANSLATION, TEMPERATURE, FREQUENCY, PRESENCE, NUCLEUS, BELIEF, BLOCKING,
];

pub const RESAMPLE: Table = &[
    SETTINGS, FORM, SCORE, BETA, CUTOFF, REPEATED, TRIED, SEEN, FINISHED, COMPLETIONS, TOKENS, LENGTH, TRIES,
    NEIGHBOURS, TRANSLATION, RESAMPLING, TEMPERATURE, FREQUENCY, PRESENCE, NUCLEUS, BELIEF, BLOCKING,
];

pub const REPROMPT: Table = &[
    SETTINGS, FORM, SCORE, INFORMATION, WORDS, BETA, CUTOFF, REPEATED, TRIED, SEEN, FINISHED, COMPLETIONS, TOKENS,
    LENGTH, TRIES, NEIGHBOURS, TRANSLATION, VETO, TEMPERATURE, FREQUENCY, PRESENCE, NUCLEUS, BELIEF, BLOCKING,
];

/// Whether any answer may leave a step that failed out: the publications know no such answer of a model that goes on with a text.
pub fn skips(settings: &str) -> bool {
    settings == OWN
}

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
            "paper" => Wording::Paper,
            "program-2022" => Wording::Code2022,
            "program-2024" => Wording::Code2024,
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
