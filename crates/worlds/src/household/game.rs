//! Game made ready to play: names resolved to indices, abilities and compatibilities as bit rows, computed once at load.
//!
//! Holds nothing that changes; what changes is `state.rs`. Indices follow display order, so every row lists in that order.

use std::collections::BTreeMap;

use indexmap::IndexSet;
use rustc_hash::{FxHashMap, FxHashSet};

use super::bits::BitGrid;
use super::compatibility;
use super::definition::{Condition, Definition, Property, ReceptacleDefinition};
use super::state::{Flag, State};

/// The most receptacles, objects or locations a game may have; ALFWorld's have at most 54, 73 and about 100.
const MOST: usize = 2000;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receptacle {
    /// Display name (`drawer 4`).
    pub name: String,
    /// Type (`drawer`).
    pub kind: Option<String>,
    pub location: usize,
    pub openable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Object {
    /// Display name (`mug 1`).
    pub name: String,
    /// Type (`mug`).
    pub kind: Option<String>,
    pub inside: Vec<usize>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// `count` different objects of the row [`Game::goal_objects`] in one of the receptacles.
    Place { receptacles: Vec<usize>, count: u32, condition: Option<Condition> },
    /// An object of the row held, and a toggled lamp of the row [`Game::goal_lamps`] in a receptacle here.
    Light,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Game {
    pub id: String,
    pub task_type: String,
    pub task: String,
    pub goal_words: super::definition::GoalDefinition,
    /// A solution in the wording of edition `move`, where the file gives one.
    pub plan: Vec<String>,
    pub locations: Vec<String>,
    pub receptacles: Vec<Receptacle>,
    pub objects: Vec<Object>,
    /// Per location, the receptacles that stand there, in display order.
    pub standing: Vec<Vec<usize>>,
    /// Receptacles sorted by name in code point order: the order of the `go to` commands.
    pub receptacles_by_name: Vec<usize>,
    pub goal: Goal,
    /// Row 0: objects of the goal's type (able to be in its condition); row 1: lamps of the goal's type.
    pub goal_rows: BitGrid,
    /// One row a [`Property`]: the objects that have it.
    pub able: BitGrid,
    /// Per receptacle, the objects it accepts.
    pub accepts: BitGrid,
    pub initial: State,
}

impl Game {
    pub(crate) fn goal_objects(&self) -> &[u64] {
        self.goal_rows.row(0)
    }

    pub(crate) fn goal_lamps(&self) -> &[u64] {
        self.goal_rows.row(1)
    }

    pub fn is(&self, object: usize, property: Property) -> bool {
        self.able.get(property as usize, object)
    }

    pub(crate) fn receptacle_name(&self, receptacle: usize) -> &str {
        self.receptacles.get(receptacle).map_or("", |r| &r.name)
    }

    pub(crate) fn object_name(&self, object: usize) -> &str {
        self.objects.get(object).map_or("", |o| &o.name)
    }

    pub(crate) fn standing_at(&self, location: usize) -> &[usize] {
        self.standing.get(location).map_or(&[], Vec::as_slice)
    }

    pub fn build(definition: &Definition) -> Result<Game, String> {
        let (rs, os) = (&definition.receptacles, &definition.objects);
        if rs.len() > MOST || os.len() > MOST {
            return Err(format!("{} receptacles and {} objects; at most {MOST} of each are read", rs.len(), os.len()));
        }
        let receptacle_index = index_names(rs.iter().map(|r| r.name.as_str()), "receptacle")?;
        let object_index = index_names(os.iter().map(|o| o.name.as_str()), "object")?;
        let mut locations: IndexSet<&str> = IndexSet::from([definition.start.as_str()]);
        let readied = rs.iter().map(|r| {
            let location = locations.insert_full(&r.loc).0;
            Receptacle { name: r.name.clone(), kind: r.kind.clone(), location, openable: r.openable }
        });
        let receptacles: Vec<Receptacle> = readied.collect();
        locations.extend(os.iter().flat_map(|o| &o.at).map(String::as_str));
        if locations.len() > MOST {
            return Err(format!("{} locations; at most {MOST} are read", locations.len()));
        }
        let mut standing = vec![Vec::new(); locations.len()];
        for (i, r) in receptacles.iter().enumerate() {
            if let Some(here) = standing.get_mut(r.location) {
                here.push(i);
            }
        }
        let mut able = BitGrid::new(Property::IsCool as usize + 1, os.len());
        let mut initial = State::new(0, rs.len(), os.len(), locations.len());
        let mut objects = Vec::with_capacity(os.len());
        for (i, o) in os.iter().enumerate() {
            for property in &o.props {
                able.set(*property as usize, i, true);
            }
            initial.flags.set(Flag::Cool as usize, i, o.props.contains(&Property::IsCool));
            for name in &o.inside_of {
                let r = receptacle_index.get(name.as_str()).ok_or_else(|| {
                    format!("object `{}` is in `{name}`, which is no receptacle of this game", o.name)
                })?;
                initial.contents.set(*r, i, true);
            }
            for location in &o.at {
                if let Some(l) = locations.get_index_of(location.as_str()) {
                    initial.at.set(l, i, true);
                }
            }
            objects.push(Object { name: o.name.clone(), kind: o.kind.clone(), inside: Vec::new() });
        }
        for (i, o) in os.iter().enumerate() {
            for outer in &o.inside {
                let outer =
                    object_index.get(outer.as_str()).and_then(|outer| objects.get_mut(*outer)).ok_or_else(|| {
                        format!("object `{}` is inside `{outer}`, which is no object of this game", o.name)
                    })?;
                // Objects come in display order, and so do those inside each.
                outer.inside.push(i);
            }
        }
        for (i, r) in rs.iter().enumerate() {
            initial.opened.set(0, i, r.openable && r.opened);
        }
        let mut receptacles_by_name: Vec<usize> = (0..rs.len()).collect();
        receptacles_by_name.sort_by(|a, b| rs.get(*a).map(|r| &r.name).cmp(&rs.get(*b).map(|r| &r.name)));
        let (goal, goal_rows) = goal_of(definition, &able)?;
        Ok(Game {
            id: definition.id.clone(),
            task_type: definition.task_type.clone(),
            task: definition.task.clone(),
            goal_words: definition.goal.clone(),
            plan: definition.plan.clone(),
            accepts: compatibilities(definition),
            locations: locations.into_iter().map(str::to_owned).collect(),
            receptacles,
            objects,
            standing,
            receptacles_by_name,
            goal,
            goal_rows,
            able,
            initial,
        })
    }
}

fn index_names<'a>(names: impl Iterator<Item = &'a str>, what: &str) -> Result<FxHashMap<&'a str, usize>, String> {
    let mut index = FxHashMap::default();
    for (i, name) in names.enumerate() {
        if name.is_empty() {
            return Err(format!("{what} {} of the list has an empty name", i + 1));
        }
        if index.insert(name, i).is_some() {
            return Err(format!("two {what}s are called `{name}`; names must be unique"));
        }
    }
    Ok(index)
}

