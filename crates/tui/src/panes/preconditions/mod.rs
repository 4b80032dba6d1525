//! Preconditions pane: per action the candidates with their fates, what is in force, and a person's say over both.
//!
//! A person marks rows; adopting puts the marked ones in force. Until a person marks anything, the suggested ones are
//! marked. Picking rows to be merged or compared is a thing of its own and changes no mark. `rows` orders and words the rows, `detail` describes one candidate, `render` draws, `edits` holds what a
//! person does to the candidates, `adopting` what is asked before, `picking` merges and ranks, `offers` what keys do; `over` holds what is laid over the list: one candidate looked at closely
//! (`study`), a demonstration step (`step`), two sets side by side (`sets`).

mod adopting;
mod decision;
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
use super::debounce::Debounce;
use crate::event::Input;
use crate::pane::{FileUse, Intent, Pane, PaneAction, PaneId, Wants, rows_of};
use crate::theme::Theme;
use crate::view::{Answer, View};
use crate::widgets::draw::Painter;
use crate::widgets::edit::{Edited, Editor, token};
use crate::widgets::outline::{Mouse, Outline};
use stepwright_episode::{ArtifactId, NodeId, OWN, action_of_effects, effects_of};
use stepwright_library::Impact;
use stepwright_precondition::{Candidate, CandidateOrigin, Inspection, Joint, Pool, Ranking, Validity, changes};
use stepwright_program::{Assertion, Call, SyntaxFault};
use stepwright_protocol::{CandidateCommand, Command, Level, LibraryCommand, SetSource};

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
    /// Where the present text does not parse, or is no effect where one is typed.
    fault: Option<SyntaxFault>,
    seen: Option<Result<Arc<Inspection>, String>>,
    asked: bool,
}

impl Typing {
    /// What is kept of the text: an assertion gets its `assert ` where it is put in force, and where it is written to a file.
    fn expression(&self) -> String {
        let text = self.editor.text();
        let is_effect = action_of_effects(&self.action).is_some();
        let kept = if is_effect { text.trim() } else { Assertion::expression(&text).trim() };
        kept.to_owned()
    }
}

/// A row that an added text is typed in.
const ADDED: u16 = 1;

/// The key of an inspection: action, text, pool, set in force.
type Looked = (String, String, Option<Arc<Pool>>, Vec<String>);

#[derive(Debug, SmartDefault)]
struct Tabs {
    actions: Vec<String>,
    /// The names that their effects go by.
    effects: Vec<String>,
    at: usize,
    /// Whether the chosen proposal's action is shown; until a person picks another.
    #[default = true]
    follows: bool,
    /// Whether a person or a proposal has led to the shown action; until then it is the first, in whichever order pools come.
    led: bool,
    drawn: Vec<(Rect, usize)>,
}

/// A person's choices among the candidates of each action.
#[derive(Debug, Default)]
struct Chosen {
    /// Marked expressions; absent until a person marks.
    marks: BTreeMap<String, BTreeSet<String>>,
    picked: BTreeMap<String, Vec<String>>,
    /// The marks before the last merge of an action, until something else is changed.
    unmerged: Option<(String, Option<BTreeSet<String>>)>,
}

#[derive(Debug, Default)]
struct Seen {
    at: Option<(Looked, u64)>,
    said: Option<Result<Arc<Inspection>, String>>,
    /// Inspections of expressions, by action and text: the same in the list and in the box below it.
    known: BTreeMap<(String, String), Candidate>,
}

/// What the library says of the expression that was looked at or typed last.
#[derive(Debug, Default)]
struct Weighed {
    /// Action, text, where the session is, which the library reads too, and the number of the question.
    at: Option<(String, String, Option<NodeId>, u64)>,
    said: Option<Arc<Impact>>,
    /// Whether a person has done something here.
    wanted: bool,
}

