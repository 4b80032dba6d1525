//! Configuration. Makes another method and model ready, and uses them once that is recorded; has prompts made to suit the model.

use super::driver::Driver;
use super::models::Prepared;
use super::source::{Source, first_asked, roles_named};
use stepwright_episode::{Configuration, Role};
use stepwright_method::{self as method, FORM, MethodStack};
use stepwright_protocol::Level;
use stepwright_world::options::Values;

impl Driver {
    pub(super) fn prepare(&mut self, wanted: &Configuration) -> Result<Prepared, String> {
        let same = (self.stack.id() == wanted.method).then(|| self.stack.method());
        let method = match same {
            Some(method) => method,
            None => {
                let method = self.models.methods.resolve(&wanted.method)?;
                method.ready()?;
                method
            }
        };
        let mut options = self.gate.session().options.clone();
        options.extend(wanted.options.clone());
        let named = options;
        let options = Values::read(self.models.methods.built_in.options_with(method.info().options), &named)
            .map_err(|e| e.to_string())?;
        let other = wanted.model != self.models.source.name();
        let source = other.then(|| (self.models.resolver)(&wanted.model)).transpose()?;
        let idle = Role::models(&wanted.options).find(|(role, _)| !method.info().asks_as(*role, &options));
        if let Some((role, _)) = idle {
            return Err(format!("{} asks no {}", method.info().id, role.name()));
        }
        let main = source.as_ref().unwrap_or(&self.models.source);
        let known: Vec<&Source> = [main].into_iter().chain(self.models.roles.values()).collect();
        // One that is gone since the session was opened was said to be then.
        let roles = roles_named(&named, &wanted.options, &known, &self.models.resolver)?;
        let traits = first_asked(&method.info(), &roles, main).traits();
        let kind = &self.knowledge.kind;
        let own = if self.timeline.is_own_form() { "own" } else { "" };
        let with_form = options.clone().with(&FORM, own);
        let world = (self.timeline.world.kind(), &*self.knowledge.worlds);
        method::fits(&method.info(), &with_form, world, Some(kind), &traits).map_err(|misfit| misfit.to_string())?;
        Ok(Prepared { method, options, source, roles })
    }

    /// Uses what was made ready.
    pub(super) fn configure(&mut self) {
        let Some(Prepared { method, options, source, roles }) = self.models.prepared.take() else { return };
        self.models.take(source, roles);
        self.stack = MethodStack::new(method, &options);
        // Their users derive them again; steps need not keep them up to date.
        self.forget_assertions();
        if self.stack.keeps_belief() {
            self.timeline.track_truth(self.gate.session().current());
        }
        self.models.set_options(&options);
        self.say_warnings();
    }

    /// Says what a person should know of the method in use.
    pub(super) fn say_warnings(&self) {
        let cx = self.context(None);
        self.stack.warnings(&cx).for_each(|text| self.say(Level::Warning, text));
    }
}
