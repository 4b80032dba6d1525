//! Blind sessions: what must not be seen before a decision is left out of the records until it is taken.
//!
//! Left out is what tells the future: the world's dry run of an action (whether it would be accepted, what it would change, what it would
//! say; where an episode was recorded, that is the recorded answer). What the assertions in force and the method say stays. The log keeps
//! everything: only what is shown and exported leaves it out.

use std::borrow::Cow;
use std::collections::BTreeSet;

use super::event::{Event, NodeId, Record};
use super::proposal::{CheckKind, Verdict};

/// A verdict without the world's dry run.
pub fn verdict(verdict: &Verdict) -> Verdict {
    let checks = verdict.checks.iter().filter(|check| check.kind != CheckKind::World).cloned().collect();
    Verdict { checks, effect: None, preview: None }
}

/// A record without what must not be seen before a decision; `None` if there is nothing of the kind in it.
pub fn record(record: &Record) -> Option<Record> {
    let Event::Checked { proposal, verdict: full } = &record.event else { return None };
    let event = Event::Checked { proposal: *proposal, verdict: verdict(full) };
    Some(Record { event, ..record.clone() })
}

/// A session's records as they are shown outside of it: those of a blind session without what must not be seen yet.
pub fn shown(records: &[Record]) -> Cow<'_, [Record]> {
    let switch = |r: &Record| if let Event::BlindSet { blind } = r.event { Some(blind) } else { None };
    if records.iter().rev().find_map(switch) != Some(true) {
        return Cow::Borrowed(records);
    }
    let decided: BTreeSet<NodeId> = records.iter().filter(|r| takes(r)).map(|r| r.node).collect();
    let hide = |r: &Record| record(r).filter(|_| !decided.contains(&r.node)).unwrap_or_else(|| r.clone());
    Cow::Owned(records.iter().map(hide).collect())
}

/// Whether a record is a decision to take a step.
pub fn takes(record: &Record) -> bool {
    matches!(&record.event, Event::Decided { decision } if decision.takes())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::episode::proposal::{Check, Status};

    fn at(node: NodeId, event: serde_json::Value) -> Record {
        let mut value = json!({"id": 1, "ts": 0, "node": node});
        value.as_object_mut().unwrap().extend(event.as_object().unwrap().clone());
        serde_json::from_value(value).unwrap()
    }

    fn checked(node: NodeId) -> Record {
        let check = |kind| Check { kind, condition: "c".into(), status: Status::Fails, detail: None };
        let verdict = Verdict {
            checks: vec![check(CheckKind::Precondition), check(CheckKind::World)],
            effect: Some(json!([])),
            preview: Some("As recorded.".into()),
        };
        Record { id: 1, ts: 0, node, event: Event::Checked { proposal: 1, verdict } }
    }

    #[test]
    fn the_dry_run_is_left_out_until_the_decision_and_only_in_blind_sessions() {
        let decided = at(
            0,
            json!({"event": "decided", "decision": {"id": 1, "choice": "approve", "proposal": 1, "by": "person"}}),
        );
        let blind = |blind| Record { id: 1, ts: 0, node: 0, event: Event::BlindSet { blind } };
        let records = vec![blind(true), checked(0), decided, checked(1)];
        let seen = shown(&records);
        assert_eq!(seen[1], records[1], "decided");
        let Event::Checked { verdict, .. } = &seen[3].event else { panic!("{seen:?}") };
        assert_eq!((verdict.checks.len(), &verdict.effect, &verdict.preview), (1, &None, &None));
        let open = [records.clone(), vec![blind(false)]].concat();
        assert_eq!(shown(&open).as_ref(), open.as_slice());
        assert_eq!(shown(&records[1..]).as_ref(), &records[1..], "sessions of before");
    }
}
