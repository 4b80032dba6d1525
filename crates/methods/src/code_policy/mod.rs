//! Policies as code: the model writes a program for the task, and each action that the program takes is decided about by itself.
//!
//! O3D-Code (Xiao et al. 2024, Appendix D) composes functions that a model wrote for skills from logs. Demo2Code and AdaPlanner, whose programs hold all
//! that they need, have rooms of their own and share what is here: `run` runs a program in the sandbox from its beginning, with what
//! happened since as the answers to its calls, up to the first call that has none; `run_so_far` finds these in the records, so that going
//! back, branching and reopening need nothing else; [`next_line`] offers the next action or asks what a function is answered. The program
//! is a plan's document, so that a person may rewrite it at any point. `prompt` fills the templates.

mod literal;
mod prompt;
mod run;
mod run_so_far;

use std::sync::Arc;

use serde_json::{Map, Value, json};
use stepwright_skill::code::{self, Next, Parts};

use super::react::{LIMITS, over};
pub(super) use literal::is_literal;
pub(super) use prompt::{functions_of, message};
pub(super) use run_so_far::RunSoFar;
use stepwright_episode::{ArtifactId, Ask, AskKind, Decision, Generation, Origin, PromptRecord, Shape, Written};
use stepwright_method::options::TEMPERATURE;
use stepwright_method::plan_following::{ActivePlan, NextLine, Taken, Upcoming, active_plan, upcoming};
use stepwright_method::skills::{self, SKILLS};
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Needs, Place, Reading, SYMBOLIC, Section, Step, StepStatus,
    Stop, WorkInput,
};
use stepwright_world::Ability;

const TOKENS: u32 = 1_200;
/// Tokens of an answer to a function that a model answers.
pub(super) const FUNCTION_TOKENS: u32 = 160;
/// Temperature of a program that is written anew, where none is set.
const AGAIN: f64 = 0.7;
/// The program where no language model writes one: that of the functions that ship.
const SOLVE: &str = "solve(task, observation)";

/// O3D-Code: skills are functions that a model wrote from logs; the program is composed of them.
#[derive(Debug, Clone, Copy)]
pub(super) struct O3dCode;

impl Method for O3dCode {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "o3d-code",
            label: "O3D-Code",
            description: "Skills are functions that a model wrote from logs; the model composes a program of them, and each action it \
                          takes is yours to approve. Without a language model functions written by hand play, and no skill of logs.",
            options: &[SKILLS, LIMITS, TEMPERATURE],
            needs: Needs {
                world_with_model: &[],
                world_without_model: &[Ability::SkillCode],
                local: true,
                ..Needs::NONE
            },
            plans: true,
            programs: true,
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let library = match library(cx) {
            Ok(library) => library,
            Err(why) => return Step::Error(why),
        };
        let origin = if cx.model.language { Origin::Greedy } else { Origin::Symbolic };
        let parts = |program: &str| Parts { library: library.clone(), program: program.to_owned(), ..Parts::default() };
        let next = |force: &ActivePlan<'_>| {
            next_line(cx, force, || (parts(force.text), Map::new()), |came, _| stopped(&in_words(came)))
        };
        if let Upcoming::Step(step) = upcoming(cx, origin, |force| Some(next(force))) {
            return *step;
        }
        if !cx.model.language {
            return Step::ask(cx.own(AskKind::PLAN, SYMBOLIC, 1, Value::Null));
        }
        ask(cx, "program", AskKind::PLAN, cx.samples.is_some(), prompt::composed(cx, library))
    }

    fn read(&self, _cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        let code = || code::written(answer.first());
        match ask.kind {
            AskKind::PLAN => program(ask, answer, code(), &[]),
            // What a run came to, and what a model answered a function, is read again from the record.
            _ => Reading::Kept,
        }
    }

    fn shape(&self, _cx: &Context<'_>, kind: &AskKind, _raw: bool) -> Shape {
        let max_tokens = if matches!(kind, AskKind::Other(_)) { FUNCTION_TOKENS } else { TOKENS };
        Shape::Generate(Generation { max_tokens, ..Generation::default() })
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        if !work.is_null() {
            return computed(known, work);
        }
        match known.world.file(prompt::FILE) {
            Some(_) => Ok(Answer::texts([SOLVE.to_owned()])),
            None => {
                Err(format!("no functions of skills ship for the world {}; choose a language model", known.world.name))
            }
        }
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        over(cx, decision)
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        rows(at)
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(Taken::default())
    }
}

/// The functions that its programs may call: with a model the primitive functions and those that were written from logs for the skills;
/// without one those that ship, which no model is shown.
fn library(cx: &Context<'_>) -> Result<String, String> {
    if !cx.model.language {
        return Ok(cx.world.kind().file(prompt::FILE).map_or("", |file| file.text).to_owned());
    }
    let functions = skills::functions(cx.skills(&SKILLS)?.as_ref())?;
    let primitives = cx.world.kind().file(prompt::PRIMITIVES).map_or(code::GENERIC, |file| file.text);
    Ok(format!("{primitives}\n{functions}\n"))
}

