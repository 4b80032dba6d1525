//! Interpretation of an answer: an outcome of the world, with the calls that stand for it.

use super::line::Answer;
use serde_json::Value;
use stepwright_episode::Check;
use stepwright_program::tools::Toolbox;
use stepwright_program::{Call, Literal, Role, Specification};
use stepwright_world::Outcome;
use stepwright_world::adapter::Adapter;
use stepwright_world::adapter::phrases::{self, Phrase};
use stepwright_world::answer;

/// Action and observation of worlds that report no calls, where their specification has them.
const ACT: (&str, &str) = ("agent", "act");
const OBSERVE: (&str, &str) = ("agent", "observe");

/// The specification, as far as answers are read by it.
#[derive(Debug)]
pub(super) struct Reading {
    phrases: Vec<Phrase>,
    /// The actions of the specification: receiver and function.
    actions: Vec<(String, String)>,
    /// Whether any action text is a call `agent.act(text)`.
    acts: bool,
    /// Whether any observation is a call `agent.observe(text)`.
    observes: bool,
    /// The tools that its actions are, where the world listed such and has no specification of its own.
    tools: Option<Toolbox>,
}

impl Reading {
    pub(super) fn new(adapter: &Adapter, specification: &Specification) -> Self {
        let is = |(receiver, name): (&str, &str), role| {
            specification.function(receiver, name).is_some_and(|f| f.role == role && f.params.len() == 1)
        };
        let functions = specification.functions().iter().filter(|f| f.role == Role::Action);
        Reading {
            phrases: adapter.phrases.clone(),
            actions: functions.map(|f| (f.receiver.clone(), f.name.clone())).collect(),
            acts: is(ACT, Role::Action),
            observes: is(OBSERVE, Role::Observation),
            tools: None,
        }
    }

    /// The same of a world whose actions are tools.
    pub(super) fn of_tools(adapter: &Adapter, specification: &Specification, tools: Toolbox) -> Self {
        Reading { tools: Some(tools), ..Reading::new(adapter, specification) }
    }

    pub(super) fn call_of(&self, text: &str) -> Option<Call> {
        let tool = || self.tools.as_ref()?.read(text)?.ok();
        // A call of the specification that is typed as such.
        let own = || text.parse::<Call>().ok().filter(|call| self.is_action(call));
        let said = || self.acts.then(|| said(ACT, text)).flatten();
        phrases::call_of(&self.phrases, text).or_else(tool).or_else(own).or_else(said)
    }

    fn is_action(&self, call: &Call) -> bool {
        self.actions.iter().any(|(receiver, name)| (receiver, name) == (&call.receiver, &call.function))
    }

    /// The tool that an action's text calls, and its arguments.
    pub(super) fn tool(&self, text: &str) -> Option<(String, Value)> {
        let tools = self.tools.as_ref()?;
        tools.wire(&tools.read(text)?.ok()?)
    }

    /// The tools that its actions are.
    pub(super) fn tools(&self) -> Option<&Toolbox> {
        self.tools.as_ref()
    }

    /// Whether a call of a tool fits its schema; nothing of a text that is none.
    pub(super) fn form_check(&self, text: &str) -> Option<Check> {
        let tools = self.tools.as_ref()?;
        let (name, why) = match tools.read(text)? {
            Ok(call) => {
                let (name, arguments) = tools.wire(&call)?;
                let why = answer::misfit(tools, &name, &arguments);
                (name, why)
            }
            Err(why) => (String::from("a tool"), Some(why)),
        };
        Some(Check::form(format!("the arguments fit {name}"), why))
    }

    pub(super) fn text_of(&self, call: &Call) -> Option<String> {
        let plain = || match call.args.as_slice() {
            [Literal::Str(text)] if self.acts && (call.receiver.as_str(), call.function.as_str()) == ACT => {
                Some(text.clone())
            }
            _ => None,
        };
        let own = || (!self.acts && self.is_action(call)).then(|| call.to_string());
        phrases::text_of(&self.phrases, call).or_else(plain).or_else(own)
    }

    /// The outcome of an action, or of the reset if `None`. Calls that the adapter reports are kept; what it leaves out is
    /// supplied where the specification has the words for it.
    pub(super) fn outcome(&self, action: Option<&str>, answer: Answer) -> Outcome {
        let Answer { observation, mut calls, error, reward, done, won, .. } = answer;
        let accepted = error.is_none();
        let reported = calls.first().is_some_and(|call| self.is_action(call));
        let action_call = match action {
            Some(_) if reported => Some(calls.remove(0)),
            Some(text) if accepted => self.call_of(text),
            _ => None,
        };
        if calls.is_empty() && accepted && self.observes {
            calls.extend(said(OBSERVE, &observation));
        }
        if let (true, Some(tools), Some((tool, arguments))) =
            (calls.is_empty(), &self.tools, action.and_then(|text| self.tool(text)))
        {
            calls.push(tools.result(&tool, &arguments, error.as_deref().unwrap_or(&observation), !accepted));
        }
        let (untold, won) = (done && won.is_none(), won.unwrap_or_default());
        Outcome {
            observation,
            action_call,
            observation_calls: calls,
            error,
            reward,
            done,
            won,
            untold,
            ..Outcome::default()
        }
    }
}

/// A call with one text; `None` where it would not read back from a log.
fn said((receiver, function): (&str, &str), text: &str) -> Option<Call> {
    let call = Call::new(receiver, function, [text]);
    call.to_string().parse::<Call>().is_ok_and(|read| read == call).then_some(call)
}
