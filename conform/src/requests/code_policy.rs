//! Recordings of policies of code: AdaPlanner, and Demo2Code's stages.
//!
//! Demo2Code's recordings are of worlds that the product does not have, so that they bind its stages, their order, roles and parameters:
//! they are played in the household with the recorded demonstrations, and all messages but the last of each call are the recorded ones.

use std::sync::Arc;

use serde_json::Value;
use stepwright_episode::{ArtifactId, Session};
use stepwright_launch::NewSession;
use stepwright_trajectory::Step;
use stepwright_world::ProgramHeader;
use stepwright_world::demonstration::Demonstration;

use super::folder::{Case, Exception, Folder, Opening, texts};
use super::recording::{Recorded, Recording, Repeats};
use crate::{Found, field};

pub(super) const FOLDERS: &[Folder] = &[
    Folder { name: "adaplanner_alfworld", session: adaplanner, answers: texts, ended: acted, repeats: UNAVAILABLE },
    Folder { name: "demo2code", session: demo2code, answers: texts, ended: written, repeats: WHATEVER },
];

/// AdaPlanner asks again where the service is at fault; the fourth time of such errors in a row, which is a text to it, is not played.
const UNAVAILABLE: Repeats = &[("RateLimitError", 0), ("APIError", 0)];
/// Demo2Code asks again whatever was raised; a request that was refused, for less.
const WHATEVER: Repeats = &[("BadRequestError", 25), ("", 0)];

/// Actions that ALFWorld's games take.
const STEPS: u64 = 50;

pub(super) const EXCEPTIONS: &[Exception] = &[
    Exception {
        id: "python's own words",
        excuses: |case| {
            let same = |of: (String, String)| match is(case, &["fix"]) {
                true => is_same_error(&of),
                false => is(case, &["start_from"]) && without_objects(&of.0) == without_objects(&of.1),
            };
            case.field == "prompt" && case.whole().is_some_and(same)
        },
        reason: "what is no program or no literal has the words of this program's parser; neither the lines of code that led to an error, the \
                 errors before it nor addresses of objects are the original's, whose Python 3.9 has other words for some errors than 3.11",
    },
    Exception {
        id: "a correction that is not run",
        excuses: |case| {
            case.field == "call" && is(case, &["fix", "start_from"]) && !is_over(case) && is_last_pair(case)
        },
        reason: "after the sixth program the original still asks for a correction and where it begins, and uses neither",
    },
    Exception {
        id: "after the goal",
        excuses: |case| case.field == BEYOND || (case.field == "call" && is(case, &["ask"]) && is_of_last_run(case)),
        reason: "an episode that is won is over; the original's program runs to its end, acts and asks",
    },
    Exception {
        id: "after the fiftieth action",
        excuses: |case| is_over(case) && ["call", "actions"].contains(&case.field),
        reason: "an episode that is over asks nothing more; the original's goes on with the last observation again and again",
    },
    Exception {
        id: "the word behind a fence",
        excuses: |case| case.field == "code" && case.expected.contains("python\\n"),
        reason: "the name of the language is no part of a program",
    },
];

/// The field of actions that the original's program goes on with in an episode that is won.
const BEYOND: &str = "actions after the goal";

/// Words of Python 3.9, which the recordings have, and how later ones begin in their place.
const CHANGED: [(&str, &str); 7] = [
    ("string indices must be integers", "string indices must be integers, not '"),
    ("format: a number is required", "format: a real number is required"),
    (" or a number, not '", " or a real number, not '"),
    ("integer division or modulo by zero", "division by zero"),
    ("float division by zero", "division by zero"),
    ("expected string or bytes-like object", "expected string or bytes-like object, got '"),
    (
        "isinstance() arg 2 must be a type or tuple of types",
        "isinstance() arg 2 must be a type, a tuple of types, or a union",
    ),
];

/// Before the errors that came of the first ones, which a traceback shows first.
const TRACEBACK: &str = "Traceback (most recent call last):\n";

/// Before the error message in a prompt for a correction.
const MESSAGE: &str = "error message:\n";

