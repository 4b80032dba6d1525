//! Specifications: classes whose methods are the actions and observations of a world, with assertions as preconditions.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use ruff_python_ast::{self as ast, Expr, ModModule, Stmt};
use ruff_text_size::{Ranged, TextRange};

use super::call::{Call, Literal};
use super::engine::code::{FunctionCode, Params};
use super::engine::compile;
use super::engine::fault::{Fault, Limits, Python, Stop};
use super::engine::heap::{Heap, Slots};
use super::engine::parse::with_module;
use super::engine::value::{Attrs, Id, Obj, Value};
use super::engine::vm::{Args, Keywords, Vm, with_first};
use super::error::ProgramError;
use super::state::State;

/// Slot of the module's namespace in every state.
pub(crate) const GLOBALS: Id = Id(0);
/// Slot of the namespace of the objects that SETUP makes.
pub(crate) const OBJECTS: Id = Id(1);

/// A specification's declarations about itself.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Declarations {
    /// Statements that make the objects: `env = Environment()`.
    pub setup: Vec<String>,
    /// The functions that are actions: `agent.goto`.
    pub actions: Vec<String>,
    /// The functions that are observations: `agent.update_visible_objects`.
    pub observations: Vec<String>,
    /// The Python that reads it and its assertions: `PYTHON = '3.12'`.
    pub python: Python,
}

/// The purpose of a function of a specification.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Role {
    /// A decision of the agent; its assertions are the preconditions.
    Action,
    /// A report of the world; it changes the state.
    Observation,
    /// Neither: asked by assertions.
    Query,
}

/// An assertion at the top level of a function's body.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SpecAssertion {
    /// The expression as written.
    pub expression: String,
    /// The message as written, if any.
    pub message: Option<String>,
    /// Its line in the specification, from 1.
    pub line: usize,
    range: TextRange,
}

/// A function of an object that SETUP makes.
#[derive(Debug, Clone)]
pub struct Function {
    /// The object: `agent`.
    pub receiver: String,
    /// Its class: `Agent`.
    pub class: String,
    /// The function: `take`.
    pub name: String,
    /// Parameters after `self`; `*name` for one that takes the rest.
    pub params: Vec<String>,
    /// How many of the last of them need not be given and are `None` then.
    pub optional: usize,
    /// Its purpose.
    pub role: Role,
    /// The assertions at the top of its body, in order.
    pub assertions: Vec<SpecAssertion>,
    /// Line of its `def`, from 1.
    pub line: usize,
    /// All parameters with `self`, as assertions see them.
    pub(crate) signature: Arc<Params>,
    body: TextRange,
    indent: String,
}

impl Function {
    /// `agent.take`
    pub fn path(&self) -> String {
        format!("{}.{}", self.receiver, self.name)
    }

    /// A call's arguments in the order of the parameters, `None` for those that need not be given and are not.
    /// Errors: in words, where Python would raise a `TypeError` for a name.
    pub fn arguments<'a>(&self, call: &'a Call) -> Result<Cow<'a, [Literal]>, String> {
        let places = self.signature.names.len().saturating_sub(1);
        if call.named.is_empty() && (self.optional == 0 || call.args.len() >= places) {
            return Ok(Cow::Borrowed(&call.args));
        }
        let mut args: Vec<Option<Literal>> = call.args.iter().cloned().map(Some).collect();
        let needed = places.saturating_sub(self.optional);
        for (name, value) in &call.named {
            let Some(at) = self.params.iter().position(|p| p == name) else {
                if self.signature.double_star.is_some() {
                    continue;
                }
                return Err(format!("{}() got an unexpected keyword argument '{name}'", self.name));
            };
            if args.len() <= at {
                args.resize(at + 1, None);
            }
            match args.get_mut(at) {
                Some(place @ None) => *place = Some(value.clone()),
                _ => return Err(format!("{}() got multiple values for argument '{name}'", self.name)),
            }
        }
        if args.len() < needed || args.iter().take(needed).any(Option::is_none) {
            return Err(format!("{}() is missing an argument", self.name));
        }
        args.resize(args.len().max(places), None);
        Ok(args.into_iter().map(|arg| arg.unwrap_or(Literal::None)).collect::<Vec<_>>().into())
    }
}

