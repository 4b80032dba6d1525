//! The model that a program behind the gate would have asked by itself: its own provider, with its own key.

use async_trait::async_trait;
use futures_util::future::join_all;
use serde_json::json;
use tokio::sync::mpsc::UnboundedSender;
use tokio_util::sync::CancellationToken;

use super::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelKind, ModelRequest, ModelResponse, Relayed, StreamEvent,
};
use stepwright_proxy::senders;

/// The name of the model that a program asks by itself.
pub const UPSTREAM: &str = "upstream";

/// [`Completion::finish`] of an error in place of an answer; its text is the error, with its status and headers.
pub const REFUSED: &str = "refused";

/// A program's request for a model that has nothing of it stored.
pub(super) fn written_out(relayed: &Relayed) -> String {
    let sender = senders::find(relayed.sender);
    sender.map_or_else(|| relayed.body.to_string(), |(upstream, _)| upstream.written_out(relayed.api, &relayed.body))
}

/// Sends on what programs ask, and nothing else.
#[derive(Debug)]
pub struct Upstream;

#[async_trait]
impl LanguageModel for Upstream {
    fn info(&self) -> ModelInfo {
        let endpoint = "where the program would have asked".to_owned();
        ModelInfo { name: UPSTREAM.to_owned(), kind: ModelKind::Remote, endpoint }
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let wrong = |why: &str| Err(ModelError::Configuration(why.to_owned()));
        let Some(relayed) = &request.relayed else {
            return wrong(
                "`upstream` is asked only what a program behind the gate asks; choose another model for this method",
            );
        };
        let Some((upstream, ask)) = senders::find(relayed.sender) else {
            return wrong("the program that asked this does not run; restart the world to bring it here");
        };
        let one = |index: u32| {
            let on_text = move |text: &str| {
                // Nobody who watches is no error.
                let _ = stream.send(StreamEvent::Delta { index, text: text.to_owned() });
            };
            upstream.ask(&ask, &relayed.body, on_text)
        };
        let answers = tokio::select! {
            biased;
            () = cancel.cancelled() => return Err(ModelError::Cancelled),
            answers = join_all((0..request.n).map(one)) => answers,
        };
        let mut response = ModelResponse::default();
        let mut refused = None;
        for answer in answers {
            match answer {
                Ok(whole) => {
                    if let Some(usage) = whole.usage() {
                        response.usage.get_or_insert_default().add(usage);
                    }
                    whole.model().clone_into(&mut response.served);
                    let (finish, reasoning) = (whole.answer().finish, whole.answer().reasoning);
                    let text = whole.text().to_owned();
                    response.completions.push(Completion { text, finish, reasoning, ..Completion::default() });
                }
                Err(refusal) => refused = Some(refusal),
            }
        }
        // What the program would have been told is a person's to decide about, like an answer.
        if let Some(mut refusal) = refused.filter(|_| response.completions.is_empty()) {
            refusal.body = ask.masked(&refusal.body);
            response
                .completions
                .push(Completion { finish: REFUSED.to_owned(), ..Completion::whole(json!(refusal).to_string()) });
        }
        Ok(response)
    }
}
