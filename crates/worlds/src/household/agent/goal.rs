//! Parsing of the goal from a household task's sentence.
//!
//! Knows the six task types and their sentence forms, and is lenient about wording: articles, plurals, words run together or
//! apart, synonyms of the states.

use stepwright_world::planner::effects::kind_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Goal {
    /// Things of a kind in or on one place of a kind, in a state.
    Place {
        object: String,
        count: usize,
        /// The property they must have (`clean`, `heat`, `cool`).
        state: Option<String>,
        place: String,
    },
    /// A thing held where a lamp is on.
    Light { object: String, lamp: String },
}

impl Goal {
    /// The kind of thing it is about.
    pub fn object(&self) -> &str {
        match self {
            Goal::Place { object, .. } | Goal::Light { object, .. } => object,
        }
    }
}

/// Words that carry nothing.
const FILLERS: &[&str] = &[
    "a", "an", "the", "some", "of", "your", "task", "is", "to", "please", "it", "them", "that", "this", "piece", "one",
    "single", "any", "into", "onto", "be", "room", "kitchen", "pair", "you", "its", "his", "her", "right", "now",
];

/// Words that say the state, and the property the specification records it under.
const STATES: &[(&str, &[&str])] = &[
    ("clean", &["clean", "cleaned", "wash", "washed", "rinse", "rinsed", "rinsing", "cleaning", "washing"]),
    ("heat", &["heat", "heated", "hot", "warm", "warmed", "microwaved", "microwave", "cook", "cooked", "heating"]),
    ("cool", &["cool", "cooled", "cold", "chilled", "chill", "chilly", "refrigerate", "refrigerated", "cooling"]),
];

const PLACERS: &[&str] = &[
    "put", "place", "move", "set", "bring", "store", "stow", "leave", "drop", "take", "carry", "find", "get", "lay",
    "deliver",
];

const INSIDE: &[&str] =
    &["in", "on", "at", "inside", "upon", "under", "by", "with", "near", "beneath", "using", "from"];

/// Reads a sentence. `places` are the kinds of places in the room, `objects` kinds of things known of; both may be empty, they
/// settle the spelling. `None` if it is no household task.
pub fn read(sentence: &str, places: &[&str], objects: &[&str]) -> Option<Goal> {
    let lower = sentence.to_lowercase();
    let tail = lower.rsplit("task is to:").next().unwrap_or(&lower);
    let words: Vec<&str> =
        tail.split(|c: char| !c.is_alphanumeric()).filter(|w| !w.is_empty() && !FILLERS.contains(w)).collect();
    light(&words, objects).or_else(|| place(&words, places, objects))
}

fn light(words: &[&str], objects: &[&str]) -> Option<Goal> {
    let lamp = words.iter().rposition(|w| w.contains("lamp"));
    let at = lamp.or_else(|| words.iter().rposition(|w| *w == "light"))?;
    let looks = ["look", "examine", "inspect", "view", "read", "study", "see", "hold", "check"];
    let verb = words.iter().position(|w| looks.contains(w))?;
    let preposition = words.iter().position(|w| INSIDE.contains(w) && *w != "at").filter(|p| *p > verb)?;
    let thing: Vec<&str> = words[verb + 1..preposition].iter().copied().filter(|w| *w != "at").collect();
    let lamp_words: Vec<&str> =
        words[preposition..=at.max(preposition)].iter().copied().filter(|w| !INSIDE.contains(w)).collect();
    let lamp = match lamp_words.concat().as_str() {
        joined if joined.contains("floor") || joined.contains("standing") => "floorlamp".to_owned(),
        joined if joined.contains("desk") || joined == "lamp" || joined == "light" => "desklamp".to_owned(),
        joined => joined.to_owned(),
    };
    Some(Goal::Light { object: spell(&thing, objects)?, lamp })
}

fn place(words: &[&str], places: &[&str], objects: &[&str]) -> Option<Goal> {
    let count = if words.iter().any(|w| ["two", "2", "both"].contains(w)) { 2 } else { 1 };
    let words: Vec<&str> = words.iter().copied().filter(|w| !["two", "2", "both"].contains(w)).collect();
    // The last preposition with words after it opens the place.
    let at = words.iter().rposition(|w| INSIDE.contains(w)).filter(|at| at + 1 < words.len())?;
    let target = &words[at + 1..];
    let before = &words[..at];
    let state_of = |w: &str| STATES.iter().find(|(_, forms)| forms.contains(&w)).map(|(name, _)| *name);
    let state = before.iter().find_map(|w| state_of(w));
    // Up to an earlier preposition ("heat some egg in the microwave and put it in …"), an "and", or the placing verb's object.
    let thing: Vec<&str> = before
        .iter()
        .copied()
        .skip_while(|w| PLACERS.contains(w) || state_of(w).is_some())
        .take_while(|w| *w != "and" && *w != "then" && !INSIDE.contains(w))
        .filter(|w| !PLACERS.contains(w) && state_of(w).is_none())
        .collect();
    Some(Goal::Place {
        object: spell(&thing, objects)?,
        count,
        state: state.map(str::to_owned),
        place: spell(target, places)?,
    })
}

