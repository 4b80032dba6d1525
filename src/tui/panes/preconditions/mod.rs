//! The preconditions of each action: candidates with their fates, what is in force, and a person's say over both.
//!
//! A person marks rows; adopting puts the marked ones in force. Until a person marks anything, the optimal representatives are
//! marked. Order and wording of rows are `rows`' business, drawing is `render`'s.

mod render;
mod rows;

use std::collections::{BTreeMap, BTreeSet};
use std::sync::Arc;

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use self::rows::Item;
use super::browse::{BROWSING, Browser};
use super::edit::{Debounce, Edited, Editor};
use super::find::Rows;
use crate::driver::{Command, Level};
use crate::precondition::{Candidate, CandidateOrigin, Pool};
use crate::tui::pane::{Intent, Pane, PaneAction, PaneId};
use crate::tui::theme::Theme;
use crate::tui::view::View;

/// An expression being typed.
#[derive(Debug)]
struct Typing {
    action: String,
    /// The candidate replaced; `None` adds one.
    id: Option<usize>,
    /// The row it is typed over; `None` stands above all rows.
    row: Option<usize>,
    original: String,
    editor: Editor,
    pause: Debounce,
    /// What validation said of the text as it stands.
    fate: Option<Box<Candidate>>,
    asked: bool,
}

