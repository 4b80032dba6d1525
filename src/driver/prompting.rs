//! Prompts: what of the episode and of the demonstrations a model is shown.
//!
//! The trajectory so far is a program; the model is asked for its next line. Demonstrations of the same kind of task come first;
//! those that do not fit the budget are left out, and how many is said. The texts are templates (`prompts/`).

use std::sync::Arc;

use serde::Serialize;

use crate::episode::{Choice, PromptRecord, Session};
use crate::method::Method;
use crate::program::render_program;
use crate::prompt::Prompts;
use crate::world;

/// A demonstration as a program.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Demonstration {
    /// The world's kind of task.
    pub kind: String,
    /// The goal.
    pub sentence: String,
    /// The program, with its `def` line.
    pub program: String,
}

impl Demonstration {
    /// A recorded episode as a program.
    pub fn of(recorded: &world::demonstration::Demonstration) -> Self {
        let header = &recorded.header;
        let program = render_program(&header.function, &header.comment, &header.setup, recorded.calls());
        Demonstration { kind: recorded.task_type.clone(), sentence: recorded.sentence.clone(), program }
    }
}

/// Prompts and what goes into them.
#[derive(Debug, Clone)]
pub struct Prompting {
    /// The templates.
    pub prompts: Prompts,
    /// The demonstrations there are.
    pub demonstrations: Arc<Vec<Demonstration>>,
    /// At most this many are shown.
    pub shots: usize,
    /// Characters of demonstrations at most.
    pub budget: usize,
    /// Whether the model completes raw text rather than chats.
    pub raw: bool,
}

impl Default for Prompting {
    fn default() -> Self {
        Prompting { prompts: Prompts::default(), demonstrations: Arc::default(), shots: 3, budget: 24_000, raw: false }
    }
}

/// A rejection as the model is told it.
#[derive(Debug, Serialize)]
struct Rejection {
    line: String,
    reason: String,
}

#[derive(Serialize)]
struct Context<'a> {
    specification: &'a str,
    demonstrations: Vec<&'a Demonstration>,
    trajectory: String,
    task: &'a str,
    rejections: Vec<Rejection>,
}

/// The trajectory to the cursor as a program.
pub fn trajectory(session: &Session) -> String {
    let mut lines = session.header.opening.iter();
    let mut program = String::new();
    if let Some(def) = lines.next() {
        program.push_str(def);
        program.push('\n');
    }
    let calls = session.path(session.cursor()).into_iter().flat_map(|n| n.outcome.calls.iter());
    for line in lines.chain(calls) {
        program.push_str("    ");
        program.push_str(line.trim_start());
        program.push('\n');
    }
    program
}

impl Prompting {
    /// The prompt for the next action, and what was left out of it, in words.
    pub(super) fn next_action(
        &self,
        method: &dyn Method,
        session: &Session,
        kind: &str,
    ) -> Result<(PromptRecord, Option<String>), String> {
        let (demonstrations, left_out) = self.choose(kind);
        let context = Context {
            specification: &session.header.specification,
            demonstrations,
            trajectory: trajectory(session),
            task: &session.header.sentence,
            rejections: rejections(session),
        };
        let role = if self.raw { "next_action" } else { "next_action_chat" };
        let name = format!("{}/{role}", method.prompts());
        Ok((self.render(&name, &context)?, left_out))
    }

    /// Renders a template to what is sent and recorded.
    pub(super) fn render<C: Serialize>(&self, name: &str, context: &C) -> Result<PromptRecord, String> {
        let rendered = self.prompts.render(name, context).map_err(|e| e.to_string())?;
        let (template, template_hash) = (rendered.template, rendered.hash);
        Ok(PromptRecord { template, template_hash, messages: rendered.messages })
    }

    /// Demonstrations of the same kind first, as many as the budget holds.
    fn choose(&self, kind: &str) -> (Vec<&Demonstration>, Option<String>) {
        let (same, other): (Vec<_>, Vec<_>) = self.demonstrations.iter().partition(|d| d.kind == kind);
        let wanted: Vec<&Demonstration> = same.into_iter().chain(other).take(self.shots).collect();
        let mut room = self.budget;
        let mut chosen = Vec::new();
        for demonstration in &wanted {
            let length = demonstration.program.chars().count();
            if length <= room {
                room -= length;
                chosen.push(*demonstration);
            }
        }
        let missing = wanted.len() - chosen.len();
        let note = (missing > 0).then(|| {
            format!(
                "{missing} of {} demonstrations left out of the prompt (budget {} characters)",
                wanted.len(),
                self.budget
            )
        });
        // The most alike stands last, next to the question.
        chosen.reverse();
        (chosen, note)
    }
}

/// The person's rejections at the cursor.
fn rejections(session: &Session) -> Vec<Rejection> {
    let Some(turn) = session.current().map(|n| &n.turn) else { return Vec::new() };
    let rejected = turn.decisions.iter().filter_map(|d| match &d.choice {
        Choice::Reject { proposal, reason } => {
            let proposal = turn.proposal(*proposal)?;
            let action = proposal.action.as_ref();
            let line = action.and_then(|a| a.call.clone()).unwrap_or_else(|| proposal.raw.trim().to_owned());
            Some(Rejection { line, reason: reason.clone() })
        }
        _ => None,
    });
    rejected.collect()
}
