//! Dialogs that ask for one line (a reason, a remark) or for a yes.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::driver::{Command, Request};
use crate::episode::{OfferId, ProposalId};
use crate::tui::actions::ActionId;
use crate::tui::sanitize;
use crate::tui::theme::Role;

/// What the line is for.
#[derive(Debug, Clone, PartialEq)]
enum Purpose {
    Reject(ProposalId),
    Refuse(OfferId),
    Note,
}

/// Asks for one line.
pub struct Prompt {
    purpose: Purpose,
    about: String,
    field: Field,
}

impl Prompt {
    /// Asks why a proposal is refused.
    pub fn reject(proposal: ProposalId, action: &str) -> Self {
        let about =
            format!("{}\nWhy not? The model is told, as your decision. Empty is allowed.", sanitize::line(action));
        Prompt { purpose: Purpose::Reject(proposal), about, field: Field::new("") }
    }

    /// Asks why an offered belief is refused.
    pub fn refuse(offer: OfferId, update: &str) -> Self {
        let update = sanitize::line(update);
        let about = format!("Written for: {update}\nWhy not? What is believed stays as it is. Empty is allowed.");
        Prompt { purpose: Purpose::Refuse(offer), about, field: Field::new("") }
    }

    /// Asks for a remark.
    pub fn note() -> Self {
        let about = "A remark at this step, kept in the session.".to_owned();
        Prompt { purpose: Purpose::Note, about, field: Field::new("") }
    }
}

impl Dialog for Prompt {
    fn title(&self) -> String {
        match self.purpose {
            Purpose::Reject(_) => "Reject the proposal".into(),
            Purpose::Refuse(_) => "Refuse the new belief".into(),
            Purpose::Note => "Note".into(),
        }
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        let accept = match self.purpose {
            Purpose::Reject(_) => "reject",
            Purpose::Refuse(_) => "refuse",
            Purpose::Note => "write",
        };
        vec![(ActionId::Accept, accept), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (72, 4)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let text = Paragraph::new(self.about.as_str()).wrap(Wrap { trim: true });
        let [above, _, line] = rows(area);
        frame.render_widget(text.style(context.theme.style(Role::Text)), above);
        self.field.render(context.theme, line, frame, true);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            return Vec::new();
        }
        let text = self.field.text().trim().to_owned();
        match self.purpose {
            Purpose::Reject(proposal) => {
                vec![Reply::Close, Reply::Send(Command::Gate(Request::Reject { proposal, reason: text }))]
            }
            Purpose::Refuse(offer) => {
                vec![Reply::Close, Reply::Send(Command::Gate(Request::RefuseOffer { offer, reason: text }))]
            }
            Purpose::Note if text.is_empty() => vec![Reply::Close],
            Purpose::Note => vec![Reply::Close, Reply::Send(Command::Gate(Request::Note(text)))],
        }
    }

    fn key(&mut self, key: KeyEvent, _: Context<'_>) -> Vec<Reply> {
        self.field.key(key);
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: Context<'_>) -> Vec<Reply> {
        self.field.paste(text);
        Vec::new()
    }
}

/// All rows but the last two; an empty one; the last.
fn rows(area: Rect) -> [Rect; 3] {
    use ratatui::layout::{Constraint, Layout};
    Layout::vertical([Constraint::Min(0), Constraint::Length(1), Constraint::Length(1)]).areas(area)
}

/// Asks for a yes.
pub struct Confirm {
    title: String,
    question: String,
    yes: &'static str,
    replies: Vec<Reply>,
}

impl Confirm {
    /// Asks `question`; a yes (`Enter`, shown with the word `yes`) gives `replies`.
    pub fn new(title: impl Into<String>, question: String, yes: &'static str, replies: Vec<Reply>) -> Self {
        Confirm { title: title.into(), question, yes, replies }
    }

    /// Shows a message that was too long for its line.
    pub fn message(text: &str) -> Self {
        Confirm::new("Message", sanitize::visible(text).into_owned(), "close", Vec::new())
    }
}

impl Dialog for Confirm {
    fn title(&self) -> String {
        self.title.clone()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, self.yes), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        const WIDTH: usize = 72;
        let rows: usize = self.question.lines().map(|l| l.width().div_ceil(WIDTH - 8).max(1)).sum();
        (WIDTH as u16, u16::try_from(rows).unwrap_or(u16::MAX))
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let lines: Vec<Line<'_>> = self.question.lines().map(Line::from).collect();
        let text = Paragraph::new(lines).wrap(Wrap { trim: true }).style(context.theme.style(Role::Text));
        frame.render_widget(text, area);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            return Vec::new();
        }
        let mut replies = vec![Reply::Close];
        replies.append(&mut self.replies);
        replies
    }
}
