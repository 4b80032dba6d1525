//! Recordings of plans of free-form steps: open loop, re-sampling, re-prompting.

use super::{Exception, Folder};

pub(super) const FOLDERS: &[Folder] = &[];

pub(super) const EXCEPTIONS: &[Exception] = &[];
