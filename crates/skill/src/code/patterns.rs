//! Patterns of programs: Python's, matched by an engine whose syntax is another, with a bound on steps back.

use std::iter::Peekable;
use std::str::Chars;

use fancy_regex::{Captures, Regex, RegexBuilder};
use serde_json::{Value, json};

/// Most steps back a pattern may take before it is given up.
const BACKTRACKS: usize = 100_000;
/// Python's flags that have a letter.
const FLAGS: [(u64, char); 4] = [(2, 'i'), (8, 'm'), (16, 's'), (VERBOSE, 'x')];
const MULTILINE: u64 = 8;
const VERBOSE: u64 = 64;
const ASCII: u64 = 256;

/// Which matches a program wants.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Which {
    First,
    /// One that begins where it is looked from.
    AtStart,
    /// One that ends where the text ends, too.
    Whole,
    All,
}

impl Which {
    pub(super) fn named(name: &str) -> Self {
        match name {
            "match" => Which::AtStart,
            "fullmatch" => Which::Whole,
            "all" => Which::All,
            _ => Which::First,
        }
    }
}

/// The names of a pattern's groups with their numbers, and the matches in a text from a character on: of each the places of the whole and of
/// the groups in characters, nothing for a group that is not in it.
pub(super) fn matches(pattern: &str, flags: u64, text: &str, from: usize, which: Which) -> Result<Value, String> {
    let from = text.char_indices().nth(from).map_or(text.len(), |(at, _)| at);
    let (names, all) = found(pattern, flags, text, from, which)?;
    let counted = Counted::of(text);
    let span = |span: Option<Span>| span.map(|(start, end)| [counted.at(start), counted.at(end)]);
    let all = all.into_iter().map(|one| one.into_iter().map(span).collect::<Vec<_>>());
    Ok(json!([names, all.collect::<Vec<_>>()]))
}

/// The texts of a pattern's matches, as `re.findall` gives them of one without groups; none of what is no pattern.
pub fn find_all<'t>(pattern: &str, text: &'t str) -> Vec<&'t str> {
    let all = found(pattern, 0, text, 0, Which::All).map(|(_, all)| all).unwrap_or_default();
    let whole = |one: Match| one.first().copied().flatten();
    all.into_iter().filter_map(|one| whole(one).and_then(|(start, end)| text.get(start..end))).collect()
}

/// Where something begins and ends, in bytes.
type Span = (usize, usize);
type Names = Vec<(String, usize)>;
/// Of one match the whole and the groups.
type Match = Vec<Option<Span>>;

fn found(pattern: &str, flags: u64, text: &str, from: usize, which: Which) -> Result<(Names, Vec<Match>), String> {
    if flags & ASCII != 0 {
        return Err("not supported by the sandbox: the flag ASCII of patterns".to_owned());
    }
    let useless = |e: &dyn std::fmt::Display| format!("the pattern {pattern:?} cannot be used: {e}");
    let inside = grouped(pattern, flags).map_err(|e| useless(&e))?;
    let built = |whole: &str| RegexBuilder::new(whole).backtrack_limit(BACKTRACKS).build().map_err(|e| useless(&e));
    let first = built(&match which {
        Which::First | Which::All => inside.clone(),
        Which::AtStart => format!(r"\G{inside}"),
        Which::Whole => format!(r"\G{inside}\z"),
    })?;
    // Where the last match was of no text, the next one from there must be of some.
    let mut further: Option<Regex> = None;
    let (mut at, mut empty, mut all) = (from, false, Vec::new());
    loop {
        let regex = match &mut further {
            _ if !empty => &first,
            Some(further) => further,
            none => none.insert(built(&format!(r"{inside}(?!\G)"))?),
        };
        let one = regex.captures_from_pos(text, at);
        let Some(one) = one.map_err(|e| format!("the pattern {pattern:?} was given up: {e}"))? else { break };
        let one = places(&one);
        if let Some((start, end)) = one.first().copied().flatten() {
            (at, empty) = (end, start == end);
        }
        all.push(one);
        if which != Which::All {
            break;
        }
    }
    let names = first.capture_names().enumerate().filter_map(|(number, name)| Some((name?.to_owned(), number)));
    Ok((names.collect(), all))
}

fn places(found: &Captures<'_>) -> Match {
    found.iter().map(|group| group.map(|group| (group.start(), group.end()))).collect()
}

/// How many characters stand before a byte of a text.
struct Counted(Vec<usize>);

impl Counted {
    fn of(text: &str) -> Self {
        if text.is_ascii() {
            return Counted(Vec::new());
        }
        let mut before = vec![0; text.len() + 1];
        let ends = text.char_indices().map(|(at, _)| at).skip(1).chain([text.len()]);
        for (count, at) in ends.enumerate() {
            before[at] = count + 1;
        }
        Counted(before)
    }

