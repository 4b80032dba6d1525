//! The findings of counting in logs compared with cuts by hand, of the recordings of O3D; where there are none, there is nothing to compare and the
//! summary of the whole suite says so.
#![allow(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    reason = "helpers of tests fail by panicking, as tests do"
)]

use std::path::PathBuf;

#[test]
fn successes_are_cut_as_by_hand() {
    let Some(folder) = std::env::var_os("STEPWRIGHT_DATA").map(|data| PathBuf::from(data).join("o3d")) else { return };
    let read = |file: &str| std::fs::read_to_string(folder.join(file)).ok();
    let (Some(logs), Some(hand)) = (read("alfworld_pairs.jsonl"), read("segments.jsonl")) else { return };
    let logs: Vec<_> = stepwright_trajectory::read(&logs).into_iter().filter_map(Result::ok).collect();
    let found = stepwright_skill::discover(&logs, &stepwright_skill::discover::Settings::default());
    let (mut same, mut wrong) = (0, Vec::new());
    for line in hand.lines() {
        let line: serde_json::Value = serde_json::from_str(line).unwrap();
        if line["env"] != "alfworld" {
            continue;
        }
        let cut = found.cuts.iter().find(|cut| cut.trajectory == line["trajectory_id"]).unwrap();
        let own: Vec<_> = cut.segments.iter().map(|s| (s.call().to_string(), s.start, s.end)).collect();
        let by_hand: Vec<stepwright_skill::Segment> = serde_json::from_value(line["segments"].clone()).unwrap();
        let by_hand: Vec<_> = by_hand.iter().map(|s| (s.call().to_string(), s.start, s.end)).collect();
        if own == by_hand {
            same += 1
        } else {
            wrong.push(format!("{}\n  hand {by_hand:?}\n  own  {own:?}", line["trajectory_id"]))
        }
    }
    assert!(wrong.is_empty(), "{same} alike, {} not\n{}", wrong.len(), wrong.join("\n"));
}
