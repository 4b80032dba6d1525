//! The order of sets: CPython's table decides it, the engine keeps the order in which they were filled. Wherever it could show, and
//! where code has sets at all, a helper puts whole numbers in CPython's order or refuses. Texts differ from one run of CPython to
//! the next; for them any order is as good.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprCall, InterpolatedStringElement};
use ruff_text_size::{Ranged as _, TextRange, TextSize};

use super::Rewriter;

/// Builtins that show the order of what they are given.
const ORDERED: &[&str] = &["list", "tuple", "iter", "dict", "enumerate", "zip", "map", "filter"];
/// Those that show it where a key makes elements alike that are not.
const ORDERED_BY_KEY: &[&str] = &["sorted", "min", "max"];
const ORDERED_METHODS: &[&str] = &["join", "extend", "fromkeys"];
const SHOWN: &[&str] = &["str", "repr", "print", "ascii"];

impl Rewriter<'_> {
    /// Visits an expression whose elements are about to be looked at in turn.
    pub(super) fn ordered(&mut self, expr: &Expr) {
        if self.own.has_sets && !is_no_set(expr) { self.around("__order__", expr) } else { self.visit_expr(expr) }
    }

    pub(super) fn moved_in_order(&mut self, expr: &Expr) -> String {
        let text = self.moved(expr);
        if self.own.has_sets && !is_no_set(expr) {
            self.is_helped = true;
            format!("__order__({text})")
        } else {
            text
        }
    }

    /// Visits what a call is given.
    pub(super) fn visit_all(&mut self, call: &ExprCall) {
        self.visit_given(call, 0);
    }

    /// The same, after the first of them.
    pub(super) fn visit_given(&mut self, call: &ExprCall, from: usize) {
        let method =
            |names: &[&str]| matches!(call.func.as_ref(), Expr::Attribute(a) if names.contains(&a.attr.as_str()));
        let helper = if !self.own.has_sets {
            None
        } else if self.is_named(&call.func, ORDERED)
            || self.is_named(&call.func, ORDERED_BY_KEY) && !call.arguments.keywords.is_empty()
            || method(ORDERED_METHODS)
        {
            Some("__order__")
        } else if self.is_named(&call.func, SHOWN) || method(&["format"]) {
            Some("__shown__")
        } else if self.is_named(&call.func, &["sum"]) {
            Some("__summed__")
        } else {
            None
        };
        for arg in call.arguments.args.iter().skip(from) {
            let plain = if helper == Some("__shown__") { is_plain(arg) } else { is_no_set(arg) };
            match helper {
                Some(helper) if !plain && !arg.is_starred_expr() => self.around(helper, arg),
                _ => self.visit_expr(arg),
            }
        }
        self.keywords(call);
    }

    /// Named arguments after `**` become `**` themselves: the engine takes the named ones first.
    fn keywords(&mut self, call: &ExprCall) {
        let mut unpacked = false;
        for keyword in &call.arguments.keywords {
            let name = keyword.arg.as_ref().filter(|_| unpacked);
            unpacked |= keyword.arg.is_none();
            if let Some(name) = name {
                let text = self.text(TextRange::new(keyword.start(), keyword.value.start()));
                let Some(Ok(equals)) = text.find('=').map(TextSize::try_from) else {
                    return self.refuse(keyword, super::in_this_form());
                };
                let head = TextRange::new(keyword.start(), keyword.start() + equals + TextSize::from(1));
                self.replace(head, format!("**{{'{name}': "));
            }
            self.visit_expr(&keyword.value);
            if name.is_some() {
                self.insert(keyword.end(), "}");
            }
        }
    }

    /// An f-string shows what it holds.
    pub(super) fn shown_in(&mut self, string: &Expr) {
        let Expr::FString(f) = string else { return };
        if !self.own.has_sets {
            return walk_expr(self, string);
        }
        for element in f.value.elements() {
            if let InterpolatedStringElement::Interpolation(part) = element {
                if part.debug_text.is_some() {
                    return self.refuse(string, super::in_this_form());
                }
                // Braces that follow one another would be text.
                self.insert(part.expression.start(), " ");
                self.around("__shown__", &part.expression);
                if let Some(spec) = &part.format_spec {
                    spec.elements.interpolations().for_each(|inner| self.visit_expr(&inner.expression));
                }
            }
        }
    }
}

/// Whether it neither is nor holds a set, as can be seen.
fn is_plain(expr: &Expr) -> bool {
    expr.is_literal_expr() || expr.is_f_string_expr() || expr.is_compare_expr()
}

/// Whether it is no set, as can be seen.
fn is_no_set(expr: &Expr) -> bool {
    match expr {
        Expr::Call(call) => match call.func.as_ref() {
            Expr::Name(name) => matches!(
                name.id.as_str(),
                "range"
                    | "sorted"
                    | "list"
                    | "tuple"
                    | "enumerate"
                    | "zip"
                    | "map"
                    | "filter"
                    | "reversed"
                    | "str"
                    | "len"
            ),
            Expr::Attribute(a) => matches!(a.attr.as_str(), "items" | "keys" | "values" | "split" | "splitlines"),
            _ => false,
        },
        Expr::List(_) | Expr::ListComp(_) | Expr::Tuple(_) | Expr::Dict(_) | Expr::DictComp(_) | Expr::Generator(_) => {
            true
        }
        Expr::StringLiteral(_)
        | Expr::FString(_)
        | Expr::NumberLiteral(_)
        | Expr::BooleanLiteral(_)
        | Expr::NoneLiteral(_) => true,
        Expr::Lambda(_) | Expr::Compare(_) => true,
        _ => false,
    }
}
