//! Assertions taken apart at `and`, `or`, `not` and `… if … else …`. The candidates of one action share most of their parts, so each
//! part is compiled once, however many candidates contain it. Says what the parts are; evaluates nothing.

use std::collections::hash_map::Entry;
use std::sync::Arc;

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{BoolOp, Expr, StmtAssert, UnaryOp};
use ruff_text_size::Ranged;
use rustc_hash::FxHashMap;

use super::engine::code::{FunctionCode, Params};
use super::engine::compile;
use super::engine::depth::MAX_DEPTH;
use super::engine::fill::filled;
use super::engine::parse::with_expression;
use super::placeholders::{Taken, take_out};
use super::specification::Specification;
use super::splitting::{Split, binds_tightly, split};

/// A part of assertions: an expression that gives true or false by itself.
#[derive(Debug)]
pub struct Part {
    number: usize,
    text: Box<str>,
    code: Arc<FunctionCode>,
    /// Whether it keeps together next to the operators that assertions are taken apart at.
    tight: bool,
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
    /// `bool(…) <= bool(…)` and the like: both are evaluated, then compared.
    Compared(Box<[Skeleton; 2]>, Truths),
}

/// The truth table of a comparison or operator: by the first truth value, by the second.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Truths(pub [[bool; 2]; 2]);

impl Truths {
    pub(super) fn of(operator: &str) -> Option<Truths> {
        let result: fn(bool, bool) -> bool = match operator {
            "<" => |a, b| !a & b,
            "<=" => |a, b| a <= b,
            ">" => |a, b| a & !b,
            ">=" => |a, b| a >= b,
            "==" => |a, b| a == b,
            "!=" | "^" => |a, b| a != b,
            "&" => |a, b| a & b,
            "|" => |a, b| a | b,
            _ => return None,
        };
        Some(Truths([false, true].map(|first| [false, true].map(|second| result(first, second)))))
    }
}

impl Skeleton {
    /// How many operators there are one within the other.
    pub(super) fn height(&self) -> usize {
        let highest = |within: &[Skeleton]| 1 + within.iter().map(Skeleton::height).max().unwrap_or(0);
        match self {
            Skeleton::Part(_) => 0,
            Skeleton::And(operands) | Skeleton::Or(operands) => highest(operands),
            Skeleton::Not(operand) => 1 + operand.height(),
            Skeleton::If(choice) => highest(&**choice),
            Skeleton::Compared(both, _) => highest(&**both),
        }
    }
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
#[derive(Debug)]
pub struct PartBook {
    by_text: FxHashMap<Box<str>, Arc<Part>>,
    /// Parts with placeholders for their literals, compiled once for all that differ in nothing else.
    common: FxHashMap<String, FunctionCode>,
    /// Whether `bool` is what Python calls so wherever candidates are evaluated.
    plain_bool: bool,
    #[cfg(test)]
    parses_all: bool,
}

pub(super) const BOOL: &str = "bool";

/// Most parts a book holds; then it is emptied.
const MOST: usize = 1 << 14;
/// Longest text that is taken apart, in bytes; what is within cannot nest too deeply to be compiled.
const LONGEST: usize = MAX_DEPTH as usize / 2;
/// Deepest nesting of operators that is taken apart.
const DEEPEST: usize = 16;

impl PartBook {
    /// Of candidates for an action of that specification.
    pub fn new(specification: &Specification) -> PartBook {
        let source = specification.source();
        // A program that mentions the name at all may give it another meaning.
        PartBook {
            by_text: FxHashMap::default(),
            common: FxHashMap::default(),
            plain_bool: source.is_ascii() && !source.contains(BOOL),
            #[cfg(test)]
            parses_all: false,
        }
    }

    /// Whether `bool` means in a function with these parameters what it means in Python.
    fn knows_bool(&self, params: &Params) -> bool {
        let mut names = params.names.iter().chain(&params.star).chain(&params.keyword_only).chain(&params.double_star);
        self.plain_bool && names.all(|name| &**name != BOOL)
    }

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
        self.make_room();
        let mut assigned = Assigned::default();
        if assigns(source) {
            assigned.visit_expr(&assert.test);
        }
        let mut cut = Cut { book: self, source, params, accepts, assigned: assigned.0, parts: Vec::new(), nodes: 0 };
        let skeleton = cut.take_apart(&assert.test, 0)?;
        Some(Dissection { skeleton, parts: cut.parts, nodes: cut.nodes })
    }

