//! Parsers, validator and logs compared with the recordings of O3D; where there are none, there is nothing to compare and the
//! summary of the whole suite says so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;

use stepwright_skill::recordings::compare;

#[test]
fn everything_recorded_is_read_as_recorded() {
    let Some(folder) = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("o3d")) else { return };
    if !folder.is_dir() {
        return;
    }
    let mut wrong = Vec::new();
    for found in compare(&folder) {
        for record in found.records.into_iter().flatten() {
            match record {
                Ok(compared) => {
                    if let Some((field, recorded, own)) = compared.difference() {
                        wrong.push(format!("{}, {field}\n  recorded {recorded}\n  own      {own}", compared.at));
                    }
                }
                Err(error) => wrong.push(error),
            }
        }
    }
    assert!(
        wrong.is_empty(),
        "{} differ\n{}",
        wrong.len(),
        wrong.iter().take(12).cloned().collect::<Vec<_>>().join("\n")
    );
}
