//! Configuration. Makes another method and model ready, and uses them once that is recorded; has prompts made to suit the model.

use super::driver::Driver;
use super::models::Prepared;
use super::source::Source;
use stepwright_episode::Configuration;
use stepwright_method::{self as method, MethodStack};
use stepwright_protocol::Level;
use stepwright_world::options::Values;

impl Driver {
    pub(super) fn prepare(&mut self, wanted: &Configuration) -> Result<Prepared, String> {
        let same = (self.stack.id() == wanted.method).then(|| self.stack.method());
        let method = match same {
            Some(method) => method,
            None => {
                let method = (self.models.methods)(&wanted.method)?;
                method.ready()?;
                method
            }
        };
        let mut options = self.gate.session().options.clone();
        options.extend(wanted.options.clone());
        let options = Values::read(method::options_with(method.info().options), &options).map_err(|e| e.to_string())?;
        let other = wanted.model != self.models.source.name();
        let source = other.then(|| (self.models.resolver)(&wanted.model)).transpose()?;
        let traits = source.as_ref().map_or_else(|| self.models.traits.clone(), Source::traits);
        let kind = &self.knowledge.kind;
        method::fits(&method.info(), &options, self.timeline.world.kind(), Some(kind), &traits)
            .map_err(|misfit| misfit.to_string())?;
        Ok(Prepared { method, options, source })
    }

    /// Uses what was made ready.
    pub(super) fn configure(&mut self) {
        let Some(Prepared { method, options, source }) = self.models.prepared.take() else { return };
        if let Some(source) = source {
            self.models.take(source);
        }
        self.stack = MethodStack::new(method, &options);
        // Their users derive them again; steps need not keep them up to date.
        self.forget_assertions();
        if self.stack.keeps_belief() {
            self.timeline.track_truth();
        }
        self.models.prompting.options = options;
        self.say_warnings();
    }

    /// Says what a person should know of the method in use.
    pub(super) fn say_warnings(&self) {
        let cx = self.context(None);
        self.stack.warnings(&cx).for_each(|text| self.say(Level::Warning, text));
    }
}