/// A prompt for a correction: before its error message, the message, behind it.
fn parted(prompt: &str) -> Option<[&str; 3]> {
    let at = prompt.rfind(MESSAGE)? + MESSAGE.len();
    let (before, rest) = prompt.split_at(at);
    let (message, behind) = rest.rsplit_once("\n\n")?;
    Some([before, message, behind])
}

/// Whether two prompts differ in their error messages alone, and these in how Python leads up to an error or words it.
fn is_same_error((expected, sent): &(String, String)) -> bool {
    let (Some([before, expected, behind]), Some([own_before, own, own_behind])) = (parted(expected), parted(sent))
    else {
        return false;
    };
    // The lines of a traceback begin with two blanks.
    let expected = expected.rsplit_once(TRACEBACK).map_or(expected, |(_, last)| last);
    let expected: Vec<&str> = expected.lines().skip_while(|line| line.starts_with("  ")).collect();
    let expected = expected.join("\n");
    let of = |kinds: &[&str], message: &str| kinds.iter().any(|kind| message.starts_with(kind));
    let syntax = of(&["SyntaxError: ", "IndentationError: ", "TabError: "], &expected);
    let changed = |(old, new): &(&str, &str)| expected.contains(*old) && own.starts_with(&expected.replace(*old, new));
    let same = expected == own.trim_end_matches('\n')
        || CHANGED.iter().any(changed)
        || [&expected, own].iter().all(|message| message.contains(" (<string>, line "))
        || (expected.contains(" (<unknown>, line ") && of(&["invalid syntax: "], own))
        || (syntax && of(&["SyntaxError: invalid syntax: "], own))
        || [&expected, own].iter().all(|message| of(&["ValueError: malformed node or string: "], message));
    (before, behind) == (own_before, own_behind) && same
}

/// A text without what a header has for variables that are no values.
fn without_objects(text: &str) -> String {
    let mut parts = text.split("=<");
    let mut left = parts.next().unwrap_or_default().to_owned();
    for part in parts {
        let end = [">,", ">)"].iter().filter_map(|end| part.find(end)).min();
        left.push_str("=<");
        left.push_str(end.map_or(part, |end| part.get(end..).unwrap_or_default()));
    }
    left
}

fn is(case: &Case<'_>, purposes: &[&str]) -> bool {
    case.recorded().is_some_and(|call| purposes.contains(&call.purpose.as_str()))
}

/// Whether the original's world had taken all its actions, at the call or in the episode's end.
fn is_over(case: &Case<'_>) -> bool {
    match case.recorded() {
        Some(call) => call.rest.get("steps_before").and_then(Value::as_u64).is_some_and(|steps| steps >= STEPS),
        None => {
            case.episode.rest.get("actions").and_then(Value::as_array).is_some_and(|acts| acts.len() as u64 > STEPS)
        }
    }
}

/// Whether a call is of the run that reached the goal: nothing was corrected after it.
fn is_of_last_run(case: &Case<'_>) -> bool {
    let after = case.call.and_then(|call| case.episode.calls.get(call..)).unwrap_or_default();
    case.episode.outcome["success"] == true && case.asked.is_none() && after.iter().all(|call| call.purpose == "ask")
}

fn is_last_pair(case: &Case<'_>) -> bool {
    case.call.is_some_and(|call| call + 2 >= case.episode.calls.len())
}

fn adaplanner(recording: &Recording<'_>) -> Result<Opening, String> {
    let chat = recording.task("gpt_model")? == "gpt-3.5";
    let (settings, prefix) = if chat { ("adaplanner", "prompt") } else { ("adaplanner-gpt-3", "prompt_GPT3") };
    let example = recording.literal(&format!("{prefix}_example_{}", recording.task("kind")?))?;
    let words = Words::of(recording)?;
    let slots = format!(
        "{{% set example = {example} %}}{{% set task = \"Your task is to: \" ~ task %}}{{% set error_msg = error_msg if error_msg else {} \
         %}}{}",
        Value::from(words.finished.as_str()),
        words.reported("error_msg")
    );
    let started = words.reported("previous_solution") + &words.reported("revised_solution");
    let parts = [
        ("plan", slots.as_str(), "plan"),
        ("fix", &slots, "fix"),
        ("check", "", "check"),
        ("start", &started, "start_from"),
    ];
    let template = |(name, slots, file): &(&str, &str, &str)| {
        Ok((format!("adaplanner/{name}"), recording.template(&format!("{prefix}_{file}.jinja"), slots)?))
    };
    let mut templates = parts.iter().map(template).collect::<Result<Vec<_>, String>>()?;
    // A question has no template of its own in the original.
    let question = format!("{{{{ role(\"text\") }}}}\n{}{{{{ question }}}}\n", words.reported("question"));
    templates.push(("code/ask".to_owned(), question));
    let options = [("edition", recording.task("edition")?), ("settings", settings)];
    let new = NewSession {
        world: "household".to_owned(),
        data: Some(recording.data.join("alfworld/games.jsonl")),
        task: recording.task("id")?.to_owned(),
        options: options.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())).collect(),
        method: "adaplanner".to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    Ok(Opening { new, templates, actions: 50, adapt: None })
}

