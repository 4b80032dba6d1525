//! Table agent without a language model: reads requests by rules, and offers the calls of the program that answers the open one.
//!
//! [`answer`] writes the program for a request from a belief alone; [`update`] makes the new belief from the text of an `update_wm`.
//! Both read the same small grammar (docs/explanation/instructions.md): `words` makes tokens of a text, `parse` finds phrases and conditions in
//! them (`phrase`), `resolve` says which things those mean in a believed `scene`; `put`, `fact`, `question` and `goal` are the kinds of
//! sentence. What follows from a placement is decided by the table's rules ([`crate::table`]), the truth is never used.

mod act;
mod clause;
mod cups;
mod fact;
mod goal;
mod parse;
mod parse_condition;
mod phrase;
mod put;
mod question;
mod question_form;
mod resolve;
mod scene;
mod spelling;
#[cfg(test)]
mod tests;
mod turn;
mod vocabulary;
mod weight_fact;
mod weights;
mod words;
mod writer;

use std::sync::Arc;

use serde_json::Value;
use turn::{Plan, Turn};
use words::Token;

use crate::demonstration::Demonstration;
use crate::planner::{Agent, AgentContext, EffectModel, Instructions, Ranked, Sample};
use crate::program::ProgramView;
use stepwright_episode::Status;

/// The agent of the table.
#[derive(Debug, Clone)]
pub struct TableAgent {
    effects: EffectModel,
}

/// The agent that learns from these demonstrations.
pub fn learn(demonstrations: &[Demonstration]) -> Arc<dyn Agent> {
    let steps = demonstrations.iter().flat_map(|d| &d.steps);
    Arc::new(TableAgent { effects: EffectModel::learn(steps.map(Sample::from)) })
}

impl Agent for TableAgent {
    fn propose(&self, context: &AgentContext<'_>, most: usize) -> Vec<Ranked> {
        let calls = context.history.iter().flat_map(|step| {
            let action = step.action.as_ref().filter(|_| !step.refused);
            action.into_iter().chain(&step.calls)
        });
        let turn = Turn::of(calls);
        if turn.request.is_none() {
            return Vec::new();
        }
        let Plan { left, problem } = turn.plan();
        let of = left.len();
        let mut offered: Vec<Ranked> = Vec::new();
        for (at, deed) in left.into_iter().enumerate() {
            let call = deed.call();
            let rationale = match (&problem, at + 1 == of) {
                (Some(problem), _) => format!("the request is not understood: {problem}"),
                (None, true) => "it closes the request".to_owned(),
                (None, false) => "the next call of the program that the request reads as".to_owned(),
            };
            let known = offered.iter().any(|o| o.call == call) || context.rejected.iter().any(|(c, _)| *c == call);
            if offered.len() < most && !known && context.program.permits(&call) != Status::Fails {
                offered.push(Ranked { call, score: -((at + 1) as f64), rationale });
            }
        }
        offered
    }

    fn effects(&self) -> &EffectModel {
        &self.effects
    }

    fn instructions(&self) -> Option<&dyn Instructions> {
        Some(self)
    }
}

impl Instructions for TableAgent {
    fn answer(&self, belief: &Value, request: &str) -> Result<String, String> {
        answer(belief, request).map_err(|e| e.to_string())
    }

    fn update(&self, belief: &Value, text: &str) -> Result<Value, String> {
        update(belief, text).map_err(|e| e.to_string())
    }
}

/// Why the built-in reader does not understand a text.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "{}{why} (the built-in reader is no language model; docs/explanation/instructions.md says what it reads)",
    about(word)
)]
pub struct Unreadable {
    /// The word or words it stopped at; empty if it is about the whole.
    pub word: String,
    /// What is wrong.
    pub why: String,
    /// Whether the words are understood, and nothing fits them.
    nothing: bool,
}

fn about(word: &str) -> String {
    if word.is_empty() { String::new() } else { format!("{word:?}: ") }
}

impl Unreadable {
    /// Stopped at a word.
    fn new(word: &str, why: impl Into<String>) -> Self {
        Unreadable { word: word.to_owned(), why: why.into(), nothing: false }
    }

    /// What is described is not there.
    fn none(why: String) -> Self {
        Unreadable { word: String::new(), why, nothing: true }
    }

    /// Stopped in these tokens: at the first word that is not known, else at the whole of them.
    fn at(tokens: &[Token]) -> Self {
        let unknown = tokens.iter().filter_map(Token::word).find(|word| !vocabulary::is_known(word));
        if let Some(word) = unknown {
            return Unreadable::new(word, "this word is not known");
        }
        let words: Vec<&str> = tokens
            .iter()
            .filter_map(|token| match token {
                Token::Word(word) | Token::Object(word) => Some(word.as_str()),
                Token::Comma | Token::Stop => None,
            })
            .collect();
        Unreadable::new(&words.join(" "), "these words make no request that is known")
    }
}

/// The program that does what a request asks for or answers it: lines of `put_first_on_second`, `say`, `noop` and `update_wm`.
///
/// # Errors
/// What in the request is not understood, or does not fit the belief.
pub fn answer(belief: &Value, query: &str) -> Result<String, Unreadable> {
    if belief.get("cups").is_some() {
        return cups::answer(belief, query);
    }
    clause::program(belief, query)
}

/// The belief after an update.
///
/// # Errors
/// What in the update is not understood, or why it cannot be.
pub fn update(belief: &Value, update: &str) -> Result<Value, Unreadable> {
    if belief.get("cups").is_some() {
        return cups::update(belief, update);
    }
    writer::update(belief, update)
}
