//! Methods of `bytes`, texts to bytes and back.

use std::sync::Arc;

use super::fault::{ExcKind, Stop};
use super::methods::given;
use super::strings::{NOT_FOUND, Text};
use super::value::{Name, Obj, Value};
use super::vm::{Args, Done, Vm};

/// Bytes as the text of the characters with their numbers.
pub(crate) fn as_text(bytes: &[u8]) -> String {
    bytes.iter().map(|b| char::from(*b)).collect()
}

/// The bytes that a text of such characters stands for.
pub(crate) fn as_bytes(text: &str) -> Arc<[u8]> {
    text.chars().map(|c| u8::try_from(u32::from(c)).unwrap_or(b'?')).collect()
}

impl Vm {
    pub(crate) fn bytes_method(&mut self, bytes: &Arc<[u8]>, name: &Name, args: &Args) -> Done<Value> {
        self.work(bytes.len())?;
        match &**name {
            "decode" => self.decode(bytes, given(args, 0), given(args, 1)),
            "hex" => self.hex_of(bytes, args),
            "translate" => self.translate_bytes(bytes, args),
            _ => {
                // The bounds are looked at before what is looked for.
                if matches!(&**name, "find" | "rfind" | "index" | "rindex" | "count" | "startswith" | "endswith") {
                    self.bound(args, 1, 0, 0)?;
                    self.bound(args, 2, 0, 0)?;
                }
                // So are a width, and how often to split.
                let number = match &**name {
                    "center" | "ljust" | "rjust" => given(args, 0),
                    "split" | "rsplit" => given(args, 1),
                    _ => None,
                };
                number.map_or(Ok(0), |number| self.whole(number))?;
                let args =
                    args.iter().enumerate().map(|(i, arg)| self.text_for(name, i, arg)).collect::<Done<Args>>()?;
                let text = as_text(bytes);
                let value =
                    self.text_method(Text { text: &text, bytes: true }, name, &args).map_err(|stop| match stop {
                        Stop::Raise(raised) if raised.message == NOT_FOUND => {
                            exact!(ValueError, "subsection not found")
                        }
                        other => other,
                    })?;
                self.bytes_for(value)
            }
        }
    }

    /// An argument of a method of bytes as the method of texts takes it.
    fn text_for(&mut self, name: &str, place: usize, arg: &Value) -> Done<Value> {
        Ok(match (name, arg) {
            // Not given.
            (_, Value::Unbound) => Value::Unbound,
            ("join", Value::Bytes(bytes)) if !bytes.is_empty() => {
                return Err(Stop::type_error("sequence item 0: expected a bytes-like object, int found"));
            }
            ("center" | "ljust" | "rjust", Value::Bytes(bytes)) if bytes.len() == 1 => Value::str(&as_text(bytes)),
            (_, Value::Bytes(bytes)) if takes_bytes(name, place) => Value::str(&as_text(bytes)),
            ("find" | "rfind" | "index" | "rindex" | "count", Value::Int(_) | Value::Bool(_) | Value::Big(_))
                if place == 0 =>
            {
                Value::str(&as_text(&[self.byte_of(arg)?]))
            }
            ("find" | "rfind" | "index" | "rindex" | "count", _) if place == 0 => {
                let of = self.type_name(arg);
                return Err(type_error!("argument should be integer or bytes-like object, not '{of}'"));
            }
            ("join", _) => {
                let items = self.collect_joined(arg)?;
                let text = |(i, item): (usize, &Value)| match item {
                    Value::Bytes(bytes) => Ok(Value::str(&as_text(bytes))),
                    other => {
                        let of = self.type_name(other);
                        Err(type_error!("sequence item {i}: expected a bytes-like object, {of} found"))
                    }
                };
                let items = items.iter().enumerate().map(text).collect::<Done<Vec<_>>>()?;
                self.new_list(items)?
            }
            ("startswith" | "endswith", _) if place == 0 => match self.obj(arg) {
                Some(Obj::Tuple(items)) => {
                    let items = items.clone();
                    let items = items.iter().map(|item| self.text_for("", 0, item)).collect::<Done<Vec<_>>>()?;
                    self.new_tuple(items)?
                }
                _ => {
                    let of = self.type_name(arg);
                    return Err(type_error!("{name} first arg must be bytes or a tuple of bytes, not {of}"));
                }
            },
            ("center" | "ljust" | "rjust", _) if place == 1 => {
                let of = self.type_name(arg);
                return Err(type_error!("{name}() argument 2 must be a byte string of length 1, not {of}"));
            }
            ("split" | "rsplit" | "strip" | "lstrip" | "rstrip", Value::None) if place == 0 => Value::None,
            _ if takes_bytes(name, place) => {
                return Err(self.no_bytes(Some(arg)));
            }
            _ => arg.clone(),
        })
    }

