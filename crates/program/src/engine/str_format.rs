//! `str.format` and `str.format_map`: the fields of a template, and what each stands for.

use super::fault::{ExcKind, Stop};
use super::value::Value;
use super::vm::{Args, Done, Keywords, Vm};

/// Where the values of fields come from, and how many were taken without a name so far.
struct Source<'a> {
    args: Option<(&'a Args, &'a Keywords)>,
    mapping: &'a Value,
    /// How many fields without a number there were; `None` once one had a number.
    automatic: Option<usize>,
}

impl Vm {
    pub(crate) fn str_format(&mut self, template: &str, args: &Args, keywords: &Keywords) -> Done<Value> {
        let source = Source { args: Some((args, keywords)), mapping: &Value::None, automatic: Some(0) };
        self.filled(template, source)
    }

    pub(crate) fn format_map(&mut self, template: &str, mapping: &Value) -> Done<Value> {
        self.filled(template, Source { args: None, mapping, automatic: Some(0) })
    }

    fn filled(&mut self, template: &str, mut source: Source<'_>) -> Done<Value> {
        self.work(template.len())?;
        let text = self.fill(template, &mut source, 2)?;
        self.new_str(text)
    }

    /// Fills the fields of a template; `depth` is how deep fields may nest.
    fn fill(&mut self, template: &str, source: &mut Source<'_>, depth: u32) -> Done<String> {
        let error = |message: &str| Err(Stop::exact(ExcKind::ValueError, message));
        if depth == 0 {
            return error("Max string recursion exceeded");
        }
        let mut out = String::new();
        let mut rest = template;
        while let Some(at) = rest.find(['{', '}']) {
            out.push_str(&rest[..at]);
            let (sign, after) = (&rest[at..=at], &rest[at + 1..]);
            if after.starts_with(sign) {
                out.push_str(sign);
                rest = &after[1..];
                continue;
            }
            if sign == "}" {
                return error("Single '}' encountered in format string");
            }
            if after.is_empty() {
                return error("Single '{' encountered in format string");
            }
            let Some(end) = end_of_field(after) else { return error(what_ends_early(after)) };
            let text = self.field(&after[..end], source, depth)?;
            self.spend(text.len())?;
            out.push_str(&text);
            rest = &after[end + 1..];
        }
        out.push_str(rest);
        Ok(out)
    }

    fn field(&mut self, field: &str, source: &mut Source<'_>, depth: u32) -> Done<String> {
        let (name, tail) = field.split_at(end_of_name(field, &['!', ':']).unwrap_or(field.len()));
        if name.contains('{') {
            return Err(Stop::exact(ExcKind::ValueError, "unexpected '{' in field name"));
        }
        let (conversion, spec) = match tail.strip_prefix('!') {
            Some(tail) => {
                let mut chars = tail.chars();
                let Some(conversion) = chars.next() else {
                    // CPython takes the bracket for it and reads on: what it then says depends on what is there.
                    return Err(rough!(ValueError, "unmatched '{{' in format spec"));
                };
                match (chars.as_str(), chars.as_str().strip_prefix(':')) {
                    (_, Some(spec)) => (Some(conversion), spec),
                    ("", None) => (Some(conversion), ""),
                    _ => return Err(Stop::exact(ExcKind::ValueError, "expected ':' after conversion specifier")),
                }
            }
            None => (None, tail.strip_prefix(':').unwrap_or("")),
        };
        let value = self.value_of_field(name, source)?;
        let value = match conversion {
            None => value,
            Some('s') => Value::str(&self.str_of(&value)?),
            Some('r') => Value::str(&self.repr(&value)?),
            Some('a') => Value::str(&super::text::ascii(&self.repr(&value)?)),
            Some(other @ '!'..='~') => return Err(exact!(ValueError, "Unknown conversion specifier {other}")),
            Some(other) => return Err(exact!(ValueError, "Unknown conversion specifier \\x{:x}", u32::from(other))),
        };
        let spec = if spec.contains(['{', '}']) { self.fill(spec, source, depth - 1)? } else { spec.to_owned() };
        self.format_value(&value, &spec)
    }

