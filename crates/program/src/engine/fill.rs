//! Puts literals into the code of an expression that was compiled with placeholders for them (see `placeholders`).

use std::sync::Arc;

use super::code::{Body, Bounds, Clause, Comp, Element, FunctionCode, GenCode, MakeFunction, Node, Piece, Target};
use super::value::{Value, literal};
use crate::placeholders::{Literal, NUMBERS};

/// The code with the literals in the place of their placeholders. Statements are left as they are: an expression has none with constants.
pub(crate) fn filled(code: &FunctionCode, literals: &[Literal<'_>]) -> FunctionCode {
    let mut code = code.clone();
    Fill(literals).function(&mut code);
    code
}

struct Fill<'l>(&'l [Literal<'l>]);

impl Fill<'_> {
    fn function(&self, code: &mut FunctionCode) {
        if let Body::Expression(node) = &mut code.body {
            self.node(node);
        }
    }

    fn all<'n>(&self, nodes: impl IntoIterator<Item = &'n mut Node>) {
        nodes.into_iter().for_each(|node| self.node(node));
    }

    fn node(&self, node: &mut Node) {
        match node {
            Node::Const(value) => self.constant(value),
            Node::Unsupported(_) | Node::Local(..) | Node::Cell(..) | Node::Global(..) => {}
            Node::ClassVar(_, inner)
            | Node::Attr(inner, _)
            | Node::Not(inner)
            | Node::Unary(_, inner)
            | Node::Starred(inner) => self.node(inner),
            Node::Subscript(object, index) => self.all([&mut **object, &mut **index]),
            Node::Slice(slice) => {
                self.node(&mut slice.0);
                self.bounds(&mut slice.1);
            }
            Node::Call(call) => {
                self.node(&mut call.callee);
                self.all(&mut call.args);
                self.all(call.keywords.iter_mut().map(|(_, value)| value));
            }
            Node::Compare(first, rest) => {
                self.node(first);
                self.all(rest.iter_mut().map(|(_, operand)| operand));
            }
            Node::And(nodes) | Node::Or(nodes) | Node::Tuple(nodes) | Node::List(nodes) | Node::Set(nodes) => {
                self.all(nodes);
            }
            Node::Binary(_, both) => self.all([&mut both.0, &mut both.1]),
            Node::If(choice) => self.all([&mut choice.0, &mut choice.1, &mut choice.2]),
            Node::Dict(items) => items.iter_mut().for_each(|(key, value)| self.all(key.iter_mut().chain([value]))),
            Node::Comp(comp) => {
                let Comp { element, clauses, own: _ } = &mut **comp;
                match element {
                    Element::List(element) | Element::Set(element) => self.node(element),
                    Element::Dict(key, value) => self.all([key, value]),
                }
                self.clauses(clauses);
            }
            Node::GenExp(generator) => {
                self.node(&mut generator.1);
                let GenCode { element, clauses, .. } = Arc::make_mut(&mut generator.0);
                self.node(element);
                self.clauses(clauses);
            }
            Node::Lambda(lambda) => {
                let MakeFunction { code, defaults, kw_defaults, annotations: _ } = &mut **lambda;
                self.function(Arc::make_mut(code));
                self.all(defaults);
                self.all(kw_defaults.iter_mut().flatten());
            }
            Node::Walrus(walrus) => {
                self.target(&mut walrus.0);
                self.node(&mut walrus.1);
            }
            Node::FString(pieces) => self.pieces(pieces),
        }
    }

    fn constant(&self, value: &mut Value) {
        match value {
            Value::Str(text) => {
                if let Some(Literal::Text(found)) = text.parse::<usize>().ok().and_then(|place| self.0.get(place)) {
                    *text = literal(found);
                }
            }
            // With its sign, if it has one.
            Value::Int(number) => {
                let place = number.checked_abs().and_then(|number| usize::try_from(number - NUMBERS).ok());
                if let Some(Literal::Number(found)) = place.and_then(|place| self.0.get(place)) {
                    *number = number.signum() * found;
                }
            }
            _ => {}
        }
    }

    fn bounds(&self, bounds: &mut Bounds) {
        self.all([&mut bounds.lower, &mut bounds.upper, &mut bounds.step].into_iter().flatten());
    }

    fn clauses(&self, clauses: &mut [Clause]) {
        for Clause { target, iter, conditions } in clauses {
            self.target(target);
            self.node(iter);
            self.all(conditions);
        }
    }

    fn pieces(&self, pieces: &mut [Piece]) {
        for piece in pieces {
            if let Piece::Value { node, spec, .. } = piece {
                self.node(node);
                self.pieces(spec);
            }
        }
    }

    fn target(&self, target: &mut Target) {
        match target {
            Target::Local(_) | Target::Cell(_) | Target::Global(_) | Target::ClassVar(_) => {}
            Target::Attr(object, _) => self.node(object),
            Target::Subscript(item) => self.all([&mut item.0, &mut item.1]),
            Target::Slice(slice) => {
                self.node(&mut slice.0);
                self.bounds(&mut slice.1);
            }
            Target::Unpack(before, starred) => {
                let after = starred.iter_mut().flat_map(|starred| {
                    let (middle, after) = &mut **starred;
                    std::iter::once(middle).chain(after)
                });
                before.iter_mut().chain(after).for_each(|target| self.target(target));
            }
        }
    }
}