/// The pane.
#[derive(Debug, Default)]
pub struct PreconditionsPane {
    /// The actions, sorted.
    actions: Vec<String>,
    action: usize,
    items: Vec<Item>,
    /// What the rows were laid from.
    laid: Option<(Option<Arc<Pool>>, Vec<String>)>,
    /// Marked expressions by action; absent until a person marks.
    marks: BTreeMap<String, BTreeSet<String>>,
    /// Whether inference asks the model instead of the enumerator.
    by_model: bool,
    browser: Browser,
    typing: Option<Typing>,
    /// Where the tabs were last drawn.
    tabs: Vec<(Rect, usize)>,
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
        let found = self.action_name().and_then(|a| view.session.as_ref()?.assertions.get(a));
        found.map_or((&[], ""), |(texts, origin)| (texts, origin))
    }

    /// Lays the rows anew; the cursor stays on its expression.
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
            None => None,
        };
        let pool = pool.cloned();
        self.items = rows::items(pool.as_deref(), in_force);
        self.laid = Some((pool, in_force.to_vec()));
        let row = (0..self.items.len()).find(|r| self.text(*r, view) == at && at.is_some());
        self.browser.list.go(row.unwrap_or(self.browser.list.cursor()), self.items.len());
    }

    fn candidate<'a>(&self, row: usize, view: &'a View) -> Option<&'a Candidate> {
        match self.items.get(row)? {
            Item::Candidate(at) => self.pool(view)?.candidates.get(*at),
            Item::InForce(_) => None,
        }
    }

    /// The expression of a row.
    fn text(&self, row: usize, view: &View) -> Option<String> {
        match self.items.get(row)? {
            Item::InForce(text) => Some(text.clone()),
            Item::Candidate(_) => self.candidate(row, view).map(|c| c.text.clone()),
        }
    }

    /// The expressions that adopting would put in force.
    fn marked(&self, view: &View) -> BTreeSet<String> {
        let Some(name) = self.action_name() else { return BTreeSet::new() };
        if let Some(marks) = self.marks.get(name) {
            return marks.clone();
        }
        match self.pool(view) {
            Some(pool) => rows::suggested(pool).map(|c| c.text.clone()).collect(),
            None => self.in_force(view).0.iter().cloned().collect(),
        }
    }

    fn switch(&mut self, view: &View, forward: bool) {
        let n = self.actions.len();
        if n == 0 {
            return;
        }
        self.show(view, if forward { (self.action + 1) % n } else { (self.action + n - 1) % n });
    }

    fn show(&mut self, view: &View, action: usize) {
        self.action = action;
        self.browser.list.go(0, 1);
        self.lay(view);
        self.browser.list.go(0, 1);
    }

    fn mark(&mut self, view: &View) -> Vec<Intent> {
        let row = self.browser.list.cursor();
        let Some((text, name)) = self.text(row, view).zip(self.action_name().map(str::to_owned)) else {
            return Vec::new();
        };
        if self.candidate(row, view).is_some_and(|c| c.rejected) {
            return vec![Intent::Say(Level::Info, "this candidate is rejected; restore it before marking it".into())];
        }
        let mut marks = self.marked(view);
        if !marks.remove(&text) {
            marks.insert(text);
        }
        self.marks.insert(name, marks);
        Vec::new()
    }

    fn adopt(&mut self, view: &View) -> Vec<Intent> {
        let Some(name) = self.action_name().map(str::to_owned) else { return Vec::new() };
        let marked = self.marked(view);
        // In the order of the rows, so that what is in force reads as it was shown.
        let chosen: Vec<usize> = (0..self.items.len())
            .filter(|r| self.text(*r, view).is_some_and(|t| marked.contains(&t)))
            .filter(|r| self.candidate(*r, view).is_none_or(|c| !c.rejected))
            .collect();
        if chosen.is_empty() && !self.marks.contains_key(&name) {
            let words = "nothing is marked to adopt; infer candidates first, or mark some";
            return vec![Intent::Say(Level::Warning, words.into())];
        }
        let assertions: Vec<String> = chosen.iter().filter_map(|r| self.text(*r, view)).collect();
        let by_hand =
            chosen.iter().any(|r| self.candidate(*r, view).is_some_and(|c| c.origin == CandidateOrigin::Person));
        let origin = match (by_hand, self.marks.contains_key(&name)) {
            (true, _) => "edited",
            (false, true) => "inferred, chosen by a person",
            (false, false) => "inferred",
        };
        vec![Intent::Send(Command::Adopt { action: name, assertions, origin: origin.into() })]
    }

    fn reject(&mut self, view: &View) -> Vec<Intent> {
        let Some((candidate, action)) = self.candidate(self.browser.list.cursor(), view).zip(self.action_name()) else {
            let words = "only candidates can be rejected; unmark what is in force and adopt";
            return vec![Intent::Say(Level::Info, words.into())];
        };
        let (id, rejected) = (candidate.id, !candidate.rejected);
        let text = candidate.text.clone();
        let action = action.to_owned();
        if rejected && let Some(marks) = self.marks.get_mut(&action) {
            marks.remove(&text);
        }
        vec![Intent::Send(Command::RejectCandidate { action, id, rejected })]
    }

    fn infer(&self, all: bool) -> Vec<Intent> {
        let origin = if self.by_model { CandidateOrigin::Model } else { CandidateOrigin::Enumerated };
        let action = if all { None } else { self.action_name().map(str::to_owned) };
        vec![Intent::Send(Command::Infer { action, origin })]
    }

    fn type_over(&mut self, view: &View, add: bool) {
        let Some(action) = self.action_name().map(str::to_owned) else { return };
        let row = self.browser.list.cursor();
        let row = if add || self.items.is_empty() { None } else { Some(row) };
        let original = row.and_then(|r| self.text(r, view)).unwrap_or_default();
        self.typing = Some(Typing {
            action,
            id: row.and_then(|r| self.candidate(r, view)).map(|c| c.id),
            row,
            editor: Editor::line(&original),
            original,
            pause: Debounce::default(),
            fate: None,
            asked: false,
        });
    }

    fn typed(&mut self, edited: Edited) -> Vec<Intent> {
        let Some(mut typing) = self.typing.take() else { return Vec::new() };
        let intents = match edited {
            Edited::Same => Vec::new(),
            Edited::Changed => {
                typing.fate = None;
                typing.asked = true;
                vec![typing.pause.touch()]
            }
            Edited::Cancel => return Vec::new(),
            Edited::Accept => {
                let text = typing.editor.text().trim().to_owned();
                if text == typing.original {
                    return vec![Intent::Say(Level::Info, "the expression is unchanged".into())];
                }
                if !text.is_empty() {
                    let (action, id) = (typing.action, typing.id);
                    return vec![Intent::Send(Command::PutCandidate { action, id, text })];
                }
                vec![Intent::Say(Level::Warning, "the expression is empty; type one or cancel".into())]
            }
        };
        self.typing = Some(typing);
        intents
    }

    fn browse(&mut self, view: &View, act: impl FnOnce(&mut Browser, &Rows<'_>)) {
        let mut browser = std::mem::take(&mut self.browser);
        let text = |row: usize| self.text(row, view).unwrap_or_default();
        act(&mut browser, &Rows { len: self.items.len(), text: &text });
        self.browser = browser;
    }
}

impl Pane for PreconditionsPane {
    fn id(&self) -> PaneId {
        PaneId::Preconditions
    }

