//! Names: what a name of a script is called in the scenes, what a detailed name is called in a program, and the properties of classes.

use std::sync::Arc;

use indexmap::{IndexMap, IndexSet};
use rustc_hash::FxHashMap;
use serde::Deserialize;
use serde::de::Error as _;

use crate::vocabulary::Properties;

/// Names that mean the same: a name of scripts, and the names of things in the scenes that count as it.
pub(crate) type Equivalence = IndexMap<String, Vec<String>>;

/// The most names that lead from one to what it is called.
const MOST_LINKS: usize = 1_000;

#[derive(Debug, Clone, Default)]
pub struct Names {
    scene: FxHashMap<Arc<str>, Arc<str>>,
    general: FxHashMap<Arc<str>, Arc<str>>,
}

/// A table as a file has it; what is missing follows from the equivalence.
#[derive(Deserialize)]
struct Table {
    name_map: Option<IndexMap<String, String>>,
    #[serde(default)]
    equivalence: Equivalence,
    detail_to_abstract: Option<IndexMap<String, String>>,
}

impl Names {
    /// The table that follows from an equivalence.
    /// Errors: if names are called by each other in a circle, or through too many others.
    pub fn of(equivalence: &Equivalence) -> Result<Names, serde_json::Error> {
        Ok(Names { scene: scene_names(equivalence), general: general_names(equivalence)? })
    }

    /// Reads tables by their names (`v1.0`, `lp`), each an object with `equivalence`, and `name_map` and `detail_to_abstract` where they
    /// are not what follows from it; or one equivalence alone, VirtualHome's `class_name_equivalence.json`, as the table `v1.0`.
    /// Errors: if it is neither, or as [`Names::of`].
    pub fn read(text: &str) -> Result<IndexMap<String, Names>, serde_json::Error> {
        if let Ok(equivalence) = serde_json::from_str::<Equivalence>(text) {
            return Ok(IndexMap::from([("v1.0".to_owned(), Names::of(&equivalence)?)]));
        }
        let tables: IndexMap<String, Table> = serde_json::from_str(text)?;
        let shared = |map: IndexMap<String, String>| map.into_iter().map(|(k, v)| (k.into(), v.into())).collect();
        let names = |table: Table| {
            let scene = table.name_map.map_or_else(|| scene_names(&table.equivalence), shared);
            let general =
                table.detail_to_abstract.map_or_else(|| general_names(&table.equivalence), |map| Ok(shared(map)))?;
            Ok(Names { scene, general })
        };
        tables.into_iter().map(|(name, table)| Ok((name, names(table)?))).collect()
    }

    pub fn in_scene(&self, name: &Arc<str>) -> Arc<str> {
        self.scene.get(name).unwrap_or(name).clone()
    }

    /// The name of a detailed name in a program that was put into words by a model (`coffee_cup` is a `cup`).
    pub fn in_general(&self, name: &str) -> Arc<str> {
        self.general.get(name).cloned().unwrap_or_else(|| name.into())
    }
}

