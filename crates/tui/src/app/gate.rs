//! Availability: whether an action can be done now, and if not why; what is under way.

use super::App;
use crate::actions::ActionId;
use crate::chrome::Hint;
use crate::pane::{Pane, PaneId};
use crate::panes::proposals::PRUNED;
use crate::sanitize;
use stepwright_episode::Session;
use stepwright_protocol::{ProcessStatus, READ_ONLY};
use stepwright_text::words::count;

impl App {
    /// The work under way, in words; `None` when the program waits for the person.
    pub(super) fn busy(&self) -> Option<String> {
        // In a dialog, and where a text is typed, the key closes that.
        let stops = self.dialogs.is_empty() && self.typed_in().is_none();
        let stop = self.keymap.hint(ActionId::Cancel).filter(|_| stops);
        let stop = stop.map(|k| format!("; {k} stops it")).unwrap_or_default();
        if let Some(what) = &self.pending.launch {
            return Some(format!("{what}{stop}"));
        }
        if let Some((fetch, so_far)) = &self.pending.fetch {
            return Some(format!("fetching {} {so_far}{stop}", fetch.model));
        }
        if self.is_choosing() {
            return None;
        }
        if let Some((_, why)) = &self.view.retrying {
            return Some(format!("{why}{stop}"));
        }
        if let Some((what, done, total)) = &self.view.progress {
            let parts = if *total > 0 { format!(" {done} of {total}") } else { String::new() };
            return Some(format!("{what}{parts}{stop}"));
        }
        if let Some(ProcessStatus::Working(what)) = &self.view.world {
            return Some(format!("the world is working: {}{stop}", sanitize::line(what)));
        }
        let ask = self.view.turn().and_then(|t| t.pending())?;
        let received: usize = self.view.streams.get(&ask.id).map_or(0, |s| s.values().map(String::len).sum());
        let so_far = if received > 0 { format!(", {} so far", count(received, "byte")) } else { String::new() };
        Some(format!("asking {}: {}{so_far}{stop}", ask.model, ask.kind))
    }

    pub(super) fn is_working(&self) -> bool {
        self.busy().is_some() || self.view.session.as_ref().is_some_and(|s| s.policy.is_automatic() && !s.is_done())
    }

    pub(super) fn shows_banner(&self) -> bool {
        !self.is_choosing() && !self.banner_read && matches!(self.view.world, Some(ProcessStatus::Dead { .. }))
    }

