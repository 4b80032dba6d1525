//! Reflexion (Shinn et al. 2023): ReAct over several trials of one task; after a failed one the model writes down what to do otherwise.
//!
//! A run of trials is one tree: each begins at the start again. There, what is missing is asked for first: a reflection on each failed
//! trial, an artifact of its own that a person may edit or refuse. The last few stand in the prompts of the trial that follows. Lines are
//! asked for and read as in [`super::react`]; `trials` finds the trials and reflections in the records.

mod trials;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::options::{TEMPERATURE, TRIALS};
use super::react::{self, EXAMPLES, LIMITS, Notes, examples_of, material, render, transcript};
use super::skills::TIPS;
use super::{
    Answer, Checks, Context, Deed, Method, MethodInfo, Needs, Place, Reading, Section, SectionLine, Step, StepStatus,
};
use stepwright_episode::{Action, Ask, AskKind, Decision, Generation, PromptRecord, Shape, Written};
use stepwright_world::options::{Kind, OptionSpec};
pub(super) use trials::ARTIFACT;
use trials::{Trial, id, kind, reflected, unreflected};

/// Tokens of a reflection, as published.
const TOKENS: u32 = 256;

/// How many reflections a prompt holds.
const MEMORY: OptionSpec =
    OptionSpec::new("memory", "Reflections", Kind::Whole { min: 0, max: 10 }, "last reflections in a prompt").or("3");

#[derive(Debug, Clone, Copy)]
pub(super) struct Reflexion;

/// The variables of the templates for a reflection.
#[derive(Serialize)]
struct Failed {
    about: String,
    transcript: String,
    why: String,
    earlier: Vec<String>,
}

impl Method for Reflexion {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "reflexion",
            label: "Reflexion",
            description: "ReAct over trials of one task: back at the start, the model first writes a reflection on each failed \
                          trial, which you may edit; the last ones stand in the prompts of the next.",
            options: &[EXAMPLES, LIMITS, MEMORY, TRIALS, TIPS, TEMPERATURE],
            needs: Needs { language: true, ..Needs::NONE },
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        if let Some(trial) = due(cx) {
            return match reflection_prompt(cx, &trial) {
                Ok(prompt) => Step::ask(cx.ask(AskKind::Artifact { artifact: kind() }, prompt, 1, 0.0)),
                Err(why) => Step::Stuck(why),
            };
        }
        react::next(cx, || {
            let notes = Notes { reflections: kept(cx) };
            render(cx, "react/act", &material(cx, false, &notes)?)
        })
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        if matches!(ask.kind, AskKind::Action { .. }) {
            return react::lines(cx, ask, answer);
        }
        let Some(trial) = due(cx) else {
            return Reading::Problem("no trial waits for a reflection any more".to_owned());
        };
        let (raw, text) = (answer.first().to_owned(), answer.first().trim());
        let value = (!text.is_empty()).then(|| Arc::new(json!({ "text": text, "trial": trial.leaf })));
        let problem = value.is_none().then(|| "the model wrote nothing".to_owned());
        let (artifact, title) = (id(&trial), format!("trial {}, which failed", trial.number));
        Reading::Artifact(Box::new(Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem }))
    }

    fn shape(&self, _cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(match kind {
            AskKind::Action { .. } => react::line(raw),
            _ => Generation { max_tokens: TOKENS, ..Generation::default() },
        })
    }

    fn check(&self, cx: &Context<'_>, action: &Action, _offered: bool) -> Checks {
        react::checks(cx, action)
    }

    fn carry_out(&self, cx: &Context<'_>, _decision: &Decision, action: &Action) -> Deed {
        react::deed(cx, action)
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        react::over(cx, decision)
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        let Some(node) = at.session.node(at.node) else { return Vec::new() };
        let lines = reflected(node).into_iter().map(|(_, text)| SectionLine { text, mark: StepStatus::Open });
        let lines: Vec<SectionLine> = lines.collect();
        let section = Section { title: "reflections".to_owned(), lines, ..Section::default() };
        if section.lines.is_empty() { Vec::new() } else { vec![section] }
    }
}

/// The trial that a reflection is due on: at the start alone, the oldest of the last ones that has none.
fn due(cx: &Context<'_>) -> Option<Trial> {
    let node = cx.node().filter(|node| node.parent.is_none() && cx.samples.is_none())?;
    unreflected(cx.session, node, cx.options().count(&MEMORY) as usize)
}

/// The reflections that stand in a prompt, the oldest first.
fn kept(cx: &Context<'_>) -> Vec<String> {
    let all = cx.node().map(reflected).unwrap_or_default();
    let most = cx.options().count(&MEMORY) as usize;
    let skip = all.len().saturating_sub(most);
    all.into_iter().skip(skip).map(|(_, text)| text).collect()
}

fn reflection_prompt(cx: &Context<'_>, trial: &Trial) -> Result<PromptRecord, String> {
    let examples = examples_of(cx)?;
    let path = cx.session.path(trial.leaf);
    let why = path.last().and_then(|leaf| leaf.outcome.ended.clone()).unwrap_or_default();
    let failed = Failed {
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about },
        transcript: transcript(cx, examples.form, &path),
        why,
        earlier: kept(cx),
    };
    let name = if cx.prompting.raw { "reflexion/reflect" } else { "reflexion/reflect_chat" };
    cx.prompting.render(name, &failed)
}
