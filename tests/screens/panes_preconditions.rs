//! Preconditions pane: what it does with keys, and what it shows in every state and size.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{Script, comparison, episode, inspection, place, pool, step_view};
use crate::support::screen::{ascii, buffer, pane, shown, text, unicode};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers, MouseButton, MouseEvent, MouseEventKind};
use insta::assert_snapshot;
use stepwright::driver::{Command, Level, Notice, SetSource, WorkshopCommand};
use stepwright::episode::{Actor, Adopted, Origin};
use stepwright::precondition::{AdoptedSet, CandidateOrigin, Counterpart, Fate, Finding, Ranking, SideBySide};
use stepwright::tui::event::Input;
use stepwright::tui::pane::{FileUse, Intent, Pane, PaneAction, PaneId};
use stepwright::tui::view::View;

const SIZE: (u16, u16) = (90, 20);

pub(crate) struct Bench {
    pub(crate) s: Script,
    pub(crate) p: Box<dyn Pane>,
}

impl Bench {
    /// A pane over an episode with a pool of seven candidates for `take`, of which the rows are: in force, the deleted, two
    /// equivalent optimal ones, the weaker, the unknown, the failing, the malformed.
    pub(crate) fn new() -> Self {
        let mut s = episode();
        s.view.notice(Notice::Pool(Arc::new(pool())));
        let p = pane(PaneId::Preconditions);
        let mut bench = Bench { s, p };
        bench.settle();
        bench
    }

    /// Lets the pane take the view in, and answers what it asks about a candidate.
    fn settle(&mut self) {
        let intents = self.p.update(&self.s.view);
        self.answer(&intents);
    }

    fn answer(&mut self, intents: &[Intent]) {
        for intent in intents {
            let Intent::Send(Command::Workshop(WorkshopCommand::Try { token, text, .. })) = intent else { continue };
            let known = pool().candidates.iter().position(|c| c.text == *text);
            let inspection = known.map(inspection).ok_or_else(|| "no demonstration calls it".to_owned());
            self.s.view.notice(Notice::CandidateChecked { token: *token, inspection });
        }
        let _ = self.p.update(&self.s.view);
    }

    /// Does an action; what it wants beside looking at a candidate.
    pub(crate) fn act(&mut self, action: PaneAction) -> Vec<Intent> {
        let (looks, others): (Vec<_>, Vec<_>) = self
            .p
            .act(action, &self.s.view)
            .into_iter()
            .partition(|i| matches!(i, Intent::Send(Command::Workshop(WorkshopCommand::Try { .. }))));
        self.answer(&looks);
        others
    }

    pub(crate) fn down(&mut self, n: usize) -> &mut Self {
        for _ in 0..n {
            assert!(self.act(PaneAction::Down).is_empty());
        }
        self
    }

    fn sent(&mut self, action: PaneAction) -> Command {
        match self.act(action).as_slice() {
            [Intent::Send(command)] => command.clone(),
            other => panic!("one command, not {other:?}"),
        }
    }

    fn said(&mut self, action: PaneAction) -> String {
        match self.act(action).as_slice() {
            [Intent::Say(_, text)] => text.clone(),
            other => panic!("a message, not {other:?}"),
        }
    }

    pub(crate) fn screen(&mut self) -> String {
        text(&buffer(self.p.as_mut(), &self.s.view, &unicode(), SIZE, true))
    }

    pub(crate) fn shot(&mut self, size: (u16, u16)) -> String {
        shown(self.p.as_mut(), &self.s.view, &unicode(), size, true)
    }

    pub(crate) fn keys(&mut self, text: &str) -> Vec<Intent> {
        text.chars().flat_map(|c| self.press(KeyCode::Char(c))).collect()
    }

    pub(crate) fn press(&mut self, code: KeyCode) -> Vec<Intent> {
        self.p.input(Input::Key(KeyEvent::new(code, KeyModifiers::NONE)), &self.s.view)
    }

    /// Lets typing rest until the pane sends what it debounced.
    fn rest(&mut self) -> Command {
        for _ in 0..50 {
            std::thread::sleep(Duration::from_millis(20));
            for intent in self.p.wake(&self.s.view) {
                if let Intent::Send(command) = intent {
                    return command;
                }
            }
        }
        panic!("nothing was sent after a pause");
    }

