//! A review of a session: whatever is looked at and written out, not one byte of the session changes.

use std::path::{Path, PathBuf};

use stepwright::episode::duel::Agreement;
use stepwright::episode::log;

use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use crate::scripts::play;
use crate::support::program::PROGRAM;
use crate::support::pty::Pty;

const BY_HAND: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/sessions/by-hand.jsonl");

fn sessions(home: &Path) -> PathBuf {
    home.join("state/stepwright/sessions")
}

/// Everything in the folder of sessions: names and bytes.
fn kept(home: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let Ok(folder) = std::fs::read_dir(sessions(home)) else { return Vec::new() };
    let mut all: Vec<_> = folder.map(|e| e.unwrap().path()).map(|p| (p.clone(), std::fs::read(p).unwrap())).collect();
    all.sort();
    all
}

#[test]
fn a_review_writes_nothing_into_the_session() {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(sessions(home.path())).unwrap();
    let file = sessions(home.path()).join("reviewed.jsonl");
    // The last line is torn, as by a crash: also that is left alone until something is done.
    let mut bytes = std::fs::read(BY_HAND).unwrap();
    bytes.extend(b"{\"id\":9999,\"ts\":1,\"no");
    std::fs::write(&file, &bytes).unwrap();
    let before = kept(home.path());

    play(include_str!("scripts/review.script"), home.path(), &[]);
    assert_eq!(kept(home.path()), before, "the file's bytes, and no file beside it");

    // It opens where it was looked at. Something is done: what was torn is set aside, and the moves before it are written with it.
    let records = log::load(&file).unwrap().records.len();
    play(include_str!("scripts/remark.script"), home.path(), &[]);
    let after = log::load(&file).unwrap();
    assert_eq!((after.records.len(), after.torn), (records + 3, None));
    assert!(file.with_extension("jsonl.torn").is_file());

    // On the start screen it is in sight, and the first: also where the examples leave no room.
    play(include_str!("scripts/one_of_yours.script"), home.path(), &[]);
}

#[test]
fn an_example_is_read_without_a_copy() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/example.script"), home.path(), &[]);
    assert_eq!(kept(home.path()), []);
}

#[test]
fn a_run_stops_at_a_change_of_the_state_and_two_branches_are_compared() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/blind.script"), home.path(), &[]);
    let [(file, _)] = kept(home.path()).try_into().unwrap();
    let session = log::load(&file).unwrap().session;
    assert!(session.blind, "it is kept in the session");
    assert_eq!(session.breakpoints.len(), 1);
}

/// Everything below a folder: names, and the bytes of files.
fn everything(folder: &Path) -> Vec<(PathBuf, Option<Vec<u8>>)> {
    let mut all = Vec::new();
    let mut left = vec![folder.to_owned()];
    while let Some(folder) = left.pop() {
        for path in std::fs::read_dir(&folder).unwrap().map(|entry| entry.unwrap().path()) {
            all.push((path.clone(), std::fs::read(&path).ok()));
            left.extend(path.is_dir().then_some(path));
        }
    }
    all.sort();
    all
}

/// Keys of every kind but those that leave: letters, digits, signs, movements, what accepts and what closes.
fn any_key(random: &mut ChaCha8Rng) -> String {
    const NAMED: [&str; 16] = [
        "\r", "\r", "\t", "\x1b[A", "\x1b[B", "\x1b[C", "\x1b[D", "\x1b[6~", "\x1bOP", "\x1bOQ", "\x1bOR", "\x1bOS",
        "\x05", "\x0f", "\x13", "\x12",
    ];
    if random.random_bool(0.25) {
        return NAMED[random.random_range(0..NAMED.len())].to_owned();
    }
    match char::from(random.random_range(b' '..=b'~')) {
        'q' => "\x1b".to_owned(),
        other => other.to_string(),
    }
}

