//! The knowledge of skills: the skills with their primitives and tips, changes offered to them, the recorded log cut into calls, and a
//! success beside a failure of one task. Three views of one list; every change goes through the gate as an artifact's.

mod contrast;
mod edits;
mod known;
mod trail;

use std::collections::BTreeSet;
use std::sync::Arc;

use ratatui::layout::Rect;
use stepwright_skill::changes::Change;
use stepwright_skill::contrast::Contrast;
use stepwright_skill::distil::{Wanted, Way};
use stepwright_skill::{Knowledge, Segment, changes, distil, document, hierarchy};

use crate::event::Input;
use crate::pane::{Intent, Pane, PaneAction, PaneId};
use crate::theme::{Role, Theme, UNICODE};
use crate::view::View;
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_top};
use crate::widgets::edit::Editor;
use crate::widgets::outline::Outline;
use crate::widgets::words;
use edits::Typing;
use stepwright_episode::gate::Edit;
use stepwright_episode::{ArtifactId, OfferId};
use stepwright_method::{REFERENCE, SYMBOLIC};
use stepwright_protocol::{Command, Level, Request, SkillCommand, Violation};
use stepwright_world::transcript::Logs;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
enum ViewMode {
    #[default]
    Known,
    /// The recorded log by its steps and segments.
    Log,
    Contrast,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum Item {
    Note(String),
    Offer,
    Change(usize),
    Skill(usize),
    Primitive(usize, usize),
    Tip(Option<usize>, usize),
    /// A version of a skill's function.
    Function(usize, usize),
    Example(usize),
    Segment(usize),
    Step(usize),
    Pair(usize),
}

/// An offer that is open, with the changes it would make.
#[derive(Debug, Clone, Default)]
struct Offered {
    id: OfferId,
    title: String,
    problem: Option<String>,
    changes: Vec<Change>,
    left_out: BTreeSet<usize>,
}

/// A cut of the log shown that is offered, with what a person changed of it.
#[derive(Debug, Clone, Default)]
struct OfferedCut {
    id: OfferId,
    title: String,
    segments: Vec<Segment>,
}

#[derive(Debug, Default)]
struct Trail {
    logs: Option<Logs>,
    violations: Arc<Vec<Violation>>,
    /// The log shown, by its place; the one that is played back at first.
    at: usize,
    /// How it is cut: as offered where a cut is offered.
    segments: Vec<Segment>,
    offered: Option<OfferedCut>,
    /// The newest offer of a cut that was shown.
    newest: Option<OfferId>,
}

/// Pairs of a success and a failure among the logs, and the one that is shown.
#[derive(Debug, Default)]
struct Beside {
    pairs: Vec<(usize, usize)>,
    at: usize,
    contrast: Contrast,
}

#[derive(Debug, Default)]
pub(crate) struct SkillsPane {
    shown: ViewMode,
    outline: Outline,
    items: Vec<Item>,
    known: Knowledge,
    /// Where what is known is from, where it is none of the session's own yet.
    origin: Option<String>,
    offered: Option<Offered>,
    trail: Trail,
    beside: Beside,
    typing: Option<(Typing, Editor)>,
    fault: Option<String>,
    way: Way,
    /// Whether what finds skills in logs is a language model: without one they are counted through.
    asks_a_model: bool,
}

impl SkillsPane {
    fn current(&self) -> Option<&Item> {
        self.items.get(self.outline.list.cursor())
    }

    /// The intents that bring the knowledge's document to `known`.
    fn amend(&self, view: &View, known: &Knowledge) -> Vec<Intent> {
        amended(view, ArtifactId::KNOWLEDGE, document::write(known))
    }

