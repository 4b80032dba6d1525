//! Arrows that must not be there, planted one by one in the sources: each is caught, by the rule it breaks. And what is harmless is not.

use std::collections::BTreeSet;

use super::{ROOMS, circles, excepted_circles, root, stated, strange, tree};

#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Rule {
    Crates,
    Rooms,
    Circles,
    Names,
}
use Rule::{Circles, Crates, Names, Rooms};

/// The file, what is added to it, the rule, and what is said of it.
const PLANTS: &[(&str, &str, Rule, &str)] = &[
    // Crates, by each way of naming them.
    ("crates/episode/src/lib.rs", "use stepwright_driver::Notice;", Crates, "`episode` does not read `driver`"),
    ("crates/episode/src/lib.rs", "use stepwright_shop::Shop;", Crates, "`episode` does not read `shop`"),
    ("crates/episode/src/gate/mod.rs", "fn f() { stepwright_shop::f() }", Crates, "`episode` does not read `shop`"),
    ("crates/world/src/lib.rs", "use stepwright_method::Method;", Crates, "`world` does not read `method`"),
    ("crates/world/src/kind.rs", "type A = stepwright_method::Step;", Crates, "`world` does not read `method`"),
    ("crates/driver/src/lib.rs", "use stepwright_graph::Graph;", Crates, "`driver` does not read `graph`"),
    ("crates/tui/src/view.rs", "use {stepwright_shop::Shop, std::fmt};", Crates, "`tui` does not read `shop`"),
    ("crates/skill/src/lib.rs", "pub use stepwright_graph::*;", Crates, "`skill` does not read `graph`"),
    (
        "crates/skill/src/cut.rs",
        "impl From<stepwright_graph::Script> for A {}",
        Crates,
        "`skill` does not read `graph`",
    ),
    (
        "crates/text/src/words.rs",
        "use stepwright_text as own;\nuse stepwright_files::Lock;",
        Crates,
        "`text` does not read `files`",
    ),
    // Rooms of a crate.
    ("crates/world/src/literal.rs", "use crate::planner::Plan;", Rooms, "`literal` reads `planner`"),
    ("crates/world/src/planner/mod.rs", "use super::{blocking::*, literal};", Rooms, "`planner` reads `blocking`"),
    (
        "crates/world/src/options/mod.rs",
        "use crate::KIND_LIST as L;\nfn f(w: &dyn crate::World) {}",
        Circles,
        "world: ",
    ),
    // Circles: of files, of a file and a folder, through a re-export, through `*`, at the root.
    ("crates/driver/src/timeline.rs", "use crate::run::start;", Circles, "driver: "),
    ("crates/driver/src/timeline.rs", "use super::start;", Circles, "driver: "),
    (
        "crates/text/src/sanitize.rs",
        "use super::*;\nfn f() { plain() }\nfn g() { crate::wrap::f() }",
        Circles,
        "text: sanitize wrap",
    ),
    ("crates/embed/src/error.rs", "fn f() { super::minilm::load() }", Circles, "embed: . error minilm"),
    // Worlds and methods: modules, whatever way leads there.
    ("crates/driver/src/lib.rs", "use stepwright_world::kitchen;", Names, "names kitchen"),
    ("crates/driver/src/jobs.rs", "fn f() { stepwright_world::kitchen::f() }", Names, "names kitchen"),
    ("crates/driver/src/jobs.rs", "use stepwright_world::{Atom, kitchen::{self, KIND}};", Names, "names kitchen"),
    ("crates/world/src/kitchen/mod.rs", "use crate::household::KIND;", Names, "names household"),
    ("crates/world/src/kitchen/world.rs", "use super::super::household::KIND;", Names, "names household"),
    ("crates/world/src/catalog.rs", "use crate::household::KIND;", Names, "names household"),
    ("crates/world/src/household/world.rs", "use stepwright_shop::Shop;", Names, "names shop"),
    ("crates/driver/src/jobs.rs", "use stepwright_method::statler::STATLER;", Names, "names method::statler"),
    ("crates/driver/src/jobs.rs", "use stepwright_method::SCORED;", Names, "names method::scored"),
    ("crates/tui/src/view.rs", "use stepwright_method as m;\nfn f() { m::SCORED }", Names, "names method::scored"),
    ("crates/method/src/few_shot.rs", "use crate::statler::prompt;", Names, "names method::statler"),
    ("crates/method/src/few_shot.rs", "fn f() { super::statler::prompt::f() }", Names, "names method::statler"),
    ("crates/method/src/team.rs", "use super::{needs, reprompt::course};", Names, "names method::reprompt"),
    ("crates/method/src/verify.rs", "use crate::SCORED;", Names, "names method::scored"),
    // Ids, beginnings of ids, constants.
    ("crates/driver/src/jobs.rs", "const A: &str = \"kitchen\";", Names, "names kitchen"),
    ("crates/driver/src/jobs.rs", "fn f(n: &str) -> bool { n == r\"o3d\" }", Names, "names o3d"),
    ("crates/method/src/team.rs", "const A: &str = \"reprompt\";", Names, "names reprompt"),
    ("crates/method/src/react/mod.rs", "const A: &str = \"reprompt\";", Names, "names reprompt"),
    ("crates/driver/src/jobs.rs", "fn f(n: &str) -> bool { n.starts_with(\"kitch\") }", Names, "names kitchen"),
    (
        "crates/tui/src/view.rs",
        "fn f(n: &str) { n.strip_prefix(\"precondition-\"); }",
        Names,
        "names precondition-aware",
    ),
    ("crates/driver/src/jobs.rs", "use stepwright_world::CUPS;", Names, "names table"),
    ("crates/tui/src/view.rs", "fn f() -> &'static str { stepwright_world::CUPS }", Names, "names table"),
    // Below a module of tests, and inside of another.
    (
        "crates/driver/src/jobs.rs",
        "#[cfg(test)]\nmod planted {\n    fn f() { \"}\" }\n}\n\nuse stepwright_world::kitchen;",
        Names,
        "names kitchen",
    ),
    (
        "crates/driver/src/jobs.rs",
        "#[cfg(test)]\nuse std::fmt;\nuse stepwright_world::kitchen;",
        Names,
        "names kitchen",
    ),
    ("crates/world/src/kitchen/mod.rs", "mod a { use super::super::household::KIND; }", Names, "names household"),
];

