//! Episode of the shop: a visit that ends with a purchase.

use std::borrow::Cow;

use serde_json::{Value, json};
use stepwright_shop::buyer::Wish;

use super::source::Source;
use super::visit::{Options, Visit, read};
use super::{picture, program};
use crate::Simulated;
use stepwright_program::Call;
use stepwright_world::{Map, Outcome, ProgramHeader, WorldError, WorldKind};

#[derive(Debug, Clone)]
pub struct Run {
    task: String,
    visit: Visit,
    done: bool,
}

pub type ShopWorld = Simulated<Run>;

impl Run {
    fn won(&self) -> bool {
        self.done && self.visit.reward().is_some_and(|reward| reward.total >= 1.0)
    }

    fn calls(&self) -> Vec<Call> {
        program::page(&self.visit.seen(), &self.visit.clickables())
    }

    /// The calls for what an action changed; the site reports a choice and shows no page then.
    fn changes(&self, action: &str, observation: &str) -> Vec<Call> {
        let (name, inside) = read(action).unwrap_or_default();
        let chosen = self.visit.chosen().find(|(_, value)| *value == inside);
        let mut calls = match (&self.visit, name, chosen) {
            (_, "think", _) => Vec::new(),
            (Visit::Site(_), "click", Some((name, value))) if !self.done && observation != self.visit.observation() => {
                vec![program::choice(name, value)]
            }
            _ => self.calls(),
        };
        calls.extend(self.visit.reward().filter(|_| self.done).map(|reward| program::score(reward.total)));
        calls
    }

    fn refuse(&self, observation: String, why: String) -> Outcome {
        Outcome { observation, error: Some(why), done: self.done, won: self.won(), ..Outcome::default() }
    }
}

impl crate::Episode for Run {
    type Tasks = Source;
    type Options = Options;

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, options: Options, task: &str) -> Result<(Self, Outcome), WorldError> {
        let entry = source.get(task)?;
        let visit = Visit::new(entry.shop(), entry.place(), options)
            .ok_or_else(|| WorldError::NoSuchTask { id: task.to_owned(), nearest: Vec::new() })?;
        let run = Run { task: task.to_owned(), visit, done: false };
        let mut observation_calls = vec![program::form(options.form)];
        observation_calls.extend(run.calls());
        let outcome = Outcome { observation: run.visit.observation(), observation_calls, ..Outcome::default() };
        Ok((run, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.task == other.task && self.visit.form() == other.visit.form() && self.visit.goal() == other.visit.goal()
    }

    fn act(&mut self, text: &str) -> Outcome {
        // The site as published takes a line as it is: what stands behind a button names another one.
        let text = if matches!(self.visit, Visit::Site(_)) { text } else { text.trim() };
        if self.done {
            let over = "the episode is over; something was bought";
            return self.refuse(over.to_owned(), over.to_owned());
        }
        let answer = self.visit.act(text);
        self.done = answer.done;
        if !answer.taken {
            let why =
                format!("{text:?} is nothing that this page offers: search[words], or click[text] of what it shows");
            return self.refuse(answer.observation, why);
        }
        let observation_calls = self.changes(text, &answer.observation);
        Outcome {
            observation: answer.observation,
            action_call: program::call_of(text),
            observation_calls,
            reward: answer.reward,
            done: self.done,
            won: self.won(),
            ..Outcome::default()
        }
    }

    /// Every click, and where nothing but a search is possible the one that the instruction's own words suggest.
    fn admissible(&self) -> Option<Vec<String>> {
        if self.done {
            return Some(Vec::new());
        }
        let mut actions: Vec<String> =
            self.visit.clickables().into_iter().map(|text| format!("click[{text}]")).collect();
        if self.visit.is_search_page() {
            let queries = Wish::of(&self.visit.goal().instruction_text).queries();
            actions.extend(queries.into_iter().map(|query| format!("search[{query}]")));
        }
        actions.sort();
        actions.dedup();
        Some(actions)
    }

    fn truth(&self) -> Value {
        let goal = self.visit.goal();
        let chosen: serde_json::Map<String, Value> =
            self.visit.chosen().map(|(name, value)| (name.clone(), json!(value))).collect();
        json!({
            "page": self.visit.page().kind.name(),
            "searched": self.visit.query(),
            "product": self.visit.asin(),
            "chosen": chosen,
            "goal": {
                "product": goal.asin,
                "title": goal.name,
                "kind": goal.query,
                "attributes": goal.attributes,
                "options": goal.goal_options.words(),
                "price_upper": goal.price_upper,
            },
            "reward": self.visit.reward().filter(|_| self.done),
            "notes": self.visit.shop().notes,
        })
    }

    fn call_of(_world: &ShopWorld, text: &str) -> Option<Call> {
        program::call_of(text)
    }

    fn text_of(_world: &ShopWorld, call: &Call) -> Option<String> {
        program::text_of(call)
    }

    fn header(world: &ShopWorld) -> ProgramHeader {
        let task = world.episode().map(|run| (run.task.as_str(), run.visit.goal().instruction_text.as_str()));
        program::header(task)
    }

    fn specification(_world: &ShopWorld) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../worlds/shop/spec.py"))
    }

    fn picture(&self) -> Option<Map> {
        Some(Map::Page(picture::picture(&self.visit, self.done)))
    }
}
