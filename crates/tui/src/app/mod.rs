//! Application state: takes in events, answers with effects, draws itself. It holds no terminal, thread or clock.
//!
//! `run` feeds it and carries its effects out; tests do the same without a terminal. What keys do is `dispatch`, deciding
//! about offered documents `offer`, whether something makes sense now `gate`, the mouse `pointer`, the frame `draw`.

mod dispatch;
mod draw;
mod gate;
mod offer;
mod pointer;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyEventKind, MouseEventKind};
use ratatui::layout::Rect;

use super::actions::ActionId;
use super::dialog::duel::Duel;
use super::dialog::pick::Pick;
use super::dialog::{self, Dialog, Fetch, Reply, asked};
use super::keymap::Keymap;
use super::launcher::{Catalog, Choice, ExportForm};
use super::layout::{Handle, Layout, Preset};
use super::manner::Manner;
use super::pane::{FileUse, Intent, Pane, PaneId};
use super::panes::trail::Trail;
use super::start::Start;
use super::theme::Theme;
use super::view::View;
use stepwright_episode::{NodeId, ProposalId, Session, Turn};
use stepwright_method::Methods;
use stepwright_protocol::{
    CandidateCommand, Command, Level, LibraryCommand, Notice, READ_ONLY, Request, SetSource, Unwritten,
};
use stepwright_world::{Kinds, TaskInfo, named};

/// Characters of a copied text up to which the message shows it.
const SHORT_COPY: usize = 72;

/// Something to do that is not the application's own.
#[derive(Debug, Clone, PartialEq)]
#[allow(clippy::large_enum_variant, reason = "one passes at a time")]
pub enum Effect {
    Send(Command),
    Begin(Choice),
    Open(PathBuf),
    /// Open it to be read alone, at a node; of a file of logs that episode.
    Visit {
        file: PathBuf,
        episode: String,
        node: NodeId,
    },
    /// Wait no more for what is being begun or opened.
    GiveUp,
    Catalog,
    /// Ask the process of a world for its tasks.
    Tell(String),
    Fetch(String),
    StopFetch,
    Load(PathBuf),
    /// The presenter shows the decision that led to a node, or that is open there.
    Presented(NodeId),
    Export {
        session: PathBuf,
        form: ExportForm,
        target: PathBuf,
    },
    Copy(String),
    Suspend,
    Repaint,
    Quit,
}

pub struct Parts {
    pub panes: Vec<Box<dyn Pane>>,
    pub keymap: Keymap,
    pub themes: Vec<Theme>,
    /// The worlds there are.
    pub worlds: Kinds,
    /// The methods there are, and the kinds of documents.
    pub methods: &'static Methods,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Sleeper {
    Pane(PaneId),
    Dialog(usize),
}

struct Themes {
    all: Vec<Theme>,
    now: Theme,
    /// The one to return to when the choice is cancelled.
    before: Option<Theme>,
}

/// What a text was typed for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum TypedFor {
    /// An action: over a proposal, or of one's own.
    Action(Option<ProposalId>),
    Remark,
}

/// A typed action or remark, with where it was typed.
struct Typed {
    /// When the session was begun.
    session: u64,
    at: NodeId,
    /// How many decisions or remarks there were then.
    before: usize,
    of: TypedFor,
    text: String,
    refused: bool,
}

impl TypedFor {
    /// How many of the kind there are at a node: where it is another number, what was typed is there.
    fn count(self, turn: &Turn) -> usize {
        match self {
            TypedFor::Action(_) => turn.decisions.len(),
            TypedFor::Remark => turn.notes.len(),
        }
    }
}

/// Work begun outside that has not ended.
#[derive(Default)]
struct Pending {
    /// The words shown while a driver is being started.
    launch: Option<String>,
    /// Where what is being opened is only visited from.
    visit: Option<PathBuf>,
    /// The fetch under way, and its progress in words.
    fetch: Option<(Fetch, String)>,
    /// The model to mark once the catalogue has been read again.
    mark: Option<String>,
    /// Whether a session to compare with is chosen once the catalogue has been read again.
    compares: bool,
    /// The action or the remark that was typed last: where, after how many of them there, for what, and its text, to go on with where it
    /// was refused.
    typed: Option<Typed>,
    /// The file that a dialog had written last, by the name that was typed, until it is written or that has failed.
    file: Option<FileUse>,
}

