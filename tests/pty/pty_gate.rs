//! Agents behind the gate by keys, in a pseudo-terminal: approved, rejected, edited, gone back from and branched; one conversation of
//! several let pass; one that asks otherwise than it did; agents of the package index, where they are installed.

use std::path::Path;

use serde_json::{Value, json};
use stepwright::episode::{Actor, Choice, Origin, Session};

use crate::scripts::{play, session};
use crate::support::server::{Received, Server, Step, json as answer};

fn decisions(session: &Session) -> Vec<Choice> {
    let nodes = session.nodes().iter();
    nodes.flat_map(|node| node.turn.decisions.iter()).map(|decision| decision.choice.clone()).collect()
}

/// What every agent here went through: three approvals, a rejection, an edit, a branch; what it received is what was decided.
fn stepped(session: &Session) {
    let decisions = decisions(session);
    let count = |of: fn(&Choice) -> bool| decisions.iter().filter(|choice| of(choice)).count();
    assert!(count(|choice| matches!(choice, Choice::Approve { .. })) >= 3, "{decisions:?}");
    assert_eq!(count(|choice| matches!(choice, Choice::Reject { .. })), 1);
    assert_eq!(count(|choice| matches!(choice, Choice::Edit { .. })), 1);
    assert!(session.nodes().iter().any(|node| node.children.len() == 2), "there is no branch");
    assert!(session.nodes().iter().flat_map(|node| &node.turn.proposals).any(|p| p.origin == Origin::Relayed));
}

#[test]
fn the_demonstration_is_stepped_at_the_smallest_size() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/gate.script"), home.path(), &[]);
    stepped(&session(home.path()).1.session);
}

/// An agent with a helper: each has a conversation. With a file `odd` in its folder it asks otherwise.
const AGENT: &str = r#"
import json, os, urllib.request
tools = [{"type": "function", "function": {"name": "bash", "parameters": {"type": "object",
    "properties": {"command": {"type": "string"}}, "required": ["command"]}}}]
def ask(messages):
    body = json.dumps({"model": "m", "messages": messages, "tools": tools}).encode()
    asked = urllib.request.Request(os.environ["OPENAI_BASE_URL"] + "/chat/completions", body, {"content-type": "application/json"})
    message = json.load(urllib.request.urlopen(asked))["choices"][0]["message"]
    messages.append(message)
    for call in message.get("tool_calls") or []:
        ran = json.loads(call["function"]["arguments"]).get("command")
        result = helper() if ran == "help" else "ran " + str(ran) + open("odd").read() if os.path.exists("odd") else "ran " + str(ran)
        messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
    return message.get("tool_calls")
def helper():
    messages = [{"role": "system", "content": "You help."}, {"role": "user", "content": "Look."}]
    while ask(messages): pass
    return messages[-1]["content"]
messages = [{"role": "system", "content": "You lead."}, {"role": "user", "content": "Tidy up."}]
while ask(messages): pass
"#;

fn calls(commands: &[&str], text: &str) -> Vec<Step> {
    let call = |(at, command): (usize, &&str)| {
        let arguments = match *command {
            "broken" => "{}".to_owned(),
            command => json!({ "command": command }).to_string(),
        };
        json!({ "id": format!("call_{command}_{at}"), "type": "function", "function": { "name": "bash", "arguments": arguments } })
    };
    let calls: Vec<Value> = commands.iter().enumerate().map(call).collect();
    let calls = if calls.is_empty() { Value::Null } else { json!(calls) };
    let message = json!({ "role": "assistant", "content": text, "tool_calls": calls });
    let body = json!({ "id": "x", "object": "chat.completion", "model": "stand-in",
        "choices": [{ "index": 0, "message": message, "finish_reason": "stop" }] });
    vec![answer(200, &body.to_string())]
}

fn has_python() -> bool {
    std::process::Command::new("python3").arg("--version").output().is_ok_and(|out| out.status.success())
}

/// Plays a script with the agent and a model that answers by how many results it has read, in the helper's conversation and the leader's.
fn with_agent(script: &str, home: &Path, model: fn(bool, usize) -> Vec<Step>) {
    let server = Server::answering(move |request: &Received| {
        let messages = request.body["messages"].as_array().cloned().unwrap_or_default();
        let helps = messages.first().is_some_and(|message| message["content"] == "You help.");
        model(helps, messages.iter().filter(|message| message["role"] == "tool").count())
    });
    std::fs::create_dir_all(home.join("work")).unwrap();
    std::fs::write(home.join("agent.py"), AGENT).unwrap();
    play(script, home, &[("OPENAI_BASE_URL", &server.url), ("NO_PROXY", "127.0.0.1")]);
}

