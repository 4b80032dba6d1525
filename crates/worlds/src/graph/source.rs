//! Sources of households and tasks: the apartments that ship, a copy of VirtualHome, scenes of one's own with their tasks.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::{Arc, OnceLock};

use serde::Deserialize;
use stepwright_graph::files::{FileError, Library};
use stepwright_graph::outcome::achieved;
use stepwright_graph::prepare::Tables;
use stepwright_graph::script::Param;
use stepwright_graph::vocabulary::Flag as _;
use stepwright_graph::{Graph, Line, Names, PropertyTable, Scene, State, language, script};

use super::goal;
use super::names::Things;
use super::world::GraphWorld;
use super::{Mode, RUN};
use crate::{Catalog, Entry, Identified};
use stepwright_text::words::of_types;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::{data, read_at_most};
use stepwright_world::options::Values;
use stepwright_world::{Atom, OpenedWorld, TaskInfo, WordedPlan, WorldError};

/// The apartments that ship with the program, in the order of their numbers.
const SHIPPED: [(&str, &str); 3] = [
    ("scene_flat.json", include_str!("../../worlds/graph/scene_flat.json")),
    ("scene_house.json", include_str!("../../worlds/graph/scene_house.json")),
    ("scene_attic.json", include_str!("../../worlds/graph/scene_attic.json")),
];
const TASKS: &str = include_str!("../../worlds/graph/tasks.toml");
const PROPERTIES: &str = include_str!("../../worlds/graph/properties.json");
const NAMES: &str = include_str!("../../worlds/graph/names.json");
/// Tasks of one's own beside one's scenes.
const TASKS_FILE: &str = "tasks.toml";
/// The largest file of tasks, in bytes.
const LARGEST: usize = 8 << 20;
/// The most demonstrations of a task, and the most programs that are tried for them.
const MOST_SHOWN: usize = 10;
const MOST_TRIED: usize = 40;
/// Where a program comes from that is done to be shown.
const SHOWN: &str = "shown";

#[derive(Debug)]
pub struct Home {
    pub number: i64,
    pub graph: Graph,
    pub tables: Arc<Shared>,
    /// The programs that may be shown, done in this household once they are asked for; `None` of one that cannot be done here. In the
    /// order of [`Shared`], each for the first program of a title.
    done: Vec<OnceLock<Option<Demonstration>>>,
}

#[derive(Debug, Default)]
pub struct Shared {
    /// The scenes' words for names of scripts.
    pub names: Names,
    /// The programs' words for names in words.
    pub general: Names,
    pub properties: PropertyTable,
    /// Steps in words, where a list of them was found.
    pub steps: OnceLock<Arc<[String]>>,
    pub examples: Vec<WordedPlan>,
    /// Programs that may be shown, by their titles.
    shown: Vec<Shown>,
}

/// The programs of a title that may be shown: none of them is of a task for test.
#[derive(Debug, Clone)]
struct Shown {
    title: String,
    programs: Vec<Vec<Line>>,
}

#[derive(Debug)]
pub struct Task {
    /// `flat/make_toast`.
    pub id: String,
    /// `Make toast`.
    pub title: String,
    pub sentence: String,
    pub home: Arc<Home>,
    /// The conditions at the end, where the task states them.
    goals: Vec<Atom>,
    /// The conditions at the end by the programs that do the task, found when they are first asked for.
    derived: OnceLock<Vec<Atom>>,
    programs: Vec<Vec<Line>>,
    /// A program that does it; empty where there is none.
    pub program: Vec<Line>,
    /// Whether the program is for a household that is prepared for it.
    pub is_abstract: bool,
    pub is_shown: bool,
    origin: String,
}

impl Home {
    fn household<'a>(&'a self, things: &'a Things) -> goal::Household<'a> {
        let Shared { names, general, properties, .. } = &*self.tables;
        goal::Household { number: self.number, graph: &self.graph, things, names, general, properties }
    }
}

#[derive(Debug)]
pub struct Listed {
    pub task: Arc<Task>,
}

