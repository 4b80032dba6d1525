//! Forms: words, a table of fields, and words on what they hold. One widget draws them, moves between them, edits them, takes pasted text
//! and the mouse, and says what is wrong. What is asked, and what becomes of it, is in `asked`.

use std::ops::RangeInclusive;
use std::time::Duration;

use crossterm::event::{KeyCode, KeyEventKind, MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::Rect;

use super::judge::Judge;
use super::{Context, Dialog, Info, Reply};
use crate::actions::ActionId;
use crate::event::Input;
use crate::sanitize;
use crate::theme::Role;
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_top};
use crate::widgets::edit::{Edited, Editor};
use crate::widgets::words;
use stepwright_program::tools::Toolbox;
use stepwright_text::Columns;

/// How often to look whether the answer to a check is there that an acceptance waits for.
const POLL: Duration = Duration::from_millis(30);
/// Rows below labelled fields, and below a text of many lines.
const FOOT: u16 = 3;
const NOTES: u16 = 6;
const SWITCH: u16 = 7;

pub(crate) enum Kind {
    /// A text, shown in so many columns.
    Text(Editor, u16),
    Number(Editor, RangeInclusive<u32>),
    Switch(bool),
    /// A text of many lines, judged as it is typed; the only field of its form.
    Lines(Editor, Judge),
}

pub struct Field {
    label: &'static str,
    kind: Kind,
    note: &'static str,
}

impl Field {
    pub fn new(label: &'static str, kind: Kind, note: &'static str) -> Self {
        Field { label, kind, note }
    }

    /// A line that needs no label.
    pub fn line(text: &str) -> Vec<Self> {
        vec![Field::new("", Kind::Text(Editor::field(text), u16::MAX), "")]
    }

    pub fn text(label: &'static str, text: impl ToString, columns: u16, note: &'static str) -> Self {
        Field::new(label, Kind::Text(Editor::field(&text.to_string()), columns), note)
    }

    pub fn number(label: &'static str, number: impl ToString, range: RangeInclusive<u32>, note: &'static str) -> Self {
        Field::new(label, Kind::Number(Editor::amount(&number.to_string()), range), note)
    }

    /// A number, or a word in its place, shown in so many columns.
    pub fn amount(label: &'static str, amount: impl ToString, columns: u16, note: &'static str) -> Self {
        Field::new(label, Kind::Text(Editor::amount(&amount.to_string()), columns), note)
    }

    fn editor(&mut self) -> Option<&mut Editor> {
        match &mut self.kind {
            Kind::Text(editor, _) | Kind::Number(editor, _) | Kind::Lines(editor, _) => Some(editor),
            Kind::Switch(_) => None,
        }
    }

    fn columns(&self) -> u16 {
        match self.kind {
            Kind::Text(_, columns) => columns,
            Kind::Number(..) => 6,
            Kind::Switch(_) | Kind::Lines(..) => SWITCH,
        }
    }

    fn wrong(&self) -> Option<String> {
        let Kind::Number(editor, range) = &self.kind else { return None };
        let fits = editor.text().trim().parse().is_ok_and(|n| range.contains(&n));
        let (least, most) = (range.start(), range.end());
        (!fits).then(|| format!("{}: write a whole number from {least} to {most}", self.label))
    }
}

pub struct Values<'a>(&'a [Field]);

impl Values<'_> {
    pub fn text(&self, field: usize) -> String {
        match self.0.get(field).map(|f| &f.kind) {
            Some(Kind::Text(editor, _) | Kind::Number(editor, _)) => editor.text().trim().to_owned(),
            Some(Kind::Lines(editor, _)) => editor.text(),
            Some(Kind::Switch(_)) | None => String::new(),
        }
    }

    pub fn number(&self, field: usize) -> Option<u32> {
        self.text(field).parse().ok().filter(|_| self.0.get(field).is_some_and(|f| f.wrong().is_none()))
    }

    pub fn is_on(&self, field: usize) -> bool {
        matches!(self.0.get(field).map(|f| &f.kind), Some(Kind::Switch(true)))
    }
}

pub enum Fault {
    Wrong(String),
    /// A further Enter accepts it all the same.
    Doubt(String),
}