/// A loaded specification. Cheap to clone.
#[derive(Debug, Clone)]
pub struct Specification(Arc<Inner>);

#[derive(Debug)]
struct Inner {
    name: String,
    source: String,
    declarations: Declarations,
    functions: Vec<Function>,
    setup: Vec<SetupLine>,
    slots: Slots,
}

/// A compiled line of SETUP: the name it binds and the expression, with the names before it as parameters.
#[derive(Debug)]
struct SetupLine {
    name: Option<Arc<str>>,
    code: Arc<FunctionCode>,
    text: String,
}

impl std::fmt::Debug for Obj {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Obj::Instance { .. } => "instance",
            Obj::Class(_) => "class",
            Obj::Function(_) => "function",
            _ => "object",
        })
    }
}

impl Specification {
    /// Loads a specification that declares `SETUP`, `ACTIONS` and `OBSERVATIONS` itself.
    /// Errors: if it is no Python, declares nothing, or fails when it runs.
    pub fn load(source: &str, name: &str) -> Result<Specification, ProgramError> {
        let declarations = with_module(source, |module| declarations(module, name, source))
            .map_err(|failure| ProgramError::of_parse(name, source, failure))??;
        Specification::load_with(source, name, declarations)
    }

    /// Loads a specification with declarations from elsewhere.
    /// Errors: if it is no Python, fails when it runs, or a declared function does not exist.
    pub fn load_with(source: &str, name: &str, declarations: Declarations) -> Result<Specification, ProgramError> {
        let (code, classes) = with_module(source, |module| {
            let code = compile::module(source, &module.body, "<module>", declarations.python)
                .map_err(|failure| ProgramError::of_compile(name, source, failure))?;
            Ok::<_, ProgramError>((code, classes(module, source, declarations.python)))
        })
        .map_err(|failure| ProgramError::of_parse(name, source, failure))??;
        let slots: Slots =
            Arc::new(vec![Arc::new(Obj::Namespace(Attrs::default())), Arc::new(Obj::Namespace(Attrs::default()))]);
        let mut vm = Vm::new(Heap::new(slots), GLOBALS, Limits::MODULE);
        let result = vm.run_code(&Arc::new(code), std::iter::empty());
        if let Err(stop) = result {
            let fault = Fault::at(stop, vm.stopped, None);
            return Err(ProgramError::at_line(name, fault.line.unwrap_or(1), fault.to_string())
                .hint("a specification must load without errors"));
        }
        let slots = vm.heap.settle();
        let setup = compile_setup(&declarations, name)?;
        let mut functions = functions(&declarations, &setup, &classes);
        functions.sort_by_key(|f| f.line);
        let missing = declarations
            .actions
            .iter()
            .chain(&declarations.observations)
            .find(|path| !functions.iter().any(|f| f.path() == **path));
        if let Some(path) = missing {
            return Err(ProgramError::at_line(name, 1, format!("{path} is declared, but there is no such function"))
                .hint("name objects made in SETUP and methods of their classes, such as 'agent.goto'"));
        }
        let spec = Specification(Arc::new(Inner {
            name: name.to_owned(),
            source: source.to_owned(),
            declarations,
            functions,
            setup,
            slots,
        }));
        if let Err(fault) = spec.start() {
            return Err(ProgramError::at_line(name, fault.line.unwrap_or(1), format!("SETUP fails: {fault}"))
                .hint("SETUP must make the objects from the classes above"));
        }
        Ok(spec)
    }

    /// The source as loaded.
    pub fn source(&self) -> &str {
        &self.0.source
    }

    /// The name it was loaded under.
    pub fn name(&self) -> &str {
        &self.0.name
    }

    /// The declarations.
    pub fn declarations(&self) -> &Declarations {
        &self.0.declarations
    }

    /// The functions of the objects that SETUP makes, in order of their lines.
    pub fn functions(&self) -> &[Function] {
        &self.0.functions
    }

    /// The function of that receiver and name.
    pub fn function(&self, receiver: &str, name: &str) -> Option<&Function> {
        self.0.functions.iter().find(|f| f.receiver == receiver && f.name == name)
    }

