//! An agent of Python's standard library behind the gate, its provider a stand-in on loopback: approvals, a rejection, an edit, going back,
//! a planted command, a kill. Without Python nothing of it can be tried.

mod doors;
mod runs;

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use crate::support::program::program;
use serde_json::{Value, json};
use stepwright::config::{Overrides, load_with};
use stepwright::driver::{Command as Ask, Handle, NewSession, Notice, OpenRequest, Request, open};
use stepwright::episode::{Choice, Event, Origin, Session, log};
use stepwright::method::wording;
use stepwright::methods::METHODS;
use stepwright::world::AgentCommand;

const KEY: &str = "sk-of-the-agent";

/// A loop around a chat model with one tool, `bash`, which only notes what it was to run.
const AGENT: &str = r#"
import fcntl, json, os, sys, urllib.request
tools = [{"type": "function", "function": {"name": "bash", "description": "Runs.", "parameters": {"type": "object",
    "properties": {"command": {"type": "string"}}, "required": ["command"], "additionalProperties": False}}}]
messages = [{"role": "system", "content": "You work."}, {"role": "user", "content": os.environ.get("STEPWRIGHT_TASK") or "Tidy up."}]
seen = open(os.environ["SEEN"], "a")
fcntl.flock(seen, fcntl.LOCK_SH)
open(os.environ["SEEN"] + "-starts", "a").write("x")
while True:
    body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
    headers = {"content-type": "application/json", "authorization": "Bearer sk-of-the-agent"}
    answer = urllib.request.urlopen(urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, headers)).read()
    seen.write(answer.decode() + "\n"); seen.flush()
    message = json.loads(answer)["choices"][0]["message"]
    messages.append(message)
    if not message.get("tool_calls"):
        print("done:", message["content"])
        break
    for call in message["tool_calls"]:
        command = json.loads(call["function"]["arguments"])["command"]
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": "ran " + command})
"#;

/// A provider that answers by a function of the request's body, and keeps the bodies.
struct Provider {
    url: String,
    bodies: Arc<Mutex<Vec<String>>>,
}

fn chat(id: usize, command: Option<&str>) -> String {
    let calls = command.map(|command| {
        let arguments = json!({ "command": command }).to_string();
        json!([{ "id": format!("call_{id}"), "type": "function", "function": { "name": "bash", "arguments": arguments } }])
    });
    let message =
        json!({ "role": "assistant", "content": if command.is_some() { "" } else { "tidy" }, "tool_calls": calls });
    let finish = if command.is_some() { "tool_calls" } else { "stop" };
    json!({ "id": format!("x{id}"), "object": "chat.completion", "model": "stand-in", "odd": 1.0,
        "choices": [{ "index": 0, "message": message, "finish_reason": finish }],
        "usage": { "prompt_tokens": 40, "completion_tokens": 5, "total_tokens": 45 } })
    .to_string()
}

fn body_of(stream: &TcpStream) -> Option<(String, String)> {
    let mut reader = BufReader::new(stream);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line).ok()? == 0 {
            return None;
        }
        if let Some(n) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = n.trim().parse().ok()?;
        }
        if line == "\r\n" {
            break;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body).ok()?;
    Some((head, String::from_utf8(body).ok()?))
}

impl Provider {
    fn start(answer: impl Fn(&Value, usize) -> String + Send + 'static) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/v1", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let kept = Arc::clone(&bodies);
        std::thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let Some((head, body)) = body_of(&stream) else { continue };
                assert!(head.contains(KEY), "the agent's own key goes with it: {head}");
                let number = kept.lock().unwrap().len();
                let text = answer(&serde_json::from_str(&body).unwrap(), number);
                kept.lock().unwrap().push(body);
                let head = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\nconnection: close\r\ncontent-length: ";
                // A client that is gone wants no answer.
                let _ = (&stream).write_all(format!("{head}{}\r\n\r\n{text}", text.len()).as_bytes());
            }
        });
        Provider { url, bodies }
    }

    fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }
}

/// How many results of tools a request holds that no person wrote.
fn results(body: &Value) -> usize {
    let tool = |m: &&Value| m["role"] == "tool" && !m["content"].as_str().unwrap_or_default().contains("supervises");
    body["messages"].as_array().into_iter().flatten().filter(tool).count()
}

struct Bed {
    folder: tempfile::TempDir,
    provider: Provider,
    /// Whether the agent is started elsewhere.
    alone: bool,
}

