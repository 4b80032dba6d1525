//! Command palette: every action by name, what cannot be done now shown with its reason.

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::field::Field;
use super::list::List;
use super::{Context, Dialog, Reply};
use crate::tui::actions::{ACTIONS, ActionId, ActionSpec};
use crate::tui::event::Input;
use crate::tui::theme::Role;
use crate::tui::{fuzzy, sanitize};

/// Why an action cannot be done now; `None` if it can.
pub type Disabled = Option<&'static str>;

/// The palette.
pub struct Palette {
    field: Field,
    list: List,
    /// What is offered, with why it cannot be done now.
    rows: Vec<(&'static ActionSpec, Disabled)>,
    /// Indices into `rows`, best first.
    found: Vec<usize>,
}

impl Palette {
    /// A palette over all actions that `disabled` knows; actions of panes are listed while their pane is focused.
    pub fn new(disabled: impl Fn(ActionId) -> Disabled, pane: &[(ActionId, &'static str)]) -> Self {
        let offered = |s: &&'static ActionSpec| s.palette || pane.iter().any(|(id, _)| *id == s.id);
        let rows: Vec<_> = ACTIONS.iter().filter(offered).map(|s| (s, disabled(s.id))).collect();
        let mut palette = Palette { field: Field::new(""), list: List::default(), rows, found: Vec::new() };
        palette.search();
        palette
    }

    fn search(&mut self) {
        // A name that matches comes before a description that does.
        let labels: Vec<&str> = self.rows.iter().map(|(s, _)| s.label).collect();
        self.found = fuzzy::rank(self.field.text(), labels.iter().copied());
        let by_about = fuzzy::rank(self.field.text(), self.rows.iter().map(|(s, _)| s.about.as_str()));
        for row in by_about {
            if !self.found.contains(&row) {
                self.found.push(row);
            }
        }
        // What can be done now comes first.
        self.found.sort_by_key(|i| self.rows.get(*i).is_some_and(|(_, disabled)| disabled.is_some()));
        self.list = List::default();
    }
}

impl Dialog for Palette {
    fn title(&self) -> String {
        "Commands".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "do it"), (ActionId::ItemDown, "next"), (ActionId::Close, "cancel")]
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (90, 20)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let theme = context.theme;
        self.field.render(theme, area, frame, true);
        let below = Rect { y: area.y + area.height.min(2), height: area.height.saturating_sub(2), ..area };
        let Palette { list, rows, found, .. } = self;
        let width = usize::from(area.width.saturating_sub(3));
        list.render(theme, below, frame, true, found.len(), |i| {
            let Some((spec, disabled)) = found.get(i).and_then(|r| rows.get(*r)) else { return Line::default() };
            let keys = context.keymap.hint(spec.id).unwrap_or_default();
            let (text, role) = match disabled {
                None => (spec.about.clone(), Role::Text),
                Some(why) => (format!("{} ({why})", spec.about), Role::Dim),
            };
            let text = sanitize::fit(&text, width.saturating_sub(10), theme.glyphs.ellipsis).into_owned();
            let key = if disabled.is_some() { Role::Dim } else { Role::Key };
            Line::from(vec![
                Span::styled(format!("{keys:<10}"), theme.style(key)),
                Span::styled(text, theme.style(role)),
            ])
        });
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            self.list.act(action, self.found.len());
            return Vec::new();
        }
        let chosen = self.found.get(self.list.cursor()).and_then(|r| self.rows.get(*r));
        // Doing what is disabled says why in the message line.
        chosen.map(|(spec, _)| vec![Reply::Close, Reply::Do(spec.id)]).unwrap_or_default()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if self.field.input(input) {
            self.search();
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        let below = Rect { y: area.y + area.height.min(2), height: area.height.saturating_sub(2), ..area };
        match self.list.mouse(event, below, self.found.len()) {
            Some(_) => self.act(ActionId::Accept, context),
            None => Vec::new(),
        }
    }
}
