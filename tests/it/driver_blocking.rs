//! Method `blocking` through the driver, in a shipped kitchen: blocks, undo across them, limits, a person's changes of the tree,
//! and selection by a scripted model.

use std::sync::Arc;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::blocking::BlockingSource;
use stepwright::blocking::Domain;
use stepwright::driver::{Beginning, Command, Level, Notice, Persistence, Request, Setup, Source};
use stepwright::episode::{ArtifactId, CheckKind, Header, Mark, Origin, Policy, Record, Session, Status, TreeEdit};
use stepwright::model::ModelRequest;
use stepwright::world::kitchen::{self, Find, KitchenWorld};
use stepwright::world::{World, shipped_domain};

const TASK: &str = "galley/apple";
const ROOT: &str = "putin Apple|1 Fridge|1";

fn kitchen_header(options: &[(&str, &str)], model: &str) -> Header {
    let world = KitchenWorld::new(Arc::new(kitchen::Source::shipped().unwrap()), Find::default());
    Header {
        world: "kitchen".into(),
        task: TASK.into(),
        sentence: "Put Apple|1 away into Fridge|1.".into(),
        method: "blocking".into(),
        model: model.into(),
        specification: world.specification().into_owned(),
        options: options.iter().map(|(k, v)| ((*k).to_owned(), (*v).to_owned())).collect(),
        opening: Vec::new(),
        ..header()
    }
}

fn kitchen_setup(beginning: Beginning, model: &Arc<Scripted>, symbolic: bool, domain: Arc<Domain>) -> Setup {
    let mut setup = setup(beginning, Counter::default(), model.clone(), None);
    setup.world = Box::new(KitchenWorld::new(Arc::new(kitchen::Source::shipped().unwrap()), Find::default()));
    setup.knowledge.blocking = BlockingSource::Domain(domain);
    setup.method = stepwright::method::named("blocking").unwrap();
    if symbolic {
        setup.source = Source::Symbolic;
    }
    setup
}

fn shipped() -> Arc<Domain> {
    shipped_domain(&stepwright::world::kitchen::KIND).unwrap().unwrap()
}

fn watched(domain: Arc<Domain>) -> Watched {
    let header = kitchen_header(&[], "symbolic");
    Watched::start(kitchen_setup(Beginning::New(Box::new(header)), &Scripted::new([]), true, domain))
}

fn asking(model: &Arc<Scripted>, options: &[(&str, &str)]) -> Watched {
    let header = kitchen_header(options, "scripted");
    Watched::start(kitchen_setup(Beginning::New(Box::new(header)), model, false, shipped()))
}

fn texts(w: &Watched) -> Vec<String> {
    let turn = &w.session.current().unwrap().turn;
    let first = turn.asks.last().unwrap().id;
    turn.proposals
        .iter()
        .filter(|p| p.ask >= Some(first))
        .filter_map(|p| Some(p.action.as_ref()?.text.clone()))
        .collect()
}

async fn step(w: &mut Watched) -> String {
    w.approve();
    w.executed().await;
    let text = w.session.current().unwrap().action.as_ref().unwrap().text.clone();
    if !w.session.is_done() {
        w.recommended().await;
    }
    text
}

fn prompt(request: &ModelRequest) -> String {
    request.messages.iter().map(|m| m.text.as_str()).collect::<Vec<_>>().join("\n")
}

#[tokio::test]
async fn a_blocked_selection_grows_the_tree_and_undo_takes_it_back() {
    let mut w = watched(shipped());
    w.recommended().await;
    assert_eq!(texts(&w), [ROOT]);
    let truth = |w: &Watched| {
        let shown = w.notices.iter().rev().find_map(|n| match n {
            Notice::Situation(s) => Some((s.truth.clone(), s.live)),
            _ => None,
        });
        shown.unwrap()
    };
    let before = truth(&w);
    assert!(before.1);
    let proposal = &w.session.current().unwrap().turn;
    let verdict = proposal.verdicts.values().next().unwrap();
    assert_eq!((verdict.checks[0].kind, verdict.checks[0].status), (CheckKind::Blocking, Status::Fails));
    assert_eq!(verdict.mark(), Mark::Blocked, "a block speaks neither for nor against");
    step(&mut w).await;
    let node = w.session.current().unwrap();
    assert_eq!(node.outcome.blocked.as_deref(), Some("not_holding Apple|1"));
    assert!(node.outcome.calls.is_empty() && node.changes == serde_json::json!([]));
    assert_eq!(texts(&w), ["grab Apple|1"]);
    step(&mut w).await;
    assert!(texts(&w).len() > 5, "{:?}", texts(&w));
    assert_eq!(truth(&w), before, "nothing was executed");
    w.send(Command::Gate(Request::Undo));
    w.until("back", |_, s| s.cursor() == 1).await;
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    assert_eq!(texts(&w), ["grab Apple|1"]);
    w.send(Command::Gate(Request::Undo));
    w.until("back", |_, s| s.cursor() == 0).await;
    w.send(Command::Gate(Request::Redo));
    w.send(Command::Gate(Request::Redo));
    w.until("forth", |_, s| s.cursor() == 2).await;
    w.send(Command::Gate(Request::Propose));
    w.recommended().await;
    assert!(texts(&w).contains(&"turnaround".to_owned()));
    w.quit().await;
}

