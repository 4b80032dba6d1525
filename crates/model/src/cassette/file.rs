//! File format: header, exchanges, and what makes two requests the same.

use std::io::Read;
use std::path::Path;

use serde::{Deserialize, Serialize};
use stepwright_files::{Misread, Reader};

use crate::{Completion, ModelRequest, ModelResponse, PromptMessage, ScoreRequest, Settings};

/// The format's version; a reader refuses higher ones. Since 2 there are scorings; since 3 the header holds what was set.
pub(super) const VERSION: u32 = 3;
/// The header's `format`.
pub(super) const FORMAT: &str = "stepwright-cassette";
/// Most bytes of one line, written or read: an exchange is a prompt and its completions.
pub(super) const MAX_LINE: u64 = stepwright_episode::log::MAX_LINE;

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Header {
    pub(super) format: String,
    pub(super) version: u32,
    pub(super) model: String,
    #[serde(default)]
    pub(super) endpoint: String,
    /// The settings for it: its requests depend on them, so the same count when it is played back. Since 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) settings: Option<Settings>,
    /// Whether it was asked for raw completions. Since 3.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub(super) raw: Option<bool>,
    /// Whether a person chose that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub(super) chosen: bool,
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Exchange {
    pub(super) request: ModelRequest,
    /// Completion index and new text, in the order and the pieces they arrived in.
    pub(super) deltas: Vec<(u32, String)>,
    pub(super) response: ModelResponse,
}

impl Exchange {
    /// Whether as many completions came as were asked for.
    pub(super) fn is_whole(&self) -> bool {
        self.response.completions.len() as u64 >= u64::from(self.request.n)
    }
}

#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
pub(super) struct Scoring {
    pub(super) score: ScoreRequest,
    pub(super) completions: Vec<Completion>,
}

#[allow(clippy::large_enum_variant, reason = "nearly all of them are exchanges")]
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Entry {
    Exchange(Exchange),
    Scoring(Scoring),
}

/// Reads a line behind the header: a scoring has the field `score`.
fn read_entry(line: &[u8]) -> Result<Entry, serde_json::Error> {
    #[derive(Deserialize)]
    struct Mark {
        score: Option<serde::de::IgnoredAny>,
    }
    if serde_json::from_slice::<Mark>(line)?.score.is_some() {
        serde_json::from_slice(line).map(Entry::Scoring)
    } else {
        serde_json::from_slice(line).map(Entry::Exchange)
    }
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CassetteError {
    /// The file could not be read or written.
    #[error("cassette {path}: {why}")]
    Io { path: String, why: String },
    #[error("cassette {path}: another stepwright records into it; end that one, or record into another file")]
    Busy { path: String },
    /// A cassette is of one model.
    #[error("cassette {path}: it records the model {holds:?}; record {model:?} into another file")]
    OtherModel { path: String, holds: String, model: String },
    /// The file is no cassette, or of a newer version, or a line is damaged.
    #[error("cassette {path}, line {line}: {why}")]
    Format {
        path: String,
        /// The line, from 1.
        line: usize,
        why: String,
    },
}

/// Reads a cassette. A last line without line end that cannot be read was torn by a crash, one with a hole by a power cut: it is passed
/// over, and the number of bytes before it is returned, for a recorder to continue from.
pub(super) fn read(path: &Path) -> Result<(Header, Vec<Entry>, u64), CassetteError> {
    let shown = path.display().to_string();
    match std::fs::File::open(path) {
        Ok(file) => read_from(file, shown),
        Err(e) => Err(CassetteError::Io { path: shown, why: e.to_string() }),
    }
}

/// The same of a source that `shown` stands for in errors.
pub(super) fn read_from(source: impl Read, shown: String) -> Result<(Header, Vec<Entry>, u64), CassetteError> {
    let mut lines = Reader::new(source, MAX_LINE);
    let wrong = |line, misread: Misread<String>| match misread {
        Misread::Io(error) => CassetteError::Io { path: shown.clone(), why: error.to_string() },
        Misread::Long => {
            let why = format!("the line is longer than {} MiB", MAX_LINE >> 20);
            CassetteError::Format { path: shown.clone(), line, why }
        }
        other => CassetteError::Format { path: shown.clone(), line, why: other.why() },
    };
    let header = lines.read(read_header).map_err(|misread| wrong(1, misread))?;
    let header = header.ok_or_else(|| wrong(1, Misread::Unfit("the file is empty".into())))?;
    let mut entries = Vec::new();
    let entry = |line: &[u8]| read_entry(line).map_err(|e| format!("it is no recorded exchange: {e}"));
    while let Some(entry) = lines.read(entry).map_err(|misread| wrong(lines.number(), misread))? {
        entries.push(entry);
    }
    Ok((header, entries, lines.whole()))
}

fn read_header(line: &[u8]) -> Result<Header, String> {
    let header: Header =
        serde_json::from_slice(line).map_err(|e| format!("this is no cassette: its first line is no header ({e})"))?;
    if header.format != FORMAT {
        return Err(format!("this is no cassette: its format is {:?}, not {FORMAT:?}", header.format));
    }
    if header.version > VERSION {
        return Err(format!(
            "version {} is newer than this program reads ({VERSION}); update the program",
            header.version
        ));
    }
    Ok(header)
}

/// The key of a request, as text. The bound on tokens is no part of it: the recording is a whole answer, which another
/// bound would not have changed.
pub(super) fn identity(request: &ModelRequest) -> String {
    let mut same = request.clone();
    same.logprobs = false;
    same.max_tokens = 0;
    for message in &mut same.messages {
        if message.text.contains('\r') {
            message.text = message.text.replace("\r\n", "\n");
        }
    }
    // A request holds nothing that JSON cannot.
    serde_json::to_string(&same).unwrap_or_default()
}

/// A scoring as a request: the candidates are one more message, so that it is recognised and compared like any other.
pub(super) fn as_request(score: &ScoreRequest) -> ModelRequest {
    let candidates = PromptMessage { role: "candidates".to_owned(), text: score.candidates.join("\n") };
    ModelRequest {
        messages: score.messages.iter().cloned().chain([candidates]).collect(),
        max_tokens: 0,
        n: 0,
        logprobs: true,
        ..ModelRequest::default()
    }
}
