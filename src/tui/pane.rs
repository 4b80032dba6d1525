//! What a pane is: something that draws part of the view and answers actions with intents.

use crossterm::event::{KeyEvent, MouseEvent};
use ratatui::Frame;
use ratatui::layout::Rect;

use super::theme::Theme;
use super::view::View;
use crate::driver::{Command, Level};
use crate::episode::ProposalId;

/// The panes, in tab order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaneId {
    /// The trajectory as a program.
    Program,
    /// What is offered next, with verdicts.
    Proposals,
    /// Candidate assertions of each action.
    Preconditions,
    /// The program's variables and the world's truth.
    State,
    /// What blocks the chosen action.
    Blocking,
    /// The episode as the agent saw it.
    Observations,
    /// The exact request and the streaming answer.
    Model,
    /// The session's records.
    Log,
}

/// All panes, in tab order.
pub const PANES: [PaneId; 8] = [
    PaneId::Program,
    PaneId::Proposals,
    PaneId::Preconditions,
    PaneId::State,
    PaneId::Blocking,
    PaneId::Observations,
    PaneId::Model,
    PaneId::Log,
];

impl PaneId {
    /// Its title.
    pub fn title(self) -> &'static str {
        match self {
            PaneId::Program => "Program",
            PaneId::Proposals => "Proposals",
            PaneId::Preconditions => "Preconditions",
            PaneId::State => "State",
            PaneId::Blocking => "Blocking",
            PaneId::Observations => "Observations",
            PaneId::Model => "Model",
            PaneId::Log => "Log",
        }
    }
}

/// Actions a pane itself answers. Which keys reach them is the action table's business (`tui/actions.rs`).
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum PaneAction {
    /// One row up.
    Up,
    /// One row down.
    Down,
    /// One page up.
    PageUp,
    /// One page down.
    PageDown,
    /// To the first row.
    Top,
    /// To the last row; panes that grow then follow the end.
    Bottom,
    /// Scroll or collapse to the left.
    Left,
    /// Scroll or expand to the right.
    Right,
    /// Open or close the fold under the cursor.
    ToggleFold,
    /// The pane's main act on the row under the cursor (choose a proposal, jump to a step, open a candidate).
    Activate,
    /// Edit the row under the cursor in place.
    Edit,
    /// Edit all of what is shown as a text.
    EditWhole,
    /// Add a row (a candidate).
    Add,
    /// Reject or restore the row (a candidate).
    ToggleReject,
    /// Put the pane's choice in force (adopt assertions).
    Adopt,
    /// Start the pane's long work (infer the shown action's preconditions).
    Run,
    /// The same for all (infer for all actions).
    RunAll,
    /// Leave what is shown over the pane's list.
    Back,
    /// Merge the marked rows into one that needs all of them.
    MergeAll,
    /// Merge the marked rows into one that needs any of them.
    MergeAny,
    /// Show where the two marked rows differ.
    Differ,
    /// Say why the row under the cursor stands where it does.
    Why,
    /// Mark nothing, or what is suggested again.
    MarkAll,
    /// Take the pane's last change back.
    UndoChange,
    /// Make it again.
    RedoChange,
    /// Set two sets side by side.
    Compare,
    /// Write what is in force to a file.
    Save,
    /// Read a file and show what it would change.
    Load,
    /// Have the model score what is there.
    Score,
    /// Say how the pane's long work is done.
    Options,
    /// Change places with the row above that has the same parent.
    MoveUp,
    /// With the one below.
    MoveDown,
    /// Do what the row says although something blocks it.
    Force,
    /// Show again what belongs to the chosen proposal.
    Follow,
    /// Change what the pane shows (belief, truth, both; this action, the next action).
    Cycle,
    /// Search in the pane.
    Search,
    /// Next match.
    NextMatch,
    /// Previous match.
    PreviousMatch,
    /// Copy the row under the cursor.
    Copy,
}

