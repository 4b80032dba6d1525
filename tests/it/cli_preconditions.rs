//! `stepwright preconditions` as a person types it, on the shipped demonstrations.

use std::path::Path;
use std::process::{Command, Output};

fn stepwright(dir: &Path, args: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stepwright"));
    for (name, _) in std::env::vars() {
        if name.starts_with("STEPWRIGHT_") || name.starts_with("OPENAI_") {
            command.env_remove(name);
        }
    }
    command.env("STEPWRIGHT_CONFIG_DIR", dir).env("STEPWRIGHT_STATE_DIR", dir.join("state"));
    command.current_dir(dir).arg("preconditions").args(args).output().unwrap()
}

fn printed(output: &Output) -> String {
    String::from_utf8_lossy(&output.stdout).into_owned() + &String::from_utf8_lossy(&output.stderr)
}

#[test]
fn a_file_is_checked_against_the_demonstrations() {
    let dir = tempfile::tempdir().unwrap();
    let file = dir.path().join("mine.preconditions.py");
    std::fs::write(&file, "def take(self, obj, recep):\n    assert self.inventory is None\n").unwrap();
    let output = stepwright(dir.path(), &["check", "mine.preconditions.py"]);
    assert!(
        output.status.success() && printed(&output).contains("ok        self.inventory is None"),
        "{}",
        printed(&output)
    );
    let wrong =
        "def take(self, obj, recep):\n    assert obj == 'mug 1'\n    assert obj ==\n\ndef fly(self):\n    assert 1\n";
    std::fs::write(&file, wrong).unwrap();
    let output = stepwright(dir.path(), &["check", "mine.preconditions.py"]);
    assert_eq!(output.status.code(), Some(1));
    for word in ["fails     obj == 'mug 1'", "it is false; obj is", "malformed obj ==", "`fly` is no action"] {
        assert!(printed(&output).contains(word), "{word}: {}", printed(&output));
    }
    let output = stepwright(dir.path(), &["check", "none.preconditions.py"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(printed(&output).contains("none.preconditions.py"));
}

#[test]
fn two_files_are_compared_by_what_they_permit() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    write("a.preconditions.py", "def take(self, obj, recep):\n    assert self.inventory is None\n");
    write("b.preconditions.py", "def take(self, obj, recep):\n    assert self.inventory == None\n");
    write("c.preconditions.py", "def take(self, obj, recep):\n    assert self.is_visible(obj)\n");
    let same = stepwright(dir.path(), &["diff", "a.preconditions.py", "b.preconditions.py"]);
    assert!(same.status.success(), "{}", printed(&same));
    assert!(
        printed(&same).contains("  ~ self.inventory is None    equivalent: self.inventory == None"),
        "{}",
        printed(&same)
    );
    let other = stepwright(dir.path(), &["diff", "a.preconditions.py", "c.preconditions.py"]);
    assert_eq!(other.status.code(), Some(1));
    let text = printed(&other);
    assert!(text.contains("  - self.inventory is None    only here") && text.contains("permits take("), "{text}");
    let own = stepwright(dir.path(), &["diff", "a.preconditions.py"]);
    assert!(printed(&own).contains("+++ specification"), "{}", printed(&own));
}

#[test]
fn the_world_is_the_one_the_file_was_in_force_in() {
    let dir = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| std::fs::write(dir.path().join(name), text).unwrap();
    let body = "\ndef INFORM(self, slot):\n    assert self.user.requested_slots[slot]\n";
    let shipped = stepwright::world::dialogue::Source::shipped().unwrap();
    let task = shipped.first().unwrap();
    write("noted.preconditions.py", &format!("# Preconditions in force in dialogue ({task})\n{body}"));
    let noted = stepwright(dir.path(), &["check", "noted.preconditions.py"]);
    assert!(printed(&noted).contains("INFORM(slot)") && !printed(&noted).contains("no action"), "{}", printed(&noted));
    write("bare.preconditions.py", body);
    let bare = stepwright(dir.path(), &["check", "bare.preconditions.py"]);
    assert!(printed(&bare).contains("INFORM(slot)") && !printed(&bare).contains("no action"), "{}", printed(&bare));
    let named = stepwright(dir.path(), &["check", "bare.preconditions.py", "--world", "household"]);
    assert!(printed(&named).contains("`INFORM` is no action") && printed(&named).contains("in the world household"));
    write("strange.preconditions.py", "def fly(self):\n    assert 1\n");
    let strange = stepwright(dir.path(), &["check", "strange.preconditions.py"]);
    assert_eq!(strange.status.code(), Some(2));
    assert!(
        printed(&strange).contains("does not say of which world") && printed(&strange).contains("--world dialogue")
    );
    write("other.preconditions.py", &format!("# Preconditions in force in moon (1)\n{body}"));
    let other = stepwright(dir.path(), &["check", "other.preconditions.py"]);
    assert!(printed(&other).contains("of a world `moon`"), "{}", printed(&other));
}

#[test]
fn violations_of_logs_are_json_whatever_the_log_holds() {
    let dir = tempfile::tempdir().unwrap();
    let step = "{\"action\":\"go to desk 1\",\"observation\":\"You arrive at desk 1.\"}";
    std::fs::write(dir.path().join("log.jsonl"), format!("{{\"id\":\"a\\u202eb\",\"steps\":[{step}]}}\n")).unwrap();
    let output = stepwright(dir.path(), &["logs", "--json", "log.jsonl"]);
    let line: serde_json::Value =
        serde_json::from_slice(&output.stdout).unwrap_or_else(|e| panic!("{e}: {}", printed(&output)));
    assert_eq!(line["log"], "a\u{202e}b");
    assert_eq!(output.status.code(), Some(1), "nothing was seen of the desk: {line}");
    assert!(!printed(&output).contains('\u{202e}'), "what deceives a reader is written as an escape");
}
