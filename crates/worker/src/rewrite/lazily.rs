//! Generator expressions and the builtins that make an element at a time.

use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{Expr, ExprCall, ExprGenerator};
use ruff_text_size::{Ranged, TextRange, TextSize};
use stepwright_sandbox::FaultKind;

use super::{AT_ONCE, Edit, Rewriter};

impl Rewriter<'_> {
    /// Something that makes elements: an iterator that makes one at a time where it is not consumed whole at once.
    pub(super) fn maker(&mut self, expr: &Expr) {
        let range = expr.range();
        // What `next` raises within ends some of these and not others.
        if self.whole.contains(&range) && !self.text(range).contains("next") {
            return self.below(expr);
        }
        match expr {
            Expr::Generator(it) => {
                let (open, close) = match it.generators.len() {
                    1 => ("__generator__", ""),
                    _ => ("__chain__(__generator__", ")"),
                };
                let (left, right) = if it.parenthesized { ("", "") } else { ("(", ")") };
                self.is_helped = true;
                self.insert(it.start(), &format!("{open}{left}"));
                self.parts(it, "__generator__", false);
                self.insert(it.end(), &format!("{right}{close}"));
            }
            Expr::Call(call) => {
                let fresh = self.at_once.contains(&range) && call.arguments.args.iter().all(|arg| self.is_fresh(arg));
                // What it is given fails where it is called, if only its elements are not looked at before.
                if fresh && !self.is_named(&call.func, &["map", "filter"]) {
                    return self.below(expr);
                }
                self.is_helped = true;
                let name = self.text(call.func.range());
                self.replace(call.func.range(), format!("__{name}__"));
                let function = call.arguments.args.first().filter(|arg| !is_called_at_its_place(arg));
                match function.filter(|_| self.is_named(&call.func, &["map", "filter"])) {
                    // Called from here, what it raises has a line.
                    Some(function) => {
                        let called = "__f__ if __f__ is None else lambda *__a__: __f__(*__a__)";
                        self.insert(function.start(), &format!("(lambda __f__: {called})("));
                        self.visit_expr(function);
                        self.insert(function.end(), ")");
                        self.visit_given(call, 1);
                    }
                    None => self.visit_all(call),
                }
            }
            _ => self.below(expr),
        }
    }

    /// `any`, `all` and `next` of a generator: functions that the code's own calls may suspend.
    pub(super) fn at_once_of(&mut self, call: &ExprCall) -> bool {
        let Some(Expr::Generator(it)) = call.arguments.args.first() else { return false };
        let next = self.is_named(&call.func, &["next"]) && it.generators.len() == 1;
        let rest = call.arguments.args.get(1..).unwrap_or_default();
        let fits = next && rest.len() < 2 || self.is_named(&call.func, AT_ONCE) && rest.is_empty();
        if !fits || !call.arguments.keywords.is_empty() {
            return false;
        }
        self.is_helped = true;
        let name = format!("__{}__", self.text(call.func.range()));
        self.replace(call.func.range(), if next { "__first__" } else { &name });
        if it.parenthesized {
            self.insert(it.start(), "*");
        }
        self.parts(it, &name, next);
        rest.iter().for_each(|arg| self.visit_expr(arg));
        true
    }

    /// What a generator runs over, and the function that makes of one of those a list of one element or none. `inner` is for
    /// the loops within its first.
    fn parts(&mut self, it: &ExprGenerator, inner: &str, iter: bool) {
        if !is_simple(it) {
            let what = "a generator that binds a name or keeps a function, and may stop before its end";
            return self.refuse(it, FaultKind::Unsupported(what.to_owned()));
        }
        let bracket = TextSize::from(u32::from(it.parenthesized));
        let (start, end) = (it.start() + bracket, it.end() - bracket);
        let [first] = it.generators.as_slice() else {
            let text = self.nested(it, 0, inner);
            return self.replace(TextRange::new(start, end), text);
        };
        let (open, close) = function_of(self.text(it.range()));
        let over = self.moved_in_order(&first.iter);
        let over = if iter { format!("iter({over})") } else { over };
        let place = TextRange::empty(start);
        if self.text(TextRange::new(it.start(), first.iter.start())).contains('\n') {
            // Each part on a line of its own, which is the one it came from.
            let from = Some(first.iter.start().to_usize());
            self.insert(start, "\n");
            self.edits.push(Edit { range: place, text: format!("{over},"), from });
            self.insert(start, &format!("\n {open}"));
        } else {
            self.insert(start, &format!("{over}, {open}"));
        }
        self.visit_expr(&it.elt);
        self.visit_expr(&first.target);
        self.replace(first.iter.range(), "[__x__]");
        first.ifs.iter().for_each(|test| self.visit_expr(test));
        self.insert(end, close);
    }

    /// The same for loops within loops, all on one line.
    fn nested(&mut self, it: &ExprGenerator, at: usize, inner: &str) -> String {
        let Some(this) = it.generators.get(at) else { return self.moved(&it.elt) };
        let over = self.moved_in_order(&this.iter);
        let target = self.moved(&this.target);
        let tests: String = this.ifs.iter().map(|test| format!(" if ({})", self.moved(test))).collect();
        let within = self.nested(it, at + 1, inner);
        let within = match it.generators.len() - at {
            1 => within,
            n if n > 2 && inner == "__generator__" => format!("__chain__({inner}({within}))"),
            _ => format!("{inner}({within})"),
        };
        let (open, close) = function_of(self.text(it.range()));
        format!("{over}, {open}{within} for {target} in [__x__]{tests}{close}")
    }

    /// Whether nothing else can change what is made here while it is looked at.
    fn is_fresh(&self, expr: &Expr) -> bool {
        match expr {
            Expr::Call(call) => self.is_named(&call.func, &["range", "list", "sorted", "tuple", "str", "len"]),
            Expr::StringLiteral(_) | Expr::NumberLiteral(_) => true,
            _ => false,
        }
    }
}

/// What stands around the element that a function makes. A `StopIteration` of `next` does not end a generator.
fn function_of(generator: &str) -> (&'static str, &'static str) {
    if generator.contains("next") { ("__guarded__(lambda __x__: [", "])") } else { ("lambda __x__: [", "]") }
}

/// Whether its own frame tells the line of what it raises, or none is needed.
fn is_called_at_its_place(function: &Expr) -> bool {
    matches!(function, Expr::Lambda(_) | Expr::NoneLiteral(_) | Expr::Starred(_))
}

/// Whether its element can be made by a function: nothing in it is bound outside, or kept for later.
fn is_simple(it: &ExprGenerator) -> bool {
    let mut kept = Kept(false);
    kept.visit_expr(&it.elt);
    for (n, one) in it.generators.iter().enumerate() {
        kept.0 |= one.is_async;
        if n > 0 {
            kept.visit_expr(&one.iter);
        }
        one.ifs.iter().for_each(|test| kept.visit_expr(test));
    }
    !kept.0
}

/// Whether anything is kept. A function that a call is given is used there.
struct Kept(bool);

impl<'a> Visitor<'a> for Kept {
    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Named(_) | Expr::Lambda(_) | Expr::Await(_) | Expr::Yield(_) | Expr::YieldFrom(_) => self.0 = true,
            Expr::Call(call) => {
                self.visit_expr(&call.func);
                let given = call.arguments.args.iter().chain(call.arguments.keywords.iter().map(|k| &k.value));
                given.for_each(|arg| self.visit_expr(if let Expr::Lambda(it) = arg { &it.body } else { arg }));
            }
            _ => walk_expr(self, expr),
        }
    }
}
