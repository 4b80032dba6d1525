//! Statements of a person about the table (`the other blocks are clean`, `somebody dropped the red block on a dirty spot`) and how they
//! change it. They are taken as true.

use strum::EnumString;

use super::named::{Word, mentions, words};
use super::rules::Table;
use super::thing::{Kind, TABLE};
use super::weight;
use stepwright_world::weights::Ratio;

/// The kind of a statement; read from a request's kind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString)]
#[strum(serialize_all = "lowercase")]
pub enum StatementKind {
    Statement,
    Event,
}

/// Words after which things lie on the table.
const FALLS: [&str; 8] = ["dropped", "drops", "drop", "fell", "falls", "fallen", "knocked", "tumbled"];

fn cleanliness(word: &str) -> Option<bool> {
    match word {
        "clean" | "cleaned" | "disinfected" => Some(true),
        "dirty" | "dirtied" | "polluted" | "contaminated" | "muddy" | "unclean" => Some(false),
        _ => None,
    }
}

impl Table {
    /// Takes what a person states as true. What it says nothing of, or says of things that are not there, changes nothing.
    pub fn hear(&mut self, sentence: &str, kind: StatementKind) {
        let words = words(sentence);
        if let Some(ratio) = weight::stated(&words) {
            self.hear_weight(&words, ratio);
            return;
        }
        if kind == StatementKind::Event && words.iter().any(|word| FALLS.contains(&word.0.as_str())) {
            for block in self.named_blocks(&words).into_iter().map(|(_, block)| block) {
                let name = self.name(block).to_owned();
                // A covered block cannot be dropped; it stays where it is.
                let _ = self.put(&name, TABLE);
            }
        }
        self.hear_cleanliness(&words, kind);
    }

    pub(crate) fn names_all_of(&self, sentence: &str, other: &str) -> bool {
        let blocks =
            |text: &str| self.named_blocks(&words(text)).into_iter().map(|(_, block)| block).collect::<Vec<_>>();
        let named = blocks(sentence);
        blocks(other).iter().all(|block| named.contains(block))
    }

    /// Statements mark what they name up to the word that says how it is; what is named after the last such word goes with it.
    fn hear_cleanliness(&mut self, words: &[Word], kind: StatementKind) {
        let named = self.named_blocks(words);
        let mut waiting: Vec<usize> = Vec::new();
        let mut last = (kind == StatementKind::Event).then_some(false);
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
            // What is in the disinfector cannot be dirty, even if it is said to be.
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
        let of_first = weight::of_first(ratio, self.name(*second));
        let of_second = weight::of_second(ratio, self.name(*first));
        if let Some(now) = self.now.get_mut(*first) {
            now.weight = Some(of_first);
        }
        // The other side is written down only where nothing was.
        if let Some(now) = self.now.get_mut(*second) {
            now.weight.get_or_insert(of_second);
        }
    }

    /// The blocks a sentence names, with the word they are named at: by name, as what is in a container, as all of them, or as the others,
    /// which are those of which nothing is known.
    fn named_blocks(&self, words: &[Word]) -> Vec<(usize, usize)> {
        let names: Vec<&str> = self.things().iter().map(|thing| thing.name.as_str()).collect();
        let is_block = |index: &usize| self.kind(*index) == Some(Kind::Block);
        let found = mentions(words, &names);
        let text = |at: usize| words.get(at).map_or("", |word| word.0.as_str());
        let blocks = || (0..names.len()).filter(is_block);
        let mut named = Vec::new();
        for mention in &found {
            if is_block(&mention.name) {
                named.push((mention.at, mention.name));
                continue;
            }
            // `the blocks in the tin bowl`, unless the block there is named as well.
            let length = names.get(mention.name).map_or(0, |name| name.split(' ').count());
            let before = (mention.at + 1).saturating_sub(length);
            let before = if before > 0 && text(before - 1) == "the" { before - 1 } else { before };
            let is_of = before >= 2 && text(before - 1) == "in" && matches!(text(before - 2), "block" | "blocks");
            if is_of && !found.iter().any(|other| other.at == before - 2) {
                let inside = blocks().filter(|block| self.base(*block) == mention.name);
                named.extend(inside.map(|block| (mention.at, block)));
            }
        }
        for at in 0..words.len() {
            let unsettled_only = match (text(at), text(at + 1), text(at + 2)) {
                ("other" | "remaining", "block" | "blocks", _) | ("others", ..) | ("rest", ..) => Some(true),
                ("everything", "else", _) => Some(true),
                ("all" | "every", "block" | "blocks", _) | ("all", "the", "blocks") => Some(false),
                _ => None,
            };
            let chosen = |block: &usize| unsettled_only == Some(false) || self.clean(*block).is_none();
            if unsettled_only.is_some() {
                named.extend(blocks().filter(chosen).map(|block| (at, block)));
            }
        }
        named.sort_by_key(|(at, _)| *at);
        named
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The names of the blocks that are dirty, and of those that are clean.
    fn said(sentences: &[(&str, StatementKind)]) -> (Vec<String>, Vec<String>) {
        let names = ["red block", "blue block", "green block", "tin bowl", "disinfector"];
        let mut table = Table::new(&names).unwrap();
        table.put("red block", "tin bowl").unwrap();
        table.put("blue block", "red block").unwrap();
        table.put("green block", "disinfector").unwrap();
        for (sentence, kind) in sentences {
            table.hear(sentence, *kind);
        }
        let of = |clean: bool| -> Vec<String> {
            let is = |name: &&&str| table.is_clean(name) == Some(clean);
            names.iter().filter(is).filter_map(|name| name.split(' ').next()).map(str::to_owned).collect()
        };
        (of(false), of(true))
    }

    #[test]
    fn statements_are_true_of_what_they_name() {
        use StatementKind::{Event, Statement};
        type Case = (&'static [(&'static str, StatementKind)], &'static [&'static str], &'static [&'static str]);
        let cases: [Case; 9] = [
            (
                &[("the red block is dirty.", Statement), ("The others are clean", Statement)],
                &["red"],
                &["blue", "green"],
            ),
            (&[("the red block is dirty and the blue block is clean", Statement)], &["red"], &["blue", "green"]),
            (&[("the blocks in the tin bowl are dirty", Statement)], &["red", "blue"], &["green"]),
            (&[("the red block in the tin bowl is not clean", Statement)], &["red"], &["green"]),
            (&[("the green block is dirty", Statement)], &[], &["green"]),
            (&[("Oh no, somebody spilled milk on the blue blcok", Event)], &["blue"], &["green"]),
            (&[("somebody dropped the green block on the table", Event)], &["green"], &[]),
            (&[("all blocks are clean", Statement)], &[], &["red", "blue", "green"]),
            (&[("what a nice day", Statement), ("the ghost block is dirty", Statement)], &[], &["green"]),
        ];
        for (sentences, dirty, clean) in cases {
            let (is_dirty, is_clean) = said(sentences);
            assert_eq!(
                (is_dirty, is_clean),
                (dirty.iter().map(|s| (*s).to_owned()).collect(), clean.iter().map(|s| (*s).to_owned()).collect()),
                "{sentences:?}"
            );
        }
    }
}
