//! ReAct's logs of text: `Action: …` with `Observation: …` (the shop), or `> …` with what was observed below (the household).
//! Thoughts are separate actions there (`think[…]`, `think: …`); here they are the thought before the next action.

use crate::trajectory::{LogError, LoggedStep, Trajectory};

/// Reads one episode's log. The text before the first action is the first observation.
///
/// # Errors
/// If there is no action in it.
pub fn read(text: &str, id: &str) -> Result<Trajectory, LogError> {
    let mut entries: Vec<(String, Vec<&str>)> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    for line in text.lines() {
        let action = line.strip_prefix("Action:").or_else(|| line.strip_prefix('>')).map(str::trim);
        match (action, entries.last_mut()) {
            // The site's log opens with the action that begins the episode.
            (Some("reset" | ""), _) => {}
            (Some(action), _) => entries.push((action.to_owned(), Vec::new())),
            (None, Some((_, observed))) => observed.push(line),
            (None, None) => before.push(line),
        }
    }
    if entries.is_empty() {
        let message = "no action in this log; lines that begin with `Action:` or `>` are expected".to_owned();
        return Err(LogError { line: 1, message });
    }
    let mut steps = Vec::new();
    let mut thought: Option<String> = None;
    for (action, observed) in entries {
        if let Some(thinks) = thought_of(&action) {
            thought = Some(thought.map_or_else(|| thinks.to_owned(), |known| format!("{known} {thinks}")));
            continue;
        }
        steps.push(LoggedStep { thought: thought.take(), action, observation: observation(&observed) });
    }
    if steps.is_empty() {
        return Err(LogError { line: 1, message: "the log holds thoughts alone and no action".to_owned() });
    }
    let mut rest = serde_json::Map::new();
    if let Some(closing) = thought {
        rest.insert("closing_thought".to_owned(), closing.into());
    }
    let initial_observation = observation(&before);
    Ok(Trajectory { id: id.to_owned(), initial_observation, steps, rest, ..Trajectory::default() })
}

fn thought_of(action: &str) -> Option<&str> {
    match action.strip_prefix("think[") {
        Some(rest) => Some(rest.strip_suffix(']').unwrap_or(rest)),
        None => action.strip_prefix("think:").map(str::trim),
    }
}

fn observation(lines: &[&str]) -> Option<String> {
    let mut lines = lines.to_vec();
    let first = lines.first_mut()?;
    if let Some(rest) = first.strip_prefix("Observation:") {
        *first = rest.strip_prefix(' ').unwrap_or(rest);
    }
    let text = lines.join("\n").trim_end().to_owned();
    (!text.is_empty()).then_some(text)
}

#[cfg(test)]
mod tests {
    #[test]
    fn both_forms_are_read() {
        let shop = "Observation: \nWebShop \n[Search]\n\nAction: think[a mug]\nObservation: OK.\n\nAction: search[mug]\nObservation: \n[B01]\n$5\n\nAction: click[B01]\n";
        let read = super::read(shop, "x").unwrap();
        assert_eq!(read.initial_observation.as_deref(), Some("\nWebShop \n[Search]"));
        assert_eq!(read.steps.len(), 2);
        assert_eq!(read.steps[0].thought.as_deref(), Some("a mug"));
        assert_eq!(read.steps[0].observation.as_deref(), Some("\n[B01]\n$5"));
        assert_eq!(read.steps[1].observation, None);
        let house = "You are in a room.\n> think: a mug.\nOK.\n> go to desk 1\nOn the desk 1, you see nothing.\n> think: so it ends\n";
        let read = super::read(house, "y").unwrap();
        assert_eq!(read.steps[0].action, "go to desk 1");
        assert_eq!(read.rest["closing_thought"], "so it ends");
        assert!(super::read("nothing", "z").is_err());
    }
}
