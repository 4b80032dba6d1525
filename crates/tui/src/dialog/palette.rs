//! Command palette: every action by name, by other words for it and by what it does; what cannot be done now is shown with its reason.

use crossterm::event::MouseEvent;
use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply};
use crate::actions::{ACTIONS, ActionId, ActionSpec};
use crate::event::Input;
use crate::theme::Role;
use crate::widgets::draw::{Painter, Row, run, split_bottom, split_top};
use crate::widgets::edit::{Edited, Editor};
use crate::widgets::list::{ListState, words_cut};
use crate::{fuzzy, sanitize};

const NAME: usize = 20;
/// Rows below the list for what the marked action does, and the height from which on they are kept for it.
const FOOT: u16 = 2;
const ROOMY: u16 = 10;

/// Why an action cannot be done now; `None` if it can.
pub(crate) type Disabled = Option<&'static str>;

/// Other words for actions, by their names in `[keys]`.
const SYNONYMS: [(&str, &str); 34] = [
    ("approve", "accept take yes execute"),
    ("edit", "change rewrite correct"),
    ("reject", "refuse decline no deny"),
    ("samples", "more again retry completions"),
    ("manual", "own write custom"),
    ("policy", "automatic auto autopilot continue"),
    ("breakpoints", "pause halt watch"),
    ("cancel", "abort interrupt escape"),
    ("propose", "ask again retry regenerate"),
    ("undo", "back previous step revert"),
    ("redo", "forward next step"),
    ("tree", "history timeline steps jump branches"),
    ("note", "comment remark annotate"),
    ("restart-world", "reload adapter process"),
    ("configure", "llm options settings provider"),
    ("help", "keys glossary manual shortcuts"),
    ("layout-stepping", "arrange panes default"),
    ("layout-assertions", "arrange panes preconditions"),
    ("layout-review", "arrange panes presentation"),
    ("present", "slides talk show demo autoplay play timeline presentation"),
    ("compare-branches", "diff side by side columns difference"),
    ("blind", "hide spoiler future gold answer dry run truth"),
    ("zoom", "maximize fullscreen enlarge"),
    ("theme", "colours colors dark light blind"),
    ("start-screen", "new open home sessions menu"),
    ("export", "save html cast json report share"),
    ("message", "error last status"),
    ("quit", "exit leave close"),
    ("focus-state", "json variables world belief map"),
    ("focus-program", "trajectory code calls"),
    ("focus-preconditions", "assertions candidates"),
    ("focus-log", "events records"),
    ("focus-model", "prompt answer tokens request"),
    ("focus-blocking", "tree conditions resolutions"),
];

pub fn other(action: &ActionSpec) -> &'static str {
    SYNONYMS.iter().find(|(name, _)| *name == action.name).map_or("", |(_, words)| words)
}

