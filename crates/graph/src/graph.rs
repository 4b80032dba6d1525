//! Graph: things with classes, properties and states, and directed relations between them. Copies share what is the same, so
//! that one can be kept for every step; nothing here knows what an action does.

use std::fmt;
use std::sync::Arc;

use crate::reason::Shown;
use crate::vocabulary::{Flag, Properties, Property, Relation, State, States};

/// The place of a node in its graph: nodes come in the order of the scene's file, added ones last.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct At(u32);

impl At {
    /// How many nodes come before it.
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// What of a node never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id, by which scripts name it.
    pub id: i64,
    /// Its class (`remote_control`); the same class is the same allocation within a graph.
    pub class: Arc<str>,
    /// Its category (`Furniture`); that of rooms is `Rooms`.
    pub category: Arc<str>,
    /// Its properties.
    pub properties: Properties,
}

impl Node {
    /// Whether it is a room.
    pub fn is_room(&self) -> bool {
        &*self.category == ROOMS
    }

    /// Whether it has a property.
    pub fn has(&self, property: Property) -> bool {
        self.properties.has(property)
    }

    /// As messages show it: `<cup> (12)`.
    pub fn shown(&self) -> Shown {
        Shown { class: Arc::clone(&self.class), id: self.id }
    }
}

/// The category of rooms.
const ROOMS: &str = "Rooms";
/// The class of the one who acts.
pub(crate) const CHARACTER: &str = "character";

/// A relation to or from a node: the relation in the highest bits, so that a sorted list has the relations together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Link(u32);

const SHIFT: u32 = 28;
/// The most nodes a graph can have.
pub(crate) const MOST_NODES: usize = 1 << 20;

impl Link {
    fn new(relation: Relation, other: At) -> Self {
        Link((relation.index() << SHIFT) | other.0)
    }

    fn relation(self) -> Option<Relation> {
        Relation::ALL.get((self.0 >> SHIFT) as usize).copied()
    }

    fn other(self) -> At {
        At(self.0 & ((1 << SHIFT) - 1))
    }
}

/// What of a node changes.
#[derive(Clone, Default, PartialEq, Eq)]
struct Cell {
    states: States,
    out: Vec<Link>,
    into: Vec<Link>,
}

/// The part of a sorted list that is of one relation.
fn of(links: &[Link], relation: Relation) -> &[Link] {
    let start = links.partition_point(|link| link.0 >> SHIFT < relation.index());
    let rest = links.get(start..).unwrap_or_default();
    let end = rest.partition_point(|link| link.0 >> SHIFT == relation.index());
    rest.get(..end).unwrap_or_default()
}

/// A household at one moment.
#[derive(Clone)]
pub struct Graph {
    nodes: Arc<Vec<Node>>,
    /// Places by id, sorted.
    ids: Arc<Vec<(i64, At)>>,
    cells: Vec<Arc<Cell>>,
    character: At,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges: usize = self.cells.iter().map(|cell| cell.out.len()).sum();
        write!(f, "Graph({} nodes, {edges} edges)", self.nodes.len())
    }
}

/// Why some nodes and edges are no graph.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Two nodes of one id; the place of the second in the list.
    #[error("there are two nodes of the id {id}")]
    SameId {
        /// The id.
        id: i64,
        /// The place of the second one in the list.
        at: usize,
    },
    /// An edge from or to no node; its place in the list.
    #[error("an edge leads {end} the node {id}, which there is not")]
    Dangling {
        /// `from` or `to`.
        end: &'static str,
        /// The id that no node has.
        id: i64,
        /// The edge's place in the list.
        at: usize,
    },
    /// Nobody acts.
    #[error("no node is of the class `character`")]
    NoCharacter,
    /// Too many nodes.
    #[error("more than {MOST_NODES} nodes")]
    TooMany,
}

