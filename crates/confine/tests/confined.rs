//! The denials to a confined process, layer by layer. Without arguments this program is the test; with some it is the process
//! under test.
#![allow(clippy::unwrap_used, clippy::expect_used, reason = "tests fail by panicking")]

use std::path::Path;

use stepwright_confine::check::{Column, check};
use stepwright_confine::trial::{TRIALS, Task};

fn main() {
    let words: Vec<String> = std::env::args().skip(1).collect();
    match words.as_slice() {
        [word, task] if word == "confined" => serde_json::from_str::<Task>(task).unwrap().run(),
        _ => {
            stepwright_confine::keep_inherited_descriptors();
            let columns = check(&std::env::current_exe().unwrap(), &["confined"]).unwrap();
            for column in &columns {
                println!("{column:#?}");
            }
            holds(&columns);
            the_program_is_there(&columns);
        }
    }
}

fn holds(columns: &[Column]) {
    if !cfg!(target_os = "linux") {
        println!("nothing but limits on this system");
        return;
    }
    let all = &columns[0];
    assert!(all.held.no_new_privileges && all.held.seccomp, "{:?}", all.held);
    let through: Vec<&str> = TRIALS.iter().zip(&all.outcomes).filter(|(_, o)| o.got).map(|(t, _)| *t).collect();
    assert!(through.is_empty(), "got through all layers: {through:?}");
    let computing = all.computing.as_ref().unwrap();
    assert!(!computing.got && computing.how.contains("signal"), "{computing:?}");
    // Each layer holds by itself what it is there for.
    let held = |name: &str, trial: &str| {
        let column = columns.iter().find(|c| c.name == name).unwrap();
        let at = TRIALS.iter().position(|t| *t == trial).unwrap();
        assert!(!column.outcomes[at].got, "{trial} got through {name}");
    };
    for trial in ["write a file", "open another descriptor", "take a gigabyte more than its bound"] {
        held("limits", trial);
    }
    for trial in &TRIALS[..9] {
        held("seccomp", trial);
    }
    if !all.held.landlock.is_empty() {
        for trial in ["read a file", "list a folder", "write a file"] {
            held("landlock", trial);
        }
    } else {
        println!("no landlock in this kernel: not tried");
    }
    // A trial that always fails would show nothing: with landlock alone, what it does not know goes through.
    let landlock = columns.iter().find(|c| c.name == "landlock").unwrap();
    for trial in ["send a datagram", "start a thread", "open another descriptor", "make memory that can be executed"] {
        let at = TRIALS.iter().position(|t| *t == trial).unwrap();
        assert!(landlock.outcomes[at].got, "{trial}: {:?}", landlock.outcomes[at]);
    }
    let limits = columns.iter().find(|c| c.name == "limits").unwrap();
    let signal = TRIALS.iter().position(|t| *t == "signal another process").unwrap();
    assert!(limits.outcomes[signal].got, "{:?}", limits.outcomes[signal]);
}

/// A program that is not there is an error, not a system that holds.
fn the_program_is_there(_: &[Column]) {
    assert!(check(Path::new("/nowhere/at/all"), &[]).is_err());
    let silent = check(Path::new("/bin/true"), &[]);
    assert!(silent.is_err_and(|e| e.to_string().contains("it said")));
}
