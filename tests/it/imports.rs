//! Import guard: reads every import of the sources and compares them with the stated order.
//!
//! Three rules. An arrow may not run back against [`ORDER`]; folders may not import each other in a circle, at any level; and a world's
//! or a method's name may not appear outside its own room. What is excepted is listed below with its reason. Tests are not looked at.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

/// The modules, in the order imports run: each imports only from those before it.
const ORDER: &[&str] = &[
    "words",
    "files",
    "confine",
    "secret",
    "sanitize",
    "debug_log",
    "episode",
    "literal",
    "weights",
    "wrap",
    "options",
    "program",
    "shop",
    "skill",
    "graph",
    "plan",
    "embed",
    "rate",
    "planner",
    "blocking",
    "world",
    "belief",
    "prompt",
    "precondition",
    "model",
    "method",
    "config",
    "export",
    "driver",
    "study",
    "tui",
    "cli",
];

/// Arrows that run back nevertheless: from, to, why.
const BACK: &[(&str, &str, &str)] = &[];

/// Circles of folders that stay: the folder they are in, one of them, another, why.
const CIRCLES: &[(&str, &str, &str, &str)] = &[(
    "study",
    "conform",
    "statler",
    "recorded outputs are scored by the study and held against the recording's own scores",
)];

/// Where a world's or method's name may appear outside its room: the beginning of a file's path, the name (`*` for any), why.
const NAMED: &[(&str, &str, &str)] = &[
    // Studies and conformance checks repeat a paper's experiment: the world and the methods are its conditions.
    ("study/", "*", "a paper's experiment"),
    ("cli/study/", "*", "a paper's experiment"),
    // Data that ships.
    ("driver/examples.rs", "*", "the list of example sessions"),
    ("world/kitchen/receptacles.rs", "household", "ALFWorld's table of what fits where serves both"),
    // A kind names the method that its world is made for.
    ("world/kitchen/mod.rs", "blocking", "the method it suggests"),
    ("world/table/mod.rs", "statler", "the method it suggests"),
    // Commands of worlds in other processes are settings.
    ("config/", "external", "the commands of external worlds are settings"),
    ("method/external/", "external", "a method in another process is spoken to by the same line protocol"),
    ("driver/open.rs", "external", "the commands of external methods are settings"),
    ("cli/launch.rs", "external", "the commands of external worlds are settings"),
    ("cli/settings.rs", "external", "the commands of external worlds are settings"),
    ("world/kind.rs", "external", "task sets are read with the configured commands"),
    ("world/sources.rs", "external", "task sets are read with the configured commands"),
    // Words that are no names here.
    ("shop/catalogue/nouns.rs", "table", "a noun of titles"),
    ("belief/compare.rs", "table", "what lies on the table"),
    ("world/household/agent/goal.rs", "kitchen", "a room"),
    ("world/household/generate/mod.rs", "kitchen", "a room"),
    ("graph/conditions.rs", "kitchen", "a room"),
    ("graph/conditions.rs", "table", "a piece of furniture"),
    ("graph/prepare.rs", "kitchen", "a room"),
    ("tui/chrome.rs", "scored", "an origin in words"),
    ("tui/panes/words.rs", "scored", "an origin in words"),
];

/// A source file: its path below `src`, and its text. The files of a crate `crates/NAME/src` are those of a folder `NAME`.
type Source = (String, String);

/// One import: the module it is in, and the path it names from the crate's root.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
struct Import {
    file: String,
    from: Vec<String>,
    to: Vec<String>,
}

/// The modules of a tree and their imports.
struct Tree {
    modules: BTreeSet<Vec<String>>,
    imports: BTreeSet<Import>,
    /// Texts of string literals, by file.
    literals: Vec<(String, Vec<String>)>,
}

fn is_test(path: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.ends_with("tests.rs") || name == "testing.rs" || path.contains("/tests/")
}

/// The module a file is.
fn module_of(path: &str) -> Vec<String> {
    let bare = path.strip_suffix(".rs").unwrap_or(path);
    let mut parts: Vec<String> = bare.split('/').map(str::to_owned).collect();
    if matches!(parts.last().map(String::as_str), Some("mod" | "lib" | "main")) {
        parts.pop();
    }
    parts
}

