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

/// Indices of the texts that match, best first; ties keep their order. An empty query matches all. Where texts hold each word of the query,
/// those in which its letters only stand scattered are left out.
pub fn rank<'a>(query: &str, texts: impl Iterator<Item = &'a str>) -> Vec<usize> {
    if query.trim().is_empty() {
        return texts.enumerate().map(|(i, _)| i).collect();
    }
    let words = query.to_lowercase();
    let is_scattered = |text: &str| {
        let text = text.to_lowercase();
        !words.split_whitespace().all(|word| text.contains(word))
    };
    let ranked = |(i, text)| score(query.trim(), text).map(|score| (is_scattered(text), -score, i));
    let mut found: Vec<(bool, i64, usize)> = texts.enumerate().filter_map(ranked).collect();
    found.sort_unstable();
    let scattered = found.first().is_some_and(|(scattered, ..)| *scattered);
    found.into_iter().take_while(|(of, ..)| *of == scattered).map(|(.., i)| i).collect()
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
        let scattered = ["move a cup along", "put a mug 1", "put a MUG in bin 1"];
        assert_eq!(rank("mug", scattered.iter().copied()), [1, 2]);
        assert_eq!(rank("mug 1", scattered.iter().copied()), [1, 2]);
        assert_eq!(rank("mcg", scattered.iter().copied()), [0], "where no text holds it they are all there is");
    }
}
