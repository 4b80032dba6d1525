//! Panes: each draws part of the view and answers actions with intents.

use std::path::PathBuf;

use crossterm::event::MouseEvent;
use ratatui::Frame;
use ratatui::layout::{Rect, Size};

pub use super::actions::{PANES, PaneAction, PaneId};
use super::event::Input;
use super::launcher::ExportForm;
use super::theme::Theme;
use super::view::View;
use super::widgets::draw::Painter;
use super::widgets::find::Rows;
use super::widgets::outline::Outline;
use stepwright_episode::{ArtifactId, NodeId, OfferId, ProposalId};
use stepwright_protocol::{Command, Level, Request};

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileUse {
    Save {
        name: String,
    },
    Compare {
        token: u64,
        name: String,
    },
    /// Write the session, as it is in memory, to a new file, and go on there.
    Keep {
        name: String,
    },
    Export {
        form: ExportForm,
        name: String,
    },
}

impl FileUse {
    /// The file's name.
    pub(crate) fn name(&self) -> &str {
        match self {
            FileUse::Save { name }
            | FileUse::Compare { name, .. }
            | FileUse::Keep { name }
            | FileUse::Export { name, .. } => name,
        }
    }

    /// Whether a message is of the file: it begins with its name, or ends with it. The names of other files may hold it.
    pub(crate) fn is_named(&self, message: &str) -> bool {
        let behind = message.strip_prefix(self.name()).is_some_and(|rest| rest.starts_with([':', ' ']));
        behind || message.strip_suffix(self.name()).is_some_and(|before| before.ends_with(' '))
    }
}

/// A pane's request to the application.
#[allow(clippy::large_enum_variant, reason = "few of them live at a time")]
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    Send(Command),
    Select(ProposalId),
    Copy(String),
    Say(Level, String),
    Focus(PaneId),
    /// Open the dialog that edits this text of an action before it is taken.
    EditAction {
        proposal: ProposalId,
        text: String,
    },
    EditNote {
        node: NodeId,
        note: usize,
        text: String,
    },
    AddToTree(u32),
    /// Open the text of the whole belief: the offered one if one waits, else what is believed.
    EditBelief,
    /// Open the text of a form of states: an offered one, or the one in force.
    EditForm {
        offer: Option<OfferId>,
        text: String,
    },
    EditPlan,
    /// Ask for a yes before these commands are sent.
    Confirm {
        title: String,
        question: String,
        yes: &'static str,
        commands: Vec<Command>,
    },
    AskFile(FileUse),
    AskCandidates,
    /// Look at a decision of another session, or of a log's episode, where it was taken; only to be read.
    Visit {
        file: PathBuf,
        episode: String,
        node: NodeId,
    },
    /// Ask for another round in the given time: something is debounced.
    WakeIn(std::time::Duration),
}

/// A number of rows as a screen counts them.
pub(crate) fn rows_of(rows: usize) -> u16 {
    u16::try_from(rows).unwrap_or(u16::MAX)
}

/// Rows that are left empty rather than used for something else.
pub(crate) const FEW: u16 = 4;

/// Rows inside a pane's border.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Wants {
    /// What it shows takes so many, none where it is empty; `None` where its share is right, as far as it uses that.
    pub needs: Option<u16>,
    /// So many have something where it unfolds what it folded.
    pub uses: u16,
}

impl Wants {
    pub const ANY: Wants = Wants { needs: None, uses: u16::MAX };
    pub const NONE: Wants = Wants { needs: Some(0), uses: 0 };

    pub fn exactly(rows: usize) -> Wants {
        Wants { needs: Some(rows_of(rows)), uses: rows_of(rows) }
    }

    /// Its share as far as it has something for it.
    pub fn up_to(rows: usize) -> Wants {
        Wants { needs: None, uses: rows_of(rows) }
    }

    /// What is enough for this and for what is asked now.
    pub fn grown(self, now: Wants) -> Wants {
        let both = self.needs.zip(now.needs);
        both.map_or(now, |(a, b)| Wants { needs: Some(a.max(b)), uses: self.uses.max(now.uses) })
    }
}

/// Takes away what was said against a text that is being typed, once that is changed or left: while keys are text none dismisses it.
pub(crate) fn unsaid(view: &View) -> Option<Intent> {
    let against = view.message.as_ref().is_some_and(|(level, _)| *level != Level::Info);
    against.then(|| Intent::Say(Level::Info, String::new()))
}

/// A pane: a list of rows with a search, and what else the pane makes of it.
pub trait Pane {
    fn id(&self) -> PaneId;

    fn title(&self, view: &View) -> String {
        let _ = view;
        self.id().title().to_owned()
    }

    /// Takes in what changed in the view, before drawing; called when `view.revision` differs from the last call.
    fn update(&mut self, view: &View) -> Vec<Intent>;

    /// Draws the inside of the pane (the border is the application's). Must cost in proportion to what is visible. Any size,
    /// also 0x0, is drawn without panic.
    fn draw(&mut self, view: &View, painter: &mut Painter<'_>, area: Rect);

    fn render(&mut self, view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool) {
        self.draw(view, &mut Painter { buf: frame.buffer_mut(), theme, focused }, area);
    }

    /// The rows that it has something for in so many columns; asked once a frame, before it is drawn.
    fn wants(&mut self, view: &View, theme: &Theme, width: u16) -> Wants {
        let _ = (view, theme, width);
        Wants::ANY
    }

    /// Whether the world's last answer is in sight whole where the inside of the pane is so large; asked once a frame, before it is drawn.
    fn shows_answer(&mut self, view: &View, inside: Size) -> bool {
        let _ = (view, inside);
        false
    }

    fn outline(&self) -> &Outline;

    fn outline_mut(&mut self) -> &mut Outline;

    fn len(&self, view: &View) -> usize;

    fn row_text(&self, row: usize, view: &View) -> String;

    /// The pane actions that make sense now, with the word each is shown by in the footer (`edit line`, `adopt`), most useful
    /// first.
    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)>;

    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent>;

