//! Event channel: the one channel everything arrives on, and the threads that feed it: terminal events, notices of the driver, signals.
//!
//! Each thread blocks until there is something; only whether the terminal is still there is looked at once a second. The application
//! interprets the messages.

use std::io::IsTerminal;
use std::sync::mpsc::Sender;
use std::thread;
use std::time::Duration;

use crossterm::event::{Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use signal_hook::consts::{
    SIGALRM, SIGCONT, SIGHUP, SIGINT, SIGIO, SIGPROF, SIGQUIT, SIGSYS, SIGTERM, SIGTRAP, SIGTSTP, SIGUSR1, SIGUSR2,
    SIGVTALRM, SIGXCPU, SIGXFSZ,
};
use signal_hook::iterator::Signals;

use super::launcher::Catalog;
use stepwright_episode::Session;
use stepwright_protocol::{Handle, Notice};
use stepwright_world::TaskInfo;

/// A person's typing in a pane or a dialog.
#[derive(Debug, Clone, Copy)]
pub enum Input<'a> {
    Key(KeyEvent),
    Paste(&'a str),
}

#[derive(Debug)]
pub enum Message {
    Terminal(Event),
    /// More characters at once than anyone types.
    AtOnce(String),
    TerminalGone(String),
    /// From the driver of that generation; a new driver makes those before it stale.
    Notice(u64, Notice),
    DriverGone(u64),
    Signal(i32),
    Catalog(Catalog),
    /// A world, and the tasks that its process told.
    Told(String, Vec<TaskInfo>),
    Launched(u64, Result<Handle, String>),
    Fetching(String),
    Fetched(Result<(), String>),
    Loaded(Result<(String, Box<Session>), String>),
    Exported(Result<std::path::PathBuf, String>),
    /// A thread panicked; the terminal has been given back already.
    Panicked,
}

/// How often it is looked whether the terminal is still there.
const LOOK: Duration = Duration::from_secs(1);

/// Feeds terminal events into the channel until either end is gone.
pub(crate) fn read_terminal(to: Sender<Message>) {
    watch_terminal(to.clone());
    spawn("terminal events", move || {
        let more = || matches!(crossterm::event::poll(Duration::ZERO), Ok(true)).then(crossterm::event::read)?.ok();
        loop {
            let messages = match crossterm::event::read() {
                Ok(event) => gathered(event, more),
                Err(error) => vec![Message::TerminalGone(error.to_string())],
            };
            for message in messages {
                let last = matches!(message, Message::TerminalGone(_));
                if to.send(message).is_err() || last {
                    return;
                }
            }
        }
    });
}

/// Characters that are there at once from which on nobody has typed them.
const AT_ONCE: usize = 5;

/// An event with those that are there already. Many characters, not all of one key that is held, are a text that was pasted by a terminal
/// which puts no brackets around it.
fn gathered(first: Event, mut more: impl FnMut() -> Option<Event>) -> Vec<Message> {
    let mut text = String::new();
    let mut events = vec![first];
    while let Some(character) = events.last().and_then(typed) {
        text.push(character);
        match more() {
            Some(event) => events.push(event),
            None => break,
        }
    }
    let several = text.chars().next().is_some_and(|first| text.chars().any(|c| c != first));
    let len = text.chars().count();
    if len < AT_ONCE || !several {
        return events.into_iter().map(Message::Terminal).collect();
    }
    let rest = events.into_iter().skip(len).map(Message::Terminal);
    std::iter::once(Message::AtOnce(text)).chain(rest).collect()
}

/// The character of a key that is typed as text.
fn typed(event: &Event) -> Option<char> {
    let Event::Key(key) = event else { return None };
    let plain = key.modifiers.difference(KeyModifiers::SHIFT).is_empty() && key.kind == KeyEventKind::Press;
    match key.code {
        KeyCode::Char(character) if plain => Some(character),
        KeyCode::Enter if plain => Some('\n'),
        _ => None,
    }
}

/// Reports a terminal that was closed. Who has it as the controlling terminal gets a signal, others none; reading goes on for ever then,
/// with nothing to wait for, so this is looked at from time to time.
fn watch_terminal(to: Sender<Message>) {
    spawn("terminal", move || {
        while std::io::stdin().is_terminal() {
            thread::sleep(LOOK);
        }
        let _ = to.send(Message::TerminalGone("the terminal was closed".to_owned()));
    });
}

/// The signals that end or stop a program and can be caught by a thread: the terminal is given back first. A fault of the program itself
/// (SIGSEGV and its like) ends it before any thread runs.
pub(super) const SIGNALS: [i32; 16] = [
    SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGALRM, SIGUSR1, SIGUSR2, SIGXCPU, SIGXFSZ, SIGVTALRM, SIGPROF, SIGIO, SIGSYS,
    SIGTRAP, SIGTSTP, SIGCONT,
];

/// How long the program may take to end. Beyond that only a terminal that takes no output keeps it.
const ENDING: Duration = Duration::from_secs(4);

pub(crate) fn code_of(signal: i32) -> u8 {
    128_u8.saturating_add(u8::try_from(signal).unwrap_or(0))
}

/// How long giving the terminal back may take then.
const LEAVING: Duration = Duration::from_secs(1);

/// Ends the process, once it should have ended by itself: a terminal that is held takes neither the last frame nor what gives it back,
/// and no write to it returns. Its modes are set back all the same, which needs no output. Where the program was only slow, the
/// terminal is given back as at any end.
pub(crate) fn end_at_last(code: u8) {
    spawn("end", move || {
        thread::sleep(ENDING);
        let (done, left) = std::sync::mpsc::channel();
        spawn("leave", move || {
            super::terminal::leave();
            let _ = done.send(());
        });
        let _ = left.recv_timeout(LEAVING);
        super::terminal::abandon();
        std::process::exit(code.into());
    });
}

/// Feeds the signals that concern the terminal into the channel. After one that ends the program it ends, even where the thread that draws
/// is held by the terminal.
/// Errors: when the system refuses the handlers.
pub(crate) fn read_signals(to: Sender<Message>) -> std::io::Result<()> {
    let mut signals = Signals::new(SIGNALS)?;
    spawn("signals", move || {
        for signal in signals.forever() {
            if !matches!(signal, SIGTSTP | SIGCONT) {
                end_at_last(code_of(signal));
            }
            if to.send(Message::Signal(signal)).is_err() {
                return;
            }
        }
    });
    Ok(())
}

/// Feeds a driver's notices into the channel, marked with its generation.
pub(crate) fn forward(mut notices: tokio::sync::mpsc::UnboundedReceiver<Notice>, generation: u64, to: Sender<Message>) {
    spawn("notices", move || {
        while let Some(notice) = notices.blocking_recv() {
            if to.send(Message::Notice(generation, notice)).is_err() {
                return;
            }
        }
        let _ = to.send(Message::DriverGone(generation));
    });
}

/// Does something slow off the drawing thread and sends what it gives.
pub(crate) fn in_background(name: &str, to: Sender<Message>, work: impl FnOnce() -> Message + Send + 'static) {
    spawn(name, move || {
        let _ = to.send(work());
    });
}

fn spawn(name: &str, work: impl FnOnce() + Send + 'static) {
    // A system without room for one more thread: its messages never arrive, the rest keeps working.
    let _ = thread::Builder::new().name(name.to_owned()).spawn(work);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(keys: &str) -> Vec<String> {
        let key = |c: char| match c {
            '\n' => KeyEvent::from(KeyCode::Enter),
            '\t' => KeyEvent::from(KeyCode::Tab),
            '^' => KeyEvent::new(KeyCode::Char('u'), KeyModifiers::CONTROL),
            c => KeyEvent::from(KeyCode::Char(c)),
        };
        let mut events = keys.chars().map(|c| Event::Key(key(c)));
        let first = events.next().unwrap();
        let messages = gathered(first, || events.next()).into_iter();
        let word = |message| match message {
            Message::AtOnce(text) => text,
            Message::Terminal(Event::Key(key)) => key.code.to_string(),
            other => format!("{other:?}"),
        };
        messages.map(word).collect()
    }

    #[test]
    fn what_nobody_types_at_once_was_pasted() {
        assert_eq!(read("aaaqa"), ["aaaqa"]);
        assert_eq!(read("take mug\nq\t"), ["take mug\nq", "Tab"]);
        // A held key, a few keys, and what begins with a key that is no character are keys.
        assert_eq!(read("aaaaaaaa").len(), 8);
        assert_eq!(read("uaq"), ["u", "a", "q"]);
        assert_eq!(read("^hello"), ["u"], "the rest is read with what comes after");
    }
}
