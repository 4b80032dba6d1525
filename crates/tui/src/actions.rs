//! Action table: everything a key can do, in one list.
//!
//! It drives dispatch, footer hints, the help, the command palette, the generated `docs/reference/keys.md` and the validation of a user's
//! own key map. `keymap` decides which keys are bound in the end; `app` does the action.

use std::sync::LazyLock;

use strum::{IntoStaticStr, VariantArray};

#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, IntoStaticStr, VariantArray)]
pub enum PaneId {
    Program,
    Proposals,
    Preconditions,
    /// The program's variables and the world's truth.
    State,
    Blocking,
    Observations,
    /// The exact request and the streaming answer.
    Model,
    Log,
    Skills,
}

pub const PANES: &[PaneId] = PaneId::VARIANTS;

impl PaneId {
    pub fn title(self) -> &'static str {
        self.into()
    }
}

/// Where a binding counts. Keys must differ within a context.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Context {
    /// Everywhere no text is being typed.
    Global,
    Gate,
    Pane,
    Start,
    /// An open dialog; its letters count where no text is typed.
    Dialog,
    /// The presenter's view, before the keys of every dialog; so are those of the dialogs below.
    Presenter,
    Comparison,
    Duel,
    Branches,
    Settings,
    HelpPage,
}

pub(crate) const CONTEXTS: [Context; 11] = [
    Context::Gate,
    Context::Pane,
    Context::Global,
    Context::Dialog,
    Context::Presenter,
    Context::Comparison,
    Context::Duel,
    Context::Branches,
    Context::Settings,
    Context::HelpPage,
    Context::Start,
];

/// The groups of actions, in the order of the help, each with its rows.
pub(crate) fn groups() -> Vec<(&'static str, Vec<&'static ActionSpec>)> {
    let mut groups: Vec<(&'static str, Vec<&'static ActionSpec>)> = Vec::new();
    for spec in ACTIONS.iter() {
        match groups.iter_mut().find(|(title, _)| *title == spec.group) {
            Some((_, rows)) => rows.push(spec),
            None => groups.push((spec.group, vec![spec])),
        }
    }
    groups
}

/// A movement of a cursor, in whatever list.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Move {
    Up,
    Down,
    PageUp,
    PageDown,
    Top,
    Bottom,
}

impl ActionId {
    /// Whether it changes a session or writes a file: none of what reads alone, so that a session that is only read offers it not.
    pub(crate) fn changes(self) -> bool {
        use ActionId as A;
        use PaneAction as P;
        match self {
            A::Approve | A::Edit | A::Reject | A::MoreSamples | A::Manual | A::Propose | A::Policy | A::Breakpoints => {
                true
            }
            A::RestartWorld | A::Configure | A::Duel | A::Note | A::Export | A::StartScreen => true,
            A::Pane(action) => {
                matches!(
                    action,
                    P::Edit | P::EditWhole | P::Add | P::ToggleReject | P::Adopt | P::UndoChange | P::RedoChange
                ) || matches!(action, P::MoveUp | P::MoveDown | P::Force | P::Save | P::Load)
                    || matches!(action, P::Distil | P::MergeAll | P::MergeAny | P::Score | P::Options)
            }
            _ => false,
        }
    }

    /// The movement that an action is in a pane, a dialog or on the start screen.
    pub(crate) fn movement(self) -> Option<Move> {
        use PaneAction as P;
        Some(match self {
            ActionId::ItemUp | ActionId::StartUp | ActionId::Pane(P::Up) => Move::Up,
            ActionId::ItemDown | ActionId::Complete | ActionId::StartDown | ActionId::Pane(P::Down) => Move::Down,
            ActionId::ItemPageUp | ActionId::StartPageUp | ActionId::Pane(P::PageUp) => Move::PageUp,
            ActionId::ItemPageDown | ActionId::StartPageDown | ActionId::Pane(P::PageDown) => Move::PageDown,
            ActionId::ItemTop | ActionId::StartTop | ActionId::Pane(P::Top) => Move::Top,
            ActionId::ItemBottom | ActionId::StartBottom | ActionId::Pane(P::Bottom) => Move::Bottom,
            _ => return None,
        })
    }
}

impl From<PaneAction> for ActionId {
    fn from(action: PaneAction) -> Self {
        ActionId::Pane(action)
    }
}