/// Words of the original's own that its recorded prompts hold: no part of its templates.
#[derive(Default)]
struct Words {
    /// What comes before the last acts.
    acts: String,
    /// What a program is told that came to its end.
    finished: String,
}

impl Words {
    fn of(recording: &Recording<'_>) -> Result<Self, String> {
        let mut words = Words::default();
        for call in &recording.episode.calls {
            let text = match (&call.prompt, call.messages.first()) {
                (Some(prompt), _) => prompt.whole(recording.folder)?,
                (None, Some(message)) => message.content.whole(recording.folder)?,
                (None, None) => continue,
            };
            let is_fix = call.purpose == "fix";
            let told = if is_fix { parted(&text).map_or("", |[_, told, _]| told) } else { text.as_str() };
            if let Some(opening) = opening(told) {
                words.acts = opening.to_owned();
            } else if is_fix && told.ends_with('.') && !told.contains(['\n', ':']) {
                words.finished = told.to_owned();
            }
        }
        Ok(words)
    }

    /// What sets a slot to its text with what the household's agent reports in the words that the recorded one has: as it is, and as Python
    /// shows it within a list.
    fn reported(&self, slot: &str) -> String {
        let mut words = vec![("Done last:".to_owned(), self.acts.clone())];
        for (own, recorded) in [("Action: ", "Act: "), ("Seen: ", "Obs: "), ("Now at ", "I am at ")] {
            words.extend(["\n", "\\n"].map(|line| (format!("{line}{own}"), format!("{line}{recorded}"))));
        }
        words.push(("; in hand: ".to_owned(), " and holding ".to_owned()));
        let replaced = |(own, recorded): &(String, String)| {
            format!(" | replace({}, {})", Value::from(own.as_str()), Value::from(recorded.as_str()))
        };
        format!("{{% set {slot} = {slot}{} %}}", words.iter().map(replaced).collect::<String>())
    }
}

/// Characters of what the recorded agent's report opens with.
const OPENING: usize = 46;

/// What a report opens with, in a text that holds one: what stands before its first act, whatever comes before that.
fn opening(told: &str) -> Option<&str> {
    let (before, _) = ["\nAct: ", "\\nAct: "].iter().find_map(|act| told.split_once(*act))?;
    let (at, _) = before.char_indices().rev().nth(OPENING - 1)?;
    before.get(at..).filter(|opening| opening.ends_with(':'))
}

/// The actions done, and whether the goal was reached.
fn acted(episode: &Recorded, session: &Session) -> Vec<Found> {
    let path = session.path(session.cursor());
    let won = path.last().is_some_and(|node| node.outcome.won);
    let done: Vec<Value> =
        path.iter().filter_map(|node| Some(Value::from(node.action.as_ref()?.text.clone()))).collect();
    let recorded = episode.rest.get("actions").and_then(Value::as_array).cloned().unwrap_or_default();
    let name = if won && recorded.starts_with(&done) { BEYOND } else { "actions" };
    let shown = |actions: &[Value]| format!("{}: {:.200}", actions.len(), Value::from(actions.to_vec()));
    vec![
        field("success", &episode.outcome["success"].as_bool(), &Some(won)),
        (recorded != done).then(|| (name, shown(&recorded), shown(&done))),
    ]
}

