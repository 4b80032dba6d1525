//! Trajectories: what was thought, done and observed, step by step ([`Step`]), and whole episodes of it as logs hold them ([`Trajectory`]),
//! one JSON object a line, as the recordings of O3D. [`mod@log`] reads ReAct's texts, [`foreign`] the logs of other programs, [`react`] writes
//! transcripts, [`program`] writes programs. Nothing here knows a world or a method.

pub mod foreign;
pub mod log;
pub mod program;
pub mod react;
mod record;

use std::borrow::Cow;

use stepwright_program::Call;
use stepwright_program::tools::Toolbox;

pub use record::{LogError, Step, Trajectory};

/// A file of logs as it was read.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Logs {
    /// The format, where it is one of [`foreign::FORMATS`].
    pub format: &'static str,
    pub all: Vec<Trajectory>,
    pub wrong: Vec<LogError>,
    /// Parts left out, in words.
    pub notes: Vec<String>,
}

/// Faults of a file that are told one by one.
const MOST_TOLD: usize = 20;

/// Reads a log of trajectories. Each line is read by itself: what is wrong in one takes nothing from the others.
pub fn read(text: &str) -> Vec<Result<Trajectory, LogError>> {
    each(text).collect()
}

fn each(text: &str) -> impl Iterator<Item = Result<Trajectory, LogError>> {
    let lines = text.lines().enumerate().filter(|(_, line)| !line.trim().is_empty());
    lines.map(|(i, line)| read_line(line).map_err(|message| LogError { line: i + 1, message }))
}

fn read_line(line: &str) -> Result<Trajectory, String> {
    let mut values = serde_json::Deserializer::from_str(line).into_iter::<serde_json::Value>();
    let first = values.next().ok_or("the line is empty")?;
    let first = first.map_err(|e| format!("no JSON: {e}"))?;
    if values.next().is_some() {
        return Err("something follows the trajectory on its line; write one trajectory a line".to_owned());
    }
    let mut first = actions_alone(first);
    reasons(&mut first);
    if let Some(at) = without_action(&first) {
        return Err(format!("no trajectory: step {} has no `action`, nor a `call`", at + 1));
    }
    let mut trajectory: Trajectory = serde_json::from_value(first)
        .map_err(|e| format!("no trajectory: {e}; `id` and `steps` with `action` are expected"))?;
    if trajectory.steps.is_empty() {
        return Err(format!("trajectory {:?} has no steps", trajectory.id));
    }
    complete(&mut trajectory);
    Ok(trajectory)
}

/// Says in each step what a line may leave out because the rest of it says so.
fn complete(log: &mut Trajectory) {
    let tools = (!log.tools.is_empty()).then(|| Toolbox::of_json(&log.tools.as_slice().into()));
    // A line that has results of its own says when each was known.
    let says_results = log.steps.iter().any(|step| !step.calls.is_empty());
    for step in &mut log.steps {
        // Nothing thought is no thought.
        step.thought = step.thought.take().filter(|thought| !thought.is_empty());
        if let Some(call) = step.call.as_ref().filter(|_| step.action.is_empty()) {
            step.action = call.to_string();
        }
        let Some(tools) = &tools else { continue };
        step.call = step.call.take().or_else(|| tools.read(&step.action)?.ok());
        if let (false, Some(result)) = (says_results, returned(step, tools)) {
            step.calls.push(result);
        }
    }
}

/// What was observed after a call of a tool, as what it returned.
fn returned(step: &Step, tools: &Toolbox) -> Option<Call> {
    let (name, arguments) = tools.wire(step.call.as_ref()?)?;
    Some(tools.result(&name, &arguments, step.observation.as_deref()?, step.refused))
}

/// Reads a reason in the place of `refused`: true; it is part of what was observed.
fn reasons(line: &mut serde_json::Value) {
    let steps = line.get_mut("steps").and_then(serde_json::Value::as_array_mut).into_iter().flatten();
    for step in steps.filter_map(serde_json::Value::as_object_mut) {
        let Some(serde_json::Value::String(reason)) = step.get("refused").cloned() else { continue };
        let observed = step.get("observation").and_then(serde_json::Value::as_str).unwrap_or_default();
        if !observed.contains(&reason) {
            let observed = record::joined(observed, &reason).into_owned();
            step.insert("observation".to_owned(), observed.into());
        }
        step.insert("refused".to_owned(), true.into());
    }
}

