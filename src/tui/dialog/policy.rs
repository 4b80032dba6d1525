//! The policy: how many steps are taken without asking, and what stops that.

use crossterm::event::KeyEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::driver::{Command, Request};
use crate::episode::Policy;
use crate::tui::actions::ActionId;
use crate::tui::theme::Role;

/// Steps of a run "to the end": more than any episode has.
const TO_THE_END: u32 = 1_000;

/// Rows of the form.
const ROWS: usize = 4;

/// The policy's form.
pub struct PolicyForm {
    row: usize,
    steps: Field,
    until_fails: bool,
    until_action: Field,
    budget: Field,
    problem: Option<String>,
}

impl PolicyForm {
    /// The form, filled with a bounded, checked run; or with the policy in force.
    pub fn new(now: &Policy) -> Self {
        let steps = if now.is_automatic() { now.steps } else { 5 };
        PolicyForm {
            row: 0,
            steps: Field::new(&steps.to_string()),
            until_fails: now.until_fails || !now.is_automatic(),
            until_action: Field::new(now.until_action.as_deref().unwrap_or_default()),
            budget: Field::new(&now.token_budget.map(|b| b.to_string()).unwrap_or_default()),
            problem: None,
        }
    }

    /// The policy as filled in.
    fn policy(&self) -> Result<Policy, String> {
        let steps = match self.steps.text().trim() {
            "end" => TO_THE_END,
            text => text.parse().map_err(|_| "Steps: write a number, or `end`; 0 asks you at every step".to_owned())?,
        };
        let token_budget = match self.budget.text().trim() {
            "" => None,
            text => Some(text.parse().map_err(|_| "Token budget: write a number, or nothing for none".to_owned())?),
        };
        let action = self.until_action.text().trim();
        let until_action = (!action.is_empty()).then(|| action.to_owned());
        Ok(Policy { steps, until_fails: self.until_fails, until_action, token_budget })
    }

    fn field(&mut self) -> Option<&mut Field> {
        match self.row {
            0 => Some(&mut self.steps),
            2 => Some(&mut self.until_action),
            3 => Some(&mut self.budget),
            _ => None,
        }
    }

    fn switch(&mut self) {
        if self.row == 1 {
            self.until_fails = !self.until_fails;
        }
    }
}

impl Dialog for PolicyForm {
    fn title(&self) -> String {
        "Policy: when steps are taken without asking".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "use it"), (ActionId::Complete, "next field"), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (74, 8)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let labels = ["Steps without asking", "Ask when a check fails", "Stop before action", "Stop at tokens spent"];
        let notes = ["a number, or end", "Space switches", "a name or its text", "empty: none"];
        let row = self.row;
        for (i, (label, note)) in labels.into_iter().zip(notes).enumerate() {
            let Some(y) = area.y.checked_add(i as u16).filter(|y| *y < area.bottom()) else { return };
            let mark = if i == row { theme.glyphs.here } else { " " };
            let role = if i == row { Role::Accent } else { Role::Text };
            let line = Line::styled(format!("{mark} {label:<23}"), theme.style(role));
            frame.render_widget(line, Rect { y, height: 1, ..area });
            let value =
                Rect { x: area.x + 26.min(area.width), y, width: area.width.saturating_sub(26).min(22), height: 1 };
            match i {
                0 => self.steps.render(theme, Rect { width: value.width.min(8), ..value }, frame, i == row),
                2 => self.until_action.render(theme, value, frame, i == row),
                3 => self.budget.render(theme, Rect { width: value.width.min(12), ..value }, frame, i == row),
                _ => {
                    let word = if self.until_fails { "[x] yes" } else { "[ ] no" };
                    frame.render_widget(Span::styled(word, theme.style(Role::Text)), value);
                }
            }
            let x = area.x + 50.min(area.width);
            let width = area.width.saturating_sub(50);
            frame.render_widget(Span::styled(note, theme.style(Role::Dim)), Rect { x, y, width, height: 1 });
        }
        let below = Rect { y: area.y + area.height.min(5), height: area.height.saturating_sub(5), ..area };
        let (text, role) = match &self.problem {
            Some(problem) => (problem.clone(), Role::Bad),
            None => ("Every step it takes is recorded as decided by the policy. Esc stops a run.".into(), Role::Dim),
        };
        let text = ratatui::widgets::Paragraph::new(text).wrap(ratatui::widgets::Wrap { trim: true });
        frame.render_widget(text.style(theme.style(role)), below);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        match action {
            ActionId::ItemUp => self.row = (self.row + ROWS - 1) % ROWS,
            ActionId::ItemDown | ActionId::Complete => self.row = (self.row + 1) % ROWS,
            ActionId::Accept => match self.policy() {
                Ok(policy) => return vec![Reply::Close, Reply::Send(Command::Gate(Request::SetPolicy(policy)))],
                Err(problem) => self.problem = Some(problem),
            },
            _ => {}
        }
        Vec::new()
    }

    fn key(&mut self, key: KeyEvent, _: Context<'_>) -> Vec<Reply> {
        use crossterm::event::KeyCode;
        self.problem = None;
        match self.field() {
            Some(field) => {
                field.key(key);
            }
            None if matches!(key.code, KeyCode::Char(' ' | 'x' | 'y' | 'n') | KeyCode::Left | KeyCode::Right) => {
                self.switch();
            }
            None => {}
        }
        Vec::new()
    }

    fn paste(&mut self, text: &str, _: Context<'_>) -> Vec<Reply> {
        if let Some(field) = self.field() {
            field.paste(text);
        }
        Vec::new()
    }
}
