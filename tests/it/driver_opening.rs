//! Sessions that do not open as they were left: models that are gone, remarks, a world that answers otherwise, files for reading only.

use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use crate::support::opened::{begun, configuration};
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{
    Beginning, Command, Contender, DuelCommand, Level, NewSession, Notice, OpenRequest, Persistence, Request, Setup,
    Source, open_to_read, prepare, start,
};
use stepwright::episode::{
    AskKind, Assertions, Configuration, Event, Exchange, Header, Record, Session, StepOutcome, log,
};
use stepwright::methods::METHODS;

fn beginning() -> Beginning {
    Beginning::New(Box::new(header()))
}

fn adds(n: usize) -> Arc<Scripted> {
    Scripted::new((0..n).map(|_| Turn::Say(vec!["agent.add(2)"], Duration::ZERO)))
}

/// A session of two steps.
async fn played() -> (Session, Vec<Record>) {
    let mut w = Watched::new(adds(3));
    for _ in 0..2 {
        w.recommended().await;
        w.approve();
        w.executed().await;
    }
    w.recommended().await;
    let session = w.session.clone();
    let records = w.quit().await;
    (session, records)
}

fn resumed(session: &Session, records: &[Record], world: Counter) -> Setup {
    let mut whole = Session::new(session.header.clone());
    for record in records {
        whole.apply(record).unwrap();
    }
    let beginning = Beginning::Resume { session: Box::new(whole), records: records.to_vec() };
    setup(beginning, world, adds(2), None)
}

#[tokio::test]
async fn a_model_of_a_role_that_is_gone_keeps_no_session_from_being_read() {
    let with_writer = || {
        let mut header: Header = header();
        header.options.insert("model.writer".into(), "gone".into());
        header
    };
    let new = setup(Beginning::New(Box::new(with_writer())), Counter::default(), adds(1), None);
    let Err(why) = start(new) else { panic!("it began") };
    assert!(why.contains("no model `gone`"), "{why}");

    let (session, records) = played().await;
    let mut gone = Session::new(Header { options: with_writer().options, ..session.header.clone() });
    for record in &records {
        gone.apply(record).unwrap();
    }
    let mut w = Watched::start(resumed(&gone, &records, Counter::default()));
    w.said(Level::Warning, "the model in use is asked in its place").await;
    // What was said once does not keep anyone from choosing another method; naming the gone one does.
    let configure = |options: &[(&str, &str)]| {
        let options = options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect();
        Command::Gate(Request::Configure(Configuration { model: String::new(), method: "few-shot".into(), options }))
    };
    w.send(configure(&[]));
    assert!(w.said(Level::Info, "few-shot with scripted").await.contains(" from here on"));
    w.send(configure(&[("model.discoverer", "gone")]));
    w.said(Level::Error, "the model of the discoverer: no model `gone`").await;
    assert!(!w.session.options.contains_key("model.discoverer"), "what cannot be had is not said to be in use");
    w.send(configure(&[("model.discoverer", "scripted")]));
    assert!(w.said(Level::Info, "few-shot with scripted").await.contains(" from here on"));
    w.send(configure(&[("model.selector", "scripted")]));
    w.said(Level::Error, "few-shot asks no selector").await;
    let side =
        |name: &str, method: &str| Contender { name: name.into(), method: method.into(), ..Contender::default() };
    let sides = vec![side("in use", ""), side("conditioned", "precondition-aware")];
    w.send(Command::Duel(DuelCommand::Begin(sides)));
    w.until("a duel", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Dueled { .. }))).await;
    w.quit().await;

    // Where nothing is asked, nothing is said of who would be.
    let mut setup = resumed(&gone, &records, Counter::default());
    setup.keep = Persistence::Reading;
    let mut w = Watched::start(setup);
    w.until("the situation", |n, _| matches!(n, Notice::Situation(_))).await;
    assert!(!w.notices.iter().any(|n| matches!(n, Notice::Say { level: Level::Warning, .. })), "{:?}", w.notices);
    w.quit().await;
}

