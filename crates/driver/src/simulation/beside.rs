//! What is simulated beside the episode: the order in which long work is done, a method that finds its proposals by work of its own, and a
//! service that works and asks things of the gate.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use serde_json::Value;
use stepwright_episode::gate::{Answer as Answered, Draft, Request};
use stepwright_episode::{Action, Ask, AskKind, Event, Origin, Record};
use stepwright_method::{Answer, Context, Method, MethodInfo, Reading, Step, Stop, WorkInput};
use stepwright_protocol::Command;

use crate::messages::Beside;
use crate::{RequestId, Service, SessionView, WorkResult};

type Work = Box<dyn FnOnce() + Send>;

/// Work that is to be done, in whatever order the course says.
#[derive(Clone, Default)]
pub(super) struct Waiting(Arc<Mutex<Vec<Work>>>);

impl Waiting {
    pub(super) fn beside(&self) -> Beside {
        let all = Arc::clone(&self.0);
        Arc::new(move |work| all.lock().unwrap().push(work))
    }

    pub(super) fn len(&self) -> usize {
        self.0.lock().unwrap().len()
    }

    pub(super) fn run(&self, at: usize) {
        let work = self.0.lock().unwrap().remove(at);
        work();
    }
}

pub(super) const COUNTS: &str = "counts";

/// A method that finds what to do by work of its own.
#[derive(Debug)]
pub(super) struct Counts;

impl Method for Counts {
    fn info(&self) -> MethodInfo {
        MethodInfo { id: COUNTS, label: "Counts", description: "Counts on its own.", ..MethodInfo::BARE }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let first = cx.session.current().and_then(|node| node.turn.proposals.first()).map(|proposal| proposal.id);
        match cx.round() {
            Some(round) if round.has_asked(&AskKind::RANKED) => {
                Step::Recommend { proposal: first, why: "it is the first".into() }
            }
            _ => Step::ask(cx.own(AskKind::RANKED, COUNTS, 2, Value::Null)),
        }
    }

    fn read(&self, cx: &Context<'_>, _: &Ask, answer: &Answer) -> Reading {
        let draft = |text: &str| {
            let action = Action::new(text.to_owned(), cx.world.call_of(text).map(|call| call.to_string()));
            Draft {
                raw: text.to_owned(),
                line: None,
                action: Some(action),
                problem: None,
                origin: Origin::Symbolic,
                score: None,
                logprob: None,
                rationale: None,
            }
        };
        Reading::drafts(answer.completions.iter().map(|completion| draft(&completion.text)).collect())
    }

    fn compute(&self, known: &WorkInput, _: &Value, stop: &Stop) -> Result<Answer, String> {
        match known.taken.len() {
            _ if stop.is_stopped() => Err("stopped".into()),
            3 => Err("it cannot count to three".into()),
            n => Ok(Answer::texts([format!("add {}", 1 + n % 5), "add 2".to_owned()])),
        }
    }
}

/// How much work of a service was done and how much it asked for, and of how much of either it heard the end.
#[derive(Default)]
pub(super) struct ServiceCount {
    pub(super) done: AtomicUsize,
    pub(super) worked: AtomicUsize,
    pub(super) requests: AtomicUsize,
    pub(super) answered: AtomicUsize,
}

fn one_more(of: &AtomicUsize) -> usize {
    of.fetch_add(1, Ordering::SeqCst)
}

/// A service that works after each step, and has noted what came of it.
pub(super) struct Noting(pub(super) Arc<ServiceCount>);

impl Service for Noting {
    fn command(&mut self, command: Command, _: &mut SessionView<'_>) -> Option<Command> {
        Some(command)
    }

    fn recorded(&mut self, record: &Record, view: &mut SessionView<'_>) {
        if matches!(record.event, Event::Executed { .. }) {
            let tally = Arc::clone(&self.0);
            view.work(move |desk| {
                let at = one_more(&tally.done);
                assert!(at % 40 != 39, "work that breaks");
                desk.keep_running()
            });
        }
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        one_more(&self.0.worked);
        if result.is_ok_and(|went_on| went_on.downcast_ref() == Some(&true)) {
            one_more(&self.0.requests);
            view.request(Request::Note("counted".into()));
        }
    }

    fn answered(&mut self, _: RequestId, _: Answered, _: &mut SessionView<'_>) {
        one_more(&self.0.answered);
    }
}
