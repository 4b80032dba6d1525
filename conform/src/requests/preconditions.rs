//! Requests for preconditions and for next actions. No program of the paper's is public: these were made after its words and figures, so
//! parts and their order are compared and not bytes.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use super::recording::{Call, Recorded};
use crate::report::Found;
use crate::sgd::{Recordings, Split};
use crate::{Row, difference, field, unreadable};
use stepwright_method::options::SHOTS;
use stepwright_method::prompting::{Form, Material, Prompting, SpecificationText};
use stepwright_precondition::{COMPLETION_TEMPLATE, CandidateStore, Demo};
use stepwright_program::Specification;
use stepwright_study::recordings::{each_line, jsonl_files};
use stepwright_trajectory::Step;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::options::Values;

pub(super) const FOLDER: &str = "preconditions";

/// The departures that are meant, which the comparison of parts passes over.
const EXCEPTIONS: [(&str, &str); 2] = [
    (
        "preconditions-frame",
        "programs stand in a function with the lines that set its objects up, and a raw prompt ends within the next line's indentation: \
         behind a line break small models write an empty line",
    ),
    (
        "preconditions-blank",
        "the blank behind the last `assert` is left to the completion, whose first token it is a part of",
    ),
];

pub(super) fn compare(root: &Path) -> Row {
    let files = jsonl_files(&root.join(FOLDER), "episodes");
    if files.is_empty() {
        return Row::missing(FOLDER, "calls", "no episodes*.jsonl in this folder");
    }
    let mut row = Row::new(FOLDER, "calls");
    let data = Recordings::open(&root.parent().unwrap_or(root).join("sgd"));
    let mut of_episode = |at: String, record: Result<Recorded, String>| match (&data, record) {
        (Err(why), _) => row.lacks(1, || format!("the dialogues are not there: {why}")),
        (_, Err(why)) => row.differs(unreadable(at, why)),
        (Ok(data), Ok(episode)) => {
            for (number, call) in episode.calls.iter().enumerate() {
                let at = format!("{FOLDER}/{at}, call {}", number + 1);
                match of_call(&root.join(FOLDER), data, &episode, call) {
                    Ok(found) => _ = row.fields(|| at, found),
                    Err(why) => row.count([difference(at, "a request", why)]),
                }
            }
        }
    };
    files.iter().for_each(|file| each_line(file, &mut of_episode));
    let exceptions: Vec<String> = EXCEPTIONS.iter().map(|(id, reason)| format!("{id}: {reason}")).collect();
    row.note = Some(format!("parts and their order; passed over: {}", exceptions.join("; ")));
    row
}

fn of_call(folder: &Path, data: &Recordings, episode: &Recorded, call: &Call) -> Result<Vec<Found>, String> {
    let recorded = call.prompt.as_ref().ok_or("it has no prompt")?.whole(folder)?;
    let text = |value: &Value| value.as_str().map(str::to_owned).ok_or("its task has no text there");
    let service = text(&episode.task["service"])?;
    let expected = Parts::of(&recorded);
    let (got, stop) = if call.purpose == "candidates" {
        let demonstration = call.rest.get("demonstration").and_then(Value::as_str).ok_or("no demonstration")?;
        (candidates(data, &service, &text(&episode.task["action"])?, demonstration)?, None)
    } else {
        let stop = stepwright_method::generation(true, false).stop;
        (next_action(data, &service, &expected)?, Some(stop))
    };
    let got = Parts::of(&got);
    let stops =
        call.params.get("stop").map(|stop| serde_json::from_value::<Vec<String>>(stop.clone()).unwrap_or_default());
    let shown = |parts: &Parts| {
        let mut shown = parts.demonstrations().to_vec();
        shown.sort();
        shown
    };
    Ok(vec![
        field("order", &expected.order, &got.order),
        field("demonstrations", &shown(&expected), &shown(&got)),
        field("query", &expected.query(), &got.query()),
        field("definitions", &expected.functions, &got.functions),
        stop.and_then(|stop| field("stop", &stops, &Some(stop))),
    ])
}

fn candidates(data: &Recordings, service: &str, action: &str, demonstration: &str) -> Result<String, String> {
    let demos = data.service(service, Split::Demonstrations)?;
    let specification =
        Specification::load(&data.source().specification(service), service).map_err(|e| e.to_string())?;
    let shown: Vec<Demo> = demos.all.iter().filter(|demo| demo.id == demonstration).cloned().collect();
    let store = CandidateStore::new(&specification, shown).map_err(|e| e.to_string())?;
    let context = store.context(action, 0).ok_or("there is no such action or demonstration")?;
    let prompt = Prompting::default().render(COMPLETION_TEMPLATE, &context)?;
    Ok(prompt.messages.into_iter().map(|message| message.text).collect())
}

