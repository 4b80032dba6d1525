//! Recordings of Statler and of the methods it is compared with, and the requests made of the three cups' printed prompts.
//!
//! The recorded program judged answers by their text and ran none, so updates are read from the lines of an answer here.

use std::path::Path;

use serde_json::{Value, json};

use super::folder::{Exception, Folder, Opening, texts};
use super::recording::{Recorded, Recording, Repeats};
use crate::{Found, field};
use stepwright_driver::Setup;
use stepwright_episode::{ArtifactId, Node, Session};
use stepwright_launch::NewSession;
use stepwright_study::recordings::document;
use stepwright_study::statler::live::answers;
use stepwright_text::words::stripped;
use stepwright_worlds::table::{Source, TableWorld};

/// Whatever else was raised is answered by a text.
const LIMITED: Repeats = &[("RateLimitError", 0)];

const TABLE: Folder = Folder { name: "", session: |r| cups(r), answers: texts, ended: trajectory, repeats: LIMITED };

pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "statler", session: |r| table(r, "statler", "", &["reader", "writer"]), ..TABLE },
    Folder { name: "statler_auto", session: |r| table(r, "statler-auto", "_auto", &["reader", "writer"]), ..TABLE },
    Folder { name: "statler_unified", session: |r| table(r, "statler-unified", "", &["unified"]), ..TABLE },
    Folder { name: "cap_cot", session: |r| table(r, "cap-cot", "", &["chain"]), ..TABLE },
    Folder { name: "code_as_policies", session: |r| table(r, "code-as-policies", "", &["code"]), ..TABLE },
    Folder { name: "three_cups", session: cups, ended: lost, ..TABLE },
];

pub(super) const EXCEPTIONS: &[Exception] = &[Exception {
    id: "cups-parameters",
    excuses: |case| case.folder == "three_cups" && ["temperature", "max_tokens", "stop"].contains(&case.field),
    reason: "the paper states neither temperature, tokens nor stop of the three cups: greedy, 256 tokens, the end of a list are ours",
}];

