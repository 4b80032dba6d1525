//! Prompts of methods that answer requests with programs: a worked example of the domain, what is remembered, and the request.

use serde::Serialize;

use super::answered::{AnsweredRequest, objects};
use super::games::{Game, games};
use super::policy::{CodePolicy, Form, WRITER};
use super::texts::{self, StateText, first, is_verbatim};
use super::worked::Worked;
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
pub struct Asked<'a> {
    pub requests: &'a dyn Requests,
    pub query: &'a str,
    /// What the agent sees now; empty where a person makes the requests.
    pub seen: &'a str,
    pub history: Vec<AnsweredRequest>,
    pub refused: Vec<Refused>,
}

#[derive(Default, Serialize)]
struct Context<'a> {
    about: Vec<String>,
    functions: Vec<HostFunction>,
    stateful: bool,
    seen: Vec<&'a str>,
    worked: Worked,
    games: Vec<Game>,
    objects: String,
    /// The list of objects as a comment, or as the task's file words it.
    objects_line: String,
    first: String,
    state: String,
    state_text: String,
    history: &'a [AnsweredRequest],
    refused: &'a [Refused],
    query: String,
}

impl Context<'_> {
    /// What all templates are shown of the episode.
    fn of(cx: &crate::Context<'_>, query: &str) -> Self {
        let objects = first(cx).map_or_else(|| "[]".to_owned(), objects);
        let requests = cx.world.requests().filter(|_| is_verbatim(cx));
        let line = requests.and_then(|requests| requests.first_texts()).map(|[_, objects]| objects.clone());
        let StateText { raw, shown } = StateText::of(cx);
        Context {
            objects_line: line.unwrap_or_else(|| format!("# objects = {objects}")),
            objects,
            first: StateText::first(cx),
            state: shown,
            state_text: raw,
            query: texts::query(cx, query),
            ..Context::default()
        }
    }
}

pub fn program_prompt(cx: &crate::Context<'_>, policy: CodePolicy, asked: &Asked<'_>) -> Result<PromptRecord, String> {
    let worked = Worked::of(asked.requests, &cx.prompting.demonstrations)?;
    let context = Context {
        about: worked.about.clone(),
        functions: functions(asked.requests, policy.believes()),
        stateful: policy.believes(),
        seen: asked.seen.lines().filter(|line| !line.trim().is_empty()).collect(),
        worked,
        games: if policy.form == Form::Cups { games(GAMES) } else { Vec::new() },
        history: &asked.history,
        refused: &asked.refused,
        ..Context::of(cx, asked.query)
    };
    cx.render(policy.purpose(), policy.template, &context)
}

/// The prompt for the state after an update. Without requests there is no example: `about` says what the state is of.
pub(crate) fn state_prompt(
    cx: &crate::Context<'_>,
    example: Option<&dyn Requests>,
    about: &str,
    update: &str,
) -> Result<PromptRecord, String> {
    let worked = example.map(|example| Worked::of(example, &[])).transpose()?.unwrap_or_default();
    let about = if example.is_some() { worked.about.clone() } else { about.lines().map(str::to_owned).collect() };
    let context = Context { about, stateful: true, worked, ..Context::of(cx, update) };
    cx.render(WRITER, if example.is_some() { "statler/writer" } else { "statler/writer_auto" }, &context)
}

