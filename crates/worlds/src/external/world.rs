//! The external world as a [`World`]: the history of an episode, over a process that follows it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;

use super::line::{Hello, Task};
use super::link::{Known, Link, Step};
use super::reading::Reading;
use stepwright_episode::{Action, Check};
use stepwright_program::tools::Toolbox;
use stepwright_program::{Call, Specification};
use stepwright_world::adapter::Adapter;
use stepwright_world::remote::{History, Recorded, Remote, StatusCallback, Stop};
use stepwright_world::{Outcome, ProgramHeader, Request, Snapshot, Symbols, TaskInfo, World, WorldError, WorldKind};

/// A world behind an adapter. Forks share the process.
pub struct ExternalWorld {
    adapter: Arc<Adapter>,
    link: Arc<Link>,
    /// Where this fork is, wherever the process is.
    history: History<Step>,
    /// The step to which a restart brought it by a snapshot.
    restored: usize,
    stop: Stop,
}

impl ExternalWorld {
    /// A world behind an adapter, with a specification's source; the adapter's own if `None`. Nothing is started yet.
    pub fn new(adapter: Arc<Adapter>, specification: Option<&str>) -> Result<Self, WorldError> {
        // A recorded specification is read whatever the phrases are now.
        let is_own = specification.is_none() && adapter.specification.is_some();
        let source = match specification {
            Some(source) => source.into(),
            None => adapter.specification()?,
        };
        let name = adapter.specification.as_ref().map_or_else(|| "spec.py".to_owned(), |p| p.display().to_string());
        let specification =
            Specification::load(&source, &name).map_err(|e| WorldError::Data { path: name, message: e.to_string() })?;
        let misfit = || adapter.phrases.iter().find_map(|phrase| phrase.misfit(&specification));
        if let Some(why) = is_own.then(misfit).flatten() {
            return Err(WorldError::Failed(format!("`actions` in [{}.{}]: {why}", adapter.section, adapter.name)));
        }
        // A recorded one that was made of tools is made of them again once the world lists them.
        let is_generic =
            adapter.specification.is_none() && (source == adapter.specification()? || is_of_tools(&source));
        let known = Known { reading: Reading::new(&adapter, &specification), specification, is_generic };
        let link = Link::new(Arc::clone(&adapter), known);
        Ok(ExternalWorld { adapter, link, history: History::default(), restored: 0, stop: Stop::default() })
    }

    /// The tasks behind an adapter: those configured, or those that the process tells, which is started for it. Where it cannot be asked,
    /// why stands in place of the sentence.
    pub(super) fn listed(adapter: &Arc<Adapter>) -> Vec<TaskInfo> {
        let configured = adapter.task_infos();
        if !adapter.tasks.is_empty() {
            return configured;
        }
        match ExternalWorld::told(adapter) {
            Ok(told) if told.is_empty() => configured,
            Ok(told) => told,
            Err(why) => {
                let sentence = format!("it cannot be asked for its tasks: {why}");
                configured.into_iter().map(|info| TaskInfo { sentence: sentence.clone(), ..info }).collect()
            }
        }
    }

    /// The tasks that the process tells.
    fn told(adapter: &Arc<Adapter>) -> Result<Vec<TaskInfo>, WorldError> {
        let mut world = ExternalWorld::new(Arc::clone(adapter), None)?;
        world.reset("", 0)?;
        let told = world.link.hello().map(|hello| listed(adapter, &hello)).unwrap_or_default();
        world.link.close();
        Ok(told)
    }

    fn last(&self) -> Option<&Step> {
        self.history.steps.last().map(|s| &**s)
    }

    fn sentence(&self) -> Option<&str> {
        self.history.steps.first()?.more.as_ref()?.sentence.as_deref()
    }

    /// The outcome of a step that was just taken; it has more than a record, always.
    fn outcome(step: &Step) -> Outcome {
        step.more.as_ref().map(|m| m.outcome.clone()).unwrap_or_default()
    }
}

/// The tasks that a world lists.
fn listed(adapter: &Adapter, hello: &Hello) -> Vec<TaskInfo> {
    let told = |text: &str, other: &str| if text.is_empty() { other.to_owned() } else { text.to_owned() };
    let info = |task: &Task| TaskInfo {
        id: adapter.id_of(&task.id),
        kind: told(&task.kind, &adapter.name),
        sentence: told(&task.sentence, &task.id),
        source: adapter.command_line(),
    };
    hello.tasks.iter().map(info).collect()
}

/// Whether a specification was made of a list of tools.
fn is_of_tools(source: &str) -> bool {
    Toolbox::setup().iter().all(|line| source.contains(line))
}

