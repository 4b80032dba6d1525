//! Construction by built-in types: `int('3')`, `list(x)`, `defaultdict(list)`, `range(3)`, `ValueError('…')`.

use super::builtins::parse_whole;
use super::counts::{Called, wrong_name};
use super::fault::{ExcKind, Stop};
use super::letters::{is_space_of_numbers, with_ascii_digits};
use super::methods::given;
use super::number::{Num, num, range_len, to_float};
use super::relate::float_to_big;
use super::types::{Takes, Type};
use super::value::{Dict, IterState, Obj, Part, Set, Value};
use super::vm::{Args, Done, Keywords, Vm};

impl Vm {
    pub(crate) fn construct(&mut self, of: Type, args: Args, mut keywords: Keywords) -> Done<Value> {
        if let Some(stop) = refused(of, &args, &keywords) {
            return Err(stop);
        }
        let strict = if of == Type::Zip { keywords.pop() } else { None };
        let strict = strict.map_or(Ok(false), |(_, value)| self.truth(&value))?;
        let (args, keywords) = self.bind_arguments(Called::Itself, of.name(), constructor(of), args, keywords)?;
        let first = given(&args, 0);
        if matches!(of, Type::Str | Type::Bytes) {
            self.check_codec(of.name(), given(&args, 1), given(&args, 2))?;
        }
        match of {
            Type::Bool => Ok(Value::Bool(match first {
                Some(value) => self.truth(value)?,
                None => false,
            })),
            Type::Int => self.int(&args),
            Type::Float => self.float(first),
            Type::Str => match (first, given(&args, 1), given(&args, 2)) {
                (None, _, _) => Ok(Value::str("")),
                (Some(text @ Value::Str(_)), None, None) => Ok(text.clone()),
                (Some(value), None, None) => {
                    let text = self.str_of(value)?;
                    self.new_str(text)
                }
                (Some(Value::Bytes(bytes)), encoding, errors) => self.decode(bytes, encoding, errors),
                (Some(Value::Str(_)), ..) => Err(Stop::type_error("decoding str is not supported")),
                (Some(value), ..) => {
                    let name = self.type_name(value);
                    Err(type_error!("decoding to str: need a bytes-like object, {name} found"))
                }
            },
            Type::Bytes => self.make_bytes(&args),
            Type::List => {
                let items = first.map_or(Ok(Vec::new()), |v| self.collect(v))?;
                self.alloc(Obj::List(items))
            }
            Type::Tuple => {
                if let Some(value) = first.filter(|v| matches!(self.obj(v), Some(Obj::Tuple(_)))) {
                    return Ok(value.clone());
                }
                let items = first.map_or(Ok(Vec::new()), |v| self.collect(v))?;
                self.alloc(Obj::Tuple(items))
            }
            Type::Set | Type::FrozenSet => {
                if let (Type::FrozenSet, Some(value)) = (of, first)
                    && self.type_of(value) == Type::FrozenSet
                {
                    return Ok(value.clone());
                }
                let mut set = first.map_or(Ok(Set::default()), |v| self.set_from(v))?;
                set.frozen = of == Type::FrozenSet;
                self.alloc(Obj::Set(set))
            }
            Type::Dict => {
                let dict = self.dict_of(Dict::default(), first, keywords)?;
                self.alloc(Obj::Dict(dict))
            }
            Type::DefaultDict => {
                let factory = first.cloned().unwrap_or(Value::None);
                if !matches!(factory, Value::None) && !self.callable(&factory) {
                    return Err(Stop::type_error("first argument must be callable or None"));
                }
                if args.len() > 2 {
                    return Err(Stop::raise(ExcKind::TypeError, "defaultdict() got too many arguments"));
                }
                let empty = Dict { factory: Some(factory), ..Dict::default() };
                let dict = self.dict_of(empty, args.get(1), keywords)?;
                self.alloc(Obj::Dict(dict))
            }
            Type::Range => self.range(&args),
            Type::Class => match args.as_slice() {
                [one] => self.class_value(one),
                _ => Err(Stop::unsupported("making classes with type()")),
            },
            Type::Object => Err(Stop::unsupported("object()")),
            Type::Map => match args.as_slice() {
                [function, iterables @ ..] if !iterables.is_empty() => {
                    let iters = iterables.iter().map(|v| self.start(v)).collect::<Done<Vec<_>>>()?;
                    self.alloc(Obj::Iter(IterState::Map(function.clone(), iters), Type::Map))
                }
                _ => Err(Stop::type_error("map() must have at least two arguments.")),
            },
            Type::Filter => match args.as_slice() {
                [function, iterable] => {
                    let state = self.start(iterable)?;
                    self.alloc(Obj::Iter(IterState::Filter(function.clone(), Box::new(state)), Type::Filter))
                }
                _ => Err(Stop::unsupported("filter of this")),
            },
            Type::Zip => {
                let iters = args.iter().map(|v| self.start(v)).collect::<Done<Vec<_>>>()?;
                self.alloc(Obj::Iter(IterState::Zip(iters, strict), Type::Zip))
            }
            Type::Enumerate => {
                let Some(iterable) = first else { return Err(Stop::unsupported("enumerate of this")) };
                let start = match given(&args, 1) {
                    Some(value) => self.whole(value)?,
                    None => 0,
                };
                let state = self.start(iterable)?;
                self.alloc(Obj::Iter(IterState::Enumerate(Box::new(state), start), Type::Enumerate))
            }
            Type::Reversed => self.reversed(first),
            Type::Exc(ExcKind::UnicodeDecodeError | ExcKind::UnicodeEncodeError) => {
                Err(unsupported!("calling {}", of.name()))
            }
            // What it is then, and its text, depends on the number.
            Type::Exc(kind) if kind.is_a(ExcKind::OSError) && args.len() > 1 => {
                Err(unsupported!("calling {} with a number", of.name()))
            }
            Type::Exc(kind) => self.alloc(Obj::Exception { kind, args: args.to_vec(), exact: true }),
            Type::Nothing | Type::Dots if args.is_empty() => {
                Ok(if of == Type::Nothing { Value::None } else { Value::Ellipsis })
            }
            other => Err(unsupported!("calling {}", other.name())),
        }
    }