    /// The specification whose action bodies are exactly these assertions, by action (`take` or `agent.take`); actions that
    /// are not named get none (`pass`). Everything else stays as it is, in the source as well.
    /// Errors: if an action does not exist or an assertion is no Python.
    pub fn with_assertions(&self, assertions: &BTreeMap<String, Vec<String>>) -> Result<Specification, ProgramError> {
        let is = |f: &Function, key: &str| f.name == key || f.path() == key;
        let actions: Vec<&Function> = self.functions().iter().filter(|f| f.role == Role::Action).collect();
        if let Some(key) = assertions.keys().find(|key| !actions.iter().any(|f| is(f, key))) {
            return Err(ProgramError::at_line(self.name(), 1, format!("{key} is no action of this specification")));
        }
        let mut source = self.source().to_owned();
        let mut replaced: Vec<TextRange> = Vec::new();
        for function in actions.iter().rev() {
            if replaced.contains(&function.body) {
                continue;
            }
            let of: Vec<&String> =
                assertions.iter().filter(|(key, _)| is(function, key)).flat_map(|(_, a)| a).collect();
            if let Some(text) = of.iter().find(|t| t.contains(['\n', '\r'])) {
                return Err(ProgramError::at_line(
                    self.name(),
                    function.line,
                    format!("`{text}` is more than one line"),
                ));
            }
            let body = if of.is_empty() {
                "pass".to_owned()
            } else {
                let lines: Vec<String> = of.iter().map(|a| format!("assert {a}")).collect();
                lines.join(&format!("\n{}", function.indent))
            };
            let range = function.body.start().to_usize()..function.body.end().to_usize();
            // A body on the line of its `def` holds one assertion at most; several go on separate lines.
            let own_line = function.indent.is_empty() && of.len() > 1;
            let body = if own_line { body.replace('\n', "; ") } else { body };
            source.replace_range(range, &body);
            replaced.push(function.body);
        }
        Specification::load_with(&source, self.name(), self.declarations().clone())
    }

    /// The specification whose actions assert nothing at the top of their bodies (`pass` in place of each assertion), and do what
    /// else they do; itself where none does.
    /// Errors: if it does not load so.
    pub fn unasserted(&self) -> Result<Specification, ProgramError> {
        let actions = self.functions().iter().filter(|f| f.role == Role::Action);
        let mut ranges: Vec<TextRange> = actions.flat_map(|f| &f.assertions).map(|a| a.range).collect();
        if ranges.is_empty() {
            return Ok(self.clone());
        }
        ranges.sort_by_key(|range| range.start());
        ranges.dedup();
        let mut source = self.source().to_owned();
        for range in ranges.into_iter().rev() {
            source.replace_range(range.start().to_usize()..range.end().to_usize(), "pass");
        }
        Specification::load_with(&source, self.name(), self.declarations().clone())
    }

    /// A fresh state: SETUP has run, nothing else.
    /// Errors: the fault of the line of SETUP that failed.
    pub fn start(&self) -> Result<State, Fault> {
        let mut slots = self.0.slots.clone();
        let mut bound: Vec<(Arc<str>, Value)> = Vec::new();
        for line in &self.0.setup {
            let mut vm = Vm::new(Heap::new(slots.clone()), GLOBALS, Limits::CALL);
            let result = vm.run_code(&line.code, bound.iter().map(|(_, v)| v.clone()));
            let value =
                result.map_err(|stop| Fault { line: None, ..Fault::from_stop(stop, Some(line.text.clone())) })?;
            if let (Some(name), Obj::Namespace(names)) = (&line.name, vm.heap.get_mut(OBJECTS)) {
                names.set(name, value);
            }
            drop(slots);
            slots = vm.heap.settle();
            // Objects may have moved: read them back.
            if let Some(Obj::Namespace(names)) = slots.get(OBJECTS.0 as usize).map(|o| &**o) {
                bound.clone_from(&names.0);
            }
        }
        Ok(State::new(self.clone(), slots))
    }
}

impl Vm {
    /// Runs code with these values in its first slots.
    pub(crate) fn run_code(
        &mut self,
        code: &Arc<FunctionCode>,
        args: impl Iterator<Item = Value>,
    ) -> Result<Value, Stop> {
        let start = self.stack.len();
        self.stack.extend(args);
        self.stack.resize(start + code.slots, Value::Unbound);
        self.run_frame(code, start)
    }

