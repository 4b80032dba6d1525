//! Attributes: of instances, classes, and the built-in types.

use super::fault::Stop;
use super::types::{Member, Type, is_special, member};
use super::value::{Name, Obj, Value};
use super::vm::{Done, Vm};

impl Vm {
    /// The function behind `object.name` when it is a method of the program's own class.
    #[inline]
    pub(crate) fn method_of(&self, object: &Value, name: &Name) -> Done<Option<Value>> {
        let Value::Ref(id) = object else { return Ok(None) };
        let Obj::Instance { class, attrs } = self.heap.peek(*id) else { return Ok(None) };
        self.note_read(name);
        if attrs.get(name).is_some() {
            return Ok(None);
        }
        Ok(self.class_attr(*class, name).filter(|v| self.is_function(v)))
    }

    fn is_function(&self, value: &Value) -> bool {
        matches!(value, Value::Ref(id) if matches!(self.heap.peek(*id), Obj::Function(_)))
    }

    pub(crate) fn get_attr(&mut self, object: &Value, name: &Name) -> Done<Value> {
        if name.starts_with("__") {
            return self.dunder(object, name);
        }
        match object {
            Value::Ref(id) => match self.heap.get(*id) {
                Obj::Instance { class, attrs } => {
                    self.note_read(name);
                    if let Some(value) = attrs.get(name) {
                        return Ok(value.clone());
                    }
                    match self.class_attr(*class, name) {
                        Some(value) if self.is_function(&value) => {
                            self.alloc(Obj::Method { function: value, this: object.clone() })
                        }
                        Some(value) => Ok(value),
                        None => Err(self.no_attribute(object, name)),
                    }
                }
                Obj::Class(class) => {
                    let class_name = class.name.clone();
                    self.note_read(name);
                    match self.class_attr(*id, name) {
                        Some(value) => Ok(value),
                        None if &**name == "mro" => Err(Stop::unsupported("mro")),
                        None => Err(exact!(AttributeError, "type object '{class_name}' has no attribute '{name}'")),
                    }
                }
                Obj::Collections => match &**name {
                    "defaultdict" => Ok(Value::Type(Type::DefaultDict)),
                    _ => Err(unsupported!("collections.{name}")),
                },
                Obj::Exception { args, exact, .. } => match &**name {
                    "args" if *exact => {
                        let args = args.clone();
                        self.new_tuple(args)
                    }
                    _ => Err(unsupported!("the attribute {name} of exceptions")),
                },
                Obj::Range(start, stop, step) => match &**name {
                    "start" => Ok(Value::Int(*start)),
                    "stop" => Ok(Value::Int(*stop)),
                    "step" => Ok(Value::Int(*step)),
                    _ => self.builtin_attr(object, name),
                },
                Obj::Dict(dict) if &**name == "default_factory" && dict.factory.is_some() => {
                    Ok(dict.factory.clone().unwrap_or(Value::None))
                }
                Obj::Function(_) | Obj::Method { .. } => Err(self.no_attribute(object, name)),
                _ => self.builtin_attr(object, name),
            },
            Value::Int(_) | Value::Bool(_) | Value::Float(_) | Value::Big(_) => match (&**name, object) {
                ("real" | "numerator", Value::Bool(b)) => Ok(Value::Int(i64::from(*b))),
                ("real", _) | ("numerator", Value::Int(_) | Value::Big(_)) => Ok(object.clone()),
                ("imag", Value::Float(_)) => Ok(Value::Float(0.0)),
                ("imag", _) => Ok(Value::Int(0)),
                ("denominator", Value::Int(_) | Value::Bool(_) | Value::Big(_)) => Ok(Value::Int(1)),
                _ => self.builtin_attr(object, name),
            },
            Value::Type(Type::Exc(_) | Type::Class) => Err(self.method_not_offered(object, name)),
            Value::Type(of) => match member(*of, name) {
                Some(Member::Method(..)) => self.alloc(Obj::BuiltinMethod { this: object.clone(), name: name.clone() }),
                None if &**name != "mro" => {
                    Err(exact!(AttributeError, "type object '{}' has no attribute '{name}'", of.name()))
                }
                _ => Err(unsupported!("{}.{name}", of.name())),
            },
            _ => self.builtin_attr(object, name),
        }
    }

    fn builtin_attr(&mut self, object: &Value, name: &Name) -> Done<Value> {
        match member(self.type_of(object), name) {
            Some(Member::Method(..)) => self.alloc(Obj::BuiltinMethod { this: object.clone(), name: name.clone() }),
            Some(Member::Data) => Err(unsupported!("the attribute {name}")),
            None => Err(self.no_attribute(object, name)),
        }
    }

