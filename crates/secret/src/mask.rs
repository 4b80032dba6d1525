//! Masking of known keys in texts that others wrote, whole or piece by piece as they arrive.
//!
//! A key is looked for as it is, backwards, in base64 and its form for URLs at each of the three alignments, in hexadecimal, and with each
//! character escaped (`%73`, `\u0073`, `\x73`). What is found is any run of [`PART`] characters of it, in time that grows with the
//! text only. A key that is spread out (a character a line) or enciphered is not found.

use std::collections::BTreeSet;

use base64::Engine;
use base64::engine::general_purpose::{STANDARD_NO_PAD, URL_SAFE_NO_PAD};

pub(crate) const MASK: &str = "[key]";
/// Characters of a long key whose run is found. What all keys of a provider begin with (`sk-ant-api03-`) is such a run too.
pub(crate) const PART: usize = 8;
/// Keys from this length on are found in part and encoded; shorter ones only whole.
const LONG: usize = 16;
/// Keys from this length on are found; what is shorter (`none`, `EMPTY`) is no key, and a word of answers.
const SHORTEST: usize = 8;

#[derive(Clone, Default)]
pub struct Mask {
    /// The texts looked for: runs of keys and of their encodings, as bytes.
    runs: BTreeSet<Vec<u8>>,
    lengths: BTreeSet<usize>,
    /// Which values of [`hash`] their beginnings have: hardly any place of a text has one of them.
    beginnings: Vec<bool>,
}

/// A number below 65,536 of the first three bytes.
fn hash(bytes: &[u8]) -> Option<usize> {
    let [a, b, c, ..] = bytes else { return None };
    Some(((usize::from(*a) << 10) ^ (usize::from(*b) << 5) ^ usize::from(*c)) & 0xFFFF)
}

impl std::fmt::Debug for Mask {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        // What is looked for is what must not be shown.
        f.debug_struct("Mask").field("runs", &self.runs.len()).finish()
    }
}

impl Mask {
    /// A mask of keys. Keys of less than eight characters are none.
    pub fn new<'a>(keys: impl IntoIterator<Item = &'a str>) -> Self {
        let mut mask = Mask::default();
        for key in keys.into_iter().map(str::trim).filter(|key| key.len() >= SHORTEST) {
            mask.add(key);
        }
        mask
    }

    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.runs.is_empty()
    }

    fn add(&mut self, key: &str) {
        if key.len() < LONG || !key.is_ascii() {
            return self.runs_of(key.as_bytes(), key.len(), 1);
        }
        self.runs_of(key.as_bytes(), PART, 1);
        let backwards: Vec<u8> = key.bytes().rev().collect();
        self.runs_of(&backwards, PART, 1);
        for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
            for before in 0..3 {
                let mut bytes = vec![0; before];
                bytes.extend_from_slice(key.as_bytes());
                // Without what the bytes before take part in; with the last group whole, and as it is where the text ends there.
                for end in [bytes.len() / 3 * 3, bytes.len()] {
                    let text = engine.encode(bytes.get(..end).unwrap_or_default());
                    let from = before.next_multiple_of(2) + usize::from(before == 2);
                    self.runs_of(text.as_bytes().get(from..).unwrap_or_default(), 12, 1);
                }
            }
        }
        for escaped in [escaped(key, "", "", false), escaped(key, "", "", true)] {
            self.runs_of(escaped.as_bytes(), 2 * PART, 2);
        }
        for upper in [false, true] {
            self.runs_of(escaped(key, "%", "", upper).as_bytes(), 3 * PART, 3);
            self.runs_of(escaped(key, "\\x", "", upper).as_bytes(), 4 * PART, 4);
            self.runs_of(escaped(key, "\\u00", "", upper).as_bytes(), 6 * PART, 6);
            self.runs_of(escaped(key, "", " ", upper).as_bytes(), 3 * PART - 1, 3);
            self.runs_of(escaped(key, "", ":", upper).as_bytes(), 3 * PART - 1, 3);
        }
    }

    /// Adds the runs of a form of a key: `length` bytes each, beginning at multiples of `unit`.
    fn runs_of(&mut self, form: &[u8], length: usize, unit: usize) {
        for run in form.windows(length).step_by(unit) {
            self.beginnings.resize(1 << 16, false);
            if let Some(known) = hash(run).and_then(|at| self.beginnings.get_mut(at)) {
                *known = true;
            }
            self.runs.insert(run.to_vec());
            self.lengths.insert(length);
        }
    }

    #[must_use]
    pub fn masked(&self, text: &str) -> String {
        let mut pieces = self.pieces();
        let mut out = pieces.push(text);
        out.push_str(&pieces.end());
        out
    }

    #[must_use]
    pub fn pieces(&self) -> Pieces<'_> {
        Pieces { mask: self, held: Vec::new(), marked: Vec::new(), in_key: false }
    }

    fn is_run(&self, bytes: &[u8]) -> bool {
        hash(bytes).and_then(|at| self.beginnings.get(at)) == Some(&true) && self.runs.contains(bytes)
    }

    fn begins(&self, start: &[u8]) -> bool {
        self.runs.range(start.to_vec()..).next().is_some_and(|run| run.starts_with(start))
    }
}

