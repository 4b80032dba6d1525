//! A person's edits of the candidates and of what is in force: marking, typing, deleting, adopting, comparing. What is asked before
//! something is adopted is in `adopting`, merging and rankings are in `picking`.

use std::collections::BTreeSet;

use super::adopting::{MARKED, confirmed, fault};
use super::over::{Over, Page};
use super::rows;
use super::{
    CandidateCommand, CandidateOrigin, Command, Debounce, Edited, Editor, FileUse, Intent, Item, Level, LibraryCommand,
    PreconditionsPane, SetSource, Typing, View, coming, say, send, token,
};
use crate::pane::PaneAction;
use crate::pane::unsaid;
use crate::widgets::edit;
use stepwright_episode::action_of_effects;
use stepwright_precondition::{
    ADOPTED_SUFFIX, AdoptedAction, AdoptedSet, Candidate, CandidateEdit, CandidateMark, Ranking, Validity,
};
use stepwright_program::SyntaxFault;

impl PreconditionsPane {
    /// The expressions that adopting would put in force.
    pub(super) fn marked(&self, view: &View) -> BTreeSet<String> {
        let Some(name) = self.action_name() else { return BTreeSet::new() };
        match self.chosen.marks.get(name) {
            Some(marks) => marks.clone(),
            None => self.unasked(view),
        }
    }

    /// The marks until a person marks: the suggestion. Where nothing was inferred, only typed, the set in force stays
    /// marked.
    fn unasked(&self, view: &View) -> BTreeSet<String> {
        let in_force = || self.in_force(view).0.iter().cloned();
        let Some(pool) = self.pool(view) else { return in_force().collect() };
        let suggested = rows::suggested(pool, self.ranking()).map(|c| c.text.clone());
        let inferred = |c: &Candidate| matches!(c.origin, CandidateOrigin::Enumerated | CandidateOrigin::Model);
        match pool.running || pool.candidates.iter().any(inferred) {
            true => suggested.collect(),
            false => suggested.chain(in_force()).collect(),
        }
    }

    /// The marked expressions in the order of the rows, so that what is in force reads as it was shown.
    fn chosen(&self, view: &View) -> Vec<String> {
        let marked = self.marked(view);
        let rows = (0..self.items.len()).filter(|r| self.candidate(*r, view).is_none_or(|c| !c.rejected));
        rows.filter_map(|r| self.text(r, view)).filter(|t| marked.contains(t)).collect()
    }

    pub(super) fn mark(&mut self, view: &View) -> Vec<Intent> {
        let row = self.outline.list.cursor();
        let Some((text, name)) = self.text(row, view).zip(self.action_name().map(str::to_owned)) else {
            return Vec::new();
        };
        if self.candidate(row, view).is_some_and(|c| c.rejected) {
            let key = view.key(PaneAction::ToggleReject);
            return say(format!("this candidate is deleted; {key} restores it"));
        }
        let mut marks = self.marked(view);
        if !marks.remove(&text) {
            marks.insert(text);
        }
        self.chosen.marks.insert(name, marks);
        Vec::new()
    }

    pub(super) fn mark_all(&mut self, view: &View) -> Vec<Intent> {
        let Some(name) = self.action_name().map(str::to_owned) else { return Vec::new() };
        if self.marked(view).is_empty() {
            self.chosen.marks.remove(&name);
        } else {
            self.chosen.marks.insert(name, BTreeSet::new());
        }
        Vec::new()
    }