    fn at(&self, byte: usize) -> usize {
        self.0.get(byte).copied().unwrap_or(byte)
    }
}

/// A pattern of Python's as a group of the engine's.
fn grouped(pattern: &str, flags: u64) -> Result<String, String> {
    let letters: String = FLAGS.iter().filter(|(flag, _)| flags & flag != 0).map(|(_, letter)| *letter).collect();
    let inline = inline_flags(pattern);
    let verbose = flags & VERBOSE != 0 || inline.contains('x');
    let mut translator = Translator {
        rest: pattern.chars().peekable(),
        written: String::new(),
        verbose,
        multiline: flags & MULTILINE != 0 || inline.contains('m'),
    };
    translator.all()?;
    // A comment at the end would go on to the bracket.
    let end = if verbose { "\n" } else { "" };
    Ok(format!("(?{letters}:{}{end})", translator.written))
}

/// The letters of all flags that a pattern sets itself.
fn inline_flags(pattern: &str) -> String {
    let groups = pattern.split("(?").skip(1);
    let letters = groups.filter_map(|group| {
        let end = group.find(|c: char| !c.is_ascii_alphabetic())?;
        let (letters, rest) = group.split_at(end);
        rest.starts_with([')', ':', '-']).then_some(letters)
    });
    letters.collect()
}

struct Translator<'p> {
    rest: Peekable<Chars<'p>>,
    written: String,
    verbose: bool,
    multiline: bool,
}

