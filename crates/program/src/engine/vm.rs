//! Machine: heap, stack of frames, budget; and calling functions.

use std::cell::Cell;
use std::hash::{Hash, Hasher as _};
use std::sync::Arc;

use rustc_hash::FxHasher;
use smallvec::SmallVec;

use super::code::{Body, FunctionCode};
use super::exec::Flow;
use super::fault::{CALLS, Limits, Stop};
use super::heap::{Heap, mark_of_object};
use super::types::Type;
use super::value::{Attrs, Class, Dict, Entry, Id, Key, Name, Obj, Value};

pub(crate) type Args = SmallVec<[Value; 4]>;
pub(crate) type Keywords = SmallVec<[(Name, Value); 1]>;
pub(crate) type Done<T> = Result<T, Stop>;

pub(crate) struct Vm {
    pub heap: Heap,
    /// The namespace of the module.
    pub globals: Id,
    pub stack: Vec<Value>,
    pub base: usize,
    steps: u64,
    size: u64,
    depth: u32,
    limits: Limits,
    /// Printed figure.
    pub out: String,
    /// Namespaces of class bodies being executed.
    pub classes: Vec<Attrs>,
    /// Exceptions being handled, for a bare `raise`.
    pub handling: Vec<Value>,
    /// Frames with their own assertions switched off: the number of frames there are when that function runs.
    pub unchecked_at: Option<u32>,
    /// The function whose body is judged, and that body, for a body that calls its own function.
    pub own: Option<(Id, Arc<FunctionCode>)>,
    /// The line at which a spent budget or an unknown construct ended everything.
    pub stopped: Option<u32>,
    /// Functions and comprehensions that run, and what else CPython counts towards its limit of recursion.
    pub frames: u32,
    /// Which attributes of the program's objects were read or written so far, see [`mark_of`].
    reads: Cell<Marks>,
    /// Marks of the keys by which dictionaries were looked at.
    keys: Cell<Marks>,
    /// Marks of the state's `defaultdict`s into which a missing key's default was put, and how often that was done.
    inserted: u64,
    insertions: u32,
}

/// The effect of an evaluation on its state.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Change {
    /// Nothing.
    None,
    /// Reading items of `defaultdict`s puts the default there, a constant; nothing else.
    Defaults,
    /// Anything else.
    Other,
}

/// Marks of names or keys, two bits each: with few names touched, hardly any other has both of its bits among theirs.
pub(crate) type Marks = u128;

/// The program's objects that evaluations touched, as marks: a thing counts as touched where all bits of its mark are set, be it by
/// others. An evaluation gives the same at all states in which the touched objects are the same.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Footprint {
    /// Names of attributes and globals.
    pub attributes: Marks,
    /// Dictionaries looked at other than by keys.
    pub whole: u64,
    /// The keys by which the others were looked at.
    pub keys: Marks,
}

impl Footprint {
    /// Everything.
    pub const ALL: Footprint = Footprint { attributes: Marks::MAX, whole: u64::MAX, keys: Marks::MAX };
}

pub(crate) fn mark_of_key(key: &Key) -> Marks {
    mark(key)
}

/// Marks an attribute's name. Names may share a mark: then one counts as read where the other was.
pub(crate) fn mark_of(name: &str) -> Marks {
    mark(name)
}

#[inline]
fn mark(of: &(impl Hash + ?Sized)) -> Marks {
    let mut hasher = FxHasher::default();
    of.hash(&mut hasher);
    let hash = hasher.finish();
    1 << (hash >> 57) | 1 << (hash >> 50 & 127)
}

impl Vm {
    pub(crate) fn new(heap: Heap, globals: Id, limits: Limits) -> Vm {
        Vm {
            heap,
            globals,
            stack: Vec::new(),
            base: 0,
            steps: limits.steps,
            size: limits.size,
            depth: 0,
            limits,
            out: String::new(),
            classes: Vec::new(),
            handling: Vec::new(),
            unchecked_at: None,
            own: None,
            stopped: None,
            frames: 0,
            reads: Cell::new(0),
            keys: Cell::new(0),
            inserted: 0,
            insertions: 0,
        }
    }

    /// Notes that a missing key's constant default is about to be put into a `defaultdict` of the state.
    pub(crate) fn note_default(&mut self, id: Id) {
        self.inserted |= mark_of_object(id);
        self.insertions += 1;
    }

