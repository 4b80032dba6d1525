//! Makes the pictures of the documents from the program's own renderer: the screenshot of the README (SVG) and short recordings (asciicast, and
//! animated SVG for pages that show pictures) of the workbench's uses. Plays scripted keys in the real workbench over shipped tasks, without a terminal.
//!
//! `scripts/pictures` runs it. With the argument `screenshot` or `gate` that alone is made.

mod svg;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crossterm::event::Event;
use ratatui::backend::{CrosstermBackend, TestBackend};
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};
use serde_json::json;
use stepwright::config::{self, Config, Overrides};
use stepwright::driver::{self, Handle, NewSession, Notice, ProcessStatus};
use stepwright::methods::METHODS;
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::{Chord, Keymap};
use stepwright::tui::theme_file::{self, Wanted};
use stepwright::world::AgentCommand;

type Failed = Box<dyn std::error::Error>;

/// Columns and rows of the screenshot.
const PICTURE: (u16, u16) = (170, 46);
/// Columns and rows of the recordings.
const CAST: (u16, u16) = (120, 40);
/// Bytes that a page may have to load for a picture.
const LARGEST: usize = 400_000;
/// How long nothing may come before a screen counts as settled.
const QUIET: Duration = Duration::from_millis(400);
/// Longest wait for a screen to settle.
const PATIENCE: Duration = Duration::from_secs(60);

/// A line of a script: keys apart by blanks (a word in quotes is typed, `_` in it is a blank), what is said of them, seconds to look at the result.
type Line = (&'static str, &'static str, f64);

/// Stepping an episode by hand: approve, look at another proposal, type an action, go back, see the branches.
const STEPPING: &[Line] = &[
    ("", "A household task. Proposals are checked before anything happens.", 3.0),
    ("down down", "Each proposal has its checks, its effect and the world's answer.", 2.5),
    ("up up a", "a takes the chosen one.", 2.5),
    ("a", "The trajectory grows as a program; every call keeps its mark.", 2.5),
    ("m 'cabinet'", "m types an action of your own, completed over the admissible ones.", 3.0),
    ("enter", "Enter takes the marked one.", 2.5),
    ("u", "u goes back, and the world goes with it.", 2.0),
    ("a", "Another decision begins a branch.", 2.0),
    ("t", "t shows every step and branch.", 4.0),
];

/// Editing inferred assertions before they are used.
const ASSERTIONS: &[Line] = &[
    ("f11", "The layout for assertions; its pane has the keys.", 2.0),
    ("right right right right I", "I infers candidates from the demonstrations, each validated by execution.", 4.0),
    ("H", "H lists valid candidates that were held back for lack of evidence too.", 4.0),
    ("/ 'inventory_is_None' enter space", "/ finds one; Space marks what is to be adopted.", 4.0),
    ("esc g down e", "e edits one; every keystroke is checked against the demonstrations.", 3.0),
    ("esc A", "A puts what is marked in force from this step on; Z takes it back.", 5.0),
    ("a", "a approves from every pane: the next decision is made under the new set.", 3.0),
];

/// A live review of a session that was decided before.
const REVIEW: &[Line] = &[
    ("V g", "V shows one decision at a time.", 4.0),
    ("right", "What was offered and checked, who chose and why, what happened.", 3.5),
    ("right", "", 3.0),
    ("right", "", 3.0),
    ("esc C", "C puts branches side by side; the first difference is marked.", 4.0),
    ("n", "", 4.0),
    ("esc t", "Every step and branch, who decided and why.", 4.0),
    ("esc c 'agreed:_search_the_sofa_first' enter", "c writes a remark; it belongs to the session.", 3.0),
];

/// An agent behind the gate: approved, rejected, edited, gone back from.
const GATE: &[Line] = &[
    ("", "An agent asks its model through the gate. Its answer waits.", 3.0),
    ("a", "a approves: the agent gets it byte for byte, and asks on.", 2.5),
    (
        "x 'look_at_the_order_first' enter",
        "x rejects: the model reads why and answers anew. The agent reads neither.",
        4.0,
    ),
    ("a a", "Tools are a program; what they returned is its state.", 3.0),
    (
        "e down down down end backspace backspace backspace backspace '45'",
        "e edits, checked against the tool's schema.",
        3.0,
    ),
    ("ctrl-s", "The agent does what you made of it; the model is told.", 3.0),
    ("u enter", "u goes back, and the agent with it.", 2.5),
    ("a", "Another decision: the agent is started again, fed the answers it had, and goes on as a branch.", 3.5),
    ("t", "t shows both.", 4.0),
];

