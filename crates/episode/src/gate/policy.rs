//! Policy. Decides when the gate decides by itself; pure functions of the session.

use super::super::decision::Policy;
use super::super::proposal::{Action, CheckKind, Mark, Proposal, Verdict};
use super::super::session::Session;
use super::super::shape::Shape;
use super::AskSpec;
use stepwright_text::words::count;

/// The policy's verdict on a recommended proposal.
#[derive(Debug, Clone, PartialEq)]
pub enum PolicyOutcome {
    /// A person decides; nothing was to be decided automatically.
    Person,
    /// The policy takes it; the rule in words.
    Take(String),
    /// The policy stops here; why.
    Stop(String),
}

/// Rules on a recommended proposal after `taken` automatic steps; in place of none, why.
pub fn rule(
    policy: &Policy,
    taken: u32,
    spent: u64,
    proposal: Result<&Proposal, &str>,
    verdict: Option<&Verdict>,
) -> PolicyOutcome {
    if !policy.is_automatic() {
        return PolicyOutcome::Person;
    }
    if taken >= policy.steps {
        return PolicyOutcome::Stop(steps_used(policy.steps));
    }
    if let Some(why) = over_budget(policy, spent) {
        return PolicyOutcome::Stop(why);
    }
    let proposal = match proposal {
        Ok(proposal) => proposal,
        Err(why) => return PolicyOutcome::Stop(format!("{NO_PROPOSAL}{why}")),
    };
    let Some(action) = &proposal.action else {
        return PolicyOutcome::Stop(NO_ACTION.to_owned());
    };
    let mark = verdict.map_or(Mark::NotChecked, Verdict::mark);
    if policy.until_fails {
        match mark {
            // A blocked selection executes nothing: only the blocking tree grows.
            Mark::Holds | Mark::Blocked => {}
            Mark::Fails => return PolicyOutcome::Stop(failing(action, verdict)),
            Mark::Unknown => return PolicyOutcome::Stop(format!("not all checks of `{}` can be decided", action.text)),
            Mark::NotChecked => return PolicyOutcome::Stop(format!("nothing could be checked of `{}`", action.text)),
        }
    }
    if let Some(until) = &policy.until_action
        && names(action, until)
    {
        return PolicyOutcome::Stop(format!("`{}` is next (stop before `{until}`)", action.text));
    }
    let which = match policy.steps {
        Policy::TO_THE_END => "running to the end".to_owned(),
        steps => format!("{STEP} {} of {steps}", taken + 1),
    };
    PolicyOutcome::Take(match mark {
        Mark::Holds if policy.until_fails => format!("every check holds, {which}"),
        // It counts as no step.
        Mark::Blocked => "blocked, so that nothing is executed".to_owned(),
        _ => which,
    })
}

/// How the number of an automatic step begins.
const STEP: &str = "automatic step";

/// A rule in words without the number of the step: that is the next step's where nothing was executed.
pub fn without_number(why: &str) -> &str {
    match why.split_once(STEP) {
        Some(("", _)) => "",
        // Earlier versions put a number before these words as well.
        Some((before, _)) => before.strip_suffix(", ").unwrap_or(why),
        None => why,
    }
}

/// How the reason begins why nothing could be taken.
pub const NO_PROPOSAL: &str = "there is no proposal to take: ";
const NO_ACTION: &str = "the recommended proposal is no action";

/// How the reason begins where the episode is over, the goal not reached.
pub const OVER: &str = "the episode is over";

/// Whether a reason to stop tells which proposal is recommended, or what became of its checks: it names an action then.
pub fn tells(why: &str) -> bool {
    why.contains('`') && !why.starts_with(OVER) || why.starts_with(NO_PROPOSAL) || why == NO_ACTION
}

/// Why no model may be asked under the budget, if so.
pub(crate) fn over_budget(policy: &Policy, spent: u64) -> Option<String> {
    let budget = policy.token_budget?;
    (spent >= budget).then(|| {
        format!("the budget of {} is reached ({spent} spent); set a new limit to go on", count(budget, "token"))
    })
}

/// Bytes of a request a token, at least.
const BYTES: u64 = 4;

/// Why a model may not be asked this: the budget is reached, or the prompts alone would pass it, where their length is known.
pub(crate) fn would_pass(policy: &Policy, spent: u64, spec: &AskSpec) -> Option<String> {
    let length = match &spec.shape {
        Shape::Relay(relayed) => relayed.body.len() as u64 / BYTES * u64::from(spec.n),
        _ => 0,
    };
    let would = spent.saturating_add(length);
    over_budget(policy, spent).or_else(|| {
        let budget = policy.token_budget.filter(|budget| would > *budget)?;
        let budget = count(budget, "token");
        Some(format!("the request of about {length} tokens would pass the budget of {budget} ({spent} spent); set a new limit to go on"))
    })
}

/// Tokens spent in a session.
pub fn spent(session: &Session) -> u64 {
    session.spent.prompt.saturating_add(session.spent.completion)
}

/// The words for a used-up allowance.
pub(crate) fn steps_used(steps: u32) -> String {
    format!("{} taken", count(steps, STEP))
}

fn failing(action: &Action, verdict: Option<&Verdict>) -> String {
    let of = |world: bool| {
        verdict.into_iter().flat_map(|v| v.failing()).filter(move |c| (c.kind == CheckKind::World) == world)
    };
    let own = of(false).map(|c| c.condition.as_str()).collect::<Vec<_>>().join(", ");
    match (own.as_str(), of(true).next()) {
        ("", Some(_)) => format!("the world would refuse `{}`", action.text),
        (own, Some(_)) => format!("`{}` fails {own}, and the world would refuse it", action.text),
        (own, None) => format!("`{}` fails {own}", action.text),
    }
}

/// Whether `until` names the action: its text, what it is (`call`), its call, or its call's function.
fn names(action: &Action, until: &str) -> bool {
    let until = until.trim();
    let is_called =
        |call: &str| call == until || call.split('(').next().and_then(|f| f.rsplit('.').next()) == Some(until);
    // Lines that execute nothing begin with what they are (`call: find(mug)`).
    let what = action.text.split_once(": ").map(|(what, _)| what);
    action.text == until || what == Some(until) || action.calls().any(is_called)
}