/// The first step, from 0, that says nothing of what was done.
fn without_action(value: &serde_json::Value) -> Option<usize> {
    let said = |step: &serde_json::Value| {
        ["action", "command", "call", "action_call"].iter().any(|key| step.get(key).is_some())
    };
    value.get("steps")?.as_array()?.iter().position(|step| step.is_object() && !said(step))
}

/// A published session that lists its actions and no observations, as steps.
fn actions_alone(mut value: serde_json::Value) -> serde_json::Value {
    let Some(line) = value.as_object_mut().filter(|line| !line.contains_key("steps")) else { return value };
    if let Some(serde_json::Value::Array(actions)) = line.get("actions").cloned() {
        let steps = actions.into_iter().map(|action| serde_json::json!({ "action": action })).collect();
        line.insert("steps".to_owned(), serde_json::Value::Array(steps));
        line.remove("actions");
        if let Some(reward) = line.get("reward").and_then(serde_json::Value::as_f64) {
            line.entry("score").or_insert(reward.into());
            line.entry("success").or_insert((reward >= 1.0).into());
        }
    }
    value
}

/// The fields of our own lines that are not read but known.
const KNOWN: [&str; 9] =
    ["answer", "closing_thought", "said_before", "pages", "reward", "note", "refused", "over", "remarks"];

/// The logs of a file in any of the formats that are read, known by their content. Ids that come twice are told apart by a number. Of
/// many faults the first are told, and how many more there are.
pub fn read_any(bytes: &[u8], name: &str) -> Logs {
    let mut read = Logs::default();
    let (mut own, mut replaced) = (false, None);
    let lines: Vec<Result<Trajectory, LogError>> = if bytes.starts_with(b"PK") {
        foreign(&mut read, foreign::read_zip(bytes))
    } else {
        let text = String::from_utf8_lossy(bytes.strip_prefix(b"\xef\xbb\xbf").unwrap_or(bytes));
        replaced = matches!(text, Cow::Owned(_)).then(|| no_text(bytes)).flatten();
        let is_json = |sign: char| text.trim_start().starts_with(sign);
        let theirs = (is_json('{') || is_json('[')).then(|| foreign::read_text(&text, read_line)).flatten();
        match theirs {
            Some(theirs) => foreign(&mut read, theirs),
            None if is_json('{') => {
                own = true;
                each(&text).collect()
            }
            None => log::read_all(&text),
        }
    };
    let (mut untold, mut last) = (0usize, 0);
    let mut seen: std::collections::BTreeMap<String, usize> = std::collections::BTreeMap::new();
    let many = lines.iter().filter(|line| line.is_ok()).count() > 1;
    for line in lines {
        match line {
            Err(error) if read.wrong.len() < MOST_TOLD => read.wrong.push(error),
            Err(error) => (untold, last) = (untold + 1, error.line),
            Ok(mut log) => {
                if log.id.is_empty() {
                    log.id = if many { format!("{name}#{}", read.all.len() + 1) } else { name.to_owned() };
                }
                let times = seen.entry(log.id.clone()).or_default();
                *times += 1;
                if *times > 1 {
                    log.id = format!("{} ({times})", log.id);
                }
                read.all.push(log);
            }
        }
    }
    if untold > 0 {
        let message = format!("the last of {untold} more that cannot be read");
        read.wrong.push(LogError { line: last, message });
    }
    if read.all.is_empty() && read.wrong.is_empty() {
        if read.format.is_empty() {
            let message = "the file is empty; a trajectory a line is expected".to_owned();
            read.wrong.push(LogError { line: 1, message });
        } else {
            read.notes.insert(0, "the log holds no episode".to_owned());
            read.notes = vec![read.notes.join("; ")];
        }
    }
    if own {
        read.notes.extend(own_notes(&read.all));
    }
    read.notes.extend(replaced);
    read
}