    /// Shows the step that was asked for.
    fn step(&mut self, command: &Command) {
        let (Command::Workshop(WorkshopCommand::ShowStep { token, .. })
        | Command::Workshop(WorkshopCommand::ShowDifference { token, .. })) = command
        else {
            panic!("no step was asked for: {command:?}")
        };
        self.s.view.notice(Notice::StepShown { token: *token, step: step_view() });
        self.settle();
    }

    fn sets(&mut self, command: &Command) {
        let Command::Workshop(WorkshopCommand::Compare { token, .. }) = command else {
            panic!("no comparison: {command:?}")
        };
        let (comparison, right) = comparison();
        self.s.view.notice(Notice::SetsCompared { token: *token, comparison, right });
        self.settle();
    }
}

/// What adopting puts in force, and what is asked before.
fn adopted(b: &mut Bench, rows: Vec<SideBySide>) -> (Vec<String>, String) {
    let intents = b.act(PaneAction::Adopt);
    let intents = match &intents[..] {
        [Intent::Send(Command::Workshop(WorkshopCommand::Compare { token, left, right }))] => {
            assert_eq!((left.name(), right.name()), ("in force".into(), "marked".into()));
            let (comparison, right) = comparison();
            let mut comparison = (*comparison).clone();
            comparison.actions[0].rows = rows;
            b.s.view.notice(Notice::SetsCompared { token: *token, comparison: Arc::new(comparison), right });
            b.p.update(&b.s.view)
        }
        _ => intents,
    };
    match &intents[..] {
        [Intent::Send(Command::Workshop(WorkshopCommand::Adopt { assertions, .. }))] => {
            (assertions.clone(), String::new())
        }
        [Intent::Confirm { commands, question, .. }] => match commands.as_slice() {
            [Command::Workshop(WorkshopCommand::Adopt { assertions, .. })] => (assertions.clone(), question.clone()),
            other => panic!("{other:?}"),
        },
        other => panic!("{other:?}"),
    }
}

fn row(left: &str, right: &str, counterpart: Counterpart) -> SideBySide {
    let text = |t: &str| (!t.is_empty()).then(|| t.to_owned());
    SideBySide { left: text(left), right: text(right), counterpart, finding: None }
}

#[test]
fn adopting_asks_before_it_drops_what_is_in_force() {
    let mut b = Bench::new();
    // Unasked: the suggested ones. What is in force is not among them: a question.
    let rows = vec![
        row("self.inventory is None", "", Counterpart::Only),
        row("", "self.location == recep", Counterpart::Only),
    ];
    let (assertions, question) = adopted(&mut b, rows);
    assert_eq!(assertions, ["self.location == recep"]);
    assert!(question.contains("It adds 1:\n  + self.location == recep\n"), "{question}");
    let drops = "It drops 1:\n  - self.inventory is None\n    nothing else forbids as much\n";
    assert!(question.contains(drops), "{question}");
    // What is only said with other words is not dropped: no question.
    let reworded = vec![row("self.inventory is None", "self.location == recep", Counterpart::Equivalent)];
    assert_eq!(adopted(&mut b, reworded).1, "");
    // The first row is what is in force; with it nothing is dropped and nothing asked.
    b.act(PaneAction::ToggleFold);
    let both = vec!["self.inventory is None".to_owned(), "self.location == recep".to_owned()];
    assert_eq!(adopted(&mut b, vec![]), (both.clone(), String::new()));
    let origin = "inferred".into();
    let set = Adopted { action: "take".into(), assertions: both, origin };
    b.s.event(set.event(Actor::Person));
    b.settle();
    assert!(b.said(PaneAction::Adopt).contains("in force for take already"));
}

