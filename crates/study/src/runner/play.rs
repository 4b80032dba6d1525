//! One headless episode through the driver, watched from outside until its policy ends.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use tokio_util::sync::CancellationToken;

use super::remarks::remark;
use stepwright_driver::{Setup, start};
use stepwright_episode::{Breakpoint, Event, NodeId, Policy, Record, Session};
use stepwright_method::{LAST, TRIALS};
use stepwright_protocol::{Command, Contender, DuelCommand, Level, NO_DUEL, Notice, Request, Unwritten};
use stepwright_text::words::count;
use stepwright_world::answer;
use stepwright_world::options::Values;

/// How an episode ended that could not be begun.
pub const NOT_BEGUN: &str = "it could not be begun";

#[derive(Debug)]
pub struct Episode {
    /// The session at its end; why there is none, where the episode could not be begun.
    pub session: Result<Session, String>,
    /// Where a belief was maintained: how many of its values were wrong, step by step.
    pub drift: Vec<usize>,
    pub ended: String,
    pub error: Option<String>,
    /// Whether it broke off because its session could not be kept, and what it came to is nowhere.
    pub unkept: bool,
    /// Whether it broke off because what it asked was not answered.
    pub unanswered: bool,
    /// The file of its session, where a folder keeps them.
    pub kept: Option<PathBuf>,
    /// Wall-clock seconds, to the millisecond.
    pub seconds: f64,
}

impl Episode {
    /// One that could not be begun, and why.
    pub(super) fn not_begun(why: String, began: Instant) -> Self {
        Episode {
            session: Err(why.clone()),
            drift: Vec::new(),
            ended: NOT_BEGUN.to_owned(),
            error: Some(why),
            unkept: false,
            unanswered: false,
            kept: None,
            seconds: seconds_since(began),
        }
    }
}

pub(crate) fn seconds_since(started: Instant) -> f64 {
    (started.elapsed().as_secs_f64() * 1000.0).round() / 1000.0
}

/// Several sides that are asked at each step of an episode; what the first would do is done.
#[derive(Debug)]
pub struct Duel {
    pub(crate) sides: Vec<Contender>,
    /// Steps it may have.
    pub(crate) most: u32,
}

impl Duel {
    /// Commands to the driver in the beginning: what is written beside actions is taken as it comes, an action waits for all sides.
    fn begin(&self) -> Vec<Command> {
        let breakpoints = vec![Breakpoint::Action("*".to_owned())];
        let requests = [Request::SetBreakpoints(breakpoints), Request::SetPolicy(up_to_an_action())];
        let begin = Command::Duel(DuelCommand::Begin(self.sides.clone()));
        requests.map(Command::Gate).into_iter().chain([begin]).collect()
    }

    /// What follows a record; `Err` says why the episode has ended.
    fn after(&self, record: &Record, session: &Session) -> Result<Option<Command>, String> {
        let request = match &record.event {
            Event::Dueled { sides } => {
                let first = sides.first().ok_or("nobody was asked")?;
                let proposal = first.proposal.ok_or_else(|| first.why.clone())?;
                Some(Request::Follow { proposal, rule: "what is in use decides".to_owned() })
            }
            Event::Executed { .. } if session.is_done() => {
                let won = session.current().is_some_and(|node| node.outcome.won);
                return Err(if won { "the goal is reached" } else { "the episode is over" }.to_owned());
            }
            Event::Executed { .. } => {
                let taken = session.path(session.cursor()).iter().skip(1).filter(|n| n.outcome.is_executed()).count();
                if taken >= self.most as usize {
                    return Err(format!("{} taken", count(taken, "step")));
                }
                Some(Request::SetPolicy(up_to_an_action()))
            }
            Event::Failed { error, .. } => return Err(error.clone()),
            _ => None,
        };
        Ok(request.map(Command::Gate))
    }
}

fn up_to_an_action() -> Policy {
    Policy { steps: u32::MAX, ..Policy::manual() }
}

