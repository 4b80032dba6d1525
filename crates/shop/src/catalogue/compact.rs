//! Compact form of a catalogue: `products.json`, a list of products with all that the reward needs, and `goals.json`.

use std::fs::File;
use std::io::BufReader;
use std::path::Path;

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::notes::{Fault, Notes, has_markup};
use super::price::Price;
use super::read::Reading;
use super::{Catalogue, Options, Product, Review, ShopError, goals, nouns};
use crate::goal::Goal;

/// A product as it is written. What the shop cannot do without must be there.
#[derive(Debug, Deserialize)]
struct Item {
    asin: String,
    title: String,
    #[serde(default)]
    description: String,
    #[serde(default)]
    bullet_points: Vec<String>,
    price_tag: Option<String>,
    #[serde(default)]
    pricing: Vec<f64>,
    reward_price: Option<f64>,
    rating: Option<String>,
    #[serde(default)]
    reviews: Vec<Review>,
    #[serde(default)]
    category: String,
    #[serde(default)]
    query: String,
    #[serde(default)]
    product_category: String,
    #[serde(default)]
    options: Options,
    #[serde(default)]
    attributes: Vec<String>,
    title_nouns: Option<Vec<String>>,
}

const EXPECTED: &str = "a list of products, each with `asin` and `title`";
const EXPECTED_GOALS: &str = "a list of goals, each with `id`, `asin` and `instruction_text`";

pub(super) fn read(products: &Path, goals: Option<&Path>, reading: Reading) -> Result<Catalogue, ShopError> {
    let open = |path: &Path| File::open(path).map(BufReader::new).map_err(|e| ShopError::unreadable(path, e));
    let items: Vec<Item> =
        serde_json::from_reader(open(products)?).map_err(|e| ShopError::json(products, &e, EXPECTED))?;
    let file = products.display().to_string();
    let mut catalogue = match goals {
        Some(path) => {
            let goals: Vec<Goal> =
                serde_json::from_reader(open(path)?).map_err(|e| ShopError::json(path, &e, EXPECTED_GOALS))?;
            each_has_its_id(&goals, path)?;
            of(items, goals, reading, &file)
        }
        None => Catalogue {
            no_goals: Some(format!("there is no goals.json beside products.json; it is {EXPECTED_GOALS}")),
            ..of(items, Vec::new(), reading, &file)
        },
    };
    catalogue.file = Some(products.to_owned());
    Ok(catalogue)
}

/// Errors: two goals of one id, which names their tasks.
fn each_has_its_id(goals: &[Goal], path: &Path) -> Result<(), ShopError> {
    let mut known: FxHashMap<usize, usize> = FxHashMap::default();
    for (goal, place) in goals.iter().zip(1..) {
        if let Some(first) = known.insert(goal.id, place) {
            let message = format!(
                "the goals in places {first} and {place} of the list have the id {}; give one of them another",
                goal.id
            );
            return Err(ShopError::Data { path: path.display().to_string(), message });
        }
    }
    Ok(())
}

/// Products and goals of two texts in the compact form; `origin` is what complaints name.
pub(super) fn of_text(products: &str, goals: &str, origin: &Path) -> Result<Catalogue, ShopError> {
    let path = |name: &str| origin.join(name);
    let items: Vec<Item> =
        serde_json::from_str(products).map_err(|e| ShopError::json(&path("products.json"), &e, EXPECTED))?;
    let goals: Vec<Goal> =
        serde_json::from_str(goals).map_err(|e| ShopError::json(&path("goals.json"), &e, EXPECTED_GOALS))?;
    each_has_its_id(&goals, &path("goals.json"))?;
    Ok(of(items, goals, Reading::default(), &path("products.json").display().to_string()))
}

fn of(items: Vec<Item>, goals: Vec<Goal>, reading: Reading, file: &str) -> Catalogue {
    let mut catalogue = Catalogue::default();
    let mut notes = Notes::new(file);
    let mut seen: FxHashSet<String> = FxHashSet::default();
    let mut draw = goals::Draw::new(reading.seed);
    for (item, place) in items.into_iter().take(reading.products.unwrap_or(usize::MAX)).zip(1..) {
        if !seen.insert(item.asin.clone()) {
            notes.add(Fault::Twice, place, &item.asin);
            continue;
        }
        let faults = [(Fault::NoPrice, item.pricing.is_empty()), (Fault::Markup, has_markup(&item.title))];
        for (fault, _) in faults.into_iter().filter(|(_, there)| *there) {
            notes.add(fault, place, &item.asin);
        }
        catalogue.products.push(item.product(&mut draw));
    }
    catalogue.notes = notes.lines();
    catalogue.no_goals = no_goals(&goals, reading);
    // In the compact form both kinds stand in one list, in the order of the tasks.
    let wanted = |goal: &Goal| reading.kind.only().is_none_or(|kind| goal.kind == kind);
    for goal in goals.into_iter().filter(wanted).take(reading.goals.unwrap_or(usize::MAX)) {
        if !seen.contains(&goal.asin) {
            catalogue.notes.push(format!("goal {} wants {}, which is not among the products", goal.id, goal.asin));
        }
        catalogue.goals.push(goal);
    }
    catalogue
}

/// Why none of these goals is read, where none is.
fn no_goals(goals: &[Goal], reading: Reading) -> Option<String> {
    if goals.is_empty() {
        return Some(format!("goals.json is empty; it is {EXPECTED_GOALS}"));
    }
    if reading.goals == Some(0) {
        return Some("reading.toml asks for none of them (goals = 0)".to_owned());
    }
    let wanted = reading.kind.only()?;
    let mut kinds: Vec<&str> = goals.iter().map(|goal| goal.kind.as_str()).collect();
    if kinds.contains(&wanted) {
        return None;
    }
    kinds.sort_unstable();
    let each = kinds.chunk_by(|a, b| a == b).map(|of_kind| match of_kind.first() {
        Some(kind) if !kind.is_empty() => format!("{} of kind {kind:?}", of_kind.len()),
        _ => format!("{} without a `kind`", of_kind.len()),
    });
    Some(format!(
        "reading.toml asks for those of kind {wanted:?}, and there are none; goals.json has {}",
        each.collect::<Vec<_>>().join(" and ")
    ))
}

impl Item {
    fn product(self, draw: &mut goals::Draw) -> Product {
        let price = Price::of(self.pricing);
        let title_nouns = self.title_nouns.unwrap_or_else(|| nouns(&self.title));
        Product {
            asin: self.asin,
            description: self.description,
            bullet_points: if self.bullet_points.is_empty() { vec![String::new()] } else { self.bullet_points },
            price_tag: self.price_tag.unwrap_or(price.tag),
            reward_price: self.reward_price.unwrap_or_else(|| draw.price(&price.amounts)),
            pricing: price.amounts,
            rating: self.rating.unwrap_or_else(|| super::raw::NO_RATING.to_owned()),
            reviews: self.reviews,
            category: self.category,
            query: self.query,
            product_category: self.product_category,
            options: self.options,
            attributes: self.attributes,
            title: self.title,
            title_nouns,
        }
    }
}
