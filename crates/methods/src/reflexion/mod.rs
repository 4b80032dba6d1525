//! Reflexion (Shinn et al. 2023): ReAct over several trials of one task; after a failed one the model writes down what to do otherwise.
//!
//! A run of trials is one tree: each begins at the start again. There, what is missing is asked for first: a reflection on each failed
//! trial, an artifact of its own that a person may edit or refuse. The last few stand in the prompts of the trial that follows. Lines are
//! asked for and read as in [`super::react`]; `trials` finds the trials and reflections in the records.

mod trials;

use std::sync::Arc;

use serde::Serialize;
use serde_json::json;

use super::react::{
    self, ACT, CHARACTERS, EXAMPLES, LIMITS, Notes, READING, Taken, examples_of, material, render, transcript,
};
use stepwright_episode::{Action, Ask, AskKind, Decision, Generation, PromptRecord, Shape, Written};
use stepwright_method::options::{LAST, TEMPERATURE, TRIALS};
use stepwright_method::publications::SETTINGS;
use stepwright_method::reading::wordless;
use stepwright_method::skills::{FORMS, TIPS};
use stepwright_method::{
    Answer, Checks, Context, Deed, Method, MethodInfo, Needs, Place, Reading, Section, SectionLine, Step, StepStatus,
};
use stepwright_text::words::stripped;
use stepwright_world::options::Kind;
pub(super) use trials::ARTIFACT;
use trials::{Trial, id, kind, reflected, unreflected};

/// Tokens of a reflection, as published.
const TOKENS: u32 = 256;

stepwright_world::option_specs! {
    MEMORY: "memory", "Reflections", "last reflections in a prompt", (whole 0 to 10) or "3";
    RECALL: "recall", "Recall reflections", "reflections stand in the prompts of lines", (Kind::Switch) or "true";
}

/// The purpose of an ask for a reflection.
const REFLECT: &str = "reflect";

#[derive(Debug, Clone, Copy)]
pub(super) struct Reflexion;

/// The variables of the templates for a reflection.
#[derive(Serialize)]
struct Failed {
    about: String,
    transcript: String,
    first: String,
    steps: Vec<Taken>,
    why: String,
    earlier: Vec<String>,
    /// The same as they were written, with blanks at their ends.
    written: Vec<String>,
}

impl Method for Reflexion {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "reflexion",
            label: "Reflexion",
            description: "ReAct over trials of one task: back at the start, the model first writes a reflection on each failed \
                          trial, which you may edit; the last ones stand in the prompts of the next.",
            options: &[
                SETTINGS, EXAMPLES, CHARACTERS, LIMITS, READING, MEMORY, RECALL, TRIALS, LAST, TIPS, FORMS, TEMPERATURE,
            ],
            needs: Needs { language: true, ..Needs::NONE },
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        if let Some(trial) = due(cx) {
            return match reflection_prompt(cx, &trial) {
                Ok(prompt) => {
                    let temperature = cx.temperature(REFLECT, Some(0.0));
                    Step::ask(cx.ask(AskKind::Artifact { artifact: kind() }, prompt, 1, temperature))
                }
                Err(why) => Step::Error(why),
            };
        }
        if cx.options().on(&LAST) && trials::used_up(cx.session, cx.options().count(&TRIALS) as usize) {
            return Step::Recommend { proposal: None, why: "the trials are used up".to_owned() };
        }
        react::next(cx, || {
            let notes = Notes { reflections: if cx.options().on(&RECALL) { kept(cx) } else { Vec::new() } };
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
        let raw = answer.first().to_owned();
        let counts = !raw.trim().is_empty() || react::as_written(cx);
        let value = counts.then(|| Arc::new(json!({ "text": raw, "trial": trial.leaf })));
        let finish = answer.completions.first().map_or("", |completion| completion.finish.as_str());
        let problem = value.is_none().then(|| wordless(finish).to_owned());
        let (artifact, title) = (id(&trial), format!("trial {}, which failed", trial.number));
        Reading::Artifact(Box::new(Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem }))
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(match kind {
            AskKind::Action { .. } => cx.generation(ACT, react::line(raw)),
            _ => cx.generation(REFLECT, Generation { max_tokens: TOKENS, ..Generation::default() }),
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
        let line = |(_, text): (_, String)| SectionLine { text: text.trim().to_owned(), mark: StepStatus::Open };
        let lines = reflected(node).into_iter().map(line);
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
    let (first, steps) = react::taken(cx, &path);
    let why = path.last().and_then(|leaf| leaf.outcome.ended.clone()).unwrap_or_default();
    let failed = Failed {
        about: if examples.about.is_empty() { cx.world.kind().about.to_owned() } else { examples.about },
        transcript: transcript(cx, examples.form, &path),
        first,
        steps,
        why,
        earlier: kept(cx).iter().map(|text| stripped(text).to_owned()).collect(),
        written: kept(cx),
    };
    cx.render(REFLECT, "reflexion/reflect", &failed)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_model::prompt::Prompts;

    #[test]
    fn a_reflection_is_asked_for_as_published() {
        let failed = Failed {
            about: "ABOUT".into(),
            transcript: "FIRST\n> look\nSEEN\n".into(),
            first: String::new(),
            steps: Vec::new(),
            why: String::new(),
            earlier: vec!["NOTE 1".into(), "NOTE 2".into()],
            written: Vec::new(),
        };
        for name in ["reflexion/reflect", "reflexion/reflect_chat"] {
            let messages = Prompts::default().render(name, &failed).unwrap().messages;
            let text: String = messages.iter().map(|message| message.text.as_str()).collect();
            let parts = ["ABOUT", "Two examples", "Noted for the next attempt", "FIRST", "SEEN", "NOTE 1", "NOTE 2"];
            let at: Vec<usize> = parts.iter().map(|part| text.find(part).unwrap()).collect();
            assert!(at.is_sorted(), "{name}: {at:?} in {text}");
        }
    }
}
