//! Turn of an episode followed call by call: the belief that its requests lead to, and what is left of the answer to the open one.
//!
//! Everything comes from the program calls that the agent saw: the scene at the beginning, the requests, its own actions. The belief is
//! brought up to date by the built-in writer, as a maintained one is.

use serde_json::{Value, json};

use super::act::Act;
use super::writer;
use crate::table::call::{self, Act as Deed};
use crate::table::{Kind, TABLE};
use stepwright_program::{Call, Literal};

/// The open request, and what was done for it.
#[derive(Debug, Clone, PartialEq, Default)]
pub struct Turn {
    /// What is believed as the request is made.
    pub belief: Value,
    /// The person's words; `None` before the first request and after the last.
    pub request: Option<String>,
    /// The actions taken for it.
    done: Vec<Deed>,
}

/// The state of the program for the open request.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    /// The calls not made yet; the last closes the request.
    pub left: Vec<Deed>,
    /// Why the request was not understood.
    pub problem: Option<String>,
}

fn texts(call: &Call) -> Vec<&str> {
    call.args.iter().filter_map(Literal::text).collect()
}

impl Turn {
    /// The present turn of an episode.
    pub fn of<'a>(calls: impl Iterator<Item = &'a Call>) -> Turn {
        let mut turn = Turn::default();
        calls.for_each(|call| turn.hear(call));
        turn
    }

    fn hear(&mut self, call: &Call) {
        match (call.function.as_str(), texts(call).as_slice()) {
            ("set_cups", _) => {
                self.belief = json!({ "cups": call.args.iter().map(|a| *a == Literal::Bool(true)).collect::<Vec<_>>() })
            }
            ("set_objects", names) => self.belief = scene(names),
            ("set_place", [thing, place]) => lay(&mut self.belief, thing, place),
            ("ask", [request]) => {
                self.request = Some((*request).to_owned());
                self.done.clear();
            }
            _ => match Deed::of(call) {
                Some(Deed::Done) => self.close(),
                Some(deed) => self.done.push(deed),
                None => {}
            },
        }
    }

    /// The calls that answer the open request.
    fn program(&self) -> Result<Vec<Deed>, String> {
        let request = self.request.as_deref().ok_or("there is no request to answer")?;
        let program = super::answer(&self.belief, request).map_err(|e| e.to_string())?;
        call::read(&program)
    }

    /// What is left to do for the open request.
    pub fn plan(&self) -> Plan {
        let (program, problem) = match self.program() {
            Ok(program) => (program, None),
            Err(problem) => (Vec::new(), Some(problem)),
        };
        let mut done = self.done.clone();
        let is_left = |deed: &Deed| match done.iter().position(|other| other == deed) {
            Some(at) => {
                done.remove(at);
                false
            }
            None => true,
        };
        // A belief is not asked for, and doing nothing needs no call.
        let acts = program.into_iter().filter(|deed| matches!(deed, Deed::Put(..) | Deed::Say(_)));
        let left = acts.filter(is_left).chain([Deed::Done]).collect();
        Plan { left, problem }
    }

    /// The request is closed: what it stated, and what was moved for it, is believed from now on.
    fn close(&mut self) {
        let puts =
            |deeds: &[Deed]| -> Vec<Deed> { deeds.iter().filter(|d| matches!(d, Deed::Put(..))).cloned().collect() };
        let program = self.program().unwrap_or_default();
        let done = puts(&self.done);
        if puts(&program) == done {
            for update in
                program.iter().filter_map(|deed| if let Deed::Update(text) = deed { Some(text) } else { None })
            {
                if let Ok(after) = super::update(&self.belief, update) {
                    self.belief = after;
                }
            }
        } else {
            for deed in done {
                if let Deed::Put(first, second) = deed
                    && let Ok(after) = writer::apply(&self.belief, &Act::Put(vec![first], second))
                {
                    self.belief = after;
                }
            }
        }
        self.request = None;
        self.done.clear();
    }
}

/// The belief at the beginning: these things, each by itself on the table.
fn scene(names: &[&str]) -> Value {
    let mut belief = serde_json::Map::new();
    belief.insert("objects".to_owned(), json!(names));
    belief.insert("relations".to_owned(), json!([]));
    let entry =
        |name: &str| if super::scene::kind(name) == Kind::Disinfector { json!({ "contains": [] }) } else { json!({}) };
    belief.extend(names.iter().map(|name| ((*name).to_owned(), entry(name))));
    Value::Object(belief)
}

/// Believes that a thing lies in or on another.
fn lay(belief: &mut Value, thing: &str, place: &str) {
    let contains = super::scene::kind(place).contains();
    let list = if contains {
        belief
            .get_mut(place)
            .and_then(Value::as_object_mut)
            .map(|entry| entry.entry("contains").or_insert_with(|| json!([])))
    } else {
        belief.get_mut("relations").filter(|_| place != TABLE)
    };
    if let Some(list) = list.and_then(Value::as_array_mut) {
        list.push(if contains { json!(thing) } else { json!(format!("{thing} is on {place}")) });
    }
}

#[cfg(test)]
mod tests {
    use crate::World;
    use crate::planner::{AgentContext, Observed};
    use crate::program::{CheckedProgram, ProgramView as _};
    use crate::table::{Source, TableWorld};
    use stepwright_program::Specification;

    /// Plays a shipped episode by the agent's first proposals: requests answered right, and all.
    fn play(task: &str) -> (usize, usize) {
        let mut world = TableWorld::new(Source::shipped().unwrap());
        let agent = super::super::learn(&[]);
        let reset = world.reset(task, 0).unwrap();
        let specification = Specification::load(&world.specification(), "spec.py").unwrap();
        let mut program = CheckedProgram::start(&specification).unwrap();
        program.apply(&reset.observation_calls);
        let calls = reset.observation_calls;
        let mut history = vec![Observed { action: None, observation: reset.observation, calls, refused: false }];
        let (mut right, mut all) = (0, 0);
        for _ in 0..400 {
            let context =
                AgentContext { sentence: "", program: &program, history: &history, rejected: &[], observed: None };
            let Some(first) = agent.propose(&context, 3).into_iter().next() else { break };
            let outcome = world.act(&world.text_of(&first.call).unwrap()).unwrap();
            all += usize::from(first.call.function == "done");
            right += usize::from(outcome.reward > 0.5);
            let (action, observation, refused) = (Some(first.call), outcome.observation, outcome.error.is_some());
            program.apply(action.as_slice());
            program.apply(&outcome.observation_calls);
            history.push(Observed { action, observation, calls: outcome.observation_calls, refused });
            if outcome.done {
                break;
            }
        }
        (right, all)
    }

    #[test]
    fn it_answers_the_shipped_episodes() {
        let source = Source::shipped().unwrap();
        let all: Vec<String> = source.ids().map(str::to_owned).collect();
        let wrong: Vec<_> = all.iter().map(|id| (id, play(id))).filter(|(_, (right, all))| right != all).collect();
        assert!(wrong.is_empty(), "{wrong:?} of {}", all.len());
    }
}
