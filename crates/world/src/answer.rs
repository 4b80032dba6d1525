//! Answers to programs that ask a language model: as actions that a person reads, edits and types, and back, byte for byte.
//!
//! An action's text is what the answer says, then its calls, a line each; its exact form is the whole answer as the program gets it,
//! behind a line with the wire format and a digest of what the program acts by.

use std::collections::hash_map::RandomState;
use std::hash::{BuildHasher, Hasher};
use std::sync::Arc;
use std::time::{SystemTime, UNIX_EPOCH};

use serde_json::{Value, json};

use stepwright_episode::{Action, Check};
use stepwright_program::Call;
use stepwright_program::tools::{TOOLS, Tool, Toolbox};
use stepwright_proxy::{Refusal, Reply};
use stepwright_trajectory::foreign;
use stepwright_wire::{Answer, Api, Form, Request, Stamp, ToolCall, Usage, Whole, without_halves};

/// A request that waits for its answer.
#[derive(Debug)]
pub struct Asked {
    pub request: Request,
    /// Its text, as it came.
    pub body: Arc<str>,
    /// The tools that an answer may call.
    pub tools: Toolbox,
    /// Whose it is, where several ask: the conversation's name.
    pub thread: String,
    /// The number under which what is sent on finds the way it would have gone.
    pub sender: u64,
}

/// The tools of a request, as a program.
pub fn toolbox(request: &Request) -> Toolbox {
    let own = request.tools.iter().filter(|tool| !tool.remote);
    let tool = |t: &stepwright_wire::Tool| Tool {
        name: t.name.clone(),
        description: t.description.clone(),
        schema: t.schema.clone(),
    };
    Toolbox::new(own.map(tool).collect())
}

/// What is to be said of a request beside its messages: that so many before them were `dropped`, and which tools it lists where those are others
/// than in the one before it.
pub fn remarks(before: Option<&Request>, next: &Request, dropped: usize) -> Vec<String> {
    let names = |request: &Request| request.tools.iter().map(|tool| tool.name.clone()).collect::<Vec<_>>();
    let (listed, now) = (before.map(names).unwrap_or_default(), names(next));
    let left_out = (dropped > 0).then(|| format!("[{dropped} earlier messages were left out or changed]"));
    let tools = || format!("[tools: {}]", if now.is_empty() { "none".to_owned() } else { now.join(", ") });
    left_out.into_iter().chain((now != listed).then(tools)).collect()
}

/// The arguments of a call as JSON: text that is none stands for itself. What Python reads though it is none (NaN, half of a pair of
/// surrogates) is read as in logs; the program gets it as it came.
pub fn arguments(call: &ToolCall) -> Value {
    match foreign::parse(&call.arguments) {
        Ok(value @ Value::Object(_)) if call.form != Form::Custom => value,
        _ if call.arguments.trim().is_empty() => json!({}),
        _ => json!({ INPUT: call.arguments }),
    }
}

/// The argument that stands for a text which is no object of arguments.
const INPUT: &str = "input";

/// A whole answer as an action.
pub fn action(tools: &Toolbox, whole: &Whole) -> Action {
    let answer = whole.answer();
    let calls: Vec<String> =
        answer.calls.iter().map(|call| tools.call(&call.name, &arguments(call)).to_string()).collect();
    let call = (!calls.is_empty()).then(|| calls.join("\n"));
    let said = [answer.text.trim()].into_iter().filter(|text| !text.is_empty());
    let text = said.chain(call.as_deref()).collect::<Vec<_>>().join("\n");
    let text = if text.is_empty() { "(nothing)".to_owned() } else { text };
    Action { exact: Some(exact(whole)), ..Action::new(text, call) }
}

fn exact(whole: &Whole) -> String {
    let api = serde_json::to_value(whole.api()).unwrap_or_default();
    format!("{} {}\n{}", api.as_str().unwrap_or_default(), whole.digest(), whole.text())
}

/// The whole answer that an action stands for, if it is as it was when its digest was taken.
pub fn whole(action: &Action) -> Result<Whole, String> {
    let exact = action.exact.as_deref().ok_or_else(|| format!("`{}` is no answer to a program", action.text))?;
    let (head, body) = exact.split_once('\n').unwrap_or_default();
    let (api, digest) = head.split_once(' ').unwrap_or_default();
    let api: Api = serde_json::from_value(json!(api)).map_err(|_| format!("`{api}` is no wire format"))?;
    let whole = Whole::read(api, body).map_err(|e| e.to_string())?;
    if whole.digest() != digest {
        return Err("the answer is not the one that was decided about: its digest differs".to_owned());
    }
    Ok(whole)
}

