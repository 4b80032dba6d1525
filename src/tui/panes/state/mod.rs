//! The program's variables (what the agent can know) beside the world's truth, as trees; what the last step changed stands out.
//! Where the world has a picture of the place, that is shown first.
//!
//! Rows are `tree`'s business, a plan `map`'s, stacks `stacks`'s. The cursor stays on its value when the state is updated.

mod map;
mod stacks;
mod tree;

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use serde_json::Value;

use self::tree::{Tree, TreeRow};
use super::browse::{BROWSING, Browser, Mouse};
use super::draw::{Painter, Row, run, split_left, split_top};
use super::find::Rows;
use super::words::{self, Change};
use crate::driver::Situation;
use crate::tui::pane::{Intent, Pane, PaneAction, PaneId};
use crate::tui::theme::{Role, Theme};
use crate::tui::view::View;
use crate::world::Map;

/// From this width on, both sides stand beside each other; below it one above the other.
const BESIDE: u16 = 72;

/// Which of the two values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    #[default]
    Variables,
    Truth,
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Shown {
    Map,
    #[default]
    Variables,
    Truth,
    Both,
}

/// A tree with its cursor.
#[derive(Debug, Default)]
struct Half {
    tree: Tree,
    browser: Browser,
}

/// The pane.
#[derive(Debug, Default)]
pub struct StatePane {
    situation: Option<Arc<Situation>>,
    variables: Half,
    truth: Half,
    /// What the person chose to see; nothing chosen yet if `None`.
    chosen: Option<Shown>,
    /// The side that has the cursor.
    side: Side,
}

impl Half {
    /// Lays the rows anew; the cursor stays on its value, or the nearest row to where that was.
    fn lay(&mut self, value: &Value) {
        let at = self.tree.rows().get(self.browser.list.cursor()).map(|r| r.pointer.clone());
        self.tree.lay(value);
        if let Some(row) = at.and_then(|at| self.tree.rows().iter().position(|r| r.pointer == at)) {
            self.browser.list.go(row, self.tree.rows().len());
        }
        self.browser.list.grown(self.tree.rows().len());
    }

    fn row(&self) -> Option<&TreeRow> {
        self.tree.rows().get(self.browser.list.cursor())
    }

    fn go(&mut self, pointer: &str) {
        if let Some(row) = self.tree.rows().iter().position(|r| r.pointer == pointer) {
            self.browser.list.go(row, self.tree.rows().len());
        }
    }

    /// Opens (or closes) the row under the cursor; closing what is closed goes up.
    fn fold(&mut self, open: Option<bool>, value: &Value) {
        let Some(row) = self.row().cloned() else { return };
        match (row.fold, open) {
            (Some(is), None) => self.tree.set_open(&row.pointer, !is),
            (Some(false), Some(true)) => self.tree.set_open(&row.pointer, true),
            (Some(true), Some(false)) => self.tree.set_open(&row.pointer, false),
            (_, Some(false)) => {
                let above = row.pointer.rsplit_once('/').map_or("", |(above, _)| above).to_owned();
                self.go(&above);
                return;
            }
            _ => return,
        }
        self.lay(value);
    }

    fn draw(&mut self, painter: &mut Painter<'_>, area: Rect, active: bool, title: &str) {
        let (head, area) = split_top(area, 1);
        let role = if active { Role::Title } else { Role::Dim };
        painter.row(head, 0, &[run(role, title)]);
        let len = self.tree.rows().len();
        if len == 0 {
            painter.empty(area, "empty");
        }
        let window = self.browser.list.window(len, usize::from(area.height));
        let area = painter.scrollbar(area, window.start, len);
        self.browser.body = area;
        for (line, row) in window.enumerate() {
            let Some(what) = self.tree.rows().get(row) else { break };
            painter.row(area, line, &tree_row(what, painter.theme));
            if active && row == self.browser.list.cursor() {
                painter.select(area, line);
            }
            painter.matches(area, line, self.browser.find.pattern());
        }
    }

    /// Searches the whole value, open or folded, and opens to what is found.
    fn seek(&mut self, value: &Value, forward: bool) -> bool {
        let pattern = self.browser.find.pattern().to_owned();
        if pattern.is_empty() {
            return true;
        }
        let fold = !pattern.chars().any(char::is_uppercase);
        let has = |text: &str| if fold { text.to_lowercase().contains(&pattern) } else { text.contains(&pattern) };
        let from = self.row().map(|r| r.pointer.clone()).unwrap_or_default();
        let Some(pointer) = tree::search(value, &from, forward, &has) else { return false };
        self.tree.reveal(&pointer);
        self.lay(value);
        self.go(&pointer);
        true
    }
}

