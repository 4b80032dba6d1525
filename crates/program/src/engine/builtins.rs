//! Built-in functions.

use std::cmp::Ordering;

use super::compile_expr::MAX_DIGITS;
use super::counts::wrong_call;
use super::fault::{ExcKind, Stop};
use super::letters::{is_space_of_numbers, with_ascii_digits};
use super::number::{Num, big, divmod, num, range_len, to_float};
use super::numeric::hash_of;
use super::text::ascii;
use super::types::{Builtin, Type};
use super::value::{Id, IterState, Obj, Value};
use super::vm::{Args, Done, Keywords, Vm};
use super::{code::Operator, relate::float_to_big};

/// How many positional arguments each takes, and which keywords.
fn arity(of: Builtin) -> (usize, usize, &'static [&'static str]) {
    match of {
        Builtin::Print => (0, usize::MAX, &["sep", "end"]),
        Builtin::Max | Builtin::Min => (1, usize::MAX, &["key", "default"]),
        Builtin::Sorted => (1, 1, &["key", "reverse"]),
        Builtin::Sum => (1, 2, &["start"]),
        Builtin::Round => (1, 2, &["number", "ndigits"]),
        Builtin::Pow => (2, 3, &["base", "exp", "mod"]),
        Builtin::DivMod | Builtin::HasAttr | Builtin::IsInstance | Builtin::IsSubclass => (2, 2, &[]),
        Builtin::GetAttr => (2, 3, &[]),
        Builtin::Format | Builtin::Iter | Builtin::Next => (1, 2, &[]),
        _ => (1, 1, &[]),
    }
}

/// Fewer items than this CPython sorts by insertion.
const FEW: usize = 64;

/// Whether it is a text that is compared at once.
fn is_short(value: &Value) -> bool {
    matches!(value, Value::Str(text) if text.len() <= 256)
}

