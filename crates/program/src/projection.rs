//! Many states distinguished by what an evaluation touched of them. What each state holds is cut into items once, each with what must have
//! been touched for it to be seen; what all states share is dropped. For states in which an object has one place and keeps it.

use std::hash::{Hash, Hasher};
use std::sync::Arc;

use rustc_hash::{FxHashMap, FxHashSet, FxHasher};

use super::engine::heap::mark_of_object;
use super::engine::value::{Attrs, Id, Key, Obj, Value};
use super::engine::vm::{Footprint, Marks, mark_of, mark_of_key};
use super::specification::GLOBALS;
use super::state::State;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
struct Item {
    /// Names of attributes and globals on the way to it, as marks: it is seen if all of them were touched.
    way: Marks,
    /// The other objects that must have been touched.
    guard: Guard,
    hash: u64,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
enum Guard {
    /// Nothing.
    Free,
    /// The dictionary with this mark, as a whole.
    Whole(u64),
    /// That, or a key with the second mark.
    Key(u64, Marks),
}

impl Item {
    fn is_seen(&self, touched: Footprint) -> bool {
        self.way & !touched.attributes == 0
            && match self.guard {
                Guard::Free => true,
                Guard::Whole(dict) => dict & touched.whole != 0,
                Guard::Key(dict, key) => dict & touched.whole != 0 || key & !touched.keys == 0,
            }
    }
}

/// States, prepared to be distinguished.
#[derive(Debug, Clone)]
pub struct Projections {
    /// The items that not all states have, each once.
    items: Vec<Item>,
    /// The places in `items` of what each state holds.
    held: Vec<Vec<u32>>,
    /// The part of a footprint that matters to any of these items.
    matters: Footprint,
}

impl Projections {
    /// Of these states; an object must have the same place in all of them.
    pub fn of(states: &[State]) -> Projections {
        let ways: Vec<Vec<(Id, Marks)>> = states.iter().map(ways).collect();
        let shared = shared(states, &ways);
        let of = |(state, ways): (&State, &Vec<(Id, Marks)>)| {
            items(state, ways.iter().filter(|(id, _)| !shared.contains(id)))
        };
        let mut places: FxHashMap<Item, u32> = FxHashMap::default();
        let mut items: Vec<Item> = Vec::new();
        let mut counts: Vec<usize> = Vec::new();
        let mut place_of = |item: Item| {
            let place = *places.entry(item).or_insert_with(|| {
                items.push(item);
                counts.push(0);
                items.len() as u32 - 1
            });
            if let Some(count) = counts.get_mut(place as usize) {
                *count += 1;
            }
            place
        };
        let mut held: Vec<Vec<u32>> =
            states.iter().zip(&ways).map(|pair| of(pair).into_iter().map(&mut place_of).collect()).collect();
        let everywhere = |place: u32| counts.get(place as usize).is_some_and(|count| *count >= states.len());
        held.iter_mut().for_each(|places| places.retain(|place| !everywhere(*place)));
        let mut matters = Footprint { attributes: 0, whole: 0, keys: 0 };
        for (_, item) in (0..).zip(&items).filter(|(place, _)| !everywhere(*place)) {
            matters.attributes |= item.way;
            let (whole, keys) = match item.guard {
                Guard::Free => (0, 0),
                Guard::Whole(dict) => (dict, 0),
                Guard::Key(dict, key) => (dict, key),
            };
            matters.whole |= whole;
            matters.keys |= keys;
        }
        Projections { items, held, matters }
    }

    /// The part of a footprint that distinguishes any of the states: footprints that agree in it give the same.
    pub fn essence(&self, touched: Footprint) -> Footprint {
        Footprint {
            attributes: touched.attributes & self.matters.attributes,
            whole: touched.whole & self.matters.whole,
            keys: touched.keys & self.matters.keys,
        }
    }

