//! Which method and model are in use, and prompts made to suit the model.

use super::Driver;
use crate::driver::prompting::Meter;
use crate::driver::setup::Source;
use crate::episode::Configuration;
use crate::method::{self, Believing, Options};

impl Driver {
    pub(super) fn configure(&mut self, wanted: &Configuration) -> Result<(), String> {
        let found = method::named(&wanted.method).ok_or_else(|| {
            let known: Vec<_> = method::all().iter().map(|m| m.id).collect();
            format!("no method `{}`; there are {}", wanted.method, known.join(", "))
        })?;
        let mut options = self.gate.session().options.clone();
        options.extend(wanted.options.clone());
        let options = Options::read(&options)?;
        if wanted.model != self.source.name() {
            let source = (self.resolver)(&wanted.model)?;
            self.suit(&source);
            self.source = source;
        }
        self.method = found;
        if !self.method.selects_leaves() {
            // Nobody asks for them: steps need not keep them up.
            self.forget_derived_trees();
        }
        self.prompting.options = options;
        if options.belief == Believing::On {
            self.points.tell_truth();
        }
        self.say_without_belief();
        Ok(())
    }

    /// Has prompts made as a model wants them.
    pub(super) fn suit(&mut self, source: &Source) {
        if let Source::Language { model, .. } = source {
            self.prompting.raw = model.prefers_raw();
            self.prompting.context = model.context();
            self.prompting.answer_tokens = model.answer_tokens().unwrap_or_default();
            self.prompting.meter = Meter::default();
        }
    }
}