    /// Takes in the session's knowledge and logs.
    fn load(&mut self, view: &View) {
        let (before, top) = (self.current().cloned(), self.outline.list.cursor() == 0);
        let offered_before = self.offered.as_ref().map(|offered| offered.id);
        self.asks_a_model = view.session.as_ref().is_some_and(|session| {
            let model = stepwright_episode::Role::Discoverer.model(&session.options).unwrap_or(&session.model);
            !model.starts_with(SYMBOLIC) && model != REFERENCE
        });
        let node = view.node();
        let document = node.and_then(|node| node.document(&ArtifactId::KNOWLEDGE));
        let offer = node.and_then(|node| node.open_offer(&ArtifactId::KNOWLEDGE));
        // Until the session has knowledge of its own, what its method works with; what is changed of that is a copy.
        let own = document.and_then(|document| document::read(document).ok());
        let given = view.situation.as_ref().filter(|_| own.is_none() && offer.is_none());
        let given = given.and_then(|situation| situation.skills.as_ref());
        self.origin = given.map(|(_, origin)| origin.clone());
        self.known = own.or_else(|| given.map(|(known, _)| Knowledge::clone(known))).unwrap_or_default();
        let left_out = self.offered.take().map(|offered| (offered.id, offered.changes, offered.left_out));
        self.offered = offer.map(|offer| {
            let (id, title, problem) = (offer.id, offer.written.title.clone(), offer.written.problem.clone());
            match left_out.filter(|(of, ..)| *of == id) {
                // What a person has done to it stays.
                Some((_, changes, left_out)) => Offered { id, title, problem, changes, left_out },
                None => {
                    let value = offer.written.value.as_deref();
                    let new = value.and_then(|value| document::read(value).ok()).unwrap_or_default();
                    let changes = changes::between(&self.known, &new);
                    Offered { id, title, problem, changes, left_out: BTreeSet::new() }
                }
            }
        });
        let (logs, violations) = view.logs.clone().unzip();
        let is_new = logs.as_ref().map(|logs| &logs.all) != self.trail.logs.as_ref().map(|logs| &logs.all);
        self.trail.violations = violations.unwrap_or_default();
        if is_new {
            self.beside.pairs = logs.as_ref().map(|logs| distil::pairs(&logs.all)).unwrap_or_default();
            // The first pair that the log shown is part of.
            let own = logs.as_ref().map(|logs| logs.at);
            self.beside.at =
                self.beside.pairs.iter().position(|(a, b)| Some(*a) == own || Some(*b) == own).unwrap_or(0);
        }
        if is_new {
            self.trail.at = logs.as_ref().map_or(0, |logs| logs.at);
        }
        self.trail.logs = logs;
        if is_new {
            self.set_beside();
        }
        self.load_cut(view);
        self.lay();
        // The cursor stays on what it is on where rows come and go above it; at the top it sees what is offered anew.
        let sees_offer = top && self.offered.as_ref().is_some_and(|offered| offered_before != Some(offered.id));
        let stays = |item: &Item| match item {
            Item::Segment(_) | Item::Step(_) => true,
            _ => self.shown == ViewMode::Known && !sees_offer,
        };
        let same = before.filter(stays);
        if let Some(row) = same.and_then(|item| self.items.iter().position(|one| *one == item)) {
            self.outline.list.go(row, self.items.len());
        }
    }

    /// What is said where nothing is known: what would be known, and by which keys.
    fn nothing(&self, view: &View) -> String {
        let keys = [PaneAction::Load, PaneAction::Add, PaneAction::EditWhole, PaneAction::Distil, PaneAction::Cycle];
        let [load, add, whole, distil, cycle] = keys.map(|action| view.key(action));
        let finds = if self.asks_a_model { "asks the model what it teaches" } else { "counts what it teaches" };
        let logs = match &self.trail.logs {
            Some(_) => format!("Of the log that is open {distil} {finds}; {cycle} shows it, to be cut into calls."),
            None => "A log opened with `stepwright open LOG` can be cut into calls of skills and compared with others of its \
                     task."
                .to_owned(),
        };
        format!(
            "Nothing is known of skills here. {load} reads a file of skills, {add} adds a tip, {whole} lets you write them all \
             as a text. {logs}"
        )
    }

    fn lay(&mut self) {
        self.items = match self.shown {
            ViewMode::Known => self.known_items(),
            ViewMode::Log => self.log_items(),
            ViewMode::Contrast => self.contrast_items(),
        };
        self.outline.list.grown(self.items.len());
    }

    fn row(&self, at: usize, width: usize, theme: &Theme) -> Row {
        match self.items.get(at) {
            Some(Item::Note(text)) => vec![run(Role::Dim, text)],
            Some(item @ (Item::Segment(_) | Item::Step(_))) => self.log_row(item, theme),
            Some(Item::Offer) if self.shown == ViewMode::Log => self.offered_cut_row(),
            Some(Item::Pair(at)) => self.pair_row(*at, width, theme),
            Some(item) => self.known_row(item, theme),
            None => Row::new(),
        }
    }

