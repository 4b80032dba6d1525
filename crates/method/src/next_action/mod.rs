//! Methods whose model writes the next line of the trajectory program, or scores it: Algorithm 1, its baselines, choice by
//! likelihood.
//!
//! They differ in what is asked when ([`NextAction::next`]) and in whether the prompt holds the assertions in force. `scoring` ranks
//! admissible actions by log-probability; `ranking` is the built-in agent's, where no language model is in use.

mod ranking;
pub mod scoring;

pub use scoring::turn_end;

use serde_json::Value;

use super::context::action_of;
use super::options::{RANKED, THINK, shows_assertions};
use super::prompting::{Form, SpecificationText, completion_tokens};
use super::publications::Interface;
use super::reading::{CALLS_A_TOOL, END_OF_CALL, Line, closed, wordless, written};
use super::{Answer, Context, Method, MethodInfo, REFERENCE, Reading, Round, Step, Stop, WorkInput, verify};
use stepwright_episode::gate::Draft;
use stepwright_episode::{
    Ask, AskKind, Generation, Origin, PromptRecord, ProposalId, Role, Shape, Structure, action_of_effects,
};
use stepwright_model::{CUT_OFF, Completion};
use stepwright_text::sanitize;
use stepwright_world::options::Values;

/// The purpose of its asks.
const ACT: &str = "act";

/// Most characters shown of a completion that is no action.
const SHOWN: usize = 80;

#[derive(Debug, Clone, PartialEq)]
pub enum Next {
    Greedy,
    Samples(u32),
    /// The log-probability of each admissible action as the next line.
    Score,
    /// Nothing: it is done proposing.
    Recommend {
        proposal: Option<ProposalId>,
        why: String,
    },
}

#[derive(Debug, Clone, Copy)]
pub struct NextAction {
    pub info: MethodInfo,
    /// Whether the prompt holds the assertions in force; the option `assertions` may say otherwise.
    pub shows_assertions: bool,
    /// Actions to be ranked by the built-in agent, where no option says otherwise.
    pub ranked: u32,
    pub next: fn(Round<'_>, &Values) -> Next,
}

impl Method for NextAction {
    fn info(&self) -> MethodInfo {
        self.info
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let Some(round) = cx.round() else { return Step::Stuck("the episode has not begun".into()) };
        let next = match cx.samples {
            Some(n) => Next::Samples(n),
            None => (self.next)(round, cx.options()),
        };
        let cx = &cx.of(if next == Next::Score { Role::Selector } else { Role::Proposer });
        let form = if cx.interface(ACT) == Interface::Text { Form::Raw } else { Form::Chat };
        let (kind, n, temperature, form) = match next {
            Next::Recommend { proposal: None, why } => {
                let why = [why].into_iter().chain(unusable(cx, round)).collect::<Vec<_>>().join(": ");
                return Step::Recommend { proposal: None, why };
            }
            Next::Recommend { proposal, why } => return Step::Recommend { proposal, why },
            Next::Greedy => (AskKind::GREEDY, 1, 0.0, form),
            Next::Samples(n) => (AskKind::SAMPLES, n, cx.temperature(ACT, None), form),
            Next::Score => (AskKind::SCORED, 0, 0.0, Form::Scored),
        };
        if !cx.model.language {
            let by = match cx.reference() {
                Some(Err(why)) => return Step::Error(why),
                Some(Ok(_)) => REFERENCE,
                None => cx.model.name.as_str(),
            };
            let kind = if cx.samples.is_some() { AskKind::FURTHER } else { AskKind::RANKED };
            let n = cx.samples.or(cx.options().whole(&RANKED)).unwrap_or(self.ranked);
            let work = ranking::work(cx, kind == AskKind::FURTHER, n);
            return Step::ask(cx.own(kind, by, n, work));
        }
        let candidates = match (form == Form::Scored).then(|| scoring::candidates(cx)).transpose() {
            Ok(candidates) => candidates,
            Err(why) => return Step::Error(why),
        };
        let prompt = match self.prompt(cx, form) {
            Ok(prompt) => prompt,
            Err(why) => return Step::Error(why),
        };
        let Some(candidates) = candidates else { return Step::ask(cx.ask(kind, prompt, n, temperature)) };
        let n = u32::try_from(candidates.list.len()).unwrap_or(u32::MAX);
        Step::Ask { ask: cx.ask(kind, prompt, n, temperature), note: candidates.note }
    }

    fn read(&self, cx: &Context<'_>, ask: &Ask, answer: &Answer) -> Reading {
        match ask.kind {
            AskKind::SCORED => scoring::read(cx, answer),
            AskKind::RANKED | AskKind::FURTHER => ranking::read(cx, ask, answer),
            _ => {
                let greedy = ask.temperature == 0.0;
                Reading::drafts(answer.completions.iter().map(|c| read_completion(cx, c, greedy)).collect())
            }
        }
    }

    fn shape(&self, cx: &Context<'_>, kind: &AskKind, raw: bool) -> Shape {
        if *kind == AskKind::SCORED {
            let list = scoring::candidates(cx).map(|c| c.list).unwrap_or_default();
            return Shape::Score { continuations: scoring::continuations(&list) };
        }
        let structure = (cx.model.structured && !raw).then(|| one_of(cx)).flatten();
        let own = Generation { structure, ..generation(raw, cx.options().on(&THINK)) };
        Shape::Generate(cx.generation(ACT, own))
    }