/// Plants that break no rule.
const HARMLESS: &[(&str, &str)] = &[
    ("crates/driver/src/jobs.rs", "// use stepwright_world::kitchen;"),
    ("crates/driver/src/jobs.rs", "/* use stepwright_world::kitchen; /* \"kitchen\" */ */"),
    ("crates/driver/src/jobs.rs", "//! [`stepwright_world::kitchen`] is only spoken of."),
    ("crates/driver/src/jobs.rs", "const A: &str = \"stepwright_world::kitchen and 'kitchen'\";"),
    ("crates/driver/src/jobs.rs", "const A: (char, u8) = ('\"', b'\\'');\nfn f<'kitchen>() {}"),
    ("crates/driver/src/jobs.rs", "#[cfg(test)]\nmod planted {\n    use stepwright_world::kitchen;\n}"),
    ("crates/driver/src/jobs.rs", "#[cfg(test)]\nfn f<A, B>() { stepwright_world::kitchen::f(\"kitchen\") }"),
    ("crates/driver/src/jobs.rs", "#[cfg(test)]\nmod planted;"),
    ("crates/driver/src/jobs.rs", "fn f(n: &str) { n.starts_with(\"kit\"); n.starts_with(\"kitchens\") }"),
    ("crates/driver/src/jobs.rs", "pub use stepwright_episode::*;"),
    ("crates/world/src/kitchen/mod.rs", "use crate::kitchen::world;\nconst A: &str = \"kitchen\";"),
    ("crates/world/src/table/mod.rs", "use crate::CUPS;"),
    ("crates/method/src/react/mod.rs", "use crate::react::prompt;\nconst A: &str = \"react-long\";"),
];

fn faults(file: &str, added: &str) -> BTreeSet<(Rule, String)> {
    let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|fault| panic!("{file}: {fault}"));
    let tree = tree().with(file, &format!("{text}\n{added}\n"));
    let of = |rule: Rule, faults: Vec<String>| faults.into_iter().map(move |fault| (rule, fault));
    let round = circles(&tree, &excepted_circles());
    let tree = tree.alone(file);
    of(Crates, tree.between_crates(&stated()).into_iter().collect())
        .chain(of(Rooms, tree.between_rooms(ROOMS).into_iter().collect()))
        .chain(of(Circles, round))
        .chain(of(Names, strange(&tree).0))
        .collect()
}

#[test]
fn every_planted_arrow_is_caught() {
    let missed: Vec<_> = PLANTS
        .iter()
        .filter_map(|(file, added, rule, said)| {
            let faults = faults(file, added);
            let caught = faults.iter().any(|(broken, fault)| broken == rule && fault.contains(said));
            (!caught).then(|| format!("{file}: {added}: {rule:?} should say {said:?}, not {faults:?}"))
        })
        .collect();
    assert!(missed.is_empty(), "{}", missed.join("\n"));
}

#[test]
fn what_is_harmless_is_not_caught() {
    for (file, added) in HARMLESS {
        assert_eq!(faults(file, added), BTreeSet::new(), "{file}: {added}");
    }
}
