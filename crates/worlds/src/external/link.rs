//! Connection to the process: sends one request at a time, knows which node the process is at, and brings it where it is wanted.
//!
//! An answer is taken only for the request it belongs to: it must carry that request's step, nothing may have been said in
//! between, and a process that was late, wrong or cancelled is killed, so that nothing of it can arrive later.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::SyncSender;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use serde_json::Value;

use super::line::{self, Hello, Literals, Request};
use super::reading::Reading;
use stepwright_episode::StepOutcome;
use stepwright_program::Specification;
use stepwright_program::tools::Toolbox;
use stepwright_world::adapter::{Adapter, LONGEST, Process, Said, excerpt};
use stepwright_world::remote::{History, ProcessStatus, Standing, StatusCallback, Stop};
use stepwright_world::{self as world, Outcome, WorldError};

#[derive(Debug, Clone, PartialEq)]
pub(super) struct Step {
    /// The action; `None` for the reset.
    pub(super) action: Option<String>,
    pub(super) logged: StepOutcome,
    /// The part that is not logged; `None` for a step that is known from a record only.
    pub(super) more: Option<More>,
}

/// The part that only the process itself reports.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct More {
    pub(super) outcome: Outcome,
    pub(super) admissible: Option<Vec<String>>,
    pub(super) state: Value,
    /// The goal in words; of a reset.
    pub(super) sentence: Option<String>,
    /// Facts and goals, where the adapter reports them.
    pub(super) literals: Option<Literals>,
    pub(super) request: Option<world::Request>,
    /// All that the world needs to come back here, where it gives that.
    snapshot: Option<Value>,
}

impl Step {
    fn snapshot(&self) -> Option<&Value> {
        self.more.as_ref()?.snapshot.as_ref()
    }
}

/// How answers are read, and the specification's text.
pub(super) struct Known {
    pub(super) reading: Reading,
    pub(super) specification: Specification,
    /// Whether the world's own list of tools may stand in its place.
    pub(super) is_generic: bool,
}

/// Bytes of an answer whose snapshot is kept: one is kept a step.
const LARGEST: usize = 1 << 20;

pub(super) struct Link {
    adapter: Arc<Adapter>,
    inner: Mutex<Inner>,
    outer: Outer,
    own: Weak<Link>,
}

/// Held only while a request is made.
#[derive(Default)]
struct Inner {
    process: Option<Process>,
    at: History<Step>,
    /// Whether its last step came out otherwise than recorded, in a replay.
    differs: bool,
    /// Whether it did not survive being restored to a snapshot: from then on steps are replayed.
    not_restored: bool,
    generation: u64,
}

/// The part that may be touched during a request.
struct Outer {
    standing: Standing,
    nudge: Mutex<Option<SyncSender<Said>>>,
    closed: AtomicBool,
    known: Mutex<Arc<Known>>,
    hello: Mutex<Option<Arc<Hello>>>,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Whether a step that was taken is the one that is recorded.
fn is_same(taken: &Step, recorded: &Step) -> bool {
    taken.action == recorded.action && recorded.logged.difference(&taken.logged).is_none()
}

impl Link {
    pub(super) fn new(adapter: Arc<Adapter>, known: Known) -> Arc<Self> {
        let (known, hello) = (Mutex::new(Arc::new(known)), Mutex::default());
        let (standing, nudge, closed) = (Standing::default(), Mutex::default(), AtomicBool::default());
        let outer = Outer { standing, nudge, closed, known, hello };
        Arc::new_cyclic(|own| Link { adapter, inner: Mutex::default(), outer, own: own.clone() })
    }

    pub(super) fn known(&self) -> Arc<Known> {
        Arc::clone(&lock(&self.outer.known))
    }

    /// What the world last said of itself.
    pub(super) fn hello(&self) -> Option<Arc<Hello>> {
        lock(&self.outer.hello).clone()
    }

