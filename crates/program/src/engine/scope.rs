//! Scopes of names, found before compiling: a variable that an inner function uses must be a shared cell.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Comprehension, Expr, ExprContext, Parameters, Stmt};
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

/// CPython's word on a change of the one name that is a constant.
pub(crate) const NO_DEBUG: &str = "cannot assign to __debug__";

pub(crate) fn is_debug(name: &str) -> bool {
    name == "__debug__"
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Module,
    Class,
    Function,
    GenExp,
    /// A list, set or dict comprehension: its own names, but the frame of what is around it.
    Comp,
}

#[derive(Debug, Default)]
pub(crate) struct Binding {
    pub param: bool,
    pub writes: u32,
    pub captured: bool,
}

impl Binding {
    /// Whether inner functions must share it; a parameter that is never rebound can be copied instead.
    pub(crate) fn is_cell(&self) -> bool {
        self.captured && !(self.param && self.writes == 0)
    }
}

#[derive(Debug)]
pub(crate) struct Scope<'a> {
    pub kind: Kind,
    parent: Option<usize>,
    pub bindings: FxHashMap<&'a str, Binding>,
    /// Names in order of appearance, so that slots are numbered the same way every time.
    pub order: Vec<&'a str>,
    globals: FxHashSet<&'a str>,
    nonlocals: FxHashSet<&'a str>,
}

/// How a scope mentions a name. What a later `global` or `nonlocal` of that name says depends on it, as in CPython's symbol table.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Mention {
    Param,
    Read,
    Annotated,
    Write,
    /// Binds as well, but may be declared later: CPython does not mind.
    Import,
}

/// The scopes of a piece of source, by the range of the node that opens each.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    pub all: Vec<Scope<'a>>,
    by_range: FxHashMap<(u32, u32), usize>,
    /// The first thing in which names are used as CPython refuses to compile.
    pub fault: Option<(String, TextRange)>,
}

impl Scopes<'_> {
    pub(crate) fn of(&self, range: TextRange) -> Option<usize> {
        self.by_range.get(&(range.start().to_u32(), range.end().to_u32())).copied()
    }

    pub(crate) fn is_global(&self, scope: usize, name: &str) -> bool {
        self.all[scope].globals.contains(name)
    }
}

