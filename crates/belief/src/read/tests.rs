//! Tests of deviations one by one, hostile texts, and texts broken at random.

use insta::assert_snapshot;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Fault, ReadError, Reading, read};
use crate::write;

fn repaired(text: &str) -> (Value, Vec<String>) {
    let Reading { state, repairs, .. } = read(text).unwrap();
    (state, repairs.iter().map(ToString::to_string).collect())
}

fn plain() -> Value {
    json!({"objects": ["a block", "b block", "c bowl"], "relations": ["a block is on b block"], "a block": {}, "b block": {"is": ["dirty"]},
        "c bowl": {"contains": ["b block"]}})
}

#[test]
fn json_with_and_without_comment_signs_needs_no_repair() {
    let state = plain();
    for text in [
        write(&state),
        state.to_string(),
        format!("state = {state}"),
        format!("  #  state: {state}\n"),
        write(&state).replace('\n', "\r\n"),
    ] {
        assert_eq!(repaired(&text), (state.clone(), vec![]), "{text}");
    }
    assert_eq!(repaired("# state = {}"), (json!({}), vec![]));
}

#[test]
fn typographic_quotes_end_names_in_what_is_json_by_accident() {
    let text = "# state = {\n#     \"objects\": [\"red block”, “tin bowl\"],\n#     \"relations\": []\n# }";
    assert_eq!(repaired(text).0["objects"], json!(["red block", "tin bowl"]));
}

/// The reading of each case of `tests/texts.txt`, between lines with `==`, and the repairs.
#[test]
fn deviations_are_mended_and_reported_with_their_lines() {
    let mut out = String::new();
    for case in include_str!("tests/texts.txt").trim_start_matches("==").strip_suffix('\n').unwrap().split("\n==") {
        let (title, text) = case.split_once('\n').unwrap();
        out += &format!("=={title}\n{text}\n");
        match read(text) {
            Ok(Reading { state, repairs, truncated }) => {
                out += &format!("    {state}{}\n", if truncated { ", cut within a name or value" } else { "" });
                repairs.iter().for_each(|repair| out += &format!("    {repair}\n"));
            }
            Err(error) => out += &format!("    {error}\n"),
        }
    }
    assert_snapshot!(out);
}

#[test]
fn hostile_texts_are_bounded() {
    assert_eq!(read(&"x".repeat(1 << 19)), Err(ReadError::TooLong { bytes: 1 << 19 }));
    let many = 1 << 17;
    for text in ["{\"a\":", "[", "{\"a\":[", "{"].map(|s| format!("{{\"a\": {}", s.repeat(20_000))) {
        assert!(matches!(read(&text), Err(ReadError::TooDeep { line: 1 }) | Ok(_)), "{}", &text[..20]);
    }
    let nested = format!("{{\"a\": {}{}}}", "[".repeat(40), "]".repeat(40));
    assert!(matches!(read(&nested), Err(ReadError::TooDeep { line: 1 })));
    for unit in [
        "}", "\"", "'a,", ",", "\"a\"b", "{}", "[]:", "“a\n", "\"a\":\n", "#", "\u{1b}[31m", "a:", "[\"a\":", "'", "\\",
    ] {
        let text = format!("{{{}", unit.repeat(many / unit.len()));
        if let Ok(reading) = read(&text) {
            assert!(reading.repairs.len() <= 301, "{unit:?}");
        }
    }
    let (state, repairs) = repaired("{\"a\u{1b}[31m\": {\"is\": [\"\u{7}dirty\"]}}");
    assert_eq!(
        (state, repairs),
        (json!({"a[31m": {"is": ["dirty"]}}), vec!["line 1: control characters were left out".to_owned()])
    );
}

fn name() -> impl Strategy<Value = String> {
    "[a-z][a-z0-9]{0,6}( [a-z0-9]{1,6}){0,2}"
        .prop_filter("not a word of the form", |n| !matches!(n.as_str(), "objects" | "relations" | "query" | "state"))
}

fn belief() -> impl Strategy<Value = Value> {
    let objects = proptest::collection::btree_set(name(), 2..7).prop_map(|names| names.into_iter().collect::<Vec<_>>());
    (objects, proptest::collection::vec((any::<u8>(), any::<u8>(), 0..5_u8), 1..8)).prop_map(|(objects, facts)| {
        let pick = |at: u8| objects[usize::from(at) % objects.len()].clone();
        let mut state = json!({"objects": objects, "relations": []});
        for object in &objects {
            state[object.as_str()] = json!({});
        }
        for (one, other, kind) in facts {
            let (one, other) = (pick(one), pick(other));
            match kind {
                0 => state["relations"].as_array_mut().unwrap().push(json!(format!("{one} is on {other}"))),
                1 => state[one.as_str()]["is"] = json!(["dirty"]),
                2 => state[one.as_str()]["contains"] = json!([other]),
                3 => state[one.as_str()]["weight"] = json!(format!("{}.weight * 2", other.replace(' ', "_"))),
                _ => state[one.as_str()]["hot"] = json!(true),
            }
        }
        state
    })
}

