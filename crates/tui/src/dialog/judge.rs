//! Judgement of a text while it is typed: whether it parses, said at once, and what the driver says of it once typing rests.

use std::time::Duration;

use super::{Context, Reply};
use crate::actions::ActionId;
use crate::panes::offer;
use crate::theme::{Role, Theme};
use crate::view::{Answer, View};
use crate::widgets::draw::{Row, run};
use crate::widgets::{edit, words};
use stepwright_episode::{ProposalId, Status, Verdict};
use stepwright_program::SyntaxFault;
use stepwright_protocol::{BeliefReading, Command, FormCommand};

/// The pause after the last key before a text is checked.
const PAUSE: Duration = Duration::from_millis(80);

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Of {
    Action,
    /// An action of several lines, edited from a proposal's, which the driver must be able to read.
    Lines(ProposalId),
    /// A program that answers a request; the calls it may make, in words.
    Program {
        calls: String,
    },
    Belief,
    /// A form of states, which must pass.
    Form,
    /// A text taken as it is; whether it is a program, and its fault, if any.
    Document {
        program: bool,
        why: String,
    },
}

pub(crate) struct Judge {
    of: Of,
    fault: Option<SyntaxFault>,
    /// The number of the check of the present text; `None` if that was not requested yet.
    token: Option<u64>,
}

impl Judge {
    pub fn new(of: Of, text: &str) -> Self {
        let mut judge = Judge { of, fault: None, token: None };
        judge.parse(text);
        judge
    }

    fn parse(&mut self, text: &str) {
        self.token = None;
        self.fault = match self.of {
            Of::Action => edit::fault(text, SyntaxFault::of_call),
            Of::Program { .. } | Of::Document { program: true, .. } => edit::fault(text, SyntaxFault::of_program),
            Of::Belief | Of::Form | Of::Lines(_) | Of::Document { program: false, .. } => None,
        };
    }

    pub fn typed(&mut self, text: &str) -> Reply {
        self.parse(text);
        Reply::WakeIn(PAUSE)
    }

    pub fn fault(&self) -> Option<&SyntaxFault> {
        self.fault.as_ref()
    }

    /// Whether the text is taken only once the driver could read it.
    pub(crate) fn must_be_read(&self) -> bool {
        matches!(self.of, Of::Belief | Of::Form | Of::Lines(_))
    }

    /// Whether the driver could read the text, once it has answered.
    pub(crate) fn was_read(&self, view: &View) -> Option<bool> {
        match view.answer(self.token?)? {
            Answer::Belief(reading) => Some(reading.is_ok()),
            Answer::Text(verdict) => Some(verdict.is_ok()),
            Answer::Form(verdict) => Some(verdict.is_ok()),
            _ => None,
        }
    }

    pub fn ask(&mut self, text: &str) -> Option<Reply> {
        let unchecked = self.token.is_none() && !text.trim().is_empty() && !matches!(self.of, Of::Document { .. });
        let token = unchecked.then(edit::token)?;
        self.token = Some(token);
        let text = text.to_owned();
        Some(Reply::Send(match self.of {
            Of::Belief => Command::CheckBelief { token, text },
            Of::Form => Command::Form(FormCommand::Check { token, text }),
            Of::Lines(proposal) => Command::CheckText { token, text, over: Some(proposal) },
            _ => Command::CheckText { token, text, over: None },
        }))
    }

    pub fn reading<'a>(&self, view: &'a View) -> Option<&'a Result<BeliefReading, String>> {
        match view.answer(self.token?)? {
            Answer::Belief(reading) => Some(reading),
            _ => None,
        }
    }

    pub fn verdict<'a>(&self, view: &'a View) -> Option<&'a Result<Verdict, String>> {
        match view.answer(self.token?)? {
            Answer::Text(verdict) => Some(verdict),
            _ => None,
        }
    }

    /// The remarks on the text, in so many rows; `sure`: the person accepted it although it does not parse.
    pub fn rows(&self, context: Context<'_>, theme: &Theme, width: usize, (most, sure): (usize, bool)) -> Vec<Row> {
        if let Some(fault) = &self.fault {
            return fault_rows(fault, sure, context, theme, width);
        }
        match &self.of {
            Of::Belief => self.belief_rows(context.view, theme, width, most),
            Of::Form => match self.token.and_then(|token| context.view.answer(token)) {
                Some(Answer::Form(verdict)) => offer::form_rows(Some(verdict), theme, width),
                _ => offer::form_rows(None, theme, width),
            },
            Of::Document { program, why } => {
                let mut rows = Vec::new();
                if *program {
                    rows.push(vec![run(Role::Good, format!("{} it parses", theme.glyphs.yes))]);
                }
                if !why.is_empty() {
                    rows.extend(words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, why, width));
                }
                rows.truncate(most.saturating_sub(1));
                rows.push(vec![run(Role::Dim, "Taken as it is; what was written stays in the record.")]);
                rows
            }
            Of::Action | Of::Lines(_) | Of::Program { .. } => {
                let mut rows = match self.verdict(context.view) {
                    Some(verdict) => verdict_rows(verdict, theme, width),
                    None if matches!(self.of, Of::Lines(_)) => {
                        vec![vec![run(Role::Dim, format!("checking {}", theme.glyphs.ellipsis))]]
                    }
                    None => {
                        let about = "Calls, one a line, or a program of them; it is run only when it is taken.";
                        words::labelled("", Role::Dim, about, width)
                    }
                };
                if let Of::Program { calls } = &self.of
                    && !calls.is_empty()
                {
                    rows.extend(words::labelled("calls: ", Role::Dim, calls, width));
                }
                rows
            }
        }
    }

    fn belief_rows(&self, view: &View, theme: &Theme, width: usize, most: usize) -> Vec<Row> {
        let (yes, no) = (theme.glyphs.yes, theme.glyphs.no);
        match self.reading(view) {
            None => vec![vec![run(Role::Dim, format!("checking {}", theme.glyphs.ellipsis))]],
            Some(Err(why)) => {
                let mut rows = words::labelled("", Role::Bad, &format!("{no} {why}"), width);
                rows.truncate(3);
                rows.push(vec![run(Role::Dim, "What is believed stays until this can be read.")]);
                rows
            }
            Some(Ok(reading)) => {
                let mut rows = Vec::new();
                if let Some(text) = reading.in_words() {
                    rows.extend(words::labelled("", Role::Warn, &text, width).into_iter().take(2));
                }
                rows.push(vec![run(Role::Good, format!("{yes} it can be read; against what is believed now:"))]);
                let believed = view.session.as_ref().and_then(|s| s.belief());
                let left = most.saturating_sub(rows.len() + 1);
                rows.extend(offer::changes(believed.map_or(&serde_json::Value::Null, |b| b), &reading.state, left));
                rows
            }
        }
    }
}

