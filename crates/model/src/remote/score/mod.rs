//! Log-probabilities of given texts, from servers that really report them.
//!
//! Two interfaces are known, found out once an endpoint ([`Way`]) and never guessed:
//! - `native`: llama.cpp's own interface (`/tokenize`, `/completion`), each candidate forced token by token by a grammar;
//! - `echo`: `/v1/completions` with `echo`, where the prompt's log-probabilities come back (vLLM).
//!
//! Servers that ignore the grammar or `echo`, or whose figures belong to other tokens, are refused with the reason. Only raw
//! prompts are scored: a chat template is the server's, and where it puts an answer's beginning is not known.

mod echo;
mod native;

use tokio::sync::mpsc::UnboundedSender;

use super::Remote;
use super::body::is_raw_text;
use super::options::Score;
use crate::{Completion, ModelError, ScoreRequest};

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Way {
    Native,
    /// Legacy completions that echo the prompt's log-probabilities.
    Echo,
}

impl Way {
    pub fn words(self) -> &'static str {
        match self {
            Way::Native => "by llama.cpp's own interface",
            Way::Echo => "by echoed prompts",
        }
    }
}

impl Remote {
    /// How the endpoint scores; `Err` says why it does not. Asked of the server once, as far as it answers at all.
    pub(super) async fn way(&self) -> Result<&Result<Way, String>, ModelError> {
        self.scoring.get_or_try_init(|| self.find_way()).await
    }

    async fn find_way(&self) -> Result<Result<Way, String>, ModelError> {
        let mode = self.options.score;
        if mode == Score::Never {
            return Ok(Err("score = \"never\" in its settings".to_owned()));
        }
        let mut why = Vec::new();
        if mode != Score::Echo {
            match self.try_native().await? {
                Ok(()) => return Ok(Ok(Way::Native)),
                Err(reason) => why.push(reason),
            }
        }
        if mode != Score::Native {
            match self.try_echo().await? {
                Ok(()) => return Ok(Ok(Way::Echo)),
                Err(reason) => why.push(reason),
            }
        }
        Ok(Err(why.join("; ")))
    }

    pub(super) async fn score_all(
        &self,
        request: &ScoreRequest,
        done: &UnboundedSender<usize>,
    ) -> Result<Vec<Completion>, ModelError> {
        let prompt = match request.messages.as_slice() {
            [only] if is_raw_text(only) => only.text.as_str(),
            _ => {
                return Err(ModelError::Configuration(
                    "only raw prompts can be scored, not chat messages: where a chat template puts an answer is not known".into(),
                ));
            }
        };
        if request.candidates.iter().any(String::is_empty) {
            return Err(ModelError::Configuration("an empty text cannot be scored".into()));
        }
        match self.way().await? {
            Ok(Way::Native) => self.score_native(prompt, &request.candidates, done).await,
            Ok(Way::Echo) => self.score_echo(prompt, &request.candidates, done).await,
            Err(why) => Err(ModelError::Configuration(format!(
                "{} at {} reports no log-probabilities of given texts ({why}); choose a method that lets it write",
                self.options.model,
                self.http.endpoint()
            ))),
        }
    }

    /// The error of an answer that does not hold what it should.
    pub(super) fn unfit(&self, message: impl Into<String>) -> ModelError {
        ModelError::Broken {
            endpoint: self.http.endpoint().to_owned(),
            message: self.http.clean(&message.into()),
            partial: String::new(),
        }
    }
}
