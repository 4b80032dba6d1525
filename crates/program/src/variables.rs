//! Variables of a state as JSON, and its fingerprint.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};
use serde_json::{Map, Value as Json};

use super::engine::fault::Limits;
use super::engine::heap::{Heap, Slots, mark_of_object};
use super::engine::relate::float_to_big;
use super::engine::value::{Attrs, Id, Key, Obj, Value};
use super::engine::vm::{Footprint, Marks, mark_of, mark_of_key};
use super::projection::hash_value;
use super::specification::{GLOBALS, OBJECTS};
use super::state::State;

/// Deepest nesting that is shown.
const DEPTH: usize = 12;
const ELEMENTS: usize = 200_000;

struct Writer<'a> {
    heap: &'a Heap,
    named: &'a Attrs,
    left: usize,
    /// Whether what is written is equal exactly where Python's `==` says so, and not made to be read.
    exact: bool,
}

pub(crate) fn variables(state: &State) -> Json {
    let vm = state.vm(Limits::CALL);
    let named = state.objects();
    let mut writer = Writer { heap: &vm.heap, named, left: ELEMENTS, exact: false };
    let mut out = Map::new();
    for (name, value) in &named.0 {
        let json = match value {
            Value::Ref(id) => writer.object(*id, 0),
            other => writer.value(other, 0),
        };
        out.insert(name.to_string(), json);
    }
    Json::Object(out)
}

/// The variables of two states, without what is certainly the same in both: their differences are those between all variables. What the
/// states share is passed over and not written.
pub(crate) fn apart(before: &State, after: &State) -> (Json, Json) {
    let names = |state: &State| state.slots().get(OBJECTS.0 as usize).map(Arc::as_ptr);
    if names(before) != names(after) {
        // Where objects have other names, the same value may be written otherwise.
        return (variables(before), variables(after));
    }
    let (vm, later, named) = (before.vm(Limits::CALL), after.vm(Limits::CALL), after.objects());
    let mut apart = Apart {
        before: Writer { heap: &vm.heap, named, left: ELEMENTS, exact: false },
        after: Writer { heap: &later.heap, named, left: ELEMENTS, exact: false },
        slots: (before.slots(), after.slots()),
        shared: vec![None; after.slots().len()],
    };
    let (mut from, mut to) = (Map::new(), Map::new());
    for (name, value) in &named.0 {
        // What is no object is the same: the names are.
        if let Value::Ref(id) = value
            && !apart.is_shared(*id, 0)
        {
            let (old, new) = apart.objects(*id, *id, 0);
            from.insert(name.to_string(), old);
            to.insert(name.to_string(), new);
        }
    }
    (Json::Object(from), Json::Object(to))
}

pub(crate) fn json_of(heap: &Heap, named: &Attrs, value: &Value) -> Json {
    Writer { heap, named, left: ELEMENTS, exact: false }.value(value, 0)
}

/// A value as JSON that is equal to another's where the values are equal in Python: `True` and `1` are, a list and a tuple are not.
pub(crate) fn image_of(heap: &Heap, value: &Value) -> Json {
    Writer { heap, named: &Attrs::default(), left: ELEMENTS, exact: true }.value(value, 0)
}

