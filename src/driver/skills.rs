//! What is known of skills, beside the episode: files of it, and what is found in the recorded logs without a language model. What is
//! found is offered; a person decides about it.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use stepwright_skill::{changes, discover, document, file};

use super::Level;
use super::jobs::Message;
use super::task::Driver;
use crate::episode::gate::Request;
use crate::episode::{ArtifactId, Written};
use crate::words::count;

/// What a watcher asks of the skills.
#[derive(Debug, Clone, PartialEq)]
pub enum SkillsCommand {
    /// Write what is known to a file. One that is there is left alone.
    Save(PathBuf),
    /// Read a file of skills and offer what it knows.
    Load(PathBuf),
    /// Find skills, primitives and tips in the recorded logs without a language model, and offer what is new.
    Discover,
}

impl Driver {
    pub(super) fn skills(&mut self, command: SkillsCommand) {
        match command {
            SkillsCommand::Save(path) => match self.save_skills(&path) {
                Ok(words) => self.say(Level::Info, words),
                Err(why) => self.say(Level::Error, format!("{}: {why}", path.display())),
            },
            SkillsCommand::Load(path) => {
                let read = std::fs::read_to_string(&path).map_err(|e| e.to_string());
                match read.and_then(|text| Ok((file::read(&text).map_err(|e| e.to_string())?, text))) {
                    Ok((known, raw)) => {
                        let (title, value) = (format!("{}", path.display()), Some(document::write(&known).into()));
                        self.offer_knowledge(title, raw, value);
                    }
                    Err(why) => self.say(Level::Error, format!("{}: {why}; nothing was changed", path.display())),
                }
            }
            SkillsCommand::Discover => {
                let Some(logs) = self.timeline.world.recorded() else {
                    return self.say(Level::Warning, "there are no recorded logs here; open a file of logs");
                };
                let before = self.known_document();
                let messages = self.messages.clone();
                self.say(Level::Info, format!("looking through {}", count(logs.all.len(), "log")));
                tokio::task::spawn_blocking(move || {
                    let found = discover(&logs.all, &discover::Settings::default()).knowledge;
                    let known = document::read(&before).unwrap_or_default();
                    // What is known already is not taken away.
                    let all = changes::between(&known, &found);
                    let new: Vec<_> = all.into_iter().filter(|change| change.sign() != '-').collect();
                    let known = changes::apply(&known, &new);
                    let title = format!("found in {} without a language model", count(logs.all.len(), "log"));
                    let _ = messages.send(Message::Found { title, knowledge: Box::new(known) });
                });
            }
        }
    }

    /// Offers what was found.
    pub(super) fn offer_knowledge(&mut self, title: String, raw: String, value: Option<Arc<serde_json::Value>>) {
        let artifact = ArtifactId::KNOWLEDGE;
        let written = Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem: None };
        self.request(Request::OfferArtifact(Box::new(written)));
        self.say(Level::Info, "changes are offered in Skills: take, edit or leave out each");
    }

    fn known_document(&self) -> serde_json::Value {
        let document = self.gate.session().current().and_then(|node| node.document(&ArtifactId::KNOWLEDGE).cloned());
        document.map_or(serde_json::Value::Null, |document| document.as_ref().clone())
    }

    fn save_skills(&self, path: &Path) -> Result<String, String> {
        let known = document::read(&self.known_document())?;
        let mut new = std::fs::OpenOptions::new();
        let file = new.write(true).create_new(true).open(path);
        let mut opened = file.map_err(|e| match e.kind() {
            std::io::ErrorKind::AlreadyExists => "it is there already; name another".to_owned(),
            _ => e.to_string(),
        })?;
        std::io::Write::write_all(&mut opened, file::write(&known).as_bytes()).map_err(|e| e.to_string())?;
        Ok(format!("{} written to {}", count(known.skills.len(), "skill"), path.display()))
    }
}
