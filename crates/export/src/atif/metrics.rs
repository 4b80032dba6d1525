//! What the asks before a step spent, as the format has it: tokens, those of the prompt that were cached among them, and what they cost.

use serde_json::{Map, Value};
use stepwright_episode::{Ask, Usage};

/// What asks spent. What nobody reports is left out.
#[derive(Debug, Clone, PartialEq, Default)]
pub(super) struct Metrics {
    usage: Option<Usage>,
    cost: Option<f64>,
}

impl Metrics {
    /// Of these asks, those without an answer too: they are paid for all the same.
    pub(super) fn of<'a>(asks: impl Iterator<Item = &'a Ask>) -> Self {
        let mut all = Metrics::default();
        for ask in asks {
            let cost = ask.exchange.as_ref().and_then(|exchange| exchange.cost);
            all.add(&Metrics { usage: ask.state.usage(), cost });
        }
        all
    }

    pub(super) fn add(&mut self, other: &Metrics) {
        if let Some(usage) = other.usage {
            self.usage.get_or_insert_default().add(usage);
        }
        if let Some(cost) = other.cost {
            *self.cost.get_or_insert_default() += cost;
        }
    }

    /// As the metrics of a step; `None` where nothing was reported.
    pub(super) fn of_step(&self) -> Option<Value> {
        self.named(["prompt_tokens", "completion_tokens", "cached_tokens", "cost_usd"])
    }

    /// As those of a trajectory.
    pub(super) fn of_all(&self) -> Option<Value> {
        self.named(["total_prompt_tokens", "total_completion_tokens", "total_cached_tokens", "total_cost_usd"])
    }

    fn named(&self, [prompt, completion, cached, cost]: [&str; 4]) -> Option<Value> {
        let mut named = Map::new();
        if let Some(usage) = self.usage {
            named.insert(prompt.to_owned(), usage.prompt.into());
            named.insert(completion.to_owned(), usage.completion.into());
            named.insert(cached.to_owned(), usage.cached.into());
        }
        if let Some(spent) = self.cost {
            named.insert(cost.to_owned(), spent.into());
        }
        (!named.is_empty()).then_some(Value::Object(named))
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use serde_json::json;
    use stepwright_episode::{AskKind, AskState, Exchange};

    use super::*;

    fn ask(usage: Option<Usage>, cost: Option<f64>) -> Ask {
        let exchange = Exchange {
            endpoint: String::new(),
            request: Value::Null,
            served: String::new(),
            completions: Vec::new(),
            cost,
        };
        Ask {
            id: 1,
            kind: AskKind::GREEDY,
            model: "m".to_owned(),
            prompt: None,
            n: 1,
            temperature: 0.0,
            exchange: Some(Arc::new(exchange)),
            state: AskState::Failed { error: "e".to_owned(), cancelled: false, usage, partial: String::new() },
        }
    }

    #[test]
    fn what_is_reported_is_summed_and_what_is_not_is_left_out() {
        let none = Metrics::of([ask(None, None)].iter());
        assert_eq!((none.of_step(), none.of_all()), (None, None));
        let cached = Usage { cached: 4, ..Usage::new(10, 2) };
        let asks = [ask(Some(cached), Some(0.5)), ask(None, None), ask(Some(Usage::new(1, 1)), Some(0.25))];
        let all = Metrics::of(asks.iter());
        let expected = json!({ "prompt_tokens": 11, "completion_tokens": 3, "cached_tokens": 4, "cost_usd": 0.75 });
        assert_eq!(all.of_step(), Some(expected));
        let free = Metrics::of([ask(Some(Usage::new(1, 1)), None)].iter());
        assert_eq!(
            free.of_all(),
            Some(json!({ "total_prompt_tokens": 1, "total_completion_tokens": 1, "total_cached_tokens": 0 }))
        );
    }
}
