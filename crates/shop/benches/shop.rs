//! Figures of the shop: opening 1,000 products, a search, a step, and how time and memory grow with the catalogue.
//!
//! Catalogues are made of the shipped products, shuffled and renumbered, in the layout of WebShop's own files.
//! `cargo bench -p stepwright-shop -- --large` measures catalogues of up to 200,000 products instead.
#![allow(clippy::unwrap_used, clippy::print_stdout, missing_docs, reason = "a bench")]

use std::fmt::Write as _;
use std::hint::black_box;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Instant;

use criterion::Criterion;
use serde_json::{Value, json};
use stepwright_shop::catalogue::Reading;
use stepwright_shop::{Shop, Site};

fn shipped() -> Vec<Value> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../worlds/shop");
    serde_json::from_str(&std::fs::read_to_string(folder.join("products.json")).unwrap()).unwrap()
}

/// Writes a catalogue of so many products as WebShop's files, each unlike the others in its words.
fn write(folder: &Path, count: usize) {
    let shipped = shipped();
    let (mut items, mut known) = (String::from("["), String::from("{"));
    for i in 0..count {
        let of = |key: &str, shift: usize| shipped[(i * 7 + shift) % shipped.len()][key].clone();
        let asin = format!("B{i:09}");
        // Words of other products, and one that few products share: vocabulary grows with the catalogue.
        let description = format!(
            "{} {} series{}",
            of("description", 0).as_str().unwrap(),
            of("description", i / 160 + 3).as_str().unwrap(),
            i / 5
        );
        let options: serde_json::Map<String, Value> = of("options", 0)
            .as_object()
            .unwrap()
            .iter()
            .map(|(name, values)| {
                (name.clone(), values.as_array().unwrap().iter().map(|value| json!({ "value": value })).collect())
            })
            .collect();
        let item = json!({
            "asin": asin, "name": of("title", 0), "full_description": description, "small_description": of("bullet_points", 0),
            "pricing": of("price_tag", 0).as_str().unwrap().replace(" to ", " - "), "customization_options": options,
            "category": of("category", 0), "query": of("query", 0), "product_category": of("product_category", 0), "images": ["x"],
        });
        let comma = if i == 0 { "" } else { "," };
        write!(items, "{comma}{item}").unwrap();
        let attributes = of("attributes", 0);
        let instruction = (i < 1000).then(|| format!("Find me {}", of("query", 0).as_str().unwrap()));
        let entry =
            json!({ "attributes": attributes, "instruction": instruction, "instruction_attributes": attributes });
        write!(known, "{comma}\"{asin}\":{entry}").unwrap();
    }
    std::fs::write(folder.join("items_shuffle.json"), items + "]").unwrap();
    std::fs::write(folder.join("items_ins_v2.json"), known + "}").unwrap();
}

fn folder(name: &str) -> PathBuf {
    let folder = std::env::temp_dir().join(format!("stepwright-shop-bench-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    folder
}

/// Memory in use and the most there was, in MiB, where the system reports it.
fn memory() -> (u64, u64) {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let of = |key: &str| {
        let line = status.lines().find_map(|line| line.strip_prefix(key))?;
        line.split_whitespace().next()?.parse::<u64>().ok()
    };
    (of("VmRSS:").unwrap_or(0) / 1024, of("VmHWM:").unwrap_or(0) / 1024)
}

fn large() {
    println!("products     first open   again   index MiB   RSS MiB (most)   search");
    for count in [1_000, 10_000, 50_000, 100_000, 200_000] {
        let folder = folder(&count.to_string());
        write(&folder, count);
        let begun = Instant::now();
        drop(Shop::open(&folder, Reading::default()).unwrap());
        let first = begun.elapsed();
        let begun = Instant::now();
        let shop = Shop::open(&folder, Reading::default()).unwrap();
        let again = begun.elapsed();
        let begun = Instant::now();
        for goal in shop.goals.iter().cycle().take(100) {
            black_box(shop.search(&goal.instruction_text));
        }
        let search = begun.elapsed() / 100;
        let (rss, most) = memory();
        let index = shop.index().bytes() / (1 << 20);
        println!("{count:>8}   {first:>10.2?} {again:>9.2?}   {index:>6}   {rss:>7} ({most})   {search:>9.2?}");
        std::fs::remove_dir_all(&folder).unwrap();
    }
}

fn main() {
    if std::env::args().any(|arg| arg == "--large") {
        return large();
    }
    let mut criterion = Criterion::default().configure_from_args();
    let folder = folder("small");
    write(&folder, 1_000);
    criterion.bench_function("open 1,000 products", |b| b.iter(|| Shop::open(&folder, Reading::default()).unwrap()));
    let shop = Arc::new(Shop::open(&folder, Reading::default()).unwrap());
    std::fs::remove_dir_all(&folder).unwrap();
    let query = "machine washable pillow covers with super soft cream 16\" x 16\"";
    criterion.bench_function("search among 1,000", |b| b.iter(|| black_box(shop.search(query))));
    criterion.bench_function("episode of five steps on the site", |b| {
        b.iter(|| {
            let mut site = Site::new(Arc::clone(&shop), 0).unwrap();
            site.step(&format!("search[{query}]"));
            let asin = site.clickables().into_iter().find(|text| text.starts_with('B') && text.len() == 10).unwrap();
            for action in [
                format!("click[{asin}]"),
                "click[Features]".to_owned(),
                "click[< Prev]".to_owned(),
                "click[Buy Now]".to_owned(),
            ] {
                black_box(site.step(&action));
            }
        });
    });
    criterion.final_summary();
}
