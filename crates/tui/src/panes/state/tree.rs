//! Tree rows of a JSON value: open collections are walked, closed ones are one row. Marks what a patch changed. Where the number of
//! free rows is known, collections are opened from the top as far as they fit.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::Value;

use crate::pane::FEW;
use crate::widgets::words::{self, Change};
use stepwright_episode::patch::apply;
use stepwright_text::json_pointer::{join, unescaped};

/// Children shown of one collection; beyond it a row says how many are left out.
const MOST: usize = 5_000;

/// Rows of a tree with everything open; what comes after is left out.
const LONGEST: usize = 50_000;

/// Which collections are open that nobody opened or closed one by one.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(crate) enum Unfold {
    /// The changes or differences, and as many others as there are free rows for.
    #[default]
    Fit,
    All,
    Nothing,
}

/// How a value differs from the one it is compared with.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Apart {
    Wrong,
    Missing,
}

#[derive(Debug, Clone, Default, PartialEq)]
pub(crate) struct TreeRow {
    pub pointer: String,
    pub depth: usize,
    pub key: String,
    /// The value in short; the former value for what is gone.
    pub text: String,
    pub fold: Option<bool>,
    pub change: Option<Change>,
    /// Whether the last step changed something below it, or something below it differs from what it is compared with.
    pub touched: bool,
    pub apart: Option<Apart>,
}

/// One side of the pane: a value, what is open in it, what changed.
#[derive(Debug, Default)]
pub struct Tree {
    /// Rows that a person opened or closed; those closed although the last step changed something inside, until the next step.
    by_hand: BTreeMap<String, bool>,
    changes: BTreeMap<String, Change>,
    touched: BTreeSet<String>,
    /// Former values of what changed, in short, where they are known.
    former: BTreeMap<String, String>,
    /// The differences from the tree beside it, and the value there in short.
    apart: BTreeMap<String, (Apart, Option<String>)>,
    below: BTreeMap<String, Apart>,
    /// Whether collections that can be written on one line stay closed, whatever changed or differs in them.
    compact: bool,
    /// The collections open that nobody opened.
    unfold: Unfold,
    /// Rows on the screen for the tree, where collections are to be opened as far as they fit.
    room: Option<usize>,
    fitted: BTreeSet<String>,
    rows: Vec<TreeRow>,
}

/// Rows of a value of which nothing is open.
pub(crate) fn len(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len(),
        Value::Array(items) => items.len(),
        _ => 1,
    }
}

/// Rows of a value of which everything is open; itself not counted.
pub(crate) fn rows_open(value: &Value) -> usize {
    let row = |child: &Value| 1 + rows_open(child);
    match value {
        Value::Object(map) => map.values().map(row).sum(),
        Value::Array(items) => items.iter().map(row).sum(),
        _ => 0,
    }
}

/// The values, in short, that a patch changes or takes away, each as it was when the patch came to it: what it did before may have moved the
/// items of a list.
fn former(patch: &Value, before: &Value) -> BTreeMap<String, String> {
    let (mut at, mut former) = (before.clone(), BTreeMap::new());
    for operation in patch.as_array().into_iter().flatten() {
        let pointer = operation.get("path").and_then(Value::as_str).unwrap_or_default();
        let is_new = operation.get("op").is_some_and(|op| op == "add");
        if let Some(old) = at.pointer(pointer).filter(|_| !is_new) {
            former.insert(pointer.to_owned(), words::value(old));
        }
        if apply(&mut at, &Value::Array(vec![operation.clone()])).is_err() {
            break;
        }
    }
    former
}

impl Tree {
    /// A tree in which what fits a line stays on one.
    pub fn compact() -> Self {
        Tree { compact: true, ..Tree::default() }
    }

    pub fn rows(&self) -> &[TreeRow] {
        &self.rows
    }

    /// Takes in what the last step changed; what changed is opened to until the next step. `before` is the value it changed, where known.
    pub fn mark(&mut self, patch: &Value, before: Option<&Value>) {
        self.changes.clear();
        self.touched.clear();
        self.by_hand.retain(|_, open| *open);
        self.former = before.map(|before| former(patch, before)).unwrap_or_default();
        for (change, pointer, _) in words::operations(patch) {
            self.changes.insert(pointer.to_owned(), change);
            for (at, _) in pointer.match_indices('/').skip(1) {
                self.touched.insert(pointer.get(..at).unwrap_or_default().to_owned());
            }
        }
    }

