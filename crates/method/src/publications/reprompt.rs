//! Plans of free-form steps: Huang et al. 2022 and Raman et al. 2022 and 2024.

use super::{Publication, Row};

/// The weights and limits of these settings are those of `stepwright_plan::settings`.
const BY_NAME: &[Row] = &[Row { world: "", asks: &[], options: &[] }];
const METHODS: &[&str] = &["open-loop", "resample", "reprompt"];

pub(super) const ROWS: &[Publication] = &[
    Publication { id: "zero-shot", title: "Huang et al.: β 0.3, cut-off 0.8", methods: METHODS, rows: BY_NAME },
    Publication { id: "corrective", title: "Raman et al.: β 0.5, no cut-off", methods: METHODS, rows: BY_NAME },
];
