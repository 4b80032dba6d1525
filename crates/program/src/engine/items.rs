//! Items and slices of containers: reading, writing, deleting.

use super::code::{Body, Node};
use super::eval::{SliceBounds, SliceParts};
use super::fault::{ExcKind, Stop};
use super::number::{Num, num, range_len};
use super::ops::{end_of_slice, out_of_range, slice_indices};
use super::relate::no_iterable;
use super::types::{Type, is_sequence};
use super::value::{Entry, Id, Obj, Value};
use super::vm::{Args, Done, Keywords, Vm};

/// No key before Python 3.12, one since.
const SLICE_KEY: &str = "a slice as a key";

impl Vm {
    /// A `KeyError` for a key: its message is the key's `repr`.
    pub(crate) fn key_error(&mut self, key: &Value) -> Done<Stop> {
        let message = self.repr(key)?;
        Ok(Stop::with_args(ExcKind::KeyError, message, vec![key.clone()], true))
    }

    /// An index into `len` elements; an error worded for `what`.
    fn index(&self, index: &Value, len: usize, what: &str, action: &str) -> Done<usize> {
        let n = match num(index) {
            Some(Num::Int(n)) => n,
            Some(Num::Big(_)) if what == "range object" => return Err(out_of_range(what)),
            Some(Num::Big(_)) => {
                return Err(Stop::exact(ExcKind::IndexError, "cannot fit 'int' into an index-sized integer"));
            }
            _ => {
                let name = self.type_name(index);
                return Err(Stop::type_error(match what {
                    "string" => format!("string indices must be integers, not '{name}'"),
                    "range object" => format!("range indices must be integers or slices, not {name}"),
                    what => format!("{what} indices must be integers or slices, not {name}"),
                }));
            }
        };
        let at = if n < 0 { n + len as i64 } else { n };
        usize::try_from(at).ok().filter(|i| *i < len).ok_or_else(|| match what {
            "byte" => exact!(IndexError, "index out of range"),
            what => out_of_range(&format!("{what}{action}")),
        })
    }

    pub(crate) fn get_item(&mut self, object: &Value, index: &Value) -> Done<Value> {
        match object {
            Value::Str(text) => {
                if text.is_ascii() {
                    let at = self.index(index, text.len(), "string", "")?;
                    return Ok(Value::str(text.get(at..=at).unwrap_or("")));
                }
                self.work(text.len())?;
                let at = self.index(index, text.chars().count(), "string", "")?;
                Ok(Value::str(text.chars().nth(at).map(String::from).unwrap_or_default().as_str()))
            }
            Value::Bytes(bytes) => {
                let at = self.index(index, bytes.len(), "byte", "")?;
                Ok(Value::Int(bytes.get(at).map_or(0, |b| i64::from(*b))))
            }
            Value::Ref(id) => {
                let id = *id;
                match self.heap.peek(id) {
                    sequence @ (Obj::List(items) | Obj::Tuple(items)) => {
                        let what = if matches!(sequence, Obj::List(_)) { "list" } else { "tuple" };
                        let at = self.index(index, items.len(), what, "")?;
                        Ok(items.get(at).cloned().unwrap_or(Value::None))
                    }
                    Obj::Range(start, stop, step) => {
                        let (start, step, len) = (*start, *step, range_len(*start, *stop, *step));
                        let at = self.index(index, len as usize, "range object", "")?;
                        Ok(Value::Int(start.wrapping_add(step.wrapping_mul(at as i64))))
                    }
                    Obj::Dict(_) => self.get_dict_item(id, index),
                    Obj::Union(_) => Err(Stop::unsupported("generic types")),
                    _ => Err(self.not_subscriptable(object)),
                }
            }
            Value::Type(_) => Err(Stop::unsupported("generic types")),
            _ => Err(self.not_subscriptable(object)),
        }
    }

    fn not_subscriptable(&self, object: &Value) -> Stop {
        if let Some(Obj::Class(class)) = self.obj(object) {
            return type_error!("type '{}' is not subscriptable", class.name);
        }
        type_error!("'{}' object is not subscriptable", self.type_name(object))
    }

    /// `dict[key]`; a `defaultdict` makes and keeps what is missing.
    fn get_dict_item(&mut self, id: Id, index: &Value) -> Done<Value> {
        let key = self.key(index)?;
        self.note_key(&key);
        let Obj::Dict(dict) = self.heap.peek(id) else { return Ok(Value::None) };
        if let Some(entry) = dict.map.get(&key) {
            return Ok(entry.value.clone());
        }
        if let Some(value) = self.heap.default_at(id, &key) {
            return Ok(value.clone());
        }
        let factory = match &dict.factory {
            None | Some(Value::None) => return Err(self.key_error(index)?),
            Some(factory) => factory.clone(),
        };
        let value = self.call(&factory, Args::new(), Keywords::new())?;
        self.spend(96)?;
        if self.heap.in_state(id) && self.always_the_same(&factory) {
            self.note_default(id);
        }
        self.heap.put_default(id, key, Entry { key: index.clone(), value: value.clone() });
        Ok(value)
    }

