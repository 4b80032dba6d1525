//! The index: of each file of the library its contents, in a file of its own in the cache. A file is read again when its size or time is
//! another and its digest too. A damaged file is said and skipped, a damaged entry made anew; entries are replaced whole, so that several
//! programs may read and write at once.

use std::cmp::Reverse;
use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::fs;
use std::io::{ErrorKind, Read};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::SystemTime;

use serde::{Deserialize, Serialize};
use sha2::{Digest, Sha256};

use super::contents::Contents;
use stepwright_episode::log;
use stepwright_text::words::count;
use stepwright_world::{Kinds, WorldKind, problems, read_logs};

/// The version of what is kept; another one's entries are made anew.
const VERSION: u32 = 8;
/// The endings of files that may be logs. What they are their contents say.
const ENDINGS: [&str; 6] = ["jsonl", "json", "eval", "txt", "log", "md"];
/// Folders within each other that are looked into.
const DEEPEST: usize = 16;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
struct Stamp {
    bytes: u64,
    /// When it was written to, in nanoseconds of Unix time.
    time: u128,
}

#[derive(Serialize, Deserialize)]
struct Entry {
    version: u32,
    path: PathBuf,
    stamp: Stamp,
    digest: String,
    contents: Contents,
}

/// The files of the library and what is in them.
#[derive(Debug, Default)]
pub struct Index {
    cache: PathBuf,
    pub(crate) worlds: Kinds,
    known: BTreeMap<PathBuf, (Stamp, Arc<Contents>)>,
    /// The files that hold a session of which another file holds all: an episode counts once. And what is said of them.
    copies: BTreeSet<PathBuf>,
    passed_over: Option<String>,
    /// The folders that could not be looked into, and the files that cannot be named in an index, in words.
    left_out: Vec<String>,
    /// What could not be kept, in words.
    pub problem: Option<String>,
}

impl Index {
    /// None read yet; what is read is kept in that folder, and logs are read as those of these worlds.
    pub fn new(cache: PathBuf, worlds: Kinds) -> Self {
        Index { cache, worlds, ..Index::default() }
    }

    /// Reads what is new in these files and folders, and forgets what is gone; whether anything is other than it was. `progress` is told
    /// how many files of how many are done, and stops it by false.
    pub fn refresh(&mut self, places: &[PathBuf], progress: &mut dyn FnMut(usize, usize) -> bool) -> bool {
        let Walk { found, left_out, .. } = walk(places);
        let files: Vec<(PathBuf, Stamp)> = found.into_iter().collect();
        let mut changed = self.left_out != left_out;
        self.left_out = left_out;
        let wanted: BTreeSet<&PathBuf> = files.iter().map(|(path, _)| path).collect();
        let gone: Vec<PathBuf> = self.known.keys().filter(|path| !wanted.contains(path)).cloned().collect();
        for path in gone {
            (changed, _) = (true, self.known.remove(&path));
        }
        for (at, (path, stamp)) in files.iter().enumerate() {
            if !progress(at, files.len()) {
                break;
            }
            if self.known.get(path).is_some_and(|(known, _)| known == stamp) {
                continue;
            }
            changed = true;
            let contents = self.contents(path, *stamp);
            self.known.insert(path.clone(), (*stamp, Arc::new(contents)));
        }
        if changed {
            self.tell_copies();
        }
        changed
    }

    /// Finds the files that hold nothing but what another file of the same session holds.
    fn tell_copies(&mut self) {
        let mut sessions: BTreeMap<&str, Vec<(&PathBuf, &Contents)>> = BTreeMap::new();
        let all = self.known.iter().filter(|(_, (_, contents))| !contents.session.is_empty());
        for (path, (_, contents)) in all {
            sessions.entry(&contents.session).or_default().push((path, &**contents));
        }
        let mut copies: BTreeMap<PathBuf, PathBuf> = BTreeMap::new();
        for mut same in sessions.into_values().filter(|same| same.len() > 1) {
            same.sort_by_key(|(_, contents)| Reverse(contents.decisions()));
            let mut whole: Vec<(&PathBuf, &Contents)> = Vec::new();
            for (path, contents) in same {
                match whole.iter().find(|(_, whole)| whole.covers(contents)) {
                    Some((of, _)) => drop(copies.insert(path.clone(), (*of).clone())),
                    None => whole.push((path, contents)),
                }
            }
        }
        self.passed_over = copies.first_key_value().map(|(copy, of)| {
            let (all, copy, of) = (count(copies.len(), "copy"), copy.display(), of.display());
            format!("{all} of sessions passed over, so that each episode counts once: {copy} is one of {of}")
        });
        self.copies = copies.into_keys().collect();
    }

    /// What a file holds: as it is kept, or read now.
    fn contents(&mut self, path: &Path, stamp: Stamp) -> Contents {
        let place = self.cache.join(format!("{}.json", &hex(path.as_os_str().as_encoded_bytes())[..32]));
        let kept = fs::read(&place).ok().and_then(|bytes| serde_json::from_slice::<Entry>(&bytes).ok());
        let kept = kept.filter(|kept| kept.version == VERSION && kept.path == path);
        let kept = match kept {
            Some(kept) if kept.stamp == stamp => return kept.contents,
            kept => kept,
        };
        let digest = match digest(path) {
            Ok(digest) => digest,
            Err(e) => return Contents::unreadable(format!("{}: {e}", path.display())),
        };
        let same = kept.filter(|kept| kept.digest == digest);
        let contents = same.map_or_else(|| read(path, &self.worlds), |kept| kept.contents);
        let entry = Entry { version: VERSION, path: path.to_owned(), stamp, digest, contents };
        if let Err(e) = keep(&self.cache, &place, &entry) {
            self.problem = Some(format!("the index cannot be kept in {}: {e}", self.cache.display()));
        }
        entry.contents
    }

