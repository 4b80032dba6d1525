//! Built-in writer: the new belief from the text of an update.

use num_traits::Signed;
use serde_json::{Value, json};

use super::Unreadable;
use super::act::Act;
use super::clause;
use super::scene::Scene;
use crate::table::{StatementKind, Table};
use crate::weights::{Expression, read};

/// The belief after an update.
///
/// # Errors
/// What in the text is not understood, or what in the belief makes no sense.
pub fn update(belief: &Value, text: &str) -> Result<Value, Unreadable> {
    let (acts, after) = clause::stated(belief, text)?;
    if acts.is_empty() {
        return Err(Unreadable::new("", "it states nothing"));
    }
    Ok(after)
}

/// The belief after one thing was done or stated.
///
/// # Errors
/// If the belief is no state of a table, or it cannot be done there.
pub fn apply(belief: &Value, act: &Act) -> Result<Value, Unreadable> {
    let wrong = |why: String| Unreadable::new("", format!("the belief: {why}"));
    let mut known = with_new_objects(belief, act);
    if let Act::Weighs(block, ..) = act {
        keep_what_is_replaced(&mut known, block);
    }
    let mut table = Table::from_form(&known).map_err(wrong)?;
    match act {
        Act::Put(what, target) | Act::Moved(what, target) => {
            for block in what {
                table.put(block, target).map_err(|why| Unreadable::new("", why))?;
            }
        }
        Act::Is(..) | Act::Becomes(..) | Act::Weighs(..) => {
            if let Some(sentence) = act.sentence() {
                table.hear(&sentence, StatementKind::Statement);
            }
        }
    }
    Ok(with_what_it_had(table.form(), &known))
}

/// A belief may not know of a block yet that a statement names.
fn with_new_objects(belief: &Value, act: &Act) -> Value {
    let scene = Scene::of(belief);
    let mut names = act.about();
    match act {
        Act::Put(_, target) | Act::Moved(_, target) => names.push(target.clone()),
        Act::Weighs(_, _, other) => names.push(other.clone()),
        Act::Is(..) | Act::Becomes(..) => {}
    }
    let mut belief = belief.clone();
    for name in names.into_iter().filter(|name| name != crate::table::TABLE && !scene.has(name)) {
        if let Some(objects) = belief.get_mut("objects").and_then(Value::as_array_mut) {
            objects.push(json!(name));
        }
    }
    belief
}

/// A block has one expression for its weight. Before a new one takes its place, what the old one said is turned round and kept with
/// the block it named, unless that says so already: nothing that was stated is lost.
fn keep_what_is_replaced(belief: &mut Value, block: &str) {
    let scene = Scene::of(belief);
    let expression_of = |name: &str| read(scene.weights.get(name)?).ok();
    let mut at = block.to_owned();
    let mut turned: Vec<(String, String)> = Vec::new();
    for _ in 0..scene.objects.len() {
        let Some(expression) = expression_of(&at) else { break };
        let Some((other, factor)) = expression.one_term().filter(|(_, factor)| factor.is_positive()) else { break };
        let says_so = expression_of(other).is_some_and(|back| back.one_term().is_some_and(|(name, _)| name == at));
        if says_so {
            break;
        }
        let back = Expression { terms: [(at, factor.recip())].into(), ..Expression::default() };
        turned.push((other.to_owned(), back.to_string()));
        at = other.to_owned();
    }
    for (name, text) in turned {
        if let Some(entry) = belief.get_mut(&name).and_then(Value::as_object_mut) {
            entry.insert("weight".to_owned(), json!(text));
        }
    }
}

/// Keeps the order of the belief's entries, and what they say that is not of the table.
fn with_what_it_had(mut state: Value, before: &Value) -> Value {
    let (Some(new), Some(old)) = (state.as_object_mut(), before.as_object()) else { return state };
    let mut ordered = serde_json::Map::new();
    for key in old.keys() {
        if let Some(entry) = new.shift_remove(key) {
            ordered.insert(key.clone(), entry);
        }
    }
    ordered.append(new);
    for (key, entry) in &mut ordered {
        if let (Some(entry), Some(Value::Object(had))) = (entry.as_object_mut(), old.get(key)) {
            let others = had.iter().filter(|(name, _)| !matches!(name.as_str(), "is" | "weight" | "contains"));
            for (name, value) in others {
                entry.entry(name.clone()).or_insert_with(|| value.clone());
            }
        }
    }
    Value::Object(ordered)
}
