//! Outputs that were recorded elsewhere, played back by what they were for: the published runs of Statler and its baselines, and plans
//! with hand-written corrections.
//!
//! A file of JSON lines, each a run: `id` (the episode), `method`, and `steps` with `step` (from 1), `generated` (the program) and
//! `next_state_text` (the state, where the method has one); or a plan with the correction of its last step: `task`, `steps`, `correction`
//! and `skip` ([`stepwright_plan::recorded`]). Prompts do not matter: an answer is found by the request's
//! [`Tag`]. Where an episode went another way than the recorded one its outputs are what they were.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::Deserialize;
use serde_json::Value;
use stepwright_plan::recorded::{Correction, Plans, title_of};
use stepwright_plan::written::unnumbered;
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
    next_state_text: Option<String>,
}

pub struct Recorded {
    name: String,
    path: PathBuf,
    steps: BTreeMap<(String, String, usize), Step>,
    plans: Plans,
}

impl Recorded {
    /// Reads the outputs of a file; behind its name there may be the id of the one plan to play (`corrections.jsonl#12`).
    pub fn open(name: &str, path: &Path) -> Result<Self, ModelError> {
        let (path, id) = match path.to_str().and_then(|text| text.rsplit_once('#')) {
            Some((file, id)) if !path.exists() => (Path::new(file), Some(id)),
            _ => (path, None),
        };
        let wrong = |why: String| ModelError::Configuration(format!("{}: {why}", path.display()));
        let text = stepwright_files::read_text(path, LARGEST).map_err(|e| wrong(e.to_string()))?;
        let (mut steps, mut plans) = (BTreeMap::new(), Plans::default());
        for (i, line) in text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty()) {
            let bad = |error: serde_json::Error| {
                wrong(format!(
                    "line {}: {error}; a line is a run with id, method and steps (step, generated, next_state_text), or a plan with \
                     task, steps and correction",
                    i + 1
                ))
            };
            let value: Value = serde_json::from_str(line).map_err(bad)?;
            if value.get("correction").is_some() {
                plans.add(Correction::deserialize(value).map_err(bad)?);
                continue;
            }
            let run = Run::deserialize(value).map_err(bad)?;
            for step in run.steps {
                steps.insert((plain(&run.id), plain(&run.method), step.step), step);
            }
        }
        if steps.is_empty() && plans.is_empty() {
            return Err(wrong("it holds no recorded run".to_owned()));
        }
        let plans = match id {
            Some(id) => plans.only(id).map_err(wrong)?,
            None => plans,
        };
        Ok(Recorded { name: name.to_owned(), path: path.to_owned(), steps, plans })
    }

    fn find(&self, tag: Option<&Tag>) -> Result<String, ModelError> {
        let missing = |nearest: String| ModelError::NotRecorded { path: self.path.display().to_string(), nearest };
        let Some(tag) = tag else {
            return Err(missing(
                "none: nothing says what the request is for, as methods of requests and of corrected plans do"
                    .to_owned(),
            ));
        };
        let run = || self.of_run(tag).map_err(missing);
        let state = |found: &Step| {
            let no_state =
                || missing(format!("the program of {}, request {}, recorded without a state", tag.task, tag.request));
            found.next_state_text.clone().ok_or_else(no_state)
        };
        match tag.wanted {
            Wanted::Step | Wanted::NumberedStep | Wanted::Correction => self.of_plan(tag).map_err(missing),
            Wanted::Program => Ok(run()?.generated.clone()),
            Wanted::State => state(run()?),
            Wanted::ProgramAndState => {
                let found = run()?;
                Ok(format!("{}\n{}", found.generated, state(found)?))
            }
        }
    }

    /// The recorded output for a person's request; else the runs there are in its place, in words.
    fn of_run(&self, tag: &Tag) -> Result<&Step, String> {
        let key = (plain(&tag.task), plain(&tag.method), tag.request);
        self.steps.get(&key).ok_or_else(|| self.nearest(&key))
    }

    /// A step of the plan for a task, or the correction of its last one; else what there is in its place, in words.
    fn of_plan(&self, tag: &Tag) -> Result<String, String> {
        let (task, number) = (&tag.task, tag.request);
        let plan = self.plans.of(task, tag.seed).ok_or_else(|| {
            let title = title_of(task).replace('_', " ");
            let there = self.plans.task().unwrap_or("no plan");
            format!("no plan for {task}, whose `task` would be “{title}”; recorded is {there} and others")
        })?;
        match tag.wanted {
            Wanted::Correction => plan.corrected(number).map(|step| unnumbered(step).to_owned()).ok_or_else(|| {
                format!(
                    "the correction of step {} of {}; asked for was that of step {number}",
                    plan.steps.len(),
                    plan.task
                )
            }),
            wanted => Ok(match (unnumbered(plan.step(number)), wanted) {
                (step, Wanted::NumberedStep) if !step.is_empty() => format!("Step {number}: {step}"),
                (step, _) => step.to_owned(),
            }),
        }
    }

    /// The runs there are in place of one that is not there, in words.
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
        Tag { task: task.into(), method: method.into(), seed: 0, request, wanted }
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
        let missing = model.find(Some(&tag("weight/02", "statler", 1, Wanted::Program))).unwrap_err();
        assert!(!missing.is_of_service(), "what no recording holds is no answer that a service refused");
        assert!(model.find(None).unwrap_err().to_string().contains("nothing says"));
    }

    #[test]
    fn a_plan_is_played_back_step_by_step_and_its_last_step_is_corrected() {
        let plan = "{\"task\":\"Wash hands\",\"steps\":[\"Step 1: Grab soap\"],\"correction\":\"Step 1: Walk to soap\",\"skip\":\"False\"}";
        let model = recorded(&format!("{RUNS}{plan}")).unwrap();
        let find = |task: &str, request, wanted| model.find(Some(&tag(task, "reprompt", request, wanted)));
        assert_eq!(find("scene1/wash_hands", 1, Wanted::Step).unwrap(), "Grab soap");
        assert_eq!(find("scene1/wash_hands", 1, Wanted::NumberedStep).unwrap(), "Step 1: Grab soap");
        assert_eq!(find("scene1/wash_hands", 1, Wanted::Correction).unwrap(), "Walk to soap");
        assert_eq!(find("scene1/wash_hands", 2, Wanted::Step).unwrap(), "", "the plan is over");
        let error = |task: &str, wanted| find(task, 2, wanted).unwrap_err().to_string();
        assert!(error("scene1/wash_hands", Wanted::Correction).contains("the correction of step 1 of Wash hands"));
        assert!(error("scene1/sleep", Wanted::Step).contains("no plan for scene1/sleep"));
    }

    #[test]
    fn every_plan_for_a_task_can_be_played_by_its_seed_or_its_id() {
        let plan = |id: u8, step: &str| {
            format!("{{\"id\":{id},\"task\":\"Eat\",\"steps\":[\"{step}\"],\"correction\":\"{step} again\"}}\n")
        };
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("plans.jsonl");
        std::fs::write(&path, [plan(4, "Find bread"), plan(9, "Find milk")].concat()).unwrap();
        let first = |path: &Path, seed| {
            let tag = Tag { seed, ..tag("scene1/eat", "reprompt", 1, Wanted::Step) };
            Recorded::open("recorded", path).unwrap().find(Some(&tag)).unwrap()
        };
        assert_eq!([0, 1, 2].map(|seed| first(&path, seed)), ["Find bread", "Find milk", "Find bread"]);
        let named = |id: &str| PathBuf::from(format!("{}#{id}", path.display()));
        assert_eq!([0, 1].map(|seed| first(&named("9"), seed)), ["Find milk", "Find milk"]);
        let error = Recorded::open("recorded", &named("5")).err().unwrap().to_string();
        assert!(error.contains("plans.jsonl: no plan has the id `5`; there are 4, 9"), "{error}");
    }

    #[test]
    fn what_is_no_recording_is_said_with_its_line() {
        let error = |text: &str| recorded(text).err().unwrap().to_string();
        assert!(error("{\"id\":1}").contains("runs.jsonl: line 1"), "{}", error("{\"id\":1}"));
        assert!(error(&format!("{RUNS}[]")).contains("line 3"));
        assert!(error("").contains("no recorded run"));
    }
}
