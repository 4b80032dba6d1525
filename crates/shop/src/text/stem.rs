//! Stemmer: Porter's algorithm of 1980 with the two changes he made later (`bli` to `ble`, `logi` to `log`), which is what
//! Lucene's English analyser uses. Anything but the letters a to z counts as a consonant.

/// The stem of a lower-case word. Words of one or two characters stay as they are.
pub fn stem(word: &str) -> String {
    let letters: Vec<char> = word.chars().collect();
    // No rule removes or changes a word whose last character is no letter of the alphabet.
    if letters.len() < 3 || !letters.last().is_some_and(char::is_ascii_lowercase) {
        return word.to_owned();
    }
    let mut stemmer = Stemmer { letters };
    stemmer.plurals_and_past();
    stemmer.y_to_i();
    stemmer.double_suffixes();
    stemmer.single_suffixes();
    stemmer.last_suffixes();
    stemmer.last_e();
    stemmer.letters.into_iter().collect()
}

struct Stemmer {
    letters: Vec<char>,
}

/// Suffixes of the algorithm's second step and what takes their place after a stem of measure 1 or more.
const STEP_2: [(&str, &str); 21] = [
    ("ational", "ate"),
    ("tional", "tion"),
    ("enci", "ence"),
    ("anci", "ance"),
    ("izer", "ize"),
    ("bli", "ble"),
    ("alli", "al"),
    ("entli", "ent"),
    ("eli", "e"),
    ("ousli", "ous"),
    ("ization", "ize"),
    ("ation", "ate"),
    ("ator", "ate"),
    ("alism", "al"),
    ("iveness", "ive"),
    ("fulness", "ful"),
    ("ousness", "ous"),
    ("aliti", "al"),
    ("iviti", "ive"),
    ("biliti", "ble"),
    ("logi", "log"),
];

const STEP_3: [(&str, &str); 7] =
    [("icate", "ic"), ("ative", ""), ("alize", "al"), ("iciti", "ic"), ("ical", "ic"), ("ful", ""), ("ness", "")];

/// The fourth step's, which go after a stem of measure 2 or more; longer ones before those that they end in.
const STEP_4: [&str; 19] = [
    "ement", "ment", "ent", "al", "ance", "ence", "er", "ic", "able", "ible", "ant", "ion", "ou", "ism", "ate", "iti",
    "ous", "ive", "ize",
];

impl Stemmer {
    fn is_consonant(&self, i: usize) -> bool {
        match self.letters.get(i) {
            Some('a' | 'e' | 'i' | 'o' | 'u') => false,
            Some('y') => i == 0 || !self.is_consonant(i - 1),
            _ => true,
        }
    }

    /// How often a vowel is followed by a consonant within the first `end` letters.
    fn measure(&self, end: usize) -> usize {
        (1..end).filter(|&i| !self.is_consonant(i - 1) && self.is_consonant(i)).count()
    }

    fn has_vowel(&self, end: usize) -> bool {
        (0..end).any(|i| !self.is_consonant(i))
    }

    fn ends_in_double_consonant(&self) -> bool {
        let n = self.letters.len();
        n >= 2 && self.letters[n - 1] == self.letters[n - 2] && self.is_consonant(n - 1)
    }

    /// Consonant, vowel, consonant at the end of the first `end` letters, the last not w, x or y.
    fn is_short(&self, end: usize) -> bool {
        end >= 3
            && self.is_consonant(end - 1)
            && !self.is_consonant(end - 2)
            && self.is_consonant(end - 3)
            && !matches!(self.letters[end - 1], 'w' | 'x' | 'y')
    }

    /// The length of the stem before a suffix; `None` if the word does not end in it.
    fn before(&self, suffix: &str) -> Option<usize> {
        let start = self.letters.len().checked_sub(suffix.len())?;
        self.letters[start..].iter().copied().eq(suffix.chars()).then_some(start)
    }

