//! Steps that prompts show as programs: of demonstrations, with the thoughts they have, and of the session so far.

use crate::reading::written;
use crate::think::{thoughts, thoughts_of_prefix};
use stepwright_episode::{Choice, Node, Session};
use stepwright_program::Call;
use stepwright_trajectory::{Step, program};
use stepwright_world::demonstration::Demonstration;

pub fn of_demonstration(recorded: &Demonstration, think: bool) -> String {
    let opening = recorded.header.opening();
    if !think {
        return program::write(&opening, &recorded.steps, false, 0);
    }
    let steps = recorded.steps.iter().zip(thoughts(recorded)).map(|(step, thought)| Step { thought, ..step.clone() });
    program::write(&opening, &steps.collect::<Vec<_>>(), true, 0)
}

/// A session's steps to its cursor, the reset first. `actions` are the agent's, as `system.OFFER`: where the reset already holds some,
/// as where a dialogue is continued in its midst, they come with the thoughts that demonstrations have.
pub(super) fn of_session(session: &Session, actions: &[String]) -> Vec<Step> {
    let path = session.path(session.cursor());
    let mut steps: Vec<Step> = Vec::new();
    let mut rest = 0;
    if let Some(reset) = path.first() {
        let prefix = prefix(calls_of(reset), actions);
        if !prefix.is_empty() {
            steps.extend(prefix);
            rest = 1;
        }
    }
    steps.extend(path.iter().enumerate().skip(rest).map(|(i, node)| {
        let parent = i.checked_sub(1).and_then(|before| path.get(before));
        let mut calls = calls_of(node);
        let own = node.action.as_ref().and_then(|a| a.call.as_ref()?.parse::<Call>().ok());
        let call = (own.is_some() && calls.first() == own.as_ref()).then(|| calls.remove(0));
        let thoughts = parent.map(|p| thoughts_of(p, node)).unwrap_or_default();
        let thought = (!thoughts.is_empty()).then(|| thoughts.join("\n"));
        Step { thought, call, calls, ..Step::default() }
    }));
    steps
}

fn calls_of(node: &Node) -> Vec<Call> {
    node.outcome.calls.iter().filter_map(|call| call.parse().ok()).collect()
}

/// Calls that were made before the session began, in steps; none where no action is among them.
fn prefix(calls: Vec<Call>, actions: &[String]) -> Vec<Step> {
    let is_action = |call: &Call| actions.iter().any(|a| *a == format!("{}.{}", call.receiver, call.function));
    if !calls.iter().any(is_action) {
        return Vec::new();
    }
    let thoughts = thoughts_of_prefix(&calls, is_action);
    let mut steps = vec![Step::default()];
    for (call, thought) in calls.into_iter().zip(thoughts) {
        if is_action(&call) {
            steps.push(Step { thought, call: Some(call), ..Step::default() });
        } else if let Some(last) = steps.last_mut() {
            last.calls.push(call);
        }
    }
    steps
}

/// The model's thoughts before the action that led from a node to its child. A person's own action has no thoughts, nor
/// has one that a person edited.
fn thoughts_of(parent: &Node, child: &Node) -> Vec<String> {
    let decision = child.decision.and_then(|id| parent.turn.decision(id));
    let Some(Choice::Approve { proposal }) = decision.map(|d| &d.choice) else { return Vec::new() };
    let raw = parent.turn.proposal(*proposal).map_or("", |p| p.raw.as_str());
    written(raw).thoughts.into_iter().map(|t| t.split_whitespace().collect::<Vec<_>>().join(" ")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_recorded_beginning_has_the_thoughts_of_demonstrations() {
        let texts =
            ["user.INFORM('city')", "user.REQUEST('fare')", "system.FindBus()", "system.set_query_status(True)"];
        let texts: Vec<&str> = texts.into_iter().chain(["system.INFORM('fare')", "user.GOODBYE()"]).collect();
        let calls: Vec<Call> = texts.iter().map(|text| text.parse().unwrap()).collect();
        let actions = ["system.FindBus", "system.INFORM"].map(str::to_owned);
        let (opening, steps) = (["def f():".to_owned()], prefix(calls.clone(), &actions));
        let plain: String = texts.iter().map(|c| format!("    {c}\n")).collect();
        assert_eq!(program::write(&opening, &steps, false, 0), format!("def f():\n{plain}"));
        assert_eq!(steps.iter().map(|s| s.calls.len()).sum::<usize>(), 4, "what the agent did is never left out");
        let thinking = program::write(&opening, &steps, true, 0);
        let thought = "    # think: I answer the user: INFORM('city'), REQUEST('fare').\n    system.FindBus()\n";
        assert!(thinking.contains(thought) && thinking.matches("# think").count() == 1, "{thinking}");
        assert!(prefix(calls[..2].to_vec(), &actions).is_empty(), "only what the other party said");
    }
}
