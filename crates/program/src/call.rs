//! One program call, `receiver.function(literals…)`, and its lossless text.
//!
//! Parsing accepts exactly one call whose arguments are constants, by place and by name; anything else is left to the engine.

use std::fmt;

use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::engine::number::float_repr;
use crate::engine::text::{quote_bytes, quote_of, quote_one};

/// A constant argument of a call.
#[derive(Debug, Clone, PartialEq)]
pub enum Literal {
    /// `None`
    None,
    /// `True`, `False`
    Bool(bool),
    /// A whole number that fits 64 bits.
    Int(i64),
    /// A larger one below 2⁶⁴, as JSON has them; never one that is an [`Literal::Int`].
    Long(u64),
    /// A floating-point number.
    Float(f64),
    /// A string.
    Str(String),
    /// Bytes, which JSON has as the text that Python writes.
    Bytes(Vec<u8>),
    /// `...`, the same in JSON.
    Ellipsis,
    /// A list of constants.
    List(Vec<Literal>),
    /// A dictionary from strings, in its order.
    Dict(Vec<(String, Literal)>),
}

impl Literal {
    /// The string, if it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Literal::Str(text) => Some(text),
            _ => None,
        }
    }
}

impl From<&Literal> for serde_json::Value {
    fn from(literal: &Literal) -> Self {
        match literal {
            Literal::None => serde_json::Value::Null,
            Literal::Bool(b) => (*b).into(),
            Literal::Int(n) => (*n).into(),
            Literal::Long(n) => (*n).into(),
            Literal::Float(x) => (*x).into(),
            Literal::Str(s) => s.as_str().into(),
            Literal::Bytes(_) | Literal::Ellipsis => literal.to_string().into(),
            Literal::List(items) => items.iter().map(serde_json::Value::from).collect(),
            Literal::Dict(items) => {
                serde_json::Value::Object(items.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
        }
    }
}

impl From<&serde_json::Value> for Literal {
    /// A whole number from 2⁶⁴ on is a floating-point number in JSON already.
    fn from(value: &serde_json::Value) -> Self {
        match value {
            serde_json::Value::Null => Literal::None,
            serde_json::Value::Bool(b) => Literal::Bool(*b),
            serde_json::Value::Number(n) => {
                let whole = n.as_i64().map(Literal::Int).or_else(|| n.as_u64().map(Literal::Long));
                whole.unwrap_or_else(|| Literal::Float(n.as_f64().unwrap_or_default()))
            }
            serde_json::Value::String(s) => Literal::Str(s.clone()),
            serde_json::Value::Array(items) => Literal::List(items.iter().map(Literal::from).collect()),
            serde_json::Value::Object(items) => {
                Literal::Dict(items.iter().map(|(key, value)| (key.clone(), value.into())).collect())
            }
        }
    }
}

impl From<&str> for Literal {
    fn from(text: &str) -> Self {
        Literal::Str(text.to_owned())
    }
}

impl From<String> for Literal {
    fn from(text: String) -> Self {
        Literal::Str(text)
    }
}

impl From<bool> for Literal {
    fn from(value: bool) -> Self {
        Literal::Bool(value)
    }
}

impl fmt::Display for Literal {
    /// As Python's `repr` writes it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Literal::None => f.write_str("None"),
            Literal::Bool(true) => f.write_str("True"),
            Literal::Bool(false) => f.write_str("False"),
            Literal::Int(n) => write!(f, "{n}"),
            Literal::Long(n) => write!(f, "{n}"),
            Literal::Float(x) => f.write_str(&float_repr(*x)),
            Literal::Str(s) => write_repr(f, s),
            Literal::Bytes(bytes) => {
                let mut quoted = String::new();
                quote_bytes(bytes, &mut quoted);
                f.write_str(&quoted)
            }
            Literal::Ellipsis => f.write_str("..."),
            Literal::List(items) => {
                f.write_str("[")?;
                for (at, item) in items.iter().enumerate() {
                    write!(f, "{}{item}", comma(at))?;
                }
                f.write_str("]")
            }
            Literal::Dict(items) => {
                f.write_str("{")?;
                for (at, (key, value)) in items.iter().enumerate() {
                    f.write_str(comma(at))?;
                    write_repr(f, key)?;
                    write!(f, ": {value}")?;
                }
                f.write_str("}")
            }
        }
    }
}

