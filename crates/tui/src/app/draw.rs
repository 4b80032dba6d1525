//! The frame: bars, slots with their panes, start screen, dialogs.

use ratatui::Frame;
use ratatui::layout::{Rect, Size};
use ratatui::text::Line;
use ratatui::widgets::{Borders, Clear};

use super::App;
use crate::actions::ActionId;
use crate::answer;
use crate::chrome;
use crate::dialog;
use crate::layout::{Geometry, MINIMUM};
use crate::pane::{PANES, PaneId, Wants};
use crate::sanitize;
use crate::strip;
use crate::theme::Role;
use crate::widgets::draw::Painter;
use crate::widgets::wrap::wrapped;
use crate::world_banner;

/// Columns kept for the hint of the help at the end of a dialog's keys.
const HELP: u16 = 10;
/// So many columns a hint has in the footer on the average where one decides: no more of them are shown.
const COLUMNS_A_HINT: u16 = 16;

impl App {
    pub fn draw(&mut self, frame: &mut Frame<'_>) {
        let area = frame.area();
        self.drawn.screen = area;
        self.dirty = false;
        chrome::ground(&self.themes.now, area, frame);
        self.layout.answer = answer::rows(&self.view, area.width);
        self.layout.strip = self.layout.answer.0.min(1);
        self.weigh(area);
        let (title, _) = chrome::title(&self.view, &self.themes.now, area.width.into());
        let goal = self.view.session.as_ref().map(|session| sanitize::line(&session.header.sentence));
        self.view.titled = goal.is_some_and(|goal| title.contains(&*goal));
        if self.answer_is_in_sight(area) {
            self.layout.answer = (0, 0);
        }
        let Some(geometry) = self.layout.geometry(area, self.focus) else {
            return self.draw_too_small(area, frame);
        };
        chrome::title_bar(&self.view, &self.themes.now, geometry.title, frame);
        if self.is_choosing() {
            let below = Rect {
                y: geometry.title.bottom(),
                height: geometry.message.y.saturating_sub(geometry.title.bottom()),
                ..area
            };
            self.start.render(&self.themes.now, &self.keymap, below, frame);
        } else {
            self.draw_panes(&geometry, frame);
        }
        if self.shows_banner() {
            // The world's answer stays in sight.
            let below = if geometry.answer.is_empty() { geometry.message } else { geometry.answer };
            let panes = Rect { height: below.y.saturating_sub(geometry.title.bottom()), ..area };
            let panes = Rect { y: geometry.title.bottom(), ..panes };
            world_banner::render(&self.view, &self.themes.now, &self.banner_hint(), panes, frame);
        }
        let busy = self.busy();
        // In a text the key is a letter.
        let more = self.keymap.hint(ActionId::Message).filter(|_| self.typed_in().is_none());
        chrome::message_line(busy.as_deref(), more.as_deref(), &self.view, &self.themes.now, geometry.message, frame);
        if self.dialogs.is_empty() {
            let help = self.with_keys(&[(ActionId::Help, "help")]).into_iter().next();
            let help = help.filter(|_| self.typed_in().is_none());
            let mut hints = self.hints();
            // Where one decides, what is rarely wanted is the palette's and the help's.
            if self.focus == PaneId::Proposals && !self.is_choosing() {
                hints.truncate(usize::from(geometry.footer.width / COLUMNS_A_HINT));
            }
            self.drawn.hints = chrome::footer(&hints, help, &self.themes.now, geometry.footer, frame);
        }
        self.draw_dialogs(area, frame);
    }

    /// Whether a pane shows the world's answer whole, where no rows are kept for it.
    fn answer_is_in_sight(&mut self, area: Rect) -> bool {
        // A banner lies over panes.
        if self.shows_banner() || self.is_choosing() {
            return false;
        }
        let kept = std::mem::take(&mut self.layout.answer);
        let slots = self.layout.geometry(area, self.focus).map(|geometry| geometry.slots).unwrap_or_default();
        self.layout.answer = kept;
        let inside = |area: Rect| Size::new(area.width.saturating_sub(2), area.height.saturating_sub(2));
        slots.iter().any(|slot| {
            let pane = self.panes.iter_mut().find(|pane| pane.id() == slot.pane);
            pane.is_some_and(|pane| pane.shows_answer(&self.view, inside(slot.area)))
        })
    }

    /// Asks the panes in sight how many rows they have something for. From the first key of a step on that only grows, so that nothing moves
    /// while one looks through the rows of another; before it, what a pane said while something was still on its way leaves nothing behind.
    fn weigh(&mut self, area: Rect) {
        let at = self.view.session.as_ref().map(|session| (session.cursor(), area));
        self.drawn.touched &= self.drawn.wanted_at == at;
        self.drawn.wanted_at = at;
        if !self.drawn.touched {
            self.layout.wants = [Wants::NONE; PANES.len()];
        }
        let slots = self.layout.geometry(area, self.focus).map(|geometry| geometry.slots).unwrap_or_default();
        for slot in slots {
            let place = PANES.iter().position(|pane| *pane == slot.pane);
            let kept = place.and_then(|place| self.layout.wants.get_mut(place));
            let pane = self.panes.iter_mut().find(|pane| pane.id() == slot.pane);
            if let Some((kept, pane)) = kept.zip(pane) {
                let width = slot.area.width.saturating_sub(2);
                *kept = kept.grown(pane.wants(&self.view, &self.themes.now, width));
            }
        }
    }

