//! Tests of deviations one by one, hostile texts, and texts broken at random.

use proptest::prelude::*;
use serde_json::{Value, json};

use super::{Fault, ReadError, Reading, read};
use crate::belief::write;

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
fn each_deviation_is_mended_and_reported_with_its_line() {
    let read_as = |lines: &[&str], state: Value, repairs: &[&str]| {
        let text = format!("# state = {{\n{}\n# }}", lines.join("\n"));
        assert_eq!(repaired(&text), (state, repairs.iter().map(|s| (*s).to_owned()).collect()), "{text}");
    };
    read_as(
        &["#  “a block\": {},", "#  ‘b': {}"],
        json!({"a block": {}, "b": {}}),
        &["line 2: quotes that are not \"", "line 3: quotes that are not \""],
    );
    read_as(&["# \"a\": {},", "# \"b\": {},"], json!({"a": {}, "b": {}}), &["line 4: a comma too many"]);
    read_as(&["# \"a\": {}", "# \"b\": {}"], json!({"a": {}, "b": {}}), &["line 3: a comma is missing"]);
    read_as(&["\"objects\" = [\"a\"]"], json!({"objects": ["a"]}), &["line 2: `=` where `:` belongs"]);
    read_as(
        &["\"objects\": [\"a\", b b\", c c, \"d\"]"],
        json!({"objects": ["a", "b b", "c c", "d"]}),
        &["line 2: a quote is missing at `b b`", "line 2: `c c` has no quotes"],
    );
    read_as(
        &["\"objects\": [\"a, \"b\", \"c]"],
        json!({"objects": ["a", "b", "c"]}),
        &["line 2: a quote is missing at `a`", "line 2: a quote is missing at `c`"],
    );
    read_as(
        &["\"a: {\"is\": [\"dirty\"]}, b\": {}"],
        json!({"a": {"is": ["dirty"]}, "b": {}}),
        &["line 2: a quote is missing at `a`", "line 2: a quote is missing at `b`"],
    );
    read_as(
        &["\"a\": {\"weight\": b.weight / (1 + 2)}"],
        json!({"a": {"weight": "b.weight / (1 + 2)"}}),
        &["line 2: `b.weight / (1 + 2)` has no quotes"],
    );
    read_as(
        &["\"a\": {\"weight\": \"b\".weight * 2, \"on\": True}"],
        json!({"a": {"weight": "b.weight * 2", "on": true}}),
        &["line 2: a quote is missing at `b.weight * 2`"],
    );
    read_as(
        &["\"a\" {}, \"b\": , \"c\": {}"],
        json!({"a": {}, "b": {}, "c": {}}),
        &["line 2: no `:` after `a`", "line 2: `b` has no value"],
    );
    read_as(&["\"a\": {}},", "\"b\": {}"], json!({"a": {}, "b": {}}), &["line 2: `}` too many"]);
    read_as(&["{", "\"a\": {}"], json!({"a": {}}), &["line 2: `{` too many"]);
    read_as(
        &["\"objects\": [\"a\", \"b\"],", "\"a\": {\"is\": [\"x\"],", "\"b\": {\"is\": [\"y\"}"],
        json!({"objects": ["a", "b"], "a": {"is": ["x"]},
        "b": {"is": ["y"]}}),
        &["line 4: `}` is missing", "line 4: `]` is missing"],
    );
    read_as(
        &["\"objects\": [\"a\", \"b\",", "\"a\": {}"],
        json!({"objects": ["a", "b"], "a": {}}),
        &["line 3: `]` is missing"],
    );
    read_as(
        &["\"a\": {}, # not there", "nonsense", "\"a\": {\"is\": \"clean\"}"],
        json!({"a": {"is": ["clean"]}}),
        &[
            "line 2: `is` is not a list, read as a list of one",
            "line 3: `nonsense` is no part of a state and was left out",
            "line 4: `a` is given twice, the last one counts",
        ],
    );
}

#[test]
fn an_object_named_like_a_property_is_no_new_entry() {
    let (state, repairs) = repaired("{\"objects\": [\"a\" \"is\"], \"a\": {\"is\": [\"x\"]}, \"is\": {}}");
    assert_eq!(state, json!({"objects": ["a", "is"], "a": {"is": ["x"]}, "is": {}}));
    assert_eq!(repairs, ["line 1: a comma is missing"]);
}

