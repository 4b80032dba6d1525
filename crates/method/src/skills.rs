//! Skills and tips that methods go by: those that ship for a world, a person's file, published knowledge; and those a session was given,
//! which come before all others.
//!
//! The shelf reads a file when it is first named and keeps it, so that an episode has the same knowledge from its beginning to its end.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};

use serde::Deserialize;
use serde_json::{Value, json};
use stepwright_skill::knowledge::Published;
use stepwright_skill::{Knowledge, Primitive, Segment, changes, document, file, segment};

use super::artifacts::ArtifactSpec;
use stepwright_episode::gate::Conduct;
use stepwright_episode::showing::{Listed, Showing, lines, text_lines};
use stepwright_episode::{PromptMessage, PromptRecord};
use stepwright_world::options::{Kind, Table};
use stepwright_world::{self as world, WorldKind};

/// The knowledge of skills as a document. Changes found for it are offered beside the episode.
pub static KNOWLEDGE: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    read: |_, _, text| Ok((document::write(&file::read(text).map_err(|e| e.to_string())?), None)),
    check: |_, _, value| if value.is_null() { Ok(()) } else { document::read(value).map(drop) },
    ..ArtifactSpec::new(
        "knowledge",
        Showing {
            listed: Listed::Learned,
            lines: |value| {
                document::read(value).map_or_else(|_| text_lines(value), |known| lines(&file::write(&known)))
            },
            changes: |before, after| {
                let before = document::read(before.unwrap_or(&Value::Null));
                match (before, document::read(after)) {
                    (Ok(before), Ok(after)) => {
                        changes::between(&before, &after).iter().map(ToString::to_string).collect()
                    }
                    _ => text_lines(after),
                }
            },
            word: |_| "knowledge",
            ..Showing::new("skills and tips")
        },
    )
};

/// The segments that a recorded log is cut into as a document, the log's id the key.
pub static SEGMENTS: ArtifactSpec = ArtifactSpec {
    conduct: Conduct { waits: false, ..Conduct::USUAL },
    read: |at, artifact, text| {
        let logs = at.world.recorded();
        let log = logs.iter().flat_map(|logs| logs.all.iter()).find(|one| one.id == artifact.key);
        let log = log.ok_or("there is no such log here")?;
        Ok((segment::read(text, log.steps.len()).map(|segments| json!(segments))?, None))
    },
    check: |_, _, value| match value {
        Value::Null => Ok(()),
        _ => cut(value).map(drop),
    },
    ..ArtifactSpec::new(
        "segments",
        Showing {
            listed: Listed::Learned,
            lines: segment_lines,
            changes: |_, after| segment_lines(after),
            word: |_| "segments",
            ..Showing::new("the log {} cut into calls")
        },
    )
};

fn cut(value: &Value) -> Result<Vec<Segment>, String> {
    Vec::deserialize(value).map_err(|e| format!("the cut cannot be read: {e}"))
}

fn segment_lines(value: &Value) -> Vec<String> {
    let line = |s: &Segment| format!("{}: steps {} to {}", s.call(), s.start + 1, s.end + 1);
    cut(value).map_or_else(|_| text_lines(value), |cut| cut.iter().map(line).collect())
}

pub const SHIPPED: &str = "shipped";
const FILE: &str = "skills.toml";
/// Whose skills are taken of published knowledge, where several wrote some.
const AUTHOR: &str = "llm";
/// Behind the author of a list of tips who wrote skills too (`human`), where the list is meant.
const TIPS_BEHIND: &str = "-tips";
/// Most bytes of a file of skills.
const LARGEST: usize = 8 << 20;

stepwright_world::option_specs! {
    /// Which skills an agent acts by: a file (docs/reference/skills.md), or published knowledge as `FILE.json#ENVIRONMENT/AUTHOR`.
    pub SKILLS: "skills", "Skills", "a file of skills; else the shipped ones", (Kind::PathOr(SHIPPED));
    /// Tips in the prompts of methods that need none.
    pub TIPS: "tips", "Tips", "a file of skills: its tips lead prompts", (Kind::PathOr(SHIPPED));
    /// Whether the primitives of the same file lead prompts too, as in the paper's Reflexion+O3D.
    pub FORMS: "forms", "Forms of actions", "whether primitives lead prompts beside the tips", [
        "off" = "tips alone lead prompts", "on" = "the skills' primitives lead prompts too"
    ] or "off";
}