    pub(crate) fn callable(&self, value: &Value) -> bool {
        let object = self.obj(value);
        matches!(value, Value::Type(_) | Value::Builtin(_))
            || matches!(object, Some(Obj::Class(_) | Obj::Function(_) | Obj::Method { .. } | Obj::BuiltinMethod { .. }))
    }

    fn int(&mut self, args: &Args) -> Done<Value> {
        let text = match given(args, 0) {
            Some(Value::Str(text)) => Some(text.to_string()),
            Some(Value::Bytes(bytes)) => Some(digits_of(bytes)),
            _ => None,
        };
        let base = match given(args, 1) {
            None => None,
            Some(_) if given(args, 0).is_none() => return Err(Stop::type_error("int() missing string argument")),
            Some(base) => Some(match num(base) {
                Some(Num::Big(_)) => 1,
                _ => u32::try_from(self.whole(base)?).unwrap_or(1),
            }),
        };
        if base.is_some_and(|base| base == 1 || base > 36) {
            return Err(Stop::exact(ExcKind::ValueError, "int() base must be >= 2 and <= 36, or 0"));
        }
        match (given(args, 0), text, base) {
            (None, ..) => Ok(Value::Int(0)),
            (Some(value), Some(text), base) => {
                let base = base.unwrap_or(10);
                self.work(text.len())?;
                match parse_whole(&text, base)? {
                    Some(n) => Ok(n),
                    None => {
                        const MOST: usize = 200;
                        let shown: String = self.repr(value)?.chars().take(MOST).collect();
                        Err(exact!(ValueError, "invalid literal for int() with base {base}: {shown}"))
                    }
                }
            }
            (Some(value), None, None) => match num(value) {
                Some(Num::Int(n)) => Ok(Value::Int(n)),
                Some(Num::Big(n)) => Ok(Value::Big(n)),
                Some(Num::Float(x)) if x.is_nan() => {
                    Err(Stop::exact(ExcKind::ValueError, "cannot convert float NaN to integer"))
                }
                Some(Num::Float(x)) => match float_to_big(x) {
                    Some(n) => Ok(Value::big(n)),
                    None => Err(Stop::exact(ExcKind::OverflowError, "cannot convert float infinity to integer")),
                },
                None => {
                    let name = self.type_name(value);
                    Err(type_error!(
                        "int() argument must be a string, a bytes-like object or a real number, not '{name}'"
                    ))
                }
            },
            (Some(_), None, Some(_)) => Err(Stop::type_error("int() can't convert non-string with explicit base")),
        }
    }