    /// For each state the number of the first one that agrees with it in what was touched.
    pub fn alike(&self, touched: Footprint) -> Vec<usize> {
        let mut first: FxHashMap<u64, usize> = FxHashMap::default();
        let seen: Vec<u64> = self.items.iter().map(|item| if item.is_seen(touched) { item.hash } else { 0 }).collect();
        let number = |(at, places): (usize, &Vec<u32>)| {
            let hashes = places.iter().filter_map(|place| seen.get(*place as usize));
            let sum = hashes.fold(0_u64, |sum, hash| sum.wrapping_add(*hash));
            *first.entry(sum).or_insert(at)
        };
        self.held.iter().enumerate().map(number).collect()
    }
}

/// Takes in an item: the names on the way to it, its guard, and what feeds its content to a hasher.
type Add<'a> = dyn FnMut(Marks, Guard, &dyn Fn(&mut FxHasher)) + 'a;

/// The objects that are the very same in all states and are reached there in the same way: they distinguish none.
fn shared(states: &[State], ways: &[Vec<(Id, Marks)>]) -> FxHashSet<Id> {
    let mut found: FxHashMap<Id, (&Arc<Obj>, Marks, usize)> = FxHashMap::default();
    for (state, ways) in states.iter().zip(ways) {
        for (id, way) in ways {
            let Some(obj) = state.slots().get(id.0 as usize) else { continue };
            let (first, first_way, count) = found.entry(*id).or_insert((obj, *way, 0));
            *count += usize::from(Arc::ptr_eq(first, obj) && first_way == way);
        }
    }
    found.into_iter().filter(|(_, (.., count))| *count == states.len()).map(|(id, _)| id).collect()
}

/// The values in these objects of a state, with the names on the way to each.
fn items<'a>(state: &State, ways: impl Iterator<Item = &'a (Id, Marks)>) -> Vec<Item> {
    let mut items = Vec::new();
    for (id, way) in ways {
        let Some(obj) = state.slots().get(id.0 as usize) else { continue };
        let mut add = |way: Marks, guard: Guard, content: &dyn Fn(&mut FxHasher)| {
            let mut hasher = FxHasher::default();
            id.hash(&mut hasher);
            content(&mut hasher);
            items.push(Item { way, guard, hash: mixed(hasher.finish()) });
        };
        let named = |names: &Attrs, add: &mut Add<'_>| {
            for (name, value) in &names.0 {
                add(way | mark_of(name), Guard::Free, &|hasher| {
                    name.hash(hasher);
                    hash_value(value, hasher);
                });
            }
        };
        match &**obj {
            Obj::Dict(dict) => {
                let whole = mark_of_object(*id);
                add(*way, Guard::Free, &|hasher| hash_value(dict.factory.as_ref().unwrap_or(&Value::None), hasher));
                add(*way, Guard::Whole(whole), &|hasher| dict.map.keys().for_each(|key| key.hash(hasher)));
                for (key, entry) in &dict.map {
                    add(*way, Guard::Key(whole, mark_of_key(key)), &|hasher| {
                        key.hash(hasher);
                        hash_value(&entry.value, hasher);
                    });
                }
            }
            Obj::Instance { class, attrs } => {
                add(*way, Guard::Free, &|hasher| class.hash(hasher));
                named(attrs, &mut add);
            }
            Obj::Class(class) => {
                add(*way, Guard::Free, &|hasher| (&class.name, class.base).hash(hasher));
                named(&class.attrs, &mut add);
            }
            Obj::Namespace(names) if *id == GLOBALS => named(names, &mut add),
            other => add(*way, Guard::Free, &|hasher| hash_plain(other, hasher)),
        }
    }
    for (name, value) in &state.objects().0 {
        let mut hasher = FxHasher::default();
        name.hash(&mut hasher);
        hash_value(value, &mut hasher);
        items.push(Item { way: 0, guard: Guard::Free, hash: mixed(hasher.finish()) });
    }
    items
}

