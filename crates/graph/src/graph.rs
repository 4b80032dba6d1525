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

/// The part of a node that never changes.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Node {
    /// Its id, by which scripts name it.
    pub id: i64,
    /// Its class (`remote_control`); the same class is the same allocation within a graph.
    pub class: Arc<str>,
    /// Its category (`Furniture`); that of rooms is `Rooms`.
    pub category: Arc<str>,
    pub properties: Properties,
}

impl Node {
    pub fn is_room(&self) -> bool {
        &*self.category == ROOMS
    }

    pub fn has(&self, property: Property) -> bool {
        self.properties.has(property)
    }

    /// As messages show it: `<cup> (12)`.
    pub fn shown(&self) -> Shown {
        Shown { class: Arc::clone(&self.class), id: self.id }
    }
}

const ROOMS: &str = "Rooms";
/// The class of the one who acts.
pub(crate) const CHARACTER: &str = "character";

/// A relation to or from a node: the relation in the highest bits, so that a sorted list has the relations together.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Link(u32);

const SHIFT: u32 = 28;
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

/// The part of a node that changes.
#[derive(Clone, Default, PartialEq, Eq)]
struct Cell {
    states: States,
    out: Vec<Link>,
    into: Vec<Link>,
}

/// A node's cell, to be written to; what others share of it is copied first.
fn cell_in(cells: &mut [Arc<Chunk>], at: At) -> &mut Cell {
    Arc::make_mut(&mut Arc::make_mut(&mut cells[at.index() / CHUNK])[at.index() % CHUNK])
}

/// The part of a sorted list that is of one relation.
fn of(links: &[Link], relation: Relation) -> &[Link] {
    let start = links.partition_point(|link| link.0 >> SHIFT < relation.index());
    let rest = links.get(start..).unwrap_or_default();
    let end = rest.partition_point(|link| link.0 >> SHIFT == relation.index());
    rest.get(..end).unwrap_or_default()
}

/// Finds places by id: in a table where the ids are numbers that lie close together, else by searching.
struct Places<'a> {
    ids: &'a [(i64, At)],
    first: i64,
    table: Vec<u32>,
}

/// In the table of [`Places`]: no node has this id.
const NOWHERE: u32 = u32::MAX;

impl Places<'_> {
    fn of(ids: &[(i64, At)]) -> Places<'_> {
        let (first, last) = (ids.first().map_or(0, |(id, _)| *id), ids.last().map_or(0, |(id, _)| *id));
        let span = last.checked_sub(first).and_then(|span| usize::try_from(span).ok());
        let mut table =
            span.filter(|span| *span < ids.len() * 8 + 4096).map_or_else(Vec::new, |s| vec![NOWHERE; s + 1]);
        for (id, at) in ids {
            if let Some(place) = usize::try_from(id - first).ok().and_then(|id| table.get_mut(id)) {
                *place = at.0;
            }
        }
        Places { ids, first, table }
    }

    fn find(&self, id: i64) -> Option<At> {
        if self.table.is_empty() {
            return self
                .ids
                .binary_search_by_key(&id, |(id, _)| *id)
                .ok()
                .and_then(|i| self.ids.get(i))
                .map(|(_, at)| *at);
        }
        let at = id.checked_sub(self.first).and_then(|id| self.table.get(usize::try_from(id).ok()?).copied());
        at.filter(|at| *at != NOWHERE).map(At)
    }
}

/// The part of each node that changes: its states, and the edges from and to it.
fn cells(states: Vec<States>, edges: &[(i64, Relation, i64)], places: &Places<'_>) -> Result<Vec<Cell>, GraphError> {
    let mut ends: Vec<(At, At)> = Vec::with_capacity(edges.len());
    let mut degrees = vec![(0, 0); states.len()];
    let mut present = [false; 1 << (u32::BITS - SHIFT)];
    for (at, (from, relation, to)) in edges.iter().enumerate() {
        let source = places.find(*from).ok_or(GraphError::Dangling { end: "from", id: *from, at })?;
        let target = places.find(*to).ok_or(GraphError::Dangling { end: "to", id: *to, at })?;
        degrees[source.index()].0 += 1;
        degrees[target.index()].1 += 1;
        present[relation.index() as usize] = true;
        ends.push((source, target));
    }
    let sized = |(states, (out, into))| Cell { states, out: Vec::with_capacity(out), into: Vec::with_capacity(into) };
    let mut cells: Vec<Cell> = states.into_iter().zip(degrees).map(sized).collect();
    // One relation after the other: files have their edges in the order of the nodes, so the lists come out sorted.
    for relation in Relation::ALL.iter().filter(|relation| present[relation.index() as usize]) {
        for ((_, _, _), (source, target)) in edges.iter().zip(&ends).filter(|((_, of, _), _)| of == relation) {
            cells[source.index()].out.push(Link::new(*relation, *target));
            cells[target.index()].into.push(Link::new(*relation, *source));
        }
    }
    for links in cells.iter_mut().flat_map(|cell| [&mut cell.out, &mut cell.into]) {
        if !links.is_sorted_by(|a, b| a < b) {
            links.sort_unstable();
            links.dedup();
        }
    }
    Ok(cells)
}

