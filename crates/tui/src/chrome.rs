//! Chrome around the panes: title bar, tab bar, borders, the gate in brief, message line, footer.
//!
//! Draws what the application gives it; decides nothing.

use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::style::Style;
use ratatui::symbols::border;
use ratatui::text::{Line, Span};
use ratatui::widgets::Block;

use super::actions::ActionId;
use super::keymap::Keymap;
use super::pane::{PANES, PaneId};
use super::panes::offer;
use super::panes::proposals::row;
use super::request;
use super::sanitize;
use super::theme::{Glyphs, Role, Theme};
use super::view::View;
use super::widgets::draw::Painter;
use super::widgets::words;
use stepwright_episode::role;
use stepwright_episode::{Header, Mark, Origin, Verdict};
use stepwright_protocol::{Level, ProcessStatus};
use stepwright_text::Columns;

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
    name.strip_prefix("symbolic").map_or_else(|| name.to_string(), |rest| format!("no language model{rest}"))
}

/// From this width on the title bar names world and method as well.
const ROOMY: u16 = 110;

/// What the title bar says in so many columns: the task on the left, method and model on the right.
pub(crate) fn title(view: &View, theme: &Theme, width: usize) -> (String, String) {
    let dot = format!(" {} ", theme.glyphs.dot);
    let roomy = width >= usize::from(ROOMY);
    let (left, right) = match &view.session {
        None => ("Stepwright".to_owned(), String::new()),
        Some(session) => {
            let step = session.current().map_or(0, |n| n.steps);
            let spent = session.spent.prompt.saturating_add(session.spent.completion);
            let mut right = vec![model_label(&session.model) + &sanitize::line(&role::beside(&session.options))];
            if roomy {
                right.insert(0, sanitize::line(&session.method).into_owned());
            }
            if spent > 0 {
                right.push(
                    match session.policy.token_budget {
                        Some(budget) => format!("{} of {} tokens", words::thousands(spent), words::thousands(budget)),
                        None => words::count(spent, "token"),
                    } + &if roomy { words::tokens_by_role(session) } else { String::new() },
                );
            }
            if !session.breakpoints.is_empty() {
                right.insert(0, stepwright_text::words::count(session.breakpoints.len(), "breakpoint"));
            }
            right.extend(words::cost_of(session));
            if matches!(view.world, Some(ProcessStatus::Dead { .. })) {
                right.insert(0, format!("{} the world has ended", theme.glyphs.no));
            }
            if view.unwritten.is_some() {
                right.insert(0, format!("{} not written", theme.glyphs.no));
            }
            let mut left = vec![format!("step {step}")];
            left.splice(0..0, view.is_blind().then(|| "blind".to_owned()));
            left.splice(0..0, view.read_only.then(|| "read-only".to_owned()));
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
                let Header { world, world_version, .. } = &session.header;
                let world = if world_version.is_empty() { world } else { world_version };
                left.insert(0, sanitize::line(world).into_owned());
            }
            (left.join(&dot), right.join(&dot))
        }
    };
    let right = sanitize::fit(&right, width / 2, theme.glyphs.ellipsis).into_owned();
    let room = width.saturating_sub(right.width() + 3);
    (sanitize::fit(&left, room, theme.glyphs.ellipsis).into_owned(), right)
}

/// The title bar.
pub(crate) fn title_bar(view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    let width = usize::from(area.width);
    let (left, right) = title(view, theme, width);
    let gap = width.saturating_sub(left.width() + right.width() + 2);
    let line = Line::from(vec![
        Span::styled(format!(" {left}"), theme.style(Role::Title)),
        Span::raw(" ".repeat(gap)),
        Span::styled(format!("{right} "), theme.style(Role::Dim)),
    ]);
    frame.render_widget(line, area);
}

/// A pane's name where there is little room: cut as anyone would cut it.
fn short_title(pane: PaneId) -> &'static str {
    match pane {
        PaneId::Preconditions => "Precond.",
        PaneId::Observations => "Observ.",
        other => other.title(),
    }
}

/// A tab of the bar: a pane, where it is, and the text that stands for it: the key that goes there, and its name.
pub(crate) struct Tab {
    pub pane: PaneId,
    pub area: Rect,
    key: String,
    name: &'static str,
}

