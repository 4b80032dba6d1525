//! Descriptors by their numbers: closed, or kept from the programs that are started.
//!
//! All `unsafe` of this crate is here: an inherited descriptor is nothing but a number, which no owner in Rust stands for.

use std::ffi::c_int;

/// The first descriptor that is not a standard one.
const FIRST: c_int = 3;

pub(crate) fn close() {
    if !range(0) {
        close_but(&[]);
    }
}

/// Closes all but the standard ones and these.
pub(crate) fn close_but(kept: &[c_int]) {
    each(|fd| {
        if !kept.contains(&fd) {
            // SAFETY: called before anything was opened, so nothing in this process owns the descriptor.
            #[allow(unsafe_code)]
            unsafe {
                libc::close(fd);
            }
        }
    });
}

/// Marks all inherited descriptors to be closed in programs that are started.
pub(crate) fn keep() {
    #[cfg(target_os = "linux")]
    let all = range(libc::CLOSE_RANGE_CLOEXEC);
    #[cfg(not(target_os = "linux"))]
    let all = false;
    if !all {
        each(|fd| {
            // SAFETY: sets a flag of a number; a number that is no descriptor is an error that changes nothing.
            #[allow(unsafe_code)]
            unsafe {
                libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
            }
        });
    }
}

pub(crate) fn is_open(fd: c_int) -> bool {
    // SAFETY: only asks for a flag.
    #[allow(unsafe_code)]
    let flags = unsafe { libc::fcntl(fd, libc::F_GETFD) };
    flags >= 0
}

/// The descriptor of a number that whoever started this process gave it, closed in the programs that it starts.
#[cfg(target_os = "linux")]
pub(crate) fn take(fd: c_int) -> Option<std::fs::File> {
    if fd < FIRST || !is_open(fd) {
        return None;
    }
    // SAFETY: it is open, and nothing else in this process knows the number: it was given on the command line to be taken once.
    #[allow(unsafe_code)]
    let file = unsafe {
        libc::fcntl(fd, libc::F_SETFD, libc::FD_CLOEXEC);
        <std::fs::File as std::os::fd::FromRawFd>::from_raw_fd(fd)
    };
    Some(file)
}

/// Whether the system gives memory that can be written and executed. What it gives is given back.
pub(crate) fn gets_executable_memory() -> bool {
    const SIZE: usize = 4096;
    let access = libc::PROT_READ | libc::PROT_WRITE | libc::PROT_EXEC;
    // SAFETY: a new mapping at an address that the system chooses, of which nothing is read, written or run.
    #[allow(unsafe_code)]
    unsafe {
        let memory = libc::mmap(std::ptr::null_mut(), SIZE, access, libc::MAP_PRIVATE | libc::MAP_ANON, -1, 0);
        memory != libc::MAP_FAILED && libc::munmap(memory, SIZE) == 0
    }
}

/// One call for all numbers; `false` where the system has none (Linux before 5.9 or 5.11, others).
#[cfg(target_os = "linux")]
fn range(flags: std::ffi::c_uint) -> bool {
    // SAFETY: as for the single descriptors.
    #[allow(unsafe_code)]
    let done = unsafe { libc::syscall(libc::SYS_close_range, FIRST, std::ffi::c_uint::MAX, flags) };
    done == 0
}

#[cfg(not(target_os = "linux"))]
fn range(_: std::ffi::c_uint) -> bool {
    false
}

/// The inherited descriptors, one after the other.
fn each(with: impl Fn(c_int)) {
    // The listing itself holds one; it is closed before any is touched.
    let listed = std::fs::read_dir("/dev/fd").map(|entries| {
        let numbers = entries.filter_map(|entry| entry.ok()?.file_name().to_str()?.parse().ok());
        numbers.collect::<Vec<c_int>>()
    });
    let numbers = listed.unwrap_or_else(|_| (FIRST..1024).collect());
    numbers.into_iter().filter(|fd| *fd >= FIRST && is_open(*fd)).for_each(with);
}
