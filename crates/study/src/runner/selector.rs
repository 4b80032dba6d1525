//! Selection of tasks: `--tasks SELECTOR`.
//!
//! Terms separated by commas. `type=`, `split=` and `first=` narrow the choice; every other term is an id, or a pattern with `*`,
//! or the beginning of ids or of what follows a `/` in them, and adds to it. `all` is every task. A type may be named by words of it
//! (`heat`) that no other type has.

use std::collections::{BTreeMap, BTreeSet};

use stepwright_world::{TaskInfo, nearest_ids};

const LISTED: usize = 8;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Selector {
    patterns: Vec<String>,
    kinds: Vec<String>,
    splits: Vec<String>,
    first: Option<usize>,
}

impl std::str::FromStr for Selector {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let mut selector = Selector::default();
        for term in text.split(',').map(str::trim).filter(|t| !t.is_empty()) {
            match term.split_once('=') {
                None if term == "all" => selector.patterns.push("*".to_owned()),
                None => selector.patterns.push(term.to_owned()),
                Some(("type", kind)) => selector.kinds.push(kind.to_owned()),
                Some(("split", split)) => selector.splits.push(split.to_owned()),
                Some(("first", count)) => {
                    let count = count.parse().map_err(|_| format!("`{count}` in `{term}` is no number"))?;
                    selector.first = Some(count);
                }
                Some((key, _)) => {
                    return Err(format!(
                        "`{key}=` selects nothing; there are type=, split=, first=, ids, patterns with * and `all`"
                    ));
                }
            }
        }
        // A variable of a script that is empty would run everything.
        if selector == Selector::default() {
            return Err("no task is named; `all` is every task".to_owned());
        }
        Ok(selector)
    }
}

impl Selector {
    pub fn select(&self, tasks: &[TaskInfo]) -> Result<Vec<TaskInfo>, String> {
        if tasks.is_empty() {
            return Err("the data hold no task".to_owned());
        }
        for term in &self.kinds {
            let kinds: BTreeSet<&str> = tasks.iter().map(|t| t.kind.as_str()).filter(|k| has_words(k, term)).collect();
            if kinds.len() > 1 && !kinds.contains(term.as_str()) {
                let all = Vec::from_iter(kinds).join(", ");
                return Err(format!("`type={term}` may be any of {all}; name one, or several: type=…,type=…"));
            }
        }
        let idle = self.idle_terms(tasks);
        let any = self.patterns.iter().any(|p| tasks.iter().any(|t| fits(p, &t.id)));
        if !idle.is_empty() && (any || self.patterns.is_empty()) {
            return Err(format!("no task fits {}{}", idle.join(", "), self.known(tasks)));
        }
        // A whole id means that task alone, whatever other ids begin so.
        let whole: Vec<bool> = self.patterns.iter().map(|p| tasks.iter().any(|t| is_whole(p, &t.id))).collect();
        let meant = |id: &str| {
            let mut patterns = self.patterns.iter().zip(&whole);
            patterns.any(|(p, whole)| if *whole { is_whole(p, id) } else { fits(p, id) })
        };
        let chosen = tasks.iter().filter(|t| self.is_wanted(t) && (self.patterns.is_empty() || meant(&t.id)));
        let chosen: Vec<TaskInfo> = chosen.take(self.first.unwrap_or(usize::MAX)).cloned().collect();
        if chosen.is_empty() {
            let example =
                tasks.first().map_or_else(|| "none".to_owned(), |t| format!("`{}`, of type {}", t.id, t.kind));
            let known = self.known(tasks);
            return Err(format!("no task fits; there are {}, the first is {example}{known}", tasks.len()));
        }
        Ok(chosen)
    }