/// Areas of the last frame, for the mouse.
#[derive(Default)]
struct Drawn {
    screen: Rect,
    dialog: Rect,
    hints: Vec<(Rect, ActionId)>,
    dragging: Option<Handle>,
    /// The place in the session and the screen that the panes' wants are of.
    wanted_at: Option<(NodeId, Rect)>,
    /// Whether somebody did anything there: from then on the panes' wants only grow.
    touched: bool,
}

pub struct App {
    pub view: View,
    panes: Vec<Box<dyn Pane>>,
    /// The branch that the session is on.
    trail: Trail,
    keymap: Arc<Keymap>,
    themes: Themes,
    layout: Layout,
    focus: PaneId,
    start: Start,
    dialogs: Vec<Box<dyn Dialog>>,
    pending: Pending,
    opened: Option<PathBuf>,
    /// The session from which the one shown is visited.
    back: Option<PathBuf>,
    /// Whether the banner that the world has ended was read and put away.
    banner_read: bool,
    /// Whether the start screen is shown over a session.
    choosing: bool,
    manner: Manner,
    last_message: Option<String>,
    effects: Vec<Effect>,
    sleepers: Vec<(Instant, Sleeper)>,
    /// The revision the panes saw last.
    seen: Option<u64>,
    dirty: bool,
    drawn: Drawn,
}

impl App {
    /// An application on its start screen; asks for the catalogue.
    pub fn new(parts: Parts) -> Self {
        let now = parts.themes.first().cloned().unwrap_or_else(|| Theme::monochrome(super::theme::ASCII));
        let keymap = Arc::new(parts.keymap);
        App {
            view: View::new(Arc::clone(&keymap), parts.worlds, parts.methods),
            panes: parts.panes,
            trail: Trail::to_tip(),
            keymap,
            themes: Themes { all: parts.themes, now, before: None },
            layout: Layout::default(),
            focus: PaneId::Proposals,
            start: Start::default(),
            dialogs: Vec::new(),
            pending: Pending::default(),
            opened: None,
            back: None,
            banner_read: false,
            choosing: true,
            manner: Manner::default(),
            last_message: None,
            effects: vec![Effect::Catalog],
            sleepers: Vec::new(),
            seen: None,
            dirty: true,
            drawn: Drawn::default(),
        }
    }

    /// Shows every session so from its first moment on, before the driver has recorded that.
    pub fn show_in(&mut self, manner: Manner, mirror: Option<String>) {
        self.manner = manner;
        self.view.mirror = mirror;
    }

    /// Opens a session at once instead of waiting on the start screen.
    pub(crate) fn open_at_once(&mut self, path: PathBuf) {
        self.pending.launch = Some(format!("opening {}", path.display()));
        self.open_session(path);
    }

    /// Begins an episode.
    pub(crate) fn begin(&mut self, choice: Choice) {
        let task = if choice.task.is_empty() { "the first task" } else { choice.task.as_str() };
        self.pending.launch = Some(format!("beginning {task} in {}", choice.world));
        self.start.wish(&choice);
        self.effects.push(Effect::Begin(choice));
    }

    pub(super) fn open_session(&mut self, path: PathBuf) {
        self.opened = Some(path.clone());
        self.effects.push(Effect::Open(path));
    }

    /// Goes to a decision of another session, which is only read there; the way back is kept.
    fn visit(&mut self, file: PathBuf, episode: String, node: NodeId) {
        let is_kept = self.view.read_only || self.view.session.as_ref().is_some_and(|s| s.nodes().len() > 1);
        let from = self.back.clone().or_else(|| self.session_file().map(Path::to_owned)).filter(|_| is_kept);
        let Some(from) = from else {
            return self
                .say(Level::Info, "Decide on something first: a session without a decision is not kept".to_owned());
        };
        self.pending.launch = Some(format!("opening {}", file.display()));
        self.pending.visit = Some(from);
        self.effects.push(Effect::Visit { file, episode, node });
    }

