//! Names of fields that nobody knows, in a line of JSON: a misspelt or damaged name would be passed over silently.

use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, IgnoredAny, MapAccess, SeqAccess, Visitor};

/// The names in a line, at any depth, that are not among the known ones. Below a name of `free` everything may stand. A line that is no
/// JSON has none: that is said elsewhere.
pub fn unknown(line: &[u8], known: &[&str], free: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    let mut json = serde_json::Deserializer::from_slice(line);
    // What is no JSON is refused by whoever reads the line for its meaning.
    let _ = Walk { known, free, found: &mut found }.deserialize(&mut json);
    found
}

struct Walk<'a> {
    known: &'a [&'a str],
    free: &'a [&'a str],
    found: &'a mut Vec<String>,
}

impl<'de> DeserializeSeed<'de> for Walk<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Walk<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("JSON")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(name) = map.next_key::<std::borrow::Cow<'_, str>>()? {
            if self.free.contains(&name.as_ref()) {
                map.next_value::<IgnoredAny>()?;
            } else {
                if !self.known.contains(&name.as_ref()) {
                    self.found.push(name.into_owned());
                }
                map.next_value_seed(Walk { known: self.known, free: self.free, found: &mut *self.found })?;
            }
        }
        Ok(())
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(Walk { known: self.known, free: self.free, found: &mut *self.found })?.is_some() {}
        Ok(())
    }

    fn visit_bool<E>(self, _: bool) -> Result<(), E> {
        Ok(())
    }

    fn visit_i64<E>(self, _: i64) -> Result<(), E> {
        Ok(())
    }

    fn visit_u64<E>(self, _: u64) -> Result<(), E> {
        Ok(())
    }

    fn visit_f64<E>(self, _: f64) -> Result<(), E> {
        Ok(())
    }

    fn visit_str<E>(self, _: &str) -> Result<(), E> {
        Ok(())
    }

    fn visit_unit<E>(self) -> Result<(), E> {
        Ok(())
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
