//! The driver's task: commands in, effects carried out, notices out. Everything quick happens on it; asks and other long work run beside
//! it and come back as messages.

use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};

use super::driver::Driver;
use super::messages::{Beside, Message, threads};
use super::setup::Setup;
use stepwright_episode::gate::Request;
use stepwright_episode::log::LogError;
use stepwright_protocol::{Command, Handle, Level, Notice};

/// Starts a driver on the present tokio runtime.
pub fn start(setup: Setup) -> Result<Handle, String> {
    start_beside(setup, threads())
}

/// As [`start`], with what does the long work.
pub(super) fn start_beside(setup: Setup, beside: Beside) -> Result<Handle, String> {
    let (commands, inbox) = unbounded_channel();
    let (notices, outbox) = unbounded_channel();
    let (messages, returns) = unbounded_channel();
    let driver = Driver::begin(setup, notices, messages, beside)?;
    tokio::spawn(driver.run(inbox, returns));
    Ok(Handle { commands, notices: outbox })
}

impl Driver {
    async fn run(mut self, mut inbox: UnboundedReceiver<Command>, mut returns: UnboundedReceiver<Message>) {
        self.carry_out();
        self.journal.is_opening = false;
        self.show_situation();
        loop {
            self.run_services();
            self.show_situation();
            tokio::select! {
                biased;
                command = inbox.recv() => match command {
                    Some(Command::Quit) | None => break,
                    Some(command) => self.command(command),
                },
                Some(message) = returns.recv() => self.message(message),
            }
        }
        // What waited to be written may begin something, which ends with the rest.
        self.write_again();
        self.close_world();
        self.jobs.stop_all();
        if self.gate.is_asking() {
            self.request(Request::Cancel);
        }
        match self.journal.leave() {
            // All of it is in memory: what cannot be found by its name any more is kept beside it.
            Err(error @ LogError::Lost { .. }) => {
                self.say(Level::Error, error.to_string());
                if let Some(path) = self.journal.beside() {
                    self.keep_in(&path);
                }
            }
            Err(error) => self.say(Level::Error, error.to_string()),
            Ok(()) => {}
        }
        // Where it is kept elsewhere now, what waited is written there, and that may fail as well.
        self.write_again();
        if self.journal.is_unwritten {
            self.say(Level::Error, "what was decided last could not be written".to_owned());
        }
        let _ = self.outlets.notices.send(Notice::Stopped);
    }
}
