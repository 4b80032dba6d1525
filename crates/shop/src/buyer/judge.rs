//! Judgement of how well a product fits a wish, as far as it was seen: price, options, words and phrases.

use std::collections::BTreeSet;

use super::seen::{Result, Seen};
use super::wish::Wish;
use crate::colour;
use crate::fuzzy::token_set_ratio;
use crate::text::analyse;

/// A product this good is worth buying if nothing better is found.
pub(super) const FAIR: f64 = 0.5;
/// Texts match that are more alike than this.
const ALIKE: u32 = 85;

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Judged {
    /// From 0 to 1, below 0 where it costs too much.
    pub(super) worth: f64,
    pub(super) choices: Vec<(String, String)>,
    pub(super) missing: Vec<String>,
    lacking: Vec<String>,
    price: (Option<f64>, Option<f64>),
}

impl Judged {
    /// Whether reading on may show more: all is there but some phrases.
    pub(super) fn is_open(&self) -> bool {
        self.worth >= 0.0 && self.lacking.is_empty() && !self.missing.is_empty()
    }

    pub(super) fn words(&self) -> String {
        let mut words = vec![format!("it fits to {:.0} %", self.worth.max(0.0) * 100.0)];
        match self.price {
            (Some(price), Some(limit)) if price > limit => {
                words.push(format!("${price} is above the limit of ${limit}"))
            }
            (Some(price), Some(limit)) => words.push(format!("${price} is within the limit of ${limit}")),
            _ => {}
        }
        if !self.lacking.is_empty() {
            words.push(format!("it does not offer {}", self.lacking.join(", ")));
        }
        if !self.missing.is_empty() {
            words.push(format!("nothing is stated about {}", self.missing.join(", ")));
        }
        words.join("; ")
    }
}

/// How promising a result is by its title and price; minus infinity where it costs too much.
pub(super) fn title(wish: &Wish, result: &Result) -> f64 {
    if exceeds(result.price, wish.limit) {
        return f64::NEG_INFINITY;
    }
    share(&wish.terms, &analyse(&result.title).into_iter().collect())
}

pub(super) fn judge(wish: &Wish, page: &Seen, about: &[&str]) -> Judged {
    let (choices, lacking, wanted) = choices(wish, page);
    let values = page.options.iter().flat_map(|(_, values)| values).map(String::as_str);
    let texts: Vec<&str> = std::iter::once(page.title.as_str()).chain(about.iter().copied()).chain(values).collect();
    let all = texts.join(" ").to_lowercase();
    let terms: BTreeSet<String> = analyse(&all).into_iter().collect();
    let is_stated =
        |phrase: &String| all.contains(phrase.as_str()) || analyse(phrase).iter().all(|term| terms.contains(term));
    let missing: Vec<String> = wish.phrases.iter().filter(|phrase| !is_stated(phrase)).cloned().collect();
    let words = share(&wish.terms, &terms);
    let phrases = 1.0 - missing.len() as f64 / wish.phrases.len().max(1) as f64;
    let options = if wanted == 0 { 1.0 } else { 1.0 - lacking.len() as f64 / wanted as f64 };
    let mut worth = 0.5 * options + 0.25 * words + 0.25 * phrases;
    if wanted > 0 && lacking.is_empty() && !wish.named.is_empty() {
        // Every named option is offered by that very name and value: few products do.
        worth = worth.max(0.6) + 0.1;
    }
    if exceeds(page.price, wish.limit) {
        worth -= 2.0;
    }
    Judged { worth: worth.min(1.0), choices, missing, lacking, price: (page.price, wish.limit) }
}

fn exceeds(price: Option<f64>, limit: Option<f64>) -> bool {
    matches!((price, limit), (Some(price), Some(limit)) if price > limit)
}

fn share(wanted: &BTreeSet<String>, found: &BTreeSet<String>) -> f64 {
    wanted.intersection(found).count() as f64 / wanted.len().max(1) as f64
}

/// The options to choose, the wanted ones that are not offered, and the number of wanted options.
fn choices(wish: &Wish, page: &Seen) -> (Vec<(String, String)>, Vec<String>, usize) {
    if !wish.named.is_empty() {
        return named(wish, page);
    }
    // A person names no options: of each, the value whose words the instruction holds best.
    let mut chosen = Vec::new();
    for (name, values) in &page.options {
        let best = values.iter().map(|value| (fit(wish, value), value)).reduce(|a, b| if b.0 > a.0 { b } else { a });
        if let Some((fit, value)) = best
            && (fit > 0.0 || values.len() == 1)
        {
            chosen.push((name.clone(), value.clone()));
        }
    }
    (chosen, Vec::new(), 0)
}

fn named(wish: &Wish, page: &Seen) -> (Vec<(String, String)>, Vec<String>, usize) {
    let (mut chosen, mut lacking) = (Vec::new(), Vec::new());
    for (name, value) in &wish.named {
        let offered = page.options.iter().filter(|(known, _)| known == name);
        let exact = offered.clone().flat_map(|(_, values)| values).find(|known| *known == value);
        let alike =
            || offered.clone().flat_map(|(_, values)| values).find(|known| token_set_ratio(known, value) > ALIKE);
        match exact.or_else(alike) {
            Some(found) => chosen.push((name.clone(), found.clone())),
            None => lacking.push(format!("{name}: {value}")),
        }
    }
    (chosen, lacking, wish.named.len())
}

/// How much of a value the instruction says: all its words, or its colour; longer values before shorter ones.
fn fit(wish: &Wish, value: &str) -> f64 {
    let words: Vec<String> = analyse(value);
    if words.is_empty() {
        return 0.0;
    }
    let said: BTreeSet<String> = analyse(&wish.text).into_iter().collect();
    let joined = wish.text.replace(' ', "");
    let found =
        words.iter().filter(|word| said.contains(*word) || (word.len() > 2 && joined.contains(word.as_str()))).count();
    let share = found as f64 / words.len() as f64;
    let colour = colour::normalise(value);
    if share == 1.0 {
        1.0 + words.len() as f64
    } else if colour::is_colour(colour) && said.contains(colour) {
        0.9 + share / 10.0
    } else {
        share / 2.0
    }
}