/// The tabs of one-pane screens. Where there is little room the keys are left out, then names are short, then of all but the shown pane
/// there is the key alone.
pub(crate) fn tabs(keymap: &Keymap, area: Rect, shown: PaneId) -> Vec<Tab> {
    let key = |pane| {
        let keys = keymap.keys(ActionId::Focus(pane)).iter().map(ToString::to_string);
        keys.min_by_key(String::len).unwrap_or_default()
    };
    let form = |keys: bool, short: bool, names: bool| {
        let text = move |pane: PaneId| match () {
            () if !names && pane != shown => ("", key(pane)),
            () => (if short { short_title(pane) } else { pane.title() }, if keys { key(pane) } else { String::new() }),
        };
        PANES.iter().map(|pane| text(*pane)).collect::<Vec<_>>()
    };
    // A blank before each, and one behind a name.
    let width = |(name, key): &(&str, String)| {
        let between = usize::from(!name.is_empty() && !key.is_empty());
        1 + key.width() + between + name.width() + usize::from(!name.is_empty())
    };
    let fits = |texts: &Vec<(&str, String)>| texts.iter().map(width).sum::<usize>() <= usize::from(area.width);
    let forms = [(true, false, true), (false, false, true), (false, true, true), (false, true, false)];
    let mut forms = forms.into_iter().map(|(keys, short, names)| form(keys, short, names));
    let last = form(false, true, false);
    let texts = forms.find(fits).unwrap_or(last);
    let mut x = area.x;
    let mut tabs = Vec::with_capacity(texts.len());
    for ((name, key), pane) in texts.into_iter().zip(PANES) {
        let width = u16::try_from(width(&(name, key.clone()))).unwrap_or(u16::MAX).min(area.right().saturating_sub(x));
        tabs.push(Tab { pane: *pane, area: Rect { x, width, ..area }, key, name });
        x = x.saturating_add(width);
    }
    tabs
}

