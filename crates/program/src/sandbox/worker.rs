//! Worker's side: a process that reads an order and answers from its standard input and says on its standard output what the
//! code does. It gives up, before any of the code runs, what the operating system lets it give up.

use std::io::{BufRead, BufReader, Read, Write};
use std::sync::mpsc::{Receiver, sync_channel};

use serde::de::DeserializeOwned;

use super::Limits;
use super::engine::Engine;
use super::fault::{Bound, Fault, FaultKind};
use super::wire::{Answer, LONGEST_ORDER, LONGEST_REPLY, Order, Reply, line};

/// Bytes a worker may take for itself beside what the code takes: messages, the compiled code, a copy to find out its line.
#[cfg(unix)]
const OWN_MEMORY: u64 = 48 << 20;

/// Does one run, ordered on standard input. Returns whether the order was understood.
#[must_use]
pub fn work() -> bool {
    let Some(lines) = lines() else { return false };
    let Some(order) = read::<Order>(&lines) else { return false };
    let mut reply = match Engine::new(&order) {
        Err(fault) => Reply::Fault(fault),
        Ok(mut engine) => {
            confine(&order.limits);
            let mut reply = engine.begin(&order);
            while matches!(reply, Reply::Call { .. }) {
                if !say(&reply) {
                    reply = Reply::Fault(Fault::new(FaultKind::Limit(Bound::Message)));
                    break;
                }
                let Some(Answer { answer }) = read(&lines) else { return false };
                reply = engine.answer(&answer);
            }
            reply
        }
    };
    if let Reply::Fault(fault) = &mut reply {
        fault.kind.shorten();
    }
    say(&reply)
}

/// The lines of standard input. A thread reads them, so that a worker whose program is gone ends even while code runs.
fn lines() -> Option<Receiver<Vec<u8>>> {
    let (to, lines) = sync_channel(1);
    let read = move || {
        let mut input = BufReader::new(std::io::stdin());
        loop {
            let mut line = Vec::new();
            let read = (&mut input).take(LONGEST_ORDER as u64).read_until(b'\n', &mut line);
            if !read.is_ok_and(|n| n > 0) || to.send(line).is_err() {
                std::process::exit(0);
            }
        }
    };
    std::thread::Builder::new().name("sandbox-in".to_owned()).stack_size(256 << 10).spawn(read).ok()?;
    Some(lines)
}

fn read<T: DeserializeOwned>(lines: &Receiver<Vec<u8>>) -> Option<T> {
    serde_json::from_slice(&lines.recv().ok()?).ok()
}

/// Whether it could be said.
fn say(reply: &Reply) -> bool {
    let Some(line) = line(reply, LONGEST_REPLY) else { return false };
    let mut out = std::io::stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).is_ok()
}

/// Bounds what the operating system gives this process from here on. A bound that a system does not know is left out; the
/// engine's own bounds and the deadline hold everywhere.
#[cfg(unix)]
fn confine(limits: &Limits) {
    use rustix::process::{Resource, Rlimit, setrlimit};
    let bound = |resource, most: u64| {
        let _ = setrlimit(resource, Rlimit { current: Some(most), maximum: Some(most) });
    };
    if let Some(now) = address_space() {
        bound(Resource::As, now.saturating_add(OWN_MEMORY).saturating_add(limits.memory as u64));
    }
    bound(Resource::Core, 0);
    bound(Resource::Fsize, 0);
    // No file can be opened beside the three standard ones.
    bound(Resource::Nofile, 3);
    bound(Resource::Cpu, limits.wall.as_secs().saturating_add(2));
}

#[cfg(not(unix))]
fn confine(_: &Limits) {}

/// Bytes of address space in use.
#[cfg(unix)]
fn address_space() -> Option<u64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let kilobytes = status.lines().find_map(|line| line.strip_prefix("VmSize:"))?;
    kilobytes.trim().strip_suffix("kB")?.trim().parse::<u64>().ok().map(|n| n << 10)
}
