//! Arrows that must not be there, planted one by one in the sources (`plants.txt`): each is caught, by the rule it breaks. And what is
//! harmless is not.

use std::collections::BTreeSet;

use super::{ROOMS, circles, excepted_circles, root, stated, strange, tree};

/// A file, what is added to it, the rule that this breaks and what is said of it.
struct Plant {
    file: &'static str,
    added: String,
    broken: Option<(&'static str, &'static str)>,
}

fn plants() -> Vec<Plant> {
    let mut lines = include_str!("plants.txt").lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let mut plants = Vec::new();
    while let (Some(head), Some(added)) = (lines.next(), lines.next()) {
        let (file, rest) = head.split_once(": ").unwrap();
        let broken = rest.split_once(": ").or(rest.split_once(':'));
        plants.push(Plant { file, added: added.trim_start().replace("\\n", "\n"), broken });
    }
    plants
}

/// What the rules say of a file with a text added to it.
fn faults(file: &str, added: &str) -> BTreeSet<(&'static str, String)> {
    let text = std::fs::read_to_string(root().join(file)).unwrap_or_else(|fault| panic!("{file}: {fault}"));
    let tree = tree().with(file, &format!("{text}\n{added}\n"));
    let of = |rule: &'static str, faults: Vec<String>| faults.into_iter().map(move |fault| (rule, fault));
    let round = circles(&tree, &excepted_circles());
    let tree = tree.alone(file);
    of("Crates", tree.between_crates(&stated()).into_iter().collect())
        .chain(of("Rooms", tree.between_rooms(ROOMS).into_iter().collect()))
        .chain(of("Circles", round))
        .chain(of("Names", strange(&tree).0))
        .collect()
}

#[test]
fn every_planted_arrow_is_caught_and_nothing_else() {
    let plants = plants();
    assert!(plants.len() > 50, "{} plants", plants.len());
    for Plant { file, added, broken } in plants {
        let faults = faults(file, &added);
        match broken {
            Some((rule, said)) => assert!(
                faults.iter().any(|(broken, fault)| *broken == rule && fault.contains(said)),
                "{file}: {added}: {rule} should say {said:?}, not {faults:?}"
            ),
            None => assert_eq!(faults, BTreeSet::new(), "{file}: {added}"),
        }
    }
}
