//! The decisions of a file: of each the state (what was called before it), the action, and what the world, a person and the outcome of
//! its episode said of it. An action is one call: of several that were taken at once each is a decision.

use std::collections::BTreeSet;

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use super::calls::{Actions, Called};
use stepwright_episode::{Actor, Choice, Header, NodeId, ProposalId, Session, StepOutcome};
use stepwright_program::Call;
use stepwright_trajectory::{Step, Trajectory};
use stepwright_world::{WorldKind, transcript_of};

/// The index of a file: texts once, the rest by their numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Contents {
    pub specifications: Vec<String>,
    pub calls: Vec<String>,
    pub episodes: Vec<Episode>,
    /// Of a session what it is known by, in whatever file it is: when it was begun, and with what. Empty for logs.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub session: String,
    /// What could not be read, in words.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub problems: Vec<String>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Episode {
    /// The id in its file; empty for the session that a file is.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub id: String,
    /// The world's name; empty where no world is known for it.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub world: String,
    /// Its place among the file's.
    pub specification: u32,
    /// The places that it was at, as the nodes of a session: parents before children.
    pub nodes: Vec<Node>,
    pub decisions: Vec<Decision>,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Node {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub parent: Option<u32>,
    /// What arriving here added to the program, by the calls' places among the file's.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub calls: Vec<u32>,
    /// Whether nobody wrote down what was observed here, so that the state from here on is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub silent: bool,
}

#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Decision {
    /// The node at which it was taken.
    pub node: u32,
    /// The action as a call, by its place among the file's.
    pub call: u32,
    /// The action as the world writes it; of several that were taken at once the call, or the line that it is.
    pub text: String,
    /// The calls before it that were taken at once with it, by their places among the file's: its state is that after them.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub earlier: Vec<u32>,
    /// Whether it was taken at once with others, so that the state right after it is not known.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub at_once: bool,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
    /// Whether it was taken on another branch than the one that the session is on.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub aside: bool,
    /// Whether the world did it, and what was observed then is written down.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub accepted: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub person: Option<Person>,
    /// Whether what followed reached the goal; `None` where that is not said.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub success: Option<bool>,
    /// The world's reason, the person's words, or what the action was corrected to.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub words: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Person {
    Rejected,
    /// Replaced by an edited action.
    Corrected,
    Approved,
}

/// What a decision turned out to be. All but the last two are mistakes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Judged {
    Refused,
    Rejected,
    Corrected,
    Failed,
    /// Nobody says whether it was right.
    Open,
    Right,
}

impl Judged {
    /// In words, after what it is said of: `refused by the world`.
    pub fn in_words(self) -> &'static str {
        match self {
            Judged::Refused => "refused by the world",
            Judged::Rejected => "rejected by a person",
            Judged::Corrected => "corrected by a person",
            Judged::Failed => "of a failed episode",
            Judged::Open => "of an episode whose success is not said",
            Judged::Right => "a right step",
        }
    }

    pub fn is_mistake(self) -> bool {
        !matches!(self, Judged::Open | Judged::Right)
    }
}

impl Decision {
    /// A step refused, rejected or corrected is a mistake whatever followed; a failed episode makes its steps suspect, a success or a
    /// person's approval makes them right.
    pub fn judged(&self) -> Judged {
        match (self.refused, self.person, self.success) {
            (true, ..) => Judged::Refused,
            (_, Some(Person::Rejected), _) => Judged::Rejected,
            (_, Some(Person::Corrected), _) => Judged::Corrected,
            (_, _, Some(false)) => Judged::Failed,
            (_, Some(Person::Approved), _) | (_, _, Some(true)) => Judged::Right,
            _ => Judged::Open,
        }
    }
}

/// Puts texts down once each.
#[derive(Default)]
struct Writing {
    contents: Contents,
    known: FxHashMap<String, u32>,
}

impl Writing {
    fn call(&mut self, text: &str) -> u32 {
        if let Some(known) = self.known.get(text) {
            return *known;
        }
        let at = self.contents.calls.len() as u32;
        self.contents.calls.push(text.to_owned());
        self.known.insert(text.to_owned(), at);
        at
    }

    fn specification(&mut self, text: &str) -> u32 {
        let all = &mut self.contents.specifications;
        let at = all.iter().position(|known| known == text).unwrap_or_else(|| {
            all.push(text.to_owned());
            all.len() - 1
        });
        at as u32
    }

