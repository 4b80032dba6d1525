//! The form of how candidates are asked of a model: demonstrations, samples, asks at once.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::driver::{Command, WorkshopCommand};
use crate::precondition::CandidateAsks;
use crate::tui::actions::ActionId;
use crate::tui::theme::Role;

/// Label, note, least and most of each field.
const ROWS: [(&str, &str, u32, u32); 3] = [
    ("Demonstrations", "1 to 10: a prompt for each", 1, 10),
    ("Samples of each", "0 to 64, beside the greedy one", 0, 64),
    ("Asks at once", "1 to 16", 1, 16),
];

/// The form.
pub struct AsksForm {
    row: usize,
    fields: [Field; 3],
    problem: Option<String>,
}

impl AsksForm {
    /// The form, filled with what is in use.
    pub fn new(now: CandidateAsks) -> Self {
        let texts = [now.demonstrations.to_string(), now.samples.to_string(), now.at_once.to_string()];
        AsksForm { row: 0, fields: texts.map(|t| Field::new(&t)), problem: None }
    }

    fn read(&self) -> Result<CandidateAsks, String> {
        let mut read = [0_u32; 3];
        for ((field, (label, _, least, most)), value) in self.fields.iter().zip(ROWS).zip(&mut read) {
            let number = field.text().trim().parse().ok().filter(|n| (least..=most).contains(n));
            *value = number.ok_or_else(|| format!("{label}: write a whole number from {least} to {most}"))?;
        }
        let [demonstrations, samples, at_once] = read;
        Ok(CandidateAsks { demonstrations: demonstrations as usize, samples, at_once: at_once as usize })
    }
}

impl Dialog for AsksForm {
    fn title(&self) -> String {
        "How a model is asked for candidates".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "use it"), (ActionId::Complete, "next field"), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (66, 6)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let row = self.row;
        for (i, (field, (label, note, ..))) in self.fields.iter_mut().zip(ROWS).enumerate() {
            let Some(y) = area.y.checked_add(i as u16).filter(|y| *y < area.bottom()) else { return };
            let (mark, role) = if i == row { (theme.glyphs.here, Role::Accent) } else { (" ", Role::Text) };
            let line = Line::styled(format!("{mark} {label:<18}"), theme.style(role));
            frame.render_widget(line, Rect { y, height: 1, ..area });
            let from =
                |x: u16| Rect { x: area.x + x.min(area.width), y, width: area.width.saturating_sub(x), height: 1 };
            let value = from(22);
            field.render(theme, Rect { width: value.width.min(6), ..value }, frame, i == row);
            frame.render_widget(Span::styled(note, theme.style(Role::Dim)), from(32));
        }
        let below = Rect { y: area.y + area.height.min(4), height: area.height.saturating_sub(4), ..area };
        let (text, role) = match (&self.problem, self.read()) {
            (Some(problem), _) => (problem.clone(), Role::Bad),
            (None, Ok(asks)) => {
                let each = asks.demonstrations as u64 * (1 + u64::from(asks.samples));
                (
                    format!("At most {each} completions an action. Esc in the pane stops them; what came is kept."),
                    Role::Dim,
                )
            }
            (None, Err(_)) => (String::new(), Role::Dim),
        };
        let text = ratatui::widgets::Paragraph::new(text).wrap(ratatui::widgets::Wrap { trim: true });
        frame.render_widget(text.style(theme.style(role)), below);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        let rows = self.fields.len();
        match action {
            ActionId::ItemUp => self.row = (self.row + rows - 1) % rows,
            ActionId::ItemDown | ActionId::Complete => self.row = (self.row + 1) % rows,
            ActionId::Accept => match self.read() {
                Ok(asks) => return vec![Reply::Close, Reply::Send(Command::Workshop(WorkshopCommand::SetAsks(asks)))],
                Err(problem) => self.problem = Some(problem),
            },
            _ => {}
        }
        Vec::new()
    }

    fn key(&mut self, key: KeyEvent, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        if let Some(field) = self.fields.get_mut(self.row) {
            field.key(key);
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        if let Some(field) = self.fields.get_mut(self.row) {
            field.paste(text);
        }
        Vec::new()
    }
}