/// Presses that many times 25 keys in a session that is only read; not a byte of all that is kept changes.
fn only_reads(args: &[&str], rounds: u32, seed: u64) {
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir_all(sessions(home.path())).unwrap();
    // The last line is torn, as by a crash.
    let mut bytes = std::fs::read(BY_HAND).unwrap();
    bytes.extend(b"{\"id\":9999,\"ts\":1,\"no");
    std::fs::write(sessions(home.path()).join("reviewed.jsonl"), &bytes).unwrap();
    let before = everything(home.path());
    let mut pty = Pty::start(PROGRAM, args, home.path(), &[], (120, 40));
    pty.wait_for("read-only \u{b7}").settle();
    let mut random = ChaCha8Rng::seed_from_u64(seed);
    for round in 0..rounds {
        for _ in 0..25 {
            pty.send(&any_key(&mut random));
            // What comes at once is a paste.
            let _ = pty.receive(std::time::Duration::from_millis(2));
        }
        assert_eq!(everything(home.path()), before, "{args:?}, seed {seed}, round {round}:\n{}", pty.settle().text());
        if pty.is_cooked() {
            // The palette has the action that stops it as well, as a shell does.
            if pty.settle().state() != 'T' {
                break;
            }
            pty.signal("CONT");
            let _ = pty.settle();
        }
    }
    println!("{args:?}, seed {seed}");
    // Out of whatever is open.
    (0..6).for_each(|_| pty.settle().send("\x1b"));
    // The palette has the action that leaves, which some of the keys choose.
    if !pty.settle().is_cooked() {
        pty.send("a");
        pty.wait_for("read-only: nothing in it is changed").send("q");
    }
    assert_eq!(pty.wait(), 0, "{args:?}, seed {seed}:\n{}", pty.text());
    assert_eq!(everything(home.path()), before, "{args:?}, seed {seed}, after leaving");
}

const READ_ONLY: [[&str; 3]; 2] =
    [["open", "--read-only", "reviewed.jsonl"], ["present", "--step=2", "reviewed.jsonl"]];

#[test]
fn whatever_is_pressed_nothing_is_written_by_a_session_that_is_only_read() {
    READ_ONLY.iter().zip(30..).for_each(|(args, seed)| only_reads(args, 40, seed));
}

/// The same for as long as `STEPWRIGHT_MINUTES` says, else an hour, from one seed to the next.
#[test]
#[ignore = "takes an hour: cargo test --test pty -- --ignored an_hour_of_keys"]
fn an_hour_of_keys_writes_nothing_into_a_session_that_is_only_read() {
    let minutes = std::env::var("STEPWRIGHT_MINUTES").ok().and_then(|text| text.parse().ok()).unwrap_or(60);
    let end = std::time::Instant::now() + std::time::Duration::from_secs(60 * minutes);
    let mut seeds = 1_000..;
    while std::time::Instant::now() < end {
        READ_ONLY.iter().zip(&mut seeds).for_each(|(args, seed)| only_reads(args, 200, seed));
    }
}

/// U16 and U17: at 120x40 the value that differs and the way from the goal are in sight without a key.
#[test]
fn what_one_looks_for_is_in_sight_at_the_usual_size() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/arranged.script"), home.path(), &[]);
}

/// From three keys to what was not taken, in the workbench and from the command line.
#[test]
fn a_duel_is_begun_gone_through_and_compared() {
    let home = tempfile::tempdir().unwrap();
    play(include_str!("scripts/duel.script"), home.path(), &[]);
    let (file, _) = kept(home.path()).remove(0);
    let session = log::load(&file).unwrap().session;
    let steps: Vec<u32> = session.duels(Agreement::Differ).iter().map(|node| node.depth).collect();
    assert!(steps.starts_with(&[0, 1]) && session.nodes().len() == 3, "each step after a disagreement: {steps:?}");
}

#[test]
fn others_see_on_a_page_what_the_presenter_shows() {
    use std::io::{BufRead, BufReader, Read, Write};
    let home = tempfile::tempdir().unwrap();
    let args = ["present", BY_HAND, "--mirror", "--step=1"];
    let mut pty = Pty::start(PROGRAM, &args, home.path(), &[], (120, 40));
    pty.wait_for("Presenter's view").wait_for("The mirror: http://127.0.0.1:");
    let text = pty.settle().text();
    let address = text.split("The mirror: http://").nth(1).unwrap().split_whitespace().next().unwrap();
    let (host, path) = address.split_once('/').unwrap();
    let get = |path: &str| {
        let mut stream = std::net::TcpStream::connect(host).unwrap();
        stream.set_read_timeout(Some(crate::support::pty::PATIENCE)).unwrap();
        write!(stream, "GET /{path} HTTP/1.1\r\nHost: {host}\r\n\r\n").unwrap();
        BufReader::new(stream)
    };
    let mut page = String::new();
    get(path).read_to_string(&mut page).unwrap();
    assert!(page.contains("id=\"node-1\"") && page.contains("follow the presenter"), "{page}");
    let mut shown = get(&format!("{path}shown")).lines().map_while(Result::ok);
    let mut next = || shown.find_map(|line| line.strip_prefix("data: ")?.parse::<u64>().ok());
    // On a busy machine one may come before the presenter's first step is told.
    assert!(std::iter::from_fn(&mut next).any(|step| step == 1));
    pty.send("\x1b[C");
    assert_eq!(next(), Some(2));
    pty.settle().send("g");
    assert_eq!(next(), Some(0));
    pty.settle().send("\x1b");
    pty.settle().send("q");
    assert_eq!(pty.wait(), 0);
}
