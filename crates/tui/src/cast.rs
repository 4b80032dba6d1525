//! Frames of the workbench without a terminal: what it would draw after the notices it was fed, as the bytes that bring a terminal there.

use std::io::{self, Write};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Instant;

use ratatui::backend::CrosstermBackend;
use ratatui::layout::Rect;
use ratatui::{Terminal, TerminalOptions, Viewport};

use super::app::{App, Effect, Parts};
use super::keymap::Keymap;
use super::theme::Theme;
use stepwright_episode::ProposalId;
use stepwright_method::Methods;
use stepwright_protocol::{Command, Level, Notice};
use stepwright_world::Kinds;

/// Bytes that were drawn and not taken yet.
#[derive(Debug, Clone, Default)]
struct Drawn(Arc<Mutex<Vec<u8>>>);

impl Write for Drawn {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner).extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// A workbench nobody sits at.
pub struct Frames {
    app: App,
    terminal: Terminal<CrosstermBackend<Drawn>>,
    drawn: Drawn,
}

impl Frames {
    /// A workbench of so many columns and rows.
    /// Errors: none that a buffer in memory could have; of the drawing library's interface.
    pub fn new(
        (columns, rows): (u16, u16),
        keymap: Keymap,
        themes: Vec<Theme>,
        (worlds, methods): (Kinds, &'static Methods),
    ) -> io::Result<Self> {
        let drawn = Drawn::default();
        let viewport = Viewport::Fixed(Rect::new(0, 0, columns, rows));
        let terminal = Terminal::with_options(CrosstermBackend::new(drawn.clone()), TerminalOptions { viewport })?;
        let app = App::new(Parts { panes: super::panes::all(), keymap, themes, worlds, methods });
        Ok(Frames { app, terminal, drawn })
    }

    pub fn notice(&mut self, notice: Notice) {
        self.app.notice(notice);
    }

    /// Chooses a proposal, as a person does by moving to it.
    pub fn choose(&mut self, proposal: ProposalId) {
        self.app.view.select(proposal);
        self.app.view.revision += 1;
    }

    /// Lets the panes take in what changed; the proposals whose trees they want to show.
    pub fn settle(&mut self) -> Vec<ProposalId> {
        self.app.settle(Instant::now());
        let wanted = self.app.take_effects().into_iter().filter_map(|effect| match effect {
            Effect::Send(Command::Explain { proposal }) => Some(proposal),
            _ => None,
        });
        wanted.collect()
    }

    /// The bytes that bring a terminal from the frame before to this one, with a text in the message line.
    pub fn frame(&mut self, message: &str) -> io::Result<String> {
        self.settle();
        self.app.say(Level::Info, message.to_owned());
        let app = &mut self.app;
        self.terminal.draw(|frame| app.draw(frame))?;
        let mut bytes = self.drawn.0.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(String::from_utf8_lossy(&std::mem::take(&mut *bytes)).into_owned())
    }
}
