//! Search engine: an index of terms over product texts and BM25 with k1 0.9 and b 0.4, in Lucene 8's arithmetic (lengths
//! kept as one byte, scores as 32-bit floats), equal scores in the order of the products' numbers.

mod build;
mod cache;
mod length;

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

pub use build::Builder;
pub(crate) use cache::store;
pub use cache::{CacheError, load};

/// How soon more occurrences of a term count less.
pub(crate) const K1: f32 = 0.9;
/// How much a long text counts less.
pub const B: f32 = 0.4;
pub const RESULTS: usize = 50;

/// The index of a catalogue: for each term the documents that hold it and how often.
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize)]
pub struct Index {
    terms: FxHashMap<Box<str>, Posting>,
    /// Pairs of numbers, seven bits a byte: the distance from the document before, and the occurrences.
    postings: Vec<u8>,
    /// A document's length in Lucene's single byte.
    lengths: Vec<u8>,
    filled: u32,
    /// Terms of all documents, repeats included.
    words: u64,
    /// The rank of each document by its product's number, which decides between equal scores.
    ranks: Vec<u32>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
struct Posting {
    start: u64,
    end: u64,
    documents: u32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Hit {
    /// The document, counted from 0 in the order they were added.
    pub document: usize,
    pub score: f32,
}

/// A candidate in the heap of the best; the worst is on top.
#[derive(Debug, Clone, Copy)]
struct Candidate {
    score: f32,
    rank: u32,
    document: u32,
}

impl Ord for Candidate {
    fn cmp(&self, other: &Self) -> Ordering {
        other.score.total_cmp(&self.score).then(self.rank.cmp(&other.rank))
    }
}

impl PartialOrd for Candidate {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Candidate {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Candidate {}

impl Index {
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    pub fn bytes(&self) -> usize {
        let terms: usize = self.terms.keys().map(|term| term.len() + 48).sum();
        terms + self.postings.len() + self.lengths.len() + 4 * self.ranks.len()
    }

    /// The best documents for a query, best first.
    pub fn search(&self, query: &str, most: usize) -> Vec<Hit> {
        self.search_terms(&crate::text::analyse(query), most)
    }

    /// The best documents for terms, best first.
    pub fn search_terms(&self, terms: &[String], most: usize) -> Vec<Hit> {
        let mut counted: Vec<(&str, f32)> = Vec::new();
        for term in terms {
            match counted.iter_mut().find(|(known, _)| known == term) {
                Some((_, count)) => *count += 1.0,
                None => counted.push((term, 1.0)),
            }
        }
        let factors = self.length_factors();
        let mut scores: Vec<f64> = vec![0.0; self.len()];
        let mut touched: Vec<u32> = Vec::new();
        for (term, count) in counted {
            let Some(posting) = self.terms.get(term) else { continue };
            let weight = count * self.rarity(posting.documents);
            for (document, occurrences) in self.documents(posting) {
                let Some(length) = self.lengths.get(document as usize) else { continue };
                let factor = factors[usize::from(*length)];
                let score = weight - weight / (1.0 + occurrences as f32 * factor);
                let sum = &mut scores[document as usize];
                if *sum == 0.0 {
                    touched.push(document);
                }
                *sum += f64::from(score);
            }
        }
        self.best(&scores, touched, most)
    }

    fn best(&self, scores: &[f64], touched: Vec<u32>, most: usize) -> Vec<Hit> {
        let mut heap = BinaryHeap::with_capacity(most + 1);
        for document in touched {
            let (score, rank) = (scores[document as usize] as f32, self.ranks[document as usize]);
            heap.push(Candidate { score, rank, document });
            if heap.len() > most {
                heap.pop();
            }
        }
        let best = heap.into_sorted_vec().into_iter();
        best.map(|found| Hit { document: found.document as usize, score: found.score }).collect()
    }

    /// How informative an occurrence of a term is: the inverse document frequency.
    fn rarity(&self, documents: u32) -> f32 {
        let (all, with) = (f64::from(self.filled), f64::from(documents));
        (1.0 + (all - with + 0.5) / (with + 0.5)).ln() as f32
    }

    /// The factor of an occurrence, for each length that a byte can hold.
    fn length_factors(&self) -> [f32; 256] {
        let average = (self.words as f64 / f64::from(self.filled.max(1))) as f32;
        std::array::from_fn(|byte| 1.0 / (K1 * ((1.0 - B) + B * length::of_byte(byte as u8) as f32 / average)))
    }

    /// The documents of a term and how often they hold it.
    fn documents(&self, posting: &Posting) -> impl Iterator<Item = (u32, u32)> {
        let range = posting.start as usize..posting.end as usize;
        let mut bytes = self.postings.get(range).unwrap_or_default().iter().copied();
        let mut document = 0;
        std::iter::from_fn(move || {
            let distance = number(&mut bytes)?;
            document += distance;
            Some((document, number(&mut bytes)?))
        })
    }
}

/// Reads a number of seven bits a byte, the lowest first.
fn number(bytes: &mut impl Iterator<Item = u8>) -> Option<u32> {
    let mut value = 0u32;
    let mut shift = 0;
    loop {
        let byte = bytes.next()?;
        value |= u32::from(byte & 0x7F).checked_shl(shift)?;
        if byte < 0x80 {
            return Some(value);
        }
        shift += 7;
    }
}

/// Writes a number as [`number`] reads it.
fn write_number(bytes: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        bytes.push(value as u8 | 0x80);
        value >>= 7;
    }
    bytes.push(value as u8);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn index(texts: &[(&str, &str)]) -> Index {
        let mut builder = Builder::default();
        for (number, text) in texts {
            builder.add(number, text);
        }
        builder.finish()
    }

    #[test]
    fn rarer_terms_and_shorter_texts_come_first() {
        let index = index(&[("B", "red red table lamp"), ("C", "red chair"), ("A", "red chair"), ("D", "the of")]);
        let hits: Vec<usize> = index.search("red chairs", RESULTS).iter().map(|hit| hit.document).collect();
        // Equal scores in the order of the products' numbers.
        assert_eq!(hits, [2, 1, 0]);
        assert_eq!(index.search("lamp", RESULTS).len(), 1);
        assert!(index.search("the", RESULTS).is_empty());
        assert_eq!(index.search("red", 2).len(), 2);
    }

    #[test]
    fn numbers_come_back() {
        let values = [0, 1, 127, 128, 300, u32::MAX];
        let mut bytes = Vec::new();
        values.iter().for_each(|value| write_number(&mut bytes, *value));
        let mut read = bytes.into_iter();
        assert_eq!(std::iter::from_fn(|| number(&mut read)).collect::<Vec<_>>(), values);
    }
}
