//! Evidence: what a decision was about, as rows: assertions put in force, the plan or program followed, the belief against the truth, the
//! tree of what blocks, the picture of the place, the program so far. What the method goes by comes first.

use std::collections::BTreeSet;

use crate::panes::blocking::marks::{NEEDS, is_checked, kind, mark};
use crate::panes::picture;
use crate::panes::proposals::plan;
use crate::strip::Slide;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words::{self, labelled};
use stepwright_episode::{CheckKind, Mark, NodeId, Proposal, Session, Turn, Verdict};
use stepwright_export::step_of;
use stepwright_protocol::BeliefView;
use stepwright_text::json_pointer;
use stepwright_text::words::count;
use stepwright_world::Map;
use stepwright_world::blocking::{BlockingNode, BlockingTree, NodeKind};

/// Fewest rows of a picture: in fewer there is nothing to be seen.
const LOWEST: usize = 7;
/// Fewest rows of a part that is cut for those after it.
const LEAST: usize = 3;

/// The parts under their headings, in about so many columns and rows.
pub fn evidence(
    view: &View,
    session: &Session,
    slide: Slide,
    theme: &Theme,
    (columns, rows): (usize, usize),
) -> Vec<(String, Vec<Row>)> {
    let Some(node) = slide.node().and_then(|id| session.node(id)) else { return Vec::new() };
    let turn = &node.turn;
    let seen = view.situation_at(node.id);
    let seen = seen.as_deref();
    let taken =
        slide.to.and_then(|to| session.node(to)).and_then(|n| n.action.as_ref()).map_or("", |a| a.text.as_str());
    let mut parts: Vec<(String, Vec<Row>)> = Vec::new();
    let left = |parts: &[(String, Vec<Row>)]| {
        rows.saturating_sub(parts.iter().map(|(_, rows)| rows.len() + 2).sum::<usize>() + 1)
    };
    let step = step_of(session, node, &|kind| view.methods.showing(kind));
    let adopted: Vec<String> = step.adopted.into_iter().map(|set| set.words).collect();
    for (title, sets) in [("Put in force before it", adopted), ("Taken back before it", step.taken_back)] {
        let sets: Vec<Row> = sets.iter().flat_map(|set| labelled("", Role::Text, set, columns)).collect();
        parts.extend(Some((title.to_owned(), sets)).filter(|(_, sets)| !sets.is_empty()));
    }
    for section in view.sections(node.id).iter().filter(|section| !section.lines.is_empty()) {
        let mut rows = plan::of(section, false, session, theme, columns);
        let title: String = rows.drain(..1.min(rows.len())).flatten().map(|run| run.text).collect();
        parts.push((title, rows));
    }
    if let Some(belief) = seen.and_then(|seen| seen.belief.as_deref()) {
        let most = if seen.is_some_and(|seen| seen.map.is_some()) { left(&parts) / 2 } else { left(&parts) };
        parts.push(believed(belief, theme, columns, most.max(LEAST)));
    }
    if let Some(seen) = seen.filter(|seen| !seen.goals.nodes.is_empty()) {
        let most = if seen.map.is_some() { left(&parts) / 2 } else { left(&parts).saturating_sub(LOWEST) };
        let checked = |node: &BlockingNode| {
            let decided = slide.to.and_then(|to| session.decision_at(to)).and_then(|d| turn.proposal(d.proposal()));
            let offered = turn.proposals.iter().rev().map(AsRef::as_ref);
            let is = |p: &&Proposal| p.action.as_ref().is_some_and(|action| action.text == node.text);
            let proposal = decided.into_iter().chain(offered).find(is).filter(|_| is_checked(node, seen.live))?;
            Some(turn.mark(proposal))
        };
        parts.push(("What blocks".to_owned(), tree(&seen.goals, taken, checked, theme, most.max(LEAST))));
    }
    let shown = seen.map_or(&[][..], |seen| seen.goals.nodes.as_slice());
    let refused = refused(turn, shown, theme);
    if !refused.is_empty() {
        parts.push(("What is refused".to_owned(), cut(refused, left(&parts).max(LEAST), 0)));
    }
    if let Some(map) = seen.and_then(|seen| seen.map.as_ref())
        && left(&parts) >= LOWEST
    {
        // Boxes take what room there is; the program below them has some too.
        let kept = if matches!(map, Map::Places(_)) { LEAST + 3 } else { 0 };
        let room = left(&parts).saturating_sub(kept);
        let size = (columns.min(usize::from(u16::MAX)) as u16, room.min(usize::from(u16::MAX)) as u16);
        let lines = picture(map, theme, size.0, size.1);
        parts.push(("The place".to_owned(), lines.iter().map(|line| vec![run(Role::Text, line)]).collect()));
    }
    if left(&parts) >= LEAST {
        let rows = program(session, node.id, slide.to, theme, left(&parts));
        parts.extend(Some(("The program so far".to_owned(), rows)).filter(|(_, rows)| !rows.is_empty()));
    }
    let last = parts.len().saturating_sub(1);
    parts.iter_mut().take(last).for_each(|(_, rows)| rows.push(Row::new()));
    parts
}

