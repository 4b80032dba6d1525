//! Targets of files and folders: an input is written where it is looked for, and opened as the program would. A world's file is played
//! in for some steps, since much is read only then.

use std::path::Path;

use stepwright::config::{self, Overrides};
use stepwright::methods::METHODS;
use stepwright::model::cassette::Cassette;
use stepwright::model::recorded::Recorded;
use stepwright::options::Values;
use stepwright::tui::color::Depth;
use stepwright::tui::theme_file;
use stepwright_embed::kept::Origin;
use stepwright_rate::{Kept, Plans};

/// Tasks of a file that are played in, and steps in each.
const TASKS: usize = 2;
const STEPS: usize = 3;

/// An empty folder with these files, gone at the end of `use_it`.
fn folder(files: &[(&str, &[u8])], use_it: impl FnOnce(&Path)) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    for (name, data) in files {
        let path = folder.path().join(name);
        std::fs::create_dir_all(path.parent().expect("below the folder")).expect("a folder");
        std::fs::write(path, data).expect("a file");
    }
    use_it(folder.path());
}

fn file(name: &str, data: &[u8], use_it: impl FnOnce(&Path)) {
    folder(&[(name, data)], |folder| use_it(&folder.join(name)));
}

/// Opens the tasks of a world and plays in the first of them.
fn played(world: &str, path: &Path) {
    let kind = stepwright::worlds::named(world).expect("a world of the program");
    let _ = kind.data.map(|data| (data.lies_at)(path));
    let Ok(set) = stepwright::worlds::sources().set(world, Some(path)) else { return };
    for task in set.tasks().iter().take(TASKS) {
        let Ok(mut opened) = set.clone().open(&task.id, &Values::default()) else { continue };
        if opened.world.reset(&opened.task, 0).is_err() {
            continue;
        }
        for step in 0..STEPS {
            let offered = opened.world.admissible().unwrap_or_default();
            let text = offered.get(step * 7 % offered.len().max(1)).cloned().unwrap_or_else(|| "look".to_owned());
            if opened.world.act(&text).is_err() {
                break;
            }
            let _ = opened.world.truth();
        }
        let _ = set.demonstrations(&task.id, &Values::default(), 0);
    }
}

/// Games of the household in the compact layout.
pub fn household(data: &[u8]) {
    file("games.jsonl", data, |path| played("household", path));
}

/// A game of the household as ALFWorld has it, with its expert's trajectory: two parts with a line of dashes between them.
pub fn game(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let (game, trajectory) = text.split_once("\n---\n").unwrap_or((&text, "{}"));
    let files = [("a/trial/game.tw-pddl", game.as_bytes()), ("a/trial/traj_data.json", trajectory.as_bytes())];
    folder(&files, |folder| played("household", folder));
}

/// Dialogues in the compact layout.
pub fn dialogue(data: &[u8]) {
    file("Repairs_1.test.jsonl", data, |path| played("dialogue", path));
}

/// A list of dialogues as the corpus has it.
pub fn dialogues(data: &[u8]) {
    file("dialogues_001.json", data, |path| played("dialogue", path));
}

pub fn schema(data: &[u8]) {
    let dialogues = include_bytes!("../../../worlds/dialogue/Repairs_1.demos.jsonl");
    let files = [("schema.json", data), ("Repairs_1.demos.jsonl", dialogues.as_slice())];
    folder(&files, |folder| played("dialogue", folder));
}

pub fn kitchen(data: &[u8]) {
    file("galley.json", data, |path| played("kitchen", path));
}

/// A scene of the household graph, played in.
pub fn house(data: &[u8]) {
    file("scene_flat.json", data, |path| played("graph", path));
}

/// Tasks beside a scene of the household graph.
pub fn tasks(data: &[u8]) {
    let scene = include_bytes!("../../../worlds/graph/scene_attic.json");
    folder(&[("tasks.toml", data), ("scene_attic.json", scene.as_slice())], |folder| played("graph", folder));
}

pub fn catalogue(data: &[u8]) {
    let goals = include_bytes!("../../../worlds/shop/goals.json");
    folder(&[("products.json", data), ("goals.json", goals.as_slice())], |folder| played("shop", folder));
}

pub fn goals(data: &[u8]) {
    let products = include_bytes!("../../../worlds/shop/products.json");
    folder(&[("goals.json", data), ("products.json", products.as_slice())], |folder| played("shop", folder));
}

/// An index of a shop's search that was kept.
pub fn index(data: &[u8]) {
    file("index", data, |path| {
        if let Some(index) = stepwright_shop::search::load(path, 0) {
            let _ = index.search("red mug", 10);
        }
    });
}

/// Logs of episodes as tasks to play back.
pub fn playback(data: &[u8]) {
    file("log.txt", data, |path| played("recorded", path));
}

pub fn config(data: &[u8]) {
    file("config.toml", data, |path| {
        let config_dir = path.parent().map(Path::to_owned);
        let _ = config::load_with(&Overrides { config_dir, flags: Vec::new() }, &METHODS, &|_| None);
    });
}

pub fn theme(data: &[u8]) {
    file("own.toml", data, |path| {
        for depth in [Depth::True, Depth::None] {
            let wanted = theme_file::Wanted { folder: path.parent(), name: Some("own"), ascii: false, depth };
            let _ = theme_file::load(wanted);
        }
    });
}

pub fn cassette(data: &[u8]) {
    file("tape.jsonl", data, |path| _ = Cassette::open(path));
}

/// Outputs that were recorded elsewhere.
pub fn recorded(data: &[u8]) {
    file("outputs.jsonl", data, |path| _ = Recorded::open("recorded", path));
}

/// Plans to be judged, and judgements.
pub fn rating(data: &[u8]) {
    file("plans.jsonl", data, |path| {
        let _ = Plans::open(path);
        let _ = Kept::open(path);
        // Judging writes to what is its own alone, and only adds.
        let now = std::fs::read(path).expect("it is still there");
        assert!(now.starts_with(data), "what was there is there");
    });
}

/// Sentences for the built-in embedder, and the file that keeps their vectors, damaged: it is made again.
pub fn vectors(data: &[u8]) {
    let embedder = stepwright_embed::built_in();
    let names: Vec<String> = String::from_utf8_lossy(data).lines().take(20).map(str::to_owned).collect();
    let folder = tempfile::tempdir().expect("a temporary folder");
    let table = || stepwright_embed::kept::table(embedder, &names, folder.path(), &mut |_| true);
    let Ok((_, Origin::Made)) = table() else { return };
    for kept in std::fs::read_dir(folder.path()).expect("the folder").flatten() {
        std::fs::write(kept.path(), data).expect("a file");
    }
    assert_eq!(table().map(|(_, origin)| origin).ok(), Some(Origin::Made));
}
