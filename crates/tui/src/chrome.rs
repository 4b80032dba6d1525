//! Chrome around the panes: title bar, tab bar, borders, the gate in brief, message line, footer.
//!
//! Draws what the application gives it; decides nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;
use unicode_width::UnicodeWidthStr;

use super::pane::{PANES, PaneId};
use super::panes::offer;
use super::request;
use super::sanitize;
use super::theme::{Glyphs, Role, Theme};
use super::view::View;
use super::widgets::draw::Painter;
use super::widgets::words;
use stepwright_episode::{Mark, Origin};
use stepwright_protocol::{Level, ProcessStatus};
use stepwright_text::words::noun;

/// Borders of terminals without line drawing.
const ASCII_BORDER: border::Set<'static> = border::Set {
    top_left: ".",
    top_right: ".",
    bottom_left: "'",
    bottom_right: "'",
    vertical_left: "|",
    vertical_right: "|",
    horizontal_top: "-",
    horizontal_bottom: "-",
};

/// The same, of what has the keys: told apart without colour.
const ASCII_FOCUSED: border::Set<'static> = border::Set {
    vertical_left: "#",
    vertical_right: "#",
    horizontal_top: "=",
    horizontal_bottom: "=",
    ..ASCII_BORDER
};

fn is_ascii(glyphs: &Glyphs) -> bool {
    glyphs.vertical.is_ascii()
}

/// An empty block; the focused one shows by weight of line, not by colour alone.
pub(crate) fn frame_of(theme: &Theme, focused: bool) -> Block<'static> {
    let set = match (is_ascii(&theme.glyphs), focused) {
        (true, true) => ASCII_FOCUSED,
        (true, false) => ASCII_BORDER,
        (false, true) => border::THICK,
        (false, false) => border::PLAIN,
    };
    let role = if focused { Role::BorderFocused } else { Role::Border };
    Block::bordered().border_set(set).border_style(theme.style(role))
}

pub(crate) fn model_label(name: &str) -> String {
    let name = sanitize::line(name);
    if name.starts_with("symbolic") { format!("{name} (no language model)") } else { name.into_owned() }
}

pub(crate) fn thousands(number: u64) -> String {
    let digits = number.to_string();
    let mut out = String::with_capacity(digits.len() + digits.len() / 3);
    for (i, digit) in digits.chars().enumerate() {
        if i > 0 && (digits.len() - i).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}

/// From this width on the title bar names world and method as well.
const ROOMY: u16 = 110;

/// The title bar: the task on the left, method and model on the right.
pub(crate) fn title_bar(view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    let dot = format!(" {} ", theme.glyphs.dot);
    let roomy = area.width >= ROOMY;
    let (left, right) = match &view.session {
        None => ("Stepwright".to_owned(), String::new()),
        Some(session) => {
            let step = session.current().map_or(0, |n| n.depth);
            let spent = session.spent.prompt.saturating_add(session.spent.completion);
            let mut right = vec![model_label(&session.model)];
            if roomy {
                right.insert(0, sanitize::line(&session.method).into_owned());
            }
            if spent > 0 {
                right.push(match session.policy.token_budget {
                    Some(budget) => format!("{} of {} tokens", thousands(spent), thousands(budget)),
                    None => format!("{} {}", thousands(spent), noun(spent, "token")),
                });
            }
            if !session.breakpoints.is_empty() {
                right.insert(0, stepwright_text::words::count(session.breakpoints.len(), "breakpoint"));
            }
            if let Some(cost) = session.cost {
                right.push(format!("cost {}", words::cost(cost)));
            }
            if matches!(view.world, Some(ProcessStatus::Dead { .. })) {
                right.insert(0, format!("{} the world has ended", theme.glyphs.no));
            }
            let mut left = vec![format!("step {step}")];
            if view.is_blind() {
                left.insert(0, "blind".to_owned());
            }
            let what = match (request::place(view, &theme.glyphs), request::open(view)) {
                (Some(place), Some(asked)) => {
                    left.push(place);
                    &asked.query
                }
                (Some(place), None) => {
                    left.push(place);
                    &session.header.sentence
                }
                (None, _) => &session.header.sentence,
            };
            left.push(sanitize::line(what).into_owned());
            if roomy {
                left.insert(0, format!("Stepwright{dot}{}", sanitize::line(&session.header.world)));
            }
            (left.join(&dot), right.join(&dot))
        }
    };
    let width = usize::from(area.width);
    let right = sanitize::fit(&right, width / 2, theme.glyphs.ellipsis).into_owned();
    let room = width.saturating_sub(right.width() + 3);
    let left = sanitize::fit(&left, room, theme.glyphs.ellipsis);
    let gap = width.saturating_sub(left.width() + right.width() + 2);
    let line = Line::from(vec![
        Span::styled(format!(" {left}"), theme.style(Role::Title)),
        Span::raw(" ".repeat(gap)),
        Span::styled(format!("{right} "), theme.style(Role::Dim)),
    ]);
    frame.render_widget(line, area);
}

fn short_title(pane: PaneId) -> &'static str {
    match pane {
        PaneId::Program => "Prog",
        PaneId::Proposals => "Prop",
        PaneId::Preconditions => "Cond",
        PaneId::State => "State",
        PaneId::Blocking => "Blk",
        PaneId::Observations => "Obs",
        PaneId::Model => "Model",
        PaneId::Log => "Log",
        PaneId::Skills => "Skl",
    }
}