/// The mark of an error in place of an answer.
const REFUSED: &str = "refused ";

/// An error of the model's server, as the text that stands for an answer.
pub fn refused(refusal: &Refusal) -> String {
    format!("{REFUSED}{}", json!(refusal))
}

/// The error that a text in place of an answer stands for.
pub fn refusal(text: &str) -> Option<Refusal> {
    serde_json::from_str(text.strip_prefix(REFUSED)?).ok()
}

/// Whether an action is an error in place of an answer.
pub fn is_refusal(action: &Action) -> bool {
    action.exact.as_deref().and_then(refusal).is_some()
}

/// An error as an action: the program gets it as it is.
pub fn refusal_action(refusal: &Refusal) -> Action {
    Action { exact: Some(refused(refusal)), ..Action::new(format!("error {refusal}"), None) }
}

/// What a program gets by an action, and the digest of it where it is an answer.
pub fn reply(action: &Action) -> Result<(Reply, Option<String>), String> {
    if let Some(refusal) = action.exact.as_deref().and_then(refusal) {
        return Ok((Reply::Error(refusal), None));
    }
    let whole = whole(action)?;
    let digest = whole.digest();
    Ok((Reply::Whole(Arc::new(whole)), Some(digest)))
}

/// The text in which an answer is edited: the arguments of its calls as JSON.
pub fn edited(action: &Action) -> String {
    let Ok(answer) = whole(action).map(|whole| whole.answer()) else { return action.text.clone() };
    let calls = answer.calls.iter().map(|call| format!("{}({:#})", call.name, arguments(call)));
    let said = [answer.text.trim().to_owned()].into_iter().filter(|text| !text.is_empty());
    said.chain(calls).collect::<Vec<_>>().join("\n")
}

/// Why arguments do not fit the schema of their tool.
pub fn misfit(tools: &Toolbox, name: &str, given: &Value) -> Option<String> {
    let Some((tool, ..)) = tools.tool(name) else { return tools.known(name).err() };
    if tool.schema.is_null() {
        return None;
    }
    // A schema that is none says nothing of arguments.
    let validator = jsonschema::validator_for(&tool.schema).ok()?;
    let faults = validator.iter_errors(given).take(3).map(|fault| {
        let at = fault.instance_path().to_string();
        let at = at.trim_start_matches('/').to_owned();
        if at.is_empty() { fault.to_string() } else { format!("`{at}`: {fault}") }
    });
    let faults: Vec<String> = faults.collect();
    (!faults.is_empty()).then(|| faults.join("; "))
}

