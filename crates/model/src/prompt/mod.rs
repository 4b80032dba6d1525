//! Prompts: templates rendered to chat messages or to a raw completion prompt, by minijinja with strict undefined.
//!
//! Templates are named `METHOD/ROLE` and come from `prompts/METHOD/ROLE.jinja`: the user's copy in the configuration directory
//! first, else the one in the program. The methods fill a template and read the answer.
//!
//! # Roles
//! A template marks where a message begins by `{{ role("system") }}` on a separate line; the message runs to the next mark or
//! to the end. Roles are `system`, `user`, `assistant`, and `text`: one single message that asks for a raw completion. Marks
//! work inside loops and included templates. What a mark expands to depends on a digest of the whole context, so no text
//! *in* the context can forge one.
//!
//! In a `text` message every character counts except the line end after the mark and one line end at the end. In the other
//! roles blank lines at both ends are dropped, so that templates can be laid out for reading.
//!
//! `{% if %}` and its like vanish together with their line. `{{ value | json }}` writes JSON on one line, `{{ value | json(2) }}`
//! over several. Nothing is escaped otherwise.

pub mod apart;
mod bounds;
mod embedded;
mod render;
#[cfg(test)]
mod tests;

use std::path::{Path, PathBuf};

use serde::Serialize;
use sha2::Digest;

pub(crate) use render::hex;

