//! Executes statements.

use super::code::{
    Body, ClassDef, Handler, Imported, MakeFunction, Node, Operator, Place, Stmt, StmtKind, Target, Try,
};
use super::fault::{ExcKind, Raised, Stop};
use super::types::Type;
use super::value::{Attrs, Class, Function, IterState, Obj, Value};
use super::vm::{Done, Vm};

pub(crate) enum Flow {
    Next,
    Break,
    Continue,
    Return(Value),
}

impl Vm {
    pub(crate) fn block(&mut self, block: &[Stmt]) -> Done<Flow> {
        for stmt in block {
            match self.stmt(stmt) {
                Ok(Flow::Next) => {}
                Ok(flow) => return Ok(flow),
                Err(Stop::Raise(mut raised)) => {
                    raised.line.get_or_insert(stmt.line);
                    return Err(Stop::Raise(raised));
                }
                Err(stop) => {
                    self.stopped.get_or_insert(stmt.line);
                    return Err(stop);
                }
            }
        }
        Ok(Flow::Next)
    }

    fn inner_block(&mut self, block: &[Stmt]) -> Done<Flow> {
        self.deeper(|vm| vm.block(block))
    }

    fn stmt(&mut self, stmt: &Stmt) -> Done<Flow> {
        self.tick()?;
        match &stmt.kind {
            StmtKind::Expr(node) => {
                self.eval(node)?;
            }
            StmtKind::Assign(targets, node) => {
                let value = self.eval(node)?;
                for target in targets {
                    self.assign(target, value.clone())?;
                }
            }
            StmtKind::Annotated(assigned, annotation) => {
                if let Some((target, node)) = assigned {
                    let value = self.eval(node)?;
                    self.assign(target, value)?;
                }
                for node in annotation {
                    self.eval(node)?;
                }
            }
            StmtKind::AugAssign(parts) => self.augmented(&parts.0, parts.1, &parts.2)?,
            StmtKind::Assert(test, message) => {
                if self.unchecked_at == Some(self.frames) {
                    return Ok(Flow::Next);
                }
                let value = self.eval(test)?;
                if !self.truth(&value)? {
                    return Err(self.failed_assertion(message.as_ref())?);
                }
            }
            StmtKind::If(arms, or_else) => {
                for (test, body) in arms {
                    let value = self.eval(test)?;
                    if self.truth(&value)? {
                        return self.inner_block(body);
                    }
                }
                return self.inner_block(or_else);
            }
            StmtKind::While(test, body, or_else) => loop {
                self.tick()?;
                let value = self.eval(test)?;
                if !self.truth(&value)? {
                    return self.inner_block(or_else);
                }
                match self.inner_block(body)? {
                    Flow::Next | Flow::Continue => {}
                    Flow::Break => break,
                    flow => return Ok(flow),
                }
            },
            StmtKind::For(target, iter, body, or_else) => {
                let iterable = self.eval(iter)?;
                let mut state = self.start(&iterable)?;
                loop {
                    let Some(value) = self.advance(&mut state)? else { return self.inner_block(or_else) };
                    self.assign(target, value)?;
                    match self.inner_block(body)? {
                        Flow::Next | Flow::Continue => {}
                        Flow::Break => break,
                        flow => return Ok(flow),
                    }
                }
            }
            StmtKind::Break => return Ok(Flow::Break),
            StmtKind::Continue => return Ok(Flow::Continue),
            StmtKind::Pass => {}
            StmtKind::Return(None) => return Ok(Flow::Return(Value::None)),
            StmtKind::Return(Some(node)) => return Ok(Flow::Return(self.eval(node)?)),
            StmtKind::Delete(targets) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            StmtKind::Function(target, make) => {
                let function = self.make_function(make)?;
                self.assign(target, function)?;
            }
            StmtKind::Class(def) => self.class(def)?,
            StmtKind::Import(names) => {
                for (what, target) in names {
                    let value = match (what, target) {
                        (Imported::DefaultDict, _) => Value::Type(Type::DefaultDict),
                        (Imported::Collections, _) => self.alloc(Obj::Collections)?,
                        // That it is not offered is said where the name is read, which is known of global names.
                        (Imported::NotOffered(_), Target::Global(_)) => Value::Unbound,
                        (Imported::NotOffered(what), _) => return Err(Stop::Unsupported(what.clone())),
                    };
                    self.assign(target, value)?;
                }
            }
            StmtKind::Raise(what) => return Err(self.raise(what.as_ref())?),
            StmtKind::RaiseFrom(parts) => return Err(self.raise_from(&parts.0, &parts.1)?),
            StmtKind::Try(block) => return self.try_block(block),
        }
        Ok(Flow::Next)
    }

