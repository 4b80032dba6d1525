//! Action list of a plan, collected by a pattern: every `action('x')` and `action('x', 'y')` in the text, in order.
//!
//! Assertions fall out, because the text in their brackets is not of that form, and their `else` actions stay. This is how
//! the kitchen comparison's wrapper read plans.

use super::Command;

/// Every `action('x'[, 'y'])` of a text.
pub fn flatten(text: &str) -> Vec<Command> {
    let mut commands = Vec::new();
    for (at, _) in text.match_indices("('") {
        let (before, rest) = (text.get(..at).unwrap_or_default(), text.get(at + 2..).unwrap_or_default());
        let name_at = before.rfind(|c: char| !is_word(c)).map_or(0, |i| i + before.get(i..).map_or(1, first_width));
        let action = before.get(name_at..).unwrap_or_default();
        if let Some(args) = arguments(rest).filter(|_| !action.is_empty()) {
            commands.push(Command { action: action.to_owned(), args });
        }
    }
    commands
}

fn is_word(c: char) -> bool {
    c.is_alphanumeric() || c == '_'
}

fn first_width(text: &str) -> usize {
    text.chars().next().map_or(1, char::len_utf8)
}

/// One or two quoted names up to the closing bracket.
fn arguments(text: &str) -> Option<Vec<String>> {
    let (first, rest) = text.split_once('\'')?;
    if first.is_empty() || first.contains('\n') {
        return None;
    }
    if rest.starts_with(')') {
        return Some(vec![first.to_owned()]);
    }
    let (second, rest) =
        rest.strip_prefix(',')?.trim_start_matches([' ', '\t']).strip_prefix('\'')?.split_once('\'')?;
    let whole = rest.starts_with(')') && !second.is_empty() && !second.contains('\n');
    whole.then(|| vec![first.to_owned(), second.to_owned()])
}
