//! The library beside the episode: what an assertion that is typed or looked at would have stopped. The library is read when it is first
//! asked, and what is new in it whenever some time has passed; one question at a time is worked on, and of those about texts only the
//! newest waits.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stepwright_driver::{Service, SessionView, WorkDesk, WorkResult};
use stepwright_episode::action_of_effects;
use stepwright_library::{Library, Shelf};
use stepwright_program::Role;
use stepwright_protocol::{Command, Level, LibraryCommand, Notice};

/// How long what was read counts as all there is, while nothing happens in the session.
const FRESH: Duration = Duration::from_secs(5);

pub struct LibraryService {
    shelf: Shelf,
    read: Arc<Mutex<Read>>,
    is_working: bool,
    waiting: VecDeque<LibraryCommand>,
}

#[derive(Default)]
struct Read {
    library: Library,
    /// When it was read, and how many records the session had then.
    at: Option<(Instant, u64)>,
    /// The remarks made on it last.
    said: Vec<String>,
}

impl LibraryService {
    pub fn new(shelf: Shelf) -> Self {
        let read = Read { library: Library::new(shelf.cache.clone(), shelf.worlds.clone()), ..Read::default() };
        LibraryService { shelf, read: Arc::new(Mutex::new(read)), is_working: false, waiting: VecDeque::new() }
    }

    fn next(&mut self, view: &mut SessionView<'_>) {
        let Some(command) = self.waiting.pop_front() else { return };
        self.is_working = true;
        let (shelf, read) = (self.shelf.clone(), Arc::clone(&self.read));
        let (world, records) = (view.session.header.world.clone(), view.session.records());
        let functions = view.program.specification().functions().iter().filter(|f| f.role == Role::Action);
        let params: Vec<(String, Vec<String>)> = functions.map(|f| (f.name.clone(), f.params.clone())).collect();
        view.work(move |desk| {
            let mut read = read.lock().unwrap_or_else(PoisonError::into_inner);
            read.renew(&shelf, records, desk);
            let own = |action: &str| {
                let name = action_of_effects(action).unwrap_or(action);
                params.iter().find(|(known, _)| known == name).map(|(_, params)| params.as_slice())
            };
            match command {
                LibraryCommand::Ready { action } => read.library.ready(Some(&world), &action, own(&action)),
                LibraryCommand::Weigh { token, action, text } => {
                    let impact = read.library.impact(Some(&world), &action, own(&action), &text);
                    desk.tell(Notice::Impact { token, impact: impact.map(Arc::new).map_err(|e| e.to_string()) });
                }
                LibraryCommand::Show { token, stopped, action, text } => {
                    match read.library.look(&stopped, &action, &text) {
                        Some(look) => desk.tell(Notice::DecisionShown { token, look: Arc::new(look) }),
                        None => desk.say(Level::Warning, format!("{} is not in the library any more", stopped.place())),
                    }
                }
            }
        });
    }
}

impl Read {
    /// Reads what is new. The session is in the library too: after a step it is asked once, and the answer has to know that step.
    fn renew(&mut self, shelf: &Shelf, records: u64, desk: &WorkDesk) {
        if self.at.is_some_and(|(at, known)| known == records && at.elapsed() < FRESH) {
            return;
        }
        let tell = |done: usize, total: usize| {
            desk.tell(Notice::Progress { what: "reading the library".to_owned(), done, total });
        };
        let (is_first, mut told) = (self.at.is_none(), false);
        self.library.index.refresh(&shelf.places(), &mut |done, total| {
            if is_first && done > 0 && done.is_multiple_of((total / 50).max(20)) {
                told = true;
                tell(done, total);
            }
            desk.keep_running()
        });
        if told {
            tell(1, 1);
        }
        // What was stopped goes on at the next question.
        self.at = desk.keep_running().then(|| (Instant::now(), records));
        let problems: Vec<String> = self.library.index.problems().into_iter().map(str::to_owned).collect();
        if problems != self.said
            && let Some(first) = problems.first()
        {
            let more = problems.len() - 1;
            let more = if more == 0 { String::new() } else { format!(", and {more} more (`stepwright library list`)") };
            desk.say(Level::Warning, format!("{first}{more}; the rest of the library was read"));
        }
        self.said = problems;
    }
}

impl Service for LibraryService {
    fn command(&mut self, command: Command, view: &mut SessionView<'_>) -> Option<Command> {
        let Command::Library(command) = command else { return Some(command) };
        if matches!(command, LibraryCommand::Weigh { .. }) {
            self.waiting.retain(|waiting| !matches!(waiting, LibraryCommand::Weigh { .. }));
        }
        self.waiting.push_back(command);
        if !self.is_working {
            self.next(view);
        }
        None
    }

    fn worked(&mut self, result: WorkResult, view: &mut SessionView<'_>) {
        if let Err(broke) = result {
            view.say(Level::Error, broke);
        }
        self.is_working = false;
        self.next(view);
    }

    fn cancel(&mut self, _view: &mut SessionView<'_>) {
        self.waiting.clear();
    }
}