impl Weighed {
    /// Asks, unless that was asked last.
    fn ask(&mut self, action: &str, text: &str, view: &View) -> Option<Intent> {
        let node = view.session.as_ref().map(|session| session.cursor());
        let same = self.at.as_ref().filter(|(of, known, ..)| of == action && known == text);
        if text.is_empty() || same.is_some_and(|(_, _, at, _)| *at == node) {
            return None;
        }
        // After a step the former figure stays until the new one is there.
        let said = self.said.take().filter(|_| same.is_some());
        let token = token();
        let (action, text) = (action.to_owned(), text.to_owned());
        *self = Weighed { at: Some((action.clone(), text.clone(), node, token)), said, wanted: true };
        Some(Intent::Send(Command::Library(LibraryCommand::Weigh { token, action, text })))
    }

    fn of(&self, text: &str) -> Option<&Arc<Impact>> {
        self.said.as_ref().filter(|_| self.at.as_ref().is_some_and(|(_, known, ..)| known == text))
    }
}

#[derive(Debug, SmartDefault)]
struct Compared {
    #[default(SetSource::InForce)]
    left: SetSource,
    #[default(SetSource::Inferred(Ranking::Evidence))]
    right: SetSource,
    /// The number of the comparison that is waited for, and of the one that is to show a file.
    wanted: Option<u64>,
    load: Option<u64>,
    /// The sets in force when they were compared last.
    force: Option<BTreeMap<String, (Vec<String>, String)>>,
    file: Option<SetSource>,
}

#[derive(Debug, Default)]
pub(crate) struct PreconditionsPane {
    /// When the session shown was begun, and on what task; `None` without one.
    session: Option<(u64, String)>,
    tabs: Tabs,
    items: Vec<Item>,
    /// So many of them are shown until somebody works here: all but those that say nothing.
    telling: usize,
    laid: Option<(Option<Arc<Pool>>, Vec<String>)>,
    /// The expression the cursor goes to as soon as there is a row of it.
    wanted: Option<String>,
    /// The expression that a person typed last, with its action, until there is a candidate of it.
    added: Option<(String, String)>,
    chosen: Chosen,
    shows_held: bool,
    /// Whether the effects of the action are shown in place of its preconditions.
    effects: bool,
    /// By which rule candidates are suggested and ordered.
    ranking: Ranking,
    /// Whether inference asks the model instead of the enumerator.
    by_model: bool,
    outline: Outline,
    typing: Option<Typing>,
    seen: Seen,
    weighed: Weighed,
    /// The pages over the list, the top last.
    over: Vec<Over>,
    step_wanted: Option<u64>,
    /// The adoption that waits until the comparison of that number shows what it drops.
    adoption: Option<(u64, Command)>,
    compared: Compared,
}

impl PreconditionsPane {
    fn action_name(&self) -> Option<&str> {
        let names = if self.effects { &self.tabs.effects } else { &self.tabs.actions };
        names.get(self.tabs.at).map(String::as_str)
    }

    /// The rule of suggestion; Equation (1) ranks no effects.
    fn ranking(&self) -> Ranking {
        if self.effects { Ranking::Evidence } else { self.ranking }
    }

    /// Shows what the action changes in place of what it needs, or the other way round.
    fn turn(&mut self, view: &View) {
        self.effects = !self.effects;
        self.show(view, self.tabs.at);
    }

