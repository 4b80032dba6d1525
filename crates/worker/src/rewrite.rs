//! Code made to fit the engine, line by line as it was: the easy ones of its gaps are written in other words.
//!
//! - A method as a value (`key=d.get`, `str.lower`) becomes a function that calls it.
//! - `del d[k]` becomes `d.pop(k)`.
//! - The engine evaluates generator expressions and `map`, `filter`, `zip`, `enumerate`, `reversed` whole, into lists. Where one is
//!   not consumed whole at once it becomes an iterator that makes an element at a time, or is refused (`lazily`).
//! - `%` of what may be a text becomes a function that fills texts in, too.
//! - An `import` becomes a call of the prelude's function for it, where the prelude has one: only one that is come to can be refused.
//! - Assignments to several places at once, `+=` and `except` (`statements`); the order of sets (`sets`); builtins and methods
//!   that compute something else (`calls`).
//!
//! What is too long to be written where it is needed is a function of `helpers.py`, which stands before the code then.

mod calls;
mod lazily;
mod sets;
mod statements;

use std::collections::HashSet;

use monty_types::StackFrame;
use ruff_python_ast::name::Name;
use ruff_python_ast::visitor::{Visitor, walk_expr, walk_stmt};
use ruff_python_ast::{
    Comprehension, Expr, ExprAttribute, ExprBinOp, ExprCall, ExprContext, ExprNumberLiteral, Number, Operator, Stmt,
    StmtDelete, StmtImport, StmtImportFrom,
};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::edits::{Edit, Edited, apply};
use crate::known::{TYPES, is_method};
use crate::screen::{IMPORTED, Own, bound_by, line_of, screen};
use stepwright_program::parse::{ParseFailure, with_module, with_parsed};
use stepwright_sandbox::{Bound, Fault, FaultKind};

/// Functions that rewritten code calls, in Python.
const HELPERS: &str = include_str!("helpers.py");

#[derive(Debug, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) code: String,
    /// For each line of it, from which of the source's it comes (from 1); none for what is not the source's.
    lines: Vec<Option<u32>>,
    /// How many lines of the source are the prelude's.
    before: u32,
    /// Whether an order of a set can no longer be told from what is in it.
    pub(crate) loses: bool,
    /// Names that the module binds and no class or function does.
    pub(crate) functions: HashSet<Name>,
}

impl Prepared {
    /// The line of the source that a line (from 1) comes from.
    pub(crate) fn line(&self, line: u32) -> Option<u32> {
        self.lines.get(usize::try_from(line).ok()?.checked_sub(1)?).copied().flatten()
    }

    /// The innermost line of the source among the frames that lead to a place: of the code where it has one, else of the prelude.
    pub(crate) fn innermost(&self, frames: &[StackFrame]) -> Option<u32> {
        let lines = || frames.iter().rev().filter_map(|frame| self.line(frame.start.line));
        lines().find(|line| *line > self.before).or_else(|| lines().next())
    }

    /// The code at which a frame stands, if it stands in one line.
    pub(crate) fn text(&self, frame: &StackFrame) -> &str {
        let line = self.code.lines().nth((frame.start.line as usize).saturating_sub(1)).unwrap_or_default();
        let at =
            |column: u32| line.char_indices().nth((column as usize).saturating_sub(1)).map_or(line.len(), |(at, _)| at);
        let within = frame.start.line == frame.end.line;
        line.get(at(frame.start.column)..at(frame.end.column)).filter(|_| within).unwrap_or_default()
    }
}

/// Screens code and makes it fit; what stands in the prelude before it may say what code may not.
pub(crate) fn prepare(prelude: &str, code: &str) -> Result<Prepared, Fault> {
    let source = &[prelude, code].concat();
    let rewritten = with_parsed(source, |parsed| {
        let own = screen(source, parsed, prelude.len())?;
        let mut rewriter = Rewriter::new(source, &own);
        rewriter.visit_body(&parsed.syntax().body);
        let is_helped = rewriter.is_helped;
        Ok((rewriter.done()?, is_helped, own))
    });
    let (Edited { mut code, lines }, is_helped, own) = match rewritten {
        Ok(done) => done?,
        Err(ParseFailure::Syntax(message, offset)) => {
            let raised = FaultKind::Raised("SyntaxError".to_owned(), message);
            return Err(Fault::at(line_of(source, offset), raised));
        }
        Err(ParseFailure::TooLarge) => return Err(Fault::new(FaultKind::Limit(Bound::Code))),
        Err(ParseFailure::TooDeep) => return Err(Fault::new(FaultKind::Limit(Bound::Depth))),
    };
    let mut lines: Vec<Option<u32>> = lines.into_iter().map(|line| u32::try_from(line + 1).ok()).collect();
    if is_helped {
        let helpers = format!("__loses__ = {}\n{HELPERS}\n", if own.loses { "True" } else { "False" });
        lines.splice(0..0, helpers.lines().map(|_| None));
        code.insert_str(0, &helpers);
    }
    let functions = own.globals.difference(&own.inner).cloned().collect();
    // An edit that went wrong is no mistake of the code's.
    with_module(&code, |_| ()).map_err(|_| Fault::new(in_this_form()))?;
    let before = u32::try_from(prelude.matches('\n').count()).unwrap_or(u32::MAX);
    Ok(Prepared { code, lines, before, loses: own.loses, functions })
}

