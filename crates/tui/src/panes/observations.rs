//! Observations pane: the episode as the agent saw it: task, actions, observations, wrapped. Grows at the end without moving a reader.
//!
//! Of a node only the number of its lines is kept; the lines themselves are wrapped where they are looked at.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use ratatui::layout::Rect;
use smart_default::SmartDefault;

use super::trail::Trail;
use crate::pane::{Intent, Pane, PaneAction, PaneId};
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, Run, run};
use crate::widgets::outline::Outline;
use crate::widgets::{words, wrap};
use stepwright_episode::{Node, NodeId, Session};
use stepwright_protocol::{Command, Level, Request};

#[derive(Debug, Clone)]
struct Line {
    node: NodeId,
    role: Role,
    text: String,
    action: bool,
    /// The remark it is part of, by its number at the node.
    note: Option<usize>,
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
                pieces(session, node, &mut |piece| self.len += wrap::count(&piece.text, self.width));
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
        let siblings = &session.node(node.parent?)?.children;
        let at = siblings.iter().position(|id| *id == node.id).filter(|_| siblings.len() > 1)? + 1;
        Some(run(Role::Accent, format!("  {} branch {at} of {}", theme.glyphs.branch, siblings.len())))
    }
}

/// How a line of an observation looks: a user's words, remarks in parentheses, anything else.
fn role_of(line: &str) -> Role {
    match line {
        _ if line.starts_with("User: ") => Role::Title,
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
}

/// The texts of a node, in order.
fn pieces<'a>(session: &Session, node: &'a Node, each: &mut dyn FnMut(Piece<'a>)) {
    let mut push = |role, text: Cow<'a, str>, action| each(Piece { role, text, action, note: None });
    match &node.action {
        None => {
            push(Role::Title, format!("Task: {}", session.header.sentence).into(), false);
            push(Role::Text, "".into(), false);
        }
        Some(action) => {
            push(Role::Text, "".into(), false);
            push(Role::Accent, format!("> {}", action.text.replace('\n', "\n> ")).into(), true);
        }
    }
    if node.outcome.error.is_some() {
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
    if node.outcome.done {
        let how = words::ended(&node.outcome);
        let role = node.outcome.reached().map_or(Role::Text, |won| if won { Role::Good } else { Role::Bad });
        push(role, format!("The episode is over: {how}.").into(), false);
    }
    for (note, text) in node.turn.notes.iter().enumerate() {
        each(Piece { role: Role::Accent, text: format!("note: {text}").into(), action: false, note: Some(note) });
    }
}

fn lines_of(session: &Session, node: &Node, width: usize) -> Vec<Line> {
    let mut lines = Vec::new();
    pieces(session, node, &mut |piece| {
        let Piece { role, text, action, note } = piece;
        let wrapped = wrap::wrapped(&text, width).into_iter().enumerate();
        lines.extend(wrapped.map(|(at, text)| Line { node: node.id, role, text, action: action && at == 0, note }));
    });
    lines
}

impl Pane for ObservationsPane {
    fn id(&self) -> PaneId {
        PaneId::Observations
    }

    fn title(&self, view: &View) -> String {
        match view.node().map(|n| n.depth) {
            None | Some(0) => "Observations".into(),
            Some(n) => format!("Observations, {}", words::count(n as usize, "step")),
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
        outline.draw_rows(painter, area, window, focused, |at, _| {
            let Some(line) = self.line(Some(session), at) else { return Row::new() };
            let mark = self.mark(theme, session, &line);
            let mut runs = vec![Run { role: line.role, text: line.text }];
            runs.extend(mark);
            runs
        });
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
