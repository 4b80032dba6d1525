//! Skills from logs through the driver: a model's answers are proposals that a person takes, edits or refuses; without a model the
//! discoverer that counts; files of skills are read within bounds.

use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Scripted, Turn, Watched};
use stepwright::config::{Overrides, load_with};
use stepwright::driver::{Command, Level, Notice, OpenRequest, Persistence, Request, SkillCommand, Source, prepare};
use stepwright::episode::{ArtifactId, AskKind, AskState, Event, Offer};
use stepwright::world::Sources;
use stepwright_skill::distil::{Wanted, Way};
use stepwright_skill::{document, file};

/// A success and a failure on one task, written for this test.
const LOGS: &str = concat!(
    r#"{"id":"good","pair_id":"p","env":"alfworld","task":"put a mug in shelf","success":true,"initial_observation":"You are in the middle of a room. Looking quickly around you, you see a desk 1, and a shelf 1.\nYour task is to: put a mug in shelf.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take mug 1 from desk 1","observation":"You pick up the mug 1 from the desk 1."},{"action":"go to shelf 1","observation":"On the shelf 1, you see nothing."},{"action":"put mug 1 in/on shelf 1","observation":"You put the mug 1 in/on the shelf 1."}]}"#,
    "\n",
    r#"{"id":"bad","pair_id":"p","env":"alfworld","task":"put a mug in shelf","success":false,"initial_observation":"You are in the middle of a room. Looking quickly around you, you see a desk 1, and a shelf 1.\nYour task is to: put a mug in shelf.","steps":[{"action":"go to desk 1","observation":"On the desk 1, you see a mug 1."},{"action":"take mug from desk","observation":"Nothing happens."}]}"#,
    "\n",
);

const SKILLS: &str =
    "New summarization:\nWe list the Environment-specific subtasks below:\n- find(object)\n- put(object, receptacle)";
const CUT: &str = "New summarization:\n- find(mug):\n> go to desk 1\n> take mug 1 from desk 1\n- put(mug, shelf):\n> go to shelf 1\n> put mug 1 in/on shelf 1\n";

/// The first log, opened with a model that follows a script, or with none.
fn opened(model: Option<Arc<Scripted>>) -> (Watched, tempfile::TempDir) {
    let folder = tempfile::tempdir().unwrap();
    let logs = folder.path().join("logs.jsonl");
    std::fs::write(&logs, LOGS).unwrap();
    let overrides = Overrides { config_dir: Some(folder.path().join("config")), ..Overrides::default() };
    let state = folder.path().join("state").display().to_string();
    let config = load_with(&overrides, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap();
    let mut setup = prepare(&OpenRequest::Log(logs, "good".into()), &config, &Sources::default()).unwrap();
    setup.keep = Persistence::Nothing;
    setup.source = match model {
        Some(model) => Source::Language { name: "scripted".into(), model },
        None => Source::Symbolic,
    };
    (Watched::start(setup), folder)
}

fn say(text: &'static str) -> Turn {
    Turn::Say(vec![text], Duration::ZERO)
}

fn propose(w: &Watched, wanted: Wanted) {
    w.send(Command::Skills(SkillCommand::Propose(wanted, Way::Published)));
}

async fn offered(w: &mut Watched) -> Offer {
    let is = |n: &Notice| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactOffered { .. }));
    w.until("an offer", |n, _| is(n)).await;
    w.session.current().unwrap().turn.offers.last().cloned().unwrap()
}

async fn settled(w: &mut Watched) {
    let is = |n: &Notice| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactSettled { .. }));
    w.until("a change", |n, _| is(n)).await;
}