fn tree_row(row: &TreeRow, theme: &Theme) -> Row {
    let (mark, role) = match (row.change, row.touched) {
        (Some(change), _) => (change.mark(), change.role()),
        (None, true) => (".", Role::Changed),
        (None, false) => (" ", Role::Text),
    };
    let fold = match row.fold {
        None => " ",
        Some(true) => theme.glyphs.open,
        Some(false) => theme.glyphs.closed,
    };
    let key = if row.change == Some(Change::Removed) { Role::Removed } else { Role::Text };
    let value = match row.change {
        Some(change) => change.role(),
        None => Role::Dim,
    };
    let colon = if row.text.is_empty() || row.key.is_empty() { "" } else { ": " };
    // A mark is not crossed out or underlined itself: it has to be read.
    let mark_role = if role == Role::Text { Role::Text } else { Role::Accent };
    vec![
        run(mark_role, format!("{mark} ")),
        run(Role::Dim, format!("{}{fold} ", "  ".repeat(row.depth))),
        run(key, &row.key),
        run(Role::Dim, colon),
        run(value, &row.text),
    ]
}

impl StatePane {
    fn half(&mut self) -> &mut Half {
        match self.side {
            Side::Variables => &mut self.variables,
            Side::Truth => &mut self.truth,
        }
    }

    fn half_ref(&self) -> &Half {
        match self.side {
            Side::Variables => &self.variables,
            Side::Truth => &self.truth,
        }
    }

    /// The value of the side with the cursor.
    fn with_value(&mut self, act: impl FnOnce(&mut Half, &Value)) {
        let Some(situation) = self.situation.clone() else { return };
        match self.side {
            Side::Variables => act(&mut self.variables, &situation.variables),
            Side::Truth => act(&mut self.truth, &situation.truth),
        }
    }

    /// The picture of the place.
    fn plan(&self) -> Option<&Map> {
        self.situation.as_ref()?.map.as_ref()
    }

    /// What is shown: what the person chose where there is such a thing, else the map, else the variables.
    fn shown(&self) -> Shown {
        match (self.chosen, self.plan()) {
            (None, Some(_)) => Shown::Map,
            (None | Some(Shown::Map), None) => Shown::Variables,
            (Some(chosen), _) => chosen,
        }
    }

    fn cycle(&mut self) {
        let (shown, side) = match (self.shown(), self.side) {
            (Shown::Map, _) => (Shown::Variables, Side::Variables),
            (Shown::Variables, _) => (Shown::Truth, Side::Truth),
            (Shown::Truth, _) => (Shown::Both, Side::Variables),
            (Shown::Both, Side::Variables) => (Shown::Both, Side::Truth),
            (Shown::Both, Side::Truth) if self.plan().is_some() => (Shown::Map, Side::Variables),
            (Shown::Both, Side::Truth) => (Shown::Variables, Side::Variables),
        };
        (self.chosen, self.side) = (Some(shown), side);
    }

    fn next_view(&self) -> &'static str {
        match (self.shown(), self.side) {
            (Shown::Map, _) => "show the variables",
            (Shown::Variables, _) => "show the truth",
            (Shown::Truth, _) => "show both",
            (Shown::Both, Side::Variables) => "to the truth",
            (Shown::Both, Side::Truth) if self.plan().is_some() => "show the map",
            (Shown::Both, Side::Truth) => "variables only",
        }
    }

    fn copy(&self) -> Option<Intent> {
        let situation = self.situation.as_ref()?;
        let row = self.half_ref().row()?;
        let value = match self.side {
            Side::Variables => &situation.variables,
            Side::Truth => &situation.truth,
        };
        let text = match value.pointer(&row.pointer) {
            Some(value) => format!("{} = {value}", words::path(&row.pointer)),
            None => format!("{}: {}", words::path(&row.pointer), row.text),
        };
        Some(Intent::Copy(text))
    }

    fn browse(&mut self, act: impl FnOnce(&mut Browser, &Rows<'_>)) {
        let half = self.half();
        let mut browser = std::mem::take(&mut half.browser);
        let text = |row: usize| {
            let row = half.tree.rows().get(row);
            row.map(|r| format!("{}: {}", r.key, r.text)).unwrap_or_default()
        };
        act(&mut browser, &Rows { len: half.tree.rows().len(), text: &text });
        half.browser = browser;
    }

    /// After the search line changed: looks in folded values as well.
    fn deepen(&mut self) {
        self.with_value(|half, value| {
            let pattern = half.browser.find.pattern().to_lowercase();
            let shown = half.row().is_some_and(|r| format!("{}: {}", r.key, r.text).to_lowercase().contains(&pattern));
            if !shown {
                half.seek(value, true);
            }
        });
    }

    fn load(&mut self, view: &View, situation: &Arc<Situation>) {
        let before = self.situation.replace(Arc::clone(situation));
        let node = view.session.as_ref().and_then(|s| s.node(situation.node));
        // Former values are known where the state before was that of the step before.
        let before = before.filter(|b| node.is_some_and(|n| n.parent == Some(b.node)));
        let none = Value::Null;
        let changes = node.map_or(&none, |n| &n.changes);
        self.variables.tree.mark(changes, before.as_ref().map(|b| &b.variables));
        self.truth.tree.mark(&situation.truth_changes, before.as_ref().map(|b| &b.truth));
        self.variables.lay(&situation.variables);
        self.truth.lay(&situation.truth);
    }
}

