//! Strip of decisions: the marks of all decisions of a branch in a row, the one that is looked at in brackets. It stands below the title
//! and in the presenter's view; a click on a mark goes there.

use ratatui::layout::{Position, Rect};
use stepwright_episode::{NodeId, Session};

use super::theme::{Role, Theme};
use super::widgets::draw::{Row, run};
use super::widgets::words;

/// Columns of a decision.
const CELL: usize = 3;
/// Columns before the first one, for the sign that there are earlier ones; as many are kept behind the last.
const MARGIN: usize = 2;

/// A decision: from which node, and where it led; neither at the reset, no result where nothing is decided yet.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Slide {
    pub from: Option<NodeId>,
    pub to: Option<NodeId>,
}

impl Slide {
    /// Where it was decided; the reset itself at the beginning.
    pub fn node(&self) -> Option<NodeId> {
        self.from.or(self.to)
    }
}

/// The decisions of a line of nodes that ends at `tip`.
pub fn slides(session: &Session, tip: NodeId) -> Vec<Slide> {
    let path = session.path(tip);
    let mut out: Vec<Slide> = Vec::with_capacity(path.len() + 1);
    let mut from = None;
    for node in &path {
        out.push(Slide { from, to: Some(node.id) });
        from = Some(node.id);
    }
    if path.last().is_some_and(|n| !n.outcome.done) {
        out.push(Slide { from, to: None });
    }
    out
}

/// How many decisions the branch has whose nodes these are, root first, and which of them led to where the session is.
pub fn on_branch(session: &Session, nodes: &[NodeId]) -> (usize, usize) {
    let is_open = nodes.last().and_then(|tip| session.node(*tip)).is_some_and(|tip| !tip.outcome.done);
    (nodes.len() + usize::from(is_open), session.current().map_or(0, |here| here.depth as usize))
}

/// A decision of that branch.
pub fn nth(nodes: &[NodeId], index: usize) -> Option<Slide> {
    let slide =
        Slide { from: index.checked_sub(1).and_then(|at| nodes.get(at)).copied(), to: nodes.get(index).copied() };
    slide.node().map(|_| slide)
}

/// Which of so many are shown in so many columns around one: the first, and how many at most.
fn window(len: usize, at: usize, columns: usize) -> (usize, usize) {
    let room = (columns.saturating_sub(2 * MARGIN) / CELL).max(1);
    (at.saturating_sub(room / 2).min(len.saturating_sub(room)), room)
}

/// The marks, as many as fit around the one at `at`; `nth` is asked for those alone.
pub fn row(
    session: &Session,
    (len, at): (usize, usize),
    nth: impl Fn(usize) -> Option<Slide>,
    theme: &Theme,
    columns: usize,
) -> Row {
    let (first, room) = window(len, at, columns);
    let ellipsis = theme.glyphs.ellipsis;
    let mut row = vec![run(Role::Dim, if first > 0 { format!("{ellipsis} ") } else { "  ".to_owned() })];
    for (index, slide) in (first..len.min(first + room)).filter_map(|index| Some((index, nth(index)?))) {
        let (glyph, role) = match (slide.from, slide.to.and_then(|to| session.node(to))) {
            (None, _) => (theme.glyphs.dot, Role::Dim),
            (_, Some(node)) => words::mark(&theme.glyphs, session.mark_at(node)),
            (_, None) => (theme.glyphs.here, Role::Dim),
        };
        if index == at {
            row.extend([run(Role::Accent, "["), run(role, glyph), run(Role::Accent, "]")]);
        } else {
            row.push(run(role, format!(" {glyph} ")));
        }
    }
    if first + room < len {
        row.push(run(Role::Dim, format!(" {ellipsis}")));
    }
    row
}

/// Which decision is at a place of a strip that was drawn in an area.
pub fn at_place(len: usize, at: usize, area: Rect, place: Position) -> Option<usize> {
    let column = usize::from(place.x.checked_sub(area.x)?).checked_sub(MARGIN).filter(|_| area.contains(place))?;
    let (first, room) = window(len, at, usize::from(area.width));
    let cell = Some(column / CELL).filter(|cell| *cell < room)?;
    Some(first + cell).filter(|index| *index < len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_mark_in_sight_is_found_where_it_is_drawn() {
        let area = Rect { x: 1, y: 4, width: 40, height: 1 };
        for len in [1, 5, 12, 13, 300] {
            for at in [0, len / 2, len - 1] {
                let places = (area.x..area.right()).map(|x| at_place(len, at, area, Position { x, y: 4 }));
                let mut found: Vec<usize> = places.flatten().collect();
                assert!(found.contains(&at), "{at} of {len}");
                assert!(found.is_sorted());
                found.dedup();
                assert_eq!(found.len(), len.min(12), "{at} of {len}");
            }
        }
        assert_eq!(at_place(5, 0, area, Position { x: 5, y: 5 }), None);
        assert_eq!(at_place(5, 0, area, Position { x: 30, y: 4 }), None);
    }
}
