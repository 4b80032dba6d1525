//! Methods of `str`, and of `bytes` as far as they are the same: bytes are handed over as texts of the first 256 characters.

use std::sync::Arc;

use super::fault::{ExcKind, Stop};
use super::letters::{
    casefold, decimal, ends_line, is_alpha, is_cased, is_digit, is_numeric, is_space, is_title, printable, push_title,
    settled,
};
use super::methods::given;
use super::number::{Num, num};
use super::relate::no_iterable;
use super::value::{Obj, Value};
use super::vm::{Args, Done, Vm};

/// CPython's word on a part that a text does not have.
pub(crate) const NOT_FOUND: &str = "substring not found";

#[derive(Clone, Copy)]
pub(crate) struct Text<'t> {
    pub text: &'t str,
    /// Whether it stands for bytes, of which only the ASCII ones are letters, digits or white space.
    pub bytes: bool,
}

impl Text<'_> {
    fn is_space(self, c: char) -> bool {
        if self.bytes { matches!(c, ' ' | '\t'..='\r') } else { is_space(c) }
    }

    /// Whether it is not empty and all its characters are so.
    fn all(self, is: fn(char) -> bool) -> Done<Value> {
        self.settled()?;
        let own = |c: char| is(c) && (c.is_ascii() || !self.bytes);
        Ok(Value::Bool(!self.text.is_empty() && self.text.chars().all(own)))
    }

    fn settled(self) -> Done<()> {
        if self.bytes { Ok(()) } else { settled(self.text) }
    }

    fn is_upper(self, c: char) -> bool {
        if self.bytes { c.is_ascii_uppercase() } else { c.is_uppercase() }
    }

    fn is_lower(self, c: char) -> bool {
        if self.bytes { c.is_ascii_lowercase() } else { c.is_lowercase() }
    }

    fn is_cased(self, c: char) -> bool {
        if self.bytes { c.is_ascii_alphabetic() } else { is_cased(c) }
    }
}

impl Vm {
    /// A method that texts and bytes have alike.
    pub(crate) fn text_method(&mut self, of: Text<'_>, name: &str, args: &Args) -> Done<Value> {
        let text = of.text;
        match name {
            "join" => self.join(text, given(args, 0)),
            "startswith" | "endswith" => self.starts(text, name, args),
            "find" | "rfind" | "index" | "rindex" | "count" => self.find(text, name, args),
            "split" | "rsplit" => self.split(of, name == "rsplit", args),
            "splitlines" => self.split_lines(of, args),
            "strip" | "lstrip" | "rstrip" => {
                let chars: Option<Vec<char>> = match given(args, 0) {
                    None | Some(Value::None) => None,
                    Some(Value::Str(set)) => Some(set.chars().collect()),
                    Some(_) => return Err(type_error!("{name} arg must be None or str")),
                };
                let drop = |c: char| chars.as_ref().map_or_else(|| of.is_space(c), |set| set.contains(&c));
                let cut = match name {
                    "strip" => text.trim_matches(drop),
                    "lstrip" => text.trim_start_matches(drop),
                    _ => text.trim_end_matches(drop),
                };
                self.new_str(cut.to_owned())
            }
            "replace" => self.replace(text, args),
            "partition" | "rpartition" => {
                let Some(Value::Str(separator)) = given(args, 0) else {
                    return Err(type_error!(
                        "must be str, not {}",
                        self.type_name(given(args, 0).unwrap_or(&Value::None))
                    ));
                };
                if separator.is_empty() {
                    return Err(Stop::exact(ExcKind::ValueError, "empty separator"));
                }
                let first = name == "partition";
                let found = if first { text.split_once(&**separator) } else { text.rsplit_once(&**separator) };
                let parts = match found {
                    Some((a, b)) => [a, &**separator, b],
                    None if first => [text, "", ""],
                    None => ["", "", text],
                };
                self.spend(text.len())?;
                self.new_tuple(parts.map(Value::str).to_vec())
            }
            "removeprefix" | "removesuffix" => {
                let affix = self.text_arg(args, 0, &format!("{name}() argument "))?;
                let cut = if name == "removeprefix" { text.strip_prefix(&*affix) } else { text.strip_suffix(&*affix) };
                self.new_str(cut.unwrap_or(text).to_owned())
            }
            "zfill" | "center" | "ljust" | "rjust" => self.justify(text, name, args),
            "expandtabs" => self.expand_tabs(text, args),
            "isascii" => Ok(Value::Bool(text.is_ascii())),
            "isalpha" => of.all(is_alpha),
            "isalnum" => of.all(|c| is_alpha(c) || is_digit(c) || is_numeric(c)),
            "isdigit" => of.all(is_digit),
            "isspace" => Ok(Value::Bool(!text.is_empty() && text.chars().all(|c| of.is_space(c)))),
            "isnumeric" => of.all(is_numeric),
            "isdecimal" => of.all(|c| decimal(c).is_some()),
            "isprintable" => {
                of.settled()?;
                Ok(Value::Bool(text.chars().all(printable)))
            }
            "isidentifier" => {
                of.settled()?;
                let mut chars = text.chars();
                let first = chars.next().is_some_and(|c| c == '_' || unicode_ident::is_xid_start(c));
                Ok(Value::Bool(first && chars.all(unicode_ident::is_xid_continue)))
            }
            "isupper" | "islower" => {
                of.settled()?;
                let upper = name == "isupper";
                let wanted = |c: char| if upper { of.is_upper(c) } else { of.is_lower(c) };
                let mut cased = text.chars().filter(|c| of.is_cased(*c)).peekable();
                Ok(Value::Bool(cased.peek().is_some() && cased.all(wanted)))
            }
            "istitle" => {
                of.settled()?;
                let (mut cased, mut previous, mut fine) = (false, false, true);
                for c in text.chars() {
                    let begins = of.is_upper(c) || (!of.bytes && is_title(c));
                    if of.is_cased(c) {
                        fine &= begins != previous;
                    }
                    previous = of.is_cased(c);
                    cased |= previous;
                }
                Ok(Value::Bool(cased && fine))
            }
            _ => {
                of.settled()?;
                let text = recased(of, name)?;
                self.new_str(text)
            }
        }
    }

