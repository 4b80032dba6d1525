//! Models of roles through the whole program: who is asked what, what it takes, success against the writer; several methods with one model.

use std::path::Path;

use serde_json::{Value, json};

use crate::support::program::{asking, program, said};
use crate::support::server::{Received, Server, json as answer};

fn model_of(request: &Received) -> &str {
    request.body["model"].as_str().unwrap_or_default()
}

/// A model whose answer is a text, of seven tokens more than its name has letters.
fn replies(text: &str, request: &Received) -> Vec<crate::support::server::Step> {
    let tokens = 7 + model_of(request).len();
    let message = json!({"role": "assistant", "content": text});
    let mut choice = json!({"index": 0, "finish_reason": "stop", "message": message});
    if request.body["messages"].is_null() {
        choice = json!({"index": 0, "finish_reason": "stop", "text": text});
    }
    let usage = json!({"prompt_tokens": 100, "completion_tokens": tokens});
    vec![answer(200, &json!({"model": model_of(request), "choices": [choice], "usage": usage}).to_string())]
}

/// A table where one request is made and then another; `large` writes programs, `small` and `other` write states, the latter poor ones.
fn table(folder: &Path) -> Server {
    let asked = |step: u32, block: &str, bowl: &str| {
        let (query, code) =
            (format!("Put the {block} in the {bowl}"), format!("put_first_on_second(\"{block}\", \"{bowl}\")"));
        json!({"step": step, "query": query, "kind": "put", "temporal": false, "gold_code": code, "gold_moves": [[block, bowl]],
            "gold_say": [], "gold_update": query})
    };
    let objects = ["red block", "blue block", "tin bowl", "glass bowl"];
    let mut initial = json!({"objects": objects, "relations": []});
    objects.iter().for_each(|object| initial[object] = json!({}));
    let steps = [asked(1, "red block", "tin bowl"), asked(2, "blue block", "glass bowl")];
    let episode = json!([{"id": "weight/own", "domain": "weight", "objects": objects, "initial": initial, "n_steps": 2, "steps": steps}]);
    std::fs::create_dir_all(folder.join("data")).unwrap();
    std::fs::write(folder.join("data/episodes_weight.json"), episode.to_string()).unwrap();
    Server::answering(|request| {
        let asks = request.body.to_string();
        let text = match model_of(request) {
            // The reader of a state that lost everything does nothing.
            "large" if asks.contains("nothing is left") => "noop()",
            "large" if asks.contains("# query: Put the blue block") => {
                "put_first_on_second('blue block', 'glass bowl')"
            }
            "large" => "put_first_on_second('red block', 'tin bowl')\nupdate_wm('Put the red block in the tin bowl')",
            "other" => "state = {\"objects\": [\"nothing is left\"]}",
            _ => "state = {\"objects\": [\"red block\", \"tin bowl\"]}",
        };
        replies(text, request)
    })
}

fn run_of_two<'a>(data: &'a str, model: &'a str, writer: &'a str) -> [&'a str; 11] {
    ["run", "--world", "table", "--data", data, "--method", "statler", "--model", model, "--model-for", writer]
}

