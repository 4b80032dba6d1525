//! Places: draws the places of a room as a box for each kind, in which each has its number and a sign of what the agent knows of it, and
//! below them what was found where. Where the boxes do not fit, what is closed and what is not visited are a line each.

use ratatui::layout::Rect;

use super::page;
use crate::sanitize::{fit, line, pad};
use crate::theme::{Glyphs, Role, UNICODE};
use crate::widgets::draw::{Painter, Row, run};
use crate::widgets::scrolled::Scrolled;
use crate::widgets::words;
use stepwright_text::Columns;
use stepwright_world::map::{Condition, Fact, Known, Place, PlaceKind, Places};

/// The narrowest box, borders included.
const NARROWEST: usize = 16;

/// Rows that it takes where there is room for so many: of the drawing, or else of the text.
pub fn height(plan: &Places, glyphs: &Glyphs, columns: usize, room: usize) -> usize {
    let around = Around::of(plan, glyphs, columns);
    match beside(plan, columns, room, &around) {
        Some(beside) => around.height(plan, columns, beside),
        None => listed(plan, glyphs, columns).len(),
    }
}

pub fn draw(plan: &Places, scrolled: &mut Scrolled, painter: &mut Painter<'_>, area: Rect) {
    let [columns, room] = [area.width, area.height].map(usize::from);
    let glyphs = &painter.theme.glyphs;
    let around = Around::of(plan, glyphs, columns);
    let rows = match beside(plan, columns, room, &around) {
        Some(beside) => drawn(plan, glyphs, columns, beside, around),
        None => {
            let rows = listed(plan, glyphs, columns);
            // The last column is the scroll bar's where there is one.
            if rows.len() <= room { rows } else { listed(plan, glyphs, columns.saturating_sub(1)) }
        }
    };
    scrolled.draw(painter, area, &rows);
}

/// Rows of the lowest drawing.
pub fn least(plan: &Places, glyphs: &Glyphs, columns: usize) -> usize {
    Around::of(plan, glyphs, columns).height(plan, columns, most_beside(plan, columns))
}

/// Whether nothing is cut in so much room.
pub fn is_whole(plan: &Places, columns: usize, room: usize) -> bool {
    height(plan, &UNICODE, columns, room) <= room
}

/// As few boxes side by side as there is room for; `None` where they do not fit.
fn beside(plan: &Places, columns: usize, room: usize, around: &Around) -> Option<usize> {
    (1..=most_beside(plan, columns)).find(|beside| around.height(plan, columns, *beside) <= room)
}

/// Boxes side by side at most.
fn most_beside(plan: &Places, columns: usize) -> usize {
    let longest = plan.kinds.iter().map(|kind| line(&kind.name).width() + 5).max().unwrap_or(0).max(NARROWEST);
    (columns / longest).clamp(1, plan.kinds.len().max(1))
}

/// What stands above the boxes and below them, however many are side by side.
struct Around {
    above: Vec<Row>,
    below: Vec<Row>,
}

impl Around {
    /// The title; the meaning of the signs that there are, and what was found.
    fn of(plan: &Places, glyphs: &Glyphs, columns: usize) -> Self {
        let above = words::labelled("", Role::Title, &plan.title, columns);
        let is_there =
            |known: &Known| plan.kinds.iter().flat_map(|kind| &kind.places).any(|place| place.known == *known);
        let said = |known: Known| format!("{} {}", sign(known, glyphs).1, word(known));
        let legend: Vec<String> = [Known::NotVisited, Known::Closed].into_iter().filter(is_there).map(said).collect();
        let legend = Some(vec![run(Role::Dim, legend.join("   "))]).filter(|_| !legend.is_empty());
        Around { above, below: legend.into_iter().chain(page::facts(&plan.found, glyphs, columns)).collect() }
    }

    /// Rows with so many boxes side by side.
    fn height(&self, plan: &Places, columns: usize, beside: usize) -> usize {
        let wide = columns / beside;
        let shelf = |kinds: &[PlaceKind]| kinds.iter().map(|kind| lines(kind, wide) + 2).max().unwrap_or(0);
        self.above.len() + plan.kinds.chunks(beside).map(shelf).sum::<usize>() + self.below.len()
    }
}

