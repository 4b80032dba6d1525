//! Dialog of the tree of steps and branches: go to any of them; name, hide, delete a branch.

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::Rect;
use ratatui::text::{Line, Span};
use unicode_width::UnicodeWidthStr;

use super::field::Field;
use super::list::List;
use super::{Context, Dialog, Reply, key_row};
use crate::actions::{self, ActionId};
use crate::event::Input;
use crate::panes::words;
use crate::sanitize;
use crate::theme::{Role, Theme};
use stepwright_driver::{Command, Request};
use stepwright_episode::{Branch, BranchEdit, NodeId, Session};
use stepwright_export::decided;
use stepwright_text::words::count;
use stepwright_text::wrap::wrapped;

/// A row: a node and how deep it is indented, in branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Row {
    node: NodeId,
    indent: usize,
    /// Whether it begins a branch beside an older one.
    branch: bool,
}

/// The fewest columns of an action, and of a branch's name.
const LEAST: usize = 8;

/// Rows below the list: who decided and why, notes, keys.
const DETAIL: u16 = 4;

/// The tree.
pub struct Tree {
    list: List,
    /// Whether deleted branches are listed too.
    all: bool,
    /// A name being typed for the branch that begins at a node.
    naming: Option<(NodeId, Field)>,
}

impl Tree {
    /// The session's tree, the cursor on the current node.
    pub fn new(session: &Session) -> Self {
        let at = rows(session, false).iter().position(|r| r.node == session.cursor()).unwrap_or(0);
        Tree { list: List::at(at), all: false, naming: None }
    }

    fn rows(&self, context: Context<'_>) -> Vec<Row> {
        context.view.session.as_ref().map(|s| rows(s, self.all)).unwrap_or_default()
    }

    fn marked(&self, context: Context<'_>) -> Option<NodeId> {
        self.rows(context).get(self.list.cursor()).map(|row| row.node)
    }

    /// Changes the branch that the marked node is on.
    fn edit(&self, context: Context<'_>, edit: impl Fn(&Branch) -> BranchEdit) -> Vec<Reply> {
        let Some((session, node)) = context.view.session.as_ref().zip(self.marked(context)) else { return Vec::new() };
        let branch = session.branch_start(node);
        let edit = edit(session.branch(branch).unwrap_or(&Branch::default()));
        vec![Reply::Send(Command::Gate(Request::EditBranch { branch, edit }))]
    }
}

/// Nodes in drawing order: the oldest line of descent flat, every later branch indented below the node it leaves. Of a hidden branch
/// only the first node is listed, of a deleted one nothing unless `all` are.
fn rows(session: &Session, all: bool) -> Vec<Row> {
    let mut out = Vec::with_capacity(session.nodes().len());
    let mut waiting = vec![Row { node: 0, indent: 0, branch: false }];
    while let Some(row) = waiting.pop() {
        let Some(node) = session.node(row.node) else { continue };
        let branch = session.branch(row.node);
        if branch.is_some_and(|b| b.deleted) && !all {
            continue;
        }
        out.push(row);
        if branch.is_some_and(|b| b.hidden) && row.node != session.branch_start(session.cursor()) {
            continue;
        }
        // The first child continues in the same column and is last; younger branches come before it, right below their origin.
        for (i, child) in node.children.iter().enumerate() {
            let branch = i > 0;
            waiting.push(Row { node: *child, indent: row.indent + usize::from(branch), branch });
        }
    }
    out
}

/// The row of a node in so many columns: what is said of it stays in sight, its action and its branch's name give way.
fn line<'a>(row: Row, session: &'a Session, all: bool, theme: &Theme, width: usize) -> Line<'a> {
    let Some(node) = session.node(row.node) else { return Line::default() };
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
    let mut said: Vec<Span<'a>> = Vec::new();
    let mut say = |text: String, role| said.push(Span::styled(format!("  {text}"), theme.style(role)));
    if let Some(branch) = session.branch(row.node) {
        match (branch.deleted, branch.hidden) {
            (true, _) => say("deleted".into(), Role::Bad),
            (false, true) => say("hidden".into(), Role::Warn),
            (false, false) => {}
        }
    }
    if current {
        say(format!("{} here", glyphs.here), Role::Accent);
    }
    let rejected = node.turn.decisions.iter().filter(|d| !d.takes()).count();
    if rejected > 0 {
        say(format!("{rejected} rejected"), Role::Dim);
    }
    if !node.turn.notes.is_empty() {
        say(count(node.turn.notes.len(), "note"), Role::Dim);
    }
    if node.outcome.won {
        say(format!("{} goal reached", glyphs.yes), Role::Good);
    } else if node.outcome.done {
        say("episode over".into(), Role::Warn);
    } else if node.outcome.error.is_some() {
        say("refused".into(), Role::Bad);
    } else if node.outcome.blocked.is_some() {
        say("blocked".into(), Role::Warn);
    } else if let Some(held) = &node.outcome.held {
        say(held.clone(), Role::Dim);
    }
    let listed = |child: &&NodeId| all || !session.branch(**child).is_some_and(|b| b.deleted);
    let branches = node.children.iter().filter(listed).count();
    if branches > 1 {
        say(format!("{branches} branches"), Role::Warn);
    }
    let mut spans = vec![
        Span::styled(lead, theme.style(Role::Dim)),
        Span::styled(format!("{:>3} ", node.depth), theme.style(Role::Dim)),
        mark,
    ];
    let columns = |spans: &[Span<'_>]| spans.iter().map(Span::width).sum::<usize>();
    let room = width.saturating_sub(columns(&spans) + columns(&said)).max(LEAST);
    let action = sanitize::line(action);
    let name = session.branch(row.node).map(|b| b.name.as_str()).filter(|name| !name.is_empty());
    // What one of the two does not need is the other's.
    let asked = name.map_or(0, |name| sanitize::line(name).width() + 4);
    let own = if name.is_some() { (room / 2).max(room.saturating_sub(asked)) } else { room };
    let action = sanitize::fit(&action, own, glyphs.ellipsis).into_owned();
    let left = room.saturating_sub(action.width() + 4).max(LEAST);
    spans.push(Span::styled(action, theme.style(role)));
    if let Some(name) = name {
        let name = sanitize::line(name);
        let name = format!("  [{}]", sanitize::fit(&name, left, glyphs.ellipsis));
        spans.push(Span::styled(name, theme.style(Role::Title)));
    }
    spans.extend(said);
    Line::from(spans)
}