/// The replies to accepted values; `sure`: a doubt was raised about them, and they were accepted again.
pub(crate) type Sent = Box<dyn FnMut(&Values<'_>, bool) -> Result<Vec<Reply>, Fault>>;

pub struct Form {
    title: String,
    accept: &'static str,
    again: Option<&'static str>,
    about: String,
    columns: u16,
    fields: Vec<Field>,
    words: fn(&Values<'_>) -> String,
    sent: Sent,
    at: usize,
    problem: Option<String>,
    sure: bool,
    /// Whether a text was accepted before it was judged.
    accepting: bool,
    /// The tools whose calls a text may hold, and how it may go on where that was asked.
    tools: Option<Toolbox>,
    offered: Vec<String>,
    /// Rows of the words that are scrolled, that can be, and that are in sight.
    top: usize,
    hidden: usize,
    rows: usize,
    drawn: Vec<Rect>,
}

impl Form {
    pub fn new(title: impl Into<String>, accept: &'static str, about: String, fields: Vec<Field>, sent: Sent) -> Self {
        Form {
            title: title.into(),
            accept,
            again: None,
            about,
            columns: 72,
            fields,
            words: |_| String::new(),
            sent,
            at: 0,
            problem: None,
            sure: false,
            accepting: false,
            tools: None,
            offered: Vec::new(),
            top: 0,
            hidden: 0,
            rows: 0,
            drawn: Vec::new(),
        }
    }

    pub fn saying(self, columns: u16, words: fn(&Values<'_>) -> String) -> Self {
        Form { columns, words, ..self }
    }

    /// The word for accepting once a doubt was raised.
    pub fn again(self, again: &'static str) -> Self {
        Form { again: Some(again), ..self }
    }

    /// Says at once what was wrong when it was accepted before.
    pub fn failed(self, why: &str) -> Self {
        Form { problem: Some(why.to_owned()), ..self }
    }

    /// Has calls of tools completed in a text of many lines.
    pub fn completing(self, tools: Option<Toolbox>) -> Self {
        Form { tools, ..self }
    }

    /// Completes what stands before the cursor as far as there is one way to, else shows the ways.
    fn complete(&mut self) -> Edited {
        let Some(tools) = self.tools.clone() else { return Edited::Same };
        let Some((editor, _)) = self.lines() else { return Edited::Same };
        let before = editor.before();
        let found = tools.complete(&before);
        let typed = before.get(found.from..).unwrap_or_default();
        let more = found.common().len() > typed.len();
        if more {
            editor.complete(typed.chars().count(), found.common());
        }
        self.offered = if found.words.len() > 1 { found.words } else { Vec::new() };
        if more { Edited::Changed } else { Edited::Same }
    }

    /// Puts the cursor of a text of many lines at the end of one, counted from 0.
    pub fn at_line(mut self, line: usize) -> Self {
        if let Some((editor, _)) = self.lines() {
            editor.go_to_line(line);
        }
        self
    }

    fn lines(&mut self) -> Option<(&mut Editor, &mut Judge)> {
        match self.fields.first_mut().map(|field| &mut field.kind) {
            Some(Kind::Lines(editor, judge)) => Some((editor, judge)),
            _ => None,
        }
    }

    fn has_lines(&self) -> bool {
        matches!(self.fields.first().map(|field| &field.kind), Some(Kind::Lines(..)))
    }

    fn has_labels(&self) -> bool {
        self.fields.first().is_some_and(|field| !field.label.is_empty())
    }

    fn foot(&self, columns: usize) -> Vec<Row> {
        if let Some(problem) = &self.problem {
            return words::labelled("", Role::Bad, &sanitize::line(&words::one_line(problem)), columns);
        }
        let mut words = (self.words)(&Values(&self.fields));
        // A note that there is no room for beside its field.
        let here = self.fields.get(self.at).filter(|f| usize::from(self.sides().1) + f.note.width() > columns);
        if let Some(field) = here.filter(|field| !field.note.is_empty()) {
            words = format!("{}: {}. {words}", field.label, field.note);
        }
        if words.is_empty() { Vec::new() } else { words::labelled("", Role::Dim, &words, columns) }
    }

    fn sides(&self) -> (u16, u16) {
        let label = self.fields.iter().map(|field| field.label.width() as u16).max().unwrap_or(0);
        let values = if label == 0 { 0 } else { label + 4 };
        let widest = self.fields.iter().map(Field::columns).max().unwrap_or(0);
        (values, values.saturating_add(widest).saturating_add(2))
    }

    fn draw_field(&mut self, painter: &mut Painter<'_>, at: usize, line: Rect) {
        let (values, notes) = self.sides();
        let here = at == self.at;
        let Some(field) = self.fields.get_mut(at) else { return };
        let from = |x: u16, width: u16| {
            let x = x.min(line.width);
            Rect { x: line.x + x, width: (line.width - x).min(width), ..line }
        };
        let role = if here { Role::Accent } else { Role::Text };
        let label = [words::here(painter.theme, here), run(role, format!(" {}", field.label))];
        painter.row(from(0, values.saturating_sub(1)), 0, &label);
        let columns = field.columns();
        match &mut field.kind {
            Kind::Text(editor, _) | Kind::Number(editor, _) => editor.draw_field(painter, from(values, columns), here),
            Kind::Switch(on) => {
                let word = if *on { "[x] yes" } else { "[ ] no" };
                painter.row(from(values, u16::MAX), 0, &[run(Role::Text, word)]);
            }
            Kind::Lines(..) => {}
        }
        painter.row(from(notes, u16::MAX), 0, &[run(Role::Dim, field.note)]);
    }

    fn draw_lines(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let width = usize::from(area.width);
        let about = words::labelled("", Role::Title, &self.about, width);
        let (head, below) = split_top(area, (about.len() as u16).min(2));
        painter.rows(head, &about);
        let (text, notes) = split_bottom(below, NOTES.min(below.height / 2));
        let sure = self.sure;
        let mut rows = self.foot(width);
        if !self.offered.is_empty() {
            let offered = words::labelled("", Role::Accent, &sanitize::line(&self.offered.join("   ")), width);
            rows.extend(offered.into_iter().take(2));
        }
        if let Some((editor, judge)) = self.lines() {
            editor.draw_numbered(painter, text);
            let left = usize::from(notes.height).saturating_sub(rows.len());
            rows.extend(judge.rows(context, painter.theme, width, (left, sure)));
            painter.rows(notes, &rows);
        }
    }

    fn accept(&mut self, context: Context<'_>) -> Vec<Reply> {
        if let Some((editor, judge)) = self.lines() {
            let text = editor.text();
            if text.trim().is_empty() {
                self.problem = Some("There is no text to take: type one, or leave with Esc.".to_owned());
                return Vec::new();
            }
            let (faulty, read) = (judge.fault().is_some(), judge.was_read(context.view));
            let read = read.filter(|_| judge.must_be_read());
            let (asks, ask) = (judge.must_be_read() && read.is_none(), judge.must_be_read().then(|| judge.ask(&text)));
            if faulty && !std::mem::replace(&mut self.sure, true) {
                // It stays open, at the fault.
                return Vec::new();
            }
            self.accepting = asks;
            if asks {
                return ask.flatten().into_iter().chain([Reply::WakeIn(POLL)]).collect();
            }
            // What is wrong with it is said below.
            if read == Some(false) {
                self.problem =
                    Some("It is not taken as it stands: put right what is wrong, or leave with Esc.".to_owned());
                return Vec::new();
            }
        }
        let wrong = self.fields.iter().find_map(Field::wrong);
        let sent = match wrong {
            Some(wrong) => Err(Fault::Wrong(wrong)),
            None => (self.sent)(&Values(&self.fields), self.sure),
        };
        match sent {
            Ok(replies) => return std::iter::once(Reply::Close).chain(replies).collect(),
            Err(Fault::Wrong(why)) => (self.problem, self.sure) = (Some(why), false),
            Err(Fault::Doubt(why)) => (self.problem, self.sure) = (Some(why), true),
        }
        Vec::new()
    }

    fn switch(&mut self) {
        if let Some(Kind::Switch(on)) = self.fields.get_mut(self.at).map(|field| &mut field.kind) {
            *on = !*on;
        }
    }

    fn go(&mut self, down: bool) {
        let fields = self.fields.len();
        match (fields, down) {
            (0, true) => self.top += 1,
            (0, false) => self.top = self.top.saturating_sub(1),
            (_, true) => self.at = (self.at + 1) % fields,
            (_, false) => self.at = (self.at + fields - 1) % fields,
        }
    }
}

/// A text of lines, wrapped; what an indented line goes on with is indented as it is.
fn paragraphs(text: &str, columns: usize) -> Vec<Row> {
    let indented = |line: &str| {
        let (lead, text) = line.split_at(line.len() - line.trim_start_matches(' ').len());
        words::labelled(lead, Role::Text, text, columns)
    };
    text.lines().flat_map(indented).collect()
}

impl Dialog for Form {
    fn info(&self) -> Info {
        let accept = if self.has_lines() { ActionId::AcceptText } else { ActionId::Accept };
        let word = self.again.filter(|_| self.sure).unwrap_or(self.accept);
        let mut hints = vec![(accept, word)];
        hints.extend((self.fields.len() > 1).then_some((ActionId::Complete, "next field")));
        hints.extend(self.tools.is_some().then_some((ActionId::Complete, "complete")));
        hints.extend((self.hidden > 0).then_some((ActionId::ItemDown, "scroll")));
        // Of what is only read nothing can be cancelled.
        hints.push((ActionId::Close, if word == "close" { "close" } else { "cancel" }));
        // Where there is no field no key is text.
        Info { title: self.title.clone().into(), hints, captures_text: !self.fields.is_empty(), ..Info::default() }
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        let columns = self.columns.min(context.columns);
        if let Some(Kind::Lines(editor, _)) = self.fields.first().map(|field| &field.kind) {
            let lines = u16::try_from(editor.height()).unwrap_or(u16::MAX);
            return (columns, lines.saturating_add(NOTES + 3).clamp(18, 40));
        }
        let about = u16::try_from(paragraphs(&self.about, usize::from(columns)).len()).unwrap_or(u16::MAX);
        let foot = self.foot(usize::from(columns)).len() as u16;
        let foot = if self.has_labels() { foot.max(FOOT) } else { foot };
        let gaps = u16::from(about > 0 && !self.fields.is_empty()) + u16::from(foot > 0);
        (columns, about.saturating_add(self.fields.len() as u16 + foot + gaps))
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        if self.has_lines() {
            return self.draw_lines(context, painter, area);
        }
        let fields = self.fields.len() as u16;
        let foot = self.foot(usize::from(area.width));
        let below = fields + if foot.is_empty() { 0 } else { 1 + foot.len() as u16 };
        let mut about = paragraphs(&self.about, usize::from(area.width));
        let gap = u16::from(fields > 0 && !about.is_empty());
        let room = area.height.saturating_sub(if fields == 0 { 0 } else { below + gap });
        if fields == 0 && about.len() > usize::from(room) {
            // The last column is the scroll bar's.
            about = paragraphs(&self.about, usize::from(area.width.saturating_sub(1)));
        }
        let (above, rest) = split_top(area, room.min(about.len() as u16));
        self.hidden = if fields == 0 { about.len().saturating_sub(usize::from(above.height)) } else { 0 };
        (self.top, self.rows) = (self.top.min(self.hidden), usize::from(above.height));
        painter.rows(above, about.get(self.top..).unwrap_or_default());
        if self.hidden > 0 {
            painter.scrollbar(above, self.top, about.len());
        }
        let (mut line, mut rest) = split_top(split_top(rest, gap).1, 1);
        self.drawn.clear();
        for at in 0..self.fields.len() {
            self.drawn.push(line);
            if !line.is_empty() {
                self.draw_field(painter, at, line);
            }
            (line, rest) = split_top(rest, 1);
        }
        // One row is left free before what is said below.
        painter.rows(rest, &foot);
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        // Drawing keeps it inside.
        let page = self.rows.saturating_sub(1).max(1);
        match action {
            ActionId::ItemUp => self.go(false),
            ActionId::ItemDown | ActionId::Complete => self.go(true),
            ActionId::ItemPageUp => self.top = self.top.saturating_sub(page),
            ActionId::ItemPageDown => self.top += page,
            ActionId::ItemTop => self.top = 0,
            ActionId::ItemBottom => self.top = self.hidden,
            ActionId::Accept | ActionId::AcceptText => return self.accept(context),
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if let Input::Key(key) = input
            && matches!(key.code, KeyCode::Char(' ' | 'x' | 'y' | 'n') | KeyCode::Left | KeyCode::Right)
        {
            self.switch();
        }
        let completes =
            matches!(input, Input::Key(key) if key.code == KeyCode::Tab && key.kind != KeyEventKind::Release);
        let changed = if completes && self.tools.is_some() {
            Some(self.complete())
        } else {
            self.offered.clear();
            self.fields.get_mut(self.at).and_then(Field::editor).map(|editor| editor.input(input))
        };
        if changed != Some(Edited::Changed) {
            return Vec::new();
        }
        (self.problem, self.sure, self.accepting) = (None, false, false);
        self.lines().map(|(editor, judge)| judge.typed(&editor.text())).into_iter().collect()
    }

    fn holds_lines(&self) -> bool {
        self.has_lines()
    }

    fn leave_part(&mut self) -> bool {
        self.lines().is_some_and(|(editor, _)| editor.warns())
    }

    fn mouse(&mut self, event: MouseEvent, _: Rect, _: Context<'_>) -> Vec<Reply> {
        let down = event.kind == MouseEventKind::ScrollDown;
        match event.kind {
            MouseEventKind::ScrollUp | MouseEventKind::ScrollDown => match self.lines() {
                Some((editor, _)) => editor.wheel(down),
                None => self.go(down),
            },
            MouseEventKind::Down(MouseButton::Left) => {
                let on = |line: &Rect| line.contains((event.column, event.row).into());
                if let Some(at) = self.drawn.iter().position(on) {
                    let again = std::mem::replace(&mut self.at, at) == at;
                    if again {
                        self.switch();
                    }
                }
            }
            _ => {}
        }
        Vec::new()
    }

    fn wake(&mut self, context: Context<'_>) -> Vec<Reply> {
        let Some((editor, judge)) = self.lines() else { return Vec::new() };
        let mut replies: Vec<Reply> = judge.ask(&editor.text()).into_iter().collect();
        let answered = judge.was_read(context.view).is_some();
        match (self.accepting, answered) {
            (true, true) => replies.extend(self.accept(context)),
            (true, false) => replies.push(Reply::WakeIn(POLL)),
            (false, _) => {}
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
    fn words_alone_are_scrolled_by_pages_beside_their_scroll_bar() {
        let (view, theme, keymap) = (View::default(), Theme::monochrome(UNICODE), Keymap::default());
        let context = Context { view: &view, keymap: &keymap, columns: 15 };
        let screen = |form: &mut Form| {
            let mut terminal = Terminal::new(TestBackend::new(15, 6)).unwrap();
            let draw = |frame: &mut ratatui::Frame<'_>| {
                let area = frame.area();
                form.draw(context, &mut Painter { buf: frame.buffer_mut(), theme: &theme, focused: true }, area);
            };
            terminal.draw(draw).unwrap();
            terminal.backend().to_string()
        };
        // As wide as the whole form: the last word goes below where the bar takes its column.
        let question: String = (10..22).map(|n| format!("number {n} of it\n")).collect();
        let mut form = Form::new("Sure?", "yes", question, Vec::new(), Box::new(|_, _| Ok(Vec::new())));
        assert!(!form.info().captures_text, "a blank is a key");
        let shown = screen(&mut form);
        assert!(shown.contains("number 10 of ") && shown.contains("\"it ") && !shown.contains("of it"), "{shown}");
        form.act(ActionId::ItemPageDown, context);
        assert!(!screen(&mut form).contains("number 12"), "a page has a row of the one before");
        form.act(ActionId::ItemBottom, context);
        assert!(screen(&mut form).contains("number 21"));
        form.act(ActionId::ItemPageUp, context);
        form.act(ActionId::ItemTop, context);
        assert!(screen(&mut form).contains("number 10"));
    }
}
