//! Recordings of O3D: published knowledge, responses of the three stages, lines of policies, cuts of trajectories and offline logs;
//! and the logged purchases, bought again in the shop.

mod bought;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use stepwright_skill::knowledge::Published;
use stepwright_skill::line::{Level, read as read_line};
use stepwright_skill::primitive::name_of as primitive_of;
use stepwright_skill::segment::{Fault, validate};
use stepwright_skill::{Knowledge, Segment, file, response};
use stepwright_study::recordings::{jsonl_files, name_of, text as whole};
use stepwright_trajectory::{self as trajectory, LogError, Trajectory};

use super::{Row, field, unreadable};

/// Parts of the names of files whose lines are trajectories.
const LOGS: [&str; 3] = ["_pairs", "_log", "_demos"];

/// The paths of what is looked at here, or is there for people or for other programs.
pub(super) const LOOKED_AT: &[&str] = &[
    "knowledge.json", "response_fixtures*.jsonl", "policy_line_fixtures*.jsonl", "segment_validator_cases*.jsonl",
    "segments*.jsonl", "*_pairs*.jsonl", "*_log*.jsonl", "*_demos*.jsonl", "webshop_human_sessions.jsonl",
    "webshop_react_scores.json", "reflexion_memories_*.json", "code_programs.json", "paper_tables.json",
];

/// A log: its file's name, and its trajectories as they are read.
struct Log {
    file: String,
    text: Result<String, String>,
    read: Vec<Result<Trajectory, LogError>>,
}

/// Compares O3D's recordings.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let published = std::fs::read_to_string(folder.join("knowledge.json")).map_err(|e| e.to_string());
    let published = published.and_then(|text| Published::read(&text));
    let known = |env: &str| published.as_ref().map(|known| known.of_environment(env)).unwrap_or_default();
    let logs = logs(folder);
    let read = logs.iter().flat_map(|log| &log.read).filter_map(|t| t.as_ref().ok());
    let by_id: BTreeMap<&str, &Trajectory> = read.map(|t| (t.id.as_str(), t)).collect();
    let lines = |kind: &str, unit: &'static str, compare: &dyn Fn(&str, &Value, &mut Row)| -> Vec<Row> {
        let what = format!("{kind}.jsonl");
        Row::of_files(&jsonl_files(folder, kind), (&what, unit, "not in this folder"), |file| {
            let mut row = Row::new(name_of(file), unit);
            row.each_record(file, |row, at, line: Value| compare(&at, &line, row));
            [row]
        })
    };
    let env_of = |line: &Value| text(line, "env").to_owned();
    let mut all = vec![match folder.join("knowledge.json").is_file() {
        true => knowledge(&published),
        false => Row::missing("knowledge.json", "skills", "not in this folder"),
    }];
    all.extend(lines("response_fixtures", "responses", &responses));
    all.extend(lines("policy_line_fixtures", "lines", &|at, line, row| {
        policy_line(at, line, &known(&env_of(line)), row);
    }));
    all.extend(lines("segment_validator_cases", "cuts", &|at, line, row| {
        let env = by_id.get(text(line, "trajectory_id")).map(|t| t.env.clone()).unwrap_or_default();
        cut(at, line, &known(&env), row);
    }));
    all.extend(lines("segments", "trajectories", &|at, line, row| {
        segments(at, line, &known(&env_of(line)), &by_id, row);
    }));
    all.extend(logs.iter().map(log));
    all.extend(bought::compare(folder));
    all
}

fn text<'a>(value: &'a Value, key: &str) -> &'a str {
    value.get(key).and_then(Value::as_str).unwrap_or_default()
}

fn logs(folder: &Path) -> Vec<Log> {
    let files = jsonl_files(folder, "").into_iter().map(|path| (name_of(&path), path));
    let logs = files.filter(|(name, _)| LOGS.iter().any(|part| name.contains(part)));
    let log = |(file, path): (String, PathBuf)| {
        let text = whole(&path);
        Log { file, read: text.as_deref().map(trajectory::read).unwrap_or_default(), text }
    };
    logs.map(log).collect()
}

/// Each skill that was published, written as a file and read again.
fn knowledge(published: &Result<Published, String>) -> Row {
    let mut row = Row::new("knowledge.json", "skills");
    let published = match published {
        Ok(published) => published,
        Err(error) => {
            row.differs(unreadable("knowledge.json", error));
            return row;
        }
    };
    for (env, author, knowledge) in &published.knowledge {
        let again = file::read(&file::write(knowledge));
        let listed =
            published.skills.iter().find(|(known, _)| known == env).map_or(&[][..], |(_, list)| list.as_slice());
        for skill in &knowledge.skills {
            let own = again.as_ref().map(|again| again.skill(&skill.signature.name));
            let own = format!("{:?}", own.map_err(ToString::to_string));
            let fields = [
                field("skill", &format!("{:?}", Ok::<_, String>(Some(skill))), &own),
                field("listed", &true, &listed.contains(&skill.signature)),
            ];
            row.fields(|| format!("knowledge.json, {} of {env} by {author}", skill.signature), fields);
        }
    }
    row
}

fn responses(at: &str, line: &Value, row: &mut Row) {
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
        other => return row.differs(unreadable(at, format!("no such kind of response: {other:?}"))),
    };
    let own = own.unwrap_or_else(|error| json!({ "error": error.to_string() }));
    row.fields(|| at.to_owned(), [field("expect", &line["expect"], &own)]);
}

