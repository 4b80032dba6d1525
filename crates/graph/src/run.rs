//! Runs of scripts: whole, as the reference's executor does, or step by step, each step as a script of one line. They keep what each step
//! changed and what the simulator said of it.

use std::fmt;

use crate::action::Action;
use crate::effects::Effects;
use crate::graph::{At, Graph};
use crate::memory::Memory;
use crate::reason::{Reason, Shown};
use crate::rules::{Checks, Reach};
use crate::script::{Line, Param};

/// Something the simulator said of a step.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Message {
    pub reason: Reason,
    pub line: Line,
    /// Its number in the script, from 1.
    pub number: usize,
}

impl fmt::Display for Message {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.reason {
            Reason::Unsupported(_) => self.reason.fmt(f),
            reason => write!(f, "{reason} when executing \"{} [{}]\"", self.line, self.number),
        }
    }
}

pub fn joined(messages: &[Message]) -> String {
    messages.iter().map(Message::to_string).collect::<Vec<_>>().join(",")
}

#[derive(Debug, Clone)]
pub struct Runner {
    graph: Graph,
    memory: Memory,
    messages: Vec<Message>,
    set: Vec<At>,
}

impl Runner {
    /// Before the first step.
    pub fn new(graph: Graph) -> Self {
        Runner { graph, memory: Memory::default(), messages: Vec::new(), set: Vec::new() }
    }

    pub fn graph(&self) -> &Graph {
        &self.graph
    }

    /// Everything that was said so far, in order; of steps that were done too.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// The nodes whose states were set, first those that were first set.
    pub fn set(&self) -> Vec<At> {
        let mut first = Vec::new();
        for at in &self.set {
            if !first.contains(at) {
                first.push(*at);
            }
        }
        first
    }

    /// Does one step, the `number`th of its script; whether it was done. A step that was not done changes nothing but the messages.
    pub fn step(&mut self, line: &Line, number: usize) -> bool {
        let mut said = Vec::new();
        let outcome = self.perform(line, &mut said);
        let done = outcome.is_ok();
        said.extend(outcome.err());
        self.messages.extend(said.into_iter().map(|reason| Message { reason, line: line.clone(), number }));
        done
    }

    pub fn would(&self, line: &Line) -> bool {
        self.check(line).is_ok()
    }

    /// Checks whether a step would be refused now.
    /// Errors: the reason; of several the one that counts, which is the last.
    pub fn check(&self, line: &Line) -> Result<(), Reason> {
        if matches!(line.action, Action::LookAtShort | Action::LookAtLong) {
            return Err(Reason::Unsupported(line.action.name()));
        }
        let checks = self.checks();
        match line.action.arity() {
            0 => checks.alone(line.action),
            1 => checks.action(line.action, self.find(line.params.first())?, None),
            _ => {
                let thing = self.find(line.params.first())?;
                checks.action(line.action, thing, Some(self.find(line.params.get(1))?))
            }
        }
    }

    fn checks(&self) -> Checks<'_> {
        Checks { graph: &self.graph, memory: &self.memory, reach: None }
    }

    pub(crate) fn checks_within<'a>(&'a self, reach: &'a Reach) -> Checks<'a> {
        Checks { reach: Some(reach), ..self.checks() }
    }

    fn find(&self, param: Option<&Param>) -> Result<At, Reason> {
        let found = param.and_then(|param| self.graph.find(param.number));
        found.ok_or_else(|| {
            let named = param.map(|param| Shown { class: param.name.clone(), id: param.number });
            Reason::NotFound(named.unwrap_or_else(|| Shown { class: "nothing".into(), id: 0 }))
        })
    }

    /// Checks and does; what is said beside the reason of a failure is put into `said`.
    fn perform(&mut self, line: &Line, said: &mut Vec<Reason>) -> Result<(), Reason> {
        let action = line.action;
        if matches!(action, Action::LookAtShort | Action::LookAtLong) {
            return Err(Reason::Unsupported(action.name()));
        }
        match action.arity() {
            0 => {
                self.checks().alone(action)?;
                self.effects().alone(action);
            }
            1 => {
                let thing = self.find(line.params.first())?;
                self.with_one(action, thing, said)?;
            }
            _ => {
                let thing = self.find(line.params.first())?;
                let place = self.find(line.params.get(1))?;
                self.checks().with_two(action, thing, place)?;
                self.effects().with_two(action, thing, place);
            }
        }
        Ok(())
    }

    fn with_one(&mut self, action: Action, thing: At, said: &mut Vec<Reason>) -> Result<(), Reason> {
        let checks = self.checks();
        match action {
            Action::Walk | Action::Run => {
                checks.walk(thing)?;
                self.effects().walk(thing);
            }
            Action::Find if checks.is_found_here(thing) => {
                checks.find_here(thing)?;
                self.effects().find_here(thing);
            }
            Action::Find => match checks.walk(thing) {
                Ok(()) => self.effects().walk(thing),
                // The reference then tries to find it here, which fails as well: two reasons for one step.
                Err(reason) => {
                    said.extend((!checks.is_refused_in_silence(thing)).then_some(reason));
                    checks.find_here(thing)?;
                }
            },
            _ => {
                checks.with_one(action, thing)?;
                said.extend(checks.remark(action, thing));
                self.effects().with_one(action, thing);
            }
        }
        Ok(())
    }

    fn effects(&mut self) -> Effects<'_> {
        Effects { graph: &mut self.graph, memory: &mut self.memory, set: &mut self.set }
    }
}

