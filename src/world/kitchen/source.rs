//! Where kitchens come from: the scenes that ship with the program, a scene file, or a folder of them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::accepts::Accepts;
use super::scene::{Scene, Task};
use super::{FIND, Find, KitchenWorld, load, shipped};
use crate::options::Values;
use crate::world::demonstration::Demonstration;
use crate::world::files::{self, children, data, name_of, read_text};
use crate::world::{OpenedWorld, Origin, TaskInfo, TaskSet, WorldError};

/// The scenes that ship with the program, written for it.
const SHIPPED: [(&str, &str); 4] = [
    ("galley.json", include_str!("../../../worlds/kitchen/galley.json")),
    ("corner.json", include_str!("../../../worlds/kitchen/corner.json")),
    ("island.json", include_str!("../../../worlds/kitchen/island.json")),
    ("studio.json", include_str!("../../../worlds/kitchen/studio.json")),
];

/// The table of what fits where, looked for beside scene files and in the folder above.
const ACCEPTS_FILE: &str = "receptacle_compatibility.json";
/// The largest scene file, in bytes.
const LARGEST: usize = 8 << 20;
/// The most scenes of one folder.
const MOST_SCENES: usize = 1_000;

#[derive(Debug)]
struct Entry {
    scene: Arc<Scene>,
    origin: String,
}

/// Scenes and their tasks.
#[derive(Debug, Default)]
pub struct Source {
    entries: Vec<Entry>,
    /// Every task's id (`galley/coffee`), in the order of the files.
    ids: Vec<String>,
}

/// What tells a scene from other JSON that may lie beside it.
#[derive(Deserialize)]
struct Glance {
    #[serde(default)]
    grid: Option<IgnoredAny>,
    #[serde(default)]
    robot: Option<IgnoredAny>,
}

impl Source {
    /// The scenes that ship with the program.
    ///
    /// # Errors
    /// Never, unless the program's own files are damaged.
    pub fn shipped() -> Result<Source, WorldError> {
        let mut source = Source::default();
        for (name, text) in SHIPPED {
            source
                .add(load(text, Accepts::built_in(), Path::new("worlds/kitchen").join(name).as_path())?, "shipped")?;
        }
        Ok(source)
    }

    /// Reads a scene file, or every scene of a folder (and of its folder `scenes`).
    ///
    /// # Errors
    /// [`WorldError::Data`] naming the file and the place in it that is wrong, or saying that no scene is there.
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        if !path.is_dir() {
            let folder = path.parent().unwrap_or(Path::new("."));
            let text = scene_text(path)?;
            source.add(load(&text, accepts_near(folder)?, path)?, &path.display().to_string())?;
            return Ok(source);
        }
        for folder in [path.to_owned(), path.join("scenes")] {
            if !folder.is_dir() {
                continue;
            }
            let accepts = accepts_near(&folder)?;
            let mut files: Vec<PathBuf> = children(&folder)?.into_iter().filter(|p| is_json(p)).collect();
            files.sort();
            for file in files {
                let text = scene_text(&file)?;
                if !looks_like_a_scene(&text) {
                    continue;
                }
                if source.entries.len() == MOST_SCENES {
                    return Err(data(path, &format!("more than {MOST_SCENES} scenes; name one of them")));
                }
                source.add(load(&text, accepts.clone(), &file)?, &file.display().to_string())?;
            }
        }
        if source.entries.is_empty() {
            return Err(data(path, "no kitchen scenes here: .json files with robot, grid and objects are expected"));
        }
        Ok(source)
    }

    /// Whether kitchen scenes lie at a path: it is one, or a folder that holds one.
    pub fn lies_at(path: &Path) -> bool {
        let is_scene = |file: &Path| {
            let text = if is_json(file) { scene_text(file).ok() } else { None };
            let glance = text.and_then(|text| serde_json::from_str::<Glance>(&text).ok());
            glance.is_some_and(|glance| glance.grid.is_some() && glance.robot.is_some())
        };
        let holds_scene = |folder: &Path| {
            folder.is_dir() && children(folder).is_ok_and(|files| files.iter().any(|file| is_scene(file)))
        };
        is_scene(path) || holds_scene(path) || holds_scene(&path.join("scenes"))
    }

    fn add(&mut self, scene: Scene, origin: &str) -> Result<(), WorldError> {
        if let Some(known) = self.entries.iter().find(|e| e.scene.id == scene.id) {
            let message =
                format!("the scene `{}` is already in {}; give one of them another id", scene.id, known.origin);
            return Err(WorldError::Data { path: origin.to_owned(), message });
        }
        self.ids.extend(scene.tasks.iter().map(|task| format!("{}/{}", scene.id, task.name)));
        self.entries.push(Entry { scene: Arc::new(scene), origin: origin.to_owned() });
        Ok(())
    }

    /// The tasks, in the order of the files.
    pub fn tasks(&self) -> Vec<TaskInfo> {
        let of = |entry: &Entry| -> Vec<TaskInfo> {
            let info = |task: &Task| TaskInfo {
                id: format!("{}/{}", entry.scene.id, task.name),
                kind: task.name.clone(),
                sentence: task.text.clone(),
                source: entry.origin.clone(),
            };
            entry.scene.tasks.iter().map(info).collect()
        };
        self.entries.iter().flat_map(of).collect()
    }

    /// The ids of the tasks, in the order of the files.
    pub fn ids(&self) -> impl Iterator<Item = &str> {
        self.ids.iter().map(String::as_str)
    }

    /// The scenes, in the order of the files.
    pub fn scenes(&self) -> impl Iterator<Item = &Arc<Scene>> {
        self.entries.iter().map(|e| &e.scene)
    }

    /// The full id that a person's abbreviation stands for: the id itself, or the only one that begins, ends or contains it.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`] with the ids that come nearest, where none or several match.
    pub fn resolve(&self, wanted: &str) -> Result<&str, WorldError> {
        files::resolve(|| self.ids(), wanted)
    }

    /// The scene and the task of an id.
    ///
    /// # Errors
    /// [`WorldError::NoSuchTask`].
    pub fn task(&self, id: &str) -> Result<(Arc<Scene>, Task), WorldError> {
        let found = id.rsplit_once('/').and_then(|(scene, task)| {
            let entry = self.entries.iter().find(|e| e.scene.id == scene)?;
            Some((Arc::clone(&entry.scene), entry.scene.task(task)?.clone()))
        });
        found.ok_or_else(|| files::no_such_task(self.ids(), id))
    }
}

