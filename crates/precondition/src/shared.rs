//! Demonstrations as all who infer from them share them: executed once, and what they show that actions change found once.

use std::ops::Deref;
use std::sync::OnceLock;

use super::demonstrations::{Demo, DemonstrationError, Demonstrations};
use super::effect_calls::EffectCalls;
use super::effects::{ActionEffects, inferred, suggested};
use stepwright_program::{Effects, Specification};

/// Executed demonstrations with the effects that they show, found when first asked for.
#[derive(Debug)]
pub struct SharedDemonstrations {
    demos: Demonstrations,
    effect_calls: OnceLock<EffectCalls>,
    effects: OnceLock<Vec<ActionEffects>>,
}

impl SharedDemonstrations {
    /// Executes them.
    /// Errors: the first call of a demonstration that the specification cannot execute.
    pub fn new(specification: &Specification, demos: Vec<Demo>) -> Result<Self, DemonstrationError> {
        let demos = Demonstrations::new(specification, demos)?;
        Ok(SharedDemonstrations { demos, effect_calls: OnceLock::new(), effects: OnceLock::new() })
    }

    /// The calls that effects are judged on.
    pub(super) fn effect_calls(&self) -> &EffectCalls {
        self.effect_calls.get_or_init(|| EffectCalls::of(&self.demos))
    }

    /// What they show that actions change, by action function in the order of the specification.
    pub fn effects(&self) -> &[ActionEffects] {
        self.effects.get_or_init(|| inferred(&self.demos, self.effect_calls()))
    }

    /// The effects that they suggest, and those that mostly follow, compiled.
    pub fn suggested_effects(&self) -> Effects {
        suggested(&self.demos, self.effects())
    }
}

impl Deref for SharedDemonstrations {
    type Target = Demonstrations;

    fn deref(&self) -> &Demonstrations {
        &self.demos
    }
}
