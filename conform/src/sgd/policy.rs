//! Compares policy metrics: tp, fp, fn and compatibility of every recorded turn, and what they sum up to.

use serde_json::{Value, json};

use super::difference;
use super::fields::{count_held, held, list, report_unread, texts};
use super::recordings::Recordings;
use crate::{Difference, Row};
use stepwright_method::verify::rules;
use stepwright_program::{Call, Rules, Specification};
use stepwright_study::policy::metrics::{Compatibility, Counts, SystemTurn, compatible};

/// Compares every turn of a file, and its totals.
pub(super) fn compare(recordings: &Recordings, golden: &Value, service: &str, file: &str) -> Result<Row, String> {
    let mut row = Row::new(format!("golden/{file}"), "turns");
    let specification = recordings.specification(service)?;
    let truth = recordings.all_truth(service)?;
    let truth = rules(truth.iter().map(|(action, texts)| (action.as_str(), texts.as_slice())))?;
    let (mut counts, mut compatibility) = (Counts::default(), Compatibility::default());
    for recorded in list(golden, "dialogues") {
        let id = recorded["dialogue"].as_str().unwrap_or_default();
        report_unread(&mut row, &format!("{file}, {id}"), &[], &["dialogue", "turns"], recorded);
        let turns = list(recorded, "turns");
        let Ok(dialogue) = recordings.source().dialogue(id) else {
            row.lacks(turns.len(), || format!("no dialogue {id} of {service} is recorded"));
            continue;
        };
        let own = SystemTurn::of(dialogue, &specification);
        let calls: Vec<Call> = dialogue.calls().cloned().collect();
        for turn in turns {
            let at = format!("{file}, {id}, turn at call {}", turn["call_index"]);
            let found = own.iter().find(|t| Some(t.start as u64) == turn["call_index"].as_u64());
            let compared = found
                .ok_or_else(|| "no turn of the system begins there".to_owned())
                .and_then(|found| Turn::new(&specification, &truth, &calls, found, turn));
            let found = match compared {
                Ok(compared) => {
                    counts.add(compared.counts);
                    compatibility.add(&compared.compatible);
                    let got = compared.fields();
                    held(&mut row, &at, &got, &["call_index", "pred"], turn)
                }
                Err(got) => vec![Difference { at, expected: "a turn of the system".to_owned(), got }],
            };
            row.count(found);
        }
        if own.len() != turns.len() {
            row.differs(difference(format!("{file}, {id}: turns of the system"), turns.len(), own.len()));
        }
    }
    let score = counts.score();
    let totals = [
        ("tp", json!(counts.tp)),
        ("fp", json!(counts.fp)),
        ("fn", json!(counts.r#fn)),
        ("precision", json!(score.precision)),
        ("recall", json!(score.recall)),
        ("f1", json!(score.f1)),
        ("n_predicted", json!(compatibility.predicted)),
        ("n_compatible", json!(compatibility.compatible)),
        ("compatibility", json!(compatibility.share())),
    ];
    count_held(&mut row, file, &totals, &["dialogues"], golden);
    Ok(row)
}

/// One turn as the program counts it.
struct Turn {
    gold: Vec<String>,
    counts: Counts,
    compatible: Vec<bool>,
}

impl Turn {
    fn new(
        specification: &Specification,
        truth: &Rules,
        calls: &[Call],
        turn: &SystemTurn,
        recorded: &Value,
    ) -> Result<Self, String> {
        let predicted = texts(&recorded["pred"]).ok_or("`pred` is no list of texts")?;
        let predicted: Vec<Call> =
            predicted.iter().map(|text| text.parse::<Call>().map_err(|e| e.to_string())).collect::<Result<_, _>>()?;
        let mut state = specification.start().map_err(|fault| fault.to_string())?;
        for call in calls.iter().take(turn.start) {
            state.call_unchecked(call).map_err(|fault| format!("{call}: {fault}"))?;
        }
        Ok(Turn {
            gold: turn.acts.iter().map(ToString::to_string).collect(),
            counts: Counts::of(&predicted, &turn.acts),
            compatible: compatible(&state, truth, &predicted, turn),
        })
    }

    fn fields(&self) -> Vec<(&'static str, Value)> {
        vec![
            ("gold", json!(self.gold)),
            ("tp", json!(self.counts.tp)),
            ("fp", json!(self.counts.fp)),
            ("fn", json!(self.counts.r#fn)),
            ("compatible", json!(self.compatible)),
        ]
    }
}
