//! Evaluates expressions.

use std::sync::Arc;

use super::code::{Bounds, Call, Clause, CmpOp, Comp, ConversionFlag, Element, Fallback, Node, Piece, Variable};
use super::fault::{ExcKind, Stop};
use super::relate::no_iterable;
use super::types::{Member, Type, member};
use super::value::{Dict, Entry, Generator, IterState, Name, Obj, Set, Value};
use super::vm::{Args, Done, Keywords, Vm};

/// Start, stop and step of a slice as they are given: CPython looks at them when it knows that the container takes slices.
pub(crate) type SliceParts = [Value; 3];

pub(crate) type SliceBounds = (Option<i64>, Option<i64>, Option<i64>);

impl Vm {
    #[inline]
    pub(crate) fn eval(&mut self, node: &Node) -> Done<Value> {
        match node {
            // What needs no recursion is done at once.
            Node::Const(value) => Ok(value.clone()),
            Node::Local(slot, variable) => match self.slot(*slot) {
                Value::Unbound => Err(unbound(variable)),
                value => Ok(value.clone()),
            },
            _ => {
                self.tick()?;
                self.deeper(|vm| vm.eval_inner(node))
            }
        }
    }

    fn eval_inner(&mut self, node: &Node) -> Done<Value> {
        match node {
            Node::Const(_) | Node::Local(..) => self.eval(node),
            Node::Unsupported(what) => Err(Stop::Unsupported(what.clone())),
            Node::Cell(slot, variable) => match self.cell(*slot) {
                Value::Unbound => Err(unbound(variable)),
                value => Ok(value),
            },
            Node::Global(name, fallback) => self.load_global(name, *fallback),
            Node::ClassVar(name, outer) => {
                if let Some(value) = self.classes.last().and_then(|names| names.get(name)) {
                    return Ok(value.clone());
                }
                self.eval(outer)
            }
            Node::Attr(object, name) => {
                let object = self.eval(object)?;
                self.get_attr(&object, name)
            }
            Node::Subscript(object, index) => {
                let object = self.eval(object)?;
                let index = self.eval(index)?;
                self.get_item(&object, &index)
            }
            Node::Slice(parts) => {
                let object = self.eval(&parts.0)?;
                let bounds = self.bounds(&parts.1)?;
                self.get_slice(&object, &bounds)
            }
            Node::Call(call) => self.eval_call(call),
            Node::Compare(first, rest) => self.compare(first, rest),
            Node::And(values) => self.first_of(values, false),
            Node::Or(values) => self.first_of(values, true),
            Node::Not(operand) => {
                let value = self.eval(operand)?;
                Ok(Value::Bool(!self.truth(&value)?))
            }
            Node::Unary(op, operand) => {
                let value = self.eval(operand)?;
                self.unary(*op, &value)
            }
            Node::Binary(op, operands) => {
                let left = self.eval(&operands.0)?;
                let right = self.eval(&operands.1)?;
                self.binary(*op, &left, &right)
            }
            Node::If(parts) => {
                let test = self.eval(&parts.0)?;
                if self.truth(&test)? { self.eval(&parts.1) } else { self.eval(&parts.2) }
            }
            Node::Tuple(nodes) => {
                let items = self.items(nodes, true)?;
                self.new_tuple(items)
            }
            Node::List(nodes) => {
                let items = self.items(nodes, true)?;
                self.new_list(items)
            }
            Node::Set(nodes) => {
                let items = self.items(nodes, false)?;
                let set = self.set_of(items)?;
                self.alloc(Obj::Set(set))
            }
            Node::Starred(_) => Err(Stop::unsupported("a starred expression here")),
            Node::Dict(items) => self.dict_display(items),
            Node::Comp(comp) => self.comprehension(comp),
            Node::GenExp(parts) => {
                let first = self.eval(&parts.1)?;
                let first = self.start(&first)?;
                let code = parts.0.clone();
                self.spend(code.slots * 24)?;
                let mut locals = vec![Value::Unbound; code.slots];
                for (outer, inner) in &code.captures {
                    if let Some(place) = locals.get_mut(*inner) {
                        *place = self.slot(*outer).clone();
                    }
                }
                for slot in &code.cells {
                    let cell = self.alloc(Obj::Cell(Value::Unbound))?;
                    if let Some(place) = locals.get_mut(*slot) {
                        *place = cell;
                    }
                }
                let generator = Generator { code, locals, iters: vec![first] };
                self.alloc(Obj::Iter(IterState::Generator(Box::new(generator)), Type::Generator))
            }
            Node::Lambda(make) => self.make_function(make),
            Node::Walrus(parts) => {
                let value = self.eval(&parts.1)?;
                self.assign(&parts.0, value.clone())?;
                Ok(value)
            }
            Node::FString(pieces) => {
                let text = self.pieces(pieces)?;
                self.new_str(text)
            }
        }
    }

