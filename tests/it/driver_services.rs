//! Services through the driver: their work ends when a person cancels and when the driver stops, and a service that breaks is told so;
//! a service of these tests, and those that ship.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{
    Beginning, CandidateCommand, Command, Level, Notice, Request, Service, SessionView, WorkResult,
};
use stepwright::episode::gate::{Answer, AskSpec};
use stepwright::episode::{AskId, AskKind, Event, Generation, PromptMessage, PromptRecord, Record, Shape};
use stepwright::model::ModelError;

/// Works until it is stopped; breaks at a command of its own.
#[derive(Clone, Default)]
struct Busy {
    ended: Arc<AtomicUsize>,
}

impl Service for Busy {
    fn opened(&mut self, view: &mut SessionView<'_>) {
        for _ in 0..2 {
            let ended = Arc::clone(&self.ended);
            view.work(move |desk| {
                while desk.keep_running() {
                    std::thread::sleep(Duration::from_millis(1));
                }
                ended.fetch_add(1, Ordering::SeqCst)
            });
        }
    }

    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Candidates(_) = command else { return Some(command) };
        view.work::<usize>(|_| panic!("as if"));
        None
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        match result.map(|ended| ended.downcast::<usize>()) {
            Ok(_) => view.say(Level::Info, "work ended"),
            Err(why) => view.say(Level::Error, why),
        }
    }
}

fn with(services: Vec<Box<dyn Service>>) -> Watched {
    let model = Scripted::new([Turn::Say(vec!["agent.add(1)"], Duration::ZERO)]);
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model, None);
    setup.services = services;
    Watched::start(setup)
}

#[tokio::test]
async fn cancelling_ends_all_work_of_services() {
    let busy = Busy::default();
    let mut w = with(vec![Box::new(busy.clone())]);
    w.recommended().await;
    assert_eq!(busy.ended.load(Ordering::SeqCst), 0);
    w.send(Command::Cancel);
    w.said(Level::Info, "work ended").await;
    w.said(Level::Info, "work ended").await;
    assert_eq!(busy.ended.load(Ordering::SeqCst), 2);
    w.quit().await;
}

#[tokio::test]
async fn quitting_ends_all_work_of_services() {
    let busy = Busy::default();
    let mut w = with(vec![Box::new(busy.clone())]);
    w.recommended().await;
    w.quit().await;
    for _ in 0..2000 {
        tokio::time::sleep(Duration::from_millis(1)).await;
        if busy.ended.load(Ordering::SeqCst) == 2 {
            return;
        }
    }
    panic!("work outlives the driver");
}

#[tokio::test]
async fn work_that_breaks_is_an_end() {
    let mut w = with(vec![Box::new(Busy::default())]);
    w.recommended().await;
    let command = CandidateCommand::Score { action: "step".into() };
    w.send(Command::Candidates(command));
    w.said(Level::Error, "the program itself broke").await;
    w.quit().await;
}

/// Writes down what it is told, and offers what it is told to ask.
#[derive(Clone, Default)]
struct Clerk {
    told: Arc<std::sync::Mutex<Vec<String>>>,
}

impl Clerk {
    fn note(&self, text: String) {
        self.told.lock().unwrap().push(text);
    }
}

/// What candidates there are, for an action of no world.
fn question(view: &SessionView<'_>) -> AskSpec {
    let message = PromptMessage { role: "user".into(), text: "which candidates are there?".into() };
    let template = "tests".to_owned();
    let prompt = PromptRecord {
        template,
        template_hash: String::new(),
        messages: vec![message],
        left_out: None,
        candidates: None,
    };
    AskSpec {
        kind: AskKind::Candidates { action: "step".into() },
        model: view.discoverer.name(),
        prompt: Some(prompt),
        n: 1,
        temperature: 0.0,
        shape: Shape::Generate(Generation::default()),
    }
}

impl Service for Clerk {
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Candidates(CandidateCommand::Score { action }) = command else { return Some(command) };
        match action.as_str() {
            "say" => view.work(|desk| desk.say(Level::Info, "from work")),
            "show" => view.show_again(),
            "ask" => drop(view.request(Request::AskInBackground(question(view)))),
            _ => {
                let request = view.request(Request::Note("a remark".into()));
                self.note(format!("asked {request}"));
            }
        }
        None
    }

    fn recorded(&mut self, record: &Record, view: &mut SessionView<'_>) {
        if matches!(record.event, stepwright::episode::Event::Noted { .. }) {
            self.note("record".into());
            view.say(Level::Info, "seen");
        }
    }

    fn answered(&mut self, request: u64, answer: Answer, _view: &mut SessionView<'_>) {
        self.note(format!("done {request} {}", matches!(answer, Answer::Done { ask: None })));
    }

    fn cancel(&mut self, _view: &mut SessionView<'_>) {
        self.note("cancelled".into());
    }

    fn ask_ended(&mut self, ask: AskId, answer: Option<stepwright::method::Answer>, _view: &mut SessionView<'_>) {
        self.note(format!("ask {ask} {}", answer.map_or("failed", |_| "answered")));
    }
}

#[tokio::test]
async fn each_service_hears_of_its_own_requests_and_of_every_record() {
    let (first, second) = (Clerk::default(), Clerk::default());
    let mut w = with(vec![Box::new(first.clone()), Box::new(second.clone())]);
    w.recommended().await;
    let score = || Command::Candidates(CandidateCommand::Score { action: "step".into() });
    w.send(score());
    w.send(score());
    for _ in 0..4 {
        w.until("it is seen", |n, _| matches!(n, Notice::Say { text, .. } if text == "seen")).await;
    }
    w.quit().await;
    let told = ["asked 1", "done 1 true", "record", "asked 2", "done 2 true", "record"];
    assert_eq!(*first.told.lock().unwrap(), told);
    // The method's own asks are nobody's.
    assert_eq!(*second.told.lock().unwrap(), ["record", "record"]);
}

#[tokio::test]
async fn a_service_hears_how_its_asks_ended_and_that_a_person_cancelled() {
    let clerk = Clerk::default();
    let say = |line| Turn::Say(vec![line], Duration::ZERO);
    let model = Scripted::new([say("agent.add(1)"), say("a candidate"), Turn::Fail(ModelError::Cancelled)]);
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), model, None);
    setup.services = vec![Box::new(clerk.clone())];
    let mut w = Watched::start(setup);
    w.recommended().await;
    let wanted = |action: &str| Command::Candidates(CandidateCommand::Score { action: action.into() });
    w.send(wanted("ask"));
    w.until("an answer", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Answered { ask: 2, .. })))
        .await;
    w.send(wanted("ask"));
    w.until("a failure", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::AskFailed { ask: 3, .. })))
        .await;
    w.send(wanted("say"));
    w.said(Level::Info, "from work").await;
    w.send(wanted("show"));
    w.until("the situation once more", |n, _| matches!(n, Notice::Situation(_))).await;
    w.send(Command::Cancel);
    w.quit().await;
    let told = clerk.told.lock().unwrap();
    let told: Vec<&str> = told.iter().map(String::as_str).filter(|told| !told.starts_with("done")).collect();
    assert_eq!(told, ["ask 2 answered", "ask 3 failed", "cancelled"]);
}
