//! A person's own WebShop files, written into a temporary folder by the rules of the original's layout, are opened as they are.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::{Map, Value, json};
use stepwright_shop::catalogue::{GoalKind, Reading};
use stepwright_shop::goal::GoalOptions;
use stepwright_shop::{Session, Shop};

/// The shipped products in the layout of `items_shuffle*.json`, which keeps options as lists of objects and prices as one text.
fn items() -> Vec<Value> {
    let shipped = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/shop/products.json");
    let shipped: Vec<Value> = serde_json::from_str(&std::fs::read_to_string(shipped).unwrap()).unwrap();
    let item = |product: &Value| {
        let named = product["options"].as_object().unwrap();
        let options: Map<String, Value> = named
            .iter()
            .map(|(name, values)| {
                let choices = values
                    .as_array()
                    .unwrap()
                    .iter()
                    .map(|v| json!({ "image": null, "is_selected": false, "value": v }));
                (name.clone(), choices.collect())
            })
            .collect();
        json!({
            "asin": product["asin"], "name": product["title"], "full_description": product["description"],
            "small_description": product["bullet_points"], "pricing": product["price_tag"].as_str().unwrap().replace(" to ", " - "),
            "customization_options": options, "category": product["category"], "query": product["query"],
            "product_category": product["product_category"], "images": ["https://example.org/a.jpg"], "brand": "any",
            "average_rating": 4.5, "total_reviews": 12, "product_information": { "ASIN": product["asin"] },
        })
    };
    shipped.iter().map(item).collect()
}

fn folder(name: &str, with_human: bool) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).unwrap();
    let items = items();
    let known: Map<String, Value> = items
        .iter()
        .map(|item| {
            let asin = item["asin"].as_str().unwrap().to_owned();
            let query = item["query"].as_str().unwrap();
            let known = json!({
                "attributes": ["easy to clean"], "instruction": format!("Find me easy to clean {query}"),
                "instruction_attributes": ["easy to clean"],
            });
            (asin, known)
        })
        .collect();
    let human: Map<String, Value> = items
        .iter()
        .step_by(10)
        .map(|item| {
            let asin = item["asin"].as_str().unwrap();
            let written = json!([
                { "asin": asin, "instruction": "i need something that is easy to clean.", "instruction_attributes": ["easy to clean"],
                  "instruction_options": ["red"], "options": ["color: red"], "worker_id": "w", "assignment_id": "a" },
                { "asin": asin, "instruction": "no attributes", "instruction_attributes": [], "instruction_options": [] },
            ]);
            (asin.to_owned(), written)
        })
        .collect();
    let write = |name: &str, value: Value| std::fs::write(folder.join(name), value.to_string()).unwrap();
    write("items_shuffle.json", json!(items));
    write("items_ins_v2.json", json!(known));
    if with_human {
        write("items_human_ins.json", json!(human));
    }
    folder
}

fn open(folder: &Path) -> Shop {
    Shop::open(folder, Reading::beside(folder).unwrap()).unwrap()
}

#[test]
fn the_originals_files_open_with_the_goals_that_people_wrote() {
    let folder = folder("user_human", true);
    let shop = open(&folder);
    assert_eq!((shop.products.len(), shop.goals.len()), (items().len(), items().len().div_ceil(10)));
    assert!(shop.notes.is_empty(), "{:?}", shop.notes);
    let goal = &shop.goals[0];
    assert_eq!((goal.kind.as_str(), goal.attributes.as_slice()), ("human", &["easy to clean".to_owned()][..]));
    assert!(goal.instruction_text.starts_with("i need something that is easy to clean"), "{}", goal.instruction_text);
    assert_eq!(goal.goal_options, GoalOptions::Values(vec!["red".into()]));
    // One file of them stands for the folder.
    assert_eq!(
        Shop::open(&folder.join("items_shuffle.json"), Reading::default()).unwrap().goals.len(),
        shop.goals.len()
    );
    let mut session = Session::new(Arc::new(shop), 0, false).unwrap();
    session.step("search[easy to clean]");
    assert_eq!(session.page_type(), "search_results");
}

#[test]
fn number_and_kind_of_goals_are_said_in_a_file_beside_the_catalogue() {
    let folder = folder("user_reading", true);
    let reading = |text: &str| std::fs::write(folder.join("reading.toml"), text).unwrap();
    reading("kind = \"synthetic\"\n");
    let made = open(&folder);
    assert!(made.goals.len() > made.products.len() && made.goals.iter().all(|goal| goal.kind == "synthetic"));
    reading("kind = \"synthetic\"\ngoals = 7\nproducts = 40\n");
    let few = open(&folder);
    assert_eq!((few.products.len(), few.goals.len()), (40, 7));
    reading("goals = 3");
    assert_eq!(open(&folder).goals.iter().map(|goal| goal.kind.as_str()).collect::<Vec<_>>(), ["human"; 3]);
    for (text, line, found) in [
        ("\ngoal = 3", 2, "unknown field `goal`"),
        ("kind = \"all\"", 1, "unknown variant `all`"),
        ("goals = -1", 1, ""),
    ] {
        reading(text);
        let error = Reading::beside(&folder).unwrap_err().to_string();
        assert!(
            error.contains(&format!("reading.toml:{line}:"))
                && error.contains(found)
                && error.contains("goals = NUMBER"),
            "{error}"
        );
    }
}

#[test]
fn without_peoples_goals_those_of_attributes_are_taken_unless_only_the_former_are_wanted() {
    let folder = folder("user_synthetic", false);
    assert!(open(&folder).goals.iter().all(|goal| goal.kind == "synthetic"));
    let none = Shop::open(&folder, Reading { kind: GoalKind::Human, ..Reading::default() }).unwrap();
    assert!(none.goals.is_empty() && none.notes[0].contains("items_human_ins.json"), "{:?}", none.notes);
}
