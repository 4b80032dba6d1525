//! Dispatch: from keys to actions, and carrying them out.

use std::time::Instant;

use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};

use super::gate::{is_command, is_implicit};
use super::{App, Effect, Sleeper, Typed, TypedFor};
use crate::actions::{ACTIONS, ActionId, Context};
use crate::dialog::act::{Act, Purpose};
use crate::dialog::compare::Compare;
use crate::dialog::configure::Configure;
use crate::dialog::duel::Duel;
use crate::dialog::help::Help;
use crate::dialog::palette::Palette;
use crate::dialog::pick::Pick;
use crate::dialog::presenter::Presenter;
use crate::dialog::tree::Tree;
use crate::dialog::{Fetch, Info, Reply, asked};
use crate::event::Input;
use crate::keymap::Chord;
use crate::layout::{Preset, Resize};
use crate::pane::{PANES, Pane, PaneAction, PaneId};
use crate::paste;
use crate::request;
use crate::start::StartAction;
use crate::widgets::words::thousands;
use stepwright_episode::ProposalId;
use stepwright_protocol::{Command, Level, Request, Unwritten};

impl App {
    /// A key, wherever it belongs now: dialog, typed text, focused pane, gate, everywhere.
    pub(super) fn key(&mut self, key: KeyEvent, now: Instant) {
        let chord = Chord::of(&key);
        (self.dirty, self.drawn.touched) = (true, true);
        if self.is_too_small() {
            // Nothing may be decided on a screen too small to show it. Leaving needs no question there: the session is saved.
            match self.keymap.lookup(Context::Global, chord) {
                Some(ActionId::Quit) => self.effects.push(Effect::Quit),
                Some(action @ (ActionId::Suspend | ActionId::Redraw)) => self.perform(action, now),
                _ => {}
            }
            return;
        }
        if !self.dialogs.is_empty() {
            return self.dialog_key(key, chord, now);
        }
        if self.is_choosing() {
            return self.start_key(key, chord, now);
        }
        if self.pane(self.focus).is_some_and(|p| p.captures_text()) {
            return self.with_pane(self.focus, now, |pane, view| pane.input(Input::Key(key), view));
        }
        let action = self.resolve(chord);
        // A message has been read once the next key is pressed.
        self.dismiss_message();
        match action {
            Ok(action) => self.perform(action, now),
            Err(why) => self.say(Level::Info, why),
        }
    }

    pub(super) fn dismiss_message(&mut self) {
        if let Some((_, text)) = self.view.message.take().filter(|(_, t)| !t.is_empty()) {
            self.last_message = Some(text);
        }
    }

    pub(super) fn gate_takes(&self, chord: Chord) -> bool {
        self.keymap.lookup(Context::Gate, chord).is_some()
    }

    /// What a key does now, as the footer and the documents write it, while the panes are shown.
    pub fn meaning(&self, key: &str) -> Option<ActionId> {
        self.resolve(Chord::parse(key).ok()?).ok()
    }

