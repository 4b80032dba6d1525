//! Python values and the objects on the engine's heap. Objects refer to each other by index, so cycles need no collector,
//! dropping never recurses, and copying a state is copying a list of pointers.

use std::hash::BuildHasherDefault;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use indexmap::IndexMap;
use num_bigint::BigInt;
use rustc_hash::FxHashSet;

use super::code::{FunctionCode, GenCode};
use super::fault::ExcKind;
use super::types::{Builtin, Type};

pub(crate) type Name = Arc<str>;

/// One shared copy of a literal text, as CPython shares equal constants of a program: `is` on them is then answerable.
pub(crate) fn literal(text: &str) -> Arc<str> {
    static SHARED: OnceLock<RwLock<FxHashSet<Arc<str>>>> = OnceLock::new();
    const LONGEST: usize = 64;
    const MOST: usize = 16 * 1024;
    if text.len() > LONGEST {
        return Arc::from(text);
    }
    let shared = SHARED.get_or_init(RwLock::default);
    if let Some(known) = shared.read().unwrap_or_else(PoisonError::into_inner).get(text) {
        return known.clone();
    }
    let mut shared = shared.write().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = shared.get(text) {
        return known.clone();
    }
    if shared.len() >= MOST {
        shared.clear();
    }
    let new: Arc<str> = Arc::from(text);
    shared.insert(new.clone());
    new
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) struct Id(pub u32);

#[derive(Debug, Clone)]
pub(crate) enum Value {
    /// A local variable that is not bound yet, or a global name that stands for what is not offered; never seen by a program.
    Unbound,
    None,
    Ellipsis,
    Bool(bool),
    Int(i64),
    /// A whole number beyond 64 bits (never one that fits).
    Big(Arc<BigInt>),
    Float(f64),
    Str(Arc<str>),
    Bytes(Arc<[u8]>),
    Type(Type),
    Builtin(Builtin),
    Ref(Id),
}

impl Value {
    pub(crate) fn str(text: &str) -> Value {
        Value::Str(Arc::from(text))
    }

    /// A whole number in its smallest form.
    pub(crate) fn big(n: BigInt) -> Value {
        match i64::try_from(&n) {
            Ok(small) => Value::Int(small),
            Err(_) => Value::Big(Arc::new(n)),
        }
    }

    /// The same value by identity: what journals and change detection need, not Python's `==`.
    pub(crate) fn same(&self, other: &Value) -> bool {
        match (self, other) {
            (Value::Unbound, Value::Unbound) | (Value::None, Value::None) | (Value::Ellipsis, Value::Ellipsis) => true,
            (Value::Bool(a), Value::Bool(b)) => a == b,
            (Value::Int(a), Value::Int(b)) => a == b,
            (Value::Big(a), Value::Big(b)) => a == b,
            (Value::Float(a), Value::Float(b)) => a.to_bits() == b.to_bits(),
            (Value::Str(a), Value::Str(b)) => a == b,
            (Value::Bytes(a), Value::Bytes(b)) => a == b,
            (Value::Type(a), Value::Type(b)) => a == b,
            (Value::Builtin(a), Value::Builtin(b)) => a == b,
            (Value::Ref(a), Value::Ref(b)) => a == b,
            _ => false,
        }
    }
}

/// A value as a key: equal keys are equal values of any type (`1`, `1.0`, `True`).
#[derive(Debug, Clone, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Key {
    None,
    Ellipsis,
    Int(i64),
    Big(Arc<BigInt>),
    /// Bits of a float that equals no whole number of 64 bits.
    Float(u64),
    Str(Arc<str>),
    Bytes(Arc<[u8]>),
    Tuple(Arc<[Key]>),
    /// Sorted members of a frozen set.
    Frozen(Arc<[Key]>),
    Type(Type),
    Builtin(Builtin),
    /// Length, first and step of a range, zero where they make no difference.
    Range(u64, i64, i64),
    Object(Id),
}

#[derive(Debug, Clone)]
pub(crate) struct Entry {
    pub key: Value,
    pub value: Value,
}

pub(crate) type Map<V> = IndexMap<Key, V, BuildHasherDefault<rustc_hash::FxHasher>>;

/// A dictionary; with a `factory` it is a `defaultdict`.
#[derive(Debug, Clone, Default)]
pub(crate) struct Dict {
    pub map: Map<Entry>,
    /// Counts insertions and removals of keys, so that iterators notice them.
    pub version: u32,
    /// `Some` for a `defaultdict` (`Value::None` is its "no factory").
    pub factory: Option<Value>,
}

/// A set, in order of insertion.
#[derive(Debug, Clone, Default)]
pub(crate) struct Set {
    pub map: Map<Value>,
    pub version: u32,
    pub frozen: bool,
}