fn demo2code(recording: &Recording<'_>) -> Result<Opening, String> {
    let (given, scenarios) = scenarios(recording.task("demonstration")?);
    let of = |purpose: &str, slots: &str, file: &str| -> Result<(String, String), String> {
        let call = recording.episode.calls.iter().find(|call| call.purpose == purpose);
        let messages = call.map_or(&[][..], |call| &call.messages);
        let mut template = String::new();
        for message in messages.iter().take(messages.len().saturating_sub(1)) {
            let text = Value::from(message.content.whole(recording.folder)?);
            template.push_str(&format!("{{{{ role(\"{}\") }}}}\n{{{{ {text} }}}}\n", message.role));
        }
        // The last one by the recorded template of its stage.
        let last = recording.template(file, slots)?.replacen("role(\"text\")", "role(\"user\")", 1);
        template.push_str(&last);
        Ok((format!("demo2code/{purpose}"), template))
    };
    let record = "{% set demonstration = \"[[Input Trajectory:]]\\n\" ~ demonstration %}";
    let environment = format!("{{% set environment = {} %}}", Value::from(given));
    let templates = vec![
        of("summarize", record, "summarize_user.jinja")?,
        of("specify", "", "specify_user.jinja")?,
        of("code", &environment, "code_user.jinja")?,
    ];
    let new = NewSession {
        world: "household".to_owned(),
        data: Some(recording.data.join("alfworld/games.jsonl")),
        options: [("settings".to_owned(), "demo2code".to_owned())].into(),
        method: "demo2code".to_owned(),
        model: "recorded".to_owned(),
        ..NewSession::default()
    };
    let adapt = move |setup: &mut stepwright_driver::Setup| setup.knowledge.demonstrations = Arc::new(scenarios);
    Ok(Opening { new, templates, actions: 1, adapt: Some(Box::new(adapt)) })
}

/// The mark before a demonstration's first state.
const STATES: &str = "State 2:";

/// What a recorded demonstration gives before its docstring, and its scenarios: a goal, then states. Where the mark before the states is
/// missing the goal holds all of it.
fn scenarios(text: &str) -> (String, Vec<Demonstration>) {
    let (given, rest) = text.split_once("\"\"\"").unwrap_or(("", text));
    let scenario = |part: &str| {
        let (goal, states) = part.split_once(STATES).unwrap_or((part, ""));
        let goal = goal.split_once("]\n").map_or("", |(_, goal)| goal.trim_matches('\n'));
        let states = format!("{STATES}\n{}", states.trim_matches('\n'));
        Demonstration {
            id: String::new(),
            task_type: String::new(),
            sentence: goal.to_owned(),
            header: ProgramHeader { function: String::new(), comment: String::new(), setup: Vec::new() },
            steps: vec![Step { observation: Some(states), ..Step::default() }],
        }
    };
    (given.to_owned(), rest.replace("\"\"\"", "").split("[Scenario ").skip(1).map(scenario).collect())
}

/// The program.
fn written(episode: &Recorded, session: &Session) -> Vec<Found> {
    let document = session.current().and_then(|node| node.document(&ArtifactId::PLAN));
    let program = document.and_then(|document| document.get("text")).cloned().unwrap_or_default();
    // Of an episode that is lost before there is one nothing is written.
    let text = |of: &Value| of.as_str().unwrap_or_default().to_owned();
    vec![field("code", &text(&episode.outcome["code"]), &text(&program))]
}

#[cfg(test)]
mod tests {
    use super::super::recording::Call;
    use super::*;

