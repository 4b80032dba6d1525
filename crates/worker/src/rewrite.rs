//! Code made to fit the engine, line by line as it was: the easy ones of its gaps are written in other words.
//!
//! - A method as a value (`key=d.get`, `str.lower`) becomes a function that calls it.
//! - `del d[k]` becomes `d.pop(k)`.
//! - The engine evaluates generator expressions and `map`, `filter`, `zip`, `enumerate`, `reversed` whole, into lists. Where one is
//!   not consumed at once it becomes an iterator over that list. What could expose the difference (a call of a host function, or an
//!   exception, where CPython might have stopped before) is recognised by its place: [`Prepared::may_stop_before`].

use std::collections::HashSet;

use ruff_python_ast::visitor::{Visitor, walk_comprehension, walk_expr, walk_stmt};
use ruff_python_ast::{Comprehension, Expr, ExprAttribute, ExprCall, ExprContext, Stmt, StmtDelete};
use ruff_text_size::{Ranged, TextRange, TextSize};

use crate::known::{TYPES, is_method};
use crate::screen::{Own, line_of, screen};
use stepwright_program::parse::{ParseFailure, position, with_module, with_parsed};
use stepwright_sandbox::{Bound, Fault, FaultKind};

/// A place in code: line and column, both from 1.
pub(crate) type Place = (usize, usize);

#[derive(Debug, PartialEq)]
pub(crate) struct Prepared {
    pub(crate) code: String,
    /// Where CPython evaluates an element at a time and may stop before the last.
    lazy: Vec<(Place, Place)>,
}

impl Prepared {
    /// The line of the first place where CPython evaluates an element at a time.
    pub(crate) fn first_lazy(&self) -> Option<usize> {
        self.lazy.iter().map(|((line, _), _)| *line).min()
    }

    /// Whether CPython might not have reached this place, because it makes elements one at a time.
    pub(crate) fn may_stop_before(&self, place: Place) -> bool {
        self.lazy.iter().any(|(from, to)| *from <= place && place < *to)
    }
}

/// Screens code and makes it fit; what stands in the prelude before it may say what code may not.
pub(crate) fn prepare(prelude: &str, code: &str) -> Result<Prepared, Fault> {
    let source = &[prelude, code].concat();
    let rewritten = with_parsed(source, |parsed| {
        let own = screen(source, parsed, prelude.len())?;
        let mut rewriter = Rewriter::new(source, &own);
        rewriter.visit_body(&parsed.syntax().body);
        Ok(apply(source, rewriter.edits).map(|code| (code, own)))
    });
    let (code, own) = match rewritten {
        Ok(Ok(Some(done))) => done,
        Ok(Ok(None)) => return Err(Fault::new(FaultKind::Unsupported("code in this form".to_owned()))),
        Ok(Err(fault)) => return Err(fault),
        Err(ParseFailure::Syntax(message, offset)) => {
            let raised = FaultKind::Raised("SyntaxError".to_owned(), message);
            return Err(Fault::at(line_of(source, offset), raised));
        }
        Err(ParseFailure::TooLarge) => return Err(Fault::new(FaultKind::Limit(Bound::Code))),
        Err(ParseFailure::TooDeep) => return Err(Fault::new(FaultKind::Limit(Bound::Depth))),
    };
    let lazy = with_module(&code, |module| {
        let mut rewriter = Rewriter::new(&code, &own);
        rewriter.visit_body(&module.body);
        let place = |offset: TextSize| position(&code, offset.to_usize());
        rewriter.lazy.iter().map(|range| (place(range.start()), place(range.end()))).collect()
    });
    match lazy {
        Ok(lazy) => Ok(Prepared { code, lazy }),
        Err(_) => Err(Fault::new(FaultKind::Unsupported("code in this form".to_owned()))),
    }
}

/// Text to put in place of a range.
struct Edit {
    range: TextRange,
    text: String,
}

/// The code with its edits; `None` if they are in each other's way.
fn apply(source: &str, mut edits: Vec<Edit>) -> Option<String> {
    edits.sort_by_key(|edit| edit.range.start());
    let mut out = String::with_capacity(source.len() + edits.len() * 16);
    let mut at = 0;
    for edit in &edits {
        out.push_str(source.get(at..edit.range.start().to_usize())?);
        out.push_str(&edit.text);
        at = edit.range.end().to_usize();
    }
    out.push_str(source.get(at..)?);
    Some(out)
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
    /// Expressions that CPython evaluates an element at a time.
    lazy: Vec<TextRange>,
}

impl<'s> Rewriter<'s> {
    fn new(source: &'s str, own: &'s Own) -> Self {
        Rewriter { source, own, edits: Vec::new(), whole: HashSet::new(), at_once: HashSet::new(), lazy: Vec::new() }
    }