    /// The action of a key while the panes are shown. Keys that panes and gate share are the gate's in Proposals, the pane's
    /// elsewhere; one that would decide at once is never passed on from a pane that has no use for it.
    pub(super) fn resolve(&self, chord: Chord) -> Result<ActionId, String> {
        let gate = self.keymap.lookup(Context::Gate, chord);
        let global = self.keymap.lookup(Context::Global, chord);
        let pane = self.keymap.lookup(Context::Pane, chord);
        let offered = pane.filter(|id| {
            let actions = self.pane(self.focus).map(|p| p.actions(&self.view)).unwrap_or_default();
            actions.iter().any(|(a, _)| ActionId::Pane(*a) == *id)
        });
        if self.focus == PaneId::Proposals
            && let Some(action) = gate
        {
            return Ok(action);
        }
        if let Some(action) = offered {
            return Ok(action);
        }
        match (pane, gate) {
            (Some(_), Some(ActionId::Approve)) => {
                let over = self.view.session.as_ref().is_some_and(|session| session.is_done());
                // One that no pane has approves from each.
                let is_free = |key: &&Chord| self.keymap.lookup(Context::Pane, **key).is_none();
                let free = self.keymap.keys(ActionId::Approve).iter().find(is_free).filter(|_| !over);
                let here = free.map(|key| format!("; {key} approves from here")).unwrap_or_default();
                Err(format!("{chord} decides only in Proposals{here}"))
            }
            (Some(_), Some(ActionId::NextProposal | ActionId::PreviousProposal)) => Err(String::new()),
            // A document that waits is refused wherever it is shown.
            (Some(ActionId::Pane(PaneAction::ToggleReject)), Some(ActionId::Reject)) if self.view.offer().is_some() => {
                Ok(ActionId::Reject)
            }
            // It is about the row under the cursor, in each pane.
            (Some(action @ ActionId::Pane(PaneAction::ToggleReject)), Some(ActionId::Reject)) => {
                let there = self.keymap.hint(ActionId::Focus(PaneId::Proposals)).unwrap_or_default();
                let elsewhere = format!("; in Proposals ({there}) it rejects the chosen proposal");
                Err(self.of_no_use(chord, action) + &elsewhere)
            }
            (_, Some(action)) => Ok(action),
            (Some(action), None) if global.is_none() => Err(self.of_no_use(chord, action)),
            _ => global.ok_or_else(|| {
                format!("{chord} is not bound; {} shows all keys", self.keymap.hint(ActionId::Help).unwrap_or_default())
            }),
        }
    }

    /// Why a pane's key does nothing now, and what must come first.
    fn of_no_use(&self, chord: Chord, action: ActionId) -> String {
        let missing = match (action, self.pane(self.focus)) {
            (ActionId::Pane(PaneAction::WordsOn | PaneAction::WordsBack), Some(pane)) => {
                pane.outline().words.in_sight()
            }
            (ActionId::Pane(action), Some(pane)) => {
                pane.missing(action, &self.view).or_else(|| pane.turned_out(action, &self.view))
            }
            _ => None,
        };
        missing.unwrap_or_else(|| format!("{chord} does nothing here{}", self.elsewhere(action)))
    }

    /// The panes in which a pane's key does something now, and the keys that go there.
    fn elsewhere(&self, action: ActionId) -> String {
        let offers = |pane: &dyn Pane| pane.actions(&self.view).iter().any(|(a, _)| ActionId::Pane(*a) == action);
        let there = self.panes.iter().map(AsRef::as_ref).filter(|pane| offers(*pane)).map(Pane::id);
        let named = there.filter_map(|id| Some(format!("{} ({})", id.title(), self.keymap.hint(ActionId::Focus(id))?)));
        match named.collect::<Vec<_>>().as_slice() {
            [] => String::new(),
            panes => format!("; it does in {}", panes.join(", ")),
        }
    }

    fn dialog_key(&mut self, key: KeyEvent, chord: Chord, now: Instant) {
        let Some(dialog) = self.dialogs.last() else { return };
        let plain = matches!(key.code, KeyCode::Char(_))
            && !key.modifiers.intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let Info { captures_text: types, keys: own, opener, .. } = dialog.info();
        let lines = dialog.holds_lines();
        let bound = |context| self.keymap.lookup(context, chord).filter(|_| !(plain && types));
        let everywhere = [Context::Global, Context::Gate].into_iter().filter_map(bound).collect::<Vec<_>>();
        let action = own.and_then(bound).or_else(|| bound(Context::Dialog));
        let action = action.filter(|a| !lines || matches!(a, ActionId::AcceptText | ActionId::Close));
        // In a text these move the cursor.
        let action = action.filter(|a| !types || !matches!(a, ActionId::ItemTop | ActionId::ItemBottom));
        match action {
            Some(ActionId::Close) => self.close_dialog(),
            Some(action) => self.with_dialog(now, |dialog, context| dialog.act(action, context)),
            None if opener.is_some_and(|opener| everywhere.contains(&opener)) => self.close_dialog(),
            None if everywhere.contains(&ActionId::Help) => self.open_help(),
            None => match self.keymap.lookup(Context::Global, chord) {
                Some(action @ (ActionId::Suspend | ActionId::Redraw)) => self.perform(action, now),
                _ => self.with_dialog(now, |dialog, context| dialog.input(Input::Key(key), context)),
            },
        }
    }

