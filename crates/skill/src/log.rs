//! ReAct's logs of text: `Action: …` with `Observation: …` (the shop), or `> …` with what was observed below (the household), or
//! `Act 1: …` with `Obs 1: …` (its notebooks). Thoughts are separate actions there (`think[…]`, `think: …`); here they are the
//! thought before the next action. A file may hold many episodes, as the runs of ReAct and Reflexion were published.

use crate::trajectory::{LogError, LoggedStep, Trajectory};

/// Reads one episode's log. The text before the first action is the first observation.
///
/// # Errors
/// If there is no action in it.
pub fn read(text: &str, id: &str) -> Result<Trajectory, LogError> {
    let mut entries: Vec<(String, Vec<&str>)> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    for line in text.lines() {
        let action = action_of(line);
        match (action, entries.last_mut()) {
            // The site's log opens with the action that begins the episode.
            (Some("reset" | ""), _) => {}
            (Some(action), _) => entries.push((action.to_owned(), Vec::new())),
            (None, Some((_, observed))) => observed.push(line),
            (None, None) => before.push(line),
        }
    }
    if entries.is_empty() {
        return Err(LogError { line: 1, message: NO_ACTION.to_owned() });
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
    let task = initial_observation.as_deref().and_then(task_of).unwrap_or_default();
    let score = steps.iter().rev().find_map(|step| score_of(step.observation.as_deref()?));
    Ok(Trajectory {
        id: id.to_owned(),
        initial_observation,
        steps,
        rest,
        task,
        score: score.unwrap_or_default(),
        success: score.is_some_and(|score| score >= 1.0),
        ..Trajectory::default()
    })
}

/// Reads a file of one or more episodes, which are numbered after the file's name. What is wrong with one takes nothing from the
/// others.
pub fn read_all(text: &str, name: &str) -> Vec<Result<Trajectory, LogError>> {
    let mut episodes: Vec<(usize, Vec<&str>, Option<bool>)> = vec![(0, Vec::new(), None)];
    let mut acted = false;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        let rule = trimmed.len() >= 5 && ["#", "-", "="].iter().any(|c| trimmed.replace(c, "").is_empty());
        let heading = trimmed.starts_with("Environment #") || trimmed.starts_with("***** Start Trial");
        let begins = acted && (line.starts_with("You are in the middle of a room") || action_of(line) == Some("reset"));
        if rule || heading || begins {
            acted = false;
            episodes.push((number + usize::from(!begins), Vec::new(), None));
        }
        let Some((_, lines, success)) = episodes.last_mut() else { continue };
        match trimmed.strip_prefix("STATUS:").map(str::trim) {
            Some(status) => *success = Some(status == "OK"),
            None if rule || heading => {}
            None => {
                acted |= action_of(line).is_some_and(|action| action != "reset");
                lines.push(line);
            }
        }
    }
    let is_empty = |lines: &[&str]| lines.iter().all(|line| line.trim().is_empty());
    let has_action = |lines: &[&str]| lines.iter().any(|line| action_of(line).is_some());
    // Text between two rules without an action is a remark of the program that wrote the log.
    let many = episodes.iter().filter(|(_, lines, _)| has_action(lines)).count();
    episodes.retain(|(_, lines, _)| !is_empty(lines) && (many == 0 || has_action(lines)));
    let all = episodes.into_iter().enumerate().map(|(at, (line, lines, success))| {
        let id = if many > 1 { format!("{name}#{}", at + 1) } else { name.to_owned() };
        let mut read = read(&lines.join("\n"), &id).map_err(|e| LogError { line: line + e.line, ..e })?;
        if let Some(success) = success {
            (read.success, read.score) = (success, f64::from(u8::from(success)).max(read.score));
        }
        Ok(read)
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return vec![Err(LogError { line: 1, message: NO_ACTION.to_owned() })];
    }
    all
}

/// What to do about a text without an action.
const NO_ACTION: &str = "no action in this log; lines that begin with `Action:`, `>` or `Act 1:` are expected";

/// The action of a line that gives one.
fn action_of(line: &str) -> Option<&str> {
    let numbered = || numbered(line, "Act");
    line.strip_prefix("Action:").or_else(|| line.strip_prefix('>')).or_else(numbered).map(str::trim)
}

/// What follows `Act 3:`.
fn numbered<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (number, rest) = line.strip_prefix(word)?.strip_prefix(' ')?.split_once(':')?;
    number.chars().all(|c| c.is_ascii_digit()).then_some(rest)
}

/// The goal, where the first observation says it.
fn task_of(first: &str) -> Option<String> {
    let said = first.split_once("Your task is to:").map(|(_, rest)| rest.lines().next().unwrap_or_default());
    let instruction = || {
        let (_, rest) = first.split_once("Instruction:")?;
        rest.lines().map(str::trim).find(|line| !line.is_empty())
    };
    Some(said.or_else(instruction)?.trim().trim_end_matches('.').to_owned())
}

/// The score that an observation states at the end of a purchase.
fn score_of(observation: &str) -> Option<f64> {
    let (_, rest) = observation.split_once("Your score (min 0.0, max 1.0):")?;
    rest.split_whitespace().next()?.parse().ok()
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
    if let Some(rest) = first.strip_prefix("Observation:").or_else(|| numbered(first, "Obs")) {
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

    #[test]
    fn many_episodes_of_one_file_are_told_apart() {
        let run = "#####\n\nEnvironment #0:\nYou are in the middle of a room.\nYour task is to: put a mug in desk.\n> go to desk 1\nOn the desk 1, you see nothing.\n\nSTATUS: OK\n\n#####\n\n#####\n\nEnvironment #1:\nYou are in the middle of a room.\nYour task is to: cool a pan.\n> think: hm\nOK.\n\nSTATUS: FAIL\n#####\n-----\ntotal: 2\n";
        let read = super::read_all(run, "trial");
        assert_eq!(read.len(), 2, "{read:?}");
        let first = read[0].as_ref().unwrap();
        assert_eq!((first.id.as_str(), first.task.as_str(), first.success), ("trial#1", "put a mug in desk", true));
        assert!(read[1].as_ref().unwrap_err().to_string().contains("thoughts alone"));
        let shop = "Action: reset\nObservation: \nWebshop \nInstruction:  \ni need a mug \n[Search] \n\nAction: search[mug]\nObservation: x\n\nAction: click[Buy Now]\nObservation: \nYour score (min 0.0, max 1.0): 0.5\nAction: reset\nObservation: \nWebshop\n\nAction: search[pan]\nObservation: y\n";
        let read = super::read_all(shop, "run");
        assert_eq!(read.len(), 2, "{read:?}");
        let first = read[0].as_ref().unwrap();
        assert_eq!(
            (first.task.as_str(), first.score, first.success, first.steps.len()),
            ("i need a mug", 0.5, false, 2)
        );
        let notebook = super::read_all("You are in a room.\nAct 1: go to desk 1\nObs 1: nothing\n", "n");
        let first = notebook[0].as_ref().unwrap();
        assert_eq!((first.id.as_str(), first.steps[0].observation.as_deref()), ("n", Some("nothing")));
        assert!(super::read_all("", "e")[0].is_err());
    }
}
