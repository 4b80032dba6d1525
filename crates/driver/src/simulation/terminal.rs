//! The terminal of a course: the workbench itself hears what the driver says, is drawn at whatever size the seed decides, and has keys, clicks and
//! pasted text that become requests. Checked is what stands on the screen beside what is so.

use std::path::Path;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright_episode::Session;
use stepwright_methods::METHODS;
use stepwright_protocol::{Command, Level, Notice, Unwritten};
use stepwright_tui::app::{App, Effect, Parts};
use stepwright_tui::keymap::{Chord, Keymap};
use stepwright_tui::launcher::{Catalog, Entry};
use stepwright_tui::panes;
use stepwright_tui::theme::{ASCII, Theme};

use super::Dice;

/// What a person does, by keys; `'text'` is typed.
const WAYS: [&str; 40] = [
    "a", "a", "a", "j a", "j j enter", "2 a", "e enter", "e backspace 4 enter", "x enter", "x 'no' enter", "s", "P",
    "m 'add 3' enter", "m 'add 9' enter", "m 'add 1'", "u", "u", "U", "ctrl-r", "esc", "esc esc", "p enter",
    "p down space enter", "c 'seen' enter", "R", "b", "t up enter", "t esc", "C", "V right left esc",
    "M tab down enter", "M enter", "?", "! esc", "tab", "alt-2", "alt-3 A enter", "f11", "ctrl-o esc", "enter",
];

/// The sizes that a window has: the usual ones, and ones in which hardly anything or nothing has room.
const SIZES: [(u16, u16); 8] = [(80, 24), (80, 24), (120, 40), (120, 40), (200, 60), (61, 17), (30, 9), (1, 1)];

/// From this size on the world's answer and the title have room.
const ROOMY: (u16, u16) = (80, 24);

/// Characters of an answer that have to be seen.
const SEEN: usize = 60;

/// More dialogs than can be open, and parts of them that `Esc` leaves first.
const DEEP: usize = 40;

pub(super) struct Workbench {
    app: App,
    now: Instant,
    size: (u16, u16),
    /// Whether the screen was too small to show anything when it was drawn last.
    is_small: bool,
}

/// What is so, beside which the screen is held.
pub(super) struct Truth<'a> {
    pub session: &'a Session,
    pub unwritten: Option<Unwritten>,
    /// Whether a model is asked or anything is done beside the episode.
    pub is_under_way: bool,
    pub path: &'a Path,
}

impl Workbench {
    pub(super) fn new() -> Self {
        let themes = vec![Theme::monochrome(ASCII)];
        let app = App::new(Parts {
            panes: panes::all(),
            keymap: Keymap::default(),
            themes,
            worlds: Default::default(),
            methods: &METHODS,
        });
        Workbench { app, now: Instant::now(), size: SIZES[0], is_small: false }
    }

    pub(super) fn hear(&mut self, notice: Notice) {
        self.app.notice(notice);
    }

    fn send(&mut self, event: Event) {
        self.app.terminal(event, self.now);
        self.app.settle(self.now);
    }

    /// What is asked for upon something that a person does at the terminal.
    /// Errors: it is a decision on a screen that shows nothing.
    pub(super) fn asked(&mut self, dice: &mut Dice) -> Result<Vec<Command>, String> {
        self.happens(dice);
        let commands = self.rest();
        let decides = commands.iter().any(|command| !command.only_reads());
        if decides && self.is_small { Err(format!("on a screen too small: {commands:?}")) } else { Ok(commands) }
    }

    fn happens(&mut self, dice: &mut Dice) {
        match dice.below(12) {
            0 => self.size = *dice.of(&SIZES).unwrap_or(&ROOMY),
            1 => {
                let [column, row] = [self.size.0, self.size.1].map(|most| dice.below(most.into()) as u16);
                let kinds = [MouseEventKind::Down(MouseButton::Left), MouseEventKind::ScrollDown];
                let kind = *dice.of(&kinds).unwrap_or(&kinds[0]);
                self.send(Event::Mouse(MouseEvent { kind, column, row, modifiers: KeyModifiers::NONE }));
            }
            2 => self.send(Event::Paste("add 2\u{1b}[31m\nadd 4".into())),
            3 => {
                let typed = char::from_u32(0x20 + dice.below(0x5f) as u32).unwrap_or(' ');
                self.send(Event::Key(KeyEvent::from(KeyCode::Char(typed))));
            }
            _ => self.press(dice.of(&WAYS).copied().unwrap_or("esc")),
        }
    }

    fn press(&mut self, keys: &str) {
        let mut typed = false;
        for part in keys.split('\'') {
            for key in part.split_whitespace().filter(|_| !typed) {
                let chord = Chord::parse(key).unwrap_or_else(|why| panic!("{key}: {why}"));
                self.send(Event::Key(chord.event()));
            }
            for c in part.chars().filter(|_| typed) {
                self.send(Event::Key(KeyEvent::from(KeyCode::Char(c))));
            }
            typed = !typed;
        }
    }

