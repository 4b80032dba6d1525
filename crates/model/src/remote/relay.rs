//! Requests of other programs sent to this model: in their own interface where the server speaks it, else translated.

use serde_json::{Map, Value, json};
use stepwright_wire::{Answer, Api, Form, Message, Part, Request, Role, Stamp, ToolCall, Usage, Whole};

use super::complete::Sink;
use super::failure::Failure;
use super::http::Root;
use super::options::Wire;
use super::{Completion, ModelError, ModelRequest, ModelResponse, Remote};
use crate::upstream::written_out;
use crate::{Charge, Relayed};

/// Most tokens of an answer where the request does not say and the interface must know.
const MOST_TOKENS: u64 = 8_192;
/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 20;

impl Remote {
    pub(super) async fn relay(
        &self,
        request: &ModelRequest,
        relayed: &Relayed,
        sink: Sink<'_>,
    ) -> Result<ModelResponse, ModelError> {
        let wrong = |message: String| ModelError::Configuration(message);
        let text = written_out(relayed);
        let asked = Request::read(relayed.api, &text).map_err(|e| wrong(e.to_string()))?;
        let (own, path) = match self.options.wire {
            Wire::OpenAi if relayed.api == Api::Responses => (Api::Chat, "chat/completions"),
            Wire::OpenAi => (Api::Chat, "chat/completions"),
            Wire::Anthropic => (Api::Messages, "messages"),
            Wire::Ollama => {
                return Err(wrong(
                    "requests of programs are sent to Ollama by its OpenAI interface; set wire = \"openai\"".into(),
                ));
            }
        };
        let mut body = match own == relayed.api {
            true => serde_json::from_str(&text).map_err(|e| wrong(e.to_string()))?,
            false => translated(&asked, own),
        };
        if let Some(fields) = body.as_object_mut() {
            fields.insert("model".into(), json!(self.options.model));
            fields.insert("stream".into(), json!(false));
            fields.shift_remove("stream_options");
            fields.shift_remove("n");
        }
        let mut response = ModelResponse::default();
        for number in 0..request.n {
            let answered = self.relay_once(path, &body).await.map_err(|failure| failure.error)?;
            let whole = Whole::read(own, &answered).map_err(|e| wrong(e.to_string()))?;
            sink.spend(Charge { usage: whole.usage(), cost: None });
            whole.model().clone_into(&mut response.served);
            let answer = whole.answer();
            let text = match own == relayed.api {
                true => whole.text().to_owned(),
                false => {
                    let stamp = Stamp { id: format!("{}{number}", whole.id()), created: 0 };
                    let usage = whole.usage().unwrap_or_default();
                    self.made(relayed.api, &asked, &answer, usage, &stamp)?
                }
            };
            let Answer { finish, reasoning, .. } = answer;
            response.completions.push(Completion { text, finish, reasoning, ..Completion::default() });
        }
        Ok(response)
    }

    fn made(
        &self,
        api: Api,
        asked: &Request,
        answer: &Answer,
        usage: Usage,
        stamp: &Stamp,
    ) -> Result<String, ModelError> {
        let made = Whole::made(api, &asked.model, answer, usage, stamp);
        Ok(made.map_err(|e| ModelError::Configuration(e.to_string()))?.text().to_owned())
    }

    async fn relay_once(&self, path: &str, body: &Value) -> Result<String, Failure> {
        let response = self.http.post(&self.options, (Root::Base, path), body).await?;
        Ok(self.json(response, &format!("the answer of {path}"), MAX_ANSWER).await?.to_string())
    }
}

/// A request in another interface: the conversation, the tools, and what limits the answer.
fn translated(request: &Request, api: Api) -> Value {
    let mut body = Map::new();
    let limits = ["max_tokens", "max_completion_tokens", "max_output_tokens"];
    let limit = limits.iter().find_map(|name| request.parameters.get(*name)?.as_u64());
    if let Some(limit) = limit.or((api == Api::Messages).then_some(MOST_TOKENS)) {
        body.insert("max_tokens".into(), json!(limit));
    }
    for name in ["temperature", "top_p"] {
        if let Some(value) = request.parameters.get(name) {
            body.insert(name.into(), value.clone());
        }
    }
    let functions = request.tools.iter().filter(|tool| !tool.schema.is_null());
    let tools: Vec<Value> = functions
        .map(|tool| {
            let (name, about, schema) = (&tool.name, &tool.description, &tool.schema);
            match api {
                Api::Messages => json!({ "name": name, "description": about, "input_schema": schema }),
                _ => json!({ "type": "function", "function": { "name": name, "description": about, "parameters": schema } }),
            }
        })
        .collect();
    if !tools.is_empty() {
        body.insert("tools".into(), json!(tools));
    }
    match api {
        Api::Messages => {
            let system: Vec<String> =
                request.messages.iter().filter(|m| m.role == Role::System).map(Message::text).collect();
            if !system.is_empty() {
                body.insert("system".into(), json!(system.join("\n\n")));
            }
            body.insert("messages".into(), json!(blocks(request)));
        }
        _ => {
            body.insert("messages".into(), json!(request.messages.iter().flat_map(chat).collect::<Vec<_>>()));
        }
    }
    Value::Object(body)
}