#[test]
fn what_is_adopted_and_dropped_is_weighed_in_the_question() {
    let mut b = Bench::new();
    let first = Some(place(7));
    let finding = Finding { fate: Fate::Valid, coverage: Some(12), instances: 64, optimal: true, forbids: 52, first };
    let with = |row: SideBySide| SideBySide { finding: Some(finding.clone()), ..row };
    let rows = vec![
        with(row("self.inventory is None", "", Counterpart::Only)),
        with(row("", "self.location == recep", Counterpart::Only)),
    ];
    let (_, question) = adopted(&mut b, rows);
    let valid =
        "+ self.location == recep\n    valid at all 11 calls; |C| 12 of 64 instances; nothing valid is stronger\n";
    assert!(question.contains(valid), "{question}");
    let dropped = "- self.inventory is None\n    optimal by Equation (1): it alone forbids 52 of 64 instances, first take('mug 1', 'desk 1') in \
                   demonstration 3 (heat-3), before call 8\n";
    assert!(question.contains(dropped), "{question}");
    let failing = Fate::Fails {
        demonstration: 0,
        call: 0,
        at: String::new(),
        exception: "AssertionError".into(),
        message: String::new(),
        failing: 12,
    };
    let fails = Finding { fate: failing, ..finding.clone() };
    let (_, question) = adopted(
        &mut b,
        vec![
            row("self.inventory is None", "", Counterpart::Only),
            SideBySide { finding: Some(fails), ..row("", "self.location == recep", Counterpart::Only) },
        ],
    );
    assert!(question.contains("    fails in 12 demonstrations\n"), "{question}");
}

#[test]
fn what_was_held_back_is_shown_marked_and_ranked_by_either_rule() {
    let mut b = Bench::new();
    let held = "self.hands == 0";
    let screen = b.screen();
    assert!(screen.contains("H 1 held back") && !screen.contains(held), "{screen}");
    assert!(b.said(PaneAction::HeldBack).contains("1 valid candidate held back"));
    let screen = b.screen();
    assert!(screen.contains(held) && screen.contains("Equation (1) alone would suggest it"), "{screen}");
    assert!(b.said(PaneAction::ToggleReject).contains("unless you mark it"));
    b.act(PaneAction::ToggleFold);
    // Hidden again, what is marked stays in sight and is adopted.
    assert!(b.said(PaneAction::HeldBack).contains("hidden, but for those you marked"));
    assert!(b.screen().contains(held));
    let only = vec![row("self.inventory is None", "", Counterpart::Only)];
    assert_eq!(adopted(&mut b, only.clone()).0, ["self.location == recep", held]);
    // The other ranking suggests it by itself.
    let mut b = Bench::new();
    assert!(b.said(PaneAction::Ranking).contains("Equation (1) alone"));
    let screen = b.screen();
    assert!(screen.contains("2 suggested (Equation (1) alone)"), "{screen}");
    assert_eq!(adopted(&mut b, only.clone()).0, [held, "self.location == recep"]);
    assert!(b.said(PaneAction::HeldBack).contains("ranks every valid candidate"));
    assert!(b.said(PaneAction::Ranking).contains("evidence rule"));
    assert_eq!(adopted(&mut b, only).0, ["self.location == recep"]);
}

#[test]
fn eight_candidates_are_in_sight_in_a_pane_of_fifteen_rows() {
    let mut b = Bench::new();
    let shot = text(&buffer(b.p.as_mut(), &b.s.view, &unicode(), (58, 15), true));
    assert!(shot.matches("[ ]").count() + shot.matches("[x]").count() >= 8, "{shot}");
    assert!(shot.contains("why"), "{shot}");
}

#[test]
fn what_replaces_a_suggested_row_is_marked_in_its_place() {
    let mut b = Bench::new();
    b.down(2);
    b.act(PaneAction::Edit);
    b.keys(" or True");
    let text = "self.location == recep or True".to_owned();
    b.press(KeyCode::Enter);
    let mut edited = pool();
    edited.candidates[1].text = text.clone();
    b.s.view.notice(Notice::Pool(Arc::new(edited)));
    b.settle();
    assert_eq!(adopted(&mut b, vec![row("self.inventory is None", "", Counterpart::Only)]).0, [text]);
}

#[test]
fn deleted_candidates_are_restored_and_not_marked() {
    let mut b = Bench::new();
    b.down(1);
    assert!(b.said(PaneAction::ToggleFold).contains("x restores it"));
    assert_eq!(
        b.sent(PaneAction::ToggleReject),
        Command::Workshop(WorkshopCommand::Reject { action: "take".into(), id: 6, rejected: false })
    );
    b.act(PaneAction::Up);
    assert!(b.said(PaneAction::ToggleReject).contains("A drops the others"));
}

