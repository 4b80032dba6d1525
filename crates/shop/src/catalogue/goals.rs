//! Goals made from WebShop's files: from instructions that people wrote, or from a product's attributes and every combination of
//! its options; with a price limit drawn among the next round prices above the product's.

use rustc_hash::{FxHashMap, FxHashSet};
use serde::Deserialize;

use super::Product;
use crate::goal::{Goal, GoalOptions, NO_LIMIT};
use twister::Twister;

mod twister;

/// The seed by which the original engine orders its goals.
const ORDER: u32 = 233;
/// Combinations of options of one product that become goals, at most.
const COMBINATIONS: usize = 4096;
/// Goals that a catalogue may have, and for each of its products: WebShop's have seven a product. Options multiply each other, so that a file
/// of some kilobytes could fill the memory.
const MOST: (usize, usize) = (50_000, 20);

#[derive(Debug, Deserialize)]
pub(super) struct Human {
    #[serde(default)]
    instruction: String,
    #[serde(default)]
    instruction_attributes: Vec<String>,
    #[serde(default)]
    instruction_options: Vec<String>,
}

impl Human {
    fn is_silent(&self) -> bool {
        self.instruction.trim().is_empty()
    }
}

pub(super) struct Instruction {
    pub(super) instruction: String,
    pub(super) attributes: Vec<String>,
}

/// Draws what the original engine draws at its start.
#[derive(Debug)]
pub(super) struct Draw(Twister);

impl Draw {
    pub(super) fn new(seed: u32) -> Self {
        Draw(Twister::new(seed))
    }

    /// A price that counts for the reward: the only one, or one between the two.
    pub(super) fn price(&mut self, amounts: &[f64]) -> f64 {
        match amounts {
            [] => super::price::DEFAULT,
            [one] => *one,
            [low, high, ..] => low + (high - low) * self.0.unit(),
        }
    }

    /// A price limit above a price and what the instruction says of it; no limit where few round prices are left.
    fn limit(&mut self, price: f64) -> (f64, String) {
        let above: Vec<f64> =
            (1..100).map(|tens| f64::from(tens) * 10.0).filter(|round| *round > price).take(4).collect();
        if above.len() < 2 {
            return (NO_LIMIT, String::new());
        }
        // The larger of two different ones, as `random.sample` draws them: what was drawn gives its place to the last.
        let last = above.len() - 1;
        let first = self.0.below(above.len() as u32) as usize;
        let second = self.0.below(last as u32) as usize;
        let second = if second == first { last } else { second };
        let limit = above[first.max(second)];
        (limit, format!(", and price lower than {limit:.2} dollars"))
    }
}

/// Goals that people wrote, in the engine's official order.
pub(super) fn human(
    products: &[Product],
    written: &FxHashMap<String, Vec<Human>>,
    draw: &mut Draw,
    notes: &mut Vec<String>,
) -> Vec<Goal> {
    let mut goals = Vec::new();
    let mut silent = 0usize;
    for product in products {
        for human in written.get(&product.asin).into_iter().flatten() {
            if human.instruction_attributes.is_empty() {
                continue;
            }
            if human.is_silent() {
                silent += 1;
                continue;
            }
            let (price_upper, limit) = draw.limit(product.reward_price);
            let instruction_text = format!("{}{limit}", human.instruction.trim_matches('.'));
            let options = GoalOptions::Values(human.instruction_options.clone());
            goals.push(goal(product, "human", instruction_text, &human.instruction_attributes, price_upper, options));
        }
    }
    if silent > 0 {
        notes.push(format!("items_human_ins.json: left out without an `instruction`: {silent}; write what is wanted"));
    }
    official_order(&mut goals);
    number(goals)
}

/// Why none of the goals that people wrote is one: how many of them lack what.
pub(super) fn why_none(products: &[Product], written: &FxHashMap<String, Vec<Human>>) -> String {
    let known: FxHashSet<&str> = products.iter().map(|product| product.asin.as_str()).collect();
    let (mut of_unknown, mut silent, mut bare) = (0, 0, 0);
    let mut unknown: Vec<&str> = Vec::new();
    for (asin, of) in written {
        if known.contains(asin.as_str()) {
            let without = of.iter().filter(|human| human.is_silent()).count();
            silent += without;
            bare += of.len() - without;
        } else {
            of_unknown += of.len();
            unknown.push(asin);
        }
    }
    let count = of_unknown + silent + bare;
    // The first by its number, whatever the order of the table.
    let example = unknown.into_iter().min().unwrap_or_default();
    let parts = [
        (of_unknown, format!("{of_unknown} of products that are not among those read (such as {example})")),
        (silent, format!("{silent} without `instruction`")),
        (bare, format!("{bare} without `instruction_attributes`")),
    ];
    let parts: Vec<String> = parts.into_iter().filter(|(count, _)| *count > 0).map(|(_, words)| words).collect();
    if parts.is_empty() {
        return "items_human_ins.json has none".to_owned();
    }
    format!("none of the {count} in items_human_ins.json can be used: {}", parts.join(", "))
}