    fn log(&mut self, log: &Trajectory, worlds: &[&'static WorldKind]) {
        let transcript = transcript_of(log, worlds);
        let environments = transcript.environments;
        let is_its = |names: &[&str]| !names.is_empty() && names == environments && transcript.tools.is_none();
        let kind = worlds.iter().find(|kind| kind.transcript.is_some_and(|own| is_its(own.environments)));
        let mut episode = Episode {
            id: log.id.clone(),
            world: kind.map(|kind| kind.name.to_owned()).unwrap_or_default(),
            specification: self.specification(&transcript.specification()),
            ..Episode::default()
        };
        let silences = std::iter::once(log.initial_observation.is_none());
        // What the purchase at the end led to is often left out, and nothing comes after it.
        let silences = silences.chain(log.steps.iter().map(|step| step.observation.is_none()));
        for (at, (read, silent)) in (0u32..).zip(transcript.read(log).into_iter().zip(silences)) {
            let calls = read.all_calls().map(|call| self.call(&call.to_string())).collect();
            episode.nodes.push(Node { parent: at.checked_sub(1), calls, silent });
        }
        for (node, step) in (0u32..).zip(&log.steps) {
            let call = step.call.clone().or_else(|| transcript.call_of(&step.action));
            let Some(call) = call else { continue };
            let (call, text) = (call.to_string(), step.action.clone());
            episode.decisions.push(Decision {
                node,
                text: if text.is_empty() { call.clone() } else { text },
                call: self.call(&call),
                // What one of several calls of tools returned is known after the last of them.
                at_once: transcript.tools.is_some() && step.observation.is_some() && step.calls.len() != 1,
                refused: step.is_refused(),
                accepted: step.is_accepted(),
                success: log.success,
                words: if step.is_refused() { step.observed().to_owned() } else { String::new() },
                ..Decision::default()
            });
        }
        self.contents.episodes.push(episode);
    }

    /// Puts down each of the calls that were taken at once as a decision; `counts` says of which there is one.
    fn put(&mut self, episode: &mut Episode, called: Vec<Called>, of: &Decision, counts: impl Fn(&Called) -> bool) {
        let (at_once, mut earlier) = (called.len() > 1, Vec::new());
        for own in called {
            let (call, is_done) = (self.call(&own.call), own.left_out.is_none());
            if counts(&own) {
                let (refused, accepted) = (of.refused || !is_done, of.accepted && is_done);
                let words = own.left_out.unwrap_or_else(|| of.words.clone());
                let (text, earlier) = (own.text, earlier.clone());
                let new = Decision { call, text, earlier, at_once, refused, accepted, words, ..of.clone() };
                episode.decisions.push(new);
            }
            if is_done {
                earlier.push(call);
            }
        }
    }

    fn session(&mut self, session: &Session) {
        let header = &session.header;
        let mut episode = Episode {
            world: header.world.clone(),
            specification: self.specification(&header.specification),
            ..Episode::default()
        };
        for node in session.nodes() {
            let calls = node.outcome.calls.iter().map(|call| self.call(call)).collect();
            episode.nodes.push(Node { parent: node.parent.map(|parent| parent as u32), calls, silent: false });
        }
        let (reached, actions) = (reached(session), Actions::new(&header.specification));
        let line: BTreeSet<NodeId> = session.line().into_iter().map(|node| node.id).collect();
        // What was deleted is nobody's evidence; its nodes stay, so that the others are where the session has them.
        for node in session.kept() {
            let (at, aside) = (node.id as u32, !line.contains(&node.id));
            for decision in &node.turn.decisions {
                let by_person = decision.by == Actor::Person;
                let offered = |proposal: ProposalId| {
                    let action = node.turn.proposal(proposal).and_then(|proposal| proposal.action.as_ref());
                    action.map(|action| actions.of(action)).unwrap_or_default()
                };
                match &decision.choice {
                    Choice::Reject { proposal, reason } if by_person => {
                        let (person, words) = (Some(Person::Rejected), reason.clone());
                        let rejected = Decision { node: at, aside, person, words, ..Decision::default() };
                        self.put(&mut episode, offered(*proposal), &rejected, |_| true);
                    }
                    Choice::Edit { from, proposal } if by_person => {
                        let new = node.turn.proposal(*proposal).and_then(|new| new.action.as_ref());
                        let words = new.map(|new| format!("corrected to {}", new.text)).unwrap_or_default();
                        let corrected =
                            Decision { node: at, aside, person: Some(Person::Corrected), words, ..Decision::default() };
                        // The calls that stayed as they were, were none of the mistake.
                        let kept = offered(*proposal);
                        let is_changed = |old: &Called| !kept.iter().any(|new| new.call == old.call);
                        self.put(&mut episode, offered(*from), &corrected, is_changed);
                    }
                    _ => {}
                }
                let mut children = session.kept_children(node);
                let Some(child) = children.find(|child| child.decision == Some(decision.id)) else {
                    continue;
                };
                let Some(action) = child.action.as_ref().filter(|_| child.outcome.is_executed()) else { continue };
                let refused = refusal(&child.outcome);
                let taken = Decision {
                    node: at,
                    aside: !line.contains(&child.id),
                    refused: refused.is_some(),
                    accepted: refused.is_none(),
                    person: by_person.then_some(Person::Approved),
                    success: reached.get(child.id as usize).copied().flatten(),
                    words: refused.unwrap_or_default(),
                    ..Decision::default()
                };
                self.put(&mut episode, actions.taken(action, &child.outcome), &taken, |_| true);
            }
        }
        self.contents.episodes.push(episode);
    }
}

/// Why the world refused a step, if it did.
pub fn refusal(outcome: &StepOutcome) -> Option<String> {
    let step = Step { observation: Some(outcome.observation.clone()), ..Step::default() };
    outcome.error.clone().or_else(|| step.is_refused().then_some(outcome.observation.clone()))
}

/// Of each node whether the goal was reached on a branch through it that was not deleted: yes if on one, no if on none of those that ended.
/// Where none ended, and where of one that did nobody says how, that is not known.
fn reached(session: &Session) -> Vec<Option<bool>> {
    // Beside each whether a branch through it ended.
    let mut all: Vec<(bool, Option<bool>)> = vec![(false, None); session.nodes().len()];
    for node in session.nodes().iter().rev() {
        let is_over = node.outcome.won || node.outcome.done;
        let own = (is_over, if is_over { node.outcome.reached() } else { None });
        let below: Vec<(bool, Option<bool>)> =
            session.kept_children(node).filter_map(|child| all.get(child.id as usize).copied()).collect();
        let ended: Vec<Option<bool>> = below.iter().filter(|(is_over, _)| *is_over).map(|(_, said)| *said).collect();
        let found = match own.1 {
            Some(true) => own,
            // Where somebody went on, nothing ended.
            _ if below.is_empty() => own,
            _ if ended.is_empty() => (false, None),
            _ if ended.contains(&Some(true)) => (true, Some(true)),
            _ => (true, ended.iter().all(|said| *said == Some(false)).then_some(false)),
        };
        if let Some(place) = all.get_mut(node.id as usize) {
            *place = found;
        }
    }
    all.into_iter().map(|(_, said)| said).collect()
}

impl Contents {
    pub fn of_session(session: &Session) -> Self {
        let mut writing = Writing::default();
        writing.session(session);
        let Header { created, world, task, seed, method, model, .. } = &session.header;
        Contents { session: format!("{created} {world} {task} {seed} {method} {model}"), ..writing.contents }
    }

