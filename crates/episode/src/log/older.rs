//! Older formats. Maps the records of logs of formats 1 and 2 to the events of today, once, on reading.
//!
//! Format 1 had an event family each for beliefs, changes of the blocking tree and adopted assertions; they are artifacts now. It
//! said in words, under the name `purpose`, what is asked for. Format 2 knew what methods ask of their own accord by the label alone, and
//! wrote the number of a plan's line before its text. That nothing waits for an offer went by its kind. Both had an event of their own for
//! changes of candidates, which are a document now.

use serde_json::{Map, Value, json};

use std::sync::Arc;

use super::super::artifact::{ArtifactId, ArtifactKind, replacing};
use super::super::ask::{AskKind, OwnAsk};
use super::super::event::{Event, Record};
use super::super::header::Header;
use super::super::session::Session;

/// Reads a record of format 1, or one of format 2 that has another form today.
pub(super) fn record(line: &[u8]) -> Result<Record, serde_json::Error> {
    let mut value: Value = serde_json::from_slice(line)?;
    if let Some(fields) = value.as_object_mut() {
        upgrade(fields);
    }
    serde_json::from_value(value)
}

/// A header with what format 2 said in its sentence: `Banks_1: check the balance` is about a service.
pub(super) fn header(mut header: Header) -> Header {
    let service = header.sentence.split_once(':').map(|(service, _)| service).unwrap_or_default();
    if header.service.is_empty() && service.chars().all(|c| c.is_ascii_alphanumeric() || c == '_') {
        header.service = service.to_owned();
    }
    header
}

/// A record with what format 2 said in texts, or did not say, as fields; `session` is as it was before the record.
pub(super) fn tagged(mut record: Record, session: &Session) -> Record {
    match &mut record.event {
        Event::Asked { kind: AskKind::Other(own), .. } if own.tag.is_empty() => {
            if let Some((tag, of, nth)) = by_label(&own.label) {
                *own = OwnAsk { tag: tag.into(), of: of.to_owned(), nth, label: std::mem::take(&mut own.label) };
            }
        }
        Event::ArtifactOffered { written, beside, .. } => {
            *beside |= matches!(written.artifact.kind, ArtifactKind::Knowledge | ArtifactKind::Segments);
        }
        Event::ArtifactSettled { artifact, patch, .. } if artifact.kind == ArtifactKind::Candidates => {
            let before = session.document(artifact).and_then(|edits| edits.as_array()?.last());
            if before.is_some_and(|before| patch.pointer("/0/value").is_some_and(|edit| reverses(edit, before))) {
                record.event = Event::ArtifactUndone { artifact: artifact.clone() };
            }
        }
        Event::Proposed { proposal } if proposal.line.is_none() => {
            let ask = proposal.ask.and_then(|ask| session.node(record.node)?.turn.ask(ask));
            let numbered = proposal.raw.split_once(": ").filter(|_| ask.is_some_and(|ask| ask.kind.is_line()));
            let numbered = numbered.and_then(|(line, text)| Some((line.parse().ok()?, text.to_owned())));
            if let Some((line, raw)) = numbered {
                let proposal = Arc::make_mut(proposal);
                (proposal.line, proposal.raw) = (Some(line), raw);
            }
        }
        _ => {}
    }
    record
}

/// Whether a change of a candidate takes another back, which was recorded so.
fn reverses(edit: &Value, other: &Value) -> bool {
    let same = |name: &str, as_: &str| edit.get(name) == other.get(as_);
    same("at", "at") && same("before", "after") && same("after", "before")
}

