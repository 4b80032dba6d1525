//! Agreement of the rule that finds nouns of titles with the tagger whose answers the recordings hold.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;

use stepwright_shop::Shop;
use stepwright_shop::catalogue::{Reading, nouns};

#[test]
fn the_rule_agrees_with_the_tagger_on_most_words() {
    let Some(folder) = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("webshop")) else {
        return;
    };
    let shop = Shop::open(&folder, Reading::default()).unwrap();
    let (mut both, mut own, mut tagged) = (0usize, 0usize, 0usize);
    for product in &shop.products {
        let found = nouns(&product.title);
        own += found.len();
        tagged += product.title_nouns.len();
        both += found.iter().filter(|word| product.title_nouns.contains(word)).count();
    }
    let (precision, recall) = (both as f64 / own as f64, both as f64 / tagged as f64);
    eprintln!("precision {precision:.3}, recall {recall:.3}");
    assert!(precision > 0.85 && recall > 0.85, "precision {precision:.3}, recall {recall:.3}");
}
