//! Table as a simulated world: an episode's requests, answered one after another.
//!
//! A request's statement becomes true as the agent begins to answer it. `done()` closes the request: it is judged, and the next one is
//! observed. Of the judgement only the reward is shown.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::call::{self, Act};
use super::episode::{Asked, Episode};
use super::judge::{self, Move};
use super::scene::Scene;
use super::{Source, picture, program, worked};
use crate::Simulated;
use stepwright_episode::StepOutcome;
use stepwright_program::Call;
use stepwright_world::{
    HostFunction, Map, Outcome, ProgramHeader, Request, Requests, WorkedExample, WorldError, WorldKind,
};

#[derive(Debug, Clone)]
pub struct Run {
    pub(super) episode: Arc<Episode>,
    pub(super) scene: Scene,
    /// Whether each closed request was answered as expected.
    pub(super) right: Vec<bool>,
    /// The scene as the open request found it, once what it states has become true.
    began: Option<Scene>,
    /// The moves made for the open request, those that could not be done included.
    moves: Vec<Move>,
    said: Vec<String>,
}

impl Run {
    fn new(episode: Arc<Episode>) -> Self {
        let scene = episode.start.clone();
        Run { episode, scene, right: Vec::new(), began: None, moves: Vec::new(), said: Vec::new() }
    }

    /// The request to be answered; `None` after the last.
    pub(super) fn open(&self) -> Option<&Asked> {
        self.episode.requests.get(self.right.len())
    }

    fn won(&self) -> bool {
        self.open().is_none() && self.right.iter().all(|right| *right)
    }

    /// `3 of 7: put the red block …`, or that there is no more.
    fn announcement(&self) -> String {
        match self.open() {
            Some(asked) => format!("{} of {}: {}", self.right.len() + 1, self.episode.requests.len(), asked.query),
            None => "That was the last request.".to_owned(),
        }
    }

    fn reset(&self) -> Outcome {
        let mut observation_calls = program::beginning(&self.scene);
        observation_calls.extend(self.open().map(|asked| program::request(&asked.query)));
        Outcome {
            observation: format!("{}\n\n{}", beginning(&self.scene), self.announcement()),
            observation_calls,
            ..Outcome::default()
        }
    }

    fn perform(&mut self, acts: &[Act]) -> Outcome {
        if self.began.is_none() {
            if let Some(asked) = self.episode.requests.get(self.right.len()) {
                self.scene.hear(&asked.query, &asked.kind, asked.meant.as_deref());
            }
            self.began = Some(self.scene.clone());
        }
        let mut reported = Vec::new();
        let mut calls = Vec::new();
        let mut reward = 0.0;
        for act in acts {
            match self.one(act) {
                Ok(what) => {
                    calls.push(act.call());
                    reported.extend(what);
                }
                Err(error) => reported.push(error),
            }
            if *act == Act::Done {
                reward = self.close();
                reported.push(self.announcement());
                calls.extend(self.open().map(|asked| program::request(&asked.query)));
            }
        }
        // The call of a text that is one call is the action's; of several, all are reported in their order.
        let single = acts.len() == 1 && calls.first().is_some_and(|call| Act::of(call).is_some());
        let action_call = single.then(|| calls.remove(0));
        Outcome {
            observation: reported.join("\n"),
            action_call,
            observation_calls: calls,
            reward,
            done: self.open().is_none(),
            won: self.won(),
            ..Outcome::default()
        }
    }

    /// One call; what is reported of it, or the error, which changes nothing.
    fn one(&mut self, act: &Act) -> Result<Option<String>, String> {
        match act {
            Act::Put(first, second) => {
                self.moves.push((first.clone(), second.clone()));
                self.scene.put(first, second)?;
                Ok(Some(format!("You put the {first} on the {second}.")))
            }
            Act::Say(text) => {
                self.said.push(text.clone());
                Ok(Some(format!("You say: {text}")))
            }
            Act::Noop | Act::Update(_) | Act::Done => Ok(None),
        }
    }

    /// Judges the open request and moves to the next; returns the reward.
    fn close(&mut self) -> f64 {
        let names = self.scene.names();
        let right = self.open().is_some_and(|asked| {
            let met = match (&asked.goal, &self.began, &self.scene) {
                (Some(goal), Some(Scene::Table(before)), Scene::Table(after)) => {
                    goal.is_met(before, after, &self.moves)
                }
                _ => false,
            };
            met || judge::is_right(&self.moves, &self.said, &asked.expected, &names)
        });
        self.right.push(right);
        self.began = None;
        self.moves.clear();
        self.said.clear();
        if right { 1.0 } else { 0.0 }
    }
}

/// The share of an episode's requests that were answered rightly.
pub(super) fn reward(outcomes: &[&StepOutcome]) -> f64 {
    // As `announcement` writes it: `3 of 7: ...`.
    let of = |line: &str| line.split_once(": ")?.0.split_once(" of ")?.1.parse::<u32>().ok();
    let all = outcomes.iter().find_map(|outcome| outcome.observation.lines().rev().find_map(of));
    StepOutcome::total(outcomes) / f64::from(all.unwrap_or(1).max(1))
}

