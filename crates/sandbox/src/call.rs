//! Calls that code made of host functions, and their text.

use std::fmt;

use serde::{Deserialize, Serialize};
use serde_json::Value;

/// A call of a host function. Unlike a program's call it has no receiver, and its arguments may be any plain value.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Call {
    pub function: String,
    /// The arguments by place; tuples and sets arrive as lists.
    pub args: Vec<Value>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub keywords: Vec<(String, Value)>,
}

impl fmt::Display for Call {
    /// As Python, texts in double quotes: `put_first_on_second("green block", "orange block")`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}(", self.function)?;
        let mut separator = "";
        for arg in &self.args {
            f.write_str(separator)?;
            write_value(f, arg)?;
            separator = ", ";
        }
        for (name, value) in &self.keywords {
            write!(f, "{separator}{name}=")?;
            write_value(f, value)?;
            separator = ", ";
        }
        f.write_str(")")
    }
}

fn write_value(f: &mut fmt::Formatter<'_>, value: &Value) -> fmt::Result {
    match value {
        Value::Null => f.write_str("None"),
        Value::Bool(true) => f.write_str("True"),
        Value::Bool(false) => f.write_str("False"),
        // Of a text and a number JSON's spelling is also Python's.
        Value::Number(_) | Value::String(_) => write!(f, "{value}"),
        Value::Array(items) => {
            f.write_str("[")?;
            for (i, item) in items.iter().enumerate() {
                f.write_str(if i == 0 { "" } else { ", " })?;
                write_value(f, item)?;
            }
            f.write_str("]")
        }
        Value::Object(entries) => {
            f.write_str("{")?;
            for (i, (key, item)) in entries.iter().enumerate() {
                write!(f, "{}{}: ", if i == 0 { "" } else { ", " }, Value::from(key.as_str()))?;
                write_value(f, item)?;
            }
            f.write_str("}")
        }
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_call_reads_as_python() {
        let call = Call {
            function: "say".into(),
            args: vec![json!("a \"b\"\nü"), json!(null), json!([true, {"k": 2.5}])],
            keywords: vec![("loud".into(), json!(false))],
        };
        assert_eq!(call.to_string(), r#"say("a \"b\"\nü", None, [True, {"k": 2.5}], loud=False)"#);
        assert_eq!(Call { function: "noop".into(), args: vec![], keywords: vec![] }.to_string(), "noop()");
    }
}
