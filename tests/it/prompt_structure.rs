//! Our own prompts hold the published parts in the published order: every template that no method tests beside its prompt, filled in with
//! parts that can be told apart.

use serde_json::{Value, json};
use stepwright::model::prompt::Prompts;

/// A template, what it is given, and its parts in their order.
fn prompts() -> Vec<(&'static str, Value, &'static [&'static str])> {
    let game = json!({
        "first": "[A]", "swaps": ["SWAP A"], "last": "[B]", "states": ["[B]"], "steps": [{"swap": "SWAP A", "state": "[B]"}],
    });
    let cups = json!({
        "games": [game], "first": "[C]", "state": "[D]", "history": [{"query": "SWAP C"}], "query": "SWAP D",
    });
    let pair = json!({"user": "EXAMPLE", "assistant": "ANSWER"});
    let both = |raw: bool| {
        json!({
            "raw": raw, "examples": [pair], "demonstration": "DEMONSTRATION", "goal": "GOAL", "trajectories": ["SUMMARY"],
            "about": "ABOUT", "functions": "FUNCTIONS", "environment": "ENVIRONMENT", "specification": "SPECIFICATION",
        })
    };
    let part =
        |steps: &str| json!({"beginning": "BEGINNING", "history": "BEFORE\n", "task": "take(mug)", "steps": steps});
    let known = json!({"name": "take(object)", "primitives": [{"syntax": "FORM", "examples": ["AS"]}]});
    const SUMMARIZE: &[&str] = &["in rounds", "EXAMPLE", "ANSWER", "[[Record:]]", "DEMONSTRATION"];
    const SPECIFY: &[&str] =
        &["one specification", "EXAMPLE", "ANSWER", "[[Goal:]]", "GOAL", "[[Summaries:]]", "SUMMARY"];
    const CODE: &[&str] = &["ABOUT", "FUNCTIONS", "EXAMPLE", "ANSWER", "ENVIRONMENT", "SPECIFICATION"];
    const EXAMPLE: &str = "An example, from another environment";
    const ANSWER: &str = "The answer to it:";
    const NOT_IT: &str = "That was the example";
    vec![
        ("cups/plain", cups.clone(), &["[A]", "SWAP A", "[B]", "[C]", "SWAP C", "SWAP D"]),
        ("cups/chain", cups.clone(), &["[A]", "SWAP A", "[B]", "[C]", "SWAP C", "SWAP D"]),
        ("cups/state", cups, &["[A]", "SWAP A", "[B]", "[D]", "SWAP D"]),
        ("demo2code/summarize", both(false), SUMMARIZE),
        ("demo2code/summarize", both(true), SUMMARIZE),
        ("demo2code/specify", both(false), SPECIFY),
        ("demo2code/specify", both(true), SPECIFY),
        ("demo2code/code", both(false), CODE),
        ("demo2code/code", both(true), CODE),
        // Distilling: a worked example with its answer, which is not to be copied, before what is known and the logs.
        (
            "o3d/discover",
            json!({"skills": ["SKILL(x)"], "trials": ["LOG"], "again": null}),
            &[EXAMPLE, ANSWER, NOT_IT, "SKILL(x)", "LOG"],
        ),
        (
            "o3d/segment",
            json!({"skills": ["SKILL(x)"], "trial": "LOG", "again": null}),
            &[EXAMPLE, ANSWER, NOT_IT, "SKILL(x)", "LOG"],
        ),
        (
            "o3d/primitives",
            json!({"known": [known], "trials": [{"plan": ["CALL(x)"], "log": "LOG"}], "again": null}),
            &[EXAMPLE, ANSWER, NOT_IT, "take(object)", "FORM", "AS", "CALL(x)", "LOG"],
        ),
        (
            "o3d/tips",
            json!({"skill": "take(object)", "tips": ["TIP"], "pairs": [{"failure": part("BAD"), "success": part("GOOD")}], "again": null}),
            &["take(object)", EXAMPLE, ANSWER, NOT_IT, "TIP", "BEGINNING", "BEFORE", "take(mug)", "BAD", "GOOD"],
        ),
        (
            "o3d/tips_of_successes",
            json!({"skill": "take(object)", "tips": ["TIP"], "trials": [part("GOOD")], "again": null}),
            &["take(object)", EXAMPLE, ANSWER, NOT_IT, "TIP", "BEGINNING", "BEFORE", "take(mug)", "GOOD"],
        ),
        (
            "preconditions/candidates",
            json!({
                "demonstration": "DEMONSTRATION", "definitions": "DEFINITIONS", "class_line": "class Agent:", "action": "open",
                "params": ["thing"], "policy": "POLICY",
            }),
            &["POLICY", "DEMONSTRATION", "DEFINITIONS", "class Agent:", "def open(self, thing):", "assert"],
        ),
        (
            "progprompt/plan",
            json!({"actions": ["grab"], "objects": ["cup"], "examples": "EXAMPLES", "function": "make_tea", "states": ["open"], "task": "TASK"}),
            &["from actions import grab", "objects = ['cup']", "EXAMPLES", "def make_tea():"],
        ),
        (
            "progprompt/assertion",
            json!({"seen": ["SEEN"], "close": ["CLOSE"], "held": ["HELD"], "assertion": "'close' to 'cup'"}),
            &["SEEN", "CLOSE", "HELD", "assert('close' to 'cup')"],
        ),
        (
            "program/next_action",
            json!({
                "demonstrations": [{"program": "DEMONSTRATION"}], "specification": "SPECIFICATION",
                "rejections": [{"line": "REJECTED", "reason": "WHY"}], "trajectory": "TRAJECTORY", "cue": "CUE", "task": "TASK",
                "actions": ["act"], "turn_ends": "", "asserted": true, "think": false, "example": "",
            }),
            &["DEMONSTRATION", "SPECIFICATION", "REJECTED", "WHY", "TRAJECTORY"],
        ),
        (
            "reflexion/reflect",
            json!({"about": "ABOUT", "why": "WHY", "transcript": "TRANSCRIPT", "earlier": ["EARLIER"]}),
            &["ABOUT", "Two examples", "TRANSCRIPT", "The attempt failed", "EARLIER"],
        ),
    ]
}

#[test]
fn every_prompt_has_its_parts_in_the_published_order() {
    let shipped = Prompts::default().names();
    for (name, material, parts) in prompts() {
        let chat = format!("{name}_chat");
        let has_chat = shipped.contains(&chat);
        for name in [name.to_owned()].into_iter().chain(has_chat.then_some(chat)) {
            let messages =
                Prompts::default().render(&name, &material).unwrap_or_else(|e| panic!("{name}: {e}")).messages;
            let text = messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n");
            let mut from = 0;
            for part in parts {
                let at =
                    text[from..].find(part).unwrap_or_else(|| panic!("{name}: no {part} behind {from} in\n{text}"));
                from += at + part.len();
            }
        }
    }
}
