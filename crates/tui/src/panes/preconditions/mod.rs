//! Preconditions pane: per action the candidates with their fates, what is in force, and a person's say over both.
//!
//! A person marks rows; adopting puts the marked ones in force. Until a person marks anything, the suggested ones are
//! marked. Picking rows to be merged or compared is a thing of its own and changes no mark. `rows` orders and words the rows, `detail` describes one candidate, `render` draws, `edits` holds what a
//! person does to the candidates, `adopting` what is asked before, `picking` merges and ranks, `offers` what keys do; `over` holds what is laid over the list: one candidate looked at closely
//! (`study`), a demonstration step (`step`), two sets side by side (`sets`).

mod adopting;
mod detail;
mod edits;
mod offers;
mod over;
mod picking;
mod render;
mod rows;
mod sets;
mod step;
mod study;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;
use smart_default::SmartDefault;

use self::over::{Over, Page};
use self::rows::Item;
use super::browse::{Browser, Mouse};
use super::draw::Painter;
use super::edit::{Debounce, Edited, Editor, token};
use super::why::Why;
use crate::event::Input;
use crate::pane::{FileUse, Intent, Pane, PaneAction, PaneId};
use crate::view::View;
use stepwright_driver::{Command, Level, SetSource, WorkshopCommand};
use stepwright_episode::OWN;
use stepwright_method::precondition::{Candidate, CandidateOrigin, Inspection, Joint, Pool, Ranking};
use stepwright_program::{Call, SyntaxFault};

/// An expression being typed.
#[derive(Debug)]
struct Typing {
    action: String,
    /// The candidate replaced; `None` adds one.
    id: Option<usize>,
    /// The row it is typed over; `None` is above all rows.
    row: Option<usize>,
    original: String,
    editor: Editor,
    pause: Debounce,
    /// Where the present text does not parse.
    fault: Option<SyntaxFault>,
    /// What is known of the present text.
    seen: Option<Result<Arc<Inspection>, String>>,
    asked: bool,
}

/// What the candidate under the cursor was looked up for: action, text, pool, what is in force.
type Looked = (String, String, Option<Arc<Pool>>, Vec<String>);

/// The pane.
#[derive(Debug, SmartDefault)]
pub struct PreconditionsPane {
    /// When the session shown was begun, and on what task; `None` without one.
    session: Option<(u64, String)>,
    /// The actions, sorted.
    actions: Vec<String>,
    action: usize,
    /// Whether the chosen proposal's action is shown; until a person picks another.
    #[default = true]
    follows: bool,
    items: Vec<Item>,
    /// What the rows were laid from.
    laid: Option<(Option<Arc<Pool>>, Vec<String>)>,
    /// The expression the cursor goes to as soon as there is a row of it.
    wanted: Option<String>,
    /// Marked expressions by action; absent until a person marks.
    marks: BTreeMap<String, BTreeSet<String>>,
    /// The expressions picked to be merged or compared, in the order of picking, by action.
    picked: BTreeMap<String, Vec<String>>,
    /// Whether candidates that were held back are listed.
    shows_held: bool,
    /// By which rule candidates are suggested and ordered.
    ranking: Ranking,
    /// The marks before the last merge of an action, until something else is changed.
    unmerged: Option<(String, Option<BTreeSet<String>>)>,
    /// Whether inference asks the model instead of the enumerator.
    by_model: bool,
    browser: Browser,
    /// The words on the row under the cursor, or on what is typed.
    why: Why,
    typing: Option<Typing>,
    /// Where the tabs were last drawn.
    tabs: Vec<(Rect, usize)>,
    /// What was last looked up, and under which number.
    looked: Option<(Looked, u64)>,
    /// What is known of it.
    seen: Option<Result<Arc<Inspection>, String>>,
    /// What looking at expressions gave, by action and text: the same in the list and in the box below it.
    known: BTreeMap<(String, String), Candidate>,
    /// What is laid over the list, the top last.
    over: Vec<Over>,
    /// The numbers of the step and of the comparison that are waited for.
    step_wanted: Option<u64>,
    sets_wanted: Option<u64>,
    /// What is to be put in force once the comparison of that number shows what it drops.
    adoption: Option<(u64, Command)>,
    /// The sets to compare.
    #[default(SetSource::InForce)]
    left: SetSource,
    #[default(SetSource::Inferred(Ranking::Evidence))]
    right: SetSource,
    /// What was in force when they were compared last.
    compared_force: Option<BTreeMap<String, (Vec<String>, String)>>,
    /// The file last read, and the number of the comparison that is to show one.
    loaded: Option<SetSource>,
    load_wanted: Option<u64>,
}

