//! `repr` and `str`.

use std::fmt::Write;

use super::compile_expr::MAX_DIGITS;
use super::fault::{ExcKind, Stop};
use super::letters::{is_new, printable, unsettled};
use super::number::float_repr;
use super::types::Type;
use super::value::{Id, Obj, Part, Value};
use super::vm::{Done, Vm};

/// The reason to refuse a text in which CPython would write an address.
pub(crate) const NO_TEXT: &str = "the text of an object without one of its own";

impl Vm {
    pub(crate) fn repr(&mut self, value: &Value) -> Done<String> {
        let mut out = String::new();
        let mut active = Vec::new();
        self.write_repr(value, &mut out, &mut active)?;
        Ok(out)
    }

    /// `str(value)`.
    pub(crate) fn str_of(&mut self, value: &Value) -> Done<String> {
        match value {
            Value::Str(s) => {
                self.spend(s.len())?;
                Ok(s.to_string())
            }
            _ => match self.obj(value) {
                Some(Obj::Exception { exact: false, .. }) => Err(Stop::unsupported("the wording of this error")),
                Some(Obj::Exception { kind, args, .. }) => {
                    let (kind, args) = (*kind, args.clone());
                    self.exception_text(kind, &args)
                }
                _ => self.repr(value),
            },
        }
    }

    /// `str` of an exception with these arguments.
    pub(crate) fn exception_text(&mut self, kind: ExcKind, args: &[Value]) -> Done<String> {
        match args {
            [] => Ok(String::new()),
            [one] if kind == ExcKind::KeyError => self.repr(one),
            [one] => self.str_of(one),
            many => {
                let mut out = String::new();
                self.write_each(("(", ")"), many, &mut out, |vm, arg, out| vm.write_repr(arg, out, &mut Vec::new()))?;
                Ok(out)
            }
        }
    }

    fn write_repr(&mut self, value: &Value, out: &mut String, active: &mut Vec<Id>) -> Done<()> {
        self.tick()?;
        let before = out.len();
        match value {
            Value::Unbound | Value::None => out.push_str("None"),
            Value::Ellipsis => out.push_str("Ellipsis"),
            Value::Bool(true) => out.push_str("True"),
            Value::Bool(false) => out.push_str("False"),
            Value::Int(n) => {
                let _ = write!(out, "{n}");
            }
            Value::Big(n) => {
                // 4300 digits take more than 14,280 bits; the exact limit is checked on the text.
                let text = if n.bits() > 14_290 { String::new() } else { n.to_string() };
                if text.is_empty() || text.trim_start_matches('-').len() > MAX_DIGITS {
                    return Err(exact!(
                        ValueError,
                        "Exceeds the limit (4300 digits) for integer string conversion; use \
                         sys.set_int_max_str_digits() to increase the limit"
                    ));
                }
                out.push_str(&text);
            }
            Value::Float(x) => out.push_str(&float_repr(*x)),
            Value::Str(s) => {
                self.spend(s.len())?;
                quote(s, out)?;
            }
            Value::Bytes(bytes) => quote_bytes(bytes, out),
            Value::Type(Type::DefaultDict) => out.push_str("<class 'collections.defaultdict'>"),
            Value::Type(of) => {
                let _ = write!(out, "<class '{}'>", of.name());
            }
            Value::Builtin(builtin) => {
                let _ = write!(out, "<built-in function {}>", builtin.name());
            }
            Value::Ref(id) => {
                if active.contains(id) {
                    out.push_str(match self.heap.get(*id) {
                        Obj::List(_) => "[...]",
                        Obj::Dict(dict) if dict.factory.is_none() => "{...}",
                        _ => return Err(Stop::unsupported("the text of a value that holds itself")),
                    });
                    return Ok(());
                }
                let id = *id;
                active.push(id);
                let done = self.within(|vm| vm.write_object(id, out, active));
                active.pop();
                return done;
            }
        }
        self.spend(out.len() - before)
    }

    /// Writes each item by `write`, with commas between, in brackets.
    fn write_each<T>(
        &mut self,
        brackets: (&str, &str),
        items: &[T],
        out: &mut String,
        mut write: impl FnMut(&mut Vm, &T, &mut String) -> Done<()>,
    ) -> Done<()> {
        out.push_str(brackets.0);
        for (i, item) in items.iter().enumerate() {
            out.push_str(if i > 0 { ", " } else { "" });
            write(self, item, out)?;
        }
        out.push_str(brackets.1);
        Ok(())
    }

