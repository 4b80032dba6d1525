//! The modules of all crates with the arrows between their files, and what may be wrong with them.
//!
//! An arrow leads from a file to the one that declares what is named there: re-exports are followed, by name and by `*`.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use super::code::{self, Module, Names};

/// A file's naming of another.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Arrow {
    /// The modules of the two files.
    pub from: Names,
    pub to: Names,
    /// The modules on the way, the last of them `to`'s or one written inside of it.
    pub way: Vec<Names>,
    /// The item named, where it is no module.
    pub item: Option<String>,
}

/// Constants by the file's module and their name, each with the world or method whose it is.
pub(super) type Constants = BTreeMap<(Names, String), String>;

/// A source file: its path from the repository's root, and its modules.
#[derive(Debug, Clone)]
pub(super) struct File {
    pub path: String,
    pub modules: Vec<Module>,
}

#[derive(Clone)]
pub(super) struct Tree {
    files: BTreeMap<Names, Arc<File>>,
    modules: BTreeMap<Names, Arc<Module>>,
    arrows: BTreeMap<Names, Arc<BTreeSet<Arrow>>>,
}

/// The module that a file is: `crates/NAME/src/a/mod.rs` and `NAME/src/a.rs` are `NAME::a`, `src/a.rs` is `stepwright::a`.
fn module_of(path: &str) -> Names {
    let bare = path.strip_suffix(".rs").unwrap_or(path);
    let bare = bare.strip_prefix("crates/").unwrap_or(bare);
    let (root, rest) = match bare.split_once("/src/") {
        Some(found) => found,
        None => ("stepwright", bare.strip_prefix("src/").unwrap_or(bare)),
    };
    let mut parts: Names = [root].into_iter().chain(rest.split('/')).map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

impl Tree {
    pub fn new(sources: &[(String, String)]) -> Tree {
        let mut tree = Tree { files: BTreeMap::new(), modules: BTreeMap::new(), arrows: BTreeMap::new() };
        let mut sources: Vec<_> = sources.iter().map(|(path, text)| (module_of(path), path, text)).collect();
        sources.sort();
        for (module, path, text) in sources {
            // What its parent declares for tests alone, or not at all, is no part of the program.
            let parent = module.split_last().filter(|(_, above)| !above.is_empty());
            if parent.is_none_or(|(name, above)| tree.modules.get(above).is_some_and(|m| m.children.contains(name))) {
                tree.read(module, path, text);
            }
        }
        for file in tree.files.keys().cloned().collect::<Vec<_>>() {
            let arrows = tree.arrows_of(&file);
            tree.arrows.insert(file, Arc::new(arrows));
        }
        tree
    }

    fn read(&mut self, module: Names, path: &str, text: &str) {
        let mut modules = code::read(module.clone(), text);
        // The library and the binary of a crate are one module here.
        if let Some(known) = self.files.get(&module) {
            modules.extend(known.modules.iter().cloned());
        }
        for module in &modules {
            self.modules.insert(module.path.clone(), Arc::new(module.clone()));
        }
        self.files.insert(module, Arc::new(File { path: path.to_owned(), modules }));
    }

    /// The same with one file's text replaced, or a new file.
    pub fn with(&self, path: &str, text: &str) -> Tree {
        let (mut tree, module) = (self.clone(), module_of(path));
        tree.files.remove(&module);
        tree.read(module.clone(), path, text);
        let arrows = tree.arrows_of(&module);
        tree.arrows.insert(module, Arc::new(arrows));
        tree
    }

    pub fn alone(mut self, path: &str) -> Tree {
        let module = module_of(path);
        self.files.retain(|file, _| *file == module);
        self.arrows.retain(|file, _| *file == module);
        self
    }

    pub fn files(&self) -> impl Iterator<Item = &File> {
        self.files.values().map(Arc::as_ref)
    }

    fn path(&self, module: &[String]) -> &str {
        self.files.get(module).map_or("", |file| &file.path)
    }

    fn of_file(&self, module: &[String]) -> Option<Names> {
        (1..=module.len()).rev().map(|n| &module[..n]).find(|m| self.files.contains_key(*m)).map(<[String]>::to_vec)
    }

    fn arrows_of(&self, file: &Names) -> BTreeSet<Arrow> {
        let mut found = BTreeSet::new();
        for module in &self.files[file].modules {
            for path in &module.named {
                let Some((way, item)) = self.resolve(&module.path, path, 0) else { continue };
                let Some(to) = way.last().and_then(|last| self.of_file(last)).filter(|to| to != file) else { continue };
                found.insert(Arrow { from: file.clone(), to, way, item });
            }
        }
        found
    }

    /// The end of a path from a module: the modules on the way, and the item where it is one.
    fn resolve(&self, from: &[String], path: &[String], depth: usize) -> Option<(Vec<Names>, Option<String>)> {
        let (head, mut rest) = path.split_first().filter(|_| depth < 12)?;
        let mut at: Names = match head.as_str() {
            "crate" => from[..1].to_vec(),
            "self" => from.to_vec(),
            "super" => from[..from.len().checked_sub(1)?].to_vec(),
            name => match name
                .strip_prefix("stepwright_")
                .filter(|name| self.modules.contains_key(&[(*name).to_owned()][..]))
            {
                Some(name) => vec![name.to_owned()],
                None => return self.inside(from, path, depth).filter(|(way, _)| way.last().is_some_and(|m| m != from)),
            },
        };
        while let Some((_, below)) = rest.split_first().filter(|(name, _)| *name == "super") {
            at.pop();
            rest = below;
        }
        if !self.modules.contains_key(&at) {
            return None;
        }
        let way = vec![at.clone()];
        if rest.is_empty() {
            return Some((way, None));
        }
        let (below, item) = self.inside(&at, rest, depth).unwrap_or((Vec::new(), rest.first().cloned()));
        Some((way.into_iter().chain(below).collect(), item))
    }

    /// The end of a path that begins inside of a module; `None` where the module has no such name.
    fn inside(&self, at: &[String], path: &[String], depth: usize) -> Option<(Vec<Names>, Option<String>)> {
        let module = self.modules.get(at)?;
        let (head, rest) = path.split_first().filter(|_| depth < 12)?;
        let child: Names = at.iter().cloned().chain([head.clone()]).collect();
        if module.children.contains(head) && self.modules.contains_key(&child) {
            if rest.is_empty() {
                return Some((vec![child], None));
            }
            let (below, item) = self.inside(&child, rest, depth + 1).unwrap_or((Vec::new(), rest.first().cloned()));
            return Some(([child].into_iter().chain(below).collect(), item));
        }
        if let Some(bound) = module.bound.get(head).filter(|bound| bound.first() != Some(head) || bound.len() > 1) {
            let whole: Names = bound.iter().chain(rest).cloned().collect();
            return self.resolve(at, &whole, depth + 1);
        }
        if module.items.contains(head) {
            return Some((vec![at.to_vec()], Some(head.clone())));
        }
        module.globs.iter().find_map(|glob| {
            let (mut way, _) = self.resolve(at, glob, depth + 1).filter(|(_, item)| item.is_none())?;
            let from = way.last()?.clone();
            let (below, item) = self.inside(&from, path, depth + 1)?;
            way.extend(below);
            Some((way, item))
        })
    }

    fn all_arrows(&self) -> impl Iterator<Item = &Arrow> {
        self.arrows.values().flat_map(|arrows| arrows.iter())
    }

    /// Arrows between crates that are not stated: each crate with those it reads, lowest first.
    pub fn between_crates(&self, stated: &[(String, Vec<String>)]) -> BTreeSet<String> {
        let reads =
            |from: &str, to: &str| stated.iter().any(|(name, reads)| name == from && reads.iter().any(|r| r == to));
        let outside = self.all_arrows().flat_map(|arrow| arrow.way.iter().map(move |over| (arrow, over)));
        outside
            .filter(|(arrow, over)| arrow.from[0] != over[0] && !reads(&arrow.from[0], &over[0]))
            .filter(|(arrow, over)| arrow.way.first() == Some(over))
            .map(|(arrow, over)| format!("{}: `{}` does not read `{}`", self.path(&arrow.from), arrow.from[0], over[0]))
            .collect()
    }

    /// Arrows inside of a crate that run back against the order of its rooms; a room that is not listed comes after those that are.
    pub fn between_rooms(&self, orders: &[(&str, &[&str])]) -> BTreeSet<String> {
        let mut faults = BTreeSet::new();
        for (name, order) in orders {
            let place = |room: &str| order.iter().position(|known| *known == room).unwrap_or(order.len());
            for arrow in self.all_arrows().filter(|arrow| arrow.from[0] == *name) {
                let (Some(from), Some(to)) =
                    (arrow.from.get(1), arrow.way.iter().find_map(|m| m.get(1).filter(|_| m[0] == *name)))
                else {
                    continue;
                };
                if place(from) < place(to) {
                    faults.insert(format!("{}: `{from}` reads `{to}`, which comes after it", self.path(&arrow.from)));
                }
            }
        }
        faults
    }

    /// The circles: of each folder, the files and folders in it that read each other round and round. `name/` stands for a folder with
    /// the file of its name, `.` for the folder's own file.
    pub fn circles(&self) -> BTreeMap<String, Vec<BTreeSet<String>>> {
        type Graph = BTreeMap<String, BTreeSet<String>>;
        let mut levels: BTreeMap<Names, Graph> = BTreeMap::new();
        for Arrow { from, to, .. } in self.all_arrows().filter(|arrow| arrow.from[0] == arrow.to[0]) {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let side = |module: &Names| module.get(common).cloned().unwrap_or_else(|| ".".to_owned());
            levels.entry(from[..common].to_vec()).or_default().entry(side(from)).or_default().insert(side(to));
        }
        let reached = |graph: &Graph, from: &str| {
            let (mut open, mut known) = (vec![from.to_owned()], BTreeSet::new());
            while let Some(next) = open.pop() {
                for further in graph.get(&next).into_iter().flatten() {
                    if known.insert(further.clone()) {
                        open.push(further.clone());
                    }
                }
            }
            known
        };
        let mut found: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
        for (level, graph) in &levels {
            let all: BTreeMap<&String, BTreeSet<String>> =
                graph.keys().map(|node| (node, reached(graph, node))).collect();
            let circles: BTreeSet<BTreeSet<String>> = all
                .iter()
                .filter(|(node, reached)| reached.contains(**node))
                .map(|(node, reached)| {
                    let back = |other: &String| all.get(other).is_some_and(|reached| reached.contains(*node));
                    reached.iter().filter(|other| back(other)).cloned().collect()
                })
                .collect();
            found.entry(level.join("::")).or_default().extend(circles);
        }
        found.retain(|_, circles| !circles.is_empty());
        found
    }

    /// Names that appear outside of their rooms: as a module on the way to something, or as a text or the beginning of one.
    pub fn named(&self, names: &[Name], constants: &Constants) -> BTreeSet<(String, String)> {
        let mut faults = BTreeSet::new();
        for file in self.files() {
            let strange =
                || names.iter().filter(|name| !name.rooms.iter().any(|room| file.path.starts_with(room.as_str())));
            let module = module_of(&file.path);
            for arrow in self.arrows.get(&module).into_iter().flat_map(|arrows| arrows.iter()) {
                for name in strange() {
                    if name.modules.iter().any(|module| arrow.way.iter().any(|on| on.starts_with(module))) {
                        faults.insert((file.path.clone(), name.id.clone()));
                    }
                    let constant = arrow.item.as_ref().map(|item| (arrow.to.clone(), item.clone()));
                    if constant.is_some_and(|constant| constants.get(&constant) == Some(&name.id)) {
                        faults.insert((file.path.clone(), name.id.clone()));
                    }
                }
            }
            for (text, compared) in file.modules.iter().flat_map(|module| &module.texts) {
                let begins = |name: &Name| *compared && text.len() > 4 && name.id.starts_with(text.as_str());
                let whole = names.iter().any(|name| name.id == *text);
                for name in strange().filter(|name| name.id == *text || (!whole && begins(name))) {
                    faults.insert((file.path.clone(), name.id.clone()));
                }
            }
        }
        faults
    }

    /// Constants of a crate with rooms, or of that below the worlds, that one room alone uses of these crates: they are that room's,
    /// wherever they stand.
    pub fn constants(&self, names: &[Name]) -> Constants {
        let mut users: BTreeMap<(Names, String), BTreeSet<Option<&str>>> = BTreeMap::new();
        let is_near = |arrow: &&Arrow| {
            arrow.from[0] == arrow.to[0] || (arrow.from[0].as_str(), arrow.to[0].as_str()) == ("worlds", "world")
        };
        for arrow in self.all_arrows().filter(is_near) {
            let constant =
                arrow.item.as_ref().filter(|item| item.len() > 1 && !item.contains(|c: char| c.is_lowercase()));
            let in_a_room =
                |module: &Names| names.iter().find(|name| name.modules.iter().any(|room| module.starts_with(room)));
            if let Some(item) = constant.filter(|_| in_a_room(&arrow.to).is_none()) {
                let user = in_a_room(&arrow.from).map(|name| name.id.as_str());
                users.entry((arrow.to.clone(), item.clone())).or_default().insert(user);
            }
        }
        users.retain(|_, users| users.len() == 1 && users.first().is_some_and(Option::is_some));
        users.into_iter().filter_map(|(at, users)| Some((at, (*users.first()?)?.to_owned()))).collect()
    }
}

/// A world or method: its id, its modules, and the beginnings of the paths of the files in which it may be named.
#[derive(Debug, Clone, Default)]
pub(super) struct Name {
    pub id: String,
    pub modules: Vec<Names>,
    pub rooms: Vec<String>,
}
