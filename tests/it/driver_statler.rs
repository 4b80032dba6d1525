//! Methods that answer requests with programs, through the driver: a program is approved and run, the belief after it is offered and
//! decided, edited and corrected, and goes back with the session; by scripted models and by the reference programs.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use serde_json::{Value, json};
use stepwright::driver::{Beginning, BeliefView, Command, Level, Notice, Request, Setup, Source};
use stepwright::episode::{Actor, ArtifactId, AskState, Choice, Event, Header, OfferState, Origin, Policy, Session};
use stepwright::method::prompting::Prompting;
use stepwright::model::ModelRequest;
use stepwright::world::World;
use stepwright::world::household::{self, HouseholdWorld};
use stepwright::world::table::{self, TableWorld};

const ID: &str = "own/two";

/// Three requests about two blocks and a bowl, in the generated format.
const EPISODE: &str = r#"{"id":"own/two","domain":"disinfection","objects":["red block","blue block","tin bowl","disinfector"],"initial":{"objects":["red block","blue block","tin bowl","disinfector"],"relations":[],"red block":{},"blue block":{},"tin bowl":{},"disinfector":{"contains":[]}},"n_steps":3,"steps":[{"step":1,"query":"the red block is dirty.","kind":"statement","temporal":false,"gold_code":"update_wm(\"the red block is dirty.\")","gold_moves":[],"gold_say":[],"gold_update":"the red block is dirty."},{"step":2,"query":"Put the red block in the tin bowl","kind":"put","temporal":false,"gold_code":"put_first_on_second(\"red block\", \"tin bowl\")\nupdate_wm(\"Put the red block in the tin bowl.\")","gold_moves":[["red block","tin bowl"]],"gold_say":[],"gold_update":null},{"step":3,"query":"How many blocks are dirty?","kind":"question","temporal":true,"gold_code":"say(\"one block\")","gold_moves":[],"gold_say":["one block"],"gold_update":null}]}"#;

fn world() -> TableWorld {
    world_of(EPISODE)
}

fn world_of(episode: &str) -> TableWorld {
    TableWorld::new(table::Source::from_text(episode, Path::new("own.jsonl")).unwrap())
}

fn table_header(method: &str, model: &str, options: &[(&str, &str)]) -> Header {
    Header {
        world: "table".into(),
        task: ID.into(),
        sentence: "Answer 3 requests.".into(),
        method: method.into(),
        model: model.into(),
        specification: world().specification().into_owned(),
        options: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        opening: Vec::new(),
        ..header()
    }
}

fn table_setup(beginning: Beginning, method: &str, model: &Arc<Scripted>, symbolic: bool) -> Setup {
    let mut setup = setup(beginning, Counter::default(), model.clone(), None);
    setup.world = Box::new(world());
    setup.knowledge.proposer = stepwright::world::agent(&table::KIND, &[]);
    setup.method = stepwright::method::named(method).unwrap();
    setup.prompting = Prompting { raw: true, ..Prompting::default() };
    if symbolic {
        setup.source = Source::Symbolic;
    }
    setup
}

fn watched(method: &str, model: &Arc<Scripted>, options: &[(&str, &str)]) -> Watched {
    let header = table_header(method, "scripted", options);
    Watched::start(scripted_setup(Beginning::New(Box::new(header)), method, model))
}

fn scripted_setup(beginning: Beginning, method: &str, model: &Arc<Scripted>) -> Setup {
    let mut setup = table_setup(beginning, method, model, false);
    setup.source = Source::Language { name: "scripted".into(), model: Arc::new(Raw(model.clone())) };
    setup
}

fn symbolic(options: &[(&str, &str)]) -> Watched {
    let header = table_header("statler", "symbolic", options);
    Watched::start(table_setup(Beginning::New(Box::new(header)), "statler", &Scripted::new([]), true))
}

/// The scripted model, as one that continues raw text.
struct Raw(Arc<Scripted>);

#[async_trait::async_trait]
impl stepwright::model::LanguageModel for Raw {
    fn info(&self) -> stepwright::model::ModelInfo {
        self.0.info()
    }

