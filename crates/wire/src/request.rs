//! Request in the neutral form: read of the three formats, never written from it.

use serde_json::json;

use crate::neutral::{Api, Message, Problem, Request, Role, Tool};
use crate::raw::{self, Fields, elements};
use crate::texts::object;
use crate::{chat, messages, responses};

impl Request {
    /// Reads a request's body.
    pub fn read(api: Api, body: &str) -> Result<Self, Problem> {
        let fields = object(body)?;
        let (messages, held): (_, &[&str]) = match api {
            Api::Chat => (chat::conversation(&fields), &["messages"]),
            Api::Responses => (responses::conversation(&fields), &["input", "instructions", "previous_response_id"]),
            Api::Messages => (messages::conversation(&fields), &["messages", "system"]),
        };
        let held = |name: &str| held.contains(&name) || ["model", "tools", "functions", "stream"].contains(&name);
        let parameters = fields.iter().filter(|(name, _)| !held(name));
        let parameters = parameters.filter_map(|(name, text)| Some((name.to_owned(), raw::read(text).ok()?)));
        let tools =
            elements(fields.get("tools")).chain(elements(fields.get("functions"))).flat_map(|tool| tool_of(api, tool));
        Ok(Request {
            api,
            model: fields.string("model"),
            messages,
            tools: tools.collect(),
            parameters: parameters.collect(),
            stream: fields.get("stream") == "true",
            previous: Some(fields.string("previous_response_id")).filter(|id| !id.is_empty()),
        })
    }

    /// The first system text.
    pub fn system(&self) -> String {
        self.messages.iter().find(|m| m.role == Role::System).map(Message::text).unwrap_or_default()
    }
}

/// The tools that an entry stands for.
fn tool_of(api: Api, text: &str) -> Vec<Tool> {
    let entry = Fields::of(text);
    let kind = entry.string("type");
    // Chat has a tool's fields one level below, Responses may group tools in a namespace.
    let inner = match api {
        Api::Chat => {
            ["function", "custom"].into_iter().find(|name| entry.has(name)).map(|name| Fields::of(entry.get(name)))
        }
        _ => None,
    };
    if kind == "namespace" {
        return elements(entry.get("tools")).flat_map(|tool| tool_of(api, tool)).collect();
    }
    let fields = inner.as_ref().unwrap_or(&entry);
    let schema = ["parameters", "input_schema"].into_iter().find(|name| fields.has(name) && fields.get(name) != "null");
    let is_function = match api {
        Api::Chat => entry.has("function") || kind.is_empty(),
        Api::Responses => kind == "function",
        Api::Messages => kind.is_empty() || kind == "custom",
    };
    // A function that names no arguments takes none.
    let none = || is_function.then(|| json!({"type": "object", "properties": {}}));
    let name = fields.string("name");
    let remote = match api {
        Api::Chat => false,
        Api::Responses => !matches!(
            kind.as_str(),
            "function"
                | "custom"
                | "local_shell"
                | "shell"
                | "apply_patch"
                | "computer"
                | "computer_use_preview"
                | "computer-preview"
        ),
        Api::Messages => ["web_search", "web_fetch", "code_execution", "tool_search", "mcp_toolset"]
            .iter()
            .any(|of| kind.starts_with(of)),
    };
    vec![Tool {
        name: if name.is_empty() { kind } else { name },
        description: fields.string("description"),
        schema: schema.map(|name| fields.value(name)).or_else(none).unwrap_or_default(),
        remote,
    }]
}
