//! Equality, order, membership, identity, truth, and values as keys.

use std::cmp::Ordering;
use std::sync::Arc;

use num_bigint::BigInt;

use super::byte_strings::as_text;
use super::code::CmpOp;
use super::fault::Stop;
use super::number::{Num, compare_numbers, num};
use super::value::{Id, Key, Obj, Part, Value};
use super::vm::{Done, Vm};

/// Deepest nesting of a tuple used as a key.
const KEY_DEPTH: u32 = 100;

impl Vm {
    pub(crate) fn truth(&self, value: &Value) -> Done<bool> {
        Ok(match value {
            Value::Unbound | Value::None => false,
            Value::Bool(b) => *b,
            Value::Int(n) => *n != 0,
            Value::Float(x) => *x != 0.0,
            Value::Str(s) => !s.is_empty(),
            Value::Bytes(b) => !b.is_empty(),
            Value::Big(_) | Value::Ellipsis | Value::Type(_) | Value::Builtin(_) => true,
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Tuple(items) | Obj::List(items) => !items.is_empty(),
                Obj::Dict(dict) => !dict.map.is_empty(),
                Obj::Set(set) => !set.map.is_empty(),
                Obj::Range(start, stop, step) => super::number::range_len(*start, *stop, *step) > 0,
                Obj::View(of, _) => matches!(self.heap.get(*of), Obj::Dict(dict) if !dict.map.is_empty()),
                _ => true,
            },
        })
    }

    pub(crate) fn relate(&mut self, op: CmpOp, left: &Value, right: &Value) -> Done<bool> {
        match op {
            CmpOp::Eq => self.equal(left, right),
            CmpOp::NotEq => Ok(!self.equal(left, right)?),
            CmpOp::Is => self.identical(left, right),
            CmpOp::IsNot => Ok(!self.identical(left, right)?),
            CmpOp::In => self.contains(right, left),
            CmpOp::NotIn => Ok(!self.contains(right, left)?),
            CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE => self.ordered(op, left, right),
        }
    }

    /// `is`. Where CPython's answer depends on how it shares equal constants, there is no answer.
    fn identical(&self, left: &Value, right: &Value) -> Done<bool> {
        match (left, right) {
            (Value::Str(a), Value::Str(b)) if Arc::ptr_eq(a, b) => Ok(true),
            (Value::Str(a), Value::Str(b)) if a != b => Ok(false),
            // The empty text and single characters exist once.
            (Value::Str(a), Value::Str(_)) if a.chars().all(|c| c <= '\u{ff}') && a.chars().count() < 2 => Ok(true),
            (Value::Int(a), Value::Int(b)) if a != b || (-5..=256).contains(a) => Ok(a == b),
            (Value::Float(a), Value::Float(b)) if a.to_bits() != b.to_bits() => Ok(false),
            (Value::Big(a), Value::Big(b)) if a != b => Ok(false),
            (Value::Bytes(a), Value::Bytes(b)) if a != b => Ok(false),
            (Value::Str(_), Value::Str(_))
            | (Value::Int(_), Value::Int(_))
            | (Value::Float(_), Value::Float(_))
            | (Value::Big(_), Value::Big(_))
            | (Value::Bytes(_), Value::Bytes(_)) => Err(Stop::unsupported("the identity of equal constants")),
            (Value::Ref(a), Value::Ref(b)) if a != b => match (self.heap.get(*a), self.heap.get(*b)) {
                (Obj::Tuple(x), Obj::Tuple(y)) if x.len() == y.len() => {
                    Err(Stop::unsupported("the identity of equal constants"))
                }
                _ => Ok(false),
            },
            (a, b) => Ok(a.same(b)),
        }
    }

    /// Python's `==`.
    pub(crate) fn equal(&mut self, left: &Value, right: &Value) -> Done<bool> {
        match (left, right) {
            (Value::Str(a), Value::Str(b)) => {
                if a.len() == b.len() {
                    self.work(a.len())?;
                }
                Ok(a == b)
            }
            (Value::Bytes(a), Value::Bytes(b)) => Ok(a == b),
            (Value::Ref(a), Value::Ref(b)) => self.equal_objects(*a, *b),
            _ => match (num(left), num(right)) {
                (Some(a), Some(b)) => Ok(compare_numbers(&a, &b) == Some(Ordering::Equal)),
                _ => Ok(left.same(right)),
            },
        }
    }

    /// As [`Vm::equal`], of things in containers: CPython asks first whether they are one, which of a NaN is not known here.
    pub(crate) fn is_or_equals(&mut self, left: &Value, right: &Value) -> Done<bool> {
        match (left, right) {
            (Value::Float(a), Value::Float(b)) if a.is_nan() && b.is_nan() => {
                Err(Stop::unsupported("the identity of NaN"))
            }
            _ => self.equal(left, right),
        }
    }

    fn equal_objects(&mut self, a: Id, b: Id) -> Done<bool> {
        if a == b {
            return Ok(true);
        }
        self.tick()?;
        match (self.heap.get(a), self.heap.get(b)) {
            (Obj::Tuple(x), Obj::Tuple(y)) | (Obj::List(x), Obj::List(y)) => {
                if x.len() != y.len() {
                    return Ok(false);
                }
                let (x, y) = (x.clone(), y.clone());
                self.work(x.len() * 16)?;
                self.within(|vm| {
                    for (x, y) in x.iter().zip(&y) {
                        if !vm.is_or_equals(x, y)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                })
            }
            (Obj::Union(x), Obj::Union(y)) => {
                Ok(x.len() == y.len() && x.iter().all(|of| y.iter().any(|other| of.same(other))))
            }
            (Obj::Dict(x), Obj::Dict(y)) => {
                if x.map.len() != y.map.len() {
                    return Ok(false);
                }
                let mut pairs = Vec::with_capacity(x.map.len());
                for (key, entry) in &x.map {
                    match y.map.get(key) {
                        Some(other) => pairs.push((entry.value.clone(), other.value.clone())),
                        None => return Ok(false),
                    }
                }
                self.work(pairs.len() * 16)?;
                self.within(|vm| {
                    for (x, y) in &pairs {
                        if !vm.is_or_equals(x, y)? {
                            return Ok(false);
                        }
                    }
                    Ok(true)
                })
            }
            (Obj::Range(a0, a1, a2), Obj::Range(b0, b1, b2)) => {
                let (n, m) = (super::number::range_len(*a0, *a1, *a2), super::number::range_len(*b0, *b1, *b2));
                Ok(n == m && (n == 0 || (a0 == b0 && (n == 1 || a2 == b2))))
            }
            (Obj::Method { function: f, this: x }, Obj::Method { function: g, this: y }) => Ok(f.same(g) && x.same(y)),
            (Obj::BuiltinMethod { this: x, name: n }, Obj::BuiltinMethod { this: y, name: m }) => {
                Ok(n == m && x.same(y))
            }
            _ => {
                let (of_a, of_b) = (self.items_as_keys(a)?, self.items_as_keys(b)?);
                let (Some(x), Some(y)) = (self.members(a, of_a.as_ref()), self.members(b, of_b.as_ref())) else {
                    return Ok(false);
                };
                let (equal, cost) = (x.len() == y.len() && x.are_in(&y), x.len() * 16);
                self.work(cost)?;
                Ok(equal)
            }
        }
    }

    fn ordered(&mut self, op: CmpOp, left: &Value, right: &Value) -> Done<bool> {
        if let Some(order) = self.order(left, right)? {
            return Ok(match (op, order) {
                (_, None) => false,
                (CmpOp::Lt, Some(o)) => o == Ordering::Less,
                (CmpOp::LtE, Some(o)) => o != Ordering::Greater,
                (CmpOp::Gt, Some(o)) => o == Ordering::Greater,
                (_, Some(o)) => o != Ordering::Less,
            });
        }
        if let (Value::Ref(a), Value::Ref(b)) = (left, right) {
            match (self.heap.get(*a), self.heap.get(*b)) {
                (Obj::Tuple(x), Obj::Tuple(y)) | (Obj::List(x), Obj::List(y)) => {
                    let (x, y) = (x.clone(), y.clone());
                    self.work(x.len().min(y.len()) * 16)?;
                    return self.within(|vm| {
                        for (x, y) in x.iter().zip(&y) {
                            if !vm.is_or_equals(x, y)? {
                                return vm.ordered(op, x, y);
                            }
                        }
                        Ok(match op {
                            CmpOp::Lt => x.len() < y.len(),
                            CmpOp::LtE => x.len() <= y.len(),
                            CmpOp::Gt => x.len() > y.len(),
                            _ => x.len() >= y.len(),
                        })
                    });
                }
                _ => {}
            }
            let (of_a, of_b) = (self.items_as_keys(*a)?, self.items_as_keys(*b)?);
            if let (Some(x), Some(y)) = (self.members(*a, of_a.as_ref()), self.members(*b, of_b.as_ref())) {
                let result = match op {
                    CmpOp::Lt => x.len() < y.len() && x.are_in(&y),
                    CmpOp::LtE => x.are_in(&y),
                    CmpOp::Gt => y.len() < x.len() && y.are_in(&x),
                    _ => y.are_in(&x),
                };
                let cost = (x.len() + y.len()) * 16;
                self.work(cost)?;
                return Ok(result);
            }
        }
        Err(type_error!(
            "'{}' not supported between instances of '{}' and '{}'",
            op.as_str(),
            self.type_name(left),
            self.type_name(right)
        ))
    }

    /// The order of numbers, texts and bytes; the inner `None` where a NaN has none.
    #[allow(clippy::option_option)] // two questions: do they compare at all, and are they ordered
    fn order(&mut self, left: &Value, right: &Value) -> Done<Option<Option<Ordering>>> {
        Ok(match (left, right) {
            (Value::Str(a), Value::Str(b)) => {
                self.work(a.len().min(b.len()))?;
                // Code point order is byte order in UTF-8.
                Some(Some(a.cmp(b)))
            }
            (Value::Bytes(a), Value::Bytes(b)) => Some(Some(a.cmp(b))),
            _ => match (num(left), num(right)) {
                (Some(a), Some(b)) => Some(compare_numbers(&a, &b)),
                _ => None,
            },
        })
    }

    /// Whether `left < right`, as sorting asks.
    pub(crate) fn less(&mut self, left: &Value, right: &Value) -> Done<bool> {
        self.tick()?;
        self.ordered(CmpOp::Lt, left, right)
    }

    /// Python's `item in container`.
    pub(crate) fn contains(&mut self, container: &Value, item: &Value) -> Done<bool> {
        match container {
            Value::Str(text) => match item {
                Value::Str(part) => {
                    self.work(text.len() + part.len())?;
                    Ok(text.contains(&**part))
                }
                _ => Err(type_error!("'in <string>' requires string as left operand, not {}", self.type_name(item))),
            },
            Value::Bytes(bytes) => match item {
                Value::Bytes(part) => {
                    self.work(bytes.len() + part.len())?;
                    Ok(as_text(bytes).contains(&as_text(part)))
                }
                Value::Int(_) | Value::Bool(_) | Value::Big(_) => Ok(bytes.contains(&self.byte_of(item)?)),
                _ => Err(type_error!("a bytes-like object is required, not '{}'", self.type_name(item))),
            },
            Value::Ref(id) => match self.heap.peek(*id) {
                Obj::Dict(_) | Obj::Set(_) => {
                    let key = self.member_key(*id, item)?;
                    self.note_key(&key);
                    Ok(match self.heap.get_for_key(*id) {
                        Obj::Dict(dict) => dict.map.contains_key(&key),
                        Obj::Set(set) => set.map.contains_key(&key),
                        _ => false,
                    })
                }
                Obj::View(of, Part::Keys) => {
                    let of = *of;
                    let key = self.key(item)?;
                    self.note_key(&key);
                    Ok(matches!(self.heap.get_for_key(of), Obj::Dict(dict) if dict.map.contains_key(&key)))
                }
                Obj::View(of, Part::Items) => {
                    let of = *of;
                    let Some(Obj::Tuple(pair)) = self.obj(item) else { return Ok(false) };
                    let [key, value] = pair.as_slice() else { return Ok(false) };
                    let (key, value) = (key.clone(), value.clone());
                    let key = self.key(&key)?;
                    self.note_key(&key);
                    let Obj::Dict(dict) = self.heap.get_for_key(of) else { return Ok(false) };
                    let own = dict.map.get(&key).map(|entry| entry.value.clone());
                    own.map_or(Ok(false), |own| self.is_or_equals(&own, &value))
                }
                Obj::Range(start, stop, step) => {
                    let (start, stop, step) = (*start, *stop, *step);
                    match num(item) {
                        Some(Num::Int(n)) => {
                            let within = if step > 0 { n >= start && n < stop } else { n <= start && n > stop };
                            Ok(within && n.wrapping_sub(start) % step == 0)
                        }
                        _ => self.contains_by_iteration(container, item),
                    }
                }
                Obj::Tuple(_) | Obj::List(_) | Obj::View(..) | Obj::Iter(..) => {
                    self.contains_by_iteration(container, item)
                }
                _ => Err(self.not_a_container(container)),
            },
            _ => Err(self.not_a_container(container)),
        }
    }

    fn not_a_container(&self, container: &Value) -> Stop {
        type_error!("argument of type '{}' is not iterable", self.type_name(container))
    }

    fn contains_by_iteration(&mut self, container: &Value, item: &Value) -> Done<bool> {
        let mut found = false;
        self.each(container, |vm, value| {
            found = vm.is_or_equals(&value, item)?;
            Ok(!found)
        })?;
        Ok(found)
    }

    /// The key of an item looked up in a set: a set itself is looked up as its frozen twin, as CPython does.
    pub(crate) fn member_key(&mut self, container: Id, item: &Value) -> Done<Key> {
        if let (Obj::Set(_), Value::Ref(id)) = (self.heap.peek(container), item)
            && let Obj::Set(set) = self.heap.get(*id)
        {
            let mut keys: Vec<Key> = set.map.keys().cloned().collect();
            keys.sort();
            return Ok(Key::Frozen(keys.into()));
        }
        self.key(item)
    }

    pub(crate) fn key(&mut self, value: &Value) -> Done<Key> {
        match value {
            Value::Str(s) => {
                self.work(s.len())?;
                Ok(Key::Str(s.clone()))
            }
            _ => self.key_at(value, 0),
        }
    }

    fn key_at(&mut self, value: &Value, depth: u32) -> Done<Key> {
        if depth > KEY_DEPTH {
            return Err(Stop::Budget("depth"));
        }
        Ok(match value {
            Value::Unbound | Value::None => Key::None,
            Value::Ellipsis => Key::Ellipsis,
            Value::Bool(b) => Key::Int(i64::from(*b)),
            Value::Int(n) => Key::Int(*n),
            Value::Big(n) => Key::Big(n.clone()),
            Value::Float(x) => float_key(*x)?,
            Value::Str(s) => Key::Str(s.clone()),
            Value::Bytes(b) => Key::Bytes(b.clone()),
            Value::Type(t) => Key::Type(*t),
            Value::Builtin(b) => Key::Builtin(*b),
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Tuple(items) => {
                    let items = items.clone();
                    self.spend_times(items.len(), 32)?;
                    let mut keys = Vec::with_capacity(items.len());
                    for item in &items {
                        self.tick()?;
                        keys.push(self.key_at(item, depth + 1)?);
                    }
                    Key::Tuple(keys.into())
                }
                Obj::Set(set) if set.frozen => {
                    let mut keys: Vec<Key> = set.map.keys().cloned().collect();
                    keys.sort();
                    self.spend_times(keys.len(), 32)?;
                    Key::Frozen(keys.into())
                }
                Obj::List(_) | Obj::Dict(_) | Obj::Set(_) | Obj::View(_, Part::Keys | Part::Items) => {
                    return Err(type_error!("unhashable type: '{}'", self.type_name(value)));
                }
                Obj::Range(start, stop, step) => match super::number::range_len(*start, *stop, *step) {
                    0 => Key::Range(0, 0, 0),
                    1 => Key::Range(1, *start, 0),
                    len => Key::Range(len, *start, *step),
                },
                Obj::Method { .. } | Obj::BuiltinMethod { .. } | Obj::Union(_) => {
                    return Err(Stop::unsupported("methods or unions as keys"));
                }
                _ => Key::Object(*id),
            },
        })
    }

    /// Makes the iteration order of a set known: insertion order where CPython's is random (texts), sorted for small whole
    /// numbers (their place in CPython's table), unknown for other sets whose order CPython fixes, be it of some members alone.
    pub(crate) fn settle_order(&mut self, id: Id) -> Done<()> {
        let Obj::Set(set) = self.heap.get(id) else { return Ok(()) };
        let n = set.map.len();
        let fixed = set.map.keys().filter(|k| fixed_hash(k)).count();
        if fixed < 2 {
            return Ok(());
        }
        if fixed < n {
            return Err(Stop::unsupported("the order of numbers among other things in a set"));
        }
        // The smallest table that can hold n members places each whole number below its size at its own index.
        let mut table = 8_i64;
        while (n as i64) * 5 >= (table - 1) * 3 {
            table *= 2;
        }
        if !set.map.keys().all(|k| matches!(k, Key::Int(i) if (0..table).contains(i))) {
            return Err(Stop::unsupported("the order of a set of numbers"));
        }
        if set.map.keys().is_sorted() {
            return Ok(());
        }
        if let Obj::Set(set) = self.heap.get_mut(id) {
            set.map.sort_keys();
        }
        Ok(())
    }
}

