//! Bars of the first screens, in every world: candidates with their status, decisions in sight in Program, room that is used.

use std::sync::Arc;

use stepwright::driver::Notice;
use stepwright::sandbox::{Limits, Workers};
use stepwright::tui::pane::PaneId;
use stepwright::world::Sources;

use crate::support::driver::Watched;
use crate::support::opened::{begun, configuration};
use crate::support::screen::{pane, shown};
use crate::tui_keys::Bench;

/// Blank rows of a column at most. Most worlds stay below 6; where no demonstration calls an action its pane says little.
const MOST_BLANK: usize = 8;
/// Steps looked at in each world.
const STEPS: usize = 10;
const MARKS: [char; 5] = ['✓', '✗', '?', '□', '○'];
const STATUSES: [&str; 8] = ["suggested", "implied", "equivalent", "valid", "always", "fails", "held back", "in force"];

/// Brings the workbench and the driver to rest: each has heard all that the other said.
async fn settled(bench: &mut Bench, watched: &mut Watched) {
    loop {
        let before = watched.notices.len();
        bench.commands().into_iter().for_each(|command| watched.send(command));
        watched.quiet().await;
        for notice in &watched.notices[before..] {
            bench.app.notice(notice.clone());
        }
        bench.app.settle(bench.now);
        let asks = bench.app.view.turn().is_some_and(|turn| turn.pending().is_some());
        if watched.notices.len() == before && !asks {
            return;
        }
    }
}

/// The rows of the panes of a column of two, borders taken off.
fn column(screen: &[Vec<char>], left: usize) -> Vec<String> {
    let below = screen.iter().rposition(|row| row.iter().collect::<String>().contains('└')).unwrap_or(0);
    let rows = screen[2..=below.max(2)].iter().map(|row| row[left + 1..left + 59].iter().collect::<String>());
    rows.map(|row| row.trim_matches(|c| "│┃█ ".contains(c)).to_owned()).collect()
}

/// Lines of Program that stand for a decision: those with a mark behind their number.
fn decisions(program: &str) -> usize {
    let marked = |line: &&str| {
        let line = line.trim_start_matches(['«', '▶', ' ']);
        let after = line.trim_start_matches(|c: char| c.is_ascii_digit());
        after.len() < line.len() && after.trim_start_matches([' ', '+', '~', '"']).starts_with(MARKS)
    };
    program.lines().filter(marked).count()
}

#[tokio::test]
async fn the_first_screens_of_every_world_are_used() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let mut wrong = Vec::new();
    for world in ["household", "dialogue", "kitchen", "table", "shop", "graph"] {
        let task = Sources::default().told(world, None).unwrap().remove(0).id;
        let mut setup = begun((world, &task), ("", &[]), &config, Arc::new(|| 1_795_000_000_000), None);
        setup.sandbox = Arc::new(Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default()));
        let mut watched = Watched::start(setup);
        watched.until("candidates", |notice, _| matches!(notice, Notice::Pool(_))).await;
        let mut bench = Bench::over(watched.notices.clone());
        for _ in 0..100 {
            settled(&mut bench, &mut watched).await;
            // Pools come one after the other.
            if bench.draw(120, 40).contains(" valid") {
                break;
            }
        }
        for step in 0..STEPS {
            let text = bench.draw(120, 40);
            let screen: Vec<Vec<char>> = text.lines().map(|line| line.trim_matches('"').chars().collect()).collect();
            for (side, left) in [("left", 0), ("right", 60)] {
                let blank = column(&screen, left).iter().filter(|row| row.is_empty()).count();
                if blank > MOST_BLANK {
                    wrong.push(format!("{world}, step {step}: {blank} blank rows on the {side}\n{text}"));
                }
            }
            if step == 0 {
                let listed = |line: &&str| {
                    (line.contains("[x]") || line.contains("[ ]")) && STATUSES.iter().any(|s| line.contains(s))
                };
                if !text.contains("candidate") || text.lines().filter(listed).count() == 0 {
                    wrong.push(format!("{world}: no candidates with their status\n{text}"));
                }
            }
            bench.press("a");
            settled(&mut bench, &mut watched).await;
        }
        let mut program = pane(PaneId::Program);
        let _ = program.update(&bench.app.view);
        let text = shown(program.as_mut(), &bench.app.view, &crate::support::screen::unicode(), (58, 17), false);
        let taken = watched.session.nodes().len() - 1;
        let seen = decisions(&text);
        if seen < taken.min(8) {
            wrong.push(format!("{world}: {seen} of {taken} decisions in Program\n{text}"));
        }
        watched.quit().await;
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