    /// What a key of the footer does, where the footer shows it.
    pub(super) fn hinted(&mut self, action: ActionId, now: Instant) {
        self.dirty = true;
        match action {
            ActionId::Help => self.open_help(),
            ActionId::Close if !self.dialogs.is_empty() => self.close_dialog(),
            _ if !self.dialogs.is_empty() => self.with_dialog(now, |dialog, context| dialog.act(action, context)),
            // Where a text is typed in a pane or a search, its keys are the editor's own.
            ActionId::Accept | ActionId::Close | ActionId::ItemDown => {
                let lines = self.typed_in().is_some_and(|pane| pane.accept_key() != "Enter");
                let key = match action {
                    ActionId::Accept if lines => KeyEvent::new(KeyCode::Char('s'), KeyModifiers::CONTROL),
                    ActionId::Accept => KeyCode::Enter.into(),
                    ActionId::Close => KeyCode::Esc.into(),
                    _ => KeyCode::Down.into(),
                };
                self.key(key, now);
            }
            _ => {
                self.dismiss_message();
                if self.is_choosing() && !matches!(action, ActionId::Quit) {
                    let action = self.start.act(action);
                    self.start_action(action);
                } else {
                    self.perform(action, now);
                }
            }
        }
    }

    fn close_dialog(&mut self) {
        if self.dialogs.last_mut().is_some_and(|dialog| dialog.leave_part()) {
            return;
        }
        self.drop_dialog();
        self.put_theme_back();
    }

    fn put_theme_back(&mut self) {
        if let Some(theme) = self.themes.before.take() {
            self.themes.now = theme;
        }
    }

    pub(super) fn close_all(&mut self) {
        while !self.dialogs.is_empty() {
            self.drop_dialog();
        }
        self.put_theme_back();
    }

    /// Takes the dialog away; what it waited for does not wake the one below.
    pub(super) fn drop_dialog(&mut self) {
        self.dialogs.pop();
        let open = self.dialogs.len();
        self.sleepers.retain(|(_, s)| !matches!(s, Sleeper::Dialog(at) if *at >= open));
    }

    fn start_key(&mut self, key: KeyEvent, chord: Chord, now: Instant) {
        if self.start.captures_text() {
            return self.start.input(Input::Key(key));
        }
        // Esc returns to a session that lies underneath.
        let cancel = self.keymap.lookup(Context::Gate, chord) == Some(ActionId::Cancel);
        if cancel && self.pending.launch.take().is_some() {
            self.effects.push(Effect::GiveUp);
            return self.say(Level::Info, "The beginning is cancelled; choose again".into());
        }
        if cancel && self.pending.fetch.is_some() {
            self.effects.push(Effect::StopFetch);
            return;
        }
        if cancel && self.start.clear_search() {
            return;
        }
        if cancel && self.view.session.is_some() {
            self.choosing = false;
            return;
        }
        self.dismiss_message();
        if let Some(action) = self.keymap.lookup(Context::Start, chord) {
            let action = self.start.act(action);
            return self.start_action(action);
        }
        match self.keymap.lookup(Context::Global, chord) {
            Some(action) => self.perform(action, now),
            None => {
                let [help, quit] = [ActionId::Help, ActionId::Quit].map(|id| self.keymap.hint(id).unwrap_or_default());
                self.say(Level::Info, format!("{chord} does nothing here: {quit} quits, {help} shows all keys"));
            }
        }
    }

