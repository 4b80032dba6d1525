//! Recordings of WebShop: its text environment, the simpler site, rewards, fuzzy scores, analysis and rankings.

use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value, json};
use stepwright_shop::catalogue::Reading;
use stepwright_shop::colour::normalise;
use stepwright_shop::fuzzy::token_set_ratio;
use stepwright_shop::reward::reward;
use stepwright_shop::search::RESULTS;
use stepwright_shop::text::analyse;
use stepwright_shop::{Session, Shop, ShopError, Site};
use stepwright_study::recordings::{jsonl_files, name_of};

use super::{Found, Row, field, unreadable};

/// Texts of the analysis recordings are cut after so many characters.
const CUT: usize = 1500;

/// A kind of recordings: how its files' names begin, what is counted, and how a line of it is compared.
struct Recording(&'static str, &'static str, fn(&Arc<Shop>, &str, &Value, &mut Row));

const RECORDINGS: [Recording; 6] = [
    Recording("analyzer_golden", "texts", analysis),
    Recording("search_golden", "queries", search),
    Recording("fuzz_golden", "pairs", fuzzy),
    Recording("reward_golden", "purchases", rewards),
    Recording("text_env_traces", "steps", session),
    Recording("react_site_traces", "steps", site),
];

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "products.json", "goals.json", "constants.json", "human_instructions.json", "analyzer_golden*.jsonl",
    "search_golden*.jsonl", "fuzz_golden*.jsonl", "reward_golden*.jsonl", "text_env_traces*.jsonl",
    "react_site_traces*.jsonl",
];

/// Compares the shop's recordings.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let shop = match shop(folder) {
        Ok(Some(shop)) => shop,
        Ok(None) => {
            let missing = |Recording(kind, unit, _): &Recording| {
                Row::missing(format!("{kind}.jsonl"), unit, "no products.json in this folder")
            };
            return RECORDINGS.iter().map(missing).collect();
        }
        Err(error) => {
            let mut row = Row::new("products.json, goals.json", "files");
            row.differs(unreadable("products.json", error));
            return vec![row];
        }
    };
    let rows = RECORDINGS.iter().flat_map(|Recording(kind, unit, compare)| {
        let what = format!("{kind}.jsonl");
        Row::of_files(&jsonl_files(folder, kind), (&what, unit, "not in this folder"), |file| {
            let mut row = Row::new(name_of(file), unit);
            row.each_record(file, |row, at, line: Value| compare(&shop, &at, &line, row));
            [row]
        })
    });
    rows.collect()
}

