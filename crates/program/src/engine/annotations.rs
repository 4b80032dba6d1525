//! What is evaluated of annotations, which have no other effect.

use std::ops::RangeInclusive;

use ruff_python_ast::{self as ast, Expr};

use super::code::{Node, Operator};
use super::compile::Compiler;
use super::types::{BuiltinName, Type, builtin, listed};
use super::value::Value;

impl Compiler<'_> {
    /// Whether it is known what evaluating an annotation does: nothing but reading the names of the program, which are put into `out`.
    pub(crate) fn annotation(&mut self, annotation: &Expr, out: &mut Vec<Node>) -> bool {
        match annotation {
            Expr::NoneLiteral(_) | Expr::StringLiteral(_) => true,
            Expr::Name(name) => {
                if !self.is_type(name) {
                    let node = self.load(name.id.as_str());
                    out.push(node);
                }
                true
            }
            Expr::BinOp(union) => {
                let sides = [&*union.left, &*union.right];
                union.op == Operator::BitOr
                    && !sides.iter().all(|side| side.is_none_literal_expr())
                    && sides.into_iter().all(|side| self.side(side, out))
            }
            Expr::Subscript(generic) => {
                let Expr::Name(name) = &*generic.value else { return false };
                let arguments = match &*generic.slice {
                    Expr::Tuple(tuple) => tuple.elts.as_slice(),
                    one => std::slice::from_ref(one),
                };
                let (takes, is_tuple) = (self.takes(name), name.id.as_str().eq_ignore_ascii_case("tuple"));
                takes.is_some_and(|takes| takes.contains(&arguments.len()))
                    && arguments.iter().all(|argument| match argument {
                        // To `typing` it is an expression.
                        Expr::StringLiteral(text) => {
                            let name = text.value.to_str();
                            !name.is_empty() && name.chars().all(|c| c.is_alphabetic() || c == '_')
                        }
                        Expr::EllipsisLiteral(_) => is_tuple && arguments.len() == 2,
                        other => self.annotation(other, out),
                    })
            }
            _ => false,
        }
    }

    /// As [`Compiler::annotation`], of one side of a `|`: only what is a type may stand there.
    fn side(&mut self, side: &Expr, out: &mut Vec<Node>) -> bool {
        match side {
            Expr::StringLiteral(_) => false,
            Expr::Name(name) if !self.is_type(name) => {
                let sides = (self.load(name.id.as_str()), Node::Const(Value::Type(Type::Int)));
                out.push(Node::Binary(Operator::BitOr, Box::new(sides)));
                true
            }
            Expr::Name(name) if self.typing.get(name.id.as_str()).is_some_and(|of| of != "Any") => false,
            other => self.annotation(other, out),
        }
    }

    /// Whether a name in an annotation is that of a type that is built in or from `typing`.
    fn is_type(&self, name: &ast::ExprName) -> bool {
        let name = name.id.as_str();
        self.typing.contains_key(name) || matches!(builtin(name), Some(BuiltinName::Type(_)))
    }

    /// How many arguments a generic type takes; `None` of any other.
    fn takes(&self, name: &ast::ExprName) -> Option<RangeInclusive<usize>> {
        let name = name.id.as_str();
        match self.typing.get(name).map(String::as_str) {
            Some("Union" | "Tuple" | "Literal") => Some(1..=usize::MAX),
            Some("Dict" | "Mapping" | "DefaultDict") => Some(2..=2),
            Some("Optional" | "List" | "Set" | "FrozenSet" | "Sequence" | "Iterable" | "Iterator" | "Type") => {
                Some(1..=1)
            }
            Some(_) => None,
            None => listed("list dict tuple set frozenset type", name).then_some(1..=usize::MAX),
        }
    }
}
