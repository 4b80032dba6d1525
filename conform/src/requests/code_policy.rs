//! Recordings of policies of code.

use super::{Exception, Folder};

pub(super) const FOLDERS: &[Folder] = &[];

pub(super) const EXCEPTIONS: &[Exception] = &[];