/// Whether CPython hashes it the same way in every run.
fn fixed_hash(key: &Key) -> bool {
    match key {
        Key::Int(_) | Key::Big(_) | Key::Float(_) | Key::Range(..) => true,
        Key::Tuple(items) | Key::Frozen(items) => items.iter().all(fixed_hash),
        _ => false,
    }
}

fn float_key(x: f64) -> Done<Key> {
    if x.is_nan() {
        return Err(Stop::unsupported("NaN as a key"));
    }
    if x.fract() == 0.0 && x.is_finite() {
        if (-9_223_372_036_854_775_808.0..9_223_372_036_854_775_808.0).contains(&x) {
            return Ok(Key::Int(x as i64));
        }
        if let Some(n) = float_to_big(x) {
            return Ok(Key::Big(Arc::new(n)));
        }
    }
    Ok(Key::Float(x.to_bits()))
}

/// The whole number a float is, exactly.
pub(crate) fn float_to_big(x: f64) -> Option<BigInt> {
    if !x.is_finite() {
        return None;
    }
    let x = x.trunc();
    let bits = x.to_bits();
    let exponent = ((bits >> 52) & 0x7ff) as i64 - 1075;
    let mantissa = (bits & ((1 << 52) - 1)) | if (bits >> 52) & 0x7ff == 0 { 0 } else { 1 << 52 };
    let n = BigInt::from(mantissa);
    let n = if exponent >= 0 { n << exponent as u64 } else { n >> (-exponent) as u64 };
    Some(if x < 0.0 { -n } else { n })
}

/// The error for a value that cannot be iterated.
pub(crate) fn not_iterable(name: &str) -> Stop {
    Stop::exact(super::fault::ExcKind::TypeError, no_iterable(name))
}

pub(crate) fn no_iterable(name: &str) -> String {
    format!("'{name}' object is not iterable")
}
