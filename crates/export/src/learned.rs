//! The knowledge learned in a session: skills, primitives and tips, cuts of logs, reflections. Each when and how it was adopted, and what is
//! known where the session is.

use serde::Serialize;

use stepwright_episode::showing::{Listed, Showings};
use stepwright_episode::{Actor, ArtifactId, Node, OfferId, OfferState, Session};

/// Something that is known, or became so.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Learned {
    pub title: String,
    /// It, a line each; of knowledge that changed, the changes.
    pub lines: Vec<String>,
}

/// The knowledge adopted at a node, and the offers not taken there.
pub(super) fn at(node: &Node, showings: Showings<'_>) -> Vec<Learned> {
    let showing = |id: &ArtifactId| Some(showings(&id.kind)).filter(|showing| showing.listed == Listed::Learned);
    let of = |offer: Option<OfferId>| {
        let found = offer.and_then(|id| node.offer(id));
        found.map(|offer| format!(", offered as \"{}\"", offer.written.title)).unwrap_or_default()
    };
    let taken = node.turn.changes.iter().filter_map(|change| {
        let showing = showing(&change.artifact)?;
        let who = match (change.by, change.edited) {
            _ if change.takes_back => "the last change taken back by a person",
            (Actor::Person, true) => "edited and adopted by a person",
            (Actor::Person, false) => "adopted by a person",
            (Actor::Policy, _) => "adopted by the policy",
        };
        let title = format!("{}, {who}{}", showing.title_of(&change.artifact), of(change.offer));
        Some(Learned { title, lines: (showing.changes)(change.before(), change.after()) })
    });
    // What came along from above and was decided about here; what is still open is listed where it was offered.
    let above = node.inherited_offers.iter().filter(|offer| offer.fate != OfferState::Pending).map(AsRef::as_ref);
    let refused = above.chain(&node.turn.offers).filter_map(|offer| {
        let what = showing(&offer.written.artifact)?.title_of(&offer.written.artifact);
        let fate = match &offer.fate {
            OfferState::Refused { why, .. } if why.is_empty() => "refused".to_owned(),
            OfferState::Refused { why, .. } => format!("refused: {why}"),
            OfferState::Pending => "offered, not decided about".to_owned(),
            OfferState::Taken { .. } | OfferState::Replaced => return None,
        };
        Some(Learned { title: format!("{what}, {fate} (\"{}\")", offer.written.title), lines: Vec::new() })
    });
    taken.chain(refused).collect()
}

/// The knowledge where the session is, each part since the step at which it last changed.
pub(super) fn known(session: &Session, showings: Showings<'_>) -> Vec<Learned> {
    let Some(here) = session.current() else { return Vec::new() };
    let path = session.path(here.id);
    let since = |id: &ArtifactId| {
        let changed = |node: &&&Node| node.turn.changes.iter().any(|change| change.artifact == *id);
        path.iter().rev().find(changed).map(|node| format!(", since step {}", node.steps)).unwrap_or_default()
    };
    let own = here.documents.iter().filter(|(_, document)| !document.is_null());
    own.filter_map(|(id, document)| {
        let showing = Some(showings(&id.kind)).filter(|showing| showing.listed == Listed::Learned)?;
        Some(Learned { title: format!("{}{}", showing.title_of(id), since(id)), lines: (showing.lines)(document) })
    })
    .collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::super::tests::{header, records, showings};
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
        let knowledge = |key: &str| ArtifactId { key: key.into(), ..ArtifactId::KNOWLEDGE };
        let text = json!({ "text": "Look <first>.\n\nThen go." });
        let offered = |offer, title: &str| {
            let (raw, value) = (String::new(), Some(text.clone().into()));
            let (artifact, title, repairs) = (knowledge("mugs"), title.to_owned(), Vec::new());
            let written = Written { artifact, due: None, title, raw, repairs, value, problem: None };
            Event::ArtifactOffered { offer, ask: None, written: written.into(), beside: true }
        };
        let settled = |artifact, offer, edited| Event::ArtifactSettled {
            artifact,
            offer,
            patch: replacing(&text).into(),
            by: Actor::Person,
            edited,
            why: String::new(),
        };
        let all = more(vec![
            offered(1, "a tip from good and bad"),
            settled(knowledge("mugs"), Some(1), true),
            offered(2, "more of it"),
            Event::ArtifactRefused { offer: 2, by: Actor::Person, why: "too much".into() },
            settled(knowledge("cups"), None, false),
            settled(ArtifactId::BELIEF, None, false),
        ]);
        let header = header();
        let text = render(Format::Text, &header, &all, showings).unwrap();
        for part in [
            "learned: what was learned of mugs, edited and adopted by a person, offered as \"a tip from good and bad\"",
            "        Look <first>.\n        Then go.\n",
            "learned: what was learned of mugs, refused: too much (\"more of it\")",
            "learned: what was learned of cups, adopted by a person\n",
            "known    what was learned of mugs, since step",
            "belief: set by a person",
        ] {
            assert!(text.contains(part), "{part} in {text}");
        }
        let page = render(Format::Html, &header, &all, showings).unwrap();
        assert!(page.contains("known where the session is: ") && page.contains("Look &lt;first&gt;."), "{page}");
        assert!(!page.contains("Look <first>"));
        assert!(!render(Format::Text, &header, &records(), showings).unwrap().contains("known   "));
    }
}
