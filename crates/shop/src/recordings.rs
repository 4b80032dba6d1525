//! Recordings of the original engine compared with this one, field by field. What is done with a difference is left to the caller.

use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;
use std::sync::Arc;

use indexmap::IndexMap;
use serde_json::{Value, json};

use crate::catalogue::Reading;
use crate::colour::normalise;
use crate::fuzzy::token_set_ratio;
use crate::reward::reward;
use crate::search::RESULTS;
use crate::session::Session;
use crate::shop::Shop;
use crate::site::Site;
use crate::text::analyse;

/// Texts of the analysis recordings are cut after so many characters.
const CUT: usize = 1500;

/// One thing compared: where it is recorded, and each field as recorded and as this engine gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// File, line, step.
    pub at: String,
    /// Name, recorded value, own value.
    pub fields: Vec<(&'static str, Value, Value)>,
}

impl Compared {
    /// The first field that differs.
    pub fn difference(&self) -> Option<&(&'static str, Value, Value)> {
        self.fields.iter().find(|(_, recorded, own)| recorded != own)
    }
}

/// Something compared, or a record that cannot be read.
pub type Record = Result<Compared, String>;

/// A kind of recordings: how its files' names begin, what is counted, and how a line of it is compared.
#[derive(Clone, Copy)]
pub struct Recording {
    /// How the names of its files begin, all of which end in `.jsonl`.
    pub kind: &'static str,
    /// What is counted.
    pub unit: &'static str,
    compare: fn(&Arc<Shop>, &str, &Value) -> Vec<Record>,
}

/// The kinds of recordings of the shop.
pub const RECORDINGS: [Recording; 6] = [
    Recording { kind: "analyzer_golden", unit: "texts", compare: analysis },
    Recording { kind: "search_golden", unit: "queries", compare: search },
    Recording { kind: "fuzz_golden", unit: "pairs", compare: fuzzy },
    Recording { kind: "reward_golden", unit: "purchases", compare: rewards },
    Recording { kind: "text_env_traces", unit: "steps", compare: session },
    Recording { kind: "react_site_traces", unit: "steps", compare: site },
];

/// The shop of a folder of recordings; `None` where there are no products.
///
/// # Errors
/// If the catalogue cannot be read.
pub fn shop(folder: &Path) -> Result<Option<Arc<Shop>>, crate::ShopError> {
    if !folder.join("products.json").is_file() {
        return Ok(None);
    }
    Shop::open(folder, Reading::default()).map(|shop| Some(Arc::new(shop)))
}

impl Recording {
    /// Its files in a folder by name, sorted.
    pub fn files(&self, folder: &Path) -> Vec<String> {
        let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
        let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
        names.retain(|name| name.starts_with(self.kind) && name.ends_with(".jsonl"));
        names.sort();
        names
    }