    /// The effect on the state so far, and in the case of defaults the marks of the dictionaries they were put into.
    pub(crate) fn change(&self) -> (Change, u64) {
        if self.heap.writes() == 0 {
            (Change::None, 0)
        } else if self.heap.writes() == self.insertions {
            (Change::Defaults, self.inserted)
        } else if self.heap.differs() {
            (Change::Other, u64::MAX)
        } else {
            (Change::None, 0)
        }
    }

    /// Steps and bytes spent so far.
    pub(crate) fn spent(&self) -> (u64, u64) {
        (self.limits.steps - self.steps, self.limits.size - self.size)
    }

    #[inline]
    pub(crate) fn note_key(&self, key: &Key) {
        self.keys.set(self.keys.get() | mark_of_key(key));
    }

    pub(crate) fn footprint(&self) -> Footprint {
        Footprint { attributes: self.reads.get(), whole: self.heap.whole(), keys: self.keys.get() }
    }

    /// Notes that an attribute of one of the program's objects or classes, or a global, is read or written.
    #[inline]
    pub(crate) fn note_read(&self, name: &str) {
        self.reads.set(self.reads.get() | mark_of(name));
    }

    /// As new, for another evaluation on the same state: nothing of the last one stays, and the budget is whole.
    pub(crate) fn renew(&mut self, limits: Limits) {
        self.limits = limits;
        self.heap.undo();
        self.stack.clear();
        self.out.clear();
        self.classes.clear();
        self.handling.clear();
        (self.base, self.depth, self.frames) = (0, 0, 0);
        (self.steps, self.size) = (self.limits.steps, self.limits.size);
        (self.unchecked_at, self.own, self.stopped) = (None, None, None);
        self.reads.set(0);
        self.keys.set(0);
        (self.inserted, self.insertions) = (0, 0);
    }

    #[inline]
    pub(crate) fn tick(&mut self) -> Done<()> {
        if self.steps == 0 {
            return Err(Stop::Budget("step"));
        }
        self.steps -= 1;
        Ok(())
    }

    /// Spends steps for work on `n` bytes or elements done at once.
    #[inline]
    pub(crate) fn work(&mut self, n: usize) -> Done<()> {
        let steps = n as u64 / 16;
        if steps > self.steps {
            self.steps = 0;
            return Err(Stop::Budget("step"));
        }
        self.steps -= steps;
        Ok(())
    }

    /// Spends `bytes` of the size budget, before they are allocated.
    #[inline]
    pub(crate) fn spend(&mut self, bytes: usize) -> Done<()> {
        let bytes = bytes as u64;
        if bytes > self.size {
            return Err(Stop::Budget("size"));
        }
        self.size -= bytes;
        self.work(bytes as usize)
    }

    /// Spends for `count` objects of `each` bytes; refuses products that do not even fit.
    pub(crate) fn spend_times(&mut self, count: usize, each: usize) -> Done<()> {
        match count.checked_mul(each) {
            Some(bytes) => self.spend(bytes),
            None => Err(Stop::Budget("size")),
        }
    }

    /// Runs `f` one level deeper, on a larger stack when this one runs out.
    #[inline]
    pub(crate) fn deeper<T>(&mut self, f: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        if self.depth >= self.limits.depth {
            return Err(Stop::Budget("depth"));
        }
        self.depth += 1;
        let result = if self.depth.is_multiple_of(8) {
            stacker::maybe_grow(192 * 1024, 2 * 1024 * 1024, || f(self))
        } else {
            f(self)
        };
        self.depth -= 1;
        result
    }

    /// Runs `f` as what counts towards CPython's limit of recursion. Beyond that CPython raises an error, at a place that depends on
    /// what called: there is no answer, which no handler may hide.
    pub(crate) fn counted<T>(&mut self, f: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        if self.frames >= CALLS {
            return Err(Stop::unsupported("recursion beyond CPython's limit"));
        }
        self.frames += 1;
        let result = f(self);
        self.frames -= 1;
        result
    }

    /// As [`Vm::deeper`], where that counts towards CPython's limit too: what is looked at within another thing.
    pub(crate) fn within<T>(&mut self, f: impl FnOnce(&mut Self) -> Done<T>) -> Done<T> {
        self.deeper(|vm| vm.counted(f))
    }

    /// The object a value refers to, seen as [`Heap::get`] sees it.
    #[inline]
    pub(crate) fn obj(&self, value: &Value) -> Option<&Obj> {
        if let Value::Ref(id) = value { Some(self.heap.get(*id)) } else { None }
    }

    pub(crate) fn alloc(&mut self, obj: Obj) -> Done<Value> {
        self.spend(64)?;
        Ok(Value::Ref(self.heap.alloc(obj)))
    }

