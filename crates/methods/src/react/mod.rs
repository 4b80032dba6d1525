//! ReAct (Yao et al. 2023): the model goes on with a transcript of actions and observations, and thinks aloud where it likes.
//!
//! A thought is a step of its own that executes nothing and is answered with `OK.`, as published: it is proposed, can be edited or
//! refused, and counts among the lines of the published limits. ReAct-long (Xiao et al. 2024) is the same with as many logged episodes
//! in the prompt as the model takes. How lines are read and transcripts written is `stepwright_trajectory::react`; `prompt` fills the
//! templates, `limits` ends episodes as the publications did.

mod limits;
mod prompt;

use stepwright_trajectory::react::{OK, is_thought, read, verbatim};

pub(super) use limits::{IDLE, Limit, limit, over, reached};
use prompt::form_of;
pub(super) use prompt::{
    ACT, CHARACTERS, EXAMPLES, Notes, Taken, beginning, examples_of, material, render, taken, transcript, transcript_of,
};
pub(super) use stepwright_method::options::LIMITS;

use stepwright_episode::gate::Draft;
use stepwright_episode::{
    Action, Ask, AskKind, Check, CheckKind, Choice, Decision, Generation, Origin, PromptRecord, Shape, Status,
    StepOutcome, Verdict,
};
use stepwright_method::options::TEMPERATURE;
use stepwright_method::publications::SETTINGS;
use stepwright_method::reading::wordless;
use stepwright_method::skills::{FORMS, TIPS};
use stepwright_method::{Answer, Checks, Context, Deed, Method, MethodInfo, Needs, Reading, Step};
use stepwright_model::Completion;
use stepwright_text::words::stripped;

stepwright_world::option_specs! {
    pub(super) READING: "reading", "Reading of lines", "how a line is read of an answer", [
        LENIENT = "marks and fences off; none is no action", "stripped" = "as written; an empty one is an action",
        "front" = "the same, with blanks at the end"
    ] or LENIENT;
}
const LENIENT: &str = "lenient";

/// Tokens of a line, as published.
const TOKENS: u32 = 100;
/// Tokens of a chat model's answer, which may say more than the line.
const CHAT_TOKENS: u32 = 300;

/// ReAct, in either length.
#[derive(Debug, Clone, Copy)]
pub(super) struct React {
    /// Whether the prompt holds as many logged episodes as the model takes.
    pub(super) long: bool,
}