    fn float(&mut self, value: Option<&Value>) -> Done<Value> {
        match value {
            None => Ok(Value::Float(0.0)),
            Some(given @ (Value::Str(_) | Value::Bytes(_))) => {
                let text = match given {
                    Value::Str(text) => with_ascii_digits(text),
                    Value::Bytes(bytes) => digits_of(bytes),
                    _ => String::new(),
                };
                self.work(text.len())?;
                let trimmed = text.trim_matches(is_space_of_numbers);
                let lower = trimmed.to_ascii_lowercase();
                let word = lower.trim_start_matches(['+', '-']);
                let known = matches!(word, "inf" | "infinity" | "nan");
                let underscores_fine = !trimmed.contains('_')
                    || (trimmed.split('_').all(|p| !p.is_empty())
                        && trimmed.as_bytes().windows(3).all(|w| {
                            w.get(1) != Some(&b'_')
                                || (w.first().is_some_and(u8::is_ascii_digit)
                                    && w.last().is_some_and(u8::is_ascii_digit))
                        }));
                let numeric = !known
                    && underscores_fine
                    && trimmed
                        .bytes()
                        .all(|b| b.is_ascii_digit() || matches!(b, b'+' | b'-' | b'.' | b'e' | b'E' | b'_'));
                let parsed = if known || numeric { lower.replace('_', "").parse::<f64>().ok() } else { None };
                match parsed {
                    Some(x) => Ok(Value::Float(x)),
                    None => Err(exact!(ValueError, "could not convert string to float: {}", self.repr(given)?)),
                }
            }
            Some(value) => match num(value) {
                Some(n) => Ok(Value::Float(to_float(&n)?)),
                None => {
                    let name = self.type_name(value);
                    Err(type_error!("float() argument must be a string or a real number, not '{name}'"))
                }
            },
        }
    }

    fn range(&mut self, args: &Args) -> Done<Value> {
        let mut parts = [0_i64; 3];
        for (place, arg) in parts.iter_mut().zip(args) {
            *place = self.whole(arg)?;
        }
        let [a, b, c] = parts;
        let (start, stop, step) = match args.len() {
            0 => return Err(Stop::unsupported("a range of this")),
            1 => (0, a, 1),
            2 => (a, b, 1),
            _ => (a, b, c),
        };
        if step == 0 {
            return Err(Stop::exact(ExcKind::ValueError, "range() arg 3 must not be zero"));
        }
        if range_len(start, stop, step) > i64::MAX as u64 {
            return Err(Stop::unsupported("ranges beyond 64 bits"));
        }
        self.alloc(Obj::Range(start, stop, step))
    }