    /// The first of these whose truth is `wanted`, or the last.
    fn first_of(&mut self, nodes: &[Node], wanted: bool) -> Done<Value> {
        let mut last = Value::Bool(!wanted);
        for node in nodes {
            last = self.eval(node)?;
            if self.truth(&last)? == wanted {
                break;
            }
        }
        Ok(last)
    }

    pub(crate) fn load_global(&mut self, name: &Name, fallback: Fallback) -> Done<Value> {
        self.note_read(name);
        match self.global(name) {
            Some(Value::Unbound) => return Err(unsupported!("the name {name}")),
            Some(value) => return Ok(value.clone()),
            None => {}
        }
        match fallback {
            Fallback::Type(of) => Ok(Value::Type(of)),
            Fallback::Function(builtin) => Ok(Value::Builtin(builtin)),
            Fallback::NotOffered => Err(unsupported!("the name {name}")),
            Fallback::None => Err(exact!(NameError, "name '{name}' is not defined")),
        }
    }

    /// Elements of a display, starred ones spread. CPython words it apart where one of a list or tuple (`spread`) cannot be.
    fn items(&mut self, nodes: &[Node], spread: bool) -> Done<Vec<Value>> {
        let mut items = Vec::with_capacity(nodes.len());
        for node in nodes {
            match node {
                Node::Starred(inner) => {
                    let iterable = self.eval(inner)?;
                    items.extend(self.collect(&iterable).map_err(|stop| match stop {
                        Stop::Raise(raised) if spread && raised.message == no_iterable(&self.type_name(&iterable)) => {
                            type_error!("Value after * must be an iterable, not {}", self.type_name(&iterable))
                        }
                        other => other,
                    })?);
                }
                node => items.push(self.eval(node)?),
            }
        }
        Ok(items)
    }

    pub(crate) fn set_of(&mut self, items: Vec<Value>) -> Done<Set> {
        let mut set = Set::default();
        set.map.reserve(items.len());
        for item in items {
            self.set_add(&mut set, item)?;
        }
        Ok(set)
    }

    pub(crate) fn set_add(&mut self, set: &mut Set, item: Value) -> Done<()> {
        let key = self.key(&item)?;
        self.spend(64)?;
        if let indexmap::map::Entry::Vacant(place) = set.map.entry(key) {
            place.insert(item);
            set.version += 1;
        }
        Ok(())
    }

    pub(crate) fn dict_insert(&mut self, dict: &mut Dict, key: Value, value: Value) -> Done<()> {
        let k = self.key(&key)?;
        self.spend(96)?;
        match dict.map.get_mut(&k) {
            Some(entry) => entry.value = value,
            None => {
                dict.map.insert(k, Entry { key, value });
                dict.version += 1;
            }
        }
        Ok(())
    }

    pub(crate) fn entries(&self, value: &Value) -> Option<Vec<Entry>> {
        if let Obj::Dict(dict) = self.obj(value)? { Some(dict.map.values().cloned().collect()) } else { None }
    }

    fn dict_display(&mut self, items: &[(Option<Node>, Node)]) -> Done<Value> {
        let mut dict = Dict::default();
        let mut wrong = None;
        for (i, (key, value)) in items.iter().enumerate() {
            match key {
                Some(key) => {
                    let key = self.eval(key)?;
                    let value = self.eval(value)?;
                    match self.dict_insert(&mut dict, key, value) {
                        Err(stop @ Stop::Raise(_)) if is_put_later(items, i) => {
                            wrong.get_or_insert(stop);
                        }
                        done => done?,
                    }
                }
                None => {
                    if let Some(stop) = wrong {
                        return Err(stop);
                    }
                    let mapping = self.eval(value)?;
                    let Some(entries) = self.entries(&mapping) else {
                        let name = self.type_name(&mapping);
                        return Err(type_error!("'{name}' object is not a mapping"));
                    };
                    for Entry { key, value } in entries {
                        self.dict_insert(&mut dict, key, value)?;
                    }
                }
            }
        }
        wrong.map_or(Ok(()), Err)?;
        self.alloc(Obj::Dict(dict))
    }

