//! Policies of code: AdaPlanner and Demo2Code.

use super::Publication;

pub(super) const ROWS: &[Publication] = &[];
