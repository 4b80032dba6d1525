//! Observations pane: the episode as the agent saw it: task, actions, observations, wrapped. Grows at the end without moving a reader.
//!
//! Of a node only the number of its lines is kept; the lines themselves are wrapped where they are looked at.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier, Style};
use smart_default::SmartDefault;

use super::trail::Trail;
use crate::color::Depth;
use crate::pane::{Intent, Pane, PaneAction, PaneId, Wants};
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, Run, run};
use crate::widgets::outline::Outline;
use crate::widgets::{words, wrap};
use stepwright_episode::{Node, NodeId, Session};
use stepwright_protocol::{Command, Level, Request};
use stepwright_text::Columns;
use stepwright_text::sgr::{self, Look, Shade};

#[derive(Debug, Clone)]
struct Line {
    node: NodeId,
    role: Role,
    text: String,
    action: bool,
    /// The remark it is part of, by its number at the node.
    note: Option<usize>,
    /// Of a picture's line, how so many columns look, one after the other.
    looks: Vec<(Look, usize)>,
}

#[derive(Debug, SmartDefault)]
pub(crate) struct ObservationsPane {
    trail: Trail,
    /// Where the lines of each node on the path to the cursor begin, wrapped to `width`.
    starts: Vec<usize>,
    len: usize,
    /// The lines of the node that was asked for last, by its place on the path.
    last: RefCell<Option<(usize, Rc<[Line]>)>>,
    width: usize,
    /// How often remarks had been made or changed.
    remarks: usize,
    #[default(Outline::following())]
    outline: Outline,
}

impl ObservationsPane {
    /// Wraps the nodes from the `kept`-th on again.
    fn lay(&mut self, session: &Session, kept: usize) {
        let kept = kept.min(self.starts.len());
        self.len = self.starts.get(kept).copied().unwrap_or(self.len);
        self.starts.truncate(kept);
        self.last.take();
        for id in self.trail.ids().iter().skip(kept) {
            self.starts.push(self.len);
            if let Some(node) = session.node(*id) {
                pieces(session, node, &mut |piece| self.len += piece.count(self.width));
            }
        }
    }

    fn line(&self, session: Option<&Session>, at: usize) -> Option<Line> {
        let place = self.starts.partition_point(|start| *start <= at).checked_sub(1)?;
        let within = at - self.starts.get(place)?;
        let mut last = self.last.borrow_mut();
        let lines = match &*last {
            Some((known, lines)) if *known == place => Rc::clone(lines),
            _ => {
                let session = session?;
                let node = session.node(*self.trail.ids().get(place)?)?;
                let lines: Rc<[Line]> = lines_of(session, node, self.width).into();
                *last = Some((place, Rc::clone(&lines)));
                lines
            }
        };
        lines.get(within).cloned()
    }

    fn under_cursor(&self, view: &View) -> Option<Line> {
        self.line(view.session.as_ref(), self.outline.list.cursor())
    }

    /// Wraps everything to another width; the cursor stays on its node.
    fn rewrap(&mut self, session: &Session, width: usize) {
        if width == self.width || width == 0 {
            return;
        }
        let at = self.line(Some(session), self.outline.list.cursor()).map(|l| l.node);
        self.width = width;
        self.lay(session, 0);
        if let Some(depth) = at.and_then(|id| session.node(id)).map(|n| n.depth as usize) {
            let row = self.starts.get(depth).copied().unwrap_or(0);
            self.outline.list.go(row, self.len);
        }
        self.outline.list.grown(self.len);
    }

    fn mark(&self, theme: &Theme, session: &Session, line: &Line) -> Option<Run> {
        let node = session.node(line.node).filter(|_| line.action)?;
        let (at, siblings) = session.siblings(node).filter(|(_, siblings)| siblings.len() > 1)?;
        Some(run(Role::Accent, format!("  {} branch {} of {}", theme.glyphs.branch, at + 1, siblings.len())))
    }
}

/// How what a user says begins.
pub(crate) const USER: &str = "User: ";

/// How a line of an observation looks: a user's words, remarks in parentheses, anything else.
fn role_of(line: &str) -> Role {
    match line {
        _ if line.starts_with(USER) => Role::Title,
        _ if line.starts_with('(') && line.ends_with(')') => Role::Dim,
        _ => Role::Text,
    }
}

