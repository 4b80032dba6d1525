//! Statler (Yoneda et al. 2023) and the methods it is compared with.

use super::Publication;

pub(super) const ROWS: &[Publication] = &[];
