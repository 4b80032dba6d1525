//! Tokeniser: words by the rules of Unicode's annex 29 in the form that Lucene 8's standard tokeniser gives them, with emoji
//! as tokens. At each place the longest token is taken; what begins none is passed over.

use super::unicode::{Class, class, is_pictograph, is_skin_tone, is_south_east_asian, takes_skin_tone};

/// The longest token, in UTF-16 units; what is behind them is not looked at.
const LONGEST: usize = 255;
const JOINER: char = '\u{200D}';
const AS_TEXT: char = '\u{FE0E}';
const AS_EMOJI: char = '\u{FE0F}';
const KEY_CAP: char = '\u{20E3}';

pub fn tokens(text: &str) -> impl Iterator<Item = &str> {
    Tokens { text, at: 0 }
}

struct Tokens<'a> {
    text: &'a str,
    at: usize,
}

impl<'a> Iterator for Tokens<'a> {
    type Item = &'a str;

    fn next(&mut self) -> Option<&'a str> {
        loop {
            let here = self.at;
            let first = self.text.get(here..)?.chars().next()?;
            let kind = class(first);
            let end = if first == ' ' { here } else { self.end(here, first, kind) };
            if end == here {
                self.at = here + first.len_utf8();
                continue;
            }
            self.at = end;
            return self.text.get(here..end);
        }
    }
}