    /// Goes back to the session that another is visited from; whether there is one.
    fn visit_ends(&mut self) -> bool {
        let back = self.back.take();
        let found = back.is_some();
        back.into_iter().for_each(|path| self.open_at_once(path));
        found
    }

    pub fn is_dirty(&self) -> bool {
        self.dirty
    }

    /// When the application has to be woken although nothing arrived.
    pub fn next_wake(&self) -> Option<Instant> {
        self.sleepers.iter().map(|(at, _)| *at).min()
    }

    /// The effects to be carried out outside, in order.
    pub fn take_effects(&mut self) -> Vec<Effect> {
        std::mem::take(&mut self.effects)
    }

    pub fn focus(&self) -> PaneId {
        self.focus
    }

    pub fn dialog(&self) -> Option<String> {
        self.dialogs.last().map(|d| d.info().title.into_owned())
    }

    pub fn is_choosing(&self) -> bool {
        self.choosing || self.view.session.is_none()
    }

    /// Whether the screen is too small to show anything: nothing may be decided on it.
    fn is_too_small(&self) -> bool {
        !self.drawn.screen.is_empty() && self.layout.geometry(self.drawn.screen, self.focus).is_none()
    }

    pub fn terminal(&mut self, event: Event, now: Instant) {
        self.view.is_opening &= match &event {
            Event::Key(key) => key.kind == KeyEventKind::Release,
            Event::Mouse(mouse) => mouse.kind == MouseEventKind::Moved,
            Event::Paste(_) => false,
            _ => true,
        };
        match event {
            Event::Key(key) if key.kind != KeyEventKind::Release => self.key(key, now),
            Event::Paste(text) => self.paste(&text, now),
            Event::Mouse(mouse) => self.pointer(mouse, now),
            Event::Resize(..) => self.dirty = true,
            Event::Key(_) | Event::FocusGained | Event::FocusLost => {}
        }
    }

    pub fn notice(&mut self, notice: Notice) {
        if let Notice::Opened { session, .. } = &notice {
            self.arrange_anew(&session.header.world);
            self.pending.launch = None;
            self.choosing = false;
            self.close_all();
            self.back = self.pending.visit.take();
            let read_only = self.manner.read_only || self.back.is_some();
            (self.view.always_blind, self.view.read_only) = (self.manner.blind, read_only);
        }
        if let (Notice::Say { level: Level::Warning | Level::Error, .. }, Some(typed)) =
            (&notice, &mut self.pending.typed)
        {
            typed.refused = true;
        }
        if matches!(notice, Notice::World(_)) {
            self.banner_read = false;
        }
        match &notice {
            Notice::Kept(_) => self.pending.file = None,
            Notice::SetsCompared { token, .. } => {
                let is_it = |file: &mut FileUse| matches!(file, FileUse::Compare { token: of, .. } if *of == *token);
                self.pending.file.take_if(is_it);
            }
            // The dialog says it whole.
            Notice::Say { level, text }
                if self.pending.file.as_ref().is_some_and(|file| file.is_named(text))
                    && self.file_ended((*level == Level::Error).then_some(text.as_str())) =>
            {
                return;
            }
            _ => {}
        }
        if let Notice::Diverged { node, what } = &notice {
            self.open(asked::diverged(*node, what));
        }
        let lost = matches!(notice, Notice::Unwritten(Some(Unwritten::Lost)));
        let begins = matches!(&notice, Notice::Duel { sides, .. } if !sides.is_empty()) && self.view.duel.is_none();
        self.view.notice(notice);
        if begins && self.dialogs.is_empty() {
            self.open(Duel::columns());
        }
        if lost && self.dialogs.is_empty() {
            self.ask_where_to_keep();
        }
        self.dirty = true;
    }

    pub(super) fn ask_where_to_keep(&mut self) {
        let name = self.view.path.as_ref().map(|path| path.display().to_string()).unwrap_or_default();
        self.open(asked::file(FileUse::Keep { name }));
    }