/// A text without comments, test modules and (replaced by `""`) string literals; and the literals.
fn code_of(text: &str) -> (String, Vec<String>) {
    let text = text
        .split("\n#[cfg(test)]\nmod ")
        .next()
        .filter(|_| text.contains("\n#[cfg(test)]\nmod tests {"))
        .unwrap_or(text);
    let (mut code, mut literals) = (String::new(), Vec::new());
    let mut rest = text.char_indices().peekable();
    while let Some((at, c)) = rest.next() {
        let ahead = text.get(at..).unwrap_or_default();
        match c {
            '/' if ahead.starts_with("//") => while rest.next_if(|(_, c)| *c != '\n').is_some() {},
            '\'' if ahead.starts_with("'\"'") => drop((rest.next(), rest.next())),
            '\'' if ahead.starts_with("'\\") => {
                rest.next();
                rest.next();
                while rest.next().is_some_and(|(_, c)| c != '\'') {}
            }
            '"' => {
                let mut literal = String::new();
                while let Some((_, c)) = rest.next() {
                    match c {
                        '"' => break,
                        '\\' => drop(rest.next()),
                        c => literal.push(c),
                    }
                }
                literals.push(literal);
                code.push_str("\"\"");
            }
            'r' if ahead.starts_with("r#\"") && !code.ends_with(|c: char| c.is_alphanumeric() || c == '_') => {
                let end = ahead.find("\"#").map_or(ahead.len(), |end| if end < 3 { 3 } else { end });
                literals.push(ahead.get(3..end).unwrap_or_default().to_owned());
                while rest.next_if(|(next, _)| *next < at + end + 2).is_some() {}
            }
            c => code.push(c),
        }
    }
    (code, literals)
}

/// Every path that a use tree names: `a::{b, c::d}` is `a::b` and `a::c::d`.
fn paths(tree: &str, above: &[String], found: &mut Vec<Vec<String>>) {
    let tree = tree.trim();
    if let Some((head, inside)) = tree.split_once('{') {
        let mut above = above.to_vec();
        above.extend(head.split("::").map(str::trim).filter(|s| !s.is_empty()).map(str::to_owned));
        let (mut depth, mut part) = (0, String::new());
        for c in inside.chars() {
            match c {
                '}' if depth == 0 => break,
                ',' if depth == 0 => paths(&std::mem::take(&mut part), &above, found),
                c => {
                    depth += i32::from(c == '{') - i32::from(c == '}');
                    part.push(c);
                }
            }
        }
        paths(&part, &above, found);
    } else if !tree.is_empty() {
        let own = tree.split(" as ").next().unwrap_or(tree).split("::").map(str::trim).map(str::to_owned);
        found.push(above.iter().cloned().chain(own).collect());
    }
}

/// The paths of a text that begin at the crate's root or at a module above.
fn imports_of(code: &str, module: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for root in ["crate::", "super::"] {
        for (at, _) in code.match_indices(root) {
            let before = code.get(..at).and_then(|before| before.chars().next_back());
            if before.is_some_and(|c| c.is_alphanumeric() || c == '_' || c == '$' || c == ':') {
                continue;
            }
            let rest = code.get(at..).unwrap_or_default();
            let mut depth = 0;
            let end = rest.find(|c: char| {
                depth += i32::from(c == '{') - i32::from(c == '}');
                let inside = depth > 0 || c == '}';
                !(c.is_alphanumeric() || "_:".contains(c) || inside)
            });
            let mut named = Vec::new();
            paths(rest.get(..end.unwrap_or(rest.len())).unwrap_or_default(), &[], &mut named);
            found.extend(named);
        }
    }
    let absolute = |path: Vec<String>| {
        let supers = path.iter().take_while(|part| *part == "super").count();
        let base = if supers == 0 { &[][..] } else { module.get(..module.len().checked_sub(supers)?)? };
        let rest = path.into_iter().skip(supers.max(1)).filter(|part| part != "self" && part != "*");
        Some(base.iter().cloned().chain(rest).collect())
    };
    found.into_iter().filter_map(absolute).collect()
}