/// The objects that a state reaches, each with the names that every way to it has in common, as marks.
fn ways(state: &State) -> Vec<(Id, Marks)> {
    let mut known: FxHashMap<Id, Marks> = FxHashMap::default();
    let mut order: Vec<Id> = vec![GLOBALS];
    let mut left: Vec<Id> = vec![GLOBALS];
    known.insert(GLOBALS, 0);
    let mut reach = |value: &Value, way: Marks, left: &mut Vec<Id>, known: &mut FxHashMap<Id, Marks>| {
        let Value::Ref(id) = value else { return };
        let before = known.get(id).copied();
        if before.is_none() {
            order.push(*id);
        }
        let common = before.map_or(way, |before| before & way);
        if before != Some(common) {
            known.insert(*id, common);
            left.push(*id);
        }
    };
    for (_, value) in &state.objects().0 {
        reach(value, 0, &mut left, &mut known);
    }
    while let Some(id) = left.pop() {
        let (Some(obj), Some(way)) = (state.slots().get(id.0 as usize), known.get(&id).copied()) else { continue };
        let mut to = |value: &Value, mark: Marks| reach(value, way | mark, &mut left, &mut known);
        match &**obj {
            Obj::Namespace(names) if id == GLOBALS => names.0.iter().for_each(|(name, value)| to(value, mark_of(name))),
            Obj::Instance { class, attrs } => {
                to(&Value::Ref(*class), 0);
                attrs.0.iter().for_each(|(name, value)| to(value, mark_of(name)));
            }
            Obj::Class(class) => {
                class.base.iter().for_each(|base| to(&Value::Ref(*base), 0));
                class.attrs.0.iter().for_each(|(name, value)| to(value, mark_of(name)));
            }
            Obj::Dict(dict) => {
                dict.factory.iter().for_each(|factory| to(factory, 0));
                dict.map.values().for_each(|entry| to(&entry.value, 0));
            }
            Obj::List(items) | Obj::Tuple(items) => items.iter().for_each(|item| to(item, 0)),
            Obj::Function(function) => {
                let values = function.defaults.iter().chain(&function.kw_defaults).chain(&function.captured);
                values.for_each(|value| to(value, 0));
            }
            Obj::Method { function, this } => [function, this].into_iter().for_each(|value| to(value, 0)),
            Obj::Cell(value) => to(value, 0),
            _ => {}
        }
    }
    order.into_iter().filter_map(|id| Some((id, *known.get(&id)?))).collect()
}

/// The part of an object that is seen wherever it is reached.
fn hash_plain(obj: &Obj, hasher: &mut FxHasher) {
    match obj {
        Obj::List(items) | Obj::Tuple(items) => {
            (1_u8, items.len()).hash(hasher);
            items.iter().for_each(|item| hash_value(item, hasher));
        }
        Obj::Set(set) => {
            let of_key = |key: &Key| {
                let mut one = FxHasher::default();
                key.hash(&mut one);
                mixed(one.finish())
            };
            let sum = set.map.keys().fold(0_u64, |sum, key| sum.wrapping_add(of_key(key)));
            (3_u8, set.map.len(), sum).hash(hasher);
        }
        Obj::Function(function) => {
            function.code.qualified.hash(hasher);
            let values = function.defaults.iter().chain(&function.kw_defaults).chain(&function.captured);
            values.for_each(|value| hash_value(value, hasher));
        }
        Obj::Method { function, this } => [function, this].into_iter().for_each(|value| hash_value(value, hasher)),
        Obj::Cell(value) => hash_value(value, hasher),
        _ => 9_u8.hash(hasher),
    }
}

pub(crate) fn hash_value(value: &Value, hasher: &mut FxHasher) {
    match value {
        Value::Unbound | Value::None => 0_u8.hash(hasher),
        Value::Ellipsis => 1_u8.hash(hasher),
        Value::Bool(b) => (2_u8, b).hash(hasher),
        Value::Int(n) => (3_u8, n).hash(hasher),
        Value::Big(n) => (4_u8, n).hash(hasher),
        Value::Float(x) => (5_u8, x.to_bits()).hash(hasher),
        Value::Str(s) => (6_u8, s).hash(hasher),
        Value::Bytes(b) => (7_u8, b).hash(hasher),
        Value::Type(t) => (8_u8, t).hash(hasher),
        Value::Builtin(b) => (9_u8, b).hash(hasher),
        Value::Ref(id) => (10_u8, id).hash(hasher),
    }
}

/// Spreads a hash over all bits, so that sums of hashes tell sets of them apart (the finaliser of SplitMix64).
fn mixed(hash: u64) -> u64 {
    let hash = (hash ^ (hash >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let hash = (hash ^ (hash >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    hash ^ (hash >> 31)
}
