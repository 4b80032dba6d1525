//! Relay: a model is asked exactly what another program asks of it, and its answers are what is decided about.
//!
//! A rejected answer begins an inner round: it stands in the next request with the person's reason as the result of its calls, and the
//! program sees neither. What a person changed is told to the model in the program's next request. A request that a person words otherwise is
//! sent so for its step.

use std::sync::Arc;

use stepwright_episode::gate::{AskSpec, Draft};
use stepwright_episode::{Ask, AskKind, Choice, Mark, Origin, PromptMessage, PromptRecord, Proposal, Relayed, Shape};
use stepwright_method::context::decided;
use stepwright_method::options::ATTEMPTS;
use stepwright_method::wording;
use stepwright_method::{Answer, Context, Method, MethodInfo, Needs, Reading, Round, Step};
use stepwright_model::Completion;
use stepwright_model::upstream::REFUSED;
use stepwright_wire::{Answer as Said, Role, Turn, Whole, extended, reworded};
use stepwright_world::Ability;
use stepwright_world::answer::{self, Asked};

/// Rejections after which a person says what is to be done.
const PATIENCE: usize = 3;

stepwright_world::option_specs! {
    SAMPLES: "samples", "Answers", "answers asked for, side by side", (whole 1 to 16) or "1";
    TELL: "tell", "Tell of edits", "whether the model is told what a person changed", [
        "on" = "the model reads what a person changed", "off" = "it takes the change for its own"
    ] or "on";
}

#[derive(Debug)]
pub struct Relay;

impl Method for Relay {
    fn info(&self) -> MethodInfo {
        MethodInfo {
            id: "relay",
            label: "Relay",
            description: "Asks the model exactly what the program behind the gate asks, again where no answer passes its checks; \
                          a rejection with its reason goes to the model, not to the program.",
            options: &[SAMPLES, ATTEMPTS, TELL],
            needs: Needs { world: &[Ability::Answers], language: true, ..Needs::NONE },
            ..MethodInfo::BARE
        }
    }

    fn step(&self, cx: &Context<'_>) -> Step {
        let (Some(round), Some(asked)) = (cx.round(), cx.world.asked()) else {
            return Step::Stuck("nothing is asked here: restart the world to bring the program to this step".into());
        };
        if let Some(n) = cx.samples {
            return ask(cx, &asked, AskKind::SAMPLES, n);
        }
        let first = cx.options().count(&SAMPLES).max(1);
        if !round.has_asked(&AskKind::RELAYED) && !round.has_asked(&AskKind::SAMPLES) {
            return match round.turn.rejected().filter(|(proposal, _)| is_of(round, proposal, template(cx))).count() {
                n if n >= PATIENCE => Step::Recommend {
                    proposal: None,
                    why: format!("{n} answers were rejected in a row: edit one, type one, or ask for more"),
                },
                _ => ask(cx, &asked, AskKind::RELAYED, first),
            };
        }
        let offered: Vec<&Proposal> = round.proposals().collect();
        let passes = |p: &&Proposal| {
            let mark = round.turn.newest(p.id).map(|verdict| verdict.mark());
            p.action.is_some() && !matches!(mark, Some(Mark::Fails | Mark::Unknown))
        };
        let is_error = |p: &&Proposal| p.action.as_ref().is_some_and(answer::is_refusal);
        let (errors, answers): (Vec<&Proposal>, Vec<&Proposal>) =
            offered.iter().copied().filter(passes).partition(is_error);
        if let Some(p) = answers.first() {
            let why = if offered.len() == 1 { "it passes its checks" } else { "the first that passes its checks" };
            return Step::Recommend { proposal: Some(p.id), why: why.into() };
        }
        // What was answered before an error came is an answer still.
        let stands = |p: &&Proposal| {
            p.origin == Origin::Relayed && round.turn.rejection(p.id).is_none() && is_of(round, p, template(cx))
        };
        let before = round.turn.proposals.iter().rev().map(AsRef::as_ref).filter(stands);
        if let Some(p) = before.filter(passes).find(|p| !is_error(p)).filter(|_| !errors.is_empty()) {
            let why = "it passes its checks; what was asked for since is an error";
            return Step::Recommend { proposal: Some(p.id), why: why.into() };
        }
        if let Some(p) = errors.first() {
            let why = "the provider's error and no answer; the program gets it as it would without the gate";
            return Step::Recommend { proposal: Some(p.id), why: why.into() };
        }
        let more = cx.options().count(&ATTEMPTS).saturating_sub(first);
        if more > 0 && !round.has_asked(&AskKind::SAMPLES) {
            return ask(cx, &asked, AskKind::SAMPLES, more);
        }
        let why = match offered.len() {
            0 => "there is no answer that could be taken".to_owned(),
            n => format!("none of {n} passes its checks"),
        };
        Step::Recommend { proposal: offered.iter().find(|p| p.action.is_some()).map(|p| p.id), why }
    }

    fn read(&self, cx: &Context<'_>, _: &Ask, answer: &Answer) -> Reading {
        let Some(asked) = cx.world.asked() else { return Reading::Kept };
        let draft = |completion: &Completion| match Whole::read(asked.request.api, &completion.text) {
            _ if completion.finish == REFUSED => {
                let action =
                    serde_json::from_str(&completion.text).ok().map(|refusal| answer::refusal_action(&refusal));
                let text = action.as_ref().map_or(completion.text.as_str(), |action| action.text.as_str());
                Draft { action: action.clone(), ..Draft::new(text, Origin::Relayed) }
            }
            Ok(whole) => {
                let action = answer::action(&asked.tools, &whole);
                let reasoning = Some(whole.answer().reasoning).filter(|reasoning| !reasoning.is_empty());
                Draft { rationale: reasoning, action: Some(action.clone()), ..Draft::new(action.text, Origin::Relayed) }
            }
            Err(why) => {
                Draft { problem: Some(why.to_string()), ..Draft::new(completion.text.as_str(), Origin::Relayed) }
            }
        };
        Reading::drafts(answer.completions.iter().map(draft).collect())
    }
}

