//! Rows of an offered document that waits for a decision. Of a belief: what it was written for, what it changes, what reading it repaired,
//! or why it cannot be read; of another its text. And which keys decide about it.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::actions::ActionId;
use crate::theme::{Role, Theme};
use crate::view::View;
use crate::widgets::draw::{Row, run};
use crate::widgets::words::{self, Change};
use crate::widgets::wrap;
use stepwright_belief as belief;
use stepwright_episode::patch::is_same;
use stepwright_episode::{Actor, ArtifactId, Offer, OfferState, Turn};

/// Changes shown where there is little room.
pub const SHORT: usize = 4;
/// Changes shown where there is more.
pub const LONG: usize = 40;
/// Repairs and lines of an unreadable text that are shown.
const SOME: usize = 6;

pub fn rows(view: &View, offer: &Offer, theme: &Theme, width: usize, most: usize) -> Vec<Row> {
    if offer.written.artifact != ArtifactId::BELIEF {
        return of_document(view, offer, width);
    }
    let head = format!("! a new belief waits, written for: {}", offer.written.title.trim());
    let mut rows: Vec<Row> = wrap::wrapped(&head, width).iter().map(|l| vec![run(Role::Accent, l)]).collect();
    match (&offer.written.value, &offer.written.problem) {
        (Some(state), None) => {
            let believed = view.session.as_ref().and_then(|s| s.belief());
            rows.extend(changes(believed.map_or(&Value::Null, |b| b), state, most));
        }
        (_, problem) => {
            let why = problem.as_deref().unwrap_or("it holds no state");
            let label = format!("{} it cannot be read: ", theme.glyphs.no);
            rows.extend(words::labelled(&label, Role::Bad, why, width));
            rows.push(vec![run(Role::Dim, "What is believed stays. What was written:")]);
            rows.extend(offer.written.raw.lines().take(SOME).map(|l| vec![run(Role::Text, format!("  {l}"))]));
        }
    }
    if !offer.written.repairs.is_empty() {
        rows.push(vec![run(Role::Warn, format!("read with {}:", words::count(offer.written.repairs.len(), "repair")))]);
        for repair in offer.written.repairs.iter().take(SOME.min(most)) {
            rows.extend(words::labelled("  ", Role::Warn, repair, width));
        }
        let left_out = offer.written.repairs.len().saturating_sub(SOME.min(most));
        if left_out > 0 {
            rows.push(vec![run(Role::Dim, format!("  and {left_out} more"))]);
        }
    }
    rows.push(keys(view, offer));
    rows
}

/// The verdict on a form of states: what it tells of the episodes, or all that is wrong with it.
pub fn form_rows(verdict: Option<&Result<String, String>>, theme: &Theme, width: usize) -> Vec<Row> {
    let (mark, role, said) = match verdict {
        Some(Ok(verdict)) => (theme.glyphs.yes, Role::Good, verdict),
        Some(Err(wrong)) => (theme.glyphs.no, Role::Bad, wrong),
        None => return vec![vec![run(Role::Dim, format!("checking {}", theme.glyphs.ellipsis))]],
    };
    let leads = std::iter::once(mark).chain(std::iter::repeat(" "));
    said.lines().zip(leads).flat_map(|(line, lead)| words::labelled(&format!("{lead} "), role, line, width)).collect()
}

/// A document that is no belief: what it is for, and its text.
fn of_document(view: &View, offer: &Offer, width: usize) -> Vec<Row> {
    let head = format!("! a {} waits for: {}", offer.written.artifact.kind, offer.written.title.trim());
    let mut rows: Vec<Row> = wrap::wrapped(&head, width).iter().map(|l| vec![run(Role::Accent, l)]).collect();
    if let Some(problem) = &offer.written.problem {
        rows.extend(words::labelled("it cannot be read: ", Role::Bad, problem, width));
    }
    for line in offer.written.raw.lines().take(LONG) {
        rows.extend(wrap::wrapped(line, width).iter().map(|l| vec![run(Role::Text, l)]));
    }
    rows.push(keys(view, offer));
    rows
}