/// A text that arrives in pieces. What may become a key is held back until it is seen that it does not.
pub struct Pieces<'a> {
    mask: &'a Mask,
    held: Vec<u8>,
    /// Which bytes of it belong to a key.
    marked: Vec<bool>,
    in_key: bool,
}

impl Pieces<'_> {
    /// Takes in a piece; gives what is certain by now.
    pub fn push(&mut self, piece: &str) -> String {
        if self.mask.is_empty() {
            return piece.to_owned();
        }
        let old = self.held.len();
        self.held.extend_from_slice(piece.as_bytes());
        self.marked.resize(self.held.len(), false);
        for end in old + 1..=self.held.len() {
            for length in &self.mask.lengths {
                let Some(start) = end.checked_sub(*length) else { continue };
                if self.held.get(start..end).is_some_and(|run| self.mask.is_run(run))
                    && let Some(marks) = self.marked.get_mut(start..end)
                {
                    marks.fill(true);
                }
            }
        }
        let longest = self.mask.lengths.last().copied().unwrap_or_default().saturating_sub(1);
        let first = self.held.len().saturating_sub(longest);
        let open = (first..self.held.len()).find(|at| self.mask.begins(self.held.get(*at..).unwrap_or_default()));
        self.give(open.unwrap_or(self.held.len()))
    }

    /// Gives what was held back; there is no more to come.
    pub fn end(&mut self) -> String {
        self.give(self.held.len())
    }

    fn give(&mut self, count: usize) -> String {
        let mut out = Vec::with_capacity(count);
        for (byte, marked) in self.held.drain(..count).zip(self.marked.drain(..count)) {
            if !marked {
                out.push(byte);
            } else if !self.in_key {
                out.extend_from_slice(MASK.as_bytes());
            }
            self.in_key = marked;
        }
        // Runs begin and end between characters, so nothing is cut apart.
        String::from_utf8_lossy(&out).into_owned()
    }
}

