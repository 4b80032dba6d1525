//! State pane: the program's variables (what the agent can know) beside the world's truth, as trees; the last step's changes are marked.
//! Where a method maintains a belief, that is shown first, beside the truth in the same form; else a picture of the place, if the
//! world has one.
//!
//! `tree` makes the rows, `split` a tree with its cursor; `map` draws a plan, `rooms` rooms, `places` the places of one, `stacks` stacks;
//! `belief` has the belief's parts, `raw` has a side's JSON as text; the belief's values are edited in place by `edit`, its drift from the
//! truth is `drift`, the form in which it is kept `form`. The cursor stays on its value when the state is updated.

mod belief;
mod drift;
mod edit;
mod form;
mod map;
mod page;
mod places;
mod raw;
mod rooms;
mod split;
mod stacks;
mod tree;

use std::sync::Arc;

use crossterm::event::MouseEvent;
use ratatui::buffer::{Buffer, Cell};
use ratatui::layout::{Rect, Size};
use serde_json::Value;
use smart_default::SmartDefault;

use self::edit::ValueEdit;
use self::raw::Raw;
use self::split::SplitPane;
use crate::event::Input;
use crate::pane::{FEW, Intent, Pane, PaneAction, PaneId, Wants, rows_of};
use crate::theme::{Glyphs, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, split_bottom, split_left, split_top};
use crate::widgets::outline::{BROWSING, Mouse, Outline};
use crate::widgets::scrolled::Scrolled;
use crate::widgets::words;
use stepwright_episode::ArtifactId;
use stepwright_protocol::Situation;
use stepwright_text::json_pointer;
use stepwright_world::Map;
use stepwright_world::map::Stacks;

const SCROLLING: [(PaneAction, &str); 6] = [
    (PaneAction::Down, "down"),
    (PaneAction::Up, "up"),
    (PaneAction::PageDown, "page down"),
    (PaneAction::PageUp, "page up"),
    (PaneAction::Top, "top"),
    (PaneAction::Bottom, "bottom"),
];