/// The meaning of a label of format 2: the tag, whose it is, and which of several.
fn by_label(label: &str) -> Option<(&'static str, &str, usize)> {
    let known = [
        ("the nearest example", "example"),
        ("a correction", "correction"),
        ("translated steps", "translation"),
        ("a correction, translated", "corrected"),
        ("the program's next call", "run"),
    ];
    if let Some((_, tag)) = known.into_iter().find(|(words, _)| *words == label) {
        return Some((tag, "", 0));
    }
    let function = label.strip_suffix(" of the program").and_then(|rest| rest.rsplit_once(", call "));
    if let Some((function, number)) = function {
        return Some(("function", function, number.parse::<usize>().ok()?.checked_sub(1)?));
    }
    let step = label.strip_prefix("the next step of ").map(|name| ("step", name, 0));
    step.or_else(|| Some(("reading", label.strip_suffix(" reads an answer")?, 0)))
}

/// Rewrites an event that has another form today.
fn upgrade(fields: &mut Map<String, Value>) {
    let mut take = |name: &str| fields.remove(name).unwrap_or_default();
    let (event, settled) = match take("event").as_str().unwrap_or_default() {
        "asked" => {
            let kind = take("purpose").as_str().map(AskKind::from_words);
            ("asked".to_owned(), kind.map(|kind| ("kind", json!(kind))).into_iter().collect())
        }
        "belief_offered" => {
            let names = ["due", "raw", "repairs", "problem"];
            let mut written: Map<String, Value> = names.iter().map(|n| ((*n).to_owned(), take(n))).collect();
            written.insert("artifact".into(), json!(ArtifactId::BELIEF));
            written.insert("title".into(), take("update"));
            written.insert("value".into(), take("state"));
            written.retain(|_, value| !value.is_null());
            ("artifact_offered".to_owned(), vec![("written", Value::Object(written))])
        }
        "believed" => ("artifact_settled".to_owned(), vec![("artifact", json!(ArtifactId::BELIEF))]),
        "belief_refused" => ("artifact_refused".to_owned(), Vec::new()),
        "assertions_adopted" => {
            let action = take("action");
            let artifact = ArtifactId::assertions(action.as_str().unwrap_or_default());
            let (assertions, origin) = (take("assertions"), take("origin"));
            let by = if origin == "specification" { "policy" } else { "person" };
            let patch = replacing(&json!({ "assertions": assertions, "origin": origin }));
            let settled = vec![("artifact", json!(artifact)), ("patch", patch), ("by", json!(by))];
            ("artifact_settled".to_owned(), settled)
        }
        "tree_edited" => {
            let patch = json!([{ "op": "add", "path": "/-", "value": take("edit") }]);
            let settled = vec![("artifact", json!(ArtifactId::TREE)), ("patch", patch), ("by", json!("person"))];
            ("artifact_settled".to_owned(), settled)
        }
        "candidate_edited" => {
            let artifact = ArtifactId::candidates(take("action").as_str().unwrap_or_default());
            let patch = json!([{ "op": "add", "path": "/-", "value": take("edit") }]);
            let settled = vec![("artifact", json!(artifact)), ("patch", patch), ("by", json!("person"))];
            ("artifact_settled".to_owned(), settled)
        }
        "tree_edit_undone" => ("artifact_undone".to_owned(), vec![("artifact", json!(ArtifactId::TREE))]),
        same => (same.to_owned(), Vec::new()),
    };
    fields.insert("event".into(), Value::String(event));
    fields.extend(settled.into_iter().map(|(name, value)| (name.to_owned(), value)));
}

#[cfg(test)]
mod tests {
    use super::super::super::proposal::{Origin, Proposal};
    use super::*;

    fn event(fields: Value) -> Event {
        let mut line = json!({ "id": 1, "ts": 0, "node": 0 });
        line.as_object_mut().unwrap().extend(fields.as_object().unwrap().clone());
        record(line.to_string().as_bytes()).unwrap().event
    }

    #[test]
    fn beliefs_are_artifacts() {
        let offered =
            json!({ "event": "belief_offered", "offer": 1, "due": { "step": 2, "nth": 0 }, "update": "u", "raw": "r" });
        let Event::ArtifactOffered { offer: 1, ask: None, written, beside: false } = event(offered) else { panic!() };
        assert_eq!((written.title.as_str(), written.raw.as_str(), &written.value), ("u", "r", &None));
        assert_eq!(written.artifact, ArtifactId::BELIEF);
        let settled = event(json!({ "event": "believed", "offer": 1, "patch": [], "by": "person" }));
        assert!(matches!(settled, Event::ArtifactSettled { offer: Some(1), .. }), "{settled:?}");
        let refused = event(json!({ "event": "belief_refused", "offer": 1, "by": "policy", "why": "no" }));
        assert!(matches!(refused, Event::ArtifactRefused { offer: 1, .. }), "{refused:?}");
    }

