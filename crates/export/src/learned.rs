//! The knowledge learned in a session: skills, primitives and tips, cuts of logs, reflections. Each when and how it was adopted, and what is
//! known where the session is.

use serde::Serialize;
use serde_json::Value;
use stepwright_skill::{Segment, changes, document, file};

use stepwright_episode::{Actor, ArtifactId, ArtifactKind, Node, OfferId, OfferState, Session};

/// Something that is known, or became so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    pub title: String,
    /// It, a line each; of knowledge that changed, the changes.
    pub lines: Vec<String>,
}

/// Whether documents of a kind are what a session learned.
pub(super) fn is_learned(kind: &ArtifactKind) -> bool {
    match kind {
        ArtifactKind::Knowledge | ArtifactKind::Segments => true,
        ArtifactKind::Other(other) => other == "reflection",
        _ => false,
    }
}

fn name(id: &ArtifactId) -> String {
    match id.kind {
        ArtifactKind::Knowledge => "skills and tips".to_owned(),
        ArtifactKind::Segments => format!("the log {} cut into calls", id.key),
        ArtifactKind::Other(_) => format!("{} on the trial that ended at node {}", id.kind, id.key),
        _ => id.to_string(),
    }
}

fn lines(kind: &ArtifactKind, value: &Value) -> Vec<String> {
    let text = match kind {
        ArtifactKind::Knowledge => document::read(value).map(|known| file::write(&known)),
        ArtifactKind::Segments => {
            serde_json::from_value::<Vec<Segment>>(value.clone()).map_err(|e| e.to_string()).map(|cut| {
                let line = |s: &Segment| format!("{}: steps {} to {}\n", s.call(), s.start + 1, s.end + 1);
                cut.iter().map(line).collect()
            })
        }
        _ => Ok(value.get("text").and_then(Value::as_str).map_or_else(|| value.to_string(), str::to_owned)),
    };
    // What cannot be read is shown as it is kept.
    text.unwrap_or_else(|_| value.to_string()).lines().filter(|l| !l.trim().is_empty()).map(str::to_owned).collect()
}

/// The knowledge adopted at a node, and the offers not taken there.
pub(super) fn at(node: &Node) -> Vec<Learned> {
    let of = |offer: Option<OfferId>| {
        let found = offer.and_then(|id| node.offer(id));
        found.map(|offer| format!(", offered as \"{}\"", offer.written.title)).unwrap_or_default()
    };
    let taken = node.turn.changes.iter().filter(|change| is_learned(&change.artifact.kind)).map(|change| {
        let who = match (change.by, change.edited) {
            (Actor::Person, true) => "edited and adopted by a person",
            (Actor::Person, false) => "adopted by a person",
            (Actor::Policy, _) => "adopted by the policy",
        };
        let (before, after) = (change.before(), change.after());
        let known = |value: Option<&Value>| document::read(value.unwrap_or(&Value::Null)).ok();
        let lines = match (change.artifact.kind == ArtifactKind::Knowledge, known(before), known(Some(after))) {
            (true, Some(before), Some(after)) => {
                changes::between(&before, &after).iter().map(ToString::to_string).collect()
            }
            _ => lines(&change.artifact.kind, after),
        };
        Learned { title: format!("{}, {who}{}", name(&change.artifact), of(change.offer)), lines }
    });
    // What came along from above and was decided about here; what is still open is listed where it was offered.
    let above = node.inherited_offers.iter().filter(|offer| offer.fate != OfferState::Pending).map(AsRef::as_ref);
    let offers = above.chain(&node.turn.offers).filter(|offer| is_learned(&offer.written.artifact.kind));
    let refused = offers.filter_map(|offer| {
        let fate = match &offer.fate {
            OfferState::Refused { why, .. } if why.is_empty() => "refused".to_owned(),
            OfferState::Refused { why, .. } => format!("refused: {why}"),
            OfferState::Pending => "offered, not decided about".to_owned(),
            OfferState::Taken { .. } | OfferState::Replaced => return None,
        };
        let what = name(&offer.written.artifact);
        Some(Learned { title: format!("{what}, {fate} (\"{}\")", offer.written.title), lines: Vec::new() })
    });
    taken.chain(refused).collect()
}

