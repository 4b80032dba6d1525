//! Shop: a catalogue with its index, shared by all sessions.

use std::path::Path;
use std::sync::Arc;

use rustc_hash::FxHashMap;

use crate::catalogue::{self, Catalogue, Found, Product, Reading, ShopError, nouns};
use crate::goal::Goal;
use crate::page::PER_PAGE;
use crate::search::{self, Builder, Index, RESULTS};

/// From how many products on the index is kept beside the catalogue.
const KEPT_FROM: usize = 20_000;

/// Products, goals and the index over the products.
#[derive(Debug, Clone)]
pub struct Shop {
    pub products: Vec<Product>,
    pub goals: Vec<Goal>,
    /// The remarks of reading the catalogue, a line each.
    pub notes: Vec<String>,
    /// Why there are no goals, where there are none.
    pub no_goals: Option<String>,
    places: FxHashMap<String, usize>,
    index: Index,
    /// The nouns of each goal's wanted title, for the reward.
    goal_nouns: Vec<Vec<String>>,
}

impl Shop {
    /// Opens the catalogue at a path: a folder, or one of its files.
    pub fn open(path: &Path, reading: Reading) -> Result<Shop, ShopError> {
        if !path.exists() {
            let message = "there is no such file or folder".to_owned();
            return Err(ShopError::Data { path: path.display().to_string(), message });
        }
        let found = catalogue::find(path).ok_or_else(|| ShopError::Data {
            path: path.display().to_string(),
            message: "no catalogue here; products.json with goals.json, or WebShop's items_shuffle*.json is expected"
                .to_owned(),
        })?;
        let mark = mark(&found, reading);
        let catalogue = catalogue::read(&found, reading)?;
        let kept = catalogue.file.clone().filter(|_| catalogue.products.len() >= KEPT_FROM);
        let Some(file) = kept else { return Ok(Shop::new(catalogue)) };
        let beside = file.with_extension("index");
        let count = catalogue.products.len();
        if let Some(index) = search::load(&beside, mark).filter(|index| index.len() == count) {
            return Ok(Shop::with_index(catalogue, index));
        }
        let mut shop = Shop::new(catalogue);
        if let Err(error) = search::store(&shop.index, &beside, mark) {
            shop.notes.push(format!("the index could not be kept as {}: {error}", beside.display()));
        }
        Ok(shop)
    }

    /// A shop in the compact form from two texts; `origin` is what complaints name.
    pub fn of_text(products: &str, goals: &str, origin: &Path) -> Result<Shop, ShopError> {
        Ok(Shop::new(catalogue::of_text(products, goals, origin)?))
    }

    pub fn new(catalogue: Catalogue) -> Shop {
        let mut builder = Builder::default();
        for product in &catalogue.products {
            builder.add(&product.asin, &product.indexed_text());
        }
        Shop::with_index(catalogue, builder.finish())
    }

    fn with_index(catalogue: Catalogue, index: Index) -> Shop {
        let places = catalogue.places();
        let Catalogue { products, goals, notes, no_goals, .. } = catalogue;
        let wanted = |goal: &Goal| {
            let product = places.get(&goal.asin).and_then(|place| products.get(*place));
            product
                .filter(|product| product.title == goal.name)
                .map_or_else(|| nouns(&goal.name), |p| p.title_nouns.clone())
        };
        let goal_nouns = goals.iter().map(wanted).collect();
        Shop { products, goals, notes, no_goals, places, index, goal_nouns }
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub fn product(&self, asin: &str) -> Option<&Product> {
        self.products.get(*self.places.get(asin)?)
    }

    pub fn nouns_of(&self, goal: usize) -> &[String] {
        self.goal_nouns.get(goal).map_or(&[], Vec::as_slice)
    }

    /// The products that a search finds, best first, by their places in the catalogue. A first word `<c>`, `<q>` or `<a>` lists
    /// the products of a department, a kind or an attribute; `<r>` lists some products.
    pub fn find(&self, keywords: &[String]) -> Arc<[usize]> {
        let rest = || keywords.get(1..).unwrap_or_default().join(" ").trim().to_owned();
        let those = |matches: &dyn Fn(&Product) -> bool| -> Arc<[usize]> {
            self.products.iter().enumerate().filter(|(_, product)| matches(product)).map(|(i, _)| i).collect()
        };
        match keywords.first().map(String::as_str) {
            Some("<r>") => {
                // The original draws at random; here they are spread evenly, so that an episode can be repeated.
                let count = RESULTS.min(self.products.len());
                (0..count).map(|i| i * self.products.len() / count).collect()
            }
            Some("<a>") => those(&|product| product.attributes.contains(&rest())),
            Some("<c>") => {
                let category = keywords.get(1).map(|word| word.trim()).unwrap_or_default();
                those(&|product| product.category == category)
            }
            Some("<q>") => those(&|product| product.query == rest()),
            _ => self.search(&keywords.join(" ")),
        }
    }

    /// The products that the search engine finds for a text, best first, by their places in the catalogue.
    pub fn search(&self, query: &str) -> Arc<[usize]> {
        self.index.search(query, RESULTS).into_iter().map(|hit| hit.document).collect()
    }

    /// A page of results, counted from 1. On a page 0, to which the way leads from what was found for `search_results`, is nothing.
    pub fn page<'a>(&'a self, found: &'a [usize], number: usize) -> impl Iterator<Item = &'a Product> {
        let from = number.saturating_sub(1).saturating_mul(PER_PAGE);
        let most = if number == 0 { 0 } else { PER_PAGE };
        found.iter().skip(from).take(most).filter_map(|place| self.products.get(*place))
    }
}

/// The mark of a catalogue's state: its file's size and time, and how much of it is read.
fn mark(found: &Found, reading: Reading) -> u64 {
    use std::hash::{Hash, Hasher};
    let (Found::Compact { products: file, .. } | Found::Raw { items: file, .. }) = found;
    let mut hasher = rustc_hash::FxHasher::default();
    if let Ok(data) = std::fs::metadata(file) {
        data.len().hash(&mut hasher);
        data.modified().ok().and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok()).hash(&mut hasher);
    }
    reading.products.hash(&mut hasher);
    hasher.finish()
}
