//! Probe of what an endpoint can do, by requests for a few tokens of each kind.

use std::sync::Mutex;

use serde_json::Value;
use tokio_util::sync::CancellationToken;

use super::Remote;
use super::body::{Interface, Wanted, body};
use super::chunk::Answer;
use super::failure::Failure;
use super::http::Root;
use super::options::{Api, Wire};
use super::score::Way;
use super::sink::Sink;
use crate::{LanguageModel, ModelError, ModelRequest, PromptMessage};

/// Most bytes read of a list of models.
const MAX_LIST: usize = 4 << 20;

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Support {
    Yes,
    /// It was tried and did not: why.
    No(String),
}

impl Support {
    pub fn is_yes(&self) -> bool {
        *self == Support::Yes
    }
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Capabilities {
    /// The ids of the models there, or why they are not known.
    pub models: Result<Vec<String>, String>,
    pub chat: Support,
    pub completions: Support,
    /// Log-probabilities of generated tokens.
    pub logprobs: Support,
    pub several: Support,
    pub usage: Support,
    /// Log-probabilities of given texts: how, or why not.
    pub scoring: Result<Way, String>,
    /// Tokens the model takes, prompt and completion together, where set or stated.
    pub context: Option<usize>,
}

impl Remote {
    /// Tries each capability with a request of a few tokens (about ten requests in all, more where the server is busy).
    /// Errors: [`ModelError::Cancelled`] soon after `cancel` fires. Any other failure is part of the result.
    pub async fn probe(&self, cancel: &CancellationToken) -> Result<Capabilities, ModelError> {
        tokio::select! {
            biased;
            () = cancel.cancelled() => Err(ModelError::Cancelled),
            found = self.probe_all() => Ok(found),
        }
    }

    async fn probe_all(&self) -> Capabilities {
        let models = self.models().await.map_err(|failure| failure.error.to_string());
        let main = match (self.options.wire, self.options.api) {
            (Wire::Anthropic, _) => Interface::Messages,
            (Wire::Ollama, _) => Interface::OllamaChat,
            (Wire::OpenAi, Api::Completions) => Interface::Completions,
            (Wire::OpenAi, _) => Interface::Chat,
        };
        let basic = self.probe_one(main, 1, false).await;
        let usage = match basic.as_ref() {
            Ok(answer) if answer.usage.is_some() => Support::Yes,
            Ok(_) => Support::No("answers carry no token counts".into()),
            Err(why) => Support::No(why.clone()),
        };
        let main_support = support(&basic, |_| None);
        // Without a basic answer the finer questions would only repeat its failure.
        let (logprobs, several) = if basic.is_ok() {
            let with_logprobs = self.probe_one(main, 1, true).await;
            let two = self.probe_one(main, 2, false).await;
            (
                support(&with_logprobs, |a| (!a.has_logprobs()).then(|| "they are ignored".to_owned())),
                support(&two, |a| {
                    (a.count() < 2).then(|| "the number is ignored; they are asked for one by one".to_owned())
                }),
            )
        } else {
            (main_support.clone(), main_support.clone())
        };
        let raw = match main {
            Interface::Chat => Some(Interface::Completions),
            Interface::OllamaChat => Some(Interface::OllamaGenerate),
            _ => None,
        };
        let (chat, completions) = match (main, raw) {
            (_, Some(raw)) => (main_support, support(&self.probe_one(raw, 1, false).await, |_| None)),
            (Interface::Messages, _) => (main_support, Support::No("this wire format has none".into())),
            _ => (Support::No("not tried: api = \"completions\"".into()), main_support),
        };
        // Where nothing is answered at all there is nothing to score either.
        let scoring = if self.options.wire == Wire::Anthropic {
            Err("this wire format reports no log-probabilities".to_owned())
        } else if chat.is_yes() || completions.is_yes() {
            self.way().await.map_or_else(|e| Err(e.to_string()), Clone::clone)
        } else {
            Err("nothing else is answered".to_owned())
        };
        let context = LanguageModel::context(self);
        Capabilities { models, chat, completions, logprobs, several, usage, scoring, context }
    }

    /// One small request; refusals of optional fields are learned from as in earnest.
    async fn probe_one(&self, interface: Interface, n: u32, logprobs: bool) -> Result<Answer, String> {
        let raw = matches!(interface, Interface::Completions | Interface::OllamaGenerate);
        let role = if raw { "text" } else { "user" };
        let request = ModelRequest {
            messages: vec![PromptMessage { role: role.into(), text: "Count: one, two,".into() }],
            max_tokens: 4,
            temperature: 1.0,
            n,
            logprobs,
            ..ModelRequest::default()
        };
        let (events, _nobody) = tokio::sync::mpsc::unbounded_channel();
        let course = Mutex::default();
        let sink = Sink { events: &events, course: &course, offset: 0 };
        let mut failure: Option<Failure> = None;
        // At most one lesson for each optional field.
        for _ in 0..8 {
            let wanted = Wanted { request: &request, n, offset: 0, limit: request.max_tokens };
            let body = body(&self.options, &self.quirks, interface, wanted);
            if logprobs && body.get("logprobs").is_none() {
                break;
            }
            match self.attempts(interface, &body, n, sink).await {
                Ok(answer) => return Ok(answer),
                Err(failed) => {
                    let learned = failed.refusal.as_ref().is_some_and(|r| self.learned(&body, r, sink));
                    failure = Some(failed);
                    if !learned {
                        break;
                    }
                }
            }
        }
        Err(failure.map_or_else(|| "refused".to_owned(), |f| f.error.to_string()))
    }

    async fn models(&self) -> Result<Vec<String>, Failure> {
        let at = if self.options.wire == Wire::Ollama { (Root::Server, "api/tags") } else { (Root::Base, "models") };
        let response = self.http.get(&self.options, at).await?;
        let list = self.json(response, "the list of models", MAX_LIST).await?;
        let entries = list.get("data").or_else(|| list.get("models")).unwrap_or(&list).as_array();
        // vLLM and SGLang, llama.cpp's server, and OpenRouter say there how long a context may be.
        let own =
            entries.into_iter().flatten().find(|entry| entry.get("id").is_some_and(|id| *id == *self.options.model));
        let places = ["/max_model_len", "/meta/n_ctx", "/context_length"];
        let told = own.and_then(|entry| places.iter().find_map(|at| entry.pointer(at)?.as_u64()));
        if let Some(tokens) = told.filter(|tokens| *tokens > 0) {
            self.learn_context(tokens);
        }
        let id = |entry: &Value| entry.get("id").or_else(|| entry.get("name"))?.as_str().map(|id| self.http.clean(id));
        let mut ids: Vec<String> = entries.into_iter().flatten().filter_map(id).collect();
        ids.sort();
        ids.dedup();
        Ok(ids)
    }
}

fn support(answer: &Result<Answer, String>, objection: impl Fn(&Answer) -> Option<String>) -> Support {
    match answer {
        Err(why) => Support::No(why.clone()),
        Ok(answer) => objection(answer).map_or(Support::Yes, Support::No),
    }
}
