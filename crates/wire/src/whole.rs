//! Answer as it came and as it is read: what all formats share.

use std::borrow::Cow;

use crate::neutral::{Answer, Api, Problem, Request, Stamp};
use crate::raw::{self, Fields, quoted};
use crate::texts::{event, object};
use crate::usage::Usage;
use crate::{chat, messages, responses};

/// A whole answer: its text and what is read of it.
#[derive(Debug, Clone, PartialEq)]
pub struct Whole {
    pub(crate) api: Api,
    pub(crate) text: String,
    pub(crate) id: String,
    pub(crate) model: String,
    pub(crate) usage: Option<Usage>,
    pub(crate) answers: Vec<Answer>,
}

impl Whole {
    /// Reads an answer that came whole.
    pub fn read(api: Api, text: &str) -> Result<Self, Problem> {
        let fields = object(text)?;
        let (usage, answers) = match api {
            Api::Chat => chat::read(&fields)?,
            Api::Responses => responses::read(&fields)?,
            Api::Messages => messages::read(&fields)?,
        };
        let (id, model) = (fields.string("id"), fields.string("model"));
        Ok(Whole { api, text: text.to_owned(), id, model, usage, answers })
    }

    /// An answer that no server wrote: a person's, or another model's.
    pub fn made(api: Api, model: &str, answer: &Answer, usage: Usage, stamp: &Stamp) -> Result<Self, Problem> {
        let empty = match api {
            Api::Chat => chat::empty(model, usage, stamp),
            Api::Responses => responses::empty(model, usage, stamp),
            Api::Messages => messages::empty(model, usage, stamp),
        };
        let empty = Whole::read(api, &empty)?;
        // An end has to be said even where there is nothing else.
        let default = if answer.calls.is_empty() { "stop" } else { "tool_calls" };
        let finish = if answer.finish.is_empty() { default } else { &answer.finish };
        empty.edited(0, &Answer { finish: finish.to_owned(), ..answer.clone() })
    }

    pub fn api(&self) -> Api {
        self.api
    }

    /// Its text: the body of an answer that is not streamed.
    pub fn text(&self) -> &str {
        &self.text
    }

    pub fn id(&self) -> &str {
        &self.id
    }

    /// The model that answered, as the server calls it.
    pub fn model(&self) -> &str {
        &self.model
    }

    pub fn usage(&self) -> Option<Usage> {
        self.usage
    }

    /// What it says; more than one where a chat was asked for several.
    pub fn answers(&self) -> &[Answer] {
        &self.answers
    }

    /// The first of what it says.
    pub fn answer(&self) -> Answer {
        self.answers.first().cloned().unwrap_or_default()
    }

    /// The answer with one choice as it was edited. What was not edited stays as it is, byte for byte; reasoning cannot be edited.
    /// Errors where the format cannot say what is wanted: arguments that are no JSON object, or a form of call that it has not.
    pub fn edited(&self, choice: usize, wanted: &Answer) -> Result<Self, Problem> {
        let old = self.answers.get(choice).ok_or_else(|| Problem("there is no such choice".into()))?;
        if (&old.text, &old.calls, &old.finish) == (&wanted.text, &wanted.calls, &wanted.finish) {
            return Ok(self.clone());
        }
        let mut wanted = wanted.clone();
        if wanted.finish == old.finish && (wanted.text != old.text || wanted.calls != old.calls) {
            // What a person has put right is whole.
            wanted.finish = if wanted.calls.is_empty() { "stop" } else { "tool_calls" }.to_owned();
        }
        let mut fields = Fields::of(&self.text);
        match self.api {
            Api::Chat => chat::edit(&mut fields, choice, old, &wanted)?,
            Api::Responses => responses::edit(&mut fields, old, &wanted)?,
            Api::Messages => messages::edit(&mut fields, old, &wanted)?,
        }
        let edited = Whole::read(self.api, &fields.to_string())?;
        match edited.answers.get(choice) {
            Some(answer) if (&answer.text, &answer.calls) == (&wanted.text, &wanted.calls) => Ok(edited),
            _ => Err(Problem(format!("{} cannot carry this answer", self.api.name()))),
        }
    }

    /// The answer as the events of a stream, as `request` wants them.
    pub fn events(&self, request: &Request) -> String {
        let fields = Fields::of(&self.text);
        match self.api {
            Api::Chat => chat::events(&fields, request),
            Api::Responses => responses::events(&fields),
            Api::Messages => messages::events(&fields),
        }
    }

    /// Binds what was approved to what is received: all choices together.
    pub fn digest(&self) -> String {
        match raw::told_apart(&self.text) {
            Cow::Borrowed(_) => digest(&self.answers),
            // All halves of pairs of surrogates are read as the same sign.
            Cow::Owned(text) => {
                let exact = Whole::read(self.api, &text).map_or_else(|_| self.answers.clone(), |whole| whole.answers);
                Answer::of_text(digest(&exact)).digest()
            }
        }
    }
}

