//! Group: a command that is started to be ended with everything it started, however this program ends.
//!
//! On Linux the command is leashed ([`crate::leash`]). Elsewhere it leads its own process group, which is killed whole, and a guard (a
//! shell that waits for the end of a pipe) kills the group if this program itself is killed.

use std::process::{Child, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use crate::leash::Leash;

/// How long a supervisor may take to end all that came of the command.
const SUPERVISED: Duration = Duration::from_secs(2);
const PAUSE: Duration = Duration::from_millis(5);

/// A running command with all that it starts; dropped, it is killed.
#[derive(Debug)]
pub struct Group {
    /// Where there is a supervisor, that.
    child: Child,
    leash: Option<Leash>,
    guard: Option<Child>,
    exit: Option<ExitStatus>,
}

impl Group {
    /// Starts a program; `prepare` sets its folder, environment and streams.
    pub fn start(program: &str, args: &[String], prepare: impl FnOnce(&mut Command)) -> std::io::Result<Self> {
        let (mut leash, mut command) = match Leash::new(program, args) {
            Some((leash, command)) => (Some(leash), command),
            None => {
                let mut command = Command::new(program);
                command.args(args);
                (None, command)
            }
        };
        prepare(&mut command);
        // A supervisor begins a session of its own, which the leader of a group cannot.
        #[cfg(unix)]
        if leash.is_none() {
            std::os::unix::process::CommandExt::process_group(&mut command, 0);
        }
        let mut child = command.spawn()?;
        if let Some(Err(error)) = leash.as_mut().map(Leash::started) {
            // The supervisor has ended by itself.
            let _ = child.wait();
            return Err(error);
        }
        let guard = if leash.is_some() { None } else { guard(child.id()) };
        Ok(Group { child, leash, guard, exit: None })
    }

    /// Its streams are the caller's to take.
    pub fn child(&mut self) -> &mut Child {
        &mut self.child
    }

    /// Whether it has ended. It is not collected yet.
    pub fn has_ended(&self) -> bool {
        self.exit.is_some() || has_exited(&self.child)
    }

    /// Waits for so long until the command ends, kills it and all that it started, and collects what is left; gives how it had ended by
    /// itself, if it had.
    pub fn end(&mut self, parting: Duration) -> Option<ExitStatus> {
        if self.exit.is_some() {
            return self.exit;
        }
        let deadline = Instant::now() + parting;
        while !has_exited(&self.child) && Instant::now() < deadline {
            std::thread::sleep(PAUSE);
        }
        let mut alone = has_exited(&self.child);
        let supervised = self.leash.take().is_some();
        if supervised {
            let deadline = Instant::now() + SUPERVISED;
            while !has_exited(&self.child) && Instant::now() < deadline {
                std::thread::sleep(PAUSE);
            }
        }
        // The group goes before its leader is collected: until then its number cannot be another's.
        kill_group(&mut self.child);
        if let Some(mut guard) = self.guard.take() {
            // Had it ended already, there is nothing to kill.
            let _ = guard.kill();
            let _ = guard.wait();
        }
        self.exit = self.child.wait().ok();
        // A supervisor that had to end what the command left behind still ends as the command had by itself.
        alone |= supervised && self.exit.is_some_and(|status| status.code().is_some());
        self.exit.filter(|_| alone)
    }
}

impl Drop for Group {
    fn drop(&mut self) {
        self.end(Duration::ZERO);
    }
}

#[cfg(unix)]
fn has_exited(child: &Child) -> bool {
    use rustix::process::{Pid, WaitId, WaitIdOptions, waitid};
    let Some(pid) = i32::try_from(child.id()).ok().and_then(Pid::from_raw) else { return false };
    let options = WaitIdOptions::EXITED | WaitIdOptions::NOWAIT | WaitIdOptions::NOHANG;
    matches!(waitid(WaitId::Pid(pid), options), Ok(Some(_)))
}

#[cfg(not(unix))]
fn has_exited(_: &Child) -> bool {
    false
}

fn kill_group(child: &mut Child) {
    #[cfg(unix)]
    if let Some(group) = i32::try_from(child.id()).ok().and_then(rustix::process::Pid::from_raw) {
        // Nobody left in it is as good.
        let _ = rustix::process::kill_process_group(group, rustix::process::Signal::KILL);
    }
    let _ = child.kill();
}

/// A shell that kills the group as soon as this process is gone, however it ended: its standard input ends then. Without a
/// shell there is no guard.
#[cfg(unix)]
fn guard(group: u32) -> Option<Child> {
    let mut command = Command::new("/bin/sh");
    command.args(["-c", "trap '' HUP INT TERM; read -r _; kill -s KILL -- \"-$1\"", "stepwright-guard"]);
    command.arg(group.to_string()).stdin(Stdio::piped()).stdout(Stdio::null()).stderr(Stdio::null());
    std::os::unix::process::CommandExt::process_group(&mut command, 0);
    command.spawn().ok()
}

#[cfg(not(unix))]
fn guard(_: u32) -> Option<Child> {
    None
}