impl Writer<'_> {
    fn value(&mut self, value: &Value, depth: usize) -> Json {
        match value {
            Value::Unbound | Value::None => Json::Null,
            Value::Ellipsis => Json::String("...".into()),
            Value::Bool(b) if self.exact => Json::from(i64::from(*b)),
            Value::Bool(b) => Json::Bool(*b),
            Value::Int(n) => Json::from(*n),
            Value::Big(n) if self.exact => self.of_kind("int", Json::String(n.to_string())),
            Value::Float(x) if self.exact => match float_to_big(*x).filter(|_| x.fract() == 0.0) {
                Some(n) => self.value(&Value::big(n), depth),
                None => self.of_kind("float", Json::String(x.to_string())),
            },
            Value::Bytes(b) if self.exact => self.of_kind("bytes", Json::from(b.to_vec())),
            Value::Big(n) => Json::String(n.to_string()),
            Value::Float(x) => {
                serde_json::Number::from_f64(*x).map_or_else(|| Json::String(x.to_string()), Json::Number)
            }
            Value::Str(s) => Json::String(s.to_string()),
            Value::Bytes(b) => Json::String(String::from_utf8_lossy(b).into_owned()),
            Value::Type(t) => Json::String(format!("<class {}>", t.name())),
            Value::Builtin(b) => Json::String(format!("<function {}>", b.name())),
            Value::Ref(id) => {
                let name = self.named.0.iter().find(|(_, v)| matches!(v, Value::Ref(other) if other == id));
                match name {
                    Some((name, _)) => Json::String(format!("<{name}>")),
                    None => self.object(*id, depth),
                }
            }
        }
    }

    /// What is written of a value, with its kind where that counts.
    fn of_kind(&self, kind: &str, json: Json) -> Json {
        if self.exact { Json::Array(vec![Json::from(kind), json]) } else { json }
    }

    fn object(&mut self, id: Id, depth: usize) -> Json {
        if depth > DEPTH || self.left == 0 {
            return Json::String("…".into());
        }
        self.left -= 1;
        match self.heap.get(id) {
            Obj::List(items) | Obj::Tuple(items) => {
                let kind = if matches!(self.heap.get(id), Obj::List(_)) { "list" } else { "tuple" };
                let items = items.iter().map(|v| self.value(v, depth + 1)).collect();
                self.of_kind(kind, Json::Array(items))
            }
            Obj::Set(set) => {
                let mut members: Vec<(&Key, &Value)> = set.map.iter().collect();
                members.sort_by(|a, b| a.0.cmp(b.0));
                let members = members.into_iter().map(|(_, v)| self.value(v, depth + 1)).collect();
                self.of_kind("set", Json::Array(members))
            }
            Obj::Dict(dict) => {
                let mut out = Map::new();
                for entry in dict.map.values() {
                    let key = match &entry.key {
                        Value::Str(s) if !self.exact => s.to_string(),
                        other if self.exact => self.value(other, depth + 1).to_string(),
                        other => self.text(other, 0),
                    };
                    let value = self.value(&entry.value, depth + 1);
                    out.insert(key, value);
                }
                self.of_kind("dict", Json::Object(out))
            }
            Obj::Instance { attrs, .. } => {
                let mut out = Map::new();
                for (name, value) in &attrs.0 {
                    let value = self.value(value, depth + 1);
                    out.insert(name.to_string(), value);
                }
                Json::Object(out)
            }
            Obj::Class(class) => Json::String(format!("<class {}>", class.name)),
            Obj::Function(function) => Json::String(format!("<function {}>", function.code.name)),
            Obj::Range(start, stop, step) => Json::String(format!("range({start}, {stop}, {step})")),
            Obj::Exception { kind, .. } => Json::String(format!("<{}>", kind.name())),
            _ => Json::String("<object>".into()),
        }
    }

    fn text(&self, value: &Value, depth: usize) -> String {
        match value {
            Value::Str(s) => super::call::Literal::Str(s.to_string()).to_string(),
            Value::None => "None".into(),
            Value::Bool(b) => (if *b { "True" } else { "False" }).into(),
            Value::Int(n) => n.to_string(),
            Value::Big(n) => n.to_string(),
            Value::Float(x) => super::call::Literal::Float(*x).to_string(),
            Value::Ref(id) if depth <= DEPTH => match self.heap.get(*id) {
                Obj::Tuple(items) => {
                    let parts: Vec<String> = items.iter().map(|v| self.text(v, depth + 1)).collect();
                    if let [one] = parts.as_slice() { format!("({one},)") } else { format!("({})", parts.join(", ")) }
                }
                _ => "<object>".into(),
            },
            _ => "<value>".into(),
        }
    }
}

/// The attributes of an instance or the entries of a dictionary, where all its keys are texts.
fn fields(obj: &Obj) -> Option<Vec<(&str, &Value)>> {
    match obj {
        Obj::Instance { attrs, .. } => Some(attrs.0.iter().map(|(name, value)| (&**name, value)).collect()),
        Obj::Dict(dict) => {
            let all = dict.map.iter().map(|(key, entry)| match key {
                Key::Str(name) => Some((&**name, &entry.value)),
                _ => None,
            });
            all.collect()
        }
        _ => None,
    }
}

/// Two states, written beside each other.
struct Apart<'a> {
    before: Writer<'a>,
    after: Writer<'a>,
    slots: (&'a Slots, &'a Slots),
    /// Of each object looked at whether the states share it with all that it reaches; one that is being looked at counts as not shared.
    shared: Vec<Option<bool>>,
}

