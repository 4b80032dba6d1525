//! Files, as all loaders read them: text, plain or gzipped; and finding the task a person means.

use std::io::ErrorKind;
use std::path::{Path, PathBuf};

use serde::de::DeserializeOwned;
use serde::{Deserialize, Deserializer};
use serde_json::Value;

use super::WorldError;

/// The largest file read, in bytes, after decompression.
const LARGEST: usize = 1 << 30;

pub fn data(path: &Path, message: &str) -> WorldError {
    WorldError::Data { path: path.display().to_string(), message: message.to_owned() }
}

/// The first line of JSON lines that is not empty; `None` of a text without one. Complaints name the place.
/// Errors: it is no JSON, so that nobody can tell what the file was to hold.
pub fn first_value(text: &str, origin: &str) -> Result<Option<Value>, WorldError> {
    let first = text.lines().enumerate().find(|(_, line)| !line.trim().is_empty());
    let Some((i, line)) = first else { return Ok(None) };
    serde_json::from_str(line).map(Some).map_err(|error| {
        let text = error.to_string();
        let what = text.split(" at line ").next().unwrap_or_default();
        let message = format!(
            "no JSON: {what} (column {}); correct the line, or take the file out of the folder",
            error.column()
        );
        WorldError::Data { path: format!("{origin}:{}", i + 1), message }
    })
}

/// Whether a value has the form whose own keys these are, though a field of it may be missing or wrong: it has several of them.
pub fn has_form(value: &Value, own: &[&str]) -> bool {
    own.iter().filter(|key| value.get(**key).is_some()).count() > 1
}

/// The lines of a text, each read with its number from 0; empty ones are passed over. Complaints name the place.
pub fn each_line<T>(
    text: &str,
    origin: &str,
    read: impl Fn(usize, &str) -> Result<T, String>,
) -> Result<Vec<T>, WorldError> {
    let read =
        |(i, line)| read(i, line).map_err(|message| WorldError::Data { path: format!("{origin}:{}", i + 1), message });
    text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()).map(read).collect()
}

/// The first of entries whose id one before it has: the id, where that one is, and where this one is.
pub fn second_of_an_id<'a, P: Copy>(entries: impl IntoIterator<Item = (&'a str, P)>) -> Option<(&'a str, P, P)> {
    let mut known = std::collections::HashMap::new();
    entries.into_iter().find_map(|(id, place)| known.insert(id, place).map(|first| (id, first, place)))
}

pub fn json_lines<T: DeserializeOwned>(text: &str, origin: &str) -> Result<Vec<T>, WorldError> {
    each_line(text, origin, |_, line| serde_json::from_str(line).map_err(|e| e.to_string()))
}

/// Reads a field of which null is the same as absent.
pub fn or_default<'de, D: Deserializer<'de>, T: Deserialize<'de> + Default>(from: D) -> Result<T, D::Error> {
    Option::deserialize(from).map(Option::unwrap_or_default)
}

/// Errors: there are more than may be, in words.
pub fn at_most(what: &str, count: usize, most: usize) -> Result<(), String> {
    if count <= most { Ok(()) } else { Err(format!("{what}: {count} is too many; at most {most} are possible")) }
}

pub fn name_of(path: &Path) -> String {
    path.file_name().map(|n| n.to_string_lossy().into_owned()).unwrap_or_default()
}

/// The entries of a folder, in no particular order.
pub fn children(folder: &Path) -> Result<Vec<PathBuf>, WorldError> {
    let entries = std::fs::read_dir(folder).map_err(|e| data(folder, &e.to_string()))?;
    let mut paths = Vec::new();
    for entry in entries {
        paths.push(entry.map_err(|e| data(folder, &e.to_string()))?.path());
    }
    Ok(paths)
}

pub fn is_json_lines(path: &Path) -> bool {
    let name = name_of(path);
    path.is_file() && (name.ends_with(".jsonl") || name.ends_with(".jsonl.gz"))
}

/// Reads a text file, decompressing `.gz`; too large a file is an error and not a full memory.
pub fn read_text(path: &Path) -> Result<String, WorldError> {
    read_at_most(path, LARGEST)
}

/// As [`read_text`], for files of which no good one is larger than `most` bytes; no more of it is read.
pub fn read_at_most(path: &Path, most: usize) -> Result<String, WorldError> {
    stepwright_files::read_text(path, most as u64).map_err(|error| unread(path, most, &error))
}

/// A file that may be no text.
pub fn read_bytes(path: &Path) -> Result<Vec<u8>, WorldError> {
    stepwright_files::read_bytes(path, LARGEST as u64).map_err(|error| unread(path, LARGEST, &error))
}

