//! Operators on all values, and the items and slices of containers.

use std::sync::Arc;

use super::byte_strings::{as_bytes, as_text};
use super::code::{Operator, UnaryOp};
use super::eval::SliceBounds;
use super::fault::Stop;
use super::number::{Num, num};
use super::types::{Type, is_sequence};
use super::value::{Entry, Id, Key, Obj, Set, Value};
use super::vm::{Args, Done, Keywords, Vm};

impl Vm {
    pub(crate) fn unary(&mut self, op: UnaryOp, value: &Value) -> Done<Value> {
        match (op, num(value)) {
            (UnaryOp::UAdd, Some(Num::Int(n))) => Ok(Value::Int(n)),
            (UnaryOp::UAdd, Some(Num::Float(x))) => Ok(Value::Float(x)),
            (UnaryOp::UAdd, Some(Num::Big(n))) => Ok(Value::Big(n)),
            (UnaryOp::USub, Some(Num::Float(x))) => Ok(Value::Float(-x)),
            (UnaryOp::USub, Some(n)) => self.arithmetic(Operator::Sub, Num::Int(0), n),
            (UnaryOp::Invert, Some(Num::Int(n))) => Ok(Value::Int(!n)),
            (UnaryOp::Invert, Some(Num::Big(n))) => self.arithmetic(Operator::Sub, Num::Int(-1), Num::Big(n)),
            _ => Err(type_error!("bad operand type for unary {}: '{}'", op.as_str(), self.type_name(value))),
        }
    }

    pub(crate) fn binary(&mut self, op: Operator, left: &Value, right: &Value) -> Done<Value> {
        if let (Some(a), Some(b)) = (num(left), num(right)) {
            if let (Value::Bool(x), Value::Bool(y)) = (left, right) {
                match op {
                    Operator::BitAnd => return Ok(Value::Bool(x & y)),
                    Operator::BitOr => return Ok(Value::Bool(x | y)),
                    Operator::BitXor => return Ok(Value::Bool(x ^ y)),
                    _ => {}
                }
            }
            let float = matches!(a, Num::Float(_)) || matches!(b, Num::Float(_));
            let bits = matches!(
                op,
                Operator::LShift | Operator::RShift | Operator::BitAnd | Operator::BitOr | Operator::BitXor
            );
            if op == Operator::MatMult || (float && bits) {
                return Err(self.bad_operands(op, left, right));
            }
            return self.arithmetic(op, a, b);
        }
        match (op, left, right) {
            (Operator::Add, Value::Str(a), Value::Str(b)) => {
                self.spend(a.len() + b.len())?;
                let mut text = String::with_capacity(a.len() + b.len());
                text.push_str(a);
                text.push_str(b);
                Ok(Value::Str(Arc::from(text)))
            }
            (Operator::Add, Value::Str(_), other) => {
                Err(type_error!("can only concatenate str (not \"{}\") to str", self.type_name(other)))
            }
            (Operator::Mod, Value::Str(template), _) => {
                let text = self.percent(template, right, false)?;
                self.new_str(text)
            }
            (Operator::Mult, Value::Str(text), n) | (Operator::Mult, n, Value::Str(text)) => {
                match self.repeat_count(n)? {
                    Some(count) => {
                        self.spend_times(text.len(), count)?;
                        Ok(Value::Str(Arc::from(text.repeat(if text.is_empty() { 0 } else { count }))))
                    }
                    None => Err(self.bad_repeat(op, left, right)),
                }
            }
            (Operator::Add, Value::Bytes(a), Value::Bytes(b)) => {
                self.spend(a.len() + b.len())?;
                Ok(Value::Bytes([&**a, &**b].concat().into()))
            }
            (Operator::Add, Value::Bytes(_), other) => {
                Err(type_error!("can't concat {} to bytes", self.type_name(other)))
            }
            (Operator::Mod, Value::Bytes(template), _) => {
                let text = self.percent(&as_text(template), right, true)?;
                self.spend(text.len())?;
                Ok(Value::Bytes(as_bytes(&text)))
            }
            (Operator::Mult, Value::Bytes(bytes), n) | (Operator::Mult, n, Value::Bytes(bytes)) => {
                let Some(count) = self.repeat_count(n)? else { return Err(self.bad_repeat(op, left, right)) };
                self.spend_times(bytes.len(), count)?;
                Ok(Value::Bytes(bytes.repeat(if bytes.is_empty() { 0 } else { count }).into()))
            }
            (Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::Sub, _, _)
                if self.is_set_view(left) || self.is_set_view(right) =>
            {
                self.view_operator(op, left, right)
            }
            _ => self.binary_objects(op, left, right),
        }
    }

    pub(crate) fn is_set(&self, value: &Value) -> bool {
        matches!(self.obj(value), Some(Obj::Set(_)))
    }

