//! Recordings of Statler and of the methods it is compared with.

use super::{Exception, Folder};

pub(super) const FOLDERS: &[Folder] = &[];

pub(super) const EXCEPTIONS: &[Exception] = &[];
