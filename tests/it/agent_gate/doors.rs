//! Agents that are started elsewhere, and what the gate refuses.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use crate::support::program::PROGRAM;
use stepwright::episode::Choice;

use super::{Bed, three};

/// The gate without a command, as it waits; the address that it says for OpenAI's clients.
fn waiting(bed: &Bed, args: &[&str]) -> (Child, String) {
    let mut gate = bed.command(&[&["gate", "--headless"], args].concat());
    let mut gate = gate.stdout(Stdio::null()).stderr(Stdio::piped()).spawn().unwrap();
    let mut lines = BufReader::new(gate.stderr.take().unwrap()).lines().map_while(Result::ok);
    let said: Vec<String> = lines.by_ref().take(3).collect();
    std::thread::spawn(move || lines.for_each(drop));
    let names: Vec<&str> = said.iter().filter_map(|line| Some(line.split_once('=')?.0)).collect();
    assert_eq!(names, ["OPENAI_BASE_URL", "OPENAI_API_BASE", "ANTHROPIC_BASE_URL"], "{said:?}");
    (gate, said[0].split_once('=').unwrap().1.to_owned())
}

#[test]
fn an_agent_that_is_started_elsewhere_is_waited_for() {
    let Some(bed) = Bed::alone(three) else { return };
    let (mut gate, url) = waiting(&bed, &["--listen"]);
    // Who does not know the secret finds nothing there.
    let address = url.strip_prefix("http://").unwrap().split('/').next().unwrap().to_owned();
    let mut stranger = TcpStream::connect(&address).unwrap();
    stranger
        .write_all(b"POST /v1/chat/completions HTTP/1.1\r\nhost: x\r\ncontent-length: 0\r\nconnection: close\r\n\r\n")
        .unwrap();
    let mut answer = String::new();
    stranger.read_to_string(&mut answer).unwrap();
    assert!(answer.starts_with("HTTP/1.1 404"), "{answer}");
    let agent = Command::new("python3")
        .arg(bed.at("agent.py"))
        .env("OPENAI_BASE_URL", &url)
        .env("SEEN", bed.at("seen"))
        .output();
    let agent = agent.unwrap();
    let said = String::from_utf8_lossy(&agent.stderr).into_owned();
    assert_eq!(String::from_utf8_lossy(&agent.stdout).trim(), "done: tidy", "{said}");
    assert_eq!(bed.seen().lines().count(), 4);
    // That it has ended is not seen: it is not this program's. All that was decided is kept.
    assert!(gate.try_wait().unwrap().is_none());
    rustix::process::kill_process(pid(&gate), rustix::process::Signal::INT).unwrap();
    let deadline = Instant::now() + Duration::from_secs(30);
    while gate.try_wait().unwrap().is_none() {
        assert!(Instant::now() < deadline, "it does not end");
        std::thread::sleep(Duration::from_millis(20));
    }
    let (_, session) = bed.session();
    let approved = session.nodes().iter().flat_map(|node| node.turn.decisions.iter());
    assert_eq!(approved.filter(|decision| matches!(decision.choice, Choice::Approve { .. })).count(), 4);
}

fn pid(child: &Child) -> rustix::process::Pid {
    rustix::process::Pid::from_raw(i32::try_from(child.id()).unwrap()).unwrap()
}

#[test]
fn an_address_is_for_an_agent_of_its_own_too_and_one_that_is_taken_is_said() {
    let Some(bed) = Bed::new(three) else { return };
    let out = bed.command(&["gate", "--headless", "--listen", "127.0.0.1:0"]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stdout).trim()), (Some(0), "done: tidy"), "{said}");
    let taken = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = taken.local_addr().unwrap().to_string();
    let out = bed.command(&["gate", "--headless", "--listen", &address]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert!(!out.status.success() && said.contains("the proxy cannot be started"), "{said}");
}

#[test]
fn what_makes_no_sense_together_is_refused() {
    let refused = |args: &[&str]| {
        let out = Command::new(PROGRAM).args(args).stdin(Stdio::null()).output().unwrap();
        assert_eq!(out.status.code(), Some(2), "{args:?}");
        String::from_utf8_lossy(&out.stderr).into_owned()
    };
    let agent = &["--", "true"];
    for (args, part) in [
        (&["gate"][..], "required"),
        (&["gate", "--demo", "--listen"], "cannot be used with"),
        (&["gate", "--listen", "here", "--", "true"], "invalid value 'here'"),
        (&["gate", "--auto", "0", agent[0], agent[1]], "0 is not in 1"),
        (&["gate", "--auto", "one", agent[0], agent[1]], "invalid value 'one'"),
        (&["gate", "--auto", "1", "--headless", agent[0], agent[1]], "cannot be used with"),
        (&["gate", "--keep-workspaces", agent[0], agent[1]], "--workspace"),
        (&["gate", "--env", "url", agent[0], agent[1]], "write it as NAME={url}"),
        (&["run", "--world", "agent"], "takes a command"),
        (&["run", "--world", "household", agent[0], agent[1]], "takes a command"),
    ] {
        let said = refused(args);
        assert!(said.contains(part), "{args:?}: {said}");
    }
}