    pub(super) fn start_action(&mut self, action: Option<StartAction>) {
        if self.pending.launch.is_some() {
            return;
        }
        match action {
            Some(StartAction::Begin(choice)) => self.begin(choice),
            Some(StartAction::Open(path)) => {
                self.pending.launch = Some(format!("opening {}", path.display()));
                self.open_session(path);
            }
            Some(StartAction::Fetch { model, size }) => self.offer_fetch(Fetch { model, size, then: None }),
            Some(StartAction::Say(text)) => self.say(Level::Warning, text),
            None => {}
        }
    }

    /// Many characters at once: a text where one is typed, else nothing. An Enter after them accepts it, as from a program that types.
    pub fn typed_at_once(&mut self, text: &str, now: Instant) {
        let whole = text.trim_end_matches('\n');
        self.paste(whole, now);
        if whole.len() < text.len() && self.most_typed().is_some() {
            self.key(KeyEvent::from(KeyCode::Enter), now);
        }
    }

    /// The most bytes that are taken as text where the person is; `None` where nothing is typed.
    fn most_typed(&self) -> Option<usize> {
        match self.dialogs.last() {
            Some(dialog) if !dialog.info().captures_text => None,
            Some(dialog) if dialog.holds_lines() => Some(paste::LINES),
            Some(_) => Some(paste::LINE),
            None if self.is_choosing() => self.start.captures_text().then_some(paste::LINE),
            None => self.pane(self.focus).is_some_and(|p| p.captures_text()).then_some(paste::LINES),
        }
    }

    pub(super) fn paste(&mut self, text: &str, now: Instant) {
        if self.is_too_small() {
            return;
        }
        self.dirty = true;
        match self.most_typed() {
            // Pasted text is never taken for keys: that would decide.
            None => {
                let opens = match (self.dialogs.is_empty(), self.is_choosing()) {
                    (false, _) => None,
                    (true, true) => Some((ActionId::StartSearch, "searches")),
                    (true, false) => Some((ActionId::Manual, "types an action")),
                };
                let opens = opens.and_then(|(id, word)| Some(format!("; {} {word}", self.keymap.hint(id)?)));
                self.say(Level::Info, format!("Pasted text is ignored here{}", opens.unwrap_or_default()));
            }
            Some(most) if text.len() > most => {
                let (long, most) = (thousands(text.len() as u64), thousands(most as u64));
                self.say(
                    Level::Warning,
                    format!("Nothing was pasted: the text has {long} bytes, and at most {most} fit here"),
                );
            }
            Some(_) if !self.dialogs.is_empty() => {
                self.with_dialog(now, |dialog, context| dialog.input(Input::Paste(text), context));
            }
            Some(_) if self.is_choosing() => self.start.input(Input::Paste(text)),
            Some(_) => self.with_pane(self.focus, now, |pane, view| pane.input(Input::Paste(text), view)),
        }
    }

    /// Opens the plan or program in force as a text, at the line that is next or at which it cannot go on, and says why that is.
    pub(super) fn edit_plan(&mut self) {
        let Some((session, plan)) = self.view.session.as_ref().zip(self.view.plan()) else { return };
        let sections = self.view.sections(session.cursor());
        // Sections may be of something else than the whole text.
        let line = sections.iter().find(|s| s.lines.len() == plan.lines().count()).map_or(0, |s| s.at);
        let why = match self.view.turn().and_then(|turn| turn.recommended.as_ref()) {
            Some((None, why)) => why.as_str(),
            _ => "",
        };
        let form = asked::plan(plan, line, why, self.view.plans_programs());
        self.open(form);
    }

    /// What was typed here for that, and refused or not written: nothing of its kind was added since. It is there to be mended, once: who
    /// leaves it then begins with what is offered.
    fn refused(&mut self, of: TypedFor) -> Option<String> {
        let session = self.view.session.as_ref()?;
        let node = session.current()?;
        let here = (session.header.created, node.id, of.count(&node.turn), of);
        let is_it = |typed: &mut Typed| typed.refused && (typed.session, typed.at, typed.before, typed.of) == here;
        self.pending.typed.take_if(is_it).map(|typed| typed.text)
    }

