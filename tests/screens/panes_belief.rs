//! Beliefs and programs in the workbench: what the panes look like with them; what keys do about them is `scripts/belief.script`.

use crate::support::requests::{Table, stacked, start, waiting, wrong};
use crate::support::screen::{self, ascii, pane, shot, shown, unicode};
use crate::tui_keys::Bench;
use insta::assert_snapshot;
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use stepwright::episode::{Actor, AskKind};
use stepwright::tui::pane::{Pane, PaneAction, PaneId};
use stepwright::tui::view::View;

fn ready(id: PaneId, view: &View) -> Box<dyn Pane> {
    let mut pane = pane(id);
    let _ = pane.update(view);
    pane
}

#[test]
fn a_new_belief_that_waits() {
    let table = waiting();
    assert_snapshot!("offer_medium", shot(PaneId::Proposals, &table.view, (78, 16)));
    assert_snapshot!("offer_narrow", shot(PaneId::Proposals, &table.view, (40, 12)));
    let mut unread = Table::begun();
    unread.offer("The red block is dirty.", None, &[]);
    unread.situation(&start());
    assert_snapshot!("offer_unread", shot(PaneId::Proposals, &unread.view, (78, 12)));
    let mut state = ready(PaneId::State, &unread.view);
    assert_snapshot!("offer_unread_state_ascii", shown(state.as_mut(), &unread.view, &ascii(), (70, 20), true));
}

#[test]
fn belief_beside_truth() {
    let table = wrong();
    assert_snapshot!("belief_wide", shot(PaneId::State, &table.view, (110, 16)));
    assert_snapshot!("belief_narrow", shot(PaneId::State, &table.view, (58, 22)));
    let mut state = ready(PaneId::State, &table.view);
    assert_snapshot!("belief_ascii", shown(state.as_mut(), &table.view, &ascii(), (78, 20), false));
    let mut blind = wrong();
    blind.event(stepwright::episode::Event::BlindSet { blind: true });
    let hidden = shot(PaneId::State, &blind.view, (110, 16));
    assert!(hidden.contains("believed (the truth is hidden until you decide)"), "{hidden}");
    let waits = waiting();
    assert_snapshot!("belief_with_offer", shot(PaneId::State, &waits.view, (110, 18)));
}

#[test]
fn drift_over_the_steps() {
    let mut table = wrong();
    let program = table.propose("noop()\ndone()");
    table.take(program, "noop()\ndone()", "3 of 3: …", 0.0);
    table.situation(&stacked());
    let mut state = ready(PaneId::State, &table.view);
    let _ = (0..2).map(|_| state.act(PaneAction::Cycle, &table.view)).collect::<Vec<_>>();
    assert_eq!(state.title(&table.view), "State, drift");
    assert_snapshot!("drift_medium", shown(state.as_mut(), &table.view, &unicode(), (60, 12), true));
    assert_snapshot!("drift_small_ascii", shown(state.as_mut(), &table.view, &ascii(), (18, 6), true));
    for size in [(0, 0), (1, 1), (3, 2), (200, 3), (5, 60)] {
        let _ = shown(state.as_mut(), &table.view, &unicode(), size, true);
    }
}

#[test]
fn programs_as_they_come_are_offered_and_have_run() {
    let mut table = Table::begun();
    let ask = table.ask(AskKind::PROGRAM);
    table.stream(ask, "put_first_on_second(\"red block\", \"bl");
    assert_snapshot!("passage_streaming", shot(PaneId::Program, &table.view, (78, 12)));
    let table = wrong();
    assert_snapshot!("passage_offered", shot(PaneId::Program, &table.view, (78, 16)));
    assert_snapshot!("program_proposed", shot(PaneId::Proposals, &table.view, (78, 16)));
    let table = waiting();
    assert_snapshot!("passage_made", shot(PaneId::Program, &table.view, (110, 16)));
    assert_snapshot!("passage_made_narrow", shot(PaneId::Program, &table.view, (60, 16)));
}

#[test]
fn a_program_taken_call_by_call_stays_in_sight() {
    let mut table = Table::begun();
    let ask = table.ask(AskKind::PROGRAM);
    let calls = ["put_first_on_second(\"red block\", \"blue block\")", "update_wm(\"Put it there.\")"];
    let code = format!("# THINK: easy\n{}", calls.join("\n"));
    let program = table.propose_as(&code, None, Some(ask));
    table.take(program, calls[0], "You put the red block on the blue block.", 0.0);
    table.situation(&stacked());
    let ask = table.ask(AskKind::PROGRAM_CALL);
    table.propose_as(calls[1], Some(2), Some(ask));
    let program = shot(PaneId::Program, &table.view, (100, 14));
    assert!(program.contains("# THINK: easy") && program.contains("made: 1 call\n"), "{program}");
    assert_snapshot!("passage_call_by_call", program);
}

#[test]
fn corrections_stand_in_the_log_as_a_persons() {
    let mut table = wrong();
    table.believe(None, &stacked(), Actor::Person, false);
    table.situation(&stacked());
    let log = shot(PaneId::Log, &table.view, (100, 20));
    assert!(log.lines().any(|l| l.contains("corrected") && l.contains("person: 2 changes")), "{log}");
    let proposals = shot(PaneId::Proposals, &table.view, (78, 20));
    assert!(proposals.contains("a person corrected it, 2 changes"), "{proposals}");
}

#[test]
fn what_was_offered_for_another_belief_is_not_chosen_any_more() {
    let mut table = wrong();
    assert_eq!(table.view.selected, Some(2));
    table.believe(None, &stacked(), Actor::Person, false);
    table.situation(&stacked());
    assert_eq!(table.view.selected, None);
    let new = table.propose("say(\"yes\")");
    assert_eq!(table.view.selected, Some(new));
}

/// The whole workbench.
fn screen(bench: &mut Bench, size: (u16, u16)) -> String {
    let mut terminal = Terminal::new(TestBackend::new(size.0, size.1)).unwrap();
    terminal.draw(|frame| bench.app.draw(frame)).unwrap();
    screen::text(terminal.backend().buffer())
}

#[test]
fn the_request_is_always_in_sight() {
    let mut bench = Bench::over(wrong().notices);
    for size in [(80, 24), (120, 40), (200, 60)] {
        let screen = screen(&mut bench, size);
        let title = screen.lines().next().unwrap();
        assert!(title.contains("step 1 · request 2 of 3 · 1 ✓ 0 ✗ · The red bl"), "{title}");
        assert_snapshot!(format!("belief_{}x{}", size.0, size.1), screen);
    }
    let mut bench = Bench::over(waiting().notices);
    assert_snapshot!("belief_waits_120x40", screen(&mut bench, (120, 40)));
    bench.press("alt-4");
    assert_snapshot!("belief_waits_state_80x24", screen(&mut bench, (80, 24)));
}