    /// The result of a method of texts, as the method of bytes gives it.
    fn bytes_for(&mut self, value: Value) -> Done<Value> {
        let convert = |value: &mut Value| {
            if let Value::Str(text) = value {
                *value = Value::Bytes(as_bytes(text));
            }
        };
        match value {
            Value::Ref(id) => {
                if let Obj::List(items) | Obj::Tuple(items) = self.heap.get_mut(id) {
                    items.iter_mut().for_each(convert);
                }
                Ok(value)
            }
            mut value => {
                convert(&mut value);
                Ok(value)
            }
        }
    }

    pub(crate) fn byte_of(&self, value: &Value) -> Done<u8> {
        let range = || Stop::exact(ExcKind::ValueError, "byte must be in range(0, 256)");
        if matches!(value, Value::Big(_)) {
            return Err(range());
        }
        u8::try_from(self.whole(value)?).map_err(|_| range())
    }

    /// `bytes(…)`
    pub(crate) fn make_bytes(&mut self, args: &Args) -> Done<Value> {
        match (given(args, 0), given(args, 1), given(args, 2)) {
            (None, None, None) => Ok(Value::Bytes(Arc::default())),
            (Some(Value::Str(_)), None, None) => Err(Stop::type_error("string argument without an encoding")),
            (Some(Value::Str(text)), encoding, errors) => self.encode(text, encoding, errors),
            (_, Some(_), _) => Err(Stop::type_error("encoding without a string argument")),
            (_, None, Some(_)) => Err(Stop::type_error("errors without a string argument")),
            (Some(bytes @ Value::Bytes(_)), ..) => Ok(bytes.clone()),
            (Some(count @ (Value::Int(_) | Value::Bool(_))), ..) => {
                let count = usize::try_from(self.whole(count)?)
                    .map_err(|_| Stop::exact(ExcKind::ValueError, "negative count"))?;
                self.spend(count)?;
                Ok(Value::Bytes(vec![0; count].into()))
            }
            (Some(Value::Big(_)), ..) => {
                Err(Stop::exact(ExcKind::OverflowError, "cannot fit 'int' into an index-sized integer"))
            }
            (Some(iterable), ..) => {
                let items = match self.collect(iterable) {
                    Err(Stop::Raise(r)) if r.kind == ExcKind::TypeError && r.message.ends_with("is not iterable") => {
                        let name = self.type_name(iterable);
                        return Err(type_error!("cannot convert '{name}' object to bytes"));
                    }
                    other => other?,
                };
                let range = |_| Stop::exact(ExcKind::ValueError, "bytes must be in range(0, 256)");
                let byte = |item: &Value| match item {
                    Value::Big(_) => Err(range(())),
                    item => u8::try_from(self.whole(item)?).map_err(|_| range(())),
                };
                Ok(Value::Bytes(items.iter().map(byte).collect::<Done<Vec<_>>>()?.into()))
            }
        }
    }

    /// The encoding that a program names, and what it wants done with what does not fit.
    fn codec(&self, encoding: Option<&Value>, errors: Option<&Value>) -> Done<(Codec, Arc<str>)> {
        let text = |value: Option<&Value>, default: &str| match value {
            None => Ok(Arc::from(default)),
            Some(Value::Str(text)) => Ok(text.clone()),
            Some(_) => Err(Stop::unsupported("this encoding")),
        };
        let codec = match &*text(encoding, "utf-8")?.to_ascii_lowercase().replace(['_', ' '], "-") {
            "utf-8" | "utf8" | "u8" => Codec::Utf8,
            "ascii" | "us-ascii" | "646" => Codec::Narrow(0x80),
            "latin-1" | "latin1" | "iso-8859-1" | "iso8859-1" | "l1" => Codec::Narrow(0x100),
            other => return Err(unsupported!("the encoding {other}")),
        };
        Ok((codec, text(errors, "strict")?))
    }

