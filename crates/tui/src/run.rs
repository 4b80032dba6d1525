//! Main loop: one channel in, all that is pending folded, one frame if something changed, effects carried out.
//!
//! Blocks while nothing happens: no timer runs unless something is debounced or frames come faster than `FRAME`.

use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Arc;
use std::sync::mpsc::{self, Receiver, RecvTimeoutError, Sender};
use std::time::{Duration, Instant};

use signal_hook::consts::{SIGCONT, SIGTSTP};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::app::{App, Effect, Parts};
use super::event::{self, Message};
use super::keymap::Keymap;
use super::launcher::{Choice, Launcher};
use super::manner::Manner;
use super::pane::Pane;
use super::terminal::{self, Screen};
use super::theme::Theme;
use stepwright_method::Methods;
use stepwright_protocol::{Command, Level, Notice};
use stepwright_world::Kinds;

/// Least time between two frames that no key asked for.
const FRAME: Duration = Duration::from_millis(10);

/// How long the driver may take to flush and stop once the terminal has been given back.
const PATIENCE: Duration = Duration::from_millis(700);

/// How long a stop by the terminal's keys is waited for.
const STOPPING: Duration = Duration::from_secs(3);

pub struct Options {
    pub panes: Vec<Box<dyn Pane>>,
    pub keymap: Keymap,
    pub themes: Vec<Theme>,
    /// The worlds there are.
    pub worlds: Kinds,
    /// The methods there are, and the kinds of documents.
    pub methods: &'static Methods,
    pub mouse: bool,
    pub open: Option<PathBuf>,
    /// What to begin at once, where nothing is opened.
    pub begin: Option<Choice>,
    pub manner: Manner,
    /// A fault found while starting, shown in the message line.
    pub problem: Option<String>,
    /// Where others look on.
    pub mirror: Option<String>,
}

#[derive(Debug, Clone)]
pub struct Left {
    /// 0, or 128 + n after signal n.
    pub code: ExitCode,
    /// The file of the session that was shown last, if it was written to.
    pub session: Option<PathBuf>,
    /// What went wrong with keeping it while it was left.
    pub problem: Option<String>,
    /// Whether it is kept in another file for that.
    pub elsewhere: bool,
}

/// Runs the workbench until the person leaves.
pub fn run(launcher: Arc<dyn Launcher>, options: Options) -> std::io::Result<Left> {
    let (to, messages) = mpsc::channel();
    let screen = Screen::enter(options.mouse)?;
    let panicked = to.clone();
    terminal::install_panic_hook(move || {
        let _ = panicked.send(Message::Panicked);
    });
    event::read_signals(to.clone())?;
    event::read_terminal(to.clone());
    let Options { panes, keymap, themes, worlds, methods, .. } = options;
    let mut app = App::new(Parts { panes, keymap, themes, worlds, methods });
    app.show_in(options.manner, options.mirror);
    if let Some(path) = options.open {
        app.open_at_once(path);
    } else if let Some(choice) = options.begin {
        app.begin(choice);
    }
    if let Some(problem) = options.problem {
        app.say(Level::Warning, problem);
    }
    let workbench = Workbench {
        app,
        screen,
        launcher,
        messages,
        to,
        commands: None,
        generation: 0,
        launch: 0,
        drawn: None,
        fetch: CancellationToken::new(),
        waiting: Vec::new(),
    };
    workbench.run()
}

enum End {
    Quit,
    Signal(i32),
    Panicked,
    Failed(std::io::Error),
}

struct Workbench {
    app: App,
    screen: Screen,
    launcher: Arc<dyn Launcher>,
    messages: Receiver<Message>,
    to: Sender<Message>,
    commands: Option<UnboundedSender<Command>>,
    generation: u64,
    launch: u64,
    drawn: Option<Instant>,
    fetch: CancellationToken,
    /// Messages that arrived while something else was waited for.
    waiting: Vec<Message>,
}

impl Workbench {
    fn run(mut self) -> std::io::Result<Left> {
        let end = self.turns();
        let code = match &end {
            End::Quit => 0,
            End::Panicked => 101,
            End::Signal(signal) => event::code_of(*signal),
            End::Failed(_) => 1,
        };
        event::end_at_last(code);
        terminal::leave();
        let before = self.app.view.path.clone();
        let problem = self.stop_driver();
        let elsewhere = self.app.view.path != before;
        let code = if problem.is_some() && code == 0 { 1 } else { code };
        // Not to come back to the same place is no reason to fail.
        let _ = self.keep_place();
        match end {
            End::Failed(error) => Err(error),
            _ => Ok(Left { code: ExitCode::from(code), session: self.app.view.path.take(), problem, elsewhere }),
        }
    }