    pub(crate) fn new_str(&mut self, text: String) -> Done<Value> {
        self.spend(text.len())?;
        Ok(Value::Str(Arc::from(text)))
    }

    pub(crate) fn new_list(&mut self, items: Vec<Value>) -> Done<Value> {
        self.spend_times(items.len(), 24)?;
        self.alloc(Obj::List(items))
    }

    pub(crate) fn new_tuple(&mut self, items: Vec<Value>) -> Done<Value> {
        self.spend_times(items.len(), 24)?;
        self.alloc(Obj::Tuple(items))
    }

    #[inline]
    pub(crate) fn slot(&self, slot: usize) -> &Value {
        self.stack.get(self.base + slot).unwrap_or(&Value::Unbound)
    }

    #[inline]
    pub(crate) fn set_slot(&mut self, slot: usize, value: Value) {
        if let Some(place) = self.stack.get_mut(self.base + slot) {
            *place = value;
        }
    }

    pub(crate) fn cell(&self, slot: usize) -> Value {
        match self.obj(self.slot(slot)) {
            Some(Obj::Cell(value)) => value.clone(),
            _ => Value::Unbound,
        }
    }

    pub(crate) fn set_cell(&mut self, slot: usize, value: Value) {
        if let Value::Ref(id) = *self.slot(slot) {
            *self.heap.get_mut(id) = Obj::Cell(value);
        }
    }

    pub(crate) fn global(&self, name: &str) -> Option<&Value> {
        match self.heap.get(self.globals) {
            Obj::Namespace(attrs) => attrs.get(name),
            _ => None,
        }
    }

    pub(crate) fn set_global(&mut self, name: &Name, value: Value) -> Done<()> {
        self.note_read(name);
        if self.global(name).is_none() {
            self.spend(32)?;
        }
        if let Obj::Namespace(attrs) = self.heap.get_mut(self.globals) {
            if attrs.0.len() >= 4096 {
                return Err(Stop::Budget("size"));
            }
            attrs.set(name, value);
        }
        Ok(())
    }

