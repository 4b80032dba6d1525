//! Blocking conditions and resolutions, ProgPrompt beside them in the kitchen, and preconditions as programs.

use super::row::{Asked, Interface, Publication, Row};

/// A selection: the paper states the model, its authors' program the rest.
const SELECTION: Asked = Asked {
    interface: Some(Interface::Chat),
    temperature: Some(1.0),
    max_tokens: Some(1000),
    stop: Some(&[]),
    logprobs: Some(false),
    ..Asked::NOTHING
};

const PLAN: Asked = Asked {
    interface: Some(Interface::Message),
    temperature: Some(0.0),
    max_tokens: Some(600),
    stop: Some(&["def"]),
    frequency_penalty: Some(0.15),
    logprobs: Some(false),
    ..Asked::NOTHING
};

/// A next action of raw text; tokens and temperature are stated nowhere. It ends where the method has it: at the end of its line, or, where
/// a thought comes first, of its call.
const ACTION: Asked = Asked { interface: Some(Interface::Text), logprobs: Some(false), ..Asked::NOTHING };

/// Neither the paper nor its authors' program minds circles.
const ANYWHERE: Row = Row { world: "", asks: &[("act", SELECTION)], options: &[("answers", "5"), ("circles", "free")] };

pub(super) const ROWS: &[Publication] = &[
    Publication {
        id: "blocking",
        title: "blocking conditions and resolutions: the paper's text",
        methods: &["blocking"],
        rows: &[ANYWHERE],
    },
    Publication {
        id: "blocking-program",
        title: "blocking conditions and resolutions: the authors' program",
        methods: &["blocking"],
        rows: &[Row {
            options: &[("answers", "5"), ("circles", "free"), ("messages", "each"), ("unlisted", "taken")],
            ..ANYWHERE
        }],
    },
    Publication {
        id: "progprompt",
        title: "ProgPrompt as run beside blocking conditions",
        methods: &["progprompt", "progprompt-flat"],
        rows: &[Row { world: "", asks: &[("plan", PLAN)], options: &[("functions", "3"), ("plans", "published")] }],
    },
    Publication {
        id: "preconditions",
        title: "action preconditions with programs, 4 shots (Table 3)",
        methods: &["precondition-aware", "precondition-prompting", "few-shot"],
        rows: &[Row { world: "", asks: &[("act", ACTION)], options: &[("shots", "4"), ("drawn", "each")] }],
    },
];
