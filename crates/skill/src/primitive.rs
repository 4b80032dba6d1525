//! Forms of actions: whether an action is of a form (`take [object] [id] from [receptacle] [id]`), and what is missing if not.

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Miss {
    Other,
    /// All is there but the numbers.
    NoIds,
    /// A word of the form is expected where another is.
    Expected(String),
}

impl std::fmt::Display for Miss {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Miss::Other => f.write_str("no such primitive"),
            Miss::NoIds => f.write_str("syntax: ids missing"),
            Miss::Expected(word) => write!(f, "syntax: \"{word}\" expected"),
        }
    }
}

/// Whether an action is of one of the forms; if not, how it misses the one it comes nearest to.
pub fn check<'a>(forms: impl IntoIterator<Item = &'a str>, action: &str) -> Result<(), Miss> {
    let mut nearest = Miss::Other;
    for form in forms {
        match fits(form, action) {
            Ok(()) => return Ok(()),
            Err(Miss::Other) => {}
            Err(miss) => nearest = miss,
        }
    }
    Err(nearest)
}

pub fn fits(form: &str, action: &str) -> Result<(), Miss> {
    if let Some((name, slot)) = bracketed(form) {
        // `search[Query]` takes any query; `click[Buy Now]` is a button, and so its own only text.
        let Some((own, argument)) = bracketed(action).filter(|(own, _)| *own == name) else { return Err(Miss::Other) };
        debug_assert_eq!(own, name);
        return if is_button(slot) && argument != slot { Err(Miss::Other) } else { Ok(()) };
    }
    let (form, action): (Vec<&str>, Vec<&str>) =
        (form.split_whitespace().collect(), action.split_whitespace().collect());
    let verb: Vec<&str> = form.iter().copied().take_while(|word| !is_slot(word)).collect();
    if !action.starts_with(&verb) {
        return Err(Miss::Other);
    }
    if matches(&form, &action) {
        return Ok(());
    }
    let without: Vec<&str> = form.iter().copied().filter(|word| *word != ID).collect();
    if without.len() < form.len() && matches(&without, &action) {
        return Err(Miss::NoIds);
    }
    let wrong = form.iter().zip(&action).find(|(word, own)| !is_slot(word) && word != own);
    let missing = form.get(action.len()..).and_then(|rest| rest.iter().find(|word| !is_slot(word)));
    match wrong.map(|(word, _)| word).or(missing) {
        Some(word) => Err(Miss::Expected((*word).to_owned())),
        None => Err(Miss::NoIds),
    }
}

const ID: &str = "[id]";
/// Texts in brackets that stand for themselves.
const BUTTONS: [&str; 9] =
    ["Back to Search", "< Prev", "Next >", "Buy Now", "Description", "Features", "Reviews", "Attributes", "Search"];

fn is_button(text: &str) -> bool {
    // `click[Attributes]` is written for the choice of an attribute, and is the name of a page too.
    BUTTONS.contains(&text) && text != "Attributes"
}

pub(crate) fn is_slot(word: &str) -> bool {
    word.starts_with('[') && word.ends_with(']')
}

fn matches(form: &[&str], action: &[&str]) -> bool {
    let is_number = |word: &str| !word.is_empty() && word.chars().all(|c| c.is_ascii_digit());
    form.len() == action.len()
        && form.iter().zip(action).all(|(word, own)| match *word {
            ID => is_number(own),
            slot if is_slot(slot) => !is_number(own),
            word => word == *own,
        })
}

/// A name and what is in the square brackets after it, where only a name precedes them.
pub(crate) fn bracketed(text: &str) -> Option<(&str, &str)> {
    let (name, rest) = text.trim().split_once('[')?;
    let inside = rest.strip_suffix(']')?;
    (!name.is_empty() && name.chars().all(|c| c.is_alphanumeric() || c == '_')).then_some((name, inside))
}

/// The form of a logged action, as segments name it: its verb (`go to`), or its name and what kind of thing it was clicked on.
pub fn name_of(action: &str) -> String {
    if let Some((name, inside)) = bracketed(action) {
        let is_number = inside.len() == 10 && inside.chars().all(|c| c.is_ascii_uppercase() || c.is_ascii_digit());
        return match name {
            "search" => "search[Query]".to_owned(),
            "click" if BUTTONS.contains(&inside) => action.to_owned(),
            "click" if is_number => "click[Item ID]".to_owned(),
            "click" => "click[Attribute]".to_owned(),
            _ => action.to_owned(),
        };
    }
    let mut words = action.split_whitespace();
    match (words.next(), words.next()) {
        (Some("go"), Some("to")) => "go to".to_owned(),
        (first, _) => first.unwrap_or_default().to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_is_named() {
        let put = "put [object] [id] in/on [receptacle] [id]";
        assert_eq!(fits(put, "put mug 1 in/on desk 2"), Ok(()));
        assert_eq!(fits(put, "put mug 1 on desk 2"), Err(Miss::Expected("in/on".to_owned())));
        assert_eq!(fits(put, "put mug in/on desk"), Err(Miss::NoIds));
        assert_eq!(fits(put, "put mug 1"), Err(Miss::Expected("in/on".to_owned())));
        assert_eq!(fits(put, "take mug 1 from desk 2"), Err(Miss::Other));
        assert_eq!(fits("click[Buy Now]", "click[blue]"), Err(Miss::Other));
        assert_eq!(fits("click[Item ID]", "click[B01]"), Ok(()));
    }
}
