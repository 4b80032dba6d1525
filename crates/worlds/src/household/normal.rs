//! Normal form of a definition: the same for every file format it was read from.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::compatibility;
use super::definition::Definition;

impl Definition {
    /// The definition as JSON with the order of sets and what does not matter taken out: properties and relations sorted,
    /// compatibilities spelt out for the types present, the plan and the split left away. Two files of one game are equal here.
    pub fn normal_form(&self) -> Value {
        let mut plain = self.clone();
        for object in &mut plain.objects {
            object.inside_of.sort();
            object.at.sort();
            object.inside.sort();
            object.props.sort_by_key(|p| *p as usize);
        }
        let mut accepted: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
        let mut kinds: Vec<&str> = self.objects.iter().filter_map(|o| o.kind.as_deref()).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in self.receptacles.iter().filter_map(|r| r.kind.as_deref()) {
            let accepts = |object: &&&str| match &self.can_contain {
                Some(own) => own.get(kind).is_some_and(|l| l.iter().any(|x| x == **object)),
                None => compatibility::embedded().get(kind).is_some_and(|l| l.contains(**object)),
            };
            accepted.entry(kind).or_insert_with(|| kinds.iter().filter(accepts).copied().collect());
        }
        json!({
            "id": plain.id,
            "task_type": plain.task_type,
            "task": plain.task,
            "start": plain.start,
            "receptacles": plain.receptacles,
            "objects": plain.objects,
            "goal": plain.goal,
            "can_contain": accepted,
        })
    }
}
