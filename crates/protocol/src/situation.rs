//! Situation: what world, program and belief look like at the cursor.

use std::sync::Arc;

use serde_json::Value;

use stepwright_belief::Difference;
use stepwright_episode::NodeId;
use stepwright_program::tools::Toolbox;
use stepwright_skill::Knowledge;
use stepwright_world::blocking::BlockingTree;
use stepwright_world::{Map, Request};

/// The belief at the cursor, beside the truth. Derived, never logged.
#[derive(Debug, Clone, PartialEq)]
pub struct BeliefView {
    pub state: Arc<Value>,
    /// The truth in the same form, where the world reports it.
    pub truth: Option<Arc<Value>>,
    /// The values that differ, by meaning; their paths are JSON pointers.
    pub differences: Vec<Difference>,
    /// Node by node on the path to the cursor: how many values the belief there had wrong. Nodes whose truth is not known are left
    /// out.
    pub drift: Vec<(NodeId, usize)>,
    /// It as the world draws it, with what differs; `None` where the world draws none.
    pub picture: Option<Map>,
}

/// The world and the program at the cursor. Derived, never logged.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Situation {
    pub node: NodeId,
    /// Admissible actions, sorted; `None` where the world has no list.
    pub admissible: Option<Vec<String>>,
    /// The tools that an action may call, where actions are calls of tools.
    pub tools: Option<Toolbox>,
    /// The world's hidden state, for display.
    pub truth: Value,
    /// The program's variables: what the agent can know.
    pub variables: Value,
    /// The place as seen from above, where the world has such a picture.
    pub map: Option<Map>,
    /// The last step's changes of `truth` (RFC 6902).
    pub truth_changes: Value,
    /// Goals as the blocking pane's roots when no proposal is chosen; in a world with a blocking domain the live tree.
    pub goals: BlockingTree,
    /// Whether `goals` is the live tree, which a person may change.
    pub live: bool,
    /// The request to answer now, in worlds whose episodes are sequences of requests.
    pub request: Option<Request>,
    /// The call that closes a request there, as an action's text; empty in other worlds.
    pub closing: &'static str,
    pub belief: Option<Arc<BeliefView>>,
    /// The skills that the method works with, and where they are from; `None` where it takes none.
    pub skills: Option<(Arc<Knowledge>, String)>,
    /// What going back does not undo, in a sentence; `None` where it undoes all.
    pub not_undone: Option<&'static str>,
}

impl Situation {
    /// Whether its tree is what is shown of a decision that takes an action, or of none: a live tree says all there is to say of its own
    /// actions. Of others their own explanation is shown.
    pub fn tells_of(&self, action: Option<&str>) -> bool {
        let is_in_tree = |text: &str| self.goals.nodes.iter().any(|node| node.handle.is_some() && node.text == text);
        self.live && action.is_none_or(is_in_tree)
    }
}
