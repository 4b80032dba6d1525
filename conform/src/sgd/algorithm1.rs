//! Compares scripted runs of Algorithm 1: the program's own `verify` on the recorded state, line by line.

use serde_json::{Map, Value, json};

use super::difference;
use super::fields::{differences, list, report_unread, texts};
use super::recordings::Recordings;
use crate::{Difference, Row};
use stepwright_method::reference::algorithm_1;
use stepwright_method::verify::{Reading, Verified, rules, verify};
use stepwright_program::{Call, Limits, Literal, Role, Rules, Specification, State, run_module};
use stepwright_worlds::dialogue::Dialogue;

/// The specification of a service and the preconditions that a file's cases name.
struct Setting {
    specification: Specification,
    truth: Assertions,
    h_opt: Assertions,
}

/// The assertions of each action: as rules, and as a specification's text with them in its bodies.
struct Assertions {
    rules: Rules,
    source: String,
}

impl Assertions {
    fn new(specification: &Specification, set: &[(String, Vec<String>)]) -> Result<Self, String> {
        let rules = rules(set.iter().map(|(action, texts)| (action.as_str(), texts.as_slice())))?;
        let with = specification.with_assertions(&set.iter().cloned().collect()).map_err(|e| e.to_string())?;
        Ok(Assertions { rules, source: with.source().to_owned() })
    }
}

/// Compares every case of a file: the prediction, how it was reached, and each verified line with its reason.
pub(super) fn compare(recordings: &Recordings, golden: &Value, service: &str, file: &str) -> Result<Row, String> {
    let mut row = Row::new(format!("golden/{file}"), "runs");
    let specification = recordings.specification(service)?;
    let pooled = recordings.h_opt(service)?;
    let h_opt = match (golden.get("h_opt"), &pooled) {
        (None, Some(pooled)) => pooled.clone(),
        (own, _) => by_action(own)?,
    };
    if let Some(pooled) = pooled {
        let pooled: Map<String, Value> = pooled.into_iter().map(|(action, texts)| (action, json!(texts))).collect();
        row.differs_in(differences(file, &[("h_opt", Value::Object(pooled))], golden));
    }
    let setting = Setting {
        truth: Assertions::new(&specification, &recordings.all_truth(service)?)?,
        h_opt: Assertions::new(&specification, &h_opt)?,
        specification,
    };
    report_unread(&mut row, file, &[], &["h_opt", "cases"], golden);
    for case in list(golden, "cases") {
        let at = format!("{file}, case {}", case["id"]);
        const READ: [&str; 7] = ["dialogue", "step", "preconditions", "max_attempts", "greedy", "random", "expect"];
        report_unread(&mut row, &at, &[], &READ, case);
        let Ok(dialogue) = recordings.source().dialogue(case["dialogue"].as_str().unwrap_or_default()) else {
            row.lacks(1, || format!("{at}: no dialogue {} of {service} is recorded", case["dialogue"]));
            continue;
        };
        let got = match run(&setting, dialogue, case) {
            Ok(got) => got,
            Err(why) => {
                row.count(Some(difference(at, "a run of Algorithm 1", why)));
                continue;
            }
        };
        report_unread(&mut row, &at, &got.fields, &["log"], &case["expect"]);
        let mut found = differences(&at, &got.fields, &case["expect"]);
        found.extend(differing_lines(&at, &got.log, &case["expect"], &mut row));
        row.count(found);
    }
    Ok(row)
}

/// The assertions of an object `{"ACTION": ["…"]}`, in its order.
fn by_action(value: Option<&Value>) -> Result<Vec<(String, Vec<String>)>, String> {
    let actions = value.and_then(Value::as_object).into_iter().flatten();
    actions
        .map(|(action, list)| Ok((action.clone(), texts(list).ok_or(format!("h_opt of {action}: no list of texts"))?)))
        .collect()
}

