//! What exports say of a session with branches, and of one whose method or model was changed on the way.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use super::{header, records, showings};
use crate::{Format, Visited, compare, render, story, summary};
use stepwright_episode::duel::Side;
use stepwright_episode::{
    Action, Actor, ArtifactId, AskKind, Assertions, BranchEdit, Choice, Configuration, Decision, Event, NodeId, Origin,
    Proposal, ProposalId, Record, Session, StepOutcome, Usage,
};

/// A session that is recorded event by event.
struct Played {
    session: Session,
    records: Vec<Record>,
}

impl Played {
    /// The session of the other tests: one step to a shelf, undone, then one to a bed.
    fn new() -> Self {
        let mut played = Played { session: Session::new(header()), records: Vec::new() };
        records().into_iter().for_each(|record| played.record(record.node, record.event));
        played
    }

    fn record(&mut self, node: NodeId, event: Event) {
        let record = Record { id: self.session.records() + 1, ts: 0, node, event };
        self.session.apply(&record).unwrap();
        self.records.push(record);
    }

    fn event(&mut self, event: Event) {
        self.record(self.session.cursor(), event);
    }

    fn propose(&mut self, text: &str, origin: Origin) -> ProposalId {
        let id = self.session.next_proposal();
        let proposal = Proposal { action: Some(Action::new(text, None)), ..Proposal::new(id, text, origin) };
        self.event(Event::Proposed { proposal: proposal.into() });
        id
    }

    fn decide(&mut self, choice: Choice) -> u64 {
        let id = self.session.next_decision();
        let decision = Decision { id, choice, by: Actor::Person, why: String::new() };
        self.event(Event::Decided { decision: decision.into() });
        id
    }

    fn step(&mut self, text: &str) -> NodeId {
        let proposal = self.propose(text, Origin::Greedy);
        let decision = self.decide(Choice::Approve { proposal });
        let (child, action) = (self.session.next_node(), Action::new(text, None).into());
        let (outcome, changes) = (StepOutcome::default().into(), json!([]).into());
        self.event(Event::Executed { decision, child, action, outcome, changes });
        child
    }

    fn edit(&mut self, branch: NodeId, edit: BranchEdit) {
        self.event(Event::BranchEdited { branch, edit });
    }

    fn name(&mut self, branch: NodeId, name: &str) {
        self.edit(branch, BranchEdit::Name { name: name.into() });
    }

    fn use_from_here(&mut self, method: &str, model: &str) {
        let options = BTreeMap::new();
        self.event(Event::Configured(Configuration { model: model.into(), method: method.into(), options }));
    }

    fn spend(&mut self, kind: AskKind, model: &str, tokens: u64) {
        let (ask, prompt) = (self.session.next_ask(), None);
        self.event(Event::Asked { ask, kind, model: model.into(), prompt, n: 1, temperature: 0.0 });
        let usage = Some(Usage::new(tokens, 1));
        self.event(Event::Answered { ask, texts: vec!["x".to_owned()].into(), usage, ms: 1 });
    }

    fn titles(&self) -> Vec<String> {
        let story = story(&self.session, &Visited::default(), &showings);
        story.chapters.into_iter().map(|chapter| chapter.title).collect()
    }

    fn text(&self, format: Format) -> String {
        render(format, &header(), &self.records, showings).unwrap()
    }

    fn columns(&self) -> Vec<compare::Column> {
        let line = |tip| compare::Line { name: String::new(), session: &self.session, tip, ghost: None };
        compare::compare(&compare::tips(&self.session).into_iter().map(line).collect::<Vec<_>>()).columns
    }
}