    pub fn catalog(&mut self, catalog: Catalog) {
        let problem = catalog.problems.first().cloned();
        self.start.set_catalog(catalog);
        if let Some(model) = self.pending.mark.take() {
            self.start.mark_model(&model);
        }
        if let Some(wish) = self.start.awaited() {
            // It is no longer read.
            self.view.message = None;
            self.start_action(Some(wish));
        }
        if std::mem::take(&mut self.pending.compares) {
            self.ask_compared();
        }
        if let Some(problem) = problem {
            self.say(Level::Warning, problem);
        }
        self.dirty = true;
    }

    /// Has one of the other sessions chosen, while the comparison is still there that asked for it.
    fn ask_compared(&mut self) {
        if self.dialogs.last().and_then(|dialog| dialog.info().opener) != Some(ActionId::CompareBranches) {
            return;
        }
        // They are no longer read.
        self.view.message = None;
        let own = self.session_file();
        let mut others = self.start.catalog().map(|catalog| catalog.sessions.clone()).unwrap_or_default();
        others.retain(|session| Some(session.path.as_path()) != own);
        if others.is_empty() {
            return self.say(Level::Info, "There is no other session yet".into());
        }
        self.open(Pick::compared(&others));
    }

    /// The tasks that a world's process told.
    pub fn told(&mut self, world: &str, tasks: Vec<TaskInfo>) {
        self.start.told(world, tasks);
        self.dirty = true;
    }

    pub fn launch_failed(&mut self, why: String) {
        (self.pending.launch, self.pending.visit) = (None, None);
        self.say(Level::Error, why);
    }

    /// Asks whether the files of a model shall be fetched.
    fn offer_fetch(&mut self, fetch: Fetch) {
        if let Some((under_way, _)) = &self.pending.fetch {
            let text = format!("{} is being fetched; wait for it, or stop it first", under_way.model);
            return self.say(Level::Info, text);
        }
        let question = format!(
            "{} runs on this machine and needs {} of weights, which are not here yet. They are fetched once, checked, and kept. \
             You can go on working meanwhile.",
            fetch.model, fetch.size
        );
        self.open(asked::confirm("Fetch the weights?", question, "fetch them", vec![Reply::Fetch(fetch)]));
    }

    pub fn fetch_goes_on(&mut self, words: String) {
        if let Some((_, so_far)) = &mut self.pending.fetch {
            *so_far = words;
            self.dirty = true;
        }
    }

    /// The fetch ended: the session continues with the model it was for.
    pub fn fetched(&mut self, result: Result<(), String>) {
        let Some((fetch, _)) = self.pending.fetch.take() else { return };
        if let Err(why) = result {
            return self.say(Level::Error, format!("{}: {why}", fetch.model));
        }
        self.say(Level::Info, format!("The weights of {} are here", fetch.model));
        self.pending.mark = Some(fetch.model);
        self.effects.push(Effect::Catalog);
        if let Some(command) = fetch.then.filter(|_| self.view.session.is_some() && !self.view.stopped) {
            self.send(command);
        }
    }

    /// The file of the session that is shown: the one it is written to, or the one it was read from.
    pub(crate) fn session_file(&self) -> Option<&Path> {
        self.view.path.as_deref().or(self.opened.as_deref())
    }

    /// The file of the session that is shown, and the node it is at; `None` of one that is kept in no file yet.
    pub fn place(&self) -> Option<(&Path, NodeId)> {
        let session = self.view.session.as_ref().filter(|s| s.is_started())?;
        Some((self.view.path.as_deref()?, session.cursor()))
    }

    pub fn loaded(&mut self, result: Result<(String, Session), String>) {
        match result {
            Ok(other) => {
                self.view.compared.push(other);
                self.dirty = true;
            }
            Err(why) => self.say(Level::Error, why),
        }
    }

    pub fn exported(&mut self, result: Result<PathBuf, String>) {
        self.file_ended(result.as_ref().err().map(String::as_str));
        match result {
            Ok(path) => self.say(Level::Info, format!("Written to {}", path.display())),
            Err(why) => self.say(Level::Error, why),
        }
    }