    /// Whether a factory of defaults gives one constant in every state.
    fn always_the_same(&self, factory: &Value) -> bool {
        match factory {
            Value::Type(of) => matches!(of, Type::Bool | Type::Int | Type::Float | Type::Str),
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Function(function) => matches!(&function.code.body, Body::Expression(Node::Const(_))),
                _ => false,
            },
            _ => false,
        }
    }

    pub(crate) fn set_item(&mut self, object: &Value, index: &Value, value: Value) -> Done<()> {
        let Value::Ref(id) = *object else { return Err(self.not_assignable(object)) };
        match self.heap.peek(id) {
            Obj::List(items) => {
                let at = self.index(index, items.len(), "list", " assignment")?;
                if let Obj::List(items) = self.heap.get_mut(id)
                    && let Some(place) = items.get_mut(at)
                {
                    *place = value;
                }
                Ok(())
            }
            Obj::Dict(_) => {
                let key = self.key(index)?;
                self.note_key(&key);
                self.spend(96)?;
                if let Obj::Dict(dict) = self.heap.get_mut_for_item(id) {
                    match dict.map.get_mut(&key) {
                        Some(entry) => entry.value = value,
                        None => {
                            dict.map.insert(key, Entry { key: index.clone(), value });
                            dict.version += 1;
                        }
                    }
                }
                Ok(())
            }
            _ => Err(self.not_assignable(object)),
        }
    }

    fn not_assignable(&self, object: &Value) -> Stop {
        type_error!("'{}' object does not support item assignment", self.type_name(object))
    }

    fn not_deletable(&self, object: &Value, not: &str) -> Stop {
        type_error!("'{}' object {not} support item deletion", self.type_name(object))
    }

    pub(crate) fn delete_item(&mut self, object: &Value, index: &Value) -> Done<()> {
        // CPython says it in two ways: what has elements is asked for one by its number.
        let by_number = matches!(num(index), Some(Num::Int(_) | Num::Big(_))) && is_sequence(self.type_of(object));
        let no_deletion = |vm: &Vm| vm.not_deletable(object, if by_number { "doesn't" } else { "does not" });
        let Value::Ref(id) = object else { return Err(no_deletion(self)) };
        let id = *id;
        match self.heap.get(id) {
            Obj::List(items) => {
                let len = items.len();
                let at = self.index(index, len, "list", " assignment")?;
                self.work(len)?;
                if let Obj::List(items) = self.heap.get_mut(id)
                    && at < items.len()
                {
                    items.remove(at);
                }
                Ok(())
            }
            Obj::Dict(dict) => {
                let len = dict.map.len();
                let key = self.key(index)?;
                self.work(len)?;
                let present = matches!(self.heap.get(id), Obj::Dict(dict) if dict.map.contains_key(&key));
                if !present {
                    return Err(self.key_error(index)?);
                }
                if let Obj::Dict(dict) = self.heap.get_mut(id) {
                    dict.map.shift_remove(&key);
                    dict.version += 1;
                }
                Ok(())
            }
            _ => Err(no_deletion(self)),
        }
    }

    pub(crate) fn get_slice(&mut self, object: &Value, bounds: &SliceParts) -> Done<Value> {
        match object {
            Value::Str(text) => {
                let bounds = slice_bounds(bounds)?;
                self.work(text.len())?;
                if text.is_ascii() {
                    let (start, step, count) = slice_indices(bounds, text.len());
                    if step == 1 {
                        let start = start as usize;
                        let part = text.get(start..start + count).unwrap_or("");
                        return self.new_str(part.to_owned());
                    }
                    let bytes = text.as_bytes();
                    let part: String =
                        picks(start, step, count).filter_map(|i| bytes.get(i)).map(|b| char::from(*b)).collect();
                    return self.new_str(part);
                }
                let chars: Vec<char> = text.chars().collect();
                self.spend_times(chars.len(), 4)?;
                let (start, step, count) = slice_indices(bounds, chars.len());
                let part: String = picks(start, step, count).filter_map(|i| chars.get(i)).collect();
                self.new_str(part)
            }
            Value::Bytes(bytes) => {
                let bounds = slice_bounds(bounds)?;
                let (start, step, count) = slice_indices(bounds, bytes.len());
                self.spend(count)?;
                Ok(Value::Bytes(picks(start, step, count).filter_map(|i| bytes.get(i)).copied().collect()))
            }
            Value::Ref(id) => {
                let (items, list) = match self.heap.get(*id) {
                    Obj::List(items) => (items, true),
                    Obj::Tuple(items) => (items, false),
                    Obj::Range(start, stop, step) => {
                        let bounds = slice_bounds(bounds)?;
                        let len = usize::try_from(range_len(*start, *stop, *step)).unwrap_or(usize::MAX);
                        let (first, every, _) = slice_indices(bounds, len);
                        let place = |n: i128| i128::from(*start) + n * i128::from(*step);
                        let (first, end, every) = (i128::from(first), end_of_slice(bounds, len), i128::from(every));
                        let new = [place(first), place(i128::from(end)), every * i128::from(*step)];
                        let [start, stop, step] = new.map(|n| i64::try_from(n).ok());
                        return match (start, stop, step) {
                            (Some(start), Some(stop), Some(step)) => self.alloc(Obj::Range(start, stop, step)),
                            _ => Err(Stop::unsupported("ranges beyond 64 bits")),
                        };
                    }
                    Obj::Dict(_) => return Err(Stop::unsupported(SLICE_KEY)),
                    _ => return Err(self.not_subscriptable(object)),
                };
                let (start, step, count) = slice_indices(slice_bounds(bounds)?, items.len());
                let part: Vec<Value> = picks(start, step, count).filter_map(|i| items.get(i)).cloned().collect();
                if list { self.new_list(part) } else { self.new_tuple(part) }
            }
            Value::Type(_) => Err(Stop::unsupported("generic types")),
            _ => Err(self.not_subscriptable(object)),
        }
    }

    pub(crate) fn set_slice(&mut self, object: &Value, bounds: &SliceParts, value: Option<&Value>) -> Done<()> {
        let (id, items) = match (object, self.obj(object)) {
            (Value::Ref(id), Some(Obj::List(items))) => (*id, items),
            (_, Some(Obj::Dict(_))) => return Err(Stop::unsupported(SLICE_KEY)),
            _ if value.is_some() => return Err(self.not_assignable(object)),
            _ => return Err(self.not_deletable(object, "does not")),
        };
        let (start, step, count) = slice_indices(slice_bounds(bounds)?, items.len());
        let len = items.len();
        let new = match value {
            Some(value) => match self.collect(value) {
                Err(Stop::Raise(raised)) if raised.message == no_iterable(&self.type_name(value)) => {
                    let extended = "must assign iterable to extended slice";
                    return Err(Stop::type_error(if step == 1 { "can only assign an iterable" } else { extended }));
                }
                other => other?,
            },
            None => Vec::new(),
        };
        self.work(len)?;
        if step != 1 {
            let places: Vec<usize> = picks(start, step, count).collect();
            if value.is_some() && new.len() != count {
                let given = new.len();
                return Err(exact!(
                    ValueError,
                    "attempt to assign sequence of size {given} to extended slice of size {count}"
                ));
            }
            if let Obj::List(items) = self.heap.get_mut(id) {
                if value.is_some() {
                    for (place, value) in places.into_iter().zip(new) {
                        items[place] = value;
                    }
                } else {
                    let mut at = 0..;
                    items.retain(|_| !at.next().is_some_and(|i| places.contains(&i)));
                }
            }
            return Ok(());
        }
        let start = start as usize;
        if let Obj::List(items) = self.heap.get_mut(id) {
            let start = start.min(items.len());
            let end = (start + count).min(items.len());
            items.splice(start..end, new);
        }
        Ok(())
    }
}

/// The bounds of a slice as numbers. CPython looks at the step first.
fn slice_bounds([lower, upper, step]: &SliceParts) -> Done<SliceBounds> {
    let part = |value: &Value| match value {
        Value::None => Ok(None),
        Value::Int(n) => Ok(Some(*n)),
        Value::Bool(b) => Ok(Some(i64::from(*b))),
        Value::Big(n) => Ok(Some(if n.sign() == num_bigint::Sign::Minus { i64::MIN } else { i64::MAX })),
        _ => Err(Stop::type_error("slice indices must be integers or None or have an __index__ method")),
    };
    let step = part(step)?;
    if step == Some(0) {
        return Err(Stop::exact(ExcKind::ValueError, "slice step cannot be zero"));
    }
    Ok((part(lower)?, part(upper)?, step))
}

/// The indices a slice selects.
fn picks(start: i64, step: i64, count: usize) -> impl Iterator<Item = usize> {
    (0..count as i64).filter_map(move |k| usize::try_from(start + k * step).ok())
}
