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
use serde_json::json;
use stepwright_files::{Lines, siblings};
use tokio::sync::mpsc::{UnboundedSender, unbounded_channel};
use tokio_util::sync::CancellationToken;

use super::file::{CassetteError, Entry, Exchange, FORMAT, Header, MAX_LINE, Scoring, VERSION, read};
use super::play::replay;
use super::tape::Tape;
use crate::{
    Charge, Completion, LanguageModel, ModelError, ModelInfo, ModelRequest, ModelResponse, ScoreRequest, Settings,
    StreamEvent,
};

struct Open {
    /// The file that is written: the one that was named, or one beside it.
    path: PathBuf,
    lines: Lines,
    header: Header,
    tape: Tape,
}

/// The path that was named and the model.
type Key = (PathBuf, String);

/// The cassettes this process writes, and those it wrote: models are also opened to be looked at, one after another, before they are asked.
static OPEN: LazyLock<Mutex<HashMap<Key, Weak<Mutex<Open>>>>> = LazyLock::new(Mutex::default);

pub struct Recorder {
    inner: Arc<dyn LanguageModel>,
    open: Arc<Mutex<Open>>,
    /// Whether a recorded request is not asked again.
    cache: bool,
}

impl Recorder {
    /// Records into `path`: a new cassette, or more exchanges of the same model at the end of an old one. Of several models that one process
    /// records there each further one has a file beside it (`NAME-2`).
    /// Errors: [`CassetteError`] when the file cannot be written, is no cassette, holds another model's answers, or
    /// another process writes it.
    pub fn new(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, CassetteError> {
        Self::open(inner, path, false)
    }

    /// As [`Recorder::new`], but answers from `path` what is recorded there, and asks and records only what is missing. An answer of fewer
    /// completions than were asked for is neither taken from it nor put into it. While another process writes it, or where it holds another model's
    /// answers, a file beside it (`NAME-2`) is written; what of them is this model's is answered from.
    pub fn cache(inner: Arc<dyn LanguageModel>, path: &Path) -> Result<Self, CassetteError> {
        Self::open(inner, path, true)
    }

    fn open(inner: Arc<dyn LanguageModel>, path: &Path, cache: bool) -> Result<Self, CassetteError> {
        let open = opened(inner.as_ref(), path, cache)?;
        Ok(Recorder { inner, open, cache })
    }

    fn file(&self) -> MutexGuard<'_, Open> {
        // What a panic left is cut off before the next line is written.
        self.open.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes down what was answered; that the file was lost, and where all is instead.
    /// Errors: it could not be written, whatever it cost.
    async fn append(&self, entry: Entry, charge: Charge) -> Result<Option<String>, ModelError> {
        let open = Arc::clone(&self.open);
        let written =
            tokio::task::spawn_blocking(move || open.lock().unwrap_or_else(PoisonError::into_inner).append(entry));
        let path = self.file().path.display().to_string();
        let failed = match written.await {
            Ok(Ok(moved)) => return Ok(moved.map(|moved| format!("{path}: {moved}"))),
            Ok(Err(e)) => e.to_string(),
            Err(e) => e.to_string(),
        };
        let why = format!(
            "the answer came but could not be recorded in {path}: {failed}; free space there or record elsewhere"
        );
        Err(ModelError::Configuration(why).charged(charge))
    }
}

impl Open {
    /// Writes down what was answered; where all that was is instead, if the file was lost.
    fn append(&mut self, entry: Entry) -> std::io::Result<Option<String>> {
        let line = match &entry {
            Entry::Exchange(exchange) => line(exchange)?,
            Entry::Scoring(scoring) => line(scoring)?,
        };
        let all = || {
            let lines = std::iter::once(json!(self.header).to_string()).chain(self.tape.lines());
            lines.map(|line| line + "\n").collect::<String>().into_bytes()
        };
        let moved = self.lines.keep_or_move(line, "all recorded answers", all)?;
        self.tape.add(entry);
        Ok(moved)
    }
}

fn line(value: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let line = serde_json::to_vec(value)?;
    if line.len() as u64 + 1 >= MAX_LINE {
        let why = format!("the exchange has {} MiB; at most {} MiB can be kept", line.len() >> 20, MAX_LINE >> 20);
        return Err(std::io::Error::other(why));
    }
    Ok(line)
}

/// The file, open and locked; the same for all of this process that ask that model. Where another process writes a cache, or another model's
/// answers are in it, a file beside it is written, and all that hold this model's are answered from.
fn opened(model: &dyn LanguageModel, path: &Path, cache: bool) -> Result<Arc<Mutex<Open>>, CassetteError> {
    let info = model.info();
    let key = (std::path::absolute(path).map_err(|e| failed(path, &e))?, info.name.clone());
    let mut all = OPEN.lock().unwrap_or_else(PoisonError::into_inner);
    if let Some(open) = all.get(&key).and_then(Weak::upgrade) {
        return Ok(open);
    }
    // A person who names a file of another model's answers is told; a process that asks several models has one for each.
    let goes_beside = cache || all.keys().any(|(known, model)| *known == key.0 && *model != key.1);
    let of_model = |path: &Path| read(path).ok().filter(|(header, ..)| header.model == info.name);
    let has_own = || siblings(path).take_while(|path| path.exists()).any(|path| of_model(&path).is_some());
    let (mut own, mut beside) = (None, Vec::new());
    for path in siblings(path) {
        if own.is_none() {
            match begun(model, &path) {
                Err(CassetteError::Busy { .. }) if goes_beside => {}
                Err(CassetteError::OtherModel { .. }) if goes_beside || has_own() => {}
                begun => {
                    own = Some(begun?);
                    continue;
                }
            }
        } else if !cache || !path.exists() {
            break;
        }
        beside.extend(of_model(&path).into_iter().flat_map(|(_, entries, _)| entries));
    }
    let mut own = own.ok_or_else(|| CassetteError::Busy { path: path.display().to_string() })?;
    beside.into_iter().for_each(|entry| own.tape.add(entry));
    let open = Arc::new(Mutex::new(own));
    all.insert(key, Arc::downgrade(&open));
    Ok(open)
}

/// Opens a file for this process alone, or begins it.
fn begun(model: &dyn LanguageModel, path: &Path) -> Result<Open, CassetteError> {
    let handle = Lines::lock(path, true).map_err(|error| match error.kind() {
        ErrorKind::WouldBlock => CassetteError::Busy { path: path.display().to_string() },
        _ => failed(path, &error),
    })?;
    let info = model.info();
    if handle.metadata().map_err(|e| failed(path, &e))?.len() == 0 {
        let header = Header {
            format: FORMAT.into(),
            version: VERSION,
            model: info.name,
            endpoint: info.endpoint,
            settings: Some(model.settings()),
            raw: Some(model.prefers_raw()),
            chosen: model.has_chosen_interface(),
        };
        let mut lines = Lines::after(handle, 0);
        line(&header).and_then(|line| lines.keep(line)).map_err(|e| failed(path, &e))?;
        return Ok(Open { path: path.to_owned(), lines, header, tape: Tape::default() });
    }
    let (header, entries, length) = read(path)?;
    fits(&header, &info, path)?;
    Ok(Open { path: path.to_owned(), lines: Lines::after(handle, length), header, tape: Tape::new(entries) })
}

fn failed(path: &Path, why: &std::io::Error) -> CassetteError {
    CassetteError::Io { path: path.display().to_string(), why: why.to_string() }
}

fn fits(header: &Header, info: &ModelInfo, path: &Path) -> Result<(), CassetteError> {
    if header.model == info.name {
        return Ok(());
    }
    let path = path.display().to_string();
    Err(CassetteError::OtherModel { path, holds: header.model.clone(), model: info.name.clone() })
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
        if let Some(scored) = self.cache.then(|| self.file().tape.scored(request)).flatten() {
            return Ok(scored);
        }
        let completions = self.inner.score_watched(request, done, cancel).await?;
        let charge = Charge { usage: Some(request.usage(&completions)), cost: None };
        let entry = Entry::Scoring(Scoring { score: request.clone(), completions: completions.clone() });
        match self.append(entry, charge).await? {
            // Nothing but an error is heard of a scoring.
            Some(moved) => Err(ModelError::Configuration(moved).charged(charge)),
            None => Ok(completions),
        }
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
        let known = self.cache.then(|| self.file().tape.next(request, Exchange::is_whole)).flatten();
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
        // A later run is to get as many as it asks for. What plays back a session goes the way it went, with as many as came.
        if self.cache && !exchange.is_whole() {
            return Ok(response);
        }
        let charge = Charge { usage: response.usage, cost: response.cost };
        if let Some(text) = self.append(Entry::Exchange(exchange), charge).await? {
            let _ = stream.send(StreamEvent::Remark { text, warning: true });
        }
        Ok(response)
    }

    async fn embed(&self, texts: &[String], cancel: &CancellationToken) -> Result<Vec<Vec<f32>>, ModelError> {
        self.inner.embed(texts, cancel).await
    }
}
