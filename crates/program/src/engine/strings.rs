//! Methods of `str`.

use super::fault::{ExcKind, Stop};
use super::number::{Num, num};
use super::value::{Name, Obj, Value};
use super::vm::{Args, Done, Keywords, Vm};

impl Vm {
    pub(crate) fn str_method(&mut self, text: &str, name: &Name, args: &Args, keywords: &Keywords) -> Done<Value> {
        self.work(text.len())?;
        if &**name == "format" {
            return self.str_format(text, args, keywords);
        }
        if !keywords.is_empty() && !matches!(&**name, "split" | "rsplit" | "splitlines" | "expandtabs" | "encode") {
            return Err(rough!(TypeError, "str.{name}() takes no keyword arguments"));
        }
        if !keywords.is_empty() {
            return Err(unsupported!("keyword arguments of str.{name}"));
        }
        if matches!(&**name, "encode" | "expandtabs" | "format_map" | "maketrans" | "splitlines" | "translate") {
            return Err(unsupported!("str.{name}"));
        }
        match &**name {
            "join" => self.join(text, args.first().unwrap_or(&Value::None)),
            "startswith" | "endswith" => self.starts(text, name, args),
            "find" | "rfind" | "index" | "rindex" | "count" => self.find(text, name, args),
            "split" | "rsplit" => self.split(text, &**name == "rsplit", args),
            "strip" | "lstrip" | "rstrip" => {
                let chars: Option<Vec<char>> = match args.first() {
                    None | Some(Value::None) => None,
                    Some(Value::Str(set)) => Some(set.chars().collect()),
                    Some(other) => {
                        let other = self.type_name(other);
                        return Err(type_error!("{name} arg must be None or str, not {other}"));
                    }
                };
                let drop = |c: char| chars.as_ref().map_or_else(|| is_space(c), |set| set.contains(&c));
                let cut = match &**name {
                    "strip" => text.trim_matches(drop),
                    "lstrip" => text.trim_start_matches(drop),
                    _ => text.trim_end_matches(drop),
                };
                self.new_str(cut.to_owned())
            }
            "replace" => self.replace(text, args),
            "partition" | "rpartition" => {
                let separator = self.text_arg(args, 0, name)?;
                if separator.is_empty() {
                    return Err(Stop::exact(ExcKind::ValueError, "empty separator"));
                }
                let found =
                    if &**name == "partition" { text.split_once(&*separator) } else { text.rsplit_once(&*separator) };
                let parts = match found {
                    Some((a, b)) => [a, &*separator, b],
                    None if &**name == "partition" => [text, "", ""],
                    None => ["", "", text],
                };
                self.spend(text.len())?;
                self.new_tuple(parts.map(Value::str).to_vec())
            }
            "removeprefix" | "removesuffix" => {
                let affix = self.text_arg(args, 0, name)?;
                let cut =
                    if &**name == "removeprefix" { text.strip_prefix(&*affix) } else { text.strip_suffix(&*affix) };
                self.new_str(cut.unwrap_or(text).to_owned())
            }
            "zfill" | "center" | "ljust" | "rjust" => self.justify(text, name, args),
            "lower" => self.new_str(text.to_lowercase()),
            "upper" => self.new_str(text.to_uppercase()),
            _ => self.ascii_method(text, name),
        }
    }

