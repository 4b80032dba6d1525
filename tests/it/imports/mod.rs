//! Import guard: reads every path that the sources name and compares the arrows with the stated order.
//!
//! The order between crates is kept by the compiler; here their `Cargo.toml` and their imports are held against the table of
//! ARCHITECTURE.md. Within a crate nothing reads round in a circle (`circles.txt` lists those that stay, and may only shrink), and a
//! world's or a method's name, module or constant appears in its own room alone. What is excepted is listed below with its reason, and an
//! exception that excepts nothing fails. Tests are not looked at.

mod code;
mod plants;
mod tree;

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;
use std::sync::OnceLock;

use crate::docs::root;
use tree::{Constants, Name, Tree};

/// Rooms of a crate that stand below its others, in the order imports run: each reads only those before it.
const ROOMS: &[(&str, &[&str])] =
    &[("world", &["faults", "literal", "weights", "options", "program", "planner", "blocking"])];

/// How many files and folders are on the circles of `circles.txt`: more only with a reason, fewer whenever one is gone.
const ON_CIRCLES: usize = 186;

/// Where a world's or method's name may appear outside its room: the beginning of a file's path, the name (`*` for any), why. The name
/// of a method's room is `methods::ROOM`.
const NAMED: &[(&str, &str, &str)] = &[
    // Studies repeat a paper's experiment: the world and the methods are its conditions.
    ("crates/study/", "*", "a paper's experiment"),
    ("crates/cli/src/study/", "*", "a paper's experiment"),
    ("conform/", "*", "recordings of a paper's system"),
    // Data that ships.
    ("crates/launch/src/examples.rs", "*", "the list of example sessions"),
    ("crates/worlds/src/kitchen/receptacles.rs", "household", "ALFWorld's table of what fits where serves both"),
    // A kind names the method that its world is made for.
    ("crates/worlds/src/kitchen/mod.rs", "blocking", "the method it suggests"),
    ("crates/worlds/src/table/mod.rs", "statler", "the method it suggests"),
    ("crates/worlds/src/shop/mod.rs", "o3d", "the method it suggests"),
    ("crates/worlds/src/graph/mod.rs", "reprompt", "the method it suggests"),
    // Commands of worlds in other processes are settings.
    ("crates/launch/src/config/", "external", "the commands of external worlds are settings"),
    ("crates/launch/src/open.rs", "external", "the commands of external methods are settings"),
    ("crates/cli/src/launch.rs", "external", "the commands of external worlds are settings"),
    ("crates/cli/src/settings.rs", "external", "the commands of external worlds are settings"),
    ("crates/cli/src/schema.rs", "external", "the line protocol is one of what has a schema"),
    ("crates/world/src/adapter/", "external", "the commands of external worlds are settings"),
    ("crates/cli/src/gate.rs", "agent", "the command behind the gate is the world's"),
    ("crates/worlds/src/agent/", "relay", "the method it suggests"),
    // Words that are `agent` too: the receiver of actions in worlds' specifications, who made a step.
    ("crates/worlds/src/household/", "agent", "a call's receiver"),
    ("crates/worlds/src/external/reading.rs", "agent", "a call's receiver"),
    ("crates/world/src/transcript.rs", "agent", "a call's receiver"),
    ("crates/methods/src/adaplanner/", "agent", "the first parameter of its function"),
    ("crates/export/src/atif.rs", "agent", "a field and a source of the format"),
    ("crates/trajectory/src/foreign/atif.rs", "agent", "a field and a source of the format"),
    ("crates/tui/src/widgets/words.rs", "agent", "an origin in words"),
    ("crates/method/src/publications/", "*", "whose settings are of which methods and worlds"),
    // One method that stands on another, as its paper does.
    (
        "crates/methods/src/precondition_prompting.rs",
        "methods::few_shot",
        "the same proposal with assertions in the prompt",
    ),
    ("crates/methods/src/scored.rs", "methods::precondition_aware", "recommends as Algorithm 1 does"),
    ("crates/methods/src/reflexion/", "methods::react", "Reflexion is trials of ReAct"),
    (
        "crates/methods/src/o3d/",
        "methods::react",
        "its observations are ReAct's, its ablations ReAct with a part of it",
    ),
    ("crates/methods/src/code_policy/", "methods::react", "a policy's run is a transcript"),
    ("crates/methods/src/adaplanner/", "methods::code_policy", "its programs are run as those of policies as code"),
    ("crates/methods/src/demo2code/", "methods::code_policy", "its programs are run as those of policies as code"),
    ("crates/methods/src/adaplanner/", "methods::react", "its examples and limits are those of lines"),
    ("crates/methods/src/demo2code/", "methods::react", "its demonstrations are transcripts"),
    ("crates/methods/src/blocking/", "methods::o3d", "a blocked action may be unblocked by a skill"),
    ("crates/methods/src/blocking/mod.rs", "scored", "the selector's recommendation is a score"),
    ("crates/method/src/options.rs", "blocking", "an option that it shares"),
    ("crates/methods/src/statler/", "table", "the cups are a form of the paper's state"),
    ("crates/method/src/request_program/", "table", "the cups are a form of the paper's state"),
    ("crates/method/src/belief_update.rs", "table", "the cups are a form of the paper's state"),
    // Words that are no names here.
    ("crates/rate/src/figures.rs", "graph", "the agreement of judges is a figure of VirtualHome's papers"),
    ("crates/belief/src/compare.rs", "table", "what lies on the table"),
    ("crates/worlds/src/household/agent/goal.rs", "kitchen", "a room"),
    ("crates/worlds/src/household/generate/mod.rs", "kitchen", "a room"),
    ("crates/graph/src/conditions.rs", "kitchen", "a room"),
    ("crates/graph/src/conditions.rs", "table", "a piece of furniture"),
    ("crates/graph/src/prepare.rs", "kitchen", "a room"),
    ("crates/tui/src/widgets/words.rs", "scored", "an origin in words"),
];

