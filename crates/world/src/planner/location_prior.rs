//! Location prior: the chance that a place of one kind holds a thing of another, from a table and from looks into places.

use std::collections::BTreeMap;

use super::effects::kind_of;

/// Chance for a place that an object's line does not name.
const UNNAMED: f64 = 0.015;

/// How many demonstrated looks weigh as much as the table.
const TABLE_WEIGHT: f64 = 10.0;

/// Chances that a place of one kind holds an object of another.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct LocationPrior {
    table: BTreeMap<String, BTreeMap<String, f64>>,
    closed: Vec<String>,
    /// By kind of place: looks into such places, and by object how many of them showed it.
    looks: BTreeMap<String, (u32, BTreeMap<String, u32>)>,
}

impl LocationPrior {
    /// Reads a table; lines that do not read are left out.
    pub fn parse(source: &str) -> Self {
        let mut prior = LocationPrior::default();
        for line in source.lines().map(str::trim).filter(|l| !l.is_empty() && !l.starts_with('#')) {
            let Some((object, rest)) = line.split_once(':') else { continue };
            if object == "closed" {
                prior.closed = rest.split_whitespace().map(str::to_owned).collect();
                continue;
            }
            let row = prior.table.entry(object.trim().to_owned()).or_default();
            for group in rest.split(';') {
                let mut words = group.split_whitespace();
                let Some(chance) = words.next().and_then(level) else { continue };
                row.extend(words.map(|place| (place.to_owned(), chance)));
            }
        }
        prior
    }

    /// Adds a look into a place, which showed these things.
    pub fn learn<'a>(&mut self, place: &str, things: impl IntoIterator<Item = &'a str>) {
        let (looks, shown) = self.looks.entry(kind_of(place).to_owned()).or_default();
        *looks += 1;
        let mut kinds: Vec<&str> = things.into_iter().map(kind_of).collect();
        kinds.sort_unstable();
        kinds.dedup();
        for kind in kinds {
            *shown.entry(kind.to_owned()).or_default() += 1;
        }
    }

    /// The chance that one place of a kind holds an object of a kind.
    pub fn chance(&self, object: &str, place: &str) -> f64 {
        let row = self.table.get(object).or_else(|| self.table.get("*"));
        let prior = row.and_then(|r| r.get(place)).copied().unwrap_or(UNNAMED);
        let Some((looks, shown)) = self.looks.get(place) else { return prior };
        let hits = f64::from(shown.get(object).copied().unwrap_or(0));
        // Demonstrations come from rooms that need not hold the object at all, so a hit says more than a miss.
        let misses = (f64::from(*looks) - hits) * 0.1;
        (prior * TABLE_WEIGHT + hits) / (TABLE_WEIGHT + hits + misses)
    }

    /// In words, how often such places hold such objects.
    pub fn word(&self, object: &str, place: &str) -> &'static str {
        match self.chance(object, place) {
            p if p >= 0.4 => "usually",
            p if p >= 0.22 => "often",
            p if p >= 0.1 => "sometimes",
            p if p >= 0.03 => "seldom",
            _ => "hardly ever",
        }
    }

    /// Whether places of this kind are shut when first reached.
    pub fn is_closed_at_first(&self, place: &str) -> bool {
        self.closed.iter().any(|c| c == place)
    }

    /// The kinds of objects the table names.
    pub fn objects(&self) -> impl Iterator<Item = &str> {
        self.table.keys().map(String::as_str).filter(|k| *k != "*")
    }
}

fn level(word: &str) -> Option<f64> {
    Some(match word {
        "usual" => 0.5,
        "often" => 0.3,
        "sometimes" => 0.15,
        "seldom" => 0.06,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str = "mug: often coffeemachine; seldom drawer\n*: sometimes desk\npillow: usual bed\nclosed: fridge";

    #[test]
    fn named_places_are_likelier_than_others() {
        let prior = LocationPrior::parse(TABLE);
        assert!(prior.chance("mug", "coffeemachine") > prior.chance("mug", "drawer"));
        assert!(prior.chance("unheard of", "desk") > prior.chance("unheard of", "toilet"));
        assert_eq!(prior.word("pillow", "bed"), "usually");
        assert!(prior.is_closed_at_first("fridge") && !prior.is_closed_at_first("shelf"));
    }

    #[test]
    fn looks_sharpen_the_table() {
        let mut prior = LocationPrior::parse(TABLE);
        let before = prior.chance("egg", "toaster");
        for _ in 0..5 {
            prior.learn("toaster 1", ["egg 1", "egg 2"]);
        }
        let after = prior.chance("egg", "toaster");
        assert!(after > before + 0.2 && after < 1.0, "{before} {after}");
        assert!(prior.chance("cup", "toaster") < 0.015 + 1e-9);
    }
}
