//! Compiles syntax trees: names to slots, statements to small nodes. Expressions are in `compile_expr`.

use std::sync::Arc;

use ruff_python_ast::{self as ast, Expr, Stmt as AstStmt};
use ruff_text_size::{Ranged, TextRange, TextSize};
use rustc_hash::{FxHashMap, FxHashSet};

use super::code::{
    Body, ClassDef, Fallback, FunctionCode, Handler, Imported, MakeFunction, Node, Params, Place, Stmt, StmtKind,
    Target, Try, Variable,
};
use super::depth::{TooDeep, measure, measure_expression};
use super::fault::Python;
use super::modules::is_not_offered;
use super::scope::{Kind, NO_DEBUG, Scopes, analyse, analyse_expression, is_debug};
use super::types::{BuiltinName, builtin};
use super::value::Name;

/// Why a tree was not compiled.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum CompileFailure {
    /// Python refuses it too: message and byte offset.
    Syntax(String, usize),
    /// One version of Python refuses it and another does not: what it is, and its byte offset.
    Unsupported(&'static str, usize),
    TooDeep,
}

impl From<TooDeep> for CompileFailure {
    fn from(TooDeep: TooDeep) -> Self {
        Self::TooDeep
    }
}

/// How many loops, `try` and `with` CPython lets stand one in the other in a function.
const MAX_BLOCKS: u32 = 20;

pub(crate) type Compiled<T> = Result<T, CompileFailure>;

#[derive(Debug, Clone, Copy)]
pub(crate) struct Var {
    pub slot: usize,
    pub cell: bool,
    /// Whether it is that of a scope around.
    is_free: bool,
}

/// One scope that is open inside a frame.
struct Env<'a> {
    scope: usize,
    vars: FxHashMap<&'a str, Var>,
}

/// The frame of a function, class body, generator expression or module being compiled.
pub(crate) struct Frame<'a> {
    envs: Vec<Env<'a>>,
    pub slots: usize,
    pub captures: Vec<(usize, usize)>,
    captured: FxHashMap<String, Var>,
    pub cells: Vec<usize>,
    pub function: bool,
    /// Whether it is in an `async def`.
    pub asynchronous: bool,
    pub loops: u32,
    /// Loops, `try` and `with` that are open.
    blocks: u32,
    pub yields: bool,
}

pub(crate) enum Resolved {
    Var(Var),
    ClassVar,
    Global,
}

pub(crate) struct Compiler<'a> {
    pub source: &'a str,
    pub scopes: Scopes<'a>,
    pub frames: Vec<Frame<'a>>,
    line_starts: Vec<u32>,
    pub depth: u32,
    names: FxHashSet<Name>,
    /// How many comprehensions are open, for `yield` inside them.
    pub in_comprehension: u32,
    /// Loop variables of the open comprehensions.
    pub iteration_variables: Vec<Vec<String>>,
    /// Qualified name of what is being compiled, in parts.
    pub path: Vec<String>,
    /// Where the beginning of a module ends, in which `from __future__` may stand.
    beginning: TextSize,
    /// The Python as which it is read.
    pub python: Python,
    /// Whether annotations are not evaluated, by `from __future__ import annotations`.
    postponed: bool,
    /// The names that were imported from `typing` so far, and their names there.
    pub typing: FxHashMap<String, String>,
}

pub(crate) fn module(source: &str, body: &[AstStmt], name: &str, python: Python) -> Compiled<FunctionCode> {
    measure(body)?;
    let mut compiler = Compiler::new(source, analyse(body, Kind::Module, &[]), python)?;
    compiler.beginning = beginning(body);
    compiler.open_frame(0, false);
    let body = compiler.block(body)?;
    Ok(compiler.close_frame(Arc::from(name), Params::default(), Body::Block(body)))
}