    fn failed_assertion(&mut self, message: Option<&Node>) -> Done<Stop> {
        let Some(node) = message else {
            return Ok(Stop::with_args(ExcKind::AssertionError, String::new(), Vec::new(), true));
        };
        let value = self.eval(node)?;
        self.raised(ExcKind::AssertionError, vec![value], true)
    }

    /// An exception with these arguments, as raised.
    fn raised(&mut self, kind: ExcKind, args: Vec<Value>, exact: bool) -> Done<Stop> {
        let message = match self.exception_text(kind, &args) {
            // An exception may carry what has no text here; it is still raised.
            Err(Stop::Unsupported(_)) => String::from("(a value)"),
            other => other?,
        };
        Ok(Stop::with_args(kind, message, args, exact))
    }

    fn raise(&mut self, what: Option<&Node>) -> Done<Stop> {
        let value = match what {
            Some(node) => self.eval(node)?,
            None => match self.handling.last() {
                Some(value) => value.clone(),
                None => return Ok(Stop::type_error("No active exception to reraise").into_runtime_error()),
            },
        };
        self.thrown(&value)
    }

    /// That the cause is kept shows nowhere here.
    fn raise_from(&mut self, what: &Node, cause: &Node) -> Done<Stop> {
        let (what, cause) = (self.eval(what)?, self.eval(cause)?);
        let is_exception = |value: &Value| {
            matches!(value, Value::Type(Type::Exc(_))) || matches!(self.obj(value), Some(Obj::Exception { .. }))
        };
        if is_exception(&what) && !is_exception(&cause) && !matches!(cause, Value::None) {
            return Ok(Stop::type_error("exception causes must derive from BaseException"));
        }
        self.thrown(&what)
    }

    fn thrown(&mut self, value: &Value) -> Done<Stop> {
        match value {
            Value::Type(Type::Exc(kind)) => self.raised(*kind, Vec::new(), true),
            _ => match self.obj(value) {
                Some(Obj::Exception { kind, args, exact }) => {
                    let (kind, args, exact) = (*kind, args.clone(), *exact);
                    self.raised(kind, args, exact)
                }
                _ => Ok(Stop::type_error("exceptions must derive from BaseException")),
            },
        }
    }

    fn try_block(&mut self, block: &Try) -> Done<Flow> {
        let result = self.try_handlers(block);
        // A spent budget or an unknown construct ends everything: no handler and no `finally` may hide it.
        if matches!(result, Err(Stop::Budget(_) | Stop::Unsupported(_))) || block.finally.is_empty() {
            return result;
        }
        // What waits to be raised again is the exception being handled meanwhile.
        let pending = match &result {
            Err(Stop::Raise(raised)) => Some(self.exception(raised)?),
            _ => None,
        };
        let outer = self.handling.len();
        self.handling.extend(pending);
        let finally = self.inner_block(&block.finally);
        self.handling.truncate(outer);
        match finally? {
            Flow::Next => result,
            flow => Ok(flow),
        }
    }

    /// What was raised, as a value.
    fn exception(&mut self, raised: &Raised) -> Done<Value> {
        let message = Some(&raised.message).filter(|text| !text.is_empty());
        let args = raised.args.clone().unwrap_or_else(|| message.map(|text| Value::str(text)).into_iter().collect());
        self.alloc(Obj::Exception { kind: raised.kind, args, exact: raised.exact })
    }

    fn try_handlers(&mut self, block: &Try) -> Done<Flow> {
        let raised = match self.inner_block(&block.body) {
            Ok(Flow::Next) => return self.inner_block(&block.or_else),
            Ok(flow) => return Ok(flow),
            Err(Stop::Raise(raised)) => raised,
            Err(stop) => return Err(stop),
        };
        for handler in &block.handlers {
            if !self.catches(handler, raised.kind)? {
                continue;
            }
            let exception = self.exception(&raised)?;
            if let Some(target) = &handler.target {
                self.assign(target, exception.clone())?;
            }
            self.handling.push(exception);
            let result = self.inner_block(&handler.body);
            self.handling.pop();
            if let Some(target) = &handler.target {
                // The name is gone after the handler, unless the handler itself deleted it.
                match self.delete(target) {
                    Ok(()) | Err(Stop::Raise(_)) => {}
                    Err(stop) => return Err(stop),
                }
            }
            return result;
        }
        Err(Stop::Raise(raised))
    }

