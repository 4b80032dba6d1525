//! Recordings of ReAct and Reflexion.

use super::folder::{Exception, Folder, Opening, Unasked, texts};
use super::recording::{Call, Recorded, Recording, WAITED};
use crate::{Found, field};
use serde_json::Value;
use stepwright_episode::Session;
use stepwright_launch::NewSession;

pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "react_alfworld", session: react_household, answers: texts, ended: returned, repeats: WAITED },
    Folder { name: "react_webshop", session: react_shop, answers: texts, ended: returned, repeats: WAITED },
    Folder {
        name: "reflexion_alfworld",
        session: reflexion_household,
        answers: texts,
        ended: succeeded,
        repeats: WAITED,
    },
    Folder { name: "reflexion_webshop", session: reflexion_shop, answers: texts, ended: succeeded, repeats: WAITED },
];

pub(super) const EXCEPTIONS: &[Exception] = &[Exception {
    id: "sums of a run",
    excuses: |case| {
        let prompt = case.recorded().and_then(|call| call.prompt.as_ref());
        case.folder.starts_with("reflexion_")
            && case.field == "prompt"
            && prompt.is_some_and(|text| text.holds("\n#####\n"))
    },
    reason: "the log of a run's last environment holds the sums of all, and the original copies them into the prompt",
}];

/// After the fourteenth action the shop's programs ask once more.
pub(super) const FIFTEENTH: Unasked = Unasked {
    id: "fifteenth line",
    is: |folder, episode, at| {
        let first = |trial: &Value| trial["first_call"].as_u64().unwrap_or_default() as usize;
        let trials = episode.rest.get("trials").and_then(Value::as_array);
        let from = trials.into_iter().flatten().map(first).filter(|from| *from <= at).max().unwrap_or(0);
        // A line that is asked for again is one line; the first time it is asked for greedily.
        let begins =
            |call: &Call| call.purpose == "act" && call.params.get("temperature").and_then(Value::as_f64) == Some(0.0);
        let lines = episode.calls.get(from..=at).into_iter().flatten().filter(|call| begins(call)).count();
        let is_line = episode.calls.get(at).is_some_and(|call| call.purpose == "act");
        folder.ends_with("webshop") && is_line && lines > 14
    },
    reason: "the shop's programs ask for a line after the last action and throw it away",
};

/// The slots of the household's template: the two examples of the task's type.
fn examples(recording: &Recording<'_>) -> Result<String, String> {
    let kind = recording.task("kind")?;
    let example = |n: u32| recording.literal(&format!("react_{kind}_{n}"));
    Ok(format!("{{% set example_1 = {} %}}{{% set example_0 = {} %}}", example(1)?, example(0)?))
}

/// The same with what the model noted after earlier trials, as it was written.
const MEMORY: &str = "{% set memory = written %}";

/// The log of a failed trial, from the first observation on.
const LOG: &str = "{{ first }}{% for step in steps %}{{ \"\\n\" }}> {{ step.action }}\n{{ step.observation }}{% endfor %}\
                   {{ \"\\n\\n\" }}STATUS: FAIL";

fn opening(
    recording: &Recording<'_>,
    world: &str,
    data: &str,
    options: &[(&str, &str)],
    templates: [Option<(&str, String)>; 2],
) -> Result<Opening, String> {
    let method = if options.iter().any(|(_, value)| value.starts_with("reflexion")) { "reflexion" } else { "react" };
    let new = NewSession {
        world: world.to_owned(),
        data: Some(recording.data.join(data)),
        task: recording.task("id")?.to_owned(),
        options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        method: method.to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let templates = templates.into_iter().flatten().map(|(name, text)| (name.to_owned(), text)).collect();
    Ok(Opening { new, templates, actions: 60, adapt: None })
}

fn react_household(recording: &Recording<'_>) -> Result<Opening, String> {
    let options = [("edition", recording.task("edition")?), ("settings", "react-2023")];
    let line = recording.template("act.jinja", &examples(recording)?)?;
    opening(recording, "household", "alfworld/games.jsonl", &options, [Some(("react/act", line)), None])
}

fn react_shop(recording: &Recording<'_>) -> Result<Opening, String> {
    let base = format!("{{% set base = {} %}}", recording.literal(recording.task("prompt")?)?);
    let line = recording.template("act.jinja", &base)?;
    let options = [("pages", "site"), ("settings", "react-2023")];
    opening(recording, "shop", "webshop", &options, [Some(("react/act", line)), None])
}

/// The options of a run of trials: how many, and whether there is memory.
fn trials(recording: &Recording<'_>) -> (String, &'static str) {
    let task = &recording.episode.task;
    let memory = if task["use_memory"] == false { "0" } else { "3" };
    (task["num_trials"].to_string(), memory)
}

fn reflexion_household(recording: &Recording<'_>) -> Result<Opening, String> {
    let (number, memory) = trials(recording);
    let options = [
        ("edition", recording.task("edition")?),
        ("settings", "reflexion-2023-08"),
        ("trials", &number),
        ("memory", memory),
    ];
    let line = recording.template("act.jinja", &format!("{}{MEMORY}", examples(recording)?))?;
    let few = recording.literal("reflexion_few_shot_examples")?;
    // What a line says of the task counts too, as what follows the last mark is taken.
    let scenario = format!(
        "{{% set few_shot_examples = {few} %}}{MEMORY}{{% set log %}}{LOG}{{% endset %}}\
         {{% set scenario = log | split(\"Here is the task:\") | list | last | trim %}}"
    );
    let reflection = recording.template("reflect.jinja", &scenario)?;
    let templates = [Some(("react/act", line)), Some(("reflexion/reflect", reflection))];
    opening(recording, "household", "alfworld/games.jsonl", &options, templates)
}

fn reflexion_shop(recording: &Recording<'_>) -> Result<Opening, String> {
    let (number, memory) = trials(recording);
    let options =
        [("pages", "site"), ("settings", "reflexion-2023-08"), ("trials", number.as_str()), ("memory", memory)];
    let base = format!("{{% set base = {} %}}", recording.literal("base_prompt")?);
    let line = recording.template("act.jinja", &base)?;
    let few = recording.literal("reflection_few_shot_examples")?;
    let scenario = format!(
        "{{% set few_shot_examples = {few} %}}{MEMORY}{{% set log %}}{LOG}{{% endset %}}\
         {{% set scenario = log | split(\"Instruction:\") | list | last | trim %}}"
    );
    let reflection = recording.template("reflect.jinja", &scenario)?;
    let templates = [Some(("react/act", line)), Some(("reflexion/reflect", reflection))];
    opening(recording, "shop", "webshop", &options, templates)
}

/// Whether the goal was reached; in the shop the reward.
fn returned(episode: &Recorded, session: &Session) -> Vec<Found> {
    let Some(end) = session.current().map(|node| &node.outcome) else { return Vec::new() };
    let recorded = &episode.outcome["returned"];
    vec![match recorded.as_bool() {
        Some(won) => field("returned", &won, &end.won),
        None => field("returned", &recorded.as_f64(), &Some(end.reward)),
    }]
}

fn succeeded(episode: &Recorded, session: &Session) -> Vec<Found> {
    let won = session.current().is_some_and(|node| node.outcome.won);
    vec![field("is_success", &episode.outcome["is_success"].as_bool(), &Some(won))]
}
