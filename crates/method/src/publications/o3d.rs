//! O3D (Xiao et al. 2024).

use super::Publication;

pub(super) const ROWS: &[Publication] = &[];