    /// The value that a name such as `0.real` or `things[key]` stands for.
    fn value_of_field(&mut self, name: &str, source: &mut Source<'_>) -> Done<Value> {
        let end = name.find(['.', '[']).unwrap_or(name.len());
        let mut value = self.first_of_field(&name[..end], source)?;
        let mut rest = &name[end..];
        while !rest.is_empty() {
            if let Some(after) = rest.strip_prefix('.') {
                let end = after.find(['.', '[']).unwrap_or(after.len());
                if end == 0 {
                    return Err(Stop::exact(ExcKind::ValueError, "Empty attribute in format string"));
                }
                value = self.get_attr(&value, &after[..end].into())?;
                rest = &after[end..];
            } else if let Some(after) = rest.strip_prefix('[') {
                let Some((key, after)) = after.split_once(']') else {
                    return Err(Stop::exact(ExcKind::ValueError, "Missing ']' in format string"));
                };
                if key.is_empty() {
                    return Err(Stop::exact(ExcKind::ValueError, "Empty attribute in format string"));
                }
                let key = number(key)?.map_or_else(|| Value::str(key), |n| Value::Int(n as i64));
                value = self.get_item(&value, &key)?;
                rest = after;
            } else {
                return Err(Stop::exact(
                    ExcKind::ValueError,
                    "Only '.' or '[' may follow ']' in format field specifier",
                ));
            }
        }
        Ok(value)
    }

    fn first_of_field(&mut self, name: &str, source: &mut Source<'_>) -> Done<Value> {
        let switched = |from: &str, to: &str| exact!(ValueError, "cannot switch from {from} to {to}");
        let place = match (number(name)?, &mut source.automatic) {
            (None, Some(next)) if name.is_empty() => {
                *next += 1;
                Some(*next - 1)
            }
            (None, None) if name.is_empty() => {
                return Err(switched("manual field specification", "automatic field numbering"));
            }
            (None, _) => None,
            (Some(_), Some(1..)) => return Err(switched("automatic field numbering", "manual field specification")),
            (Some(place), automatic) => {
                *automatic = None;
                Some(place)
            }
        };
        match (place, source.args) {
            (Some(place), Some((args, _))) => args
                .get(place)
                .cloned()
                .ok_or_else(|| exact!(IndexError, "Replacement index {place} out of range for positional args tuple")),
            (Some(_), None) => Err(Stop::exact(ExcKind::ValueError, "Format string contains positional fields")),
            (None, Some((_, keywords))) => match keywords.iter().find(|(n, _)| &**n == name) {
                Some((_, value)) => Ok(value.clone()),
                None => Err(self.key_error(&Value::str(name))?),
            },
            (None, None) => self.get_item(source.mapping, &Value::str(name)),
        }
    }
}

fn number(name: &str) -> Done<Option<usize>> {
    if name.is_empty() || !name.bytes().all(|b| b.is_ascii_digit()) {
        return Ok(None);
    }
    let n = name.parse::<usize>().ok().filter(|n| i64::try_from(*n).is_ok());
    n.map(Some).ok_or_else(|| Stop::exact(ExcKind::ValueError, "Too many decimal digits in format string"))
}

fn end_of_field(text: &str) -> Option<usize> {
    let (mut open, mut index) = (0, false);
    for (i, c) in text.char_indices() {
        match c {
            '[' if open == 0 => index = true,
            ']' => index = false,
            '{' if !index => open += 1,
            '}' if !index && open == 0 => return Some(i),
            '}' if !index => open -= 1,
            _ => {}
        }
    }
    None
}

/// Where the name of a field ends. Brackets of an index may hold what else ends it.
fn end_of_name(field: &str, ends: &[char]) -> Option<usize> {
    let mut inside = false;
    field.find(|c: char| {
        inside = if inside { c != ']' } else { c == '[' };
        !inside && ends.contains(&c)
    })
}

/// What CPython says of a field that is not closed, by what it has come to.
fn what_ends_early(field: &str) -> &'static str {
    let Some(end) = end_of_name(field, &['{', '!', ':']) else { return "expected '}' before end of string" };
    let mut rest = field[end..].chars();
    match (rest.next(), rest.next(), rest.next()) {
        (Some('{'), ..) => "unexpected '{' in field name",
        (Some('!'), None, _) => "end of string while looking for conversion specifier",
        (Some('!'), _, Some(c)) if c != ':' => "expected ':' after conversion specifier",
        _ => "unmatched '{' in format spec",
    }
}
