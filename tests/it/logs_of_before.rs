//! Session logs that an earlier program wrote, one for every method in every world it acts in (`tests/data/logs`, format 2): they open, and
//! what is shown of them node by node is what was shown then, whatever words
//! labels have. `STEPWRIGHT_WRITE=1 cargo test --test it logs_of_before` writes down what is
//! shown now.

use std::fmt::Write;
use std::io::{Read as _, Write as _};
use std::path::{Path, PathBuf};

use flate2::Compression;
use flate2::read::GzDecoder;
use flate2::write::GzEncoder;
use serde::Serialize;
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{Command, Notice, OpenRequest, Request, prepare, start};
use stepwright::episode::log::{self, Loaded};
use stepwright::episode::{Ask, AskKind, AskState, Event, FORMAT_VERSION, Header, Node, Session};
use stepwright::export::{Format, render};
use stepwright::method::{Place, Section};
use stepwright::methods::METHODS;

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/logs")
}

fn unpacked(path: &Path) -> String {
    let mut text = String::new();
    GzDecoder::new(std::fs::File::open(path).unwrap()).read_to_string(&mut text).unwrap();
    text
}

fn logs(world: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(folder().join(world)).unwrap();
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let name = |path: &Path| path.file_name().unwrap().to_string_lossy().trim_end_matches(".jsonl.gz").to_owned();
    paths.iter().map(|path| (name(path), unpacked(path))).collect()
}

/// A configuration with a model that never answers, by the name the logs have.
fn configuration(folder: &Path) -> Config {
    let mut overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    overrides.set("model.base_url", "--base-url", Some("http://127.0.0.1:9/v1"));
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone())).unwrap()
}

fn sum(value: impl Serialize) -> String {
    format!("{:08x}", crc32fast::hash(serde_json::to_string(&value).unwrap().as_bytes()))
}

fn ask(out: &mut String, ask: &Ask) {
    let texts = match &ask.state {
        AskState::Answered { texts, .. } => sum(texts),
        AskState::Pending => "pending".to_owned(),
        _ => "no answer".to_owned(),
    };
    let prompt = ask.prompt.as_ref().map(|prompt| sum(&prompt.messages)).unwrap_or_default();
    let aside = if ask.kind.is_background() { ", aside" } else { "" };
    let _ = writeln!(out, "  asked {} {}×: {prompt} -> {texts}{aside}", ask.model, ask.n);
}

fn node(out: &mut String, session: &Session, node: &Node) {
    let action = node.action.as_ref().map_or("reset", |action| action.text.as_str());
    let _ = writeln!(out, "[{}] {} ({})", node.id, action.replace('\n', " ⏎ "), session.mark_at(node).word());
    let outcome = &node.outcome;
    let _ =
        writeln!(out, "  observed {} won {} error {}", sum(&outcome.observation), outcome.won, outcome.error.is_some());
    node.turn.asks.iter().for_each(|one| ask(out, one));
    for proposal in &node.turn.proposals {
        let action = proposal.action.as_ref().map_or("", |action| action.text.as_str());
        let mark = node.turn.mark(proposal).word();
        let _ = writeln!(out, "  offered {} ({mark})", action.replace('\n', " ⏎ "));
    }
    for (id, document) in node.documents.iter() {
        let _ = writeln!(out, "  document {id} {}", sum(document));
    }
}

fn rows(out: &mut String, sections: &[Section]) {
    for section in sections.iter().filter(|section| !section.is_program) {
        let _ = writeln!(out, "  {} of [{}], at {}", section.title, section.made_at, section.at);
        for line in &section.lines {
            let _ = writeln!(out, "    {:?} {}", line.mark, line.text);
        }
    }
}

