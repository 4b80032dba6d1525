//! Asks started beside the driver's task: completions, scores, a method's own work.

use std::sync::Arc;

use tokio_util::sync::CancellationToken;

use super::driver::Driver;
use super::jobs::{self, Job};
use super::messages::Failure;
use super::source::Source;
use stepwright_episode::gate::AskSpec;
use stepwright_episode::{AskId, Generation, Shape};
use stepwright_method::Stop;
use stepwright_model::{ModelRequest, ScoreRequest, Tag};

impl Driver {
    pub(super) fn ask_model(&mut self, ask: AskId, spec: &AskSpec) {
        let role = spec.kind.role();
        let Source::Language { model, .. } = self.models.source_of(role) else {
            return self.not_asked(ask, "no language model is in use; choose one first");
        };
        let model = Arc::clone(model);
        let messages = spec.prompt.as_ref().map(|p| p.messages.clone()).unwrap_or_default();
        let raw = messages.iter().any(|m| m.role == "text");
        let shape = match &spec.shape {
            Shape::Usual => self.stack.shape(&self.context(None).of(role), &spec.kind, raw),
            shape => shape.clone(),
        };
        let cancel = CancellationToken::new();
        let stop = cancel.clone();
        let outlets = self.outlets.clone();
        match shape {
            Shape::Score { continuations } if continuations.is_empty() => {
                return self.not_asked(ask, "there is nothing to score here any more; ask again");
            }
            Shape::Score { continuations } => {
                let request = ScoreRequest { messages, candidates: continuations };
                jobs::score(model, ask, &spec.kind, request, cancel, outlets);
            }
            Shape::Generate(mut generation) => {
                let failed = generation.failed.take();
                let request = self.model_request(ask, spec, generation, raw);
                jobs::generate(model, ask, ModelRequest { messages, ..request }, failed, cancel, outlets);
            }
            Shape::Relay(relayed) => {
                let request = ModelRequest { n: spec.n, relayed: Some(relayed), ..ModelRequest::default() };
                jobs::generate(model, ask, request, None, cancel, outlets);
            }
            Shape::Usual | Shape::Compute { .. } => {
                return self.not_asked(ask, "the method asks a language model for what is its own work");
            }
        }
        self.jobs.begin(Job::Ask(ask), move || stop.cancel());
    }

    fn not_asked(&mut self, ask: AskId, why: &str) {
        self.report(Failure::work(why.to_owned()).of_ask(ask));
    }

    fn model_request(&self, ask: AskId, spec: &AskSpec, generation: Generation, raw: bool) -> ModelRequest {
        let Generation {
            max_tokens,
            stop,
            frequency_penalty,
            presence_penalty,
            top_p,
            logprobs,
            cut_counts,
            structure,
            tag,
            failed: _,
        } = generation;
        let header = &self.gate.session().header;
        let tag = tag.map(|tag| Tag {
            task: header.task.clone(),
            method: self.gate.session().method.clone(),
            seed: header.seed,
            request: tag.request,
            wanted: tag.wanted,
        });
        // A raw completion is one line; a chat model may need to reason first.
        let exact = raw || cut_counts || spec.kind.is_background();
        let least = if exact { 0 } else { self.models.role_models.of(spec.kind.role()).prompting.answer_tokens };
        ModelRequest {
            messages: Vec::new(),
            max_tokens: max_tokens.max(least),
            temperature: spec.temperature,
            n: spec.n,
            stop,
            seed: Some(header.seed.wrapping_add(ask)),
            relayed: None,
            frequency_penalty,
            presence_penalty,
            top_p,
            structure: structure.filter(|_| !raw),
            tag,
            logprobs,
            cut_counts,
        }
    }

    pub(super) fn compute(&mut self, ask: AskId, spec: &AskSpec) {
        let Shape::Compute { work } = &spec.shape else {
            return self.not_asked(ask, "no language model is asked, and the method names no work of its own");
        };
        let known = self.context(None).known();
        let stop = Stop::default();
        let (stack, kind, outlets) = (self.stack.clone(), spec.kind.clone(), self.outlets.clone());
        jobs::compute(stack, ask, kind, known, work.clone(), stop.clone(), outlets);
        self.jobs.begin(Job::Ask(ask), move || stop.stop());
    }
}
