//! The program's variables (what the agent can know) beside the world's truth, as trees; what the last step changed stands out.
//! Where a method maintains a belief, that is shown first, beside the truth in the same form; else a picture of the place, if the
//! world has one.
//!
//! Rows are `tree`'s business, a tree with its cursor `half`'s, a plan `map`'s, stacks `stacks`'s; the belief's parts are `belief`,
//! its values are edited in place by `edit`, its drift from the truth is `drift`. The cursor stays on its value when the state is
//! updated.

mod belief;
mod drift;
mod edit;
mod half;
mod map;
mod stacks;
mod tree;

use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use serde_json::Value;

use self::edit::ValueEdit;
use self::half::Half;
use self::tree::Tree;
use super::browse::{BROWSING, Browser, Mouse};
use super::draw::{Painter, split_bottom, split_left, split_top};
use super::find::Rows;
use super::words;
use crate::driver::Situation;
use crate::tui::pane::{Intent, Pane, PaneAction, PaneId};
use crate::tui::theme::Theme;
use crate::tui::view::View;
use crate::world::Map;

/// From this width on, both sides stand beside each other; below it one above the other.
const BESIDE: u16 = 72;

/// Which of the values.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    #[default]
    Variables,
    Truth,
    /// What is believed.
    Belief,
    /// The truth in the form of a belief.
    Told,
}

/// What is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Shown {
    Map,
    Belief,
    Drift,
    #[default]
    Variables,
    Truth,
    Both,
}

/// The pane.
#[derive(Debug)]
pub struct StatePane {
    situation: Option<Arc<Situation>>,
    variables: Half,
    truth: Half,
    belief: Half,
    told: Half,
    /// A value of the belief being edited.
    edit: Option<ValueEdit>,
    /// What the person chose to see; nothing chosen yet if `None`.
    chosen: Option<Shown>,
    /// The side that has the cursor.
    side: Side,
}

impl Default for StatePane {
    fn default() -> Self {
        let compact = || Half { tree: Tree::compact(), ..Half::default() };
        StatePane {
            situation: None,
            variables: Half::default(),
            truth: Half::default(),
            belief: compact(),
            told: compact(),
            edit: None,
            chosen: None,
            side: Side::default(),
        }
    }
}

impl StatePane {
    fn half(&mut self) -> &mut Half {
        match self.side {
            Side::Variables => &mut self.variables,
            Side::Truth => &mut self.truth,
            Side::Belief => &mut self.belief,
            Side::Told => &mut self.told,
        }
    }

    fn half_ref(&self) -> &Half {
        match self.side {
            Side::Variables => &self.variables,
            Side::Truth => &self.truth,
            Side::Belief => &self.belief,
            Side::Told => &self.told,
        }
    }

    /// The value of the side with the cursor.
    fn with_value(&mut self, act: impl FnOnce(&mut Half, &Value)) {
        let Some(situation) = self.situation.clone() else { return };
        let Some(value) = value_of(&situation, self.side) else { return };
        act(self.half(), value);
    }

    /// The picture of the place.
    fn plan(&self) -> Option<&Map> {
        self.situation.as_ref()?.map.as_ref()
    }

    /// What is shown: what the person chose where there is such a thing, else the belief, else the map, else the variables.
    fn shown(&self) -> Shown {
        let views = self.views();
        let chosen = self.chosen.filter(|c| views.contains(c));
        chosen.or_else(|| views.first().copied()).unwrap_or_default()
    }

    /// What there is to show, in the order of cycling.
    fn views(&self) -> Vec<Shown> {
        let mut views = Vec::with_capacity(6);
        if self.situation.as_ref().is_some_and(|s| s.belief.is_some()) {
            views.push(Shown::Belief);
            views.push(Shown::Drift);
        }
        if self.plan().is_some() {
            views.push(Shown::Map);
        }
        views.extend([Shown::Variables, Shown::Truth, Shown::Both]);
        views
    }

    /// The sides of what is shown, in the order of cycling.
    fn sides(&self, shown: Shown) -> &'static [Side] {
        let told = self.situation.as_ref().is_some_and(|s| value_of(s, Side::Told).is_some());
        match shown {
            Shown::Map | Shown::Drift => &[],
            Shown::Variables => &[Side::Variables],
            Shown::Truth => &[Side::Truth],
            Shown::Both => &[Side::Variables, Side::Truth],
            Shown::Belief if told => &[Side::Belief, Side::Told],
            Shown::Belief => &[Side::Belief],
        }
    }

    /// Where cycling leads: to the other side of what is shown, else to the next view.
    fn next(&self) -> (Shown, Option<Side>) {
        let (shown, views) = (self.shown(), self.views());
        let sides = self.sides(shown);
        let at = sides.iter().position(|s| *s == self.side);
        if let Some(other) = at.and_then(|at| sides.get(at + 1)) {
            return (shown, Some(*other));
        }
        let at = views.iter().position(|v| *v == shown).map_or(0, |at| at + 1);
        let next = views.get(at).or(views.first()).copied().unwrap_or_default();
        (next, self.sides(next).first().copied())
    }

    fn cycle(&mut self) {
        let (shown, side) = self.next();
        self.chosen = Some(shown);
        self.side = side.unwrap_or(self.side);
    }

    fn next_view(&self) -> &'static str {
        let (next, side) = self.next();
        match next {
            Shown::Map => "show the map",
            Shown::Belief if side == Some(Side::Told) => "to the truth",
            Shown::Belief => "show the belief",
            Shown::Drift => "show the drift",
            Shown::Variables => "show the variables",
            Shown::Truth => "show the truth",
            Shown::Both if side == Some(Side::Truth) => "to the truth",
            Shown::Both => "show both",
        }
    }

    /// Whether what is shown is a picture, which has no rows to act on.
    fn is_picture(&self) -> bool {
        matches!(self.shown(), Shown::Map | Shown::Drift)
    }

    fn copy(&self) -> Option<Intent> {
        let situation = self.situation.as_ref()?;
        let row = self.half_ref().row()?;
        let value = value_of(situation, self.side)?;
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
        self.load_belief(view, situation, before.as_deref());
        // The cursor stands on a side that is shown.
        let sides = self.sides(self.shown());
        if !sides.contains(&self.side) {
            self.side = sides.first().copied().unwrap_or_default();
        }
    }
}