fn beginning(scene: &Scene) -> String {
    match scene {
        Scene::Cups(cups) => {
            let balls: Vec<String> =
                cups.iter().enumerate().filter(|(_, ball)| **ball).map(|(i, _)| format!("cup {i}")).collect();
            let under = if balls.is_empty() { "none of them".to_owned() } else { balls.join(" and ") };
            format!("There are {} cups, counted from 0; the ball is under {under}.", cups.len())
        }
        Scene::Table(table) => {
            let names: Vec<&str> = table.things().iter().map(|thing| thing.name.as_str()).collect();
            let lies = |name: &str| {
                let place = table.place_of(name).filter(|place| *place != super::TABLE)?;
                Some(format!(" The {name} is on the {place}."))
            };
            let lying: String = names.iter().filter_map(|name| lies(name)).collect();
            format!("On the table: {}.{lying}", names.join(", "))
        }
    }
}

pub type TableWorld = Simulated<Run>;

impl TableWorld {
    pub fn new(source: impl Into<Arc<Source>>) -> Self {
        Simulated::over(source, ())
    }

    /// The scene as it is now; `None` before the first reset.
    pub fn scene(&self) -> Option<&Scene> {
        self.episode().map(|run| &run.scene)
    }
}

impl crate::Episode for Run {
    type Tasks = Source;
    type Options = ();

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, (): (), task: &str) -> Result<(Self, Outcome), WorldError> {
        let run = Run::new(source.episode(task)?);
        let outcome = run.reset();
        Ok((run, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.episode == other.episode
    }

    fn act(&mut self, text: &str) -> Outcome {
        let ended = self.open().is_none();
        let refused = match call::read(text) {
            Ok(_) if ended => "the episode is over; every request was answered".to_owned(),
            Ok(acts) => return self.perform(&acts),
            Err(why) => why,
        };
        Outcome {
            observation: refused.clone(),
            error: Some(refused),
            done: ended,
            won: self.won(),
            ..Outcome::default()
        }
    }

    fn truth(&self) -> Value {
        let moves = |moves: &[Move]| -> Vec<String> {
            moves.iter().map(|(a, b)| Act::Put(a.clone(), b.clone()).text()).collect()
        };
        let expected = self.open().map(|asked| {
            let first = moves(&asked.expected.moves);
            let others = asked.expected.others.iter().map(|other| moves(other)).filter(|other| *other != first);
            let all: Vec<_> = std::iter::once(first.clone()).chain(others).collect();
            json!({ "moves": all, "say": asked.expected.say })
        });
        json!({
            "request": self.open().map(|asked| asked.query.as_str()),
            "expected": expected,
            "moved": moves(&self.moves),
            "said": self.said,
            "right": self.right,
            "state": self.scene.form(),
        })
    }

    fn call_of(_world: &TableWorld, text: &str) -> Option<Call> {
        match call::read(text).ok()?.as_slice() {
            [act] => Some(act.call()),
            _ => None,
        }
    }

    fn text_of(_world: &TableWorld, call: &Call) -> Option<String> {
        Act::of(call).map(|act| act.text())
    }

    fn header(world: &TableWorld) -> ProgramHeader {
        program::header(world.episode().map(|run| run.episode.as_ref()))
    }

    fn specification(_world: &TableWorld) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../worlds/table/spec.py"))
    }

    fn requests(&self) -> Option<&dyn Requests> {
        Some(self)
    }

    fn belief_form(&self) -> Option<Value> {
        Some(self.scene.form())
    }

    fn picture(&self) -> Option<Map> {
        Some(picture::picture(self))
    }

    fn picture_of(&self, belief: &Value) -> Option<Map> {
        picture::believed(self, belief)
    }
}

impl Requests for Run {
    fn open(&self) -> Option<Request> {
        let asked = Run::open(self)?;
        Some(Request {
            query: asked.query.clone(),
            number: self.right.len() + 1,
            of: self.episode.requests.len(),
            temporal: asked.temporal,
            kind: asked.kind.clone(),
        })
    }

    fn reference(&self) -> Option<Result<&str, String>> {
        let code = Run::open(self).map_or("", |asked| asked.code.trim());
        if code.is_empty() {
            let why =
                "no reference program is written down for this request: a free request needs a language model (M)";
            return Some(Err(why.to_owned()));
        }
        let unread = |e: String| {
            format!(
                "the reference program of this request: {e}; correct `gold_code` in the task's file, or choose a language model (M)"
            )
        };
        Some(call::check(code).map(|()| code).map_err(unread))
    }

    fn about(&self) -> &'static str {
        "The state is of objects on a table, and of what a person told about them."
    }

    fn functions(&self) -> Vec<HostFunction> {
        call::functions()
    }

    fn answering(&self) -> &'static str {
        call::ANSWERING
    }

    fn first_texts(&self) -> Option<&[String; 2]> {
        self.episode.texts.as_ref()
    }

    fn worked(&self) -> Result<Option<&'static WorkedExample>, String> {
        worked::worked(self.episode.domain.name()).map(Some)
    }
}
