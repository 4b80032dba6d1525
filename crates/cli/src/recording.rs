//! The part of an export beside the log: the session gone through in its world, without a terminal and without a written byte.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use tokio::runtime::Runtime;

use stepwright_episode::{Event, Mark, NodeId, Proposal, ProposalId, Record, Session, log};
use stepwright_export::cast::{Cast, pause_before};
use stepwright_export::{self as export, ExportError, Format, Seen, Stated, Visited, decided};
use stepwright_launch::config::Config;
use stepwright_launch::reading::Reading;
use stepwright_methods::METHODS;
use stepwright_protocol::{Notice, Situation};
use stepwright_text::words::count;
use stepwright_tui::cast::Frames;
use stepwright_tui::color::Depth;
use stepwright_tui::keymap::Keymap;
use stepwright_tui::panes::picture;
use stepwright_tui::theme::{Theme, UNICODE};
use stepwright_tui::theme_file::{self, Wanted};
use stepwright_world::Sources;
use stepwright_world::blocking::{BlockingNode, BlockingTree, NodeKind, NodeStatus};

const SIZE: (u16, u16) = (120, 40);
/// Columns and rows of a picture on a page.
const PICTURE: (u16, u16) = (96, 24);
/// Seconds between the moment a decision is shown and its result.
const DECIDING: f64 = 1.0;
/// Steps of a session that are gone through; of longer ones only what the log itself holds is exported.
const MOST: usize = 2_000;

/// A session written out in a format, with what its world says at every step where it can be gone to. Where it cannot, what is written says
/// so, and `told` is.
pub fn render(
    format: Format,
    loaded: log::Loaded,
    (config, sources): (&Config, &Sources),
    told: &dyn Fn(&str),
) -> Result<String, ExportError> {
    let (header, records) = (loaded.session.header.clone(), loaded.records.clone());
    let visited = match format {
        Format::Html | Format::Mirror | Format::Text => {
            visited(loaded, &export::shown(&header, &records)?, config, sources)
        }
        Format::Jsonl | Format::Atif => Visited::default(),
    };
    if !visited.lacking.is_empty() {
        told(&format!("not shown: {}", visited.lacking));
    }
    let reward = stepwright_worlds::reward_of(&header.world);
    export::render_with(format, &header, &records, (&visited, reward), |kind| METHODS.showing(kind))
}

fn runtime() -> Result<Runtime, String> {
    let made = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    made.map_err(|e| format!("the system refuses a thread: {e}"))
}

/// The world's and the program's state at the nodes of a session, as far as it can be gone through.
fn visited(loaded: log::Loaded, shown: &Session, config: &Config, sources: &Sources) -> Visited {
    let mut seen = BTreeMap::new();
    let gone = go_through(loaded, shown, (config, sources), &mut seen);
    let lacking = gone.err().map(|why| match seen.len() {
        0 => format!("state, tree and picture: {why}"),
        nodes => format!("state, tree and picture after {}: {why}", count(nodes, "node")),
    });
    Visited { seen, lacking: lacking.unwrap_or_default() }
}

/// `shown`: the session as it may be seen, so that the tree of a blind one has no mark of a dry run that is hidden.
fn go_through(
    loaded: log::Loaded,
    shown: &Session,
    (config, sources): (&Config, &Sources),
    seen: &mut BTreeMap<NodeId, Seen>,
) -> Result<(), String> {
    let nodes = shown.nodes().len();
    if nodes > MOST {
        return Err(format!("of {} none is gone to; at most {MOST} are", count(nodes, "node")));
    }
    let runtime = runtime()?;
    let _inside = runtime.enter();
    let mut reading = Reading::open(loaded, config, sources).map_err(|e| e.to_string())?;
    let line: BTreeSet<NodeId> = shown.line().into_iter().map(|node| node.id).collect();
    for node in 0..nodes as NodeId {
        let situation = runtime.block_on(reading.go(node, &mut |_| ()))?;
        let taken = taken(shown, &line, node);
        let text = taken.and_then(|proposal| proposal.action.as_ref()).map(|action| action.text.as_str());
        let explained = taken.filter(|_| !situation.tells_of(text));
        let explained = explained.and_then(|proposal| runtime.block_on(explain(&mut reading, proposal.id)));
        seen.insert(node, seen_in(&situation, explained.as_deref(), shown, node));
    }
    Ok(())
}

/// The proposal that was taken at a node, on the line that the session is on or else on the newest branch: of it the workbench shows the
/// tree at that decision.
fn taken<'a>(session: &'a Session, line: &BTreeSet<NodeId>, node: NodeId) -> Option<&'a Proposal> {
    let node = session.node(node)?;
    let next = node.children.iter().find(|child| line.contains(*child)).or_else(|| node.children.last())?;
    node.turn.proposal(session.decision_at(*next)?.proposal())
}