    fn turns(&mut self) -> End {
        loop {
            if let Err(end) = self.turn() {
                return end;
            }
        }
    }

    /// Effects, a frame if due, then everything that arrived.
    fn turn(&mut self) -> Result<(), End> {
        self.app.settle(Instant::now());
        for effect in self.app.take_effects() {
            self.carry_out(effect)?;
        }
        let mut until = self.app.next_wake();
        if self.app.is_dirty() {
            let due = self.drawn.map_or_else(Instant::now, |d| d + FRAME);
            if due <= Instant::now() {
                self.draw()?;
            } else {
                until = Some(until.map_or(due, |u| u.min(due)));
            }
        }
        let mut pressed = false;
        let mut next = self.receive(until)?;
        while let Some(message) = next {
            pressed |= matches!(message, Message::Terminal(_) | Message::AtOnce(_));
            self.message(message)?;
            next = self.messages.try_recv().ok();
        }
        self.app.wake(Instant::now());
        if pressed {
            // A person sees the answer to a key at once, whatever streams meanwhile.
            self.drawn = None;
        }
        Ok(())
    }

    fn receive(&mut self, until: Option<Instant>) -> Result<Option<Message>, End> {
        if !self.waiting.is_empty() {
            return Ok(Some(self.waiting.remove(0)));
        }
        let gone = || End::Failed(std::io::Error::other("nothing is left to wait for"));
        let Some(until) = until else { return self.messages.recv().map(Some).map_err(|_| gone()) };
        match self.messages.recv_timeout(until.saturating_duration_since(Instant::now())) {
            Ok(message) => Ok(Some(message)),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(gone()),
        }
    }

    fn draw(&mut self) -> Result<(), End> {
        let app = &mut self.app;
        self.screen.draw(|frame| app.draw(frame)).map_err(End::Failed)?;
        self.drawn = Some(Instant::now());
        Ok(())
    }

    fn message(&mut self, message: Message) -> Result<(), End> {
        let now = Instant::now();
        #[cfg(debug_assertions)]
        if matches!(message, Message::Terminal(crossterm::event::Event::Key(_))) {
            panic_if_asked();
        }
        match message {
            Message::Terminal(event) => self.app.terminal(event, now),
            Message::AtOnce(text) => self.app.typed_at_once(&text, now),
            Message::TerminalGone(why) => return Err(End::Failed(std::io::Error::other(why))),
            Message::Notice(generation, notice) if generation == self.generation => self.app.notice(notice),
            Message::DriverGone(generation) if generation == self.generation => {
                self.commands = None;
                self.app.driver_gone();
            }
            Message::Notice(..) | Message::DriverGone(_) => {}
            Message::Signal(SIGTSTP) => self.suspend()?,
            // Continued after a stop that could not be caught: the terminal may hold anything now.
            Message::Signal(SIGCONT) => self.reenter()?,
            Message::Signal(signal) => return Err(End::Signal(signal)),
            Message::Catalog(catalog) => self.app.catalog(catalog),
            // Given up while it was starting: letting go of the handle ends it.
            Message::Told(world, tasks) => self.app.told(&world, tasks),
            Message::Launched(launch, _) if launch != self.launch => {}
            Message::Launched(_, Ok(handle)) => {
                if let Err(why) = self.keep_place() {
                    self.app.say(Level::Warning, why);
                }
                // The driver before it flushes and stops; what it still says is stale.
                if let Some(commands) = self.commands.replace(handle.commands) {
                    let _ = commands.send(Command::Quit);
                }
                self.generation += 1;
                event::forward(handle.notices, self.generation, self.to.clone());
            }
            Message::Launched(_, Err(why)) => self.app.launch_failed(why),
            Message::Fetching(words) => self.app.fetch_goes_on(words),
            Message::Fetched(result) => self.app.fetched(result),
            Message::Loaded(result) => self.app.loaded(result.map(|(name, session)| (name, *session))),
            Message::Exported(result) => self.app.exported(result),
            Message::Panicked => return Err(End::Panicked),
        }
        Ok(())
    }