/// Finds all scopes; `root` is scope 0, of the given kind, and already holds `params`.
pub(crate) fn analyse<'a>(body: &'a [Stmt], root: Kind, params: &[&'a str]) -> Scopes<'a> {
    let mut finder = Finder::new(root, params);
    finder.visit_body(body);
    finder.finish()
}

/// As [`analyse`], of one expression in a function.
pub(crate) fn analyse_expression<'a>(expr: &'a Expr, params: &[&'a str]) -> Scopes<'a> {
    let mut finder = Finder::new(Kind::Function, params);
    finder.visit_expr(expr);
    finder.finish()
}

struct Finder<'a> {
    scopes: Scopes<'a>,
    stack: Vec<usize>,
    uses: Vec<(usize, &'a str, Mention)>,
    /// The first of them, as many as `known`, to be looked up.
    mentions: FxHashSet<(usize, &'a str, Mention)>,
    known: usize,
    /// The names of the `nonlocal` statements, which must be bound around them: known when all is read.
    shared: Vec<(usize, &'a str, TextRange)>,
}

impl<'a> Finder<'a> {
    fn new(root: Kind, params: &[&'a str]) -> Finder<'a> {
        let scopes = Scopes { all: Vec::new(), by_range: FxHashMap::default(), fault: None };
        let mut finder = Finder {
            scopes,
            stack: Vec::new(),
            uses: Vec::new(),
            mentions: FxHashSet::default(),
            known: 0,
            shared: Vec::new(),
        };
        finder.open(root, None);
        for param in params {
            finder.bind(param, Mention::Param, TextRange::default());
        }
        finder
    }

    /// Notes what CPython refuses; the first counts.
    #[cold]
    fn refuse(&mut self, message: impl Into<String>, at: TextRange) {
        self.scopes.fault.get_or_insert_with(|| (message.into(), at));
    }

    fn open(&mut self, kind: Kind, range: Option<TextRange>) {
        let id = self.scopes.all.len();
        self.scopes.all.push(Scope {
            kind,
            parent: self.stack.last().copied(),
            bindings: FxHashMap::default(),
            order: Vec::new(),
            globals: FxHashSet::default(),
            nonlocals: FxHashSet::default(),
        });
        if let Some(range) = range {
            self.scopes.by_range.insert((range.start().to_u32(), range.end().to_u32()), id);
        }
        self.stack.push(id);
    }

    fn current(&self) -> usize {
        self.stack.last().copied().unwrap_or(0)
    }

    fn bind_in(&mut self, scope: usize, name: &'a str, param: bool) {
        let scope_ref = &mut self.scopes.all[scope];
        if !scope_ref.bindings.contains_key(name) {
            scope_ref.order.push(name);
        }
        let binding = scope_ref.bindings.entry(name).or_default();
        if param {
            binding.param = true;
        } else {
            binding.writes += 1;
        }
    }

    fn bind(&mut self, name: &'a str, how: Mention, at: TextRange) {
        if is_debug(name) {
            self.refuse(NO_DEBUG, at);
        }
        let scope = self.current();
        self.uses.push((scope, name, how));
        self.bind_own(scope, name, how == Mention::Param);
    }

    /// Declares names to be another scope's, which must not be mentioned before in this one.
    fn declare(&mut self, names: &'a [ast::Identifier], what: &str) {
        // Only who declares needs to know: what has been read since the last declaration is put in here.
        self.mentions.extend(self.uses.iter().skip(self.known));
        self.known = self.uses.len();
        let scope = self.current();
        for name in names {
            let text = name.as_str();
            let mentioned = |how| self.mentions.contains(&(scope, text, how));
            let message = if mentioned(Mention::Param) {
                format!("name '{text}' is parameter and {what}")
            } else if mentioned(Mention::Read) {
                format!("name '{text}' is used prior to {what} declaration")
            } else if mentioned(Mention::Annotated) {
                format!("annotated name '{text}' can't be {what}")
            } else if mentioned(Mention::Write) {
                format!("name '{text}' is assigned to before {what} declaration")
            } else {
                continue;
            };
            self.refuse(message, name.range());
        }
    }

    /// A name with an annotation: bound, also where nothing is assigned, unless it stands in brackets.
    fn annotated(&mut self, assign: &'a ast::StmtAnnAssign) {
        match assign.target.as_ref() {
            Expr::Name(name) if assign.simple => {
                let here = &self.scopes.all[self.current()];
                let declared = [("global", &here.globals), ("nonlocal", &here.nonlocals)];
                let declared = declared.iter().find(|(_, names)| names.contains(name.id.as_str()));
                if here.kind != Kind::Module
                    && let Some((what, _)) = declared
                {
                    self.refuse(format!("annotated name '{}' can't be {what}", name.id), name.range());
                }
                self.bind(name.id.as_str(), Mention::Annotated, name.range());
            }
            Expr::Name(_) if assign.value.is_none() => {}
            target => self.visit_expr(target),
        }
        self.visit_annotation(&assign.annotation);
        if let Some(value) = &assign.value {
            self.visit_expr(value);
        }
    }

    /// Binds a name in a scope, unless it is declared to be another's.
    fn bind_own(&mut self, scope: usize, name: &'a str, param: bool) {
        let declared = &self.scopes.all[scope];
        if !declared.globals.contains(name) && !declared.nonlocals.contains(name) {
            self.bind_in(scope, name, param);
        }
    }

    /// A walrus binds in the nearest function, module or class around comprehensions.
    fn bind_walrus(&mut self, name: &'a str, at: TextRange) {
        if is_debug(name) {
            self.refuse(NO_DEBUG, at);
        }
        let inner = self.current();
        self.uses.push((inner, name, Mention::Write));
        let mut scope = inner;
        while let Scope { kind: Kind::Comp | Kind::GenExp, parent: Some(parent), .. } = self.scopes.all[scope] {
            scope = parent;
        }
        if scope != inner {
            if self.scopes.all[scope].kind == Kind::Class {
                self.refuse("assignment expression within a comprehension cannot be used in a class body", at);
            }
            self.uses.push((scope, name, Mention::Write));
        }
        self.bind_own(scope, name, false);
    }

    fn comprehension(&mut self, kind: Kind, range: TextRange, clauses: &'a [Comprehension], elements: &[&'a Expr]) {
        if let Some(first) = clauses.first() {
            self.visit_expr(&first.iter);
        }
        self.open(kind, Some(range));
        for (i, clause) in clauses.iter().enumerate() {
            if i > 0 {
                self.visit_expr(&clause.iter);
            }
            self.visit_expr(&clause.target);
            clause.ifs.iter().for_each(|condition| self.visit_expr(condition));
        }
        for element in elements {
            self.visit_expr(element);
        }
        self.stack.pop();
    }

    /// Binds parameters in the order of their slots: positional, `*args`, keyword-only, `**kw`.
    fn params(&mut self, parameters: &'a Parameters) {
        let plain = parameters.posonlyargs.iter().chain(&parameters.args).map(|p| &p.parameter);
        let only = parameters.kwonlyargs.iter().map(|p| &p.parameter);
        for parameter in plain.chain(parameters.vararg.as_deref()).chain(only).chain(parameters.kwarg.as_deref()) {
            self.bind(parameter.name.as_str(), Mention::Param, parameter.range());
        }
    }

    fn defaults(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
    }

    /// Whether a function around a scope binds a name that is declared `nonlocal` there.
    fn is_bound_around(&self, scope: usize, name: &str) -> bool {
        let parent = |at: &usize| self.scopes.all[*at].parent;
        let around = std::iter::successors(parent(&scope), parent).map(|at| &self.scopes.all[at]);
        let mut functions = around.filter(|scope| !matches!(scope.kind, Kind::Class | Kind::Module));
        functions.find_map(|scope| match scope.globals.contains(name) {
            true => Some(false),
            false => scope.bindings.contains_key(name).then_some(true),
        }) == Some(true)
    }

    fn finish(mut self) -> Scopes<'a> {
        for (scope, name, at) in std::mem::take(&mut self.shared) {
            let here = &self.scopes.all[scope];
            if here.globals.contains(name) {
                self.refuse(format!("name '{name}' is nonlocal and global"), at);
            } else if here.kind == Kind::Module {
                self.refuse("nonlocal declaration not allowed at module level", at);
            // The methods of a class have this one around them.
            } else if name != "__class__" && !self.is_bound_around(scope, name) {
                self.refuse(format!("no binding for nonlocal '{name}' found"), at);
            }
        }
        for (start, name, _) in std::mem::take(&mut self.uses) {
            let mut scope = start;
            let mut crossed = false;
            loop {
                let here = &mut self.scopes.all[scope];
                if here.globals.contains(name) {
                    break;
                }
                let visible = here.kind != Kind::Class || scope == start;
                if visible
                    && here.kind != Kind::Module
                    && let Some(binding) = here.bindings.get_mut(name)
                {
                    binding.captured |= crossed;
                    break;
                }
                crossed |= matches!(here.kind, Kind::Function | Kind::GenExp | Kind::Class);
                match here.parent {
                    Some(parent) => scope = parent,
                    None => break,
                }
            }
        }
        self.scopes
    }
}

impl<'a> Visitor<'a> for Finder<'a> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::FunctionDef(def) => {
                self.bind(def.name.as_str(), Mention::Write, def.name.range());
                def.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                let annotations = def.parameters.iter().filter_map(|parameter| parameter.annotation());
                annotations.chain(def.returns.as_deref()).for_each(|annotation| self.visit_annotation(annotation));
                self.defaults(&def.parameters);
                self.open(Kind::Function, Some(def.range()));
                self.params(&def.parameters);
                self.visit_body(&def.body);
                self.stack.pop();
            }
            Stmt::ClassDef(def) => {
                self.bind(def.name.as_str(), Mention::Write, def.name.range());
                def.decorator_list.iter().for_each(|decorator| self.visit_decorator(decorator));
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.open(Kind::Class, Some(def.range()));
                self.visit_body(&def.body);
                self.stack.pop();
            }
            Stmt::AnnAssign(assign) => self.annotated(assign),
            Stmt::Global(names) => {
                self.declare(&names.names, "global");
                let scope = self.current();
                for name in &names.names {
                    self.scopes.all[scope].globals.insert(name.as_str());
                }
            }
            Stmt::Nonlocal(names) => {
                self.declare(&names.names, "nonlocal");
                let scope = self.current();
                for name in &names.names {
                    self.scopes.all[scope].nonlocals.insert(name.as_str());
                    // Writes from here make the outer variable a cell.
                    let outer = std::iter::successors(self.scopes.all[scope].parent, |at| self.scopes.all[*at].parent)
                        .take_while(|at| self.scopes.all[*at].kind != Kind::Module)
                        .find(|at| {
                            let scope = &self.scopes.all[*at];
                            scope.kind != Kind::Class && scope.bindings.contains_key(name.as_str())
                        });
                    if let Some(outer) = outer {
                        self.bind_in(outer, name.as_str(), false);
                    }
                    // An import is no mention that a later declaration would mind, and nor is this.
                    self.uses.push((scope, name.as_str(), Mention::Import));
                    self.shared.push((scope, name.as_str(), name.range()));
                }
            }
            Stmt::Import(ast::StmtImport { names, .. }) | Stmt::ImportFrom(ast::StmtImportFrom { names, .. }) => {
                for alias in names {
                    // `import a.b` binds `a`.
                    let first = alias.name.as_str().split('.').next().unwrap_or_default();
                    let name = alias.asname.as_ref().map_or(first, |name| name.as_str());
                    if name != "*" {
                        self.bind(name, Mention::Import, alias.range());
                    } else if self.scopes.all[self.current()].kind != Kind::Module {
                        self.refuse("import * only allowed at module level", alias.range());
                    }
                }
            }
            // In CPython's order, on which it depends what is mentioned before a declaration.
            Stmt::Try(block) => {
                self.visit_body(&block.body);
                self.visit_body(&block.orelse);
                block.handlers.iter().for_each(|handler| self.visit_except_handler(handler));
                self.visit_body(&block.finalbody);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_except_handler(&mut self, handler: &'a ast::ExceptHandler) {
        let ast::ExceptHandler::ExceptHandler(handler) = handler;
        if let Some(of) = &handler.type_ {
            self.visit_expr(of);
        }
        if let Some(name) = &handler.name {
            self.bind(name.as_str(), Mention::Write, name.range());
        }
        self.visit_body(&handler.body);
    }

    fn visit_pattern(&mut self, pattern: &'a ast::Pattern) {
        let name = match pattern {
            ast::Pattern::MatchAs(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchStar(pattern) => pattern.name.as_ref(),
            ast::Pattern::MatchMapping(pattern) => pattern.rest.as_ref(),
            _ => None,
        };
        if let Some(name) = name {
            self.bind(name.as_str(), Mention::Write, name.range());
        }
        visitor::walk_pattern(self, pattern);
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load | ExprContext::Invalid => {
                    self.uses.push((self.current(), name.id.as_str(), Mention::Read));
                }
                ExprContext::Del if is_debug(&name.id) => self.refuse("cannot delete __debug__", name.range()),
                ExprContext::Store | ExprContext::Del => self.bind(name.id.as_str(), Mention::Write, name.range()),
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                if let Expr::Name(name) = named.target.as_ref() {
                    self.bind_walrus(name.id.as_str(), name.range());
                }
            }
            Expr::Lambda(lambda) => {
                if let Some(parameters) = &lambda.parameters {
                    self.defaults(parameters);
                }
                self.open(Kind::Function, Some(lambda.range()));
                if let Some(parameters) = &lambda.parameters {
                    self.params(parameters);
                }
                self.visit_expr(&lambda.body);
                self.stack.pop();
            }
            Expr::ListComp(c) => self.comprehension(Kind::Comp, c.range(), &c.generators, &[&c.elt]),
            Expr::SetComp(c) => self.comprehension(Kind::Comp, c.range(), &c.generators, &[&c.elt]),
            Expr::DictComp(c) => {
                let elements: Vec<&Expr> = c.key.as_deref().into_iter().chain([&*c.value]).collect();
                self.comprehension(Kind::Comp, c.range(), &c.generators, &elements);
            }
            Expr::Generator(c) => self.comprehension(Kind::GenExp, c.range(), &c.generators, &[&c.elt]),
            _ => visitor::walk_expr(self, expr),
        }
    }
}
