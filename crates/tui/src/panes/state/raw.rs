//! Raw JSON: a side's value as indented text, line by line, to be read, searched and copied; and paths in it as JSONPath.

use ratatui::layout::Rect;
use serde_json::Value;

use crate::theme::Role;
use crate::widgets::draw::{Painter, run};
use crate::widgets::outline::Outline;
use stepwright_text::json_pointer;

#[derive(Debug, Default)]
pub struct Raw {
    lines: Vec<String>,
    pub outline: Outline,
}

impl Raw {
    /// The text of a value, the cursor on the line where the value at a JSON pointer begins.
    pub fn new(value: &Value, pointer: &str) -> Self {
        let mut raw = Raw::default();
        raw.load(value);
        let before = value.pointer(pointer).filter(|_| !pointer.is_empty()).map_or(0, |_| line_of(value, pointer));
        raw.outline.list.go(before, raw.lines.len());
        raw
    }

    /// Takes in another value; the cursor stays on its line.
    pub fn load(&mut self, value: &Value) {
        // A JSON value always has a text.
        let text = serde_json::to_string_pretty(value).unwrap_or_default();
        self.lines = text.lines().map(str::to_owned).collect();
        self.outline.list.grown(self.lines.len());
    }

    pub fn lines(&self) -> &[String] {
        &self.lines
    }

    pub fn draw(&mut self, painter: &mut Painter<'_>, area: Rect) {
        let area = self.outline.find.draw(painter, area);
        let lines = &self.lines;
        self.outline.draw(painter, area, lines.len(), |at, _| {
            lines.get(at).map(|line| vec![run(Role::Text, line)]).unwrap_or_default()
        });
    }
}

/// The line of a value's indented text on which the value at a pointer begins.
fn line_of(value: &Value, pointer: &str) -> usize {
    let (mut line, mut at) = (0, value);
    for step in json_pointer::split(pointer) {
        // The line of the opening bracket.
        line += 1;
        let found = match at {
            Value::Object(map) => {
                line += map.iter().take_while(|(key, _)| **key != step).map(|(_, v)| height(v)).sum::<usize>();
                map.get(&step)
            }
            Value::Array(items) => {
                let index: usize = step.parse().unwrap_or(0);
                line += items.iter().take(index).map(height).sum::<usize>();
                items.get(index)
            }
            _ => None,
        };
        let Some(next) = found else { return line };
        at = next;
    }
    line
}

fn height(value: &Value) -> usize {
    match value {
        Value::Object(map) if !map.is_empty() => 2 + map.values().map(height).sum::<usize>(),
        Value::Array(items) if !items.is_empty() => 2 + items.iter().map(height).sum::<usize>(),
        _ => 1,
    }
}

/// A JSON pointer (RFC 6901) as a JSONPath (RFC 9535): `$.agent.visible_objects[0]`, `$.objects['mug 1']`.
pub(crate) fn json_path(pointer: &str) -> String {
    let mut out = String::from("$");
    for step in json_pointer::split(pointer) {
        let begins = step.chars().next().is_some_and(|c| c.is_alphabetic() || c == '_');
        if !step.is_empty() && step.chars().all(|c| c.is_ascii_digit()) {
            out.push_str(&format!("[{step}]"));
        } else if begins && step.chars().all(|c| c.is_alphanumeric() || c == '_') {
            out.push_str(&format!(".{step}"));
        } else {
            out.push_str(&format!("['{}']", step.replace('\\', "\\\\").replace('\'', "\\'")));
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_cursor_begins_where_the_value_is_written() {
        let value = json!({"agent": {"holds": null, "sees": ["desk 1", "mug 1"]}, "env": {}, "n": 1});
        let at = |pointer: &str| {
            let raw = Raw::new(&value, pointer);
            raw.lines()[raw.outline.list.cursor()].trim().to_owned()
        };
        assert_eq!(at(""), "{");
        assert_eq!(at("/agent"), "\"agent\": {");
        assert_eq!(at("/agent/sees/1"), "\"mug 1\"");
        assert_eq!(at("/env"), "\"env\": {},");
        assert_eq!(at("/n"), "\"n\": 1");
        assert_eq!(at("/gone/x"), "{");
    }

    #[test]
    fn paths_are_those_of_the_standard() {
        assert_eq!(json_path(""), "$");
        assert_eq!(json_path("/agent/visible_objects/0"), "$.agent.visible_objects[0]");
        assert_eq!(json_path("/objects/mug 1/open"), "$.objects['mug 1'].open");
        assert_eq!(json_path("/it's/a~1b"), "$['it\\'s']['a/b']");
    }
}
