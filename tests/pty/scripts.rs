//! Scripts in a pseudo-terminal: what a person presses, and what the screen comes to show.
//!
//! A line is of keys, as `docs/reference/keys.md` writes them, pressed once the screen is quiet; or it begins with one of these:
//!
//! - `start 120x40 ARGUMENTS`: the program is started (`$HOME` and `$ROOT` are the test's home and the repository; quotes make one of many)
//! - `? TEXT`: the screen comes to show it; `! TEXT`: it comes not to show it
//! - `= NUMBER TEXT`: the screen shows it so many times
//! - `> TEXT`: that is typed
//! - `until KEY ? TEXT`, `until KEY ! TEXT`: a key is pressed until the screen shows it, or does not
//! - `size 80x24`: the window has another size
//! - `patience 60`: so many seconds are waited for what the screen comes to show
//! - `write FILE TEXT`: a file holds that from now on
//! - `end`: the program ends well and gives the terminal back
//! - `#`: a remark

use std::path::{Path, PathBuf};

use stepwright::episode::log::{self, Loaded};

use crate::support::program::PROGRAM;
use crate::support::pty::Pty;

fn size(text: &str) -> (u16, u16) {
    let (columns, rows) = text.split_once('x').expect("COLUMNSxROWS");
    (columns.parse().expect("columns"), rows.parse().expect("rows"))
}

/// The bytes of a key.
fn bytes(key: &str) -> String {
    let named = match key {
        "enter" => "\r",
        "esc" => "\x1b",
        "tab" => "\t",
        "backspace" => "\x7f",
        "space" => " ",
        "up" => "\x1b[A",
        "down" => "\x1b[B",
        "left" => "\x1b[D",
        "end" => "\x1b[F",
        "pagedown" => "\x1b[6~",
        "f1" => "\x1bOP",
        "f2" => "\x1bOQ",
        "f3" => "\x1bOR",
        "f4" => "\x1bOS",
        "f5" => "\x1b[15~",
        other => match other.split_once('-').filter(|(modifier, _)| !modifier.is_empty()) {
            Some(("ctrl", letter)) => return char::from(letter.as_bytes()[0] & 0x1f).to_string(),
            Some(("alt", letter)) => return format!("\x1b{letter}"),
            _ => other,
        },
    };
    named.to_owned()
}

/// Plays a script with the program's folders below `home`, and these variables.
pub fn play(script: &str, home: &Path, env: &[(&str, &str)]) {
    let script = script.replace("$HOME", &home.display().to_string()).replace("$ROOT", env!("CARGO_MANIFEST_DIR"));
    let mut running = None;
    for line in script.lines().filter(|line| !line.is_empty() && !line.starts_with('#')) {
        // Shown where the script fails.
        println!("{line}");
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == "write" {
            let (file, text) = rest.split_once(' ').expect("a file, and a text");
            std::fs::write(file, text).expect("the file can be written");
            continue;
        }
        if word == "start" {
            let (first, args) = rest.split_once(' ').unwrap_or((rest, ""));
            // What is in quotes is one argument.
            let quoted = args.split('\'').enumerate();
            let args = quoted.flat_map(|(i, part)| match i % 2 {
                0 => part.split_whitespace().collect::<Vec<_>>(),
                _ => vec![part],
            });
            running = Some(Pty::start(PROGRAM, &args.collect::<Vec<_>>(), home, env, size(first)));
            continue;
        }
        let pty: &mut Pty = running.as_mut().expect("a program that was started");
        match word {
            "?" => {
                pty.wait_for(rest);
            }
            "!" => {
                let gone = (0..100).any(|_| !pty.settle().text().contains(rest));
                assert!(gone, "`{rest}` is on\n{}", pty.text());
            }
            "=" => {
                let (times, text) = rest.split_once(' ').expect("a number, and a text");
                assert_eq!(pty.settle().text().matches(text).count().to_string(), times, "{line}:\n{}", pty.text());
            }
            ">" => pty.settle().send(rest),
            "until" => {
                let mut words = rest.splitn(3, ' ');
                let (key, wanted) = (bytes(words.next().expect("a key")), words.next() == Some("?"));
                let text = words.next().expect("a text");
                let mut left = 60;
                while pty.settle().text().contains(text) != wanted {
                    assert!(left > 0, "{line}:\n{}", pty.text());
                    left -= 1;
                    pty.send(&key);
                }
            }
            "patience" => pty.be_patient(std::time::Duration::from_secs(rest.parse().expect("seconds"))),
            "size" => pty.settle().resize(size(rest)),
            "end" => {
                assert_eq!(pty.wait(), 0);
                assert!(pty.is_restored());
            }
            _ => pty.settle().send(&line.split(' ').map(bytes).collect::<String>()),
        }
    }
}

/// The only session that is kept, and what it holds.
pub fn session(home: &Path) -> (PathBuf, Loaded) {
    let folder = home.join("state/stepwright/sessions");
    let files: Vec<PathBuf> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    let [file] = files.as_slice() else { panic!("one session is kept: {files:?}") };
    (file.clone(), log::load(file).unwrap())
}