/// The knowledge of a world's episodes, by where it comes from.
#[derive(Debug)]
pub struct SkillShelf {
    world: &'static WorldKind,
    read: Mutex<BTreeMap<String, Result<Arc<Knowledge>, String>>>,
}

impl SkillShelf {
    pub fn new(world: &'static WorldKind) -> Self {
        SkillShelf { world, read: Mutex::new(BTreeMap::new()) }
    }

    /// The knowledge under a name: `shipped`, or a file. An error says why it cannot be had, with what to do.
    pub fn get(&self, name: &str) -> Result<Arc<Knowledge>, String> {
        let mut read = self.read.lock().unwrap_or_else(PoisonError::into_inner);
        read.entry(name.to_owned()).or_insert_with(|| self.read(name).map(Arc::new)).clone()
    }

    /// As [`SkillShelf::get`], read anew.
    pub fn read(&self, name: &str) -> Result<Knowledge, String> {
        if name == SHIPPED {
            return self.shipped();
        }
        let (path, which) = match name.split_once(".json#") {
            Some((path, which)) => (format!("{path}.json"), Some(which)),
            None => (name.to_owned(), None),
        };
        let is_published = which.is_some() || path.ends_with(".json");
        let text = text_of(Path::new(&path))?;
        let wrong = |e: String| format!("{path}: {e}");
        if is_published {
            self.published(&text, which).map_err(wrong)
        } else {
            file::read(&text).map_err(|e| wrong(e.to_string()))
        }
    }

    /// The session's own knowledge, where it was given some, else that of the name.
    pub(crate) fn known(&self, given: Option<&Value>, named: &str) -> Result<Arc<Knowledge>, String> {
        match given.map(document::read).transpose()? {
            Some(given) if given != Knowledge::default() => Ok(Arc::new(given)),
            _ => self.get(if named.is_empty() { SHIPPED } else { named }),
        }
    }

    /// Whether what a method with options of its own goes by is there, by the options as they are recorded; `programs`: a language model
    /// composes programs of the skills' functions. An error says what is not, with what to do.
    pub fn has(
        &self,
        method: &str,
        own: Table,
        recorded: &BTreeMap<String, String>,
        programs: bool,
    ) -> Result<(), String> {
        if !own.iter().any(|option| option.key == SKILLS.key) {
            return Ok(());
        }
        let named = recorded.get(SKILLS.key).map_or("", String::as_str);
        let known = self.known(None, named).map_err(|why| format!("{method} has no skills to act by: {why}"))?;
        let composed = if programs { functions(&known).map(drop) } else { Ok(()) };
        composed.map_err(|why| format!("{method} cannot begin: {why}"))
    }

    fn shipped(&self) -> Result<Knowledge, String> {
        let file = self.world.file(FILE).ok_or_else(|| {
            format!(
                "no skills ship for the world {}; name a file of skills (--skills FILE, docs/reference/skills.md)",
                self.world.name
            )
        })?;
        file::read(file.text).map_err(|e| format!("the skills that ship: {e}"))
    }

