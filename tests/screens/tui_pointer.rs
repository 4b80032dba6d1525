//! Mouse and pasted text: never needed, never taken for a decision, and never more than what is under the pointer or fits.

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use stepwright::driver::{Command, Request};
use stepwright::tui::pane::PaneId;

use crate::tui_keys::{Bench, catalog};

/// A hostile page's text on the clipboard.
const HOSTILE: &str = "take\nmug\x1b[2J\x1b]0;owned\x07\u{202e}q";

impl Bench {
    fn paste(&mut self, text: &str) -> &mut Self {
        self.app.terminal(Event::Paste(text.into()), self.now);
        self.app.settle(self.now);
        self
    }

    fn mouse(&mut self, kind: MouseEventKind, (column, row): (u16, u16)) -> &mut Self {
        self.app.terminal(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }), self.now);
        self.app.settle(self.now);
        self
    }
}

fn place(screen: &str, text: &str) -> (u16, u16) {
    let (row, line) = screen.lines().enumerate().find(|(_, l)| l.contains(text)).unwrap_or_else(|| panic!("{screen}"));
    // The test backend puts each line in quotes.
    (line.split(text).next().unwrap().chars().count() as u16 - 1, row as u16)
}

#[test]
fn pasted_text_is_never_taken_for_keys() {
    let mut bench = Bench::with_panes();
    bench.draw(120, 40);
    bench.paste("aaaq\n");
    assert_eq!(bench.app.take_effects(), []);
    assert!(bench.draw(120, 40).contains("Pasted text is ignored here; m types an action"));
    // Nor in a dialog without a field, nor in the help, nor on the start screen.
    bench.press("T").paste("\n\nq\n");
    assert_eq!(bench.app.dialog().as_deref(), Some("Theme"), "{}", bench.draw(120, 40));
    bench.press("esc ?").paste("q\n");
    assert_eq!(bench.app.dialog().as_deref(), Some("Help"));
    let mut bench = Bench::new();
    bench.app.catalog(catalog("plain"));
    bench.draw(120, 40);
    bench.paste("q\n1\n");
    assert_eq!(bench.app.take_effects(), []);
    assert!(bench.draw(120, 40).contains("Pasted text is ignored here; / searches"));
}

#[test]
fn what_is_pasted_acts_on_nothing_and_stays_where_it_is_put() {
    // Each key opens an input: of the gate, of a pane, of everywhere.
    for keys in ["m", "c", ":", "B", "/", "alt-3 e", "alt-3 /", "? /"] {
        let mut bench = Bench::with_panes();
        bench.draw(120, 40);
        bench.press(keys);
        bench.app.take_effects();
        bench.paste(HOSTILE);
        let decides = |c: &Command| matches!(c, Command::Gate(_));
        assert!(!bench.wishes().iter().any(decides), "{keys}: pasting decides nothing");
        let screen = bench.draw(120, 40);
        assert!(screen.contains("take mug\\x1b[2J"), "{keys}\n{screen}");
        assert!(!screen.contains(['\u{1b}', '\u{202e}', '\u{7}']), "{keys}");
    }
}

#[test]
fn a_text_too_long_for_a_field_is_refused_in_words() {
    let mut bench = Bench::with_panes();
    bench.draw(120, 40);
    bench.press("m 'go'").paste(&"x".repeat(9_000));
    let screen = bench.draw(120, 40);
    assert!(screen.contains("Nothing was pasted: the text has 9,000 bytes, and at most 4,000 fit here"), "{screen}");
    assert!(screen.contains(" go ") && !screen.contains("xxx"), "{screen}");
}

#[test]
fn a_drag_and_other_buttons_do_no_harm() {
    let mut bench = Bench::with_panes();
    let before = bench.draw(120, 40);
    let title = place(&before, " Proposals, ");
    let inside = (title.0, title.1 + 2);
    let focus = bench.app.focus();
    for kind in [
        MouseEventKind::Drag(MouseButton::Left),
        MouseEventKind::Up(MouseButton::Left),
        MouseEventKind::Down(MouseButton::Right),
        MouseEventKind::Drag(MouseButton::Right),
        MouseEventKind::Up(MouseButton::Right),
        MouseEventKind::Down(MouseButton::Middle),
        MouseEventKind::ScrollLeft,
        MouseEventKind::ScrollRight,
    ] {
        bench.mouse(kind, inside).mouse(kind, (119, 39)).mouse(kind, (0, 0));
    }
    assert_eq!(bench.wishes(), []);
    assert_eq!(bench.app.focus(), focus);
    // That they are not used, and how the terminal has them, is said; nothing else changes.
    let after = bench.draw(120, 40);
    let changed: Vec<&str> = after.lines().zip(before.lines()).filter(|(a, b)| a != b).map(|(a, _)| a).collect();
    assert!(matches!(changed[..], [line] if line.contains("with Shift (Option on a Mac)")), "{changed:?}");
}

