//! Compiles expressions.

use std::str::FromStr;
use std::sync::Arc;

use num_bigint::BigInt;
use ruff_python_ast::visitor::{Visitor, walk_expr};
use ruff_python_ast::{self as ast, Expr, StringFlags as _};
use ruff_text_size::Ranged;

use super::code::{Bounds, Call, Clause, Comp, ConversionFlag, Element, GenCode, Node, Piece, UnaryOp};
use super::compile::{CompileFailure, Compiled, Compiler, FunctionBody, Var};
use super::depth::MAX_DEPTH;
use super::fault::Python;
use super::value::Value;

/// Longest whole number CPython reads or writes, in decimal digits.
pub(crate) const MAX_DIGITS: usize = 4300;

impl Compiler<'_> {
    pub(crate) fn expr(&mut self, expr: &Expr) -> Compiled<Node> {
        if self.depth >= MAX_DEPTH {
            return Err(CompileFailure::TooDeep);
        }
        self.depth += 1;
        let node = if self.depth.is_multiple_of(16) {
            stacker::maybe_grow(256 * 1024, 1024 * 1024, || self.expr_inner(expr))
        } else {
            self.expr_inner(expr)
        };
        self.depth -= 1;
        node
    }

    fn all(&mut self, exprs: &[Expr]) -> Compiled<Vec<Node>> {
        exprs.iter().map(|e| self.expr(e)).collect()
    }

    /// Elements of a display, which may be starred.
    fn elements(&mut self, exprs: &[Expr]) -> Compiled<Vec<Node>> {
        exprs.iter().map(|e| self.expr_or_star(e)).collect()
    }

    pub(crate) fn expr_or_star(&mut self, expr: &Expr) -> Compiled<Node> {
        match expr {
            Expr::Starred(starred) => Ok(Node::Starred(Box::new(self.expr(&starred.value)?))),
            other => self.expr(other),
        }
    }

    fn expr_inner(&mut self, expr: &Expr) -> Compiled<Node> {
        Ok(match expr {
            Expr::BoolOp(op) => {
                let values = self.all(&op.values)?;
                match op.op {
                    ast::BoolOp::And => Node::And(values),
                    ast::BoolOp::Or => Node::Or(values),
                }
            }
            Expr::Named(named) => {
                let value = self.expr(&named.value)?;
                let Expr::Name(name) = named.target.as_ref() else {
                    return self.syntax("cannot use assignment expressions with this target", named.range);
                };
                if self.in_comprehension > 0 && self.is_iteration_variable(name.id.as_str()) {
                    let what = "assignment expression cannot rebind comprehension iteration variable";
                    return self.syntax(format!("{what} '{}'", name.id), named.range);
                }
                Node::Walrus(Box::new((self.store(name.id.as_str()), value)))
            }
            Expr::BinOp(op) => Node::Binary(op.op, Box::new((self.expr(&op.left)?, self.expr(&op.right)?))),
            Expr::UnaryOp(op) => match (op.op, self.expr(&op.operand)?) {
                (UnaryOp::Not, operand) => Node::Not(Box::new(operand)),
                (UnaryOp::USub, Node::Const(Value::Int(n))) if n != 0 && n != i64::MIN => Node::Const(Value::Int(-n)),
                (sign, operand) => Node::Unary(sign, Box::new(operand)),
            },
            Expr::Lambda(lambda) => Node::Lambda(Box::new(self.function(
                "<lambda>",
                lambda.parameters.as_deref(),
                lambda.range,
                FunctionBody::Expression(&lambda.body),
            )?)),
            Expr::If(branch) => {
                Node::If(Box::new((self.expr(&branch.test)?, self.expr(&branch.body)?, self.expr(&branch.orelse)?)))
            }
            Expr::Dict(dict) => Node::Dict(
                dict.items
                    .iter()
                    .map(|item| Ok((item.key.as_ref().map(|k| self.expr(k)).transpose()?, self.expr(&item.value)?)))
                    .collect::<Compiled<_>>()?,
            ),
            Expr::Set(set) => Node::Set(self.elements(&set.elts)?),
            Expr::List(list) => Node::List(self.elements(&list.elts)?),
            Expr::Tuple(tuple) => Node::Tuple(self.elements(&tuple.elts)?),
            Expr::ListComp(c) => {
                self.comprehension("<listcomp>", c.range, &c.generators, |this| Ok(Element::List(this.expr(&c.elt)?)))?
            }
            Expr::SetComp(c) => {
                self.comprehension("<setcomp>", c.range, &c.generators, |this| Ok(Element::Set(this.expr(&c.elt)?)))?
            }
            Expr::DictComp(c) => {
                let Some(key) = &c.key else {
                    return self.syntax("dict unpacking cannot be used in dict comprehension", c.range);
                };
                self.comprehension("<dictcomp>", c.range, &c.generators, |this| {
                    Ok(Element::Dict(this.expr(key)?, this.expr(&c.value)?))
                })?
            }
            Expr::Generator(generator) => self.generator(generator)?,
            // Never run.
            Expr::Await(a) if self.frame().asynchronous => self.expr(&a.value)?,
            Expr::Await(a) => return self.syntax("'await' outside async function", a.range),
            Expr::Yield(_) | Expr::YieldFrom(_) => {
                if self.in_comprehension > 0 {
                    return self.syntax("'yield' inside a comprehension", expr.range());
                }
                if !self.frame().function {
                    return self.syntax("'yield' outside function", expr.range());
                }
                if expr.is_yield_from_expr() && self.frame().asynchronous {
                    return self.syntax("'yield from' inside async function", expr.range());
                }
                self.frame().yields = true;
                Node::Unsupported(Arc::from("generator functions"))
            }
            Expr::Compare(compare) => {
                let first = self.expr(&compare.left)?;
                let rest = compare
                    .ops
                    .iter()
                    .zip(&compare.comparators)
                    .map(|(op, operand)| Ok((*op, self.expr(operand)?)))
                    .collect::<Compiled<_>>()?;
                Node::Compare(Box::new(first), rest)
            }
            Expr::Call(call) => self.call(call)?,
            Expr::FString(f) => self.fstring(f)?,
            Expr::StringLiteral(s) => {
                let text = s.value.to_str();
                if text.contains('\u{fffd}') && !self.source[s.range].contains('\u{fffd}') {
                    return Ok(Node::Unsupported(Arc::from("lone surrogates in text")));
                }
                Node::Const(Value::Str(super::value::literal(text)))
            }
            Expr::BytesLiteral(b) => Node::Const(Value::Bytes(b.value.bytes().collect::<Vec<u8>>().into())),
            Expr::NumberLiteral(n) => self.number(n)?,
            Expr::BooleanLiteral(b) => Node::Const(Value::Bool(b.value)),
            Expr::NoneLiteral(_) => Node::Const(Value::None),
            Expr::EllipsisLiteral(_) => Node::Const(Value::Ellipsis),
            Expr::Attribute(attribute) => {
                let object = self.expr(&attribute.value)?;
                Node::Attr(Box::new(object), self.name(attribute.attr.as_str()))
            }
            Expr::Subscript(subscript) => {
                let object = self.expr(&subscript.value)?;
                match self.bounds(&subscript.slice)? {
                    Some(bounds) => Node::Slice(Box::new((object, bounds))),
                    None => Node::Subscript(Box::new(object), Box::new(self.subscript(&subscript.slice)?)),
                }
            }
            Expr::Starred(starred) => return self.syntax("can't use starred expression here", starred.range),
            Expr::Name(name) => self.load(name.id.as_str()),
            Expr::Slice(_) => Node::Unsupported(Arc::from("slice objects")),
            Expr::TString(_) => Node::Unsupported(Arc::from("template strings")),
            Expr::IpyEscapeCommand(e) => return self.syntax("invalid syntax", e.range),
        })
    }

    /// An index that may be a tuple of slices: those are not offered.
    fn subscript(&mut self, index: &Expr) -> Compiled<Node> {
        self.expr(index)
    }

    pub(crate) fn bounds(&mut self, index: &Expr) -> Compiled<Option<Bounds>> {
        let Expr::Slice(slice) = index else { return Ok(None) };
        let mut part = |e: &Option<Box<Expr>>| e.as_ref().map(|e| self.expr(e)).transpose();
        Ok(Some(Bounds { lower: part(&slice.lower)?, upper: part(&slice.upper)?, step: part(&slice.step)? }))
    }

    fn is_iteration_variable(&self, name: &str) -> bool {
        self.iteration_variables.iter().any(|names| names.iter().any(|n| n == name))
    }

    fn clauses(&mut self, first: Node, clauses: &[ast::Comprehension]) -> Compiled<Vec<Clause>> {
        let mut first = Some(first);
        let mut out = Vec::with_capacity(clauses.len());
        for clause in clauses {
            let iter = match first.take() {
                Some(first) => first,
                None => self.expr(&clause.iter)?,
            };
            if let Some(named) = walrus_in(&clause.target)
                && let Expr::Name(name) = named.target.as_ref()
                && !self.is_iteration_variable(name.id.as_str())
            {
                let what = "comprehension inner loop cannot rebind assignment expression target";
                return self.syntax(format!("{what} '{}'", name.id), named.range);
            }
            let target = self.target(&clause.target)?;
            out.push(Clause { target, iter, conditions: self.all(&clause.ifs)? });
        }
        Ok(out)
    }

    /// Begins what to Python 3.11 is a function of that name.
    fn enter_comprehension(&mut self, name: &str, clauses: &[ast::Comprehension]) -> Compiled<()> {
        if let Some(c) = clauses.iter().find(|c| c.is_async)
            && !self.frame().asynchronous
        {
            return self.syntax("asynchronous comprehension outside of an asynchronous function", c.range);
        }
        self.in_comprehension += 1;
        let mut names = Vec::new();
        clauses.iter().for_each(|c| target_names(&c.target, &mut names));
        self.iteration_variables.push(names);
        self.path.push(name.to_owned());
        Ok(())
    }

    fn leave_comprehension(&mut self) {
        self.in_comprehension -= 1;
        self.iteration_variables.pop();
        self.path.pop();
    }

    fn iterable(&mut self, clauses: &[ast::Comprehension]) -> Compiled<Node> {
        for clause in clauses {
            if let Some(named) = walrus_in(&clause.iter) {
                let message = "assignment expression cannot be used in a comprehension iterable expression";
                return self.syntax(message, named.range);
            }
        }
        match clauses.first() {
            Some(first) => self.expr(&first.iter),
            None => Ok(Node::Const(Value::None)),
        }
    }

    fn comprehension(
        &mut self,
        name: &str,
        range: ruff_text_size::TextRange,
        clauses: &[ast::Comprehension],
        element: impl FnOnce(&mut Self) -> Compiled<Element>,
    ) -> Compiled<Node> {
        let first = self.iterable(clauses)?;
        let Some(scope) = self.scopes.of(range) else { return self.syntax("comprehension without a scope", range) };
        let own: Vec<Var> = self.open_scope(scope);
        self.enter_comprehension(name, clauses)?;
        let clauses = self.clauses(first, clauses)?;
        let element = element(self)?;
        self.leave_comprehension();
        self.close_scope();
        Ok(Node::Comp(Box::new(Comp { element, clauses, own: own.iter().map(|v| (v.slot, v.cell)).collect() })))
    }

    fn generator(&mut self, generator: &ast::ExprGenerator) -> Compiled<Node> {
        // Unlike a comprehension, such a generator may be made anywhere.
        if generator.generators.iter().any(|clause| clause.is_async) {
            return Ok(Node::Unsupported(Arc::from("asynchronous generators")));
        }
        let first = self.iterable(&generator.generators)?;
        let Some(scope) = self.scopes.of(generator.range) else {
            return self.syntax("generator without a scope", generator.range);
        };
        let asynchronous = self.frame().asynchronous;
        self.open_frame(scope, false);
        self.frame().asynchronous = asynchronous;
        self.enter_comprehension("<genexpr>", &generator.generators)?;
        let clauses = self.clauses(Node::Const(Value::None), &generator.generators)?;
        let element = self.expr(&generator.elt)?;
        self.leave_comprehension();
        let frame = self.frames.pop();
        let Some(frame) = frame else { return Err(CompileFailure::TooDeep) };
        let code = GenCode { element, clauses, slots: frame.slots, captures: frame.captures, cells: frame.cells };
        Ok(Node::GenExp(Box::new((Arc::new(code), first))))
    }

    fn call(&mut self, call: &ast::ExprCall) -> Compiled<Node> {
        let callee = self.expr(&call.func)?;
        let args = self.elements(&call.arguments.args)?;
        let mut keywords = Vec::new();
        for keyword in &call.arguments.keywords {
            keyword.arg.as_ref().map_or(Ok(()), |name| self.changeable(name))?;
            let name = keyword.arg.as_ref().map(|n| self.name(n.as_str()));
            keywords.push((name, self.expr(&keyword.value)?));
        }
        let starred =
            args.iter().any(|a| matches!(a, Node::Starred(_))) || keywords.iter().any(|(name, _)| name.is_none());
        Ok(Node::Call(Box::new(Call { callee, args, keywords, starred })))
    }

    fn number(&mut self, literal: &ast::ExprNumberLiteral) -> Compiled<Node> {
        Ok(match &literal.value {
            ast::Number::Int(n) => match n.as_i64() {
                Some(n) => Node::Const(Value::Int(n)),
                None => {
                    let text = n.to_string();
                    match big_literal(&text) {
                        Some(n) => Node::Const(Value::big(n)),
                        None if text.starts_with("0x") || text.starts_with("0o") || text.starts_with("0b") => {
                            Node::Unsupported(Arc::from("whole numbers this large"))
                        }
                        None => {
                            return self.syntax(
                                "Exceeds the limit (4300 digits) for integer string conversion",
                                literal.range,
                            );
                        }
                    }
                }
            },
            ast::Number::Float(x) => Node::Const(Value::Float(*x)),
            ast::Number::Complex { .. } => Node::Unsupported(Arc::from("complex numbers")),
        })
    }

    fn fstring(&mut self, f: &ast::ExprFString) -> Compiled<Node> {
        let mut pieces = Vec::new();
        for part in f.value.iter() {
            match part {
                ast::FStringPart::Literal(text) => pieces.push(Piece::Text(Arc::from(text.as_str()))),
                ast::FStringPart::FString(f) => self.pieces(&f.elements, f.flags.into(), 0, &mut pieces)?,
            }
        }
        if !self.source[f.range].contains('\u{fffd}')
            && pieces.iter().any(|p| matches!(p, Piece::Text(t) if t.contains('\u{fffd}')))
        {
            return Ok(Node::Unsupported(Arc::from("lone surrogates in text")));
        }
        Ok(Node::FString(pieces))
    }

    /// Whether an expression in an f-string is written as only Python 3.12 allows it: with the quotes around it, a backslash, a comment or,
    /// between single quotes, in several lines.
    fn is_new_in_fstrings(&self, value: &ast::InterpolatedElement, quotes: ast::AnyStringFlags) -> bool {
        let end = value.format_spec.as_ref().map_or(value.range.end(), |format| format.range.start());
        let text = self.source.get(value.range.start().to_usize()..end.to_usize()).unwrap_or_default();
        let lines = text.contains(['\n', '\r']);
        // Nor may anything stand between `!r` and what is behind it.
        let shown = text.trim_end_matches(['}', ':']);
        let apart = value.conversion != ConversionFlag::None && shown.ends_with(char::is_whitespace);
        apart
            || text.contains('\\')
            || text.contains(quotes.quote_str())
            || (lines && (text.contains('#') || !quotes.is_triple_quoted()))
    }

    /// The pieces of an f-string, or of a format within one: of one that stands `level` formats deep.
    fn pieces(
        &mut self,
        elements: &ast::InterpolatedStringElements,
        quotes: ast::AnyStringFlags,
        level: u32,
        out: &mut Vec<Piece>,
    ) -> Compiled<()> {
        for element in elements {
            match element {
                ast::InterpolatedStringElement::Literal(text) => out.push(Piece::Text(Arc::from(&*text.value))),
                ast::InterpolatedStringElement::Interpolation(value) => {
                    let is_new = self.python < Python::V3_12 && (level > 1 || self.is_new_in_fstrings(value, quotes));
                    if is_new {
                        return Err(CompileFailure::Unsupported(NEW_FSTRING, value.range.start().to_usize()));
                    }
                    if let Some(debug) = &value.debug_text {
                        out.push(Piece::Text(Arc::from(debug.as_str())));
                    }
                    if value.expression.is_starred_expr() {
                        return self.syntax("f-string: cannot use starred expression here", value.expression.range());
                    }
                    let node = self.expr(&value.expression)?;
                    let mut spec = Vec::new();
                    if let Some(format_spec) = &value.format_spec {
                        self.pieces(&format_spec.elements, quotes, level + 1, &mut spec)?;
                    }
                    let shown = value.debug_text.is_some() && value.format_spec.is_none();
                    let conversion = match value.conversion {
                        ConversionFlag::None if shown => ConversionFlag::Repr,
                        other => other,
                    };
                    out.push(Piece::Value { node, conversion, spec });
                }
            }
        }
        Ok(())
    }
}