/// Per receptacle, the objects it accepts; computed once a receptacle type.
fn compatibilities(definition: &Definition) -> BitGrid {
    let mut grid = BitGrid::new(definition.receptacles.len(), definition.objects.len());
    let mut first_of_kind: BTreeMap<&str, usize> = BTreeMap::new();
    for (row, receptacle) in definition.receptacles.iter().enumerate() {
        let Some(kind) = receptacle.kind.as_deref() else { continue };
        if let Some(first) = first_of_kind.get(kind) {
            grid.copy_row(row, *first);
            continue;
        }
        first_of_kind.insert(kind, row);
        let accepted: FxHashSet<&str> = match &definition.can_contain {
            Some(own) => own.get(kind).into_iter().flatten().map(String::as_str).collect(),
            None => compatibility::embedded().get(kind).into_iter().flatten().map(String::as_str).collect(),
        };
        for (column, object) in definition.objects.iter().enumerate() {
            grid.set(row, column, object.kind.as_deref().is_some_and(|k| accepted.contains(k)));
        }
    }
    grid
}

fn goal_of(definition: &Definition, able: &BitGrid) -> Result<(Goal, BitGrid), String> {
    let words = &definition.goal;
    let mut rows = BitGrid::new(2, definition.objects.len());
    let needed = words.state.map(|condition| condition.terms().3);
    for (i, o) in definition.objects.iter().enumerate() {
        let kind = o.kind.as_deref();
        rows.set(0, i, kind == Some(&words.object) && needed.is_none_or(|p| able.get(p as usize, i)));
        rows.set(1, i, kind.is_some() && kind == words.lamp.as_deref() && able.get(Property::Toggleable as usize, i));
    }
    let goal = match (&words.lamp, &words.receptacle) {
        (Some(_), None) => Goal::Light,
        (None, Some(receptacle)) => {
            let count = u32::from(words.count.unwrap_or(1));
            if count == 0 {
                return Err("the goal's `count` is 0; 1 or 2 is meant".to_owned());
            }
            let of_kind = |(i, r): (usize, &ReceptacleDefinition)| (r.kind.as_deref() == Some(receptacle)).then_some(i);
            let receptacles = definition.receptacles.iter().enumerate().filter_map(of_kind).collect();
            Goal::Place { receptacles, count, condition: words.state }
        }
        _ => return Err("the goal needs either a `lamp` or a `receptacle`".to_owned()),
    };
    Ok((goal, rows))
}
