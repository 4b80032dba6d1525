//! Action list of a plan, collected by a pattern: every `action('x')` and `action('x', 'y')` in the text, in order.
//!
//! Assertions fall out, because the text in their brackets is not of that form, and their `else` actions stay, as do those in comments. This
//! is how the kitchen comparison's wrapper read plans.

use stepwright_text::words::is_space;

use super::{Command, Item, read};

/// Every `action('x'[, 'y'])` of a text: white space may stand around the comma, and behind a single name.
pub fn flatten(text: &str) -> Vec<Command> {
    let (mut commands, mut from) = (Vec::new(), 0);
    for (at, _) in text.match_indices("('") {
        let (before, rest) = (text.get(from..at).unwrap_or_default(), text.get(at + 2..).unwrap_or_default());
        let name_at = before.rfind(|c: char| !is_word(c)).map_or(0, |i| i + before.get(i..).map_or(1, first_width));
        let action = before.get(name_at..).unwrap_or_default();
        if let Some((args, behind)) = arguments(rest).filter(|_| !action.is_empty()) {
            commands.push(Command { action: action.to_owned(), args });
            // What was read is read once.
            from = text.len() - behind.len();
        }
    }
    commands
}

/// The text of a plan in which each of those actions is a line: the text itself where it reads so line by line, else its actions alone.
pub fn one_a_line(text: &str) -> String {
    let (all, plan) = (flatten(text), read(text).plan);
    if plan.items.iter().filter_map(Item::command).eq(&all) {
        return text.to_owned();
    }
    let lines = all.iter().map(|command| command.to_string().split_whitespace().collect::<Vec<_>>().join(" "));
    lines.collect::<Vec<_>>().join("\n")
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn first_width(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// One or two quoted names up to the closing bracket, and what stands behind it.
fn arguments(text: &str) -> Option<(Vec<String>, &str)> {
    let (first, rest) = text.split_once('\'').filter(|(first, _)| !first.is_empty())?;
    let rest = rest.trim_start_matches(is_space);
    if let Some(behind) = rest.strip_prefix(')') {
        return Some((vec![first.to_owned()], behind));
    }
    let (second, rest) = rest.strip_prefix(',')?.trim_start_matches(is_space).strip_prefix('\'')?.split_once('\'')?;
    let behind = rest.strip_prefix(')').filter(|_| !second.is_empty())?;
    Some((vec![first.to_owned(), second.to_owned()], behind))
}
