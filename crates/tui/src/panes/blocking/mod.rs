//! Blocking pane: what blocks the chosen action or the goal, as a tree of goals, actions, conditions and resolutions with reasons.
//!
//! In a world with a blocking domain it is the live tree, whose leaves are candidates: a person prunes, adds, moves and forces.

mod changes;
pub(crate) mod marks;
mod rows;

use std::collections::{BTreeMap, BTreeSet, HashSet};
use std::sync::Arc;

use ratatui::layout::Rect;

use crate::actions::ActionId;
use crate::pane::{Intent, Pane, PaneAction, PaneId, Wants};
use crate::panes::proposals;
use crate::sanitize;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, split_bottom, split_top};
use crate::widgets::outline::Outline;
use crate::widgets::words;
use stepwright_episode::{ArtifactId, Check, CheckKind, Mark, Proposal, Verdict};
use stepwright_protocol::{Command, Level, Situation};
use stepwright_world::blocking::{BlockingNode, BlockingTree, NodeKind, NodeStatus};

const WHY: u16 = 5;
/// Columns of the rule over the words beside the row that they are of: its ends, and the keys that scroll them.
const BESIDE: u16 = 24;

/// Where the shown tree comes from; held so that it is not copied.
#[derive(Debug, Clone)]
enum Source {
    Proposal(Arc<BlockingTree>),
    Goals(Arc<Situation>),
}

impl Source {
    fn tree(&self) -> &BlockingTree {
        match self {
            Source::Proposal(tree) => tree,
            Source::Goals(situation) => &situation.goals,
        }
    }

    fn is(&self, other: &Source) -> bool {
        match (self, other) {
            (Source::Proposal(a), Source::Proposal(b)) => Arc::ptr_eq(a, b),
            (Source::Goals(a), Source::Goals(b)) => Arc::ptr_eq(a, b) || a.goals == b.goals,
            _ => false,
        }
    }
}

#[derive(Debug, Default)]
pub(crate) struct BlockingPane {
    source: Option<Source>,
    /// Per node: depth, and whether it is the last below its parent.
    shape: Vec<(usize, bool)>,
    closed: BTreeSet<usize>,
    /// The nodes shown, in order.
    shown: Vec<usize>,
    outline: Outline,
    chosen: Option<String>,
    /// The session's goal, where the title says it whole.
    titled: Option<String>,
    /// The marks in Proposals of what is offered at the cursor, each with what it comes from.
    marks: BTreeMap<String, (Mark, String)>,
}

impl BlockingPane {
    fn nodes(&self) -> &[BlockingNode] {
        self.source.as_ref().map_or(&[], |s| &s.tree().nodes)
    }

    fn current(&self) -> Option<(usize, &BlockingNode)> {
        let at = *self.shown.get(self.outline.list.cursor())?;
        self.nodes().get(at).map(|n| (at, n))
    }

    fn has_children(&self, at: usize) -> bool {
        self.nodes().get(at + 1).is_some_and(|n| n.parent == Some(at))
    }

    fn load(&mut self, source: Source) {
        let nodes = &source.tree().nodes;
        let mut shape: Vec<(usize, bool)> = Vec::with_capacity(nodes.len());
        let mut last_child: Vec<Option<usize>> = vec![None; nodes.len()];
        let mut last_root = None;
        for (i, node) in nodes.iter().enumerate() {
            let depth = match node.parent.filter(|p| *p < i) {
                Some(parent) => {
                    if let Some(slot) = last_child.get_mut(parent) {
                        *slot = Some(i);
                    }
                    shape.get(parent).map_or(0, |(d, _)| d + 1)
                }
                None => {
                    last_root = Some(i);
                    0
                }
            };
            shape.push((depth, false));
        }
        for at in last_child.into_iter().chain([last_root]).flatten() {
            if let Some((_, last)) = shape.get_mut(at) {
                *last = true;
            }
        }
        let stood = self.current().map(|(_, node)| node.clone());
        self.shape = shape;
        self.source = Some(source);
        self.closed = self.satisfied();
        self.outline.list.go(0, 1);
        self.lay();
        // In the live tree the cursor stays on its action, or goes to the chosen one.
        let same = |n: &BlockingNode| {
            stood.as_ref().is_some_and(|s| {
                s.handle.is_some() && s.handle.map(|h| h.node) == n.handle.map(|h| h.node) && s.kind == n.kind
            })
        };
        let to = self.nodes().iter().position(same).filter(|_| self.is_live());
        if let Some(at) = to.or_else(|| self.chosen_row()) {
            self.reveal(at);
        }
    }