/// Merges names that share one into groups, each called by its shortest name of scripts; a name is spelled without underscores as a
/// scene spells it. Names that are called as they are spelled are left out.
fn scene_names(equivalence: &Equivalence) -> FxHashMap<Arc<str>, Arc<str>> {
    let mut called: IndexMap<String, Arc<str>> = IndexMap::new();
    let mut groups: FxHashMap<Arc<str>, IndexSet<String>> = FxHashMap::default();
    let plain = |name: &str| name.to_lowercase().replace('_', "");
    for (name, others) in equivalence {
        let name: Arc<str> = name.as_str().into();
        let members: Vec<String> = std::iter::once(plain(&name)).chain(others.iter().map(|o| plain(o))).collect();
        groups.insert(Arc::clone(&name), members.iter().cloned().collect());
        // A group joined to another once need not be again for each name that they share. A name that is listed twice joins its group to
        // itself, as in the reference.
        let mut done = None;
        for member in members {
            let Some(known) = called.get(&member).cloned() else {
                called.insert(member, Arc::clone(&name));
                continue;
            };
            // The reference keeps `computer` as the name of its group even when others join it.
            let shorter = name.chars().count() < known.chars().count() && &*known != "computer";
            let (to, from) = if shorter { (Arc::clone(&name), known) } else { (known, Arc::clone(&name)) };
            if done.as_ref() == Some(&(Arc::clone(&to), Arc::clone(&from))) {
                continue;
            }
            let joining = groups.get(&from).cloned().unwrap_or_default();
            for joined in &joining {
                called.insert(joined.clone(), Arc::clone(&to));
            }
            if to != from {
                groups.entry(Arc::clone(&to)).or_default().extend(joining);
            }
            done = Some((to, from));
        }
    }
    called.into_iter().filter(|(name, to)| **name != **to).map(|(name, to)| (name.into(), to)).collect()
}

/// The general name of each detailed name: the first name that lists it; a later one that lists it too is itself called
/// by the first.
fn general_names(equivalence: &Equivalence) -> Result<FxHashMap<Arc<str>, Arc<str>>, serde_json::Error> {
    let mut called: FxHashMap<Arc<str>, Arc<str>> = FxHashMap::default();
    for (name, details) in equivalence {
        for detail in details {
            let (mut key, mut value): (Arc<str>, Arc<str>) = (detail.as_str().into(), name.as_str().into());
            // Names that list each other in a circle lead on for ever.
            let mut links = 0;
            while key != value {
                links += 1;
                if links > MOST_LINKS {
                    let more = format!(
                        "“{detail}” of “{name}” is called by names that call each other in a circle, or by over {MOST_LINKS}"
                    );
                    return Err(serde_json::Error::custom(more));
                }
                match called.get(&key) {
                    None => {
                        called.insert(key, value);
                        break;
                    }
                    Some(known) => {
                        let known = Arc::clone(known);
                        (key, value) = (value, known);
                    }
                }
            }
        }
    }
    Ok(called)
}

#[derive(Debug, Clone, Default, Deserialize)]
#[serde(transparent)]
pub struct PropertyTable(IndexMap<String, Properties>);

impl PropertyTable {
    pub fn of(&self, class: &str) -> Option<Properties> {
        self.0.get(class).copied()
    }

    pub fn classes(&self) -> impl Iterator<Item = &str> {
        self.0.keys().map(String::as_str)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_second_name_is_called_by_the_first() {
        let names = Names::read(r#"{"cup": ["coffee_cup"], "mug": ["coffee_cup"]}"#).unwrap();
        let of = |name| names["v1.0"].in_general(name);
        assert_eq!((&*of("coffee_cup"), &*of("mug"), &*of("cup")), ("cup", "cup", "cup"));
    }

    #[test]
    fn names_that_share_many_are_joined_in_linear_time() {
        let since = std::time::Instant::now();
        let all: Vec<String> = (0..20_000).map(|n| format!("n{n}")).collect();
        for text in [
            serde_json::json!({ "b": all, "aaa": all, "c": all }),
            serde_json::json!({ "a": vec!["x"; 20_000] }),
            all.iter().map(|name| (name.clone(), serde_json::json!(["x"]))).collect(),
        ] {
            let names = &Names::read(&text.to_string()).unwrap()["v1.0"];
            assert!(!names.scene.is_empty());
        }
        assert!(since.elapsed().as_secs() < 10, "{:?}", since.elapsed());
    }

    #[test]
    fn names_that_call_each_other_in_a_circle_are_refused() {
        let refused = Names::read(r#"{"b": ["a"], "a": ["c"], "c": ["b", "a"]}"#).unwrap_err();
        assert!(
            refused.to_string().starts_with("“a” of “c” is called by names that call each other in a circle"),
            "{refused}"
        );
    }
}
