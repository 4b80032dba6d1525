//! Screening of code before it runs: what no code may say, what would be answered wrongly, and which names it binds.

use std::collections::{HashMap, HashSet};

use ruff_python_ast::name::Name;
use ruff_python_ast::token::TokenKind;
use ruff_python_ast::visitor::{Visitor, walk_except_handler, walk_expr, walk_parameter, walk_pattern, walk_stmt};
use ruff_python_ast::{
    Alias, ExceptHandler, Expr, ExprContext, ExprNumberLiteral, ModModule, Number, Operator, Parameter, Pattern, Stmt,
};
use ruff_python_parser::Parsed;
use ruff_text_size::Ranged;

use crate::classes::seen_in_class;
use stepwright_program::parse::position;
use stepwright_sandbox::{Bound, Fault, FaultKind};

/// How deep code may nest; the engine's own passes recurse over it.
const DEEPEST: usize = 100;

/// Names the code binds itself, so that they do not mean what they mean elsewhere.
#[derive(Debug, Default)]
pub(crate) struct Own {
    /// Variables, functions, classes, parameters.
    pub(crate) names: HashSet<Name>,
    pub(crate) attributes: HashSet<Name>,
    /// Names bound outside of functions.
    pub(crate) globals: HashSet<Name>,
    /// Names bound inside of functions and classes.
    pub(crate) inner: HashSet<Name>,
    /// Whether it can have sets at all.
    pub(crate) has_sets: bool,
    /// Whether it may take something out of a set, after which an order can no longer be told from what is in it.
    pub(crate) loses: bool,
    /// Where the code begins whose imports are calls of what stands before it; nothing where no code may import.
    pub(crate) imports: Option<usize>,
}

/// The functions of a prelude that code's imports are calls of: `import NAME`, `from MODULE import NAME`.
pub(crate) const IMPORTED: [&str; 2] = ["_module", "_member"];

/// Looks at parsed code; its first `own` bytes are this program's and may say what they like.
pub(crate) fn screen(source: &str, parsed: &Parsed<ModModule>, own: usize) -> Result<Own, Fault> {
    let imports = IMPORTED.iter().all(|name| defines(&parsed.syntax().body, name, own)).then_some(own);
    forbidden(source, parsed, own, imports.is_some())?;
    let mut look = Look { prelude: own, ..Look::default() };
    look.own.imports = imports;
    look.visit_body(&parsed.syntax().body);
    if let Some((offset, kind)) = look.refused {
        return Err(Fault::at(line_of(source, offset), kind));
    }
    Ok(look.own)
}

/// The line of an offset, from 1.
pub(crate) fn line_of(source: &str, offset: usize) -> u32 {
    u32::try_from(position(source, offset).0).unwrap_or(u32::MAX)
}

/// Whether the first `own` bytes define a function of that name.
fn defines(body: &[Stmt], name: &str, own: usize) -> bool {
    let before = body.iter().take_while(|statement| statement.end().to_usize() <= own);
    before.filter_map(|statement| statement.as_function_def_stmt()).any(|def| def.name.as_str() == name)
}

/// Statler's own execution refuses code that holds `import` or `__` anywhere; here what a text or a comment says is free, and an `import`
/// where it is a call.
fn forbidden(source: &str, parsed: &Parsed<ModModule>, own: usize, imports: bool) -> Result<(), Fault> {
    for token in parsed.tokens().iter().filter(|token| token.range().start().to_usize() >= own) {
        let text = source.get(token.range().to_std_range()).unwrap_or_default();
        let what = match token.kind() {
            TokenKind::Import if !imports => "import".to_owned(),
            TokenKind::Name if text.contains("__") => format!("the name `{text:.60}`, because of its two underscores"),
            _ => continue,
        };
        return Err(Fault::at(line_of(source, token.range().start().to_usize()), FaultKind::Forbidden(what)));
    }
    Ok(())
}