#[derive(Debug, Clone)]
pub(crate) struct ActionSpec {
    pub id: ActionId,
    /// As in the configuration's `[keys]`.
    pub name: String,
    pub context: Context,
    /// What one wants to do with it: the heading over its row of the help and of the page of keys.
    pub group: &'static str,
    /// Its keys unless a person changes them.
    pub keys: Vec<String>,
    pub label: &'static str,
    pub about: String,
    pub palette: bool,
}

/// Declares actions once, in groups that have a context and a title: an enum whose variants are documented by their sentence of the help,
/// and their rows of the table. Of each: the
/// variant, its name in `[keys]`, its keys apart by spaces, its word for the footer, its sentence. `own` stands for variants that carry
/// something; their rows are added by hand.
macro_rules! actions {
    (
        $(#[$meta:meta])* $actions:ident as $id:expr, $rows:ident; own { $($own:tt)* }
        $($context:ident $group:literal { $($action:ident $name:literal $keys:literal $label:literal $about:literal;)* })*
    ) => {
        $(#[$meta])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $actions {
            $($(#[doc = $about] $action,)*)*
            $($own)*
        }

        fn $rows() -> Vec<ActionSpec> {
            vec![$($(spec_of((Context::$context, $group), $id($actions::$action), $name, $keys, $label, $about),)*)*]
        }
    };
}

actions! {
    ActionId as std::convert::identity, own_rows;
    own {
        Choose(u8),
        Focus(PaneId),
        Pane(PaneAction),
        Example(u8),
    }
    Gate "Decide" {
        Approve "approve" "a enter" "approve" "Take the chosen proposal, or the new belief that waits, as it is";
        Edit "edit" "e" "edit" "Edit the chosen proposal's action, or the new belief, checked as you type, then take it";
        Reject "reject" "x r" "reject" "Refuse the chosen proposal with a reason for the model, or the new belief";
        MoreSamples "samples" "s" "sample" "Ask for more samples at this step, or have the new belief written again";
        NextProposal "next-proposal" "] j down" "next" "Choose the next proposal";
        PreviousProposal "previous-proposal" "[ k up" "previous" "Choose the previous proposal";
        Manual "manual" "m" "type" "Type any action yourself, with completion over the admissible ones";
        Propose "propose" "P" "propose" "Ask for proposals at this step again, or have the new belief written again";
    }
    Gate "Let steps be taken, and stop them" {
        Policy "policy" "p" "policy" "Say when steps are taken without asking you, and when that stops";
        Breakpoints "breakpoints" "B" "breakpoints" "Say at which actions, failing assertions, changes of the state, rewards or errors automatic steps stop";
        Cancel "cancel" "esc ctrl-c" "stop" "Stop what is running: an ask, an inference, automatic steps";
        RestartWorld "restart-world" "R" "restart world" "Restart the process of an external world and bring it back to this step";
    }
    Gate "Ask another model or method" {
        Configure "configure" "M" "model/method" "Change the model or the method from here on";
    }
    Gate "Ask several at once" {
        Duel "duel" "X" "duel" "Ask two to four models, methods or sets of assertions what each would do here, side by side";
    }
    Gate "Go back, branch, compare" {
        Undo "undo" "u" "undo" "Go back one step; the world goes with it, and rejections stay";
        Redo "redo" "ctrl-r U" "redo" "Go forward along the last path";
        Tree "tree" "t" "branches" "Show every step and branch; go to any of them";
        CompareBranches "compare-branches" "C" "compare" "Show branches, and other sessions, side by side, aligned by step";
    }
    Gate "Review, and pass on" {
        Present "present" "V" "presenter's view" "Show the session one decision at a time over the whole screen, for a review";
        Blind "blind" "b" "blind" "Hide the world's dry run, its truth, recorded answers and what is recommended until you decide, or show them again";
        Note "note" "c" "note" "Write a remark into the session";
    }
    Global "Review, and pass on" {
        Export "export" "ctrl-e" "export" "Write the session out as a page, records, a recording or a trajectory";
    }
    Global "Find a key or a word" {
        Help "help" "?" "help" "Show all keys";
        Palette "palette" ": ctrl-p" "commands" "Find a command by name";
        Message "message" "!" "message" "Read the last message in full";
    }
    Global "Arrange the panes" {
        FocusNext "focus-next" "tab" "next pane" "Focus the next pane: keys go to it";
        FocusPrevious "focus-previous" "shift-tab" "previous pane" "Focus the previous pane: keys go to it";
        LayoutStepping "layout-stepping" "f10 alt-s" "layout: stepping" "Arrange the panes for deciding step by step: all four kinds of evidence at once";
        LayoutAssertions "layout-assertions" "f11 alt-a" "layout: assertions" "Arrange the panes for inferring and editing preconditions";
        LayoutReview "layout-review" "f12 alt-v" "layout: review" "Arrange the panes for reading a session with others";
        Zoom "zoom" "z" "zoom" "Give the whole screen to the focused pane, or take it back";
        Wider "wider" "ctrl-right >" "wider" "Make the focused pane's column wider";
        Narrower "narrower" "ctrl-left <" "narrower" "Make the focused pane's column narrower";
        Taller "taller" "ctrl-down" "taller" "Make the focused pane taller";
        Shorter "shorter" "ctrl-up" "shorter" "Make the focused pane shorter";
        Theme "theme" "T" "theme" "Choose another theme";
    }
    Global "Begin, open, leave" {
        StartScreen "start-screen" "ctrl-o" "start screen" "Begin another episode or open a session";
        Redraw "redraw" "ctrl-l" "redraw" "Paint the whole screen again";
        Suspend "suspend" "ctrl-z" "suspend" "Stop and return to the shell; `fg` comes back";
        Quit "quit" "q ctrl-q" "quit" "Leave; the session is already saved";
    }
    Dialog "In a dialog" {
        Accept "accept" "enter" "accept" "Accept the dialog";
        AcceptText "accept-text" "ctrl-s" "accept" "Accept a text of many lines, where Enter begins a line";
        Close "close" "esc ctrl-c q" "cancel" "Close the dialog and change nothing";
        ItemUp "item-up" "up ctrl-p shift-tab k" "up" "To the previous item, or scroll up";
        ItemDown "item-down" "down ctrl-n j" "down" "To the next item, or scroll down";
        ItemPageUp "item-page-up" "pageup" "page up" "One page up";
        ItemPageDown "item-page-down" "pagedown space" "page down" "One page down";
        ItemTop "item-top" "g home" "top" "To the first item, or the beginning";
        ItemBottom "item-bottom" "G end" "bottom" "To the last item, or the end";
        Complete "complete" "tab" "complete" "Complete with the marked item, or go to the next field";
    }
    Presenter "In the presenter's view" {
        NextDecision "present-next" "right l n" "next" "To the next decision";
        PreviousDecision "present-previous" "left h p" "previous" "To the previous decision";
        FirstDecision "present-first" "g home" "first" "To the beginning of the episode";
        LastDecision "present-last" "G end" "last" "To the last decision of the branch";
        Play "present-play" "space" "play" "Go on by itself, or stop that";
        Faster "present-faster" "+ =" "faster" "Show each decision for a shorter time";
        Slower "present-slower" "-" "slower" "Show each decision for a longer time";
        NextBranch "present-branch" "b" "branch" "Show the next branch, at the same decision if it has that";
    }
    Comparison "In the comparison of branches" {
        NextDifference "compare-next" "n d" "next difference" "To the next row in which the columns differ";
        PreviousDifference "compare-previous" "N" "previous difference" "To the previous row in which the columns differ";
        NextColumn "compare-right" "right l" "right" "To the column on the right";
        PreviousColumn "compare-left" "left h" "left" "To the column on the left";
        TakeOut "compare-take-out" "x" "take out" "Take the column out of the comparison";
        AllColumns "compare-all" "r" "all" "Put back every column that was taken out";
        AddColumn "compare-add" "+ a" "add" "Add a column: another session";
    }
    Duel "In a duel" {
        NextDisagreement "duel-next" "N n" "next disagreement" "To the next step at which not all sides would do the same; until then what all would do is done";
        NextSide "duel-right" "right l" "right" "To the column on the right";
        PreviousSide "duel-left" "left h" "left" "To the column on the left";
        MarkSide "duel-mark" "space" "mark" "Mark a side, or take its mark away, while sides are chosen";
        OtherSides "duel-sides" "+" "other sides" "Choose the sides again";
        OtherPrompts "duel-prompts" "p" "other prompts" "While sides are chosen: one more that is asked by the prompts of a folder, which is typed";
        EndDuel "duel-end" "x" "end" "End the duel: nobody else is asked from here on";
    }
    Branches "In the list of steps and branches" {
        NameBranch "branch-name" "n" "name" "Give the branch a name";
        HideBranch "branch-hide" "h" "hide or show" "Hide the steps of the branch in the list, or show them again";
        DeleteBranch "branch-delete" "x" "delete or bring back" "Leave the branch out of lists and exports, or bring it back";
        DeletedBranches "branch-deleted" "D" "list deleted" "List deleted branches too, or leave them out";
    }
    Settings "In the dialog of model and method" {
        NextValue "option-next" "right space +" "change" "The next value of the marked option";
        PreviousValue "option-previous" "left -" "change back" "The previous value of the marked option";
        PreviousList "option-list-back" "shift-tab" "previous list" "To the list before";
    }
    HelpPage "In the help" {
        SearchHelp "help-search" "/" "search" "Search in keys, commands and the glossary";
    }
    Start "Start screen" {
        Begin "begin" "enter" "begin" "Begin the episode, or open the marked session";
        NextField "next-field" "tab right" "next list" "To the next list";
        PreviousField "previous-field" "shift-tab left" "previous list" "To the previous list";
        StartUp "list-up" "up k" "up" "One row up";
        StartDown "list-down" "down j" "down" "One row down";
        StartPageUp "list-page-up" "pageup" "page up" "One page up";
        StartPageDown "list-page-down" "pagedown" "page down" "One page down";
        StartTop "list-top" "home g" "first row" "To the first row";
        StartBottom "list-bottom" "end G" "last row" "To the last row";
        StartSearch "list-search" "/" "search" "Search the list in focus: of tasks those that match are left, elsewhere the nearest row is marked";
    }
}

actions! {
    PaneAction as ActionId::Pane, pane_rows;
    own {}
    Pane "Read the focused pane" {
        Up "row-up" "k up" "up" "One row up";
        Down "row-down" "j down" "down" "One row down";
        PageUp "page-up" "pageup ctrl-u" "page up" "One page up";
        PageDown "page-down" "pagedown ctrl-d" "page down" "One page down";
        Top "top" "g home" "top" "To the first row";
        Bottom "bottom" "G end" "bottom" "To the last row, and follow what is added";
        Left "left" "h left" "left" "Scroll to the left, or close a branch";
        Right "right" "l right" "right" "Scroll to the right, or open a branch";
        ToggleFold "fold" "space" "fold" "Open or close the fold under the cursor";
        Activate "activate" "enter" "open" "Act on the row under the cursor: choose it, open it, go there";
        Back "back" "esc backspace" "back" "Leave what is shown over the pane's list";
        WordsOn "words-on" "} shift-down" "more words" "Scroll the words on the row under the cursor, where they are longer than their box";
        WordsBack "words-back" "{ shift-up" "words back" "Scroll those words back";
        Search "search" "/" "search" "Search in the pane";
        NextMatch "next-match" "n" "next match" "To the next match";
        PreviousMatch "previous-match" "N" "previous match" "To the previous match";
        Cycle "cycle" "v" "view" "Change what the pane shows";
        UnfoldAll "unfold-all" "O" "open all" "Open all that is folded; again: as far as there is room";
        FoldAll "fold-all" "o" "close all" "Fold all that is open";
        Follow "follow" "f" "follow" "Show the chosen proposal's action again, from here on";
        Copy "copy" "y" "copy" "Copy the row under the cursor to the clipboard";
        CopyPath "copy-path" "$" "copy path" "Copy the path of the value under the cursor, as a JSONPath";
        RawJson "raw-json" "\"" "raw JSON" "Show the JSON text of the state in place of its tree";
    }
    Pane "Edit what the focused pane shows" {
        Edit "row-edit" "e" "edit" "Edit the row under the cursor in place";
        EditWhole "edit-whole" "E" "edit whole" "Edit all of what is shown as a text: the belief, the plan or program in force, the skills";
        Add "row-add" "+ i" "add" "Add a row";
        ToggleReject "row-reject" "x delete" "reject" "Reject or restore the row under the cursor";
        Adopt "adopt" "A" "adopt" "Put the shown choice in force";
        UndoChange "undo-change" "Z" "undo change" "Take back the last change of what the pane shows, a refusal too; no step is undone";
        RedoChange "redo-change" "Y" "redo change" "Make the change again that was taken back";
        MoveUp "row-earlier" "K" "move up" "Move the row up among those below the same parent";
        MoveDown "row-later" "J" "move down" "Move the row down among those below the same parent";
        Force "force" "F" "force" "Do the row's action although a condition blocks it";
        Save "save-set" "W" "save" "Write what is in force to a file";
        Load "load-set" "R" "load" "Read a file and show what it would change, before it does";
    }
    Pane "Infer, judge and merge candidates" {
        Run "infer" "I" "infer" "Infer candidates, or find out what else the pane is for, of what is shown";
        RunAll "infer-all" "ctrl-a" "infer all" "The same for everything";
        Distil "distil" "D" "distil" "Have the model in use propose: what logs teach, a cut of the log shown, tips from the pair shown";
        Operand "pick" "." "pick" "Pick the row to be merged or compared with another; what is marked for adoption stays marked";
        MergeAll "merge-and" "&" "merge: all" "Merge the picked rows (with one picked, that and the row under the cursor) into one that needs all of them";
        MergeAny "merge-or" "|" "merge: any" "Merge the picked rows (with one picked, that and the row under the cursor) into one that needs any of them";
        Differ "differ" "=" "differ" "Show a step where the two picked rows differ, or the picked one and the row under the cursor";
        Why "why" "w" "why" "Say why the row is not optimal: what is stronger, and a step where they differ";
        MarkAll "mark-all" "*" "unmark" "Mark no row, or what is suggested again";
        HeldBack "held-back" "H" "held back" "Show or hide the valid candidates that were held back for lack of evidence";
        Effects "effects" "'" "effects" "Show what the action changes in place of what it needs, and back";
        Ranking "ranking" "r" "ranking" "Rank by the evidence rule, or by Equation (1) of the paper alone";
        Compare "compare" "d" "compare" "Set two sets side by side; the same key changes the left one";
        Score "score" "L" "score" "Have the model score the valid candidates: mean log-probability a token";
        Options "options" "S" "options" "Say how many demonstrations and samples a model is asked with; how tips are distilled: as published, or by the paper's ablations";
    }
}

pub(crate) const EXAMPLE_KEYS: usize = 9;

pub(crate) static ACTIONS: LazyLock<Vec<ActionSpec>> = LazyLock::new(|| {
    let mut rows: Vec<ActionSpec> = own_rows().into_iter().chain(pane_rows()).collect();
    rows.sort_by_key(|row| CONTEXTS.iter().position(|context| *context == row.context));
    let mut after = |id, more: &mut dyn Iterator<Item = ActionSpec>| {
        let at = rows.iter().position(|row| row.id == id).map_or(rows.len(), |at| at + 1);
        rows.splice(at..at, more);
    };
    after(
        ActionId::PreviousProposal,
        &mut (1..=9).map(|n| {
            let (name, about) = (format!("choose-{n}"), format!("Choose proposal {n} of the list"));
            spec_of((Context::Gate, "Decide"), ActionId::Choose(n), &name, &n.to_string(), "choose", &about)
        }),
    );
    after(
        ActionId::FocusPrevious,
        &mut PANES.iter().zip(1..).map(|(pane, n)| {
            let (title, keys) = (pane.title(), format!("alt-{n} f{n}"));
            let (name, about) = (format!("focus-{}", title.to_lowercase()), format!("Show {title} and focus it"));
            spec_of((Context::Global, "Arrange the panes"), ActionId::Focus(*pane), &name, &keys, title, &about)
        }),
    );
    let ordinals: [&str; EXAMPLE_KEYS] =
        ["first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth"];
    after(
        ActionId::PreviousField,
        &mut ordinals.into_iter().zip(1..).map(|(ordinal, n)| {
            let (name, about) = (format!("example-{n}"), format!("Open the {ordinal} example session"));
            spec_of((Context::Start, "Start screen"), ActionId::Example(n), &name, &n.to_string(), "example", &about)
        }),
    );
    rows
});

fn spec_of(
    (context, group): (Context, &'static str),
    id: ActionId,
    name: &str,
    keys: &str,
    label: &'static str,
    about: &str,
) -> ActionSpec {
    let keys = keys.split_whitespace().map(str::to_owned).collect();
    let palette = matches!(context, Context::Gate | Context::Global);
    ActionSpec { id, name: name.to_owned(), context, group, keys, label, about: about.to_owned(), palette }
}

pub(crate) fn spec(id: ActionId) -> Option<&'static ActionSpec> {
    ACTIONS.iter().find(|s| s.id == id)
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn every_example_has_a_key() {
        assert_eq!(stepwright_launch::examples::EXAMPLES.len(), EXAMPLE_KEYS);
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
        for &pane in PANES {
            let spec = spec(ActionId::Focus(pane)).unwrap();
            assert!(spec.name.ends_with(&pane.title().to_lowercase()), "{}", spec.name);
        }
    }
}
