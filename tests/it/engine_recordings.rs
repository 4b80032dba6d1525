//! Comparison of the engine with recordings: household programs, dialogue candidates, single constructs, hostile texts.

use crate::support::recordings::recordings;
use serde_json::Value as Json;
use stepwright::program::{
    Assertion, Call, CheckResult, Declarations, FaultKind, Limits, Literal, Specification, run_module,
};

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

#[test]
fn the_example_program_runs() {
    let Some(program) = data("sgd/example_program.txt") else { return };
    assert_eq!(run_module(&program, Limits::MODULE).fault, None);
}

#[test]
fn constructs_print_what_cpython_prints_or_are_unsupported() {
    let Some(constructs) = data("python/constructs.jsonl") else { return };
    let (mut equal, mut unsupported) = (0, Vec::new());
    for construct in lines(&constructs) {
        let name = construct["name"].as_str().unwrap();
        let run = run_module(construct["source"].as_str().unwrap(), Limits::MODULE);
        match run.fault {
            None => {
                assert_eq!(run.stdout, construct["stdout"].as_str().unwrap(), "{name}");
                equal += 1;
            }
            Some(fault) => match fault.kind {
                FaultKind::Unsupported(what) => unsupported.push(format!("{name} ({what})")),
                _ => panic!("{name}: {fault}"),
            },
        }
    }
    eprintln!("{equal} equal, {} unsupported: {}", unsupported.len(), unsupported.join(", "));
    assert!(equal >= 40);
}

#[test]
fn hostile_programs_end() {
    let Some(hostile) = data("python/hostile.jsonl") else { return };
    for program in lines(&hostile) {
        let started = std::time::Instant::now();
        // A tenth of the usual steps: this runs unoptimised.
        let limits = Limits { steps: Limits::MODULE.steps / 10, size: Limits::MODULE.size / 4, ..Limits::MODULE };
        let run = run_module(program["source"].as_str().unwrap(), limits);
        let took = started.elapsed();
        // Far above any budget: this notices a hang, not a slow machine.
        assert!(took.as_secs() < 60, "{}: {took:?}", program["name"]);
        assert!(run.stdout.len() < 20 << 20, "{}", program["name"]);
    }
}

/// Where and how the validation of a candidate ends: the reason of the first demonstration that fails.
struct Verdicts {
    spec: Specification,
    demonstrations: Vec<Vec<Call>>,
    receiver: &'static str,
}

impl Verdicts {
    /// The exception of the first failing demonstration with its place, or `None` if all hold.
    fn validate(&self, assertion: &Assertion, action: &str) -> Option<(String, usize, usize)> {
        let function = self.spec.function(self.receiver, action).unwrap();
        for (d, calls) in self.demonstrations.iter().enumerate() {
            let mut state = self.spec.start().unwrap();
            for (c, call) in calls.iter().enumerate() {
                if call.receiver == self.receiver && call.function == action {
                    match state.check_in_place(assertion, function, &call.args).0 {
                        CheckResult::Holds => {}
                        CheckResult::Raises { exception, .. } => return Some((exception, d, c)),
                        CheckResult::Budget(_) => return Some(("Budget".into(), d, c)),
                        CheckResult::Unsupported(what) => return Some((format!("unsupported {what}"), d, c)),
                    }
                } else {
                    state.call_unchecked(call).unwrap();
                }
            }
        }
        None
    }

    /// How many instances of an action satisfy a candidate, each on its own copy, and whether any check changes the state.
    fn satisfied(&self, assertion: &Assertion, action: &str, is_step: impl Fn(&Call) -> bool) -> (usize, bool) {
        let function = self.spec.function(self.receiver, action).unwrap();
        let mut bindings: Vec<Vec<Literal>> = Vec::new();
        for call in self.demonstrations.iter().flatten().filter(|c| c.receiver == self.receiver && c.function == action)
        {
            if !bindings.contains(&call.args) {
                bindings.push(call.args.clone());
            }
        }
        let (mut holds, mut mutates) = (0, false);
        for calls in &self.demonstrations {
            let mut state = self.spec.start().unwrap();
            for call in calls {
                if is_step(call) {
                    for args in &bindings {
                        let (result, changed) = state.check_traced(assertion, function, args);
                        holds += usize::from(result.holds());
                        mutates |= changed;
                    }
                }
                state.call_unchecked(call).unwrap();
            }
        }
        (holds, mutates)
    }
}

fn dialogue(service: &str) -> Option<Verdicts> {
    let domains: Json = serde_json::from_str(&data("sgd/domains.json")?).unwrap();
    let domain = domains["domains"].as_array().unwrap().iter().find(|d| d["service"] == service).unwrap();
    let mut source = domains["user_class"].as_str().unwrap().to_owned();
    if !source.contains("import defaultdict") {
        source = format!("from collections import defaultdict\n\n{source}");
    }
    source.push_str(
        "\n\nclass SYSTEM:\n  def __init__(self, user):\n    self.user = user\n    self.query_success = None\n",
    );
    let mut actions = Vec::new();
    for action in domain["actions"].as_array().unwrap() {
        let name = action["action"].as_str().or(action["name"].as_str()).unwrap();
        let arg = action["arg"].as_str().map(|a| format!(", {a}")).unwrap_or_default();
        source.push_str(&format!("\n  def {name}(self{arg}):\n    pass\n"));
        actions.push(format!("system.{name}"));
    }
    source.push_str("\n  def set_query_status(self, status):\n    self.query_success = status\n");
    let declarations = Declarations {
        setup: vec!["user = USER()".into(), "system = SYSTEM(user)".into()],
        actions,
        observations: vec!["system.set_query_status".into()],
    };
    let spec = Specification::load_with(&source, service, declarations).unwrap();
    let demonstrations = lines(&data(&format!("sgd/dialogues/{service}.demos.jsonl"))?)
        .map(|d| d["calls"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().parse().unwrap()).collect())
        .collect();
    Some(Verdicts { spec, demonstrations, receiver: "system" })
}

