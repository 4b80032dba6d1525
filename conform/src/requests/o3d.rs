//! O3D's printed prompts, and prompts derived from them. Its program is not public, so no episode can be played: what the program makes of a
//! history (examples, first observation, what was done before, own lines) is filled into the paper's templates, and the whole is compared.

use std::path::Path;

use serde::Deserialize;
use serde_json::{Value, json};
use stepwright_model::prompt::Prompts;
use stepwright_skill::Example;
use stepwright_skill::hierarchy::{Entry, Line, OK, Style, base_history, read, skill_history, surroundings};
use stepwright_skill::line::Level;
use stepwright_skill::{Knowledge, SkillCall};
use stepwright_study::recordings::jsonl_files;
use stepwright_trajectory::react;

use crate::report::{Row, difference};

/// The folder of the prompts.
pub(super) const NAME: &str = "o3d";

#[derive(Deserialize)]
struct Printed {
    printed: String,
    template: String,
    values: Value,
}

#[derive(Deserialize)]
struct Derived {
    observations: Vec<String>,
    calls: Vec<Called>,
    task: Value,
}

#[derive(Deserialize)]
struct Called {
    policy: String,
    prompt: String,
    answers: Vec<String>,
}

pub(super) fn rows(folder: &Path) -> Vec<Row> {
    let folder = folder.join(NAME);
    let files = jsonl_files(&folder, "printed");
    if files.is_empty() {
        return vec![Row::missing(NAME, "prompts", "no printed*.jsonl in this folder")];
    }
    let mut all: Vec<Printed> = Vec::new();
    let mut row = Row::new("o3d: printed prompts", "prompts");
    files.iter().for_each(|file| row.each_record(file, |_, _, printed: Printed| all.push(printed)));
    for printed in &all {
        let got = reprinted(&folder, printed).unwrap_or_else(|why| why);
        let (expected, got) = match style(&printed.template) {
            Style::Arrow => (printed.printed.trim_end().to_owned(), got.trim_end().to_owned()),
            Style::Action => (without_blanks(&printed.printed), without_blanks(&got)),
        };
        row.count((expected != got).then(|| difference(&printed.template, &expected, &got)));
    }
    row.note = Some(
        "examples read into calls and lines and written again; of the shop's without blank lines and blanks at line ends, which the \
         paper's text has lost"
            .to_owned(),
    );
    vec![row, derived(&folder, &all)]
}

fn style(template: &str) -> Style {
    if template.ends_with("webshop") { Style::Action } else { Style::Arrow }
}

/// A text without blank lines, blanks at line ends, and what leads an observation.
fn without_blanks(text: &str) -> String {
    let lines = text.lines().map(|line| line.strip_prefix("Observation:").unwrap_or(line).trim());
    lines.filter(|line| !line.is_empty()).map(|line| format!("{line}\n")).collect()
}

/// A printed prompt with its examples written by the program.
fn reprinted(folder: &Path, printed: &Printed) -> Result<String, String> {
    let style = style(&printed.template);
    let mut values = printed.values.clone();
    let examples = values["examples"].as_array().into_iter().flatten().filter_map(Value::as_str);
    let written: Vec<String> = examples
        .map(|text| {
            let example = example_of(text, style);
            match example.calls().as_slice() {
                [skill] if printed.template.starts_with("skill") => example.of_skill(skill, style),
                _ => Some(example.of_base(style)),
            }
            .ok_or_else(|| "an example without its call".to_owned())
        })
        .collect::<Result<_, _>>()?;
    if printed.template.starts_with("base") {
        // The template of the base policy holds its examples; they stand between the list of skills and the end.
        let mut text = printed.printed.clone();
        for (printed, own) in
            values["examples"].as_array().into_iter().flatten().filter_map(Value::as_str).zip(&written)
        {
            text = text.replacen(printed, own, 1);
        }
        return Ok(text);
    }
    values["examples"] = json!(written);
    filled(folder, &printed.template, &values)
}

