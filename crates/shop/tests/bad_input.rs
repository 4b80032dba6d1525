//! Files that are not as they should be: what is wrong, where, and nothing lost.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::json;
use stepwright_shop::catalogue::Reading;
use stepwright_shop::{Session, Shop, Site};

fn folder(name: &str, items: &str, known: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    std::fs::create_dir_all(&folder).unwrap();
    std::fs::write(folder.join("items_shuffle_1000.json"), items).unwrap();
    std::fs::write(folder.join("items_ins_v2_1000.json"), known).unwrap();
    folder
}

fn item(asin: &str, pricing: serde_json::Value, options: serde_json::Value) -> serde_json::Value {
    json!({
        "asin": asin, "name": "A <b>red</b> lamp & shade", "full_description": "\n", "small_description": ["", "two"],
        "pricing": pricing, "customization_options": options, "category": "garden", "query": " Lamps ",
        "product_category": "Home › Lamps", "images": ["x"],
    })
}

fn known(asins: &[&str]) -> String {
    let entry = json!({ "attributes": ["red"], "instruction": "Find me red lamps", "instruction_attributes": ["red"] });
    let entries: serde_json::Map<String, serde_json::Value> =
        asins.iter().map(|asin| ((*asin).to_owned(), entry.clone())).collect();
    json!(entries).to_string()
}

fn open(folder: &Path) -> Result<Arc<Shop>, stepwright_shop::ShopError> {
    Shop::open(folder, Reading::default()).map(Arc::new)
}

#[test]
fn a_product_without_a_price_costs_a_hundred_and_a_bad_price_is_named() {
    let items = json!([
        item("B000000001", json!(null), json!(null)),
        item("B000000002", json!("free"), json!(null)),
        item("B000000001", json!("$1"), json!(null)),
        item("nan", json!("$1"), json!(null)),
        item("B000000003", json!("$3.50 - $7"), json!({"Size": [{"image": null}]})),
    ]);
    let folder = folder("prices", &items.to_string(), &known(&["B000000001"]));
    let shop = open(&folder).unwrap();
    assert_eq!(shop.products.len(), 1);
    assert_eq!(shop.products[0].price_tag, "$100.0");
    assert_eq!(shop.notes.len(), 5, "{:?}", shop.notes);
    assert!(shop.notes[0].contains("product 2: left out") && shop.notes[0].contains("\"free\""));
    assert!(shop.notes[1].contains("product 5") && shop.notes[1].contains("has no `value`"));
    assert!(shop.notes[2].contains("no price: product 1 (B000000001); each costs $100"), "{}", shop.notes[2]);
    assert!(shop.notes[3].contains("markup in the title: product 1"), "{}", shop.notes[3]);
    assert!(shop.notes[4].contains("a number that another product has: product 3"), "{}", shop.notes[4]);
    assert!(shop.goals[0].instruction_text.contains("price lower than"));
}

#[test]
fn html_in_a_title_is_text_and_options_of_equal_names_are_one() {
    let options = json!({"Color": [{"value": " Red/Blue "}], "color": [{"value": "green"}], "Size": [{"value": "green"}], "None": null});
    let folder =
        folder("html", &json!([item("B000000001", json!("$9.99"), options)]).to_string(), &known(&["B000000001"]));
    let shop = open(&folder).unwrap();
    assert!(
        shop.notes.iter().any(|note| note.contains("equal but for capitals: product 1 (B000000001)")),
        "{:?}",
        shop.notes
    );
    let mut session = Session::new(Arc::clone(&shop), 0, false).unwrap();
    session.step("search[lamp]");
    session.step("click[b000000001]");
    assert!(session.text().contains("[SEP] A <b>red</b> lamp & shade [SEP] Price: $9.99"), "{}", session.text());
    let clickables = session.available().clickables;
    assert_eq!(clickables.iter().filter(|text| *text == "green").count(), 1);
    // The value belongs to the option that shows it last.
    session.step("click[green]");
    assert_eq!(session.options.get("size").map(String::as_str), Some("green"));
    session.step("click[Features]");
    assert!(session.text().ends_with("< Prev [SEP]  [SEP] two"), "{:?}", session.text());
    session.step("click[< Prev]");
    session.step("click[Description]");
    assert!(session.text().ends_with("[SEP] < Prev"), "a description of a line break alone shows nothing");
    let mut site = Site::new(shop, 0).unwrap();
    assert!(site.step("search[lamp]").0.contains("A <b>red</b> lamp"));
}

#[test]
fn a_file_that_was_cut_off_names_its_line() {
    let whole = json!([item("B000000001", json!("$1"), json!(null))]).to_string().replace("},", "},\n");
    let folder = folder("cut", &whole[..whole.len() / 2], "{}");
    let error = open(&folder).unwrap_err().to_string();
    assert!(error.contains("items_shuffle_1000.json:") && error.contains("cut off"), "{error}");
    std::fs::write(folder.join("items_shuffle_1000.json"), "{\"a\": 1}").unwrap();
    let error = open(&folder).unwrap_err().to_string();
    assert!(error.contains("a list of"), "{error}");
}

