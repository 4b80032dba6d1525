//! The hand-written corrections of the recordings, read as a model's answers to corrective prompts.

use std::path::PathBuf;

use serde_json::Value;
use stepwright_graph::language;
use stepwright_plan::written::{drops, sentence};

#[test]
fn every_correction_is_read_as_the_step_it_names() {
    let Some(data) = std::env::var_os("STEPWRIGHT_DATA").map(|path| PathBuf::from(path).join("virtualhome")) else {
        return;
    };
    let Ok(text) = std::fs::read_to_string(data.join("corrections.jsonl")) else { return };
    let (mut read, mut left_out, mut odd) = (0, 0, Vec::new());
    for line in text.lines() {
        let record: Value = serde_json::from_str(line).unwrap();
        let correction = record["correction"].as_str().unwrap_or_default();
        if record["skip"] == "True" {
            left_out += 1;
            assert!(drops("Skip"));
            continue;
        }
        let step = sentence(correction);
        assert!(!step.is_empty() && !step.to_lowercase().starts_with("step "), "{correction}");
        assert!(correction.trim_end_matches('.').ends_with(step.trim_end_matches('.')), "{correction}: {step}");
        match language::matching(&step) {
            Some(_) => read += 1,
            None => odd.push(correction.to_owned()),
        }
    }
    println!("{read} name an action of the simulator, {left_out} leave the step out, free-form: {odd:?}");
    assert_eq!(read + left_out + odd.len(), text.lines().count());
    assert!(read * 10 >= (read + odd.len()) * 9, "{odd:?}");
}
