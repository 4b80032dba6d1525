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
use crate::method::probabilities;
use crate::model::{Completion, LanguageModel, ModelError, ScoreRequest};
use crate::program::{Call, Declarations};
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
    let what = format!("scoring {} actions", candidates.len());
    let result = watched(model.as_ref(), &request, &what, &cancel, &notices).await;
    let ms = u64::try_from(started.elapsed().as_millis()).unwrap_or(u64::MAX);
    Scores { ask, result, candidates, ms }
}

impl Scores {
    /// As a report to the gate, the likeliest first.
    pub(super) fn report(self) -> Report {
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
        let mut ranked: Vec<(Candidate, f64, f64)> = candidates
            .into_iter()
            .zip(probabilities(&means))
            .zip(means)
            .map(|((candidate, probability), mean)| (candidate, probability, mean))
            .collect();
        ranked.sort_by(|a, b| b.2.total_cmp(&a.2));
        let drafts = ranked.into_iter().take(KEPT).map(|(candidate, probability, mean)| Draft {
            raw: candidate.line,
            action: Some(candidate.action),
            problem: None,
            origin: Origin::Scored,
            score: Some(probability),
            logprob: Some(mean),
            rationale: None,
        });
        Report::Answered { ask, texts, usage: None, ms, drafts: drafts.collect() }
    }
}