impl Tree {
    fn new(sources: &[Source]) -> Tree {
        let looked: Vec<&Source> = sources.iter().filter(|(path, _)| !is_test(path)).collect();
        let modules: BTreeSet<Vec<String>> = looked.iter().map(|(path, _)| module_of(path)).collect();
        let (mut imports, mut literals) = (BTreeSet::new(), Vec::new());
        for (path, text) in looked {
            let (code, texts) = code_of(text);
            let from = module_of(path);
            for mut to in imports_of(&code, &from) {
                // What is no module is an item of one.
                while !modules.contains(&to) && to.pop().is_some() {}
                imports.insert(Import { file: path.clone(), from: from.clone(), to });
            }
            literals.push((path.clone(), texts));
        }
        Tree { modules, imports, literals }
    }

    /// Arrows that run back against the order, and modules that are not in it.
    fn back(&self, order: &[&str], excepted: &[(&str, &str, &str)]) -> Vec<String> {
        let place = |name: &str| order.iter().position(|known| *known == name);
        let mut faults = BTreeSet::new();
        for Import { file, from, to } in &self.imports {
            let (Some(from), Some(to)) = (from.first(), to.first()) else { continue };
            match (place(from), place(to)) {
                (Some(own), Some(other)) if own < other => {
                    if !excepted.iter().any(|(a, b, _)| a == from && b == to) {
                        faults.insert(format!("{file}: `{from}` imports from `{to}`, which comes after it"));
                    }
                }
                (Some(_), Some(_)) => {}
                (own, _) => {
                    let unknown = if own.is_none() { from } else { to };
                    faults.insert(format!("{file}: `{unknown}` has no place in the order"));
                }
            }
        }
        faults.into_iter().collect()
    }

    /// Folders that import each other in a circle, at every level.
    fn circles(&self, excepted: &[(&str, &str, &str, &str)]) -> Vec<String> {
        let folders: BTreeSet<&[String]> =
            self.modules.iter().flat_map(|m| (1..m.len()).filter_map(|n| m.get(..n))).collect();
        // Arrows between folders side by side, by the folder they are in.
        let mut arrows: BTreeMap<(String, String), BTreeMap<String, BTreeSet<String>>> = BTreeMap::new();
        for Import { file, from, to } in &self.imports {
            let common = from.iter().zip(to).take_while(|(a, b)| a == b).count();
            let (Some(one), Some(other)) = (from.get(..=common), to.get(..=common)) else { continue };
            if folders.contains(one) && folders.contains(other) {
                let inside = from.get(..common).unwrap_or_default().join("/");
                let names = (one.last().cloned().unwrap_or_default(), other.last().cloned().unwrap_or_default());
                arrows.entry((inside, names.0)).or_default().entry(names.1).or_default().insert(file.clone());
            }
        }
        let mut faults = Vec::new();
        for ((inside, one), others) in &arrows {
            for other in others.keys() {
                let is_excepted = excepted
                    .iter()
                    .any(|(at, a, b, _)| at == inside && ((a == one && b == other) || (b == one && a == other)));
                if is_excepted || one == other {
                    continue;
                }
                // Does a path lead back from the other?
                let (mut open, mut known) = (vec![other.clone()], BTreeSet::new());
                while let Some(next) = open.pop() {
                    if known.insert(next.clone())
                        && let Some(further) = arrows.get(&(inside.clone(), next))
                    {
                        open.extend(further.keys().cloned());
                    }
                }
                if known.contains(one) {
                    let files: Vec<&str> =
                        others.get(other).into_iter().flatten().map(String::as_str).take(3).collect();
                    let shown = if inside.is_empty() { "src" } else { inside };
                    faults.push(format!("{shown}: `{one}` and `{other}` are on a circle ({})", files.join(", ")));
                }
            }
        }
        faults
    }

    /// Names that appear outside their rooms: each name with the beginnings of paths that are its own, as a module (`world::kitchen`)
    /// or a string literal.
    fn named(&self, names: &[Name], excepted: &[(&str, &str, &str)]) -> Vec<String> {
        let mut faults = BTreeSet::new();
        let allowed = |file: &str, name: &Name| {
            let own = name.rooms.iter().any(|room| file.starts_with(room.as_str()));
            own || excepted.iter().any(|(at, which, _)| file.starts_with(at) && (*which == "*" || *which == name.id))
        };
        for name in names {
            for Import { file, to, .. } in &self.imports {
                if name.module.as_ref().is_some_and(|module| to.starts_with(module)) && !allowed(file, name) {
                    faults.insert(format!("{file}: names the module {}", to.join("::")));
                }
            }
            for (file, texts) in &self.literals {
                if texts.contains(&name.id) && !allowed(file, name) {
                    faults.insert(format!("{file}: names {:?}", name.id));
                }
            }
        }
        faults.into_iter().collect()
    }
}

