//! Names that are taken, and those to use in their place.

use std::path::{Path, PathBuf};

/// A file's path, then `NAME-2`, `NAME-3`, … beside it, each with the ending of the first.
pub fn numbered(path: &Path, ending: &str) -> impl Iterator<Item = PathBuf> + use<> {
    let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let (stem, ending) = name.strip_suffix(ending).map_or((name.as_str(), ""), |stem| (stem, ending));
    let (first, stem, ending) = (path.to_owned(), stem.to_owned(), ending.to_owned());
    let of = first.clone();
    let others = (2_u32..).map(move |n| of.with_file_name(format!("{stem}-{n}{ending}")));
    std::iter::once(first).chain(others)
}

/// The same with the file's own extension as the ending.
pub fn siblings(path: &Path) -> impl Iterator<Item = PathBuf> + use<> {
    let ending = path.extension().map_or_else(String::new, |ending| format!(".{}", ending.to_string_lossy()));
    numbered(path, &ending)
}

/// The first of them under which nothing is.
pub fn free(path: &Path, ending: &str) -> PathBuf {
    numbered(path, ending).find(|path| std::fs::symlink_metadata(path).is_err()).unwrap_or_else(|| path.to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_taken_name_gets_a_number_before_its_ending() {
        let folder = tempfile::tempdir().unwrap();
        let at = |name: &str| folder.path().join(name);
        assert_eq!(free(&at("a.x/r.jsonl"), ".jsonl"), at("a.x/r.jsonl"));
        for (name, ending, next) in
            [("r.jsonl", ".jsonl", "r-2.jsonl"), ("a.set.py", ".set.py", "a-2.set.py"), ("r", ".jsonl", "r-2")]
        {
            std::fs::write(at(name), "").unwrap();
            assert_eq!(free(&at(name), ending), at(next));
        }
        std::fs::write(at("r-2.jsonl"), "").unwrap();
        assert_eq!(free(&at("r.jsonl"), ".jsonl"), at("r-3.jsonl"));
        let next: Vec<PathBuf> = siblings(&at("a.set.py")).take(2).collect();
        assert_eq!(next, [at("a.set.py"), at("a.set-2.py")]);
    }
}
