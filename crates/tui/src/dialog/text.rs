//! Dialog that types a text of many lines: a whole belief, or a program. It is checked as it is typed; what cannot be read is not sent
//! and can be corrected.

use std::time::Duration;

use crossterm::event::{KeyCode, KeyModifiers};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::text::Line;
use tui_textarea::{CursorMove, TextArea, WrapMode};

use super::act::verdict_rows;
use super::{Context, Dialog, Reply, next_token};
use crate::actions::ActionId;
use crate::event::Input;
use crate::panes::draw::Row;
use crate::panes::{draw, edit, offer, words, wrap};
use crate::paste;
use crate::theme::Role;
use stepwright_driver::{BeliefReading, Command, Request};
use stepwright_episode::{ArtifactId, OfferId, ProposalId};
use stepwright_program::SyntaxFault;
use stepwright_text::sanitize;

/// Quiet time before what was typed is checked.
const DEBOUNCE: Duration = Duration::from_millis(120);
/// How often to look whether the answer to a check is there that an acceptance waits for.
const POLL: Duration = Duration::from_millis(30);
/// Rows under the text.
const NOTES: u16 = 6;

/// What the text is for.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Purpose {
    /// In place of an offered belief.
    Offer(OfferId),
    /// In place of another offered document.
    Document(OfferId),
    /// The plan or program in force from now on.
    Plan,
    /// What is believed from now on.
    Correction,
    /// A program: that of a proposal, changed, or one of a person's own.
    Program(Option<ProposalId>),
}

/// Types a text of many lines.
pub struct TextForm {
    purpose: Purpose,
    about: String,
    /// What a program may call; empty where that is not known.
    calls: String,
    /// What keeps the plan or program from going on; empty if nothing does.
    why: String,
    area: TextArea<'static>,
    /// Where the text was drawn last.
    drawn: Rect,
    /// The token of the check of the present text; `None` if that was not requested yet.
    token: Option<u64>,
    /// Whether the person accepted before it was checked.
    accepting: bool,
    /// Whether it is a program, which is parsed as it is typed.
    parsed: bool,
    /// Where it does not parse.
    fault: Option<SyntaxFault>,
    /// Whether the person accepted it although it does not parse: a further time takes it as it is.
    asked: bool,
}

impl TextForm {
    fn new(purpose: Purpose, about: String, text: &str) -> Self {
        let area = lined(text.lines().map(str::to_owned).collect());
        let (why, calls, drawn) = (String::new(), String::new(), Rect::default());
        let parsed = matches!(purpose, Purpose::Program(_));
        let mut form = TextForm {
            purpose,
            about,
            calls,
            why,
            area,
            drawn,
            token: None,
            accepting: false,
            parsed,
            fault: None,
            asked: false,
        };
        form.parse();
        form
    }

    /// Edits an offered belief.
    pub fn offer(offer: OfferId, text: &str, update: &str) -> Self {
        TextForm::new(Purpose::Offer(offer), format!("Written for: {update}"), text)
    }

    /// Edits an offered document that is a text: a reflection, say.
    pub fn document(offer: OfferId, text: &str, about: &str) -> Self {
        TextForm::new(Purpose::Document(offer), format!("Written on: {about}"), text)
    }

    /// Rewrites the plan or program in force, from that line (from 0) on; `why`: what keeps it from going on, or nothing.
    pub fn plan(text: &str, line: usize, why: &str) -> Self {
        let about = "In force from here on; it is recorded as your correction.".to_owned();
        let mut form = TextForm::new(Purpose::Plan, about, text);
        form.why = why.to_owned();
        form.area.move_cursor(CursorMove::Jump(line.try_into().unwrap_or(u16::MAX), 0));
        form.area.move_cursor(CursorMove::End);
        form
    }

    /// Corrects what is believed.
    pub fn correction(text: &str) -> Self {
        let about = "What is believed from here on; it is recorded as your correction.".to_owned();
        TextForm::new(Purpose::Correction, about, text)
    }

