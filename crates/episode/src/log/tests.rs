use std::fs;

use proptest::prelude::*;
use serde_json::{Value, json};

use std::sync::Arc;

use super::super::artifact::{ArtifactId, Due, Written, patch_between};
use super::super::ask::{AskKind, OwnAsk};
use super::super::decision::Actor;
use super::super::event::{Event, StepOutcome};
use super::super::gate::header;
use super::*;
use stepwright_files::faults::{self, EIO, ENOSPC, Fault, Operation};
use stepwright_files::power;

fn record(id: u64, event: Event) -> Record {
    Record { id, ts: id, node: 0, event }
}

fn noted(id: u64, text: &str) -> Record {
    record(id, Event::Noted { text: text.into() })
}

fn started() -> Record {
    record(
        1,
        Event::Started { outcome: StepOutcome { observation: "hello\nworld".into(), ..StepOutcome::default() }.into() },
    )
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
fn a_disk_that_does_not_take_what_was_appended_is_said_and_so_is_a_file_that_is_gone() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let (mut writer, _) = Writer::resume(&path).unwrap();
    writer.append(&noted(3, "a remark")).unwrap();
    let fails = faults::inject(Fault::next(&path, Operation::Sync, EIO));
    assert!(writer.sync().unwrap_err().to_string().contains("session.jsonl"));
    drop(fails);
    writer.sync().unwrap();
    writer.look().unwrap();
    fs::remove_file(&path).unwrap();
    assert!(matches!(writer.look(), Err(LogError::Lost { .. })));
    assert_eq!(writer.beside(), path.with_file_name("session-2.jsonl"));
}

/// Others' editors may leave out the last line's end, be it of the header.
#[test]
fn a_header_without_an_end_is_given_one_before_the_first_record() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    fs::write(&path, serde_json::to_string(&header()).unwrap()).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert!(loaded.records.is_empty());
    writer.append(&started()).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records, [started()]);
}

/// An editor may put a mark before the first line, and what is appended then stands behind all that was read.
#[test]
fn a_mark_before_the_first_line_is_no_part_of_it() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    fs::write(&path, [&b"\xef\xbb\xbf"[..], &fs::read(&path).unwrap()].concat()).unwrap();
    assert!(is_session(&path) && is_ours(&path));
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!(loaded.records, [started(), noted(2, "a remark")]);
    writer.append(&noted(3, "more")).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records.len(), 3);
}

#[test]
fn what_is_wrong_names_one_line_and_nothing_to_copy_where_nothing_is_before() {
    let said = |text: &str| read(text.as_bytes(), Path::new("s.jsonl")).unwrap_err().to_string();
    let head = serde_json::to_string(&header()).unwrap();
    let cut = said(&format!("{head}\n{{\"id\":1,\n"));
    assert!(cut.starts_with("s.jsonl:2: no record of a session: ") && !cut.contains("at line"), "{cut}");
    assert!(cut.ends_with("copy its first 1 lines to a new file"), "{cut}");
    let wrong = said(&format!("{head}\n{{\"id\":one}}\n"));
    assert!(wrong.contains(" at column ") && !wrong.contains("at line"), "{wrong}");
    let sealed = String::from_utf8(stepwright_files::sum::sealed(head.into_bytes())).unwrap();
    let changed = said(&format!("{}\n", sealed.replacen("session", "sessiom", 1)));
    assert!(!changed.contains("lines to a new file"), "{changed}");
    // Where the first line is read all the same.
    let changed = said(&format!("{}\n", sealed.replacen("\"seed\":", "\"seed\": ", 1)));
    assert!(changed.contains("not as it was written") && changed.contains("from a backup; to read"), "{changed}");
}

