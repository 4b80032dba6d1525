//! Where the library is: the sessions of this machine, and a list of the files and folders that a person added, one a line.

use std::fs;
use std::path::{Path, PathBuf};

use stepwright_world::Kinds;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Shelf {
    pub sessions: PathBuf,
    /// The file of the list.
    pub list: PathBuf,
    /// The folder of the index.
    pub cache: PathBuf,
    /// The worlds there are: logs are read as theirs.
    pub worlds: Kinds,
}

impl Shelf {
    /// The files and folders that were added.
    pub fn added(&self) -> Vec<PathBuf> {
        let text = fs::read_to_string(&self.list).unwrap_or_default();
        text.lines().filter(|line| !line.trim().is_empty()).map(PathBuf::from).collect()
    }

    pub fn places(&self) -> Vec<PathBuf> {
        std::iter::once(self.sessions.clone()).chain(self.added()).collect()
    }

    /// Adds a file or folder, under its whole path; whether it was not there yet.
    pub fn add(&self, place: &Path) -> Result<bool, String> {
        let whole = place.canonicalize().map_err(|e| format!("{}: {e}", place.display()))?;
        let mut added = self.added();
        if added.contains(&whole) {
            return Ok(false);
        }
        if whole.to_str().is_none_or(|path| path.contains(['\n', '\r'])) {
            return Err(format!("{}: the list holds a path a line, in UTF-8; give it another name", place.display()));
        }
        added.push(whole);
        self.write(&added).map(|()| true)
    }

    /// Takes a file or folder out, by its whole path or as it was typed, also where it is gone; whether it was there.
    pub fn remove(&self, place: &Path) -> Result<bool, String> {
        let whole = whole(place);
        let mut added = self.added();
        let before = added.len();
        added.retain(|known| *known != whole && known != place);
        if added.len() == before {
            return Ok(false);
        }
        self.write(&added).map(|()| true)
    }

    fn write(&self, added: &[PathBuf]) -> Result<(), String> {
        let text: String = added.iter().map(|place| format!("{}\n", place.display())).collect();
        let folder = self.list.parent().map_or(Ok(()), stepwright_files::folder);
        let written = folder.and_then(|()| stepwright_files::replace(&self.list, text.as_bytes()));
        let list = self.list.display();
        written.map_err(|e| {
            format!("{list}: the library's list cannot be written: {e}; set STEPWRIGHT_STATE_DIR to a folder that can be written")
        })
    }
}

/// The whole path of a place as it was when it was there: of the folders above it those that are left say where links lead.
fn whole(place: &Path) -> PathBuf {
    let path = std::path::absolute(place).unwrap_or_else(|_| place.to_owned());
    let left = path.ancestors().find_map(|above| Some((above.canonicalize().ok()?, path.strip_prefix(above).ok()?)));
    left.map_or_else(|| path.clone(), |(above, below)| above.join(below))
}