/// What only the f-strings of Python 3.12 allow.
const NEW_FSTRING: &str = "an f-string that Python before 3.12 does not read";

fn big_literal(text: &str) -> Option<BigInt> {
    let (digits, radix) = match text.get(..2) {
        Some("0x" | "0X") => (&text[2..], 16),
        Some("0o" | "0O") => (&text[2..], 8),
        Some("0b" | "0B") => (&text[2..], 2),
        _ => (text, 10),
    };
    let digits = digits.replace('_', "");
    if digits.len() > MAX_DIGITS {
        return None;
    }
    if radix == 10 { BigInt::from_str(&digits).ok() } else { BigInt::parse_bytes(digits.as_bytes(), radix) }
}

/// The names that a comprehension's target holds: to Python 3.11 also those in an index or of an object are its variables.
fn target_names(target: &Expr, out: &mut Vec<String>) {
    struct Collect<'n>(&'n mut Vec<String>);
    impl<'a> Visitor<'a> for Collect<'_> {
        fn visit_expr(&mut self, expr: &'a Expr) {
            match expr {
                Expr::Name(name) => self.0.push(name.id.to_string()),
                Expr::Named(named) => self.visit_expr(&named.value),
                _ => walk_expr(self, expr),
            }
        }
    }
    Collect(out).visit_expr(target);
}

/// The assignment expression that an expression holds; also one in a function within it counts.
fn walrus_in(expr: &Expr) -> Option<&ast::ExprNamed> {
    struct Find<'a>(Option<&'a ast::ExprNamed>);
    impl<'a> Visitor<'a> for Find<'a> {
        fn visit_expr(&mut self, expr: &'a Expr) {
            match expr {
                Expr::Named(named) => self.0 = Some(named),
                _ if self.0.is_none() => walk_expr(self, expr),
                _ => {}
            }
        }
    }
    let mut find = Find(None);
    find.visit_expr(expr);
    find.0
}