const VARIABLES: &str = "program variables: what the agent can know";
/// The same below a picture, which shows the same.
const BELOW: &str = "variables";
/// The fewest rows below a picture in which values are shown.
const LEAST_BELOW: u16 = 3;
/// From this width on, both sides are beside each other; below it one above the other.
const BESIDE: u16 = 72;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum Side {
    #[default]
    Variables,
    Truth,
    Belief,
    TrueBelief,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ViewMode {
    Map,
    Belief,
    Drift,
    /// The form in which a belief is kept.
    Form,
    #[default]
    Variables,
    Truth,
    Both,
}

/// The text that was judged last, the number of its check, and the verdict once it is there.
#[derive(Debug, Default)]
struct FormView {
    judged: Option<(String, u64)>,
    verdict: Option<Result<String, String>>,
}

#[derive(Debug, SmartDefault)]
pub(crate) struct StatePane {
    situation: Option<Arc<Situation>>,
    /// What was shown at the node before.
    before: Option<Arc<Situation>>,
    /// How many of the program's variables the last step changed.
    changed: usize,
    variables: SplitPane,
    truth: SplitPane,
    /// Whether that is a program's request, which is hidden from nobody.
    is_request: bool,
    #[default(SplitPane::compact())]
    belief: SplitPane,
    #[default(SplitPane::compact())]
    true_belief: SplitPane,
    edit: Option<ValueEdit>,
    /// The JSON text of the side with the cursor, while that is shown in place of the tree.
    raw: Option<Raw>,
    page: Scrolled,
    form: FormView,
    /// The person's choice of what to see; `None` before any.
    chosen: Option<ViewMode>,
    side: Side,
}

impl StatePane {
    fn split(&mut self) -> &mut SplitPane {
        match self.side {
            Side::Variables => &mut self.variables,
            Side::Truth => &mut self.truth,
            Side::Belief => &mut self.belief,
            Side::TrueBelief => &mut self.true_belief,
        }
    }

    fn split_ref(&self) -> &SplitPane {
        match self.side {
            Side::Variables => &self.variables,
            Side::Truth => &self.truth,
            Side::Belief => &self.belief,
            Side::TrueBelief => &self.true_belief,
        }
    }

    fn with_value(&mut self, act: impl FnOnce(&mut SplitPane, &Value)) {
        let Some(situation) = self.situation.clone() else { return };
        let Some(value) = value_of(&situation, self.side) else { return };
        act(self.split(), value);
    }

    fn plan(&self) -> Option<&Map> {
        self.situation.as_ref()?.map.as_ref()
    }

    /// The view: the person's choice where there is such a thing, else the belief, else the map, else the variables.
    fn shown(&self) -> ViewMode {
        let views = self.views();
        let chosen = self.chosen.filter(|c| views.contains(c));
        chosen.or_else(|| views.first().copied()).unwrap_or_default()
    }

    fn views(&self) -> Vec<ViewMode> {
        let mut views = Vec::with_capacity(7);
        let believes = self.situation.as_ref().is_some_and(|s| s.belief.is_some());
        if believes {
            views.extend([ViewMode::Belief, ViewMode::Drift, ViewMode::Form]);
        }
        if self.plan().is_some() {
            views.push(ViewMode::Map);
        }
        views.push(ViewMode::Variables);
        // Where nothing is asked there is no request to show.
        if !(self.is_request && self.situation.as_ref().is_some_and(|s| s.truth.is_null())) {
            views.extend([ViewMode::Truth, ViewMode::Both]);
        }
        views.extend((!believes).then_some(ViewMode::Form));
        views
    }

    fn sides(&self, shown: ViewMode) -> &'static [Side] {
        let has_truth = self.situation.as_ref().is_some_and(|s| value_of(s, Side::TrueBelief).is_some());
        match shown {
            ViewMode::Map | ViewMode::Drift | ViewMode::Form => &[],
            ViewMode::Variables => &[Side::Variables],
            ViewMode::Truth => &[Side::Truth],
            ViewMode::Both => &[Side::Variables, Side::Truth],
            ViewMode::Belief if has_truth => &[Side::Belief, Side::TrueBelief],
            ViewMode::Belief => &[Side::Belief],
        }
    }

    /// Where cycling leads: to the other side of what is shown, else to the next view.
    fn next(&self) -> (ViewMode, Option<Side>) {
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
        self.raw = None;
        self.chosen = Some(shown);
        self.side = side.unwrap_or(self.side);
    }

    fn next_view(&self) -> &'static str {
        let (next, side) = self.next();
        match next {
            ViewMode::Map if matches!(self.plan(), Some(Map::Places(_))) => "show the places",
            ViewMode::Map if matches!(self.plan(), Some(Map::Page(_))) => "show the page",
            ViewMode::Map => "show the map",
            ViewMode::Belief if side == Some(Side::TrueBelief) => "to the truth",
            ViewMode::Belief => "show the belief",
            ViewMode::Drift => "show the drift",
            ViewMode::Form => "show the form",
            ViewMode::Variables => "show the variables",
            ViewMode::Truth if self.is_request => "show the request",
            ViewMode::Both if self.is_request && side == Some(Side::Truth) => "to the request",
            ViewMode::Truth => "show the truth",
            ViewMode::Both if side == Some(Side::Truth) => "to the truth",
            ViewMode::Both => "show both",
        }
    }

    /// Rows of the picture in so much room, where there is one.
    fn height(&self, glyphs: &Glyphs, width: u16, room: u16) -> Option<u16> {
        let columns = usize::from(width);
        Some(rows_of(match (self.plan()?, self.believed()) {
            (Map::Page(page), _) => page::height(page, glyphs, columns),
            (Map::Stacks(truth), Some(believed)) => stacks::height_of_both(believed, truth, glyphs, width),
            (Map::Stacks(stacks), None) => stacks::height(stacks, glyphs, columns),
            (Map::FloorPlan(plan), _) => map::height(plan, width, glyphs),
            (Map::Rooms(plan), _) => rooms::height(plan, columns),
            (Map::Places(plan), _) => places::height(plan, glyphs, columns, room.into()),
        }))
    }

    /// Draws what is believed, or else the variables, below a picture that leaves room; returns the picture's part.
    fn draw_values_below(&mut self, painter: &mut Painter<'_>, area: Rect) -> Rect {
        let Some(situation) = self.situation.clone().filter(|_| self.shown() == ViewMode::Map) else { return area };
        let side = if situation.belief.is_some() { Side::Belief } else { Side::Variables };
        // Before something changed, places say what the variables do: these have only what is left.
        let says_all = side == Side::Variables && self.changed == 0 && matches!(self.plan(), Some(Map::Places(_)));
        let whole = self.height(&painter.theme.glyphs, area.width, area.height).filter(|_| says_all);
        if whole.is_some_and(|height| area.height <= height + FEW) {
            return area;
        }
        let closed = rows_of(value_of(&situation, side).map_or(0, tree::len));
        // A drawing that may be larger leaves room for the values.
        let room = area.height.saturating_sub(closed.saturating_add(2));
        let Some(height) = self.height(&painter.theme.glyphs, area.width, room) else { return area };
        let below = area.height.saturating_sub(height + 1);
        if below < LEAST_BELOW {
            return area;
        }
        let (picture, below) = split_bottom(area, below);
        let (split, title) = match side {
            Side::Belief => (&mut self.belief, "believed"),
            _ => (&mut self.variables, BELOW),
        };
        if let Some(value) = value_of(&situation, side) {
            split.fit(value, usize::from(below.height - 1));
            split.draw(painter, below, false, title, None);
        }
        picture
    }

    /// The belief as it is drawn, beside a drawing of the truth.
    fn believed(&self) -> Option<&Stacks> {
        let situation = self.situation.as_ref()?;
        match (situation.belief.as_ref()?.picture.as_ref()?, situation.map.as_ref()?) {
            (Map::Stacks(believed), Map::Stacks(_)) => Some(believed),
            _ => None,
        }
    }

    /// Whether the picture is text, which scrolls where it does not fit.
    fn scrolls(&self) -> bool {
        matches!(self.plan(), Some(Map::Page(_) | Map::Places(_)))
    }

    /// Whether what is shown is a picture, which has no rows to act on.
    fn is_picture(&self) -> bool {
        matches!(self.shown(), ViewMode::Map | ViewMode::Drift | ViewMode::Form)
    }

    fn copy(&self) -> Option<Intent> {
        let situation = self.situation.as_ref()?;
        let row = self.split_ref().row()?;
        let value = value_of(situation, self.side)?;
        let text = match value.pointer(&row.pointer) {
            Some(value) => format!("{} = {value}", json_pointer::display(&row.pointer)),
            None => format!("{}: {}", json_pointer::display(&row.pointer), row.text),
        };
        Some(Intent::Copy(text))
    }

    /// The path of the row under the cursor as a JSONPath (RFC 9535).
    fn json_path(&self) -> Option<String> {
        Some(raw::json_path(&self.split_ref().row()?.pointer))
    }

    /// Shows the JSON text of the side with the cursor, or its tree again.
    fn toggle_raw(&mut self) {
        let shown = self.raw.take().is_some();
        let Some(situation) = self.situation.clone().filter(|_| !shown) else { return };
        let pointer = self.split_ref().row().map(|row| row.pointer.clone()).unwrap_or_default();
        self.raw = value_of(&situation, self.side).map(|value| Raw::new(value, &pointer));
    }

    /// After the search line changed: looks in folded values as well.
    fn deepen(&mut self) {
        if self.raw.is_some() {
            return;
        }
        self.with_value(|split, value| {
            if split.outline.find.missed() {
                split.seek(value, true);
            }
        });
    }

    fn load(&mut self, view: &View, situation: &Arc<Situation>) {
        let shown = self.situation.replace(Arc::clone(situation));
        // A state may be shown again, as when more is derived from it: what was there before its step is known still.
        self.before = shown.filter(|shown| shown.node != situation.node).or_else(|| self.before.take());
        (self.page, self.is_request) = (Scrolled::default(), view.answers_requests());
        let node = view.session.as_ref().and_then(|s| s.node(situation.node));
        // Former values are known where the state before was that of the step before.
        let before = self.before.clone().filter(|b| node.is_some_and(|n| n.parent == Some(b.node)));
        let changes = node.map(|n| n.changes.value()).unwrap_or_default();
        self.changed = words::operations(&changes).count();
        self.variables.tree.mark(&changes, before.as_ref().map(|b| &b.variables));
        self.truth.tree.mark(&situation.truth_changes, before.as_ref().map(|b| &b.truth));
        self.variables.lay(&situation.variables);
        self.truth.lay(&situation.truth);
        self.load_belief(view, situation);
        if let Some(raw) = &mut self.raw
            && let Some(value) = value_of(situation, self.side)
        {
            raw.load(value);
        }
        // The cursor is on a side that is shown.
        let sides = self.sides(self.shown());
        if !sides.contains(&self.side) {
            self.side = sides.first().copied().unwrap_or_default();
        }
    }
}