    fn is_set_view(&self, value: &Value) -> bool {
        matches!(self.type_of(value), Type::Keys | Type::Items)
    }

    /// An operator of sets where one side is the keys or items of a dictionary: the other may be any iterable.
    fn view_operator(&mut self, op: Operator, left: &Value, right: &Value) -> Done<Value> {
        let mut set = Set::default();
        if op == Operator::BitAnd {
            let (view, other) = if self.is_set_view(left) { (left, right) } else { (right, left) };
            // Of equal elements the one of the smaller side stays, of the view where they are alike.
            if self.type_of(other) == Type::Set && self.len(view)? <= self.len(other)? {
                set = self.set_from(view)?;
                let other = self.set_from(other)?;
                set.map.retain(|key, _| other.map.contains_key(key));
                return self.alloc(Obj::Set(set));
            }
            self.each(other, |vm, value| {
                if vm.contains(view, &value)? {
                    vm.set_add(&mut set, value)?;
                }
                Ok(true)
            })?;
        } else {
            set = self.set_from(left)?;
            let other = self.set_from(right)?;
            combine(op, &mut set, &other);
        }
        self.alloc(Obj::Set(set))
    }

    fn binary_objects(&mut self, op: Operator, left: &Value, right: &Value) -> Done<Value> {
        if op == Operator::BitOr
            && let Some(union) = self.union(left, right)?
        {
            return Ok(union);
        }
        let object = |value: &Value| if let Value::Ref(id) = value { Some(*id) } else { None };
        match (op, object(left), object(right)) {
            (Operator::Add, Some(a), Some(b)) => match (self.heap.get(a), self.heap.get(b)) {
                (Obj::List(x), Obj::List(y)) => {
                    let items = [&**x, &**y].concat();
                    return self.new_list(items);
                }
                (Obj::Tuple(x), Obj::Tuple(y)) => {
                    let items = [&**x, &**y].concat();
                    return self.new_tuple(items);
                }
                (Obj::List(_) | Obj::Tuple(_), _) => {}
                _ => return Err(self.bad_operands(op, left, right)),
            },
            (Operator::Mult, Some(id), None) => return self.repeat(op, id, left, right, right),
            (Operator::Mult, None, Some(id)) => return self.repeat(op, id, left, right, left),
            (Operator::Mult, Some(_), Some(_)) => return Err(self.bad_repeat(op, left, right)),
            (Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::Sub, Some(a), Some(b)) => {
                return self.set_operator(op, a, b, left, right);
            }
            _ => {}
        }
        if op == Operator::Add {
            let kind = match self.type_of(left) {
                Type::List => "list",
                Type::Tuple => "tuple",
                _ => return Err(self.bad_operands(op, left, right)),
            };
            let other = self.type_name(right);
            return Err(type_error!("can only concatenate {kind} (not \"{other}\") to {kind}"));
        }
        Err(self.bad_operands(op, left, right))
    }

    /// `left | right` of types, `None` among them; nothing if one side is anything else.
    fn union(&mut self, left: &Value, right: &Value) -> Done<Option<Value>> {
        let types = |value: &Value| match value {
            Value::None => Some(vec![Value::Type(Type::Nothing)]),
            Value::Type(_) => Some(vec![value.clone()]),
            _ => match self.obj(value)? {
                Obj::Class(_) => Some(vec![value.clone()]),
                Obj::Union(types) => Some(types.clone()),
                _ => None,
            },
        };
        let (Some(mut all), Some(more)) = (types(left), types(right)) else { return Ok(None) };
        if matches!((left, right), (Value::None, Value::None)) {
            return Ok(None);
        }
        for of in more {
            self.tick()?;
            if !all.iter().any(|known| known.same(&of)) {
                all.push(of);
            }
        }
        if all.len() == 1 { Ok(all.pop()) } else { self.alloc(Obj::Union(all)).map(Some) }
    }

    fn bad_operands(&self, op: Operator, left: &Value, right: &Value) -> Stop {
        self.bad_operands_of(symbol(op), left, right)
    }

    fn bad_operands_of(&self, symbol: &str, left: &Value, right: &Value) -> Stop {
        let (left, right) = (self.type_name(left), self.type_name(right));
        type_error!("unsupported operand type(s) for {symbol}: '{left}' and '{right}'")
    }

    fn bad_repeat(&self, op: Operator, left: &Value, right: &Value) -> Stop {
        let sequence = |t| matches!(t, Type::Str | Type::Bytes | Type::List | Type::Tuple);
        let other = if sequence(self.type_of(left)) { right } else { left };
        if sequence(self.type_of(left)) || sequence(self.type_of(right)) {
            return type_error!("can't multiply sequence by non-int of type '{}'", self.type_name(other));
        }
        self.bad_operands(op, left, right)
    }

