//! Plans of free-form steps: Huang et al. 2022 and Raman et al. 2022 to 2024. Weights, limits and parameters are those of
//! `stepwright_plan::settings`, by the id; here is that prompts are text that a model continues.

use super::row::{Asked, Interface, Publication, Row};

const TEXT: &[Row] =
    &[Row { world: "", asks: &[("", Asked { interface: Some(Interface::Text), ..Asked::NOTHING })], options: &[] }];

const fn of(id: &'static str, title: &'static str) -> Publication {
    Publication { id, title, methods: &["open-loop", "resample", "reprompt"], rows: TEXT }
}

pub(super) const ROWS: &[Publication] = &[
    of("zero-shot", "Huang et al. 2022, notebook: β 0.3, cut-off 0.8"),
    of("zero-shot-readme", "Huang et al. 2022, evaluation: 8 tokens, 15 steps"),
    of("corrective", "as corrective-2022"),
    of("corrective-2022", "Raman et al., October 2022: cut-off 0.7"),
    of("corrective-2023", "Raman et al., January 2023: S_g, cut-off 0.5"),
    of("corrective-2024", "Raman et al., 2024: S_g, cut-off 0.45"),
];