    pub(crate) fn bounds(&mut self, bounds: &Bounds) -> Done<SliceParts> {
        let mut part = |node: &Option<Node>| node.as_ref().map_or(Ok(Value::None), |node| self.eval(node));
        Ok([part(&bounds.lower)?, part(&bounds.upper)?, part(&bounds.step)?])
    }

    fn compare(&mut self, first: &Node, rest: &[(CmpOp, Node)]) -> Done<Value> {
        let mut left = self.eval(first)?;
        let mut result = Value::Bool(true);
        for (i, (op, node)) in rest.iter().enumerate() {
            let right = self.eval(node)?;
            result = Value::Bool(self.relate(*op, &left, &right)?);
            if i + 1 < rest.len() && matches!(result, Value::Bool(false)) {
                break;
            }
            left = right;
        }
        Ok(result)
    }

    fn eval_call(&mut self, call: &Call) -> Done<Value> {
        // `object.method(…)`: no bound method is made.
        if let Node::Attr(object, name) = &call.callee {
            let object = self.eval(object)?;
            let mut args = Args::new();
            if let Some(function) = self.method_of(&object, name)? {
                args.push(object);
                let keywords = self.arguments(call, &mut args)?;
                return self.call(&function, args, keywords);
            }
            let of = self.type_of(&object);
            if !matches!(of, Type::Instance | Type::Class)
                && let Some(Member::Method(takes)) = member(of, name)
            {
                let keywords = self.arguments(call, &mut args)?;
                return self.counted(|vm| vm.call_member(&object, name, takes, args, keywords));
            }
            let callee = self.get_attr(&object, name)?;
            let keywords = self.arguments(call, &mut args)?;
            return self.call(&callee, args, keywords);
        }
        let callee = self.eval(&call.callee)?;
        let mut args = Args::new();
        let keywords = self.arguments(call, &mut args)?;
        self.call(&callee, args, keywords)
    }

    fn arguments(&mut self, call: &Call, args: &mut Args) -> Done<Keywords> {
        for node in &call.args {
            match node {
                Node::Starred(inner) => {
                    let iterable = self.eval(inner)?;
                    let mut state = self.start(&iterable).map_err(|stop| match stop {
                        Stop::Raise(raised) => Stop::raise(raised.kind, "the value after * must be an iterable"),
                        other => other,
                    })?;
                    while let Some(value) = self.advance(&mut state)? {
                        self.spend(24)?;
                        args.push(value);
                    }
                }
                node => args.push(self.eval(node)?),
            }
        }
        let mut keywords = Keywords::new();
        for (name, node) in &call.keywords {
            let value = self.eval(node)?;
            match name {
                Some(name) => keywords.push((name.clone(), value)),
                None => {
                    let Some(entries) = self.entries(&value) else {
                        return Err(Stop::raise(ExcKind::TypeError, "argument after ** must be a mapping"));
                    };
                    for entry in entries {
                        let Value::Str(name) = entry.key else {
                            return Err(Stop::type_error("keywords must be strings"));
                        };
                        keywords.push((name, entry.value));
                    }
                }
            }
        }
        if call.starred {
            for (i, (name, _)) in keywords.iter().enumerate() {
                if keywords.iter().take(i).any(|(n, _)| n == name) {
                    return Err(rough!(TypeError, "multiple values for keyword argument '{name}'"));
                }
                self.work(i)?;
            }
        }
        Ok(keywords)
    }

    /// To CPython 3.11 it is a function that is called with the first iterable.
    fn comprehension(&mut self, comp: &Comp) -> Done<Value> {
        let iterable = comp.clauses.first().map_or(Ok(Value::None), |clause| self.eval(&clause.iter))?;
        let first = self.start(&iterable)?;
        self.counted(|vm| vm.comprehended(comp, first))
    }