/// Bytes that were drawn and not taken yet.
#[derive(Clone, Default)]
struct Drawn(Arc<Mutex<Vec<u8>>>);

impl Write for Drawn {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

/// The workbench with a driver behind it.
struct Stage {
    app: App,
    handle: Handle,
}

impl Stage {
    fn begin(setup: driver::Setup) -> Result<Self, Failed> {
        let handle = driver::start(setup)?;
        let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::True };
        let (themes, _) = theme_file::load(wanted)?;
        let app = App::new(Parts {
            panes: stepwright::tui::panes::all(),
            keymap: Keymap::default(),
            themes,
            worlds: stepwright::worlds::WORLDS.into(),
            methods: &METHODS,
        });
        Ok(Stage { app, handle })
    }

    /// A new episode of a shipped household task.
    fn task(task: &str, config: &Config) -> Result<Self, Failed> {
        let new = NewSession { world: "household".into(), task: task.into(), ..NewSession::default() };
        Stage::begin(driver::prepare_new(&new, config, &stepwright::worlds::sources(), driver::system_clock())?)
    }

    /// The agent of the demonstration behind the gate; the program is where cargo put it.
    fn gate(config: &Config) -> Result<Self, Failed> {
        let program = std::env::current_exe()?.parent().and_then(Path::parent).map(|target| target.join("stepwright"));
        let words = vec![program.ok_or("there is no program")?.display().to_string(), "demo-agent".to_owned()];
        let command = Arc::new(AgentCommand { words, ..AgentCommand::default() });
        let mut config = config.clone();
        (config.model.model, config.agent) = ("demo".to_owned(), Some(Arc::clone(&command)));
        let new = NewSession { world: "agent".into(), model: "demo".into(), ..NewSession::default() };
        let sources = stepwright::worlds::sources().with_agent(Some(command));
        Stage::begin(driver::prepare_new(&new, &config, &sources, driver::system_clock())?)
    }

    fn send(&mut self) -> Result<(), Failed> {
        for effect in self.app.take_effects() {
            if let Effect::Send(command) = effect {
                self.handle.commands.send(command)?;
            }
        }
        Ok(())
    }

    fn press(&mut self, key: &str) -> Result<(), Failed> {
        let typed = key.strip_prefix('\'').and_then(|rest| rest.strip_suffix('\''));
        let single = [key.to_owned()];
        let letter = |c: char| if c == '_' { "space".to_owned() } else { c.to_string() };
        let keys: Vec<String> = typed.map_or(single.to_vec(), |text| text.chars().map(letter).collect());
        for key in keys {
            self.app.terminal(Event::Key(Chord::parse(&key)?.event()), Instant::now());
            self.send()?;
        }
        Ok(())
    }

    /// Takes in what comes until nothing does.
    async fn settle(&mut self) -> Result<(), Failed> {
        let end = Instant::now() + PATIENCE;
        while Instant::now() < end {
            self.app.settle(Instant::now());
            self.send()?;
            let due = self.app.next_wake().map(|at| at.saturating_duration_since(Instant::now()));
            match tokio::time::timeout(due.unwrap_or(QUIET).min(QUIET), self.handle.notices.recv()).await {
                Ok(Some(notice)) => {
                    // What is said in passing is not for a picture.
                    if !matches!(notice, Notice::Progress { .. }) {
                        self.app.notice(notice);
                    }
                }
                Ok(None) => return Ok(()),
                Err(_) if due.is_some_and(|due| due <= QUIET) => self.app.wake(Instant::now()),
                // What another process does is waited for.
                Err(_) if matches!(self.app.view.world, Some(ProcessStatus::Working(_))) => {}
                Err(_) => return Ok(()),
            }
        }
        Err("the screen did not settle".into())
    }
}

fn keys(line: &str) -> impl Iterator<Item = &str> {
    line.split_whitespace()
}