fn digest(answers: &[Answer]) -> String {
    match answers {
        [only] => only.digest(),
        many => Answer::of_text(many.iter().map(Answer::digest).collect::<String>()).digest(),
    }
}

/// Puts the whole answer together from the events of a stream.
#[derive(Debug)]
pub struct Fold {
    folding: Folding,
    /// Whether an event said that it was the last.
    marked: bool,
}

#[derive(Debug)]
enum Folding {
    Chat(Box<chat::Folded>),
    Responses(Box<responses::Folded>),
    Messages(Box<messages::Folded>),
}

impl Fold {
    pub fn new(api: Api) -> Self {
        let folding = match api {
            Api::Chat => Folding::Chat(Box::default()),
            Api::Responses => Folding::Responses(Box::default()),
            Api::Messages => Folding::Messages(Box::default()),
        };
        Fold { folding, marked: false }
    }

    /// Takes in an event's data. `true` once the answer has ended: nothing that counts follows.
    /// Errors: an event that is an error, or none of the format.
    pub fn take(&mut self, data: &str) -> Result<bool, Problem> {
        let data = data.trim();
        if data.is_empty() {
            return Ok(false);
        }
        if data == "[DONE]" {
            self.marked = true;
            return Ok(true);
        }
        let fields = object(data)?;
        if holds_error(&fields) && !fields.has("output") {
            let error = fields.value("error");
            let words = error.get("message").and_then(|m| m.as_str()).map_or_else(|| error.to_string(), str::to_owned);
            return Err(Problem(words));
        }
        match &mut self.folding {
            Folding::Chat(folded) => folded.take(&fields),
            Folding::Responses(folded) => folded.take(&fields),
            Folding::Messages(folded) => folded.take(&fields),
        }
    }

    /// The text that has come so far, for those who watch.
    pub fn so_far(&self) -> &str {
        match &self.folding {
            Folding::Chat(folded) => folded.so_far(),
            Folding::Responses(folded) => folded.so_far(),
            Folding::Messages(folded) => folded.so_far(),
        }
    }

    /// The whole answer. Errors: it has not ended.
    pub fn end(self) -> Result<Whole, Problem> {
        match self.folding {
            Folding::Chat(folded) => Whole::read(Api::Chat, &folded.end(self.marked)?),
            Folding::Responses(folded) => Whole::read(Api::Responses, &folded.end()?),
            Folding::Messages(folded) => Whole::read(Api::Messages, &folded.end()?),
        }
    }
}

/// What keeps a stream open while nobody has decided.
pub fn keep_alive(api: Api) -> &'static str {
    match api {
        Api::Messages => "event: ping\ndata: {\"type\": \"ping\"}\n\n",
        Api::Chat | Api::Responses => ": waiting\n\n",
    }
}

/// An error in the words of the interface, as the body of an answer. `kind` is one of its types (`invalid_request_error`, `api_error`).
pub fn refusal(api: Api, kind: &str, message: &str) -> String {
    let (kind, message) = (quoted(kind), quoted(message));
    match api {
        Api::Messages => format!("{{\"type\":\"error\",\"error\":{{\"type\":{kind},\"message\":{message}}}}}"),
        Api::Chat | Api::Responses => {
            format!("{{\"error\":{{\"message\":{message},\"type\":{kind},\"param\":null,\"code\":null}}}}")
        }
    }
}

/// Whether a body, or an event's data, says that there is no answer, and why, in its interface's words.
pub fn is_refusal(text: &str) -> bool {
    let Ok(fields) = object(text) else { return false };
    let of = |name: &str, words: &[&str]| words.contains(&fields.string(name).as_str());
    holds_error(&fields)
        || of("type", &["error", "response.failed", "response.cancelled"])
        || of("status", &["failed", "cancelled"])
}

fn holds_error(fields: &Fields) -> bool {
    !matches!(fields.get("error"), "null" | "false" | "0" | "\"\"" | "[]" | "{}")
}

/// An error's body as the last event of a stream that has begun, with all that such an event can say of it.
pub fn late(api: Api, body: &str) -> String {
    let Some(fields) = object(body).ok().filter(|fields| fields.get("error").starts_with('{')) else {
        return late(api, &refusal(api, "api_error", body));
    };
    match api {
        Api::Chat => event(None, fields),
        Api::Messages => event(Some("error"), fields),
        Api::Responses => {
            let error = Fields::of(fields.get("error"));
            let mut data = Fields::default();
            data.set("type", "\"error\"");
            ["code", "message", "param"].iter().for_each(|name| data.set(name, error.get(name)));
            data.set("sequence_number", "1");
            opening(api, body) + &event(Some("error"), data)
        }
    }
}

/// What is sent before an event that says why there is no answer, where nothing was: clients of Responses take none before the response has
/// begun. `failure` is that event's data.
pub fn opening(api: Api, failure: &str) -> String {
    match api {
        Api::Responses => responses::opening(&Fields::of(failure)),
        Api::Chat | Api::Messages => String::new(),
    }
}
