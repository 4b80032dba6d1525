//! Quoted and unquoted texts of a state: where one ends that is not quoted as it should be.

use super::repair::{Fault, clip};

/// A closing quote is looked for this far: a text of a state is a name or a sentence, and looking on would make bad input slow.
const LONGEST_TEXT: usize = 300;

/// Whether a sign is a quote, of any kind that models write.
pub fn is_quote(c: char) -> bool {
    is_double(c) || is_single(c)
}

fn is_double(c: char) -> bool {
    matches!(c, '"' | '“' | '”' | '„' | '‟' | '″' | '«' | '»')
}

fn is_single(c: char) -> bool {
    matches!(c, '\'' | '‘' | '’' | '‚' | '‛' | '′' | '`')
}

/// The context of a text: which signs end it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scan {
    Name,
    Element,
    Value,
}

impl Scan {
    fn ends(self, c: char) -> bool {
        match self {
            Scan::Name => matches!(c, ':' | '=' | '{' | '}' | '[' | ',' | '\n'),
            Scan::Element | Scan::Value => matches!(c, ',' | ']' | '}' | '\n'),
        }
    }
}

#[derive(Debug)]
pub enum Text {
    Whole {
        text: String,
        faults: Vec<Fault>,
    },
    /// A text that the end of everything cuts off.
    Cut(String),
}

/// Characters with a place among them.
#[derive(Debug)]
pub struct Words {
    chars: Vec<char>,
    at: usize,
    line: usize,
}

#[derive(Debug, Clone, Copy)]
pub struct Mark {
    at: usize,
    line: usize,
}

impl Words {
    /// The characters of a text whose first one is on a line.
    pub fn new(text: &str, line: usize) -> Self {
        Words { chars: text.chars().collect(), at: 0, line }
    }

    pub fn line(&self) -> usize {
        self.line
    }

    pub fn peek(&self) -> Option<char> {
        self.chars.get(self.at).copied()
    }

    pub fn next(&mut self) {
        if self.peek() == Some('\n') {
            self.line += 1;
        }
        self.at = (self.at + 1).min(self.chars.len());
    }

    /// Goes past the next character if it is this one.
    pub fn take(&mut self, wanted: char) -> bool {
        let there = self.peek() == Some(wanted);
        if there {
            self.next();
        }
        there
    }

    pub fn mark(&self) -> Mark {
        Mark { at: self.at, line: self.line }
    }

    pub fn back(&mut self, mark: Mark) {
        self.at = mark.at;
        self.line = mark.line;
    }

    /// Goes past white space, line ends and comments behind entries.
    pub(crate) fn skip_blanks(&mut self) {
        while let Some(c) = self.peek() {
            match c {
                '#' => self.skip_line(),
                c if c.is_whitespace() => self.next(),
                _ => return,
            }
        }
    }

    fn skip_line(&mut self) {
        while self.peek().is_some_and(|c| c != '\n') {
            self.next();
        }
    }

    pub(crate) fn rest_of_line(&mut self) -> String {
        let from = self.at;
        self.skip_line();
        self.chars.get(from..self.at).unwrap_or_default().iter().collect()
    }

    /// Whether a whole word comes next.
    pub(crate) fn at_word(&self, word: &str) -> bool {
        let end = self.at + word.chars().count();
        self.chars.get(self.at..end).is_some_and(|next| next.iter().copied().eq(word.chars()))
            && !self.chars.get(end).is_some_and(|c| c.is_alphanumeric() || is_quote(*c))
    }

    /// Whether a colon (or `=`) comes next, after white space.
    pub(crate) fn before_colon(&self) -> bool {
        matches!(self.after_blanks(self.at), Some(':' | '='))
    }

    /// Whether a `{` comes next, after white space.
    pub(crate) fn before_brace(&self) -> bool {
        self.after_blanks(self.at) == Some('{')
    }

    /// The first character from a place on that is no blank of the same line.
    fn after_blanks(&self, from: usize) -> Option<char> {
        self.chars.get(from..)?.iter().copied().find(|c| *c == '\n' || !c.is_whitespace())
    }

    /// The text that comes next, quoted or not. Goes at least one character further.
    pub fn text(&mut self, scan: Scan) -> Text {
        match self.peek() {
            Some(c) if is_quote(c) => self.quoted(c, scan),
            _ => self.bare(scan),
        }
    }

