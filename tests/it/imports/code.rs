//! A source file's modules: what they declare, import and name, read from the file's tokens. Code of tests is left out, wherever it stands.

use std::collections::{BTreeMap, BTreeSet};

/// The path of a module or an item, part by part; of a module from its crate's name on.
pub(super) type Names = Vec<String>;

#[derive(Debug, Clone, PartialEq)]
enum Token {
    Word(String),
    Text(String),
    Colons,
    Mark(char),
}

/// A module with a file of its own, or one written inside of another.
#[derive(Debug, Clone, Default)]
pub(super) struct Module {
    pub path: Names,
    pub children: BTreeSet<String>,
    pub items: BTreeSet<String>,
    /// The names that `use` binds, each to the path it is written with.
    pub bound: BTreeMap<String, Names>,
    /// The paths before `::*`.
    pub globs: Vec<Names>,
    /// The paths in its code, as they are written. A re-export alone is none.
    pub named: BTreeSet<Names>,
    /// String literals; with `true` those that a part of a text is compared with.
    pub texts: BTreeSet<(String, bool)>,
}

/// Functions that compare a part of a text.
const PARTS: &[&str] = &["starts_with", "ends_with", "contains", "strip_prefix", "strip_suffix", "find", "split_once"];

fn tokens(text: &str) -> Vec<Token> {
    let chars: Vec<char> = text.chars().collect();
    let (mut found, mut at) = (Vec::new(), 0);
    let is = |at: usize, text: &str| text.chars().enumerate().all(|(n, c)| chars.get(at + n) == Some(&c));
    let part_of_word = |c: &char| c.is_alphanumeric() || *c == '_';
    while let Some(&c) = chars.get(at) {
        if is(at, "//") {
            at += chars[at..].iter().take_while(|c| **c != '\n').count();
        } else if is(at, "/*") {
            let mut depth = 0;
            while at < chars.len() {
                depth += i32::from(is(at, "/*")) - i32::from(is(at, "*/"));
                at += if is(at, "/*") || is(at, "*/") { 2 } else { 1 };
                if depth == 0 {
                    break;
                }
            }
        } else if c == '"' {
            let mut literal = String::new();
            at += 1;
            while let Some(&c) = chars.get(at).filter(|c| **c != '"') {
                if c == '\\' {
                    at += 1;
                } else {
                    literal.push(c);
                }
                at += 1;
            }
            at += 1;
            found.push(Token::Text(literal));
        } else if c == '\'' {
            // A character, or else a lifetime.
            at += 1;
            if is(at, "\\") {
                at += 2;
                at += chars[at..].iter().take_while(|c| **c != '\'').count() + 1;
            } else if is(at + 1, "'") {
                at += 2;
            } else {
                at += chars[at..].iter().take_while(|c| part_of_word(c)).count();
            }
        } else if c.is_alphabetic() || c == '_' {
            let length = chars[at..].iter().take_while(|c| part_of_word(c)).count();
            let word: String = chars[at..at + length].iter().collect();
            at += length;
            let hashes = chars[at..].iter().take_while(|c| **c == '#').count();
            if ["r", "br", "cr"].contains(&word.as_str()) && is(at + hashes, "\"") {
                let end: String = std::iter::once('"').chain(std::iter::repeat_n('#', hashes)).collect();
                at += hashes + 1;
                let length = (at..chars.len()).take_while(|at| !is(*at, &end)).count();
                found.push(Token::Text(chars[at..at + length].iter().collect()));
                at += length + hashes + 1;
            } else if !["b", "c"].contains(&word.as_str()) || !is(at, "\"") {
                found.push(Token::Word(word));
            }
        } else if is(at, "::") {
            found.push(Token::Colons);
            at += 2;
        } else {
            if !c.is_whitespace() && !c.is_numeric() {
                found.push(Token::Mark(c));
            }
            at += if c.is_numeric() { chars[at..].iter().take_while(|c| part_of_word(c)).count() } else { 1 };
        }
    }
    found
}