    /// The pauses of the workbench are over, and it asks what it has to; nobody opens or begins anything else.
    pub(super) fn rest(&mut self) -> Vec<Command> {
        self.now += Duration::from_secs(1);
        self.app.wake(self.now);
        self.app.settle(self.now);
        let mut commands = Vec::new();
        for effect in self.app.take_effects() {
            match effect {
                Effect::Send(command) => commands.push(command),
                Effect::Begin(_) | Effect::Open(_) | Effect::Visit { .. } => self.app.launch_failed("not here".into()),
                Effect::Catalog => self.app.catalog(catalog()),
                Effect::Tell(world) => self.app.told(&world, Vec::new()),
                Effect::Export { .. } => self.app.exported(Err("not here".into())),
                Effect::Load(_) => self.app.loaded(Err("not here".into())),
                Effect::Fetch(_) => self.app.fetched(Err("not here".into())),
                Effect::GiveUp
                | Effect::StopFetch
                | Effect::Presented(_)
                | Effect::Copy(_)
                | Effect::Suspend
                | Effect::Repaint
                | Effect::Quit => {}
            }
        }
        commands
    }

    /// Draws the screen. Errors: what stands there and is not so, or is so and does not stand there.
    pub(super) fn look(&mut self, truth: &Truth<'_>) -> Result<String, String> {
        let (width, height) = self.size;
        let mut screen = Terminal::new(TestBackend::new(width, height)).map_err(|e| e.to_string())?;
        screen.draw(|frame| self.app.draw(frame)).map_err(|e| e.to_string())?;
        let cells = &screen.backend().buffer().content;
        let rows: Vec<String> =
            cells.chunks(width.into()).map(|row| row.iter().map(|cell| cell.symbol()).collect()).collect();
        let text = rows.join("\n");
        // `Too small`, as far as there is room; a title begins with a blank.
        self.is_small = rows.first().is_some_and(|row| row.starts_with('T'));
        self.contradiction(truth, &rows).map_or(Ok(text.clone()), |why| Err(format!("{why}:\n{text}")))
    }

    fn contradiction(&self, truth: &Truth<'_>, rows: &[String]) -> Option<String> {
        let view = &self.app.view;
        let session = view.session.as_ref()?;
        let counts = |session: &Session| (session.nodes().len(), session.cursor(), session.spent);
        if counts(session) != counts(truth.session) {
            return Some("the workbench shows another session".into());
        }
        if self.app.place().is_some_and(|(path, _)| path != truth.path) {
            return Some("the session is not where the workbench says".into());
        }
        let plain = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        let shown = plain(&rows.join(" "));
        // A long line of work is cut, so that its end need not be there.
        if shown.contains("stops it") && !truth.is_under_way {
            return Some("something is said to be under way".into());
        }
        if self.size.0 < ROOMY.0 || self.size.1 < ROOMY.1 || self.app.is_choosing() {
            return None;
        }
        let title = rows.first()?;
        let node = truth.session.current()?;
        if !title.contains(&format!("step {}", node.depth)) {
            return Some(format!("it is at step {}", node.depth));
        }
        if title.contains("not written") != truth.unwritten.is_some() {
            return Some(format!("what waits to be written: {:?}", truth.unwritten));
        }
        if self.app.dialog().is_some() {
            return None;
        }
        // An error stays in sight whatever else goes on.
        let line = rows.get(rows.len().checked_sub(2)?)?;
        let is_error = matches!(view.message, Some((Level::Error, _)));
        if node.turn.pending().is_some() && !is_error && !line.contains("stops it") {
            return Some("a model is asked".into());
        }
        if is_error != line.starts_with(" X ") {
            return Some("an error was said".into());
        }
        let said: String = plain(&node.outcome.observation).chars().take(SEEN).collect();
        (!shown.contains(said.trim())).then(|| format!("the world said `{said}`"))
    }

    /// Leaves by the keys. Errors: it does not, with what is open.
    pub(super) fn leave(&mut self) -> Result<(), String> {
        for _ in 0..DEEP {
            if self.app.dialog().is_none() {
                break;
            }
            self.press("esc");
        }
        // A text that is typed in a pane is left first.
        self.press("esc ctrl-q");
        if self.app.dialog().is_some() {
            self.press("enter");
        }
        let leaves = self.app.take_effects().contains(&Effect::Quit);
        if leaves { Ok(()) } else { Err(format!("its keys do not leave: {:?}", self.app.dialog())) }
    }
}

fn catalog() -> Catalog {
    let entry = |name: &str| Entry { name: name.into(), ..Entry::default() };
    Catalog {
        methods: [super::COUNTS, "few-shot"].map(entry).into(),
        models: vec![entry("simulated")],
        ..Catalog::default()
    }
}