    fn prefers_raw(&self) -> bool {
        true
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &tokio::sync::mpsc::UnboundedSender<stepwright::model::StreamEvent>,
        cancel: &tokio_util::sync::CancellationToken,
    ) -> Result<stepwright::model::ModelResponse, stepwright::model::ModelError> {
        self.0.complete(request, stream, cancel).await
    }
}

fn prompt(model: &Scripted, number: usize) -> String {
    let asked = model.asked.lock().unwrap();
    asked[number].messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n")
}

fn believed(w: &Watched) -> Value {
    w.session.belief().unwrap().as_ref().clone()
}

fn executed(session: &Session) -> String {
    session.current().unwrap().action.as_ref().unwrap().text.clone()
}

async fn offered(w: &mut Watched) -> u64 {
    w.until("a belief", |_, s| s.pending_offer().is_some()).await;
    w.session.pending_offer().unwrap().id
}

fn view(w: &Watched) -> Arc<BeliefView> {
    let shown = w.notices.iter().rev().find_map(|n| match n {
        Notice::Situation(s) => s.belief.clone(),
        _ => None,
    });
    shown.unwrap()
}

#[tokio::test]
async fn a_program_is_approved_then_run_and_the_belief_after_it_decided() {
    let model = Scripted::lines(&[
        "# THINK: it is told\nupdate_wm(\"the red block is dirty.\")",
        "\n#     \"objects\": [\"red block\", \"blue block\", \"tin bowl\", \"disinfector\"],\n#     \"relations\": []\n#     \u{201c}red block\": {\"is\": [\"dirty\"]},\n# }",
        "put_first_on_second(\"red block\", \"tin bowl\")",
    ]);
    let mut w = watched("statler", &model, &[]);
    w.recommended().await;
    let asked = prompt(&model, 0);
    assert!(asked.ends_with("# query: the red block is dirty.\n") && asked.contains("\n===\n# state = {"), "{asked}");
    assert!(!asked.contains("###") && !asked.contains("\n\n"), "{asked}");
    {
        let asked = model.asked.lock().unwrap();
        assert_eq!((asked[0].max_tokens, asked[0].stop.clone()), (256, vec!["# state = {".to_owned()]));
    }
    assert!(w.session.current().unwrap().turn.proposals[0].rationale.as_ref().unwrap().contains("it is told"));
    w.approve();
    w.executed().await;
    assert_eq!(executed(&w.session), "update_wm(\"the red block is dirty.\")\ndone()");
    let decided = w.session.node(0).unwrap().turn.proposals[0].action.as_ref().unwrap().text.clone();
    assert!(decided.starts_with("# THINK"), "what was proposed and decided is the program");
    let offer = offered(&mut w).await;
    assert!(prompt(&model, 1).ends_with("# query: the red block is dirty.\n# state = {"), "{}", prompt(&model, 1));
    let pending = w.session.pending_offer().unwrap().clone();
    assert!(pending.written.repairs.len() >= 2 && pending.written.problem.is_none(), "{pending:?}");
    w.send(Command::Gate(Request::ApproveOffer(offer)));
    w.recommended().await;
    assert_eq!(believed(&w)["red block"], json!({ "is": ["dirty"] }));
    assert!(prompt(&model, 2).contains("#     \"red block\": {\"is\": [\"dirty\"]}"), "{}", prompt(&model, 2));
    let shown = view(&w);
    // The writer lost the entry of the disinfector, which is empty: that is no difference.
    assert!(shown.differences.is_empty(), "{shown:?}");
    assert_eq!(shown.drift, [(0, 0), (1, 0)]);
    w.approve();
    w.executed().await;
    assert_eq!(w.session.current().unwrap().outcome.reward, 1.0);
    w.quit().await;
}