    /// The alternatives to terms that no task fits: the nearest ids, the types, the splits.
    fn known(&self, tasks: &[TaskInfo]) -> String {
        let mut known = String::new();
        for pattern in self.patterns.iter().filter(|p| !tasks.iter().any(|t| fits(p, &t.id))) {
            let near = nearest_ids(tasks.iter().map(|t| t.id.as_str()), pattern).join(", ");
            known.push_str(&format!("; nearest to `{pattern}`: {near}"));
        }
        let mut listed = |what: &str, terms: &[String], of: fn(&TaskInfo) -> &str, is: fn(&str, &TaskInfo) -> bool| {
            if terms.iter().any(|term| !tasks.iter().any(|t| is(term, t))) {
                let all: BTreeSet<&str> = tasks.iter().map(of).collect();
                let some: Vec<&str> = all.iter().copied().take(LISTED).collect();
                let more = all.len().checked_sub(LISTED).filter(|more| *more > 0);
                let more = more.map_or_else(String::new, |more| format!(" and {more} more"));
                known.push_str(&format!("; {what} are {}{more}", some.join(", ")));
            }
        };
        listed("types", &self.kinds, |t| t.kind.as_str(), is_kind);
        listed("splits", &self.splits, split_of, |s, t| split_of(t) == s);
        known
    }

    /// The terms that no task fits by themselves: a slip that would go unseen beside terms that do.
    fn idle_terms(&self, tasks: &[TaskInfo]) -> Vec<String> {
        let idle = |terms: &[String], key: &str, fits: &dyn Fn(&str, &TaskInfo) -> bool| -> Vec<String> {
            let terms = terms.iter().filter(|term| !tasks.iter().any(|t| fits(term, t)));
            terms.map(|term| format!("`{key}{term}`")).collect()
        };
        let mut idle_terms = idle(&self.patterns, "", &|p, t| fits(p, &t.id));
        idle_terms.extend(idle(&self.kinds, "type=", &|k, t| is_kind(k, t)));
        idle_terms.extend(idle(&self.splits, "split=", &|s, t| split_of(t) == s));
        idle_terms
    }

    fn is_wanted(&self, task: &TaskInfo) -> bool {
        (self.kinds.is_empty() || self.kinds.iter().any(|k| is_kind(k, task)))
            && (self.splits.is_empty() || self.splits.iter().any(|s| s == split_of(task)))
    }
}

/// The first tasks of each kind, so many at most; all where no number is given.
pub fn first_of_each_kind(mut tasks: Vec<TaskInfo>, most: Option<u32>) -> Vec<TaskInfo> {
    let mut taken: BTreeMap<String, u32> = BTreeMap::new();
    tasks.retain(|task| {
        let count = taken.entry(task.kind.clone()).or_default();
        *count += 1;
        most.is_none_or(|most| *count <= most)
    });
    tasks
}

fn is_kind(kind: &str, task: &TaskInfo) -> bool {
    task.kind == kind || has_words(&task.kind, kind)
}

/// Whether a type has these words, one after the other.
fn has_words(kind: &str, words: &str) -> bool {
    !words.is_empty() && format!("_{kind}_").contains(&format!("_{words}_"))
}

fn split_of(task: &TaskInfo) -> &str {
    task.id.split('/').next().unwrap_or_default()
}

