//! Blind sessions: what must not be seen before a decision is left out of the records until it is taken.
//!
//! Left out is what tells the future: the world's dry run of an action (whether it would be accepted, what it would change, what it would
//! say; where an episode was recorded, that is the recorded answer). Left out is also what would decide for the person: which proposal
//! the method recommends (and why automatic steps stopped at it), the scores it was ranked by, and its rank, so that ranked proposals are
//! shown, numbered and exported in an order of their own (`blind/order.rs`). What the assertions in force say, and what a model wrote,
//! stays. The log keeps everything: only what is shown and exported leaves it out.

mod order;

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::Arc;

use super::ask::AskKind;
use super::event::{AskId, Event, NodeId, Record};
use super::header::Header;
use super::proposal::{CheckKind, Origin, Proposal, Verdict};
use super::session::Session;

/// The text in place of something hidden.
pub const HIDDEN: &str = "hidden until you decide";

/// A verdict without the world's dry run.
pub fn verdict(verdict: &Verdict) -> Verdict {
    let checks = verdict.checks.iter().filter(|check| check.kind != CheckKind::World).cloned().collect();
    Verdict { checks, effect: None, preview: None }
}

/// Whether the answers to an ask come in the order of a ranking.
pub fn ranks(kind: &AskKind) -> bool {
    kind.is(&AskKind::RANKED) || *kind == AskKind::SCORED
}

/// A record without what must not be seen before a decision, `None` if there is nothing of the kind in it; `ranked` says of an ask
/// whether its answers come in the order of a ranking.
pub fn record(record: &Record, ranked: impl Fn(AskId) -> bool) -> Option<Record> {
    let event = match &record.event {
        Event::Checked { proposal, verdict: full } => {
            Event::Checked { proposal: *proposal, verdict: verdict(full).into() }
        }
        Event::Recommended { proposal: Some(_), .. } => Event::Recommended { proposal: None, why: HIDDEN.to_owned() },
        Event::PolicySet { policy, why } if super::gate::tells(why) => {
            Event::PolicySet { policy: policy.clone(), why: HIDDEN.to_owned() }
        }
        Event::Dueled { .. } => Event::Dueled { sides: Arc::new([]) },
        Event::Proposed { proposal } if is_ranked(proposal) => {
            // The reason of a ranking tells the rank.
            let seen = Proposal { score: None, logprob: None, rationale: None, ..proposal.as_ref().clone() };
            Event::Proposed { proposal: seen.into() }
        }
        Event::Answered { ask, texts, usage, ms } if ranked(*ask) => {
            let mut texts = texts.to_vec();
            texts.sort();
            Event::Answered { ask: *ask, texts: texts.into(), usage: *usage, ms: *ms }
        }
        _ => return None,
    };
    Some(Record { event, ..record.clone() })
}

/// A session's records as they are shown outside of it: those of a blind session without what must not be seen yet.
///
/// Ranked proposals that nothing was decided about are numbered in the order they are shown in; see `blind/order.rs`.
pub fn shown<'a>(header: &Header, records: &'a [Record]) -> Cow<'a, [Record]> {
    let switch = |r: &Record| if let Event::BlindSet { blind } = r.event { Some(blind) } else { None };
    if records.iter().rev().find_map(switch) != Some(true) {
        return Cow::Borrowed(records);
    }
    let decided: BTreeSet<NodeId> = records.iter().filter(|r| takes(r)).map(|r| r.node).collect();
    let ranking = |r: &Record| match &r.event {
        Event::Asked { ask, kind, .. } if ranks(kind) => Some(*ask),
        _ => None,
    };
    let ranked: BTreeSet<AskId> = records.iter().filter_map(ranking).collect();
    let hide = |r: &Record| {
        let seen = if decided.contains(&r.node) { None } else { record(r, |ask| ranked.contains(&ask)) };
        seen.unwrap_or_else(|| r.clone())
    };
    let mut seen: Vec<Record> = records.iter().map(hide).collect();
    order::hide(header, &mut seen, &decided);
    Cow::Owned(seen)
}

/// Whether a record is a decision to take a step.
pub fn takes(record: &Record) -> bool {
    matches!(&record.event, Event::Decided { decision } if decision.takes())
}

/// Puts ranked proposals into an order that says nothing of their rank: the same in each view of a session, another in another
/// session. What a model wrote keeps its place.
pub fn shuffle(session: &Session, node: NodeId, proposals: &mut [&Proposal]) {
    let mut ranked: Vec<&Proposal> = proposals.iter().copied().filter(|p| is_ranked(p)).collect();
    ranked.sort_by_cached_key(|proposal| key(&session.header, node, proposal));
    for (slot, proposal) in proposals.iter_mut().filter(|p| is_ranked(p)).zip(ranked) {
        *slot = proposal;
    }
}