/// Runs an episode until its policy sets itself aside, or its duel is over; `None` if it was cancelled.
pub(crate) async fn play(setup: Setup, duel: Option<Duel>, cancel: &CancellationToken) -> Option<Episode> {
    let began = Instant::now();
    let has_trials = setup.method.info().options.contains(&TRIALS);
    let mut handle = match start(setup) {
        Ok(handle) => handle,
        Err(why) => return Some(Episode::not_begun(why, began)),
    };
    let mut watch = Watch { has_trials, ..Watch::default() };
    loop {
        let notice = tokio::select! {
            notice = handle.notices.recv() => notice,
            () = cancel.cancelled() => {
                let _ = handle.commands.send(Command::Quit);
                while handle.notices.recv().await.is_some_and(|n| n != Notice::Stopped) {}
                return None;
            }
        };
        match notice {
            None | Some(Notice::Stopped) => break,
            Some(notice) if duel.is_some() => {
                let next = watch.take_of_duel(notice, duel.as_ref());
                next.into_iter().for_each(|command| drop(handle.commands.send(command)));
            }
            Some(notice) => {
                if watch.take(notice) {
                    let next: Vec<Command> = match watch.another_trial() {
                        Some(policy) => {
                            [Request::Goto(0), Request::Propose, Request::SetPolicy(policy)].map(Command::Gate).into()
                        }
                        // What is left is the last trial's end, where a reflection on it was written at the start.
                        None => {
                            let back = watch.last_leaf().map(|leaf| Command::Gate(Request::Goto(leaf)));
                            back.into_iter().chain([Command::Quit]).collect()
                        }
                    };
                    // A driver that is gone ends the loop.
                    next.into_iter().for_each(|command| drop(handle.commands.send(command)));
                }
            }
        }
    }
    let Watch { session, drift, ended, error, unkept, unanswered, .. } = watch;
    Some(match session {
        Some(session) => {
            let seconds = seconds_since(began);
            Episode { session: Ok(session), drift, ended, error, unkept, unanswered, kept: None, seconds }
        }
        None => Episode::not_begun("the driver ended before the episode began".to_owned(), began),
    })
}

#[derive(Default)]
struct Watch {
    session: Option<Session>,
    /// Whether the method may have several trials.
    has_trials: bool,
    /// The policy that decides, and how many trials came to their end.
    policy: Option<Policy>,
    trials: u32,
    drift: Vec<usize>,
    ended: String,
    error: Option<String>,
    unkept: bool,
    unanswered: bool,
}

impl Watch {
    /// The policy for one more trial from the start, where the method has several and none has succeeded.
    fn another_trial(&self) -> Option<Policy> {
        let session = self.session.as_ref()?;
        let options = Values::read(&[TRIALS, LAST], &session.options).ok()?;
        let won = session.current().is_some_and(|node| node.outcome.won);
        let began = session.current().is_some_and(|node| node.parent.is_some());
        let most = options.count(&TRIALS) + u32::from(options.on(&LAST));
        let more = self.has_trials && began && !won && self.error.is_none() && self.trials < most;
        self.policy.clone().filter(|_| more)
    }

    /// The end of the last trial, where the cursor is back at the start.
    fn last_leaf(&self) -> Option<NodeId> {
        let session = self.session.as_ref()?;
        session.current().filter(|node| node.parent.is_none())?;
        let leaf = session.nodes().iter().rev().find(|node| node.parent.is_some() && node.children.is_empty())?;
        Some(leaf.id)
    }

