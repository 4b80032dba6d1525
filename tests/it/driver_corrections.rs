//! The hand-written corrections of the recordings through the driver: each plan is played back as a model, in a world that refuses its last
//! step as it was recorded, and ends as it was recorded: corrected, or with the step left out.

use std::path::Path;
use std::sync::Arc;

use serde::Deserialize;
use serde_json::{Value, json};
use stepwright::methods::METHODS;
use stepwright_plan::recorded::Correction;
use stepwright_plan::written::sentence;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use stepwright::driver::{Beginning, Command, Notice, Request, Source};
use stepwright::episode::{Event, Level, Policy, Record};
use stepwright::method::{Place, StepStatus};
use stepwright::model::recorded::Recorded;
use stepwright::program::{Call, Literal};
use stepwright::world::{
    Ability, Language, Outcome, ProgramHeader, Refusal, Snapshot, TaskInfo, WordedPlan, Wording, World, WorldError,
    WorldKind,
};

/// The replayed household registers this; its one task is made by the test.
static REPLAYED: WorldKind = WorldKind {
    abilities: &[Ability::Language],
    ..WorldKind::new("replayed", "a household that refuses one step", |_| {
        Err(WorldError::Failed("made by the tests alone".into()))
    })
};

const SPECIFICATION: &str = "SETUP = ['home = Home()']\nACTIONS = ['home.act']\nOBSERVATIONS = []\n\n\nclass Home:\n    def act(self, step):\n        pass\n";

const ENDING: &str = ". A correct step would be to";

/// A recorded correction with its steps as a plan has them.
#[derive(Debug, Clone)]
struct Replay {
    task: String,
    steps: Vec<String>,
    correction: String,
    cause: String,
    number: u8,
}

#[derive(Deserialize)]
struct Typed {
    #[serde(rename = "type")]
    kind: String,
}

impl Replay {
    fn of(line: &str) -> (Replay, bool) {
        let recorded: Correction = serde_json::from_str(line).unwrap();
        let typed: Typed = serde_json::from_str(line).unwrap();
        // As the ten types of the paper are numbered.
        let number = match typed.kind.replace(' ', "-").as_str() {
            "unflipped-boolean-state" => 1,
            "not-facing" | "not-facing-object" => 2,
            "no-generation" => 3,
            "not-holding" => 5,
            "internally-contained" => 6,
            "hands-full" => 8,
            "agent-proximity" => 9,
            _ => 10,
        };
        let cause = recorded.error.strip_suffix(ENDING).unwrap_or(&typed.kind).to_owned();
        let replay = Replay {
            task: recorded.task.clone(),
            steps: recorded.steps.iter().map(|step| sentence(step)).collect(),
            correction: sentence(&recorded.correction),
            cause,
            number,
        };
        (replay, recorded.leaves_out())
    }
}

#[derive(Debug, Clone)]
struct Household {
    replay: Arc<Replay>,
    next: usize,
    done: Vec<String>,
}

impl Household {
    fn refuses(&self, text: &str) -> bool {
        let last = self.replay.steps.len();
        self.next + 1 == last && self.replay.steps.get(self.next).is_some_and(|step| step == text)
    }
}

impl World for Household {
    fn kind(&self) -> &'static WorldKind {
        &REPLAYED
    }

    fn reset(&mut self, _task: &str, _seed: u64) -> Result<Outcome, WorldError> {
        (self.next, self.done) = (0, Vec::new());
        Ok(Outcome { observation: "You are at home.".into(), ..Outcome::default() })
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let is_refused = self.refuses(text);
        self.next += 1;
        if is_refused {
            let error = Some(self.replay.cause.clone());
            return Ok(Outcome { observation: self.replay.cause.clone(), error, ..Outcome::default() });
        }
        self.done.push(text.to_owned());
        let won = self.next > self.replay.steps.len();
        Ok(Outcome {
            observation: "Done.".into(),
            action_call: self.call_of(text),
            won,
            done: won,
            ..Outcome::default()
        })
    }

    fn truth(&self) -> Value {
        json!({ "done": self.done })
    }

    fn snapshot(&self) -> Snapshot {
        Snapshot(Arc::new((self.next, self.done.clone())))
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        let state = snapshot.0.downcast_ref::<(usize, Vec<String>)>().ok_or(WorldError::ForeignSnapshot)?;
        (self.next, self.done) = state.clone();
        Ok(())
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        let sentence = self.replay.task.clone();
        vec![TaskInfo { id: sentence.clone(), kind: String::new(), sentence, source: "recorded".into() }]
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        let step = Literal::Str(text.into());
        Some(Call { receiver: "home".into(), function: "act".into(), args: vec![step], ..Call::default() })
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        match call.args.as_slice() {
            [Literal::Str(step)] => Some(step.to_string()),
            _ => None,
        }
    }

    fn header(&self) -> ProgramHeader {
        ProgramHeader { function: "task".into(), comment: String::new(), setup: vec!["home = Home()".into()] }
    }

    fn specification(&self) -> std::borrow::Cow<'static, str> {
        SPECIFICATION.into()
    }

    fn language(&self) -> Option<&dyn Language> {
        Some(self)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(self.clone())
    }
}

impl Language for Household {
    fn steps(&self) -> Arc<[String]> {
        let steps: std::collections::BTreeSet<&String> =
            self.replay.steps.iter().chain([&self.replay.correction]).collect();
        steps.into_iter().cloned().collect()
    }

    fn words_of(&self, text: &str) -> Option<String> {
        Some(text.to_owned())
    }