    pub(super) fn adopt(&mut self, view: &View) -> Vec<Intent> {
        let Some(name) = self.action_name().map(str::to_owned) else { return Vec::new() };
        let marked = self.marked(view);
        let waits = |item: &Item| matches!(item, Item::Coming(text) if marked.contains(text));
        if let Some(Item::Coming(text)) = self.items.iter().find(|item| waits(item)) {
            return vec![Intent::Say(Level::Warning, coming(text))];
        }
        let assertions = self.chosen(view);
        if assertions.is_empty() && !self.chosen.marks.contains_key(&name) {
            let infer = view.key(PaneAction::Run);
            let mark = view.key(PaneAction::ToggleFold);
            let words = format!("nothing is marked to adopt; {infer} infers candidates, {mark} marks one");
            return vec![Intent::Say(Level::Warning, words)];
        }
        let by_hand = |text: &String| {
            let found = self.pool(view).into_iter().flat_map(|p| &p.candidates).find(|c| c.text == *text);
            found.is_some_and(|c| c.origin == CandidateOrigin::Person)
        };
        let origin = match (assertions.iter().any(by_hand), self.chosen.marks.contains_key(&name)) {
            (true, _) => "edited".to_owned(),
            (false, true) => "inferred, chosen by a person".to_owned(),
            (false, false) if self.ranking() == Ranking::Evidence => "inferred".to_owned(),
            (false, false) => format!("inferred, {}", self.ranking.name()),
        };
        let (now, _) = self.in_force(view);
        let drops = now.iter().any(|t| !assertions.contains(t));
        if !drops && assertions.iter().all(|t| now.contains(t)) {
            return say(format!("what is marked is in force for {name} already"));
        }
        self.chosen.unmerged = None;
        let command = Command::Candidates(CandidateCommand::Adopt {
            action: name.clone(),
            assertions: assertions.clone(),
            origin,
        });
        let mut new = assertions.iter().filter(|t| !now.contains(t));
        if !drops && new.all(|t| fault(&name, t, view).is_none()) {
            return vec![Intent::Send(command)];
        }
        // What is dropped may be implied by what stays: the comparison shows whether.
        let params = self.pool(view).map(|p| p.params.clone()).unwrap_or_default();
        let of = |assertions: Vec<String>| {
            let action = AdoptedAction { action: name.clone(), params: params.clone(), assertions };
            AdoptedSet { actions: vec![action], ..AdoptedSet::default() }
        };
        let left = SetSource::Given("in force".to_owned(), of(now.to_vec()));
        let right = SetSource::Given(MARKED.to_owned(), of(assertions));
        let token = token();
        self.adoption = Some((token, command));
        send(CandidateCommand::Compare { token, left, right })
    }

    pub(super) fn reject(&mut self, view: &View) -> Vec<Intent> {
        let row = self.outline.list.cursor();
        if matches!(self.items.get(row), Some(Item::HeldBack(_))) {
            let mark = view.key(PaneAction::ToggleFold);
            return say(format!("this candidate is held back and takes no part unless you mark it ({mark})"));
        }
        if let Some(Item::Coming(text)) = self.items.get(row) {
            return say(coming(text));
        }
        let Some((candidate, action)) = self.candidate(row, view).zip(self.action_name()) else {
            let (mark, adopt) = (view.key(PaneAction::ToggleFold), view.key(PaneAction::Adopt));
            return say(format!(
                "this is in force and no candidate: {mark} marks what is to stay, {adopt} drops the others"
            ));
        };
        let (before, action) = (mark_of(candidate), action.to_owned());
        let after = CandidateMark { rejected: !before.rejected, ..before.clone() };
        let edit = CandidateEdit { at: candidate.id, before: Some(before), after: Some(after) };
        // Its mark stays for when it is restored; a deleted one shows none and is never adopted.
        self.chosen.unmerged = None;
        vec![Intent::Send(Command::Gate(edit.request(&action)))]
    }

    pub(super) fn ask_difference(&mut self, action: String, one: String, other: String) -> Vec<Intent> {
        let token = token();
        self.step_wanted = Some(token);
        send(CandidateCommand::ShowDifference { token, action, one, other })
    }

