//! ReAct's transcripts (Yao et al. 2023, "ReAct"): lines that think or act, read as published; observations as the prompts show them;
//! example files; and logged episodes written as transcripts.
//!
//! Two forms are published: `> go to desk 1` with what is observed below (the household), and `Action: …` with `Observation: …` (the
//! shop). [`crate::log`] reads whole transcripts back.

use std::fmt::Write as _;

use crate::record::{LogError, Trajectory};

/// The answer to a thought.
pub const OK: &str = "OK.";

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Form {
    /// `> action`, the observation below, thoughts as `think: …`.
    #[default]
    Prompt,
    /// `Action: action`, `Observation: …` below, thoughts as `think[…]`.
    Action,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Line {
    /// A thought, as it is written into the transcript.
    Think(String),
    Act(String),
    Nothing,
}

impl Line {
    /// The text that goes into the transcript; `None` for nothing.
    pub fn text(&self) -> Option<&str> {
        match self {
            Line::Think(text) | Line::Act(text) => Some(text),
            Line::Nothing => None,
        }
    }
}

/// Whether a transcript's action is a thought: it begins with the word `think` and a mark behind it.
pub fn is_thought(text: &str) -> bool {
    text.strip_prefix("think").is_some_and(|rest| rest.starts_with([':', '[']))
}

pub fn words_of(thought: &str) -> &str {
    let rest = thought.strip_prefix("think").unwrap_or(thought);
    match rest.strip_prefix('[') {
        Some(inside) => inside.strip_suffix(']').unwrap_or(inside).trim(),
        None => rest.trim_start_matches(':').trim(),
    }
}

/// Reads what a model wrote: its first line that is neither blank nor a fence, without the mark that the transcript puts before it. What
/// a model writes beyond that line (the observation it expects, further actions) does not count.
pub fn read(written: &str) -> Line {
    let mut lines = written.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with("```"));
    let Some(line) = lines.next() else { return Line::Nothing };
    let line = line.trim_matches('`');
    let text = line.strip_prefix('>').or_else(|| line.strip_prefix("Action:")).unwrap_or(line).trim();
    match text {
        "" => Line::Nothing,
        text if is_thought(text) => Line::Think(text.to_owned()),
        text => Line::Act(text.to_owned()),
    }
}

/// The line as it was written: all before the first line end, without blanks at the front. It may be empty.
pub fn verbatim(written: &str) -> &str {
    written.split('\n').next().unwrap_or_default().trim_start_matches(' ')
}

/// An observation as prompts show it: without the place's number that one game's arrivals begin with (`You arrive at loc 7. `).
pub fn seen(observation: &str) -> &str {
    match observation.strip_prefix("You arrive at loc ").and_then(|rest| rest.split_once(". ")) {
        Some((number, rest)) if number.chars().all(|c| c.is_ascii_digit()) => rest,
        _ => observation,
    }
}

/// The first observation as prompts show it: without a banner before the first blank line, the other paragraphs as lines.
pub fn first(observation: &str) -> String {
    match observation.split_once("\n\n") {
        Some((banner, rest)) if banner.starts_with("-=") => rest.replace("\n\n", "\n"),
        _ => observation.to_owned(),
    }
}

impl Form {
    pub fn of(text: &str) -> Self {
        if text.lines().any(|line| line.starts_with("Action:")) { Form::Action } else { Form::Prompt }
    }

    /// Whether a line is answered as a thought, by how it begins: as the programs of the publications tell.
    pub fn is_thought(self, line: &str) -> bool {
        line.starts_with(match self {
            Form::Prompt => "think:",
            Form::Action => "think",
        })
    }

    pub fn think(self, words: &str) -> String {
        match self {
            Form::Prompt => format!("think: {words}"),
            Form::Action => format!("think[{words}]"),
        }
    }

    /// An action with what was observed, ended so that the next one can follow.
    pub fn step(self, action: &str, observation: &str) -> String {
        match self {
            Form::Prompt => format!("> {action}\n{observation}\n"),
            Form::Action => format!("Action: {action}\nObservation: {observation}\n\n"),
        }
    }

    /// The first observation, ended so that an action can follow.
    pub fn opening(self, observation: &str) -> String {
        match self {
            Form::Prompt => format!("{}\n", observation.trim_end()),
            Form::Action => format!("{}\n\n", observation.trim_matches('\n')),
        }
    }

    /// The end of a raw prompt, for the model to go on.
    pub fn cue(self) -> &'static str {
        match self {
            Form::Prompt => ">",
            Form::Action => "Action:",
        }
    }

    /// A logged episode as a transcript. A thought is an action of its own, answered by [`OK`]; what was not recorded is left empty.
    pub fn transcript(self, logged: &Trajectory) -> String {
        let mut out = logged.initial_observation.as_deref().map(|first| self.opening(first)).unwrap_or_default();
        for step in &logged.steps {
            if let Some(thought) = &step.thought {
                out.push_str(&self.step(&self.think(thought), OK));
            }
            out.push_str(&self.step(&step.action, &step.heard()));
        }
        if let Some(closing) = logged.rest.get("closing_thought").and_then(|value| value.as_str()) {
            out.push_str(&self.step(&self.think(closing), OK));
        }
        out
    }
}

/// Examples for prompts, as a file holds them: what the domain is about, then transcripts.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Examples {
    /// The description of the domain, for the head of the prompt.
    pub about: String,
    pub form: Form,
    pub all: Vec<Example>,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Example {
    /// The world's own kind of task; empty for any.
    pub kind: String,
    /// The task it is of, which it must not be shown for; empty for one of no task at hand.
    pub task: String,
    pub text: String,
}

