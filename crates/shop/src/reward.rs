//! Reward of a purchase and its parts: whether the product is of the wanted kind, has the wanted attributes and options, and
//! costs no more than allowed (Yao et al. 2022, equation 1).

use indexmap::IndexMap;
use rustc_hash::FxHashSet;
use serde::Serialize;

use crate::catalogue::Product;
use crate::colour::{is_colour, normalise};
use crate::fuzzy::token_set_ratio;
use crate::goal::{Goal, GoalOptions};
use crate::python::repr_pair;

/// Texts match that are more alike than this.
const ALIKE: u32 = 85;
/// Attributes and options of a goal, and of a product, that are compared, each with each; no product of WebShop has so many.
const MOST: usize = 200;
/// Parts of the catalogue's path that make two products of a kind.
const COMMON_PARTS: usize = 2;
/// Above this share of common nouns two titles are of a kind.
const TITLE: f64 = 0.2;
/// Below it they are barely so.
const TITLE_LOW: f64 = 0.1;

#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Reward {
    /// From 0 to 1.
    pub total: f64,
    pub info: Info,
}

/// The parts of a reward; the names are the original engine's.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Info {
    /// The factor of the rest: 1 for the wanted kind of product, 0.5, 0.1 or 0.
    pub r_type: f64,
    pub r_att: f64,
    pub w_att: f64,
    pub query_match: bool,
    /// Whether at least two parts of the catalogue's path are the same.
    pub category_match: bool,
    /// The share of the wanted title's nouns that are in its title.
    pub title_score: f64,
    /// The share of wanted options that were chosen; absent where none is wanted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub r_option: Option<f64>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub w_option: Option<f64>,
    pub r_price: bool,
    pub w_price: f64,
}

/// The reward of buying a product with options chosen. `goal_nouns` are those of the wanted product's title.
pub fn reward(product: &Product, options: &IndexMap<String, String>, goal: &Goal, goal_nouns: &[String]) -> Reward {
    let kind = Kind::of(product, goal, goal_nouns);
    let attributes = goal.attributes.iter().take(MOST).filter(|wanted| has_attribute(product, wanted)).count();
    let chosen = options_chosen(options, &goal.goal_options);
    let r_price = product.reward_price <= goal.price_upper;

    let (wanted_attributes, wanted_options) = (goal.attributes.len(), goal.goal_options.len());
    let all = (wanted_attributes + wanted_options + 1) as f64;
    let share = |matched: usize, of: usize| matched as f64 / of as f64;
    let total = (attributes + chosen + usize::from(r_price)) as f64 / all * kind.r_type;
    let info = Info {
        r_type: kind.r_type,
        r_att: if wanted_attributes == 0 { 0.0 } else { share(attributes, wanted_attributes) },
        w_att: wanted_attributes as f64 / all,
        query_match: kind.query_match,
        category_match: kind.category_match,
        title_score: kind.title_score,
        r_option: (wanted_options > 0).then(|| share(chosen, wanted_options)),
        w_option: (wanted_options > 0).then(|| wanted_options as f64 / all),
        r_price,
        w_price: 1.0 / all,
    };
    Reward { total, info }
}

struct Kind {
    r_type: f64,
    query_match: bool,
    category_match: bool,
    title_score: f64,
}

impl Kind {
    fn of(product: &Product, goal: &Goal, goal_nouns: &[String]) -> Self {
        let query_match = product.query == goal.query;
        let parts =
            |path: &'_ str| -> FxHashSet<String> { path.split('›').map(|part| part.trim().to_owned()).collect() };
        let category_match =
            parts(&product.product_category).intersection(&parts(&goal.product_category)).count() >= COMMON_PARTS;
        let title_score = if goal_nouns.is_empty() {
            TITLE
        } else {
            let own: FxHashSet<&String> = product.title_nouns.iter().collect();
            let wanted: FxHashSet<&String> = goal_nouns.iter().collect();
            own.intersection(&wanted).count() as f64 / goal_nouns.len() as f64
        };
        let matches = query_match || category_match || title_score > TITLE;
        let r_type = if title_score == 0.0 {
            0.0
        } else if title_score < TITLE_LOW {
            0.1
        } else if matches {
            1.0
        } else {
            0.5
        };
        Kind { r_type, query_match, category_match, title_score }
    }
}

/// Whether a product has an attribute: one of its own is much like it, or its texts hold the very words.
fn has_attribute(product: &Product, wanted: &str) -> bool {
    product.attributes.iter().take(MOST).any(|own| token_set_ratio(own, wanted) > ALIKE)
        || product.title.to_lowercase().contains(wanted)
        || product.bullet_points.join(" ").to_lowercase().contains(wanted)
        || product.description.to_lowercase().contains(wanted)
}

/// How many wanted options are among those chosen. A named option is compared as Python spells a pair of name and value.
fn options_chosen(chosen: &IndexMap<String, String>, wanted: &GoalOptions) -> usize {
    let chosen: Vec<&str> = chosen.values().take(MOST).map(|value| normalise(value)).collect();
    let among = |wanted: &str| chosen.iter().any(|own| token_set_ratio(own, wanted) > ALIKE);
    match wanted {
        GoalOptions::Values(values) => values.iter().take(MOST).filter(|value| among(normalise(value))).count(),
        GoalOptions::Named(named) => named
            .iter()
            .take(MOST)
            .filter(|(name, value)| match first_colour(name, value) {
                Some(colour) => among(colour),
                None => among(&repr_pair(name, value)),
            })
            .count(),
    }
}

/// The colour that a named option is, name and value taken whole; the first of the list where both are one.
fn first_colour<'a>(name: &'a str, value: &'a str) -> Option<&'a str> {
    match (is_colour(name), is_colour(value)) {
        (true, true) => Some(name.min(value)),
        (true, false) => Some(name),
        (false, true) => Some(value),
        (false, false) => None,
    }
}