    /// An argument that must be a text, as CPython calls it where it is none.
    fn text_arg(&self, args: &Args, i: usize, called: &str) -> Done<Arc<str>> {
        match given(args, i) {
            Some(Value::Str(text)) => Ok(text.clone()),
            other => {
                let other = self.none_or_type(other.unwrap_or(&Value::None));
                Err(type_error!("{called}must be str, not {other}"))
            }
        }
    }

    /// The name of an argument's type, as the errors of arguments have it.
    pub(crate) fn none_or_type(&self, value: &Value) -> String {
        if matches!(value, Value::None) { "None".to_owned() } else { self.type_name(value) }
    }

    /// A count among the arguments; the most there is where it is negative or not given.
    fn count_arg(&self, args: &Args, i: usize) -> Done<usize> {
        let count = given(args, i).map_or(Ok(-1), |value| self.whole(value))?;
        Ok(usize::try_from(count).unwrap_or(usize::MAX))
    }

    /// The values that are to be joined.
    pub(crate) fn collect_joined(&mut self, iterable: &Value) -> Done<Vec<Value>> {
        match self.collect(iterable) {
            Err(Stop::Raise(raised)) if raised.message == no_iterable(&self.type_name(iterable)) => {
                Err(Stop::type_error("can only join an iterable"))
            }
            other => other,
        }
    }

    fn join(&mut self, separator: &str, iterable: Option<&Value>) -> Done<Value> {
        let items = self.collect_joined(iterable.unwrap_or(&Value::None))?;
        let mut out = String::new();
        for (i, item) in items.iter().enumerate() {
            let Value::Str(part) = item else {
                let name = self.type_name(item);
                return Err(type_error!("sequence item {i}: expected str instance, {name} found"));
            };
            let between = if i > 0 { separator } else { "" };
            self.spend(between.len() + part.len())?;
            out.push_str(between);
            out.push_str(part);
        }
        Ok(Value::Str(out.into()))
    }

    /// A bound of a part of `len` elements, counted from the end where it is negative.
    pub(crate) fn bound(&self, args: &Args, i: usize, len: i64, default: i64) -> Done<i64> {
        match given(args, i) {
            None | Some(Value::None) => Ok(default),
            Some(value) => match num(value) {
                Some(Num::Int(n)) => Ok(if n < 0 { (n.saturating_add(len)).max(0) } else { n }),
                Some(Num::Big(n)) => Ok(if n.sign() == num_bigint::Sign::Minus { 0 } else { i64::MAX }),
                _ => Err(Stop::type_error("slice indices must be integers or None or have an __index__ method")),
            },
        }
    }