    /// Where a file could not be written or read, its dialog is there again with the name that was typed, unless another was opened meanwhile;
    /// whether it is.
    fn file_ended(&mut self, failed: Option<&str>) -> bool {
        let asked = self.pending.file.take().zip(failed).filter(|_| self.dialogs.is_empty());
        let is_there = asked.is_some();
        if let Some((purpose, why)) = asked {
            self.open(asked::file_again(purpose, why));
        }
        is_there
    }

    pub(crate) fn driver_gone(&mut self) {
        if !self.view.stopped {
            self.view.stopped = true;
            self.say(
                Level::Error,
                "The driver stopped unexpectedly; every record is saved. Press Ctrl-O and open the session again"
                    .into(),
            );
        }
    }

    pub fn say(&mut self, level: Level, text: String) {
        self.view.message = Some((level, text));
        self.dirty = true;
    }

    pub fn wake(&mut self, now: Instant) {
        let (due, later) = self.sleepers.drain(..).partition(|(at, _)| *at <= now);
        self.sleepers = later;
        let due: Vec<(Instant, Sleeper)> = due;
        for (_, sleeper) in due {
            self.dirty = true;
            match sleeper {
                Sleeper::Pane(id) => self.with_pane(id, now, |pane, view| pane.wake(view)),
                Sleeper::Dialog(at) => self.with_dialog_at(at, now, |dialog, context| dialog.wake(context)),
            }
        }
    }

    /// Lets the panes take in what changed. To be called after all that is pending was fed in, before drawing.
    pub fn settle(&mut self, now: Instant) {
        if let Some(world) = self.start.next_asked() {
            self.effects.push(Effect::Tell(world));
        }
        if self.manner.presents && self.view.situation.is_some() {
            self.manner.presents = false;
            self.present(now);
        }
        // Intents of one pane may concern the others; two rounds settle all but a quarrel, which the next event continues.
        for _ in 0..2 {
            if self.seen == Some(self.view.revision) {
                return;
            }
            self.seen = Some(self.view.revision);
            self.trail.update(&self.view);
            for index in 0..self.panes.len() {
                let Some(pane) = self.panes.get_mut(index) else { continue };
                let id = pane.id();
                let intents = pane.update(&self.view);
                self.intents(id, intents, now);
            }
            for at in 0..self.dialogs.len() {
                self.with_dialog_at(at, now, |dialog, context| dialog.update(context));
            }
        }
    }

    /// Sends a command. The first that goes back is asked about where something in the world stays as it is then.
    fn send(&mut self, command: Command) {
        if self.view.read_only && !command.only_reads() {
            // It is asked wherever the cursor rests, not by the person.
            if matches!(command, Command::Library(LibraryCommand::Weigh { .. } | LibraryCommand::Ready { .. })) {
                return;
            }
            return self.say(Level::Info, READ_ONLY.to_owned());
        }
        let back = matches!(&command, Command::Gate(Request::Undo | Request::Goto(_)));
        let stays = self.view.situation.as_ref().and_then(|situation| situation.not_undone).filter(|_| back);
        if let Some(what) = stays.filter(|_| !self.view.warned) {
            let replies = vec![Reply::Agreed, Reply::Send(command)];
            return self.open(asked::confirm("Go back?", what.to_owned(), "go back", replies));
        }
        self.effects.push(Effect::Send(command));
    }

