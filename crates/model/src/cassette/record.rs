//! Recording: any language model, with every answered exchange appended to a cassette; as a cache also answering from it.
//!
//! A file is open for writing once in a process, locked, and shared by all who record into it: episodes that run side by side,
//! sessions that follow each other.

use std::collections::HashMap;
use std::io::ErrorKind;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError, Weak};

use async_trait::async_trait;
use serde::Serialize;
use stepwright_files::Lines;
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::file::{CassetteError, Entry, Exchange, FORMAT, Header, MAX_LINE, Scoring, VERSION, read};
use super::play::replay;
use super::tape::Tape;
use crate::{
    Completion, LanguageModel, ModelError, ModelInfo, ModelRequest, ModelResponse, ScoreRequest, Settings, StreamEvent,
};

struct Open {
    lines: Lines,
    tape: Tape,
}

/// The cassettes this process writes.
static OPEN: LazyLock<Mutex<HashMap<PathBuf, Weak<Mutex<Open>>>>> = LazyLock::new(Mutex::default);

pub struct Recorder {
    inner: Arc<dyn LanguageModel>,
    path: PathBuf,
    open: Arc<Mutex<Open>>,
    /// Whether a recorded request is not asked again.
    cache: bool,
}

impl Recorder {
    /// Records into `path`: a new cassette, or more exchanges of the same model at the end of an old one.
    /// Errors: [`CassetteError`] when the file cannot be written, is no cassette, holds another model's answers, or
    /// another process writes it.
    pub fn new(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, CassetteError> {
        let open = opened(inner.as_ref(), path)?;
        Ok(Recorder { inner, path: path.to_owned(), open, cache: false })
    }

    /// As [`Recorder::new`], but answers from `path` what is recorded there, and asks and records only what is missing.
    pub fn cache(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, CassetteError> {
        Ok(Recorder { cache: true, ..Recorder::new(inner, path)? })
    }

    fn open(&self) -> MutexGuard<'_, Open> {
        // What a panic left is cut off before the next line is written.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    async fn append(&self, entry: Entry) -> Result<(), ModelError> {
        let open = Arc::clone(&self.open);
        let written =
            tokio::task::spawn_blocking(move || open.lock().unwrap_or_else(PoisonError::into_inner).append(entry));
        let failed = match written.await {
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

impl Open {
    fn append(&mut self, entry: Entry) -> std::io::Result<()> {
        match &entry {
            Entry::Exchange(exchange) => self.write(exchange)?,
            Entry::Scoring(scoring) => self.write(scoring)?,
        }
        self.tape.add(entry);
        Ok(())
    }

    fn write(&mut self, value: &impl Serialize) -> std::io::Result<()> {
        let line = serde_json::to_vec(value)?;
        if line.len() as u64 + 1 >= MAX_LINE {
            let why = format!("the exchange has {} MiB; at most {} MiB can be kept", line.len() >> 20, MAX_LINE >> 20);
            return Err(std::io::Error::other(why));
        }
        self.lines.keep(line)
    }
}

/// The file, open and locked; the same for all of this process.
fn opened(model: &dyn LanguageModel, path: &Path) -> Result<Arc<Mutex<Open>>, CassetteError> {
    let io = |e: std::io::Error| CassetteError::Io { path: path.display().to_string(), why: e.to_string() };
    let key = std::path::absolute(path).map_err(io)?;
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    let shared = all.get(&key).and_then(Weak::upgrade);
    let info = model.info();
    if shared.is_some() {
        fits(&read(path)?.0, &info, path)?;
    }
    if let Some(open) = shared {
        return Ok(open);
    }
    let handle = Lines::lock(path, true).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => CassetteError::Busy { path: path.display().to_string() },
        _ => io(error),
    })?;
    let open = if handle.metadata().map_err(io)?.len() == 0 {
        let header = Header {
            format: FORMAT.into(),
            version: VERSION,
            model: info.name,
            endpoint: info.endpoint,
            settings: Some(model.settings()),
            raw: Some(model.prefers_raw()),
            chosen: model.has_chosen_interface(),
        };
        let mut open = Open { lines: Lines::after(handle, 0), tape: Tape::default() };
        open.write(&header).map_err(io)?;
        open
    } else {
        let (header, entries, length) = read(path)?;
        fits(&header, &info, path)?;
        Open { lines: Lines::after(handle, length), tape: Tape::new(entries) }
    };
    let open = Arc::new(Mutex::new(open));
    all.retain(|_, open| open.strong_count() > 0);
    all.insert(key, Arc::downgrade(&open));
    Ok(open)
}

fn fits(header: &Header, info: &ModelInfo, path: &Path) -> Result<(), CassetteError> {
    if header.model == info.name {
        return Ok(());
    }
    let why = format!("it records the model {:?}; record {:?} into another file", header.model, info.name);
    Err(CassetteError::Format { path: path.display().to_string(), line: 1, why })
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

    async fn score_watched(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
        cancel: &CancellationToken,
    ) -> Result<Vec<Completion>, ModelError> {
        if let Some(scored) = self.cache.then(|| self.open().tape.scored(request)).flatten() {
            return Ok(scored);
        }
        let completions = self.inner.score_watched(request, done, cancel).await?;
        self.append(Entry::Scoring(Scoring { score: request.clone(), completions: completions.clone() })).await?;
        Ok(completions)
    }

    fn settings(&self) -> Settings {
        self.inner.settings()
    }

    fn prefers_raw(&self) -> bool {
        self.inner.prefers_raw()
    }

    fn has_chosen_interface(&self) -> bool {
        self.inner.has_chosen_interface()
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
        let known = self.cache.then(|| self.open().tape.next(request)).flatten();
        if let Some(exchange) = known {
            return replay(exchange, stream, cancel).await;
        }
        let (own, mut arriving) = unbounded_channel();
        let mut deltas: Vec<(u32, String)> = Vec::new();
        let answer = {
            let mut asking = self.inner.complete(request, &own, cancel);
            let mut pass_on = |event: StreamEvent| {
                match &event {
                    StreamEvent::Delta { index, text } => deltas.push((*index, text.clone())),
                    StreamEvent::Void { from } => deltas.retain(|(index, _)| index < from),
                    _ => {}
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
        let exchange = Exchange { request: request.clone(), deltas, response: response.clone() };
        self.append(Entry::Exchange(exchange)).await?;
        Ok(response)
    }

    async fn embed(&self, texts: &[String], cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError> {
        self.inner.embed(texts, cancel).await
    }
}
