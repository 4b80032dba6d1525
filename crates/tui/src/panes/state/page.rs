//! Page: draws a page to read: the notes above it, its title, its text with marks, and rows of choices. Marks are glyphs as
//! well as colours, so that it reads without them.

use ratatui::layout::Rect;

use crate::sanitize::{line, pad};
use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Painter, Row as Drawn, run, width};
use crate::widgets::scrolled::Scrolled;
use crate::widgets::words;
use stepwright_text::Columns;
use stepwright_world::map::{Condition, Fact, Page, Row};

/// Columns of the labels at least and at most.
const LABELS: (usize, usize) = (12, 24);

pub fn draw(page: &Page, scrolled: &mut Scrolled, painter: &mut Painter<'_>, area: Rect) {
    let wide = usize::from(area.width);
    let whole = rows(page, &painter.theme.glyphs, wide);
    // The last column is the scroll bar's where there is one.
    let fits = whole.len() <= usize::from(area.height);
    let whole = if fits {
        whole
    } else {
        rows(page, &painter.theme.glyphs, wide.saturating_sub(1)).into_iter().filter(|row| !row.is_empty()).collect()
    };
    scrolled.draw(painter, area, &whole);
}

/// How many rows it takes in so many columns.
pub fn height(page: &Page, glyphs: &Glyphs, columns: usize) -> usize {
    rows(page, glyphs, columns).len()
}

fn rows(page: &Page, glyphs: &Glyphs, columns: usize) -> Vec<Drawn> {
    let mut rows = Vec::new();
    for caption in &page.captions {
        rows.extend(words::labelled("", Role::Dim, caption, columns));
    }
    if !rows.is_empty() {
        rows.push(Drawn::new());
    }
    let labels = labels_of(&page.facts);
    rows.extend(words::labelled("", Role::Title, &page.title, columns));
    rows.extend(facts(&page.facts, glyphs, columns));
    for row in &page.rows {
        rows.extend(choices(row, labels, glyphs, columns));
    }
    rows
}

fn labels_of(facts: &[Fact]) -> usize {
    facts.iter().map(|fact| line(&fact.label).width()).max().unwrap_or(0).clamp(LABELS.0, LABELS.1)
}

/// What is said, each with its label.
pub(super) fn facts(facts: &[Fact], glyphs: &Glyphs, columns: usize) -> Vec<Drawn> {
    let labels = labels_of(facts);
    facts.iter().flat_map(|fact| said(fact, labels, glyphs, columns)).collect()
}

fn label(text: &str, labels: usize) -> String {
    pad(&line(text), labels) + " "
}

fn said(fact: &Fact, labels: usize, glyphs: &Glyphs, columns: usize) -> Vec<Drawn> {
    let (mark, role) = match fact.condition {
        Condition::Plain => ("", Role::Text),
        Condition::Good => (glyphs.yes, Role::Good),
        Condition::Bad => (glyphs.no, Role::Bad),
    };
    let text = if mark.is_empty() { fact.text.clone() } else { format!("{mark} {}", fact.text) };
    words::labelled(&label(&fact.label, labels), role, &text, columns)
}

/// The values of an option, as many a line as fit; the chosen one in brackets with a mark, the wanted one accented.
fn choices(row: &Row, labels: usize, glyphs: &Glyphs, columns: usize) -> Vec<Drawn> {
    let mut rows = vec![vec![run(Role::Dim, label(&row.label, labels))]];
    for (value, chosen, wanted) in &row.values {
        let text = if *chosen { format!("[{} {value}] ", glyphs.yes) } else { format!(" {value}  ") };
        let role = match (chosen, wanted) {
            (true, _) => Role::Good,
            (false, true) => Role::Accent,
            (false, false) => Role::Text,
        };
        let piece = run(role, text);
        let full = rows
            .last()
            .is_some_and(|last| last.len() > 1 && width(last) + width(std::slice::from_ref(&piece)) > columns);
        if full {
            rows.push(vec![run(Role::Dim, label("", labels))]);
        }
        if let Some(last) = rows.last_mut() {
            last.push(piece);
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::ASCII;

    #[test]
    fn chosen_values_and_prices_above_the_limit_are_marked_without_colours() {
        let page = Page {
            captions: vec!["a lamp".to_owned()],
            title: "Lamp".to_owned(),
            facts: vec![Fact { label: "price".to_owned(), text: "$40".to_owned(), condition: Condition::Bad }],
            rows: vec![Row {
                label: "size".to_owned(),
                values: vec![("small".to_owned(), false, true), ("large".to_owned(), true, false)],
            }],
        };
        let drawn = rows(&page, &ASCII, 60);
        let texts: Vec<String> = drawn.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect()).collect();
        assert!(texts.contains(&"Lamp".to_owned()), "{texts:?}");
        assert!(texts.iter().any(|line| line.contains(&format!("{} $40", ASCII.no))), "{texts:?}");
        assert!(texts.iter().any(|line| line.contains(&format!("[{} large]", ASCII.yes))), "{texts:?}");
        // Narrow columns put each value on a separate line.
        assert!(rows(&page, &ASCII, 20).len() > drawn.len());
    }
}
