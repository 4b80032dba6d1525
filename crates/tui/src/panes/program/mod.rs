//! Program pane: the trajectory as a program: specification, opening, calls, verdicts; lines are edited in place and checked as one types.
//! Observations of a step fold into its action's row.
//!
//! `rows` says which line is on which row, `highlight` colours, `editing` edits; the program that answers a
//! request is shown below by `excerpt`.

mod editing;
mod excerpt;
pub(super) mod highlight;
mod render;
mod rows;

use std::collections::{BTreeSet, HashMap};
use std::time::Duration;

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;
use smart_default::SmartDefault;

use self::editing::Editing;
use self::excerpt::ProgramExcerpt;
use self::rows::Line;
use super::trail::Trail;
use crate::event::Input;
use crate::pane::{Intent, Pane, PaneAction, PaneId, Wants, rows_of};
use crate::theme::Theme;
use crate::view::View;
use crate::widgets::draw::{Painter, Row};
use crate::widgets::outline::{Mouse, Outline};
use crate::widgets::words;
use stepwright_episode::{ArtifactId, Node, NodeId, Session};
use stepwright_protocol::{Command, Level, Request};

/// How often to look whether highlighting is ready.
const LOADING: Duration = Duration::from_millis(60);
/// Columns a horizontal scroll moves.
const SIDEWAYS: usize = 8;

#[derive(Debug, SmartDefault)]
pub(crate) struct ProgramPane {
    #[default(Trail::to_tip())]
    trail: Trail,
    specification: Vec<String>,
    opening: Vec<String>,
    /// Whether the specification is shown, and whether a person wants it to be; else it is where there is room.
    unfolded: bool,
    by_hand: Option<bool>,
    heading: usize,
    lines: Vec<Line>,
    /// Of each node of the trail the lines of the whole program before it, and after the last how many there are in all.
    starts: Vec<usize>,
    /// Nodes of which the lines seen are shown.
    open: BTreeSet<NodeId>,
    /// The session's cursor as last seen, and the last row of its step.
    cursor: Option<NodeId>,
    here: usize,
    outline: Outline,
    skip: usize,
    /// Highlighted lines; calls by line, the specification in order.
    coloured: HashMap<Line, Row>,
    coloured_specification: Vec<Row>,
    specification_pass: Option<highlight::Lines<'static>>,
    editing: Option<Editing>,
}

impl ProgramPane {
    fn restart(&mut self, session: &Session) {
        *self = ProgramPane { trail: std::mem::take(&mut self.trail), ..ProgramPane::default() };
        self.specification = session.header.specification.lines().map(str::to_owned).collect();
        self.opening = rows::opening(session);
        self.lay_heading();
    }

    /// Lays out the rows before the trajectory again; the rows after them stay.
    fn lay_heading(&mut self) {
        let mut heading = vec![Line::Fold];
        if self.unfolded {
            heading.extend((0..self.specification.len()).map(Line::Specification));
            heading.extend((0..self.opening.len()).map(Line::Opening));
        }
        let old = self.heading.min(self.lines.len());
        self.heading = heading.len();
        self.lines.splice(..old, heading);
    }

    fn lay_trajectory(&mut self, session: &Session, kept: usize) {
        let keep_below = self.trail.ids().get(kept.wrapping_sub(1)).copied();
        let end = match keep_below {
            // The rows of kept nodes stay: all up to the first row of another node, sought from the end.
            Some(last) if kept > 0 => self
                .lines
                .iter()
                .rposition(|l| l.node() == Some(last))
                .map_or_else(|| self.rows_before(session, kept), |at| at + 1),
            _ => self.heading,
        };
        self.lines.truncate(end.max(self.heading));
        self.starts.truncate(kept + 1);
        if self.starts.is_empty() {
            self.starts.push(self.before());
        }
        for node in self.trail.ids().iter().skip(kept).filter_map(|id| session.node(*id)) {
            rows::push_node(node, self.open.contains(&node.id), &mut self.lines);
            self.starts.push(self.starts.last().copied().unwrap_or_default() + rows::count(node));
        }
    }

    /// How many rows the heading and the first `kept` nodes take; for a kept node without rows.
    fn rows_before(&self, session: &Session, kept: usize) -> usize {
        let mut count = Vec::new();
        for node in self.trail.ids().iter().take(kept).filter_map(|id| session.node(*id)) {
            rows::push_node(node, self.open.contains(&node.id), &mut count);
        }
        self.heading + count.len()
    }

    /// The last row of the step that led to the session's cursor.
    fn find_here(&self, session: &Session) -> usize {
        let depth = session.current().map_or(0, |n| n.depth as usize);
        // The nearest ancestor that has rows; the search starts at the end the cursor is usually at.
        for id in self.trail.ids().iter().take(depth + 1).rev() {
            if let Some(at) = self.lines.iter().rposition(|l| l.node() == Some(*id)) {
                return at;
            }
        }
        self.heading.saturating_sub(1)
    }

