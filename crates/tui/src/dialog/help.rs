//! Help: what the focused pane does, then every action with its keys, then a glossary; searched by what is typed after `/`. Made from
//! the action table.

use ratatui::layout::Rect;

use super::{Context, Dialog, Info, Reply, key_row, palette};
use crate::actions::{self, ActionId, spec};
use crate::event::Input;
use crate::keymap::{Chord, Keymap};
use crate::pane::PaneAction;
use crate::theme::{Glyphs, Role, Theme};
use crate::widgets::draw::{Painter, Row, run, split_top};
use crate::widgets::edit::{Edited, Editor};
use crate::widgets::words;
use crate::widgets::wrap::wrapped;

const ABOUT: &str = "Each step waits at the gate: proposals with the verdicts of their preconditions. You approve, edit, \
                     refuse or type one; only then does it happen. Every step can be undone; another decision at an \
                     earlier one begins a branch. What was rejected stays so, and can be typed. Shared keys go to the \
                     focused pane first; in Proposals they decide.";

const KEPT: &str = "Hold Shift to select text with the mouse. The session is saved after each record; there is nothing to \
                    save by hand.";

/// What the program does, with the key that approves whatever pane has the keys, if there is one: those that panes have too decide in
/// Proposals alone.
fn about(keymap: &Keymap) -> String {
    let free = |key: &&Chord| keymap.lookup(actions::Context::Pane, **key).is_none();
    let approves = keymap.keys(ActionId::Approve).iter().find(free);
    let approves = approves.map(|key| format!("`{key}` approves from every pane. ")).unwrap_or_default();
    format!("{ABOUT} {approves}{KEPT}")
}

const GLOSSARY: [(&str, &str); 15] = [
    ("trajectory", "the actions and observations so far; Program shows it as Python"),
    ("proposal", "an action offered at this step, by a model, the built-in proposer or you"),
    ("verdict", "what checking a proposal said: it passes, fails, cannot be decided, or nothing was checked"),
    ("precondition", "what must hold so that an action may be taken, written as an assertion in the action's function"),
    ("assertion", "a Python expression that is evaluated before a call, as `self.is_visible(obj)`"),
    ("candidate", "an assertion that may be a precondition: inferred or typed, validated, adopted by you"),
    (
        "demonstration",
        "a recorded episode taken as right; a candidate is valid if executing all of them raises nothing",
    ),
    ("instance", "a step of a demonstration with arguments of the action: one case in which an assertion holds or not"),
    ("|C|", "at how many instances a candidate holds; the smaller, the more it forbids"),
    ("Equation (1)", "suggests the valid candidates that no other valid one is stronger than, as in the paper"),
    ("evidence rule", "first holds back what the calls do not tell from coincidence, then applies Equation (1)"),
    ("admissible action", "one that the world itself would accept now"),
    ("blocking condition", "what keeps an action from working now; a resolution is an action that may make it false"),
    ("branch", "a way on from an earlier step where something else was decided; the others stay"),
    ("belief", "the state as a model keeps it in words; it may be wrong, and you may correct it"),
];

/// The statuses of candidate preconditions, as the Preconditions pane names them.
const STATUSES: [(&str, &str); 11] = [
    ("in force", "checked at every step from now on; what is adopted (A) is in force"),
    ("suggested", "the best by the ranking that is named above the list; adopted unless you mark others"),
    ("equivalent", "holds at exactly the instances of a suggested one"),
    ("implied", "valid, but a stronger valid candidate implies it"),
    ("left alone", "an effect: no demonstrated call changes the variable; it can be marked and adopted"),
    ("held back", "valid, but the calls are too few to tell it from coincidence; it can be marked and adopted"),
    ("always", "holds at every instance of the demonstrations, so it forbids nothing there"),
    ("fails", "a demonstration made a call that it would have forbidden"),
    ("malformed", "no assertion: it does not parse, uses a forbidden name, or could not be read from a completion"),
    ("unknown", "the engine cannot decide: something it does not offer, or its budget ran out"),
    ("deleted", "out of the ranking by a person's hand; the same key restores it"),
];

const KEYS: usize = 20;

struct Group {
    title: String,
    entries: Vec<Entry>,
}

struct Entry {
    word: String,
    about: String,
    /// Other words that find it: an action's name, its word in the footer, its synonyms.
    also: String,
}

