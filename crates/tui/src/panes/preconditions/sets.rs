//! Comparison of two sets of assertions side by side: for each action what both have, what one has and the other implies or lacks, and
//! the score of Equation (2).

use std::sync::Arc;

use crate::pane::PaneAction;
use crate::theme::{Glyphs, Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words;
use stepwright_episode::action_of_effects;
use stepwright_precondition::{ActionComparison, AdoptedSet, Counterpart, Occasion, SetComparison, SideBySide};
use stepwright_text::Columns;

const TWO_COLUMNS: usize = 100;
const SHORT: usize = 24;
/// Columns of the word between or behind the sides.
const WORD: usize = 12;

/// A row: an action's heading, or one of its assertions.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Line {
    Action(usize),
    Assertion(usize, usize),
}

#[derive(Debug)]
pub(super) struct SetsPage {
    sets: Arc<SetComparison>,
    right: Arc<AdoptedSet>,
    lines: Vec<Line>,
}

impl SetsPage {
    pub(super) fn new(sets: Arc<SetComparison>, right: Arc<AdoptedSet>) -> Self {
        let mut lines = Vec::new();
        for (at, action) in sets.actions.iter().enumerate() {
            lines.push(Line::Action(at));
            lines.extend((0..action.rows.len()).map(|row| Line::Assertion(at, row)));
        }
        SetsPage { sets, right, lines }
    }

    pub(super) fn sets(&self) -> &SetComparison {
        &self.sets
    }

    pub(super) fn right_name(&self) -> &str {
        &self.sets.right
    }

    pub(super) fn right(&self) -> &AdoptedSet {
        &self.right
    }

    pub(super) fn len(&self) -> usize {
        self.lines.len()
    }

    /// The row of an action's heading.
    pub(super) fn row_of(&self, action: &str) -> Option<usize> {
        (0..self.len()).find(|row| self.action(*row).is_some_and(|own| own.action == action))
    }

    fn action(&self, row: usize) -> Option<&ActionComparison> {
        let (Line::Action(at) | Line::Assertion(at, _)) = self.lines.get(row)?;
        self.sets.actions.get(*at)
    }

    fn assertion(&self, row: usize) -> Option<&SideBySide> {
        match self.lines.get(row)? {
            Line::Assertion(at, row) => self.sets.actions.get(*at)?.rows.get(*row),
            Line::Action(_) => None,
        }
    }

    /// The action under the cursor, a step where the two sets differ on it, and all assertions of both.
    pub(super) fn difference_at(&self, row: usize) -> Option<(String, Occasion, Vec<String>)> {
        let action = self.action(row)?;
        let (place, _) = action.difference.clone()?;
        let mut texts: Vec<String> = Vec::new();
        for text in action.rows.iter().flat_map(|r| r.left.iter().chain(&r.right)) {
            if !texts.contains(text) {
                texts.push(text.clone());
            }
        }
        Some((action.action.clone(), place, texts))
    }

    /// The first action on which the two sets differ at a step of the demonstrations.
    pub(super) fn first_that_differs(&self) -> Option<&str> {
        self.sets.actions.iter().find(|a| a.difference.is_some()).map(|a| a.action.as_str())
    }

    pub(super) fn text(&self, row: usize) -> String {
        match (self.assertion(row), self.action(row)) {
            (Some(pair), _) => pair.left.as_ref().or(pair.right.as_ref()).cloned().unwrap_or_default(),
            (None, Some(action)) => action.action.clone(),
            (None, None) => String::new(),
        }
    }

    pub(super) fn head(&self, view: &View, width: usize) -> Vec<Row> {
        let key = |action: PaneAction| view.key(action);
        let names = vec![
            run(Role::Key, format!("{} ", key(PaneAction::Compare))),
            run(Role::Dim, "left: "),
            run(Role::Removed, &self.sets.left),
            run(Role::Key, format!("   {} ", key(PaneAction::Right))),
            run(Role::Dim, "right: "),
            run(Role::Added, &self.sets.right),
        ];
        let scored = self.sets.actions.iter().filter(|a| a.score.is_ok()).count();
        let score = match &self.sets.score {
            Some(score) => {
                let actions = words::count(scored, "action");
                format!("Equation (2), left against right, over {actions}: {}", score.in_words())
            }
            // Of each action it is said why; where that is the same of all, once.
            None => {
                let mut why = self.sets.actions.iter().filter_map(|a| a.score.as_ref().err());
                match why.next() {
                    Some(first) if why.all(|other| other == first) => format!("nothing is scored: {first}"),
                    _ => "nothing is scored: the demonstrations call no action of the two".to_owned(),
                }
            }
        };
        let mut rows = vec![names];
        rows.extend(words::labelled("", Role::Dim, &score, width));
        rows
    }

