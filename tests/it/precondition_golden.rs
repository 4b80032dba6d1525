//! Every recorded pool of candidates, ranking and score, compared by the same code as `stepwright conform --topic sgd`.

use std::path::{Path, PathBuf};

#[test]
fn recordings_of_precondition_inference_match() {
    let dir = std::env::var_os("STEPWRIGHT_DATA")
        .map_or_else(|| Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data"), PathBuf::from);
    if !dir.join("sgd/domains.json").exists() {
        eprintln!("not compared: {} holds no sgd/domains.json (set STEPWRIGHT_DATA)", dir.display());
        return;
    }
    let report = stepwright::study::conform::run(&dir, Some("sgd")).unwrap();
    eprintln!("{report}");
    assert!(report.compared() > 0);
    assert_eq!(report.differences(), 0);
}