    /// Takes in what differs from another value; it is opened to as well. To be called after [`Tree::mark`].
    pub fn compare<'a>(&mut self, differences: impl Iterator<Item = (&'a str, Apart, Option<&'a Value>)>) {
        self.apart.clear();
        self.below.clear();
        for (pointer, apart, there) in differences {
            self.apart.insert(pointer.to_owned(), (apart, there.map(words::value)));
            for (at, _) in pointer.match_indices('/').skip(1) {
                self.below.insert(pointer.get(..at).unwrap_or_default().to_owned(), apart);
            }
        }
    }

    pub(crate) fn set_open(&mut self, pointer: &str, open: bool) {
        self.by_hand.insert(pointer.to_owned(), open);
    }

    /// Whether a collection is open: by a person, or because something inside changed with the last step or differs.
    fn is_open(&self, pointer: &str, value: &Value) -> bool {
        let concerned = || self.touched.contains(pointer) || self.below.contains_key(pointer);
        self.by_hand.get(pointer).copied().unwrap_or_else(|| match self.unfold {
            Unfold::All => true,
            Unfold::Nothing => false,
            Unfold::Fit if self.fitted.contains(pointer) => true,
            Unfold::Fit => concerned() && !(self.compact && words::is_whole(value)),
        })
    }

    /// Opens or closes everything, in place of what was opened and closed one by one.
    pub(crate) fn set_unfold(&mut self, unfold: Unfold) {
        self.unfold = unfold;
        self.by_hand.clear();
    }

    /// The collections open that nobody opened one by one.
    pub fn unfold(&self) -> Unfold {
        self.unfold
    }

    /// Says how many rows there are on the screen; whether the tree has to be laid out again for that.
    pub(crate) fn set_room(&mut self, rows: usize) -> bool {
        let new = self.room != Some(rows);
        self.room = Some(rows);
        new && self.unfold == Unfold::Fit
    }

    pub fn reveal(&mut self, pointer: &str) {
        for (at, _) in pointer.match_indices('/').skip(1) {
            self.set_open(pointer.get(..at).unwrap_or_default(), true);
        }
    }

    pub fn lay(&mut self, value: &Value) {
        self.fitted.clear();
        let mut rows = std::mem::take(&mut self.rows);
        loop {
            rows.clear();
            self.children(value, "", 0, &mut rows);
            if !self.open_what_fits(value, &rows) {
                break;
            }
        }
        self.rows = rows;
    }

    /// Opens closed collections, the outer ones first, as far as there are free rows; whether one was opened. Where none fits any more and
    /// more than a few rows are free, the smallest is opened and scrolls.
    fn open_what_fits(&mut self, value: &Value, rows: &[TreeRow]) -> bool {
        let Some(room) = self.room.filter(|_| self.unfold == Unfold::Fit) else { return false };
        let mut free = room.saturating_sub(rows.len());
        let mut closed: Vec<&TreeRow> = rows.iter().filter(|r| r.fold == Some(false)).collect();
        closed.sort_by_key(|row| row.depth);
        let before = self.fitted.len();
        let mut smallest: Option<(usize, usize, String)> = None;
        let openable = closed.into_iter().filter(|row| self.by_hand.get(&row.pointer) != Some(&false));
        let mut all: Vec<(&TreeRow, &Value)> =
            openable.filter_map(|row| Some((row, value.pointer(&row.pointer)?))).collect();
        // What fits a line comes last.
        all.sort_by_key(|(_, inner)| words::is_whole(inner));
        for (row, inner) in all {
            let (size, is_whole) = (size(inner).min(MOST + 1), words::is_whole(inner));
            if is_whole && (self.compact || self.fitted.len() > before) {
                break;
            }
            if size <= free {
                free -= size;
                self.fitted.insert(row.pointer.clone());
            } else if !is_whole
                && size <= 2 * room
                && smallest.as_ref().is_none_or(|least| (row.depth, size) < (least.0, least.1))
            {
                smallest = Some((row.depth, size, row.pointer.clone()));
            }
        }
        if self.fitted.len() == before && (free * 3 > room || free > usize::from(FEW)) {
            self.fitted.extend(smallest.map(|(.., pointer)| pointer));
        }
        self.fitted.len() > before
    }

    fn children(&self, value: &Value, at: &str, depth: usize, rows: &mut Vec<TreeRow>) {
        match value {
            Value::Object(map) => {
                for (key, child) in map.iter().take(MOST) {
                    self.child(child, &join(at, key), depth, key.clone(), rows);
                }
                self.left_out(map.len(), at, depth, rows);
            }
            Value::Array(items) => {
                for (i, child) in items.iter().enumerate().take(MOST) {
                    self.child(child, &format!("{at}/{i}"), depth, format!("[{i}]"), rows);
                }
                self.left_out(items.len(), at, depth, rows);
            }
            scalar if depth == 0 => {
                rows.push(TreeRow { key: "value".into(), text: words::value(scalar), ..TreeRow::default() });
            }
            _ => {}
        }
        self.gone(value, at, depth, rows);
    }

    fn child(&self, value: &Value, pointer: &str, depth: usize, key: String, rows: &mut Vec<TreeRow>) {
        if rows.len() >= LONGEST {
            return;
        }
        let size = size(value);
        let open = self.is_open(pointer, value);
        let removed = self.changes.get(pointer) == Some(&Change::Removed);
        let change = self.changes.get(pointer).copied().filter(|_| !removed);
        let mut text = if size > 0 && open { String::new() } else { words::value(value) };
        if let (Some(Change::Changed), Some(former)) = (change, self.former.get(pointer)) {
            let gap = if text.is_empty() { "" } else { "  " };
            text.push_str(&format!("{gap}(was {former})"));
        }
        let apart = self.apart.get(pointer);
        if let Some((Apart::Wrong, Some(there))) = apart {
            text.push_str(&format!("  (in truth {there})"));
        }
        // What is written on one line stands for what is in it.
        let within = self.below.get(pointer).copied().filter(|_| !open);
        let apart = apart.map(|(apart, _)| *apart).or(within);
        let touched = self.touched.contains(pointer);
        let change = change.or((self.compact && touched && !open).then_some(Change::Changed));
        let touched = touched || self.below.contains_key(pointer);
        let fold = (size > 0).then_some(open);
        rows.push(TreeRow { pointer: pointer.to_owned(), depth, key, text, fold, change, touched, apart });
        if size > 0 && open {
            self.children(value, pointer, depth + 1, rows);
        }
    }

    fn left_out(&self, len: usize, at: &str, depth: usize, rows: &mut Vec<TreeRow>) {
        if len > MOST {
            let text = format!("{} more are not shown", len - MOST);
            rows.push(TreeRow { pointer: at.to_owned(), depth, text, ..TreeRow::default() });
        }
    }

    /// The values that the last step took away from a collection.
    fn gone(&self, value: &Value, at: &str, depth: usize, rows: &mut Vec<TreeRow>) {
        let from = format!("{at}/");
        let below = self.changes.range(from.clone()..).take_while(|(p, _)| p.starts_with(&from));
        for (pointer, change) in below {
            let key = pointer.get(from.len()..).unwrap_or_default();
            let direct = !key.contains('/');
            // In an array the following items have moved up; the row still says that one is gone.
            let absent = value.is_array() || value.pointer(&format!("/{key}")).is_none();
            if *change == Change::Removed && direct && absent {
                let text = self.former.get(pointer).map(|f| format!("gone, was {f}")).unwrap_or("gone".into());
                let key = unescaped(key);
                let change = Some(Change::Removed);
                rows.push(TreeRow { pointer: pointer.clone(), depth, key, text, change, ..TreeRow::default() });
            }
        }
    }
}

