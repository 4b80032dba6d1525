//! ReAct's logs of text: `Action: …` with `Observation: …` (the shop), or `> …` with what was observed below (the household), or
//! `Act 1: …` with `Obs 1: …` (its notebooks). Thoughts are separate actions there (`think[…]`, `think: …`), or stand before the action, as in its
//! questions (`Thought 1: …`, `Action 1: …`, `Observation 1: …`, with numbers or without); here they are the thought before the next action. A file may hold many episodes, as the runs of ReAct and Reflexion were published.

use crate::record::{LogError, Step, Trajectory};

/// Reads one episode's log. The text before the first action is the first observation.
pub fn read(text: &str, id: &str) -> Result<Trajectory, LogError> {
    let mut entries: Vec<Entry> = Vec::new();
    let mut before: Vec<&str> = Vec::new();
    let mut said = Said::default();
    // Where actions are marked by the word, a page's line may begin with the other form's mark.
    let marked = text.lines().any(|line| labelled(line, "Action").is_some());
    for line in text.lines() {
        if let Some(thought) = labelled(line, "Thought").filter(|_| marked) {
            said.begin(thought);
            continue;
        }
        let action = action_of(line).filter(|_| !marked || labelled(line, "Action").is_some());
        match (action, entries.last_mut()) {
            // The site's log opens with the action that begins the episode; Reflexion's writes the first page before it, too.
            (Some("reset"), None) => before.clear(),
            (Some("reset" | ""), _) => {}
            (Some(action), _) => {
                entries.push(Entry { thought: said.end(), action: action.to_owned(), observed: Vec::new() });
            }
            (None, _) if said.goes_on(line) => {}
            (None, Some(entry)) => entry.observed.push(line),
            (None, None) => before.push(line),
        }
    }
    if entries.is_empty() {
        return Err(LogError { line: 1, message: NO_ACTION.to_owned() });
    }
    let mut steps = Vec::new();
    let mut thought: Option<String> = None;
    let think = |thought: &mut Option<String>, thinks: &str| match thought {
        Some(known) => {
            known.push(' ');
            known.push_str(thinks);
        }
        None => *thought = Some(thinks.to_owned()),
    };
    for Entry { thought: before, action, observed } in entries {
        if let Some(thinks) = before {
            think(&mut thought, &thinks);
        }
        if let Some(thinks) = thought_of(&action) {
            think(&mut thought, thinks);
            continue;
        }
        steps.push(Step { thought: thought.take(), action, observation: observation(&observed), ..Step::default() });
    }
    if steps.is_empty() {
        return Err(LogError { line: 1, message: "the log holds thoughts alone and no action".to_owned() });
    }
    if let Some(thinks) = said.end() {
        think(&mut thought, &thinks);
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
        success: score.map(|score| score >= 1.0),
        ..Trajectory::default()
    })
}

/// An action with the thought that stands before it, and the lines of what was observed.
struct Entry<'a> {
    thought: Option<String>,
    action: String,
    observed: Vec<&'a str>,
}

/// The lines of a thought that is written before an action.
#[derive(Default)]
struct Said<'a> {
    lines: Vec<&'a str>,
    open: bool,
}

impl<'a> Said<'a> {
    fn begin(&mut self, thought: &'a str) {
        self.lines.push(thought.trim());
        self.open = true;
    }

    /// Whether a line is still of the thought.
    fn goes_on(&mut self, line: &'a str) -> bool {
        self.open &= labelled(line, "Observation").is_none();
        if self.open {
            self.lines.push(line.trim_end());
        }
        self.open
    }

    fn end(&mut self) -> Option<String> {
        self.open = false;
        let text = std::mem::take(&mut self.lines).join("\n").trim().to_owned();
        (!text.is_empty()).then_some(text)
    }
}