    fn banner_hint(&self) -> String {
        let steps = self.view.node().map_or(0, |n| n.steps);
        let restart = self.view.key(ActionId::RestartWorld);
        let away = self.view.key(ActionId::Cancel);
        let back = match steps {
            0 => "restarts it".to_owned(),
            n => format!("restarts it and brings it back to step {n}"),
        };
        format!("{restart} {back}; so does taking a step. {away} puts this away.")
    }

    fn draw_panes(&mut self, geometry: &Geometry, frame: &mut Frame<'_>) {
        if !geometry.tabs.is_empty() {
            let tabs = chrome::tabs(&self.keymap, geometry.tabs, self.focus);
            chrome::tab_bar(&tabs, &self.themes.now, self.focus, frame);
        }
        for slot in &geometry.slots {
            let focused = slot.pane == self.focus;
            let Some(pane) = self.panes.iter_mut().find(|p| p.id() == slot.pane) else { continue };
            let title = pane.title(&self.view);
            let title = chrome::slot_title(&title, slot.pane, &slot.tabs, &self.themes.now, focused, slot.area.width);
            let block = chrome::frame_of(&self.themes.now, focused).title(title);
            // What has nothing to show is its title.
            let block = if slot.area.height == 1 { block.borders(Borders::TOP) } else { block };
            let inner = block.inner(slot.area);
            frame.render_widget(block, slot.area);
            pane.render(&self.view, &self.themes.now, inner, frame, focused && self.dialogs.is_empty());
        }
        if let Some(session) = self.view.session.as_ref().filter(|_| !geometry.strip.is_empty()) {
            let (theme, nodes) = (&self.themes.now, self.trail.ids());
            let (branch, columns) = (strip::on_branch(session, nodes), usize::from(geometry.strip.width));
            let row = strip::row(session, branch, |index| strip::nth(nodes, index), theme, columns);
            Painter { buf: frame.buffer_mut(), theme, focused: false }.row(geometry.strip, 0, &row);
        }
        answer::render(&self.view, &self.themes.now, geometry.answer, frame);
        if !geometry.gate.is_empty() {
            chrome::gate_line(&self.view, &self.themes.now, geometry.gate, frame);
        }
    }

    fn draw_dialogs(&mut self, area: Rect, frame: &mut Frame<'_>) {
        let columns = self.dialog_columns();
        let context = dialog::Context { view: &self.view, keymap: &self.keymap, columns };
        let Some(dialog) = self.dialogs.last_mut() else { return };
        let (width, height) = dialog.size(context);
        // Room for the border, one column of air on each side, and the footer, which shows the dialog's keys.
        let width = width.saturating_add(4).min(area.width);
        // One that takes the whole screen leaves the message line in sight.
        let bars = if height == u16::MAX { 3 } else { 2 };
        let height = height.saturating_add(2).min(area.height.saturating_sub(bars));
        let outer = Rect {
            x: area.x + (area.width - width) / 2,
            y: area.y + 1.min(area.height) + area.height.saturating_sub(height + bars) / 3,
            width,
            height,
        };
        frame.render_widget(Clear, outer);
        chrome::ground(&self.themes.now, outer, frame);
        let title =
            Line::styled(format!(" {} ", sanitize::line(&dialog.info().title)), self.themes.now.style(Role::Title));
        let block = chrome::frame_of(&self.themes.now, true).title(title);
        let inner = block.inner(outer);
        frame.render_widget(block, outer);
        let inner = Rect { x: inner.x + 1.min(inner.width), width: inner.width.saturating_sub(2), ..inner };
        self.drawn.dialog = inner;
        let mut painter = Painter { buf: frame.buffer_mut(), theme: &self.themes.now, focused: true };
        dialog.draw(context, &mut painter, inner);
        let info = dialog.info();
        let helps = !info.captures_text && info.opener != Some(ActionId::Help);
        let hints = self.with_keys(&info.hints);
        let help = self.with_keys(&[(ActionId::Help, "help")]).into_iter().next().filter(|_| helps);
        let footer = Rect { y: area.bottom().saturating_sub(1), height: 1.min(area.height), ..area };
        let room = area.width.saturating_sub(if help.is_some() { HELP } else { 0 });
        self.drawn.hints = chrome::footer(&chrome::with_last(hints, room), help, &self.themes.now, footer, frame);
    }

    fn draw_too_small(&self, area: Rect, frame: &mut Frame<'_>) {
        let (w, h) = MINIMUM;
        let quit = self.keymap.hint(ActionId::Quit).map(|key| format!("{key} quits. ")).unwrap_or_default();
        let size = format!("{}x{}", area.width, area.height);
        let text = format!("Too small. {quit}Enlarge the window to {w}x{h}; it is {size} now.");
        let lines = wrapped(&text, usize::from(area.width));
        for (y, text) in (area.y..area.bottom()).zip(lines) {
            frame.render_widget(Line::raw(text), Rect { y, height: 1, ..area });
        }
    }
}
