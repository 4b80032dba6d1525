//! Parsing of a plan: line by line, bounded, and never in vain. What cannot be read is named with its line, the rest is kept.

use std::fmt;

use super::{Assertion, Command, Item, Kind, Plan, Relation};

/// Most bytes of a plan that are read.
pub const MAX_TEXT: usize = 64 * 1024;
pub const MAX_LINES: usize = 400;
/// Names longer than this are none.
const MAX_WORD: usize = 120;

/// A line that could not be read, or the end of what is read.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// The line, from 1.
    pub line: usize,
    /// Fault, with what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}", self.line, self.message)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Reading {
    pub plan: Plan,
    pub problems: Vec<Problem>,
}

/// Reads a plan: a function with its `def` line, or its body alone as a model completes it. Ends at the next `def`.
pub fn read(text: &str) -> Reading {
    let mut reader = Reader { subgoal: "0".to_owned(), ..Reader::default() };
    let mut left = MAX_TEXT;
    for (i, line) in text.lines().enumerate() {
        let number = i + 1;
        left = left.saturating_sub(line.len() + 1);
        if number > MAX_LINES || left == 0 {
            let message =
                format!("the plan is too long: at most {MAX_LINES} lines and {MAX_TEXT} bytes of a plan are read");
            reader.problem(number, message);
            break;
        }
        if !reader.line(number, line.trim()) {
            break;
        }
    }
    reader.reading
}

#[derive(Default)]
struct Reader {
    reading: Reading,
    subgoal: String,
    number: usize,
    /// Whether the last line that was read can have an `else` below it.
    guarded: bool,
}

impl Reader {
    fn problem(&mut self, line: usize, message: String) {
        self.reading.problems.push(Problem { line, message });
    }

    /// Takes a line in; `false` ends the plan.
    fn line(&mut self, number: usize, line: &str) -> bool {
        let plan = &mut self.reading.plan;
        if let Some(header) = line.strip_prefix("def ") {
            let begun = plan.function.is_some() || !plan.items.is_empty();
            if !begun {
                plan.function = header.split('(').next().map(|name| name.trim().to_owned());
            }
            return !begun;
        }
        if let Some(comment) = line.strip_prefix('#') {
            comment.trim().clone_into(&mut self.subgoal);
            self.number += 1;
            return true;
        }
        // What a prompt opens with, and the fences of chat models.
        let passed_over = ["```", "from ", "import ", "objects ", "objects="].iter().any(|p| line.starts_with(p));
        if line.is_empty() || (passed_over && plan.items.is_empty()) || line.starts_with("```") {
            return true;
        }
        match self.statement(line) {
            Ok(kind) => {
                self.guarded = !matches!(kind, Kind::Action(_));
                let subgoal = self.subgoal.clone();
                self.reading.plan.items.push(Item { line: number, subgoal, number: self.number, kind });
            }
            Err(message) => {
                // The lines below an assertion that was not understood must not run unguarded.
                self.guarded &= line.starts_with("else");
                self.problem(number, message);
            }
        }
        true
    }

    fn statement(&self, line: &str) -> Result<Kind, String> {
        if let Some(rest) = line.strip_prefix("else") {
            let action = rest.trim_start().strip_prefix(':').ok_or("an `else` line reads `else: action('thing')`")?;
            if !self.guarded {
                return Err("this `else` has no assertion above it that could be read".to_owned());
            }
            return command(action.trim()).map(Kind::Else);
        }
        if let Some(rest) = line.strip_prefix("assert")
            && !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_')
        {
            return assertion(rest).map(Kind::Assertion);
        }
        command(line).map(Kind::Action)
    }
}

/// `name('x', 'y')`, a comment allowed behind it.
fn command(text: &str) -> Result<Command, String> {
    let wrong = || format!("`{}` is no action; one reads `action('thing')`", shown(text));
    let (action, rest) = text.split_once('(').ok_or_else(wrong)?;
    let action = action.trim();
    let is_name = !action.is_empty()
        && action.len() <= MAX_WORD
        && action.chars().all(|c| c.is_alphanumeric() || c == '_')
        && !action.starts_with(|c: char| c.is_numeric());
    if !is_name {
        return Err(wrong());
    }
    let mut args = Vec::new();
    let mut rest = rest.trim_start();
    if let Some(end) = rest.strip_prefix(')') {
        ends(end)?;
        return Ok(Command { action: action.to_owned(), args });
    }
    loop {
        let (word, after) = quoted(rest)?;
        args.push(word);
        rest = after.trim_start();
        if let Some(end) = rest.strip_prefix(')') {
            ends(end)?;
            return Ok(Command { action: action.to_owned(), args });
        }
        rest = rest.strip_prefix(',').ok_or_else(wrong)?.trim_start();
    }
}

/// `('left' relation 'right')`.
fn assertion(text: &str) -> Result<Assertion, String> {
    let wrong = || {
        "an assertion reads `assert('close' to 'thing')`, `assert('thing' is 'opened')` or `assert('thing' in 'hands')`"
            .to_owned()
    };
    let text = text.trim_start().strip_prefix('(').ok_or_else(wrong)?;
    let (left, rest) = quoted(text.trim_start())?;
    let rest = rest.trim_start();
    let (word, rest) = rest.split_at(rest.find(|c: char| !c.is_alphabetic()).unwrap_or(rest.len()));
    let relation = match word {
        "to" => Relation::To,
        "is" => Relation::Is,
        "in" => Relation::In,
        other => return Err(format!("`{}` between the two words: it is `to`, `is` or `in`", shown(other))),
    };
    let (right, rest) = quoted(rest.trim_start())?;
    ends(rest.trim_start().strip_prefix(')').ok_or_else(wrong)?)?;
    Ok(Assertion { left, relation, right })
}

fn quoted(text: &str) -> Result<(String, &str), String> {
    let wrong = || format!("a word in quotes was expected at `{}`", shown(text));
    let quote = text.chars().next().filter(|c| ['\'', '"'].contains(c)).ok_or_else(wrong)?;
    let (word, rest) = text.get(1..).and_then(|t| t.split_once(quote)).ok_or_else(wrong)?;
    let word = word.trim();
    if word.is_empty() || word.len() > MAX_WORD {
        return Err(format!("`{}` is no name: it has 1 to {MAX_WORD} characters", shown(word)));
    }
    Ok((word.to_owned(), rest))
}

/// Nothing but a comment may follow.
fn ends(rest: &str) -> Result<(), String> {
    let rest = rest.trim();
    if rest.is_empty() || rest.starts_with('#') {
        return Ok(());
    }
    Err(format!("`{}` behind the closing bracket: one line holds one action or assertion", shown(rest)))
}

fn shown(text: &str) -> String {
    const MOST: usize = 40;
    let mut shown: String = text.chars().take(MOST).collect();
    if shown.len() < text.len() {
        shown.push('…');
    }
    shown
}