    #[test]
    fn what_was_asked_for_is_read_from_words() {
        let words =
            json!({ "event": "asked", "ask": 1, "purpose": "a plan", "model": "m", "n": 1, "temperature": 0.0 });
        assert!(matches!(event(words), Event::Asked { kind: AskKind::PLAN, .. }));
    }

    #[test]
    fn what_methods_ask_is_told_from_the_labels_of_format_2() {
        for (label, known) in [
            ("a correction, translated", Some(("corrected", "", 0))),
            ("get_query, call 3 of the program", Some(("function", "get_query", 2))),
            ("the next step of mine", Some(("step", "mine", 0))),
            ("mine reads an answer", Some(("reading", "mine", 0))),
            ("anything else", None),
        ] {
            assert_eq!(by_label(label), known);
            let own = OwnAsk { label: label.into(), ..OwnAsk::default() };
            let asked = |own| Event::Asked {
                ask: 1,
                kind: AskKind::Other(own),
                model: String::new(),
                prompt: None,
                n: 1,
                temperature: 0.0,
            };
            let tag = |own| {
                let read = Record { id: 1, ts: 0, node: 0, event: asked(own) };
                match tagged(read, &Session::new(Header::default())).event {
                    Event::Asked { kind: AskKind::Other(own), .. } => own.tag.to_string(),
                    other => panic!("{other:?}"),
                }
            };
            assert_eq!(tag(own.clone()), known.map_or("", |(tag, ..)| tag));
            assert_eq!(tag(OwnAsk { tag: "mine".into(), ..own }), "mine", "a tag that is there stays");
        }
    }

    #[test]
    fn an_offer_of_knowledge_keeps_nothing_waiting() {
        for (kind, is_beside) in [("knowledge", true), ("segments", true), ("belief", false)] {
            let written = json!({ "artifact": { "kind": kind }, "title": "t", "raw": "" });
            let event = event(json!({ "event": "artifact_offered", "offer": 1, "written": written }));
            let read = tagged(Record { id: 1, ts: 0, node: 0, event }, &Session::new(Header::default()));
            assert!(matches!(read.event, Event::ArtifactOffered { beside, .. } if beside == is_beside), "{kind}");
        }
    }

    #[test]
    fn changes_of_candidates_are_a_document_and_one_that_reverses_the_last_is_its_undo() {
        let mut session = Session::new(Header::default());
        let mut id = 0;
        let mut read = |event: Event| {
            id += 1;
            let record = tagged(Record { id, ts: 0, node: 0, event }, &session);
            session.apply(&record).unwrap();
            session.document(&ArtifactId::candidates("take")).map_or(0, |edits| edits.as_array().map_or(0, Vec::len))
        };
        read(Event::Started { outcome: Default::default() });
        let mut edited =
            |edit: Value| read(event(json!({ "event": "candidate_edited", "action": "take", "edit": edit })));
        assert_eq!(edited(json!({ "at": 0, "after": { "text": "n" } })), 1);
        assert_eq!(edited(json!({ "at": 0, "before": { "text": "n" }, "after": { "text": "m" } })), 2);
        assert_eq!(edited(json!({ "at": 0, "before": { "text": "m" }, "after": { "text": "n" } })), 1);
        assert_eq!(edited(json!({ "at": 0, "before": { "text": "n" } })), 0);
        assert_eq!(edited(json!({ "at": 0, "after": { "text": "n" } })), 1, "made again");
        assert_eq!(edited(json!({ "at": 1, "before": { "text": "n" } })), 2, "of another candidate");
        assert_eq!(
            edited(json!({ "at": 1, "before": { "text": "m" }, "after": { "text": "n" } })),
            3,
            "of another text"
        );
    }

