//! Text of a belief, as the JSON a person edits: one entry a line, short enough to be read.

use serde_json::Value;

use stepwright_belief as belief;

/// The text of a belief; JSON that reads back as the same value.
pub fn of(state: &Value) -> String {
    let written = belief::write(state);
    let lines: Vec<&str> = written.lines().map(|line| line.strip_prefix("# ").unwrap_or(line)).collect();
    let text = lines.join("\n");
    text.strip_prefix("state = ").map_or_else(|| text.clone(), str::to_owned)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_text_is_json_one_entry_a_line() {
        let state = json!({"objects": ["a", "b # c"], "relations": [], "a": {"weight": "b.weight * 2"}});
        let text = of(&state);
        assert_eq!(
            text,
            "{\n    \"objects\": [\"a\", \"b # c\"],\n    \"relations\": [],\n    \"a\": {\"weight\": \"b.weight * 2\"}\n}"
        );
        for state in [state, json!({}), json!({"cups": [false, true, false]}), json!({"x": "a\nb\u{1b}\""})] {
            assert_eq!(serde_json::from_str::<Value>(&of(&state)).unwrap().to_string(), state.to_string());
        }
    }
}