#[tokio::test]
async fn without_a_model_the_reference_programs_are_played_and_called_so() {
    let mut w = symbolic(&[]);
    for _ in 0..3 {
        w.recommended().await;
        w.approve();
        w.executed().await;
        if !w.session.is_done() && w.session.cursor() < 3 {
            let offer = offered(&mut w).await;
            w.send(Command::Gate(Request::ApproveOffer(offer)));
        }
    }
    assert!(w.session.current().unwrap().outcome.won, "{}", executed(&w.session));
    let models: Vec<&str> = w.session.nodes().iter().flat_map(|n| &n.turn.asks).map(|a| a.model.as_str()).collect();
    assert!(models.iter().all(|m| *m == "reference"), "{models:?}");
    let proposals = w.session.nodes().iter().flat_map(|n| &n.turn.proposals);
    assert!(proposals.map(|p| p.origin).all(|origin| origin == Origin::Reference));
    w.quit().await;
}

#[tokio::test]
async fn a_free_request_needs_a_language_model() {
    for method in ["statler", "precondition-aware"] {
        let free = EPISODE.replace(r#""gold_code":"update_wm(\"the red block is dirty.\")","#, "");
        assert_ne!(free, EPISODE);
        let header = table_header(method, "symbolic", &[]);
        let mut setup = table_setup(Beginning::New(Box::new(header)), method, &Scripted::new([]), true);
        setup.world = Box::new(world_of(&free));
        let mut w = Watched::start(setup);
        w.said(Level::Error, "a free request needs a language model").await;
        assert!(w.session.current().unwrap().turn.proposals.is_empty());
        w.quit().await;
    }
}

#[tokio::test]
async fn an_edited_belief_is_what_the_next_request_is_answered_from_and_undo_takes_it_back() {
    let model = Scripted::lines(&[
        "update_wm(\"the red block is dirty.\")",
        "\n# \"objects\": [\"red block\", \"blue block\"],\n# \"relations\": [],\n# \"red block\": {\"is\": [\"dirty\"]},\n# \"blue block\": {}\n# }",
        "put_first_on_second(\"red block\", \"tin bowl\")\nupdate_wm(\"Put the red block in the tin bowl.\")",
        "\n# \"objects\": [\"red block\", \"blue block\"],\n# \"relations\": [],\n# \"red block\": {\"is\": [\"dirty\"]},\n# \"blue block\": {}\n# }",
        "say(\"two blocks\")",
        "say(\"one block\")",
    ]);
    let mut w = watched("statler", &model, &[]);
    for step in 1..=2 {
        w.recommended().await;
        w.approve();
        w.executed().await;
        let offer = offered(&mut w).await;
        if step == 1 {
            w.send(Command::Gate(Request::ApproveOffer(offer)));
            continue;
        }
        // Wrongly, the blue one is dirty too.
        let mut state = w.session.pending_offer().unwrap().written.value.clone().unwrap().as_ref().clone();
        state["blue block"] = json!({ "is": ["dirty"] });
        w.send(Command::CheckBelief { token: 7, text: state.to_string() });
        w.until("a reading", |n, _| matches!(n, Notice::BeliefChecked { token: 7, reading: Ok(_) })).await;
        w.send(Command::Gate(Request::EditOffer { offer, text: "no state".into() }));
        w.said(Level::Error, "cannot be read").await;
        w.send(Command::Gate(Request::EditOffer { offer, text: state.to_string() }));
    }
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    assert_eq!(turn.offers[0].fate, OfferState::Taken { by: Actor::Person, edited: true });
    let dirty = "\"blue block\": {\"is\": [\"dirty\"]}";
    assert!(prompt(&model, 4).contains(dirty), "{}", prompt(&model, 4));
    assert!(view(&w).differences.iter().any(|d| d.path == "/blue block/is/0"));
    // Back, the belief is the one before; the same step again is offered again.
    w.send(Command::Gate(Request::Undo));
    w.until("back", |_, s| s.cursor() == 1).await;
    assert_eq!(believed(&w)["blue block"], json!({}));
    w.send(Command::Gate(Request::Redo));
    w.until("forth", |_, s| s.cursor() == 2).await;
    assert_eq!(believed(&w)["blue block"], json!({ "is": ["dirty"] }));
    // Corrected by hand, the request is answered from the correction.
    let mut state = believed(&w);
    state["blue block"] = json!({ "is": ["clean"] });
    w.send(Command::Gate(Request::correct(ArtifactId::BELIEF, state.to_string())));
    w.recommended().await;
    assert!(prompt(&model, 5).contains("\"blue block\": {\"is\": [\"clean\"]}"), "{}", prompt(&model, 5));
    let change = w.session.current().unwrap().turn.changes_of(&ArtifactId::BELIEF).next_back().unwrap().clone();
    assert_eq!((change.offer, change.by), (None, Actor::Person));
    w.approve();
    w.executed().await;
    assert!(w.session.current().unwrap().outcome.won);
    // The file holds the same.
    let records = w.quit().await;
    let mut session = Session::new(table_header("statler", "scripted", &[]));
    records.iter().for_each(|r| session.apply(r).unwrap());
    let again = Beginning::Resume { session: Box::new(session.clone()), records };
    let mut w = Watched::start(scripted_setup(again, "statler", &Scripted::new([])));
    w.until("it opened", |n, _| matches!(n, Notice::Situation(_))).await;
    assert_eq!(w.session, session);
    assert_eq!(view(&w).drift.len(), 4);
    w.quit().await;
}

#[tokio::test]
async fn calls_are_decided_one_by_one_where_that_is_asked_for() {
    let model = Scripted::lines(&[
        "for name in ['red block', 'blue block']:\n    put_first_on_second(name, 'tin bowl')\nupdate_wm('moved')",
        "# }",
        "say('next')",
    ]);
    let mut w = watched("statler", &model, &[("primitives", "each")]);
    w.recommended().await;
    w.approve();
    w.executed().await;
    assert_eq!(executed(&w.session), "put_first_on_second(\"red block\", \"tin bowl\")");
    assert_eq!(w.recommended().await, "2: put_first_on_second(\"blue block\", \"tin bowl\")");
    // One that is refused is passed over.
    let id = w.session.current().unwrap().turn.proposals.last().unwrap().id;
    w.send(Command::Gate(Request::Reject { proposal: id, reason: "leave it".into() }));
    assert_eq!(w.recommended().await, "3: update_wm(\"moved\")");
    w.approve();
    w.executed().await;
    let offer = offered(&mut w).await;
    w.send(Command::Gate(Request::RefuseOffer { offer, reason: String::new() }));
    assert_eq!(w.recommended().await, "4: done()");
    w.approve();
    w.executed().await;
    assert_eq!(w.recommended().await, "say('next')");
    assert!(prompt(&model, 2).contains("# query: Put the red block in the tin bowl"), "the next request");
    w.quit().await;
}

#[tokio::test]
async fn a_program_that_stops_early_has_its_calls_made_and_says_why() {
    let model = Scripted::lines(&["put_first_on_second('red block', 'tin bowl')\nfly()\nsay('x')", "say('next')"]);
    let mut w = watched("code-as-policies", &model, &[]);
    w.recommended().await;
    w.approve();
    w.said(Level::Warning, "fly").await;
    w.until("a step", |_, s| s.cursor() == 1).await;
    assert_eq!(executed(&w.session), "put_first_on_second(\"red block\", \"tin bowl\")\ndone()");
    assert!(w.session.node(0).unwrap().turn.notes[0].contains("line 2"), "{:?}", w.session.node(0).unwrap().turn.notes);
    w.recommended().await;
    // All that was asked and written stays in this method's prompt, without a state.
    let asked = prompt(&model, 1);
    assert!(
        asked.contains("# query: the red block is dirty.\nput_first_on_second('red block', 'tin bowl')\nfly()"),
        "{asked}"
    );
    let task = asked.split("===").nth(1).unwrap();
    assert!(!asked.contains("# state") && task.contains("# objects = [\"red block\""), "{asked}");
    w.quit().await;
}

#[tokio::test]
async fn what_a_person_types_is_made_at_once_and_an_endless_program_is_stopped() {
    let model = Scripted::new([Turn::Hang("say"), Turn::Hang("say")]);
    let mut w = watched("statler", &model, &[]);
    w.send(Command::Gate(Request::Manual {
        text: "put_first_on_second('red block', 'tin bowl')\nput_first_on_second('blue block', 'tin bowl')".into(),
    }));
    w.executed().await;
    assert!(executed(&w.session).lines().count() == 2, "the request stays open: {}", executed(&w.session));
    w.send(Command::Gate(Request::Manual { text: "while True:\n    pass".into() }));
    w.until("it runs", |n, _| matches!(n, Notice::Progress { done: 0, .. })).await;
    w.send(Command::Cancel);
    w.said(Level::Error, "stopped by a person").await;
    assert_eq!(w.session.cursor(), 1, "nothing was executed");
    w.quit().await;
}

#[tokio::test]
async fn one_answer_may_hold_program_and_state() {
    let first = "update_wm(\"the red block is dirty.\")\n# state = {\n#   \"objects\": [\"red block\"],\n#   \"relations\": [],\n#   \"red block\": {\"is\": [\"dirty\"]}\n# }\n# query: something else";
    for (method, remembers) in [("statler-unified", false), ("cap-cot", true)] {
        let model = Scripted::lines(&[first, "noop()"]);
        let mut w = watched(method, &model, &[]);
        w.recommended().await;
        w.approve();
        let offer = offered(&mut w).await;
        let pending = w.session.pending_offer().unwrap();
        assert_eq!((pending.ask, pending.written.title.as_str()), (None, "the red block is dirty."));
        w.send(Command::Gate(Request::ApproveOffer(offer)));
        w.recommended().await;
        assert_eq!(believed(&w)["red block"], json!({ "is": ["dirty"] }));
        let asked = prompt(&model, 1);
        let task = asked.split("===").nth(1).unwrap();
        assert_eq!(task.contains("# query: the red block is dirty."), remembers, "{task}");
        assert!(task.contains("\"red block\": {\"is\": [\"dirty\"]}"), "{task}");
        // An answer that holds no state is offered as one that cannot be read.
        w.approve();
        offered(&mut w).await;
        assert!(w.session.pending_offer().unwrap().written.problem.is_some());
        w.quit().await;
    }
}

#[tokio::test]
async fn the_writer_by_instructions_is_shown_no_example_and_may_be_asked_again() {
    let model = Scripted::lines(&["update_wm('so')", "nonsense", "\n# \"red block\": {}\n# }"]);
    let mut w = watched("statler-auto", &model, &[]);
    w.recommended().await;
    w.approve();
    let offer = offered(&mut w).await;
    assert!(prompt(&model, 0).contains("teal block") && !prompt(&model, 1).contains("teal block"));
    assert!(w.session.pending_offer().unwrap().written.problem.is_some(), "{:?}", w.session.pending_offer());
    w.send(Command::Gate(Request::ApproveOffer(offer)));
    w.said(Level::Warning, "cannot be taken as it is").await;
    w.send(Command::Gate(Request::RewriteOffer(offer)));
    w.until("another", |_, s| s.pending_offer().is_some_and(|o| o.id == offer + 1)).await;
    assert!(model.asked.lock().unwrap()[2].temperature > 0.0, "greedily it would be the same");
    w.quit().await;
}

#[tokio::test]
async fn a_run_nobody_watches_takes_programs_and_beliefs() {
    let header = table_header("statler", "symbolic", &[]);
    let mut setup = table_setup(Beginning::New(Box::new(header)), "statler", &Scripted::new([]), true);
    setup.policy = Some(Policy { steps: 3, ..Policy::default() });
    setup.headless = true;
    let mut w = Watched::start(setup);
    w.until("the end", |_, s| s.is_done()).await;
    assert!(w.session.current().unwrap().outcome.won);
    let by_policy = |r: &stepwright::episode::Record| {
        matches!(&r.event, Event::ArtifactSettled { offer: Some(_), by: Actor::Policy, .. })
    };
    assert_eq!(w.records.iter().filter(|r| by_policy(r)).count(), 2);
    w.quit().await;
}

#[tokio::test]
async fn the_last_update_of_an_episode_reaches_the_writer() {
    // The requests in another order: the statement comes last.
    let mut episode: Value = serde_json::from_str(EPISODE).unwrap();
    let steps = episode["steps"].as_array_mut().unwrap();
    steps.truncate(2);
    steps.reverse();
    for (number, step) in steps.iter_mut().enumerate() {
        step["step"] = json!(number + 1);
    }
    episode["n_steps"] = json!(2);
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("own.jsonl");
    std::fs::write(&path, episode.to_string()).unwrap();
    let header = table_header("statler", "symbolic", &[]);
    let mut setup = table_setup(Beginning::New(Box::new(header)), "statler", &Scripted::new([]), true);
    setup.world = Box::new(TableWorld::new(Arc::new(table::Source::open(&path).unwrap())));
    setup.policy = Some(Policy { steps: 2, ..Policy::default() });
    setup.headless = true;
    let mut w = Watched::start(setup);
    let mut begun = false;
    w.until("the end of the run", |_, s| {
        begun |= s.policy.is_automatic();
        begun && !s.policy.is_automatic()
    })
    .await;
    assert!(w.session.is_done());
    assert_eq!(believed(&w)["red block"]["is"], json!(["dirty"]), "{}", believed(&w));
    let last = &w.session.current().unwrap().turn;
    assert!(last.proposals.is_empty() && last.offers.len() == 1, "{last:?}");
    w.quit().await;
}

#[tokio::test]
async fn a_belief_is_kept_beside_another_method_where_that_is_asked_for() {
    let mut world = HouseholdWorld::new(household::Source::shipped().unwrap(), household::Edition::Put);
    let task = world.tasks()[0].clone();
    world.reset(&task.id, 0).unwrap();
    let goes: Vec<String> = world.admissible().unwrap().into_iter().filter(|a| a.starts_with("go to")).collect();
    let header = Header {
        world: "household".into(),
        task: task.id,
        method: "precondition-aware".into(),
        model: "scripted".into(),
        specification: world.specification().into_owned(),
        options: [("belief".to_owned(), "on".to_owned())].into(),
        opening: Vec::new(),
        ..header()
    };
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), Scripted::new([]), None);
    setup.world = Box::new(world);
    setup.source = Source::Symbolic;
    let mut w = Watched::start(setup);
    w.recommended().await;
    let begun = believed(&w);
    for text in &goes[..2] {
        w.send(Command::Gate(Request::Manual { text: text.clone() }));
        w.executed().await;
        let offer = offered(&mut w).await;
        let pending = w.session.pending_offer().unwrap();
        assert!(pending.written.title.starts_with(text) && pending.written.problem.is_none(), "{pending:?}");
        assert_eq!(
            pending.written.title,
            format!("{text}: {}", w.session.current().unwrap().outcome.observation.trim())
        );
        w.send(Command::Gate(Request::ApproveOffer(offer)));
        w.recommended().await;
        assert_ne!(believed(&w), begun, "it knows where the agent is");
    }
    let shown = view(&w);
    assert_eq!((shown.drift.first(), shown.drift.len()), (Some(&(0, 0)), 3), "it begins with the truth: {shown:?}");
    w.quit().await;
}

