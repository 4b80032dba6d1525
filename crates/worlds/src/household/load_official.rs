//! Loader of the original game files, `game.tw-pddl`: a PDDL problem and a text grammar in one JSON object.
//!
//! Gives the same [`Definition`] as the compact layout: raw identifiers become display names in display order (RULES: numbers
//! count down in sorted identifier order within a base name).

use std::collections::{BTreeMap, BTreeSet};

use rustc_hash::FxHashMap;
use serde::Deserialize;
use strum::IntoEnumIterator;

use super::definition::{Condition, Definition, GoalDefinition, ObjectDefinition, Property, ReceptacleDefinition};
use super::pddl::Problem;
use super::{Edition, load_compact};

/// The fields of a `game.tw-pddl` that matter here.
#[derive(Debug, Deserialize)]
struct GameFile {
    pddl_problem: String,
    grammar: String,
    #[serde(default)]
    walkthrough: Vec<String>,
}

/// The addition of a `traj_data.json` beside the game.
#[derive(Debug, Default, Deserialize)]
struct TrajectoryFile {
    #[serde(default)]
    task_type: String,
    scene: Option<TrajectoryScene>,
}

#[derive(Debug, Default, Deserialize)]
struct TrajectoryScene {
    scene_num: Option<i64>,
}

/// Reads a game file.
///
/// `id` is the game's path in its data folder (`split/task folder/trial`), which also holds split and task type.
/// `trajectory` is the text of the `traj_data.json` beside it, where there is one.
pub fn definition(json: &str, id: &str, trajectory: Option<&str>) -> Result<Definition, String> {
    let file: GameFile = serde_json::from_str(json).map_err(|e| load_compact::describe(&e))?;
    let task = sentence(&file.grammar).ok_or("the grammar holds no `Your task is to: …`")?;
    let mut definition = from_problem(&file.pddl_problem, id, &task)?;
    definition.plan = file.walkthrough;
    // A damaged traj_data.json loses nothing that the game itself holds.
    if let Some(found) = trajectory.and_then(|t| serde_json::from_str::<TrajectoryFile>(t).ok()) {
        if definition.task_type.is_empty() {
            definition.task_type = found.task_type;
        }
        definition.scene = definition.scene.or(found.scene.and_then(|s| s.scene_num));
    }
    Ok(definition)
}

/// The wording a game file was made for; `None` if its grammar shows neither.
pub fn edition(json: &str) -> Result<Option<Edition>, String> {
    let file: GameFile = serde_json::from_str(json).map_err(|e| load_compact::describe(&e))?;
    Ok(match (file.grammar.contains("\"put {o} in/on {r}\""), file.grammar.contains("\"move {o} to {r}\"")) {
        (true, _) => Some(Edition::Put),
        (_, true) => Some(Edition::Move),
        _ => None,
    })
}

fn sentence(grammar: &str) -> Option<String> {
    let (_, rest) = grammar.split_once("Your task is to: ")?;
    let (quoted, _) = rest.split_once('"')?;
    // The grammar is JSON inside a JSON string; the sentence may hold its own escapes.
    serde_json::from_str::<String>(&format!("\"{quoted}\"")).ok()
}

/// The sentence of a game file, found without parsing the file; for lists of many games.
pub(crate) fn sentence_in_file(json: &str) -> Option<String> {
    let (_, rest) = json.split_once("Your task is to: ")?;
    // The grammar's closing quote is escaped in the file's JSON string; ALFWorld's sentences hold no escapes themselves.
    let (sentence, _) = rest.split_once(['\\', '"'])?;
    (sentence.len() < 1000).then(|| sentence.to_owned())
}