    /// Takes in what the world says of itself. Its tools are the specification where there is no other.
    fn met(&self, hello: Arc<Hello>) {
        let known = self.known();
        if known.is_generic && !hello.tools.is_empty() {
            let tools = Toolbox::of_json(&hello.tools.clone().into());
            // What is made of tools can be read; should it not, the world is as it was.
            if let Ok(specification) = Specification::load(tools.source(), "tools") {
                let reading = Reading::of_tools(&self.adapter, &specification, tools);
                *lock(&self.outer.known) = Arc::new(Known { reading, specification, is_generic: true });
            }
        }
        *lock(&self.outer.hello) = Some(hello);
    }

    /// Resets to a task. A process that is there already is not asked again.
    pub(super) fn reset(&self, task: &str, seed: u64, stop: &Stop) -> Result<Arc<Step>, WorldError> {
        let mut inner = lock(&self.inner);
        if inner.process.is_some()
            && let ([only], true) = (inner.at.steps.as_slice(), inner.at.task == task && inner.at.seed == seed)
            && only.more.is_some()
        {
            return Ok(Arc::clone(only));
        }
        let step = self.begin(&mut inner, task, seed, stop)?;
        self.outer.standing.ring(ProcessStatus::Ready);
        Ok(step)
    }

    /// Performs an action at the end of a history; the process is brought there first.
    pub(super) fn act(&self, history: &mut History<Step>, text: &str, stop: &Stop) -> Result<Arc<Step>, WorldError> {
        let mut inner = lock(&self.inner);
        let step = match Self::taken(&inner, history, text) {
            Some(step) => step,
            None => {
                self.bring(&mut inner, history, stop)?;
                self.go_on(&mut inner, text, stop)?
            }
        };
        inner.differs = false;
        history.push(Arc::clone(&step));
        self.outer.standing.ring(ProcessStatus::Ready);
        Ok(step)
    }

    /// Starts the process anew and brings it to the end of a history; gives the step that it came to by a snapshot, 0 for none.
    pub(super) fn restart(&self, history: &mut History<Step>, stop: &Stop) -> Result<usize, WorldError> {
        let mut inner = lock(&self.inner);
        inner.process = None;
        let restored = self.bring(&mut inner, history, stop)?;
        self.outer.standing.ring(ProcessStatus::Ready);
        Ok(restored)
    }

    /// What an action at the end of a history came to where a replay just took it, otherwise than recorded: a person who goes on from there
    /// decided about that.
    fn taken(inner: &Inner, history: &History<Step>, text: &str) -> Option<Arc<Step>> {
        let step = inner.at.beyond(history, is_same).filter(|_| inner.differs && inner.process.is_some())?;
        (step.action.as_deref() == Some(text)).then(|| Arc::clone(step))
    }

    /// Replays what is missing of a history, from the reset if need be, and compares. What the steps report now is kept in the history.
    /// Gives the last step that was not replayed.
    fn bring(&self, inner: &mut Inner, history: &mut History<Step>, stop: &Stop) -> Result<usize, WorldError> {
        let Some(first) = history.steps.first() else {
            return Err(WorldError::Failed("the world was not reset to a task yet".to_owned()));
        };
        inner.differs = false;
        let on_way = |inner: &Inner| inner.process.is_some() && inner.at.leads_to(history, is_same);
        let kept = history.steps.iter().rposition(|step| step.snapshot().is_some()).filter(|at| *at > 0);
        let kept = kept.filter(|_| !inner.not_restored);
        // One that runs goes straight to where it gave all that it needs for.
        let nearer = kept.filter(|at| inner.process.is_some() && (!on_way(inner) || *at >= inner.at.steps.len()));
        let mut there = match nearer {
            Some(at) => self.restore(inner, history, at, stop)?,
            None => on_way(inner),
        };
        if !there {
            let got = self.begin(inner, &history.task, history.seed, stop)?;
            self.compare(0, first, &got)?;
            there = match kept.filter(|_| nearer.is_none()) {
                Some(at) => self.restore(inner, history, at, stop)?,
                None => true,
            };
            if !there {
                // What it refused may have moved it.
                let got = self.begin(inner, &history.task, history.seed, stop)?;
                self.compare(0, first, &got)?;
            }
        }
        let known = inner.at.steps.len();
        for (number, wanted) in history.steps.iter().enumerate().skip(known) {
            let Some(text) = &wanted.action else { continue };
            let got = self.go_on(inner, text, stop)?;
            self.compare(number, wanted, &got).inspect_err(|_| inner.differs = true)?;
        }
        history.steps = Arc::clone(&inner.at.steps);
        Ok(known.saturating_sub(1))
    }