    /// Takes a notice in; returns what is asked next in a duel.
    fn take_of_duel(&mut self, notice: Notice, duel: Option<&Duel>) -> Vec<Command> {
        let Some(duel) = duel.filter(|_| self.ended.is_empty()) else { return Vec::new() };
        let (begins, record) = match &notice {
            Notice::Opened { .. } => (true, None),
            Notice::Recorded(record) => (false, Some(Arc::clone(record))),
            Notice::Say { level: Level::Error, text } if text.starts_with(NO_DUEL) => {
                (self.error, self.ended) = (Some(text.clone()), text.clone());
                return vec![Command::Quit];
            }
            _ => (false, None),
        };
        let wrong = self.take(notice) && self.error.is_some();
        self.ended.clear();
        if begins {
            return duel.begin();
        }
        let Some((record, session)) = record.as_deref().zip(self.session.as_ref()) else { return Vec::new() };
        match duel.after(record, session) {
            Ok(next) if !wrong => next.into_iter().collect(),
            ended => {
                self.ended = ended.err().or_else(|| self.error.clone()).unwrap_or_default();
                vec![Command::Quit]
            }
        }
    }

    /// Takes a notice in; returns whether the episode has ended.
    fn take(&mut self, notice: Notice) -> bool {
        match notice {
            Notice::Opened { session, .. } => self.session = Some(*session),
            Notice::Recorded(record) => {
                let Some(session) = &mut self.session else { return false };
                if let Err(misfit) = session.apply(&record) {
                    self.error = Some(misfit.to_string());
                    return true;
                }
                match &record.event {
                    // What is stopped because it cannot be kept says nothing of why the episode ended.
                    _ if self.unkept => {}
                    // A policy set aside is how a headless episode ends.
                    Event::PolicySet { policy, why } if !policy.is_automatic() => {
                        self.ended.clone_from(why);
                        self.trials += 1;
                        return true;
                    }
                    Event::PolicySet { policy, .. } => self.policy = Some(policy.clone()),
                    // What is written after the end changes nothing of it.
                    Event::AskFailed { .. } | Event::Failed { .. } if session.is_done() => {}
                    // It says what one that was cancelled cost.
                    Event::AskFailed { cancelled: true, usage: Some(_), .. } => {}
                    Event::AskFailed { error, .. } => (self.error, self.unanswered) = (Some(error.clone()), true),
                    // A method that knows nothing more has lost. What would have come of one that could not do its work, or of a world
                    // that failed, nobody knows.
                    Event::Failed { error, stuck } => (self.error, self.unanswered) = (Some(error.clone()), !stuck),
                    // What was retried with success is no error of the episode; a program that ended with an error of its model's server in
                    // place of an answer did not end by what it was told.
                    Event::Executed { action, outcome, .. } => {
                        let refused = action.exact.as_deref().and_then(answer::refusal).filter(|_| outcome.done);
                        let why =
                            |refusal| format!("the program ended after an error of its model's server: {refusal}");
                        (self.error, self.unanswered) = (refused.as_ref().map(why), refused.is_some());
                    }
                    _ => {}
                }
            }
            Notice::Unwritten(Some(state)) => {
                // Nobody is there to make room, or to name another file.
                let why = match state {
                    Unwritten::Failed => "the session cannot be written; make room where it is kept and run again",
                    Unwritten::Lost => "the file of the session was lost, or cannot be written any more",
                };
                (self.error, self.unkept) = (Some(why.to_owned()), true);
                return true;
            }
            // On leaving, what was lost is written beside it.
            Notice::Kept(path) => {
                self.unkept &= !self.session.as_ref().is_some_and(Session::is_done);
                if let Some(error) = &mut self.error {
                    error.push_str(&format!("; it is kept in {}", path.display()));
                }
            }
            Notice::Remark { text, .. } => remark(&text),
            Notice::Situation(situation) => {
                // The last belief reported is the one at the end.
                if let Some(view) = &situation.belief {
                    self.drift = view.drift.iter().map(|(_, wrong)| *wrong).collect();
                }
            }
            _ => {}
        }
        false
    }
}

#[cfg(test)]
mod tests {
    use stepwright_episode::{
        Action, Actor, AskKind, Choice, Decision, Header, Origin, Packed, Proposal, Record, StepOutcome,
    };

    use super::*;

