use super::*;
use crate::pane::{Pane, PaneAction};
use crate::panes::proposals::ProposalsPane;
use stepwright_episode::{
    Action, Actor, Ask, Check, Choice, Decision, FORMAT_VERSION, Header, Origin, Status, StepOutcome,
};
use stepwright_method::{Answer as MethodAnswer, Context, Method, MethodInfo, Reading, Step};
use stepwright_world::blocking::{BlockingNode, Handle, NodeKind, NodeStatus};

/// A method that selects among the leaves of the blocking tree.
#[derive(Debug)]
struct Selects;

impl Method for Selects {
    fn info(&self) -> MethodInfo {
        MethodInfo { id: "m", roles: &[role::Role::Selector], ..MethodInfo::BARE }
    }

    fn step(&self, _cx: &Context<'_>) -> Step {
        Step::Pass
    }

    fn read(&self, _cx: &Context<'_>, _ask: &Ask, _answer: &MethodAnswer) -> Reading {
        Reading::Kept
    }
}

struct Played {
    view: View,
    records: u64,
}

impl Played {
    fn new() -> Self {
        let header = Header {
            stepwright: "session".into(),
            version: FORMAT_VERSION,
            program: "test".into(),
            world: "household".into(),
            data: "shipped".into(),
            task: "one".into(),
            sentence: "look.".into(),
            method: "m".into(),
            model: "symbolic".into(),
            ..Header::default()
        };
        let mut view = View::default();
        view.notice(Notice::opened(header, Vec::new(), None).unwrap());
        let mut played = Played { view, records: 0 };
        played.event(Event::Started { outcome: StepOutcome::default().into() });
        played
    }

    fn event(&mut self, event: Event) {
        self.records += 1;
        let node = self.session().cursor();
        let record = Record { id: self.records, ts: self.records, node, event };
        self.view.notice(Notice::Recorded(std::sync::Arc::new(record)));
        assert_eq!(self.view.message, None, "the record fits");
    }

    fn session(&self) -> &Session {
        self.view.session.as_ref().expect("open")
    }

    fn offer(&mut self, text: &str, origin: Origin) {
        let (action, id) = (Action::new(text, None), self.session().next_proposal());
        let raw = text.to_owned();
        let (problem, score, logprob, rationale, ask) = (None, None, None, None, None);
        let action = Some(action);
        let proposal = Proposal { action, problem, score, logprob, rationale, ask, ..Proposal::new(id, raw, origin) };
        self.event(Event::Proposed { proposal: proposal.into() });
    }

    fn decide(&mut self, choice: Choice) -> u64 {
        let id = self.session().next_decision();
        self.event(Event::Decided { decision: Decision { id, choice, by: Actor::Person, why: String::new() }.into() });
        id
    }

    /// Does a line of a script.
    fn line(&mut self, line: &str) {
        let (word, rest) = line.split_once(' ').unwrap();
        let number = || rest.parse::<u64>().unwrap();
        match word {
            "offer" => rest.split(' ').for_each(|text| self.offer(text, Origin::Symbolic)),
            "greedy" => self.offer(rest, Origin::Greedy),
            "sample" => self.offer(rest, Origin::Sample),
            "person" => self.offer(rest, Origin::Person),
            "symbolic" => self.offer(rest, Origin::Symbolic),
            "recommend" => self.event(Event::Recommended { proposal: Some(number()), why: "first".into() }),
            "select" => self.view.select(number()),
            "go" => self.event(Event::Moved { to: number() }),
            "reject" => {
                self.decide(Choice::Reject { proposal: number(), reason: "no".into() });
            }
            "approve" => {
                self.decide(Choice::Approve { proposal: number() });
            }
            "take" => {
                let decision = self.decide(Choice::Approve { proposal: number() });
                let (action, outcome) = (Action::new("a", None), StepOutcome::default());
                let (action, outcome, changes) = (action.into(), outcome.into(), serde_json::json!([]).into());
                self.event(Event::Executed { decision, child: 1, action, outcome, changes });
            }
            other => panic!("a script has no `{other}`"),
        }
    }

    /// Shows a live tree of these leaves.
    fn leaves(&mut self, texts: &[&str]) {
        let leaf = |text: &&str| BlockingNode {
            parent: None,
            kind: NodeKind::Action,
            text: (*text).to_owned(),
            status: NodeStatus::Open,
            why: String::new(),
            handle: Some(Handle { node: 0, leaf: true, blocked: false }),
        };
        let goals = BlockingTree { nodes: texts.iter().map(leaf).collect() };
        let situation = Situation { node: self.session().cursor(), live: true, goals, ..Situation::default() };
        self.view.notice(Notice::Situation(situation.into()));
    }