/// At most so many rows, and how many are not shown.
fn cut(mut rows: Vec<Row>, most: usize, unseen: usize) -> Vec<Row> {
    let more = unseen + rows.len().saturating_sub(most);
    if more > 0 {
        rows.truncate(most.saturating_sub(1));
        rows.push(vec![run(Role::Dim, format!("and {}", count(more, "more line")))]);
    }
    rows
}

fn believed(belief: &BeliefView, theme: &Theme, columns: usize, most: usize) -> (String, Vec<Row>) {
    let title = match (&belief.truth, belief.differences.len()) {
        (None, _) => "The belief".to_owned(),
        (Some(_), 0) => "The belief, as in truth".to_owned(),
        (Some(_), 1) => "The belief, of which 1 value differs from the truth".to_owned(),
        (Some(_), n) => format!("The belief, of which {n} values differ from the truth"),
    };
    let said = |value: &Option<serde_json::Value>| value.as_ref().map_or_else(|| "nothing".to_owned(), words::value);
    let mut rows = Vec::new();
    for apart in &belief.differences {
        let path = json_pointer::display(&apart.path);
        let text = format!("{path}: believed {}, in truth {}", said(&apart.believed), said(&apart.truth));
        rows.extend(labelled(&format!("{} ", theme.glyphs.no), Role::Bad, &text, columns));
    }
    for (key, value) in belief.state.as_object().into_iter().flatten() {
        rows.extend(labelled(&format!("{key}  "), Role::Text, &words::value(value), columns));
    }
    (title, cut(rows, most, 0))
}

/// The tree; of a large one the way from the root to the action that was taken, what is below it, and from the top what fits.
/// `checked`: the mark of the proposal that a node's action is.
fn tree(
    tree: &BlockingTree,
    taken: &str,
    checked: impl Fn(&BlockingNode) -> Option<Mark>,
    theme: &Theme,
    most: usize,
) -> Vec<Row> {
    let nodes = &tree.nodes;
    let mut shown: BTreeSet<usize> = BTreeSet::new();
    let chosen = nodes.iter().position(|n| n.kind == NodeKind::Action && n.text == taken);
    let mut up = chosen;
    while let Some(at) = up.filter(|at| shown.insert(*at)) {
        up = nodes.get(at).and_then(|n| n.parent);
    }
    let below = chosen.into_iter().flat_map(|at| tree.children(Some(at)));
    for at in below.chain(0..nodes.len()) {
        if shown.len() + usize::from(nodes.len() > most) >= most {
            break;
        }
        shown.insert(at);
    }
    let mut depths: Vec<usize> = Vec::with_capacity(nodes.len());
    let mut rows = Vec::new();
    for (at, node) in nodes.iter().enumerate() {
        let depth = node.parent.and_then(|p| depths.get(p).copied()).map_or(0, |d| d + 1);
        depths.push(depth);
        if !shown.contains(&at) {
            continue;
        }
        let (glyph, role) =
            checked(node).map_or_else(|| mark(node, &theme.glyphs), |mark| words::mark(&theme.glyphs, mark));
        let text = if Some(at) == chosen { Role::Title } else { Role::Text };
        rows.push(vec![
            run(Role::Dim, "  ".repeat(depth)),
            run(role, format!("{glyph} ")),
            run(Role::Dim, kind(node, depth)),
            run(text, words::one_line(&node.text)),
        ]);
    }
    let unseen = nodes.len().saturating_sub(rows.len());
    cut(rows, most, unseen)
}

/// The proposals whose checks fail, each once with what fails of it; those that the tree shows are left out.
fn refused(turn: &Turn, shown: &[BlockingNode], theme: &Theme) -> Vec<Row> {
    let mut said: BTreeSet<&str> = shown.iter().map(|node| node.text.as_str()).collect();
    let mut rows = Vec::new();
    for proposal in turn.proposals.iter().filter(|proposal| turn.mark(proposal) == Mark::Fails) {
        let Some(action) = proposal.action.as_ref().filter(|action| said.insert(&action.text)) else { continue };
        let (glyph, role) = words::mark(&theme.glyphs, Mark::Fails);
        rows.push(vec![run(role, format!("{glyph} ")), run(Role::Text, words::one_line(&action.text))]);
        for check in turn.verdict(proposal.id).into_iter().flat_map(Verdict::failing) {
            let needs = if check.kind == CheckKind::Precondition { NEEDS } else { "" };
            let what = run(Role::Text, words::one_line(check.said()));
            rows.push(vec![run(role, format!("  {glyph} ")), run(Role::Dim, needs), what]);
        }
    }
    rows
}

