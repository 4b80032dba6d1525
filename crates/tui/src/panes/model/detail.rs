//! Details of an ask, as rows: the request as it was sent, and the answer as far as it has arrived.

use crate::actions::ActionId;
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::{words, wrap};
use stepwright_episode::AskKind;
use stepwright_episode::{Ask, AskState, Exchange, PromptRecord};
use stepwright_method::{REFERENCE, SYMBOLIC};

/// Narrower than this, completions are stacked rather than set side by side.
const COLUMN: usize = 30;
/// Completions set side by side at most.
const COLUMNS: usize = 4;

/// The request: what for, parameters, template, messages. Does not change once recorded.
pub fn request(ask: &Ask, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    let kind = format!("{}: {}", ask.model, ask.purpose());
    rows.extend(words::labelled("", Role::Title, &kind, width));
    let Some(prompt) = &ask.prompt else {
        let why = if ask.model == SYMBOLIC {
            rows.push(vec![run(Role::Dim, format!("up to {}, ranked", words::count(ask.n as usize, "proposal")))]);
            "No prompt: the built-in proposer is no language model, it reads the program's state itself."
        } else if ask.model == REFERENCE {
            "No prompt: the reference program of the task's file is played, no language model was asked."
        } else {
            "No prompt: no language model was asked. What was found out is kept for the steps that follow."
        };
        rows.extend(words::labelled("", Role::Dim, why, width));
        return rows;
    };
    let what = if scores(ask) {
        format!("{} scored as the next line, nothing is generated", words::count(ask.n as usize, "action"))
    } else {
        format!("{}, {}", words::count(ask.n as usize, "completion"), ask.sampling())
    };
    rows.push(vec![run(Role::Dim, what)]);
    rows.push(vec![run(Role::Dim, template(prompt))]);
    if let Some(text) = &prompt.left_out {
        rows.extend(words::labelled("", Role::Warn, text, width));
    }
    for message in &prompt.messages {
        let role = if message.role == "text" { "completion prompt" } else { message.role.as_str() };
        rows.push(vec![run(Role::Key, format!("[{role}]"))]);
        rows.extend(words::labelled("  ", Role::Text, &message.text, width));
    }
    rows
}

fn scores(ask: &Ask) -> bool {
    ask.kind == AskKind::SCORED
}

fn template(prompt: &PromptRecord) -> String {
    let hash: String = prompt.template_hash.chars().take(12).collect();
    match (prompt.template.as_str(), hash.is_empty()) {
        ("edited", _) => "prompt edited by a person".to_owned(),
        (name, true) => format!("template {name}"),
        (name, false) => format!("template {name}, sha256 {hash}"),
    }
}

/// The answer so far. `stacked` sets completions one below the other whatever the width, and unfolds what came beside the texts.
pub fn answer(view: &View, ask: &Ask, theme: &Theme, width: usize, stacked: bool) -> Vec<Row> {
    let mut rows = Vec::new();
    match &ask.state {
        AskState::Pending => {
            let streams = view.streams.get(&ask.id);
            if let Some((id, why)) = &view.retrying
                && *id == ask.id
            {
                rows.extend(words::labelled("retry: ", Role::Warn, why, width));
            } else {
                let chars: usize = streams.into_iter().flatten().map(|(_, t)| t.len()).sum();
                let words = match chars {
                    0 if scores(ask) => "scoring".into(),
                    0 => "waiting for the first word".into(),
                    _ => format!("answering, {}", words::count(chars, "byte")),
                };
                rows.push(vec![run(
                    Role::Accent,
                    format!("{} {words}; {} cancels", theme.glyphs.arrow, view.key(ActionId::Cancel)),
                )]);
            }
            for (index, thought) in view.reasoning.get(&ask.id).into_iter().flatten() {
                reasoning(&mut rows, *index as usize, thought, theme, width, stacked);
            }
            let texts: Vec<&str> = streams.into_iter().flatten().map(|(_, t)| t.as_str()).collect();
            rows.extend(completions(&texts, theme, width, stacked));
        }
        AskState::Answered { texts, usage, ms } => {
            let tokens = match usage {
                Some(u) => format!("{} prompt and {}", u.prompt, words::count(u.completion, "answer token")),
                None => "tokens not reported".into(),
            };
            rows.push(vec![run(
                Role::Good,
                format!("{} answered in {}, {tokens}", theme.glyphs.yes, words::duration(*ms)),
            )]);
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            if let Some(exchange) = &ask.exchange {
                beside(&mut rows, exchange, theme, width, stacked);
            }
            if scores(ask) {
                // Their figures are in the proposals.
                rows.extend(texts.iter().flat_map(|t| words::labelled("  ", Role::Text, t, width)));
            } else {
                rows.extend(completions(&texts, theme, width, stacked));
            }
        }
        AskState::Failed { error, cancelled, .. } => {
            let word = if *cancelled { "cancelled: " } else { "failed: " };
            let role = if *cancelled { Role::Warn } else { Role::Bad };
            rows.extend(words::labelled(&format!("{} {word}", theme.glyphs.no), role, error, width));
            if let Some(text) = ask.partial() {
                rows.push(vec![run(Role::Key, "what had come, no answer")]);
                rows.extend(words::labelled("  ", Role::Text, text, width));
            }
        }
    }
    rows
}

