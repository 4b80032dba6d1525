//! The one table of everything a key can do.
//!
//! It drives dispatch, footer hints, the help, the command palette, the generated `docs/keys.md` and the validation of a person's
//! own key map. Which keys are bound in the end is `keymap`'s business; doing the action is `app`'s.

use std::sync::LazyLock;

use super::pane::{PANES, PaneAction, PaneId};

/// Where a binding counts. Keys must differ within a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Everywhere no text is being typed.
    Global,
    /// The workbench: decisions about the next action and the session's time.
    Gate,
    /// The pane that has the keys.
    Pane,
    /// The start screen.
    Start,
    /// An open dialog.
    Dialog,
}

/// All contexts, in the order of help and documentation.
pub const CONTEXTS: [Context; 5] = [Context::Gate, Context::Pane, Context::Global, Context::Dialog, Context::Start];

impl Context {
    /// Its heading.
    pub fn title(self) -> &'static str {
        match self {
            Context::Global => "Everywhere",
            Context::Gate => "Decisions and time",
            Context::Pane => "In the focused pane",
            Context::Start => "Start screen",
            Context::Dialog => "In a dialog",
        }
    }
}

/// Everything a key can do.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[allow(missing_docs, reason = "the table below says what each does")]
pub enum ActionId {
    Approve,
    Edit,
    Reject,
    MoreSamples,
    NextProposal,
    PreviousProposal,
    Choose(u8),
    Manual,
    Policy,
    Cancel,
    Propose,
    Undo,
    Redo,
    Tree,
    Note,
    Configure,
    RestartWorld,
    Help,
    Palette,
    Quit,
    Zoom,
    FocusNext,
    FocusPrevious,
    Focus(PaneId),
    Wider,
    Narrower,
    Taller,
    Shorter,
    Theme,
    StartScreen,
    Export,
    Suspend,
    Redraw,
    Message,
    Pane(PaneAction),
    Begin,
    NextField,
    PreviousField,
    Example(u8),
    StartUp,
    StartDown,
    StartPageUp,
    StartPageDown,
    StartSearch,
    Accept,
    AcceptText,
    Close,
    ItemUp,
    ItemDown,
    ItemPageUp,
    ItemPageDown,
    Complete,
}

/// A row of the table.
#[derive(Debug, Clone)]
pub struct ActionSpec {
    /// Which action.
    pub id: ActionId,
    /// As in the configuration's `[keys]`.
    pub name: String,
    /// Where its keys count.
    pub context: Context,
    /// Its keys unless a person changes them.
    pub keys: Vec<&'static str>,
    /// A word or two for the footer.
    pub label: &'static str,
    /// A sentence for the help.
    pub about: String,
    /// Whether the palette offers it.
    pub palette: bool,
}

/// The table, grouped by context.
pub static ACTIONS: LazyLock<Vec<ActionSpec>> = LazyLock::new(table);

/// The row of an action.
pub fn spec(id: ActionId) -> Option<&'static ActionSpec> {
    ACTIONS.iter().find(|s| s.id == id)
}

fn table() -> Vec<ActionSpec> {
    let mut rows = Vec::with_capacity(96);
    let mut add = |context, palette, id, name: &str, keys: &[&'static str], label, about: &str| {
        let keys = keys.to_vec();
        rows.push(ActionSpec { id, name: name.to_owned(), context, keys, label, about: about.to_owned(), palette });
    };
    gate(&mut |id, name, keys, label, about| add(Context::Gate, true, id, name, keys, label, about));
    panes(&mut |id, name, keys, label, about| add(Context::Pane, false, id, name, keys, label, about));
    global(&mut |id, name, keys, label, about| add(Context::Global, true, id, name, keys, label, about));
    dialog(&mut |id, name, keys, label, about| add(Context::Dialog, false, id, name, keys, label, about));
    start(&mut |id, name, keys, label, about| add(Context::Start, false, id, name, keys, label, about));
    rows
}

