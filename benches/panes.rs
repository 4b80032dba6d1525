//! Cost of drawing each pane with a session of 10,000 steps open: after one key, after one more step, and the first time.

#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

#[path = "../tests/support/fixture.rs"]
mod fixture;
#[path = "../tests/support/screen.rs"]
mod screen;

use std::hint::black_box;

use criterion::{Criterion, criterion_group, criterion_main};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use ratatui::layout::Rect;
use stepwright::tui::pane::{PANES, PaneAction};

const STEPS: u64 = 10_000;

fn panes(c: &mut Criterion) {
    let view = fixture::long(STEPS);
    let theme = screen::unicode();
    let area = Rect::new(0, 0, 100, 40);
    for &id in PANES {
        let mut terminal = Terminal::new(TestBackend::new(area.width, area.height)).expect("a test terminal");
        let mut pane = screen::pane(id);
        let _ = pane.update(&view);
        // All that is loaded in the background is there before the steady state is measured.
        std::thread::sleep(std::time::Duration::from_millis(300));
        let mut group = c.benchmark_group(id.title());
        group.bench_function("key_and_frame", |b| {
            let mut down = true;
            b.iter(|| {
                down = !down;
                let _ = pane.act(if down { PaneAction::Down } else { PaneAction::Up }, &view);
                let _ = pane.update(&view);
                let _ = terminal.draw(|f| pane.render(black_box(&view), &theme, area, f, true));
            });
        });
        group.bench_function("page_and_frame", |b| {
            let mut n = 0u32;
            b.iter(|| {
                n += 1;
                let _ = pane.act(if n % 100 < 50 { PaneAction::PageUp } else { PaneAction::PageDown }, &view);
                let _ = terminal.draw(|f| pane.render(black_box(&view), &theme, area, f, true));
            });
        });
        group.sample_size(10).bench_function("first_frame", |b| {
            b.iter(|| {
                let mut pane = screen::pane(id);
                let _ = pane.update(black_box(&view));
                let _ = terminal.draw(|f| pane.render(&view, &theme, area, f, true));
            });
        });
        group.finish();
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .measurement_time(std::time::Duration::from_secs(1))
        .warm_up_time(std::time::Duration::from_millis(300));
    targets = panes
}
criterion_main!(benches);