fn comma(at: usize) -> &'static str {
    if at > 0 { ", " } else { "" }
}

/// Writes a string as Python's `repr` does.
fn write_repr(f: &mut fmt::Formatter<'_>, s: &str) -> fmt::Result {
    let quote = quote_of(s);
    let mut quoted = String::with_capacity(s.len() + 2);
    quoted.push(quote);
    s.chars().for_each(|c| quote_one(c, quote, &mut quoted));
    quoted.push(quote);
    f.write_str(&quoted)
}

/// A program call: `agent.take('mug 1', 'shelf 2')`, `tools.cancel(order_id='W42')`.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Call {
    /// The object called (`agent`, `env`, `system`, `user`).
    pub receiver: String,
    /// The function (`take`).
    pub function: String,
    /// Its arguments by place, constants only.
    pub args: Vec<Literal>,
    /// Its arguments by name, after those.
    pub named: Vec<(String, Literal)>,
}

impl Call {
    /// Builds a call whose arguments are literals.
    pub fn new<A: Into<Literal>>(receiver: &str, function: &str, args: impl IntoIterator<Item = A>) -> Self {
        Call {
            receiver: receiver.to_owned(),
            function: function.to_owned(),
            args: args.into_iter().map(Into::into).collect(),
            named: Vec::new(),
        }
    }

    /// The argument at a place, if it is a string.
    pub fn text(&self, at: usize) -> Option<&str> {
        self.args.get(at).and_then(Literal::text)
    }
}

impl fmt::Display for Call {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}(", self.receiver, self.function)?;
        for (i, arg) in self.args.iter().enumerate() {
            write!(f, "{}{arg}", comma(i))?;
        }
        for (i, (name, value)) in self.named.iter().enumerate() {
            write!(f, "{}{name}={value}", comma(i + self.args.len()))?;
        }
        f.write_str(")")
    }
}

/// Why a text is not a call of constants.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{text}` is not a call of constants such as agent.take('mug 1', 'shelf 2'): {why}")]
pub struct CallError {
    /// The text offered.
    pub text: String,
    /// The kind of text it is instead.
    pub why: String,
}

impl Serialize for Call {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

impl<'de> Deserialize<'de> for Call {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        text.parse().map_err(serde::de::Error::custom)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_survives_its_text() {
        for text in [
            "agent.take('mug 1', 'shelf 2')",
            "env.set_property(\"it's\", 'open', False)",
            "a.f(None, -3, 2.5)",
            "a.f()",
            "tools.cancel(order_id='#W42', reason=None)",
            "a.f(1, x=[1, 'two', [], {'a': {}, \"b's\": [True, -2.5e-07, 1e+16]}])",
            "a.f(9223372036854775807, -9223372036854775807, 9223372036854775808, [18446744073709551615])",
            "a.f('\\\\ \\x00 \\n é \\xa0 \\u2028 \\U000e0001')",
            "a.f(b'a\\xff\"', ..., k=[b\"'\"])",
        ] {
            let call: Call = text.parse().unwrap();
            assert_eq!(call.to_string(), text);
            assert_eq!(call.to_string().parse::<Call>().unwrap(), call);
        }
    }

    #[test]
    fn a_large_number_of_json_is_kept_as_it_is_written() {
        let json = serde_json::json!([i64::MAX, 1_u64 << 63, u64::MAX, 0.5]);
        let literal = Literal::from(&json);
        assert_eq!(literal.to_string(), "[9223372036854775807, 9223372036854775808, 18446744073709551615, 0.5]");
        assert_eq!(serde_json::Value::from(&literal), json);
    }

    #[test]
    fn what_is_no_call_of_constants_is_refused() {
        for text in [
            "",
            "f(1)",
            "a.b.c(1)",
            "a.f(x)",
            "a.f(**{})",
            "a.f(k=x)",
            "a.f(18446744073709551616)",
            "a.f([x])",
            "a.f({1: 2})",
            "a.f(1); a.g(2)",
            "a.f(",
            &"(".repeat(100_000),
        ] {
            assert!(text.parse::<Call>().is_err(), "{text:.40}");
        }
    }
}
