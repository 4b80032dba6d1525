//! How opening grows with a session's length: five shapes, each at 10,000 and 100,000 records, and at 1,000,000 with `--full`; and with a
//! log's of another program, at a tenth as many calls of tools, each of another thing.
//!
//! Each file is opened in a process of its own: read, opened by the driver and the workbench up to the first frame with the situation in
//! it, then two hundred keys. Printed are the times (for opening also the processor's, which other programs disturb less), the memory at
//! its peak beyond what the process had before, how many times the file that is, and the growth: the exponent of the processor's time, 1
//! where it is linear. `cargo bench --bench scale -- --full`

#![allow(missing_docs, reason = "a benchmark has no interface")]
#![allow(clippy::expect_used, reason = "a benchmark that cannot begin has nothing to measure")]

use std::io::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use crossterm::event::{Event, KeyCode, KeyEvent};
use ratatui::Terminal;
use ratatui::backend::TestBackend;
use serde_json::{Value, json};
use stepwright::config::{Config, Overrides, load_with};
use stepwright::driver::{
    Beginning, Command, NewSession, Notice, OpenRequest, Persistence, Request, load_sessions, open, prepare_new, start,
    system_clock,
};
use stepwright::episode::{Header, log};
use stepwright::methods::METHODS;
use stepwright::tui::app::{App, Parts};
use stepwright::tui::color::Depth;
use stepwright::tui::keymap::Keymap;
use stepwright::tui::theme_file::{self, Wanted};

const SHAPES: [&str; 6] = ["turns", "deep", "walk", "proposals", "branches", LOG];
/// A log of another program: a conversation with calls of tools.
const LOG: &str = "log";
/// The steps of the shapes that have steps, again and again: of one the world stays as it is, of the other every step changes it.
const STEPS: [(&str, &[&str]); 2] = [
    ("deep", &["look"]),
    ("walk", &["go to drawer 1", "open drawer 1", "go to shelf 3", "go to drawer 1", "close drawer 1", "go to sofa 1"]),
];
const KEYS: usize = 200;

fn main() {
    let args: Vec<String> = std::env::args().collect();
    if let Some(at) = args.iter().position(|arg| arg == "--measure") {
        return measure(Path::new(&args[at + 1]));
    }
    let mut sizes = vec![10_000, 100_000];
    sizes.extend(args.iter().any(|arg| arg == "--full").then_some(1_000_000));
    let folder = tempfile::tempdir().expect("a folder");
    println!("shape      records    file    read    open     cpu  key p95  memory  times the file  growth");
    for shape in SHAPES {
        let steps = STEPS.iter().find(|(name, _)| *name == shape).map_or(STEPS[0].1, |(_, steps)| steps);
        let recorded = recorded(folder.path(), shape, steps);
        let mut before: Option<(usize, f64)> = None;
        for size in &sizes {
            let size = &if shape == LOG { size / 10 } else { *size };
            let path = folder.path().join(format!("{shape}-{size}.jsonl"));
            match shape {
                LOG => write_log(&path, *size),
                _ => write(&path, shape, *size, &recorded),
            }
            let own = std::env::current_exe().expect("the program");
            let output = std::process::Command::new(own).arg("--measure").arg(&path).output().expect("a process");
            let found: Value = serde_json::from_slice(&output.stdout)
                .unwrap_or_else(|_| json!({ "failed": String::from_utf8_lossy(&output.stderr) }));
            let number = |name: &str| found[name].as_f64().unwrap_or(f64::NAN);
            let megabytes = std::fs::metadata(&path).expect("a file").len() as f64 / 1e6;
            let opened = number("open_cpu_ms");
            let growth = before.map(|(n, ms)| (opened / ms).ln() / (*size as f64 / n as f64).ln());
            let growth = growth.map_or_else(String::new, |g| format!("{g:.2}"));
            println!(
                "{shape:<10}{size:>8}{megabytes:>7.1}M{:>6.0}ms{:>6.0}ms{opened:>6.0}ms{:>7.2}ms{:>7.0}M{:>16.1}{growth:>8}",
                number("read_ms"),
                number("open_ms"),
                number("key_p95_ms"),
                number("memory_mb"),
                number("memory_mb") / megabytes,
            );
            if let Some(why) = found["failed"].as_str() {
                println!("  {why}");
            }
            before = Some((*size, opened));
            let _ = std::fs::remove_file(&path);
        }
    }
}

fn configuration(folder: &Path) -> Config {
    let overrides = Overrides { config_dir: Some(folder.join("config")), ..Overrides::default() };
    let state = folder.join("state").display().to_string();
    load_with(&overrides, &METHODS, &|name| (name == "STEPWRIGHT_STATE_DIR").then(|| state.clone()))
        .expect("a configuration")
}

