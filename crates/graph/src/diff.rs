//! Differences between two moments of a household, as data: what recordings hold, and what a step changed.

use serde::{Deserialize, Serialize};

use crate::graph::{Graph, GraphError, Node};
use crate::vocabulary::{Properties, Relation, States};

pub(crate) type Edge = (i64, Relation, i64);

#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Added {
    pub id: i64,
    pub class_name: String,
    pub category: String,
    pub properties: Properties,
    pub states: States,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct NewStates {
    pub id: i64,
    pub states: States,
}

/// The differences of a later graph: everything sorted by node, relation and node.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub struct Diff {
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub nodes_added: Vec<Added>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub states: Vec<NewStates>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges_added: Vec<Edge>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub edges_removed: Vec<Edge>,
}

impl Diff {
    pub fn between(earlier: &Graph, later: &Graph) -> Diff {
        let mut diff = Diff::default();
        for at in later.places() {
            let node = later.node(at);
            let edge = |(relation, to)| (node.id, relation, later.node(to).id);
            let Some(before) = earlier.find(node.id) else {
                diff.nodes_added.push(Added {
                    id: node.id,
                    class_name: node.class.to_string(),
                    category: node.category.to_string(),
                    properties: node.properties,
                    states: later.states(at),
                });
                diff.edges_added.extend(later.relations(at).map(edge));
                continue;
            };
            if before == at && later.is_same_at(earlier, at) {
                continue;
            }
            if earlier.states(before) != later.states(at) {
                diff.states.push(NewStates { id: node.id, states: later.states(at) });
            }
            let fresh = later.relations(at).filter(|(relation, to)| {
                let target = earlier.find(later.node(*to).id);
                target.is_none_or(|target| !earlier.holds(before, *relation, target))
            });
            diff.edges_added.extend(fresh.map(edge));
            let gone = earlier.relations(before).filter_map(|(relation, to)| {
                let id = earlier.node(to).id;
                let target = later.find(id);
                target.is_none_or(|target| !later.holds(at, relation, target)).then_some((node.id, relation, id))
            });
            diff.edges_removed.extend(gone);
        }
        diff.sort();
        diff
    }

    /// Puts everything in order: by node, relation and node.
    pub fn sort(&mut self) {
        self.nodes_added.sort_by_key(|node| node.id);
        self.states.sort_by_key(|states| states.id);
        self.edges_added.sort_unstable();
        self.edges_removed.sort_unstable();
    }

    pub fn is_empty(&self) -> bool {
        self.nodes_added.is_empty()
            && self.states.is_empty()
            && self.edges_added.is_empty()
            && self.edges_removed.is_empty()
    }

    /// A household with these differences.
    /// Errors: if a node is there already, or an edge or state is of a node that is not.
    pub fn apply(&self, graph: &Graph) -> Result<Graph, GraphError> {
        let mut graph = graph.clone();
        for added in &self.nodes_added {
            let node = Node {
                id: added.id,
                class: added.class_name.as_str().into(),
                category: added.category.as_str().into(),
                properties: added.properties,
            };
            graph.add(node, added.states)?;
        }
        for (index, change) in self.states.iter().enumerate() {
            let found = graph.find(change.id);
            let at = found.ok_or(GraphError::Dangling { end: "to", id: change.id, at: index })?;
            graph.set_states(at, change.states);
        }
        for (edges, adds) in [(&self.edges_removed, false), (&self.edges_added, true)] {
            for (index, (from, relation, to)) in edges.iter().enumerate() {
                let source = graph.find(*from).ok_or(GraphError::Dangling { end: "from", id: *from, at: index })?;
                let target = graph.find(*to).ok_or(GraphError::Dangling { end: "to", id: *to, at: index })?;
                if adds {
                    graph.link(source, *relation, target);
                } else {
                    graph.unlink(source, *relation, target);
                }
            }
        }
        Ok(graph)
    }
}
