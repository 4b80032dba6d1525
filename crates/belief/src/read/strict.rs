//! Strict parser of a state text that is JSON: read as it is, so that no repair can change its meaning. Only names given twice are noted.

use std::borrow::Cow;
use std::fmt;

use serde::de::{DeserializeSeed, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Value};

use super::lines::Body;
use super::repair::{Fault, Repairs, clip};

/// The object, if the text begins with one; none if it is not JSON, or if what follows looks like more of the state.
pub fn read(body: &Body, repairs: &mut Repairs) -> Option<Value> {
    let mut twice = Vec::new();
    let text = body.text.trim_start();
    let skipped = body.text.len() - text.len();
    // A model that continues `state = {` does not write that brace again.
    let (text, added) =
        if text.starts_with('{') { (Cow::Borrowed(text), 0) } else { (Cow::Owned(format!("{{{text}")), 1) };
    let text = text.as_ref();
    // One reader over a slice, so that what follows the object can be looked at.
    let mut reader = serde_json::Deserializer::from_str(text);
    let value = Unique(&mut twice).deserialize(&mut reader).ok()?;
    let end = reader.into_iter::<serde::de::IgnoredAny>().byte_offset();
    // A typographic quote ends a name as any other does: a name that holds some is several.
    if text.get(..end)?.contains(['\u{201c}', '\u{201d}']) {
        return None;
    }
    let rest = text.get(end..)?;
    let beside = rest.trim_start();
    if beside.starts_with(|c: char| super::is_quote(c) || matches!(c, ',' | '{' | '}' | '[' | ']' | ':')) {
        return None;
    }
    for name in twice {
        repairs.note(body.line_of_last(&name), Fault::Twice(clip(&name)));
    }
    if added > 0 {
        repairs.note(body.line, Fault::Missing('{'));
    }
    if !beside.is_empty() {
        repairs.note(body.line_at(skipped + end + rest.len() - beside.len() - added), Fault::Beside(clip(beside)));
    }
    Some(value)
}

/// A value that notes names given twice.
struct Unique<'a>(&'a mut Vec<String>);

impl<'de> DeserializeSeed<'de> for Unique<'_> {
    type Value = Value;

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<Value, D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Unique<'_> {
    type Value = Value;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_bool<E>(self, value: bool) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_str<E>(self, value: &str) -> Result<Value, E> {
        Ok(Value::from(value))
    }

    fn visit_unit<E>(self) -> Result<Value, E> {
        Ok(Value::Null)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Value, A::Error> {
        let mut list = Vec::new();
        while let Some(value) = seq.next_element_seed(Unique(self.0))? {
            list.push(value);
        }
        Ok(Value::Array(list))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Value, A::Error> {
        let mut entries = Map::new();
        while let Some(name) = map.next_key::<String>()? {
            let value = map.next_value_seed(Unique(self.0))?;
            if entries.insert(name.clone(), value).is_some() {
                self.0.push(name);
            }
        }
        Ok(Value::Object(entries))
    }
}
