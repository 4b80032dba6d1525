//! The steps that become of a conversation's turns. An action is a call of a tool; the calls of one answer are several, and their results
//! are known after the last of them.

use serde_json::Value as Json;
use stepwright_program::tools::Toolbox;

use super::conversation::{Called, Conversation, Read, Turn};
use crate::record::{Step, Trajectory, joined};

impl Read {
    pub(super) fn add(&mut self, conversation: Conversation) {
        self.put(self.logs.len(), conversation);
    }

    /// Makes a conversation the log of this number, in the place of what was there.
    pub(super) fn put(&mut self, at: usize, conversation: Conversation) {
        let (log, lost) = trajectory(conversation);
        let of = match (log.id.as_str(), self.line) {
            ("", 0) => String::new(),
            ("", line) => format!("line {line}: "),
            (id, _) => format!("{id}: "),
        };
        self.lost.insert(at, lost.into_iter().map(|what| format!("{of}{what}")).collect());
        match self.logs.get_mut(at) {
            Some(there) => *there = Ok(log),
            None => self.logs.push(Ok(log)),
        }
    }
}

/// A call whose step is made.
struct Made {
    called: Called,
    step: usize,
    /// The last step of its answer.
    last: usize,
    /// Whether its result is there.
    done: bool,
}

struct Steps {
    log: Trajectory,
    toolbox: Toolbox,
    calls: Vec<Made>,
    /// What the model said since the last action.
    said: Vec<String>,
    /// Of that, what it said to others, and what it only thought: at the end nobody acts any more, so that they are no thought of a step.
    answer: Vec<String>,
    closing: Vec<String>,
    /// What found no place, in words.
    lost: Vec<String>,
}

/// The trajectory of a conversation, and what of it found no place there, in words.
pub(super) fn trajectory(conversation: Conversation) -> (Trajectory, Vec<String>) {
    let tools = Json::Array(conversation.named_tools());
    let mut steps = Steps {
        log: conversation.about,
        toolbox: Toolbox::of_json(&tools),
        calls: Vec::new(),
        said: Vec::new(),
        answer: Vec::new(),
        closing: Vec::new(),
        lost: Vec::new(),
    };
    for turn in conversation.turns {
        match turn {
            Turn::User(text) => {
                if steps.log.task.is_empty() {
                    steps.log.task.clone_from(&text);
                }
                steps.told(&text);
            }
            Turn::Told(text) => steps.told(&text),
            Turn::Thought(text) => steps.thought(text),
            Turn::Agent { text, calls } if calls.is_empty() => steps.spoke(text),
            Turn::Agent { text, calls } => steps.called(text, calls),
            Turn::Acted { text, observed } => steps.acted(text, observed),
            Turn::Result { id, text, failed } => steps.result(id, text, failed),
        }
    }
    let Steps { mut log, calls, mut answer, closing, lost, .. } = steps;
    for (step, decided) in log.steps.iter_mut().zip(conversation.decided) {
        step.decided = Some(decided).filter(|decided| !decided.is_null());
    }
    // What a log names as the answer may be something else than what was said last.
    let given = log.rest.get("answer").and_then(Json::as_str).unwrap_or_default();
    let last = answer.pop_if(|last| given.is_empty() || given.contains(last.trim()));
    let last: Vec<String> = last.into_iter().collect();
    for (name, texts) in [("said_before", answer), ("closing_thought", closing), ("answer", last)] {
        if !texts.is_empty() && log.rest.get(name).and_then(Json::as_str).is_none_or(str::is_empty) {
            log.rest.insert(name.to_owned(), texts.join("\n\n").into());
        }
    }
    if let (false, Json::Array(tools)) = (calls.is_empty(), tools) {
        log.tools = tools;
    }
    (log, lost)
}

impl Steps {
    /// What was said to the agent beside the results of its actions.
    fn told(&mut self, text: &str) {
        match self.log.steps.last_mut() {
            None => {
                let first = self.log.initial_observation.as_deref().unwrap_or_default();
                self.log.initial_observation = Some(joined(first, text).into_owned());
            }
            Some(step) => step.told = joined(&step.told, text).into_owned(),
        }
    }

    fn thought(&mut self, text: String) {
        if !text.is_empty() {
            self.said.push(text.clone());
            self.closing.push(text);
        }
    }

    fn spoke(&mut self, text: String) {
        if !text.is_empty() {
            self.said.push(text.clone());
            self.answer.push(text);
        }
    }

    /// What the model said since the last action, before one is made.
    fn before_acting(&mut self) -> Option<String> {
        self.answer.clear();
        self.closing.clear();
        let said = std::mem::take(&mut self.said).join("\n");
        Some(said).filter(|said| !said.is_empty())
    }

    /// A text that was the action itself.
    fn acted(&mut self, action: String, observation: Option<String>) {
        let thought = self.before_acting();
        self.log.steps.push(Step { thought, action, observation, ..Step::default() });
    }

    fn called(&mut self, text: String, made: Vec<Called>) {
        if !text.is_empty() {
            self.said.push(text);
        }
        let mut thought = self.before_acting();
        let last = self.log.steps.len() + made.len().saturating_sub(1);
        for called in made {
            let call = self.toolbox.call(&called.name, &called.arguments);
            self.calls.push(Made { called, step: self.log.steps.len(), last, done: false });
            let (action, call, thought) = (call.to_string(), Some(call), thought.take());
            self.log.steps.push(Step { thought, action, call, ..Step::default() });
        }
    }

    fn result(&mut self, id: Option<String>, text: Option<String>, failed: bool) {
        let id = id.filter(|id| !id.is_empty());
        let of = self.waiting(id.as_deref()).and_then(|at| self.calls.get_mut(at));
        let Some(Made { called, step, last, done }) = of else {
            let of = id.map_or_else(|| "without id".to_owned(), |id| format!("of `{id}`"));
            let step = self.log.steps.len();
            self.lost.push(format!("after step {step}: a result {of} is of no call that waits for one, not read"));
            return;
        };
        *done = true;
        // That a call failed is known though it gave no reason.
        let Some(text) = text.or_else(|| failed.then(String::new)) else { return };
        if let Some(last) = self.log.steps.get_mut(*last) {
            last.calls.push(self.toolbox.result(&called.name, &called.arguments, &text, failed));
        }
        let step = *step;
        if let Some(step) = self.log.steps.get_mut(step) {
            (step.refused, step.observation) = (failed, Some(text));
        }
    }

    /// The call that a result is of. Ids are missing or come twice in logs of some servers: the first of the newest answer then that has no
    /// result yet.
    fn waiting(&self, id: Option<&str>) -> Option<usize> {
        let newest = self.calls.last()?.last;
        let fits = |made: &Made| match id {
            Some(_) => made.called.id.as_deref() == id,
            None => made.last == newest,
        };
        let waits = |at: &usize| self.calls.get(*at).is_some_and(|made| !made.done && fits(made));
        let found = (0..self.calls.len()).rev().find(waits)?;
        let answer = self.calls.get(found)?.last;
        let is_of_it = |at: &usize| self.calls.get(*at).is_some_and(|made| made.last == answer);
        (0..=found).rev().take_while(is_of_it).filter(waits).last()
    }
}
