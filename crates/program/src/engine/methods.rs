//! Calls of methods of built-in types: how many arguments they take and by what names, and those of the containers. The methods of
//! texts are in `strings`, of bytes in `byte_strings`, of numbers in `numeric`.

use super::code::Operator;
use super::counts::{Called, owner, wrong_count, wrong_name};
use super::fault::{ExcKind, Stop};
use super::numeric::{code_point, float_from_hex};
use super::ops::{combine, meet, out_of_range};
use super::strings::Text;
use super::types::{Member, Takes, Type, member};
use super::value::{Dict, Entry, Id, Key, Name, Obj, Part, Set, Value};
use super::vm::{Args, Done, Keywords, Vm};

pub(crate) fn given(args: &Args, i: usize) -> Option<&Value> {
    args.get(i).filter(|value| !matches!(value, Value::Unbound))
}

/// An argument of a method; `None` if it was not given.
fn arg(args: &Args, i: usize) -> Value {
    given(args, i).cloned().unwrap_or(Value::None)
}

impl Vm {
    pub(crate) fn call_method(&mut self, this: &Value, name: &Name, args: Args, keywords: Keywords) -> Done<Value> {
        if let Value::Type(of) = this {
            self.tick()?;
            return self.unbound_method(*of, name, args, keywords);
        }
        match member(self.type_of(this), name) {
            Some(Member::Method(takes)) => self.call_member(this, name, takes, args, keywords),
            _ => Err(self.method_not_offered(this, name)),
        }
    }

    /// As [`Vm::call_method`], when it is known what the method takes.
    pub(crate) fn call_member(
        &mut self,
        this: &Value,
        name: &Name,
        takes: Takes,
        args: Args,
        keywords: Keywords,
    ) -> Done<Value> {
        self.tick()?;
        let (args, keywords) = self.bind_arguments(Called::On(this), name, takes, args, keywords)?;
        if is_class_method(name) {
            let of = self.type_of(this);
            return self.class_method(of, name, &args);
        }
        match this {
            Value::Str(text) => match &**name {
                "format" => self.str_format(text, &args, &keywords),
                "format_map" => self.format_map(text, &arg(&args, 0)),
                "translate" => self.translate(text, &arg(&args, 0)),
                "encode" => self.encode(text, given(&args, 0), given(&args, 1)),
                _ => {
                    self.work(text.len())?;
                    self.text_method(Text { text, bytes: false }, name, &args)
                }
            },
            Value::Bytes(bytes) => self.bytes_method(bytes, name, &args),
            Value::Int(_) | Value::Bool(_) | Value::Big(_) | Value::Float(_) => self.number_method(this, name, &args),
            Value::Ref(id) => match self.heap.peek(*id) {
                Obj::List(_) => self.list_method(this, *id, name, &args),
                Obj::Tuple(_) | Obj::Range(..) => self.sequence_method(this, name, &args),
                Obj::Dict(_) => self.dict_method(*id, name, &args, keywords),
                Obj::Set(_) => self.set_method(this, *id, name, &args),
                Obj::View(..) if &**name == "isdisjoint" => {
                    let mut disjoint = true;
                    self.each(&arg(&args, 0), |vm, value| {
                        disjoint = !vm.contains(this, &value)?;
                        Ok(disjoint)
                    })?;
                    Ok(Value::Bool(disjoint))
                }
                _ => Err(self.method_not_offered(this, name)),
            },
            _ => Err(self.method_not_offered(this, name)),
        }
    }

    pub(crate) fn method_not_offered(&self, this: &Value, name: &str) -> Stop {
        unsupported!("{}.{name}", self.type_name(this))
    }