    /// Has the world come to a step of a history by the snapshot that it gave there; whether it did.
    fn restore(&self, inner: &mut Inner, history: &History<Step>, at: usize, stop: &Stop) -> Result<bool, WorldError> {
        let (way, patience) = (history.steps.get(..=at).unwrap_or_default(), self.adapter.start_timeout);
        let Some(snapshot) = way.last().and_then(|step| step.snapshot()) else { return Ok(false) };
        let step = at as u64;
        self.outer.standing.ring(ProcessStatus::Working(format!("restoring step {step}")));
        let until = (Instant::now() + patience, patience);
        let line = self.exchange(inner, Request::Restore { snapshot, step }, step, until, stop);
        inner.not_restored = !stop.is_set();
        match line::restored(&line?) {
            Ok(restored) if restored.error.is_some() => {
                inner.not_restored = false;
                return Ok(false);
            }
            Ok(restored) if restored.step == step => inner.not_restored = false,
            Ok(restored) => return Err(self.fail(inner, step, Fault::OtherStep(restored.step))),
            Err(why) => return Err(self.fail(inner, step, Fault::Wrong(why))),
        }
        inner.at = History { task: history.task.clone(), seed: history.seed, steps: Arc::new(way.to_vec()) };
        Ok(true)
    }

    fn compare(&self, number: usize, wanted: &Step, got: &Step) -> Result<(), WorldError> {
        let Some(difference) = wanted.logged.difference(&got.logged) else { return Ok(()) };
        self.outer.standing.ring(ProcessStatus::Ready);
        let step = match &wanted.action {
            Some(text) => format!("step {number} (`{text}`)"),
            None => "the reset".to_owned(),
        };
        Err(WorldError::Differs { step: number, what: format!("{step}: {difference}") })
    }

    /// Resets, in a new process if none is running.
    fn begin(&self, inner: &mut Inner, task: &str, seed: u64, stop: &Stop) -> Result<Arc<Step>, WorldError> {
        let patience = self.adapter.start_timeout;
        let deadline = Instant::now() + patience;
        inner.at = History::default();
        if inner.process.is_none() {
            self.check(inner, stop)?;
            self.outer.standing.ring(ProcessStatus::Working(format!("starting `{}`", self.adapter.command_line())));
            inner.generation += 1;
            let (generation, own) = (inner.generation, self.own.clone());
            let ended = move || {
                if let Some(link) = own.upgrade() {
                    link.ended(generation);
                }
            };
            let process = Process::start(&self.adapter, ended).inspect_err(|e| self.dead(e.to_string(), Vec::new()))?;
            *lock(&self.outer.nudge) = Some(process.nudge());
            inner.process = Some(process);
        } else {
            self.outer.standing.ring(ProcessStatus::Working("resetting the world".to_owned()));
        }
        let (request, until) = (Request::Reset { task, seed }, (deadline, patience));
        let step = self.ask(inner, request, 0, until, stop)?;
        inner.at = History { task: task.to_owned(), seed, steps: Arc::new(vec![Arc::clone(&step)]) };
        Ok(step)
    }

    fn go_on(&self, inner: &mut Inner, text: &str, stop: &Stop) -> Result<Arc<Step>, WorldError> {
        let patience = self.adapter.step_timeout;
        let number = inner.at.steps.len() as u64;
        self.outer.standing.ring(ProcessStatus::Working(format!("step {number}: `{}`", excerpt(text))));
        let tool = self.known().reading.tool(text);
        let request = Request::Act(text, tool.as_ref());
        let step = self.ask(inner, request, number, (Instant::now() + patience, patience), stop)?;
        inner.at.push(Arc::clone(&step));
        Ok(step)
    }