    fn line(&self) -> Option<Line> {
        self.lines.get(self.outline.list.cursor()).copied()
    }

    /// The step under the cursor, where lines of it fold.
    fn folding<'a>(&self, view: &'a View) -> Option<&'a Node> {
        view.session.as_ref()?.node(self.line()?.node()?).filter(|node| rows::foldable(node) > 0)
    }

    /// Opens or folds what was seen at the step under the cursor; elsewhere the specification.
    fn toggle_fold(&mut self, view: &View) {
        let line = self.line();
        if let Some((node, session)) = self.folding(view).zip(view.session.as_ref()) {
            if !self.open.remove(&node.id) {
                self.open.insert(node.id);
            }
            self.lay_trajectory(session, node.depth as usize);
            self.here = self.find_here(session);
            let own = self.lines.iter().position(|l| l.node() == Some(node.id));
            let at = line.and_then(|l| self.lines.iter().position(|x| *x == l)).or(own).unwrap_or(0);
            return self.outline.list.go(at, self.lines.len());
        }
        self.by_hand = Some(!self.unfolded);
        self.unfold(!self.unfolded);
    }

    /// Shows what stands before the trajectory, or folds it.
    fn unfold(&mut self, open: bool) {
        let (line, before) = (self.line(), self.heading);
        self.unfolded = open;
        self.lay_heading();
        self.here = (self.here + self.heading).saturating_sub(before);
        // The cursor stays on its line, or goes to the fold that hides it.
        let at = line.and_then(|l| self.lines.iter().position(|x| *x == l)).unwrap_or(0);
        self.outline.list.go(at, self.lines.len());
    }

    /// Lines before the trajectory.
    fn before(&self) -> usize {
        self.specification.len() + self.opening.len()
    }

    /// Rows with what stands before the trajectory folded.
    fn folded_len(&self) -> usize {
        self.lines.len() - if self.unfolded { self.before().min(self.lines.len()) } else { 0 }
    }

    fn activate(&mut self, view: &View) -> Vec<Intent> {
        match self.line() {
            Some(Line::Fold | Line::Specification(_) | Line::Seen(_)) => {
                self.toggle_fold(view);
                Vec::new()
            }
            Some(Line::Bare(node) | Line::Call(node, _)) => go_to(view, node),
            Some(Line::Opening(_)) => go_to(view, 0),
            None => Vec::new(),
        }
    }

    /// The sibling after the node of the row under the cursor, around the end.
    fn sibling(&self, view: &View) -> Option<NodeId> {
        let session = view.session.as_ref()?;
        let node = session.node(self.line()?.node()?)?;
        let (at, siblings) = session.siblings(node)?;
        siblings.get((at + 1) % siblings.len()).copied().filter(|id| *id != node.id)
    }

    fn begin_edit(&mut self, view: &View) -> Vec<Intent> {
        let Some((line, session)) = self.line().zip(view.session.as_ref()) else { return Vec::new() };
        let say = |text: &str| vec![Intent::Say(Level::Info, text.to_owned())];
        let Some(node) = line.node().and_then(|id| session.node(id)) else {
            return say("only the trajectory's action lines can be edited here");
        };
        // An observation's line leads to the action it answers.
        if !rows::is_action(line, session) {
            let above = self.lines.iter().position(|l| l.node() == Some(node.id) && rows::is_action(*l, session));
            let Some(row) = above else { return say("what the world said at the reset cannot be edited") };
            self.outline.list.go(row, self.lines.len());
        }
        let Some(text) = rows::editable(node) else { return Vec::new() };
        if text.contains('\n') {
            return say("a program of many lines is edited where it is offered: undo to there, then edit the proposal");
        }
        self.editing = Some(Editing::new(node.id, &text));
        Vec::new()
    }
}

fn go_to(view: &View, node: NodeId) -> Vec<Intent> {
    match view.session.as_ref() {
        Some(session) if session.cursor() != node => vec![Intent::Send(Command::Gate(Request::Goto(node)))],
        _ => vec![Intent::Say(Level::Info, "the episode is at this step".into())],
    }
}

impl Pane for ProgramPane {
    fn id(&self) -> PaneId {
        PaneId::Program
    }