#[test]
fn hostile_actions_end_quickly_and_change_nothing() {
    let folder =
        folder("hostile", &json!([item("B000000001", json!("$1"), json!(null))]).to_string(), &known(&["B000000001"]));
    let shop = open(&folder).unwrap();
    let mut session = Session::new(Arc::clone(&shop), 0, false).unwrap();
    let mut site = Site::new(shop, 0).unwrap();
    let long = "x ".repeat(100_000);
    for action in ["", "[", "]", "click[", "click[é", "search[é", "click[\u{0}]", "search[\n]", long.as_str()] {
        session.step(action);
        site.step(action);
    }
    session.step(&format!("search[{long}]"));
    assert_eq!(session.page_type(), "search_results");
}

#[test]
fn the_way_back_from_what_was_found_for_the_name_of_a_page_leads_to_page_0_as_in_the_original() {
    let folder =
        folder("page_0", &json!([item("B000000001", json!("$1"), json!(null))]).to_string(), &known(&["B000000001"]));
    let mut session = Session::new(open(&folder).unwrap(), 0, false).unwrap();
    for action in ["search[lamp search_results]", "click[b000000001]", "click[< prev]"] {
        assert!(session.step(action).taken, "{action}");
    }
    assert_eq!(session.number, Some(0));
    assert!(session.text().ends_with("Page 0 (Total results: 1) [SEP] Next >"), "{}", session.text());
    session.step("click[next >]");
    assert!(session.available().clickables.contains(&"b000000001".to_owned()));
}

#[test]
fn why_there_are_no_goals_is_said() {
    let items = json!([item("B000000001", json!(null), json!(null))]).to_string();
    let folder = folder("no_goals", &items, &known(&["B000000001"]));
    let read = |human: serde_json::Value| {
        std::fs::write(folder.join("items_human_ins.json"), human.to_string()).unwrap();
        open(&folder).unwrap()
    };
    let lamp = json!({ "instruction": "i want a lamp.", "instruction_attributes": ["red"] });
    let silent = json!({ "instruction": " ", "instruction_attributes": ["red"] });
    for (human, said) in [
        (
            json!({ "B0XX": [lamp], "B0YY": [lamp] }),
            "none of the 2 in items_human_ins.json can be used: 2 of products that are not among those read (such as B0XX)",
        ),
        (json!({ "B000000001": [{ "asin": "B000000001" }] }), "can be used: 1 without `instruction`;"),
        (
            json!({ "B000000001": [{ "instruction": "a lamp" }, silent], "B0XX": [{}] }),
            "(such as B0XX), 1 without `instruction`, 1 without `instruction_attributes`; `kind = \"synthetic\"`",
        ),
        (json!({ "B000000001": [] }), "items_human_ins.json has none"),
    ] {
        let shop = read(human);
        let why = shop.no_goals.as_deref().unwrap();
        assert!(shop.goals.is_empty() && why.contains(said), "{why}");
    }
    let shop = read(json!({ "B000000001": [silent, lamp] }));
    assert_eq!((shop.goals.len(), shop.no_goals.as_deref()), (1, None));
    assert!(shop.notes.iter().any(|note| note.contains("left out without an `instruction`: 1")), "{:?}", shop.notes);
    let error = open(&folder.join("none")).unwrap_err().to_string();
    assert!(error.ends_with("none: there is no such file or folder"), "{error}");
}

#[test]
fn a_compact_catalogue_says_why_it_has_no_goals_and_refuses_two_of_one_id() {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("compact_goals");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let write = |name: &str, text: &str| std::fs::write(folder.join(name), text).unwrap();
    write("products.json", &json!([{ "asin": "A1", "title": "Red mug", "pricing": [5.0] }]).to_string());
    let open = || Shop::open(&folder, Reading::beside(&folder).unwrap());
    let why = || open().unwrap().no_goals.unwrap();
    assert!(why().contains("there is no goals.json beside products.json"), "{}", why());
    let goal = |id: usize| json!({ "id": id, "asin": "A1", "instruction_text": "a mug", "attributes": [] });
    let mut of_person = goal(3);
    of_person["kind"] = "human".into();
    write("goals.json", &json!([goal(7), of_person]).to_string());
    assert_eq!(open().unwrap().goals.iter().map(|goal| goal.id).collect::<Vec<_>>(), [7, 3]);
    assert_eq!(open().unwrap().no_goals, None);
    write("reading.toml", "kind = \"synthetic\"");
    let said = "asks for those of kind \"synthetic\", and there are none; goals.json has 1 without a `kind` and 1 of kind \"human\"";
    assert!(why().contains(said), "{}", why());
    write("reading.toml", "goals = 0");
    assert!(why().contains("goals = 0"), "{}", why());
    write("goals.json", "[]");
    assert!(why().contains("goals.json is empty"), "{}", why());
    write("goals.json", &json!([goal(7), goal(1), goal(7)]).to_string());
    let error = open().unwrap_err().to_string();
    assert!(error.contains("goals.json: the goals in places 1 and 3 of the list have the id 7"), "{error}");
}