/// The text shown of a log that is opened and walked through, node by node.
async fn shown(text: &str) -> String {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("one.jsonl");
    std::fs::write(&path, text).unwrap();
    let mut setup =
        prepare(&OpenRequest::File(path), &configuration(folder.path()), &stepwright::worlds::sources()).unwrap();
    // They infer beside the episode, and until then a tree is shown without it.
    setup.services.clear();
    let nodes = match &setup.beginning {
        stepwright::driver::Beginning::Resume { session, .. } => session.nodes().len() as u64,
        stepwright::driver::Beginning::New(_) => panic!("a recorded session"),
    };
    let mut handle = start(setup).unwrap();
    for node in 0..nodes {
        handle.commands.send(Command::Gate(Request::Goto(node))).unwrap();
    }
    handle.commands.send(Command::Quit).unwrap();
    let mut out = String::new();
    let mut session: Option<Session> = None;
    while let Some(notice) = handle.notices.recv().await {
        match (notice, &mut session) {
            (Notice::Opened { session: opened, .. }, _) => {
                opened.nodes().iter().for_each(|at| node(&mut out, &opened, at));
                session = Some(*opened);
            }
            (Notice::Recorded(record), Some(session)) => {
                session.apply(&record).unwrap();
                match &record.event {
                    Event::Asked { ask: id, .. } => {
                        session
                            .current()
                            .and_then(|node| node.turn.ask(*id))
                            .into_iter()
                            .for_each(|one| ask(&mut out, one));
                    }
                    Event::Recommended { proposal, .. } => {
                        let _ = writeln!(out, "  recommended {proposal:?}");
                    }
                    _ => {}
                }
            }
            (Notice::Situation(there), Some(session)) => {
                let count = there.admissible.as_ref().map(Vec::len);
                let _ = writeln!(out, "at [{}] {count:?} {} {}", there.node, sum(&there.variables), sum(&there.truth));
                let _ = writeln!(out, "  request {}", there.request.as_ref().map_or("", |request| &request.query));
                for goal in &there.goals.nodes {
                    let _ = writeln!(out, "  goal {:?} {:?} {}", goal.parent, goal.status, goal.text);
                }
                if let Some(belief) = &there.belief {
                    let _ = writeln!(out, "  believed {} wrong {:?}", sum(&belief.state), belief.drift);
                }
                rows(&mut out, &METHODS.sections(&Place { closing: there.closing, ..Place::at_cursor(session) }));
            }
            (Notice::Stopped, _) => break,
            _ => {}
        }
    }
    out
}

async fn is_as_before(world: &str) {
    let mut all = String::new();
    for (name, text) in logs(world) {
        let _ = writeln!(all, "== {name}\n{}", shown(&text).await);
    }
    let golden = folder().join(format!("{world}.txt.gz"));
    if std::env::var_os("STEPWRIGHT_WRITE").is_some() {
        let mut packed = GzEncoder::new(std::fs::File::create(&golden).unwrap(), Compression::best());
        packed.write_all(all.as_bytes()).unwrap();
        packed.finish().unwrap();
    }
    let before = unpacked(&golden);
    let (mut log, mut differences) = ("", Vec::new());
    for (now, then) in all.lines().zip(before.lines()) {
        log = now.strip_prefix("== ").unwrap_or(log);
        if now != then && differences.len() < 10 {
            differences.push(format!("{log}: {then:?} is {now:?}"));
        }
    }
    assert!(all == before, "{world}: {} and {} lines; {differences:#?}", all.lines().count(), before.lines().count());
}

macro_rules! worlds {
    ($($world:ident),*) => {
        const WORLDS: &[&str] = &[$(stringify!($world)),*];
        $(
        #[tokio::test]
        async fn $world() {
            is_as_before(stringify!($world)).await;
        }
    )*};
}

worlds!(household, dialogue, kitchen, table, shop, graph, external);

/// The session as today's program writes it, with other words in every label.
fn reworded(text: &str) -> String {
    let Loaded { session, mut records, .. } = log::read(text.as_bytes(), Path::new("one")).unwrap();
    for record in &mut records {
        if let Event::Asked { kind: AskKind::Other(own), .. } = &mut record.event {
            own.label = format!("other words than {} had", own.label.len());
        }
    }
    let header = Header { version: FORMAT_VERSION, ..session.header };
    render(Format::Jsonl, &header, &records, |kind| METHODS.showing(kind)).unwrap()
}

#[tokio::test]
async fn no_label_means_anything() {
    let sessions = std::fs::read_dir(Path::new(env!("CARGO_MANIFEST_DIR")).join("sessions")).unwrap();
    let examples = sessions.map(|entry| std::fs::read_to_string(entry.unwrap().path()).unwrap());
    let kept = WORLDS.iter().flat_map(|world| logs(world)).map(|(_, text)| text);
    let mut others = 0;
    for text in examples.chain(kept).filter(|text| text.contains("\"for\":\"other\"")) {
        let other = reworded(&text);
        assert_eq!(shown(&text).await, shown(&other).await);
        others += other.matches("other words than").count();
    }
    assert!(others > 100, "{others}");
}
