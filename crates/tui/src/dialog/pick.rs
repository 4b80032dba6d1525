//! Dialogs that pick one of a few: a theme, a format for exporting the session.

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply};
use crate::actions::ActionId;
use crate::launcher::{ExportForm, SessionEntry};
use crate::sanitize;
use crate::theme::Role;
use crate::widgets::draw::{Painter, Row, run};
use crate::widgets::list::ListState;

struct Item {
    name: String,
    about: String,
    /// Applied when the cursor reaches it: a preview.
    preview: Option<Reply>,
    chosen: Reply,
}

pub(crate) struct Pick {
    title: &'static str,
    items: Vec<Item>,
    list: ListState,
}

impl Pick {
    pub fn theme(themes: &[(String, String)], current: &str) -> Self {
        let item = |(name, about): &(String, String)| Item {
            name: name.clone(),
            about: about.clone(),
            preview: Some(Reply::Theme(name.clone())),
            chosen: Reply::Theme(name.clone()),
        };
        let at = themes.iter().position(|(n, _)| n == current).unwrap_or(0);
        Pick { title: "Theme", items: themes.iter().map(item).collect(), list: ListState::at(at) }
    }

    pub fn export() -> Self {
        let item = |name: &str, about: &str, form| Item {
            name: name.into(),
            about: about.into(),
            preview: None,
            chosen: Reply::AskExport(form),
        };
        let items = vec![
            item("html", "one self-contained page to read", ExportForm::Html),
            item("jsonl", "the records, one a line", ExportForm::Jsonl),
            item("cast", "a recording for terminal players, a marker per decision", ExportForm::Cast),
            item("atif", "a trajectory (Harbor) of the branch it is on", ExportForm::Atif),
        ];
        Pick { title: "Write the session out as", items, list: ListState::default() }
    }

    pub fn compared(sessions: &[SessionEntry]) -> Self {
        let item = |entry: &SessionEntry| Item {
            name: entry.title.clone(),
            about: format!("  {}", entry.detail),
            preview: None,
            chosen: Reply::Compare(entry.path.clone()),
        };
        Pick { title: "Compare with", items: sessions.iter().map(item).collect(), list: ListState::default() }
    }

    fn preview(&self) -> Vec<Reply> {
        self.items.get(self.list.cursor()).and_then(|i| i.preview.clone()).into_iter().collect()
    }
}

impl Dialog for Pick {
    fn info(&self) -> Info {
        let widest = self.items.iter().map(|i| i.name.len().max(16) + i.about.len() + 3).max().unwrap_or(0);
        Info {
            title: self.title.into(),
            hints: vec![(ActionId::Accept, "choose"), (ActionId::ItemDown, "next"), (ActionId::Close, "cancel")],
            size: (
                u16::try_from(widest).unwrap_or(66).clamp(66, 110),
                u16::try_from(self.items.len()).unwrap_or(20).min(20),
            ),
            captures_text: false,
            ..Info::default()
        }
    }

    fn draw(&mut self, _: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let items = &self.items;
        self.list.draw(painter, area, true, items.len(), |row, _| match items.get(row) {
            Some(item) => {
                vec![run(Role::Text, sanitize::pad(&sanitize::line(&item.name), 16)), run(Role::Dim, &item.about)]
            }
            None => Row::new(),
        });
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action == ActionId::Accept {
            let chosen = self.items.get(self.list.cursor()).map(|i| i.chosen.clone());
            return std::iter::once(Reply::Close).chain(chosen).collect();
        }
        self.list.act(action, self.items.len());
        self.preview()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        match self.list.mouse(event, area, self.items.len()) {
            Some(_) => self.act(ActionId::Accept, context),
            None => self.preview(),
        }
    }
}
