//! Scripts of keys: what a person presses, and what comes of it, as snapshots.
//!
//! A script is a part of a file in `scripts/`: a heading (`# what it shows`), a line with where it begins and how large the screen is
//! (`candidates 100x24`), then lines of keys as `docs/reference/keys.md` writes them, `'text'` being typed (`_` is a blank). The snapshot
//! repeats each line and says what it had sent, which dialog is open, and every row of the screen that is another one now; reversed text
//! is in «». What is asked of the driver of candidates is answered from the fixtures. Lines that begin with a word and a colon are no keys:
//!
//! - `paste: TEXT`, `rest:` (typing rests), `size: 80x24`
//! - `mute:` and `answer:`: what is asked is not answered until then
//! - `pools: NAME NAME`: candidates for those actions too

use std::sync::Arc;
use std::time::{Duration, Instant};

use crossterm::event::Event;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::driver::{CandidateCommand, Command, Notice};
use stepwright::precondition::{Candidate, Pool};
use stepwright::tui::app::{App, Effect, Parts};
use stepwright::tui::keymap::Keymap;
use stepwright::tui::theme::{Theme, UNICODE};

use crate::support::fixture::{comparison, episode, inspection, pool, step_view};
use crate::support::screen::text;
use crate::support::session::session;
use crate::tui_keys::{Bench, catalog};

struct Play {
    bench: Bench,
    pool: Option<Pool>,
    size: (u16, u16),
    screen: Vec<String>,
    muted: bool,
    waiting: Vec<Command>,
    out: String,
}

fn size(text: &str) -> (u16, u16) {
    let (width, height) = text.trim().split_once('x').expect("WIDTHxHEIGHT");
    (width.parse().expect("columns"), height.parse().expect("rows"))
}

impl Play {
    fn new(begins: &str) -> Self {
        let (what, shape) = begins.split_once(' ').expect("where it begins, and a size");
        let (bench, pool) = match what {
            "start" => {
                let mut bench = Bench::new();
                bench.app.catalog(catalog());
                (bench, None)
            }
            "session" => (Bench::open(), None),
            "panes" => (Bench::with_panes(), None),
            "candidates" => {
                let themes = vec![Theme::monochrome(UNICODE)];
                let parts = Parts { panes: stepwright::tui::panes::all(), keymap: Keymap::default(), themes };
                let mut app = App::new(parts);
                // The first notices of a session close the start screen.
                session(2).into_iter().for_each(|notice| app.notice(notice));
                app.settle(Instant::now());
                app.take_effects();
                app.view = episode().view;
                app.notice(Notice::Pool(Arc::new(pool())));
                (Bench { app, now: Instant::now() }, Some(pool()))
            }
            other => panic!("a script begins at start, session, panes or candidates, not at {other}"),
        };
        let (screen, waiting) = (Vec::new(), Vec::new());
        let mut play = Play { bench, pool, size: size(shape), screen, muted: false, waiting, out: String::new() };
        play.settle();
        play
    }

    /// Lets everything take in what changed, answers what is asked, and says what was done besides.
    fn settle(&mut self) {
        for _ in 0..8 {
            self.bench.app.settle(self.bench.now);
            let effects = self.bench.app.take_effects();
            if effects.is_empty() {
                break;
            }
            for effect in effects {
                match effect {
                    Effect::Send(command) if self.pool.is_some() && asks(&command) => self.waiting.push(command),
                    Effect::Send(Command::Explain { .. }) => {}
                    Effect::Send(command) => self.sent(&command),
                    Effect::Catalog => {}
                    other => self.say("does", &format!("{other:?}")),
                }
            }
            if !self.muted {
                let waiting = std::mem::take(&mut self.waiting);
                waiting.into_iter().for_each(|command| self.answer(command));
            }
        }
    }

    fn say(&mut self, what: &str, text: &str) {
        self.out.push_str(&format!("    {what} {text}\n"));
    }

    fn sent(&mut self, command: &Command) {
        self.say("sends", &without_numbers(&format!("{command:?}")));
        if let (Some(pool), Command::Candidates(CandidateCommand::Put { text, id, .. })) = (&mut self.pool, command) {
            let first = pool.candidates.first().expect("a candidate").clone();
            let new = Candidate { id: pool.candidates.len(), text: text.clone(), ..first };
            match id.and_then(|id| pool.candidates.iter_mut().find(|c| c.id == id)) {
                Some(old) => old.text.clone_from(text),
                None => pool.candidates.push(new),
            }
            self.bench.app.notice(Notice::Pool(Arc::new(pool.clone())));
        }
    }