    /// Takes an assertion apart as [`PartBook::dissect`] does, from its text: only parts that are new are parsed. `None` where it takes
    /// the whole tree to tell.
    pub(super) fn split(&mut self, text: &str, params: &Params, accepts: impl Fn(&Expr) -> bool) -> Option<Dissection> {
        if text.len() > LONGEST || assigns(text) {
            return None;
        }
        #[cfg(test)]
        if self.parses_all {
            return None;
        }
        self.make_room();
        let Split { skeleton, operands, nodes } = split(text, self.knows_bool(params))?;
        if skeleton.height() > DEEPEST {
            return None;
        }
        let parts: Option<Vec<Arc<Part>>> = operands
            .into_iter()
            .map(|operand| match self.by_text.get(operand) {
                Some(part) => part.tight.then(|| part.clone()),
                None => {
                    let code = match take_out(operand) {
                        Some(taken) => self.compiled_in_common(taken, params, &accepts)?,
                        None => tight_code(operand, params, &accepts)?,
                    };
                    Some(self.insert(operand, code, true))
                }
            })
            .collect();
        Some(Dissection { skeleton, parts: parts?, nodes })
    }

    /// The same book, but all texts are parsed.
    #[cfg(test)]
    pub(super) fn parsing(self) -> PartBook {
        PartBook { parses_all: true, ..self }
    }

    /// The same book, and texts are split where they can be.
    #[cfg(test)]
    pub(super) fn splitting(self) -> PartBook {
        PartBook { parses_all: false, ..self }
    }

    /// Whether a text is split without parsing the whole.
    #[cfg(test)]
    pub(super) fn splits(&mut self, text: &str, function: &super::Function) -> bool {
        self.split(text, &function.signature, |_| true).is_some()
    }

    fn make_room(&mut self) {
        if self.by_text.len() >= MOST {
            self.by_text.clear();
            self.common.clear();
        }
    }

    /// The code of an operand without its literals, with them put in.
    fn compiled_in_common(
        &mut self,
        Taken { common, literals }: Taken<'_>,
        params: &Params,
        accepts: &impl Fn(&Expr) -> bool,
    ) -> Option<FunctionCode> {
        let code = match self.common.entry(common) {
            Entry::Occupied(known) => known.into_mut(),
            Entry::Vacant(new) => {
                let code = tight_code(new.key(), params, accepts)?;
                new.insert(code)
            }
        };
        Some(filled(code, &literals))
    }

    fn add(&mut self, text: &str, source: &str, expr: &Expr, params: &Params) -> Option<Arc<Part>> {
        let code = compile::expression(source, expr, params).ok()?;
        Some(self.insert(text, code, binds_tightly(expr)))
    }

    fn insert(&mut self, text: &str, code: FunctionCode, tight: bool) -> Arc<Part> {
        let part = Arc::new(Part { number: self.by_text.len(), text: text.into(), code: Arc::new(code), tight });
        self.by_text.insert(text.into(), part.clone());
        part
    }
}

/// Whether a `:=` stands anywhere in a text.
fn assigns(text: &str) -> bool {
    // Colons are few.
    text.match_indices(':').any(|(at, _)| text.as_bytes().get(at + 1) == Some(&b'='))
}

/// The code of a text that is, by itself, a whole expression that binds tightly and is accepted.
fn tight_code(text: &str, params: &Params, accepts: impl Fn(&Expr) -> bool) -> Option<FunctionCode> {
    let compiled = with_expression(text, |expr| {
        let whole = expr.range().to_std_range() == (0..text.len());
        if whole && binds_tightly(expr) && accepts(expr) { compile::expression(text, expr, params).ok() } else { None }
    });
    compiled.ok().flatten()
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
            _ => match self.comparison(expr) {
                Some((both, truths)) if self.independent(&both) => {
                    let [first, second] = both.map(|operand| self.take_apart(operand, depth + 1));
                    Some(Skeleton::Compared(Box::new([first?, second?]), truths))
                }
                _ => self.part(expr),
            },
        }
    }

    /// The operands of `bool(…) <= bool(…)` and the like, and their comparison.
    fn comparison<'e>(&self, expr: &'e Expr) -> Option<([&'e Expr; 2], Truths)> {
        let (first, operator, second) = match expr {
            Expr::Compare(compare) => match (&*compare.ops, &*compare.comparators) {
                ([operator], [second]) => (&*compare.left, operator.as_str(), second),
                _ => return None,
            },
            Expr::BinOp(op) => (&*op.left, op.op.as_str(), &*op.right),
            _ => return None,
        };
        let truths = Truths::of(operator)?;
        if !self.book.knows_bool(self.params) || self.assigned.contains(&BOOL) {
            return None;
        }
        Some(([truth_of(first)?, truth_of(second)?], truths))
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
                self.book.add(text, self.source, expr, self.params)?
            }
        };
        self.parts.push(part);
        Some(Skeleton::Part(self.parts.len() - 1))
    }
}

/// The argument of `bool(…)`.
fn truth_of(expr: &Expr) -> Option<&Expr> {
    let Expr::Call(call) = expr else { return None };
    let (Expr::Name(name), [argument], []) = (&*call.func, &*call.arguments.args, &*call.arguments.keywords) else {
        return None;
    };
    let whole = !matches!(argument, Expr::Starred(_) | Expr::Generator(_));
    (whole && name.id.as_str() == BOOL).then_some(argument)
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
