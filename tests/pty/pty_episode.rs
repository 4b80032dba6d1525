//! Whole program by keys, in a pseudo-terminal: an episode from the start screen to the goal, with every kind of decision,
//! leaving and coming back; and the record of it that the log keeps.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use crate::support::program::PROGRAM;
use crate::support::pty::{PATIENCE, Pty};
use stepwright::episode::{Actor, Choice, Event, Origin, Record, Session, log};

const SIZE: (u16, u16) = (120, 40);
const TASK: &str = "heat some tomato";

fn only_session(home: &Path) -> PathBuf {
    let folder = home.join("state/stepwright/sessions");
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|e| e.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one session is kept: {files:?}") };
    file.clone()
}

/// Waits until one of the texts is on the screen; which.
fn wait_for_any(pty: &mut Pty, texts: &[&str]) -> usize {
    let end = Instant::now() + PATIENCE;
    loop {
        if let Some(which) = texts.iter().position(|t| pty.text().contains(t)) {
            return which;
        }
        assert!(Instant::now() < end, "none of {texts:?} on\n{}", pty.text());
        let _ = pty.receive(Duration::from_millis(50));
    }
}

/// Begins the shipped task and waits for the first proposals.
fn begun(home: &Path, env: &[(&str, &str)]) -> Pty {
    let mut pty = Pty::start(PROGRAM, &[], home, env, SIZE);
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send(TASK);
    pty.wait_for("▶ heat some tomato").send("\r");
    pty.settle().send("\r");
    pty.wait_for("step 0 ·");
    pty
}

fn reopened(home: &Path) -> Pty {
    let file = only_session(home).display().to_string();
    Pty::start(PROGRAM, &["open", &file], home, &[], SIZE)
}

/// Waits until a step is at the cursor and the next action is recommended.
fn at_step(pty: &mut Pty, step: usize) {
    pty.wait_for(&format!("step {step} ·")).wait_for("▶★").settle();
}

fn leave(pty: &mut Pty) {
    pty.send("q");
    assert_eq!(pty.wait(), 0);
    assert!(pty.is_restored());
}

/// The screen without the lines of messages and hints, and without former values, which are shown only where the state shown
/// before was that of the step before.
fn content(pty: &Pty) -> Vec<String> {
    let text = pty.text();
    let kept =
        |l: &str| l.split("  (was ").next().unwrap_or_default().trim_end_matches([' ', '█', '│', '┃']).to_owned();
    let lines: Vec<String> = text.lines().map(kept).collect();
    lines.into_iter().take(usize::from(SIZE.1) - 3).collect()
}

#[test]
fn an_episode_is_stepped_left_and_finished() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = begun(home.path(), &[]);
    at_step(&mut pty, 0);

    pty.send("x");
    pty.wait_for("Reject the proposal").send("not now\r");
    pty.wait_for("rejected: not now").wait_for("▶★").settle();
    pty.send("s");
    pty.wait_for("3 further proposals").settle();
    pty.send("a");
    at_step(&mut pty, 1);

    // What is edited is checked as it is typed, before it is taken.
    pty.send("e");
    pty.wait_for("Edit the action").send("\x15heat tomato 9");
    pty.wait_for("✗ the world would refuse it").send("\x15inventory");
    pty.wait_for("✓ the world would accept it").send("\r");
    at_step(&mut pty, 2);
    pty.send("u");
    at_step(&mut pty, 1);
    pty.send("U");
    at_step(&mut pty, 2);
    pty.send("u");
    at_step(&mut pty, 1);

    // Another decision at the same node is another branch; the first is kept.
    pty.send("m");
    pty.wait_for("Type an action").send("go to shelf");
    pty.wait_for("▶ go to shelf 1").send("\t");
    pty.wait_for("✓ the world would accept it").send("\r");
    at_step(&mut pty, 2);
    pty.send("t");
    pty.wait_for("2 branches").send("\x1b");
    pty.settle().send("p");
    pty.wait_for("Policy").send("\x152\r");
    at_step(&mut pty, 4);

    let before = content(pty.settle());
    leave(&mut pty);
    let mut pty = reopened(home.path());
    at_step(&mut pty, 4);
    // The candidates come beside the episode.
    let end = Instant::now() + PATIENCE;
    while content(&pty) != before && Instant::now() < end {
        let _ = pty.receive(Duration::from_millis(50));
    }
    for (row, (after, before)) in content(&pty).iter().zip(&before).enumerate() {
        assert_eq!(after, before, "row {row}: the same screen as on leaving");
    }

    pty.send("a");
    at_step(&mut pty, 5);
    pty.send("p");
    pty.wait_for("Policy").send("\x15end\r");
    wait_for_any(&mut pty, &["The episode is over", "the goal is reached"]);
    pty.wait_for("the goal is reached").settle();
    leave(&mut pty);

    let file = log::load(&only_session(home.path())).unwrap();
    separate_records(&file.records);
    what_was_decided(&file.session);
}