/// Goals made from attributes, in the engine's official order.
pub(super) fn synthetic(
    products: &[Product],
    made: impl Fn(&Product) -> Option<Instruction>,
    draw: &mut Draw,
    notes: &mut Vec<String>,
) -> Vec<Goal> {
    let mut goals = Vec::new();
    let most = MOST.0 + MOST.1 * products.len();
    for product in products {
        if goals.len() >= most {
            goals.truncate(most);
            notes.push(format!(
                "options make more than {most} goals: those of {} and of what follows are left out",
                product.asin
            ));
            break;
        }
        let Some(made) = made(product).filter(|made| !made.attributes.is_empty()) else { continue };
        let (price_upper, limit) = draw.limit(product.reward_price);
        for combination in combinations(product) {
            let named: Vec<String> = combination.iter().map(|(name, value)| format!("{name}: {value}")).collect();
            let with = if named.is_empty() { String::new() } else { format!(" with {}", named.join(", and ")) };
            let instruction_text = format!("{}{with}{limit}", made.instruction);
            let options = GoalOptions::Named(combination.into_iter().collect());
            goals.push(goal(product, "synthetic", instruction_text, &made.attributes, price_upper, options));
        }
    }
    official_order(&mut goals);
    number(goals)
}

/// Every combination of a product's options, names in alphabetical order.
fn combinations(product: &Product) -> Vec<Vec<(String, String)>> {
    let mut names: Vec<&String> = product.options.keys().collect();
    names.sort();
    let mut all: Vec<Vec<(String, String)>> = vec![Vec::new()];
    for name in names {
        let values = &product.options[name];
        let longer = all.iter().flat_map(|begun| {
            values.iter().map(move |value| {
                let mut longer = begun.clone();
                longer.push((name.clone(), value.clone()));
                longer
            })
        });
        all = longer.take(COMBINATIONS).collect();
    }
    all
}

fn goal(
    product: &Product,
    kind: &str,
    instruction_text: String,
    attributes: &[String],
    price_upper: f64,
    goal_options: GoalOptions,
) -> Goal {
    Goal {
        id: 0,
        kind: kind.to_owned(),
        asin: product.asin.clone(),
        category: product.category.clone(),
        query: product.query.clone(),
        name: product.title.clone(),
        product_category: product.product_category.clone(),
        instruction_text,
        attributes: attributes.to_vec(),
        price_upper,
        goal_options,
    }
}

fn number(mut goals: Vec<Goal>) -> Vec<Goal> {
    goals.iter_mut().enumerate().for_each(|(i, goal)| goal.id = i);
    goals
}

/// Puts goals in the order of the original engine, which shuffles them by a fixed seed: that of the tasks `fixed_0` and on.
fn official_order<T>(goals: &mut [T]) {
    let mut twister = Twister::new(ORDER);
    for i in (1..goals.len()).rev() {
        goals.swap(i, twister.below(i as u32 + 1) as usize);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_official_order_is_pythons() {
        // Python 3.11: random.seed(233); x = list(range(10)); random.shuffle(x)
        let mut goals: Vec<u32> = (0..10).collect();
        official_order(&mut goals);
        assert_eq!(goals, [5, 9, 0, 1, 4, 7, 6, 3, 8, 2]);
    }

    #[test]
    fn what_is_drawn_is_pythons() {
        // Python 3.11: random.seed(5); random.uniform(9.49, 14.98); then six times max(random.sample([30.0, 40.0, 50.0, 60.0], 2))
        let mut draw = Draw::new(5);
        assert_eq!(draw.price(&[9.49, 14.98]), 12.909730304944464);
        assert_eq!([0; 6].map(|_: i32| draw.limit(25.0).0), [60.0, 40.0, 50.0, 60.0, 40.0, 60.0]);
    }

    #[test]
    fn options_that_multiply_do_not_fill_the_memory() {
        let options = (0..12).map(|name| (format!("o{name}"), vec!["a".to_owned(), "b".to_owned()]));
        let product = Product { asin: "B".to_owned(), options: options.collect(), ..Product::default() };
        let made = |_: &Product| Some(Instruction { instruction: "find".to_owned(), attributes: vec!["x".to_owned()] });
        let mut notes = Vec::new();
        let goals = synthetic(&vec![product; 100], made, &mut Draw::new(1), &mut notes);
        assert_eq!((goals.len(), notes.len()), (52_000, 1));
    }

    #[test]
    fn limits_are_round_prices_above() {
        let mut draw = Draw::new(7);
        for _ in 0..50 {
            let (limit, text) = draw.limit(14.98);
            assert!([30.0, 40.0, 50.0].contains(&limit) && text.contains(&format!("{limit:.2}")));
        }
        assert_eq!(draw.limit(985.0), (NO_LIMIT, String::new()));
    }
}
