//! Scripts of keys: what a person presses, and what comes of it, as snapshots.
//!
//! A script is a part of a file in `scripts/`: a heading (`# what it shows`), a line with where it begins and how large the screen is
//! (`candidates 100x24`), then lines of keys as `docs/reference/keys.md` writes them, `'text'` being typed (`_` is a blank). The snapshot
//! repeats each line and says what it had sent, which dialog is open, and every row of the screen that is another one now; reversed text
//! is in «». What is asked of the driver of candidates is answered from the fixtures. Lines that begin with a word and a colon are no keys:
//!
//! - `paste: TEXT`, `click: TEXT` (where that is on the screen), `rest:` (typing rests), `later: MILLISECONDS`, `size: 80x24`
//! - `record: {"event": …}` is written into the session, `situation: {…}` are the variables at its cursor
//! - `stream: ASK INDEX TEXT`, `progress: DONE TOTAL WHAT`, `say: LEVEL TEXT`, `unwritten: failed`
//! - `check: ok` or `check: WHY NOT` (of a form of states `check: ok VERDICT`) answers what was last asked about a typed text, `late:` what was asked about the first one
//! - `mute:` and `answer:`: what is asked of candidates is not answered until then
//! - `pools: NAME NAME`: candidates for those actions too
//! - `catalog: NAME`, `failed: WHY`, `fetching: WORDS`, `fetched: ok`: what the start screen is told
//! - `duel: HEARD NAME NAME`: the sides of a duel, and how many were heard at the step
//! - `load: NAME`: another session to be compared with

use std::sync::Arc;

use crossterm::event::{Event, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};
use stepwright::driver::{
    BeliefReading, CandidateCommand, Command, FormCommand, Level, LibraryCommand, LineStatus, Notice, Request,
    Situation, Unwritten,
};
use stepwright::episode::gate::Edit;
use stepwright::episode::{self, Actor, ArtifactId, Record, Session, Verdict, replacing};
use stepwright::precondition::{Candidate, CandidateEdit, Pool};
use stepwright::tui::app::Effect;

use crate::support::fixture::{Script, comparison, episode, impact, inspection, look, pool, step_view};
use crate::support::requests::{Table, start, waiting, wrong};
use crate::support::screen::text;
use crate::support::session::{Builder, header, session};
use crate::tui_keys::{Bench, catalog};
use crate::tui_review::reviewed;

struct Play {
    bench: Bench,
    pool: Option<Pool>,
    size: (u16, u16),
    screen: Vec<String>,
    muted: bool,
    waiting: Vec<Command>,
    /// Checks asked for typed texts.
    checks: Vec<Command>,
    out: String,
}

fn size(text: &str) -> (u16, u16) {
    let (width, height) = text.trim().split_once('x').expect("WIDTHxHEIGHT");
    (width.parse().expect("columns"), height.parse().expect("rows"))
}

/// A belief that cannot be read waits.
fn unread() -> Table {
    let mut table = Table::begun();
    table.offer("The red block is dirty.", None, &[]);
    table.situation(&start());
    table
}