/// What setting `stacked` the other way does with an answer in so many columns, in words; `None` where it looks the same both ways.
pub fn turned(view: &View, ask: &Ask, width: usize, stacked: bool) -> Option<&'static str> {
    let (folds, texts) = match &ask.state {
        AskState::Pending => {
            let thinks = view.reasoning.get(&ask.id).is_some_and(|thoughts| !thoughts.is_empty());
            (thinks, view.streams.get(&ask.id).map_or(0, |streams| streams.len()))
        }
        AskState::Answered { texts, .. } => (ask.exchange.is_some(), if scores(ask) { 0 } else { texts.len() }),
        AskState::Failed { .. } => (false, 0),
    };
    match (folds, stacked) {
        (true, true) => Some("fold"),
        (true, false) => Some("unfold"),
        _ if !fit_beside(texts, width) => None,
        (false, true) => Some("side by side"),
        (false, false) => Some("stack"),
    }
}

/// Whether so many completions have room beside each other.
fn fit_beside(texts: usize, width: usize) -> bool {
    (2..=COLUMNS).contains(&texts) && (width / texts).saturating_sub(2) >= COLUMN
}

/// The parts of an answer beside its texts: one line, and all of it where it is unfolded.
fn beside(rows: &mut Vec<Row>, exchange: &Exchange, theme: &Theme, width: usize, unfolded: bool) {
    for (index, completion) in exchange.completions.iter().enumerate().filter(|(_, c)| !c.reasoning.is_empty()) {
        reasoning(rows, index, &completion.reasoning, theme, width, unfolded);
    }
    if !unfolded {
        return;
    }
    let served = if exchange.served.is_empty() { String::new() } else { format!("{} at ", exchange.served) };
    rows.extend(words::labelled("from ", Role::Dim, &format!("{served}{}", exchange.endpoint), width));
    rows.extend(words::labelled("sent ", Role::Dim, &exchange.request.to_string(), width));
    if let Some(cost) = exchange.cost {
        rows.extend(words::labelled("cost ", Role::Dim, &words::cost(cost), width));
    }
    for (index, completion) in exchange.completions.iter().enumerate() {
        let ended = if completion.finish.is_empty() { "not reported" } else { &completion.finish };
        rows.extend(words::labelled("", Role::Dim, &format!("completion {} ended: {ended}", index + 1), width));
        for token in &completion.tokens {
            let other = |(text, logprob): &(String, f64)| format!("{text:?} {logprob:.2}");
            let others: Vec<String> = token.top.iter().filter(|(text, _)| *text != token.token).map(other).collect();
            let others = if others.is_empty() { String::new() } else { format!("  before {}", others.join(", ")) };
            let line = format!("{:?} {:.2}{others}", token.token, token.logprob);
            rows.extend(words::labelled("  ", Role::Dim, &line, width));
        }
    }
}