    /// Asks for a step and waits for it; kills the process if there is no answer that can be trusted.
    fn ask(
        &self,
        inner: &mut Inner,
        request: Request<'_>,
        number: u64,
        until: (Instant, Duration),
        stop: &Stop,
    ) -> Result<Arc<Step>, WorldError> {
        let line = self.exchange(inner, request, number, until, stop)?;
        let mut answer = match line::read(&line) {
            Ok(answer) if answer.step == number => answer,
            Ok(answer) => return Err(self.fail(inner, number, Fault::OtherStep(answer.step))),
            Err(why) => return Err(self.fail(inner, number, Fault::Wrong(why))),
        };
        if let Some(hello) = answer.hello.take() {
            self.met(hello);
        }
        let action = match request {
            Request::Act(text, _) => Some(text.to_owned()),
            Request::Reset { .. } | Request::Restore { .. } => None,
        };
        let (state, sentence) = (answer.state.take().unwrap_or_default(), answer.task.take());
        let (admissible, literals) = (answer.admissible.take(), answer.literals());
        let (request, snapshot) = (answer.request.take(), answer.snapshot.take().filter(|_| line.len() <= LARGEST));
        let outcome = self.known().reading.outcome(action.as_deref(), answer);
        let logged = StepOutcome::from(&outcome);
        let more = More { outcome, admissible, state, sentence, literals, request, snapshot };
        Ok(Arc::new(Step { action, logged, more: Some(more) }))
    }

    /// One line to the process and one from it.
    fn exchange(
        &self,
        inner: &mut Inner,
        request: Request<'_>,
        number: u64,
        until: (Instant, Duration),
        stop: &Stop,
    ) -> Result<Vec<u8>, WorldError> {
        if let Some(said) = inner.process.as_ref().and_then(Process::overheard) {
            return Err(self.fail(inner, number, Fault::unasked(said)));
        }
        // Looked at after nudges were overheard: one that comes from here on wakes the listening below.
        self.check(inner, stop)?;
        let Some(process) = &inner.process else { return Err(self.fail(inner, number, Fault::Ended)) };
        process.ask(request.line());
        loop {
            let said = process.listen(until.0);
            if stop.is_set() || self.outer.closed.load(Ordering::SeqCst) {
                return Err(self.fail(inner, number, Fault::Stopped));
            }
            let fault = match said {
                Some(Said::Nudge) => continue,
                Some(Said::Line(line)) => return Ok(line),
                Some(Said::TooLong) => Fault::TooLong,
                Some(Said::End) => Fault::Ended,
                Some(Said::Deaf) => Fault::Deaf,
                None => Fault::Late(until.1),
            };
            return Err(self.fail(inner, number, fault));
        }
    }

    fn check(&self, inner: &mut Inner, stop: &Stop) -> Result<(), WorldError> {
        if self.outer.closed.load(Ordering::SeqCst) || stop.is_set() {
            return Err(self.fail(inner, inner.at.steps.len() as u64, Fault::Stopped));
        }
        Ok(())
    }

    /// Kills the process and says what happened.
    fn fail(&self, inner: &mut Inner, number: u64, fault: Fault) -> WorldError {
        lock(&self.outer.nudge).take();
        let awaited = if number == 0 { "the reset".to_owned() } else { format!("step {number}") };
        let ended = matches!(fault, Fault::Ended | Fault::Deaf | Fault::Gone);
        let (exit, last_words) = match inner.process.take() {
            Some(mut process) => (process.end(ended), process.last_words()),
            None => (None, Vec::new()),
        };
        let command = self.adapter.command_line();
        if matches!(fault, Fault::Stopped) {
            self.outer.standing.ring(ProcessStatus::Resting);
            return WorldError::Failed(format!(
                "{awaited} was stopped before `{command}` answered. The process was ended, because it may have acted already; \
                 the next action starts it again"
            ));
        }
        let what = fault.words(&awaited, exit);
        let hint = last_words.iter().rev().find(|l| !l.trim().is_empty());
        let hint = hint.map(|l| format!("; its last words: {}", excerpt(l))).unwrap_or_default();
        let error = format!("`{command}` {what}{hint}");
        self.dead(what, last_words);
        WorldError::Failed(error)
    }

