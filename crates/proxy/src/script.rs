//! Script: recorded answers for an agent that is started again, as far as it asks what it asked.

use std::sync::Arc;

use serde::{Deserialize, Serialize};
use stepwright_wire::{Api, Aside, Difference, Request, Whole, difference};

use crate::slots::{Pending, Reply};
use crate::upstream::Refusal;

/// A request and what it was answered with.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub struct Recorded {
    pub api: Api,
    /// The body of the request.
    pub body: String,
    /// The body of the answer, not streamed.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub answer: String,
    /// The error in its place.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub refusal: Option<Refusal>,
}

/// What a script has for a request.
#[derive(Debug, Clone)]
pub enum Fed {
    Reply(Reply),
    /// It is another request than the one that comes next.
    Differs(Difference),
    /// All that was recorded was fed.
    Over,
}

/// Recorded answers, each fed once. Agents of several minds ask in any order: what a request repeats is looked for in all that is left.
#[derive(Debug, Default)]
pub struct Script {
    left: Vec<Recorded>,
    aside: Aside,
}

impl Script {
    pub fn new(recorded: Vec<Recorded>, aside: Aside) -> Self {
        Script { left: recorded, aside }
    }

    /// How many answers are left.
    pub fn left(&self) -> usize {
        self.left.len()
    }

    /// The answer to a request. What differs is still there to be asked for.
    pub fn next(&mut self, pending: &Pending) -> Fed {
        self.find(&pending.request, &pending.body)
    }

    fn find(&mut self, request: &Request, body: &str) -> Fed {
        let mut nearest: Option<Difference> = None;
        for at in 0..self.left.len() {
            let Some(recorded) = self.left.get(at).filter(|recorded| recorded.api == request.api) else { continue };
            let Some(found) = difference(&recorded.body, body, &self.aside) else {
                return self.feed(at);
            };
            // The first that is left is the one that was expected.
            nearest.get_or_insert(found);
        }
        nearest.map_or(Fed::Over, Fed::Differs)
    }

    fn feed(&mut self, at: usize) -> Fed {
        let recorded = self.left.remove(at);
        if let Some(refusal) = recorded.refusal {
            return Fed::Reply(Reply::Error(refusal));
        }
        match Whole::read(recorded.api, &recorded.answer) {
            Ok(whole) => Fed::Reply(Reply::Whole(Arc::new(whole))),
            Err(problem) => {
                let why = format!("the recorded answer cannot be read: {problem}");
                Fed::Reply(Reply::Error(Refusal::new(recorded.api, 500, "api_error", &why)))
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_again_is_fed_and_what_differs_is_said() {
        let body =
            |text: &str| format!("{{\"model\":\"m\",\"messages\":[{{\"role\":\"user\",\"content\":\"{text}\"}}]}}");
        let answer =
            r#"{"id":"x","choices":[{"index":0,"message":{"role":"assistant","content":"a"},"finish_reason":"stop"}]}"#;
        let recorded = |text: &str| Recorded { api: Api::Chat, body: body(text), answer: answer.into(), refusal: None };
        let aside = Aside { folders: vec![("/a".into(), "/b".into())] };
        let mut script = Script::new(vec![recorded("in /a/x"), recorded("two")], aside);
        let mut ask = |text: &str| script.find(&Request::read(Api::Chat, &body(text)).unwrap(), &body(text));
        assert!(matches!(ask("two"), Fed::Reply(Reply::Whole(whole)) if whole.text() == answer));
        let Fed::Differs(found) = ask("in /b/y") else { panic!() };
        assert_eq!((found.recorded.as_str(), found.now.as_str()), ("in /a/x", "in /b/y"));
        assert!(matches!(ask("in /b/x"), Fed::Reply(_)));
        assert!(matches!(ask("in /b/x"), Fed::Over));
    }
}
