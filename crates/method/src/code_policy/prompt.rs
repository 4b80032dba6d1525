//! Prompts of policies as code: for a program, for functions rewritten by tips, for an answer to one of the functions a model answers.

use serde::Serialize;
use serde_json::Value;

use super::{CodePolicy, functions};
use crate::Context;
use crate::plan_following::active_plan;
use crate::react::{examples_of, transcript};
use stepwright_episode::PromptRecord;

pub(super) const FILE: &str = "skills.py";
/// Worked episodes in a prompt for a program.
const EPISODES: usize = 2;
/// Characters of a text that a function is called with, in a prompt.
const ARGUMENT: usize = 4_000;

#[derive(Serialize)]
struct Material<'a> {
    about: String,
    library: String,
    whole: bool,
    asserts: bool,
    episodes: Vec<String>,
    task: &'a str,
    observation: String,
    failed: Option<Failed<'a>>,
}

#[derive(Serialize)]
struct Failed<'a> {
    program: &'a str,
    why: &'a str,
    since: String,
}

fn named(cx: &Context<'_>, template: &str) -> String {
    if cx.prompting.raw { template.to_owned() } else { format!("{template}_chat") }
}

/// The functions of skills in force: those rewritten for the tips, else the world's that ship; none where it has none.
pub(super) fn library(cx: &Context<'_>) -> String {
    let rewritten = cx.node().and_then(|node| node.document(&functions()));
    let text = rewritten.and_then(|document| document.get("text")).and_then(Value::as_str);
    let shipped = || cx.world.kind().file(FILE).map_or("", |file| file.text);
    text.unwrap_or_else(shipped).to_owned()
}

/// The prompt for a program; `failed`: one that came to nothing, and why.
pub(super) fn program(
    cx: &Context<'_>,
    policy: CodePolicy,
    failed: Option<(&str, &str)>,
) -> Result<PromptRecord, String> {
    let examples = examples_of(cx)?;
    let (form, path) = (examples.form, cx.path());
    let episodes = examples.choose(&cx.knowledge.kind, &cx.session.header.task, EPISODES);
    let since = |text: &str| {
        let at = active_plan(&path).filter(|force| force.text == text).map_or(0, |force| force.made_at);
        let from = path.iter().position(|node| node.id == at).unwrap_or_default();
        transcript(cx, form, path.get(from..).unwrap_or_default())
    };
    let whole = policy != CodePolicy::O3d || library(cx).is_empty();
    let material = Material {
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about.clone() },
        library: if whole { String::new() } else { library(cx) },
        whole,
        asserts: policy == CodePolicy::AdaPlanner,
        episodes: episodes.iter().map(|example| example.text.clone()).collect(),
        task: &cx.session.header.sentence,
        observation: path.last().map(|node| node.outcome.observation.clone()).unwrap_or_default(),
        failed: failed.filter(|(_, why)| !why.is_empty()).map(|(program, why)| Failed {
            program,
            why,
            since: since(program),
        }),
    };
    cx.prompting.render(&named(cx, "code/program"), &material)
}

pub(super) fn rewrite(cx: &Context<'_>, tips: &[String]) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Rewrite<'a> {
        library: String,
        tips: &'a [String],
    }
    cx.prompting.render(&named(cx, "code/rewrite"), &Rewrite { library: library(cx), tips })
}

/// The prompt for an answer to one of the functions that a model answers.
pub(super) fn function(cx: &Context<'_>, function: &str, args: &[Value]) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Called<'a> {
        function: &'a str,
        text: String,
        wanted: Vec<String>,
    }
    let text = args.first().and_then(Value::as_str).unwrap_or_default();
    let wanted = args.get(1).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let text = text.chars().take(ARGUMENT).collect();
    let called = Called { function, text, wanted: wanted.map(str::to_owned).collect() };
    cx.prompting.render(&named(cx, "code/function"), &called)
}