/// The name that an import binds: of `import a.b` the first part.
pub(crate) fn bound_by(alias: &Alias) -> Name {
    match &alias.asname {
        Some(name) => name.id.clone(),
        None => Name::new(alias.name.as_str().split('.').next().unwrap_or_default()),
    }
}

/// Methods after which a set's order depends on what was in it before.
const TAKES_OUT: &[&str] = &[
    "remove", "discard", "pop", "difference", "difference_update", "symmetric_difference",
    "symmetric_difference_update",
];

/// Whether this may be one side of a subtraction of sets: no number, as far as can be seen.
fn takes_away(operator: Operator, side: &Expr) -> bool {
    let number = match side {
        Expr::NumberLiteral(_) => true,
        Expr::Call(call) => {
            matches!(call.func.as_ref(), Expr::Name(name) if matches!(name.id.as_str(), "len" | "int" | "float" | "sum"))
        }
        _ => false,
    };
    operator == Operator::Sub && !number
}

/// `d.keys()` or `d.items()`, of which operators make sets.
fn is_view(side: &Expr) -> bool {
    let Expr::Call(call) = side else { return false };
    matches!(call.func.as_ref(), Expr::Attribute(a) if matches!(a.attr.as_str(), "keys" | "items"))
}

fn has_two_stars(target: &Expr) -> bool {
    let parts = match target {
        Expr::Tuple(tuple) => &tuple.elts,
        Expr::List(list) => &list.elts,
        _ => return false,
    };
    parts.iter().filter(|part| part.is_starred_expr()).count() > 1 || parts.iter().any(has_two_stars)
}

#[derive(Default)]
struct Look {
    own: Own,
    /// How many bytes are this program's.
    prelude: usize,
    depth: usize,
    classes: usize,
    functions: usize,
    keys: HashMap<String, String>,
    refused: Option<(usize, FaultKind)>,
}

impl Look {
    fn bind(&mut self, name: &Name) {
        self.own.names.insert(name.clone());
        if self.functions == 0 {
            self.own.globals.insert(name.clone());
        }
        if self.functions + self.classes > 0 {
            self.own.inner.insert(name.clone());
        }
        if self.classes > 0 {
            self.own.attributes.insert(name.clone());
        }
    }

    fn imports(&self, node: &impl Ranged) -> bool {
        self.own.imports.is_some_and(|from| node.start().to_usize() >= from)
    }

    fn enter(&mut self, node: &impl Ranged) -> bool {
        self.depth += 1;
        if self.depth > DEEPEST {
            self.refuse(node, FaultKind::Limit(Bound::Depth));
        }
        self.depth <= DEEPEST
    }

    fn mistake(&mut self, node: &impl Ranged, message: &str) {
        self.refuse(node, FaultKind::Raised("SyntaxError".to_owned(), message.to_owned()));
    }

    /// A dictionary keeps the first of equal keys, the engine the last.
    fn key(&mut self, key: &Expr) {
        let text = match key {
            Expr::BooleanLiteral(b) => u8::from(b.value).to_string(),
            Expr::NumberLiteral(ExprNumberLiteral { value: Number::Int(n), .. }) => n.to_string(),
            Expr::NumberLiteral(ExprNumberLiteral { value: Number::Float(x), .. }) => x.to_string(),
            _ => return,
        };
        let kind = match key {
            Expr::BooleanLiteral(_) => "bool",
            Expr::NumberLiteral(ExprNumberLiteral { value: Number::Float(_), .. }) => "float",
            _ => "int",
        };
        if self.keys.entry(text).or_insert_with(|| kind.to_owned()) != kind {
            self.refuse(key, FaultKind::Unsupported("equal keys of different types".to_owned()));
        }
    }

    fn refuse(&mut self, node: &impl Ranged, kind: FaultKind) {
        self.refused.get_or_insert((node.start().to_usize(), kind));
    }
}