    fn context(&self) -> dialog::Context<'_> {
        dialog::Context { view: &self.view, keymap: &self.keymap, columns: self.dialog_columns() }
    }

    /// Columns inside the border of a dialog, with a column of air on each side.
    fn dialog_columns(&self) -> u16 {
        self.drawn.screen.width.saturating_sub(4)
    }

    fn open(&mut self, dialog: impl Dialog + 'static) {
        self.dialogs.push(Box::new(dialog));
        self.dirty = true;
    }

    fn pane(&self, id: PaneId) -> Option<&dyn Pane> {
        self.panes.iter().find(|p| p.id() == id).map(|p| &**p)
    }

    fn with_pane(&mut self, id: PaneId, now: Instant, act: impl FnOnce(&mut dyn Pane, &View) -> Vec<Intent>) {
        let Some(pane) = self.panes.iter_mut().find(|p| p.id() == id) else { return };
        let intents = act(&mut **pane, &self.view);
        self.dirty = true;
        self.intents(id, intents, now);
    }

    fn with_dialog(&mut self, now: Instant, act: impl FnOnce(&mut dyn Dialog, dialog::Context<'_>) -> Vec<Reply>) {
        self.with_dialog_at(self.dialogs.len().saturating_sub(1), now, act);
    }

    fn with_dialog_at(
        &mut self,
        at: usize,
        now: Instant,
        act: impl FnOnce(&mut dyn Dialog, dialog::Context<'_>) -> Vec<Reply>,
    ) {
        let columns = self.dialog_columns();
        let context = dialog::Context { view: &self.view, keymap: &self.keymap, columns };
        let Some(dialog) = self.dialogs.get_mut(at) else { return };
        let replies = act(&mut **dialog, context);
        self.dirty = true;
        self.replies(at, replies, now);
    }

    fn intents(&mut self, from: PaneId, intents: Vec<Intent>, now: Instant) {
        for intent in intents {
            self.dirty = true;
            match intent {
                Intent::Send(command) => self.send(command),
                Intent::Select(proposal) => {
                    if self.view.selected != Some(proposal) {
                        self.view.select(proposal);
                        self.view.revision += 1;
                    }
                }
                Intent::Copy(text) => self.copy(text),
                Intent::Say(level, text) => self.say(level, text),
                Intent::Focus(pane) => self.set_focus(pane),
                Intent::EditAction { proposal, text } => self.edit(Some(proposal), &text, now),
                Intent::EditNote { node, note, text } => self.open(asked::edit_note(node, note, &text)),
                Intent::AddToTree(under) => self.add_to_tree(under),
                Intent::EditBelief => self.edit_offered(now),
                Intent::EditForm { offer, text } => {
                    self.open(asked::form_of_states(offer, &text));
                    // As of a belief.
                    self.with_dialog(now, |dialog, context| dialog.wake(context));
                }
                Intent::EditPlan => self.edit_plan(),
                Intent::Confirm { title, question, yes, commands } => {
                    let replies = commands.into_iter().map(Reply::Send).collect();
                    self.open(asked::confirm(title, question, yes, replies));
                }
                Intent::AskFile(file) => self.open(asked::file(file)),
                Intent::Visit { file, episode, node } => self.visit(file, episode, node),
                Intent::AskCandidates => self.open(asked::candidate_asks(self.view.candidate_asks)),
                Intent::WakeIn(time) => self.sleep(now, time, Sleeper::Pane(from)),
            }
        }
    }

    fn replies(&mut self, from: usize, replies: Vec<Reply>, now: Instant) {
        for reply in replies {
            self.dirty = true;
            match reply {
                Reply::Close => {
                    self.drop_dialog();
                    self.themes.before = None;
                }
                Reply::Agreed => self.view.warned = true,
                Reply::Send(command) => {
                    // What was said of what was done before is over; where this is refused, that is said anew.
                    if !command.only_reads() || matches!(command, Command::Gate(_)) {
                        self.dismiss_message();
                    }
                    let typed = match &command {
                        Command::Gate(Request::Manual { text }) => Some((TypedFor::Action(None), text)),
                        Command::Gate(Request::Edit { proposal, text }) => {
                            Some((TypedFor::Action(Some(*proposal)), text))
                        }
                        Command::Gate(Request::Note(text)) => Some((TypedFor::Remark, text)),
                        _ => None,
                    };
                    let written = match &command {
                        Command::Candidates(CandidateCommand::SaveSet(path)) => {
                            Some(FileUse::Save { name: path.display().to_string() })
                        }
                        Command::Candidates(CandidateCommand::Compare {
                            token, right: SetSource::File(path), ..
                        }) => Some(FileUse::Compare { token: *token, name: path.display().to_string() }),
                        Command::Keep(path) => Some(FileUse::Keep { name: path.display().to_string() }),
                        _ => None,
                    };
                    self.pending.file = written.or(self.pending.file.take());
                    if let Some(((of, text), session)) = typed.zip(self.view.session.as_ref())
                        && let Some(node) = session.current()
                    {
                        let (at, before, text) = (node.id, of.count(&node.turn), text.clone());
                        self.pending.typed =
                            Some(Typed { session: session.header.created, at, before, of, text, refused: false });
                    }
                    self.send(command);
                }
                Reply::Do(action) => self.perform(action, now),
                Reply::Leave => self.effects.push(Effect::Quit),
                Reply::Theme(name) => {
                    if let Some(theme) = self.themes.all.iter().find(|t| t.name == name) {
                        self.themes.now = theme.clone();
                    }
                }
                Reply::AskExport(form) => {
                    let name =
                        self.session_file().and_then(|p| p.file_stem()).map(|s| s.to_string_lossy().into_owned());
                    let name = name.unwrap_or_default().replace(':', "-") + form.ending();
                    self.open(asked::file(FileUse::Export { form, name }));
                }
                Reply::Export(form, target) => {
                    if let Some(session) = self.session_file().map(Path::to_path_buf) {
                        self.pending.file = Some(FileUse::Export { form, name: target.display().to_string() });
                        self.effects.push(Effect::Export { session, form, target });
                        self.say(Level::Info, "Writing the session out".into());
                    }
                }
                Reply::AskCompared => {
                    self.pending.compares = true;
                    self.effects.push(Effect::Catalog);
                    self.say(Level::Info, "Reading the sessions".into());
                }
                Reply::ChooseSides => self.open_duel(true),
                Reply::Compare(path) => self.effects.push(Effect::Load(path)),
                Reply::Presents(node) => {
                    self.effects.extend(self.view.mirror.is_some().then_some(Effect::Presented(node)))
                }
                Reply::OfferFetch(fetch) => self.offer_fetch(fetch),
                Reply::Fetch(fetch) => {
                    self.effects.push(Effect::Fetch(fetch.model.clone()));
                    self.pending.fetch = Some((fetch, "(looking for it)".into()));
                }
                Reply::WakeIn(time) => self.sleep(now, time, Sleeper::Dialog(from)),
            }
        }
    }

    /// A later request of the same sleeper replaces the earlier: that is what debouncing means.
    fn sleep(&mut self, now: Instant, time: Duration, sleeper: Sleeper) {
        self.sleepers.retain(|(_, s)| *s != sleeper);
        self.sleepers.push((now + time, sleeper));
    }

    fn copy(&mut self, text: String) {
        // What the clipboard holds is worth more than nothing.
        if text.trim().is_empty() {
            return self.say(Level::Info, "there is nothing to copy here".to_owned());
        }
        let bytes = text.len();
        let shown = (!text.contains('\n') && text.chars().count() <= SHORT_COPY).then(|| format!("Copied `{text}`"));
        self.effects.push(Effect::Copy(text));
        let limit = super::terminal::CLIPBOARD_LIMIT;
        if bytes > limit {
            let text = format!("Copied the first {limit} of {bytes} bytes: terminals take no more at once");
            self.say(Level::Warning, text);
        } else {
            let counted = || format!("Copied {} to the clipboard", stepwright_text::words::count(bytes, "byte"));
            self.say(Level::Info, shown.unwrap_or_else(counted));
        }
    }

    pub(super) fn arrange(&mut self, preset: Preset) {
        self.layout = Layout::of(preset, self.layout.sight);
        self.set_focus(preset.first());
        let name: &'static str = preset.into();
        let back = self.keymap.hint(ActionId::LayoutStepping).filter(|_| preset != Preset::default());
        let back = back.map(|key| format!(" for this session; {key} brings the usual arrangement back"));
        self.say(Level::Info, format!("Arranged for {name}{}", back.unwrap_or_default()));
        self.dirty = true;
    }

    /// An arrangement lasts as long as the session that it was made for.
    fn arrange_anew(&mut self, world: &str) {
        let sight = named(&self.view.worlds, world).map(|kind| kind.sight).unwrap_or_default();
        if (self.layout.preset, self.layout.sight) != (Preset::default(), sight) {
            self.layout = Layout::of(Preset::default(), sight);
            self.layout.show(self.focus);
        }
    }

    fn set_focus(&mut self, pane: PaneId) {
        self.focus = pane;
        self.layout.show(pane);
        self.dirty = true;
    }
}