/// Reads a file of one or more episodes, which have no ids. What is wrong with one takes nothing from the others.
pub(crate) fn read_all(text: &str) -> Vec<Result<Trajectory, LogError>> {
    let mut episodes: Vec<(usize, Vec<&str>, Option<bool>)> = vec![(0, Vec::new(), None)];
    let mut acted = false;
    let mut finished = false;
    // Where what stands between two headings begins.
    let mut since = 0;
    for (number, line) in text.lines().enumerate() {
        let trimmed = line.trim();
        // What Reflexion's logs hold before that is the prompt: examples and what was remembered.
        if trimmed.starts_with(TASK) {
            acted = false;
            episodes.truncate(since);
            episodes.push((number + 1, Vec::new(), None));
            continue;
        }
        let rule = trimmed.len() >= 5 && ["#", "-", "="].iter().any(|c| trimmed.replace(c, "").is_empty());
        let heading = trimmed.starts_with("Environment #") || trimmed.starts_with("***** Start Trial");
        // After an answer the next question begins.
        let asked = finished && QUESTIONS.iter().any(|word| labelled(line, word).is_some());
        let first = asked || line.starts_with("You are in the middle of a room") || action_of(line) == Some("reset");
        let begins = acted && first;
        if rule || heading || begins {
            (acted, finished) = (false, false);
            since = if begins { since } else { episodes.len() };
            episodes.push((number + usize::from(!begins), Vec::new(), None));
        }
        let Some((_, lines, success)) = episodes.last_mut() else { continue };
        match trimmed.strip_prefix("STATUS:").map(str::trim) {
            Some(status) => *success = Some(status == "OK"),
            None if rule || heading => {}
            None => {
                let action = action_of(line);
                acted |= action.is_some_and(|action| action != "reset");
                finished |= action.is_some_and(|action| action.to_lowercase().starts_with("finish["));
                lines.push(line);
            }
        }
    }
    let is_empty = |lines: &[&str]| lines.iter().all(|line| line.trim().is_empty());
    let has_action = |lines: &[&str]| lines.iter().any(|line| action_of(line).is_some());
    // Text between two rules without an action is a remark of the program that wrote the log.
    let many = episodes.iter().filter(|(_, lines, _)| has_action(lines)).count();
    episodes.retain(|(_, lines, _)| !is_empty(lines) && (many == 0 || has_action(lines)));
    let all = episodes.into_iter().map(|(line, lines, success)| {
        let mut read = read(&lines.join("\n"), "").map_err(|e| LogError { line: line + e.line, ..e })?;
        if let Some(success) = success {
            (read.success, read.score) = (Some(success), f64::from(u8::from(success)).max(read.score));
        }
        Ok(read)
    });
    let all: Vec<_> = all.collect();
    if all.is_empty() {
        return vec![Err(LogError { line: 1, message: NO_ACTION.to_owned() })];
    }
    all
}

/// The line of Reflexion's logs after which the episode begins.
const TASK: &str = "Here is the task:";
const NO_ACTION: &str =
    "no action in this log; lines that begin with `Action:`, `Action 1:`, `>` or `Act 1:` are expected";
/// What ReAct's questions and claims begin with.
const QUESTIONS: [&str; 2] = ["Question", "Claim"];

fn action_of(line: &str) -> Option<&str> {
    let numbered = || numbered(line, "Act");
    labelled(line, "Action").or_else(|| line.strip_prefix('>')).or_else(numbered).map(str::trim)
}

/// The text after `Action:` or `Action 3:`.
fn labelled<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let plain = || line.strip_prefix(word)?.strip_prefix(':');
    plain().or_else(|| numbered(line, word))
}

/// The text after `Act 3:`.
fn numbered<'a>(line: &'a str, word: &str) -> Option<&'a str> {
    let (number, rest) = line.strip_prefix(word)?.strip_prefix(' ')?.split_once(':')?;
    (!number.is_empty() && number.chars().all(|c| c.is_ascii_digit())).then_some(rest)
}

