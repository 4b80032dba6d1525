//! Belief beside the truth: what is shown of it, the offer that waits above it, and what a person may do about it.

use std::sync::Arc;

use serde_json::Value;

use ratatui::layout::Rect;

use super::edit::ValueEdit;
use super::tree::Apart;
use super::{
    LEAST_BELOW, Painter, Side, Situation, StatePane, ViewMode, split_bottom, split_left, split_top, stacks, value_of,
    words,
};
use crate::pane::{Intent, Pane, PaneAction};
use crate::panes::offer;
use crate::view::View;
use stepwright_belief::OBJECTS;
use stepwright_episode::ArtifactId;
use stepwright_protocol::Level;
use stepwright_text::json_pointer::join;
use stepwright_world::Map;

/// From this width on, belief and truth are side by side; below it one after the other.
const BESIDE: u16 = 84;

impl StatePane {
    /// Takes in what is believed now; what the last decision about it changed is marked, and what differs from the truth.
    pub(super) fn load_belief(&mut self, view: &View, now: &Arc<Situation>) {
        let Some(belief) = &now.belief else { return };
        let begins = self.belief.tree.rows().is_empty();
        let none = Value::Null;
        let node = view.session.as_ref().and_then(|s| s.node(now.node));
        let change = node.and_then(|n| n.turn.changes_of(&ArtifactId::BELIEF).next_back());
        let changes = change.map_or(&none, |change| &change.patch);
        // A belief changes where the session is, not by a step: what it was is kept with the change.
        self.belief.tree.mark(changes, change.and_then(|change| change.before()));
        self.true_belief.tree.mark(&none, None);
        let wrong = belief.differences.iter().filter(|d| d.believed.is_some());
        self.belief.tree.compare(wrong.map(|d| (d.path.as_str(), Apart::Wrong, d.truth.as_ref())));
        let missing = belief.differences.iter().filter(|d| d.truth.is_some());
        self.true_belief.tree.compare(missing.map(|d| (d.path.as_str(), Apart::Missing, None)));
        let lay = |split: &mut super::SplitPane, value: &Value| {
            // Lists are what one looks for first; the objects' names precede their entries anyway.
            let lists = value.as_object().into_iter().flatten().filter(|(k, v)| v.is_array() && *k != OBJECTS);
            for (key, _) in lists.filter(|_| begins) {
                split.tree.set_open(&join("", key), true);
            }
            split.lay(value);
        };
        lay(&mut self.belief, &belief.state);
        lay(&mut self.true_belief, belief.truth.as_deref().unwrap_or(&none));
    }

    /// Ends the editing of a value that is no longer believed, and says so.
    pub(super) fn leave_edit(&mut self) -> Option<Intent> {
        let believed = value_of(self.situation.as_deref()?, Side::Belief);
        let gone = |edit: &mut ValueEdit| believed.and_then(|state| state.pointer(&edit.pointer)).is_none();
        let edit = self.edit.take_if(gone)?;
        let text = format!("The value is believed no longer; `{}` was not taken", edit.editor.text());
        Some(Intent::Say(Level::Warning, text))
    }

    pub(super) fn belief_title(&self) -> String {
        let belief = self.situation.as_ref().and_then(|s| s.belief.as_ref());
        match belief.map(|b| (b.truth.is_some(), b.differences.len())) {
            Some((true, 0)) => "State, belief: as in truth".into(),
            Some((true, 1)) => "State, belief: 1 value differs".into(),
            Some((true, n)) => format!("State, belief: {n} values differ"),
            _ => "State, belief".into(),
        }
    }