pub fn brief(view: &View, offer: &Offer, theme: &Theme) -> Row {
    if offer.written.artifact != ArtifactId::BELIEF {
        let head = format!("! {}: ", offer.written.artifact.kind);
        return vec![run(Role::Warn, head), run(Role::Accent, words::one_line(&offer.written.raw))];
    }
    let believed = view.session.as_ref().and_then(|s| s.belief());
    let (text, role) = match &offer.written.value {
        Some(state) => {
            let changes = changes(believed.map_or(&Value::Null, |b| b), state, 1);
            let first: String = changes.first().into_iter().flatten().map(|r| r.text.as_str()).collect();
            let more = if changes.len() > 1 { theme.glyphs.ellipsis } else { "" };
            (format!("{first}{more}"), Role::Accent)
        }
        None => (format!("{} it cannot be read", theme.glyphs.no), Role::Bad),
    };
    let update = words::one_line(&offer.written.title);
    vec![run(Role::Warn, "! new belief: "), run(role, text), run(Role::Dim, format!("  for: {update}"))]
}

/// Whether a document can be written again: a belief that came in one answer with its program is not.
pub fn is_written_again(view: &View, offer: &Offer) -> bool {
    let method = view.session.as_ref().and_then(|session| view.methods.named(&session.method));
    let together = method.is_some_and(|method| method.info().believes_in_one_answer());
    !(together && offer.ask.is_none() && offer.written.artifact == ArtifactId::BELIEF)
}

fn keys(view: &View, offer: &Offer) -> Row {
    let mut pairs = vec![(ActionId::Approve, "take it"), (ActionId::Edit, "edit it"), (ActionId::Reject, "refuse it")];
    if is_written_again(view, offer) {
        pairs.push((ActionId::Propose, "write it again"));
    }
    if offer.written.value.is_none() {
        pairs.remove(0);
    }
    let mut row = Row::new();
    for (action, word) in pairs {
        row.push(run(Role::Key, view.key(action)));
        row.push(run(Role::Dim, format!(" {word}  ")));
    }
    row
}

/// The changes from one state to another, a value a row: `+ ['red block'].is ["dirty"]`.
pub fn changes(from: &Value, to: &Value, most: usize) -> Vec<Row> {
    let patch = belief::patch(from, to);
    let mut rows = Vec::new();
    let (mut at, mut places) = (from.clone(), FormerPlaces::default());
    let mut left_out = 0;
    for operation in patch.as_array().into_iter().flatten() {
        let one = json!([operation]);
        for (change, pointer, new) in words::operations(&one) {
            let place = places.of(&at, pointer, change);
            if rows.len() >= most {
                left_out += 1;
                continue;
            }
            let value = |v: Option<&Value>| v.map(words::value).unwrap_or_default();
            let former = value(at.pointer(pointer));
            let place = stepwright_text::json_pointer::display(&place);
            let text = match change {
                Change::Added => format!(" {place} {}", value(new)),
                Change::Removed => format!(" {place} {former}"),
                Change::Changed if from.is_null() => format!(" all of it: {}", value(new)),
                Change::Changed => format!(" {place} {former} becomes {}", value(new)),
            };
            // Only the mark and what follows it differ by role: a removed value has to be read too.
            let (mark, role) = words::look(change);
            rows.push(vec![run(role, mark), run(Role::Text, text)]);
        }
        at = belief::apply(&at, &one).unwrap_or(at);
    }
    if left_out > 0 {
        rows.push(vec![run(Role::Dim, format!("and {left_out} more"))]);
    }
    if rows.is_empty() {
        let what = if is_same(from, to) { "nothing of what is believed" } else { "only the order of what is believed" };
        rows.push(vec![run(Role::Dim, format!("It changes {what}."))]);
    }
    rows
}

/// Where the items of arrays stood before the first change: each change counts from what the one before it left. By the array, as it was
/// led to then; `None` for an item that was not there.
#[derive(Debug, Default)]
struct FormerPlaces(BTreeMap<String, Vec<Option<usize>>>);

impl FormerPlaces {
    /// Where what a pointer leads to in a state stood before; takes in that the item there is put in or taken out.
    fn of(&mut self, state: &Value, pointer: &str, change: Change) -> String {
        let (mut here, mut former) = (String::new(), String::new());
        let mut steps = pointer.split('/').skip(1).peekable();
        while let Some(step) = steps.next() {
            let is_last = steps.peek().is_none();
            let item = state.pointer(&here).and_then(Value::as_array).zip(step.parse::<usize>().ok());
            let place = item.and_then(|(items, at)| {
                let all = self.0.entry(former.clone()).or_insert_with(|| (0..items.len()).map(Some).collect());
                match change {
                    Change::Removed if is_last && at < all.len() => all.remove(at),
                    Change::Added if is_last => {
                        all.insert(at.min(all.len()), None);
                        None
                    }
                    _ => all.get(at).copied().flatten(),
                }
            });
            here = format!("{here}/{step}");
            former = match place {
                Some(place) => format!("{former}/{place}"),
                None => format!("{former}/{step}"),
            };
        }
        former
    }
}

