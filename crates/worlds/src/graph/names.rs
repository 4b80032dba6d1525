//! Names of things: class and number (`cup_2`), the number being the place among the things of the class in the scene; in a program that
//! is prepared, the number that the program gives.

use rustc_hash::FxHashMap;
use stepwright_graph::script::Param;
use stepwright_graph::{At, Graph, Names};

#[derive(Debug, Clone, Default)]
pub struct Things {
    names: Vec<String>,
    places: FxHashMap<String, At>,
}

impl Things {
    /// The names in a household in which a program's own things have these ids.
    pub fn of(graph: &Graph, bound: &[(Param, i64)]) -> Things {
        let mut things = Things { names: vec![String::new(); graph.len()], places: FxHashMap::default() };
        for (param, id) in bound {
            if let Some(at) = graph.find(*id) {
                things.call(at, format!("{}_{}", param.name, param.number));
            }
        }
        let mut counts: FxHashMap<&str, usize> = FxHashMap::default();
        for at in graph.places() {
            let node = graph.node(at);
            let count = counts.entry(&node.class).or_default();
            *count += 1;
            // A program's own number for another thing of the class leaves this one its id.
            let name = format!("{}_{count}", node.class);
            let name = if things.places.contains_key(&name) { format!("{}_{}", node.class, node.id) } else { name };
            things.call(at, name);
        }
        things
    }

    fn call(&mut self, at: At, name: String) {
        if let Some(known) = self.names.get_mut(at.index())
            && known.is_empty()
        {
            known.clone_from(&name);
            self.places.insert(name, at);
        }
    }

    pub fn name(&self, at: At) -> &str {
        self.names.get(at.index()).map_or("", String::as_str)
    }

    pub fn find(&self, name: &str) -> Option<At> {
        self.places.get(name).copied()
    }

    /// The thing that a step names: by class and number, by the name that scripts have for its class, or by its id.
    pub fn named(&self, param: &Param, graph: &Graph, names: &Names) -> Option<At> {
        let of_class = |class: &str| self.find(&format!("{class}_{}", param.number));
        let by_id = || {
            let at = graph.find(param.number)?;
            (graph.node(at).class == param.name).then_some(at)
        };
        of_class(&param.name).or_else(|| of_class(&names.in_scene(&param.name))).or_else(by_id)
    }

    pub fn all(&self) -> impl Iterator<Item = &str> {
        self.names.iter().map(String::as_str)
    }
}

/// A name in its two parts, class and number.
pub fn parts(name: &str) -> Option<Param> {
    let (class, number) = name.rsplit_once('_')?;
    let number = number.parse().ok().filter(|_| !class.is_empty())?;
    Some(Param { name: class.into(), number })
}
