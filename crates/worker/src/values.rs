//! JSON values to the engine's values and back.

use monty_types::MontyObject;
use serde_json::{Map, Number, Value};

/// How deep a value may nest that is handed over; far below what reading JSON allows.
const DEEPEST: usize = 60;

pub(crate) fn to_python(value: &Value) -> MontyObject {
    match value {
        Value::Null => MontyObject::None,
        Value::Bool(b) => MontyObject::Bool(*b),
        Value::Number(n) => match (n.as_i64(), n.as_u64()) {
            (Some(n), _) => MontyObject::Int(n),
            (None, Some(n)) => MontyObject::BigInt(n.into()),
            (None, None) => MontyObject::Float(n.as_f64().unwrap_or(f64::NAN)),
        },
        Value::String(s) => MontyObject::String(s.clone()),
        Value::Array(items) => MontyObject::List(items.iter().map(to_python).collect()),
        Value::Object(entries) => {
            let pairs: Vec<_> =
                entries.iter().map(|(key, item)| (MontyObject::String(key.clone()), to_python(item))).collect();
            MontyObject::dict(pairs)
        }
    }
}

/// `loses` is whether something may have been taken out of a set before.
pub(crate) fn to_json(value: &MontyObject, loses: bool) -> Result<Value, String> {
    convert(value, DEEPEST, loses)
}

fn convert(value: &MontyObject, depth: usize, loses: bool) -> Result<Value, String> {
    let Some(deeper) = depth.checked_sub(1) else { return Err("a value that nests very deeply".to_owned()) };
    let list = |items: &[MontyObject]| {
        items.iter().map(|i| convert(i, deeper, loses)).collect::<Result<_, _>>().map(Value::Array)
    };
    match value {
        MontyObject::None => Ok(Value::Null),
        MontyObject::Bool(b) => Ok((*b).into()),
        MontyObject::Int(n) => Ok((*n).into()),
        MontyObject::BigInt(n) => {
            u64::try_from(n).map(Value::from).map_err(|_| "a whole number beyond 64 bits".to_owned())
        }
        MontyObject::Float(x) => Number::from_f64(*x).map(Value::Number).ok_or_else(|| format!("the number {x}")),
        MontyObject::String(s) => Ok(s.as_str().into()),
        MontyObject::List(items) | MontyObject::Tuple(items) | MontyObject::NamedTuple { values: items, .. } => {
            list(items)
        }
        MontyObject::Set(items) | MontyObject::FrozenSet(items) => list(&in_order(items, loses)?),
        MontyObject::Dict(pairs) => {
            let mut map = Map::new();
            for (key, item) in pairs {
                let MontyObject::String(key) = key else {
                    return Err("a dictionary whose keys are no texts".to_owned());
                };
                map.insert(key.clone(), convert(item, deeper, loses)?);
            }
            Ok(Value::Object(map))
        }
        MontyObject::Cycle(..) => Err("a value that holds itself".to_owned()),
        MontyObject::Function { .. } | MontyObject::BuiltinFunction(_) => Err("a function".to_owned()),
        MontyObject::Type(_) => Err("a class".to_owned()),
        MontyObject::ClassInstance(_) => Err("an object of a class".to_owned()),
        MontyObject::Repr(text) => Err(format!("{:.60}", text)),
        _ => Err("a value of another kind than text, number, list or dictionary".to_owned()),
    }
}

/// A set's elements as CPython has them, as far as can be told; the same as `__order__` in `helpers.py`.
fn in_order(items: &[MontyObject], loses: bool) -> Result<Vec<MontyObject>, String> {
    let whole = |item: &MontyObject| match item {
        MontyObject::Int(n) => usize::try_from(*n).ok(),
        MontyObject::Bool(b) => Some(usize::from(*b)),
        _ => None,
    };
    if items.iter().filter(|item| is_fixed(item)).count() < 2 {
        return Ok(items.to_vec());
    }
    let mut table = 8;
    while items.len() * 5 >= (table - 1) * 3 {
        table *= 2;
    }
    let (mut numbers, others): (Vec<_>, Vec<_>) = items.iter().cloned().partition(|item| whole(item).is_some());
    numbers.sort_by_key(whole);
    let largest = numbers.last().and_then(whole).unwrap_or(0);
    if loses || largest >= table || others.iter().any(is_fixed) {
        return Err("a set of values whose order is not known".to_owned());
    }
    numbers.extend(others);
    Ok(numbers)
}

/// Whether CPython places it in a set as it does in every process.
fn is_fixed(item: &MontyObject) -> bool {
    match item {
        MontyObject::Int(_) | MontyObject::BigInt(_) | MontyObject::Bool(_) | MontyObject::Float(_) => true,
        MontyObject::Tuple(parts) | MontyObject::FrozenSet(parts) => parts.iter().all(is_fixed),
        MontyObject::String(text) => text.is_empty(),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn plain_values_survive() {
        let value = json!({"a": [1, -2.5, "x", null, true], "b": {"c": u64::MAX}, "d": i64::MIN});
        assert_eq!(to_json(&to_python(&value), false), Ok(value));
    }

    #[test]
    fn what_is_no_plain_value_is_named() {
        assert_eq!(to_json(&MontyObject::Float(f64::NAN), false), Err("the number NaN".to_owned()));
        let keyed = MontyObject::dict(vec![(MontyObject::Int(1), MontyObject::None)]);
        assert!(to_json(&MontyObject::List(vec![keyed]), false).is_err());
        let mut deep = MontyObject::None;
        for _ in 0..100 {
            deep = MontyObject::List(vec![deep]);
        }
        assert!(to_json(&deep, false).is_err());
    }
}
