//! Rendering of one template: the environment, the role marks, and the split into messages.

use std::sync::{Arc, Mutex};

use minijinja::syntax::SyntaxConfig;
use minijinja::value::Serde;
use minijinja::{AutoEscape, Environment, Error, ErrorKind, UndefinedBehavior, Value};
use serde::Serialize;
use sha2::{Digest, Sha256};

use super::bounds::{self, Output};
use super::{PromptError, Prompts, Rendered, UNREADABLE};
use stepwright_episode::PromptMessage;

const ROLES: [&str; 4] = ["system", "user", "assistant", "text"];

/// Templates loaded for a rendering, in the order of first use; the first is the template itself.
type Loaded = Arc<Mutex<Vec<(String, String)>>>;

pub(super) fn render<C: Serialize>(prompts: &Prompts, name: &str, context: &C) -> Result<Rendered, PromptError> {
    let source = prompts.find(name)?.ok_or_else(|| prompts.unknown(name))?;
    let wrong = |why: String| PromptError::Template { source_name: source.shown_as.clone(), why };
    let context_json =
        serde_json::to_string(context).map_err(|e| wrong(format!("its context cannot be written as JSON: {e}")))?;
    // The mark holds a digest of all that text in the context could say, so that no such text can contain it.
    let digest = hex(&Sha256::digest(format!("{name}\0{}\0{context_json}", source.text)));
    let mark = format!("\u{1}role {digest} ");

    let loaded: Loaded = Arc::default();
    let env = environment(prompts.clone(), &mark, Arc::clone(&loaded));
    let mut output = Output::default();
    env.get_template(name)
        .and_then(|template| template.render_captured_to(Value::from(Serde(context)), &mut output).map(|_| ()))
        .map_err(|e| wrong(explain(&e)))?;
    let text = String::from_utf8_lossy(&output.0);

    let messages = split(&text, &mark).map_err(wrong)?;
    let loaded = loaded.lock().map(|l| l.clone()).unwrap_or_default();
    Ok(Rendered { messages, template: name.to_owned(), hash: hash(&source.text, &loaded) })
}

fn environment(prompts: Prompts, mark: &str, loaded: Loaded) -> Environment<'static> {
    let mut env = Environment::new();
    env.set_undefined_behavior(UndefinedBehavior::Strict);
    env.set_auto_escape_callback(|_| AutoEscape::None);
    bounds::bound(&mut env);
    if let Ok(syntax) =
        SyntaxConfig::builder().keep_trailing_newline(true).trim_blocks(true).lstrip_blocks(true).build()
    {
        env.set_syntax(syntax);
    }
    env.set_loader(move |name| match prompts.find(name) {
        Ok(Some(source)) => {
            bounds::check(&source.text).map_err(|why| Error::new(ErrorKind::SyntaxError, why))?;
            if let Ok(mut loaded) = loaded.lock() {
                loaded.push((name.to_owned(), source.text.clone()));
            }
            Ok(Some(source.text))
        }
        Ok(None) => Ok(None),
        Err(e) => Err(Error::new(ErrorKind::InvalidOperation, e.to_string())),
    });
    let mark = mark.to_owned();
    env.add_function("role", move |role: String| -> Result<String, Error> {
        if ROLES.contains(&role.as_str()) {
            Ok(format!("{mark}{role}\u{1}"))
        } else {
            let why = format!("{role:?} is no role; the roles are {}", ROLES.join(", "));
            Err(Error::new(ErrorKind::InvalidOperation, why))
        }
    });
    env.add_function(UNREADABLE, |why: String| -> Result<String, Error> {
        Err(Error::new(ErrorKind::InvalidOperation, why))
    });
    env.add_filter("json", |value: Value, indent: Option<usize>| -> Result<String, Error> {
        let text = match indent {
            None | Some(0) => serde_json::to_string(&value),
            Some(_) => serde_json::to_string_pretty(&value),
        };
        text.map_err(|e| Error::new(ErrorKind::BadSerialization, e.to_string()))
    });
    env
}

/// The error with the line and, for a missing variable, what to do.
fn explain(error: &Error) -> String {
    let mut text = String::new();
    if let Some(line) = error.line() {
        match error.name() {
            Some(name) => text.push_str(&format!("{name}, line {line}: ")),
            None => text.push_str(&format!("line {line}: ")),
        }
    }
    text.push_str(&error.kind().to_string());
    if let Some(detail) = error.detail() {
        text.push_str(&format!(": {detail}"));
    }
    if error.kind() == ErrorKind::UndefinedError {
        text.push_str(" (a variable the template uses is not given to it; check its spelling)");
    }
    let mut source = std::error::Error::source(error);
    while let Some(cause) = source {
        text.push_str(&format!("; {cause}"));
        source = cause.source();
    }
    text
}

fn split(text: &str, mark: &str) -> Result<Vec<PromptMessage>, String> {
    let mut parts = text.split(mark);
    let before = parts.next().unwrap_or_default();
    if !before.trim().is_empty() {
        let shown: String = before.trim().chars().take(60).collect();
        return Err(format!("text comes before the first role mark: {shown:?}; begin with {{{{ role(\"system\") }}}}"));
    }
    let mut messages = Vec::new();
    for part in parts {
        let Some((role, body)) = part.split_once('\u{1}') else {
            return Err(
                "a role mark was changed by a filter; write it as {{ role(\"user\") }} on a line of its own".into()
            );
        };
        let body = body.strip_prefix("\r\n").or_else(|| body.strip_prefix('\n')).unwrap_or(body);
        let body = if role == "text" {
            body.strip_suffix("\r\n").or_else(|| body.strip_suffix('\n')).unwrap_or(body)
        } else {
            body.trim_matches(['\n', '\r'])
        };
        messages.push(PromptMessage { role: role.to_owned(), text: body.to_owned() });
    }
    if messages.is_empty() {
        return Err("it marks no message; begin with {{ role(\"system\") }} or {{ role(\"text\") }}".into());
    }
    if messages.len() > 1 && messages.iter().any(|m| m.role == "text") {
        return Err("a message of role text must be the only one".into());
    }
    Ok(messages)
}

fn hash(source: &str, loaded: &[(String, String)]) -> String {
    let mut digest = Sha256::new();
    digest.update(source);
    for (name, text) in loaded.iter().skip(1) {
        digest.update("\0");
        digest.update(name);
        digest.update("\0");
        digest.update(text);
    }
    hex(&digest.finalize())
}

pub(crate) fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|b| format!("{b:02x}")).collect()
}
