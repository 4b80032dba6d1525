//! Recordings of blocking conditions and of ProgPrompt.

use super::{Exception, Folder};

pub(super) const FOLDERS: &[Folder] = &[];

pub(super) const EXCEPTIONS: &[Exception] = &[];
