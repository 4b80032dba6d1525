//! Wordings of our own, against programs and beliefs.

use serde_json::{Value, json};

use super::{answer, update};

/// Two stacks and a bowl with two blocks; nothing known of dirt.
fn kitchen_table() -> Value {
    json!({
        "objects": ["red block", "blue block", "green block", "gray block", "tan block", "tin bowl", "golden bowl"],
        "relations": ["blue block is on red block", "tan block is on gray block"],
        "red block": {}, "blue block": {}, "green block": {}, "gray block": {}, "tan block": {},
        "tin bowl": {"contains": ["gray block"]}, "golden bowl": {}
    })
}

/// Red and blue are dirty, green is clean and in the disinfector, of gray nothing is known.
fn ward() -> Value {
    json!({
        "objects": ["red block", "blue block", "green block", "gray block", "tin bowl", "disinfector"],
        "relations": ["blue block is on red block"],
        "red block": {"is": ["dirty"]}, "blue block": {"is": ["dirty"]}, "green block": {"is": ["clean"]}, "gray block": {},
        "tin bowl": {}, "disinfector": {"contains": ["green block"]}
    })
}

/// Blue weighs twice red, green three times red, gray half of red; red is in the tin bowl.
fn scales() -> Value {
    json!({
        "objects": ["red block", "blue block", "green block", "gray block", "tan block", "tin bowl", "golden bowl"],
        "relations": [],
        "red block": {"weight": "blue_block.weight / 2"}, "blue block": {"weight": "red_block.weight * 2"},
        "green block": {"weight": "red_block.weight * 3"}, "gray block": {"weight": "red_block.weight / 2"}, "tan block": {},
        "tin bowl": {"contains": ["green block"]}, "golden bowl": {"contains": ["red block"]}
    })
}