    pub(super) fn draw_belief(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(belief) = self.situation.as_ref().and_then(|s| s.belief.clone()) else { return };
        let mut area = area;
        if let Some(offer) = view.offer().filter(|offer| offer.written.artifact == ArtifactId::BELIEF) {
            // Unfocused, the pane only says that one waits: Proposals shows it.
            let rows = if painter.focused {
                offer::rows(view, offer, painter.theme, usize::from(area.width), offer::SHORT)
            } else {
                vec![offer::brief(view, offer, painter.theme)]
            };
            let (top, below) = split_top(area, (rows.len() as u16).min(area.height / 2));
            painter.rows(top, &rows);
            area = below;
        }
        if let Some(edit) = &self.edit {
            let (rest, note) = split_bottom(area, 1);
            painter.row(note, 0, &edit.note(painter.theme));
            area = rest;
        }
        let area = self.draw_believed(painter, area);
        let glyphs = &painter.theme.glyphs;
        let wrong = belief.differences.iter().filter(|d| d.believed.is_some()).count();
        let missing = belief.differences.iter().filter(|d| d.truth.is_some()).count();
        let Some(_) = &belief.truth else {
            let title = match view.hides_future() {
                true => "believed (the truth is hidden until you decide)",
                false => "believed (the world does not tell the truth in this form)",
            };
            return self.belief.draw(painter, area, true, title, self.edit.as_mut());
        };
        let believed = match wrong {
            0 => "believed".to_owned(),
            n => format!("believed: {} {n} not so in truth", glyphs.no),
        };
        let truth = match missing {
            0 => "the truth: hidden from the agent".to_owned(),
            n => format!("the truth, hidden from the agent: {} {n} not believed", glyphs.candidate),
        };
        let (one, two) = if area.width >= BESIDE {
            split_left(area, area.width / 2)
        } else {
            split_top(area, area.height.div_ceil(2))
        };
        let on_belief = self.side == Side::Belief;
        self.belief.draw(painter, one, on_belief, &believed, self.edit.as_mut());
        self.true_belief.draw(painter, two, !on_belief, &truth, None);
    }

    /// Draws what is believed above its values, where the world draws it and leaves room for them: a half while one works in them. Returns
    /// the values' part, which may be none.
    fn draw_believed(&self, painter: &mut Painter<'_>, area: Rect) -> Rect {
        let (Some(believed), Some(Map::Stacks(truth))) = (self.believed(), self.plan()) else { return area };
        let height = stacks::height_of_both(believed, truth, &painter.theme.glyphs, area.width) as u16;
        let most = if painter.focused { area.height / 2 } else { area.height };
        if height > most {
            return area;
        }
        let (picture, values) = split_top(area, height);
        stacks::draw_both(believed, truth, painter, picture);
        // A heading without values says nothing.
        if values.height < LEAST_BELOW { Rect { height: 0, ..values } } else { values }
    }

    /// The actions on the belief; a person corrects it whenever no offered one waits.
    pub(super) fn belief_actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.shown() != ViewMode::Belief {
            return Vec::new();
        }
        let mut actions = Vec::new();
        if self.edits_on_enter(view) {
            actions.push((PaneAction::Activate, "edit value"));
        }
        if self.may_edit(view) {
            actions.push((PaneAction::Edit, "edit value"));
        }
        actions.push((PaneAction::EditWhole, "edit whole belief"));
        actions.extend(self.turns(view));
        actions
    }

    fn may_edit(&self, view: &View) -> bool {
        self.shown() == ViewMode::Belief
            && self.side == Side::Belief
            && view.offer().is_none()
            && self.value().is_some()
    }

    /// Whether Enter edits the row: a row that can be opened is opened.
    pub(super) fn edits_on_enter(&self, view: &View) -> bool {
        self.may_edit(view) && self.belief.row().is_some_and(|row| row.fold.is_none())
    }

    fn value(&self) -> Option<(&str, &Value)> {
        let row = self.belief.row()?;
        let value = value_of(self.situation.as_deref()?, Side::Belief)?.pointer(&row.pointer)?;
        // What is gone is shown by its former value; another value may have its place.
        let gone = row.change == Some(words::Change::Removed);
        (!gone).then_some((row.pointer.as_str(), value))
    }

    pub(super) fn edit_value(&mut self, view: &View) {
        if self.may_edit(view) {
            self.edit = self.value().map(|(pointer, value)| ValueEdit::new(pointer, value));
        }
    }
}