impl<'a> Apart<'a> {
    /// Whether the states certainly share an object with all that it reaches. What lies too deep is not looked at.
    fn is_shared(&mut self, id: Id, depth: usize) -> bool {
        let at = id.0 as usize;
        let slots: (&'a Slots, &'a Slots) = self.slots;
        let (Some(one), Some(other)) = (slots.0.get(at), slots.1.get(at)) else { return false };
        if depth > DEPTH || !Arc::ptr_eq(one, other) {
            return false;
        }
        if let Some(Some(known)) = self.shared.get(at) {
            return *known;
        }
        self.note(at, false);
        let is_shared = match &**one {
            Obj::List(items) | Obj::Tuple(items) => items.iter().all(|item| self.is_same(item, item, depth)),
            Obj::Set(set) => set.map.values().all(|item| self.is_same(item, item, depth)),
            Obj::Dict(dict) => dict.map.values().all(|entry| {
                self.is_same(&entry.key, &entry.key, depth) && self.is_same(&entry.value, &entry.value, depth)
            }),
            Obj::Instance { attrs, .. } => attrs.0.iter().all(|(_, value)| self.is_same(value, value, depth)),
            // Of others no more is written than what they hold themselves.
            _ => true,
        };
        self.note(at, is_shared);
        is_shared
    }

    fn note(&mut self, at: usize, is_shared: bool) {
        if let Some(known) = self.shared.get_mut(at) {
            *known = Some(is_shared);
        }
    }

    /// Whether two values are certainly written the same.
    fn is_same(&mut self, old: &Value, new: &Value, depth: usize) -> bool {
        match (old, new) {
            (Value::Ref(one), Value::Ref(other)) => one == other && self.is_shared(*one, depth + 1),
            _ => old.same(new),
        }
    }

    fn is_named(&self, id: Id) -> bool {
        self.after.named.0.iter().any(|(_, value)| matches!(value, Value::Ref(named) if *named == id))
    }

    fn values(&mut self, old: &Value, new: &Value, depth: usize) -> (Json, Json) {
        match (old, new) {
            (Value::Ref(one), Value::Ref(other)) if !self.is_named(*one) && !self.is_named(*other) => {
                self.objects(*one, *other, depth)
            }
            _ => (self.before.value(old, depth), self.after.value(new, depth)),
        }
    }

    /// Two objects: of attributes, and of entries under texts, those that may differ; of anything else all of it.
    fn objects(&mut self, one: Id, other: Id, depth: usize) -> (Json, Json) {
        let slots: (&'a Slots, &'a Slots) = self.slots;
        let of = |slots: &'a Slots, id: Id| slots.get(id.0 as usize).and_then(|obj| fields(obj));
        let is_cut = depth > DEPTH || self.before.left == 0 || self.after.left == 0;
        match (of(slots.0, one), of(slots.1, other)) {
            (Some(old), Some(new)) if !is_cut => {
                self.before.left -= 1;
                self.after.left -= 1;
                self.fields(&old, &new, depth)
            }
            _ => (self.before.object(one, depth), self.after.object(other, depth)),
        }
    }

    fn fields(&mut self, old: &[(&str, &Value)], new: &[(&str, &Value)], depth: usize) -> (Json, Json) {
        let (mut from, mut to) = (Map::new(), Map::new());
        let mut by_name: Option<FxHashMap<&str, &Value>> = None;
        let mut stayed = 0;
        for (at, (name, value)) in new.iter().enumerate() {
            // Most stand where they stood.
            let before = match old.get(at).filter(|(earlier, _)| earlier == name) {
                Some((_, before)) => Some(*before),
                None => by_name.get_or_insert_with(|| old.iter().copied().collect()).get(name).copied(),
            };
            stayed += usize::from(before.is_some());
            match before {
                None => drop(to.insert((*name).to_owned(), self.after.value(value, depth + 1))),
                Some(before) if self.is_same(before, value, depth) => {}
                Some(before) => {
                    let (before, after) = self.values(before, value, depth + 1);
                    from.insert((*name).to_owned(), before);
                    to.insert((*name).to_owned(), after);
                }
            }
        }
        if stayed < old.len() {
            let now: FxHashSet<&str> = new.iter().map(|(name, _)| *name).collect();
            for (name, value) in old.iter().filter(|(name, _)| !now.contains(name)) {
                from.insert((*name).to_owned(), self.before.value(value, depth + 1));
            }
        }
        (Json::Object(from), Json::Object(to))
    }
}

