//! Receptacles. Says which types of things fit in or on which types of receptacles.

use std::collections::{BTreeMap, BTreeSet};

use crate::household::embedded_compatibility;

/// The receptacle types of a kitchen that are choosy; every other type takes everything.
const CHOOSY: &str = "bowl cabinet coffeemachine countertop cup diningtable drawer fridge garbagecan microwave mug pan plate \
                      pot sidetable sink sinkbasin stoveburner toaster";

/// Receptacle type to the types it accepts. A receptacle type that is not in here accepts everything.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Receptacles(BTreeMap<String, BTreeSet<String>>);

impl Receptacles {
    /// ALFWorld's constants, as far as kitchens go.
    pub fn built_in() -> Receptacles {
        let table = embedded_compatibility();
        let row = |kind: &str| table.get(if kind == "sink" { "sinkbasin" } else { kind }).cloned().unwrap_or_default();
        Receptacles(CHOOSY.split_whitespace().map(|kind| (kind.to_owned(), row(kind))).collect())
    }

    /// Reads a JSON object of receptacle types, each with the list of types it accepts.
    pub(crate) fn from_json(text: &str) -> Result<Receptacles, String> {
        let table: BTreeMap<String, Vec<String>> = serde_json::from_str(text)
            .map_err(|e| format!("{e}; an object such as {{\"Toaster\": [\"BreadSliced\"]}} is expected"))?;
        let lower = |kinds: Vec<String>| kinds.iter().map(|kind| kind.to_lowercase()).collect();
        Ok(Receptacles(
            table.into_iter().map(|(receptacle, kinds)| (receptacle.to_lowercase(), lower(kinds))).collect(),
        ))
    }

    /// Whether a thing of a type may be put in or on a receptacle of a type.
    pub fn fits(&self, kind: &str, receptacle: &str) -> bool {
        self.0.get(&receptacle.to_lowercase()).is_none_or(|kinds| kinds.contains(&kind.to_lowercase()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_choosy_ones_are_choosy_and_others_take_everything() {
        let table = Receptacles::built_in();
        assert!(table.fits("BreadSliced", "Toaster") && !table.fits("Bread", "Toaster"));
        assert!(table.fits("Mug", "CoffeeMachine") && !table.fits("Cup", "CoffeeMachine"));
        assert!(table.fits("Apple", "Stool"));
        assert!(table.0.values().all(|kinds| !kinds.is_empty()), "every choosy type has a row in the table");
    }

    #[test]
    fn a_file_replaces_the_table() {
        let table = Receptacles::from_json(r#"{"Toaster": ["Mug"]}"#).unwrap();
        assert!(table.fits("Mug", "Toaster") && !table.fits("BreadSliced", "Toaster") && table.fits("Cup", "Fridge"));
        assert!(Receptacles::from_json("[]").is_err());
    }
}
