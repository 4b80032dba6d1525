//! Reader of catalogues: which files of a path belong to one, and their contents.

use std::io::Read;
use std::path::{Path, PathBuf};

use serde::Deserialize;

use super::{Catalogue, ShopError, compact, raw};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Found {
    /// `products.json` and `goals.json`.
    Compact {
        products: PathBuf,
        /// The goals; none are read where the file is missing.
        goals: Option<PathBuf>,
    },
    Raw {
        /// `items_shuffle*.json`.
        items: PathBuf,
        /// `items_ins_v2*.json`.
        attributes: Option<PathBuf>,
        /// `items_human_ins.json`.
        human: Option<PathBuf>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reading {
    /// At most so many products, from the first on; all if `None`.
    pub products: Option<usize>,
    /// At most so many goals, the first ones in their order; all if `None`.
    pub goals: Option<usize>,
    pub kind: GoalKind,
    /// Draws prices within a range and price limits, which the original draws again at each start.
    pub seed: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GoalKind {
    /// Those that people wrote, where the files have any; those made from attributes otherwise.
    #[default]
    Any,
    /// Those that people wrote alone.
    Human,
    /// Those made from attributes alone.
    Synthetic,
}

impl GoalKind {
    /// The kind of goal that alone is read; `None` where any is.
    pub(super) fn only(self) -> Option<&'static str> {
        match self {
            GoalKind::Any => None,
            GoalKind::Human => Some("human"),
            GoalKind::Synthetic => Some("synthetic"),
        }
    }
}

/// The file beside a catalogue that says how it is to be read.
const READING_FILE: &str = "reading.toml";
/// The most bytes of that file.
const LARGEST: u64 = 1 << 16;

impl Reading {
    /// The settings in the file `reading.toml` beside a catalogue; the default where there is none. `path` is the
    /// catalogue's folder or one of its files.
    /// Errors: if the file cannot be read or says something else than `products`, `goals`, `kind` and `seed`.
    pub fn beside(path: &Path) -> Result<Reading, ShopError> {
        let folder = if path.is_dir() { Some(path) } else { path.parent() };
        let Some(file) = folder.map(|folder| folder.join(READING_FILE)).filter(|file| file.is_file()) else {
            return Ok(Reading::default());
        };
        let mut text = String::new();
        let read = std::fs::File::open(&file).and_then(|opened| opened.take(LARGEST).read_to_string(&mut text));
        read.map_err(|error| ShopError::unreadable(&file, error))?;
        toml::from_str(&text).map_err(|error| {
            let before = error.span().and_then(|span| text.get(..span.start)).unwrap_or_default();
            let line = before.matches('\n').count() + 1;
            let message = format!(
                "{}; expected is any of products = NUMBER, goals = NUMBER, kind = \"any\", \"human\" or \"synthetic\", seed = NUMBER",
                error.message()
            );
            ShopError::Data { path: format!("{}:{line}", file.display()), message }
        })
    }
}

/// The files of a catalogue at a path: a folder of them, or one of them. `None` if there is none.
pub fn find(path: &Path) -> Option<Found> {
    let folder = if path.is_dir() { path } else { path.parent()? };
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .ok()?
        .filter_map(|entry| Some(entry.ok()?.file_name().to_string_lossy().into_owned()))
        .filter(|name| name.ends_with(".json"))
        .collect();
    names.sort_by_key(|name| (name.len(), name.clone()));
    // The smaller catalogue's name is the longer one (items_shuffle_1000.json); its attributes bear the same ending.
    let own = (!path.is_dir()).then(|| path.file_name().map(|n| n.to_string_lossy().into_owned())).flatten();
    let items = own
        .clone()
        .filter(|name| name.starts_with("items_shuffle"))
        .or_else(|| names.iter().rfind(|name| name.starts_with("items_shuffle")).cloned());
    let has = |name: &str| names.iter().any(|known| known == name).then(|| folder.join(name));
    if own.as_deref().is_none_or(|name| name == "products.json" || name == "goals.json")
        && let Some(products) = has("products.json")
    {
        return Some(Found::Compact { products, goals: has("goals.json") });
    }
    let items = items.filter(|_| own.as_deref().is_none_or(|name| name.starts_with("items_")))?;
    let ending = items.trim_start_matches("items_shuffle").to_owned();
    let attributes = has(&format!("items_ins_v2{ending}"))
        .or_else(|| names.iter().find(|name| name.starts_with("items_ins_v2")).map(|name| folder.join(name)));
    Some(Found::Raw { items: folder.join(items), attributes, human: has("items_human_ins.json") })
}

pub fn read(found: &Found, reading: Reading) -> Result<Catalogue, ShopError> {
    match found {
        Found::Compact { products, goals } => compact::read(products, goals.as_deref(), reading),
        Found::Raw { items, attributes, human } => raw::read(items, attributes.as_deref(), human.as_deref(), reading),
    }
}