/// Whether it is a whole number as it stands.
fn is_whole(expr: &Expr) -> bool {
    matches!(expr, Expr::NumberLiteral(ExprNumberLiteral { value: Number::Int(_), .. }))
}

fn in_this_form() -> FaultKind {
    FaultKind::Unsupported("code in this form".to_owned())
}

/// Consumes what it is given to the end.
const WHOLE: &[&str] = &["list", "set", "tuple", "frozenset", "dict", "sum", "sorted", "max", "min"];
const WHOLE_METHODS: &[&str] =
    &["join", "extend", "update", "union", "intersection", "difference", "symmetric_difference"];
/// Consumes it at once, but not always to the end.
const AT_ONCE: &[&str] = &["any", "all"];
/// Builtins that make elements one at a time.
const MAKERS: &[&str] = &["map", "filter", "zip", "enumerate", "reversed"];

struct Rewriter<'s> {
    source: &'s str,
    own: &'s Own,
    edits: Vec<Edit>,
    /// Expressions that are consumed to the end as soon as they are made.
    whole: HashSet<TextRange>,
    /// Expressions that are consumed as soon as they are made.
    at_once: HashSet<TextRange>,
    /// Whether a function of [`HELPERS`] is called.
    is_helped: bool,
    /// Names for values in between that were given so far.
    kept: usize,
    refused: Option<Fault>,
}

impl<'s> Rewriter<'s> {
    fn new(source: &'s str, own: &'s Own) -> Self {
        let (whole, at_once) = (HashSet::new(), HashSet::new());
        Rewriter { source, own, edits: Vec::new(), whole, at_once, is_helped: false, kept: 0, refused: None }
    }

    /// The code with all edits.
    fn done(self) -> Result<Edited, Fault> {
        if let Some(fault) = self.refused {
            return Err(fault);
        }
        let whole = TextRange::up_to(TextSize::of(self.source));
        apply(self.source, whole, self.edits).ok_or_else(|| Fault::new(in_this_form()))
    }

    fn refuse(&mut self, at: &impl Ranged, kind: FaultKind) {
        self.refused.get_or_insert(Fault::at(line_of(self.source, at.start().to_usize()), kind));
    }

    /// An expression's text as it is to be elsewhere.
    fn moved(&mut self, expr: &Expr) -> String {
        let before = self.edits.len();
        self.visit_expr(expr);
        let edits = self.edits.split_off(before);
        match apply(self.source, expr.range(), edits) {
            Some(edited) => edited.code,
            None => {
                self.refuse(expr, in_this_form());
                String::new()
            }
        }
    }

    /// Puts a call of a helper around an expression, which is still to be visited. A tuple may stand without brackets.
    fn around(&mut self, helper: &str, expr: &Expr) {
        self.is_helped = true;
        let bare = matches!(expr, Expr::Tuple(tuple) if !tuple.parenthesized);
        self.insert(expr.start(), &format!("{helper}({}", if bare { "(" } else { "" }));
        self.visit_expr(expr);
        self.insert(expr.end(), if bare { "))" } else { ")" });
    }

    /// A name for a value in between.
    fn keep(&mut self) -> String {
        self.kept += 1;
        format!("__{}__", self.kept)
    }

    fn replace(&mut self, range: TextRange, text: impl Into<String>) {
        self.edits.push(Edit { range, text: text.into(), from: None });
    }

    fn insert(&mut self, at: TextSize, text: &str) {
        self.replace(TextRange::empty(at), text);
    }

