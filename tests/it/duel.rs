//! Duels through the driver: sides asked in forks of the session, the way to the next disagreement, what is recorded of it.

use std::sync::Arc;
use std::time::Duration;

use crate::support::driver::{Counter, Scripted, Turn, Watched, header, setup};
use stepwright::driver::{
    Beginning, Command, Contender, DuelCommand, Level, Notice, Request, Resolver, SetSource, Source,
};
use stepwright::episode::duel::Agreement;
use stepwright::episode::gate::Level as Says;
use stepwright::episode::{Actor, Event, Session};
use stepwright::export::compare::{Line, compare, ghosts};
use stepwright::export::{Format, render};
use stepwright::methods::METHODS;

/// What each side says, step by step; they differ where the lines do.
fn scripts(differ: u32, steps: usize) -> (Vec<&'static str>, Vec<&'static str>) {
    // Half of the steps are refused by the world, on which two may agree too: the episode has as many steps as are wanted.
    let first = |at: usize| if at.is_multiple_of(2) { "agent.add(1)" } else { "agent.add(9)" };
    let second = |at: usize| match differ >> at & 1 {
        1 => "agent.add(2)",
        _ => first(at),
    };
    ((0..steps).map(first).collect(), (0..steps).map(second).collect())
}

fn contenders() -> Vec<Contender> {
    let side = |name: &str, model: &str| Contender { name: name.into(), model: model.into(), ..Contender::default() };
    vec![side("scripted", ""), side("other", "other")]
}

fn duel(command: DuelCommand) -> Command {
    Command::Duel(command)
}

/// A session of the counter by what a model says first, with another model to be asked.
fn watched(one: &Arc<Scripted>, other: &Arc<Scripted>, beginning: Beginning) -> Watched {
    let mut setup = setup(beginning, Counter::default(), one.clone(), None);
    let (own, other) = (Arc::clone(&setup.resolver), Arc::clone(other));
    let resolver: Resolver = Arc::new(move |name| match name {
        "other" => Ok(Source::Language { name: "other".into(), model: other.clone() }),
        name => own(name),
    });
    setup.resolver = resolver;
    setup.method = METHODS.named("few-shot").unwrap();
    Watched::start(setup)
}

fn begun(one: &Arc<Scripted>, other: &Arc<Scripted>) -> Watched {
    let header = stepwright::episode::Header { method: "few-shot".into(), ..header() };
    watched(one, other, Beginning::New(Box::new(header)))
}

/// Goes to the next disagreement; its step, or `None` where there is no more.
async fn next(w: &mut Watched) -> Option<u32> {
    w.send(duel(DuelCommand::Next));
    let said = w.until("a disagreement, or the end", |notice, _| {
        let ends = ["they disagree", "no further disagreement"];
        matches!(notice, Notice::Say { level: Says::Info, text } if ends.iter().any(|end| text.contains(end)))
    });
    let Notice::Say { text, .. } = said.await else { unreachable!() };
    text.contains("they disagree").then(|| w.session.current().unwrap().depth)
}

async fn dueled(w: &mut Watched) {
    w.until("a duel", |n, _| matches!(n, Notice::Recorded(r) if matches!(r.event, Event::Dueled { .. }))).await;
}

/// What each side of the duel at the cursor would do.
fn would(session: &Session) -> Vec<(String, Option<String>)> {
    let turn = &session.current().unwrap().turn;
    let action = |side| turn.side_action(side).map(|a| a.text.clone());
    turn.duel.iter().flat_map(|sides| sides.iter()).map(|side| (side.name.clone(), action(side))).collect()
}

/// Twenty steps of two models that were written down: `N` stops at each step at which they differ, and at no other.
#[tokio::test]
async fn every_disagreement_of_twenty_steps_is_found_and_none_is_invented() {
    for differ in [0, 0b1, 0x8_0000, 0b1010_0110_0000_1000_0001, 0xf_ffff] {
        let (one, other) = scripts(differ, 20);
        let mut w = begun(&Scripted::lines(&one), &Scripted::lines(&other));
        w.recommended().await;
        w.send(duel(DuelCommand::Begin(contenders())));
        dueled(&mut w).await;
        let mut found = Vec::new();
        while let Some(step) = next(&mut w).await {
            found.push(step);
            let side = w.session.current().unwrap().turn.duel.as_ref().unwrap()[0].clone();
            w.send(Command::Gate(Request::Approve { proposal: side.proposal.unwrap() }));
        }
        let expected: Vec<u32> = (0..19).filter(|at| differ >> at & 1 == 1).collect();
        assert_eq!(found, expected, "{differ:b}");
        assert_eq!(w.session.duels(Agreement::Differ).iter().map(|n| n.depth).collect::<Vec<_>>(), expected);
        assert_eq!(w.session.current().unwrap().depth, 19, "ten of them count");
        let by = |at: &u32| w.session.decision_at(w.session.line()[*at as usize + 1].id).unwrap().by;
        assert!(expected.iter().all(|at| by(at) == Actor::Person), "a person chose");
        assert!((0..19).filter(|at| !expected.contains(at)).all(|at| by(&at) == Actor::Policy), "the rule chose");
        // Beside what was done stands what the other would have done, where that is something else.
        let tip = w.session.cursor();
        let sides = ghosts(&w.session, tip);
        assert_eq!(sides, if expected.is_empty() { vec![] } else { vec!["other"] });
        let taken = Line { name: String::new(), session: &w.session, tip, ghost: None };
        let ghost = Line { name: String::new(), session: &w.session, tip, ghost: Some("other") };
        let rows = compare(&[taken, ghost]).rows;
        let parted: Vec<u32> = rows.iter().filter(|row| row.differs).map(|row| row.depth - 1).collect();
        assert_eq!(parted, expected, "{differ:b}");
        // A session that is read again tells the same, and the way through it asks nobody.
        let (session, records) = (Box::new(w.session.clone()), w.quit().await);
        told_in_exports(&session, &records, &expected);
        let silent = Scripted::lines(&[]);
        let mut again = watched(&silent, &silent, Beginning::Resume { session, records });
        again.until("opened", |n, _| matches!(n, Notice::Opened { .. })).await;
        assert_eq!(again.session.duels(Agreement::Differ).iter().map(|n| n.depth).collect::<Vec<_>>(), expected);
        again.send(Command::Gate(Request::Goto(0)));
        again.send(duel(DuelCommand::Begin(contenders())));
        again.said(Level::Info, "at step 0").await;
        again.quit().await;
    }
}