impl PreconditionsPane {
    fn action_name(&self) -> Option<&str> {
        self.actions.get(self.action).map(String::as_str)
    }

    fn pool<'a>(&self, view: &'a View) -> Option<&'a Pool> {
        view.pools.get(self.action_name()?).map(AsRef::as_ref)
    }

    /// The assertions in force for the shown action, and where they come from.
    fn in_force<'a>(&self, view: &'a View) -> (&'a [String], &'a str) {
        let found = self.action_name().and_then(|a| view.session.as_ref()?.assertions().get(a));
        found.map_or((&[], ""), |(texts, origin)| (texts, origin))
    }

    /// Lays the rows out again; the cursor stays on its expression.
    fn lay(&mut self, view: &View) {
        let (in_force, _) = self.in_force(view);
        let pool = self.action_name().and_then(|a| view.pools.get(a));
        let same = |(laid, force): &(Option<Arc<Pool>>, Vec<String>)| {
            force == in_force && laid.as_ref().map(Arc::as_ptr) == pool.map(Arc::as_ptr)
        };
        if self.laid.as_ref().is_some_and(same) {
            return;
        }
        // The expression under the cursor, as the former rows have it.
        let former = self.laid.as_ref().and_then(|(pool, _)| pool.clone());
        let at = match self.items.get(self.browser.list.cursor()) {
            Some(Item::InForce(text)) => Some(text.clone()),
            Some(Item::Candidate(i)) => former.and_then(|p| p.candidates.get(*i).map(|c| c.text.clone())),
            Some(Item::HeldBack(i)) => former.and_then(|p| p.held_back.get(*i).map(|c| c.text.clone())),
            None => None,
        };
        let pool = pool.cloned();
        let marks = self.action_name().and_then(|name| self.marks.get(name));
        let all = self.shows_held || self.ranking == Ranking::EquationOne;
        let listed = |text: &String| {
            all || marks.is_some_and(|marks| marks.contains(text)) || self.wanted.as_ref() == Some(text)
        };
        self.items = rows::items(pool.as_deref(), in_force, self.ranking, listed);
        self.laid = Some((pool, in_force.to_vec()));
        let row =
            |text: &Option<String>| (0..self.items.len()).find(|r| text.is_some() && self.text(*r, view) == *text);
        let wanted = row(&self.wanted);
        let row = wanted.or_else(|| row(&at)).unwrap_or(self.browser.list.cursor());
        if wanted.is_some() {
            self.wanted = None;
        }
        self.browser.list.go(row, self.items.len());
    }

    fn candidate<'a>(&self, row: usize, view: &'a View) -> Option<&'a Candidate> {
        match self.items.get(row)? {
            Item::Candidate(at) => self.pool(view)?.candidates.get(*at),
            Item::HeldBack(at) => self.pool(view)?.held_back.get(*at),
            Item::InForce(_) => None,
        }
    }

    /// The number of the pool's candidate in a row; one that was held back is none of the pool's yet.
    fn own_id(&self, row: usize, view: &View) -> Option<usize> {
        let own = matches!(self.items.get(row), Some(Item::Candidate(_)));
        self.candidate(row, view).filter(|_| own).map(|candidate| candidate.id)
    }

    /// The expression of a row.
    fn text(&self, row: usize, view: &View) -> Option<String> {
        match self.items.get(row)? {
            Item::InForce(text) => Some(text.clone()),
            Item::Candidate(_) | Item::HeldBack(_) => self.candidate(row, view).map(|c| c.text.clone()),
        }
    }

    /// What looking at an expression of the shown action gave.
    fn known(&self, text: &str) -> Option<&Candidate> {
        self.known.get(&(self.action_name()?.to_owned(), text.to_owned()))
    }

    /// Asks about the expression under the cursor, unless that was asked already.
    fn look(&mut self, view: &View) -> Option<Intent> {
        let action = self.action_name()?.to_owned();
        let text = self.text(self.browser.list.cursor(), view)?;
        let pool = view.pools.get(&action).cloned();
        let looked = (action, text, pool, self.in_force(view).0.to_vec());
        let same = |(now, _): &(Looked, u64)| {
            let alike = now.2.as_ref().map(Arc::as_ptr) == looked.2.as_ref().map(Arc::as_ptr);
            alike && now.0 == looked.0 && now.1 == looked.1 && now.3 == looked.3
        };
        if self.looked.as_ref().is_some_and(same) {
            return None;
        }
        // The words on the same candidate stay until the new ones are there.
        if self.looked.as_ref().is_none_or(|(now, _)| now.0 != looked.0 || now.1 != looked.1) {
            self.seen = None;
        }
        let token = token();
        let (action, text) = (looked.0.clone(), looked.1.clone());
        self.looked = Some((looked, token));
        Some(Intent::Send(Command::Workshop(WorkshopCommand::Try { token, action, text })))
    }

    fn switch(&mut self, view: &View, forward: bool) {
        let n = self.actions.len();
        if n == 0 {
            return;
        }
        self.follows = false;
        self.show(view, if forward { (self.action + 1) % n } else { (self.action + n - 1) % n });
    }

    fn show(&mut self, view: &View, action: usize) {
        self.action = action;
        self.browser.list.go(0, 1);
        self.lay(view);
        self.browser.list.go(0, 1);
    }

    /// Goes to the chosen proposal's action, while that is followed and nothing else is being done here.
    fn follow(&mut self, view: &View) {
        if !self.follows || self.typing.is_some() || !self.over.is_empty() {
            return;
        }
        let call = view.chosen().and_then(|p| p.action.as_ref()?.call.as_deref()?.parse::<Call>().ok());
        let at = call.and_then(|call| self.actions.iter().position(|a| *a == call.function));
        if let Some(at) = at.filter(|at| *at != self.action) {
            self.show(view, at);
        }
    }

    /// Takes in the answers to what was asked about.
    fn take_in(&mut self, view: &View) -> Vec<Intent> {
        if let Some((token, seen)) = &view.candidate_checked {
            if let Some(typing) = self.typing.as_mut().filter(|t| t.asked && t.pause.is_current(*token)) {
                typing.seen = Some(seen.clone());
            }
            if self.looked.as_ref().is_some_and(|(_, looked)| looked == token) {
                self.seen = Some(seen.clone());
                if let Ok(seen) = seen {
                    self.known.insert((seen.action.clone(), seen.candidate.text.clone()), seen.candidate.clone());
                }
                if let (Some(Over { page: Page::Study(study), .. }), Ok(seen)) = (self.over.last_mut(), seen) {
                    study.renew(seen);
                }
            }
        }
        if let Some((token, step)) = view.step_shown.as_ref().filter(|(t, _)| self.step_wanted == Some(*t)) {
            self.step_wanted = self.step_wanted.filter(|wanted| wanted != token);
            if matches!(self.over.last(), Some(Over { page: Page::Step(_), .. })) {
                self.over.pop();
            }
            let listed = matches!(self.over.last(), Some(Over { page: Page::Study(_), .. }));
            self.over.push(Over::step(Arc::clone(step), listed));
        }
        let mut intents = Vec::new();
        if let Some((token, sets, right)) = view.sets_compared.as_ref().filter(|(t, ..)| self.sets_wanted == Some(*t)) {
            self.sets_wanted = None;
            self.compared_force = view.session.as_ref().map(|s| s.assertions().clone());
            if self.load_wanted.take() == Some(*token) {
                // It stays to be compared with others.
                let file = SetSource::Given(sets.right.clone(), (**right).clone());
                (self.left, self.right) = (SetSource::InForce, file.clone());
                self.loaded = Some(file);
                let key = |action: PaneAction| view.key(action);
                let (adopt, back) = (key(PaneAction::Adopt), key(PaneAction::Back));
                let words = format!("{adopt} puts {} in force; {back} leaves everything as it is", sets.right);
                intents.push(Intent::Say(Level::Info, words));
            }
            if matches!(self.over.last(), Some(Over { page: Page::Sets(_), .. })) {
                self.over.pop();
            }
            self.over.push(Over::sets(Arc::clone(sets), Arc::clone(right)));
        }
        let compared = view.sets_compared.as_ref();
        if let Some((_, command)) =
            self.adoption.take_if(|(wanted, _)| compared.is_some_and(|(token, ..)| token == wanted))
        {
            intents
                .extend(compared.into_iter().flat_map(|(_, sets, _)| adopting::confirmed(command.clone(), sets, view)));
        }
        intents.extend(self.compare_again(view));
        intents
    }

    fn scroll_over(&mut self, action: PaneAction) -> Vec<Intent> {
        if let Some(over) = self.over.last_mut() {
            over.why.act(action);
        }
        Vec::new()
    }

    /// Compares again where what is in force has changed under a page of two sets.
    fn compare_again(&mut self, view: &View) -> Vec<Intent> {
        let shown = matches!(self.over.last(), Some(Over { page: Page::Sets(_), .. }));
        let now = view.session.as_ref().map(|s| s.assertions());
        if !shown || self.sets_wanted.is_some() || self.compared_force.as_ref() == now {
            return Vec::new();
        }
        self.compare(view)
    }

    /// What is shown over the list, if it answers an action; whether it did.
    fn act_over(&mut self, action: PaneAction, view: &View) -> Option<Vec<Intent>> {
        let over = self.over.last()?;
        if action == PaneAction::Back {
            self.over.pop();
            return Some(Vec::new());
        }
        let intents = match (&over.page, action) {
            (_, PaneAction::WordsOn | PaneAction::WordsBack) => return Some(self.scroll_over(action)),
            (_, PaneAction::Copy) => over.copied().map(Intent::Copy).into_iter().collect(),
            (Page::Study(_), PaneAction::Activate) => self.open_in_study(),
            (Page::Step(_), PaneAction::Left | PaneAction::Right) => self.next_step(action == PaneAction::Right),
            (Page::Sets(_), PaneAction::Activate) => self.open_in_sets(),
            (Page::Sets(_), PaneAction::Compare) => self.other_left(view),
            (Page::Sets(_), PaneAction::Left | PaneAction::Right) => {
                self.other_right(view, action == PaneAction::Right)
            }
            (Page::Sets(_), PaneAction::Adopt) => self.adopt_right(view),
            (Page::Sets(_), PaneAction::Save) => vec![self.save(view)],
            (Page::Sets(_), PaneAction::Load) => vec![self.load()],
            _ => return Some(self.browse(action, view)),
        };
        Some(intents)
    }
}

