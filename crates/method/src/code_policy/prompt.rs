//! Prompts of policies as code: for a program, for functions rewritten by tips, for an answer to one of the functions a model answers.

use serde::Serialize;
use serde_json::Value;
use stepwright_skill::code::ASK;

use super::functions;
use crate::Context;
use crate::publications::Interface;
use crate::react::examples_of;
use stepwright_episode::PromptRecord;

pub(super) const FILE: &str = "skills.py";
/// The file of a world's functions that are answered beside it, as a prompt shows them.
const FUNCTIONS: &str = "functions.py";
/// Worked episodes in a prompt for a program.
const EPISODES: usize = 2;
/// Characters of a text that a function is called with, in a prompt.
const ARGUMENT: usize = 4_000;

#[derive(Serialize)]
struct Material<'a> {
    about: String,
    library: String,
    functions: &'static str,
    episodes: Vec<String>,
    task: &'a str,
    observation: String,
}

/// Fills a template of one text in; where the model takes chat messages, as the only one, of the user.
pub(crate) fn message<C: Serialize>(
    cx: &Context<'_>,
    purpose: &str,
    template: &str,
    material: &C,
) -> Result<PromptRecord, String> {
    let mut prompt = cx.prompting.render(template, material)?;
    if cx.interface(purpose) != Interface::Text {
        prompt.messages.iter_mut().for_each(|message| "user".clone_into(&mut message.role));
    }
    Ok(prompt)
}

fn named(cx: &Context<'_>, template: &str) -> String {
    if cx.prompting.raw { template.to_owned() } else { format!("{template}_chat") }
}

/// The functions that are answered beside the world, as prompts show them to all who write programs; none in most worlds.
pub(crate) fn functions_of(cx: &Context<'_>) -> &'static str {
    let text = cx.world.kind().file(FUNCTIONS).map_or("", |file| file.text);
    // The head is for readers of the file.
    text.split_once("\n\n").map_or("", |(_, body)| body.trim())
}

/// The functions of skills in force: those rewritten for the tips, else the world's that ship; none where it has none.
pub(super) fn library(cx: &Context<'_>) -> String {
    let rewritten = cx.node().and_then(|node| node.document(&functions()));
    let text = rewritten.and_then(|document| document.get("text")).and_then(Value::as_str);
    let shipped = || cx.world.kind().file(FILE).map_or("", |file| file.text);
    text.unwrap_or_else(shipped).to_owned()
}

/// The prompt for a program.
pub(super) fn program(cx: &Context<'_>) -> Result<PromptRecord, String> {
    let examples = examples_of(cx)?;
    let episodes = examples.choose(&cx.knowledge.kind, &cx.session.header.task, EPISODES);
    let material = Material {
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about.clone() },
        library: library(cx),
        functions: functions_of(cx),
        episodes: episodes.iter().map(|example| example.text.clone()).collect(),
        task: &cx.session.header.sentence,
        observation: cx.node().map(|node| node.outcome.observation.clone()).unwrap_or_default(),
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
    if function == ASK {
        #[derive(Serialize)]
        struct Asked<'a> {
            question: &'a str,
        }
        let question = if cx.interface(super::FUNCTION) == Interface::Text { text } else { text.trim() };
        return message(cx, super::FUNCTION, "code/ask", &Asked { question });
    }
    let wanted = args.get(1).and_then(Value::as_array).into_iter().flatten().filter_map(Value::as_str);
    let text = text.chars().take(ARGUMENT).collect();
    let called = Called { function, text, wanted: wanted.map(str::to_owned).collect() };
    cx.prompting.render(&named(cx, "code/function"), &called)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_skill::code;

    #[test]
    fn functions_in_prompts_are_those_of_the_sandbox() {
        let known = code::functions();
        for file in stepwright_world::WORLDS.iter().filter_map(|world| world.file(FUNCTIONS)) {
            let names = file.text.lines().filter_map(|line| line.strip_prefix("def ")?.split_once('('));
            let names: Vec<&str> = names.map(|(name, _)| name).collect();
            assert!(names.iter().all(|name| known.iter().any(|known| known == name)), "{}: {names:?}", file.path);
            assert!(code::MODEL.iter().all(|name| names.contains(name)), "{}: {names:?}", file.path);
            assert_eq!(names.len(), 5, "{}", file.path);
        }
    }
}
