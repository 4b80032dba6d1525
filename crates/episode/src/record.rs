//! Reading records: the fields of a line go straight to where they are kept.
//!
//! A derived reader of a tagged enumeration copies all fields before it looks at the tag, which is most of the time that opening a long
//! session takes. Lines are written with `id`, `ts`, `node` and `event` first, so that the event is known when its fields come. Events that
//! come by the thousand are read so; what is rare or in another order is read as derived, from a copy.

use std::fmt;
use std::sync::Arc;

use serde::de::value::MapAccessDeserializer;
use serde::de::{Error, MapAccess, Visitor};
use serde::{Deserialize, Deserializer};
use serde_json::{Map, Value};
use stepwright_wire::Usage;

use super::ask::AskKind;
use super::decision::{Decision, DecisionId};
use super::event::{AskId, Event, NodeId, PromptRecord, Record, StepOutcome};
use super::exchanged::Exchange;
use super::packed::{Name, Packed};
use super::proposal::{Action, Proposal, ProposalId, Verdict};

/// Reads the fields of one variant: those named, all others passed over.
macro_rules! fields {
    ($fields:expr, $variant:ident { $($(#[$how:meta])* $name:ident: $kind:ty),+ $(,)? }) => {{
        #[derive(Deserialize)]
        struct Fields { $($(#[$how])* $name: $kind),+ }
        let Fields { $($name),+ } = Fields::deserialize(MapAccessDeserializer::new($fields))?;
        Event::$variant { $($name),+ }
    }};
}

/// The event of that name, of the fields that are left of its line.
fn event<'de, A: MapAccess<'de>>(name: &str, fields: A) -> Result<Event, A::Error> {
    Ok(match name {
        "asked" => fields!(
            fields,
            Asked {
                ask: AskId,
                kind: AskKind,
                model: String,
                prompt: Option<Arc<PromptRecord>>,
                n: u32,
                temperature: f64,
            }
        ),
        "exchanged" => fields!(fields, Exchanged { ask: AskId, exchange: Arc<Exchange> }),
        "answered" => fields!(
            fields,
            Answered {
                ask: AskId,
                texts: Arc<Vec<String>>,
                usage: Option<Usage>,
                ms: u64,
            }
        ),
        "proposed" => fields!(fields, Proposed { proposal: Arc<Proposal> }),
        "checked" => fields!(fields, Checked { proposal: ProposalId, verdict: Arc<Verdict> }),
        "recommended" => fields!(
            fields,
            Recommended {
                proposal: Option<ProposalId>,
                why: String,
            }
        ),
        "decided" => fields!(fields, Decided { decision: Arc<Decision> }),
        "executed" => fields!(
            fields,
            Executed {
                decision: DecisionId,
                child: NodeId,
                action: Arc<Action>,
                outcome: Arc<StepOutcome>,
                changes: Packed,
            }
        ),
        "moved" => fields!(fields, Moved { to: NodeId }),
        "noted" => fields!(fields, Noted { text: String }),
        name => derived(name, Map::new(), fields)?,
    })
}

fn derived<'de, A: MapAccess<'de>>(name: &str, read: Map<String, Value>, mut left: A) -> Result<Event, A::Error> {
    let mut fields = read;
    while let Some((name, value)) = left.next_entry::<String, Value>()? {
        put(&mut fields, &name, value)?;
    }
    fields.insert("event".to_owned(), Value::from(name));
    Event::deserialize(Value::Object(fields)).map_err(A::Error::custom)
}

fn put<E: Error>(fields: &mut Map<String, Value>, name: &str, value: Value) -> Result<(), E> {
    match fields.insert(name.to_owned(), value) {
        Some(_) => Err(E::custom(format_args!("duplicate field `{name}`"))),
        None => Ok(()),
    }
}

impl<'de> Deserialize<'de> for Record {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(Line)
    }
}

struct Line;

impl<'de> Visitor<'de> for Line {
    type Value = Record;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a record of a session")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Record, A::Error> {
        let (mut id, mut ts, mut node) = (None, None, None);
        let (mut name, mut others) = (None::<String>, Map::new());
        loop {
            // Nothing but the event's own fields is left.
            if let (Some(id), Some(ts), Some(node), Some(name), true) = (id, ts, node, &name, others.is_empty()) {
                return Ok(Record { id, ts, node, event: event(name, map)? });
            }
            let Some(Name(field)) = map.next_key()? else { break };
            let number = match field.as_ref() {
                "id" => &mut id,
                "ts" => &mut ts,
                "node" => &mut node,
                "event" if name.is_none() => {
                    name = Some(map.next_value::<Name>()?.0.into_owned());
                    continue;
                }
                field => {
                    put(&mut others, field, map.next_value()?)?;
                    continue;
                }
            };
            if number.replace(map.next_value::<u64>()?).is_some() {
                return Err(A::Error::custom(format_args!("duplicate field `{field}`")));
            }
        }
        let missing = |field| move || A::Error::missing_field(field);
        let name = name.ok_or_else(missing("event"))?;
        let event = derived(&name, others, map)?;
        let (id, ts) = (id.ok_or_else(missing("id"))?, ts.ok_or_else(missing("ts"))?);
        Ok(Record { id, ts, node: node.ok_or_else(missing("node"))?, event })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SESSIONS: [&str; 2] =
        [include_str!("../../../sessions/reprompt.jsonl"), include_str!("../../../sessions/reprompt-mixed.jsonl")];

    /// A line read in one pass is the record that the derived reader makes of the same fields in another order.
    #[test]
    fn records_are_read_the_same_in_any_order() {
        let mut names = std::collections::BTreeSet::new();
        for line in SESSIONS.iter().flat_map(|text| text.lines().skip(1)) {
            let record: Record = serde_json::from_str(line).unwrap();
            let fields: Map<String, Value> = serde_json::from_str(line).unwrap();
            names.insert(fields["event"].as_str().unwrap().to_owned());
            let turned: Map<String, Value> = fields.clone().into_iter().rev().collect();
            assert_eq!(serde_json::from_value::<Record>(Value::Object(turned)).unwrap(), record);
            assert_eq!(serde_json::from_value::<Record>(Value::Object(fields.clone())).unwrap(), record);
            let written = serde_json::to_value(&record).unwrap();
            assert_eq!(serde_json::from_value::<Record>(written).unwrap(), record);
        }
        assert!(names.len() > 6 && names.contains("executed"), "{names:?}");
    }

    #[test]
    fn what_is_no_record_is_said() {
        let why = |line: &str| serde_json::from_str::<Record>(line).unwrap_err().to_string();
        let all = r#"{"id":1,"ts":2,"node":0,"event":"noted","text":"a"}"#;
        assert!(serde_json::from_str::<Record>(all).is_ok());
        for field in ["id", "ts", "node", "event", "text"] {
            let without = all.replace(&format!("\"{field}\""), "\"other\"");
            assert!(why(&without).contains(&format!("missing field `{field}`")), "{}", why(&without));
            let twice =
                all.replace("{", &format!("{{\"{field}\":{},", if field == "event" { "\"moved\"" } else { "7" }));
            assert!(why(&twice).contains("duplicate field") || field == "event", "{field}: {}", why(&twice));
        }
        assert!(why(&all.replace("noted", "nothing")).contains("unknown variant `nothing`"));
        assert!(why(&all.replace("2", "-2")).contains("-2"));
        assert!(why("[1]").contains("a record of a session"));
    }
}
