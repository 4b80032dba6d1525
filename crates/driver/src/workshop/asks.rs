//! Candidate asks. Has a language model write candidate preconditions, or score those that are there.
//!
//! One prompt a demonstration, each completed greedily and by random samples. Asks are asides of the session: recorded like any
//! ask, but no proposals. What an answer holds goes to the store as soon as it is there; cancelling keeps what has come.

use std::collections::{BTreeMap, BTreeSet, VecDeque};

use super::worker::Job;
use super::{Errand, Surroundings, Workshop};
use crate::jobs::Answered;
use crate::{Level, Notice};
use stepwright_episode::gate::{AskSpec, Report, Request};
use stepwright_episode::{AskId, AskKind, Generation, Shape};
use stepwright_method::Answer;
use stepwright_method::precondition::{
    CHAT_TEMPLATE, COMPLETION_TEMPLATE, CandidateAsks, CandidateContext, read_completion,
};
use stepwright_method::prompting::LEAD;
use stepwright_model::Completion;
use stepwright_text::words;

/// Temperature of the random samples.
const TEMPERATURE: f64 = 0.7;
/// Random samples of one ask at most, so that the pool grows while others are still being written.
const CHUNK: u32 = 4;
/// Tokens of a completion at most: a few assertions.
const MAX_TOKENS: u32 = 160;

/// Completions wanted of one prompt.
#[derive(Debug)]
pub(crate) struct Wanted {
    action: String,
    context: CandidateContext,
    n: u32,
    temperature: f64,
}

/// Candidates that a model is to score as continuations of a prompt.
pub(super) struct ToScore {
    pub(super) action: String,
    pub(super) context: CandidateContext,
    pub(super) texts: Vec<String>,
}

/// A scoring of candidates.
struct Scoring {
    ask: Option<AskId>,
    action: String,
    texts: Vec<String>,
}

/// What is being written.
#[derive(Default)]
pub(super) struct Writing {
    waiting: VecDeque<Wanted>,
    /// What the gate is asked for now: the action.
    asking: Option<String>,
    /// The asks under way: the action, and the completions wanted.
    asked: BTreeMap<AskId, (String, u32)>,
    /// The scoring under way: the action and the candidates; its ask, once it is sent.
    scoring: Option<Scoring>,
    /// Completions done, and wanted in all.
    done: usize,
    total: usize,
    /// Of those done, how many did not come.
    failed: usize,
}

impl Writing {
    /// The actions something is still being written for.
    pub(super) fn actions(&self) -> BTreeSet<String> {
        let waiting = self.waiting.iter().map(|w| &w.action).chain(&self.asking);
        waiting.chain(self.asked.values().map(|(action, _)| action)).cloned().collect()
    }

    /// Notes the ask that was sent for completions.
    pub(super) fn sent(&mut self, ask: AskId, wanted: &Wanted) {
        self.asking = None;
        self.asked.insert(ask, (wanted.action.clone(), wanted.n));
    }

    /// Notes the ask that was sent for scores.
    pub(super) fn scoring_sent(&mut self, ask: AskId) {
        if let Some(scoring) = &mut self.scoring {
            scoring.ask = Some(ask);
        }
    }

    /// Forgets the scoring under way.
    pub(super) fn end_scoring(&mut self) {
        self.scoring = None;
    }

    fn want(&mut self, action: &str, context: &CandidateContext, asks: CandidateAsks) {
        let mut left = asks.samples;
        let mut want = |n: u32, temperature: f64| {
            self.total += n as usize;
            self.waiting.push_back(Wanted { action: action.to_owned(), context: context.clone(), n, temperature });
        };
        want(1, 0.0);
        while left > 0 {
            let n = left.min(CHUNK);
            want(n, TEMPERATURE);
            left -= n;
        }
    }

    fn forget(&mut self) {
        *self = Writing { scoring: self.scoring.take(), ..Writing::default() };
    }
}

/// How candidates are written: several assertions may follow each other, and a blank line or the next definition ends them.
fn generation(raw: bool) -> Generation {
    let stop = ["\n\n", "\n    def ", "\ndef ", "\nclass "].map(str::to_owned);
    let stop = if raw { stop.into() } else { Vec::new() };
    Generation { max_tokens: MAX_TOKENS, stop, logprobs: true, ..Generation::default() }
}

impl Workshop {
    /// Begins to have candidates written: for each action and context.
    pub(super) fn write_candidates(&mut self, contexts: Vec<(String, CandidateContext)>, around: &Surroundings<'_>) {
        for (action, context) in &contexts {
            self.writing.want(action, context, self.settings);
        }
        let actions: BTreeSet<String> = contexts.into_iter().map(|(action, _)| action).collect();
        self.ask_for_candidates(around);
        // The pools report that they are growing.
        actions.into_iter().for_each(|action| self.work(Job::Show(action), around));
    }