fn drawn(plan: &Places, glyphs: &Glyphs, columns: usize, beside: usize, around: Around) -> Vec<Row> {
    let Around { above: mut rows, below } = around;
    let wide = columns / beside;
    for shelf in plan.kinds.chunks(beside) {
        let boxes: Vec<Vec<Row>> = shelf.iter().map(|kind| boxed(kind, wide, glyphs)).collect();
        let highest = boxes.iter().map(Vec::len).max().unwrap_or(0);
        for at in 0..highest {
            let blank = || vec![run(Role::Text, " ".repeat(wide))];
            rows.push(boxes.iter().flat_map(|rows| rows.get(at).cloned().unwrap_or_else(blank)).collect());
        }
    }
    rows.extend(below);
    rows
}

/// Columns of a place in the box of its kind.
fn cell(kind: &PlaceKind) -> usize {
    kind.places.iter().map(|place| line(&place.number).width() + 2).max().unwrap_or(2)
}

/// Places of a kind side by side in a box so wide.
fn in_a_line(kind: &PlaceKind, wide: usize) -> usize {
    (wide.saturating_sub(4) / cell(kind)).max(1)
}

/// Lines of places in a box so wide.
fn lines(kind: &PlaceKind, wide: usize) -> usize {
    kind.places.len().div_ceil(in_a_line(kind, wide))
}

/// Everything in words.
fn listed(plan: &Places, glyphs: &Glyphs, columns: usize) -> Vec<Row> {
    let mut rows = words::labelled("", Role::Title, &plan.title, columns);
    // What was found says so of a place that was looked into.
    let is_found = |kind: &str, place: &Place| {
        let name = format!("{kind} {}", place.number);
        plan.found
            .iter()
            .any(|fact| fact.label.strip_prefix(&name).is_some_and(|rest| !rest.starts_with(char::is_numeric)))
    };
    let facts = [Known::Closed, Known::NotVisited].into_iter().filter_map(|known| {
        let of = |kind: &PlaceKind| {
            let places = kind.places.iter().filter(|place| place.known == known && !is_found(&kind.name, place));
            let numbers = in_short(places.map(|place| place.number.as_str()));
            numbers.map(|numbers| format!("{} {numbers}", kind.name).trim_end().to_owned())
        };
        let text = plan.kinds.iter().filter_map(of).collect::<Vec<_>>().join(", ");
        let fact = Fact { label: word(known).to_owned(), text, condition: Condition::Plain };
        Some(fact).filter(|fact| !fact.text.is_empty())
    });
    let facts: Vec<Fact> = plan.found.iter().cloned().chain(facts).collect();
    rows.extend(page::facts(&facts, glyphs, columns));
    rows
}

/// Numbers that follow each other together: `1-4 6`.
fn in_short<'a>(numbers: impl Iterator<Item = &'a str>) -> Option<String> {
    let mut runs: Vec<(&str, &str)> = Vec::new();
    for number in numbers {
        let value = |text: &str| text.parse::<u64>().ok();
        match runs.last_mut() {
            Some((_, last)) if value(last).is_some_and(|last| value(number) == last.checked_add(1)) => *last = number,
            _ => runs.push((number, number)),
        }
    }
    let said =
        runs.iter().map(|(first, last)| if first == last { (*first).to_owned() } else { format!("{first}-{last}") });
    Some(said.collect::<Vec<_>>().join(" ")).filter(|_| !runs.is_empty())
}

fn word(known: Known) -> &'static str {
    match known {
        Known::Here => "here",
        Known::LookedInto => "looked into",
        Known::Closed => "closed",
        Known::NotVisited => "not visited",
    }
}

fn sign(known: Known, glyphs: &Glyphs) -> (Role, &'static str) {
    let ascii = glyphs.full.is_ascii();
    match known {
        Known::Here => (Role::Accent, "@"),
        Known::LookedInto => (Role::Text, " "),
        Known::Closed => (Role::Text, if ascii { "#" } else { "▪" }),
        Known::NotVisited => (Role::Dim, glyphs.dot),
    }
}