    fn text_of_words(&self, words: &str) -> Option<String> {
        self.steps().iter().find(|step| step.eq_ignore_ascii_case(words)).cloned()
    }

    fn examples(&self) -> Arc<[WordedPlan]> {
        Arc::from([])
    }

    fn refusal(&self, text: &str, _wording: Wording) -> Option<Refusal> {
        // Asked after the step was refused.
        (self.next == self.replay.steps.len()).then(|| Refusal {
            number: self.replay.number,
            kind: "recorded".into(),
            reason: self.replay.cause.clone(),
            step: text.to_owned(),
            cause: self.replay.cause.clone(),
        })
    }

    fn task(&self) -> String {
        self.replay.task.clone()
    }
}

/// A session whose model is the recorded plan.
fn begin(line: &str, replay: &Arc<Replay>, folder: &Path) -> Watched {
    let file = folder.join("correction.jsonl");
    std::fs::write(&file, line).unwrap();
    let model = Arc::new(Recorded::open("recorded:correction.jsonl", &file).unwrap());
    let mut header = header();
    header.world = REPLAYED.name.into();
    (header.task, header.sentence) = (replay.task.clone(), replay.task.clone());
    (header.method, header.model) = ("reprompt".into(), "recorded".into());
    // The published programs all but exclude a step that was done before, and some of these corrections are such.
    header.options.insert("tried".into(), "0".into());
    header.specification = SPECIFICATION.into();
    header.opening = vec!["def task():".into(), "home = Home()".into()];
    let household = Household { replay: Arc::clone(replay), next: 0, done: Vec::new() };
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), Scripted::new([]), None);
    setup.world = Box::new(household);
    setup.method = METHODS.named("reprompt").unwrap();
    setup.source = Source::Language { name: "recorded".into(), model };
    setup.headless = true;
    setup.policy = Some(Policy { steps: 40, ..Policy::default() });
    Watched::start(setup)
}

fn recordings() -> Option<String> {
    let file = crate::support::recordings::recordings("virtualhome")?.join("corrections.jsonl");
    Some(std::fs::read_to_string(&file).unwrap_or_else(|e| panic!("{}: {e}", file.display())))
}

#[tokio::test]
async fn every_hand_written_correction_ends_as_it_was_recorded() {
    let Some(text) = recordings() else { return };
    let folder = tempfile::tempdir().unwrap();
    let (mut corrected, mut left_out, mut unwritten) = (0, 0, 0);
    for line in text.lines() {
        let (replay, leaves_out) = Replay::of(line);
        let replay = Arc::new(replay);
        let mut w = begin(line, &replay, folder.path());
        let ends = |text: &str| text.contains("the goal is reached") || text.starts_with("stopped");
        let over = w.until(line, |n, _| matches!(n, Notice::Say { text, .. } if ends(text))).await;
        let Notice::Say { text: over, .. } = over else { unreachable!() };
        let mut wanted: Vec<(String, StepStatus)> =
            replay.steps.iter().map(|step| (step.clone(), StepStatus::Done)).collect();
        match (wanted.last_mut(), leaves_out) {
            (Some(last), true) => {
                last.1 = StepStatus::Dropped;
                left_out += 1;
            }
            (Some(last), false) => {
                last.1 = StepStatus::Corrected;
                corrected += 1;
            }
            // Nothing was written: generation stops, and a person writes the first step.
            (None, _) => {
                assert!(over.contains("stopped") && over.contains("the sample is empty"), "{over}: {line}");
                w.send(Command::Gate(Request::Manual { text: replay.correction.clone() }));
                w.said(Level::Info, "the goal is reached").await;
                unwritten += 1;
            }
        }
        wanted.push((replay.correction.clone(), StepStatus::Done));
        let plan = METHODS.sections(&Place::at_cursor(&w.session)).remove(0);
        let tried = plan.lines.iter().filter(|line| !matches!(line.mark, StepStatus::Next | StepStatus::Open));
        // Behind a step stand who wrote it and why it failed.
        let step = |text: &str| {
            let step = text.strip_prefix("correction: ").unwrap_or(text);
            step.split([',', '(']).next().unwrap_or_default().trim().to_lowercase()
        };
        let fates = tried.map(|line| (step(&line.text), line.mark));
        let wanted = wanted.iter().map(|(text, fate)| (step(text), *fate));
        assert_eq!(fates.collect::<Vec<_>>(), wanted.collect::<Vec<_>>(), "{over}: {line}");
        let prompts: Vec<&str> = w
            .records
            .iter()
            .filter_map(|record| match &record.event {
                Event::ArtifactOffered { written, .. } => Some(written.raw.as_str()),
                _ => None,
            })
            .collect();
        let prompt = format!("Error: {}{ENDING}", replay.cause);
        assert_eq!(prompts, if replay.steps.is_empty() { vec![] } else { vec![prompt.as_str()] }, "{line}");
        let numbers = |record: &Record| match &record.event {
            Event::ArtifactOffered { written, .. } => written.value.as_ref()?.get("number")?.as_u64(),
            _ => None,
        };
        let errors: Vec<u64> = w.records.iter().filter_map(numbers).collect();
        assert_eq!(errors, if replay.steps.is_empty() { vec![] } else { vec![u64::from(replay.number)] }, "{line}");
        w.quit().await;
    }
    println!("{corrected} corrected, {left_out} with the step left out, {unwritten} plans that a person began");
    assert_eq!(corrected + left_out + unwritten, text.lines().count());
    assert!(corrected > 0 && left_out > 0 && unwritten > 0);
}
