//! Asks set going beside the driver's task: completions, scores, candidates, the symbolic proposer's ranking.
//!
//! Each sends a [`Message`] when it ends; what becomes of it is told in `answers`.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use tokio_util::sync::CancellationToken;

use super::{Driver, Message};
use crate::driver::setup::Source;
use crate::driver::{asking, coding, proposing, scoring, selecting, workshop};
use crate::episode::AskId;
use crate::episode::AskKind;
use crate::episode::gate::{AskSpec, Report};

impl Driver {
    pub(super) fn ask_model(&mut self, ask: AskId, spec: &AskSpec) {
        let Source::Language { model, .. } = &self.source else {
            let error = "no language model is in use; choose one first".to_owned();
            return self.report(Report::AskFailed { ask, error });
        };
        let cancel = CancellationToken::new();
        self.asks.insert(ask, cancel.clone());
        let seed = self.gate.session().header.seed.wrapping_add(ask);
        let (model, notices, messages) = (Arc::clone(model), self.notices.clone(), self.messages.clone());
        if let AskKind::CandidateScores { .. } = spec.kind {
            let texts = self.workshop.texts_to_score();
            let prompt = spec.prompt.as_ref().map(|p| p.messages.clone()).unwrap_or_default();
            tokio::spawn(async move {
                let scores = workshop::score(model, ask, prompt, texts, cancel, notices).await;
                let _ = messages.send(Message::CandidateScores(scores));
            });
            return;
        }
        if spec.kind == AskKind::SCORED && self.method.selects_leaves() {
            let (spec, candidates) = (spec.clone(), self.leaves_to_score());
            tokio::spawn(async move {
                let scores = scoring::score(model, ask, spec, candidates, cancel, notices).await;
                let _ = messages.send(Message::Scored(scores));
            });
            return;
        }
        if spec.kind == AskKind::SCORED {
            let candidates =
                match scoring::candidates(self.points.world.as_ref(), self.mind.specification().declarations()) {
                    Ok(candidates) => candidates.list,
                    Err(error) => return self.report(Report::AskFailed { ask, error }),
                };
            let spec = spec.clone();
            tokio::spawn(async move {
                let scores = scoring::score(model, ask, spec, candidates, cancel, notices).await;
                let _ = messages.send(Message::Scored(scores));
            });
            return;
        }
        let mut request = asking::request(spec, self.prompting.options.think, model.frequency_penalty(), seed);
        if !request.messages.iter().any(|m| m.role == "text") {
            // A raw completion is one line; a chat model may need to reason first.
            request.max_tokens = request.max_tokens.max(self.prompting.answer_tokens);
        }
        if let AskKind::Candidates { .. } = spec.kind {
            workshop::shape(&mut request);
        } else if coding::is_coding(&spec.kind) {
            coding::shape(&mut request, &spec.kind, self.method.coding());
            request.tag = self.tag(&spec.kind);
        } else if self.method.selects_leaves() {
            selecting::shape(&mut request);
        }
        tokio::spawn(async move {
            let answer = asking::ask(model, ask, request, cancel, notices).await;
            let _ = messages.send(Message::Answer(answer));
        });
    }

    pub(super) fn ask_symbolic(&mut self, ask: AskId, spec: &AskSpec) {
        let cancel = CancellationToken::new();
        if spec.kind == AskKind::PLAN_LINE {
            let report = self.offer_line(ask);
            return self.report(report);
        }
        match spec.kind {
            AskKind::PROGRAM_CALL => return self.offer_call(ask),
            AskKind::PROGRAM => {
                let report = self.read_instruction(ask);
                return self.report(report);
            }
            AskKind::BELIEF => {
                let report = self.write_state(ask);
                return self.report(report);
            }
            _ => {}
        }
        self.asks.insert(ask, cancel.clone());
        if spec.kind == AskKind::PLAN {
            return self.make_plan(ask, cancel);
        }
        if self.method.selects_leaves() {
            let _ = self.messages.send(Message::Selected(self.rank_leaves(ask, spec)));
            return;
        }
        let work = proposing::prepare(ask, spec, self);
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            // A person who steps fast leaves asks behind that nobody waits for.
            if !cancel.is_cancelled() {
                let _ = messages.send(Message::Ranked(work()));
            }
        });
    }

    /// Has a plan made without a language model; a search is stopped when nobody waits for it any more.
    fn make_plan(&mut self, ask: AskId, cancel: CancellationToken) {
        let go_on = Arc::new(AtomicBool::new(true));
        let work = self.plan_maker(ask, Arc::clone(&go_on));
        let messages = self.messages.clone();
        let making = tokio::task::spawn_blocking(move || {
            let _ = messages.send(Message::Made(work()));
        });
        tokio::spawn(async move {
            tokio::select! {
                () = cancel.cancelled() => go_on.store(false, Ordering::Relaxed),
                _ = making => {}
            }
        });
    }
}
