//! Agreement: how often each embedder finds a right step for the forty paraphrases among all admissible steps: the figures of
//! docs/explanation/translation.md.
//!
//!     cargo run --release -p stepwright-embed --example agreement -- STEPS.json [KEPT]
//!     cargo run --release -p stepwright-embed --features minilm --example agreement -- STEPS.json [KEPT] WEIGHTS VOCABULARY
//!
//! STEPS is a list of admissible steps as JSON (the language planner's `available_actions.json`), KEPT a folder for vectors (a
//! temporary one if absent), WEIGHTS and VOCABULARY the model's files where they were fetched.

use std::error::Error;
use std::path::PathBuf;
use std::time::Instant;

use stepwright_embed::paraphrases::{Found, LOOKED_AT, agreement, within};
use stepwright_embed::{Embedder, built_in, kept};

fn main() -> Result<(), Box<dyn Error>> {
    let mut words = std::env::args().skip(1).collect::<Vec<_>>();
    if words.is_empty() {
        return Err("name a file of admissible steps".into());
    }
    let steps: Vec<String> = serde_json::from_str(&std::fs::read_to_string(words.remove(0))?)?;
    let folder = match words.len() {
        1 | 3 => PathBuf::from(words.remove(0)),
        _ => std::env::temp_dir().join("stepwright-agreement"),
    };
    measure(built_in(), &steps, &folder)?;
    #[cfg(feature = "minilm")]
    if let [weights, vocabulary] = words.as_slice() {
        measure(&stepwright_embed::minilm::MiniLm::open(weights.as_ref(), vocabulary.as_ref())?, &steps, &folder)?;
    }
    Ok(())
}

fn measure(embedder: &dyn Embedder, steps: &[String], folder: &std::path::Path) -> Result<(), Box<dyn Error>> {
    let begun = Instant::now();
    let (table, origin) = kept::table(embedder, steps, folder, &mut |_| true)?;
    println!("{}\n  {} steps in {:.1} s ({origin:?})", embedder.name(), steps.len(), begun.elapsed().as_secs_f64());
    let found = agreement(embedder, &table)?;
    let [first, five, twenty] = [1, 5, LOOKED_AT].map(|k| within(&found, k));
    println!("  a right step is first {first}, among 5 {five}, among {LOOKED_AT} {twenty} times of {}", found.len());
    for Found { paraphrase, nearest, place } in &found {
        if *place != Some(1) {
            let place = place.map_or("-".to_owned(), |place| place.to_string());
            println!("  {place:>3}  {} -> {nearest}", paraphrase.text);
        }
    }
    let query = embedder.embed(&[found.first().map_or("", |f| f.paraphrase.text).to_owned()])?;
    let begun = Instant::now();
    for _ in 0..100 {
        std::hint::black_box(table.nearest(&query[0], LOOKED_AT));
    }
    println!("  one search: {:.2} ms", begun.elapsed().as_secs_f64() * 10.0);
    Ok(())
}
