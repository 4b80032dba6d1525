//! Scoring: every admissible action as the program's next line, by the model's own log-probabilities.
//!
//! The candidates are the world's admissible actions that have a call, and the end of the agent's turn where others speak. What
//! the model tells is sorted into proposals; what has no log-probability is never given one.

use std::sync::Arc;
use std::time::Instant;

use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::Notice;
use super::prompting::{LEAD, foreign_receivers};
use crate::episode::gate::{AskSpec, Draft, Report};
use crate::episode::{Action, AskId, Origin};
use crate::method::{Likelihood, probabilities};
use crate::model::{Completion, LanguageModel, ModelError, ScoreRequest};
use crate::program::{Call, Declarations};
use crate::words::count;
use crate::world::World;

/// Most actions scored at a step.
pub(super) const MOST: usize = 200;
/// Most proposals made of them, the likeliest.
const KEPT: usize = 64;

/// An action to be scored.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidate {
    /// The line as it is scored.
    line: String,
    /// The action it is.
    action: Action,
}

impl Candidate {
    /// An action with the line that is scored for it.
    pub(super) fn new(line: String, action: Action) -> Self {
        Candidate { line, action }
    }
}

/// All actions to be scored, and what is to be said of the choice.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Candidates {
    pub(super) list: Vec<Candidate>,
    /// What was left out, in words.
    pub(super) note: Option<String>,
}

/// The object whose call means that the agent's turn is over, with the action it is read as.
pub(super) fn turn_end(world: &dyn World, declarations: &Declarations) -> Option<(String, Action)> {
    let foreign = foreign_receivers(declarations);
    foreign.into_iter().find_map(|(receiver, function)| {
        let call = Call { receiver: receiver.clone(), function, args: Vec::new() };
        let text = world.text_of(&call)?;
        Some((receiver, Action { text, call: None }))
    })
}

/// The candidates at the cursor.
///
/// # Errors
/// Where the world lists no actions, or none that has a call: in words.
pub(super) fn candidates(world: &dyn World, declarations: &Declarations) -> Result<Candidates, String> {
    let Some(admissible) = world.admissible() else {
        return Err(format!(
            "the world {} lists no admissible actions, so there is nothing to score; choose a method that lets the model write",
            world.name()
        ));
    };
    let mut list: Vec<Candidate> = Vec::new();
    for text in admissible {
        let Some(call) = world.call_of(&text).map(|c| c.to_string()) else { continue };
        // Two wordings of one call are one line of the program.
        if !list.iter().any(|c| c.line == call) {
            list.push(Candidate { line: call.clone(), action: Action { text, call: Some(call) } });
        }
    }
    let all = list.len();
    list.truncate(MOST);
    let note = (all > MOST).then(|| format!("{all} actions are admissible; the first {MOST} of them are scored"));
    if let Some((receiver, action)) = turn_end(world, declarations) {
        list.push(Candidate { line: format!("{receiver}."), action });
    }
    if list.is_empty() {
        return Err("no admissible action has a call to be scored; type an action".to_owned());
    }
    Ok(Candidates { list, note })
}

/// The end of a scoring.
#[derive(Debug)]
pub(super) struct Scores {
    pub(super) ask: AskId,
    pub(super) result: Result<Vec<Completion>, ModelError>,
    candidates: Vec<Candidate>,
    ms: u64,
}

/// Has texts scored, telling the watchers how far it is; `done == total` comes last, however it ended.
pub(super) async fn watched(
    model: &dyn LanguageModel,
    request: &ScoreRequest,
    what: &str,
    cancel: &CancellationToken,
    notices: &UnboundedSender<Notice>,
) -> Result<Vec<Completion>, ModelError> {
    let total = request.candidates.len();
    let progress = |done: usize| {
        let _ = notices.send(Notice::Progress { what: what.to_owned(), done, total });
    };
    let (sender, mut done) = unbounded_channel();
    progress(0);
    let result = {
        let scoring = model.score_watched(request, &sender, cancel);
        tokio::pin!(scoring);
        loop {
            tokio::select! {
                result = &mut scoring => break result,
                // A model that is slow to notice must not keep the person waiting.
                () = cancel.cancelled() => break Err(ModelError::Cancelled),
                Some(done) = done.recv() => if done < total { progress(done) },
            }
        }
    };
    progress(total);
    result
}

/// Has the candidates scored, telling how far it is.
pub(super) async fn score(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    spec: AskSpec,
    candidates: Vec<Candidate>,
    cancel: CancellationToken,
    notices: UnboundedSender<Notice>,
) -> Scores {
    let started = Instant::now();
    let request = ScoreRequest {
        messages: spec.prompt.map(|p| p.messages).unwrap_or_default(),
        candidates: candidates.iter().map(|c| format!("{LEAD}{}", c.line)).collect(),
    };
    let what = format!("scoring {}", count(candidates.len(), "action"));
    let result = watched(model.as_ref(), &request, &what, &cancel, &notices).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Scores { ask, result, candidates, ms }
}

