//! Blocking conditions, and ProgPrompt beside them.

use super::Publication;

pub(super) const ROWS: &[Publication] = &[];