    /// Whether both are texts, and as C has them, without a null.
    pub(crate) fn check_codec(&self, method: &str, encoding: Option<&Value>, errors: Option<&Value>) -> Done<()> {
        for (name, value) in [("encoding", encoding), ("errors", errors)] {
            match value {
                Some(Value::Str(text)) if text.contains('\0') => {
                    return Err(Stop::exact(ExcKind::ValueError, "embedded null character"));
                }
                None | Some(Value::Str(_)) => {}
                Some(other) => {
                    let of = self.none_or_type(other);
                    return Err(type_error!("{method}() argument '{name}' must be str, not {of}"));
                }
            }
        }
        Ok(())
    }

    /// `str.encode`
    pub(crate) fn encode(&mut self, text: &str, encoding: Option<&Value>, errors: Option<&Value>) -> Done<Value> {
        self.check_codec("encode", encoding, errors)?;
        let (codec, errors) = self.codec(encoding, errors)?;
        self.spend(text.len())?;
        let Codec::Narrow(end) = codec else { return Ok(Value::Bytes(text.as_bytes().into())) };
        let mut out = Vec::new();
        for c in text.chars() {
            let code = u32::from(c);
            match (&*errors, u8::try_from(code)) {
                (_, Ok(byte)) if code < end => out.push(byte),
                ("strict", _) => return Err(rough!(UnicodeEncodeError, "can't encode character {c:?}")),
                ("ignore", _) => {}
                ("replace", _) => out.push(b'?'),
                ("xmlcharrefreplace", _) => out.extend(format!("&#{code};").bytes()),
                ("backslashreplace", _) => {
                    let mut escaped = String::new();
                    super::text::escape(c, &mut escaped);
                    out.extend(escaped.bytes());
                }
                _ => return Err(unsupported!("the error handler {errors}")),
            }
        }
        self.spend(out.len())?;
        Ok(Value::Bytes(out.into()))
    }

    /// `bytes.decode`
    pub(crate) fn decode(&mut self, bytes: &[u8], encoding: Option<&Value>, errors: Option<&Value>) -> Done<Value> {
        self.check_codec("decode", encoding, errors)?;
        let (codec, errors) = self.codec(encoding, errors)?;
        self.spend_times(bytes.len(), 3)?;
        let mut out = String::new();
        let wrong = |out: &mut String, bytes: &[u8]| match &*errors {
            "strict" => Err(rough!(UnicodeDecodeError, "can't decode byte {:#04x}", bytes.first().unwrap_or(&0))),
            "ignore" => Ok(()),
            "replace" => {
                out.push('\u{fffd}');
                Ok(())
            }
            "backslashreplace" => {
                bytes.iter().for_each(|b| out.push_str(&format!("\\x{b:02x}")));
                Ok(())
            }
            _ => Err(unsupported!("the error handler {errors}")),
        };
        match codec {
            Codec::Utf8 => {
                for chunk in bytes.utf8_chunks() {
                    out.push_str(chunk.valid());
                    if !chunk.invalid().is_empty() {
                        wrong(&mut out, chunk.invalid())?;
                    }
                }
            }
            Codec::Narrow(end) => {
                for byte in bytes {
                    if u32::from(*byte) < end {
                        out.push(char::from(*byte));
                    } else {
                        wrong(&mut out, &[*byte])?;
                    }
                }
            }
        }
        self.new_str(out)
    }

    fn hex_of(&mut self, bytes: &[u8], args: &Args) -> Done<Value> {
        let group = given(args, 1).map_or(Ok(1), |value| self.whole(value))?;
        let length = || Stop::exact(ExcKind::ValueError, "sep must be length 1.");
        let separator = match given(args, 0) {
            None => None,
            Some(Value::Str(text)) => Some(text.to_string()),
            Some(Value::Bytes(bytes)) => Some(as_text(bytes)),
            Some(other) => {
                // Its length is asked for before its type.
                let one = self.len(other)? == 1;
                return Err(if one { Stop::type_error("sep must be str or bytes.") } else { length() });
            }
        };
        if separator.as_ref().is_some_and(|text| text.chars().count() != 1) {
            return Err(length());
        }
        if separator.as_ref().is_some_and(|text| !text.is_ascii()) {
            return Err(Stop::exact(ExcKind::ValueError, "sep must be ASCII."));
        }
        self.spend_times(bytes.len(), 4)?;
        let size = usize::try_from(group.unsigned_abs()).unwrap_or(usize::MAX);
        let mut out = String::new();
        for (i, byte) in bytes.iter().enumerate() {
            // Groups are counted from the right, or from the left where the number is negative.
            let counted = if group > 0 { bytes.len() - i } else { i };
            if let Some(separator) = &separator
                && i > 0
                && size > 0
                && counted.is_multiple_of(size)
            {
                out.push_str(separator);
            }
            out.push_str(&format!("{byte:02x}"));
        }
        self.new_str(out)
    }