    fn next(&self) -> ViewMode {
        match (self.shown, &self.trail.logs) {
            (ViewMode::Known, Some(_)) => ViewMode::Log,
            (ViewMode::Log, _) if !self.beside.pairs.is_empty() => ViewMode::Contrast,
            _ => ViewMode::Known,
        }
    }

    fn cycle(&mut self) {
        self.shown = self.next();
        self.outline.list.go(0, 1);
        self.lay();
        if let (ViewMode::Contrast, Some(at)) = (self.shown, self.beside.contrast.marked()) {
            self.outline.list.go(at + 2, self.items.len());
        }
    }

    /// The ask that a key would send in this view.
    fn wanted(&self) -> Option<Wanted> {
        Some(match self.shown {
            ViewMode::Known => Wanted::Next,
            ViewMode::Log => Wanted::Cut { of: self.log()?.id.clone() },
            ViewMode::Contrast => {
                let (good, bad) = self.sides()?;
                Wanted::Tips { success: good.id.clone(), failure: bad.id.clone() }
            }
        })
    }

    fn detail(&self) -> Option<String> {
        match self.current()? {
            Item::Tip(skill, at) => self.tip(*skill, *at).cloned(),
            Item::Change(at) => match self.offered.as_ref()?.changes.get(*at)? {
                change @ Change::Function { after, .. } => {
                    let code = after.last().map(|version| version.code.as_str()).unwrap_or_default();
                    Some(format!("{change}\n{code}"))
                }
                change => Some(change.to_string()),
            },
            Item::Primitive(skill, at) => {
                let primitive = self.known.skills.get(*skill)?.primitives.get(*at)?;
                Some(format!("{}: {}", primitive.syntax, primitive.examples.join("; ")))
            }
            Item::Function(skill, at) => {
                let version = self.known.skills.get(*skill)?.function.get(*at)?;
                Some(format!("{}; {}\n{}", version.why, version.tried(), version.code))
            }
            Item::Example(at) => {
                let example = self.known.examples.get(*at)?;
                Some(example.of_base(hierarchy::style(&self.known)))
            }
            Item::Step(at) => self.step_detail(*at),
            Item::Segment(_) => self.fault(),
            Item::Pair(at) => self.pair_detail(*at),
            Item::Offer if self.shown == ViewMode::Log => self.fault(),
            Item::Offer => self.offered.as_ref()?.problem.clone(),
            Item::Skill(_) | Item::Note(_) => None,
        }
    }
}

fn fault_rows(fault: Option<&str>, theme: &Theme, width: usize) -> Vec<Row> {
    fault.map_or_else(Vec::new, |why| words::labelled(&format!("{} ", theme.glyphs.no), Role::Bad, why, width))
}

fn say(text: impl Into<String>) -> Vec<Intent> {
    vec![Intent::Say(Level::Warning, text.into())]
}

/// The intents that lead a document of the session to another.
fn amended(view: &View, artifact: ArtifactId, to: serde_json::Value) -> Vec<Intent> {
    let is_same = view.node().and_then(|node| node.document(&artifact)).is_some_and(|before| **before == to);
    let change = Request::Change { artifact, edit: Edit::Value(to) };
    if is_same { Vec::new() } else { vec![Intent::Send(Command::Gate(change))] }
}

impl Pane for SkillsPane {
    fn id(&self) -> PaneId {
        PaneId::Skills
    }

    fn title(&self, _view: &View) -> String {
        let way = if self.way == Way::default() { String::new() } else { format!(" · {}", self.way.about()) };
        let title = match self.shown {
            ViewMode::Known if self.offered.is_some() => "Skills: changes offered".to_owned(),
            ViewMode::Known => match &self.origin {
                Some(origin) => format!("Skills in use, {origin}"),
                None => "Skills".to_owned(),
            },
            ViewMode::Log => match self.trail.logs.as_ref().map_or(0, |logs| logs.all.len()) {
                0 | 1 => "Skills: the log".to_owned(),
                all => format!("Skills: log {} of {all}", self.trail.at + 1),
            },
            ViewMode::Contrast => format!("Skills: pair {} of {}", self.beside.at + 1, self.beside.pairs.len()),
        };
        title + &way
    }

    fn update(&mut self, view: &View) -> Vec<Intent> {
        if view.session.is_some() {
            self.load(view);
        } else {
            *self = SkillsPane::default();
        }
        Vec::new()
    }