fn any_belief() -> impl Strategy<Value = Value> {
    let text =
        any::<String>().prop_map(|s| s.trim().to_owned()).prop_filter("empty names are left out", |s| !s.is_empty());
    let text2 = text.clone();
    proptest::collection::btree_map(text, (proptest::collection::vec(text2, 0..3), any::<i32>()), 0..5).prop_map(
        |entries| {
            let entries = entries.into_iter().filter(|(name, _)| name != "objects" && name != "relations");
            Value::Object(
                entries
                    .map(|(name, (contains, weight))| (name, json!({"contains": contains, "weight": weight})))
                    .collect(),
            )
        },
    )
}

proptest! {
    #[test]
    fn nothing_panics(text in any::<String>()) {
        let _ = read(&text);
        let _ = read(&format!("# state = {{{text}"));
    }

    #[test]
    fn nothing_made_of_signs_panics(text in "[{}\\[\\]:=,\"“”'’#\n a-c\\\\]{0,80}") {
        let _ = read(&format!("{{{text}"));
        if let Ok(reading) = read(&text) {
            // What was read is in the form of a belief: written, it is read as it is.
            let again = read(&write(&reading.state)).unwrap();
            prop_assert_eq!(&again.state, &reading.state);
            prop_assert_eq!(again.repairs.iter().filter(|r| !matches!(r.fault, Fault::RelationAsObject)).count(), 0, "{:?}", again.repairs);
        }
    }

    #[test]
    fn what_is_written_reads_back(state in belief()) {
        prop_assert_eq!(read(&write(&state)), Ok(Reading { state, repairs: vec![], truncated: false }));
    }

    #[test]
    fn any_strings_read_back(state in any_belief()) {
        prop_assert_eq!(read(&write(&state)), Ok(Reading { state, repairs: vec![], truncated: false }));
    }

    #[test]
    fn one_missing_comma_changes_nothing(state in belief(), which in any::<prop::sample::Index>()) {
        let text = write(&state);
        let commas: Vec<usize> = text.match_indices(',').map(|(at, _)| at).collect();
        let mut broken = text.clone();
        broken.remove(*which.get(&commas));
        let reading = read(&broken).unwrap();
        prop_assert_eq!(&reading.state, &state, "{}", broken);
        prop_assert_eq!(reading.repairs.len(), 1);
    }

    #[test]
    fn other_quotes_change_nothing(state in belief(), seed in any::<u64>()) {
        let mut bits = seed;
        let broken: String = write(&state).chars().map(|c| {
            bits = bits.rotate_left(3).wrapping_add(0x9e37_79b9);
            if c == '"' { ['“', '”', '"', '«'][(bits % 4) as usize] } else { c }
        }).collect();
        prop_assert_eq!(read(&broken).unwrap().state, state, "{}", broken);
    }

    #[test]
    fn one_missing_quote_changes_nothing(state in belief(), which in any::<prop::sample::Index>()) {
        let text = write(&state);
        let quotes: Vec<usize> = text.match_indices('"').map(|(at, _)| at).collect();
        let mut broken = text.clone();
        broken.remove(*which.get(&quotes));
        prop_assert_eq!(read(&broken).unwrap().state, state, "{}", broken);
    }

    #[test]
    fn a_missing_brace_costs_no_entry(state in belief(), which in any::<prop::sample::Index>()) {
        let text = write(&state);
        let braces: Vec<usize> = text.match_indices('}').map(|(at, _)| at).collect();
        let mut broken = text.clone();
        broken.remove(*which.get(&braces));
        let reading = read(&broken).unwrap();
        prop_assert_eq!(&reading.state, &state, "{}", broken);
        prop_assert!(!reading.repairs.is_empty());
    }

    #[test]
    fn a_cut_text_is_a_beginning_of_the_state(state in belief(), at in any::<prop::sample::Index>()) {
        let text = write(&state);
        let cut: String = text.chars().take(11 + at.index(text.len() - 11)).collect();
        let reading = read(&cut).unwrap();
        let read = reading.state.as_object().unwrap();
        prop_assert!(!reading.repairs.is_empty());
        for (number, (name, value)) in read.iter().enumerate() {
            // All but the last entry are whole.
            let whole = state.as_object().unwrap().iter().nth(number).unwrap();
            prop_assert_eq!(name, whole.0);
            if number + 1 < read.len() {
                prop_assert_eq!(value, whole.1);
            }
        }
    }
}