    /// The type by whose name CPython calls a method.
    fn owner(&self, called: &Called<'_>, name: &str) -> Option<&'static str> {
        match called {
            Called::On(this) => Some(owner(self.type_of(this), name)),
            Called::Of(of) => Some(owner(*of, name)),
            Called::Itself => None,
        }
    }

    /// Puts the arguments given by name in their places. Where a method takes any name, those are handed on.
    pub(crate) fn bind_arguments(
        &self,
        called: Called<'_>,
        name: &str,
        takes: Takes,
        mut args: Args,
        keywords: Keywords,
    ) -> Done<(Args, Keywords)> {
        let counts = (args.len(), args.len() + keywords.len());
        if let Some((keyword, _)) = keywords.first()
            && takes.names.is_empty()
        {
            return Err(wrong_name(self.owner(&called, name), name, takes, keyword));
        }
        let known = || if takes.names == "*" { usize::MAX } else { takes.names.split(',').count() };
        if args.len() > takes.most || (!keywords.is_empty() && counts.1 > known()) {
            return Err(wrong_count(self.owner(&called, name), name, takes, counts));
        }
        if takes.names == "*" {
            return Ok((args, keywords));
        }
        let mut unknown = None;
        for (keyword, value) in keywords {
            let place = takes.names.split(',').position(|known| *known == *keyword && !known.is_empty());
            let Some(place) = place else {
                unknown.get_or_insert(keyword);
                continue;
            };
            while args.len() <= place {
                args.push(Value::Unbound);
            }
            match args.get_mut(place) {
                Some(free @ Value::Unbound) => *free = value,
                _ => return Err(rough!(TypeError, "{name}() got multiple values for argument '{keyword}'")),
            }
        }
        if (0..takes.least).any(|i| given(&args, i).is_none()) {
            return Err(wrong_count(self.owner(&called, name), name, takes, counts));
        }
        match unknown {
            Some(keyword) => Err(wrong_name(self.owner(&called, name), name, takes, &keyword)),
            None => Ok((args, Keywords::new())),
        }
    }

    /// `str.lower(x)`: the method taken from the type.
    fn unbound_method(&mut self, of: Type, name: &Name, mut args: Args, keywords: Keywords) -> Done<Value> {
        if is_class_method(name)
            && let Some(Member::Method(takes)) = member(of, name)
        {
            let (args, _) = self.bind_arguments(Called::Of(of), name, takes, args, keywords)?;
            return self.class_method(of, name, &args);
        }
        if args.is_empty() {
            return Err(rough!(TypeError, "unbound method {}.{name}() needs an argument", of.name()));
        }
        let this = args.remove(0);
        let of_this = self.type_of(&this);
        let fits = of_this == of || matches!((of_this, of), (Type::Bool, Type::Int) | (Type::DefaultDict, Type::Dict));
        match member(of_this, name) {
            Some(Member::Method(takes)) if fits => self.call_member(&this, name, takes, args, keywords),
            _ => {
                let (of, other) = (of.name(), self.type_name(&this));
                Err(rough!(TypeError, "descriptor '{name}' for '{of}' objects doesn't apply to a '{other}' object"))
            }
        }
    }

    fn class_method(&mut self, of: Type, name: &str, args: &Args) -> Done<Value> {
        match (of, name) {
            (Type::Str, "maketrans") => self.text_table(args),
            (Type::Bytes, "maketrans") => self.byte_table(args),
            (Type::Bytes, "fromhex") => self.bytes_from_hex(given(args, 0)),
            (Type::Float, "fromhex") => match given(args, 0) {
                Some(Value::Str(text)) => float_from_hex(text),
                _ => Err(Stop::type_error("bad argument type for built-in operation")),
            },
            (Type::Int, "from_bytes") => self.int_from_bytes(args),
            (Type::Bool, "from_bytes") => {
                let n = self.int_from_bytes(args)?;
                self.truth(&n).map(Value::Bool)
            }
            (Type::Dict | Type::DefaultDict, "fromkeys") => {
                let factory = (of == Type::DefaultDict).then_some(Value::None);
                let mut dict = Dict { factory, ..Dict::default() };
                self.each(&arg(args, 0), |vm, key| vm.dict_insert(&mut dict, key, arg(args, 1)).map(|()| true))?;
                self.alloc(Obj::Dict(dict))
            }
            _ => Err(unsupported!("{}.{name}", of.name())),
        }
    }

    /// `str.maketrans`
    fn text_table(&mut self, args: &Args) -> Done<Value> {
        let mut table = Dict::default();
        let texts = (given(args, 0), given(args, 1), given(args, 2));
        match texts {
            (Some(map), None, None) => {
                let Some(entries) = self.entries(map) else {
                    return Err(Stop::type_error("if you give only one argument to maketrans it must be a dict"));
                };
                for Entry { key, value } in entries {
                    let key = match &key {
                        Value::Str(text) => code_point(text).ok_or_else(|| {
                            Stop::exact(ExcKind::ValueError, "string keys in translate table must be of length 1")
                        })?,
                        Value::Int(_) | Value::Bool(_) | Value::Big(_) => key,
                        _ => return Err(Stop::type_error("keys in translate table must be strings or integers")),
                    };
                    self.dict_insert(&mut table, key, value)?;
                }
            }
            (Some(Value::Str(from)), Some(Value::Str(to)), None | Some(Value::Str(_))) => {
                if from.chars().count() != to.chars().count() {
                    return Err(exact!(ValueError, "the first two maketrans arguments must have equal length"));
                }
                let code = |c: char| Value::Int(i64::from(u32::from(c)));
                for (from, to) in from.chars().zip(to.chars()) {
                    self.dict_insert(&mut table, code(from), code(to))?;
                }
                if let Some(Value::Str(dropped)) = texts.2 {
                    for c in dropped.chars() {
                        self.dict_insert(&mut table, code(c), Value::None)?;
                    }
                }
            }
            (_, Some(other), _) if !matches!(other, Value::Str(_)) => {
                return Err(type_error!("maketrans() argument 2 must be str, not {}", self.none_or_type(other)));
            }
            (_, _, Some(other)) if !matches!(other, Value::Str(_)) => {
                return Err(type_error!("maketrans() argument 3 must be str, not {}", self.none_or_type(other)));
            }
            _ => {
                let what = "first maketrans argument must be a string if there is a second argument";
                return Err(Stop::type_error(what));
            }
        }
        self.alloc(Obj::Dict(table))
    }

    /// `count` and `index` of lists, tuples and ranges.
    fn sequence_method(&mut self, this: &Value, name: &str, args: &Args) -> Done<Value> {
        let wanted = arg(args, 0);
        if name == "count" {
            let mut count = 0;
            self.each(this, |vm, value| {
                count += i64::from(vm.is_or_equals(&value, &wanted)?);
                Ok(true)
            })?;
            return Ok(Value::Int(count));
        }
        let len = self.len(this)? as i64;
        // Unlike a text's, these bounds are never `None`.
        if [1, 2].iter().filter_map(|at| given(args, *at)).any(|bound| !is_whole(bound)) {
            return Err(Stop::type_error("slice indices must be integers or have an __index__ method"));
        }
        let (first, end) = (self.bound(args, 1, len, 0)?, self.bound(args, 2, len, len)?);
        let (mut at, mut found) = (0, None);
        self.each(this, |vm, value| {
            if at >= first && at < end && vm.is_or_equals(&value, &wanted)? {
                found = Some(at);
            }
            at += 1;
            Ok(found.is_none() && at < end)
        })?;
        match (found, self.type_of(this)) {
            (Some(at), _) => Ok(Value::Int(at)),
            (None, Type::Tuple) => Err(Stop::exact(ExcKind::ValueError, "tuple.index(x): x not in tuple")),
            (None, Type::Range) if matches!(wanted, Value::Int(_) | Value::Bool(_) | Value::Big(_)) => {
                Err(exact!(ValueError, "{} is not in range", self.repr(&wanted)?))
            }
            (None, Type::Range) => Err(exact!(ValueError, "sequence.index(x): x not in sequence")),
            (None, _) => {
                let text = self.repr(&wanted)?;
                Err(exact!(ValueError, "{text} is not in list"))
            }
        }
    }

    fn list_mut(&mut self, id: Id) -> Option<&mut Vec<Value>> {
        match self.heap.get_mut(id) {
            Obj::List(items) => Some(items),
            _ => None,
        }
    }

    fn list_method(&mut self, this: &Value, id: Id, name: &str, args: &Args) -> Done<Value> {
        let len = match self.heap.get(id) {
            Obj::List(items) => items.len(),
            _ => 0,
        };
        match name {
            "append" => {
                self.spend(24)?;
                if let Some(list) = self.list_mut(id) {
                    list.push(arg(args, 0));
                }
            }
            "extend" => {
                let mut items = Vec::new();
                let all = self.collect_into(&mut items, &arg(args, 0));
                if let Some(list) = self.list_mut(id) {
                    list.extend(items);
                }
                all?;
            }
            "insert" => {
                self.spend(24)?;
                self.work(len)?;
                let at = self.whole(&arg(args, 0))?;
                let at = if at < 0 { (at.saturating_add(len as i64)).max(0) } else { at };
                let at = usize::try_from(at).unwrap_or(len).min(len);
                if let Some(list) = self.list_mut(id) {
                    list.insert(at.min(list.len()), arg(args, 1));
                }
            }
            "remove" => {
                let items = self.collect(this)?;
                let wanted = arg(args, 0);
                for (i, item) in items.iter().enumerate() {
                    if self.is_or_equals(item, &wanted)? {
                        if let Some(list) = self.list_mut(id)
                            && i < list.len()
                        {
                            list.remove(i);
                        }
                        return Ok(Value::None);
                    }
                }
                return Err(Stop::exact(ExcKind::ValueError, "list.remove(x): x not in list"));
            }
            "pop" => {
                let at = given(args, 0).map_or(Ok(-1), |at| self.whole(at))?;
                if len == 0 {
                    return Err(Stop::exact(ExcKind::IndexError, "pop from empty list"));
                }
                let at = if at < 0 { at + len as i64 } else { at };
                let Some(at) = usize::try_from(at).ok().filter(|i| *i < len) else { return Err(out_of_range("pop")) };
                self.work(len - at)?;
                return Ok(self.list_mut(id).map_or(Value::None, |list| list.remove(at)));
            }
            "clear" => {
                if let Some(list) = self.list_mut(id) {
                    list.clear();
                }
            }
            "copy" => {
                let items = self.collect(this)?;
                return self.alloc(Obj::List(items));
            }
            "reverse" => {
                self.work(len)?;
                if let Some(list) = self.list_mut(id) {
                    list.reverse();
                }
            }
            "sort" => {
                let mut items = self.collect(this)?;
                let all = self.sort(&mut items, given(args, 0).cloned(), given(args, 1).cloned());
                if let Some(list) = self.list_mut(id) {
                    *list = items;
                }
                all?;
            }
            _ => return self.sequence_method(this, name, args),
        }
        Ok(Value::None)
    }

    fn dict_method(&mut self, id: Id, name: &str, args: &Args, keywords: Keywords) -> Done<Value> {
        match name {
            "get" => {
                let key = self.key(&arg(args, 0))?;
                self.note_key(&key);
                let Obj::Dict(dict) = self.heap.get_for_key(id) else { return Ok(Value::None) };
                Ok(dict.map.get(&key).map_or_else(|| arg(args, 1), |entry| entry.value.clone()))
            }
            "keys" => self.alloc(Obj::View(id, Part::Keys)),
            "values" => self.alloc(Obj::View(id, Part::Values)),
            "items" => self.alloc(Obj::View(id, Part::Items)),
            "pop" => {
                // Of an empty dictionary the key is not looked at.
                let empty = matches!(self.heap.get(id), Obj::Dict(dict) if dict.map.is_empty());
                let key = if empty { Key::None } else { self.key(&arg(args, 0))? };
                let present = matches!(self.heap.get(id), Obj::Dict(dict) if dict.map.contains_key(&key));
                if !present {
                    return match given(args, 1) {
                        Some(default) => Ok(default.clone()),
                        None => Err(self.key_error(&arg(args, 0))?),
                    };
                }
                let Obj::Dict(dict) = self.heap.get_mut(id) else { return Ok(Value::None) };
                dict.version += 1;
                let removed = dict.map.shift_remove(&key);
                let len = dict.map.len();
                self.work(len)?;
                Ok(removed.map_or(Value::None, |entry| entry.value))
            }
            "popitem" => {
                if matches!(self.heap.get(id), Obj::Dict(dict) if dict.map.is_empty()) {
                    return Err(self.key_error(&Value::str("popitem(): dictionary is empty"))?);
                }
                let Obj::Dict(dict) = self.heap.get_mut(id) else { return Ok(Value::None) };
                dict.version += 1;
                match dict.map.pop() {
                    Some((_, Entry { key, value })) => self.new_tuple(vec![key, value]),
                    None => Ok(Value::None),
                }
            }
            "setdefault" => {
                let key = self.key(&arg(args, 0))?;
                if let Obj::Dict(dict) = self.heap.get(id)
                    && let Some(entry) = dict.map.get(&key)
                {
                    return Ok(entry.value.clone());
                }
                self.spend(96)?;
                if let Obj::Dict(dict) = self.heap.get_mut(id) {
                    dict.map.insert(key, Entry { key: arg(args, 0), value: arg(args, 1) });
                    dict.version += 1;
                }
                Ok(arg(args, 1))
            }
            "update" => {
                let mut new = Dict::default();
                let all = match given(args, 0) {
                    Some(source) => self.update_dict(&mut new, source),
                    None => Ok(()),
                };
                if all.is_ok() {
                    new = self.dict_of(new, None, keywords)?;
                }
                if let Obj::Dict(dict) = self.heap.get_mut(id) {
                    for (key, entry) in new.map {
                        match dict.map.get_mut(&key) {
                            Some(old) => old.value = entry.value,
                            None => {
                                dict.map.insert(key, entry);
                                dict.version += 1;
                            }
                        }
                    }
                }
                all.map(|()| Value::None)
            }
            "clear" => {
                if let Obj::Dict(dict) = self.heap.get(id)
                    && !dict.map.is_empty()
                    && let Obj::Dict(dict) = self.heap.get_mut(id)
                {
                    dict.map.clear();
                    dict.version += 1;
                }
                Ok(Value::None)
            }
            "copy" => {
                let Obj::Dict(dict) = self.heap.get(id) else { return Ok(Value::None) };
                let copy = dict.clone();
                self.spend_times(copy.map.len(), 96)?;
                self.alloc(Obj::Dict(copy))
            }
            _ => Err(unsupported!("dict.{name}")),
        }
    }

    /// Writes a set back, unless nothing changed.
    fn put_set(&mut self, id: Id, set: Set) {
        let unchanged = matches!(self.heap.get(id), Obj::Set(old) if old.version == set.version);
        if !unchanged {
            *self.heap.get_mut(id) = Obj::Set(set);
        }
    }

    fn set_method(&mut self, this: &Value, id: Id, name: &str, args: &Args) -> Done<Value> {
        let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
        let (size, frozen) = (own.map.len(), own.frozen);
        match name {
            "add" => {
                let key = self.key(&arg(args, 0))?;
                if matches!(self.heap.get(id), Obj::Set(set) if set.map.contains_key(&key)) {
                    return Ok(Value::None);
                }
                self.spend(64)?;
                if let Obj::Set(set) = self.heap.get_mut(id) {
                    set.map.insert(key, arg(args, 0));
                    set.version += 1;
                }
                Ok(Value::None)
            }
            "remove" | "discard" => {
                let key = self.member_key(id, &arg(args, 0))?;
                if !matches!(self.heap.get(id), Obj::Set(set) if set.map.contains_key(&key)) {
                    return if name == "discard" { Ok(Value::None) } else { Err(self.key_error(&arg(args, 0))?) };
                }
                self.work(size)?;
                if let Obj::Set(set) = self.heap.get_mut(id) {
                    set.map.shift_remove(&key);
                    set.version += 1;
                }
                Ok(Value::None)
            }
            "pop" => {
                if size == 0 {
                    return Err(self.key_error(&Value::str("pop from an empty set"))?);
                }
                if size > 1 && own.map.values().any(|v| super::number::num(v).is_some()) {
                    return Err(Stop::unsupported("the order of a set of numbers"));
                }
                self.work(size)?;
                let Obj::Set(set) = self.heap.get_mut(id) else { return Ok(Value::None) };
                set.version += 1;
                Ok(set.map.shift_remove_index(0).map_or(Value::None, |(_, value)| value))
            }
            "clear" => {
                if size > 0
                    && let Obj::Set(set) = self.heap.get_mut(id)
                {
                    set.map.clear();
                    set.version += 1;
                }
                Ok(Value::None)
            }
            // Of what is no set one element is looked at after the other, and no more of them than it takes.
            "issuperset" | "isdisjoint" if !self.is_set(&arg(args, 0)) => {
                let wanted = name == "issuperset";
                let mut holds = true;
                self.each(&arg(args, 0), |vm, value| {
                    let key = vm.key(&value)?;
                    holds = matches!(vm.heap.get(id), Obj::Set(own) if own.map.contains_key(&key) == wanted);
                    Ok(holds)
                })?;
                Ok(Value::Bool(holds))
            }
            "issubset" | "issuperset" | "isdisjoint" => {
                let other = self.set_from(&arg(args, 0))?;
                let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
                let (result, cost) = match name {
                    "issubset" => (own.map.keys().all(|k| other.map.contains_key(k)), size),
                    "issuperset" => (other.map.keys().all(|k| own.map.contains_key(k)), other.map.len()),
                    _ => (!own.map.keys().any(|k| other.map.contains_key(k)), size),
                };
                self.work(cost)?;
                Ok(Value::Bool(result))
            }
            "copy" if frozen => Ok(this.clone()),
            _ => {
                let mut result = own.clone();
                self.spend_times(size, 64)?;
                for other in args {
                    let mut set = Set::default();
                    let all = self.add_from(&mut set, other);
                    // These take one element after the other; the rest is done whole or not at all.
                    let partly = matches!(name, "update" | "difference_update");
                    if all.is_ok() && name.starts_with("intersection") && !self.is_set(other) {
                        let before = result.map.len();
                        meet(&mut result, &set);
                        result.version += u32::from(result.map.len() != before);
                    } else if all.is_ok() || partly {
                        combine(set_operator(name), &mut result, &set);
                    }
                    if let Err(stop) = all {
                        if partly {
                            self.put_set(id, result);
                        }
                        return Err(stop);
                    }
                }
                if name.ends_with("update") {
                    self.put_set(id, result);
                    return Ok(Value::None);
                }
                self.alloc(Obj::Set(result))
            }
        }
    }
}

fn is_whole(value: &Value) -> bool {
    matches!(value, Value::Int(_) | Value::Bool(_) | Value::Big(_))
}

fn is_class_method(name: &str) -> bool {
    matches!(name, "fromkeys" | "maketrans" | "fromhex" | "from_bytes")
}

fn set_operator(name: &str) -> Operator {
    match name.trim_end_matches("update").trim_end_matches('_') {
        "intersection" => Operator::BitAnd,
        "difference" => Operator::Sub,
        "symmetric_difference" => Operator::BitXor,
        _ => Operator::BitOr,
    }
}