    fn compute(&self, known: &WorkInput, work: &Value, _stop: &Stop) -> Result<Answer, String> {
        ranking::rank(known, work)
    }
}

impl NextAction {
    /// The prompt for the next action: the specification with the assertions in force, or with none.
    fn prompt(&self, cx: &Context<'_>, form: Form) -> Result<PromptRecord, String> {
        let in_force = cx.session.assertions();
        let assertions = in_force.iter().filter(|(name, _)| action_of_effects(name).is_none());
        let assertions = assertions.map(|(action, (of, _))| (action.clone(), of.clone())).collect();
        let shown = shows_assertions(cx.options(), self.shows_assertions);
        let specification = SpecificationText::new(cx.program.specification(), shown.then_some(&assertions))?;
        let ends = turn_end(cx.world, cx.program.specification().declarations());
        let turn_ends = ends.as_ref().map(|(receiver, _)| receiver.as_str());
        cx.prompting.next_action(form, cx.session, &specification, &cx.knowledge.kind, turn_ends)
    }
}

/// The calls of the admissible actions, one of which an answer is held to; `None` where the world lists none, or others speak too.
fn one_of(cx: &Context<'_>) -> Option<Structure> {
    let candidates = scoring::candidates(cx).ok().filter(|c| c.note.is_none())?;
    let calls: Option<Vec<String>> = candidates.list.into_iter().map(|c| c.action.call).collect();
    calls.map(Structure::OneOf)
}

/// A next action. A raw completion stops at the end of its line, or of its call where a thought may come first.
pub fn generation(raw: bool, think: bool) -> Generation {
    let stop = match (raw, think) {
        (true, true) => vec![END_OF_CALL.to_owned()],
        (true, false) => vec!["\n".to_owned()],
        (false, _) => Vec::new(),
    };
    Generation { max_tokens: completion_tokens(raw, think), stop, logprobs: true, ..Generation::default() }
}

/// The fault of a completion that is no action, with its remedy; `None` where it is one.
fn unusable(cx: &Context<'_>, round: Round<'_>) -> Option<String> {
    if !cx.model.language {
        return None;
    }
    let mut written = round.proposals();
    let first = written.next()?;
    if first.action.is_some() || written.any(|p| p.action.is_some()) {
        return None;
    }
    let text = first.raw.trim();
    let shown: String = text.chars().take(SHOWN).collect();
    let more = if shown.len() < text.len() { "…" } else { "" };
    let problem = first.problem.as_deref().unwrap_or("it is no action");
    let wrote = match shown.as_str() {
        "" if problem == CALLS_A_TOOL => problem.to_owned(),
        "" => wordless("").to_owned(),
        shown => format!("the model wrote \"{}{more}\", which is no action line ({problem})", sanitize::line(shown)),
    };
    let setting = cx.model.raw_setting.clone().filter(|_| !cx.prompting.raw);
    Some([wrote].into_iter().chain(setting).collect::<Vec<_>>().join("; "))
}

fn read_completion(cx: &Context<'_>, completion: &Completion, greedy: bool) -> Draft {
    let raw = completion.text.clone();
    let written = written(&raw);
    let line = verify::read(&closed(written.line, &completion.finish), cx.program.specification());
    let (action, mut problem) = match line {
        Line::Not { reason, message } => (None, Some(format!("{reason}: {message}"))),
        Line::Call(call) => match action_of(cx.world, &call) {
            Some(action) => (Some(action), None),
            None => (None, Some(format!("NotAnAction: {call} is no action of this world"))),
        },
    };
    let mut rationale = (!written.thoughts.is_empty()).then(|| written.thoughts.join(" "));
    if raw.trim().is_empty() && wordless(&completion.finish) == CALLS_A_TOOL {
        problem = Some(CALLS_A_TOOL.to_owned());
    }
    if completion.finish == CUT_OFF {
        match &mut problem {
            Some(problem) => problem.push_str(" (the answer was cut off)"),
            None => {
                let cut = "the answer was cut off: the stream ended without saying that it was whole";
                rationale = Some(rationale.map_or_else(|| cut.to_owned(), |thought| format!("{thought} ({cut})")));
            }
        }
    }
    let origin = if greedy { Origin::Greedy } else { Origin::Sample };
    Draft { action, problem, logprob: completion.mean_logprob(), rationale, ..Draft::new(raw, origin) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn completions_have_room_for_a_thought_where_one_is_wanted() {
        let tokens = |raw: bool, think: bool| generation(raw, think).max_tokens;
        assert!(tokens(true, true) > tokens(true, false) && tokens(false, true) > tokens(false, false));
        assert_eq!(generation(true, true).stop, [")\n"]);
        assert_eq!(generation(true, false).stop, ["\n"]);
        assert!(generation(false, true).stop.is_empty());
    }

    #[test]
    fn an_answer_without_a_text_may_call_a_tool() {
        assert_eq!(wordless("tool_calls"), CALLS_A_TOOL);
        assert_eq!(["stop", ""].map(wordless), ["the model wrote nothing"; 2]);
    }
}
