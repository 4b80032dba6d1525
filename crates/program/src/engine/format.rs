//! Formatting: `format()`, f-strings, `str.format` and `%`.

use super::fault::{ExcKind, Stop};
use super::number::{Num, float_repr, num, to_float};
use super::value::Value;
use super::vm::{Done, Vm};

/// A parsed format specification: `[[fill]align][sign][#][0][width][,][.precision][type]`.
#[derive(Debug, Clone, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    alternate: bool,
    zero: bool,
    width: usize,
    group: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

fn parse_spec(text: &str) -> Done<Spec> {
    let bad = || Stop::raise(ExcKind::ValueError, "Invalid format specifier");
    let chars: Vec<char> = text.chars().collect();
    let mut spec = Spec::default();
    let mut i = 0;
    let is_align = |c: Option<&char>| matches!(c, Some('<' | '>' | '=' | '^'));
    if is_align(chars.get(1)) {
        spec.fill = chars.first().copied();
        spec.align = chars.get(1).copied();
        i = 2;
    } else if is_align(chars.first()) {
        spec.align = chars.first().copied();
        i = 1;
    }
    if let Some(c @ ('+' | '-' | ' ')) = chars.get(i) {
        spec.sign = Some(*c);
        i += 1;
    }
    if chars.get(i) == Some(&'z') {
        return Err(Stop::unsupported("the z option of formats"));
    }
    if chars.get(i) == Some(&'#') {
        spec.alternate = true;
        i += 1;
    }
    if chars.get(i) == Some(&'0') {
        spec.zero = true;
        i += 1;
    }
    let number = |i: &mut usize| -> Done<Option<usize>> {
        let start = *i;
        let mut n: usize = 0;
        while let Some(d) = chars.get(*i).and_then(|c| c.to_digit(10)) {
            n = n
                .checked_mul(10)
                .and_then(|n| n.checked_add(d as usize))
                .filter(|n| *n < 1 << 40)
                .ok_or_else(|| Stop::raise(ExcKind::ValueError, "Too many decimal digits in format string"))?;
            *i += 1;
        }
        Ok((*i > start).then_some(n))
    };
    spec.width = number(&mut i)?.unwrap_or(0);
    if let Some(c @ (',' | '_')) = chars.get(i) {
        spec.group = Some(*c);
        i += 1;
    }
    if chars.get(i) == Some(&'.') {
        i += 1;
        spec.precision = Some(
            number(&mut i)?.ok_or_else(|| Stop::exact(ExcKind::ValueError, "Format specifier missing precision"))?,
        );
    }
    spec.kind = chars.get(i).copied();
    if chars.len() > i + 1 {
        return Err(bad());
    }
    Ok(spec)
}

impl Vm {
    /// `format(value, spec)`.
    pub(crate) fn format_value(&mut self, value: &Value, spec: &str) -> Done<String> {
        if spec.is_empty() {
            return self.str_of(value);
        }
        let plain = matches!(value, Value::Str(_) | Value::Int(_) | Value::Big(_) | Value::Bool(_) | Value::Float(_));
        if !plain {
            let name = self.type_name(value);
            return Err(type_error!("unsupported format string passed to {name}.__format__"));
        }
        let spec = parse_spec(spec)?;
        self.spend(spec.width.max(spec.precision.unwrap_or(0)))?;
        match (value, num(value)) {
            (Value::Str(text), _) => {
                let text = text.clone();
                self.format_str(&text, &spec)
            }
            (_, Some(n)) => self.format_number(value, &n, &spec),
            _ => Err(Stop::unsupported("this format")),
        }
    }

    fn format_str(&mut self, text: &str, spec: &Spec) -> Done<String> {
        let refuse = |message: &str| Err(Stop::raise(ExcKind::ValueError, message));
        if !matches!(spec.kind, None | Some('s')) {
            return refuse("Unknown format code for object of type 'str'");
        }
        if spec.sign.is_some() {
            return refuse("Sign not allowed in string format specifier");
        }
        if spec.alternate {
            return refuse("Alternate form (#) not allowed in string format specifier");
        }
        if spec.group.is_some() {
            return refuse("Cannot specify ',' with 's'.");
        }
        if spec.align == Some('=') {
            return refuse("'=' alignment not allowed in string format specifier");
        }
        let cut: String = match spec.precision {
            Some(n) => text.chars().take(n).collect(),
            None => text.to_owned(),
        };
        let fill = spec.fill.unwrap_or(if spec.zero { '0' } else { ' ' });
        self.pad(&cut, spec.width, fill, spec.align.unwrap_or('<'))
    }

