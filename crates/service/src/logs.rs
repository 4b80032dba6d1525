//! The recorded logs that are played back: which there are, and what the one at hand violates of the assertions in force.

use std::sync::Arc;

use stepwright_driver::{Service, SessionView};
use stepwright_episode::{Event, Record};
use stepwright_method::log_checks::violations;
use stepwright_protocol::{Command, Level, Notice};
use stepwright_text::words::count;
use stepwright_world::transcript_of;

pub struct LogService;

impl Service for LogService {
    fn opened(&mut self, view: &mut SessionView<'_>) {
        let Some(logs) = view.world.recorded() else { return };
        if let Some(first) = logs.problems.first() {
            let more = match logs.problems.len() {
                1 => String::new(),
                n => format!("; and {}", count(n - 1, "more remark")),
            };
            view.say(Level::Warning, format!("{first}{more}"));
        }
        tell(view);
    }

    fn command(&mut self, command: Command, _view: &mut SessionView<'_>) -> Option<Command> {
        Some(command)
    }

    fn recorded(&mut self, record: &Record, view: &mut SessionView<'_>) {
        if matches!(record.event, Event::ArtifactSettled { .. } | Event::ArtifactUndone { .. }) {
            tell(view);
        }
    }
}

fn tell(view: &SessionView<'_>) {
    let Some(logs) = view.world.recorded() else { return };
    let violated = |log| violations(log, &transcript_of(log, &view.knowledge.worlds), view.program);
    let found = logs.current().map(violated).unwrap_or_default();
    view.tell(Notice::Logs { logs, violations: Arc::new(found) });
}
