//! Scene of an episode: a table with things on it, or a row of cups with a ball under one of them.

use serde_json::{Value, json};

use super::named::words;
use super::rules::Table;
use super::statement::StatementKind;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Scene {
    Table(Table),
    /// Cups in a row; the ball is under those that are true.
    Cups(Vec<bool>),
}

impl Scene {
    /// `put_first_on_second`.
    pub fn put(&mut self, first: &str, second: &str) -> Result<(), String> {
        match self {
            Scene::Table(table) => table.put(first, second),
            Scene::Cups(_) => Err(format!("unknown object: {first}")),
        }
    }

    /// Takes what a request states as true: statements, events, swaps of cups. Other requests change nothing by being made. `meant` is
    /// what the person meant, where that is known: it counts where the request names a block that cannot be read.
    pub fn hear(&mut self, query: &str, kind: &str, meant: Option<&str>) {
        match self {
            Scene::Table(table) => {
                if let Ok(telling) = kind.parse() {
                    let misspelt = meant.filter(|meant| !table.names_all_of(query, meant));
                    table.hear(query, telling);
                    if let Some(meant) = misspelt {
                        table.hear(meant, StatementKind::Statement);
                    }
                }
            }
            Scene::Cups(cups) => {
                if let Some((first, second)) = swapped(query)
                    && first.max(second) < cups.len()
                {
                    cups.swap(first, second);
                }
            }
        }
    }

    pub fn form(&self) -> Value {
        match self {
            Scene::Table(table) => table.form(),
            Scene::Cups(cups) => json!({ "cups": cups }),
        }
    }

    pub fn names(&self) -> Vec<String> {
        match self {
            Scene::Table(table) => table.things().iter().map(|thing| thing.name.clone()).collect(),
            Scene::Cups(cups) => (0..cups.len()).map(|i| format!("cup {i}")).collect(),
        }
    }
}

/// The two cups that a request says are swapped (`Swapping cup 0 with cup 2`), counted from 0.
pub(crate) fn swapped(query: &str) -> Option<(usize, usize)> {
    let mut numbers = words(query).into_iter().filter_map(|word| word.0.parse().ok());
    Some((numbers.next()?, numbers.next()?))
}

pub(crate) fn cups_text(cups: &[bool]) -> String {
    let each: Vec<&str> = cups.iter().map(|ball| if *ball { "True" } else { "False" }).collect();
    format!("[{}]", each.join(", "))
}