/// What is done with a file of preconditions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum FileUse {
    /// Write what is in force.
    Save {
        /// The name offered.
        name: String,
    },
    /// Set it beside what is in force.
    Compare {
        /// The comparison's token.
        token: u64,
        /// The name offered.
        name: String,
    },
}

/// What a pane wants done; the application does it.
#[derive(Debug, Clone, PartialEq)]
pub enum Intent {
    /// Send a command to the driver.
    Send(Command),
    /// Choose a proposal to look at (and to approve).
    Select(ProposalId),
    /// Put text on the clipboard.
    Copy(String),
    /// Show a message.
    Say(Level, String),
    /// Give the keys to another pane.
    Focus(PaneId),
    /// Open the dialog that edits this text of an action before it is taken.
    EditAction {
        /// The proposal edited.
        proposal: ProposalId,
        /// The text to begin with.
        text: String,
    },
    /// Open the text of the whole belief: the offered one if one waits, else what is believed.
    EditBelief,
    /// Ask for a yes before these commands are sent.
    Confirm {
        /// The dialog's title.
        title: String,
        /// What is asked.
        question: String,
        /// What a yes does, in a word or two.
        yes: &'static str,
        /// Sent after a yes.
        commands: Vec<Command>,
    },
    /// Ask for a file's name, then do this with it.
    AskFile(FileUse),
    /// Open the form of how candidates are asked of a model.
    AskCandidates,
    /// Ask for another round in the given time: something is debounced.
    WakeIn(std::time::Duration),
}

/// A pane.
pub trait Pane {
    /// Which one it is.
    fn id(&self) -> PaneId;

    /// Its title, with whatever counts belong there.
    fn title(&self, view: &View) -> String {
        let _ = view;
        self.id().title().to_owned()
    }

    /// Takes in what changed in the view, before drawing; called when `view.revision` differs from the last call.
    fn update(&mut self, view: &View) -> Vec<Intent>;

    /// Draws the inside of the pane (the border is the application's). Must cost in proportion to what is visible. Any size,
    /// also 0x0, is drawn without panic.
    fn render(&mut self, view: &View, theme: &Theme, area: Rect, frame: &mut Frame<'_>, focused: bool);

    /// The pane actions that make sense now, with the word each is shown by in the footer (`edit line`, `adopt`), most useful
    /// first.
    fn actions(&self, view: &View) -> Vec<(PaneAction, &'static str)>;

    /// Performs an action; returns what it wants done.
    fn act(&mut self, action: PaneAction, view: &View) -> Vec<Intent>;

    /// Whether keys are text for the pane now (a text area or the search line is open).
    fn captures_text(&self) -> bool {
        false
    }

    /// The key that accepts what is typed while the pane captures text, for the footer.
    fn accept_key(&self) -> &'static str {
        "Enter"
    }

    /// What must come first for an action that is not offered now, in words; `None` where the pane has no use for it.
    fn missing(&self, action: PaneAction, view: &View) -> Option<String> {
        let _ = (action, view);
        None
    }

    /// A key while the pane captures text (Esc cancels, Enter or Ctrl-S accepts; the pane shows which).
    fn key(&mut self, key: KeyEvent, view: &View) -> Vec<Intent> {
        let _ = (key, view);
        Vec::new()
    }

    /// Pasted text while the pane captures text.
    fn paste(&mut self, text: &str, view: &View) -> Vec<Intent> {
        let _ = (text, view);
        Vec::new()
    }

    /// A mouse event inside the area last drawn.
    fn mouse(&mut self, event: MouseEvent, area: Rect, view: &View) -> Vec<Intent> {
        let _ = (event, area, view);
        Vec::new()
    }

    /// Called after a wake-up asked for by [`Intent::WakeIn`].
    fn wake(&mut self, view: &View) -> Vec<Intent> {
        let _ = view;
        Vec::new()
    }
}