    pub(crate) fn call_named(
        &mut self,
        object: &Value,
        name: &Arc<str>,
        args: Args,
        keywords: Keywords,
    ) -> Result<Value, Stop> {
        match self.method_of(object, name)? {
            Some(function) => self.call(&function, with_first(object, args), keywords),
            None => {
                let callee = self.get_attr(object, name)?;
                self.call(&callee, args, keywords)
            }
        }
    }
}

fn declarations(module: &ModModule, name: &str, source: &str) -> Result<Declarations, ProgramError> {
    let mut found = Declarations::default();
    let mut any = false;
    for stmt in &module.body {
        let Stmt::Assign(assign) = stmt else { continue };
        let [Expr::Name(target)] = assign.targets.as_slice() else { continue };
        let place = match target.id.as_str() {
            "SETUP" => &mut found.setup,
            "ACTIONS" => &mut found.actions,
            "OBSERVATIONS" => &mut found.observations,
            "PYTHON" => {
                found.python = python(&assign.value).ok_or_else(|| {
                    let message = "PYTHON must be '3.11' or '3.12'";
                    ProgramError::at(name, source, assign.value.start().to_usize(), message)
                })?;
                continue;
            }
            _ => continue,
        };
        any = true;
        let items = match assign.value.as_ref() {
            Expr::List(list) => &list.elts,
            Expr::Tuple(tuple) => &tuple.elts,
            other => return Err(not_strings(name, source, other)),
        };
        for item in items {
            match item {
                Expr::StringLiteral(text) => place.push(text.value.to_str().to_owned()),
                other => return Err(not_strings(name, source, other)),
            }
        }
    }
    if !any || found.setup.is_empty() {
        return Err(ProgramError::at_line(name, 1, "the specification declares no SETUP").hint(
            "add SETUP = ['agent = Agent()'], ACTIONS = ['agent.goto'] and OBSERVATIONS = ['agent.see'] at its top level",
        ));
    }
    Ok(found)
}

/// The version that a declaration names.
fn python(value: &Expr) -> Option<Python> {
    let Expr::StringLiteral(text) = value else { return None };
    match text.value.to_str() {
        "3.11" => Some(Python::V3_11),
        "3.12" => Some(Python::V3_12),
        _ => None,
    }
}

fn not_strings(name: &str, source: &str, expr: &Expr) -> ProgramError {
    ProgramError::at(name, source, expr.start().to_usize(), "a declaration must be a list of string literals")
}

/// A class found in the source, its methods not yet tied to an object.
struct FoundClass {
    name: String,
    bases: Vec<String>,
    methods: Vec<Function>,
}

fn classes(module: &ModModule, source: &str, python: Python) -> Vec<FoundClass> {
    let class = |class: &ast::StmtClassDef| {
        let name = class.name.as_str();
        let bases = class.arguments.iter().flat_map(|a| &a.args).filter_map(Expr::as_name_expr);
        let methods = class.body.iter().filter_map(Stmt::as_function_def_stmt);
        FoundClass {
            name: name.to_owned(),
            bases: bases.map(|base| base.id.to_string()).collect(),
            methods: methods.filter_map(|def| method(def, name, source, python)).collect(),
        }
    };
    module.body.iter().filter_map(Stmt::as_class_def_stmt).map(class).collect()
}

