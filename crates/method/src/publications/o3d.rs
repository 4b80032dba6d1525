//! O3D (Xiao et al. 2024) and the methods that its Tables 1 and 2 compare it with, as its Section 4.1 runs them.

use super::row::{Publication, Row};

pub(super) const ROWS: &[Publication] = &[Publication {
    id: "o3d",
    title: "Xiao et al. 2024: O3D's comparison",
    methods: &["o3d", "react", "react-long", "reflexion"],
    rows: &[
        Row { world: "household", asks: &[], options: &[("limits", "o3d-30"), ("trials", "10")] },
        Row { world: "shop", asks: &[], options: &[("limits", "o3d-15"), ("trials", "3")] },
    ],
}];