    /// Actions below goals whose needs all hold: what blocks nothing is folded. In a tree that one selects from nothing is.
    fn satisfied(&self) -> BTreeSet<usize> {
        if self.is_live() {
            return BTreeSet::new();
        }
        let nodes = self.nodes();
        let holds = |n: &BlockingNode| n.kind == NodeKind::Condition && n.status == NodeStatus::Open;
        let below = |at: usize| {
            let from = nodes.get(at + 1..).unwrap_or_default();
            from.iter().take_while(move |n| n.parent.is_some_and(|parent| parent >= at))
        };
        let is_satisfied = |at: &usize| {
            nodes.get(*at).is_some_and(|n| n.kind == NodeKind::Action && n.parent.is_some())
                && below(*at).next().is_some()
                && below(*at).all(holds)
        };
        (0..nodes.len()).filter(is_satisfied).collect()
    }

    fn is_live(&self) -> bool {
        matches!(&self.source, Some(Source::Goals(situation)) if situation.live)
    }

    /// The nodes that lead to the one under the cursor and are scrolled away, the goal first: they stay at the top. Of more than there is
    /// room for the goal and the nearest.
    fn above(&mut self, height: usize) -> Vec<usize> {
        let mut way = Vec::new();
        let mut at = self.current().and_then(|(_, node)| node.parent);
        while let Some(node) = at {
            way.push(node);
            at = self.nodes().get(node).and_then(|found| found.parent).filter(|parent| *parent < node);
        }
        way.reverse();
        let row = |node: &usize| self.shown.iter().position(|shown| shown == node);
        let rows: Vec<Option<usize>> = way.iter().map(row).collect();
        let mut kept = 0;
        loop {
            let window = self.outline.list.window(self.shown.len(), height - kept);
            let hidden = rows.iter().flatten().filter(|row| **row < window.start).count();
            if hidden.min(height / 2) <= kept {
                way.truncate(hidden);
                let surplus = hidden - hidden.min(kept);
                way.drain(1.min(way.len())..(1 + surplus).min(way.len()));
                way.truncate(kept);
                return way;
            }
            kept = hidden.min(height / 2);
        }
    }

    /// The explanation of the node under the cursor, in rows of so many columns.
    fn reason(&self, width: usize) -> Vec<Row> {
        let Some((_, node)) = self.current() else { return Vec::new() };
        if node.kind == NodeKind::Goal && node.why.is_empty() && !self.is_live() {
            return Vec::new();
        }
        let mut reason = if node.why.is_empty() { node.text.clone() } else { node.why.clone() };
        if let Some((_, words)) = self.verdict(node).filter(|(_, words)| !words.is_empty()) {
            reason.push_str(&format!("; {words}"));
        }
        let reason = match self.way() {
            Some(way) if self.is_live() => format!("{reason}. The way: {way}"),
            _ => reason,
        };
        words::labelled("", Role::Text, &reason, width)
    }

    /// The candidate of the live tree that the chosen proposal is.
    fn chosen_row(&self) -> Option<usize> {
        let text = self.chosen.as_ref().filter(|_| self.is_live())?;
        self.nodes().iter().position(|n| n.handle.is_some_and(|h| h.leaf) && n.text == *text)
    }

    /// The mark in Proposals of a node's action.
    fn verdict(&self, node: &BlockingNode) -> Option<&(Mark, String)> {
        self.marks.get(&node.text).filter(|_| marks::is_checked(node, self.is_live()))
    }

    fn reveal(&mut self, at: usize) {
        if let Some(row) = self.shown.iter().position(|s| *s == at) {
            self.outline.list.go(row, self.shown.len());
        }
    }

    /// Lays the rows: every node none of whose ancestors is closed.
    fn lay(&mut self) {
        let mut shown = Vec::new();
        let mut hidden_below: Option<usize> = None;
        for i in 0..self.nodes().len() {
            let depth = self.shape.get(i).map_or(0, |(d, _)| *d);
            if hidden_below.is_some_and(|d| depth > d) {
                continue;
            }
            hidden_below = self.closed.contains(&i).then_some(depth);
            shown.push(i);
        }
        self.shown = shown;
        self.outline.list.grown(self.shown.len());
    }