/// The last calls before a decision, and what was decided.
fn program(session: &Session, node: NodeId, to: Option<NodeId>, theme: &Theme, most: usize) -> Vec<Row> {
    let path = session.path(node);
    let decided = to.filter(|to| *to != node).and_then(|to| session.node(to));
    let before = path.iter().copied().filter(|n| n.action.is_some());
    let before: Vec<_> = before.collect();
    let first = before.len().saturating_sub(most.saturating_sub(1));
    let steps = before.get(first..).unwrap_or_default().iter().copied().chain(decided);
    let row = |node: &stepwright_episode::Node| {
        let action = node.action.as_ref()?;
        let (glyph, role) = words::mark(&theme.glyphs, session.mark_at(node));
        let text = if to == Some(node.id) { Role::Title } else { Role::Text };
        let said = words::one_line(action.call.as_deref().unwrap_or(&action.text)).into_owned();
        Some(vec![run(role, format!("{glyph} ")), run(text, said)])
    };
    steps.filter_map(row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::theme::ASCII;
    use stepwright_episode::{Action, Check, Event, Header, Origin, Record, Status};
    use stepwright_world::blocking::{Handle, NodeStatus};

    /// It stood nowhere what kept a refused action from being taken.
    #[test]
    fn what_fails_of_a_proposal_is_told_unless_the_tree_shows_it() {
        let mut session = Session::new(Header::default());
        let proposal = Proposal {
            action: Some(Action::new("take mug 1", None)),
            ..Proposal::new(session.next_proposal(), "take mug 1", Origin::Greedy)
        };
        let condition = "self.is_visible(obj)".to_owned();
        let check = Check { kind: CheckKind::Precondition, condition, status: Status::Fails, detail: None };
        let verdict = Verdict { checks: vec![check], ..Verdict::default() };
        let checked = Event::Checked { proposal: proposal.id, verdict: verdict.into() };
        let events =
            [Event::Started { outcome: Default::default() }, Event::Proposed { proposal: proposal.into() }, checked];
        for (id, event) in (1..).zip(events) {
            session.apply(&Record { id, ts: 0, node: 0, event }).unwrap();
        }
        let turn = &session.current().unwrap().turn;
        let node = BlockingNode {
            parent: None,
            kind: NodeKind::Action,
            text: "take mug 1".into(),
            status: NodeStatus::Open,
            why: String::new(),
            handle: None,
        };
        let said = |shown: &[BlockingNode]| -> Vec<String> {
            let rows = refused(turn, shown, &Theme::monochrome(ASCII));
            rows.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect()).collect()
        };
        let no = ASCII.no;
        assert_eq!(said(&[]), [format!("{no} take mug 1"), format!("  {no} needs self.is_visible(obj)")]);
        assert!(said(&[node]).is_empty());
    }

    #[test]
    fn a_met_goal_and_a_checked_candidate_have_their_marks() {
        let mut blocks = BlockingTree::default();
        let mut push = |kind, text: &str, status, leaf: bool| {
            let handle = leaf.then_some(Handle { node: 1, leaf, blocked: false });
            let parent = leaf.then_some(1);
            blocks.push(BlockingNode { parent, kind, text: text.into(), status, why: String::new(), handle });
        };
        push(NodeKind::Goal, "met", NodeStatus::Done, false);
        push(NodeKind::Goal, "unmet", NodeStatus::Blocked, false);
        push(NodeKind::Action, "go", NodeStatus::Open, true);
        push(NodeKind::Action, "take", NodeStatus::Open, true);
        let checked = |node: &BlockingNode| (node.text == "go").then_some(Mark::Fails);
        let rows = tree(&blocks, "go", checked, &Theme::monochrome(ASCII), 20);
        let rows: Vec<String> =
            rows.iter().map(|row| row.iter().map(|run| run.text.as_str()).collect::<String>()).collect();
        let wanted = [
            format!("{} goal met", ASCII.yes),
            format!("{} goal unmet", ASCII.candidate),
            format!("  {} go", ASCII.no),
            format!("  {} take", ASCII.unchecked),
        ];
        assert_eq!(rows, wanted);
    }
}