/// A world or method: its id, its module, and where its name may appear.
struct Name {
    id: String,
    module: Option<Vec<String>>,
    rooms: Vec<String>,
}

impl Name {
    fn new(id: &str, module: &[&str], rooms: &[&str]) -> Name {
        let module: Vec<String> = module.iter().map(|part| (*part).to_owned()).collect();
        let rooms = rooms.iter().map(|room| (*room).to_owned()).collect();
        Name { id: id.to_owned(), module: Some(module).filter(|m| !m.is_empty()), rooms }
    }
}

fn read(folder: &Path, below: &str, sources: &mut Vec<Source>) {
    for entry in std::fs::read_dir(folder).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let path = if below.is_empty() { name.clone() } else { format!("{below}/{name}") };
        if entry.file_type().unwrap().is_dir() {
            read(&entry.path(), &path, sources);
        } else if name.ends_with(".rs") {
            sources.push((path, std::fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

fn sources() -> Vec<Source> {
    let (root, mut all) = (Path::new(env!("CARGO_MANIFEST_DIR")), Vec::new());
    read(&root.join("src"), "", &mut all);
    for entry in std::fs::read_dir(root.join("crates")).unwrap().map(Result::unwrap) {
        let name = entry.file_name().into_string().unwrap();
        let mut own = Vec::new();
        read(&entry.path().join("src"), &name, &mut own);
        // The crate's root is the folder's here.
        let rooted = |text: String| text.replace("crate::", &format!("crate::{name}::"));
        all.extend(own.into_iter().map(|(path, text)| (path, rooted(text))));
    }
    all.sort();
    all
}

/// Worlds and methods from their registries.
fn names() -> Vec<Name> {
    let worlds = stepwright::world::WORLDS.iter().map(|kind| {
        let room = format!("world/{}/", kind.name);
        Name::new(kind.name, &["world", kind.name], &[&room])
    });
    let methods = stepwright::method::all().into_iter().map(|info| Name::new(info.id, &[], &["method/"]));
    worlds.chain(methods).collect()
}

#[test]
fn imports_run_one_way() {
    let faults = Tree::new(&sources()).back(ORDER, BACK);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn folders_do_not_import_each_other_in_a_circle() {
    let faults = Tree::new(&sources()).circles(CIRCLES);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn worlds_and_methods_are_named_in_their_rooms_alone() {
    let faults = Tree::new(&sources()).named(&names(), NAMED);
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// An exception that excepts nothing has to go.
#[test]
fn every_exception_is_needed() {
    let tree = Tree::new(&sources());
    for (at, exception) in BACK.iter().enumerate() {
        let without: Vec<_> = BACK.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| *e).collect();
        assert!(!tree.back(ORDER, &without).is_empty(), "{exception:?}");
    }
    for (at, exception) in CIRCLES.iter().enumerate() {
        let without: Vec<_> = CIRCLES.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| *e).collect();
        assert!(!tree.circles(&without).is_empty(), "{exception:?}");
    }
    for (at, exception) in NAMED.iter().enumerate() {
        let without: Vec<_> = NAMED.iter().enumerate().filter(|(i, _)| *i != at).map(|(_, e)| *e).collect();
        assert!(!tree.named(&names(), &without).is_empty(), "{exception:?}");
    }
}

/// A made-up tree: `low`, `mid`, `high` in this order, with folders of rooms in `mid`.
fn tree(changed: &[(&str, &str)]) -> Tree {
    let clean = [
        ("lib.rs", "pub mod low;\npub mod mid;\npub mod high;\n"),
        ("low.rs", "pub struct Item;\n//! [`crate::high`] is only spoken of.\n"),
        ("mid/mod.rs", "pub mod oak;\npub mod elm;\nuse crate::low::Item;\n"),
        ("mid/oak/mod.rs", "use crate::{low::Item, mid::elm::Leaf as L};\nconst NAME: &str = \"oak\";\n"),
        ("mid/elm/mod.rs", "pub struct Leaf;\nfn f() { super::super::low::g() }\n"),
        ("mid/elm/tests.rs", "use crate::high::Top;\nconst NAME: &str = \"oak\";\n"),
        ("high.rs", "use crate::mid::{self, Item};\n"),
    ];
    let mut sources: BTreeMap<&str, &str> = clean.into_iter().collect();
    sources.extend(changed.iter().copied());
    Tree::new(&sources.into_iter().map(|(path, text)| (path.to_owned(), text.to_owned())).collect::<Vec<_>>())
}

const MADE_UP: &[&str] = &["low", "mid", "high"];

fn oak() -> [Name; 1] {
    [Name::new("oak", &["mid", "oak"], &["mid/oak/", "mid/mod.rs"])]
}

#[test]
fn a_clean_tree_has_no_faults() {
    let tree = tree(&[]);
    assert_eq!(tree.back(MADE_UP, &[]), [""; 0]);
    assert_eq!(tree.circles(&[]), [""; 0]);
    assert_eq!(tree.named(&oak(), &[]), [""; 0]);
}

#[test]
fn an_arrow_that_runs_back_is_caught() {
    for planted in [
        "use crate::high::Top;",
        "use crate::{\n    mid::{elm::Leaf, oak},\n};",
        "fn f() { crate::mid::g(\"a\") }",
        "pub(in crate::mid) fn f() {}",
        "use super::high;",
    ] {
        let tree = tree(&[("low.rs", planted)]);
        assert!(!tree.back(MADE_UP, &[]).is_empty(), "{planted}");
        let excepted = [("low", "high", "planted"), ("low", "mid", "planted")];
        assert_eq!(tree.back(MADE_UP, &excepted), [""; 0], "{planted}");
    }
    for harmless in ["// use crate::high::Top;", "const A: &str = \"crate::high\";", "#[cfg(test)]\nmod tests;"] {
        assert_eq!(tree(&[("low.rs", harmless)]).back(MADE_UP, &[]), [""; 0], "{harmless}");
    }
    let inside = "pub struct A;\n\n#[cfg(test)]\nmod tests {\n    use crate::high::Top;\n}\n";
    assert_eq!(tree(&[("low.rs", inside)]).back(MADE_UP, &[]), [""; 0]);
    assert!(!tree(&[("new.rs", "use crate::low::Item;")]).back(MADE_UP, &[]).is_empty(), "it has no place");
}

#[test]
fn a_circle_of_folders_is_caught() {
    for planted in ["use crate::mid::oak::NAME;", "use super::oak;", "fn f() { super::oak::g() }"] {
        let tree = tree(&[("mid/elm/mod.rs", planted), ("mid/elm/deep.rs", ""), ("mid/oak/deep.rs", "")]);
        assert!(!tree.circles(&[]).is_empty(), "{planted}");
        assert_eq!(tree.circles(&[("mid", "oak", "elm", "planted")]), [""; 0], "{planted}");
    }
    let round = [
        ("mid/elm/mod.rs", "use super::ash;"),
        ("mid/elm/a.rs", ""),
        ("mid/oak/a.rs", ""),
        ("mid/ash/a.rs", ""),
        ("mid/ash/mod.rs", "use super::oak;"),
    ];
    let faults = tree(&round).circles(&[]);
    assert_eq!(faults.len(), 3, "{faults:?}");
    assert!(faults.iter().all(|fault| fault.starts_with("mid: ")), "{faults:?}");
}

#[test]
fn a_name_outside_its_room_is_caught() {
    for planted in ["use crate::mid::oak::NAME;", "const A: &str = \"oak\";", "fn f(n: &str) -> bool { n == \"oak\" }"]
    {
        let tree = tree(&[("high.rs", planted)]);
        assert_eq!(tree.named(&oak(), &[]).len(), 1, "{planted}");
        assert_eq!(tree.named(&oak(), &[("high.rs", "*", "planted")]), [""; 0]);
    }
    assert_eq!(tree(&[("high.rs", "const A: &str = \"oaks and elms\";")]).named(&oak(), &[]), [""; 0]);
}
