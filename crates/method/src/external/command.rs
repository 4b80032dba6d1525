//! The command of a method in another process, as it is configured: shared by all its sessions, so that it introduces itself once.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::PREFIX;
use super::introduction::{Introduction, NEWEST, own_key};
use crate::{MethodInfo, Stop};
use stepwright_world::adapter::{Adapter, Process, Said, excerpt};
use stepwright_world::options::{OptionError, Table, Values};

/// How often it is looked whether somebody still waits.
const LOOK: Duration = Duration::from_millis(50);

/// How long a second line is waited for that would be taken for the answer to the next request.
const GRACE: Duration = Duration::from_millis(3);

/// The name of a command until it has introduced itself.
const UNKNOWN: &str = "A method of your own, behind a command that speaks the line protocol (adapters/README.md).";

/// A configured method's command, its configured options, and what it said of itself.
#[derive(Debug)]
pub struct Command {
    /// Program, folder, variables, patience.
    pub adapter: Arc<Adapter>,
    /// Options by the keys the method gives them, unchecked.
    pub options: BTreeMap<String, String>,
    /// The options of the program's methods, which it may have too.
    shared: Table,
    id: &'static str,
    introduced: Mutex<Option<Introduction>>,
}

impl Command {
    pub fn new(adapter: Arc<Adapter>, options: BTreeMap<String, String>, shared: Table) -> Self {
        let id = interned(format!("{PREFIX}{}", adapter.name));
        Command { adapter, options, shared, id, introduced: Mutex::default() }
    }

    pub fn info(&self) -> MethodInfo {
        let bare = MethodInfo { id: self.id, label: self.id, description: UNKNOWN, ..MethodInfo::BARE };
        self.known().map_or(bare, |known| known.info)
    }

    pub(super) fn known(&self) -> Option<Introduction> {
        self.introduced.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }

    pub fn version(&self) -> Option<String> {
        self.known().map(|known| known.version).filter(|version| !version.is_empty())
    }

    /// Has it introduce itself, once; waits for that no longer than `patience` and the adapter's own.
    pub fn introduce(&self, patience: Duration) -> Result<MethodInfo, String> {
        if let Some(known) = self.known() {
            return Ok(known.info);
        }
        let mut process = self.start(patience.min(self.adapter.start_timeout), &Stop::default())?;
        process.end(false);
        Ok(self.info())
    }

    pub(super) fn start(&self, patience: Duration, stop: &Stop) -> Result<Process, String> {
        let process = Process::start(&self.adapter, || ()).map_err(|e| e.to_string())?;
        let hello = json!({ "info": { "protocol": NEWEST, "program": env!("CARGO_PKG_VERSION") } });
        let (process, line) = self.round_trip(process, &hello, patience, stop)?;
        let read = Introduction::read(&line, (self.id, &self.adapter.name), self.shared).map_err(|why| {
            let command = self.adapter.command_line();
            format!("`{command}` does not introduce itself as a method (adapters/README.md, `info`): {why}")
        })?;
        self.introduced.lock().unwrap_or_else(PoisonError::into_inner).get_or_insert(read);
        Ok(process)
    }

