//! Whole episodes with a reasoning model, with Anthropic's and with Ollama's wire format, chosen by name through the
//! configuration, recorded and replayed; and what their sessions hold to ask the same again.

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::{Value, json};
use stepwright::config::{self, Config, Overrides, Selected};
use stepwright::driver::{Beginning, Command, NewSession, Notice, Request, Source, prepare_new};
use stepwright::episode::{Event, Exchange, Record, log};
use stepwright::methods::METHODS;
use stepwright::model::LanguageModel;
use stepwright::model::remote::{Options, Remote, Wire};

use crate::support::driver::{Counter, Scripted, Watched, header, setup};
use crate::support::program::{asking, said};
use crate::support::server::*;

/// The models' answers, step by step.
const ANSWERS: [&str; 3] = ["agent.add(4)", "agent.add(4)", "agent.add(2)"];

/// A configuration of these variables and lines of the file, with its own folders.
fn configured(folder: &Path, file: &str, variables: &[(&str, &str)]) -> Config {
    std::fs::write(folder.join("config.toml"), file).unwrap();
    let folder = folder.display().to_string();
    let environment = |name: &str| match name {
        "STEPWRIGHT_CONFIG_DIR" | "STEPWRIGHT_STATE_DIR" | "HOME" => Some(folder.clone()),
        _ => variables.iter().find(|(n, _)| *n == name).map(|(_, value)| (*value).to_owned()),
    };
    config::load_with(&Overrides::default(), &METHODS, &environment).unwrap()
}

fn model(config: &Config, name: &str) -> Arc<dyn LanguageModel> {
    match config::select(config, name).unwrap() {
        Selected::Language(model) => model,
        Selected::Symbolic => panic!("a language model is named"),
    }
}

/// Steps the counting world to its end with a model; what was recorded.
async fn episode(model: Arc<dyn LanguageModel>, log: Option<log::Writer>) -> Vec<Record> {
    let beginning = Beginning::New(Box::new(header()));
    let mut setup = setup(beginning, Counter::default(), Scripted::new([]), log);
    setup.source = Source::Language { name: model.info().name, model };
    let mut w = Watched::start(setup);
    for answer in ANSWERS {
        assert_eq!(w.recommended().await, answer);
        w.approve();
        w.executed().await;
    }
    assert!(w.session.is_done());
    w.quit().await
}

fn exchanges(records: &[Record]) -> Vec<Exchange> {
    let exchange = |r: &Record| match &r.event {
        Event::Exchanged { exchange, .. } => Some((**exchange).clone()),
        _ => None,
    };
    records.iter().filter_map(exchange).collect()
}

/// Plays an episode with a server, records it, replays it, and gives the exchanges of the session.
async fn recorded_and_replayed(
    server: &Server,
    folder: &Path,
    file: &str,
    variables: &[(&str, &str)],
) -> Vec<Exchange> {
    let cassette = folder.join("cassette.jsonl");
    let recording = cassette.display().to_string();
    let variables: Vec<(&str, &str)> =
        variables.iter().copied().chain([("STEPWRIGHT_RECORD", recording.as_str())]).collect();
    let config = configured(folder, file, &variables);
    let path = folder.join("session.jsonl");
    let writer = log::Writer::create(&path, &header()).unwrap();
    let live = episode(model(&config, ""), Some(writer)).await;
    let asked = server.requests().len();
    // The session says the same when it is read from its file.
    let loaded = log::load(&path).unwrap();
    assert_eq!(exchanges(&loaded.records), exchanges(&live));
    let of_ask = |n: usize| loaded.session.nodes()[n].turn.asks[0].exchange.as_deref().cloned();
    assert_eq!(of_ask(0).as_ref(), exchanges(&live).first());

    let plain = configured(folder, "", &[]);
    let replayed = episode(model(&plain, &format!("cassette:{recording}")), None).await;
    assert_eq!(server.requests().len(), asked, "nothing is asked when it is played back");
    let (live, replayed) = (exchanges(&live), exchanges(&replayed));
    assert_eq!(live.len(), replayed.len());
    for (live, replayed) in live.iter().zip(&replayed) {
        assert_eq!(
            (&live.request, &live.served, &live.completions),
            (&replayed.request, &replayed.served, &replayed.completions)
        );
    }
    let text = std::fs::read_to_string(&cassette).unwrap() + &std::fs::read_to_string(&path).unwrap();
    assert!(!text.contains("sk-secret"), "no key is kept");
    live
}