    fn write_object(&mut self, id: Id, out: &mut String, active: &mut Vec<Id>) -> Done<()> {
        let (brackets, items) = match self.heap.get(id) {
            Obj::List(items) => (("[", "]"), items.clone()),
            Obj::Tuple(items) => (("(", if items.len() == 1 { ",)" } else { ")" }), items.clone()),
            Obj::Exception { kind, args, exact: true } => {
                out.push_str(kind.name());
                (("(", ")"), args.clone())
            }
            Obj::Dict(dict) => {
                let factory = dict.factory.clone();
                let entries: Vec<_> = dict.map.values().cloned().collect();
                if let Some(factory) = &factory {
                    out.push_str("defaultdict(");
                    self.write_repr(factory, out, active)?;
                    out.push_str(", ");
                }
                let brackets = ("{", if factory.is_some() { "})" } else { "}" });
                return self.write_each(brackets, &entries, out, |vm, entry, out| {
                    vm.write_repr(&entry.key, out, active)?;
                    out.push_str(": ");
                    vm.write_repr(&entry.value, out, active)
                });
            }
            Obj::Set(_) => {
                self.settle_order(id)?;
                let Obj::Set(set) = self.heap.get(id) else { return Ok(()) };
                let brackets = match (set.map.is_empty(), set.frozen) {
                    (true, true) => ("frozenset(", ")"),
                    (true, false) => ("set(", ")"),
                    (false, true) => ("frozenset({", "})"),
                    (false, false) => ("{", "}"),
                };
                (brackets, set.map.values().cloned().collect())
            }
            Obj::Range(start, stop, step) => {
                let step = if *step == 1 { String::new() } else { format!(", {step}") };
                out.push_str(&format!("range({start}, {stop}{step})"));
                return Ok(());
            }
            Obj::View(of, part) => {
                let part = *part;
                let entries = self.entries(&Value::Ref(*of)).unwrap_or_default();
                out.push_str(match part {
                    Part::Keys => "dict_keys(",
                    Part::Values => "dict_values(",
                    Part::Items => "dict_items(",
                });
                return self.write_each(("[", "])"), &entries, out, |vm, entry, out| match part {
                    Part::Keys => vm.write_repr(&entry.key, out, active),
                    Part::Values => vm.write_repr(&entry.value, out, active),
                    Part::Items => {
                        let pair = [&entry.key, &entry.value];
                        vm.write_each(("(", ")"), &pair, out, |vm, value, out| vm.write_repr(value, out, active))
                    }
                });
            }
            Obj::Union(types) => {
                for (i, of) in types.iter().enumerate() {
                    out.push_str(if i > 0 { " | " } else { "" });
                    match of {
                        Value::Type(Type::Nothing) => out.push_str("None"),
                        Value::Type(Type::DefaultDict) => out.push_str("collections.defaultdict"),
                        Value::Type(of) => out.push_str(of.name()),
                        _ => return Err(Stop::unsupported(NO_TEXT)),
                    }
                }
                return Ok(());
            }
            _ => return Err(Stop::unsupported(NO_TEXT)),
        };
        self.write_each(brackets, &items, out, |vm, value, out| vm.write_repr(value, out, active))
    }
}

/// Bytes as `repr` writes them.
pub(crate) fn quote_bytes(bytes: &[u8], out: &mut String) {
    let double = bytes.contains(&b'\'') && !bytes.contains(&b'"');
    let quote = if double { '"' } else { '\'' };
    out.extend(['b', quote]);
    for b in bytes {
        if b.is_ascii() {
            quote_one(char::from(*b), quote, out);
        } else {
            escape(char::from(*b), out);
        }
    }
    out.push(quote);
}

/// A text as `repr` writes it.
fn quote(s: &str, out: &mut String) -> Done<()> {
    let quote = quote_of(s);
    out.push(quote);
    for c in s.chars() {
        if !c.is_ascii() && is_new(c) {
            return Err(unsettled());
        }
        quote_one(c, quote, out);
    }
    out.push(quote);
    Ok(())
}

/// Single quotes, unless a text holds one and no double quote.
pub(crate) fn quote_of(s: &str) -> char {
    if s.contains('\'') && !s.contains('"') { '"' } else { '\'' }
}

pub(crate) fn quote_one(c: char, quote: char, out: &mut String) {
    match c {
        '\\' => out.push_str("\\\\"),
        '\n' => out.push_str("\\n"),
        '\r' => out.push_str("\\r"),
        '\t' => out.push_str("\\t"),
        c if c == quote => out.extend(['\\', c]),
        c if printable(c) => out.push(c),
        c => escape(c, out),
    }
}

pub(crate) fn escape(c: char, out: &mut String) {
    let n = c as u32;
    let _ = match n {
        0..=0xff => write!(out, "\\x{n:02x}"),
        0x100..=0xffff => write!(out, "\\u{n:04x}"),
        _ => write!(out, "\\U{n:08x}"),
    };
}

/// `ascii`: the `repr` with everything beyond ASCII escaped.
pub(crate) fn ascii(repr: &str) -> String {
    let mut out = String::with_capacity(repr.len());
    for c in repr.chars() {
        if c.is_ascii() { out.push(c) } else { escape(c, &mut out) }
    }
    out
}
