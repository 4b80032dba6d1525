//! Forms of a few labelled rows: when steps are taken without asking, and how candidates are asked of a model.

use crossterm::event::KeyCode;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::field::Field;
use super::{Context, Dialog, Reply};
use crate::actions::ActionId;
use crate::event::Input;
use crate::panes::draw::Painter;
use crate::panes::words;
use crate::sanitize;
use crate::theme::Role;
use stepwright_driver::{Command, Request, WorkshopCommand};
use stepwright_episode::Policy;
use stepwright_method::precondition::CandidateAsks;

/// Steps of a run "to the end": more than any episode has.
const TO_THE_END: u32 = 1_000;

/// What a row holds.
#[allow(clippy::large_enum_variant, reason = "few of them live at a time")]
enum Value {
    /// A text, and the columns it is shown in.
    Text(Field, u16),
    Switch(bool),
}

impl Value {
    fn text(text: impl ToString, columns: u16) -> Self {
        Value::Text(Field::new(&text.to_string()), columns)
    }

    fn as_text(&self) -> &str {
        if let Value::Text(field, _) = self { field.text().trim() } else { "" }
    }

    fn is_on(&self) -> bool {
        matches!(self, Value::Switch(true))
    }
}

/// A row: its label, what it holds, what may be written there.
type Row = (&'static str, Value, &'static str);

/// What a form's values are read as: what it sends, and the words below it.
type Read = fn(&[Row]) -> Result<(Command, String), String>;

/// A form.
pub struct Form {
    title: &'static str,
    size: (u16, u16),
    /// Columns at which values and notes begin.
    columns: (u16, u16),
    rows: Vec<Row>,
    read: Read,
    row: usize,
    problem: Option<String>,
}

impl Form {
    /// The policy, filled with a bounded, checked run; or with the policy in force.
    pub fn policy(now: &Policy) -> Self {
        let steps = if now.is_automatic() { now.steps } else { 5 };
        let until_fails = Value::Switch(now.until_fails || !now.is_automatic());
        let until_action = Value::text(now.until_action.as_deref().unwrap_or_default(), 22);
        let budget = Value::text(now.token_budget.map(|b| b.to_string()).unwrap_or_default(), 12);
        let rows = vec![
            ("Steps without asking", Value::text(steps, 8), "a number, or end"),
            ("Ask when a check fails", until_fails, "Space switches"),
            ("Stop before action", until_action, "a name or its text"),
            ("Stop at tokens spent", budget, "empty: none"),
        ];
        let title = "Policy: when steps are taken without asking";
        Form { title, size: (74, 8), columns: (26, 50), rows, read: policy, row: 0, problem: None }
    }

    /// How candidates are asked of a model, filled with what is in use.
    pub fn asks(now: CandidateAsks) -> Self {
        let values = [now.demonstrations.to_string(), now.samples.to_string(), now.at_once.to_string()];
        let rows = ASKS.into_iter().zip(values).map(|((label, note, ..), text)| (label, Value::text(text, 6), note));
        let title = "How a model is asked for candidates";
        Form { title, size: (66, 6), columns: (22, 32), rows: rows.collect(), read: asks, row: 0, problem: None }
    }
}

fn policy(rows: &[Row]) -> Result<(Command, String), String> {
    let [(_, steps, _), (_, until_fails, _), (_, until_action, _), (_, budget, _)] = rows else {
        return Err(String::new());
    };
    let steps = match steps.as_text() {
        "end" => TO_THE_END,
        text => text.parse().map_err(|_| "Steps: write a number, or `end`; 0 asks you at every step".to_owned())?,
    };
    let token_budget = match budget.as_text() {
        "" => None,
        text => Some(text.parse().map_err(|_| "Token budget: write a number, or nothing for none".to_owned())?),
    };
    let until_action = Some(until_action.as_text()).filter(|action| !action.is_empty()).map(str::to_owned);
    let policy = Policy { steps, until_fails: until_fails.is_on(), until_action, token_budget };
    let words = "Every step it takes is recorded as decided by the policy. Esc stops a run.".to_owned();
    Ok((Command::Gate(Request::SetPolicy(policy)), words))
}

