//! Household graph as a simulated world: an episode of a task in a household.

use std::borrow::Cow;
use std::sync::Arc;

use serde_json::Value;
use stepwright_graph::conditions::ScriptFail;
use stepwright_graph::prepare::{PrepareError, Tables, prepare};
use stepwright_graph::run::{Message, Run, Runner};
use stepwright_graph::script::Param;
use stepwright_graph::{At, Graph, Line, Names, Reason, Shown, script};

use super::names::Things;
use super::observe::{self, Reported};
use super::source::{Source, Task};
use super::{Mode, admissible, facts, goal, language, plan, program, truth};
use crate::Simulated;
use stepwright_program::Call;
use stepwright_text::words::stripped;
use stepwright_world::{
    Atom, Correction, Facts, Language, Map, Outcome, ProgramHeader, Refusal, Symbols, WordedPlan, Wording, WorldError,
    WorldKind,
};

#[derive(Debug, Clone)]
pub struct Episode {
    task: Arc<Task>,
    mode: Mode,
    runner: Runner,
    things: Arc<Things>,
    /// The steps done so far, as they were named.
    program: Arc<Vec<Line>>,
    done: Arc<Vec<Atom>>,
    goals: Arc<[Atom]>,
    reported: Arc<Reported>,
}

pub type GraphWorld = Simulated<Episode>;

pub enum Refused {
    Unread(String),
    /// Not done for a reason; where the simulator gives several for the step, `first` is the first of them.
    Impossible {
        reason: Reason,
        first: Option<Box<Reason>>,
    },
    Contradiction(ScriptFail),
    /// A presumption of the program cannot be made true, or an earlier step fails with it.
    Unprepared(String),
}

impl std::fmt::Display for Refused {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Refused::Unread(message) | Refused::Unprepared(message) => f.write_str(message),
            Refused::Impossible { reason, .. } => reason.fmt(f),
            Refused::Contradiction(fail) => fail.fmt(f),
        }
    }
}

/// The conditions at the end of an episode. One read off a program is none where it holds from the beginning, or where
/// the household lacks a thing that only preparing adds and it is not prepared.
fn goals(task: &Task, mode: Mode, graph: &Graph, things: &Things) -> Vec<Atom> {
    let goals = task.goals();
    let lacks = |goal: &Atom| goal.args.iter().any(|name| things.find(name).is_none());
    let holds = |goal: &Atom| goal::holds(goal, graph, things, &[]) == Some(true);
    if task.is_abstract && (!mode.prepares() && goals.iter().any(lacks) || goals.iter().all(holds)) {
        return Vec::new();
    }
    goals.to_vec()
}

/// A step that was not done, by what the simulator said of it.
fn failed(messages: &[Message], number: usize) -> Refused {
    let mut said = messages.iter().filter(|message| message.number == number).map(|message| &message.reason);
    let (first, last) = (said.next(), said.next_back());
    match last.or(first) {
        Some(reason) => Refused::Impossible { reason: reason.clone(), first: last.and(first).cloned().map(Box::new) },
        None => Refused::Unprepared(String::new()),
    }
}

impl Episode {
    fn of(task: Arc<Task>, mode: Mode) -> Self {
        let graph = task.home.graph.clone();
        let things = Arc::new(Things::of(&graph, &[]));
        let goals = goals(&task, mode, &graph, &things).into();
        let runner = Runner::new(graph);
        let (program, done, reported) = Default::default();
        Episode { task, mode, runner, things, program, done, goals, reported }
    }

    pub fn graph(&self) -> &Graph {
        self.runner.graph()
    }

    pub fn task(&self) -> &Task {
        &self.task
    }

    pub fn mode(&self) -> Mode {
        self.mode
    }

    pub fn things(&self) -> &Things {
        &self.things
    }

