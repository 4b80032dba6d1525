//! Wording shared by panes: statuses, JSON values, JSON patches, times.

use serde_json::Value;

use super::draw::{Run, run};
use crate::sanitize;
use crate::theme::{Glyphs, Role, Theme};
pub use stepwright_episode::patch::{Change, operations};
use stepwright_episode::{Actor, Choice, Mark, Node, OWN, Origin, Proposal, Session, StepOutcome, Turn};
use stepwright_method::publications;
use stepwright_text::Columns;
pub use stepwright_text::words::{cost, count, one_line, thousands};

pub(crate) const NO_SESSION: &str = "No session. Begin an episode or open a session on the start screen.";

pub fn mark(glyphs: &Glyphs, mark: Mark) -> (&'static str, Role) {
    match mark {
        Mark::NotChecked => (glyphs.unchecked, Role::Dim),
        Mark::Holds => (glyphs.yes, Role::Good),
        Mark::Fails => (glyphs.no, Role::Bad),
        Mark::Unknown => (glyphs.unknown, Role::Warn),
        Mark::Blocked => (glyphs.candidate, Role::Warn),
    }
}

/// The publication whose settings the method in use has.
pub(crate) fn settings(session: &Session) -> Option<String> {
    let id = session.options.get(publications::SETTINGS.key)?;
    publications::of(id, &session.method).map(|publication| format!("settings {}", publication.id))
}

/// Tokens of each role, where one has a model of its own: ` (reader 900, writer 334)`; else empty.
pub(crate) fn tokens_by_role(session: &Session) -> String {
    if stepwright_episode::Role::models(&session.options).next().is_none() {
        return String::new();
    }
    let spent = session.spent_by_role().into_iter();
    let roles: Vec<String> = spent
        .map(|(role, of)| format!("{} {}", role.name(), thousands(of.prompt.saturating_add(of.completion))))
        .collect();
    if roles.is_empty() { String::new() } else { format!(" ({})", roles.join(", ")) }
}

/// What a session cost, as far as prices are known: `>= 0.0072` where a model took part that has none.
pub(crate) fn cost_of(session: &Session) -> Option<String> {
    let known = session.cost?;
    let least = if session.unpriced().is_empty() { "" } else { ">= " };
    Some(format!("cost {least}{}", cost(known)))
}

pub fn actor(by: Actor) -> &'static str {
    match by {
        Actor::Person => "person",
        Actor::Policy => "policy",
    }
}

/// Where a proposal came from: of what a program asked its model, that model.
pub fn origin<'a>(proposal: &Proposal, turn: Option<&'a Turn>) -> &'a str {
    match proposal.origin {
        Origin::Greedy => "greedy",
        Origin::Sample => "sample",
        Origin::Symbolic => "symbolic",
        Origin::Reference => "reference",
        Origin::Borrowed => "another task's plan",
        Origin::Scored => "scored",
        Origin::Relayed => {
            let asked = proposal.ask.zip(turn).and_then(|(ask, turn)| turn.ask(ask));
            asked.map_or("model", |ask| ask.served().unwrap_or(&ask.model))
        }
        Origin::Person => "person",
        Origin::Recorded => "recorded",
        Origin::Agent => "agent",
    }
}

/// Models that wrote a text, with how often each did: `one x2, other x1`.
pub fn authors(of: &[(&str, usize)]) -> String {
    let named = of.iter().filter(|(model, _)| !model.is_empty());
    named.map(|(model, times)| format!("{} x{times}", sanitize::line(model))).collect::<Vec<_>>().join(", ")
}

/// A value on one line: scalars whole, collections whole while short, else by their size.
pub fn value(value: &Value) -> String {
    const LONGEST: usize = 2_400;
    match value {
        Value::Object(map) => short(value).unwrap_or_else(|| format!("{{{}}}", count(map.len(), "entry"))),
        Value::Array(items) => short(value).unwrap_or_else(|| format!("[{}]", count(items.len(), "item"))),
        scalar => scalar.to_string().chars().take(LONGEST).collect(),
    }
}

pub fn is_whole(value: &Value) -> bool {
    !(value.is_object() || value.is_array()) || short(value).is_some()
}

/// A collection written out if that stays short and holds no deep nesting.
fn short(value: &Value) -> Option<String> {
    fn small(value: &Value, depth: u8) -> bool {
        match value {
            Value::Object(map) => depth > 0 && map.len() <= 6 && map.values().all(|v| small(v, depth - 1)),
            Value::Array(items) => depth > 0 && items.len() <= 12 && items.iter().all(|v| small(v, depth - 1)),
            Value::String(s) => s.len() <= 60,
            _ => true,
        }
    }
    small(value, 2).then(|| value.to_string()).filter(|s| s.chars().count() <= 60)
}

/// The mark of a change (plain characters, readable in any terminal) and its role.
pub fn look(change: Change) -> (&'static str, Role) {
    match change {
        Change::Added => ("+", Role::Added),
        Change::Removed => ("-", Role::Removed),
        Change::Changed => ("~", Role::Changed),
    }
}