    fn title(&self, view: &View) -> String {
        match self.action_name() {
            None => "Preconditions".into(),
            Some(name) => format!("Preconditions of {name}, {} in force", self.in_force(view).0.len()),
        }
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        let name = self.action_name().map(str::to_owned);
        let in_force = view.session.iter().flat_map(|s| s.assertions.keys());
        let names: BTreeSet<&String> = view.pools.keys().chain(in_force).collect();
        if !names.iter().copied().eq(self.actions.iter()) {
            self.actions = names.into_iter().cloned().collect();
            // The shown action stays shown, wherever its tab has moved.
            self.action = name.and_then(|n| self.actions.iter().position(|a| *a == n)).unwrap_or(0);
        }
        if view.session.is_none() {
            self.marks.clear();
            self.typing = None;
        }
        self.lay(view);
        if let Some(typing) = &mut self.typing
            && let Some((token, candidate)) = &view.candidate_checked
            && typing.asked
            && typing.pause.is_current(*token)
        {
            typing.fate = Some(candidate.clone());
        }
        Vec::new()
    }

    fn render(&mut self, view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool) {
        self.draw(view, theme, area, frame.buffer_mut(), focused);
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let mut actions = Vec::new();
        if view.session.is_none() {
            return actions;
        }
        // Without candidates, inferring them is what comes first.
        let inferred = self.items.iter().any(|i| matches!(i, Item::Candidate(_)));
        let infer = (PaneAction::Run, "infer this action");
        if !self.actions.is_empty() && !inferred {
            actions.push(infer);
        }
        if !self.items.is_empty() {
            actions.extend([
                (PaneAction::ToggleFold, "mark"),
                (PaneAction::Adopt, "adopt marked"),
                (PaneAction::Edit, "edit"),
                (PaneAction::ToggleReject, "reject/restore"),
            ]);
        }
        if !self.actions.is_empty() {
            if inferred {
                actions.push(infer);
            }
            actions.extend([
                (PaneAction::Add, "add"),
                (PaneAction::Right, "next action"),
                (PaneAction::Left, "previous action"),
            ]);
        }
        actions.push((PaneAction::RunAll, "infer all"));
        actions.push((PaneAction::Cycle, if self.by_model { "infer by enumerator" } else { "infer by model" }));
        if !self.items.is_empty() {
            actions.extend([(PaneAction::Activate, "edit"), (PaneAction::Copy, "copy")]);
            actions.extend(BROWSING);
        }
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Left | PaneAction::Right => self.switch(view, action == PaneAction::Right),
            PaneAction::Cycle => self.by_model = !self.by_model,
            PaneAction::ToggleFold => return self.mark(view),
            PaneAction::Adopt => return self.adopt(view),
            PaneAction::ToggleReject => return self.reject(view),
            PaneAction::Run => return self.infer(self.actions.is_empty()),
            PaneAction::RunAll => return self.infer(true),
            PaneAction::Activate | PaneAction::Edit if self.items.is_empty() => {}
            PaneAction::Activate | PaneAction::Edit => self.type_over(view, false),
            PaneAction::Add => self.type_over(view, true),
            PaneAction::Copy => {
                return self.text(self.browser.list.cursor(), view).map(Intent::Copy).into_iter().collect();
            }
            _ => self.browse(view, |browser, rows| {
                browser.act(action, rows);
            }),
        }
        Vec::new()
    }

    fn captures_text(&self) -> bool {
        self.typing.is_some() || self.browser.find.is_open()
    }

    fn key(&mut self, key: KeyEvent, view: &View) -> Vec<Intent> {
        if let Some(edited) = self.typing.as_mut().map(|t| t.editor.key(key)) {
            return self.typed(edited);
        }
        self.browse(view, |browser, rows| browser.key(key, rows));
        Vec::new()
    }

    fn paste(&mut self, text: &str, view: &View) -> Vec<Intent> {
        if let Some(edited) = self.typing.as_mut().map(|t| t.editor.paste(text)) {
            return self.typed(edited);
        }
        self.browse(view, |browser, rows| browser.paste(text, rows));
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, _area: Rect, view: &View) -> Vec<Intent> {
        if self.typing.is_some() {
            return Vec::new();
        }
        let on = |(rect, _): &&(Rect, usize)| rect.contains((event.column, event.row).into());
        let click = matches!(event.kind, crossterm::event::MouseEventKind::Down(_));
        if let Some((_, action)) = self.tabs.iter().find(on).copied().filter(|_| click) {
            self.show(view, action);
            return Vec::new();
        }
        self.browser.mouse(event, self.items.len());
        Vec::new()
    }

    fn wake(&mut self, _view: &View) -> Vec<Intent> {
        let Some(typing) = &mut self.typing else { return Vec::new() };
        match typing.pause.ready() {
            None => Vec::new(),
            Some(Err(wait)) => vec![wait],
            Some(Ok(token)) => {
                let (action, text) = (typing.action.clone(), typing.editor.text().trim().to_owned());
                vec![Intent::Send(Command::TryCandidate { token, action, text })]
            }
        }
    }
}
