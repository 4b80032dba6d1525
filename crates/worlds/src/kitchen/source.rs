//! Sources of kitchens: the scenes that ship with the program, a scene file, or a folder of them.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde::de::IgnoredAny;

use super::receptacles::Receptacles;
use super::scene::{Scene, Task};
use super::{FIND, FULL, KitchenWorld, Rules, load, shipped};
use crate::{Catalog, Entry, Identified};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::files::{children, data, files_in, name_of, read_at_most, read_text};
use stepwright_world::options::Values;
use stepwright_world::{OpenedWorld, TaskInfo, WorldError};

/// The scenes that ship with the program, written for it.
const SHIPPED: [(&str, &str); 4] = [
    ("galley.json", include_str!("../../worlds/kitchen/galley.json")),
    ("corner.json", include_str!("../../worlds/kitchen/corner.json")),
    ("island.json", include_str!("../../worlds/kitchen/island.json")),
    ("studio.json", include_str!("../../worlds/kitchen/studio.json")),
];

/// The table of what fits where, looked for beside scene files and in the folder above.
const RECEPTACLES_FILE: &str = "receptacle_compatibility.json";
/// The largest scene file, in bytes.
const LARGEST: usize = 8 << 20;
const MOST_SCENES: usize = 1_000;

#[derive(Debug)]
pub struct SceneTask {
    /// `galley/coffee`.
    id: String,
    scene: Arc<Scene>,
    task: Task,
    origin: String,
}

/// The scenes of a file, a folder, or those that ship, each with its tasks.
pub type Source = Catalog<SceneTask>;

/// The fields by which a scene differs from other JSON that may lie beside it.
#[derive(Deserialize)]
struct Glance {
    grid: Option<IgnoredAny>,
    robot: Option<IgnoredAny>,
}

impl Source {
    pub fn shipped() -> Result<Source, WorldError> {
        let mut source = Source::default();
        for (name, text) in SHIPPED {
            let scene = load(text, Receptacles::built_in(), &Path::new("worlds/kitchen").join(name))?;
            source.add_scene(scene, "shipped")?;
        }
        Ok(source)
    }

    /// Reads a scene file, or every scene of a folder (and of its folder `scenes`).
    pub fn open(path: &Path) -> Result<Source, WorldError> {
        let mut source = Source::default();
        if !path.is_dir() {
            let folder = path.parent().unwrap_or(Path::new("."));
            let text = read_at_most(path, LARGEST)?;
            source.add_scene(load(&text, receptacles_near(folder)?, path)?, &path.display().to_string())?;
            return Ok(source);
        }
        for folder in [path.to_owned(), path.join("scenes")] {
            if !folder.is_dir() {
                continue;
            }
            let accepts = receptacles_near(&folder)?;
            for file in files_in(&folder, is_json)? {
                let text = read_at_most(&file, LARGEST)?;
                if !looks_like_a_scene(&text) {
                    continue;
                }
                if source.scenes().count() == MOST_SCENES {
                    return Err(data(path, &format!("more than {MOST_SCENES} scenes; name one of them")));
                }
                source.add_scene(load(&text, accepts.clone(), &file)?, &file.display().to_string())?;
            }
        }
        if source.is_empty() {
            return Err(data(path, "no kitchen scenes here: .json files with robot, grid and objects are expected"));
        }
        Ok(source)
    }

    /// Whether kitchen scenes lie at a path: it is one, or a folder that holds one.
    pub fn lies_at(path: &Path) -> bool {
        let is_scene = |file: &Path| {
            let text = if is_json(file) { read_at_most(file, LARGEST).ok() } else { None };
            let glance = text.and_then(|text| serde_json::from_str::<Glance>(&text).ok());
            glance.is_some_and(|glance| glance.grid.is_some() && glance.robot.is_some())
        };
        let holds_scene = |folder: &Path| {
            folder.is_dir() && children(folder).is_ok_and(|files| files.iter().any(|file| is_scene(file)))
        };
        is_scene(path) || holds_scene(path) || holds_scene(&path.join("scenes"))
    }

    fn add_scene(&mut self, scene: Scene, origin: &str) -> Result<(), WorldError> {
        if let Some(known) = self.entries().iter().find(|e| e.scene.id == scene.id) {
            let message =
                format!("the scene `{}` is already in {}; give one of them another id", scene.id, known.origin);
            return Err(WorldError::Data { path: origin.to_owned(), message });
        }
        let scene = Arc::new(scene);
        for task in scene.tasks.iter().cloned() {
            let (scene, id, origin) = (Arc::clone(&scene), format!("{}/{}", scene.id, task.name), origin.to_owned());
            self.add(SceneTask { id, scene, task, origin });
        }
        Ok(())
    }

    pub fn scenes(&self) -> impl Iterator<Item = &Arc<Scene>> {
        let same = |one: &&SceneTask, other: &&SceneTask| Arc::ptr_eq(&one.scene, &other.scene);
        self.entries().chunk_by(move |a, b| same(&a, &b)).filter_map(|of| of.first()).map(|entry| &entry.scene)
    }

    pub fn task(&self, id: &str) -> Result<(Arc<Scene>, Task), WorldError> {
        let SceneTask { scene, task, .. } = self.get(id)?;
        Ok((Arc::clone(scene), task.clone()))
    }
}

impl Identified for SceneTask {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Entry for SceneTask {
    fn info(&self) -> TaskInfo {
        let (name, sentence) = (self.task.name.clone(), self.task.text.clone());
        TaskInfo { id: self.id.clone(), kind: name, sentence, source: self.origin.clone() }
    }

    fn open(source: Arc<Source>, task: &str, options: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = source.get(task)?.task.text.clone();
        let unknown = |e: strum::ParseError| WorldError::Failed(e.to_string());
        let find = options.text(&FIND).parse().map_err(unknown)?;
        let rules = Rules { find, full: options.text(&FULL).parse().map_err(unknown)? };
        let said = [(FIND.key, rules.find.to_string()), (FULL.key, rules.full.to_string())];
        let options = said.into_iter().map(|(key, value)| (key.to_owned(), value)).collect();
        Ok(OpenedWorld { world: Box::new(KitchenWorld::new(source, rules)), task: task.to_owned(), sentence, options })
    }

    fn demonstrations(&self, _options: &Values) -> Result<Vec<Demonstration>, WorldError> {
        shipped::demonstrations(&self.id)
    }
}

fn load(text: &str, accepts: Receptacles, path: &Path) -> Result<Scene, WorldError> {
    load::scene(text, accepts).map_err(|message| data(path, &message))
}

fn is_json(path: &Path) -> bool {
    let name = name_of(path);
    path.is_file() && (name.ends_with(".json") || name.ends_with(".json.gz")) && name != RECEPTACLES_FILE
}

fn looks_like_a_scene(text: &str) -> bool {
    serde_json::from_str::<Glance>(text).map_or(true, |glance| glance.grid.is_some() || glance.robot.is_some())
}

/// The table beside scene files or in the folder above; the built-in one if there is none.
fn receptacles_near(folder: &Path) -> Result<Receptacles, WorldError> {
    for place in [Some(folder), folder.parent()].into_iter().flatten() {
        let file = place.join(RECEPTACLES_FILE);
        if file.is_file() {
            return Receptacles::from_json(&read_text(&file)?).map_err(|message| data(&file, &message));
        }
    }
    Ok(Receptacles::built_in())
}