pub(crate) fn function_body(source: &str, body: &[AstStmt], name: &str, params: &Params) -> Compiled<FunctionCode> {
    measure(body)?;
    let mut all: Vec<&str> = params.names.iter().map(|n| &**n).collect();
    all.extend(params.star.as_deref());
    all.extend(params.keyword_only.iter().map(|n| &**n));
    all.extend(params.double_star.as_deref());
    let mut compiler = Compiler::new(source, analyse(body, Kind::Function, &all), params.python)?;
    compiler.open_frame(0, true);
    let body = compiler.block(body)?;
    Ok(compiler.close_frame(Arc::from(name), params.clone(), Body::Block(body)))
}

pub(crate) fn expression(source: &str, expr: &Expr, params: &Params) -> Compiled<FunctionCode> {
    let has_scopes = measure_expression(expr)?;
    let all: Vec<&str> = params.names.iter().map(|n| &**n).collect();
    // Without a scope within, no name is shared or bound.
    let scopes = if has_scopes { analyse_expression(expr, &all) } else { analyse(&[], Kind::Function, &all) };
    let mut compiler = Compiler::new(source, scopes, params.python)?;
    compiler.open_frame(0, true);
    let node = compiler.expr(expr)?;
    Ok(compiler.close_frame(Arc::from("<expression>"), params.clone(), Body::Expression(node)))
}

impl<'a> Compiler<'a> {
    fn new(source: &'a str, mut scopes: Scopes<'a>, python: Python) -> Compiled<Self> {
        if let Some((message, at)) = scopes.fault.take() {
            return Err(CompileFailure::Syntax(message, at.start().to_usize()));
        }
        let line_starts = source.bytes().enumerate().filter(|(_, b)| *b == b'\n').map(|(i, _)| i as u32 + 1).collect();
        Ok(Compiler {
            source,
            scopes,
            frames: Vec::new(),
            line_starts,
            depth: 0,
            names: FxHashSet::default(),
            in_comprehension: 0,
            iteration_variables: Vec::new(),
            path: Vec::new(),
            beginning: TextSize::default(),
            python,
            postponed: false,
            typing: FxHashMap::default(),
        })
    }

    pub(crate) fn name(&mut self, text: &str) -> Name {
        if let Some(name) = self.names.get(text) {
            return name.clone();
        }
        let name: Name = Arc::from(text);
        self.names.insert(name.clone());
        name
    }

    pub(crate) fn line(&self, at: TextSize) -> u32 {
        self.line_starts.partition_point(|start| *start <= at.to_u32()) as u32 + 1
    }

    pub(crate) fn syntax<T>(&self, message: impl Into<String>, at: TextRange) -> Compiled<T> {
        Err(CompileFailure::Syntax(message.into(), at.start().to_usize()))
    }