impl Entry {
    fn new(word: impl Into<String>, about: impl Into<String>) -> Self {
        Entry { word: word.into(), about: about.into(), also: String::new() }
    }

    fn of(id: ActionId, keys: String, about: String) -> Self {
        let also = spec(id).map(|spec| format!("{} {} {}", spec.name, spec.label, palette::other(spec)));
        Entry { also: also.unwrap_or_default(), ..Entry::new(keys, about) }
    }

    fn has(&self, query: &str) -> bool {
        [&self.word, &self.about, &self.also].into_iter().any(|text| text.to_lowercase().contains(query))
    }
}

/// The marks, with their meaning for a proposal, a call or a candidate.
fn marks(glyphs: &Glyphs) -> Vec<Entry> {
    [
        (glyphs.yes, "holds: every check made passes; with no precondition in force that is the world's dry run alone"),
        (glyphs.no, "fails: at least one check does"),
        (glyphs.unknown, "cannot be decided"),
        (glyphs.unchecked, "not checked"),
        (glyphs.candidate, "blocked: it can be chosen, but would execute nothing"),
        (glyphs.star, "recommended by the method; of candidates: suggested"),
        (glyphs.here, "chosen, or where the session is"),
        (glyphs.dot, "pruned or dropped; of candidates: holds always"),
        ("+", "in Program and among branches: assertions were put in force at that step"),
        ("~", "there: its action was edited or typed by a person"),
        ("\"", "there: a remark was made at it"),
    ]
    .map(|(glyph, about)| Entry::new(glyph, about))
    .into()
}

