//! Language: a step of a script in words, and words as a step; by the actions' templates.

use std::fmt::Write as _;

use stepwright_text::words::stripped;

use crate::action::Action;
use crate::names::Names;
use crate::script::{Line, Param};

/// A step in words, its first letter in upper case (`Put cup on table`), names with their underscores as spaces and otherwise as
/// they are spelled.
pub fn words(line: &Line) -> String {
    in_words(line, |name| name.replace('_', " "))
}

fn in_words(line: &Line, spoken: impl Fn(&str) -> String) -> String {
    let mut text = String::new();
    let mut names = line.params.iter().map(|param| spoken(&param.name));
    for (at, part) in line.action.words().split("{}").enumerate() {
        if at > 0 {
            text.push_str(&names.next().unwrap_or_default());
        }
        text.push_str(part);
    }
    capitalised(&text)
}

/// A name in words: underscores as spaces, and `coffe` as it should be spelled, wherever it stands in a name that has it spelled so only.
pub fn spoken(name: &str) -> String {
    let words = name.replace('_', " ");
    if words.contains("coffee") { words } else { words.replace("coffe", "coffee") }
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

/// A program in words, a numbered step a line (`Step 1: Walk to kitchen`).
pub fn numbered(program: &[Line]) -> String {
    let mut text = String::new();
    for (line, number) in program.iter().zip(1..) {
        let newline = if number == 1 { "" } else { "\n" };
        let _ = write!(text, "{newline}Step {number}: {}", in_words(line, spoken));
    }
    text
}

pub fn generalised(program: &[Line], names: &Names) -> Vec<Line> {
    let general = |line: &Line| Line {
        action: line.action,
        params: line.params.iter().map(|p| Param { name: names.in_general(&p.name), number: p.number }).collect(),
    };
    program.iter().map(general).collect()
}

/// The step itself, without the text before a colon.
fn after_colon(text: &str) -> &str {
    stripped(text.split_once(':').map_or(text, |(_, after)| after))
}

/// The one action whose template fits words, and the names in its places as scripts spell them; `None` if none or several fit. A
/// template that has no place for an object of its action (`release`) fits nothing.
pub fn matching(text: &str) -> Option<(Action, Vec<String>)> {
    let lower = after_colon(text).to_lowercase();
    let fits =
        |action: &Action| Some((*action, fit(action.words(), &lower).filter(|found| found.len() == action.arity())?));
    let mut fitting = Action::ALL.iter().filter_map(fits);
    let (action, found) = fitting.next()?;
    if fitting.next().is_some() {
        return None;
    }
    Some((action, found.into_iter().map(|name| stripped(name).replace(' ', "_")).collect()))
}

/// Words read as a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Scripted {
    /// The line of a script; where no template fits it may name an action there is not.
    pub script: String,
    pub matched: bool,
}

/// Reads words as a step: the text before a colon is left out, then exactly one template must fit; the names are made general and
/// numbered 1. Words that no template fits become a line that has their first word as its action.
pub fn scripted(text: &str, names: &Names) -> Scripted {
    if let Some((action, found)) = matching(text) {
        let params = found.iter().map(|name| Param { name: names.in_general(name), number: 1 }).collect();
        return Scripted { script: Line { action, params }.to_string(), matched: true };
    }
    let text = text.split_once(':').map_or(text, |(_, after)| stripped(after));
    // One blank parts two words; where there are more, the words between them are empty, as before or after one that begins or ends the
    // line.
    let mut parts = text.split(' ');
    let action = parts.next().unwrap_or_default().to_uppercase();
    let rest: Vec<&str> = parts.collect();
    let script = match rest.as_slice() {
        [] if text.is_empty() => "[EMPTY]".to_owned(),
        [] => format!("[{action}]"),
        [one] => format!("[{action}] <{one}> (1)"),
        [one, two] => format!("[{action}] <{one}> (1) <{two}> (1)"),
        many => format!("[{action}] <{}> (1)", many.join("_")),
    };
    Scripted { script, matched: false }
}

/// The texts in a template's places, each as short as it can be and not empty; `None` if the template does not fit the whole text.
fn fit<'a>(template: &str, text: &'a str) -> Option<Vec<&'a str>> {
    let mut parts = template.split("{}");
    let mut rest = text.strip_prefix(parts.next()?)?;
    let parts: Vec<&str> = parts.collect();
    let mut found = Vec::with_capacity(parts.len());
    for (at, part) in parts.iter().enumerate() {
        let last = at + 1 == parts.len();
        let first = rest.chars().next()?.len_utf8();
        let end = if last {
            // The last place reaches as far as what follows it allows.
            rest.len().checked_sub(part.len()).filter(|end| *end >= first && rest.ends_with(part))?
        } else {
            first + rest.get(first..)?.find(part)?
        };
        found.push(rest.get(..end)?);
        rest = rest.get(end + part.len()..)?;
    }
    rest.is_empty().then_some(found)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_as_short_as_they_can_be_and_not_empty() {
        assert_eq!(fit("put {} on {}", "put a on b on c"), Some(vec!["a", "b on c"]));
        assert_eq!(fit("put {} on {}", "put on b"), None);
        assert_eq!(fit("walk to {}", "walk to "), None);
        assert_eq!(fit("stand up", "stand up"), Some(vec![]));
        assert_eq!(fit("stand up", "stand up now"), None);
    }

    #[test]
    fn words_that_fit_two_templates_fit_none() {
        let none = Names::default();
        assert!(!scripted("Step 3: Put back cup on table", &none).matched);
        assert_eq!(scripted("Step 3: put back cup", &none).script, "[PUTOBJBACK] <cup> (1)");
        assert_eq!(scripted("Fly a Big Kite", &none).script, "[FLY] <a_Big_Kite> (1)");
    }

    #[test]
    fn words_that_fit_none_are_parted_at_every_blank() {
        let script = |text: &str| scripted(text, &Names::default()).script;
        assert_eq!(script("Fly  kite"), "[FLY] <> (1) <kite> (1)");
        assert_eq!(script("Step 2: Fly a  kite"), "[FLY] <a__kite> (1)");
        assert_eq!(script("fly "), "[FLY] <> (1)");
        assert_eq!(script("Step 4:"), "[EMPTY]");
        assert_eq!(script("Step 4: release\u{1c}"), "[RELEASE]");
        assert_eq!(script("Step 4: grab cup\u{1c}"), "[GRAB] <cup> (1)");
        let released = scripted("Step 1: Release", &Names::default());
        assert_eq!((released.script.as_str(), released.matched), ("[RELEASE]", false));
    }

    #[test]
    fn a_name_is_spoken_with_coffee_spelled_right() {
        assert_eq!(
            ["coffe_maker", "coffemaker", "coffee_table", "a__b_"].map(spoken),
            ["coffee maker", "coffeemaker", "coffee table", "a  b "]
        );
    }
}
