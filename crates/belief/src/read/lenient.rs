//! Lenient parser that repairs as it goes, for state texts that are nearly JSON.
//!
//! It never gives up on a fault: a missing sign is put in, a surplus one skipped, and each is noted. What distinguishes a closing quote
//! from the next opening one is what follows it (`words`). An object's entry (its name and a `{`) where a property is expected ends
//! the entry before it, so that one missing brace does not swallow the rest. Only nesting beyond the limit is an error.

use std::collections::HashSet;
use std::mem::take;

use serde_json::{Map, Value};

use super::lines::Body;
use super::repair::{Fault, Repairs, clip};
use super::words::{Scan, Text, Words, is_quote};
use super::{DEEPEST, ReadError};
use crate::OBJECTS;

/// Reads the entries of a state: the object, and whether the text ends inside an entry's name.
pub fn read(body: &Body, repairs: &mut Repairs) -> Result<(Value, bool), ReadError> {
    let mut parser = Parser {
        words: Words::new(&body.text, body.line),
        repairs,
        objects: HashSet::new(),
        cut_name: false,
        took_comma: false,
    };
    let state = parser.state()?;
    Ok((Value::Object(state), parser.cut_name))
}

struct Parser<'a> {
    words: Words,
    repairs: &'a mut Repairs,
    objects: HashSet<String>,
    /// The text ended inside an entry's name.
    cut_name: bool,
    /// An object or list that was not closed took the comma that belongs behind it.
    took_comma: bool,
}

enum Name {
    /// A name; its value follows.
    Is(String),
    Skipped,
    End,
}