    /// `bytes.fromhex`
    pub(crate) fn bytes_from_hex(&mut self, value: Option<&Value>) -> Done<Value> {
        let Some(Value::Str(text)) = value else {
            let name = self.none_or_type(value.unwrap_or(&Value::None));
            return Err(type_error!("fromhex() argument must be str, not {name}"));
        };
        self.spend(text.len())?;
        let mut out = Vec::new();
        let wrong =
            |at: usize| Err(exact!(ValueError, "non-hexadecimal number found in fromhex() arg at position {at}"));
        // What is not ASCII is found before anything else.
        if let Some(at) = text.chars().position(|c| !c.is_ascii()) {
            return wrong(at);
        }
        let mut rest = text.trim_start_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
        while !rest.is_empty() {
            let digits = rest.bytes().take(2).take_while(u8::is_ascii_hexdigit).count();
            let Some(byte) = rest.get(..2).filter(|_| digits == 2).and_then(|two| u8::from_str_radix(two, 16).ok())
            else {
                return wrong(text.len() - rest.len() + digits);
            };
            out.push(byte);
            rest = rest[2..].trim_start_matches(|c: char| matches!(c, ' ' | '\t'..='\r'));
        }
        Ok(Value::Bytes(out.into()))
    }

    /// `bytes.maketrans`
    pub(crate) fn byte_table(&self, args: &Args) -> Done<Value> {
        let (from, to) = (given(args, 0), given(args, 1));
        let (Some(Value::Bytes(from)), Some(Value::Bytes(to))) = (from, to) else {
            return Err(self.no_bytes(from.filter(|from| !matches!(from, Value::Bytes(_))).or(to)));
        };
        if from.len() != to.len() {
            return Err(Stop::exact(ExcKind::ValueError, "maketrans arguments must have same length"));
        }
        let mut table: Vec<u8> = (0..=u8::MAX).collect();
        for (from, to) in from.iter().zip(to.iter()) {
            table[usize::from(*from)] = *to;
        }
        Ok(Value::Bytes(table.into()))
    }

    fn no_bytes(&self, value: Option<&Value>) -> Stop {
        type_error!("a bytes-like object is required, not '{}'", self.type_name(value.unwrap_or(&Value::None)))
    }

    fn translate_bytes(&mut self, bytes: &[u8], args: &Args) -> Done<Value> {
        let table = match given(args, 0) {
            Some(Value::None) => None,
            Some(Value::Bytes(table)) if table.len() == 256 => Some(table),
            Some(Value::Bytes(_)) => {
                return Err(Stop::exact(ExcKind::ValueError, "translation table must be 256 characters long"));
            }
            other => return Err(self.no_bytes(other)),
        };
        let drop: &[u8] = match given(args, 1) {
            None => &[],
            Some(Value::Bytes(drop)) => drop,
            other => return Err(self.no_bytes(other)),
        };
        self.spend(bytes.len())?;
        self.work(bytes.len().saturating_mul(drop.len()))?;
        let kept = bytes.iter().filter(|b| !drop.contains(b));
        Ok(Value::Bytes(kept.map(|b| table.and_then(|t| t.get(usize::from(*b))).copied().unwrap_or(*b)).collect()))
    }
}

/// Whether an argument of a method of bytes is bytes.
fn takes_bytes(name: &str, place: usize) -> bool {
    match name {
        "" | "split" | "rsplit" | "strip" | "lstrip" | "rstrip" | "partition" | "rpartition" | "removeprefix"
        | "removesuffix" | "find" | "rfind" | "index" | "rindex" | "count" | "startswith" | "endswith" | "join" => {
            place == 0
        }
        "replace" => place < 2,
        _ => false,
    }
}

enum Codec {
    Utf8,
    /// One byte a character, for the characters below this one.
    Narrow(u32),
}
