//! The parts of a prompt for a line: the world's examples, the transcript so far, the refused lines, and the knowledge from before.

use serde::Serialize;
use stepwright_trajectory::react::{Examples, Form, OK, first, seen};

use stepwright_episode::{Node, PromptRecord};
use stepwright_method::Context;
use stepwright_method::prompting::Rejection;
use stepwright_method::think::thoughts;
use stepwright_text::words::stripped;
use stepwright_world::demonstration::Demonstration;

stepwright_world::option_specs! {
    pub(crate) EXAMPLES: "examples", "ReAct examples", "worked transcripts in a prompt", (whole 0 to 10) or "2";
    /// How much of a prompt is shown.
    pub(crate) CHARACTERS: "characters", "Characters", "characters of examples and transcript", [
        "all" = "all that a model takes", "6400" = "6,400, the transcript's end kept"
    ] or "all";
}

/// The purpose of an ask for a line.
pub(crate) const ACT: &str = "act";
/// The file of a world's examples.
const FILE: &str = "react.txt";
/// Tokens that a model is taken to take where it does not say: those of the model that ReAct-long was run with.
const CONTEXT: usize = 16_000;
/// Tokens kept free for the line and the frame.
const ROOM: usize = 400;
/// Admissible actions that are listed where there is no example to show how actions are written.
const LISTED: usize = 40;

/// The parts of a prompt beside transcript and examples.
#[derive(Debug, Clone, Default)]
pub(crate) struct Notes {
    /// The notes after earlier attempts at the task, as they were written.
    pub(crate) reflections: Vec<String>,
}

#[derive(Serialize)]
pub(crate) struct Material {
    about: String,
    examples: Vec<String>,
    actions: Vec<String>,
    reflections: Vec<String>,
    /// The same with blanks at their ends, as they were written.
    written: Vec<String>,
    /// The episode as one text, and in its parts: the first observation, then each line with what was observed.
    transcript: String,
    first: String,
    steps: Vec<Taken>,
    cue: &'static str,
    thought: String,
    refused: Vec<Rejection>,
    #[serde(skip)]
    left_out: Option<String>,
}

#[derive(Serialize)]
pub(crate) struct Taken {
    action: String,
    observation: String,
}

/// A template filled in, in the form for the model in use.
pub(crate) fn render(cx: &Context<'_>, template: &str, material: &Material) -> Result<PromptRecord, String> {
    let mut prompt = cx.render(ACT, template, material)?;
    prompt.left_out.clone_from(&material.left_out);
    Ok(prompt)
}

/// How transcripts of the world are written: as its examples are, else as its actions look.
pub(crate) fn examples_of(cx: &Context<'_>) -> Result<Examples, String> {
    let Some(file) = cx.world.kind().file(FILE) else { return Ok(Examples::default()) };
    Examples::read(file.text).map_err(|e| format!("{}, {e}", file.path))
}

pub(crate) fn form_of(cx: &Context<'_>) -> Form {
    cx.world.kind().file(FILE).map_or_else(Form::default, |file| Form::of(file.text))
}

/// The parts of the prompt for the next line; `long`: with as many episodes as the model takes.
pub(crate) fn material(cx: &Context<'_>, long: bool, notes: &Notes) -> Result<Material, String> {
    let examples = examples_of(cx)?;
    let form = examples.form;
    let (kind, task) = (cx.knowledge.kind.as_str(), cx.session.header.task.as_str());
    let most = if long { usize::MAX } else { cx.options().count(&EXAMPLES) as usize };
    let mut shown: Vec<String> = examples.choose(kind, task, most).iter().map(|example| example.text.clone()).collect();
    let mut logged: Vec<&Demonstration> = cx.knowledge.demonstrations.iter().filter(|_| long).collect();
    logged.sort_by_key(|demonstration| demonstration.task_type != kind);
    shown.extend(logged.into_iter().filter_map(|demonstration| transcript_of(form, demonstration)));
    let path = cx.path();
    let (first, mut taken) = taken(cx, &path);
    let steps: Vec<String> = taken.iter().map(|step| form.step(&step.action, &step.observation)).collect();
    let opening = form.opening(&first);
    let fixed = examples.about.len() + opening.len() + characters(&notes.reflections);
    let room = Room::of(cx, long);
    let (kept, oldest) = room.fit(fixed, &shown, &steps);
    let of = shown.len();
    shown.truncate(kept);
    let mut transcript = opening;
    if oldest > 0 {
        transcript.push_str(&format!("(the first {oldest} steps are left out)\n"));
    }
    transcript.extend(steps.into_iter().skip(oldest));
    let cut = cx.options().count(&CHARACTERS) as usize;
    let room = cut.saturating_sub(examples.about.chars().count() + characters(&shown)).max(1);
    let before = if cut == 0 { 0 } else { transcript.chars().count().saturating_sub(room) };
    transcript = transcript.chars().skip(before).collect();
    let left_out = words(of - kept, of, oldest, before);
    taken.drain(..oldest);
    let actions = if shown.is_empty() { cx.world.admissible().unwrap_or_default() } else { Vec::new() };
    Ok(Material {
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about },
        examples: shown,
        actions: actions.into_iter().take(LISTED).collect(),
        reflections: notes.reflections.iter().map(|note| stripped(note).to_owned()).collect(),
        written: notes.reflections.clone(),
        transcript,
        first,
        steps: taken,
        cue: form.cue(),
        thought: form.think("…"),
        refused: Rejection::all(cx.node(), |proposal| Some(proposal.action.as_ref()?.text.clone())),
        left_out,
    })
}

