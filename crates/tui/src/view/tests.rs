use super::*;
use stepwright_episode::{Action, Actor, Choice, Decision, FORMAT_VERSION, Header, StepOutcome};

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
            created: 0,
            world: "household".into(),
            options: BTreeMap::new(),
            data: "shipped".into(),
            task: "one".into(),
            sentence: "look.".into(),
            service: String::new(),
            seed: 0,
            method: "m".into(),
            method_version: String::new(),
            model: "symbolic".into(),
            specification: String::new(),
            opening: Vec::new(),
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

    /// Proposals in order of arrival, recommending one of them.
    fn round(&mut self, texts: &[&str], recommended: Option<ProposalId>) {
        for text in texts {
            self.offer(text, Origin::Symbolic);
        }
        self.event(Event::Recommended { proposal: recommended, why: "first".into() });
    }

    fn offer(&mut self, text: &str, origin: Origin) {
        let (action, id) = (Action { text: (*text).into(), call: None }, self.session().next_proposal());
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

    fn reject(&mut self, proposal: ProposalId) {
        self.decide(Choice::Reject { proposal, reason: "no".into() });
    }

    fn shown(&self) -> Vec<ProposalId> {
        self.view.offered().iter().map(|p| p.id).collect()
    }
}

#[test]
fn the_recommended_and_chosen_stay_among_those_offered_again() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    assert_eq!((played.shown(), played.view.selected), (vec![1, 2], Some(1)));
    // Offered again, not recommended again yet: the recommended copy stays, at its newer place.
    for text in ["c", "b", "a"] {
        played.offer(text, Origin::Symbolic);
    }
    assert_eq!((played.shown(), played.view.selected), (vec![3, 4, 1], Some(1)));
    assert!(played.view.is_recommended(1) && !played.view.is_recommended(5));
    // The method goes over to the newer copy, and the choice with it.
    played.event(Event::Recommended { proposal: Some(5), why: "again".into() });
    assert_eq!((played.shown(), played.view.selected), (vec![3, 4, 5], Some(5)));
    assert!(played.view.is_recommended(5));
}

#[test]
fn what_the_person_chose_stays_while_it_is_offered_again() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    played.view.select(2);
    played.round(&["b", "a"], Some(4));
    assert_eq!((played.shown(), played.view.selected), (vec![2, 4], Some(2)));
    // A hidden copy is chosen as the one shown for it.
    played.view.select(3);
    assert_eq!(played.view.selected, Some(2));
    played.view.select(1);
    assert_eq!(played.view.selected, Some(4));
}

#[test]
fn a_rejected_action_is_shown_once_until_it_is_offered_after_the_rejection() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    played.round(&["a", "b"], Some(2));
    played.reject(1);
    assert_eq!(played.shown(), [1, 2], "the copy offered before the rejection is gone with it");
    assert_eq!(played.view.shown_for(3), Some(1));
    played.round(&["b", "a"], Some(6));
    assert_eq!(played.shown(), [1, 5, 6], "offered after the rejection, it is shown again");
    played.reject(6);
    played.round(&["b"], Some(7));
    assert_eq!(played.shown(), [1, 6, 7]);
}

#[test]
fn a_rejected_choice_gives_way_to_what_is_recommended_then() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    played.round(&["a", "b"], Some(3));
    assert_eq!(played.view.selected, Some(3));
    played.reject(3);
    assert_eq!((played.shown(), played.view.selected), (vec![3, 4], Some(3)));
    played.round(&["b"], Some(5));
    assert_eq!((played.shown(), played.view.selected), (vec![3, 5], Some(5)));
}

#[test]
fn a_taken_action_offered_again_is_shown_once_and_open() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    let decision = played.decide(Choice::Approve { proposal: 1 });
    let action = Action { text: "a".into(), call: None };
    let (outcome, changes) = (StepOutcome::default(), serde_json::json!([]));
    played.event(Event::Executed {
        decision,
        child: 1,
        action: action.into(),
        outcome: outcome.into(),
        changes: changes.into(),
    });
    played.event(Event::Moved { to: 0 });
    assert_eq!((played.shown(), played.view.selected), (vec![1, 2], Some(1)));
    played.round(&["a", "b"], Some(3));
    assert_eq!((played.shown(), played.view.selected), (vec![3, 4], Some(3)));
    let copy = played.view.chosen().expect("chosen");
    assert!(
        played.view.is_recommended(3) && played.view.was_taken(copy),
        "it says that its action was taken from here"
    );
}

#[test]
fn the_choice_goes_from_a_taken_action_to_its_copy_that_is_open() {
    let mut played = Played::new();
    played.round(&["a", "b"], Some(1));
    played.decide(Choice::Approve { proposal: 1 });
    played.round(&["a", "b"], Some(4));
    // Chosen, the taken one had the verdict it was taken with in a list whose title counted those of now.
    assert_eq!((played.shown(), played.view.selected), (vec![3, 4], Some(3)));
}

#[test]
fn what_a_model_writes_more_than_once_is_one_row_with_a_count() {
    let mut played = Played::new();
    for origin in [Origin::Greedy, Origin::Sample, Origin::Person, Origin::Symbolic, Origin::Sample] {
        played.offer("a", origin);
    }
    played.offer("b", Origin::Sample);
    assert_eq!(played.shown(), [1, 3, 4, 6]);
    assert_eq!([1, 3, 4, 6].map(|id| played.view.times(id)), [3, 1, 1, 1]);
    // The one that is recommended is shown for its copies, where they came first.
    played.event(Event::Recommended { proposal: Some(5), why: "it verifies".into() });
    assert_eq!((played.shown(), played.view.is_recommended(5)), (vec![5, 3, 4, 6], true));
    // Rejected, all of them are; written again after that, it is offered again and says so.
    played.reject(5);
    assert_eq!(played.shown(), [5, 3, 4, 6]);
    played.offer("a", Origin::Sample);
    assert_eq!(played.shown(), [5, 3, 4, 6, 7]);
    let again = played.session().current().unwrap().turn.proposal(7).unwrap().clone();
    assert_eq!(played.view.refused_before(&again), Some((0, "no")));
}
