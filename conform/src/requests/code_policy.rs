//! Recordings of policies of code: AdaPlanner, and Demo2Code's stages.
//!
//! Demo2Code's recordings are of worlds that the product does not have, so that they bind its stages, their order, roles and parameters:
//! they are played in the household with the recorded demonstrations, and all messages but the last of each call are the recorded ones.

use std::sync::Arc;

use serde_json::Value;
use stepwright_episode::{ArtifactId, Session};
use stepwright_launch::NewSession;
use stepwright_trajectory::Step;
use stepwright_world::ProgramHeader;
use stepwright_world::demonstration::Demonstration;

use super::folder::{Case, Exception, Folder, Opening, texts};
use super::recording::{Recorded, Recording};
use crate::{Found, field};

pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "adaplanner_alfworld", session: adaplanner, answers: texts, ended: acted },
    Folder { name: "demo2code", session: demo2code, answers: texts, ended: written },
];

/// Actions that ALFWorld's games take.
const STEPS: u64 = 50;

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        id: "python's own words",
        excuses: |case| {
            let shown = |mark: &str| case.expected.contains(mark);
            case.field == "prompt" && is(case, &["fix"]) && (shown("(<string>, line ") || shown("File \\\"<ipython"))
        },
        reason: "an error of syntax is in the words of this program's parser, and no lines of the original's own code are shown",
    },
    Exception {
        id: "a correction that is not run",
        excuses: |case| {
            case.field == "call" && is(case, &["fix", "start_from"]) && !is_over(case) && is_last_pair(case)
        },
        reason: "after the sixth program the original still asks for a correction and where it begins, and uses neither",
    },
    Exception {
        id: "after the fiftieth action",
        excuses: |case| is_over(case) && ["call", "actions"].contains(&case.field),
        reason: "an episode that is over asks nothing more; the original's goes on with the last observation again and again",
    },
    Exception {
        id: "the word behind a fence",
        excuses: |case| case.field == "code" && case.expected.contains("python\\n"),
        reason: "the name of the language is no part of a program",
    },
];

fn is(case: &Case<'_>, purposes: &[&str]) -> bool {
    case.recorded().is_some_and(|call| purposes.contains(&call.purpose.as_str()))
}

/// Whether the original's world had taken all its actions, at the call or in the episode's end.
fn is_over(case: &Case<'_>) -> bool {
    match case.recorded() {
        Some(call) => call.rest.get("steps_before").and_then(Value::as_u64).is_some_and(|steps| steps >= STEPS),
        None => {
            case.episode.rest.get("actions").and_then(Value::as_array).is_some_and(|acts| acts.len() as u64 > STEPS)
        }
    }
}

fn is_last_pair(case: &Case<'_>) -> bool {
    case.call.is_some_and(|call| call + 2 >= case.episode.calls.len())
}