async fn screenshot(config: &Config) -> Result<String, Failed> {
    let mut stage = Stage::task("shipped/heat-cup-2", config)?;
    stage.settle().await?;
    for _ in 0..7 {
        stage.press("a")?;
        stage.settle().await?;
    }
    let mut terminal = Terminal::new(TestBackend::new(PICTURE.0, PICTURE.1))?;
    terminal.draw(|frame| stage.app.draw(frame))?;
    // The syntax colours arrive from a thread of their own.
    tokio::time::sleep(QUIET).await;
    stage.settle().await?;
    terminal.draw(|frame| stage.app.draw(frame))?;
    let title = "The Stepwright workbench: program, proposals, state and blocking conditions of a household task";
    Ok(svg::svg(terminal.backend().buffer(), title))
}

/// Plays a script and records it, as an asciicast of version 3 and as an animated picture.
async fn recorded(mut stage: Stage, name: &str, title: &str, script: &[Line]) -> Result<(), Failed> {
    let drawn = Drawn::default();
    let viewport = Viewport::Fixed(Rect::new(0, 0, CAST.0, CAST.1));
    let mut terminal = Terminal::with_options(CrosstermBackend::new(drawn.clone()), TerminalOptions { viewport })?;
    let header =
        json!({ "version": 3, "term": { "cols": CAST.0, "rows": CAST.1 }, "title": format!("Stepwright: {title}") });
    let mut out = format!("{header}\n{}\n", json!([0.0, "o", "\u{1b}[2J\u{1b}[?25l"]));
    stage.settle().await?;
    terminal.draw(|frame| stage.app.draw(frame))?;
    let mut screens = Vec::new();
    let mut pause = 0.0;
    for (line, said, seconds) in script {
        for key in keys(line) {
            stage.press(key)?;
            stage.settle().await?;
        }
        if !said.is_empty() {
            stage.app.say(driver::Level::Info, (*said).to_owned());
        }
        let screen = terminal.draw(|frame| stage.app.draw(frame))?.buffer.clone();
        screens.push((screen, *seconds));
        let bytes = std::mem::take(&mut *drawn.0.lock().unwrap_or_else(PoisonError::into_inner));
        out.push_str(&format!("{}\n", json!([pause, "o", String::from_utf8_lossy(&bytes)])));
        pause = *seconds;
    }
    out.push_str(&format!("{}\n", json!([pause, "o", ""])));
    let casts = docs().join("casts");
    write(casts.join(format!("{name}.cast")), &out)?;
    let picture = svg::animated(&screens, &format!("Stepwright: {title}"));
    if picture.len() > LARGEST {
        return Err(format!("{name}.svg is {} bytes long, more than {LARGEST}", picture.len()).into());
    }
    write(casts.join(format!("{name}.svg")), &picture)
}

fn docs() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("docs")
}

fn write(path: PathBuf, text: &str) -> Result<(), Failed> {
    std::fs::write(&path, text)?;
    println!("{} ({} bytes)", path.display(), text.len());
    Ok(())
}

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Failed> {
    let config = config::load_with(&Overrides::default(), &METHODS, &|name| {
        matches!(name, "STEPWRIGHT_CONFIG_DIR" | "STEPWRIGHT_STATE_DIR").then(|| "/nonexistent".to_owned())
    })?;
    let only = std::env::args().nth(1);
    if only.is_none() || only.as_deref() == Some("screenshot") {
        write(docs().join("screenshot.svg"), &format!("{}\n", screenshot(&config).await?))?;
    }
    if only.is_none() || only.as_deref() == Some("gate") {
        recorded(Stage::gate(&config)?, "gate", "an agent stepped behind the gate", GATE).await?;
    }
    if only.is_some() {
        return Ok(());
    }
    let stepping = Stage::task("shipped/heat-cup-2", &config)?;
    recorded(stepping, "stepping", "stepping an episode by hand", STEPPING).await?;
    let assertions = Stage::task("shipped/place-box-1", &config)?;
    recorded(assertions, "assertions", "editing inferred assertions before use", ASSERTIONS).await?;
    // A session of its own to be looked at again: decided by keys first, none of which is recorded.
    let mut review = Stage::task("shipped/place-box-1", &config)?;
    review.settle().await?;
    for line in ["a", "a", "x 'seen' enter", "a", "u", "down", "a", "a", "a"] {
        for key in keys(line) {
            review.press(key)?;
            review.settle().await?;
        }
    }
    recorded(review, "review", "a live review", REVIEW).await
}
