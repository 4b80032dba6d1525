//! Methods of built-in containers and numbers; those of `str` are in `strings`.

use super::code::Operator;
use super::fault::{ExcKind, Stop};
use super::ops::out_of_range;
use super::types::{Member, Type, member};
use super::value::{Dict, Entry, Id, Name, Obj, Part, Set, Value};
use super::vm::{Args, Done, Keywords, Vm};

impl Vm {
    /// Calls a method of a built-in type.
    pub(crate) fn call_method(&mut self, this: &Value, name: &Name, args: Args, keywords: Keywords) -> Done<Value> {
        self.tick()?;
        if let Some(Member::Method(least, most)) = member(self.type_of(this), name)
            && !(least..=most).contains(&args.len())
        {
            return Err(rough!(TypeError, "{}.{name}() got {} arguments", self.type_name(this), args.len()));
        }
        match this {
            Value::Str(text) => self.str_method(text, name, &args, &keywords),
            Value::Type(of) => self.unbound_method(*of, name, args, keywords),
            Value::Float(x) if &**name == "is_integer" && args.is_empty() => {
                Ok(Value::Bool(x.is_finite() && x.fract() == 0.0))
            }
            Value::Int(n) if &**name == "bit_length" && args.is_empty() => {
                Ok(Value::Int(i64::from(64 - n.unsigned_abs().leading_zeros())))
            }
            Value::Ref(id) => match self.heap.peek(*id) {
                Obj::List(_) => self.list_method(this, *id, name, &args, &keywords),
                Obj::Tuple(_) => self.sequence_method(this, name, &args),
                Obj::Dict(_) => self.dict_method(*id, name, &args, &keywords),
                Obj::Set(_) => self.set_method(*id, name, &args, &keywords),
                Obj::View(..) if &**name == "isdisjoint" && args.len() == 1 => {
                    let own = self.set_from(this)?;
                    let other = args.first().map_or(Ok(Set::default()), |a| self.set_from(a))?;
                    Ok(Value::Bool(!own.map.keys().any(|k| other.map.contains_key(k))))
                }
                _ => Err(self.method_not_offered(this, name)),
            },
            _ => Err(self.method_not_offered(this, name)),
        }
    }

    pub(crate) fn method_not_offered(&self, this: &Value, name: &str) -> Stop {
        unsupported!("{}.{name}", self.type_name(this))
    }

    /// `str.lower(x)`: the method taken from the type.
    fn unbound_method(&mut self, of: Type, name: &Name, mut args: Args, keywords: Keywords) -> Done<Value> {
        if matches!(&**name, "fromkeys" | "maketrans" | "fromhex" | "from_bytes") {
            return Err(unsupported!("{}.{name}", of.name()));
        }
        if args.is_empty() {
            return Err(rough!(TypeError, "unbound method {}.{name}() needs an argument", of.name()));
        }
        let this = args.remove(0);
        let given = self.type_of(&this);
        let fits = given == of || matches!((given, of), (Type::Bool, Type::Int) | (Type::DefaultDict, Type::Dict));
        if !fits || member(given, name).is_none() {
            let given = self.type_name(&this);
            return Err(rough!(
                TypeError,
                "descriptor '{name}' for '{}' objects doesn't apply to a '{given}' object",
                of.name()
            ));
        }
        self.call_method(&this, name, args, keywords)
    }

    /// `count` and `index` of lists and tuples.
    fn sequence_method(&mut self, this: &Value, name: &str, args: &Args) -> Done<Value> {
        match name {
            "count" => {
                let wanted = args.first().cloned().unwrap_or(Value::None);
                let mut count = 0;
                self.each(this, |vm, value| {
                    count += i64::from(vm.equal(&value, &wanted)?);
                    Ok(true)
                })?;
                Ok(Value::Int(count))
            }
            "index" => {
                if args.len() > 1 {
                    return Err(Stop::unsupported("index with bounds"));
                }
                let wanted = args.first().cloned().unwrap_or(Value::None);
                let (mut at, mut found) = (0, None);
                self.each(this, |vm, value| {
                    if vm.equal(&value, &wanted)? {
                        found = Some(at);
                    }
                    at += 1;
                    Ok(found.is_none())
                })?;
                match found {
                    Some(at) => Ok(Value::Int(at)),
                    None if self.type_of(this) == Type::Tuple => {
                        Err(Stop::exact(ExcKind::ValueError, "tuple.index(x): x not in tuple"))
                    }
                    None => {
                        let text = self.repr(&wanted).unwrap_or_default();
                        Err(exact!(ValueError, "{text} is not in list"))
                    }
                }
            }
            _ => Err(self.method_not_offered(this, name)),
        }
    }