/// Columns of a tab that is its pane's number alone.
const NUMBER: u16 = 3;

/// Columns of each pane's tab, in order. Where there is little room the names are short, then all but the shown one's are left to their
/// numbers.
pub(crate) fn tab_spans(area: Rect, shown: PaneId) -> Vec<(PaneId, Rect)> {
    let width = |pane: PaneId, short: bool| {
        let title = if short { short_title(pane) } else { pane.title() };
        title.len() as u16 + 4
    };
    let total = |short| PANES.iter().copied().map(|p| width(p, short && p != shown)).sum::<u16>();
    let short = total(false) > area.width;
    let bare = short && total(true) > area.width;
    let mut x = area.x;
    let mut out = Vec::with_capacity(PANES.len());
    for &pane in PANES {
        let wanted = if bare && pane != shown { NUMBER } else { width(pane, short && pane != shown) };
        if x.saturating_add(wanted) > area.right() {
            break;
        }
        out.push((pane, Rect { x, width: wanted, ..area }));
        x += wanted;
    }
    out
}

/// The tab bar of one-pane screens: number and name of every pane.
pub(crate) fn tab_bar(theme: &Theme, shown: PaneId, area: Rect, frame: &mut Frame<'_>) {
    for (pane, rect) in tab_spans(area, shown) {
        let number = PANES.iter().position(|p| *p == pane).unwrap_or(0) + 1;
        let whole = usize::from(rect.width) >= pane.title().len() + 4;
        let name = if whole { pane.title() } else { short_title(pane) };
        let name = if rect.width == NUMBER { "" } else { name };
        let (name_style, key_style) = if pane == shown {
            (theme.style(Role::Selected), theme.style(Role::Selected))
        } else {
            (theme.style(Role::Text), theme.style(Role::Key))
        };
        let name = if name.is_empty() { String::new() } else { format!("{name} ") };
        let line = Line::from(vec![Span::styled(format!(" {number} "), key_style), Span::styled(name, name_style)]);
        frame.render_widget(line, rect);
    }
}

/// Columns that the shown pane's title keeps, as far as it has them, before names of other tabs are left out.
const OWN_TITLE: usize = 20;

/// The tabs of a slot `width` columns wide, in order: each with the text that stands for it. Where there is little room the other
/// panes' names are the short ones, then the shown pane's own title is cut, then tabs are left out from the far end; the last entry,
/// without a pane, says that some are. The shown pane is always among them.
pub(crate) fn slot_tabs(
    own: &str,
    pane: PaneId,
    tabs: &[PaneId],
    width: usize,
    ellipsis: &str,
) -> Vec<(Option<PaneId>, String)> {
    let own = sanitize::line(own);
    let others =
        |short: bool| tabs.iter().filter(|t| **t != pane).map(move |t| name(*t, short).len() + 2).sum::<usize>();
    let short = own.width() + 2 + others(false) > width;
    let least = own.width().min(OWN_TITLE);
    // How many of the other tabs are shown, by what is left beside the shown pane's title.
    let mut shown: Vec<PaneId> = tabs.to_vec();
    let taken = |shown: &[PaneId]| -> usize {
        let left_out = if shown.len() < tabs.len() { 2 } else { 0 };
        shown.iter().filter(|t| **t != pane).map(|t| name(*t, short).len() + 2).sum::<usize>() + left_out
    };
    while shown.len() > 1 && taken(&shown) + least + 2 > width {
        let Some(last) = shown.iter().rposition(|t| *t != pane) else { break };
        shown.remove(last);
    }
    let room = width.saturating_sub(taken(&shown) + 2);
    let own = sanitize::fit(&own, room, ellipsis);
    let mut out: Vec<(Option<PaneId>, String)> = shown
        .iter()
        .map(|tab| (Some(*tab), if *tab == pane { format!(" {own} ") } else { format!(" {} ", name(*tab, short)) }))
        .collect();
    if shown.len() < tabs.len() {
        out.push((None, format!("{ellipsis} ")));
    }
    out
}