    fn pad(&mut self, text: &str, width: usize, fill: char, align: char) -> Done<String> {
        let len = text.chars().count();
        let missing = width.saturating_sub(len);
        self.spend_times(missing, fill.len_utf8())?;
        let (left, right) = match align {
            '<' => (0, missing),
            '^' => (missing / 2, missing - missing / 2),
            _ => (missing, 0),
        };
        let repeat = |n: usize| fill.to_string().repeat(n);
        Ok(format!("{}{text}{}", repeat(left), repeat(right)))
    }

    fn format_number(&mut self, value: &Value, n: &Num, spec: &Spec) -> Done<String> {
        let unknown =
            |code: char, of: &str| Err(exact!(ValueError, "Unknown format code '{code}' for object of type '{of}'"));
        let float = matches!(n, Num::Float(_));
        let kind = match spec.kind {
            Some(c @ ('b' | 'c' | 'd' | 'o' | 'x' | 'X')) if float => return unknown(c, "float"),
            Some(c @ ('b' | 'c' | 'd' | 'o' | 'x' | 'X' | 'n' | 'e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => c,
            Some(c) => return unknown(c, if float { "float" } else { "int" }),
            None if float => 'r',
            None => 'd',
        };
        if matches!(kind, 'c' | 'n') {
            return Err(Stop::unsupported("this format code"));
        }
        let (negative, body) = if matches!(kind, 'b' | 'd' | 'o' | 'x' | 'X') {
            if spec.precision.is_some() {
                return Err(Stop::exact(ExcKind::ValueError, "Precision not allowed in integer format specifier"));
            }
            let value = if let Value::Bool(b) = value { Value::Int(i64::from(*b)) } else { value.clone() };
            self.whole_digits(&value, kind, spec.alternate)?
        } else {
            if spec.alternate {
                return Err(Stop::unsupported("the # option of float formats"));
            }
            let x = to_float(n)?;
            (x.is_sign_negative() && !x.is_nan(), float_digits(x.abs(), kind, spec.precision)?)
        };
        if spec.group == Some(',') && matches!(kind, 'b' | 'o' | 'x' | 'X') {
            return Err(exact!(ValueError, "Cannot specify ',' with '{kind}'."));
        }
        let sign = match (negative, spec.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let (fill, align) = (
            spec.fill.unwrap_or(if spec.zero && spec.align.is_none() { '0' } else { ' ' }),
            spec.align.unwrap_or(if spec.zero { '=' } else { '>' }),
        );
        let fill = if spec.zero && spec.fill.is_none() { '0' } else { fill };
        let body = match spec.group {
            Some(_) if align == '=' && fill == '0' => return Err(Stop::unsupported("zero padding with separators")),
            Some(separator) => group(&body, separator, if matches!(kind, 'b' | 'o' | 'x' | 'X') { 4 } else { 3 }),
            None => body,
        };
        if align == '=' {
            let width = spec.width.saturating_sub(sign.len());
            let (prefix, digits) = match body.get(..2) {
                Some(p @ ("0b" | "0o" | "0x" | "0X")) if spec.alternate => (p, &body[2..]),
                _ => ("", &*body),
            };
            let padded = self.pad(digits, width.saturating_sub(prefix.len()), fill, '>')?;
            return Ok(format!("{sign}{prefix}{padded}"));
        }
        self.pad(&format!("{sign}{body}"), spec.width, fill, align)
    }

    /// Sign and digits of a whole number in a base.
    fn whole_digits(&mut self, value: &Value, kind: char, alternate: bool) -> Done<(bool, String)> {
        let text = match (value, kind) {
            (_, 'd') => self.repr(value)?,
            (Value::Int(n), _) => {
                let sign = if *n < 0 { "-" } else { "" };
                let n = n.unsigned_abs();
                let prefix = |p: &'static str| if alternate { p } else { "" };
                match kind {
                    'b' => format!("{sign}{}{n:b}", prefix("0b")),
                    'o' => format!("{sign}{}{n:o}", prefix("0o")),
                    'x' => format!("{sign}{}{n:x}", prefix("0x")),
                    _ => format!("{sign}{}{n:X}", prefix("0X")),
                }
            }
            _ => return Err(Stop::unsupported("large numbers in this base")),
        };
        Ok(match text.strip_prefix('-') {
            Some(digits) => (true, digits.to_owned()),
            None => (false, text),
        })
    }

    /// `template % value`.
    pub(crate) fn percent(&mut self, template: &str, value: &Value) -> Done<String> {
        use super::value::Obj;
        self.work(template.len())?;
        if matches!(value, Value::Bytes(_)) {
            return Err(Stop::unsupported("formatting bytes"));
        }
        let args = if let Some(Obj::Tuple(items)) = self.obj(value) { items.clone() } else { vec![value.clone()] };
        // CPython takes whatever has items for a mapping.
        let is_mapping = matches!(self.obj(value), Some(Obj::Dict(_) | Obj::List(_) | Obj::Range(..)));
        let mut args = args.into_iter();
        let mut out = String::new();
        let mut chars = template.chars().peekable();
        let few = || Stop::type_error("not enough arguments for format string");
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            let mut spec = Spec::default();
            let mut mapped = None;
            if chars.peek() == Some(&'(') {
                if !is_mapping {
                    return Err(Stop::type_error("format requires a mapping"));
                }
                chars.next();
                let mut key = String::new();
                loop {
                    match chars.next() {
                        Some(')') => break,
                        Some('(') | None => return Err(Stop::unsupported("this format key")),
                        Some(c) => key.push(c),
                    }
                }
                let key = self.new_str(key)?;
                mapped = Some(self.get_item(value, &key)?);
            }
            while let Some(c @ ('-' | '+' | ' ' | '0' | '#')) = chars.peek().copied() {
                match c {
                    '-' => spec.align = Some('<'),
                    '0' => spec.zero = true,
                    '#' => return Err(Stop::unsupported("the # flag of formats")),
                    c => spec.sign = if spec.sign == Some('+') { spec.sign } else { Some(c) },
                }
                chars.next();
            }
            let number = |chars: &mut std::iter::Peekable<std::str::Chars<'_>>| -> Done<Option<usize>> {
                let mut n: Option<usize> = None;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                    n = Some(n.unwrap_or(0).saturating_mul(10).saturating_add(d as usize));
                    chars.next();
                }
                if chars.peek() == Some(&'*') {
                    return Err(Stop::unsupported("* in formats"));
                }
                Ok(n)
            };
            spec.width = number(&mut chars)?.unwrap_or(0);
            if chars.peek() == Some(&'.') {
                chars.next();
                spec.precision = Some(number(&mut chars)?.unwrap_or(0));
            }
            let Some(code) = chars.next() else { return Err(Stop::exact(ExcKind::ValueError, "incomplete format")) };
            self.spend(spec.width.max(spec.precision.unwrap_or(0)))?;
            if code == '%' {
                out.push('%');
                continue;
            }
            let arg = match mapped {
                Some(arg) => arg,
                None => args.next().ok_or_else(few)?,
            };
            let text = self.percent_one(code, &arg, spec)?;
            self.spend(text.len())?;
            out.push_str(&text);
        }
        if args.next().is_some() && !is_mapping {
            return Err(Stop::type_error("not all arguments converted during string formatting"));
        }
        Ok(out)
    }

