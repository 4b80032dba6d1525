//! Dialogs that ask for one line (a reason, a remark) or for a yes.

use std::cell::RefCell;

use ratatui::Frame;
use ratatui::layout::Rect;
use serde_json::Value;
use unicode_width::UnicodeWidthStr;

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::actions::ActionId;
use crate::event::Input;
use crate::panes::draw::{Painter, Row};
use crate::panes::words;
use crate::sanitize;
use crate::theme::Role;
use stepwright_driver::{Command, Request};
use stepwright_episode::{Breakpoint, NodeId, OfferId, ProposalId};

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

    /// Asks for the breakpoints, filled with those that are set; a path at which nothing is now is asked about once.
    pub fn breakpoints(set: &[Breakpoint], action: Option<&str>, variables: Value) -> Self {
        let about = examples(action.unwrap_or("open"), example_path(&variables).as_deref());
        let asked = RefCell::new(String::new());
        let sent = move |text: String| {
            let list = Breakpoint::list(&text)?;
            let absent = list.iter().find_map(|one| one.absent(&variables));
            if let Some(path) = absent.filter(|_| *asked.borrow() != text) {
                asked.replace(text.clone());
                return Err(format!("Nothing is at `{path}` of the state now. Enter again sets it as it is."));
            }
            Ok(Some(Request::SetBreakpoints(list)))
        };
        let now = set.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ");
        Prompt { field: Field::new(&now), ..Prompt::new("Breakpoints", "set", about, Box::new(sent)) }
    }
}

/// What breakpoints there are, by examples of the session at hand.
fn examples(action: &str, path: Option<&str>) -> String {
    let rows = [
        (format!("action {action}*"), "before such an action"),
        ("fails visible".to_owned(), "before an action of which such an assertion fails"),
        (format!("state {}", path.unwrap_or("agent.inventory")), "after a step that changes it"),
        ("reward 0.5".to_owned(), "after such a reward (`reward`: after any)"),
        ("error".to_owned(), "after a step that the world refuses"),
    ];
    let width = rows.iter().map(|(example, _)| example.width()).max().unwrap_or(0);
    let rows = rows
        .iter()
        .map(|(example, means)| format!("\n{example}{}  {means}", " ".repeat(width.saturating_sub(example.width()))));
    format!("Automatic steps stop at any of these; separate several by `;`.{}", rows.collect::<String>())
}

/// The path of a plain value among the variables, of those that are named shortly.
fn example_path(variables: &Value) -> Option<String> {
    let plain = |value: &Value| match value {
        Value::Object(_) => false,
        Value::String(text) => !text.starts_with('<'),
        _ => true,
    };
    let below = |(name, value): (&String, &Value)| {
        let (found, _) = value.as_object()?.iter().find(|(key, value)| plain(value) && key.len() <= 12)?;
        Some(format!("{name}.{found}"))
    };
    variables.as_object()?.iter().find_map(below)
}

/// Columns that these dialogs would like.
const WIDTH: u16 = 72;

/// A text of lines, wrapped.
fn paragraphs(text: &str, role: Role, columns: usize) -> Vec<Row> {
    // What an indented line goes on with is indented as it is.
    let indented = |line: &str| {
        let indent = line.len() - line.trim_start_matches(' ').len();
        let (lead, text) = line.split_at(indent);
        words::labelled(lead, role, text, columns)
    };
    text.lines().flat_map(indented).collect()
}

/// How many rows a text takes in so many columns.
fn rows_of(text: &str, columns: u16) -> u16 {
    u16::try_from(paragraphs(text, Role::Text, usize::from(columns)).len()).unwrap_or(u16::MAX)
}

impl Prompt {
    /// What is said above the field: what is asked, or what is wrong with the answer.
    fn said(&self) -> &str {
        self.problem.as_deref().unwrap_or(&self.about)
    }
}

impl Dialog for Prompt {
    fn title(&self) -> String {
        self.title.into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, self.accept), (ActionId::Close, "cancel")]
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        let columns = WIDTH.min(context.columns);
        // An empty row and the field below what is said.
        (columns, rows_of(self.said(), columns) + 2)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let role = if self.problem.is_some() { Role::Bad } else { Role::Text };
        let [above, _, line] = rows(area);
        let text = paragraphs(self.said(), role, usize::from(area.width));
        Painter { buf: frame.buffer_mut(), theme: context.theme, focused: true }.rows(above, &text);
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
    /// Rows scrolled, and rows that can be.
    top: usize,
    hidden: usize,
}

impl Confirm {
    /// Asks `question`; a yes (`Enter`, shown with the word `yes`) gives `replies`.
    pub fn new(title: impl Into<String>, question: String, yes: &'static str, replies: Vec<Reply>) -> Self {
        Confirm { title: title.into(), question, yes, replies, top: 0, hidden: 0 }
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
        let mut hints = vec![(ActionId::Accept, self.yes)];
        if self.hidden > 0 {
            hints.push((ActionId::ItemDown, "scroll"));
        }
        // Of what is only read nothing can be cancelled.
        hints.push((ActionId::Close, if self.replies.is_empty() { "close" } else { "cancel" }));
        hints
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        let columns = WIDTH.min(context.columns);
        (columns, rows_of(&self.question, columns))
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let text = paragraphs(&self.question, Role::Text, usize::from(area.width));
        self.hidden = text.len().saturating_sub(usize::from(area.height));
        self.top = self.top.min(self.hidden);
        let mut painter = Painter { buf: frame.buffer_mut(), theme: context.theme, focused: true };
        painter.rows(area, text.get(self.top..).unwrap_or_default());
        painter.scrollbar(area, self.top, text.len());
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::Accept => {}
            ActionId::ItemDown => {
                self.top += 1;
                return Vec::new();
            }
            ActionId::ItemUp => {
                self.top = self.top.saturating_sub(1);
                return Vec::new();
            }
            _ => return Vec::new(),
        }
        let mut replies = vec![Reply::Close];
        replies.append(&mut self.replies);
        replies
    }
}
