//! Skills as resolutions: an adopted skill that does what a blocked action waits for is a candidate beside the leaves. A call that was
//! taken is carried out by its skill's policy, a primitive at a time, each through the gate; the tree follows what they did.

use stepwright_skill::hierarchy::{self, Line};
use stepwright_skill::resolve::resolutions;
use stepwright_skill::{Knowledge, document};

use super::LiveTree;
use crate::Context;
use stepwright_episode::gate::Draft;
use stepwright_episode::{ArtifactId, Origin};
use stepwright_world::blocking::{BlockingNode, BlockingTree, NodeKey, NodeKind, NodeStatus};

/// A call of a skill that would resolve a condition.
struct Way {
    /// As it is recorded (`call: find(mug)`).
    text: String,
    under: NodeKey,
    why: String,
}

/// The skills that were adopted at the cursor, where there are any.
pub fn adopted(cx: &Context<'_>) -> Option<Knowledge> {
    let document = cx.node()?.document(&ArtifactId::KNOWLEDGE)?;
    document::read(document).ok().filter(|known| !known.skills.is_empty())
}

/// Whether a text is a line of skills, and not an action of the world.
pub fn is_line(cx: &Context<'_>, text: &str) -> bool {
    hierarchy::recorded(text).is_some() && adopted(cx).is_some()
}

/// The calls that would resolve what blocks, each once, in the order of the tree.
fn ways(cx: &Context<'_>, tree: &LiveTree) -> Vec<Way> {
    let Some(known) = adopted(cx) else { return Vec::new() };
    let domain = tree.domain();
    let mut all: Vec<Way> = Vec::new();
    tree.growth().forest().visit(&mut |node, above| {
        let open = node.blocked.as_ref().filter(|_| !node.pruned && !above.iter().any(|node| node.pruned));
        let Some(blocked) = open else { return };
        let children = blocked.children.iter().filter(|child| !child.pruned);
        let actions: Vec<String> = children.map(|child| child.text.clone()).collect();
        let missing: Vec<String> = blocked.condition.args.iter().map(|thing| domain.spoken(thing)).collect();
        for found in resolutions(&known, &actions, &missing) {
            let text = hierarchy::record(&Line::Call(found.call));
            let made = domain.recorded(&blocked.resolution);
            let why =
                format!("an adopted skill: its `{}` may make `{made}` true, which `{}` needs", found.by, node.text);
            if !all.iter().any(|way| way.text == text) {
                all.push(Way { text, under: node.key, why });
            }
        }
    });
    all
}

/// The candidates: the leaves of the tree, then the calls that would resolve what blocks.
pub fn candidates(cx: &Context<'_>, tree: &LiveTree) -> Vec<String> {
    let calls = ways(cx, tree).into_iter().map(|way| way.text);
    tree.leaves().into_iter().chain(calls).collect()
}

/// The calls as they are offered without a language model.
pub fn drafts(cx: &Context<'_>, tree: &LiveTree) -> Vec<Draft> {
    let draft = |way: Way| Draft {
        action: Some(cx.action(&way.text)),
        rationale: Some(way.why),
        ..Draft::new(way.text.clone(), Origin::Symbolic)
    };
    ways(cx, tree).into_iter().map(draft).collect()
}

/// The tree as it is shown, with the calls below the conditions they would resolve.
pub fn shown(cx: &Context<'_>, live: &LiveTree, mut tree: BlockingTree) -> BlockingTree {
    let ways = ways(cx, live);
    for way in &ways {
        let is_its = |node: &BlockingNode| {
            node.kind == NodeKind::Condition && node.handle.is_some_and(|handle| handle.node == way.under)
        };
        let Some(parent) = tree.nodes.iter().position(is_its) else { continue };
        tree.push(BlockingNode {
            parent: Some(parent),
            kind: NodeKind::Action,
            text: way.text.clone(),
            status: NodeStatus::Possibly,
            why: way.why.clone(),
            handle: None,
        });
    }
    if ways.is_empty() { tree } else { tree.depth_first() }
}
