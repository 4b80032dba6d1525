//! Iteration protocol: every loop, comprehension and builtin draws its values here, one at a time, so that laziness,
//! short circuits and budgets are the same everywhere.

use super::fault::Stop;
use super::relate::not_iterable;
use super::types::Type;
use super::value::{Dict, Entry, Generator, Id, IterState, Obj, Part, Value};
use super::vm::{Args, Done, Keywords, Vm};

impl Vm {
    /// `iter(value)`.
    pub(crate) fn start(&mut self, value: &Value) -> Done<IterState> {
        match value {
            Value::Str(s) => Ok(IterState::Chars(s.clone(), 0)),
            Value::Bytes(b) => Ok(IterState::Bytes(b.clone(), 0)),
            Value::Ref(id) => {
                let id = *id;
                match self.heap.get(id) {
                    Obj::List(_) | Obj::Tuple(_) => Ok(IterState::Seq(id, 0)),
                    Obj::Dict(dict) => Ok(over_dict(id, dict, Part::Keys)),
                    Obj::View(of, part) => match self.heap.get(*of) {
                        Obj::Dict(dict) => Ok(over_dict(*of, dict, *part)),
                        _ => Err(not_iterable(&self.type_name(value))),
                    },
                    Obj::Set(_) => {
                        self.settle_order(id)?;
                        match self.heap.get(id) {
                            Obj::Set(set) => {
                                Ok(IterState::Set { id, index: 0, version: set.version, len: set.map.len() })
                            }
                            _ => Ok(IterState::Done),
                        }
                    }
                    Obj::Range(start, stop, step) => Ok(IterState::Range(*start, *stop, *step)),
                    Obj::Iter(..) => Ok(IterState::Object(id)),
                    _ => Err(not_iterable(&self.type_name(value))),
                }
            }
            _ => Err(not_iterable(&self.type_name(value))),
        }
    }

    /// The type of the iterator object that `iter(value)` gives.
    pub(crate) fn iterator_type(&self, value: &Value) -> Type {
        match self.type_of(value) {
            Type::Str => match value {
                Value::Str(s) if s.is_ascii() => Type::StrAsciiIterator,
                _ => Type::StrIterator,
            },
            Type::Bytes => Type::BytesIterator,
            Type::List => Type::ListIterator,
            Type::Tuple => Type::TupleIterator,
            Type::Dict | Type::DefaultDict | Type::Keys => Type::KeyIterator,
            Type::Values => Type::ValueIterator,
            Type::Items => Type::ItemIterator,
            Type::Set | Type::FrozenSet => Type::SetIterator,
            Type::Range => Type::RangeIterator,
            other => other,
        }
    }

