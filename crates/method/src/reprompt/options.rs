//! The options of methods that translate free-form steps: the settings of both papers, and what may be set apart from them.

use stepwright_plan::score::Form;
use stepwright_plan::settings::Settings;

use crate::options::{BELIEF, BLOCKING, TEMPERATURE};
use crate::publications::SETTINGS;
use stepwright_world::options::{Kind, OptionSpec, Table, Values};

pub(crate) const SCORE: OptionSpec = OptionSpec::new(
    "score",
    "Score",
    Kind::Choice(&[("weighted", "S_w = C + β P"), ("geometric", "S_g = (C + 1) / 2 · e^P")]),
    "how similarity and log-probability make a score",
)
.or("weighted");

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
    SCORE,
    BETA,
    CUTOFF,
    REPEATED,
    TRIED,
    FINISHED,
    COMPLETIONS,
    LENGTH,
    TRIES,
    NEIGHBOURS,
    TEMPERATURE,
    FREQUENCY,
    PRESENCE,
    NUCLEUS,
    BELIEF,
    BLOCKING,
];

pub const REPROMPT: Table = &[
    SETTINGS,
    SCORE,
    INFORMATION,
    BETA,
    CUTOFF,
    REPEATED,
    TRIED,
    FINISHED,
    COMPLETIONS,
    LENGTH,
    TRIES,
    NEIGHBOURS,
    VETO,
    TEMPERATURE,
    FREQUENCY,
    PRESENCE,
    NUCLEUS,
    BELIEF,
    BLOCKING,
];

/// The settings in force; `own` are those published with the method.
pub fn settings(own: Settings, values: &Values) -> Settings {
    let published = match values.text(&SETTINGS) {
        "zero-shot" => Settings::ZERO_SHOT,
        "corrective" => Settings::CORRECTIVE,
        _ => own,
    };
    let form = if values.is(&SCORE, "geometric") { Form::Geometric } else { Form::Weighted };
    Settings {
        form,
        beta: values.number(&BETA).unwrap_or(published.beta),
        // A weighted cut-off means nothing to the other form, which is bounded.
        cutoff: values.number(&CUTOFF).or(published.cutoff.filter(|_| form == Form::Weighted)),
        finished: values.number(&FINISHED).unwrap_or(published.finished),
        repeated: values.number(&REPEATED).unwrap_or(published.repeated),
        tried: values.number(&TRIED).unwrap_or(published.tried),
        steps: values.whole(&LENGTH).unwrap_or(published.steps),
        tries: values.whole(&TRIES).unwrap_or(published.tries),
        samples: values.whole(&COMPLETIONS).unwrap_or(published.samples),
        frequency_penalty: values.number(&FREQUENCY).unwrap_or(published.frequency_penalty),
        presence_penalty: values.number(&PRESENCE).unwrap_or(published.presence_penalty),
        top_p: values.number(&NUCLEUS).unwrap_or(published.top_p),
        ..published
    }
}
