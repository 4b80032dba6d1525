//! State of a program: the objects SETUP made, as calls have changed them. Calls, checks and questions on it.

use std::sync::Arc;

use super::assertion::Assertion;
use super::call::{Call, Literal};
use super::engine::code::{FunctionCode, Params};
use super::engine::compile;
use super::engine::fault::{ExcKind, Fault, Limits, Stop};
use super::engine::heap::{Heap, Slots, collect};
use super::engine::parse::with_module;
use super::engine::text::NO_TEXT;
use super::engine::value::{Attrs, Dict, Entry, Key, Obj, Value};
use super::engine::vm::{Args, Keywords, Vm};
use super::error::ProgramError;
use super::specification::{Function, GLOBALS, OBJECTS, Specification};

/// The result of checking an assertion.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum CheckResult {
    /// It raises nothing.
    Holds,
    /// It raises: `AssertionError` when it is false, or what its evaluation ran into.
    Raises {
        /// The exception's type.
        exception: String,
        /// Its message.
        message: String,
    },
    /// The engine does not offer something it uses: no verdict.
    Unsupported(String),
    /// It did not end within its budget.
    Budget(String),
}

impl CheckResult {
    /// Whether it holds.
    pub fn holds(&self) -> bool {
        *self == CheckResult::Holds
    }

    pub(super) fn of(result: Result<Value, Stop>) -> CheckResult {
        match result {
            Ok(_) => CheckResult::Holds,
            Err(Stop::Raise(raised)) => {
                CheckResult::Raises { exception: raised.kind.name().to_owned(), message: raised.message }
            }
            Err(Stop::Unsupported(what)) => CheckResult::Unsupported(what.to_string()),
            Err(Stop::Budget(what)) => CheckResult::Budget(what.to_owned()),
        }
    }
}

pub(super) const NO_CODE: &str = "this assertion in this function";

/// An expression as the body of a function, compiled.
#[derive(Debug, Clone)]
pub struct Expression(Arc<FunctionCode>);

impl Expression {
    /// `None` if it is no expression of the language.
    pub fn compile(text: &str, function: &Function) -> Option<Expression> {
        let code = with_module(text, |module| match module.body.as_slice() {
            [ruff_python_ast::Stmt::Expr(expr)] => compile::expression(text, &expr.value, &function.signature).ok(),
            _ => None,
        });
        code.ok().flatten().map(|code| Expression(Arc::new(code)))
    }
}

/// A state of a program. Cheap to clone: clones share what neither has changed.
#[derive(Clone)]
pub struct State {
    spec: Specification,
    slots: Slots,
    live: usize,
    /// How often its objects have changed their places.
    moves: u32,
}

impl std::fmt::Debug for State {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "state of {} ({} objects)", self.spec.name(), self.slots.len())
    }
}

impl Vm {
    /// A constant as a value; lists and dictionaries are made anew.
    fn value_of(&mut self, literal: &Literal) -> Value {
        match literal {
            Literal::List(items) => {
                let items = items.iter().map(|item| self.value_of(item)).collect();
                Value::Ref(self.heap.alloc(Obj::List(items)))
            }
            Literal::Dict(items) => {
                let mut dict = Dict::default();
                for (key, value) in items {
                    let (key, value) = (super::engine::value::literal(key), self.value_of(value));
                    dict.map.insert(Key::Str(key.clone()), Entry { key: Value::Str(key), value });
                }
                Value::Ref(self.heap.alloc(Obj::Dict(dict)))
            }
            plain => plain_value(plain).unwrap_or(Value::None),
        }
    }

    pub(super) fn values_of(&mut self, args: &[Literal]) -> Args {
        args.iter().map(|arg| self.value_of(arg)).collect()
    }
}

/// The value of a constant that holds no others.
pub(super) fn plain_value(literal: &Literal) -> Option<Value> {
    Some(match literal {
        Literal::None => Value::None,
        Literal::Bool(b) => Value::Bool(*b),
        Literal::Int(n) => Value::Int(*n),
        Literal::Long(n) => Value::big((*n).into()),
        Literal::Float(x) => Value::Float(*x),
        Literal::Str(s) => Value::Str(super::engine::value::literal(s)),
        Literal::Bytes(bytes) => Value::Bytes(bytes.as_slice().into()),
        Literal::Ellipsis => Value::Ellipsis,
        Literal::List(_) | Literal::Dict(_) => return None,
    })
}