    /// Whether all that was decided in another file of the same session is decided here too.
    pub(crate) fn covers(&self, other: &Contents) -> bool {
        let told = |of: &Contents| -> Vec<(u32, String, Option<Person>, bool, bool)> {
            let call = |decision: &Decision| of.calls.get(decision.call as usize).cloned().unwrap_or_default();
            let all = of.episodes.iter().flat_map(|episode| &episode.decisions);
            all.map(|one| (one.node, call(one), one.person, one.refused, one.accepted)).collect()
        };
        let own = told(self);
        told(other).iter().all(|one| own.contains(one))
    }

    /// What logs hold, read as those of these worlds.
    pub fn of_logs(logs: &[Trajectory], problems: Vec<String>, worlds: &[&'static WorldKind]) -> Self {
        let mut writing = Writing::default();
        logs.iter().for_each(|log| writing.log(log, worlds));
        Contents { problems, ..writing.contents }
    }

    pub(crate) fn unreadable(problem: String) -> Self {
        Contents { problems: vec![problem], ..Contents::default() }
    }

    pub fn decisions(&self) -> usize {
        self.episodes.iter().map(|episode| episode.decisions.len()).sum()
    }

    /// The calls, read; `None` for what is none.
    pub(crate) fn read_calls(&self) -> Vec<Option<Call>> {
        self.calls.iter().map(|text| text.parse().ok()).collect()
    }
}