fn read(folder: &Path, sources: &mut Vec<(String, String)>) {
    for file in crate::docs::files(folder, &[".rs"]) {
        let path = file.strip_prefix(root()).unwrap().to_string_lossy().into_owned();
        sources.push((path, std::fs::read_to_string(&file).unwrap()));
    }
}

/// The folders of the crates: all in `crates/`, and the other members of the workspace.
fn crates() -> Vec<String> {
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    let members = manifest.lines().find(|line| line.starts_with("members = ")).unwrap().split('"').skip(1).step_by(2);
    let folders = |member: &str| match member.strip_suffix("/*") {
        None => vec![member.to_owned()],
        Some(above) => {
            let inside = std::fs::read_dir(root().join(above)).unwrap().map(Result::unwrap);
            inside.map(|entry| format!("{above}/{}", entry.file_name().into_string().unwrap())).collect()
        }
    };
    members.flat_map(folders).collect()
}

fn tree() -> &'static Tree {
    static TREE: OnceLock<Tree> = OnceLock::new();
    TREE.get_or_init(|| {
        let mut sources = Vec::new();
        read(&root().join("src"), &mut sources);
        for folder in crates() {
            read(&root().join(folder).join("src"), &mut sources);
        }
        Tree::new(&sources)
    })
}

/// The crates with those that each reads, lowest first: the table of ARCHITECTURE.md.
fn stated() -> Vec<(String, Vec<String>)> {
    let page = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    let rows = page.lines().skip_while(|line| *line != "| crate | is | reads |").skip(2);
    rows.take_while(|line| line.starts_with('|'))
        .map(|row| {
            let cells: Vec<&str> = row.split('|').collect();
            let quoted = |cell: &str| cell.split('`').skip(1).step_by(2).map(str::to_owned).collect::<Vec<_>>();
            (quoted(cells[1]).remove(0), quoted(cells[3]))
        })
        .collect()
}

