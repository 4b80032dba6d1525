//! Recordings of O3D.

use super::{Exception, Folder};

pub(super) const FOLDERS: &[Folder] = &[];

pub(super) const EXCEPTIONS: &[Exception] = &[];
