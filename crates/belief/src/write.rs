//! Text of a belief as prompts show it: every line a comment, one entry a line.

use std::fmt::Write as _;

use serde_json::Value;

/// A belief as text:
/// ```text
/// # state = {
/// #     "objects": ["green block", "golden bowl"],
/// #     "relations": [],
/// #     "green block": {},
/// #     "golden bowl": {"contains": ["green block"]}
/// # }
/// ```
/// [`read()`](super::read()) reads it back without a repair.
pub fn write(state: &Value) -> String {
    let entries = match state {
        Value::Object(entries) if !entries.is_empty() => entries,
        _ => return "# state = {}".to_owned(),
    };
    let mut text = String::from("# state = {");
    for (number, (name, value)) in entries.iter().enumerate() {
        let comma = if number + 1 < entries.len() { "," } else { "" };
        text.push_str("\n#     ");
        quoted(&mut text, name);
        text.push_str(": ");
        spaced(&mut text, value);
        text.push_str(comma);
    }
    text.push_str("\n# }");
    text
}

fn quoted(text: &mut String, string: &str) {
    for c in Value::String(string.to_owned()).to_string().chars() {
        if c.is_control() || matches!(c, '“' | '”') {
            // JSON leaves some control characters as they are; no reader of prompts needs them. A typographic quote ends a name.
            let _ = write!(text, "\\u{:04x}", u32::from(c));
        } else {
            text.push(c);
        }
    }
}

/// One value on one line, with a blank after each comma and colon.
fn spaced(text: &mut String, value: &Value) {
    match value {
        Value::Array(list) => {
            text.push('[');
            for (number, element) in list.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                spaced(text, element);
            }
            text.push(']');
        }
        Value::Object(entries) => {
            text.push('{');
            for (number, (name, inner)) in entries.iter().enumerate() {
                if number > 0 {
                    text.push_str(", ");
                }
                quoted(text, name);
                text.push_str(": ");
                spaced(text, inner);
            }
            text.push('}');
        }
        Value::String(string) => quoted(text, string),
        // Writing into a string cannot fail.
        other => {
            let _ = write!(text, "{other}");
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_state_is_written_one_entry_a_line() {
        let state = json!({"objects": ["a", "b"], "relations": ["a is on b"], "a": {"weight": "b.weight / 2"}, "b": {"is": ["dirty"]}});
        assert_eq!(
            write(&state),
            "# state = {\n#     \"objects\": [\"a\", \"b\"],\n#     \"relations\": [\"a is on b\"],\n#     \"a\": {\"weight\": \"b.weight / 2\"},\n\
             #     \"b\": {\"is\": [\"dirty\"]}\n# }"
        );
        assert_eq!(write(&json!({})), "# state = {}");
    }
}