    /// Asks for the next completions, where there is something to ask and not too much under way.
    pub(super) fn ask_for_candidates(&mut self, around: &Surroundings<'_>) {
        let room = self.writing.asking.is_none() && self.writing.asked.len() < self.settings.at_once.max(1);
        if let Some(wanted) = room.then(|| self.writing.waiting.pop_front()).flatten() {
            let name = if around.prompting.raw { COMPLETION_TEMPLATE } else { CHAT_TEMPLATE };
            let prompt = match around.prompting.render(name, &wanted.context) {
                Ok(prompt) => prompt,
                Err(why) => {
                    self.say(Level::Error, why);
                    return self.stop_writing(around);
                }
            };
            self.writing.asking = Some(wanted.action.clone());
            let request = Request::AskAside(AskSpec {
                kind: AskKind::Candidates { action: wanted.action.clone() },
                model: around.source.name(),
                prompt: Some(prompt),
                n: wanted.n,
                temperature: wanted.temperature,
                shape: Shape::Generate(generation(around.prompting.raw)),
            });
            return self.requests.push_back((Errand::Write(wanted), request));
        }
        self.tell_writing(around);
    }

    /// Takes the end of one of its asks in: the completions, or none if it failed. What is under way beside it continues; after a
    /// failure nothing new is asked.
    pub(crate) fn ask_ended(&mut self, ask: AskId, texts: Option<Vec<String>>, around: &Surroundings<'_>) {
        self.writing.scoring.take_if(|scoring| scoring.ask == Some(ask));
        let Some((action, n)) = self.writing.asked.remove(&ask) else { return };
        self.writing.done += n as usize;
        match texts {
            None => {
                self.writing.failed += n as usize;
                let dropped = std::mem::take(&mut self.writing.waiting);
                self.writing.total -= dropped.iter().map(|w| w.n as usize).sum::<usize>().min(self.writing.total);
                self.work(Job::Show(action), around);
            }
            Some(texts) => {
                let written = texts.iter().flat_map(|text| read_completion(text)).collect();
                self.work(Job::TakeIn { action, written }, around);
            }
        }
        self.ask_for_candidates(around);
    }

    /// Reports how far the writing is, and when it is over.
    fn tell_writing(&mut self, around: &Surroundings<'_>) {
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        let what = format!("candidates by {}:", around.source.name());
        self.tell(Notice::Progress { what, done, total });
        if self.writing.asked.is_empty() && self.writing.waiting.is_empty() && self.writing.asking.is_none() {
            let read = done.saturating_sub(self.writing.failed);
            self.writing.forget();
            // Where nothing came, the message line has the ask's error, which says more.
            if read > 0 {
                self.say(
                    Level::Info,
                    format!(
                        "{} read; look the candidates over and adopt what is right",
                        words::count(read, "completion")
                    ),
                );
            }
        }
    }

    /// Has candidates scored by the model in use.
    pub(super) fn score_candidates(&mut self, to_score: ToScore, around: &Surroundings<'_>) {
        let ToScore { action, context, texts } = to_score;
        if texts.is_empty() {
            return self
                .say(Level::Info, format!("{action} has no valid candidate that forbids anything; infer some first"));
        }
        // What is scored is a continuation of raw text, whatever form the model's other prompts have.
        let prompt = match around.prompting.render(COMPLETION_TEMPLATE, &context) {
            Ok(prompt) => prompt,
            Err(why) => return self.say(Level::Error, why),
        };
        let count = texts.len();
        let continuations = texts.iter().map(|text| format!("{LEAD}{text}")).collect();
        self.writing.scoring = Some(Scoring { ask: None, action: action.clone(), texts });
        let request = Request::AskAside(AskSpec {
            kind: AskKind::CandidateScores { action, n: count },
            model: around.source.name(),
            prompt: Some(prompt),
            n: u32::try_from(count).unwrap_or(u32::MAX),
            temperature: 0.0,
            shape: Shape::Score { continuations },
        });
        self.requests.push_back((Errand::Score, request));
    }

    /// Takes a model's scores in: as the answer of their ask, and beside the candidates.
    pub(crate) fn scored(&mut self, answered: Answered, around: &Surroundings<'_>) -> Report {
        let Answered { ask, result, ms, .. } = answered;
        let scored = self.writing.scoring.take_if(|scoring| scoring.ask == Some(ask));
        match (result, scored) {
            (Err(error), _) => Report::AskFailed { ask, error: error.to_string() },
            (Ok(Answer { completions, usage, .. }), scored) => {
                let (action, texts) = scored.map(|s| (s.action, s.texts)).unwrap_or_default();
                let means = texts.into_iter().zip(completions.iter().map(Completion::mean_logprob));
                let scores: Vec<(String, f64)> = means.filter_map(|(text, mean)| Some((text, mean?))).collect();
                let texts = scores.iter().map(|(text, mean)| format!("{mean:.3} {text}")).collect();
                if scores.is_empty() {
                    self.say(Level::Warning, "the model gave no log-probability of any candidate");
                } else {
                    self.say(
                        Level::Info,
                        format!(
                            "{} of {action} scored: their mean log-probability a token is shown beside them",
                            words::count(scores.len(), "candidate")
                        ),
                    );
                }
                self.work(Job::Scores { action, scores }, around);
                Report::Answered { ask, texts, usage, ms, drafts: Vec::new() }
            }
        }
    }

    /// Stops asking; what was written stays in the pools. Whether anything was under way.
    pub(crate) fn stop_writing(&mut self, around: &Surroundings<'_>) {
        self.writing.scoring = None;
        let actions = self.writing.actions();
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        self.writing.forget();
        self.tell(Notice::Progress { what: String::new(), done: total, total });
        actions.into_iter().for_each(|action| self.work(Job::Show(action), around));
        self.say(Level::Info, format!("stopped after {done} of {total} completions; what they gave is kept"));
    }
}
