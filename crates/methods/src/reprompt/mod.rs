//! Plans of free-form steps: open-loop planning (Huang et al., "Language Models as Zero-Shot Planners") and corrective re-prompting
//! with its re-sampling baseline (Raman et al., "Planning with Large Language Models via Corrective Re-prompting").
//!
//! A model writes the next step as a sentence, shown the example of the nearest task; the sentence is translated to the nearest
//! admissible step, chosen by similarity and log-probability (`stepwright_plan::score`). Open-loop planning goes on whatever the world
//! says. Re-prompting answers a refusal with a corrective prompt, which waits for a decision; once corrected, the failed step and the
//! error are out of the prompt again. Re-sampling tries the next best sample instead. Without a language model the nearest example
//! fitted to the task is the plan, and the world's own corrector answers errors.
//!
//! `course` reads what was tried from the records, `record` what they hold; `prompt` renders, `work` retrieves and translates,
//! `failure` says why a step was refused, `rows` shows the plan.

mod failure;
mod options;
mod plan_history;
mod prompt;
mod record;
mod rows;
mod steps;
#[cfg(test)]
mod tests;
mod work;

use serde_json::Value;
use stepwright_plan::sample::Reader;
use stepwright_plan::settings::{Loop, Settings};

use options::OnError;
use plan_history::PlanHistory;
pub(super) use record::ARTIFACT;

use stepwright_episode::gate::Draft;
use stepwright_episode::{Ask, AskKind, Generation, Origin, RequestTag, Shape, Wanted};
use stepwright_method::publications::SETTINGS;
use stepwright_method::{
    Answer, Context, DerivedState, Method, MethodInfo, Place, Reading, Section, Step, Stop, VetoedAction, WorkInput,
};
use stepwright_program::Call;

#[derive(Debug, Clone, Copy)]
pub(super) struct FreeForm {
    pub(super) on_error: OnError,
}

pub(super) const METHODS: [FreeForm; 3] = [
    FreeForm { on_error: OnError::GoOn },
    FreeForm { on_error: OnError::Resample },
    FreeForm { on_error: OnError::Reprompt },
];

impl FreeForm {
    fn corrects(self) -> bool {
        self.on_error == OnError::Reprompt
    }

    /// What reads samples of the next step.
    fn reader(self, settings: &Settings, raw: bool, course: &PlanHistory) -> Reader {
        match settings.of {
            _ if !raw => Reader::Chat,
            Loop::Notebook => Reader::Notebook,
            Loop::Evaluation => Reader::Evaluation { whole: course.steps(self.on_error == OnError::GoOn).is_empty() },
        }
    }

    /// A plan before any step.
    fn begun(self, cx: &Context<'_>) -> PlanHistory {
        PlanHistory::new(self.on_error, options::skips(cx.options().text(&SETTINGS)))
    }

    fn settings(self, cx: &Context<'_>) -> Settings {
        options::settings(self.on_error, cx.options())
    }
}

