//! Log pane: the session's records as they are in the log, one a row. Only the rows shown are formatted.

use ratatui::layout::Rect;
use smart_default::SmartDefault;

use super::summary::{kind, step, summary};
use crate::pane::{Intent, Pane, PaneAction, PaneId, Wants};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run};
use crate::widgets::outline::Outline;
use crate::widgets::words;
use stepwright_episode::{Event, NodeId, Record, blind};
use stepwright_protocol::{Command, Level, Request};

#[derive(Debug, SmartDefault)]
pub(crate) struct LogPane {
    #[default(Outline::following())]
    outline: Outline,
}

impl LogPane {
    fn record<'a>(&self, view: &'a View) -> Option<&'a Record> {
        view.records.get(self.outline.list.cursor()).map(AsRef::as_ref)
    }
}

fn target(record: &Record) -> NodeId {
    match &record.event {
        Event::Executed { child, .. } => *child,
        Event::Moved { to } => *to,
        _ => record.node,
    }
}

/// Time since the first record: `0.0`, `1:02.3`, `1:00:00`.
fn offset(ms: u64) -> String {
    let (s, tenths) = (ms / 1_000, ms % 1_000 / 100);
    match s {
        0..60 => format!("{s}.{tenths}"),
        60..3_600 => format!("{}:{:02}.{tenths}", s / 60, s % 60),
        _ => format!("{}:{:02}:{:02}", s / 3_600, s / 60 % 60, s % 60),
    }
}

/// A record in words, in one line. Before a decision of a blind session the proposals' order is not to be read off their records.
fn in_words(record: &Record, view: &View) -> String {
    let session = view.session.as_ref();
    let hidden = view.hides_future() && session.is_some_and(|s| blind::tells_rank(s, record));
    match hidden {
        true => blind::HIDDEN.to_owned(),
        false => words::one_line(&summary(record, session, view.methods)).into_owned(),
    }
}

fn row(record: &Record, view: &View, first: u64, digits: usize, width: usize) -> Row {
    let (kind, role) = kind(&record.event, view.methods);
    let mut row = vec![run(Role::Dim, format!("{:>digits$} ", record.id))];
    if width >= 60 {
        row.push(run(Role::Dim, format!("{:>8} ", offset(record.ts.saturating_sub(first)))));
    }
    if width >= 46 {
        row.push(run(Role::Dim, format!("{:<8} ", step(record.node, view.session.as_ref()))));
    }
    row.push(run(role, format!("{kind:<11} ")));
    row.push(run(Role::Text, in_words(record, view)));
    row
}

impl Pane for LogPane {
    fn id(&self) -> PaneId {
        PaneId::Log
    }

    fn title(&self, view: &View) -> String {
        match view.records.len() {
            0 => "Log".into(),
            n => format!("Log, {}", words::count(n, "record")),
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        self.outline.list.grown(view.records.len());
        Vec::new()
    }

    fn wants(&mut self, view: &View, _theme: &Theme, _width: u16) -> Wants {
        Wants::exactly(view.records.len())
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, view: &View) -> usize {
        view.records.len()
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        let words = |r: &Record| format!("{} {}", kind(&r.event, view.methods).0, in_words(r, view));
        view.records.get(row).map(|r| words(r)).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        if view.records.is_empty() {
            painter.empty(area, "No records yet. Every event of a session is listed here, as its file holds it.");
            return;
        }
        let area = self.outline.find.draw(painter, area);
        let first = view.records.first().map_or(0, |r| r.ts);
        let digits = view.records.len().to_string().len();
        self.outline.draw(painter, area, view.records.len(), |at, width| {
            view.records.get(at).map(|record| row(record, view, first, digits, width)).unwrap_or_default()
        });
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if view.records.is_empty() {
            return Vec::new();
        }
        let mut actions = vec![(PaneAction::Activate, "go there"), (PaneAction::Copy, "copy record")];
        actions.extend(self.outline.actions());
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Activate => match self.record(view).map(target) {
                Some(node) if view.session.as_ref().is_some_and(|s| s.cursor() == node) => {
                    vec![Intent::Say(Level::Info, "the episode is at this step".into())]
                }
                Some(node) => vec![Intent::Send(Command::Gate(Request::Goto(node)))],
                None => Vec::new(),
            },
            PaneAction::Copy => {
                let json = self.record(view).and_then(|r| serde_json::to_string(r).ok());
                json.map(Intent::Copy).into_iter().collect()
            }
            _ => self.browse(action, view),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::Usage;

    #[test]
    fn rows_are_one_line_and_a_late_answer_has_words_of_its_own() {
        let said = |event| in_words(&Record { id: 1, ts: 0, node: 0, event }, &View::default());
        let cancelled = |usage, partial: &str| {
            let (error, partial) = ("cancelled by a person".into(), partial.into());
            said(Event::AskFailed { ask: 1, error, cancelled: true, usage, partial })
        };
        assert_eq!(cancelled(None, ""), "ask 1 cancelled: cancelled by a person");
        let late = "ask 1 was cancelled: what had come of it is kept, 5 + 6 tokens";
        assert_eq!(cancelled(Some(Usage::new(5, 6)), "so f"), late);
        let failed = Event::Failed { error: "it asked\nD\nand asks now\nE".into(), stuck: false };
        assert_eq!(said(failed), "it asked; D; and asks now; E");
    }

    #[test]
    fn times_are_read_at_a_glance() {
        assert_eq!(offset(400), "0.4");
        assert_eq!(offset(62_300), "1:02.3");
        assert_eq!(offset(3_600_000), "1:00:00");
    }
}
