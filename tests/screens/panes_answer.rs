//! The world's answer is on the screen after every decision: sixty steps of every world, at 80x24 and 120x40.

use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use stepwright::driver::Notice;
use stepwright::episode::{Event, log};

use crate::support::program::program;
use crate::tui_screens::{app, screen};

/// Steps looked at in each world.
const STEPS: usize = 60;
/// Characters of an answer that have to be seen.
const SEEN: usize = 60;

/// Words of a text, one space between them.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Looks at every step of a session; how many there were.
fn looked_at(path: &Path, most: usize) -> usize {
    let loaded = log::load(path).unwrap();
    let records: Vec<_> = loaded.records.into_iter().map(Arc::new).collect();
    let mut steps = 0;
    for (at, record) in records.iter().enumerate() {
        let Event::Executed { outcome, .. } = &record.event else { continue };
        if steps == most {
            break;
        }
        steps += 1;
        let mut app = app(false);
        app.notice(Notice::opened(loaded.session.header.clone(), records[..=at].to_vec(), None).unwrap());
        app.settle(Instant::now());
        let said = plain(&outcome.observation);
        let wanted: String = said.chars().take(SEEN).collect();
        for (width, height) in [(80, 24), (120, 40)] {
            let text = screen(&mut app, width, height);
            // Where the conversation is a pane, its lines are those of a column.
            let column: Vec<String> =
                text.lines().map(|line| line.trim_matches('"').chars().skip(1).take(57).collect()).collect();
            let shown = plain(&text);
            assert!(
                shown.contains(wanted.trim()) || plain(&column.join("\n")).contains(wanted.trim()),
                "{}, step {steps}, {width}x{height}: {wanted}\n{shown}",
                path.display()
            );
        }
    }
    steps
}

#[test]
fn the_last_answer_is_on_the_screen_in_every_world() {
    for (world, tasks) in [
        ("household", "first=12"),
        ("kitchen", "first=6"),
        ("dialogue", "first=8"),
        ("table", "first=20"),
        ("shop", "first=14"),
        ("graph", "first=16"),
    ] {
        let folder = tempfile::tempdir().unwrap();
        let kept = folder.path().join("kept");
        let mut command = program(folder.path());
        command.args(["run", "--world", world, "--tasks", tasks, "--out", "r.jsonl", "--sessions"]).arg(&kept);
        let ran = command.current_dir(folder.path()).output().unwrap();
        assert!(kept.is_dir(), "{world}: {}", String::from_utf8_lossy(&ran.stderr));
        let mut files: Vec<_> = std::fs::read_dir(&kept).unwrap().map(|entry| entry.unwrap().path()).collect();
        files.sort();
        let steps = files.iter().fold(0, |steps, file| steps + looked_at(file, STEPS - steps));
        assert_eq!(steps, STEPS, "{world} was not played for long enough");
    }
}