/// A scored candidate.
struct Ranked {
    candidate: Candidate,
    probability: f64,
    /// What ranks it.
    by: f64,
    mean: f64,
    sum: f64,
    tokens: usize,
}

impl Ranked {
    fn draft(self, likelihood: Likelihood) -> Draft {
        let Ranked { candidate, probability, mean, sum, tokens, .. } = self;
        let tokens = count(tokens, "token");
        Draft {
            raw: candidate.line,
            action: Some(candidate.action),
            problem: None,
            origin: Origin::Scored,
            score: Some(probability),
            logprob: Some(mean),
            rationale: Some(match likelihood {
                Likelihood::Mean => format!("ranked by the mean log-probability of its {tokens}: {mean:.3}"),
                Likelihood::Sum => format!("ranked by the sum of the log-probabilities of its {tokens}: {sum:.3}"),
            }),
        }
    }
}

impl Scores {
    /// As a report to the gate, the likeliest first.
    pub(super) fn report(self, likelihood: Likelihood) -> Report {
        let Scores { ask, result, candidates, ms } = self;
        let completions = match result {
            Ok(completions) => completions,
            Err(error) => return Report::AskFailed { ask, error: error.to_string() },
        };
        let means: Vec<f64> = completions.iter().filter_map(Completion::mean_logprob).collect();
        if means.len() != candidates.len() || means.iter().any(|m| m.is_nan()) {
            let error = format!(
                "the model told log-probabilities of {} of {} actions; nothing is made of them",
                means.len(),
                candidates.len()
            );
            return Report::AskFailed { ask, error };
        }
        let texts = candidates.iter().map(|c| c.line.clone()).collect();
        let sums: Vec<f64> = completions.iter().filter_map(Completion::sum_logprob).collect();
        let ranking = match likelihood {
            Likelihood::Mean => &means,
            Likelihood::Sum => &sums,
        };
        let mut ranked: Vec<Ranked> = candidates
            .into_iter()
            .zip(&completions)
            .zip(ranking.iter().zip(probabilities(ranking)))
            .zip(means.iter().zip(&sums))
            .map(|(((candidate, completion), (by, probability)), (mean, sum))| {
                let tokens = completion.tokens.len();
                let (mean, sum, by) = (*mean, *sum, *by);
                Ranked { candidate, probability, by, mean, sum, tokens }
            })
            .collect();
        ranked.sort_by(|a, b| b.by.total_cmp(&a.by));
        let drafts = ranked.into_iter().take(KEPT).map(|one| one.draft(likelihood));
        Report::Answered { ask, texts, usage: None, ms, drafts: drafts.collect() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::model::TokenLogprob;

    fn scored(likelihood: Likelihood) -> Vec<(String, f64, Option<String>)> {
        let line = |line: &str| Candidate {
            line: line.to_owned(),
            action: Action { text: line.to_owned(), call: Some(line.to_owned()) },
        };
        let completion = |tokens: &[f64]| Completion {
            tokens: tokens.iter().map(|l| TokenLogprob { token: String::new(), logprob: *l }).collect(),
            ..Completion::default()
        };
        // The long one is likelier by the mean, the short one by the sum.
        let completions = vec![completion(&[-1.0, -1.0, -1.0, -1.0]), completion(&[-2.0])];
        let scores = Scores { ask: 1, result: Ok(completions), candidates: vec![line("long"), line("short")], ms: 0 };
        match scores.report(likelihood) {
            Report::Answered { drafts, .. } => {
                drafts.into_iter().map(|d| (d.raw, d.score.unwrap_or_default(), d.rationale)).collect()
            }
            other => unreachable!("{other:?}"),
        }
    }

    #[test]
    fn the_mean_or_the_sum_ranks_and_is_told() {
        let by_mean = scored(Likelihood::Mean);
        assert_eq!(by_mean[0].0, "long");
        assert!((by_mean[0].1 / by_mean[1].1 - 1f64.exp()).abs() < 1e-9, "{by_mean:?}");
        assert_eq!(by_mean[0].2.as_deref(), Some("ranked by the mean log-probability of its 4 tokens: -1.000"));
        let by_sum = scored(Likelihood::Sum);
        assert_eq!(by_sum[0].0, "short");
        assert!((by_sum[0].1 / by_sum[1].1 - 2f64.exp()).abs() < 1e-9, "{by_sum:?}");
        assert_eq!(by_sum[1].2.as_deref(), Some("ranked by the sum of the log-probabilities of its 4 tokens: -4.000"));
    }
}
