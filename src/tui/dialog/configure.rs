//! Changes the model or the method from here on.

use ratatui::Frame;
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::text::{Line, Span};

use super::list::List;
use super::{Context, Dialog, Reply};
use crate::driver::Command;
use crate::episode::Configuration;
use crate::tui::actions::ActionId;
use crate::tui::launcher::Entry;
use crate::tui::sanitize;
use crate::tui::theme::Role;

/// Two lists: models and methods.
pub struct Configure {
    lists: [(&'static str, Vec<Entry>, List); 2],
    focus: usize,
    problem: Option<String>,
}

impl Configure {
    /// The lists, with what is in use marked.
    pub fn new(models: &[Entry], model: &str, methods: &[Entry], method: &str) -> Self {
        let list = |entries: &[Entry], name: &str| List::at(entries.iter().position(|e| e.name == name).unwrap_or(0));
        Configure {
            lists: [
                ("Model", models.to_vec(), list(models, model)),
                ("Method", methods.to_vec(), list(methods, method)),
            ],
            focus: 0,
            problem: None,
        }
    }

    fn chosen(&self, which: usize) -> Option<&Entry> {
        self.lists.get(which).and_then(|(_, entries, list)| entries.get(list.cursor()))
    }
}

impl Dialog for Configure {
    fn title(&self) -> String {
        "Model and method from here on".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "use them"), (ActionId::Complete, "other list"), (ActionId::Close, "cancel")]
    }

    fn captures_text(&self) -> bool {
        false
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        let rows: usize = self.lists.iter().map(|(_, entries, _)| entries.len().min(8) + 2).sum();
        (80, u16::try_from(rows).unwrap_or(20) + 1)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        let [models, methods, problem] =
            Layout::vertical([Constraint::Fill(1), Constraint::Fill(1), Constraint::Length(1)]).areas(area);
        for (i, ((title, entries, list), area)) in self.lists.iter_mut().zip([models, methods]).enumerate() {
            let role = if i == self.focus { Role::Title } else { Role::Dim };
            frame.render_widget(Line::styled(*title, theme.style(role)), Rect { height: area.height.min(1), ..area });
            let below = Rect { y: area.y + area.height.min(1), height: area.height.saturating_sub(1), ..area };
            list.render(theme, below, frame, i == self.focus, entries.len(), |r| {
                let Some(entry) = entries.get(r) else { return Line::default() };
                let role = if entry.unavailable.is_some() { Role::Dim } else { Role::Text };
                let about = entry.unavailable.as_deref().unwrap_or(&entry.about);
                Line::from(vec![
                    Span::styled(format!("{:<20} ", sanitize::line(&entry.name)), theme.style(role)),
                    Span::styled(sanitize::line(about).into_owned(), theme.style(Role::Dim)),
                ])
            });
        }
        if let Some(text) = &self.problem {
            frame.render_widget(Line::styled(text.as_str(), theme.style(Role::Bad)), problem);
        }
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        self.problem = None;
        let step = match action {
            ActionId::ItemUp => -1,
            ActionId::ItemDown => 1,
            ActionId::Complete => {
                self.focus = 1 - self.focus;
                0
            }
            ActionId::Accept => {
                let (Some(model), Some(method)) = (self.chosen(0), self.chosen(1)) else { return vec![Reply::Close] };
                if let Some(why) = model.unavailable.as_ref().or(method.unavailable.as_ref()) {
                    self.problem = Some(sanitize::line(why).into_owned());
                    return Vec::new();
                }
                let command = Command::Configure(Configuration {
                    model: model.name.clone(),
                    method: method.name.clone(),
                    ..Configuration::default()
                });
                return vec![Reply::Close, Reply::Send(command)];
            }
            _ => 0,
        };
        if let Some((_, entries, list)) = self.lists.get_mut(self.focus) {
            list.step(step, entries.len());
        }
        Vec::new()
    }
}
