//! Texts that a model or the task's file wrote, as prompts show them again: as they were read, or kept as they are.

use serde_json::Value;

use super::answer::written;
use super::answered::shown;
use crate::Context;
use crate::think::one_line;
use stepwright_episode::ArtifactId;

stepwright_world::option_specs! {
    pub TEXTS: "texts", "States and answers", "how states and programs that a model wrote are kept and shown", [
        "mended" = "as they were read, run-on text left out", "verbatim" = "as the model wrote them"
    ] or "mended";
    pub UPDATES: "updates", "Updates", "which updates of a program a writer is asked for; lines: as published evaluations read recorded answers", [
        "run" = "those that the program makes", "lines" = "lines of the answer that begin so"
    ] or "run";
}

/// Whether a model's texts are kept as it wrote them.
pub fn is_verbatim(cx: &Context<'_>) -> bool {
    cx.options().is(&TEXTS, "verbatim")
}

/// Whether updates are read from the answer's lines.
pub(crate) fn by_lines(cx: &Context<'_>) -> bool {
    cx.options().is(&UPDATES, "lines")
}

/// A belief as prompts show it.
#[derive(Debug, Clone, Default)]
pub struct StateText {
    /// As a model or the task's file wrote it; of one that a person changed, as it is.
    pub raw: String,
    /// That, where texts are kept; else as it was read.
    pub shown: String,
}

impl StateText {
    /// The belief at the cursor.
    pub fn of(cx: &Context<'_>) -> Self {
        let read = cx.session.belief().map(|belief| shown(belief)).unwrap_or_default();
        let raw = match cx.session.made_by(&ArtifactId::BELIEF) {
            None => first_text(cx),
            Some(None) => None,
            Some(Some((node, offer))) => {
                let asked = offer.ask.and_then(|ask| node.turn.ask(ask)).is_some_and(|ask| ask.prompt.is_some());
                Some(if asked { written(&offer.written.raw) } else { offer.written.raw.clone() })
            }
        };
        let raw = raw.unwrap_or_else(|| read.clone());
        StateText { shown: if is_verbatim(cx) { raw.clone() } else { read }, raw }
    }

    /// The belief that the episode began with, as it is shown.
    pub fn first(cx: &Context<'_>) -> String {
        let text = first_text(cx).filter(|_| is_verbatim(cx));
        text.or_else(|| first(cx).map(shown)).unwrap_or_default()
    }
}

/// The belief that the episode began with.
pub fn first<'a>(cx: &Context<'a>) -> Option<&'a Value> {
    cx.session.node(0).and_then(|node| node.belief()).map(AsRef::as_ref)
}

fn first_text(cx: &Context<'_>) -> Option<String> {
    cx.world.requests()?.first_texts().map(|[state, _]| state.clone())
}

/// A request or an update as prompts show it.
pub fn query(cx: &Context<'_>, text: &str) -> String {
    if is_verbatim(cx) { text.to_owned() } else { one_line(text) }
}