pub fn from_problem(problem: &str, id: &str, task: &str) -> Result<Definition, String> {
    let problem = Problem::parse(problem)?;
    let facts = Facts::read(problem.facts()?);
    let names = Names::of(facts.identifiers.iter().copied());
    let start = facts.start.ok_or("no fact says where the agent is (atLocation)")?;
    let mut receptacles = Vec::new();
    for raw in names.sorted.iter().filter(|n| facts.location_of.contains_key(**n)) {
        let location = facts.location_of.get(raw).copied().unwrap_or_default();
        receptacles.push(ReceptacleDefinition {
            name: names.display(raw),
            kind: facts.receptacle_kinds.get(raw).map(|k| type_name(k)),
            loc: names.display(location),
            openable: facts.has("openable", raw),
            opened: facts.has("opened", raw),
        });
    }
    let objects =
        names.sorted.iter().filter(|n| facts.objects.contains(**n)).map(|raw| object(&facts, &names, raw)).collect();
    let (split, task_type, scene) = from_id(id);
    Ok(Definition {
        id: id.to_owned(),
        split,
        task_type,
        task: task.to_owned(),
        scene,
        start: names.display(start),
        receptacles,
        objects,
        goal: goal(&problem)?,
        plan: Vec::new(),
        can_contain: (!facts.can_contain.is_empty()).then(|| {
            let listed = |(r, os): (&String, &BTreeSet<String>)| (r.clone(), os.iter().cloned().collect());
            facts.can_contain.iter().map(listed).collect()
        }),
    })
}

fn object(facts: &Facts<'_>, names: &Names<'_>, raw: &str) -> ObjectDefinition {
    let related = |pairs: &BTreeSet<(&str, &str)>| {
        // Pairs are sorted, so those of one object are one stretch, already in raw order.
        let own = pairs.range((raw, "")..).take_while(|(a, _)| *a == raw);
        own.map(|(_, b)| names.display(b)).collect::<Vec<_>>()
    };
    ObjectDefinition {
        name: names.display(raw),
        kind: facts.object_kinds.get(raw).map(|k| type_name(k)),
        inside_of: related(&facts.inside),
        at: related(&facts.at),
        props: Property::iter().filter(|property| facts.has(property.into(), raw)).collect(),
        inside: related(&facts.inside_object),
    }
}

#[derive(Debug, Default)]
struct Facts<'a> {
    identifiers: BTreeSet<&'a str>,
    start: Option<&'a str>,
    location_of: FxHashMap<&'a str, &'a str>,
    receptacle_kinds: FxHashMap<&'a str, &'a str>,
    object_kinds: FxHashMap<&'a str, &'a str>,
    objects: BTreeSet<&'a str>,
    /// (object, receptacle)
    inside: BTreeSet<(&'a str, &'a str)>,
    /// (object, location)
    at: BTreeSet<(&'a str, &'a str)>,
    /// (object, object that holds it)
    inside_object: BTreeSet<(&'a str, &'a str)>,
    /// (predicate, subject)
    unary: BTreeSet<(&'a str, &'a str)>,
    can_contain: BTreeMap<String, BTreeSet<String>>,
}

impl<'a> Facts<'a> {
    fn read(facts: Vec<Vec<&'a str>>) -> Self {
        let mut read = Facts::default();
        for fact in facts {
            let Some((predicate, arguments)) = fact.split_first() else { continue };
            read.identifiers.extend(arguments);
            read.take(predicate, arguments);
        }
        // A receptacle is no object, whatever its other facts.
        let receptacles: Vec<&str> = read.location_of.keys().copied().collect();
        for receptacle in receptacles {
            read.objects.remove(receptacle);
        }
        read
    }

    fn take(&mut self, predicate: &'a str, arguments: &[&'a str]) {
        match (predicate, arguments) {
            ("atlocation", [_, location]) => self.start = Some(location),
            ("receptacleatlocation", [r, location]) => drop(self.location_of.insert(r, location)),
            ("receptacletype", [r, kind]) => drop(self.receptacle_kinds.insert(r, kind)),
            ("objecttype", [o, kind]) => {
                self.objects.insert(o);
                self.object_kinds.insert(o, kind);
            }
            ("inreceptacle", [o, r]) => {
                self.objects.insert(o);
                self.inside.insert((o, r));
            }
            ("objectatlocation", [o, location]) => {
                self.objects.insert(o);
                self.at.insert((o, location));
            }
            ("inreceptacleobject", [inner, outer]) => drop(self.inside_object.insert((inner, outer))),
            ("cancontain", [r, o]) => {
                self.can_contain.entry(type_name(r)).or_default().insert(type_name(o));
            }
            (_, [subject]) => {
                // What is told nothing but what can be done with it is an object too.
                if Property::iter().any(|property| <&str>::from(property) == predicate) {
                    self.objects.insert(subject);
                }
                self.unary.insert((predicate, subject));
            }
            _ => {}
        }
    }

    fn has(&self, predicate: &str, subject: &str) -> bool {
        self.unary.contains(&(predicate, subject))
    }
}