/// Each character of an ASCII text as two hexadecimal digits, with something before each and between them.
fn escaped(key: &str, before: &str, between: &str, upper: bool) -> String {
    let digits = |byte: u8| if upper { format!("{before}{byte:02X}") } else { format!("{before}{byte:02x}") };
    key.bytes().map(digits).collect::<Vec<_>>().join(between)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const KEY: &str = "sk-proj-Zx81QpLm77Vb_2aT-9Kd";

    fn mask() -> Mask {
        Mask::new([KEY, "robotics-9", "EMPTY"])
    }

    #[test]
    fn keys_are_found_whole_in_part_and_encoded() {
        let mask = mask();
        let backwards: String = KEY.chars().rev().collect();
        let all = [
            KEY.to_owned(),
            "Zx81QpLm77Vb".to_owned(),
            "7Vb_2aT-9Kd".to_owned(),
            backwards,
            escaped(KEY, "", "", false),
            escaped(KEY, "", "", true),
            escaped(KEY, "", " ", false),
            escaped(KEY, "", ":", true),
            escaped(KEY, "%", "", true),
            escaped(KEY, "\\x", "", false),
            escaped(KEY, "\\u00", "", true),
        ];
        for form in all {
            assert_eq!(mask.masked(&format!("it is \"{form}\", is it?")), "it is \"[key]\", is it?", "{form}");
        }
        for before in ["", "k", "ke", "key", "key=", "Authorization: Bearer "] {
            for engine in [STANDARD_NO_PAD, URL_SAFE_NO_PAD] {
                let text = engine.encode(format!("{before}{KEY}"));
                let out = mask.masked(&text);
                assert!(out.contains(MASK), "{before:?}: {text} -> {out}");
                // What is left of it says less than a run would.
                let left = out.split(MASK).last().unwrap();
                assert!(left.len() < 6, "{before:?}: {text} -> {out}");
            }
        }
    }

    #[test]
    fn short_keys_are_found_whole_and_words_are_left_alone() {
        let mask = mask();
        assert_eq!(mask.masked("robotics-9 robotics EMPTY"), "[key] robotics EMPTY");
        let text = "Put the red block on the table, then say(\"sk-proj\"). Größe ∀x";
        assert_eq!(mask.masked(text), text);
        assert_eq!(Mask::new([]).masked(text), text);
        assert_eq!(mask.masked(&format!("{KEY}{KEY} {KEY}")), "[key] [key]");
    }

    #[test]
    fn nothing_secret_is_in_the_debug_form() {
        assert!(!format!("{:?}", mask()).contains("sk-"));
    }

    #[test]
    fn what_cannot_become_a_key_is_not_held_back() {
        let mask = mask();
        let mut pieces = mask.pieces();
        assert_eq!(pieces.push("the answer is s"), "the answer is ");
        assert_eq!(pieces.push("k-proj"), "");
        assert_eq!(pieces.push("-Z"), "[key]");
        assert_eq!(pieces.push("x81 no\n"), " no\n");
        assert_eq!(pieces.push(" robot"), " ");
        assert_eq!(pieces.end(), "robot");
    }

    #[test]
    #[cfg_attr(miri, ignore = "600,000 characters take minutes there")]
    fn a_long_text_takes_time_by_its_length() {
        let mask = mask();
        let text = "sk-proj sk-pro ".repeat(40_000);
        let since = std::time::Instant::now();
        assert_eq!(mask.masked(&text), text);
        assert!(since.elapsed() < std::time::Duration::from_secs(20));
    }

    proptest! {
        #[test]
        fn a_text_in_pieces_is_masked_as_the_whole(
            parts in prop::collection::vec(prop_oneof![
                Just(KEY.to_owned()),
                (0..KEY.len(), 0..KEY.len()).prop_map(|(a, b)| KEY[a.min(b)..a.max(b)].to_owned()),
                Just(escaped(KEY, "%", "", false)),
                "[ -~]{0,6}",
                "\\PC{0,4}",
            ], 0..8),
            cuts in prop::collection::vec(1_usize..12, 0..60),
        ) {
            let text = parts.concat();
            let mask = mask();
            let mut pieces = mask.pieces();
            let (mut out, mut rest) = (String::new(), text.as_str());
            for cut in cuts {
                let cut = rest.floor_char_boundary(cut.min(rest.len()));
                out.push_str(&pieces.push(&rest[..cut]));
                rest = &rest[cut..];
            }
            out.push_str(&pieces.push(rest));
            out.push_str(&pieces.end());
            prop_assert_eq!(&out, &mask.masked(&text));
            for run in KEY.as_bytes().windows(PART) {
                prop_assert!(!out.contains(std::str::from_utf8(run).unwrap()), "{} -> {}", text, out);
            }
        }
    }
}