pub(crate) struct Palette {
    field: Editor,
    list: ListState,
    /// The actions offered, each with the reason why it cannot be done now.
    rows: Vec<(&'static ActionSpec, Disabled)>,
    /// Indices into `rows`, best first.
    found: Vec<usize>,
}

impl Palette {
    /// A palette over all actions that `disabled` knows; actions of panes are listed while their pane is focused.
    pub fn new(disabled: impl Fn(ActionId) -> Disabled, pane: &[(ActionId, &'static str)]) -> Self {
        let offered = |s: &&'static ActionSpec| s.palette || pane.iter().any(|(id, _)| *id == s.id);
        let rows: Vec<_> = ACTIONS.iter().filter(offered).map(|s| (s, disabled(s.id))).collect();
        let mut palette = Palette { field: Editor::field(""), list: ListState::default(), rows, found: Vec::new() };
        palette.search();
        palette
    }

    /// The field, the list and the words on its marked row.
    fn parts(area: Rect) -> [Rect; 3] {
        let (field, rest) = split_top(area, 1);
        let (list, foot) = split_bottom(split_top(rest, 1).1, if area.height < ROOMY { 0 } else { FOOT });
        [field, list, foot]
    }

    fn search(&mut self) {
        // A name that matches comes before a description that does.
        let query = self.field.text().trim().to_lowercase();
        self.found = fuzzy::rank(&query, self.rows.iter().map(|(s, _)| s.label));
        let by_name = fuzzy::rank(&query, self.rows.iter().map(|(s, _)| s.name.as_str()));
        // Of other words whole beginnings count: letters scattered over them would fit anything.
        let begins = |s: &ActionSpec| {
            let all = format!("{} {} {}", s.label, other(s), s.about).to_lowercase();
            let said = |typed: &str| all.split(|c: char| !c.is_alphanumeric()).any(|word| word.starts_with(typed));
            match query.contains(' ') {
                true => query.split_whitespace().all(said),
                false => other(s).split_whitespace().any(|word| word.starts_with(&query)),
            }
        };
        let by_synonym = self.rows.iter().enumerate().filter(|(_, (s, _))| begins(s)).map(|(at, _)| at);
        let by_about = fuzzy::rank(&query, self.rows.iter().map(|(s, _)| s.about.as_str()));
        for row in by_synonym.chain(by_name).chain(by_about) {
            if !self.found.contains(&row) {
                self.found.push(row);
            }
        }
        // What can be done now comes first.
        self.found.sort_by_key(|i| self.rows.get(*i).is_some_and(|(_, disabled)| disabled.is_some()));
        self.list = ListState::default();
    }
}

impl Dialog for Palette {
    fn info(&self) -> Info {
        Info {
            title: "Commands".into(),
            hints: vec![(ActionId::Accept, "do it"), (ActionId::ItemDown, "next"), (ActionId::Close, "close")],
            size: (90, 20),
            ..Info::default()
        }
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let [field, list, foot] = Palette::parts(area);
        self.field.draw_field(painter, field, true);
        let (rows, found, ellipsis) = (&self.rows, &self.found, painter.theme.glyphs.ellipsis);
        let drawn = |row: usize| -> Row {
            let Some((spec, disabled)) = found.get(row).and_then(|at| rows.get(*at)) else { return Row::new() };
            let keys = context.keymap.hint(spec.id).unwrap_or_default();
            let (text, [key, name, about]) = match disabled {
                None => (spec.about.clone(), [Role::Key, Role::Title, Role::Text]),
                Some(why) => (format!("{} ({why})", spec.about), [Role::Dim; 3]),
            };
            vec![
                run(key, format!("{keys:<10}")),
                run(name, format!("{:<NAME$}", sanitize::fit(spec.label, NAME - 2, ellipsis))),
                run(about, text),
            ]
        };
        if found.is_empty() {
            let help = context.keymap.hint(ActionId::Help).unwrap_or_default();
            let text = format!("No command fits. {help} lists every key and what it does.");
            return painter.row(list, 0, &[run(Role::Dim, text)]);
        }
        self.list.draw(painter, list, true, found.len(), |row, _| drawn(row));
        painter.rows(foot, &words_cut(&drawn(self.list.cursor()), usize::from(foot.width)));
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        if action != ActionId::Accept {
            self.list.act(action, self.found.len());
            return Vec::new();
        }
        let chosen = self.found.get(self.list.cursor()).and_then(|r| self.rows.get(*r));
        // Doing what is disabled says why in the message line.
        chosen.map(|(spec, _)| vec![Reply::Close, Reply::Do(spec.id)]).unwrap_or_default()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if self.field.input(input) == Edited::Changed {
            self.search();
        }
        Vec::new()
    }

    fn mouse(&mut self, event: MouseEvent, area: Rect, context: Context<'_>) -> Vec<Reply> {
        match self.list.mouse(event, Palette::parts(area)[1], self.found.len()) {
            Some(_) => self.act(ActionId::Accept, context),
            None => Vec::new(),
        }
    }
}
