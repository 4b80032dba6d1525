//! One ask of a language model in work that nobody watches.

use tokio::sync::mpsc::unbounded_channel;
use tokio_util::sync::CancellationToken;

use crate::{Completion, LanguageModel, ModelError, ModelRequest, StreamEvent, Usage};

/// The end of an ask.
#[derive(Debug, Clone, PartialEq)]
pub struct Asked {
    pub completions: Result<Vec<Completion>, ModelError>,
    /// As far as is known, of an ask that failed too.
    pub spent: Usage,
    /// What the person is to know of the model and its server, in order.
    pub remarks: Vec<String>,
}

/// Asks for whole completions. A model that is slow to notice that it is cancelled is not waited for.
pub async fn ask(model: &dyn LanguageModel, request: &ModelRequest, cancel: &CancellationToken) -> Asked {
    let (stream, mut events) = unbounded_channel();
    let answer = tokio::select! {
        biased;
        answer = model.complete(request, &stream, cancel) => answer,
        () = cancel.cancelled() => Err(ModelError::Cancelled),
    };
    let usage = answer.as_ref().map_or_else(|error| error.charge().usage, |response| response.usage);
    let mut remarks = Vec::new();
    while let Ok(event) = events.try_recv() {
        if let StreamEvent::Remark { text, .. } = event {
            remarks.push(text);
        }
    }
    Asked { completions: answer.map(|response| response.completions), spent: usage.unwrap_or_default(), remarks }
}

#[cfg(test)]
mod tests {
    use async_trait::async_trait;
    use tokio::sync::mpsc::UnboundedSender;

    use super::*;
    use crate::{Charge, ModelInfo, ModelKind, ModelResponse};

    /// Remarks something, then answers, fails or never ends.
    struct Remarking(Option<Result<ModelResponse, ModelError>>);

    #[async_trait]
    impl LanguageModel for Remarking {
        fn info(&self) -> ModelInfo {
            ModelInfo { name: "m".to_owned(), kind: ModelKind::Recorded, endpoint: String::new() }
        }

        async fn complete(
            &self,
            _request: &ModelRequest,
            stream: &UnboundedSender<StreamEvent>,
            _cancel: &CancellationToken,
        ) -> Result<ModelResponse, ModelError> {
            let _ = stream.send(StreamEvent::Delta { index: 0, text: "a".to_owned() });
            let _ = stream.send(StreamEvent::Remark { text: "no temperature".to_owned(), warning: true });
            match &self.0 {
                Some(answer) => answer.clone(),
                None => std::future::pending().await,
            }
        }
    }

    #[tokio::test]
    async fn remarks_and_tokens_are_told_however_it_ends() {
        let usage = Usage::new(10, 2);
        let answer = ModelResponse::of(vec![Completion::whole("a")], Some(usage));
        let broken = ModelError::Configuration("no".to_owned()).charged(Charge { usage: Some(usage), cost: None });
        let cancel = CancellationToken::new();
        for (model, completions, spent) in [
            (Some(Ok(answer.clone())), Ok(answer.completions), usage),
            (Some(Err(broken.clone())), Err(broken), usage),
            (None, Err(ModelError::Cancelled), Usage::default()),
        ] {
            if model.is_none() {
                cancel.cancel();
            }
            let asked = ask(&Remarking(model), &ModelRequest::default(), &cancel).await;
            assert_eq!(asked, Asked { completions, spent, remarks: vec!["no temperature".to_owned()] });
        }
    }
}