    fn text(&self, range: TextRange) -> &'s str {
        self.source.get(range.to_std_range()).unwrap_or_default()
    }

    /// Whether an expression is one of these names and means what it means elsewhere.
    fn is_named(&self, expr: &Expr, names: &[&str]) -> bool {
        matches!(expr, Expr::Name(name) if names.contains(&name.id.as_str()) && !self.own.names.contains(&name.id))
    }

    fn arguments(&mut self, call: &ExprCall) {
        let method = matches!(call.func.as_ref(), Expr::Attribute(a) if WHOLE_METHODS.contains(&a.attr.as_str()));
        let whole = method || self.is_named(&call.func, WHOLE);
        let at_once = whole || self.is_named(&call.func, AT_ONCE);
        for arg in &call.arguments.args {
            if whole {
                self.whole.insert(arg.range());
            }
            if at_once {
                self.at_once.insert(arg.range());
            }
        }
    }

    /// A method that is not called where it is named, or is taken from its type.
    fn method(&mut self, a: &ExprAttribute, called: bool) -> bool {
        let of_type = self.is_named(&a.value, TYPES);
        if a.ctx != ExprContext::Load
            || !is_method(&a.attr)
            || self.own.attributes.contains(&a.attr.id)
            || (called && !of_type)
        {
            return false;
        }
        let helper = self.helper_of(&a.attr);
        if of_type {
            self.replace(a.range, helper.unwrap_or_else(|| format!("(lambda o, *a: o.{}(*a))", a.attr)));
            return true;
        }
        // The value may be in brackets, with lines and comments after it.
        let between = TextRange::new(a.value.end(), a.attr.start());
        let Some(dot) = self.text(between).rfind('.') else { return false };
        let Ok(dot) = TextSize::try_from(dot) else { return false };
        let tail = TextRange::new(between.start() + dot, a.range.end());
        if self.text(between).contains(['#', '\\']) {
            return false;
        }
        let call = helper.map_or_else(|| format!("o.{}(*a)", a.attr), |helper| format!("{helper}(o, *a)"));
        self.insert(a.range.start(), &format!("(lambda o: lambda *a: {call})("));
        self.visit_expr(&a.value);
        let lines = self.text(tail).matches('\n').count();
        self.replace(tail, format!("){}", "\n".repeat(lines)));
        true
    }

    /// `del a[i], b[j]`; what is not of that form is left to be refused by the engine.
    fn delete(&mut self, delete: &StmtDelete) -> bool {
        let mut edits = Vec::new();
        let mut at = delete.range.start();
        for target in &delete.targets {
            let Expr::Subscript(s) = target else { return false };
            let before = self.text(TextRange::new(s.value.end(), s.slice.start()));
            let between = self.text(TextRange::new(at, target.start()));
            let plain = !matches!(s.slice.as_ref(), Expr::Slice(_)) && before.trim() == "[";
            if !plain || !matches!(between.trim(), "del" | ",") || between.contains('\n') {
                return false;
            }
            edits.push((TextRange::new(at, target.start()), if at == delete.range.start() { "" } else { "; " }));
            edits.push((TextRange::new(s.value.end(), s.slice.start()), ".pop(("));
            edits.push((TextRange::new(s.slice.end(), target.end()), "))"));
            at = target.end();
        }
        if at != delete.range.end() || edits.iter().any(|(range, _)| self.text(*range).contains(['#', '\n'])) {
            return false;
        }
        for target in &delete.targets {
            walk_expr(self, target);
        }
        for (range, text) in edits {
            self.replace(range, text);
        }
        true
    }

    fn below(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) if self.call(call) => {}
            Expr::Call(call) => {
                self.arguments(call);
                if let Expr::Attribute(a) = call.func.as_ref() {
                    if !self.method(a, true) {
                        self.visit_expr(&a.value);
                    }
                } else {
                    self.visit_expr(&call.func);
                }
                self.visit_all(call);
            }
            Expr::Starred(starred) if starred.ctx == ExprContext::Load => {
                self.whole.insert(starred.value.range());
                self.at_once.insert(starred.value.range());
                self.ordered(&starred.value);
            }
            Expr::BinOp(it) if it.op == Operator::Pow && !is_whole(&it.left) && !is_whole(&it.right) => {
                self.in_place_of(it, "__pow__", "**");
            }
            Expr::BinOp(it) if it.op == Operator::Mod && may_fill(it) => self.in_place_of(it, "__percent__", "%"),
            Expr::FString(_) => self.shown_in(expr),
            _ => walk_expr(self, expr),
        }
    }

    /// Whether a statement is an import that is to be a call.
    fn is_called(&self, statement: &impl Ranged) -> bool {
        self.own.imports.is_some_and(|from| statement.start().to_usize() >= from)
    }

    fn import(&mut self, it: &StmtImport) {
        let [module, _] = IMPORTED;
        let calls = it.names.iter().map(|alias| format!("{} = {module}('{}')", bound_by(alias), alias.name));
        self.replace(it.range, calls.collect::<Vec<_>>().join("; "));
    }

    fn import_from(&mut self, it: &StmtImportFrom) {
        let [_, member] = IMPORTED;
        let of = ".".repeat(it.level as usize) + it.module.as_ref().map_or("", |module| module.as_str());
        let calls = it.names.iter().map(|alias| match alias.name.as_str() {
            "*" => format!("{member}('{of}', '*')"),
            name => format!("{} = {member}('{of}', '{name}')", bound_by(alias)),
        });
        self.replace(it.range, calls.collect::<Vec<_>>().join("; "));
    }
}