/// The tab bar of one-pane screens.
pub(crate) fn tab_bar(tabs: &[Tab], theme: &Theme, shown: PaneId, frame: &mut Frame<'_>) {
    for Tab { pane, area, key, name } in tabs {
        let roles = if *pane == shown { [Role::Selected; 2] } else { [Role::Key, Role::Text] };
        let key = if key.is_empty() { String::new() } else { format!(" {key}") };
        let name = if name.is_empty() { String::new() } else { format!(" {name} ") };
        let spans = [(key, roles[0]), (name, roles[1])].map(|(text, role)| Span::styled(text, theme.style(role)));
        frame.render_widget(Line::from(spans.to_vec()), *area);
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
            let verdict = turn.verdict(proposal.id);
            let failing = verdict.and_then(|v| v.failing().next());
            let failing = failing.filter(|_| matches!(mark, Mark::Fails | Mark::Blocked));
            // What the world alone says is no assertion that holds.
            let words = match failing.or_else(|| verdict.and_then(Verdict::by_world_alone)) {
                Some(check) => sanitize::line(check.said()).into_owned(),
                None => mark.word().to_owned(),
            };
            let (mark, role) = words::mark(&theme.glyphs, mark);
            let (action, beside) = row::said(proposal);
            let origin = match proposal.origin {
                Origin::Symbolic => "no language model",
                Origin::Person => "you",
                _ => words::origin(proposal, Some(turn)),
            };
            let origin = sanitize::line(origin);
            let number = format!(" {index}/{} ", view.offered_len());
            let width = usize::from(area.width);
            let (words, text) = verdict_and_action(
                &format!("  {mark} {words}"),
                (&sanitize::line(&action), &sanitize::line(&beside)),
                width.saturating_sub(number.width()),
                theme.glyphs.ellipsis,
            );
            let room = width.saturating_sub(number.width() + words.width());
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

/// A verdict and an action with what is said beside it, in so many columns. The verdict comes before the end of a long action, and gets what
/// a short one leaves.
fn verdict_and_action(
    verdict: &str,
    (action, beside): (&str, &str),
    columns: usize,
    ellipsis: &str,
) -> (String, String) {
    let room = columns.saturating_sub(action.width()).max(columns / 2);
    let verdict = sanitize::fit(verdict, room, ellipsis).into_owned();
    let text = if beside.is_empty() { action.to_owned() } else { format!("{action}  {beside}") };
    let text = sanitize::fit(&text, columns.saturating_sub(verdict.width()), ellipsis).into_owned();
    (verdict, text)
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
    let mut text = sanitize::line(&words::one_line(&text)).into_owned();
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

/// A key of the footer with its word: a click on it does the action, if there is one.
#[derive(Debug, Clone)]
pub struct Hint {
    pub action: Option<ActionId>,
    pub key: String,
    pub word: &'static str,
}

impl Hint {
    fn width(&self) -> usize {
        self.key.width() + self.word.width() + 1
    }

    fn drawn(&self, theme: &Theme) -> Line<'static> {
        let key = Span::styled(self.key.clone(), theme.style(Role::Key));
        Line::from(vec![key, Span::styled(format!(" {}", self.word), theme.style(Role::Dim))])
    }
}

/// Hints of which the last is always among those that fit into so many columns: how to get out is never cut.
pub(crate) fn with_last(mut hints: Vec<Hint>, columns: u16) -> Vec<Hint> {
    let Some(last) = hints.pop() else { return hints };
    let mut room = usize::from(columns).saturating_sub(3 + last.width());
    hints.retain({
        let mut full = false;
        move |hint| {
            full |= hint.width() + 2 > room;
            room = room.saturating_sub(hint.width() + 2);
            !full
        }
    });
    hints.push(last);
    hints
}

/// The footer: as many hints as fit, the last one always at the right end; where each of them is.
pub fn footer(
    hints: &[Hint],
    last: Option<Hint>,
    theme: &Theme,
    area: Rect,
    frame: &mut Frame<'_>,
) -> Vec<(Rect, ActionId)> {
    let mut places = Vec::new();
    let mut draw = |hint: &Hint, x: u16| {
        let width = u16::try_from(hint.width()).unwrap_or(u16::MAX).min(area.right().saturating_sub(x));
        let place = Rect { x, width, ..area };
        frame.render_widget(hint.drawn(theme), place);
        places.extend(hint.action.map(|action| (place, action)));
        x.saturating_add(width)
    };
    let reserve = last.as_ref().map_or(0, |hint| hint.width() + 2);
    let end = area.right().saturating_sub(u16::try_from(reserve).unwrap_or(u16::MAX));
    let mut x = area.x.saturating_add(1);
    for hint in hints {
        if usize::from(x) + hint.width() + 2 > usize::from(end) {
            break;
        }
        x = draw(hint, x).saturating_add(2);
    }
    if let Some(hint) = last {
        let width = u16::try_from(hint.width()).unwrap_or(u16::MAX).min(area.width);
        draw(&hint, area.right().saturating_sub(width + 1).max(area.x));
    }
    places
}

pub fn ground(theme: &Theme, area: Rect, frame: &mut Frame<'_>) {
    let style = theme.style(Role::Text);
    if style != Style::new() {
        frame.buffer_mut().set_style(area, style);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::backend::TestBackend;

    use super::*;
    use crate::theme::UNICODE;
    use stepwright_protocol::Notice;

    #[test]
    fn numbers_are_grouped() {
        assert_eq!(words::thousands(0), "0");
        assert_eq!(words::thousands(999), "999");
        assert_eq!(words::thousands(1234567), "1,234,567");
        assert_eq!([1, 3258].map(|n: u64| words::count(n, "token")), ["1 token", "3,258 tokens"]);
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
    fn a_verdict_is_cut_only_where_the_action_leaves_no_room() {
        let verdict = "  x self.is_visible(recep) fails for it";
        let of = |action: &str, columns| verdict_and_action(verdict, (action, ""), columns, "~");
        assert_eq!(of("open desk 1", 52), (verdict.to_owned(), "open desk 1".to_owned()));
        assert_eq!(of("open desk 1", 30), ("  x self.is_visibl~".to_owned(), "open desk 1".to_owned()));
        assert_eq!(of("put soapbar 1 in desk 1", 30), ("  x self.is_vi~".to_owned(), "put soapbar 1 ~".to_owned()));
        let beside = verdict_and_action("  x", ("ls()", "I look"), 20, "~");
        assert_eq!(beside, ("  x".to_owned(), "ls()  I look".to_owned()));
    }

    #[test]
    fn a_message_of_several_lines_stands_on_one() {
        let mut view = View::default();
        view.notice(Notice::Say { level: Level::Info, text: "no answer\n\nbusy\n".to_owned() });
        let mut terminal = ratatui::Terminal::new(TestBackend::new(40, 1)).unwrap();
        let theme = Theme::monochrome(UNICODE);
        terminal.draw(|frame| message_line(None, None, &view, &theme, frame.area(), frame)).unwrap();
        let shown = terminal.backend().to_string();
        assert!(shown.contains(" no answer; busy "), "{shown}");
    }

    #[test]
    fn of_a_path_the_name_stays() {
        let text = "✗ /home/a/sessions/one.jsonl: it is open elsewhere; and/or not, 1/2, /x";
        assert_eq!(without_folders(text, "…"), "✗ …/one.jsonl: it is open elsewhere; and/or not, 1/2, /x");
    }

    #[test]
    fn every_tab_is_there_however_narrow_the_screen_and_a_digit_on_it_is_a_key() {
        let keymap = Keymap::default();
        for width in 40..160 {
            for &pane in PANES {
                let tabs = tabs(&keymap, Rect { x: 0, y: 0, width, height: 1 }, pane);
                assert_eq!(tabs.len(), PANES.len());
                for tab in &tabs {
                    assert!(tab.area.width > 2 && tab.area.right() <= width, "{:?} at {width}", tab.pane);
                    let goes = keymap.keys(ActionId::Focus(tab.pane)).iter().any(|key| key.to_string() == tab.key);
                    assert!(goes || tab.key.is_empty() && !tab.name.is_empty(), "{} at {width}", tab.key);
                    assert!(!tab.name.contains(|c: char| c.is_ascii_digit()));
                }
            }
        }
    }
}
