//! Candidate preconditions written by a language model: which prompts are sent, how many at once, and what comes of the answers.
//!
//! One prompt a demonstration, each completed greedily and by random samples. Asks are asides of the session: recorded like any
//! ask, but no proposals. What an answer holds goes to the pool as soon as it is there; cancelling keeps what has come. A model
//! may also score candidates that are there.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::candidates::Job;
use super::scoring::watched;
use super::task::Driver;
use super::{Level, Notice};
use crate::episode::gate::{Answer, AskSpec, Report, Request};
use crate::episode::{AskId, AskKind};
use crate::model::{Completion, LanguageModel, ModelError, ModelRequest, PromptMessage, ScoreRequest};
use crate::precondition::{CHAT_TEMPLATE, COMPLETION_TEMPLATE, CandidateAsks, CandidateContext, read_completion};

/// Temperature of the random samples.
const TEMPERATURE: f64 = 0.7;
/// Random samples of one ask at most, so that the pool grows while others are still being written.
const CHUNK: u32 = 4;
/// Tokens of a completion at most: a few assertions.
const MAX_TOKENS: u32 = 160;

/// Completions wanted of one prompt.
struct Wanted {
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

/// The end of a scoring of candidates.
pub(super) struct CandidateScores {
    pub(super) ask: AskId,
    pub(super) result: Result<Vec<Completion>, ModelError>,
    ms: u64,
}

/// What is being written.
#[derive(Default)]
pub(super) struct Writing {
    waiting: VecDeque<Wanted>,
    /// The asks under way: the action, and the completions wanted.
    asked: BTreeMap<AskId, (String, u32)>,
    /// The scoring under way: its ask, the action, and the candidates.
    scoring: Option<(AskId, String, Vec<String>)>,
    /// Completions done, and wanted in all.
    done: usize,
    total: usize,
    /// Of those done, how many did not come.
    failed: usize,
}

impl Writing {
    /// The actions something is still being written for.
    pub(super) fn actions(&self) -> BTreeSet<String> {
        let waiting = self.waiting.iter().map(|w| &w.action);
        waiting.chain(self.asked.values().map(|(action, _)| action)).cloned().collect()
    }

    /// What is to be scored by this ask, if it is for scores.
    pub(super) fn to_score(&self, ask: AskId) -> Option<&[String]> {
        self.scoring.as_ref().filter(|(of, ..)| *of == ask).map(|(.., texts)| texts.as_slice())
    }

    /// Whether this ask is for candidates.
    pub(super) fn has(&self, ask: AskId) -> bool {
        self.asked.contains_key(&ask)
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

/// Has a model score the candidates behind the prompt, each with the blank that the prompt leaves to it.
pub(super) async fn score(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    messages: Vec<PromptMessage>,
    texts: Vec<String>,
    cancel: CancellationToken,
    notices: UnboundedSender<Notice>,
) -> CandidateScores {
    let started = Instant::now();
    let request = ScoreRequest { messages, candidates: texts.iter().map(|t| format!(" {t}")).collect() };
    let what = format!("scoring {} candidates:", texts.len());
    let result = watched(model.as_ref(), &request, &what, &cancel, &notices).await;
    CandidateScores { ask, result, ms: u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX) }
}

/// Makes the request of an ask for candidates out of that of an ask for an action: several assertions may follow each other, and
/// a blank line or the next definition ends them.
pub(super) fn shape(request: &mut ModelRequest) {
    request.max_tokens = MAX_TOKENS;
    if !request.stop.is_empty() {
        request.stop = ["\n\n", "\n    def ", "\ndef ", "\nclass "].map(str::to_owned).into();
    }
}

impl Driver {
    /// Begins to have candidates written: for each action and context.
    pub(super) fn write_candidates(&mut self, contexts: Vec<(String, CandidateContext)>) {
        let asks = self.prompting.candidates;
        for (action, context) in &contexts {
            self.writing.want(action, context, asks);
        }
        let actions: BTreeSet<String> = contexts.into_iter().map(|(action, _)| action).collect();
        self.ask_for_candidates();
        // The pools tell that they are growing.
        actions.into_iter().for_each(|action| self.bench(Job::Show(action)));
    }

    /// Asks as long as there is something to ask and not too much under way.
    fn ask_for_candidates(&mut self) {
        while self.writing.asked.len() < self.prompting.candidates.at_once.max(1) {
            let Some(wanted) = self.writing.waiting.pop_front() else { break };
            let name = if self.prompting.raw { COMPLETION_TEMPLATE } else { CHAT_TEMPLATE };
            let prompt = match self.prompting.render(name, &wanted.context) {
                Ok(prompt) => prompt,
                Err(why) => {
                    self.say(Level::Error, why);
                    return self.stop_writing();
                }
            };
            let ask = self.gate.session().next_ask();
            self.writing.asked.insert(ask, (wanted.action.clone(), wanted.n));
            let answer = self.request(Request::AskAside(AskSpec {
                kind: AskKind::Candidates { action: wanted.action.clone() },
                model: self.source.name(),
                prompt: Some(prompt),
                n: wanted.n,
                temperature: wanted.temperature,
            }));
            if let Answer::Refused(_) = answer {
                // A budget is reached, say; a person was told.
                self.writing.asked.remove(&ask);
                return self.stop_writing();
            }
        }
        self.tell_writing();
    }