impl Asked {
    /// The action that a person's text stands for, edited from another or written from nothing.
    pub fn read(&self, text: &str, from: Option<&Action>) -> Result<Action, String> {
        let old = from.and_then(|action| whole(action).ok()).filter(|whole| whole.api() == self.request.api);
        let base = old.as_ref().map(Whole::answer).unwrap_or_default();
        if let Some(why) = half(&self.tools, text) {
            return Err(why);
        }
        let (said, calls) = parts(&self.tools, text)?;
        // The same of what is edited and of what is written from nothing, so that it is known while it is typed.
        // One line that reads as a call and is of no tool here is a slip, no answer in words.
        let only = said.lines().next().filter(|line| line.len() == said.len());
        if let Some(why) = only.and_then(|line| fault(&self.tools, line)).filter(|_| calls.is_empty()) {
            return Err(why);
        }
        if calls.is_empty() && ["({", "})"].iter().any(|sign| said.contains(sign)) {
            if let Some(why) = said.lines().find_map(|line| fault(&self.tools, line)) {
                return Err(why);
            }
            // What is left of a call is no answer in words, and neither is one that stands behind words.
            let named = |tool: &Tool| said.contains(&format!("{}({{", tool.name));
            if !base.calls.is_empty() || self.tools.tools().iter().any(named) {
                return Err(
                    "no call can be read of this; write NAME({…}) with arguments as JSON, or words alone".to_owned()
                );
            }
        }
        let mut wanted = Answer { text: said, reasoning: base.reasoning.clone(), ..Answer::default() };
        // What only lost its margins was not edited.
        if wanted.text == base.text.trim() {
            wanted.text.clone_from(&base.text);
        }
        for (at, call) in calls.iter().enumerate() {
            wanted.calls.push(self.tool_call(call, base.calls.get(at))?);
        }
        wanted.finish = if wanted.calls.is_empty() { "stop" } else { "tool_calls" }.to_owned();
        if wanted.calls == base.calls {
            wanted.finish.clone_from(&base.finish);
        }
        let made = || {
            let created = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |time| time.as_secs());
            let stamp = Stamp { id: unique(), created };
            Whole::made(self.request.api, &self.request.model, &wanted, Usage::default(), &stamp)
        };
        let whole = old.as_ref().map_or_else(made, |old| old.edited(0, &wanted)).map_err(|e| e.to_string())?;
        Ok(action(&self.tools, &whole))
    }

    /// A call as the program gets it; what is left of the one it was edited from stays.
    fn tool_call(&self, call: &Call, old: Option<&ToolCall>) -> Result<ToolCall, String> {
        let (name, given) = self.tools.wire(call).ok_or_else(|| format!("`{call}` is no call of a tool"))?;
        if let Some(why) = misfit(&self.tools, &name, &given) {
            return Err(format!("{name}: {why}"));
        }
        let old = old.filter(|old| old.name == name);
        if let Some(same) = old.filter(|old| arguments(old) == given) {
            return Ok(same.clone());
        }
        let form = old.map_or_else(|| self.form(&name), |old| old.form);
        let prefix = if self.request.api == Api::Messages { "toolu" } else { "call" };
        let arguments = match (form, given.get(INPUT)) {
            (Form::Custom, Some(Value::String(text))) => text.clone(),
            _ => given.to_string(),
        };
        Ok(ToolCall {
            id: old.map_or_else(|| format!("{prefix}_{}", unique()), |old| old.id.clone()),
            name,
            arguments,
            form,
        })
    }

    /// How a tool is called of which no call is known.
    fn form(&self, name: &str) -> Form {
        let tool = self.request.tools.iter().find(|tool| tool.name == name);
        if tool.is_some_and(|tool| tool.schema.is_null()) { Form::Custom } else { Form::Function }
    }

    /// The checks of an answer that need no state: each call is of a tool that there is, with arguments that fit its schema.
    pub fn checks(&self, action: &Action) -> Vec<Check> {
        if is_refusal(action) {
            return vec![Check::form("the program is told of the error".to_owned(), None)];
        }
        let answer = match whole(action) {
            Ok(whole) => whole.answer(),
            Err(why) => return vec![Check::form("it is an answer".to_owned(), Some(why))],
        };
        if answer.calls.is_empty() {
            return vec![Check::form("it calls no tool".to_owned(), None)];
        }
        let of = |call: &ToolCall| {
            let broken = (call.form == Form::Function && !call.arguments.trim().is_empty())
                .then(|| foreign::parse(&call.arguments).err())
                .flatten();
            let why = match broken {
                Some(error) => Some(format!("the arguments are no JSON: {error}")),
                None => misfit(&self.tools, &call.name, &arguments(call)),
            };
            Check::form(format!("the arguments fit {}", call.name), why)
        };
        answer.calls.iter().map(of).collect()
    }
}

/// What a text says and the calls below it. A call may go over several lines.
fn parts(tools: &Toolbox, text: &str) -> Result<(String, Vec<Call>), String> {
    let lines: Vec<&str> = text.lines().collect();
    let (mut said, mut calls, mut at) = (Vec::new(), Vec::new(), 0);
    while let Some(line) = lines.get(at) {
        if begins_call(tools, line) {
            let mut why = None;
            let ends = (at..lines.len()).filter(|end| lines.get(*end).is_some_and(|l| l.trim_end().ends_with(')')));
            let found = ends.take(MOST_ENDS).find_map(|end| {
                match tools.read(&lines.get(at..=end).unwrap_or_default().join("\n")) {
                    Some(Ok(call)) => Some((end + 1, call)),
                    Some(Err(fault)) => {
                        why.get_or_insert(fault);
                        None
                    }
                    None => None,
                }
            });
            let Some((next, call)) = found else {
                return Err(why.unwrap_or_else(|| format!("`{}` is no whole call", line.trim())));
            };
            calls.push(call);
            at = next;
            continue;
        }
        if !calls.is_empty() && !line.trim().is_empty() {
            let below = || format!("`{}` stands below a call; what is said comes first", line.trim());
            return Err(fault(tools, line).unwrap_or_else(below));
        }
        said.push(*line);
        at += 1;
    }
    Ok((said.join("\n").trim().to_owned(), calls))
}