/// A text of a node before it is wrapped.
struct Piece<'a> {
    role: Role,
    text: Cow<'a, str>,
    action: bool,
    /// The remark it is, by its number at the node.
    note: Option<usize>,
    /// Whether it is a picture in characters, with their looks in it.
    picture: bool,
}

impl Piece<'_> {
    /// A picture's lines are not wrapped.
    fn count(&self, width: usize) -> usize {
        if self.picture { self.text.split('\n').count() } else { wrap::count(&self.text, width) }
    }

    fn lines(&self, width: usize) -> Vec<(String, Vec<(Look, usize)>)> {
        let Some(lines) = sgr::lines(&self.text).filter(|_| self.picture) else {
            return wrap::wrapped(&self.text, width).into_iter().map(|text| (text, Vec::new())).collect();
        };
        let line = |runs: Vec<(Look, String)>| {
            let safe: Vec<_> = runs.iter().map(|(look, text)| (*look, sanitize::line(text))).collect();
            let looks = safe.iter().map(|(look, text)| (*look, text.width())).collect();
            (safe.iter().map(|(_, text)| text.as_ref()).collect(), looks)
        };
        lines.into_iter().map(line).collect()
    }
}

/// How characters of a world's picture look. Where the theme has no colours, ground is reversed.
fn style_of(look: Look, theme: &Theme) -> Style {
    let color = |shade| match shade {
        Shade::Index(index) => Depth::Sixteen.nearest(Color::Indexed(index)),
        Shade::Rgb(r, g, b) => Depth::Sixteen.nearest(Color::Rgb(r, g, b)),
    };
    let coloured = theme.style(Role::Bad).fg.is_some();
    let shown = |shade: Option<Shade>| shade.filter(|_| coloured).and_then(color);
    let mut style = Style { fg: shown(look.fore), bg: shown(look.ground), ..Style::new() };
    let reversed = look.reversed != (look.ground.is_some() && !coloured);
    for (is, modifier) in [
        (look.bold, Modifier::BOLD),
        (look.dim, Modifier::DIM),
        (look.italic, Modifier::ITALIC),
        (look.underlined, Modifier::UNDERLINED),
        (reversed, Modifier::REVERSED),
    ] {
        if is {
            style = style.add_modifier(modifier);
        }
    }
    style
}

/// The texts of a node, in order.
fn pieces<'a>(session: &Session, node: &'a Node, each: &mut dyn FnMut(Piece<'a>)) {
    let mut push = |role, text: Cow<'a, str>, action| {
        let picture = text.contains('\x1b') && sgr::lines(&text).is_some();
        each(Piece { role, text, action, note: None, picture });
    };
    match &node.action {
        // A world whose first words say the task need not be told it.
        None if node.outcome.observation.contains(&session.header.sentence) => {}
        None => {
            push(Role::Title, format!("Task: {}", session.header.sentence).into(), false);
            push(Role::Text, "".into(), false);
        }
        Some(action) => {
            push(Role::Text, "".into(), false);
            push(Role::Accent, format!("> {}", action.text.replace('\n', "\n> ")).into(), true);
        }
    }
    let seen = node.outcome.observation.trim_end();
    if sgr::lines(seen).is_some() {
        let role = if node.outcome.error.is_some() { Role::Bad } else { Role::Text };
        push(role, seen.into(), false);
    } else if node.outcome.error.is_some() {
        push(Role::Bad, node.outcome.observation.trim_end().into(), false);
    } else {
        // Lines of one kind are wrapped together: a person's words are set off from the world's.
        let mut lines = node.outcome.observation.trim_end().split('\n').peekable();
        while let Some(line) = lines.next() {
            let (role, mut text) = (role_of(line), Cow::Borrowed(line));
            while let Some(next) = lines.next_if(|l| role_of(l) == role) {
                let text = text.to_mut();
                text.push('\n');
                text.push_str(next);
            }
            push(role, text, false);
        }
    }
    if let Some(error) = node.outcome.error.as_ref().filter(|e| node.outcome.observation.trim() != e.trim()) {
        push(Role::Bad, format!("(refused: {error})").into(), false);
    }
    for departure in &node.outcome.departures {
        push(Role::Warn, format!("(drift: {} did not follow: {})", departure.effect, departure.why).into(), false);
    }
    if node.outcome.done {
        let how = words::ended(&node.outcome);
        let role = node.outcome.reached().map_or(Role::Text, |won| if won { Role::Good } else { Role::Bad });
        push(role, format!("The episode is over: {how}.").into(), false);
    }
    for (note, text) in node.turn.notes.iter().enumerate() {
        let text = format!("note: {text}").into();
        each(Piece { role: Role::Accent, text, action: false, note: Some(note), picture: false });
    }
}

