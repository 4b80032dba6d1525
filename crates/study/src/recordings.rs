//! Files of recordings, found and read: JSON lines, plain or gzipped, one record at a time.

use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;

/// The largest file read, in bytes, after decompression.
pub(crate) const LARGEST: u64 = 1 << 30;

/// The files of a folder whose names are `wanted`, sorted; none if there is no such folder.
pub fn files(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten();
    let paths = entries.filter_map(|entry| entry.ok().map(|entry| entry.path()));
    let mut files: Vec<PathBuf> = paths.filter(|path| path.is_file() && wanted(&name_of(path))).collect();
    files.sort();
    files
}

/// The `.jsonl` and `.jsonl.gz` files of a folder whose names begin with `prefix`.
pub fn jsonl_files(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    files(folder, |name| name.starts_with(prefix) && (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz")))
}

/// The `.json` and `.json.gz` files of a folder whose names begin with `prefix`.
pub fn json_files(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    files(folder, |name| name.starts_with(prefix) && (name.ends_with(".json") || name.ends_with(".json.gz")))
}

/// A whole file, plain or gzipped.
pub fn text(file: &Path) -> Result<String, String> {
    stepwright_files::read_text(file, LARGEST).map_err(|e| format!("{}: {e}", file.display()))
}

pub fn document<T: DeserializeOwned>(file: &Path) -> Result<T, String> {
    serde_json::from_str(&text(file)?).map_err(|why| format!("{}: {why}", file.display()))
}

pub fn name_of(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// Gives every non-empty line's record with its place (`expert.jsonl:3`); one that cannot be read gives an error in words.
pub fn each_line<T: DeserializeOwned>(path: &Path, mut give: impl FnMut(String, Result<T, String>)) {
    let name = name_of(path);
    let lines = match stepwright_files::read_lines(path, LARGEST) {
        Ok(lines) => lines,
        Err(e) => return give(name, Err(e.to_string())),
    };
    for (i, line) in lines.enumerate() {
        let at = format!("{name}:{}", i + 1);
        match line {
            Ok(line) if line.trim().is_empty() => {}
            Ok(line) => give(at, serde_json::from_str(&line).map_err(|e| e.to_string())),
            Err(e) => return give(at, Err(e.to_string())),
        }
    }
}
