//! Python literals read as values, for programs that ask for a list and get its text.

use ruff_python_ast::{Expr, Number, Stmt, UnaryOp};
use serde_json::{Value, json};
use stepwright_program::parse::with_module;

/// How deep a literal may nest that is handed to a program: a dictionary in another is four levels of JSON deeper, of which a message takes
/// some more than a hundred.
const DEEPEST: usize = 25;

/// What a program is told of a text: its value as [`stepwright_skill::code::LITERAL`] has it, and where it is none, the error that Python
/// raises and what is wrong. The words are this program's: Python shows lines of its library and an address.
pub(super) fn told(text: &Value) -> Value {
    let text = text.as_str().unwrap_or_default().trim();
    let read = with_module(text, |module| match module.body.as_slice() {
        [Stmt::Expr(only)] => Some(value(&only.value, DEEPEST)),
        _ => None,
    });
    match read.ok().flatten() {
        Some(Some(value)) => json!([value, null, null]),
        Some(None) => json!([null, "ValueError", format!("malformed node or string: {text:?}")]),
        None => json!([null, "SyntaxError", format!("invalid syntax: {text:?}")]),
    }
}

/// Whether a text is a literal.
pub(crate) fn is_literal(text: &str) -> bool {
    told(&json!(text)).get(1).is_some_and(Value::is_null)
}

fn value(expression: &Expr, depth: usize) -> Option<Value> {
    let deeper = depth.checked_sub(1)?;
    let value = |expression: &Expr| value(expression, deeper);
    let all =
        |kind: &str, items: &[Expr]| Some(json!({ (kind): items.iter().map(value).collect::<Option<Vec<_>>>()? }));
    match expression {
        Expr::StringLiteral(text) => Some(json!(text.value.to_str())),
        // Others than text are not to be had in the sandbox.
        Expr::BytesLiteral(it) => Some(json!({ "bytes": String::from_utf8(it.value.bytes().collect()).ok()? })),
        Expr::BooleanLiteral(it) => Some(json!(it.value)),
        Expr::NoneLiteral(_) => Some(Value::Null),
        Expr::NumberLiteral(it) => number(&it.value, false),
        // A sign stands before a number alone.
        Expr::UnaryOp(it) => match (it.op, it.operand.as_ref()) {
            (UnaryOp::USub, Expr::NumberLiteral(it)) => number(&it.value, true),
            (UnaryOp::UAdd, Expr::NumberLiteral(it)) => number(&it.value, false),
            _ => None,
        },
        Expr::List(list) => all("list", &list.elts),
        Expr::Tuple(tuple) => all("tuple", &tuple.elts),
        Expr::Set(set) => all("set", &set.elts),
        Expr::Call(call) => {
            let empty = call.arguments.args.is_empty() && call.arguments.keywords.is_empty();
            let is_set = call.func.as_name_expr().is_some_and(|name| name.id.as_str() == "set");
            (empty && is_set).then(|| json!({ "set": [] }))
        }
        Expr::Dict(dict) => {
            let entry = |item: &ruff_python_ast::DictItem| {
                Some(json!({ "list": [value(item.key.as_ref()?)?, value(&item.value)?] }))
            };
            Some(json!({ "dict": dict.items.iter().map(entry).collect::<Option<Vec<_>>>()? }))
        }
        _ => None,
    }
}

/// A number; beyond what JSON holds it is a text. Complex ones are not to be had in the sandbox.
fn number(number: &Number, negative: bool) -> Option<Value> {
    let sign = if negative { "-" } else { "" };
    match number {
        Number::Int(n) => match n.as_i64() {
            Some(n) => Some(json!(if negative { -n } else { n })),
            None => decimal(&n.to_string()).map(|digits| json!({ "int": format!("{sign}{digits}") })),
        },
        Number::Float(x) if x.is_finite() => Some(json!(if negative { -x } else { *x })),
        Number::Float(_) => Some(json!({ "float": format!("{sign}inf") })),
        Number::Complex { .. } => None,
    }
}

/// The digits of a whole number that is written in tens.
fn decimal(number: &str) -> Option<&str> {
    number.bytes().all(|b| b.is_ascii_digit()).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_values_and_nothing_else_is() {
        let read = |text: &str| told(&json!(text));
        assert_eq!(
            read(" ['a', \"b's\", ('c', -1, 2.5), True]\n"),
            json!([{ "list": ["a", "b's", { "tuple": ["c", -1, 2.5] }, true] }, null, null])
        );
        for (text, value) in [
            ("{'a': None, 1: [2]}", json!({ "dict": [{ "list": ["a", null] }, { "list": [1, { "list": [2] }] }] })),
            ("{1, 'b'}", json!({ "set": [1, "b"] })),
            ("set()", json!({ "set": [] })),
            ("b'abc'", json!({ "bytes": "abc" })),
            ("'a' 'b'", json!("ab")),
            ("+1", json!(1)),
            ("99999999999999999999", json!({ "int": "99999999999999999999" })),
            ("-99999999999999999999", json!({ "int": "-99999999999999999999" })),
            ("-1e999", json!({ "float": "-inf" })),
        ] {
            assert_eq!(read(text)[0], value, "{text}");
            assert!(is_literal(text), "{text}");
        }
    }

    #[test]
    fn what_is_none_has_pythons_error() {
        let error = |text: &str| told(&json!(text))[1].clone();
        for text in ["a", "['a', b]", "f()", "1 + 1", "--1", "-True", "f'a'", "set(1)", "{**{}}", "1j"] {
            assert_eq!(error(text), "ValueError", "{text}");
        }
        let nested = |levels: usize| format!("{}{}", "[".repeat(levels), "]".repeat(levels));
        assert_eq!(
            (error(&nested(25)), error(&nested(120))),
            (Value::Null, json!("ValueError")),
            "what fits a message"
        );
        for text in ["", "['a'", "x = 1", "The list is: ['a']", "```\n['a']\n```", "['a'].", "['a']\n['b']"] {
            assert_eq!(error(text), "SyntaxError", "{text}");
        }
    }
}