    fn reversed(&mut self, value: Option<&Value>) -> Done<Value> {
        let Some(value) = value else { return Err(Stop::unsupported("reversing this")) };
        let (state, of) = match value {
            Value::Str(text) => {
                self.spend(text.len())?;
                let text: String = text.chars().rev().collect();
                (IterState::Chars(text.into(), 0), Type::Reversed)
            }
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::List(items) => (IterState::SeqReversed(*id, items.len()), Type::ListReversed),
                Obj::Tuple(items) => (IterState::SeqReversed(*id, items.len()), Type::Reversed),
                Obj::Range(start, stop, step) => {
                    let n = range_len(*start, *stop, *step) as i64;
                    let last = start.wrapping_add(step.wrapping_mul(n - 1));
                    match (start.checked_sub(*step), step.checked_neg()) {
                        (Some(stop), Some(step)) if n > 0 => (IterState::Range(last, stop, step), Type::RangeIterator),
                        (_, _) if n == 0 => (IterState::Done, Type::RangeIterator),
                        _ => return Err(Stop::unsupported("ranges beyond 64 bits")),
                    }
                }
                Obj::Dict(_) | Obj::View(..) => match self.start(value)? {
                    IterState::Dict { id, part, index, version, len, .. } => {
                        let of = match part {
                            Part::Keys => Type::KeyReversed,
                            Part::Values => Type::ValueReversed,
                            Part::Items => Type::ItemReversed,
                        };
                        (IterState::Dict { id, part, index, version, len, reversed: true }, of)
                    }
                    _ => return Err(Stop::unsupported("reversing this")),
                },
                _ => return Err(self.not_reversible(value)),
            },
            Value::Bytes(bytes) => (IterState::Bytes(bytes.iter().rev().copied().collect(), 0), Type::Reversed),
            _ => return Err(self.not_reversible(value)),
        };
        self.alloc(Obj::Iter(state, of))
    }

    fn not_reversible(&self, value: &Value) -> Stop {
        type_error!("'{}' object is not reversible", self.type_name(value))
    }

    /// A dictionary with what `source` and `keywords` add.
    pub(crate) fn dict_of(&mut self, mut dict: Dict, source: Option<&Value>, keywords: Keywords) -> Done<Dict> {
        if let Some(source) = source {
            self.update_dict(&mut dict, source)?;
        }
        for (name, value) in keywords {
            self.dict_insert(&mut dict, Value::Str(name), value)?;
        }
        Ok(dict)
    }

    /// `dict.update(source)`.
    pub(crate) fn update_dict(&mut self, dict: &mut Dict, source: &Value) -> Done<()> {
        if let Some(entries) = self.entries(source) {
            for entry in entries {
                self.dict_insert(dict, entry.key, entry.value)?;
            }
            return Ok(());
        }
        let mut at = 0;
        self.each(source, |vm, item| {
            let pair = match vm.collect(&item) {
                Err(Stop::Raise(r)) if r.kind == ExcKind::TypeError => {
                    return Err(type_error!("cannot convert dictionary update sequence element #{at} to a sequence"));
                }
                other => other?,
            };
            let [key, value] = <[Value; 2]>::try_from(pair).map_err(|pair| {
                exact!(ValueError, "dictionary update sequence element #{at} has length {}; 2 is required", pair.len())
            })?;
            at += 1;
            vm.spend(48)?;
            vm.dict_insert(dict, key, value)?;
            Ok(true)
        })
    }
}

/// Bytes as a text of which a number is read. One beyond ASCII is no digit and no white space, whatever it would be as a character.
fn digits_of(bytes: &[u8]) -> String {
    bytes.iter().map(|b| if b.is_ascii() { char::from(*b) } else { '?' }).collect()
}

/// What CPython says of a call before it looks at the arguments one by one.
fn refused(of: Type, args: &Args, keywords: &Keywords) -> Option<Stop> {
    Some(match (of, args.len(), keywords.as_slice()) {
        (Type::Zip, _, [(name, _), more @ ..]) if **name != *"strict" || !more.is_empty() => {
            Stop::unsupported("this argument of zip")
        }
        (Type::Object, given, named) if given + named.len() > 0 => type_error!("object() takes no arguments"),
        (Type::Class, 0 | 2 | 4.., _) => type_error!("type() takes 1 or 3 arguments"),
        (Type::Enumerate, 0, [(name, _)]) if **name != *"iterable" => {
            wrong_name(None, of.name(), constructor(of), name)
        }
        _ => return None,
    })
}

fn constructor(of: Type) -> Takes {
    let (least, most, names) = match of {
        Type::Bool | Type::Float | Type::List | Type::Tuple | Type::Set | Type::FrozenSet => (0, 1, ""),
        Type::Reversed => (1, 1, ""),
        Type::Dict => (0, 1, "*"),
        Type::DefaultDict => (0, usize::MAX, "*"),
        Type::Int => (0, 2, ",base"),
        Type::Str => (0, 3, "object,encoding,errors"),
        Type::Bytes => (0, 3, "source,encoding,errors"),
        Type::Enumerate => (1, 2, "iterable,start"),
        Type::Range => (1, 3, ""),
        Type::Filter => (2, 2, ""),
        _ => (0, usize::MAX, ""),
    };
    Takes { least, most, names }
}