impl Method for FreeForm {
    fn info(&self) -> MethodInfo {
        match self.on_error {
            OnError::GoOn => MethodInfo {
                id: "open-loop",
                label: "Open-loop planning",
                description: "The model writes each step freely, shown the nearest example; the nearest admissible step is taken, \
                              whatever the world says of the one before. Without a language model the fitted example is the plan.",
                options: options::OPEN_LOOP,
                ..MethodInfo::BARE
            },
            OnError::Resample => MethodInfo {
                id: "resample",
                label: "Re-sampling",
                description: "As open-loop planning, but after a refused step the next best of the samples' steps is tried, and the \
                              same asked again when all are refused.",
                options: options::RESAMPLE,
                ..MethodInfo::BARE
            },
            OnError::Reprompt => MethodInfo {
                id: "reprompt",
                label: "Corrective re-prompting",
                description: "As open-loop planning, but a refused step is answered with a corrective prompt that says that it failed, \
                              which step, or why. Without a language model the world's own rules say the correction.",
                options: options::REPROMPT,
                ..MethodInfo::BARE
            },
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        steps::next(*self, cx)
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        if ask.kind != record::translation() && ask.kind != record::corrected() {
            return Reading::Kept;
        }
        let origin = match cx.model.language {
            true => Origin::Sample,
            false if ask.kind == record::translation() && steps::stand_in(cx).is_some() => Origin::Borrowed,
            false => Origin::Symbolic,
        };
        let offered = answer.completions.iter().filter_map(|c| serde_json::from_str::<record::Offered>(&c.text).ok());
        Reading::drafts(offered.map(|offered| draft(cx, &offered, origin)).collect())
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        let settings = self.settings(cx);
        let tokens = if raw { settings.tokens } else { CHAT_TOKENS };
        let stop = if raw { vec!["\n".to_owned()] } else { Vec::new() };
        let course = cx.so_far(self.begun(cx));
        let tried = course.attempts.len();
        let numbered = self.reader(&settings, raw, &course) == Reader::Evaluation { whole: false };
        let (request, wanted) = match *kind == record::correction() {
            true => (tried, Wanted::Correction),
            false => (tried + 1, if numbered { Wanted::NumberedStep } else { Wanted::Step }),
        };
        Shape::Generate(Generation {
            max_tokens: tokens,
            stop,
            frequency_penalty: settings.frequency_penalty,
            presence_penalty: settings.presence_penalty,
            top_p: Some(settings.top_p).filter(|share| *share < 1.0),
            tag: Some(RequestTag { request, wanted }),
            logprobs: true,
            // Ten tokens cut the usual sample.
            cut_counts: raw,
            ..Generation::default()
        })
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        work::done(known, work)
    }

    fn vetoed(&self, cx: &Context<'_>) -> Option<VetoedAction> {
        let turn = &cx.node()?.turn;
        let last = record::prompts(turn).next_back().and_then(record::Corrective::of).filter(|prompt| prompt.veto)?;
        let why = format!("it was not tried: {}; what is below may make it possible", last.reason);
        // Sessions of earlier versions hold the step alone, with its first letter as plans spell it.
        let spelled = || {
            last.step
                .chars()
                .next()
                .map(|first| first.to_lowercase().chain(last.step.chars().skip(1)).collect::<String>())
        };
        let action = Some(last.action.clone()).filter(|action| !action.is_empty()).or_else(spelled)?;
        (!record::dropped(turn, self.begun(cx).skips)).then_some(VetoedAction { action, why })
    }

    fn rows(&self, at: &Place<'_>) -> Vec<Section> {
        rows::rows(at, self.on_error)
    }

    fn follow(&self, cx: &Context<'_>) -> Option<Box<dyn DerivedState>> {
        cx.keep(self.begun(cx))
    }
}

/// Tokens of a chat model's answer.
const CHAT_TOKENS: u32 = 64;

/// A candidate as a proposal: the sentence as it was written, the admissible step as the action.
fn draft(cx: &Context<'_>, offered: &record::Offered, origin: Origin) -> Draft {
    let of = &offered.candidate;
    let by_words = || cx.world.language().and_then(|language| language.text_of_words(&of.step));
    let by_call = || of.step.parse::<Call>().ok().and_then(|call| stepwright_method::action_of(cx.world, &call));
    let is_written = cx.options().is(&options::TRANSLATION, "off");
    let action = match (by_words(), cx.world.language().is_some()) {
        (Some(text), _) => Some(cx.action(&text)),
        // The world refuses what it cannot read.
        (None, true) => is_written.then(|| cx.action(&of.step)),
        (None, false) => by_call().or_else(|| Some(cx.action(&of.step))),
    };
    let problem = action.is_none().then(|| format!("NotAnAction: `{}` is no step of this world", of.step));
    let likely = match (of.logprob, of.replaced) {
        (Some(logprob), _) => format!("mean log-probability {logprob:.3}"),
        (None, true) => "the model gives no log-probability".to_owned(),
        (None, false) => "the model gives no log-probability, so similarity alone counts".to_owned(),
    };
    // What repeats is the step nearest to the sentence, which may be another than this one.
    let penalty = match of.replaced {
        true => format!("; the score is {} instead, as the step nearest to the sentence was tried", of.score),
        false if of.penalty > 0.0 => format!(", {} off, as the step nearest to the sentence is repeated", of.penalty),
        false => String::new(),
    };
    let step = stepwright_plan::written::spelled(&of.step);
    let by_figures = || format!("similarity {:.3} to `{step}`, {likely}{penalty}", of.similarity);
    let rationale = offered.why.clone().unwrap_or_else(by_figures);
    let raw = if of.sentence.is_empty() { step } else { of.sentence.clone() };
    Draft {
        action,
        problem,
        score: Some(of.score),
        logprob: of.logprob,
        rationale: Some(rationale),
        ..Draft::new(raw, origin)
    }
}