/// Where a program does not parse, and what the key that accepts does then.
fn fault_rows(fault: &SyntaxFault, sure: bool, context: Context<'_>, theme: &Theme, width: usize) -> Vec<Row> {
    let no = format!("{} ", theme.glyphs.no);
    let mut rows = words::labelled(&no, Role::Bad, &format!("it {}", fault.in_words()), width);
    let key = context.keymap.hint(ActionId::AcceptText).unwrap_or_default();
    let (role, text) = match sure {
        true => (Role::Warn, format!("It does not parse; {key} again takes it as it is.")),
        false => (Role::Dim, format!("It does not parse yet; {key} asks before it is taken as it is.")),
    };
    rows.extend(words::labelled("", role, &text, width));
    rows
}

pub(crate) fn verdict_rows(verdict: &Result<Verdict, String>, theme: &Theme, columns: usize) -> Vec<Row> {
    let verdict = match verdict {
        Ok(verdict) => verdict,
        Err(why) => return words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, why, columns),
    };
    let mut rows = Vec::new();
    if let Some(preview) = verdict.preview.as_deref() {
        rows.extend(words::labelled(
            &format!("{} ", theme.glyphs.arrow),
            Role::Dim,
            &words::one_line(preview),
            columns,
        ));
    }
    for check in &verdict.checks {
        let (mark, role) = words::mark(&theme.glyphs, check.status.into());
        let mut lines = words::labelled(&format!("{mark} "), Role::Text, check.said(), columns);
        if let Some(lead) = lines.first_mut().and_then(|line| line.first_mut()) {
            lead.role = role;
        }
        rows.extend(lines);
        if let Some(detail) = check.detail.as_deref().filter(|_| check.status != Status::Holds) {
            rows.extend(words::labelled("    ", Role::Dim, detail, columns));
        }
    }
    if verdict.checks.is_empty() {
        let text = "not checked: no precondition is in force for this action";
        rows.extend(words::labelled(&format!("{} ", theme.glyphs.unchecked), Role::Dim, text, columns));
    }
    rows
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;

    use super::super::form::Form;
    use super::super::{Dialog, asked};
    use super::*;
    use crate::event::Input;
    use crate::keymap::Keymap;
    use crate::theme::UNICODE;
    use crate::widgets::draw::Painter;
    use stepwright_protocol::Notice;

    fn screen(form: &mut Form, context: Context<'_>) -> String {
        let theme = Theme::monochrome(UNICODE);
        let mut terminal = Terminal::new(TestBackend::new(80, 14)).unwrap();
        let draw = |frame: &mut ratatui::Frame<'_>| {
            let area = frame.area();
            form.draw(context, &mut Painter { buf: frame.buffer_mut(), theme: &theme, focused: true }, area);
        };
        terminal.draw(draw).unwrap();
        terminal.backend().to_string()
    }

    /// The key that accepts changed nothing on the screen.
    #[test]
    fn a_text_that_is_not_taken_says_so_until_it_is_another() {
        let (mut view, keymap) = (View::default(), Keymap::default());
        let mut form = asked::lines(1, "go", "", None);
        let asked = form.act(ActionId::AcceptText, Context { view: &view, keymap: &keymap, columns: 96 });
        let [Reply::Send(Command::CheckText { token, .. }), Reply::WakeIn(_)] = asked[..] else { panic!("{asked:?}") };
        let verdict = Err("`go` calls no tool".to_owned());
        view.notice(Notice::TextChecked { token, verdict });
        let context = Context { view: &view, keymap: &keymap, columns: 96 };
        assert_eq!(form.wake(context), []);
        let shown = screen(&mut form, context);
        assert!(shown.contains("It is not taken as it stands") && shown.contains("`go` calls no tool"), "{shown}");
        form.input(Input::Paste("!"), context);
        assert!(!screen(&mut form, context).contains("not taken"));
        let mut empty = asked::plan("", 0, "", false);
        assert_eq!(empty.act(ActionId::AcceptText, context), []);
        assert!(screen(&mut empty, context).contains("There is no text to take"));
    }

    #[test]
    fn a_program_that_does_not_parse_says_so_at_once_and_is_taken_only_when_asked_twice() {
        let (view, keymap) = (View::default(), Keymap::default());
        let context = Context { view: &view, keymap: &keymap, columns: 96 };
        let screen = |form: &mut Form| screen(form, context);
        let mut form = asked::plan("if a\n    b()\n", 0, "", true);
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
        let mut form = asked::plan("take the mug, then", 0, "", false);
        assert!(!screen(&mut form).contains("parse"));
    }
}