fn table(recording: &Recording<'_>, method: &str, kind: &str, templates: &[&str]) -> Result<Opening, String> {
    let (domain, id) = (recording.task("domain")?, recording.task("episode")?);
    let number = id.rsplit_once('-').ok_or("its episode has no number")?.1;
    // Statler-Auto alone sets the published state off by blank lines.
    let state =
        if kind.is_empty() { "state_text" } else { r#""\n" ~ first ~ "\n" if state_text == first else state_text"# };
    let slots = format!("{{% set state = {state} %}}{{% set objects = objects_line %}}");
    let templates = templates.iter().map(|name| {
        let template = recording.template(&format!("{domain}/{name}.jinja"), &slots)?;
        Ok((format!("statler/{name}{kind}"), template))
    });
    let templates = templates.collect::<Result<_, String>>()?;
    let data = recording.data.join("statler").join(format!("episodes_{domain}.json"));
    let steps = recording.episode.task["steps"].as_u64().ok_or("its task has no steps")? as usize;
    let world = TableWorld::new(source(&data, id, steps)?);
    let options = [("settings", "statler"), ("updates", "lines")];
    let new = NewSession {
        world: "table".to_owned(),
        data: Some(data),
        task: format!("{domain}/{number}"),
        options: options.map(|(key, value)| (key.to_owned(), value.to_owned())).into(),
        method: method.to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let adapt: Box<dyn FnOnce(&mut Setup) + Send> = Box::new(move |setup| setup.world = Box::new(world));
    Ok(Opening { new, templates, actions: 1_000, adapt: Some(adapt) })
}

/// An episode with its first requests alone.
fn source(data: &Path, id: &str, steps: usize) -> Result<Source, String> {
    let mut episodes: Vec<Value> = document(data)?;
    episodes.retain(|episode| episode["id"] == id);
    for asked in episodes.iter_mut().filter_map(|episode| episode["steps"].as_array_mut()) {
        asked.truncate(steps);
    }
    Source::from_text(&json!(episodes).to_string(), data).map_err(|e| e.to_string())
}

/// A game of cups; it ends with its last recorded request, which may be answered wrongly.
fn cups(recording: &Recording<'_>) -> Result<Opening, String> {
    let form = recording.episode.rest["form"].as_str().ok_or("it has no form")?;
    let (method, template) = match form {
        "plain" => ("cups-plain", "cups/plain"),
        "chain" => ("cups-cot", "cups/chain"),
        _ => ("cups-state", "cups/state"),
    };
    let data = recording.data.join("statler").join(recording.task("file")?);
    let file: Value = document(&data)?;
    // A tag of a template is bounded, so each game has one.
    let games = file["demonstrations"].as_array().into_iter().flatten().map(shown).enumerate();
    let sets: Vec<String> = games.map(|(n, game)| format!("{{% set game_{n} = {game} %}}")).collect();
    let names: Vec<String> = (0..sets.len()).map(|n| format!("game_{n}")).collect();
    let slots = format!("{}{{% set games = [{}] %}}", sets.concat(), names.join(", "));
    let game = recording.episode.task["game"].as_u64().ok_or("its task has no game")?;
    let new = NewSession {
        world: "table".to_owned(),
        data: Some(data),
        task: format!("cups/{:03}", game + 1),
        method: method.to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let templates = vec![(template.to_owned(), recording.template(&format!("{form}.jinja"), &slots)?)];
    let actions = recording.episode.calls.len().try_into().map_err(|_| "it has too many calls")?;
    Ok(Opening { new, templates, actions, adapt: None })
}

/// A demonstration as templates show it.
fn shown(game: &Value) -> Value {
    let list = |cups: &Value| {
        let words = cups.as_array().into_iter().flatten().map(|ball| if *ball == true { "True" } else { "False" });
        format!("[{}]", words.collect::<Vec<_>>().join(", "))
    };
    let items = |name: &str| game[name].as_array().into_iter().flatten();
    let swaps: Vec<String> = items("swaps").map(|s| format!("Swapping cup {} with cup {}", s[0], s[1])).collect();
    let states: Vec<String> = items("states").map(list).collect();
    let steps: Vec<Value> =
        swaps.iter().zip(&states).map(|(swap, state)| json!({ "swap": swap, "state": state })).collect();
    json!({ "first": list(&game["initial"]), "swaps": swaps, "last": states.last(), "states": states, "steps": steps })
}

/// The answer that ended the game, counted from 1, where one was wrong.
fn lost(episode: &Recorded, session: &Session) -> Vec<Found> {
    let wrong = answers(session).iter().position(|right| !right);
    let at = wrong.map(|before| before as u64 + 1);
    vec![field("first wrong answer", &episode.outcome["first_wrong_answer"].as_u64(), &at)]
}

/// The answers as they were kept, and the last state that a model wrote.
fn trajectory(episode: &Recorded, session: &Session) -> Vec<Found> {
    let recorded = episode.outcome["trajectory"].as_array().map_or(&[][..], Vec::as_slice);
    let path = session.path(session.cursor());
    let code = |pair: &[&Node]| {
        let decision = pair[0].turn.decision(pair[1].decision?)?;
        Some(stripped(&pair[0].turn.proposal(decision.proposal())?.raw).to_owned())
    };
    let kept: Vec<Option<String>> = path.windows(2).map(code).collect();
    let wanted: Vec<Option<String>> = recorded.iter().map(|step| step["code"].as_str().map(str::to_owned)).collect();
    let state = session.made_by(&ArtifactId::BELIEF).flatten().map(|(_, offer)| match offer.ask {
        Some(_) => format!("\n# state = {{\n#     {}", stripped(&offer.written.raw)),
        None => offer.written.raw.clone(),
    });
    let last = recorded.last().and_then(|step| step["next_state"].as_str().map(str::to_owned));
    let begins = |whole: &Option<String>, part: &Option<String>| match (whole, part) {
        (Some(whole), Some(part)) => whole.starts_with(part.as_str()),
        _ => false,
    };
    vec![
        field("requests", &wanted.len(), &kept.len()),
        (!wanted.iter().zip(&kept).all(|(wanted, kept)| begins(kept, wanted)))
            .then(|| ("code", json!(wanted).to_string(), json!(kept).to_string())),
        state.and_then(|state| field("next_state", &last, &Some(state))),
    ]
}