struct Reader {
    tokens: Vec<Token>,
    modules: Vec<Module>,
    /// The modules that the place is in, each with the depth of braces inside of it.
    open: Vec<(usize, usize)>,
    depth: usize,
}

/// The modules of a file, its own first. `path` is that of its own module.
pub(super) fn read(path: Names, text: &str) -> Vec<Module> {
    let mut reader = Reader {
        tokens: tokens(text),
        modules: vec![Module { path, ..Module::default() }],
        open: vec![(0, 0)],
        depth: 0,
    };
    let mut at = 0;
    while at < reader.tokens.len() {
        at = reader.next(at);
    }
    reader.modules
}

impl Reader {
    fn mark(&self, at: usize, mark: char) -> bool {
        self.tokens.get(at) == Some(&Token::Mark(mark))
    }

    fn word(&self, at: usize) -> Option<&str> {
        match self.tokens.get(at) {
            Some(Token::Word(word)) => Some(word),
            _ => None,
        }
    }

    fn module(&mut self) -> &mut Module {
        let at = self.open.last().map_or(0, |(at, _)| *at);
        &mut self.modules[at]
    }

    /// The place behind the bracket that closes the one at `at`.
    fn behind(&self, at: usize) -> usize {
        let mut depth = 0;
        for (n, token) in self.tokens.iter().enumerate().skip(at) {
            match token {
                Token::Mark('(' | '[' | '{') => depth += 1,
                Token::Mark(')' | ']' | '}') => depth -= 1,
                _ => {}
            }
            if depth <= 0 {
                return n + 1;
            }
        }
        self.tokens.len()
    }

    /// The place behind an item that begins at `at`, its attributes included.
    fn behind_item(&self, mut at: usize) -> usize {
        while self.mark(at, '#') {
            at = self.behind(at + 1);
        }
        let ends_with_braces =
            |word: &str| ["fn", "mod", "impl", "struct", "enum", "trait", "macro_rules"].contains(&word);
        let mut braces = false;
        while at < self.tokens.len() {
            match &self.tokens[at] {
                Token::Mark(';') => return at + 1,
                Token::Mark(',') if !braces => return at + 1,
                Token::Mark('}') => return at,
                Token::Mark('{') if braces => return self.behind(at),
                Token::Mark('(' | '[' | '{') => at = self.behind(at),
                token => {
                    braces |= matches!(token, Token::Word(word) if ends_with_braces(word));
                    at += 1;
                }
            }
        }
        at
    }

    /// Reads what is at `at`; the place behind it.
    fn next(&mut self, at: usize) -> usize {
        match self.tokens[at].clone() {
            Token::Mark('#') if self.mark(at + 1, '[') => {
                let end = self.behind(at + 1);
                let words: Vec<&str> = (at..end).filter_map(|at| self.word(at)).collect();
                if matches!(words[..], ["cfg", "test"] | ["cfg", "all", "test", ..]) {
                    return self.behind_item(end);
                }
                for at in at..end {
                    self.text(at);
                }
                end
            }
            Token::Mark(mark @ ('{' | '}')) => {
                self.depth = if mark == '{' { self.depth + 1 } else { self.depth.saturating_sub(1) };
                let depth = self.depth;
                self.open.retain(|(_, inside)| *inside <= depth);
                at + 1
            }
            Token::Text(_) => {
                self.text(at);
                at + 1
            }
            Token::Word(word) => match word.as_str() {
                "mod" => self.declared_module(at),
                "use" if !self.mark(at + 1, '<') => self.import(at),
                "fn" | "struct" | "enum" | "trait" | "const" | "static" | "type" | "macro_rules" => {
                    let name = if self.mark(at + 1, '!') { at + 2 } else { at + 1 };
                    let outermost = self.open.last().is_some_and(|(_, inside)| *inside == self.depth);
                    if let Some(name) = self.word(name).filter(|_| outermost).map(str::to_owned) {
                        self.module().items.insert(name);
                    }
                    // A name that is declared is not one that is used.
                    if word == "const" && self.word(at + 1) == Some("fn") { at + 1 } else { name + 1 }
                }
                _ => self.path(at),
            },
            _ => at + 1,
        }
    }