impl Parser<'_> {
    fn state(&mut self) -> Result<Map<String, Value>, ReadError> {
        let mut entries = Map::new();
        self.words.skip_blanks();
        if !self.words.take('{') {
            self.note(Fault::Missing('{'));
        }
        let mut comma = true;
        loop {
            let line = self.words.line();
            self.words.skip_blanks();
            match self.words.peek() {
                None => {
                    self.repairs.note(line, Fault::CutOff);
                    return Ok(entries);
                }
                Some('}') => {
                    let line = self.words.line();
                    self.words.next();
                    if !self.go_to_more_entries() {
                        if comma && !entries.is_empty() {
                            self.repairs.note(line, Fault::SurplusComma);
                        }
                        self.beside();
                        return Ok(entries);
                    }
                    self.repairs.note(line, Fault::Surplus('}'));
                    comma = true;
                }
                Some(',') => self.comma(&mut comma),
                Some(c @ ('{' | '[' | ']' | ':')) => self.surplus(c),
                Some(_) if self.words.at_word("query") || self.words.at_word("state") => {
                    self.note(Fault::Missing('}'));
                    self.beside();
                    return Ok(entries);
                }
                Some(_) => {
                    let line = self.words.line();
                    match self.name(1) {
                        Name::Is(name) => {
                            if !comma {
                                self.repairs.note(line, Fault::MissingComma);
                            }
                            self.entry(&mut entries, name, line, 1)?;
                            comma = take(&mut self.took_comma);
                        }
                        Name::Skipped => {}
                        Name::End => return Ok(entries),
                    }
                }
            }
        }
    }

    /// The entries of an object that has been opened, up to its brace.
    fn object(&mut self, depth: usize) -> Result<Map<String, Value>, ReadError> {
        let mut entries = Map::new();
        let mut comma = true;
        loop {
            self.words.skip_blanks();
            match self.words.peek() {
                None => {
                    self.note(Fault::CutOff);
                    return Ok(entries);
                }
                Some('}') => {
                    if comma && !entries.is_empty() {
                        self.note(Fault::SurplusComma);
                    }
                    self.words.next();
                    return Ok(entries);
                }
                Some(']') if depth > 2 => {
                    self.note(Fault::Missing('}'));
                    return Ok(entries);
                }
                Some(',') => self.comma(&mut comma),
                Some(c @ ('{' | '[' | ']' | ':')) => self.surplus(c),
                Some(_) => {
                    let (from, line) = (self.words.mark(), self.words.line());
                    match self.name(depth) {
                        Name::Is(name) if self.objects.contains(&name) && self.words.before_brace() => {
                            self.words.back(from);
                            self.note(Fault::Missing('}'));
                            self.took_comma = comma;
                            return Ok(entries);
                        }
                        Name::Is(name) => {
                            if !comma {
                                self.repairs.note(line, Fault::MissingComma);
                            }
                            self.entry(&mut entries, name, line, depth)?;
                            comma = take(&mut self.took_comma);
                        }
                        Name::Skipped => {}
                        Name::End => return Ok(entries),
                    }
                }
            }
        }
    }

    /// The elements of a list that has been opened, up to its bracket.
    fn list(&mut self, depth: usize) -> Result<Vec<Value>, ReadError> {
        let mut elements = Vec::new();
        let mut comma = true;
        loop {
            self.words.skip_blanks();
            let line = self.words.line();
            match self.words.peek() {
                None => {
                    self.note(Fault::CutOff);
                    return Ok(elements);
                }
                Some(']') => {
                    if comma && !elements.is_empty() {
                        self.note(Fault::SurplusComma);
                    }
                    self.words.next();
                    return Ok(elements);
                }
                Some('}') => {
                    self.note(Fault::Missing(']'));
                    return Ok(elements);
                }
                Some(',') => {
                    self.comma(&mut comma);
                    continue;
                }
                Some(_) => {}
            }
            let from = self.words.mark();
            let element = self.value(depth, Scan::Element)?;
            if element.as_ref().is_some_and(Value::is_string) && self.words.before_colon() {
                // A name: the list was not closed before it.
                self.words.back(from);
                self.note(Fault::Missing(']'));
                self.took_comma = comma;
                return Ok(elements);
            }
            if !comma {
                self.repairs.note(line, Fault::MissingComma);
            }
            comma = take(&mut self.took_comma);
            elements.extend(element.filter(|e| e.as_str() != Some("")));
        }
    }

    fn name(&mut self, depth: usize) -> Name {
        let line = self.words.line();
        let (name, faults) = match self.words.text(Scan::Name) {
            Text::Whole { text, faults } => (text, faults),
            Text::Cut(text) => {
                self.repairs.note(line, Fault::CutName(clip(&text)));
                self.cut_name |= depth == 1;
                return Name::End;
            }
        };
        let after = self.words.mark();
        self.words.skip_blanks();
        let sign = match self.words.peek() {
            Some(':') => None,
            Some('=') => Some(Fault::Equals),
            Some('{' | '[') => Some(Fault::MissingColon(clip(&name))),
            None if depth == 1 => None,
            _ => {
                self.words.back(after);
                self.repairs.note(line, Fault::LeftOut(clip(&name)));
                return Name::Skipped;
            }
        };
        if matches!(self.words.peek(), Some(':' | '=')) {
            self.words.next();
        }
        faults.into_iter().chain(sign).for_each(|fault| self.repairs.note(line, fault));
        Name::Is(name)
    }

    /// The value of a name, put among the entries.
    fn entry(
        &mut self,
        entries: &mut Map<String, Value>,
        name: String,
        line: usize,
        depth: usize,
    ) -> Result<(), ReadError> {
        let from = self.words.mark();
        let mut value = self.value(depth, Scan::Value)?;
        if value.as_ref().is_some_and(Value::is_string) && self.words.line() > line && self.words.before_colon() {
            // The next entry's name, not this one's value.
            self.words.back(from);
            value = None;
        }
        if value.is_none() {
            self.repairs.note(line, Fault::MissingValue(clip(&name)));
            // An object of which nothing is said is still an entry.
            value = (depth == 1).then_some(Value::Null);
        }
        let Some(value) = value else { return Ok(()) };
        if depth == 1 && name.trim() == OBJECTS {
            let names = value.as_array().map(Vec::as_slice).unwrap_or_default();
            self.objects.extend(names.iter().filter_map(Value::as_str).map(|n| n.trim().to_owned()));
        }
        if entries.insert(name.clone(), value).is_some() {
            self.repairs.note(line, Fault::Twice(clip(&name)));
        }
        Ok(())
    }

    fn value(&mut self, depth: usize, scan: Scan) -> Result<Option<Value>, ReadError> {
        self.words.skip_blanks();
        while let Some(sign @ (':' | '=')) = self.words.peek() {
            self.surplus(sign);
            self.words.skip_blanks();
        }
        let line = self.words.line();
        match self.words.peek() {
            None | Some(',' | '}' | ']') => Ok(None),
            Some('{' | '[') if depth >= DEEPEST => Err(ReadError::TooDeep { line }),
            Some('{') => {
                self.words.next();
                Ok(Some(Value::Object(self.object(depth + 1)?)))
            }
            Some('[') => {
                self.words.next();
                Ok(Some(Value::Array(self.list(depth + 1)?)))
            }
            Some(c) => {
                let (text, faults) = match self.words.text(scan) {
                    Text::Whole { text, faults } => (text, faults),
                    Text::Cut(text) => (text, vec![Fault::CutOff]),
                };
                if !is_quote(c)
                    && let Some(plain) = plain(&text)
                {
                    return Ok(Some(plain));
                }
                faults.into_iter().for_each(|fault| self.repairs.note(line, fault));
                Ok(Some(Value::String(text)))
            }
        }
    }

    /// Whether another entry follows a closing brace, behind commas and further braces; goes there if so.
    fn go_to_more_entries(&mut self) -> bool {
        let from = self.words.mark();
        loop {
            self.words.skip_blanks();
            match self.words.peek() {
                Some(',' | '}') => self.words.next(),
                Some(c) if is_quote(c) => break,
                _ => {
                    self.words.back(from);
                    return false;
                }
            }
        }
        let entry = self.words.mark();
        let named = matches!(self.words.text(Scan::Name), Text::Whole { .. }) && self.words.before_colon();
        self.words.back(if named { entry } else { from });
        named
    }

    fn beside(&mut self) {
        self.words.skip_blanks();
        let rest = self.words.rest_of_line();
        if !rest.trim().is_empty() {
            self.note(Fault::Beside(clip(&rest)));
        }
    }

    fn comma(&mut self, comma: &mut bool) {
        if *comma {
            self.note(Fault::SurplusComma);
        }
        *comma = true;
        self.words.next();
    }

    fn surplus(&mut self, bracket: char) {
        self.note(Fault::Surplus(bracket));
        self.words.next();
    }

    fn note(&mut self, fault: Fault) {
        self.repairs.note(self.words.line(), fault);
    }
}

/// A word without quotes that is a JSON value, as Python writes them too.
fn plain(word: &str) -> Option<Value> {
    match word {
        "true" | "True" => Some(Value::Bool(true)),
        "false" | "False" => Some(Value::Bool(false)),
        "null" | "None" => Some(Value::Null),
        _ => word.parse::<serde_json::Number>().ok().map(Value::Number),
    }
}
