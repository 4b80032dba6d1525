//! Matching by parts of words, for the palette and for completion; and how far apart two names are.

/// How well `query` matches `text`, case ignored: its characters in order, anywhere. Higher is better; `None` if it does not.
/// Runs of characters and beginnings of words count more; shorter texts win ties.
pub fn score(query: &str, text: &str) -> Option<i64> {
    let mut total: i64 = 0;
    let mut run = 0;
    let mut boundary = true;
    let mut wanted = query.chars().flat_map(char::to_lowercase).filter(|c| !c.is_whitespace()).peekable();
    let mut length = 0;
    for c in text.chars().flat_map(char::to_lowercase) {
        length += 1;
        if wanted.peek() == Some(&c) {
            wanted.next();
            run += 1;
            total += 4 * run + if boundary { 12 } else { 0 };
        } else if !c.is_whitespace() {
            // A space between two matched words does not break the run.
            run = 0;
        }
        boundary = !c.is_alphanumeric();
    }
    if wanted.peek().is_some() {
        return None;
    }
    if text.to_lowercase().contains(&query.to_lowercase()) {
        total += 40;
    }
    Some(total * 16 - length)
}

/// Indices of the texts that match, best first; ties keep their order. An empty query matches all.
pub fn rank<'a>(query: &str, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
    if query.trim().is_empty() {
        return texts.enumerate().map(|(i, _)| i).collect();
    }
    let mut found: Vec<(i64, usize)> =
        texts.enumerate().filter_map(|(i, t)| score(query.trim(), t).map(|s| (-s, i))).collect();
    found.sort_unstable();
    found.into_iter().map(|(_, i)| i).collect()
}

/// The number of single-character changes between two names (Levenshtein).
pub fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, ca) in a.chars().enumerate() {
        let mut diagonal = i;
        let mut left = i + 1;
        for (cb, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let here = (diagonal + usize::from(ca != *cb)).min(left + 1).min(*cell + 1);
            diagonal = *cell;
            *cell = here;
            left = here;
        }
        if let Some(first) = row.first_mut() {
            *first = i + 1;
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whole_words_beat_scattered_letters() {
        let texts = ["go to microwave 1", "take mug 1 from shelf 2", "go to mug tree 1"];
        let found = rank("mug", texts.iter().copied());
        assert_eq!(found.first(), Some(&2), "{found:?}");
        assert_eq!(rank("tk mg 1", texts.iter().copied()).first(), Some(&1));
        assert_eq!(rank("", texts.iter().copied()), vec![0, 1, 2]);
        assert!(rank("zzz", texts.iter().copied()).is_empty());
    }

    #[test]
    fn distance_counts_changes() {
        assert_eq!(distance("aprove", "approve"), 1);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("undo", "undo"), 0);
        assert_eq!(distance("kitten", "sitting"), 3);
    }
}