/// The shop of a folder of recordings; `None` where there are no products.
pub(super) fn shop(folder: &Path) -> Result<Option<Arc<Shop>>, ShopError> {
    if !folder.join("products.json").is_file() {
        return Ok(None);
    }
    Shop::open(folder, Reading::default()).map(|shop| Some(Arc::new(shop)))
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> usize {
    value.get(key).and_then(Value::as_u64).map_or(usize::MAX, |number| number as usize)
}

/// A field compared as it is in the record.
fn of(line: &Value, name: &'static str, own: Value) -> Found {
    let expected = line.get(name).unwrap_or(&Value::Null);
    field(name, expected, &in_kinds_of(expected, own))
}

/// A value with its numbers written as those of another, where they are the same: 0 and 0.0 are.
fn in_kinds_of(expected: &Value, own: Value) -> Value {
    match (expected, own) {
        (Value::Number(_), Value::Number(own)) if expected.as_f64() == own.as_f64() => expected.clone(),
        (Value::Object(of), Value::Object(own)) => {
            let each = |(key, value): (String, Value)| {
                let value = in_kinds_of(of.get(&key).unwrap_or(&Value::Null), value);
                (key, value)
            };
            Value::Object(own.into_iter().map(each).collect())
        }
        (Value::Array(of), Value::Array(own)) => {
            let each = |(at, value)| in_kinds_of(of.get(at).unwrap_or(&Value::Null), value);
            Value::Array(own.into_iter().enumerate().map(each).collect())
        }
        (_, own) => own,
    }
}

fn analysis(shop: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let Some(product) = shop.product(text(line, "asin")) else {
        return row.differs(unreadable(at, format!("the product {} is not in products.json", text(line, "asin"))));
    };
    let own: String = product.indexed_text().chars().take(CUT).collect();
    let fields = [of(line, "text", json!(own)), of(line, "terms", json!(analyse(text(line, "text"))))];
    row.fields(|| at.to_owned(), fields);
}

fn search(shop: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let terms = analyse(text(line, "query"));
    let hits = shop.index().search_terms(&terms, RESULTS);
    let rounded = |score: f64| json!((score * 1e4).round() / 1e4);
    let own: Vec<Value> = hits
        .iter()
        .filter_map(|hit| Some(json!([shop.products.get(hit.document)?.asin, rounded(f64::from(hit.score))])))
        .collect();
    // A score is recorded with four digits; one that lies on the edge of two of them may be rounded either way.
    let recorded = line.get("hits").and_then(Value::as_array).cloned().unwrap_or_default();
    let near = |a: &Value, b: &Value| match (a.get(1).and_then(Value::as_f64), b.get(1).and_then(Value::as_f64)) {
        (Some(x), Some(y)) => a.get(0) == b.get(0) && (x - y).abs() < 1.5e-4,
        _ => false,
    };
    let same = recorded.len() == own.len() && recorded.iter().zip(&own).all(|(a, b)| near(a, b));
    let own = if same { recorded.clone() } else { own };
    row.fields(|| at.to_owned(), [of(line, "terms", json!(terms)), field("hits", &recorded, &own)]);
}

fn fuzzy(_: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let (a, b) = (text(line, "a"), text(line, "b"));
    let fields = [
        of(line, "token_set_ratio", json!(token_set_ratio(a, b))),
        of(line, "norm_a", json!(normalise(a))),
        of(line, "norm_b", json!(normalise(b))),
    ];
    row.fields(|| at.to_owned(), fields);
}

fn options(value: Option<&Value>) -> IndexMap<String, String> {
    let chosen = value.and_then(Value::as_object).into_iter().flatten();
    chosen.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn rewards(shop: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let goal_id = number(line, "goal_id");
    let (Some(goal), Some(product)) = (shop.goals.get(goal_id), shop.product(text(line, "asin"))) else {
        return row.differs(unreadable(at, "its goal or product is not in the catalogue"));
    };
    let own = reward(product, &options(line.get("options")), goal, shop.nouns_of(goal_id));
    row.fields(|| at.to_owned(), [of(line, "reward", json!(own.total)), of(line, "info", json!(own.info))]);
}

fn steps(line: &Value) -> &[Value] {
    line.get("steps").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn session(shop: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let show = line.get("show_attrs").and_then(Value::as_bool).unwrap_or(false);
    let Some(mut session) = Session::new(Arc::clone(shop), number(line, "goal_id"), show) else {
        return row.differs(unreadable(at, "its goal is not in goals.json"));
    };
    let null = Value::Null;
    let mut first = session_fields(&session, line.get("initial").unwrap_or(&null));
    first.push(of(line, "instruction", json!(session.goal().instruction_text)));
    row.fields(|| format!("{at}, reset"), first);
    for (i, step) in steps(line).iter().enumerate() {
        let own = session.step(text(step, "action"));
        let mut fields = session_fields(&session, step);
        fields.push(of(step, "reward", json!(own.reward)));
        fields.push(of(step, "done", json!(own.done)));
        let info = session.reward().filter(|_| own.done).map_or(Value::Null, |reward| json!(reward.info));
        fields.push(of(step, "reward_info", info));
        row.fields(|| format!("{at}, step {i} {}", text(step, "action")), fields);
    }
}

fn session_fields(session: &Session, recorded: &Value) -> Vec<Found> {
    let available = session.available();
    vec![
        of(recorded, "obs_text", json!(session.text())),
        of(recorded, "obs_text_rich", json!(session.text_rich())),
        of(
            recorded,
            "available",
            json!({ "has_search_bar": available.has_search_bar, "clickables": available.clickables }),
        ),
        of(
            recorded,
            "session",
            json!({
                "page_type": session.page_type(),
                "keywords": session.keywords.as_deref(),
                "page": session.number,
                "asin": session.asin,
                "options": session.options,
            }),
        ),
    ]
}

fn site(shop: &Arc<Shop>, at: &str, line: &Value, row: &mut Row) {
    let Some(mut site) = Site::new(Arc::clone(shop), number(line, "goal_id")) else {
        return row.differs(unreadable(at, "its goal is not in goals.json"));
    };
    let first = [
        of(line, "initial_observation", json!(site.observation())),
        of(line, "instruction", json!(site.goal().instruction_text)),
    ];
    row.fields(|| format!("{at}, reset"), first);
    for (i, step) in steps(line).iter().enumerate() {
        // The wrapper's web address broke here; what follows is of its making (README.md of the recordings).
        if step.get("http_status").and_then(Value::as_u64).is_some_and(|status| status != 200) {
            break;
        }
        let (observation, own) = site.step(text(step, "action"));
        let fields = [
            of(step, "observation", json!(observation)),
            of(step, "reward", json!(own.reward)),
            of(step, "done", json!(own.done)),
            of(step, "page_type", json!(site.page_type())),
            of(step, "options", json!(site.options)),
        ];
        row.fields(|| format!("{at}, step {i} {}", text(step, "action")), fields);
    }
}
