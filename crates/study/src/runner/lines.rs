//! Lines of a results file: experiments, plans, and the lines of units.
//!
//! Reads and writes texts; opens nothing. The file is opened and locked by [`super::results`], several files are merged by
//! [`super::merge`].

use indexmap::IndexMap;
use schemars::JsonSchema;
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use stepwright_files::{Misread, Reader};

use super::experiment::{Experiment, plain, unit_key};

const PLAN: &str = "plan";

/// A line of a unit: what the study keeps of it, and which unit of which experiment it belongs to.
#[derive(Debug, Clone, PartialEq)]
pub struct Entry {
    pub experiment: String,
    pub unit: String,
    /// Which of how many lines of the unit it is, from 1.
    pub part: [usize; 2],
    pub fields: Map<String, Value>,
}

impl Entry {
    pub(crate) fn of_unit<L: Serialize>(experiment: &str, unit: &str, lines: &[L]) -> Result<Vec<Self>, String> {
        let entry = |(at, line): (usize, &L)| match serde_json::to_value(line) {
            Ok(Value::Object(fields)) => {
                let (experiment, unit) = (experiment.to_owned(), unit.to_owned());
                Ok(Entry { experiment, unit, part: [at + 1, lines.len()], fields })
            }
            Ok(other) => Err(format!("a result is no object: {other}")),
            Err(why) => Err(why.to_string()),
        };
        lines.iter().enumerate().map(entry).collect()
    }

    pub fn is_error(&self) -> bool {
        self.fields.get("error").is_some_and(|error| !error.is_null())
    }

    pub fn line<L: DeserializeOwned>(&self) -> Result<L, String> {
        serde_json::from_value(Value::Object(self.fields.clone())).map_err(|e| e.to_string())
    }

    pub fn text(&self) -> String {
        let mut line = Map::new();
        line.insert("experiment".to_owned(), json!(self.experiment));
        line.insert("unit".to_owned(), json!(self.unit));
        if self.part[1] > 1 {
            line.insert("part".to_owned(), json!(self.part));
        }
        line.extend(self.fields.clone());
        Value::Object(line).to_string()
    }

    fn read(mut line: Map<String, Value>) -> Result<Self, String> {
        let mut text = |name: &str| match line.shift_remove(name) {
            Some(Value::String(text)) => Ok(text),
            _ => Err(format!("it does not say its {name}")),
        };
        let (experiment, unit) = (text("experiment")?, text("unit")?);
        let part = line.shift_remove("part").map_or(Ok([1, 1]), serde_json::from_value).map_err(|e| e.to_string())?;
        Ok(Entry { experiment, unit, part, fields: line })
    }
}

/// Units of a condition: every task with every seed.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct Planned {
    pub condition: Value,
    pub tasks: Vec<String>,
    pub seeds: Vec<u64>,
}

/// The units that an experiment is to have, in all processes together.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct PlanLine {
    stepwright: String,
    pub experiment: String,
    pub units: Vec<Planned>,
}

impl Planned {
    /// The keys of its units, by task and then seed.
    pub(crate) fn keys(&self) -> Vec<String> {
        let seeds =
            |task: &String| self.seeds.iter().map(|seed| unit_key(&self.condition, task, *seed)).collect::<Vec<_>>();
        self.tasks.iter().flat_map(seeds).collect()
    }
}

impl PlanLine {
    /// A plan of these units: condition, task and seed, in their order.
    pub fn new(experiment: &str, units: impl IntoIterator<Item = (Value, String, u64)>) -> Self {
        let mut tasks_of: Vec<(Value, u64, Vec<String>)> = Vec::new();
        for (condition, task, seed) in units {
            match tasks_of.iter_mut().find(|(known, of, _)| *of == seed && *known == condition) {
                Some((_, _, tasks)) => tasks.push(task),
                None => tasks_of.push((condition, seed, vec![task])),
            }
        }
        let mut units: Vec<Planned> = Vec::new();
        for (condition, seed, tasks) in tasks_of {
            match units.iter_mut().find(|known| known.tasks == tasks && known.condition == condition) {
                Some(known) => known.seeds.push(seed),
                None => units.push(Planned { condition, tasks, seeds: vec![seed] }),
            }
        }
        PlanLine { stepwright: PLAN.to_owned(), experiment: experiment.to_owned(), units }
    }

    pub fn keys(&self) -> Vec<(String, String)> {
        let mut keys = Vec::new();
        for Planned { condition, tasks, seeds } in &self.units {
            for task in tasks {
                for seed in seeds {
                    keys.push((unit_key(condition, task, *seed), in_words(condition, task, *seed)));
                }
            }
        }
        keys
    }
}

/// A unit in words: `place-box-1, seed 0, method few-shot, shots 4`.
pub fn in_words(condition: &Value, task: &str, seed: u64) -> String {
    let mut words = vec![task.to_owned(), format!("seed {seed}")];
    match condition {
        Value::Object(fields) => {
            // Digests are of no use to a person.
            let known = fields.iter().filter(|(name, value)| !value.is_null() && !name.ends_with("digest"));
            words.extend(known.map(|(name, value)| format!("{name} {}", plain(value))));
        }
        Value::Null => {}
        other => words.push(plain(other)),
    }
    words.join(", ")
}