    /// Why nothing is known of the row under the cursor.
    fn unseen(&self, view: &View) -> &'static str {
        match self.is_never_called(view) {
            true => "no demonstration calls this action, so nothing checks what is written of it",
            false => "this is still being looked at; ask again in a moment",
        }
    }

    /// Says why the candidate under the cursor is not optimal; with a stronger one, shows a step where they differ.
    pub(super) fn why(&mut self, view: &View) -> Vec<Intent> {
        let seen = match &self.seen.said {
            Some(Ok(seen)) => std::sync::Arc::clone(seen),
            Some(Err(why)) => return say(why.clone()),
            None => return say(self.unseen(view)),
        };
        let text = &seen.candidate.text;
        if self.effects {
            let why = rows::reason(&seen.candidate, None, self.ranking());
            return say(format!("effects are not ranked by Equation (1): {why}"));
        }
        match (&seen.candidate.fate, &seen.stronger) {
            (Validity::Valid, Some(stronger)) => {
                self.ask_difference(seen.action.clone(), text.clone(), stronger.clone())
            }
            (Validity::Valid, None) if seen.candidate.rejected => {
                say("it is deleted, so it takes no part in the ranking")
            }
            (Validity::Valid, None) => say("nothing valid is stronger: by Equation (1) it is optimal"),
            _ => say(format!(
                "only valid candidates are ranked, and this one is not: {}",
                rows::reason(&seen.candidate, None, self.ranking())
            )),
        }
    }

    /// Puts the marks back as they were before the last merge, where that is taken back.
    pub(super) fn unmerge(&mut self) {
        let action = self.action_name().map(str::to_owned);
        let Some((merged, marks)) = self.chosen.unmerged.take_if(|(merged, _)| action.as_ref() == Some(merged)) else {
            return;
        };
        match marks {
            Some(marks) => self.chosen.marks.insert(merged, marks),
            None => self.chosen.marks.remove(&merged),
        };
    }

    /// Has a text put in the place of the candidate of that number, or added.
    pub(super) fn put(&self, action: &str, id: Option<usize>, text: String, view: &View) -> Vec<Intent> {
        let pool = view.pools.get(action).map_or(&[][..], |pool| &pool.candidates);
        if pool.iter().any(|c| c.text == text) {
            return say(format!("`{text}` is already a candidate of {action}"));
        }
        let before = id.and_then(|id| pool.get(id));
        let after = CandidateMark { text, rejected: false };
        let at = before.map_or(pool.len(), |candidate| candidate.id);
        let edit = CandidateEdit { at, before: before.map(mark_of), after: Some(after) };
        vec![Intent::Send(Command::Gate(edit.request(action)))]
    }

    pub(super) fn of_action(&self, command: impl FnOnce(String) -> CandidateCommand) -> Vec<Intent> {
        self.action_name().map(|action| send(command(action.to_owned()))).unwrap_or_default()
    }

    pub(super) fn infer(&self, all: bool, view: &View) -> Vec<Intent> {
        let origin = if self.by_model { CandidateOrigin::Model } else { CandidateOrigin::Enumerated };
        if all && self.effects {
            let called = |name: &&String| view.pools.get(*name).is_some_and(|pool| pool.calls > 0);
            let infer = |name: &String| send(CandidateCommand::Infer { action: Some(name.clone()), origin });
            return self.tabs.effects.iter().filter(called).flat_map(infer).collect();
        }
        let action = if all { None } else { self.action_name().map(str::to_owned) };
        send(CandidateCommand::Infer { action, origin })
    }

    /// Opens the editor over the row under the cursor, or for a new expression; its text is inspected at once.
    pub(super) fn type_over(&mut self, view: &View, add: bool) -> Vec<Intent> {
        let Some(action) = self.action_name().map(str::to_owned) else { return Vec::new() };
        let row = self.outline.list.cursor();
        if let Some(Item::Coming(text)) = self.items.get(row).filter(|_| !add) {
            return say(coming(text));
        }
        let row = if add || self.items.is_empty() { None } else { Some(row) };
        let original = row.and_then(|r| self.text(r, view)).unwrap_or_default();
        let mut pause = Debounce::default();
        let (asked, text) = (!original.is_empty(), original.clone());
        // Of nothing typed yet nothing can be said, but looked for.
        let ready = || Intent::Send(Command::Library(LibraryCommand::Ready { action: action.clone() }));
        let weighed = self.weighed.ask(&action, &text, view).or_else(|| (!asked).then(ready));
        let look = asked.then(|| send(CandidateCommand::Try { token: pause.at_once(), action: action.clone(), text }));
        self.typing = Some(Typing {
            fault: unparsed(&action, &original),
            action,
            id: row.and_then(|r| self.own_id(r, view)),
            row,
            editor: Editor::line(&original),
            original,
            pause,
            // The words on the row stay until the answer is there.
            seen: self.seen.said.clone().filter(|_| asked),
            asked,
        });
        look.unwrap_or_default().into_iter().chain(weighed).collect()
    }

    pub(super) fn typed(&mut self, edited: Edited, view: &View) -> Vec<Intent> {
        let Some(mut typing) = self.typing.take() else { return Vec::new() };
        let intents = match edited {
            Edited::Same => Vec::new(),
            Edited::Changed => {
                typing.seen = None;
                // What does not parse needs no demonstrations to be judged, and its fault is said at once.
                typing.fault = unparsed(&typing.action, &typing.editor.text());
                typing.asked = typing.fault.is_none();
                [typing.pause.touch()].into_iter().chain(unsaid(view)).collect()
            }
            Edited::Cancel => return unsaid(view).into_iter().collect(),
            Edited::Accept => {
                let text = typing.expression();
                if text == typing.original {
                    return say("the expression is unchanged");
                }
                // Of a long text it was not said yet.
                if let Some(fault) = typing.whole_fault().filter(|_| !text.is_empty()) {
                    // It is said below the line, where there is room for all of it.
                    typing.fault = Some(fault);
                    self.typing = Some(typing);
                    return Vec::new();
                }
                if !text.is_empty() {
                    self.chosen.unmerged = None;
                    // What is added is meant to be adopted; what replaces a row that is marked or in force is marked in its place.
                    let mut marks = self.marked(view);
                    let replaced = marks.remove(&typing.original);
                    if typing.row.is_none() || replaced || self.in_force(view).0.contains(&typing.original) {
                        marks.insert(text.clone());
                        self.chosen.marks.insert(typing.action.clone(), marks);
                    }
                    self.wanted = Some(text.clone());
                    self.added = Some((typing.action.clone(), text.clone()));
                    return self.put(&typing.action, typing.id, text, view);
                }
                vec![Intent::Say(Level::Warning, "the expression is empty; type one, or Esc leaves it".into())]
            }
        };
        self.typing = Some(typing);
        intents
    }

    pub(super) fn study(&mut self, view: &View) -> Vec<Intent> {
        match &self.seen.said {
            Some(Ok(seen)) => {
                let over = Over::study(seen, self.weighed.of(&seen.candidate.text));
                self.over.push(over);
                Vec::new()
            }
            Some(Err(why)) => say(why.clone()),
            None if self.items.is_empty() => Vec::new(),
            None => say(self.unseen(view)),
        }
    }

    /// Goes where the row of the close look points: to another candidate, or to a step.
    pub(super) fn open_in_study(&mut self) -> Vec<Intent> {
        let Some(Over { page: Page::Study(study), outline, .. }) = self.over.last() else { return Vec::new() };
        let seen = study.seen();
        if let Some(other) = study.related_at(outline.list.cursor()) {
            // Back in the list, with the cursor on the other one.
            self.wanted = Some(other.to_owned());
            self.over.clear();
            self.laid = None;
            return Vec::new();
        }
        let token = token();
        if let Some(stopped) = study.decision_at(outline.list.cursor()) {
            let (stopped, action) = (Box::new(stopped.clone()), seen.action.clone());
            let text = seen.candidate.text.clone();
            self.step_wanted = Some(token);
            return vec![Intent::Send(Command::Library(LibraryCommand::Show { token, stopped, action, text }))];
        }
        let Some(place) = study.place_at(outline.list.cursor()) else { return Vec::new() };
        let mut texts = vec![seen.candidate.text.clone()];
        let (now, action) = (&self.laid.as_ref().map(|(_, force)| force.clone()).unwrap_or_default(), &seen.action);
        texts.extend(now.iter().filter(|t| **t != seen.candidate.text).cloned());
        self.step_wanted = Some(token);
        send(CandidateCommand::ShowStep { token, action: action.clone(), place: place.clone(), texts })
    }

    /// From a step of a close look to the next of them, or the previous.
    pub(super) fn next_step(&mut self, forward: bool) -> Vec<Intent> {
        let below = self.over.len().checked_sub(2).and_then(|at| self.over.get_mut(at));
        let Some(Over { page: Page::Study(study), outline, .. }) = below else {
            return say("this is the only step");
        };
        let Some(row) = study.next_place(outline.list.cursor(), forward) else {
            return say(if forward { "this is the last step listed" } else { "this is the first step" });
        };
        outline.list.go(row, study.len());
        let top = self.over.pop();
        let intents = self.open_in_study();
        self.over.extend(top);
        intents
    }

    pub(super) fn compare(&mut self, view: &View) -> Vec<Intent> {
        let token = token();
        self.compared.wanted = Some(token);
        let (left, right) = (self.filled(&self.compared.left, view), self.filled(&self.compared.right, view));
        send(CandidateCommand::Compare { token, left, right })
    }

    fn sources(&self, view: &View) -> Vec<SetSource> {
        let [evidence, equation] = [Ranking::Evidence, Ranking::EquationOne].map(SetSource::Inferred);
        let mut sources = vec![SetSource::InForce, evidence, SetSource::Specification, equation];
        if !self.chosen.marks.is_empty() {
            sources.push(SetSource::Given(MARKED.to_owned(), AdoptedSet::default()));
        }
        if view.ground_truth {
            sources.push(SetSource::Truth);
        }
        for one in self.compared.file.iter().chain([&self.compared.left, &self.compared.right]) {
            if !sources.iter().any(|s| s.name() == one.name()) {
                sources.push(one.clone());
            }
        }
        sources
    }

    fn step_source(&self, now: &SetSource, other: &SetSource, forward: bool, view: &View) -> SetSource {
        let sources = self.sources(view);
        let n = sources.len();
        let at = sources.iter().position(|s| s.name() == now.name()).unwrap_or(0);
        let mut turns = (1..=n).map(|k| if forward { (at + k) % n } else { (at + n - k) % n });
        let next = turns.find_map(|at| sources.get(at).filter(|s| s.name() != other.name()));
        next.cloned().unwrap_or_else(|| now.clone())
    }

    pub(super) fn other_left(&mut self, view: &View) -> Vec<Intent> {
        self.compared.left = self.step_source(&self.compared.left, &self.compared.right, true, view);
        self.compare(view)
    }

    pub(super) fn other_right(&mut self, view: &View, forward: bool) -> Vec<Intent> {
        self.compared.right = self.step_source(&self.compared.right, &self.compared.left, forward, view);
        self.compare(view)
    }

    fn filled(&self, source: &SetSource, view: &View) -> SetSource {
        let SetSource::Given(name, _) = source else { return source.clone() };
        if name != MARKED {
            return source.clone();
        }
        let session = view.session.as_ref();
        let effects = self.tabs.effects.iter().filter(|name| view.pools.contains_key(*name));
        let actions = self.tabs.actions.iter().chain(effects).map(|action| {
            let in_force = session.and_then(|s| s.assertions().get(action)).map(|(texts, _)| texts.clone());
            let marks = self.chosen.marks.get(action);
            let in_order = |marks: &BTreeSet<String>| {
                let pool = view.pools.get(action).map(AsRef::as_ref);
                let mut texts: Vec<String> = in_force.iter().flatten().cloned().collect();
                let rest = pool.into_iter().flat_map(|p| p.candidates.iter().chain(&p.held_back));
                let rest = rest.filter(|c| !c.rejected).map(|c| c.text.clone());
                texts.extend(rest.filter(|t| !in_force.iter().flatten().any(|f| f == t)));
                texts.retain(|t| marks.contains(t));
                texts
            };
            let params = view.pools.get(action).map(|p| p.params.clone()).unwrap_or_default();
            let assertions = marks.map(in_order).or_else(|| in_force.clone()).unwrap_or_default();
            AdoptedAction { action: action.clone(), params, assertions }
        });
        SetSource::Given(name.clone(), AdoptedSet { actions: actions.collect(), ..AdoptedSet::default() })
    }

    /// Asks before the right set is put in force.
    pub(super) fn adopt_right(&mut self, view: &View) -> Vec<Intent> {
        let Some(Over { page: Page::Sets(sets), .. }) = self.over.last() else { return Vec::new() };
        let Some(session) = view.session.as_ref() else { return Vec::new() };
        let (name, set) = (sets.right_name().to_owned(), sets.right().clone());
        let in_force = |action: &str| session.assertions().get(action).map(|(texts, _)| texts.as_slice());
        if set.actions.iter().all(|a| in_force(&a.action).unwrap_or_default() == a.assertions) {
            return say(format!("{name} is in force already"));
        }
        let command = Command::Candidates(CandidateCommand::AdoptSet { origin: name.clone(), set: set.clone() });
        if self.compared.left == SetSource::InForce {
            // What it drops is on the screen.
            return confirmed(command, sets.sets(), view);
        }
        let token = token();
        self.adoption = Some((token, command));
        let right = SetSource::Given(name, set);
        send(CandidateCommand::Compare { token, left: SetSource::InForce, right })
    }

    /// Goes to a step where the two sets differ on the action under the cursor.
    pub(super) fn open_in_sets(&mut self) -> Vec<Intent> {
        let Some(Over { page: Page::Sets(sets), outline, .. }) = self.over.last() else { return Vec::new() };
        let Some((action, place, texts)) = sets.difference_at(outline.list.cursor()) else {
            return say(match sets.first_that_differs() {
                Some(other) => format!("no step distinguishes the two here; they differ on {other}: open that one"),
                None => "the two sets permit the same at every step of the demonstrations".to_owned(),
            });
        };
        let token = token();
        self.step_wanted = Some(token);
        send(CandidateCommand::ShowStep { token, action, place, texts })
    }

    pub(super) fn save(&self, view: &View) -> Intent {
        let own = view.session.as_ref().map(|s| stepwright_precondition::file_name(&s.header));
        Intent::AskFile(FileUse::Save { name: own.unwrap_or_else(|| format!("my{ADOPTED_SUFFIX}")) })
    }

    pub(super) fn load(&mut self) -> Intent {
        let token = token();
        self.compared.load = Some(token);
        Intent::AskFile(FileUse::Compare { token, name: String::new() })
    }
}

fn mark_of(candidate: &Candidate) -> CandidateMark {
    CandidateMark { text: candidate.text.clone(), rejected: candidate.rejected }
}

/// The fault of a text as an assertion of an action, or as one of its effects, as it is asked for at every key.
fn unparsed(action: &str, text: &str) -> Option<SyntaxFault> {
    edit::fault(text, parser(action))
}

fn parser(action: &str) -> fn(&str) -> Option<SyntaxFault> {
    let is_effect = action_of_effects(action).is_some();
    if is_effect { SyntaxFault::of_effect } else { SyntaxFault::of_assertion }
}

impl Typing {
    /// The fault of the text, however long it is: not to be asked for at every key.
    pub(super) fn whole_fault(&self) -> Option<SyntaxFault> {
        parser(&self.action)(&self.editor.text())
    }
}
