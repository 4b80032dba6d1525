//! What the sandbox does not offer, found in a candidate: there it ends in an exception that CPython does not raise, and what a trial with it
//! reports says nothing (docs/explanation/sandbox.md).

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{CmpOp, Expr, Number, Operator};
use stepwright_program::Assertion;
use stepwright_program::parse::with_module;

/// Built-in functions that are not there.
const FUNCTIONS: [&str; 14] = [
    "getattr", "hasattr", "callable", "issubclass", "format", "vars", "dir", "globals", "locals", "super",
    "staticmethod", "classmethod", "property", "complex",
];
/// Functions that give a number whatever they are given.
const NUMBERS: [&str; 6] = ["len", "int", "float", "ord", "abs", "round"];

/// What an assertion uses that the sandbox does not offer, or may not, by what its operands come to.
pub(super) fn not_offered(assertion: &Assertion) -> Option<&'static str> {
    let mut gaps = Gaps(None);
    let read = with_module(assertion.text(), |module| module.body.iter().for_each(|line| gaps.visit_stmt(line)));
    if read.is_err() { Some("what it cannot read") } else { gaps.0 }
}

struct Gaps(Option<&'static str>);

impl<'a> Visitor<'a> for Gaps {
    fn visit_expr(&mut self, expr: &'a Expr) {
        let found = match expr {
            Expr::BinOp(of) if is_number(&of.left) || (of.op == Operator::BitOr && is_number(&of.right)) => None,
            Expr::BinOp(of) if of.op == Operator::Mod => Some("`%` of a text"),
            Expr::BinOp(of) if of.op == Operator::BitOr => Some("`|` of dictionaries"),
            Expr::Compare(of) => {
                let ordered = |op: &CmpOp| matches!(op, CmpOp::Lt | CmpOp::LtE | CmpOp::Gt | CmpOp::GtE);
                let mut left = &*of.left;
                let pairs = of
                    .ops
                    .iter()
                    .zip(&of.comparators)
                    .map(|(op, right)| (op, std::mem::replace(&mut left, right), right));
                let of_sets = |(op, left, right)| ordered(op) && !is_plain(left) && !is_plain(right);
                pairs.into_iter().any(of_sets).then_some("comparing sets")
            }
            Expr::Name(name) => FUNCTIONS.iter().any(|f| *f == name.id.as_str()).then_some("this built-in function"),
            Expr::NumberLiteral(number) if matches!(number.value, Number::Complex { .. }) => Some("complex numbers"),
            _ => None,
        };
        self.0 = self.0.or(found);
        walk_expr(self, expr);
    }
}

/// Whether it is no set for certain.
fn is_plain(expr: &Expr) -> bool {
    matches!(expr, Expr::StringLiteral(_) | Expr::FString(_) | Expr::List(_) | Expr::Tuple(_)) || is_number(expr)
}

fn is_number(expr: &Expr) -> bool {
    match expr {
        Expr::NumberLiteral(_) | Expr::BooleanLiteral(_) => true,
        Expr::UnaryOp(of) => is_number(&of.operand),
        Expr::Call(call) => matches!(&*call.func, Expr::Name(name) if NUMBERS.contains(&name.id.as_str())),
        Expr::BinOp(of) => is_number(&of.left) && is_number(&of.right),
        _ => false,
    }
}