    fn fold(&mut self, open: Option<bool>) {
        let Some((at, _)) = self.current() else { return };
        let mut outline = std::mem::take(&mut self.outline);
        let level = |row: usize| {
            let node = self.shown.get(row).copied().unwrap_or_default();
            let depth = self.shape.get(node).map_or(0, |(depth, _)| *depth);
            (depth, self.has_children(node).then(|| !self.closed.contains(&node)))
        };
        let wanted = outline.fold(open, self.shown.len(), level);
        self.outline = outline;
        match wanted {
            Some(true) => self.closed.remove(&at),
            Some(false) => self.closed.insert(at),
            None => return,
        };
        self.lay();
    }

    fn activate(&mut self, view: &View) -> Vec<Intent> {
        let Some((at, node)) = self.current() else { return Vec::new() };
        if node.kind != NodeKind::Action {
            if self.has_children(at) {
                self.fold(None);
            }
            return Vec::new();
        }
        let text = node.text.clone();
        let Some(turn) = view.turn() else { return Vec::new() };
        let offered = turn.proposals.iter().map(AsRef::as_ref).find(|p: &&Proposal| {
            p.action.as_ref().is_some_and(|a| a.text == text || a.call.as_deref() == Some(text.as_str()))
        });
        // What is offered already is chosen; anything else goes through the edit dialog, where it is checked first.
        match (offered, view.chosen().or(view.offered().first().copied())) {
            (Some(proposal), _) => vec![
                Intent::Select(proposal.id),
                Intent::Send(Command::Explain { proposal: proposal.id }),
                Intent::Focus(PaneId::Proposals),
            ],
            (None, Some(from)) => vec![Intent::EditAction { proposal: from.id, text }],
            (None, None) => {
                let manual = view.key(ActionId::Manual);
                let words = format!("nothing is offered to edit; the action was copied: press {manual} and paste it");
                vec![Intent::Copy(text), Intent::Say(Level::Info, words)]
            }
        }
    }
}

fn marks(view: &View, nodes: &[BlockingNode]) -> BTreeMap<String, (Mark, String)> {
    let Some(turn) = view.turn() else { return BTreeMap::new() };
    let actions = nodes.iter().filter(|n| n.kind == NodeKind::Action);
    let shown: HashSet<&str> = actions.map(|n| n.text.as_str()).collect();
    if shown.is_empty() {
        return BTreeMap::new();
    }
    // A text that is no action has a row as well, while it is chosen.
    let is_shown = |p: &&&Proposal| shown.contains(proposals::surface(p));
    let verdict = |p: &&Proposal| {
        let failing = turn.verdict(p.id).into_iter().flat_map(Verdict::failing);
        let failing = failing.filter(|c| c.kind != CheckKind::Blocking).map(|c| match &c.detail {
            Some(detail) => format!("{} ({detail})", c.said()),
            None => c.said().to_owned(),
        });
        let mark = turn.mark(p);
        let words = match mark {
            _ if p.action.is_none() => format!("it is no action: {}", p.why_no_action()),
            Mark::Fails => format!("its checks fail: {}", failing.collect::<Vec<_>>().join(", ")),
            Mark::Holds => {
                let alone = turn.verdict(p.id).and_then(Verdict::by_world_alone);
                alone.map_or("every check holds", Check::said).to_owned()
            }
            Mark::Unknown => "not all its checks can be decided".to_owned(),
            Mark::NotChecked => "nothing was checked of it".to_owned(),
            Mark::Blocked => String::new(),
        };
        (proposals::surface(p).to_owned(), (mark, words))
    };
    let offered = view.offered();
    offered.iter().filter(is_shown).filter(|p| !view.is_pruned(p)).map(verdict).collect()
}

impl Pane for BlockingPane {
    fn id(&self) -> PaneId {
        PaneId::Blocking
    }

    fn wants(&mut self, _view: &View, _theme: &Theme, width: u16) -> Wants {
        // A goal and an action that needs nothing are told elsewhere.
        let goals = self.nodes().iter().filter(|node| node.kind == NodeKind::Goal).count();
        let needs = |node: &BlockingNode| node.kind == NodeKind::Condition || node.status == NodeStatus::Blocked;
        let nothing =
            !self.is_live() && goals < 2 && !self.nodes().iter().any(|n| n.kind != NodeKind::Goal && needs(n));
        let reason = self.reason(width.into()).len();
        Wants::exactly(if nothing { 0 } else { self.shown.len() + reason + usize::from(reason > 0) })
    }