#[test]
fn a_writer_of_its_own_is_asked_shown_and_counted_apart() {
    let folder = tempfile::tempdir().unwrap();
    let server = table(folder.path());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (data, sessions, results, record) =
        (at("data"), at("sessions"), at("r.jsonl"), format!("model.record={}", at("tape.jsonl")));
    let live = ["--sessions", &sessions, "--out", &results, "--set", &record];
    let run = run_of_two(&data, "large", "writer=small");
    let output = asking(&server, folder.path(), &[&run[..], &live].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let asked: Vec<String> = server.requests().iter().map(|request| model_of(request).to_owned()).collect();
    assert_eq!(asked, ["large", "small", "large"], "{}", said(&output));
    // B5: what each answered is in a cassette of its own, and plays the run again.
    let played = [format!("cassette:{}", at("tape.jsonl")), format!("writer=cassette:{}", at("tape-2.jsonl"))];
    let again = asking(&server, folder.path(), &run_of_two(&data, &played[0], &played[1]));
    assert_eq!((again.status.code(), server.requests().len()), (Some(0), 3), "{}", said(&again));
    let text = said(&output);
    let row = |role: &str| {
        text.lines().find(|line| line.starts_with(role)).unwrap_or_default().split_whitespace().collect::<Vec<_>>()
    };
    assert_eq!(row("reader"), ["reader", "large", "1", "2.0", "200.0", "24.0"], "{text}");
    assert_eq!(row("writer"), ["writer", "small", "1", "1.0", "100.0", "12.0"], "{text}");
    assert!(text.contains("model.writer small"), "the table says so: {text}");
    let kept = std::fs::read_to_string(&results).unwrap();
    let line: Value = kept
        .lines()
        .filter_map(|line| serde_json::from_str::<Value>(line).ok())
        .find(|line| !line["won"].is_null())
        .unwrap();
    assert_eq!(
        line["roles"]["writer"],
        json!({"model": "small", "asks": 1, "prompt_tokens": 100, "completion_tokens": 12})
    );
    assert_eq!((&line["won"], &line["completion_tokens"]), (&json!(true), &json!(36)));
    let session = std::fs::read_dir(&sessions).unwrap().next().unwrap().unwrap().path().display().to_string();
    let shown = said(&asking(&server, folder.path(), &["show", &session]));
    assert!(shown.contains("as writer of small") && shown.contains("large (writer small)"), "{shown}");
    assert!(shown.contains("reader 200 in, 24 out; writer 100 in, 12 out"), "{shown}");
    // A section of the file does the same, and says where it answers.
    std::fs::create_dir_all(folder.path().join("config")).unwrap();
    let file =
        format!("[model]\nmodel = \"large\"\n[model.writer]\nmodel = \"other\"\nbase_url = \"{}\"\n", server.url);
    std::fs::write(folder.path().join("config/config.toml"), file).unwrap();
    let output = asking(
        &server,
        folder.path(),
        &["run", "--world", "table", "--data", &data, "--method", "statler", "--model", "large", "--json"],
    );
    assert!(said(&output).contains("\"other\""), "{}", said(&output));
    assert_eq!(server.requests().iter().filter(|request| model_of(request) == "other").count(), 1);
}

#[test]
fn a_role_that_nobody_asks_is_refused_and_no_role_is_made_up() {
    let folder = tempfile::tempdir().unwrap();
    let server = table(folder.path());
    let refused = |args: &[&str]| {
        let output = asking(&server, folder.path(), args);
        assert_eq!(output.status.code(), Some(2), "{}", said(&output));
        said(&output)
    };
    let text = refused(&["run", "--method", "few-shot", "--tasks", "first=1", "--model-for", "writer=small"]);
    assert!(text.contains("few-shot asks no writer"), "{text}");
    let text = refused(&["run", "--model-for", "writter=small"]);
    assert!(text.contains("did you mean `writer`"), "{text}");
    let text = refused(&["study", "policy", "--model-for", "reader=small"]);
    assert!(text.contains("study policy asks no reader"), "{text}");
    let text = refused(&["study", "statler", "--writers", "small", "--methods", "code-as-policies"]);
    assert!(text.contains("asks no writer"), "{text}");
    assert!(server.requests().is_empty());
}

#[test]
fn success_is_given_against_the_writer() {
    let folder = tempfile::tempdir().unwrap();
    let server = table(folder.path());
    let at = |name: &str| folder.path().join(name).display().to_string();
    let (data, results) = (at("data"), at("r.jsonl"));
    let study =
        ["study", "statler", "--data", &data, "--model", "large", "--methods", "statler", "--writers", "small,other"];
    let output = asking(&server, folder.path(), &[&study[..], &["--out", &results]].concat());
    assert_eq!(output.status.code(), Some(0), "{}", said(&output));
    let text = said(&output);
    let table = text.split("Success against the model that writes the state").nth(1).unwrap_or_default();
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| line.starts_with("statler"))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(rows.len(), 2, "{text}");
    for (row, (writer, success)) in rows.iter().zip([("small", "1.000"), ("other", "0.000")]) {
        assert_eq!(row[..5], ["statler", "large", writer, "1", success], "{text}");
    }
    // Each is counted apart from the reader, which is the same.
    let kept = std::fs::read_to_string(&results).unwrap();
    let lines = kept.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
    let spent: Vec<Value> = lines.map(|line| line["roles"].clone()).filter(|roles| roles.is_object()).collect();
    let of = |at: usize, role: &str| (spent[at][role]["model"].clone(), spent[at][role]["completion_tokens"].clone());
    let writers = [of(0, "writer"), of(1, "writer")];
    assert_eq!(writers, [(json!("small"), json!(12)), (json!("other"), json!(12))], "{kept}");
    assert_eq!((of(0, "reader"), of(1, "reader")), ((json!("large"), json!(24)), (json!("large"), json!(24))));
    // The paper's figures are of one model for both.
    assert!(text.contains("large (writer small)"), "{text}");
}

