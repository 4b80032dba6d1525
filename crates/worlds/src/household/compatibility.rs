//! Compatibility of receptacle and object types: ALFWorld's table, embedded, for games whose file does not state it.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::LazyLock;

/// Receptacle type to the object types it accepts.
pub type Compatibility = BTreeMap<String, BTreeSet<String>>;

/// The embedded table (`worlds/household/compatibility.txt`).
pub fn embedded() -> &'static Compatibility {
    static TABLE: LazyLock<Compatibility> =
        LazyLock::new(|| parse(include_str!("../../worlds/household/compatibility.txt")));
    &TABLE
}

/// Reads `object: receptacle receptacle …` lines; `#` begins a comment.
fn parse(text: &str) -> Compatibility {
    let mut table = Compatibility::new();
    for line in text.lines().map(|l| l.split('#').next().unwrap_or_default()) {
        let Some((object, receptacles)) = line.split_once(':') else { continue };
        for receptacle in receptacles.split_whitespace() {
            table.entry(receptacle.to_owned()).or_default().insert(object.trim().to_owned());
        }
    }
    table
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_embedded_table_knows_the_common_pairs() {
        let table = embedded();
        assert!(table["coffeemachine"].contains("mug"));
        assert!(table["towelholder"].contains("towel"));
        assert!(!table["microwave"].contains("knife"));
        assert_eq!(table.len(), 36);
        assert_eq!(table.values().map(BTreeSet::len).sum::<usize>(), 684);
    }
}