impl World for ExternalWorld {
    fn kind(&self) -> &'static WorldKind {
        &super::KIND
    }

    fn reset(&mut self, task: &str, seed: u64) -> Result<Outcome, WorldError> {
        let step = self.link.reset(self.adapter.task_of(task), seed, &self.stop)?;
        let outcome = ExternalWorld::outcome(&step);
        if let Some(why) = outcome.error {
            return Err(WorldError::Failed(format!("the world does not begin {task:?}: {why}")));
        }
        let task = self.adapter.task_of(task).to_owned();
        self.history = History { task, seed, steps: Arc::new(vec![step]) };
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let step = self.link.act(&mut self.history, text, &self.stop)?;
        Ok(ExternalWorld::outcome(&step))
    }

    fn request(&self) -> Option<Request> {
        self.last()?.more.as_ref()?.request.clone()
    }

    fn admissible(&self) -> Option<Vec<String>> {
        self.last()?.more.as_ref()?.admissible.clone()
    }

    fn tools(&self) -> Option<Toolbox> {
        self.link.known().reading.tools().cloned()
    }

    fn form_checks(&self, action: &Action) -> Vec<Check> {
        self.link.known().reading.form_check(&action.text).into_iter().collect()
    }

    fn introduced(&self) -> Option<String> {
        let hello = self.link.hello()?;
        let said = [hello.name.trim(), hello.version.trim()].join(" ");
        Some(said.trim().to_owned()).filter(|said| !said.is_empty())
    }

    fn truth(&self) -> Value {
        self.last().and_then(|s| s.more.as_ref()).map_or(Value::Null, |m| m.state.clone())
    }

    fn snapshot(&self) -> Snapshot {
        self.history.snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.history.restore(snapshot)
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        let mut tasks = match (self.adapter.tasks.is_empty(), self.link.hello()) {
            (true, Some(hello)) if !hello.tasks.is_empty() => listed(&self.adapter, &hello),
            _ => self.adapter.task_infos(),
        };
        // What was reported of the present task is better than what is configured.
        if !self.history.steps.is_empty() {
            let id = self.adapter.id_of(&self.history.task);
            let known = tasks.iter_mut().find(|t| t.id == id);
            match (known, self.sentence()) {
                (Some(task), Some(sentence)) => sentence.clone_into(&mut task.sentence),
                (Some(_), None) => {}
                (None, sentence) => tasks.push(TaskInfo {
                    sentence: sentence.unwrap_or(&id).to_owned(),
                    kind: self.adapter.name.clone(),
                    source: self.adapter.command_line(),
                    id,
                }),
            }
        }
        tasks
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        self.link.known().reading.call_of(text)
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        self.link.known().reading.text_of(call)
    }

    fn header(&self) -> ProgramHeader {
        let id = self.adapter.id_of(&self.history.task);
        let comment = self.sentence().unwrap_or(&id).to_owned();
        let mut function = String::from("episode_");
        for c in comment.trim_end_matches('.').chars().take(60) {
            let c = if c.is_ascii_alphanumeric() { c.to_ascii_lowercase() } else { '_' };
            if c != '_' || !function.ends_with('_') {
                function.push(c);
            }
        }
        let function = function.trim_end_matches('_').to_owned();
        let comment = comment.lines().collect::<Vec<_>>().join(" ");
        ProgramHeader { function, comment, setup: self.link.known().specification.declarations().setup.clone() }
    }

    fn specification(&self) -> Cow<'static, str> {
        Cow::Owned(self.link.known().specification.source().to_owned())
    }

    /// None at a step that is known from a record only.
    fn symbols(&self) -> Option<&dyn Symbols> {
        Some(self.last()?.more.as_ref()?.literals.as_ref()?)
    }

    fn remote(&mut self) -> Option<&mut dyn Remote> {
        Some(self)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(ExternalWorld {
            adapter: Arc::clone(&self.adapter),
            link: Arc::clone(&self.link),
            history: self.history.clone(),
            restored: 0,
            stop: Stop::default(),
        })
    }
}

impl Remote for ExternalWorld {
    fn recall(&mut self, step: Recorded<'_>) {
        match step {
            Recorded::Reset { task, seed, outcome } => {
                let step = Step { action: None, logged: outcome.clone(), more: None };
                let task = self.adapter.task_of(task).to_owned();
                self.history = History { task, seed, steps: Arc::new(vec![Arc::new(step)]) };
            }
            Recorded::Act { action, outcome } => {
                let step = Step { action: Some(action.text.clone()), logged: outcome.clone(), more: None };
                self.history.push(Arc::new(step));
            }
        }
    }

    fn restart(&mut self) -> Result<(), WorldError> {
        self.restored = self.link.restart(&mut self.history, &self.stop)?;
        Ok(())
    }

    fn restored(&self) -> usize {
        self.restored
    }

    fn stopper(&self) -> Box<dyn Fn() + Send + Sync> {
        let (link, stop) = (Arc::clone(&self.link), self.stop.clone());
        Box::new(move || link.stop(&stop))
    }

    fn watch(&self, bell: StatusCallback) {
        self.link.watch(bell);
    }

    fn close(&self) {
        self.link.close();
    }
}