/// The value of a side.
fn value_of(situation: &Situation, side: Side) -> Option<&Value> {
    match side {
        Side::Variables => Some(&situation.variables),
        Side::Truth => Some(&situation.truth),
        Side::Belief => situation.belief.as_ref().map(|b| b.state.as_ref()),
        Side::Told => situation.belief.as_ref().and_then(|b| b.truth.as_deref()),
    }
}

impl Pane for StatePane {
    fn id(&self) -> PaneId {
        PaneId::State
    }

    fn title(&self, view: &View) -> String {
        match self.shown() {
            Shown::Map => return "State, map".into(),
            Shown::Drift => return "State, drift".into(),
            Shown::Belief => return self.belief_title(),
            _ => {}
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

    fn render(&mut self, view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool) {
        let mut painter = Painter { buf: frame.buffer_mut(), theme, focused };
        if self.situation.is_none() {
            painter
                .empty(area, "No state yet. Begin an episode or open a session; the state at each step is shown here.");
            return;
        }
        match (self.shown(), self.plan()) {
            (Shown::Map, Some(Map::FloorPlan(plan))) => return map::draw(plan, &mut painter, area),
            (Shown::Map, Some(Map::Stacks(stacks))) => return stacks::draw(stacks, &mut painter, area),
            (Shown::Drift, _) => return self.draw_drift(view, &mut painter, area),
            _ => {}
        }
        let area = self.half().browser.find.draw(&mut painter, area);
        const VARIABLES: &str = "program variables: what the agent can know";
        const TRUTH: &str = "the world's truth: hidden from the agent";
        match self.shown() {
            Shown::Belief => self.draw_belief(view, &mut painter, area),
            Shown::Truth => self.truth.draw(&mut painter, area, true, TRUTH, None),
            Shown::Both => {
                let (one, two) = if area.width >= BESIDE {
                    split_left(area, area.width / 2)
                } else {
                    split_top(area, area.height / 2)
                };
                let on_variables = self.side == Side::Variables;
                self.variables.draw(&mut painter, one, on_variables, VARIABLES, None);
                self.truth.draw(&mut painter, two, !on_variables, TRUTH, None);
            }
            _ => self.variables.draw(&mut painter, area, true, VARIABLES, None),
        }
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.situation.is_none() {
            return Vec::new();
        }
        let mut actions = self.belief_actions(view);
        actions.push((PaneAction::Cycle, self.next_view()));
        if self.is_picture() {
            return actions;
        }
        if self.half_ref().row().is_some_and(|r| r.fold.is_some()) {
            actions.push((PaneAction::ToggleFold, "open/close"));
        }
        actions.extend([
            (PaneAction::Copy, "copy path and value"),
            (PaneAction::Left, "close"),
            (PaneAction::Right, "open"),
        ]);
        if !actions.iter().any(|(a, _)| *a == PaneAction::Activate) {
            actions.push((PaneAction::Activate, "open/close"));
        }
        actions.extend(BROWSING);
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Cycle => self.cycle(),
            PaneAction::EditWhole if self.shown() == Shown::Belief => return vec![Intent::EditBelief],
            _ if self.is_picture() => {}
            PaneAction::Edit => self.edit_value(view),
            PaneAction::Activate if self.edits_on_enter(view) => self.edit_value(view),
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
        self.edit.is_some() || self.half_ref().browser.find.is_open()
    }

    fn key(&mut self, key: KeyEvent, _view: &View) -> Vec<Intent> {
        if let Some(mut edit) = self.edit.take() {
            let situation = self.situation.clone();
            let Some(belief) = situation.as_ref().and_then(|s| value_of(s, Side::Belief)) else { return Vec::new() };
            let (keep, intents) = edit.key(key, belief);
            self.edit = keep.then_some(edit);
            return intents;
        }
        self.browse(|browser, rows| browser.key(key, rows));
        self.deepen();
        Vec::new()
    }

    fn paste(&mut self, text: &str, _view: &View) -> Vec<Intent> {
        if let Some(edit) = &mut self.edit {
            edit.editor.paste(text);
            return Vec::new();
        }
        self.browse(|browser, rows| browser.paste(text, rows));
        self.deepen();
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, _area: Rect, _view: &View) -> Vec<Intent> {
        if self.is_picture() || self.edit.is_some() {
            return Vec::new();
        }
        let at = (event.column, event.row).into();
        for side in self.sides(self.shown()) {
            let before = std::mem::replace(&mut self.side, *side);
            if self.half_ref().browser.body.contains(at) && !self.captures_text() {
                break;
            }
            self.side = before;
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
