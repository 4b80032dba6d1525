//! The agent of the demonstration: a desk of orders, a loop around a chat model as anyone writes one. It knows of no gate.

use std::process::ExitCode;

use serde_json::{Value, json};
use tokio::runtime::Runtime;

use super::{CliError, print};

/// The subcommand that is the agent.
pub(crate) const AGENT: &str = "demo-agent";

const RULES: &str = "You are the desk of a shop for household goods. Look at an order before you change it. Refund what was paid, no more.";
const TASK: &str = "Hello, this is Ann. I do not need the lamp any more. Please cancel it and send the money back.";

struct Desk {
    status: &'static str,
    refunded: f64,
}

/// Runs the desk until the model has no more calls.
pub(crate) fn run() -> Result<ExitCode, CliError> {
    let failed = |what: &str| CliError::Failed(format!("{what}; start it with: stepwright gate --demo"));
    let base = std::env::var("OPENAI_BASE_URL").map_err(|_| failed("OPENAI_BASE_URL is not set"))?;
    let runtime = Runtime::new()?;
    let mut desk = Desk { status: "pending", refunded: 0.0 };
    let mut messages = vec![json!({ "role": "system", "content": RULES }), json!({ "role": "user", "content": TASK })];
    loop {
        let body = json!({ "model": "demo", "messages": messages, "tools": tools() });
        let asked = async { stepwright_model::demo::post(&format!("{base}/chat/completions"), &body).await };
        let answer = runtime.block_on(asked).map_err(|e| failed(&e))?;
        let message = answer.pointer("/choices/0/message").cloned().ok_or_else(|| failed("there is no answer"))?;
        messages.push(message.clone());
        let calls = message.get("tool_calls").and_then(Value::as_array).cloned().unwrap_or_default();
        if calls.is_empty() {
            print(&format!("{}\n", message.get("content").and_then(Value::as_str).unwrap_or_default()))?;
            return Ok(ExitCode::SUCCESS);
        }
        for call in calls {
            let text = |at: &str| call.pointer(at).and_then(Value::as_str).unwrap_or_default();
            let given: Value = serde_json::from_str(text("/function/arguments")).unwrap_or_default();
            let result = desk.called(text("/function/name"), &given);
            print(&format!("{} {given}: {result}\n", text("/function/name")))?;
            messages.push(json!({ "role": "tool", "tool_call_id": text("/id"), "content": result.to_string() }));
        }
    }
}

impl Desk {
    fn called(&mut self, name: &str, given: &Value) -> Value {
        let lamp = given.get("order_id").and_then(Value::as_str) == Some("W42");
        match name {
            "list_orders" => json!([{ "order_id": "W41", "item": "kettle" }, { "order_id": "W42", "item": "lamp" }]),
            "get_order" if lamp => {
                json!({ "order_id": "W42", "item": "lamp", "status": self.status, "paid": 45.0, "refunded": self.refunded })
            }
            "get_order" => {
                json!({ "order_id": "W41", "item": "kettle", "status": "delivered", "paid": 30.0, "refunded": 0.0 })
            }
            "cancel_order" if lamp && self.status == "pending" => {
                self.status = "cancelled";
                json!("cancelled")
            }
            "refund" if lamp => {
                self.refunded += given.get("amount").and_then(Value::as_f64).unwrap_or_default();
                json!("refunded")
            }
            _ => json!({ "error": "this cannot be done" }),
        }
    }
}

fn tools() -> Value {
    let tool = |name: &str, about: &str, properties: Value, required: &[&str]| {
        let schema =
            json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false });
        json!({ "type": "function", "function": { "name": name, "description": about, "parameters": schema } })
    };
    let text = || json!({ "type": "string" });
    json!([
        tool("list_orders", "The orders of a customer.", json!({ "customer": text() }), &["customer"]),
        tool("get_order", "An order with its status and what was paid.", json!({ "order_id": text() }), &["order_id"]),
        tool(
            "cancel_order",
            "Cancels a pending order.",
            json!({ "order_id": text(), "reason": text() }),
            &["order_id", "reason"]
        ),
        tool(
            "refund",
            "Sends money back.",
            json!({ "order_id": text(), "amount": { "type": "number", "minimum": 0 } }),
            &["order_id", "amount"]
        ),
    ])
}