impl Vm {
    pub(crate) fn call_builtin(&mut self, of: Builtin, args: Args, keywords: Keywords) -> Done<Value> {
        let (least, most, allowed) = arity(of);
        if !keywords.is_empty() && allowed.is_empty() {
            return Err(type_error!("{}() takes no keyword arguments", of.name()));
        }
        let known = keywords.iter().all(|(name, _)| allowed.contains(&&**name));
        if matches!(of, Builtin::Round | Builtin::Pow) && !keywords.is_empty() && known {
            return Err(Stop::unsupported("keyword arguments of this function"));
        }
        let all = args.len() + keywords.len();
        if args.len() < least
            || args.len() > most
            || (matches!(of, Builtin::Sum | Builtin::Round | Builtin::Pow) && all > most)
        {
            return Err(wrong_call(of, (least, most), args.len(), keywords.len()));
        }
        if let Some((name, _)) = keywords.iter().find(|(n, _)| !allowed.contains(&&**n)) {
            if of == Builtin::Print {
                return Err(Stop::unsupported("this argument of print"));
            }
            let called = if of == Builtin::Sorted { "sort" } else { of.name() };
            if of == Builtin::Sorted {
                // The list is made first.
                self.each(&args.first().cloned().unwrap_or(Value::None), |_, _| Ok(true))?;
            }
            return Err(type_error!("'{name}' is an invalid keyword argument for {called}()"));
        }
        let keyword = |name: &str| keywords.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone());
        let arg = |i: usize| args.get(i).cloned().unwrap_or(Value::None);
        match of {
            Builtin::Len => self.len(&arg(0)).map(|n| Value::Int(n as i64)),
            Builtin::Any | Builtin::All => {
                let want = of == Builtin::Any;
                let mut result = !want;
                self.each(&arg(0), |vm, value| {
                    if vm.truth(&value)? == want {
                        result = want;
                        return Ok(false);
                    }
                    Ok(true)
                })?;
                Ok(Value::Bool(result))
            }
            Builtin::Sum => {
                let start = keyword("start").or_else(|| args.get(1).cloned()).unwrap_or(Value::Int(0));
                self.sum(&arg(0), start)
            }
            Builtin::Min | Builtin::Max => self.extreme(of == Builtin::Max, &args, keyword("key"), keyword("default")),
            Builtin::Sorted => {
                let key = keyword("key");
                let mut sorted = self.collect_to_compare(&arg(0), key.as_ref())?;
                self.sort(&mut sorted, key, keyword("reverse"))?;
                self.alloc(Obj::List(sorted))
            }
            Builtin::IsInstance => self.is_instance(&arg(0), &arg(1)).map(Value::Bool),
            Builtin::IsSubclass => self.is_subclass(&arg(0), &arg(1)).map(Value::Bool),
            Builtin::Iter => self.iter(&args),
            Builtin::Next => self.next(&args),
            Builtin::Callable => Ok(Value::Bool(self.callable(&arg(0)))),
            Builtin::HasAttr | Builtin::GetAttr => {
                let Value::Str(name) = arg(1) else {
                    let of = self.type_name(&arg(1));
                    return Err(type_error!("attribute name must be string, not '{of}'"));
                };
                match (self.get_attr(&arg(0), &name), of, args.get(2)) {
                    (Ok(_), Builtin::HasAttr, _) => Ok(Value::Bool(true)),
                    (Err(Stop::Raise(r)), Builtin::HasAttr, _) if r.kind == ExcKind::AttributeError => {
                        Ok(Value::Bool(false))
                    }
                    (Err(Stop::Raise(r)), _, Some(default)) if r.kind == ExcKind::AttributeError => Ok(default.clone()),
                    (result, _, _) => result,
                }
            }
            Builtin::Repr => {
                let text = self.repr(&arg(0))?;
                self.new_str(text)
            }
            Builtin::Ascii => {
                let text = ascii(&self.repr(&arg(0))?);
                self.new_str(text)
            }
            Builtin::Format => {
                let spec = match args.get(1) {
                    None => String::new(),
                    Some(Value::Str(spec)) => spec.to_string(),
                    Some(other) => {
                        let of = self.none_or_type(other);
                        return Err(type_error!("format() argument 2 must be str, not {of}"));
                    }
                };
                let text = self.format_value(&arg(0), &spec)?;
                self.new_str(text)
            }
            Builtin::Hash => {
                let hash = hash_of(&self.key(&arg(0))?);
                hash.map(Value::Int).ok_or_else(|| Stop::unsupported("the hash of this"))
            }
            Builtin::Ord => match arg(0) {
                Value::Str(s) => {
                    let mut chars = s.chars();
                    match (chars.next(), chars.next()) {
                        (Some(c), None) => Ok(Value::Int(i64::from(u32::from(c)))),
                        _ => Err(type_error!(
                            "ord() expected a character, but string of length {} found",
                            s.chars().count()
                        )),
                    }
                }
                Value::Bytes(bytes) => match *bytes {
                    [byte] => Ok(Value::Int(i64::from(byte))),
                    _ => Err(type_error!("ord() expected a character, but string of length {} found", bytes.len())),
                },
                other => {
                    let name = self.type_name(&other);
                    Err(type_error!("ord() expected string of length 1, but {name} found"))
                }
            },
            Builtin::Chr => {
                self.c_int(&arg(0))?;
                let c = self.char_of(&arg(0), "chr() arg not in range(0x110000)")?;
                Ok(Value::str(c.encode_utf8(&mut [0; 4])))
            }
            Builtin::Bin | Builtin::Oct | Builtin::Hex => {
                let n = match num(&arg(0)) {
                    Some(n @ (Num::Int(_) | Num::Big(_))) => big(&n).unwrap_or_default(),
                    _ => self.whole(&arg(0)).map(num_bigint::BigInt::from)?,
                };
                self.spend(n.bits() as usize)?;
                self.new_str(match of {
                    Builtin::Bin => format!("{n:#b}"),
                    Builtin::Oct => format!("{n:#o}"),
                    _ => format!("{n:#x}"),
                })
            }
            Builtin::Abs => match num(&arg(0)) {
                Some(Num::Float(x)) => Ok(Value::Float(x.abs())),
                Some(Num::Int(n)) if n < 0 => self.arithmetic(Operator::Sub, Num::Int(0), Num::Int(n)),
                Some(Num::Int(n)) => Ok(Value::Int(n)),
                Some(Num::Big(n)) => Ok(Value::big(num_bigint::BigInt::from(n.magnitude().clone()))),
                None => {
                    let name = self.type_name(&arg(0));
                    Err(type_error!("bad operand type for abs(): '{name}'"))
                }
            },
            Builtin::Round => self.round(&arg(0), args.get(1)),
            Builtin::Pow => {
                if args.len() == 3 && !matches!(arg(2), Value::None) {
                    return self.power_modulo([&arg(0), &arg(1), &arg(2)]);
                }
                self.binary(Operator::Pow, &arg(0), &arg(1))
            }
            Builtin::DivMod => {
                let (a, b) = (arg(0), arg(1));
                match (num(&a), num(&b)) {
                    (Some(x), Some(y)) if matches!(x, Num::Float(_)) || matches!(y, Num::Float(_)) => {
                        let (x, y) = (to_float(&x)?, to_float(&y)?);
                        if y == 0.0 {
                            return Err(exact!(ZeroDivisionError, "float divmod()"));
                        }
                        let (q, r) = divmod(x, y);
                        self.new_tuple(vec![Value::Float(q), Value::Float(r)])
                    }
                    (Some(_), Some(_)) => {
                        let q = self.binary(Operator::FloorDiv, &a, &b)?;
                        let r = self.binary(Operator::Mod, &a, &b)?;
                        self.new_tuple(vec![q, r])
                    }
                    _ => {
                        let (a, b) = (self.type_name(&a), self.type_name(&b));
                        Err(type_error!("unsupported operand type(s) for divmod(): '{a}' and '{b}'"))
                    }
                }
            }
            Builtin::Print => self.print(&args, keyword("sep"), keyword("end")),
        }
    }

    pub(crate) fn whole(&self, value: &Value) -> Done<i64> {
        match num(value) {
            Some(Num::Int(n)) => Ok(n),
            Some(Num::Big(_)) => Err(Stop::unsupported("numbers beyond 64 bits here")),
            _ => Err(type_error!("'{}' object cannot be interpreted as an integer", self.type_name(value))),
        }
    }

    /// A whole number that CPython keeps in an `int` of C.
    fn c_int(&self, value: &Value) -> Done<i32> {
        let n = match num(value) {
            Some(Num::Big(_)) => None,
            _ => i32::try_from(self.whole(value)?).ok(),
        };
        n.ok_or_else(|| exact!(OverflowError, "Python int too large to convert to C int"))
    }

    pub(crate) fn len(&self, value: &Value) -> Done<usize> {
        let n = match value {
            Value::Str(s) if s.is_ascii() => Some(s.len()),
            Value::Str(s) => Some(s.chars().count()),
            Value::Bytes(b) => Some(b.len()),
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::List(items) | Obj::Tuple(items) => Some(items.len()),
                Obj::Dict(dict) => Some(dict.map.len()),
                Obj::Set(set) => Some(set.map.len()),
                Obj::Range(a, b, c) => Some(range_len(*a, *b, *c) as usize),
                Obj::View(of, _) => match self.heap.get(*of) {
                    Obj::Dict(dict) => Some(dict.map.len()),
                    _ => None,
                },
                _ => None,
            },
            _ => None,
        };
        n.ok_or_else(|| type_error!("object of type '{}' has no len()", self.type_name(value)))
    }

    fn sum(&mut self, iterable: &Value, start: Value) -> Done<Value> {
        if matches!(start, Value::Str(_) | Value::Bytes(_)) {
            self.start(iterable)?;
        }
        if matches!(start, Value::Str(_)) {
            return Err(Stop::type_error("sum() can't sum strings [use ''.join(seq) instead]"));
        }
        if matches!(start, Value::Bytes(_)) {
            return Err(Stop::type_error("sum() can't sum bytes [use b''.join(seq) instead]"));
        }
        let mut total = start;
        // CPython 3.12 adds what was lost in rounding at the end, 3.11 does not: a sum is only sure where both agree.
        let mut lost = 0.0;
        self.each(iterable, |vm, value| {
            let sum = vm.binary(Operator::Add, &total, &value)?;
            if let (Some(before), Value::Float(x), Value::Float(after)) = (num(&total), &value, &sum) {
                let before = to_float(&before)?;
                lost += if before.abs() >= x.abs() { (before - after) + x } else { (x - after) + before };
            }
            total = sum;
            Ok(true)
        })?;
        if matches!(total, Value::Float(x) if lost.is_finite() && x + lost != x) {
            return Err(Stop::unsupported("a sum of floats that CPython rounds in one of two ways"));
        }
        Ok(total)
    }

    /// `min` and `max`.
    fn extreme(&mut self, max: bool, args: &Args, key: Option<Value>, default: Option<Value>) -> Done<Value> {
        let name = if max { "max" } else { "min" };
        let items = match args.as_slice() {
            [one] => self.collect_to_compare(one, key.as_ref())?,
            many if default.is_none() => many.to_vec(),
            _ => {
                return Err(type_error!("Cannot specify a default for {name}() with multiple positional arguments"));
            }
        };
        let key = key.filter(|k| !matches!(k, Value::None));
        let mut best: Option<(Value, Value)> = None;
        for item in items {
            let rank = match &key {
                Some(key) => self.call_one(key, item.clone())?,
                None => item.clone(),
            };
            let better = match &best {
                None => true,
                Some((_, other)) if max => {
                    self.tick()?;
                    self.relate(super::code::CmpOp::Gt, &rank, other)?
                }
                Some((_, other)) => self.less(&rank, other)?,
            };
            if better {
                best = Some((item, rank));
            }
        }
        match (best, default) {
            (Some((item, _)), _) => Ok(item),
            (None, Some(default)) => Ok(default),
            // The wording changed between versions of Python.
            (None, None) => Err(rough!(ValueError, "{name}() arg is an empty sequence")),
        }
    }

    pub(crate) fn call_one(&mut self, function: &Value, arg: Value) -> Done<Value> {
        self.deeper(|vm| vm.call(function, Args::from_iter([arg]), Keywords::new()))
    }

    /// The values of an iterable that are to be compared by `<`. Those of a set need no order where what comes of it is the same in any:
    /// by a key, things that differ may rank the same.
    fn collect_to_compare(&mut self, iterable: &Value, key: Option<&Value>) -> Done<Vec<Value>> {
        let key = key.filter(|key| !matches!(key, Value::None));
        if let Some(Obj::Set(set)) = self.obj(iterable)
            && key.is_none()
        {
            let items: Vec<Value> = set.map.values().cloned().collect();
            self.spend_times(items.len(), 24)?;
            if self.is_in_line(&items, 0) {
                return Ok(items);
            }
        }
        match (self.collect(iterable), key) {
            (Err(Stop::Unsupported(why)), Some(key)) => {
                self.collect_apart(iterable, key)?.ok_or(Stop::Unsupported(why))
            }
            (collected, _) => collected,
        }
    }

    /// The few values of a set that all rank differently by a key, which need no order either.
    fn collect_apart(&mut self, iterable: &Value, key: &Value) -> Done<Option<Vec<Value>>> {
        let Some(Obj::Set(set)) = self.obj(iterable) else { return Ok(None) };
        let items: Vec<Value> = set.map.values().cloned().collect();
        if items.len() >= FEW {
            return Ok(None);
        }
        let mut ranks: Vec<Value> = Vec::with_capacity(items.len());
        for item in &items {
            let rank = self.call_one(key, item.clone())?;
            for other in &ranks {
                if self.equal(&rank, other)? {
                    return Ok(None);
                }
            }
            ranks.push(rank);
        }
        Ok(self.is_in_line(&ranks, 0).then_some(items))
    }

    /// Whether of any two different items one is less than the other. Sets are not: neither may hold the other.
    fn is_in_line(&self, items: &[Value], depth: usize) -> bool {
        const DEEPEST: usize = 8;
        let [first, rest @ ..] = items else { return true };
        match first {
            Value::Str(_) => rest.iter().all(|item| matches!(item, Value::Str(_))),
            Value::Bytes(_) => rest.iter().all(|item| matches!(item, Value::Bytes(_))),
            // Equal, and so never compared.
            Value::None => rest.iter().all(|item| matches!(item, Value::None)),
            Value::Ref(_) if depth < DEEPEST => {
                let tuple = |item| match self.obj(item) {
                    Some(Obj::Tuple(parts)) => Some(parts.as_slice()),
                    _ => None,
                };
                let Some(tuples) = items.iter().map(tuple).collect::<Option<Vec<&[Value]>>>() else { return false };
                let longest = tuples.iter().map(|parts| parts.len()).max().unwrap_or_default();
                (0..longest).all(|at| {
                    let column: Vec<Value> = tuples.iter().filter_map(|parts| parts.get(at)).cloned().collect();
                    self.is_in_line(&column, depth + 1)
                })
            }
            _ => items.iter().all(|item| match num(item) {
                Some(Num::Float(x)) => !x.is_nan(),
                number => number.is_some(),
            }),
        }
    }

    /// A stable sort by `<`, as CPython's. Where things cannot be compared, few are left as far as CPython has then come.
    pub(crate) fn sort(&mut self, items: &mut Vec<Value>, key: Option<Value>, reverse: Option<Value>) -> Done<()> {
        // A whole number to Python 3.11; to 3.12 anything that is true or false.
        let reverse = match reverse {
            Some(value) if matches!(num(&value), None | Some(Num::Float(_))) => {
                return Err(Stop::unsupported("reverse= of no whole number"));
            }
            Some(value) => self.c_int(&value)? != 0,
            None => false,
        };
        let key = key.filter(|key| !matches!(key, Value::None));
        if key.is_none() && items.len() < FEW && items.iter().all(is_short) {
            return self.sort_short(items, reverse);
        }
        let mut keyed = Vec::with_capacity(items.len());
        for item in items.iter() {
            let rank = match &key {
                Some(key) => self.call_one(key, item.clone())?,
                None => item.clone(),
            };
            keyed.push((rank, item.clone()));
        }
        if reverse {
            keyed.reverse();
        }
        let sorted = if keyed.len() < FEW {
            self.insertion_sort(&mut keyed)
        } else {
            // Which things are compared first, and where they then are, is CPython's own.
            self.merge_sort(&mut keyed).map_err(|stop| match stop {
                Stop::Raise(_) => Stop::unsupported("an error within a long sort"),
                other => other,
            })
        };
        if reverse {
            keyed.reverse();
        }
        *items = keyed.into_iter().map(|(_, item)| item).collect();
        sorted
    }

    /// Sorts few short texts, whose comparison does nothing else.
    fn sort_short(&mut self, items: &mut [Value], reverse: bool) -> Done<()> {
        let mut steps = 0;
        items.sort_by(|left, right| {
            let (Value::Str(left), Value::Str(right)) = (left, right) else { return Ordering::Equal };
            steps += 1 + left.len().min(right.len()) / 16;
            // Code point order is byte order in UTF-8.
            if reverse { right.cmp(left) } else { left.cmp(right) }
        });
        self.work(steps * 16)
    }

    /// Sorts few items with the comparisons that CPython makes, in its order: the run that they begin with, then each of the others
    /// put in its place by halving.
    fn insertion_sort(&mut self, items: &mut [(Value, Value)]) -> Done<()> {
        let mut run = items.len().min(1);
        let mut descends = false;
        while let Some([before, next]) = items.get(run.saturating_sub(1)..=run) {
            let (before, next) = (before.0.clone(), next.0.clone());
            let less = self.less(&next, &before)?;
            if run == 1 {
                descends = less;
            } else if less != descends {
                break;
            }
            run += 1;
        }
        if descends && let Some(run) = items.get_mut(..run) {
            run.reverse();
        }
        for at in run..items.len() {
            let Some((pivot, _)) = items.get(at).cloned() else { break };
            let (mut from, mut to) = (0, at);
            while from < to {
                let middle = from + (to - from) / 2;
                let Some((other, _)) = items.get(middle).cloned() else { break };
                if self.less(&pivot, &other)? { to = middle } else { from = middle + 1 }
            }
            if let Some(part) = items.get_mut(from..=at) {
                part.rotate_right(1);
            }
        }
        Ok(())
    }

    fn merge_sort(&mut self, items: &mut Vec<(Value, Value)>) -> Done<()> {
        if items.len() < 2 {
            return Ok(());
        }
        let mut right = items.split_off(items.len() / 2);
        self.deeper(|vm| vm.merge_sort(items))?;
        self.deeper(|vm| vm.merge_sort(&mut right))?;
        let left = std::mem::take(items);
        let (mut left, mut right) = (left.into_iter().peekable(), right.into_iter().peekable());
        loop {
            let from_right = match (left.peek(), right.peek()) {
                (Some((a, _)), Some((b, _))) => {
                    let (a, b) = (a.clone(), b.clone());
                    self.less(&b, &a)?
                }
                (None, Some(_)) => true,
                (Some(_), None) => false,
                (None, None) => return Ok(()),
            };
            items.extend(if from_right { right.next() } else { left.next() });
        }
    }

    fn is_instance(&mut self, value: &Value, class: &Value) -> Done<bool> {
        let of = self.class_value(value)?;
        self.matches_class(&of, class, "isinstance() arg 2 must be a type, a tuple of types, or a union")
    }

    fn is_subclass(&mut self, of: &Value, class: &Value) -> Done<bool> {
        let is_class = match of {
            Value::Type(_) => true,
            Value::Ref(id) => matches!(self.heap.get(*id), Obj::Class(_)),
            _ => false,
        };
        if !is_class {
            return Err(Stop::type_error("issubclass() arg 1 must be a class"));
        }
        self.matches_class(of, class, "issubclass() arg 2 must be a class, a tuple of classes, or a union")
    }

    fn matches_class(&mut self, of: &Value, class: &Value, message: &str) -> Done<bool> {
        self.tick()?;
        match class {
            Value::Type(Type::Object) => Ok(true),
            Value::Type(class) => Ok(match of {
                Value::Type(of) => is_subtype(*of, *class),
                _ => false,
            }),
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Class(_) => Ok(matches!(of, Value::Ref(of) if self.inherits(*of, *id))),
                Obj::Tuple(items) | Obj::Union(items) => {
                    for item in items.clone() {
                        if self.deeper(|vm| vm.matches_class(of, &item, message))? {
                            return Ok(true);
                        }
                    }
                    Ok(false)
                }
                _ => Err(Stop::type_error(message)),
            },
            _ => Err(Stop::type_error(message)),
        }
    }

    fn inherits(&self, class: Id, base: Id) -> bool {
        let mut next = Some(class);
        while let Some(id) = next {
            if id == base {
                return true;
            }
            next = match self.heap.get(id) {
                Obj::Class(class) => class.base,
                _ => None,
            };
        }
        false
    }

    fn iter(&mut self, args: &Args) -> Done<Value> {
        match args.as_slice() {
            [Value::Ref(id)] if matches!(self.heap.get(*id), Obj::Iter(..)) => Ok(Value::Ref(*id)),
            [one] => {
                let state = self.start(one)?;
                let of = self.iterator_type(one);
                self.alloc(Obj::Iter(state, of))
            }
            [function, _] if !self.callable(function) => Err(Stop::type_error("iter(v, w): v must be callable")),
            [function, sentinel] => {
                self.alloc(Obj::Iter(IterState::Until(function.clone(), sentinel.clone()), Type::CallableIterator))
            }
            _ => Err(Stop::unsupported("iter of this")),
        }
    }

    fn next(&mut self, args: &Args) -> Done<Value> {
        let id = match args.first() {
            Some(Value::Ref(id)) if matches!(self.heap.get(*id), Obj::Iter(..)) => id,
            other => {
                let name = self.type_name(other.unwrap_or(&Value::None));
                return Err(type_error!("'{name}' object is not an iterator"));
            }
        };
        let mut state = IterState::Object(*id);
        match (self.advance(&mut state)?, args.get(1)) {
            (Some(value), _) => Ok(value),
            (None, Some(default)) => Ok(default.clone()),
            (None, None) => Err(Stop::exact(ExcKind::StopIteration, "")),
        }
    }

    fn round(&mut self, value: &Value, places: Option<&Value>) -> Done<Value> {
        let places = match places {
            None | Some(Value::None) => None,
            Some(places) if num(value).is_some() => Some(self.whole(places)?),
            Some(_) => None,
        };
        match (num(value), places) {
            (Some(Num::Int(n)), None) => Ok(Value::Int(n)),
            (Some(Num::Int(n)), Some(p)) if p >= 0 => Ok(Value::Int(n)),
            (Some(Num::Big(n)), None) => Ok(Value::Big(n)),
            (Some(Num::Big(n)), Some(p)) if p >= 0 => Ok(Value::Big(n)),
            (Some(Num::Float(x)), None) => {
                if x.is_nan() {
                    return Err(Stop::exact(ExcKind::ValueError, "cannot convert float NaN to integer"));
                }
                match float_to_big(x.round_ties_even()) {
                    Some(n) => Ok(Value::big(n)),
                    None => Err(Stop::exact(ExcKind::OverflowError, "cannot convert float infinity to integer")),
                }
            }
            (Some(Num::Float(x)), Some(p)) if !x.is_finite() || x == 0.0 || p > 323 => Ok(Value::Float(x)),
            (Some(Num::Float(x)), Some(p)) if p >= 0 => {
                let text = format!("{x:.*}", p as usize);
                text.parse().map(Value::Float).map_err(|_| Stop::unsupported("this rounding"))
            }
            (Some(n), Some(p)) => self.round_to_tens(&n, p.unsigned_abs()),
            (None, _) => {
                let name = self.type_name(value);
                Err(type_error!("type {name} doesn't define __round__ method"))
            }
        }
    }

    fn print(&mut self, args: &Args, sep: Option<Value>, end: Option<Value>) -> Done<Value> {
        let text = |value: Option<Value>, name: &str, default: &str| match value {
            None | Some(Value::None) => Ok(default.to_owned()),
            Some(Value::Str(s)) => Ok(s.to_string()),
            Some(other) => Err(type_error!("{name} must be None or a string, not {}", self.type_name(&other))),
        };
        let (sep, end) = (text(sep, "sep", " ")?, text(end, "end", "\n")?);
        let mut line = String::new();
        for (i, arg) in args.iter().enumerate() {
            if i > 0 {
                line.push_str(&sep);
            }
            line.push_str(&self.str_of(arg)?);
        }
        line.push_str(&end);
        self.spend(line.len())?;
        self.out.push_str(&line);
        Ok(Value::None)
    }
}