/// An ask by a prompt; `again`: greedily written again it would come out the same.
pub(super) fn ask(
    cx: &Context<'_>,
    purpose: &str,
    kind: AskKind,
    again: bool,
    prompt: Result<PromptRecord, String>,
) -> Step {
    let temperature =
        if again { cx.options().number(&TEMPERATURE).unwrap_or(AGAIN) } else { cx.temperature(purpose, Some(0.0)) };
    match prompt {
        Ok(prompt) => Step::ask(cx.ask(kind, prompt, 1, temperature)),
        Err(why) => Step::Error(why),
    }
}

/// The next action of the program in force, or what has to be found out for it; `failed`: the step after a program that came to its
/// end.
pub(super) fn next_line(
    cx: &Context<'_>,
    force: &ActivePlan<'_>,
    parts: impl FnOnce() -> (Parts, Map<String, Value>),
    failed: impl FnOnce(&Next, &RunSoFar) -> Step,
) -> Result<NextLine, Box<Step>> {
    let so_far = RunSoFar::of(&cx.path(), force);
    let Some(next) = &so_far.next else {
        let (parts, values) = parts();
        let work = run::work(cx, parts, values, &so_far);
        return Err(Box::new(Step::ask(cx.own(run_so_far::run_kind(), THE_PROGRAM, 1, work))));
    };
    match next {
        Next::Call { number, function, args, line } => match next.action() {
            Some(action) => Ok(NextLine {
                line: *line,
                text: force.text.lines().nth(line.saturating_sub(1)).unwrap_or_default().trim().to_owned(),
                action: action.to_owned(),
                why: format!("action {} of the program, from its line {line}", so_far.actions + 1),
            }),
            None if function == code::ACT => Err(Box::new(stopped("an action that is no text; edit the program"))),
            None => {
                let prompt = prompt::function(cx, function, args);
                Err(Box::new(ask(cx, prompt::FUNCTION, run_so_far::function_kind(*number, function), false, prompt)))
            }
        },
        end => Err(Box::new(failed(end, &so_far))),
    }
}

/// What a program is run for: what it does next.
pub(super) fn computed(known: &WorkInput, work: &Value) -> Result<Answer, String> {
    run::next(known, work).map(|next| Answer::texts([next]))
}

/// Whose name is recorded with what a program does.
const THE_PROGRAM: &str = "the program";

/// Why a program that came to its end is of no use any more.
pub(super) fn in_words(end: &Next) -> String {
    match end {
        Next::Fault { why, .. } => why.clone(),
        _ => "it came to its end, and the goal is not reached".to_owned(),
    }
}

pub(super) fn stopped(why: &str) -> Step {
    let why = format!("the program cannot go on: {why}; edit it, have another written, or act yourself");
    Step::Recommend { proposal: None, why }
}

/// An answer as the program in force; `more`: what its document holds beside the text and the ask, and in their place.
pub(super) fn program(ask: &Ask, answer: &Answer, code: String, more: &[(&str, Value)]) -> Reading {
    let problem = code.trim().is_empty().then(|| "the answer holds no code".to_owned());
    whatever(ask, answer, code, more, problem)
}

/// As [`program`], with `problem` where it cannot be in force.
pub(super) fn whatever(
    ask: &Ask,
    answer: &Answer,
    code: String,
    more: &[(&str, Value)],
    problem: Option<String>,
) -> Reading {
    let raw = answer.first().to_owned();
    let mut value = json!({ "text": code, "ask": ask.id });
    for (key, more) in more {
        value[*key] = more.clone();
    }
    let value = problem.is_none().then(|| Arc::new(value));
    let (artifact, title) = (ArtifactId::PLAN, "a program".to_owned());
    Reading::Artifact(Box::new(Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem }))
}

/// The line at which a program cannot go on, from 1.
fn faulty_line(next: Option<&Next>) -> Option<usize> {
    let Some(Next::Fault { why, .. }) = next else { return None };
    why.strip_prefix("line ")?.split_once(':')?.0.parse().ok()
}

/// The program in force at a node, with what became of the lines that acted, and the line at which it cannot go on.
pub(super) fn rows(at: &Place<'_>) -> Vec<Section> {
    let mut sections = stepwright_method::plan_following::rows(at);
    let path = at.path();
    let so_far = active_plan(&path).map(|force| RunSoFar::of(&path, &force)).unwrap_or_default();
    let faulty = faulty_line(so_far.next.as_ref()).and_then(|line| line.checked_sub(1));
    for section in &mut sections {
        section.title = "program".to_owned();
        for (line, accepted) in &so_far.replayed {
            let line = line.checked_sub(1).and_then(|at| section.lines.get_mut(at));
            if let Some(line) = line.filter(|line| line.mark == StepStatus::Open) {
                line.mark = if *accepted { StepStatus::Done } else { StepStatus::Refused };
            }
        }
        if let Some((at, line)) = faulty.and_then(|at| Some((at, section.lines.get_mut(at)?))) {
            line.mark = StepStatus::Refused;
            section.at = at;
        }
    }
    sections
}