    /// The rows: their numbers and texts, and what is said of them.
    fn rows(&self) -> Vec<String> {
        let times = |id| self.view.authors(id).iter().map(|(_, times)| times).sum::<usize>();
        let row = |p: &Proposal| {
            let said = [
                (self.view.is_recommended(p.id), "recommended".to_owned()),
                (self.view.selected == Some(p.id), "chosen".to_owned()),
                (times(p.id) > 1, format!("{} times", times(p.id))),
                (self.view.was_taken(p), "taken before".to_owned()),
                (self.view.refused_before(p).is_some(), format!("refused: {:?}", self.view.refused_before(p))),
            ];
            let said: Vec<String> = said.into_iter().filter(|(is, _)| *is).map(|(_, said)| said).collect();
            format!("{} {} {}", p.id, p.raw, said.join(", ")).trim_end().to_owned()
        };
        self.view.offered().into_iter().map(row).collect()
    }
}

#[test]
fn rows_are_those_they_were() {
    let mut out = String::new();
    for script in include_str!("tests/choice.script").split("\n# ") {
        let (title, lines) = script.split_once('\n').unwrap();
        let mut played = Played::new();
        out += &format!("# {}\n", title.trim_start_matches("# "));
        for line in lines.lines().filter(|line| !line.is_empty()) {
            played.line(line);
            out += &format!("> {line}\n");
            played.rows().iter().for_each(|row| out += &format!("    {row}\n"));
        }
        // Every copy is shown as one of the rows.
        for proposal in &played.session().current().unwrap().turn.proposals {
            let shown = played.view.shown_for(proposal.id).unwrap();
            assert!(played.view.offered().iter().any(|p| p.id == shown), "{title}: {}", proposal.id);
        }
    }
    insta::assert_snapshot!(out);
}

#[test]
fn the_same_text_of_two_models_is_one_row_with_both_names() {
    let mut played = Played::new();
    for (ask, model) in [(1, "one"), (2, "other"), (3, "one")] {
        let (kind, model) =
            (stepwright_episode::AskKind::Action { how: stepwright_episode::Sampling::Greedy }, model.to_owned());
        let (template, template_hash, messages) = (String::new(), String::new(), Vec::new());
        let prompt = Some(
            stepwright_episode::PromptRecord { template, template_hash, messages, left_out: None, candidates: None }
                .into(),
        );
        played.event(Event::Asked { ask, kind, model, prompt, n: 1, temperature: 0.0 });
        let origin = Origin::Greedy;
        let id = played.session().next_proposal();
        let action = Some(Action::new("look", None));
        let proposal = Proposal { action, ask: Some(ask), ..Proposal::new(id, "look", origin) };
        played.event(Event::Proposed { proposal: proposal.into() });
    }
    let offered = played.view.offered();
    assert_eq!(offered.len(), 1);
    let authors = played.view.authors(offered[0].id);
    assert_eq!(crate::widgets::words::authors(&authors), "one x2, other x1");
}

#[test]
fn a_text_that_is_no_action_is_one_row_however_often_models_wrote_it() {
    let mut played = Played::new();
    let mut write = |raw: &str, action: Option<&str>| {
        let id = played.session().next_proposal();
        let problem = action.is_none().then(|| "no action".to_owned());
        let action = action.map(|text| Action::new(text, None));
        let proposal = Proposal { action, problem, ..Proposal::new(id, raw, Origin::Sample) };
        played.event(Event::Proposed { proposal: proposal.into() });
    };
    ["I look", "I look\n", "I look", "I wait"].into_iter().for_each(|raw| write(raw, None));
    write("I look", Some("I look"));
    assert_eq!(played.rows(), ["1 I look 3 times", "4 I wait", "5 I look"]);
}

/// U19: what a person rejected is out of the way of what is open, and no number counts it.
#[test]
fn what_is_rejected_is_last_and_not_counted() {
    let mut played = Played::new();
    ["offer a b c", "reject 1"].into_iter().for_each(|line| played.line(line));
    let texts: Vec<&str> = played.view.offered().iter().map(|p| p.raw.as_str()).collect();
    assert_eq!(texts, ["b", "c", "a"]);
    assert_eq!(played.view.offered_marks(), [0, 0, 2, 1, 0, 0, 0]);
}