/// Proposed, decided and executed are separate records, in that order.
fn separate_records(records: &[Record]) {
    let find = |wanted: &dyn Fn(&Event) -> bool| records.iter().position(|r| wanted(&r.event));
    let mut executed = 0;
    for (at, record) in records.iter().enumerate() {
        let Event::Executed { decision, action, .. } = &record.event else { continue };
        executed += 1;
        let decided = find(&|e| matches!(e, Event::Decided { decision: d } if d.id == *decision)).unwrap();
        let Event::Decided { decision } = &records[decided].event else { unreachable!() };
        let taken = decision.proposal();
        let proposed = find(&|e| matches!(e, Event::Proposed { proposal } if proposal.id == taken)).unwrap();
        assert!(proposed < decided && decided < at, "record {at}");
        let Event::Proposed { proposal } = &records[proposed].event else { unreachable!() };
        assert_eq!(proposal.action.as_ref(), Some(action.as_ref()), "what was decided is what was done");
    }
    assert!(executed >= 7, "{executed} steps");
    let moves = records.iter().filter(|r| matches!(r.event, Event::Moved { .. })).count();
    assert_eq!(moves, 3, "undo, redo, undo");
}

fn what_was_decided(session: &Session) {
    assert!(session.current().unwrap().outcome.won);
    let decisions: Vec<_> = session.nodes().iter().flat_map(|n| &n.turn.decisions).collect();
    assert!(decisions.iter().any(|d| matches!(&d.choice, Choice::Reject { reason, .. } if reason == "not now")));
    assert!(decisions.iter().any(|d| matches!(d.choice, Choice::Edit { .. })));
    assert!(decisions.iter().any(|d| matches!(d.choice, Choice::Manual { .. })));
    assert!(
        decisions.iter().filter(|d| d.by == Actor::Policy).count() >= 3,
        "the policy's are distinguished from a person's"
    );
    let start = &session.nodes()[0].turn;
    assert!(start.asks.len() >= 3, "first, after the rejection, and for more: {:?}", start.asks);
    let fork = session.nodes().iter().find(|n| n.children.len() == 2).expect("the first branch is kept");
    let texts: Vec<_> =
        fork.children.iter().map(|c| session.node(*c).unwrap().action.as_ref().unwrap().text.as_str()).collect();
    assert_eq!(texts, ["inventory", "go to shelf 1"]);
    assert!(fork.turn.proposals.iter().any(|p| p.origin == Origin::Person));
}

#[test]
fn what_was_shown_as_taken_survives_a_kill() {
    let home = tempfile::tempdir().unwrap();
    let mut pty = begun(home.path(), &[]);
    for step in 0..3 {
        at_step(&mut pty, step);
        pty.send("a");
    }
    pty.wait_for("step 3 ·");
    pty.signal("KILL");
    pty.wait();

    // The worst that a kill leaves behind: a record cut short.
    let path = only_session(home.path());
    assert_eq!(log::load(&path).unwrap().session.current().unwrap().depth, 3);
    std::fs::OpenOptions::new().append(true).open(&path).unwrap().write_all(b"{\"id\":99999,\"ts\":1,\"no").unwrap();
    let mut pty = reopened(home.path());
    pty.wait_for("step 3 ·").settle();
    leave(&mut pty);
}

#[test]
fn each_example_session_is_one_key_away() {
    let home = tempfile::tempdir().unwrap();
    for (key, shown) in [("1", "heat some tomato"), ("2", "heat some apple"), ("3", "scripted")] {
        let mut pty = Pty::start(PROGRAM, &[], home.path(), &[], SIZE);
        pty.wait_for("algorithm-1").settle().send(key);
        pty.wait_for(shown).wait_for("Observations  Log").settle();
        leave(&mut pty);
    }
}