/// Whether an id, or what follows a `/` in it, is this text.
fn is_whole(text: &str, id: &str) -> bool {
    id.strip_suffix(text).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// Whether an id, or what follows a `/` in it, fits a pattern: with `*` for any text, else as its beginning.
fn fits(pattern: &str, id: &str) -> bool {
    let fits_at = |at: usize| id.get(at..).is_some_and(|rest| fits_from(pattern, rest));
    fits_at(0) || id.match_indices('/').any(|(at, _)| fits_at(at + 1))
}

fn fits_from(pattern: &str, id: &str) -> bool {
    if !pattern.contains('*') {
        return id.starts_with(pattern);
    }
    let mut parts = pattern.split('*');
    let Some(mut rest) = parts.next().and_then(|first| id.strip_prefix(first)) else { return false };
    let mut ended = pattern.ends_with('*');
    for part in parts.filter(|p| !p.is_empty()) {
        let Some(at) = rest.find(part) else { return false };
        rest = rest.get(at + part.len()..).unwrap_or_default();
        ended = ended || rest.is_empty();
    }
    ended || rest.is_empty() || pattern.rsplit('*').next().is_some_and(|last| id.ends_with(last))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn tasks() -> Vec<TaskInfo> {
        [
            ("shipped/heat-mug-1", "pick_heat_then_place_in_recep"),
            ("shipped/cool-mug-2", "pick_cool_then_place_in_recep"),
            ("shipped/cool-mug-21", "pick_cool_then_place_in_recep"),
            ("valid_unseen/a/b", "look_at_obj_in_light"),
            ("valid_unseen/c/d", "pick_and_place_simple"),
        ]
        .map(|(id, kind)| TaskInfo { id: id.into(), kind: kind.into(), sentence: String::new(), source: String::new() })
        .into()
    }

    fn ids(selector: &str) -> Vec<String> {
        let chosen = selector.parse::<Selector>().unwrap().select(&tasks());
        chosen.map_or_else(|e| vec![e], |c| c.into_iter().map(|t| t.id).collect())
    }

    #[test]
    fn terms_add_and_filters_narrow() {
        assert_eq!(ids("all").len(), 5);
        assert_eq!(ids("split=valid_unseen"), ["valid_unseen/a/b", "valid_unseen/c/d"]);
        assert_eq!(ids("split=valid_unseen,first=1"), ["valid_unseen/a/b"]);
        assert_eq!(ids("type=heat"), ["shipped/heat-mug-1"]);
        assert_eq!(ids("type=pick_and_place_simple"), ["valid_unseen/c/d"]);
        assert_eq!(ids("*mug*"), ["shipped/heat-mug-1", "shipped/cool-mug-2", "shipped/cool-mug-21"]);
        // A whole id is one task; a beginning is all that begin so.
        assert_eq!(ids("cool-mug-2"), ["shipped/cool-mug-2"]);
        assert_eq!(ids("shipped/cool-mug-2"), ["shipped/cool-mug-2"]);
        assert_eq!(ids("cool-mug"), ["shipped/cool-mug-2", "shipped/cool-mug-21"]);
        assert_eq!(ids("*/b, shipped/heat"), ["shipped/heat-mug-1", "valid_unseen/a/b"]);
        assert_eq!(ids("*-2"), ["shipped/cool-mug-2"]);
        assert_eq!(ids("cool-*"), ["shipped/cool-mug-2", "shipped/cool-mug-21"]);
        assert_eq!(ids("type=pick_and_place"), ["valid_unseen/c/d"]);
        assert_eq!(ids("type=heat,type=cool").len(), 3);
        // A word that several types have is none's: `pick_and_place_simple` alone was meant, or all of them.
        let which = "`type=place` may be any of pick_and_place_simple, pick_cool_then_place_in_recep, pick_heat_then_place_in_recep;";
        assert!(ids("type=place")[0].starts_with(which), "{:?}", ids("type=place"));
        // As `play --task` takes it, without where it comes from.
        assert_eq!(ids("heat-mug-1,d"), ["shipped/heat-mug-1", "valid_unseen/c/d"]);
        assert!(ids("mug-1")[0].contains("no task fits"));
        assert!(ids("nothing")[0].contains("no task fits; there are 5"));
        assert!(ids("shipped/heet-mug-1")[0].contains("`: shipped/heat-mug-1, shipped/cool-mug-2"));
        assert!(ids("type=haet")[0].contains("; types are look_at_obj_in_light, pick_and_place_simple, "));
        assert!(ids("split=test")[0].ends_with("; splits are shipped, valid_unseen"));
    }

    #[test]
    fn terms_that_no_task_fits_are_named_beside_those_that_do() {
        let error = &ids("shipped/heat-mug-1,shipped/haet-mug-2,*/b")[0];
        assert!(error.contains("`shipped/haet-mug-2`") && !error.contains("`*/b`"), "{error}");
        assert!(ids("type=heat,type=haet")[0].contains("`type=haet`"));
        assert!(ids("split=valid_unseen,split=test")[0].contains("`split=test`"));
        assert!(ids("all,nothing")[0].contains("`nothing`"));
    }

    #[test]
    fn the_first_of_each_kind_are_taken() {
        let taken = |most| first_of_each_kind([tasks(), tasks()].concat(), most).len();
        assert_eq!([taken(None), taken(Some(1)), taken(Some(9))], [10, 4, 10]);
    }

    #[test]
    fn wrong_words_are_named() {
        assert!("first=x".parse::<Selector>().unwrap_err().contains("no number"));
        assert!("kind=x".parse::<Selector>().unwrap_err().contains("type="));
        for nothing in ["", " , "] {
            assert_eq!(nothing.parse::<Selector>().unwrap_err(), "no task is named; `all` is every task");
        }
    }
}
