//! Rooms: draws a place as a box for each, with the exits and what is worth saying of the things in it; the agent's room is
//! marked with a sign and not by colour alone.

use ratatui::layout::Rect;
use unicode_width::UnicodeWidthStr;

use super::super::draw::{Painter, Row, run};
use super::super::words;
use crate::tui::sanitize::{fit, line};
use crate::tui::theme::{Glyphs, Role};
use crate::world::map::{Room, Rooms};

/// The narrowest box, borders included.
const NARROWEST: usize = 28;
/// The fewest lines of a box, borders included.
const LOWEST: usize = 5;

/// Draws the captions and the rooms under them.
pub fn draw(plan: &Rooms, painter: &mut Painter<'_>, area: Rect) {
    let glyphs = &painter.theme.glyphs;
    let width = usize::from(area.width);
    let mut rows: Vec<Row> = Vec::new();
    for caption in &plan.captions {
        rows.extend(words::labelled("", Role::Text, caption, width));
    }
    let columns = (width / NARROWEST).clamp(1, plan.rooms.len().max(1));
    let shelves = plan.rooms.len().div_ceil(columns).max(1);
    let left = usize::from(area.height).saturating_sub(rows.len());
    let wide = (width / columns).max(4);
    let mut order: Vec<&[Room]> = plan.rooms.chunks(columns).collect();
    let own = order.iter().position(|shelf| shelf.iter().any(|room| room.here));
    let needed = |shelf: &[Room]| 2 + shelf.iter().map(|r| r.exits.len() + r.things.len()).max().unwrap_or(0);
    // Where not everything fits, the agent's room comes first and gets what it needs, as far as another still has its least.
    let crowded = order.iter().map(|shelf| needed(shelf)).sum::<usize>() > left;
    let first = match own.filter(|_| crowded) {
        Some(at) => {
            order[..=at].rotate_right(1);
            needed(order[0]).min(left.saturating_sub(LOWEST)).max(left / shelves)
        }
        None => left / shelves,
    };
    let rest = left.saturating_sub(first) / (shelves - 1).max(1);
    for (at, shelf) in order.into_iter().enumerate() {
        let most = (if at == 0 { first } else { rest }).max(LOWEST);
        let boxes: Vec<Vec<(Role, String)>> = shelf.iter().map(|room| lines(room, wide, most, glyphs)).collect();
        let highest = boxes.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..highest {
            let blank = || (Role::Text, " ".repeat(wide));
            let cells = boxes.iter().map(|lines| lines.get(at).cloned().unwrap_or_else(blank));
            rows.push(cells.map(|(role, text)| run(role, text)).collect());
        }
    }
    let height = usize::from(area.height);
    if rows.len() > height {
        rows.truncate(height.saturating_sub(1));
        rows.push(vec![run(Role::Dim, "more rooms than fit here")]);
    }
    painter.rows(area, &rows);
}

/// The lines of a room's box, each as wide as the box.
fn lines(room: &Room, wide: usize, most: usize, glyphs: &Glyphs) -> Vec<(Role, String)> {
    let inner = wide.saturating_sub(4);
    let ascii = glyphs.full.is_ascii();
    let cut = |text: &str, most: usize| fit(&line(text), most, glyphs.ellipsis).into_owned();
    let (side, dash) = if ascii { ("|", "-") } else { ("│", "─") };
    let corners = if ascii { ["+", "+", "+", "+"] } else { ["┌", "┐", "└", "┘"] };
    let [left, right, low_left, low_right] = corners;
    let border = if room.here { Role::Accent } else { Role::Dim };
    let title = if room.here { format!("@ {}", room.name) } else { room.name.clone() };
    let title = cut(&title, inner);
    let rest = wide.saturating_sub(4 + title.width());
    let mut lines = vec![(border, format!("{left}{dash}{title}{}{right} ", dash.repeat(rest)))];
    let exits = room.exits.iter().map(|exit| {
        let shut = if exit.open { "" } else { " (closed)" };
        (Role::Dim, format!("> {}{shut}", exit.to))
    });
    let things =
        room.things.iter().map(|thing| (if thing.starts_with("* ") { Role::Title } else { Role::Text }, thing.clone()));
    let mut inside: Vec<(Role, String)> = exits.chain(things).collect();
    let fits = most.saturating_sub(2).max(1);
    if inside.len() > fits {
        let more = inside.len() - (fits - 1);
        inside.truncate(fits - 1);
        inside.push((Role::Dim, format!("and {more} more")));
    }
    for (role, text) in inside {
        let text = cut(&text, inner);
        let pad = " ".repeat(inner.saturating_sub(text.width()));
        lines.push((role, format!("{side}{text}{pad} {side} ")));
    }
    lines.push((border, format!("{low_left}{}{low_right} ", dash.repeat(wide.saturating_sub(3)))));
    lines
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tui::theme::{ASCII, UNICODE};
    use crate::world::map::Exit;

    #[test]
    fn a_box_is_as_wide_as_asked_and_says_what_it_leaves_out() {
        let room = Room {
            name: "kitchen_1".into(),
            here: true,
            exits: vec![Exit { to: "living_room_1".into(), open: false }],
            things: (0..9).map(|n| format!("cupboard_{n} (open, dirty, and more than fits on a line)")).collect(),
        };
        for glyphs in [&ASCII, &UNICODE] {
            let drawn = lines(&room, 30, 6, glyphs);
            assert_eq!(drawn.len(), 6);
            assert!(drawn.iter().all(|(_, line)| line.width() == 30), "{drawn:?}");
            assert!(drawn[0].1.contains("@ kitchen_1") && drawn[1].1.contains("living_room_1 (closed)"));
            assert!(drawn[4].1.contains("and 7 more"), "{drawn:?}");
        }
    }
}