#[test]
fn what_is_edited_has_its_verdict_before_a_key_is_pressed() {
    let mut b = Bench::new();
    b.down(2);
    b.p.act(PaneAction::Edit, &b.s.view).iter().for_each(|intent| {
        assert!(matches!(intent, Intent::Send(Command::Workshop(WorkshopCommand::Try { .. }))), "{intent:?}");
    });
    let screen = b.screen();
    assert!(screen.contains("as you type") && screen.contains("|C|"), "{screen}");
    // An expression that is still being inspected is reported as soon as it is known.
    let mut fresh = pane(PaneId::Preconditions);
    let _ = fresh.update(&b.s.view);
    let asked = fresh.act(PaneAction::Edit, &b.s.view);
    let tokens: Vec<u64> = asked
        .iter()
        .filter_map(|i| match i {
            Intent::Send(Command::Workshop(WorkshopCommand::Try { token, .. })) => Some(*token),
            _ => None,
        })
        .collect();
    let first = tokens[0];
    assert!(shown(fresh.as_mut(), &b.s.view, &unicode(), SIZE, true).contains("checking against the demonstrations"));
    b.s.view.notice(Notice::CandidateChecked { token: first, inspection: Ok(inspection(0)) });
    let _ = fresh.update(&b.s.view);
    assert!(!shown(fresh.as_mut(), &b.s.view, &unicode(), SIZE, true).contains("checking against"));
    // A new expression has nothing to look at yet.
    let mut b = Bench::new();
    assert!(b.act(PaneAction::Add).is_empty());
}

#[test]
fn what_must_come_first_is_said() {
    let s = episode();
    let mut p = pane(PaneId::Preconditions);
    let _ = p.update(&s.view);
    assert!(!p.actions(&s.view).iter().any(|(a, _)| *a == PaneAction::Score));
    let missing = p.missing(PaneAction::Score, &s.view).expect("words");
    assert!(missing.contains("no candidates to score yet: I infers them"), "{missing}");
    let b = Bench::new();
    assert_eq!(b.p.missing(PaneAction::Score, &b.s.view), None, "it is offered now");
    assert_eq!(b.p.missing(PaneAction::Cycle, &s.view), None);
}

#[test]
fn a_candidate_is_looked_at_as_it_is_typed() {
    let mut b = Bench::new();
    b.down(2);
    b.act(PaneAction::Edit);
    let wake = b.keys("s");
    assert!(matches!(wake[..], [Intent::WakeIn(_)]));
    let Command::Workshop(WorkshopCommand::Try { token, action, text }) = b.rest() else { panic!("a try") };
    assert_eq!((action.as_str(), text.as_str()), ("take", "self.location == receps"));
    let mut seen = (*inspection(3)).clone();
    seen.candidate.text = text;
    seen.candidate.fate = Fate::Fails {
        demonstration: 0,
        call: 1,
        at: "agent.take('a', 'b')".into(),
        exception: "NameError".into(),
        message: "name 'receps' is not defined".into(),
        failing: 12,
    };
    b.s.view.notice(Notice::CandidateChecked { token, inspection: Ok(Arc::new(seen)) });
    b.settle();
    let screen = b.screen();
    assert!(screen.contains("NameError: name 'receps' is not defined"), "{screen}");
    assert!(screen.contains("demonstration 1, call 2: agent.take('a', 'b')"), "{screen}");
    assert!(screen.contains("implied by self.location == recep"), "{screen}");
    let put = b.press(KeyCode::Enter);
    let text = "self.location == receps".to_owned();
    assert_eq!(
        put,
        [Intent::Send(Command::Workshop(WorkshopCommand::Put { action: "take".into(), id: Some(1), text }))]
    );
    // What cannot be decided is reported where it is typed.
    b.act(PaneAction::Add);
    b.keys("x");
    let Command::Workshop(WorkshopCommand::Try { token, .. }) = b.rest() else { panic!("a try") };
    b.s.view.notice(Notice::CandidateChecked { token, inspection: Err("no demonstration calls `take`".into()) });
    b.settle();
    assert!(b.screen().contains("no demonstration calls `take`"));
    assert!(b.press(KeyCode::Esc).is_empty());
}

