//! The agent world as a [`World`]: the history of an episode, over a process that follows it.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::{Value, json};

use super::link::{Link, Step, recall};
use super::task::Task;
use stepwright_episode::{Action, Check};
use stepwright_program::Call;
use stepwright_program::tools::Toolbox;
use stepwright_world::answer::Asked;
use stepwright_world::remote::{History, Recorded, Remote, StatusCallback, Stop};
use stepwright_world::{AgentCommand, Outcome, ProgramHeader, Snapshot, TaskInfo, World, WorldError, WorldKind};

/// Longest sentence that a task is named by, in characters.
const SENTENCE: usize = 200;

/// An agent behind the gate. Forks share the process.
pub(super) struct AgentWorld {
    command: Arc<AgentCommand>,
    task: Arc<Task>,
    link: Arc<Link>,
    /// The specification of a session that is opened again; else it is made of the tools of the first request.
    specification: Option<Arc<str>>,
    /// Where this fork is, wherever the process is.
    history: History<Step>,
    stop: Stop,
}

impl AgentWorld {
    pub(super) fn new(command: Arc<AgentCommand>, task: Task, specification: Option<&str>) -> Self {
        let task = Arc::new(task);
        let link = Link::new(Arc::clone(&command), Arc::clone(&task));
        let specification = specification.map(Arc::from);
        AgentWorld { command, task, link, specification, history: History::default(), stop: Stop::default() }
    }

    fn last(&self) -> Option<&Step> {
        self.history.steps.last().map(|step| &**step)
    }

    /// The goal: what the task says, or else the first thing that a person says to the model.
    fn sentence(&self) -> String {
        if !self.task.task.is_empty() {
            return self.task.task.clone();
        }
        let first = self.history.steps.iter().find_map(|step| step.asked.as_ref());
        let said = first.and_then(|asked| {
            asked
                .request
                .messages
                .iter()
                .find(|m| m.role == stepwright_wire::Role::User)
                .map(stepwright_wire::Message::text)
        });
        let words = said.map(|text| text.split_whitespace().collect::<Vec<_>>().join(" ")).unwrap_or_default();
        if words.is_empty() { self.command.command_line() } else { words.chars().take(SENTENCE).collect() }
    }
}

impl World for AgentWorld {
    fn kind(&self) -> &'static WorldKind {
        &super::KIND
    }

    fn reset(&mut self, task: &str, seed: u64) -> Result<Outcome, WorldError> {
        let (step, outcome) = self.link.reset(seed, &self.stop)?;
        self.history = History { task: task.to_owned(), seed, steps: Arc::new(vec![step]) };
        Ok(outcome)
    }

    fn act(&mut self, text: &str) -> Result<Outcome, WorldError> {
        let action = self.read(text, None).unwrap_or_else(|| Err(WAITS.to_owned())).map_err(WorldError::Failed)?;
        self.take(&action)
    }

    fn take(&mut self, action: &Action) -> Result<Outcome, WorldError> {
        self.link.act(&mut self.history, action, &self.stop)
    }

    fn read(&self, text: &str, from: Option<&Action>) -> Option<Result<Action, String>> {
        Some(
            self.last()
                .and_then(|step| step.asked.as_ref())
                .ok_or_else(|| WAITS.to_owned())
                .and_then(|asked| asked.read(text, from)),
        )
    }

    fn asked(&self) -> Option<Arc<Asked>> {
        self.last()?.asked.clone()
    }

    fn admissible(&self) -> Option<Vec<String>> {
        Some(self.last()?.asked.as_ref()?.tools.forms())
    }

    fn tools(&self) -> Option<Toolbox> {
        Some(self.last()?.asked.as_ref()?.tools.clone())
    }

    fn form_checks(&self, action: &Action) -> Vec<Check> {
        self.last().and_then(|step| step.asked.as_ref()).map(|asked| asked.checks(action)).unwrap_or_default()
    }

    /// What the agent asks with: nothing of it is hidden from the model.
    fn truth(&self) -> Value {
        let Some(asked) = self.last().and_then(|step| step.asked.as_ref()) else { return Value::Null };
        let request = &asked.request;
        let tools: Vec<&str> = request.tools.iter().map(|tool| tool.name.as_str()).collect();
        json!({
            "conversation": asked.thread,
            "interface": request.api.name(),
            "model": request.model,
            "messages": request.messages.len(),
            "tools": tools,
            "parameters": request.parameters,
        })
    }

    fn snapshot(&self) -> Snapshot {
        self.history.snapshot()
    }

    fn restore(&mut self, snapshot: &Snapshot) -> Result<(), WorldError> {
        self.history.restore(snapshot)
    }

    fn tasks(&self) -> Vec<TaskInfo> {
        let (id, source) = (self.task.id.clone(), self.command.command_line());
        vec![TaskInfo { id, kind: super::KIND.name.to_owned(), sentence: self.sentence(), source }]
    }

    fn call_of(&self, text: &str) -> Option<Call> {
        self.last()?.asked.as_ref()?.tools.read(text)?.ok()
    }

    fn text_of(&self, call: &Call) -> Option<String> {
        self.last()?.asked.as_ref()?.tools.wire(call).map(|_| call.to_string())
    }

    fn header(&self) -> ProgramHeader {
        ProgramHeader { function: "episode".to_owned(), comment: self.sentence(), setup: Toolbox::setup() }
    }

    fn specification(&self) -> Cow<'static, str> {
        let first = || self.history.steps.iter().find_map(|step| step.asked.as_ref());
        match (&self.specification, first()) {
            (Some(given), _) => Cow::Owned(given.to_string()),
            (None, Some(asked)) => Cow::Owned(asked.tools.source().to_owned()),
            (None, None) => Cow::Owned(Toolbox::new(Vec::new()).source().to_owned()),
        }
    }

    fn not_undone(&self) -> Option<&'static str> {
        if self.command.words.is_empty() {
            return Some(
                "The agent was started elsewhere and cannot be started again from here: start it anew once you went back, and it is fed the \
                 answers it had. What it did (files, services, messages) stays done.",
            );
        }
        self.command.workspace.is_none().then_some(
            "The agent is started again and fed the answers it had. What it did outside of itself (files, services, messages) stays \
             done: it has no folder of its own. With --workspace DIR each start gets a fresh copy.",
        )
    }

    fn remote(&mut self) -> Option<&mut dyn Remote> {
        Some(self)
    }

    fn fork(&self) -> Box<dyn World> {
        Box::new(AgentWorld {
            command: Arc::clone(&self.command),
            task: Arc::clone(&self.task),
            link: Arc::clone(&self.link),
            specification: self.specification.clone(),
            history: self.history.clone(),
            stop: Stop::default(),
        })
    }
}

/// Why nothing can be answered.
const WAITS: &str = "nothing is asked at this step, so that nothing can be answered";

impl Remote for AgentWorld {
    fn recall(&mut self, step: Recorded<'_>) {
        match step {
            Recorded::Reset { task, seed, outcome } => {
                self.history = History { task: task.to_owned(), seed, steps: Arc::default() };
                recall(&mut self.history, None, outcome);
            }
            Recorded::Act { action, outcome } => recall(&mut self.history, Some(action), outcome),
        }
    }

    fn restart(&mut self) -> Result<(), WorldError> {
        self.link.restart(&mut self.history, &self.stop)
    }

    fn stopper(&self) -> Box<dyn Fn() + Send + Sync> {
        let stop = self.stop.clone();
        Box::new(move || stop.set())
    }

    fn watch(&self, bell: StatusCallback) {
        self.link.standing.watch(bell);
    }

    fn close(&self) {
        self.link.close();
    }
}