    pub(crate) fn call(&mut self, callee: &Value, args: Args, keywords: Keywords) -> Done<Value> {
        self.tick()?;
        match callee {
            Value::Builtin(builtin) => self.counted(|vm| vm.call_builtin(*builtin, args, keywords)),
            Value::Type(of) => self.counted(|vm| vm.construct(*of, args, keywords)),
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Function(_) => self.call_function(*id, args, keywords),
                Obj::Method { function, this } => {
                    let (function, all) = (function.clone(), with_first(this, args));
                    self.call(&function, all, keywords)
                }
                Obj::BuiltinMethod { this, name } => {
                    let (this, name) = (this.clone(), name.clone());
                    self.call_method(&this, &name, args, keywords)
                }
                Obj::Class(_) => self.counted(|vm| vm.instantiate(*id, args, keywords)),
                _ => Err(self.not_callable(callee)),
            },
            _ => Err(self.not_callable(callee)),
        }
    }

    fn not_callable(&self, callee: &Value) -> Stop {
        type_error!("'{}' object is not callable", self.type_name(callee))
    }

    fn instantiate(&mut self, class: Id, args: Args, keywords: Keywords) -> Done<Value> {
        let init = self.class_attr(class, "__init__");
        let this = self.alloc(Obj::Instance { class, attrs: Attrs::default() })?;
        match init {
            Some(init) => match self.call(&init, with_first(&this, args), keywords)? {
                Value::None => {}
                other => {
                    let name = self.type_name(&other);
                    return Err(type_error!("__init__() should return None, not '{name}'"));
                }
            },
            None if args.is_empty() && keywords.is_empty() => {}
            None => {
                let name = self.type_name(&this);
                return Err(type_error!("{name}() takes no arguments"));
            }
        }
        Ok(this)
    }

    pub(crate) fn class_attr(&self, class: Id, name: &str) -> Option<Value> {
        let mut next = Some(class);
        while let Some(id) = next {
            let Obj::Class(Class { attrs, base, .. }) = self.heap.get(id) else { return None };
            if let Some(value) = attrs.get(name) {
                return Some(value.clone());
            }
            next = *base;
        }
        None
    }

    pub(crate) fn call_function(&mut self, id: Id, args: Args, keywords: Keywords) -> Done<Value> {
        let Obj::Function(function) = self.heap.get(id) else { return Err(Stop::unsupported("this call")) };
        let own = self.own.as_ref().filter(|(judged, _)| *judged == id);
        let code = own.map_or(&function.code, |(_, body)| body).clone();
        let start = self.stack.len();
        let simple = keywords.is_empty()
            && args.len() == code.params.names.len()
            && code.params.star.is_none()
            && code.params.keyword_only.is_empty()
            && code.params.double_star.is_none();
        if simple {
            self.stack.extend(args);
        } else {
            let bound = self.bind(id, &code, args, keywords)?;
            self.stack.extend(bound);
        }
        self.stack.resize(start + code.slots, Value::Unbound);
        if !code.captures.is_empty()
            && let Obj::Function(function) = self.heap.get(id)
        {
            for ((_, slot), value) in code.captures.iter().zip(&function.captured) {
                if let Some(place) = self.stack.get_mut(start + slot) {
                    *place = value.clone();
                }
            }
        }
        self.run_frame(&code, start)
    }

    /// Runs code in the frame that starts at `start` of the stack, and drops the frame.
    pub(crate) fn run_frame(&mut self, code: &Arc<FunctionCode>, start: usize) -> Done<Value> {
        let outer = std::mem::replace(&mut self.base, start);
        let result = self.within(|vm| {
            vm.wrap_cells(&code.cells)?;
            match &code.body {
                Body::Expression(node) => vm.eval(node),
                Body::Block(block) => match vm.block(block)? {
                    Flow::Return(value) => Ok(value),
                    _ => Ok(Value::None),
                },
            }
        });
        self.base = outer;
        self.stack.truncate(start);
        result
    }

    /// Puts the values of these slots into fresh cells.
    pub(crate) fn wrap_cells(&mut self, cells: &[usize]) -> Done<()> {
        for &slot in cells {
            let value = self.slot(slot).clone();
            let cell = self.alloc(Obj::Cell(value))?;
            self.set_slot(slot, cell);
        }
        Ok(())
    }

    /// Binds arguments to parameters by Python's rules; the values of the first slots of the frame.
    fn bind(&mut self, id: Id, code: &FunctionCode, args: Args, keywords: Keywords) -> Done<Vec<Value>> {
        let Obj::Function(function) = self.heap.get(id) else { return Err(Stop::unsupported("this call")) };
        let (defaults, kw_defaults) = (function.defaults.clone(), function.kw_defaults.clone());
        let params = &code.params;
        let name = &code.qualified;
        let given = args.len();
        let mut values: Vec<Value> = vec![Value::Unbound; params.names.len()];
        let mut extra = Vec::new();
        for (i, arg) in args.into_iter().enumerate() {
            match values.get_mut(i) {
                Some(place) => *place = arg,
                None => extra.push(arg),
            }
        }
        let mut only: Vec<Value> = vec![Value::Unbound; params.keyword_only.len()];
        let mut rest = Dict::default();
        for (keyword, value) in keywords {
            let at = params.names.iter().skip(params.positional_only).position(|n| *n == keyword);
            let place = match at {
                Some(i) => values.get_mut(i + params.positional_only),
                None => params.keyword_only.iter().position(|n| *n == keyword).and_then(|i| only.get_mut(i)),
            };
            match place {
                Some(place @ Value::Unbound) => *place = value,
                Some(_) => {
                    return Err(type_error!("{name}() got multiple values for argument '{keyword}'"));
                }
                None if params.double_star.is_some() => {
                    let key = Value::Str(keyword.clone());
                    rest.map.insert(Key::Str(keyword), Entry { key, value });
                }
                None => {
                    if params.names.iter().take(params.positional_only).any(|n| *n == keyword) {
                        return Err(rough!(
                            TypeError,
                            "{name}() got some positional-only arguments passed as keyword arguments: '{keyword}'"
                        ));
                    }
                    return Err(type_error!("{name}() got an unexpected keyword argument '{keyword}'"));
                }
            }
        }
        if !extra.is_empty() && params.star.is_none() {
            let named = only.iter().filter(|value| !matches!(value, Value::Unbound)).count();
            return Err(too_many(name, (params.names.len(), defaults.len()), (given, named)));
        }
        let first_default = values.len().saturating_sub(defaults.len());
        let mut missing = Vec::new();
        for (i, place) in values.iter_mut().enumerate() {
            if matches!(place, Value::Unbound) {
                match i.checked_sub(first_default).and_then(|d| defaults.get(d)) {
                    Some(default) => *place = default.clone(),
                    None => missing.push(params.names.get(i).map_or("", |n| n)),
                }
            }
        }
        if !missing.is_empty() {
            return Err(missing_arguments(name, "positional", &missing));
        }
        for (i, place) in only.iter_mut().enumerate() {
            if matches!(place, Value::Unbound) {
                match kw_defaults.get(i) {
                    Some(Value::Unbound) | None => missing.push(params.keyword_only.get(i).map_or("", |n| n)),
                    Some(default) => *place = default.clone(),
                }
            }
        }
        if !missing.is_empty() {
            return Err(missing_arguments(name, "keyword-only", &missing));
        }
        if params.star.is_some() {
            let star = self.new_tuple(extra)?;
            values.push(star);
        }
        values.extend(only);
        if params.double_star.is_some() {
            let rest = self.alloc(Obj::Dict(rest))?;
            values.push(rest);
        }
        Ok(values)
    }

    /// The name of a value's type, as in error messages.
    pub(crate) fn type_name(&self, value: &Value) -> String {
        match self.type_of(value) {
            Type::Instance => match self.obj(value) {
                Some(Obj::Instance { class, .. }) => match self.heap.get(*class) {
                    Obj::Class(class) => class.name.to_string(),
                    _ => "object".into(),
                },
                _ => "object".into(),
            },
            Type::DefaultDict => "collections.defaultdict".into(),
            of => of.name().to_owned(),
        }
    }

    /// The built-in type of a value; `Instance` for instances of classes of the program.
    pub(crate) fn type_of(&self, value: &Value) -> Type {
        match value {
            Value::Unbound | Value::None => Type::Nothing,
            Value::Ellipsis => Type::Dots,
            Value::Bool(_) => Type::Bool,
            Value::Int(_) | Value::Big(_) => Type::Int,
            Value::Float(_) => Type::Float,
            Value::Str(_) => Type::Str,
            Value::Bytes(_) => Type::Bytes,
            Value::Type(_) => Type::Class,
            Value::Builtin(_) => Type::BuiltinFunction,
            Value::Ref(id) => match self.heap.peek(*id) {
                Obj::Free | Obj::Namespace(_) | Obj::Cell(_) => Type::Cell,
                Obj::Tuple(_) => Type::Tuple,
                Obj::List(_) => Type::List,
                Obj::Dict(dict) if dict.factory.is_some() => Type::DefaultDict,
                Obj::Dict(_) => Type::Dict,
                Obj::Set(set) if set.frozen => Type::FrozenSet,
                Obj::Set(_) => Type::Set,
                Obj::Instance { .. } => Type::Instance,
                Obj::Class(_) => Type::Class,
                Obj::Function(_) => Type::Function,
                Obj::Method { .. } => Type::Method,
                Obj::BuiltinMethod { .. } => Type::BuiltinFunction,
                Obj::Range(..) => Type::Range,
                Obj::View(_, super::value::Part::Keys) => Type::Keys,
                Obj::View(_, super::value::Part::Values) => Type::Values,
                Obj::View(_, super::value::Part::Items) => Type::Items,
                Obj::Iter(_, of) => *of,
                Obj::Exception { kind, .. } => Type::Exc(*kind),
                Obj::Collections => Type::Module,
                Obj::Union(_) => Type::Union,
            },
        }
    }
}