pub(crate) fn transcript(cx: &Context<'_>, form: Form, path: &[&Node]) -> String {
    let (first, steps) = taken(cx, path);
    steps.iter().fold(form.opening(&first), |all, step| all + &form.step(&step.action, &step.observation))
}

/// The first observation, and the lines that followed with their observations.
pub(crate) fn taken(cx: &Context<'_>, path: &[&Node]) -> (String, Vec<Taken>) {
    let first = path.first().map(|reset| beginning(cx, reset)).unwrap_or_default();
    (first, path.iter().skip(1).filter_map(|node| step(node)).collect())
}

/// The first observation, with the goal where it does not hold it.
pub(crate) fn beginning(cx: &Context<'_>, reset: &Node) -> String {
    let (seen, goal) = (first(&reset.outcome.observation), cx.session.header.sentence.trim());
    if goal.is_empty() || seen.to_lowercase().contains(&goal.trim_end_matches('.').to_lowercase()) {
        return seen;
    }
    format!("{}\nYour task is to: {goal}", seen.trim_end())
}

fn step(node: &Node) -> Option<Taken> {
    let (action, observation) = (node.action.as_ref()?.text.clone(), seen(&node.outcome.observation).to_owned());
    Some(Taken { action, observation })
}

/// A recorded episode with its thoughts; `None` where its file holds calls alone.
pub(crate) fn transcript_of(form: Form, recorded: &Demonstration) -> Option<String> {
    let reset = recorded.steps.first()?;
    let mut text = form.opening(&first(reset.observed()));
    if !recorded.steps.iter().any(|step| !step.action.is_empty()) {
        return None;
    }
    for (step, thought) in recorded.steps.iter().zip(thoughts(recorded)).skip(1) {
        text.extend(thought.map(|thought| form.step(&form.think(&thought), OK)));
        text.push_str(&form.step(&step.action, seen(step.observed())));
    }
    Some(text)
}

fn characters(texts: &[String]) -> usize {
    texts.iter().map(|text| text.chars().count() + 1).sum()
}

struct Room<'a> {
    cx: &'a Context<'a>,
    /// Tokens; `None` where all is shown.
    tokens: Option<usize>,
}

impl<'a> Room<'a> {
    fn of(cx: &'a Context<'a>, long: bool) -> Self {
        let known = cx.prompting.context.or(long.then_some(CONTEXT));
        Room { cx, tokens: known.map(|tokens| tokens.saturating_sub(ROOM)) }
    }

    /// How many of the examples stay, and how many of the oldest steps are left out.
    fn fit(&self, fixed: usize, examples: &[String], steps: &[String]) -> (usize, usize) {
        let Some(tokens) = self.tokens else { return (examples.len(), 0) };
        let fits = |chars: usize| self.cx.prompting.meter.tokens(chars) <= tokens;
        let mut chars = fixed + characters(steps);
        let (mut oldest, mut kept) = (0, 0);
        while !fits(chars) && oldest < steps.len() {
            chars -= steps.get(oldest).map_or(0, |step| step.chars().count() + 1);
            oldest += 1;
        }
        for example in examples {
            chars += example.chars().count() + 1;
            if !fits(chars) {
                break;
            }
            kept += 1;
        }
        (kept, oldest)
    }
}

fn words(examples: usize, of: usize, steps: usize, before: usize) -> Option<String> {
    let examples = (examples > 0).then(|| format!("{examples} of {of} episodes"));
    let steps = (steps > 0).then(|| format!("the {steps} oldest steps"));
    let before = (before > 0).then(|| format!("the first {before} characters of the transcript"));
    let out: Vec<String> = examples.into_iter().chain(steps).chain(before).collect();
    (!out.is_empty()).then(|| format!("left out of the prompt: {}", out.join(" and ")))
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_model::prompt::Prompts;

    /// The parts stand in the order of the publications: what it is about, examples, what was noted before, the episode, the question.
    #[test]
    fn prompts_have_the_parts_of_the_publications_in_their_order() {
        let texts = |all: &[&str]| all.iter().map(|text| (*text).to_owned()).collect::<Vec<_>>();
        let material = Material {
            about: "ABOUT".into(),
            examples: texts(&["EXAMPLE 1", "EXAMPLE 2"]),
            actions: Vec::new(),
            reflections: texts(&["NOTE 1", "NOTE 2"]),
            written: Vec::new(),
            transcript: "FIRST\n> look\nSEEN\n".into(),
            first: "FIRST".into(),
            steps: Vec::new(),
            cue: "> ",
            thought: "think: …".into(),
            refused: Vec::new(),
            left_out: None,
        };
        for name in ["react/act", "react/act_chat"] {
            let messages = Prompts::default().render(name, &material).unwrap().messages;
            let text: String = messages.iter().map(|message| message.text.as_str()).collect();
            let parts = ["ABOUT", "EXAMPLE 1", "EXAMPLE 2", "NOTE 1", "NOTE 2", "FIRST", "> look", "SEEN", ">"];
            let mut from = 0;
            for part in parts {
                let at = text[from..].find(part).unwrap_or_else(|| panic!("{name}: no {part} behind {from} in {text}"));
                from += at + part.len();
            }
            assert!(text.trim_end().ends_with('>'), "{name} asks for the next line: {text}");
        }
    }
}
