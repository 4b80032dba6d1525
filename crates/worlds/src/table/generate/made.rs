//! Requests as they are made, and as they are written down.

use serde_json::{Value, json};

use super::super::thing::{at, list};
use super::super::{Move, Table};

#[derive(Debug, Clone, Default)]
pub struct MadeRequest {
    pub query: String,
    pub kind: &'static str,
    /// Whether only somebody who remembers can answer it.
    pub temporal: bool,
    pub moves: Vec<Move>,
    pub say: Option<String>,
    /// The update for a writer, if it is not just the moves.
    pub update: Option<String>,
    /// The relation that the weights are to get, and all sets of blocks that make them so.
    pub goal: Option<(Value, Vec<Vec<String>>)>,
}

impl MadeRequest {
    pub fn put(query: String, temporal: bool, moves: Vec<Move>) -> MadeRequest {
        MadeRequest { query, kind: "put", temporal, moves, ..MadeRequest::default() }
    }

    pub fn question(query: String, say: impl Into<String>) -> MadeRequest {
        MadeRequest { query, kind: "question", temporal: true, say: Some(say.into()), ..MadeRequest::default() }
    }

    /// Something that is stated (`statement` or `event`).
    pub fn stated(kind: &'static str, query: String, update: String) -> MadeRequest {
        MadeRequest { query, kind, update: Some(update), ..MadeRequest::default() }
    }

    /// The step in the format of files; the table is as it is afterwards.
    pub fn entry(&self, number: usize, table: &Table) -> Value {
        let update = self.update.clone().unwrap_or_else(|| self.sentences());
        let quoted = |text: &str| Value::from(text).to_string();
        let mut code: Vec<String> = self
            .moves
            .iter()
            .map(|(first, second)| format!("put_first_on_second({}, {})", quoted(first), quoted(second)))
            .collect();
        code.extend(self.say.iter().map(|say| format!("say({})", quoted(say))));
        if !update.is_empty() {
            code.push(format!("update_wm({})", quoted(&update)));
        }
        let mut entry = json!({
            "step": number,
            "query": self.query,
            "kind": self.kind,
            "temporal": self.temporal,
            "gold_code": code.join("\n"),
            "gold_moves": self.moves,
            "gold_say": self.say.iter().collect::<Vec<_>>(),
            "gold_update": Some(&update).filter(|update| !update.is_empty()),
        });
        if let (Some((goal, solutions)), Some(entry)) = (&self.goal, entry.as_object_mut()) {
            entry.insert("goal".to_owned(), goal.clone());
            entry.insert("all_solutions".to_owned(), json!(solutions));
        }
        if let Some(entry) = entry.as_object_mut() {
            entry.insert("state".to_owned(), table.form());
            entry.insert("placement".to_owned(), Value::Object(table.placement()));
        }
        entry
    }

    /// The moves in words, blocks with the same new place together.
    fn sentences(&self) -> String {
        let mut groups: Vec<(Vec<String>, &str)> = Vec::new();
        for (block, target) in &self.moves {
            match groups.last_mut().filter(|(_, to)| to == target) {
                Some((blocks, _)) => blocks.push(block.clone()),
                None => groups.push((vec![block.clone()], target)),
            }
        }
        let sentence = |(blocks, target): &(Vec<String>, &str)| format!("Put {} {}.", list(blocks), at(target));
        groups.iter().map(sentence).collect::<Vec<_>>().join(" ")
    }
}

pub fn colour(name: &str) -> &str {
    name.rsplit_once(' ').map_or(name, |(colour, _)| colour)
}
