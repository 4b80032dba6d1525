//! Limits of a process (`setrlimit`). A limit that a system does not know is left out.

use std::fs::File;
use std::io::Read;

use rustix::process::{Resource, Rlimit, setrlimit};

use crate::Bounds;

/// Bounds what the system gives this process from here on.
pub(crate) fn set(bounds: Bounds, status: Option<File>) {
    let bound = |resource, most: u64| {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    };
    if let Some(now) = status.and_then(address_space) {
        bound(Resource::As, now.saturating_add(bounds.memory));
    }
    bound(Resource::Core, 0);
    bound(Resource::Fsize, 0);
    // The first limit ends the process with a signal that says why (SIGXCPU); where both are one the second's (SIGKILL) comes in its place.
    let more = bounds.seconds.saturating_add(1);
    let _ = setrlimit(Resource::Cpu, Rlimit { current: Some(bounds.seconds), maximum: Some(more) });
    // Counts the threads of the user; a user with all privileges is not bound by it.
    bound(Resource::Nproc, 0);
    #[cfg(target_os = "linux")]
    {
        bound(Resource::Memlock, 0);
        bound(Resource::Msgqueue, 0);
    }
    // No file can be opened beside the three standard ones.
    bound(Resource::Nofile, 3);
}

/// Where the system says what a process has, open before files are given up; `None` on systems without `/proc`.
pub(crate) fn status() -> Option<File> {
    File::open("/proc/self/status").ok()
}

/// Bytes of address space in use.
fn address_space(mut status: File) -> Option<u64> {
    let mut text = String::new();
    status.read_to_string(&mut text).ok()?;
    let kilobytes = text.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    kilobytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|n| n << 10)
}
