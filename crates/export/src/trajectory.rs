//! A session as a trajectory: the branch it was left on, as logs for O3D hold episodes.

use stepwright_trajectory::react::{is_thought, words_of};
use stepwright_trajectory::{Step, Trajectory};

use stepwright_episode::{Node, Session, StepOutcome};

/// How an episode is rewarded, by its outcomes, the reset's first: the world's own.
pub type Reward = fn(&[&StepOutcome]) -> f64;

/// The sum of the steps' rewards, as most worlds have it.
pub(crate) const SUM: Reward = StepOutcome::total;

/// The field of a trajectory that holds what was thought after the last action.
const CLOSING: &str = "closing_thought";

/// How the notes begin that hold what an agent of a log said or thought after its last action, with the field of the log that holds it.
pub const LAST: [(&str, &str); 3] = [
    ("said_before", "What the agent said after its last action: "),
    (CLOSING, "The agent's last thought: "),
    ("answer", "The agent's last words: "),
];

/// The model that the last step of the session's line was decided with; the one in use where there is none.
fn decided_with(session: &Session) -> String {
    let line = session.line();
    let last = line.last().filter(|node| node.parent.is_some());
    last.map_or_else(|| session.models(), |node| node.under.model.clone())
}

/// The words of a line that executed nothing.
fn words(line: &str) -> &str {
    if is_thought(line) { words_of(line) } else { line }
}

/// The steps of a line of nodes, and what was thought after the last of them. Lines that executed nothing (thoughts, calls of skills, reports)
/// are no actions: they stand before the next one as what was thought.
fn steps(session: &Session, line: &[&Node]) -> (Vec<Step>, String) {
    let rationale = |node: &Node| {
        let decision = session.decision_at(node.id)?;
        session.node(node.parent?)?.turn.proposal(decision.proposal())?.rationale.clone()
    };
    let (mut steps, mut thoughts) = (Vec::new(), Vec::new());
    for node in line.iter().filter(|node| node.outcome.blocked.is_none()) {
        let Some(action) = &node.action else { continue };
        let own = rationale(node);
        if node.outcome.held.is_some() {
            thoughts.extend(own);
            thoughts.push(words(&action.text).to_owned());
            continue;
        }
        let thought =
            if thoughts.is_empty() { own } else { Some(thoughts.drain(..).chain(own).collect::<Vec<_>>().join("\n")) };
        let (action, observation) = (action.text.clone(), Some(node.outcome.observation.clone()));
        steps.push(Step { thought, action, observation, ..Step::default() });
    }
    (steps, thoughts.join("\n"))
}

/// The episode of a session, rewarded as its world does; what was not done (blocked selections, thoughts) is no step of it.
pub fn trajectory(session: &Session, reward: Reward) -> Trajectory {
    let header = &session.header;
    let line = session.line();
    let (steps, closing) = steps(session, &line);
    let last = line.last().map(|node| &node.outcome);
    let outcomes: Vec<&StepOutcome> = line.iter().map(|node| &*node.outcome).collect();
    let notes = || line.last().into_iter().flat_map(|node| &node.turn.notes);
    let said = LAST.iter().filter_map(|(field, begins)| {
        let words = notes().find_map(|note| note.strip_prefix(begins))?;
        Some(((*field).to_owned(), words.into()))
    });
    let closing = Some(closing).filter(|closing| !closing.is_empty());
    Trajectory {
        id: format!("{}-{}", header.task, header.created),
        env: header.world.clone(),
        task_id: Some(header.task.clone().into()),
        task: header.sentence.clone(),
        model: Some(decided_with(session)),
        source: Some("a session of stepwright".to_owned()),
        initial_observation: line.first().map(|node| node.outcome.observation.clone()),
        steps,
        success: last.filter(|outcome| outcome.won || outcome.done).and_then(|outcome| outcome.reached()),
        score: reward(&outcomes),
        rest: closing
            .map(|closing| (CLOSING.to_owned(), serde_json::Value::from(closing)))
            .into_iter()
            .chain(said)
            .collect(),
        ..Trajectory::default()
    }
}
