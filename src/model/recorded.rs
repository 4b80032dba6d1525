//! Outputs that were recorded elsewhere, played back by what they were for: the published runs of Statler and its baselines.
//!
//! A file of JSON lines, each a run: `id` (the episode), `method`, and `steps` with `step` (from 1), `generated` (the program) and
//! `next_state_text` (the state, where the method has one). Prompts do not matter: an answer is found by the request's
//! [`Tag`]. Where an episode went another way than the recorded one its outputs are what they were.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::Deserialize;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent, Tag, Wanted,
};

/// The largest file read, in bytes.
const LARGEST: u64 = 256 << 20;

/// One line of the file; what it says beside is passed over.
#[derive(Deserialize)]
struct Run {
    id: String,
    method: String,
    steps: Vec<Step>,
}

#[derive(Deserialize)]
struct Step {
    step: usize,
    generated: String,
    #[serde(default)]
    next_state_text: Option<String>,
}

/// Recorded outputs.
pub struct Recorded {
    name: String,
    path: PathBuf,
    /// By episode, method and request.
    steps: BTreeMap<(String, String, usize), Step>,
}

impl Recorded {
    /// Reads the outputs of a file.
    ///
    /// # Errors
    /// [`ModelError::Configuration`] naming the file, and the bad line.
    pub fn open(name: &str, path: &Path) -> Result<Self, ModelError> {
        let wrong = |why: String| ModelError::Configuration(format!("{}: {why}", path.display()));
        let size = std::fs::metadata(path).map_err(|e| wrong(e.to_string()))?.len();
        if size > LARGEST {
            return Err(wrong("the file is larger than 256 MiB".to_owned()));
        }
        let text = std::fs::read_to_string(path).map_err(|e| wrong(e.to_string()))?;
        let mut steps = BTreeMap::new();
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let run: Run = serde_json::from_str(line).map_err(|e| {
                wrong(format!(
                    "line {}: {e}; a line is a run with id, method and steps (step, generated, next_state_text)",
                    i + 1
                ))
            })?;
            for step in run.steps {
                steps.insert((plain(&run.id), plain(&run.method), step.step), step);
            }
        }
        if steps.is_empty() {
            return Err(wrong("it holds no recorded run".to_owned()));
        }
        Ok(Recorded { name: name.to_owned(), path: path.to_owned(), steps })
    }

    /// The output that was recorded for a request.
    fn find(&self, tag: Option<&Tag>) -> Result<String, ModelError> {
        let missing = |nearest: String| ModelError::NotRecorded { path: self.path.display().to_string(), nearest };
        let Some(tag) = tag else {
            return Err(missing(
                "none: it was not told what the request is for, as only methods of the table do".to_owned(),
            ));
        };
        let key = (plain(&tag.task), plain(&tag.method), tag.request);
        let found = self.steps.get(&key).ok_or_else(|| missing(self.nearest(&key)))?;
        let no_state =
            || missing(format!("the program of {}, request {}, recorded without a state", tag.task, tag.request));
        Ok(match tag.wanted {
            Wanted::Program => found.generated.clone(),
            Wanted::State => found.next_state_text.clone().ok_or_else(no_state)?,
            Wanted::ProgramAndState => {
                let state = found.next_state_text.as_deref().ok_or_else(no_state)?;
                format!("{}\n{state}", found.generated)
            }
        })
    }

    /// What there is in place of a run that is not there, in words.
    fn nearest(&self, (task, method, request): &(String, String, usize)) -> String {
        let of_task = self.steps.keys().filter(|(id, ..)| id == task);
        let methods: std::collections::BTreeSet<&str> = of_task.clone().map(|(_, method, _)| method.as_str()).collect();
        let last = of_task.filter(|(_, m, _)| m == method).map(|(.., request)| *request).max();
        match (last, methods.is_empty()) {
            (Some(last), _) => format!("the recorded run ends with request {last}, asked for was {request}"),
            (None, false) => format!("{task} by {}", methods.into_iter().collect::<Vec<_>>().join(", ")),
            (None, true) => format!(
                "none of {task}; recorded is {} and others",
                self.steps.keys().next().map_or("nothing", |k| k.0.as_str())
            ),
        }
    }
}

/// Ids and methods are spelled with one sign between words here: `pick_and_place/01` is `pick_and_place-01` there.
fn plain(id: &str) -> String {
    id.replace(['/', '-'], "_")
}

#[async_trait]
impl LanguageModel for Recorded {
    fn info(&self) -> ModelInfo {
        let endpoint = self.path.display().to_string();
        ModelInfo { name: self.name.clone(), kind: ModelKind::Recorded, endpoint }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let text = self.find(request.tag.as_ref())?;
        // Nobody listening is no error.
        let _ = stream.send(StreamEvent::Delta { index: 0, text: text.clone() });
        Ok(ModelResponse::of(vec![Completion::whole(text)], None))
    }

    fn prefers_raw(&self) -> bool {
        true
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(text: &str) -> Result<Recorded, ModelError> {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("runs.jsonl");
        std::fs::write(&path, text).unwrap();
        Recorded::open("recorded:runs.jsonl", &path)
    }

    fn tag(task: &str, method: &str, request: usize, wanted: Wanted) -> Tag {
        Tag { task: task.into(), method: method.into(), request, wanted }
    }

    const RUNS: &str = "{\"id\":\"weight-01\",\"method\":\"statler_unified\",\"other\":1,\"steps\":[{\"step\":1,\"generated\":\"noop()\",\"next_state_text\":\"# state = {\"},{\"step\":2,\"generated\":\"say('a')\"}]}\n\n";

    #[test]
    fn outputs_are_found_by_episode_method_and_request() {
        let model = recorded(RUNS).unwrap();
        let find = |wanted, request| model.find(Some(&tag("weight/01", "statler-unified", request, wanted)));
        assert_eq!(find(Wanted::Program, 1).unwrap(), "noop()");
        assert_eq!(find(Wanted::State, 1).unwrap(), "# state = {");
        assert_eq!(find(Wanted::ProgramAndState, 1).unwrap(), "noop()\n# state = {");
        assert!(find(Wanted::State, 2).unwrap_err().to_string().contains("without a state"));
        assert!(find(Wanted::Program, 3).unwrap_err().to_string().contains("ends with request 2"));
        let other = |task: &str, method: &str| {
            model.find(Some(&tag(task, method, 1, Wanted::Program))).unwrap_err().to_string()
        };
        assert!(other("weight/01", "statler").contains("by statler_unified"), "{}", other("weight/01", "statler"));
        assert!(other("weight/02", "statler").contains("none of weight_02"));
        assert!(model.find(None).unwrap_err().to_string().contains("not told"));
    }

    #[test]
    fn what_is_no_recording_is_said_with_its_line() {
        let error = |text: &str| recorded(text).err().unwrap().to_string();
        assert!(error("{\"id\":1}").contains("runs.jsonl: line 1"), "{}", error("{\"id\":1}"));
        assert!(error(&format!("{RUNS}[]")).contains("line 3"));
        assert!(error("").contains("no recorded run"));
    }
}