    fn text(&mut self, at: usize) {
        let Some(Token::Text(text)) = self.tokens.get(at).cloned() else { return };
        let compared = at >= 2 && self.mark(at - 1, '(') && self.word(at - 2).is_some_and(|word| PARTS.contains(&word));
        self.module().texts.insert((text, compared));
    }

    fn declared_module(&mut self, at: usize) -> usize {
        let Some(name) = self.word(at + 1).map(str::to_owned) else { return at + 1 };
        self.module().children.insert(name.clone());
        if self.mark(at + 2, '{') {
            self.depth += 1;
            let path = self.module().path.iter().cloned().chain([name]).collect();
            self.open.push((self.modules.len(), self.depth));
            self.modules.push(Module { path, ..Module::default() });
            return at + 3;
        }
        at + 2
    }

    /// A path in the code. One name alone is read where it looks like a type, a constant, or a function that is called.
    fn path(&mut self, at: usize) -> usize {
        let mut path: Names = self.word(at).map(str::to_owned).into_iter().collect();
        let mut end = at + 1;
        while let Some(next) = self.word(end + 1).filter(|_| self.tokens[end] == Token::Colons) {
            path.push(next.to_owned());
            end += 2;
        }
        let field = at > 0 && matches!(self.tokens[at - 1], Token::Mark('.') | Token::Colons);
        let upper = path[0].starts_with(|c: char| c.is_uppercase());
        if !field && (path.len() > 1 || upper || self.mark(end, '(') || self.mark(end, '!')) {
            self.module().named.insert(path);
        }
        end
    }

    fn import(&mut self, at: usize) -> usize {
        let end = (at..self.tokens.len()).find(|at| self.mark(*at, ';')).unwrap_or(self.tokens.len());
        let again = at > 0 && (self.word(at - 1) == Some("pub") || self.mark(at - 1, ')'));
        let mut paths = Vec::new();
        self.tree(at + 1, end, &[], &mut paths);
        for (path, name) in paths {
            // What is imported is named, what is exported again is not, unless it is another crate's.
            let strange = path.first().is_some_and(|head| head.starts_with("stepwright_"));
            let above = path.iter().all(|part| ["crate", "self", "super"].contains(&part.as_str()));
            if !(again || name == "*" && above) || strange {
                self.module().named.insert(path.clone());
            }
            if name == "*" {
                self.module().globs.push(path);
            } else {
                self.module().bound.insert(name, path);
            }
        }
        end
    }

    /// The paths that an import names, each with the name that it binds: `a::{b, c as d, e::*}`.
    fn tree(&self, mut at: usize, end: usize, above: &[String], found: &mut Vec<(Names, String)>) {
        let mut path = above.to_vec();
        while at < end {
            match &self.tokens[at] {
                Token::Mark('{') => {
                    let close = self.behind(at) - 1;
                    let mut begin = at + 1;
                    while begin < close {
                        let mut comma = begin;
                        while comma < close && !self.mark(comma, ',') {
                            comma = if self.mark(comma, '{') { self.behind(comma) } else { comma + 1 };
                        }
                        self.tree(begin, comma, &path, found);
                        begin = comma + 1;
                    }
                    return;
                }
                Token::Mark('*') => return found.push((path, "*".to_owned())),
                Token::Word(word) if word == "as" => {
                    let name = self.word(at + 1).unwrap_or_default().to_owned();
                    return found.push((path, name));
                }
                Token::Word(word) if word == "self" && !path.is_empty() => {}
                Token::Word(word) => path.push(word.clone()),
                _ => {}
            }
            at += 1;
        }
        if let Some(name) = path.last().cloned() {
            found.push((path, name));
        }
    }
}