/// Page and text say of each step that was a duel, who would do what, and at which steps they disagree.
fn told_in_exports(session: &Session, records: &[stepwright::episode::Record], differ: &[u32]) {
    let [page, text] = [Format::Html, Format::Text]
        .map(|form| render(form, &session.header, records, |kind| METHODS.showing(kind)).unwrap());
    for told in [&page, &text] {
        assert_eq!(told.matches("duel: they disagree").count(), differ.len(), "{told}");
        assert_eq!(told.matches("duel: all would do the same").count(), 19 - differ.len(), "{told}");
        assert_eq!(told.matches("other [other, few-shot]: ").count(), 19, "{told}");
        let sum = format!("asked at 19 steps, {}", if differ.len() == 1 { "1 disagreement" } else { "" });
        assert!(told.contains(&sum), "{sum}: {told}");
    }
}

#[tokio::test]
async fn a_side_is_asked_in_a_copy_and_what_it_would_do_can_be_taken() {
    let one = Scripted::lines(&["agent.add(1)", "agent.add(1)"]);
    let mut w = begun(&one, &Scripted::lines(&["agent.add(3)", "agent.add(3)"]));
    w.recommended().await;
    let method =
        Contender { name: "as conditioned".into(), method: "precondition-aware".into(), ..Contender::default() };
    let set = Contender { name: "own set".into(), set: Some(SetSource::Specification), ..Contender::default() };
    *one.turns.lock().unwrap() = ["agent.add(2)", "agent.add(2)"].map(|l| Turn::Say(vec![l], Duration::ZERO)).into();
    w.send(duel(DuelCommand::Begin([contenders(), vec![method, set]].concat())));
    dueled(&mut w).await;
    let names = ["scripted", "other", "as conditioned", "own set"];
    let expected = ["add 1", "add 3", "add 2", "add 2"].map(|text| Some(text.to_owned()));
    assert_eq!(would(&w.session), names.map(str::to_owned).into_iter().zip(expected).collect::<Vec<_>>());
    assert_eq!(w.session.method, "few-shot", "the session itself stays as it is");
    let turn = w.session.current().unwrap().turn.clone();
    let side = turn.side("other").unwrap();
    assert_eq!((side.configuration.model.as_str(), side.configuration.method.as_str()), ("other", "few-shot"));
    let proposal = turn.proposal(side.proposal.unwrap()).unwrap();
    assert_eq!(turn.author(proposal), Some("other"), "its prompt and answer are recorded");
    assert_eq!(turn.asks.iter().filter(|ask| ask.kind.is_of_side()).count(), 3);
    w.until("its checks", |_, s| s.current().unwrap().turn.newest(proposal.id).is_some()).await;
    // More samples are the method's own matter.
    *one.turns.lock().unwrap() = [Turn::Say(vec!["agent.add(4)"], Duration::ZERO)].into();
    w.send(Command::Gate(Request::Approve { proposal: proposal.id }));
    assert_eq!(w.executed().await, "The total is 3.");
    assert_eq!(w.session.decision_at(w.session.cursor()).unwrap().by, Actor::Person);
    w.quit().await;
}

/// A role's model is an option like others: a side that differs in it alone asks that model, as that.
#[tokio::test]
async fn a_side_may_name_the_model_of_a_role() {
    let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &Scripted::lines(&["agent.add(3)"]));
    w.recommended().await;
    let options = [("model.proposer".to_owned(), "other".to_owned())].into();
    let role = Contender { name: "model.proposer=other".into(), options, ..Contender::default() };
    w.send(duel(DuelCommand::Begin(vec![contenders().remove(0), role])));
    dueled(&mut w).await;
    let expected = [("scripted", "add 1"), ("model.proposer=other", "add 3")];
    let expected = expected.map(|(name, text)| (name.to_owned(), Some(text.to_owned())));
    assert_eq!(would(&w.session), expected);
    let turn = &w.session.current().unwrap().turn;
    assert!(turn.asks.iter().any(|ask| ask.kind.is_of_side() && ask.model == "other"));
    assert!(!w.session.options.contains_key("model.proposer"), "the session itself stays as it is");
    w.quit().await;
}

