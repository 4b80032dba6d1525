//! Formatting: `format()`, f-strings and `%`. The fields of `str.format` are in `str_format`.

use super::fault::{ExcKind, Stop};
use super::number::{Num, big, float_repr, num, to_float};
use super::value::{Obj, Value};
use super::vm::{Done, Vm};

/// A parsed format specification: `[[fill]align][sign][z][#][0][width][,][.precision][type]`.
#[derive(Debug, Clone, Default)]
struct Spec {
    fill: Option<char>,
    align: Option<char>,
    sign: Option<char>,
    /// Whether a zero never has a minus sign.
    unsigned_zero: bool,
    alternate: bool,
    zero: bool,
    width: usize,
    group: Option<char>,
    precision: Option<usize>,
    kind: Option<char>,
}

/// Reads a specification for a value of a type, that is formatted as `usual` where none is named.
fn parse_spec(text: &str, usual: Option<char>, of: &str) -> Done<Spec> {
    let bad = || exact!(ValueError, "Invalid format specifier '{text}' for object of type '{of}'");
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
    for (sign, flag) in [('z', &mut spec.unsigned_zero), ('#', &mut spec.alternate), ('0', &mut spec.zero)] {
        *flag = chars.get(i) == Some(&sign);
        i += usize::from(*flag);
    }
    let number = |i: &mut usize| -> Done<Option<usize>> {
        let start = *i;
        let mut n: usize = 0;
        while let Some(d) = chars.get(*i).and_then(|c| c.to_digit(10)) {
            n = n
                .checked_mul(10)
                .and_then(|n| n.checked_add(d as usize))
                .filter(|n| *n < 1 << 40)
                .ok_or_else(|| exact!(ValueError, "Too many decimal digits in format string"))?;
            *i += 1;
        }
        Ok((*i > start).then_some(n))
    };
    spec.width = number(&mut i)?.unwrap_or(0);
    if let Some(c @ (',' | '_')) = chars.get(i) {
        spec.group = Some(*c);
        i += 1;
        if chars
            .get(i)
            .is_some_and(|other| matches!(other, ',' | '_') && (*c, *other) != (',', ',') && (*c, *other) != ('_', '_'))
        {
            return Err(Stop::exact(ExcKind::ValueError, "Cannot specify both ',' and '_'."));
        }
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
    if let (Some(separator), Some(kind)) = (spec.group, spec.kind.or(usual)) {
        let based = matches!(kind, 'b' | 'o' | 'x' | 'X') && separator == '_';
        if !based && !matches!(kind, 'd' | 'e' | 'f' | 'g' | 'E' | 'G' | '%' | 'F') {
            return Err(exact!(ValueError, "Cannot specify '{separator}' with '{}'.", shown(kind)));
        }
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
        let spec = parse_spec(spec, matches!(value, Value::Str(_)).then_some('s'), &self.type_name(value))?;
        self.spend(spec.width.max(spec.precision.unwrap_or(0)))?;
        match (value, num(value)) {
            (Value::Str(text), _) => {
                let text = text.clone();
                self.format_str(&text, &spec)
            }
            (_, Some(n)) => {
                let of = if matches!(n, Num::Float(_)) { "float" } else { "int" };
                self.format_number(&n, &spec, if matches!(value, Value::Bool(_)) { "bool" } else { of })
            }
            _ => Err(Stop::unsupported("this format")),
        }
    }

    fn format_str(&mut self, text: &str, spec: &Spec) -> Done<String> {
        let refuse = |message: &str| Err(Stop::exact(ExcKind::ValueError, message));
        if !matches!(spec.kind, None | Some('s')) {
            return Err(unknown_code(spec.kind.unwrap_or_default(), "str"));
        }
        if spec.sign == Some(' ') {
            return refuse("Space not allowed in string format specifier");
        }
        if spec.sign.is_some() {
            return refuse("Sign not allowed in string format specifier");
        }
        if spec.unsigned_zero {
            return refuse("Negative zero coercion (z) not allowed in string format specifier");
        }
        if spec.alternate {
            return refuse("Alternate form (#) not allowed in string format specifier");
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

    fn format_number(&mut self, n: &Num, spec: &Spec, of: &str) -> Done<String> {
        let refuse = |message: String| Err(Stop::exact(ExcKind::ValueError, message));
        let float = matches!(n, Num::Float(_));
        let kind = match spec.kind {
            None => {
                if float {
                    'r'
                } else {
                    'd'
                }
            }
            Some('n') => {
                if float {
                    'g'
                } else {
                    'd'
                }
            }
            Some(c @ ('e' | 'E' | 'f' | 'F' | 'g' | 'G' | '%')) => c,
            Some(c @ ('b' | 'c' | 'd' | 'o' | 'x' | 'X')) if !float => c,
            Some(c) => return Err(unknown_code(c, of)),
        };
        let whole = matches!(kind, 'b' | 'c' | 'd' | 'o' | 'x' | 'X');
        if whole && spec.precision.is_some() {
            return refuse("Precision not allowed in integer format specifier".into());
        }
        if whole && spec.unsigned_zero {
            return refuse("Negative zero coercion (z) not allowed in integer format specifier".into());
        }
        if kind == 'c' && (spec.sign.is_some() || spec.alternate) {
            let what = if spec.sign.is_some() { "Sign" } else { "Alternate form (#)" };
            return refuse(format!("{what} not allowed with integer format specifier 'c'"));
        }
        let (negative, prefix, body) = match (kind, n) {
            ('c', Num::Big(_)) => {
                return Err(Stop::exact(ExcKind::OverflowError, "Python int too large to convert to C long"));
            }
            ('c', n) => {
                let value = if let Num::Int(n) = n { Value::Int(*n) } else { Value::Int(-1) };
                let c = self.char_of(&value, "").map_err(|stop| match stop {
                    Stop::Raise(_) => Stop::exact(ExcKind::OverflowError, "%c arg not in range(0x110000)"),
                    other => other,
                })?;
                (false, "", c.to_string())
            }
            (kind, n) if whole => self.whole_digits(n, kind, spec.alternate)?,
            (kind, n) => {
                let x = to_float(n)?;
                let body = float_digits(x.abs(), kind, spec.precision, spec.alternate)?;
                let zero = body.bytes().all(|b| !matches!(b, b'1'..=b'9' | b'n' | b'f' | b'N' | b'F'));
                (x.is_sign_negative() && !x.is_nan() && !(spec.unsigned_zero && zero), "", body)
            }
        };
        let sign = match (negative, spec.sign) {
            (true, _) => "-",
            (false, Some('+')) => "+",
            (false, Some(' ')) => " ",
            _ => "",
        };
        let fill = spec.fill.unwrap_or(if spec.zero { '0' } else { ' ' });
        let align = spec.align.unwrap_or(if spec.zero { '=' } else { '>' });
        let before = format!("{sign}{prefix}");
        let inner = spec.width.saturating_sub(before.len());
        let body = match spec.group {
            Some(separator) => {
                let finite = !matches!(n, Num::Float(x) if !x.is_finite());
                let padded = if finite && align == '=' && fill == '0' { inner } else { 0 };
                group(&body, separator, if matches!(kind, 'b' | 'o' | 'x' | 'X') { 4 } else { 3 }, padded)
            }
            None => body,
        };
        if align == '=' {
            return Ok(before + &self.pad(&body, inner, fill, '>')?);
        }
        self.pad(&(before + &body), spec.width, fill, align)
    }

    /// Sign, prefix and digits of a whole number in a base.
    fn whole_digits(&mut self, n: &Num, kind: char, alternate: bool) -> Done<(bool, &'static str, String)> {
        let n = big(n).unwrap_or_default();
        let (prefix, text) = match kind {
            'd' => ("", self.repr(&Value::big(n))?),
            _ => {
                self.spend(n.bits() as usize)?;
                match kind {
                    'b' => ("0b", format!("{n:b}")),
                    'o' => ("0o", format!("{n:o}")),
                    'x' => ("0x", format!("{n:x}")),
                    _ => ("0X", format!("{n:X}")),
                }
            }
        };
        let digits = text.strip_prefix('-');
        let prefix = if alternate { prefix } else { "" };
        Ok((digits.is_some(), prefix, digits.unwrap_or(&text).to_owned()))
    }

    /// `template % value`, of texts or of bytes written as a text.
    pub(crate) fn percent(&mut self, template: &str, value: &Value, bytes: bool) -> Done<String> {
        self.work(template.len())?;
        let args = if let Some(Obj::Tuple(items)) = self.obj(value) { items.clone() } else { vec![value.clone()] };
        // CPython takes everything with items for a mapping.
        let is_mapping = matches!(self.obj(value), Some(Obj::Dict(_) | Obj::List(_) | Obj::Range(..)))
            || (!bytes && matches!(value, Value::Bytes(_)));
        let mut args = args.into_iter();
        let mut out = String::new();
        let mut chars = template.chars().peekable();
        let few = || Stop::type_error("not enough arguments for format string");
        while let Some(c) = chars.next() {
            if c != '%' {
                out.push(c);
                continue;
            }
            if chars.next_if_eq(&'%').is_some() {
                out.push('%');
                continue;
            }
            let mut spec = Spec::default();
            let mut mapped = None;
            if chars.peek() == Some(&'(') {
                if !is_mapping {
                    return Err(Stop::type_error("format requires a mapping"));
                }
                chars.next();
                let (mut key, mut open) = (String::new(), 1);
                loop {
                    let Some(c) = chars.next() else {
                        return Err(Stop::exact(ExcKind::ValueError, "incomplete format key"));
                    };
                    open += i32::from(c == '(') - i32::from(c == ')');
                    if open == 0 {
                        break;
                    }
                    key.push(c);
                }
                let key = if bytes { Value::Bytes(super::byte_strings::as_bytes(&key)) } else { Value::str(&key) };
                mapped = Some(self.get_item(value, &key)?);
                // Whoever names one value can take no other but by name.
                args = Vec::new().into_iter();
            }
            while let Some(c @ ('-' | '+' | ' ' | '0' | '#')) = chars.peek().copied() {
                match c {
                    '-' => spec.align = Some('<'),
                    '0' => spec.zero = true,
                    '#' => spec.alternate = true,
                    c => spec.sign = if spec.sign == Some('+') { spec.sign } else { Some(c) },
                }
                chars.next();
            }
            // The width is a `ssize_t` in CPython, the precision an `int`.
            let mut number = |precision: bool, chars: &mut std::iter::Peekable<std::str::Chars<'_>>| -> Done<i64> {
                let most = if precision { i64::from(i32::MAX) } else { i64::MAX };
                if chars.next_if_eq(&'*').is_some() {
                    let given = args.next().ok_or_else(few)?;
                    return match num(&given) {
                        Some(Num::Int(n)) if precision => i32::try_from(n).ok().map(i64::from),
                        Some(Num::Int(n)) => Some(n),
                        Some(Num::Big(_)) => None,
                        _ => return Err(Stop::type_error("* wants int")),
                    }
                    .ok_or_else(|| {
                        let of = if precision { "int" } else { "ssize_t" };
                        exact!(OverflowError, "Python int too large to convert to C {of}")
                    });
                }
                let mut n: i64 = 0;
                while let Some(d) = chars.peek().and_then(|c| c.to_digit(10)) {
                    let more = n.checked_mul(10).and_then(|n| n.checked_add(i64::from(d))).filter(|n| *n <= most);
                    n = more.ok_or_else(|| {
                        exact!(ValueError, "{} too big", if precision { "precision" } else { "width" })
                    })?;
                    chars.next();
                }
                Ok(n)
            };
            let width = number(false, &mut chars)?;
            spec.align = if width < 0 { Some('<') } else { spec.align };
            spec.width = usize::try_from(width.unsigned_abs()).unwrap_or(usize::MAX);
            if chars.next_if_eq(&'.').is_some() {
                spec.precision = Some(usize::try_from(number(true, &mut chars)?).unwrap_or(0));
            }
            if matches!(chars.peek(), Some('h' | 'l' | 'L')) {
                chars.next();
            }
            let Some(code) = chars.next() else { return Err(Stop::exact(ExcKind::ValueError, "incomplete format")) };
            self.spend(spec.width.max(spec.precision.unwrap_or(0)))?;
            let arg = match mapped {
                Some(arg) => arg,
                None => args.next().ok_or_else(few)?,
            };
            let text = if "sdiurcaxXofFeEgG".contains(code) || (bytes && code == 'b') {
                self.percent_one(code, &arg, spec, bytes)?
            } else {
                let at = template.chars().count() - chars.clone().count() - 1;
                return Err(exact!(
                    ValueError,
                    "unsupported format character '{}' (0x{:x}) at index {at}",
                    if matches!(code, ' '..='~') { code } else { '?' },
                    u32::from(code)
                ));
            };
            self.spend(text.len())?;
            out.push_str(&text);
        }
        if args.next().is_some() && !is_mapping {
            let what = if bytes { "bytes" } else { "string" };
            return Err(type_error!("not all arguments converted during {what} formatting"));
        }
        Ok(out)
    }

    fn percent_one(&mut self, code: char, arg: &Value, mut spec: Spec, bytes: bool) -> Done<String> {
        let name = self.type_name(arg);
        let text = match (code, arg) {
            ('s' | 'b', Value::Bytes(of)) if bytes => super::byte_strings::as_text(of),
            ('s' | 'b', _) if bytes => {
                return Err(type_error!(
                    "%b requires a bytes-like object, or an object that implements __bytes__, not '{name}'"
                ));
            }
            ('s', _) => self.str_of(arg)?,
            ('r', _) if !bytes => self.repr(arg)?,
            ('r' | 'a', _) => super::text::ascii(&self.repr(arg)?),
            ('c', _) => {
                spec.precision = None;
                self.percent_char(arg, bytes)?
            }
            _ => return self.percent_number(code, arg, spec),
        };
        let cut: String = match spec.precision {
            Some(n) => text.chars().take(n).collect(),
            None => text,
        };
        self.pad(&cut, spec.width, ' ', spec.align.unwrap_or('>'))
    }

    fn percent_char(&mut self, arg: &Value, bytes: bool) -> Done<String> {
        match arg {
            Value::Bytes(of) if bytes && of.len() == 1 => Ok(super::byte_strings::as_text(of)),
            Value::Str(text) if !bytes && text.chars().count() == 1 => Ok(text.to_string()),
            Value::Int(_) | Value::Bool(_) | Value::Big(_) => {
                let range = |most: &str| exact!(OverflowError, "%c arg not in range({most})");
                if bytes {
                    return Ok(char::from(self.byte_of(arg).map_err(|_| range("256"))?).to_string());
                }
                self.char_of(arg, "").map(String::from).map_err(|stop| match stop {
                    Stop::Raise(_) => range("0x110000"),
                    other => other,
                })
            }
            _ if bytes => Err(Stop::type_error("%c requires an integer in range(256) or a single byte")),
            _ => Err(Stop::type_error("%c requires int or char")),
        }
    }

    fn percent_number(&mut self, code: char, arg: &Value, mut spec: Spec) -> Done<String> {
        let name = self.type_name(arg);
        spec.zero &= spec.align.is_none();
        match code {
            'd' | 'i' | 'u' | 'x' | 'X' | 'o' => {
                let decimal = matches!(code, 'd' | 'i' | 'u');
                let n = match num(arg) {
                    Some(Num::Float(x)) if decimal => match super::relate::float_to_big(x) {
                        Some(n) => Num::Big(n.into()),
                        None if x.is_nan() => {
                            return Err(Stop::exact(ExcKind::ValueError, "cannot convert float NaN to integer"));
                        }
                        None => {
                            return Err(Stop::exact(
                                ExcKind::OverflowError,
                                "cannot convert float infinity to integer",
                            ));
                        }
                    },
                    Some(n @ (Num::Int(_) | Num::Big(_))) => n,
                    _ if decimal => {
                        return Err(type_error!("%{code} format: a real number is required, not {name}"));
                    }
                    _ => return Err(type_error!("%{code} format: an integer is required, not {name}")),
                };
                let (negative, prefix, digits) =
                    self.whole_digits(&n, if decimal { 'd' } else { code }, spec.alternate)?;
                let digits = self.pad(&digits, spec.precision.unwrap_or(0), '0', '>')?;
                let sign = match (negative, spec.sign) {
                    (true, _) => "-",
                    (false, Some('+')) => "+",
                    (false, Some(_)) => " ",
                    _ => "",
                };
                let before = format!("{sign}{prefix}");
                if spec.zero {
                    return Ok(before.clone() + &self.pad(&digits, spec.width.saturating_sub(before.len()), '0', '>')?);
                }
                self.pad(&(before + &digits), spec.width, ' ', spec.align.unwrap_or('>'))
            }
            'f' | 'F' | 'e' | 'E' | 'g' | 'G' => {
                let Some(n) = num(arg) else { return Err(type_error!("must be real number, not {name}")) };
                spec.kind = Some(code);
                self.format_number(&Num::Float(to_float(&n)?), &spec, "float")
            }
            other => Err(rough!(ValueError, "unsupported format character '{other}'")),
        }
    }
}

fn shown(code: char) -> String {
    if matches!(code, '!'..='\u{7F}') { code.to_string() } else { format!("\\x{:x}", u32::from(code)) }
}

fn unknown_code(code: char, of: &str) -> Stop {
    exact!(ValueError, "Unknown format code '{}' for object of type '{of}'", shown(code))
}

/// Digits of a float that is not negative, without sign. The alternate form keeps the point and the zeros behind it.
fn float_digits(x: f64, kind: char, precision: Option<usize>, alternate: bool) -> Done<String> {
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
    let pointed = |text: String| {
        if !alternate || text.contains('.') {
            return text;
        }
        let end = text.find('e').unwrap_or(text.len());
        format!("{}.{}", &text[..end], &text[end..])
    };
    let text = match kind.to_ascii_lowercase() {
        'f' => pointed(format!("{x:.p$}")),
        '%' => pointed(format!("{:.p$}", x * 100.0)) + "%",
        'e' => pointed(exponent(&format!("{x:.p$e}"))),
        'g' => pointed(general(x, p.max(1), alternate, false)),
        // No code: as `repr`, or general with the precision given and at least one digit after the point.
        _ => match precision {
            None => pointed(float_repr(x)),
            Some(p) => pointed(general(x, p.max(1), alternate, true)),
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

/// `p` digits, with an exponent where the number is very small or large; `digit` wants one digit after the point at least.
fn general(x: f64, p: usize, alternate: bool, digit: bool) -> String {
    let scientific = format!("{x:.*e}", p - 1);
    let e: i64 = scientific.split_once('e').and_then(|(_, e)| e.parse().ok()).unwrap_or(0);
    let trim = |s: &str| {
        let zeros = s.contains('.') && !alternate;
        if zeros { s.trim_end_matches('0').trim_end_matches('.').to_owned() } else { s.to_owned() }
    };
    if e < -4 || e >= p as i64 - i64::from(digit) {
        let (mantissa, _) = scientific.split_once('e').unwrap_or((&scientific, ""));
        return exponent(&format!("{}e{e}", trim(mantissa)));
    }
    let decimals = (p as i64 - 1 - e).max(0) as usize;
    let text = trim(&format!("{x:.decimals$}"));
    if digit && !text.contains('.') { text + ".0" } else { text }
}

/// Inserts a separator between groups of digits before the point, with zeros before them up to a width.
fn group(text: &str, separator: char, size: usize, width: usize) -> String {
    let end =
        text.find(|c: char| !c.is_ascii_alphanumeric() || (size == 3 && !c.is_ascii_digit())).unwrap_or(text.len());
    let (whole, rest) = text.split_at(end);
    let mut count = whole.len();
    while count + count.saturating_sub(1) / size + rest.len() < width {
        count += 1;
    }
    let zeros = std::iter::repeat_n('0', count - whole.len());
    let mut out = String::new();
    for (i, c) in zeros.chain(whole.chars()).enumerate() {
        if i > 0 && (count - i).is_multiple_of(size) {
            out.push(separator);
        }
        out.push(c);
    }
    out + rest
}