    pub(crate) fn frame(&mut self) -> &mut Frame<'a> {
        if self.frames.is_empty() {
            self.frames.push(Frame::new(false));
        }
        let last = self.frames.len() - 1;
        &mut self.frames[last]
    }

    pub(crate) fn open_frame(&mut self, scope: usize, function: bool) {
        self.frames.push(Frame::new(function));
        self.open_scope(scope);
    }

    /// Gives the names of a scope slots in the present frame.
    pub(crate) fn open_scope(&mut self, scope: usize) -> Vec<Var> {
        let mut vars = FxHashMap::default();
        let mut own = Vec::new();
        if !matches!(self.scopes.all[scope].kind, Kind::Module | Kind::Class) {
            for at in 0..self.scopes.all[scope].order.len() {
                let name = self.scopes.all[scope].order[at];
                let cell = self.scopes.all[scope].bindings.get(name).is_some_and(super::scope::Binding::is_cell);
                let frame = self.frame();
                let slot = frame.slots;
                frame.slots += 1;
                if cell {
                    frame.cells.push(slot);
                }
                let var = Var { slot, cell, is_free: false };
                vars.insert(name, var);
                own.push(var);
            }
        }
        self.frame().envs.push(Env { scope, vars });
        own
    }

    pub(crate) fn close_scope(&mut self) {
        self.frame().envs.pop();
    }

    fn close_frame(&mut self, name: Name, params: Params, body: Body) -> FunctionCode {
        let frame = self.frames.pop().unwrap_or_else(|| Frame::new(false));
        let body = if frame.yields {
            Body::Block(vec![Stmt {
                line: 0,
                kind: StmtKind::Expr(Node::Unsupported(Arc::from("generator functions"))),
            }])
        } else {
            body
        };
        let qualified = if self.path.is_empty() {
            name.clone()
        } else {
            Arc::from(self.path.iter().map(String::as_str).chain([&*name]).collect::<Vec<_>>().join("."))
        };
        FunctionCode { name, qualified, params, slots: frame.slots, captures: frame.captures, cells: frame.cells, body }
    }

    pub(crate) fn resolve(&mut self, name: &str) -> Resolved {
        self.resolve_in(self.frames.len(), name, true)
    }

    /// Resolves a name in the first `count` frames; `innermost` while class bodies are still visible.
    fn resolve_in(&mut self, count: usize, name: &str, innermost: bool) -> Resolved {
        let Some(at) = count.checked_sub(1) else { return Resolved::Global };
        let mut innermost = innermost;
        for (out, env) in self.frames[at].envs.iter().rev().enumerate() {
            if self.scopes.is_global(env.scope, name) {
                return Resolved::Global;
            }
            let scope = &self.scopes.all[env.scope];
            if scope.kind == Kind::Class && innermost && scope.bindings.contains_key(name) {
                return Resolved::ClassVar;
            }
            if let Some(var) = env.vars.get(name) {
                return Resolved::Var(Var { is_free: out > 0, ..*var });
            }
            innermost = false;
        }
        if let Some(var) = self.frames[at].captured.get(name) {
            return Resolved::Var(*var);
        }
        match self.resolve_in(at, name, false) {
            Resolved::Var(outer) => {
                let frame = &mut self.frames[at];
                let var = Var { slot: frame.slots, cell: outer.cell, is_free: true };
                frame.slots += 1;
                frame.captures.push((outer.slot, var.slot));
                frame.captured.insert(name.to_owned(), var);
                Resolved::Var(var)
            }
            other => other,
        }
    }

    pub(crate) fn load(&mut self, text: &str) -> Node {
        if is_private(text) {
            return Node::Unsupported(Arc::from("private names"));
        }
        let name = self.name(text);
        match self.resolve(text) {
            Resolved::Var(Var { slot, cell: false, is_free }) => Node::Local(slot, Variable { name, is_free }),
            Resolved::Var(Var { slot, cell: true, is_free }) => Node::Cell(slot, Variable { name, is_free }),
            // Where the class body has not bound it yet, the name is global, as in CPython.
            Resolved::ClassVar => Node::ClassVar(name.clone(), Box::new(Node::Global(name, fallback(text)))),
            Resolved::Global => Node::Global(name, fallback(text)),
        }
    }

    pub(crate) fn store(&mut self, text: &str) -> Target {
        let name = self.name(text);
        match self.resolve(text) {
            Resolved::Var(Var { slot, cell: false, .. }) => Target::Local(slot),
            Resolved::Var(Var { slot, cell: true, .. }) => Target::Cell(slot),
            Resolved::ClassVar => Target::ClassVar(name),
            Resolved::Global => Target::Global(name),
        }
    }

    pub(crate) fn target(&mut self, expr: &Expr) -> Compiled<Target> {
        Ok(match expr {
            Expr::Name(name) => self.store(name.id.as_str()),
            Expr::Attribute(attribute) => {
                self.changeable(&attribute.attr)?;
                let object = self.expr(&attribute.value)?;
                Target::Attr(Box::new(object), self.name(attribute.attr.as_str()))
            }
            Expr::Subscript(subscript) => {
                let object = self.expr(&subscript.value)?;
                match self.bounds(&subscript.slice)? {
                    Some(bounds) => Target::Slice(Box::new((object, bounds))),
                    None => Target::Subscript(Box::new((object, self.expr(&subscript.slice)?))),
                }
            }
            Expr::Tuple(tuple) => self.unpack(&tuple.elts)?,
            Expr::List(list) => self.unpack(&list.elts)?,
            _ => return self.syntax("cannot assign to this", expr.range()),
        })
    }

    /// Refuses the one name of an attribute or argument that CPython does.
    pub(crate) fn changeable(&self, name: &ast::Identifier) -> Compiled<()> {
        if is_debug(name.as_str()) { self.syntax(NO_DEBUG, name.range()) } else { Ok(()) }
    }

    /// Compiles what stands in a loop, `try` or `with`.
    fn inner(&mut self, body: &[AstStmt], at: TextRange) -> Compiled<Vec<Stmt>> {
        if self.frame().blocks >= MAX_BLOCKS {
            return self.syntax("too many statically nested blocks", at);
        }
        self.frame().blocks += 1;
        // An error leaves the frames open that it comes from.
        let body = self.block(body)?;
        self.frame().blocks -= 1;
        Ok(body)
    }

    /// Compiles the body of a loop.
    fn repeated(&mut self, body: &[AstStmt], at: TextRange) -> Compiled<Vec<Stmt>> {
        self.frame().loops += 1;
        let body = self.inner(body, at)?;
        self.frame().loops -= 1;
        Ok(body)
    }

    fn unpack(&mut self, elements: &[Expr]) -> Compiled<Target> {
        let mut before = Vec::new();
        let mut starred: Option<(Target, Vec<Target>)> = None;
        for element in elements {
            match (element, &mut starred) {
                (Expr::Starred(star), None) => starred = Some((self.target(&star.value)?, Vec::new())),
                (Expr::Starred(star), Some(_)) => {
                    return self.syntax("multiple starred expressions in assignment", star.range);
                }
                (_, None) => before.push(self.target(element)?),
                (_, Some(_)) => {
                    let target = self.target(element)?;
                    if let Some((_, after)) = &mut starred {
                        after.push(target);
                    }
                }
            }
        }
        Ok(Target::Unpack(before, starred.map(Box::new)))
    }

    pub(crate) fn block(&mut self, body: &[AstStmt]) -> Compiled<Vec<Stmt>> {
        let mut out = Vec::with_capacity(body.len());
        for stmt in body {
            self.depth += 1;
            let line = self.line(stmt.start());
            let kind = if self.depth.is_multiple_of(16) {
                stacker::maybe_grow(256 * 1024, 1024 * 1024, || self.stmt(stmt))
            } else {
                self.stmt(stmt)
            };
            self.depth -= 1;
            if let Some(kind) = kind? {
                out.push(Stmt { line, kind });
            }
        }
        Ok(out)
    }

    /// A statement; `None` for declarations that do nothing when reached.
    fn stmt(&mut self, stmt: &AstStmt) -> Compiled<Option<StmtKind>> {
        Ok(Some(match stmt {
            AstStmt::Expr(expr) => StmtKind::Expr(self.expr(&expr.value)?),
            AstStmt::Assign(assign) => {
                let value = self.expr(&assign.value)?;
                let targets = assign.targets.iter().map(|t| self.target(t)).collect::<Compiled<_>>()?;
                StmtKind::Assign(targets, value)
            }
            AstStmt::AnnAssign(assign) => {
                let value = assign.value.as_ref().map(|value| self.expr(value)).transpose()?;
                let target = self.target(&assign.target)?;
                let mut annotation = Vec::new();
                let is_known = self.annotation(&assign.annotation, &mut annotation);
                if self.postponed || self.frame().function {
                    annotation.clear();
                }
                match value {
                    _ if !is_known => unsupported("this annotation"),
                    None if !assign.target.is_name_expr() => {
                        unsupported("an annotation without a value of what is no name")
                    }
                    Some(value) if annotation.is_empty() => StmtKind::Assign(vec![target], value),
                    None if annotation.is_empty() => return Ok(None),
                    value => StmtKind::Annotated(value.map(|value| (target, value)), annotation),
                }
            }
            AstStmt::AugAssign(assign) => {
                let place = match assign.target.as_ref() {
                    Expr::Name(name) => Place::Variable(self.load(name.id.as_str()), self.store(name.id.as_str())),
                    Expr::Attribute(a) => Place::Attr(self.expr(&a.value)?, self.name(a.attr.as_str())),
                    Expr::Subscript(s) => {
                        if self.bounds(&s.slice)?.is_some() {
                            return Ok(Some(unsupported("augmented assignment to a slice")));
                        }
                        Place::Subscript(self.expr(&s.value)?, self.expr(&s.slice)?)
                    }
                    other => return self.syntax("illegal expression for augmented assignment", other.range()),
                };
                StmtKind::AugAssign(Box::new((place, assign.op, self.expr(&assign.value)?)))
            }
            AstStmt::Assert(assert) => {
                let test = self.expr(&assert.test)?;
                StmtKind::Assert(test, assert.msg.as_ref().map(|m| self.expr(m)).transpose()?)
            }
            AstStmt::If(branch) => {
                let mut arms = vec![(self.expr(&branch.test)?, self.block(&branch.body)?)];
                let mut or_else = Vec::new();
                for clause in &branch.elif_else_clauses {
                    match &clause.test {
                        Some(test) => arms.push((self.expr(test)?, self.block(&clause.body)?)),
                        None => or_else = self.block(&clause.body)?,
                    }
                }
                StmtKind::If(arms, or_else)
            }
            AstStmt::While(repeat) => {
                let test = self.expr(&repeat.test)?;
                let body = self.repeated(&repeat.body, repeat.range)?;
                StmtKind::While(test, body, self.block(&repeat.orelse)?)
            }
            AstStmt::For(repeat) if repeat.is_async && !self.frame().asynchronous => {
                return self.syntax("'async for' outside async function", repeat.range);
            }
            AstStmt::For(repeat) => {
                let iter = self.expr(&repeat.iter)?;
                let target = self.target(&repeat.target)?;
                let body = self.repeated(&repeat.body, repeat.range)?;
                StmtKind::For(target, iter, body, self.block(&repeat.orelse)?)
            }
            AstStmt::Break(b) if self.frame().loops == 0 => return self.syntax("'break' outside loop", b.range),
            AstStmt::Continue(c) if self.frame().loops == 0 => {
                return self.syntax("'continue' not properly in loop", c.range);
            }
            AstStmt::Break(_) => StmtKind::Break,
            AstStmt::Continue(_) => StmtKind::Continue,
            AstStmt::Pass(_) => StmtKind::Pass,
            AstStmt::Return(r) if !self.frame().function => return self.syntax("'return' outside function", r.range),
            AstStmt::Return(r) => StmtKind::Return(r.value.as_ref().map(|v| self.expr(v)).transpose()?),
            AstStmt::Delete(delete) => {
                StmtKind::Delete(delete.targets.iter().map(|t| self.target(t)).collect::<Compiled<_>>()?)
            }
            AstStmt::FunctionDef(def) => {
                no_type_params(def.type_params.as_deref())?;
                for decorator in &def.decorator_list {
                    self.expr(&decorator.expression)?;
                }
                let mut make = self.function(
                    def.name.as_str(),
                    Some(&def.parameters),
                    def.range(),
                    if def.is_async { FunctionBody::Asynchronous(&def.body) } else { FunctionBody::Block(&def.body) },
                )?;
                // Also in what is not offered CPython finds what it refuses to compile.
                if def.is_async || !def.decorator_list.is_empty() {
                    return Ok(Some(unsupported("decorated or async functions")));
                }
                let mut annotations =
                    def.parameters.iter().filter_map(|p| p.annotation()).chain(def.returns.as_deref());
                if !annotations.all(|annotation| self.annotation(annotation, &mut make.annotations)) {
                    return Ok(Some(unsupported("this annotation")));
                }
                if self.postponed {
                    make.annotations.clear();
                }
                StmtKind::Function(self.store(def.name.as_str()), Box::new(make))
            }
            AstStmt::ClassDef(def) => return self.class(def).map(Some),
            AstStmt::Import(import) => self.imports(&import.names, |name| match name {
                "collections" => Ok(Imported::Collections),
                _ if is_not_offered(name, None) => Ok(Imported::NotOffered(Arc::from(format!("import {name}")))),
                _ => Err(format!("import {name}")),
            }),
            AstStmt::ImportFrom(import) if is_future(stmt) && stmt.start() >= self.beginning => {
                return self.syntax("from __future__ imports must occur at the beginning of the file", import.range);
            }
            AstStmt::ImportFrom(import) => {
                let module = import.module.as_ref().map_or("", |m| m.as_str());
                self.postponed |=
                    is_future(stmt) && import.names.iter().any(|alias| alias.name.as_str() == "annotations");
                if (import.level, module) == (0, "typing") && self.frames.len() == 1 {
                    let names =
                        import.names.iter().map(|alias| (alias.asname.as_ref().unwrap_or(&alias.name), &alias.name));
                    self.typing.extend(names.map(|(name, of)| (name.to_string(), of.to_string())));
                }
                self.imports(&import.names, |name| match (import.level, module, name) {
                    (0, "collections", "defaultdict") => Ok(Imported::DefaultDict),
                    (0, ..) if is_not_offered(module, Some(name)) => {
                        Ok(Imported::NotOffered(Arc::from(format!("from {module} import {name}"))))
                    }
                    _ => Err(format!("from {module} import {name}")),
                })
            }
            AstStmt::Nonlocal(names) if names.names.iter().any(|name| name.as_str() == "__class__") => {
                unsupported("the cell of a class")
            }
            AstStmt::Global(_) | AstStmt::Nonlocal(_) => return Ok(None),
            AstStmt::Raise(raise) => {
                // Where a semicolon follows, the parser puts a name without a text.
                let exc = raise.exc.as_ref().filter(|e| !matches!(&***e, Expr::Name(name) if name.id.is_empty()));
                let what = exc.map(|e| self.expr(e)).transpose()?;
                let cause = raise.cause.as_ref().map(|cause| self.expr(cause)).transpose()?;
                match (what, cause) {
                    (Some(what), Some(cause)) => StmtKind::RaiseFrom(Box::new((what, cause))),
                    (what, _) => StmtKind::Raise(what),
                }
            }
            AstStmt::Try(block) => {
                let made = self.attempt(block)?;
                if block.is_star { unsupported(statement_name(stmt)) } else { StmtKind::Try(Box::new(made)) }
            }
            AstStmt::With(with) if with.is_async && !self.frame().asynchronous => {
                return self.syntax("'async with' outside async function", with.range);
            }
            AstStmt::With(with) => {
                for item in &with.items {
                    self.expr(&item.context_expr)?;
                    item.optional_vars.as_ref().map(|target| self.target(target)).transpose()?;
                }
                // Each of the things that it opens is a block.
                let more = with.items.len().saturating_sub(1) as u32;
                self.frame().blocks += more;
                self.inner(&with.body, with.range)?;
                self.frame().blocks -= more;
                unsupported(statement_name(stmt))
            }
            AstStmt::Match(choice) => {
                self.expr(&choice.subject)?;
                for case in &choice.cases {
                    case.guard.as_ref().map(|guard| self.expr(guard)).transpose()?;
                    self.block(&case.body)?;
                }
                unsupported(statement_name(stmt))
            }
            AstStmt::TypeAlias(alias) => return newer(alias.range),
            other => unsupported(statement_name(other)),
        }))
    }

    fn attempt(&mut self, block: &ast::StmtTry) -> Compiled<Try> {
        // With a `finally` there are two blocks around the body, of which CPython counts each.
        let around = u32::from(!block.finalbody.is_empty() && !block.handlers.is_empty());
        self.frame().blocks += around;
        let body = self.inner(&block.body, block.range)?;
        let mut handlers = Vec::new();
        for (i, handler) in block.handlers.iter().enumerate() {
            let ast::ExceptHandler::ExceptHandler(handler) = handler;
            if handler.type_.is_none() && i + 1 < block.handlers.len() {
                return self.syntax("default 'except:' must be last", handler.range);
            }
            // The exception that is handled, and its name, are a block each.
            self.frame().blocks += 1;
            handlers.push(Handler {
                kind: handler.type_.as_ref().map(|t| self.expr(t)).transpose()?,
                target: handler.name.as_ref().map(|n| self.store(n.as_str())),
                body: self.inner(&handler.body, handler.range)?,
            });
            self.frame().blocks -= 1;
        }
        let or_else = self.block(&block.orelse)?;
        self.frame().blocks -= around;
        let finally = if block.finalbody.is_empty() { Vec::new() } else { self.inner(&block.finalbody, block.range)? };
        Ok(Try { body, handlers, or_else, finally })
    }

    fn imports(&mut self, names: &[ast::Alias], find: impl Fn(&str) -> Result<Imported, String>) -> StmtKind {
        let mut out = Vec::new();
        for alias in names {
            match find(alias.name.as_str()) {
                Ok(imported) => out.push((imported, self.store(alias.asname.as_ref().unwrap_or(&alias.name).as_str()))),
                Err(what) => return unsupported(&what),
            }
        }
        StmtKind::Import(out)
    }

    fn class(&mut self, def: &ast::StmtClassDef) -> Compiled<StmtKind> {
        let plain =
            def.arguments.as_ref().is_none_or(|a| a.keywords.is_empty() && !a.args.iter().any(Expr::is_starred_expr));
        no_type_params(def.type_params.as_deref())?;
        for decorator in &def.decorator_list {
            self.expr(&decorator.expression)?;
        }
        let mut bases = Vec::new();
        if let Some(arguments) = &def.arguments {
            for keyword in &arguments.keywords {
                self.expr(&keyword.value)?;
            }
            bases = arguments.args.iter().map(|b| self.expr_or_star(b)).collect::<Compiled<_>>()?;
        }
        let Some(scope) = self.scopes.of(def.range()) else { return self.syntax("class without a scope", def.range()) };
        self.open_frame(scope, false);
        self.path.push(def.name.to_string());
        let body = self.block(&def.body)?;
        self.path.pop();
        let name = self.name(def.name.as_str());
        let code = self.close_frame(name.clone(), Params::default(), Body::Block(body));
        let target = self.store(def.name.as_str());
        if !def.decorator_list.is_empty() || !plain {
            return Ok(unsupported("decorated classes, metaclasses"));
        }
        Ok(StmtKind::Class(Box::new(ClassDef { name, target, bases, body: Arc::new(code) })))
    }

    /// Compiles a function or lambda in a separate frame.
    pub(crate) fn function(
        &mut self,
        name: &str,
        parameters: Option<&ast::Parameters>,
        range: TextRange,
        body: FunctionBody<'_>,
    ) -> Compiled<MakeFunction> {
        let mut params = Params::default();
        let mut defaults = Vec::new();
        let mut kw_defaults = Vec::new();
        if let Some(parameters) = parameters {
            let mut seen = rustc_hash::FxHashSet::default();
            for p in parameters.iter() {
                if !seen.insert(p.name().as_str()) {
                    return self.syntax(format!("duplicate argument '{}' in function definition", p.name()), p.range());
                }
            }
            params.positional_only = parameters.posonlyargs.len();
            for p in parameters.posonlyargs.iter().chain(&parameters.args) {
                params.names.push(self.name(p.parameter.name.as_str()));
                if let Some(default) = &p.default {
                    defaults.push(self.expr(default)?);
                }
            }
            params.star = parameters.vararg.as_ref().map(|p| self.name(p.name.as_str()));
            for p in &parameters.kwonlyargs {
                params.keyword_only.push(self.name(p.parameter.name.as_str()));
                kw_defaults.push(p.default.as_ref().map(|d| self.expr(d)).transpose()?);
            }
            params.double_star = parameters.kwarg.as_ref().map(|p| self.name(p.name.as_str()));
        }
        let Some(scope) = self.scopes.of(range) else { return self.syntax("function without a scope", range) };
        let in_comprehension = std::mem::take(&mut self.in_comprehension);
        let iteration_variables = std::mem::take(&mut self.iteration_variables);
        self.open_frame(scope, true);
        self.frame().asynchronous = matches!(body, FunctionBody::Asynchronous(_));
        self.path.push(name.to_owned());
        self.path.push("<locals>".to_owned());
        let body = match body {
            FunctionBody::Block(block) | FunctionBody::Asynchronous(block) => Body::Block(self.block(block)?),
            FunctionBody::Expression(expr) => Body::Expression(self.expr(expr)?),
        };
        self.in_comprehension = in_comprehension;
        self.iteration_variables = iteration_variables;
        self.path.truncate(self.path.len().saturating_sub(2));
        let name = self.name(name);
        let code = self.close_frame(name, params, body);
        Ok(MakeFunction { code: Arc::new(code), defaults, kw_defaults, annotations: Vec::new() })
    }
}

