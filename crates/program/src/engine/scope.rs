//! Scopes of names, found before compiling: a variable that an inner function uses must be a shared cell.

use ruff_python_ast::visitor::{self, Visitor};
use ruff_python_ast::{self as ast, Comprehension, Expr, ExprContext, Parameters, Stmt};
use ruff_text_size::{Ranged, TextRange};
use rustc_hash::{FxHashMap, FxHashSet};

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

/// The scopes of a piece of source, by the range of the node that opens each.
#[derive(Debug)]
pub(crate) struct Scopes<'a> {
    pub all: Vec<Scope<'a>>,
    by_range: FxHashMap<(u32, u32), usize>,
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
    uses: Vec<(usize, &'a str)>,
}

impl<'a> Finder<'a> {
    fn new(root: Kind, params: &[&'a str]) -> Finder<'a> {
        let scopes = Scopes { all: Vec::new(), by_range: FxHashMap::default() };
        let mut finder = Finder { scopes, stack: Vec::new(), uses: Vec::new() };
        finder.open(root, None);
        for param in params {
            finder.bind(param, true);
        }
        finder
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

    fn bind(&mut self, name: &'a str, param: bool) {
        let scope = self.current();
        self.uses.push((scope, name));
        self.bind_own(scope, name, param);
    }

    /// Binds a name in a scope, unless it is declared to be another's.
    fn bind_own(&mut self, scope: usize, name: &'a str, param: bool) {
        let declared = &self.scopes.all[scope];
        if !declared.globals.contains(name) && !declared.nonlocals.contains(name) {
            self.bind_in(scope, name, param);
        }
    }

    /// A walrus binds in the nearest function, module or class around comprehensions.
    fn bind_walrus(&mut self, name: &'a str) {
        let inner = self.current();
        self.uses.push((inner, name));
        let mut scope = inner;
        while let Scope { kind: Kind::Comp | Kind::GenExp, parent: Some(parent), .. } = self.scopes.all[scope] {
            scope = parent;
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
            self.bind(parameter.name.as_str(), true);
        }
    }

    fn defaults(&mut self, parameters: &'a Parameters) {
        for parameter in parameters.iter_non_variadic_params() {
            if let Some(default) = &parameter.default {
                self.visit_expr(default);
            }
        }
    }

    fn finish(mut self) -> Scopes<'a> {
        for (start, name) in std::mem::take(&mut self.uses) {
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
                self.bind(def.name.as_str(), false);
                self.defaults(&def.parameters);
                self.open(Kind::Function, Some(def.range()));
                self.params(&def.parameters);
                self.visit_body(&def.body);
                self.stack.pop();
            }
            Stmt::ClassDef(def) => {
                self.bind(def.name.as_str(), false);
                if let Some(arguments) = &def.arguments {
                    self.visit_arguments(arguments);
                }
                self.open(Kind::Class, Some(def.range()));
                self.visit_body(&def.body);
                self.stack.pop();
            }
            Stmt::Global(names) => {
                let scope = self.current();
                for name in &names.names {
                    self.scopes.all[scope].globals.insert(name.as_str());
                }
            }
            Stmt::Nonlocal(names) => {
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
                    self.uses.push((scope, name.as_str()));
                }
            }
            Stmt::Import(ast::StmtImport { names, .. }) | Stmt::ImportFrom(ast::StmtImportFrom { names, .. }) => {
                for alias in names {
                    self.bind(alias.asname.as_ref().unwrap_or(&alias.name).as_str(), false);
                }
            }
            Stmt::Try(block) => {
                for handler in &block.handlers {
                    let ast::ExceptHandler::ExceptHandler(handler) = handler;
                    if let Some(name) = &handler.name {
                        self.bind(name.as_str(), false);
                    }
                }
                visitor::walk_stmt(self, stmt);
            }
            _ => visitor::walk_stmt(self, stmt),
        }
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Name(name) => match name.ctx {
                ExprContext::Load | ExprContext::Invalid => self.uses.push((self.current(), name.id.as_str())),
                ExprContext::Store | ExprContext::Del => self.bind(name.id.as_str(), false),
            },
            Expr::Named(named) => {
                self.visit_expr(&named.value);
                if let Expr::Name(name) = named.target.as_ref() {
                    self.bind_walrus(name.id.as_str());
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
