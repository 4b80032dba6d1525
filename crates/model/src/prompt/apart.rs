//! Rendering apart: templates of a person's own, rendered by this program again as a confined process.
//!
//! A template can double a text in many ways (`~`, captured blocks, macros, lists in lists), and an engine without a bound on memory
//! would take all there is. The process has one, of memory and of processor time; what it takes beyond them ends it and is an error
//! here. Templates that ship are rendered in this process: they are known, and an ask then costs no process.

use std::io::{Read, Write};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::OnceLock;

use serde::{Deserialize, Serialize};
use serde_json::Value;
use stepwright_confine::{Bounds, Layers};

use super::{PromptError, Prompts, Rendered, render};
use stepwright_episode::PromptMessage;

/// The subcommand that makes the program render.
pub const WORKER: &str = "template-worker";

const BOUNDS: Bounds = Bounds { memory: 256 << 20, seconds: 5 };

/// The program that is started to render; none where templates are rendered in this process, as in tests of the library.
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// Has templates of a person's own rendered by this program again from here on. To be called by the program that has the subcommand
/// [`WORKER`].
pub fn use_this_program() {
    let itself = PathBuf::from("/proc/self/exe");
    let program = if itself.exists() { Ok(itself) } else { std::env::current_exe() };
    if let Ok(program) = program {
        let _ = PROGRAM.set(program);
    }
}

#[derive(Serialize, Deserialize)]
struct Order {
    name: String,
    templates: Vec<(String, String)>,
    context: Value,
}

#[derive(Serialize, Deserialize)]
enum Answer {
    Rendered { messages: Vec<PromptMessage>, hash: String },
    Wrong { why: String },
}

/// Renders a template apart, if any of the templates is a person's own and a program for it is known.
pub(super) fn render<C: Serialize>(
    prompts: &Prompts,
    name: &str,
    context: &C,
) -> Option<Result<Rendered, PromptError>> {
    let program = PROGRAM.get()?;
    let templates = match prompts.own() {
        Ok(templates) if templates.is_empty() => return None,
        Ok(templates) => templates,
        Err(error) => return Some(Err(error)),
    };
    let source_name = match prompts.find(name) {
        Ok(Some(source)) => source.shown_as,
        Ok(None) => return Some(Err(prompts.unknown(name))),
        Err(error) => return Some(Err(error)),
    };
    let rendered =
        order(name, templates, context).and_then(|order| run(program, &order)).and_then(|answer| match answer {
            Answer::Rendered { messages, hash } => Ok(Rendered { messages, template: name.to_owned(), hash }),
            Answer::Wrong { why } => Err(why),
        });
    Some(rendered.map_err(|why| PromptError::Template { source_name, why }))
}

fn order<C: Serialize>(name: &str, templates: Vec<(String, String)>, context: &C) -> Result<Vec<u8>, String> {
    let context = serde_json::to_value(context).map_err(|e| format!("its context cannot be written as JSON: {e}"))?;
    serde_json::to_vec(&Order { name: name.to_owned(), templates, context }).map_err(|e| e.to_string())
}

/// Starts the process, gives it the order and waits for its answer; its processor time is bounded.
fn run(program: &PathBuf, order: &[u8]) -> Result<Answer, String> {
    let failed = |error: std::io::Error| format!("the process that renders it cannot be used: {error}");
    let mut command = Command::new(program);
    command.arg(WORKER).env_clear().current_dir("/").stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::null());
    let mut child = command.spawn().map_err(failed)?;
    let given = child.stdin.take().map_or(Ok(()), |mut stdin| stdin.write_all(order));
    let output = child.wait_with_output().map_err(failed)?;
    if output.status.success() {
        given.map_err(failed)?;
        return serde_json::from_slice(&output.stdout).map_err(|e| format!("the process that renders it said: {e}"));
    }
    Err(format!(
        "it takes more than {} MiB of memory or {} s of processor time ({}); look for a text that doubles",
        BOUNDS.memory >> 20,
        BOUNDS.seconds,
        output.status
    ))
}

/// Renders what standard input orders, confined; whether that could be done.
pub fn work() -> bool {
    stepwright_confine::begin(BOUNDS, Layers::ALL).seal();
    let mut order = Vec::new();
    if std::io::stdin().read_to_end(&mut order).is_err() {
        return false;
    }
    let Ok(Order { name, templates, context }) = serde_json::from_slice(&order) else { return false };
    let answer = match render::render(&Prompts::default().with_templates(templates), &name, &context) {
        Ok(Rendered { messages, hash, .. }) => Answer::Rendered { messages, hash },
        Err(PromptError::Template { why, .. }) => Answer::Wrong { why },
        Err(error) => Answer::Wrong { why: error.to_string() },
    };
    serde_json::to_vec(&answer).is_ok_and(|answer| std::io::stdout().write_all(&answer).is_ok())
}
