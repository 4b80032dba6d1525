//! Exchange record: what a session keeps of an ask beside prompt and texts: the request as it was sent, the model that answered, the
//! reasons for the ends, reasoning, tokens with their alternatives, and the cost.

use serde_json::{Value, json};

use crate::episode::{Exchange, Exchanged};
use crate::model::{Completion, LanguageModel, ModelRequest, ModelResponse};

/// The record of completions; of an ask that failed (`None`) what was asked.
pub(super) fn of_completions(
    model: &dyn LanguageModel,
    request: &ModelRequest,
    response: Option<&ModelResponse>,
) -> Box<Exchange> {
    let none = ModelResponse::default();
    let response = response.unwrap_or(&none);
    let priced = || Some(model.settings().price?.of(response.usage?));
    let request = if response.sent.is_null() { asked(request) } else { response.sent.clone() };
    Box::new(Exchange {
        endpoint: model.info().endpoint,
        request,
        served: response.served.clone(),
        completions: response.completions.iter().map(exchanged).collect(),
        cost: response.cost.or_else(priced),
    })
}

/// The record of scored texts.
pub(super) fn of_scores(model: &dyn LanguageModel, scored: &[Completion]) -> Box<Exchange> {
    Box::new(Exchange {
        endpoint: model.info().endpoint,
        request: json!({"score": scored.len()}),
        completions: scored.iter().map(exchanged).collect(),
        ..Exchange::default()
    })
}

/// The parameters that were asked for, where nothing went over a network.
fn asked(request: &ModelRequest) -> Value {
    let request = ModelRequest { messages: Vec::new(), ..request.clone() };
    let Ok(Value::Object(mut fields)) = serde_json::to_value(&request) else { return Value::Null };
    fields.shift_remove("messages");
    Value::Object(fields)
}

fn exchanged(completion: &Completion) -> Exchanged {
    Exchanged {
        finish: completion.finish.clone(),
        reasoning: completion.reasoning.clone(),
        tokens: completion.tokens.clone(),
    }
}
