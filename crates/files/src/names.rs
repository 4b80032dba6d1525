//! Names of fields that nobody knows, in a line of JSON: a misspelt or damaged name would be passed over silently.

use serde_json::Value;

/// The names in a line, at any depth, that are not among the known ones. Below a name of `free` everything may stand. A line that is no
/// JSON has none: that is said elsewhere, by whoever reads the line for its meaning.
pub fn unknown(line: &[u8], known: &[&str], free: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    walk(&serde_json::from_slice(line).unwrap_or_default(), known, free, &mut found);
    found
}

/// As deep as the reader of JSON lets a value be, which is not deep.
fn walk(value: &Value, known: &[&str], free: &[&str], found: &mut Vec<String>) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| walk(value, known, free, found)),
        Value::Object(fields) => {
            for (name, value) in fields.iter().filter(|(name, _)| !free.contains(&name.as_str())) {
                found.extend((!known.contains(&name.as_str())).then(|| name.clone()));
                walk(value, known, free, found);
            }
        }
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_looked_for_at_every_depth_but_below_the_free_ones() {
        let line = br#"{"id":1,"outcome":{"woN":true,"calls":[{"x":{}}],"done":null},"changes":[{"any":1}],"n":-1.5}"#;
        assert_eq!(unknown(line, &["id", "outcome", "calls", "done", "n"], &["changes"]), ["woN", "x"]);
        assert_eq!(unknown(b"{\"id\":", &["id"], &[]), [""; 0]);
        let deep = "[".repeat(100_000);
        assert_eq!(unknown(deep.as_bytes(), &[], &[]), [""; 0]);
    }
}
