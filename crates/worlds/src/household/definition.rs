//! Definition of one game as its file states it: the compact JSON layout, which every loader produces.
//!
//! Both lists are in display order (ALFWorld's sorted raw identifiers), and that order is significant. `game.rs` gives a definition
//! its meaning.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Definition {
    /// Unique id: `split/task folder/trial`, or `shipped/heat-mug-1`.
    pub id: String,
    /// `train`, `valid_seen`, `shipped` …
    #[serde(default)]
    pub split: String,
    /// One of the six task types (`pick_heat_then_place_in_recep`).
    #[serde(default)]
    pub task_type: String,
    /// The sentence shown to the agent, full stop included.
    pub task: String,
    pub scene: Option<i64>,
    pub start: String,
    /// Receptacles in display order.
    pub receptacles: Vec<ReceptacleDefinition>,
    /// Objects in display order.
    pub objects: Vec<ObjectDefinition>,
    pub goal: GoalDefinition,
    /// A solution in the wording of edition `move`; may be empty.
    #[serde(default)]
    pub plan: Vec<String>,
    /// Receptacle type to the object types it accepts; where absent, ALFWorld's table counts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub can_contain: Option<BTreeMap<String, Vec<String>>>,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ReceptacleDefinition {
    /// Display name (`drawer 4`).
    pub name: String,
    /// Type (`drawer`).
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Name of the location it stands at; several receptacles can share one.
    pub loc: String,
    #[serde(default)]
    pub openable: bool,
    #[serde(default)]
    pub opened: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct ObjectDefinition {
    /// Display name (`mug 1`).
    pub name: String,
    /// Type (`mug`); an object without one can be taken but never put down.
    #[serde(rename = "type")]
    pub kind: Option<String>,
    /// Names of the receptacles it is listed in (can be several).
    #[serde(rename = "in", default)]
    pub inside_of: Vec<String>,
    #[serde(default)]
    pub at: Vec<String>,
    #[serde(default)]
    pub props: Vec<Property>,
    /// Names of the objects this object is inside of (`examine` of those shows it; never changes).
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub inside: Vec<String>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, strum::EnumIter, strum::IntoStaticStr)]
#[serde(rename_all = "lowercase")]
#[strum(serialize_all = "lowercase")]
#[expect(missing_docs, reason = "the names are ALFWorld's own predicates")]
pub enum Property {
    Pickupable,
    Cleanable,
    Heatable,
    Coolable,
    Toggleable,
    Sliceable,
    IsReceptacleObject,
    IsCool,
}

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct GoalDefinition {
    pub object: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lamp: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub receptacle: Option<String>,
    /// How many different objects must be in one and the same receptacle.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub count: Option<u8>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub state: Option<Condition>,
}

impl GoalDefinition {
    /// The two sentences in which a goal is stated.
    pub fn sentences(&self) -> [String; 2] {
        let o = &self.object;
        if let Some(lamp) = &self.lamp {
            return [format!("look at {o} under the {lamp}."), format!("examine the {o} with the {lamp}.")];
        }
        let r = self.receptacle.as_deref().unwrap_or_default();
        match (self.state.map(Condition::terms), self.count.unwrap_or(1)) {
            (Some((word, verb, ..)), _) => {
                [format!("put a {word} {o} in {r}."), format!("{verb} some {o} and put it in {r}.")]
            }
            (None, 1) => [format!("put a {o} in {r}."), format!("put some {o} on {r}.")],
            (None, _) => [format!("put two {o} in {r}."), format!("find two {o} and put them in {r}.")],
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Condition {
    Clean,
    Hot,
    Cool,
}

impl Condition {
    /// Its word in sentences and states, its command's verb (the call's function and the property's name too), the kind of
    /// receptacle it is done with, and what an object must be able to.
    pub fn terms(self) -> (&'static str, &'static str, &'static str, Property) {
        match self {
            Condition::Clean => ("clean", "clean", "sinkbasin", Property::Cleanable),
            Condition::Hot => ("hot", "heat", "microwave", Property::Heatable),
            Condition::Cool => ("cool", "cool", "fridge", Property::Coolable),
        }
    }

    pub fn word(self) -> &'static str {
        self.terms().0
    }

    pub fn verb(self) -> &'static str {
        self.terms().1
    }
}
