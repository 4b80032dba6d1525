//! The part of the view that is read from records beside the session: the chosen proposal, what was rejected before it, how often assertions were
//! adopted and remarks made. Read from records as they arrive, and from all of an opened session, whose fold the driver hands over.

use rustc_hash::FxHashMap;

use super::View;
use stepwright_episode::{ArtifactId, ArtifactKind, Event, NodeId, ProposalId, Record};
use stepwright_world::answer::is_refusal;

#[derive(Debug, Default)]
pub(super) struct Passed {
    here: NodeId,
    recommended: FxHashMap<NodeId, ProposalId>,
}

impl View {
    /// Takes in what a record says beside the session. `pruned`: whether what is chosen was taken out of the candidates.
    pub(super) fn pass(&mut self, record: &Record, pruned: bool) {
        let here = self.passed.here;
        match &record.event {
            Event::Decided { decision } if !decision.takes() => {
                self.rejected.insert(decision.proposal());
            }
            Event::Recommended { proposal: Some(id), .. } => {
                let former = self.passed.recommended.insert(record.node, *id);
                // It moves the choice only where the person has not chosen yet, or rejected or pruned what was chosen.
                let is_open = pruned || self.selected.is_none_or(|chosen| self.rejected.contains(&chosen));
                if is_open || former.is_some_and(|former| self.stands_in(former)) {
                    self.selected = Some(*id);
                }
            }
            Event::Recommended { proposal: None, .. } => {
                self.passed.recommended.remove(&record.node);
            }
            Event::Executed { child, .. } => self.passed.here = *child,
            Event::Moved { to } => self.passed.here = *to,
            Event::Noted { .. } | Event::NoteEdited { .. } | Event::Failed { .. } => self.remarks += 1,
            // What was offered before was made for another belief, or by another program; the next recommendation is chosen.
            Event::ArtifactSettled { artifact, .. } | Event::ArtifactUndone { artifact }
                if self.methods.artifact(&artifact.kind).conduct.waits || *artifact == ArtifactId::PLAN =>
            {
                self.selected = None;
            }
            Event::ArtifactSettled { artifact, .. } | Event::ArtifactUndone { artifact, .. }
                if artifact.kind == ArtifactKind::Assertions =>
            {
                self.grounds_changed += 1;
                self.blocking = None;
            }
            _ => {}
        }
        if self.passed.here != here {
            self.selected = self.passed.recommended.get(&self.passed.here).copied();
            self.blocking = None;
        }
    }

    /// Whether what is chosen is an error of a provider that was recommended for want of an answer: nobody chose it over one.
    fn stands_in(&self, recommended: ProposalId) -> bool {
        let error = self.chosen().filter(|chosen| chosen.action.as_ref().is_some_and(is_refusal));
        error.is_some_and(|error| error.id == recommended || self.shown_for(recommended) == Some(error.id))
    }
}