/// The functions that a program may call: one that keeps a state says what changed, another one that nothing is to be done.
fn functions(requests: &dyn Requests, stateful: bool) -> Vec<HostFunction> {
    let kept = |f: &HostFunction| {
        let is = |call: &str| call.strip_suffix("()") == Some(f.name.as_str());
        !is(CLOSING) && if stateful { !is(NOTHING) } else { f.name != UPDATING }
    };
    requests.functions().into_iter().filter(kept).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::prompting::Prompting;

    /// The parts of the published prompts, in their order; ours have them all, in their own words.
    #[test]
    fn our_prompts_have_the_published_parts_in_their_order() {
        let request = |query: &str, code: &str, state: &str, answer: &str| AnsweredRequest {
            query: query.to_owned(),
            code: code.to_owned(),
            plain: code.to_owned(),
            state: state.to_owned(),
            answer: answer.to_owned(),
        };
        let worked = Worked {
            about: Vec::new(),
            objects: "[EXAMPLE OBJECTS]".to_owned(),
            state: "# EXAMPLE".to_owned(),
            steps: vec![request("EXAMPLE QUERY", "EXAMPLE CODE", "# EXAMPLE STATE", "")],
            updates: vec![request("EXAMPLE UPDATE", "", "# EXAMPLE STATE", "")],
        };
        let context = Context {
            about: vec!["ABOUT".to_owned()],
            functions: vec![HostFunction::new("put_first_on_second", &["first", "second"], "")],
            worked,
            games: games(2),
            objects_line: "# OBJECTS".to_owned(),
            first: "# FIRST".to_owned(),
            state: "# STATE".to_owned(),
            history: &[request("HISTORY QUERY", "", "", "HISTORY ANSWER")],
            refused: &[Refused { code: "REFUSED".to_owned(), reason: String::new() }],
            query: "THE QUERY".to_owned(),
            ..Context::default()
        };
        let step = ["EXAMPLE QUERY", "EXAMPLE CODE"];
        let states: [&str; 4] = ["# EXAMPLE\n", step[0], step[1], "# EXAMPLE STATE"];
        let rules = ["# ABOUT", "put_first_on_second(first, second)", "==="];
        let history = ["HISTORY QUERY", "HISTORY ANSWER"];
        let parts = |parts: &[&[&'static str]]| parts.concat();
        let game = ["# Initial state", "cups = ", "Swapping", "cups = ", "\n\n# Initial state", "cups = "];
        let prompts = [
            (
                "statler/reader",
                parts(&[&rules, &states, &["===", "# Write", "===", "REFUSED", "# STATE", "THE QUERY"]]),
            ),
            ("statler/reader_auto", parts(&[&rules, &states[..3], &["===", "REFUSED", "# STATE", "THE QUERY"]])),
            (
                "statler/unified",
                parts(&[&rules, &states, &["===", "# Write", "===", "REFUSED", "# STATE", "THE QUERY"]]),
            ),
            (
                "statler/chain",
                parts(&[&rules, &states, &["===", "# Go on", "===", "# FIRST"], &history, &["THE QUERY"]]),
            ),
            (
                "statler/code",
                parts(&[
                    &rules,
                    &["[EXAMPLE OBJECTS]"],
                    &step,
                    &["===", "# Write", "===", "# OBJECTS"],
                    &history,
                    &["THE QUERY"],
                ]),
            ),
            (
                "statler/writer",
                parts(&[&[
                    "# ABOUT", "===", "# EXAMPLE\n", "EXAMPLE UPDATE", "# EXAMPLE STATE", "===", "# Write", "===",
                    "# STATE", "THE QUERY",
                ]]),
            ),
            ("statler/writer_auto", vec!["\"relations\" holds", "# ABOUT", "# STATE", "THE QUERY"]),
            ("cups/plain", parts(&[&game, &["# FIRST", "HISTORY QUERY", "THE QUERY"]])),
            ("cups/chain", parts(&[&game, &["# FIRST", "HISTORY QUERY", "THE QUERY"]])),
            ("cups/state", parts(&[&game, &["# STATE", "THE QUERY"]])),
        ];
        for (template, parts) in prompts {
            for raw in [true, false] {
                let name = if raw { template.to_owned() } else { format!("{template}_chat") };
                let prompt = Prompting::default().render(&name, &context).unwrap();
                let whole = prompt.messages.iter().map(|message| message.text.as_str()).collect::<Vec<_>>().join("\n");
                let mut text = whole.as_str();
                for part in &parts {
                    let found = text.split_once(part);
                    text =
                        found.unwrap_or_else(|| panic!("{template}, raw {raw}: no {part:?} in its place:\n{whole}")).1;
                }
                assert!(!text.contains('\n') || raw, "{template}: nothing follows the question in a chat: {text}");
                assert_eq!(
                    template == "statler/reader_auto",
                    !whole.contains("EXAMPLE STATE") && whole.contains("EXAMPLE CODE") && !whole.contains("[EXAMPLE"),
                    "{template}"
                );
                let end = if template.contains("writer") {
                    "\n# state = {\n#     "
                } else if template.starts_with("cups") {
                    "\ncups = ["
                } else {
                    "THE QUERY\n"
                };
                assert!(!raw || whole.ends_with(end), "{template}: {whole}");
            }
        }
    }
}