#[test]
fn inference_is_started_for_one_or_all_by_enumerator_or_model() {
    let mut b = Bench::new();
    let mut other = pool();
    other.action = "goto".into();
    b.s.view.notice(Notice::Pool(Arc::new(other)));
    b.settle();
    let infer = |action: Option<&str>, origin| {
        Command::Workshop(WorkshopCommand::Infer { action: action.map(str::to_owned), origin })
    };
    assert_eq!(b.sent(PaneAction::Run), infer(Some("goto"), CandidateOrigin::Enumerated));
    b.act(PaneAction::Right);
    b.act(PaneAction::Cycle);
    assert_eq!(b.sent(PaneAction::Run), infer(Some("take"), CandidateOrigin::Model));
    assert_eq!(b.sent(PaneAction::RunAll), infer(None, CandidateOrigin::Model));
    assert_eq!(b.act(PaneAction::Options), [Intent::AskCandidates]);
    let wide = text(&buffer(b.p.as_mut(), &b.s.view, &unicode(), (180, 20), true));
    assert!(wide.contains("I infers by the model: 3 demonstrations, each asked once, sampled 8 times"), "{wide}");
    b.act(PaneAction::Add);
    b.keys("obj");
    let put = Command::Workshop(WorkshopCommand::Put { action: "take".into(), id: None, text: "obj".into() });
    assert_eq!(b.press(KeyCode::Enter), [Intent::Send(put)]);
    let _ = b.screen();
    let event =
        MouseEvent { kind: MouseEventKind::Down(MouseButton::Left), column: 1, row: 0, modifiers: KeyModifiers::NONE };
    b.p.mouse(event, &b.s.view);
    assert!(b.p.title(&b.s.view).contains("goto"), "a click on a tab shows it");
}

#[test]
fn the_tab_follows_the_chosen_proposal_until_another_is_picked() {
    let mut b = Bench::new();
    for action in ["goto", "aim"] {
        let mut other = pool();
        other.action = action.into();
        b.s.view.notice(Notice::Pool(Arc::new(other)));
    }
    b.settle();
    let title = |b: &Bench| b.p.title(&b.s.view);
    assert!(title(&b).contains("of goto"), "the chosen proposal goes: {}", title(&b));
    let take = b.s.propose("take mug 1 from desk 1", Some("agent.take('mug 1', 'desk 1')"), Origin::Sample, None);
    b.s.view.select(take);
    b.settle();
    assert!(title(&b).contains("of take"));
    b.act(PaneAction::Right);
    assert!(title(&b).contains("of aim"), "around the end");
    b.settle();
    assert!(title(&b).contains("of aim"), "a person's pick stays");
    b.act(PaneAction::Follow);
    assert!(title(&b).contains("of take"));
}

#[test]
fn picked_candidates_are_merged_and_marks_stay() {
    let mut b = Bench::new();
    // The first row is marked for adoption, and stays so.
    b.act(PaneAction::ToggleFold);
    assert!(b.said(PaneAction::MergeAll).contains("0 picked, . picks"), "nothing is picked");
    b.down(2);
    assert!(b.said(PaneAction::Operand).contains("1 picked"));
    assert!(b.screen().contains("[x] 1 "), "{}", b.screen());
    b.down(2);
    let text = "self.location == recep or self.location is not None".to_owned();
    let Command::Workshop(WorkshopCommand::Put { action, id: None, text: any }) = b.sent(PaneAction::MergeAny) else {
        panic!("a merge")
    };
    assert_eq!((action.as_str(), any), ("take", text.clone()));
    let mut merged = pool();
    merged.candidates.push(stepwright::precondition::Candidate {
        id: 7,
        text: text.clone(),
        ..merged.candidates[0].clone()
    });
    b.s.view.notice(Notice::Pool(Arc::new(merged)));
    b.settle();
    let both = ["self.inventory is None", text.as_str()];
    assert_eq!(
        adopted(&mut b, vec![]).0,
        both,
        "the merged one is marked in the place of those merged, the others stay"
    );
    assert!(!b.screen().contains("[x] 1 "), "nothing is picked any more");
    assert!(b.act(PaneAction::Copy) == [Intent::Copy(text)], "and the cursor is on it");
}

