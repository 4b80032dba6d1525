//! Prompts of methods that answer requests with programs: a worked example of the domain, what is remembered, and the request.

use serde::Serialize;
use serde_json::Value;

use super::answered::{AnsweredRequest, objects, one_line, shown};
use super::games::{Game, games};
use super::policy::{CodePolicy, Form};
use super::worked::Worked;
use crate::belief;
use crate::prompting::Prompting;
use stepwright_episode::PromptRecord;
use stepwright_world::{CLOSING, HostFunction, NOTHING, Requests, UPDATING};

/// Games of three cups that a prompt shows, as in the paper.
const GAMES: usize = 30;

/// An answer that a person refused.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Refused {
    /// The program, its calls on one line.
    pub code: String,
    pub reason: String,
}

/// The parts of the prompt for a program.
#[derive(Clone)]
pub struct Asked<'a> {
    pub requests: &'a dyn Requests,
    pub query: &'a str,
    /// What the agent sees now; empty where a person makes the requests.
    pub seen: &'a str,
    pub first: Option<&'a Value>,
    pub belief: Option<&'a Value>,
    pub history: Vec<AnsweredRequest>,
    pub refused: Vec<Refused>,
}

#[derive(Serialize)]
struct Context<'a> {
    about: Vec<String>,
    functions: Vec<HostFunction>,
    stateful: bool,
    seen: Vec<&'a str>,
    worked: &'a Worked,
    games: Vec<Game>,
    objects: String,
    first: String,
    state: String,
    history: &'a [AnsweredRequest],
    refused: &'a [Refused],
    query: String,
}

pub(crate) fn program_prompt(
    prompting: &Prompting,
    policy: CodePolicy,
    asked: &Asked<'_>,
) -> Result<PromptRecord, String> {
    let worked = Worked::of(asked.requests, &prompting.demonstrations)?;
    let nothing = Value::Object(serde_json::Map::new());
    let context = Context {
        about: worked.about.clone(),
        functions: functions(asked.requests, policy.believes()),
        stateful: policy.believes(),
        seen: asked.seen.lines().filter(|line| !line.trim().is_empty()).collect(),
        worked: &worked,
        games: if policy.form == Form::Cups { games(GAMES) } else { Vec::new() },
        objects: objects(asked.first.unwrap_or(&nothing)),
        first: asked.first.map(shown).unwrap_or_default(),
        state: asked.belief.map(shown).unwrap_or_default(),
        history: &asked.history,
        refused: &asked.refused,
        query: one_line(asked.query),
    };
    condensed(prompting, policy.template, &context)
}

/// The prompt for the state after an update. Without requests there is no example: `about` says what the state is of.
pub(crate) fn state_prompt(
    prompting: &Prompting,
    example: Option<&dyn Requests>,
    about: &str,
    belief: &Value,
    update: &str,
) -> Result<PromptRecord, String> {
    let worked = example.map(|example| Worked::of(example, &[])).transpose()?.unwrap_or_default();
    let context = Context {
        about: if example.is_some() { worked.about.clone() } else { about.lines().map(str::to_owned).collect() },
        functions: Vec::new(),
        stateful: true,
        seen: Vec::new(),
        worked: &worked,
        games: Vec::new(),
        objects: objects(belief),
        first: String::new(),
        state: belief::write(belief),
        history: &[],
        refused: &[],
        query: one_line(update),
    };
    condensed(prompting, if example.is_some() { "statler/writer" } else { "statler/writer_auto" }, &context)
}

/// The functions that a program may call: one that keeps a state says what changed, another one that nothing is to be done.
fn functions(requests: &dyn Requests, stateful: bool) -> Vec<HostFunction> {
    let kept = |f: &HostFunction| {
        let is = |call: &str| call.strip_suffix("()") == Some(f.name.as_str());
        !is(CLOSING) && if stateful { !is(NOTHING) } else { f.name != UPDATING }
    };
    requests.functions().into_iter().filter(kept).collect()
}

/// Renders the template that suits the model. Blank lines and those that begin with `###` are notes to readers of the template.
fn condensed(prompting: &Prompting, template: &str, context: &Context<'_>) -> Result<PromptRecord, String> {
    let name = if prompting.raw { template.to_owned() } else { format!("{template}_chat") };
    let mut prompt = prompting.render(&name, context)?;
    for message in &mut prompt.messages {
        let kept = message.text.lines().filter(|line| !line.trim().is_empty() && !line.starts_with("###"));
        message.text = kept.collect::<Vec<_>>().join("\n");
        if message.role == "text" && !message.text.ends_with(['{', '[']) {
            message.text.push('\n');
        }
    }
    Ok(prompt)
}
