//! Scenes that no recording has: each of these differed from the original simulator when both ran the same scripts made at random.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking, as tests do")]

use std::path::Path;

use stepwright_graph::files::Library;
use stepwright_graph::prepare::{Tables, prepare};
use stepwright_graph::run::{Run, joined};
use stepwright_graph::script::parse;
use stepwright_graph::{Names, PropertyTable, Scene};

fn scene(things: &str, edges: &str) -> Scene {
    let text = format!(
        r#"{{"nodes": [
            {{"id": 1, "class_name": "kitchen", "category": "Rooms"}},
            {{"id": 2, "class_name": "bathroom", "category": "Rooms"}},
            {{"id": 3, "class_name": "character", "category": "Characters"}}{things}],
            "edges": [[3, "INSIDE", 1]{edges}]}}"#
    );
    Scene::read(&text).unwrap()
}

#[test]
fn a_thing_that_is_added_is_numbered_from_1000_whatever_the_scene_numbers_its_own() {
    let names = Names::default();
    let properties: PropertyTable = serde_json::from_str(r#"{"cup": [], "plate": []}"#).unwrap();
    let added = |things: &str| {
        let script = parse(["[FIND] <cup> (1)", "[FIND] <plate> (1)"]).unwrap();
        let tables = Tables { names: &names, properties: &properties };
        let prepared = prepare(&scene(things, "").graph, &script, tables).unwrap();
        prepared.ids.iter().skip(1).map(|(_, id)| *id).collect::<Vec<_>>()
    };
    assert_eq!(added(""), [1000, 1001]);
    assert_eq!(added(r#", {"id": 5307, "class_name": "sofa", "category": "Furniture"}"#), [1000, 1001]);
    // The original would give the second of these the id of the first.
    assert_eq!(added(r#", {"id": 1007, "class_name": "sofa", "category": "Furniture"}"#), [1008, 1009]);
    assert_eq!(
        added(r#", {"id": 1999, "class_name": "a", "category": "b"}, {"id": 2000, "class_name": "c"}"#)[0],
        2001
    );
}

#[test]
fn a_door_of_this_room_that_is_in_no_room_is_not_found_for_one_reason() {
    let door = r#", {"id": 4, "class_name": "door", "category": "Doors"}"#;
    let between = r#", [4, "BETWEEN", 1], [4, "BETWEEN", 2]"#;
    let said = |line: &str| joined(&Run::of(&scene(door, between).graph, &parse([line]).unwrap()).messages);
    assert_eq!(
        said("[FIND] <door> (4)"),
        "<character> (3) is not close to <door> (4) when executing \"[FIND] <door> (4) [1]\""
    );
    // The original says nothing at all of this one.
    assert!(said("[WALK] <door> (4)").starts_with("No path between between <kitchen> (1) and None"));
}

#[test]
fn what_is_in_no_room_breaks_the_original_off_where_its_room_is_asked_for() {
    let bed = r#", {"id": 4, "class_name": "bed", "category": "Furniture", "properties": ["LOOKABLE"]}"#;
    let run = |edges: &str, line: &str| Run::of(&scene(bed, edges).graph, &parse([line]).unwrap());
    for line in ["[WALK] <bed> (4)", "[FIND] <bed> (4)", "[WATCH] <bed> (4)"] {
        assert!(run("", line).breaks_off(), "{line}");
        assert!(!run(r#", [4, "INSIDE", 2]"#, line).breaks_off(), "{line}");
    }
    assert!(!run("", "[TOUCH] <bed> (4)").breaks_off());
}

#[test]
fn a_door_without_an_opening_is_not_open_unless_its_category_is_that_of_doors() {
    let states = |category: &str, properties: &str| {
        let door =
            format!(r#", {{"id": 4, "class_name": "door", "category": "{category}", "properties": [{properties}]}}"#);
        let graph = scene(&door, "").graph;
        serde_json::to_string(&graph.states(graph.find(4).unwrap())).unwrap()
    };
    assert_eq!(states("Decor", ""), r#"["CLEAN"]"#);
    assert_eq!(states("Decor", r#""CAN_OPEN""#), r#"["CLEAN","OPEN"]"#);
    assert_eq!(states("Doors", ""), r#"["CLEAN","OPEN"]"#);
}

#[test]
fn a_thing_that_is_in_a_state_and_its_opposite_is_refused_with_its_line() {
    for (states, said) in [
        (r#""ON", "CLEAN", "OFF""#, "OFF and ON"),
        (r#""open", "CLOSED""#, "CLOSED and OPEN"),
        (r#""PLUGGED_OUT", "PLUGGED_IN""#, "PLUGGED_IN and PLUGGED_OUT"),
    ] {
        let text = format!(
            "{{\"nodes\": [\n{{\"id\": 3, \"class_name\": \"character\"}},\n\
             {{\"id\": 4, \"class_name\": \"lamp\", \"states\": [{states}]}}\n], \"edges\": []}}"
        );
        let error = Scene::read(&text).unwrap_err().to_string();
        assert_eq!(error, format!("line 3: the node 4 (lamp) is both {said}; take one of the two out"));
    }
}

#[test]
fn files_of_other_encodings_lose_no_program_and_name_the_line() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("encodings");
    let write = |name: &str, bytes: &[u8]| {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    };
    write("withoutconds/one.txt", b"Read\nI\x92m reading.\n\n\n[Find] <book> (1)\n");
    write("withoutconds/two.txt", "\u{feff}Sleep\nIn bed.\r\n\n\n[Sleep]\r\n".as_bytes());
    write(
        "scenes/scene1.json",
        "\u{feff}{\"nodes\": [{\"id\": 1, \"class_name\": \"character\"}], \"edges\": []}".as_bytes(),
    );
    let library = Library::open(&folder).unwrap();
    let titles: Vec<(&str, usize)> = library.programs.iter().map(|p| (p.title.as_str(), p.script.len())).collect();
    assert_eq!((titles, library.scenes.len()), (vec![("Read", 1), ("Sleep", 1)], 1));
    write("scenes/scene2.json", b"{\n\"nodes\": \"\xe9\"");
    let error = Library::open(&folder).unwrap_err().to_string();
    assert!(error.ends_with("scene2.json:2: this is no UTF-8; save the file as UTF-8"), "{error}");
    std::fs::remove_dir_all(&folder).unwrap();
}
