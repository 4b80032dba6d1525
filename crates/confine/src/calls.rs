//! Seccomp: the system calls of a process that computes, reads its standard input and writes its standard output. Every other call
//! fails with `EPERM`.

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, Error, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch, apply_filter_all_threads,
};

#[cfg(target_arch = "x86_64")]
const HERE: TargetArch = TargetArch::x86_64;
#[cfg(target_arch = "aarch64")]
const HERE: TargetArch = TargetArch::aarch64;
#[cfg(target_arch = "riscv64")]
const HERE: TargetArch = TargetArch::riscv64;

/// Calls that are allowed whatever their arguments.
const PLAIN: &[i64] = &[
    // Streams that are open already.
    libc::SYS_read,
    libc::SYS_write,
    libc::SYS_writev,
    libc::SYS_close,
    // Memory.
    libc::SYS_brk,
    libc::SYS_munmap,
    libc::SYS_mremap,
    libc::SYS_madvise,
    // Threads among themselves, and the way out of them.
    libc::SYS_futex,
    libc::SYS_sched_yield,
    libc::SYS_gettid,
    libc::SYS_getpid,
    libc::SYS_rseq,
    libc::SYS_set_robust_list,
    libc::SYS_exit,
    libc::SYS_exit_group,
    // Its own signals: a report of a stack that overflowed, an abort.
    libc::SYS_rt_sigaction,
    libc::SYS_rt_sigprocmask,
    libc::SYS_rt_sigreturn,
    libc::SYS_sigaltstack,
    // Time and chance.
    libc::SYS_clock_gettime,
    libc::SYS_clock_nanosleep,
    libc::SYS_nanosleep,
    libc::SYS_restart_syscall,
    libc::SYS_getrandom,
];

/// Filters the calls of all threads of this process.
/// Errors: if the kernel has no filters, or another thread has one of its own.
pub(crate) fn filter() -> Result<(), Error> {
    let filter = SeccompFilter::new(rules()?, SeccompAction::Errno(libc::EPERM as u32), SeccompAction::Allow, HERE)?;
    let program: BpfProgram = filter.try_into()?;
    apply_filter_all_threads(&program)
}

fn rules() -> Result<BTreeMap<i64, Vec<SeccompRule>>, Error> {
    let mut rules: BTreeMap<i64, Vec<SeccompRule>> = PLAIN.iter().map(|call| (*call, Vec::new())).collect();
    let equal =
        |argument, value: u64| SeccompCondition::new(argument, SeccompCmpArgLen::Dword, SeccompCmpOp::Eq, value);
    let writable = || {
        let without = SeccompCmpOp::MaskedEq(libc::PROT_EXEC as u64);
        SeccompCondition::new(2, SeccompCmpArgLen::Dword, without, 0)
    };
    // Memory that is never executed.
    rules.insert(libc::SYS_mmap, vec![SeccompRule::new(vec![writable()?])?]);
    rules.insert(libc::SYS_mprotect, vec![SeccompRule::new(vec![writable()?])?]);
    // A signal to a thread of its own: how an abort ends it.
    let own = u64::from(std::process::id());
    rules.insert(libc::SYS_tgkill, vec![SeccompRule::new(vec![equal(0, own)?])?]);
    // Whether a descriptor is open, and no more of it.
    rules.insert(libc::SYS_fcntl, vec![SeccompRule::new(vec![equal(1, libc::F_GETFD as u64)?])?]);
    // Limits may be read, not set.
    let nothing_new = SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Eq, 0)?;
    rules.insert(libc::SYS_prlimit64, vec![SeccompRule::new(vec![equal(0, 0)?, nothing_new])?]);
    Ok(rules)
}
