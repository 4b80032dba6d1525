//! The decisions of a file: of each the state (what was called before it), the action, and what the world, a person and the outcome of
//! its episode said of it.

use rustc_hash::FxHashMap;
use serde::{Deserialize, Serialize};

use stepwright_episode::{Actor, Choice, ProposalId, Session, StepOutcome};
use stepwright_program::Call;
use stepwright_trajectory::{Step, Trajectory};
use stepwright_world::{WorldKind, transcript_of};

/// The index of a file: texts once, the rest by their numbers.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
pub struct Contents {
    pub specifications: Vec<String>,
    pub calls: Vec<String>,
    pub episodes: Vec<Episode>,
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
    /// The action as the world writes it.
    pub text: String,
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub refused: bool,
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
                refused: step.is_refused(),
                accepted: step.is_accepted(),
                success: log.success,
                words: if step.is_refused() { step.observed().to_owned() } else { String::new() },
                ..Decision::default()
            });
        }
        self.contents.episodes.push(episode);
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
        let reached = reached(session);
        // What was deleted is nobody's evidence; its nodes stay, so that the others are where the session has them.
        for node in session.kept() {
            for decision in &node.turn.decisions {
                let by_person = decision.by == Actor::Person;
                let mut offered = |proposal: ProposalId, person: Person, words: String| {
                    let action = node.turn.proposal(proposal).and_then(|proposal| proposal.action.as_ref())?;
                    let (call, text) = (self.call(action.call.as_deref()?), action.text.clone());
                    let person = Some(person);
                    episode.decisions.push(Decision {
                        node: node.id as u32,
                        call,
                        text,
                        person,
                        words,
                        ..Decision::default()
                    });
                    Some(())
                };
                match &decision.choice {
                    Choice::Reject { proposal, reason } if by_person => {
                        offered(*proposal, Person::Rejected, reason.clone());
                    }
                    Choice::Edit { from, proposal } if by_person => {
                        let new = node.turn.proposal(*proposal).and_then(|new| new.action.as_ref());
                        let words = new.map(|new| format!("corrected to {}", new.text)).unwrap_or_default();
                        offered(*from, Person::Corrected, words);
                    }
                    _ => {}
                }
                let mut children = session.kept_children(node);
                let Some(child) = children.find(|child| child.decision == Some(decision.id)) else {
                    continue;
                };
                let Some(call) = child.action.as_ref().and_then(|action| action.call.as_deref()) else { continue };
                if !child.outcome.is_executed() {
                    continue;
                }
                let (call, refused) = (self.call(call), refusal(&child.outcome));
                episode.decisions.push(Decision {
                    node: node.id as u32,
                    call,
                    text: child.action.as_ref().map(|action| action.text.clone()).unwrap_or_default(),
                    refused: refused.is_some(),
                    accepted: refused.is_none(),
                    person: by_person.then_some(Person::Approved),
                    success: reached.get(child.id as usize).copied().flatten(),
                    words: refused.unwrap_or_default(),
                });
            }
        }
        self.contents.episodes.push(episode);
    }
}

/// Why the world refused a step, if it did.
fn refusal(outcome: &StepOutcome) -> Option<String> {
    let step = Step { observation: Some(outcome.observation.clone()), ..Step::default() };
    outcome.error.clone().or_else(|| step.is_refused().then_some(outcome.observation.clone()))
}

/// Of each node whether the goal was reached on a branch through it that was not deleted: yes if on one, no if all that ended did not.
fn reached(session: &Session) -> Vec<Option<bool>> {
    let mut reached: Vec<Option<bool>> = vec![None; session.nodes().len()];
    for node in session.nodes().iter().rev() {
        let own = (node.outcome.won || node.outcome.done).then(|| node.outcome.reached()).flatten();
        let below: Vec<Option<bool>> =
            session.kept_children(node).map(|child| reached.get(child.id as usize).copied().flatten()).collect();
        let found = match own {
            Some(true) => own,
            _ if below.contains(&Some(true)) => Some(true),
            _ if below.is_empty() => own,
            _ => below.iter().all(|below| *below == Some(false)).then_some(false),
        };
        if let Some(place) = reached.get_mut(node.id as usize) {
            *place = found;
        }
    }
    reached
}

impl Contents {
    pub fn of_session(session: &Session) -> Self {
        let mut writing = Writing::default();
        writing.session(session);
        writing.contents
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