pub struct Help {
    pane: Option<(String, Vec<(ActionId, &'static str)>)>,
    top: usize,
    rows: usize,
    query: Editor,
    typing: bool,
}

impl Help {
    /// The help; the focused pane's actions, each with its word, come first.
    pub fn new(pane: Option<(String, Vec<(ActionId, &'static str)>)>) -> Self {
        Help { pane, top: 0, rows: 0, query: Editor::field(""), typing: false }
    }

    fn groups(&self, keymap: &Keymap, theme: &Theme) -> Vec<Group> {
        let keys = |id: ActionId| {
            let keys: Vec<String> = keymap.keys(id).iter().map(ToString::to_string).collect();
            if keys.is_empty() { "no key".to_owned() } else { keys.join(" ") }
        };
        let said = |list: &[(&str, &str)]| list.iter().map(|(word, about)| Entry::new(*word, *about)).collect();
        let mut groups = Vec::new();
        if let Some((title, actions)) = &self.pane {
            let about = |id: ActionId, word: &str| match spec(id) {
                Some(spec) if spec.label == word => spec.about.clone(),
                // What these do is the pane's own.
                Some(_) if is_general(id) => word.to_owned(),
                Some(spec) => format!("{word}: {}", spec.about),
                None => word.to_owned(),
            };
            let shown = actions.iter().filter(|(id, _)| numbered(*id).is_none());
            let entries = shown.map(|(id, word)| Entry::of(*id, keys(*id), about(*id, word))).collect();
            groups.push(Group { title: format!("In {title}, now"), entries });
        }
        for (title, rows) in actions::groups() {
            let entries = rows.iter().filter_map(|spec| match numbered(spec.id) {
                Some((1, last, about)) => Some(Entry::new(format!("1 to {last}"), about)),
                Some(_) => None,
                None => Some(Entry::of(spec.id, keys(spec.id), spec.about.clone())),
            });
            groups.push(Group { title: title.to_owned(), entries: entries.collect() });
        }
        groups.push(Group { title: "Marks".to_owned(), entries: marks(&theme.glyphs) });
        groups.push(Group { title: "Glossary".to_owned(), entries: said(&GLOSSARY) });
        groups.push(Group { title: "Statuses of candidate preconditions".to_owned(), entries: said(&STATUSES) });
        groups
    }

    fn lines(&self, keymap: &Keymap, theme: &Theme, width: usize) -> Vec<Row> {
        let query = self.query.text().trim().to_lowercase();
        let mut out =
            if query.is_empty() { words::labelled("", Role::Text, &about(keymap), width) } else { Vec::new() };
        let fits = |entry: &Entry| query.is_empty() || entry.has(&query);
        for Group { title, entries } in self.groups(keymap, theme) {
            let mut entries = entries.into_iter().filter(fits).peekable();
            if entries.peek().is_none() {
                continue;
            }
            if !out.is_empty() {
                out.push(Row::new());
            }
            out.push(vec![run(Role::Title, title)]);
            for Entry { word, about, .. } in entries {
                let room = width.saturating_sub(KEYS + 3).max(8);
                for (i, text) in wrapped(&about, room).into_iter().enumerate() {
                    let word = if i == 0 { word.as_str() } else { "" };
                    out.push(vec![run(Role::Key, format!("  {word:<KEYS$} ")), run(Role::Text, text)]);
                }
            }
        }
        if out.is_empty() {
            out.push(vec![run(Role::Dim, "Nothing here has these letters.")]);
        }
        out
    }
}

fn is_general(id: ActionId) -> bool {
    matches!(id, ActionId::Pane(PaneAction::ToggleFold | PaneAction::ToggleReject | PaneAction::Activate))
}

/// Of an action that is one of several that differ by a number: its number, the last one, and what they do. They are one line.
pub(crate) fn numbered(id: ActionId) -> Option<(u8, usize, &'static str)> {
    match id {
        ActionId::Choose(n) => Some((n, 9, "Choose the proposal of that number")),
        ActionId::Example(n) => Some((n, actions::EXAMPLE_KEYS, "Open the example session of that number")),
        _ => None,
    }
}

impl Dialog for Help {
    fn info(&self) -> Info {
        Info {
            title: "Help".into(),
            hints: vec![(ActionId::ItemDown, "scroll"), (ActionId::ItemPageDown, "page"), (ActionId::Close, "close")],
            size: (116, 60),
            captures_text: self.typing,
            keys: Some(actions::Context::HelpPage),
            opener: Some(ActionId::Help),
        }
    }

    fn leave_part(&mut self) -> bool {
        let searched = self.typing || !self.query.text().is_empty();
        self.typing = false;
        self.query.set("");
        searched
    }

    fn draw(&mut self, context: Context<'_>, painter: &mut Painter<'_>, area: Rect) {
        let (head, area) = split_top(area, 1);
        if self.typing || !self.query.text().is_empty() {
            self.query.draw_field(painter, head, self.typing);
        } else {
            let words = [(&[ActionId::SearchHelp][..], "searches in keys, commands and the glossary")];
            painter.row(head, 0, &[run(Role::Dim, key_row(context.keymap, &words))]);
        }
        // The last column is the scroll bar's.
        let lines = self.lines(context.keymap, painter.theme, usize::from(area.width).saturating_sub(2));
        self.rows = usize::from(area.height);
        self.top = self.top.min(lines.len().saturating_sub(self.rows));
        for (line, row) in lines.iter().skip(self.top).take(self.rows).enumerate() {
            painter.row(area, line, row);
        }
        painter.scrollbar(area, self.top, lines.len());
    }

    fn act(&mut self, action: ActionId, _: Context<'_>) -> Vec<Reply> {
        let page = self.rows.saturating_sub(1).max(1);
        match action {
            ActionId::ItemUp => self.top = self.top.saturating_sub(1),
            ActionId::ItemDown => self.top += 1,
            ActionId::ItemPageUp => self.top = self.top.saturating_sub(page),
            ActionId::ItemPageDown | ActionId::Complete => self.top += page,
            ActionId::ItemTop => self.top = 0,
            // Drawing keeps it inside.
            ActionId::ItemBottom => self.top = usize::MAX / 2,
            ActionId::SearchHelp => self.typing = true,
            ActionId::Accept if self.typing => self.typing = false,
            ActionId::Accept => return vec![Reply::Close],
            _ => {}
        }
        Vec::new()
    }

    fn input(&mut self, input: Input<'_>, _: Context<'_>) -> Vec<Reply> {
        if self.typing && self.query.input(input) == Edited::Changed {
            self.top = 0;
        }
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::keymap::UserKeys;

    #[test]
    fn the_key_that_approves_everywhere_is_the_one_in_the_keymap() {
        let with = |key: &str| {
            let user = UserKeys { action: "approve".into(), keys: vec![key.into()], place: String::new() };
            about(&Keymap::with_user(&[user]).unwrap().0)
        };
        assert!(about(&Keymap::default()).contains("decide. `a` approves from every pane. Hold Shift"));
        assert!(with("ctrl-y").contains("`Ctrl-Y` approves from every pane"));
        // A key of a pane.
        assert!(!with("ctrl-a").contains("approves from every pane"));
    }
}
