//! Generates dialogues with the shipped services: a small simulator of a user with a goal and of a system that serves it.
//!
//! Deterministic given service and seed. The system asks for what a call needs, calls, offers or reports failure, answers
//! questions, confirms and books; the user states things early, changes his mind, asks, corrects and takes leave in several ways.
//! `phrases` has the words, `talk` builds turns, `course` decides what happens next. That the true preconditions hold in all of
//! it is tested, not enforced.

mod draft;
mod phrases;
mod talk;

use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use super::record::Dialogue;
use super::schema::Service;
use super::{Source, compact_line};
use draft::DialogueDraft;
use phrases::Phrases;
use stepwright_world::GeneratedTask;
use talk::Talk;

/// Generates a dialogue with a shipped service.
/// Errors: in words, if there is no such service, or the program's own phrases are damaged.
pub fn dialogue(service: &Service, id: &str, seed: u64) -> Result<Dialogue, String> {
    let all = phrases::all()?;
    let phrases: &Phrases = all.get(&service.name).ok_or_else(|| {
        let known: Vec<&str> = all.keys().map(String::as_str).collect();
        format!("dialogues with {} cannot be generated; there are {}", service.name, known.join(", "))
    })?;
    let talk = Talk::new(phrases, ChaCha8Rng::seed_from_u64(seed));
    let turns = DialogueDraft::new(service, phrases, talk).run();
    Ok(Dialogue { id: id.to_owned(), service: service.name.clone(), turns })
}

/// Generates a dialogue with a shipped service by its name, for the command line.
/// Errors: if no such service ships: with those that do.
pub(super) fn new_task(kind: &str, seed: u64) -> Result<GeneratedTask, String> {
    let source = Source::shipped().map_err(|e| e.to_string())?;
    let service = source.service(kind).ok_or_else(|| {
        let known: Vec<&str> = source.services().collect();
        format!("there is no shipped service `{kind}`; there are {}", known.join(", "))
    })?;
    let id = format!("generated/{kind}-{seed}");
    let made = dialogue(service, &id, seed)?;
    Ok(GeneratedTask { id, about: made.sentence(), line: compact_line(&made)? })
}
