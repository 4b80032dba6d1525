//! Candidate assertions: which texts are accepted, and their compiled form.

use std::sync::{Arc, PoisonError, RwLock};

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_parameter};
use ruff_python_ast::{Expr, Parameter, Stmt, StmtAssert};
use ruff_text_size::Ranged;

use super::engine::code::{FunctionCode, Params};
use super::engine::compile::{self, CompileFailure};
use super::engine::parse::{ParseFailure, with_module};
use super::specification::Function;

/// Names that no candidate may use.
const UNSAFE: &[&str] = &[
    "__import__",
    "eval",
    "exec",
    "compile",
    "open",
    "input",
    "breakpoint",
    "exit",
    "quit",
    "globals",
    "locals",
    "vars",
    "dir",
    "setattr",
    "delattr",
    "print",
    "help",
    "memoryview",
    "super",
    "copyright",
    "credits",
    "license",
];

/// Put before a text to make it a statement in a function body.
const BEFORE: &str = "def _():\n assert ";

/// Longest list of signatures an assertion is kept compiled for.
const KEPT: usize = 32;

/// Why a text is no candidate.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{reason}: {message}")]
pub struct Rejection {
    /// `Form`, `SyntaxError`, `Unsafe` or `Budget`.
    pub reason: &'static str,
    /// For people.
    pub message: String,
}

impl Rejection {
    fn new(reason: &'static str, message: impl Into<String>) -> Self {
        Rejection { reason, message: message.into() }
    }
}

type Kept = Vec<(Arc<Params>, Arc<FunctionCode>)>;

/// A candidate assertion. Cheap to clone; compiled once for each signature it is checked in.
#[derive(Clone)]
pub struct Assertion(Arc<Inner>);

struct Inner {
    text: String,
    source: String,
    compiled: RwLock<Kept>,
}

impl std::fmt::Debug for Assertion {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "assert {}", self.0.text)
    }
}

impl Assertion {
    /// Accepts or rejects a candidate text: blanks around it and one leading `assert ` are dropped, then it must be one line,
    /// one statement, Python, and free of unsafe names.
    ///
    /// # Errors
    /// The first rule it breaks, in the order `Form` (line breaks), `SyntaxError`, `Form` (statements, `yield`), `Unsafe`;
    /// `Budget` if it is too large or too deep to judge.
    pub fn compile(text: &str) -> Result<Assertion, Rejection> {
        Assertion::read(text, &Arc::default()).map(|(assertion, _)| assertion)
    }

    /// As [`Assertion::compile`], ready to be checked in that function: the text is read once instead of twice.
    ///
    /// # Errors
    /// As [`Assertion::compile`].
    pub fn compile_in(text: &str, function: &Function) -> Result<Assertion, Rejection> {
        let (assertion, code) = Assertion::read(text, &function.signature)?;
        let kept = (function.signature.clone(), Arc::new(code));
        assertion.0.compiled.write().unwrap_or_else(PoisonError::into_inner).push(kept);
        Ok(assertion)
    }

    fn read(text: &str, params: &Arc<Params>) -> Result<(Assertion, FunctionCode), Rejection> {
        let text = text.trim();
        let text = text.strip_prefix("assert ").unwrap_or(text);
        if text.contains(['\n', '\r']) {
            return Err(Rejection::new("Form", "an assertion is one line"));
        }
        let source = format!("{BEFORE}{text}\n");
        let judged = with_module(&source, |module| {
            let body = match module.body.as_slice() {
                [Stmt::FunctionDef(def)] => &def.body,
                _ => return Err(Rejection::new("Form", "an assertion is one statement")),
            };
            let code = compile::function_body(&source, body, "assertion", params).map_err(rejected)?;
            let [Stmt::Assert(assert)] = body.as_slice() else {
                return Err(Rejection::new("Form", "an assertion is one statement"));
            };
            inspect(assert).map(|()| code)
        });
        let code = match judged {
            Err(ParseFailure::Syntax(message, _)) => return Err(Rejection::new("SyntaxError", message)),
            Err(ParseFailure::TooLarge) => return Err(Rejection::new("Budget", "the text is too large")),
            Ok(result) => result?,
        };
        let text = text.to_owned();
        Ok((Assertion(Arc::new(Inner { text, source, compiled: RwLock::default() })), code))
    }

    /// The text as accepted, without `assert `.
    pub fn text(&self) -> &str {
        &self.0.text
    }

    /// The code in a function with these parameters.
    pub(crate) fn code(&self, params: &Arc<Params>) -> Option<Arc<FunctionCode>> {
        {
            let kept = self.0.compiled.read().unwrap_or_else(PoisonError::into_inner);
            let found = kept.iter().find(|(p, _)| Arc::ptr_eq(p, params) || same(p, params));
            if let Some((_, code)) = found {
                return Some(code.clone());
            }
        }
        let code = with_module(&self.0.source, |module| match module.body.as_slice() {
            [Stmt::FunctionDef(def)] => compile::function_body(&self.0.source, &def.body, "assertion", params).ok(),
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

    /// Texts of the parts whose values tell why it holds or fails, with their code: names, attributes, items and calls, in
    /// order of appearance.
    pub(crate) fn parts(&self, params: &Arc<Params>) -> Vec<(String, Arc<FunctionCode>)> {
        let source = &self.0.source;
        with_module(source, |module| {
            let [Stmt::FunctionDef(def)] = module.body.as_slice() else { return Vec::new() };
            let [Stmt::Assert(assert)] = def.body.as_slice() else { return Vec::new() };
            let mut parts = Parts { found: Vec::new(), this: params.names.first().map_or("self", |n| n) };
            parts.visit_expr(&assert.test);
            let mut out: Vec<(String, Arc<FunctionCode>)> = Vec::new();
            for part in parts.found {
                let text = source[part.range()].to_owned();
                if out.iter().any(|(t, _)| *t == text) || out.len() >= 24 {
                    continue;
                }
                if let Ok(code) = compile::expression(source, part, params) {
                    out.push((text, Arc::new(code)));
                }
            }
            out
        })
        .unwrap_or_default()
    }
}

fn same(a: &Params, b: &Params) -> bool {
    a.names == b.names && a.star == b.star && a.keyword_only == b.keyword_only && a.double_star == b.double_star
}

fn rejected(failure: CompileFailure) -> Rejection {
    match failure {
        CompileFailure::Syntax(message, _) => Rejection::new("SyntaxError", message),
        CompileFailure::TooDeep => Rejection::new("Budget", "the text nests too deeply"),
    }
}

/// The rules beyond Python's own: no `yield`, no unsafe names.
fn inspect(assert: &StmtAssert) -> Result<(), Rejection> {
    #[derive(Default)]
    struct Names {
        yields: bool,
        unsafe_name: Option<String>,
    }
    impl Names {
        fn name(&mut self, name: &str, listed: bool) {
            if name.starts_with("__") || (listed && UNSAFE.contains(&name)) {
                self.unsafe_name.get_or_insert_with(|| name.to_owned());
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
    let mut names = Names::default();
    names.visit_expr(&assert.test);
    if let Some(message) = &assert.msg {
        names.visit_expr(message);
    }
    if names.yields {
        return Err(Rejection::new("Form", "an assertion does not yield"));
    }
    match names.unsafe_name {
        Some(name) => Err(Rejection::new("Unsafe", format!("the name {name} is not allowed in assertions"))),
        None => Ok(()),
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