/// Why a line is no call of a tool, where it is written as one.
fn fault(tools: &Toolbox, line: &str) -> Option<String> {
    tools.read(line)?.err()
}

/// That calls hold half of a pair of surrogates, which reads as another character or not at all.
fn half(tools: &Toolbox, text: &str) -> Option<String> {
    let mut first = None;
    let read = without_halves(text, |half| {
        first.get_or_insert(half);
        "\u{fffd}".to_owned()
    });
    let half = first?;
    let (_, calls) = parts(tools, &read).ok()?;
    calls.iter().any(|call| call.to_string().contains('\u{fffd}')).then(|| {
        format!("`\\u{half:04x}` is half of a surrogate pair, which is no character; write the character itself")
    })
}

/// Ends of a call that are tried.
const MOST_ENDS: usize = 64;

/// Whether a line begins a call of a tool: its name, or any name behind the object of the tools, and a bracket.
fn begins_call(tools: &Toolbox, line: &str) -> bool {
    let Some((head, _)) = line.trim_start().split_once('(') else { return false };
    let head = head.trim_end();
    head.strip_prefix(TOOLS).is_some_and(|rest| rest.starts_with('.')) || tools.tool(head).is_some()
}

/// Letters and digits that no other call of this name has.
fn unique() -> String {
    let half = || RandomState::new().build_hasher().finish();
    format!("{:016x}{:08x}", half(), half() as u32)
}

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::Status;

    fn asked(api: Api) -> Asked {
        let schema = json!({"type": "object", "properties": {"order_id": {"type": "string"}, "reason": {"type": "string"}},
            "required": ["order_id"], "additionalProperties": false});
        let tool = match api {
            Api::Chat => json!({"type": "function", "function": {"name": "cancel_order", "parameters": schema}}),
            Api::Responses => json!({"type": "function", "name": "cancel_order", "parameters": schema}),
            Api::Messages => json!({"name": "cancel_order", "input_schema": schema}),
        };
        let body = match api {
            Api::Responses => json!({"model": "m", "input": "cancel it", "tools": [tool]}),
            _ => {
                json!({"model": "m", "max_tokens": 9, "messages": [{"role": "user", "content": "cancel it"}], "tools": [tool]})
            }
        };
        let body: Arc<str> = body.to_string().into();
        let request = Request::read(api, &body).unwrap();
        Asked { tools: toolbox(&request), request, body, thread: String::new(), sender: 0 }
    }

    #[test]
    fn what_is_typed_becomes_an_answer_of_each_format_and_is_read_back() {
        for api in [Api::Chat, Api::Responses, Api::Messages] {
            let asked = asked(api);
            let typed = "I do it.\ntools.cancel_order(order_id='W42', reason=\"no 'use'\")\ncancel_order({\n  \"order_id\": \"W43\"\n})";
            let action = asked.read(typed, None).unwrap();
            assert_eq!(
                action.text,
                "I do it.\ntools.cancel_order(order_id='W42', reason=\"no 'use'\")\ntools.cancel_order(order_id='W43')"
            );
            assert_eq!(action.calls().count(), 2);
            let answer = whole(&action).unwrap().answer();
            assert_eq!(answer.text, "I do it.");
            assert_eq!(arguments(&answer.calls[0]), json!({"order_id": "W42", "reason": "no 'use'"}));
            assert!(
                answer.calls[0].id != answer.calls[1].id
                    && asked.checks(&action).iter().all(|c| c.status == Status::Holds)
            );
            // Read back unchanged it is the same, to the byte.
            assert_eq!(asked.read(&edited(&action), Some(&action)).unwrap(), action);
            // One argument edited: ids and the other call stay.
            let changed = asked.read(&edited(&action).replace("W43", "W44"), Some(&action)).unwrap();
            let now = whole(&changed).unwrap().answer();
            assert_eq!((&now.calls[0], &now.calls[1].id), (&answer.calls[0], &answer.calls[1].id));
            assert_eq!(arguments(&now.calls[1]), json!({"order_id": "W44"}));
        }
    }

    #[test]
    fn what_does_not_fit_is_said() {
        let asked = asked(Api::Chat);
        for (text, part) in [
            ("tools.cancel_order(reason='x')", "\"order_id\" is a required property"),
            ("cancel_order({\"order_id\": 7})", "`order_id`: 7 is not of type"),
            ("tools.cancel_order(order_id=", "no whole call"),
            ("tools.drop()", "there is no tool `drop`; there are cancel_order"),
            ("tools.cancel_order(order_id='a')\nand now", "comes first"),
            ("tools.cancel_order(order_id='a')\nbogus({\"x\": 1})", "there is no tool `bogus`"),
            ("cancel_orders({\"order_id\": \"W42\"})", "there is no tool `cancel_orders`"),
            ("cancel_orders(order_id='W42')", "there is no tool `cancel_orders`"),
            ("cancel_orders('W42')", "there is no tool `cancel_orders`"),
            ("cancel_order({\"order_id\": \"\\ud83d\"})", "`\\ud83d` is half of a surrogate pair"),
            ("tools.cancel_order(order_id='\\ud83d', reason=", "no whole call"),
            ("I do it. cancel_order({\n  \"order_id\": \"W42\"\n})", "no call can be read"),
        ] {
            let why = asked.read(text, None).unwrap_err();
            assert!(why.contains(part), "{text}: {why}");
        }
        let pair = asked.read("cancel_order({\"order_id\": \"\\ud83d\\ude00 \\\\ud83d\"})", None).unwrap();
        assert_eq!(pair.text, "tools.cancel_order(order_id='😀 \\\\ud83d')");
        for words in ["Nothing to do (yet).", "It prints:\nprint('x')", "Write f(x)"] {
            assert_eq!(asked.read(words, None).unwrap().call, None, "{words}");
        }
        // What is left of a call that was edited away is no answer in words.
        let action = asked.read("cancel_order({\"order_id\": \"W42\"})", None).unwrap();
        let broken = edited(&action).replace("cancel_order({", "canc\n");
        assert!(asked.read(&broken, Some(&action)).unwrap_err().contains("no call can be read"));
        assert_eq!(asked.read("No, I wait.", Some(&action)).unwrap().call, None);
        assert_eq!(asked.tools.forms(), ["tools.cancel_order(order_id=, reason=)"]);
    }

    /// What is no character is shown as U+FFFD; the program gets what came.
    #[test]
    fn arguments_with_half_of_a_pair_of_surrogates_are_read_and_delivered_as_they_came() {
        let text = r#"{\"order_id\":\"q\\ud83d\"}"#;
        for (api, body) in [
            (
                Api::Chat,
                r#"{"choices":[{"message":{"tool_calls":[{"id":"c","function":{"name":"cancel_order","arguments":"TEXT"}}]}}]}"#,
            ),
            (
                Api::Responses,
                r#"{"output":[{"type":"function_call","call_id":"c","name":"cancel_order","arguments":"TEXT"}]}"#,
            ),
            (
                Api::Messages,
                r#"{"content":[{"type":"tool_use","id":"c","name":"cancel_order","input":{"order_id":"q\ud83d"}}]}"#,
            ),
        ] {
            let (asked, body) = (asked(api), body.replace("TEXT", text));
            let action = super::action(&asked.tools, &Whole::read(api, &body).unwrap());
            assert_eq!(action.text, "tools.cancel_order(order_id='q\u{fffd}')");
            assert!(asked.checks(&action).iter().all(|check| check.status == Status::Holds));
            assert_eq!(asked.read(&edited(&action), Some(&action)).unwrap(), action);
            assert!(matches!(reply(&action), Ok((Reply::Whole(given), Some(_))) if given.text() == body));
        }
    }

    #[test]
    fn an_answer_other_than_the_one_decided_about_is_found_out() {
        let action = asked(Api::Chat).read("cancel_order({\"order_id\": \"W42\"})", None).unwrap();
        let forged = Action { exact: action.exact.as_ref().map(|e| e.replace("W42", "W43")), ..action };
        assert!(whole(&forged).unwrap_err().contains("digest differs"));
    }
}
