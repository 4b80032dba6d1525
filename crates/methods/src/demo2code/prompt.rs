//! Prompts of the stages, each with the world's worked pairs of a query and its answer.

use serde::Serialize;
use stepwright_trajectory::react::first;

use super::stages::{CODE, Record, SPECIFY, SUMMARIZE, is_published};
use crate::code_policy::functions_of;
use crate::react::examples_of;
use stepwright_episode::PromptRecord;
use stepwright_method::Context;
use stepwright_method::publications::Interface;
use stepwright_text::words::stripped;

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

pub(super) fn summarize(cx: &Context<'_>, record: &Record) -> Result<PromptRecord, String> {
    #[derive(Serialize)]
    struct Summarize<'a> {
        raw: bool,
        examples: Vec<Pair>,
        demonstration: &'a str,
    }
    let examples = examples(cx, "summarize");
    let material = Summarize { raw: raw(cx, SUMMARIZE), examples, demonstration: &record.text };
    let mut prompt = cx.prompting.render("demo2code/summarize", &material)?;
    if let Some(last) = prompt.messages.last_mut().filter(|_| record.whole && !material.raw) {
        last.text.clone_from(&record.text);
    }
    Ok(prompt)
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
    let mut prompt = cx.prompting.render("demo2code/code", &material)?;
    let fenced = [specification, &material.environment].iter().any(|text| text.contains(FENCE));
    if let Some(last) = prompt.messages.last_mut().filter(|_| fenced && !material.raw && is_published(cx)) {
        last.text = unfenced(&last.text).to_owned();
    }
    Ok(prompt)
}

const FENCE: &str = "```";

/// A query without the fence around it: as published one that holds a fence itself gets none.
fn unfenced(query: &str) -> &str {
    let inside = stripped(query).strip_prefix(FENCE).and_then(|rest| rest.strip_suffix(FENCE));
    inside.map_or(query, stripped)
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;
    use stepwright_worlds::WORLDS;

    #[test]
    fn stages_are_chats_of_the_published_form() {
        let pairs = json!([{ "user": "Q1", "assistant": "A1" }, { "user": "Q2", "assistant": "A2" }]);
        let material = |raw: bool| {
            json!({
                "raw": raw, "examples": pairs, "demonstration": "QUERY", "goal": "GOAL", "trajectories": ["QUERY", "S2"],
                "about": "ABOUT", "functions": "FUNCTIONS", "environment": "ENVIRONMENT", "specification": "QUERY",
            })
        };
        let render = |stage: &str, raw: bool| {
            let name = format!("demo2code/{stage}");
            stepwright_method::prompting::Prompting::default().render(&name, &material(raw)).unwrap().messages
        };
        for stage in [SUMMARIZE, SPECIFY, CODE] {
            let chat = render(stage, false);
            let roles: Vec<&str> = chat.iter().map(|message| message.role.as_str()).collect();
            assert_eq!(roles, ["system", "user", "user", "assistant", "user", "assistant", "user"], "{stage}");
            assert_eq!((chat[2].text.as_str(), chat[5].text.as_str()), ("Q1", "A2"));
            assert!(chat[6].text.contains("QUERY"), "{stage}");
            let text = render(stage, true);
            assert_eq!((text.len(), text[0].role.as_str()), (1, "text"), "{stage}");
            let places: Vec<_> = ["Q1", "A1", "Q2", "A2", "QUERY"].iter().map(|part| text[0].text.find(part)).collect();
            assert!(places.iter().all(Option::is_some) && places.is_sorted(), "{stage}: {places:?}");
        }
        assert!(render(CODE, false)[1].text.contains("FUNCTIONS"));
        assert!(!render(CODE, false).iter().any(|message| message.text.contains("solve(")));
    }

    #[test]
    fn a_query_loses_the_fence_around_it_alone() {
        assert_eq!(unfenced("```\n\"\"\"\nUse ``` x ``` code\n\"\"\"\n```"), "\"\"\"\nUse ``` x ``` code\n\"\"\"");
        assert_eq!(unfenced("a ``` b"), "a ``` b");
    }

    #[test]
    fn worlds_with_pairs_have_them_for_every_stage_and_in_its_form() {
        let mut worlds = 0;
        for file in WORLDS.iter().filter_map(|world| world.file(FILE)) {
            let of = |stage: &str| pairs(file.text, stage);
            assert!(
                of(SUMMARIZE)
                    .iter()
                    .all(|pair| pair.assistant.contains("(yes/no):]]") && pair.assistant.contains("[[Summary:]]"))
            );
            assert!(of(SPECIFY).iter().all(|pair| pair.assistant.contains("[[Specification:]]")));
            assert!(of(CODE).iter().all(|pair| pair.assistant.starts_with("```python")));
            assert!([SUMMARIZE, SPECIFY, CODE].iter().all(|stage| !of(stage).is_empty()), "{}", file.path);
            worlds += 1;
        }
        assert!(worlds > 0);
    }
}