/// The template that is recorded with asks from now on: whether the request is as the program made it, or as a person words it.
fn template(cx: &Context<'_>) -> &'static str {
    if wording::at(cx.session, cx.session.cursor()).is_empty() { "relay" } else { "edited" }
}

/// Whether a proposal answers an ask of that template.
fn is_of(round: Round<'_>, proposal: &Proposal, template: &str) -> bool {
    let ask = proposal.ask.and_then(|ask| round.turn.ask(ask));
    ask.and_then(|ask| ask.prompt.as_ref()).is_none_or(|prompt| prompt.template == template)
}

/// An ask for answers to what the program asked, with what a person had to say of answers before.
fn ask(cx: &Context<'_>, asked: &Asked, kind: AskKind, n: u32) -> Step {
    let (told, rejected) = (told(cx, asked), rejected(cx));
    let mut turns: Vec<Turn<'_>> = told.as_deref().map(Turn::Say).into_iter().collect();
    for (whole, answer, why) in &rejected {
        turns.push(Turn::Answer(whole, 0));
        turns.extend(answer.calls.iter().map(|call| Turn::Result(call, why)));
        turns.extend(answer.calls.is_empty().then_some(Turn::Say(why)));
    }
    let (api, wording) = (asked.request.api, wording::at(cx.session, cx.session.cursor()));
    let worded = reworded(api, &asked.body, &wording).and_then(|body| match turns.is_empty() {
        true => Ok(body),
        false => extended(api, &body, &turns),
    });
    let body = match worded {
        // What nothing is added to goes out as it came.
        _ if turns.is_empty() && wording.is_empty() => Arc::clone(&asked.body),
        Ok(body) => Arc::from(body),
        Err(why) => return Step::Error(format!("what you decided cannot be told to the model: {why}")),
    };
    let messages = wording::messages(api, &asked.body, &wording).into_iter().chain(turns.iter().map(message));
    let (template, messages) = (template(cx).to_owned(), messages.collect());
    let prompt = PromptRecord { template, template_hash: String::new(), messages, left_out: None, candidates: None };
    let shape = Shape::Relay(Relayed { api, body, sender: asked.sender });
    let model = cx.model.name.clone();
    Step::ask(AskSpec { kind, model, prompt: Some(prompt), n, temperature: 0.0, shape })
}

/// The rejected answers, each with the reason as the model reads it.
fn rejected(cx: &Context<'_>) -> Vec<(Whole, Said, String)> {
    let Some(round) = cx.round() else { return Vec::new() };
    let turn = |(proposal, reason): (&Proposal, &str)| {
        let whole = answer::whole(proposal.action.as_ref()?).ok()?;
        let reason = if reason.is_empty() { "no reason was given" } else { reason };
        let why = format!("A person who supervises you rejected this; it was not carried out. The reason: {reason}");
        let answer = whole.answer();
        Some((whole, answer, why))
    };
    round.turn.rejected().filter_map(turn).collect()
}

/// What a person changed in the last answer of this conversation.
fn told(cx: &Context<'_>, asked: &Asked) -> Option<String> {
    if !cx.options().is(&TELL, "on") {
        return None;
    }
    let last = asked.request.messages.iter().rev().find(|message| message.role == Role::Assistant)?;
    let is_last = |said: &Said| match said.calls.as_slice() {
        [] => last.text().trim() == said.text.trim(),
        calls => last.calls().any(|call| calls.iter().any(|own| own.id == call.id)),
    };
    let path = cx.path();
    let steps = path.windows(2).rev().filter_map(|pair| match pair {
        [from, to] => Some((*from, *to, decided(from, to)?)),
        _ => None,
    });
    let taken = |to: &stepwright_episode::Node| answer::whole(to.action.as_deref()?).ok().map(|whole| whole.answer());
    let (from, to, decision) = { steps }.find(|(_, to, _)| taken(to).is_some_and(|said| is_last(&said)))?;
    let now = &to.action.as_ref()?.text;
    match decision.choice {
        Choice::Edit { from: before, .. } => {
            let before = &from.turn.proposal(before)?.action.as_ref()?.text;
            Some(format!(
                "A person who supervises you changed your last answer before it took effect. You wrote:\n{before}\nIt \
                 became:\n{now}"
            ))
        }
        Choice::Manual { .. } => Some(format!("A person who supervises you answered in your place:\n{now}")),
        Choice::Approve { .. } | Choice::Reject { .. } => None,
    }
}

/// Additions to a request, for the record: the program's own stands in the observations.
fn message(turn: &Turn<'_>) -> PromptMessage {
    let (role, text) = match turn {
        Turn::Answer(whole, choice) => {
            let answer = whole.answers().get(*choice).cloned().unwrap_or_default();
            let calls = answer.calls.iter().map(|call| format!("{}({})", call.name, call.arguments));
            ("assistant", [answer.text.clone()].into_iter().chain(calls).collect::<Vec<_>>().join("\n"))
        }
        Turn::Result(call, text) => ("tool", format!("{}: {text}", call.name)),
        Turn::Say(text) => ("user", (*text).to_owned()),
    };
    PromptMessage { role: role.to_owned(), text }
}
