//! Toy world in one file: a row of lamps, each to be switched on. Registered as any world is, by a `static KIND`.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};
use stepwright::options::Values;
use stepwright::program::{Call, Literal};
use stepwright::world::demonstration::Demonstration;
use stepwright::world::{Ability, OpenedWorld, Outcome, ProgramHeader, TaskInfo, WorldError, WorldKind};
use stepwright::worlds::{Catalog, Entry, Episode, Identified, Simulated};

/// The lamps' entry in the list of worlds.
pub static KIND: WorldKind = WorldKind {
    steps: 9,
    abilities: &[Ability::Admissible, Ability::Preview, Ability::Requests],
    ..WorldKind::new("lamps", "a row of lamps: switch every one on", |_| {
        let mut rows = Catalog::default();
        for lamps in [2, 3] {
            rows.add(Row { id: format!("row/{lamps}"), lamps });
        }
        Ok(Arc::new(rows))
    })
};

/// The specification its programs run against.
const SPECIFICATION: &str = "\
SETUP = ['row = Row()']
ACTIONS = ['row.switch']
OBSERVATIONS = []


class Row:
    def __init__(self):
        self.on = []

    def switch(self, lamp):
        assert lamp not in self.on
        self.on = self.on + [lamp]
";

#[derive(Debug)]
pub struct Row {
    id: String,
    lamps: i64,
}

impl Identified for Row {
    fn id(&self) -> &str {
        &self.id
    }
}

impl Entry for Row {
    fn info(&self) -> TaskInfo {
        let sentence = format!("switch {} lamps on.", self.lamps);
        TaskInfo { id: self.id.clone(), kind: "row".into(), sentence, source: "shipped".into() }
    }

    fn open(rows: Arc<Catalog<Row>>, task: &str, _: &Values) -> Result<OpenedWorld, WorldError> {
        let sentence = rows.get(task)?.info().sentence;
        let world = Box::new(Simulated::<Lamps>::over(rows, ()));
        Ok(OpenedWorld { world, task: task.to_owned(), sentence, options: Default::default() })
    }

    fn demonstrations(&self, _: &Values) -> Result<Vec<Demonstration>, WorldError> {
        Ok(Vec::new())
    }
}

#[derive(Debug, Clone)]
pub struct Lamps {
    task: String,
    on: Vec<bool>,
}

impl Lamps {
    fn outcome(&self, observation: String, action_call: Option<Call>) -> Outcome {
        let won = self.on.iter().all(|on| *on);
        let error = (action_call.is_none() && observation.starts_with("No")).then(|| observation.clone());
        let reward = f64::from(u8::from(won));
        Outcome { observation, action_call, error, reward, done: won, won, ..Outcome::default() }
    }
}

impl Episode for Lamps {
    type Tasks = Catalog<Row>;
    type Options = ();

    fn kind() -> &'static WorldKind {
        &KIND
    }

    fn begin(rows: &Catalog<Row>, (): (), task: &str) -> Result<(Self, Outcome), WorldError> {
        let row = rows.get(task)?;
        let episode = Lamps { task: row.id.clone(), on: vec![false; usize::try_from(row.lamps).unwrap()] };
        let outcome = episode.outcome("It is dark.".into(), None);
        Ok((episode, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.task == other.task
    }

    fn act(&mut self, text: &str) -> Outcome {
        let lamp = text.strip_prefix("switch ").and_then(|n| n.parse::<usize>().ok());
        match lamp.and_then(|n| self.on.get_mut(n.wrapping_sub(1))).filter(|on| !**on) {
            Some(on) => {
                *on = true;
                self.outcome(format!("Lamp {} shines.", lamp.unwrap()), read(text))
            }
            None => self.outcome("No such switch.".into(), None),
        }
    }

    fn admissible(&self) -> Option<Vec<String>> {
        let dark = self.on.iter().enumerate().filter(|(_, on)| !**on);
        Some(dark.map(|(i, _)| format!("switch {}", i + 1)).collect())
    }

    fn truth(&self) -> Value {
        json!({ "on": self.on })
    }

    fn call_of(_: &Simulated<Self>, text: &str) -> Option<Call> {
        read(text)
    }

    fn text_of(_: &Simulated<Self>, call: &Call) -> Option<String> {
        match (call.function.as_str(), call.args.as_slice()) {
            ("switch", [Literal::Int(lamp)]) => Some(format!("switch {lamp}")),
            _ => None,
        }
    }

    fn header(_: &Simulated<Self>) -> ProgramHeader {
        ProgramHeader { function: "switch_all".into(), comment: String::new(), setup: vec!["row = Row()".into()] }
    }

    fn specification(_: &Simulated<Self>) -> Cow<'static, str> {
        Cow::Borrowed(SPECIFICATION)
    }
}

fn read(text: &str) -> Option<Call> {
    let lamp: i64 = text.strip_prefix("switch ")?.parse().ok()?;
    Some(Call { receiver: "row".into(), function: "switch".into(), args: vec![Literal::Int(lamp)], ..Call::default() })
}