#[tokio::test]
async fn a_refused_program_is_shown_to_the_model() {
    let model = Scripted::lines(&["say('a')", "say('b')"]);
    let mut w = watched("statler", &model, &[]);
    w.recommended().await;
    w.send(Command::Gate(Request::Reject { proposal: 1, reason: "nobody asked".into() }));
    w.recommended().await;
    let asked = prompt(&model, 1);
    assert!(asked.contains("nobody asked") && asked.contains("say('a')"), "{asked}");
    let turn = &w.session.current().unwrap().turn;
    assert!(matches!(turn.decisions[0].choice, Choice::Reject { .. }));
    assert!(turn.asks.iter().all(|a| matches!(a.state, AskState::Answered { .. })));
    w.quit().await;
}

#[tokio::test]
async fn what_a_method_cannot_do_here_is_said() {
    let mut w = watched("cups-state", &Scripted::new([]), &[]);
    w.said(Level::Error, "three cups only").await;
    w.quit().await;
    let mut setup = crate::support::driver::setup(
        Beginning::New(Box::new(crate::support::driver::header())),
        Counter::default(),
        Scripted::new([]),
        None,
    );
    setup.method = stepwright::method::named("statler").unwrap();
    let mut w = Watched::start(setup);
    w.said(Level::Error, "makes no requests").await;
    tokio::time::sleep(Duration::from_millis(1)).await;
    w.quit().await;
}
