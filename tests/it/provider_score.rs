//! Log-probabilities of given texts: obtained from servers that report them, refused from those that only seem to.

use std::time::Duration;

use crate::support::server::*;
use serde_json::{Value, json};
use stepwright::model::remote::{Options, Remote, Score, Way};
use stepwright::model::{Completion, LanguageModel, ModelError, PromptMessage, ScoreRequest};
use tokio_util::sync::CancellationToken;

fn request(prompt: &str, candidates: &[&str]) -> ScoreRequest {
    ScoreRequest {
        messages: vec![PromptMessage { role: "text".into(), text: prompt.into() }],
        candidates: candidates.iter().map(|c| (*c).to_owned()).collect(),
    }
}

fn model(server: &Server) -> Remote {
    let mut options = Options::new(&server.url, "m");
    options.backoff = Duration::from_millis(5);
    options.retries = 1;
    Remote::new(options).unwrap()
}

async fn score(model: &Remote, request: &ScoreRequest) -> Result<Vec<Completion>, ModelError> {
    let cancel = CancellationToken::new();
    let scored = tokio::time::timeout(Duration::from_secs(20), model.score(request, &cancel));
    scored.await.expect("the provider hangs")
}

fn answer(status: u16, body: &Value) -> Vec<Step> {
    vec![json(status, &body.to_string())]
}

/// How a llama.cpp server behaves.
#[derive(Clone, Copy, PartialEq)]
enum Native {
    Right,
    IgnoresGrammar,
    RefusesGrammar,
    ReportsNothing,
}

/// llama.cpp with a character a token; a token's log-probability is minus its code over 100.
fn native(kind: Native) -> Server {
    Server::answering(move |request| match request.path() {
        "/tokenize" => {
            let text = request.body["content"].as_str().unwrap();
            answer(200, &json!({"tokens": text.chars().map(u32::from).collect::<Vec<_>>()}))
        }
        "/props" => answer(200, &json!({"total_slots": 1, "default_generation_settings": {"n_ctx": 4096}})),
        "/completion" => {
            let grammar = request.body["grammar"].as_str().unwrap();
            let ids: Vec<u64> =
                grammar.split("<[").skip(1).map(|part| part.split(']').next().unwrap().parse().unwrap()).collect();
            assert_eq!(request.body["n_predict"], ids.len());
            if kind == Native::RefusesGrammar {
                return answer(400, &json!({"error": {"message": "failed to parse grammar"}}));
            }
            let entry = |id: &u64| {
                let id = if kind == Native::IgnoresGrammar { 65 } else { *id };
                json!({"id": id, "token": char::from_u32(id as u32).unwrap().to_string(), "logprob": -(id as f64) / 100.0})
            };
            let entries: Vec<Value> = ids.iter().map(entry).collect();
            match kind {
                Native::ReportsNothing => answer(200, &json!({"content": "x"})),
                _ => answer(200, &json!({"content": "x", "completion_probabilities": entries})),
            }
        }
        _ => answer(404, &json!({"error": {"message": "File Not Found"}})),
    })
}