    fn list_mut(&mut self, id: Id) -> Option<&mut Vec<Value>> {
        match self.heap.get_mut(id) {
            Obj::List(items) => Some(items),
            _ => None,
        }
    }

    fn list_method(&mut self, this: &Value, id: Id, name: &str, args: &Args, keywords: &Keywords) -> Done<Value> {
        if !keywords.is_empty() && name != "sort" {
            return Err(rough!(TypeError, "list.{name}() takes no keyword arguments"));
        }
        let len = match self.heap.get(id) {
            Obj::List(items) => items.len(),
            _ => 0,
        };
        let arg = |i: usize| args.get(i).cloned().unwrap_or(Value::None);
        match name {
            "append" => {
                self.spend(24)?;
                if let Some(list) = self.list_mut(id) {
                    list.push(arg(0));
                }
            }
            "extend" => {
                let items = self.collect(&arg(0))?;
                if let Some(list) = self.list_mut(id) {
                    list.extend(items);
                }
            }
            "insert" => {
                self.spend(24)?;
                self.work(len)?;
                let at = self.whole(&arg(0))?;
                let at = if at < 0 { (at.saturating_add(len as i64)).max(0) } else { at };
                let at = usize::try_from(at).unwrap_or(len).min(len);
                if let Some(list) = self.list_mut(id) {
                    list.insert(at.min(list.len()), arg(1));
                }
            }
            "remove" => {
                let items = match self.heap.get(id) {
                    Obj::List(items) => items.clone(),
                    _ => Vec::new(),
                };
                self.work(len * 16)?;
                let wanted = arg(0);
                for (i, item) in items.iter().enumerate() {
                    if self.equal(item, &wanted)? {
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
                if len == 0 {
                    return Err(Stop::exact(ExcKind::IndexError, "pop from empty list"));
                }
                let at = match args.first() {
                    Some(at) => self.whole(at)?,
                    None => -1,
                };
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
                if keywords.iter().any(|(n, _)| !matches!(&**n, "key" | "reverse")) {
                    return Err(Stop::raise(ExcKind::TypeError, "sort() got an unexpected keyword argument"));
                }
                let keyword = |name: &str| keywords.iter().find(|(n, _)| &**n == name).map(|(_, v)| v.clone());
                let items = self.collect(this)?;
                let sorted = self.sort(items, keyword("key"), keyword("reverse"))?;
                if let Some(list) = self.list_mut(id) {
                    *list = sorted;
                }
            }
            "count" | "index" => return self.sequence_method(this, name, args),
            _ => return Err(self.method_not_offered(this, name)),
        }
        Ok(Value::None)
    }

    fn dict_method(&mut self, id: Id, name: &str, args: &Args, keywords: &Keywords) -> Done<Value> {
        if !keywords.is_empty() && name != "update" {
            return Err(rough!(TypeError, "{name}() takes no keyword arguments"));
        }
        let arg = |i: usize| args.get(i).cloned().unwrap_or(Value::None);
        match name {
            "get" => {
                let key = self.key(&arg(0))?;
                self.note_key(&key);
                let Obj::Dict(dict) = self.heap.get_for_key(id) else { return Ok(Value::None) };
                Ok(dict.map.get(&key).map_or_else(|| arg(1), |entry| entry.value.clone()))
            }
            "keys" => self.alloc(Obj::View(id, Part::Keys)),
            "values" => self.alloc(Obj::View(id, Part::Values)),
            "items" => self.alloc(Obj::View(id, Part::Items)),
            "pop" => {
                let key = self.key(&arg(0))?;
                let present = matches!(self.heap.get(id), Obj::Dict(dict) if dict.map.contains_key(&key));
                if !present {
                    return match args.get(1) {
                        Some(default) => Ok(default.clone()),
                        None => Err(self.key_error(&arg(0))?),
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
                    let error = self.key_error(&Value::str("popitem(): dictionary is empty"))?;
                    return Err(error);
                }
                let Obj::Dict(dict) = self.heap.get_mut(id) else { return Ok(Value::None) };
                dict.version += 1;
                match dict.map.pop() {
                    Some((_, Entry { key, value })) => self.new_tuple(vec![key, value]),
                    None => Ok(Value::None),
                }
            }
            "setdefault" => {
                let key = self.key(&arg(0))?;
                if let Obj::Dict(dict) = self.heap.get(id)
                    && let Some(entry) = dict.map.get(&key)
                {
                    return Ok(entry.value.clone());
                }
                self.spend(96)?;
                if let Obj::Dict(dict) = self.heap.get_mut(id) {
                    dict.map.insert(key, Entry { key: arg(0), value: arg(1) });
                    dict.version += 1;
                }
                Ok(arg(1))
            }
            "update" => {
                let new = self.dict_of(Dict::default(), args.first(), keywords.clone())?;
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
                Ok(Value::None)
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

    fn set_method(&mut self, id: Id, name: &str, args: &Args, keywords: &Keywords) -> Done<Value> {
        if !keywords.is_empty() {
            return Err(rough!(TypeError, "set.{name}() takes no keyword arguments"));
        }
        let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
        let size = own.map.len();
        let arg = |i: usize| args.get(i).cloned().unwrap_or(Value::None);
        match name {
            "add" => {
                let key = self.key(&arg(0))?;
                if matches!(self.heap.get(id), Obj::Set(set) if set.map.contains_key(&key)) {
                    return Ok(Value::None);
                }
                self.spend(64)?;
                if let Obj::Set(set) = self.heap.get_mut(id) {
                    set.map.insert(key, arg(0));
                    set.version += 1;
                }
                Ok(Value::None)
            }
            "remove" | "discard" => {
                let key = self.member_key(id, &arg(0))?;
                if !matches!(self.heap.get(id), Obj::Set(set) if set.map.contains_key(&key)) {
                    return if name == "discard" { Ok(Value::None) } else { Err(self.key_error(&arg(0))?) };
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
                    let error = self.key_error(&Value::str("pop from an empty set"))?;
                    return Err(error);
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
            "issubset" | "issuperset" | "isdisjoint" => {
                let other = self.set_from(&arg(0))?;
                let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
                let (result, cost) = match name {
                    "issubset" => (own.map.keys().all(|k| other.map.contains_key(k)), size),
                    "issuperset" => (other.map.keys().all(|k| own.map.contains_key(k)), other.map.len()),
                    _ => (!own.map.keys().any(|k| other.map.contains_key(k)), size),
                };
                self.work(cost)?;
                Ok(Value::Bool(result))
            }
            "copy" | "union" | "intersection" | "difference" | "symmetric_difference" => {
                let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
                let mut result = own.clone();
                self.spend_times(size, 64)?;
                for other in args {
                    let other = self.set_from(other)?;
                    self.combine(set_operator(name), &mut result, other);
                }
                self.alloc(Obj::Set(result))
            }
            "update" | "intersection_update" | "difference_update" | "symmetric_difference_update" => {
                let Obj::Set(own) = self.heap.get(id) else { return Ok(Value::None) };
                let mut result = own.clone();
                self.work(size)?;
                for other in args {
                    let other = self.set_from(other)?;
                    self.combine(set_operator(name), &mut result, other);
                }
                self.put_set(id, result);
                Ok(Value::None)
            }
            _ => Err(unsupported!("set.{name}")),
        }
    }
}

fn set_operator(name: &str) -> Operator {
    match name {
        "intersection" | "intersection_update" => Operator::BitAnd,
        "difference" | "difference_update" => Operator::Sub,
        "symmetric_difference" | "symmetric_difference_update" => Operator::BitXor,
        _ => Operator::BitOr,
    }
}
