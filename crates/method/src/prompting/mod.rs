//! Prompts: the parts of the episode and of the demonstrations that a model is shown.
//!
//! The trajectory so far is a program; the model is asked for its next line. The texts are templates (`prompts/`). `program`
//! writes demonstrations and trajectories, `specification` the classes with the assertions in force, `budget` says what fits the
//! model's context.
//!
//! # Without a session
//! Everything here is callable without a driver or a session (the studies do so): make a [`SpecificationText`] from a
//! specification and the assertions to show, give the demonstrations and the [`Step`]s so far,
//! then [`Prompting::build`]; a completion is read by [`crate::reading`] (`written`, `closed`,
//! `read_line`). A session does the same through `Prompting::next_action`.

mod budget;
mod program;
mod specification;
#[cfg(test)]
mod tests;

use std::collections::BTreeSet;
use std::sync::Arc;

use serde::Serialize;

pub use budget::{CHARS_A_TOKEN, Meter};
pub use program::of_demonstration;
pub use specification::{SpecificationText, foreign_receivers, own_assertions};

use crate::options::{SHOTS, THINK};
use stepwright_episode::{Node, PromptRecord, Proposal, Session};
use stepwright_model::prompt::Prompts;
use stepwright_model::translator::Translator;
use stepwright_program::Call;
use stepwright_trajectory::{Step, program as writer};
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;

/// The folder of the templates for next actions.
const FOLDER: &str = "program";

/// Prompts and what goes into them.
#[derive(Debug, Clone, Default)]
pub struct Prompting {
    pub prompts: Prompts,
    pub demonstrations: Arc<Vec<Demonstration>>,
    /// How many are shown, think comments, whether the assertions are.
    pub options: Values,
    /// Whether the model completes raw text rather than chats.
    pub raw: bool,
    /// Whether a person chose that.
    pub chosen: bool,
    /// Tokens the model takes, prompt and completion together, where known.
    pub context: Option<usize>,
    /// Tokens a chat answer may have, where set; never less than a line needs.
    pub answer_tokens: u32,
    pub meter: Meter,
    /// The search for the nearest of many sentences: the session's embedder.
    pub translator: Translator,
}

#[derive(Debug, Clone, Copy)]
pub struct Material<'a> {
    pub specification: &'a SpecificationText,
    /// How the program so far opens: the `def` line, the comment and the lines that set the objects up.
    pub opening: &'a [String],
    pub steps: &'a [Step],
    pub task: &'a str,
    /// The world's kind of task: demonstrations of the same kind are preferred.
    pub kind: &'a str,
    pub rejections: &'a [Rejection],
    /// The object whose call means that the agent's turn is over (`user`), where there is one.
    pub turn_ends: Option<&'a str>,
}

/// What a person rejected at a step, as prompts name it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Rejection {
    pub line: String,
    pub reason: String,
}

impl Rejection {
    /// All of a node, in the words that a method has for a proposal; what it has none for is left out.
    pub fn all(node: Option<&Node>, line: impl Fn(&Proposal) -> Option<String>) -> Vec<Rejection> {
        let rejected = node.into_iter().flat_map(|node| node.turn.rejected());
        rejected.filter_map(|(what, why)| Some(Rejection { line: line(what)?, reason: why.to_owned() })).collect()
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Form {
    Chat,
    /// One text that the model continues: it ends with a part of the next line's indentation.
    Raw,
    /// The same, for candidates to be scored behind it: without think comments.
    Scored,
}

#[derive(Serialize)]
struct Context<'a> {
    specification: &'a str,
    actions: &'a [String],
    asserted: bool,
    demonstrations: Vec<Shown<'a>>,
    trajectory: &'a str,
    cue: &'a str,
    task: &'a str,
    rejections: &'a [Rejection],
    think: bool,
    turn_ends: Option<&'a str>,
    example: &'a str,
}

#[derive(Serialize)]
struct Shown<'a> {
    kind: &'a str,
    sentence: &'a str,
    program: &'a str,
}

/// The end of a raw prompt: three of the four spaces of the next line's indentation. The fourth belongs to the token of
/// the word that follows in nearly every vocabulary, so that only this ending leaves the tokens as they are in whole
/// programs. Behind a line break, or behind four spaces, SmolLM2-135M wrote an empty line in 36 of 36 cases; behind
/// three, an action in 32.
const CUE: &str = "   ";

/// The beginning of a candidate to be scored: the last blank of its indentation.
pub const LEAD: &str = " ";