    fn tables(&self) -> Tables<'_> {
        Tables { names: self.names(), properties: &self.task.home.tables.properties }
    }

    /// What names are called in the scene: by the authors' table of names where steps are prepared as by their programs.
    fn names(&self) -> &Names {
        let tables = &self.task.home.tables;
        if self.mode.prepares() { &tables.general } else { &tables.names }
    }

    /// Reads an action: a line of a script, or a step in words.
    pub fn read(&self, text: &str) -> Result<Line, Refused> {
        if stripped(text).starts_with('[') {
            return script::parse_line(text).map_err(|error| Refused::Unread(error.to_string()));
        }
        language::line_of_words(self, text).ok_or_else(|| {
            Refused::Unread(format!(
                "`{}` is no step; expected `[ACTION] <name> (number)`, or words such as `walk to kitchen`",
                text.trim()
            ))
        })
    }

    /// The thing that a step names.
    pub fn find(&self, param: &Param) -> Option<At> {
        self.things.named(param, self.graph(), self.names())
    }

    fn with_ids(&self, line: &Line) -> Result<Line, Refused> {
        let id = |param: &Param| {
            let at = self.find(param).ok_or_else(|| {
                let reason = Reason::NotFound(Shown { class: param.name.clone(), id: param.number });
                Refused::Impossible { reason, first: None }
            })?;
            let node = self.graph().node(at);
            Ok(Param { name: Arc::clone(&node.class), number: node.id })
        };
        let params = line.params.iter().map(id).collect::<Result<Vec<Param>, Refused>>()?;
        Ok(Line { action: line.action, params })
    }

    /// The result of a step: the script then, and the names of things.
    fn after(&self, line: &Line) -> Result<(Runner, Option<Things>), Refused> {
        if !self.mode.prepares() {
            let line = self.with_ids(line)?;
            let step = self.mode == Mode::Step;
            let mut runner = if step { Runner::new(self.graph().clone()) } else { self.runner.clone() };
            let number = if step { 1 } else { self.program.len() + 1 };
            return if runner.step(&line, number) {
                Ok((runner, None))
            } else {
                Err(failed(runner.messages(), number))
            };
        }
        let whole = self.mode == Mode::Prepared;
        let (from, mut program) =
            if whole { (&self.task.home.graph, self.program.to_vec()) } else { (self.graph(), Vec::new()) };
        program.push(line.clone());
        // A line after itself counts once, as in the authors' programs.
        program.dedup();
        let prepared = prepare(from, &program, self.tables()).map_err(|error| match error {
            PrepareError::Contradiction(fail) => Refused::Contradiction(fail),
            error => Refused::Unprepared(error.to_string()),
        })?;
        let run = Run::of(&prepared.graph, &prepared.script);
        match run.failed {
            Some(step) if step < program.len() => {
                let reason = run.reason().map(Reason::to_string).unwrap_or_default();
                Err(Refused::Unprepared(format!("with this step, step {step} would fail: {reason}")))
            }
            Some(step) => Err(failed(&run.messages, step)),
            None => {
                let end = run.end().unwrap_or(&prepared.graph).clone();
                let things = Things::of(&end, &prepared.ids);
                Ok((Runner::new(end), Some(things)))
            }
        }
    }

    pub fn check(&self, line: &Line) -> Result<(), Refused> {
        self.after(line).map(|_| ())
    }

    fn holds(&self, goal: &Atom) -> bool {
        goal::holds(goal, self.graph(), &self.things, &self.done) == Some(true)
    }

    fn open_goals(&self) -> impl Iterator<Item = &Atom> {
        self.goals.iter().filter(|goal| !self.holds(goal))
    }

    /// The things that goals still to be met are about.
    fn wanted(&self) -> Vec<At> {
        let mut wanted: Vec<At> =
            self.open_goals().flat_map(|goal| &goal.args).filter_map(|name| self.things.find(name)).collect();
        wanted.sort();
        wanted.dedup();
        wanted
    }

    fn outcome(&mut self, observation: String) -> Outcome {
        let won = !self.goals.is_empty() && self.open_goals().next().is_none();
        let observation_calls = Arc::make_mut(&mut self.reported).update(self.runner.graph(), &self.things);
        Outcome {
            observation,
            observation_calls,
            reward: if won { 1.0 } else { 0.0 },
            done: won,
            won,
            ..Outcome::default()
        }
    }
}

impl crate::Episode for Episode {
    type Tasks = Source;
    type Options = Mode;