/// The decisions about the beliefs offered at a node, and the corrections made there.
pub fn decided(turn: &Turn, width: usize) -> Vec<Row> {
    let mut rows = Vec::new();
    for offer in &turn.offers {
        let (by, what, why) = match &offer.fate {
            OfferState::Pending | OfferState::Replaced => continue,
            OfferState::Taken { by, edited: false, .. } => (by, "took", ""),
            OfferState::Taken { by, edited: true, .. } => (by, "edited, and took", ""),
            OfferState::Refused { by, why } => (by, "refused", why.as_str()),
        };
        let who = if *by == Actor::Person { "a person" } else { "the policy" };
        let why = if why.is_empty() { String::new() } else { format!(" ({why})") };
        if offer.written.artifact == ArtifactId::BELIEF {
            let text = format!("{who} {what} the one written for: {}{why}", offer.written.title.trim());
            rows.extend(words::labelled("belief   ", Role::Dim, &text, width));
        } else {
            let (kind, title) = (&offer.written.artifact.kind, offer.written.title.trim());
            // Nobody decides about what does not wait.
            let text = match offer.fate {
                OfferState::Taken { unasked: true, .. } => format!("{title}, taken as the {kind}"),
                _ => format!("{who} {what} the {kind} of: {title}{why}"),
            };
            rows.extend(words::labelled("written  ", Role::Dim, &text, width));
        }
    }
    for change in turn.changes_of(&ArtifactId::BELIEF).filter(|c| c.offer.is_none() && c.by == Actor::Person) {
        let n = words::count(change.patch.as_array().map_or(0, Vec::len), "change");
        rows.extend(words::labelled("belief   ", Role::Dim, &format!("a person corrected it, {n}"), width));
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(rows: Vec<Row>) -> Vec<String> {
        rows.iter().map(|r| r.iter().map(|x| x.text.as_str()).collect()).collect()
    }

    #[test]
    fn changes_stand_a_value_a_row_with_what_was_there() {
        let from = json!({"relations": ["a is on b", "c is on d"], "a": {}, "b": {"is": ["clean"]}});
        let to = json!({"relations": ["c is on d"], "a": {"is": ["dirty"]}, "b": {"is": ["dirty"]}});
        let all = text(changes(&from, &to, 9));
        assert!(all.contains(&"+ a.is [\"dirty\"]".to_owned()), "{all:?}");
        assert!(all.contains(&"~ b.is[0] \"clean\" becomes \"dirty\"".to_owned()), "{all:?}");
        assert!(all.iter().any(|row| row.starts_with("- relations[")), "{all:?}");
        let short = text(changes(&from, &to, 1));
        assert_eq!(short.last().unwrap(), &format!("and {} more", all.len() - 1));
        assert_eq!(text(changes(&to, &to, 1)), ["It changes nothing of what is believed."]);
    }

    #[test]
    fn what_goes_is_named_by_where_it_was() {
        let mut places = FormerPlaces::default();
        let mut state = json!({ "seen": [["a"], ["b"], ["c"], ["d", "e"]] });
        let mut of = |change, operation: Value| {
            let pointer = operation["path"].as_str().unwrap().to_owned();
            let place = places.of(&state, &pointer, change);
            state = belief::apply(&state, &json!([operation])).unwrap();
            place
        };
        let gone = |at: &str| json!({ "op": "remove", "path": at });
        assert_eq!(of(Change::Removed, gone("/seen/0")), "/seen/0");
        assert_eq!(of(Change::Removed, gone("/seen/0")), "/seen/1");
        let new = json!({ "op": "add", "path": "/seen/0", "value": ["x"] });
        assert_eq!(of(Change::Added, new), "/seen/0");
        let other = json!({ "op": "replace", "path": "/seen/2/1", "value": "f" });
        assert_eq!(of(Change::Changed, other), "/seen/3/1");
        assert_eq!(of(Change::Removed, gone("/seen/2/0")), "/seen/3/0");
        assert_eq!(of(Change::Removed, gone("/seen/1")), "/seen/2");
    }
}