fn value_of(situation: &Situation, side: Side) -> Option<&Value> {
    match side {
        Side::Variables => Some(&situation.variables),
        Side::Truth => Some(&situation.truth),
        Side::Belief => situation.belief.as_ref().map(|b| b.state.as_ref()),
        Side::TrueBelief => situation.belief.as_ref().and_then(|b| b.truth.as_deref()),
    }
}

/// Draws the picture of a place.
fn draw_picture(map: &Map, page: &mut Scrolled, painter: &mut Painter<'_>, area: Rect) {
    match map {
        Map::FloorPlan(plan) => map::draw(plan, painter, area),
        Map::Stacks(stacks) => stacks::draw(stacks, painter, area),
        Map::Page(shown) => page::draw(shown, page, painter, area),
        Map::Rooms(plan) => rooms::draw(plan, painter, area),
        Map::Places(plan) => places::draw(plan, page, painter, area),
    }
}

/// The same as text, in at most so many columns and rows; without what is blank at its ends.
pub fn picture(map: &Map, theme: &Theme, columns: u16, rows: u16) -> Vec<String> {
    let area = Rect::new(0, 0, columns, rows);
    let mut buf = Buffer::empty(area);
    draw_picture(map, &mut Scrolled::default(), &mut Painter { buf: &mut buf, theme, focused: false }, area);
    let wide = usize::from(columns.max(1));
    let line = |cells: &[Cell]| cells.iter().map(Cell::symbol).collect::<String>().trim_end().to_owned();
    let mut lines: Vec<String> = buf.content.chunks(wide).map(line).collect();
    let blank = |line: &String| line.is_empty();
    lines.truncate(lines.iter().rposition(|line| !blank(line)).map_or(0, |last| last + 1));
    lines.drain(..lines.iter().take_while(|line| blank(line)).count());
    lines
}

