//! Comparison of O3D's recordings with what this crate reads. What is done with a difference is left to the caller.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::{Value, json};

use crate::knowledge::{Knowledge, Published};
use crate::line::{Level, read as read_line};
use crate::primitive::name_of;
use crate::segment::{Segment, validate};
use crate::{file, response};
use stepwright_trajectory::{self as trajectory, Trajectory};

/// One thing compared: where it is recorded, and each field as recorded and as this crate gives it.
#[derive(Debug, Clone, PartialEq)]
pub struct Compared {
    /// File and line.
    pub at: String,
    /// Name, recorded value, own value.
    pub fields: Vec<(&'static str, Value, Value)>,
}

impl Compared {
    /// The first field that differs.
    pub fn difference(&self) -> Option<&(&'static str, Value, Value)> {
        self.fields.iter().find(|(_, recorded, own)| recorded != own)
    }
}

/// Something compared, or a record that cannot be read.
pub type Record = Result<Compared, String>;

/// A file's comparisons; `None` if it is not there.
pub struct Compare {
    /// The file's name.
    pub file: String,
    /// What is counted.
    pub unit: &'static str,
    /// The comparisons.
    pub records: Option<Vec<Record>>,
}

/// The files whose lines are trajectories end so.
const LOGS: [&str; 3] = ["_pairs", "_log.jsonl", "_demos.jsonl"];

/// Compares everything in a folder.
pub fn compare(folder: &Path) -> Vec<Compare> {
    let published = std::fs::read_to_string(folder.join("knowledge.json")).map_err(|e| e.to_string());
    let published = published.and_then(|text| Published::read(&text));
    let known = |env: &str| published.as_ref().map(|known| known.of_environment(env)).unwrap_or_default();
    let logs = logs(folder);
    let by_id: BTreeMap<String, &Trajectory> =
        logs.iter().flat_map(|(_, all)| all).filter_map(|t| t.as_ref().ok()).map(|t| (t.id.clone(), t)).collect();
    let lines = |kind: &str, unit: &'static str, compare: &dyn Fn(&str, &Value) -> Record| -> Vec<Compare> {
        let mut files = names(folder, |name| name.starts_with(kind) && name.ends_with(".jsonl"));
        if files.is_empty() {
            files.push(format!("{kind}.jsonl"));
        }
        let of_file = |file: String| {
            let records = json_lines(&folder.join(&file)).map(|lines| {
                let each = lines.into_iter().enumerate().map(|(i, line)| {
                    let at = format!("{file}:{}", i + 1);
                    line.map_err(|e| format!("{at}: {e}")).and_then(|line| compare(&at, &line))
                });
                each.collect()
            });
            Compare { file, unit, records }
        };
        files.into_iter().map(of_file).collect()
    };
    let env_of = |line: &Value| text(line, "env").to_owned();
    let mut all = vec![Compare {
        file: "knowledge.json".to_owned(),
        unit: "skills",
        records: folder.join("knowledge.json").is_file().then(|| knowledge_records(&published)),
    }];
    all.extend(lines("response_fixtures", "responses", &responses));
    all.extend(lines("policy_line_fixtures", "lines", &|at, line| policy_line(at, line, &known(&env_of(line)))));
    all.extend(lines("segment_validator_cases", "cuts", &|at, line| {
        let env = by_id.get(text(line, "trajectory_id")).map(|t| t.env.clone()).unwrap_or_default();
        cut(at, line, &known(&env))
    }));
    all.extend(lines("segments", "trajectories", &|at, line| segments(at, line, &known(&env_of(line)), &by_id)));
    all.extend(logs.iter().map(|(file, read)| Compare {
        file: file.clone(),
        unit: "trajectories",
        records: Some(log_records(folder, file, read)),
    }));
    all
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn json_lines(path: &Path) -> Option<Vec<Result<Value, String>>> {
    let text = std::fs::read_to_string(path).ok()?;
    Some(
        text.lines()
            .filter(|l| !l.trim().is_empty())
            .map(|l| serde_json::from_str(l).map_err(|e| e.to_string()))
            .collect(),
    )
}

type Log = (String, Vec<Result<Trajectory, trajectory::LogError>>);

/// The names of the files of a folder that are wanted, sorted.
fn names(folder: &Path, wanted: impl Fn(&str) -> bool) -> Vec<String> {
    let names = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut names: Vec<String> = names.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.retain(|name| wanted(name));
    names.sort();
    names
}

fn logs(folder: &Path) -> Vec<Log> {
    names(folder, |name| name.ends_with(".jsonl") && LOGS.iter().any(|part| name.contains(part)))
        .into_iter()
        .filter_map(|name| Some((name.clone(), trajectory::read(&std::fs::read_to_string(folder.join(&name)).ok()?))))
        .collect()
}

/// Each skill that was published, written as a file and read again.
fn knowledge_records(published: &Result<Published, String>) -> Vec<Record> {
    let published = match published {
        Ok(published) => published,
        Err(error) => return vec![Err(format!("knowledge.json: {error}"))],
    };
    let mut records = Vec::new();
    for (env, author, knowledge) in &published.knowledge {
        let again = file::read(&file::write(knowledge));
        let listed =
            published.skills.iter().find(|(known, _)| known == env).map_or(&[][..], |(_, list)| list.as_slice());
        for skill in &knowledge.skills {
            let at = format!("knowledge.json, {} of {env} by {author}", skill.signature);
            let own = again.as_ref().map(|again| again.skill(&skill.signature.name).cloned());
            let own = own.map_err(ToString::to_string);
            records.push(Ok(Compared {
                at,
                fields: vec![
                    (
                        "skill",
                        json!(format!("{:?}", Ok::<_, String>(Some(skill)))),
                        json!(format!("{:?}", own.as_ref().map(Option::as_ref))),
                    ),
                    ("listed", json!(true), json!(listed.contains(&skill.signature))),
                ],
            }));
        }
    }
    records
}

fn responses(at: &str, line: &Value) -> Record {
    let answer = text(line, "response");
    let own = match text(line, "kind") {
        "skill_discovery" => response::skills(answer).map(|read| {
            let parts = read.parts.iter().map(|part| json!({ "call": part.call.to_string(), "actions": part.actions }));
            let skills: Vec<String> = read.skills.iter().map(ToString::to_string).collect();
            json!({ "skills": skills, "segments": parts.collect::<Vec<_>>() })
        }),
        "primitive_discovery" => response::primitives(answer).map(|read| {
            let given = |given: &response::Given| json!({ "syntax": given.syntax, "example": given.example });
            let entries = read.iter().map(|(skill, list)| (skill.to_string(), list.iter().map(given).collect()));
            Value::Object(entries.collect())
        }),
        "tips" => response::tips(answer).map(|tips| json!({ "tips": tips })),
        other => return Err(format!("{at}: no such kind of response: {other:?}")),
    };
    let own = own.unwrap_or_else(|error| json!({ "error": error.to_string() }));
    Ok(Compared { at: at.to_owned(), fields: vec![("expect", line.get("expect").cloned().unwrap_or_default(), own)] })
}

fn policy_line(at: &str, line: &Value, knowledge: &Knowledge) -> Record {
    let level = if text(line, "level") == "base" { Level::Base } else { Level::Skill };
    let own = json!(read_line(text(line, "line"), level, knowledge));
    Ok(Compared { at: at.to_owned(), fields: vec![("expect", line.get("expect").cloned().unwrap_or_default(), own)] })
}

fn segments_of(line: &Value, at: &str) -> Result<Vec<Segment>, String> {
    serde_json::from_value(line.get("segments").cloned().unwrap_or_default()).map_err(|e| format!("{at}: {e}"))
}

fn steps_of(line: &Value) -> usize {
    line.get("n_steps").and_then(Value::as_u64).unwrap_or_default() as usize
}

fn cut(at: &str, line: &Value, knowledge: &Knowledge) -> Record {
    let found = validate(&segments_of(line, at)?, steps_of(line), |name| knowledge.skill(name).is_some());
    let reason = found.as_ref().err().map(crate::segment::Fault::reason);
    let field = |name: &'static str, own: Value| (name, line.get(name).cloned().unwrap_or_default(), own);
    let fields = vec![field("valid", json!(found.is_ok())), field("reason", json!(reason))];
    Ok(Compared { at: at.to_owned(), fields })
}

fn segments(at: &str, line: &Value, knowledge: &Knowledge, logs: &BTreeMap<String, &Trajectory>) -> Record {
    let segments = segments_of(line, at)?;
    let Some(trajectory) = logs.get(text(line, "trajectory_id")) else {
        return Err(format!("{at}: the trajectory {:?} is in no log of this folder", text(line, "trajectory_id")));
    };
    let fault = validate(&segments, trajectory.steps.len(), |name| knowledge.skill(name).is_some());
    let plan: Vec<String> = segments.iter().map(|segment| segment.call().to_string()).collect();
    let primitives: Vec<Vec<String>> = segments
        .iter()
        .map(|segment| {
            let steps = trajectory.steps.get(segment.start..=segment.end).unwrap_or_default();
            let mut names: Vec<String> = steps.iter().map(|step| name_of(&step.action)).collect();
            names.sort();
            names.dedup();
            names
        })
        .collect();
    let recorded = line.get("segments").and_then(Value::as_array).into_iter().flatten();
    let recorded: Vec<Value> = recorded.map(|segment| segment.get("primitives").cloned().unwrap_or_default()).collect();
    let fields = vec![
        ("n_steps", json!(steps_of(line)), json!(trajectory.steps.len())),
        ("fault", Value::Null, json!(fault.err().map(|fault| fault.to_string()))),
        ("plan", line.get("plan").cloned().unwrap_or_default(), json!(plan)),
        ("primitives", Value::Array(recorded), json!(primitives)),
    ];
    Ok(Compared { at: at.to_owned(), fields })
}

/// Each trajectory as it was read, written again: nothing of its line may be lost.
fn log_records(folder: &Path, file: &str, read: &[Result<Trajectory, trajectory::LogError>]) -> Vec<Record> {
    let lines = json_lines(&folder.join(file)).unwrap_or_default();
    let each = read.iter().zip(lines).enumerate().map(|(i, (read, line))| {
        let at = format!("{file}:{}", i + 1);
        let trajectory = read.as_ref().map_err(|e| format!("{file}: {e}"))?;
        let line = line.map_err(|e| format!("{at}: {e}"))?;
        let own = json!(trajectory);
        let kept = |key: &String, value: &Value| {
            own.get(key).is_some_and(|own| own == value || number(own) == number(value) && number(own).is_some())
        };
        let lost: Vec<&String> = line
            .as_object()
            .into_iter()
            .flatten()
            .filter(|(key, value)| !kept(key, value))
            .map(|(key, _)| key)
            .collect();
        Ok(Compared { at, fields: vec![("lost", json!([]), json!(lost))] })
    });
    each.collect()
}

/// A number, however it is written.
fn number(value: &Value) -> Option<f64> {
    value.as_f64()
}