    /// Compares a file of a folder.
    pub fn compare(&self, shop: &Arc<Shop>, folder: &Path, name: &str) -> Vec<Record> {
        let file = match File::open(folder.join(name)) {
            Ok(file) => BufReader::new(file),
            Err(error) => return vec![Err(format!("{name}: {error}"))],
        };
        let mut records = Vec::new();
        for (i, line) in file.lines().enumerate() {
            let at = format!("{name}:{}", i + 1);
            let line = line.map_err(|e| e.to_string());
            if line.as_ref().is_ok_and(|line| line.trim().is_empty()) {
                continue;
            }
            match line.and_then(|line| serde_json::from_str(&line).map_err(|e| e.to_string())) {
                Ok(value) => records.extend((self.compare)(shop, &at, &value)),
                Err(error) => records.push(Err(format!("{at}: {error}"))),
            }
        }
        records
    }
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn number(value: &Value, key: &str) -> usize {
    value.get(key).and_then(Value::as_u64).map_or(usize::MAX, |number| number as usize)
}

/// A field compared as it is in the record.
fn field(line: &Value, name: &'static str, own: Value) -> (&'static str, Value, Value) {
    (name, line.get(name).cloned().unwrap_or(Value::Null), own)
}

fn analysis(shop: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
    let Some(product) = shop.product(text(line, "asin")) else {
        return vec![Err(format!("{at}: the product {} is not in products.json", text(line, "asin")))];
    };
    let own: String = product.indexed_text().chars().take(CUT).collect();
    let fields = vec![field(line, "text", json!(own)), field(line, "terms", json!(analyse(text(line, "text"))))];
    vec![Ok(Compared { at: at.to_owned(), fields })]
}

fn search(shop: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
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
    let fields = vec![field(line, "terms", json!(terms)), ("hits", Value::Array(recorded), Value::Array(own))];
    vec![Ok(Compared { at: at.to_owned(), fields })]
}

fn fuzzy(_: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
    let (a, b) = (text(line, "a"), text(line, "b"));
    let fields = vec![
        field(line, "token_set_ratio", json!(token_set_ratio(a, b))),
        field(line, "norm_a", json!(normalise(a))),
        field(line, "norm_b", json!(normalise(b))),
    ];
    vec![Ok(Compared { at: at.to_owned(), fields })]
}

fn options(value: Option<&Value>) -> IndexMap<String, String> {
    let chosen = value.and_then(Value::as_object).into_iter().flatten();
    chosen.filter_map(|(name, value)| Some((name.clone(), value.as_str()?.to_owned()))).collect()
}

fn rewards(shop: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
    let goal_id = number(line, "goal_id");
    let (Some(goal), Some(product)) = (shop.goals.get(goal_id), shop.product(text(line, "asin"))) else {
        return vec![Err(format!("{at}: its goal or product is not in the catalogue"))];
    };
    let own = reward(product, &options(line.get("options")), goal, shop.nouns_of(goal_id));
    let fields = vec![field(line, "reward", json!(own.total)), field(line, "info", json!(own.info))];
    vec![Ok(Compared { at: at.to_owned(), fields })]
}

fn steps(line: &Value) -> &[Value] {
    line.get("steps").and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn session(shop: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
    let show = line.get("show_attrs").and_then(Value::as_bool).unwrap_or(false);
    let Some(mut session) = Session::new(Arc::clone(shop), number(line, "goal_id"), show) else {
        return vec![Err(format!("{at}: its goal is not in goals.json"))];
    };
    let null = Value::Null;
    let mut first = session_fields(&session, line.get("initial").unwrap_or(&null));
    first.push(field(line, "instruction", json!(session.goal().instruction_text)));
    let mut records = vec![Ok(Compared { at: format!("{at}, reset"), fields: first })];
    for (i, step) in steps(line).iter().enumerate() {
        let own = session.step(text(step, "action"));
        let mut fields = session_fields(&session, step);
        fields.push(field(step, "reward", json!(own.reward)));
        fields.push(field(step, "done", json!(own.done)));
        let info = session.reward().filter(|_| own.done).map_or(Value::Null, |reward| json!(reward.info));
        fields.push(field(step, "reward_info", info));
        records.push(Ok(Compared { at: format!("{at}, step {i} {}", text(step, "action")), fields }));
    }
    records
}

fn session_fields(session: &Session, recorded: &Value) -> Vec<(&'static str, Value, Value)> {
    let available = session.available();
    vec![
        field(recorded, "obs_text", json!(session.text())),
        field(recorded, "obs_text_rich", json!(session.text_rich())),
        field(
            recorded,
            "available",
            json!({ "has_search_bar": available.has_search_bar, "clickables": available.clickables }),
        ),
        field(
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

fn site(shop: &Arc<Shop>, at: &str, line: &Value) -> Vec<Record> {
    let Some(mut site) = Site::new(Arc::clone(shop), number(line, "goal_id")) else {
        return vec![Err(format!("{at}: its goal is not in goals.json"))];
    };
    let first = vec![
        field(line, "initial_observation", json!(site.observation())),
        field(line, "instruction", json!(site.goal().instruction_text)),
    ];
    let mut records = vec![Ok(Compared { at: format!("{at}, reset"), fields: first })];
    for (i, step) in steps(line).iter().enumerate() {
        // The wrapper's web address broke here; what follows is of its making (README.md of the recordings).
        if step.get("http_status").and_then(Value::as_u64).is_some_and(|status| status != 200) {
            break;
        }
        let (observation, own) = site.step(text(step, "action"));
        let fields = vec![
            field(step, "observation", json!(observation)),
            field(step, "reward", json!(own.reward)),
            field(step, "done", json!(own.done)),
            field(step, "page_type", json!(site.page_type())),
            field(step, "options", json!(site.options)),
        ];
        records.push(Ok(Compared { at: format!("{at}, step {i} {}", text(step, "action")), fields }));
    }
    records
}