    /// Why an action cannot be done now; `None` if it can.
    pub(super) fn disabled(&self, action: ActionId) -> Option<&'static str> {
        use ActionId as A;
        let session = self.view.session.as_ref();
        let never = match action {
            A::Help | A::Palette | A::Quit | A::Theme | A::Redraw | A::Suspend | A::Message => return None,
            A::StartScreen if !self.view.read_only => return None,
            _ if self.is_choosing() => Some("open an episode first"),
            _ if self.view.read_only && action.changes() => Some(READ_ONLY),
            _ if self.view.stopped && is_command(action) => Some("the driver has stopped"),
            _ => None,
        };
        let Some(session) = session else { return Some("open an episode first") };
        never.or_else(|| self.disabled_in(session, action))
    }

    fn disabled_in(&self, session: &Session, action: ActionId) -> Option<&'static str> {
        use ActionId as A;
        if let Some(ruled) = self.disabled_by_offer(action) {
            return ruled;
        }
        let proposals = self.view.turn().map_or(0, |t| t.proposals.len());
        match action {
            A::Approve | A::Edit | A::Reject | A::MoreSamples | A::Manual | A::Propose | A::Policy
                if session.is_done() =>
            {
                Some("the episode is over; undo, or begin another")
            }
            A::Edit if self.view.chosen().is_none() && self.view.plan().is_some() => None,
            A::Approve | A::Edit | A::Reject if self.view.chosen().is_none() => Some("no proposal is chosen"),
            A::Approve if self.view.chosen().is_some_and(|p| p.action.is_none()) => {
                Some("the chosen proposal is no action; edit it or choose another")
            }
            A::Approve if self.view.chosen().is_some_and(|p| self.view.is_pruned(p)) => Some(PRUNED),
            A::Approve | A::Reject if self.is_rejected() => Some("the chosen proposal was rejected; choose another"),
            A::NextProposal | A::PreviousProposal if proposals < 2 => Some("there is no other proposal"),
            A::Choose(n) if usize::from(n) > proposals => Some("there is no proposal of that number"),
            A::Choose(n) if self.is_pruned(usize::from(n).saturating_sub(1)) => Some(PRUNED),
            A::Cancel if !self.is_working() => Some("nothing is running that could be stopped"),
            A::Undo if session.undo_target().is_none() => Some("this is the first step"),
            A::Redo if session.redo_target().is_none() => Some("there is no later step"),
            A::Export if self.session_file().is_none() => Some("this session is not kept in a file"),
            A::Wider | A::Narrower | A::Taller | A::Shorter if self.layout.zoomed => Some("a pane is zoomed"),
            A::RestartWorld if self.view.world.is_none() => {
                Some("this world runs in the program itself; there is nothing to restart")
            }
            A::Configure | A::Duel if self.start.catalog().is_none() => Some("the models are still being read"),
            A::Duel if self.view.is_blind() => Some("blind: it would tell what is recommended; show that first"),
            _ => None,
        }
    }

    fn is_pruned(&self, row: usize) -> bool {
        self.view.offered_at(row).is_some_and(|p| self.view.is_pruned(p))
    }

    fn is_rejected(&self) -> bool {
        let (Some(id), Some(turn)) = (self.view.selected, self.view.turn()) else { return false };
        turn.rejection(id).is_some()
    }

    pub(super) fn typed_in(&self) -> Option<&dyn Pane> {
        self.pane(self.focus).filter(|p| !self.is_choosing() && p.captures_text())
    }

    /// The keys that are worth knowing now, in the footer's order.
    pub fn hints(&self) -> Vec<Hint> {
        use ActionId as A;
        let mut hints: Vec<(ActionId, &'static str)> = Vec::new();
        if self.is_choosing() && self.start.captures_text() {
            // Keys are text now: those of the list do not act.
            let typed = [(A::Accept, "keep the search"), (A::ItemDown, "mark"), (A::Close, self.start.leaving())];
            return self.with_keys(&typed);
        }
        if self.is_choosing() {
            let sessions = self.start.catalog().is_some_and(|c| c.sessions.iter().any(|s| s.shipped));
            hints.extend([(A::Begin, "begin"), (A::StartDown, "mark"), (A::NextField, "next list")]);
            hints.push((A::StartSearch, "search"));
            if sessions {
                hints.push((A::Example(1), "example"));
            }
            hints.push((A::Quit, "quit"));
            return self.with_keys(&hints);
        }
        if let Some(pane) = self.typed_in() {
            // Keys are text here too, but for those two of the editors.
            let typed = |action, key: &str, word| Hint { action: Some(action), key: key.to_owned(), word };
            return vec![typed(A::Accept, pane.accept_key(), "accept"), typed(A::Close, "Esc", "cancel")];
        }
        if self.is_working() {
            hints.push((A::Cancel, "stop"));
        }
        if matches!(self.view.world, Some(ProcessStatus::Dead { .. })) {
            hints.push((A::RestartWorld, "restart world"));
        }
        let decisions = [A::Approve, A::Edit, A::Reject, A::MoreSamples, A::Manual];
        let mut own: Vec<(ActionId, &'static str)> = match self.pane(self.focus) {
            Some(pane) => pane.actions(&self.view).into_iter().map(|(a, word)| (ActionId::Pane(a), word)).collect(),
            None => Vec::new(),
        };
        own.retain(|(action, _)| !(is_implicit(*action) || self.view.read_only && action.changes()));
        // Where two keys do the same, one is enough.
        let mut shown = Vec::new();
        own.retain(|(_, word)| {
            let new = !shown.contains(word);
            shown.push(*word);
            new
        });
        let gate = decisions.into_iter().filter(|a| self.disabled(*a).is_none());
        let gate: Vec<_> = gate.map(|a| (a, self.gate_word(a))).collect();
        if self.focus == PaneId::Proposals {
            // Where nothing is chosen for the person, that comes first.
            if self.view.chosen().is_none() && self.view.offered_len() > 0 {
                let choose = [(A::Choose(1), "choose"), (A::NextProposal, "next")];
                hints.extend(choose.into_iter().filter(|(action, _)| self.disabled(*action).is_none()));
            }
            // Where nothing is offered, it is what brings something.
            let nothing = self.view.offered_len() == 0 && self.view.offer().is_none() && !self.is_working();
            if nothing && self.disabled(A::Propose).is_none() {
                hints.push((A::Propose, self.gate_word(A::Propose)));
            }
            // Keys that the gate takes in this pane are not the pane's.
            own.retain(|(a, _)| self.keymap.keys(*a).first().is_some_and(|k| !self.gate_takes(*k)));
            hints.extend(gate);
            hints.extend(own);
        } else {
            let waits = self.view.offer().is_some();
            // A key that the pane has too is the pane's.
            hints.extend(gate.iter().filter(|(a, _)| (*a == A::Approve || waits) && self.is_reached(*a)).copied());
            hints.extend(own);
        }
        let over = self.view.session.as_ref().is_some_and(Session::is_done);
        let after: &[ActionId] =
            if over { &[A::Undo, A::Tree, A::Present, A::Export, A::StartScreen, A::Quit] } else { &[] };
        let always = [A::Undo, A::Redo, A::Tree, A::Policy, A::FocusNext, A::Zoom];
        for action in after.iter().chain(always.iter().filter(|a| !after.contains(a))).copied() {
            if self.disabled(action).is_none() {
                hints.push((action, crate::actions::spec(action).map_or("", |s| s.label)));
            }
        }
        self.with_keys(&hints)
    }

    /// Whether a key of an action does it now, in the pane that has the keys.
    fn is_reached(&self, action: ActionId) -> bool {
        self.reaching(action).is_some()
    }

    /// The first key of an action that does it now.
    fn reaching(&self, action: ActionId) -> Option<String> {
        let keys = self.keymap.keys(action);
        keys.iter().find(|key| self.resolve(**key) == Ok(action)).map(ToString::to_string)
    }

    pub(super) fn with_keys(&self, hints: &[(ActionId, &'static str)]) -> Vec<Hint> {
        hints
            .iter()
            .filter_map(|(id, word)| {
                // Of several keys the first may be another's here.
                let several = self.keymap.keys(*id).len() > 1;
                let key = several.then(|| self.reaching(*id)).flatten().or_else(|| self.keymap.hint(*id))?;
                Some(Hint { action: Some(*id), key, word })
            })
            .collect()
    }
}

pub(super) fn is_command(action: ActionId) -> bool {
    use ActionId as A;
    matches!(
        action,
        A::Approve | A::Edit | A::Reject | A::MoreSamples | A::Manual | A::Policy | A::Cancel | A::Propose | A::Undo
    ) || matches!(
        action,
        A::Redo | A::Tree | A::Note | A::Blind | A::Breakpoints | A::Configure | A::Duel | A::RestartWorld
    )
}

/// Moving about needs no hint, arrows do it everywhere; nor does going through matches, which the search line shows.
pub(super) fn is_implicit(action: ActionId) -> bool {
    use crate::pane::PaneAction as P;
    let ActionId::Pane(action) = action else { return false };
    let moves = matches!(action, P::Up | P::Down | P::PageUp | P::PageDown | P::Top | P::Bottom | P::Left | P::Right);
    // Where words are cut, the rule above them names the keys.
    moves || matches!(action, P::NextMatch | P::PreviousMatch | P::WordsOn | P::WordsBack)
}
