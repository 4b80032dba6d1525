//! Statler (Yoneda et al. 2023) and the methods it is compared with, as their evaluation has it.

use super::{Asked, Interface, Publication, Row};

/// A writer, and one model that is both.
const ASK: Asked = Asked {
    interface: Some(Interface::Text),
    temperature: Some(0.0),
    max_tokens: Some(256),
    stop: Some(&["# query: "]),
    logprobs: Some(false),
    ..Asked::NOTHING
};

pub(super) const ROWS: &[Publication] = &[Publication {
    id: "statler",
    title: "Yoneda et al. 2023: Statler's evaluation",
    methods: &["statler", "statler-auto", "statler-unified", "cap-cot", "code-as-policies"],
    rows: &[Row {
        world: "table",
        asks: &[
            ("reader", Asked { stop: Some(&["# state = {"]), ..ASK }),
            ("chain", Asked { failed: Some("extend context window."), ..ASK }),
            ("code", Asked { stop: Some(&["# "]), ..ASK }),
            ("", ASK),
        ],
        options: &[("texts", "verbatim")],
    }],
}];