/// Where bytes stand that are no text, and were read as the character for what is none; `None` where all is text.
fn no_text(bytes: &[u8]) -> Option<String> {
    let mut places = bytes.utf8_chunks().filter(|chunk| !chunk.invalid().is_empty());
    let line = places.next()?.valid().matches('\n').count() + 1;
    let what = "bytes that are no UTF-8 were read as \u{FFFD}";
    Some(match places.count() {
        0 => format!("line {line}: {what}"),
        more => format!("line {line}: {what}; {more} more times in the file"),
    })
}

/// What our own lines hold that nobody reads, and leave out that checks need; once a file.
fn own_notes(all: &[Trajectory]) -> Vec<String> {
    let names = all.iter().flat_map(|log| log.rest.keys()).filter(|name| !KNOWN.contains(&name.as_str()));
    let unknown: std::collections::BTreeSet<String> = names.map(|name| format!("`{name}`")).collect();
    let unknown: Vec<String> = unknown.into_iter().collect();
    let silent = all.iter().filter(|log| log.initial_observation.is_none()).count();
    let mut notes = Vec::new();
    if !unknown.is_empty() {
        notes.push(format!("fields that are not known here and were not read: {}", unknown.join(", ")));
    }
    if silent > 0 {
        notes.push(format!(
            "{silent} of {} logs do not say what was seen before the first action (`initial_observation`): what fails there is not known",
            all.len()
        ));
    }
    notes
}