#[derive(Debug, Clone, Default, PartialEq)]
pub struct Contents {
    pub experiments: IndexMap<String, Experiment>,
    pub plans: Vec<PlanLine>,
    pub entries: Vec<Entry>,
    /// How many bytes of the text are whole lines, the last perhaps without its break; what follows was being written when a process was killed
    /// or the power went.
    pub whole: usize,
}

impl Contents {
    pub fn read(text: &[u8]) -> Result<Self, String> {
        let mut contents = Contents::default();
        // A head that was torn before its first words were whole could be the beginning of anybody's file, and holds nothing.
        let mut lines = Reader::new(text, u64::MAX).beginning(HEAD);
        loop {
            let (line, first) = (lines.number() + 1, lines.number() == 0);
            let wrong = |why: String| format!("line {line}: {why}");
            let value = lines.read(|line| serde_json::from_slice::<Value>(line)).map_err(|misread| match misread {
                Misread::Unfit(_) if first => wrong(OTHER.to_owned()),
                misread => wrong(misread.why()),
            })?;
            let Some(value) = value else { break };
            contents.take(value, first).map_err(wrong)?;
        }
        contents.whole = lines.whole() as usize;
        Ok(contents)
    }

    fn take(&mut self, value: Value, first: bool) -> Result<(), String> {
        match value["stepwright"].as_str() {
            Some(PLAN) if !first => {
                let plan: PlanLine = serde_json::from_value(value).map_err(|e| e.to_string())?;
                self.known(&plan.experiment)?;
                self.plans.push(plan);
            }
            Some("results") => {
                let experiment = Experiment::of_head(&value)?;
                self.experiments.insert(experiment.hash().to_owned(), experiment);
            }
            Some(_) => return Err(OTHER.to_owned()),
            None if first => return Err(OTHER.to_owned()),
            None => {
                let Value::Object(line) = value else { return Err("it is no result".to_owned()) };
                let entry = Entry::read(line)?;
                self.known(&entry.experiment)?;
                self.entries.push(entry);
            }
        }
        Ok(())
    }

    fn known(&self, experiment: &str) -> Result<(), String> {
        if self.experiments.contains_key(experiment) {
            return Ok(());
        }
        Err(format!("it is of experiment {experiment}, which no line before it describes"))
    }
}

const HEAD: &[u8] = b"{\"stepwright\":\"results\"";

const OTHER: &str =
    "these are no results with their experiment at the head (an earlier version wrote none); name another file";

#[cfg(test)]
mod tests {
    use super::*;

    fn file() -> String {
        let experiment = Experiment::new("run", json!({"model": "m"}));
        let units = [("a", 0), ("a", 1), ("b", 0), ("b", 1)].map(|(task, seed)| (json!({}), task.to_owned(), seed));
        let plan = PlanLine::new(experiment.hash(), units);
        assert_eq!(plan.units.len(), 1);
        let entries =
            Entry::of_unit(experiment.hash(), "u", &[json!({"n": 1}), json!({"n": 2, "error": "e"})]).unwrap();
        let texts: Vec<String> = entries.iter().map(Entry::text).collect();
        format!("{}\n{}\n{}\n", experiment.head(), serde_json::to_string(&plan).unwrap(), texts.join("\n"))
    }

    #[test]
    fn what_is_written_is_read() {
        let contents = Contents::read(file().as_bytes()).unwrap();
        assert_eq!((contents.experiments.len(), contents.plans.len(), contents.whole), (1, 1, file().len()));
        let parts: Vec<_> = contents.entries.iter().map(|e| (e.part, e.is_error())).collect();
        assert_eq!(parts, [([1, 2], false), ([2, 2], true)]);
        assert_eq!(contents.entries[0].line::<Value>().unwrap(), json!({"n": 1}));
        let keys = contents.plans[0].keys();
        assert_eq!(keys[1], (unit_key(&json!({}), "a", 1), "a, seed 1".to_owned()));
        assert_eq!(Contents::read(b"").unwrap(), Contents::default());
    }

    #[test]
    fn a_torn_tail_is_left_out_and_other_files_are_refused() {
        let file = file();
        assert!(file.as_bytes().starts_with(HEAD));
        for cut in 1..HEAD.len() {
            assert!(Contents::read(&file.as_bytes()[..cut]).unwrap_err().contains("line 1"), "{cut}");
        }
        for cut in HEAD.len()..file.len() {
            let contents = Contents::read(&file.as_bytes()[..cut]).unwrap();
            // A line that lacks nothing but its break counts.
            let whole =
                if file[cut..].starts_with('\n') { cut } else { file[..cut].rfind('\n').map_or(0, |at| at + 1) };
            assert_eq!(contents.whole, whole, "{cut}");
        }
        for other in ["my only notes", "{\"task\": \"a\"}\n", "{\"stepwright\":\"session\"}\n", "[]\n", "{\"task\": 1"]
        {
            assert!(Contents::read(other.as_bytes()).unwrap_err().contains("line 1"), "{other}");
        }
        let strange = format!("{file}{{\"experiment\":\"ff\",\"unit\":\"u\"}}\n");
        assert!(Contents::read(strange.as_bytes()).unwrap_err().contains("line 5: it is of experiment ff"));
    }

    #[test]
    fn a_unit_is_described_in_words() {
        let condition = json!({"method": "few-shot", "shots": 4, "truth_digest": "ab", "seed": null});
        assert_eq!(in_words(&condition, "t", 3), "t, seed 3, method few-shot, shots 4");
        assert_eq!(in_words(&json!("BCR"), "t", 0), "t, seed 0, BCR");
    }
}
