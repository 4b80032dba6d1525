//! Candidate asks. Has a language model write candidate preconditions, or score those that are there.
//!
//! One prompt a demonstration, each completed greedily and by random samples. Asks run in the background of the session: recorded like any
//! ask, but no proposals. What an answer holds goes to the store as soon as it is there; cancelling keeps what has come.

use std::collections::BTreeSet;

use super::state::{CandidateService, PendingRequest};
use super::worker::Job;
use super::writing::{Scoring, ToScore};
use stepwright_driver::SessionView;
use stepwright_episode::gate::{AskSpec, Request};
use stepwright_episode::{AskId, AskKind, Generation, Shape, action_of_effects};
use stepwright_method::Answer as ModelAnswer;
use stepwright_method::prompting::LEAD;
use stepwright_model::Completion;
use stepwright_precondition::{
    CHAT_TEMPLATE, COMPLETION_TEMPLATE, COMPLETION_TOKENS, CandidateContext, EFFECTS_CHAT_TEMPLATE, EFFECTS_TEMPLATE,
    completion_stops, read_completion, read_effects,
};
use stepwright_protocol::{Level, Notice};
use stepwright_text::words;

/// How candidates are written.
fn generation(raw: bool) -> Generation {
    let stop = completion_stops(raw);
    Generation { max_tokens: COMPLETION_TOKENS, stop, logprobs: true, ..Generation::default() }
}

impl CandidateService {
    /// Begins to have candidates written: for each action and context.
    pub(super) fn write_candidates(&mut self, contexts: Vec<(String, CandidateContext)>, view: &mut SessionView<'_>) {
        for (action, context) in &contexts {
            self.writing.want(action, context, self.settings);
        }
        let actions: BTreeSet<String> = contexts.into_iter().map(|(action, _)| action).collect();
        self.ask_for_candidates(view);
        // The pools report that they are growing.
        actions.into_iter().for_each(|action| self.work(Job::Show(action), view));
    }

    /// Asks for the next completions, where there is something to ask and not too much under way.
    pub(super) fn ask_for_candidates(&mut self, view: &mut SessionView<'_>) {
        let room = self.writing.asking.is_none() && self.writing.asked.len() < self.settings.at_once.max(1);
        if let Some(wanted) = room.then(|| self.writing.waiting.pop_front()).flatten() {
            let name = match (action_of_effects(&wanted.action), view.prompting.raw) {
                (None, true) => COMPLETION_TEMPLATE,
                (None, false) => CHAT_TEMPLATE,
                (Some(_), true) => EFFECTS_TEMPLATE,
                (Some(_), false) => EFFECTS_CHAT_TEMPLATE,
            };
            let prompt = match view.prompting.render(name, &wanted.context) {
                Ok(prompt) => prompt,
                Err(why) => {
                    view.say(Level::Error, why);
                    return self.cancel_writing(view);
                }
            };
            self.writing.asking = Some(wanted.action.clone());
            let request = Request::AskInBackground(AskSpec {
                kind: AskKind::Candidates { action: wanted.action.clone() },
                model: view.discoverer.name(),
                prompt: Some(prompt),
                n: wanted.n,
                temperature: wanted.temperature,
                shape: Shape::Generate(generation(view.prompting.raw)),
            });
            return self.request(PendingRequest::Write(wanted), request, view);
        }
        self.tell_writing(view);
    }

    /// Takes the end of one of its asks in: scores, or the completions, or none if it failed. What is under way beside it continues; after
    /// a failure nothing new is asked.
    pub(super) fn take_in(&mut self, ask: AskId, answer: Option<ModelAnswer>, view: &mut SessionView<'_>) {
        if let Some(scoring) = self.writing.scoring.take_if(|scoring| scoring.ask == Some(ask)) {
            return if let Some(answer) = answer {
                self.scored(scoring.action, &answer, view)
            };
        }
        let Some((action, n)) = self.writing.asked.remove(&ask) else { return };
        self.writing.done += n as usize;
        match answer {
            None => {
                self.writing.failed += n as usize;
                let dropped = std::mem::take(&mut self.writing.waiting);
                self.writing.total -= dropped.iter().map(|w| w.n as usize).sum::<usize>().min(self.writing.total);
                self.work(Job::Show(action), view);
            }
            Some(answer) => {
                let read = if action_of_effects(&action).is_some() { read_effects } else { read_completion };
                let written = answer.completions.iter().flat_map(|completion| read(&completion.text));
                self.work(Job::TakeIn { action, written: written.collect() }, view);
            }
        }
        self.ask_for_candidates(view);
    }

    fn tell_writing(&mut self, view: &mut SessionView<'_>) {
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        let what = format!("candidates by {}:", view.discoverer.name());
        view.tell(Notice::Progress { what, done, total });
        if self.writing.asked.is_empty() && self.writing.waiting.is_empty() && self.writing.asking.is_none() {
            let read = done.saturating_sub(self.writing.failed);
            self.writing.forget();
            // Where nothing came, the message line has the ask's error, which says more.
            if read > 0 {
                view.say(
                    Level::Info,
                    format!(
                        "{} read; look the candidates over and adopt what is right",
                        words::count(read, "completion")
                    ),
                );
            }
        }
    }

    pub(super) fn score_candidates(&mut self, to_score: ToScore, view: &mut SessionView<'_>) {
        let ToScore { action, context, texts } = to_score;
        if texts.is_empty() {
            return view
                .say(Level::Info, format!("{action} has no valid candidate that forbids anything; infer some first"));
        }
        // What is scored is a continuation of raw text, whatever form the model's other prompts have.
        let prompt = match view.prompting.render(COMPLETION_TEMPLATE, &context) {
            Ok(prompt) => prompt,
            Err(why) => return view.say(Level::Error, why),
        };
        let count = texts.len();
        let continuations = texts.iter().map(|text| format!("{LEAD}{text}")).collect();
        self.writing.scoring = Some(Scoring { ask: None, action: action.clone() });
        let request = Request::AskInBackground(AskSpec {
            kind: AskKind::CandidateScores { action, n: count },
            model: view.discoverer.name(),
            prompt: Some(prompt),
            n: u32::try_from(count).unwrap_or(u32::MAX),
            temperature: 0.0,
            shape: Shape::Score { continuations },
        });
        self.request(PendingRequest::Score, request, view);
    }

    fn scored(&mut self, action: String, answer: &ModelAnswer, view: &mut SessionView<'_>) {
        let scored = |c: &Completion| Some((c.text.clone(), c.mean_logprob()?));
        let scores: Vec<(String, f64)> = answer.completions.iter().filter_map(scored).collect();
        if scores.is_empty() {
            return view.say(Level::Warning, "the model gave no log-probability of any candidate");
        }
        let n = words::count(scores.len(), "candidate");
        view.say(
            Level::Info,
            format!("{n} of {action} scored: their mean log-probability a token is shown beside them"),
        );
        self.work(Job::Scores { action, scores }, view);
    }

    /// Stops asking; what was written stays in the pools.
    pub(super) fn cancel_writing(&mut self, view: &mut SessionView<'_>) {
        self.writing.scoring = None;
        let actions = self.writing.actions();
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        self.writing.forget();
        view.tell(Notice::Progress { what: String::new(), done: total, total });
        actions.into_iter().for_each(|action| self.work(Job::Show(action), view));
        view.say(Level::Info, format!("stopped after {done} of {total} completions; what they gave is kept"));
    }
}
