//! Policies of code: AdaPlanner (Sun et al. 2023) and Demo2Code (Wang et al. 2023), as their programs have it.

use super::row::{Asked, Interface, Publication, Row};

/// Every ask of AdaPlanner's notebook with gpt-3.5-turbo.
const ADAPLANNER: Asked = Asked {
    interface: Some(Interface::Message),
    temperature: Some(0.0),
    max_tokens: Some(1_400),
    top_p: Some(1.0),
    stop: Some(&[]),
    frequency_penalty: Some(0.0),
    presence_penalty: Some(0.0),
    logprobs: Some(false),
    ..Asked::NOTHING
};

/// Six programs are run: the first, and five corrections.
const LOOP: &[(&str, &str)] = &[("corrections", "5"), ("solutions", "published")];

/// A program of Demo2Code's.
const CODE: Asked = Asked {
    interface: Some(Interface::Chat),
    temperature: Some(0.0),
    max_tokens: Some(8_000),
    stop: Some(&[]),
    logprobs: Some(false),
    ..Asked::NOTHING
};

const STAGE: Asked = Asked { stop: Some(&["[[end of response]]"]), ..CODE };

pub(super) const ROWS: &[Publication] = &[
    Publication {
        id: "adaplanner",
        title: "Sun et al. 2023: AdaPlanner's notebook with gpt-3.5-turbo",
        methods: &["adaplanner"],
        rows: &[Row { world: "household", asks: &[("", ADAPLANNER)], options: LOOP }],
    },
    Publication {
        id: "adaplanner-gpt-3",
        title: "Sun et al. 2023: AdaPlanner's notebook as it ships, with text-davinci",
        methods: &["adaplanner"],
        rows: &[Row {
            world: "household",
            asks: &[("", Asked { interface: Some(Interface::Text), ..ADAPLANNER })],
            options: LOOP,
        }],
    },
    Publication {
        id: "demo2code",
        title: "Wang et al. 2023: Demo2Code's program",
        methods: &["demo2code"],
        rows: &[Row {
            world: "",
            asks: &[("summarize", STAGE), ("specify", STAGE), ("code", CODE)],
            options: &[("stages", "published")],
        }],
    },
];