    pub(super) fn edit(&mut self, from: Option<ProposalId>, text: &str, now: Instant) {
        let refused = self.refused(TypedFor::Action(from));
        let text = refused.as_deref().unwrap_or(text);
        // Where the world says which actions there are, one of them is typed, whatever a person asks for.
        let has_list =
            self.view.situation.as_ref().is_some_and(|here| here.admissible.is_some() || here.tools.is_some());
        match request::open(&self.view).filter(|_| !has_list) {
            Some(open) => self.open(asked::program(from, text, &open.query, &request::calls(&self.view))),
            None => match from.and_then(|id| Some((id, self.view.lines_of(id)?))) {
                Some((id, (own, example))) => {
                    self.open(asked::lines(id, refused.as_ref().unwrap_or(&own), example, self.view.tools()));
                }
                None => self.open(Act::new(from.map_or(Purpose::Take, Purpose::Edit), text, self.context())),
            },
        }
        // The initial text is checked without waiting for a key.
        self.with_dialog(now, |dialog, context| dialog.wake(context));
    }

    pub(super) fn add_to_tree(&mut self, under: u32) {
        self.open(Act::new(Purpose::Tree(under), "", self.context()));
    }

    pub(super) fn perform(&mut self, action: ActionId, now: Instant) {
        use ActionId as A;
        self.dirty = true;
        if self.writes_first(action) {
            return;
        }
        if let Some(why) = self.disabled(action) {
            if action == A::Cancel && self.clear_search() {
                return;
            }
            if action == A::Cancel && self.layout.zoomed {
                self.layout.zoomed = false;
                return;
            }
            if action == A::Cancel && self.shows_banner() {
                self.banner_read = true;
                return;
            }
            if action == A::Cancel && self.visit_ends() {
                return;
            }
            let label = crate::actions::spec(action).map_or("That", |s| s.label);
            // Ctrl-C is pressed by someone who wants to leave.
            let quit = self.keymap.hint(ActionId::Quit).filter(|_| action == A::Cancel);
            let quit = quit.map(|key| format!("; {key} quits")).unwrap_or_default();
            return self.say(Level::Info, format!("{label}: {why}{quit}"));
        }
        match action {
            A::Pane(action) => self.with_pane(self.focus, now, |pane, view| pane.act(action, view)),
            A::Help => self.open_help(),
            A::Palette => self.open_palette(),
            A::Quit => self.quit(),
            A::LayoutStepping => self.arrange(Preset::Stepping),
            A::LayoutAssertions => self.arrange(Preset::Assertions),
            A::LayoutReview => self.arrange(Preset::Review),
            A::Zoom => self.layout.zoomed = !self.layout.zoomed,
            A::FocusNext => self.turn_focus(1),
            A::FocusPrevious => self.turn_focus(PANES.len() - 1),
            A::Focus(pane) => self.set_focus(pane),
            A::Wider => self.resize(Resize::Wider),
            A::Narrower => self.resize(Resize::Narrower),
            A::Taller => self.resize(Resize::Taller),
            A::Shorter => self.resize(Resize::Shorter),
            A::Theme => self.open_themes(),
            A::StartScreen => {
                self.choosing = true;
                self.effects.push(Effect::Catalog);
            }
            A::Export => self.open(Pick::export()),
            A::Message => {
                // What stands in its line while something is under way comes first.
                let shown: Vec<String> = self.busy().into_iter().chain(self.last_message.clone()).collect();
                let text = if shown.is_empty() { "There was no message yet.".into() } else { shown.join("\n") };
                self.open(asked::message(&text));
            }
            A::Suspend => self.effects.push(Effect::Suspend),
            A::Redraw => self.effects.push(Effect::Repaint),
            other => self.decide(other, now),
        }
    }

