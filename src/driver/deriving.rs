//! Trees derived from the assertions in force, where the world has no blocking domain or another one is not wanted.
//!
//! They are begun only where one is shown or asked for, and then from the beginning of the episode: a tree is the same function of
//! the records and the assertions wherever and whenever it is begun.

use std::sync::Arc;

use super::Level;
use super::proposing::observed;
use super::setup::BlockingSource;
use super::task::Driver;
use crate::blocking::{Basis, Before, Derived, Growth};

impl Driver {
    /// Begins a derived tree, where the method needs one and there is none yet.
    pub(super) fn derive_tree(&mut self) {
        let due = self.points.growth.is_none() && self.method.selects_leaves();
        let derives = matches!(self.blocking, BlockingSource::Assertions);
        if !due || !derives || self.points.world.remote().is_some() {
            return;
        }
        let session = self.gate.session();
        let path = session.path(session.cursor());
        let (Some((root, steps)), Some(start)) = (path.split_first(), self.points.root_state()) else { return };
        let basis = Arc::new(Basis {
            sentence: session.header.sentence.clone(),
            proposer: Arc::clone(&self.proposer),
            before: Before::learn(&self.demonstrations),
        });
        let derived = Derived::new(basis, self.mind.outlook(start), observed(root));
        let mut growth = Growth::derive(derived, self.points.world.as_ref());
        for node in steps {
            self.points.follow(&mut growth, node);
        }
        let edits = path.last().map(|node| node.tree_edits_here()).unwrap_or_default();
        self.points.begin_tree(growth, &edits);
    }

    /// Has derived trees begun anew where they are needed next: the assertions or the method have changed.
    pub(super) fn forget_derived_trees(&mut self) {
        if self.points.forget_derived() {
            self.shown = None;
        }
    }

    /// Why the method has no tree to select from.
    pub(super) fn why_no_tree(&self) -> String {
        let world = self.points.world.name();
        match &self.blocking {
            BlockingSource::Gone(why) => gone(why),
            BlockingSource::Domain(_) => format!(
                "the world {world} tells nothing that a blocking domain could be asked about; choose another method, or \
                 `--domain derived`"
            ),
            BlockingSource::Assertions => format!(
                "the world {world} has no blocking domain, and none is derived for a world in another process; choose another \
                 method"
            ),
        }
    }

    /// Says that the session's domain cannot be had.
    pub(super) fn tell_gone_domain(&self) {
        if let BlockingSource::Gone(why) = &self.blocking {
            self.say(Level::Warning, gone(why));
        }
    }
}

fn gone(why: &str) -> String {
    let why = why.lines().next().unwrap_or_default();
    format!(
        "the blocking domain of this session cannot be had: {why}. There are no blocking trees without it; put the file back and \
         open the session again, or choose another method"
    )
}