    fn pool<'a>(&self, view: &'a View) -> Option<&'a Pool> {
        view.pools.get(self.action_name()?).map(AsRef::as_ref)
    }

    /// Whether no demonstration calls the shown action, so that nothing can be said of its preconditions or effects.
    fn is_never_called(&self, view: &View) -> bool {
        // Of effects there is a pool only once some were inferred or typed.
        let own = || view.pools.get(self.tabs.actions.get(self.tabs.at)?).map(AsRef::as_ref);
        self.pool(view).or_else(own).is_some_and(|pool| pool.calls == 0)
    }

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
        let coming = self.coming(view);
        let shown = self.items.iter().find_map(|item| match item {
            Item::Coming(text) => Some(text),
            _ => None,
        });
        if self.laid.as_ref().is_some_and(same) && shown == coming.as_ref() {
            return;
        }
        // The expression under the cursor, as the former rows have it.
        let former = self.laid.as_ref().and_then(|(pool, _)| pool.clone());
        let at = match self.items.get(self.outline.list.cursor()) {
            Some(Item::InForce(text) | Item::Coming(text)) => Some(text.clone()),
            Some(Item::Candidate(i)) => former.and_then(|p| p.candidates.get(*i).map(|c| c.text.clone())),
            Some(Item::HeldBack(i)) => former.and_then(|p| p.held_back.get(*i).map(|c| c.text.clone())),
            None => None,
        };
        let pool = pool.cloned();
        let action = self.action_name().unwrap_or_default();
        let listed = |text: &String| self.lists_held(action, text) || self.wanted.as_ref() == Some(text);
        self.items = rows::items(pool.as_deref(), in_force, self.ranking(), listed);
        if let Some(text) = coming {
            self.items.insert(0, Item::Coming(text));
        }
        self.telling = rows::telling(&self.items, pool.as_deref(), in_force);
        self.laid = Some((pool, in_force.to_vec()));
        let row =
            |text: &Option<String>| (0..self.items.len()).find(|r| text.is_some() && self.text(*r, view) == *text);
        let wanted = row(&self.wanted);
        let row = wanted.or_else(|| row(&at)).unwrap_or(self.outline.list.cursor());
        if wanted.is_some() {
            self.wanted = None;
        }
        self.outline.list.go(row, self.items.len());
    }

    /// Whether a candidate of an action that was held back has a row.
    fn lists_held(&self, action: &str, text: &str) -> bool {
        let marks = || self.chosen.marks.get(action);
        self.shows_held || self.ranking() == Ranking::EquationOne || marks().is_some_and(|marks| marks.contains(text))
    }

    fn candidate<'a>(&self, row: usize, view: &'a View) -> Option<&'a Candidate> {
        match self.items.get(row)? {
            Item::Candidate(at) => self.pool(view)?.candidates.get(*at),
            Item::HeldBack(at) => self.pool(view)?.held_back.get(*at),
            Item::InForce(_) | Item::Coming(_) => None,
        }
    }

    /// The expression that was added and is still being checked, so that no candidate stands for it yet.
    fn coming(&mut self, view: &View) -> Option<String> {
        let is_text = |candidate: &Candidate| self.added.as_ref().is_some_and(|(_, text)| candidate.text == *text);
        let pool = self.added.as_ref().and_then(|(action, _)| view.pools.get(action));
        if pool.is_some_and(|pool| pool.candidates.iter().any(is_text)) {
            self.added = None;
        }
        let (action, text) = self.added.as_ref()?;
        let document = view.session.as_ref()?.document(&ArtifactId::candidates(action));
        // It may have been taken back meanwhile.
        let kept = changes(document.map(AsRef::as_ref));
        let is_kept = kept.iter().filter_map(|edit| edit.after.as_ref()).any(|mark| mark.text == *text);
        if !is_kept && matches!(view.message, Some((Level::Warning | Level::Error, _))) {
            // It was refused: nothing comes of it.
            (self.added, self.wanted) = (None, None);
            return None;
        }
        let is_shown = is_kept && self.action_name() == Some(action.as_str());
        (is_shown && !self.in_force(view).0.contains(text)).then(|| text.clone())
    }

    /// The number of the pool's candidate in a row; one that was held back is none of the pool's yet.
    fn own_id(&self, row: usize, view: &View) -> Option<usize> {
        let own = matches!(self.items.get(row), Some(Item::Candidate(_)));
        self.candidate(row, view).filter(|_| own).map(|candidate| candidate.id)
    }

    fn text(&self, row: usize, view: &View) -> Option<String> {
        match self.items.get(row)? {
            Item::InForce(text) | Item::Coming(text) => Some(text.clone()),
            Item::Candidate(_) | Item::HeldBack(_) => self.candidate(row, view).map(|c| c.text.clone()),
        }
    }

    /// The inspection of an expression of the shown action.
    fn known<'a>(&'a self, text: &str, view: &'a View) -> Option<&'a Candidate> {
        let seen = self.seen.known.get(&(self.action_name()?.to_owned(), text.to_owned()));
        seen.or_else(|| self.pool(view)?.in_force.iter().find(|candidate| candidate.text == text))
    }

    /// Asks about the expression under the cursor, unless that was asked already.
    fn look(&mut self, view: &View) -> Vec<Intent> {
        let tried = self.try_here(view);
        // The library is read for those who work here, and not because a session was opened.
        let text = self.text(self.outline.list.cursor(), view).filter(|_| self.typing.is_none() && self.weighed.wanted);
        let here = self.action_name().map(str::to_owned).zip(text);
        let weighed = here.and_then(|(action, text)| self.weighed.ask(&action, &text, view));
        tried.into_iter().chain(weighed).collect()
    }

    fn try_here(&mut self, view: &View) -> Option<Intent> {
        let here = self.action_name().map(str::to_owned).zip(self.text(self.outline.list.cursor(), view));
        // What is being checked already is not asked about beside.
        let comes = matches!(self.items.get(self.outline.list.cursor()), Some(Item::Coming(_)));
        let Some((action, text)) = here.filter(|_| !comes && !self.is_never_called(view)) else {
            // What was looked at before is of another row.
            (self.seen.at, self.seen.said) = (None, None);
            return None;
        };
        let pool = view.pools.get(&action).cloned();
        let looked = (action, text, pool, self.in_force(view).0.to_vec());
        let same = |(now, _): &(Looked, u64)| {
            let alike = now.2.as_ref().map(Arc::as_ptr) == looked.2.as_ref().map(Arc::as_ptr);
            alike && now.0 == looked.0 && now.1 == looked.1 && now.3 == looked.3
        };
        if self.seen.at.as_ref().is_some_and(same) {
            return None;
        }
        // The words on the same candidate stay until the new ones are there.
        if self.seen.at.as_ref().is_none_or(|(now, _)| now.0 != looked.0 || now.1 != looked.1) {
            self.seen.said = None;
        }
        let token = token();
        let (action, text) = (looked.0.clone(), looked.1.clone());
        self.seen.at = Some((looked, token));
        Some(Intent::Send(Command::Candidates(CandidateCommand::Try { token, action, text })))
    }

    fn switch(&mut self, view: &View, forward: bool) {
        let n = self.tabs.actions.len();
        if n == 0 {
            return;
        }
        self.tabs.follows = false;
        self.show(view, if forward { (self.tabs.at + 1) % n } else { (self.tabs.at + n - 1) % n });
    }

    fn show(&mut self, view: &View, action: usize) {
        (self.tabs.at, self.tabs.led) = (action, true);
        self.outline.list.go(0, 1);
        self.lay(view);
        self.outline.list.go(0, 1);
    }

    /// Goes to the chosen proposal's action, while that is followed and nothing else is being done here.
    fn follow(&mut self, view: &View) {
        if !self.tabs.follows || self.typing.is_some() || !self.over.is_empty() {
            return;
        }
        let action = view.chosen().and_then(|p| p.action.as_ref());
        // Of an answer with several calls, and of a program, the first.
        let call = action.and_then(|action| action.calls().next()?.parse::<Call>().ok()).map(|call| call.function);
        let first = || action?.text.split('(').next().map(|name| name.trim().to_owned());
        let at = call.or_else(first).and_then(|name| self.tabs.actions.iter().position(|a| *a == name));
        self.tabs.led |= at.is_some();
        if let Some(at) = at.filter(|at| *at != self.tabs.at) {
            self.show(view, at);
        }
    }

    /// Takes in the answers to what was asked about.
    fn take_in(&mut self, view: &View) -> Vec<Intent> {
        if let Some(typing) = self.typing.as_mut().filter(|typing| typing.asked)
            && let Some(Answer::Candidate(seen)) = typing.pause.answer(view)
        {
            let malformed = |seen: &Arc<Inspection>| matches!(seen.candidate.fate, Validity::Malformed { .. });
            // A long text is not parsed at every key.
            if typing.seen.is_none() && seen.as_ref().is_ok_and(malformed) {
                typing.fault = typing.whole_fault();
            }
            typing.seen = Some(seen.clone());
        }
        if let Some(Answer::Candidate(seen)) = self.seen.at.as_ref().and_then(|(_, token)| view.answer(*token)) {
            self.seen.said = Some(seen.clone());
            if let Ok(seen) = seen {
                self.seen.known.insert((seen.action.clone(), seen.candidate.text.clone()), seen.candidate.clone());
                if let Some(Over { page: Page::Study(study), .. }) = self.over.last_mut() {
                    study.renew(seen);
                }
            }
        }
        if let Some(Answer::Impact(said)) = self.weighed.at.as_ref().and_then(|(.., token)| view.answer(*token)) {
            // Why a text is none is said where it is inspected.
            self.weighed.said = said.as_ref().ok().cloned();
            if let (Some(Over { page: Page::Study(study), .. }), Some(said)) =
                (self.over.last_mut(), &self.weighed.said)
            {
                study.weigh(said);
            }
        }
        if let Some(Answer::Decision(look)) = self.step_wanted.and_then(|token| view.answer(token)) {
            self.step_wanted = None;
            if matches!(self.over.last(), Some(Over { page: Page::Decision(_), .. })) {
                self.over.pop();
            }
            self.over.push(Over::decision(Arc::clone(look)));
        }
        if let Some(Answer::Step(step)) = self.step_wanted.and_then(|token| view.answer(token)) {
            self.step_wanted = None;
            if matches!(self.over.last(), Some(Over { page: Page::Step(_), .. })) {
                self.over.pop();
            }
            let listed = matches!(self.over.last(), Some(Over { page: Page::Study(_), .. }));
            self.over.push(Over::step(Arc::clone(step), listed));
        }
        let mut intents = Vec::new();
        let waited = [self.compared.load, self.compared.wanted];
        if let Some((token, Answer::Sets(sets, right))) =
            waited.into_iter().flatten().find_map(|token| Some((token, view.answer(token)?)))
        {
            self.compared.wanted = None;
            self.compared.force = view.session.as_ref().map(|s| s.assertions().clone());
            if self.compared.load.take_if(|load| *load == token).is_some() {
                // It stays to be compared with others.
                let file = SetSource::Given(sets.right.clone(), (**right).clone());
                (self.compared.left, self.compared.right) = (SetSource::InForce, file.clone());
                self.compared.file = Some(file);
                let key = |action: PaneAction| view.key(action);
                let (adopt, back) = (key(PaneAction::Adopt), key(PaneAction::Back));
                let words = format!("{adopt} puts {} in force; {back} leaves everything as it is", sets.right);
                intents.push(Intent::Say(Level::Info, words));
            }
            let former = self.over.pop_if(|over| matches!(over.page, Page::Sets(_)));
            let name = self.action_name().unwrap_or_default();
            let at = former.map(|over| over.outline.list.cursor()).ok_or(name);
            self.over.push(Over::sets(Arc::clone(sets), Arc::clone(right), at));
        }
        if let Some(Answer::Sets(sets, _)) = self.adoption.as_ref().and_then(|(token, _)| view.answer(*token))
            && let Some((_, command)) = self.adoption.take()
        {
            intents.extend(adopting::confirmed(command, sets, view));
        }
        intents.extend(self.compare_again(view));
        intents
    }

    /// Compares again where what is in force has changed under a page of two sets.
    fn compare_again(&mut self, view: &View) -> Vec<Intent> {
        let shown = matches!(self.over.last(), Some(Over { page: Page::Sets(_), .. }));
        let now = view.session.as_ref().map(|s| s.assertions());
        if !shown || self.compared.wanted.is_some() || self.compared.force.as_ref() == now {
            return Vec::new();
        }
        self.compare(view)
    }

    /// Lets the page over the list answer an action; whether it did.
    fn act_over(&mut self, action: PaneAction, view: &View) -> Option<Vec<Intent>> {
        let over = self.over.last()?;
        if action == PaneAction::Back {
            self.over.pop();
            return Some(Vec::new());
        }
        let intents = match (&over.page, action) {
            (_, PaneAction::Copy) => over.copied().map(Intent::Copy).into_iter().collect(),
            (Page::Study(_), PaneAction::Activate) => {
                let mut intents = self.open_in_study();
                // The next key is for the row that was gone to.
                self.lay(view);
                if self.over.is_empty() {
                    intents.extend(self.look(view));
                }
                intents
            }
            (Page::Study(_), PaneAction::Edit) => {
                // The row that is looked at closely is the one under the cursor of the list.
                self.over.pop();
                self.type_over(view, false)
            }
            (Page::Decision(page), PaneAction::Activate) => {
                let stopped = page.stopped();
                let (file, episode) = (stopped.file.clone(), stopped.episode.clone());
                vec![Intent::Visit { file, episode, node: stopped.node.into() }]
            }
            (Page::Step(_) | Page::Decision(_), PaneAction::Left | PaneAction::Right) => {
                self.next_step(action == PaneAction::Right)
            }
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
            (None, Some(name)) => {
                let what = match action_of_effects(name) {
                    Some(action) => format!("Effects of {action}"),
                    None => format!("Preconditions of {name}"),
                };
                match self.in_force(view) {
                    ([], _) => format!("{what}, none in force"),
                    // Those of the specification are the usual ones; the room is better used by the tabs.
                    (_, OWN) => what,
                    (texts, origin) => format!("{what}, {} in force ({origin})", texts.len()),
                }
            }
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        // Marks, pages and answers waited for belong to one session.
        let session = view.session.as_ref().map(|s| (s.header.created, s.header.task.clone()));
        if session != self.session {
            let (by_model, ranking, effects) = (self.by_model, self.ranking, self.effects);
            *self = PreconditionsPane { by_model, ranking, effects, session, ..PreconditionsPane::default() };
        }
        let name = self.tabs.actions.get(self.tabs.at).filter(|_| self.tabs.led).cloned();
        let in_force = view.session.iter().flat_map(|s| s.assertions().keys());
        let names = view.pools.keys().chain(in_force).map(|name| action_of_effects(name).unwrap_or(name));
        let names: BTreeSet<&str> = names.collect();
        if !names.iter().copied().eq(self.tabs.actions.iter()) {
            self.tabs.actions = names.into_iter().map(str::to_owned).collect();
            self.tabs.effects = self.tabs.actions.iter().map(|name| effects_of(name)).collect();
            // The shown action stays shown, wherever its tab has moved.
            self.tabs.at = name.and_then(|n| self.tabs.actions.iter().position(|a| *a == n)).unwrap_or(0);
        }
        self.follow(view);
        self.lay(view);
        let mut intents = self.take_in(view);
        // Without candidates nothing need be evaluated.
        if !view.pools.is_empty() || self.seen.at.is_some() {
            intents.extend(self.look(view));
        }
        intents
    }

    fn wants(&mut self, _view: &View, _theme: &Theme, _width: u16) -> Wants {
        if !self.over.is_empty() || self.typing.is_some() {
            return Wants::ANY;
        }
        let (items, actions) = (self.items.len(), self.tabs.actions.len());
        let telling = if self.weighed.wanted { items } else { items.min(self.telling + 1) };
        // The counts, the rows, and a row for each action under its rule, or the tabs.
        let rows = |items| rows_of(1 + items + usize::from(ADDED) + if actions > 1 { actions + 1 } else { 1 });
        match (items, actions) {
            (0, 0) => Wants::exactly(2),
            (0, _) => Wants::exactly(4),
            _ => Wants { needs: Some(rows(telling)), uses: rows(items) },
        }
    }

    fn outline(&self) -> &Outline {
        self.over.last().map_or(&self.outline, |over| &over.outline)
    }

    fn outline_mut(&mut self) -> &mut Outline {
        self.over.last_mut().map_or(&mut self.outline, |over| &mut over.outline)
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
        self.weighed.wanted |= !matches!(action, PaneAction::UndoChange | PaneAction::RedoChange);
        if let Some(intents) = self.act_over(action, view) {
            return intents;
        }
        let mut intents = match action {
            PaneAction::ToggleFold => self.mark(view),
            PaneAction::Operand => self.pick(view),
            PaneAction::HeldBack => self.show_held(view),
            PaneAction::Ranking => self.other_ranking(view),
            PaneAction::Effects => {
                self.turn(view);
                Vec::new()
            }
            PaneAction::MarkAll => self.mark_all(view),
            PaneAction::Adopt => self.adopt(view),
            PaneAction::ToggleReject => self.reject(view),
            PaneAction::MergeAll => self.merge(view, Joint::All),
            PaneAction::MergeAny => self.merge(view, Joint::Any),
            PaneAction::Differ => self.differ(view),
            PaneAction::Why => self.why(view),
            PaneAction::UndoChange => {
                self.unmerge();
                self.browse(action, view)
            }
            PaneAction::Run => self.infer(self.tabs.actions.is_empty(), view),
            PaneAction::RunAll => self.infer(true, view),
            PaneAction::Compare => self.compare(view),
            PaneAction::Save => vec![self.save(view)],
            PaneAction::Load => vec![self.load()],
            PaneAction::Options => vec![Intent::AskCandidates],
            PaneAction::Score => self.of_action(|action| CandidateCommand::Score { action }),
            PaneAction::Activate => self.study(view),
            PaneAction::Edit if self.items.is_empty() => Vec::new(),
            PaneAction::Edit | PaneAction::Add => self.type_over(view, action == PaneAction::Add),
            PaneAction::Copy => self.text(self.outline.list.cursor(), view).map(Intent::Copy).into_iter().collect(),
            other => {
                match other {
                    PaneAction::Left | PaneAction::Right => self.switch(view, other == PaneAction::Right),
                    PaneAction::Cycle => {
                        self.by_model = !self.by_model;
                        return say(self.infers_by(view));
                    }
                    PaneAction::Follow => {
                        self.tabs.follows = true;
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

    fn documents(&self, _view: &View) -> Vec<ArtifactId> {
        let of = |action| vec![ArtifactId::candidates(action), ArtifactId::assertions(action)];
        self.action_name().map(of).unwrap_or_default()
    }

    fn is_editing(&self) -> bool {
        self.typing.is_some()
    }

    fn edit(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        if self.outline.words.typed(input) {
            return Vec::new();
        }
        let edited = self.typing.as_mut().map(|t| t.editor.input(input));
        edited.map(|edited| self.typed(edited, view)).unwrap_or_default()
    }

    fn moved(&mut self, _from: usize, view: &View) -> Vec<Intent> {
        self.weighed.wanted = true;
        self.look(view)
    }

    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if (self.over.is_empty() && self.outline.words.mouse(event)) || self.typing.is_some() {
            return Vec::new();
        }
        if let Some(over) = self.over.last_mut() {
            over.mouse(event);
            return Vec::new();
        }
        let on = |(rect, _): &&(Rect, usize)| rect.contains((event.column, event.row).into());
        let click = matches!(event.kind, crossterm::event::MouseEventKind::Down(_));
        if let Some((_, action)) = self.tabs.drawn.iter().find(on).copied().filter(|_| click) {
            self.tabs.follows = false;
            self.show(view, action);
        } else if self.outline.mouse(event, self.items.len()) == Mouse::Nothing {
            return Vec::new();
        }
        self.moved(0, view)
    }

    fn wake(&mut self, view: &View) -> Vec<Intent> {
        let Some(typing) = &mut self.typing else { return Vec::new() };
        // What does not parse is not asked about: that is said already.
        let Some(token) = typing.pause.ready().filter(|_| typing.fault.is_none()) else { return Vec::new() };
        let (action, text) = (typing.action.clone(), typing.expression());
        let weighed = self.weighed.ask(&action, &text, view);
        send(CandidateCommand::Try { token, action, text }).into_iter().chain(weighed).collect()
    }
}

fn send(command: CandidateCommand) -> Vec<Intent> {
    vec![Intent::Send(Command::Candidates(command))]
}

/// What is said of an expression that is still being checked.
fn coming(text: &str) -> String {
    format!("`{text}` is still being checked; ask again in a moment")
}

fn say(text: impl Into<String>) -> Vec<Intent> {
    vec![Intent::Say(Level::Info, text.into())]
}

#[cfg(test)]
mod tests;
