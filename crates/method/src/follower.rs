//! Followers: state that a method derives from the episode, node by node. The timeline keeps a copy at every checkpoint beside world and
//! program, so that going back costs nothing and no frame derives it again.

use std::any::Any;

use stepwright_episode::{Action, StepOutcome, TreeEdit};
use stepwright_world::World;

/// Derived state. It reads worlds, but never changes one.
pub trait Follower: Send {
    /// A copy; cheap.
    fn copy(&self) -> Box<dyn Follower>;

    /// Itself, for the method that made it.
    fn as_any(&self) -> &dyn Any;

    /// Takes in a step; `world` is as it is after it.
    fn follow(&mut self, action: &Action, outcome: &StepOutcome, world: &dyn World);

    /// Takes in a person's change at the present node.
    ///
    /// # Errors
    /// Where the change makes no sense, in words; nothing is changed then.
    fn edit(&mut self, edit: &TreeEdit, world: &dyn World) -> Result<(), String>;

    /// Whether it depends on the assertions in force, so that others make it void.
    fn depends_on_assertions(&self) -> bool;
}

impl Clone for Box<dyn Follower> {
    fn clone(&self) -> Self {
        self.copy()
    }
}
