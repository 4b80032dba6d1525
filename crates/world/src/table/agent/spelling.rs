//! Words that are misspelt: the nearest word a reader knows, where there is exactly one.

/// The known word that `word` is most likely meant to be; `None` if it is too far from all, or as near to two.
///
/// One edit (a letter more, less, other, or two swapped) in words of four to seven letters, two in longer ones. Shorter words are
/// left alone: too many of them are one letter apart.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> Option<&'a str> {
    let length = word.chars().count();
    let allowed = match length {
        0..=3 => return None,
        4..=7 => 1,
        _ => 2,
    };
    let mut best: Option<(usize, &str)> = None;
    let mut tied = false;
    for candidate in known.filter(|candidate| candidate.chars().count() >= 4) {
        let distance = strsim::damerau_levenshtein(word, candidate);
        match best {
            Some((least, other)) if distance == least && other != candidate => tied = true,
            Some((least, _)) if distance >= least => {}
            _ if distance <= allowed => (best, tied) = (Some((distance, candidate)), false),
            _ => {}
        }
    }
    best.filter(|_| !tied).map(|(_, candidate)| candidate)
}

#[cfg(test)]
mod tests {
    use super::nearest;

    #[test]
    fn swapped_missing_and_surplus_letters_are_mended() {
        let known = ["block", "black", "third", "weight", "identical"];
        assert_eq!(nearest("blcok", known.into_iter()), Some("block"));
        assert_eq!(nearest("thrid", known.into_iter()), Some("third"));
        assert_eq!(nearest("weigth", known.into_iter()), Some("weight"));
        assert_eq!(nearest("idnetcal", known.into_iter()), Some("identical"));
    }

    #[test]
    fn what_is_as_near_to_two_words_or_near_to_none_is_left_alone() {
        let known = ["block", "black"];
        assert_eq!(nearest("blck", known.into_iter()), None);
        assert_eq!(nearest("wooden", known.into_iter()), None);
        assert_eq!(nearest("blu", known.into_iter()), None);
    }
}