    /// Drops the entries of files that are none of the library's any more.
    pub fn prune(&self) {
        let own: BTreeSet<String> = self.known.keys().map(|path| hex(path.as_os_str().as_encoded_bytes())).collect();
        let owned =
            |name: &str| own.iter().any(|hex| name.strip_suffix(".json").is_some_and(|stem| hex.starts_with(stem)));
        for entry in fs::read_dir(&self.cache).into_iter().flatten().flatten() {
            if entry.file_name().to_str().is_some_and(|name| name.ends_with(".json") && !owned(name)) {
                // What stays is found and dropped the next time.
                let _ = fs::remove_file(entry.path());
            }
        }
    }

    /// The files, in order, with what is in them; copies of sessions are passed over.
    pub fn files(&self) -> impl Iterator<Item = (&Path, &Arc<Contents>)> {
        let own = self.known.iter().filter(|(path, _)| !self.copies.contains(*path));
        own.map(|(path, (_, contents))| (path.as_path(), contents))
    }

    /// What could not be read or kept, and what was passed over, in words.
    pub fn problems(&self) -> Vec<&str> {
        let own = self.known.values().flat_map(|(_, contents)| &contents.problems);
        own.chain(&self.left_out).chain(&self.problem).chain(&self.passed_over).map(String::as_str).collect()
    }
}

/// The files of these places that may be logs, with their stamps; a place may be a file itself.
fn walk(places: &[PathBuf]) -> Walk {
    let mut walk = Walk::default();
    places.iter().for_each(|place| walk.go(place, 0));
    while let Some((link, depth)) = walk.links.pop_front() {
        walk.go(&link, depth);
    }
    walk
}

/// A walk through places. What several paths lead to counts once, by the path without links where one of them has none: a link may lead to
/// a folder that it is in.
#[derive(Default)]
struct Walk {
    found: BTreeMap<PathBuf, Stamp>,
    /// Folders and files that were come to, by their whole paths.
    known: BTreeSet<PathBuf>,
    /// Links that are still to be followed, and how deep they stand.
    links: VecDeque<(PathBuf, usize)>,
    left_out: Vec<String>,
}

impl Walk {
    fn go(&mut self, path: &Path, depth: usize) {
        let about = match fs::metadata(path) {
            Ok(about) => about,
            Err(e) if e.kind() == ErrorKind::PermissionDenied => {
                return self.left_out.push(format!("{}: it cannot be looked at: {e}", path.display()));
            }
            // Of a place that is gone the list says it, and a link to nothing is nobody's.
            Err(_) => return,
        };
        if about.is_file() {
            let ending = path.extension().map(|ending| ending.to_string_lossy().to_lowercase());
            let is_log = depth == 0 || ending.is_some_and(|ending| ENDINGS.contains(&ending.as_str()));
            if is_log && path.to_str().is_none() {
                let why = "its name is no text in UTF-8, as the index needs it; give it another name";
                return self.left_out.push(format!("{}: {why}", path.display()));
            }
            if is_log && self.is_new(path) {
                let since = about.modified().ok().and_then(|time| time.duration_since(SystemTime::UNIX_EPOCH).ok());
                let stamp = Stamp { bytes: about.len(), time: since.unwrap_or_default().as_nanos() };
                self.found.insert(path.to_owned(), stamp);
            }
            return;
        }
        if !about.is_dir() || depth > DEEPEST || !self.is_new(path) {
            return;
        }
        let shown = |entry: &fs::DirEntry| !entry.file_name().as_encoded_bytes().starts_with(b".");
        let all = match fs::read_dir(path) {
            Ok(all) => all,
            Err(e) => return self.left_out.push(format!("{}: the folder cannot be read: {e}", path.display())),
        };
        let mut entries: Vec<_> = all.flatten().filter(shown).collect();
        // So that it is the same path each time.
        entries.sort_by_key(fs::DirEntry::file_name);
        for entry in entries {
            if entry.file_type().is_ok_and(|kind| kind.is_symlink()) {
                self.links.push_back((entry.path(), depth + 1));
            } else {
                self.go(&entry.path(), depth + 1);
            }
        }
    }

    fn is_new(&mut self, path: &Path) -> bool {
        path.canonicalize().is_ok_and(|whole| self.known.insert(whole))
    }
}

fn read(path: &Path, worlds: &[&'static WorldKind]) -> Contents {
    if log::is_session(path) {
        return match log::load(path) {
            Ok(loaded) => Contents::of_session(&loaded.session),
            Err(e) => Contents::unreadable(e.to_string()),
        };
    }
    match read_logs(path) {
        Ok(read) => Contents::of_logs(&read.all, problems(&read, path), worlds),
        Err(e) => Contents::unreadable(e.to_string()),
    }
}

fn keep(folder: &Path, place: &Path, entry: &Entry) -> std::io::Result<()> {
    stepwright_files::folder(folder)?;
    // What is lost here is made anew, so nothing waits for the disk.
    let beside = tempfile::NamedTempFile::new_in(folder)?;
    serde_json::to_writer(std::io::BufWriter::new(beside.as_file()), entry)?;
    beside.persist(place).map(drop).map_err(|e| e.error)
}

fn digest(path: &Path) -> std::io::Result<String> {
    let (mut file, mut sum, mut buffer) = (fs::File::open(path)?, Sha256::new(), vec![0; 1 << 16]);
    loop {
        match file.read(&mut buffer)? {
            0 => return Ok(shown(&sum.finalize())),
            n => sum.update(buffer.get(..n).unwrap_or_default()),
        }
    }
}

fn hex(bytes: &[u8]) -> String {
    shown(&Sha256::digest(bytes))
}

fn shown(digest: &[u8]) -> String {
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
