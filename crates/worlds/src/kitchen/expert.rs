//! Expert that knows everything: shows that tasks can be done, and makes the demonstrations. For tests only.
//!
//! The things to be handled follow from the goal (open what is shut, clear what is full, carry, switch); how to get into a position
//! from which that works is searched breadth first over the robot's moves, in the simulator itself.

use std::collections::{BTreeSet, VecDeque};
use std::sync::Arc;

use super::facts::GENERIC_MOVES;
use super::goal::Test;
use super::scene::{Scene, Task};
use super::{Find, Simulation};

/// The most positions tried for one action.
const MOST_POSITIONS: usize = 3_000;

/// Actions that meet the task's goals in order.
pub fn solve(scene: &Arc<Scene>, task: &Task) -> Result<Vec<String>, String> {
    let simulation = Simulation::at(Arc::clone(scene), scene.start_of(task), Find::Fixed);
    let mut expert = Expert { simulation, done: Vec::new() };
    for goal in &task.goals {
        if !goal.holds(expert.simulation.state()) {
            expert.meet(goal.test()).map_err(|e| format!("{}/{}: {}: {e}", scene.id, task.name, goal.literal))?;
        }
        if !goal.holds(expert.simulation.state()) {
            return Err(format!("{}/{}: {} does not hold after {:?}", scene.id, task.name, goal.literal, expert.done));
        }
    }
    Ok(expert.done)
}

struct Expert {
    simulation: Simulation,
    done: Vec<String>,
}

type Met = Result<(), String>;

impl Expert {
    fn meet(&mut self, test: Test) -> Met {
        match test {
            Test::In(thing, receptacle) => self.carry(thing, receptacle),
            Test::On(device, true) => self.switch_on(device),
            Test::Sliced(thing) => {
                self.uncover(thing)?;
                self.hand_act("slice", thing)
            }
            Test::Cooked(thing, device) => {
                self.carry(thing, device)?;
                self.switch_on(device)
            }
            Test::Clean(thing, basin, faucet) => {
                self.carry(thing, basin)?;
                self.switch_on(faucet)
            }
            other => Err(format!("the expert does not know how to meet {other:?}")),
        }
    }

    fn switch_on(&mut self, device: usize) -> Met {
        if self.simulation.state().now(device).on {
            return Ok(());
        }
        if self.simulation.state().now(device).open {
            self.hand_act("close", device)?;
        }
        self.hand_act("switchon", device)
    }

    fn carry(&mut self, thing: usize, receptacle: usize) -> Met {
        if self.simulation.state().now(thing).parent == Some(receptacle) {
            return Ok(());
        }
        self.uncover(receptacle)?;
        self.open(receptacle)?;
        while let Some(obstacle) = self.obstacle(receptacle) {
            let aside = self.spare(obstacle, receptacle)?;
            self.carry(obstacle, aside)?;
        }
        if self.simulation.state().held != Some(thing) {
            if let Some(held) = self.simulation.state().held {
                let aside = self.spare(held, receptacle)?;
                self.put(held, aside)?;
            }
            self.uncover(thing)?;
            self.hand_act("grab", thing)?;
        }
        self.put(thing, receptacle)
    }

    fn put(&mut self, thing: usize, receptacle: usize) -> Met {
        let scene = Arc::clone(self.simulation.scene());
        self.act(&format!("put {} {}", scene.id_of(thing), scene.id_of(receptacle)), &[receptacle])
    }

    /// The obstacle to putting anything somewhere: an obstructing thing, or any if it is full.
    fn obstacle(&self, receptacle: usize) -> Option<usize> {
        let (state, what) = (self.simulation.state(), self.simulation.scene().thing(receptacle));
        let obstructing = state.contents(receptacle).find(|inside| what.obstructed_by.contains(inside));
        let full = what.capacity.is_some_and(|room| state.contents(receptacle).count() >= room);
        obstructing.or_else(|| state.contents(receptacle).next().filter(|_| full))
    }

    /// Where something can be put aside: an open surface with room.
    fn spare(&self, thing: usize, not: usize) -> Result<usize, String> {
        let (state, scene) = (self.simulation.state(), self.simulation.scene());
        let fits = |place: &usize| {
            let what = scene.thing(*place);
            let open = what.receptacle && !what.openable && !what.pickupable && !what.toggleable;
            open && *place != not
                && scene.accepts.fits(&scene.thing(thing).kind, &what.kind)
                && self.obstacle(*place).is_none()
        };
        let found = state.present.iter().copied().find(fits);
        found.ok_or_else(|| format!("there is no place to put {} aside", scene.id_of(thing)))
    }

    /// Opens all that a thing is shut in, from outside inwards.
    fn uncover(&mut self, thing: usize) -> Met {
        let around: Vec<usize> = self.simulation.state().around(thing).collect();
        around.into_iter().rev().try_for_each(|outer| self.open(outer))
    }

    fn open(&mut self, thing: usize) -> Met {
        let shut = self.simulation.scene().thing(thing).openable && !self.simulation.state().now(thing).open;
        if shut { self.hand_act("open", thing) } else { Ok(()) }
    }

    fn hand_act(&mut self, verb: &str, thing: usize) -> Met {
        let action = format!("{verb} {}", self.simulation.scene().id_of(thing));
        self.act(&action, &[thing])
    }

    /// Does an action on things, after the fewest moves that make it possible.
    fn act(&mut self, action: &str, things: &[usize]) -> Met {
        let scene = Arc::clone(self.simulation.scene());
        let ids: Vec<&str> = things.iter().map(|thing| scene.id_of(*thing)).collect();
        let mut moves: Vec<String> = ids.iter().map(|id| format!("walk_to_object {id}")).collect();
        moves.extend(ids.iter().map(|id| format!("scanroom {id}")));
        moves.extend(GENERIC_MOVES.map(str::to_owned));
        moves.push(format!("walk_to_room {}", scene.room));
        let mut waiting = VecDeque::from([(self.simulation.clone(), Vec::new())]);
        let mut seen = BTreeSet::new();
        while let Some((here, path)) = waiting.pop_front() {
            let mut after = here.clone();
            if after.perform(action).is_ok() {
                self.simulation = after;
                self.done.extend(path);
                self.done.push(action.to_owned());
                return Ok(());
            }
            for step in &moves {
                let mut next = here.clone();
                if next.perform(step).is_err() {
                    continue;
                }
                let robot = next.robot();
                let walks = next.state().room_walks % scene.room_poses.len().max(1);
                if seen.len() < MOST_POSITIONS && seen.insert(format!("{robot:?} {walks}")) {
                    let mut path = path.clone();
                    path.push(step.clone());
                    waiting.push_back((next, path));
                }
            }
        }
        Err(format!("no position was found to {action}, after {:?}", self.done))
    }
}