pub type Source = Catalog<Listed>;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskFile {
    #[serde(default)]
    task: Vec<TaskEntry>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct TaskEntry {
    id: String,
    scene: i64,
    title: String,
    sentence: String,
    goals: Vec<String>,
    #[serde(default)]
    program: Vec<String>,
}

fn unreadable(error: FileError) -> WorldError {
    let line = error.line.map_or_else(String::new, |line| format!(":{line}"));
    WorldError::Data { path: format!("{}{line}", error.path.display()), message: of_types(&error.message) }
}

fn shipped_tables() -> Result<(Names, PropertyTable), WorldError> {
    let damaged = |name: &str, error: serde_json::Error| WorldError::Data {
        path: format!("worlds/graph/{name}:{}", error.line()),
        message: error.to_string(),
    };
    let names = Names::read(NAMES).map_err(|error| damaged("names.json", error))?;
    let properties = serde_json::from_str(PROPERTIES).map_err(|error| damaged("properties.json", error))?;
    Ok((names.into_values().next().unwrap_or_default(), properties))
}

impl Source {
    pub fn shipped() -> Result<Source, WorldError> {
        let (names, properties) = shipped_tables()?;
        let tasks = tasks_of(TASKS, Path::new("worlds/graph/tasks.toml"))?;
        let examples = tasks.iter().map(worded).collect::<Result<_, WorldError>>()?;
        let shared =
            Shared { general: names.clone(), names, properties, examples, steps: OnceLock::new(), shown: Vec::new() };
        let mut homes = BTreeMap::new();
        for (name, text) in SHIPPED {
            let scene = Scene::read(text).map_err(|error| WorldError::Data {
                path: format!("worlds/graph/{name}:{}", error.line),
                message: error.message,
            })?;
            homes.insert(scene.number.unwrap_or(0), scene.graph);
        }
        let mut source = Source::default();
        source.add_tasks(tasks, &source_homes(homes, shared), "shipped", Path::new("worlds/graph/tasks.toml"))?;
        Ok(source)
    }

    /// Reads a copy of VirtualHome, a folder of scenes, or one scene.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        if !path.exists() {
            return Err(data(path, "there is no such file or folder"));
        }
        let library = Library::open(path).map_err(unreadable)?;
        if library.scenes.is_empty() {
            let wanted = "expected scene*.json, or a copy of VirtualHome with example_graphs and resources (docs/reference/graph.md)";
            return Err(data(path, &format!("no scenes here: {wanted}")));
        }
        let (own_names, own_properties) = shipped_tables()?;
        let table = |name: &str| library.names.get(name).or_else(|| library.names.values().next()).cloned();
        let general = library.names.get("lp").cloned().or_else(|| table("v1.0"));
        let steps: OnceLock<Arc<[String]>> = OnceLock::new();
        if !library.actions.is_empty() {
            let _ = steps.set(library.actions.into());
        }
        let example = |text: &str| {
            text.lines().skip(1).filter_map(|line| Some(line.split_once(':')?.1.trim().to_owned())).collect()
        };
        let examples = library.examples.iter().map(|e| WordedPlan { task: e.title.clone(), steps: example(&e.text) });
        let mut examples: Vec<WordedPlan> = examples.collect();
        let shown = shown(&library.programs);
        if examples.is_empty() {
            examples.extend(shown.iter().flat_map(Shown::in_words));
        }
        let shared = Shared {
            names: table("v1.0").unwrap_or_else(|| own_names.clone()),
            general: general.unwrap_or(own_names),
            properties: library.properties.unwrap_or(own_properties),
            examples,
            steps,
            shown,
        };
        let graphs = library.scenes.into_iter().map(|(number, scene)| (number, scene.graph)).collect();
        let homes = source_homes(graphs, shared);
        let mut source = Source::default();
        let origin = path.display().to_string();
        let own = path.join(TASKS_FILE);
        if own.is_file() {
            let tasks = tasks_of(&read_at_most(&own, LARGEST)?, &own)?;
            source.add_tasks(tasks, &homes, &origin, &own)?;
        }
        source.add_programs(&library.programs, &homes, &origin);
        if source.is_empty() {
            for home in homes.values() {
                let title = format!("Live in scene {}", home.number);
                source.put(Task::without_goal(format!("scene{}", home.number), title, home, &origin));
            }
        }
        Ok(source)
    }

    pub fn lies_at(path: &Path) -> bool {
        Library::lies_at(path)
    }

    fn put(&mut self, task: Task) -> bool {
        self.add(Listed { task: Arc::new(task) })
    }

    fn add_tasks(
        &mut self,
        tasks: Vec<TaskEntry>,
        homes: &BTreeMap<i64, Arc<Home>>,
        origin: &str,
        path: &Path,
    ) -> Result<(), WorldError> {
        let mut named: BTreeMap<i64, Things> = BTreeMap::new();
        for entry in tasks {
            let fail = |message: String| wrong_task(path, &entry.id, &message);
            let home = homes.get(&entry.scene).ok_or_else(|| fail(format!("there is no scene {}", entry.scene)))?;
            let things: &Things = named.entry(entry.scene).or_insert_with(|| Things::of(&home.graph, &[]));
            // How steps are run is not known yet: whether a goal is possible then is asked when its task is opened.
            let possible = |atom: &Atom, prepared| goal::possible(atom, &home.household(things), prepared);
            let atoms = entry.goals.iter().map(|goal| {
                let atom: Atom = goal.parse()?;
                possible(&atom, false).or_else(|_| possible(&atom, true)).map(|()| atom)
            });
            let goals = atoms.collect::<Result<Vec<Atom>, String>>().map_err(fail)?;
            let program = script::parse(entry.program.iter().map(String::as_str));
            let task = Task {
                program: program.map_err(|error| fail(format!("program, {error}")))?,
                id: entry.id.clone(),
                title: entry.title,
                sentence: entry.sentence,
                home: Arc::clone(home),
                goals,
                derived: OnceLock::new(),
                programs: Vec::new(),
                is_abstract: false,
                is_shown: true,
                origin: origin.to_owned(),
            };
            if !self.put(task) {
                return Err(data(path, &format!("there are two tasks `{}`; give one of them another id", entry.id)));
            }
        }
        Ok(())
    }

    fn add_programs(
        &mut self,
        programs: &[stepwright_graph::files::Program],
        homes: &BTreeMap<i64, Arc<Home>>,
        origin: &str,
    ) {
        let mut titles: BTreeMap<&str, &stepwright_graph::files::Program> = BTreeMap::new();
        for program in programs.iter().filter(|program| !program.script.is_empty()) {
            titles.entry(program.title.as_str()).or_insert(program);
        }
        for home in homes.values() {
            let mut used = BTreeSet::new();
            for (title, program) in &titles {
                let stem = format!("scene{}/{}", home.number, word_of(title));
                let numbered = (2..).map(|n| format!("{stem}_{n}"));
                let id = std::iter::once(stem.clone()).chain(numbered).find(|id| !used.contains(id)).unwrap_or(stem);
                used.insert(id.clone());
                let mut task = Task::without_goal(id, (*title).to_owned(), home, origin);
                task.program.clone_from(&program.script);
                // Programs of tasks that are for test are never shown, and no goal is read off them.
                let shown = home.tables.shown.iter().find(|shown| shown.title == *title);
                task.is_shown = shown.is_some();
                task.programs = shown.map(|shown| shown.programs.clone()).unwrap_or_default();
                if let Some(error) = program.errors.first() {
                    let more = program.errors.len() - 1;
                    let more = if more > 0 {
                        format!(" (and {})", stepwright_text::words::count(more, "more line"))
                    } else {
                        String::new()
                    };
                    task.origin = format!("{origin}; left out of {}: {error}{more}", program.id);
                }
                self.put(task);
            }
        }
    }
}