/// A kind's box, each row as wide as it.
fn boxed(kind: &PlaceKind, wide: usize, glyphs: &Glyphs) -> Vec<Row> {
    let inner = wide.saturating_sub(4);
    let ascii = glyphs.full.is_ascii();
    let (side, dash) = if ascii { ("|", "-") } else { ("│", "─") };
    let corners = if ascii { ["+", "+", "+", "+"] } else { ["┌", "┐", "└", "┘"] };
    let [left, right, low_left, low_right] = corners;
    let is_here = kind.places.iter().any(|place| place.known == Known::Here);
    let border = if is_here { Role::Accent } else { Role::Dim };
    let name = line(&kind.name);
    let name = fit(&name, inner.saturating_sub(2), glyphs.ellipsis);
    let rest = wide.saturating_sub(4 + name.width());
    let mut rows = vec![vec![
        run(border, format!("{left} ")),
        run(Role::Text, &name),
        run(border, format!(" {}{right}", dash.repeat(rest))),
    ]];
    let cell = cell(kind);
    for places in kind.places.chunks(in_a_line(kind, wide)) {
        let mut row = vec![run(border, format!("{side} "))];
        let mut used = 0;
        for place in places {
            let (role, sign) = sign(place.known, glyphs);
            let text = format!("{}{sign}", line(&place.number));
            let text = pad(&text, cell);
            let text = fit(&text, inner.saturating_sub(used), glyphs.ellipsis).into_owned();
            used += text.width();
            row.push(run(role, text));
        }
        row.push(run(border, format!("{} {side}", " ".repeat(inner.saturating_sub(used)))));
        rows.push(row);
    }
    rows.push(vec![run(border, format!("{low_left}{}{low_right}", dash.repeat(wide.saturating_sub(2))))]);
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::ASCII;

    fn plan() -> Places {
        let place = |number: &str, known| Place { number: number.into(), known };
        let kind = |name: &str, places: Vec<Place>| PlaceKind { name: name.into(), places };
        let cabinets = (1..=9).map(|n| place(&n.to_string(), if n == 4 { Known::Closed } else { Known::NotVisited }));
        let fact =
            |label: &str, text: &str| Fact { label: label.into(), text: text.into(), condition: Condition::Plain };
        Places {
            title: "at desk 1, holds nothing".into(),
            kinds: vec![
                kind("cabinet", cabinets.collect()),
                kind("desk", vec![place("1", Known::Here)]),
                kind("drawer", vec![place("1", Known::Closed), place("2", Known::LookedInto)]),
            ],
            found: vec![fact("@ desk 1", "mug 1"), fact("drawer 1 (closed)", "pen 1"), fact("drawer 2", "nothing")],
        }
    }

    fn text(rows: &[Row]) -> Vec<String> {
        rows.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect()).collect()
    }

    #[test]
    fn each_place_has_its_sign_in_the_box_of_its_kind_and_all_rows_of_boxes_are_as_wide() {
        for glyphs in [&UNICODE, &ASCII] {
            let (plan, columns) = (plan(), 48);
            for beside in 1..=3 {
                let around = Around::of(&plan, glyphs, columns);
                let counted = around.height(&plan, columns, beside);
                assert_eq!(counted, drawn(&plan, glyphs, columns, beside, around).len());
            }
            let rows = text(&drawn(&plan, glyphs, columns, 3, Around::of(&plan, glyphs, columns)));
            assert!(
                rows[1].contains(" cabinet ") && rows[1].contains(" desk ") && rows[1].contains(" drawer "),
                "{rows:#?}"
            );
            assert!(rows[2].contains("1@") && rows.iter().any(|row| row.contains("not visited   ")), "{rows:#?}");
            assert!(rows[1..6].iter().all(|row| row.width() == 48), "{rows:#?}");
        }
    }

    #[test]
    fn where_boxes_do_not_fit_it_is_said_in_lines_and_no_place_twice() {
        let rows = text(&listed(&plan(), &UNICODE, 60));
        let all = rows.join("\n");
        assert!(all.contains("cabinet 1-3 5-9") && all.contains("closed") && all.contains("cabinet 4"), "{all}");
        assert_eq!(all.matches("drawer 1").count(), 1, "{all}");
    }
}