/// What logs of before did not say is read off their words; what today's words say is not taken for it.
#[test]
fn only_logs_of_before_are_read_by_their_words() {
    let kind = AskKind::Other(OwnAsk { label: "a correction, translated".into(), ..OwnAsk::default() });
    let asked = Event::Asked { ask: 1, kind, model: "m".into(), prompt: None, n: 1, temperature: 0.0 };
    let sentence = || "Banks_1: check the balance".to_owned();
    let edited =
        json!({ "id": 3, "ts": 0, "node": 0, "event": "candidate_edited", "action": "take", "edit": { "at": 0 } });
    for (version, tag, service) in [(1, "corrected", "Banks_1"), (2, "corrected", "Banks_1"), (FORMAT_VERSION, "", "")]
    {
        let header = Header { version, sentence: sentence(), service: String::new(), ..header() };
        let text = |lines: &[Value]| lines.iter().map(|line| format!("{line}\n")).collect::<String>();
        let lines = [json!(header), json!(started()), json!(record(2, asked.clone())), edited.clone()];
        let loaded = read(text(&lines[..3]).as_bytes(), Path::new("s.jsonl")).unwrap();
        let Event::Asked { kind: AskKind::Other(own), .. } = &loaded.records[1].event else { panic!("it was asked") };
        assert_eq!((&*own.tag, loaded.session.header.service.as_str()), (tag, service), "version {version}");
        let with_an_event_of_before = read(text(&lines).as_bytes(), Path::new("s.jsonl"));
        assert_eq!(with_an_event_of_before.is_ok(), version < FORMAT_VERSION, "version {version}");
    }
}

#[test]
fn blank_lines_are_passed_over_and_endless_ones_refused() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let text = fs::read_to_string(&path).unwrap();
    fs::write(&path, text.replacen('\n', "\n \n\n", 2)).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!(loaded.records, [started(), noted(2, "a remark")]);
    writer.append(&noted(3, "more")).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records.len(), 3);
    let endless = std::io::Read::chain(text.as_bytes(), std::io::repeat(b'x'));
    let error = read(endless, &path).unwrap_err().to_string();
    assert!(error.contains(":4: the line is longer than 128 MiB"), "{error}");
    let error = read(std::io::repeat(b'x'), &path).unwrap_err();
    assert!(matches!(error, LogError::NoSession { .. }), "a log may be one such line: {error}");
    assert!(is_session(&path) && !is_session(&folder.path().join("missing")));
    assert!(!cfg!(unix) || is_session(Path::new("/dev/null")), "what can be read once is read as a session");
}

#[test]
fn what_is_believed_is_read_back_as_it_was() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    let mut session = loaded.session;
    let artifact = ArtifactId::BELIEF;
    let offered = |offer, state: Option<Value>| {
        let written = std::sync::Arc::new(Written {
            artifact: artifact.clone(),
            due: Some(Due { step: 0, nth: 0 }),
            title: "the block is clean".into(),
            raw: "# state = {".into(),
            repairs: vec!["line 1: a comma is missing".into()],
            problem: state.is_none().then(|| "line 1: no state here".to_owned()),
            value: state.map(Arc::new),
        });
        Event::ArtifactOffered { offer, ask: None, written, beside: false }
    };
    let (first, second) = (json!({ "b": {}, "a": { "is": ["clean"] } }), json!({ "a": {} }));
    let whole = |to: &Value| patch_between(&Value::Null, to);
    let believed = |offer, patch: Value, edited| {
        let (artifact, by) = (artifact.clone(), Actor::Person);
        Event::ArtifactSettled { artifact, offer, patch: patch.into(), by, edited, why: "why".into() }
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
    assert!(matches!(&read_only.remarks[..], [said] if said.contains("session.jsonl:4: the line is torn")));
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert_eq!(loaded.records.len(), 2);
    writer.append(&noted(3, "after")).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records[2], noted(3, "after"));
    let aside = fs::read(folder.path().join("deep/session.jsonl.torn")).unwrap();
    assert_eq!(aside, [torn, &b"\n"[..]].concat(), "nothing is lost");
}