/// The header of a session, its first record, and the records of each step.
struct Recorded {
    header: Header,
    started: Value,
    steps: Vec<Vec<Value>>,
}

/// Steps that the household answers the same way every time they are gone through; of two times the second is recorded.
fn recorded(folder: &Path, shape: &str, steps: &[&str]) -> Recorded {
    let config = configuration(folder);
    let new = NewSession { world: "household".into(), model: "symbolic".into(), ..NewSession::default() };
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let path = folder.join(format!("{shape}.jsonl"));
    runtime.block_on(async {
        let mut setup = prepare_new(&new, &config, &stepwright::worlds::sources(), system_clock()).expect("a setup");
        let Beginning::New(header) = &setup.beginning else { return };
        setup.keep = Persistence::Log(log::Writer::create(&path, header).expect("a log"));
        let mut handle = start(setup).expect("a driver");
        for (depth, text) in (1..).zip([steps, steps].concat()) {
            let _ = handle.commands.send(Command::Gate(Request::Manual { text: text.into() }));
            while let Some(notice) = handle.notices.recv().await {
                if matches!(&notice, Notice::Situation(s) if s.node == depth) {
                    break;
                }
            }
        }
        let _ = handle.commands.send(Command::Quit);
        while handle.notices.recv().await.is_some_and(|notice| notice != Notice::Stopped) {}
    });
    let loaded = log::load(&path).expect("the log");
    let values: Vec<Value> = loaded.records.iter().map(|r| json!(r)).collect();
    let kept = ["proposed", "checked", "decided", "executed"];
    let of_step = |node: usize| {
        let own = |r: &&Value| r["node"] == node && kept.contains(&r["event"].as_str().unwrap_or_default());
        let proposed = |r: &&Value| r["node"] == node && r["proposal"]["origin"] == "person";
        let id = values.iter().find(proposed).map(|r| r["proposal"]["id"].clone()).unwrap_or_default();
        let is_of = |r: &&Value| {
            let about = [&r["proposal"]["id"], &r["proposal"], &r["decision"]["proposal"]];
            about.contains(&&id) || r["event"] == "executed"
        };
        values.iter().filter(own).filter(is_of).cloned().collect::<Vec<_>>()
    };
    let steps: Vec<_> = (steps.len()..2 * steps.len()).map(of_step).collect();
    assert!(steps.iter().all(|step| step.len() == kept.len()), "a step is four records: {steps:?}");
    Recorded { header: loaded.session.header, started: values[0].clone(), steps }
}

fn write(path: &Path, shape: &str, size: usize, recorded: &Recorded) {
    let mut file = std::io::BufWriter::new(std::fs::File::create(path).expect("a file"));
    let mut line = |value: &Value| {
        let sealed = stepwright_files::sum::sealed(value.to_string().into_bytes());
        file.write_all(&sealed).and_then(|()| file.write_all(b"\n")).expect("a line");
    };
    line(&json!(recorded.header));
    line(&recorded.started);
    for at in 1..size {
        let (id, round) = (at + 1, at - 1);
        let mut record = match shape {
            "turns" => {
                let n = round / 5 + 1;
                match round % 5 {
                    0 => {
                        json!({"event": "asked", "ask": n, "kind": {"for": "action", "how": "greedy"}, "model": "m", "n": 1, "temperature": 0.0,
                                "prompt": {"template": "t", "template_hash": "0", "messages": [{"role": "user", "text": "What is next, given all that was seen so far?"}]}})
                    }
                    1 => json!({"event": "answered", "ask": n, "texts": [format!("go to shelf {n}")], "ms": 5}),
                    2 => {
                        json!({"event": "proposed", "proposal": {"id": n, "raw": format!("go to shelf {n}"), "action": {"text": format!("go to shelf {n}")}, "origin": "greedy", "ask": n}})
                    }
                    3 => {
                        json!({"event": "checked", "proposal": n, "verdict": {"checks": [{"kind": "world", "condition": "admissible", "status": "fails"}]}})
                    }
                    _ => {
                        json!({"event": "decided", "decision": {"id": n, "choice": "reject", "proposal": n, "reason": "no such shelf", "by": "person"}})
                    }
                }
            }
            "proposals" => {
                let n = round / 2 + 1;
                match round % 2 {
                    0 => {
                        json!({"event": "proposed", "proposal": {"id": n, "raw": format!("go to shelf {n}"), "action": {"text": format!("go to shelf {n}")}, "origin": "symbolic"}})
                    }
                    _ => {
                        json!({"event": "checked", "proposal": n, "verdict": {"checks": [{"kind": "world", "condition": "admissible", "status": "holds"}]}})
                    }
                }
            }
            "branches" if round % 5 == 4 => json!({"event": "moved", "to": 0, "node": round / 5 + 1}),
            _ => {
                // Of branches each step is left again.
                let each = if shape == "branches" { 5 } else { 4 };
                let (step, part) = (round / each, round % each);
                let mut record = recorded.steps[step % recorded.steps.len()][part].clone();
                let (n, node) = (step + 1, step);
                for place in ["/proposal/id", "/decision/id", "/decision/proposal"] {
                    if let Some(number) = record.pointer_mut(place) {
                        *number = json!(n);
                    }
                }
                match record["event"].as_str() {
                    Some("checked") => record["proposal"] = json!(n),
                    Some("executed") => (record["decision"], record["child"]) = (json!(n), json!(node + 1)),
                    _ => {}
                }
                record["node"] = json!(if shape == "branches" { 0 } else { node });
                record
            }
        };
        (record["id"], record["ts"]) = (json!(id), json!(1_795_000_000_000u64 + id as u64));
        if shape == "turns" || shape == "proposals" {
            record["node"] = json!(0);
        }
        line(&record);
    }
}