    /// Edits a program that answers a request, or writes one; `calls`: what it may call, in words.
    pub fn program(from: Option<ProposalId>, text: &str, query: &str, calls: &str) -> Self {
        let mut form = TextForm::new(Purpose::Program(from), format!("The request: {query}"), text);
        form.calls = calls.to_owned();
        form
    }

    /// Says that the text is a program, so that it is parsed as it is typed.
    pub fn parsed(mut self, parsed: bool) -> Self {
        self.parsed |= parsed;
        self.parse();
        self
    }

    fn parse(&mut self) {
        self.asked = false;
        self.fault = edit::fault(&self.text(), SyntaxFault::of_program).filter(|_| self.parsed);
    }

    fn text(&self) -> String {
        self.area.lines().join("\n")
    }

    fn is_belief(&self) -> bool {
        matches!(self.purpose, Purpose::Offer(_) | Purpose::Correction)
    }

    fn changed(&mut self) -> Vec<Reply> {
        (self.token, self.accepting) = (None, false);
        self.parse();
        vec![Reply::WakeIn(DEBOUNCE)]
    }

    /// Requests a check of the present text.
    fn check(&mut self) -> Reply {
        let (token, text) = (next_token(), self.text());
        self.token = Some(token);
        Reply::Send(if self.is_belief() {
            Command::CheckBelief { token, text }
        } else {
            Command::CheckText { token, text }
        })
    }

    /// The belief as read from the present text.
    fn reading<'a>(&self, context: Context<'a>) -> Option<&'a Result<BeliefReading, String>> {
        let answer = context.view.belief_checked.as_ref()?;
        (Some(answer.0) == self.token).then_some(&answer.1)
    }

    fn accept(&mut self, context: Context<'_>) -> Vec<Reply> {
        let text = self.text();
        if text.trim().is_empty() {
            return Vec::new();
        }
        if self.fault.is_some() && !std::mem::replace(&mut self.asked, true) {
            // It stays open, at the fault.
            return Vec::new();
        }
        let command = match self.purpose {
            Purpose::Program(Some(proposal)) => Command::Gate(Request::Edit { proposal, text }),
            Purpose::Program(None) => Command::Gate(Request::Manual { text }),
            Purpose::Plan => Command::Gate(Request::CorrectArtifact { artifact: ArtifactId::PLAN, text }),
            Purpose::Document(offer) => Command::Gate(Request::EditOffer { offer, text }),
            Purpose::Offer(_) | Purpose::Correction => match (self.reading(context), self.purpose) {
                (Some(Ok(_)), Purpose::Offer(offer)) => Command::Gate(Request::EditOffer { offer, text }),
                (Some(Ok(_)), _) => Command::Gate(Request::correct_belief(text)),
                // It stays open: what is wrong is said under it.
                (Some(Err(_)), _) => {
                    self.accepting = false;
                    return Vec::new();
                }
                (None, _) => return self.accept_once_checked(),
            },
        };
        vec![Reply::Close, Reply::Send(command)]
    }

    fn accept_once_checked(&mut self) -> Vec<Reply> {
        self.accepting = true;
        let mut replies = Vec::new();
        if self.token.is_none() {
            replies.push(self.check());
        }
        replies.push(Reply::WakeIn(POLL));
        replies
    }

    /// What checking said, under the text.
    fn notes(&self, context: Context<'_>, width: usize) -> Vec<Row> {
        let theme = context.theme;
        let believed = context.view.session.as_ref().and_then(|s| s.belief());
        match self.reading(context) {
            None => vec![vec![draw::run(Role::Dim, format!("checking {}", theme.glyphs.ellipsis))]],
            Some(Err(why)) => {
                let text = format!("{} {why}", theme.glyphs.no);
                let mut rows: Vec<Row> =
                    wrap::wrapped(&text, width).iter().take(3).map(|l| vec![draw::run(Role::Bad, l)]).collect();
                rows.push(vec![draw::run(Role::Dim, "What is believed stays until this can be read.")]);
                rows
            }
            Some(Ok(BeliefReading { state, repairs })) => {
                let mut rows = Vec::new();
                if !repairs.is_empty() {
                    let text = format!("read with {}: {}", words::count(repairs.len(), "repair"), repairs.join("; "));
                    rows.extend(wrap::wrapped(&text, width).iter().take(2).map(|l| vec![draw::run(Role::Warn, l)]));
                }
                let head = format!("{} it can be read; against what is believed now:", theme.glyphs.yes);
                rows.push(vec![draw::run(Role::Good, head)]);
                let left = usize::from(NOTES).saturating_sub(rows.len() + 1);
                let none = serde_json::Value::Null;
                rows.extend(offer::changes(believed.map_or(&none, |b| b), state, left));
                rows
            }
        }
    }
}

