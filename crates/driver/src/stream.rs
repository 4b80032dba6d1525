//! One ask of a language model: its stream passed on in pieces that a screen can follow, and its end.

use std::collections::BTreeMap;
use std::sync::Arc;
use std::time::Duration;

use tokio::sync::mpsc::{UnboundedReceiver, UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use stepwright_episode::{AskId, Level};
use stepwright_model::{LanguageModel, ModelError, ModelRequest, ModelResponse, StreamEvent};
use stepwright_protocol::Notice;

/// Pieces of a stream are passed on at most this often.
const PACE: Duration = Duration::from_millis(16);

/// The answer, and the text that had arrived by the end: of an answer that was given up it is all there is.
pub(super) async fn ask(
    model: Arc<dyn LanguageModel>,
    ask: AskId,
    request: ModelRequest,
    cancel: CancellationToken,
    notices: UnboundedSender<Notice>,
) -> (Result<ModelResponse, ModelError>, String) {
    let (sender, receiver) = unbounded_channel();
    let forward = tokio::spawn(forward(ask, receiver, notices));
    // In one order, so that a simulated course is the same each time.
    let result = tokio::select! {
        biased;
        result = model.complete(&request, &sender, &cancel) => result,
        // A model that is slow to notice must not keep the person waiting.
        () = cancel.cancelled() => Err(ModelError::Cancelled),
    };
    drop(sender);
    // Nobody needs the text where passing it on broke.
    (result, forward.await.unwrap_or_default())
}

/// Passes stream events on, texts that follow each other joined; in the end the text of the first completion that has words: together they
/// would read as one.
async fn forward(ask: AskId, mut events: UnboundedReceiver<StreamEvent>, notices: UnboundedSender<Notice>) -> String {
    let mut batch = Vec::new();
    let mut arrived: BTreeMap<u32, String> = BTreeMap::new();
    while events.recv_many(&mut batch, 4096).await > 0 {
        let mut pieces: Vec<(u32, String)> = Vec::new();
        for event in batch.drain(..) {
            match event {
                StreamEvent::Delta { index, text } => match pieces.iter_mut().find(|(i, _)| *i == index) {
                    Some((_, piece)) => piece.push_str(&text),
                    None => pieces.push((index, text)),
                },
                StreamEvent::Reasoning { index, text } => {
                    let _ = notices.send(Notice::Reasoning { ask, index, text });
                }
                StreamEvent::Void { from } => {
                    pieces.retain(|(index, _)| *index < from);
                    arrived.retain(|index, _| *index < from);
                    let _ = notices.send(Notice::Void { ask, from });
                }
                StreamEvent::Remark { text, warning } => {
                    let level = if warning { Level::Warning } else { Level::Info };
                    let _ = notices.send(Notice::Remark { level, text });
                }
                StreamEvent::Retrying { attempt, wait, why } => {
                    let _ = notices.send(Notice::Retrying { ask, attempt, wait, why });
                }
            }
        }
        for (index, text) in pieces {
            arrived.entry(index).or_default().push_str(&text);
            let _ = notices.send(Notice::Stream { ask, index, text });
        }
        if !events.is_closed() {
            tokio::time::sleep(PACE).await;
        }
    }
    arrived.into_values().find(|text| !text.trim().is_empty()).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn remarks_of_a_model_are_said_and_warnings_as_warnings() {
        let (sender, events) = unbounded_channel();
        let (notices, mut said) = unbounded_channel();
        for warning in [true, false] {
            sender.send(StreamEvent::Remark { text: "so it is".into(), warning }).unwrap();
        }
        drop(sender);
        forward(1, events, notices).await;
        for level in [Level::Warning, Level::Info] {
            assert_eq!(said.recv().await, Some(Notice::Remark { level, text: "so it is".into() }));
        }
        assert_eq!(said.recv().await, None);
    }

    #[tokio::test]
    async fn what_is_void_is_not_passed_on_and_what_is_not_stays() {
        let (sender, events) = unbounded_channel();
        let (notices, mut said) = unbounded_channel();
        let delta = |index, text: &str| StreamEvent::Delta { index, text: text.into() };
        let sent =
            [delta(0, "a"), delta(1, "b"), delta(2, "c"), delta(0, "d"), StreamEvent::Void { from: 1 }, delta(1, "e")];
        sent.into_iter().for_each(|event| sender.send(event).unwrap());
        drop(sender);
        assert_eq!(forward(1, events, notices).await, "ad");
        let mut all = Vec::new();
        while let Some(notice) = said.recv().await {
            all.push(notice);
        }
        let piece = |index, text: &str| Notice::Stream { ask: 1, index, text: text.into() };
        assert_eq!(all, [Notice::Void { ask: 1, from: 1 }, piece(0, "ad"), piece(1, "e")]);
    }
}