    #[test]
    fn a_change_of_another_document_that_reverses_the_last_stays_one() {
        let mut session = Session::new(Header::default());
        let settled = |edit: Value| {
            let patch = json!([{ "op": "add", "path": "/-", "value": edit }]);
            event(json!({ "event": "artifact_settled", "artifact": ArtifactId::TREE, "patch": patch, "by": "person" }))
        };
        let there = json!({ "at": 0, "before": "a", "after": "b" });
        let back = json!({ "at": 0, "before": "b", "after": "a" });
        for (id, event) in (1..).zip([Event::Started { outcome: Default::default() }, settled(there)]) {
            session.apply(&Record { id, ts: 0, node: 0, event }).unwrap();
        }
        let read = tagged(Record { id: 3, ts: 0, node: 0, event: settled(back) }, &session);
        assert!(matches!(read.event, Event::ArtifactSettled { .. }), "{read:?}");
    }

    #[test]
    fn the_service_is_told_from_the_sentence() {
        let service = |sentence: &str| header(Header { sentence: sentence.into(), ..Header::default() }).service;
        assert_eq!(service("Banks_1: check the balance"), "Banks_1");
        assert_eq!((service("put this there: now").as_str(), service("none").as_str()), ("", ""));
        let said = Header { sentence: "Banks_1: check".into(), service: "Rides_1".into(), ..Header::default() };
        assert_eq!(header(said).service, "Rides_1", "what is said is not told from elsewhere");
        assert!(record(b"[]").is_err(), "a line that is no object");
    }

    #[test]
    fn the_number_of_a_plan_s_line_is_a_field() {
        let mut session = Session::new(Default::default());
        let asked = |ask, kind| Event::Asked { ask, kind, model: String::new(), prompt: None, n: 1, temperature: 0.0 };
        let started = Event::Started { outcome: Default::default() };
        let events = [started, asked(1, AskKind::PLAN_LINE), asked(2, AskKind::GREEDY)];
        for (id, event) in (1..).zip(events) {
            session.apply(&Record { id, ts: 0, node: 0, event }).unwrap();
        }
        let read = |ask, line| {
            let proposal = Proposal { ask: Some(ask), line, ..Proposal::new(ask, "3: walk('bread')", Origin::Greedy) };
            let event = Event::Proposed { proposal: proposal.into() };
            let Event::Proposed { proposal } = tagged(Record { id: 4, ts: 0, node: 0, event }, &session).event else {
                panic!("still a proposal")
            };
            (proposal.line, proposal.raw.clone())
        };
        assert_eq!(read(1, None), (Some(3), "walk('bread')".to_owned()));
        assert_eq!(read(2, None), (None, "3: walk('bread')".to_owned()), "an answer of a model's own");
        assert_eq!(read(1, Some(7)), (Some(7), "3: walk('bread')".to_owned()), "a number that is there stays");
    }

    #[test]
    fn adopted_assertions_and_tree_edits_are_artifacts() {
        let adopted =
            json!({ "event": "assertions_adopted", "action": "take", "assertions": ["x"], "origin": "edited" });
        let Event::ArtifactSettled { artifact, patch, .. } = event(adopted) else { panic!() };
        assert_eq!(artifact, ArtifactId::assertions("take"));
        assert_eq!(patch[0]["value"]["assertions"], json!(["x"]));
        let edited = json!({ "event": "tree_edited", "edit": { "change": "prune", "node": 3, "pruned": true } });
        let Event::ArtifactSettled { artifact, patch, .. } = event(edited) else { panic!() };
        assert_eq!((artifact, patch[0]["path"].as_str()), (ArtifactId::TREE, Some("/-")));
        let undone = event(json!({ "event": "tree_edit_undone" }));
        assert!(matches!(undone, Event::ArtifactUndone { .. }), "{undone:?}");
    }
}
