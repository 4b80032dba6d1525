use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use std::sync::Arc;

use super::super::artifact::{ArtifactId, Due, Written, patch_between};
use super::super::decision::Actor;
use super::super::event::{Event, StepOutcome};
use super::super::gate::header;
use super::*;

fn record(id: u64, event: Event) -> Record {
    Record { id, ts: id, node: 0, event }
}

fn noted(id: u64, text: &str) -> Record {
    record(id, Event::Noted { text: text.into() })
}

fn started() -> Record {
    record(1, Event::Started { outcome: StepOutcome { observation: "hello\nworld".into(), ..StepOutcome::default() } })
}

fn written(folder: &Path) -> PathBuf {
    let path = folder.join("deep/session.jsonl");
    let mut writer = Writer::create(&path, &header()).unwrap();
    writer.append(&started()).unwrap();
    writer.append(&noted(2, "a remark")).unwrap();
    writer.sync().unwrap();
    path
}

#[test]
fn what_is_appended_is_read_back_and_private() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let loaded = load(&path).unwrap();
    assert_eq!(loaded.records, [started(), noted(2, "a remark")]);
    assert_eq!(loaded.session.header, header());
    assert_eq!(loaded.torn, None);
    #[cfg(unix)]
    assert_eq!(std::os::unix::fs::PermissionsExt::mode(&fs::metadata(&path).unwrap().permissions()) & 0o777, 0o600);
    assert!(Writer::create(&path, &header()).is_err(), "a session is never written over");
}

#[test]
fn what_is_believed_is_read_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    let mut session = loaded.session;
    let artifact = ArtifactId::BELIEF;
    let offered = |offer, state: Option<Value>| {
        let written = Box::new(Written {
            artifact: artifact.clone(),
            due: Some(Due { step: 0, nth: 0 }),
            title: "the block is clean".into(),
            raw: "# state = {".into(),
            repairs: vec!["line 1: a comma is missing".into()],
            problem: state.is_none().then(|| "line 1: no state here".to_owned()),
            value: state.map(Arc::new),
        });
        Event::ArtifactOffered { offer, ask: None, written }
    };
    let (first, second) = (json!({ "b": {}, "a": { "is": ["clean"] } }), json!({ "a": {} }));
    let whole = |to: &Value| patch_between(&Value::Null, to);
    let believed = |offer, patch, edited| {
        let (artifact, by) = (artifact.clone(), Actor::Person);
        Event::ArtifactSettled { artifact, offer, patch, by, edited, why: "why".into() }
    };
    let events = [
        believed(None, whole(&first), false),
        offered(1, None),
        Event::ArtifactRefused { offer: 1, by: Actor::Policy, why: String::new() },
        offered(2, Some(second.clone())),
        believed(Some(2), patch_between(&first, &second), true),
    ];
    for (id, event) in (3..).zip(events) {
        writer.append(&record(id, event.clone())).unwrap();
        session.apply(&record(id, event)).unwrap();
    }
    let again = load(&path).unwrap().session;
    assert_eq!(again, session);
    assert_eq!(again.belief().unwrap().to_string(), second.to_string());
    // What does not fit is refused, and changes nothing.
    for misfit in [believed(Some(2), whole(&first), false), offered(2, None), believed(None, json!(["?"]), false)] {
        assert!(session.apply(&record(8, misfit)).is_err());
        assert_eq!(again, session);
    }
}

#[test]
fn a_torn_last_line_is_set_aside_and_writing_goes_on() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let whole = fs::read(&path).unwrap();
    let torn = br#"{"id":3,"ts":3,"node":0,"event":"noted","te"#;
    fs::write(&path, [&whole[..], torn].concat()).unwrap();
    let read_only = load(&path).unwrap();
    assert_eq!(read_only.records.len(), 2);
    assert!(read_only.torn.is_some());
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!(loaded.records.len(), 2);
    writer.append(&noted(3, "after")).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records[2], noted(3, "after"));
    let aside = fs::read(folder.path().join("deep/session.jsonl.torn")).unwrap();
    assert_eq!(aside, [torn, &b"\n"[..]].concat(), "nothing is lost");
}