/// Attributes of an instance, class or namespace: few, so a list.
#[derive(Debug, Clone, Default)]
pub(crate) struct Attrs(pub Vec<(Name, Value)>);

impl Attrs {
    pub(crate) fn get(&self, name: &str) -> Option<&Value> {
        self.0.iter().find(|(n, _)| **n == *name).map(|(_, v)| v)
    }

    pub(crate) fn set(&mut self, name: &Name, value: Value) {
        match self.0.iter_mut().find(|(n, _)| **n == **name) {
            Some((_, slot)) => *slot = value,
            None => self.0.push((name.clone(), value)),
        }
    }

    pub(crate) fn remove(&mut self, name: &str) -> bool {
        let found = self.0.iter().position(|(n, _)| **n == *name);
        if let Some(i) = found {
            self.0.remove(i);
        }
        found.is_some()
    }
}

#[derive(Debug, Clone)]
pub(crate) struct Function {
    pub code: Arc<FunctionCode>,
    /// Defaults of the last positional parameters.
    pub defaults: Vec<Value>,
    /// Defaults of keyword-only parameters, `Unbound` where there is none.
    pub kw_defaults: Vec<Value>,
    pub captured: Vec<Value>,
}

#[derive(Debug, Clone)]
pub(crate) struct Class {
    pub name: Name,
    /// Itself, then its bases in method resolution order (single inheritance).
    pub base: Option<Id>,
    pub attrs: Attrs,
}

/// Which part of a dictionary a view or iterator shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub(crate) enum Part {
    Keys,
    Values,
    Items,
}

#[derive(Debug, Clone)]
pub(crate) struct Generator {
    pub code: Arc<GenCode>,
    pub locals: Vec<Value>,
    /// One iterator a `for` clause entered.
    pub iters: Vec<IterState>,
}

#[derive(Debug, Clone)]
pub(crate) enum IterState {
    Done,
    /// Taken out while it advances; asking it again then is an error.
    Running,
    Object(Id),
    /// A list or tuple and the next index.
    Seq(Id, usize),
    /// The same from behind: how many are left.
    SeqReversed(Id, usize),
    Chars(Arc<str>, usize),
    Bytes(Arc<[u8]>, usize),
    /// A range: next, stop, step.
    Range(i64, i64, i64),
    Dict {
        id: Id,
        part: Part,
        index: usize,
        version: u32,
        len: usize,
        reversed: bool,
    },
    Set {
        id: Id,
        index: usize,
        version: u32,
        len: usize,
    },
    Enumerate(Box<IterState>, i64),
    Zip(Vec<IterState>, bool),
    Map(Value, Vec<IterState>),
    Filter(Value, Box<IterState>),
    /// `iter(callable, sentinel)`
    Until(Value, Value),
    Generator(Box<Generator>),
}

#[derive(Clone)]
pub(crate) enum Obj {
    Free,
    Tuple(Vec<Value>),
    List(Vec<Value>),
    Dict(Dict),
    Set(Set),
    Instance {
        class: Id,
        attrs: Attrs,
    },
    Class(Class),
    Function(Function),
    /// A function bound to its first argument.
    Method {
        function: Value,
        this: Value,
    },
    /// A method of a built-in type, bound.
    BuiltinMethod {
        this: Value,
        name: Name,
    },
    Cell(Value),
    Namespace(Attrs),
    Range(i64, i64, i64),
    View(Id, Part),
    Iter(IterState, Type),
    Exception {
        kind: ExcKind,
        args: Vec<Value>,
        exact: bool,
    },
    Collections,
    /// `int | None`: types that all differ.
    Union(Vec<Value>),
}

impl Obj {
    /// Whether it holds what `old` holds, by identity of the parts. Kinds that are not compared count as changed.
    pub(crate) fn same(&self, old: &Obj) -> bool {
        match (self, old) {
            (Obj::List(a), Obj::List(b)) => a.len() == b.len() && a.iter().zip(b).all(|(a, b)| a.same(b)),
            (Obj::Dict(a), Obj::Dict(b)) => {
                a.map.len() == b.map.len()
                    && a.map.iter().zip(&b.map).all(|((k, a), (l, b))| k == l && a.value.same(&b.value))
            }
            (Obj::Set(a), Obj::Set(b)) => a.map.len() == b.map.len() && a.map.keys().eq(b.map.keys()),
            (Obj::Instance { attrs: a, .. }, Obj::Instance { attrs: b, .. })
            | (Obj::Namespace(a), Obj::Namespace(b))
            | (Obj::Class(Class { attrs: a, .. }), Obj::Class(Class { attrs: b, .. })) => {
                a.0.len() == b.0.len() && a.0.iter().zip(&b.0).all(|((n, a), (m, b))| n == m && a.same(b))
            }
            (Obj::Cell(a), Obj::Cell(b)) => a.same(b),
            _ => false,
        }
    }