#[test]
fn the_wheel_scrolls_what_is_under_it_and_leaves_the_keys_where_they_are() {
    let mut bench = Bench::with_panes();
    let before = bench.draw(120, 40);
    let program = place(&before, "Program ");
    let focus = bench.app.focus();
    bench.mouse(MouseEventKind::ScrollUp, (program.0, program.1 + 3));
    bench.mouse(MouseEventKind::ScrollDown, (program.0, program.1 + 3));
    assert_eq!(bench.app.focus(), focus);
    bench.mouse(MouseEventKind::Down(MouseButton::Left), (program.0, program.1 + 3));
    assert_eq!(bench.app.focus(), PaneId::Program);
}

#[test]
fn nothing_is_decided_on_a_screen_too_small_to_show_it() {
    // Where the dialog and the lists were drawn before the window shrank.
    let mut bench = Bench::with_panes();
    bench.draw(120, 40);
    bench.press(":");
    let row = place(&bench.draw(120, 40), "▶");
    bench.draw(20, 5);
    bench.mouse(MouseEventKind::Down(MouseButton::Left), row).paste("qqqq");
    bench.draw(120, 40);
    assert_eq!(bench.app.dialog().as_deref(), Some("Commands"), "a click that nobody could aim does nothing");
    assert!(!bench.draw(120, 40).contains("qqqq"), "nor does what is pasted");
    let mut bench = Bench::new();
    bench.app.catalog(catalog("plain"));
    let row = place(&bench.draw(120, 40), "put a mug");
    bench.draw(20, 5);
    bench.app.take_effects();
    for _ in 0..3 {
        bench.mouse(MouseEventKind::Down(MouseButton::Left), row);
    }
    assert_eq!(bench.app.take_effects(), []);
}

#[test]
fn a_dialog_keeps_what_was_typed_whatever_size_the_window_gets() {
    for keys in ["m", "c", "B", ":", "/"] {
        let mut bench = Bench::with_panes();
        bench.draw(200, 60);
        bench.press(keys).press("'kept_words'");
        for (width, height) in [(80, 24), (60, 16), (20, 5), (1, 1), (0, 0), (40, 12), (120, 40), (200, 60)] {
            bench.draw(width, height);
        }
        let screen = bench.draw(120, 40);
        assert!(screen.contains("kept words"), "{keys}\n{screen}");
    }
}

#[test]
fn a_click_on_a_key_of_the_footer_does_what_its_word_says() {
    let mut bench = Bench::with_panes();
    let click = |bench: &mut Bench, text: &str| {
        let at = place(&bench.draw(120, 40), text);
        bench.mouse(MouseEventKind::Down(MouseButton::Left), at);
    };
    click(&mut bench, "x reject");
    assert_eq!(bench.app.dialog().as_deref(), Some("Reject the proposal"));
    click(&mut bench, "Esc cancel");
    assert_eq!(bench.app.dialog(), None);
    click(&mut bench, "? help");
    assert_eq!(bench.app.dialog().as_deref(), Some("Help"));
    click(&mut bench, "Esc close");
    bench.app.take_effects();
    click(&mut bench, "a approve");
    assert!(matches!(bench.wishes()[..], [Command::Gate(_)]));
    // A search in a pane is accepted and left by its own keys.
    bench.press("alt-3 /");
    click(&mut bench, "Esc cancel");
    assert!(!bench.draw(120, 40).contains("Esc cancel"));
}

/// The strip of decisions below the title: a click on a mark goes to that step, one on the step that is shown or beside the marks nowhere.
#[test]
fn a_click_in_the_strip_of_decisions_goes_to_that_step() {
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut bench = Bench::with_panes();
        let screen = bench.draw(width, height);
        let strip = screen.lines().nth(1).unwrap();
        let [reset, first, here] = ["·", "✓", "["].map(|mark| place(strip, mark).0);
        for (column, node) in [(reset, Some(0)), (first, Some(1)), (here + 1, None), (width - 1, None)] {
            bench.app.take_effects();
            bench.mouse(MouseEventKind::Down(MouseButton::Left), (column, 1));
            let expected = node.map(|node| Command::Gate(Request::Goto(node)));
            assert_eq!(bench.wishes(), Vec::from_iter(expected), "column {column}\n{screen}");
        }
    }
}

#[test]
fn characters_that_nobody_types_at_once_decide_nothing() {
    let mut bench = Bench::with_panes();
    bench.draw(120, 40);
    bench.app.take_effects();
    bench.app.typed_at_once("aaaqa\n", bench.now);
    assert_eq!(bench.app.take_effects(), []);
    assert!(bench.draw(120, 40).contains("Pasted text is ignored here"));
    // Where a text is typed it is one, and an Enter at its end accepts it.
    bench.press("c");
    bench.app.typed_at_once("look here\nagain\n", bench.now);
    assert!(bench.wishes().iter().any(|c| format!("{c:?}").contains("look here again")));
    assert_eq!(bench.app.dialog(), None);
}