#[test]
fn undoing_a_merge_brings_the_marks_back() {
    let mut b = Bench::new();
    b.act(PaneAction::ToggleFold);
    let before = adopted(&mut b, vec![]).0;
    assert_eq!(before.len(), 2);
    assert!(b.said(PaneAction::Operand).contains("1 picked"));
    b.down(2);
    let Command::Workshop(WorkshopCommand::Put { text, .. }) = b.sent(PaneAction::MergeAll) else { panic!("a merge") };
    assert_eq!(text, "self.inventory is None and self.location == recep");
    assert_eq!(b.sent(PaneAction::UndoChange), Command::Workshop(WorkshopCommand::Undo { action: "take".into() }));
    assert_eq!(adopted(&mut b, vec![]).0, before);
    assert_eq!(b.sent(PaneAction::RedoChange), Command::Workshop(WorkshopCommand::Redo { action: "take".into() }));
}

#[test]
fn a_step_tells_two_marked_ones_apart() {
    let mut b = Bench::new();
    assert!(b.said(PaneAction::Differ).contains("0 picked"));
    b.down(2);
    assert!(b.said(PaneAction::Operand).contains("1 picked"));
    assert!(b.said(PaneAction::Differ).contains("1 picked"), "one is picked, and the cursor is on it");
    b.down(2);
    let command = b.sent(PaneAction::Differ);
    let Command::Workshop(WorkshopCommand::ShowDifference { one, other, .. }) = &command else { panic!("{command:?}") };
    assert_eq!((one.as_str(), other.as_str()), ("self.location == recep", "self.location is not None"));
    b.step(&command);
    assert_eq!(b.p.title(&b.s.view), "Demonstration 3 (heat-3), before call 8");
    assert!(b.screen().contains("recep = 'desk 1'"));
    assert!(b.said(PaneAction::Right).contains("only step"));
    assert!(b.act(PaneAction::Back).is_empty());
    assert!(b.p.title(&b.s.view).contains("of take"));
}

#[test]
fn why_names_the_stronger_one_and_a_step() {
    let mut b = Bench::new();
    assert!(b.said(PaneAction::Why).contains("no demonstration calls it"), "what is in force could not be looked at");
    b.down(2);
    assert!(b.said(PaneAction::Why).contains("it is optimal"));
    b.down(2);
    let command = b.sent(PaneAction::Why);
    let Command::Workshop(WorkshopCommand::ShowDifference { one, other, .. }) = &command else { panic!("{command:?}") };
    assert_eq!((one.as_str(), other.as_str()), ("self.location is not None", "self.location == recep"));
    b.down(2);
    assert!(b.said(PaneAction::Why).contains("only valid candidates are ranked"));
}

#[test]
fn a_close_look_lists_relations_and_steps_and_goes_to_them() {
    let mut b = Bench::new();
    b.down(2);
    assert!(b.act(PaneAction::Activate).is_empty());
    assert_eq!(b.p.title(&b.s.view), "A candidate for take");
    let offered: Vec<PaneAction> = b.p.actions(&b.s.view).into_iter().map(|(a, _)| a).collect();
    assert!(offered.contains(&PaneAction::Back) && !offered.contains(&PaneAction::Adopt));
    // Heading, three related, heading, three steps, the rest.
    b.down(5);
    let command = b.sent(PaneAction::Activate);
    let Command::Workshop(WorkshopCommand::ShowStep { place, texts, .. }) = &command else { panic!("{command:?}") };
    assert_eq!(place.call, 3);
    assert_eq!(texts, &["self.location == recep", "self.inventory is None"], "it, and what is in force");
    b.step(&command);
    let command = b.sent(PaneAction::Right);
    assert!(matches!(&command, Command::Workshop(WorkshopCommand::ShowStep { place, .. }) if place.call == 7));
    b.step(&command);
    let command = b.sent(PaneAction::Right);
    b.step(&command);
    assert!(b.said(PaneAction::Right).contains("last step"));
    b.act(PaneAction::Back);
    assert_eq!(b.p.title(&b.s.view), "A candidate for take");
    b.act(PaneAction::Top);
    b.down(3);
    b.act(PaneAction::Activate);
    assert_eq!(b.act(PaneAction::Copy), [Intent::Copy("self.location is not None".into())], "back in the list, on it");
}