fn task_of(first: &str) -> Option<String> {
    let said = first.split_once("Your task is to:").map(|(_, rest)| rest.lines().next().unwrap_or_default());
    let instruction = || {
        let (_, rest) = first.split_once("Instruction:")?;
        rest.lines().map(str::trim).find(|line| !line.is_empty())
    };
    let question = || first.lines().find_map(|line| QUESTIONS.iter().find_map(|word| labelled(line, word)));
    Some(said.or_else(instruction).or_else(question)?.trim().trim_end_matches('.').to_owned())
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
    if let Some(rest) = labelled(first, "Observation").or_else(|| numbered(first, "Obs")) {
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

    /// As ReAct's prompts for HotpotQA have them, and as its followers write them without numbers.
    #[test]
    fn thoughts_before_actions_are_thoughts_with_numbers_or_without() {
        let log = "Question: What is the capital of the country of Mt Fuji?\nThought 1: I need to search\nMt Fuji.\n\nAction 1: Search[Mount Fuji]\nObservation 1: It is in Japan.\n> it is high\nThought 2: Japan, then\nAction 2: Finish[Tokyo]\n";
        let plain = log.replace(" 1:", ":").replace(" 2:", ":");
        for text in [log, &plain] {
            let read = super::read(text, "q").unwrap();
            let steps: Vec<_> =
                read.steps.iter().map(|s| (s.thought.as_deref(), s.action.as_str(), s.observed())).collect();
            assert_eq!(
                steps,
                [
                    (Some("I need to search\nMt Fuji."), "Search[Mount Fuji]", "It is in Japan.\n> it is high"),
                    (Some("Japan, then"), "Finish[Tokyo]", "")
                ]
            );
            assert_eq!(read.task, "What is the capital of the country of Mt Fuji?");
            let first = Some("Question: What is the capital of the country of Mt Fuji?");
            assert_eq!(read.initial_observation.as_deref(), first);
            let two = super::read_all(&format!("{text}\n{text}"));
            assert_eq!(two.len(), 2, "{two:?}");
            assert!(two.iter().all(|one| one.as_ref().unwrap().steps == read.steps), "{two:?}");
            let closing = super::read(&format!("{text}Observation: ok\nThought: so it is\nTokyo\n"), "q").unwrap();
            assert_eq!(closing.rest["closing_thought"], "so it is\nTokyo");
            assert_eq!(closing.steps[1].observed(), "ok");
        }
    }

    /// In the layout that Reflexion's programs write (`webshop_trial.py`, `alfworld_trial.py`): each episode after its whole prompt.
    #[test]
    fn the_prompt_of_a_reflexion_log_is_none_of_its_episodes() {
        let shop = "\n#####\n\nEnvironment #0:\nWebshop \nInstruction:  \na deodorant \n[Search]  \n\nAction: search[deodorant]\nObservation: \n[B01]\n\nAction: click[Buy Now]\n\nYour memory for the task below:\nTrial 0:\nIn this trial I failed.\nHere is the task:\n\nWebShop \nInstruction:  \ni need a lamp \n[Search] \n> reset\n\nWebShop \nInstruction:  \ni need a lamp \n[Search] \n> think[a lamp]\nOK.\n> search[lamp]\n[B02]\n> click[Buy Now]\nYour score (min 0.0, max 1.0): 0.5\n\nSTATUS: FAIL\n\n#####\n\n#####\n\nEnvironment #1: Success\n\n#####\n";
        let read = super::read_all(shop);
        assert_eq!(read.len(), 1, "{read:?}");
        let first = read[0].as_ref().unwrap();
        let actions: Vec<&str> = first.steps.iter().map(|step| step.action.as_str()).collect();
        assert_eq!((actions.as_slice(), first.score), (&["search[lamp]", "click[Buy Now]"][..], 0.5));
        let page = "\nWebShop \nInstruction:  \ni need a lamp \n[Search]";
        assert_eq!((first.task.as_str(), first.initial_observation.as_deref()), ("i need a lamp", Some(page)));
        let example =
            "You are in the middle of a room.\nYour task is to: put a pen in desk.\n> go to desk 1\nNothing.\n";
        let house = format!(
            "#####\n\nEnvironment #3:\nInteract. Here are two examples.\n{example}{example}\nHere is the task:\n{example}> take pen 1 from desk 1\nTaken.\n\nSTATUS: OK\n\n#####\n"
        );
        let read = super::read_all(&house);
        assert_eq!(read.len(), 1, "{read:?}");
        let first = read[0].as_ref().unwrap();
        assert_eq!((first.steps.len(), first.success), (2, Some(true)));
    }

    #[test]
    fn a_page_whose_line_begins_with_a_mark_is_no_action() {
        let shop =
            "page\n\nAction: search[mug]\nObservation: \n> our best mug\n[B01]\n\nAction: click[B01]\nObservation: x\n";
        let read = super::read(shop, "x").unwrap();
        assert_eq!(read.steps[0].observation.as_deref(), Some("\n> our best mug\n[B01]"));
        assert_eq!(read.steps.len(), 2);
    }

    #[test]
    fn many_episodes_of_one_file_are_told_apart() {
        let run = "#####\n\nEnvironment #0:\nYou are in the middle of a room.\nYour task is to: put a mug in desk.\n> go to desk 1\nOn the desk 1, you see nothing.\n\nSTATUS: OK\n\n#####\n\n#####\n\nEnvironment #1:\nYou are in the middle of a room.\nYour task is to: cool a pan.\n> think: hm\nOK.\n\nSTATUS: FAIL\n#####\n-----\ntotal: 2\n";
        let read = super::read_all(run);
        assert_eq!(read.len(), 2, "{read:?}");
        let first = read[0].as_ref().unwrap();
        assert_eq!((first.task.as_str(), first.success), ("put a mug in desk", Some(true)));
        assert!(read[1].as_ref().unwrap_err().to_string().contains("thoughts alone"));
        let shop = "Action: reset\nObservation: \nWebshop \nInstruction:  \ni need a mug \n[Search] \n\nAction: search[mug]\nObservation: x\n\nAction: click[Buy Now]\nObservation: \nYour score (min 0.0, max 1.0): 0.5\nAction: reset\nObservation: \nWebshop\n\nAction: search[pan]\nObservation: y\n";
        let read = super::read_all(shop);
        assert_eq!(read.len(), 2, "{read:?}");
        let first = read[0].as_ref().unwrap();
        assert_eq!(
            (first.task.as_str(), first.score, first.success, first.steps.len()),
            ("i need a mug", 0.5, Some(false), 2)
        );
        let notebook = super::read_all("You are in a room.\nAct 1: go to desk 1\nObs 1: nothing\n");
        let first = notebook[0].as_ref().unwrap();
        assert_eq!(first.steps[0].observation.as_deref(), Some("nothing"));
        assert!(super::read_all("")[0].is_err());
    }
}