impl State {
    pub(crate) fn new(spec: Specification, slots: Slots) -> State {
        let live = slots.len();
        State { spec, slots, live, moves: 0 }
    }

    /// The specification it is a state of.
    pub fn specification(&self) -> &Specification {
        &self.spec
    }

    pub(crate) fn slots(&self) -> &Slots {
        &self.slots
    }

    pub(crate) fn objects(&self) -> &Attrs {
        static NONE: Attrs = Attrs(Vec::new());
        match self.slots.get(OBJECTS.0 as usize).map(|o| &**o) {
            Some(Obj::Namespace(names)) => names,
            _ => &NONE,
        }
    }

    fn object(&self, name: &str) -> Result<Value, Stop> {
        match self.objects().get(name) {
            Some(value) => Ok(value.clone()),
            None => Err(Stop::exact(ExcKind::NameError, format!("name '{name}' is not defined"))),
        }
    }

    pub(crate) fn vm(&self, limits: Limits) -> Vm {
        Vm::new(Heap::new(self.slots.clone()), GLOBALS, limits)
    }

    /// Executes a call, its assertions included.
    pub fn call(&mut self, call: &Call) -> Result<(), Fault> {
        self.execute(call, false).map(|_| ())
    }

    /// Executes a call; an action without the assertions at the top of its body (its effects only), anything else as
    /// [`State::call`] does.
    pub fn call_unchecked(&mut self, call: &Call) -> Result<(), Fault> {
        self.call_observing(call).map(|_| ())
    }