/// The part of a graph that no step changes.
#[derive(Clone)]
struct Fixed {
    nodes: Vec<Node>,
    /// Places by id, sorted.
    ids: Vec<(i64, At)>,
    doors: Vec<At>,
    /// The parts of the body, in the order of the nodes.
    body: Vec<At>,
}

impl Fixed {
    fn of(nodes: Vec<Node>, ids: Vec<(i64, At)>) -> Fixed {
        let body =
            (0..).map(At).zip(&nodes).filter(|(_, node)| node.has(Property::BodyPart)).map(|(at, _)| at).collect();
        let is_of = |at: At, class: &str| nodes.get(at.index()).is_some_and(|node| &*node.class == class);
        let of_class = |class| ids.iter().map(|(_, at)| *at).filter(move |at| is_of(*at, class));
        let doors = DOORS.into_iter().flat_map(of_class).collect();
        Fixed { body, doors, nodes, ids }
    }
}

/// The classes of what connects rooms.
pub(crate) const DOORS: [&str; 2] = ["door", "doorjamb"];

/// So many nodes' cells are shared or copied together: things of one room mostly stand together in a file.
const CHUNK: usize = 16;

/// The cells of some nodes that follow each other.
type Chunk = Vec<Arc<Cell>>;

/// A household: nodes with their states, and the relations between them. Copies share what is the same.
#[derive(Clone)]
pub struct Graph {
    fixed: Arc<Fixed>,
    cells: Arc<Vec<Arc<Chunk>>>,
    character: At,
}

