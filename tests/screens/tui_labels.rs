//! What stands on the screen as a key is that key: every pane in every world, with every label that is drawn there.

use std::sync::Arc;

use stepwright::driver::Notice;
use stepwright::episode::Event;
use stepwright::sandbox::{Limits, Workers};
use stepwright::tui::actions::ActionId;
use stepwright::tui::app::App;
use stepwright::tui::pane::{PANES, PaneAction, PaneId};
use stepwright::worlds::WORLDS;

use crate::support::driver::Watched;
use crate::support::opened::{begun, configuration};
use crate::tui_keys::Bench;

/// The words of the `x` of each pane: each is about the row under the cursor.
fn is_about_the_row(action: ActionId, focus: PaneId) -> bool {
    match action {
        ActionId::Reject => focus == PaneId::Proposals,
        ActionId::Pane(PaneAction::ToggleReject) => focus != PaneId::Proposals,
        _ => false,
    }
}

fn wrong_labels(app: &App, place: &str) -> Vec<String> {
    let mut wrong = Vec::new();
    for hint in app.hints() {
        let meaning = app.meaning(&hint.key);
        if meaning.is_none() || meaning != hint.action {
            wrong.push(format!("{place}: `{} {}` does {meaning:?}", hint.key, hint.word));
        }
    }
    if let Some(action) = app.meaning("x").filter(|action| !is_about_the_row(*action, app.focus())) {
        wrong.push(format!("{place}: `x` does {action:?}"));
    }
    wrong
}

#[tokio::test]
async fn every_label_of_every_pane_in_every_world_is_its_key() {
    let folder = tempfile::tempdir().unwrap();
    let config = configuration(folder.path());
    let (mut wrong, mut seen) = (Vec::new(), 0);
    for world in WORLDS.iter().map(|kind| kind.name) {
        let tasks = stepwright::worlds::sources().told(world, None).unwrap_or_default();
        let Some(task) = tasks.first() else { continue };
        let clock = Arc::new(|| 1_795_000_000_000);
        let mut setup = begun((world, &task.id), ("", &[]), &config, clock, None);
        setup.sandbox = Workers::at(env!("CARGO_BIN_EXE_stepwright"), Limits::default());
        let mut watched = Watched::start(setup);
        let settled = |notice: &Notice, _: &_| match notice {
            Notice::Recorded(record) => {
                matches!(record.event, Event::Recommended { .. } | Event::ArtifactOffered { .. })
            }
            _ => false,
        };
        watched.until("something is offered", settled).await;
        let mut bench = Bench::over(watched.notices.clone());
        for (pane, number) in PANES.iter().zip(1..) {
            for (width, height) in [(80, 24), (120, 40), (200, 60)] {
                bench.draw(width, height);
                bench.press(&format!("alt-{number}"));
                assert_eq!(bench.app.focus(), *pane);
                let place = format!("{} in {world} at {width}x{height}", pane.title());
                wrong.extend(wrong_labels(&bench.app, &place));
                // A digit on the bar of tabs is part of a key that goes there.
                let bar = bench.draw(width, height).lines().nth(1).unwrap_or_default().to_owned();
                for (other, number) in PANES.iter().zip(1..) {
                    if bar.contains(&format!("{number} {}", other.title()))
                        && !bar.contains(&format!("F{number} {}", other.title()))
                    {
                        wrong.push(format!("{place}: the bar has {number} for {}", other.title()));
                    }
                }
                seen += 1;
            }
        }
        watched.quit().await;
    }
    assert!(seen >= 5 * PANES.len() * 3, "{seen} screens");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
