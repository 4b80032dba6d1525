//! Layout for any size: bars, columns of slots, and which pane each slot shows.
//!
//! A slot is a bordered place shared by one or more panes, one of them shown. Small screens have one slot for all panes, wide ones two
//! columns, large ones three. What is in them is a preset: for stepping (Program, Proposals, Preconditions, State and Blocking at once,
//! from 100x28 on, divided as the world has it), for editing assertions, for reviews. Until a person sizes slots, one takes no more rows
//! than its pane has something for, one that has nothing is a line, and what is left goes to those that unfold what they folded, and to
//! slots without a share, which else are a line. Pure geometry: drawing is left to `chrome` and the panes.

use ratatui::layout::{Constraint, Layout as Division, Position, Rect};

use super::pane::{PANES, PaneId, Wants};
use stepwright_world::Sight;

/// Below this many columns or rows only a message is shown.
pub(crate) const MINIMUM: (u16, u16) = (40, 10);
/// From this size on there are two columns.
const MEDIUM: (u16, u16) = (100, 28);
/// From this size on there are three columns.
const LARGE: (u16, u16) = (160, 40);
/// From this many rows on there is a strip of decisions.
const STRIP: u16 = 20;
/// Narrowest column and lowest slot that resizing leaves.
const LEAST: (u16, u16) = (20, 5);
/// Share of a column or slot moved by one press, in thousandths.
const STEP: i32 = 40;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    Small,
    Medium,
    Large,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Slot {
    panes: Vec<PaneId>,
    shown: PaneId,
    share: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    slots: Vec<Slot>,
    share: i32,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Placed {
    pub pane: PaneId,
    pub tabs: Vec<PaneId>,
    pub area: Rect,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(crate) struct Geometry {
    pub title: Rect,
    /// The decisions of the branch; empty on low screens.
    pub strip: Rect,
    /// The tab bar; empty unless one slot has all panes.
    pub tabs: Rect,
    pub slots: Vec<Placed>,
    /// The world's answer; empty where a pane shows it whole.
    pub answer: Rect,
    /// The chosen proposal in brief; empty where the proposals are shown anyway.
    pub gate: Rect,
    pub message: Rect,
    pub footer: Rect,
}

/// A border between two columns, or two slots of one, that can be dragged.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Handle {
    /// Between column `left` and the next.
    Column { left: usize },
    /// In a column, between slot `above` and the next.
    Row { column: usize, above: usize },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Resize {
    Wider,
    Narrower,
    Taller,
    Shorter,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, strum::EnumString, strum::IntoStaticStr)]
#[strum(serialize_all = "kebab-case")]
pub(crate) enum Preset {
    #[default]
    Stepping,
    Assertions,
    Review,
}

impl Preset {
    /// The pane that it is about: it has the keys at first.
    pub fn first(self) -> PaneId {
        match self {
            Preset::Stepping => PaneId::Proposals,
            Preset::Assertions => PaneId::Preconditions,
            Preset::Review => PaneId::Program,
        }
    }
}

#[derive(Debug, Clone)]
pub struct Layout {
    pub preset: Preset,
    pub sight: Sight,
    arrangements: [Vec<Column>; 3],
    /// Whether the focused pane has the whole body.
    pub zoomed: bool,
    /// Rows that are kept for the world's answer, and so many as it has something for, where they are left over.
    pub answer: (u16, u16),
    /// Rows that each pane has something for, in the order of [`PANES`].
    pub wants: [Wants; PANES.len()],
    /// Whether a person sized slots: then theirs are the sizes.
    sized: bool,
    /// Rows that are kept for the strip of decisions.
    pub strip: u16,
}

impl Default for Layout {
    fn default() -> Self {
        Layout::of(Preset::default(), Sight::default())
    }
}

fn slot(panes: &[PaneId], share: i32) -> Slot {
    Slot { panes: panes.to_vec(), shown: panes.first().copied().unwrap_or(PaneId::Program), share }
}

fn column(share: i32, slots: impl Into<Vec<Slot>>) -> Column {
    Column { slots: slots.into(), share }
}

/// Two columns, then three, of a preset. Every pane is in one slot of each.
fn columns(preset: Preset, sight: Sight) -> [Vec<Column>; 2] {
    use PaneId::{Blocking, Log, Model, Observations, Preconditions, Program, Proposals, Skills, State};
    let chosen = || [slot(&[Proposals], 560), slot(&[Preconditions, Skills], 440), slot(&[Model], 0)];
    let programmed = |[proposals, state, blocking]: [i32; 3]| {
        vec![
            column(500, [slot(&[Program, Observations, Log], 530), slot(&[Preconditions, Skills, Model], 470)]),
            column(500, [slot(&[Proposals], proposals), slot(&[State], state), slot(&[Blocking], blocking)]),
        ]
    };
    let seen =
        |state| [slot(&[State], state), slot(&[Blocking], 750 - state), slot(&[Observations], 250), slot(&[Log], 0)];
    match preset {
        Preset::Stepping if sight == Sight::Talk => [
            vec![
                column(500, [slot(&[Observations, Program, Log], 560), slot(&[Preconditions, Skills, Model], 440)]),
                column(500, [slot(&[Proposals], 500), slot(&[State], 300), slot(&[Blocking], 200)]),
            ],
            vec![
                column(340, [slot(&[Observations], 560), slot(&[Program], 440)]),
                column(360, chosen()),
                column(300, [slot(&[State], 640), slot(&[Blocking], 360), slot(&[Log], 0)]),
            ],
        ],
        Preset::Stepping if matches!(sight, Sight::Picture | Sight::Plan | Sight::Places) => [
            match sight {
                Sight::Places => vec![
                    column(
                        500,
                        [slot(&[Program, Observations, Log], 350), slot(&[State], 430), slot(&[Blocking], 220)],
                    ),
                    column(500, [slot(&[Proposals], 530), slot(&[Preconditions, Skills, Model], 470)]),
                ],
                Sight::Plan => programmed([500, 300, 200]),
                _ => programmed([390, 380, 230]),
            },
            vec![column(320, [slot(&[Program], 1000)]), column(330, chosen()), column(350, seen(500))],
        ],
        Preset::Stepping => [
            programmed([460, 270, 270]),
            vec![column(340, [slot(&[Program], 1000)]), column(360, chosen()), column(300, seen(400))],
        ],
        Preset::Assertions => [
            vec![
                column(580, [slot(&[Preconditions, Skills], 700), slot(&[Program, Observations, Log], 300)]),
                column(420, [slot(&[Proposals, Model], 540), slot(&[State, Blocking], 460)]),
            ],
            vec![
                column(460, [slot(&[Preconditions, Skills], 720), slot(&[Proposals, Model], 280)]),
                column(280, [slot(&[Program], 600), slot(&[Observations, Log], 400)]),
                column(260, [slot(&[State], 560), slot(&[Blocking], 440)]),
            ],
        ],
        Preset::Review => [
            vec![
                column(560, [slot(&[Proposals, Preconditions, Skills, Model], 560), slot(&[Observations, Log], 440)]),
                column(440, [slot(&[Program], 500), slot(&[State, Blocking], 500)]),
            ],
            vec![
                column(400, [slot(&[Proposals, Model], 520), slot(&[Observations, Log], 480)]),
                column(320, [slot(&[Program], 640), slot(&[Preconditions, Skills], 360)]),
                column(280, [slot(&[State], 560), slot(&[Blocking], 440)]),
            ],
        ],
    }
}

impl Layout {
    pub fn of(preset: Preset, sight: Sight) -> Self {
        let mut all = slot(PANES, 1000);
        all.shown = PaneId::Proposals;
        let [medium, large] = columns(preset, sight);
        let arrangements = [vec![column(1000, [all])], medium, large];
        Layout {
            preset,
            sight,
            arrangements,
            zoomed: false,
            answer: (0, 0),
            strip: 0,
            wants: [Wants::ANY; PANES.len()],
            sized: false,
        }
    }

    /// Rows of a slot, borders included, that its pane has something for; what has the keys is never a line.
    fn wanted(&self, slot: &Slot, focus: PaneId) -> Wants {
        let at = PANES.iter().position(|known| *known == slot.shown);
        let Some(rows) = at.and_then(|at| self.wants.get(at)).filter(|_| !self.sized) else { return Wants::ANY };
        let framed = |rows: u16| rows.saturating_add(2).max(LEAST.1);
        let is_line = slot.shown != focus && (rows.needs == Some(0) || slot.share == 0);
        let needs = if is_line { Some(1) } else { rows.needs.map(framed) };
        Wants { needs, uses: if rows.uses == 0 { 1 } else { framed(rows.uses) } }
    }
}

pub fn class(area: Rect) -> Option<Class> {
    let at_least = |(w, h): (u16, u16)| area.width >= w && area.height >= h;
    match () {
        () if at_least(LARGE) => Some(Class::Large),
        () if at_least(MEDIUM) => Some(Class::Medium),
        () if at_least(MINIMUM) => Some(Class::Small),
        () => None,
    }
}

impl Layout {
    /// Brings a pane to the front of its slot, in every arrangement.
    pub fn show(&mut self, pane: PaneId) {
        for slot in self.arrangements.iter_mut().flatten().flat_map(|c| &mut c.slots) {
            if slot.panes.contains(&pane) {
                slot.shown = pane;
            }
        }
    }

    /// Where everything goes on a screen of this size; `None` when it is too small.
    pub fn geometry(&self, area: Rect, focus: PaneId) -> Option<Geometry> {
        let class = class(area)?;
        let columns = &self.arrangements[class as usize];
        let one = class == Class::Small || self.zoomed;
        let shows = |pane| {
            if one { focus == pane } else { columns.iter().flat_map(|c| &c.slots).any(|s| s.shown == pane) }
        };
        let [answer, whole] = [self.answer.0, self.answer.1].map(|rows| rows.min(area.height / 6));
        let strip = if area.height >= STRIP { self.strip } else { 0 };
        let gate = u16::from(!shows(PaneId::Proposals));
        // What all columns leave over is the answer's, as far as it is cut.
        let takes = |column: &Column| {
            let wanted = column.slots.iter().map(|slot| self.wanted(slot, focus));
            wanted.fold(0u16, |sum, wanted| sum.saturating_add(wanted.needs.unwrap_or(wanted.uses)))
        };
        let most = columns.iter().map(takes).max().filter(|_| !one).unwrap_or(u16::MAX);
        let bars = 3 + strip + answer + gate;
        let answer = whole.min(answer + area.height.saturating_sub(bars.saturating_add(most))).max(answer);
        let rows = [1, strip, u16::from(one)].map(Constraint::Length).into_iter();
        let rows = rows.chain([Constraint::Fill(1)]).chain([answer, gate, 1, 1].map(Constraint::Length));
        let [title, strip, tabs, rest, answer, gate, message, footer] = Division::vertical(rows).areas(area);
        let slots = if one {
            vec![Placed { pane: focus, tabs: vec![focus], area: rest }]
        } else {
            let shares: Vec<i32> = columns.iter().map(|c| c.share).collect();
            let spans = split(rest.x, rest.width, &shares, LEAST.0);
            columns
                .iter()
                .zip(spans)
                .flat_map(|(column, (x, width))| {
                    place(column, Rect { x, width, ..rest }, |slot| self.wanted(slot, focus))
                })
                .collect()
        };
        Some(Geometry { title, strip, tabs, slots, answer, gate, message, footer })
    }

    pub(crate) fn handle_at(&self, area: Rect, focus: PaneId, at: Position) -> Option<Handle> {
        let class = class(area).filter(|_| !self.zoomed)?;
        let geometry = self.geometry(area, focus)?;
        let mut slots = geometry.slots.iter();
        let columns = &self.arrangements[class as usize];
        for (c, column) in columns.iter().enumerate() {
            for r in 0..column.slots.len() {
                let slot = slots.next()?.area;
                if !slot.contains(at) {
                    continue;
                }
                if at.x + 1 == slot.right() && c + 1 < columns.len() {
                    return Some(Handle::Column { left: c });
                }
                if at.x == slot.x && c > 0 {
                    return Some(Handle::Column { left: c - 1 });
                }
                // The upper border holds titles and tabs; only the lower one is for dragging.
                if at.y + 1 == slot.bottom() && r + 1 < column.slots.len() {
                    return Some(Handle::Row { column: c, above: r });
                }
            }
        }
        None
    }

    pub(crate) fn drag(&mut self, area: Rect, focus: PaneId, handle: Handle, to: Position) {
        self.sized |= matches!(handle, Handle::Row { .. });
        let (Some(class), Some(geometry)) = (class(area), self.geometry(area, focus)) else { return };
        let body =
            geometry.slots.iter().fold(Rect::default(), |b, s| if b.is_empty() { s.area } else { b.union(s.area) });
        let columns = &mut self.arrangements[class as usize];
        match handle {
            Handle::Column { left } => {
                let at = share_of(to.x.saturating_sub(body.x), body.width);
                let before: i32 = columns.iter().take(left).map(|c| c.share).sum();
                let Ok([a, b]) = columns.get_disjoint_mut([left, left + 1]) else { return };
                move_border(&mut a.share, &mut b.share, at - before);
            }
            Handle::Row { column, above } => {
                let at = share_of(to.y.saturating_sub(body.y), body.height);
                let Some(column) = columns.get_mut(column) else { return };
                let before: i32 = column.slots.iter().take(above).map(|s| s.share).sum();
                let Ok([a, b]) = column.slots.get_disjoint_mut([above, above + 1]) else { return };
                move_border(&mut a.share, &mut b.share, at - before);
            }
        }
    }

    /// Makes the focused pane's column or slot larger or smaller; whether there was anything to resize.
    pub fn resize(&mut self, area: Rect, focus: PaneId, how: Resize) -> bool {
        let Some(class) = class(area).filter(|_| !self.zoomed) else { return false };
        let columns = &mut self.arrangements[class as usize];
        let Some(c) = columns.iter().position(|c| c.slots.iter().any(|s| s.panes.contains(&focus))) else {
            return false;
        };
        let step = if matches!(how, Resize::Wider | Resize::Taller) { STEP } else { -STEP };
        if matches!(how, Resize::Wider | Resize::Narrower) {
            return trade(columns, c, step, |c| &mut c.share);
        }
        self.sized = true;
        let Some(column) = columns.get_mut(c) else { return false };
        let Some(r) = column.slots.iter().position(|s| s.panes.contains(&focus)) else { return false };
        trade(&mut column.slots, r, step, |s| &mut s.share)
    }
}

/// Moves `step` from the next neighbour (the previous one for the last) to item `at`.
fn trade<T>(items: &mut [T], at: usize, step: i32, share: impl Fn(&mut T) -> &mut i32) -> bool {
    let last = at + 1 == items.len();
    let Some(first) = (if last { at.checked_sub(1) } else { Some(at) }) else { return false };
    let Ok([a, b]) = items.get_disjoint_mut([first, first + 1]) else { return false };
    let (a, b) = (share(a), share(b));
    let target = if last { *a - step } else { *a + step };
    move_border(a, b, target);
    true
}

/// The least share, in thousandths, that puts a border after `cells` of `length`.
fn share_of(cells: u16, length: u16) -> i32 {
    let length = i32::from(length.max(1));
    (i32::from(cells) * 1000 + length - 1) / length
}

/// Gives `a` the share `target`, within what both need, and `b` the rest.
fn move_border(a: &mut i32, b: &mut i32, target: i32) {
    let sum = *a + *b;
    let least = (sum / 8).max(1);
    *a = target.clamp(least, sum - least);
    *b = sum - *a;
}

fn place(column: &Column, area: Rect, wanted: impl Fn(&Slot) -> Wants) -> Vec<Placed> {
    let shares: Vec<i32> = column.slots.iter().map(|s| s.share).collect();
    let mut heights: Vec<u16> = split(area.y, area.height, &shares, LEAST.1).into_iter().map(|(_, h)| h).collect();
    fit(&mut heights, &column.slots.iter().map(wanted).collect::<Vec<_>>(), &shares);
    let mut y = area.y;
    let mut placed = Vec::with_capacity(heights.len());
    for (slot, height) in column.slots.iter().zip(heights) {
        placed.push(Placed { pane: slot.shown, tabs: slot.panes.clone(), area: Rect { y, height, ..area } });
        y = y.saturating_add(height);
    }
    placed
}

/// Takes the rows that some have nothing for, and gives them to those that need more, then to those that use more, the largest share
/// first, a line among them only where it gets a frame; the rest to the first.
fn fit(heights: &mut [u16], wanted: &[Wants], shares: &[i32]) {
    let mut spare = 0;
    for (height, wanted) in heights.iter_mut().zip(wanted) {
        let kept = wanted.needs.unwrap_or(wanted.uses).min(*height);
        spare += *height - kept;
        *height = kept;
    }
    for (height, wanted) in heights.iter_mut().zip(wanted) {
        let more = wanted.needs.unwrap_or(0).saturating_sub(*height).min(spare);
        spare -= more;
        *height += more;
    }
    let mut by_share: Vec<_> = heights.iter_mut().zip(wanted).zip(shares).collect();
    by_share.sort_by_key(|(_, share)| -**share);
    for ((height, wanted), _) in by_share {
        let more = wanted.uses.saturating_sub(*height).min(spare);
        if *height + more >= LEAST.1 {
            spare -= more;
            *height += more;
        }
    }
    if let Some(first) = heights.first_mut() {
        *first += spare;
    }
}

/// Divides a length by shares, each part at least `least` where there is room; starts and lengths.
fn split(start: u16, length: u16, shares: &[i32], least: u16) -> Vec<(u16, u16)> {
    let total: i32 = shares.iter().sum::<i32>().max(1);
    let mut out = Vec::with_capacity(shares.len());
    let (mut at, mut sum) = (start, 0);
    for (i, share) in shares.iter().enumerate() {
        sum += share;
        let after = (shares.len() - i - 1) as u16;
        let end = start + (i32::from(length) * sum / total).clamp(0, i32::from(length)) as u16;
        let latest = (start + length).saturating_sub(least.saturating_mul(after)).max(at);
        let end = if after == 0 { start + length } else { end.max(at.saturating_add(least)).min(latest) };
        out.push((at, end.saturating_sub(at)));
        at = end;
    }
    out
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn screen(width: u16, height: u16) -> Rect {
        Rect { x: 0, y: 0, width, height }
    }

    fn panes_shown(width: u16, height: u16) -> Vec<PaneId> {
        let geometry = Layout::default().geometry(screen(width, height), PaneId::Proposals).unwrap();
        geometry.slots.iter().map(|s| s.pane).collect()
    }

    #[test]
    fn the_main_panes_are_shown_together_where_there_are_columns() {
        for (width, height) in [(100, 28), (120, 40), (200, 60)] {
            let shown = panes_shown(width, height);
            for pane in [PaneId::Program, PaneId::Proposals, PaneId::Preconditions, PaneId::State, PaneId::Blocking] {
                assert!(shown.contains(&pane), "{pane:?} at {width}x{height}");
            }
        }
    }

    #[test]
    fn small_screens_show_one_pane_and_the_gate() {
        let geometry = Layout::default().geometry(screen(80, 24), PaneId::State).unwrap();
        assert_eq!(geometry.slots.len(), 1);
        assert_eq!((geometry.tabs.height, geometry.gate.height), (1, 1));
        assert!(Layout::default().geometry(screen(39, 24), PaneId::State).is_none());
    }

    #[test]
    fn every_pane_can_be_shown_at_every_size() {
        for preset in [Preset::Stepping, Preset::Assertions, Preset::Review] {
            for (width, height) in [(80, 24), (120, 40), (200, 60)] {
                for (&pane, sight) in
                    PANES.iter().flat_map(|p| [Sight::Program, Sight::Talk, Sight::Picture].map(|s| (p, s)))
                {
                    let mut layout = Layout::of(preset, sight);
                    layout.show(pane);
                    let geometry = layout.geometry(screen(width, height), pane).unwrap();
                    let slots = geometry.slots.iter().filter(|s| s.pane == pane);
                    assert_eq!(slots.count(), 1, "{pane:?} at {width}x{height} for {preset:?}");
                }
            }
        }
    }

    #[test]
    fn rows_go_where_something_is_shown_until_a_person_sizes_slots() {
        let area = screen(120, 40);
        let height = |layout: &Layout, pane, focus| {
            layout.geometry(area, focus).unwrap().slots.iter().find(|s| s.pane == pane).unwrap().area.height
        };
        let mut layout = Layout::default();
        let at = |pane| PANES.iter().position(|known| *known == pane).unwrap();
        layout.wants[at(PaneId::Blocking)] = Wants::NONE;
        layout.wants[at(PaneId::State)] = Wants::exactly(14);
        assert_eq!(height(&layout, PaneId::Blocking, PaneId::Proposals), 1);
        assert_eq!(height(&layout, PaneId::State, PaneId::Proposals), 16);
        assert_eq!(height(&layout, PaneId::Blocking, PaneId::Blocking), LEAST.1);
        assert!(layout.resize(area, PaneId::State, Resize::Taller));
        assert!(height(&layout, PaneId::Blocking, PaneId::Proposals) > 1);
    }

    #[test]
    fn keys_and_mouse_resize() {
        let area = screen(120, 40);
        let width = |layout: &Layout| layout.geometry(area, PaneId::Program).unwrap().slots[0].area.width;
        let mut layout = Layout::default();
        let before = width(&layout);
        assert!(layout.resize(area, PaneId::Program, Resize::Wider));
        assert!(width(&layout) > before);
        assert!(layout.resize(area, PaneId::State, Resize::Wider));
        assert_eq!(width(&layout), before);
        let border = Position::new(before - 1, 10);
        let handle = layout.handle_at(area, PaneId::Program, border).unwrap();
        layout.drag(area, PaneId::Program, handle, Position::new(40, 10));
        assert_eq!(width(&layout), 40);
    }

    proptest! {
        #[test]
        fn everything_lies_on_the_screen(
            width in 0u16..260, height in 0u16..90, pane in 0usize..8, answer in 0u16..4, more in 0u16..9, strip in 0u16..2, zoomed: bool,
            presses in prop::collection::vec(0u8..4, 0..60), wants in prop::array::uniform9((prop::option::of(0u16..60), 0u16..60))
        ) {
            let area = screen(width, height);
            let mut layout = Layout { zoomed, answer: (answer, answer + more), strip, wants: wants.map(|(needs, uses)| Wants { needs, uses }), ..Layout::default() };
            for press in presses {
                let how = [Resize::Wider, Resize::Narrower, Resize::Taller, Resize::Shorter][usize::from(press)];
                layout.resize(area, PANES[pane], how);
            }
            if let Some(geometry) = layout.geometry(area, PANES[pane]) {
                let mut cells = 0;
                let bars = [geometry.title, geometry.strip, geometry.tabs, geometry.answer, geometry.gate, geometry.message, geometry.footer];
                for rect in bars.into_iter().chain(geometry.slots.iter().map(|s| s.area)) {
                    prop_assert_eq!(rect.intersection(area).area(), rect.area());
                    cells += rect.area();
                }
                prop_assert_eq!(cells, area.area(), "no gap, no overlap");
            }
        }
    }
}