/// A recorded template filled in.
fn filled(folder: &Path, template: &str, values: &Value) -> Result<String, String> {
    let path = folder.join("templates").join(format!("{template}.jinja"));
    let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    let prompts = Prompts::default()
        .with_templates([(template.to_owned(), format!("{{{{ role(\"text\") }}}}\n{text}{{{{ \"\\n\" }}}}"))]);
    let rendered = prompts.render(template, values).map_err(|e| e.to_string())?;
    rendered.messages.into_iter().next().map(|message| message.text).ok_or_else(|| "an empty prompt".to_owned())
}

fn entry(line: Line, observation: &str) -> Entry {
    Entry { line, observation: observation.to_owned(), refused: false }
}

/// An example as it is printed, read into its lines.
fn example_of(text: &str, style: Style) -> Example {
    let cue = if style == Style::Action { "Action: " } else { "> " };
    let (mut first, mut entries, mut before): (Vec<&str>, Vec<Entry>, bool) = (Vec::new(), Vec::new(), true);
    for line in text.lines() {
        if let Some(written) = line.strip_prefix(cue) {
            before = false;
            entries.push(entry(line_of(written), ""));
        } else if let Some(call) = line.strip_prefix("Your task is: ").and_then(|call| call.parse::<SkillCall>().ok()) {
            entries.push(entry(Line::Call(call), ""));
        } else if line == "Your historical interactions:" {
            before = false;
        } else if line == "Subprocedure finished." {
            entries.push(entry(Line::Report(String::new()), ""));
        } else if let Some(message) = line.strip_prefix("Subprocedure Done[") {
            // The page that the call led to follows; the report comes behind it.
            entries.push(entry(Line::Act(String::new()), ""));
            entries.push(entry(Line::Report(message.trim_end_matches(']').to_owned()), ""));
        } else if before {
            first.push(line);
        } else if line != "Current Page:" {
            let seen = line.strip_prefix("Observation: ").unwrap_or(line);
            let seen = if style == Style::Action && seen == "Observation:" { "" } else { seen };
            let last = entries.iter_mut().rev().find(|entry| !matches!(entry.line, Line::Report(_)));
            if let Some(last) = last.filter(|last| !matches!(last.line, Line::Call(_))) {
                let end = if last.observation.is_empty() { "" } else { "\n" };
                last.observation.push_str(&format!("{end}{seen}"));
            }
        }
    }
    Example { first: first.join("\n"), entries }
}

/// A line that a policy of either level wrote.
fn line_of(written: &str) -> Line {
    let thought = written.starts_with("think:") || written.starts_with("think[");
    if thought {
        return Line::Thought(react::words_of(written).to_owned());
    }
    let called = written.strip_prefix("call:").unwrap_or(written).trim();
    if let Ok(call) = called.parse::<SkillCall>() {
        return Line::Call(call);
    }
    match read(written, Level::Skill, &Knowledge::default()) {
        Ok(Line::Report(message)) => Line::Report(message),
        _ => Line::Act(written.trim().to_owned()),
    }
}

/// What each policy of an episode is sent: the program's own texts in the paper's templates.
fn derived(folder: &Path, printed: &[Printed]) -> Row {
    let mut row = Row::new("o3d: derived prompts", "prompts");
    let mut compare = |row: &mut Row, at: String, episode: Derived| {
        let topic = episode.task["topic"].as_str().unwrap_or_default().to_owned();
        for (nth, (call, got)) in episode.calls.iter().zip(sent(folder, &topic, &episode, printed)).enumerate() {
            let got = got.unwrap_or_else(|why| why);
            let place = format!("{at}, call {}", nth + 1);
            row.count((call.prompt != got).then(|| difference(place, &call.prompt, &got)));
        }
    };
    jsonl_files(folder, "derived").iter().for_each(|file| row.each_record(file, &mut compare));
    row
}

