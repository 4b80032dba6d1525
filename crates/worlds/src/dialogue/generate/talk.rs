//! Builds the turns of a generated dialogue: acts with the words for them.

use rand::Rng;
use rand::seq::IndexedRandom;
use rand_chacha::ChaCha8Rng;
use rustc_hash::FxHashMap;

use super::super::acts::{QUERY_STATUS, SYSTEM, USER};
use super::super::record::{Speaker, Turn};
use super::phrases::Phrases;
use stepwright_program::Call;

pub(super) struct Talk<'a> {
    phrases: &'a Phrases,
    rng: ChaCha8Rng,
    turns: Vec<Turn>,
    /// The values spoken of last, and whether the user stated them.
    values: FxHashMap<String, (String, bool)>,
    calls: Vec<Call>,
    words: Vec<String>,
}

#[derive(Debug, Clone, Copy)]
pub(super) enum Say {
    Ask,
    Tell,
    Request,
    Show,
    Other,
    Confirm,
}

impl<'a> Talk<'a> {
    pub(super) fn new(phrases: &'a Phrases, rng: ChaCha8Rng) -> Self {
        Talk { phrases, rng, turns: Vec::new(), values: FxHashMap::default(), calls: Vec::new(), words: Vec::new() }
    }

    pub(super) fn chance(&mut self, probability: f64) -> bool {
        self.rng.random_bool(probability)
    }

    pub(super) fn one_of<T: Clone>(&mut self, choices: &[T]) -> Option<T> {
        choices.choose(&mut self.rng).cloned()
    }

    /// As many of several, in their order.
    pub(super) fn some_of(&mut self, choices: &[String], most: usize) -> Vec<String> {
        let n = self.rng.random_range(1..=most.max(1)).min(choices.len());
        let picked: Vec<usize> = rand::seq::index::sample(&mut self.rng, choices.len(), n).into_vec();
        let picked = choices.iter().enumerate().filter(|(i, _)| picked.contains(i));
        picked.map(|(_, choice)| choice.clone()).collect()
    }

    pub(super) fn user(&mut self, act: &str, argument: Option<&str>) {
        self.calls.push(Call::new(USER, act, argument));
    }

    pub(super) fn system(&mut self, act: &str, argument: Option<&str>) {
        self.calls.push(Call::new(SYSTEM, act, argument));
    }

    pub(super) fn user_says(&mut self, act: &str, sentences: &[&str]) {
        self.user(act, None);
        self.say(sentences);
    }

    pub(super) fn system_says(&mut self, act: &str, sentences: &[&str]) {
        self.system(act, None);
        self.say(sentences);
    }

    pub(super) fn user_about(&mut self, act: &str, slot: &str, say: Say) {
        self.user(act, Some(slot));
        self.about(slot, say);
    }

    pub(super) fn system_about(&mut self, act: &str, slot: &str, say: Say) {
        self.system(act, Some(slot));
        self.about(slot, say);
    }

    pub(super) fn call(&mut self, intent: &str, success: bool) {
        self.system(intent, None);
        self.calls.push(Call::new(SYSTEM, QUERY_STATUS, [success]));
    }

    pub(super) fn words(&mut self, sentences: &[String]) {
        let chosen = self.one_of(sentences);
        self.words.extend(chosen);
    }

    pub(super) fn say(&mut self, sentences: &[&str]) {
        let chosen = self.one_of(sentences);
        self.words.extend(chosen.map(str::to_owned));
    }

    /// Adds a sentence about a slot. What the user states and what is offered is a new value; what he stated before stays.
    pub(super) fn about(&mut self, slot: &str, say: Say) {
        let Some(phrases) = self.phrases.slots.get(slot) else { return };
        let sentences = match say {
            Say::Ask => &phrases.ask,
            Say::Tell => &phrases.tell,
            Say::Request => &phrases.request,
            Say::Show | Say::Other => &phrases.show,
            Say::Confirm => &phrases.confirm,
        };
        let fresh = match (say, self.values.get(slot)) {
            (Say::Tell | Say::Other, _) | (_, None) => true,
            (Say::Show, Some((_, stated))) => !stated,
            _ => false,
        };
        if fresh {
            let known = self.values.get(slot).map(|(value, _)| value);
            let others: Vec<String> = phrases.values.iter().filter(|v| Some(*v) != known).cloned().collect();
            // Of one value there is no other.
            let value = self.one_of(&others).or_else(|| phrases.values.first().cloned()).unwrap_or_default();
            self.values.insert(slot.to_owned(), (value, matches!(say, Say::Tell)));
        }
        let value = match self.values.get(slot).map(|(value, _)| value.as_str()) {
            Some("True") => "yes",
            Some("False") => "no",
            Some(value) => value,
            None => "",
        };
        let spoken: Vec<String> = sentences.iter().map(|s| s.replace("{}", value)).collect();
        self.words(&spoken);
    }

    pub(super) fn end(&mut self, speaker: Speaker) {
        let calls = std::mem::take(&mut self.calls);
        let words = std::mem::take(&mut self.words);
        let sentences = words.iter().map(|w| capitalised(w)).collect::<Vec<_>>();
        self.turns.push(Turn { speaker, utterance: sentences.join(" "), calls });
    }

    pub(super) fn finish(self) -> Vec<Turn> {
        self.turns
    }
}

fn capitalised(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}