impl Pane for StatePane {
    fn id(&self) -> PaneId {
        PaneId::State
    }

    fn title(&self, view: &View) -> String {
        if self.shown() == Shown::Map {
            return "State, map".into();
        }
        let changed = view.node().map_or(0, |n| words::operations(&n.changes).count());
        match changed {
            0 => "State".into(),
            n => format!("State, {}", words::count(n, "change")),
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        match &view.situation {
            Some(now) if self.situation.as_ref().is_none_or(|s| !Arc::ptr_eq(s, now)) => self.load(view, now),
            Some(_) => {}
            None => {
                let (chosen, side) = (self.chosen, self.side);
                *self = StatePane { chosen, side, ..StatePane::default() };
            }
        }
        Vec::new()
    }

    fn render(&mut self, _view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool) {
        let mut painter = Painter { buf: frame.buffer_mut(), theme, focused };
        if self.situation.is_none() {
            painter
                .empty(area, "No state yet. Begin an episode or open a session; the state at each step is shown here.");
            return;
        }
        if let (Shown::Map, Some(plan)) = (self.shown(), self.plan()) {
            match plan {
                Map::Plan(plan) => map::draw(plan, &mut painter, area),
                Map::Stacks(stacks) => stacks::draw(stacks, &mut painter, area),
            }
            return;
        }
        let area = self.half().browser.find.draw(&mut painter, area);
        const VARIABLES: &str = "program variables: what the agent can know";
        const TRUTH: &str = "the world's truth: hidden from the agent";
        match self.shown() {
            Shown::Map | Shown::Variables => self.variables.draw(&mut painter, area, true, VARIABLES),
            Shown::Truth => self.truth.draw(&mut painter, area, true, TRUTH),
            Shown::Both => {
                let (one, two) = if area.width >= BESIDE {
                    split_left(area, area.width / 2)
                } else {
                    split_top(area, area.height / 2)
                };
                let on_variables = self.side == Side::Variables;
                self.variables.draw(&mut painter, one, on_variables, VARIABLES);
                self.truth.draw(&mut painter, two, !on_variables, TRUTH);
            }
        }
    }

    fn actions(&self, _view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.situation.is_none() {
            return Vec::new();
        }
        let mut actions = vec![(PaneAction::Cycle, self.next_view())];
        if self.shown() == Shown::Map {
            return actions;
        }
        if self.half_ref().row().is_some_and(|r| r.fold.is_some()) {
            actions.push((PaneAction::ToggleFold, "open/close"));
        }
        actions.extend([
            (PaneAction::Copy, "copy path and value"),
            (PaneAction::Left, "close"),
            (PaneAction::Right, "open"),
            (PaneAction::Activate, "open/close"),
        ]);
        actions.extend(BROWSING);
        actions
    }

    fn act(&mut self, action: PaneAction, _view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Cycle => self.cycle(),
            // A picture has no rows to act on.
            _ if self.shown() == Shown::Map => {}
            PaneAction::ToggleFold | PaneAction::Activate => self.with_value(|half, value| half.fold(None, value)),
            PaneAction::Left => self.with_value(|half, value| half.fold(Some(false), value)),
            PaneAction::Right => self.with_value(|half, value| half.fold(Some(true), value)),
            PaneAction::NextMatch | PaneAction::PreviousMatch => self.with_value(|half, value| {
                half.seek(value, action == PaneAction::NextMatch);
            }),
            PaneAction::Copy => return self.copy().into_iter().collect(),
            _ => self.browse(|browser, rows| {
                browser.act(action, rows);
            }),
        }
        Vec::new()
    }

    fn captures_text(&self) -> bool {
        self.half_ref().browser.find.is_open()
    }

    fn key(&mut self, key: KeyEvent, _view: &View) -> Vec<Intent> {
        self.browse(|browser, rows| browser.key(key, rows));
        self.deepen();
        Vec::new()
    }

    fn paste(&mut self, text: &str, _view: &View) -> Vec<Intent> {
        self.browse(|browser, rows| browser.paste(text, rows));
        self.deepen();
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, _area: Rect, _view: &View) -> Vec<Intent> {
        if self.shown() == Shown::Map {
            return Vec::new();
        }
        if self.shown() == Shown::Both {
            let at = (event.column, event.row).into();
            for (side, half) in [(Side::Variables, &self.variables), (Side::Truth, &self.truth)] {
                if half.browser.body.contains(at) && !self.captures_text() {
                    self.side = side;
                    break;
                }
            }
        }
        let len = self.half_ref().tree.rows().len();
        let before = self.half_ref().browser.list.cursor();
        // A second click on the row opens or closes it.
        if self.half().browser.mouse(event, len) == Mouse::Clicked(before) {
            self.with_value(|half, value| half.fold(None, value));
        }
        Vec::new()
    }
}