impl<'a> Visitor<'a> for Look {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        if self.enter(stmt) {
            match stmt {
                // A method of this program's that has the name of a text's is one that is called all the same.
                Stmt::FunctionDef(def) if self.classes > 0 && def.start().to_usize() < self.prelude => {
                    self.own.names.insert(def.name.id.clone());
                    self.own.inner.insert(def.name.id.clone());
                }
                Stmt::FunctionDef(def) => self.bind(&def.name.id),
                Stmt::Import(it) if self.imports(it) => it.names.iter().for_each(|alias| self.bind(&bound_by(alias))),
                Stmt::ImportFrom(it) if self.imports(it) => {
                    it.names.iter().for_each(|alias| self.bind(&bound_by(alias)));
                }
                Stmt::ClassDef(def) => {
                    self.bind(&def.name.id);
                    if let Some(seen) = seen_in_class(&def.body) {
                        let what = format!("`{}` of a class in a comprehension or function within it", seen.id);
                        self.refuse(seen, FaultKind::Unsupported(what));
                    }
                }
                Stmt::Global(global) => self.own.globals.extend(global.names.iter().map(|name| name.id.clone())),
                Stmt::Return(_) if self.functions == 0 => self.mistake(stmt, "'return' outside function"),
                Stmt::Assign(assign) if assign.targets.iter().any(has_two_stars) => {
                    self.mistake(stmt, "multiple starred expressions in assignment");
                }
                Stmt::AugAssign(it) => {
                    self.own.loses |= matches!(it.op, Operator::BitXor) || takes_away(it.op, &it.value)
                }
                _ => {}
            }
            let (class, function) = (matches!(stmt, Stmt::ClassDef(_)), matches!(stmt, Stmt::FunctionDef(_)));
            self.classes += usize::from(class);
            self.functions += usize::from(function);
            walk_stmt(self, stmt);
            self.functions -= usize::from(function);
            self.classes -= usize::from(class);
        }
        self.depth -= 1;
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        if self.enter(expr) {
            match expr {
                Expr::Name(name) if name.ctx != ExprContext::Load => self.bind(&name.id),
                Expr::Attribute(a) if a.ctx != ExprContext::Load => {
                    self.own.attributes.insert(a.attr.id.clone());
                }
                Expr::Attribute(a) => self.own.loses |= TAKES_OUT.contains(&a.attr.as_str()),
                Expr::Set(_) | Expr::SetComp(_) => self.own.has_sets = true,
                Expr::Name(name) if matches!(name.id.as_str(), "set" | "frozenset") => self.own.has_sets = true,
                Expr::BinOp(it) => {
                    let views = [&it.left, &it.right].into_iter().any(|side| is_view(side));
                    let joins = matches!(it.op, Operator::BitAnd | Operator::BitOr | Operator::BitXor);
                    self.own.has_sets |= joins || views;
                    self.own.loses |=
                        it.op == Operator::BitXor || takes_away(it.op, &it.left) && takes_away(it.op, &it.right);
                }
                Expr::Dict(dict) => dict.iter_keys().flatten().for_each(|key| self.key(key)),
                Expr::Subscript(s) if s.ctx == ExprContext::Store => self.key(&s.slice),
                // The engine would say that a text has no `upper`.
                Expr::Name(name) if matches!(name.id.as_str(), "hasattr" | "getattr" | "hash") => {
                    self.refuse(name, FaultKind::Unsupported(format!("`{}`", name.id)));
                }
                _ => {}
            }
            walk_expr(self, expr);
        }
        self.depth -= 1;
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.own.names.insert(parameter.name.id.clone());
        walk_parameter(self, parameter);
    }

    fn visit_except_handler(&mut self, handler: &'a ExceptHandler) {
        let ExceptHandler::ExceptHandler(it) = handler;
        if let Some(name) = &it.name {
            self.bind(&name.id);
        }
        walk_except_handler(self, handler);
    }

    fn visit_pattern(&mut self, pattern: &'a Pattern) {
        // The engine refuses `match` as a whole; only its depth matters here.
        if self.enter(pattern) {
            walk_pattern(self, pattern);
        }
        self.depth -= 1;
    }
}