    #[test]
    fn an_error_is_excused_for_its_words_alone() {
        let prompt = |message: &str| format!("A task.\n\nAn {MESSAGE}{message}\n\nThink.\n");
        let same = |expected: &str, own: &str| is_same_error(&(prompt(expected), prompt(own)));
        let trace = "  File \"PYTHON/ast.py\", line 62, in literal_eval\n    parse(x)\n";
        assert!(same(&format!("{trace}SyntaxError: invalid syntax\n"), "SyntaxError: invalid syntax: \"x y\"\n"));
        assert!(same(
            &format!("{trace}ValueError: malformed node or string: <ast.Name object at 0x7f>\n"),
            "ValueError: malformed node or string: \"x\"\n"
        ));
        assert!(same("  File \"<string>\", line 5, in f\nIndexError: why\n", "IndexError: why\n"));
        assert!(same("invalid syntax (<string>, line 1)", "Expected `,` (<string>, line 1)"));
        assert!(!same("invalid syntax (<string>, line 1)", "name 'x' is not defined"));
        assert!(same("invalid syntax (<unknown>, line 1)", "invalid syntax: \"x y\""), "of a literal in a definition");
        assert!(!same(&format!("{trace}IndexError: why\n"), "IndexError: how\n"));
        let before = format!("\nDuring handling of the above exception, another exception occurred:\n\n{TRACEBACK}");
        assert!(same(&format!("{before}{trace}KeyError: 'k'\n"), "KeyError: 'k'\n"), "the error that it ends with");
        for (old, new) in [
            ("string indices must be integers", "string indices must be integers, not 'str'"),
            ("%d format: a number is required, not str", "%d format: a real number is required, not str"),
            (
                "float() argument must be a string or a number, not 'list'",
                "float() argument must be a string or a real number, not 'list'",
            ),
        ] {
            assert!(same(&format!("TypeError: {old}\n"), &format!("TypeError: {new}\n")), "{old}");
            assert!(!same(&format!("TypeError: {old}\n"), &format!("ValueError: {new}\n")), "{old}");
        }
        assert!(!same(
            &format!("{trace}SyntaxError: invalid syntax\n"),
            "ValueError: malformed node or string: \"x\"\n"
        ));
        assert!(!is_same_error(&(prompt("a"), prompt("a").replace("task", "goal"))), "all else is compared");
    }

    #[test]
    fn variables_that_are_objects_are_not_compared() {
        let (one, other) = ("f(a=1, h=<function f.h at 0x7f>, b=2)", "f(a=1, h=<function 'h' at 0xc>, b=2)");
        assert_eq!(without_objects(one), without_objects(other));
        assert_ne!(without_objects(one), without_objects(&other.replace("b=2", "b=3")));
    }

    #[test]
    fn a_demonstration_is_cut_before_its_second_state() {
        for (states, goal, record) in [
            ("\n\nState 2:\na\n\nState 3:\nb\n", "Stack.", "State 2:\na\n\nState 3:\nb"),
            ("\nState 2:\na\n", "Stack.", "State 2:\na"),
            ("\n\nState 1:\nx\n\nState 2:\na\n", "Stack.\n\nState 1:\nx", "State 2:\na"),
            ("\n\nState 3:\nb\n", "Stack.\n\nState 3:\nb", "State 2:\n"),
        ] {
            let text = format!("objects=[]\n\"\"\"\n[Scenario 1]\n\nStack.{states}\"\"\"");
            let (given, found) = scenarios(&text);
            let of = found.first().map(|found| (found.sentence.as_str(), found.steps[0].observed()));
            assert_eq!((given.as_str(), found.len(), of), ("objects=[]\n", 1, Some((goal, record))));
        }
    }

    #[test]
    fn a_report_opens_behind_what_the_assertion_says() {
        let report = "The acts of the agent that came last were these:";
        let report = report.get(report.len() - OPENING..).unwrap();
        for said in ["E: I cannot take it. ", "E: [Step 1]: ", "no mug in shelf 1 ", "", "{'seen': '"] {
            for act in ["\nAct: a", "\\nAct: a"] {
                assert_eq!(opening(&format!("{said}{report}{act}")), Some(report), "{said}");
            }
        }
        assert_eq!(opening("The plan\nAct: first"), None);
    }

    #[test]
    fn errors_are_asked_again_as_each_program_does() {
        let call = |note: &str| {
            let call = serde_json::json!({ "purpose": "ask", "params": {}, "note": format!("the call raised {note}") });
            serde_json::from_value::<Call>(call).unwrap()
        };
        for (note, ada, demo) in [
            ("RateLimitError('x')", Some(0), Some(0)),
            ("APIError('x')", Some(0), Some(0)),
            ("BadRequestError('x')", None, Some(25)),
            ("Exception('x')", None, Some(0)),
        ] {
            let call = call(note);
            assert_eq!((call.repeated(UNAVAILABLE), call.repeated(WHATEVER)), (ada, demo), "{note}");
        }
    }
}
