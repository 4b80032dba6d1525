//! Chat template of a GGUF file: messages to the text the model was trained on.
//!
//! A template is code from a file; it runs with bounded steps and bounded output, and touches nothing.

use std::io::{self, Write};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{Environment, Error, ErrorKind, UndefinedBehavior, Value};
use serde::Serialize;

use super::gguf::Gguf;
use crate::PromptMessage;

/// Most steps of a template: some thousand messages' worth.
const FUEL: u64 = 1_000_000;

/// Longest template, and longest text one may make.
const MAX_SOURCE: usize = 1 << 18;
const MAX_TEXT: usize = 8 << 20;

pub(super) struct Template {
    /// `None`: the file has no template, and messages are joined.
    environment: Option<Environment<'static>>,
    begin: String,
    end: String,
}

#[derive(Serialize)]
struct Values<'a> {
    messages: Vec<Message<'a>>,
    add_generation_prompt: bool,
    bos_token: &'a str,
    eos_token: &'a str,
}

#[derive(Serialize)]
struct Message<'a> {
    role: &'a str,
    content: &'a str,
}

impl Template {
    pub(super) fn read(gguf: &Gguf) -> Result<Template, String> {
        let token = |key: &str| {
            let id = gguf.content.metadata.get(key)?.to_u64().ok()?;
            let tokens = gguf.content.metadata.get("tokenizer.ggml.tokens")?.to_vec().ok()?;
            tokens.get(usize::try_from(id).ok()?)?.to_string().ok().cloned()
        };
        let named = |key: &str| token(key).unwrap_or_default();
        let (begin, end) = (named("tokenizer.ggml.bos_token_id"), named("tokenizer.ggml.eos_token_id"));
        if !gguf.has("tokenizer.chat_template") {
            return Ok(Template { environment: None, begin, end });
        }
        let source = gguf.text("tokenizer.chat_template")?;
        if source.len() > MAX_SOURCE {
            return Err(gguf.wrong("its chat template is too long"));
        }
        let mut environment = Environment::new();
        environment.set_fuel(Some(FUEL));
        // As the library these templates are written for.
        let syntax = SyntaxConfig::builder().trim_blocks(true).lstrip_blocks(true).build();
        environment.set_syntax(syntax.map_err(|e| e.to_string())?);
        environment.set_undefined_behavior(UndefinedBehavior::Lenient);
        environment.add_function("raise_exception", |why: String| -> Result<String, Error> {
            Err(Error::new(ErrorKind::InvalidOperation, why))
        });
        let added = environment.add_template_owned("chat", source.to_owned());
        added.map_err(|e| gguf.wrong(format!("its chat template cannot be read: {e}")))?;
        Ok(Template { environment: Some(environment), begin, end })
    }

    /// The text of the messages, up to where the answer begins.
    pub(super) fn render(&self, messages: &[PromptMessage]) -> Result<String, String> {
        if let [PromptMessage { role, text }] = messages
            && role == "text"
        {
            return Ok(text.clone());
        }
        let Some(environment) = &self.environment else {
            let texts: Vec<&str> = messages.iter().map(|m| m.text.as_str()).collect();
            return Ok(texts.join("\n\n"));
        };
        let wrong = |e: Error| format!("the model's chat template failed: {e}");
        let values = Values {
            messages: messages.iter().map(|m| Message { role: &m.role, content: &m.text }).collect(),
            add_generation_prompt: true,
            bos_token: &self.begin,
            eos_token: &self.end,
        };
        let mut text = Bounded(Vec::new());
        let template = environment.get_template("chat").map_err(wrong)?;
        template.render_captured_to(Value::from(Serde(values)), &mut text).map_err(wrong)?;
        String::from_utf8(text.0).map_err(|e| format!("the model's chat template made no text: {e}"))
    }
}

/// Takes so much and no more.
struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.0.len().saturating_add(bytes.len()) > MAX_TEXT {
            return Err(io::Error::other("the text is too long"));
        }
        self.0.extend_from_slice(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