impl Pane for StatePane {
    fn id(&self) -> PaneId {
        PaneId::State
    }

    fn title(&self, _: &View) -> String {
        if self.raw.is_some() {
            let what = match self.side {
                Side::Variables => "the program's variables",
                Side::Truth if self.is_request => "the request",
                Side::Truth | Side::TrueBelief => "the world's truth",
                Side::Belief => "the belief",
            };
            return format!("State, raw JSON of {what}");
        }
        match self.shown() {
            ViewMode::Map if self.believed().is_some() => return self.belief_title(),
            ViewMode::Map => {
                return format!(
                    "State, {}",
                    match self.plan() {
                        Some(Map::Page(_)) => "page",
                        Some(Map::Places(_)) => "places",
                        _ => "map",
                    }
                );
            }
            ViewMode::Drift => return "State, drift".into(),
            ViewMode::Form => return "State, form of states".into(),
            ViewMode::Belief => return self.belief_title(),
            _ => {}
        }
        match self.changed {
            0 => "State".into(),
            n => format!("State, {}", words::count(n, "change")),
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let mut intents = Vec::new();
        match &view.situation {
            Some(now) if self.situation.as_ref().is_none_or(|s| !Arc::ptr_eq(s, now)) => {
                self.load(view, now);
                intents.extend(self.leave_edit());
            }
            Some(_) => {}
            None => {
                let (chosen, side) = (self.chosen, self.side);
                *self = StatePane { chosen, side, ..StatePane::default() };
            }
        }
        intents.extend(self.judge_form(view));
        intents
    }

    fn wants(&mut self, view: &View, theme: &Theme, width: u16) -> Wants {
        let Some(situation) = self.situation.as_ref().filter(|_| self.raw.is_none()) else { return Wants::ANY };
        // A heading and the values, all open.
        let values = |side| 1 + value_of(situation, side).map_or(0, tree::rows_open);
        let picture = usize::from(self.height(&theme.glyphs, width, u16::MAX).unwrap_or(0));
        let least = match self.plan() {
            Some(Map::Places(plan)) => places::least(plan, &theme.glyphs, width.into()),
            _ => picture,
        };
        match self.shown() {
            ViewMode::Map => {
                let side = if situation.belief.is_some() { Side::Belief } else { Side::Variables };
                let closed = value_of(situation, side).map_or(0, tree::len);
                // A plan is drawn in its share, and not smaller for the values' sake.
                let is_plan = matches!(self.plan(), Some(Map::FloorPlan(_) | Map::Rooms(_)));
                let needs = Some(rows_of(least + 2 + closed)).filter(|_| !is_plan);
                Wants { needs, uses: rows_of(picture + 1 + values(side)) }
            }
            ViewMode::Variables => Wants::up_to(values(Side::Variables)),
            ViewMode::Truth => Wants::up_to(values(Side::Truth)),
            ViewMode::Belief => {
                let picture = if self.believed().is_some() { picture } else { 0 };
                let sides = if self.sides(ViewMode::Belief).len() > 1 && width < BESIDE { 2 } else { 1 };
                let rows = 1 + self.belief.tree.rows().len().max(self.true_belief.tree.rows().len());
                Wants::up_to(picture + sides * rows + usize::from(view.offer().is_some()))
            }
            ViewMode::Drift | ViewMode::Both | ViewMode::Form => Wants::ANY,
        }
    }

    /// Of places, what the world says first is where they are.
    fn shows_answer(&mut self, view: &View, inside: Size) -> bool {
        let is_first = view.node().is_some_and(|node| node.action.is_none());
        let is_shown = self.shown() == ViewMode::Map && self.raw.is_none();
        match self.plan().filter(|_| is_first && is_shown) {
            Some(Map::Places(plan)) => places::is_whole(plan, inside.width.into(), inside.height.into()),
            _ => false,
        }
    }

    fn outline(&self) -> &Outline {
        self.raw.as_ref().map_or(&self.split_ref().outline, |raw| &raw.outline)
    }

    fn outline_mut(&mut self) -> &mut Outline {
        match (&mut self.raw, self.side) {
            (Some(raw), _) => &mut raw.outline,
            (None, Side::Variables) => &mut self.variables.outline,
            (None, Side::Truth) => &mut self.truth.outline,
            (None, Side::Belief) => &mut self.belief.outline,
            (None, Side::TrueBelief) => &mut self.true_belief.outline,
        }
    }

    fn len(&self, _view: &View) -> usize {
        if let Some(raw) = &self.raw {
            return raw.lines().len();
        }
        self.split_ref().tree.rows().len()
    }

    fn row_text(&self, row: usize, _view: &View) -> String {
        if let Some(raw) = &self.raw {
            return raw.lines().get(row).cloned().unwrap_or_default();
        }
        self.split_ref().tree.rows().get(row).map(|r| format!("{}: {}", r.key, r.text)).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        if self.situation.is_none() {
            return painter.empty(
                area,
                "No state yet. Begin an episode or open a session; the state at each step is shown here.",
            );
        }
        if let Some(raw) = &mut self.raw {
            return raw.draw(painter, area);
        }
        let area = self.draw_values_below(painter, area);
        let map = self.situation.as_ref().and_then(|s| s.map.as_ref());
        match (self.shown(), map) {
            (ViewMode::Map, Some(Map::Stacks(truth))) if self.believed().is_some() => {
                let believed = self.believed();
                return believed.map(|believed| stacks::draw_both(believed, truth, painter, area)).unwrap_or_default();
            }
            (ViewMode::Map, Some(map)) => return draw_picture(map, &mut self.page, painter, area),
            (ViewMode::Drift, _) => return self.draw_drift(view, painter, area),
            (ViewMode::Form, _) => return self.draw_form(view, painter, area),
            _ => {}
        }
        let area = self.split().outline.find.draw(painter, area);
        let truth = if self.is_request { "the request" } else { "the world's truth: hidden from the agent" };
        let Some(situation) = self.situation.clone() else { return };
        // The heading takes one row.
        let rows = |area: Rect| usize::from(area.height.saturating_sub(1));
        match self.shown() {
            ViewMode::Belief => self.draw_belief(view, painter, area),
            ViewMode::Truth => {
                self.truth.fit(&situation.truth, rows(area));
                self.truth.draw(painter, area, true, truth, None);
            }
            ViewMode::Both => {
                let (one, two) = if area.width >= BESIDE {
                    split_left(area, area.width / 2)
                } else {
                    split_top(area, area.height / 2)
                };
                self.variables.fit(&situation.variables, rows(one));
                self.truth.fit(&situation.truth, rows(two));
                let on_variables = self.side == Side::Variables;
                self.variables.draw(painter, one, on_variables, VARIABLES, None);
                self.truth.draw(painter, two, !on_variables, truth, None);
            }
            _ => {
                self.variables.fit(&situation.variables, rows(area));
                self.variables.draw(painter, area, true, VARIABLES, None);
            }
        }
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.situation.is_none() {
            return Vec::new();
        }
        let mut actions = self.belief_actions(view);
        actions.push((PaneAction::Cycle, self.next_view()));
        if self.is_picture() {
            if self.shown() == ViewMode::Form {
                actions.splice(0..0, self.form_actions(view));
            }
            if self.shown() == ViewMode::Form || self.shown() == ViewMode::Map && self.scrolls() {
                actions.extend(SCROLLING);
            }
            return actions;
        }
        if self.raw.is_some() {
            let mut actions = vec![
                (PaneAction::RawJson, "show as tree"),
                (PaneAction::Back, "show as tree"),
                (PaneAction::Copy, "copy JSON"),
            ];
            actions.extend(BROWSING);
            return actions;
        }
        if self.split_ref().row().is_some_and(|r| r.fold.is_some()) {
            actions.push((PaneAction::ToggleFold, "open/close"));
        }
        actions.extend([
            (PaneAction::Copy, "copy path and value"),
            (PaneAction::UnfoldAll, "open all"),
            (PaneAction::FoldAll, "close all"),
            (PaneAction::RawJson, "raw JSON"),
            (PaneAction::CopyPath, "copy JSON path"),
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
            PaneAction::Cycle => {
                self.cycle();
                return self.judge_form(view);
            }
            _ if self.shown() == ViewMode::Form
                && self.form_actions(view).iter().any(|(known, _)| *known == action) =>
            {
                return self.act_on_form(action, view);
            }
            PaneAction::EditWhole if self.shown() == ViewMode::Belief => return vec![Intent::EditBelief],
            _ if self.is_picture() && SCROLLING.iter().any(|(known, _)| *known == action) => {
                let down = matches!(action, PaneAction::Down | PaneAction::PageDown);
                match action {
                    PaneAction::Top | PaneAction::Bottom => drop(self.page.list.act(action, self.page.len)),
                    _ => self.page.wheel(down),
                }
            }
            _ if self.is_picture() => {}
            PaneAction::RawJson => self.toggle_raw(),
            PaneAction::Back if self.raw.is_some() => self.raw = None,
            PaneAction::Copy if self.raw.is_some() => {
                return self.raw.iter().map(|raw| Intent::Copy(raw.lines().join("\n"))).collect();
            }
            _ if self.raw.is_some() => return self.browse(action, view),
            PaneAction::UnfoldAll => self.with_value(|split, value| split.unfold(true, value)),
            PaneAction::FoldAll => self.with_value(|split, value| split.unfold(false, value)),
            PaneAction::CopyPath => return self.json_path().map(Intent::Copy).into_iter().collect(),
            PaneAction::Edit => self.edit_value(view),
            PaneAction::Activate if self.edits_on_enter(view) => self.edit_value(view),
            PaneAction::ToggleFold | PaneAction::Activate => self.with_value(|split, value| split.fold(None, value)),
            PaneAction::Left => self.with_value(|split, value| split.fold(Some(false), value)),
            PaneAction::Right => self.with_value(|split, value| split.fold(Some(true), value)),
            PaneAction::NextMatch | PaneAction::PreviousMatch => {
                self.with_value(|split, value| split.seek(value, action == PaneAction::NextMatch));
            }
            PaneAction::Copy => return self.copy().into_iter().collect(),
            _ => return self.browse(action, view),
        }
        Vec::new()
    }

    fn missing(&self, action: PaneAction, view: &View) -> Option<String> {
        let (key, shown) = (view.key(PaneAction::Cycle), self.shown());
        match action {
            PaneAction::Distil if shown != ViewMode::Form => {
                Some(format!("a form of states is asked for in its view ({key})"))
            }
            PaneAction::EditWhole if view.session.is_some() && !matches!(shown, ViewMode::Belief | ViewMode::Form) => {
                let what = if self.views().contains(&ViewMode::Belief) { "a belief" } else { "a form of states" };
                Some(format!("{what} is edited as a text in its view ({key})"))
            }
            _ => None,
        }
    }

    fn documents(&self, _view: &View) -> Vec<ArtifactId> {
        match self.shown() {
            ViewMode::Belief => vec![ArtifactId::BELIEF],
            ViewMode::Form => vec![ArtifactId::FORM],
            _ => Vec::new(),
        }
    }

    fn is_editing(&self) -> bool {
        self.edit.is_some()
    }

    fn edit(&mut self, input: Input<'_>, _view: &View) -> Vec<Intent> {
        let (Some(mut edit), Some(situation)) = (self.edit.take(), self.situation.clone()) else { return Vec::new() };
        let Some(belief) = value_of(&situation, Side::Belief) else { return Vec::new() };
        let (keep, intents) = edit.input(input, belief);
        self.edit = keep.then_some(edit);
        intents
    }

    fn input(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        if self.is_editing() {
            return self.edit(input, view);
        }
        let intents = self.with_rows(view, &mut |outline, rows| outline.input(input, rows));
        self.deepen();
        intents
    }

    fn mouse(&mut self, event: MouseEvent, _view: &View) -> Vec<Intent> {
        if self.is_picture() {
            self.page.mouse(event);
            return Vec::new();
        }
        if self.edit.is_some() {
            return Vec::new();
        }
        if let Some(raw) = &mut self.raw {
            let len = raw.lines().len();
            raw.outline.mouse(event, len);
            return Vec::new();
        }
        let at = (event.column, event.row).into();
        for side in self.sides(self.shown()) {
            let before = std::mem::replace(&mut self.side, *side);
            if self.split_ref().outline.body.contains(at) && !self.captures_text() {
                break;
            }
            self.side = before;
        }
        let len = self.split_ref().tree.rows().len();
        let before = self.split_ref().outline.list.cursor();
        // A second click on the row opens or closes it.
        if self.split().outline.mouse(event, len) == Mouse::Clicked(before) {
            self.with_value(|split, value| split.fold(None, value));
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_request_is_called_so_and_is_no_view_where_nothing_is_asked() {
        let mut pane = StatePane::default();
        for (truth, next) in [(json!({"model": "m"}), "show the request"), (Value::Null, "show the form")] {
            pane.load(&View::default(), &Arc::new(Situation { truth, ..Situation::default() }));
            pane.is_request = true;
            assert_eq!(pane.next_view(), next);
        }
    }

    #[test]
    fn what_is_found_in_a_closed_fold_is_no_miss() {
        let (view, mut pane) = (View::default(), StatePane::default());
        let variables =
            json!({"agent": {"at": "desk 1"}, "far": {"a": {"b": {"mug 2": 1}}}, "near": {"a": {"b": {"mug 3": 1}}}});
        pane.load(&view, &Arc::new(Situation { variables, ..Situation::default() }));
        pane.with_value(|split, value| split.unfold(false, value));
        let key = |pane: &StatePane| pane.split_ref().row().map(|row| row.key.clone()).unwrap_or_default();
        let search = |pane: &mut StatePane, text: &str| {
            pane.act(PaneAction::Search, &view);
            pane.input(Input::Paste(text), &view);
            pane.input(Input::Key(crossterm::event::KeyCode::Enter.into()), &view);
            (key(pane), pane.outline().find.missed())
        };
        assert_eq!(search(&mut pane, "mug"), ("mug 2".to_owned(), false));
        pane.act(PaneAction::NextMatch, &view);
        assert_eq!((key(&pane), pane.outline().find.missed()), ("mug 3".to_owned(), false));
        assert!(search(&mut pane, "zebra").1);
        pane.act(PaneAction::NextMatch, &view);
        assert!(pane.outline().find.missed());
    }
}