/// A model's reasoning before its answer: its length, or all of it.
fn reasoning(rows: &mut Vec<Row>, index: usize, text: &str, theme: &Theme, width: usize, unfolded: bool) {
    let glyph = if unfolded { theme.glyphs.open } else { theme.glyphs.closed };
    let size = words::count(text.chars().count(), "character");
    rows.push(vec![run(Role::Dim, format!("{glyph} reasoning {}, {size}", index + 1))]);
    if unfolded {
        rows.extend(words::labelled("  ", Role::Dim, text.trim(), width));
    }
}

/// The completions' texts: side by side while each has room, else stacked.
fn completions(texts: &[&str], theme: &Theme, width: usize, stacked: bool) -> Vec<Row> {
    let n = texts.len();
    if n == 0 {
        return Vec::new();
    }
    if stacked || !fit_beside(n, width) {
        return stack(texts, width);
    }
    let column = (width / n).saturating_sub(2);
    let wrapped: Vec<Vec<String>> = texts.iter().map(|t| wrap::wrapped(t, column)).collect();
    let height = wrapped.iter().map(Vec::len).max().unwrap_or(0);
    let mut rows = vec![Row::new()];
    for i in 0..n {
        let head = format!("completion {}", i + 1);
        rows[0].push(run(Role::Key, format!("{head:<column$}  ")));
    }
    for line in 0..height {
        let mut row = Row::new();
        for (i, lines) in wrapped.iter().enumerate() {
            let text = lines.get(line).map_or("", String::as_str);
            row.push(run(Role::Text, sanitize::pad(text, column)));
            if i + 1 < n {
                row.push(run(Role::Dim, format!("{} ", theme.glyphs.vertical)));
            }
        }
        rows.push(row);
    }
    rows
}

fn stack(texts: &[&str], width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for (i, text) in texts.iter().enumerate() {
        if texts.len() > 1 {
            rows.push(vec![run(Role::Key, format!("completion {}", i + 1))]);
        }
        if text.is_empty() {
            rows.push(vec![run(Role::Dim, "  (empty)")]);
        } else {
            rows.extend(words::labelled("  ", Role::Text, text, width));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::UNICODE;

    fn ask(state: AskState) -> Ask {
        let (kind, model) = (AskKind::PLAN, "m".to_owned());
        Ask { id: 1, kind, model, prompt: None, n: 1, temperature: 0.0, exchange: None, state }
    }

    fn failed(partial: &str) -> Ask {
        ask(AskState::Failed { error: "no".into(), cancelled: false, usage: None, partial: partial.to_owned() })
    }

    #[test]
    fn what_had_come_of_an_answer_that_failed_is_below_the_error() {
        let rows = |partial: &str| -> Vec<String> {
            let rows = answer(&View::default(), &failed(partial), &Theme::monochrome(UNICODE), 60, false);
            rows.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect()).collect()
        };
        assert_eq!(rows("go to\nhalf")[1..], ["what had come, no answer", "  go to", "  half"]);
        assert_eq!(rows("").len(), 1);
    }

    #[test]
    fn an_answer_is_turned_only_where_that_changes_it() {
        let answered = |texts: &[&str]| {
            let texts = texts.iter().map(|t| (*t).to_owned()).collect::<Vec<_>>().into();
            ask(AskState::Answered { texts, usage: None, ms: 0 })
        };
        let view = View::default();
        let turned = |ask: &Ask, width, stacked| turned(&view, ask, width, stacked);
        assert_eq!(turned(&answered(&["one"]), 100, false), None);
        let two = answered(&["one", "two"]);
        assert_eq!((turned(&two, 100, false), turned(&two, 100, true)), (Some("stack"), Some("side by side")));
        assert_eq!(turned(&two, 40, false), None, "too narrow for both");
        let with = Ask { exchange: Some(Exchange::default().into()), ..answered(&["one"]) };
        assert_eq!((turned(&with, 40, false), turned(&with, 40, true)), (Some("unfold"), Some("fold")));
        assert_eq!(turned(&Ask { exchange: with.exchange, ..failed("") }, 100, true), None);
    }
}
