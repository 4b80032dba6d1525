//! The records of a plan as they are read: fates, lines, candidates, and the settings in force.

use stepwright_plan::score::{Candidate, Form};
use stepwright_plan::settings::Settings;

use super::OnError;
use super::options::{self, CUTOFF, SCORE};
use super::plan_history::{Attempt, PlanHistory, Role};
use super::record::{Before, Offered};
use crate::StepStatus;
use crate::publications::SETTINGS;
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
    let mut course = PlanHistory::new(OnError::Reprompt);
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
fn both_published_settings_are_presets_and_can_be_changed_one_by_one() {
    let values = |pairs: &[(&stepwright_world::options::OptionSpec, &str)]| {
        pairs.iter().fold(Values::default(), |values, (spec, value)| values.with(spec, value))
    };
    assert_eq!(options::settings(Settings::ZERO_SHOT, &Values::default()), Settings::ZERO_SHOT);
    let other = options::settings(Settings::CORRECTIVE, &values(&[(&SETTINGS, "zero-shot"), (&CUTOFF, "0.5")]));
    assert_eq!(other, Settings { cutoff: Some(0.5), ..Settings::ZERO_SHOT });
    // A cut-off published for the weighted score is none for the other.
    let geometric = options::settings(Settings::ZERO_SHOT, &values(&[(&SCORE, "geometric")]));
    assert_eq!((geometric.form, geometric.cutoff), (Form::Geometric, None));
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
    };
    let offered = Offered { candidate, before: Before::Dropped, why: None };
    let text = serde_json::to_string(&offered).unwrap();
    assert_eq!(serde_json::from_str::<Offered>(&text).unwrap(), offered);
    let short = r#"{"sentence":"a","step":"b","similarity":1.0,"score":1.0}"#;
    assert_eq!(serde_json::from_str::<Offered>(short).unwrap().before, Before::Stays);
}