fn is_subtype(of: Type, class: Type) -> bool {
    of == class
        || class == Type::Object
        || match (of, class) {
            (Type::Bool, Type::Int) | (Type::DefaultDict, Type::Dict) => true,
            (Type::Exc(of), Type::Exc(class)) => of.is_a(class),
            _ => false,
        }
}

/// Reads a whole number as `int(text, base)` does; `None` if it is none.
pub(crate) fn parse_whole(text: &str, base: u32) -> Done<Option<Value>> {
    let bad = Ok(None);
    let text = with_ascii_digits(text);
    let trimmed = text.trim_matches(is_space_of_numbers);
    if !trimmed.is_ascii() {
        return bad;
    }
    let (negative, digits) = match trimmed.strip_prefix(['-', '+']) {
        Some(rest) => (trimmed.starts_with('-'), rest),
        None => (false, trimmed),
    };
    let prefix = |d: &str| match d.get(..2).map(str::to_ascii_lowercase).as_deref() {
        Some("0x") => 16,
        Some("0o") => 8,
        Some("0b") => 2,
        _ => 0,
    };
    let (digits, base) = match (prefix(digits), base) {
        (p, b) if p > 0 && (b == p || b == 0) => (digits[2..].strip_prefix('_').unwrap_or(&digits[2..]), p),
        (_, 0) if digits.len() > 1 && digits.starts_with('0') && digits.bytes().any(|b| b != b'0' && b != b'_') => {
            return bad;
        }
        (_, 0) => (digits, 10),
        (_, b) => (digits, b),
    };
    if digits.is_empty() || digits.starts_with('_') || digits.ends_with('_') || digits.contains("__") {
        return bad;
    }
    let plain = digits.replace('_', "");
    if !plain.chars().all(|c| c.is_digit(base)) {
        return bad;
    }
    if plain.len() > MAX_DIGITS {
        if base.is_power_of_two() {
            return Err(Stop::unsupported("whole numbers this large"));
        }
        return Err(exact!(
            ValueError,
            "Exceeds the limit (4300 digits) for integer string conversion: value has {} digits; use \
             sys.set_int_max_str_digits() to increase the limit",
            plain.len()
        ));
    }
    let Some(n) = num_bigint::BigInt::parse_bytes(plain.as_bytes(), base) else { return bad };
    Ok(Some(Value::big(if negative { -n } else { n })))
}
