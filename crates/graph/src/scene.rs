//! Scenes: reads a household from a compact file (`nodes`, `edges` as `[from, relation, to]`) or from VirtualHome's own scene graph
//! (`edges` as objects, positions and prefabs beside). What is wrong is named with its line.

use std::borrow::Cow;
use std::cell::Cell;
use std::fmt;
use std::sync::Arc;

use rustc_hash::FxHashMap;
use serde::de::{self, DeserializeSeed, IgnoredAny, MapAccess, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::graph::{Graph, GraphError, MOST_NODES, Node};
use crate::names::{Names, PropertyTable};
use crate::prepare::with_defaults;
use crate::vocabulary::{Properties, Relation, States};

const MOST_EDGES: usize = 4_000_000;

#[derive(Debug, Clone)]
pub struct Scene {
    pub number: Option<i64>,
    pub graph: Graph,
}

/// Why a file holds no scene: where, what is wrong, what was expected.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct SceneError {
    /// The line, from 1.
    pub line: usize,
    pub message: String,
}

#[derive(Deserialize)]
struct NodeEntry<'a> {
    id: i64,
    #[serde(borrow)]
    class_name: Cow<'a, str>,
    #[serde(borrow, default)]
    category: Cow<'a, str>,
    #[serde(default)]
    properties: Properties,
    #[serde(default)]
    states: States,
    /// There in a compact file, whose states hold the defaults already.
    raw_states: Option<IgnoredAny>,
}

struct EdgeEntry(i64, Relation, i64);

impl<'de> Deserialize<'de> for EdgeEntry {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(EdgeVisitor)
    }
}

struct EdgeVisitor;

impl<'de> Visitor<'de> for EdgeVisitor {
    type Value = EdgeEntry;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an edge: [from_id, \"RELATION\", to_id], or an object with from_id, relation_type and to_id")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<EdgeEntry, A::Error> {
        let short = |length| de::Error::invalid_length(length, &self);
        let from = list.next_element()?.ok_or_else(|| short(0))?;
        let relation = list.next_element()?.ok_or_else(|| short(1))?;
        let to = list.next_element()?.ok_or_else(|| short(2))?;
        match list.next_element::<IgnoredAny>()? {
            None => Ok(EdgeEntry(from, relation, to)),
            Some(_) => Err(short(4)),
        }
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<EdgeEntry, A::Error> {
        let (mut from, mut relation, mut to) = (None, None, None);
        while let Some(key) = map.next_key::<Cow<'de, str>>()? {
            match &*key {
                "from_id" => from = Some(map.next_value()?),
                "relation_type" => relation = Some(map.next_value()?),
                "to_id" => to = Some(map.next_value()?),
                _ => {
                    map.next_value::<IgnoredAny>()?;
                }
            }
        }
        Ok(EdgeEntry(
            from.ok_or_else(|| de::Error::missing_field("from_id"))?,
            relation.ok_or_else(|| de::Error::missing_field("relation_type"))?,
            to.ok_or_else(|| de::Error::missing_field("to_id"))?,
        ))
    }
}

#[derive(Deserialize)]
struct File<'a> {
    scene: Option<i64>,
    #[serde(borrow)]
    nodes: Vec<NodeEntry<'a>>,
    #[serde(deserialize_with = "edges")]
    edges: Vec<(i64, Relation, i64)>,
}

fn edges<'de, D: Deserializer<'de>>(from: D) -> Result<Vec<(i64, Relation, i64)>, D::Error> {
    struct Edges;
    impl<'de> Visitor<'de> for Edges {
        type Value = Vec<(i64, Relation, i64)>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a list of edges")
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Self::Value, A::Error> {
            let mut edges = Vec::with_capacity(4096);
            while let Some(EdgeEntry(from, relation, to)) = list.next_element()? {
                if edges.len() == MOST_EDGES {
                    return Err(de::Error::custom(format!("more than {MOST_EDGES} edges")));
                }
                edges.push((from, relation, to));
            }
            Ok(edges)
        }
    }
    from.deserialize_seq(Edges)
}

fn read_error(error: &serde_json::Error) -> SceneError {
    let message = error.to_string();
    let message = message.split(" at line ").next().unwrap_or_default();
    let more = if error.is_eof() { "; the file ends too early, the rest of it is missing" } else { "" };
    SceneError { line: error.line(), message: format!("{message}{more}") }
}

/// The translation of a scene in VirtualHome's own layout: its names become those of scripts.
#[derive(Debug, Clone, Copy)]
pub struct Translation<'a> {
    pub names: &'a Names,
    /// The properties of classes, which replace those of the file.
    pub properties: &'a PropertyTable,
}

impl Scene {
    /// Reads a scene. States that a file in VirtualHome's own layout leaves open get the reference's defaults: clean, closed, plugged in,
    /// lamps on, doors open.
    pub fn read(text: &str) -> Result<Scene, SceneError> {
        Scene::read_as(text, None)
    }