/// A call of a skill is no step of the policy's: it had the number of the next.
#[test]
fn what_executed_nothing_has_no_number_of_a_step() {
    for (held, said) in
        [(None, "approved by the policy: automatic step 1 of 2\n"), (Some("call"), "approved by the policy\n")]
    {
        let mut played = Played::new();
        let proposal = played.propose("heat(egg)", Origin::Greedy);
        let (id, why) = (played.session.next_decision(), "automatic step 1 of 2".to_owned());
        let decision = Decision { id, choice: Choice::Approve { proposal }, by: Actor::Policy, why };
        played.event(Event::Decided { decision: decision.into() });
        let outcome = StepOutcome { held: held.map(str::to_owned), ..StepOutcome::default() };
        let (child, action) = (played.session.next_node(), Action::new("heat(egg)", None).into());
        let (decision, outcome, changes) = (id, outcome.into(), json!([]).into());
        played.event(Event::Executed { decision, child, action, outcome, changes });
        let text = played.text(Format::Text);
        assert!(text.contains(said), "{text}");
    }
}

/// What was taken back at a later step was said to be in force from then on.
#[test]
fn assertions_that_were_taken_back_below_are_in_force_no_longer() {
    let mut played = Played::new();
    let (action, assertions) = ("effects of goto".to_owned(), vec!["self.place = recep".to_owned()]);
    let set = Assertions { action: action.clone(), assertions, origin: "edited".to_owned() };
    played.event(set.event(Actor::Person));
    let from = played.session.current().unwrap().depth;
    played.step("go to <shelf>");
    played.event(Event::ArtifactUndone { artifact: ArtifactId::assertions(&action) });
    let (text, page) = (played.text(Format::Text), played.text(Format::Html));
    let (set, to) = ("effects of goto (edited): self.place = recep", from + 1);
    assert!(text.contains(&format!("    in force from here to step {to}: {set}\n")), "{text}");
    assert!(text.contains(&format!("    taken back by a person: {set}\n")), "{text}");
    assert!(page.contains(&format!("step {from}</a> to step {to}: <code>{set}</code>")), "{page}");
    assert!(page.contains(&format!("step {to}</a> by a person: {set}")) && !page.contains("here on: "), "{page}");
}

/// B4: what had come of an answer that was cut stood nowhere.
#[test]
fn what_had_come_of_an_answer_that_failed_is_told() {
    let mut played = Played::new();
    let (ask, prompt) = (played.session.next_ask(), None);
    played.event(Event::Asked { ask, kind: AskKind::PLAN, model: "m".into(), prompt, n: 1, temperature: 0.0 });
    let (error, partial) = ("the answer was cut".to_owned(), "go to <half".to_owned());
    played.event(Event::AskFailed { ask, error, cancelled: false, usage: None, partial });
    let (text, page) = (played.text(Format::Text), played.text(Format::Html));
    assert!(text.contains("failed: the answer was cut\n      had come: go to <half\n"), "{text}");
    assert!(page.contains("no answer</div><pre>go to &lt;half</pre>"), "{page}");
}

/// S1: the branch that was left last was deleted, and was still the main line of every list and export.
#[test]
fn a_deleted_branch_is_not_the_main_line() {
    let mut played = Played::new();
    played.event(Event::Moved { to: 0 });
    assert_eq!(played.session.redo_target(), Some(2));
    played.edit(2, BranchEdit::Delete { deleted: true });
    assert_eq!(played.session.redo_target(), Some(1), "the branch that is left");
    let line = |session: &Session| session.line().iter().map(|node| node.id).collect::<Vec<_>>();
    assert_eq!(line(&played.session), [0, 1]);
    assert_eq!((compare::tips(&played.session), compare::end(&played.session, 0)), (vec![1], 1));
    assert_eq!(played.titles(), ["The episode"]);
    let siblings = |node| played.session.siblings(played.session.node(node).unwrap());
    assert_eq!((siblings(1), siblings(2), siblings(0)), (Some((0, vec![1])), None, None));
    for format in [Format::Text, Format::Html, Format::Atif] {
        let text = played.text(format);
        assert!(!text.contains("> go to bed 1") && text.contains("go to shelf 1"), "{format:?}: {text}");
    }
    let atif: Value = serde_json::from_str(&played.text(Format::Atif)).unwrap();
    assert_eq!(atif["steps"].as_array().unwrap().len(), 3, "the sentence, the beginning, one step");
    played.edit(1, BranchEdit::Delete { deleted: true });
    assert_eq!((line(&played.session), played.session.redo_target()), (vec![0], None));
    assert_eq!(compare::tips(&played.session), [0]);
    played.edit(2, BranchEdit::Delete { deleted: false });
    assert_eq!(line(&played.session), [0, 2], "as it was left");
}

