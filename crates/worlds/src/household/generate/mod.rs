//! Generates household tasks: a furnished room, a goal that does not hold yet, and a solution that was carried out.
//!
//! Deterministic given task type and seed. A task is only given out after its plan has been executed in the world and won.

mod furnish;
mod plan;
mod rooms;

use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

use super::definition::{Condition, Definition, GoalDefinition, Property};
use super::{Edition, HouseholdWorld, Source};
use furnish::Furnished;
use stepwright_world::planner::effects::kind_of;
use stepwright_world::{GeneratedTask, World};

pub use plan::search_expert;

/// Generates a task of a type by its word or long name, for the command line.
pub(super) fn new_task(kind: &str, seed: u64) -> Result<GeneratedTask, String> {
    let task = task(kind.parse()?, seed)?;
    let line = serde_json::to_string(&task).map_err(|e| e.to_string())?;
    Ok(GeneratedTask { id: task.id, about: task.task, line })
}

/// The six task types of ALFWorld.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum TaskType {
    PickAndPlace,
    /// Hold an object under a switched-on lamp.
    LookInLight,
    Clean,
    Heat,
    Cool,
    PickTwo,
}

pub const TASK_TYPES: [TaskType; 6] =
    [TaskType::PickAndPlace, TaskType::LookInLight, TaskType::Clean, TaskType::Heat, TaskType::Cool, TaskType::PickTwo];

impl TaskType {
    /// ALFWorld's name (`pick_heat_then_place_in_recep`), and a short word for ids and the command line (`heat`).
    fn terms(self) -> (&'static str, &'static str) {
        match self {
            TaskType::PickAndPlace => ("pick_and_place_simple", "place"),
            TaskType::LookInLight => ("look_at_obj_in_light", "light"),
            TaskType::Clean => ("pick_clean_then_place_in_recep", "clean"),
            TaskType::Heat => ("pick_heat_then_place_in_recep", "heat"),
            TaskType::Cool => ("pick_cool_then_place_in_recep", "cool"),
            TaskType::PickTwo => ("pick_two_obj_and_place", "two"),
        }
    }

    pub fn name(self) -> &'static str {
        self.terms().0
    }

    pub fn word(self) -> &'static str {
        self.terms().1
    }

    fn condition(self) -> Option<Condition> {
        match self {
            TaskType::Clean => Some(Condition::Clean),
            TaskType::Heat => Some(Condition::Hot),
            TaskType::Cool => Some(Condition::Cool),
            _ => None,
        }
    }

    fn rooms(self) -> &'static [&'static str] {
        match self {
            TaskType::PickAndPlace | TaskType::PickTwo => &["kitchen", "bedroom", "living_room", "bathroom"],
            TaskType::LookInLight => &["bedroom", "living_room"],
            TaskType::Clean => &["kitchen", "bathroom"],
            TaskType::Heat | TaskType::Cool => &["kitchen"],
        }
    }
}

impl std::str::FromStr for TaskType {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        TASK_TYPES.into_iter().find(|t| t.name() == text || t.word() == text).ok_or_else(|| {
            let words: Vec<String> = TASK_TYPES.iter().map(|t| format!("{} ({})", t.word(), t.name())).collect();
            format!("`{text}` is no task type; there are {}", words.join(", "))
        })
    }
}

/// Rooms tried before giving up; a room without a usable goal is rare.
const TRIES: u64 = 200;

/// Generates a task of a type. The same type and seed give the same task.
/// Errors: if none of many rooms allowed a solvable task, which would be a fault of the tables.
pub fn task(kind: TaskType, seed: u64) -> Result<Definition, String> {
    let mut problem = String::new();
    for attempt in 0..TRIES {
        let mut rng = ChaCha8Rng::seed_from_u64(seed);
        // Streams keep attempts and types apart without touching the seed.
        rng.set_stream(attempt * TASK_TYPES.len() as u64 + kind as u64);
        match attempt_task(kind, seed, &mut rng) {
            Ok(definition) => return Ok(definition),
            Err(e) => problem = e,
        }
    }
    Err(format!("no solvable {} task from seed {seed} in {TRIES} rooms; last: {problem}", kind.name()))
}