    /// Methods that take no argument and would need tables for more than ASCII.
    fn ascii_method(&mut self, text: &str, name: &str) -> Done<Value> {
        if name == "isascii" {
            return Ok(Value::Bool(text.is_ascii()));
        }
        if name == "isprintable" {
            for c in text.chars() {
                match super::text::printable(c) {
                    Some(true) => {}
                    Some(false) => return Ok(Value::Bool(false)),
                    None => return Err(Stop::unsupported("isprintable of rare characters")),
                }
            }
            return Ok(Value::Bool(true));
        }
        let letters_only =
            |c: char| c.is_ascii() || matches!(c, 'À'..='Ö' | 'Ø'..='ö' | 'ø'..='ÿ' | '\u{4e00}'..='\u{9fff}');
        let known = match name {
            "isalpha" | "isalnum" | "isdigit" | "isdecimal" | "isspace" => text.chars().all(letters_only),
            "isnumeric" => text.is_ascii(),
            _ => text.is_ascii(),
        };
        if !known {
            return Err(unsupported!("str.{name} beyond ASCII"));
        }
        let all = |f: fn(char) -> bool| Value::Bool(!text.is_empty() && text.chars().all(f));
        Ok(match name {
            "isalpha" => all(|c| c.is_ascii_alphabetic() || !c.is_ascii()),
            "isalnum" => all(|c| c.is_ascii_alphanumeric() || !c.is_ascii()),
            "isdigit" | "isnumeric" | "isdecimal" => all(|c| c.is_ascii_digit()),
            "isspace" => all(is_space),
            "isupper" | "islower" => {
                let cased = text.chars().any(|c| c.is_ascii_alphabetic());
                let wrong = if name == "isupper" {
                    text.chars().any(|c| c.is_ascii_lowercase())
                } else {
                    text.chars().any(|c| c.is_ascii_uppercase())
                };
                Value::Bool(cased && !wrong)
            }
            "istitle" => {
                let (mut cased, mut previous, mut fine) = (false, false, true);
                for c in text.chars() {
                    if c.is_ascii_alphabetic() {
                        fine &= c.is_ascii_uppercase() != previous;
                        cased = true;
                        previous = true;
                    } else {
                        previous = false;
                    }
                }
                Value::Bool(cased && fine)
            }
            "isidentifier" => {
                let mut chars = text.chars();
                let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || c == '_');
                Value::Bool(first && chars.all(|c| c.is_ascii_alphanumeric() || c == '_'))
            }
            "casefold" => return self.new_str(text.to_ascii_lowercase()),
            "capitalize" => {
                let lower = text.to_ascii_lowercase();
                let mut chars = lower.chars();
                let first = chars.next().map(|c| c.to_ascii_uppercase());
                return self.new_str(first.into_iter().chain(chars).collect());
            }
            "swapcase" => {
                let swap =
                    |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
                return self.new_str(text.chars().map(swap).collect());
            }
            _ => {
                let mut previous = false;
                let titled = text
                    .chars()
                    .map(|c| {
                        let c = if previous { c.to_ascii_lowercase() } else { c.to_ascii_uppercase() };
                        previous = c.is_ascii_alphabetic();
                        c
                    })
                    .collect();
                return self.new_str(titled);
            }
        })
    }

    fn text_arg(&self, args: &Args, i: usize, name: &str) -> Done<std::sync::Arc<str>> {
        match args.get(i) {
            Some(Value::Str(text)) => Ok(text.clone()),
            Some(other) => {
                let other = self.type_name(other);
                Err(rough!(TypeError, "str.{name}() argument must be str, not {other}"))
            }
            None => Err(rough!(TypeError, "str.{name}() takes an argument")),
        }
    }

    fn join(&mut self, separator: &str, iterable: &Value) -> Done<Value> {
        let items = match self.collect(iterable) {
            Err(Stop::Raise(r)) if r.kind == ExcKind::TypeError && r.message.ends_with("is not iterable") => {
                return Err(Stop::type_error("can only join an iterable"));
            }
            other => other?,
        };
        let mut out = String::new();
        for (i, item) in items.iter().enumerate() {
            let Value::Str(part) = item else {
                let name = self.type_name(item);
                return Err(type_error!("sequence item {i}: expected str instance, {name} found"));
            };
            if i > 0 {
                self.spend(separator.len())?;
                out.push_str(separator);
            }
            self.spend(part.len())?;
            out.push_str(part);
        }
        Ok(Value::Str(out.into()))
    }

    /// The part of a text between optional bounds (in characters), and where it starts; `None` for an impossible range.
    fn window<'t>(&mut self, text: &'t str, args: &Args) -> Done<Option<(&'t str, usize)>> {
        let len = if text.is_ascii() { text.len() } else { text.chars().count() } as i64;
        let bound = |i: usize, default: i64| -> Done<i64> {
            match args.get(i) {
                None | Some(Value::None) => Ok(default),
                Some(value) => match num(value) {
                    Some(Num::Int(n)) => Ok(if n < 0 { (n.saturating_add(len)).max(0) } else { n }),
                    Some(Num::Big(_)) => Err(Stop::unsupported("numbers beyond 64 bits here")),
                    _ => Err(Stop::type_error("slice indices must be integers or None or have an __index__ method")),
                },
            }
        };
        let (start, end) = (bound(1, 0)?, bound(2, len)?.min(len));
        if start > end {
            return Ok(None);
        }
        let byte = |n: i64| {
            if text.is_ascii() {
                return n as usize;
            }
            text.char_indices().nth(n as usize).map_or(text.len(), |(i, _)| i)
        };
        Ok(text.get(byte(start)..byte(end)).map(|part| (part, start as usize)))
    }

    fn starts(&mut self, text: &str, name: &str, args: &Args) -> Done<Value> {
        let wrong = |vm: &Vm, value: &Value, tuple: bool| {
            let other = vm.type_name(value);
            if tuple {
                type_error!("tuple for {name} must only contain str, not {other}")
            } else {
                type_error!("{name} first arg must be str or a tuple of str, not {other}")
            }
        };
        let affixes = match args.first() {
            Some(value @ Value::Str(_)) => vec![value.clone()],
            Some(value @ Value::Ref(id)) => match self.heap.get(*id) {
                Obj::Tuple(items) => items.clone(),
                _ => return Err(wrong(self, value, false)),
            },
            other => return Err(wrong(self, other.unwrap_or(&Value::None), false)),
        };
        let window = self.window(text, args)?;
        for affix in &affixes {
            let Value::Str(affix) = affix else { return Err(wrong(self, affix, true)) };
            self.work(affix.len())?;
            let Some((part, _)) = window else { continue };
            if if name == "startswith" { part.starts_with(&**affix) } else { part.ends_with(&**affix) } {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn find(&mut self, text: &str, name: &str, args: &Args) -> Done<Value> {
        let part = match args.first() {
            Some(Value::Str(part)) => part.clone(),
            other => {
                let other = self.type_name(other.unwrap_or(&Value::None));
                return Err(type_error!("must be str, not {other}"));
            }
        };
        self.work(text.len() + part.len())?;
        let window = self.window(text, args)?;
        if name == "count" {
            return Ok(Value::Int(match window {
                None => 0,
                Some((within, _)) if part.is_empty() => within.chars().count() as i64 + 1,
                Some((within, _)) => within.matches(&*part).count() as i64,
            }));
        }
        let found = window.and_then(|(within, start)| {
            let at = if name.starts_with('r') { within.rfind(&*part) } else { within.find(&*part) }?;
            Some(start + within.get(..at)?.chars().count())
        });
        match found {
            Some(at) => Ok(Value::Int(at as i64)),
            None if name.ends_with("find") => Ok(Value::Int(-1)),
            None => Err(Stop::exact(ExcKind::ValueError, "substring not found")),
        }
    }

    fn split(&mut self, text: &str, from_right: bool, args: &Args) -> Done<Value> {
        let most = match args.get(1) {
            None => -1,
            Some(value) => self.whole(value)?,
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let mut parts: Vec<&str> = match args.first() {
            None | Some(Value::None) => split_blank(text, most, from_right),
            Some(Value::Str(separator)) if separator.is_empty() => {
                return Err(Stop::exact(ExcKind::ValueError, "empty separator"));
            }
            Some(Value::Str(separator)) => {
                let limit = most.saturating_add(1);
                if from_right {
                    let mut parts: Vec<&str> = text.rsplitn(limit, &**separator).collect();
                    parts.reverse();
                    parts
                } else {
                    text.splitn(limit, &**separator).collect()
                }
            }
            Some(other) => {
                let other = self.type_name(other);
                return Err(type_error!("must be str or None, not {other}"));
            }
        };
        self.spend_times(parts.len(), 40)?;
        self.spend(text.len())?;
        let items = parts.drain(..).map(Value::str).collect();
        self.new_list(items)
    }

    fn replace(&mut self, text: &str, args: &Args) -> Done<Value> {
        let name = "replace";
        let (old, new) = (self.text_arg(args, 0, name)?, self.text_arg(args, 1, name)?);
        let most = match args.get(2) {
            None => -1,
            Some(value) => self.whole(value)?,
        };
        let most = usize::try_from(most).unwrap_or(usize::MAX);
        let count = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() }.min(most);
        self.spend_times(count, new.len())?;
        self.spend(text.len())?;
        Ok(Value::Str(text.replacen(&*old, &new, most).into()))
    }

    fn justify(&mut self, text: &str, name: &str, args: &Args) -> Done<Value> {
        let width = match args.first() {
            Some(value) => self.whole(value)?,
            None => 0,
        };
        let fill = match args.get(1) {
            None => ' ',
            Some(Value::Str(fill)) if fill.chars().count() == 1 => fill.chars().next().unwrap_or(' '),
            Some(_) => {
                return Err(Stop::type_error("The fill character must be exactly one character long"));
            }
        };
        let len = text.chars().count();
        let missing = usize::try_from(width).unwrap_or(0).saturating_sub(len);
        self.spend_times(missing, fill.len_utf8())?;
        let repeat = |c: char, n: usize| c.to_string().repeat(n);
        self.new_str(match name {
            "ljust" => format!("{text}{}", repeat(fill, missing)),
            "rjust" => format!("{}{text}", repeat(fill, missing)),
            "center" => {
                // CPython puts the odd one left only when the width is odd.
                let left = missing / 2 + (missing & usize::try_from(width).unwrap_or(0) & 1);
                format!("{}{text}{}", repeat(fill, left), repeat(fill, missing - left))
            }
            _ => match text.strip_prefix(['-', '+']) {
                Some(rest) => format!("{}{}{rest}", &text[..1], repeat('0', missing)),
                None => format!("{}{text}", repeat('0', missing)),
            },
        })
    }

    /// `str.format`.
    fn str_format(&mut self, template: &str, args: &Args, keywords: &Keywords) -> Done<Value> {
        let mut out = String::new();
        let mut chars = template.chars().peekable();
        let mut auto = 0;
        while let Some(c) = chars.next() {
            match c {
                '{' if chars.peek() == Some(&'{') => {
                    chars.next();
                    out.push('{');
                }
                '}' if chars.peek() == Some(&'}') => {
                    chars.next();
                    out.push('}');
                }
                '}' => return Err(Stop::exact(ExcKind::ValueError, "Single '}' encountered in format string")),
                '{' => {
                    let mut field = String::new();
                    loop {
                        match chars.next() {
                            Some('}') => break,
                            Some('{') => return Err(Stop::unsupported("nested fields in format strings")),
                            Some(c) => field.push(c),
                            None => return Err(Stop::raise(ExcKind::ValueError, "expected '}' before end of string")),
                        }
                    }
                    let (head, spec) = field.split_once(':').unwrap_or((&field, ""));
                    let (name, conversion) = match head.split_once('!') {
                        Some((name, conversion)) => (name, conversion),
                        None => (head, ""),
                    };
                    if name.contains(['.', '[']) {
                        return Err(Stop::unsupported("attributes and items in format strings"));
                    }
                    let index = |i: usize| {
                        args.get(i).cloned().ok_or_else(|| {
                            exact!(IndexError, "Replacement index {i} out of range for positional args tuple")
                        })
                    };
                    let value = if name.is_empty() {
                        auto += 1;
                        index(auto - 1)?
                    } else if let Ok(i) = name.parse::<usize>() {
                        if auto > 0 {
                            return Err(Stop::raise(
                                ExcKind::ValueError,
                                "cannot switch from automatic field numbering to manual field specification",
                            ));
                        }
                        index(i)?
                    } else {
                        match keywords.iter().find(|(n, _)| &**n == name) {
                            Some((_, value)) => value.clone(),
                            None => return Err(self.key_error(&Value::str(name))?),
                        }
                    };
                    let value = match conversion {
                        "" if head.contains('!') => return Err(Stop::raise(ExcKind::ValueError, "bad conversion")),
                        "" => value,
                        "s" => Value::str(&self.str_of(&value)?),
                        "r" => Value::str(&self.repr(&value)?),
                        "a" => Value::str(&super::text::ascii(&self.repr(&value)?)),
                        _ => return Err(Stop::raise(ExcKind::ValueError, "Unknown conversion specifier")),
                    };
                    let text = self.format_value(&value, spec)?;
                    self.spend(text.len())?;
                    out.push_str(&text);
                }
                c => out.push(c),
            }
        }
        self.new_str(out)
    }
}

/// White space as Python's `str` methods see it.
pub(crate) fn is_space(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{1c}'..='\u{1f}')
}

fn split_blank(text: &str, most: usize, from_right: bool) -> Vec<&str> {
    let mut parts = Vec::new();
    if from_right {
        let mut rest = text.trim_end_matches(is_space);
        while !rest.is_empty() {
            if parts.len() == most {
                parts.push(rest);
                break;
            }
            match rest.char_indices().rev().find(|(_, c)| is_space(*c)) {
                Some((i, c)) => {
                    parts.push(&rest[i + c.len_utf8()..]);
                    rest = rest[..i].trim_end_matches(is_space);
                }
                None => {
                    parts.push(rest);
                    break;
                }
            }
        }
        parts.reverse();
        return parts;
    }
    let mut rest = text.trim_start_matches(is_space);
    while !rest.is_empty() {
        if parts.len() == most {
            parts.push(rest);
            break;
        }
        match rest.find(is_space) {
            Some(i) => {
                parts.push(&rest[..i]);
                rest = rest[i..].trim_start_matches(is_space);
            }
            None => {
                parts.push(rest);
                break;
            }
        }
    }
    parts
}
