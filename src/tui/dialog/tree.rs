//! The undo tree: every step and branch of the session; go to any of them.

use crossterm::event::{KeyCode, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};

use super::list::List;
use super::{Context, Dialog, Reply};
use crate::driver::{Command, Request};
use crate::episode::{Node, NodeId, Session};
use crate::tui::actions::ActionId;
use crate::tui::event::Input;
use crate::tui::panes::words;
use crate::tui::sanitize;
use crate::tui::theme::{Role, Theme};

/// A row: a node and how deep it is indented, in branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    node: NodeId,
    indent: usize,
    /// Whether it begins a branch beside an older one.
    branch: bool,
}

/// The tree.
pub struct Tree {
    rows: Vec<Row>,
    list: List,
}

impl Tree {
    /// The session's tree, the cursor on the current node.
    pub fn new(session: &Session) -> Self {
        let rows = rows(session);
        let at = rows.iter().position(|r| r.node == session.cursor()).unwrap_or(0);
        Tree { rows, list: List::at(at) }
    }
}

/// Nodes in drawing order: the oldest line of descent flat, every later branch indented below the node it leaves.
fn rows(session: &Session) -> Vec<Row> {
    let mut out = Vec::with_capacity(session.nodes().len());
    let mut waiting = vec![Row { node: 0, indent: 0, branch: false }];
    while let Some(row) = waiting.pop() {
        let Some(node) = session.node(row.node) else { continue };
        out.push(row);
        // The first child goes on in the same column and comes last; younger branches stand before it, right below their origin.
        for (i, child) in node.children.iter().enumerate() {
            let branch = i > 0;
            waiting.push(Row { node: *child, indent: row.indent + usize::from(branch), branch });
        }
    }
    out
}

fn line<'a>(row: Row, node: &'a Node, session: &Session, theme: &Theme) -> Line<'a> {
    let glyphs = &theme.glyphs;
    let current = row.node == session.cursor();
    let indent = row.indent.min(12);
    let mut lead = format!("{} ", glyphs.vertical).repeat(indent.saturating_sub(usize::from(row.branch)));
    if row.branch {
        lead.push_str(&format!("{} ", glyphs.branch));
    }
    let mark = node.action.as_ref().map(|_| words::mark(glyphs, session.mark_at(node)));
    let mark = mark.map_or(Span::raw("  "), |(glyph, role)| Span::styled(format!("{glyph} "), theme.style(role)));
    let action = node.action.as_ref().map_or("(start)", |a| a.text.as_str());
    let role = if current { Role::Accent } else { Role::Text };
    let mut spans = vec![
        Span::styled(lead, theme.style(Role::Dim)),
        Span::styled(format!("{:>3} ", node.depth), theme.style(Role::Dim)),
        mark,
        Span::styled(sanitize::line(action), theme.style(role)),
    ];
    if current {
        spans.push(Span::styled(format!("  {} here", glyphs.here), theme.style(Role::Accent)));
    }
    let rejected = node.turn.decisions.iter().filter(|d| !d.takes()).count();
    if rejected > 0 {
        spans.push(Span::styled(format!("  {rejected} rejected"), theme.style(Role::Dim)));
    }
    if node.outcome.won {
        spans.push(Span::styled(format!("  {} goal reached", glyphs.yes), theme.style(Role::Good)));
    } else if node.outcome.done {
        spans.push(Span::styled("  episode over", theme.style(Role::Warn)));
    } else if node.outcome.error.is_some() {
        spans.push(Span::styled("  refused", theme.style(Role::Bad)));
    } else if node.outcome.blocked.is_some() {
        spans.push(Span::styled("  blocked", theme.style(Role::Warn)));
    }
    if node.children.len() > 1 {
        spans.push(Span::styled(format!("  {} branches", node.children.len()), theme.style(Role::Warn)));
    }
    Line::from(spans)
}

impl Dialog for Tree {
    fn title(&self) -> String {
        "Steps and branches".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        vec![(ActionId::Accept, "go there"), (ActionId::ItemDown, "next"), (ActionId::Close, "cancel")]
    }

    fn captures_text(&self) -> bool {
        false
    }

    fn size(&self, _: Context<'_>) -> (u16, u16) {
        (84, u16::try_from(self.rows.len()).unwrap_or(u16::MAX).clamp(3, 40))
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let Some(session) = &context.view.session else { return };
        let rows = &self.rows;
        self.list.render(context.theme, area, frame, true, rows.len(), |i| {
            let Some((row, node)) = rows.get(i).and_then(|r| Some((*r, session.node(r.node)?))) else {
                return Line::default();
            };
            line(row, node, session, context.theme)
        });
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            self.list.act(action, self.rows.len());
            return Vec::new();
        }
        let row = self.rows.get(self.list.cursor());
        row.map(|r| vec![Reply::Close, Reply::Send(Command::Gate(Request::Goto(r.node)))]).unwrap_or_default()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        let Input::Key(key) = input else { return Vec::new() };
        match key.code {
            KeyCode::Char('j') => self.list.step(1, self.rows.len()),
            KeyCode::Char('k') => self.list.step(-1, self.rows.len()),
            KeyCode::Char('t' | 'q') => return vec![Reply::Close],
            KeyCode::Char('g') | KeyCode::Home => self.list = List::at(0),
            KeyCode::Char('G') | KeyCode::End => self.list = List::at(self.rows.len().saturating_sub(1)),
            _ => {}
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, _: Context<'_>) -> Vec<Reply> {
        self.list.mouse(event, area, self.rows.len());
        Vec::new()
    }
}
