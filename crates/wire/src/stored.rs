//! Responses as a provider stores them, so far as the agent was given others than it has: what it would remember has to be told.

use std::collections::HashMap;

use crate::neutral::{Problem, Request};
use crate::raw::{Fields, elements, list, quoted};
use crate::responses;
use crate::texts::object;
use crate::whole::Whole;

/// The responses that an agent was given, by their ids.
#[derive(Debug, Default)]
pub struct Stored(HashMap<String, Kept>);

#[derive(Debug)]
struct Kept {
    previous: Option<String>,
    /// What the request that it answers added.
    input: Vec<String>,
    response: Whole,
    /// The provider has another, or none.
    changed: bool,
}

impl Stored {
    /// Keeps what a request was answered with; `changed` if the provider does not have it so.
    pub fn keep(&mut self, request: &Request, body: &str, response: &Whole, changed: bool) {
        let input = responses::input(&Fields::of(body));
        let kept = Kept { previous: request.previous.clone(), input, response: response.clone(), changed };
        self.0.insert(response.id().to_owned(), kept);
    }

    /// A request's body as the provider can answer it: a response that it has not, or has otherwise, is written out with all since.
    pub fn upstream(&self, body: &str) -> Result<String, Problem> {
        let mut fields = object(body)?;
        let mut chain = Vec::new();
        let mut id = Some(fields.string("previous_response_id"));
        while let Some(kept) = id.and_then(|id| self.0.get(&id)).filter(|_| chain.len() <= self.0.len()) {
            chain.push(kept);
            id = kept.previous.clone();
        }
        let Some(oldest) = chain.iter().rposition(|kept| kept.changed) else { return Ok(body.to_owned()) };
        let mut items = Vec::new();
        let mut previous = None;
        for kept in chain.into_iter().take(oldest + 1).rev() {
            if items.is_empty() {
                previous.clone_from(&kept.previous);
            }
            items.extend(kept.input.iter().cloned());
            items.extend(elements(Fields::of(kept.response.text()).get("output")).filter_map(bare));
        }
        items.extend(responses::input(&fields));
        match previous {
            Some(id) => fields.set("previous_response_id", quoted(&id)),
            None => fields.remove("previous_response_id"),
        }
        fields.set("input", list(&items));
        Ok(fields.to_string())
    }

    /// A response that was changed, as the agent knows it.
    pub fn changed(&self, id: &str) -> Option<&Whole> {
        self.0.get(id).filter(|kept| kept.changed).map(|kept| &kept.response)
    }
}

/// An item without what ties it to another at the provider: its id, and reasoning that was for what it has not.
fn bare(item: &str) -> Option<String> {
    let mut fields = Fields::of(item);
    let kind = fields.string("type");
    fields.remove("id");
    (kind != "reasoning").then(|| fields.to_string())
}
