//! Catalogue: products as the shop shows them, read from a user's WebShop files or from the compact form.

mod compact;
mod goals;
mod notes;
mod nouns;
mod price;
mod raw;
mod read;

use std::path::{Path, PathBuf};

use indexmap::IndexMap;
use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use nouns::nouns;
pub use price::{Price, price};

pub(crate) use read::read;
pub use read::{Found, GoalKind, Reading, find};

use crate::goal::Goal;

/// Reads the compact form from two texts; `origin` is what complaints name.
pub fn of_text(products: &str, goals: &str, origin: &Path) -> Result<Catalogue, ShopError> {
    compact::of_text(products, goals, origin)
}

/// Options of a product or a choice among them: names and values in the order of the file.
pub type Options = IndexMap<String, Vec<String>>;

#[derive(Debug, Clone, PartialEq, Default)]
pub struct Product {
    /// Its number, ten characters.
    pub asin: String,
    pub title: String,
    /// Its description, in sentences; may be empty.
    pub description: String,
    /// Its features, point by point; the first is indexed.
    pub bullet_points: Vec<String>,
    /// One price or two, in dollars; never empty.
    pub pricing: Vec<f64>,
    /// The price as it is shown (`$9.49 to $14.98`).
    pub price_tag: String,
    pub reward_price: f64,
    pub rating: String,
    pub reviews: Vec<Review>,
    /// The department (`beauty`).
    pub category: String,
    /// The kind of product, lower case.
    pub query: String,
    /// The path in the catalogue, its parts apart by ` › `.
    pub product_category: String,
    pub options: Options,
    pub attributes: Vec<String>,
    /// The nouns and names of the title, lower case, with repeats.
    pub title_nouns: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Review {
    #[serde(default)]
    pub title: String,
    #[serde(default, alias = "stars")]
    pub score: serde_json::Value,
    #[serde(default, alias = "review")]
    pub body: String,
}

impl Product {
    /// The product's text for the search engine: title, description, first bullet point and options, lower case.
    pub fn indexed_text(&self) -> String {
        let options: Vec<String> =
            self.options.iter().map(|(name, values)| format!("{name}: {}", values.join(", "))).collect();
        let first = self.bullet_points.first().map_or("", String::as_str);
        [&self.title, &self.description, first, &options.join(", and ")].join(" ").to_lowercase()
    }
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Catalogue {
    /// The products, in the order of the file, no two of a number.
    pub products: Vec<Product>,
    pub goals: Vec<Goal>,
    /// The parts left out or filled in, with the reason, a line each.
    pub notes: Vec<String>,
    /// Why there are no goals, where there are none.
    pub no_goals: Option<String>,
    /// The file that the index may be kept beside; `None` where there is none.
    pub file: Option<PathBuf>,
}

impl Catalogue {
    pub fn places(&self) -> FxHashMap<String, usize> {
        self.products.iter().enumerate().map(|(i, product)| (product.asin.clone(), i)).collect()
    }
}

/// Why a catalogue cannot be used: what, where, what to do.
#[derive(Debug, thiserror::Error)]
pub enum ShopError {
    #[error("{path}: {source}")]
    Unreadable { path: String, source: std::io::Error },
    /// A file does not hold what it should.
    #[error("{path}: {message}")]
    Data { path: String, message: String },
}

impl ShopError {
    fn unreadable(path: &Path, source: std::io::Error) -> Self {
        ShopError::Unreadable { path: path.display().to_string(), source }
    }

    /// A file that is no JSON, or JSON of another form. A file that ends too early says so.
    fn json(path: &Path, error: &serde_json::Error, expected: &str) -> Self {
        let line = error.line();
        let message = match error.classify() {
            serde_json::error::Category::Eof => {
                "the file ends in the middle; it was cut off, so fetch or copy it again".to_owned()
            }
            _ => format!("{error}; expected is {expected}"),
        };
        ShopError::Data { path: format!("{}:{line}", path.display()), message }
    }
}