    fn percent_one(&mut self, code: char, arg: &Value, mut spec: Spec) -> Done<String> {
        let align = spec.align;
        match code {
            's' | 'r' | 'a' => {
                let text = match code {
                    's' => self.str_of(arg)?,
                    'r' => self.repr(arg)?,
                    _ => super::text::ascii(&self.repr(arg)?),
                };
                let cut: String = match spec.precision {
                    Some(n) => text.chars().take(n).collect(),
                    None => text,
                };
                self.pad(&cut, spec.width, ' ', align.unwrap_or('>'))
            }
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                let name = self.type_name(arg);
                let whole = match num(arg) {
                    Some(Num::Float(x)) if matches!(code, 'd' | 'i' | 'u') && x.is_finite() && x.abs() < 9e18 => {
                        Value::Int(x as i64)
                    }
                    Some(Num::Float(_)) if matches!(code, 'd' | 'i' | 'u') => {
                        return Err(Stop::unsupported("this number here"));
                    }
                    None if matches!(code, 'd' | 'i' | 'u') => {
                        return Err(type_error!("%{code} format: a real number is required, not {name}"));
                    }
                    Some(Num::Int(n)) => Value::Int(n),
                    Some(Num::Big(n)) => Value::Big(n),
                    _ => return Err(type_error!("%{code} format: an integer is required, not {name}")),
                };
                if spec.precision.is_some() {
                    return Err(Stop::unsupported("precision of whole numbers"));
                }
                spec.kind = Some(if matches!(code, 'x' | 'X' | 'o') { code } else { 'd' });
                spec.zero &= align.is_none();
                self.format_number(&whole, &num(&whole).unwrap_or(Num::Int(0)), &spec)
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                let Some(n) = num(arg) else {
                    let name = self.type_name(arg);
                    return Err(type_error!("must be real number, not {name}"));
                };
                spec.kind = Some(code);
                spec.zero &= align.is_none();
                let x = Num::Float(to_float(&n)?);
                self.format_number(arg, &x, &spec)
            }
            'c' => Err(Stop::unsupported("%c")),
            other => Err(rough!(ValueError, "unsupported format character '{other}'")),
        }
    }
}