fn lines_of(session: &Session, node: &Node, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    pieces(session, node, &mut |piece| {
        let Piece { role, action, note, .. } = piece;
        let each = piece.lines(width).into_iter().enumerate();
        let line = |(at, (text, looks))| Line { node: node.id, role, text, action: action && at == 0, note, looks };
        lines.extend(each.map(line));
    });
    lines
}

impl Pane for ObservationsPane {
    fn id(&self) -> PaneId {
        PaneId::Observations
    }

    fn title(&self, view: &View) -> String {
        match self.trail.tip(view).map_or(0, |tip| tip.steps) {
            0 => "Observations".into(),
            n => format!("Observations, {}", words::count(n, "step")),
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let kept = self.trail.update(view);
        // Remarks can be changed at any step.
        let kept = if std::mem::replace(&mut self.remarks, view.remarks) == view.remarks { kept } else { 0 };
        if let Some(session) = &view.session {
            if self.width > 0 {
                self.lay(session, kept);
            }
        } else {
            self.len = 0;
            self.starts.clear();
            self.last.take();
        }
        self.outline.list.grown(self.len);
        Vec::new()
    }

    fn wants(&mut self, view: &View, _theme: &Theme, width: u16) -> Wants {
        let columns = usize::from(width).saturating_sub(1);
        let Some(session) = view.session.as_ref().filter(|_| columns != self.width) else {
            return Wants::exactly(self.len);
        };
        let mut rows = 0;
        for node in self.trail.ids().iter().filter_map(|id| session.node(*id)) {
            pieces(session, node, &mut |piece| rows += piece.count(columns.max(1)));
        }
        Wants::exactly(rows)
    }

    fn shows_answer(&mut self, view: &View, inside: Size) -> bool {
        let Some(session) = view.session.as_ref() else { return false };
        self.rewrap(session, usize::from(inside.width).saturating_sub(1));
        let rows = self.len - self.starts.last().copied().unwrap_or(0).min(self.len);
        let search = usize::from(self.outline.find.is_open() || !self.outline.find.pattern().is_empty());
        self.outline.list.cursor() + 1 >= self.len && rows + search <= usize::from(inside.height)
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, _view: &View) -> usize {
        self.len
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        self.line(view.session.as_ref(), row).map(|line| line.text).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let Some(session) = view.session.as_ref().filter(|s| s.is_started()) else {
            painter.empty(area, "Nothing observed yet. Begin an episode or open a session on the start screen.");
            return;
        };
        let area = self.outline.find.draw(painter, area);
        // One column is kept for the scroll indicator, so that nothing is wrapped again when it appears or vanishes.
        self.rewrap(session, usize::from(area.width).saturating_sub(1));
        let mut outline = std::mem::take(&mut self.outline);
        let (theme, focused) = (painter.theme, painter.focused);
        let window = outline.list.window(self.len, usize::from(area.height));
        painter.scrollbar(area, window.start, self.len);
        let area = Rect { width: area.width.saturating_sub(1), ..area };
        outline.draw_rows(painter, area, window.clone(), focused, |at, _| {
            let Some(line) = self.line(Some(session), at) else { return Row::new() };
            let mark = self.mark(theme, session, &line);
            let mut runs = vec![Run { role: line.role, text: line.text }];
            runs.extend(mark);
            runs
        });
        for (row, at) in window.enumerate() {
            let chosen = focused && at == outline.list.cursor();
            let Some(line) = self.line(Some(session), at).filter(|line| !chosen && !line.looks.is_empty()) else {
                continue;
            };
            let mut x = area.x;
            for (look, columns) in &line.looks {
                let width = u16::try_from(*columns).unwrap_or(u16::MAX);
                let run = painter.clip(Rect { x, y: area.y + row as u16, width, height: 1 }).intersection(area);
                painter.buf.set_style(run, style_of(*look, theme));
                x = x.saturating_add(width);
            }
        }
        self.outline = outline;
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.len == 0 {
            return Vec::new();
        }
        let mut actions = vec![(PaneAction::Activate, "go here"), (PaneAction::Copy, "copy text")];
        if self.under_cursor(view).is_some_and(|line| line.note.is_some()) {
            actions.insert(0, (PaneAction::Edit, "edit note"));
        }
        actions.extend(self.outline.actions());
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        let line = self.under_cursor(view);
        let node = line.as_ref().and_then(|line| view.session.as_ref()?.node(line.node));
        match action {
            PaneAction::Activate => match node {
                Some(node) if view.session.as_ref().is_some_and(|s| s.cursor() != node.id) => {
                    vec![Intent::Send(Command::Gate(Request::Goto(node.id)))]
                }
                _ => vec![Intent::Say(Level::Info, "the episode is at this step".into())],
            },
            PaneAction::Edit => {
                let note = line.as_ref().and_then(|line| line.note).zip(node);
                let intent = note.and_then(|(note, node)| {
                    let text = node.turn.notes.get(note)?.clone();
                    Some(Intent::EditNote { node: node.id, note, text })
                });
                intent.into_iter().collect()
            }
            PaneAction::Copy => node.map(|n| Intent::Copy(n.outcome.observation.clone())).into_iter().collect(),
            _ => self.browse(action, view),
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use stepwright_episode::{Action, Actor, Choice, Decision, Event, Header, Origin, Proposal, Record, StepOutcome};

    use super::*;
    use crate::theme::UNICODE;

    #[test]
    fn a_blocked_selection_is_no_step_of_the_title() {
        let mut session = Session::new(Header::default());
        let apply = |session: &mut Session, event| {
            let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
            session.apply(&record).unwrap();
        };
        apply(&mut session, Event::Started { outcome: Arc::default() });
        for blocked in [None, Some("closed".to_owned()), None] {
            let (id, action) = (session.next_proposal(), Action::new("go", None));
            let proposal = Proposal { action: Some(action.clone()), ..Proposal::new(id, "go", Origin::Greedy) };
            apply(&mut session, Event::Proposed { proposal: proposal.into() });
            let (decision, choice) = (session.next_decision(), Choice::Approve { proposal: id });
            let decided = Decision { id: decision, choice, by: Actor::Person, why: String::new() };
            apply(&mut session, Event::Decided { decision: decided.into() });
            let outcome = StepOutcome { blocked, ..StepOutcome::default() };
            let (child, action, changes) = (session.next_node(), action.into(), serde_json::json!([]).into());
            apply(&mut session, Event::Executed { decision, child, action, outcome: outcome.into(), changes });
        }
        let mut view = View::default();
        view.session = Some(session);
        let mut pane = ObservationsPane::default();
        pane.update(&view);
        assert_eq!(pane.title(&view), "Observations, 2 steps");
    }

    #[test]
    fn a_picture_in_characters_is_drawn_with_its_looks_and_not_wrapped() {
        let text = "S\x1b[41mFF\x1b[0mF \x1b[2JH\nG".into();
        let piece = Piece { role: Role::Text, text, action: false, note: None, picture: true };
        let lines = piece.lines(2);
        assert_eq!(lines.iter().map(|(text, _)| text.as_str()).collect::<Vec<_>>(), ["SFFF \\x1b[2JH", "G"]);
        assert_eq!(piece.count(2), 2);
        let red = Look { ground: Some(Shade::Index(1)), ..Look::default() };
        assert_eq!(lines[0].1, [(Look::default(), 1), (red, 2), (Look::default(), 10)]);
        let plain = Theme::monochrome(UNICODE);
        assert_eq!(style_of(red, &plain), Style::new().add_modifier(Modifier::REVERSED));
        let mut coloured = Theme::monochrome(UNICODE);
        coloured.set(Role::Bad, Style::new().fg(Color::Red));
        assert_eq!(style_of(red, &coloured), Style::new().bg(Color::Red));
    }
}