impl Graph {
    /// A graph of nodes with their states and of edges. An edge that is there twice is there once.
    ///
    /// # Errors
    /// If two nodes have one id, an edge leads nowhere, or nobody acts.
    pub fn new(nodes: Vec<(Node, States)>, edges: &[(i64, Relation, i64)]) -> Result<Graph, GraphError> {
        if nodes.len() > MOST_NODES {
            return Err(GraphError::TooMany);
        }
        let mut ids: Vec<(i64, At)> = nodes.iter().zip(0..).map(|((node, _), at)| (node.id, At(at))).collect();
        ids.sort_unstable();
        if let Some([_, second]) = ids.array_windows().find(|[a, b]| a.0 == b.0) {
            return Err(GraphError::SameId { id: second.0, at: second.1.0 as usize });
        }
        let character = nodes.iter().zip(0..).find(|((node, _), _)| &*node.class == CHARACTER);
        let character = At(character.ok_or(GraphError::NoCharacter)?.1);
        let (nodes, states): (Vec<Node>, Vec<States>) = nodes.into_iter().unzip();
        let mut cells: Vec<Cell> = states.into_iter().map(|states| Cell { states, ..Cell::default() }).collect();
        let place =
            |id: i64| ids.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|i| ids.get(i)).map(|(_, at)| *at);
        for (at, (from, relation, to)) in edges.iter().enumerate() {
            let source = place(*from).ok_or(GraphError::Dangling { end: "from", id: *from, at })?;
            let target = place(*to).ok_or(GraphError::Dangling { end: "to", id: *to, at })?;
            if let Some(cell) = cells.get_mut(source.0 as usize) {
                cell.out.push(Link::new(*relation, target));
            }
            if let Some(cell) = cells.get_mut(target.0 as usize) {
                cell.into.push(Link::new(*relation, source));
            }
        }
        for links in cells.iter_mut().flat_map(|cell| [&mut cell.out, &mut cell.into]) {
            links.sort_unstable();
            links.dedup();
        }
        let cells = cells.into_iter().map(Arc::new).collect();
        Ok(Graph { nodes: Arc::new(nodes), ids: Arc::new(ids), cells, character })
    }

    /// The one who acts.
    pub fn character(&self) -> At {
        self.character
    }

    /// The places of all nodes, in order.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = At> + use<> {
        (0..self.cells.len()).filter_map(|at| u32::try_from(at).ok()).map(At)
    }

    /// How many nodes there are.
    pub fn len(&self) -> usize {
        self.nodes.len()
    }

    /// Whether there are none; never, as somebody acts.
    pub fn is_empty(&self) -> bool {
        self.nodes.is_empty()
    }

    /// The node of an id.
    pub fn find(&self, id: i64) -> Option<At> {
        self.ids.binary_search_by_key(&id, |(id, _)| *id).ok().and_then(|i| self.ids.get(i)).map(|(_, at)| *at)
    }

    /// What of a node never changes. A place belongs to the graph it came from and to copies of it.
    pub fn node(&self, at: At) -> &Node {
        &self.nodes[at.0 as usize]
    }

    fn cell(&self, at: At) -> &Cell {
        &self.cells[at.0 as usize]
    }

    fn cell_mut(&mut self, at: At) -> &mut Cell {
        Arc::make_mut(&mut self.cells[at.0 as usize])
    }

    /// The states of a node.
    pub fn states(&self, at: At) -> States {
        self.cell(at).states
    }

    /// Whether a node is in a state.
    pub fn is(&self, at: At, state: State) -> bool {
        self.states(at).has(state)
    }

    /// Where a relation leads from a node, in the order of the nodes.
    pub fn targets(&self, at: At, relation: Relation) -> impl DoubleEndedIterator<Item = At> + '_ {
        of(&self.cell(at).out, relation).iter().map(|link| link.other())
    }

    /// From where a relation leads to a node, in the order of the nodes.
    pub fn sources(&self, at: At, relation: Relation) -> impl DoubleEndedIterator<Item = At> + '_ {
        of(&self.cell(at).into, relation).iter().map(|link| link.other())
    }

    /// Every relation from a node, sorted by its spelling and by the node.
    pub fn relations(&self, at: At) -> impl Iterator<Item = (Relation, At)> + '_ {
        self.cell(at).out.iter().filter_map(|link| Some((link.relation()?, link.other())))
    }

    /// Whether a relation leads from one node to another.
    pub fn holds(&self, from: At, relation: Relation, to: At) -> bool {
        self.cell(from).out.binary_search(&Link::new(relation, to)).is_ok()
    }

    /// Sets the states of a node.
    pub fn set_states(&mut self, at: At, states: States) {
        if self.states(at) != states {
            self.cell_mut(at).states = states;
        }
    }

    /// Adds an edge, unless it is there.
    pub fn link(&mut self, from: At, relation: Relation, to: At) {
        let link = Link::new(relation, to);
        if let Err(place) = self.cell(from).out.binary_search(&link) {
            self.cell_mut(from).out.insert(place, link);
            let back = Link::new(relation, from);
            if let Err(place) = self.cell(to).into.binary_search(&back) {
                self.cell_mut(to).into.insert(place, back);
            }
        }
    }

    /// Adds a `CLOSE` edge both ways.
    pub fn bring_close(&mut self, a: At, b: At) {
        self.link(a, Relation::Close, b);
        self.link(b, Relation::Close, a);
    }

    /// Removes an edge, if it is there.
    pub fn unlink(&mut self, from: At, relation: Relation, to: At) {
        let link = Link::new(relation, to);
        if let Ok(place) = self.cell(from).out.binary_search(&link) {
            self.cell_mut(from).out.remove(place);
            let back = Link::new(relation, from);
            if let Ok(place) = self.cell(to).into.binary_search(&back) {
                self.cell_mut(to).into.remove(place);
            }
        }
    }

    /// Removes every edge of some relations from a node.
    pub fn unlink_from(&mut self, at: At, relations: &[Relation]) {
        for relation in relations {
            let others: Vec<At> = self.targets(at, *relation).collect();
            others.into_iter().for_each(|other| self.unlink(at, *relation, other));
        }
    }

    /// Removes every edge of some relations from and to a node.
    pub fn detach(&mut self, at: At, relations: &[Relation]) {
        self.unlink_from(at, relations);
        for relation in relations {
            let others: Vec<At> = self.sources(at, *relation).collect();
            others.into_iter().for_each(|other| self.unlink(other, *relation, at));
        }
    }

    /// Removes every edge between two nodes, both ways.
    pub fn separate(&mut self, a: At, b: At) {
        for relation in Relation::ALL {
            self.unlink(a, *relation, b);
            self.unlink(b, *relation, a);
        }
    }

    /// Adds a node after the others.
    ///
    /// # Errors
    /// If its id is taken.
    pub fn add(&mut self, node: Node, states: States) -> Result<At, GraphError> {
        let at = self.nodes.len();
        let place = u32::try_from(at).ok().filter(|_| at < MOST_NODES).ok_or(GraphError::TooMany)?;
        let Err(slot) = self.ids.binary_search_by_key(&node.id, |(id, _)| *id) else {
            return Err(GraphError::SameId { id: node.id, at });
        };
        Arc::make_mut(&mut self.ids).insert(slot, (node.id, At(place)));
        Arc::make_mut(&mut self.nodes).push(node);
        self.cells.push(Arc::new(Cell { states, ..Cell::default() }));
        Ok(At(place))
    }

    /// The highest id.
    pub fn highest_id(&self) -> i64 {
        self.ids.last().map_or(0, |(id, _)| *id)
    }

    /// The first node of a class, in the order of the nodes.
    pub fn first_of(&self, class: &str) -> Option<At> {
        self.of_class(class).next()
    }

    /// The nodes of a class, in order.
    pub fn of_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = At> + 'a {
        self.places().filter(move |at| &*self.node(*at).class == class)
    }

    /// The rooms, in order.
    pub fn rooms(&self) -> impl Iterator<Item = At> + '_ {
        self.places().filter(|at| self.node(*at).is_room())
    }

    /// Whether nothing of a node differs from another graph's node at the same place; at once where both share it.
    pub(crate) fn is_same_at(&self, other: &Graph, at: At) -> bool {
        Arc::ptr_eq(&self.cells[at.0 as usize], &other.cells[at.0 as usize]) || self.cell(at) == other.cell(at)
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.nodes, &other.nodes) || self.nodes == other.nodes)
            && self.places().all(|at| self.is_same_at(other, at))
    }
}
