//! Drift: how far the belief was from the truth, a bar a node on the path to the cursor, as high as values differ there.

use ratatui::layout::Rect;
use ratatui::symbols::bar;
use ratatui::text::Line;
use ratatui::widgets::{Bar, BarChart, Widget};

use super::{Painter, StatePane, split_bottom, split_left, split_top, words};
use crate::theme::Role;
use crate::view::View;
use crate::widgets::draw::run;

const BAR: u16 = 3;

impl StatePane {
    pub(super) fn draw_drift(&self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let belief = self.situation.as_ref().and_then(|s| s.belief.as_ref());
        let drift = belief.map(|b| b.drift.as_slice()).unwrap_or_default();
        if drift.is_empty() {
            let why = match view.hides_future() {
                true => "What is believed is compared with the truth, which is hidden until you decide.",
                false => "The world does not tell the truth in the form of this belief, so nothing is compared.",
            };
            return painter.empty(area, why);
        }
        let (head, body) = split_top(area, 2);
        let total: usize = drift.iter().map(|(_, n)| n).sum();
        let first = drift.iter().position(|(_, n)| *n > 0).and_then(|at| drift.get(at));
        let number = |node| view.session.as_ref().and_then(|s| s.node(node)).map_or(0, |n| n.steps);
        let summary = match (total, first) {
            (_, Some((node, _))) => {
                format!("first at step {} of {}", number(*node), drift.last().map_or(0, |(last, _)| number(*last)))
            }
            (_, None) => format!("none at any of {}", words::count(drift.len(), "step")),
        };
        painter.row(head, 0, &[run(Role::Title, "values that differ from the truth")]);
        painter.row(head, 1, &[run(Role::Dim, summary)]);
        let most = drift.iter().map(|(_, n)| *n).max().unwrap_or(0).max(1);
        let digits = most.to_string().len() as u16;
        let (axis, chart) = split_left(body, digits);
        let (chart, below) = split_bottom(chart, 1);
        painter.row(axis, 0, &[run(Role::Dim, most.to_string())]);
        painter.row(axis, usize::from(axis.height.saturating_sub(3)), &[run(Role::Dim, "0")]);
        painter.row(below, 0, &[run(Role::Dim, "step")]);
        // The last steps, as many as fit.
        let fit = usize::from((chart.width + 1) / (BAR + 1)).max(1);
        let shown = drift.get(drift.len().saturating_sub(fit)..).unwrap_or_default();
        let style = |role| painter.theme.style(role);
        let here = self.situation.as_ref().map(|s| s.node);
        let bars: Vec<Bar<'_>> = shown
            .iter()
            .map(|(node, n)| {
                let role = if Some(*node) == here { Role::Accent } else { Role::Dim };
                let label = Line::styled(number(*node).to_string(), style(role));
                Bar::default().value(*n as u64).text_value(n.to_string()).label(label)
            })
            .collect();
        let full = painter.theme.glyphs.full;
        let set = if full.is_ascii() {
            // A cell is full or empty: parts of it have no character.
            bar::Set {
                full,
                seven_eighths: full,
                three_quarters: full,
                five_eighths: full,
                half: full,
                three_eighths: " ",
                one_quarter: " ",
                one_eighth: " ",
                empty: " ",
            }
        } else {
            bar::NINE_LEVELS
        };
        let chart_area = painter.clip(chart);
        BarChart::vertical(bars)
            .max(most as u64)
            .bar_width(BAR)
            .bar_gap(1)
            .bar_set(set)
            .bar_style(style(Role::Warn))
            .value_style(style(Role::Warn).add_modifier(ratatui::style::Modifier::REVERSED))
            .render(chart_area, painter.buf);
    }
}
