//! Where a script begins: world, method and options, and what the model does.
//!
//! Lines before the first request:
//!
//! - `model: TEXT | TEXT`: one answer with these completions (`\n` and `\t` as in Rust); `model 50ms:` after so long, `model x3:` as often
//! - `model cut: TEXT`, `model hangs: TEXT` (streams it and never ends), `model fails: ERROR`, `model is too long: CONTEXT`
//! - `model scores: TEXT=-0.2 | TEXT=-0.7` (the likelihood of a text that ends so), `model hangs scoring:`
//! - `symbolic:` no language model; `skew: 1` what is opened again counts otherwise; `unwritable:` a file lies where the folder of the log would be
//! - `demonstrations: 4 4 2; 3 3 3 1`, `asks: 1 3 1`, `policy: steps=2`, `headless:`, `knowledge: TOML`, `episode: own`;
//!   `brief:` puts down only asks, steps and what is said; `selections: 2` limits what is selected in a kitchen;
//!   `domain: derived` (or a file of the script's own), `log: ACTION => OBSERVATION | …`, `kept:` what is opened again is opened from its file

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use stepwright::blocking::{BlockingSource, Domain, NamedDomain};
use stepwright::driver::{Beginning, OpenRequest, Persistence, Setup, Source, prepare};
use stepwright::episode::{Header, log};
use stepwright::method::prompting::Prompting;
use stepwright::methods::METHODS;
use stepwright::model::ModelError;
use stepwright::precondition::CandidateAsks;
use stepwright::sandbox::{Limits, Workers};
use stepwright::world::{World, shipped_domain};
use stepwright::worlds::external::{Adapter, ExternalWorld};
use stepwright::worlds::kitchen;
use stepwright::worlds::table::{self, TableWorld};
use stepwright_trajectory::react::Form;
use stepwright_trajectory::{Step, Trajectory};

use crate::support::driver::{Counter, Scripted, Turn, demonstration, header, setup};
use crate::support::logged::Logged;
use crate::support::opened::{begun, configuration};

pub struct Place {
    /// World, task (where there are several) and method.
    words: Vec<String>,
    options: Vec<(String, String)>,
    set: Vec<(String, String)>,
    pub model: Arc<Scripted>,
    pub folder: tempfile::TempDir,
}

/// `\n`, `\t` and `\e` as what they mean.
pub fn unescaped(text: &str) -> String {
    text.replace("\\n", "\n").replace("\\t", "\t").replace("\\e", "\u{1b}")
}

impl Place {
    pub fn new(begins: &str) -> Self {
        let (options, words): (Vec<&str>, Vec<&str>) = begins.split(' ').partition(|word| word.contains('='));
        let pair =
            |option: &str| option.split_once('=').map(|(key, value)| (key.to_owned(), value.to_owned())).unwrap();
        Place {
            words: words.into_iter().map(str::to_owned).collect(),
            options: options.into_iter().map(pair).collect(),
            set: Vec::new(),
            model: Arc::new(Scripted { raw: begins.starts_with("table"), ..Scripted::default() }),
            folder: tempfile::tempdir().unwrap(),
        }
    }

    pub fn knows(key: &str) -> bool {
        let words = "symbolic skew unwritable demonstrations asks policy headless knowledge episode brief selections domain kept log";
        key == "model" || key.starts_with("model ") || words.split(' ').any(|word| word == key)
    }

    /// Whether only steps and what is said are put down.
    pub fn is_brief(&self) -> bool {
        self.get("brief").is_some()
    }

    pub fn set(&mut self, key: &str, value: &str) {
        match key.strip_prefix("model") {
            Some(how) => self.model.turns.lock().unwrap().extend(turns(how.trim(), value)),
            None => self.set.push((key.to_owned(), value.to_owned())),
        }
    }

    fn get(&self, key: &str) -> Option<&str> {
        self.set.iter().find(|(set, _)| set == key).map(|(_, value)| value.as_str())
    }

    fn method(&self) -> &str {
        self.words.last().unwrap()
    }

