//! A session as a trajectory: the branch it was left on, as logs for O3D hold episodes.

use stepwright_trajectory::Step;
use stepwright_trajectory::Trajectory;

use stepwright_episode::{Node, Session};

/// How the notes begin that hold what an agent of a log said or thought after its last action, with the field of the log that holds it.
pub const LAST: [(&str, &str); 3] = [
    ("said_before", "What the agent said after its last action: "),
    ("closing_thought", "The agent's last thought: "),
    ("answer", "The agent's last words: "),
];

/// The model that the last step of the session's line was decided with; the one in use where there is none.
fn decided_with(session: &Session) -> String {
    let line = session.line();
    let last = line.last().filter(|node| node.parent.is_some());
    last.map_or_else(|| session.models(), |node| node.under.model.clone())
}

/// The episode of a session; what was not done (blocked selections) is left out.
pub fn trajectory(session: &Session) -> Trajectory {
    let header = &session.header;
    let line = session.line();
    let thought = |node: &Node| {
        let decision = session.decision_at(node.id)?;
        session.node(node.parent?)?.turn.proposal(decision.proposal())?.rationale.clone()
    };
    let done = line.iter().filter(|node| node.outcome.blocked.is_none());
    let steps = done.filter_map(|node| {
        let action = node.action.as_ref()?.text.clone();
        Some(Step {
            thought: thought(node),
            action,
            observation: Some(node.outcome.observation.clone()),
            ..Step::default()
        })
    });
    let last = line.last().map(|node| &node.outcome);
    let notes = || line.last().into_iter().flat_map(|node| &node.turn.notes);
    let said = LAST.iter().filter_map(|(field, begins)| {
        let words = notes().find_map(|note| note.strip_prefix(begins))?;
        Some(((*field).to_owned(), words.into()))
    });
    Trajectory {
        id: format!("{}-{}", header.task, header.created),
        env: header.world.clone(),
        task_id: Some(header.task.clone().into()),
        task: header.sentence.clone(),
        model: Some(decided_with(session)),
        source: Some("a session of stepwright".to_owned()),
        initial_observation: line.first().map(|node| node.outcome.observation.clone()),
        steps: steps.collect(),
        success: last.filter(|outcome| outcome.won || outcome.done).and_then(|outcome| outcome.reached()),
        score: last.map_or(0.0, |outcome| outcome.reward),
        rest: said.collect(),
        ..Trajectory::default()
    }
}