/// The prompts of an episode. The file has the answers of the policies it was derived for alone: what other skills did is read from its
/// observations, which a site's base policy is shown as pages, and their actions from the history that a skill's prompt holds.
fn sent(folder: &Path, topic: &str, episode: &Derived, printed: &[Printed]) -> Vec<Result<String, String>> {
    let style = style(topic);
    let first = react::first(episode.observations.first().map_or("", String::as_str));
    let mut seen = episode.observations.iter().skip(1).map(|text| react::seen(text));
    let told = episode.calls.iter().map(|call| &call.policy).collect::<Vec<_>>();
    let history = episode.calls.iter().find(|call| call.policy != "base").map(|call| call.prompt.as_str());
    let mut actions = history.map(|prompt| actions_of(prompt, style)).unwrap_or_default().into_iter();
    let mut entries: Vec<Entry> = Vec::new();
    let mut prompts = Vec::new();
    for (at, call) in episode.calls.iter().enumerate() {
        let is_base = call.policy == "base";
        if !is_base && actions.len() > 0 {
            // All that was done before the first call of a skill whose prompts are known: inside the calls before.
            let before: Vec<Entry> =
                actions.by_ref().map(|action| entry(Line::Act(action), seen.next().unwrap_or_default())).collect();
            let place = entries.iter().rposition(|entry| matches!(entry.line, Line::Report(_))).unwrap_or_default();
            if style == Style::Arrow {
                entries.splice(place..place, before).for_each(drop);
            }
        }
        prompts.push(prompt(folder, topic, &first, &entries, is_base, printed));
        let answer = call.answers.first().map_or("", |answer| answer.trim());
        let line = line_of(answer);
        let observation = match &line {
            Line::Thought(_) => OK,
            Line::Act(_) => seen.next().unwrap_or_default(),
            _ => "",
        };
        let called = matches!(line, Line::Call(_)).then(|| line.clone());
        entries.push(entry(line, observation));
        // A call whose policy is not among the prompts came back.
        if let Some(Line::Call(skill)) = called
            && told.get(at + 1).is_none_or(|next| **next == "base")
        {
            if style == Style::Action {
                let action = actions.next().unwrap_or_default();
                entries.push(entry(Line::Act(action), seen.next().unwrap_or_default()));
            }
            entries.push(entry(Line::Report(message(&skill, printed)), ""));
        }
    }
    prompts
}

/// The message with which the printed examples of a site have a skill come back.
fn message(call: &SkillCall, printed: &[Printed]) -> String {
    let examples =
        printed.iter().flat_map(|printed| printed.values["examples"].as_array()).flatten().filter_map(Value::as_str);
    let mut reports = examples.flat_map(|text| {
        let lines: Vec<Line> = example_of(text, Style::Action).entries.into_iter().map(|entry| entry.line).collect();
        lines
            .iter()
            .enumerate()
            .filter_map(|(at, line)| match (line, lines.get(at + 2)) {
                (Line::Call(own), Some(Line::Report(message))) => Some((own.skill.clone(), message.clone())),
                _ => None,
            })
            .collect::<Vec<_>>()
    });
    reports.find(|(skill, _)| *skill == call.skill).map(|(_, message)| message).unwrap_or_default()
}

/// The actions of the history that a skill's prompt ends with.
fn actions_of(prompt: &str, style: Style) -> Vec<String> {
    let cue = if style == Style::Action { "Action: " } else { "> " };
    let Some((_, history)) = prompt.rsplit_once("Your historical interactions:\n") else { return Vec::new() };
    let history = history.split("Your task is:").next().unwrap_or_default();
    history.lines().filter_map(|line| line.strip_prefix(cue)).map(str::to_owned).collect()
}

fn prompt(
    folder: &Path,
    topic: &str,
    first: &str,
    entries: &[Entry],
    is_base: bool,
    printed: &[Printed],
) -> Result<String, String> {
    let style = style(topic);
    if is_base {
        let values = json!({ "first": first, "so_far": base_history(entries, style, first) });
        return filled(folder, &format!("base_{topic}"), &values);
    }
    let template = format!("skill_{topic}");
    let mut values = printed
        .iter()
        .find(|printed| printed.template == template)
        .map(|printed| printed.values.clone())
        .ok_or("the skill's prompt is not printed")?;
    let (history, so_far) = skill_history(entries, style);
    let call = stepwright_skill::hierarchy::open(entries).map(|(_, call)| call.to_string());
    values["first"] = surroundings(first).into();
    values["history"] = history.into();
    values["so_far"] = so_far.into();
    values["call"] = call.into();
    filled(folder, &template, &values)
}
