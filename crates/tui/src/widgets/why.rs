//! Words on the row under the cursor, in a box below a list: they scroll where they are longer than the box, and its rule says with which
//! keys. Another row begins at its top.

use crossterm::event::{KeyCode, KeyEvent, MouseEvent};
use ratatui::layout::Rect;

use super::draw::{Painter, Row, split_top};
use super::scrolled::Scrolled;
use crate::actions::PaneAction;
use crate::event::Input;
use crate::view::View;

pub(crate) const WORDS: [(PaneAction, &str); 2] =
    [(PaneAction::WordsOn, "more words"), (PaneAction::WordsBack, "words back")];

const ALL_IN_SIGHT: &str = "the words on this row are all in sight";

#[derive(Debug, Default)]
pub struct Why {
    scrolled: Scrolled,
    on: String,
    /// Whether a text is being typed over it, so that letters are no keys.
    pub typing: bool,
}

impl Why {
    /// Draws a rule with its label and, below it, the words on a row, made for a width in columns.
    pub fn draw(
        &mut self,
        painter: &mut Painter<'_>,
        area: Rect,
        (label, on): (&str, &str),
        view: &View,
        rows: impl Fn(usize) -> Vec<Row>,
    ) {
        if self.on != on {
            *self = Why { on: on.to_owned(), typing: self.typing, ..Why::default() };
        }
        let (rule, text) = split_top(area, 1);
        let width = usize::from(text.width);
        let mut words = rows(width);
        if words.len() > usize::from(text.height) {
            // One column is the scroll indicator's.
            words = rows(width.saturating_sub(1));
        }
        self.scrolled.draw(painter, text, &words);
        let top = self.scrolled.list.top();
        let mut label = label.to_owned();
        let [on, back] = match self.typing {
            true => [PaneAction::PageDown, PaneAction::PageUp],
            false => [PaneAction::WordsOn, PaneAction::WordsBack],
        };
        for (action, word, there) in
            [(on, "more", top + usize::from(text.height) < words.len()), (back, "back", top > 0)]
        {
            if there && text.height > 0 {
                label.push_str(&format!(", {} {word}", view.key(action)));
            }
        }
        painter.rule(rule, 0, &label);
        // The wheel counts on the rule too.
        self.scrolled.area = area;
    }

    /// There is no room for the box now, or nothing to say.
    pub fn hide(&mut self) {
        *self = Why::default();
    }

    pub fn actions(&self) -> impl Iterator<Item = (PaneAction, &'static str)> + use<> {
        let cut = self.is_cut();
        WORDS.into_iter().filter(move |_| cut)
    }

    /// Why the keys that scroll it do nothing, where there are words.
    pub fn in_sight(&self) -> Option<String> {
        (!self.on.is_empty()).then(|| ALL_IN_SIGHT.to_owned())
    }

    fn is_cut(&self) -> bool {
        // The rule has a row of the box.
        self.scrolled.len > 0 && self.scrolled.len + 1 > usize::from(self.scrolled.area.height)
    }

    /// Scrolls; whether the action was one of its own.
    pub fn act(&mut self, action: PaneAction) -> bool {
        let own = matches!(action, PaneAction::WordsOn | PaneAction::WordsBack);
        if own {
            self.scrolled.wheel(action == PaneAction::WordsOn);
        }
        own
    }

    /// Scrolls by a key while a text is typed; whether it was one of those.
    pub fn typed(&mut self, input: Input<'_>) -> bool {
        let Input::Key(KeyEvent { code: code @ (KeyCode::PageUp | KeyCode::PageDown), .. }) = input else {
            return false;
        };
        self.scrolled.wheel(code == KeyCode::PageDown);
        true
    }

    /// Scrolls where the wheel was turned over it; whether it was.
    pub fn mouse(&mut self, event: MouseEvent) -> bool {
        self.is_cut() && self.scrolled.mouse(event)
    }
}