/// Reads the scenes of a file or folder, or the shipped ones.
///
/// # Errors
/// As [`Source::open`].
pub(super) fn read(origin: &Origin<'_>) -> Result<Arc<dyn TaskSet>, WorldError> {
    Ok(Arc::new(origin.path.map_or_else(Source::shipped, Source::open)?))
}

impl TaskSet for Source {
    fn tasks(&self) -> Vec<TaskInfo> {
        Source::tasks(self)
    }

    fn resolve(&self, part: &str) -> Result<String, WorldError> {
        files::resolve_or_first(|| self.ids(), part)
    }

    fn open(self: Arc<Self>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = self.task(task)?.1.text;
        let find: Find = options.text(&FIND).parse().map_err(WorldError::Failed)?;
        let options = BTreeMap::from([(FIND.key.to_owned(), find.to_string())]);
        Ok(OpenedWorld { world: Box::new(KitchenWorld::new(self, find)), task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, task: &str, _options: &Values, _seed: u64) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(task)
    }
}

fn load(text: &str, accepts: Accepts, path: &Path) -> Result<Scene, WorldError> {
    load::scene(text, accepts).map_err(|message| data(path, &message))
}

fn is_json(path: &Path) -> bool {
    path.is_file() && path.extension().is_some_and(|e| e == "json") && name_of(path) != ACCEPTS_FILE
}

fn looks_like_a_scene(text: &str) -> bool {
    serde_json::from_str::<Glance>(text).map_or(true, |glance| glance.grid.is_some() || glance.robot.is_some())
}

fn scene_text(path: &Path) -> Result<String, WorldError> {
    let text = read_text(path)?;
    if text.len() > LARGEST {
        return Err(data(path, "the file is larger than 8 MiB; a kitchen scene is a few KiB"));
    }
    Ok(text)
}

/// The table beside scene files or in the folder above; the built-in one if there is none.
fn accepts_near(folder: &Path) -> Result<Accepts, WorldError> {
    for place in [Some(folder), folder.parent()].into_iter().flatten() {
        let file = place.join(ACCEPTS_FILE);
        if file.is_file() {
            return Accepts::from_json(&read_text(&file)?).map_err(|message| data(&file, &message));
        }
    }
    Ok(Accepts::built_in())
}
