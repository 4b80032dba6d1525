//! Builtins, methods and operators that compute something else in the engine: helpers are called in their place.

use ruff_python_ast::visitor::Visitor as _;
use ruff_python_ast::{Expr, ExprBinOp, ExprCall};
use ruff_text_size::{Ranged, TextRange, TextSize};

use super::Rewriter;

/// Methods that have a helper.
const HELPED: &[&str] = &["center", "title", "istitle", "capitalize", "casefold", "splitlines", "index"];
/// Those that differ only where they are told where to begin.
const HELPED_FROM: &[&str] = &["find", "rfind", "rindex", "count", "startswith", "endswith"];

impl Rewriter<'_> {
    /// The helper for a method that is kept as a value.
    pub(super) fn helper_of(&mut self, method: &str) -> Option<String> {
        let has_one = HELPED.contains(&method) || HELPED_FROM.contains(&method) || method == "pop" && self.own.has_sets;
        self.is_helped |= has_one;
        has_one.then(|| format!("__{method}__"))
    }

    pub(super) fn call(&mut self, call: &ExprCall) -> bool {
        if self.at_once_of(call) {
            return true;
        }
        let count = call.arguments.len();
        let starred = call.arguments.args.iter().any(Expr::is_starred_expr);
        let builtins: &[&str] = match count {
            2 if call.arguments.keywords.is_empty() && !starred => &["type", "round", "pow"],
            1 => &["type"],
            _ => &["type", "round"],
        };
        if self.is_named(&call.func, builtins) {
            self.is_helped = true;
            let name = self.text(call.func.range());
            self.replace(call.func.range(), format!("__{name}__"));
            self.visit_all(call);
            return true;
        }
        let Expr::Attribute(a) = call.func.as_ref() else { return false };
        let method = a.attr.as_str();
        // None of these has named arguments but `splitlines`; where some are, it is another's.
        let helped = (call.arguments.keywords.is_empty() || method == "splitlines")
            && (HELPED.contains(&method)
                || HELPED_FROM.contains(&method) && (count > 1 || starred)
                || method == "pop" && count == 0 && self.own.has_sets);
        // `str.center` is a function as it is; what is no method of a plain type's is left alone by its helper.
        if !helped || self.is_named(&a.value, crate::known::TYPES) {
            return false;
        }
        let between = self.text(TextRange::new(a.value.end(), a.attr.start()));
        let (Some(Ok(dot)), false) = (between.rfind('.').map(TextSize::try_from), between.contains(['#', '\\'])) else {
            self.refuse(call, super::in_this_form());
            return true;
        };
        self.is_helped = true;
        self.insert(call.start(), &format!("__{method}__("));
        self.visit_expr(&a.value);
        let open = call.arguments.start() + TextSize::from(1);
        self.replace(TextRange::new(a.value.end() + dot, open), if count == 0 { "" } else { ", " });
        self.visit_all(call);
        true
    }

    /// Calls a helper with the sides of an operator: a root of a negative number is complex, a text may be filled in.
    pub(super) fn in_place_of(&mut self, it: &ExprBinOp, helper: &str, operator: &str) {
        self.is_helped = true;
        self.insert(it.start(), &format!("{helper}("));
        self.visit_expr(&it.left);
        // Brackets around the sides stay where they are.
        let between = TextRange::new(it.left.end(), it.right.start());
        let text = self.text(between);
        if text.contains('#') {
            return self.refuse(it, super::in_this_form());
        }
        self.replace(between, text.replacen(operator, ",", 1).replace('\\', ""));
        self.visit_expr(&it.right);
        self.insert(it.end(), ")");
    }
}