    /// The documents it shows that a person may change; undo and redo are of the one that changed last.
    fn documents(&self, view: &View) -> Vec<ArtifactId> {
        let _ = view;
        Vec::new()
    }

    /// Undo and redo of the documents it shows, as far as there is a change to be turned. While a new one waits, that is decided about first.
    fn turns(&self, view: &View) -> Vec<(PaneAction, &'static str)> {
        let documents = self.documents(view);
        if view.offer().is_some_and(|offer| documents.contains(&offer.written.artifact)) {
            return Vec::new();
        }
        let mut turns = vec![(PaneAction::UndoChange, "undo change"), (PaneAction::RedoChange, "redo change")];
        let can = |forward| view.session.as_ref().is_some_and(|s| s.changed_last(&documents, forward).is_some());
        turns.retain(|(action, _)| can(*action == PaneAction::RedoChange));
        turns
    }

    /// That no change of the documents is left to be turned, where it shows any.
    fn turned_out(&self, action: PaneAction, view: &View) -> Option<String> {
        let turn = match action {
            PaneAction::UndoChange => "undo",
            PaneAction::RedoChange => "do again",
            _ => return None,
        };
        let documents = self.documents(view);
        match view.offer().filter(|offer| documents.contains(&offer.written.artifact)) {
            Some(offer) => Some(format!("a new {} waits: take, edit or refuse it first", offer.written.artifact.kind)),
            None => (!documents.is_empty()).then(|| format!("no change is left to {turn} here")),
        }
    }

    /// Whether something of the pane's own is being typed.
    fn is_editing(&self) -> bool {
        false
    }

    /// Text typed while [`Pane::is_editing`] (Esc cancels, Enter or Ctrl-S accepts; the pane shows which).
    fn edit(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        let _ = (input, view);
        Vec::new()
    }

    /// Called after a movement, a search or a click: the cursor was on row `from` and may be on another now.
    fn moved(&mut self, from: usize, view: &View) -> Vec<Intent> {
        let _ = (from, view);
        Vec::new()
    }

    /// Whether keys are text for the pane now (a text area or the search line is open).
    fn captures_text(&self) -> bool {
        self.is_editing() || self.outline().find.is_open()
    }

    /// The key that accepts what is typed while the pane captures text, for the footer.
    fn accept_key(&self) -> &'static str {
        "Enter"
    }

    /// The step that must come first for an action that is not offered now, in words; `None` where the pane has no use
    /// for it.
    fn missing(&self, action: PaneAction, view: &View) -> Option<String> {
        let _ = (action, view);
        None
    }

    fn with_rows(&mut self, view: &View, act: &mut dyn FnMut(&mut Outline, &Rows<'_>)) -> Vec<Intent> {
        let len = self.len(view);
        let mut outline = std::mem::take(self.outline_mut());
        let from = outline.list.cursor();
        act(&mut outline, &Rows { len, text: &|row| self.row_text(row, view) });
        *self.outline_mut() = outline;
        self.moved(from, view)
    }

    fn browse(&mut self, action: PaneAction, view: &View) -> Vec<Intent> {
        if let PaneAction::UndoChange | PaneAction::RedoChange = action {
            let (documents, forward) = (self.documents(view), action == PaneAction::RedoChange);
            let found = view.session.as_ref().and_then(|session| session.changed_last(&documents, forward));
            let turn = |artifact: &ArtifactId| Intent::Send(Command::Gate(Request::turn(artifact.clone(), forward)));
            return found.map(turn).into_iter().collect();
        }
        self.with_rows(view, &mut |outline, rows| {
            outline.act(action, rows);
        })
    }

    /// Text typed while the pane captures text.
    fn input(&mut self, input: Input<'_>, view: &View) -> Vec<Intent> {
        if self.is_editing() {
            return self.edit(input, view);
        }
        self.with_rows(view, &mut |outline, rows| outline.input(input, rows))
    }

    /// A mouse event inside the area last drawn.
    fn mouse(&mut self, event: MouseEvent, view: &View) -> Vec<Intent> {
        if self.outline_mut().words.mouse(event) || self.is_editing() {
            return Vec::new();
        }
        self.with_rows(view, &mut |outline, rows| {
            outline.mouse(event, rows.len);
        })
    }

    /// Called after a wake-up asked for by [`Intent::WakeIn`].
    fn wake(&mut self, view: &View) -> Vec<Intent> {
        let _ = view;
        Vec::new()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_of_the_file_that_it_names_and_of_no_other() {
        let file = FileUse::Save { name: "a.py".to_owned() };
        for (message, is_of_it) in [
            ("2 assertions in force written to a.py", true),
            ("a.py: cannot be written: no room", true),
            ("a.py was deleted while the session was open", true),
            ("2 assertions in force written to data.py", false),
            ("data.py: cannot be written: no room", false),
            ("a.pyx: cannot be written: no room", false),
            ("at step 2", false),
        ] {
            assert_eq!(file.is_named(message), is_of_it, "{message}");
        }
    }
}