    fn replace(&mut self, range: TextRange, text: impl Into<String>) {
        self.edits.push(Edit { range, text: text.into() });
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
        if of_type {
            self.replace(a.range, format!("(lambda o, *a: o.{}(*a))", a.attr));
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
        self.insert(a.range.start(), &format!("(lambda o: lambda *a: o.{}(*a))(", a.attr));
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

    /// Something that makes elements: noted, and made an iterator where it is not consumed at once.
    fn maker(&mut self, expr: &Expr) {
        let range = expr.range();
        if !self.whole.contains(&range) {
            self.note_lazy(expr);
        }
        let kept = !self.at_once.contains(&range);
        if kept {
            self.insert(range.start(), "iter(");
        }
        self.below(expr);
        if kept {
            self.insert(range.end(), ")");
        }
    }

    /// The parts of a maker that CPython evaluates an element at a time. What it is made from is evaluated at once.
    fn note_lazy(&mut self, maker: &Expr) {
        let (start, end) = (maker.start(), maker.end());
        match maker {
            Expr::Generator(it) => {
                let first = it.generators.first().map_or(TextRange::empty(end), |g| g.iter.range());
                self.lazy.extend([TextRange::new(start, first.start()), TextRange::new(first.end(), end)]);
            }
            Expr::Call(call) if self.is_named(&call.func, &["map", "filter"]) => {
                let function = call.arguments.args.first().map_or(end, Ranged::end);
                self.lazy.push(TextRange::new(start, function));
            }
            _ => {}
        }
    }

    fn below(&mut self, expr: &Expr) {
        match expr {
            Expr::Call(call) => {
                self.arguments(call);
                if let Expr::Attribute(a) = call.func.as_ref() {
                    if !self.method(a, true) {
                        self.visit_expr(&a.value);
                    }
                } else {
                    self.visit_expr(&call.func);
                }
                self.visit_arguments(&call.arguments);
            }
            Expr::Starred(starred) => {
                self.whole.insert(starred.value.range());
                self.at_once.insert(starred.value.range());
                walk_expr(self, expr);
            }
            _ => walk_expr(self, expr),
        }
    }
}

impl<'a> Visitor<'a> for Rewriter<'_> {
    fn visit_stmt(&mut self, stmt: &'a Stmt) {
        match stmt {
            Stmt::Delete(delete) if self.delete(delete) => return,
            Stmt::For(it) => {
                self.at_once.insert(it.iter.range());
            }
            _ => {}
        }
        walk_stmt(self, stmt);
    }

    fn visit_comprehension(&mut self, comprehension: &'a Comprehension) {
        self.at_once.insert(comprehension.iter.range());
        walk_comprehension(self, comprehension);
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
        assert_eq!(prepared.code.lines().count(), source.lines().count(), "lines stay");
        prepared.code
    }

    #[test]
    fn what_fits_stays_as_it_is() {
        for source in [
            "put_first_on_second(\"a block\", \"b bowl\")\nupdate_wm('x')  # import __x__\n",
            "for b in sorted(state['objects']):\n    if b.endswith('block'): say(b)\n",
            "any(x for x in y)\n[z for z in zip(a, b)]\nlist(map(str, l))\nf(*zip(a, b))",
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
            ("map(str.strip, l)", "iter(map((lambda o, *a: o.strip(*a)), l))"),
            ("str.upper('a')", "(lambda o, *a: o.upper(*a))('a')"),
            ("del d['k']", "d.pop(('k'))"),
            ("if c: del a[i], b[x, y]", "if c: a.pop((i)); b.pop((x, y))"),
            ("next((x for x in y), 1)", "next(iter((x for x in y)), 1)"),
            ("next(x for x in y)", "next(iter(x for x in y))"),
            ("p = zip(a, map(f, b))", "p = iter(zip(a, iter(map(f, b))))"),
            (
                "g = (m.get for m in (d.get for d in l))",
                "g = iter(((lambda o: lambda *a: o.get(*a))(m) for m in ((lambda o: lambda *a: o.get(*a))(d) for d in l)))",
            ),
            ("f'{max(d, key=d.get)}'", "f'{max(d, key=(lambda o: lambda *a: o.get(*a))(d))}'"),
        ] {
            assert_eq!(rewritten(source), expected);
        }
    }

    #[test]
    fn places_where_python_may_stop_are_known() {
        let prepared = prepare("", "ok = list(f(x) for x in l)\nno = any(f(x) for x in l)").unwrap();
        assert!(!prepared.may_stop_before((1, 11)));
        assert!(prepared.may_stop_before((2, 10)));
        assert!(!prepared.may_stop_before((2, 1)));
        let from =
            prepare("", "any(x for x in d['k'])\nfor y in map(f, d['k']): pass\nfor z in zip(d['k']): pass").unwrap();
        assert!(from.may_stop_before((1, 5)));
        assert!(!from.may_stop_before((1, 16)));
        assert!(from.may_stop_before((2, 10)));
        assert!(!from.may_stop_before((2, 17)));
        assert!(!from.may_stop_before((3, 10)));
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