    /// Answers what a pane asked of candidates, as the driver would.
    fn answer(&mut self, command: Command) {
        let notice = match command {
            Command::Candidates(CandidateCommand::Try { token, text, .. }) => {
                let known = pool().candidates.iter().position(|c| c.text == text);
                let inspection = known.map(inspection).ok_or_else(|| "no demonstration calls it".to_owned());
                Notice::CandidateChecked { token, inspection }
            }
            Command::Candidates(CandidateCommand::Compare { token, left, right }) => {
                self.say("compares", &format!("{} with {}", left.name(), right.name()));
                let (comparison, right) = comparison();
                Notice::SetsCompared { token, comparison, right }
            }
            other => {
                self.say("asks", &without_numbers(&format!("{other:?}")));
                let (Command::Candidates(CandidateCommand::ShowStep { token, .. })
                | Command::Candidates(CandidateCommand::ShowDifference { token, .. })) = other
                else {
                    return;
                };
                Notice::StepShown { token, step: step_view() }
            }
        };
        self.bench.app.notice(notice);
    }

    fn line(&mut self, line: &str) {
        self.out.push_str(&format!("> {line}\n"));
        match line.split_once(':').filter(|(word, _)| word.chars().all(|c| c.is_ascii_lowercase()) && word.len() > 1) {
            Some(("paste", text)) => self.bench.app.terminal(Event::Paste(text.trim().to_owned()), self.bench.now),
            Some(("size", text)) => self.size = size(text),
            Some(("rest", _)) => {
                std::thread::sleep(Duration::from_millis(130));
                self.bench.later(130);
            }
            Some(("mute", _)) => self.muted = true,
            Some(("answer", _)) => {
                self.muted = false;
                let waiting = std::mem::take(&mut self.waiting);
                waiting.into_iter().for_each(|command| self.answer(command));
            }
            Some(("pools", names)) => {
                for name in names.split_whitespace() {
                    self.bench.app.notice(Notice::Pool(Arc::new(Pool { action: name.to_owned(), ..pool() })));
                }
            }
            Some((other, _)) => panic!("no such line of a script: {other}"),
            None => {
                self.bench.press(line);
            }
        }
        self.settle();
        if let Some(title) = self.bench.app.dialog() {
            self.say("dialog", &title);
        }
        self.draw();
    }

    /// Says which rows of the screen are others now.
    fn draw(&mut self) {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).expect("a test terminal");
        terminal.draw(|frame| self.bench.app.draw(frame)).expect("drawing");
        let screen: Vec<String> = text(terminal.backend().buffer()).lines().map(str::to_owned).collect();
        for (at, row) in screen.iter().enumerate().filter(|(at, row)| self.screen.get(*at) != Some(row)) {
            self.out.push_str(&format!("{:>3}|{row}\n", at + 1));
        }
        self.screen = screen;
    }
}

/// Whether a command only asks something of candidates.
fn asks(command: &Command) -> bool {
    matches!(
        command,
        Command::Candidates(
            CandidateCommand::Try { .. }
                | CandidateCommand::Compare { .. }
                | CandidateCommand::ShowStep { .. }
                | CandidateCommand::ShowDifference { .. }
        )
    )
}

/// A command in words without the numbers of questions, which are others at each run.
fn without_numbers(text: &str) -> String {
    let mut parts = text.split("token: ");
    let first = parts.next().unwrap_or_default().to_owned();
    parts.fold(first, |out, part| out + part.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(", "))
}

#[test]
fn scripts_show_what_they_showed() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/screens/scripts");
    let mut files: Vec<_> =
        std::fs::read_dir(folder).expect("scripts").map(|file| file.expect("a file").path()).collect();
    files.sort();
    for file in files {
        let name = file.file_stem().expect("a name").to_string_lossy().into_owned();
        let text = std::fs::read_to_string(&file).expect("a script");
        let mut out = String::new();
        for script in text.split("\n# ") {
            let mut lines = script.lines().filter(|line| !line.trim().is_empty());
            let title = lines.next().unwrap_or_default().trim_start_matches("# ");
            let mut play = Play::new(lines.next().expect("where it begins"));
            lines.for_each(|line| play.line(line));
            out.push_str(&format!("# {title}\n{}\n", play.out));
        }
        insta::assert_snapshot!(format!("script_{name}"), out);
    }
}