/// A JSON patch in words, one row an operation, at most `most` rows.
pub fn patch(patch: &Value, most: usize) -> Vec<Vec<Run>> {
    let mut rows = Vec::new();
    let mut left_out = 0_usize;
    for (change, pointer, new) in operations(patch) {
        if rows.len() >= most {
            left_out += 1;
            continue;
        }
        let place = stepwright_text::json_pointer::display(pointer);
        let words = match (change, new) {
            (Change::Added, Some(v)) => format!("{place}: {}", value(v)),
            (Change::Added, None) => place,
            (Change::Removed, _) => format!("{place} goes away"),
            (Change::Changed, Some(v)) => format!("{place} becomes {}", value(v)),
            (Change::Changed, None) => format!("{place} changes"),
        };
        let (mark, role) = look(change);
        rows.push(vec![run(role, mark), run(Role::Text, format!(" {words}"))]);
    }
    if left_out > 0 {
        rows.push(vec![run(Role::Dim, format!("and {}", count(left_out, "more change")))]);
    }
    rows
}

/// Milliseconds in words: `850 ms`, `12.3 s`, `4 min 5 s`.
pub(crate) fn duration(ms: u64) -> String {
    match ms {
        0..1_000 => format!("{ms} ms"),
        1_000..60_000 => format!("{}.{} s", ms / 1_000, ms % 1_000 / 100),
        _ => format!("{} min {} s", ms / 60_000, ms % 60_000 / 1_000),
    }
}

/// How an episode ended, and the reward where that says more.
pub fn ended(outcome: &StepOutcome) -> String {
    let how = match outcome.reached() {
        Some(true) => "the goal is reached",
        Some(false) => "the goal is not reached",
        None => "whether the goal is reached is not known",
    };
    let why = outcome.ended.as_ref().map(|why| format!("; {}", one_line(why))).unwrap_or_default();
    match outcome.reward {
        reward if reward == 0.0 || (outcome.won && reward == 1.0) => format!("{how}{why}"),
        reward => format!("{how}, the reward is {reward}{why}"),
    }
}

/// A label in front of a wrapped text: rows in which the continuation lines are under the text.
pub(crate) fn labelled(label: &str, role: Role, text: &str, width: usize) -> Vec<Vec<Run>> {
    let label = sanitize::line(label);
    let indent = label.width();
    let room = width.saturating_sub(indent).max(8);
    let lines = super::wrap::wrapped(text, room);
    let rows = lines.into_iter().enumerate().map(|(i, line)| {
        let lead = if i == 0 { run(Role::Dim, &label) } else { run(Role::Dim, " ".repeat(indent)) };
        vec![lead, Run { role, text: line }]
    });
    rows.collect()
}

/// The mark before a row of a theme's list: here, or blank.
pub fn here(theme: &Theme, on: bool) -> Run {
    if on { run(Role::Accent, theme.glyphs.here) } else { run(Role::Text, " ") }
}

/// What a person did at a step: actions whose assertions were put in force there, whether the action taken to it was theirs, remarks.
#[derive(Debug, Default)]
pub struct Happened {
    adopted: Vec<String>,
    pub edited: bool,
    noted: bool,
}

pub fn happened(session: &Session, node: &Node) -> Happened {
    let mut adopted: Vec<String> = Vec::new();
    // Every session begins with those of the specification.
    for set in node.turn.adopted().into_iter().filter(|set| set.origin != OWN) {
        if !adopted.contains(&set.action) {
            adopted.push(set.action);
        }
    }
    let from = node.parent.and_then(|parent| session.node(parent));
    let decision = from.and_then(|from| from.turn.decision(node.decision?));
    let edited =
        decision.is_some_and(|decision| matches!(decision.choice, Choice::Edit { .. } | Choice::Manual { .. }));
    Happened { adopted, edited, noted: !node.turn.notes.is_empty() }
}

impl Happened {
    /// Its mark, of a column; before another the one that nothing else beside it says.
    pub fn mark(&self) -> &'static str {
        match (self.edited, self.adopted.is_empty(), self.noted) {
            // What was adopted is said in words too.
            (true, ..) => "~",
            (false, false, _) => "+",
            (false, true, true) => "\"",
            _ => " ",
        }
    }

    /// Adopted documents.
    pub fn in_words(&self) -> Option<String> {
        (!self.adopted.is_empty()).then(|| format!("adopted for {}", self.adopted.join(", ")))
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn an_adoption_hides_no_action_that_was_typed() {
        let mark = |adopted: &[&str], edited, noted| {
            let adopted = adopted.iter().map(|name| (*name).to_owned()).collect();
            Happened { adopted, edited, noted }.mark()
        };
        let marks =
            [mark(&["go"], true, true), mark(&["go"], false, true), mark(&[], false, true), mark(&[], false, false)];
        assert_eq!(marks, ["~", "+", "\"", " "]);
    }

    #[test]
    fn patches_read_like_sentences() {
        let text = |v: Value| {
            patch(&v, 2).iter().map(|r| r.iter().map(|x| x.text.as_str()).collect::<String>()).collect::<Vec<_>>()
        };
        let ops = json!([
            {"op": "replace", "path": "/agent/location", "value": "desk 1"},
            {"op": "remove", "path": "/x"},
            {"op": "test", "path": "/x", "value": 1},
            {"op": "add", "path": "/y", "value": [1]},
        ]);
        assert_eq!(text(ops), ["~ agent.location becomes \"desk 1\"", "- x goes away", "and 1 more change"]);
        assert!(text(json!({"no": "patch"})).is_empty());
    }

    #[test]
    fn values_stay_on_a_line() {
        assert_eq!(value(&json!({"a": 1})), "{\"a\":1}");
        assert_eq!(value(&json!((0..40).collect::<Vec<_>>())), "[40 items]");
        assert_eq!(duration(12_345), "12.3 s");
        assert_eq!(duration(245_000), "4 min 5 s");
    }
}