impl Method for React {
    fn info(&self) -> MethodInfo {
        let needs = Needs { language: true, ..Needs::NONE };
        if self.long {
            MethodInfo {
                id: "react-long",
                label: "ReAct-long",
                description: "As ReAct, with as many recorded episodes in the prompt as the model's context takes.",
                options: &[SETTINGS, LIMITS, READING, TIPS, TEMPERATURE],
                needs,
                ..MethodInfo::BARE
            }
        } else {
            MethodInfo {
                id: "react",
                label: "ReAct",
                description: "The model goes on with a transcript of actions and observations, one line at a time: a thought or an \
                              action. Thoughts are steps that execute nothing.",
                options: &[SETTINGS, EXAMPLES, CHARACTERS, LIMITS, READING, TIPS, FORMS, TEMPERATURE],
                needs,
                ..MethodInfo::BARE
            }
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        next(cx, || render(cx, "react/act", &material(cx, self.long, &Notes::default())?))
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        lines(cx, ask, answer)
    }

    fn shape(&self, cx: &Context<'_>, _kind: &AskKind, raw: bool) -> Shape {
        Shape::Generate(cx.generation(ACT, line(raw)))
    }

    fn check(&self, cx: &Context<'_>, action: &Action, _offered: bool) -> Checks {
        checks(cx, action)
    }

    fn carry_out(&self, cx: &Context<'_>, _decision: &Decision, action: &Action) -> Deed {
        deed(cx, action)
    }

    fn ended(&self, cx: &Context<'_>, decision: &Decision) -> Option<String> {
        over(cx, decision)
    }
}

/// The next step: a line of the model, then its recommendation. A refused line is asked for again, at random.
pub(super) fn next(cx: &Context<'_>, prompt: impl FnOnce() -> Result<PromptRecord, String>) -> Step {
    let Some(round) = cx.round() else { return Step::Stuck("the episode has not begun".into()) };
    let asked = asked(cx);
    if cx.samples.is_none() && asked > 0 {
        let found = round.proposals().find(|p| p.action.is_some());
        if found.is_none()
            && let Some(temperature) = cx.fixed(ACT).again.and_then(|again| again.temperatures.get(asked - 1))
        {
            return ask(cx, prompt, AskKind::SAMPLES, 1, *temperature);
        }
        let why = match found {
            Some(p) if p.action.as_ref().is_some_and(|a| is_thought(&a.text)) => "the model thinks",
            Some(_) => "the model's next action",
            None => "the model wrote no line",
        };
        return Step::Recommend { proposal: found.map(|p| p.id), why: why.to_owned() };
    }
    let refused = round.turn.decisions.iter().any(|d| matches!(d.choice, Choice::Reject { .. }));
    let (kind, n, temperature) = match cx.samples {
        Some(n) => (AskKind::SAMPLES, n, cx.temperature("", None)),
        None if refused => (AskKind::SAMPLES, 1, cx.temperature("", None)),
        None => (AskKind::GREEDY, 1, cx.temperature(ACT, Some(0.0))),
    };
    ask(cx, prompt, kind, n, temperature)
}

/// Whether answers are taken as they were written.
pub(super) fn as_written(cx: &Context<'_>) -> bool {
    !cx.options().is(&READING, LENIENT)
}

/// How often a line was asked for in this round.
fn asked(cx: &Context<'_>) -> usize {
    cx.round().map_or(0, |round| round.asked(&AskKind::GREEDY) + round.asked(&AskKind::SAMPLES))
}

fn ask(
    cx: &Context<'_>,
    prompt: impl FnOnce() -> Result<PromptRecord, String>,
    kind: AskKind,
    n: u32,
    temperature: f64,
) -> Step {
    match prompt() {
        Ok(prompt) => Step::ask(cx.ask(kind, prompt, n, temperature)),
        Err(why) => Step::Error(why),
    }
}

pub(super) fn lines(cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
    let origin = if ask.temperature == 0.0 { Origin::Greedy } else { Origin::Sample };
    Reading::drafts(answer.completions.iter().map(|completion| draft(cx, completion, origin)).collect())
}

fn draft(cx: &Context<'_>, completion: &Completion, origin: Origin) -> Draft {
    let written = completion.text.as_str();
    let line = match cx.options().text(&READING) {
        LENIENT => read(written).text().map(str::to_owned),
        "stripped" => Some(stripped(verbatim(written)).to_owned()),
        _ => Some(verbatim(written).to_owned()),
    };
    let mut draft = Draft { logprob: completion.mean_logprob(), ..Draft::new(written.to_owned(), origin) };
    let again = cx.fixed(ACT).again.filter(|again| stripped(verbatim(written)).chars().count() < again.shorter_than);
    match (again, line) {
        // Asked for the last time, the line is the empty one.
        (Some(again), _) if asked(cx) > again.temperatures.len() => draft.action = Some(cx.action("")),
        (Some(again), _) => draft.problem = Some(format!("fewer than {} characters", again.shorter_than)),
        (None, Some(line)) => draft.action = Some(cx.action(&line)),
        (None, None) => draft.problem = Some(wordless(&completion.finish).to_owned()),
    }
    draft
}

/// The limits of a line: raw text ends with it.
pub(super) fn line(raw: bool) -> Generation {
    let stop = if raw { vec!["\n".to_owned()] } else { Vec::new() };
    let max_tokens = if raw { TOKENS } else { CHAT_TOKENS };
    Generation { max_tokens, stop, logprobs: true, ..Generation::default() }
}

/// A thought is checked by nothing: it executes nothing. An action is checked as any.
pub(super) fn checks(cx: &Context<'_>, action: &Action) -> Checks {
    if !is_held(cx, &action.text) {
        return Checks::default();
    }
    let condition = "a thought: nothing is executed".to_owned();
    let check = Check { kind: CheckKind::World, condition, status: Status::Holds, detail: None };
    Checks::Instead(Verdict { checks: vec![check], preview: Some(OK.to_owned()), ..Verdict::default() })
}

/// A thought is held with its answer; an action is the world's.
pub(super) fn deed(cx: &Context<'_>, action: &Action) -> Deed {
    if is_held(cx, &action.text) {
        Deed::Hold(StepOutcome {
            observation: OK.to_owned(),
            held: Some("thought".to_owned()),
            ..StepOutcome::default()
        })
    } else {
        Deed::Act
    }
}

/// Whether a line is a thought that the world has no answer of its own to.
fn is_held(cx: &Context<'_>, text: &str) -> bool {
    let thinks = match cx.options().text(&READING) {
        LENIENT => is_thought(text),
        _ => form_of(cx).is_thought(text),
    };
    thinks && cx.world.preview(text).is_none_or(|outcome| outcome.error.is_some())
}
