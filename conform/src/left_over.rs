//! Files left over: what lies in a topic's folder under a name that no comparison looks for is named, never passed in silence.

use std::path::Path;

use super::Row;
use stepwright_study::recordings::name_of;

/// The most files of a topic that are named one by one.
const NAMED: usize = 20;
/// The deepest folder that is looked into, and the most files in all.
const DEEPEST: usize = 8;
const MOST: usize = 100_000;

/// How names of recordings end; anything else (a README, a rule in words, a picture) is for people.
const ENDS: [&str; 5] = [".json", ".jsonl", ".gz", ".pddl", ".tw-pddl"];

/// A row for each file below the folder whose path is none of those that are looked at: a path; a folder, with all that is below it, where
/// it ends in `/`; a pattern with `*` for anything in that folder, or `**` for anything below it too.
pub(super) fn rows(folder: &Path, looked_at: &[&str]) -> Vec<Row> {
    let mut unknown = Vec::new();
    let mut left = vec![(folder.to_owned(), String::new(), 0)];
    let mut seen = 0;
    while let Some((folder, above, depth)) = left.pop() {
        for path in std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path())) {
            let own = format!("{above}{}", name_of(&path));
            if path.is_dir() {
                let within = format!("{own}/");
                if depth < DEEPEST && !looked_at.contains(&&*within) {
                    left.push((path, within, depth + 1));
                }
            } else if seen < MOST
                && !looked_at.iter().any(|pattern| fits(&own, pattern))
                && ENDS.iter().any(|end| own.ends_with(end))
            {
                unknown.push(own);
            }
            seen += 1;
        }
    }
    unknown.sort();
    let more = unknown.len().saturating_sub(NAMED);
    let named = unknown.drain(..).take(NAMED);
    let mut rows: Vec<Row> =
        named.map(|name| Row::missing(name, "records", "a file of no known layout: not compared")).collect();
    if more > 0 {
        rows.push(Row::missing(format!("{more} more files"), "records", "of no known layout: not compared"));
    }
    rows
}

pub(super) fn folders(folder: &Path, topics: &[&str]) -> Vec<Row> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().filter_map(|e| e.ok().map(|e| e.path()));
    let mut names: Vec<String> = entries.filter(|path| path.is_dir()).map(|path| name_of(&path)).collect();
    names.retain(|name| !topics.contains(&name.as_str()) && !name.starts_with('.'));
    names.sort();
    names
        .into_iter()
        .map(|name| Row::missing(format!("{name}/"), "records", "a folder of no known recordings: not compared"))
        .collect()
}

fn fits(path: &str, pattern: &str) -> bool {
    let Some((start, rest)) = pattern.split_once('*') else {
        return path == pattern || pattern.ends_with('/') && path.starts_with(pattern);
    };
    let depth = |path: &str| path.matches('/').count();
    if depth(path) != depth(pattern) && !pattern.contains("**") {
        return false;
    }
    // JSON lines are found by the beginnings of their names, packed or not.
    let path = path.strip_suffix(".gz").filter(|path| path.ends_with(".jsonl")).unwrap_or(path);
    let Some(mut path) = path.strip_prefix(start) else { return false };
    let (between, end) = rest.rsplit_once('*').map_or((None, rest), |(between, end)| (Some(between), end));
    for part in between.into_iter().flat_map(|between| between.split('*')) {
        let Some((_, after)) = path.split_once(part) else { return false };
        path = after;
    }
    path.ends_with(end)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_file_of_another_name_is_named_and_words_for_people_are_not() {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(folder.path().join("traces/deep")).unwrap();
        std::fs::create_dir_all(folder.path().join("other")).unwrap();
        for file in [
            "README.md", "games_more.jsonl", "games_packed.jsonl.gz", "games.json", "gamez.jsonl.gz",
            "traces/deep/x.jsonl", "other/y.json",
        ] {
            std::fs::write(folder.path().join(file), "").unwrap();
        }
        let named: Vec<String> =
            rows(folder.path(), &["games*.jsonl", "traces/"]).into_iter().map(|row| row.what).collect();
        assert_eq!(named, ["games.json", "gamez.jsonl.gz", "other/y.json"]);
        assert!(fits("a_pairs_b.jsonl", "*_pairs*.jsonl") && fits("x.jsonl", "x*.jsonl"));
        assert!(fits("a_pairs.jsonl.gz", "*_pairs*.jsonl") && !fits("pairs.jsonl", "*_pairs*.jsonl"));
        assert!(
            !fits("deep/x.jsonl", "*.jsonl") && fits("deep/x.jsonl", "**x.jsonl") && fits("a/x.jsonl", "*/x*.jsonl")
        );
        assert!(!fits("x.json.gz", "*.json") && fits("x.json.gz", "*.json.gz") && !fits("x.json_more", "x.json"));
    }
}