/// Type names carry a suffix `type`.
fn type_name(raw: &str) -> String {
    raw.strip_suffix("type").unwrap_or(raw).to_owned()
}

/// Display names of raw identifiers.
#[derive(Debug, Default)]
struct Names<'a> {
    sorted: Vec<&'a str>,
    display: FxHashMap<&'a str, String>,
}

impl<'a> Names<'a> {
    /// Names sorted, distinct identifiers: within a base name of n members the first gets number n, the last 1.
    fn of(identifiers: impl Iterator<Item = &'a str>) -> Self {
        let sorted: Vec<&str> = identifiers.collect();
        let mut left: FxHashMap<String, usize> = FxHashMap::default();
        for raw in &sorted {
            *left.entry(base_name(raw)).or_default() += 1;
        }
        let mut display = FxHashMap::default();
        for raw in &sorted {
            let base = base_name(raw);
            let Some(number) = left.get_mut(&base) else { continue };
            display.insert(*raw, format!("{base} {number}"));
            *number -= 1;
        }
        Names { sorted, display }
    }

    fn display(&self, raw: &str) -> String {
        self.display.get(raw).cloned().unwrap_or_else(|| raw.to_owned())
    }
}

fn base_name(raw: &str) -> String {
    let base = raw.split("_bar_").next().unwrap_or(raw);
    if raw.contains("basin") { format!("{base}basin") } else { base.to_owned() }
}

/// Split, task type and scene number as the folder names state them; empty where they do not.
fn from_id(id: &str) -> (String, String, Option<i64>) {
    let mut parts = id.rsplit('/');
    let (_trial, folder, split) = (parts.next(), parts.next().unwrap_or_default(), parts.next().unwrap_or_default());
    let fields: Vec<&str> = folder.split('-').collect();
    let task_type = fields.first().filter(|_| fields.len() == 5).copied().unwrap_or_default();
    let scene = fields.get(4).and_then(|s| s.parse().ok());
    (split.to_owned(), task_type.to_owned(), scene)
}

fn goal(problem: &Problem) -> Result<GoalDefinition, String> {
    let atoms = problem.goal_atoms()?;
    let subject_of =
        |predicate: &str| atoms.iter().find(|a| a.first() == Some(&predicate)).and_then(|a| a.last()).copied();
    let kind_of = |variable: &str| {
        atoms.iter().find_map(|a| match a.as_slice() {
            ["objecttype", v, kind] if *v == variable => Some(type_name(kind)),
            _ => None,
        })
    };
    if let (Some(lamp), Some(held)) = (subject_of("istoggled"), subject_of("holds")) {
        let (lamp, object) = (kind_of(lamp), kind_of(held));
        let object = object.ok_or("the goal does not say what is to be held")?;
        return Ok(GoalDefinition { object, lamp, receptacle: None, count: None, state: None });
    }
    let receptacle = subject_of("receptacletype").map(type_name).ok_or("the goal names no receptacle type")?;
    let variables: BTreeSet<&str> =
        atoms.iter().filter(|a| a.first() == Some(&"objecttype")).filter_map(|a| a.get(1)).copied().collect();
    let object = variables.iter().next().and_then(|v| kind_of(v)).ok_or("the goal names no object type")?;
    let state = [("isclean", Condition::Clean), ("ishot", Condition::Hot), ("iscool", Condition::Cool)]
        .into_iter()
        .find_map(|(predicate, condition)| subject_of(predicate).map(|_| condition));
    let count = u8::try_from(variables.len()).map_err(|_| "the goal names too many objects".to_owned())?;
    Ok(GoalDefinition { object, lamp: None, receptacle: Some(receptacle), count: Some(count), state })
}