/// The longest name that a slot's tab never shortens.
const WHOLE: usize = 6;

fn name(pane: PaneId, short: bool) -> &'static str {
    // Names this short lose more by being shortened than the room is worth.
    if short && pane.title().len() > WHOLE { short_title(pane) } else { pane.title() }
}

/// The title of a slot `width` columns wide: its pane's own, with the other panes of the slot beside it.
pub(crate) fn slot_title<'a>(
    own: &str,
    pane: PaneId,
    tabs: &[PaneId],
    theme: &Theme,
    focused: bool,
    width: u16,
) -> Line<'a> {
    let role = if focused { Role::Title } else { Role::Text };
    let style = theme.style(role);
    let style = if focused { style.patch(theme.style(Role::BorderFocused)) } else { style };
    let tabs = slot_tabs(own, pane, tabs, usize::from(width.saturating_sub(2)), theme.glyphs.ellipsis);
    let spans = tabs
        .into_iter()
        .map(|(tab, text)| Span::styled(text, if tab == Some(pane) { style } else { theme.style(Role::Dim) }));
    Line::from(spans.collect::<Vec<_>>())
}

/// The chosen proposal in one line, for screens that do not show the list.
pub(crate) fn gate_line(view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    if let Some(offer) = view.offer() {
        let inside = Rect { x: area.x + 1.min(area.width), width: area.width.saturating_sub(1), ..area };
        let row = offer::brief(view, offer, theme);
        return Painter { buf: frame.buffer_mut(), theme, focused: false }.row(inside, 0, &row);
    }
    let line = match (view.chosen(), view.turn()) {
        (Some(proposal), Some(turn)) => {
            let index = view.offered_row(proposal.id).unwrap_or(0) + 1;
            let mark = turn.mark(proposal);
            let failing = turn.verdict(proposal.id).and_then(|v| v.failing().next());
            let words = match failing.filter(|_| matches!(mark, Mark::Fails | Mark::Blocked)) {
                Some(check) => sanitize::line(check.said()).into_owned(),
                None => mark.word().to_owned(),
            };
            let (mark, role) = words::mark(&theme.glyphs, mark);
            let text = words::one_line(proposal.action.as_ref().map_or(proposal.raw.as_str(), |a| a.text.as_str()));
            let origin = match proposal.origin {
                Origin::Symbolic => "no language model",
                Origin::Person => "you",
                _ => words::origin(proposal, Some(turn)),
            };
            let origin = sanitize::line(origin);
            let number = format!(" {index}/{} ", view.offered_len());
            let width = usize::from(area.width);
            // The verdict comes before the end of a long action, and that before where it comes from.
            let words = format!("  {mark} {words}");
            let words = sanitize::fit(&words, width / 2, theme.glyphs.ellipsis).into_owned();
            let room = width.saturating_sub(number.width() + words.width());
            let text = sanitize::line(&text);
            let text = sanitize::fit(&text, room, theme.glyphs.ellipsis).into_owned();
            let origin = if text.width() + origin.len() + 2 <= room { format!("  {origin}") } else { String::new() };
            Line::from(vec![
                Span::styled(number, theme.style(Role::Dim)),
                Span::styled(text, theme.style(Role::Accent)),
                Span::styled(words, theme.style(role)),
                Span::styled(origin, theme.style(Role::Dim)),
            ])
        }
        _ if view.session.as_ref().is_some_and(stepwright_episode::Session::is_done) => {
            Line::styled(" the episode is over", theme.style(Role::Dim))
        }
        _ => Line::styled(" no proposal is chosen", theme.style(Role::Dim)),
    };
    frame.render_widget(line, area);
}

/// The message line: what is under way before what was said last. `more` is the key that shows a message too long for it.
pub(crate) fn message_line(
    busy: Option<&str>,
    more: Option<&str>,
    view: &View,
    theme: &Theme,
    area: Rect,
    frame: &mut Frame<'_>,
) {
    let (text, role) = match (busy, &view.message) {
        (_, Some((Level::Error, text))) => (format!("{} {text}", theme.glyphs.no), Role::Bad),
        (Some(busy), _) => (busy.to_owned(), Role::Accent),
        (None, Some((Level::Warning, text))) => (format!("! {text}"), Role::Warn),
        (None, Some((_, text))) => (text.clone(), Role::Text),
        (None, None) => (String::new(), Role::Text),
    };
    let width = usize::from(area.width.saturating_sub(1));
    let mut text = sanitize::line(&text).into_owned();
    if text.width() > width {
        // A folder says less than why a message is shown.
        text = without_folders(&text, theme.glyphs.ellipsis);
    }
    if text.width() > width {
        let hint = more.map(|k| format!(" ({k} shows all)")).unwrap_or_default();
        text = sanitize::fit(&text, width.saturating_sub(hint.len()), theme.glyphs.ellipsis).into_owned() + &hint;
    }
    frame.render_widget(Line::styled(format!(" {text}"), theme.style(role)), area);
}