/// The end of a branch below which all was deleted is an end.
#[test]
fn what_is_left_above_a_deleted_branch_is_a_branch() {
    let mut played = Played::new();
    played.event(Event::Moved { to: 1 });
    let deeper = played.step("look");
    played.event(Event::Moved { to: 2 });
    assert_eq!(compare::tips(&played.session), [2, deeper]);
    played.edit(deeper, BranchEdit::Delete { deleted: true });
    assert_eq!(compare::tips(&played.session), [2, 1]);
}

/// C3: two steps have the same number where two branches are that long.
#[test]
fn titles_name_the_branch_the_session_is_on_and_the_one_that_another_leaves() {
    let mut played = Played::new();
    let look = played.step("look");
    played.event(Event::Moved { to: 2 });
    played.step("wait");
    played.event(Event::Moved { to: 1 });
    played.step("open");
    played.event(Event::Moved { to: 1 });
    played.step("close");
    played.event(Event::Moved { to: look });
    let shelf = "the branch of `go to shelf 1` at step 1";
    assert_eq!(
        played.titles(),
        [
            "The episode",
            "Branch after step 0 of the episode",
            "Branch after step 1 of the episode",
            &format!("Branch after step 1 of {shelf}")
        ]
    );
    played.name(1, "by the shelf");
    played.name(look, "looking");
    assert_eq!(
        played.titles(),
        [
            "The episode: looking",
            "Branch after step 0 of the episode: by the shelf",
            "Branch after step 1 of the episode",
            "Branch after step 1 of branch `by the shelf`"
        ]
    );
}

/// A9: a branch from which a deleted one parts begins, as the workbench names it, behind that.
#[test]
fn a_branch_keeps_its_name_where_a_deleted_one_parts_from_it() {
    let mut played = Played::new();
    played.event(Event::Moved { to: 1 });
    let left = played.step("look");
    played.event(Event::Moved { to: 1 });
    let gone = played.step("open");
    played.event(Event::Moved { to: 2 });
    played.name(left, "side");
    played.edit(gone, BranchEdit::Delete { deleted: true });
    assert_eq!(played.titles(), ["The episode", "Branch after step 0 of the episode: side"]);
}

/// C9: what the method offers again after a rejection was listed twice.
#[test]
fn what_is_offered_again_is_one_row_as_in_the_workbench() {
    let mut played = Played::new();
    played.step("wait");
    let offer = |played: &mut Played| ["a", "b", "c"].map(|text| played.propose(text, Origin::Symbolic));
    let [rejected, ..] = offer(&mut played);
    played.decide(Choice::Reject { proposal: rejected, reason: "no".into() });
    offer(&mut played);
    for text in ["said", "said", "other"] {
        played.propose(text, Origin::Sample);
    }
    let rows = |played: &Played| {
        let story = story(&played.session, &Visited::default(), &showings);
        let step = story.chapters[0].steps.iter().find(|step| step.here).unwrap().clone();
        let row = |entry: crate::ProposalEntry| format!("{} {} {}", entry.text, entry.origin, entry.fate);
        step.proposals.into_iter().map(row).map(|row| row.trim_end().to_owned()).collect::<Vec<_>>()
    };
    let built_in = "built-in proposer, no language model";
    let expected = [
        &format!("a {built_in} rejected: no"),
        &format!("a {built_in}"),
        &format!("b {built_in}"),
        &format!("c {built_in}"),
        "said sample, x2",
        "other sample",
    ];
    assert_eq!(rows(&played), expected);
    // The copy that something came of stands for the others.
    let said = played.session.next_proposal() - 2;
    let decision = played.decide(Choice::Approve { proposal: said });
    let (child, action) = (played.session.next_node(), Action::new("said", None).into());
    let (outcome, changes) = (StepOutcome::default().into(), json!([]).into());
    played.event(Event::Executed { decision, child, action, outcome, changes });
    played.event(Event::Moved { to: child - 1 });
    assert_eq!(rows(&played)[4], "said sample, x2 taken");
}

