//! View of a decision of the library: what became of it, what the assertion finds there, the calls before it, and the state.

use std::sync::Arc;

use serde_json::Value;

use crate::pane::PaneAction;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_library::{Look, Stopped};

#[derive(Debug)]
pub(super) struct DecisionPage {
    look: Arc<Look>,
    /// The variables of the state, one a line.
    state: Vec<String>,
    drawn: bool,
}

impl DecisionPage {
    pub(super) fn new(look: Arc<Look>) -> Self {
        let objects = look.variables.as_object().into_iter().flatten();
        let lines = objects.flat_map(|(object, own)| match own {
            Value::Object(own) => own.iter().map(|(name, value)| format!("{object}.{name} = {value}")).collect(),
            value => vec![format!("{object} = {value}")],
        });
        DecisionPage { state: lines.collect(), look, drawn: false }
    }

    /// The row of the decision, the first time only: then it is brought to the middle.
    pub(super) fn first(&mut self) -> Option<usize> {
        let first = !std::mem::replace(&mut self.drawn, true);
        first.then_some(self.look.before.len())
    }

    pub(super) fn stopped(&self) -> &Stopped {
        &self.look.stopped
    }

    pub(super) fn title(&self) -> String {
        format!("A decision of {}", self.look.stopped.place())
    }

    pub(super) fn len(&self) -> usize {
        self.look.before.len() + 1 + self.state.len()
    }

    pub(super) fn text(&self, row: usize) -> String {
        let decision = self.look.before.len();
        match row.checked_sub(decision) {
            None => self.look.before.get(row).cloned().unwrap_or_default(),
            Some(0) => self.look.stopped.call.clone(),
            Some(past) => self.state.get(past - 1).cloned().unwrap_or_default(),
        }
    }

    pub(super) fn head(&self, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
        let (stopped, glyphs) = (&self.look.stopped, &theme.glyphs);
        let what = format!("{}, {}", stopped.action, stopped.judged.in_words());
        let mut rows = words::labelled("", Role::Title, &what, width);
        if !stopped.words.is_empty() {
            rows.extend(words::labelled("    ", Role::Text, &stopped.words, width).into_iter().take(2));
        }
        let [next, previous, there] =
            [PaneAction::Right, PaneAction::Left, PaneAction::Activate].map(|action| view.key(action));
        let keys =
            format!("{there} goes to its session; {next} next of the list, {previous} previous; below it the state");
        rows.push(vec![run(Role::Dim, keys)]);
        let told = !self.look.variables.is_null();
        let (glyph, role) = if told { (glyphs.no, Role::Bad) } else { (glyphs.unknown, Role::Warn) };
        let words = format!("{}  {}", self.look.assertion, self.look.outcome);
        rows.extend(words::labelled(&format!("{glyph} "), role, &words, width));
        for (part, value) in &self.look.values {
            let value = if value.starts_with("raises ") { value.clone() } else { format!("= {value}") };
            rows.extend(words::labelled("    ", Role::Dim, &format!("{part} {value}"), width).into_iter().take(2));
        }
        rows
    }

    pub(super) fn row(&self, row: usize, theme: &Theme) -> Row {
        let decision = self.look.before.len();
        if row > decision {
            return vec![run(Role::Dim, "       "), run(Role::Text, self.text(row))];
        }
        let here = row == decision;
        let role = if here { Role::Accent } else { Role::Text };
        vec![words::here(theme, here), run(Role::Dim, format!("{:>4} ", row + 1)), run(role, self.text(row))]
    }
}
