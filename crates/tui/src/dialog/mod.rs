//! Dialogs: what opens over the panes, takes the keys, and answers with what is to be done. Each closes with Esc, changing nothing.
//!
//! A dialog reads the view and replies; sending commands and opening further dialogs is the application's.

pub mod act;
pub mod asked;
pub mod compare;
pub mod configure;
pub mod duel;
pub mod form;
pub mod help;
mod judge;
pub mod palette;
pub mod pick;
pub mod presenter;
pub mod tree;

use std::borrow::Cow;
use std::path::PathBuf;
use std::time::Duration;

use crossterm::event::{MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::actions::{self, ActionId};
use super::event::Input;
use super::keymap::Keymap;
use super::launcher::ExportForm;
use super::view::View;
use super::widgets::draw::Painter;
use stepwright_episode::NodeId;
use stepwright_protocol::Command;
use stepwright_text::Columns;

/// The state that a dialog may read.
#[derive(Clone, Copy)]
pub struct Context<'a> {
    pub view: &'a View,
    pub keymap: &'a Keymap,
    /// The most columns there are inside its border.
    pub columns: u16,
}

#[derive(Debug, Clone, PartialEq)]
pub struct Fetch {
    pub model: String,
    pub size: String,
    /// The command sent to the driver once it is there.
    pub then: Option<Command>,
}

#[derive(Debug, Clone, PartialEq)]
pub(crate) enum Reply {
    Close,
    /// The person knows what going back does not undo.
    Agreed,
    Send(Command),
    Do(ActionId),
    Leave,
    Theme(String),
    Export(ExportForm, PathBuf),
    AskExport(ExportForm),
    AskCompared,
    /// Choose the sides of a duel.
    ChooseSides,
    Compare(PathBuf),
    Presents(NodeId),
    OfferFetch(Fetch),
    Fetch(Fetch),
    WakeIn(Duration),
}

const WHOLE_SCREEN: (u16, u16) = (u16::MAX, u16::MAX);

/// What is said of a dialog as it stands.
pub(crate) struct Info {
    pub(crate) title: Cow<'static, str>,
    /// The keys that the footer names.
    pub(crate) hints: Vec<(ActionId, &'static str)>,
    /// The columns and rows that it would have inside its border.
    pub(crate) size: (u16, u16),
    /// Whether a character key is text rather than a binding, even if bound to an item key.
    pub(crate) captures_text: bool,
    /// Where its own keys are in the action table; they come before those of every dialog.
    pub(crate) keys: Option<actions::Context>,
    /// The action that opens it: the same key closes it again, where it is no text.
    pub(crate) opener: Option<ActionId>,
}

impl Default for Info {
    fn default() -> Self {
        let (title, hints, size) = (Cow::Borrowed(""), Vec::new(), WHOLE_SCREEN);
        Info { title, hints, size, captures_text: true, keys: None, opener: None }
    }
}

const WHEEL: usize = 3;

/// A row that names keys: each with its word, several of one word apart by `/`.
pub(crate) fn key_row(keymap: &Keymap, keys: &[(&[ActionId], &str)]) -> String {
    fitting_key_row(keymap, keys, usize::MAX)
}

/// As [`key_row`], without those at the end for which there are too few columns.
pub(crate) fn fitting_key_row(keymap: &Keymap, keys: &[(&[ActionId], &str)], columns: usize) -> String {
    let named = |(actions, word): &(&[ActionId], &str)| {
        let keys: Vec<String> = actions.iter().filter_map(|action| keymap.hint(*action)).collect();
        (!keys.is_empty()).then(|| format!("{} {word}", keys.join("/")))
    };
    let mut row = String::new();
    for text in keys.iter().filter_map(named) {
        let gap = if row.is_empty() { "" } else { "  " };
        if row.width() + gap.len() + text.width() > columns {
            break;
        }
        row.push_str(gap);
        row.push_str(&text);
    }
    row
}

pub(crate) trait Dialog {
    fn info(&self) -> Info;

    /// The size, where it is reckoned from what is shown in it.
    fn size(&self, context: Context<'_>) -> (u16, u16) {
        let _ = context;
        self.info().size
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect);

    /// A dialog key; returns its replies. `Close` never arrives: the application closes.
    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply>;

    /// Leaves a part of it (a name being typed, a search) or says what would be lost, instead of closing it all; whether there was one.
    fn leave_part(&mut self) -> bool {
        false
    }

    /// Any other key, or pasted text.
    fn input(&mut self, input: Input<'_>, context: Context<'_>) -> Vec<Reply> {
        let _ = (input, context);
        Vec::new()
    }

    /// Whether it holds a text of many lines: then only the keys that accept it and that close the dialog are its bindings.
    fn holds_lines(&self) -> bool {
        false
    }

    /// A mouse event inside the area last drawn; the wheel scrolls.
    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        let _ = area;
        let action = match event.kind {
            MouseEventKind::ScrollUp => ActionId::ItemUp,
            MouseEventKind::ScrollDown => ActionId::ItemDown,
            _ => return Vec::new(),
        };
        let rows = if self.info().captures_text { 1 } else { WHEEL };
        (0..rows).flat_map(|_| self.act(action, context)).collect()
    }

    fn wake(&mut self, context: Context<'_>) -> Vec<Reply> {
        let _ = context;
        Vec::new()
    }

    /// Takes in what changed in the session.
    fn update(&mut self, context: Context<'_>) -> Vec<Reply> {
        let _ = context;
        Vec::new()
    }
}