    fn catches(&mut self, handler: &Handler, kind: ExcKind) -> Done<bool> {
        let Some(node) = &handler.kind else { return Ok(true) };
        let of = self.eval(node)?;
        let kinds = match self.obj(&of) {
            Some(Obj::Tuple(items)) => items.clone(),
            _ => vec![of],
        };
        for of in kinds {
            match of {
                Value::Type(Type::Exc(caught)) if kind.is_a(caught) => return Ok(true),
                Value::Type(Type::Exc(_)) => {}
                _ => {
                    return Err(Stop::type_error(
                        "catching classes that do not inherit from BaseException is not allowed",
                    ));
                }
            }
        }
        Ok(false)
    }

    pub(crate) fn assign(&mut self, target: &Target, value: Value) -> Done<()> {
        match target {
            Target::Local(slot) => self.set_slot(*slot, value),
            Target::Cell(slot) => self.set_cell(*slot, value),
            Target::Global(name) => self.set_global(name, value)?,
            Target::ClassVar(name) => {
                if let Some(names) = self.classes.last_mut() {
                    names.set(name, value);
                }
            }
            Target::Attr(object, name) => {
                let object = self.eval(object)?;
                self.set_attr(&object, name, value)?;
            }
            Target::Subscript(parts) => {
                let object = self.eval(&parts.0)?;
                let index = self.eval(&parts.1)?;
                self.set_item(&object, &index, value)?;
            }
            Target::Slice(parts) => {
                let object = self.eval(&parts.0)?;
                let bounds = self.bounds(&parts.1)?;
                self.set_slice(&object, &bounds, Some(&value))?;
            }
            Target::Unpack(before, starred) => self.unpack(before, starred.as_deref(), &value)?,
        }
        Ok(())
    }

    fn unpack(&mut self, before: &[Target], starred: Option<&(Target, Vec<Target>)>, value: &Value) -> Done<()> {
        let mut state = match self.start(value) {
            Err(Stop::Raise(_)) => {
                let name = self.type_name(value);
                return Err(type_error!("cannot unpack non-iterable {name} object"));
            }
            other => other?,
        };
        let least = before.len() + starred.map_or(0, |(_, after)| after.len());
        let mut values = Vec::new();
        loop {
            // One more than needed shows that there are too many; more are not asked for.
            if starred.is_none() && values.len() > least {
                return Err(exact!(ValueError, "too many values to unpack (expected {least})"));
            }
            match self.advance(&mut state)? {
                Some(value) => {
                    self.spend(24)?;
                    values.push(value);
                }
                None => break,
            }
        }
        if values.len() < least {
            let at_least = if starred.is_some() { "at least " } else { "" };
            return Err(exact!(
                ValueError,
                "not enough values to unpack (expected {at_least}{least}, got {})",
                values.len()
            ));
        }
        let mut values = values.into_iter();
        for target in before {
            let value = values.next().unwrap_or(Value::None);
            self.assign(target, value)?;
        }
        if let Some((star, after)) = starred {
            let middle = values.len().saturating_sub(after.len());
            let list: Vec<Value> = values.by_ref().take(middle).collect();
            let list = self.new_list(list)?;
            self.assign(star, list)?;
            for target in after {
                let value = values.next().unwrap_or(Value::None);
                self.assign(target, value)?;
            }
        }
        Ok(())
    }