fn wrong_task(path: &Path, id: &str, message: &str) -> WorldError {
    data(path, &format!("task `{id}`: {message}"))
}

/// The programs that may be shown, by title: those that are not for test and can be read in whole.
fn shown(programs: &[stepwright_graph::files::Program]) -> Vec<Shown> {
    let for_test: BTreeSet<&str> = programs.iter().filter(|p| p.split == "test").map(|p| p.title.as_str()).collect();
    let mut by_title: BTreeMap<&str, Vec<Vec<Line>>> = BTreeMap::new();
    for program in programs.iter().filter(|program| !program.script.is_empty() && program.errors.is_empty()) {
        if !for_test.contains(program.title.as_str()) {
            by_title.entry(&program.title).or_default().push(program.script.clone());
        }
    }
    by_title.into_iter().map(|(title, programs)| Shown { title: title.to_owned(), programs }).collect()
}

impl Shown {
    fn in_words(&self) -> impl Iterator<Item = WordedPlan> + '_ {
        let plan = |program: &Vec<Line>| WordedPlan {
            task: self.title.clone(),
            steps: program.iter().map(language::words).collect(),
        };
        self.programs.iter().map(plan)
    }
}

fn source_homes(graphs: BTreeMap<i64, Graph>, shared: Shared) -> BTreeMap<i64, Arc<Home>> {
    let tables = Arc::new(shared);
    let home = |(number, graph)| {
        let done = tables.shown.iter().map(|_| OnceLock::new()).collect();
        (number, Arc::new(Home { number, graph, tables: Arc::clone(&tables), done }))
    };
    graphs.into_iter().map(home).collect()
}