    /// The output of a process ended; reported by the thread that read it. Matters only if nobody was asking.
    fn ended(&self, generation: u64) {
        let mut inner = lock(&self.inner);
        if inner.generation != generation || inner.process.is_none() {
            return;
        }
        let number = inner.at.steps.len() as u64;
        let fault = match inner.process.as_ref().and_then(Process::overheard) {
            Some(said @ Said::Line(_)) => Fault::unasked(said),
            _ => Fault::Gone,
        };
        // Nobody asked, so nobody is answered; the standing says it.
        self.fail(&mut inner, number, fault);
    }

    fn dead(&self, what: String, last_words: Vec<String>) {
        self.outer.standing.ring(ProcessStatus::Dead { what, last_words });
    }

    pub(super) fn watch(&self, bell: StatusCallback) {
        self.outer.standing.watch(bell);
    }

    pub(super) fn stop(&self, stop: &Stop) {
        stop.set();
        self.nudge();
    }

    pub(super) fn close(&self) {
        self.outer.closed.store(true, Ordering::SeqCst);
        self.nudge();
        // The asking thread ends it; if there is none, it is ended here.
        if let Ok(mut inner) = self.inner.try_lock() {
            inner.process = None;
        }
    }

    fn nudge(&self) {
        if let Some(nudge) = &*lock(&self.outer.nudge) {
            // If something else is waiting to be heard, the listener wakes up anyway.
            let _ = nudge.try_send(Said::Nudge);
        }
    }
}

enum Fault {
    Stopped,
    Late(Duration),
    Ended,
    /// It ended although nothing was asked.
    Gone,
    Deaf,
    TooLong,
    Wrong(String),
    OtherStep(u64),
    Unasked(String),
}

impl Fault {
    fn unasked(said: Said) -> Self {
        match said {
            Said::Line(line) => Fault::Unasked(excerpt(&String::from_utf8_lossy(&line))),
            Said::TooLong => Fault::TooLong,
            Said::Deaf => Fault::Deaf,
            Said::End | Said::Nudge => Fault::Ended,
        }
    }

    fn words(&self, awaited: &str, exit: Option<std::process::ExitStatus>) -> String {
        match self {
            Fault::Stopped => "was stopped".to_owned(),
            Fault::Late(_) if exit.is_some() => {
                let status = exit.map(|e| e.to_string()).unwrap_or_default();
                format!("ended before {awaited} was answered ({status}); what it had started kept its output open")
            }
            Fault::Late(patience) => format!("gave no answer to {awaited} within {} s", patience.as_secs_f64()),
            Fault::Ended | Fault::Deaf => match exit {
                Some(status) => format!("ended before {awaited} was answered ({status})"),
                None if matches!(self, Fault::Deaf) => {
                    format!("closed its standard input before {awaited} was answered")
                }
                None => format!("closed its standard output before {awaited} was answered"),
            },
            Fault::Gone => match exit {
                Some(status) => format!("ended by itself ({status})"),
                None => "closed its standard output".to_owned(),
            },
            Fault::TooLong => format!("wrote a line of more than {} MiB at {awaited}", LONGEST >> 20),
            Fault::Wrong(why) => format!("cannot be understood at {awaited}: {why}"),
            Fault::OtherStep(step) => {
                format!(
                    "answered step {step} where {awaited} was asked; `step` counts the actions since the reset, which is 0"
                )
            }
            Fault::Unasked(text) => format!("said something it was not asked before {awaited}: {text}"),
        }
    }
}