/// A message of a chat; results of tools are one each.
fn chat(message: &Message) -> Vec<Value> {
    let result = |part: &Part| match part {
        Part::Result { id, text, .. } => Some(json!({ "role": "tool", "tool_call_id": id, "content": text })),
        _ => None,
    };
    let mut all: Vec<Value> = message.parts.iter().filter_map(result).collect();
    let text = said(message);
    let calls: Vec<Value> = message
        .calls()
        .map(|call| json!({ "id": call.id, "type": "function", "function": { "name": call.name, "arguments": arguments(call).to_string() } }))
        .collect();
    let role = match message.role {
        Role::System => "system",
        Role::Assistant => "assistant",
        Role::User | Role::Tool => "user",
    };
    if !calls.is_empty() {
        all.push(json!({ "role": role, "content": text, "tool_calls": calls }));
    } else if !text.is_empty() {
        all.push(json!({ "role": role, "content": text }));
    }
    all
}

/// The messages as blocks, those of one side that follow each other as one.
fn blocks(request: &Request) -> Vec<Value> {
    let mut all: Vec<(&str, Vec<Value>)> = Vec::new();
    for message in request.messages.iter().filter(|message| message.role != Role::System) {
        let role = if message.role == Role::Assistant { "assistant" } else { "user" };
        let block = |part: &Part| match part {
            Part::Result { id, text, error } => {
                Some(json!({ "type": "tool_result", "tool_use_id": id, "content": text, "is_error": error }))
            }
            Part::Call(call) => {
                Some(json!({ "type": "tool_use", "id": call.id, "name": call.name, "input": arguments(call) }))
            }
            _ => None,
        };
        let text = said(message);
        let said = (!text.is_empty()).then(|| json!({ "type": "text", "text": text }));
        // Results come first, calls last.
        let (results, calls): (Vec<&Part>, Vec<&Part>) =
            message.parts.iter().partition(|part| matches!(part, Part::Result { .. }));
        let new = results.into_iter().filter_map(block).chain(said).chain(calls.into_iter().filter_map(block));
        match all.last_mut() {
            Some((last, blocks)) if *last == role => blocks.extend(new),
            _ => all.push((role, new.collect())),
        }
    }
    let all = all.into_iter().filter(|(_, blocks)| !blocks.is_empty());
    all.map(|(role, blocks)| json!({ "role": role, "content": blocks })).collect()
}

fn said(message: &Message) -> String {
    let text = |part: &Part| match part {
        Part::Text(text) => Some(text.clone()),
        Part::Image(words) | Part::Other(words) => Some(format!("[{words}]")),
        Part::Call(_) | Part::Result { .. } | Part::Reasoning(_) => None,
    };
    message.parts.iter().filter_map(text).collect::<Vec<_>>().join("\n")
}

/// The arguments of a call as an object.
fn arguments(call: &ToolCall) -> Value {
    match serde_json::from_str(&call.arguments) {
        Ok(value @ Value::Object(_)) if call.form == Form::Function => value,
        _ if call.arguments.is_empty() => json!({}),
        _ => json!({ "input": call.arguments }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_conversation_with_tools_is_said_in_the_other_interfaces() {
        let body = json!({"model": "m", "max_tokens": 9, "messages": [
            {"role": "system", "content": "s"}, {"role": "user", "content": "u"},
            {"role": "assistant", "content": "a", "tool_calls": [
                {"id": "c1", "type": "function", "function": {"name": "f", "arguments": "{\"x\": 1}"}},
                {"id": "c2", "type": "function", "function": {"name": "f", "arguments": "{}"}}]},
            {"role": "tool", "tool_call_id": "c1", "content": "r1"}, {"role": "tool", "tool_call_id": "c2", "content": "r2"}],
            "tools": [{"type": "function", "function": {"name": "f", "parameters": {"type": "object"}}}]});
        let request = Request::read(Api::Chat, &body.to_string()).unwrap();
        let there = translated(&request, Api::Messages);
        assert_eq!((&there["system"], &there["max_tokens"]), (&json!("s"), &json!(9)));
        assert_eq!(there["messages"].as_array().unwrap().len(), 3);
        assert_eq!(there["messages"][1]["content"][1]["input"], json!({"x": 1}));
        assert_eq!(there["messages"][2]["content"][1]["tool_use_id"], "c2");
        let back = translated(&Request::read(Api::Messages, &there.to_string()).unwrap(), Api::Chat);
        let read = |body: &Value, api| Request::read(api, &body.to_string()).unwrap();
        let calls = |request: &Request| {
            request
                .messages
                .iter()
                .flat_map(|m| m.calls().cloned().collect::<Vec<_>>())
                .map(|c| (c.id, c.name))
                .collect::<Vec<_>>()
        };
        assert_eq!(calls(&read(&back, Api::Chat)), calls(&request));
        assert_eq!(back["tools"], body["tools"].as_array().map(|t| json!([{"type": "function", "function": {"name": "f", "description": "", "parameters": t[0]["function"]["parameters"]}}])).unwrap());
    }
}