    /// As [`State::call_unchecked`]; also reports which `defaultdict`s it looked at other than by an item, as marks of
    /// their places.
    /// Errors: the fault that stopped the call.
    pub fn call_observing(&mut self, call: &Call) -> Result<u64, Fault> {
        use super::specification::Role;
        let action = self.spec.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Action);
        self.execute(call, action)
    }

    /// How often its objects have changed their places so far.
    pub fn moves(&self) -> u32 {
        self.moves
    }

    fn execute(&mut self, call: &Call, unchecked: bool) -> Result<u64, Fault> {
        let object = self.object(&call.receiver).map_err(|stop| Fault::from_stop(stop, Some(call.to_string())))?;
        let mut vm = Vm::new(Heap::new(std::mem::take(&mut self.slots)), GLOBALS, Limits::CALL);
        if unchecked {
            vm.unchecked_at = Some(1);
        }
        let args = vm.values_of(&call.args);
        let keywords: Keywords =
            call.named.iter().map(|(name, value)| (Arc::from(name.as_str()), vm.value_of(value))).collect();
        let name: Arc<str> = Arc::from(call.function.as_str());
        match vm.call_named(&object, &name, args, keywords) {
            Ok(_) => {
                let observed = vm.heap.observed();
                self.keep(vm);
                Ok(observed)
            }
            Err(stop) => {
                let stopped = vm.stopped;
                self.slots = vm.heap.into_base();
                Err(Fault::at(stop, stopped, Some(call.to_string())))
            }
        }
    }

    fn keep(&mut self, vm: Vm) {
        self.slots = vm.heap.settle();
        self.moves += u32::from(collect(&mut self.slots, OBJECTS.0 as usize + 1, &mut self.live));
    }

    /// Checks an assertion as the body of a function called with these arguments. The state does not change.
    pub fn check(&self, assertion: &Assertion, function: &Function, args: &[Literal]) -> CheckResult {
        self.check_traced(assertion, function, args).0
    }

    /// As [`State::check`]; also reports whether the evaluation would have changed the state (reading a missing key of a
    /// `defaultdict` does).
    pub fn check_traced(&self, assertion: &Assertion, function: &Function, args: &[Literal]) -> (CheckResult, bool) {
        let (result, vm) = self.checked(assertion, function, args);
        (result, vm.heap.differs())
    }

    /// As [`State::check`], but what the evaluation changes stays, as in a real execution; reports whether it changed anything.
    pub fn check_in_place(
        &mut self,
        assertion: &Assertion,
        function: &Function,
        args: &[Literal],
    ) -> (CheckResult, bool) {
        let (result, vm) = self.checked(assertion, function, args);
        let differs = vm.heap.differs();
        if differs {
            self.slots = Slots::default();
            self.keep(vm);
        }
        (result, differs)
    }

    /// Runs a line of a function's body with these arguments and keeps what it changes. One that raises changes nothing.
    pub(super) fn keep_line(&mut self, code: &Arc<FunctionCode>, function: &Function, args: &[Literal]) -> CheckResult {
        let mut vm = self.vm(Limits::CALL);
        let args = vm.values_of(args);
        let result = CheckResult::of(self.run_code(&mut vm, code, function, &args));
        if result.holds() && vm.heap.differs() {
            self.slots = Slots::default();
            self.keep(vm);
        }
        result
    }

    /// Checks assertions one after the other as in one function body: what one of them changes the next finds.
    /// Those after one that fails are still checked. The state does not change.
    pub(crate) fn check_each<'a, 'f>(
        &self,
        assertions: &'a [Assertion],
        function: &'f Function,
        args: &'f [Literal],
    ) -> impl Iterator<Item = (&'a Assertion, CheckResult)> + use<'a, 'f> {
        let mut scratch = self.clone();
        assertions.iter().map(move |assertion| (assertion, scratch.check_in_place(assertion, function, args).0))
    }

    fn checked(&self, assertion: &Assertion, function: &Function, args: &[Literal]) -> (CheckResult, Vm) {
        let mut vm = self.vm(Limits::ASSERTION);
        let result = match assertion.code(&function.signature) {
            Some(code) => {
                if assertion.may_recurse(function) {
                    self.set_body(&mut vm, function, &code);
                }
                let args = vm.values_of(args);
                self.run_code(&mut vm, &code, function, &args)
            }
            None => Err(Stop::unsupported(NO_CODE)),
        };
        (CheckResult::of(result), vm)
    }

    /// Makes code what a function does where it is called.
    pub(super) fn set_body(&self, vm: &mut Vm, function: &Function, code: &Arc<FunctionCode>) {
        let Ok(Value::Ref(object)) = self.object(&function.receiver) else { return };
        let Obj::Instance { class, .. } = vm.heap.peek(object) else { return };
        if let Some(Value::Ref(id)) = vm.class_attr(*class, &function.name) {
            vm.own = Some((id, Arc::clone(code)));
        }
    }

    pub(super) fn run_code(
        &self,
        vm: &mut Vm,
        code: &Arc<FunctionCode>,
        function: &Function,
        args: &[Value],
    ) -> Result<Value, Stop> {
        let object = self.object(&function.receiver)?;
        let params = &function.signature;
        let given = args.len() + 1;
        let plain = params.keyword_only.is_empty();
        if params.star.is_none() && plain && given != params.names.len() || given < params.names.len() {
            return Err(Stop::raise(
                ExcKind::TypeError,
                format!("{}() takes {} arguments, {} given", function.name, params.names.len() - 1, args.len()),
            ));
        }
        if !plain || params.double_star.is_some() && params.star.is_some() {
            return Err(Stop::unsupported("assertions in functions with keyword parameters"));
        }
        if params.double_star.is_some() {
            // What else was given is no parameter of the assertion.
            let others = vm.alloc(Obj::Dict(Dict::default()))?;
            return vm.run_code(code, std::iter::once(object).chain(args.iter().cloned()).chain([others]));
        }
        if params.star.is_none() {
            return vm.run_code(code, std::iter::once(object).chain(args.iter().cloned()));
        }
        let (first, rest) = args.split_at(params.names.len() - 1);
        let rest = vm.new_tuple(rest.to_vec())?;
        vm.run_code(code, std::iter::once(object).chain(first.iter().cloned()).chain(std::iter::once(rest)))
    }

    /// The values of the parts of an assertion that show why it holds or fails, as text, in order of appearance.
    pub fn explain(&self, assertion: &Assertion, function: &Function, args: &[Literal]) -> Vec<(String, String)> {
        if self.object(&function.receiver).is_err()
            || function.signature.star.is_some()
            || args.len() + 1 != function.signature.names.len()
        {
            return Vec::new();
        }
        let mut out = Vec::new();
        for (text, code) in assertion.telling_parts(&function.signature).iter() {
            let mut vm = self.vm(Limits::ASSERTION);
            let args = vm.values_of(args);
            match self.run_code(&mut vm, code, function, &args).and_then(|value| vm.repr(&value)) {
                Ok(value) => out.push((text.clone(), value)),
                Err(Stop::Raise(raised)) => out.push((text.clone(), format!("raises {}", raised.kind.name()))),
                Err(_) => {}
            }
        }
        out
    }

    /// The value of an expression as the body of a function called with these arguments, as JSON. The state does not change.
    /// Errors: as an assertion's result.
    pub fn value(
        &self,
        expression: &Expression,
        function: &Function,
        args: &[Literal],
    ) -> Result<serde_json::Value, CheckResult> {
        self.read(expression, function, args, |heap, value| super::variables::json_of(heap, &Attrs::default(), value))
    }

    /// As [`State::value`], with the value's image: equal to another's where the values are equal in Python.
    pub(super) fn value_and_image(
        &self,
        expression: &Expression,
        function: &Function,
        args: &[Literal],
    ) -> Result<(serde_json::Value, serde_json::Value), CheckResult> {
        self.read(expression, function, args, |heap, value| {
            let shown = super::variables::json_of(heap, &Attrs::default(), value);
            (shown, super::variables::image_of(heap, value))
        })
    }

    fn read<T>(
        &self,
        expression: &Expression,
        function: &Function,
        args: &[Literal],
        of: impl FnOnce(&Heap, &Value) -> T,
    ) -> Result<T, CheckResult> {
        let mut vm = self.vm(Limits::CALL);
        let args = vm.values_of(args);
        match self.run_code(&mut vm, &expression.0, function, &args) {
            Ok(value) => Ok(of(&vm.heap, &value)),
            Err(stop) => Err(CheckResult::of(Err(stop))),
        }
    }

    /// Evaluates an expression in which the objects are visible by name; the state does not change. Gives its `repr` and
    /// its value as JSON.
    pub fn evaluate(&self, expression: &str) -> Result<(String, serde_json::Value), Fault> {
        let objects = self.objects();
        let names = objects.0.iter().map(|(n, _)| n.clone()).collect();
        let params = Params { names, python: self.spec.declarations().python, ..Params::default() };
        let text = expression.trim();
        let code = with_module(text, |module| match module.body.as_slice() {
            [ruff_python_ast::Stmt::Expr(expr)] => compile::expression(text, &expr.value, &params)
                .map_err(|failure| ProgramError::of_compile("expression", text, failure).message),
            _ => Err("not one expression".to_owned()),
        })
        .map_err(|failure| ProgramError::of_parse("expression", text, failure).message)
        .and_then(|r| r);
        let code = match code {
            Ok(code) => Arc::new(code),
            Err(message) => {
                return Err(Fault {
                    kind: super::FaultKind::Exception("SyntaxError".into()),
                    message,
                    line: None,
                    call: Some(text.to_owned()),
                });
            }
        };
        let mut vm = self.vm(Limits::CALL);
        let values: Vec<Value> = objects.0.iter().map(|(_, v)| v.clone()).collect();
        let result = vm.run_code(&code, values.into_iter()).and_then(|value| {
            let repr = match vm.repr(&value) {
                Err(Stop::Unsupported(what)) if &*what == NO_TEXT => format!("<{}>", vm.type_name(&value)),
                other => other?,
            };
            Ok((repr, super::variables::json_of(&vm.heap, objects, &value)))
        });
        result.map_err(|stop| Fault { line: None, ..Fault::from_stop(stop, Some(text.to_owned())) })
    }

    /// The objects' variables as JSON, for display: sets sorted, other objects as `<name>`, keys that are no texts by `repr`.
    pub fn variables(&self) -> serde_json::Value {
        super::variables::variables(self)
    }

    /// The variables here and in a `later` state, without what both certainly share. The differences between these are those between all
    /// [`State::variables`], and cost no more than what was changed.
    pub fn variables_apart(&self, later: &State) -> (serde_json::Value, serde_json::Value) {
        super::variables::apart(self, later)
    }

    /// A number that differs between states that differ, up to hash collisions; the order of dictionaries counts, that of
    /// sets does not.
    pub fn fingerprint(&self) -> u64 {
        super::variables::fingerprint(self)
    }
}