fn tasks_of(text: &str, path: &Path) -> Result<Vec<TaskEntry>, WorldError> {
    let read: Result<TaskFile, toml::de::Error> = toml::from_str(text);
    let file = read.map_err(|error| {
        let line = error.span().map_or(1, |span| text.get(..span.start).unwrap_or_default().lines().count().max(1));
        WorldError::Data { path: format!("{}:{line}", path.display()), message: of_types(error.message()) }
    })?;
    Ok(file.task)
}

fn worded(entry: &TaskEntry) -> Result<WordedPlan, WorldError> {
    let read = script::parse(entry.program.iter().map(String::as_str));
    let script = read.map_err(|error| WorldError::Data {
        path: "worlds/graph/tasks.toml".to_owned(),
        message: format!("task `{}`: {error}", entry.id),
    })?;
    Ok(WordedPlan { task: entry.title.clone(), steps: script.iter().map(language::words).collect() })
}

impl Task {
    fn without_goal(id: String, title: String, home: &Arc<Home>, origin: &str) -> Task {
        Task {
            id,
            sentence: title.clone(),
            title,
            home: Arc::clone(home),
            goals: Vec::new(),
            derived: OnceLock::new(),
            programs: Vec::new(),
            program: Vec::new(),
            is_abstract: true,
            is_shown: false,
            origin: origin.to_owned(),
        }
    }
}

impl Task {
    /// The conditions at the end; empty where nobody can tell but a person. A task of programs is held to the states
    /// that the first of them that runs leaves, as the published comparison of plans is: a task whose programs leave
    /// none, or are for test, has no goal.
    pub fn goals(&self) -> &[Atom] {
        if !self.goals.is_empty() || self.programs.is_empty() {
            return &self.goals;
        }
        self.derived.get_or_init(|| {
            let tables = Tables { names: &self.home.tables.names, properties: &self.home.tables.properties };
            let done = achieved(&self.home.graph, self.programs.iter().map(Vec::as_slice), tables);
            let atom =
                |(thing, state): (Param, State)| Atom::new(state.name(), &[format!("{}_{}", thing.name, thing.number)]);
            done.map(|done| done.states.into_iter().map(atom).collect()).unwrap_or_default()
        })
    }

    /// Errors: the task states a goal of what the household lacks, and steps are not prepared for.
    fn possible(&self, mode: Mode) -> Result<(), WorldError> {
        let things = Things::of(&self.home.graph, &[]);
        let wrong = |message: String| wrong_task(&Path::new(&self.origin).join(TASKS_FILE), &self.id, &message);
        let possible =
            |goal: &Atom| goal::possible(goal, &self.home.household(&things), mode.prepares()).map_err(wrong);
        self.goals.iter().try_for_each(possible)
    }