/// Where a program does not parse, and what the key that accepts does then.
fn fault_rows(fault: &SyntaxFault, asked: bool, context: Context<'_>, width: usize) -> Vec<Row> {
    let no = format!("{} ", context.theme.glyphs.no);
    let mut rows = words::labelled(&no, Role::Bad, &format!("it {}", fault.in_words()), width);
    let key = context.keymap.hint(ActionId::AcceptText).unwrap_or_default();
    let (role, text) = match asked {
        true => (Role::Warn, format!("It does not parse; {key} again takes it as it is.")),
        false => (Role::Dim, "What was typed stays; it is taken once it parses.".to_owned()),
    };
    rows.extend(words::labelled("", role, &text, width));
    rows
}

/// A text area over these lines, which are wrapped.
fn lined(lines: Vec<String>) -> TextArea<'static> {
    let mut area = TextArea::new(lines);
    area.set_cursor_line_style(Style::new());
    area.set_wrap_mode(WrapMode::WordOrGlyph);
    area
}

impl Dialog for TextForm {
    fn title(&self) -> String {
        match self.purpose {
            Purpose::Offer(_) => "Edit the new belief, then take it".into(),
            Purpose::Plan => "Edit the program, then go on with it".into(),
            Purpose::Document(_) => "Edit what was written, then take it".into(),
            Purpose::Correction => "Correct what is believed".into(),
            Purpose::Program(Some(_)) => "Edit the program, then take it".into(),
            Purpose::Program(None) => "Write a program or calls".into(),
        }
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::AcceptText, "take it"), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        let lines = u16::try_from(self.area.lines().len()).unwrap_or(u16::MAX);
        (96, lines.saturating_add(NOTES + 3).clamp(18, 40))
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let width = usize::from(area.width);
        let about = wrap::wrapped(&self.about, width);
        let (head, below) = draw::split_top(area, (about.len() as u16).min(2));
        for (y, line) in (head.y..head.bottom()).zip(&about) {
            let line = Line::styled(sanitize::line(line), theme.style(Role::Title));
            frame.render_widget(line, Rect { y, height: 1, ..head });
        }
        let (text, notes) = draw::split_bottom(below, NOTES.min(below.height / 2));
        if std::mem::replace(&mut self.drawn, text) != text {
            // The widget keeps what it scrolled away, also where there is room for it now.
            let (row, column) = (self.area.cursor().0, self.area.cursor().1);
            self.area = lined(self.area.lines().to_vec());
            let place = |at: usize| u16::try_from(at).unwrap_or(u16::MAX);
            self.area.move_cursor(CursorMove::Jump(place(row), place(column)));
        }
        self.area.set_style(theme.style(Role::Text));
        self.area.set_line_number_style(theme.style(Role::Dim));
        self.area.set_cursor_style(Style::new().add_modifier(Modifier::REVERSED));
        if !text.is_empty() {
            frame.render_widget(&self.area, text);
        }
        if self.is_belief() {
            let rows = self.notes(context, width);
            draw::Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(notes, &rows);
            return;
        }
        if let Some(fault) = &self.fault {
            let rows = fault_rows(fault, self.asked, context, width);
            draw::Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(notes, &rows);
            return;
        }
        if matches!(self.purpose, Purpose::Document(_) | Purpose::Plan) {
            let mut rows = Vec::new();
            if self.parsed {
                rows.push(vec![draw::run(Role::Good, format!("{} it parses", theme.glyphs.yes))]);
            }
            if !self.why.is_empty() {
                rows.extend(words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, &self.why, width));
            }
            rows.truncate(usize::from(notes.height).saturating_sub(1));
            let taken = "Taken as it is; what was written stays in the record.";
            rows.push(vec![draw::run(Role::Dim, taken)]);
            draw::Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(notes, &rows);
            return;
        }
        let checked = context.view.text_checked.as_ref().filter(|(token, _)| Some(*token) == self.token);
        let rows = match checked {
            Some((_, verdict)) => verdict_rows(verdict, theme, width),
            None => {
                let about = "Calls, one a line, or a program of them; it is run only when it is taken.";
                words::labelled("", Role::Dim, about, width)
            }
        };
        let calls = Some(&self.calls).filter(|calls| !calls.is_empty());
        let calls = calls.into_iter().flat_map(|calls| words::labelled("calls: ", Role::Dim, calls, width));
        let rows: Vec<Row> = rows.into_iter().chain(calls).collect();
        draw::Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(notes, &rows);
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::AcceptText => self.accept(context),
            _ => Vec::new(),
        }
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        let room = paste::LINES.saturating_sub(self.text().len());
        let changed = match input {
            Input::Paste(text) => paste::whole(paste::lines(text), room).is_some_and(|text| self.area.insert_str(text)),
            Input::Key(key) => match key.code {
                KeyCode::Char(_) if room == 0 => false,
                KeyCode::Char('u') if key.modifiers.contains(KeyModifiers::CONTROL) => self.area.delete_line_by_head(),
                _ => self.area.input(key),
            },
        };
        if changed { self.changed() } else { Vec::new() }
    }

    fn holds_lines(&self) -> bool {
        true
    }

    fn wake(&mut self, context: Context<'_>) -> Vec<Reply> {
        let mut replies = Vec::new();
        let checked = !matches!(self.purpose, Purpose::Document(_) | Purpose::Plan);
        if checked && self.token.is_none() && !self.text().trim().is_empty() {
            replies.push(self.check());
        }
        if self.accepting {
            match self.reading(context) {
                Some(_) => replies.extend(self.accept(context)),
                None => replies.push(Reply::WakeIn(POLL)),
            }
        }
        replies
    }
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::keymap::Keymap;
    use crate::theme::{Theme, UNICODE};
    use crate::view::View;

    #[test]
    fn a_program_that_does_not_parse_says_so_at_once_and_is_taken_only_when_asked_twice() {
        let (view, theme, keymap) = (View::default(), Theme::monochrome(UNICODE), Keymap::default());
        let context = Context { view: &view, theme: &theme, keymap: &keymap, columns: 96 };
        let screen = |form: &mut TextForm| {
            let mut terminal = Terminal::new(TestBackend::new(80, 14)).unwrap();
            terminal.draw(|frame| form.render(context, frame.area(), frame)).unwrap();
            terminal.backend().to_string()
        };
        let mut form = TextForm::plan("if a\n    b()\n", 0, "").parsed(true);
        let shown = screen(&mut form);
        assert!(shown.contains("does not parse: line 1, column 5: expected `:`, found newline"), "{shown}");
        assert_eq!(form.act(ActionId::AcceptText, context), []);
        let shown = screen(&mut form);
        assert!(shown.contains("Ctrl-S again takes it as it is") && shown.contains("b()"), "{shown}");
        // A further key asks again, or finds it whole.
        form.input(Input::Paste(":"), context);
        let shown = screen(&mut form);
        assert!(shown.contains("it parses"), "{shown}");
        assert!(matches!(form.act(ActionId::AcceptText, context)[..], [Reply::Close, Reply::Send(_)]));
        // What is no program is not parsed.
        let mut form = TextForm::plan("take the mug, then", 0, "");
        assert!(!screen(&mut form).contains("parse"));
    }
}