#[tokio::test]
async fn remarks_on_opening_are_said_with_how_many_more_there_are() {
    for (remarks, said) in [(1, "remark 1"), (3, "remark 1; and 2 more")] {
        let mut setup = setup(beginning(), Counter::default(), adds(1), None);
        setup.remarks = (1..=remarks).map(|n| format!("remark {n}")).collect();
        let mut w = Watched::start(setup);
        assert_eq!(w.said(Level::Warning, "remark").await, said);
        w.quit().await;
    }
}

/// A session asked a model that is not there any more: what is asked in its place is said, except where nothing can be asked.
#[tokio::test]
async fn a_session_whose_model_is_gone_says_who_is_asked() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let new = NewSession { world: "household".into(), model: "symbolic".into(), ..NewSession::default() };
    let setup = prepare(&OpenRequest::New(new), &config, &stepwright::worlds::sources()).unwrap();
    let Beginning::New(header) = setup.beginning else { panic!("a new session") };
    drop(setup.keep);
    let path = folder.path().join("session.jsonl");
    log::Writer::create(&path, &Header { model: "recorded:gone.jsonl".into(), ..*header }).unwrap();
    let request = OpenRequest::File(path);
    let setup = prepare(&request, &config, &stepwright::worlds::sources()).unwrap();
    let [remark] = &setup.remarks[..] else { panic!("{:?}", setup.remarks) };
    let said =
        ["the built-in proposer is asked until you choose a model (M)", "recorded:gone.jsonl is not there: gone.jsonl"];
    assert!(said.iter().all(|part| remark.contains(part)), "{remark}");
    assert!(matches!(setup.source, Source::Symbolic));
    let example = OpenRequest::Example("algorithm-1".into());
    let remarks = prepare(&example, &config, &stepwright::worlds::sources()).unwrap().remarks;
    assert!(remarks.iter().any(|remark| remark.contains("scripted") && remark.contains("is not there")), "{remarks:?}");
    let mut handle = open_to_read(&example, &config, &stepwright::worlds::sources()).unwrap();
    while let Some(notice) = handle.notices.recv().await {
        assert!(!matches!(notice, Notice::Say { level: Level::Warning, .. }), "nothing is asked: {notice:?}");
        if matches!(notice, Notice::Situation(_)) {
            break;
        }
    }
}

/// A session that asked on this machine is not sent to a provider because nothing else is configured.
#[tokio::test]
async fn a_session_whose_model_was_elsewhere_says_where_and_asks_nobody() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let new = NewSession { world: "household".into(), model: "symbolic".into(), ..NewSession::default() };
    let setup = prepare(&OpenRequest::New(new), &config, &stepwright::worlds::sources()).unwrap();
    let Beginning::New(header) = setup.beginning else { panic!("a new session") };
    let path = folder.path().join("session.jsonl");
    let outcome = StepOutcome::from(&setup.world.fork().reset(&header.task, header.seed).unwrap());
    let mut writer = log::Writer::create(&path, &Header { model: "mock".into(), ..*header }).unwrap();
    let exchange = Exchange { endpoint: "http://127.0.0.1:9/v1".into(), ..Exchange::default() };
    let asked =
        Event::Asked { ask: 1, kind: AskKind::GREEDY, model: "mock".into(), prompt: None, n: 1, temperature: 0.0 };
    let events = [
        Event::Started { outcome: outcome.into() },
        asked,
        Event::Exchanged { ask: 1, exchange: exchange.into() },
        Event::Answered { ask: 1, texts: vec!["look".to_owned()].into(), usage: None, ms: 1 },
    ];
    for (event, id) in events.into_iter().zip(1..) {
        writer.append(&Record { id, ts: 0, node: 0, event }).unwrap();
    }
    drop(writer);
    let open =
        |config: &Config| prepare(&OpenRequest::File(path.clone()), config, &stepwright::worlds::sources()).unwrap();
    let setup = open(&config);
    assert!(matches!(setup.source, Source::Symbolic), "{:?}", setup.remarks);
    let said =
        ["the session asked it at http://127.0.0.1:9/v1", "here it is at https://", "--base-url http://127.0.0.1:9/v1"];
    assert!(setup.remarks.iter().any(|remark| said.iter().all(|part| remark.contains(part))), "{:?}", setup.remarks);
    drop(setup);
    // Where a person says where to ask, that is where.
    let set = |name: &str| match name {
        "STEPWRIGHT_STATE_DIR" => Some(folder.path().join("state").display().to_string()),
        "STEPWRIGHT_BASE_URL" => Some("http://127.0.0.1:10/v1".to_owned()),
        _ => None,
    };
    let elsewhere = load_with(&Overrides::default(), &METHODS, &set).unwrap();
    let setup = open(&elsewhere);
    assert!(matches!(setup.source, Source::Language { .. }), "{:?}", setup.remarks);
}