#[derive(Debug, Clone)]
pub struct Run {
    /// The household before each step and after the last that was done: one more than steps done.
    pub moments: Vec<Graph>,
    pub messages: Vec<Message>,
    /// The step that failed, from 1.
    pub failed: Option<usize>,
    /// The nodes whose states were set, first those that were first set.
    pub set: Vec<At>,
}

impl Run {
    pub fn of(graph: &Graph, script: &[Line]) -> Run {
        let mut runner = Runner::new(graph.clone());
        let mut moments = vec![graph.clone()];
        let mut failed = None;
        for (line, number) in script.iter().zip(1..) {
            if !runner.step(line, number) {
                failed = Some(number);
                break;
            }
            moments.push(runner.graph.clone());
        }
        Run { moments, failed, set: runner.set(), messages: runner.messages }
    }

    pub fn end(&self) -> Option<&Graph> {
        self.moments.last()
    }

    /// Why it failed: the last thing said.
    pub fn reason(&self) -> Option<&Reason> {
        self.failed?;
        self.messages.last().map(|message| &message.reason)
    }

    /// Whether the reference ends here by an exception and gives no outcome at all.
    pub fn breaks_off(&self) -> bool {
        self.messages.iter().any(|message| message.reason.breaks_off())
    }

    pub fn message(&self) -> String {
        match self.failed {
            None => "Script is executable".to_owned(),
            Some(_) => format!("Script is not executable, since {}", joined(&self.messages)),
        }
    }
}

#[derive(Debug, Clone)]
pub struct Stepped {
    pub line: Line,
    pub before: Graph,
    /// The household after; as before if it failed.
    pub after: Graph,
    /// The messages; of a step that was done too.
    pub messages: Vec<Message>,
    pub done: bool,
}

impl Stepped {
    pub fn once(graph: &Graph, line: &Line) -> Stepped {
        let mut runner = Runner::new(graph.clone());
        let done = runner.step(line, 1);
        Stepped { line: line.clone(), before: graph.clone(), after: runner.graph, messages: runner.messages, done }
    }

    /// Why it failed: the last thing said.
    pub fn reason(&self) -> Option<&Reason> {
        if self.done { None } else { self.messages.last().map(|message| &message.reason) }
    }
}

/// Runs a plan step by step without the lines that were left out of it (numbers from 1). After a step that fails, the ones that were
/// left out before it are tried in their order, then the failed step again.
pub fn stepping(graph: &Graph, plan: &[Line], left_out: &[usize]) -> Vec<Stepped> {
    let mut attempts: Vec<Stepped> = Vec::new();
    let mut now = graph.clone();
    let mut attempt = |line: &Line, attempts: &mut Vec<Stepped>| {
        let stepped = Stepped::once(&now, line);
        now = stepped.after.clone();
        let done = stepped.done;
        attempts.push(stepped);
        done
    };
    for (line, number) in plan.iter().zip(1..).filter(|(_, number)| !left_out.contains(number)) {
        if attempt(line, &mut attempts) {
            continue;
        }
        let before = plan.iter().zip(1..).filter(|(_, other)| *other < number && left_out.contains(other));
        for (earlier, _) in before {
            attempt(earlier, &mut attempts);
        }
        attempt(line, &mut attempts);
    }
    attempts
}
