//! What is known of skills, beside the episode: files of it, and what is found in the recorded logs, by counting or by the model in use
//! (`asking`). Whatever is found is offered; a person decides about it.

mod asking;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use serde_json::Value;
use stepwright_skill::contrast::{Contrast, tip};
use stepwright_skill::distil::{Cuts, Proposed, Wanted, Way};
use stepwright_skill::{Knowledge, changes, cut, discover, document, file};
use stepwright_trajectory::Trajectory;

use super::Level;
use super::broken::caught_work;
use super::jobs::Message;
use super::setup::Source;
use super::task::Driver;
use stepwright_episode::gate::Request;
use stepwright_episode::{ArtifactId, Written};
use stepwright_text::words::count;

/// What a watcher asks of the skills.
#[derive(Debug, Clone, PartialEq)]
pub enum SkillsCommand {
    /// Write what is known to a file. One that is there is left alone.
    Save(PathBuf),
    /// Read a file of skills and offer what it knows.
    Load(PathBuf),
    /// Find skills, primitives and tips in the recorded logs without a language model, and offer what is new.
    Discover(Way),
    /// Have the model in use propose; without one, the discoverer that counts.
    Propose(Wanted, Way),
}

/// What was read or found beside the driver's task.
pub(super) struct Found {
    /// Where it comes from, in words.
    pub(super) title: String,
    /// What was found: what is offered of it.
    pub(super) result: Result<Vec<Proposed>, String>,
}

/// How what the counting discoverer found is labelled.
const COUNTED: &str = "without a language model";

impl Driver {
    pub(super) fn skills(&mut self, command: SkillsCommand) {
        match command {
            SkillsCommand::Save(path) => match self.save_skills(&path) {
                Ok(words) => self.say(Level::Info, words),
                Err(why) => self.say(Level::Error, format!("{}: {why}", path.display())),
            },
            SkillsCommand::Load(path) => {
                let shelf = Arc::clone(&self.knowledge.skills);
                self.find(path.display().to_string(), move || {
                    let read = shelf.read(&path.to_string_lossy());
                    let known = read.map_err(|why| format!("{why}; nothing was changed"))?;
                    Ok(vec![Proposed::Knowledge(known)])
                });
            }
            SkillsCommand::Discover(way) => self.count_up(Wanted::Next, way),
            SkillsCommand::Propose(wanted, way) => match self.source {
                Source::Language { .. } => self.ask_about(&wanted, way),
                Source::Symbolic => {
                    self.say(Level::Info, "no language model is in use (M chooses one): the logs are counted through");
                    self.count_up(wanted, way);
                }
            },
        }
    }

    /// Does long work beside the driver's task; what it finds is offered.
    fn find(&self, title: String, work: impl FnOnce() -> Result<Vec<Proposed>, String> + Send + 'static) {
        let messages = self.messages.clone();
        tokio::task::spawn_blocking(move || {
            let _ = messages.send(Message::Found(Found { title, result: caught_work(work) }));
        });
    }

    /// Finds what is wanted by counting.
    fn count_up(&mut self, wanted: Wanted, way: Way) {
        let Some(logs) = self.timeline.world.recorded() else {
            return self.say(Level::Warning, "there are no recorded logs here; open a file of logs");
        };
        let known = match document::read(&self.known_document()) {
            Ok(known) => known,
            Err(why) => return self.say(Level::Error, why),
        };
        let (all, cuts) = (Arc::clone(&logs.all), self.cuts(&logs.all));
        let n = count(all.len(), "log");
        let shown = logs.current().map(|log| log.id.clone()).filter(|id| !cuts.contains_key(id));
        let title = match &wanted {
            Wanted::Next => format!("found in {n} {COUNTED}"),
            Wanted::Cut { of } => format!("{of} cut {COUNTED}"),
            Wanted::Tips { success, failure } => format!("a tip from {success} and {failure} {COUNTED}"),
        };
        if !matches!(wanted, Wanted::Tips { .. }) {
            self.say(Level::Info, format!("looking through {n}"));
        }
        self.find(title, move || counted(&all, known, &cuts, shown, (&wanted, way)));
    }

    /// Offers what was found.
    pub(super) fn found(&mut self, found: Found) {
        let Found { title, result } = found;
        let proposals = match result {
            Ok(proposals) => proposals,
            Err(why) => return self.say(Level::Error, format!("{title}: {why}")),
        };
        for proposed in proposals {
            self.put_forward(&title, proposed);
        }
    }

