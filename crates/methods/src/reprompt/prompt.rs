//! Prompts: the example, the task with its steps so far, and after an error the failed step with the error line below it.

use serde::Serialize;

use super::options::{INFORMATION, STEP};
use super::plan_history::PlanHistory;
use super::record::Corrective;
use stepwright_episode::PromptRecord;
use stepwright_method::Context;
use stepwright_world::Refusal;

#[derive(Serialize)]
struct Plan<'a> {
    example: &'a str,
    task: &'a str,
    steps: &'a [String],
    number: usize,
    failed: Option<Failed<'a>>,
    /// Whether the model writes the number of the next step itself.
    numbers: bool,
    /// Whether the first step corrected one; the published program loses its number then, which only templates of one's own do.
    unlabelled: bool,
}

#[derive(Serialize)]
struct Failed<'a> {
    step: &'a str,
    error: &'a str,
}

#[derive(Serialize)]
struct Error<'a> {
    step: &'a str,
    cause: &'a str,
    reason: &'a str,
}

/// The task as prompts name it: in the world's few words where it has some, else the goal as stated.
pub fn task(cx: &Context<'_>) -> String {
    let stated = || cx.session.header.sentence.split_whitespace().collect::<Vec<_>>().join(" ");
    cx.world.language().map_or_else(stated, |language| language.task())
}

/// The prompt for the next step, or for the correction of a failed one: then without the example, as published. With `all` refused steps
/// stand in it, and `numbers` says whether the model writes the number itself.
pub fn plan(
    cx: &Context<'_>,
    example: &str,
    course: &PlanHistory,
    (all, numbers): (bool, bool),
    failed: Option<&Corrective>,
) -> Result<PromptRecord, String> {
    let example = if failed.is_some() { "" } else { example };
    let failed = failed.map(|failed| Failed { step: &failed.step, error: &failed.prompt });
    let steps = &course.steps(all);
    let unlabelled = course.begins_with_correction();
    let plan = Plan { example, task: &task(cx), steps, number: steps.len() + 1, failed, numbers, unlabelled };
    cx.render(STEP, "reprompt/plan", &plan)
}

/// The error line of a refused step, with the type and reason of the error. `kept` is the action that an assertion kept from being tried.
pub fn corrective(cx: &Context<'_>, refusal: &Refusal, kept: Option<&str>) -> Result<Corrective, String> {
    let name = format!("reprompt/{}", cx.options().text(&INFORMATION));
    let error = Error { step: &refusal.step, cause: &refusal.cause, reason: &refusal.reason };
    let rendered = cx.prompting.render(&name, &error)?;
    let prompt = rendered.messages.first().map(|message| message.text.clone()).unwrap_or_default();
    Ok(Corrective {
        prompt,
        step: refusal.step.clone(),
        number: refusal.number,
        kind: refusal.kind.clone(),
        reason: refusal.reason.clone(),
        veto: kept.is_some(),
        action: kept.unwrap_or_default().to_owned(),
        after: cx.session.next_ask(),
    })
}