#[tokio::test]
async fn a_models_answers_are_proposals_and_what_became_of_one_is_in_the_next_question() {
    let bad = CUT.replace("> put mug 1 in/on shelf 1\n", "");
    let bad: &'static str = bad.leak();
    let cut_bad = "New summarization:\n- find(mug):\n> go to desk 1\n> take mug from desk\n";
    let primitives = "New summarization:\n>> find(object)\n- go to [receptacle] [id]\nExample: go to desk 1\n";
    let model = Scripted::new([SKILLS, bad, CUT, cut_bad, primitives].map(say));
    let (mut w, _folder) = opened(Some(Arc::clone(&model)));
    propose(&w, Wanted::Next);
    let offer = offered(&mut w).await;
    assert!(offer.written.artifact == ArtifactId::KNOWLEDGE && offer.written.title == "skills of good by scripted");
    // Nothing goes on before the person has decided.
    propose(&w, Wanted::Next);
    w.said(Level::Warning, "take it or refuse it").await;
    // One skill is renamed before the list is taken.
    let proposed = document::read(offer.written.value.as_deref().unwrap()).unwrap();
    let text = file::write(&proposed).replace("find(object)", "find(thing)");
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text }));
    settled(&mut w).await;
    // The cut leaves a step out: it is asked for once more, with what is wrong.
    propose(&w, Wanted::Next);
    w.said(Level::Warning, "1 of 4 steps are in no part").await;
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.artifact, ArtifactId::segments("good"));
    {
        let asked = model.asked.lock().unwrap();
        let prompt = asked.last().unwrap().messages.iter().map(|m| m.text.as_str()).collect::<String>();
        assert!(prompt.contains("find(thing)") && prompt.contains("1 of 4 steps are in no part"), "{prompt}");
    }
    // A cut that does not cover the log is not taken; one that was moved is.
    let text = serde_json::to_string(offer.written.value.as_deref().unwrap()).unwrap();
    let gap = text.replace("\"start\":2", "\"start\":3");
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text: gap }));
    w.said(Level::Error, "gap").await;
    let moved = text.replace("\"end\":1", "\"end\":0").replace("\"start\":2", "\"start\":1");
    w.send(Command::Gate(Request::EditOffer { offer: offer.id, text: moved }));
    settled(&mut w).await;
    let cut = w.session.current().unwrap().document(&ArtifactId::segments("good")).cloned().unwrap();
    assert_eq!(cut[1]["start"], 1);
    // The other log's cut is refused; primitives are distilled of what is cut.
    propose(&w, Wanted::Next);
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.artifact, ArtifactId::segments("bad"));
    w.send(Command::Gate(Request::RefuseOffer { offer: offer.id, reason: String::new() }));
    w.until("a refusal", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::ArtifactRefused { .. })))
        .await;
    propose(&w, Wanted::Next);
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.title, "primitives of good by scripted");
    // The asks stand in the session beside the episode, with what was asked for.
    let kinds: Vec<String> = w.session.current().unwrap().turn.asks.iter().map(|a| a.kind.to_string()).collect();
    assert_eq!(kinds[0], "skills from logs");
    assert_eq!(kinds.len(), 5, "{kinds:?}");
}

#[tokio::test]
async fn an_ask_can_be_stopped_and_comes_again_and_one_pair_is_asked_about_alone() {
    let tips = "New summarization: x\nTips:\n- Name things with their numbers.\n";
    let model = Scripted::new([Turn::Hang("New"), say(SKILLS), say(tips)]);
    let (mut w, _folder) = opened(Some(Arc::clone(&model)));
    propose(&w, Wanted::Next);
    w.until("a stream", |n, _| matches!(n, Notice::Stream { .. })).await;
    propose(&w, Wanted::Next);
    w.said(Level::Warning, "being asked already").await;
    w.send(Command::Cancel);
    w.until("the end", |n, _| matches!(n, Notice::Progress { done: 1, total: 1, .. })).await;
    let ask = &w.session.current().unwrap().turn.asks[0];
    assert!(
        matches!(ask.state, AskState::Failed { cancelled: true, .. }) && matches!(ask.kind, AskKind::Distil { .. })
    );
    propose(&w, Wanted::Next);
    assert_eq!(offered(&mut w).await.written.title, "skills of good by scripted", "the same question");
    let offer = w.session.current().unwrap().turn.offers[0].id;
    w.send(Command::Gate(Request::RefuseOffer { offer, reason: String::new() }));
    propose(&w, Wanted::Tips { success: "good".into(), failure: "bad".into() });
    let offer = offered(&mut w).await;
    let known = document::read(offer.written.value.as_deref().unwrap()).unwrap();
    assert_eq!(known.tips, ["Name things with their numbers."]);
}

