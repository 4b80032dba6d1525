//! Draws the real workbench, stepped a little way through a shipped task, as SVG on standard output.
//!
//! `cargo run --example screenshot > docs/screenshot.svg` makes the picture in the README.

use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::config::{self, Overrides};
use stepwright::driver::{self, Command, NewSession, Notice, Request};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::theme_file::{self, Wanted};

/// Columns and rows of the picture.
const SIZE: (u16, u16) = (170, 46);
/// Steps taken before it.
const STEPS: usize = 7;

#[tokio::main(flavor = "current_thread")]
async fn main() -> Result<(), Box<dyn std::error::Error>> {
    let config = config::load_with(&Overrides::default(), &|name| {
        matches!(name, "STEPWRIGHT_CONFIG_DIR" | "STEPWRIGHT_STATE_DIR").then(|| "/nonexistent".to_owned())
    })?;
    let new = NewSession { world: "household".into(), task: "shipped/heat-cup-2".into(), ..NewSession::default() };
    let setup = driver::prepare_new(&new, &config, &driver::Sources::default(), driver::system_clock())?;
    let mut handle = driver::start(setup)?;
    let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::True };
    let (themes, _) = theme_file::load(wanted)?;
    let mut app = App::new(Parts { panes: stepwright::tui::panes::all(), keymap: Keymap::default(), themes });
    let mut terminal = Terminal::new(TestBackend::new(SIZE.0, SIZE.1))?;
    for step in 0..=STEPS {
        while let Ok(Some(notice)) = tokio::time::timeout(Duration::from_millis(400), handle.notices.recv()).await {
            let quiet = matches!(notice, Notice::Say { .. });
            if !quiet {
                app.notice(notice);
            }
            app.settle(Instant::now());
            terminal.draw(|frame| app.draw(frame))?;
            for effect in app.take_effects() {
                if let Effect::Send(command) = effect {
                    handle.commands.send(command)?;
                }
            }
        }
        if step < STEPS
            && let Some(proposal) = app.view.selected
        {
            handle.commands.send(Command::Gate(Request::Approve { proposal }))?;
        }
    }
    // The syntax colours arrive from a thread of their own.
    tokio::time::sleep(Duration::from_millis(500)).await;
    app.settle(Instant::now());
    terminal.draw(|frame| app.draw(frame))?;
    let title = "The Stepwright workbench: program, proposals, state and blocking conditions of a household task";
    println!("{}", stepwright::tui::svg::svg(terminal.backend().buffer(), title));
    Ok(())
}
