//! Comparison of the local model with llama.cpp: the same probabilities, the same winner, with the real weights. (That tokens are the same is
//! tested beside the tokenizer.)
//!
//! `tests/data/llama_cpp.json` was recorded with xllamacpp. The weights are looked for where `stepwright models fetch` puts them; a
//! test whose weights are absent says so and tests nothing.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use crate::support::recordings::absent;
use serde_json::Value;
use stepwright::config::{self, Overrides};
use stepwright::model::fetch;
use stepwright::model::local::Local;
use stepwright::model::{LanguageModel, ModelError, ModelRequest, PromptMessage, ScoreRequest, StreamEvent};
use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

/// How far mean log-probabilities may be apart: the engines multiply in different precisions.
const TOLERANCE: f64 = 0.1;

fn golden() -> Value {
    serde_json::from_str(include_str!("../data/llama_cpp.json")).unwrap()
}

fn weights(name: &str) -> Option<PathBuf> {
    let folder = config::paths(&Overrides::default()).ok()?.data.join("models");
    let weights = fetch::named(name).unwrap();
    if fetch::is_present(&folder, &weights) {
        return Some(fetch::path(&folder, &weights));
    }
    absent(&format!("the weights of {name}, which are not in {} (stepwright models fetch {name})", folder.display()));
    None
}

fn runtime() -> tokio::runtime::Runtime {
    tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap()
}

fn text(text: &str) -> Vec<PromptMessage> {
    vec![PromptMessage { role: "text".into(), text: text.into() }]
}

fn scores_agree(name: &str) {
    let Some(path) = weights(name) else { return };
    let golden = golden();
    let candidates = golden[name]["candidates"].as_array().unwrap();
    let texts: Vec<String> = candidates.iter().map(|c| c["text"].as_str().unwrap().to_owned()).collect();
    let model = Local::open(name, &path).unwrap();
    let request = ScoreRequest { messages: text(golden["prompt"].as_str().unwrap()), candidates: texts };
    let begun = Instant::now();
    let scored = runtime().block_on(model.score(&request, &CancellationToken::new())).unwrap();
    let cold = begun.elapsed();
    let begun = Instant::now();
    let again = runtime().block_on(model.score(&request, &CancellationToken::new())).unwrap();
    eprintln!("{name}: loaded and scored in {cold:?}, scored again on the kept prompt in {:?}", begun.elapsed());
    let (mut worst, mut found, mut wanted) = (0.0f64, Vec::new(), Vec::new());
    for (candidate, (scored, again)) in candidates.iter().zip(scored.iter().zip(&again)) {
        let (mean, want) = (scored.mean_logprob().unwrap(), candidate["mean"].as_f64().unwrap());
        assert_eq!(scored.tokens.len(), candidate["logprobs"].as_array().unwrap().len());
        assert!((mean - want).abs() < TOLERANCE, "{name}: {}: {mean} for {want}", scored.text);
        assert_eq!(scored, again, "the same again is the same");
        worst = worst.max((mean - want).abs());
        found.push(mean);
        wanted.push(want);
    }
    let winner = |means: &[f64]| (0..means.len()).max_by(|a, b| means[*a].total_cmp(&means[*b]));
    assert_eq!(winner(&found), winner(&wanted));
    eprintln!("{name}: mean log-probabilities are at most {worst:.4} apart");
}

#[test]
fn smollm2_scores_as_llama_cpp_does() {
    scores_agree("smollm2");
}

#[test]
fn qwen_scores_as_llama_cpp_does() {
    scores_agree("qwen");
}

#[test]
fn smollm2_streams_samples_and_stops_on_request() {
    let Some(path) = weights("smollm2") else { return };
    let model = Local::open("smollm2", &path).unwrap();
    let message = PromptMessage { role: "user".into(), text: "Name three fruits.".into() };
    let request = ModelRequest {
        messages: vec![message],
        max_tokens: 24,
        temperature: 0.8,
        n: 2,
        seed: Some(5),
        logprobs: true,
        ..ModelRequest::default()
    };
    let (to, mut from) = unbounded_channel();
    let runtime = runtime();
    let response = runtime.block_on(model.complete(&request, &to, &CancellationToken::new())).unwrap();
    let mut streamed = vec![String::new(); 2];
    // That it is loaded is said before.
    while let Ok(event) = from.try_recv() {
        if let StreamEvent::Delta { index, text } = event {
            streamed[index as usize] += &text;
        }
    }
    for (completion, streamed) in response.completions.iter().zip(&streamed) {
        assert_eq!(completion.text, *streamed);
        assert!(completion.mean_logprob().unwrap() < 0.0 && !completion.text.is_empty());
    }
    let greedy = ModelRequest { temperature: 0.0, n: 1, ..request.clone() };
    let before = runtime.block_on(model.complete(&greedy, &to, &CancellationToken::new())).unwrap();
    let cancel = CancellationToken::new();
    let long = ModelRequest { max_tokens: 4000, ..request.clone() };
    while from.try_recv().is_ok() {}
    let cancelled = runtime.block_on(async {
        let stop = async {
            from.recv().await.unwrap();
            cancel.cancel();
            Instant::now()
        };
        let (answer, at) = tokio::join!(model.complete(&long, &to, &cancel), stop);
        assert_eq!(answer, Err(ModelError::Cancelled));
        at
    });
    assert!(cancelled.elapsed() < Duration::from_secs(1));
    let after = runtime.block_on(model.complete(&greedy, &to, &CancellationToken::new())).unwrap();
    assert_eq!(before, after, "neither samples nor a cancelled answer leave anything behind");
    let per = |begun: Instant, n: usize| n as f64 / begun.elapsed().as_secs_f64();
    let begun = Instant::now();
    let answer =
        runtime.block_on(model.complete(&ModelRequest { seed: Some(6), ..request }, &to, &CancellationToken::new()));
    let tokens: usize = answer.unwrap().completions.iter().map(|c| c.tokens.len()).sum();
    eprintln!("smollm2: {:.1} tokens a second, two samples at once", per(begun, tokens));
}