    /// Programs of other tasks, done in this household as it is prepared for each; those of which a step is refused on the way are left
    /// out.
    fn others_done(&self) -> Vec<Demonstration> {
        let others = (0..).zip(&self.home.tables.shown).filter(|(_, shown)| shown.title != self.title);
        let mut ids = BTreeSet::new();
        let others = others.filter(|(_, shown)| !shown.programs.is_empty() && ids.insert(word_of(&shown.title)));
        let others = others.take(MOST_TRIED);
        others.filter_map(|(at, _)| done(&self.home, at).cloned()).take(MOST_SHOWN).collect()
    }
}

/// The demonstration of the first program of the `at`th title in a household that is prepared for it; `None` if a step
/// of it is refused.
fn done(home: &Arc<Home>, at: usize) -> Option<&Demonstration> {
    let perform = || {
        let shown = home.tables.shown.get(at)?;
        let program = shown.programs.first()?;
        let id = format!("scene{}/{}", home.number, word_of(&shown.title));
        let mut source = Source::default();
        source.put(Task::without_goal(id.clone(), shown.title.clone(), home, SHOWN));
        let mut world = GraphWorld::over(Arc::new(source), Mode::Prepared);
        let actions = program.iter().map(Line::to_string);
        let done = Demonstration::replay(&mut world, &id, format!("demonstration/{id}"), actions).ok()?;
        (done.actions().count() == program.len()).then_some(done)
    };
    home.done.get(at)?.get_or_init(perform).as_ref()
}

/// The demonstrations that ship, with the ids of their tasks: what every household of one's own, and every shipped one, is shown.
fn shipped_done() -> Result<&'static [(String, Demonstration)], WorldError> {
    static DONE: OnceLock<Vec<(String, Demonstration)>> = OnceLock::new();
    if let Some(done) = DONE.get() {
        return Ok(done);
    }
    let source = Arc::new(Source::shipped()?);
    let tasks = source.entries().iter().map(|listed| &listed.task);
    let tasks = tasks.filter(|task| task.is_shown && !task.program.is_empty());
    let mut world = GraphWorld::over(Arc::clone(&source), Mode::Script);
    let replay = |task: &Arc<Task>| {
        let actions = task.program.iter().map(Line::to_string);
        let done = Demonstration::replay(&mut world, &task.id, format!("demonstration/{}", task.id), actions)?;
        Ok((task.id.clone(), done))
    };
    let done = tasks.map(replay).collect::<Result<_, WorldError>>()?;
    Ok(DONE.get_or_init(|| done))
}

fn word_of(title: &str) -> String {
    title.chars().map(|c| if c.is_alphanumeric() { c.to_ascii_lowercase() } else { '_' }).collect()
}

impl Identified for Listed {
    fn id(&self) -> &str {
        &self.task.id
    }
}

impl Entry for Listed {
    fn info(&self) -> TaskInfo {
        let task = &self.task;
        TaskInfo {
            id: task.id.clone(),
            kind: if task.goals.is_empty() { "activity" } else { "goals" }.to_owned(),
            sentence: task.sentence.clone(),
            source: task.origin.clone(),
        }
    }

    fn open(catalog: Arc<Source>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        let id = catalog.resolve(task)?.to_owned();
        let mode: Mode = options.text(&RUN).parse().map_err(WorldError::Failed)?;
        let task = &catalog.get(&id)?.task;
        task.possible(mode)?;
        let sentence = task.sentence.clone();
        Ok(OpenedWorld {
            world: Box::new(GraphWorld::over(catalog, mode)),
            task: id,
            sentence,
            options: BTreeMap::from([(RUN.key.to_owned(), mode.to_string())]),
        })
    }

    fn demonstrations(&self, _options: &Values) -> Result<Vec<Demonstration>, WorldError> {
        if self.task.is_abstract {
            return Ok(self.task.others_done());
        }
        let others = shipped_done()?.iter().filter(|(id, _)| *id != self.task.id);
        Ok(others.take(MOST_SHOWN).map(|(_, done)| done.clone()).collect())
    }
}
