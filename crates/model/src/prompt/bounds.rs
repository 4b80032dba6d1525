//! Bounds of templates: a person's own template may be wrong, and must then be an error rather than the end of the program.
//!
//! Fuel bounds how long one runs; the length of a tag and the number of `elif` bound how deep its parser goes; sizes are bounded of the
//! source, of the output, and of what a filter makes of a text. What `~`, captured blocks and macros join is bounded by the process that a
//! person's own templates are rendered in ([`super::apart`]).

use std::io::{self, Write};

use minijinja::{Environment, Error, ErrorKind};
use stepwright_text::words::stripped;

/// Instructions of a rendering.
const FUEL: u64 = 2_000_000;
/// Most bytes of a template's source.
pub(super) const MAX_SOURCE: usize = 256 << 10;
/// Most bytes of a tag, quoted texts left out: operators in a row nest as deep as there are of them.
const MAX_TAG: usize = 1 << 10;
/// Most `elif` of a template; they nest too.
const MAX_ELIF: usize = 100;
/// Most bytes of an output, and of what a filter makes.
const MAX_OUTPUT: usize = 16 << 20;

/// Sets the fuel, puts bounded filters in place of those that make much of little and Jinja's `trim` in place of one that knows other white
/// space, and takes out those that no prompt needs.
pub(super) fn bound(env: &mut Environment<'static>) {
    env.set_fuel(Some(FUEL));
    env.add_filter("replace", |text: String, from: String, to: String| {
        let grown = text.matches(&from).count().saturating_mul(to.len()).saturating_add(text.len());
        if grown > MAX_OUTPUT { Err(too_much("replace")) } else { Ok(text.replace(&from, &to)) }
    });
    env.add_filter("indent", |text: String, width: Option<usize>, first: Option<bool>| {
        let (width, first) = (width.unwrap_or(4), first.unwrap_or(false));
        let grown = text.lines().count().saturating_mul(width).saturating_add(text.len());
        if grown > MAX_OUTPUT { Err(too_much("indent")) } else { Ok(indented(&text, width, first)) }
    });
    env.add_filter("trim", |text: String, chars: Option<String>| match chars {
        Some(chars) => text.trim_matches(|c| chars.contains(c)).to_owned(),
        None => stripped(&text).to_owned(),
    });
    for name in ["slice", "batch", "format"] {
        env.remove_filter(name);
    }
}

fn too_much(what: &str) -> Error {
    let why = format!("`{what}` would make more than {} MiB", MAX_OUTPUT >> 20);
    Error::new(ErrorKind::InvalidOperation, why)
}

/// Every line but the first, or every line, behind blanks; empty lines stay empty.
fn indented(text: &str, width: usize, first: bool) -> String {
    let blanks = " ".repeat(width);
    let line = |(at, line): (usize, &str)| {
        if line.is_empty() || (at == 0 && !first) { line.to_owned() } else { format!("{blanks}{line}") }
    };
    text.split('\n').enumerate().map(line).collect::<Vec<_>>().join("\n")
}

pub(super) fn check(source: &str) -> Result<(), String> {
    if source.len() > MAX_SOURCE {
        return Err(format!("it has {} KiB; at most {} are read", source.len() >> 10, MAX_SOURCE >> 10));
    }
    if source.matches("elif").count() > MAX_ELIF {
        return Err(format!("it has more than {MAX_ELIF} `elif`; use a loop or a mapping"));
    }
    let mut rest = source;
    while let Some(at) = rest.find("{{").into_iter().chain(rest.find("{%")).min() {
        let (length, end) = tag(rest.get(at + 2..).unwrap_or_default());
        if length > MAX_TAG {
            let line = source.len() - rest.len() + at;
            let line = source.get(..line).unwrap_or_default().matches('\n').count() + 1;
            return Err(format!("line {line}: the tag is longer than {MAX_TAG} characters; use several"));
        }
        rest = rest.get(at + 2 + end..).unwrap_or_default();
    }
    Ok(())
}

/// A tag's length without its quoted texts, and where it ends.
fn tag(text: &str) -> (usize, usize) {
    let (mut length, mut quote, mut escaped) = (0, None, false);
    let mut before = ' ';
    for (at, c) in text.char_indices() {
        match quote {
            Some(open) => {
                if c == open && !escaped {
                    quote = None;
                }
                escaped = c == '\\' && !escaped;
            }
            None if matches!(c, '"' | '\'') => quote = Some(c),
            None if c == '}' && matches!(before, '}' | '%') => return (length, at + 1),
            None => length += 1,
        }
        before = c;
    }
    (length, text.len())
}

#[derive(Default)]
pub(super) struct Output(pub(super) Vec<u8>);

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > MAX_OUTPUT {
            return Err(io::Error::other(format!("the prompt would have more than {} MiB", MAX_OUTPUT >> 20)));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