#[tokio::test]
async fn a_llama_server_scores_token_by_token_and_shares_what_candidates_have_in_common() {
    let server = native(Native::Right);
    let model = model(&server);
    assert!(!model.can_score(), "nothing is known yet");
    let (sender, mut done) = tokio::sync::mpsc::unbounded_channel();
    let request = request("p", &["bad", "bag", "a", "bad"]);
    let scored = model.score_watched(&request, &sender, &CancellationToken::new()).await.unwrap();
    let sums: Vec<f64> = scored.iter().map(|c| c.tokens.iter().map(|t| t.logprob).sum::<f64>() * -100.0).collect();
    let codes = |text: &str| text.chars().map(|c| f64::from(u32::from(c))).sum::<f64>();
    for (sum, text) in sums.iter().zip(&request.candidates) {
        assert!((sum - codes(text)).abs() < 1e-6, "{text}: {sum}");
    }
    assert_eq!(scored.iter().map(|c| c.text.as_str()).collect::<Vec<_>>(), ["bad", "bag", "a", "bad"]);
    assert!((scored[2].mean_logprob().unwrap() + 0.97).abs() < 1e-9);
    drop(sender);
    let mut counts = Vec::new();
    while let Some(count) = done.recv().await {
        counts.push(count);
    }
    assert_eq!(counts, [1, 2, 3, 4]);
    assert!(model.can_score());
    assert_eq!(model.context(), Some(4096), "the server's answer to /props");
    // One for the probe, one for `a`, one for `bad`, one for the `g` of `bag`; the second `bad` costs nothing.
    let completions: Vec<Value> =
        server.requests().into_iter().filter(|r| r.path() == "/completion").map(|r| r.body["prompt"].clone()).collect();
    assert_eq!(completions[1..], [json!("p"), json!("p"), json!(["p", 98, 97])]);
}

#[tokio::test]
async fn a_server_that_does_not_keep_to_the_tokens_is_refused() {
    for (kind, why) in [
        (Native::IgnoresGrammar, "does not keep to a grammar of token ids"),
        (Native::RefusesGrammar, "takes no grammar of token ids"),
        (Native::ReportsNothing, "no completion_probabilities"),
    ] {
        let server = native(kind);
        let model = model(&server);
        let error = score(&model, &request("p", &["a"])).await.unwrap_err();
        assert!(matches!(&error, ModelError::Configuration(m) if m.contains(why)), "{error}");
        assert!(!model.can_score());
        // It is not found out again each time.
        let before = server.requests().len();
        score(&model, &request("p", &["a"])).await.unwrap_err();
        assert_eq!(server.requests().len(), before);
    }
}

/// How a server with legacy completions behaves when asked to echo.
#[derive(Clone, Copy, PartialEq)]
enum Echo {
    Right,
    Ignores,
    Shifted,
    Refuses,
    NoLogprobs,
    Dull,
}

/// A word a token, with its blank; the log-probability follows from the word's letters.
fn words(text: &str) -> Vec<(String, f64)> {
    let mut words: Vec<String> = Vec::new();
    for c in text.chars() {
        match words.last_mut() {
            Some(word) if c != ' ' => word.push(c),
            _ => words.push(c.into()),
        }
    }
    let logprob = |w: &String| -f64::from(w.bytes().map(u32::from).sum::<u32>() % 7) - 0.5;
    words.into_iter().map(|w| (w.clone(), logprob(&w))).collect()
}

fn echoing(kind: Echo) -> Server {
    Server::answering(move |request| {
        if request.path() != "/v1/completions" {
            return answer(404, &json!({"error": {"message": "no such route"}}));
        }
        let body = &request.body;
        let prompt = body["prompt"].as_str().unwrap();
        let echo = body["echo"] == true && kind != Echo::Ignores;
        if echo && kind == Echo::Refuses {
            return answer(400, &json!({"error": {"message": "echo is not supported"}}));
        }
        let written = if body["max_tokens"] == 1 { " so" } else { " cat and an elephant" };
        let mut tokens = words(&if echo { format!("{prompt}{written}") } else { written.to_owned() });
        if kind == Echo::Dull {
            tokens.iter_mut().for_each(|(_, l)| *l = -1.0);
        }
        let mut figures: Vec<Value> = tokens.iter().map(|(_, l)| json!(l)).collect();
        if echo {
            figures[0] = Value::Null;
        }
        if echo && kind == Echo::Shifted {
            figures.rotate_left(1);
        }
        let text: String = tokens.iter().map(|(t, _)| t.as_str()).collect();
        let tokens: Vec<&String> = tokens.iter().map(|(t, _)| t).collect();
        let logprobs = match kind {
            Echo::NoLogprobs => Value::Null,
            _ => json!({"tokens": tokens, "token_logprobs": figures}),
        };
        answer(200, &json!({"choices": [{"index": 0, "text": text, "logprobs": logprobs, "finish_reason": "length"}]}))
    })
}

