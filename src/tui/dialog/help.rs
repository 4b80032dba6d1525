//! Help: every action with its keys, grouped, scrollable; made from the action table.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use crossterm::event::{KeyCode, MouseEvent, MouseEventKind};

use super::list::scrollbar;
use super::{Context, Dialog, Reply};
use crate::tui::actions::{ACTIONS, ActionId, CONTEXTS};
use crate::tui::event::Input;
use crate::tui::keymap::Keymap;
use crate::tui::panes::wrap::wrapped;
use crate::tui::theme::{Role, Theme};

/// The text above the keys.
const ABOUT: &str = "Each step waits at the gate: proposals with the verdicts of their preconditions. You approve, edit, \
                     refuse or type one; only then does it happen. Every decision can be undone; a new one from an \
                     earlier step begins a branch. Shared keys go to the focused pane first; in Proposals they decide. \
                     `a` approves from every pane. Hold Shift to select text with the mouse. The session is saved after \
                     each record; there is nothing to save by hand.";

/// The statuses of candidate preconditions, as the Preconditions pane names them.
const STATUSES: [(&str, &str); 9] = [
    ("in force", "checked at every step from now on; what is adopted (A) is in force"),
    ("suggested", "valid, and no valid candidate is stronger (Equation 1); adopted unless you mark others"),
    ("equivalent", "holds at exactly the instances of a suggested one"),
    ("implied", "valid, but a stronger valid candidate implies it"),
    ("always", "holds at every instance, so it forbids nothing"),
    ("fails", "a demonstration made a call that it would have forbidden"),
    ("malformed", "no assertion: it does not parse, uses a forbidden name, or could not be read from a completion"),
    ("unknown", "the engine cannot decide: something it does not offer, or its budget ran out"),
    ("deleted", "out of the ranking by a person's hand; the same key restores it"),
];

/// Columns of the keys.
const KEYS: usize = 20;

/// The help.
#[derive(Default)]
pub struct Help {
    top: usize,
    rows: usize,
}

fn lines(keymap: &Keymap, theme: &Theme, width: usize) -> Vec<Line<'static>> {
    let about = wrapped(ABOUT, width).into_iter();
    let mut out: Vec<Line<'_>> = about.map(|l| Line::styled(l, theme.style(Role::Text))).collect();
    let entry = |out: &mut Vec<Line<'static>>, word: &str, about: &str| {
        let room = width.saturating_sub(KEYS + 3).max(8);
        for (i, text) in wrapped(about, room).into_iter().enumerate() {
            let word = if i == 0 { word } else { "" };
            out.push(Line::from(vec![
                Span::styled(format!("  {word:<KEYS$} "), theme.style(Role::Key)),
                Span::styled(text, theme.style(Role::Text)),
            ]));
        }
    };
    for context in CONTEXTS {
        out.push(Line::default());
        out.push(Line::styled(context.title(), theme.style(Role::Title)));
        for spec in ACTIONS.iter().filter(|s| s.context == context) {
            let keys: Vec<String> = keymap.keys(spec.id).iter().map(ToString::to_string).collect();
            let keys = if keys.is_empty() { "no key".to_owned() } else { keys.join(" ") };
            entry(&mut out, &keys, &spec.about);
        }
    }
    out.push(Line::default());
    out.push(Line::styled("How candidate preconditions stand", theme.style(Role::Title)));
    for (word, about) in STATUSES {
        entry(&mut out, word, about);
    }
    out
}

impl Dialog for Help {
    fn title(&self) -> String {
        "Keys".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::ItemDown, "scroll"), (ActionId::ItemPageDown, "page"), (ActionId::Close, "close")]
    }

    fn captures_text(&self) -> bool {
        false
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (116, 60)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        // The last column is the scroll bar's.
        let lines = lines(context.keymap, context.theme, usize::from(area.width).saturating_sub(2));
        self.rows = usize::from(area.height);
        self.top = self.top.min(lines.len().saturating_sub(self.rows));
        for (y, line) in (area.y..area.bottom()).zip(lines.iter().skip(self.top)) {
            frame.render_widget(line, Rect { y, height: 1, ..area });
        }
        scrollbar(context.theme, area, frame, self.top, lines.len());
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        let page = self.rows.saturating_sub(1).max(1);
        match action {
            ActionId::ItemUp => self.top = self.top.saturating_sub(1),
            ActionId::ItemDown => self.top += 1,
            ActionId::ItemPageUp => self.top = self.top.saturating_sub(page),
            ActionId::ItemPageDown | ActionId::Complete => self.top += page,
            ActionId::Accept => return vec![Reply::Close],
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, context: Context<'_>) -> Vec<Reply> {
        let Input::Key(key) = input else { return Vec::new() };
        match key.code {
            KeyCode::Char('?' | 'q') => vec![Reply::Close],
            KeyCode::Char('j') => self.act(ActionId::ItemDown, context),
            KeyCode::Char('k') => self.act(ActionId::ItemUp, context),
            KeyCode::Char(' ') => self.act(ActionId::ItemPageDown, context),
            KeyCode::Char('g') | KeyCode::Home => {
                self.top = 0;
                Vec::new()
            }
            KeyCode::Char('G') | KeyCode::End => {
                // Rendering keeps it inside.
                self.top = (ACTIONS.len() + STATUSES.len()) * 4;
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn mouse(&mut self, event: MouseEvent, _: Rect, _: Context<'_>) -> Vec<Reply> {
        match event.kind {
            MouseEventKind::ScrollUp => self.top = self.top.saturating_sub(3),
            MouseEventKind::ScrollDown => self.top += 3,
            _ => {}
        }
        Vec::new()
    }
}