    /// How often a sequence times `value` is repeated; `None` if it is no whole number.
    fn repeat_count(&self, value: &Value) -> Done<Option<usize>> {
        match num(value) {
            Some(Num::Int(n)) => Ok(Some(usize::try_from(n).unwrap_or(0))),
            Some(Num::Big(_)) => Err(exact!(OverflowError, "cannot fit 'int' into an index-sized integer")),
            Some(Num::Float(_)) | None => Ok(None),
        }
    }

    fn repeat(&mut self, op: Operator, id: Id, left: &Value, right: &Value, count: &Value) -> Done<Value> {
        let (items, list) = match self.heap.get(id) {
            Obj::List(items) => (items.clone(), true),
            Obj::Tuple(items) => (items.clone(), false),
            _ => return Err(self.bad_operands(op, left, right)),
        };
        let Some(count) = self.repeat_count(count)? else { return Err(self.bad_repeat(op, left, right)) };
        self.spend_times(items.len().saturating_mul(24), count)?;
        let mut out = Vec::with_capacity(items.len() * count);
        if !items.is_empty() {
            for _ in 0..count {
                out.extend(items.iter().cloned());
            }
        }
        self.alloc(if list { Obj::List(out) } else { Obj::Tuple(out) })
    }

    fn set_operator(&mut self, op: Operator, a: Id, b: Id, left: &Value, right: &Value) -> Done<Value> {
        if let (Obj::Dict(x), Obj::Dict(y), Operator::BitOr) = (self.heap.get(a), self.heap.get(b), op) {
            let mut dict = x.clone();
            dict.factory = dict.factory.or_else(|| y.factory.clone());
            let y: Vec<Entry> = y.map.values().cloned().collect();
            self.spend_times(dict.map.len(), 96)?;
            for Entry { key, value } in y {
                self.dict_insert(&mut dict, key, value)?;
            }
            return self.alloc(Obj::Dict(dict));
        }
        let (Obj::Set(x), Obj::Set(y)) = (self.heap.get(a), self.heap.get(b)) else {
            return Err(self.bad_operands(op, left, right));
        };
        let size = x.map.len() + y.map.len();
        self.spend_times(size, 64)?;
        let (Obj::Set(x), Obj::Set(y)) = (self.heap.get(a), self.heap.get(b)) else {
            return Err(self.bad_operands(op, left, right));
        };
        let set = combined(op, x, y);
        self.alloc(Obj::Set(set))
    }

    pub(crate) fn set_from(&mut self, iterable: &Value) -> Done<Set> {
        let mut set = Set::default();
        self.add_from(&mut set, iterable)?;
        Ok(set)
    }

    /// Puts the elements of an iterable into an empty set. Where that ends early, those before the error are in it.
    pub(crate) fn add_from(&mut self, to: &mut Set, iterable: &Value) -> Done<()> {
        if let Some(Obj::Set(set)) = self.obj(iterable) {
            *to = set.clone();
            to.frozen = false;
            return self.spend_times(to.map.len(), 64);
        }
        to.map.reserve(self.length_hint(iterable));
        self.each(iterable, |vm, value| vm.set_add(to, value).map(|()| true))
    }

    /// `left op= right`: lists and sets change in place.
    pub(crate) fn binary_in_place(&mut self, op: Operator, left: &Value, right: &Value) -> Done<Value> {
        let Value::Ref(id) = left else { return self.binary_assigned(op, left, right) };
        let id = *id;
        match (op, self.heap.get(id)) {
            (Operator::Add, Obj::List(_)) => {
                let mut items = Vec::new();
                let all = self.collect_into(&mut items, right);
                if let Obj::List(list) = self.heap.get_mut(id) {
                    list.extend(items);
                }
                all.map(|()| left.clone())
            }
            // What has elements and is not repeated itself does not ask the right side, as `*` does.
            (Operator::Mult, object)
                if !matches!(object, Obj::List(_) | Obj::Tuple(_)) && is_sequence(self.type_of(left)) =>
            {
                Err(self.bad_in_place(op, left, right))
            }
            (Operator::Mult, Obj::List(_)) => {
                let repeated = self.binary(op, left, right)?;
                if let Some(list) = self.obj(&repeated).cloned() {
                    *self.heap.get_mut(id) = list;
                }
                Ok(left.clone())
            }
            (Operator::BitAnd | Operator::BitOr | Operator::BitXor | Operator::Sub, Obj::Set(set)) if !set.frozen => {
                let other = match self.obj(right) {
                    Some(Obj::Set(other)) => other.clone(),
                    Some(Obj::View(..)) => self.set_from(right)?,
                    _ => return Err(self.bad_in_place(op, left, right)),
                };
                self.spend_times(other.map.len(), 64)?;
                if let Obj::Set(set) = self.heap.get(id) {
                    let mut set = set.clone();
                    combine(op, &mut set, &other);
                    *self.heap.get_mut(id) = Obj::Set(set);
                }
                Ok(left.clone())
            }
            (Operator::BitOr, Obj::Dict(_)) => {
                self.call_method(left, &Arc::from("update"), Args::from_iter([right.clone()]), Keywords::new())?;
                Ok(left.clone())
            }
            _ => self.binary_assigned(op, left, right),
        }
    }

