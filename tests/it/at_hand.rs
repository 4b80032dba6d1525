//! Things at hand at once: the method of a world's paper, whose plan is followed, no file where nothing was decided.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use crate::support::opened::{begun, configuration};
use stepwright::cli::Launch;
use stepwright::driver::{Beginning, Command, Request};
use stepwright::episode::{
    Action, AskKind, Event, Origin, PromptRecord, Proposal, Record, Sampling, Session, StepOutcome, log,
};
use stepwright::export::{Format, render};
use stepwright::methods::METHODS;
use stepwright::tui::launcher::Launcher;

/// U5: a person who begins in a world is shown its paper's method first, and without a language model it can be begun.
#[test]
fn every_world_suggests_the_method_of_its_paper() {
    let folder = tempfile::tempdir().unwrap();
    let catalog = Launch::new(configuration(folder.path()), None).unwrap().catalog();
    let config = configuration(folder.path());
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build().unwrap();
    for (name, method) in [("kitchen", "blocking"), ("table", "statler"), ("shop", "o3d"), ("graph", "reprompt")] {
        let world = catalog.worlds.iter().find(|world| world.name == name).unwrap();
        assert_eq!(world.suggests.as_deref(), Some(method), "{name}");
        let task = world.tasks.first().unwrap().id.clone();
        let _inside = runtime.enter();
        let mut w = Watched::start(begun((name, &task), (method, &[]), &config, Arc::new(|| 1_000), None));
        runtime.block_on(async {
            assert_ne!(w.recommended().await, "", "{name}");
            w.quit().await;
        });
    }
}

/// U4: the first task of the graph has the plan of another task fitted to it: its row says so, and no figure of that plan.
#[tokio::test]
async fn the_plan_of_another_task_is_said_in_its_row() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let mut w = Watched::start(begun(("graph", ""), ("reprompt", &[]), &config, Arc::new(|| 1_000), None));
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    let proposal = turn.proposal(turn.recommended.clone().unwrap().0.unwrap()).unwrap();
    assert_eq!((proposal.origin, proposal.score_in_words()), (Origin::Borrowed, None));
    w.quit().await;
}

#[tokio::test]
async fn a_session_without_a_decision_leaves_no_file() {
    let folder = tempfile::tempdir().unwrap();
    for (name, request) in [("looked", None), ("noted", Some(Request::Note("odd".into())))] {
        let path = folder.path().join(name);
        let log = log::Writer::create(&path, &header()).unwrap();
        let model = Scripted::lines(&["agent.add(1)"]);
        let beginning = Beginning::New(Box::new(header()));
        let mut w = Watched::start(setup(beginning, Counter::default(), model, Some(log)));
        w.recommended().await;
        assert!(path.exists(), "until it is left");
        let kept = request.is_some();
        request.into_iter().for_each(|request| w.send(Command::Gate(request)));
        w.quit().await;
        assert_eq!(path.exists(), kept, "{name}");
    }
}

/// U2: the same text of two models is told apart in every form that a session is written out in.
#[test]
fn every_form_of_a_session_says_whose_a_proposal_is() {
    let (header, mut records) = (header(), Vec::new());
    let mut session = Session::new(header.clone());
    let mut add = |session: &mut Session, event: Event| {
        let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
        session.apply(&record).unwrap();
        records.push(record);
    };
    add(&mut session, Event::Started { outcome: StepOutcome::default().into() });
    for (ask, model) in [(1, "one"), (2, "other")] {
        let kind = AskKind::Action { how: Sampling::Greedy };
        let (template, template_hash, messages) = (String::new(), String::new(), Vec::new());
        let prompt = Some(PromptRecord { template, template_hash, messages, left_out: None, candidates: None }.into());
        add(&mut session, Event::Asked { ask, kind, model: model.into(), prompt, n: 1, temperature: 0.0 });
        let (id, action) = (session.next_proposal(), Some(Action::new("look", None)));
        let proposal = Proposal { action, ask: Some(ask), ..Proposal::new(id, "look", Origin::Greedy) };
        add(&mut session, Event::Proposed { proposal: proposal.into() });
    }
    // What both wrote is one row, as in the workbench.
    let row = ["completion of one, one x1, other x1"];
    for (format, said) in
        [(Format::Text, &row[..]), (Format::Html, &row), (Format::Jsonl, &["\"model\":\"one", "\"model\":\"other"])]
    {
        let text = render(format, &header, &records, |kind| METHODS.showing(kind)).unwrap();
        assert!(said.iter().all(|said| text.contains(said)), "{text}");
    }
}
