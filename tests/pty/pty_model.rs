//! Streaming language model under the workbench, by keys: Algorithm 1 live, keys answered while it streams, cancelled.

use std::time::{Duration, Instant};

use crate::support::program::PROGRAM;
use crate::support::pty::{PATIENCE, Pty};
use crate::support::server::{END, Server, Step, delta, send, stream_head};
use serde_json::json;
use stepwright::episode::{Event, Origin, log};

/// A greedy completion that its preconditions refuse, with an attempt on the terminal in it.
const HOSTILE: &str = "agent.open('fridge 9') # \u{1b}[2J\u{1b}]0;owned\u{7}";

fn slow_and_endless() -> Vec<Step> {
    let mut steps = vec![stream_head()];
    for piece in ["agent", ".go", "to('fri"] {
        steps.extend([send(&delta(piece)), Step::Pause(50)]);
    }
    steps.push(Step::Hold);
    steps
}

/// Four samples in one stream, the second of which verifies first.
fn samples() -> Vec<Step> {
    let mut steps = vec![stream_head()];
    for (index, text) in
        ["agent.open('cabinet 9')", "agent.goto('fridge 1')", "hello", "agent.goto('shelf 1')"].into_iter().enumerate()
    {
        let piece = json!({"choices": [{"index": index, "delta": {"content": text}}]});
        let end = json!({"choices": [{"index": index, "delta": {}, "finish_reason": "stop"}]});
        steps.push(send(&format!("data: {piece}\n\ndata: {end}\n\n")));
    }
    steps.push(send("data: [DONE]\n\n"));
    steps
}

#[test]
fn algorithm_1_streams_is_cancelled_and_asked_again() {
    let greedy = vec![stream_head(), send(&delta(HOSTILE)), send(END)];
    let server = Server::start(vec![slow_and_endless(), greedy, samples()]);
    let home = tempfile::tempdir().unwrap();
    let env = server.variables();
    let mut pty = Pty::start(PROGRAM, &[], home.path(), &env, (120, 40));
    pty.wait_for("/ searches").send("/");
    pty.wait_for("Search:").send("heat some tomato");
    pty.wait_for("▶ heat some tomato").send("\r");
    pty.settle().send("\r");

    // The stream shows as it comes, never ends, and keeps no key waiting.
    pty.wait_for("step 0 ·").wait_for("agent.goto('fri");
    let pressed = Instant::now();
    pty.send("?");
    pty.wait_for("Let steps be taken");
    assert!(pressed.elapsed() < Duration::from_secs(5), "help came after {:?}", pressed.elapsed());
    pty.send("\x1b");
    pty.settle().send("\x1b");
    pty.wait_for("ask cancelled");
    server.closed.recv_timeout(PATIENCE).expect("cancelling closes the connection");

    pty.send("P");
    pty.wait_for("★ recommended").settle();
    assert!(pty.text().contains("sample 2 of 4"), "{}", pty.text());
    assert!(pty.text().contains("go to fridge 1"), "{}", pty.text());

    // Greedy first, then the samples in one request.
    let requests = server.requests();
    let asked: Vec<_> = requests.iter().map(|r| (r.body["n"].as_u64(), r.body["temperature"].as_f64())).collect();
    assert_eq!(requests.len(), 3, "{asked:?}");
    assert_eq!(asked[2].0, Some(4));
    assert!(asked[0].1 == Some(0.0) && asked[2].1 > Some(0.0), "{asked:?}");

    // The answer is there to read, and was never acted upon.
    pty.send("\x1b7k");
    pty.settle();
    pty.wait_for("\\x1b[2J");
    let raw = String::from_utf8_lossy(&pty.bytes).into_owned();
    assert!(!raw.contains("owned\u{7}") && !raw.contains("\u{1b}]0;owned"), "the title is left alone");
    pty.send("a");
    pty.wait_for("step 1 ·");
    // Nobody answers the next request as asked: that is reported, not fatal.
    pty.wait_for("418").settle().send("q");
    assert_eq!(pty.wait(), 0);

    let folder = home.path().join("state/stepwright/sessions");
    let path = std::fs::read_dir(folder).unwrap().next().unwrap().unwrap().path();
    let file = log::load(&path).unwrap();
    let cancelled = |e: &Event| matches!(e, Event::AskFailed { cancelled: true, .. });
    assert!(file.records.iter().any(|r| cancelled(&r.event)));
    let offered = &file.session.nodes()[0].turn.proposals;
    assert_eq!(offered.iter().filter(|p| p.origin == Origin::Sample).count(), 4);
    assert!(offered.iter().any(|p| p.origin == Origin::Greedy && p.raw == HOSTILE), "kept verbatim");
}
