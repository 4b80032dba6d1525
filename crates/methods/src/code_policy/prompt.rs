//! Prompts of policies as code: for a program that is composed of functions, for an answer to one of the functions a model answers.

use serde::Serialize;
use serde_json::Value;
use stepwright_skill::code::ASK;
use stepwright_skill::hierarchy::Line;
use stepwright_skill::{Example, function};

use crate::react::beginning;
use stepwright_episode::PromptRecord;
use stepwright_method::Context;
use stepwright_method::publications::Interface;
use stepwright_method::skills::SKILLS;
use stepwright_text::words::stripped;

/// Functions that ship: those of skills, written by hand, and the primitive ones that skills are written over.
pub(super) const FILE: &str = "skills.py";
pub(super) const PRIMITIVES: &str = "primitives.py";
/// The file of a world's functions that are answered beside it, as a prompt shows them.
const FUNCTIONS: &str = "functions.py";
/// The purpose of an ask for the answer to a call of a program.
pub(super) const FUNCTION: &str = "function";
/// Characters of a text that a function is called with, in a prompt.
const ARGUMENT: usize = 4_000;

#[derive(Serialize)]
struct Composed<'a> {
    about: &'static str,
    library: String,
    examples: Vec<Shown>,
    task: &'a str,
    observation: String,
}

/// An example with its calls as a program.
#[derive(Serialize)]
struct Shown {
    first: String,
    program: String,
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

/// The prompt for a program that is composed of the functions of skills.
pub(super) fn composed(cx: &Context<'_>, library: String) -> Result<PromptRecord, String> {
    let known = cx.skills(&SKILLS)?;
    let shown = |example: &Example| {
        let calls = example.entries.iter().filter_map(|entry| match &entry.line {
            Line::Call(call) => Some(function::call_of(call, &known.skill(&call.skill)?.signature)),
            _ => None,
        });
        Shown { first: example.first.clone(), program: calls.collect::<Vec<_>>().join("\n") }
    };
    let material = Composed {
        about: cx.world.kind().about,
        library,
        examples: known.examples.iter().map(shown).collect(),
        task: &cx.session.header.sentence,
        observation: cx.path().first().map(|reset| beginning(cx, reset)).unwrap_or_default(),
    };
    cx.prompting.render(&named(cx, "o3d/compose"), &material)
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
        let question = if cx.interface(FUNCTION) == Interface::Text { text } else { stripped(text) };
        return message(cx, FUNCTION, "code/ask", &Asked { question });
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
        for file in stepwright_worlds::WORLDS.iter().filter_map(|world| world.file(FUNCTIONS)) {
            let names = file.text.lines().filter_map(|line| line.strip_prefix("def ")?.split_once('('));
            let names: Vec<&str> = names.map(|(name, _)| name).collect();
            assert!(names.iter().all(|name| known.iter().any(|known| known == name)), "{}: {names:?}", file.path);
            assert!(code::MODEL.iter().all(|name| names.contains(name)), "{}: {names:?}", file.path);
            assert_eq!(names.len(), 5, "{}", file.path);
        }
    }
}