impl Examples {
    /// Reads a file: lines that begin with `#` are remarks, what stands before the first head is what the domain is about, and each
    /// `== KIND` or `== KIND of TASK` heads a transcript (`*` is any kind).
    /// Errors: a head without a kind, or a transcript without an action, with its line.
    pub fn read(text: &str) -> Result<Self, LogError> {
        let mut examples = Examples { form: Form::of(text), ..Examples::default() };
        let mut heads: Vec<usize> = Vec::new();
        for (number, line) in (1..).zip(text.lines()).filter(|(_, line)| !line.starts_with('#')) {
            if let Some(head) = line.strip_prefix("==") {
                let (kind, task) = head.split_once(" of ").unwrap_or((head, ""));
                let (kind, task) = (kind.trim(), task.trim());
                if kind.is_empty() {
                    let message = "a head is `== KIND` or `== KIND of TASK`, where * is any kind".to_owned();
                    return Err(LogError { line: number, message });
                }
                let kind = if kind == "*" { "" } else { kind };
                examples.all.push(Example { kind: kind.to_owned(), task: task.to_owned(), text: String::new() });
                heads.push(number);
                continue;
            }
            let place = examples.all.last_mut().map_or(&mut examples.about, |example| &mut example.text);
            // Writing to a String cannot fail.
            let _ = writeln!(place, "{line}");
        }
        examples.about = examples.about.trim().to_owned();
        for (example, line) in examples.all.iter_mut().zip(heads) {
            example.text = format!("{}\n", example.text.trim_matches('\n'));
            if crate::log::read(&example.text, "").is_err() {
                let message = format!("no action below this head; write `{} …`", examples.form.cue());
                return Err(LogError { line, message });
            }
        }
        Ok(examples)
    }

    /// At most so many for a task: those of its kind first, then the others, in the file's order; never one of the task itself.
    pub fn choose(&self, kind: &str, task: &str, most: usize) -> Vec<&Example> {
        let mut chosen: Vec<&Example> =
            self.all.iter().filter(|example| example.task.is_empty() || example.task != task).collect();
        chosen.sort_by_key(|example| example.kind != kind);
        chosen.truncate(most);
        chosen
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Step;

    #[test]
    fn lines_are_read_as_published() {
        let think = |text: &str| Line::Think(text.to_owned());
        let act = |text: &str| Line::Act(text.to_owned());
        for (written, line) in [
            (" go to desk 1\n", act("go to desk 1")),
            ("> think: a mug. Next\nOK.\n> go to desk 1", think("think: a mug. Next")),
            ("think[For 3 oz, it has [blue].]", think("think[For 3 oz, it has [blue].]")),
            ("Action: click[Buy Now]", act("click[Buy Now]")),
            ("```\n> look\n```", act("look")),
            ("thinking about it", act("thinking about it")),
            (" \n>\n", Line::Nothing),
            ("", Line::Nothing),
        ] {
            assert_eq!(read(written), line, "{written:?}");
        }
        for (written, line) in [(" > look \nOK.", "> look "), ("\nlook", ""), ("\tlook", "\tlook")] {
            assert_eq!(verbatim(written), line, "{written:?}");
        }
        assert_eq!(words_of("think: a mug"), "a mug");
        assert_eq!(words_of("think[a [b] c]"), "a [b] c");
        assert_eq!(words_of("think[cut off"), "cut off");
    }

    #[test]
    fn observations_are_shown_as_published() {
        assert_eq!(seen("You arrive at loc 12. On the desk 1, you see a pen 1."), "On the desk 1, you see a pen 1.");
        assert_eq!(seen("You arrive at desk 1. It is."), "You arrive at desk 1. It is.");
        assert_eq!(first("-= Hello =-\n\nA room.\n\nYour task is to: x."), "A room.\nYour task is to: x.");
        assert_eq!(first("A room.\n\nMore."), "A room.\n\nMore.");
    }

    #[test]
    fn a_logged_episode_survives_its_transcript() {
        let step = |thought: Option<&str>, action: &str, observation: &str| Step {
            thought: thought.map(str::to_owned),
            action: action.to_owned(),
            observation: Some(observation.to_owned()),
            ..Step::default()
        };
        let steps = vec![step(Some("a pen"), "go to desk 1", "On it, a pen 1."), step(None, "take it", "Taken.")];
        let initial_observation = Some("A room.".to_owned());
        let logged = Trajectory { id: "x".to_owned(), initial_observation, steps, ..Trajectory::default() };
        for form in [Form::Prompt, Form::Action] {
            let text = form.transcript(&logged);
            assert_eq!(Form::of(&text), form);
            assert_eq!(crate::log::read(&text, "x").unwrap(), logged, "{text}");
        }
    }

    #[test]
    fn example_files_name_what_is_wrong() {
        let file = "# ours\nAct.\n\n== pick of t1\nA room.\n> look\nNothing.\n== *\nB.\n> go\nGone.\n";
        let examples = Examples::read(file).unwrap();
        assert_eq!((examples.about.as_str(), examples.form), ("Act.", Form::Prompt));
        assert_eq!(examples.all[0].text, "A room.\n> look\nNothing.\n");
        let chosen =
            |kind, task| examples.choose(kind, task, 2).iter().map(|e| e.text[..1].to_owned()).collect::<String>();
        assert_eq!(
            (chosen("pick", "t2"), chosen("", "t2"), chosen("pick", "t1")),
            ("AB".into(), "BA".into(), "B".into())
        );
        assert_eq!(Examples::read("a\n==\n").unwrap_err().line, 2);
        assert_eq!(Examples::read("a\n== *\nnothing\n").unwrap_err().line, 2);
    }
}
