//! Dialogs that ask for one line (a reason, a remark) or for a yes.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Paragraph, Wrap};
use unicode_width::UnicodeWidthStr;

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::driver::{Command, Request};
use crate::episode::breakpoint::SYNTAX;
use crate::episode::{Breakpoint, NodeId, OfferId, ProposalId};
use crate::tui::actions::ActionId;
use crate::tui::event::Input;
use crate::tui::sanitize;
use crate::tui::theme::Role;

/// What a line that was typed is sent as; `None` for nothing, or what is wrong with it.
type Sent = Box<dyn Fn(String) -> Result<Option<Request>, String>>;

/// Asks for one line.
pub struct Prompt {
    title: &'static str,
    /// What accepting does, in a word.
    accept: &'static str,
    about: String,
    field: Field,
    sent: Sent,
    problem: Option<String>,
}

impl Prompt {
    fn new(title: &'static str, accept: &'static str, about: String, sent: Sent) -> Self {
        Prompt { title, accept, about, field: Field::new(""), sent, problem: None }
    }

    /// Asks why a proposal is refused.
    pub fn reject(proposal: ProposalId, action: &str) -> Self {
        let about =
            format!("{}\nWhy not? The model sees the reason with your decision. May be empty.", sanitize::line(action));
        let sent = move |reason| Ok(Some(Request::Reject { proposal, reason }));
        Prompt::new("Reject the proposal", "reject", about, Box::new(sent))
    }

    /// Asks why an offered belief is refused.
    pub fn refuse(offer: OfferId, update: &str) -> Self {
        let update = sanitize::line(update);
        let about = format!("Written for: {update}\nWhy not? What is believed stays as it is. Empty is allowed.");
        let sent = move |reason| Ok(Some(Request::RefuseOffer { offer, reason }));
        Prompt::new("Refuse the new belief", "refuse", about, Box::new(sent))
    }

    /// Asks why an offered document is refused that is no belief.
    pub fn refuse_document(offer: OfferId, kind: &str, title: &str) -> Self {
        let about = format!("The {kind} of: {}\nWhy not? Empty is allowed.", sanitize::line(title));
        let sent = move |reason| Ok(Some(Request::RefuseOffer { offer, reason }));
        Prompt::new("Refuse it", "refuse", about, Box::new(sent))
    }

    /// Asks for the text of an offered document of one line, to be taken in its place.
    pub fn edit_document(offer: OfferId, title: &str, text: &str) -> Self {
        let sent = move |text: String| Ok((!text.is_empty()).then_some(Request::EditOffer { offer, text }));
        let prompt = Prompt::new("Edit it, then take it", "take", sanitize::line(title).into_owned(), Box::new(sent));
        Prompt { field: Field::new(text), ..prompt }
    }

    /// Asks for a remark.
    pub fn note() -> Self {
        let about = "A remark at this step, kept in the session.".to_owned();
        let sent = |text: String| Ok((!text.is_empty()).then_some(Request::Note(text)));
        Prompt::new("Note", "write", about, Box::new(sent))
    }

    /// Asks for another text of a remark.
    pub fn edit_note(node: NodeId, note: usize, text: &str) -> Self {
        let about = "The remark in other words; left empty, it is taken out.".to_owned();
        let sent = move |text| Ok(Some(Request::EditNote { node, note, text }));
        Prompt { field: Field::new(text), ..Prompt::new("Edit the note", "change", about, Box::new(sent)) }
    }

    /// Asks for the breakpoints, filled with those that are set.
    pub fn breakpoints(set: &[Breakpoint]) -> Self {
        let about = format!("Automatic steps stop at: {SYNTAX}. Several apart by `;`; empty: none.");
        let sent = |text: String| Ok(Some(Request::SetBreakpoints(Breakpoint::list(&text)?)));
        let now = set.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        Prompt { field: Field::new(&now), ..Prompt::new("Breakpoints", "set", about, Box::new(sent)) }
    }
}

impl Dialog for Prompt {
    fn title(&self) -> String {
        self.title.into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, self.accept), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (72, 4)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let (text, role) = self.problem.as_ref().map_or((&self.about, Role::Text), |problem| (problem, Role::Bad));
        let text = Paragraph::new(text.as_str()).wrap(Wrap { trim: true });
        let [above, _, line] = rows(area);
        frame.render_widget(text.style(context.theme.style(role)), above);
        self.field.render(context.theme, line, frame, true);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            return Vec::new();
        }
        match (self.sent)(self.field.text().trim().to_owned()) {
            Ok(sent) => {
                std::iter::once(Reply::Close).chain(sent.map(|request| Reply::Send(Command::Gate(request)))).collect()
            }
            Err(problem) => {
                self.problem = Some(sanitize::line(&problem).into_owned());
                Vec::new()
            }
        }
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        self.field.input(input);
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
        let text = Paragraph::new(lines).wrap(Wrap { trim: false }).style(context.theme.style(Role::Text));
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