    /// As [`Vm::binary`], named as an assignment where the operands do not go together.
    fn binary_assigned(&mut self, op: Operator, left: &Value, right: &Value) -> Done<Value> {
        self.binary(op, left, right).map_err(|stop| match (&stop, self.bad_operands(op, left, right)) {
            (Stop::Raise(raised), Stop::Raise(bad)) if raised.message == bad.message => {
                self.bad_in_place(op, left, right)
            }
            _ => stop,
        })
    }

    fn bad_in_place(&self, op: Operator, left: &Value, right: &Value) -> Stop {
        self.bad_operands_of(&format!("{}=", op.as_str()), left, right)
    }
}

fn symbol(op: Operator) -> &'static str {
    if op == Operator::Pow { "** or pow()" } else { op.as_str() }
}

/// The elements a slice selects: start, step and count, by CPython's rules.
pub(crate) fn slice_indices(bounds: SliceBounds, len: usize) -> (i64, i64, usize) {
    let (lower, _, step) = bounds;
    let stop = end_of_slice(bounds, len);
    let len = len as i64;
    let step = step.unwrap_or(1).max(-i64::MAX);
    let start = lower.map_or(if step < 0 { len - 1 } else { 0 }, |n| clamp(n, step, len));
    let count = super::number::range_len(start, stop, step);
    (start, step, count as usize)
}

pub(crate) fn end_of_slice((_, upper, step): SliceBounds, len: usize) -> i64 {
    let (step, len) = (step.unwrap_or(1), len as i64);
    upper.map_or(if step < 0 { -1 } else { len }, |n| clamp(n, step, len))
}

/// A bound of a slice as a place, or just beyond the places that there are.
fn clamp(n: i64, step: i64, len: i64) -> i64 {
    let (low, high) = if step < 0 { (-1, len - 1) } else { (0, len) };
    if n < 0 { n.saturating_add(len).max(low) } else { n.min(high) }
}

/// `IndexError` of a sequence.
pub(crate) fn out_of_range(what: &str) -> Stop {
    exact!(IndexError, "{what} index out of range")
}

/// `set op= other`
pub(crate) fn combine(op: Operator, set: &mut Set, other: &Set) {
    let before = set.map.len();
    match op {
        Operator::BitOr => {
            for (key, value) in &other.map {
                set.map.entry(key.clone()).or_insert_with(|| value.clone());
            }
        }
        // Of equal elements (`1` and `True`) the one of the smaller side stays.
        Operator::BitAnd if other.map.len() <= before => meet(set, other),
        Operator::BitAnd => set.map.retain(|key, _| other.map.contains_key(key)),
        Operator::Sub => set.map.retain(|key, _| !other.map.contains_key(key)),
        _ => {
            let mut added: Vec<(Key, Value)> = Vec::new();
            for (key, value) in &other.map {
                if set.map.shift_remove(key).is_none() {
                    added.push((key.clone(), value.clone()));
                }
            }
            if !added.is_empty() {
                set.version += 1;
            }
            set.map.extend(added);
        }
    }
    if set.map.len() != before {
        set.version += 1;
    }
}

/// `left op right`, a new set: as [`combine`] on a copy, but what does not stay is not copied.
fn combined(op: Operator, left: &Set, right: &Set) -> Set {
    let mut set = Set { frozen: left.frozen, ..Set::default() };
    let smaller = right.map.len() <= left.map.len();
    match op {
        Operator::BitAnd => {
            for (key, value) in &left.map {
                if let Some(other) = right.map.get(key) {
                    set.map.insert(key.clone(), if smaller { other.clone() } else { value.clone() });
                }
            }
        }
        Operator::Sub => {
            let left = left.map.iter().filter(|(key, _)| !right.map.contains_key(*key));
            set.map.extend(left.map(|(key, value)| (key.clone(), value.clone())));
        }
        _ => {
            set.map.clone_from(&left.map);
            combine(op, &mut set, right);
        }
    }
    set
}

/// Leaves in a set what another has as well, as the other has it.
pub(crate) fn meet(set: &mut Set, other: &Set) {
    set.map.retain(|key, value| match other.map.get(key) {
        Some(own) => {
            *value = own.clone();
            true
        }
        None => false,
    });
}