/// Digits of a float that is not negative, without sign.
fn float_digits(x: f64, kind: char, precision: Option<usize>) -> Done<String> {
    let upper = kind.is_ascii_uppercase();
    if !x.is_finite() {
        let text = if x.is_nan() { "nan" } else { "inf" };
        let percent = if kind == '%' { "%" } else { "" };
        return Ok(if upper { text.to_uppercase() } else { format!("{text}{percent}") });
    }
    let p = precision.unwrap_or(6);
    if p > 5_000 {
        return Err(Stop::Budget("size"));
    }
    let text = match kind.to_ascii_lowercase() {
        'f' => format!("{x:.p$}"),
        '%' => format!("{:.p$}%", x * 100.0),
        'e' => exponent(&format!("{x:.p$e}")),
        'g' => general(x, p.max(1)),
        // No code: as `repr`, or general with the precision given and at least one digit after the point.
        _ => match precision {
            None => float_repr(x),
            Some(_) => return Err(Stop::unsupported("a precision without a format code")),
        },
    };
    Ok(if upper { text.to_uppercase() } else { text })
}

/// Rust's `1.5e-7` as C writes it: `1.5e-07`.
fn exponent(text: &str) -> String {
    let (mantissa, e) = text.split_once('e').unwrap_or((text, "0"));
    let (sign, digits) = match e.strip_prefix('-') {
        Some(digits) => ('-', digits),
        None => ('+', e),
    };
    format!("{mantissa}e{sign}{digits:0>2}")
}

fn general(x: f64, p: usize) -> String {
    let scientific = format!("{x:.*e}", p - 1);
    let e: i64 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |s: &str| {
        if s.contains('.') { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s.to_owned() }
    };
    if e < -4 || e >= p as i64 {
        let (mantissa, _) = scientific.split_once('e').unwrap_or((&scientific, ""));
        return exponent(&format!("{}e{e}", trim(mantissa)));
    }
    let decimals = (p as i64 - 1 - e).max(0) as usize;
    trim(&format!("{x:.decimals$}"))
}

/// Inserts a separator between groups of digits before the point.
fn group(text: &str, separator: char, size: usize) -> String {
    let end = text.find(['.', 'e', '%']).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    let mut out = String::new();
    let count = whole.chars().count();
    for (i, c) in whole.chars().enumerate() {
        if i > 0 && (count - i).is_multiple_of(size) {
            out.push(separator);
        }
        out.push(c);
    }
    out + rest
}
