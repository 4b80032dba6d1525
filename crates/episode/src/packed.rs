//! Packed JSON: a value kept as its text and read when it is shown.
//!
//! A step's patch takes about ten times its text in memory as a tree of values, and most patches of a session are never looked at. What
//! is read from a log goes from its text to this text in one pass, without a tree in between.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use schemars::{JsonSchema, Schema, SchemaGenerator};
use serde::de::{DeserializeSeed, Error as _, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer, Serialize, Serializer};
use serde_json::Value;

/// A JSON value as compact text.
#[derive(Clone, PartialEq, Eq)]
pub struct Packed(Arc<str>);

impl Packed {
    /// The value.
    pub fn value(&self) -> Value {
        // The text was written from a value, so that it is one.
        serde_json::from_str(&self.0).unwrap_or_default()
    }

    /// Its text.
    pub fn text(&self) -> &str {
        &self.0
    }
}

impl Default for Packed {
    fn default() -> Self {
        Packed("null".into())
    }
}

impl From<&Value> for Packed {
    fn from(value: &Value) -> Self {
        Packed(value.to_string().into())
    }
}

impl From<Value> for Packed {
    fn from(value: Value) -> Self {
        Packed::from(&value)
    }
}

impl PartialEq<Value> for Packed {
    fn eq(&self, other: &Value) -> bool {
        self.value() == *other
    }
}

impl fmt::Debug for Packed {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.value().fmt(f)
    }
}

/// Any JSON value.
impl JsonSchema for Packed {
    fn schema_name() -> Cow<'static, str> {
        Value::schema_name()
    }

    fn json_schema(generator: &mut SchemaGenerator) -> Schema {
        Value::json_schema(generator)
    }
}

impl Serialize for Packed {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        self.value().serialize(serializer)
    }
}

impl<'de> Deserialize<'de> for Packed {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let mut text = Vec::new();
        Packing(&mut text).deserialize(deserializer)?;
        String::from_utf8(text).map(|text| Packed(text.into())).map_err(D::Error::custom)
    }
}

#[derive(Deserialize)]
pub(super) struct Name<'a>(#[serde(borrow)] pub(super) Cow<'a, str>);

/// Writes a value's text as it is read.
struct Packing<'a>(&'a mut Vec<u8>);

impl Packing<'_> {
    fn push<E: serde::de::Error>(self, value: impl Serialize) -> Result<(), E> {
        serde_json::to_writer(&mut *self.0, &value).map_err(E::custom)
    }
}

impl<'de> DeserializeSeed<'de> for Packing<'_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_any(self)
    }
}

impl<'de> Visitor<'de> for Packing<'_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("any JSON value")
    }

    fn visit_unit<E: serde::de::Error>(self) -> Result<(), E> {
        self.push(())
    }

    fn visit_bool<E: serde::de::Error>(self, value: bool) -> Result<(), E> {
        self.push(value)
    }

    fn visit_u64<E: serde::de::Error>(self, value: u64) -> Result<(), E> {
        self.push(value)
    }

    fn visit_i64<E: serde::de::Error>(self, value: i64) -> Result<(), E> {
        self.push(value)
    }

    fn visit_f64<E: serde::de::Error>(self, value: f64) -> Result<(), E> {
        self.push(value)
    }

    fn visit_str<E: serde::de::Error>(self, value: &str) -> Result<(), E> {
        self.push(value)
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut items: A) -> Result<(), A::Error> {
        self.0.push(b'[');
        let start = self.0.len();
        loop {
            let end = self.0.len();
            if end > start {
                self.0.push(b',');
            }
            if items.next_element_seed(Packing(&mut *self.0))?.is_none() {
                self.0.truncate(end);
                break;
            }
        }
        self.0.push(b']');
        Ok(())
    }

    fn visit_map<A: MapAccess<'de>>(self, mut entries: A) -> Result<(), A::Error> {
        self.0.push(b'{');
        let start = self.0.len();
        while let Some(Name(name)) = entries.next_key()? {
            if self.0.len() > start {
                self.0.push(b',');
            }
            Packing(&mut *self.0).push::<A::Error>(name)?;
            self.0.push(b':');
            entries.next_value_seed(Packing(&mut *self.0))?;
        }
        self.0.push(b'}');
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::json;

    use super::*;

    fn values() -> impl Strategy<Value = Value> {
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<u64>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(Value::from),
            any::<String>().prop_map(Value::from),
        ];
        leaf.prop_recursive(4, 30, 5, |inner| {
            prop_oneof![
                proptest::collection::vec(inner.clone(), 0..5).prop_map(Value::from),
                proptest::collection::vec((any::<String>(), inner), 0..5)
                    .prop_map(|entries| Value::Object(entries.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #[test]
        fn every_value_is_read_as_it_was_written(value in values()) {
            let packed = Packed::from(&value);
            prop_assert_eq!(packed.value().to_string(), value.to_string());
            let spaced: Packed = serde_json::from_str(&serde_json::to_string_pretty(&value).unwrap()).unwrap();
            prop_assert_eq!(&spaced, &packed);
            let again: Packed = serde_json::from_value(value.clone()).unwrap();
            prop_assert_eq!(again.text(), packed.text());
            prop_assert_eq!(serde_json::to_string(&packed).unwrap(), packed.text());
        }
    }

    #[test]
    fn a_patch_takes_about_its_text() {
        let packed = Packed::from(json!([{"op": "replace", "path": "/at", "value": "desk 1"}]));
        assert_eq!(packed.text(), r#"[{"op":"replace","path":"/at","value":"desk 1"}]"#);
    }
}
