//! Scene: a belief as the built-in reader sees it: what is where, what is clean, what is said of weights.
//!
//! Made from the state form (`objects`, `relations`, one entry per object), leniently: a belief may be anything a model wrote. It is
//! only looked at; what a placement changes is a matter of the table's rules ([`crate::table`]), words are one of [`super::words`].

use indexmap::IndexMap;
use serde_json::Value;

use crate::table::{Kind, TABLE};

/// What directly carries an object.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    /// The table.
    Table,
    /// Another block.
    On(String),
    /// A bowl or the disinfector.
    In(String),
}

/// The belief's objects and their arrangement.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Scene {
    /// All objects, in the belief's order.
    pub objects: Vec<String>,
    /// What carries each block, in order of arrival; a block that is not here lies on the table.
    pub support: IndexMap<String, Support>,
    /// The blocks whose cleanliness is known.
    pub clean: IndexMap<String, bool>,
    /// What each block's weight is said to be (`green_block.weight * 2`).
    pub weights: IndexMap<String, String>,
}

/// The kind of an object; a name that says nothing of it is taken for a block's.
pub fn kind(name: &str) -> Kind {
    Kind::of(name).unwrap_or(Kind::Block)
}

impl Scene {
    /// Reads a belief in the state form. What it does not say is unknown; entries of another form are passed over, since a
    /// belief may be anything a model wrote.
    pub fn of(belief: &Value) -> Scene {
        let mut scene = Scene::default();
        let listed = belief.get("objects").and_then(Value::as_array);
        scene.objects = listed.into_iter().flatten().filter_map(Value::as_str).map(tidy).collect();
        for (name, entry) in belief.as_object().into_iter().flatten() {
            if !matches!(name.as_str(), "objects" | "relations") {
                scene.entry(&tidy(name), entry);
            }
        }
        for relation in belief.get("relations").and_then(Value::as_array).into_iter().flatten() {
            if let Some((above, below)) = relation.as_str().and_then(split_relation) {
                scene.add(&above);
                scene.support.shift_remove(&above);
                let support = if kind(&below).contains() { Support::In(below) } else { Support::On(below) };
                scene.support.insert(above, support);
            }
        }
        scene.break_circles();
        scene
    }

    fn entry(&mut self, name: &str, entry: &Value) {
        self.add(name);
        for block in entry.get("contains").and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str) {
            self.support.insert(tidy(block), Support::In(name.to_owned()));
        }
        let is = match entry.get("is") {
            Some(Value::Array(words)) => words.iter().filter_map(Value::as_str).collect(),
            Some(Value::String(word)) => vec![word.as_str()],
            _ => Vec::new(),
        };
        if is.contains(&"dirty") {
            self.clean.insert(name.to_owned(), false);
        } else if is.contains(&"clean") {
            self.clean.insert(name.to_owned(), true);
        }
        if let Some(weight) = entry.get("weight").and_then(Value::as_str) {
            self.weights.insert(name.to_owned(), weight.to_owned());
        }
    }

    /// A belief may claim that two blocks are on each other; walking down must still end.
    fn break_circles(&mut self) {
        let names: Vec<String> = self.support.keys().cloned().collect();
        for name in names {
            let mut at = name.clone();
            let mut steps = 0;
            while let Some(Support::On(below)) = self.support.get(&at) {
                at = below.clone();
                steps += 1;
                if steps > self.support.len() {
                    self.support.shift_remove(&name);
                    break;
                }
            }
        }
    }

    /// Makes an object known.
    pub fn add(&mut self, name: &str) {
        if name != TABLE && !self.has(name) {
            self.objects.push(name.to_owned());
        }
    }

    /// Whether the belief knows the object.
    pub fn has(&self, name: &str) -> bool {
        self.objects.iter().any(|object| object == name)
    }

    /// All objects of a sort.
    pub fn all(&self, of: Kind) -> impl Iterator<Item = &String> {
        self.objects.iter().filter(move |name| kind(name) == of)
    }

    /// What directly carries an object.
    pub fn support(&self, name: &str) -> Support {
        self.support.get(name).cloned().unwrap_or(Support::Table)
    }

    /// The blocks directly on a block, in order of arrival.
    pub fn directly_on<'a>(&'a self, name: &'a str) -> impl Iterator<Item = &'a String> {
        self.support
            .iter()
            .filter(move |(_, at)| matches!(at, Support::On(below) if below == name))
            .map(|(block, _)| block)
    }

    /// All blocks above a block in its stack, from below.
    pub fn above(&self, name: &str) -> Vec<String> {
        let mut found: Vec<String> = self.directly_on(name).cloned().collect();
        let mut next = 0;
        while let Some(block) = found.get(next).cloned() {
            found.extend(self.directly_on(&block).cloned());
            next += 1;
        }
        found
    }

    /// All blocks below a block in its stack, the nearest first.
    pub fn below(&self, name: &str) -> Vec<String> {
        let mut found = Vec::new();
        let mut at = name;
        while let Some(Support::On(below)) = self.support.get(at) {
            found.push(below.clone());
            at = below;
        }
        found
    }

    /// The container a block's stack is in.
    pub fn container(&self, name: &str) -> Option<String> {
        let below = self.below(name);
        match self.support(below.last().map_or(name, String::as_str)) {
            Support::In(container) => Some(container),
            Support::Table | Support::On(_) => None,
        }
    }

    /// The blocks in a container, whole stacks, in order of arrival.
    pub fn contents(&self, container: &str) -> Vec<String> {
        let mut found = Vec::new();
        for (block, at) in &self.support {
            if matches!(at, Support::In(name) if name == container) {
                found.push(block.clone());
                found.extend(self.above(block));
            }
        }
        found
    }

    /// The blocks of the stack a block belongs to, from below.
    pub fn stack(&self, name: &str) -> Vec<String> {
        let bottom = self.below(name).pop().unwrap_or_else(|| name.to_owned());
        let mut stack = vec![bottom.clone()];
        stack.extend(self.above(&bottom));
        stack
    }

    /// How many blocks are below a block; a bowl adds nothing.
    pub fn height(&self, name: &str) -> usize {
        self.below(name).len()
    }
}

/// `a is on b` (also `is in`, `is on top of`).
fn split_relation(text: &str) -> Option<(String, String)> {
    let (above, below) = text
        .split_once(" is on top of ")
        .or_else(|| text.split_once(" is on "))
        .or_else(|| text.split_once(" is in "))?;
    let below = tidy(below);
    (below != TABLE).then(|| (tidy(above), below))
}

/// A name as it is compared: underscores count as spaces, further spaces do not count.
pub fn tidy(name: &str) -> String {
    name.replace('_', " ").split_whitespace().collect::<Vec<_>>().join(" ")
}