/// How many values a collection holds; none for what is no collection.
fn size(value: &Value) -> usize {
    match value {
        Value::Object(map) => map.len(),
        Value::Array(items) => items.len(),
        _ => 0,
    }
}

/// Every value below a value in document order: pointer, and key with short value as text. Stops at the first that `found`
/// accepts, counting from after `from` and around the end.
pub fn search(value: &Value, from: &str, forward: bool, found: &dyn Fn(&str) -> bool) -> Option<String> {
    let mut all = Vec::new();
    walk(value, "", &mut all);
    let at = all.iter().position(|(p, _)| p == from);
    let n = all.len();
    let order = (1..=n).map(|k| match (at, forward) {
        (Some(at), true) => (at + k) % n,
        (Some(at), false) => (at + n - k) % n,
        (None, true) => k - 1,
        (None, false) => n - k,
    });
    order.filter_map(|i| all.get(i)).find(|(_, text)| found(text)).map(|(p, _)| p.clone())
}

fn walk(value: &Value, at: &str, all: &mut Vec<(String, String)>) {
    let mut child = |pointer: String, key: &str, child: &Value| {
        let scalar = !child.is_object() && !child.is_array();
        let text = if scalar { format!("{key}: {child}") } else { key.to_owned() };
        all.push((pointer.clone(), text));
        walk(child, &pointer, all);
    };
    match value {
        Value::Object(map) => map.iter().for_each(|(k, v)| child(join(at, k), k, v)),
        Value::Array(items) => items.iter().enumerate().for_each(|(i, v)| child(format!("{at}/{i}"), "", v)),
        _ => {}
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn keys(tree: &Tree) -> Vec<String> {
        tree.rows().iter().map(|r| format!("{}{}={}", " ".repeat(r.depth), r.key, r.text)).collect()
    }

    #[test]
    fn changes_are_opened_to_and_marked() {
        let before = json!({"agent": {"at": "desk 1", "holds": null}, "far": {"x": [1, 2]}});
        let after = json!({"agent": {"at": "shelf 1", "new": 1}, "far": {"x": [1, 2]}});
        let patch = json!([
            {"op": "replace", "path": "/agent/at", "value": "shelf 1"},
            {"op": "remove", "path": "/agent/holds"},
            {"op": "add", "path": "/agent/new", "value": 1},
        ]);
        let mut tree = Tree::default();
        tree.mark(&patch, Some(&before));
        tree.lay(&after);
        assert_eq!(
            keys(&tree),
            ["agent=", " at=\"shelf 1\"  (was \"desk 1\")", " new=1", " holds=gone, was null", "far={\"x\":[1,2]}"]
        );
        let change = |i: usize| tree.rows()[i].change;
        assert_eq!(
            (change(1), change(2), change(3)),
            (Some(Change::Changed), Some(Change::Added), Some(Change::Removed))
        );
        assert!(tree.rows()[0].touched);
    }

    /// The second item was looked up where the first still stood.
    #[test]
    fn former_values_are_those_that_the_patch_found() {
        let before = json!({"on": ["red", "blue", "green"], "at": [1, 2]});
        let patch = json!([
            {"op": "remove", "path": "/on/0"},
            {"op": "replace", "path": "/on/1", "value": "grey"},
            {"op": "replace", "path": "/at", "value": [1, 3]},
        ]);
        let mut tree = Tree::default();
        tree.mark(&patch, Some(&before));
        tree.set_open("/at", true);
        tree.lay(&json!({"on": ["blue", "grey"], "at": [1, 3]}));
        let rows = keys(&tree);
        assert!(rows.iter().any(|row| row == " [1]=\"grey\"  (was \"green\")"), "{rows:?}");
        assert!(rows.iter().any(|row| row == "at=(was [1,2])"), "{rows:?}");
    }

    #[test]
    fn collections_are_opened_as_far_as_there_are_rows() {
        let long = |n: usize| -> Vec<String> { (0..n).map(|i| format!("a place with a long name, {i}")).collect() };
        let value = json!({"small": {"places": long(3)}, "large": long(30), "one line": {"x": 1}});
        let mut tree = Tree::default();
        tree.lay(&value);
        assert_eq!(tree.rows().len(), 3, "nothing is opened where the room is not known");
        assert!(tree.set_room(10) && !tree.set_room(10));
        tree.lay(&value);
        assert_eq!(
            keys(&tree).iter().map(|key| key.split('=').next().unwrap_or_default().trim()).collect::<Vec<_>>(),
            ["small", "places", "[0]", "[1]", "[2]", "large", "one line", "x"],
            "what does not fit stays closed, what is whole on its line comes last"
        );
        tree.set_open("/small", false);
        tree.lay(&value);
        assert_eq!(tree.rows().len(), 4, "closed by a person, so that there is room for what is whole");
        tree.set_unfold(Unfold::All);
        tree.lay(&value);
        assert_eq!(tree.rows().len(), 3 + 30 + 1 + 1 + 3);
        tree.set_unfold(Unfold::Nothing);
        tree.lay(&value);
        assert_eq!(tree.rows().len(), 3);
    }

    #[test]
    fn search_finds_what_is_folded() {
        let value = json!({"a": {"mug 1": 1}, "b": ["fork", "mug 2"]});
        let has = |text: &str| text.contains("mug");
        assert_eq!(search(&value, "", true, &has).as_deref(), Some("/a/mug 1"));
        assert_eq!(search(&value, "/a/mug 1", true, &has).as_deref(), Some("/b/1"));
        assert_eq!(search(&value, "/b/1", true, &has).as_deref(), Some("/a/mug 1"));
        assert_eq!(search(&value, "/a/mug 1", false, &has).as_deref(), Some("/b/1"));
        assert_eq!(search(&json!(null), "", true, &has), None);
    }

    #[test]
    fn a_scalar_is_a_row_of_its_own() {
        let mut tree = Tree::default();
        tree.lay(&json!(3));
        assert_eq!(keys(&tree), ["value=3"]);
    }
}
