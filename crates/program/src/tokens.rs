//! Where the tokens of a line end, for what looks at texts without parsing them. Knows words, strings and single signs; whether they are
//! Python, and what a word before a quote or a dot within a number means, is left to its callers.

/// Which bytes a word has. A table, as every byte of every text is asked for more than once.
const OF_WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0_u8;
    while byte < 128 {
        table[byte as usize] = byte.is_ascii_alphanumeric() || byte == b'_';
        byte += 1;
    }
    table
};

/// Whether a byte is a letter, a digit or `_`.
pub(super) fn is_of_word(byte: u8) -> bool {
    OF_WORD[usize::from(byte)]
}

/// Where the word, the string or the sign at a place ends; `None` at the end of the text and for a string without an end.
pub(super) fn end_of_token(text: &[u8], at: usize) -> Option<usize> {
    let first = *text.get(at)?;
    let rest = text.get(at + 1..)?;
    if is_of_word(first) {
        return Some(at + 1 + rest.iter().position(|b| !is_of_word(*b)).unwrap_or(rest.len()));
    }
    if !matches!(first, b'\'' | b'"') {
        return Some(at + 1);
    }
    let mut end = at + 1;
    loop {
        match *text.get(end)? {
            b'\\' => end += 2,
            byte if byte == first => return Some(end + 1),
            _ => end += 1,
        }
    }
}