#[tokio::test]
async fn the_ablations_are_asked_for_as_headless() {
    let model = Scripted::new(
        [
            "New summarization: x\nTips:\n- Successes name things with their numbers.\n",
            "New summarization: x\nTips:\n- Numbers tell things apart.\n",
        ]
        .map(say),
    );
    let (mut w, _folder) = opened(Some(Arc::clone(&model)));
    w.send(Command::Skills(SkillCommand::Propose(Wanted::Next, Way::TipsOnlyNonContrastive)));
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.title, "tips of good by scripted", "the success alone, and no skills before");
    let known = document::read(offer.written.value.as_deref().unwrap()).unwrap();
    assert_eq!((known.skills.len(), known.tips.len()), (0, 1));
    w.send(Command::Gate(Request::RefuseOffer { offer: offer.id, reason: String::new() }));
    w.send(Command::Skills(SkillCommand::Propose(Wanted::Next, Way::TipsOnly)));
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.title, "tips of good, bad by scripted");
    w.quit().await;
}

#[tokio::test]
async fn without_a_model_the_logs_are_counted_through_and_that_is_said() {
    let (mut w, _folder) = opened(None);
    propose(&w, Wanted::Cut { of: "good".into() });
    w.said(Level::Info, "no language model is in use").await;
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.title, "good cut by counting");
    let cut = offer.written.value.clone().unwrap();
    assert_eq!((cut[0]["start"].clone(), cut.as_array().unwrap().last().unwrap()["end"].clone()), (0.into(), 3.into()));
    propose(&w, Wanted::Tips { success: "good".into(), failure: "bad".into() });
    let offer = offered(&mut w).await;
    assert_eq!(offer.written.title, "a tip from good and bad by counting");
    let known = document::read(offer.written.value.as_deref().unwrap()).unwrap();
    assert!(known.tips[0].contains("numbers"), "{:?}", known.tips);
    propose(&w, Wanted::Cut { of: "bad".into() });
    w.said(Level::Error, "cut it by hand").await;
}

#[tokio::test]
async fn files_of_skills_are_read_within_bounds_and_faults_name_the_place() {
    let (mut w, folder) = opened(None);
    let at = |name: &str, text: &[u8]| {
        let path = folder.path().join(name);
        std::fs::write(&path, text).unwrap();
        path
    };
    let load = |w: &Watched, path| w.send(Command::Skills(SkillCommand::Load(path)));
    load(&w, at("large.skills.toml", &vec![b'#'; (8 << 20) + 1]));
    let said = w.said(Level::Error, "larger than 8 MiB").await;
    assert!(said.contains("large.skills.toml") && said.contains("nothing was changed"), "{said}");
    load(&w, at("bytes.skills.toml", &[0xff, 0xfe]));
    w.said(Level::Error, "no text in UTF-8").await;
    load(&w, folder.path().join("none.skills.toml"));
    w.said(Level::Error, "none.skills.toml").await;
    load(
        &w,
        at(
            "circle.skills.toml",
            b"[[skill]]\nname = \"a()\"\nuses = [\"b\"]\n[[skill]]\nname = \"b()\"\nuses = [\"a\"]\n",
        ),
    );
    assert!(w.said(Level::Error, "circle").await.contains("line "));
    load(&w, at("good.skills.toml", b"tips = [\"Look.\"]\n"));
    let offer = offered(&mut w).await;
    assert_eq!(document::read(offer.written.value.as_deref().unwrap()).unwrap().tips, ["Look."]);
}

#[tokio::test]
async fn counting_that_a_person_stops_offers_nothing() {
    let (mut w, _folder) = opened(None);
    propose(&w, Wanted::Next);
    w.send(Command::Cancel);
    w.said(Level::Info, "stopped, nothing is offered").await;
    let records = w.quit().await;
    assert!(records.iter().all(|r| !matches!(r.event, Event::ArtifactOffered { .. })));
}
