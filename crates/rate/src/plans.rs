//! The judged items: the plans of a results file, each with its task. Plans alike in task and steps are one item.

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;

use crate::{RateError, digest};

/// The largest results file that is read, in bytes.
const LARGEST: u64 = 1 << 30;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Item {
    /// The key that distinguishes it from others, and nothing else.
    pub id: String,
    pub task: String,
    pub steps: Vec<String>,
    /// Who wrote it; not for raters.
    pub wrote: Vec<Wrote>,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Wrote {
    pub condition: String,
    pub executable: bool,
}

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Plans {
    pub items: BTreeMap<String, Item>,
}

#[derive(Deserialize)]
struct Line {
    condition: String,
    title: String,
    plan: Vec<String>,
    executable: bool,
    error: Option<String>,
}

impl Plans {
    pub fn open(path: &Path) -> Result<Self, RateError> {
        let fail = |message: String| RateError::File { path: path.display().to_string(), message };
        let text = stepwright_files::read_text(path, LARGEST).map_err(|e| fail(e.to_string()))?;
        let plans = Self::read(&text).map_err(|(line, message)| RateError::Line {
            path: path.display().to_string(),
            line,
            message,
        })?;
        if plans.items.is_empty() {
            return Err(fail("it holds no plan; write one with `stepwright study reprompt --out`".to_owned()));
        }
        Ok(plans)
    }

    /// Reads lines; a wrong one by its number, from 1.
    fn read(text: &str) -> Result<Self, (usize, String)> {
        let mut plans = Plans::default();
        for (number, line) in (1..).zip(text.lines()) {
            let value: serde_json::Value =
                serde_json::from_str(line).map_err(|e| (number, format!("it is no JSON ({e})")))?;
            // An experiment's own line is at the head.
            if value.get("stepwright").is_some() {
                continue;
            }
            let wanted = "expected a result with `condition`, `title`, `plan` and `executable`, as `stepwright study reprompt` writes";
            let line: Line = serde_json::from_value(value).map_err(|e| (number, format!("{wanted} ({e})")))?;
            // What could not be carried out to its end is no plan.
            if line.error.is_none() {
                plans.add(line);
            }
        }
        Ok(plans)
    }

    fn add(&mut self, line: Line) {
        let words = [line.title.as_str()].into_iter().chain(line.plan.iter().map(String::as_str)).collect::<Vec<_>>();
        let id = digest(&words);
        let new = || Item { id: id.clone(), task: line.title.clone(), steps: line.plan.clone(), wrote: Vec::new() };
        let item = self.items.entry(id.clone()).or_insert_with(new);
        item.wrote.push(Wrote { condition: line.condition, executable: line.executable });
    }
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    pub(crate) const RESULTS: &str = concat!(
        "{\"stepwright\":\"results\",\"version\":1}\n",
        "{\"condition\":\"Cause\",\"title\":\"Make toast\",\"plan\":[\"Walk to kitchen\",\"Find bread\"],\"executable\":true}\n",
        "{\"condition\":\"Huang\",\"title\":\"Make toast\",\"plan\":[\"Walk to kitchen\",\"Find bread\"],\"executable\":false}\n",
        "{\"condition\":\"Huang\",\"title\":\"Read book\",\"plan\":[\"Find novel\"],\"executable\":true}\n",
        "{\"condition\":\"Cause\",\"title\":\"Read book\",\"plan\":[\"Find novel\",\"Read novel\"],\"executable\":true}\n",
        "{\"condition\":\"Cause\",\"title\":\"Sleep\",\"plan\":[],\"executable\":false,\"error\":\"cut\"}\n",
    );

    #[test]
    fn plans_alike_are_one_item_that_names_no_method() {
        let plans = Plans::read(RESULTS).unwrap();
        assert_eq!(plans.items.len(), 3);
        let toast = plans.items.values().find(|i| i.task == "Make toast").unwrap();
        assert_eq!(toast.wrote.iter().map(|w| w.condition.as_str()).collect::<Vec<_>>(), ["Cause", "Huang"]);
        assert!(plans.items.values().all(|i| !i.id.contains("Cause") && i.id.len() == 16));
    }

    #[test]
    fn a_line_without_a_plan_is_named() {
        let wrong = RESULTS.to_owned() + "{\"won\":true}\n";
        let (line, message) = Plans::read(&wrong).unwrap_err();
        assert!(line == 7 && message.contains("`plan`"), "{message}");
        assert_eq!(Plans::read("{").unwrap_err().0, 1);
        let error = Plans::open(Path::new("/no/such/file")).unwrap_err().to_string();
        assert!(error.starts_with("/no/such/file: "));
    }
}
