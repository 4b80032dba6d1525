//! Assertions taken apart at `and`, `or`, `not` and `… if … else …`. The candidates of one action share most of their parts, so each
//! part is compiled once, however many candidates contain it. Says what the parts are; evaluates nothing.

use std::sync::Arc;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{BoolOp, Expr, StmtAssert, UnaryOp};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::engine::code::{FunctionCode, Params};
use super::engine::compile;

/// A part of assertions: an expression that gives true or false by itself.
#[derive(Debug)]
pub struct Part {
    number: usize,
    text: Box<str>,
    code: Arc<FunctionCode>,
}

impl Part {
    /// Its number in its book, from 0 without gaps.
    pub fn number(&self) -> usize {
        self.number
    }

    /// The expression.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub(super) fn code(&self) -> Arc<FunctionCode> {
        self.code.clone()
    }
}

/// How an assertion is made of its parts, by their places in [`Dissection::parts`].
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Skeleton {
    /// A part.
    Part(usize),
    /// `… and … and …`
    And(Vec<Skeleton>),
    /// `… or … or …`
    Or(Vec<Skeleton>),
    /// `not …`
    Not(Box<Skeleton>),
    /// Condition, what counts where it is true, what counts where it is false.
    If(Box<[Skeleton; 3]>),
}

/// An assertion taken apart.
#[derive(Debug, Clone)]
pub struct Dissection {
    /// How it is made.
    pub skeleton: Skeleton,
    /// Its parts in order of appearance; one may be there twice.
    pub parts: Vec<Arc<Part>>,
    /// Parts, operators and denials in all.
    pub nodes: usize,
}

/// The parts of one action's candidates.
#[derive(Debug, Default)]
pub struct PartBook {
    by_text: FxHashMap<Box<str>, Arc<Part>>,
}

/// Most parts a book holds; then it is emptied.
const MOST: usize = 1 << 14;
/// Longest text that is taken apart, in bytes; what is within cannot nest too deeply to be compiled.
const LONGEST: usize = compile::MAX_DEPTH as usize / 2;
/// Deepest nesting of operators that is taken apart.
const DEEPEST: usize = 16;

impl PartBook {
    /// Takes an assertion apart. `None` where it is better left whole: its parts share a variable, a message has to be
    /// evaluated, or a part is none that `accepts` lets pass.
    pub(super) fn dissect(
        &mut self,
        source: &str,
        assert: &StmtAssert,
        params: &Params,
        accepts: impl Fn(&Expr) -> bool,
    ) -> Option<Dissection> {
        let plain = |message: &Expr| matches!(message, Expr::StringLiteral(_)) && source[message.range()].is_ascii();
        if source.len() > LONGEST || !assert.msg.as_deref().is_none_or(plain) {
            return None;
        }
        if self.by_text.len() >= MOST {
            self.by_text.clear();
        }
        let mut assigned = Assigned::default();
        if source.contains(":=") {
            assigned.visit_expr(&assert.test);
        }
        let mut cut = Cut { book: self, source, params, accepts, assigned: assigned.0, parts: Vec::new(), nodes: 0 };
        let skeleton = cut.take_apart(&assert.test, 0)?;
        Some(Dissection { skeleton, parts: cut.parts, nodes: cut.nodes })
    }
}

struct Cut<'a, F> {
    book: &'a mut PartBook,
    source: &'a str,
    params: &'a Params,
    accepts: F,
    /// Names that the assertion assigns to: what mentions one of them stays together.
    assigned: Vec<&'a str>,
    parts: Vec<Arc<Part>>,
    nodes: usize,
}

impl<F: Fn(&Expr) -> bool> Cut<'_, F> {
    fn take_apart(&mut self, expr: &Expr, depth: usize) -> Option<Skeleton> {
        self.nodes += 1;
        if depth >= DEEPEST {
            return self.part(expr);
        }
        match expr {
            Expr::BoolOp(op) if self.independent(&op.values.iter().collect::<Vec<_>>()) => {
                let operands: Option<Vec<Skeleton>> =
                    op.values.iter().map(|value| self.take_apart(value, depth + 1)).collect();
                Some(match op.op {
                    BoolOp::And => Skeleton::And(operands?),
                    BoolOp::Or => Skeleton::Or(operands?),
                })
            }
            Expr::UnaryOp(op) if op.op == UnaryOp::Not => {
                Some(Skeleton::Not(Box::new(self.take_apart(&op.operand, depth + 1)?)))
            }
            Expr::If(choice) if self.independent(&[&choice.test, &choice.body, &choice.orelse]) => {
                let test = self.take_apart(&choice.test, depth + 1)?;
                let body = self.take_apart(&choice.body, depth + 1)?;
                Some(Skeleton::If(Box::new([test, body, self.take_apart(&choice.orelse, depth + 1)?])))
            }
            _ => self.part(expr),
        }
    }

    /// Whether at most one of these mentions what the assertion assigns to.
    fn independent(&self, exprs: &[&Expr]) -> bool {
        self.assigned.is_empty() || exprs.iter().filter(|expr| mentions(expr, &self.assigned)).count() < 2
    }

    fn part(&mut self, expr: &Expr) -> Option<Skeleton> {
        let text = self.source.get(expr.range().to_std_range())?;
        let part = match self.book.by_text.get(text) {
            Some(part) => part.clone(),
            None => {
                if !(self.accepts)(expr) {
                    return None;
                }
                let code = Arc::new(compile::expression(self.source, expr, self.params).ok()?);
                let part = Arc::new(Part { number: self.book.by_text.len(), text: text.into(), code });
                self.book.by_text.insert(text.into(), part.clone());
                part
            }
        };
        self.parts.push(part);
        Some(Skeleton::Part(self.parts.len() - 1))
    }
}

/// The names assigned to by `:=`.
#[derive(Default)]
struct Assigned<'a>(Vec<&'a str>);

impl<'a> Visitor<'a> for Assigned<'a> {
    fn visit_expr(&mut self, expr: &'a Expr) {
        if let Expr::Named(named) = expr
            && let Expr::Name(name) = named.target.as_ref()
        {
            self.0.push(name.id.as_str());
        }
        walk_expr(self, expr);
    }
}

/// Whether an expression mentions one of these names.
fn mentions(expr: &Expr, names: &[&str]) -> bool {
    struct Find<'a>(&'a [&'a str], bool);
    impl<'a> Visitor<'a> for Find<'_> {
        fn visit_expr(&mut self, expr: &'a Expr) {
            if let Expr::Name(name) = expr {
                self.1 |= self.0.contains(&name.id.as_str());
            }
            if !self.1 {
                walk_expr(self, expr);
            }
        }
    }
    let mut find = Find(names, false);
    find.visit_expr(expr);
    find.1
}
