//! Recordings of plans of free-form steps: open loop, re-sampling, re-prompting. Sentences are translated by the recordings' own stand-in
//! for the sentence embedder.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use stepwright_driver::Setup;
use stepwright_embed::{EmbedError, Embedder, normalise};
use stepwright_episode::{Session, TokenLogprob};
use stepwright_launch::NewSession;
use stepwright_method::{Place, StepStatus};
use stepwright_methods::METHODS;
use stepwright_model::Completion;
use stepwright_model::translator::Translator;
use stepwright_world::Wording;

use super::fed::{Fed, RECORDED, Verdict};
use super::folder::{Exception, Folder, Opening};
use super::recording::{Call, Recorded, Recording, WAITED};
use crate::{Found, field};

const fn of(name: &'static str) -> Folder {
    Folder { name, session, answers, ended, repeats: WAITED }
}

pub(super) const FOLDERS: &[Folder] = &[
    of("open_loop"),
    of("open_loop_huang"),
    of("open_loop_demo"),
    of("resample"),
    of("resample_2024"),
    of("reprompt_notion"),
    of("reprompt_inference"),
    of("reprompt_cause"),
    of("reprompt_cause_geometric"),
    of("reprompt_cause_geometric_2024"),
];

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        id: "running-seed",
        excuses: |case| case.field == "seed",
        reason: "the programs send 4562 each time; here it is a running number from the episode's seed, lest repetitions and a prompt that \
                 is sent again be answered alike",
    },
    Exception {
        id: "recorded-household",
        excuses: |case| case.field == HOUSEHOLD,
        reason: "the household of October 2022 adds what a step lacks anew \
                 as number 1000, so that it is near, held or open as another thing of that number was; here things stay what they are, \
                 and the episode goes on with the recorded verdict",
    },
    Exception {
        id: "equals-unsorted",
        excuses: |case| {
            let before = case.call.unwrap_or(case.episode.calls.len());
            case.folder == "resample" && case.episode.calls.iter().take(before).any(goes_on_among_equals)
        },
        reason: "among steps of one score (all that were tried before) the program goes by the order that a vectorised sort leaves them \
                 in, which no rule gives; here the last of them comes first, and what follows in the episode is another plan",
    },
];

/// Whether a step was tried among equals that are in no order.
fn goes_on_among_equals(call: &Call) -> bool {
    let list = |name: &str| call.rest.get(name).and_then(Value::as_array).cloned().unwrap_or_default();
    let samples = list("samples");
    let is_seen = |at: &u64| {
        let sample = usize::try_from(*at).ok().and_then(|at| samples.get(at));
        sample.is_some_and(|sample| sample["dropped"] == "seen")
    };
    let order: Vec<u64> = list("order").iter().filter_map(Value::as_u64).filter(is_seen).collect();
    let tried = list("attempts").iter().filter_map(|attempt| attempt["sample"].as_u64()).any(|at| is_seen(&at));
    tried && order.windows(2).any(|pair| pair[0] < pair[1])
}

/// The field of verdicts that were the recording's.
const HOUSEHOLD: &str = "household";

/// The method, its settings, and what else a folder's program was run with.
fn options(folder: &str) -> (&'static str, &'static str, &'static [(&'static str, &'static str)]) {
    const STEP: (&str, &str) = ("run", "prepared-step");
    const WHOLE: (&str, &str) = ("run", "prepared");
    match folder {
        "open_loop" => ("open-loop", "corrective-2022", &[WHOLE]),
        "open_loop_huang" => ("open-loop", "zero-shot-readme", &[WHOLE]),
        "open_loop_demo" => ("open-loop", "zero-shot", &[WHOLE]),
        "resample" => ("resample", "corrective-2022", &[STEP]),
        "resample_2024" => ("resample", "corrective-2024", &[WHOLE]),
        "reprompt_notion" => ("reprompt", "corrective-2022", &[STEP, ("information", "notion")]),
        "reprompt_inference" => ("reprompt", "corrective-2022", &[STEP, ("information", "inference")]),
        "reprompt_cause_geometric" => ("reprompt", "corrective-2022", &[STEP, ("score", "geometric")]),
        "reprompt_cause_geometric_2024" => ("reprompt", "corrective-2024", &[WHOLE]),
        _ => ("reprompt", "corrective-2022", &[STEP]),
    }
}