#[test]
fn a_line_of_a_plan_that_a_person_replaced_is_not_counted() {
    let mut played = Played::new();
    let line = |played: &mut Played, ask: u64| {
        let (kind, model) = (stepwright_episode::AskKind::PLAN_LINE, "the plan".to_owned());
        played.event(Event::Asked { ask, kind, model, prompt: None, n: 1, temperature: 0.0 });
        let (id, text) = (played.session().next_proposal(), format!("line {ask}"));
        let action = Some(Action::new(text.as_str(), None));
        let proposal = Proposal { action, ask: Some(ask), ..Proposal::new(id, text, Origin::Symbolic) };
        played.event(Event::Proposed { proposal: proposal.into() });
    };
    line(&mut played, 1);
    let (artifact, plan) = (ArtifactId::PLAN, serde_json::json!({ "text": "line 2", "ask": 1, "node": 0 }));
    let (patch, by, why) = (stepwright_episode::replacing(&plan).into(), Actor::Person, String::new());
    played.event(Event::ArtifactSettled { artifact, offer: None, patch, by, edited: true, why });
    line(&mut played, 2);
    assert_eq!(played.view.offered_len(), 2, "both are shown");
    assert_eq!(played.view.offered_marks(), [0, 0, 1, 0, 1, 0, 0]);
}

#[test]
fn a_leaf_that_is_no_longer_in_the_blocking_tree_is_last_and_not_counted() {
    let mut played = Played::new();
    played.view.methods = Box::leak(Box::new(Methods::new(vec![Arc::new(Selects)], &[])));
    played.line("offer open look wait");
    // What a method offers beside the leaves is not checked against the tree.
    for (proposal, status) in [(1, Status::Fails), (2, Status::Holds)] {
        let check = Check { kind: CheckKind::Blocking, condition: "c".into(), status, detail: None };
        let verdict = Verdict { checks: vec![check], ..Verdict::default() };
        played.event(Event::Checked { proposal, verdict: verdict.into() });
    }
    played.leaves(&["open", "look"]);
    assert_eq!(played.view.offered_marks(), [0, 1, 2, 0, 0, 0, 0]);
    played.leaves(&["look"]);
    assert_eq!(played.rows(), ["2 look", "3 wait", "1 open"]);
    assert_eq!(played.view.offered_marks(), [0, 0, 2, 0, 0, 0, 1]);
    let withdrawn = |view: &View| view.turn().and_then(|turn| view.withdrawal(turn.proposal(1)?));
    assert_eq!(withdrawn(&played.view), Some(Withdrawal::Gone));
    // Beside a method that does not select from it the tree keeps nothing from being executed.
    played.view.methods = <&'static Methods>::default();
    assert_eq!(withdrawn(&played.view), None);
}