/// The world has changed since: the session is read, nothing is derived, looked at or taken from where it cannot be reached, and earlier
/// points that it can are gone to.
#[tokio::test]
async fn where_the_world_answers_otherwise_a_session_is_read_and_goes_on_from_what_can_be_reached() {
    let (session, records) = played().await;
    let mut w = Watched::start(resumed(&session, &records, Counter { skew: 1, ..Counter::default() }));
    w.said(Level::Error, "the world does not answer as recorded").await;
    w.send(Command::Look { node: 0 });
    w.send(Command::Gate(Request::Goto(1)));
    w.said(Level::Error, "the world does not answer as recorded").await;
    assert_eq!(w.session.cursor(), 2, "it did not go where it could not");
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    assert!(w.session.current().unwrap().turn.proposals.iter().all(|p| p.action.is_some()));
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    w.said(Level::Error, "the world does not answer as recorded").await;
    assert!(!w.notices.iter().any(|n| matches!(n, Notice::Looked(_) | Notice::Situation(_))), "nothing is known there");
    w.send(Command::Gate(Request::Goto(0)));
    w.said(Level::Info, "at step 0").await;
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    assert_eq!(w.executed().await, "The total is 2.", "it goes on as the world is now");
    w.quit().await;
    // Where it is only read nothing is advised, nor where one goes then.
    let mut setup = resumed(&session, &records, Counter { skew: 1, ..Counter::default() });
    setup.keep = Persistence::Reading;
    let mut w = Watched::start(setup);
    let opened = w.said(Level::Error, "the world does not answer as recorded").await;
    w.send(Command::Gate(Request::Goto(1)));
    let gone = w.said(Level::Error, "the world does not answer as recorded").await;
    assert!(![&opened, &gone].iter().any(|said| said.contains("go on from")), "{opened} {gone}");
    w.quit().await;
}

#[tokio::test]
async fn a_session_that_is_only_read_takes_no_decision() {
    let (session, records) = played().await;
    let mut setup = resumed(&session, &records, Counter::default());
    setup.keep = Persistence::Reading;
    let mut w = Watched::start(setup);
    w.send(Command::Gate(Request::Manual { text: "add 1".into() }));
    w.said(Level::Info, "the session is open read-only").await;
    w.send(Command::Gate(Request::Goto(1)));
    w.said(Level::Info, "at step 1").await;
    let records = w.quit().await;
    assert!(!records.iter().skip(session.records() as usize).any(|r| matches!(r.event, Event::Decided { .. })));
}

/// A set that is adopted at the beginning stands in place of its action's own assertions alone.
#[tokio::test]
async fn what_is_adopted_at_the_beginning_leaves_the_other_actions_as_they_are() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let task = stepwright::worlds::sources().told("household", None).unwrap().remove(0).id;
    let clock = Arc::new(|| 0);
    let opened = |adopted: Vec<Assertions>| {
        let mut setup = begun(("household", &task), ("", &[]), &config, clock.clone(), None);
        setup.adopted = adopted;
        Watched::start(setup)
    };
    let mut own = opened(Vec::new());
    own.recommended().await;
    let mut expected = own.session.assertions().clone();
    own.quit().await;
    let (action, assertions) = ("open".to_owned(), vec!["self.is_visible(recep)".to_owned()]);
    let mut w =
        opened(vec![Assertions { action: action.clone(), assertions: assertions.clone(), origin: "tests".into() }]);
    w.recommended().await;
    expected.insert(action.clone(), (assertions, "tests".into()));
    assert!(expected.len() > 2);
    assert_eq!(w.session.assertions(), &expected);
    let adopted = w.records.iter().filter(|record| record.event.adopted().is_some_and(|set| set.action == action));
    assert_eq!(adopted.count(), 1, "recorded once");
    w.quit().await;
}