    /// Takes a model's answer in; `None` if it failed. What is under way beside it goes on; after a failure nothing new is
    /// asked.
    pub(super) fn candidates_written(&mut self, ask: AskId, completions: Option<&[Completion]>) {
        let Some((action, n)) = self.writing.asked.remove(&ask) else { return };
        self.writing.done += n as usize;
        match completions {
            None => {
                self.writing.failed += n as usize;
                let dropped = std::mem::take(&mut self.writing.waiting);
                self.writing.total -= dropped.iter().map(|w| w.n as usize).sum::<usize>().min(self.writing.total);
                self.bench(Job::Show(action));
            }
            Some(completions) => {
                let written = completions.iter().flat_map(|c| read_completion(&c.text)).collect();
                self.bench(Job::TakeIn { action, written });
            }
        }
        self.ask_for_candidates();
    }

    /// Tells how far the writing is; says when it is over.
    fn tell_writing(&mut self) {
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        let what = format!("candidates by {}:", self.source.name());
        self.tell(Notice::Progress { what, done, total });
        if self.writing.asked.is_empty() && self.writing.waiting.is_empty() {
            let read = done.saturating_sub(self.writing.failed);
            self.writing.forget();
            // Where nothing came, the ask's error stands in the message line and says more.
            if read > 0 {
                self.say(
                    Level::Info,
                    format!("{read} completions read; look the candidates over and adopt what is right"),
                );
            }
        }
    }

    /// Has candidates scored by the model in use.
    pub(super) fn score_candidates(&mut self, to_score: ToScore) {
        let ToScore { action, context, texts } = to_score;
        if texts.is_empty() {
            return self
                .say(Level::Info, format!("{action} has no valid candidate that forbids anything; infer some first"));
        }
        // What is scored is text that goes on, whatever the model is otherwise asked in.
        let prompt = match self.prompting.render(COMPLETION_TEMPLATE, &context) {
            Ok(prompt) => prompt,
            Err(why) => return self.say(Level::Error, why),
        };
        let ask = self.gate.session().next_ask();
        let count = texts.len();
        let n = u32::try_from(count).unwrap_or(u32::MAX);
        self.writing.scoring = Some((ask, action.clone(), texts));
        let answer = self.request(Request::AskAside(AskSpec {
            kind: AskKind::CandidateScores { action: action.clone(), n: count },
            model: self.source.name(),
            prompt: Some(prompt),
            n,
            temperature: 0.0,
        }));
        if let Answer::Refused(_) = answer {
            self.writing.scoring = None;
        }
    }

    /// Takes a model's scores in: as the answer of their ask, and beside the candidates.
    pub(super) fn candidates_scored(&mut self, scores: CandidateScores) -> Report {
        let CandidateScores { ask, result, ms } = scores;
        let scored = self.writing.scoring.take_if(|(of, ..)| *of == ask);
        match (result, scored) {
            (Err(error), _) => Report::AskFailed { ask, error: error.to_string() },
            (Ok(completions), scored) => {
                let (action, texts) = scored.map(|(_, action, texts)| (action, texts)).unwrap_or_default();
                let means = texts.into_iter().zip(completions.iter().map(Completion::mean_logprob));
                let scores: Vec<(String, f64)> = means.filter_map(|(text, mean)| Some((text, mean?))).collect();
                let texts = scores.iter().map(|(text, mean)| format!("{mean:.3} {text}")).collect();
                if scores.is_empty() {
                    self.say(Level::Warning, "the model told no log-probability of any candidate");
                } else {
                    self.say(
                        Level::Info,
                        format!(
                            "{} candidates of {action} scored: their mean log-probability a token stands beside them",
                            scores.len()
                        ),
                    );
                }
                self.bench(Job::Scores { action, scores });
                Report::Answered { ask, texts, usage: None, ms, drafts: Vec::new() }
            }
        }
    }

    /// Stops asking; what was written stays in the pools. Whether anything was under way.
    pub(super) fn stop_writing(&mut self) {
        self.writing.scoring = None;
        let actions = self.writing.actions();
        let (done, total) = (self.writing.done, self.writing.total);
        if total == 0 {
            return;
        }
        self.writing.forget();
        self.tell(Notice::Progress { what: String::new(), done: total, total });
        actions.into_iter().for_each(|action| self.bench(Job::Show(action)));
        self.say(Level::Info, format!("stopped after {done} of {total} completions; what they gave is kept"));
    }
}