/// A server whose nth good answer is made of the nth line; refusals come first.
fn answering(
    refuse: impl Fn(&Received) -> Option<Vec<Step>> + Send + 'static,
    answer: impl Fn(&str) -> Vec<Step> + Send + 'static,
) -> Server {
    let count = AtomicUsize::new(0);
    Server::answering(move |request| {
        refuse(request).unwrap_or_else(|| answer(ANSWERS[count.fetch_add(1, Ordering::Relaxed) % ANSWERS.len()]))
    })
}

#[tokio::test]
async fn a_session_with_a_reasoning_server() {
    let refuse = |request: &Received| {
        let refused = ["max_tokens", "temperature", "logprobs"].into_iter().find(|f| request.body.get(*f).is_some())?;
        let message =
            format!("Unsupported parameter: '{refused}' is not supported with this model. Use another instead.");
        Some(vec![json(400, &json!({"error": {"message": message, "param": refused}}).to_string())])
    };
    let answer = |line: &str| {
        let thought =
            json!({"model": "o-real", "choices": [{"index": 0, "delta": {"reasoning_content": "ten is near"}}]});
        let end = json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}],
            "usage": {"prompt_tokens": 100, "completion_tokens": 20, "prompt_tokens_details": {"cached_tokens": 64}}});
        vec![
            stream_head(),
            send(&format!("data: {thought}\n\n")),
            send(&delta(line)),
            send(&format!("data: {end}\n\ndata: [DONE]\n\n")),
        ]
    };
    let server = answering(refuse, answer);
    let folder = tempfile::tempdir().unwrap();
    let file = format!(
        "[model]\nmodel = \"o-mini\"\nbase_url = \"{}\"\nprice_in = 1000.0\nprice_out = 5000\nheaders = {{ X-Run = \"env:RUN\" }}\n[model.extra_body]\ntop_k = 7\n",
        server.url
    );
    let exchanges =
        recorded_and_replayed(&server, folder.path(), &file, &[("OPENAI_API_KEY", "sk-secret"), ("RUN", "r-42")]).await;
    assert_eq!(exchanges.len(), 3);
    for exchange in &exchanges {
        assert_eq!((exchange.endpoint.as_str(), exchange.served.as_str()), (server.url.as_str(), "o-real"));
        assert_eq!(exchange.completions[0].reasoning, "ten is near");
        assert_eq!((exchange.completions[0].finish.as_str(), exchange.cost), ("stop", Some(0.2)));
        assert!(
            exchange.request.get("temperature").is_none()
                && exchange.request["max_completion_tokens"].as_u64() >= Some(256)
        );
        assert_eq!(exchange.request["top_k"], 7);
    }
    let requests = server.requests();
    assert_eq!(requests.len(), 6, "each refusal is met once");
    assert!(requests.iter().all(|r| r.head.contains("sk-secret") && r.head.contains("r-42")));
    // The last request is that of its record, with the prompt of its ask.
    let mut last = requests[5].body.clone();
    last.as_object_mut().unwrap().shift_remove("messages");
    assert_eq!(last, exchanges[2].request);
}