    fn clear_search(&mut self) -> bool {
        let focus = self.focus;
        self.panes.iter_mut().filter(|pane| pane.id() == focus).any(|pane| pane.outline_mut().find.clear())
    }

    /// While records wait to be written, every key that would go on tries that first, and does nothing else.
    fn writes_first(&mut self, action: ActionId) -> bool {
        let goes_on = is_command(action) && !matches!(action, ActionId::Cancel | ActionId::Tree) && !self.is_choosing();
        match self.view.unwritten.filter(|_| goes_on && !self.view.stopped) {
            None => return false,
            Some(Unwritten::Failed) => self.send(Command::Write),
            Some(Unwritten::Lost) => self.ask_where_to_keep(),
        }
        true
    }

    fn decide(&mut self, action: ActionId, now: Instant) {
        use ActionId as A;
        if self.decide_offer(action, now) {
            return;
        }
        match action {
            A::Approve => {
                if let Some(proposal) = self.view.selected {
                    self.send(Command::Gate(Request::Approve { proposal }));
                }
            }
            A::Edit => {
                if let Some(chosen) = self.view.chosen() {
                    let text = chosen.action.as_ref().map_or(chosen.raw.as_str(), |a| a.text.as_str()).to_owned();
                    self.edit(Some(chosen.id), &text, now);
                } else {
                    self.edit_plan();
                }
            }
            A::Reject => {
                if let Some(chosen) = self.view.chosen() {
                    let text = chosen.action.as_ref().map_or(chosen.raw.as_str(), |a| a.text.as_str());
                    let form = asked::reject(chosen.id, text);
                    self.open(form);
                }
            }
            A::MoreSamples => {
                // The pending ask shows in the panes; its result is reported when it is there.
                self.send(Command::Gate(Request::Sample { n: 3 }));
            }
            A::NextProposal => self.choose_by(1),
            A::PreviousProposal => self.choose_by(-1),
            A::Choose(n) => self.choose(usize::from(n).saturating_sub(1)),
            A::Manual => self.edit(None, "", now),
            A::Policy => {
                if let Some(session) = &self.view.session {
                    let form = asked::policy(&session.policy);
                    self.open(form);
                }
            }
            A::Cancel if self.pending.fetch.is_some() => self.effects.push(Effect::StopFetch),
            A::Cancel => self.send(Command::Cancel),
            A::Propose => self.send(Command::Gate(Request::Propose)),
            A::Undo => self.send(Command::Gate(Request::Undo)),
            A::Redo => self.send(Command::Gate(Request::Redo)),
            A::Tree => {
                if let Some(session) = &self.view.session {
                    let tree = Tree::new(session);
                    self.open(tree);
                }
            }
            A::Blind => {
                let blind = !self.view.is_blind();
                self.view.always_blind &= blind;
                self.send(Command::Gate(Request::SetBlind(blind)));
            }
            A::Duel => self.open_duel(false),
            A::CompareBranches => self.open(Compare::default()),
            A::Present => self.present(now),
            A::Note => {
                let refused = self.refused(TypedFor::Remark);
                self.open(asked::note(refused.as_deref().unwrap_or_default()));
            }
            A::Breakpoints => {
                let session = self.view.session.as_ref();
                let set = session.map(|s| s.breakpoints.as_slice()).unwrap_or_default();
                let action = session.and_then(|s| s.assertions().keys().next()).map(String::as_str);
                let variables = self.view.situation.as_ref().map(|s| s.variables.clone()).unwrap_or_default();
                let form = asked::breakpoints(set, action, variables);
                self.open(form);
            }
            A::RestartWorld => self.send(Command::RestartWorld),
            A::Configure => {
                if let (Some(session), Some(catalog)) = (&self.view.session, self.start.catalog()) {
                    let dialog = Configure::new(catalog, session);
                    self.open(dialog);
                }
            }
            _ => {}
        }
    }