impl fmt::Debug for Graph {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let edges: usize = self.places().map(|at| self.cell(at).out.len()).sum();
        write!(f, "Graph({} nodes, {edges} edges)", self.len())
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GraphError {
    /// Two nodes of one id; the place of the second in the list.
    #[error("there are two nodes of the id {id}")]
    SameId { id: i64, at: usize },
    /// An edge from or to no node; its place in the list.
    #[error("an edge leads {end} the node {id}, which there is not")]
    Dangling { end: &'static str, id: i64, at: usize },
    #[error("no node is of the class `character`")]
    NoCharacter,
    #[error("more than {MOST_NODES} nodes")]
    TooMany,
}

impl Graph {
    /// A graph of nodes with their states and of edges. An edge that is there twice is there once.
    /// Errors: if two nodes have one id, an edge leads nowhere, or nobody acts.
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
        let cells = cells(states, edges, &Places::of(&ids))?;
        let mut cells = cells.into_iter().map(Arc::new);
        let mut chunks = Vec::with_capacity(nodes.len() / CHUNK + 1);
        loop {
            let chunk: Chunk = cells.by_ref().take(CHUNK).collect();
            if chunk.is_empty() {
                break;
            }
            chunks.push(Arc::new(chunk));
        }
        Ok(Graph { fixed: Arc::new(Fixed::of(nodes, ids)), cells: Arc::new(chunks), character })
    }

    pub fn character(&self) -> At {
        self.character
    }

    /// The places of all nodes, in order.
    pub fn places(&self) -> impl DoubleEndedIterator<Item = At> + use<> {
        (0..self.len()).filter_map(|at| u32::try_from(at).ok()).map(At)
    }

    pub fn len(&self) -> usize {
        self.fixed.nodes.len()
    }

    /// Whether there are none; never, as somebody acts.
    pub fn is_empty(&self) -> bool {
        self.fixed.nodes.is_empty()
    }

    pub fn find(&self, id: i64) -> Option<At> {
        self.fixed
            .ids
            .binary_search_by_key(&id, |(id, _)| *id)
            .ok()
            .and_then(|i| self.fixed.ids.get(i))
            .map(|(_, at)| *at)
    }

    /// The part of a node that never changes. A place belongs to the graph it came from and to copies of it.
    pub fn node(&self, at: At) -> &Node {
        &self.fixed.nodes[at.index()]
    }

    fn cell(&self, at: At) -> &Cell {
        &self.cells[at.index() / CHUNK][at.index() % CHUNK]
    }

    fn cell_mut(&mut self, at: At) -> &mut Cell {
        let chunks = Arc::make_mut(&mut self.cells);
        cell_in(chunks, at)
    }

    pub fn states(&self, at: At) -> States {
        self.cell(at).states
    }

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
    pub(crate) fn bring_close(&mut self, a: At, b: At) {
        self.link(a, Relation::Close, b);
        self.link(b, Relation::Close, a);
    }

    pub(crate) fn unlink(&mut self, from: At, relation: Relation, to: At) {
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
    pub(crate) fn unlink_from(&mut self, at: At, relations: &[Relation]) {
        self.remove(at, relations, |cell| &mut cell.out, |cell| &mut cell.into);
    }

    /// Removes every edge of some relations from and to a node.
    pub(crate) fn detach(&mut self, at: At, relations: &[Relation]) {
        self.unlink_from(at, relations);
        self.remove(at, relations, |cell| &mut cell.into, |cell| &mut cell.out);
    }

    /// Removes the links of some relations from one list of a node, and their other ends from the other list of the nodes they lead to.
    fn remove(
        &mut self,
        at: At,
        relations: &[Relation],
        mine: impl Fn(&mut Cell) -> &mut Vec<Link>,
        others: impl Fn(&mut Cell) -> &mut Vec<Link>,
    ) {
        let cell = self.cell(at);
        if relations.iter().all(|relation| of(&cell.out, *relation).is_empty() && of(&cell.into, *relation).is_empty())
        {
            return;
        }
        let cells = Arc::make_mut(&mut self.cells);
        let mut removed: Vec<Link> = Vec::new();
        let links = mine(cell_in(cells, at));
        for relation in relations {
            let start = links.partition_point(|link| link.0 >> SHIFT < relation.index());
            let end = links.partition_point(|link| link.0 >> SHIFT <= relation.index());
            removed.extend(links.drain(start..end));
        }
        for link in removed {
            let back = Link(link.0 >> SHIFT << SHIFT | at.0);
            let links = others(cell_in(cells, link.other()));
            if let Ok(place) = links.binary_search(&back) {
                links.remove(place);
            }
        }
    }

    /// Removes every edge between two nodes, both ways.
    pub fn separate(&mut self, a: At, b: At) {
        for relation in Relation::ALL {
            self.unlink(a, *relation, b);
            self.unlink(b, *relation, a);
        }
    }

    pub fn add(&mut self, node: Node, states: States) -> Result<At, GraphError> {
        let at = self.len();
        let place = u32::try_from(at).ok().filter(|_| at < MOST_NODES).ok_or(GraphError::TooMany)?;
        let Err(slot) = self.fixed.ids.binary_search_by_key(&node.id, |(id, _)| *id) else {
            return Err(GraphError::SameId { id: node.id, at });
        };
        let fixed = Arc::make_mut(&mut self.fixed);
        let special = node.has(Property::BodyPart) || DOORS.contains(&&*node.class);
        fixed.ids.insert(slot, (node.id, At(place)));
        fixed.nodes.push(node);
        if special {
            *fixed = Fixed::of(std::mem::take(&mut fixed.nodes), std::mem::take(&mut fixed.ids));
        }
        let chunks = Arc::make_mut(&mut self.cells);
        let cell = Arc::new(Cell { states, ..Cell::default() });
        match chunks.last_mut().filter(|chunk| chunk.len() < CHUNK) {
            Some(chunk) => Arc::make_mut(chunk).push(cell),
            None => chunks.push(Arc::new(vec![cell])),
        }
        Ok(At(place))
    }

    /// The first node of a class, in the order of the nodes.
    pub fn first_of(&self, class: &str) -> Option<At> {
        self.of_class(class).next()
    }

    pub fn of_class<'a>(&'a self, class: &'a str) -> impl Iterator<Item = At> + 'a {
        self.places().filter(move |at| &*self.node(*at).class == class)
    }

    pub fn rooms(&self) -> impl Iterator<Item = At> + '_ {
        self.places().filter(|at| self.node(*at).is_room())
    }

    /// Whether nothing of a node differs from another graph's node at the same place; at once where both share it.
    pub(crate) fn is_same_at(&self, other: &Graph, at: At) -> bool {
        let (one, another) = (self.cell(at), other.cell(at));
        std::ptr::eq(one, another) || one == another
    }

    pub(crate) fn doors(&self) -> &[At] {
        &self.fixed.doors
    }

    /// The parts of the body, in the order of the nodes.
    pub(crate) fn body(&self) -> impl Iterator<Item = At> + use<> {
        let fixed = Arc::clone(&self.fixed);
        (0..fixed.body.len()).filter_map(move |place| fixed.body.get(place).copied())
    }
}

impl PartialEq for Graph {
    fn eq(&self, other: &Self) -> bool {
        (Arc::ptr_eq(&self.fixed, &other.fixed) || self.fixed.nodes == other.fixed.nodes)
            && self.places().all(|at| self.is_same_at(other, at))
    }
}