type Add<'a> = &'a mut dyn FnMut(ActionId, &str, &[&'static str], &'static str, &str);

fn gate(add: Add<'_>) {
    use ActionId as A;
    add(
        A::Approve,
        "approve",
        &["a", "enter"],
        "approve",
        "Take the chosen proposal, or the new belief that waits, as it is",
    );
    add(
        A::Edit,
        "edit",
        &["e"],
        "edit",
        "Edit the chosen proposal's action, or the new belief, checked as you type, then take it",
    );
    add(
        A::Reject,
        "reject",
        &["x", "r"],
        "reject",
        "Refuse the chosen proposal with a reason for the model, or the new belief",
    );
    add(
        A::MoreSamples,
        "samples",
        &["s"],
        "more samples",
        "Ask for more samples at this step, or have the new belief written again",
    );
    add(A::NextProposal, "next-proposal", &["]", "j", "down"], "next", "Choose the next proposal");
    add(A::PreviousProposal, "previous-proposal", &["[", "k", "up"], "previous", "Choose the previous proposal");
    for (n, (name, key)) in [
        ("choose-1", "1"),
        ("choose-2", "2"),
        ("choose-3", "3"),
        ("choose-4", "4"),
        ("choose-5", "5"),
        ("choose-6", "6"),
        ("choose-7", "7"),
        ("choose-8", "8"),
        ("choose-9", "9"),
    ]
    .into_iter()
    .enumerate()
    {
        let n = n as u8 + 1;
        add(A::Choose(n), name, &[key], "choose", &format!("Choose proposal {n} of the list"));
    }
    add(
        A::Manual,
        "manual",
        &["m"],
        "type action",
        "Type any action yourself, with completion over the admissible ones",
    );
    add(A::Policy, "policy", &["p"], "policy", "Say when steps are taken without asking you, and when that stops");
    add(A::Cancel, "cancel", &["esc", "ctrl-c"], "stop", "Stop whatever is under way: an ask, an inference, a run");
    add(
        A::Propose,
        "propose",
        &["P"],
        "propose",
        "Ask for proposals at this step again, or have the new belief written again",
    );
    add(A::Undo, "undo", &["u"], "undo", "Go back one decision; the world goes with it");
    add(A::Redo, "redo", &["ctrl-r", "U"], "redo", "Go forward along the last path");
    add(A::Tree, "tree", &["t"], "branches", "Show every step and branch; go to any of them");
    add(A::Note, "note", &["c"], "note", "Write a remark into the session");
    add(
        A::RestartWorld,
        "restart-world",
        &["R"],
        "restart world",
        "Start the process of an external world anew and replay the steps so far",
    );
    add(A::Configure, "configure", &["M"], "model/method", "Change the model or the method from here on");
}

fn panes(add: Add<'_>) {
    use PaneAction as P;
    let mut pane = |action, name: &str, keys: &[&'static str], label, about: &str| {
        add(ActionId::Pane(action), name, keys, label, about);
    };
    pane(P::Up, "row-up", &["k", "up"], "up", "One row up");
    pane(P::Down, "row-down", &["j", "down"], "down", "One row down");
    pane(P::PageUp, "page-up", &["pageup", "ctrl-u"], "page up", "One page up");
    pane(P::PageDown, "page-down", &["pagedown", "ctrl-d"], "page down", "One page down");
    pane(P::Top, "top", &["g", "home"], "top", "To the first row");
    pane(P::Bottom, "bottom", &["G", "end"], "bottom", "To the last row, and follow what is added");
    pane(P::Left, "left", &["h", "left"], "left", "Scroll to the left, or close a branch");
    pane(P::Right, "right", &["l", "right"], "right", "Scroll to the right, or open a branch");
    pane(P::ToggleFold, "fold", &["space"], "fold", "Open or close the fold under the cursor");
    pane(P::Activate, "activate", &["enter"], "open", "Act on the row under the cursor: choose it, open it, go there");
    pane(P::Edit, "row-edit", &["e"], "edit", "Edit the row under the cursor in place");
    pane(P::EditWhole, "edit-whole", &["E"], "edit whole", "Edit all of what is shown as a text: the belief");
    pane(P::Add, "row-add", &["+", "i"], "add", "Add a row");
    pane(P::ToggleReject, "row-reject", &["x", "delete"], "reject", "Reject or restore the row under the cursor");
    pane(P::Adopt, "adopt", &["A"], "adopt", "Put the shown choice in force");
    pane(P::Run, "infer", &["I"], "infer", "Start the pane's long work for what is shown");
    pane(P::RunAll, "infer-all", &["ctrl-a"], "infer all", "The same for everything");
    pane(P::Back, "back", &["esc", "backspace"], "back", "Leave what is shown over the pane's list");
    pane(P::MergeAll, "merge-and", &["&"], "merge: all", "Merge the marked rows into one that needs all of them");
    pane(P::MergeAny, "merge-or", &["|"], "merge: any", "Merge the marked rows into one that needs any of them");
    pane(P::Differ, "differ", &["="], "differ", "Show a step where the two marked rows differ");
    pane(
        P::Why,
        "why",
        &["w"],
        "why",
        "Say why the row is not optimal: what is stronger, and a step where they differ",
    );
    pane(P::MarkAll, "mark-all", &["*"], "unmark", "Mark no row, or what is suggested again");
    pane(P::UndoChange, "undo-change", &["Z"], "undo change", "Take the pane's last change back; no step is undone");
    pane(P::RedoChange, "redo-change", &["Y"], "redo change", "Make the change again that was taken back");
    pane(P::Compare, "compare", &["d"], "compare", "Set two sets side by side; the same key changes the left one");
    pane(P::Save, "save-set", &["W"], "save", "Write what is in force to a file");
    pane(P::Load, "load-set", &["R"], "load", "Read a file and show what it would change, before it does");
    pane(P::Score, "score", &["L"], "score", "Have the model score the valid candidates: mean log-probability a token");
    pane(P::Options, "options", &["S"], "options", "Say how many demonstrations and samples a model is asked with");
    pane(P::MoveUp, "row-earlier", &["K"], "move up", "Move the row up among those below the same parent");
    pane(P::MoveDown, "row-later", &["J"], "move down", "Move the row down among those below the same parent");
    pane(P::Force, "force", &["F"], "force", "Do the row's action although a condition blocks it");
    pane(P::Follow, "follow", &["f"], "follow", "Show the chosen proposal's action again, from here on");
    pane(P::Cycle, "cycle", &["v"], "view", "Change what the pane shows");
    pane(P::Search, "search", &["/"], "search", "Search in the pane");
    pane(P::NextMatch, "next-match", &["n"], "next match", "To the next match");
    pane(P::PreviousMatch, "previous-match", &["N"], "previous match", "To the previous match");
    pane(P::Copy, "copy", &["y"], "copy", "Copy the row under the cursor to the clipboard");
}

fn global(add: Add<'_>) {
    use ActionId as A;
    add(A::Help, "help", &["?"], "help", "Show all keys");
    add(A::Palette, "palette", &[":", "ctrl-p"], "commands", "Find a command by name");
    add(A::FocusNext, "focus-next", &["tab"], "next pane", "Give the keys to the next pane");
    add(A::FocusPrevious, "focus-previous", &["shift-tab"], "previous pane", "Give the keys to the previous pane");
    const FOCUS: [(&str, [&str; 2]); 8] = [
        ("focus-program", ["alt-1", "f1"]),
        ("focus-proposals", ["alt-2", "f2"]),
        ("focus-preconditions", ["alt-3", "f3"]),
        ("focus-state", ["alt-4", "f4"]),
        ("focus-blocking", ["alt-5", "f5"]),
        ("focus-observations", ["alt-6", "f6"]),
        ("focus-model", ["alt-7", "f7"]),
        ("focus-log", ["alt-8", "f8"]),
    ];
    for (pane, (name, keys)) in PANES.into_iter().zip(FOCUS) {
        add(A::Focus(pane), name, &keys, pane.title(), &format!("Show {} and give it the keys", pane.title()));
    }
    add(A::Zoom, "zoom", &["z"], "zoom", "Give the whole screen to the focused pane, or take it back");
    add(A::Wider, "wider", &["ctrl-right", ">"], "wider", "Make the focused pane's column wider");
    add(A::Narrower, "narrower", &["ctrl-left", "<"], "narrower", "Make the focused pane's column narrower");
    add(A::Taller, "taller", &["ctrl-down"], "taller", "Make the focused pane taller");
    add(A::Shorter, "shorter", &["ctrl-up"], "shorter", "Make the focused pane shorter");
    add(A::Theme, "theme", &["T"], "theme", "Choose another theme");
    add(A::StartScreen, "start-screen", &["ctrl-o"], "start screen", "Begin another episode or open a session");
    add(A::Export, "export", &["ctrl-e"], "export", "Write the session out as a page, records or a recording");
    add(A::Message, "message", &["!"], "message", "Read the last message in full");
    add(A::Redraw, "redraw", &["ctrl-l"], "redraw", "Paint the whole screen again");
    add(A::Suspend, "suspend", &["ctrl-z"], "suspend", "Stop and return to the shell; `fg` comes back");
    add(A::Quit, "quit", &["q", "ctrl-q"], "quit", "Leave; the session is already saved");
}

fn dialog(add: Add<'_>) {
    use ActionId as A;
    add(A::Accept, "accept", &["enter"], "accept", "Accept the dialog");
    add(A::AcceptText, "accept-text", &["ctrl-s"], "accept", "Accept a text of many lines, where Enter begins a line");
    add(A::Close, "close", &["esc", "ctrl-c"], "cancel", "Close the dialog and change nothing");
    add(A::ItemUp, "item-up", &["up", "ctrl-p", "shift-tab"], "up", "To the previous item");
    add(A::ItemDown, "item-down", &["down", "ctrl-n"], "down", "To the next item");
    add(A::ItemPageUp, "item-page-up", &["pageup"], "page up", "One page up");
    add(A::ItemPageDown, "item-page-down", &["pagedown"], "page down", "One page down");
    add(A::Complete, "complete", &["tab"], "complete", "Complete with the marked item, or go to the next field");
}

/// How many of the example sessions have a key of their own.
pub const EXAMPLE_KEYS: usize = 6;

fn start(add: Add<'_>) {
    use ActionId as A;
    add(A::Begin, "begin", &["enter"], "begin", "Begin the episode, or open the marked session");
    add(A::NextField, "next-field", &["tab", "right"], "next list", "To the next list");
    add(A::PreviousField, "previous-field", &["shift-tab", "left"], "previous list", "To the previous list");
    add(A::Example(1), "example-1", &["1"], "example", "Open the first example session");
    add(A::Example(2), "example-2", &["2"], "example", "Open the second example session");
    add(A::Example(3), "example-3", &["3"], "example", "Open the third example session");
    add(A::Example(4), "example-4", &["4"], "example", "Open the fourth example session");
    add(A::Example(5), "example-5", &["5"], "example", "Open the fifth example session");
    add(A::Example(6), "example-6", &["6"], "example", "Open the sixth example session");
    add(A::StartUp, "list-up", &["up", "k"], "up", "One row up");
    add(A::StartDown, "list-down", &["down", "j"], "down", "One row down");
    add(A::StartPageUp, "list-page-up", &["pageup"], "page up", "One page up");
    add(A::StartPageDown, "list-page-down", &["pagedown"], "page down", "One page down");
    add(A::StartSearch, "list-search", &["/"], "search", "Search the list");
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_example_has_a_key() {
        assert_eq!(crate::driver::examples::EXAMPLES.len(), EXAMPLE_KEYS);
        assert!((1..=EXAMPLE_KEYS as u8).all(|n| spec(ActionId::Example(n)).is_some()));
    }

    #[test]
    fn names_and_ids_are_unique() {
        let names: BTreeSet<_> = ACTIONS.iter().map(|s| s.name.as_str()).collect();
        let ids: BTreeSet<_> = ACTIONS.iter().map(|s| s.id).collect();
        assert_eq!(names.len(), ACTIONS.len());
        assert_eq!(ids.len(), ACTIONS.len());
    }

    #[test]
    fn every_pane_has_a_key() {
        for pane in PANES {
            let spec = spec(ActionId::Focus(pane)).unwrap();
            assert!(spec.name.ends_with(&pane.title().to_lowercase()), "{}", spec.name);
        }
    }
}
