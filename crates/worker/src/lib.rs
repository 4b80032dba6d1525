//! Worker: the process that runs model-written code in the engine (`monty`). It reads an order and answers from its standard input
//! and says on its standard output what the code does. It gives up, before it reads the first byte, what the operating system lets
//! it give up. Whoever has code run stands on the crate `sandbox`; only the last binary links this one.

mod classes;
mod edits;
mod engine;
mod known;
mod label;
mod line;
mod messages;
mod rewrite;
mod screen;
#[cfg(test)]
mod tests;
mod values;

use std::ffi::OsString;
use std::io::{BufRead, BufReader, Read, Write};
use std::process::ExitCode;
use std::sync::mpsc::{Receiver, sync_channel};
use std::sync::{Arc, Barrier};

use serde::de::DeserializeOwned;
use stepwright_confine::{Bounds, Layers, begin};

use stepwright_sandbox::wire::{Answer, LONGEST_ORDER, LONGEST_REPLY, Order, line};
use stepwright_sandbox::{Bound, Fault, FaultKind, HELD, Limits, Step, WORKER};

use crate::engine::Engine;

/// To be called first by a program whose sandbox starts it again as a worker: does the run if it was called for one (the word
/// [`WORKER`], bytes of memory, seconds of processor time; `unconfined` after them does without landlock and seccomp, as some systems do),
/// or says what holds ([`HELD`]), and gives how it ended.
pub fn serve(words: impl Iterator<Item = OsString>) -> Option<ExitCode> {
    let mut words = words.skip(1);
    words.next().filter(|word| word == WORKER)?;
    let words: Vec<OsString> = words.collect();
    let number = |at: usize| words.get(at)?.to_str()?.parse().ok();
    let is_done = if words.first().is_some_and(|word| word == HELD) {
        let held = begin(Limits::default().bounds(), Layers::ALL).seal();
        line(&held, LONGEST_REPLY).is_some_and(|held| std::io::stdout().write_all(&held).is_ok())
    } else {
        let layers = if words.get(2).is_some_and(|word| word == "unconfined") { Layers::LIMITS } else { Layers::ALL };
        let bounds = number(0).and_then(|memory| Some(Bounds { memory, seconds: number(1)? }));
        bounds.is_some_and(|bounds| work(bounds, layers))
    };
    Some(if is_done { ExitCode::SUCCESS } else { ExitCode::from(2) })
}

/// Confines this process and does one run, ordered on standard input. Returns whether the order was understood. To be called by
/// the only thread, before anything was opened.
fn work(bounds: Bounds, layers: Layers) -> bool {
    let begun = begin(bounds, layers);
    let gate = Arc::new(Barrier::new(2));
    let Some(lines) = lines(Arc::clone(&gate)) else { return false };
    // Where this thread's stack ends is read from a file; it is remembered.
    let _ = stacker::remaining_stack();
    gate.wait();
    let held = begun.seal();
    gate.wait();
    let Some(order) = read::<Order>(&lines) else { return false };
    if let Some(why) = order.require.refusal(&held) {
        return say(&Step::Fault(Fault::new(FaultKind::Worker(why))));
    }
    let mut reply = match Engine::new(&order) {
        Err(fault) => Step::Fault(fault),
        Ok(mut engine) => {
            let mut reply = engine.begin(&order);
            while matches!(reply, Step::Call { .. }) {
                if !say(&reply) {
                    reply = Step::Fault(Fault::new(FaultKind::Limit(Bound::Message)));
                    break;
                }
                let Some(Answer { answer }) = read(&lines) else { return false };
                reply = engine.answer(&answer);
            }
            reply
        }
    };
    if let Step::Fault(fault) = &mut reply {
        fault.kind.shorten();
    }
    say(&reply)
}

/// The lines of standard input. A thread reads them, so that a worker whose program is gone ends even while code runs. It is ready
/// at the first passing of the gate, and reads after the second.
fn lines(gate: Arc<Barrier>) -> Option<Receiver<Vec<u8>>> {
    let (to, lines) = sync_channel(1);
    let read = move || {
        let mut input = BufReader::new(std::io::stdin());
        gate.wait();
        gate.wait();
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

fn say(reply: &Step) -> bool {
    let Some(line) = line(reply, LONGEST_REPLY) else { return false };
    let mut out = std::io::stdout().lock();
    out.write_all(&line).and_then(|()| out.flush()).is_ok()
}
