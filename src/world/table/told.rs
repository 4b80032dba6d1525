//! What a person tells of the table (`the other blocks are clean`, `somebody dropped the red block on a dirty spot`) and how that
//! changes it. What is told is true.

use super::named::{Word, mentions, words};
use super::rules::Table;
use super::thing::{Kind, TABLE};
use super::weight::Ratio;

/// What kind of telling it is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Telling {
    /// How something is.
    Statement,
    /// What has just happened to something.
    Event,
}

/// Words after which things lie on the table.
const FALLS: [&str; 8] = ["dropped", "drops", "drop", "fell", "falls", "fallen", "knocked", "tumbled"];

/// What a word says of cleanliness.
fn cleanliness(word: &str) -> Option<bool> {
    match word {
        "clean" | "cleaned" | "disinfected" => Some(true),
        "dirty" | "dirtied" | "polluted" | "contaminated" | "muddy" | "unclean" => Some(false),
        _ => None,
    }
}

impl Table {
    /// Takes what a person tells as true. What it says nothing of, or says of things that are not there, changes nothing.
    pub fn hear(&mut self, sentence: &str, telling: Telling) {
        let words = words(sentence);
        if let Some(ratio) = Ratio::stated(&words) {
            self.hear_weight(&words, ratio);
            return;
        }
        if telling == Telling::Event && words.iter().any(|word| FALLS.contains(&word.0.as_str())) {
            for block in self.named_blocks(&words).into_iter().map(|(_, block)| block) {
                let name = self.name(block).to_owned();
                // A covered block cannot be dropped; it stays where it is.
                let _ = self.put(&name, TABLE);
            }
        }
        self.hear_cleanliness(&words, telling);
    }

    /// Statements mark what they name up to the word that says how it is; what is named after the last such word goes with it.
    fn hear_cleanliness(&mut self, words: &[Word], telling: Telling) {
        let named = self.named_blocks(words);
        let mut waiting: Vec<usize> = Vec::new();
        let mut last = (telling == Telling::Event).then_some(false);
        let mut marks: Vec<(usize, bool)> = Vec::new();
        for (at, word) in words.iter().enumerate() {
            waiting.extend(named.iter().filter(|(place, _)| *place == at).map(|(_, block)| *block));
            if let Some(mut clean) = cleanliness(&word.0) {
                let before = at.checked_sub(1).and_then(|before| words.get(before));
                if before.is_some_and(|before| before.0 == "not") {
                    clean = !clean;
                }
                marks.extend(waiting.drain(..).map(|block| (block, clean)));
                last = Some(clean);
            }
        }
        if let Some(clean) = last {
            marks.extend(waiting.into_iter().map(|block| (block, clean)));
        }
        for (block, clean) in marks {
            // What is in the disinfector cannot be dirty, whatever is said.
            let safe = self.kind(self.base(block)) == Some(Kind::Disinfector);
            if clean || !safe {
                self.mark(&[block], clean);
            }
        }
    }

    fn hear_weight(&mut self, words: &[Word], ratio: Ratio) {
        let named = self.named_blocks(words);
        let [(_, first), (_, second)] = named.as_slice() else { return };
        if first == second {
            return;
        }
        let of_first = ratio.told_of_first(self.name(*second));
        let of_second = ratio.told_of_second(self.name(*first));
        if let Some(now) = self.now.get_mut(*first) {
            now.weight = Some(of_first);
        }
        // The other side is written down only where nothing was.
        if let Some(now) = self.now.get_mut(*second) {
            now.weight.get_or_insert(of_second);
        }
    }

    /// The blocks a sentence names, with the word they are named at; `the other blocks` are those of which nothing is known.
    fn named_blocks(&self, words: &[Word]) -> Vec<(usize, usize)> {
        let names: Vec<&str> = self.things().iter().map(|thing| thing.name.as_str()).collect();
        let is_block = |index: &usize| self.kind(*index) == Some(Kind::Block);
        let mut named: Vec<(usize, usize)> =
            mentions(words, &names).into_iter().map(|m| (m.at, m.name)).filter(|(_, index)| is_block(index)).collect();
        let text = |at: usize| words.get(at).map_or("", |word| word.0.as_str());
        let blocks = || (0..names.len()).filter(is_block);
        for at in 0..words.len() {
            let told = match (text(at), text(at + 1), text(at + 2)) {
                ("other" | "remaining", "block" | "blocks", _) => Some(true),
                ("all" | "every", "block" | "blocks", _) | ("all", "the", "blocks") => Some(false),
                _ => None,
            };
            let chosen = |block: &usize| told == Some(false) || self.clean(*block).is_none();
            if told.is_some() {
                named.extend(blocks().filter(chosen).map(|block| (at, block)));
            }
        }
        named.sort_by_key(|(at, _)| *at);
        named
    }
}
