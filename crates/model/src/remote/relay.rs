//! Requests of other programs sent to this model: in their own interface where the server speaks it, else translated.

use serde_json::{Value, json};
use stepwright_wire::{Answer, Api, Request, Stamp, Usage, Whole, lenient};

use super::failure::Failure;
use super::http::Root;
use super::options::Wire;
use super::sink::Sink;
use super::translate::{Translated, translated};
use super::{Completion, ModelError, ModelRequest, ModelResponse, Remote};
use crate::upstream::written_out;
use crate::{Charge, Relayed};

/// Most bytes of an answer.
const MAX_ANSWER: usize = 64 << 20;

impl Remote {
    pub(super) async fn relay(
        &self,
        request: &ModelRequest,
        relayed: &Relayed,
        response: &mut ModelResponse,
        sink: Sink<'_>,
    ) -> Result<(), ModelError> {
        let wrong = |message: String| ModelError::Configuration(message);
        let text = written_out(relayed);
        let asked = Request::read(relayed.api, &text).map_err(|e| wrong(e.to_string()))?;
        let (own, path) = match self.options.wire {
            Wire::OpenAi => (Api::Chat, "chat/completions"),
            Wire::Anthropic => (Api::Messages, "messages"),
            Wire::Ollama => {
                // By its own interface the context is set up for each request, which no program's request says.
                return Err(wrong(
                    "requests of programs are sent to Ollama by its OpenAI interface, whose context its owner sets up (OLLAMA_CONTEXT_LENGTH); \
                     set provider = \"openai\" and base_url = \"http://127.0.0.1:11434/v1\" in a section [models.NAME], and name that"
                        .into(),
                ));
            }
        };
        let (mut body, mut lost) = match own == relayed.api {
            true => (lenient::<Value>(&text).map_err(|e| wrong(e.to_string()))?, Vec::new()),
            false => {
                let Translated { body, lost } = translated(&asked, &text, own);
                (body, lost)
            }
        };
        lost.extend(several(&asked));
        self.say_lost(relayed.api, own, lost, sink);
        if let Some(fields) = body.as_object_mut() {
            fields.insert("model".into(), json!(self.options.model));
            fields.insert("stream".into(), json!(false));
            fields.shift_remove("stream_options");
            fields.shift_remove("n");
        }
        for number in 0..request.n {
            let answered = self.relay_patiently(path, &body, sink).await.map_err(|failure| failure.error)?;
            let whole = Whole::read(own, &answered).map_err(|e| wrong(e.to_string()))?;
            sink.answered(Charge { usage: whole.usage(), cost: None }, whole.model());
            whole.model().clone_into(&mut response.served);
            let answer = whole.answer();
            let text = match own == relayed.api {
                true => whole.text().to_owned(),
                false => {
                    let stamp = Stamp { id: format!("{}{number}", whole.id()), created: 0 };
                    let usage = whole.usage().unwrap_or_default();
                    self.made(relayed.api, &asked, &answer, usage, &stamp)?
                }
            };
            let Answer { finish, reasoning, .. } = answer;
            response.completions.push(Completion { text, finish, reasoning, ..Completion::default() });
        }
        Ok(())
    }

    /// Says what of a request the server is not asked, each thing once.
    fn say_lost(&self, from: Api, to: Api, lost: Vec<String>, sink: Sink<'_>) {
        let new: Vec<String> = lost.into_iter().filter(|what| self.quirks.says(what)).collect();
        if !new.is_empty() {
            let how = match from == to {
                true => "is asked otherwise than the program asks".to_owned(),
                false => format!("is asked by {} what the program asks by {}", to.name(), from.name()),
            };
            sink.remark(format!("{} {how}: {}", self.options.model, new.join("; ")), true);
        }
    }

    fn made(
        &self,
        api: Api,
        asked: &Request,
        answer: &Answer,
        usage: Usage,
        stamp: &Stamp,
    ) -> Result<String, ModelError> {
        let made = Whole::made(api, &asked.model, answer, usage, stamp);
        Ok(made.map_err(|e| ModelError::Configuration(e.to_string()))?.text().to_owned())
    }

    async fn relay_patiently(&self, path: &str, body: &Value, sink: Sink<'_>) -> Result<String, Failure> {
        let mut tried = 1;
        loop {
            match tokio::time::timeout(self.options.answer_timeout, self.relay_once(path, body)).await {
                Ok(Ok(answer)) => return Ok(answer),
                Ok(Err(failure)) => self.wait_after(failure, &mut tried, sink).await?,
                Err(_) => return Err(self.endless(String::new())),
            }
        }
    }

    async fn relay_once(&self, path: &str, body: &Value) -> Result<String, Failure> {
        let response = self.http.post(&self.options, (Root::Base, path), body).await?;
        self.text(response, &format!("the answer of {path}"), MAX_ANSWER).await
    }
}

/// That a program wants several answers, of which a server is asked for one here.
fn several(asked: &Request) -> Option<String> {
    let wanted = asked.parameters.get("n").and_then(Value::as_u64).filter(|wanted| *wanted > 1)?;
    Some(format!("one answer is asked for, not {wanted} (n)"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn that_several_answers_are_wanted_is_said() {
        for (n, said) in [("2", Some("one answer is asked for, not 2 (n)")), ("1", None), ("null", None)] {
            let asked = Request::read(Api::Chat, &format!(r#"{{"messages":[],"n":{n}}}"#)).unwrap();
            assert_eq!(several(&asked).as_deref(), said);
        }
    }
}