#[test]
fn methods_are_compared_task_by_task_with_one_model() {
    let folder = tempfile::tempdir().unwrap();
    // It selects what it likes of a list, and writes the same line of any program.
    let server = Server::answering(|request| {
        let asks = request.body.to_string();
        let first = asks.split("$$ ").nth(1).and_then(|rest| rest.split(" $$").next()).unwrap_or_default();
        replies(&format!("agent.look()\n$$ {first} $$"), request)
    });
    let results = folder.path().join("d.jsonl").display().to_string();
    let tape = folder.path().join("tape.jsonl").display().to_string();
    let study = ["study", "decisions", "--tasks", "first=2", "--max-steps", "3"];
    let (record, cassette) = (format!("model.record={tape}"), format!("cassette:{tape}"));
    let live = ["--model", "fake", "--out", &results, "--set", &record];
    let output = asking(&server, folder.path(), &[&study[..], &live].concat());
    let text = said(&output);
    for method in ["blocking", "progprompt", "o3d", "reprompt", "few-shot"] {
        assert!(text.lines().any(|line| line.starts_with(method) && line.contains("fake")), "{method}: {text}");
    }
    assert!(
        text.contains("Measured under: world household; data shipped; method ") && text.contains("model fake"),
        "{text}"
    );
    assert!(text.contains("a whole plan") && text.contains("an action at a time"), "{text}");
    // Ten pairs, each of the two tasks.
    let pairs = text.split("Every two methods, task by task").nth(1).unwrap_or_default();
    let two = pairs.lines().filter(|line| line.starts_with("blocking  ") || line.contains("  few-shot  ")).count();
    assert!(two >= 4, "{text}");
    assert!(server.requests().iter().all(|request| model_of(request) == "fake"));
    // The file is read again, and its tables are the same.
    let again = said(&program(folder.path()).args(["report", &results]).output().unwrap());
    assert!(again.contains("Every two methods, task by task"), "{again}");
    // Tokens are those of the asks, whatever the method.
    let lines = |path: &str| -> Vec<Value> {
        let kept = std::fs::read_to_string(path).unwrap();
        let lines = kept.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        lines.filter(|line| !line["won"].is_null()).collect()
    };
    let played = lines(&results);
    let sum = |key: &str| played.iter().filter_map(|line| line[key].as_u64()).sum::<u64>();
    let asked = server.requests().len() as u64;
    assert_eq!((sum("prompt_tokens"), sum("completion_tokens")), (100 * asked, 11 * asked), "{text}");
    // What was recorded gives the same counts again, and nobody is asked.
    let second = folder.path().join("again.jsonl").display().to_string();
    let recorded = ["--model", &cassette, "--out", &second];
    let output = asking(&server, folder.path(), &[&study[..], &recorded].concat());
    let told = |line: &Value| {
        let keys = ["method", "task", "won", "steps", "prompt_tokens", "completion_tokens", "considered", "offered"];
        keys.map(|key| line[key].to_string()).join(" ")
    };
    let (mut first, mut second): (Vec<_>, Vec<_>) =
        (played.iter().map(told).collect(), lines(&second).iter().map(told).collect());
    first.sort();
    second.sort();
    assert_eq!(first, second, "{}", said(&output));
    assert_eq!(server.requests().len() as u64, asked);
}
