//! Connection to the agent: the proxy that it asks and its process, brought to the step that is wanted.
//!
//! Going back ends the process. It is started anew, in a fresh copy of its workspace, and fed the answers that are recorded; each of its
//! requests is compared with the recorded one. An answer goes out only if it is, byte for byte, the one that was decided about.

use std::collections::VecDeque;
use std::process::{ExitStatus, Stdio};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::RecvTimeoutError;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use stepwright_confine::group::Group;
use stepwright_episode::{Action, AskedOf, StepOutcome};
use stepwright_proxy::{Agent, Copied, Launch, Notice, Pending, Proxy, Stream, Upstream, senders};
use stepwright_wire::{Answer, Aside, Delta, Request, difference};

use super::said::{Said, said};
use super::task::Task;
use stepwright_world::answer::{self, Asked, toolbox};
use stepwright_world::remote::{History, ProcessStatus, Standing, Stop};
use stepwright_world::{AgentCommand, Outcome, WorldError};

/// How often it is looked whether somebody still waits, and whether the agent still runs.
const LOOK: Duration = Duration::from_millis(20);
/// How long requests that an agent sent before it ended may take to arrive.
const PARTING: Duration = Duration::from_millis(150);
/// How often the agent is looked after while its request is thought about.
const IDLE: Duration = Duration::from_millis(200);
/// How long a client that gave up a request may take to ask for the same again: clients pause between two attempts.
const AGAIN: Duration = Duration::from_secs(10);
/// What the next step does with an agent that runs no more.
const STARTS_AGAIN: &str = "the next step starts it again and feeds it its recorded answers";
/// How long the command may take that tells whether the goal is reached: a suite of tests has time for itself, and one that hangs holds
/// up no run.
const JUDGING: Duration = Duration::from_secs(1800);
/// Lines of its output that are shown at the end.
const LAST_LINES: usize = 20;
/// Most bytes of each text of a difference that are shown.
const SHOWN: usize = 400;

/// A step of the episode: the answer, and what the agent asked then.
#[derive(Debug)]
pub(super) struct Step {
    /// The answer; `None` for the start.
    pub(super) action: Option<Action>,
    /// The request that came since; `None` at the end.
    pub(super) asked: Option<Arc<Asked>>,
    /// The conversation, from 0.
    thread: usize,
}

/// Whether a command ends within so long; it is looked meanwhile whether somebody still waits.
pub(super) fn ends_within(
    command: &Group,
    limit: Duration,
    awaited: impl Fn() -> Result<(), WorldError>,
) -> Result<bool, WorldError> {
    let began = Instant::now();
    while !command.has_ended() {
        awaited()?;
        if began.elapsed() >= limit {
            return Ok(false);
        }
        std::thread::sleep(LOOK);
    }
    Ok(true)
}

/// Goes along a recorded step.
pub(super) fn recall(way: &mut History<Step>, action: Option<&Action>, outcome: &StepOutcome) {
    let asked = outcome.asked.as_ref().and_then(|recorded| {
        let before = last_asked(way, recorded.thread).map_or_else(|| Arc::from(""), |asked| Arc::clone(&asked.body));
        let body: Arc<str> = recorded.added.apply(&before).ok()?.into();
        let request = Request::read(recorded.api, &body).ok()?;
        let tools = toolbox(&request);
        Some((recorded.thread, Arc::new(Asked { tools, request, body, thread: name(recorded.thread), sender: 0 })))
    });
    let (thread, asked) = asked.map_or((0, None), |(thread, asked)| (thread, Some(asked)));
    way.push(Arc::new(Step { action: action.cloned(), asked, thread }));
}

/// The last request of a conversation.
fn last_asked(way: &History<Step>, thread: usize) -> Option<&Arc<Asked>> {
    way.steps.iter().rev().filter(|step| step.thread == thread).find_map(|step| step.asked.as_ref())
}

