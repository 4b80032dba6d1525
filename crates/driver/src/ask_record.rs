//! The record of an ask: what a session keeps of an ask beside prompt and texts: the request as it was sent, the model that answered, the
//! reasons for the ends, reasoning, tokens with their alternatives, and the cost.

use serde_json::{Value, json};

use super::messages::{Answered, Failure};
use stepwright_episode::{Exchange, Exchanged, log};
use stepwright_model::{Charge, Completion, LanguageModel, ModelError, ModelRequest, ModelResponse};

/// The record of completions; of an ask that failed what was asked, and what it cost all the same.
pub(super) fn of_completions(
    model: &dyn LanguageModel,
    request: &ModelRequest,
    answer: &Result<ModelResponse, ModelError>,
) -> Box<Exchange> {
    let failed = |error: &ModelError| {
        let Charge { usage, cost } = error.charge();
        let (sent, served) = (error.sent().clone(), error.served().to_owned());
        ModelResponse { usage, cost, sent, served, ..ModelResponse::default() }
    };
    let none = answer.as_ref().err().map(failed).unwrap_or_default();
    let response = answer.as_ref().unwrap_or(&none);
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

/// Most bytes, as they are written, of the texts of an answer, and of what comes beside them. A quarter of what a line of a session
/// may have: the proposals and documents read from an answer are written too.
const MAX_ANSWER: u64 = log::MAX_LINE / 4;

/// The answer, or the error that it is too long to be kept.
pub(super) fn bounded(mut answered: Answered) -> Answered {
    let texts = match &answered.result {
        Ok(answer) => written(&answer.completions.iter().map(|c| &c.text).collect::<Vec<_>>()),
        Err(failure) => written(&failure.partial()),
    };
    let beside = answered.exchange.as_deref().map_or(0, written);
    let longest = texts.max(beside);
    if longest > MAX_ANSWER {
        let why = format!(
            "the answer has {} MiB, at most {} MiB can be kept; lower max_tokens or the number of samples",
            longest >> 20,
            MAX_ANSWER >> 20
        );
        let usage = answered.result.map_or_else(|failure| failure.usage(), |answer| answer.usage);
        answered.result = Err(Failure::Work { why, usage });
        if let Some(exchange) = &mut answered.exchange {
            exchange.completions.clear();
        }
    }
    answered
}

fn written(value: &impl serde::Serialize) -> u64 {
    let mut count = Count(0);
    // What cannot be written is refused where it is to be written.
    let _ = serde_json::to_writer(&mut count, value);
    count.0
}

struct Count(u64);

impl std::io::Write for Count {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        self.0 += bytes.len() as u64;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> std::io::Result<()> {
        Ok(())
    }
}

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
    // A program's own request is what its step says, with what is added in the prompt.
    let request = ModelRequest { messages: Vec::new(), relayed: None, ..request.clone() };
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

#[cfg(test)]
mod tests {
    use super::*;
    use stepwright_episode::{PromptMessage, Usage};
    use stepwright_method::Answer;
    use stepwright_model::answering::Answering;
    use stepwright_model::{Last, Price, Settings};

    #[test]
    fn an_ask_that_failed_has_the_cost_of_its_answers() {
        let price = Some(Price { input: 1e6, output: 2e6 });
        let model = Answering {
            settings: Settings { price, ..Settings::default() },
            ..Answering::by(|_: &ModelRequest| Err(ModelError::Cancelled))
        };
        let cost = |error: ModelError| of_completions(&model, &ModelRequest::default(), &Err(error)).cost;
        let charge = |cost| Charge { usage: Some(Usage::new(3, 2)), cost };
        assert_eq!(cost(ModelError::Cancelled), None);
        assert_eq!(cost(ModelError::Cancelled.charged(charge(None))), Some(7.0), "by the prices");
        assert_eq!(cost(ModelError::Cancelled.charged(charge(Some(0.5)))), Some(0.5), "as the provider says");
        let last = Last { sent: json!({"stream": true}), served: "m-real".to_owned() };
        let failed = Err(ModelError::Cancelled.after(Charge::default(), last));
        let exchange = of_completions(&model, &ModelRequest::default(), &failed);
        assert_eq!((exchange.request, exchange.served.as_str()), (json!({"stream": true}), "m-real"), "as it was sent");
    }

    fn answered(text: String, tokens: usize) -> Answered {
        let tokens = vec![stepwright_episode::TokenLogprob::new("x", -0.5); tokens];
        let exchange =
            Exchange { completions: vec![Exchanged { tokens, ..Exchanged::default() }], ..Exchange::default() };
        Answered {
            ask: 1,
            result: Ok(Answer { usage: Some(Usage::new(9, 1)), ..Answer::texts([text]) }),
            exchange: Some(Box::new(exchange)),
            is_scored: false,
            ms: 1,
        }
    }

    /// Control characters take six bytes each where they are written.
    #[test]
    fn d4_an_answer_too_long_for_its_session_is_an_error() {
        let most = MAX_ANSWER as usize;
        for (text, tokens) in [("x".repeat(most), 0), ("\u{1}".repeat(most / 6), 0), (String::new(), most / 20)] {
            let kept = bounded(answered(text, tokens));
            let failure = kept.result.unwrap_err();
            assert!(failure.to_string().contains("at most 32 MiB can be kept"), "{failure}");
            assert_eq!(failure.usage(), Some(Usage::new(9, 1)), "it was paid for");
            assert!(written(kept.exchange.as_deref().unwrap()) < 1000);
        }
        let alone = bounded(Answered { exchange: None, ..answered("x".repeat(most), 0) });
        assert!(alone.result.is_err() && alone.exchange.is_none());
        let (endpoint, message, partial) = (String::new(), String::new(), "x".repeat(most));
        let failure = Failure::Model(ModelError::Broken { endpoint, message, partial });
        let broken = bounded(Answered { result: Err(failure), ..answered(String::new(), 0) });
        assert_eq!(broken.result.unwrap_err().partial(), "", "nor is what had come of one");
        // As it is written a text has four signs more: `["…"]`.
        let kept = bounded(Answered { exchange: None, ..answered("x".repeat(most - 4), 0) });
        assert!(kept.result.is_ok(), "as long as may be");
        let kept = bounded(answered("x".repeat(1000), 1000));
        assert!(kept.result.is_ok() && !kept.exchange.unwrap().completions.is_empty());
    }

    #[test]
    fn what_was_asked_without_a_network_is_recorded_without_its_texts() {
        let model = Answering::by(|_: &ModelRequest| Ok(ModelResponse::default()));
        let request = ModelRequest { n: 3, seed: Some(7), ..ModelRequest::default() };
        let exchange = of_completions(&model, &request, &Ok(ModelResponse::default()));
        assert_eq!((&exchange.request["n"], &exchange.request["seed"]), (&json!(3), &json!(7)));
        let with = ModelRequest {
            messages: vec![PromptMessage { role: "user".into(), text: "a long prompt".into() }],
            ..request
        };
        let again = of_completions(&model, &with, &Ok(ModelResponse::default()));
        assert_eq!(again.request, exchange.request);
        assert!(again.request.get("messages").is_none());
        let tokens = vec![stepwright_episode::TokenLogprob::new("x", -0.5)];
        let completion = Completion { finish: "stop".into(), reasoning: "so".into(), tokens, ..Completion::default() };
        let scores = of_scores(&model, &[completion.clone(), Completion::default()]);
        assert_eq!((&scores.request, &scores.endpoint), (&json!({"score": 2}), &model.info().endpoint));
        assert_eq!(scores.completions, [exchanged(&completion), Exchanged::default()]);
        let Exchanged { finish, reasoning, tokens } = exchanged(&completion);
        assert_eq!((finish, reasoning, tokens), (completion.finish, completion.reasoning, completion.tokens));
    }
}