fn method(def: &ast::StmtFunctionDef, class: &str, source: &str, python: Python) -> Option<Function> {
    let parameters = &def.parameters;
    let shared = |name: &ast::Identifier| -> Arc<str> { Arc::from(name.as_str()) };
    let signature = Params {
        names: parameters.posonlyargs.iter().chain(&parameters.args).map(|p| shared(&p.parameter.name)).collect(),
        positional_only: parameters.posonlyargs.len(),
        star: parameters.vararg.as_ref().map(|p| shared(&p.name)),
        keyword_only: parameters.kwonlyargs.iter().map(|p| shared(&p.parameter.name)).collect(),
        double_star: parameters.kwarg.as_ref().map(|p| shared(&p.name)),
        python,
    };
    let mut params: Vec<String> = signature.names.iter().skip(1).map(ToString::to_string).collect();
    let given = parameters.posonlyargs.iter().chain(&parameters.args).filter_map(|p| p.default.as_deref());
    let defaults: Vec<bool> = given.map(Expr::is_none_literal_expr).collect();
    let optional = if defaults.contains(&false) { 0 } else { defaults.len() };
    params.extend(signature.star.iter().map(|n| format!("*{n}")));
    let (first, last) = (def.body.first()?, def.body.last()?);
    let body = TextRange::new(first.start(), last.end());
    let line_start = source[..body.start().to_usize()].rfind('\n').map_or(0, |i| i + 1);
    let before = &source[line_start..body.start().to_usize()];
    let line = |at: usize| source[..at].matches('\n').count() + 1;
    let assertions = def
        .body
        .iter()
        .filter_map(Stmt::as_assert_stmt)
        .map(|assert| SpecAssertion {
            expression: source[assert.test.range()].to_owned(),
            message: assert.msg.as_ref().map(|m| source[m.range()].to_owned()),
            line: line(assert.range.start().to_usize()),
            range: assert.range,
        })
        .collect();
    Some(Function {
        receiver: String::new(),
        class: class.to_owned(),
        name: def.name.to_string(),
        params,
        optional,
        role: Role::Query,
        assertions,
        line: line(def.name.range.start().to_usize()),
        signature: Arc::new(signature),
        body,
        indent: if before.trim().is_empty() { before.to_owned() } else { String::new() },
    })
}

fn compile_setup(declarations: &Declarations, name: &str) -> Result<Vec<SetupLine>, ProgramError> {
    let mut names: Vec<Arc<str>> = Vec::new();
    let mut lines = Vec::new();
    for text in &declarations.setup {
        let wrong = |message: String| {
            ProgramError::at_line(name, 1, format!("SETUP line `{text}`: {message}"))
                .hint("a SETUP line is `object = Class(…)`")
        };
        let params = Params { names: names.clone(), python: declarations.python, ..Params::default() };
        let line = with_module(text, |module| {
            let (target, value) = match module.body.as_slice() {
                [Stmt::Assign(assign)] => match assign.targets.as_slice() {
                    [Expr::Name(target)] => (Some(target.id.as_str()), &*assign.value),
                    _ => return Err(wrong("it must bind one name".into())),
                },
                [Stmt::Expr(expr)] => (None, &*expr.value),
                _ => return Err(wrong("it must be one assignment".into())),
            };
            let code = compile::expression(text, value, &params)
                .map_err(|failure| wrong(ProgramError::of_compile(name, text, failure).message))?;
            Ok(SetupLine { name: target.map(Arc::from), code: Arc::new(code), text: text.clone() })
        })
        .map_err(|failure| wrong(ProgramError::of_parse(name, text, failure).message))??;
        if let Some(bound) = &line.name
            && !names.contains(bound)
        {
            names.push(bound.clone());
        }
        lines.push(line);
    }
    Ok(lines)
}

/// Ties the methods of classes to the objects that SETUP makes of them.
fn functions(declarations: &Declarations, setup: &[SetupLine], classes: &[FoundClass]) -> Vec<Function> {
    let mut out = Vec::new();
    for line in setup {
        let Some(receiver) = &line.name else { continue };
        let Some((_, made)) = line.text.split_once('=') else { continue };
        let class_name = made.split('(').next().unwrap_or("").trim();
        let mut next = classes.iter().rev().find(|c| c.name == class_name);
        let mut seen: Vec<&str> = Vec::new();
        for _ in 0..16 {
            let Some(class) = next else { break };
            for method in &class.methods {
                if method.name == "__init__" || seen.contains(&&*method.name) {
                    continue;
                }
                seen.push(&method.name);
                let path = format!("{receiver}.{}", method.name);
                let role = if declarations.actions.contains(&path) {
                    Role::Action
                } else if declarations.observations.contains(&path) {
                    Role::Observation
                } else {
                    Role::Query
                };
                out.push(Function { receiver: receiver.to_string(), role, ..method.clone() });
            }
            next = class.bases.first().and_then(|base| classes.iter().rev().find(|c| c.name == *base));
        }
    }
    out
}