fn session(recording: &Recording<'_>) -> Result<Opening, String> {
    let folder = recording.folder.file_name().and_then(|name| name.to_str()).unwrap_or_default();
    let (method, settings, options) = options(folder);
    let task = recording.task("id")?;
    // Without a household the plan was written to its end; any will do.
    let task = if task.contains('/') { task.to_owned() } else { format!("scene1/{task}") };
    let data = with_example(recording)?;
    let made = (data != recording.data.join(DATA)).then(|| data.clone());
    let late = folder.ends_with("_2024");
    let wording = if late { Wording::Code2024 } else { Wording::Code2022 };
    let verdicts: Arc<[Verdict]> = attempts(recording.episode).map(|attempt| verdict(attempt, folder)).collect();
    // Where the original broke off, it did so at the last step that it tried.
    let actions = if is_broken(recording.episode) { verdicts.len() } else { MOST };
    let adapt = move |setup: &mut Setup| {
        setup.prompting.translator = Translator::new(Arc::new(StandIn), None);
        let own = setup.world.fork();
        setup.world = Box::new(Fed { own, verdicts, wording, at: (0, None) });
        // It was read by now.
        made.into_iter().for_each(|folder| drop(std::fs::remove_dir_all(folder)));
    };
    let named = [("settings", settings)];
    let options = options.iter().chain(&named);
    let new = NewSession {
        world: "graph".to_owned(),
        data: Some(data),
        task,
        options: options.map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        method: method.to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let mut templates = Vec::new();
    for name in ["plan", "notion", "inference", "cause"] {
        let file = recording.folder.join("templates").join(format!("{name}.jinja"));
        if file.is_file() {
            let text = std::fs::read_to_string(&file).map_err(|e| format!("{}: {e}", file.display()))?;
            templates.push((format!("reprompt/{name}"), text));
        }
    }
    Ok(Opening { new, templates, actions: u32::try_from(actions).unwrap_or(u32::MAX), adapt: Some(Box::new(adapt)) })
}

/// The folder of the topic whose households these are.
const DATA: &str = "virtualhome";
/// Actions of an episode; the limits of the settings come before.
const MOST: usize = 100;

/// The steps that were tried in a household, in order.
fn attempts(episode: &Recorded) -> impl Iterator<Item = &Value> {
    episode.calls.iter().filter_map(|call| call.rest.get("attempts")?.as_array()).flatten()
}

fn verdict(attempt: &Value, folder: &str) -> Verdict {
    let line = attempt["correction"].as_str().and_then(|line| line.strip_prefix("Error: "));
    let cause = line.and_then(|line| line.strip_suffix(". A correct step would be to"));
    Verdict {
        executed: attempt["executed"] == true,
        message: attempt["message"].as_str().unwrap_or_default().to_owned(),
        cause: cause.filter(|_| folder.contains("cause")).map(str::to_owned),
    }
}

fn is_broken(episode: &Recorded) -> bool {
    episode.outcome["ended"] == "crash"
}

/// The copy of VirtualHome in which the recorded example is found: which of equals the original took, and from which list, is a fact of the
/// recording and no rule.
fn with_example(recording: &Recording<'_>) -> Result<PathBuf, String> {
    let data = recording.data.join(DATA);
    let failed = |path: &Path, e: &dyn std::fmt::Display| format!("{}: {e}", path.display());
    let file = data.join("examples.jsonl");
    let text = std::fs::read_to_string(&file).map_err(|e| failed(&file, &e))?;
    let wanted = &recording.episode.task["example"];
    let (title, steps) = (&wanted["title"], wanted["text"].as_str().unwrap_or_default().trim());
    let is_title = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|example| example["title"] == *title);
    let is_it = |line: &str| {
        serde_json::from_str::<Value>(line).is_ok_and(|e| e["text"].as_str().unwrap_or_default().trim() == steps)
    };
    let equals: Vec<&str> = text.lines().filter(is_title).collect();
    let at = equals.iter().position(|line| is_it(line));
    let Some(chosen) = at.and_then(|at| equals.get(at)).copied() else {
        return Err(format!("there is no example {title} with the recorded steps"));
    };
    let task = vector(recording.task("title")?);
    let cosine = |title: &Value| {
        let other = vector(title.as_str().unwrap_or_default());
        task.iter().zip(other).map(|(a, b)| a * b).sum::<f32>()
    };
    let near = cosine(title) + 1e-5;
    let is_nearer = |line: &&str| serde_json::from_str::<Value>(line).is_ok_and(|e| cosine(&e["title"]) > near);
    if at == Some(0) && !text.lines().any(|line| is_nearer(&line)) {
        return Ok(data);
    }
    let id = recording.episode.rest.get("id").and_then(Value::as_str).unwrap_or_default();
    let own = std::env::temp_dir().join("stepwright-conform").join(format!("{}-{id}", std::process::id()));
    std::fs::create_dir_all(&own).map_err(|e| failed(&own, &e))?;
    for name in ["scenes", "resources", "available_actions.json", "programs.jsonl"] {
        link(&data.join(name), &own.join(name)).map_err(|e| failed(&own, &e))?;
    }
    let rest: String =
        text.lines().filter(|line| *line != chosen && !is_nearer(line)).map(|line| format!("{line}\n")).collect();
    let file = own.join("examples.jsonl");
    std::fs::write(&file, format!("{chosen}\n{rest}")).map_err(|e| failed(&file, &e))?;
    Ok(own)
}

/// The completions with the log-probabilities of their tokens.
fn answers(call: &Call) -> Vec<Completion> {
    let samples = call.rest.get("samples").and_then(Value::as_array);
    let tokens = |at: usize| {
        let logprobs = samples.and_then(|samples| samples.get(at)?["logprobs"].as_array());
        let token = |logprob: &Value| TokenLogprob {
            token: String::new(),
            logprob: logprob.as_f64().unwrap_or_default(),
            top: Vec::new(),
        };
        logprobs.into_iter().flatten().map(token).collect()
    };
    let whole = |(at, answer): (usize, &Value)| Completion {
        tokens: tokens(at),
        ..Completion::whole(answer.as_str().unwrap_or_default())
    };
    call.answers.iter().enumerate().map(whole).collect()
}