/// The crates of this repository that a `Cargo.toml` names as dependencies.
fn dependencies(manifest: &str) -> BTreeSet<String> {
    let section =
        manifest.lines().skip_while(|line| *line != "[dependencies]").skip(1).take_while(|l| !l.starts_with('['));
    let names = section.filter_map(|line| line.strip_prefix("stepwright-")?.split(['.', ' ']).next());
    names.map(str::to_owned).collect()
}

/// Worlds and methods from their registries, and the rooms of methods from their files.
fn names() -> &'static [Name] {
    static NAMES: OnceLock<Vec<Name>> = OnceLock::new();
    NAMES.get_or_init(|| {
        let owned = |parts: &[&str]| parts.iter().map(|part| (*part).to_owned()).collect::<Vec<_>>();
        let worlds = stepwright::worlds::WORLDS.iter().map(|kind| Name {
            id: kind.name.to_owned(),
            // Its engine is a crate of its name, where it has one.
            modules: vec![owned(&["worlds", kind.name]), owned(&[kind.name])],
            rooms: ["lib", "list"]
                .map(|file| format!("crates/worlds/src/{file}.rs"))
                .into_iter()
                .chain(["crates/worlds/src", "crates"].map(|folder| format!("{folder}/{}/", kind.name)))
                .collect(),
        });
        let in_methods = tree().files().filter_map(|file| file.path.strip_prefix("crates/methods/src/"));
        let rooms: BTreeSet<&str> = in_methods
            .filter_map(|path| path.split(['/', '.']).next())
            .filter(|room| !["lib", "list"].contains(room))
            .collect();
        let files = |room: &str| {
            let own = ["/", ".rs"].map(|ending| format!("crates/methods/src/{room}{ending}"));
            own.into_iter()
                .chain(["lib", "list"].map(|file| format!("crates/methods/src/{file}.rs")))
                .collect::<Vec<_>>()
        };
        let says = |room: &str, id: &str| {
            let mut own = tree().files().filter(|file| files(room)[..2].iter().any(|at| file.path.starts_with(at)));
            own.any(|file| file.modules.iter().any(|m| m.texts.iter().any(|(text, _)| text == id)))
        };
        let ids = stepwright::methods::METHODS.all().into_iter().map(|info| {
            let owner =
                rooms.get(info.id.replace('-', "_").as_str()).or_else(|| rooms.iter().find(|room| says(room, info.id)));
            let owner = owner.unwrap_or_else(|| panic!("no room declares {}", info.id));
            Name { id: info.id.to_owned(), modules: Vec::new(), rooms: files(owner) }
        });
        let rooms = rooms.iter().map(|room| Name {
            id: format!("methods::{room}"),
            modules: vec![owned(&["methods", room])],
            rooms: files(room),
        });
        worlds.chain(ids).chain(rooms).collect()
    })
}

const CIRCLES: &str = include_str!("circles.txt");

fn line(folder: &str, circle: &BTreeSet<String>) -> String {
    format!("{folder}: {}", circle.iter().cloned().collect::<Vec<_>>().join(" "))
}

fn excepted_circles() -> BTreeMap<String, Vec<BTreeSet<String>>> {
    let mut all: BTreeMap<String, Vec<BTreeSet<String>>> = BTreeMap::new();
    for (folder, members) in CIRCLES.lines().filter_map(|line| line.split_once(": ")) {
        all.entry(folder.to_owned()).or_default().push(members.split(' ').map(str::to_owned).collect());
    }
    all
}

/// Circles of a tree that are no part of an excepted one.
fn circles(tree: &Tree, excepted: &BTreeMap<String, Vec<BTreeSet<String>>>) -> Vec<String> {
    let mut faults = Vec::new();
    for (folder, circles) in tree.circles() {
        let of =
            |circle: &BTreeSet<String>, known: &Vec<BTreeSet<String>>| known.iter().any(|all| circle.is_subset(all));
        let new = circles.into_iter().filter(|circle| !excepted.get(&folder).is_some_and(|known| of(circle, known)));
        faults.extend(new.map(|circle| line(&folder, &circle)));
    }
    faults
}