#[test]
fn two_sets_are_compared_changed_and_put_in_force() {
    let mut b = Bench::new();
    let command = b.sent(PaneAction::Compare);
    let Command::Workshop(WorkshopCommand::Compare { left, right, .. }) = &command else { panic!("{command:?}") };
    assert_eq!((left, right), (&SetSource::InForce, &SetSource::Inferred(Ranking::Evidence)));
    b.sets(&command);
    assert_eq!(b.p.title(&b.s.view), "Two sets side by side");
    let sources = |command: &Command| match command {
        Command::Workshop(WorkshopCommand::Compare { left, right, .. }) => (left.name(), right.name()),
        other => panic!("{other:?}"),
    };
    let command = b.sent(PaneAction::Compare);
    assert_eq!(sources(&command), ("specification".into(), "suggested, evidence rule".into()));
    b.sets(&command);
    let command = b.sent(PaneAction::Right);
    assert_eq!(
        sources(&command),
        ("specification".into(), "suggested, Equation (1) alone".into()),
        "never the same on both sides"
    );
    b.sets(&command);
    // The step where they differ comes with all that either asserts.
    let command = b.sent(PaneAction::Activate);
    assert!(
        matches!(&command, Command::Workshop(WorkshopCommand::ShowStep { texts, .. }) if texts.len() == 5),
        "{command:?}"
    );
    b.step(&command);
    b.act(PaneAction::Back);
    // The left one is not what is in force, so what would change is found out first.
    let command = b.sent(PaneAction::Adopt);
    let Command::Workshop(WorkshopCommand::Compare { token, left: SetSource::InForce, .. }) = command else {
        panic!("{command:?}")
    };
    let (sets, right) = comparison();
    b.s.view.notice(Notice::SetsCompared { token, comparison: sets, right });
    let intents = b.p.update(&b.s.view);
    let [Intent::Confirm { question, commands, .. }] = &intents[..] else { panic!("a question, not {intents:?}") };
    let drops = "It drops 1:\n  - take: self.location is not None\n    the rest implies it";
    assert!(question.contains("It adds 2:") && question.contains(drops), "{question}");
    assert!(question.contains("1 stays as it is; 1 is replaced by one that holds at the same instances"), "{question}");
    assert!(
        matches!(&commands[..], [Command::Workshop(WorkshopCommand::AdoptSet { origin, .. })] if origin == "mine.preconditions.py")
    );
    b.down(5);
    assert!(b.said(PaneAction::Activate).contains("they differ on take"));
}

#[test]
fn the_marked_set_can_be_compared_and_files_are_asked_for() {
    let mut b = Bench::new();
    b.act(PaneAction::ToggleFold);
    let command = b.sent(PaneAction::Compare);
    b.sets(&command);
    let mut given = None;
    for _ in 0..4 {
        let command = b.sent(PaneAction::Right);
        if let Command::Workshop(WorkshopCommand::Compare { right: SetSource::Given(name, set), .. }) = &command {
            given = Some((name.clone(), set.clone()));
        }
        b.sets(&command);
    }
    let (name, set): (String, AdoptedSet) = given.expect("the marked set comes by");
    assert_eq!(name, "marked");
    assert_eq!(set.of("take"), ["self.inventory is None", "self.location == recep"]);
    let save = FileUse::Save { name: "household.preconditions.py".into() };
    assert_eq!(b.act(PaneAction::Save), [Intent::AskFile(save)]);
    let [Intent::AskFile(FileUse::Compare { token, .. })] = b.act(PaneAction::Load)[..] else { panic!("a file") };
    let (left, right) = (SetSource::InForce, SetSource::File("x".into()));
    b.sets(&Command::Workshop(WorkshopCommand::Compare { token, left, right }));
    assert!(b.screen().contains("mine.preconditions.py"));
    // It stays among those to be compared.
    b.sent(PaneAction::Compare);
    let names: Vec<String> = (0..5)
        .map(|_| match b.sent(PaneAction::Right) {
            Command::Workshop(WorkshopCommand::Compare { right, .. }) => right.name(),
            other => panic!("{other:?}"),
        })
        .collect();
    assert!(names.contains(&"mine.preconditions.py".to_owned()), "{names:?}");
}