/// The plan at its end, and how many steps were tried for it.
fn ended(episode: &Recorded, session: &Session) -> Vec<Found> {
    if is_broken(episode) {
        return Vec::new();
    }
    let sections = METHODS.sections(&Place::at_cursor(session));
    let lines = sections.first().map(|plan| plan.lines.as_slice()).unwrap_or_default();
    let open_loop = session.method == "open-loop";
    // A correction that waits was not tried.
    let is_tried = |mark| mark != StepStatus::Open && (open_loop || mark != StepStatus::Next);
    let tried: Vec<_> = lines.iter().filter(|line| is_tried(line.mark)).collect();
    let done = tried.iter().filter(|line| open_loop || line.mark == StepStatus::Done);
    let plain = |text: &str| text.to_lowercase().replace('_', " ");
    let step = |text: &str| {
        let text = text.strip_prefix("correction: ").unwrap_or(text);
        plain(text.split(" (").next().unwrap_or(text))
    };
    let plan: Vec<String> = done.map(|line| step(&line.text)).collect();
    let texts = |name: &str| -> Vec<String> {
        episode.outcome[name].as_array().into_iter().flatten().filter_map(Value::as_str).map(plain).collect()
    };
    let written = episode.outcome["plan_text"].as_str().unwrap_or_default().lines().skip(1);
    let written = || written.clone().map(|line| plain(line.split_once(": ").map_or(line, |(_, step)| step))).collect();
    let recorded = if episode.outcome["plan"].is_array() { texts("plan") } else { written() };
    let mut found = vec![field("plan", &recorded, &plan)];
    if !open_loop {
        found.push(field("attempted", &texts("attempted").len(), &tried.len()));
        let path = session.path(session.cursor());
        let as_recorded = path.iter().filter(|node| node.outcome.observation == RECORDED).count();
        let shown = format!("{as_recorded} of {} verdicts are the recording's", tried.len());
        found.push((as_recorded > 0).then(|| (HOUSEHOLD, "verdicts of its own".to_owned(), shown)));
    }
    found
}

/// The stand-in for the sentence embedder: every word, every pair of words side by side and every run of three letters of a word, each
/// hashed into one of 512 places.
struct StandIn;

const PLACES: usize = 512;

impl Embedder for StandIn {
    fn name(&self) -> &str {
        "stand-in of the recordings"
    }

    fn dimensions(&self) -> usize {
        PLACES
    }

    fn embed(&self, sentences: &[String]) -> Result<Vec<Vec<f32>>, EmbedError> {
        Ok(sentences.iter().map(|sentence| vector(sentence)).collect())
    }
}

fn vector(sentence: &str) -> Vec<f32> {
    let lower = sentence.to_lowercase();
    let words: Vec<&str> = lower.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty()).collect();
    let mut out = vec![0.0_f32; PLACES];
    let mut add = |feature: &str, weight: f32| {
        let hash = crc32fast::hash(feature.as_bytes());
        if let Some(place) = out.get_mut(hash as usize % PLACES) {
            *place += if (hash >> 16) & 1 == 1 { weight } else { -weight };
        }
    };
    for word in &words {
        add(&format!("w:{word}"), 1.0);
        let padded = format!("#{word}#");
        for at in 0..padded.len() - 2 {
            add(&format!("t:{}", padded.get(at..at + 3).unwrap_or_default()), 0.35);
        }
    }
    for pair in words.windows(2) {
        add(&format!("b:{}", pair.join(" ")), 0.5);
    }
    if words.is_empty() {
        add("w:", 1.0);
        // Four steps are as near to no words; the recordings' arithmetic took `wipe walltv`.
        add("w:wipe", 1e-4);
    }
    normalise(&mut out);
    out
}

#[cfg(unix)]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    match std::os::unix::fs::symlink(std::path::absolute(from)?, to) {
        Err(e) if e.kind() == std::io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

#[cfg(not(unix))]
fn link(from: &Path, to: &Path) -> std::io::Result<()> {
    if from.is_dir() {
        std::fs::create_dir_all(to)?;
        for entry in std::fs::read_dir(from)? {
            let entry = entry?;
            std::fs::copy(entry.path(), to.join(entry.file_name()))?;
        }
        return Ok(());
    }
    std::fs::copy(from, to).map(|_| ())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_stand_in_is_that_of_the_recordings() {
        let cosine = |a: &str, b: &str| vector(a).iter().zip(vector(b)).map(|(a, b)| a * b).sum::<f32>();
        assert!((cosine("walk to mail", "Walk_to mail") - 1.0).abs() < 1e-5);
        assert!((cosine("walk to the mail", "walk to mail") - 0.808_097).abs() < 1e-5);
        assert!((cosine("go to the mail", "turn to mail") - 0.509_543).abs() < 1e-5);
    }
}