/// The known kind that the words name: equal when run together, in the singular, or the known name begins or ends with them;
/// else the words run together.
fn spell(words: &[&str], known: &[&str]) -> Option<String> {
    if words.is_empty() {
        return None;
    }
    let joined = words.concat();
    let mut forms = vec![joined.clone()];
    for ending in ["s", "es"] {
        forms.extend(joined.strip_suffix(ending).map(str::to_owned));
    }
    forms.extend(joined.strip_suffix("ies").map(|stem| format!("{stem}y")));
    forms.extend(joined.strip_suffix("ves").into_iter().flat_map(|stem| [format!("{stem}f"), format!("{stem}fe")]));
    let exact = forms.iter().find(|f| known.contains(&f.as_str()));
    let within = || {
        let fits =
            |k: &&&str| forms.iter().any(|f| f.len() > 2 && (k.starts_with(f.as_str()) || k.ends_with(f.as_str())));
        known.iter().find(fits).map(|k| (*k).to_owned())
    };
    Some(exact.cloned().or_else(within).unwrap_or(joined))
}

/// The distinct kinds of names, in order.
pub fn kinds<'a>(names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let mut kinds: Vec<&str> = Vec::new();
    for kind in names.into_iter().map(kind_of) {
        if !kinds.contains(&kind) {
            kinds.push(kind);
        }
    }
    kinds
}

#[cfg(test)]
mod tests {
    use super::*;

    const PLACES: &[&str] = &["cabinet", "sinkbasin", "fridge", "coffeemachine", "sidetable", "shelf", "bathtubbasin"];
    const OBJECTS: &[&str] = &["mug", "soapbar", "egg", "pen", "bowl", "knife", "remotecontrol", "cd", "glassbottle"];

    fn put(object: &str, count: usize, state: Option<&str>, place: &str) -> Option<Goal> {
        let (object, place) = (object.to_owned(), place.to_owned());
        Some(Goal::Place { object, count, state: state.map(str::to_owned), place })
    }

    #[test]
    fn the_twelve_sentence_forms() {
        let read = |s| super::read(s, PLACES, OBJECTS);
        assert_eq!(read("put a mug in coffeemachine."), put("mug", 1, None, "coffeemachine"));
        assert_eq!(read("put some mug on sidetable."), put("mug", 1, None, "sidetable"));
        assert_eq!(read("put a clean egg in fridge."), put("egg", 1, Some("clean"), "fridge"));
        assert_eq!(read("clean some soapbar and put it in cabinet."), put("soapbar", 1, Some("clean"), "cabinet"));
        assert_eq!(read("put a hot egg in fridge."), put("egg", 1, Some("heat"), "fridge"));
        assert_eq!(read("heat some egg and put it in fridge."), put("egg", 1, Some("heat"), "fridge"));
        assert_eq!(read("put a cool mug in coffeemachine."), put("mug", 1, Some("cool"), "coffeemachine"));
        assert_eq!(read("cool some mug and put it in cabinet."), put("mug", 1, Some("cool"), "cabinet"));
        assert_eq!(read("put two cd in cabinet."), put("cd", 2, None, "cabinet"));
        assert_eq!(read("find two pen and put them in shelf."), put("pen", 2, None, "shelf"));
        let lit = |o: &str| Some(Goal::Light { object: o.into(), lamp: "desklamp".into() });
        assert_eq!(read("look at bowl under the desklamp."), lit("bowl"));
        assert_eq!(read("examine the pen with the desklamp."), lit("pen"));
    }

    #[test]
    fn other_wordings() {
        let read = |s| super::read(s, PLACES, OBJECTS);
        assert_eq!(read("Your task is to: Put a heated mug in the cabinet"), put("mug", 1, Some("heat"), "cabinet"));
        assert_eq!(read("Place both knives inside the sink"), put("knife", 2, None, "sinkbasin"));
        assert_eq!(read("put a remote control on the side table."), put("remotecontrol", 1, None, "sidetable"));
        assert_eq!(read("Wash a soap bar, then put it in the cabinet"), put("soapbar", 1, Some("clean"), "cabinet"));
        assert_eq!(read("put two glass bottles in the shelves"), put("glassbottle", 2, None, "shelf"));
        assert_eq!(
            read("look at the cd under the light of the floor lamp"),
            Some(Goal::Light { object: "cd".into(), lamp: "floorlamp".into() })
        );
        assert_eq!(
            read("Examine a bowl by the light of a desk lamp."),
            Some(Goal::Light { object: "bowl".into(), lamp: "desklamp".into() })
        );
    }

    #[test]
    fn what_is_no_task_is_not_read() {
        for sentence in ["", "put", "in", "dance a little", "put in", "look under", "clean"] {
            assert_eq!(read(sentence, PLACES, OBJECTS), None, "{sentence}");
        }
    }

    proptest::proptest! {
        #[test]
        fn no_sentence_breaks_it(sentence in ".{0,60}") {
            let _ = read(&sentence, PLACES, OBJECTS);
        }

        #[test]
        fn words_in_any_order_do_not_break_it(words in proptest::collection::vec(
            proptest::sample::select(vec!["put", "a", "look", "at", "in", "mug", "lamp", "two", "and", "hot", "with", "desklamp"]),
            0..12,
        )) {
            let _ = read(&words.join(" "), PLACES, OBJECTS);
        }
    }
}
