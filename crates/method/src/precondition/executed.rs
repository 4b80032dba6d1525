//! Demonstrations as all who infer from them share them: executed once, and what they show that actions change found once.

use std::ops::Deref;
use std::sync::OnceLock;

use super::demonstrations::{Demo, DemonstrationError, Demonstrations};
use super::effect_calls::EffectCalls;
use super::effects::{ActionEffects, inferred};
use stepwright_program::Specification;

#[derive(Debug)]
pub struct Executed {
    demos: Demonstrations,
    effect_calls: OnceLock<EffectCalls>,
    effects: OnceLock<Vec<ActionEffects>>,
}

impl Executed {
    pub fn new(specification: &Specification, demos: Vec<Demo>) -> Result<Self, DemonstrationError> {
        let demos = Demonstrations::new(specification, demos)?;
        Ok(Executed { demos, effect_calls: OnceLock::new(), effects: OnceLock::new() })
    }

    /// The calls that effects are judged on.
    pub(super) fn effect_calls(&self) -> &EffectCalls {
        self.effect_calls.get_or_init(|| EffectCalls::of(&self.demos))
    }

    /// What they show that actions change, by action function in the order of the specification.
    pub fn effects(&self) -> &[ActionEffects] {
        self.effects.get_or_init(|| inferred(&self.demos, self.effect_calls()))
    }
}

impl Deref for Executed {
    type Target = Demonstrations;

    fn deref(&self) -> &Demonstrations {
        &self.demos
    }
}
