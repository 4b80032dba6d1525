//! Word pieces of a sentence: BERT's uncased tokenisation over a small vocabulary. What a piece means is left to the table.

use rustc_hash::FxHashMap;

/// Longest word that is taken apart; a longer one is no word.
const LONGEST: usize = 100;

const CONTINUES: &str = "##";

/// The pieces by their text. Those that begin a word and those that continue one are apart, so that no key is made at a look-up.
pub(crate) struct Vocabulary {
    begin: FxHashMap<&'static str, u32>,
    continuing: FxHashMap<&'static str, u32>,
}

impl Vocabulary {
    pub(crate) fn new(lines: &'static str) -> Self {
        let mut vocabulary = Self { begin: FxHashMap::default(), continuing: FxHashMap::default() };
        for (index, piece) in (0u32..).zip(lines.lines()) {
            match piece.strip_prefix(CONTINUES) {
                Some(rest) => vocabulary.continuing.insert(rest, index),
                None => vocabulary.begin.insert(piece, index),
            };
        }
        vocabulary
    }

    pub(crate) fn len(&self) -> usize {
        self.begin.len() + self.continuing.len()
    }

    /// The pieces of a sentence. Punctuation and words that cannot be put together from pieces give none.
    pub(crate) fn pieces(&self, sentence: &str) -> Vec<u32> {
        let mut out = Vec::new();
        let plain = sentence.chars().flat_map(plain).collect::<String>();
        for word in plain.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty() && w.len() <= LONGEST) {
            let known = out.len();
            if !self.word(word, &mut out) {
                out.truncate(known);
            }
        }
        out
    }

    /// Longest match first; false when some part of the word is no piece.
    fn word(&self, word: &str, out: &mut Vec<u32>) -> bool {
        let mut rest = word;
        while !rest.is_empty() {
            let pieces = if rest.len() == word.len() { &self.begin } else { &self.continuing };
            let ends = rest.char_indices().map(|(at, c)| at + c.len_utf8()).rev();
            let Some((end, index)) = ends.filter_map(|end| Some((end, *pieces.get(rest.get(..end)?)?))).next() else {
                return false;
            };
            out.push(index);
            rest = rest.get(end..).unwrap_or_default();
        }
        true
    }
}

/// A character in lower case, the accents of Latin letters off.
fn plain(c: char) -> impl Iterator<Item = char> {
    c.to_lowercase().map(|c| match c {
        'à' | 'á' | 'â' | 'ã' | 'ä' | 'å' | 'ā' => 'a',
        'ç' | 'ć' | 'č' => 'c',
        'è' | 'é' | 'ê' | 'ë' | 'ē' => 'e',
        'ì' | 'í' | 'î' | 'ï' | 'ī' => 'i',
        'ñ' | 'ń' => 'n',
        'ò' | 'ó' | 'ô' | 'õ' | 'ö' | 'ō' => 'o',
        'ù' | 'ú' | 'û' | 'ü' | 'ū' => 'u',
        'ý' | 'ÿ' => 'y',
        other => other,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const LINES: &str = "cup\ncupboard\nb\n##oard\n##s\ncaf\n##e\n";

    #[test]
    fn the_longest_piece_wins_and_an_unknown_word_gives_nothing() {
        let vocabulary = Vocabulary::new(LINES);
        assert_eq!(vocabulary.len(), 7);
        assert_eq!(vocabulary.pieces("Cup, CUPBOARD!"), [0, 1]);
        assert_eq!(vocabulary.pieces("cups boards"), [0, 4, 2, 3, 4]);
        assert_eq!(vocabulary.pieces("café"), [5, 6]);
        assert_eq!(vocabulary.pieces("cupx xcup cup_s"), [0], "a word with an unknown end is left out whole");
        assert!(vocabulary.pieces("").is_empty() && vocabulary.pieces("\u{0}—…").is_empty());
    }

    #[test]
    fn a_very_long_word_is_bounded_work() {
        let vocabulary = Vocabulary::new(LINES);
        assert!(vocabulary.pieces(&"cup".repeat(100_000)).is_empty());
    }
}