#[test]
fn a_last_line_that_only_lacks_its_break_counts() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let mut whole = fs::read(&path).unwrap();
    whole.pop();
    fs::write(&path, whole).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!((loaded.records.len(), loaded.torn), (2, None));
    writer.append(&noted(3, "after")).unwrap();
    assert_eq!(load(&path).unwrap().records.len(), 3);
}

#[test]
fn two_writers_never_share_a_log() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let (first, _) = Writer::resume(&path).unwrap();
    let error = Writer::resume(&path).unwrap_err().to_string();
    assert!(error.contains("close it there first"), "{error}");
    drop(first);
    Writer::resume(&path).unwrap();
}

#[test]
fn errors_name_the_line_and_the_file_stays_as_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let head = serde_json::to_string(&header()).unwrap();
    let start = serde_json::to_string(&started()).unwrap();
    let newer = head.replacen("\"version\":2", "\"version\":3", 1);
    for (content, expected) in [
        (String::new(), "s.jsonl:1: this is no stepwright session: the file is empty"),
        ("{}\n".into(), "does not say"),
        ("not json\n".into(), "the first line is no JSON"),
        (newer, "format version 3; this program reads up to 2. Open it with a newer stepwright"),
        (format!("{head}\n{start}\n{{}}\n"), "s.jsonl:3: no record of a session"),
        (format!("{head}\n{start}\n{start}\n"), "s.jsonl:3: record 1: expected record 2"),
        (
            format!("{head}\n{start}\n{}\n", start.replace("\"id\":1", "\"id\":2")),
            "s.jsonl:3: record 2: the world was reset already",
        ),
        (format!("{head}\n\u{0}\u{0}\n{start}\n"), "s.jsonl:2: no record"),
        (format!("{head}\n{}\n", "[".repeat(100_000)), "s.jsonl:2: no record"),
    ] {
        fs::write(&path, &content).unwrap();
        let error = load(&path).unwrap_err().to_string();
        assert!(error.contains(expected), "{error}");
        assert!(Writer::resume(&path).is_err());
        assert_eq!(fs::read_to_string(&path).unwrap(), content);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(60))]

    /// A file cut anywhere opens with every whole record before the cut, and continues.
    #[test]
    fn a_log_cut_anywhere_keeps_every_whole_record(cut in 0.0f64..1.0, texts in prop::collection::vec(".{0,20}", 1..6)) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("s.jsonl");
        let mut writer = Writer::create(&path, &header()).unwrap();
        writer.append(&started()).unwrap();
        for (i, text) in texts.iter().enumerate() {
            writer.append(&noted(i as u64 + 2, text)).unwrap();
        }
        drop(writer);
        let bytes = fs::read(&path).unwrap();
        let first = bytes.iter().position(|b| *b == b'\n').unwrap() + 1;
        let keep = first + ((bytes.len() - first) as f64 * cut) as usize;
        fs::write(&path, &bytes[..keep]).unwrap();
        let (mut writer, loaded) = Writer::resume(&path).unwrap();
        let whole = bytes[first..keep].iter().filter(|b| **b == b'\n').count();
        prop_assert!(loaded.records.len() == whole || loaded.records.len() == whole + 1);
        let next = loaded.records.len() as u64 + 1;
        let record = if next == 1 { started() } else { noted(next, "on") };
        writer.append(&record).unwrap();
        let loaded = load(&path).unwrap();
        prop_assert_eq!(loaded.records.last(), Some(&record));
    }

    /// Hostile bytes are an error or a session, never a crash.
    #[test]
    fn hostile_bytes_never_crash(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        let _ = read(&bytes[..], Path::new("x"));
        let mut content = serde_json::to_vec(&header()).unwrap();
        content.push(b'\n');
        content.extend(&bytes);
        let _ = read(&content[..], Path::new("x"));
    }
}
