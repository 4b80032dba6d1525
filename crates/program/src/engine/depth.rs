//! How deeply trees nest that are compiled.

use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{Expr, Stmt};

/// Deepest nesting of expressions and statements that is compiled.
pub(crate) const MAX_DEPTH: u32 = 1_000;

/// A tree that is too deep.
pub(crate) struct TooDeep;

/// Refuses trees that are too deep, without recursing deeper than that.
pub(crate) fn measure(body: &[Stmt]) -> Result<(), TooDeep> {
    let mut depth = Depth::default();
    depth.visit_body(body);
    depth.judged()
}

/// The same of an expression; whether anything in it has a scope of its own, or binds a name in one.
pub(crate) fn measure_expression(expr: &Expr) -> Result<bool, TooDeep> {
    let mut depth = Depth::default();
    depth.visit_expr(expr);
    depth.judged()?;
    Ok(depth.scopes)
}

#[derive(Default)]
struct Depth {
    now: u32,
    too_deep: bool,
    /// Whether an expression has a scope of its own, or binds a name in one.
    scopes: bool,
}

impl<'a> Visitor<'a> for Depth {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        self.down(|this| walk_stmt(this, stmt));
    }
    fn visit_expr(&mut self, expr: &'a Expr) {
        self.scopes |= matches!(
            expr,
            Expr::Lambda(_)
                | Expr::ListComp(_)
                | Expr::SetComp(_)
                | Expr::DictComp(_)
                | Expr::Generator(_)
                | Expr::Named(_)
        );
        self.down(|this| walk_expr(this, expr));
    }
}

impl Depth {
    fn down(&mut self, f: impl FnOnce(&mut Self)) {
        if self.too_deep || self.now >= MAX_DEPTH {
            self.too_deep = true;
            return;
        }
        self.now += 1;
        if self.now.is_multiple_of(16) {
            stacker::maybe_grow(128 * 1024, 1024 * 1024, || f(self));
        } else {
            f(self);
        }
        self.now -= 1;
    }

    fn judged(&self) -> Result<(), TooDeep> {
        if self.too_deep { Err(TooDeep) } else { Ok(()) }
    }
}