/// A text with `…/name` in place of each absolute path in it.
fn without_folders(text: &str, ellipsis: &str) -> String {
    let short = |word: &str| match word.strip_prefix('/').and_then(|path| path.rsplit_once('/')) {
        Some((_, name)) if !name.is_empty() => format!("{ellipsis}/{name}"),
        _ => word.to_owned(),
    };
    text.split(' ').map(short).collect::<Vec<_>>().join(" ")
}

/// Hints of which the last is always among those that fit into so many columns: how to get out is never cut.
pub(crate) fn with_last(mut hints: Vec<(String, &str)>, columns: u16) -> Vec<(String, &str)> {
    let Some(last) = hints.pop() else { return hints };
    let columns_of = |(key, word): &(String, &str)| key.width() + word.width() + 3;
    let mut room = usize::from(columns).saturating_sub(1 + columns_of(&last));
    hints.retain({
        let mut full = false;
        move |hint| {
            full |= columns_of(hint) > room;
            room = room.saturating_sub(columns_of(hint));
            !full
        }
    });
    hints.push(last);
    hints
}

/// The footer: as many hints as fit, the last one always at the right end.
pub fn footer(
    hints: &[(String, &str)],
    last: Option<(String, &str)>,
    theme: &Theme,
    area: Rect,
    frame: &mut Frame<'_>,
) {
    let piece = |key: &str, word: &str| {
        vec![
            Span::styled(key.to_owned(), theme.style(Role::Key)),
            Span::styled(format!(" {word}"), theme.style(Role::Dim)),
        ]
    };
    let width = |key: &str, word: &str| key.width() + word.width() + 1;
    let reserve = last.as_ref().map_or(0, |(k, w)| width(k, w) + 2);
    let mut room = usize::from(area.width).saturating_sub(reserve + 1);
    let mut spans = vec![Span::raw(" ")];
    for (key, word) in hints {
        let needed = width(key, word) + 2;
        if needed > room {
            break;
        }
        room -= needed;
        spans.extend(piece(key, word));
        spans.push(Span::raw("  "));
    }
    frame.render_widget(Line::from(spans), area);
    if let Some((key, word)) = last {
        let line = Line::from(piece(&key, word));
        let w = u16::try_from(line.width()).unwrap_or(u16::MAX).min(area.width);
        let x = area.right().saturating_sub(w + 1).max(area.x);
        frame.render_widget(line, Rect { x, width: w, ..area });
    }
}

pub fn ground(theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    let style = theme.style(Role::Text);
    if style != Style::new() {
        frame.buffer_mut().set_style(area, style);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(thousands(0), "0");
        assert_eq!(thousands(999), "999");
        assert_eq!(thousands(1234567), "1,234,567");
    }

    #[test]
    fn the_shown_tab_is_in_sight_however_narrow_the_slot() {
        let tabs = [PaneId::Preconditions, PaneId::Skills, PaneId::Model];
        let own = "Preconditions of goto, 1 in force (specification)";
        for shown in tabs {
            let own = if shown == PaneId::Preconditions { own } else { shown.title() };
            for width in 6..90 {
                let spans = slot_tabs(own, shown, &tabs, width, "…");
                let text: String = spans.iter().map(|(_, text)| text.as_str()).collect();
                assert!(text.width() <= width, "{width}: {text}");
                assert!(spans.iter().any(|(tab, _)| *tab == Some(shown)), "{width}: {text}");
                assert!(spans.len() > 2 || text.contains('…'), "{width}: what is left out has a sign: {text}");
            }
        }
        let wide: String = slot_tabs(own, tabs[0], &tabs, 58, "…").into_iter().map(|(_, text)| text).collect();
        assert_eq!(wide, " Preconditions of goto, 1 in force (speci…  Skills  Model ");
    }

    #[test]
    fn of_a_path_the_name_stays() {
        let text = "✗ /home/a/sessions/one.jsonl: it is open elsewhere; and/or not, 1/2, /x";
        assert_eq!(without_folders(text, "…"), "✗ …/one.jsonl: it is open elsewhere; and/or not, 1/2, /x");
    }

    #[test]
    fn every_tab_is_there_however_narrow_the_screen() {
        for width in [44, 60, 80] {
            let area = Rect { x: 0, y: 0, width, height: 1 };
            for &pane in PANES {
                let spans = tab_spans(area, pane);
                assert_eq!(spans.len(), PANES.len(), "{pane:?} at {width}");
            }
        }
    }
}