    /// Shows the duel that goes on, or has sides chosen.
    pub(super) fn open_duel(&mut self, anew: bool) {
        if self.view.duel.is_some() && !anew {
            return self.open(Duel::columns());
        }
        if let (Some(session), Some(catalog)) = (&self.view.session, self.start.catalog()) {
            let dialog = Duel::chosen_from(catalog, session, self.view.ground_truth);
            self.open(dialog);
        }
    }

    pub(super) fn present(&mut self, now: Instant) {
        self.open(Presenter::default());
        // It asks for what it shows.
        self.with_dialog(now, |dialog, context| dialog.update(context));
    }

    fn choose(&mut self, index: usize) {
        let id = self.view.offered_at(index).map(|p| p.id);
        if id.is_some() && self.view.selected != id {
            self.view.selected = id;
            self.view.revision += 1;
        }
    }

    fn choose_by(&mut self, by: isize) {
        let len = self.view.offered_len();
        let at = self.view.selected.and_then(|id| self.view.offered_row(id));
        let next = match at {
            Some(at) => at.saturating_add_signed(by).min(len.saturating_sub(1)),
            None => 0,
        };
        self.choose(next);
    }

    fn turn_focus(&mut self, by: usize) {
        let at = PANES.iter().position(|p| *p == self.focus).unwrap_or(0);
        if let Some(pane) = PANES.get((at + by) % PANES.len()) {
            self.set_focus(*pane);
        }
    }

    fn resize(&mut self, how: Resize) {
        if !self.layout.resize(self.drawn.screen, self.focus, how) {
            self.say(Level::Info, "There is nothing to resize at this size".into());
        }
    }

    fn pane_actions(&self) -> Vec<(ActionId, &'static str)> {
        let own = match self.pane(self.focus) {
            Some(pane) if !self.is_choosing() => pane.actions(&self.view),
            _ => Vec::new(),
        };
        let own = own.into_iter().map(|(a, word)| (ActionId::Pane(a), word));
        own.filter(|(a, _)| !is_implicit(*a)).collect()
    }

    fn open_help(&mut self) {
        let here = match self.dialogs.last() {
            Some(dialog) => Some(dialog_actions(dialog.info())),
            None if self.is_choosing() => Some(("the start screen".to_owned(), actions_of(Context::Start))),
            None => Some((self.focus.title().to_owned(), self.pane_actions())),
        };
        self.open(Help::new(here.filter(|(_, actions)| !actions.is_empty())));
    }

    fn open_palette(&mut self) {
        let own = self.pane_actions();
        let palette = Palette::new(|id| self.disabled(id), &own);
        self.open(palette);
    }

    fn open_themes(&mut self) {
        let themes: Vec<(String, String)> = self.themes.all.iter().map(|t| (t.name.clone(), t.about.clone())).collect();
        let pick = Pick::theme(&themes, &self.themes.now.name);
        self.themes.before = Some(self.themes.now.clone());
        self.open(pick);
    }

    fn quit(&mut self) {
        // What is only being opened loses nothing.
        let opens = self.pending.launch.is_some() && self.pending.fetch.is_none() && self.view.session.is_none();
        if self.is_working() && !self.view.stopped && !opens {
            let kept = match self.view.unwritten {
                None => "The session is saved up to here and opens again with `stepwright open`.",
                Some(_) => "What waits to be written is tried once more, and said if it cannot be.",
            };
            let question = format!("Leaving stops whatever is under way. {kept}");
            return self.open(asked::confirm("Leave?", question, "leave", vec![Reply::Leave]));
        }
        self.effects.push(Effect::Quit);
    }
}

/// A dialog's title and what its keys do.
fn dialog_actions(dialog: Info) -> (String, Vec<(ActionId, &'static str)>) {
    let mut actions = dialog.keys.map(actions_of).unwrap_or_default();
    actions.extend(dialog.hints);
    (dialog.title.into_owned(), actions)
}

fn actions_of(context: Context) -> Vec<(ActionId, &'static str)> {
    ACTIONS.iter().filter(|row| row.context == context).map(|row| (row.id, row.label)).collect()
}
