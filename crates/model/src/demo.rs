//! The model of the demonstration: what it says to the desk of orders is written down here, by what it has read so far.
//!
//! Like a small model it is hasty: of several answers the first cancels what it has not looked at, and it refunds what it guesses.

use async_trait::async_trait;
use serde_json::{Value, json};
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::upstream::written_out;
use super::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, StreamEvent, Usage,
};
use stepwright_wire::{Answer, Message, Part, Request, Role, Stamp, ToolCall, Whole};

/// Its name.
pub const DEMO: &str = "demo";

#[derive(Debug)]
pub struct Demo;

#[async_trait]
impl LanguageModel for Demo {
    fn info(&self) -> ModelInfo {
        ModelInfo {
            name: DEMO.to_owned(),
            kind: ModelKind::Recorded,
            endpoint: "written down in this program".to_owned(),
        }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        _stream: &UnboundedSender<StreamEvent>,
        _cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let wrong = |why: String| ModelError::Configuration(why);
        let Some(relayed) = &request.relayed else {
            return Err(wrong(
                "the model of the demonstration answers its desk of orders alone; choose another".to_owned(),
            ));
        };
        let body = written_out(relayed);
        let asked = Request::read(relayed.api, &body).map_err(|e| wrong(e.to_string()))?;
        // No two requests are answered under the same id: an agent may go on from an answer by that alone.
        let mark = Answer::of_text(body).digest();
        let mark = mark.get(..12).unwrap_or_default();
        let usage = Usage::new(relayed.body.len() as u64 / 4, 40);
        let mut response = ModelResponse { usage: Some(usage), served: DEMO.to_owned(), ..ModelResponse::default() };
        for nth in 0..request.n {
            let answer = said(&asked, nth);
            let stamp = Stamp { id: format!("demo{mark}x{nth}"), created: 1 };
            let whole = Whole::made(relayed.api, DEMO, &answer, usage, &stamp).map_err(|e| wrong(e.to_string()))?;
            response.completions.push(Completion::whole(whole.text()));
        }
        Ok(response)
    }
}

/// The `nth` answer to what was asked.
fn said(asked: &Request, nth: u32) -> Answer {
    let called: Vec<&ToolCall> = asked.messages.iter().flat_map(Message::calls).collect();
    let results = asked.messages.iter().flat_map(|message| &message.parts).filter_map(|part| match part {
        Part::Result { id, text, .. } => Some((id.as_str(), text.as_str())),
        _ => None,
    });
    let results: Vec<(&str, &str)> = results.collect();
    // What a person rejected was not carried out.
    let rejected = |call: &ToolCall| results.iter().any(|(id, text)| *id == call.id && text.contains("rejected"));
    // Some agents write their calls down as texts.
    let said = asked.messages.iter().filter(|message| message.role == Role::Assistant).map(Message::text);
    let said: Vec<String> = said.collect();
    let done = |name: &str| {
        called.iter().any(|call| call.name == name && !rejected(call)) || said.iter().any(|text| text.contains(name))
    };
    let corrected = called.iter().any(|call| rejected(call));
    let told =
        asked.messages.iter().filter(|message| message.role != Role::Tool).any(|m| m.text().contains("45 was paid"));
    let call = |words: &str, name: &str, arguments: Value| Answer {
        text: words.to_owned(),
        ..Answer::of_calls(vec![ToolCall {
            id: format!("call_{}_{nth}_{name}", asked.messages.len()),
            name: name.to_owned(),
            arguments: arguments.to_string(),
            ..ToolCall::default()
        }])
    };
    let order = json!({ "order_id": "W42" });
    if !done("list_orders") {
        return call("I look for the customer's orders.", "list_orders", json!({ "customer": "Ann" }));
    }
    if !done("cancel_order") {
        let looks = corrected || nth % 2 == 1;
        return match done("get_order") {
            false if looks => call("I read the order before I change anything.", "get_order", order),
            false => call(
                "The lamp is W42. I cancel it.",
                "cancel_order",
                json!({ "order_id": "W42", "reason": "customer" }),
            ),
            true => call(
                "It is pending, so that it can be cancelled.",
                "cancel_order",
                json!({ "order_id": "W42", "reason": "customer" }),
            ),
        };
    }
    if !done("refund") {
        let amount = if corrected || told { 45.0 } else { 54.0 };
        return call("I send the money back.", "refund", json!({ "order_id": "W42", "amount": amount }));
    }
    let last = "Your lamp (W42) is cancelled and the money is on its way back to you.";
    match asked.tools.iter().any(|tool| tool.name == "final_answer") {
        true => call("", "final_answer", json!({ "answer": last })),
        false => Answer::of_text(last),
    }
}

/// Posts JSON and gives the JSON that is answered, as the agent of the demonstration does.
pub async fn post(url: &str, body: &Value) -> Result<Value, String> {
    super::install_tls();
    let client = reqwest::Client::builder().no_proxy().build().map_err(|e| e.to_string())?;
    let answer = client.post(url).json(body).send().await.map_err(|e| e.to_string())?;
    answer.json().await.map_err(|e| e.to_string())
}