impl Bed {
    /// None without Python.
    fn new(answer: impl Fn(&Value, usize) -> String + Send + 'static) -> Option<Self> {
        let python = Command::new("python3").arg("--version").output();
        python.is_ok_and(|out| out.status.success()).then(|| {
            let folder = tempfile::tempdir().unwrap();
            std::fs::write(folder.path().join("agent.py"), AGENT).unwrap();
            Bed { folder, provider: Provider::start(answer), alone: false }
        })
    }

    /// One whose command is not the gate's to start.
    fn alone(answer: impl Fn(&Value, usize) -> String + Send + 'static) -> Option<Self> {
        Bed::new(answer).map(|bed| Bed { alone: true, ..bed })
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn words(&self) -> Vec<String> {
        vec!["python3".into(), self.at("agent.py").display().to_string()]
    }

    fn command(&self, args: &[&str]) -> Command {
        let mut command = program(self.folder.path());
        command.args(args).stdin(Stdio::null());
        if !self.alone {
            command.arg("--").args(self.words());
        }
        command.env("OPENAI_BASE_URL", &self.provider.url).env("SEEN", self.at("seen"));
        command
    }

    fn seen(&self) -> String {
        std::fs::read_to_string(self.at("seen")).unwrap_or_default()
    }

    fn session(&self) -> (String, Session) {
        let folder = self.at("state/sessions");
        let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let path = files.last().unwrap();
        (std::fs::read_to_string(path).unwrap(), log::load(path).unwrap().session)
    }
}

fn three(body: &Value, number: usize) -> String {
    let command = ["ls", "cat notes", "touch done"].get(results(body)).copied();
    chat(number, command)
}

#[test]
fn headless_what_passes_its_checks_reaches_the_agent_byte_for_byte() {
    let Some(bed) = Bed::new(three) else { return };
    let out = bed.command(&["gate", "--headless"]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!((out.status.code(), String::from_utf8_lossy(&out.stdout).trim()), (Some(0), "done: tidy"), "{said}");
    assert!(said.contains("Whether the goal is reached is not known"), "{said}");
    let answers: Vec<String> = (0..4).map(|n| chat(n, ["ls", "cat notes", "touch done"].get(n).copied())).collect();
    assert_eq!(bed.seen().lines().collect::<Vec<_>>(), answers);
    let (text, session) = bed.session();
    assert!(!text.contains(KEY) && session.is_done() && session.nodes().len() == 5);
    // A conversation is kept once.
    assert_eq!(text.matches("You work.").count(), 2, "in the observation and in the request that began it");
    let calls: Vec<_> = session.nodes().iter().filter_map(|n| n.action.as_ref()?.call.clone()).collect();
    assert_eq!(calls[0], "tools.bash(command='ls')");
}

#[test]
fn a_command_says_whether_the_goal_is_reached() {
    let Some(bed) = Bed::new(three) else { return };
    for (success, code, words) in [("true", 0, "The goal is reached"), ("false", 1, "The goal is not reached: `false`")]
    {
        let out = bed.command(&["gate", "--headless", "--success", success]).output().unwrap();
        let said = String::from_utf8_lossy(&out.stderr).into_owned();
        assert!(out.status.code() == Some(code) && said.contains(words), "{out:?}");
        let (_, session) = bed.session();
        assert_eq!(session.current().unwrap().outcome.reached(), Some(code == 0));
        std::fs::remove_dir_all(bed.at("state")).unwrap();
    }
}

#[test]
fn an_agent_that_asks_nothing_is_an_episode_and_its_workspace_a_copy() {
    let Some(bed) = Bed::alone(three) else { return };
    std::fs::create_dir_all(bed.at("work")).unwrap();
    let work = bed.at("work").display().to_string();
    for kept in [false, true] {
        let args = ["gate", "--headless", "--workspace", work.as_str(), "--env", "MINE={url}"];
        let mut command = bed.command(&[&args[..], if kept { &["--keep-workspaces"] } else { &[] }].concat());
        command.args(["--", "sh", "-c", "echo $MINE > mark; cat mark; pwd"]).env("TMPDIR", bed.folder.path());
        let out = command.output().unwrap();
        let said = String::from_utf8_lossy(&out.stdout).into_owned();
        let (url, folder) = said.trim().split_once('\n').unwrap_or_else(|| panic!("{out:?}"));
        assert!(out.status.success() && url.starts_with("http://127.0.0.1:") && url.ends_with("/v1"), "{said}");
        assert!(!bed.at("work/mark").exists(), "it has a copy");
        assert_eq!(std::fs::read_to_string(format!("{folder}/mark")).is_ok(), kept, "{folder}");
        let (_, session) = bed.session();
        assert!(session.is_done() && session.nodes().len() == 1);
        let said = &session.nodes()[0].outcome.observation;
        assert_eq!(said.contains(&format!("kept: {folder}")), kept, "{said}");
        std::fs::remove_dir_all(bed.at("state")).unwrap();
    }
}

#[cfg(unix)]
#[test]
fn an_interrupted_agent_leaves_no_workspace_behind() {
    let Some(bed) = Bed::alone(three) else { return };
    let (work, copies) = (bed.at("work"), bed.at("copies"));
    [&work, &copies].iter().for_each(|folder| std::fs::create_dir_all(folder).unwrap());
    let there = || std::fs::read_dir(&copies).unwrap().flatten().any(|e| e.path().join("work").exists());
    for (signal, expected) in [("INT", 130), ("TERM", 143)] {
        let work = work.display().to_string();
        let mut command = bed.command(&["gate", "--headless", "--workspace", &work, "--", "sleep", "60"]);
        let said = std::fs::File::create(bed.at("said")).unwrap();
        let mut child = command.env("TMPDIR", &copies).stderr(said).spawn().unwrap();
        let begun = Instant::now();
        while !there() {
            assert!(begun.elapsed() < Duration::from_secs(60), "no copy is made");
            std::thread::sleep(Duration::from_millis(20));
        }
        Command::new("kill").args([&format!("-{signal}"), &child.id().to_string()]).status().unwrap();
        let (code, said) = (child.wait().unwrap().code(), std::fs::read_to_string(bed.at("said")).unwrap());
        assert_eq!(code, Some(expected), "{said}");
        assert!(said.contains("stopped before anything was decided; no session is kept"), "{said}");
        let left: Vec<_> = std::fs::read_dir(&copies).unwrap().flatten().collect();
        assert!(left.is_empty(), "{signal}: {left:?}");
    }
}

#[test]
fn a_budget_stops_before_the_request_that_would_pass_it() {
    let Some(bed) = Bed::new(three) else { return };
    let out = bed.command(&["gate", "--headless", "--set", "gate.token_budget=300"]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    let asked = bed.provider.bodies().len();
    // An answer costs 45, a request what it is thought to.
    assert!(out.status.code() == Some(3) && (1..4).contains(&asked), "{asked} {said}");
    assert!(said.contains("would pass the budget of 300 tokens"), "{said}");
    assert_eq!(bed.seen().lines().count(), asked);
}

#[test]
fn after_three_rejections_a_person_is_asked_what_now() {
    let Some(bed) = Bed::new(|_, number| chat(number, Some(&format!("rm {number}")))) else { return };
    let mut desk = Desk::open(&bed);
    for n in 0..3 {
        let proposal = desk.offered();
        assert_eq!(bed.provider.bodies().len(), n + 1);
        desk.send(Request::Reject { proposal, reason: format!("no {n}") });
    }
    desk.until(|event| matches!(event, Event::Recommended { .. }));
    let recommended = desk.session().current().unwrap().turn.recommended.clone().unwrap();
    assert!(recommended.0.is_none() && recommended.1.contains("3 answers were rejected in a row"), "{recommended:?}");
    assert_eq!(
        (bed.provider.bodies().len(), bed.seen()),
        (3, String::new()),
        "nobody is asked again, and the agent waits"
    );
    desk.handle.commands.send(Ask::Quit).unwrap();
}

#[test]
fn a_precondition_stops_a_planted_command_before_the_agent_sees_it() {
    let planted =
        |body: &Value, number: usize| chat(number, Some(if results(body) == 0 { "ls" } else { "rm -rf ./*" }));
    let Some(bed) = Bed::new(planted) else { return };
    let rule = bed.at("own.preconditions.py");
    std::fs::write(&rule, "def bash(self, command):\n    assert 'rm -rf' not in command\n").unwrap();
    let out = bed.command(&["gate", "--headless", "--preconditions", rule.to_str().unwrap()]).output().unwrap();
    let said = String::from_utf8_lossy(&out.stderr).into_owned();
    assert_eq!(out.status.code(), Some(3), "{said}");
    assert!(said.contains("'rm -rf' not in command"), "{said}");
    assert!(bed.seen().contains("ls") && !bed.seen().contains("rm -rf"));
    assert_eq!(bed.provider.bodies().len(), 6, "one that passes, one that fails, and four asked for in its place");
}

#[test]
fn a_kill_loses_no_decision() {
    let slow = |body: &Value, number: usize| {
        if results(body) == 2 {
            std::thread::sleep(Duration::from_secs(60));
        }
        three(body, number)
    };
    let Some(bed) = Bed::new(slow) else { return };
    let mut child = bed.command(&["gate", "--headless"]).stdout(Stdio::null()).stderr(Stdio::null()).spawn().unwrap();
    let deadline = Instant::now() + Duration::from_secs(60);
    while bed.seen().lines().count() < 2 {
        assert!(Instant::now() < deadline, "{}", bed.seen());
        std::thread::sleep(Duration::from_millis(20));
    }
    std::thread::sleep(Duration::from_millis(300));
    child.kill().unwrap();
    child.wait().unwrap();
    let (_, session) = bed.session();
    assert_eq!(session.current().unwrap().depth, 2);
    assert!(session.current().unwrap().outcome.asked.is_some());
}

/// A session behind the gate as the workbench has it, decided about by the test.
struct Desk {
    handle: Handle,
    session: Option<Session>,
    runtime: tokio::runtime::Runtime,
}

impl Desk {
    fn open(bed: &Bed) -> Self {
        let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(2).enable_all().build().unwrap();
        let overrides = Overrides { config_dir: Some(bed.at("config")), ..Overrides::default() };
        let state = bed.at("state").display().to_string();
        let mut config =
            load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap();
        config.model.model = "upstream".into();
        std::fs::create_dir_all(bed.at("work")).unwrap();
        config.agent = Some(Arc::new(AgentCommand {
            words: bed.words(),
            variables: vec![("SEEN".into(), bed.at("seen").display().to_string())],
            upstream: Some(bed.provider.url.clone()),
            workspace: Some(bed.at("work")),
            ..AgentCommand::default()
        }));
        let sources =
            stepwright::worlds::sources().with_adapters(config.external.clone()).with_agent(config.agent.clone());
        let new = NewSession { world: "agent".into(), ..NewSession::default() };
        let inside = runtime.enter();
        let handle = open(&OpenRequest::New(new), &config, &sources).unwrap();
        drop(inside);
        Desk { handle, session: None, runtime }
    }

    fn send(&self, request: Request) {
        self.handle.commands.send(Ask::Gate(request)).unwrap();
    }

    fn session(&self) -> &Session {
        self.session.as_ref().unwrap()
    }

    /// Waits for a record that fits.
    fn until(&mut self, fits: impl Fn(&Event) -> bool) {
        loop {
            let notice = self
                .runtime
                .block_on(async { tokio::time::timeout(Duration::from_secs(60), self.handle.notices.recv()).await });
            match notice.expect("the driver says nothing").expect("the driver is gone") {
                Notice::Opened { session, .. } => self.session = Some(*session),
                Notice::Recorded(record) => {
                    self.session.as_mut().unwrap().apply(&record).unwrap();
                    if let Event::AskFailed { error, .. } | Event::Failed { error, .. } = &record.event {
                        panic!("{error}");
                    }
                    if fits(&record.event) {
                        return;
                    }
                }
                _ => {}
            }
        }
    }

    /// Waits for a recommendation; the proposal.
    fn offered(&mut self) -> u64 {
        self.until(|event| matches!(event, Event::Recommended { .. }));
        self.session().current().unwrap().turn.recommended.as_ref().unwrap().0.unwrap()
    }

    fn approve(&mut self, proposal: u64) -> u64 {
        self.send(Request::Approve { proposal });
        self.offered()
    }
}

#[test]
fn a_rejection_reaches_the_model_alone_an_edit_is_told_and_going_back_branches() {
    let model = |body: &Value, number: usize| {
        let text = body.to_string();
        let command = match results(body) {
            0 if text.contains("not this folder") => "ls /tmp",
            n => ["ls", "cat notes", "touch done"].get(n).copied().unwrap_or("end"),
        };
        chat(number, Some(command).filter(|command| *command != "end"))
    };
    let Some(bed) = Bed::new(model) else { return };
    let mut desk = Desk::open(&bed);
    let first = desk.offered();
    desk.send(Request::Reject { proposal: first, reason: "not this folder, please".into() });
    let second = desk.offered();
    let action =
        |desk: &Desk, id: u64| desk.session().current().unwrap().turn.proposal(id).unwrap().action.clone().unwrap();
    assert_eq!(action(&desk, second).text, "tools.bash(command='ls /tmp')");
    assert!(bed.provider.bodies()[1].contains("not this folder, please") && !bed.seen().contains("not this folder"));
    let third = desk.approve(second);
    assert_eq!(action(&desk, third).text, "tools.bash(command='cat notes')");
    assert!(!bed.provider.bodies()[2].contains("not this folder"), "it was told once");
    // An edit: the agent runs it, the model is told with the agent's next request.
    desk.send(Request::Edit { proposal: third, text: "bash({\"command\": \"cat other\"})".into() });
    desk.offered();
    assert!(bed.seen().lines().last().unwrap().contains("cat other") && bed.seen().contains("\"odd\":1.0"));
    let told = bed.provider.bodies()[3].clone();
    assert!(
        told.contains("A person who supervises you changed your last answer") && told.contains("cat notes"),
        "{told}"
    );
    let observation = desk.session().current().unwrap().outcome.observation.clone();
    assert_eq!(observation, "bash: ran cat other");
    assert!(!bed.seen().contains("supervises"));
    // Back over the edit, and on otherwise: the agent is started again and fed the answer of the first step.
    desk.send(Request::Undo);
    desk.until(|event| matches!(event, Event::Moved { .. }));
    let lines = bed.seen().lines().count();
    desk.send(Request::Manual { text: "tools.bash(command='pwd')".into() });
    desk.offered();
    let seen: Vec<String> = bed.seen().lines().skip(lines).map(str::to_owned).collect();
    assert!(seen.len() == 2 && seen[0].contains("ls /tmp") && seen[1].contains("pwd"), "{seen:?}");
    assert_eq!(desk.session().nodes().len(), 4);
    let edited = desk.session().nodes()[1].turn.decisions.iter().any(|d| matches!(d.choice, Choice::Edit { .. }));
    assert!(edited && desk.session().node(0).unwrap().turn.decisions.len() == 2);
    desk.handle.commands.send(Ask::Quit).unwrap();
}

#[test]
fn a_request_is_worded_otherwise_for_its_step_alone() {
    let model = |body: &Value, number: usize| {
        let task = body["messages"][1]["content"].as_str().unwrap_or_default();
        chat(number, Some(if task.contains("only look") { "ls" } else { "rm notes" }))
    };
    let Some(bed) = Bed::new(model) else { return };
    let mut desk = Desk::open(&bed);
    desk.offered();
    let asked = wording::asked(desk.session(), 0);
    let texts: Vec<(&str, &str)> = asked.iter().map(|m| (m.role.as_str(), m.text.as_str())).collect();
    assert_eq!(texts, [("system", "You work."), ("user", "Tidy up.")]);
    desk.send(wording::send(0, &[(1, "Tidy up, but only look.".to_owned())].into()));
    let second = desk.offered();
    let bodies = bed.provider.bodies();
    let other = Value::from("Tidy up, but only look.").to_string();
    let same = |body: &str| serde_json::from_str::<Value>(body).unwrap();
    assert_eq!(same(&bodies[1]), same(&bodies[0].replace("\"Tidy up.\"", &other)), "all else as the agent asked it");
    let turn = &desk.session().current().unwrap().turn;
    let proposal = turn.proposal(second).unwrap();
    assert_eq!((proposal.raw.as_str(), proposal.origin), ("tools.bash(command='ls')", Origin::Relayed));
    let ask = turn.ask(proposal.ask.unwrap()).unwrap();
    let prompt = ask.prompt.as_ref().unwrap();
    assert_eq!((prompt.template.as_str(), prompt.messages.len(), ask.served()), ("edited", 1, Some("stand-in")));
    // A rejection goes behind it, the agent's next request is its own again.
    desk.send(Request::Reject { proposal: second, reason: "not yet".into() });
    let third = desk.offered();
    assert!(bed.provider.bodies()[2].contains("only look") && bed.provider.bodies()[2].contains("not yet"));
    desk.approve(third);
    assert!(!bed.provider.bodies()[3].contains("only look") && !bed.seen().contains("only look"));
    // It is a document like any other: taken back, the model is asked what the agent asks.
    desk.send(Request::Undo);
    desk.until(|event| matches!(event, Event::Moved { .. }));
    desk.send(Request::turn(wording::id(0), false));
    desk.offered();
    assert!(!bed.provider.bodies()[4].contains("only look"));
    let (text, _) = bed.session();
    assert!(text.contains("\"by\":\"person\"") && text.contains("request"));
    desk.handle.commands.send(Ask::Quit).unwrap();
}