#[tokio::test]
async fn a_session_with_anthropics_wire_format() {
    let answer = |line: &str| {
        let events = [
            json!({"type": "message_start", "message": {"model": "claude-real", "usage": {"input_tokens": 50, "cache_read_input_tokens": 50}}}),
            json!({"type": "content_block_start", "index": 0, "content_block": {"type": "thinking", "thinking": "four more"}}),
            json!({"type": "content_block_start", "index": 1, "content_block": {"type": "text", "text": ""}}),
            json!({"type": "content_block_delta", "index": 1, "delta": {"type": "text_delta", "text": line}}),
            json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"}, "usage": {"output_tokens": 9}}),
            json!({"type": "message_stop"}),
        ];
        let event = |v: &Value| send(&format!("event: {}\ndata: {v}\n\n", v["type"].as_str().unwrap()));
        std::iter::once(stream_head()).chain(events.iter().map(event)).collect()
    };
    let server = answering(|_| None, answer);
    let folder = tempfile::tempdir().unwrap();
    let address = server.url.trim_end_matches("/v1").to_owned();
    let variables = [
        ("ANTHROPIC_API_KEY", "sk-secret"),
        ("ANTHROPIC_BASE_URL", address.as_str()),
        ("OPENAI_BASE_URL", "http://127.0.0.1:1/v1"),
    ];
    let exchanges = recorded_and_replayed(
        &server,
        folder.path(),
        "[model]\nmodel = \"anthropic/claude-x\"\nthink = \"2000\"\n",
        &variables,
    )
    .await;
    for exchange in &exchanges {
        assert_eq!(
            (exchange.served.as_str(), exchange.completions[0].reasoning.as_str()),
            ("claude-real", "four more")
        );
        assert_eq!(
            (&exchange.request["model"], &exchange.request["thinking"]["budget_tokens"]),
            (&json!("claude-x"), &json!(2000))
        );
    }
    assert!(server.requests().iter().all(|r| r.path() == "/v1/messages" && r.head.contains("x-api-key: sk-secret")));
}

#[tokio::test]
async fn a_session_with_ollamas_wire_format() {
    let answer = |line: &str| {
        let lines = [
            json!({"model": "tiny", "message": {"role": "assistant", "content": "", "thinking": "hm"}, "done": false}),
            json!({"model": "tiny", "message": {"content": line}, "done": false, "logprobs":
                [{"token": line, "logprob": -0.25, "top_logprobs": [{"token": "agent.fly", "logprob": -3.0}]}]}),
            json!({"model": "tiny", "message": {"content": ""}, "done": true, "done_reason": "stop", "prompt_eval_count": 70, "eval_count": 3}),
        ];
        std::iter::once(stream_head()).chain(lines.iter().map(|l| send(&format!("{l}\n")))).collect()
    };
    let server = answering(|_| None, answer);
    let folder = tempfile::tempdir().unwrap();
    let host = server.url.trim_start_matches("http://").trim_end_matches("/v1").to_owned();
    let file = "[model]\nmodel = \"ollama/tiny\"\ntop_logprobs = 1\nkeep_alive = \"-1\"\nnum_ctx = 8192\n";
    let exchanges = recorded_and_replayed(&server, folder.path(), file, &[("OLLAMA_HOST", &host)]).await;
    for exchange in &exchanges {
        let token = &exchange.completions[0].tokens[0];
        assert_eq!((token.logprob, token.top.clone()), (-0.25, vec![("agent.fly".to_owned(), -3.0)]));
        assert_eq!(
            (&exchange.request["options"]["num_ctx"], &exchange.request["keep_alive"]),
            (&json!(8192), &json!(-1))
        );
        assert_eq!(exchange.completions[0].reasoning, "hm");
    }
    assert!(server.requests().iter().all(|r| r.path() == "/api/chat"));
}

/// E12: answers are held to a form where a method's are calls; a selection of `blocking` has a form of its own, is asked for without one
/// and read.
#[tokio::test]
async fn where_answers_are_held_to_a_form_a_selection_of_blocking_keeps_its_own() {
    for (world, method, is_held) in [("household", "few-shot", true), ("kitchen", "blocking", false)] {
        let server = Server::answering(move |asked: &Received| {
            let prompt = asked.body["messages"].to_string();
            // Of the candidates the last; the form's own marks stand around it.
            let listed = prompt.split("\\n").filter(|line| line.starts_with("$$ ") && !line.contains('<'));
            let leaf = listed.last().unwrap_or_default().to_owned();
            let call = asked.body.pointer("/response_format/json_schema/schema/properties/answer/enum/0");
            match call {
                Some(call) => good(&json!({ "answer": call }).to_string()),
                None => good(&format!("The way is free.\n{leaf}")),
            }
        });
        let folder = tempfile::tempdir().unwrap();
        let file = format!("[model]\nmodel = \"m\"\nbase_url = \"{}\"\nstructured = true\n", server.url);
        let config = configured(folder.path(), &file, &[]);
        let sources = stepwright::worlds::sources();
        let task = sources.told(world, None).unwrap().remove(0).id;
        let new = NewSession { world: world.into(), task, method: method.into(), ..NewSession::default() };
        let setup = prepare_new(&new, &config, &sources, Arc::new(|| 0)).unwrap();
        let mut w = Watched::start(setup);
        assert_ne!(w.recommended().await, "", "{method}: an answer is an action");
        w.quit().await;
        let held = server.requests().iter().map(|r| r.body.get("response_format").is_some()).collect::<Vec<_>>();
        assert!(!held.is_empty() && held.iter().all(|held| *held == is_held), "{method}: {held:?}");
    }
}

