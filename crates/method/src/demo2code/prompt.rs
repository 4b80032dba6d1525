//! Prompts of the stages, each with the world's worked pairs of a query and its answer.

use serde::Serialize;
use stepwright_trajectory::react::first;

use super::{CODE, SPECIFY, SUMMARIZE};
use crate::Context;
use crate::code_policy::functions_of;
use crate::publications::Interface;
use crate::react::examples_of;
use stepwright_episode::PromptRecord;

/// The file of a world's worked pairs: each headed `== STAGE`, the query, a line `--`, the answer.
const FILE: &str = "stages.txt";

#[derive(Debug, PartialEq, Eq, Serialize)]
struct Pair {
    user: &'static str,
    assistant: &'static str,
}

/// The worked pairs of a stage in a file.
fn pairs(file: &'static str, stage: &str) -> Vec<Pair> {
    let parts = file.split("\n== ").skip(1).filter_map(|part| part.split_once('\n'));
    let of_stage = parts.filter(|(of, _)| of.trim() == stage).filter_map(|(_, text)| text.split_once("\n--\n"));
    of_stage.map(|(user, assistant)| Pair { user: user.trim(), assistant: assistant.trim() }).collect()
}

/// Whether an ask is one text, for which a template leaves its other messages out.
fn raw(cx: &Context<'_>, purpose: &str) -> bool {
    cx.interface(purpose) == Interface::Text
}

fn examples(cx: &Context<'_>, stage: &str) -> Vec<Pair> {
    cx.world.kind().file(FILE).map(|file| pairs(file.text, stage)).unwrap_or_default()
}

pub(super) fn summarize(cx: &Context<'_>, record: &str) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Summarize<'a> {
        raw: bool,
        examples: Vec<Pair>,
        demonstration: &'a str,
    }
    let examples = examples(cx, "summarize");
    let material = Summarize { raw: raw(cx, SUMMARIZE), examples, demonstration: record };
    cx.prompting.render("demo2code/summarize", &material)
}

pub(super) fn specify(cx: &Context<'_>, goal: &str, summaries: &[String]) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Specify<'a> {
        raw: bool,
        examples: Vec<Pair>,
        goal: &'a str,
        trajectories: &'a [String],
    }
    let examples = examples(cx, "specify");
    cx.prompting
        .render("demo2code/specify", &Specify { raw: raw(cx, SPECIFY), examples, goal, trajectories: summaries })
}

pub(super) fn code(cx: &Context<'_>, specification: &str) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Code<'a> {
        raw: bool,
        about: String,
        functions: &'static str,
        examples: Vec<Pair>,
        environment: String,
        specification: &'a str,
    }
    let known = examples_of(cx)?;
    let seen = cx.path().first().map(|reset| first(&reset.outcome.observation)).unwrap_or_default();
    let given = format!("task: {}\nobservation: {}", cx.session.header.sentence.trim(), seen.trim());
    let material = Code {
        raw: raw(cx, CODE),
        about: if known.about.is_empty() { cx.world.kind().about.to_owned() } else { known.about },
        functions: functions_of(cx),
        examples: examples(cx, "code"),
        environment: given.lines().map(|line| format!("# {line}")).collect::<Vec<_>>().join("\n"),
        specification,
    };
    cx.prompting.render("demo2code/code", &material)
}
