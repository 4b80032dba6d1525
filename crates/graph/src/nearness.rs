//! Nearness of names: which known name was probably meant by one that is unknown.

/// The known names nearest to one that is unknown, best first, none that differs in more than a third.
pub fn nearest<'a>(name: &str, known: impl IntoIterator<Item = &'a str>, most: usize) -> Vec<&'a str> {
    let mut scored: Vec<(usize, &str)> = known.into_iter().map(|k| (strsim::levenshtein(name, k), k)).collect();
    scored.sort_unstable();
    scored.dedup();
    let limit = name.chars().count() / 3 + 1;
    scored.into_iter().filter(|(d, _)| *d <= limit).map(|(_, k)| k).take(most).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn the_nearest_come_first() {
        assert_eq!(super::nearest("fridg", ["bed", "fridge", "bridge"], 3), ["fridge", "bridge"]);
        assert!(super::nearest("fridge", ["bathtub"], 3).is_empty());
    }
}