    fn replace(&mut self, start: usize, with: &str) {
        self.letters.truncate(start);
        self.letters.extend(with.chars());
    }

    fn plurals_and_past(&mut self) {
        if let Some(start) = self.before("sses").or_else(|| self.before("ies")) {
            let kept = if self.before("sses").is_some() { 2 } else { 1 };
            self.letters.truncate(start + kept);
        } else if self.before("s").is_some() && self.before("ss").is_none() {
            self.letters.pop();
        }
        if let Some(start) = self.before("eed") {
            if self.measure(start) > 0 {
                self.letters.pop();
            }
            return;
        }
        let Some(start) = self.before("ed").or_else(|| self.before("ing")).filter(|&start| self.has_vowel(start))
        else {
            return;
        };
        self.letters.truncate(start);
        if self.before("at").is_some() || self.before("bl").is_some() || self.before("iz").is_some() {
            self.letters.push('e');
        } else if self.ends_in_double_consonant() {
            if !matches!(self.letters.last(), Some('l' | 's' | 'z')) {
                self.letters.pop();
            }
        } else if self.measure(self.letters.len()) == 1 && self.is_short(self.letters.len()) {
            self.letters.push('e');
        }
    }

    fn y_to_i(&mut self) {
        if let Some(start) = self.before("y").filter(|&start| self.has_vowel(start)) {
            self.replace(start, "i");
        }
    }

    /// Of the suffixes of a step only the first that the word ends in counts, whether or not its stem is long enough.
    fn step(&mut self, rules: &[(&str, &str)]) {
        let found = rules.iter().find_map(|(suffix, with)| Some((self.before(suffix)?, *with)));
        if let Some((start, with)) = found.filter(|(start, _)| self.measure(*start) > 0) {
            self.replace(start, with);
        }
    }

    fn double_suffixes(&mut self) {
        self.step(&STEP_2);
    }

    fn single_suffixes(&mut self) {
        self.step(&STEP_3);
    }

    fn last_suffixes(&mut self) {
        let Some((start, suffix)) = STEP_4.iter().find_map(|suffix| Some((self.before(suffix)?, *suffix))) else {
            return;
        };
        if suffix == "ion" && !(start > 0 && matches!(self.letters[start - 1], 's' | 't')) {
            return;
        }
        if self.measure(start) > 1 {
            self.letters.truncate(start);
        }
    }

    fn last_e(&mut self) {
        if let Some(start) = self.before("e") {
            let measure = self.measure(start);
            if measure > 1 || (measure == 1 && !self.is_short(start)) {
                self.letters.pop();
            }
        }
        if self.letters.last() == Some(&'l') && self.ends_in_double_consonant() && self.measure(self.letters.len()) > 1
        {
            self.letters.pop();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_every_step() {
        let pairs = [
            ("caresses", "caress"),
            ("ponies", "poni"),
            ("ties", "ti"),
            ("cats", "cat"),
            ("feed", "feed"),
            ("agreed", "agre"),
            ("plastered", "plaster"),
            ("bled", "bled"),
            ("motoring", "motor"),
            ("sing", "sing"),
            ("conflated", "conflat"),
            ("hopping", "hop"),
            ("falling", "fall"),
            ("filing", "file"),
            ("happy", "happi"),
            ("sky", "sky"),
            ("dry", "dry"),
            ("relational", "relat"),
            ("rational", "ration"),
            ("digitizer", "digit"),
            ("possibly", "possibl"),
            ("technology", "technolog"),
            ("hopefulness", "hope"),
            ("electrical", "electr"),
            ("adjustment", "adjust"),
            ("replacement", "replac"),
            ("adoption", "adopt"),
            ("probate", "probat"),
            ("rate", "rate"),
            ("controll", "control"),
            ("roll", "roll"),
            ("9.5", "9.5"),
            ("3t", "3t"),
            ("is", "is"),
        ];
        for (word, expected) in pairs {
            assert_eq!(stem(word), expected, "{word}");
        }
    }
}