pub(crate) enum FunctionBody<'b> {
    Block(&'b [AstStmt]),
    /// That of an `async def`: not offered, but read for what CPython refuses in it.
    Asynchronous(&'b [AstStmt]),
    Expression(&'b Expr),
}

impl Frame<'_> {
    fn new(function: bool) -> Self {
        Frame {
            envs: Vec::new(),
            slots: 0,
            captures: Vec::new(),
            captured: FxHashMap::default(),
            cells: Vec::new(),
            function,
            asynchronous: false,
            loops: 0,
            blocks: 0,
            yields: false,
        }
    }
}

/// Refuses what Python 3.11 does not read and 3.12 does.
fn newer<T>(at: TextRange) -> Compiled<T> {
    Err(CompileFailure::Unsupported("types that Python before 3.12 does not read", at.start().to_usize()))
}

/// Refuses what is generic.
fn no_type_params(params: Option<&ast::TypeParams>) -> Compiled<()> {
    params.map_or(Ok(()), |params| newer(params.range))
}

fn is_future(stmt: &AstStmt) -> bool {
    let AstStmt::ImportFrom(import) = stmt else { return false };
    import.level == 0 && import.module.as_ref().is_some_and(|module| module.as_str() == "__future__")
}

/// The end of the imports from `__future__` with which a module begins, below its docstring.
fn beginning(body: &[AstStmt]) -> TextSize {
    let is_text = |stmt: &AstStmt| matches!(stmt, AstStmt::Expr(expr) if expr.value.is_string_literal_expr());
    let documented = usize::from(body.first().is_some_and(is_text));
    let futures = body.iter().skip(documented).take_while(|stmt| is_future(stmt));
    futures.last().map(Ranged::end).unwrap_or_default()
}

fn unsupported(what: &str) -> StmtKind {
    StmtKind::Expr(Node::Unsupported(Arc::from(what)))
}

fn statement_name(stmt: &AstStmt) -> &'static str {
    match stmt {
        AstStmt::With(_) => "with statements",
        AstStmt::Match(_) => "match statements",
        AstStmt::Try(_) => "except*",
        _ => "this statement",
    }
}

pub(crate) fn is_private(name: &str) -> bool {
    name.starts_with("__") && !name.ends_with("__")
}

/// The meaning of a name among Python's builtins.
pub(crate) fn fallback(name: &str) -> Fallback {
    match builtin(name) {
        None => {
            if name.starts_with("__") && name.ends_with("__") {
                return Fallback::NotOffered;
            }
            Fallback::None
        }
        Some(BuiltinName::Type(t)) => Fallback::Type(t),
        Some(BuiltinName::Function(f)) => Fallback::Function(f),
        Some(BuiltinName::NotOffered) => Fallback::NotOffered,
    }
}