    fn title(&self, _view: &View) -> String {
        // A goal is blocked because of what is below it: only that counts. An action that Proposals marks counts by that mark.
        let counts = |n: &&BlockingNode| match self.verdict(n) {
            Some((mark, _)) => *mark == Mark::Fails,
            None => n.status == NodeStatus::Blocked && n.kind != NodeKind::Goal,
        };
        let blocked = self.nodes().iter().filter(counts).count();
        if self.is_live() {
            // As in Proposals, an action of several leaves is one candidate.
            let leaves = self.nodes().iter().filter(|n| n.handle.is_some_and(|h| h.leaf));
            let candidates: HashSet<&str> = leaves.map(|n| n.text.as_str()).collect();
            return format!("Blocking, {}", words::count(candidates.len(), "candidate"));
        }
        if blocked == 0 { "Blocking".into() } else { format!("Blocking, {blocked} blocked") }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let chosen = view.chosen().map(|p| p.id);
        let text = view.chosen().and_then(|p| p.action.as_ref()).map(|a| a.text.clone());
        let live = view.situation.as_ref().is_some_and(|situation| situation.tells_of(text.as_deref()));
        let explained = view.blocking.as_ref().filter(|(id, _)| Some(*id) == chosen && !live);
        let moved = self.chosen != text;
        self.chosen = text;
        let source = match (explained, &view.situation) {
            (Some((_, tree)), _) => Some(Source::Proposal(Arc::clone(tree))),
            (None, Some(situation)) => Some(Source::Goals(Arc::clone(situation))),
            (None, None) => None,
        };
        match source {
            Some(source) if self.source.as_ref().is_none_or(|s| !s.is(&source)) => self.load(source),
            Some(_) => {
                if let Some(at) = self.chosen_row().filter(|_| moved) {
                    self.reveal(at);
                }
            }
            None => *self = BlockingPane::default(),
        }
        self.marks = marks(view, self.nodes());
        Vec::new()
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, _view: &View) -> usize {
        self.shown.len()
    }

    fn row_text(&self, row: usize, _view: &View) -> String {
        let node = self.shown.get(row).and_then(|i| self.nodes().get(*i));
        node.map(|n| n.text.clone()).unwrap_or_default()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let goal = view.session.as_ref().map(|session| session.header.sentence.clone());
        self.titled = goal.filter(|_| view.titled);
        if self.shown.is_empty() {
            let nothing = match view.offered_len() {
                0 => "Nothing is known to block the goal, and there is no proposal.",
                _ => "Nothing is known to block the goal. Choose a proposal to see what its action needs.",
            };
            return painter.empty(area, if view.session.is_none() { words::NO_SESSION } else { nothing });
        }
        let area = self.outline.find.draw(painter, area);
        let reason = self.reason(usize::from(area.width));
        // As many rows as the words need where the tree leaves them; at least a third, and two lines of words.
        let spare = area.height.saturating_sub(self.shown.len().try_into().unwrap_or(u16::MAX));
        let why = (reason.len() as u16 + 1).min(WHY.min((area.height / 3).max(3)).max(spare));
        let why = if area.height >= 6 && !reason.is_empty() { why.min(area.height / 2) } else { 0 };
        let (tree, below) = split_bottom(area, why);
        let glyphs = &painter.theme.glyphs;
        let above = self.above(usize::from(tree.height));
        let (path, tree) = split_top(tree, above.len() as u16);
        painter.rows(path, &above.iter().map(|node| self.row(*node, glyphs)).collect::<Vec<_>>());
        let mut outline = std::mem::take(&mut self.outline);
        let row = |at: usize, _| self.shown.get(at).map(|node| self.row(*node, glyphs)).unwrap_or_default();
        outline.draw(painter, tree, self.shown.len(), row);
        self.outline = outline;
        let mut box_below = std::mem::take(&mut self.outline.words);
        if below.height > 1 {
            let on = self.way().or_else(|| self.current().map(|(_, node)| node.text.clone())).unwrap_or_default();
            // Where another row has the mark of the chosen one, the words are said to be of this.
            let label = match (self.chosen_row(), self.current()) {
                (Some(chosen), Some((at, node))) if chosen != at => {
                    let room = usize::from(below.width.saturating_sub(BESIDE));
                    sanitize::fit(&words::one_line(&node.text), room, glyphs.ellipsis).into_owned()
                }
                _ => "why".to_owned(),
            };
            box_below.draw(painter, below, (&label, &on), view, |width| self.reason(width));
        } else {
            box_below.hide();
        }
        self.outline.words = box_below;
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let Some((at, node)) = self.current() else { return Vec::new() };
        let mut actions = Vec::new();
        self.offer(view, node, &mut actions);
        if node.kind == NodeKind::Action {
            actions.push((PaneAction::Activate, "offer this action"));
        } else if self.has_children(at) {
            actions.push((PaneAction::Activate, "fold"));
        }
        if self.has_children(at) {
            actions.push((PaneAction::ToggleFold, "fold"));
        }
        actions.extend([(PaneAction::Left, "close"), (PaneAction::Right, "open"), (PaneAction::Copy, "copy")]);
        actions.extend(self.outline.actions());
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Activate => return self.activate(view),
            PaneAction::ToggleReject
            | PaneAction::MoveUp
            | PaneAction::MoveDown
            | PaneAction::Force
            | PaneAction::Add => return self.change(action),
            PaneAction::ToggleFold => self.fold(None),
            PaneAction::Left => self.fold(Some(false)),
            PaneAction::Right => self.fold(Some(true)),
            PaneAction::Copy => return self.current().map(|(_, n)| Intent::Copy(n.text.clone())).into_iter().collect(),
            _ => return self.browse(action, view),
        }
        Vec::new()
    }

    fn documents(&self, _view: &View) -> Vec<ArtifactId> {
        Vec::from_iter(self.is_live().then_some(ArtifactId::TREE))
    }

    fn missing(&self, action: PaneAction, _view: &View) -> Option<String> {
        self.needed(action)
    }
}

