//! Matching by parts of words, for the palette and for completion.

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
}
