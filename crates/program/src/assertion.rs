//! Candidate assertions: which texts are accepted, and their compiled form.

use std::sync::{Arc, OnceLock, PoisonError, RwLock};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameter};
use ruff_python_ast::{Expr, Parameter, Stmt};
use ruff_text_size::Ranged;

use super::dissection::{Dissection, PartBook};
use super::engine::code::{FunctionCode, Params};
use super::engine::compile::{self, CompileFailure};
use super::engine::parse::{ParseFailure, with_module};
use super::specification::Function;

/// Whether a name is one that no candidate may use.
pub(crate) fn is_unsafe(name: &str) -> bool {
    matches!(
        name,
        "__import__"
            | "eval"
            | "exec"
            | "compile"
            | "open"
            | "input"
            | "breakpoint"
            | "exit"
            | "quit"
            | "globals"
            | "locals"
            | "vars"
            | "dir"
            | "setattr"
            | "delattr"
            | "print"
            | "help"
            | "memoryview"
            | "super"
            | "copyright"
            | "credits"
            | "license"
    )
}

/// Put before a text to make it a statement in a function body.
pub(crate) const BEFORE: &str = "def _():\n assert ";

/// Whether a text may call the function whose body it is: it reads an attribute of that name, or one whose name it makes. Other letters than
/// ASCII's are read as such (`ｔａｋｅ` is `take` to Python), so that a text with some may.
fn may_call(text: &str, function: &str) -> bool {
    let part = |b: &u8| b.is_ascii_alphanumeric() || *b == b'_';
    let (bytes, first) = (text.as_bytes(), function.bytes().next());
    let dotted = |at: usize| {
        let (before, after) = bytes.split_at_checked(at).unwrap_or_default();
        let whole = after.starts_with(function.as_bytes()) && !after.get(function.len()).is_some_and(part);
        whole
            && !before.last().is_some_and(part)
            && (before.trim_ascii_end().ends_with(b".") || text.contains("getattr"))
    };
    !text.is_ascii() || bytes.iter().enumerate().any(|(at, byte)| Some(*byte) == first && dotted(at))
}

/// Longest list of signatures an assertion is kept compiled for.
const KEPT: usize = 32;

/// Why a text is no candidate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Rejection {
    /// `Form`, `SyntaxError`, `Unsafe` or `Budget`.
    pub reason: &'static str,
    /// For display.
    pub message: String,
}

impl Rejection {
    pub(super) fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Rejection { reason, message: message.into() }
    }
}

type Kept = Vec<(Arc<Params>, Arc<FunctionCode>)>;

/// A candidate assertion. Cheap to clone; compiled once for each signature it is checked in.
#[derive(Clone)]
pub struct Assertion(Arc<Inner>);

struct Inner {
    text: String,
    compiled: RwLock<Kept>,
    parts: Option<Dissection>,
    /// The parts that tell why, for the signature they were asked for first.
    telling: OnceLock<(Arc<Params>, Arc<Telling>)>,
}

/// Texts with their code.
type Telling = [(String, Arc<FunctionCode>)];

impl std::fmt::Debug for Assertion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "assert {}", self.0.text)
    }
}

impl Assertion {
    /// Accepts or rejects a candidate text: spaces around it and one leading `assert ` are dropped, then it must be one line,
    /// one statement, Python, and free of unsafe names.
    /// Errors: the first rule it breaks, in the order `Form` (line breaks), `SyntaxError`, `Form` (statements,
    /// `yield`), `Unsafe`; `Budget` if it is too large or too deep to judge.
    pub fn compile(text: &str) -> Result<Assertion, Rejection> {
        Assertion::read(text, &Arc::default(), None)
    }

    /// As [`Assertion::compile`], taken apart for that function where that can be done; the parts are looked up in its book.
    pub fn dissect(text: &str, function: &Function, book: &mut PartBook) -> Result<Assertion, Rejection> {
        // Parts know nothing of the whole, which is what the function does that they call.
        let book = Some(book).filter(|_| !may_call(text, &function.name));
        Assertion::read(text, &function.signature, book)
    }

    /// The expression of a candidate text: blanks around it and one leading `assert ` are no part of it.
    pub fn expression(text: &str) -> &str {
        // As Python strips: the separators of ASCII are blanks to it.
        let text = text.trim_matches(|c: char| c.is_whitespace() || ('\x1c'..='\x1f').contains(&c));
        text.strip_prefix("assert ").unwrap_or(text)
    }