/// Label, note, least and most of each row.
const ASKS: [(&str, &str, u32, u32); 3] = [
    ("Demonstrations", "1 to 10: a prompt for each", 1, 10),
    ("Samples of each", "0 to 64, beside the greedy one", 0, 64),
    ("Asks at once", "1 to 16", 1, 16),
];

fn asks(rows: &[Row]) -> Result<(Command, String), String> {
    let mut read = [0_u32; 3];
    for (((_, value, _), (label, _, least, most)), number) in rows.iter().zip(ASKS).zip(&mut read) {
        let fits = value.as_text().parse().ok().filter(|n| (least..=most).contains(n));
        *number = fits.ok_or_else(|| format!("{label}: write a whole number from {least} to {most}"))?;
    }
    let [demonstrations, samples, at_once] = read;
    let asks = CandidateAsks { demonstrations: demonstrations as usize, samples, at_once: at_once as usize };
    let each = u64::from(demonstrations) * (1 + u64::from(samples));
    let words = format!("At most {each} completions an action. Esc in the pane stops them; what came is kept.");
    Ok((Command::Workshop(WorkshopCommand::SetAsks(asks)), words))
}

impl Dialog for Form {
    fn title(&self) -> String {
        self.title.into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "use it"), (ActionId::Complete, "next field"), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        self.size
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let (values, notes) = self.columns;
        let mut words = (self.read)(&self.rows).map(|(_, words)| words).unwrap_or_default();
        let foot = self.rows.len() as u16 + 1;
        for (i, (label, value, note)) in self.rows.iter_mut().enumerate() {
            let Some(y) = area.y.checked_add(i as u16).filter(|y| *y < area.bottom()) else { return };
            let here = i == self.row;
            let (mark, role) = if here { (theme.glyphs.here, Role::Accent) } else { (" ", Role::Text) };
            let from = |x: u16, width: u16| {
                let rest = area.width.saturating_sub(x);
                Rect { x: area.x + x.min(area.width), y, width: rest.min(width), height: 1 }
            };
            frame.render_widget(Line::styled(format!("{mark} {label}"), theme.style(role)), from(0, values - 1));
            match value {
                Value::Text(field, columns) => field.render(theme, from(values, *columns), frame, here),
                Value::Switch(on) => {
                    let word = if *on { "[x] yes" } else { "[ ] no" };
                    frame.render_widget(Span::styled(word, theme.style(Role::Text)), from(values, u16::MAX));
                }
            }
            let place = from(notes, u16::MAX);
            let fitted = sanitize::fit(note, usize::from(place.width), theme.glyphs.ellipsis).into_owned();
            if here && fitted != *note {
                words = format!("{label}: {note}. {words}");
            }
            frame.render_widget(Span::styled(fitted, theme.style(Role::Dim)), place);
        }
        let below = Rect { y: area.y + area.height.min(foot), height: area.height.saturating_sub(foot), ..area };
        let (text, role) = match &self.problem {
            Some(problem) => (problem.clone(), Role::Bad),
            None => (words, Role::Dim),
        };
        let text = words::labelled("", role, &text, usize::from(below.width));
        Painter { buf: frame.buffer_mut(), theme, focused: true }.rows(below, &text);
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        let rows = self.rows.len();
        match action {
            ActionId::ItemUp => self.row = (self.row + rows - 1) % rows,
            ActionId::ItemDown | ActionId::Complete => self.row = (self.row + 1) % rows,
            ActionId::Accept => match (self.read)(&self.rows) {
                Ok((command, _)) => return vec![Reply::Close, Reply::Send(command)],
                Err(problem) => self.problem = Some(problem),
            },
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        match (self.rows.get_mut(self.row).map(|(_, value, _)| value), input) {
            (Some(Value::Text(field, _)), input) => drop(field.input(input)),
            (Some(Value::Switch(on)), Input::Key(key))
                if matches!(key.code, KeyCode::Char(' ' | 'x' | 'y' | 'n') | KeyCode::Left | KeyCode::Right) =>
            {
                *on = !*on;
            }
            _ => {}
        }
        Vec::new()
    }
}
