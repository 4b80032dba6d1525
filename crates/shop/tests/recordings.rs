//! Comparison of the engine with every recording of the original one; where there are none, the tests have nothing to compare and the
//! summary of the whole suite says so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;

use stepwright_shop::recordings::{RECORDINGS, shop};

fn compare(file: &str) {
    let Some(folder) = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("webshop")) else {
        return;
    };
    let Some(shop) = shop(&folder).unwrap() else { return };
    let recording = RECORDINGS.iter().find(|recording| file.starts_with(recording.kind)).unwrap();
    if !recording.files(&folder).iter().any(|name| name == file) {
        return;
    }
    let records = recording.compare(&shop, &folder, file);
    assert!(!records.is_empty());
    let mut wrong = 0;
    for record in &records {
        match record {
            Ok(compared) => {
                if let Some((field, recorded, own)) = compared.difference() {
                    wrong += 1;
                    if wrong <= 5 {
                        eprintln!("{}, {field}\n  recorded {recorded}\n  own      {own}", compared.at);
                    }
                }
            }
            Err(error) => panic!("{error}"),
        }
    }
    assert_eq!(wrong, 0, "{wrong} of {} differ", records.len());
}

#[test]
fn analysis() {
    compare("analyzer_golden.jsonl");
}

#[test]
fn rankings() {
    compare("search_golden.jsonl");
}

#[test]
fn fuzzy_scores() {
    compare("fuzz_golden.jsonl");
}

#[test]
fn rewards() {
    compare("reward_golden.jsonl");
}

#[test]
fn the_text_environment() {
    compare("text_env_traces.jsonl");
}

#[test]
fn the_simpler_site() {
    compare("react_site_traces.jsonl");
}