impl Pane for PreconditionsPane {
    fn id(&self) -> PaneId {
        PaneId::Preconditions
    }

    fn title(&self, view: &View) -> String {
        match (self.over.last(), self.action_name()) {
            (Some(over), Some(name)) => over.title(name),
            (_, None) => "Preconditions".into(),
            (None, Some(name)) => match self.in_force(view) {
                ([], _) => format!("Preconditions of {name}, none in force"),
                // Those of the specification are the usual ones; the room is better used by the tabs.
                (texts, OWN) => format!("Preconditions of {name}, {} in force", texts.len()),
                (texts, origin) => format!("Preconditions of {name}, {} in force ({origin})", texts.len()),
            },
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        // Marks, pages and answers waited for belong to one session.
        let session = view.session.as_ref().map(|s| (s.header.created, s.header.task.clone()));
        if session != self.session {
            let (by_model, ranking) = (self.by_model, self.ranking);
            *self = PreconditionsPane { by_model, ranking, session, ..PreconditionsPane::default() };
        }
        let name = self.action_name().map(str::to_owned);
        let in_force = view.session.iter().flat_map(|s| s.assertions().keys());
        let names: BTreeSet<&String> = view.pools.keys().chain(in_force).collect();
        if !names.iter().copied().eq(self.actions.iter()) {
            self.actions = names.into_iter().cloned().collect();
            // The shown action stays shown, wherever its tab has moved.
            self.action = name.and_then(|n| self.actions.iter().position(|a| *a == n)).unwrap_or(0);
        }
        self.follow(view);
        self.lay(view);
        let mut intents = self.take_in(view);
        // Without candidates nobody works here yet, and nothing need be evaluated.
        if !view.pools.is_empty() || self.looked.is_some() {
            intents.extend(self.look(view));
        }
        intents
    }

    fn browser(&self) -> &Browser {
        self.over.last().map_or(&self.browser, |over| &over.browser)
    }

    fn browser_mut(&mut self) -> &mut Browser {
        self.over.last_mut().map_or(&mut self.browser, |over| &mut over.browser)
    }

    fn len(&self, _view: &View) -> usize {
        self.over.last().map_or(self.items.len(), Over::len)
    }

    fn row_text(&self, row: usize, view: &View) -> String {
        match self.over.last() {
            Some(over) => over.text(row),
            None => self.text(row, view).unwrap_or_default(),
        }
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        self.draw_all(view, painter, area);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        self.offered(view)
    }

    fn missing(&self, action: PaneAction, view: &View) -> Option<String> {
        self.needed(action, view)
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        if let Some(intents) = self.act_over(action, view) {
            return intents;
        }
        let mut intents = match action {
            PaneAction::ToggleFold => self.mark(view),
            PaneAction::Operand => self.pick(view),
            PaneAction::HeldBack => self.show_held(view),
            PaneAction::Ranking => self.other_ranking(view),
            PaneAction::MarkAll => self.mark_all(view),
            PaneAction::Adopt => self.adopt(view),
            PaneAction::ToggleReject => self.reject(view),
            PaneAction::MergeAll => self.merge(view, Joint::All),
            PaneAction::MergeAny => self.merge(view, Joint::Any),
            PaneAction::Differ => self.differ(view),
            PaneAction::Why => self.why(),
            PaneAction::UndoChange => self.turn_back(),
            PaneAction::RedoChange => self.of_action(|action| WorkshopCommand::Redo { action }),
            PaneAction::Run => self.infer(self.actions.is_empty()),
            PaneAction::RunAll => self.infer(true),
            PaneAction::Compare => self.compare(view),
            PaneAction::Save => vec![self.save(view)],
            PaneAction::Load => vec![self.load()],
            PaneAction::Options => vec![Intent::AskCandidates],
            PaneAction::Score => self.of_action(|action| WorkshopCommand::Score { action }),
            PaneAction::Activate => self.study(),
            PaneAction::WordsOn | PaneAction::WordsBack => {
                self.why.act(action);
                return Vec::new();
            }
            PaneAction::Edit if self.items.is_empty() => Vec::new(),
            PaneAction::Edit | PaneAction::Add => self.type_over(view, action == PaneAction::Add),
            PaneAction::Copy => self.text(self.browser.list.cursor(), view).map(Intent::Copy).into_iter().collect(),
            other => {
                match other {
                    PaneAction::Left | PaneAction::Right => self.switch(view, other == PaneAction::Right),
                    PaneAction::Cycle => self.by_model = !self.by_model,
                    PaneAction::Follow => {
                        self.follows = true;
                        self.follow(view);
                    }
                    _ => return self.browse(other, view),
                }
                Vec::new()
            }
        };
        intents.extend(self.look(view));
        intents
    }

    fn is_editing(&self) -> bool {
        self.typing.is_some()
    }

    fn edit(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        if self.why.typed(input) {
            return Vec::new();
        }
        let edited = self.typing.as_mut().map(|t| t.editor.input(input));
        edited.map(|edited| self.typed(edited, view)).unwrap_or_default()
    }

    fn moved(&mut self, _from: usize, view: &View) -> Vec<Intent> {
        self.look(view).into_iter().collect()
    }

    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if (self.over.is_empty() && self.why.mouse(event)) || self.typing.is_some() {
            return Vec::new();
        }
        if let Some(over) = self.over.last_mut() {
            over.mouse(event);
            return Vec::new();
        }
        let on = |(rect, _): &&(Rect, usize)| rect.contains((event.column, event.row).into());
        let click = matches!(event.kind, crossterm::event::MouseEventKind::Down(_));
        if let Some((_, action)) = self.tabs.iter().find(on).copied().filter(|_| click) {
            self.follows = false;
            self.show(view, action);
        } else if self.browser.mouse(event, self.items.len()) == Mouse::Nothing {
            return Vec::new();
        }
        self.moved(0, view)
    }

    fn wake(&mut self, _view: &View) -> Vec<Intent> {
        let Some(typing) = &mut self.typing else { return Vec::new() };
        match typing.pause.ready() {
            None => Vec::new(),
            Some(Err(wait)) => vec![wait],
            // What does not parse is not asked about: that is said already.
            Some(Ok(_)) if typing.fault.is_some() => Vec::new(),
            Some(Ok(token)) => {
                let (action, text) = (typing.action.clone(), typing.editor.text().trim().to_owned());
                send(WorkshopCommand::Try { token, action, text })
            }
        }
    }
}

/// A command to the store of candidates.
fn send(command: WorkshopCommand) -> Vec<Intent> {
    vec![Intent::Send(Command::Workshop(command))]
}

/// A message that something cannot be done, and what can.
fn say(text: impl Into<String>) -> Vec<Intent> {
    vec![Intent::Say(Level::Info, text.into())]
}
