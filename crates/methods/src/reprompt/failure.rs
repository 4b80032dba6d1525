//! The failure at hand: the step that the world refused, or that a failing assertion kept from being tried, with its type and cause.

use stepwright_episode::{CheckKind, Node, Status, Verdict};
use stepwright_method::Context;
use stepwright_world::{Refusal, Wording};

/// The number of the type of errors that fit no other, in the paper's list.
const OTHER: u8 = 10;

/// Why the world refused the step that led to the cursor: in its own words where it says them, else the assertions that failed, else what
/// blocks it where that is checked, else its message.
pub fn refused(cx: &Context<'_>, node: &Node, wording: Wording) -> Option<Refusal> {
    let error = node.outcome.error.as_ref()?;
    let action = node.action.as_ref()?;
    let language = cx.world.language();
    if let Some(refusal) = language.and_then(|language| language.refusal(&action.text, wording)) {
        return Some(refusal);
    }
    let step = language.and_then(|language| language.words_of(&action.text)).unwrap_or_else(|| action.text.clone());
    let failing = cx.session.verdict_at(node.id).and_then(|verdict| cause(verdict).or_else(|| blocking(verdict)));
    let message = error.split_whitespace().collect::<Vec<_>>().join(" ");
    let cause = failing.unwrap_or_else(|| message.trim_end_matches('.').to_owned());
    Some(Refusal { number: OTHER, kind: "other_precondition".to_owned(), reason: message, step, cause })
}

/// Why an assertion keeps a step from being tried; `None` where none fails.
pub(crate) fn vetoed(verdict: &Verdict, step: &str) -> Option<Refusal> {
    let cause = cause(verdict)?;
    Some(Refusal {
        number: OTHER,
        kind: "other_precondition".to_owned(),
        reason: format!("before it was tried: {cause}"),
        step: step.to_owned(),
        cause,
    })
}

fn cause(verdict: &Verdict) -> Option<String> {
    let failing = verdict.checks.iter().filter(|c| c.kind == CheckKind::Precondition && c.status == Status::Fails);
    let conditions: Vec<String> = failing.map(|check| format!("`{}` does not hold", check.condition)).collect();
    (!conditions.is_empty()).then(|| conditions.join(" and "))
}

/// The conditions that block it, in the words of the world's domain.
fn blocking(verdict: &Verdict) -> Option<String> {
    let failing = verdict.checks.iter().filter(|c| c.kind == CheckKind::Blocking && c.status == Status::Fails);
    let conditions: Vec<String> = failing.map(|check| check.condition.clone()).collect();
    (!conditions.is_empty()).then(|| conditions.join(" and "))
}