impl Play {
    fn new(begins: &str) -> Self {
        let (what, shape) = begins.split_once(' ').expect("where it begins, and a size");
        // The first notices of a session close the start screen.
        let over = |script: Script| {
            let mut bench = Bench::over(session(2));
            bench.app.view = script.view;
            bench
        };
        let shown = |builder: Builder| Bench::over(vec![builder.opened(), builder.situation()]);
        let mut bench = match what {
            "start" | "unread" => Bench::new(),
            "session" => Bench::open(),
            "empty" => shown(Builder::default()),
            "reviewed" => shown(reviewed()),
            "panes" => Bench::with_panes(),
            "reset" => over(Script::open()),
            "episode" | "candidates" => over(episode()),
            "belief" => Bench::over(wrong().notices),
            "belief-waits" => Bench::over(waiting().notices),
            "belief-unread" => Bench::over(unread().notices),
            other => panic!("a script does not begin at {other}"),
        };
        let pool = (what == "candidates").then(pool);
        match &pool {
            Some(pool) => bench.app.notice(Notice::Pool(Arc::new(pool.clone()))),
            None if what == "start" => bench.app.catalog(catalog("plain")),
            None => {}
        }
        let mut play = Play {
            bench,
            pool,
            size: size(shape),
            screen: Vec::new(),
            muted: false,
            waiting: Vec::new(),
            checks: Vec::new(),
            out: String::new(),
        };
        play.settle();
        play.rows();
        // What is asked at the beginning is of no script's matter.
        play.out.clear();
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
                    Effect::Send(command) => self.sent(command),
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

    fn sent(&mut self, command: Command) {
        self.say("sends", &without_numbers(&format!("{command:?}")));
        let form = matches!(command, Command::Form(FormCommand::Check { .. }));
        if form
            || matches!(command, Command::CheckText { .. } | Command::CheckProgram { .. } | Command::CheckBelief { .. })
        {
            self.checks.push(command);
            return;
        }
        let Command::Gate(Request::Change { artifact, edit }) = command else { return };
        self.record_change(artifact, &edit);
        let (Some(pool), Edit::Append(edit)) = (&mut self.pool, &edit) else { return };
        let Ok(CandidateEdit { at, before, after: Some(after) }) = serde_json::from_value(edit.clone()) else { return };
        let first = pool.candidates.first().expect("a candidate").clone();
        let old =
            pool.candidates.get_mut(at).filter(|_| before.as_ref().is_some_and(|before| before.text != after.text));
        match old {
            Some(old) => old.text = after.text,
            None if before.is_none() => pool.candidates.push(Candidate { id: at, text: after.text, ..first }),
            None => {}
        }
        self.bench.app.notice(Notice::Pool(Arc::new(pool.clone())));
    }

    /// Answers what was asked about a typed text: a program's last line does not run, where there is a reason.
    fn check(&mut self, which: usize, answer: &str) {
        let notice = match &self.checks[which] {
            Command::CheckText { token, .. } => {
                let verdict = if answer == "ok" { Ok(Verdict::default()) } else { Err(answer.to_owned()) };
                Notice::TextChecked { token: *token, verdict }
            }
            Command::Form(FormCommand::Check { token, .. }) => {
                let passes = answer.strip_prefix("ok ").map(|verdict| verdict.replace("; ", "\n"));
                Notice::FormChecked { token: *token, verdict: passes.ok_or_else(|| answer.to_owned()) }
            }
            Command::CheckBelief { token, .. } => {
                let read = |state: Value| BeliefReading::new(state, Vec::new());
                let reading = serde_json::from_str(answer).map(read).map_err(|_| answer.to_owned());
                Notice::BeliefChecked { token: *token, reading }
            }
            Command::CheckProgram { token, lines } => {
                let mut statuses = vec![LineStatus::Ran; lines.len()];
                if let Some(last) = statuses.last_mut().filter(|_| answer != "ok") {
                    *last = LineStatus::Raised(answer.into());
                }
                Notice::ProgramChecked { token: *token, lines: statuses }
            }
            other => panic!("{other:?} asks about no text"),
        };
        self.bench.app.notice(notice);
    }

    /// A record at the session's cursor, from its JSON without number, time and node.
    fn record(&self, text: &str) -> Record {
        let session = self.bench.app.view.session.as_ref().expect("a session");
        let mut line = json!({"id": session.records() + 1, "ts": 0, "node": session.cursor()});
        let event: Value = serde_json::from_str(text).expect("JSON");
        line.as_object_mut().expect("fields").extend(event.as_object().expect("fields").clone());
        serde_json::from_str(&line.to_string()).expect("a record")
    }

    /// Clicks where a text is.
    fn click(&mut self, text: &str) {
        let rows: Vec<String> = self.rows().iter().map(|row| row.replace(['«', '»'], "")).collect();
        let (row, line) = rows.iter().enumerate().find(|(_, row)| row.contains(text)).expect("it is on the screen");
        let column = line.split(text).next().unwrap_or_default().chars().count() as u16;
        let kind = MouseEventKind::Down(MouseButton::Left);
        let event = MouseEvent { kind, column, row: row as u16, modifiers: KeyModifiers::NONE };
        self.bench.app.terminal(Event::Mouse(event), self.bench.now);
    }

    /// Records a change of a document, as the gate would.
    fn record_change(&mut self, artifact: ArtifactId, edit: &Edit) {
        let Some(session) = &self.bench.app.view.session else { return };
        let patch = match edit {
            Edit::Append(entry) => Some(json!([{ "op": "add", "path": "/-", "value": entry }])),
            Edit::Redo => session.last_undone(&artifact).map(|(_, made)| replacing(&made.after)),
            _ => None,
        };
        let (by, edited, why, offer) = (Actor::Person, false, String::new(), None);
        let event = match patch {
            Some(patch) => episode::Event::ArtifactSettled { artifact, offer, patch: patch.into(), by, edited, why },
            None => episode::Event::ArtifactUndone { artifact },
        };
        let record = Record { id: session.records() + 1, ts: 0, node: session.cursor(), event };
        self.bench.app.notice(Notice::Recorded(record.into()));
    }

    /// Answers what a pane asked of candidates, as the driver would.
    fn answer(&mut self, command: Command) {
        let notice = match command {
            Command::Candidates(CandidateCommand::Try { token, text, .. }) => {
                let known = pool().candidates.iter().position(|c| c.text == text);
                let inspection = known.map(inspection).ok_or_else(|| "no demonstration calls it".to_owned());
                Notice::CandidateChecked { token, inspection }
            }
            Command::Library(LibraryCommand::Weigh { token, action, text }) => {
                Notice::Impact { token, impact: Ok(impact(&action, &text)) }
            }
            Command::Library(LibraryCommand::Show { token, stopped, text, .. }) => {
                Notice::DecisionShown { token, look: look(&stopped, &text) }
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
        let word = |word: &str| word.len() > 1 && word.chars().all(|c| c.is_ascii_lowercase());
        match line.split_once(':').filter(|(first, _)| word(first)) {
            Some((what, rest)) => self.happens(what, rest.trim()),
            None => {
                self.bench.press(line);
            }
        }
        self.settle();
        if let Some(title) = self.bench.app.dialog() {
            self.say("dialog", &title);
        }
        let rows = self.rows();
        // Of the first screen, rows without anything in them are passed over.
        let said = |row: &str| !self.screen.is_empty() || row.chars().any(|c| !" ┃│█".contains(c));
        for (at, row) in rows.iter().enumerate().filter(|(at, row)| self.screen.get(*at) != Some(row) && said(row)) {
            self.out.push_str(&format!("{:>3}|{row}\n", at + 1));
        }
        self.screen = rows;
    }

    /// Lines that are no keys.
    fn happens(&mut self, what: &str, rest: &str) {
        let ok = |text: &str| if text == "ok" { Ok(()) } else { Err(text.to_owned()) };
        let mut words = rest.splitn(3, ' ');
        let mut number = || words.next().and_then(|word| word.parse::<u64>().ok()).expect("a number");
        let notice = match what {
            "paste" => return self.bench.app.terminal(Event::Paste(rest.to_owned()), self.bench.now),
            "click" => return self.click(rest),
            "size" => return self.size = size(rest),
            "rest" => return self.bench.later(130),
            "later" => return self.bench.later(rest.parse().expect("milliseconds")),
            "check" => return self.check(self.checks.len() - 1, rest),
            "late" => return self.check(0, rest),
            "mute" => return self.muted = true,
            "answer" => {
                self.muted = false;
                return std::mem::take(&mut self.waiting).into_iter().for_each(|command| self.answer(command));
            }
            "pools" => {
                let pool = |name: &str| Notice::Pool(Arc::new(Pool { action: name.to_owned(), ..pool() }));
                return rest.split_whitespace().for_each(|name| self.bench.app.notice(pool(name)));
            }
            "catalog" => return self.bench.app.catalog(catalog(rest)),
            "failed" => return self.bench.app.launch_failed(rest.to_owned()),
            "fetching" => return self.bench.app.fetch_goes_on(rest.to_owned()),
            "fetched" => return self.bench.app.fetched(ok(rest)),
            "load" => {
                let mut other = Session::new(header());
                let mut builder = Builder::default();
                builder.propose().step().records().iter().for_each(|record| other.apply(record).expect("a record"));
                return self.bench.app.loaded(Ok((rest.to_owned(), other)));
            }
            "record" => Notice::Recorded(Arc::new(self.record(rest))),
            "situation" => {
                let variables: Value = serde_json::from_str(rest).expect("JSON");
                let node = self.bench.app.view.session.as_ref().expect("a session").cursor();
                Notice::Situation(Arc::new(Situation { node, variables, ..Situation::default() }))
            }
            "stream" => {
                let (ask, index) = (number(), number() as u32);
                Notice::Stream { ask, index, text: words.next().unwrap_or_default().to_owned() }
            }
            "progress" => {
                let (done, total) = (number() as usize, number() as usize);
                Notice::Progress { what: words.next().unwrap_or_default().to_owned(), done, total }
            }
            "say" => {
                let (level, text) = rest.split_once(' ').expect("a level, and a text");
                let level = if level == "error" { Level::Error } else { Level::Info };
                Notice::Say { level, text: serde_json::from_str(text).unwrap_or_else(|_| text.to_owned()) }
            }
            "duel" => {
                let mut words = rest.split_whitespace();
                let heard = words.next().and_then(|n| n.parse().ok()).expect("a number");
                Notice::Duel { sides: words.map(str::to_owned).collect(), heard }
            }
            "unwritten" => Notice::Unwritten(match rest {
                "failed" => Some(Unwritten::Failed),
                "lost" => Some(Unwritten::Lost),
                _ => None,
            }),
            other => panic!("no such line of a script: {other}"),
        };
        self.bench.app.notice(notice);
    }

    /// The rows of the screen, in which nothing acts on a terminal.
    fn rows(&mut self) -> Vec<String> {
        let mut terminal = Terminal::new(TestBackend::new(self.size.0, self.size.1)).expect("a test terminal");
        terminal.draw(|frame| self.bench.app.draw(frame)).expect("drawing");
        let shown = text(terminal.backend().buffer());
        assert!(!shown.contains(['\u{1b}', '\u{7}', '\u{202e}']), "{shown}");
        shown.lines().map(str::to_owned).collect()
    }
}

/// Whether a command only asks something of candidates.
fn asks(command: &Command) -> bool {
    matches!(
        command,
        Command::Library(_)
            | Command::Candidates(
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