/// Arguments with one more before them.
pub(crate) fn with_first(this: &Value, args: Args) -> Args {
    std::iter::once(this.clone()).chain(args).collect()
}

/// The error of a call with more arguments in order than a function takes: those and how many of them have defaults, those given and how
/// many others that it takes by name alone.
fn too_many(function: &str, (most, defaults): (usize, usize), (given, named): (usize, usize)) -> Stop {
    let plural = |n: usize| if n == 1 { "" } else { "s" };
    let (takes, many) = match most.saturating_sub(defaults) {
        _ if defaults == 0 => (most.to_string(), plural(most)),
        least => (format!("from {least} to {most}"), "s"),
    };
    let given = match named {
        0 if given == 1 => "1 was".to_owned(),
        0 => format!("{given} were"),
        _ => format!(
            "{given} positional argument{} (and {named} keyword-only argument{}) were",
            plural(given),
            plural(named)
        ),
    };
    type_error!("{function}() takes {takes} positional argument{many} but {given} given")
}

fn missing_arguments(function: &str, what: &str, missing: &[&str]) -> Stop {
    let plural = if missing.len() == 1 { "" } else { "s" };
    let quoted: Vec<String> = missing.iter().map(|n| format!("'{n}'")).collect();
    let list = match quoted.as_slice() {
        [one] => one.clone(),
        [a, b] => format!("{a} and {b}"),
        [first @ .., last] => format!("{}, and {last}", first.join(", ")),
        [] => String::new(),
    };
    type_error!("{function}() missing {} required {what} argument{plural}: {list}", missing.len())
}