/// The knowledge where the session is, each part since the step at which it last changed.
pub(super) fn known(session: &Session) -> Vec<Learned> {
    let Some(here) = session.current() else { return Vec::new() };
    let path = session.path(here.id);
    let since = |id: &ArtifactId| {
        let changed = |node: &&&Node| node.turn.changes.iter().any(|change| change.artifact == *id);
        path.iter().rev().find(changed).map(|node| format!(", since step {}", node.depth)).unwrap_or_default()
    };
    let own = here.documents.iter().filter(|(id, document)| is_learned(&id.kind) && !document.is_null());
    own.map(|(id, document)| Learned { title: format!("{}{}", name(id), since(id)), lines: lines(&id.kind, document) })
        .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{header, records};
    use super::super::{Format, render};
    use super::*;
    use stepwright_episode::{Event, Record, Written, replacing};

    /// The example session, with more that happened where it ends.
    fn more(events: Vec<Event>) -> Vec<Record> {
        let mut all = records();
        let mut session = Session::new(header());
        all.iter().for_each(|record| session.apply(record).unwrap());
        let (node, last) = (session.cursor(), all.last().map_or(0, |record| record.id));
        all.extend((last + 1..).zip(events).map(|(id, event)| Record { id, ts: 0, node, event }));
        all
    }

    #[test]
    fn what_was_adopted_when_and_what_was_refused_is_in_the_exports() {
        let knowledge =
            json!({ "tips": ["Look <first>."], "skills": [{ "name": "find(object)", "tips": ["Think."] }] });
        let written = |title: &str| Written {
            artifact: ArtifactId::KNOWLEDGE,
            due: None,
            title: title.into(),
            raw: String::new(),
            repairs: Vec::new(),
            value: Some(knowledge.clone().into()),
            problem: None,
        };
        let settled = |artifact, offer, patch, edited| Event::ArtifactSettled {
            artifact,
            offer,
            patch: std::sync::Arc::new(patch),
            by: Actor::Person,
            edited,
            why: String::new(),
        };
        let offered =
            |offer, title| Event::ArtifactOffered { offer, ask: None, written: written(title).into(), beside: true };
        let reflection = ArtifactId { kind: ArtifactKind::Other("reflection".into()), key: "2".into() };
        let cut = json!([{ "skill": "find", "args": ["mug"], "start": 0, "end": 3 }]);
        let all = more(vec![
            offered(1, "a tip from good and bad"),
            settled(ArtifactId::KNOWLEDGE, Some(1), replacing(&knowledge), true),
            offered(2, "more of it"),
            Event::ArtifactRefused { offer: 2, by: Actor::Person, why: "too much".into() },
            settled(ArtifactId::segments("good"), None, replacing(&cut), false),
            settled(reflection, None, replacing(&json!({ "text": "I should have looked." })), false),
        ]);
        let header = header();
        let text = render(Format::Text, &header, &all).unwrap();
        for part in [
            "learned: skills and tips, edited and adopted by a person, offered as \"a tip from good and bad\"",
            "+ tip Look <first>.",
            "learned: skills and tips, refused: too much (\"more of it\")",
            "known    skills and tips, since step",
            "find(mug): steps 1 to 4",
            "reflection on the trial that ended at node 2",
            "I should have looked.",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let page = render(Format::Html, &header, &all).unwrap();
        assert!(page.contains("What is known where the session is") && page.contains("Look &lt;first&gt;."), "{page}");
        assert!(page.contains("find(mug): steps 1 to 4") && !page.contains("Look <first>"));
        assert!(!render(Format::Text, &header, &records()).unwrap().contains("known   "));
    }
}