    /// One line to a process of the command and one from it. A process that fails is ended, as is one that said what nobody asked: every
    /// answer after that would be taken for that of the line before.
    pub(super) fn round_trip(
        &self,
        mut process: Process,
        line: &Value,
        patience: Duration,
        stop: &Stop,
    ) -> Result<(Process, String), String> {
        let name = self.adapter.command_line();
        let unasked = |mut process: Process, said: &[u8]| -> Result<(Process, String), String> {
            process.end(false);
            Err(format!(
                "`{name}` said something it was not asked: {}; a method answers each line with one line (adapters/README.md)",
                excerpt(&String::from_utf8_lossy(said))
            ))
        };
        let mut early = process.overheard();
        if let Some(Said::Line(said)) = &early {
            return unasked(process, said);
        }
        process.ask(format!("{line}\n").into_bytes());
        let deadline = Instant::now() + patience;
        let why = loop {
            match early.take().or_else(|| process.listen(Instant::now() + LOOK)) {
                Some(Said::Line(said)) => match String::from_utf8(said) {
                    // A second line would be taken for the next answer.
                    Ok(said) => match process.listen(Instant::now() + GRACE) {
                        Some(Said::Line(more)) => return unasked(process, &more),
                        _ => return Ok((process, said)),
                    },
                    Err(_) => break "answered with no UTF-8".to_owned(),
                },
                Some(Said::TooLong) => break "answered with a line that is too long".to_owned(),
                Some(Said::End | Said::Deaf) => break "ended".to_owned(),
                Some(Said::Nudge) | None if stop.is_stopped() => break "was stopped".to_owned(),
                Some(Said::Nudge) | None if Instant::now() > deadline => {
                    break format!("gave no answer in {} s ([methods.{}])", patience.as_secs_f64(), self.adapter.name);
                }
                Some(Said::Nudge) | None => {}
            }
        };
        // There is a status where it had ended by itself.
        let exit = process.end(true).map(|status| format!(" ({status})")).unwrap_or_default();
        let last = process.last_words().join("; ");
        Err(if last.is_empty() { format!("`{name}` {why}{exit}") } else { format!("`{name}` {why}{exit}: {last}") })
    }

    /// Options as sessions record them, of options by the keys that the method gives them. It has introduced itself.
    /// Errors: the first that it has not, with those it has; the first value that is not allowed.
    pub fn recorded(&self, given: &BTreeMap<String, String>) -> Result<BTreeMap<String, String>, OptionError> {
        let table = self.info().options;
        let own = own_key(&self.adapter.name, "");
        let known: Vec<&str> = table.iter().map(|s| s.key.strip_prefix(own.as_str()).unwrap_or(s.key)).collect();
        let recorded = given.iter().map(|(key, value)| {
            // The recorded key is taken as well.
            let at = known.iter().zip(table).find(|(short, spec)| *short == key || spec.key == key);
            let unknown = || OptionError::unknown(&format!("the method {}", self.adapter.name), key, &known);
            Ok((at.ok_or_else(unknown)?.1.key.to_owned(), value.clone()))
        });
        let recorded = recorded.collect::<Result<_, OptionError>>()?;
        Values::read(table, &recorded)?;
        Ok(recorded)
    }
}

/// An id that lives as long as the program, as the built-in methods' do: kept once, however many sessions use it.
fn interned(id: String) -> &'static str {
    static IDS: Mutex<BTreeSet<&'static str>> = Mutex::new(BTreeSet::new());
    let mut ids = IDS.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(known) = ids.get(id.as_str()) {
        return known;
    }
    let id: &'static str = Box::leak(id.into_boxed_str());
    ids.insert(id);
    id
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_nobody_asked_for_is_no_answer_to_the_next_line() {
        // With the answer, and after it.
        for (second, asked) in [("printf 'one\ntwo\n'", 1), ("echo one; sleep 0.1; echo two", 2)] {
            let script = format!(
                r#"read -r _; echo '{{"name":"odd","protocol":2}}'; read -r _; {second}; read -r _; echo three"#
            );
            let adapter = Adapter::new("odd", ["sh".to_owned(), "-c".to_owned(), script].to_vec());
            let command = Command::new(Arc::new(adapter), BTreeMap::new(), &[]);
            let (patience, stop) = (Duration::from_secs(20), Stop::default());
            let mut process = command.start(patience, &stop).unwrap();
            for _ in 1..asked {
                let (on, said) = command.round_trip(process, &json!(1), patience, &stop).unwrap();
                assert_eq!(said, "one");
                // Until its second line is there.
                std::thread::sleep(Duration::from_millis(400));
                process = on;
            }
            let Err(why) = command.round_trip(process, &json!(2), patience, &stop) else { panic!("`two` was taken") };
            assert!(why.contains("said something it was not asked: two"), "{why}");
            assert!(why.contains("sh -c"), "{why}");
        }
    }
}
