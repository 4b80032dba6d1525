//! Construction of an index, one document after the other. A word is analysed once, however often it occurs.

use rustc_hash::FxHashMap;

use super::{Index, Posting, length, write_number};
use crate::text;

#[derive(Debug, Default)]
pub struct Builder {
    /// Tokens as they are written, and their term; `None` for stop words.
    known: FxHashMap<Box<str>, Option<u32>>,
    terms: FxHashMap<Box<str>, u32>,
    growing: Vec<Growing>,
    lengths: Vec<u8>,
    filled: u32,
    words: u64,
    numbers: Vec<Box<str>>,
    /// The terms of the document being added, and how often they occur.
    counts: FxHashMap<u32, u32>,
}

#[derive(Debug, Default)]
struct Growing {
    bytes: Vec<u8>,
    last: u32,
    documents: u32,
}

impl Builder {
    /// Adds a document: its product's number and its text, lower case.
    pub fn add(&mut self, number: &str, text: &str) {
        let document = self.lengths.len() as u32;
        let mut length = 0u32;
        for token in text::tokens(text) {
            if let Some(term) = self.term(token) {
                *self.counts.entry(term).or_default() += 1;
                length += 1;
            }
        }
        for (term, occurrences) in self.counts.drain() {
            let Some(list) = self.growing.get_mut(term as usize) else { continue };
            write_number(&mut list.bytes, document - list.last);
            write_number(&mut list.bytes, occurrences);
            list.last = document;
            list.documents += 1;
        }
        self.lengths.push(length::to_byte(length));
        self.filled += u32::from(length > 0);
        self.words += u64::from(length);
        self.numbers.push(number.into());
    }

    fn term(&mut self, token: &str) -> Option<u32> {
        if let Some(known) = self.known.get(token) {
            return *known;
        }
        let found = text::term(token).map(|term| {
            let next = self.growing.len() as u32;
            let id = *self.terms.entry(term.into()).or_insert(next);
            if id == next {
                self.growing.push(Growing::default());
            }
            id
        });
        self.known.insert(token.into(), found);
        found
    }

    pub fn finish(self) -> Index {
        let mut postings = Vec::with_capacity(self.growing.iter().map(|list| list.bytes.len()).sum());
        let lists: Vec<Posting> = self
            .growing
            .into_iter()
            .map(|list| {
                let start = postings.len() as u64;
                postings.extend_from_slice(&list.bytes);
                Posting { start, end: postings.len() as u64, documents: list.documents }
            })
            .collect();
        let place = |id: u32| lists.get(id as usize).copied().unwrap_or_default();
        let terms = self.terms.into_iter().map(|(term, id)| (term, place(id))).collect();
        let ranks = ranks(&self.numbers);
        Index { terms, postings, lengths: self.lengths, filled: self.filled, words: self.words, ranks }
    }
}

fn ranks(numbers: &[Box<str>]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..numbers.len()).collect();
    order.sort_by(|a, b| numbers[*a].cmp(&numbers[*b]));
    let mut ranks = vec![0; numbers.len()];
    for (rank, document) in order.into_iter().enumerate() {
        ranks[document] = rank as u32;
    }
    ranks
}