    /// Calls `f` on every reference this object holds.
    pub(crate) fn each_ref(&mut self, f: &mut impl FnMut(&mut Id)) {
        match self {
            Obj::Free | Obj::Range(..) | Obj::Collections => {}
            Obj::Tuple(items) | Obj::List(items) | Obj::Union(items) | Obj::Exception { args: items, .. } => {
                each_value(items, f);
            }
            Obj::Dict(dict) => {
                rekey(&mut dict.map, f);
                for entry in dict.map.values_mut() {
                    of_value(&mut entry.key, f);
                    of_value(&mut entry.value, f);
                }
                if let Some(factory) = &mut dict.factory {
                    of_value(factory, f);
                }
            }
            Obj::Set(set) => {
                rekey(&mut set.map, f);
                set.map.values_mut().for_each(|v| of_value(v, f));
            }
            Obj::Instance { class, attrs } => {
                f(class);
                of_attrs(attrs, f);
            }
            Obj::Class(class) => {
                if let Some(base) = &mut class.base {
                    f(base);
                }
                of_attrs(&mut class.attrs, f);
            }
            Obj::Function(function) => {
                each_value(&mut function.defaults, f);
                each_value(&mut function.kw_defaults, f);
                each_value(&mut function.captured, f);
            }
            Obj::Method { function, this } => {
                of_value(function, f);
                of_value(this, f);
            }
            Obj::BuiltinMethod { this, .. } => of_value(this, f),
            Obj::Cell(value) => of_value(value, f),
            Obj::Namespace(attrs) => of_attrs(attrs, f),
            Obj::View(id, _) => f(id),
            Obj::Iter(state, _) => of_iter(state, f),
        }
    }
}

fn of_value(value: &mut Value, f: &mut impl FnMut(&mut Id)) {
    if let Value::Ref(id) = value {
        f(id);
    }
}

fn each_value(values: &mut [Value], f: &mut impl FnMut(&mut Id)) {
    values.iter_mut().for_each(|v| of_value(v, f));
}

fn of_attrs(attrs: &mut Attrs, f: &mut impl FnMut(&mut Id)) {
    attrs.0.iter_mut().for_each(|(_, v)| of_value(v, f));
}

fn of_iter(state: &mut IterState, f: &mut impl FnMut(&mut Id)) {
    match state {
        IterState::Done | IterState::Running | IterState::Chars(..) | IterState::Bytes(..) | IterState::Range(..) => {}
        IterState::Object(id) | IterState::Seq(id, _) | IterState::SeqReversed(id, _) => f(id),
        IterState::Dict { id, .. } | IterState::Set { id, .. } => f(id),
        IterState::Enumerate(inner, _) => of_iter(inner, f),
        IterState::Zip(inner, _) => inner.iter_mut().for_each(|i| of_iter(i, f)),
        IterState::Map(function, inner) => {
            of_value(function, f);
            inner.iter_mut().for_each(|i| of_iter(i, f));
        }
        IterState::Filter(function, inner) => {
            of_value(function, f);
            of_iter(inner, f);
        }
        IterState::Until(function, sentinel) => {
            of_value(function, f);
            of_value(sentinel, f);
        }
        IterState::Generator(generator) => {
            each_value(&mut generator.locals, f);
            generator.iters.iter_mut().for_each(|i| of_iter(i, f));
        }
    }
}

/// Whether a key holds an object's identity (then moving objects moves the key).
fn holds_object(key: &Key) -> bool {
    match key {
        Key::Object(_) => true,
        Key::Tuple(items) | Key::Frozen(items) => items.iter().any(holds_object),
        _ => false,
    }
}

fn map_key(key: &Key, f: &mut impl FnMut(&mut Id)) -> Key {
    match key {
        Key::Object(id) => {
            let mut id = *id;
            f(&mut id);
            Key::Object(id)
        }
        Key::Tuple(items) => Key::Tuple(items.iter().map(|k| map_key(k, f)).collect()),
        Key::Frozen(items) => {
            let mut items: Vec<Key> = items.iter().map(|k| map_key(k, f)).collect();
            items.sort();
            Key::Frozen(items.into())
        }
        other => other.clone(),
    }
}

fn rekey<V>(map: &mut Map<V>, f: &mut impl FnMut(&mut Id)) {
    if map.keys().any(holds_object) {
        *map = std::mem::take(map).into_iter().map(|(k, v)| (map_key(&k, f), v)).collect();
    }
}