    fn read(text: &str, params: &Arc<Params>, mut book: Option<&mut PartBook>) -> Result<Assertion, Rejection> {
        let text = Assertion::expression(text);
        if text.bytes().any(|byte| matches!(byte, b'\n' | b'\r')) {
            return Err(Rejection::new("Form", "an assertion is one line"));
        }
        // What is wrong with a part is reported by reading the whole, below: in the order that holds for wholes.
        let fine = |part: &Expr| inspect([part]).is_ok();
        if let Some(parts) = book.as_deref_mut().and_then(|book| book.split(text, params, fine)) {
            return Ok(Assertion::new(text, None, Some(parts)));
        }
        let source = source_of(text);
        let judged = with_module(&source, |module| {
            let body = match module.body.as_slice() {
                [Stmt::FunctionDef(def)] => &def.body,
                _ => return Err(Rejection::new("Form", "an assertion is one statement")),
            };
            if let ([Stmt::Assert(assert)], Some(book)) = (body.as_slice(), book)
                && let Some(parts) = book.dissect(&source, assert, params, fine)
            {
                return Ok((Some(parts), None));
            }
            let code = compile::function_body(&source, body, "assertion", params).map_err(rejected)?;
            let [Stmt::Assert(assert)] = body.as_slice() else {
                return Err(Rejection::new("Form", "an assertion is one statement"));
            };
            inspect([&*assert.test].into_iter().chain(assert.msg.as_deref())).map(|()| (None, Some(code)))
        });
        let (parts, code) = match judged {
            Err(ParseFailure::Syntax(message, _)) => return Err(Rejection::new("SyntaxError", message)),
            Err(ParseFailure::TooLarge) => return Err(Rejection::new("Budget", "the text is too large")),
            Err(ParseFailure::TooDeep) => return Err(rejected(CompileFailure::TooDeep)),
            Ok(result) => result?,
        };
        // Code for no function in particular is of no use to one.
        let kept = code.filter(|_| !params.names.is_empty()).map(|code| (params.clone(), Arc::new(code)));
        Ok(Assertion::new(text, kept, parts))
    }

    fn new(text: &str, kept: Option<(Arc<Params>, Arc<FunctionCode>)>, parts: Option<Dissection>) -> Assertion {
        let compiled = RwLock::new(kept.into_iter().collect());
        Assertion(Arc::new(Inner { text: text.to_owned(), compiled, parts, telling: OnceLock::new() }))
    }

    /// Its parts, if it was taken apart.
    pub fn parts(&self) -> Option<&Dissection> {
        self.0.parts.as_ref()
    }

    /// The text as accepted, without `assert `.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// Whether it may call the function whose body it is.
    pub(crate) fn may_recurse(&self, function: &Function) -> bool {
        may_call(&self.0.text, &function.name)
    }

    pub(crate) fn code(&self, params: &Arc<Params>) -> Option<Arc<FunctionCode>> {
        {
            let kept = self.0.compiled.read().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().find(|(p, _)| Arc::ptr_eq(p, params) || same(p, params));
            if let Some((_, code)) = found {
                return Some(code.clone());
            }
        }
        let source = source_of(&self.0.text);
        let code = with_module(&source, |module| match module.body.as_slice() {
            [Stmt::FunctionDef(def)] => compile::function_body(&source, &def.body, "assertion", params).ok(),
            _ => None,
        });
        let code = Arc::new(code.ok().flatten()?);
        let mut kept = self.0.compiled.write().unwrap_or_else(PoisonError::into_inner);
        if kept.len() >= KEPT {
            kept.clear();
        }
        kept.push((params.clone(), code.clone()));
        Some(code)
    }

    /// Texts of the parts whose values show why it holds or fails, with their code: names, attributes, items and calls, in
    /// order of appearance.
    pub(crate) fn telling_parts(&self, params: &Arc<Params>) -> Arc<Telling> {
        let (known, parts) = self.0.telling.get_or_init(|| (params.clone(), self.compiled_parts(params)));
        if same(known, params) { parts.clone() } else { self.compiled_parts(params) }
    }