/// Who decided on the step to a node and why, then what was remarked there.
fn detail<'a>(session: &Session, node: NodeId, width: usize, theme: &Theme) -> Vec<Line<'a>> {
    let Some(node) = session.node(node) else { return Vec::new() };
    let decided = decided(session, node);
    let notes = node.turn.notes.iter().map(|note| (Role::Text, format!("note: {note}")));
    let decided = Some((Role::Text, decided)).filter(|(_, text)| !text.is_empty());
    let lines = decided.into_iter().chain(notes);
    lines
        .flat_map(|(role, text)| wrapped(&text, width).into_iter().map(move |text| (role, text)))
        .map(|(role, text)| Line::styled(text, theme.style(role)))
        .collect()
}

impl Dialog for Tree {
    fn title(&self) -> String {
        "Steps and branches".into()
    }

    fn hints(&self) -> Vec<(ActionId, &'static str)> {
        if self.naming.is_some() {
            return vec![(ActionId::Accept, "name it"), (ActionId::Close, "leave it as it was")];
        }
        vec![(ActionId::Accept, "go there"), (ActionId::ItemDown, "next"), (ActionId::Close, "cancel")]
    }

    fn captures_text(&self) -> bool {
        self.naming.is_some()
    }

    fn keys(&self) -> Option<actions::Context> {
        Some(actions::Context::Branches)
    }

    fn opener(&self) -> Option<ActionId> {
        Some(ActionId::Tree)
    }

    fn leave_part(&mut self) -> bool {
        self.naming.take().is_some()
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        (84, u16::try_from(self.rows(context).len()).unwrap_or(u16::MAX).clamp(3, 36) + DETAIL)
    }

    fn render(&mut self, context: Context<'_>, area: Rect, frame: &mut Frame<'_>) {
        let Some(session) = &context.view.session else { return };
        let (theme, rows) = (context.theme, self.rows(context));
        let below = DETAIL.min(area.height / 2);
        let (list, rest) =
            (Rect { height: area.height - below, ..area }, Rect { y: area.bottom() - below, height: below, ..area });
        // A list that is scrolled has its bar in the last column.
        let bar = usize::from(rows.len() > usize::from(list.height));
        let width = usize::from(list.width).saturating_sub(List::MARK + bar);
        self.list.render(theme, list, frame, true, rows.len(), |i| {
            rows.get(i).map_or_else(Line::default, |row| line(*row, session, self.all, theme, width))
        });
        let last = Rect { y: rest.bottom().saturating_sub(1), height: rest.height.min(1), ..rest };
        match &mut self.naming {
            Some((_, field)) => field.render(theme, last, frame, true),
            None => {
                let named: [(&[ActionId], &str); 4] = [
                    (&[ActionId::NameBranch], "name"),
                    (&[ActionId::HideBranch], "hide or show"),
                    (&[ActionId::DeleteBranch], "delete or bring back"),
                    (&[ActionId::DeletedBranches], if self.all { "leave deleted out" } else { "list deleted" }),
                ];
                let keys = format!("branch: {}", key_row(context.keymap, &named));
                frame.render_widget(Line::styled(keys, theme.style(Role::Dim)), last);
            }
        }
        let Some(row) = rows.get(self.list.cursor()) else { return };
        let lines = detail(session, row.node, usize::from(rest.width), theme);
        for (y, line) in (rest.y..last.y).zip(lines) {
            frame.render_widget(line, Rect { y, height: 1, ..rest });
        }
    }

    fn act(&mut self, action: ActionId, context: Context<'_>) -> Vec<Reply> {
        if let Some((branch, field)) = self.naming.take_if(|_| action == ActionId::Accept) {
            let edit = BranchEdit::Name { name: field.text().trim().to_owned() };
            return vec![Reply::Send(Command::Gate(Request::EditBranch { branch, edit }))];
        }
        match action {
            ActionId::Accept => {
                let node = self.marked(context);
                return node
                    .map(|n| vec![Reply::Close, Reply::Send(Command::Gate(Request::Goto(n)))])
                    .unwrap_or_default();
            }
            ActionId::NameBranch => {
                let session = context.view.session.as_ref();
                self.naming = session.zip(self.marked(context)).map(|(session, node)| {
                    let branch = session.branch_start(node);
                    (branch, Field::new(session.branch(branch).map_or("", |b| b.name.as_str())))
                });
            }
            ActionId::HideBranch => return self.edit(context, |b| BranchEdit::Hide { hidden: !b.hidden }),
            ActionId::DeleteBranch => return self.edit(context, |b| BranchEdit::Delete { deleted: !b.deleted }),
            ActionId::DeletedBranches => self.all = !self.all,
            other => self.list.act(other, self.rows(context).len()),
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if let Some((_, field)) = &mut self.naming {
            field.input(input);
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        let list = Rect { height: area.height.saturating_sub(DETAIL.min(area.height / 2)), ..area };
        let rows = self.rows(context).len();
        self.list.mouse(event, list, rows);
        Vec::new()
    }
}