#[tokio::test]
async fn a_side_that_cannot_be_asked_has_nothing_to_offer() {
    let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &Scripted::lines(&[]));
    w.recommended().await;
    w.send(duel(DuelCommand::Begin(contenders())));
    dueled(&mut w).await;
    let turn = &w.session.current().unwrap().turn;
    let side = turn.side("other").unwrap();
    assert_eq!((side.proposal, turn.agreement()), (None, Some(Agreement::Open)));
    assert!(side.why.contains("the script is over"), "{}", side.why);
    // The way to the next disagreement stops here, and says what is so.
    w.send(duel(DuelCommand::Next));
    let way = "not all have an answer here: take what one of them would do, then go on";
    w.until(way, |notice, _| matches!(notice, Notice::Say { level: Says::Info, text } if text == way)).await;
    assert!(w.session.duels(Agreement::Differ).is_empty());
    w.quit().await;
}

#[tokio::test]
async fn a_side_may_take_its_time() {
    let slow = Scripted::new([Turn::Say(vec!["agent.add(3)"], Duration::from_millis(200))]);
    let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &slow);
    w.recommended().await;
    w.send(duel(DuelCommand::Begin(contenders())));
    dueled(&mut w).await;
    let expected = [("scripted", "add 1"), ("other", "add 3")];
    assert_eq!(would(&w.session), expected.map(|(name, text)| (name.to_owned(), Some(text.to_owned()))));
    w.quit().await;
}

#[tokio::test]
async fn no_duel_begins_with_what_is_not_there() {
    let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &Scripted::lines(&[]));
    w.recommended().await;
    let side = |model: &str, method: &str| Contender {
        name: format!("{model}{method}"),
        model: model.into(),
        method: method.into(),
        ..Contender::default()
    };
    let option = Contender { options: [("shot".to_owned(), "1".to_owned())].into(), ..side("", "few-shot") };
    let others = [(side("third", ""), "no model `third`"), (side("", "o3"), "no method `o3`")];
    let role = |role: &str, model: &str| Contender {
        options: [(format!("model.{role}"), model.to_owned())].into(),
        ..side("", "few-shot")
    };
    let options = [
        (option, "few-shot has no option `shot`"),
        (role("writer", "other"), "few-shot asks no writer"),
        (role("proposer", "third"), "no model `third`"),
    ];
    for (other, why) in others.into_iter().chain(options) {
        w.send(duel(DuelCommand::Begin(vec![contenders().remove(0), other])));
        w.said(Level::Error, why).await;
    }
    w.send(duel(DuelCommand::Begin(contenders().into_iter().take(1).collect())));
    w.said(Level::Error, "a duel has 2 to 4 sides").await;
    w.send(duel(DuelCommand::Next));
    w.said(Level::Info, "no duel goes on").await;
    w.quit().await;
}

#[tokio::test]
async fn a_person_may_stop_waiting_for_the_sides() {
    let other = Scripted::new([Turn::Hang("agent")]);
    let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &other);
    w.recommended().await;
    w.send(duel(DuelCommand::Begin(contenders())));
    w.send(duel(DuelCommand::Next));
    w.until("one is heard", |n, _| matches!(n, Notice::Duel { heard: 1, .. })).await;
    w.send(Command::Cancel);
    w.until("no more", |n, _| matches!(n, Notice::Progress { done, total, .. } if done == total)).await;
    let records = w.quit().await;
    assert!(!records.iter().any(|r| matches!(r.event, Event::Dueled { .. })));
}

#[test]
fn a_side_that_is_still_asking_when_the_program_ends_dies_in_peace() {
    static PANICS: std::sync::atomic::AtomicUsize = std::sync::atomic::AtomicUsize::new(0);
    let before = std::panic::take_hook();
    std::panic::set_hook(Box::new(move |info| {
        let of_the_runtime = info.to_string().contains("shutdown");
        PANICS.fetch_add(usize::from(of_the_runtime), std::sync::atomic::Ordering::Relaxed);
        before(info);
    }));
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
    let w = runtime.block_on(async {
        let other = Scripted::new([Turn::Hang("agent")]);
        let mut w = begun(&Scripted::lines(&["agent.add(1)"]), &other);
        w.recommended().await;
        w.send(duel(DuelCommand::Begin(contenders())));
        w.until("one is heard", |n, _| matches!(n, Notice::Duel { heard: 1, .. })).await;
        tokio::time::sleep(Duration::from_millis(120)).await;
        w
    });
    runtime.shutdown_timeout(Duration::from_millis(300));
    drop(w);
    assert_eq!(PANICS.load(std::sync::atomic::Ordering::Relaxed), 0);
}