    fn quoted(&mut self, open: char, scan: Scan) -> Text {
        let kind = if is_double(open) { is_double } else { is_single };
        self.next();
        let from = self.at;
        let mut text = String::new();
        let mut at = from;
        loop {
            let Some(&c) = self.chars.get(at) else {
                return self.unclosed(from, scan, true);
            };
            match c {
                _ if at - from > LONGEST_TEXT => return self.unclosed(from, scan, false),
                '\n' => return self.unclosed(from, scan, false),
                '\\' if open == '"' && self.chars.get(at + 1).is_some_and(|c| *c != '\n') => {
                    at += unescape(&self.chars, at, &mut text);
                }
                c if kind(c) => {
                    let follows = self.after_blanks(at + 1);
                    let closes =
                        follows.is_none_or(|n| matches!(n, ',' | ':' | '=' | '{' | '[' | ']' | '}' | '\n' | '#'));
                    if !closes && is_single(open) && self.chars.get(at + 1).is_some_and(|n| n.is_alphanumeric()) {
                        text.push(c);
                        at += 1;
                        continue;
                    }
                    if !closes && self.chars.get(from..at).unwrap_or_default().iter().any(|c| scan.ends(*c)) {
                        return self.unclosed(from, scan, false);
                    }
                    self.at = at + 1;
                    let mut faults = Vec::new();
                    if open != '"' || c != '"' {
                        faults.push(Fault::OtherQuotes);
                    }
                    if !closes && !follows.is_some_and(is_quote) {
                        // Such as "green block".weight * 2: the quotes enclose only a part.
                        let (Text::Whole { text: more, .. } | Text::Cut(more)) = self.bare(scan);
                        text.push_str(&more);
                        faults.push(Fault::MissingQuote(clip(&text)));
                    }
                    return Text::Whole { text, faults };
                }
                c => {
                    text.push(c);
                    at += 1;
                }
            }
        }
    }

    /// A text whose closing quote is missing: it ends where a text of its kind has to.
    fn unclosed(&mut self, from: usize, scan: Scan, at_end: bool) -> Text {
        let line: &[char] = self.chars.get(from..).unwrap_or_default();
        let length = line.iter().position(|c| *c == '\n' || scan.ends(*c)).unwrap_or(line.len());
        let text: String = line.iter().take(length).collect();
        self.at = from + length;
        let text = text.trim_end().to_owned();
        if at_end && self.at == self.chars.len() {
            return Text::Cut(text);
        }
        Text::Whole { faults: vec![Fault::MissingQuote(clip(&text))], text }
    }

    /// A text without an opening quote.
    fn bare(&mut self, scan: Scan) -> Text {
        let from = self.at;
        let mut depth = 0_usize;
        let mut quoted = false;
        while let Some(c) = self.peek() {
            match c {
                '(' => depth += 1,
                ')' => depth = depth.saturating_sub(1),
                '\n' => break,
                c if is_double(c) => {
                    // It closes this text if a sign follows, and opens the next one otherwise.
                    quoted = self
                        .after_blanks(self.at + 1)
                        .is_none_or(|n| n == '\n' || matches!(n, ':' | '=') || scan.ends(n));
                    break;
                }
                c if scan.ends(c) && (depth == 0 || c != ',') => break,
                _ => {}
            }
            self.next();
        }
        let text: String = self.chars.get(from..self.at).unwrap_or_default().iter().collect();
        let text = text.trim().to_owned();
        if quoted {
            self.next();
        }
        if self.at == from {
            // A sign that begins no text: gone past, so that there is an end.
            self.next();
            return Text::Whole { text: String::new(), faults: Vec::new() };
        }
        if scan == Scan::Name && self.at == self.chars.len() {
            return Text::Cut(text);
        }
        let fault = if quoted { Fault::MissingQuote(clip(&text)) } else { Fault::Unquoted(clip(&text)) };
        Text::Whole { faults: vec![fault], text }
    }
}

/// Adds what a backslash stands for; how many characters it took.
fn unescape(chars: &[char], at: usize, text: &mut String) -> usize {
    let Some(&c) = chars.get(at + 1) else { return 1 };
    match c {
        'n' => text.push('\n'),
        't' => text.push('\t'),
        'r' => text.push('\r'),
        'u' => {
            let digits: String = chars.iter().skip(at + 2).take(4).collect();
            let code = u32::from_str_radix(&digits, 16).ok().filter(|_| digits.len() == 4).and_then(char::from_u32);
            return match code {
                Some(code) => {
                    text.push(code);
                    6
                }
                None => {
                    text.push('u');
                    2
                }
            };
        }
        c => text.push(c),
    }
    2
}
