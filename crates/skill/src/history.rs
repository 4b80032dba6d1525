//! History of thoughts, calls, actions and reports, line by line: how it is recorded, how policies of two styles write it, and what either
//! policy is shown of it.

use crate::call::SkillCall;
use stepwright_trajectory::react::words_of;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    Thought(String),
    Call(SkillCall),
    Act(String),
    /// A skill gave control back, with what it reported.
    Report(String),
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Entry {
    pub line: Line,
    pub observation: String,
    pub refused: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Style {
    /// `> go to desk 1`, `> call: find(mug)`, `> think: …`.
    Arrow,
    /// `Action: click[Buy Now]`, `Action: purchase_item()`, `Action: think[…]`.
    Action,
}

/// The text with which control comes back to the policy that called.
const FINISHED: &str = "Subprocedure finished.";
/// The answer to a thought.
pub const OK: &str = "OK.";

/// The call that is being carried out at the end of the lines, with the place of its line.
pub fn open(entries: &[Entry]) -> Option<(usize, &SkillCall)> {
    let last = entries.iter().rposition(|entry| matches!(entry.line, Line::Call(_) | Line::Report(_)))?;
    match &entries.get(last)?.line {
        Line::Call(call) => Some((last, call)),
        _ => None,
    }
}

/// A line as it is recorded: read back by [`recorded`], whatever the style.
pub fn record(line: &Line) -> String {
    match line {
        Line::Thought(text) => format!("think: {text}"),
        Line::Call(call) => format!("call: {call}"),
        Line::Act(action) => action.clone(),
        Line::Report(message) => format!("Done: {message}"),
    }
}

/// The kind of a recorded text that executed nothing; `None` for an action.
pub fn recorded(text: &str) -> Option<Line> {
    if text.starts_with("think:") || text.starts_with("think[") {
        return Some(Line::Thought(words_of(text).to_owned()));
    }
    if let Some(message) = text.strip_prefix("Done:") {
        return Some(Line::Report(message.trim().to_owned()));
    }
    text.strip_prefix("call:").and_then(|call| call.trim().parse().ok()).map(Line::Call)
}

/// A line as a policy of that style writes it; `of`: the call that it is in.
pub fn write(line: &Line, style: Style, of: Option<&SkillCall>) -> String {
    match (style, line) {
        (Style::Arrow, Line::Thought(text)) => format!("> think: {text}"),
        (Style::Arrow, Line::Call(call)) => format!("> call: {call}"),
        (Style::Arrow, Line::Act(action)) => format!("> {action}"),
        (Style::Arrow, Line::Report(message)) => match of {
            Some(call) => format!("> Done {call}: {message}"),
            None => format!("> Done: {message}"),
        },
        (Style::Action, Line::Thought(text)) => format!("Action: think[{text}]"),
        (Style::Action, Line::Call(call)) => format!("Action: {call}"),
        (Style::Action, Line::Act(action)) => format!("Action: {action}"),
        (Style::Action, Line::Report(message)) => format!("Action: Done[{message}]"),
    }
}

fn answered(style: Style, line: String, observation: &str) -> String {
    match style {
        Style::Arrow => format!("{line}\n{observation}\n"),
        Style::Action => format!("{line}\nObservation: {observation}\n\n"),
    }
}

/// The base policy's history: its thoughts and calls, and how each call ended. On a site the page that it led to too.
pub fn base_history(entries: &[Entry], style: Style, first: &str) -> String {
    let mut text = String::new();
    let (mut inside, mut page) = (false, first);
    for entry in entries {
        match &entry.line {
            Line::Call(_) => {
                text.push_str(&write(&entry.line, style, None));
                text.push('\n');
                inside = true;
            }
            Line::Report(message) => {
                match style {
                    Style::Arrow => text.push_str(&format!("{FINISHED}\n")),
                    Style::Action => {
                        text.push_str(&format!(
                            "Observation:\nSubprocedure Done[{message}]\nCurrent Page:\n{}\n\n",
                            page.trim_start_matches('\n')
                        ));
                    }
                }
                inside = false;
            }
            Line::Act(_) => {
                page = &entry.observation;
                // What a person did between two calls.
                if !inside {
                    text.push_str(&answered(style, write(&entry.line, style, None), &entry.observation));
                }
            }
            Line::Thought(_) if !inside => {
                text.push_str(&answered(style, write(&entry.line, style, None), &entry.observation));
            }
            Line::Thought(_) => {}
        }
    }
    text
}

/// The history of a skill's policy: all actions before its call, and all its own lines since.
pub fn skill_history(entries: &[Entry], style: Style) -> (String, String) {
    let at = open(entries).map_or(0, |(at, _)| at + 1);
    let (before, own) = entries.split_at(at.min(entries.len()));
    (acts(before, style), lines(own, style))
}

fn acts(entries: &[Entry], style: Style) -> String {
    entries.iter().filter(|entry| matches!(entry.line, Line::Act(_))).map(|entry| shown(entry, style)).collect()
}

fn lines(entries: &[Entry], style: Style) -> String {
    let own = entries.iter().filter(|entry| matches!(entry.line, Line::Act(_) | Line::Thought(_)));
    own.map(|entry| shown(entry, style)).collect()
}

fn shown(entry: &Entry, style: Style) -> String {
    answered(style, write(&entry.line, style, None), &entry.observation)
}

/// What stands before the goal, which a skill's policy is not shown: the first observation without the line that says it.
pub fn surroundings(first: &str) -> String {
    let lines: Vec<&str> = first.lines().filter(|line| !line.starts_with(GOAL)).collect();
    lines.join("\n").trim_end_matches('\n').to_owned()
}

/// How the line of a first observation begins that says the goal.
pub(crate) const GOAL: &str = "Your task is to:";
/// How what was done before a call is led.
pub(crate) const BEFORE: &str = "Your historical interactions:";
/// How a call is put to its skill's policy.
pub(crate) const NOW: &str = "Your task is:";

/// The first call of a skill as its policy met it: the surroundings, what was done before, the call, its lines to the report. `None`
/// where the skill is not called.
pub fn skill_example(first: &str, entries: &[Entry], skill: &str, style: Style) -> Option<String> {
    let is_call = |entry: &Entry| matches!(&entry.line, Line::Call(call) if call.skill == skill);
    let (before, rest) = entries.split_at(entries.iter().position(is_call)?);
    let (Some(Line::Call(call)), rest) = (rest.first().map(|entry| &entry.line), rest.get(1..)?) else { return None };
    let end = rest.iter().position(|entry| matches!(entry.line, Line::Report(_) | Line::Call(_))).unwrap_or(rest.len());
    let (own, last) = rest.split_at(end);
    let report = last.first().filter(|entry| matches!(entry.line, Line::Report(_)));
    let report = report.map(|entry| write(&entry.line, style, Some(call))).unwrap_or_default();
    let (room, before, own) = (surroundings(first), acts(before, style), lines(own, style));
    Some(format!("{room}\n{BEFORE}\n{before}{NOW} {call}\n{own}{report}").trim_end().to_owned())
}