fn adaplanner(recording: &Recording<'_>) -> Result<Opening, String> {
    let chat = recording.task("gpt_model")? == "gpt-3.5";
    let (settings, prefix) = if chat { ("adaplanner", "prompt") } else { ("adaplanner-gpt-3", "prompt_GPT3") };
    let example = recording.literal(&format!("{prefix}_example_{}", recording.task("kind")?))?;
    let words = Words::of(recording)?;
    // What the household's agent reports, in the words that the recorded one has.
    let slots = format!(
        "{{% set example = {example} %}}{{% set task = \"Your task is to: \" ~ task %}}\
         {{% set error_msg = (error_msg if error_msg else {}) | replace(\"Done last:\", {}) | replace(\"\\nAction: \", \"\\nAct: \") | \
         replace(\"\\nSeen: \", \"\\nObs: \") | replace(\"\\nNow at \", \"\\nI am at \") | replace(\"; in hand: \", \" and holding \") %}}",
        Value::from(words.finished),
        Value::from(words.acts)
    );
    let parts =
        [("plan", slots.as_str(), "plan"), ("fix", &slots, "fix"), ("check", "", "check"), ("start", "", "start_from")];
    let template = |(name, slots, file): &(&str, &str, &str)| {
        Ok((format!("adaplanner/{name}"), recording.template(&format!("{prefix}_{file}.jinja"), slots)?))
    };
    let templates = parts.iter().map(template).collect::<Result<Vec<_>, String>>()?;
    let options = [("edition", recording.task("edition")?), ("settings", settings)];
    let new = NewSession {
        world: "household".to_owned(),
        data: Some(recording.data.join("alfworld/games.jsonl")),
        task: recording.task("id")?.to_owned(),
        options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        method: "adaplanner".to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    Ok(Opening { new, templates, actions: 50, adapt: None })
}

/// Words of the original's own that its recorded prompts hold: no part of its templates.
#[derive(Default)]
struct Words {
    /// What comes before the last acts.
    acts: String,
    /// What a program is told that came to its end.
    finished: String,
}

impl Words {
    fn of(recording: &Recording<'_>) -> Result<Self, String> {
        let mut words = Words::default();
        for call in recording.episode.calls.iter().filter(|call| call.purpose == "fix") {
            let text = match (&call.prompt, call.messages.first()) {
                (Some(prompt), _) => prompt.whole(recording.folder)?,
                (None, Some(message)) => message.content.whole(recording.folder)?,
                (None, None) => continue,
            };
            let told = text.rsplit_once("error message:\n").and_then(|(_, rest)| rest.split_once("\n\n"));
            let told = told.map_or("", |(told, _)| told);
            if let Some((before, _)) = told.split_once("\nAct: ") {
                words.acts = before.rsplit_once(". ").map_or(before, |(_, acts)| acts).to_owned();
            } else if !told.contains("Error") && !told.contains("(<string>") {
                words.finished = told.to_owned();
            }
        }
        Ok(words)
    }
}

/// The actions done, and whether the goal was reached.
fn acted(episode: &Recorded, session: &Session) -> Vec<Found> {
    let path = session.path(session.cursor());
    let won = path.last().is_some_and(|node| node.outcome.won);
    let done: Vec<Value> =
        path.iter().filter_map(|node| Some(Value::from(node.action.as_ref()?.text.clone()))).collect();
    let recorded = episode.rest.get("actions").cloned().unwrap_or_default();
    let counted = recorded.as_array().map_or(0, Vec::len);
    let done = Value::from(done);
    vec![
        field("success", &episode.outcome["success"].as_bool(), &Some(won)),
        (recorded != done).then(|| {
            (
                "actions",
                format!("{counted}: {recorded:.200}"),
                format!("{}: {done:.200}", done.as_array().map_or(0, Vec::len)),
            )
        }),
    ]
}

fn demo2code(recording: &Recording<'_>) -> Result<Opening, String> {
    let (given, scenarios) = scenarios(recording.task("demonstration")?);
    let of = |purpose: &str, slots: &str, file: &str| -> Result<(String, String), String> {
        let call = recording.episode.calls.iter().find(|call| call.purpose == purpose);
        let messages = call.map_or(&[][..], |call| &call.messages);
        let mut template = String::new();
        for message in messages.iter().take(messages.len().saturating_sub(1)) {
            let text = Value::from(message.content.whole(recording.folder)?);
            template.push_str(&format!("{{{{ role(\"{}\") }}}}\n{{{{ {text} }}}}\n", message.role));
        }
        // The last one by the recorded template of its stage.
        let last = recording.template(file, slots)?.replacen("role(\"text\")", "role(\"user\")", 1);
        template.push_str(&last);
        Ok((format!("demo2code/{purpose}"), template))
    };
    let record = "{% set demonstration = \"[[Input Trajectory:]]\\n\" ~ demonstration %}";
    let environment = format!("{{% set environment = {} %}}", Value::from(given));
    let templates = vec![
        of("summarize", record, "summarize_user.jinja")?,
        of("specify", "", "specify_user.jinja")?,
        of("code", &environment, "code_user.jinja")?,
    ];
    let new = NewSession {
        world: "household".to_owned(),
        data: Some(recording.data.join("alfworld/games.jsonl")),
        options: [("settings".to_owned(), "demo2code".to_owned())].into(),
        method: "demo2code".to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let adapt = move |setup: &mut stepwright_driver::Setup| setup.knowledge.demonstrations = Arc::new(scenarios);
    Ok(Opening { new, templates, actions: 1, adapt: Some(Box::new(adapt)) })
}

/// What a recorded demonstration gives before its docstring, and its scenarios: a goal, then states.
fn scenarios(text: &str) -> (String, Vec<Demonstration>) {
    let (given, rest) = text.split_once("\"\"\"\n").unwrap_or(("", text));
    let body = rest.trim_end().trim_end_matches("\"\"\"").trim_end_matches('\n');
    let scenario = |part: &str| {
        let (_, rest) = part.split_once("]\n")?;
        let (goal, states) = rest.split_once("\n\n")?;
        let states = Step { observation: Some(states.trim_end_matches('\n').to_owned()), ..Step::default() };
        Some(Demonstration {
            id: String::new(),
            task_type: String::new(),
            sentence: goal.to_owned(),
            header: ProgramHeader { function: String::new(), comment: String::new(), setup: Vec::new() },
            steps: vec![states],
        })
    };
    (given.to_owned(), body.split("[Scenario ").skip(1).filter_map(scenario).collect())
}

/// The program.
fn written(episode: &Recorded, session: &Session) -> Vec<Found> {
    let document = session.current().and_then(|node| node.document(&ArtifactId::PLAN));
    let program = document.and_then(|document| document.get("text")).cloned().unwrap_or_default();
    // Of an episode that is lost before there is one nothing is written.
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    vec![field("code", &text(&episode.outcome["code"]), &text(&program))]
}
