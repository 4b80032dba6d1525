//! Passages of a request: the texts of its conversation, which can be worded otherwise while all else stays as it is.

use std::collections::BTreeMap;

use crate::neutral::{Api, Problem, Role};
use crate::raw::{Fields, elements, list, quoted};
use crate::texts::object;

/// A text of a request's conversation; empty ones are none.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Passage {
    pub role: Role,
    pub text: String,
}

/// The passages of a request's body, in its order.
pub fn passages(api: Api, body: &str) -> Result<Vec<Passage>, Problem> {
    let mut found = Vec::new();
    walked(api, body, &mut |role, text| {
        found.push(Passage { role, text });
        None
    })?;
    Ok(found)
}

/// A body with other texts in place of its passages, by their numbers from 0.
pub fn reworded(api: Api, body: &str, texts: &BTreeMap<usize, String>) -> Result<String, Problem> {
    let mut numbers = 0..;
    walked(api, body, &mut |_, _| texts.get(&numbers.next()?).cloned())
}

/// Is shown a passage; gives the text in its place, if another.
type Visit<'a> = dyn FnMut(Role, String) -> Option<String> + 'a;

fn walked(api: Api, body: &str, visit: &mut Visit<'_>) -> Result<String, Problem> {
    let mut fields = object(body)?;
    let (beside, items) = match api {
        Api::Chat => (None, "messages"),
        Api::Responses => (Some("instructions"), "input"),
        Api::Messages => (Some("system"), "messages"),
    };
    let mut changed = beside.is_some_and(|name| content(&mut fields, name, Role::System, visit));
    changed |= match fields.get(items).starts_with('"') {
        true => content(&mut fields, items, Role::User, visit),
        false => each(&mut fields, items, |item| {
            // Responses have the results of tools as items of their own.
            let (name, role) = match item.string("type").ends_with("_call_output") {
                true => ("output", Role::Tool),
                false => ("content", role(&item.string("role"))),
            };
            content(item, name, role, visit)
        }),
    };
    Ok(if changed { fields.to_string() } else { body.to_owned() })
}

fn role(name: &str) -> Role {
    match name {
        "system" | "developer" => Role::System,
        "assistant" => Role::Assistant,
        "tool" | "function" => Role::Tool,
        _ => Role::User,
    }
}

/// Visits a content, which is a text, or parts with texts; whether it was changed.
fn content(of: &mut Fields, name: &str, role: Role, visit: &mut Visit<'_>) -> bool {
    if !of.get(name).starts_with('"') {
        return each(of, name, |part| match part.string("type").as_str() {
            "text" | "input_text" | "output_text" => content(part, "text", role, visit),
            "tool_result" => content(part, "content", Role::Tool, visit),
            _ => false,
        });
    }
    let text = Some(of.string(name)).filter(|text| !text.is_empty());
    let new = text.and_then(|text| visit(role, text));
    new.inspect(|new| of.set(name, quoted(new))).is_some()
}

/// Changes elements of a list; whether one was.
fn each(of: &mut Fields, name: &str, mut change: impl FnMut(&mut Fields) -> bool) -> bool {
    let mut any = false;
    let one = |element: &str| {
        let mut fields = Fields::of(element);
        let changed = change(&mut fields);
        any |= changed;
        if changed { fields.to_string() } else { element.to_owned() }
    };
    let elements: Vec<String> = elements(of.get(name)).map(one).collect();
    if any {
        of.set(name, list(&elements));
    }
    any
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::*;

    fn worded(api: Api, body: &Value) -> Vec<(Role, String)> {
        passages(api, &body.to_string()).unwrap().into_iter().map(|p| (p.role, p.text)).collect()
    }

    #[test]
    fn passages_of_each_format_are_worded_otherwise_and_all_else_stays() {
        let call = json!([{"id": "c", "type": "function", "function": {"name": "f", "arguments": "{}"}}]);
        let chat = json!({"model": "m", "n": 1.0, "messages": [{"role": "developer", "content": "s"},
            {"role": "user", "content": [{"type": "text", "text": "u"}, {"type": "image_url", "image_url": {"url": "data:"}}]},
            {"role": "assistant", "content": null, "tool_calls": call}, {"role": "tool", "tool_call_id": "c", "content": "r"}]});
        let responses = json!({"instructions": "s", "input": [{"role": "user", "content": [{"type": "input_text", "text": "u"}]},
            {"type": "function_call", "call_id": "c", "name": "f", "arguments": "{}"},
            {"type": "function_call_output", "call_id": "c", "output": "r"}]});
        let messages = json!({"system": [{"type": "text", "text": "s"}], "messages": [{"role": "user", "content": "u"},
            {"role": "assistant", "content": [{"type": "tool_use", "id": "c", "name": "f", "input": {}}]},
            {"role": "user", "content": [{"type": "tool_result", "tool_use_id": "c", "content": [{"type": "text", "text": "r"}]}]}]});
        for (api, body) in [(Api::Chat, chat), (Api::Responses, responses), (Api::Messages, messages)] {
            let three = [(Role::System, "s"), (Role::User, "u"), (Role::Tool, "r")].map(|(r, t)| (r, t.to_owned()));
            assert_eq!(worded(api, &body), three, "{api:?}");
            let text = serde_json::to_string_pretty(&body).unwrap();
            assert_eq!(reworded(api, &text, &BTreeMap::new()).unwrap(), text, "to the byte");
            let other = BTreeMap::from([(0, "say \"no\"\n".to_owned()), (2, String::new())]);
            let new: Value = serde_json::from_str(&reworded(api, &text, &other).unwrap()).unwrap();
            let expected = body.to_string().replace("\"s\"", "\"say \\\"no\\\"\\n\"").replace("\"r\"", "\"\"");
            // The role `user` and the like are no passages.
            assert_eq!(new, serde_json::from_str::<Value>(&expected).unwrap(), "{api:?}");
        }
        let alone = json!({"input": "u"});
        assert_eq!(worded(Api::Responses, &alone), [(Role::User, "u".to_owned())]);
        assert!(passages(Api::Chat, "no").is_err());
    }
}