/// The tree of a proposal of the present node; `None` where it does not come.
async fn explain(reading: &mut Reading, proposal: ProposalId) -> Option<Arc<BlockingTree>> {
    let mut tree = None;
    let mut heard = |notice: Notice| {
        if let Notice::Blocking { tree: found, .. } = notice {
            tree = Some(found);
        }
    };
    reading.explain(proposal, &mut heard).await.ok()?;
    tree
}

/// The word of a row of the tree, as the workbench marks it: an action that was offered has its verdict.
fn word(row: &BlockingNode, live: bool, offered: &BTreeMap<&str, Mark>) -> &'static str {
    let leaf = row.handle.is_some_and(|handle| handle.leaf);
    let shows = row.kind == NodeKind::Action && row.handle.map_or(!live, |handle| handle.leaf);
    match (row.status, offered.get(row.text.as_str()).filter(|_| shows)) {
        (NodeStatus::Pruned, _) => "pruned",
        (NodeStatus::Instead, _) => "instead",
        (NodeStatus::Missed, _) => "closed, and not met",
        (NodeStatus::Blocked, _) if row.kind == NodeKind::Goal => "not reached",
        (_, Some(mark)) => mark.word(),
        (NodeStatus::Open | NodeStatus::Possibly, None) if leaf => Mark::NotChecked.word(),
        (NodeStatus::Open | NodeStatus::Done, None) => Mark::Holds.word(),
        (NodeStatus::Blocked, None) => Mark::Blocked.word(),
        (NodeStatus::Unknown | NodeStatus::Possibly, None) => Mark::Unknown.word(),
    }
}

/// `explained`: the tree of the decision, where the situation's is not what is shown of it.
fn seen_in(situation: &Situation, explained: Option<&BlockingTree>, session: &Session, node: NodeId) -> Seen {
    let turn = session.node(node).map(|node| &node.turn);
    let offered = turn.into_iter().flat_map(|turn| turn.proposals.iter().map(move |p| (turn, p)));
    let offered: BTreeMap<&str, Mark> =
        offered.filter_map(|(turn, p)| Some((p.action.as_ref()?.text.as_str(), turn.mark(p)))).collect();
    let mut depths: Vec<usize> = Vec::new();
    let (nodes, live) = match explained {
        Some(tree) => (&tree.nodes, false),
        None => (&situation.goals.nodes, situation.live),
    };
    let tree = nodes.iter().map(|node| {
        let depth = node.parent.and_then(|p| depths.get(p).copied()).map_or(0, |d| d + 1);
        depths.push(depth);
        format!("{}{}: {}", "  ".repeat(depth), word(node, live, &offered), node.text)
    });
    // The task alone is no tree.
    let tree = if nodes.len() > 1 { tree.collect() } else { Vec::new() };
    let belief = situation.belief.as_ref();
    let differences = belief.filter(|b| b.truth.is_some()).map(|belief| {
        let said = |value: &Option<serde_json::Value>| value.as_ref().map_or("nothing".to_owned(), ToString::to_string);
        let line = |d: &stepwright_belief::Difference| {
            format!(
                "{}: believed {}, in truth {}",
                stepwright_text::json_pointer::display(&d.path),
                said(&d.believed),
                said(&d.truth)
            )
        };
        belief.differences.iter().map(line).collect()
    });
    let picture = situation.map.as_ref().map(|map| picture(map, &Theme::monochrome(UNICODE), PICTURE.0, PICTURE.1));
    let stated = |value| Stated::at(session, node, value);
    let (variables, truth) = (stated(&situation.variables), stated(&situation.truth));
    Seen { variables, truth, picture: picture.unwrap_or_default(), tree, differences }
}

/// The workbench stepping through a session, as an asciicast: each decision as it was waiting, then what it gave.
/// Where its world is not there, the panes that need it are empty, and `told` is why.
pub fn cast(
    loaded: log::Loaded,
    (config, sources): (&Config, &Sources),
    told: &dyn Fn(&str),
) -> Result<String, String> {
    let records = loaded.records.clone();
    let session = loaded.session.clone();
    let depth = if config.ui.no_color { Depth::None } else { Depth::True };
    let folder = config.paths.config.join("themes");
    let name = Some(config.ui.theme.as_str()).filter(|n| *n != "auto");
    let wanted = Wanted { folder: Some(&folder), name, ascii: config.ui.ascii, depth };
    let (themes, _) = theme_file::load(wanted)?;
    let frames = Frames::new(SIZE, Keymap::default(), themes, (stepwright_worlds::WORLDS.into(), &METHODS))
        .map_err(|e| e.to_string())?;
    let runtime = runtime()?;
    let _inside = runtime.enter();
    let reading = Reading::open(loaded, config, sources);
    let reading = reading.inspect_err(|why| told(&format!("not shown: the world: {why}"))).ok();
    let mut tour = Tour { frames, reading, runtime: &runtime, session: &session, moved: records.len() as u64 };
    tour.begin(&records)?;
    let mut cast = Cast::new(SIZE, session.header.created, &session.header.sentence);
    for line in lines(&session) {
        tour.line(&line, &records, &mut cast)?;
    }
    Ok(cast.finish())
}