/// The last request of a conversation, and what it was answered with: nothing where it got an error.
fn answered(way: &History<Step>, thread: usize) -> Option<(Arc<Asked>, Answer)> {
    let pairs = way.steps.windows(2).rev();
    let of = pairs.filter_map(|pair| match pair {
        [from, to] => Some((from.asked.as_ref().filter(|_| from.thread == thread)?, to.action.as_ref()?)),
        _ => None,
    });
    let (asked, action) = { of }.next()?;
    let answer = if answer::is_refusal(action) { Answer::default() } else { answer::whole(action).ok()?.answer() };
    Some((Arc::clone(asked), answer))
}

/// How a request differs from the recorded one.
fn differs(recorded: Option<&Asked>, now: Option<&Asked>, aside: &Aside) -> Option<String> {
    let body = |asked: Option<&Asked>| asked.map(|asked| Arc::clone(&asked.body)).unwrap_or_else(|| Arc::from("null"));
    let found = difference(&body(recorded), &body(now), aside)?;
    let short = |text: &str| match text.char_indices().nth(SHOWN) {
        Some((end, _)) => format!("{}…", &text.get(..end).unwrap_or_default()),
        None => text.to_owned(),
    };
    let at = if found.place.is_empty() { "the whole request".to_owned() } else { found.place };
    Some(format!("at {at} it asked\n{}\nand asks now\n{}", short(&found.recorded), short(&found.now)))
}

/// Whether a step that was taken is the one that is recorded.
fn is_same(taken: &Step, recorded: &Step, aside: &Aside) -> bool {
    taken.action == recorded.action && differs(recorded.asked.as_deref(), taken.asked.as_deref(), aside).is_none()
}

fn has_ended(inner: &Inner) -> bool {
    inner.run.as_ref().and_then(|run| run.agent.as_ref()).is_some_and(Agent::has_ended)
}

/// How a process ended.
fn exit_words(exit: ExitStatus) -> String {
    exit.code().map_or_else(|| exit.to_string(), |code| format!("exit code {code}"))
}

/// The last lines that the agent wrote.
fn last_lines(inner: &Inner) -> Vec<String> {
    let (lines, _) = inner.run.as_ref().and_then(|run| run.agent.as_ref()).map(Agent::output).unwrap_or_default();
    let from = lines.len().saturating_sub(LAST_LINES);
    lines.into_iter().skip(from).map(|(_, line)| line).collect()
}

/// Looks after the agent of a connection until that is closed or gone.
fn look_after(link: &Weak<Link>) {
    loop {
        std::thread::sleep(IDLE);
        let Some(link) = link.upgrade() else { return };
        // Whoever holds it takes a step, and sees for itself.
        let Ok(mut inner) = link.inner.try_lock() else { continue };
        if link.closed.load(Ordering::SeqCst) {
            inner.put_away();
            return;
        }
        link.look(&mut inner);
    }
}

/// A conversation's name.
fn name(thread: usize) -> String {
    format!("conversation {}", thread + 1)
}

pub(super) struct Link {
    command: Arc<AgentCommand>,
    task: Arc<Task>,
    inner: Mutex<Inner>,
    pub(super) standing: Standing,
    closed: AtomicBool,
    me: Weak<Link>,
}

/// Held while a step is taken.
#[derive(Default)]
struct Inner {
    proxy: Option<Proxy>,
    run: Option<Run>,
    at: History<Step>,
    /// Whether it asked otherwise than recorded at the last step, in a replay.
    differs: bool,
    /// Copies of the workspace, kept as long as the session.
    copies: Vec<Copied>,
    upstream: Option<Arc<Upstream>>,
}

/// A run of the agent.
struct Run {
    /// None where it was started elsewhere.
    agent: Option<Agent>,
    /// What waits for an answer, the one that is decided about first.
    waiting: VecDeque<(Pending, Arc<Asked>)>,
    folder: Option<String>,
    /// How it ended by itself, if it did.
    exit: Option<ExitStatus>,
}

impl Inner {
    fn put_away(&mut self) {
        self.run = None;
        self.proxy = None;
        self.copies.clear();
    }
}

impl Run {
    /// A request, if it is the one that is decided about.
    fn first(&self, id: u64) -> Option<&Pending> {
        self.waiting.front().map(|(first, _)| first).filter(|first| first.id == id)
    }

    fn is_awaited(&self) -> bool {
        self.waiting.iter().any(|(pending, _)| pending.is_awaited())
    }

