//! The methods' plan, for panes and exports: the plan with each step's fate, and the candidates of the step at hand with their
//! figures side by side.

use stepwright_plan::written::spelled;

use super::options::{self, OnError};
use super::plan_history::{PlanHistory, Role};
use super::record;
use stepwright_episode::{Node, NodeId, Turn};
use stepwright_method::publications::SETTINGS;
use stepwright_method::{Place, Section, SectionLine, StepStatus, folded};

/// The figures of a plan: corrective prompts that were sent or steps sampled again, and errors.
const CORRECTIONS: &str = "corrections";
const ERRORS: &str = "errors";

/// Width of the column of admissible steps.
const STEP: usize = 22;

pub fn rows(at: &Place<'_>, on_error: OnError) -> Vec<Section> {
    let path = at.path();
    let settings = at.session.options.get(SETTINGS.key).map_or(SETTINGS.default, String::as_str);
    plan(&path, on_error, options::skips(settings))
        .into_iter()
        .chain(path.last().and_then(|node| candidates(node)))
        .collect()
}

/// What a plan waits for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Due {
    /// Its next line.
    Line,
    /// What corrects the step that failed, where that is known already: the plan goes on after it.
    Correction(Option<String>),
}

fn plan(path: &[&Node], on_error: OnError, skips: bool) -> Option<Section> {
    let found = record::example(path).map(|(_, found)| found);
    let course = folded(PlanHistory::new(on_error, skips), path);
    let left = found.as_ref().and_then(|found| found.fitted.get(course.line..)).unwrap_or_default();
    let due = match on_error != OnError::GoOn && course.failed() {
        true => Due::Correction(path.last().and_then(|node| correction(&node.turn))),
        false => Due::Line,
    };
    let (at, lines) = lines(&course, left, due);
    if lines.is_empty() {
        return None;
    }
    let corrections = match course.corrections {
        0 => String::new(),
        n => format!(" ({})", stepwright_text::words::count(n, "correction")),
    };
    Some(Section {
        title: format!("plan{corrections}"),
        made_at: made_at(path),
        at: at.min(lines.len() - 1),
        lines,
        figures: vec![(CORRECTIONS, course.corrections as f64), (ERRORS, course.errors as f64)],
        ..Section::default()
    })
}

/// The plan with each step's fate, and the place of what comes next: the steps that were tried, the correction that is due, the lines `left`.
pub(super) fn lines(course: &PlanHistory, left: &[String], due: Due) -> (usize, Vec<SectionLine>) {
    let mut lines: Vec<SectionLine> = Vec::new();
    for (at, attempt) in course.attempts.iter().enumerate() {
        let by = if attempt.by_person { ", by a person" } else { "" };
        let what = if attempt.role == Role::Correction { "correction: " } else { "" };
        let error = attempt.error.as_deref().map(|error| format!(" ({error})")).unwrap_or_default();
        lines.push(SectionLine { text: format!("{what}{}{by}{error}", attempt.step), mark: course.fate(at) });
    }
    let at = lines.len();
    if let Due::Correction(Some(step)) = &due {
        lines.push(SectionLine { text: format!("correction: {step}"), mark: StepStatus::Next });
    }
    lines.extend(left.iter().enumerate().map(|(nth, step)| SectionLine {
        text: step.clone(),
        mark: if nth == 0 && due == Due::Line { StepStatus::Next } else { StepStatus::Open },
    }));
    (at, lines)
}

/// The step that is offered in place of the one that failed, or before it: the recommended one where that is a correction.
fn correction(turn: &Turn) -> Option<String> {
    let after = record::prompts(turn).next_back().and_then(record::Corrective::of).map_or(0, |prompt| prompt.after);
    let ask = turn.asks.iter().rfind(|ask| ask.kind == record::corrected() && ask.id >= after)?;
    let recommended = turn.recommended.as_ref().and_then(|(id, _)| turn.proposal((*id)?));
    let recommended = recommended.filter(|proposal| proposal.ask == Some(ask.id));
    let offered = recommended.and_then(|proposal| record::candidate(turn, proposal));
    let offered = offered.or_else(|| record::candidates(ask).into_iter().next())?;
    Some(spelled(&offered.candidate.step))
}

fn made_at(path: &[&Node]) -> NodeId {
    let found = path.iter().find(|node| node.turn.asks.iter().any(|ask| ask.kind == record::retrieval()));
    found.map_or(0, |node| node.id)
}

/// The last translation at a node: the step that a sentence leads to, similarity, log-probability where the model gives any, score, the
/// sentence.
fn candidates(node: &Node) -> Option<Section> {
    let ask =
        node.turn.asks.iter().rfind(|ask| ask.kind == record::translation() || ask.kind == record::corrected())?;
    let all = record::candidates(ask);
    let likely = all.iter().any(|offered| offered.candidate.logprob.is_some());
    let line = |offered: record::Offered| {
        let of = offered.candidate;
        let logprob = match of.logprob {
            Some(logprob) => format!("P {logprob:6.2}  "),
            None if likely => format!("P {:>6}  ", "-"),
            None => String::new(),
        };
        let text = format!(
            "{:<STEP$} C {:4.2}  {logprob}S {:5.2}  {}",
            spelled(&of.step),
            of.similarity,
            of.score,
            of.sentence
        );
        SectionLine { text, mark: StepStatus::Open }
    };
    let lines: Vec<SectionLine> = all.into_iter().map(line).collect();
    let logprob = if likely { ", log-probability P" } else { "" };
    let title = format!("admissible steps: similarity C{logprob}, score S, and as written");
    (!lines.is_empty()).then_some(Section { title, made_at: node.id, lines, ..Section::default() })
}