    fn kind() -> &'static WorldKind {
        &super::KIND
    }

    fn begin(source: &Source, mode: Mode, task: &str) -> Result<(Self, Outcome), WorldError> {
        let mut episode = Episode::of(Arc::clone(&source.get(task)?.task), mode);
        let view = observe::sentence(episode.graph(), &episode.things);
        let observation = format!("{}\n\n{view}", episode.task.sentence);
        let outcome = episode.outcome(observation);
        Ok((episode, outcome))
    }

    fn is_same_task(&self, other: &Self) -> bool {
        self.task.id == other.task.id && self.mode == other.mode
    }

    /// A refused action's outcome says why in the simulator's words.
    fn act(&mut self, text: &str) -> Outcome {
        let line = self.read(text);
        let done = line.and_then(|line| self.after(&line).map(|after| (line, after)));
        match done {
            Ok((line, (runner, things))) => {
                self.runner = runner;
                if let Some(things) = things {
                    self.things = Arc::new(things);
                }
                Arc::make_mut(&mut self.done).push(goal::did(line.action, &program::things_of(&line)));
                let call = program::call_of_line(&line);
                Arc::make_mut(&mut self.program).push(line);
                let view = observe::sentence(self.graph(), &self.things);
                Outcome { action_call: Some(call), ..self.outcome(view) }
            }
            Err(refused) => {
                let message = refused.to_string();
                Outcome { error: Some(message.clone()), ..self.outcome(message) }
            }
        }
    }

    fn admissible(&self) -> Option<Vec<String>> {
        Some(admissible::admissible(&self.runner, &self.things, &self.wanted()))
    }

    fn truth(&self) -> Value {
        let goals: Vec<(String, bool)> = self.goals.iter().map(|goal| (goal.to_string(), self.holds(goal))).collect();
        truth::truth(self.graph(), &self.things, &goals)
    }

    fn call_of(_world: &GraphWorld, text: &str) -> Option<Call> {
        program::call_of(text)
    }

    fn text_of(_world: &GraphWorld, call: &Call) -> Option<String> {
        program::text_of(call)
    }

    fn header(world: &GraphWorld) -> ProgramHeader {
        let known = world.episode().map(|e| (e.task.id.as_str(), e.task.sentence.as_str()));
        let (id, sentence) = known.unwrap_or_default();
        program::header(id, sentence)
    }

    fn specification(_world: &GraphWorld) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("../../worlds/graph/spec.py"))
    }

    fn symbols(&self) -> Option<&dyn Symbols> {
        Some(self)
    }

    fn language(&self) -> Option<&dyn Language> {
        Some(self)
    }

    fn picture(&self) -> Option<Map> {
        let goal = match (self.open_goals().next(), self.open_goals().count()) {
            _ if self.goals.is_empty() => format!("goal {}", self.task.title),
            (None, _) => "all goals are met".to_owned(),
            (Some(goal), 1) => format!("goal {goal}"),
            (Some(next), left) => format!("next of {left} goals: {next}"),
        };
        Some(Map::Rooms(plan::plan(self.graph(), &self.things, &self.wanted(), goal)))
    }
}

impl Symbols for Episode {
    fn facts(&self) -> Facts {
        facts::facts(self.graph(), &self.things, &self.done)
    }

    fn goals(&self) -> Option<Vec<Atom>> {
        Some(self.open_goals().cloned().collect())
    }

    fn everything(&self) -> Facts {
        facts::everything(self.graph(), &self.things, &self.done)
    }

    fn things(&self) -> Option<Vec<String>> {
        Some(self.things.all().map(str::to_owned).collect())
    }

    fn goal_holds(&self, part: &Atom) -> Option<bool> {
        goal::holds(part, self.graph(), &self.things, &self.done)
    }
}

impl Language for Episode {
    fn steps(&self) -> Arc<[String]> {
        language::steps(&self.task.home)
    }

    fn words_of(&self, text: &str) -> Option<String> {
        script::parse_line(text).ok().map(|line| stepwright_graph::language::words(&line))
    }

    fn text_of_words(&self, words: &str) -> Option<String> {
        language::line_of_words(self, words).map(|line| line.to_string())
    }

    fn examples(&self) -> Arc<[WordedPlan]> {
        let examples = self.task.home.tables.examples.iter().filter(|plan| plan.task != self.task.title);
        examples.cloned().collect()
    }

    fn task(&self) -> String {
        self.task.title.clone()
    }

    fn correction(&self, text: &str, by_cause: bool) -> Option<Correction> {
        let line = self.read(text).ok()?;
        let refused = self.check(&line).err()?;
        if !by_cause {
            return Some(language::guess(&line));
        }
        Some(match refused {
            Refused::Impossible { reason, .. } => {
                // Of a program that is prepared the things have their numbers in it.
                let line = if self.mode.prepares() { line } else { self.with_ids(&line).unwrap_or(line) };
                language::correction(self, &line, &reason)
            }
            Refused::Unread(_) | Refused::Contradiction(_) | Refused::Unprepared(_) => Correction::Drop,
        })
    }

    fn refusal(&self, text: &str, wording: Wording) -> Option<Refusal> {
        let line = match self.read(text) {
            Ok(line) => line,
            Err(refused) => return Some(language::refusal(None, &refused, wording)),
        };
        self.check(&line).err().map(|refused| language::refusal(Some(&line), &refused, wording))
    }
}
