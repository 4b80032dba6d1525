//! Leash: a program that is started with everything it will start in turn, and ends with all of it.
//!
//! On Linux the program is started by a supervisor, this very program again, which is made the new parent of whatever loses its own
//! (`PR_SET_CHILD_SUBREAPER`): a grandchild that left its group and session is still found below it. Between the two stands a process that
//! does nothing but wait: what a program kills or stops as its parent is not what holds it. The supervisor stops and kills all that is below it once the
//! pipe that holds it ([`Leash`]) is closed, be it because its owner dropped it or because its owner is gone. Elsewhere there is
//! none, and [`Leash::new`] gives nothing.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, ExitCode};
use std::sync::OnceLock;

/// The first argument of a supervisor.
const SUPERVISOR: &str = "supervise-command";

/// The program that serves as a supervisor when it is called with [`SUPERVISOR`].
static PROGRAM: OnceLock<PathBuf> = OnceLock::new();

/// To be called first by a program that serves as its own supervisor: does the supervisor's work if it was called for it, and gives
/// how it ended; else remembers that it can be called.
pub fn serve(mut words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let word = words.nth(1);
    if word.as_ref().is_some_and(|word| word == SUPERVISOR) {
        return Some(supervise(words));
    }
    #[cfg(target_os = "linux")]
    if word.is_some_and(|word| word == crate::supervisor::SHIELD) {
        return Some(crate::supervisor::shield(words));
    }
    let itself = PathBuf::from("/proc/self/exe");
    if cfg!(target_os = "linux") && itself.exists() {
        let _ = PROGRAM.set(itself);
    }
    None
}

#[cfg(not(target_os = "linux"))]
fn supervise(_: impl Iterator<Item = OsString>) -> ExitCode {
    ExitCode::from(2)
}

#[cfg(target_os = "linux")]
use crate::supervisor::supervise;

/// The hold on a supervisor. When it is dropped, all below the supervisor is killed.
#[derive(Debug)]
pub struct Leash {
    #[cfg(target_os = "linux")]
    held: crate::supervisor::Held,
}

impl Leash {
    /// A leash and the supervisor of a program with its arguments; the caller sets environment, folder and streams, which the
    /// program will have, and spawns it. `None` where this program serves as no supervisor.
    pub fn new(program: &str, args: &[String]) -> Option<(Self, Command)> {
        #[cfg(target_os = "linux")]
        {
            let (held, command) = crate::supervisor::Held::new((PROGRAM.get()?, SUPERVISOR), program, args).ok()?;
            Some((Leash { held }, command))
        }
        #[cfg(not(target_os = "linux"))]
        {
            let _ = (PROGRAM.get(), program, args);
            None
        }
    }

    /// Waits until the supervisor has started the program.
    pub fn started(&mut self) -> std::io::Result<()> {
        #[cfg(target_os = "linux")]
        self.held.started()?;
        Ok(())
    }
}
