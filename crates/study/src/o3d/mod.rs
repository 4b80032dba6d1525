//! The study of "O3D": its method, ablations and baselines in the household and the shop, beside Tables 1, 2, 3, 6, 9 and 10; and
//! success by the number of logs that the skills were found in.

mod paper;
mod report;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use async_trait::async_trait;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use stepwright_skill::discover::{Settings, discover};
use stepwright_skill::file;
use tokio_util::sync::CancellationToken;

use super::report::Report;
use super::run::RunResult;
use super::runner::{Opening, Plan, Study, Unit, data_digest, digest_of, named_digest};
use super::sample::sample;
use stepwright_launch::{NewSession, read_logs};
use stepwright_method::{self as method, Methods, publications};
use stepwright_text::words::count;

const SHOP: &str = "shop";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Condition {
    pub name: String,
    pub method: &'static str,
    pub options: Vec<(&'static str, String)>,
    /// Pairs of logs that its skills were found in, where they were found for the study.
    pub logs: Option<usize>,
    /// What these logs hold, as a hash.
    pub found_in: Option<String>,
    /// The knowledge, as far as its results depend on it.
    pub knowledge: String,
}

/// A condition of the paper: its name, the method, options that make it so.
type Named = (&'static str, &'static str, &'static [(&'static str, &'static str)]);

/// O3D by the skills that people wrote.
const HUMAN: &str = "O3D-Human";
/// O3D by tips of successes alone.
const NON_CONTRASTIVE: &str = "O3D (TD-only non-contrastive)";
/// All conditions whose knowledge is at hand.
const EVERY: &str = "all";

pub(crate) const CONDITIONS: [Named; 13] = [
    ("ReAct", "react", &[]),
    ("ReAct-long", "react-long", &[]),
    ("Reflexion", "reflexion", &[]),
    ("Reflexion+O3D", "reflexion", &[("tips", method::skills::SHIPPED), ("forms", "on")]),
    ("O3D", "o3d", &[]),
    ("O3D (SD-only)", "o3d", &[("variant", "sd-only")]),
    ("O3D (PD-only)", "o3d", &[("variant", "pd-only")]),
    ("O3D (TD-only)", "o3d", &[("variant", "td-only")]),
    (NON_CONTRASTIVE, "o3d", &[("variant", "td-only")]),
    (HUMAN, "o3d", &[]),
    ("O3D-Code", "o3d-code", &[]),
    ("Demo2Code", "demo2code", &[("settings", "demo2code")]),
    ("AdaPlanner", "adaplanner", &[("settings", "adaplanner")]),
];

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct O3dResult {
    pub condition: String,
    pub world: String,
    /// Pairs of logs, where skills were found for the study.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub logs: Option<usize>,
    #[serde(flatten)]
    pub run: RunResult,
}

sample!(O3dResult, |of| of.run.task.clone(), of.run.seed, run.under);

#[derive(Debug)]
pub struct O3d {
    pub opening: Opening,
    pub world: String,
    pub data: Option<PathBuf>,
    pub plan: Plan<Condition>,
    pub model: String,
}

/// The paper's settings of a method: by their name, or the limits alone where a method has no settings.
fn as_published(method: &str, world: &str) -> (&'static str, String) {
    let limits = || if world == SHOP { "o3d-15" } else { "o3d-30" };
    match publications::fixed("o3d", method, world) {
        Some(_) => (publications::SETTINGS.key, "o3d".to_owned()),
        None => ("limits", limits().to_owned()),
    }
}

#[async_trait]
impl Study for O3d {
    type Condition = Condition;
    type Line = O3dResult;
    const NAME: &'static str = "o3d";
    const CARRIED_OUT: &'static str = "episodes run";

    fn plan(&self) -> &Plan<Condition> {
        &self.plan
    }

    fn shared(&self) -> Value {
        json!({ "world": self.world, "limits": self.opening.shared() })
    }

    fn condition(&self, condition: &Condition) -> Value {
        let Condition { name, method, options, logs, found_in, knowledge } = condition;
        // A path may differ from machine to machine; what the file holds may not.
        let options = options.iter().filter(|(key, _)| !["skills", "tips"].contains(key));
        let options: BTreeMap<_, _> = options.map(|(key, value)| (*key, value)).collect();
        json!({ "condition": name, "method": method, "options": options, "logs": logs, "found_in": found_in, "knowledge": knowledge,
            "model": self.model })
    }

    fn under(condition: &Value) -> String {
        let held = |name: &str, what: &str| condition[name].as_str().map(|held| format!("{what} {held}"));
        let given = || held("knowledge", "skills").filter(|_| condition["knowledge"] != method::skills::SHIPPED);
        if condition["logs"].is_null() {
            given().unwrap_or_default()
        } else {
            held("found_in", "logs").unwrap_or_default()
        }
    }

    async fn perform(&self, unit: Unit<Condition>, cancel: &CancellationToken) -> Option<Vec<O3dResult>> {
        let Condition { name, method, options, logs, .. } = &*unit.condition;
        let new = NewSession {
            world: self.world.clone(),
            data: self.data.clone(),
            task: unit.task.id.clone(),
            options: options.iter().map(|(key, value)| ((*key).to_owned(), value.clone())).collect(),
            method: (*method).to_owned(),
            model: self.model.clone(),
            seed: unit.seed,
        };
        let run = RunResult::of(&self.opening.run(&new, cancel).await?, &unit.task, &new, self.opening.config.built_in);
        Some(vec![O3dResult { condition: name.clone(), world: self.world.clone(), logs: *logs, run }])
    }

    fn is_begun(lines: &[O3dResult]) -> bool {
        lines.iter().all(report::is_begun)
    }

    fn report(lines: &[O3dResult], _detail: bool) -> Report {
        report::report(lines)
    }
}

/// Files of knowledge that a person named.
#[derive(Debug, Clone, Default)]
pub struct Given {
    /// Of the conditions that use any, in place of what ships.
    pub skills: Option<String>,
    pub human: Option<String>,
    pub non_contrastive: Option<String>,
}

impl Given {
    /// The knowledge a condition goes by, where one is named; a condition that has to have its own says so.
    fn of(&self, condition: &str) -> Result<Option<&str>, String> {
        let own = |file: &'_ Option<String>, what: &str| match file {
            Some(_) => Ok(()),
            None => Err(format!("{condition} needs {what}")),
        };
        Ok(match condition {
            HUMAN => {
                own(&self.human, "the knowledge that people wrote: --human FILE")?;
                self.human.as_deref()
            }
            NON_CONTRASTIVE => {
                own(&self.non_contrastive, "tips distilled from successes alone: --non-contrastive FILE")?;
                self.non_contrastive.as_deref()
            }
            _ => self.skills.as_deref(),
        })
    }
}

/// The conditions of a list of names; `O3D` alone if there is none, those whose knowledge is at hand for `all`.
pub fn conditions(names: &[String], world: &str, given: &Given, methods: &Methods) -> Result<Vec<Condition>, String> {
    let every = names.iter().any(|name| name.eq_ignore_ascii_case(EVERY));
    let names: Vec<&str> = match names {
        _ if every => CONDITIONS.iter().map(|(name, ..)| *name).filter(|name| given.of(name).is_ok()).collect(),
        [] => vec!["O3D"],
        names => names.iter().map(String::as_str).collect(),
    };
    let known = || CONDITIONS.map(|(name, ..)| name).join(", ");
    let find = |name: &&str| {
        let found = CONDITIONS.into_iter().find(|(own, ..)| own.eq_ignore_ascii_case(name));
        let (name, method, options) =
            found.ok_or_else(|| format!("there is no condition `{name}`; there are {}", known()))?;
        let info = methods.named(method).ok_or_else(|| format!("{name}: this program has no method {method}"))?.info();
        let has = |key: &str| info.options.iter().any(|option| option.key == key);
        if let Some((key, _)) = options.iter().find(|(key, _)| !has(key)) {
            return Err(format!("{name}: the method {method} has no option --{key}"));
        }
        let mut options: Vec<(&'static str, String)> =
            options.iter().map(|(key, value)| (*key, (*value).to_owned())).collect();
        if publications::fixed("o3d", method, world).is_some() || has("limits") {
            options.push(as_published(method, world));
        }
        // What says nothing of the world is left to the method.
        options
            .retain(|(key, id)| *key != publications::SETTINGS.key || publications::fixed(id, method, world).is_some());
        let mut knowledge = method::skills::SHIPPED.to_owned();
        let key = ["skills", "tips"]
            .into_iter()
            .find(|key| has(key) && (*key == "skills" || options.iter().any(|(own, _)| own == key)));
        if let Some((own, key)) = given.of(name)?.zip(key) {
            knowledge = named_digest(own)?;
            options.retain(|(known, _)| *known != key);
            options.push((key, own.to_owned()));
        }
        Ok(Condition { name: name.to_owned(), method, options, logs: None, found_in: None, knowledge })
    };
    names.iter().map(find).collect()
}

/// Conditions of skills found without a language model in the first pairs of a log, one for each number of pairs. Their files are
/// written to a folder, named after what they hold. What could not be read is `told` in words.
pub fn by_logs(
    log: &Path,
    numbers: &[usize],
    world: &str,
    folder: &Path,
    told: impl Fn(&str),
) -> Result<Vec<Condition>, String> {
    let all = read_logs(&[log.to_owned()], told)?;
    let found_in = data_digest(log)?;
    let mut pairs: Vec<&str> = Vec::new();
    for log in &all {
        let pair = log.pair_id.as_deref().unwrap_or(&log.id);
        if !pairs.contains(&pair) {
            pairs.push(pair);
        }
    }
    std::fs::create_dir_all(folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let condition = |number: &usize| {
        let used = pairs.get(..*number).ok_or_else(|| {
            let there = count(pairs.len(), "pair");
            format!(
                "{} holds {there}, not {number}: the logs of one `pair_id`, or one log that has none",
                log.display()
            )
        })?;
        let logs: Vec<_> =
            all.iter().filter(|log| used.contains(&log.pair_id.as_deref().unwrap_or(&log.id))).cloned().collect();
        let written = file::write(&discover(&logs, &Settings::default()).knowledge);
        let knowledge = digest_of(written.as_bytes());
        let path = folder.join(format!("{knowledge}.skills.toml"));
        // Shards write the same file at the same time.
        stepwright_files::replace(&path, written.as_bytes()).map_err(|e| format!("{}: {e}", path.display()))?;
        let options = vec![as_published("o3d", world), ("skills", path.display().to_string())];
        let (name, found_in) = ("O3D".to_owned(), Some(found_in.clone()));
        Ok(Condition { name, method: "o3d", options, logs: Some(*number), found_in, knowledge })
    };
    numbers.iter().map(condition).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn named(names: &[&str], world: &str, given: &Given) -> Result<Vec<Condition>, String> {
        conditions(
            &names.iter().map(|name| (*name).to_owned()).collect::<Vec<_>>(),
            world,
            given,
            &stepwright_methods::METHODS,
        )
    }

    #[test]
    fn conditions_are_run_as_published() {
        let of = |world: &str| named(&["Reflexion"], world, &Given::default()).unwrap().remove(0).options;
        assert_eq!(of("household"), [("settings", "o3d".to_owned())]);
        let code = named(&["O3D-Code"], "shop", &Given::default()).unwrap().remove(0).options;
        assert!(code.contains(&("limits", "o3d-15".to_owned())), "{code:?}");
        let default = named(&[], "household", &Given::default()).unwrap();
        assert!(default.len() == 1 && default[0].name == "O3D", "{default:?}");
        assert!(named(&["BUTLER"], "household", &Given::default()).unwrap_err().contains("AdaPlanner"));
    }

    #[test]
    fn knowledge_of_its_own_is_asked_for_and_all_is_what_is_at_hand() {
        let none = Given::default();
        assert!(named(&[HUMAN], "household", &none).unwrap_err().contains("--human"));
        assert!(named(&[NON_CONTRASTIVE], "household", &none).unwrap_err().contains("--non-contrastive"));
        let file = tempfile::NamedTempFile::new().unwrap();
        let path = file.path().display().to_string();
        assert_eq!(named(&[EVERY], "household", &none).unwrap().len(), CONDITIONS.len() - 2);
        let given = Given { human: Some(path.clone()), non_contrastive: Some(path), ..none };
        let all = named(&[EVERY], "household", &given).unwrap();
        assert_eq!(all.len(), CONDITIONS.len());
        let of = |name: &str| all.iter().find(|condition| condition.name == name).unwrap().options.clone();
        assert!(of(NON_CONTRASTIVE).contains(&("variant", "td-only".to_owned())));
        assert!(of("O3D").iter().all(|(key, _)| *key != "skills"), "only its own condition goes by it");
    }

    #[test]
    fn skills_are_found_in_the_first_pairs_and_a_bad_line_costs_no_other() {
        let folder = tempfile::tempdir().unwrap();
        let log = folder.path().join("logs.jsonl");
        let line = r#"{"id":"a","pair_id":"p","task":"t","success":true,"initial_observation":"A hall.","steps":[{"action":"look","observation":"A room."}]}"#;
        std::fs::write(&log, format!("{line}\n{{\"id\":1}}\n")).unwrap();
        let wrong = std::cell::RefCell::new(Vec::new());
        let told = |text: &str| wrong.borrow_mut().push(text.to_owned());
        let found = by_logs(&log, &[1], "household", folder.path(), told).unwrap();
        let wrong = wrong.take();
        assert_eq!((found.len(), found[0].logs, wrong.len()), (1, Some(1), 1));
        assert!(wrong[0].contains("line 2"), "{wrong:?}");
        let more = by_logs(&log, &[2], "household", folder.path(), |_| ());
        assert!(more.unwrap_err().contains("holds 1 pair, not 2"));
    }
}