    fn comprehended(&mut self, comp: &Comp, first: IterState) -> Done<Value> {
        for &(slot, cell) in &comp.own {
            let value = if cell { self.alloc(Obj::Cell(Value::Unbound))? } else { Value::Unbound };
            self.set_slot(slot, value);
        }
        match &comp.element {
            Element::List(node) => {
                let mut items = Vec::new();
                self.clauses(comp, 0, first, &mut |vm| {
                    let value = vm.eval(node)?;
                    vm.spend(24)?;
                    items.push(value);
                    Ok(())
                })?;
                self.alloc(Obj::List(items))
            }
            Element::Set(node) => {
                let mut set = Set::default();
                self.clauses(comp, 0, first, &mut |vm| {
                    let value = vm.eval(node)?;
                    vm.set_add(&mut set, value)
                })?;
                self.alloc(Obj::Set(set))
            }
            Element::Dict(key, value) => {
                let mut dict = Dict::default();
                self.clauses(comp, 0, first, &mut |vm| {
                    let key = vm.eval(key)?;
                    let value = vm.eval(value)?;
                    vm.dict_insert(&mut dict, key, value)
                })?;
                self.alloc(Obj::Dict(dict))
            }
        }
    }

    /// Runs the loop of a clause and those within it.
    fn clauses(
        &mut self,
        comp: &Comp,
        at: usize,
        mut state: IterState,
        body: &mut dyn FnMut(&mut Vm) -> Done<()>,
    ) -> Done<()> {
        let Some(clause) = comp.clauses.get(at) else { return Ok(()) };
        while let Some(value) = self.advance(&mut state)? {
            if !self.admits(clause, value)? {
                continue;
            }
            match comp.clauses.get(at + 1) {
                Some(inner) => {
                    let iterable = self.eval(&inner.iter)?;
                    let state = self.start(&iterable)?;
                    self.deeper(|vm| vm.clauses(comp, at + 1, state, body))?;
                }
                None => body(self)?,
            }
        }
        Ok(())
    }

    /// Binds the variables of a clause; whether its conditions hold.
    pub(crate) fn admits(&mut self, clause: &Clause, value: Value) -> Done<bool> {
        self.assign(&clause.target, value)?;
        for condition in &clause.conditions {
            let value = self.eval(condition)?;
            if !self.truth(&value)? {
                return Ok(false);
            }
        }
        Ok(true)
    }

    fn pieces(&mut self, pieces: &[Piece]) -> Done<String> {
        let mut out = String::new();
        for piece in pieces {
            match piece {
                Piece::Text(text) => out.push_str(text),
                Piece::Value { node, conversion, spec } => {
                    let value = self.eval(node)?;
                    let value = match conversion {
                        ConversionFlag::None => value,
                        ConversionFlag::Str => Value::Str(Arc::from(self.str_of(&value)?)),
                        ConversionFlag::Repr => Value::Str(Arc::from(self.repr(&value)?)),
                        ConversionFlag::Ascii => Value::Str(Arc::from(super::text::ascii(&self.repr(&value)?))),
                    };
                    let spec = if spec.is_empty() { String::new() } else { self.deeper(|vm| vm.pieces(spec))? };
                    let text = self.format_value(&value, &spec)?;
                    self.spend(text.len())?;
                    out.push_str(&text);
                }
            }
        }
        Ok(out)
    }
}

/// Whether CPython puts a pair of a display into the dictionary only when those behind it are evaluated too. It takes the pairs that
/// follow each other by seventeens, and puts them in one by one where there are more than fifteen.
#[cold]
fn is_put_later(items: &[(Option<Node>, Node)], at: usize) -> bool {
    let is_pair = |item: &&(Option<Node>, Node)| item.0.is_some();
    let before = items.iter().take(at).rev().take_while(is_pair).count();
    let all = before + items.iter().skip(at).take_while(is_pair).count();
    before >= (all + 1) / 17 * 17
}

/// The error of a variable that is not bound. To Python 3.11 a comprehension is a function, to 3.12 it is not.
#[cold]
fn unbound(Variable { name, is_free }: &Variable) -> Stop {
    if *is_free {
        let place = "where it is not associated with a value in enclosing scope";
        return exact!(NameError, "cannot access free variable '{name}' {place}");
    }
    exact!(UnboundLocalError, "cannot access local variable '{name}' where it is not associated with a value")
}