    fn augmented(&mut self, place: &Place, op: Operator, operand: &Node) -> Done<()> {
        match place {
            Place::Variable(load, store) => {
                let old = self.eval(load)?;
                let new = self.changed(op, &old, operand)?;
                self.assign(store, new)
            }
            Place::Attr(object, name) => {
                let object = self.eval(object)?;
                let old = self.get_attr(&object, name)?;
                let new = self.changed(op, &old, operand)?;
                self.set_attr(&object, name, new)
            }
            Place::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                let old = self.get_item(&object, &index)?;
                let new = self.changed(op, &old, operand)?;
                self.set_item(&object, &index, new)
            }
        }
    }

    fn changed(&mut self, op: Operator, old: &Value, operand: &Node) -> Done<Value> {
        let operand = self.eval(operand)?;
        self.binary_in_place(op, old, &operand)
    }

    fn delete(&mut self, target: &Target) -> Done<()> {
        let unbound = || Stop::raise(ExcKind::UnboundLocalError, "the variable to delete is not bound");
        match target {
            Target::Local(slot) if matches!(self.slot(*slot), Value::Unbound) => return Err(unbound()),
            Target::Local(slot) => self.set_slot(*slot, Value::Unbound),
            Target::Cell(slot) if matches!(self.cell(*slot), Value::Unbound) => return Err(unbound()),
            Target::Cell(slot) => self.set_cell(*slot, Value::Unbound),
            Target::Global(name) => {
                self.note_read(name);
                let removed = match self.heap.get_mut(self.globals) {
                    Obj::Namespace(attrs) => attrs.remove(name),
                    _ => false,
                };
                if !removed {
                    return Err(exact!(NameError, "name '{name}' is not defined"));
                }
            }
            Target::ClassVar(name) => {
                if !self.classes.last_mut().is_some_and(|names| names.remove(name)) {
                    return Err(exact!(NameError, "name '{name}' is not defined"));
                }
            }
            Target::Attr(object, name) => {
                let object = self.eval(object)?;
                self.delete_attr(&object, name)?;
            }
            Target::Subscript(parts) => {
                let object = self.eval(&parts.0)?;
                let index = self.eval(&parts.1)?;
                self.delete_item(&object, &index)?;
            }
            Target::Slice(parts) => {
                let object = self.eval(&parts.0)?;
                let bounds = self.bounds(&parts.1)?;
                self.set_slice(&object, &bounds, None)?;
            }
            Target::Unpack(targets, None) => {
                for target in targets {
                    self.delete(target)?;
                }
            }
            Target::Unpack(..) => return Err(Stop::unsupported("deleting a starred target")),
        }
        Ok(())
    }

    pub(crate) fn make_function(&mut self, make: &MakeFunction) -> Done<Value> {
        let mut defaults = Vec::with_capacity(make.defaults.len());
        for node in &make.defaults {
            defaults.push(self.eval(node)?);
        }
        let mut kw_defaults = Vec::with_capacity(make.kw_defaults.len());
        for node in &make.kw_defaults {
            kw_defaults.push(match node {
                Some(node) => self.eval(node)?,
                None => Value::Unbound,
            });
        }
        for node in &make.annotations {
            self.eval(node)?;
        }
        let captured = make.code.captures.iter().map(|(outer, _)| self.slot(*outer).clone()).collect();
        self.alloc(Obj::Function(Function { code: make.code.clone(), defaults, kw_defaults, captured }))
    }

    fn class(&mut self, def: &ClassDef) -> Done<()> {
        let mut base = None;
        for node in &def.bases {
            match self.eval(node)? {
                Value::Type(Type::Object) if def.bases.len() == 1 => {}
                Value::Ref(id) if def.bases.len() == 1 && matches!(self.heap.get(id), Obj::Class(_)) => base = Some(id),
                _ => return Err(Stop::unsupported("classes with several bases or built-in ones")),
            }
        }
        let captured: Vec<Value> = def.body.captures.iter().map(|(outer, _)| self.slot(*outer).clone()).collect();
        let start = self.stack.len();
        self.stack.resize(start + def.body.slots, Value::Unbound);
        for ((_, slot), value) in def.body.captures.iter().zip(captured) {
            if let Some(place) = self.stack.get_mut(start + slot) {
                *place = value;
            }
        }
        self.classes.push(Attrs::default());
        let result = self.run_frame(&def.body, start);
        let attrs = self.classes.pop().unwrap_or_default();
        result?;
        // The text of an instance is not known anyway.
        let known = |name: &str| matches!(name, "__init__" | "__repr__" | "__str__");
        if let Some((name, _)) = attrs.0.iter().find(|(name, _)| name.starts_with("__") && !known(name)) {
            return Err(unsupported!("a class that defines {name}"));
        }
        debug_assert!(matches!(def.body.body, Body::Block(_)));
        let class = self.alloc(Obj::Class(Class { name: def.name.clone(), base, attrs }))?;
        self.assign(&def.target, class)
    }

    /// Whether a fresh iterator has another value: for `in` loops of builtins.
    pub(crate) fn each(&mut self, iterable: &Value, mut f: impl FnMut(&mut Vm, Value) -> Done<bool>) -> Done<()> {
        let mut state: IterState = self.start(iterable)?;
        while let Some(value) = self.advance(&mut state)? {
            if !f(self, value)? {
                break;
            }
        }
        Ok(())
    }
}

impl Stop {
    fn into_runtime_error(self) -> Stop {
        match self {
            Stop::Raise(mut raised) => {
                raised.kind = ExcKind::RuntimeError;
                Stop::Raise(raised)
            }
            other => other,
        }
    }
}