    fn outline(&self) -> &Outline {
        &self.outline
    }

    fn outline_mut(&mut self) -> &mut Outline {
        &mut self.outline
    }

    fn len(&self, _view: &View) -> usize {
        self.items.len()
    }

    fn row_text(&self, row: usize, _view: &View) -> String {
        let theme = Theme::monochrome(UNICODE);
        self.row(row, 400, &theme).iter().map(|run| run.text.as_str()).collect()
    }

    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect) {
        let area = self.outline.find.draw(painter, area);
        if let Some((typing @ (Typing::Whole | Typing::Function(..)), editor)) = &mut self.typing {
            let (head, text) = split_top(area, 1);
            painter.rule(head, 0, &typing.about());
            let fault = fault_rows(self.fault.as_deref(), painter.theme, usize::from(text.width));
            let (text, below) = split_bottom(text, (fault.len() as u16).min(text.height / 3));
            painter.rows(below, &fault);
            return editor.draw(painter, text);
        }
        if self.items.is_empty() && self.typing.is_none() {
            let nothing = self.nothing(view);
            return painter.empty(area, if view.session.is_none() { words::NO_SESSION } else { &nothing });
        }
        let fault =
            fault_rows(self.fault.as_deref().filter(|_| self.typing.is_some()), painter.theme, usize::from(area.width));
        let typed = if self.typing.is_some() { 2 + fault.len() as u16 } else { 0 };
        let (area, line) = split_bottom(area, typed.min(area.height / 2));
        if let Some((typing, editor)) = &mut self.typing {
            painter.rule(line, 0, &typing.about());
            let (text, below) = split_top(split_top(line, 1).1, 1);
            editor.draw(painter, text);
            painter.rows(below, &fault);
        }
        let detail = self.detail().filter(|_| area.height >= 8);
        let (list, below) = split_bottom(area, if detail.is_some() { 4 } else { 0 });
        let mut outline = std::mem::take(&mut self.outline);
        let theme = painter.theme;
        outline.draw(painter, list, self.items.len(), |at, width| self.row(at, width, theme));
        self.outline = outline;
        if let Some(detail) = detail {
            let words = |width| words::labelled("", Role::Text, &detail, width);
            self.outline.words.draw(painter, below, ("in full", &detail), view, words);
        } else {
            self.outline.words.hide();
        }
    }

    fn documents(&self, _view: &View) -> Vec<ArtifactId> {
        let log = self.log().filter(|_| self.shown == ViewMode::Log);
        vec![log.map_or(ArtifactId::KNOWLEDGE, |log| ArtifactId::segments(&log.id))]
    }

    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let mut actions = self.offers();
        if self.next() != self.shown {
            actions.push((PaneAction::Cycle, "next view"));
        }
        actions.push((PaneAction::EditWhole, "edit as text"));
        actions.extend(self.turns(view));
        actions.extend([(PaneAction::Save, "save"), (PaneAction::Load, "load")]);
        actions.extend((!self.items.is_empty()).then_some((PaneAction::Copy, "copy")));
        actions.extend(self.outline.actions());
        actions
    }

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        match action {
            PaneAction::Cycle => self.cycle(),
            PaneAction::Copy => {
                let row = self.outline.list.cursor();
                return vec![Intent::Copy(self.detail().unwrap_or_else(|| self.row_text(row, view)))];
            }
            PaneAction::Options => {
                self.way = self.way.next();
                return vec![Intent::Say(Level::Info, format!("logs are distilled into {}", self.way.about()))];
            }
            PaneAction::RunAll => return vec![Intent::Send(Command::Skills(SkillCommand::Discover(self.way)))],
            PaneAction::Distil => {
                let propose = |wanted| Intent::Send(Command::Skills(SkillCommand::Propose(wanted, self.way)));
                return self.wanted().map(propose).into_iter().collect();
            }
            _ => match self.change(action, view) {
                Some(intents) => return intents,
                None => return self.browse(action, view),
            },
        }
        Vec::new()
    }

    fn missing(&self, action: PaneAction, view: &View) -> Option<String> {
        view.session.as_ref()?;
        match (action, self.current()) {
            (PaneAction::Cycle, _) => Some("there is one view until a log is open: `stepwright open LOG`".to_owned()),
            (PaneAction::ToggleReject, Some(Item::Note(_) | Item::Step(_) | Item::Pair(_))) => {
                Some("nothing of this row can be removed; go to another".to_owned())
            }
            _ => None,
        }
    }

    fn is_editing(&self) -> bool {
        self.typing.is_some()
    }

    fn accept_key(&self) -> &'static str {
        if matches!(self.typing, Some((Typing::Whole | Typing::Function(..), _))) { "Ctrl-S" } else { "Enter" }
    }

    fn edit(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        self.typed(input, view)
    }
}

