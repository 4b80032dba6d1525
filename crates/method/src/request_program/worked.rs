//! The worked example of a world's requests, as templates show it.

use serde::Serialize;
use serde_json::Value;

use super::answered::{AnsweredRequest, objects, shown};
use stepwright_program::Literal;
use stepwright_world::demonstration::Demonstration;
use stepwright_world::{Requests, WorkedExample};

/// Demonstrations that are shown where a world has no worked example.
const DEMONSTRATIONS: usize = 2;

/// An example as templates show it; empty where a world has none.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Worked {
    pub about: Vec<String>,
    pub objects: String,
    pub state: String,
    /// Requests with their code and the state after it.
    pub steps: Vec<AnsweredRequest>,
    pub updates: Vec<AnsweredRequest>,
}

impl Worked {
    pub fn of(requests: &dyn Requests, demonstrations: &[Demonstration]) -> Result<Self, String> {
        let Some(WorkedExample { about, first, steps }) = requests.worked()? else {
            let steps = demonstrations.iter().take(DEMONSTRATIONS).map(demonstrated).collect();
            return Ok(Worked { steps, ..Worked::default() });
        };
        let updates = steps.iter().flat_map(|step| &step.updates);
        let update = |(text, state): &(String, Value)| AnsweredRequest {
            query: text.clone(),
            state: shown(state),
            ..AnsweredRequest::default()
        };
        Ok(Worked {
            about: about.clone(),
            objects: objects(first),
            state: shown(first),
            steps: steps.iter().map(|s| AnsweredRequest::new(&s.query, &s.code, Some(&s.after))).collect(),
            updates: updates.map(update).collect(),
        })
    }
}

/// A demonstration as a request that was answered by its actions.
fn demonstrated(shown: &Demonstration) -> AnsweredRequest {
    let line = |call: &stepwright_program::Call| {
        let args = call.args.iter().map(Literal::to_string).collect::<Vec<_>>().join(", ");
        format!("{}({args})", call.function)
    };
    AnsweredRequest::new(&shown.sentence, &shown.actions().map(line).collect::<Vec<_>>().join("\n"), None)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_belief as belief;
    use stepwright_world::World;
    use stepwright_worlds::table::{Source, TableWorld};

    fn worked(task: &str) -> Worked {
        let mut world = TableWorld::new(Source::shipped().unwrap());
        let task = world.tasks().into_iter().find(|known| known.id.starts_with(task)).unwrap().id;
        world.reset(&task, 0).unwrap();
        Worked::of(world.requests().unwrap(), &[]).unwrap()
    }

    #[test]
    fn every_example_works_out_and_its_states_can_be_read() {
        for domain in ["pick_and_place", "disinfection", "weight", "cover", "cups"] {
            let worked = worked(domain);
            assert!(!worked.steps.is_empty() && !worked.about.is_empty(), "{domain}");
            assert!(worked.steps.iter().any(|s| s.code.contains("update_wm")), "{domain}");
            assert!(!worked.steps.iter().any(|s| s.plain.contains("update_wm")), "{domain}");
            if domain != "cups" {
                for state in worked.steps.iter().map(|s| &s.state).chain([&worked.state]) {
                    assert!(belief::read(state).unwrap().repairs.is_empty(), "{domain}: {state}");
                }
            }
        }
        let weight = worked("weight");
        let last = &weight.steps.last().unwrap().state;
        assert!(last.contains(r#""clay bowl": {"contains": ["teal block", "ivory block"]}"#), "{last}");
        let dirty = worked("disinfection");
        assert!(dirty.steps[2].state.contains(r#""ivory block": {"is": ["dirty"]}"#), "{}", dirty.steps[2].state);
    }
}