    fn no_attribute(&self, object: &Value, name: &str) -> Stop {
        // A method is asked for what it has not as its function is.
        let name_of = self.type_name(object);
        let of = if self.type_of(object) == Type::Method { "function" } else { &*name_of };
        exact!(AttributeError, "'{of}' object has no attribute '{name}'")
    }

    fn dunder(&mut self, object: &Value, name: &str) -> Done<Value> {
        match name {
            "__name__" => match object {
                Value::Type(of) => return Ok(Value::str(of.name().trim_start_matches("types."))),
                Value::Builtin(builtin) => return Ok(Value::str(builtin.name())),
                Value::Ref(id) => match self.heap.get(*id) {
                    Obj::Class(class) => return Ok(Value::Str(class.name.clone())),
                    Obj::Function(function) => return Ok(Value::Str(function.code.name.clone())),
                    _ => {}
                },
                _ => {}
            },
            "__class__" => return self.class_value(object),
            _ => {}
        }
        let data = match object {
            Value::Type(_) | Value::Builtin(_) => false,
            Value::Ref(id) => {
                matches!(self.heap.get(*id), Obj::List(_) | Obj::Tuple(_) | Obj::Dict(_) | Obj::Set(_) | Obj::Range(..))
            }
            _ => true,
        };
        if data && !is_special(name) {
            return Err(self.no_attribute(object, name));
        }
        Err(unsupported!("the attribute {name}"))
    }

    /// `type(object)`.
    pub(crate) fn class_value(&self, object: &Value) -> Done<Value> {
        if let Value::Ref(id) = object
            && let Obj::Instance { class, .. } = self.heap.get(*id)
        {
            return Ok(Value::Ref(*class));
        }
        Ok(Value::Type(self.type_of(object)))
    }

    pub(crate) fn set_attr(&mut self, object: &Value, name: &Name, value: Value) -> Done<()> {
        if name.starts_with("__") {
            return Err(unsupported!("the attribute {name}"));
        }
        if let Value::Ref(id) = object {
            match self.heap.get(*id) {
                Obj::Instance { attrs, .. } | Obj::Class(super::value::Class { attrs, .. }) => {
                    if attrs.get(name).is_none() {
                        self.spend(40)?;
                    }
                    self.note_read(name);
                    if let Obj::Instance { attrs, .. } | Obj::Class(super::value::Class { attrs, .. }) =
                        self.heap.get_mut(*id)
                    {
                        if attrs.0.len() >= 1024 {
                            return Err(Stop::Budget("size"));
                        }
                        attrs.set(name, value);
                    }
                    return Ok(());
                }
                Obj::Function(_) | Obj::Collections | Obj::Exception { .. } | Obj::Method { .. } => {
                    return Err(Stop::unsupported("attributes of this"));
                }
                Obj::Dict(dict) if dict.factory.is_some() => return Err(Stop::unsupported("attributes of this")),
                _ => {}
            }
        }
        if let Value::Type(of) = object {
            let module = if *of == Type::DefaultDict { "collections." } else { "" };
            return Err(type_error!("cannot set '{name}' attribute of immutable type '{module}{}'", of.name()));
        }
        match member(self.type_of(object), name) {
            Some(Member::Method(_)) => {
                let of = self.type_name(object);
                return Err(exact!(AttributeError, "'{of}' object attribute '{name}' is read-only"));
            }
            // Of what is no method CPython says it in several ways.
            Some(Member::Data) => return Err(rough!(AttributeError, "attribute '{name}' is read-only")),
            None => {}
        }
        Err(self.no_attribute(object, name))
    }

    pub(crate) fn delete_attr(&mut self, object: &Value, name: &Name) -> Done<()> {
        if let Value::Ref(id) = object
            && matches!(self.heap.get(*id), Obj::Instance { .. } | Obj::Class(_))
        {
            self.note_read(name);
            let removed = match self.heap.get_mut(*id) {
                Obj::Instance { attrs, .. } => attrs.remove(name),
                Obj::Class(class) => class.attrs.remove(name),
                _ => false,
            };
            if removed {
                return Ok(());
            }
            return match self.obj(object) {
                Some(Obj::Class(class)) => {
                    Err(exact!(AttributeError, "type object '{}' has no attribute '{name}'", class.name))
                }
                _ => Err(self.no_attribute(object, name)),
            };
        }
        Err(Stop::unsupported("deleting attributes of this"))
    }
}
