//! Household programs of the original system, run whole by the engine: the assertions hold or fail as they did there.

use crate::support::recordings::recordings;
use serde_json::Value as Json;
use stepwright::program::{FaultKind, Limits, run_module};

fn data(file: &str) -> Option<String> {
    recordings(file).map(|path| std::fs::read_to_string(path).unwrap())
}

fn lines(text: &str) -> impl Iterator<Item = Json> + '_ {
    text.lines().map(|line| serde_json::from_str(line).unwrap())
}

#[test]
fn household_programs_run_as_recorded() {
    let (Some(spec), Some(programs)) = (data("alfworld/program_spec.txt"), data("alfworld/programs.jsonl")) else {
        return;
    };
    let mut count = 0;
    for program in lines(&programs) {
        let text =
            format!("{spec}\n{}\n{}()\n", program["program"].as_str().unwrap(), program["function"].as_str().unwrap());
        let run = run_module(&text, Limits::MODULE);
        match &run.fault {
            None => assert_eq!(program["assertions_hold"], true, "{}", program["episode"]),
            Some(fault) => {
                assert_eq!(program["assertions_hold"], false, "{}: {fault}", program["episode"]);
                assert_eq!(fault.kind, FaultKind::Exception("AssertionError".into()));
            }
        }
        count += 1;
    }
    assert!(count > 0);
}