fn moves(belief: &Value, query: &str) -> Vec<(String, String)> {
    let program = answer(belief, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let call = |line: &str| -> Option<(String, String)> {
        let inner = line.strip_prefix("put_first_on_second(")?.strip_suffix(')')?;
        serde_json::from_str(&format!("[{inner}]")).ok()
    };
    program.lines().filter_map(call).collect()
}

fn said(belief: &Value, query: &str) -> String {
    let program = answer(belief, query).unwrap_or_else(|error| panic!("{query}: {error}"));
    let line = program.lines().find_map(|line| line.strip_prefix("say(")?.strip_suffix(')').map(str::to_owned));
    serde_json::from_str(&line.unwrap_or_else(|| panic!("{query}: no answer in {program}"))).unwrap()
}

fn check_moves(belief: &Value, cases: &[(&str, &[(&str, &str)])]) {
    for (query, expected) in cases {
        let expected: Vec<(String, String)> =
            expected.iter().map(|(a, b)| ((*a).to_owned(), (*b).to_owned())).collect();
        assert_eq!(moves(belief, query), expected, "{query}");
    }
}

fn check_said(belief: &Value, cases: &[(&str, &str)]) {
    for (query, expected) in cases {
        assert_eq!(said(belief, query), *expected, "{query}");
    }
}

#[test]
fn things_are_put_where_a_request_says() {
    check_moves(
        &kitchen_table(),
        &[
            ("Put the green block in the golden bowl", &[("green block", "golden bowl")]),
            ("please move the green blcok onto the table.", &[("green block", "table")]),
            (
                "Put the red block and the green block in the golden bowl",
                &[("red block", "golden bowl"), ("green block", "golden bowl")],
            ),
            (
                "Put the red and the green blocks in the golden bowl",
                &[("red block", "golden bowl"), ("green block", "golden bowl")],
            ),
            ("put the red in the golden bowl", &[("red block", "golden bowl")]),
            ("Place the block in the tin bowl on the green block", &[("tan block", "green block")]),
            ("put the green block on the block in the tin bowl", &[("green block", "tan block")]),
            ("Put the green block in the empty bowl", &[("green block", "golden bowl")]),
            ("put the block on top of the red block into an empty bowl", &[("blue block", "golden bowl")]),
            ("Put the block right below the tan block in the golden bowl", &[("gray block", "golden bowl")]),
            ("Put the green block in the bowl that contains the gray block", &[("green block", "tin bowl")]),
            ("Put the block at the bottom of the stack in the tin bowl on the table", &[("gray block", "table")]),
            (
                "Move all the blocks in the tin bowl to the golden bowl",
                &[("gray block", "golden bowl"), ("tan block", "golden bowl")],
            ),
            ("Pick up the green block and put it on the blue block", &[("green block", "blue block")]),
            ("Take the tan block out of the tin bowl and place it on the table", &[("tan block", "table")]),
            ("Remove the tan block from the tin bowl", &[("tan block", "table")]),
            ("Empty the tin bowl", &[("gray block", "table"), ("tan block", "table")]),
            (
                "Put the red block in the golden bowl and the green block in the tin bowl",
                &[("red block", "golden bowl"), ("green block", "tin bowl")],
            ),
            (
                "Put the blue block on the table, then put the green block on it",
                &[("blue block", "table"), ("green block", "blue block")],
            ),
            (
                "Put the green block in the golden bowl, then put the red block in it",
                &[("green block", "golden bowl"), ("red block", "golden bowl")],
            ),
            ("I want you to put the green block on top of the stack in the tin bowl", &[("green block", "tan block")]),
            ("Put the green block in the bowl with the most blocks", &[("green block", "tin bowl")]),
            ("Put the lilac block in the golden bowl", &[("lilac block", "golden bowl")]),
        ],
    );
}

#[test]
fn questions_are_answered_from_the_belief() {
    check_said(
        &kitchen_table(),
        &[
            ("What is the color of the block right above the red block?", "blue"),
            ("what color is the block in a bowl", "gray, tan"),
            ("what's under the blue block", "red block"),
            ("what is above the green block?", "nothing"),
            ("what is the blue block on?", "red block"),
            ("Which block is in the highest position?", "blue block, tan block"),
            ("which blocks (if there's any) are in positions higher than the gray block", "blue block, tan block"),
            ("which block is at the bottom of the stack in the tin bowl", "gray block"),
            ("which block is on top of the gray block", "tan block"),
            ("which bowl is empty", "golden bowl"),
            ("which bowl is the tan block in", "tin bowl"),
            ("In which bowl is the tan block?", "tin bowl"),
            ("what is in the tin bowl", "gray block, tan block"),
            ("what is in the golden bowl", "nothing"),
            ("where is the tan block", "on the gray block"),
            ("How many blocks are not in a bowl?", "three blocks"),
            ("how many blocks are there in the tin bowl", "two blocks"),
            ("how many blocks does the golden bowl contain?", "no blocks"),
            ("How many bowls are empty?", "one bowl"),
            ("how many bowls have blocks in them", "one bowl"),
            ("what is the total number of blocks in the tin bowl", "two blocks"),
            ("is the red block at the same height as the green block", "yes"),
            ("how many blocks are on the table", "two blocks"),
            ("is the blue block in a higher position than the green block", "yes"),
            ("is the green block in a bowl", "no"),
            ("Is the block right above the gray block in the tin bowl?", "yes"),
            ("Is there a block in the golden bowl?", "no"),
            ("are there any blocks in the tin bowl", "yes"),
            ("is the golden bowl empty", "yes"),
            ("does the tin bowl contain the tan block", "yes"),
            ("are the gray block and the tan block in the same bowl", "yes"),
            ("is the tan block in the same bowl as the red block", "no"),
            ("is the green block not in a bowl", "yes"),
        ],
    );
    check_said(
        &ward(),
        &[
            ("How many blocks are dirty?", "two blocks"),
            ("which blocks are clean", "green block"),
            ("is the blue block dirty?", "yes"),
            ("are all the blocks in the disinfector clean", "yes"),
            ("is any block in the tin bowl", "no"),
            ("is the gray block clean", "no"),
            ("how many clean blocks are there", "one block"),
        ],
    );
    check_said(
        &scales(),
        &[
            ("is the blue block heavier than the red block", "yes"),
            ("is the gray block lighter than the red block", "yes"),
            ("is the green block three times as heavy as the red block", "yes"),
            ("is the blue block half the weight of the green block", "no"),
        ],
    );
}

#[test]
fn cleanliness_is_stated_and_followed() {
    check_moves(
        &ward(),
        &[
            (
                "Put all the dirty blocks in the disinfector",
                &[("red block", "disinfector"), ("blue block", "disinfector")],
            ),
            ("Put every clean block in the tin bowl", &[("green block", "tin bowl")]),
            ("Put the other blocks on the table", &[("gray block", "table")]),
            ("Disinfect the dirty blocks", &[("red block", "disinfector"), ("blue block", "disinfector")]),
        ],
    );
    let written = |query: &str| answer(&ward(), query).unwrap();
    assert_eq!(written("The other blocks are dirty"), r#"update_wm("the gray block is dirty.")"#);
    assert_eq!(
        written("Woops, somebody accidentally polluted the gray block"),
        r#"update_wm("the gray block becomes dirty.")"#
    );
    assert_eq!(
        written("Oh no, the green block fell on a dirty spot of the table"),
        r#"update_wm("the green block is placed on the table. the green block becomes dirty.")"#
    );
    assert_eq!(
        written(
            "Someone was moving the red block and the green block and dropped them on some dirty region on the table"
        ),
        r#"update_wm("the red block and the green block are placed on the table. the red block and the green block become dirty.")"#
    );
    assert_eq!(
        written("Somebody dropped the blue block on the dirty table"),
        r#"update_wm("the blue block is placed on the table. the blue block becomes dirty.")"#
    );
    assert_eq!(
        written("The cat knocked the blue block off the red block"),
        r#"update_wm("the blue block is placed on the table.")"#
    );
    assert_eq!(
        written("Someone put the red block on the gray block"),
        r#"update_wm("the red block is placed on the gray block.")"#
    );
    assert_eq!(written("Put all the blocks in the tin bowl on the table"), "noop()");
}

#[test]
fn the_writer_follows_the_rules_of_the_table() {
    let after = update(&ward(), "Put the gray block on the blue block. the gray block becomes dirty.").unwrap();
    assert_eq!(after["gray block"], json!({"is": ["dirty"]}));
    assert_eq!(after["relations"], json!(["blue block is on red block", "gray block is on blue block"]));
    let after = update(&ward(), "the red block is placed in the disinfector").unwrap();
    assert_eq!(after["red block"], json!({"is": ["clean"]}));
    assert_eq!((&after["blue block"], &after["relations"]), (&json!({"is": ["dirty"]}), &json!([])));
    assert_eq!(after["disinfector"], json!({"contains": ["green block", "red block"]}));
    let after = update(&ward(), "the green block is dirty.").unwrap();
    assert_eq!(after, ward(), "nothing in the disinfector is dirty");
    let after = update(&ward(), "The blue block is placed on the table, and becomes clean.").unwrap();
    assert_eq!((&after["blue block"], &after["relations"]), (&json!({"is": ["clean"]}), &json!([])));
    let mut odd = ward();
    odd["red block"]["note"] = json!("chipped");
    assert_eq!(
        update(&odd, "the red block is clean").unwrap()["red block"],
        json!({"is": ["clean"], "note": "chipped"})
    );
}

#[test]
fn weights_that_are_stated_are_kept() {
    let after = |belief: &Value, query: &str| {
        let program = answer(belief, query).unwrap();
        let text: String =
            serde_json::from_str(program.strip_prefix("update_wm(").and_then(|rest| rest.strip_suffix(')')).unwrap())
                .unwrap();
        update(belief, &text).unwrap()
    };
    let mut belief = json!({"objects": ["a block", "b block", "c block", "d block"], "relations": [],
        "a block": {}, "b block": {}, "c block": {}, "d block": {}});
    for block in ["red", "blue", "gray", "tan"] {
        belief["objects"].as_array_mut().unwrap().push(json!(format!("{block} block")));
        belief[format!("{block} block")] = json!({});
    }
    belief = after(&belief, "The red block has the same weight as the blue block");
    belief = after(&belief, "The gray block is one-tenth the weight of the red block");
    belief = after(&belief, "The weight of the gray block is a quarter of that of the tan block.");
    assert_eq!(said(&belief, "is the tan block two-fifths the weight of the blue block"), "yes");
    assert_eq!(said(&belief, "is the tan block lighter than the red block"), "yes");
    let unknown = answer(&scales(), "is the tan block heavier than the red block").unwrap_err();
    assert!(
        unknown.to_string().contains("does not say how the weights of tan block and red block compare"),
        "{unknown}"
    );
}

/// The red cover hides the blue block in the tin bowl; the tan cover lies there.
fn hidden() -> Value {
    json!({
        "objects": ["red block", "blue block", "red cover", "tan cover", "tin bowl"],
        "relations": ["red cover is on blue block"],
        "red block": {}, "blue block": {}, "red cover": {}, "tan cover": {}, "tin bowl": {"contains": ["blue block"]}
    })
}

#[test]
fn covers_are_taken_off_first() {
    check_moves(
        &hidden(),
        &[
            ("Put the blue block on the table", &[("red cover", "table"), ("blue block", "table")]),
            (
                "Move the block under the red cover on the red block",
                &[("red cover", "table"), ("blue block", "red block")],
            ),
            ("Put the red block on the blue block", &[("red cover", "table"), ("red block", "blue block")]),
            ("Cover the red block with the tan cover", &[("tan cover", "red block")]),
            ("Hide the red block under the tan cover", &[("tan cover", "red block")]),
            ("Put the tan cover over the red block", &[("tan cover", "red block")]),
            ("Take the cover off the blue block", &[("red cover", "table")]),
            ("Uncover the blue block", &[("red cover", "table")]),
            ("Put the red cover on the table", &[("red cover", "table")]),
        ],
    );
    check_said(
        &hidden(),
        &[
            ("Is the blue block covered?", "yes"),
            ("Is the red block covered?", "no"),
            ("What is under the red cover?", "blue block"),
            ("What is under the tan cover?", "nothing"),
            ("Which cover is over the blue block?", "red cover"),
            ("How many blocks are not covered?", "one block"),
            ("Is the blue block covered by the red cover", "yes"),
            ("which block is in the highest position", "red block, blue block"),
        ],
    );
}

#[test]
fn goals_are_met_with_the_fewest_moves() {
    check_moves(
        &scales(),
        &[
            (
                "Put a block in the golden bowl so that their total weight becomes identical to what is in the tin bowl",
                &[("blue block", "golden bowl")],
            ),
            (
                "Put a block in the golden bowl so that the total weight of blocks in the golden bowl is less than what is in the tin bowl",
                &[("gray block", "golden bowl")],
            ),
            (
                "Put blocks in and remove blocks from the golden bowl so that their total weight becomes half of what is in the tin bowl",
                &[("gray block", "golden bowl")],
            ),
        ],
    );
    let most = "Put as many blocks as you can in the golden bowl until their total weight becomes greater than what is in the tin bowl";
    check_moves(&scales(), &[(most, &[("blue block", "golden bowl")])]);
    let impossible = "Put a block in the golden bowl so that the total weight of blocks in the golden bowl is greater than what is in the tin bowl";
    let error = answer(&scales(), impossible).unwrap_err();
    assert!(error.to_string().contains("no moves meet this goal"), "{error}");
}

#[test]
fn cups_are_swapped() {
    let belief = json!({"cups": [false, true, false]});
    let program = answer(&belief, "Swapping cup 1 with cup 2").unwrap();
    assert_eq!(program, "update_wm(\"Swapping cup 1 with cup 2\")\nsay(\"[False, False, True]\")");
    assert_eq!(update(&belief, "Swapping cup 1 with cup 2").unwrap(), json!({"cups": [false, false, true]}));
    assert!(answer(&belief, "Swapping cup 1 with cup 3").unwrap_err().to_string().contains("cups 0 to 2"));
}

#[test]
fn what_is_not_understood_is_said() {
    let error = |query: &str| answer(&kitchen_table(), query).unwrap_err().to_string();
    assert!(
        error("Sing a song about the red block").starts_with("\"sing\": this word is not known"),
        "{}",
        error("Sing a song")
    );
    assert!(
        error("Put the block in the golden bowl").contains("may be any of"),
        "{}",
        error("Put the block in the golden bowl")
    );
    assert!(error("").contains("the request is empty"));
    assert!(error("put").contains("no language model"));
    assert!(error("Put the empty bowl on").contains("no language model"));
    let cut_off = update(&ward(), "Put the red block on").unwrap_err().to_string();
    assert!(cut_off.contains("red block"), "{cut_off}");
}

proptest::proptest! {
    #[test]
    fn no_text_brings_the_reader_down(words in proptest::collection::vec(0..45_usize, 0..60)) {
        const WORDS: &[&str] = &[
            "put", "the", "red", "block", "blue", "in", "on", "bowl", "tin", "and", ",", ".", "?", "is", "are", "not", "all", "dirty", "clean",
            "higher", "than", "position", "which", "how", "many", "what", "same", "weight", "as", "twice", "of", "so", "that", "until", "it",
            "other", "right", "above", "under", "with", "from", "empty", "1/0", "9999999999999999999999999999999999999999999", "é’s",
        ];
        let text = words.iter().filter_map(|at| WORDS.get(*at)).copied().collect::<Vec<_>>().join(" ");
        for belief in [kitchen_table(), ward(), scales(), json!({"cups": [true]}), json!(null), json!({"objects": [1, "red block"], "relations": ["red block is on red block"]})] {
            let _ = answer(&belief, &text);
            let _ = update(&belief, &text);
        }
    }

    #[test]
    fn no_text_at_all_brings_it_down(text in "\\PC{0,200}") {
        let _ = answer(&kitchen_table(), &text);
        let _ = update(&ward(), &text);
    }
}