    fn carry_out(&mut self, effect: Effect) -> Result<(), End> {
        let launcher = Arc::clone(&self.launcher);
        let to = self.to.clone();
        match effect {
            Effect::Send(command) => {
                if self.commands.as_ref().is_none_or(|c| c.send(command).is_err()) {
                    self.app.driver_gone();
                }
            }
            Effect::Begin(choice) => {
                let launch = self.next_launch();
                event::in_background("begin", to, move || Message::Launched(launch, launcher.start(&choice)));
            }
            Effect::Open(path) => {
                let launch = self.next_launch();
                event::in_background("open", to, move || Message::Launched(launch, launcher.open(&path)));
            }
            Effect::Visit { file, episode, node } => {
                let launch = self.next_launch();
                event::in_background("visit", to, move || {
                    Message::Launched(launch, launcher.visit(&file, &episode, node))
                });
            }
            Effect::GiveUp => {
                self.next_launch();
            }
            Effect::Catalog => event::in_background("catalog", to, move || Message::Catalog(launcher.catalog())),
            Effect::Tell(world) => event::in_background("tasks", to, move || {
                let tasks = launcher.told(&world);
                Message::Told(world, tasks)
            }),
            Effect::Export { session, form, target } => {
                event::in_background("export", to, move || {
                    Message::Exported(launcher.export(&session, form, &target).map(|()| target))
                });
            }
            Effect::Load(path) => {
                let name =
                    path.file_name().map_or_else(|| path.display().to_string(), |n| n.to_string_lossy().into_owned());
                event::in_background("load", to, move || {
                    Message::Loaded(launcher.load(&path).map(|session| (name, Box::new(session))))
                });
            }
            Effect::Fetch(model) => {
                let (stop, steps) = (CancellationToken::new(), to.clone());
                self.fetch = stop.clone();
                event::in_background("fetch", to, move || {
                    let report = |words| {
                        // Once the workbench is gone nobody is informed, and the fetch ends with the process.
                        let _ = steps.send(Message::Fetching(words));
                    };
                    Message::Fetched(launcher.fetch(&model, &report, &stop))
                });
            }
            Effect::Presented(node) => launcher.presented(node),
            Effect::StopFetch => self.fetch.cancel(),
            Effect::Copy(text) => self.screen.copy(&text).map_err(End::Failed)?,
            Effect::Suspend => self.suspend()?,
            Effect::Repaint => self.repaint()?,
            Effect::Quit => return Err(End::Quit),
        }
        Ok(())
    }

    /// Remembers where the session is looked at that is shown.
    fn keep_place(&self) -> Result<(), String> {
        self.app.place().map_or(Ok(()), |(session, node)| self.launcher.keep_place(session, node))
    }

    /// The number of a driver that is started from now on; those before are not waited for any more.
    fn next_launch(&mut self) -> u64 {
        self.launch += 1;
        self.launch
    }

    fn repaint(&mut self) -> Result<(), End> {
        self.screen.repaint().map_err(End::Failed)?;
        self.draw()
    }

    fn reenter(&mut self) -> Result<(), End> {
        self.screen.reenter().map_err(End::Failed)?;
        self.draw()
    }

    /// Gives the terminal back, stops, and takes it again once continued.
    fn suspend(&mut self) -> Result<(), End> {
        terminal::leave();
        terminal::stop_process();
        // The stop need not have reached this thread yet: only SIGCONT shows that it is over.
        let deadline = Instant::now() + STOPPING;
        while let Ok(message) = self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            match message {
                Message::Signal(SIGCONT) => break,
                Message::Signal(SIGTSTP) => {}
                other => self.waiting.push(other),
            }
        }
        self.reenter()
    }

    /// Lets the driver flush and stop, and hears what it says last: what is wrong with the session's file. Its log is flushed before
    /// anything is shown, so running out of patience loses nothing.
    fn stop_driver(&mut self) -> Option<String> {
        let commands = self.commands.take()?;
        let mut problem = None;
        if commands.send(Command::Quit).is_err() {
            return None;
        }
        drop(commands);
        let deadline = Instant::now() + PATIENCE;
        while let Ok(message) = self.messages.recv_timeout(deadline.saturating_duration_since(Instant::now())) {
            match message {
                Message::Notice(g, Notice::Stopped) | Message::DriverGone(g) if g == self.generation => break,
                Message::Notice(g, notice) if g == self.generation => {
                    if let (None, Notice::Say { level: Level::Error, text }) = (&problem, &notice) {
                        problem = Some(text.clone());
                    }
                    self.app.view.notice(notice);
                }
                _ => {}
            }
        }
        problem
    }
}

/// Panics at the first key where `STEPWRIGHT_DEBUG_PANIC` says so (`draw`, or `thread` for another thread): how tests see that a
/// panic gives the terminal back. Not part of a release build.
#[cfg(debug_assertions)]
#[allow(clippy::panic)]
fn panic_if_asked() {
    match std::env::var("STEPWRIGHT_DEBUG_PANIC").as_deref() {
        Ok("draw") => panic!("asked for by STEPWRIGHT_DEBUG_PANIC"),
        Ok("thread") => {
            std::thread::spawn(|| panic!("asked for by STEPWRIGHT_DEBUG_PANIC"));
        }
        _ => {}
    }
}
