//! Figures printed in "Planning with Large Language Models via Corrective Re-prompting": its Tables 1 and 2, by method.

use crate::runner::Printed::Number;
use crate::runner::{PaperRow, paper_row};

/// Where the figures are from.
pub const SOURCE: &str = "Planning with Large Language Models via Corrective Re-prompting";

/// The model that all of them were measured with.
pub const MODEL: &str = "davinci-instruct";

/// A method's row of both tables. Measures are those of [`super::report`]; `corrections` is not printed for the first.
macro_rules! method {
    ($name:literal: $executable:literal, $correct:literal, $both:literal, $similarity:literal, $lcs:literal, $kappa:literal, $steps:literal
     $(, $corrections:literal)?) => {
        paper_row!("Tables 1 and 2", "condition": $name, "tasks": "88", "model": "davinci-instruct" =>
            "executable" = Number($executable), "correct" = Number($correct), "correct and executable" = Number($both),
            "similarity" = Number($similarity), "LCS" = Number($lcs), "kappa" = Number($kappa), "steps" = Number($steps)
            $(, "corrections" = Number($corrections))?)
    };
}

/// Tables 1 and 2; shares in percent.
pub const FIGURES: [PaperRow; 6] = [
    method!("open-loop": 78.35, 46.12, 36.08, 99.67, 24.72, 0.5934, 6.70),
    method!("resample": 96.59, 28.69, 28.69, 99.51, 22.48, 0.5510, 5.79, 4.08),
    method!("notion": 96.27, 30.11, 30.11, 99.46, 20.77, 0.6760, 5.22, 0.50),
    method!("inference": 96.45, 30.40, 30.40, 99.48, 20.77, 0.5658, 5.22, 0.53),
    method!("cause": 98.86, 41.76, 41.76, 99.83, 21.53, 0.6485, 4.11, 0.29),
    method!("cause-geometric": 97.73, 41.76, 41.76, 99.67, 20.21, 0.9416, 6.11, 0.90),
];
