//! Dialog of the tree of steps and branches: go to any of them; name, hide, delete a branch.

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply, key_row};
use crate::actions::{self, ActionId};
use crate::event::Input;
use crate::sanitize;
use crate::theme::{Glyphs, Role};
use crate::widgets::draw::{Painter, Row, run, split_bottom, width};
use crate::widgets::edit::Editor;
use crate::widgets::list::ListState;
use crate::widgets::words;
use stepwright_episode::{Branch, BranchEdit, NodeId, Session};
use stepwright_export::decided;
use stepwright_protocol::{Command, Request};
use stepwright_text::Columns;
use stepwright_text::words::count;

/// A step of the list: a node and how deep it is indented, in branches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Step {
    node: NodeId,
    indent: usize,
    /// Whether it begins a branch beside an older one.
    branch: bool,
}

/// The fewest columns of an action, and of a branch's name.
const LEAST: usize = 8;

/// Rows below the list: who decided and why, notes, keys.
const DETAIL: u16 = 4;

pub struct Tree {
    list: ListState,
    all: bool,
    /// A name being typed for the branch that begins at a node.
    naming: Option<(NodeId, Editor)>,
}

impl Tree {
    pub fn new(session: &Session) -> Self {
        let at = rows(session, false).iter().position(|r| r.node == session.cursor()).unwrap_or(0);
        Tree { list: ListState::at(at), all: false, naming: None }
    }

    fn rows(&self, context: Context<'_>) -> Vec<Step> {
        context.view.session.as_ref().map(|s| rows(s, self.all)).unwrap_or_default()
    }

    fn marked(&self, context: Context<'_>) -> Option<NodeId> {
        self.rows(context).get(self.list.cursor()).map(|row| row.node)
    }

    fn parts(area: Rect) -> (Rect, Rect) {
        split_bottom(area, DETAIL.min(area.height / 2))
    }

    fn edit(&self, context: Context<'_>, edit: impl Fn(&Branch) -> BranchEdit) -> Vec<Reply> {
        let Some((session, node)) = context.view.session.as_ref().zip(self.marked(context)) else { return Vec::new() };
        let branch = session.branch_start(node);
        let edit = edit(session.branch(branch).unwrap_or(&Branch::default()));
        vec![Reply::Send(Command::Gate(Request::EditBranch { branch, edit }))]
    }
}

/// Nodes in drawing order: the oldest line of descent flat, every later branch indented below the node it leaves. Of a hidden branch
/// only the first node is listed, of a deleted one nothing unless `all` are.
fn rows(session: &Session, all: bool) -> Vec<Step> {
    let mut out = Vec::with_capacity(session.nodes().len());
    let mut waiting = vec![Step { node: 0, indent: 0, branch: false }];
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
            waiting.push(Step { node: *child, indent: row.indent + usize::from(branch), branch });
        }
    }
    out
}