    /// A file of the place's own.
    pub fn file(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    /// Where a file lies in place of the folder of the log.
    pub fn obstacle(&self) -> PathBuf {
        self.file("sessions")
    }

    pub fn setup(&self, beginning: Option<Beginning>) -> Setup {
        let again = beginning.is_some();
        let mut setup = match self.words[0].as_str() {
            "counter" => self.counter(beginning),
            "table" => self.table(beginning),
            "logs" => self.logs(),
            "external" => self.external(beginning),
            "logged" => self.logged(beginning),
            _ => self.opened(beginning),
        };
        if self.get("symbolic").is_some() {
            setup.source = Source::Symbolic;
        }
        // What is found out beside the episode, unasked, comes at no certain moment.
        let asks = self.get("asks").map(candidate_asks).unwrap_or_default();
        setup.services = stepwright::driver::service::all(asks, Default::default(), false);
        if let Some(all) = self.get("demonstrations") {
            let numbers = |text: &str| text.split(' ').map(|n| n.parse().unwrap()).collect::<Vec<i64>>();
            let of = |(at, text): (usize, &str)| demonstration(&format!("demonstration {at}"), &numbers(text));
            setup.knowledge.demonstrations = Arc::new(all.split("; ").enumerate().map(of).collect());
        }
        if let Some(selections) = self.get("selections") {
            let mut domain = Domain::clone(&shipped_domain(&kitchen::KIND).unwrap().unwrap());
            domain.limits.selections = selections.parse().unwrap();
            setup.knowledge.blocking = BlockingSource::Domain(Arc::new(domain));
        }
        setup.policy = self.get("policy").map(super::ask::policy);
        setup.headless = self.get("headless").is_some();
        if self.get("unwritable").is_some() && again {
            std::fs::write(self.obstacle(), "").unwrap();
            setup.keep = Persistence::Copy(self.obstacle().join("copy.jsonl"));
        }
        setup
    }

    fn header(&self) -> Header {
        let model = if self.get("symbolic").is_some() { "symbolic" } else { "scripted" };
        let options = self.options.iter().cloned().collect();
        Header { method: self.method().to_owned(), model: model.to_owned(), options, ..header() }
    }

    fn counter(&self, beginning: Option<Beginning>) -> Setup {
        let mut header = self.header();
        if let Some(knowledge) = self.get("knowledge") {
            let file = self.file("count.skills.toml");
            std::fs::write(&file, unescaped(knowledge)).unwrap();
            let key = if self.method() == "o3d" { "skills" } else { "tips" };
            header.options.insert(key.to_owned(), file.display().to_string());
        }
        let skew = self.get("skew").filter(|_| beginning.is_some()).map_or(0, |skew| skew.parse().unwrap());
        let beginning = beginning.unwrap_or(Beginning::New(Box::new(header)));
        let mut setup = setup(beginning, Counter { total: 0, skew }, self.model.clone(), None);
        setup.method = METHODS.named(self.method()).unwrap();
        setup
    }

    fn table(&self, beginning: Option<Beginning>) -> Setup {
        let file = format!("tests/it/sessions/{}.jsonl", self.get("episode").unwrap_or("own"));
        let world = TableWorld::new(Arc::new(table::Source::open(Path::new(&file)).unwrap()));
        let header = Header {
            world: "table".into(),
            task: "own/two".into(),
            sentence: "Answer 3 requests.".into(),
            specification: world.specification().into_owned(),
            opening: Vec::new(),
            ..self.header()
        };
        let mut setup =
            setup(beginning.unwrap_or(Beginning::New(Box::new(header))), Counter::default(), self.model.clone(), None);
        setup.world = Box::new(world);
        setup.knowledge.proposer = stepwright::worlds::built_in_agent(&table::KIND, &[]);
        setup.method = METHODS.named(self.method()).unwrap();
        setup.prompting = Prompting { raw: true, ..Prompting::default() };
        setup
    }

    /// A world of the program's own, opened as the program opens it; again from its file, if it is kept there.
    fn opened(&self, beginning: Option<Beginning>) -> Setup {
        let (file, mut config) = (self.file("session.jsonl"), configuration(self.folder.path()));
        if beginning.is_some() && file.exists() {
            return unlocked(|| prepare(&OpenRequest::File(file.clone()), &config, &stepwright::worlds::sources()));
        }
        config.method.domain = self.get("domain").map(|domain| match domain {
            "derived" => NamedDomain::Derived,
            file => NamedDomain::File(self.file(file)),
        });
        // A form of states is a file of the script's own.
        let of_file = |(key, value): &(String, String)| match key.as_str() {
            "states" => (key.clone(), self.file(value).display().to_string()),
            _ => (key.clone(), value.clone()),
        };
        let options: Vec<_> = self.options.iter().map(of_file).collect();
        let options: Vec<_> = options.iter().map(|(key, value)| (key.as_str(), value.as_str())).collect();
        let language = self.get("symbolic").is_none().then(|| ("scripted", self.model.clone()));
        let at = (self.words[0].as_str(), self.words[1].as_str());
        let mut setup = begun(at, (self.method(), &options), &config, Arc::new(|| 1_000), language);
        if let (Beginning::New(header), true) = (&setup.beginning, self.get("kept").is_some()) {
            setup.keep = Persistence::Log(log::Writer::create(&file, header).unwrap());
        }
        setup.beginning = beginning.unwrap_or(setup.beginning);
        setup
    }

    /// A world in another process, `stand_in.sh`; where there are demonstrations, of the counter's specification.
    fn external(&self, beginning: Option<Beginning>) -> Setup {
        let command = ["/bin/sh", "tests/support/stand_in.sh", &self.file("asked").display().to_string()];
        let adapter = Adapter::new("stand-in", command.map(str::to_owned).into());
        let adapter = Adapter { step_timeout: Duration::from_secs(60), ..adapter };
        let world = ExternalWorld::new(Arc::new(adapter), None).unwrap();
        let mut header = self.header();
        (header.world, header.task) = ("external".into(), "stand-in".into());
        if self.get("demonstrations").is_none() {
            header.specification = world.specification().into_owned();
            header.opening = ["def episode():", "env = Environment()", "agent = Agent(env)"].map(str::to_owned).into();
        }
        let beginning = beginning.unwrap_or(Beginning::New(Box::new(header)));
        let mut setup = setup(beginning, Counter::default(), self.model.clone(), None);
        setup.world = Box::new(world);
        setup
    }

    /// A world that answers these actions so, one behind the other, and no others.
    fn logged(&self, beginning: Option<Beginning>) -> Setup {
        let step = |line: &str| {
            let (action, observation) = line.split_once(" => ").expect("ACTION => OBSERVATION");
            Step { action: action.to_owned(), observation: Some(observation.to_owned()), ..Step::default() }
        };
        let log = Trajectory {
            steps: self.get("log").unwrap().split(" | ").map(step).collect(),
            initial_observation: Some("A room.".into()),
            terminated: Some("purchase".into()),
            ..Trajectory::default()
        };
        let beginning = beginning.unwrap_or(Beginning::New(Box::new(self.header())));
        let mut setup = setup(beginning, Counter::default(), self.model.clone(), None);
        setup.world = Box::new(Logged::new(log, Form::Prompt));
        setup.method = METHODS.named(self.method()).unwrap();
        setup
    }

    /// The first of two logs on one task.
    fn logs(&self) -> Setup {
        let request = OpenRequest::Log("tests/it/sessions/logs.jsonl".into(), "good".into());
        let mut setup = prepare(&request, &configuration(self.folder.path()), &stepwright::worlds::sources()).unwrap();
        setup.keep = Persistence::Nothing;
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        setup.source = Source::Language { name: "scripted".into(), model: self.model.clone() };
        setup
    }
}

/// The driver before it lets go of a file a moment after it has said that it stopped.
fn unlocked<T, E: std::fmt::Debug + std::fmt::Display>(open: impl Fn() -> Result<T, E>) -> T {
    let end = Instant::now() + Duration::from_secs(10);
    loop {
        match open() {
            Ok(opened) => return opened,
            Err(error) => assert!(Instant::now() < end, "{error}"),
        }
        std::thread::sleep(Duration::from_millis(10));
    }
}

pub fn candidate_asks(text: &str) -> CandidateAsks {
    let numbers: Vec<u32> = text.split(' ').map(|n| n.parse().unwrap()).collect();
    CandidateAsks { demonstrations: numbers[0] as usize, samples: numbers[1], at_once: numbers[2] as usize }
}

/// What a model does, and how often.
fn turns(how: &str, value: &str) -> Vec<Turn> {
    // A script lives as long as the tests.
    let leaked = |text: &str| -> &'static str { unescaped(text).leak() };
    let texts = || value.split(" | ").map(leaked).collect::<Vec<_>>();
    let endpoint = || "http://x/v1".to_owned();
    let turn = match how {
        "cut" => Turn::Cut(texts()),
        "hangs" => Turn::Hang(leaked(value)),
        "fails" => Turn::Fail(ModelError::Unreachable { endpoint: endpoint(), message: value.to_owned() }),
        "is wrongly set" => Turn::Fail(ModelError::Configuration(value.to_owned())),
        "is too long" => {
            let (endpoint, context) = (endpoint(), value.parse().ok());
            Turn::Fail(ModelError::TooLong { endpoint, message: "too long".into(), context })
        }
        "scores" => {
            let score =
                |text: &str| text.rsplit_once('=').map(|(end, score)| (leaked(end), score.parse().unwrap())).unwrap();
            Turn::Score(value.split(" | ").map(score).collect())
        }
        "hangs scoring" => Turn::HangScoring,
        how => {
            let wait = how.strip_suffix("ms").map_or(0, |ms| ms.parse().unwrap());
            Turn::Say(texts(), Duration::from_millis(wait))
        }
    };
    let times = how.strip_prefix('x').map_or(1, |times| times.parse().unwrap());
    vec![turn; times]
}
