//! Figures printed in "Sequential Discrete Action Selection via Blocking Conditions and Resolutions": its Table 1, successful
//! trials by condition (of `CONDITIONS`) and task.

use crate::runner::Printed::Of;
use crate::runner::{PaperRow, paper_row};

/// Where the figures are from.
pub const SOURCE: &str = "Sequential Discrete Action Selection via Blocking Conditions and Resolutions";

/// The tasks, in the order of the paper's columns; each is a measure of its rows.
pub const TASKS: [&str; 4] = ["coffee", "apple", "mug", "toast"];

/// Table 1.
pub const FIGURES: [PaperRow; 5] = [
    paper_row!("Table 1", "condition": "BCR" =>
        "coffee" = Of(50, 50), "apple" = Of(39, 50), "mug" = Of(39, 50), "toast" = Of(49, 50)),
    paper_row!("Table 1", "condition": "ProgPrompt" =>
        "coffee" = Of(19, 50), "apple" = Of(40, 50), "mug" = Of(18, 50), "toast" = Of(0, 50)),
    paper_row!("Table 1", "condition": "FF-Replan" =>
        "coffee" = Of(14, 50), "apple" = Of(13, 50), "mug" = Of(11, 50), "toast" = Of(0, 50)),
    paper_row!("Table 1", "condition": "ProgPrompt-no-find" =>
        "coffee" = Of(14, 50), "apple" = Of(12, 50), "mug" = Of(0, 50), "toast" = Of(0, 50)),
    paper_row!("Table 1", "condition": "FF-Replan-limited" =>
        "coffee" = Of(0, 50), "apple" = Of(0, 50), "mug" = Of(0, 50), "toast" = Of(0, 50)),
];