    fn title(&self, view: &View) -> String {
        let Some(node) = view.node() else { return "Program".into() };
        let tip = self.trail.tip(view).map_or(0, |tip| tip.steps);
        let step = node.steps;
        let of = if tip > step { format!(", step {step} of {tip}") } else { String::new() };
        let settings = view.session.as_ref().and_then(words::settings);
        let settings = settings.map(|settings| format!(", {settings}")).unwrap_or_default();
        format!("Program{of}{settings}")
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let kept = self.trail.update(view);
        let Some(session) = view.session.as_ref().filter(|s| s.is_started()) else {
            self.lines.clear();
            self.heading = 0;
            self.cursor = None;
            return Vec::new();
        };
        if kept == 0 {
            self.restart(session);
        }
        let grown = kept < self.trail.ids().len();
        let shrunk = self.lines.last().and_then(|l| l.node()) != self.trail.ids().last().copied();
        if grown || shrunk {
            self.lay_trajectory(session, kept);
        }
        if self.cursor != Some(session.cursor()) || grown {
            self.here = self.find_here(session);
        }
        if self.cursor != Some(session.cursor()) && self.editing.is_none() {
            self.outline.list.go(self.here, self.lines.len());
        }
        self.cursor = Some(session.cursor());
        if let Some(editing) = &mut self.editing {
            editing.update(view);
        }
        highlight::prepare();
        if highlight::is_ready() { Vec::new() } else { vec![Intent::WakeIn(LOADING)] }
    }

    fn wants(&mut self, view: &View, _theme: &Theme, _width: u16) -> Wants {
        let below = ProgramExcerpt::of(view, self.line().and_then(Line::node)).map_or(0, |excerpt| excerpt.height());
        // What is below the trajectory gets at most a half.
        let rows = |lines: usize| rows_of((lines + below).max(2 * below));
        let folded = self.folded_len();
        let unfolds = self.by_hand != Some(false);
        Wants {
            needs: Some(rows(if self.by_hand == Some(true) { self.lines.len() } else { folded })),
            uses: rows(if unfolds { folded + self.before() } else { folded }),
        }
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, _view: &View) -> usize {
        self.lines.len()
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        let line = self.lines.get(row).copied().zip(view.session.as_ref());
        line.and_then(|(l, s)| rows::text(l, s, &self.specification, &self.opening)).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        self.draw_all(view, painter, area);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        if self.lines.is_empty() {
            return Vec::new();
        }
        let fold = match self.folding(view) {
            Some(node) if self.open.contains(&node.id) => "fold what was seen",
            Some(_) => "show what was seen",
            None if self.unfolded => "fold specification",
            None => "show specification",
        };
        let mut actions = Vec::new();
        match self.line() {
            Some(Line::Bare(_) | Line::Call(..)) => {
                actions.extend([(PaneAction::Activate, "go here"), (PaneAction::Edit, "edit line")]);
            }
            Some(Line::Opening(_)) => actions.push((PaneAction::Activate, "go to the start")),
            _ => actions.push((PaneAction::Activate, fold)),
        }
        if self.sibling(view).is_some() {
            actions.push((PaneAction::Cycle, "other branch"));
        }
        actions.extend([
            (PaneAction::ToggleFold, fold),
            (PaneAction::Copy, "copy line"),
            (PaneAction::Left, "left"),
            (PaneAction::Right, "right"),
        ]);
        actions.extend(self.turns(view));
        actions.extend(self.outline.actions());
        actions
    }

    fn documents(&self, view: &View) -> Vec<ArtifactId> {
        view.changed_plan().into_iter().collect()
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Activate => return self.activate(view),
            PaneAction::Edit => return self.begin_edit(view),
            PaneAction::ToggleFold => self.toggle_fold(view),
            PaneAction::Cycle => {
                return self
                    .sibling(view)
                    .map(|id| Intent::Send(Command::Gate(Request::Goto(id))))
                    .into_iter()
                    .collect();
            }
            PaneAction::Copy => {
                return vec![Intent::Copy(self.row_text(self.outline.list.cursor(), view).trim().to_owned())];
            }
            PaneAction::Left => self.skip = self.skip.saturating_sub(SIDEWAYS),
            PaneAction::Right => self.skip = (self.skip + SIDEWAYS).min(10_000),
            _ => return self.browse(action, view),
        }
        Vec::new()
    }

    fn is_editing(&self) -> bool {
        self.editing.is_some()
    }

    fn edit(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        let Some(mut editing) = self.editing.take() else { return Vec::new() };
        let (keep, intents) = editing.input(input, view);
        self.editing = keep.then_some(editing);
        intents
    }

    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if self.editing.is_none()
            && let Mouse::Clicked(row) = self.outline.mouse(event, self.lines.len())
            && matches!(self.lines.get(row), Some(Line::Fold | Line::Seen(_)))
        {
            self.toggle_fold(view);
        }
        Vec::new()
    }

    fn wake(&mut self, view: &View) -> Vec<Intent> {
        let mut intents = Vec::new();
        if view.session.is_some() && !highlight::is_ready() {
            intents.push(Intent::WakeIn(LOADING));
        }
        if let Some(editing) = &mut self.editing {
            intents.extend(editing.wake(view, self.trail.ids()));
        }
        intents
    }
}
