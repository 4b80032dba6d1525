//! Mouse: never needed, supported everywhere.

use std::time::Instant;

use crossterm::event::{MouseButton, MouseEvent, MouseEventKind};
use ratatui::layout::{Position, Rect};

use super::App;
use crate::chrome;
use crate::pane::PaneId;
use crate::strip;
use stepwright_protocol::{Command, Level, Request};

const OTHER_BUTTONS: &str = "Only the left button and the wheel do something here; with Shift (Option on a Mac) the terminal pastes and \
                             shows its menu";
/// The message about dragging elsewhere than at a border.
const DRAG: &str = "Dragging moves the borders between panes; with Shift (Option on a Mac) the terminal selects text, and y copies a row";

impl App {
    pub(super) fn pointer(&mut self, event: MouseEvent, now: Instant) {
        let at = Position::new(event.column, event.row);
        // Mere movement changes nothing and draws nothing.
        if matches!(event.kind, MouseEventKind::Moved) || self.is_too_small() {
            return;
        }
        self.drawn.touched = true;
        if let Some(why) = self.not_offered(event.kind) {
            self.dirty = true;
            return self.say(Level::Info, why.to_owned());
        }
        let hint = self.drawn.hints.iter().find(|(place, _)| place.contains(at)).map(|(_, action)| *action);
        if let Some(action) = hint.filter(|_| event.kind == MouseEventKind::Down(MouseButton::Left)) {
            return self.hinted(action, now);
        }
        if !self.dialogs.is_empty() {
            self.dirty = true;
            let area = self.drawn.dialog;
            return self.with_dialog(now, |dialog, context| dialog.mouse(event, area, context));
        }
        if self.is_choosing() {
            self.dirty = true;
            let action = self.start.mouse(event);
            return self.start_action(action);
        }
        if self.drag(event, at) {
            self.dirty = true;
            return;
        }
        self.pane_pointer(event, at, now);
    }

    /// Why nothing comes of an event that people try: text is selected and pasted by the terminal, if it is let.
    fn not_offered(&self, kind: MouseEventKind) -> Option<&'static str> {
        match kind {
            MouseEventKind::Down(MouseButton::Right | MouseButton::Middle) => Some(OTHER_BUTTONS),
            MouseEventKind::Drag(_) if self.drawn.dragging.is_none() => Some(DRAG),
            _ => None,
        }
    }

    fn drag(&mut self, event: MouseEvent, at: Position) -> bool {
        match (event.kind, self.drawn.dragging) {
            (MouseEventKind::Down(MouseButton::Left), _) => {
                self.drawn.dragging = self.layout.handle_at(self.drawn.screen, self.focus, at);
                self.drawn.dragging.is_some()
            }
            (MouseEventKind::Drag(MouseButton::Left), Some(handle)) => {
                // The border lies on the last cell of the left or upper slot.
                let to = Position::new(at.x.saturating_add(1), at.y.saturating_add(1));
                self.layout.drag(self.drawn.screen, self.focus, handle, to);
                true
            }
            (MouseEventKind::Up(MouseButton::Left), Some(_)) => {
                self.drawn.dragging = None;
                true
            }
            _ => false,
        }
    }

    fn pane_pointer(&mut self, event: MouseEvent, at: Position, now: Instant) {
        let Some(geometry) = self.layout.geometry(self.drawn.screen, self.focus) else { return };
        let clicked = event.kind == MouseEventKind::Down(MouseButton::Left);
        if clicked && geometry.tabs.contains(at) {
            let tabs = chrome::tabs(&self.keymap, geometry.tabs, self.focus);
            if let Some(tab) = tabs.into_iter().find(|tab| tab.area.contains(at)) {
                self.set_focus(tab.pane);
            }
            return;
        }
        if let Some(session) = self.view.session.as_ref().filter(|_| clicked && geometry.strip.contains(at)) {
            let (len, shown) = strip::on_branch(session, self.trail.ids());
            let index = strip::at_place(len, shown, geometry.strip, at);
            let slide = index.and_then(|index| strip::nth(self.trail.ids(), index));
            let node = slide.and_then(|slide| slide.to.or(slide.from)).filter(|node| *node != session.cursor());
            return node.into_iter().for_each(|node| self.send(Command::Gate(Request::Goto(node))));
        }
        if clicked && geometry.answer.contains(at) {
            return self.set_focus(PaneId::Observations);
        }
        let Some(slot) = geometry.slots.into_iter().find(|s| s.area.contains(at)) else { return };
        if clicked {
            self.set_focus(slot.pane);
            if at.y == slot.area.y {
                return self.click_title(&slot.tabs, slot.pane, slot.area, at);
            }
        }
        self.with_pane(slot.pane, now, |pane, view| pane.mouse(event, view));
    }

    fn click_title(&mut self, tabs: &[crate::pane::PaneId], shown: crate::pane::PaneId, area: Rect, at: Position) {
        use stepwright_text::Columns;
        let title = self.pane(shown).map(|p| p.title(&self.view)).unwrap_or_default();
        let width = usize::from(area.width.saturating_sub(2));
        let mut x = area.x.saturating_add(1);
        for (tab, text) in chrome::slot_tabs(&title, shown, tabs, width, self.themes.now.glyphs.ellipsis) {
            let width = text.width() as u16;
            if (x..x.saturating_add(width)).contains(&at.x)
                && let Some(tab) = tab
            {
                return self.set_focus(tab);
            }
            x = x.saturating_add(width);
        }
    }
}