/// Whether a `%` may fill a text in, as far as can be seen: what is left alone and is a text all the same is refused by its label.
fn may_fill(it: &ExprBinOp) -> bool {
    match it.left.as_ref() {
        Expr::StringLiteral(_) | Expr::FString(_) => true,
        Expr::NumberLiteral(_) => false,
        _ => !it.right.is_number_literal_expr(),
    }
}

impl<'a> Visitor<'a> for Rewriter<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Delete(delete) if self.delete(delete) => {}
            Stmt::Assign(assign) => self.assign(assign),
            Stmt::AugAssign(it) if it.op == Operator::Add => self.add(it, "__added__"),
            Stmt::AugAssign(it) if it.op == Operator::Pow && !is_whole(&it.value) => self.add(it, "__exponent__"),
            Stmt::For(it) => self.for_each(it),
            Stmt::Try(it) => self.attempt(it),
            Stmt::Import(it) if self.is_called(it) => self.import(it),
            Stmt::ImportFrom(it) if self.is_called(it) => self.import_from(it),
            _ => walk_stmt(self, stmt),
        }
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.at_once.insert(comprehension.iter.range());
        self.visit_expr(&comprehension.target);
        self.ordered(&comprehension.iter);
        comprehension.ifs.iter().for_each(|test| self.visit_expr(test));
    }

    fn visit_expr(&mut self, expr: &'a Expr) {
        match expr {
            Expr::Generator(_) => self.maker(expr),
            Expr::Call(call) if self.is_named(&call.func, MAKERS) => self.maker(expr),
            Expr::Attribute(a) if self.method(a, false) => {}
            _ => self.below(expr),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rewritten(source: &str) -> String {
        let prepared = prepare("", source).unwrap();
        let of_source = prepared.code.lines().zip(&prepared.lines).filter(|(_, line)| line.is_some());
        of_source.map(|(line, _)| line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        for source in [
            "put_first_on_second(\"a block\", \"b bowl\")\nupdate_wm('x')  # import __x__",
            "for b in sorted(state['objects']):\n    if b.endswith('block'): say(b)",
            "any([x for x in y])\n[z for z in zip(range(3), 'ab')]\nlist(map(str, l))\nf(*zip(a, b))\nsum(x for x in y)",
            "n += 1\na, (b, *c) = d\nround(x)\ns.find('a')\ntry: f()\nexcept KeyError: pass",
            "self.items\nself.items = 3",
            "del x\ndel l[1:2]\ndel (a[0])",
        ] {
            assert_eq!(rewritten(source), source);
        }
    }

    #[test]
    fn gaps_are_written_in_other_words() {
        for (source, expected) in [
            ("max(d, key=d.get)", "max(d, key=(lambda o: lambda *a: o.get(*a))(d))"),
            ("f = (a or\n  b).get", "f = (lambda o: lambda *a: o.get(*a))((a or\n  b))"),
            ("f = (a\n  .get)", "f = ((lambda o: lambda *a: o.get(*a))(a\n  ))"),
            ("str.upper('a')", "(lambda o, *a: o.upper(*a))('a')"),
            ("del d['k']", "d.pop(('k'))"),
            ("if c: del a[i], b[x, y]", "if c: a.pop((i)); b.pop((x, y))"),
            ("f'{max(d, key=d.get)}'", "f'{max(d, key=(lambda o: lambda *a: o.get(*a))(d))}'"),
            ("next((x for x in y if x), 1)", "__first__(*(iter(y), lambda __x__: [x for x in [__x__] if x]), 1)"),
            ("ok = any(a < b for a, b in p)", "ok = __any__(p, lambda __x__: [a < b for a, b in [__x__]])"),
            (
                "all(\n  x\n  for x in y\n  for z in x if z\n)",
                "__all__(\n  y, lambda __x__: [__all__(x, lambda __x__: [x for z in [__x__] if (z)]) for x in [__x__]]\n)",
            ),
            ("g = (f(x) for x in y)", "g = __generator__(y, lambda __x__: [f(x) for x in [__x__]])"),
            ("p = zip(a, filter(None, b))", "p = __zip__(a, __filter__(None, b))"),
            ("x[0], y = y, x[0]", "(__1__, __2__,) = y, x[0]; (x[0]) = __1__; (y) = __2__"),
            ("a = b.c, *d = e", "__1__ = e; (a) = __1__; (__2__, *__3__,) = __1__; (b.c) = __2__; (d) = __3__"),
            (
                "for a.b, c in d:\n    e()",
                "for __1__ in d:\n    (__2__, __3__,) = __1__\n    (a.b) = __2__\n    (c) = __3__\n    e()",
            ),
            ("l += m", "l += __added__(l, (m))"),
            ("f()[g()] += 1, 2", "(__1__ := f())[(__2__ := g())] += __added__(__1__[__2__], ((1, 2)))"),
            ("round(x, 2) + a ** b", "__round__(x, 2) + __pow__(a , b)"),
            ("s.center(5); s.find('', 4)", "__center__(s, 5); __find__(s, '', 4)"),
            ("f(**a, b=(1), c=2)", "f(**a, **{'b': (1)}, **{'c': 2})"),
            ("try: f()\nexcept: g()", "try: f()\nexcept BaseException as __e__: __caught__(__e__, False); g()"),
            (
                "'%s' % x + (y) % (z)\n_ = 5 % x + x % 2",
                "__percent__('%s' , x) + __percent__((y) , (z))\n_ = 5 % x + x % 2",
            ),
            ("s = {1, 2}\nfor x in s: f'{s}'", "s = {1, 2}\nfor x in __order__(s): f'{ __shown__(s)}'"),
        ] {
            assert_eq!(rewritten(source), expected);
        }
    }

    #[test]
    fn imports_are_calls_where_the_prelude_has_them() {
        let prelude = "from collections import deque\ndef _module(name): pass\ndef _member(module, name): pass\n";
        let of_code = |code: &str| {
            let prepared = prepare(prelude, code)?;
            Ok::<String, Fault>(prepared.code.strip_prefix(prelude).unwrap_or_default().to_owned())
        };
        for (code, calls) in [
            ("import re; x = 1", "re = _module('re'); x = 1"),
            ("if x:\n    import a.b, c as d", "if x:\n    a = _module('a.b'); d = _module('c')"),
            ("from ..a import (b,\n  c as d)\ne", "b = _member('..a', 'b'); d = _member('..a', 'c')\ne"),
            ("from a import *", "_member('a', '*')"),
            ("x = \"\"\"\nimport re\n\"\"\"", "x = \"\"\"\nimport re\n\"\"\""),
        ] {
            assert_eq!(of_code(code).unwrap(), calls);
        }
        let fault = of_code("import a\na.__b").unwrap_err();
        assert!(matches!(fault, Fault { line: Some(5), kind: FaultKind::Forbidden(_) }), "{fault}");
    }

    #[test]
    fn what_no_code_may_say_is_refused_with_its_line() {
        let refused = |source: &str| prepare("", source).unwrap_err();
        for source in
            ["\nimport os", "\nfrom os import path", "\nx.__class__", "\n__name__", "\ndef __f(): pass", "\nf(__a=1)"]
        {
            let fault = refused(source);
            assert!(matches!(fault, Fault { line: Some(2), kind: FaultKind::Forbidden(_) }), "{source}: {fault}");
        }
        assert!(matches!(refused("x =").kind, FaultKind::Raised(t, _) if t == "SyntaxError"));
        assert!(matches!(refused("hasattr('a', 'upper')").kind, FaultKind::Unsupported(_)));
        assert_eq!(refused(&format!("{}1", "- ".repeat(5000))).kind, FaultKind::Limit(Bound::Depth));
        assert_eq!(refused(&format!("x = '{}'", "a".repeat(1 << 20))).kind, FaultKind::Limit(Bound::Code));
    }
}