/// The row of a node in so many columns: what is said of it stays in sight, its action and its branch's name give way.
fn line(row: Step, session: &Session, all: bool, glyphs: &Glyphs, columns: usize) -> Row {
    let Some(node) = session.node(row.node) else { return Row::new() };
    let current = row.node == session.cursor();
    let indent = row.indent.min(12);
    let mut lead = format!("{} ", glyphs.vertical).repeat(indent.saturating_sub(usize::from(row.branch)));
    if row.branch {
        lead.push_str(&format!("{} ", glyphs.branch));
    }
    let did = words::happened(session, node);
    let mark = node.action.as_ref().map(|_| words::mark(glyphs, session.mark_at(node)));
    let mark = mark.map_or_else(|| run(Role::Text, "  "), |(glyph, role)| run(role, format!("{glyph} ")));
    let action = node.action.as_ref().map_or("(start)", |a| a.text.as_str());
    let role = if current { Role::Accent } else { Role::Text };
    let mut said = Row::new();
    let mut say = |text: String, role| said.push(run(role, format!("  {text}")));
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
    if let Some(words) = did.in_words() {
        say(words, Role::Accent);
    }
    if did.edited {
        say("by a person".into(), Role::Dim);
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
    // What executed nothing is no step, and has no number of its own.
    let number = if node.outcome.is_executed() { node.steps.to_string() } else { String::new() };
    let mut runs =
        vec![run(Role::Dim, lead), run(Role::Dim, format!("{number:>3}")), run(Role::Accent, did.mark()), mark];
    let room = columns.saturating_sub(width(&runs) + width(&said)).max(LEAST);
    let action = words::one_line(action);
    let action = sanitize::line(&action);
    let name = session.branch(row.node).map(|b| sanitize::line(&b.name)).filter(|name| !name.is_empty());
    // What one of the two does not need is the other's.
    let own = name.as_ref().map_or(room, |name| (room / 2).max(room.saturating_sub(name.width() + 4)));
    let action = sanitize::fit(&action, own, glyphs.ellipsis);
    let left = room.saturating_sub(action.width() + 4).max(LEAST);
    runs.push(run(role, action));
    runs.extend(name.map(|name| run(Role::Title, format!("  [{}]", sanitize::fit(&name, left, glyphs.ellipsis)))));
    runs.extend(said);
    runs
}

/// Who decided on the step to a node and why, then what was remarked there.
fn detail(session: &Session, node: NodeId, columns: usize) -> Vec<Row> {
    let Some(node) = session.node(node) else { return Vec::new() };
    let decided = Some(decided(session, node)).filter(|text| !text.is_empty());
    let notes = node.turn.notes.iter().map(|note| format!("note: {note}"));
    decided.into_iter().chain(notes).flat_map(|text| words::labelled("", Role::Text, &text, columns)).collect()
}

impl Dialog for Tree {
    fn info(&self) -> Info {
        let hints = match self.naming {
            Some(_) => vec![(ActionId::Accept, "name it"), (ActionId::Close, "leave it as it was")],
            None => vec![(ActionId::Accept, "go there"), (ActionId::ItemDown, "next"), (ActionId::Close, "close")],
        };
        Info {
            title: "Steps and branches".into(),
            hints,
            captures_text: self.naming.is_some(),
            keys: Some(actions::Context::Branches),
            opener: Some(ActionId::Tree),
            ..Info::default()
        }
    }

    fn leave_part(&mut self) -> bool {
        self.naming.take().is_some()
    }

    fn size(&self, context: Context<'_>) -> (u16, u16) {
        (84, u16::try_from(self.rows(context).len()).unwrap_or(u16::MAX).clamp(3, 36) + DETAIL)
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let Some(session) = &context.view.session else { return };
        let (rows, all) = (self.rows(context), self.all);
        let (list, rest) = Tree::parts(area);
        let glyphs = &painter.theme.glyphs;
        self.list.draw(painter, list, true, rows.len(), |at, columns| {
            rows.get(at).map(|row| line(*row, session, all, glyphs, columns)).unwrap_or_default()
        });
        let (above, last) = split_bottom(rest, 1);
        match &mut self.naming {
            Some((_, field)) => field.draw_field(painter, last, true),
            None => {
                let named: [(&[ActionId], &str); 4] = [
                    (&[ActionId::NameBranch], "name"),
                    (&[ActionId::HideBranch], "hide or show"),
                    (&[ActionId::DeleteBranch], "delete or bring back"),
                    (&[ActionId::DeletedBranches], if all { "leave deleted out" } else { "list deleted" }),
                ];
                let keys = format!("branch: {}", key_row(context.keymap, &named));
                painter.row(last, 0, &[run(Role::Dim, keys)]);
            }
        }
        if let Some(row) = rows.get(self.list.cursor()) {
            painter.rows(above, &detail(session, row.node, usize::from(above.width)));
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
                    (branch, Editor::field(session.branch(branch).map_or("", |b| b.name.as_str())))
                });
            }
            ActionId::HideBranch => return self.edit(context, |b| BranchEdit::Hide { hidden: !b.hidden }),
            ActionId::DeleteBranch => return self.edit(context, |b| BranchEdit::Delete { deleted: !b.deleted }),
            ActionId::DeletedBranches => self.all = !self.all,
            other => {
                self.list.act(other, self.rows(context).len());
            }
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
        let rows = self.rows(context).len();
        self.list.mouse(event, Tree::parts(area).0, rows);
        Vec::new()
    }
}