    /// The skills of an environment and an author; the environment whose skills are most like the world's own if none is named.
    fn published(&self, text: &str, which: Option<&str>) -> Result<Knowledge, String> {
        let published = Published::read(text)?;
        let (env, author) = which.map_or(("", AUTHOR), |which| which.split_once('/').unwrap_or((which, AUTHOR)));
        let has_skills = |env: &str, by: &str| {
            published.knowledge.iter().any(|(of, author, _)| (of.as_str(), author.as_str()) == (env, by))
        };
        let name_of = |env: &str, variant: &str| match has_skills(env, variant) {
            true => format!("{variant}{TIPS_BEHIND}"),
            false => variant.to_owned(),
        };
        let list = published.tips_only.iter().find(|(of, variant, _)| of == env && name_of(of, variant) == author);
        if let Some((.., tips)) = list {
            return Ok(Knowledge { tips: tips.clone(), ..Knowledge::default() });
        }
        let own = self.shipped().unwrap_or_default();
        let alike = |known: &Knowledge| known.skills.iter().filter(|s| own.skill(&s.signature.name).is_some()).count();
        let by_author = published.knowledge.iter().filter(|(_, by, _)| by == author);
        let found = match env {
            "" => by_author.filter(|(.., known)| alike(known) > 0).max_by_key(|(.., known)| alike(known)),
            env => by_author.into_iter().find(|(known, ..)| known == env),
        };
        let with_examples = |knowledge: &Knowledge| {
            let mut knowledge = knowledge.clone();
            knowledge.take_examples(&own);
            knowledge
        };
        found.map(|(.., knowledge)| with_examples(knowledge)).ok_or_else(|| {
            let skills = published.knowledge.iter().map(|(env, by, _)| format!("{env}/{by}"));
            let tips = published.tips_only.iter().map(|(env, variant, _)| format!("{env}/{}", name_of(env, variant)));
            let all: Vec<String> = skills.chain(tips).collect();
            format!("it has no such skills; there are {} (name one behind `#`)", all.join(", "))
        })
    }
}

pub fn text_of(path: &Path) -> Result<String, String> {
    world::read_at_most(path, LARGEST).map_err(|e| format!("the skills: {e}"))
}

/// The functions of the skills, of which programs are composed.
pub fn functions(known: &Knowledge) -> Result<String, String> {
    Some(known.functions()).filter(|functions| !functions.is_empty()).ok_or_else(|| {
        "the skills in use have no functions; have them written from logs (stepwright distill --functions, or the pane Skills) and name \
         the file with --skills"
            .to_owned()
    })
}

/// All tips, those of no skill last.
pub fn tips(knowledge: &Knowledge) -> Vec<String> {
    let mut all: Vec<String> = Vec::new();
    for tip in knowledge.skills.iter().flat_map(|skill| &skill.tips).chain(&knowledge.tips) {
        if !all.contains(tip) {
            all.push(tip.clone());
        }
    }
    all
}

/// A prompt with tips before all else.
pub(crate) fn with_tips(prompt: PromptRecord, known: &Knowledge, has_primitives: bool) -> PromptRecord {
    let tips = tips_led(&tips(known));
    led(prompt, &if has_primitives { primitives_led(known) + &tips } else { tips })
}

/// A prompt with a text before all else.
pub fn led(mut prompt: PromptRecord, text: &str) -> PromptRecord {
    match prompt.messages.first_mut() {
        _ if text.is_empty() => {}
        Some(first) => first.text.insert_str(0, text),
        None => prompt.messages.push(PromptMessage { role: "text".to_owned(), text: text.to_owned() }),
    }
    prompt
}

/// Tips as they lead a prompt.
pub fn tips_led(tips: &[String]) -> String {
    let lines: String = tips.iter().map(|tip| format!("- {tip}\n")).collect();
    if lines.is_empty() { lines } else { format!("Tips from earlier episodes:\n{lines}\n") }
}

/// The primitives of all skills as they lead a prompt, each with an example.
pub fn primitives_led(knowledge: &Knowledge) -> String {
    let line = |primitive: &Primitive| {
        let example = primitive.examples.first().map(|example| format!(", as in: {example}")).unwrap_or_default();
        format!("- {}{example}\n", primitive.syntax)
    };
    let lines: String = knowledge.primitives().into_iter().map(line).collect();
    if lines.is_empty() {
        lines
    } else {
        format!("Choose only among these actions, and keep to their form:\n{lines}\n")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_learned_is_shown_a_line_each() {
        let known = json!({ "tips": ["Look."], "skills": [{ "name": "find(object)", "tips": ["Think."] }] });
        let changes = (KNOWLEDGE.showing.changes)(None, &known);
        assert!(changes.iter().any(|line| line == "+ tip Look."), "{changes:?}");
        assert!((KNOWLEDGE.showing.lines)(&known).iter().any(|line| line.contains("Think.")));
        let cut = json!([{ "skill": "find", "args": ["mug"], "start": 0, "end": 3 }]);
        assert_eq!((SEGMENTS.showing.lines)(&cut), ["find(mug): steps 1 to 4"]);
        assert_eq!((SEGMENTS.showing.lines)(&json!("none")), ["\"none\""], "shown as it is kept");
    }
}