/// Nobody watches a run: what a model does not take is said all the same, once for all episodes; a value that it does not take ends them.
#[test]
fn a_run_says_what_its_model_does_not_take() {
    let home = tempfile::tempdir().unwrap();
    let run = ["run", "--tasks", "first=1", "--seeds", "2", "--max-steps", "1", "--set", "model.temperature=1.5"];
    let refusing = |above: f64, message: &'static str| {
        let server = Server::answering(move |request| match request.body["temperature"].as_f64() {
            Some(set) if set > above => vec![json(400, &json!({"error": {"message": message}}).to_string())],
            _ => whole("pass"),
        });
        said(&asking(&server, home.path(), &run))
    };
    let told = refusing(-1.0, "'temperature' is not supported with this model");
    assert_eq!(told.matches("fake: the model takes no temperature: it is left out from now on").count(), 1, "{told}");
    let told = refusing(1.0, "temperature must be between 0 and 1");
    assert!(!told.contains("takes no temperature") && told.contains("temperature must be between 0 and 1"), "{told}");
}

/// B4: what came of an answer that was cut at every limit stood neither in the session nor on the screen.
#[tokio::test]
async fn a_session_keeps_what_came_of_an_answer_that_was_cut() {
    let message = json!({"role": "assistant", "content": "agent.add(half an answer"});
    let cut = json!({"choices": [{"index": 0, "message": message, "finish_reason": "length"}]}).to_string();
    let server = Server::answering(move |_| vec![json(200, &cut)]);
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::new([]), None);
    let options = Options { stream: false, ..Options::new(&server.url, "m") };
    setup.source = Source::Language { name: "m".into(), model: Arc::new(Remote::new(options).unwrap()) };
    let mut w = Watched::start(setup);
    let fails = |r: &Record| matches!(r.event, Event::AskFailed { .. });
    w.until("a failure", |notice, _| matches!(notice, Notice::Recorded(r) if fails(r))).await;
    let kept = |record: &Record| match &record.event {
        Event::AskFailed { partial, .. } => Some(partial.clone()),
        _ => None,
    };
    assert_eq!(w.quit().await.iter().find_map(kept).as_deref(), Some("agent.add(half an answer"));
    assert_eq!(server.requests().len(), 3, "it was asked for with more tokens, twice");
}

/// What was spent when a person cancels is known once the connection is closed, and counts from then on.
#[tokio::test]
async fn a_session_counts_what_a_cancelled_ask_cost() {
    let begun = json!({"type": "message_start", "message": {"model": "m", "usage": {"input_tokens": 1000, "output_tokens": 1}}});
    let text = json!({"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": "agent"}});
    let server =
        Server::start(vec![vec![stream_head(), send(&format!("data: {begun}\n\ndata: {text}\n\n")), Step::Hold]]);
    let options = Options { wire: Wire::Anthropic, ..Options::new(&server.url, "m") };
    let mut setup = setup(Beginning::New(Box::new(header())), Counter::default(), Scripted::new([]), None);
    setup.source = Source::Language { name: "m".into(), model: Arc::new(Remote::new(options).unwrap()) };
    let mut w = Watched::start(setup);
    w.until("text", |notice, _| matches!(notice, Notice::Stream { .. })).await;
    w.send(Command::Gate(Request::Cancel));
    w.until("what it cost", |_, session| session.spent.prompt > 0).await;
    assert_eq!((w.session.spent.prompt, w.session.spent.completion), (1000, 1));
    let failed = |record: &Record| match &record.event {
        Event::AskFailed { cancelled, usage, .. } => Some((*cancelled, usage.is_some())),
        _ => None,
    };
    let records = w.quit().await;
    assert_eq!(records.iter().filter_map(failed).collect::<Vec<_>>(), [(true, false), (true, true)]);
}