/// S3: the method and the model in use last were given for everything that was decided before.
#[test]
fn columns_pages_and_trajectories_say_what_their_steps_were_decided_under() {
    let mut played = Played::new();
    played.step("before");
    played.event(Event::Moved { to: 2 });
    played.use_from_here("react", "large");
    played.step("after");
    let of = |column: &compare::Column| (column.method.clone(), column.model.clone());
    let columns = played.columns();
    assert_eq!(of(&columns[0]), ("few-shot then react".to_owned(), "symbolic then large".to_owned()));
    assert_eq!(of(&columns[1]), ("few-shot".to_owned(), "symbolic".to_owned()));
    assert_eq!(summary(&played.session).method, "few-shot then react");
    let said = "react with large from here on";
    let text = played.text(Format::Text);
    assert!(text.contains("method   few-shot then react") && text.contains("symbolic then large"), "{text}");
    assert_eq!(text.matches(said).count(), 1, "{text}");
    let page = played.text(Format::Html);
    assert!(page.contains("few-shot then react") && page.contains(said), "{page}");
    let line = |tip| compare::Line { name: String::new(), session: &played.session, tip, ghost: None };
    let found = compare::compare(&[line(compare::tips(&played.session)[0])]);
    assert_eq!(found.rows[1].cells[0].as_ref().unwrap().notes, [said]);
    let atif: Value = serde_json::from_str(&played.text(Format::Atif)).unwrap();
    assert_eq!(atif["agent"]["model_name"], "large");
    let models: Vec<_> = atif["steps"].as_array().unwrap().iter().map(|step| step.get("model_name")).collect();
    assert_eq!(models, [None, None, Some(&json!("symbolic")), None]);
    // Changed again, and nothing decided since: the steps stay what they were.
    played.use_from_here("reprompt", "small");
    assert_eq!(of(&played.columns()[0]), ("few-shot then react".to_owned(), "symbolic then large".to_owned()));
}

/// S4: every column carried the tokens of the whole session.
#[test]
fn a_column_has_the_tokens_of_its_own_steps() {
    let mut played = Played::new();
    played.spend(AskKind::GREEDY, "large", 40);
    played.event(Event::Moved { to: 1 });
    played.spend(AskKind::GREEDY, "large", 100);
    played.event(Event::Moved { to: 0 });
    played.spend(AskKind::GREEDY, "large", 7);
    let of_side = |name: &str| json!({ "for": "other", "tag": "duel", "of": name, "label": format!("the next action, for {name}") });
    for (name, tokens) in [("left", 1000), ("right", 2000)] {
        played.spend(serde_json::from_value(of_side(name)).unwrap(), "small", tokens);
    }
    let proposal = played.propose("elsewhere", Origin::Greedy);
    let side = |name: &str, proposal| Side {
        name: name.into(),
        configuration: Configuration::default(),
        set: String::new(),
        prompts: String::new(),
        proposal,
        why: String::new(),
    };
    played.event(Event::Dueled { sides: vec![side("left", Some(proposal)), side("right", None)].into() });
    played.event(Event::Moved { to: 2 });
    let tokens = |columns: &[compare::Column]| columns.iter().map(|column| column.tokens).collect::<Vec<_>>();
    assert_eq!(tokens(&played.columns()), [8 + 41, 8 + 101], "what the sides were asked is theirs");
    let line = |ghost| compare::Line { name: String::new(), session: &played.session, tip: 2, ghost };
    let found = compare::compare(&[line(None), line(Some("left"))]);
    assert_eq!(tokens(&found.columns), [8 + 41, 1001]);
}
