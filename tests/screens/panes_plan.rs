//! Proposals pane with a plan that is followed: done, refused and next lines, cut to what has room.

use crate::support::fixture::{self, Script, holds};
use crate::support::screen::{ascii, pane, shot, shown};
use insta::assert_snapshot;
use stepwright::episode::AskKind;
use stepwright::episode::{Action, Configuration, Event, Origin, Proposal};
use stepwright::tui::pane::PaneId;

const WRITTEN: &str = "\t# 0: get the mug\n\tfind('mug')\n\tassert('close' to 'mug')\n\t\telse: find('mug')\n\tgrab('mug')\n\
                       \t# 1: wash it\n\tfind('sinkbasin')\n\tputin('mug', 'sinkbasin')\n\tswitchon('faucet')\n\t# 2: Done";

fn asks(s: &mut Script, kind: AskKind, text: &str) -> u64 {
    let ask = s.view.session.as_ref().unwrap().next_ask();
    let model = "the plan".to_owned();
    s.event(Event::Asked { ask, kind, model, prompt: None, n: 1, temperature: 0.0 });
    s.event(Event::Answered { ask, texts: vec![text.to_owned()].into(), usage: None, ms: 0 });
    ask
}

fn line(s: &mut Script, number: usize, text: &str) -> u64 {
    let ask = asks(s, AskKind::PLAN_LINE, text);
    let id = s.view.session.as_ref().unwrap().next_proposal();
    let proposal = Proposal {
        line: Some(number),
        action: Some(Action::new(text, None)),
        rationale: Some("sub-goal `0: get the mug`".to_owned()),
        ask: Some(ask),
        ..Proposal::new(id, text, Origin::Symbolic)
    };
    s.event(Event::Proposed { proposal: proposal.into() });
    s.event(Event::Checked { proposal: id, verdict: holds().into() });
    s.event(Event::Recommended { proposal: Some(id), why: "the plan's next line".to_owned() });
    id
}

fn planned(method: &str) -> Script {
    let mut s = Script::open();
    s.event(Event::Configured(Configuration { method: method.to_owned(), ..Configuration::default() }));
    asks(&mut s, AskKind::PLAN, WRITTEN);
    let found = line(&mut s, 2, "find mug");
    s.execute(found, fixture::outcome("You see a mug.", &[]), serde_json::json!([]));
    let grabbed = line(&mut s, 5, "grab mug");
    let mut refused = fixture::outcome("Nothing happens.", &[]);
    refused.error = Some("too far".to_owned());
    s.execute(grabbed, refused, serde_json::json!([]));
    line(&mut s, 7, "find sinkbasin");
    s
}

#[test]
fn the_plan_is_above_the_chosen_line() {
    let s = planned("progprompt");
    assert_snapshot!("plan_medium", shot(PaneId::Proposals, &s.view, (60, 20)));
    assert_snapshot!("plan_wide", shot(PaneId::Proposals, &s.view, (130, 14)));
    let mut proposals = pane(PaneId::Proposals);
    let _ = proposals.update(&s.view);
    assert_snapshot!("plan_narrow_ascii", shown(proposals.as_mut(), &s.view, &ascii(), (30, 14), false));
}

#[test]
fn other_methods_show_no_plan() {
    let s = planned("few-shot");
    assert!(!shot(PaneId::Proposals, &s.view, (60, 20)).contains("made at step"));
}