/// A hash of everything the globals and the named objects reach.
pub(crate) fn fingerprint(state: &State) -> u64 {
    Fingerprints::default().of(state, Footprint::ALL)
}

/// Hashes of states. Kept for its memory.
#[derive(Default)]
pub struct Fingerprints {
    seen: FxHashMap<Id, u32>,
    queue: Vec<Id>,
    hasher: FxHasher,
}

impl Fingerprints {
    /// A hash of everything that the globals and the named objects of a state reach by what is touched: by names with these marks, by
    /// these keys of dictionaries, by all keys of the dictionaries touched as a whole. An evaluation gives the same at all states in which what it
    /// has touched is the same.
    pub fn of(&mut self, state: &State, touched: Footprint) -> u64 {
        self.seen.clear();
        self.queue.clear();
        self.hasher = FxHasher::default();
        let slots = state.slots();
        if let Some(Obj::Namespace(globals)) = slots.get(GLOBALS.0 as usize).map(|globals| &**globals) {
            self.names(globals, touched);
        }
        for (name, value) in &state.objects().0 {
            name.hash(&mut self.hasher);
            self.value(value);
        }
        let mut next = 0;
        while let Some(id) = self.queue.get(next).copied() {
            next += 1;
            if let Some(obj) = slots.get(id.0 as usize) {
                self.object(obj, touched, touched.whole & mark_of_object(id) != 0);
            }
        }
        self.hasher.finish()
    }

    fn object(&mut self, obj: &Obj, touched: Footprint, whole: bool) {
        match obj {
            Obj::List(items) | Obj::Tuple(items) => {
                (1_u8, items.len()).hash(&mut self.hasher);
                items.iter().for_each(|item| self.value(item));
            }
            Obj::Dict(dict) => {
                if whole {
                    (2_u8, dict.map.len()).hash(&mut self.hasher);
                } else {
                    5_u8.hash(&mut self.hasher);
                }
                self.value(dict.factory.as_ref().unwrap_or(&Value::None));
                for (key, entry) in dict.map.iter().filter(|(key, _)| whole || mark_of_key(key) & !touched.keys == 0) {
                    key.hash(&mut self.hasher);
                    self.value(&entry.value);
                }
                6_u8.hash(&mut self.hasher);
            }
            Obj::Set(set) => {
                let sum = set.map.keys().fold(0_u64, |sum, key| {
                    let mut one = FxHasher::default();
                    key.hash(&mut one);
                    sum.wrapping_add(one.finish())
                });
                (3_u8, set.map.len(), sum).hash(&mut self.hasher);
            }
            Obj::Instance { class, attrs } => {
                4_u8.hash(&mut self.hasher);
                self.value(&Value::Ref(*class));
                self.names(attrs, touched);
            }
            Obj::Class(class) => {
                class.name.hash(&mut self.hasher);
                self.value(&class.base.map_or(Value::None, Value::Ref));
                self.names(&class.attrs, touched);
            }
            Obj::Function(function) => {
                function.code.qualified.hash(&mut self.hasher);
                let values = function.defaults.iter().chain(&function.kw_defaults).chain(&function.captured);
                values.for_each(|value| self.value(value));
            }
            Obj::Method { function, this } => [function, this].into_iter().for_each(|value| self.value(value)),
            Obj::Cell(value) => self.value(value),
            _ => 9_u8.hash(&mut self.hasher),
        }
    }

    fn names(&mut self, names: &Attrs, touched: Footprint) {
        let all = touched.attributes == Marks::MAX;
        for (name, value) in names.0.iter().filter(|(name, _)| all || mark_of(name) & !touched.attributes == 0) {
            name.hash(&mut self.hasher);
            self.value(value);
        }
        u8::MAX.hash(&mut self.hasher);
    }

    fn value(&mut self, value: &Value) {
        if let Value::Ref(id) = value {
            let new = self.seen.len() as u32;
            let queue = &mut self.queue;
            let number = *self.seen.entry(*id).or_insert_with(|| {
                queue.push(*id);
                new
            });
            (10_u8, number).hash(&mut self.hasher);
        } else {
            hash_value(value, &mut self.hasher);
        }
    }
}
