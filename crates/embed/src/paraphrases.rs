//! Forty steps in other words, each with the admissible steps that are right: how often an embedder finds one.

use crate::{EmbedError, Embedder, Table};

/// As they lie in the repository.
const FILE: &str = include_str!("../data/paraphrases.tsv");

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Paraphrase {
    /// As a person or a model might write it.
    pub text: &'static str,
    /// The admissible steps that count as its translation.
    pub right: Vec<&'static str>,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Found {
    pub paraphrase: Paraphrase,
    pub nearest: String,
    /// The place of the first right one, from 1; none below the first [`LOOKED_AT`].
    pub place: Option<usize>,
}

pub const LOOKED_AT: usize = 20;

pub fn all() -> Vec<Paraphrase> {
    let lines = FILE.lines().filter(|line| !line.starts_with('#'));
    lines
        .filter_map(|line| line.split_once('\t'))
        .map(|(text, right)| Paraphrase { text, right: right.split('|').collect() })
        .collect()
}

pub fn agreement(embedder: &dyn Embedder, table: &Table) -> Result<Vec<Found>, EmbedError> {
    let all = all();
    let vectors = embedder.embed(&all.iter().map(|p| p.text.to_owned()).collect::<Vec<_>>())?;
    let found = all.into_iter().zip(vectors).map(|(paraphrase, vector)| {
        let near = table.nearest(&vector, LOOKED_AT);
        let mut names = near.iter().filter_map(|n| table.names().get(n.index));
        let nearest = names.clone().next().cloned().unwrap_or_default();
        let place = names.position(|name| paraphrase.right.contains(&name.as_str())).map(|at| at + 1);
        Found { paraphrase, nearest, place }
    });
    Ok(found.collect())
}

/// How many have a right step among the first `k`.
pub fn within(found: &[Found], k: usize) -> usize {
    found.iter().filter(|f| f.place.is_some_and(|place| place <= k)).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{built_in, sentence};

    #[test]
    fn there_are_forty_and_the_built_in_table_finds_most_among_their_right_steps() {
        let all = all();
        assert_eq!(all.len(), 40);
        assert!(all.iter().all(|p| !p.right.is_empty() && !p.right.contains(&p.text)));
        let names = all.iter().flat_map(|p| &p.right).map(|n| (*n).to_owned()).collect::<Vec<_>>();
        let vectors = built_in().embed(&names.iter().map(|n| sentence(n)).collect::<Vec<_>>()).unwrap();
        let found = agreement(built_in(), &Table::new(names, vectors)).unwrap();
        assert!(within(&found, 1) >= 30 && within(&found, 20) >= 38, "{found:#?}");
    }
}