#[tokio::test]
async fn the_goal_is_reached_and_the_session_opens_again_where_it_stood() {
    let mut w = watched(shipped());
    w.recommended().await;
    let mut open: Option<(usize, Vec<String>)> = None;
    for steps in 1..60 {
        step(&mut w).await;
        if steps == 6 {
            open = Some((w.records.len(), texts(&w)));
        }
        if w.session.is_done() {
            break;
        }
    }
    let node = w.session.current().unwrap();
    assert!(node.outcome.won && node.outcome.ended.is_none());
    let records = w.quit().await;
    let (length, candidates) = open.unwrap();
    let mut session = Session::new(kitchen_header(&[], "symbolic"));
    let records: Vec<Record> = records.into_iter().take(length).collect();
    records.iter().for_each(|r| session.apply(r).unwrap());
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut again = Watched::start(kitchen_setup(beginning, &Scripted::new([]), true, shipped()));
    again.until("opened", |n, _| matches!(n, Notice::Situation(_))).await;
    again.send(Command::Gate(Request::Propose));
    again.recommended().await;
    let sorted = |mut texts: Vec<String>| {
        texts.sort();
        texts
    };
    assert_eq!(sorted(texts(&again)), sorted(candidates));
    again.quit().await;
}

#[tokio::test]
async fn what_is_blocked_is_no_step_of_a_policy() {
    let mut w = watched(shipped());
    w.recommended().await;
    w.send(Command::Gate(Request::SetPolicy(Policy { steps: 2, ..Policy::default() })));
    w.said(Level::Info, "2 automatic steps taken").await;
    let path = w.session.path(w.session.cursor());
    let blocked: Vec<bool> = path.iter().skip(1).map(|n| n.outcome.blocked.is_some()).collect();
    assert_eq!(blocked.iter().filter(|b| !**b).count(), 2, "{blocked:?}");
    assert!(blocked.iter().filter(|b| **b).count() >= 2 && !blocked.last().unwrap(), "{blocked:?}");
    w.quit().await;
}

#[tokio::test]
async fn the_limit_of_selections_ends_the_episode() {
    let mut domain = Domain::clone(&shipped());
    domain.limits.selections = 2;
    let mut w = watched(Arc::new(domain));
    w.recommended().await;
    step(&mut w).await;
    w.approve();
    w.said(Level::Warning, "the limit of 2 selections is reached").await;
    w.executed().await;
    let node = w.session.current().unwrap();
    assert!(node.outcome.done && !node.outcome.won && node.outcome.ended.is_some());
    w.quit().await;
}

#[tokio::test]
async fn a_person_changes_the_tree_takes_it_back_and_forces() {
    let mut w = watched(shipped());
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    let tree = |w: &Watched| {
        let shown = w.notices.iter().rev().find_map(|n| match n {
            Notice::Situation(s) => Some(s.goals.clone()),
            _ => None,
        });
        shown.unwrap()
    };
    let node = |w: &Watched, text: &str| tree(w).nodes.iter().find(|n| n.text == text).unwrap().handle.unwrap();
    let before = texts(&w).len();
    let turn = node(&w, "turnaround").node;
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Prune { node: turn, pruned: true })));
    w.recommended().await;
    assert_eq!(texts(&w).len(), before - 1);
    let under = node(&w, "grab Apple|1").node;
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Add { under, action: "open Fridge|1".into() })));
    w.recommended().await;
    assert!(texts(&w).contains(&"open Fridge|1".to_owned()));
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Add { under, action: "open Fridge|1".into() })));
    w.said(Level::Warning, "offered here already").await;
    w.send(Command::Gate(Request::turn(ArtifactId::TREE, false)));
    w.recommended().await;
    w.send(Command::Gate(Request::turn(ArtifactId::TREE, false)));
    w.recommended().await;
    assert_eq!(texts(&w).len(), before);
    w.send(Command::Gate(Request::turn(ArtifactId::TREE, false)));
    w.said(Level::Info, "no change of the tree is left to undo").await;
    assert!(w.session.current().unwrap().tree_edits_here().is_empty());
    // Forced: executed, although a condition blocks it.
    w.send(Command::Gate(Request::Undo));
    w.until("back", |_, s| s.cursor() == 1).await;
    w.send(Command::Gate(Request::Manual { text: "grab Apple|1".into() }));
    w.executed().await;
    let outcome = &w.session.current().unwrap().outcome;
    assert!(outcome.blocked.is_none() && outcome.error.as_ref().unwrap().contains("cannot currently see"));
    w.quit().await;
}

