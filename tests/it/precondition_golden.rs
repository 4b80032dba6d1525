//! Every recorded pool of candidates, ranking and score, compared by the same code as `conform --topic sgd`.

use crate::support::recordings::recordings;

#[test]
fn recordings_of_precondition_inference_match() {
    let Some(folder) = recordings("sgd") else { return };
    let report = conform::run(folder.parent().unwrap(), Some("sgd")).unwrap();
    eprintln!("{report}");
    assert!(report.compared() > 0);
    assert_eq!(report.differences(), 0);
}
