//! Recording: any language model, with every answered exchange appended to a cassette.

use std::fs::{File, OpenOptions};
use std::io::{Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};

use async_trait::async_trait;
use serde::Serialize;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::file::{CassetteError, Exchange, FORMAT, Header, Scoring, VERSION, read};
use crate::model::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelRequest, ModelResponse, ScoreRequest, StreamEvent,
};

/// A language model whose exchanges are recorded.
pub struct Recorder {
    inner: Arc<dyn LanguageModel>,
    path: PathBuf,
    file: Arc<Mutex<File>>,
}

impl Recorder {
    /// Records into `path`: a new cassette, or more exchanges of the same model at the end of an old one.
    ///
    /// # Errors
    /// [`CassetteError`] when the file cannot be written, is no cassette, or holds another model's answers.
    pub fn new(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, CassetteError> {
        let io = |e: std::io::Error| CassetteError::Io { path: path.display().to_string(), why: e.to_string() };
        let info = inner.info();
        let mut file = OpenOptions::new().create(true).truncate(false).read(true).write(true).open(path).map_err(io)?;
        if file.metadata().map_err(io)?.len() == 0 {
            let header = Header {
                format: FORMAT.into(),
                version: VERSION,
                model: info.name.clone(),
                endpoint: info.endpoint.clone(),
            };
            write_line(&mut file, &header).map_err(io)?;
        } else {
            let (header, _, good) = read(path)?;
            if header.model != info.name {
                let why = format!("it records the model {:?}; record {:?} into another file", header.model, info.name);
                return Err(CassetteError::Format { path: path.display().to_string(), line: 1, why });
            }
            file.set_len(good).map_err(io)?;
            file.seek(SeekFrom::End(0)).map_err(io)?;
        }
        Ok(Recorder { inner, path: path.to_owned(), file: Arc::new(Mutex::new(file)) })
    }

    async fn append(&self, exchange: impl Serialize + Send + 'static) -> Result<(), ModelError> {
        let file = Arc::clone(&self.file);
        let written = tokio::task::spawn_blocking(move || match file.lock() {
            Ok(mut file) => write_line(&mut file, &exchange),
            Err(_) => Err(std::io::Error::other("an earlier write failed")),
        })
        .await;
        let failed = match written {
            Ok(Ok(())) => return Ok(()),
            Ok(Err(e)) => e.to_string(),
            Err(e) => e.to_string(),
        };
        let path = self.path.display();
        Err(ModelError::Configuration(format!(
            "the answer came but could not be recorded in {path}: {failed}; free space there or record elsewhere"
        )))
    }
}

fn write_line(file: &mut File, value: &impl Serialize) -> std::io::Result<()> {
    let mut line = serde_json::to_vec(value)?;
    line.push(b'\n');
    file.write_all(&line)?;
    file.flush()
}

#[async_trait]
impl LanguageModel for Recorder {
    fn info(&self) -> ModelInfo {
        self.inner.info()
    }

    fn can_score(&self) -> bool {
        self.inner.can_score()
    }

    fn may_score(&self) -> bool {
        self.inner.may_score()
    }

    async fn score(&self, request: &ScoreRequest, cancel: &CancellationToken) -> Result<Vec<Completion>, ModelError> {
        let (nobody, _) = unbounded_channel();
        self.score_watched(request, &nobody, cancel).await
    }

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        let completions = self.inner.score_watched(request, done, cancel).await?;
        self.append(Scoring { score: request.clone(), completions: completions.clone() }).await?;
        Ok(completions)
    }

    fn temperature(&self) -> Option<f64> {
        self.inner.temperature()
    }

    fn frequency_penalty(&self) -> Option<f64> {
        self.inner.frequency_penalty()
    }

    fn answer_tokens(&self) -> Option<u32> {
        self.inner.answer_tokens()
    }

    fn prefers_raw(&self) -> bool {
        self.inner.prefers_raw()
    }

    fn raw_setting(&self) -> Option<&'static str> {
        self.inner.raw_setting()
    }

    fn context(&self) -> Option<usize> {
        self.inner.context()
    }

    async fn complete(
        &self,
        request: &ModelRequest,
        stream: &UnboundedSender<StreamEvent>,
        cancel: &CancellationToken,
    ) -> Result<ModelResponse, ModelError> {
        let (own, mut arriving) = unbounded_channel();
        let mut deltas = Vec::new();
        let answer = {
            let mut asking = self.inner.complete(request, &own, cancel);
            let mut pass_on = |event: StreamEvent| {
                if let StreamEvent::Delta { index, text } = &event {
                    deltas.push((*index, text.clone()));
                }
                // A closed receiver only means that nobody watches.
                let _ = stream.send(event);
            };
            let answer = loop {
                tokio::select! {
                    biased;
                    Some(event) = arriving.recv() => pass_on(event),
                    answer = &mut asking => break answer,
                }
            };
            while let Ok(event) = arriving.try_recv() {
                pass_on(event);
            }
            answer
        };
        let response = answer?;
        self.append(Exchange { request: request.clone(), deltas, response: response.clone() }).await?;
        Ok(response)
    }
}