struct Run {
    fields: Vec<(&'static str, Value)>,
    log: Vec<Entry>,
}

/// One verified line.
struct Entry {
    fields: Vec<(&'static str, Value)>,
    /// The result of re-checking the whole program; `Err` where the engine cannot decide.
    whole: Result<bool, String>,
}

fn run(setting: &Setting, dialogue: &Dialogue, case: &Value) -> Result<Run, String> {
    let text = |key: &str| case[key].as_str().ok_or_else(|| format!("`{key}` is no text"));
    let number = |key: &str| case[key].as_u64().ok_or_else(|| format!("`{key}` is no number"));
    let step = usize::try_from(number("step")?).map_err(|e| e.to_string())?;
    let calls: Vec<Call> = dialogue.calls().cloned().collect();
    let prefix = calls.get(..step).ok_or_else(|| format!("the dialogue has no call {step}"))?;
    let assertions = match text("preconditions")? {
        "ground_truth" => &setting.truth,
        "h_opt" => &setting.h_opt,
        other => return Err(format!("preconditions `{other}` are not known")),
    };
    let state = replay(&setting.specification, prefix)?;
    let greedy = text("greedy")?.to_owned();
    let random = texts(&case["random"]).ok_or("`random` is no list of texts")?;
    let mut random = random.into_iter();
    let attempts = u32::try_from(number("max_attempts")?).map_err(|e| e.to_string())?;
    let mut log = Vec::new();
    let trial = algorithm_1(
        attempts,
        || greedy,
        || random.next().unwrap_or_default(),
        |line| {
            let verified = verify(line, &state, &assertions.rules, |call| reading(&setting.specification, call));
            let reason = match &verified {
                Verified::Action(_) => Value::Null,
                Verified::EndOfTurn(_) => json!("EndOfTurn"),
                Verified::Refused { reason, .. } => json!(reason),
            };
            let ok = verified.is_accepted();
            let whole = whole_program(&setting.specification, &assertions.source, prefix, line);
            let fields = vec![("line", json!(line)), ("ok", json!(ok)), ("reason", reason)];
            log.push(Entry { fields, whole });
            ok
        },
    );
    Ok(Run {
        fields: vec![
            ("prediction", json!(trial.prediction)),
            ("verified", json!(trial.verified)),
            ("attempts", json!(trial.attempts)),
            ("greedy_samples", json!(trial.greedy_samples)),
            ("random_samples", json!(trial.random_samples)),
        ],
        log,
    })
}

/// The reading of a call in a dialogue: the system's acts are actions, the user's end the turn, the query's status is
/// nobody's to call.
fn reading(specification: &Specification, call: &Call) -> Reading {
    let of = |role| specification.functions().iter().any(|f| f.receiver == call.receiver && f.role == role);
    let observed = specification.function(&call.receiver, &call.function).is_some_and(|f| f.role == Role::Observation);
    let nested = call.args.iter().any(|arg| matches!(arg, Literal::List(_) | Literal::Dict(_)));
    match (of(Role::Action), of(Role::Observation)) {
        (true, _) if observed || nested => Reading::Nothing,
        (true, _) => Reading::Action,
        (false, true) => Reading::EndOfTurn,
        (false, false) => Reading::Nothing,
    }
}

/// The state after these calls, executed without assertions.
fn replay(specification: &Specification, calls: &[Call]) -> Result<State, String> {
    let mut state = specification.start().map_err(|fault| fault.to_string())?;
    for call in calls {
        state.call_unchecked(call).map_err(|fault| format!("{call}: {fault}"))?;
    }
    Ok(state)
}

/// Whether the program of the prefix and the line runs from its first line to its last with all assertions in its actions.
fn whole_program(specification: &Specification, source: &str, prefix: &[Call], line: &str) -> Result<bool, String> {
    let mut program = format!("{source}\n\ndef episode():\n");
    let calls = prefix.iter().map(ToString::to_string);
    let setup = specification.declarations().setup.iter().cloned();
    // The engine imports nothing; in CPython an import before or after the calls changes nothing for them.
    let line = Some(line.trim()).filter(|line| !is_import(line)).unwrap_or_default();
    for statement in setup.chain(calls).chain([line.to_owned()]) {
        program.push_str(&format!("    {statement}\n"));
    }
    program.push_str("\nepisode()\n");
    match run_module(&program, Limits::MODULE).fault {
        None => Ok(true),
        Some(fault) if matches!(fault.kind, stepwright_program::FaultKind::Exception(_)) => Ok(false),
        Some(fault) => Err(fault.to_string()),
    }
}

/// An import of a module that every Python has.
fn is_import(line: &str) -> bool {
    const EVERYWHERE: [&str; 8] = ["os", "sys", "re", "json", "math", "random", "time", "subprocess"];
    line.strip_prefix("import ").is_some_and(|module| EVERYWHERE.contains(&module.trim()))
}

/// The differences in the lines of the log, and in their number. Lines whose whole program cannot be decided are
/// counted absent.
fn differing_lines(at: &str, log: &[Entry], expect: &Value, row: &mut Row) -> Vec<Difference> {
    let recorded = list(expect, "log");
    let mut found = Vec::new();
    if recorded.len() != log.len() {
        let (expected, got) = (recorded.len().to_string(), log.len().to_string());
        found.push(Difference { at: format!("{at}: lines verified"), expected, got });
    }
    for (number, (entry, recorded)) in log.iter().zip(recorded).enumerate() {
        let at = format!("{at}, line {} of the log", number + 1);
        report_unread(row, &at, &entry.fields, &["whole_program_ok"], recorded);
        let whole = match &entry.whole {
            Ok(whole) => vec![("whole_program_ok", json!(whole))],
            Err(why) => {
                row.lacks(1, || format!("{at}: the whole program cannot be decided: {why}"));
                Vec::new()
            }
        };
        found.extend(differences(&at, &entry.fields, recorded));
        found.extend(differences(&at, &whole, recorded));
    }
    found
}