    /// Forgets a request that nobody waits for; it may have been asked for again meanwhile.
    fn forget(&mut self, id: u64) {
        self.waiting.retain(|(pending, _)| pending.id != id || pending.is_awaited());
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Link {
    pub(super) fn new(command: Arc<AgentCommand>, task: Arc<Task>) -> Arc<Self> {
        let (inner, standing) = (Mutex::default(), Standing::default());
        let closed = AtomicBool::new(false);
        Arc::new_cyclic(|me| Link { command, task, inner, standing, closed, me: Weak::clone(me) })
    }

    /// Starts the agent. One that waits at its first request already is not started again.
    pub(super) fn reset(&self, seed: u64, stop: &Stop) -> Result<(Arc<Step>, Outcome), WorldError> {
        let mut inner = lock(&self.inner);
        if inner.run.is_none() || inner.at.steps.len() != 1 || inner.at.seed != seed {
            self.start(&mut inner, seed, stop)?;
        }
        let step =
            inner.at.steps.first().cloned().ok_or_else(|| WorldError::Failed("the agent is at no step".to_owned()))?;
        let outcome = self.outcome(&inner, &History::default(), &step, stop)?;
        self.standing.ring(ProcessStatus::Ready);
        Ok((step, outcome))
    }

    /// Answers at the end of a history; the agent is brought there first.
    pub(super) fn act(&self, history: &mut History<Step>, action: &Action, stop: &Stop) -> Result<Outcome, WorldError> {
        let mut inner = lock(&self.inner);
        let before = if Self::was_taken(&inner, history, action) {
            history.clone()
        } else {
            self.bring(&mut inner, history, stop)?;
            let before = inner.at.clone();
            self.go_on(&mut inner, action, stop)?;
            before
        };
        inner.differs = false;
        let step =
            inner.at.steps.last().cloned().ok_or_else(|| WorldError::Failed("the agent is at no step".to_owned()))?;
        let outcome = self.outcome(&inner, &before, &step, stop)?;
        history.push(step);
        if outcome.done {
            // What is left of it goes with the next start.
            self.standing.ring(ProcessStatus::Resting);
        } else {
            self.standing.ring(ProcessStatus::Ready);
        }
        Ok(outcome)
    }

    pub(super) fn restart(&self, history: &mut History<Step>, stop: &Stop) -> Result<(), WorldError> {
        let mut inner = lock(&self.inner);
        inner.run = None;
        self.bring(&mut inner, history, stop)?;
        self.standing.ring(ProcessStatus::Ready);
        Ok(())
    }

    fn aside(inner: &Inner) -> Aside {
        let now = inner.run.as_ref().and_then(|run| run.folder.clone());
        let pairs = inner.copies.iter().map(|copy| copy.path().display().to_string());
        Aside { folders: pairs.zip(std::iter::repeat(now)).filter_map(|(was, now)| Some((was, now?))).collect() }
    }

    /// Whether a replay just gave that answer at the end of a history, and the agent asked otherwise than recorded: a person who goes on
    /// from there decided about that, and the agent is not started once more, to ask who knows what.
    fn was_taken(inner: &Inner, history: &History<Step>, action: &Action) -> bool {
        let aside = Self::aside(inner);
        let last = inner.at.beyond(history, |a, b| is_same(a, b, &aside));
        inner.differs && inner.run.is_some() && last.is_some_and(|step| step.action.as_ref() == Some(action))
    }

    /// Brings the agent to the end of a history, from its start if need be.
    fn bring(&self, inner: &mut Inner, history: &mut History<Step>, stop: &Stop) -> Result<(), WorldError> {
        if history.steps.is_empty() {
            return Err(WorldError::Failed("the agent was not started yet".to_owned()));
        }
        let aside = Self::aside(inner);
        inner.differs = false;
        let there = inner.run.is_some() && inner.at.leads_to(history, |a, b| is_same(a, b, &aside));
        if !there {
            self.start(inner, history.seed, stop)?;
            self.compare(inner, history, 0)?;
        }
        let known = inner.at.steps.len();
        for number in known..history.steps.len() {
            let Some(action) = history.steps.get(number).and_then(|step| step.action.clone()) else { continue };
            self.standing.ring(ProcessStatus::Working(format!(
                "feeding recorded answer {number} of {}",
                history.steps.len() - 1
            )));
            // Of several that ask it is the one that asked then.
            self.turn_to(inner, history, number - 1);
            self.go_on(inner, &action, stop)?;
            self.compare(inner, history, number).inspect_err(|_| inner.differs = true)?;
        }
        let at = inner.at.steps.len() - 1;
        self.turn_to(inner, history, at);
        history.steps = Arc::clone(&inner.at.steps);
        Ok(())
    }

    /// Puts the request that was decided about at a step before the others that wait.
    fn turn_to(&self, inner: &mut Inner, history: &History<Step>, number: usize) {
        let aside = Self::aside(inner);
        let wanted = history.steps.get(number).and_then(|step| step.asked.clone());
        let Some(run) = &mut inner.run else { return };
        let same = |(_, asked): &(Pending, Arc<Asked>)| differs(wanted.as_deref(), Some(asked), &aside).is_none();
        if let Some(found) = run.waiting.iter().position(same).filter(|at| *at > 0)
            && let Some(request) = run.waiting.remove(found)
        {
            run.waiting.push_front(request);
        }
    }

    fn compare(&self, inner: &mut Inner, history: &History<Step>, number: usize) -> Result<(), WorldError> {
        self.turn_to(inner, history, number);
        // The step is that of the request which is decided about.
        let front =
            inner.run.as_ref().and_then(|run| run.waiting.front()).map(|(p, asked)| (p.thread, Arc::clone(asked)));
        let aside = Self::aside(inner);
        let recorded = history.steps.get(number).and_then(|step| step.asked.as_deref());
        if let Some(difference) = differs(recorded, front.as_ref().map(|(_, asked)| asked.as_ref()), &aside) {
            self.standing.ring(ProcessStatus::Ready);
            let step = if number == 0 { "the start".to_owned() } else { format!("step {number}") };
            return Err(WorldError::Differs { step: number, what: format!("{step}: {difference}") });
        }
        let steps = Arc::make_mut(&mut inner.at.steps);
        if let (Some((thread, asked)), Some(last)) = (front, steps.last_mut()) {
            *last = Arc::new(Step { action: last.action.clone(), asked: Some(asked), thread });
        }
        Ok(())
    }

    /// Starts the agent and waits for its first request.
    fn start(&self, inner: &mut Inner, seed: u64, stop: &Stop) -> Result<(), WorldError> {
        self.check(stop)?;
        inner.run = None;
        let first = inner.at.steps.is_empty();
        inner.at = History { task: self.task.id.clone(), seed, steps: Arc::default() };
        let failed = |what: &str, e: std::io::Error| WorldError::Failed(format!("{what}: {e}"));
        if inner.proxy.is_none() {
            let (proxy, upstream) = self.command.door().map_err(WorldError::Failed)?;
            (inner.proxy, inner.upstream) = (Some(proxy), Some(upstream));
            let me = Weak::clone(&self.me);
            let watch = std::thread::Builder::new().name("agent-idle".into()).spawn(move || look_after(&me));
            watch.map_err(|e| failed("the agent cannot be watched", e))?;
        }
        let Some(proxy) = &inner.proxy else { return Err(WorldError::Failed("there is no proxy".to_owned())) };
        // What a run before had asked is of no interest any more; an agent that is started elsewhere may have asked already.
        if !(self.is_elsewhere() && first) {
            proxy.reset();
            while proxy.notices().try_recv().is_ok() {}
        }
        let mut folder = None;
        if let Some(source) = &self.command.workspace {
            let place = |e| failed(&format!("{} cannot be copied", source.display()), e);
            let mut copy = Copied::of(source, &std::env::temp_dir()).map_err(place)?;
            if self.command.keep_workspaces {
                copy.keep();
            }
            folder = Some(copy.path().to_owned());
            inner.copies.push(copy);
        }
        let agent = if self.is_elsewhere() {
            if self.command.listen.is_none() {
                return Err(WorldError::Failed(
                    "the agent's command is not known here; open the session with: stepwright gate --open FILE -- COMMAND".to_owned(),
                ));
            }
            self.standing.ring(ProcessStatus::Working(format!("waiting for an agent at {}", proxy.url())));
            None
        } else {
            self.standing.ring(ProcessStatus::Working(format!("starting `{}`", self.command.command_line())));
            Some(self.launch(proxy, folder.as_deref())?)
        };
        let folder = folder.map(|folder| folder.display().to_string());
        inner.run = Some(Run { agent, waiting: VecDeque::new(), folder, exit: None });
        self.wait(inner, stop)?;
        self.arrive(inner, None);
        Ok(())
    }

    fn launch(&self, proxy: &Proxy, folder: Option<&std::path::Path>) -> Result<Agent, WorldError> {
        let filled = |text: &str| text.replace("{task}", &self.task.task).replace("{id}", &self.task.id);
        let mut variables = proxy.variables(&self.command.variables, |name| std::env::var(name).ok());
        variables.push(("STEPWRIGHT_TASK".to_owned(), self.task.task.clone()));
        variables.push(("STEPWRIGHT_TASK_ID".to_owned(), self.task.id.clone()));
        variables.extend(self.task.env.iter().map(|(name, value)| (name.clone(), filled(value))));
        let words = self.command.words.iter().map(|word| filled(word)).collect();
        let echo = self.command.echo;
        let launch = Launch { words, folder: folder.map(Into::into), variables };
        let output = move |of: Stream, line: &str| {
            use std::io::Write;
            // Nobody who reads it any more is no error of the agent's.
            let _ = match of {
                _ if !echo => Ok(()),
                Stream::Out => writeln!(std::io::stdout(), "{line}"),
                Stream::Err => writeln!(std::io::stderr(), "{line}"),
            };
        };
        Agent::start(&launch, output).map_err(|e| {
            let advice = match e.kind() {
                std::io::ErrorKind::NotFound => "; is the program installed?",
                std::io::ErrorKind::PermissionDenied => "; may it be executed?",
                _ => "",
            };
            WorldError::Failed(format!("`{}` cannot be started: {e}{advice}", self.command.command_line()))
        })
    }

    /// Gives an answer to the request that is decided about, and waits for what comes next.
    fn go_on(&self, inner: &mut Inner, action: &Action, stop: &Stop) -> Result<(), WorldError> {
        let (reply, digest) = answer::reply(action).map_err(WorldError::Failed)?;
        let number = inner.at.steps.len();
        self.is_asked_for(inner, stop)?;
        let Some((pending, _)) = inner.run.as_mut().and_then(|run| run.waiting.pop_front()) else {
            return Err(WorldError::Failed("the agent asks nothing, so that nothing can be answered".to_owned()));
        };
        self.standing.ring(ProcessStatus::Working(format!("step {number}: the agent goes on")));
        let id = pending.id;
        pending.answer(reply);
        self.delivered(inner, id, digest.as_deref(), stop)?;
        // Nothing here sees the end of an agent that was started elsewhere: who stops waiting for it twice says that it has ended.
        let mut is_asked = false;
        loop {
            match self.wait(inner, stop) {
                Err(_) if self.is_elsewhere() && stop.is_set() && !self.closed.load(Ordering::SeqCst) => {
                    if is_asked {
                        inner.run = None;
                        break;
                    }
                    is_asked = true;
                    stop.clear();
                    let words = format!(
                        "step {number}: the agent has its answer and may ask again; once more says that it has ended"
                    );
                    self.standing.ring(ProcessStatus::Working(words));
                }
                waited => {
                    waited?;
                    break;
                }
            }
        }
        self.arrive(inner, Some(action));
        Ok(())
    }

    /// Waits until a client waits for what is decided about: one that gave up may ask again, and gets its answer then.
    fn is_asked_for(&self, inner: &mut Inner, stop: &Stop) -> Result<(), WorldError> {
        self.look(inner);
        let mut since = None;
        while let Some((first, _)) = inner.run.as_ref().and_then(|run| run.waiting.front())
            && !first.is_awaited()
        {
            let since: Instant = *since.get_or_insert_with(|| {
                let words = "the agent gave up this request and may ask again".to_owned();
                self.standing.ring(ProcessStatus::Working(words));
                Instant::now()
            });
            if has_ended(inner) || since.elapsed() > AGAIN {
                return Err(self.undelivered(inner));
            }
            if let Some(notice) = self.notice(inner, stop)? {
                self.take_in_idle(inner, notice);
            }
        }
        // One that had ended already, and was put away for it.
        if inner.run.is_none() { Err(self.undelivered(inner)) } else { Ok(()) }
    }

    /// Waits until the agent has received its answer, and makes sure that it is the one that was decided about.
    /// Errors: it is another; nobody received it, so that the step is not taken.
    fn delivered(&self, inner: &mut Inner, id: u64, digest: Option<&str>, stop: &Stop) -> Result<(), WorldError> {
        let mut ended: Option<Instant> = None;
        loop {
            match (self.notice(inner, stop)?, ended) {
                (Some(Notice::Delivered { id: of, digest: got }), _) if of == id => {
                    if got.as_deref() == digest {
                        return Ok(());
                    }
                    inner.run = None;
                    return Err(WorldError::Failed(
                        "the agent received another answer than was decided about".to_owned(),
                    ));
                }
                (Some(Notice::GaveUp { id: of }), _) if of == id => return Err(self.undelivered(inner)),
                (Some(notice), _) => self.take_in(inner, notice),
                (None, Some(since)) if since.elapsed() > PARTING => return Err(self.undelivered(inner)),
                (None, None) if has_ended(inner) => ended = Some(Instant::now()),
                (None, _) => {}
            }
        }
    }

    /// That nobody took an answer. The agent is in nobody knows which state: it is started anew.
    fn undelivered(&self, inner: &mut Inner) -> WorldError {
        let how = if inner.run.is_none() || has_ended(inner) { "had ended" } else { "gave up its request" };
        inner.run = None;
        self.standing.ring(ProcessStatus::Resting);
        let then = match self.is_elsewhere() {
            true => "start the agent anew, and it is fed its recorded answers at the next step",
            false => STARTS_AGAIN,
        };
        WorldError::Failed(format!("the answer was not delivered: the agent {how} before it came; {then}"))
    }

    /// Sees, while a request is thought about, whether its client still waits, and whether the agent still runs.
    fn look(&self, inner: &mut Inner) {
        while inner.run.is_some()
            && let Some(notice) = inner.proxy.as_ref().and_then(|proxy| proxy.notices().try_recv().ok())
        {
            self.take_in_idle(inner, notice);
        }
        let Some(run) = inner.run.as_ref() else { return };
        // What it started may still wait, where it has ended itself.
        if run.waiting.is_empty() || run.is_awaited() || !has_ended(inner) {
            return;
        }
        let exit = inner.run.as_mut().and_then(|run| run.agent.as_mut()).and_then(Agent::end);
        let last_words = last_lines(inner);
        inner.run = None;
        let how = exit.map(|exit| format!(" ({})", exit_words(exit))).unwrap_or_default();
        let what = format!("ended{how} while its request waited for an answer");
        self.standing.ring(ProcessStatus::Dead { what, last_words });
    }

    /// Takes in what is said while a request is thought about: that one stays, if its client gives up too.
    fn take_in_idle(&self, inner: &mut Inner, notice: Notice) {
        let Some(run) = &mut inner.run else { return };
        match notice {
            Notice::GaveUp { id } if run.first(id).is_some_and(|first| !first.is_awaited()) => {
                let words = "the agent gave up the request that is decided about; it gets the answer if it asks again";
                self.standing.ring(ProcessStatus::Left(words.to_owned()));
            }
            Notice::GaveUp { id } => run.forget(id),
            Notice::Joined { id } if run.first(id).is_some() => self.standing.ring(ProcessStatus::Ready),
            other => self.take_in(inner, other),
        }
    }

    /// Waits until the agent asks something, or ends.
    fn wait(&self, inner: &mut Inner, stop: &Stop) -> Result<(), WorldError> {
        let mut ended: Option<Instant> = None;
        loop {
            if inner.run.as_ref().is_some_and(|run| !run.waiting.is_empty()) {
                return Ok(());
            }
            match (self.notice(inner, stop)?, ended) {
                (Some(notice), _) => self.take_in(inner, notice),
                (None, Some(since)) if since.elapsed() > PARTING => return Ok(()),
                (None, Some(_)) => {}
                (None, None) if has_ended(inner) => {
                    if let Some(run) = &mut inner.run {
                        run.exit = run.agent.as_mut().and_then(Agent::end);
                        let failed = run.exit.is_some_and(|exit| !exit.success());
                        self.command.failed.store(failed, Ordering::Relaxed);
                    }
                    ended = Some(Instant::now());
                }
                (None, None) => {}
            }
        }
    }

    /// The proxy's next notice, if it comes soon.
    fn notice(&self, inner: &mut Inner, stop: &Stop) -> Result<Option<Notice>, WorldError> {
        if let Err(stopped) = self.check(stop) {
            // One that was started elsewhere runs on, and may be waited for again.
            if !self.is_elsewhere() {
                inner.run = None;
            }
            self.standing.ring(ProcessStatus::Resting);
            return Err(stopped);
        }
        let Some(proxy) = &inner.proxy else { return Err(WorldError::Failed("there is no proxy".to_owned())) };
        match proxy.notices().recv_timeout(LOOK) {
            Ok(notice) => Ok(Some(notice)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => {
                inner.run = None;
                Err(WorldError::Failed("the proxy has ended; restart the world".to_owned()))
            }
        }
    }

    fn take_in(&self, inner: &mut Inner, notice: Notice) {
        let Some(run) = &mut inner.run else { return };
        match notice {
            Notice::Pending(pending) => {
                let (request, body) = (&pending.request, Arc::clone(&pending.body));
                let sender = inner.upstream.as_ref().map_or(0, |upstream| senders::keep(upstream, &pending.ask));
                let asked = Asked {
                    tools: toolbox(request),
                    request: Request::clone(request),
                    body,
                    thread: name(pending.thread),
                    sender,
                };
                run.waiting.push_back((pending, Arc::new(asked)));
            }
            Notice::GaveUp { id } => {
                run.forget(id);
                self.standing.ring(ProcessStatus::Working("the agent gave up a request that waited".to_owned()));
            }
            Notice::Refused { path, why } => tracing::warn!(path, why, "refused"),
            Notice::Passed { method, path, status } => tracing::info!(method, path, status, "passed through"),
            Notice::Joined { .. } | Notice::Delivered { .. } => {}
        }
    }

    /// Notes the step that the agent has come to.
    fn arrive(&self, inner: &mut Inner, action: Option<&Action>) {
        let front = inner.run.as_ref().and_then(|run| run.waiting.front());
        let (thread, asked) = front.map_or((0, None), |(pending, asked)| (pending.thread, Some(Arc::clone(asked))));
        inner.at.push(Arc::new(Step { action: action.cloned(), asked, thread }));
    }

    /// What a step gave; `before`: the history up to it.
    fn outcome(&self, inner: &Inner, before: &History<Step>, step: &Step, stop: &Stop) -> Result<Outcome, WorldError> {
        let taken = step.action.iter().flat_map(Action::calls).filter_map(|call| call.parse().ok());
        let mut calls: Vec<stepwright_program::Call> = taken.collect();
        let action_call = (!calls.is_empty()).then(|| calls.remove(0));
        let Some(asked) = &step.asked else {
            let (observation, reached) = self.end(inner, stop)?;
            return Ok(Outcome {
                observation,
                action_call,
                observation_calls: calls,
                done: true,
                won: reached == Some(true),
                untold: reached.is_none(),
                ..Outcome::default()
            });
        };
        // The answer to the step before belongs to the history too.
        let mut history = before.clone();
        history.push(Arc::new(Step { action: step.action.clone(), asked: None, thread: usize::MAX }));
        let answered = answered(&history, step.thread);
        let other = before.steps.last().is_some_and(|last| last.thread != step.thread);
        let Said { observation, calls: results } = said(
            answered.as_ref().map(|(asked, answer)| (&asked.request, answer)),
            &asked.request,
            &asked.tools,
            other.then_some(asked.thread.as_str()),
        );
        calls.extend(results);
        let body = last_asked(before, step.thread).map_or("", |asked| asked.body.as_ref());
        let added = Delta::of(body, &asked.body);
        let asked = Some(Arc::new(AskedOf { api: asked.request.api, thread: step.thread, added }));
        Ok(Outcome { observation, action_call, observation_calls: calls, asked, ..Outcome::default() })
    }

    /// How the agent ended, in words, and whether the goal is reached.
    fn end(&self, inner: &Inner, stop: &Stop) -> Result<(String, Option<bool>), WorldError> {
        let exit = inner.run.as_ref().and_then(|run| run.exit);
        let how = match exit {
            Some(exit) => format!("The agent ended, {}.", exit_words(exit)),
            None if self.is_elsewhere() => "The agent asked no more, and a person stopped waiting.".to_owned(),
            None => "The agent ended.".to_owned(),
        };
        let last = last_lines(inner).join("\n");
        let (goal, reached) = match &self.command.success {
            None => ("Whether the goal is reached is not known (--success says how to find out).".to_owned(), None),
            Some(command) => match self.succeeded(inner, command, stop)? {
                Ok(true) => (format!("The goal is reached: `{command}` succeeds."), Some(true)),
                Ok(false) => (format!("The goal is not reached: `{command}` fails."), Some(false)),
                Err(why) => (format!("Whether the goal is reached is not known: `{command}` {why}"), None),
            },
        };
        let output = if last.trim().is_empty() { String::new() } else { format!("\nIts output:\n{last}") };
        let folder = inner.run.as_ref().and_then(|run| run.folder.as_ref()).filter(|_| self.command.keep_workspaces);
        let kept = folder.map(|folder| format!(" Its workspace is kept: {folder}")).unwrap_or_default();
        Ok((format!("{how} {goal}{kept}{output}"), reached))
    }

    /// Runs the command that tells whether the goal is reached; it ends with all that it started when the step is stopped.
    fn succeeded(&self, inner: &Inner, command: &str, stop: &Stop) -> Result<Result<bool, String>, WorldError> {
        self.standing.ring(ProcessStatus::Working(format!("asking `{command}` whether the goal is reached")));
        let folder = inner.run.as_ref().and_then(|run| run.folder.as_ref());
        let shell = Group::start("/bin/sh", &["-c".to_owned(), command.to_owned()], |shell| {
            shell.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
            if let Some(folder) = folder {
                shell.current_dir(folder);
            }
        });
        let mut shell = match shell {
            Ok(shell) => shell,
            Err(e) => return Ok(Err(format!("cannot be run: {e}"))),
        };
        let ended = ends_within(&shell, JUDGING, || self.check(stop))?;
        let exit = shell.end(Duration::ZERO);
        Ok(match exit.and_then(|exit| exit.code()) {
            _ if !ended => Err(format!("has not ended after {} minutes", JUDGING.as_secs() / 60)),
            // So a shell says that there is no such command, or that it may not be run: nothing was found out.
            Some(code @ (126 | 127)) => Err(format!("cannot be run: the shell ends with exit code {code}")),
            _ => Ok(exit.is_some_and(|exit| exit.success())),
        })
    }

    /// Whether the agent is started by somebody else, who asks where this listens.
    fn is_elsewhere(&self) -> bool {
        self.command.words.is_empty()
    }

    fn check(&self, stop: &Stop) -> Result<(), WorldError> {
        if !self.closed.load(Ordering::SeqCst) && !stop.is_set() {
            return Ok(());
        }
        let why = match self.is_elsewhere() {
            true => "it was stopped before the agent asked; the next step waits for it again".to_owned(),
            false => format!("it was stopped before the agent asked again. The agent was ended; {STARTS_AGAIN}"),
        };
        Err(WorldError::Failed(why))
    }

    pub(super) fn close(&self) {
        self.closed.store(true, Ordering::SeqCst);
        // The thread that waits ends it; if there is none, it is ended here.
        if let Ok(mut inner) = self.inner.try_lock() {
            inner.put_away();
        }
    }
}
