//! Logged purchases, bought again in the shop's recorded catalogue.

use std::path::Path;
use std::sync::Arc;

use stepwright_shop::{Shop, Site};
use stepwright_study::recordings::{jsonl_files, name_of, text};
use stepwright_trajectory::{self as trajectory, Trajectory};

use crate::{Row, difference, unreadable, webshop};

/// How the names begin of logs that were made on the shop's recorded catalogue.
const BOUGHT: &str = "webshop_pairs_scripted";

/// The logged purchases, with the shop's recordings beside this folder.
pub(super) fn compare(folder: &Path) -> Vec<Row> {
    let what = format!("{BOUGHT}.jsonl bought again");
    Row::of_files(&jsonl_files(folder, BOUGHT), (&what, "steps", "not in this folder"), |file| {
        [bought_of(folder, file)]
    })
}

fn bought_of(folder: &Path, file: &Path) -> Row {
    let what = format!("{} bought again", name_of(file));
    let missing = |note: &str| Row::missing(what.clone(), "steps", note);
    let text = match text(file) {
        Ok(text) => text,
        Err(error) => {
            let mut row = Row::new(what, "steps");
            row.differs(unreadable(name_of(file), error));
            return row;
        }
    };
    let beside = folder.parent().map(|parent| parent.join("webshop")).unwrap_or_default();
    let Ok(Some(shop)) = webshop::shop(&beside) else {
        return missing("the shop's recordings are not beside this folder");
    };
    let mut row = Row::new(what, "steps");
    for trajectory in trajectory::read(&text) {
        match trajectory {
            Ok(trajectory) => replay(&shop, &trajectory, &mut row),
            Err(error) => row.differs(unreadable(name_of(file), error)),
        }
    }
    row
}

fn replay(shop: &Arc<Shop>, logged: &Trajectory, row: &mut Row) {
    let goal = shop.goals.iter().position(|goal| goal.instruction_text == logged.task);
    let Some(mut site) = goal.and_then(|goal| Site::new(Arc::clone(shop), goal)) else {
        row.lacks(logged.steps.len(), || "their goals are not in the shop's recordings".to_owned());
        return;
    };
    let mut total = 0.0;
    for (i, step) in logged.steps.iter().enumerate() {
        let (observation, own) = site.step(&step.action);
        total = own.reward;
        let wrong = step
            .observation
            .as_ref()
            .filter(|recorded| **recorded != observation)
            .map(|recorded| difference(format!("{}, step {i} {}", logged.id, step.action), recorded, &observation));
        row.count(wrong);
    }
    if (total - logged.score).abs() > 5e-5 {
        row.differs(difference(format!("{}, score", logged.id), logged.score, total));
    }
}
