//! Workbench over a made-up session, without a driver behind it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepwright::driver::Handle;
use stepwright::methods::METHODS;
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::launcher::{Catalog, Choice, ExportForm, Launcher};
use stepwright::tui::manner::Manner;
use stepwright::tui::run::{Options, run};
use stepwright::tui::theme_file::{self, Wanted};

use crate::support::session;

/// Opens a session of that many records for any request.
struct Replay(usize);

impl Launcher for Replay {
    fn catalog(&self) -> Catalog {
        Catalog::default()
    }

    fn start(&self, _: &Choice) -> Result<Handle, String> {
        self.open(Path::new(""))
    }

    fn open(&self, _: &Path) -> Result<Handle, String> {
        let (commands, mut received) = tokio::sync::mpsc::unbounded_channel();
        let (notify, notices) = tokio::sync::mpsc::unbounded_channel();
        for notice in session::session(self.0 / session::RECORDS_A_STEP) {
            notify.send(notice).map_err(|e| e.to_string())?;
        }
        std::thread::spawn(move || {
            // Holds the channels open until the workbench lets go of its end.
            while received.blocking_recv().is_some() {}
            drop(notify);
        });
        Ok(Handle { commands, notices })
    }

    fn export(&self, _: &Path, _: ExportForm, _: &Path) -> Result<(), String> {
        Err("nothing to export".into())
    }
}

/// Runs the workbench over a session of that many records.
pub fn workbench(records: usize) -> std::io::Result<()> {
    let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::Indexed };
    let (themes, _) = theme_file::load(wanted).map_err(std::io::Error::other)?;
    let options = Options {
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
        manner: Manner::default(),
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        mouse: true,
        begin: None,
        open: Some(PathBuf::from("replayed")),
        problem: None,
        mirror: None,
    };
    run(Arc::new(Replay(records)), options).map(|_| ())
}