    /// Offers a proposal.
    fn put_forward(&mut self, title: &str, proposed: Proposed) {
        let (artifact, value, raw, words) = match proposed {
            Proposed::Knowledge(known) => {
                let words = "changes are offered in Skills: take, edit or leave out each".to_owned();
                (ArtifactId::KNOWLEDGE, document::write(&known), file::write(&known), words)
            }
            Proposed::Cut { of, segments } => {
                let value = serde_json::json!(segments);
                let words = format!("a cut of {of} into calls is offered in Skills, in the view of the log");
                (ArtifactId::segments(&of), value.clone(), value.to_string(), words)
            }
        };
        let (title, value) = (title.to_owned(), Some(value.into()));
        let written = Written { artifact, due: None, title, raw, repairs: Vec::new(), value, problem: None };
        self.request(Request::OfferArtifact(Box::new(written)));
        self.say(Level::Info, words);
    }

    fn known_document(&self) -> Value {
        let document = self.gate.session().current().and_then(|node| node.document(&ArtifactId::KNOWLEDGE).cloned());
        document.map_or(Value::Null, |document| document.as_ref().clone())
    }

    /// How the logs are cut in the session.
    fn cuts(&self, logs: &[Trajectory]) -> Cuts {
        let Some(node) = self.gate.session().current() else { return Cuts::new() };
        let of = |log: &Trajectory| {
            let document = node.document(&ArtifactId::segments(&log.id))?;
            Some((log.id.clone(), serde_json::from_value(document.as_ref().clone()).ok()?))
        };
        logs.iter().filter_map(of).filter(|(_, cut): &(_, Vec<_>)| !cut.is_empty()).collect()
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

/// What counting finds of what is wanted; `shown` is the log to be cut beside all else.
fn counted(
    logs: &[Trajectory],
    mut known: Knowledge,
    cuts: &Cuts,
    shown: Option<String>,
    (wanted, way): (&Wanted, Way),
) -> Result<Vec<Proposed>, String> {
    let by_id = |id: &str| logs.iter().find(|log| log.id == id).ok_or_else(|| format!("there is no log {id} here"));
    let own_cut = |all: Vec<discover::Cut>, id: &str| {
        let found = all.into_iter().find(|cut| cut.trajectory == id);
        found.map(|cut| Proposed::Cut { of: cut.trajectory, segments: cut.segments })
    };
    // Of a few logs, what one success shows has to do.
    let successes = logs.iter().filter(|log| log.success).count();
    let usual = discover::Settings::default();
    let settings =
        discover::Settings { least: usual.least.min(successes.max(1)), contrast: way.is_contrastive(), ..usual };
    match wanted {
        Wanted::Next => {
            let found = discover(logs, &settings);
            let found_known = if way.is_tips_only() { found.knowledge.tips_alone() } else { found.knowledge };
            // What is known already is not taken away.
            let all = changes::between(&known, &found_known);
            let new: Vec<_> = all.into_iter().filter(|change| change.sign() != '-').collect();
            let knowledge = Proposed::Knowledge(changes::apply(&known, &new));
            let shown = shown.filter(|_| !way.is_tips_only());
            Ok(shown.and_then(|id| own_cut(found.cuts, &id)).into_iter().chain([knowledge]).collect())
        }
        Wanted::Cut { of } => {
            by_id(of)?;
            let found = own_cut(discover(logs, &settings).cuts, of);
            found.map(|cut| vec![cut]).ok_or_else(|| {
                "counting cuts successes whose task names what they act on; this is none: cut it by hand".to_owned()
            })
        }
        Wanted::Tips { .. } if !way.is_contrastive() => {
            Err("counting finds the tip of a pair by contrast alone; choose another way, or a model".to_owned())
        }
        Wanted::Tips { success, failure } => {
            let (good, bad) = (by_id(success)?, by_id(failure)?);
            let contrast = Contrast::of(&good.steps, &bad.steps);
            let lesson = tip(&contrast, &good.steps, &bad.steps).ok_or("both did the same")?;
            let segment = cuts.get(success).zip(contrast.right_step());
            let skill = segment.and_then(|(cut, step)| Some(cut.get(cut::at(cut, step)?)?.skill.as_str()));
            match skill.filter(|_| !way.is_tips_only()).and_then(|skill| known.skill_mut(skill)) {
                Some(skill) => skill.tips.push(lesson),
                None => known.tips.push(lesson),
            }
            Ok(vec![Proposed::Knowledge(known)])
        }
    }
}
