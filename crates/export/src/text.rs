//! Plain text of a session: what `stepwright show` prints.

use super::rows::ProposalEntry;
use super::stated::Stated;
use super::story::{Chapter, Step, Story};
use stepwright_text::Columns;
use stepwright_text::sanitize::{line, visible};
use stepwright_text::words::count;

pub fn render(story: &Story) -> String {
    let mut out = opening(story);
    for chapter in &story.chapters {
        out.push_str(&chapter_title(chapter));
        for step in &chapter.steps {
            out.push_str(&render_step(step));
        }
    }
    out
}

/// The lines before the first step.
fn opening(story: &Story) -> String {
    let mut out = format!("{}\n", visible(story.sentence.trim()));
    let longest = story.facts.iter().map(|(label, _)| label.width()).max().unwrap_or(0).max("in force".len());
    for (label, value) in &story.facts {
        let pad = " ".repeat(longest - label.width());
        out.push_str(&format!("  {}{pad} {}\n", line(label), line(value)));
    }
    out.push_str(&format!("  {:<longest$} {}\n", "outcome", story.standing));
    for set in &story.in_force {
        let texts = if set.assertions.is_empty() { "none".to_owned() } else { set.assertions.join("; ") };
        let words = format!("{} ({}): {texts}", set.action, set.origin);
        out.push_str(&format!("  {:<longest$} {}\n", "in force", line(&words)));
    }
    for known in &story.known {
        out.push_str(&format!("  {:<longest$} {}\n", "known", line(&known.title)));
        let indent = " ".repeat(longest + 5);
        known.lines.iter().for_each(|text| out.push_str(&format!("{indent}{}\n", line(text))));
    }
    out
}

fn chapter_title(chapter: &Chapter) -> String {
    format!("\n== {}\n", line(&chapter.title))
}

/// One step: how it was reached, what it gave, what was offered next.
fn render_step(step: &Step) -> String {
    let mut out = String::from("\n");
    if step.action.is_empty() {
        out.push_str("[0] reset\n");
    } else {
        let number = if step.executed { step.number.to_string() } else { "-".to_owned() };
        out.push_str(&format!("[{number}] > {}\n", line(&step.action)));
        if !step.decided.is_empty() {
            out.push_str(&format!("    {}\n", line(&step.decided)));
        }
    }
    for text in visible(&step.observation).lines().filter(|l| !l.is_empty()) {
        out.push_str(&format!("    {text}\n"));
    }
    if !step.refused.is_empty() {
        out.push_str(&format!("    ({})\n", line(&step.refused)));
    }
    for change in &step.changes {
        out.push_str(&format!("      {}\n", line(change)));
    }
    for proposal in &step.proposals {
        out.push_str(&render_proposal(proposal));
    }
    for (at, text) in step.duel.iter().enumerate() {
        out.push_str(&format!("    {}{}\n", if at == 0 { "duel: " } else { "  " }, line(text)));
    }
    for set in &step.adopted {
        let until = set.until.map_or_else(|| "on".to_owned(), |step| format!("to step {step}"));
        out.push_str(&format!("    in force from here {until}: {}\n", line(&set.words)));
    }
    for text in &step.taken_back {
        out.push_str(&format!("    taken back {}\n", line(text)));
    }
    for text in &step.documents {
        out.push_str(&format!("    {}\n", line(text)));
    }
    if let Some(plan) = &step.plan {
        out.push_str("    plan, in force from here on:\n");
        out.extend(visible(plan).lines().map(|text| format!("      {text}\n")));
    }
    if let Some(differences) = &step.differences {
        out.push_str(&format!("    belief: {} from the truth\n", count(differences.len(), "difference")));
        out.extend(differences.iter().map(|text| format!("      {}\n", line(text))));
    }
    if !step.tree.is_empty() {
        out.push_str("    blocking tree:\n");
        out.extend(step.tree.iter().map(|text| format!("      {}\n", line(text))));
    }
    match &step.state {
        Some(Stated::Whole(state)) => out.push_str(&format!("    state: {}\n", line(&state.to_string()))),
        Some(Stated::Left(size)) => out.push_str(&format!("    state: {size} bytes, whole where the line ends\n")),
        None => {}
    }
    for ask in step.asks.iter().filter(|ask| ask.stands_out) {
        out.push_str(&format!("    {}\n", line(&ask.title)));
        if !ask.partial.is_empty() {
            out.push_str(&format!("      {}\n", line(&ask.outcome)));
            out.push_str(&rows("      had come: ", &ask.partial));
        }
    }
    for learned in &step.learned {
        out.push_str(&format!("    learned: {}\n", line(&learned.title)));
        learned.lines.iter().for_each(|text| out.push_str(&format!("        {}\n", line(text))));
    }
    for note in &step.notes {
        out.push_str(&rows("    note: ", note));
    }
    if step.won {
        out.push_str("    the goal holds\n");
    }
    if step.here {
        out.push_str("    (the session is here)\n");
    }
    out
}

/// A text of many lines below its label.
fn rows(label: &str, text: &str) -> String {
    let text = visible(text.trim());
    let below = " ".repeat(label.len());
    let lines = text.lines().filter(|row| !row.trim().is_empty()).enumerate();
    lines.map(|(at, row)| format!("{}{row}\n", if at == 0 { label } else { &below })).collect()
}

fn render_proposal(proposal: &ProposalEntry) -> String {
    let mark = if proposal.recommended { "*" } else { " " };
    let fate = if proposal.fate.is_empty() { String::new() } else { format!("  [{}]", line(&proposal.fate)) };
    let (text, status) = (line(&proposal.text), line(&proposal.status));
    let mut out = format!("  {mark} - {text}  ({status}; {}){fate}\n", proposal.origin);
    if let Some(why) = proposal.rationale.as_ref().filter(|why| !why.trim().is_empty()) {
        out.push_str(&rows("        because: ", why));
    }
    for (status, condition, detail) in proposal.checks.iter().filter(|(status, ..)| status != "holds") {
        out.push_str(&format!("        {status}: {}  {}\n", line(condition), line(detail)));
    }
    out
}