/// The product's prompt with the recorded demonstrations, assertions and trajectory.
fn next_action(data: &Recordings, service: &str, recorded: &Parts) -> Result<String, String> {
    let specification =
        Specification::load(&data.source().specification(service), service).map_err(|e| e.to_string())?;
    let calls = |demonstration: &Demonstration| demonstration.calls().map(ToString::to_string).collect::<Vec<_>>();
    let all: Vec<Demonstration> = data.source().dialogues().iter().map(Demonstration::from).collect();
    let shown = recorded.demonstrations().iter().map(|program| {
        all.iter().find(|d| calls(d) == *program).cloned().ok_or("a demonstration is not among the dialogues")
    });
    let shown = shown.collect::<Result<Vec<_>, _>>()?;
    let opening = shown.first().map(|demonstration| demonstration.header.opening()).unwrap_or_default();
    let mut assertions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for (function, body) in &recorded.functions {
        let name = function.split(['.', '(']).nth(1).unwrap_or_default();
        let texts = body.iter().filter_map(|line| line.strip_prefix("assert ")).map(str::to_owned);
        assertions.entry(name.to_owned()).or_default().extend(texts);
    }
    assertions.retain(|_, texts| !texts.is_empty());
    let text = SpecificationText::new(&specification, (!assertions.is_empty()).then_some(&assertions))?;
    let query = recorded.query().cloned().unwrap_or_default();
    let calls = query.iter().map(|line| line.parse().map_err(|_| format!("`{line}` is no call")));
    let steps = [Step { calls: calls.collect::<Result<_, _>>()?, ..Step::default() }];
    let options = Values::default().with(&SHOTS, &shown.len().to_string());
    let prompting = Prompting { demonstrations: shown.into(), options, ..Prompting::default() };
    let material = Material {
        specification: &text,
        opening: &opening,
        steps: &steps,
        task: "",
        kind: "",
        rejections: &[],
        turn_ends: None,
    };
    let prompt = prompting.build("program", Form::Raw, &material)?;
    Ok(prompt.messages.into_iter().map(|message| message.text).collect())
}

/// A prompt by its parts, whatever the indentation.
#[derive(Debug, Default)]
struct Parts {
    /// The kinds of parts as they follow each other, each run once.
    order: Vec<&'static str>,
    /// The lines of programs: calls.
    programs: Vec<Vec<String>>,
    /// The bodies of functions, by class and signature.
    functions: BTreeMap<String, Vec<String>>,
}

impl Parts {
    fn of(text: &str) -> Parts {
        let mut parts = Parts::default();
        let (mut class, mut function, mut apart) = (None, None, true);
        for line in text.lines() {
            let words = line.trim();
            let outer = !line.starts_with(char::is_whitespace);
            match words {
                "" => apart = true,
                _ if outer && words.starts_with("class ") => {
                    class = Some(words.trim_start_matches("class ").trim_end_matches(':').to_owned());
                    parts.next("classes");
                }
                _ if outer && words.starts_with("from ") => parts.next("classes"),
                _ if outer => {
                    class = None;
                    parts.next("program");
                    let opens = words.starts_with("def ");
                    if apart || opens {
                        parts.programs.push(Vec::new());
                    }
                    parts.line(words, opens);
                }
                _ => match (&class, words.strip_prefix("def ")) {
                    (Some(class), Some(signature)) => {
                        let named = format!("{class}.{}", signature.trim_end_matches(':'));
                        parts.functions.entry(named.clone()).or_default();
                        function = Some(named);
                    }
                    (Some(_), None) => {
                        let body = function.as_ref().and_then(|name| parts.functions.get_mut(name));
                        body.into_iter().for_each(|body| body.push(words.to_owned()));
                    }
                    (None, _) => parts.line(words, words.contains(" = ") || words.starts_with('#')),
                },
            }
            apart &= words.is_empty();
        }
        parts
    }

    fn next(&mut self, kind: &'static str) {
        if self.order.last() != Some(&kind) {
            self.order.push(kind);
        }
    }

    fn line(&mut self, words: &str, is_frame: bool) {
        self.programs.last_mut().filter(|_| !is_frame).into_iter().for_each(|program| program.push(words.to_owned()));
    }

    /// The program that is to be continued, where one stands at the end.
    fn query(&self) -> Option<&Vec<String>> {
        self.programs.last().filter(|_| self.order.last() == Some(&"program"))
    }

    fn demonstrations(&self) -> &[Vec<String>] {
        let all = self.programs.as_slice();
        all.get(..all.len().saturating_sub(usize::from(self.query().is_some()))).unwrap_or_default()
    }
}
