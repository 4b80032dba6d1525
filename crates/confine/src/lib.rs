//! Confinement of a process by the system it runs on: it closes what it inherited, bounds what it may use, and gives up files,
//! network, children and signals, before it reads its first byte.
//!
//! [`begin`] does what one thread can do for those it starts later, [`Begun::seal`] the rest for all threads at once. Each
//! [`Layer`](Layers) is used where the system has it; [`Held`] says which hold. [`check`](check::check) starts a confined process that
//! tries everything it should not get. What the process is for is not known here.

#[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
mod calls;
pub mod check;
#[cfg(unix)]
mod descriptors;
#[cfg(target_os = "linux")]
mod files;
pub mod group;
pub mod leash;
#[cfg(unix)]
mod limits;
#[cfg(target_os = "linux")]
mod supervisor;
pub mod trial;

use serde::{Deserialize, Serialize};

/// The bounds of a confined process.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Bounds {
    /// Bytes of address space beyond what it has when it is sealed.
    pub memory: u64,
    /// Seconds of processor time from its start.
    pub seconds: u64,
}

/// The layers of confinement, each by itself, so that each can be tried by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct Layers {
    /// Limits on resources (`setrlimit`).
    pub limits: bool,
    /// The kernel's access rules for files, TCP, signals and abstract sockets (landlock).
    pub landlock: bool,
    /// The filter of system calls (seccomp).
    pub seccomp: bool,
}

impl Layers {
    pub const ALL: Layers = Layers { limits: true, landlock: true, seccomp: true };
    /// As on a system that has neither landlock nor seccomp.
    pub const LIMITS: Layers = Layers { limits: true, landlock: false, seccomp: false };
}

#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Held {
    /// Whether no program it would start could gain privileges.
    pub no_new_privileges: bool,
    /// How far landlock holds, in words; empty where it does not.
    pub landlock: String,
    pub seccomp: bool,
}

impl Held {
    /// Whether the system keeps it from files and network, by one layer or both.
    pub fn is_confined(&self) -> bool {
        !self.landlock.is_empty() || self.seccomp
    }

    /// `landlock (version 6) and seccomp`; `nothing` where neither holds.
    pub fn in_words(&self) -> String {
        let landlock = (!self.landlock.is_empty()).then(|| format!("landlock ({})", self.landlock));
        let held: Vec<String> = landlock.into_iter().chain(self.seccomp.then(|| "seccomp".to_owned())).collect();
        if held.is_empty() { "nothing".to_owned() } else { held.join(" and ") }
    }
}

/// A process whose first thread is confined as far as a thread can be.
#[derive(Debug)]
#[must_use = "limits and the filter of system calls only hold once it is sealed"]
pub struct Begun {
    bounds: Bounds,
    layers: Layers,
    held: Held,
    #[cfg(unix)]
    status: Option<std::fs::File>,
}

/// Closes every inherited descriptor but the three standard ones, and gives up privileges, files and network for this thread and
/// those it starts from here on. To be called before anything was opened, by the only thread.
pub fn begin(bounds: Bounds, layers: Layers) -> Begun {
    #[cfg(unix)]
    descriptors::close();
    Begun {
        bounds,
        layers,
        #[cfg(unix)]
        status: limits::status(),
        held: give_up(layers),
    }
}

#[cfg(target_os = "linux")]
fn give_up(layers: Layers) -> Held {
    let no_new_privileges = rustix::thread::set_no_new_privs(true).is_ok();
    let landlock = if layers.landlock { files::give_up() } else { String::new() };
    Held { no_new_privileges, landlock, seccomp: false }
}

#[cfg(not(target_os = "linux"))]
fn give_up(_: Layers) -> Held {
    Held::default()
}

impl Begun {
    /// Sets the limits, from what the process has now, and filters the system calls of all its threads. No thread can be started
    /// after this, and no file be opened.
    pub fn seal(self) -> Held {
        let Begun { bounds, layers, held, .. } = self;
        #[cfg(unix)]
        if layers.limits {
            limits::set(bounds, self.status);
        }
        #[cfg(all(target_os = "linux", any(target_arch = "x86_64", target_arch = "aarch64", target_arch = "riscv64")))]
        let held = Held { seccomp: layers.seccomp && calls::filter().is_ok(), ..held };
        #[cfg(not(unix))]
        let _ = (bounds, layers);
        held
    }
}

/// Keeps this process's memory and environment, where keys are, from other processes of its user and out of core dumps. What it starts is
/// as before. Linux alone has it.
pub fn keep_memory() {
    // Where the system refuses, all is as it is for other programs.
    #[cfg(target_os = "linux")]
    let _ = rustix::process::set_dumpable_behavior(rustix::process::DumpableBehavior::NotDumpable);
}

/// Keeps every descriptor that this process inherited, the three standard ones aside, from the programs it will start. To be called
/// first of all: what the process opens by itself is kept from them anyway.
pub fn keep_inherited_descriptors() {
    #[cfg(unix)]
    descriptors::keep();
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    #[test]
    fn memory_is_kept_from_others() {
        super::keep_memory();
        let now = rustix::process::dumpable_behavior().unwrap();
        assert_eq!(now, rustix::process::DumpableBehavior::NotDumpable);
    }
}