use stepwright_episode::PromptMessage;

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rendered {
    pub messages: Vec<PromptMessage>,
    /// The template's name (`preconditions/next_action`).
    pub template: String,
    /// SHA-256 of the template's source in hexadecimal. Where it includes others, of its source followed by each included
    /// template's name and source, in the order of first use.
    pub hash: String,
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum PromptError {
    #[error("there is no prompt template {name:?}; the templates are {known}")]
    Unknown { name: String, known: String },
    /// The user's copy could not be read.
    #[error("cannot read the prompt template {path}: {why}; make it readable, or remove it to use the built-in one")]
    Unreadable { path: String, why: String },
    #[error("prompt template {source_name}: {why}")]
    Template {
        /// The file, or the name of the built-in template.
        source_name: String,
        /// The fault, with the line where known.
        why: String,
    },
}

/// The templates: those that ship, and in their place those of a person.
#[derive(Debug, Clone, Default)]
pub struct Prompts {
    /// `prompts/` in the configuration directory.
    user: Option<PathBuf>,
    /// Templates that stand in for the embedded ones: tests.
    extra: Vec<(String, String)>,
}

struct Source {
    text: String,
    shown_as: String,
}

impl Prompts {
    /// The embedded templates, overridden by those in `prompts/` of the configuration directory.
    pub fn new(configuration: Option<&Path>) -> Self {
        Prompts { user: configuration.map(|dir| dir.join("prompts")), extra: Vec::new() }
    }

    /// As [`Prompts::new`], with further templates between the user's and the embedded ones.
    pub fn with_templates(mut self, templates: impl IntoIterator<Item = (String, String)>) -> Self {
        self.extra.extend(templates);
        self
    }

    /// Renders the template `name` for `context`, whose fields are the template's variables. The user's copy is read again each
    /// time, so an edited template takes effect at the next ask.
    /// Errors: [`PromptError`]; a variable the context lacks is one.
    pub fn render<C: Serialize>(&self, name: &str, context: &C) -> Result<Rendered, PromptError> {
        apart::render(self, name, context).unwrap_or_else(|| render::render(self, name, context))
    }

    /// The names of all templates, sorted: embedded, added, and the user's.
    pub fn names(&self) -> Vec<String> {
        let mut names: Vec<String> = embedded::TEMPLATES.iter().map(|(name, _)| (*name).to_owned()).collect();
        names.extend(self.extra.iter().map(|(name, _)| name.clone()));
        if let Some(user) = &self.user {
            names.extend(collect(user));
        }
        names.sort();
        names.dedup();
        names
    }

    /// What lies among the person's own templates and stands in place of none: a remark a file. One that another of them names is a part of it.
    pub fn idle(&self) -> Vec<String> {
        let Some(user) = &self.user else { return Vec::new() };
        let own = self.own().unwrap_or_default();
        let is_named = |name: &str| own.iter().any(|(_, text)| text.contains(name));
        let is_of_use = |file: &str| {
            let ships = |name| embedded::TEMPLATES.iter().any(|(own, _)| *own == name);
            file.strip_suffix(".jinja").is_some_and(|name| ships(name) || is_named(name))
        };
        let idle = files(user).into_iter().filter(|file| !file.starts_with('.') && !is_of_use(file));
        let remark = |file: String| {
            format!("{}: no prompt is made of it; templates are named as they ship", user.join(file).display())
        };
        idle.map(remark).collect()
    }

    /// The SHA-256 of all templates, the user's copies in place of the embedded ones, in hexadecimal. One that cannot be read counts by
    /// its name.
    pub fn digest(&self) -> String {
        let text = |name: &String| self.find(name).ok().flatten().map(|source| source.text).unwrap_or_default();
        digest_of(&self.names().iter().map(|name| format!("{name}\0{}\0", text(name))).collect::<String>())
    }

    /// The person's own templates by name, and what was added to the embedded ones.
    fn own(&self) -> Result<Vec<(String, String)>, PromptError> {
        let Some(user) = &self.user else { return Ok(Vec::new()) };
        let names = collect(user);
        let mut own = if names.is_empty() { Vec::new() } else { self.extra.clone() };
        for name in names {
            match self.find(&name) {
                Ok(source) => own.extend(source.map(|source| (name, source.text))),
                // One that is of no use is an error where it is used, and nowhere else.
                Err(error) => own.push((name, format!("{{{{ {UNREADABLE}({:?}) }}}}", error.to_string()))),
            }
        }
        Ok(own)
    }

    /// The source of a template: the user's copy, else an added one, else the embedded one; `None` if there is none.
    fn find(&self, name: &str) -> Result<Option<Source>, PromptError> {
        if !is_name(name) {
            return Ok(None);
        }
        if let Some(user) = &self.user {
            let path = user.join(format!("{name}.jinja"));
            match read(&path) {
                Ok(text) => return Ok(Some(Source { text, shown_as: path.display().to_string() })),
                Err(e) if matches!(e.kind(), std::io::ErrorKind::NotFound | std::io::ErrorKind::NotADirectory) => {}
                Err(e) => {
                    return Err(PromptError::Unreadable { path: path.display().to_string(), why: e.to_string() });
                }
            }
        }
        let extra = self.extra.iter().rev().find(|(n, _)| n == name).map(|(_, text)| text.clone());
        let text = extra.or_else(|| embedded::TEMPLATES.iter().find(|(n, _)| *n == name).map(|(_, t)| (*t).to_owned()));
        Ok(text.map(|text| Source { text, shown_as: format!("{name} (built in)") }))
    }

    fn unknown(&self, name: &str) -> PromptError {
        let names = self.names();
        let known = if names.is_empty() { "none".to_owned() } else { names.join(", ") };
        PromptError::Unknown { name: name.to_owned(), known }
    }
}

/// The function of templates that stand for one that cannot be read: it fails with what it is given.
const UNREADABLE: &str = "unreadable";

/// Reads a file within bounds; what is none (a pipe, a device) is not opened.
fn read(path: &Path) -> std::io::Result<String> {
    if !std::fs::metadata(path)?.is_file() {
        return Err(std::io::Error::other("it is no file"));
    }
    let mut text = String::new();
    let most = bounds::MAX_SOURCE as u64 + 1;
    std::io::Read::read_to_string(&mut std::io::Read::take(std::fs::File::open(path)?, most), &mut text)?;
    Ok(text)
}

pub fn digest_of(text: &str) -> String {
    hex(&sha2::Sha256::digest(text))
}

/// Template names are plain relative paths: no file outside the prompt folder can be named.
fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .split('/')
            .all(|part| !part.is_empty() && part.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-'))
}

/// The templates in a folder, by their names.
fn collect(folder: &Path) -> Vec<String> {
    let names = files(folder).into_iter().filter_map(|file| Some(file.strip_suffix(".jinja")?.to_owned()));
    names.filter(|name| is_name(name)).collect()
}

/// The files in a folder and in those below it, by their paths from there.
fn files(folder: &Path) -> Vec<String> {
    fn below(dir: &Path, prefix: &str, depth: usize, found: &mut Vec<String>) {
        let Ok(entries) = std::fs::read_dir(dir) else { return };
        for entry in entries.flatten() {
            let (path, file) = (entry.path(), entry.file_name().to_string_lossy().into_owned());
            if !path.is_dir() {
                found.push(format!("{prefix}{file}"));
            } else if depth < 3 {
                below(&path, &format!("{prefix}{file}/"), depth + 1, found);
            }
        }
    }
    let mut found = Vec::new();
    below(folder, "", 0, &mut found);
    found.sort();
    found
}
