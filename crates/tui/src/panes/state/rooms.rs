//! Rooms: draws a place as a box for each, with the exits and what is worth saying of the things in it; the agent's room is
//! marked with a sign and not by colour alone.

use ratatui::layout::Rect;

use crate::sanitize::{fit, line};
use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Painter, Row, run};
use crate::widgets::words;
use stepwright_text::Columns;
use stepwright_world::map::{Room, Rooms};

/// The narrowest box, borders included.
const NARROWEST: usize = 28;
/// The fewest lines of a box, borders included.
const LOWEST: usize = 5;

/// Rows in which nothing is left out.
pub fn height(plan: &Rooms, width: usize) -> usize {
    let captions = plan.captions.iter().map(|caption| words::labelled("", Role::Text, caption, width).len());
    captions.sum::<usize>() + plan.rooms.chunks(shelved(plan, width)).map(needed).sum::<usize>()
}

/// Rooms side by side.
fn shelved(plan: &Rooms, width: usize) -> usize {
    (width / NARROWEST).clamp(1, plan.rooms.len().max(1))
}

/// Rows of rooms side by side.
fn needed(shelf: &[Room]) -> usize {
    2 + shelf.iter().map(|r| r.exits.len() + r.things.len()).max().unwrap_or(0)
}

pub fn draw(plan: &Rooms, painter: &mut Painter<'_>, area: Rect) {
    let glyphs = &painter.theme.glyphs;
    let width = usize::from(area.width);
    let mut rows: Vec<Row> = Vec::new();
    for caption in &plan.captions {
        rows.extend(words::labelled("", Role::Text, caption, width));
    }
    let columns = shelved(plan, width);
    let left = usize::from(area.height).saturating_sub(rows.len());
    let wide = (width / columns).max(4);
    let mut order: Vec<&[Room]> = plan.rooms.chunks(columns).collect();
    let own = order.iter().position(|shelf| shelf.iter().any(|room| room.here));
    // Where not everything fits, the agent's room comes first and gets what it needs, as far as another still has its least.
    let crowded = order.iter().map(|shelf| needed(shelf)).sum::<usize>() > left;
    if let Some(at) = own.filter(|_| crowded) {
        order[..=at].rotate_right(1);
    }
    // Rooms whose boxes would be cut are named below the others.
    let mut kept = order.len();
    while crowded && kept > 1 && kept * LOWEST + usize::from(kept < order.len()) > left {
        kept -= 1;
    }
    let named: Vec<String> =
        order.split_off(kept.min(order.len())).into_iter().flatten().map(|r| line(&r.name).into_owned()).collect();
    let left = left.saturating_sub(usize::from(!named.is_empty()));
    let shelves = kept.max(1);
    let first = match order.first() {
        Some(shelf) if crowded => needed(shelf).min(left.saturating_sub(LOWEST * (shelves - 1))).max(left / shelves),
        _ => left / shelves,
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
    if !named.is_empty() {
        let text = format!("and {}: {}", words::count(named.len(), "more room"), named.join(", "));
        rows.push(vec![run(Role::Dim, fit(&text, width, glyphs.ellipsis))]);
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
    if inside.len() > fits && room.exits.len() > 1 {
        // The ways out share a line before a thing is left out.
        let ways: Vec<String> = inside.drain(..room.exits.len()).map(|(_, text)| text.replacen("> ", "", 1)).collect();
        inside.insert(0, (Role::Dim, format!("> {}", ways.join(", "))));
    }
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
    use crate::theme::{ASCII, UNICODE};
    use stepwright_world::map::Exit;

    #[test]
    fn in_little_room_ways_out_share_a_line_and_rooms_are_named_rather_than_cut() {
        let room = |name: &str, here: bool| Room {
            name: name.into(),
            here,
            exits: ["hall_1", "attic_1"].map(|to| Exit { to: to.into(), open: true }).into(),
            things: vec!["* television_1 (off)".into(), "cat_1 (asleep)".into()],
        };
        let drawn = lines(&room("kitchen_1", false), 30, 5, &ASCII);
        assert!(drawn[1].1.contains("> hall_1, attic_1") && drawn[2].1.contains("television_1"), "{drawn:?}");
        let rooms =
            ["kitchen_1", "bath_1", "den_1", "study_1"].into_iter().map(|name| room(name, name == "den_1")).collect();
        let plan = Rooms { captions: vec!["holds nothing".into()], rooms };
        let theme = crate::theme::Theme::monochrome(UNICODE);
        let area = Rect::new(0, 0, 58, 8);
        let mut buf = ratatui::buffer::Buffer::empty(area);
        draw(&plan, &mut Painter { buf: &mut buf, theme: &theme, focused: true }, area);
        let text: String = buf.content().iter().map(|cell| cell.symbol()).collect();
        assert!(text.contains("@ den_1") && text.contains("television_1 (off)"), "{text}");
        assert!(text.contains("and 2 more rooms: kitchen_1, bath_1"), "{text}");
        assert!(!text.contains("than fit"), "{text}");
    }

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