impl Tokens<'_> {
    fn char_at(&self, at: usize) -> Option<char> {
        let byte = *self.text.as_bytes().get(at)?;
        if byte.is_ascii() { Some(char::from(byte)) } else { self.text.get(at..)?.chars().next() }
    }

    /// The class of the character there and where the next one begins, with all that extends it.
    fn extended(&self, at: usize) -> Option<(Class, usize)> {
        let c = self.char_at(at)?;
        Some((class(c), self.past_extending(at + c.len_utf8())))
    }

    fn past_extending(&self, mut at: usize) -> usize {
        while let Some(c) = self.char_at(at).filter(|c| !c.is_ascii() && class(*c) == Class::Extends) {
            at += c.len_utf8();
        }
        at
    }

    /// The end of the token at a place: of the longest among as many characters as a token may have.
    fn end(&self, start: usize, first: char, kind: Class) -> usize {
        let end = self.longest(start, first, kind);
        if end - start <= LONGEST {
            return end;
        }
        let mut units = 0;
        let is_behind = |c: char| {
            units += c.len_utf16();
            units > LONGEST
        };
        let Some(most) = self.text.get(start..end).and_then(|token| token.find(is_behind)) else { return end };
        Tokens { text: self.text.get(..start + most).unwrap_or_default(), at: start }.longest(start, first, kind)
    }

    /// The end of the longest token at a place; the place itself if none begins there.
    fn longest(&self, at: usize, first: char, kind: Class) -> usize {
        let emoji = if matches!(first, '#' | '*' | '0'..='9') || !first.is_ascii() { self.emoji(at) } else { at };
        let own = match kind {
            Class::Letter | Class::Hebrew | Class::Digit | Class::Katakana | Class::Join => self.word(at),
            Class::Han | Class::Hiragana => self.extended(at).map_or(at, |(_, end)| end),
            Class::SouthEastAsian => self.run(at, Class::SouthEastAsian),
            // A mark that nothing stands before begins a token as a letter of its script does.
            Class::Extends if is_south_east_asian(first) => {
                self.extended(at).map_or(at, |(_, end)| self.run(end, Class::SouthEastAsian))
            }
            _ => at,
        };
        own.max(emoji)
    }

    fn run(&self, mut at: usize, of: Class) -> usize {
        while let Some((_, end)) = self.extended(at).filter(|(class, _)| *class == of) {
            at = end;
        }
        at
    }

    /// Letters, digits and what joins them; katakana by itself or joined by low lines.
    fn word(&self, start: usize) -> usize {
        let mut at = self.run(start, Class::Join);
        let Some((mut last, mut end)) = self.extended(at).filter(|(class, _)| begins(*class)) else { return start };
        loop {
            at = end;
            let Some((next, after)) = self.extended(at) else { return end };
            let following = || self.extended(after);
            (last, end) = match next {
                Class::Join => {
                    let joined = self.run(at, Class::Join);
                    match self.extended(joined).filter(|(class, _)| begins(*class)) {
                        Some((class, end)) => (class, end),
                        None => return joined,
                    }
                }
                Class::Katakana if last == Class::Katakana => (next, after),
                Class::Letter | Class::Hebrew | Class::Digit if last != Class::Katakana => (next, after),
                Class::MidLetter | Class::MidBoth | Class::Apostrophe if last.is_letter() => {
                    match following().filter(|(class, _)| class.is_letter()) {
                        Some(found) if last == Class::Hebrew && next == Class::Apostrophe => found,
                        // What is joined to a letter ends there: a Hebrew one takes no quote.
                        Some((_, end)) => (Class::Letter, end),
                        None if last == Class::Hebrew && next == Class::Apostrophe => (Class::Apostrophe, after),
                        None => return end,
                    }
                }
                Class::MidDigit | Class::MidBoth | Class::Apostrophe if last == Class::Digit => {
                    match following().filter(|(class, _)| *class == Class::Digit) {
                        Some(found) => found,
                        None => return end,
                    }
                }
                Class::Quotation if last == Class::Hebrew => {
                    match following().filter(|(class, _)| *class == Class::Hebrew) {
                        Some((_, end)) => (Class::Quotation, end),
                        None => return end,
                    }
                }
                _ => return end,
            };
        }
    }

    /// A pictograph with its variations and joined pictographs, a key cap, or a flag.
    fn emoji(&self, start: usize) -> usize {
        let Some(first) = self.char_at(start) else { return start };
        if class(first) == Class::Flag {
            let second = self.extended(start).map_or(start, |(_, end)| end);
            return match self.extended(second) {
                Some((Class::Flag, end)) => end,
                _ => start,
            };
        }
        if matches!(first, '#' | '*' | '0'..='9') {
            let at = self.past_extending_pictograph(start + first.len_utf8());
            let capped = at + AS_EMOJI.len_utf8();
            return match (self.char_at(at), self.char_at(capped)) {
                (Some(AS_EMOJI), Some(KEY_CAP)) => self.past_extending_pictograph(capped + KEY_CAP.len_utf8()),
                _ if self.text.get(start..at).is_some_and(|read| read.contains(KEY_CAP)) => at,
                _ => start,
            };
        }
        let mut end = start;
        let mut at = start;
        while let Some(found) = self.pictograph(at) {
            end = found;
            // A joiner that ends what was read, or the next character, leads on to another pictograph.
            let joined = self.text.get(start..end).is_some_and(|read| read.ends_with(JOINER));
            at = end;
            if self.char_at(at) == Some(JOINER) {
                at += JOINER.len_utf8();
            } else if !joined {
                break;
            }
        }
        end
    }

    /// One pictograph with what extends it, a skin tone among that.
    fn pictograph(&self, start: usize) -> Option<usize> {
        let mut at = start;
        while self.char_at(at) == Some(JOINER) {
            at += JOINER.len_utf8();
        }
        let c = self.char_at(at)?;
        if is_skin_tone(c) {
            // By itself it takes no joiners before it.
            return (at == start).then(|| self.past_extending_pictograph(at + c.len_utf8()));
        }
        if !is_pictograph(c) {
            return None;
        }
        at = self.past_extending_pictograph(at + c.len_utf8());
        match self.char_at(at) {
            Some(tone) if is_skin_tone(tone) && takes_skin_tone(c) => {
                Some(self.past_extending_pictograph(at + tone.len_utf8()))
            }
            Some(AS_EMOJI) => Some(at + AS_EMOJI.len_utf8()),
            _ => Some(at),
        }
    }

    /// The end of the characters that extend a pictograph: all that extend a character, but the two presentation
    /// selectors.
    fn past_extending_pictograph(&self, mut at: usize) -> usize {
        while let Some(c) =
            self.char_at(at).filter(|&c| !c.is_ascii() && c != AS_TEXT && c != AS_EMOJI && class(c) == Class::Extends)
        {
            at += c.len_utf8();
        }
        at
    }
}