/// A power cut at every operation leaves a file that opens with all that the disk had confirmed; of a session of 200 records where more of
/// the simulated faults are asked for.
#[test]
fn no_power_cut_takes_a_record_that_was_confirmed() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let watch = power::watch(&path);
    let mut writer = Writer::create(&path, &header()).unwrap();
    writer.append(&started()).unwrap();
    let records = if std::env::var_os("STEPWRIGHT_SEEDS").is_some() { 200 } else { 50 };
    for id in 2..=records {
        let fails = id % 17 == 0;
        let _full = fails.then(|| faults::inject(Fault { bytes: 9, ..Fault::next(&path, Operation::Write, ENOSPC) }));
        assert_eq!(writer.append(&noted(id, "a remark")).is_err(), fails);
        writer.append(&noted(id, "a remark")).unwrap();
        // As decisions are.
        if id % 6 == 0 {
            writer.sync().unwrap();
        }
    }
    let read = |file: &[u8]| read(file, &path).map(|found| found.records.len()).map_err(|why| why.to_string());
    let tried = power::cut_everywhere(&watch.done(), read).unwrap();
    assert!(tried as u64 > 40 * records, "{tried}");
    println!("{tried} outcomes of {records} records");
}

#[test]
fn after_a_power_cut_writing_goes_on_and_what_is_torn_is_set_aside() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let mut bytes = fs::read(&path).unwrap();
    let end = bytes.len();
    bytes.extend(vec![0; 40]);
    bytes.extend(b"\n{\"id\":4}\n");
    fs::write(&path, &bytes).unwrap();
    let (mut writer, loaded) = Writer::resume(&path).unwrap();
    assert!(loaded.records.len() == 2 && loaded.torn.is_some());
    writer.append(&noted(3, "after")).unwrap();
    drop(writer);
    assert_eq!(load(&path).unwrap().records[2], noted(3, "after"));
    let aside = fs::read(path.with_extension("jsonl.torn")).unwrap();
    assert_eq!(aside, [&bytes[end..], b"\n"].concat());
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
    let newer = head.replacen("\"version\":3", "\"version\":4", 1);
    for (content, expected) in [
        (String::new(), "s.jsonl:1: this is no stepwright session: the file is empty"),
        ("{}\n".into(), "does not say"),
        ("{\"stepwright\":\"results\"}\n".into(), "results of a run or study, which `stepwright report` shows"),
        ("not json\n".into(), "the first line is no JSON"),
        (newer, "format version 4; this program reads up to 3. Open it with a newer stepwright"),
        (format!("{head}\n{start}\n{{}}\n"), "s.jsonl:3: no record of a session"),
        (format!("{head}\n{start}\n{start}\n"), "s.jsonl:3: record 1: expected record 2"),
        (
            format!("{head}\n{start}\n{}\n", start.replace("\"id\":1", "\"id\":2")),
            "s.jsonl:3: record 2: the world was reset already",
        ),
        (format!("{head}\n{}\n", start.replace("\"id\":1", "\"id\":\"x\"")), "expected a whole number from 0"),
        (format!("{head}\n\u{0}\n{start}\n"), "s.jsonl:2: no record"),
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

/// The beginning of an example that ships, as this program writes it: with checksums.
fn example(folder: &Path, lines: usize) -> (PathBuf, Loaded) {
    let text = include_str!("../../../../sessions/by-hand.jsonl");
    let text: String = text.split_inclusive('\n').take(lines).collect();
    let mut loaded = read(text.as_bytes(), Path::new("by-hand")).unwrap();
    loaded.session.header.version = FORMAT_VERSION;
    // The longest part of the header is of no use here.
    loaded.session.header.specification.clear();
    let path = folder.join("s.jsonl");
    let mut writer = Writer::create(&path, &loaded.session.header).unwrap();
    loaded.records.iter().for_each(|record| writer.append(record).unwrap());
    (path, loaded)
}

#[test]
fn a_session_cut_at_every_byte_opens_with_every_complete_record() {
    let folder = tempfile::tempdir().unwrap();
    let (path, loaded) = example(folder.path(), 20);
    let bytes = fs::read(path).unwrap();
    let head = bytes.iter().position(|b| *b == b'\n').unwrap();
    let mut whole = 0;
    for cut in head..=bytes.len() {
        whole += usize::from(cut > head + 1 && bytes[cut - 1] == b'\n');
        let found = read(&bytes[..cut], Path::new("x")).unwrap();
        // The last line may only lack its break.
        let lacks = bytes.get(cut) == Some(&b'\n') && cut > head;
        assert_eq!(found.records.len(), whole + usize::from(lacks), "{cut}");
        assert_eq!(found.records[..], loaded.records[..found.records.len()], "{cut}");
        assert_eq!(found.torn.is_some(), cut > head && bytes[cut - 1] != b'\n' && !lacks, "{cut}");
    }
    assert_eq!(whole, loaded.records.len());
}

#[test]
fn d18_every_flipped_bit_of_a_session_is_found() {
    let folder = tempfile::tempdir().unwrap();
    // A few lines are enough: a bit changes one line only. The header, the reset, what is put in force.
    let (path, loaded) = example(folder.path(), 4);
    let bytes = fs::read(path).unwrap();
    let mut passed_over = Vec::new();
    for bit in 0..bytes.len() * 8 {
        let mut flipped = bytes.clone();
        flipped[bit / 8] ^= 1 << (bit % 8);
        if let Ok(found) = read(&flipped[..], Path::new("x")) {
            let same = found.session.header == loaded.session.header
                && found.records[..] == loaded.records[..found.records.len()];
            let whole = found.records.len() == 3 || found.torn.is_some();
            if !same || !whole {
                passed_over.push(bit);
            }
        }
    }
    assert_eq!(passed_over, [0usize; 0]);
}

#[test]
fn d18_files_without_checksums_are_read_as_before_and_unknown_fields_are_said() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("s.jsonl");
    let head = serde_json::to_string(&header()).unwrap();
    let won = StepOutcome { observation: "seen".into(), won: true, ..StepOutcome::default() };
    let start = serde_json::to_string(&record(1, Event::Started { outcome: won.into() })).unwrap();
    fs::write(&path, format!("{head}\n{start}\n")).unwrap();
    assert_eq!(load(&path).unwrap().remarks, [""; 0]);
    fs::write(&path, format!("{head}\n{}\n", start.replace("\"won\"", "\"woN\""))).unwrap();
    let remarks = load(&path).unwrap().remarks;
    assert!(remarks.len() == 1 && remarks[0].contains("s.jsonl:2: the field \"woN\""), "{remarks:?}");
    // What has a checksum is as a program wrote it, a later one perhaps.
    let sealed = stepwright_files::sum::sealed(start.replace("\"won\"", "\"woN\"").into_bytes());
    fs::write(&path, [head.as_bytes(), b"\n", &sealed, b"\n"].concat()).unwrap();
    assert_eq!(load(&path).unwrap().remarks, [""; 0]);
    // What is appended has checksums, and from there on every line must.
    fs::write(&path, format!("{head}\n{start}\n")).unwrap();
    let (mut writer, _) = Writer::resume(&path).unwrap();
    writer.append(&noted(2, "new")).unwrap();
    drop(writer);
    let text = fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("\"sum\":").count(), 1);
    fs::write(&path, format!("{text}{}\n", serde_json::to_string(&noted(3, "by another hand")).unwrap())).unwrap();
    let error = load(&path).unwrap_err().to_string();
    assert!(error.contains("s.jsonl:4: the line has no checksum"), "{error}");
}

/// The names written without checksums are those of every event there was: nothing an earlier version wrote is called unknown.
#[test]
fn d18_no_field_of_a_shipped_session_is_unknown() {
    for text in [include_str!("../../../../sessions/kitchen.jsonl"), include_str!("../../../../sessions/table.jsonl")] {
        assert_eq!(read(text.as_bytes(), Path::new("x")).unwrap().remarks, [""; 0]);
    }
}

#[test]
fn d4_a_line_that_could_not_be_read_again_is_not_written() {
    let folder = tempfile::tempdir().unwrap();
    let path = written(folder.path());
    let (mut writer, _) = Writer::resume(&path).unwrap();
    let before = fs::read(&path).unwrap();
    let error = writer.append(&noted(3, &"x".repeat(MAX_LINE as usize))).unwrap_err().to_string();
    assert!(error.contains("at most 128 MiB can be written"), "{error}");
    assert_eq!(fs::read(&path).unwrap(), before);
    writer.append(&noted(3, "short")).unwrap();
    assert_eq!(load(&path).unwrap().records.len(), 3);
}
