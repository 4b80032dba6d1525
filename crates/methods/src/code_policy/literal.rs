//! Python literals read as values, for programs that ask for a list and get its text.

use ruff_python_ast::{Expr, Number, Stmt, UnaryOp};
use serde_json::{Map, Value, json};
use stepwright_program::parse::with_module;

/// What a program is told of a text: its value, and what is wrong where it is no literal.
pub(super) fn told(text: &Value) -> Value {
    let text = text.as_str().unwrap_or_default().trim();
    let read = with_module(text, |module| match module.body.as_slice() {
        [Stmt::Expr(only)] => value(&only.value),
        _ => None,
    });
    match read.ok().flatten() {
        Some(value) => json!([value, null]),
        None => json!([null, format!("malformed node or string: {text:.200?}")]),
    }
}

/// Whether a text is a literal.
pub(crate) fn is_literal(text: &str) -> bool {
    told(&json!(text)).get(1).is_some_and(Value::is_null)
}

fn value(expression: &Expr) -> Option<Value> {
    let all = |items: &[Expr]| items.iter().map(value).collect::<Option<Vec<_>>>().map(Value::Array);
    match expression {
        Expr::StringLiteral(text) => Some(json!(text.value.to_str())),
        Expr::BooleanLiteral(it) => Some(json!(it.value)),
        Expr::NoneLiteral(_) => Some(Value::Null),
        Expr::NumberLiteral(it) => number(&it.value),
        Expr::UnaryOp(it) if it.op == UnaryOp::USub => match value(&it.operand)? {
            Value::Number(n) => {
                n.as_i64().and_then(i64::checked_neg).map(Value::from).or(n.as_f64().map(|x| json!(-x)))
            }
            _ => None,
        },
        Expr::List(list) => all(&list.elts),
        Expr::Tuple(tuple) => all(&tuple.elts),
        Expr::Set(set) => all(&set.elts),
        Expr::Dict(dict) => {
            let entry = |item: &ruff_python_ast::DictItem| match value(item.key.as_ref()?)? {
                Value::String(key) => Some((key, value(&item.value)?)),
                _ => None,
            };
            dict.items.iter().map(entry).collect::<Option<Map<_, _>>>().map(Value::Object)
        }
        _ => None,
    }
}

fn number(number: &Number) -> Option<Value> {
    match number {
        Number::Int(n) => n.as_i64().map(Value::from),
        Number::Float(x) => Some(json!(x)),
        Number::Complex { .. } => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn literals_are_values_and_nothing_else_is() {
        let read = |text: &str| told(&json!(text));
        assert_eq!(read(" ['a', \"b's\", ('c', -1, 2.5), True]\n"), json!([["a", "b's", ["c", -1, 2.5], true], null]));
        assert_eq!(read("{'a': None}"), json!([{ "a": null }, null]));
        for wrong in ["a", "['a', b]", "f()", "1 + 1", "", "['a'", "{1: 2}", "x = 1"] {
            assert!(read(wrong)[1].is_string(), "{wrong}");
        }
        assert!(told(&Value::Null)[1].is_string());
    }
}