fn write_log(path: &Path, calls: usize) {
    let call = |n: usize| {
        let function = json!({"name": "look_up", "arguments": json!({"key": format!("k{n}")}).to_string()});
        let called = json!([{"id": format!("c{n}"), "type": "function", "function": function}]);
        let returned = json!({"value": n, "items": [format!("a{n}"), "b"]}).to_string();
        [
            json!({"role": "assistant", "content": format!("thinking {n}"), "tool_calls": called}),
            json!({"role": "tool", "tool_call_id": format!("c{n}"), "content": returned}),
        ]
    };
    let begun = [json!({"role": "user", "content": "look all of it up"})];
    let messages: Vec<Value> = begun.into_iter().chain((0..calls).flat_map(call)).collect();
    std::fs::write(path, json!({ "messages": messages }).to_string()).expect("a file");
}

fn measure(path: &Path) {
    let before = status("VmRSS:");
    let started = Instant::now();
    let loaded = load_sessions(path, None, &stepwright::worlds::sources()).expect("a session");
    let read = started.elapsed();
    drop(loaded);
    let folder = tempfile::tempdir().expect("a folder");
    let config = configuration(folder.path());
    let runtime = tokio::runtime::Runtime::new().expect("a runtime");
    let wanted = Wanted { folder: None, name: Some("dark"), ascii: false, depth: Depth::True };
    let (themes, _) = theme_file::load(wanted).expect("the shipped themes load");
    let mut app = App::new(Parts {
        panes: stepwright::tui::panes::all(),
        keymap: Keymap::default(),
        themes,
        worlds: stepwright::worlds::WORLDS.into(),
        methods: &METHODS,
    });
    let mut terminal = Terminal::new(TestBackend::new(120, 40)).expect("a test backend");
    let (started, spent) = (Instant::now(), processor_ms());
    let mut handle = {
        let _inside = runtime.enter();
        open(&OpenRequest::File(path.to_owned()), &config, &stepwright::worlds::sources()).expect("a driver")
    };
    while let Some(notice) = handle.notices.blocking_recv() {
        let last = matches!(notice, Notice::Situation(_));
        app.notice(notice);
        if last {
            break;
        }
    }
    app.settle(Instant::now());
    terminal.draw(|frame| app.draw(frame)).expect("a frame");
    let (opened, spent) = (started.elapsed(), processor_ms() - spent);
    let mut times: Vec<Duration> = (0..KEYS)
        .map(|at| {
            let key = [KeyCode::Char('j'), KeyCode::Char('k'), KeyCode::Tab, KeyCode::Down][at % 4];
            let started = Instant::now();
            app.terminal(Event::Key(KeyEvent::from(key)), started);
            app.settle(started);
            app.take_effects();
            terminal.draw(|frame| app.draw(frame)).expect("a frame");
            started.elapsed()
        })
        .collect();
    times.sort();
    let ms = |time: Duration| time.as_secs_f64() * 1000.0;
    println!(
        "{}",
        json!({
            "read_ms": ms(read), "open_ms": ms(opened), "open_cpu_ms": spent, "key_p95_ms": ms(times[KEYS * 95 / 100]),
            "memory_mb": status("VmHWM:") - before,
        })
    );
}

/// A line of the process's status that is in kB, in MB.
fn status(name: &str) -> f64 {
    let text = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let kb = text.lines().find_map(|l| l.strip_prefix(name)?.trim().strip_suffix(" kB")?.trim().parse::<f64>().ok());
    kb.unwrap_or(f64::NAN) * 1.024e-3
}

/// Processor time of all threads of this process so far.
fn processor_ms() -> f64 {
    let time = rustix::time::clock_gettime(rustix::time::ClockId::ProcessCPUTime);
    time.tv_sec as f64 * 1000.0 + time.tv_nsec as f64 / 1e6
}