/// Whether a word, or a part of one after low lines, can begin with the class.
fn begins(class: Class) -> bool {
    matches!(class, Class::Letter | Class::Hebrew | Class::Digit | Class::Katakana)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(text: &str) -> Vec<&str> {
        tokens(text).collect()
    }

    #[test]
    fn words_numbers_and_what_joins_them() {
        assert_eq!(
            all("can't 3,000.5 a.b a. b,c 3:4 x:y 1_a"),
            ["can't", "3,000.5", "a.b", "a", "b", "c", "3", "4", "x:y", "1_a"]
        );
        assert_eq!(all("__ _x_ ¼ 10x10ft 5'6"), ["_x_", "10x10ft", "5'6"]);
        // A Hebrew letter takes a quote but where a sign has joined it to a letter before.
        assert_eq!(
            all("א' א'א' אא' a_א' a.א' א\"א' א\"א.א א.א\"א"),
            ["א'", "א'א'", "אא'", "a_א'", "a.א", "א\"א", "א\"א", "א", "א.א", "א"]
        );
    }

    #[test]
    fn scripts_that_have_tokens_of_their_own() {
        assert_eq!(all("東京タワー です ไทย"), ["東", "京", "タワー", "で", "す", "ไทย"]);
        // The half-width voicing mark extends what is before it and begins nothing.
        assert_eq!(all("ヽ(ﾟ∀ﾟ)ﾒ(ﾟ∀ﾟ)ﾉ"), ["ヽ", "ﾒ", "ﾉ"]);
    }

    #[test]
    fn emoji_are_tokens() {
        assert_eq!(
            all("hi😈😈 ✔\u{FE0F}ok 👨\u{200D}💼! 👍🏽 ★ ✿"),
            ["hi", "😈", "😈", "✔\u{FE0F}", "ok", "👨\u{200D}💼", "👍🏽", "★"]
        );
        assert_eq!(all("1\u{FE0F}\u{20E3} #\u{20E3} # 🇩🇪🇫🇷 🇩"), ["1\u{FE0F}\u{20E3}", "#\u{20E3}", "🇩🇪", "🇫🇷"]);
        // A tone of skin takes no joiners before it, but one that joins it to a pictograph.
        assert_eq!(all("\u{200D}🏻x 😈\u{FE0F}\u{200D}\u{200D}🏻"), ["🏻", "x", "😈\u{FE0F}", "🏻"]);
        assert_eq!(all("😈\u{200D}🏻"), ["😈\u{200D}🏻"]);
    }

    /// As Lucene 8.11's analyser gives them (Anserini 0.14.3), over every sign that newer versions of Unicode call a letter.
    #[test]
    fn signs_that_became_letters_since_are_none() {
        assert_eq!(all("fa\u{B8}ade \u{2D7}x 5\u{2E5} \u{55A}a"), ["fa", "ade", "x", "5", "a"]);
        assert_eq!(all("x\u{55F}b x\u{111C9}b"), ["x", "b", "x", "b"]);
        // Letters, ideographs and marks that are younger than Unicode 9, and tones of skin.
        assert_eq!(
            all("fa\u{8B5}de \u{9FD6} b\u{B55}c \u{1C90}\u{560}x y\u{1F3FD}z"),
            ["fa", "de", "b", "c", "x", "y", "🏽", "z"]
        );
        assert_eq!(all("z\u{2D7}x \u{E31}q \u{E31} \u{19DA}"), ["z\u{2D7}x", "\u{E31}", "q", "\u{E31}", "\u{19DA}"]);
        assert_eq!(all("*\u{20E3}\u{FE0F}\u{20E3} *\u{20E3}\u{FE0F}"), ["*\u{20E3}\u{FE0F}\u{20E3}", "*\u{20E3}"]);
    }

    #[test]
    fn long_words_are_cut() {
        let cases: [(String, &[usize]); 5] = [
            ("x".repeat(600), &[255, 255, 90]),
            // The sign behind the last letter that is looked at joins nothing.
            (format!("{}.a", "x".repeat(254)), &[254, 1]),
            (format!("{}.a", "x".repeat(253)), &[255]),
            (format!("{}a", "_".repeat(256)), &[255]),
            (format!("{}\u{1D538}", "x".repeat(254)), &[254, 4]),
        ];
        for (text, lengths) in cases {
            assert_eq!(all(&text).iter().map(|token| token.len()).collect::<Vec<_>>(), lengths, "{text}");
        }
    }
}