#[test]
fn relations_are_sentences_however_they_are_given() {
    for (given, sentences, repairs) in [
        (r#"["a is on b", "b is on c", "c is on d"]"#, json!(["a is on b", "b is on c", "c is on d"]), None),
        (r#"[["a is on b"], ["b is on c"]]"#, json!(["a is on b", "b is on c"]), Some(Fault::NestedRelations)),
        (r#"[["a is on b", "b is on c"]]"#, json!(["a is on b", "b is on c"]), Some(Fault::NestedRelations)),
        (
            r#"[["a is on b", "b is on c", "c is on d"]]"#,
            json!(["a is on b", "b is on c", "c is on d"]),
            Some(Fault::NestedRelations),
        ),
        (r#"[["a", "on", "b"]]"#, json!(["a is on b"]), Some(Fault::RelationInWords("a is on b".into()))),
        (r#"[["a", "is on", "b"]]"#, json!(["a is on b"]), Some(Fault::RelationInWords("a is on b".into()))),
        (r#"["a", "is on", "b"]"#, json!(["a is on b"]), Some(Fault::RelationInWords("a is on b".into()))),
        (r#"[["a", "b"]]"#, json!(["a is on b"]), Some(Fault::RelationInWords("a is on b".into()))),
        (r#""a is on b""#, json!(["a is on b"]), Some(Fault::NotAList("relations".into()))),
        (
            r#"[{"subject": "a", "object": "b"}]"#,
            json!([{"subject": "a", "object": "b"}]),
            Some(Fault::RelationAsObject),
        ),
    ] {
        let reading = read(&format!("{{\"objects\": [],\n\"relations\": {given}}}")).unwrap();
        assert_eq!(reading.state["relations"], sentences, "{given}");
        assert_eq!(
            reading.repairs.first().map(|r| (r.line, r.fault.clone())),
            repairs.map(|fault| (2, fault)),
            "{given}"
        );
    }
}

#[test]
fn a_text_that_is_cut_off_is_read_as_far_as_it_goes() {
    let head =
        "# state = {\n#     \"objects\": [\"a block\", \"b bowl\"],\n#     \"a block\": {\"is\": [\"dirty\"]},\n#     ";
    let whole = json!({"objects": ["a block", "b bowl"], "a block": {"is": ["dirty"]}});
    let with = |value: Value| {
        let mut state = whole.clone();
        state["b bowl"] = value;
        state
    };
    for (tail, state, truncated) in [
        ("", whole.clone(), false),
        ("\"", whole.clone(), true),
        ("“b bo", whole.clone(), true),
        ("\"b bowl\"", with(json!({})), false),
        ("\"b bowl\":", with(json!({})), false),
        ("\"b bowl\": {", with(json!({})), false),
        ("\"b bowl\": {\"", with(json!({})), false),
        ("\"b bowl\": {\"conta", with(json!({})), false),
        ("\"b bowl\": {\"contains\":", with(json!({})), false),
        ("\"b bowl\": {\"contains\": [\"", with(json!({"contains": []})), false),
        ("\"b bowl\": {\"contains\": [\"a block\"]", with(json!({"contains": ["a block"]})), false),
        ("\"b bowl\": {\"weight\": a_block. ", with(json!({"weight": "a_block."})), false),
    ] {
        let reading = read(&format!("{head}{tail}")).unwrap();
        assert_eq!((&reading.state, reading.truncated), (&state, truncated), "{tail}");
        let repairs = reading.repairs.iter().any(|r| matches!(r.fault, Fault::CutOff | Fault::CutName(_)));
        assert!(repairs && reading.repairs.iter().all(|r| r.line >= 3), "{tail}: {:?}", reading.repairs);
    }
}

#[test]
fn what_is_beside_a_state_is_left_out() {
    let state = json!({"a": {"is": ["dirty"]}});
    for text in [
        "# state = {\n# \"a\": {\"is\": [\"dirty\"]}\n# }\n# query: put a on b",
        "put_first_on_second(\"a\", \"b\")\n# state = {\n# \"a\": {\"is\": [\"dirty\"]},\n# }\n# query",
        "Here is the state:\n```json\n{\"a\": {\"is\": [\"dirty\"]}}\n```",
        "# state = {\n# \"a\": {\"is\": [\"dirty\"]},\n# query: next",
    ] {
        let (read, repairs) = repaired(text);
        assert_eq!(read, state, "{text}");
        assert!(!repairs.is_empty(), "{text}");
    }
    // A model that continues the prompt's `# state = {`.
    let (read, repairs) = repaired("\n#     \"a\": {\"is\": [\"dirty\"]}\n# }");
    assert_eq!((read, repairs), (state, vec!["line 2: `{` is missing".to_owned()]));
}

#[test]
fn the_form_of_a_belief_is_kept() {
    let text = r#"{" objects ": ["a ", ""], "a ": {"is": ["dirty"], "is on": ["table"]}, "b": "clean", "c": null, "d": {"contains": "a"}, "": {}}"#;
    let (state, repairs) = repaired(text);
    assert_eq!(
        state,
        json!({"objects": ["a"], "a": {"is": ["dirty"]}, "b": {"is": ["clean"]}, "c": {}, "d": {"contains": ["a"]}})
    );
    assert_eq!(repairs.len(), 6, "{repairs:?}");
}

#[test]
fn names_given_twice_are_reported_in_json_as_well() {
    let (state, repairs) = repaired("{\"a\": {\"is\": [\"x\"]},\n\"b\": {},\n\"a\": {\"is\": [\"y\"]}}");
    assert_eq!(state["a"], json!({"is": ["y"]}));
    assert_eq!(repairs, ["line 3: `a` is given twice, the last one counts"]);
}

#[test]
fn what_is_no_state_is_an_error() {
    for text in ["", "  \n # \n"] {
        assert_eq!(read(text), Err(ReadError::Empty), "{text:?}");
    }
    for text in ["I cannot do that.", "\n\nput_first_on_second('a', 'b')", "[1, 2]", "state"] {
        assert!(matches!(read(text), Err(ReadError::NoState { .. })), "{text:?}: {:?}", read(text));
    }
    assert_eq!(read("\n\nnothing here").unwrap_err().to_string().split(':').next(), Some("line 3"));
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
        "}",
        "\"",
        "'a,",
        ",",
        "\"a\"b",
        "{}",
        "[]:",
        "“a\n",
        "\"a\":\n",
        "#",
        "\u{1b}[31m",
        "a:",
        "[\"a\":",
        "'",
        "\\",
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