#[tokio::test]
async fn a_server_that_echoes_log_probabilities_scores() {
    let server = echoing(Echo::Right);
    let model = model(&server);
    let scored = score(&model, &request("the dog", &[" ran away", " sat"])).await.unwrap();
    for completion in &scored {
        let want = words(&completion.text);
        let scored: Vec<(String, f64)> = completion.tokens.iter().map(|t| (t.token.clone(), t.logprob)).collect();
        assert_eq!(scored, want, "the token generated behind the text does not count");
    }
    assert!(model.can_score());
}

#[tokio::test]
async fn servers_that_only_seem_to_echo_are_refused() {
    for (kind, why) in [
        (Echo::Ignores, "ignore echo"),
        (Echo::Shifted, "not those of the tokens they stand at"),
        (Echo::Refuses, "refuse echo"),
        (Echo::NoLogprobs, "give no log-probabilities"),
        (Echo::Dull, "could not be verified"),
    ] {
        let server = echoing(kind);
        let model = model(&server);
        let error = score(&model, &request("p", &[" a"])).await.unwrap_err();
        assert!(matches!(&error, ModelError::Configuration(m) if m.contains(why)), "{error}");
        assert!(!model.can_score());
    }
}

#[tokio::test]
async fn what_cannot_be_scored_is_said_without_asking() {
    let server = native(Native::Right);
    let mut chat = request("p", &["a"]);
    chat.messages[0].role = "user".into();
    let error = score(&model(&server), &chat).await.unwrap_err();
    assert!(matches!(&error, ModelError::Configuration(m) if m.contains("only raw prompts")), "{error}");
    let error = score(&model(&server), &request("p", &["a", ""])).await.unwrap_err();
    assert!(error.to_string().contains("empty text"), "{error}");
    let mut options = Options::new(&server.url, "m");
    options.score = Score::Never;
    let error = score(&Remote::new(options).unwrap(), &request("p", &["a"])).await.unwrap_err();
    assert!(error.to_string().contains("score = \"never\""), "{error}");
    assert!(server.requests().is_empty());
}

#[tokio::test]
async fn a_server_that_is_not_there_is_asked_again_later() {
    let port = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap().port();
    let model = Remote::new(Options::new(format!("http://127.0.0.1:{port}"), "m")).unwrap();
    for _ in 0..2 {
        let error = score(&model, &request("p", &["a"])).await.unwrap_err();
        assert!(matches!(error, ModelError::Unreachable { .. }), "{error}");
    }
}

#[tokio::test]
async fn a_scoring_is_cancelled_at_once() {
    let server = Server::answering(|_| vec![Step::Hold]);
    let model = model(&server);
    let cancel = CancellationToken::new();
    let stop = cancel.clone();
    let asked = async {
        while server.requests().is_empty() {
            tokio::time::sleep(Duration::from_millis(5)).await;
        }
        stop.cancel();
    };
    let request = request("p", &["a"]);
    let (scored, ()) =
        tokio::join!(tokio::time::timeout(Duration::from_secs(5), model.score(&request, &cancel)), asked);
    assert_eq!(scored.unwrap(), Err(ModelError::Cancelled));
}

#[tokio::test]
async fn the_probe_finds_how_texts_are_scored_and_what_fits() {
    let found = model(&native(Native::Right)).probe(&CancellationToken::new()).await.unwrap();
    // This server answers nothing else.
    assert!(found.scoring.is_err());
    let found = model(&echoing(Echo::Right)).probe(&CancellationToken::new()).await.unwrap();
    assert_eq!(found.scoring, Ok(Way::Echo));
    assert_eq!(found.context, None);
    let found = model(&echoing(Echo::Shifted)).probe(&CancellationToken::new()).await.unwrap();
    assert!(found.scoring.unwrap_err().contains("/tokenize"), "every way that was tried is named");
}