/// The lines of nodes in order: the one the session is on, then each branch from where it leaves.
fn lines(session: &Session) -> Vec<Vec<NodeId>> {
    let mut done = std::collections::BTreeSet::new();
    let tips = export::compare::tips(session).into_iter();
    let fresh = tips.map(|tip| {
        let path: Vec<NodeId> = session.path(tip).into_iter().map(|n| n.id).collect();
        let parted = path.iter().position(|id| !done.contains(id)).unwrap_or(path.len());
        done.extend(path.iter().copied());
        path.get(parted.saturating_sub(1)..).unwrap_or_default().to_vec()
    });
    fresh.collect()
}

/// A session that is gone through before a workbench.
struct Tour<'a> {
    frames: Frames,
    reading: Option<Reading>,
    runtime: &'a Runtime,
    session: &'a Session,
    /// The number of the last record the workbench was fed, where no driver numbers them.
    moved: u64,
}

impl Tour<'_> {
    fn begin(&mut self, records: &[Record]) -> Result<(), String> {
        if self.reading.is_some() && self.go_in_world(0).is_ok() {
            return Ok(());
        }
        self.reading = None;
        let (session, records) = (Box::new(self.session.clone()), records.iter().cloned().map(Arc::new).collect());
        self.frames.notice(Notice::Opened { session, records, path: None });
        self.go(0)
    }

    fn go_in_world(&mut self, node: NodeId) -> Result<(), String> {
        let Some(reading) = &mut self.reading else { return Err("there is no world".to_owned()) };
        let mut said = Vec::new();
        let arrived = self.runtime.block_on(reading.go(node, &mut |notice| said.push(notice)));
        said.into_iter().for_each(|notice| self.frames.notice(notice));
        arrived?;
        self.explain();
        Ok(())
    }

    fn explain(&mut self) {
        let wanted = self.frames.settle();
        let Some(reading) = &mut self.reading else { return };
        for proposal in wanted {
            let mut said = Vec::new();
            // A tree that does not come leaves its pane empty.
            let _ = self.runtime.block_on(reading.explain(proposal, &mut |notice| said.push(notice)));
            said.into_iter().for_each(|notice| self.frames.notice(notice));
        }
    }

    fn go(&mut self, node: NodeId) -> Result<(), String> {
        if self.reading.is_some() {
            return self.go_in_world(node);
        }
        self.moved += 1;
        let record = Record { id: self.moved, ts: 0, node: self.session.cursor(), event: Event::Moved { to: node } };
        self.frames.notice(Notice::Recorded(Arc::new(record)));
        Ok(())
    }

    /// One line of nodes: at each the proposals with the one that was taken, then where it led.
    fn line(&mut self, line: &[NodeId], records: &[Record], cast: &mut Cast) -> Result<(), String> {
        let draw = |frames: &mut Frames, message: &str| frames.frame(message).map_err(|e| e.to_string());
        for (at, id) in line.iter().copied().enumerate() {
            let Some(node) = self.session.node(id) else { continue };
            if at > 0 || node.parent.is_none() {
                self.go(id)?;
                let said = decided(self.session, node);
                let action = node.action.as_ref().map_or("the beginning", |a| a.text.as_str());
                if node.parent.is_some() {
                    cast.marker(&format!("{}: {action}", node.steps));
                }
                let message = if said.is_empty() { action.to_owned() } else { format!("{action}: {said}") };
                cast.output(DECIDING, &draw(&mut self.frames, &message)?);
            } else {
                self.go(id)?;
                cast.output(DECIDING, &draw(&mut self.frames, "back, to where a branch begins")?);
            }
            let next = line.get(at + 1).and_then(|next| Some((*next, self.session.decision_at(*next)?)));
            if let Some((next, decision)) = next {
                self.frames.choose(decision.proposal());
                self.explain();
                let pause = pause_before(next, records);
                cast.output(pause, &draw(&mut self.frames, "")?);
            }
        }
        Ok(())
    }
}
