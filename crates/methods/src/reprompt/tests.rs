//! The records of a plan as they are read: fates, lines, candidates, and the settings in force.

use stepwright_plan::score::{Candidate, Form};
use stepwright_plan::settings::{Seen, Settings};

use super::options::{self, CUTOFF, OnError, SCORE};
use super::plan_history::{Attempt, PlanHistory, Role};
use super::record::{Before, Offered};
use super::rows::{self, Due};
use serde_json::json;
use stepwright_method::StepStatus;
use stepwright_method::publications::SETTINGS;
use stepwright_world::options::Values;

fn attempt(step: &str, role: Role, error: bool, dropped: bool) -> Attempt {
    let error = error.then(|| "no".to_owned());
    Attempt { step: step.to_owned(), text: String::new(), role, by_person: false, error, dropped }
}

#[test]
fn every_step_has_its_fate() {
    let attempts = vec![
        attempt("Walk to kitchen", Role::Planned, false, false),
        attempt("Grab milk", Role::Planned, true, false),
        attempt("Walk to fridge", Role::Correction, true, false),
        attempt("Stand up", Role::Correction, false, false),
        attempt("Open wall", Role::Planned, true, true),
        attempt("Drink milk", Role::Planned, true, false),
    ];
    let mut course = PlanHistory::new(OnError::Reprompt, true);
    course.attempts = attempts;
    let fates: Vec<StepStatus> = (0..6).map(|at| course.fate(at)).collect();
    assert_eq!(
        fates,
        [
            StepStatus::Done,
            StepStatus::Corrected,
            StepStatus::Corrected,
            StepStatus::Done,
            StepStatus::Dropped,
            StepStatus::Refused
        ]
    );
    assert_eq!(course.steps(false), ["Walk to kitchen", "Stand up"]);
    assert_eq!(course.steps(true).len(), 6);
    assert!(course.failed());
    assert_eq!(course.in_vain(), 0);
}

#[test]
fn a_correction_comes_before_the_plan_goes_on() {
    let mut course = PlanHistory::new(OnError::Reprompt, true);
    course.attempts = vec![attempt("Grab milk", Role::Planned, true, false)];
    let left = ["Grab milk".to_owned(), "Drink milk".to_owned()];
    let shown = |due: Due| {
        let (at, lines) = rows::lines(&course, &left, due);
        let lines: Vec<(String, StepStatus)> = lines.into_iter().map(|line| (line.text, line.mark)).collect();
        (at, lines)
    };
    let line = |text: &str, mark| (text.to_owned(), mark);
    let refused = line("Grab milk (no)", StepStatus::Refused);
    let (grab, drink) = (line("Grab milk", StepStatus::Open), line("Drink milk", StepStatus::Open));
    let correction = line("correction: Walk to fridge", StepStatus::Next);
    let offered = shown(Due::Correction(Some("Walk to fridge".to_owned())));
    assert_eq!(offered, (1, vec![refused.clone(), correction, grab.clone(), drink.clone()]));
    // While nobody knows what corrects it, no line is next.
    assert_eq!(shown(Due::Correction(None)), (1, vec![refused.clone(), grab, drink.clone()]));
    assert_eq!(shown(Due::Line), (1, vec![refused, line("Grab milk", StepStatus::Next), drink]));
}

#[test]
fn published_settings_are_presets_and_can_be_changed_one_by_one() {
    let of = |on_error, pairs: &[(&stepwright_world::options::OptionSpec, &str)]| {
        let values = pairs.iter().fold(Values::default(), |values, (spec, value)| values.with(spec, value));
        options::settings(on_error, &values)
    };
    assert_eq!(of(OnError::GoOn, &[]), Settings::NOTEBOOK);
    let other = of(OnError::Reprompt, &[(&SETTINGS, "zero-shot"), (&CUTOFF, "0.5")]);
    assert_eq!(other, Settings { cutoff: Some(0.5), ..Settings::NOTEBOOK });
    assert_eq!(of(OnError::Reprompt, &[(&SETTINGS, "corrective-2024")]), Settings::CORRECTIVE_2024);
    // A cut-off published for the weighted score is none for the other; Raman et al. had one for both.
    let geometric = of(OnError::GoOn, &[(&SCORE, "geometric")]);
    assert_eq!((geometric.form, geometric.cutoff), (Form::Geometric, None));
    assert_eq!(of(OnError::Reprompt, &[(&SCORE, "geometric")]), Settings::GEOMETRIC_2022);
    // Marks are taken out, and the last revisions score geometrically, in re-prompting alone; sampled again is until no sample counts.
    let again = of(OnError::Resample, &[(&SETTINGS, "corrective-2024")]);
    assert_eq!((again.form, again.plain, again.finished, again.cutoff), (Form::Weighted, false, 1.0, Some(0.45)));
    let open = of(OnError::GoOn, &[(&SETTINGS, "corrective-2024")]);
    assert_eq!((open.seen, open.plain, open.finished), (Seen::Tried, false, 0.5));
}