fn household() -> Option<Verdicts> {
    let names = ["goto", "open", "close", "take", "put", "clean", "heat", "cool", "toggle"];
    let declarations = Declarations {
        setup: vec!["env = Environment()".into(), "agent = Agent(env)".into()],
        actions: names.iter().map(|n| format!("agent.{n}")).collect(),
        observations: Vec::new(),
    };
    let spec = Specification::load_with(&data("alfworld/program_spec.txt")?, "spec.py", declarations).unwrap();
    let demonstrations = lines(&data("sgd/dialogues/alfworld.demos.jsonl")?)
        .map(|d| d["calls"].as_array().unwrap().iter().map(|c| c.as_str().unwrap().parse().unwrap()).collect())
        .collect();
    Some(Verdicts { spec, demonstrations, receiver: "agent" })
}

fn is_system_action(call: &Call) -> bool {
    call.receiver == "system" && call.function != "set_query_status"
}

#[test]
fn odd_candidates_get_the_recorded_verdicts() {
    let (Some(golden), Some(verdicts)) = (data("sgd/golden/robustness.json"), dialogue("Restaurants_1")) else {
        return;
    };
    let golden: Json = serde_json::from_str(&golden).unwrap();
    let mut exact = 0;
    for candidate in golden["candidates"].as_array().unwrap() {
        let text = candidate["cand"].as_str().unwrap();
        let shown: String = text.chars().take(60).collect();
        let (reason, satisfied) = match Assertion::compile(text) {
            Err(rejection) => (Some(rejection.reason.to_owned()), None),
            Ok(assertion) => (
                verdicts.validate(&assertion, "INFORM").map(|(reason, _, _)| reason),
                Some(verdicts.satisfied(&assertion, "INFORM", is_system_action).0),
            ),
        };
        if candidate["compare"] == "exact" {
            assert_eq!(reason.as_deref(), candidate["reason"].as_str(), "{shown}");
            assert_eq!(satisfied, candidate["sat"].as_u64().map(|n| n as usize), "{shown}");
            exact += 1;
        }
    }
    assert!(exact > 30);
}

/// Compares every candidate of a golden file whose outcome is prescribed.
fn compare_pools(file: &str, verdicts: &Verdicts, is_step: impl Fn(&Call) -> bool + Copy) {
    let Some(golden) = data(file) else { return };
    let golden: Json = serde_json::from_str(&golden).unwrap();
    let mut differences = Vec::new();
    let mut count = 0;
    for pool in golden["actions"].as_array().unwrap() {
        let action = pool["action"].as_str().unwrap();
        for candidate in pool["candidates"].as_array().unwrap() {
            count += 1;
            // Counting instances takes longest: every fourth ordinary candidate, and all that are not ordinary.
            let counted = count % 4 == 0 || candidate["class"] != "pure";
            let text = candidate["cand"].as_str().unwrap();
            let any_reason = candidate["class"] == "nonterminating";
            let expected = candidate["reason"].as_str();
            let (reason, measured) = match Assertion::compile(text) {
                Err(rejection) => (Some(rejection.reason.to_owned()), None),
                Ok(assertion) => {
                    let reason = verdicts.validate(&assertion, action).map(|(reason, _, _)| reason);
                    let measured = if any_reason || !counted {
                        None
                    } else {
                        Some(verdicts.satisfied(&assertion, action, is_step))
                    };
                    (reason, measured)
                }
            };
            let fine = if any_reason {
                reason.is_some() == expected.is_some()
            } else {
                reason.as_deref() == expected
                    && measured.is_none_or(|(sat, mutates)| {
                        candidate["sat"].as_u64().is_none_or(|n| n as usize == sat)
                            && candidate["mutates"].as_bool().is_none_or(|m| m == mutates)
                    })
            };
            if !fine {
                differences.push(format!(
                    "{action}: {text}: {reason:?} {measured:?}, recorded {expected:?} {} {}",
                    candidate["sat"], candidate["mutates"]
                ));
            }
        }
    }
    assert!(differences.is_empty(), "{} of {count}:\n{}", differences.len(), differences.join("\n"));
    eprintln!("{file}: {count} candidates agree");
}

#[test]
fn household_candidates_get_the_recorded_verdicts() {
    let Some(verdicts) = household() else { return };
    let actions: Vec<String> = verdicts.spec.declarations().actions.clone();
    compare_pools("sgd/golden/alfworld.json", &verdicts, |c| {
        actions.contains(&format!("{}.{}", c.receiver, c.function))
    });
}

#[test]
fn dialogue_candidates_get_the_recorded_verdicts() {
    for service in ["Restaurants_1", "Buses_1"] {
        let Some(verdicts) = dialogue(service) else { return };
        compare_pools(&format!("sgd/golden/{service}.json"), &verdicts, is_system_action);
    }
}
