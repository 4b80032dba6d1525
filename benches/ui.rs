//! Cost of a frame and a key with a session of 10,000 records open.
#![allow(clippy::expect_used, clippy::unwrap_used, clippy::panic)]

#[path = "../tests/support/session.rs"]
#[allow(dead_code)]
mod session;

use std::time::Instant;

use criterion::{Criterion, criterion_group, criterion_main};
use crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::methods::METHODS;
use stepwright::tui::app::{App, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::theme_file::{self, Wanted};

fn app() -> App {
    let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::True };
    let (themes, _) = theme_file::load(wanted).expect("the shipped themes load");
    let mut app = App::new(Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    });
    for notice in session::session(10_000 / session::RECORDS_A_STEP) {
        app.notice(notice);
    }
    app.settle(Instant::now());
    app
}

fn frames(c: &mut Criterion) {
    let mut group = c.benchmark_group("ui, 10,000 records");
    for (width, height) in [(80, 24), (120, 40), (200, 60)] {
        let mut app = app();
        let mut terminal = Terminal::new(TestBackend::new(width, height)).expect("a test backend");
        group.bench_function(format!("frame {width}x{height}"), |b| {
            b.iter(|| terminal.draw(|frame| app.draw(frame)).map(|_| ()));
        });
        let mut down = false;
        group.bench_function(format!("key and frame {width}x{height}"), |b| {
            b.iter(|| {
                down = !down;
                let key = KeyEvent::from(KeyCode::Char(if down { 'j' } else { 'k' }));
                app.terminal(Event::Key(key), Instant::now());
                app.settle(Instant::now());
                app.take_effects();
                terminal.draw(|frame| app.draw(frame)).map(|_| ())
            });
        });
    }
    group.finish();
}

criterion_group!(benches, frames);
criterion_main!(benches);
