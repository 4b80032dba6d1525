//! The lines of an episode, read from the records: what was thought, called, done and reported on the way to the cursor.

use serde_json::{Value, json};
use stepwright_skill::Knowledge;
use stepwright_skill::hierarchy::{self, Entry, Line, Style};
use stepwright_skill::line::Level;
use stepwright_trajectory::react::seen;

use crate::react::beginning;
use stepwright_episode::Node;
use stepwright_method::Context;
use stepwright_method::skills::SKILLS;

/// The lines on a path from the reset. Actions of selections that were blocked are none.
pub(super) fn entries(path: &[&Node]) -> Vec<Entry> {
    path.iter().filter_map(|node| entry(node)).collect()
}

fn entry(node: &Node) -> Option<Entry> {
    let (action, outcome) = (node.action.as_ref()?, &node.outcome);
    let line = match &outcome.held {
        Some(_) => hierarchy::recorded(&action.text)?,
        None if outcome.blocked.is_some() => return None,
        None => Line::Act(action.text.clone()),
    };
    let observation = seen(&outcome.observation).to_owned();
    Some(Entry { line, observation, refused: outcome.error.is_some() })
}

pub(super) fn here(cx: &Context<'_>) -> Vec<Entry> {
    entries(&cx.path())
}

pub(super) fn level(cx: &Context<'_>) -> Level {
    hierarchy::level(&here(cx))
}

/// The first observation as prompts show it, with the goal where it does not hold it.
pub(super) fn first(cx: &Context<'_>) -> String {
    cx.path().first().map(|reset| beginning(cx, reset)).unwrap_or_default()
}

/// How policies write lines: by the form of the world's skills, also where an ablation shows no primitives.
pub(super) fn style(cx: &Context<'_>, known: &Knowledge) -> Style {
    let shown = known.primitives().is_empty().then(|| cx.skills(&SKILLS).ok()).flatten();
    hierarchy::style(shown.as_deref().unwrap_or(known))
}

/// The lines as work beside the episode takes them along. What a person refused here counts as refused.
pub(super) fn past(cx: &Context<'_>) -> Value {
    let refused = cx.node().into_iter().flat_map(|node| node.turn.rejected());
    let refused = refused.filter_map(|(proposal, _)| proposal.action.as_ref());
    let refused = refused.filter(|action| hierarchy::recorded(&action.text).is_none()).map(|action| Entry {
        line: Line::Act(action.text.clone()),
        observation: String::new(),
        refused: true,
    });
    let shown = |entry: Entry| {
        let held = !matches!(entry.line, Line::Act(_));
        json!([hierarchy::record(&entry.line), entry.observation, entry.refused, held])
    };
    Value::Array(here(cx).into_iter().chain(refused).map(shown).collect())
}

pub(super) fn entries_of(work: &Value) -> Result<Vec<Entry>, String> {
    let read: Vec<(String, String, bool, bool)> = serde_json::from_value(work.clone()).map_err(|e| e.to_string())?;
    let entry = |(text, observation, refused, held): (String, String, bool, bool)| {
        let line = if held { hierarchy::recorded(&text) } else { None };
        Entry { line: line.unwrap_or(Line::Act(text)), observation, refused }
    };
    Ok(read.into_iter().map(entry).collect())
}
