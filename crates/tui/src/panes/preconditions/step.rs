//! View of a demonstration step: the assertions' values there with those of their parts, and the calls around
//! it.

use std::sync::Arc;

use crate::pane::PaneAction;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_precondition::StepView;

#[derive(Debug)]
pub(super) struct StepPage {
    step: Arc<StepView>,
    /// Whether it is one of a list of steps to go through.
    listed: bool,
    drawn: bool,
}

impl StepPage {
    pub(super) fn new(step: Arc<StepView>, listed: bool) -> Self {
        StepPage { step, listed, drawn: false }
    }

    /// The row of the step, the first time only: then it is brought to the middle.
    pub(super) fn first(&mut self) -> Option<usize> {
        let first = !std::mem::replace(&mut self.drawn, true);
        first.then_some(self.step.place.call)
    }

    pub(super) fn title(&self) -> String {
        let place = &self.step.place;
        format!("Demonstration {} ({}), before call {}", place.demonstration + 1, place.id, place.call + 1)
    }

    pub(super) fn len(&self) -> usize {
        self.step.calls.len()
    }

    pub(super) fn text(&self, row: usize) -> String {
        self.step.calls.get(row).cloned().unwrap_or_default()
    }

    pub(super) fn head(&self, view: &View, theme: &Theme, width: usize) -> Vec<Row> {
        let (step, glyphs) = (&self.step, &theme.glyphs);
        let applied = step.place.application(&step.action);
        let made = step.place.at.ends_with(&format!(".{applied}"));
        let asked = if made { "the call made there" } else { "if it were called there" };
        let mut rows = words::labelled("", Role::Title, &format!("{applied}, {asked}:"), width);
        if self.listed {
            let [next, previous] = [PaneAction::Right, PaneAction::Left].map(|a| view.key(a));
            rows.push(vec![run(Role::Dim, format!("{next} next step of the list, {previous} previous"))]);
        }
        for reading in &step.readings {
            let (glyph, role) = match reading.holds {
                Some(true) => (glyphs.yes, Role::Good),
                Some(false) => (glyphs.no, Role::Bad),
                None => (glyphs.unknown, Role::Warn),
            };
            let words = format!("{}  {}", reading.text, reading.outcome);
            rows.extend(words::labelled(&format!("{glyph} "), role, &words, width));
            for (part, value) in &reading.values {
                let words = match value.strip_prefix("raises ") {
                    Some(raised) => format!("{part} raises {raised}"),
                    None => format!("{part} = {value}"),
                };
                rows.extend(words::labelled("    ", Role::Dim, &words, width).into_iter().take(2));
            }
        }
        rows
    }

    pub(super) fn row(&self, row: usize, theme: &Theme) -> Row {
        let here = row == self.step.place.call;
        let number = run(Role::Dim, format!("{:>4} ", row + 1));
        let role = if here { Role::Accent } else { Role::Text };
        vec![words::here(theme, here), number, run(role, self.text(row))]
    }
}