/// The order of ranked proposals where their rank is hidden.
fn key(header: &Header, node: NodeId, proposal: &Proposal) -> u64 {
    let seed = header.created ^ header.seed.rotate_left(32);
    let text = proposal.action.as_ref().map_or(proposal.raw.as_str(), |action| action.text.as_str());
    mixed(seed.to_le_bytes().iter().chain(&node.to_le_bytes()).chain(text.as_bytes()))
}

/// Whether the place of a record among those of the session's present node tells a rank.
pub fn tells_rank(session: &Session, record: &Record) -> bool {
    let id = match &record.event {
        Event::Proposed { proposal } => proposal.id,
        Event::Checked { proposal, .. } => *proposal,
        _ => return false,
    };
    let here = session.current().filter(|node| node.id == record.node);
    here.and_then(|node| node.turn.proposal(id)).is_some_and(is_ranked)
}

fn is_ranked(proposal: &Proposal) -> bool {
    proposal.origin.is_built_in() || proposal.origin == Origin::Scored
}

/// FNV-1a: the same on every machine and in every version, unlike the library's hashes.
fn mixed<'a>(bytes: impl Iterator<Item = &'a u8>) -> u64 {
    bytes.fold(0xcbf2_9ce4_8422_2325, |hash, byte| (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::proposal::{Check, Status};

    fn at(node: NodeId, event: serde_json::Value) -> Record {
        let mut value = json!({"id": 1, "ts": 0, "node": node});
        value.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        serde_json::from_value(value).unwrap()
    }

    fn checked(node: NodeId) -> Record {
        let check = |kind| Check { kind, condition: "c".into(), status: Status::Fails, detail: None };
        let verdict = Verdict {
            checks: vec![check(CheckKind::Precondition), check(CheckKind::World)],
            effect: Some(json!([]).into()),
            preview: Some("As recorded.".into()),
        };
        Record { id: 1, ts: 0, node, event: Event::Checked { proposal: 1, verdict: verdict.into() } }
    }

    fn proposed(id: u64, text: &str, origin: Origin) -> Proposal {
        let action = Some(crate::Action::new(text, None));
        let rationale = Some("the best".to_owned());
        let (raw, problem, ask) = (text.to_owned(), None, Some(1));
        Proposal { action, problem, score: Some(-2.0), rationale, ask, ..Proposal::new(id, raw, origin) }
    }

    #[test]
    fn neither_star_nor_score_nor_rank_is_seen_before_the_decision() {
        let asked = at(
            0,
            json!({"event": "asked", "ask": 1, "kind": {"for": "action", "how": "ranked"}, "model": "symbolic", "n": 2, "temperature": 0.0}),
        );
        let answered = at(0, json!({"event": "answered", "ask": 1, "texts": ["go", "bark"], "ms": 1}));
        let offered = |id, text| {
            let proposal = proposed(id, text, Origin::Symbolic);
            Record { id: 1, ts: 0, node: 0, event: Event::Proposed { proposal: proposal.into() } }
        };
        let recommended = at(0, json!({"event": "recommended", "proposal": 1, "why": "the best one"}));
        let blind = Record { id: 1, ts: 0, node: 0, event: Event::BlindSet { blind: true } };
        let policy = crate::Policy::default();
        let why = "the world would refuse `go`, the best one".to_owned();
        let stopped = Record { id: 1, ts: 0, node: 0, event: Event::PolicySet { policy, why } };
        let records = [blind, asked, answered, offered(1, "go"), offered(2, "bark"), recommended, stopped];
        let text = serde_json::to_string(shown(&Header::default(), &records).as_ref()).unwrap();
        assert!(!text.contains("best") && !text.contains("-2.0"), "{text}");
        assert!(text.contains(r#"["bark","go"]"#), "{text}");
        assert!(text.contains(HIDDEN), "{text}");
    }

    #[test]
    fn the_order_of_ranked_proposals_is_a_session_s_own() {
        let ranked: Vec<Proposal> = (0..8).map(|n| proposed(n, &format!("go to {n}"), Origin::Symbolic)).collect();
        let written = proposed(8, "look", Origin::Greedy);
        let ids = |created: u64, node: NodeId| {
            let header = crate::Header { created, ..Default::default() };
            let mut proposals: Vec<&Proposal> = std::iter::once(&written).chain(&ranked).collect();
            shuffle(&Session::new(header), node, &mut proposals);
            proposals.iter().map(|p| p.id).collect::<Vec<_>>()
        };
        let first = ids(1, 0);
        assert_eq!(first[0], 8, "what a model wrote keeps its place");
        assert_eq!(first, ids(1, 0));
        assert!(ids(2, 0) != first && ids(1, 1) != first, "{first:?}");
        let mut sorted = first.clone();
        sorted.sort_unstable();
        assert_eq!(sorted, (0..9).collect::<Vec<_>>());
    }

    /// Records of a session in which ranked actions were proposed and checked, one after the other, and one was rejected.
    fn ranked_session(texts: &[&str], blind: bool) -> Vec<Record> {
        let check = |text: &str| Check {
            kind: CheckKind::Precondition,
            condition: format!("about {text}"),
            status: Status::Holds,
            detail: None,
        };
        let checked = |id: u64, text: &str| {
            let verdict = Verdict { checks: vec![check(text)], ..Verdict::default() };
            Event::Checked { proposal: id, verdict: verdict.into() }
        };
        let mut events = vec![
            Event::Started { outcome: Default::default() },
            Event::BlindSet { blind },
            serde_json::from_value(json!({"event": "asked", "ask": 1, "kind": {"for": "action", "how": "ranked"}, "model": "symbolic", "n": 9, "temperature": 0.0})).unwrap(),
        ];
        for (id, text) in (1..).zip(texts) {
            events.push(Event::Proposed { proposal: proposed(id, text, Origin::Symbolic).into() });
            events.push(checked(id, text));
        }
        let rejected = json!({"event": "decided", "decision": {"id": 1, "choice": "reject", "proposal": 2, "reason": "no", "by": "person"}});
        events.push(serde_json::from_value(rejected).unwrap());
        let again: Vec<Event> = (1..).zip(texts).map(|(id, text)| checked(id, text)).collect();
        events.extend(again.into_iter().rev());
        (1..).zip(events).map(|(id, event)| Record { id, ts: 0, node: 0, event }).collect()
    }

    /// Of the session that records fold to: the texts of the proposals by their numbers, what each was checked about, and the rejected one.
    fn folded(records: &[Record]) -> (Vec<String>, Vec<String>, String) {
        let mut session = Session::new(Header::default());
        records.iter().for_each(|record| session.apply(record).unwrap());
        let turn = &session.current().unwrap().turn;
        let text = |p: &Proposal| p.action.as_ref().unwrap().text.clone();
        let about = |p: &Proposal| turn.newest(p.id).unwrap().checks[0].condition.clone();
        let rejected = turn.proposal(turn.decisions[0].proposal()).unwrap();
        (
            turn.proposals.iter().map(|p| text(p)).collect(),
            turn.proposals.iter().map(|p| about(p)).collect(),
            text(rejected),
        )
    }

    #[test]
    fn neither_numbers_nor_places_of_records_tell_a_rank() {
        let texts = ["go north", "go south", "go east", "go west", "look", "wait"];
        let mut backwards = texts;
        backwards.reverse();
        let header = Header { created: 7, ..Header::default() };
        let seen = |texts: &[&str]| shown(&header, &ranked_session(texts, true)).into_owned();
        let (offered, about, rejected) = folded(&seen(&texts));
        assert_ne!(offered, texts, "the order is another");
        let expected: Vec<String> = offered.iter().map(|text| format!("about {text}")).collect();
        assert_eq!((about, rejected.as_str()), (expected, "go south"));
        // Another ranking of the same actions gives the same records but for what the person did.
        let but_rejection = |records: Vec<Record>| {
            let kept = records.into_iter().filter(|r| !matches!(r.event, Event::Decided { .. }));
            kept.map(|r| serde_json::to_string(&r).unwrap()).collect::<Vec<_>>()
        };
        assert_eq!(but_rejection(seen(&texts)), but_rejection(seen(&backwards)));
        let open = ranked_session(&texts, false);
        assert_eq!(shown(&header, &open).as_ref(), open.as_slice());
    }

    #[test]
    fn the_dry_run_is_left_out_until_the_decision_and_only_in_blind_sessions() {
        let decided = at(
            0,
            json!({"event": "decided", "decision": {"id": 1, "choice": "approve", "proposal": 1, "by": "person"}}),
        );
        let blind = |blind| Record { id: 1, ts: 0, node: 0, event: Event::BlindSet { blind } };
        let records = vec![blind(true), checked(0), decided, checked(1)];
        let header = Header::default();
        let seen = shown(&header, &records);
        assert_eq!(seen[1], records[1], "decided");
        let Event::Checked { verdict, .. } = &seen[3].event else { panic!("{seen:?}") };
        assert_eq!((verdict.checks.len(), &verdict.effect, &verdict.preview), (1, &None, &None));
        let open = [records.clone(), vec![blind(false)]].concat();
        assert_eq!(shown(&header, &open).as_ref(), open.as_slice());
        assert_eq!(shown(&header, &records[1..]).as_ref(), &records[1..], "sessions of before");
    }
}
