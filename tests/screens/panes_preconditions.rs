//! Preconditions pane: what it does with keys, and what it shows in every state and size.

use std::sync::Arc;
use std::time::Duration;

use crate::support::fixture::{Script, comparison, episode, inspection, place, pool, step_view};
use crate::support::screen::{ascii, buffer, pane, shown, text, unicode};
use crossterm::event::{KeyCode, KeyEvent, KeyModifiers};
use insta::assert_snapshot;
use stepwright::driver::{CandidateCommand, Command, Level, Notice};
use stepwright::episode::{Actor, Assertions};
use stepwright::precondition::{
    Candidate, CandidateEdit, CandidateMark, CandidateOrigin, Counterpart, Finding, SideBySide, Validity,
};
use stepwright::tui::event::Input;
use stepwright::tui::pane::{Intent, Pane, PaneAction, PaneId};
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
            let Intent::Send(Command::Candidates(CandidateCommand::Try { token, text, .. })) = intent else { continue };
            let known = pool().candidates.iter().position(|c| c.text == *text);
            let inspection = known.map(inspection).ok_or_else(|| "no demonstration calls it".to_owned());
            self.s.view.notice(Notice::CandidateChecked { token: *token, inspection });
        }
        let _ = self.p.update(&self.s.view);
    }

    /// Does an action; what it wants beside looking at a candidate.
    pub(crate) fn act(&mut self, action: PaneAction) -> Vec<Intent> {
        let (looks, others): (Vec<_>, Vec<_>) = self.p.act(action, &self.s.view).into_iter().partition(|i| {
            matches!(i, Intent::Send(Command::Candidates(CandidateCommand::Try { .. }) | Command::Library(_)))
        });
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
        let (Command::Candidates(CandidateCommand::ShowStep { token, .. })
        | Command::Candidates(CandidateCommand::ShowDifference { token, .. })) = command
        else {
            panic!("no step was asked for: {command:?}")
        };
        self.s.view.notice(Notice::StepShown { token: *token, step: step_view() });
        self.settle();
    }

    fn sets(&mut self, command: &Command) {
        let Command::Candidates(CandidateCommand::Compare { token, .. }) = command else {
            panic!("no comparison: {command:?}")
        };
        let (comparison, right) = comparison();
        self.s.view.notice(Notice::SetsCompared { token: *token, comparison, right });
        self.settle();
    }
}

/// The assertions that adopting puts in force, and the question before.
fn adopted(b: &mut Bench, rows: Vec<SideBySide>) -> (Vec<String>, String) {
    let intents = b.act(PaneAction::Adopt);
    let intents = match &intents[..] {
        [Intent::Send(Command::Candidates(CandidateCommand::Compare { token, left, right }))] => {
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
        [Intent::Send(Command::Candidates(CandidateCommand::Adopt { assertions, .. }))] => {
            (assertions.clone(), String::new())
        }
        [Intent::Confirm { commands, question, .. }] => match commands.as_slice() {
            [Command::Candidates(CandidateCommand::Adopt { assertions, .. })] => (assertions.clone(), question.clone()),
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
    let set = Assertions { action: "take".into(), assertions: both, origin };
    b.s.event(set.event(Actor::Person));
    b.settle();
    assert!(b.said(PaneAction::Adopt).contains("in force for take already"));
}

#[test]
fn what_is_adopted_and_dropped_is_weighed_in_the_question() {
    let mut b = Bench::new();
    let first = Some(place(7));
    let finding =
        Finding { fate: Validity::Valid, coverage: Some(12), instances: 64, optimal: true, forbids: 52, first };
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
    let failing = Validity::Fails {
        demonstration: 0,
        call: 0,
        at: "".into(),
        exception: "AssertionError".into(),
        message: "".into(),
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
    let Command::Candidates(CandidateCommand::Try { token, action, text }) = b.rest() else { panic!("a try") };
    assert_eq!((action.as_str(), text.as_str()), ("take", "self.location == receps"));
    let mut seen = (*inspection(3)).clone();
    seen.candidate.text = text;
    seen.candidate.fate = Validity::Fails {
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
    let mark = |text: &str| Some(CandidateMark { text: text.into(), rejected: false });
    let (before, after) = (mark(&pool().candidates[1].text), mark("self.location == receps"));
    assert_eq!(put, [Intent::Send(Command::Gate(CandidateEdit { at: 1, before, after }.request("take")))]);
    // What cannot be decided is reported where it is typed.
    b.act(PaneAction::Add);
    b.keys("x");
    let Command::Candidates(CandidateCommand::Try { token, .. }) = b.rest() else { panic!("a try") };
    b.s.view.notice(Notice::CandidateChecked { token, inspection: Err("no demonstration calls `take`".into()) });
    b.settle();
    assert!(b.screen().contains("no demonstration calls `take`"));
    // What is added is marked; what is marked already stays so.
    let added = b.press(KeyCode::Enter);
    let (at, after) = (pool().candidates.len(), mark("x"));
    assert_eq!(added, [Intent::Send(Command::Gate(CandidateEdit { at, before: None, after }.request("take")))]);
    let mut grown = pool();
    let candidate = Candidate::new(at, "x", CandidateOrigin::Person, Validity::Valid);
    grown.candidates.push(candidate);
    b.s.view.notice(Notice::Pool(Arc::new(grown)));
    b.settle();
    let screen = b.screen();
    let marked: Vec<&str> = screen.lines().filter(|line| line.contains("[x]")).collect();
    assert!(marked.iter().any(|line| line.contains(" x ")), "{screen}");
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
        matches!(&intents[..], [Intent::Send(Command::Candidates(CandidateCommand::Try { text, .. })), Intent::Send(Command::Library(_))] if text == "self.inventory is None")
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