#[cfg(test)]
mod tests {
    use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
    use stepwright_episode::{Actor, Event, FORMAT_VERSION, Header, Record, StepOutcome};
    use stepwright_protocol::{Notice, Situation};
    use stepwright_skill::Skill;

    use super::*;

    #[test]
    fn the_next_view_is_offered_where_there_is_one() {
        let (view, mut pane) = (View::default(), SkillsPane::default());
        let offers = |pane: &SkillsPane| pane.actions(&view).iter().any(|(action, _)| *action == PaneAction::Cycle);
        assert!(!offers(&pane));
        let (view, of_skills, _) = on_the_second();
        let why = of_skills.missing(PaneAction::Cycle, &view);
        assert!(why.is_some_and(|why| why.contains("until a log is open")));
        pane.shown = ViewMode::Log;
        assert!(offers(&pane));
    }

    /// The cursor on the second of two skills that the method works with.
    fn on_the_second() -> (View, SkillsPane, Knowledge) {
        let skill = |text: &str| Skill { signature: text.parse().unwrap(), ..Skill::default() };
        let known = Knowledge { skills: vec![skill("take(thing)"), skill("search(place)")], ..Knowledge::default() };
        let mut view = View::default();
        view.notice(Notice::opened(Header { version: FORMAT_VERSION, ..Header::default() }, Vec::new(), None).unwrap());
        recorded(&mut view, 1, Event::Started { outcome: StepOutcome::default().into() });
        let skills = Some((Arc::new(known.clone()), "shipped".to_owned()));
        view.notice(Notice::Situation(Arc::new(Situation { skills, ..Situation::default() })));
        let mut pane = SkillsPane::default();
        pane.update(&view);
        assert!(matches!(pane.items.as_slice(), [Item::Note(_), Item::Skill(0), Item::Skill(1)]), "{:?}", pane.items);
        pane.outline.list.go(2, 3);
        (view, pane, known)
    }

    fn recorded(view: &mut View, id: u64, event: Event) {
        view.notice(Notice::Recorded(Arc::new(Record { id, ts: id, node: 0, event })));
        assert_eq!(view.message, None, "the record fits");
    }

    #[test]
    fn the_cursor_stays_on_its_skill_when_the_first_change_takes_the_row_above_away() {
        let (mut view, mut pane, mut known) = on_the_second();
        known.tips.push("my tip".to_owned());
        let (artifact, patch) = (ArtifactId::KNOWLEDGE, stepwright_episode::replacing(&document::write(&known)));
        let (patch, by, why) = (patch.into(), Actor::Person, String::new());
        recorded(&mut view, 2, Event::ArtifactSettled { artifact, offer: None, patch, by, edited: true, why });
        pane.update(&view);
        assert_eq!((pane.outline.list.cursor(), pane.current()), (1, Some(&Item::Skill(1))));
        recorded(&mut view, 3, Event::ArtifactUndone { artifact: ArtifactId::KNOWLEDGE });
        pane.update(&view);
        assert_eq!((pane.outline.list.cursor(), pane.current()), (2, Some(&Item::Skill(1))));
    }

    #[test]
    fn what_is_wrong_with_a_text_is_said_below_it_and_goes_with_it() {
        let (mut view, mut pane, _) = on_the_second();
        pane.act(PaneAction::Add, &view);
        let press = |code| Input::Key(KeyEvent::new(code, KeyModifiers::NONE));
        assert!(pane.edit(press(KeyCode::Enter), &view).is_empty(), "nothing was typed");
        assert!(pane.fault.as_ref().is_some_and(|why| why.starts_with("type something")), "{:?}", pane.fault);
        view.message = Some((Level::Error, "refused".to_owned()));
        let said = pane.edit(press(KeyCode::Esc), &view);
        assert_eq!((pane.is_editing(), pane.fault.as_ref()), (false, None));
        assert!(matches!(said.as_slice(), [Intent::Say(_, words)] if words.is_empty()));
    }
}