/// Names outside of their rooms, and which of the exceptions were needed.
fn strange(of: &Tree) -> (Vec<String>, BTreeSet<usize>) {
    static CONSTANTS: OnceLock<Constants> = OnceLock::new();
    let constants = CONSTANTS.get_or_init(|| tree().constants(names()));
    let (mut faults, mut needed) = (Vec::new(), BTreeSet::new());
    for (file, name) in of.named(names(), constants) {
        let excepts = |(at, which, _): &(&str, &str, &str)| file.starts_with(at) && (*which == "*" || *which == name);
        match NAMED.iter().position(excepts) {
            Some(exception) => drop(needed.insert(exception)),
            None => faults.push(format!("{file}: names {name}")),
        }
    }
    (faults, needed)
}

#[test]
fn crates_read_what_the_architecture_says() {
    let (stated, crates) = (stated(), crates());
    let named = |folder: &String, name: &str| folder.rsplit('/').next() == Some(name);
    let mut faults: Vec<String> = Vec::new();
    for (at, (name, reads)) in stated.iter().enumerate() {
        // The binary's is the repository's own.
        let folder = crates.iter().find(|folder| named(folder, name)).map_or("", String::as_str);
        let manifest = std::fs::read_to_string(root().join(folder).join("Cargo.toml")).unwrap();
        if dependencies(&manifest) != reads.iter().cloned().collect() {
            faults.push(format!("{name}: ARCHITECTURE.md says {reads:?}, Cargo.toml {:?}", dependencies(&manifest)));
        }
        let above = |read: &&String| !stated[..at].iter().any(|(below, _)| below == *read);
        faults.extend(reads.iter().filter(above).map(|read| format!("{name}: reads {read}, which is not below it")));
    }
    let listed = |folder: &&String| stated.iter().any(|(known, _)| named(folder, known));
    faults.extend(crates.iter().filter(|f| !listed(f)).map(|folder| format!("{folder}: not in ARCHITECTURE.md")));
    faults.extend(tree().between_crates(&stated));
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

#[test]
fn rooms_are_read_in_their_order() {
    let faults: Vec<String> = tree().between_rooms(ROOMS).into_iter().collect();
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}

/// A circle that is gone leaves the list (`STEPWRIGHT_WRITE_DOCS=1` takes it out), and one that grew or is new fails.
#[test]
fn nothing_reads_round_in_a_circle() {
    let faults = circles(tree(), &excepted_circles());
    assert!(faults.is_empty(), "new circles:\n{}", faults.join("\n"));
    let found = tree().circles();
    let lines = found.iter().flat_map(|(folder, circles)| circles.iter().map(move |circle| line(folder, circle)));
    let (head, _) = CIRCLES.split_once("\n\n").unwrap();
    let left = format!("{head}\n\n{}\n", lines.collect::<Vec<_>>().join("\n"));
    if std::env::var_os("STEPWRIGHT_WRITE_DOCS").is_some() {
        std::fs::write(root().join("tests/it/imports/circles.txt"), &left).unwrap();
    }
    assert!(left == CIRCLES, "circles.txt lists what is gone; of it is left:\n{left}");
    let total: usize = found.values().flatten().map(BTreeSet::len).sum();
    assert_eq!(total, ON_CIRCLES, "set ON_CIRCLES to what is left");
}

#[test]
fn worlds_and_methods_are_named_in_their_rooms_alone() {
    let (faults, needed) = strange(tree());
    assert!(faults.is_empty(), "{}", faults.join("\n"));
    let idle: Vec<_> = NAMED.iter().enumerate().filter(|(at, _)| !needed.contains(at)).map(|(_, e)| e).collect();
    assert!(idle.is_empty(), "these except nothing: {idle:#?}");
}