fn unread(path: &Path, most: usize, error: &std::io::Error) -> WorldError {
    let why = match error.kind() {
        ErrorKind::FileTooLarge => format!("the file is larger than {} MiB; split it, or name another", most >> 20),
        _ => error.to_string(),
    };
    data(path, &why)
}

pub fn files_in(folder: &Path, is_wanted: impl Fn(&Path) -> bool) -> Result<Vec<PathBuf>, WorldError> {
    let mut files: Vec<PathBuf> = children(folder)?.into_iter().filter(|path| is_wanted(path)).collect();
    files.sort();
    Ok(files)
}

/// Whether it is a file whose name ends so (`json`).
pub fn ends_with(path: &Path, endings: &[&str]) -> bool {
    path.is_file() && path.extension().is_some_and(|end| endings.iter().any(|e| end == *e))
}

/// The full id that a person's abbreviation stands for: the id itself, or the only one that begins, ends or contains it.
pub fn resolve<'a, I>(ids: impl Fn() -> I, wanted: &str) -> Result<&'a str, WorldError>
where
    I: Iterator<Item = &'a str>,
{
    if let Some(exact) = ids().find(|id| *id == wanted) {
        return Ok(exact);
    }
    let tests: [fn(&str, &str) -> bool; 3] =
        [|id, w| id.starts_with(w), |id, w| id.ends_with(w), |id, w| id.contains(w)];
    for test in tests.iter().filter(|_| !wanted.is_empty()) {
        let mut found = ids().filter(|id| test(id, wanted));
        if let (Some(only), None) = (found.next(), found.next()) {
            return Ok(only);
        }
    }
    let matches: Vec<String> =
        ids().filter(|id| !wanted.is_empty() && id.contains(wanted)).map(str::to_owned).collect();
    if matches.is_empty() {
        return Err(no_such_task(ids(), wanted));
    }
    Err(WorldError::AmbiguousTask { part: wanted.to_owned(), matches })
}

/// The error that names the ids nearest to one that is not there.
pub fn no_such_task<'a>(ids: impl Iterator<Item = &'a str>, wanted: &str) -> WorldError {
    WorldError::NoSuchTask { id: wanted.to_owned(), nearest: nearest_ids(ids, wanted) }
}

/// The three ids nearest to one that is not there: those with most of its words, of these those that are spelt most like it.
pub fn nearest_ids<'a>(ids: impl Iterator<Item = &'a str>, wanted: &str) -> Vec<String> {
    let brief = |text: &str| text.chars().take(LONGEST_COMPARED).collect::<String>();
    let asked = brief(wanted);
    let mut ranked: Vec<(usize, usize, &str)> =
        ids.map(|id| (unlikeness(id, &asked), strsim::osa_distance(&brief(id), &asked), id)).collect();
    ranked.sort();
    ranked.into_iter().take(3).map(|(.., id)| id.to_owned()).collect()
}

/// Most characters of an id that are compared letter by letter.
const LONGEST_COMPARED: usize = 100;

/// How unlike an id is to what was asked for: the number of asked words (split at punctuation) that it lacks.
fn unlikeness(id: &str, wanted: &str) -> usize {
    let id = id.to_lowercase();
    let wanted = wanted.to_lowercase();
    wanted.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty() && !id.contains(w)).count()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_of_several_ids_is_ambiguous_and_not_missing() {
        let ids = || ["bank-01", "bank-010", "bank-02", "toy-1"].into_iter();
        assert_eq!(resolve(ids, "bank-01").unwrap(), "bank-01", "a whole id is meant where it is one");
        assert_eq!(resolve(ids, "02").unwrap(), "bank-02");
        let error = resolve(ids, "bank-").unwrap_err().to_string();
        assert_eq!(error, "`bank-` is part of 3 ids: bank-01, bank-010, bank-02; name more of the one you mean");
        assert!(resolve(ids, "shop").unwrap_err().to_string().starts_with("no task `shop`"));
        assert!(matches!(resolve(ids, ""), Err(WorldError::NoSuchTask { .. })));
        let spelt = nearest_ids(["galley/apple", "galley/coffee", "galley/mug"].into_iter(), "galley/cofee");
        assert_eq!(spelt.first().map(String::as_str), Some("galley/coffee"));
        let many: Vec<String> = (10..30).map(|n| format!("t-{n}")).collect();
        let error = resolve(|| many.iter().map(String::as_str), "t-").unwrap_err().to_string();
        assert!(error.contains("part of 20 ids: t-10, ") && error.contains("t-17 and 12 more"), "{error}");
    }
}