    /// The next value, or `None` at the end.
    pub(crate) fn advance(&mut self, state: &mut IterState) -> Done<Option<Value>> {
        self.tick()?;
        match state {
            IterState::Done => Ok(None),
            IterState::Running => Err(Stop::unsupported("an iterator that asks itself")),
            IterState::Object(id) => self.advance_object(*id),
            IterState::Seq(id, _) | IterState::SeqReversed(id, _) => {
                let (Obj::List(items) | Obj::Tuple(items)) = self.heap.get(*id) else { return Ok(None) };
                let value = match state {
                    IterState::Seq(_, next) => items.get(std::mem::replace(next, *next + 1)),
                    IterState::SeqReversed(_, left) => left.checked_sub(1).and_then(|at| {
                        *left = at;
                        items.get(at)
                    }),
                    _ => None,
                };
                let value = value.cloned();
                if value.is_none() {
                    *state = IterState::Done;
                }
                Ok(value)
            }
            IterState::Chars(text, at) => {
                let Some(c) = text.get(*at..).and_then(|rest| rest.chars().next()) else { return Ok(None) };
                *at += c.len_utf8();
                Ok(Some(Value::str(c.encode_utf8(&mut [0; 4]))))
            }
            IterState::Bytes(bytes, at) => {
                let byte = bytes.get(*at).copied();
                *at += 1;
                Ok(byte.map(|b| Value::Int(i64::from(b))))
            }
            IterState::Range(next, stop, step) => {
                if (*step > 0 && *next < *stop) || (*step < 0 && *next > *stop) {
                    let value = *next;
                    match next.checked_add(*step) {
                        Some(n) => *next = n,
                        None => *state = IterState::Done,
                    }
                    return Ok(Some(Value::Int(value)));
                }
                Ok(None)
            }
            IterState::Dict { .. } => self.advance_dict(state),
            IterState::Set { id, index, version, len } => match self.heap.get(*id) {
                Obj::Set(set) => {
                    if set.version != *version {
                        return Err(changed("Set", set.map.len() != *len));
                    }
                    match set.map.get_index(*index) {
                        Some((_, value)) => {
                            *index += 1;
                            Ok(Some(value.clone()))
                        }
                        None => {
                            *state = IterState::Done;
                            Ok(None)
                        }
                    }
                }
                _ => Ok(None),
            },
            IterState::Enumerate(inner, n) => {
                let Some(value) = self.deeper(|vm| vm.advance(inner))? else { return Ok(None) };
                let at = *n;
                *n = n.checked_add(1).ok_or_else(|| Stop::unsupported("enumerate beyond 64 bits"))?;
                self.new_tuple(vec![Value::Int(at), value]).map(Some)
            }
            IterState::Zip(inner, strict) => {
                if inner.is_empty() {
                    return Ok(None);
                }
                let mut values = Vec::with_capacity(inner.len());
                for (at, each) in inner.iter_mut().enumerate() {
                    match self.deeper(|vm| vm.advance(each))? {
                        Some(value) => values.push(value),
                        None if *strict && at > 0 => return Err(uneven(at, "shorter")),
                        None if *strict => break,
                        None => return Ok(None),
                    }
                }
                if !values.is_empty() {
                    return self.new_tuple(values).map(Some);
                }
                for (at, each) in inner.iter_mut().enumerate().skip(1) {
                    if self.deeper(|vm| vm.advance(each))?.is_some() {
                        return Err(uneven(at, "longer"));
                    }
                }
                Ok(None)
            }
            IterState::Map(function, inner) => {
                let mut args = Args::new();
                for each in inner.iter_mut() {
                    match self.deeper(|vm| vm.advance(each))? {
                        Some(value) => args.push(value),
                        None => return Ok(None),
                    }
                }
                let function = function.clone();
                self.deeper(|vm| vm.call(&function, args, Keywords::new())).map(Some)
            }
            IterState::Filter(function, inner) => {
                while let Some(value) = self.deeper(|vm| vm.advance(inner))? {
                    let kept = match &*function {
                        Value::None => value.clone(),
                        function => self.call_one(function, value.clone())?,
                    };
                    if self.truth(&kept)? {
                        return Ok(Some(value));
                    }
                }
                Ok(None)
            }
            IterState::Until(function, sentinel) => {
                let (function, sentinel) = (function.clone(), sentinel.clone());
                let value = self.deeper(|vm| vm.call(&function, Args::new(), Keywords::new()))?;
                if self.is_or_equals(&value, &sentinel)? {
                    *state = IterState::Done;
                    return Ok(None);
                }
                Ok(Some(value))
            }
            IterState::Generator(generator) => {
                let result = self.within(|vm| vm.resume(generator));
                if !matches!(result, Ok(Some(_))) {
                    *state = IterState::Done;
                }
                result
            }
        }
    }

    /// Advances an iterator object in its place on the heap.
    fn advance_object(&mut self, id: Id) -> Done<Option<Value>> {
        let Obj::Iter(state, _) = self.heap.get_mut(id) else { return Ok(None) };
        let mut state = std::mem::replace(state, IterState::Running);
        let result = self.deeper(|vm| vm.advance(&mut state));
        if let Obj::Iter(place, _) = self.heap.get_mut(id) {
            *place = state;
        }
        result
    }