fn policy_line(at: &str, line: &Value, knowledge: &Knowledge, row: &mut Row) {
    let level = if text(line, "level") == "base" { Level::Base } else { Level::Skill };
    let own = json!(read_line(text(line, "line"), level, knowledge));
    row.fields(|| at.to_owned(), [field("expect", &line["expect"], &own)]);
}

fn segments_of(line: &Value) -> Result<Vec<Segment>, String> {
    serde_json::from_value(line["segments"].clone()).map_err(|e| e.to_string())
}

fn steps_of(line: &Value) -> usize {
    line["n_steps"].as_u64().unwrap_or_default() as usize
}

fn cut(at: &str, line: &Value, knowledge: &Knowledge, row: &mut Row) {
    let segments = match segments_of(line) {
        Ok(segments) => segments,
        Err(error) => return row.differs(unreadable(at, error)),
    };
    let found = validate(&segments, steps_of(line), |name| knowledge.skill(name).is_some());
    let reason = found.as_ref().err().map(Fault::reason);
    let fields =
        [field("valid", &line["valid"], &json!(found.is_ok())), field("reason", &line["reason"], &json!(reason))];
    row.fields(|| at.to_owned(), fields);
}

fn segments(at: &str, line: &Value, knowledge: &Knowledge, logs: &BTreeMap<&str, &Trajectory>, row: &mut Row) {
    let id = text(line, "trajectory_id");
    let trajectory = logs.get(id).ok_or_else(|| format!("the trajectory {id:?} is in no log of this folder"));
    let (segments, trajectory) = match segments_of(line).and_then(|segments| Ok((segments, trajectory?))) {
        Ok(both) => both,
        Err(error) => return row.differs(unreadable(at, error)),
    };
    let fault = validate(&segments, trajectory.steps.len(), |name| knowledge.skill(name).is_some());
    let plan: Vec<String> = segments.iter().map(|segment| segment.call().to_string()).collect();
    let primitives: Vec<Vec<String>> = segments
        .iter()
        .map(|segment| {
            let steps = trajectory.steps.get(segment.start..=segment.end).unwrap_or_default();
            let mut names: Vec<String> = steps.iter().map(|step| primitive_of(&step.action)).collect();
            names.sort();
            names.dedup();
            names
        })
        .collect();
    let recorded = line["segments"].as_array().into_iter().flatten();
    let recorded: Vec<&Value> = recorded.map(|segment| &segment["primitives"]).collect();
    let fields = [
        field("n_steps", &steps_of(line), &trajectory.steps.len()),
        field("fault", &None, &fault.err().map(|fault| fault.to_string())),
        field("plan", &line["plan"], &json!(plan)),
        field("primitives", &json!(recorded), &json!(primitives)),
    ];
    row.fields(|| at.to_owned(), fields);
}

/// Whether what was read says what a line says: a number is one however it is written, and nothing may be said in several ways. What a
/// step has beyond the known fields is passed over.
fn is_kept(own: &Value, value: &Value) -> bool {
    match (own, value) {
        (Value::Array(own), Value::Array(steps)) if steps.iter().all(Value::is_object) => {
            let all = |(own, step): (&Value, &Value)| {
                let mut fields = step.as_object().into_iter().flatten();
                fields.all(|(key, value)| own.get(key).is_none_or(|own| is_kept(own, value)))
            };
            own.len() == steps.len() && own.iter().zip(steps).all(all)
        }
        (Value::String(own), Value::Number(number)) => *own == number.to_string(),
        (Value::Null, Value::String(text)) => text.is_empty(),
        (Value::Number(own), Value::Null) => own.as_f64() == Some(0.0),
        (Value::Number(own), Value::Number(number)) => own.as_f64() == number.as_f64(),
        _ => own == value,
    }
}

/// Each trajectory as it was read, written again: nothing of its line may be lost.
fn log(log: &Log) -> Row {
    let mut row = Row::new(log.file.clone(), "trajectories");
    let text = match &log.text {
        Ok(text) => text,
        Err(error) => {
            row.differs(unreadable(&log.file, error));
            return row;
        }
    };
    let lines = text.lines().filter(|line| !line.trim().is_empty());
    for (i, (read, line)) in log.read.iter().zip(lines).enumerate() {
        let at = || format!("{}:{}", log.file, i + 1);
        let both = read.as_ref().map_err(ToString::to_string).and_then(|read| {
            let line: Value = serde_json::from_str(line).map_err(|e| e.to_string())?;
            Ok((json!(read), line))
        });
        let (own, line) = match both {
            Ok(both) => both,
            Err(error) => {
                row.differs(unreadable(at(), error));
                continue;
            }
        };
        let kept = |(key, value): &(&String, &Value)| own.get(*key).is_some_and(|own| is_kept(own, value));
        let lost = line.as_object().into_iter().flatten().filter(|entry| !kept(entry)).map(|(key, _)| key);
        row.fields(at, [field("lost", &Vec::new(), &lost.collect::<Vec<_>>())]);
    }
    row
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_says_the_same_in_another_way_is_kept() {
        let own = json!([{ "thought": null, "action": "look", "observation": null }]);
        for (own, line, kept) in [
            (&own, json!([{ "action": "look" }]), true),
            (&own, json!([{ "thought": "", "action": "look", "reward": 1 }]), true),
            (&own, json!([{ "thought": "so", "action": "look" }]), false),
            (&own, json!([{ "action": "look" }, { "action": "go" }]), false),
            (&json!("7"), json!(7), true),
            (&json!(0.0), json!(null), true),
            (&json!(1.0), json!(1), true),
            (&json!(1.0), json!(null), false),
            (&json!(null), json!("x"), false),
        ] {
            assert_eq!(is_kept(own, &line), kept, "{own} {line}");
        }
    }
}