    fn compiled_parts(&self, params: &Arc<Params>) -> Arc<Telling> {
        let source = source_of(&self.0.text);
        with_module(&source, |module| {
            let [Stmt::FunctionDef(def)] = module.body.as_slice() else { return Arc::default() };
            let [Stmt::Assert(assert)] = def.body.as_slice() else { return Arc::default() };
            let mut parts = Parts { found: Vec::new(), this: params.names.first().map_or("self", |n| n) };
            parts.visit_expr(&assert.test);
            let mut out: Vec<(String, Arc<FunctionCode>)> = Vec::new();
            for part in parts.found {
                let text = source[part.range()].to_owned();
                if out.iter().any(|(t, _)| *t == text) || out.len() >= 24 {
                    continue;
                }
                if let Ok(code) = compile::expression(&source, part, params) {
                    out.push((text, Arc::new(code)));
                }
            }
            out.into()
        })
        .unwrap_or_default()
    }
}

pub(crate) fn source_of(text: &str) -> String {
    [BEFORE, text, "\n"].concat()
}

fn same(a: &Params, b: &Params) -> bool {
    let same_names = a.names == b.names && a.star == b.star && a.keyword_only == b.keyword_only;
    same_names && a.double_star == b.double_star && a.python == b.python
}

pub(super) fn rejected(failure: CompileFailure) -> Rejection {
    match failure {
        CompileFailure::Syntax(message, _) => Rejection::new("SyntaxError", message),
        // To some versions of Python it is one.
        CompileFailure::Unsupported(what, _) => Rejection::new("SyntaxError", what),
        CompileFailure::TooDeep => Rejection::new("Budget", "the text nests too deeply"),
    }
}

/// The rules beyond Python's own: no `yield`, no unsafe names.
fn inspect<'a>(exprs: impl IntoIterator<Item = &'a Expr>) -> Result<(), Rejection> {
    let mut names = Names::default();
    exprs.into_iter().for_each(|expr| names.visit_expr(expr));
    names.judged()
}

/// The same rules, for a whole statement.
pub(super) fn inspect_statement(statement: &Stmt) -> Result<(), Rejection> {
    let mut names = Names::default();
    names.visit_stmt(statement);
    names.judged()
}

#[derive(Default)]
struct Names {
    yields: bool,
    unsafe_name: Option<String>,
}

impl Names {
    fn name(&mut self, name: &str, variable: bool) {
        if name.starts_with("__") || (variable && is_unsafe(name)) {
            self.unsafe_name.get_or_insert_with(|| name.to_owned());
        }
    }

    fn judged(self) -> Result<(), Rejection> {
        if self.yields {
            return Err(Rejection::new("Form", "an assertion does not yield"));
        }
        match self.unsafe_name {
            Some(name) => Err(Rejection::new("Unsafe", format!("the name {name} is not allowed in assertions"))),
            None => Ok(()),
        }
    }
}

impl<'a> Visitor<'a> for Names {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Yield(_) | Expr::YieldFrom(_) | Expr::Await(_) => self.yields = true,
            Expr::Name(name) => self.name(name.id.as_str(), true),
            Expr::Attribute(attribute) => self.name(attribute.attr.as_str(), false),
            _ => {}
        }
        walk_expr(self, expr);
    }

    fn visit_parameter(&mut self, parameter: &'a Parameter) {
        self.name(parameter.name.as_str(), true);
        walk_parameter(self, parameter);
    }
}

/// Collects the parts of an expression that have a value worth showing.
struct Parts<'a, 'p> {
    found: Vec<&'a Expr>,
    this: &'p str,
}

impl<'a> Visitor<'a> for Parts<'a, '_> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Lambda(_) | Expr::ListComp(_) | Expr::SetComp(_) | Expr::DictComp(_) | Expr::Generator(_) => {
                // Their variables have no value outside; what they range over has.
                let clauses = match expr {
                    Expr::ListComp(c) => &c.generators,
                    Expr::SetComp(c) => &c.generators,
                    Expr::DictComp(c) => &c.generators,
                    Expr::Generator(c) => &c.generators,
                    _ => return,
                };
                if let Some(first) = clauses.first() {
                    self.visit_expr(&first.iter);
                }
            }
            Expr::Call(call) => {
                self.found.push(expr);
                if let Expr::Attribute(method) = call.func.as_ref() {
                    self.visit_expr(&method.value);
                }
                self.visit_arguments(&call.arguments);
            }
            Expr::Name(name) if name.id.as_str() == self.this => {}
            Expr::Name(_) | Expr::Attribute(_) | Expr::Subscript(_) => {
                self.found.push(expr);
                if let Expr::Subscript(subscript) = expr {
                    self.visit_expr(&subscript.slice);
                }
            }
            _ => walk_expr(self, expr),
        }
    }
}