impl Translator<'_> {
    fn all(&mut self) -> Result<(), String> {
        while let Some(c) = self.rest.next() {
            match c {
                '\\' => self.escape(false)?,
                '[' => self.class()?,
                // Python's also stands before a line feed that ends the text.
                '$' if !self.multiline => self.written.push_str(r"(?=\n?\z)"),
                '{' => self.braces(),
                '}' | ']' => self.written.extend(['\\', c]),
                '#' if self.verbose => while self.rest.next_if(|c| *c != '\n').is_some() {},
                c => self.written.push(c),
            }
        }
        Ok(())
    }

    /// How often something stands there, or a bracket that is one.
    fn braces(&mut self) {
        let inside: String = self.rest.clone().take_while(|c| c.is_ascii_digit() || *c == ',').collect();
        let closed = self.rest.clone().nth(inside.len()) == Some('}');
        if !closed || inside.is_empty() || inside.matches(',').count() > 1 {
            return self.written.push_str(r"\{");
        }
        let least = if inside.starts_with(',') { "0" } else { "" };
        self.written.push_str(&format!("{{{least}{inside}}}"));
        for _ in 0..=inside.len() {
            self.rest.next();
        }
    }

    /// Characters in brackets, where the engine's have brackets and operators of their own.
    fn class(&mut self) -> Result<(), String> {
        self.written.push('[');
        if self.rest.next_if_eq(&'^').is_some() {
            self.written.push('^');
        }
        let mut first = true;
        loop {
            let Some(c) = self.rest.next() else { return Err("unterminated character set".to_owned()) };
            match c {
                ']' if !first => {
                    self.written.push(']');
                    return Ok(());
                }
                '\\' => self.escape(true)?,
                '-' if first || self.rest.peek() == Some(&']') => self.written.push_str(r"\-"),
                ']' | '[' | '&' | '~' => self.written.extend(['\\', c]),
                c if self.verbose && (c.is_whitespace() || c == '#') => self.code(u32::from(c)),
                c => self.written.push(c),
            }
            first = false;
        }
    }

    fn code(&mut self, code: u32) {
        self.written.push_str(&format!(r"\x{{{code:x}}}"));
    }

    /// What stands behind a backslash, `within` brackets.
    fn escape(&mut self, within: bool) -> Result<(), String> {
        let Some(c) = self.rest.next() else { return Err(r"bad escape (end of pattern)".to_owned()) };
        match c {
            '0' => self.octal(0, 2),
            '1'..='9' if within || self.is_octal(c) => self.octal(c.to_digit(8).unwrap_or_default(), 2),
            'b' if within => self.code(8),
            'Z' => self.written.push_str(r"\z"),
            '0'..='9' | 'A' | 'B' | 'D' | 'S' | 'W' | 'a' | 'b' | 'd' | 'f' | 'n' | 'r' | 's' | 't' | 'v' | 'w' => {
                self.written.extend(['\\', c]);
            }
            'x' => self.hexadecimal(c, 2)?,
            'u' => self.hexadecimal(c, 4)?,
            'U' => self.hexadecimal(c, 8)?,
            c if c.is_ascii_alphabetic() => return Err(format!(r"bad escape \{c}")),
            c if c.is_whitespace() => self.code(u32::from(c)),
            c if r"\.+*?()|[]{}^$#&-~".contains(c) => self.written.extend(['\\', c]),
            c => self.written.push(c),
        }
        Ok(())
    }

    /// Whether this and the next two are digits of a character's code, not a group's number.
    fn is_octal(&self, first: char) -> bool {
        let next = self.rest.clone().take(2).filter(|c| c.is_digit(8)).count();
        first <= '3' && next == 2
    }

    fn octal(&mut self, mut code: u32, most: usize) {
        for _ in 0..most {
            let Some(digit) = self.rest.next_if(|c| c.is_digit(8)).and_then(|c| c.to_digit(8)) else { break };
            code = code * 8 + digit;
        }
        self.code(code);
    }

    fn hexadecimal(&mut self, letter: char, digits: usize) -> Result<(), String> {
        let text: String = self.rest.by_ref().take(digits).collect();
        match u32::from_str_radix(&text, 16).ok().filter(|_| text.chars().count() == digits) {
            Some(code) => self.code(code),
            None => return Err(format!(r"incomplete escape \{letter}{text}")),
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The whole texts of all matches.
    fn all(pattern: &str, flags: u64, text: &str) -> Vec<String> {
        let found = matches(pattern, flags, text, 0, Which::All).unwrap();
        let places = found[1].as_array().unwrap().iter().map(|one| (one[0][0].as_u64(), one[0][1].as_u64()));
        let characters: Vec<char> = text.chars().collect();
        let at = |place: Option<u64>| usize::try_from(place.unwrap()).unwrap();
        places.map(|(start, end)| characters[at(start)..at(end)].iter().collect()).collect()
    }

    #[test]
    fn patterns_are_pythons() {
        for (pattern, flags, text, found) in [
            ("a$", 0, "a\na\n", &["a"][..]),
            ("a$", 8, "a\na\n", &["a", "a"]),
            (r"a\Z", 0, "a\n", &[]),
            ("(?m)a$", 0, "a\nb", &["a"]),
            ("[[&~]", 0, "a[&~", &["[", "&", "~"]),
            ("[]-]", 0, "]-", &["]", "-"]),
            ("[-a]", 0, "-a", &["-", "a"]),
            ("a{,2}b", 0, "aab", &["aab"]),
            ("{a}{x{2}", 0, "{a}{xx", &["{a}{xx"]),
            (r"[\b\n]\071", 0, "\u{8}9\n9", &["\u{8}9", "\n9"]),
            (r"\x41\u0042\/\-\<\'", 0, "AB/-<'", &["AB/-<'"]),
            ("(?P<q>['\"])a(?P=q)", 0, "'a' \"a'", &["'a'"]),
            ("A", 2, "aA", &["a", "A"]),
            ("a.b", 16, "a\nb", &["a\nb"]),
            ("a b # c]\n [ #]", 64, "ab#", &["ab#"]),
            ("é", 0, "née é", &["é", "é"]),
            ("x*", 0, "axb", &["", "x", "", ""]),
            ("a*?", 0, "aa", &["", "a", "", "a", ""]),
            ("a|", 0, "ba", &["", "a", ""]),
        ] {
            assert_eq!(all(pattern, flags, text), found, "{pattern}");
        }
    }

    #[test]
    fn matches_are_places_of_groups_with_their_names() {
        let found = |text: &str, from, which| matches(r"(?P<n>\d)(x)?", 0, text, from, which).unwrap();
        assert_eq!(found("é1", 0, Which::First), json!([[["n", 1]], [[[1, 2], [1, 2], null]]]));
        assert_eq!(found("1x2", 1, Which::First)[1], json!([[[2, 3], [2, 3], null]]));
        assert_eq!(found("1x2", 1, Which::AtStart)[1], json!([]));
        assert_eq!(found("1x2", 0, Which::AtStart)[1], json!([[[0, 2], [0, 1], [1, 2]]]));
        assert_eq!(
            (found("1x2", 0, Which::Whole)[1].clone(), found("1x", 0, Which::Whole)[1].clone()),
            (json!([]), json!([[[0, 2], [0, 1], [1, 2]]]))
        );
    }

    #[test]
    fn what_is_no_pattern_or_takes_too_long_is_an_error() {
        for pattern in ["(", "[a", r"\q", "a\\", r"\x4"] {
            let why = matches(pattern, 0, "a", 0, Which::First).unwrap_err();
            assert!(why.contains("cannot be used"), "{why}");
        }
        assert!(matches("a", ASCII, "a", 0, Which::First).unwrap_err().starts_with("not supported"));
        assert_eq!(find_all(r"\b\w+ \d+\b", "a bed 1, a mug 12"), ["bed 1", "mug 12"]);
        assert!(find_all("(", "a").is_empty());
        let _ends = matches(r"(?=(a+)+$)(a|a)*\1b", 0, &format!("{}c", "a".repeat(40)), 0, Which::All);
    }
}