#[tokio::test]
async fn changes_of_the_tree_go_with_its_steps() {
    let mut w = watched(shipped());
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    let shown = w.notices.iter().rev().find_map(|n| match n {
        Notice::Situation(shown) => Some(Arc::clone(shown)),
        _ => None,
    });
    let shown = shown.unwrap();
    let under = shown.goals.nodes.iter().find(|n| n.text == "grab Apple|1").unwrap().handle.unwrap().node;
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Add { under, action: "open Fridge|1".into() })));
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    let id = turn.proposals.iter().rev().find(|p| p.raw == "open Fridge|1").unwrap().id;
    w.send(Command::Gate(Request::Approve { proposal: id }));
    w.executed().await;
    assert_eq!(w.session.current().unwrap().outcome.blocked.as_deref(), Some("not_visible Fridge|1"));
    w.recommended().await;
    let candidates = texts(&w);
    assert!(candidates.contains(&"scanroom Fridge|1".to_owned()));
    let records = w.quit().await;
    let mut session = Session::new(kitchen_header(&[], "symbolic"));
    records.iter().for_each(|r| session.apply(r).unwrap());
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut again = Watched::start(kitchen_setup(beginning, &Scripted::new([]), true, shipped()));
    again.until("opened", |n, _| matches!(n, Notice::Situation(_))).await;
    again.send(Command::Gate(Request::Propose));
    again.recommended().await;
    assert_eq!(texts(&again).len(), candidates.len());
    again.quit().await;
}

#[tokio::test]
async fn a_change_of_the_tree_that_cannot_be_written_is_not_made() {
    let mut w = watched(shipped());
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    let records = w.quit().await;
    let mut session = Session::new(kitchen_header(&[], "symbolic"));
    records.iter().for_each(|r| session.apply(r).unwrap());
    let beginning = Beginning::Resume { session: Box::new(session), records };
    let mut setup = kitchen_setup(beginning, &Scripted::new([]), true, shipped());
    // A file lies where the folder of the log would be.
    let folder = tempfile::tempdir().unwrap();
    let place = folder.path().join("sessions");
    std::fs::write(&place, "").unwrap();
    setup.keep = Persistence::Copy(place.join("copy.jsonl"));
    let mut w = Watched::start(setup);
    let shown = w.until("opened", |n, _| matches!(n, Notice::Situation(_))).await;
    let Notice::Situation(shown) = shown else { unreachable!() };
    let node = |text: &str| shown.goals.nodes.iter().find(|n| n.text == text).unwrap().handle.unwrap().node;
    let change = |under, action: &str| TreeEdit::Add { under, action: action.into() };
    w.send(Command::Gate(Request::edit_tree(&change(node("grab Apple|1"), "open Fridge|1"))));
    w.said(Level::Error, "Nothing happens until the session can be written").await;
    w.send(Command::Gate(Request::edit_tree(&TreeEdit::Prune { node: node("turnaround"), pruned: true })));
    w.said(Level::Error, "Nothing happens until the session can be written").await;
    assert!(w.session.current().unwrap().tree_edits_here().is_empty());
    let trees = w.notices.iter().filter(|n| matches!(n, Notice::Situation(s) if s.goals != shown.goals)).count();
    assert_eq!(trees, 0, "the tree is as it is recorded");
    std::fs::remove_file(&place).unwrap();
    w.send(Command::Gate(Request::Note("go on".into())));
    w.recommended().await;
    assert_eq!(w.session.current().unwrap().tree_edits_here().len(), 1, "the second change was refused");
    let offered = texts(&w);
    assert!(offered.contains(&"open Fridge|1".to_owned()) && offered.contains(&"turnaround".to_owned()), "{offered:?}");
    w.quit().await;
}

#[tokio::test]
async fn a_world_without_a_domain_and_demonstrations_says_so() {
    let mut header = header();
    header.method = "blocking".into();
    let model = Scripted::new([]);
    let mut setup = setup(Beginning::New(Box::new(header)), Counter::default(), model, None);
    setup.method = stepwright::method::named("blocking").unwrap();
    let mut w = Watched::start(setup);
    w.said(Level::Error, "the demonstrations show no action").await;
    w.quit().await;
}