impl Prompting {
    /// The prompt for the next action, from the folder of a method's templates. What had to be left out is listed in its
    /// `left_out`.
    pub fn build(&self, folder: &str, form: Form, material: &Material<'_>) -> Result<PromptRecord, String> {
        let name = match form {
            Form::Chat => format!("{folder}/next_action_chat"),
            Form::Raw | Form::Scored => format!("{folder}/next_action"),
        };
        let think = self.options.on(&THINK) && form != Form::Scored;
        let shown = self.choose(material.kind, material.task);
        let programs: Vec<String> = shown.iter().map(|d| program::of_demonstration(d, think)).collect();
        let example = shown.iter().find_map(|d| d.actions().next()).map(ToString::to_string).unwrap_or_default();
        let whole = writer::write(material.opening, material.steps, think, 0);
        let mut context = Context {
            specification: &material.specification.text,
            actions: &material.specification.actions,
            asserted: material.specification.asserted,
            demonstrations: Vec::new(),
            trajectory: &whole,
            cue: CUE,
            task: material.task,
            rejections: material.rejections,
            think,
            turn_ends: material.turn_ends,
            example: &example,
        };
        // The frame's length is known once it is rendered without what may be left out.
        let frame = self.render(&name, &context)?;
        let length: usize = frame.messages.iter().map(|m| m.text.chars().count()).sum();
        let line = |observation: &Call| observation.to_string().chars().count() + 5;
        let observations: Vec<usize> = material.steps.iter().flat_map(|s| s.calls.iter().map(line)).collect();
        let parts = budget::Parts {
            fixed: length.saturating_sub(observations.iter().sum()),
            demonstrations: programs.iter().map(|program| program.chars().count() + 2).collect(),
            observations,
        };
        let completion = match form {
            Form::Scored => 48,
            Form::Raw => completion_tokens(true, think),
            Form::Chat => completion_tokens(false, think).max(self.answer_tokens),
        };
        let completion = usize::try_from(completion).unwrap_or(usize::MAX);
        let fit = budget::fit(&parts, self.meter, self.context, completion);
        let trimmed = writer::write(material.opening, material.steps, think, fit.observations_out);
        context.trajectory = &trimmed;
        // The most alike is last, next to the question.
        context.demonstrations = shown
            .iter()
            .zip(&programs)
            .take(fit.demonstrations)
            .rev()
            .map(|(d, program)| Shown { kind: &d.task_type, sentence: &d.sentence, program })
            .collect();
        let mut prompt = self.render(&name, &context)?;
        prompt.left_out = budget::words(&fit, &parts, self.context);
        Ok(prompt)
    }

    pub fn next_action(
        &self,
        form: Form,
        session: &Session,
        specification: &SpecificationText,
        kind: &str,
        turn_ends: Option<&str>,
    ) -> Result<PromptRecord, String> {
        let material = Material {
            specification,
            opening: &session.header.opening,
            steps: &program::of_session(session, &specification.actions),
            task: &session.header.sentence,
            kind,
            rejections: &rejections(session),
            turn_ends,
        };
        self.build(FOLDER, form, &material)
    }

    /// Renders a template to what is sent and recorded.
    pub fn render<C: Serialize>(&self, name: &str, context: &C) -> Result<PromptRecord, String> {
        let rendered = self.prompts.render(name, context).map_err(|e| e.to_string())?;
        let (template, template_hash) = (rendered.template, rendered.hash);
        Ok(PromptRecord { template, template_hash, messages: rendered.messages, left_out: None, candidates: None })
    }

    /// As many demonstrations as are wanted, the most alike first: those of the same kind of task before others, then by the
    /// words that the goals have in common, then as they come.
    fn choose(&self, kind: &str, task: &str) -> Vec<&Demonstration> {
        let goal = words(task);
        let mut all: Vec<&Demonstration> = self.demonstrations.iter().collect();
        let common = |d: &Demonstration| {
            let of = words(&d.sentence);
            let both = of.intersection(&goal).count() as f64;
            both / of.union(&goal).count().max(1) as f64
        };
        // Ascending, and stable: what comes first stays first among equals.
        all.sort_by(|a, b| (b.task_type == kind).cmp(&(a.task_type == kind)).then(common(b).total_cmp(&common(a))));
        all.truncate(self.options.count(&SHOTS) as usize);
        all
    }
}

fn words(sentence: &str) -> BTreeSet<String> {
    let split = sentence.split(|c: char| !c.is_alphanumeric());
    split.filter(|w| !w.is_empty()).map(str::to_lowercase).collect()
}

/// Tokens a completion may have: a call of a few short names, before it a thought; a chat model may add a fence.
pub(super) fn completion_tokens(raw: bool, think: bool) -> u32 {
    match (raw, think) {
        (true, false) => 64,
        (true, true) => 160,
        (false, false) => 160,
        (false, true) => 320,
    }
}

fn rejections(session: &Session) -> Vec<Rejection> {
    Rejection::all(session.current(), |proposal| {
        let call = proposal.action.as_ref().and_then(|action| action.call.clone());
        Some(call.unwrap_or_else(|| proposal.raw.trim().to_owned()))
    })
}