    fn advance_dict(&mut self, state: &mut IterState) -> Done<Option<Value>> {
        let IterState::Dict { id, part, index, version, len, reversed } = state else { return Ok(None) };
        let Obj::Dict(dict) = self.heap.get(*id) else { return Ok(None) };
        if dict.version != *version {
            return Err(changed("dictionary", dict.map.len() != *len));
        }
        let at = if *reversed { dict.map.len().checked_sub(1 + *index) } else { Some(*index) };
        let Some((_, Entry { key, value })) = at.and_then(|i| dict.map.get_index(i)) else {
            *state = IterState::Done;
            return Ok(None);
        };
        *index += 1;
        match part {
            Part::Keys => Ok(Some(key.clone())),
            Part::Values => Ok(Some(value.clone())),
            Part::Items => {
                let pair = vec![key.clone(), value.clone()];
                self.new_tuple(pair).map(Some)
            }
        }
    }

    /// Runs a generator expression to its next value.
    fn resume(&mut self, generator: &mut Generator) -> Done<Option<Value>> {
        let code = generator.code.clone();
        let start = self.stack.len();
        self.stack.append(&mut generator.locals);
        let outer = std::mem::replace(&mut self.base, start);
        let result = self.generate(generator);
        self.base = outer;
        generator.locals = self.stack.drain(start..).collect();
        debug_assert_eq!(generator.locals.len(), code.slots);
        result
    }

    fn generate(&mut self, generator: &mut Generator) -> Done<Option<Value>> {
        let code = generator.code.clone();
        loop {
            let Some(level) = generator.iters.len().checked_sub(1) else { return Ok(None) };
            let (Some(state), Some(clause)) = (generator.iters.last_mut(), code.clauses.get(level)) else {
                return Ok(None);
            };
            let Some(value) = self.advance(state)? else {
                generator.iters.pop();
                continue;
            };
            if !self.admits(clause, value)? {
                continue;
            }
            match code.clauses.get(level + 1) {
                Some(inner) => {
                    let iterable = self.eval(&inner.iter)?;
                    let state = self.start(&iterable)?;
                    generator.iters.push(state);
                }
                None => return self.eval(&code.element).map(Some),
            }
        }
    }

    /// How many values an iterable has, where that can be seen; else none are expected.
    pub(crate) fn length_hint(&self, iterable: &Value) -> usize {
        let of = |obj: &Obj| match obj {
            Obj::Dict(dict) => dict.map.len(),
            Obj::Set(set) => set.map.len(),
            Obj::List(items) | Obj::Tuple(items) => items.len(),
            _ => 0,
        };
        match self.obj(iterable) {
            Some(Obj::View(id, _)) => of(self.heap.get(*id)),
            Some(obj) => of(obj),
            None => 0,
        }
    }

    pub(crate) fn collect(&mut self, iterable: &Value) -> Done<Vec<Value>> {
        let mut items = Vec::with_capacity(self.length_hint(iterable));
        self.collect_into(&mut items, iterable)?;
        Ok(items)
    }

    /// As [`Vm::collect`]; where it ends early, the values before the error are there.
    pub(crate) fn collect_into(&mut self, items: &mut Vec<Value>, iterable: &Value) -> Done<()> {
        self.each(iterable, |vm, value| {
            vm.spend(24)?;
            items.push(value);
            Ok(true)
        })
    }
}

fn over_dict(id: Id, dict: &Dict, part: Part) -> IterState {
    IterState::Dict { id, part, index: 0, version: dict.version, len: dict.map.len(), reversed: false }
}

/// The error of a strict `zip` at whose place `at`, from 0, there are fewer or more values than before it.
fn uneven(at: usize, what: &str) -> Stop {
    let several = if at == 1 { " " } else { "s 1-" };
    exact!(ValueError, "zip() argument {} is {what} than argument{several}{at}", at + 1)
}

/// The end of iterating a container that changed: an error if its size did, unknown if it did not.
fn changed(what: &str, size: bool) -> Stop {
    if !size {
        return Stop::unsupported("a container changed while it is iterated");
    }
    exact!(RuntimeError, "{what} changed size during iteration")
}