    fn asked() -> Event {
        Event::Asked { ask: 1, kind: AskKind::GREEDY, model: String::new(), prompt: None, n: 1, temperature: 0.0 }
    }

    fn ask_failed(error: &str, cancelled: bool) -> Event {
        Event::AskFailed { ask: 1, error: error.into(), cancelled, usage: None, partial: String::new() }
    }

    #[test]
    fn what_could_not_be_asked_breaks_off_and_a_method_at_its_end_has_lost() {
        let failed = || ask_failed("no server", false);
        let stuck = || Event::Failed { error: "no candidate is left".into(), stuck: true };
        let unmade = || Event::Failed { error: "`act.j2` line 2 knows no `tusk`".into(), stuck: false };
        for (events, unanswered) in
            [(vec![failed()], true), (vec![stuck()], false), (vec![failed(), stuck()], false), (vec![unmade()], true)]
        {
            let mut watch = Watch { session: Some(Session::new(Header::default())), ..Watch::default() };
            let started = Event::Started { outcome: Default::default() };
            for (event, id) in [started, asked()].into_iter().chain(events).zip(1..) {
                watch.take(Notice::Recorded(Arc::new(Record { id, ts: 0, node: 0, event })));
            }
            assert!(watch.error.is_some() && watch.unanswered == unanswered, "{:?}", watch.error);
        }
    }

    /// What would have come of an action that the world failed at nobody knows, nor of a program that was told of its server's error.
    #[test]
    fn a_world_that_fails_breaks_off_as_does_a_program_whose_server_does() {
        let decided = || {
            let proposal =
                Proposal { action: Some(Action::new("go", None)), ..Proposal::new(1, "go", Origin::Symbolic) };
            let (choice, by) = (Choice::Approve { proposal: 1 }, Actor::Policy);
            let decision = Decision { id: 1, choice, by, why: String::new() };
            [Event::Proposed { proposal: proposal.into() }, Event::Decided { decision: decision.into() }]
        };
        let executed = |exact: Option<String>| Event::Executed {
            decision: 1,
            child: 1,
            action: Action { exact, ..Action::new("go", None) }.into(),
            outcome: StepOutcome { done: true, ..StepOutcome::default() }.into(),
            changes: Packed::default(),
        };
        let refused = r#"refused {"status": 503, "headers": [], "body": "{}"}"#;
        let failed = || Event::Failed { error: "the world has ended".into(), stuck: false };
        for (last, unanswered, why) in [
            (failed(), true, "the world has ended"),
            (executed(None), false, ""),
            (executed(Some(refused.to_owned())), true, "an error of its model's server: 503"),
        ] {
            let mut watch = Watch { session: Some(Session::new(Header::default())), ..Watch::default() };
            let started = Event::Started { outcome: Default::default() };
            for (event, id) in std::iter::once(started).chain(decided()).chain([last]).zip(1..) {
                watch.take(Notice::Recorded(Arc::new(Record { id, ts: 0, node: 0, event })));
            }
            let error = watch.error.unwrap_or_default();
            assert!(watch.unanswered == unanswered && error.contains(why), "{error}");
        }
    }

    #[test]
    fn what_is_cancelled_for_want_of_a_disk_was_cancelled_by_nobody() {
        let mut watch = Watch { session: Some(Session::new(Header::default())), ..Watch::default() };
        let cancelled = ask_failed("cancelled by a person", true);
        let mut id = 0;
        let mut recorded = |watch: &mut Watch, event| {
            id += 1;
            watch.take(Notice::Recorded(Arc::new(Record { id, ts: 0, node: 0, event })))
        };
        recorded(&mut watch, Event::Started { outcome: Default::default() });
        recorded(&mut watch, asked());
        assert!(watch.take(Notice::Unwritten(Some(Unwritten::Failed))), "the episode ends");
        recorded(&mut watch, cancelled);
        assert!(watch.error.is_some_and(|error| error.contains("cannot be written")));
    }
}