#[test]
fn the_first_step_that_corrected_one_is_known() {
    let mut course = PlanHistory::new(OnError::Reprompt, true);
    course.attempts = vec![attempt("Grab milk", Role::Planned, true, false)];
    assert!(!course.begins_with_correction());
    course.attempts.push(attempt("Walk to fridge", Role::Correction, true, false));
    assert!(course.begins_with_correction(), "a correction that failed stands in the prompt");
    course.attempts.push(attempt("Walk to milk", Role::Correction, false, false));
    course.attempts.push(attempt("Grab milk", Role::Planned, false, false));
    assert!(course.begins_with_correction());
    course.attempts.remove(0);
    course.attempts.insert(0, attempt("Stand up", Role::Planned, false, false));
    assert!(!course.begins_with_correction());
}

#[test]
fn candidates_are_read_as_they_are_recorded() {
    let candidate = Candidate {
        sentence: "go to the tv".into(),
        step: "walk to television".into(),
        similarity: 0.75,
        logprob: Some(-0.5),
        score: 0.6,
        penalty: 0.0,
        replaced: false,
    };
    let offered = Offered { candidate, before: Before::Dropped, why: None };
    let text = serde_json::to_string(&offered).unwrap();
    assert_eq!(serde_json::from_str::<Offered>(&text).unwrap(), offered);
    let short = r#"{"sentence":"a","step":"b","similarity":1.0,"score":1.0}"#;
    assert_eq!(serde_json::from_str::<Offered>(short).unwrap().before, Before::Stays);
}

/// The published structure: example, empty line, task, steps; then the number of the step, a line that the model numbers, or the failed step
/// with the error line, whose last sentence it completes, and no example.
#[test]
fn our_own_prompts_have_the_published_parts_in_their_order() {
    let prompts = stepwright_model::prompt::Prompts::default();
    let text = |name: &str, example: &str, steps: &[&str], numbers: bool, failed: bool| {
        let failed = failed.then(|| json!({ "step": "Grab milk", "error": "Error: E. A correct step would be to" }));
        let slots = json!({
            "example": example, "task": "Drink", "steps": steps, "number": steps.len() + 1, "failed": failed,
            "numbers": numbers, "unlabelled": false,
        });
        let messages = prompts.render(name, &slots).unwrap().messages;
        messages.last().map(|message| message.text.clone()).unwrap()
    };
    let example = "Task: Eat\nStep 1: Walk to kitchen";
    let head = format!("{example}\n\nTask: Drink\n");
    let raw = |steps: &[&str], numbers, failed| {
        text("reprompt/plan", if failed { "" } else { example }, steps, numbers, failed)
    };
    assert_eq!(raw(&[], false, false), format!("{head}Step 1:"));
    assert_eq!(raw(&["Walk to hall"], false, false), format!("{head}Step 1: Walk to hall\nStep 2:"));
    assert_eq!(raw(&["Walk to hall"], true, false), format!("{head}Step 1: Walk to hall\n"));
    let corrective = "Task: Drink\nStep 1: Walk to hall\nStep 2: Grab milk\nError: E. A correct step would be to";
    assert_eq!(raw(&["Walk to hall"], true, true), corrective);
    // A chat model is shown the same, and told its part before.
    assert_eq!(
        text("reprompt/plan_chat", example, &["Walk to hall"], true, false),
        format!("{head}Step 1: Walk to hall\nStep 2:")
    );
    assert_eq!(text("reprompt/plan_chat", "", &["Walk to hall"], true, true), corrective);
}