    /// As [`Scene::read`], with the names of things translated where a translation is given.
    pub fn read_as(text: &str, translation: Option<Translation<'_>>) -> Result<Scene, SceneError> {
        let file: File<'_> = serde_json::from_str(text).map_err(|error| read_error(&error))?;
        if file.nodes.len() > MOST_NODES {
            return Err(SceneError { line: 1, message: format!("more than {MOST_NODES} nodes") });
        }
        let mut words: FxHashMap<Cow<'_, str>, Arc<str>> = FxHashMap::default();
        let mut shared = |word: Cow<'_, str>| -> Arc<str> {
            if let Some(known) = words.get(&word) {
                return Arc::clone(known);
            }
            let fresh: Arc<str> = word.as_ref().into();
            words.insert(Cow::Owned(word.into_owned()), Arc::clone(&fresh));
            fresh
        };
        let mut nodes = Vec::with_capacity(file.nodes.len());
        for (at, entry) in file.nodes.into_iter().enumerate() {
            // The reference takes it as it is: both hold, so that a task may be won before its first step.
            if let Some([one, other]) = entry.states.contradiction() {
                let (id, class) = (entry.id, &entry.class_name);
                let message = format!("the node {id} ({class}) is both {one} and {other}; take one of the two out");
                return Err(SceneError { line: line_of(text, "nodes", at), message });
            }
            let is_raw = entry.raw_states.is_none();
            let mut class = shared(entry.class_name);
            let mut properties = entry.properties;
            if let Some(translation) = translation.filter(|_| is_raw) {
                let plain: Arc<str> = class.to_lowercase().replace(' ', "_").into();
                class = shared(Cow::Owned(translation.names.in_scene(&plain).to_string()));
                properties = translation.properties.of(&class).unwrap_or(properties);
            }
            let node = Node { id: entry.id, class, category: shared(entry.category), properties };
            let states = if is_raw { with_defaults(entry.states, &node) } else { entry.states };
            nodes.push((node, states));
        }
        let graph = Graph::new(nodes, &file.edges).map_err(|error| located(text, &error))?;
        Ok(Scene { number: file.scene, graph })
    }
}

/// An error of a graph with the line in the text that it comes from.
fn located(text: &str, error: &GraphError) -> SceneError {
    let (line, hint) = match error {
        GraphError::SameId { at, .. } => (line_of(text, "nodes", *at), "every node needs an id of its own"),
        GraphError::Dangling { at, .. } => {
            (line_of(text, "edges", *at), "expected the id of one of the nodes; add the node or take the edge out")
        }
        GraphError::NoCharacter => (1, "expected one, the person who acts"),
        GraphError::TooMany => (1, "take some out"),
    };
    SceneError { line, message: format!("{error}; {hint}") }
}

/// The line of the `index`th element of a list of the file, that of its end where it has several: reads it again up to there.
fn line_of(text: &str, list: &'static str, index: usize) -> usize {
    /// Reads one element and fails within it: an error raised after it would bear the line of what comes next.
    struct Last<'a>(&'a Cell<bool>);
    impl<'de> DeserializeSeed<'de> for Last<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
            from.deserialize_any(self)
        }
    }
    impl<'de> Visitor<'de> for Last<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("an element of a scene")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while map.next_entry::<IgnoredAny, IgnoredAny>()?.is_some() {}
            self.0.set(true);
            Err(de::Error::custom("here"))
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
            while list.next_element::<IgnoredAny>()?.is_some() {}
            self.0.set(true);
            Err(de::Error::custom("here"))
        }
    }
    struct Stop<'a> {
        list: &'static str,
        index: usize,
        stopped: &'a Cell<bool>,
    }
    impl<'de> DeserializeSeed<'de> for Stop<'_> {
        type Value = ();

        fn deserialize<D: Deserializer<'de>>(self, from: D) -> Result<(), D::Error> {
            from.deserialize_any(self)
        }
    }
    impl<'de> Visitor<'de> for Stop<'_> {
        type Value = ();

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a scene")
        }

        fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
            while let Some(key) = map.next_key::<Cow<'de, str>>()? {
                if key == self.list {
                    map.next_value_seed(Stop { ..self })?;
                } else {
                    map.next_value::<IgnoredAny>()?;
                }
            }
            Ok(())
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<(), A::Error> {
            for _ in 0..self.index {
                list.next_element::<IgnoredAny>()?;
            }
            list.next_element_seed(Last(self.stopped))?;
            Ok(())
        }
    }
    let stopped = Cell::new(false);
    let mut reader = serde_json::Deserializer::from_str(text);
    match (Stop { list, index, stopped: &stopped }).deserialize(&mut reader) {
        Err(error) if stopped.get() => error.line(),
        _ => 1,
    }
}