#[test]
fn one_conversation_is_let_pass_while_its_checks_hold() {
    if !has_python() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let model = |helps: bool, results: usize| match (helps, results) {
        (false, 0) => calls(&["help"], ""),
        (true, 0) => calls(&["ls"], ""),
        (true, 1) => calls(&["broken"], ""),
        (true, _) => calls(&[], "seen"),
        (false, _) => calls(&[], "tidy"),
    };
    with_agent(include_str!("scripts/gate_auto.script"), home.path(), model);
    let (_, loaded) = session(home.path());
    let by: Vec<Actor> = loaded.session.nodes().iter().flat_map(|n| n.turn.decisions.iter().map(|d| d.by)).collect();
    assert_eq!(by, [Actor::Person, Actor::Policy, Actor::Person, Actor::Policy, Actor::Person]);
}

#[test]
fn an_agent_that_asks_otherwise_than_it_did_goes_on_as_a_branch_or_not() {
    if !has_python() {
        return;
    }
    let home = tempfile::tempdir().unwrap();
    let model = |_: bool, results: usize| match results {
        0 => calls(&["ls"], ""),
        1 => calls(&["cat notes"], ""),
        _ => calls(&[], "tidy"),
    };
    with_agent(include_str!("scripts/gate_differs.script"), home.path(), model);
    let (_, loaded) = session(home.path());
    let first = &loaded.session.nodes()[0];
    assert_eq!(first.children.len(), 2, "the branch begins where it asked otherwise");
}

/// Agents of `scripts/agents`: their commands below `$AGENTS`, and how they are stepped. All but the last have the tools of a desk.
const AGENTS: [(&str, &str); 9] = [
    ("openai_chat.py", DESK),
    ("openai_responses.py", DESK),
    ("anthropic_messages.py", DESK),
    ("openai_agents.py", DESK),
    ("pydantic_ai_agent.py", DESK),
    ("smolagents_agent.py", DESK),
    ("langgraph_agent.py", DESK),
    ("inspect_ai_agent.py", DESK),
    ("mini", include_str!("../../scripts/agents/bash.script")),
];
const DESK: &str = include_str!("../../scripts/agents/desk.script");

#[test]
#[ignore = "needs packages of the index, which scripts/agents/run fetches before it runs this"]
fn agents_of_the_package_index_are_stepped() {
    let agents = Path::new(env!("CARGO_MANIFEST_DIR")).join("scripts/agents");
    let programs = Path::new(env!("CARGO_MANIFEST_DIR")).join("target/agents/bin");
    let only = std::env::var("STEPWRIGHT_AGENTS").unwrap_or_default();
    for (agent, script) in AGENTS.iter().filter(|(agent, _)| agent.contains(&only)) {
        println!("== {agent}");
        let home = tempfile::tempdir().unwrap();
        std::fs::create_dir_all(home.path().join("work")).unwrap();
        std::fs::write(home.path().join("work/notes"), "a note\n").unwrap();
        let mut model = std::process::Command::new(programs.join("python"))
            .arg(agents.join("stand_in.py"))
            .stdout(std::process::Stdio::piped())
            .spawn()
            .expect("scripts/agents/run makes the environment");
        let mut port = String::new();
        std::io::BufRead::read_line(&mut std::io::BufReader::new(model.stdout.take().unwrap()), &mut port).unwrap();
        let url = format!("http://127.0.0.1:{}/v1", port.trim());
        let variables = [
            ("OPENAI_API_KEY", "none"),
            ("ANTHROPIC_API_KEY", "none"),
            ("OPENAI_BASE_URL", url.as_str()),
            ("NO_PROXY", "127.0.0.1"),
            ("PYTHONDONTWRITEBYTECODE", "1"),
            ("MSWEA_CONFIGURED", "true"),
            ("MSWEA_COST_TRACKING", "ignore_errors"),
        ];
        let command = match agent.ends_with(".py") {
            true => format!("{}/python {}/{agent}", programs.display(), agents.display()),
            false => format!("{}/{agent}", programs.display()),
        };
        play(&script.replace("$AGENT", &command), home.path(), &variables);
        model.kill().unwrap();
        model.wait().unwrap();
        stepped(&session(home.path()).1.session);
    }
}