#[cfg(test)]
mod tests {
    use stepwright_episode::{Event, FORMAT_VERSION, Header, Origin, Record, StepOutcome};
    use stepwright_protocol::Notice;
    use stepwright_world::blocking::Handle;

    use super::*;

    #[test]
    fn an_action_of_several_leaves_is_one_candidate_and_a_goal_is_none() {
        let leaf = |text: &str| BlockingNode {
            parent: None,
            kind: NodeKind::Action,
            text: text.to_owned(),
            status: NodeStatus::Open,
            why: String::new(),
            handle: Some(Handle { node: 0, leaf: true, blocked: false }),
        };
        let goal = BlockingNode { kind: NodeKind::Goal, handle: None, ..leaf("a mug is hot") };
        let goals = BlockingTree { nodes: vec![goal, leaf("open"), leaf("look"), leaf("open")] };
        let mut pane = BlockingPane::default();
        pane.load(Source::Goals(Arc::new(Situation { live: true, goals, ..Situation::default() })));
        assert_eq!(pane.title(&View::default()), "Blocking, 2 candidates");
        let why = pane.needed(PaneAction::ToggleReject);
        assert_eq!(why.as_deref(), Some("only an action can be pruned; go to one"));
    }

    #[test]
    fn a_text_that_is_no_action_has_the_mark_that_it_has_in_proposals() {
        let mut view = View::default();
        view.notice(Notice::opened(Header { version: FORMAT_VERSION, ..Header::default() }, Vec::new(), None).unwrap());
        let mut recorded = |id: u64, event: Event| {
            view.notice(Notice::Recorded(Arc::new(Record { id, ts: id, node: 0, event })));
            assert_eq!(view.message, None, "the record fits");
            view.session.as_ref().unwrap().next_proposal()
        };
        let id = recorded(1, Event::Started { outcome: StepOutcome::default().into() });
        let problem = Some("NotAnAction: the line is no single call".to_owned());
        let proposal = Proposal { problem, ..Proposal::new(id, "agent.ad\n", Origin::Greedy) };
        recorded(2, Event::Proposed { proposal: proposal.into() });
        let node = BlockingNode {
            parent: None,
            kind: NodeKind::Action,
            text: "agent.ad".to_owned(),
            status: NodeStatus::Unknown,
            why: String::new(),
            handle: None,
        };
        let said = (Mark::Fails, "it is no action: the line is no single call".to_owned());
        assert_eq!(marks(&view, &[node]), BTreeMap::from([("agent.ad".to_owned(), said)]));
    }
}