    /// The part of a text between optional bounds (in characters), and where it starts; `None` for an impossible range.
    fn window<'t>(&mut self, text: &'t str, args: &Args) -> Done<Option<(&'t str, usize)>> {
        let len = if text.is_ascii() { text.len() } else { text.chars().count() } as i64;
        let (start, end) = (self.bound(args, 1, len, 0)?, self.bound(args, 2, len, len)?.min(len));
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
        let window = self.window(text, args)?;
        let first = given(args, 0).unwrap_or(&Value::None);
        let affixes = match (first, self.obj(first)) {
            (Value::Str(_), _) => vec![first.clone()],
            (_, Some(Obj::Tuple(items))) => items.clone(),
            _ => {
                let other = self.type_name(first);
                return Err(type_error!("{name} first arg must be str or a tuple of str, not {other}"));
            }
        };
        for affix in &affixes {
            let Value::Str(affix) = affix else {
                return Err(type_error!("tuple for {name} must only contain str, not {}", self.type_name(affix)));
            };
            self.work(affix.len())?;
            let Some((part, _)) = window else { continue };
            if if name == "startswith" { part.starts_with(&**affix) } else { part.ends_with(&**affix) } {
                return Ok(Value::Bool(true));
            }
        }
        Ok(Value::Bool(false))
    }

    fn find(&mut self, text: &str, name: &str, args: &Args) -> Done<Value> {
        // The bounds are looked at before what is looked for.
        let window = self.window(text, args)?;
        let part = match given(args, 0) {
            Some(Value::Str(part)) => part.clone(),
            other => {
                let other = self.type_name(other.unwrap_or(&Value::None));
                return Err(type_error!("must be str, not {other}"));
            }
        };
        self.work(text.len() + part.len())?;
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
            None => Err(Stop::exact(ExcKind::ValueError, NOT_FOUND)),
        }
    }

    fn split(&mut self, of: Text<'_>, from_right: bool, args: &Args) -> Done<Value> {
        let most = self.count_arg(args, 1)?;
        let text = of.text;
        let mut parts: Vec<&str> = match given(args, 0) {
            None | Some(Value::None) => split_blank(of, most, from_right),
            Some(Value::Str(separator)) if separator.is_empty() => {
                return Err(Stop::exact(ExcKind::ValueError, "empty separator"));
            }
            Some(Value::Str(separator)) if from_right => text.rsplitn(most.saturating_add(1), &**separator).collect(),
            Some(Value::Str(separator)) => text.splitn(most.saturating_add(1), &**separator).collect(),
            Some(other) => return Err(type_error!("must be str or None, not {}", self.type_name(other))),
        };
        if from_right {
            parts.reverse();
        }
        self.new_texts(text, &parts)
    }

    fn new_texts(&mut self, text: &str, parts: &[&str]) -> Done<Value> {
        self.spend_times(parts.len(), 40)?;
        self.spend(text.len())?;
        self.new_list(parts.iter().map(|part| Value::str(part)).collect())
    }

    fn split_lines(&mut self, of: Text<'_>, args: &Args) -> Done<Value> {
        let keep = match given(args, 0) {
            None | Some(Value::Bool(false) | Value::Int(0)) => false,
            Some(Value::Bool(true) | Value::Int(_)) => true,
            // Python 3.11 takes whole numbers, 3.12 anything.
            Some(_) => return Err(Stop::unsupported("this argument of splitlines")),
        };
        let ends = |c: char| if of.bytes { matches!(c, '\n' | '\r') } else { ends_line(c) };
        let (mut parts, mut rest) = (Vec::new(), of.text);
        while let Some(at) = rest.find(ends) {
            let end = rest[at..].chars().next().map_or(1, char::len_utf8);
            let end = if rest[at..].starts_with("\r\n") { 2 } else { end };
            parts.push(&rest[..if keep { at + end } else { at }]);
            rest = &rest[at + end..];
        }
        parts.extend(Some(rest).filter(|rest| !rest.is_empty()));
        self.new_texts(of.text, &parts)
    }

    fn expand_tabs(&mut self, text: &str, args: &Args) -> Done<Value> {
        let size = given(args, 0).map_or(Ok(8), |value| self.whole(value))?;
        let size = usize::try_from(size).unwrap_or(0);
        let (mut out, mut column) = (String::new(), 0_usize);
        for c in text.chars() {
            match c {
                '\t' => {
                    let blanks = size - column.checked_rem(size).unwrap_or(size);
                    self.spend(blanks)?;
                    out.extend(std::iter::repeat_n(' ', blanks));
                    column += blanks;
                }
                c => {
                    out.push(c);
                    column = if matches!(c, '\n' | '\r') { 0 } else { column + 1 };
                }
            }
        }
        self.new_str(out)
    }

    fn replace(&mut self, text: &str, args: &Args) -> Done<Value> {
        let old = self.text_arg(args, 0, "replace() argument 1 ")?;
        let new = self.text_arg(args, 1, "replace() argument 2 ")?;
        let most = self.count_arg(args, 2)?;
        let count = if old.is_empty() { text.chars().count() + 1 } else { text.matches(&*old).count() }.min(most);
        self.spend_times(count, new.len())?;
        self.spend(text.len())?;
        Ok(Value::Str(text.replacen(&*old, &new, most).into()))
    }

    fn justify(&mut self, text: &str, name: &str, args: &Args) -> Done<Value> {
        let width = given(args, 0).map_or(Ok(0), |value| self.whole(value))?;
        let fill = match given(args, 1) {
            None => ' ',
            Some(Value::Str(fill)) if fill.chars().count() == 1 => fill.chars().next().unwrap_or(' '),
            Some(Value::Str(_)) => {
                return Err(Stop::type_error("The fill character must be exactly one character long"));
            }
            Some(other) => {
                let other = self.type_name(other);
                return Err(type_error!("The fill character must be a unicode character, not {other}"));
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

    /// `str.translate`.
    pub(crate) fn translate(&mut self, text: &str, table: &Value) -> Done<Value> {
        let mut out = String::new();
        for c in text.chars() {
            let code = i64::from(u32::from(c));
            match self.get_item(table, &Value::Int(code)) {
                Ok(Value::None) => {}
                Ok(Value::Str(text)) => {
                    self.spend(text.len())?;
                    out.push_str(&text);
                }
                Ok(value @ (Value::Int(_) | Value::Bool(_) | Value::Big(_))) => {
                    out.push(self.char_of(&value, "character mapping must be in range(0x110000)")?)
                }
                Ok(_) => return Err(Stop::type_error("character mapping must return integer, None or str")),
                Err(Stop::Raise(raised)) if raised.kind.is_a(ExcKind::LookupError) => out.push(c),
                Err(stop) => return Err(stop),
            }
        }
        self.new_str(out)
    }

    /// The character of a number; an error of that wording where there is none.
    pub(crate) fn char_of(&self, value: &Value, message: &str) -> Done<char> {
        let code = match num(value) {
            Some(Num::Int(n)) => u32::try_from(n).ok().filter(|n| *n < 0x11_0000),
            _ => None,
        };
        let code = code.ok_or_else(|| Stop::exact(ExcKind::ValueError, message))?;
        char::from_u32(code).ok_or_else(|| Stop::unsupported("lone surrogates in text"))
    }
}

fn recased(of: Text<'_>, name: &str) -> Done<String> {
    let text = of.text;
    let swap = |c: char| if c.is_ascii_lowercase() { c.to_ascii_uppercase() } else { c.to_ascii_lowercase() };
    let mut out = String::with_capacity(text.len());
    match name {
        "lower" if of.bytes => out.push_str(&text.to_ascii_lowercase()),
        "lower" => out.push_str(&text.to_lowercase()),
        "upper" if of.bytes => out.push_str(&text.to_ascii_uppercase()),
        "upper" => out.push_str(&text.to_uppercase()),
        "casefold" => out.push_str(&casefold(text)),
        "swapcase" if of.bytes || text.is_ascii() => out.extend(text.chars().map(swap)),
        // `swapcase`, `capitalize` and `title`. How a letter is written small may depend on what is around it: a sigma's end form.
        _ => {
            let lowered = text.to_lowercase();
            let (mut previous, mut at) = (false, 0);
            for c in text.chars() {
                let end = at + c.to_lowercase().map(char::len_utf8).sum::<usize>();
                let small = lowered.get(at..end).unwrap_or_default();
                at = end;
                match (name, previous, of.bytes) {
                    ("swapcase", ..) if c.is_uppercase() => out.push_str(small),
                    ("swapcase", ..) if c.is_lowercase() => out.extend(c.to_uppercase()),
                    ("swapcase", ..) => out.push(c),
                    (_, false, false) => push_title(c, &mut out)?,
                    (_, false, true) => out.push(c.to_ascii_uppercase()),
                    (_, true, true) => out.push(c.to_ascii_lowercase()),
                    (_, true, false) => out.push_str(small),
                }
                previous = name == "capitalize" || of.is_cased(c);
            }
        }
    }
    Ok(out)
}

/// Splits at white space; from the right in reverse order.
fn split_blank(of: Text<'_>, most: usize, from_right: bool) -> Vec<&str> {
    let blank = |c: char| of.is_space(c);
    let trim =
        |text| if from_right { str::trim_end_matches(text, blank) } else { str::trim_start_matches(text, blank) };
    let mut parts = Vec::new();
    let mut rest = trim(of.text);
    while !rest.is_empty() {
        let cut = if from_right {
            rest.char_indices().rev().find(|(_, c)| blank(*c)).map(|(i, c)| (&rest[i + c.len_utf8()..], &rest[..i]))
        } else {
            rest.find(blank).map(|i| (&rest[..i], &rest[i..]))
        };
        let Some((part, left)) = cut.filter(|_| parts.len() < most) else {
            parts.push(rest);
            break;
        };
        parts.push(part);
        rest = trim(left);
    }
    parts
}