#[tokio::test]
async fn a_model_is_asked_where_there_is_a_choice_and_again_where_it_names_no_candidate() {
    let model = Scripted::lines(&[
        "I would fly: $$ fly $$",
        "Let me think.",
        "It lies behind. $$ turnaround  $$ or $$ lookup $$",
    ]);
    let mut w = asking(&model, &[]);
    w.recommended().await;
    assert_eq!(w.session.current().unwrap().turn.proposals[0].origin, Origin::Symbolic);
    step(&mut w).await;
    assert!(model.asked.lock().unwrap().is_empty(), "a single candidate is taken without asking");
    step(&mut w).await;
    let recommended = w.session.current().unwrap().turn.recommended.clone().unwrap().0.unwrap();
    let chosen = w.session.current().unwrap().turn.proposal(recommended).unwrap().clone();
    assert_eq!(chosen.action.unwrap().text, "turnaround");
    assert_eq!(chosen.rationale.as_deref(), Some("It lies behind."));
    let asked: Vec<String> = model.asked.lock().unwrap().iter().map(prompt).collect();
    assert_eq!(asked.len(), 3);
    let parts = [
        "help a robot",
        "step by step",
        "- grab Apple|1 (blocked: not_visible Apple|1)",
        "Sub-goals completed:\n- none yet",
        "$$ turnaround $$\n",
        "- INSIDE Apple|1 Fridge|1",
        "What went wrong last",
        "Choose only from the list",
    ];
    for part in parts {
        assert!(asked[0].contains(part), "{part} in {}", asked[0]);
    }
    assert!(!asked[0].contains("fly"));
    assert!(asked[1].contains("`fly` is not in the list of candidate actions") && !asked[1].contains("Unparsable"));
    assert!(asked[2].contains("Unparsable"));
    let temperature = w.session.current().unwrap().turn.asks[0].temperature;
    assert!((temperature - 1.0).abs() < 1e-9);
    w.quit().await;
}

#[tokio::test]
async fn five_answers_without_a_candidate_are_enough() {
    let model = Scripted::lines(&["$$ fly $$"; 6]);
    let mut w = asking(&model, &[]);
    w.recommended().await;
    step(&mut w).await;
    w.approve();
    w.said(Level::Warning, "none of 5 answers selects a candidate").await;
    assert_eq!(model.asked.lock().unwrap().len(), 5);
    w.quit().await;
}

#[tokio::test]
async fn one_conversation_holds_what_was_said() {
    let model = Scripted::lines(&["first $$ lookup $$", "second $$ lookdown $$", "third $$ lookup $$"]);
    let mut w = asking(&model, &[("conversation", "running")]);
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    step(&mut w).await;
    let asked = model.asked.lock().unwrap().clone();
    let roles = |r: &ModelRequest| r.messages.iter().map(|m| m.role.clone()).collect::<Vec<_>>();
    assert_eq!(roles(&asked[0]), ["system", "user"]);
    assert_eq!(roles(&asked[1]), ["system", "user", "assistant", "user"]);
    assert_eq!(asked[1].messages[2].text, "first $$ lookup $$");
    w.quit().await;
}

#[tokio::test]
async fn leaves_are_ranked_by_log_probability() {
    let model = Scripted::new([Turn::Score(vec![("scanroom Apple|1 $$", -0.5), ("lookup $$", -1.0)])]);
    let mut w = asking(&model, &[("selection", "scored")]);
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    let turn = &w.session.current().unwrap().turn;
    assert_eq!(turn.proposals[0].action.as_ref().unwrap().text, "scanroom Apple|1");
    assert_eq!(turn.proposals[0].origin, Origin::Scored);
    assert_eq!(turn.recommended.as_ref().unwrap().0, Some(turn.proposals[0].id));
    let asked = model.asked.lock().unwrap()[0].clone();
    assert!(asked.messages[0].text.ends_with("The selected action is: $$"), "{}", asked.messages[0].text);
    w.quit().await;
}

#[tokio::test]
async fn going_round_in_a_circle_is_said_and_not_taken_once_more() {
    let model = Scripted::lines(&["$$ lookup $$", "$$ lookup $$", "$$ lookup $$", "$$ lookdown $$"]);
    let mut w = asking(&model, &[]);
    w.recommended().await;
    step(&mut w).await;
    step(&mut w).await;
    step(&mut w).await;
    w.approve();
    w.said(Level::Warning, "go round in a circle: `lookup`").await;
    w.recommended().await;
    let turn = &w.session.current().unwrap().turn;
    assert!(turn.proposals[0].problem.as_ref().unwrap().starts_with("Circle: `lookup`"));
    let id = turn.recommended.as_ref().unwrap().0.unwrap();
    assert_eq!(turn.proposal(id).unwrap().action.as_ref().unwrap().text, "lookdown");
    let asked: Vec<String> = model.asked.lock().unwrap().iter().map(prompt).collect();
    assert!(asked[2].contains("was selected again and again"));
    w.quit().await;
}