    pub(super) fn row(&self, row: usize, theme: &Theme, width: usize) -> Row {
        if let Some(pair) = self.assertion(row) {
            return if width >= TWO_COLUMNS { columns(pair, theme, width) } else { line(pair, theme, width) };
        }
        let Some(action) = self.action(row) else { return Row::new() };
        let head = format!("{}({})", action.action, action.params.join(", "));
        let score = match &action.score {
            Ok(score) if score.f1 == 1.0 => "permit the same".to_owned(),
            Ok(score) => score.in_words(),
            Err(why) if why.len() <= SHORT => why.clone(),
            Err(_) => "cannot be decided".to_owned(),
        };
        let pad = width.saturating_sub(head.width() + score.width()).max(1);
        vec![run(Role::Title, head), run(Role::Dim, " ".repeat(pad)), run(Role::Dim, score)]
    }

    /// The row under the cursor in full, and where the two differ.
    pub(super) fn detail(&self, row: usize, view: &View, width: usize) -> Vec<Row> {
        let Some(action) = self.action(row) else { return Vec::new() };
        let mut rows = Vec::new();
        let effects = action_of_effects(&action.action).is_some();
        if let Some(pair) = self.assertion(row) {
            for (name, text) in [(&self.sets.left, &pair.left), (&self.sets.right, &pair.right)] {
                if let Some(text) = text {
                    rows.extend(words::labelled(&format!("{name}: "), Role::Text, text, width));
                }
            }
            rows.extend(words::labelled("", Role::Dim, &self.relation(pair, effects), width));
        }
        match (&action.score, &action.difference) {
            (Err(_), _) if effects => {}
            (Err(why), _) => rows.extend(words::labelled("", Role::Warn, why, width)),
            (Ok(_), None) => {
                let words = format!("both sets permit {} at the same steps of the demonstrations", action.action);
                rows.extend(words::labelled("", Role::Good, &words, width));
            }
            (Ok(_), Some((place, left))) => {
                let one = if *left { &self.sets.left } else { &self.sets.right };
                let open = view.key(PaneAction::Activate);
                let applied = place.application(&action.action);
                let words = format!("only `{one}` permits {applied} in {}; {open} shows the step", place.in_words());
                rows.extend(words::labelled("", Role::Text, &words, width));
            }
        }
        rows
    }

    fn relation(&self, pair: &SideBySide, effects: bool) -> String {
        let (here, other) = match pair.left {
            Some(_) => (&self.sets.left, &self.sets.right),
            None => (&self.sets.right, &self.sets.left),
        };
        match pair.counterpart {
            Counterpart::Same => "the same in both".to_owned(),
            Counterpart::Equivalent if effects => "they make the same states".to_owned(),
            Counterpart::Equivalent => "they hold at the same instances".to_owned(),
            Counterpart::Implied => format!("only `{here}` has it, but `{other}` as a whole implies it"),
            Counterpart::Only if effects => format!("only `{here}` has it"),
            Counterpart::Only => format!("only `{here}` has it, and it forbids what `{other}` permits"),
            Counterpart::Unknown => "how they relate cannot be decided".to_owned(),
        }
    }
}

/// Sign and role: what is on the left only reads as removed, what is on the right only as added.
fn sign(pair: &SideBySide, glyphs: &Glyphs) -> (&'static str, Role) {
    match (&pair.left, &pair.right, pair.counterpart) {
        (Some(_), Some(_), Counterpart::Same) => ("=", Role::Dim),
        (Some(_), Some(_), _) => ("~", Role::Good),
        (_, _, Counterpart::Unknown) => (glyphs.unknown, Role::Warn),
        (Some(_), None, _) => ("-", Role::Removed),
        _ => ("+", Role::Added),
    }
}

fn fitted(text: &str, room: usize, theme: &Theme) -> String {
    let text = crate::sanitize::line(text).into_owned();
    crate::sanitize::fit(&text, room, theme.glyphs.ellipsis).into_owned()
}

/// One column: sign, assertion, relation.
fn line(pair: &SideBySide, theme: &Theme, width: usize) -> Row {
    let (sign, role) = sign(pair, &theme.glyphs);
    let text = pair.left.as_ref().or(pair.right.as_ref()).map_or("", String::as_str);
    let room = width.saturating_sub(WORD + 4);
    let text = fitted(text, room, theme);
    let pad = " ".repeat(room.saturating_sub(text.width()));
    let role_of_text = if sign == "=" || sign == "~" { Role::Text } else { role };
    let word = format!(" {}", pair.counterpart.in_words());
    vec![run(role, format!("  {sign} ")), run(role_of_text, text), run(Role::Dim, pad), run(Role::Dim, word)]
}

fn columns(pair: &SideBySide, theme: &Theme, width: usize) -> Row {
    let (sign, role) = sign(pair, &theme.glyphs);
    let room = width.saturating_sub(WORD + 6) / 2;
    let side =
        |text: &Option<String>| crate::sanitize::pad(&fitted(text.as_deref().unwrap_or_default(), room, theme), room);
    let word = match (&pair.left, &pair.right) {
        (Some(_), None) => format!("< {}", pair.counterpart.in_words()),
        (None, Some(_)) => format!("> {}", pair.counterpart.in_words()),
        _ => format!("{sign} {}", pair.counterpart.in_words()),
    };
    vec![
        run(Role::Text, format!("  {}", side(&pair.left))),
        run(role, format!(" {word:<w$} ", w = WORD)),
        run(Role::Text, side(&pair.right)),
    ]
}