fn foreign(read: &mut Logs, mut theirs: foreign::Read) -> Vec<Result<Trajectory, LogError>> {
    (read.format, read.notes) = (theirs.format, theirs.notes());
    theirs.logs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bad_line_is_named_and_takes_nothing_from_the_others() {
        let good = r#"{"id":"a","steps":[{"action":"look"}],"note":"n"}"#;
        let read = read(&format!("{good}\n{good}{good}\n{{\"id\":1}}\n\n{{\"id\":\"b\",\"steps\":[]}}\n{{"));
        let errors: Vec<String> = read.iter().filter_map(|line| line.as_ref().err()).map(ToString::to_string).collect();
        assert_eq!(read.iter().filter(|line| line.is_ok()).count(), 1);
        assert!(errors[0].starts_with("line 2: something follows"), "{errors:?}");
        assert!(
            errors[1].starts_with("line 3: ") && errors[2].starts_with("line 5: ") && errors[3].starts_with("line 6: ")
        );
        let first = read[0].as_ref().unwrap();
        assert_eq!(first.unobserved(), 1);
        assert_eq!(first.rest["note"], "n");
    }

    #[test]
    fn a_step_that_does_not_say_what_was_done_is_refused() {
        let line = |step: &str| read_line(&format!(r#"{{"id":"e","steps":[{{"action":"look"}},{step}]}}"#));
        let why = line(r#"{"observation":"no action"}"#).unwrap_err();
        assert!(why.contains("step 2 has no `action`"), "{why}");
        for step in [r#"{"command":"look"}"#, r#"{"action":""}"#, r#"{"call":{"receiver":"agent","name":"go"}}"#] {
            if let Err(why) = line(step) {
                assert!(!why.contains("has no `action`"), "{why}");
            }
        }
    }

    /// Of calls of tools what was observed is what they returned, as in logs of other programs; a line may say so itself.
    #[test]
    fn a_line_need_not_say_twice_what_was_called_and_returned() {
        let tool = r#"{"name":"get","parameters":{"type":"object","properties":{"id":{}},"required":["id"]}}"#;
        let line = |steps: &str| {
            read_line(&format!(r#"{{"id":"e","tools":[{tool}],"steps":[{steps}]}}"#)).map(|log| log.steps).unwrap()
        };
        let said = |steps: &[Step]| -> Vec<Vec<String>> {
            steps.iter().map(|step| step.all_calls().map(ToString::to_string).collect()).collect()
        };
        let (call, result) = ("tools.get(id='x')", "results.returned('get', 'x', 'open')");
        for done in [r#""call":"tools.get(id='x')""#, r#""action":"tools.get(id='x')""#] {
            let steps = line(&format!(r#"{{{done},"observation":"open"}},{{{done}}}"#));
            assert_eq!((steps[0].action.as_str(), steps[1].action.as_str()), (call, call));
            assert_eq!(said(&steps), [vec![call, result], vec![call]]);
        }
        let refused =
            line(r#"{"call":"tools.get(id='x')","refused":"no such thing"},{"action":"wait","observation":"-"}"#);
        assert_eq!(said(&refused), [vec![call, "results.failed('get', 'x', 'no such thing')"], vec![]]);
        // Two calls at once, whose results the line has with the last.
        let one = r#"{"call":"tools.get(id='x')","observation":"open""#;
        let both = line(&format!(r#"{one}}},{one},"calls":["{result}","{result}"]}}"#));
        assert_eq!(said(&both), [vec![call], vec![call, result, result]]);
    }

    #[test]
    fn a_reason_of_a_refusal_is_what_was_observed_where_nothing_else_says_it() {
        for (step, observed) in [
            (r#""refused":"it is locked""#, "it is locked"),
            (r#""refused":"it is locked","observation":"Error: it is locked""#, "Error: it is locked"),
            (r#""refused":"it is locked","observation":"Hm.""#, "Hm.\n\nit is locked"),
            (r#""refused":true,"observation":"Hm.""#, "Hm."),
        ] {
            let log = read_line(&format!(r#"{{"id":"e","steps":[{{"action":"open",{step}}}]}}"#)).unwrap();
            assert_eq!((log.steps[0].refused, log.steps[0].observed()), (true, observed), "{step}");
        }
    }

    /// What cannot be read of a file is no episode of it.
    #[test]
    fn episodes_without_ids_are_numbered_among_those_that_are_read() {
        let bad = r#"{"role":"assistant","tool_calls":[{"id":"c","function":{"name":"f","arguments":"{no"}}]}"#;
        let chat = format!(r#"{{"messages":[{{"role":"user","content":"go"}},{bad}]}}"#);
        let ids = |text: &str| read_any(text.as_bytes(), "f").all.into_iter().map(|log| log.id).collect::<Vec<_>>();
        assert_eq!(ids(&chat), ["f"]);
        assert_eq!(ids(&format!("{chat}\n{chat}\n{{\n{chat}")), ["f#1", "f#2", "f#3"]);
        let run = "-----\n> think: hm\n-----\n> look\nA room.\n";
        assert_eq!((ids(run), ids(&run.repeat(2))), (vec!["f".to_owned()], vec!["f#1".to_owned(), "f#2".to_owned()]));
    }

    #[test]
    fn files_of_any_layout_are_read() {
        let actions = r#"{"id":"a","actions":["search[x]","click[Buy Now]"],"reward":1.0,"pages":[]}"#;
        let read = read_any(format!("{actions}\n{actions}\nnothing\n").as_bytes(), "f");
        assert_eq!((read.all.len(), read.wrong.len(), read.all[0].unobserved()), (2, 1, 2));
        assert_eq!((read.all[1].id.as_str(), read.wrong[0].line, read.all[0].success), ("a (2)", 3, Some(true)));
        assert!(read.notes[0].starts_with("2 of 2 logs do not say"), "{:?}", read.notes);
        let read = read_any(b"You are in a room.\n> look\nA room.\n", "f");
        assert_eq!((read.all[0].id.as_str(), read.wrong.len(), read.all[0].success), ("f", 0, None));
        assert_eq!(read_any(b"", "f").wrong[0].line, 1);
        let read = read_any(br#"{"id":"a","steps":[{"action":"look"}],"mood":"calm","initial_observation":"x"}"#, "f");
        assert_eq!(read.notes, ["fields that are not known here and were not read: `mood`"]);
        let read = read_any(b"You are in a room.\n> look\nA r\xffm, a d\xfe\xfer.\n", "f");
        assert_eq!(read.notes, ["line 3: bytes that are no UTF-8 were read as \u{FFFD}; 2 more times in the file"]);
    }
}