#[test]
fn snapshots_of_every_state() {
    let sizes = [(78, 17), (58, 21), (118, 36)];
    let mut b = Bench::new();
    b.down(2);
    let mut grown = pool();
    grown.running = true;
    grown.candidates[2].times = 5;
    grown.candidates[2].origin = CandidateOrigin::Model;
    grown.candidates[2].logprob = Some(-0.734);
    b.s.view.notice(Notice::Pool(Arc::new(grown)));
    b.settle();
    let all: String = sizes.map(|size| b.shot(size)).concat();
    assert_snapshot!("preconditions_looked_at", all);
    b.act(PaneAction::Activate);
    b.down(5);
    let all: String = sizes.map(|size| b.shot(size)).concat();
    assert_snapshot!("preconditions_study", all);
    let command = b.sent(PaneAction::Activate);
    b.step(&command);
    let all: String = sizes.map(|size| b.shot(size)).concat();
    assert_snapshot!("preconditions_step", all);
    b.act(PaneAction::Back);
    b.act(PaneAction::Back);
    let command = b.sent(PaneAction::Compare);
    b.sets(&command);
    b.down(3);
    let all: String = sizes.map(|size| b.shot(size)).concat();
    assert_snapshot!("preconditions_sets", all);
    assert_snapshot!("preconditions_sets_ascii", shown(b.p.as_mut(), &b.s.view, &ascii(), (78, 17), false));
}

#[test]
fn many_actions_fit_as_tabs() {
    let mut b = Bench::new();
    for name in ["CONFIRM", "FindRestaurants", "GOODBYE", "INFORM", "INFORM_COUNT", "NOTIFY_FAILURE", "NOTIFY_SUCCESS"]
    {
        let mut other = pool();
        other.action = name.into();
        b.s.view.notice(Notice::Pool(Arc::new(other)));
    }
    for name in ["OFFER", "OFFER_INTENT", "REQUEST", "REQ_MORE", "ReserveRestaurant"] {
        let mut other = pool();
        other.action = name.into();
        b.s.view.notice(Notice::Pool(Arc::new(other)));
    }
    b.settle();
    let mut all = String::new();
    for _ in 0..13 {
        let title = b.p.title(&b.s.view);
        let name = title.trim_start_matches("Preconditions of ").split(',').next().unwrap_or_default().to_owned();
        let line = b.shot((78, 8));
        let tabs = line.lines().nth(1).unwrap_or_default().to_owned();
        assert!(line.contains(&format!("[{name}]")), "the shown tab is in sight: {line}");
        all.push_str(&tabs);
        all.push('\n');
        b.act(PaneAction::Right);
    }
    assert_snapshot!("preconditions_tabs", all);
}

#[test]
fn nothing_is_looked_up_before_anybody_works_here() {
    let s = episode();
    let mut p = pane(PaneId::Preconditions);
    assert!(p.update(&s.view).is_empty(), "what is in force alone need not be evaluated at the start");
    let intents = p.act(PaneAction::Down, &s.view);
    assert!(
        matches!(&intents[..], [Intent::Send(Command::Workshop(WorkshopCommand::Try { text, .. }))] if text == "self.inventory is None")
    );
    assert!(p.act(PaneAction::Down, &s.view).is_empty(), "asked once");
    let _ = p.update(&View::default());
    let said = p.act(PaneAction::Why, &View::default());
    assert!(matches!(&said[..], [Intent::Say(Level::Info, _)]), "the words on a closed session's candidate are gone");
}

#[test]
fn another_session_leaves_nothing_of_the_one_before() {
    let mut b = Bench::new();
    b.act(PaneAction::ToggleFold);
    let command = b.sent(PaneAction::Compare);
    b.sets(&command);
    assert_eq!(b.p.title(&b.s.view), "Two sets side by side");
    let mut header = b.s.view.session.as_ref().unwrap().header.clone();
    header.task = "another".into();
    b.s.view.notice(Notice::opened(header, Vec::new(), None).unwrap());
    b.p.update(&b.s.view);
    assert!(b.p.title(&b.s.view).starts_with("Preconditions"), "{}", b.p.title(&b.s.view));
}