#[test]
fn an_error_that_stood_in_for_an_answer_is_neither_kept_chosen_nor_counted() {
    let mut played = Played::new();
    let exact = Some(r#"refused {"status":503,"headers":[],"body":"busy"}"#.to_owned());
    let action = Some(Action { exact, ..Action::new("error 503: busy", None) });
    let error = Proposal { action, ..Proposal::new(1, "error 503: busy", Origin::Relayed) };
    played.event(Event::Proposed { proposal: error.into() });
    played.line("recommend 1");
    assert_eq!(played.view.chosen().map(|p| p.id), Some(1));
    played.line("offer answer");
    played.line("recommend 2");
    assert_eq!(played.view.chosen().map(|p| p.id), Some(2));
    assert_eq!(played.view.offered_marks(), [0, 0, 1, 0, 0, 0, 0]);
    // Who goes back to it has chosen it.
    played.line("select 1");
    played.line("offer another");
    played.line("recommend 3");
    assert_eq!(played.view.chosen().map(|p| p.id), Some(1));
}

#[test]
fn copies_of_several_origins_are_counted_together_and_each_origin_is_named() {
    let mut played = Played::new();
    ["sample look", "greedy look", "sample look", "sample wait"].into_iter().for_each(|line| played.line(line));
    let [look, wait] = played.view.offered()[..] else { panic!("two rows") };
    let others = |shown| played.view.of_other_origins(shown).iter().map(|copy| copy.origin).collect::<Vec<_>>();
    assert_eq!((others(look), others(wait)), (vec![Origin::Greedy], vec![]));
    assert_eq!(played.view.authors(look.id), [("", 3)]);
}

#[test]
fn what_opening_a_session_says_is_not_replaced_before_anybody_did_something() {
    let mut view = View::default();
    let say = |view: &mut View, level, text: &str| view.notice(Notice::Say { level, text: text.to_owned() });
    let header = || Header { stepwright: "session".into(), version: FORMAT_VERSION, ..Header::default() };
    let event = Event::Started { outcome: StepOutcome::default().into() };
    let begun = vec![Record { id: 1, ts: 0, node: 0, event }.into()];
    view.notice(Notice::opened(header(), begun, None).unwrap());
    for (level, text) in [(Level::Warning, "torn"), (Level::Info, "taken back"), (Level::Error, "differs")] {
        say(&mut view, level, text);
    }
    assert_eq!(view.message, Some((Level::Error, "differs; torn; taken back".to_owned())));
    view.is_opening = false;
    say(&mut view, Level::Info, "next");
    assert_eq!(view.message, Some((Level::Info, "next".to_owned())));
    view.notice(Notice::opened(header(), Vec::new(), None).unwrap());
    for text in ["first", "second"] {
        say(&mut view, Level::Warning, text);
    }
    assert_eq!(view.message, Some((Level::Warning, "second".to_owned())), "of one that begins it is no news");
}

#[test]
fn a_step_that_a_person_typed_is_taken_in_its_own_row_alone() {
    for (origin, rows) in [("person", ["1 a", "2 a taken before"]), ("symbolic", ["2 a taken before", ""])] {
        let mut played = Played::new();
        ["offer a", &format!("{origin} a"), "take 2", "go 0"].into_iter().for_each(|line| played.line(line));
        let shown: Vec<String> = played.rows().iter().map(|row| row.replace("chosen, ", "")).collect();
        assert_eq!(shown, rows.into_iter().filter(|row| !row.is_empty()).collect::<Vec<_>>(), "{origin}");
    }
}

#[test]
fn while_a_new_document_waits_no_change_is_taken_back_in_its_place() {
    let mut played = Played::new();
    let (artifact, plan) = (ArtifactId::PLAN, serde_json::json!({ "text": "look", "ask": 1, "node": 0 }));
    let (patch, by, why) = (stepwright_episode::replacing(&plan).into(), Actor::Person, String::new());
    played.event(Event::ArtifactSettled { artifact, offer: None, patch, by, edited: false, why });
    let pane = ProposalsPane::default();
    assert_eq!(pane.turns(&played.view), [(PaneAction::UndoChange, "undo change")]);
    let written = serde_json::json!({ "artifact": { "kind": "belief" }, "title": "", "raw": "{}", "value": {} });
    let written = serde_json::from_value::<stepwright_episode::Written>(written).unwrap();
    played.event(Event::ArtifactOffered { offer: 1, ask: None, written: written.into(), beside: false });
    assert!(pane.turns(&played.view).is_empty());
    let said = pane.turned_out(PaneAction::UndoChange, &played.view);
    assert_eq!(said.as_deref(), Some("a new belief waits: take, edit or refuse it first"));
}

#[test]
fn a_cost_without_that_of_a_model_without_a_price_is_said_to_be_more() {
    let mut played = Played::new();
    for (ask, cost, said) in [(1, Some(0.5), "cost 0.5"), (2, None, "cost >= 0.5")] {
        let how = stepwright_episode::Sampling::Greedy;
        let (kind, model) = (stepwright_episode::AskKind::Action { how }, format!("model {ask}"));
        played.event(Event::Asked { ask, kind, model, prompt: None, n: 1, temperature: 0.0 });
        let exchange = stepwright_episode::Exchange { cost, ..Default::default() };
        played.event(Event::Exchanged { ask, exchange: exchange.into() });
        let usage = Some(stepwright_episode::Usage { prompt: 1, completion: 1, ..Default::default() });
        played.event(Event::Answered { ask, texts: vec!["look".to_owned()].into(), usage, ms: 1 });
        let shown = crate::widgets::words::cost_of(played.session()).unwrap();
        assert!(shown.starts_with(said), "{shown}");
    }
}

#[test]
fn what_was_explained_is_explained_again_once_the_goals_are_others() {
    let mut played = Played::new();
    played.leaves(&["a"]);
    for (leaf, again) in [("a", false), ("b", true)] {
        let before = played.view.grounds_changed;
        played.view.notice(Notice::Blocking { proposal: 1, tree: Arc::default() });
        played.leaves(&[leaf]);
        assert_eq!((played.view.blocking.is_none(), played.view.grounds_changed > before), (again, again), "{leaf}");
    }
}