fn attempt_task(kind: TaskType, seed: u64, rng: &mut ChaCha8Rng) -> Result<Definition, String> {
    let rooms = rooms::shipped()?;
    let room = kind.rooms().choose(rng).and_then(|name| rooms.rooms.get(*name)).ok_or("no room")?;
    let furnished = furnish::furnish(rooms, room, rng);
    let goal = choose_goal(kind, &furnished, rng).ok_or("no goal fits the room")?;
    let task = goal.sentences().choose(rng).cloned().unwrap_or_default();
    let target = goal.receptacle.as_deref().or(goal.lamp.as_deref()).unwrap_or_default();
    let mut definition = Definition {
        id: format!("generated/{}-{}-{target}-{seed}", kind.word(), goal.object),
        split: "generated".to_owned(),
        task_type: kind.name().to_owned(),
        task,
        scene: Some(room.scene + rng.random_range(0..30)),
        start: furnished.start,
        receptacles: furnished.receptacles,
        objects: furnished.objects,
        goal,
        plan: Vec::new(),
        can_contain: None,
    };
    definition.plan = plan::solve(&definition).ok_or("no plan")?;
    check(&definition)?;
    Ok(definition)
}

/// Executes the plan; the task must not be won before its last step.
fn check(definition: &Definition) -> Result<(), String> {
    let line = serde_json::to_string(definition).map_err(|e| e.to_string())?;
    let source = Source::from_lines(&line, "generated").map_err(|e| e.to_string())?;
    let mut world = HouseholdWorld::new(source, Edition::Move);
    let mut outcome = world.reset(&definition.id, 0).map_err(|e| e.to_string())?;
    for command in &definition.plan {
        if outcome.won {
            return Err(format!("won before `{command}`"));
        }
        outcome = world.act(command).map_err(|e| e.to_string())?;
        if let Some(error) = outcome.error {
            return Err(format!("`{command}`: {error}"));
        }
    }
    if outcome.won { Ok(()) } else { Err("the plan does not win".to_owned()) }
}

/// Picks a goal that the room allows and that does not hold yet.
fn choose_goal(kind: TaskType, room: &Furnished, rng: &mut ChaCha8Rng) -> Option<GoalDefinition> {
    let needed = kind.condition().map(|condition| condition.terms().3);
    let count = if kind == TaskType::PickTwo { 2 } else { 1 };
    let mut choices = Vec::new();
    for object in room.kinds_of_objects() {
        let members: Vec<_> = room.objects.iter().filter(|o| o.kind.as_deref() == Some(object)).collect();
        let able = |p: &Property| members.iter().all(|o| o.props.contains(p));
        if members.len() < count || !able(&Property::Pickupable) || needed.is_some_and(|p| !able(&p)) {
            continue;
        }
        if kind == TaskType::LookInLight {
            let lamp = room.objects.iter().find(|o| o.props.contains(&Property::Toggleable))?;
            choices.push((object, lamp.kind.clone().unwrap_or_default()));
            continue;
        }
        for target in room.kinds_of_receptacles() {
            // Nothing of the kind may be there yet, so that the task asks for something.
            let there = members.iter().any(|o| o.inside_of.iter().any(|r| kind_of(r) == target));
            if !there && furnish::accepts(target, object) {
                choices.push((object, target.to_owned()));
            }
        }
    }
    let (object, target) = choices.choose(rng)?;
    let light = kind == TaskType::LookInLight;
    Some(GoalDefinition {
        object: (*object).to_owned(),
        lamp: light.then(|| target.clone()),
        receptacle: (!light).then(|| target.clone()),
        count: (!light).then_some(u8::try_from(count).unwrap_or(1)),
        state: kind.condition(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_type_gives_solvable_tasks_and_the_same_from_the_same_seed() {
        for kind in TASK_TYPES {
            for seed in 0..12 {
                let definition = task(kind, seed).unwrap();
                assert_eq!(definition, task(kind, seed).unwrap());
                check(&definition).unwrap();
                assert_eq!(definition.task_type, kind.name());
            }
        }
    }

    #[test]
    fn the_expert_that_searches_wins_too() {
        for kind in TASK_TYPES {
            for seed in 0..6 {
                let definition = task(kind, seed).unwrap();
                let commands = search_expert(&definition, Edition::Put).unwrap();
                let line = serde_json::to_string(&definition).unwrap();
                let mut world = HouseholdWorld::new(Source::from_lines(&line, "test").unwrap(), Edition::Put);
                let mut outcome = world.reset(&definition.id, 0).unwrap();
                for command in commands {
                    outcome = world.act(&command).unwrap();
                    assert_eq!(outcome.error, None, "{command} in {}", definition.id);
                }
                assert!(outcome.won, "{}", definition.id);
            }
        }
    }

    #[test]
    fn types_are_read_by_either_name() {
        for kind in TASK_TYPES {
            assert_eq!(kind.name().parse(), Ok(kind));
            assert_eq!(kind.word().parse(), Ok(kind));
        }
        assert!("boil".parse::<TaskType>().unwrap_err().contains("heat"));
    }
}
